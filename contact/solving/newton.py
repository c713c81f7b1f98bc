"""Newton's method on the natural map: the last digits, for the convex and for the exact law.

    F(x) = x - P(x - w),    w = N x + b + e_n sum_k mu_k |u_k| + sigma (x - centre)

is zero at solutions. It is semismooth: with V an element of the generalised Jacobian of the projection and G the
derivative of De Saxce's correction (zero in the convex law),

    (1 - V + V ((1 + G) N + sigma)) d = -F(x)

is its Newton equation, which has the blocks of N and is solved by a sparse factorisation. Where N is singular, forces
are not unique; the proximal term sigma holds them near the centre, which follows, and sigma falls with the error. Steps
are shortened until |F| falls.

Newton's method is good near a solution only; it starts from what another method found, and gives back something better or
the same. Sources: Qi and Sun (1993) for semismooth equations; Acary, Bremond and Huber (2018), section 4, for their use on
friction; the proximal outer iteration as there in section 5.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg.lapack
import scipy.sparse
import scipy.sparse.linalg

from pluecker.contact.first_order.runner import evaluate
from pluecker.contact.problem.natural_map import distance_block
from pluecker.contact.problem.prepared import Prepared
from pluecker.contact.problem.sets import COMPONENTS, DISCS, derivative_block, length, project, shift_block
from pluecker.contact.sparse.blocks import fill, multiply, to_scipy
from pluecker.spatial.compiled.decorators import allocation_free
from pluecker.spatial.functions.elementwise import Array

__all__ = ["System", "evaluate_all", "newton", "velocity"]

DENSE = 90  # multipliers up to which a dense factorisation is faster
PIVOT = 0.01  # of the largest entry of a column, from which its diagonal is the pivot: with 1 there is twice the fill
INNER = 25  # Newton steps for one centre
SHORTEST = 1e-4  # step that is tried
PROXIMAL = 0.1  # of the error, the first sigma
LEAST = 1e-10  # sigma
FALL = 0.2  # of sigma from centre to centre
PATIENCE = 6  # centres without progress


def residual(P, exact, x, u, centre, sigma, z, F):
    """F(x) with u = N x + b, and z = x - w before the projection; |F|

    The natural map of one block gives its size alone; Newton's method needs F and z, and has the proximal term in them.
    """
    K, s = P.K, 0.0
    for i in range(len(K.start) - 1):
        top, bottom = K.start[i], K.start[i + 1]
        for k in range(top, bottom):
            z[k] = x[k] - u[k] - sigma * (x[k] - centre[k])
        if exact == 1:
            z[top] -= shift_block(K, i, u)
        s += distance_block(K, i, x, z, F)
        for k in range(top, bottom):
            F[k] = x[k] - F[k]
    return np.sqrt(s)


def jacobian(P, exact, u, z, sigma, V, w, M, out):
    """1 - V + V ((1 + G) N + sigma) in the places of the blocks of N

    V, w and M have ``COMPONENTS`` entries in each direction, to work in.
    """
    K, N = P.K, P.A.N
    for i in range(len(K.start) - 1):
        top = K.start[i]
        n = K.start[i + 1] - top
        derivative_block(K, i, z, V, w)
        for a in range(n):
            for b in range(n):
                M[a, b] = V[a, b]
        if exact == 1:
            row = 1
            for d in range(DISCS):
                size = K.sizes[i, d]
                if size > 0:
                    speed = length(u, top + row, size)
                    if speed > 0.0:
                        for b in range(row, row + size):
                            for a in range(n):
                                M[a, b] += V[a, 0] * K.friction[i, d] * u[top + b] / speed
                    row += size
        for k in range(N.first[i], N.first[i + 1]):
            j, p = N.column[k], N.place[k]
            width = N.columns[j + 1] - N.columns[j]
            for a in range(n):
                for c in range(width):
                    y = 0.0
                    for b in range(n):
                        y += M[a, b] * N.data[p + b * width + c]
                    out[p + a * width + c] = y
            if j == i:
                for a in range(n):
                    for c in range(n):
                        one = 1.0 if a == c else 0.0
                        soft = P.A.compliance[top + c]
                        out[p + a * n + c] += one - V[a, c] + sigma * V[a, c] + M[a, c] * soft


residual, jacobian = allocation_free(residual), allocation_free(jacobian)


class System:
    """The Newton equation of one island: its pattern is found once."""

    def __init__(self, P: Prepared) -> None:
        N = P.A.N
        self.N, self.size = N, len(P.b)
        self.values = np.zeros(len(N.data))
        if self.size <= DENSE:
            self.dense = np.zeros((self.size, self.size))
            return
        numbered = to_scipy(N._replace(data=np.arange(1.0, len(N.data) + 1.0)))
        numbered.sort_indices()
        self.slot = numbered.data.astype(np.int64) - 1
        self.pattern = numbered

    def factorised(self) -> Callable[[Array], Array] | None:
        """What solves with the values as they are, or nothing where the matrix is singular or numbers overflow."""
        if not np.isfinite(self.values).all():
            return None
        try:
            if self.size <= DENSE:
                fill(self.N, self.values, self.dense)
                both = scipy.linalg.lapack.dgetrf(self.dense)
                return None if both[2] else lambda right: scipy.linalg.lapack.dgetrs(*both[:2], right)[0]
            matrix, values = self.pattern, self.values[self.slot]
            columns = scipy.sparse.csc_matrix((values, matrix.indices, matrix.indptr), shape=matrix.shape)
            factors = scipy.sparse.linalg.splu(
                columns, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=PIVOT, options={"SymmetricMode": True}
            )
        except RuntimeError:
            return None
        return lambda right: np.asarray(factors.solve(right, trans="T"))

    def solve(self, right: Array) -> Array | None:
        """The solution, or nothing where the matrix is singular or numbers overflow."""
        solved = self.factorised()
        d = None if solved is None else solved(right)
        return d if d is not None and np.isfinite(d).all() else None


def velocity(P: Prepared, x: Array) -> Array:
    """N x + b of an assembled operator, scaled, ``(m,)``."""
    u = np.empty(len(x))
    multiply(P.A.N, x, u, 0, len(P.K.start) - 1)
    return u + P.A.compliance * x + P.b


def newton(P: Prepared, law: int, x: Array, u: Array, tol: float, limit: int, history: Array, done: int) -> int:
    """Improve one island; x and u become the best pair that was met. Returns the number of Newton steps."""
    K = P.K
    work, z, F, zero = np.empty(len(x)), np.empty(len(x)), np.empty(len(x)), np.zeros(len(x))
    V, small, M = np.zeros((COMPONENTS, COMPONENTS)), np.zeros(COMPONENTS), np.zeros((COMPONENTS, COMPONENTS))
    system = System(P)

    def error_of(x: Array, u: Array) -> float:
        return float(evaluate_all(P, zero, x, u, law, work))

    point, speed = x.copy(), velocity(P, x)
    best = error_of(point, speed)
    x[:], u[:] = point, speed
    size = max(float(np.linalg.norm(vector)) for vector in (P.b, point, speed))
    sigma, centre, steps, idle = max(PROXIMAL * min(best, 0.1), LEAST), point.copy(), 0, 0
    while steps < limit and best > tol and idle < PATIENCE:
        before, start = best, 0.0
        for inner in range(INNER):
            f = residual(P, law, point, speed, centre, sigma, z, F)
            if inner == 0:
                start = f
            if not np.isfinite(f) or f <= max(0.1 * start * min(1.0, sigma), 1e-16 * size) or steps >= limit:
                break
            jacobian(P, law, speed, z, sigma, V, small, M, system.values)
            d = system.solve(-F)
            if d is None:
                break
            steps += 1
            a, Nd = 1.0, velocity(P, d) - P.b
            while True:
                new, fast = point + a * d, speed + a * Nd
                g = residual(P, law, new, fast, centre, sigma, z, F)
                if g <= (1.0 - 1e-4 * a) * f or a < SHORTEST:
                    break
                a *= 0.5
            point, speed = new, velocity(P, new) if steps % 5 == 0 else fast
            error = error_of(point, speed)
            if error < best:
                best = error
                x[:], u[:] = point, speed
            if len(history):
                history[done + steps] = max(history[done + steps], best)
            if best <= tol:
                break
        project(K, point, point)
        if not np.isfinite(point).all():
            point = x.copy()
        speed = velocity(P, point)
        error = error_of(point, speed)
        if error < best:
            best = error
            x[:], u[:] = point, speed
        idle = 0 if best < 0.5 * before else idle + 1
        centre, sigma = point.copy(), max(FALL * sigma, LEAST)
    u[:] = velocity(P, x)
    return steps


def evaluate_all(P, g, x, u, exact, work):
    """The error of all blocks"""
    return evaluate(P, g, x, u, exact, 0, len(P.K.start) - 1, work)


evaluate_all = allocation_free(evaluate_all)
