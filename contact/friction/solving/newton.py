"""Newton's method on the natural map: the last digits, for the convex and for the exact law.

    F(x) = x - P(x - w),    w = N x + b + e_n sum_k mu_k |u_k| + sigma (x - centre)

is zero at solutions. It is semismooth: with V an element of the generalised Jacobian of the projection and G the
derivative of De Saxce's correction (zero in the convex law),

    (1 - V + V ((1 + G) N + sigma)) d = -F(x)

is its Newton equation, which has the blocks of N and is solved by a sparse factorisation
(:mod:`~pluecker.contact.friction.sparse.lu`). Where N is singular, forces are not unique; the proximal term sigma holds them
near the centre, which follows, and sigma falls with the error. Steps are shortened until |F| falls.

Newton's method is good near a solution only; it starts from what another method found, and gives back something better or
the same. Sources: Qi and Sun (1993) for semismooth equations; Acary, Bremond and Huber (2018), section 4, for their use on
friction; the proximal outer iteration as there in section 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.first_order.runner import evaluate
from pluecker.contact.friction.problem.natural_map import distance_block
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.problem.sets import (
    COMPONENTS,
    DISCS,
    derivative_block,
    derivative_in_cone,
    length,
    project,
    shift_block,
)
from pluecker.contact.friction.sparse.blocks import BlockMatrix, multiply
from pluecker.contact.friction.sparse.lu import Factors, factor_lu, make_factors, solve_lu
from pluecker.contact.friction.sparse.symbolic import Symbolic
from pluecker.spatial.dense.laws import copy_vector
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel, entry_point, positive
from pluecker.spatial.engine.parallel.interruption import LONG_OPERATIONS, answering
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.functions.elementwise import Array

__all__ = ["System", "derivative_row", "evaluate_all", "make_system", "newton", "velocity", "velocity_into"]

INNER = 25  # Newton steps for one centre
SHORTEST = 1e-4  # step that is tried
PROXIMAL = 0.1  # of the error, the first sigma
LEAST = 1e-10  # sigma
FALL = 0.2  # of sigma from centre to centre
PATIENCE = 6  # centres without progress
MISSED = 0.1  # of the right-hand side: what misses more of it solves nothing
GAIN = 0.9  # of the error: what leaves more after ``hope`` steps is given up
AFRESH = 5  # steps after which velocities are computed anew

# Rows of the vectors that Newton's method works in.
POINT, SPEED, NEW, FAST, STEP, CHANGE, Z, MAP, CENTRE, WORK, ZERO, VECTORS = range(12)


class System(NamedTuple):
    """The Newton equation of one island, and memory to solve it in: what depends on the pattern alone.

    Attributes:
        values: the numbers of the matrix, in the places of the blocks of N.
        factors: of it.
        vectors: ``(VECTORS, m)``.
        blocks: to work in, ``(3, COMPONENTS, COMPONENTS)``.
        row: the same, ``(COMPONENTS,)``.
    """

    values: Array
    factors: Factors
    vectors: Array
    blocks: Array
    row: Array


def make_system(N: BlockMatrix, pattern: Symbolic | None = None) -> System:
    """Allocate the system of an island with the matrix N; the pattern of its factors is found unless it is known."""
    vectors, blocks = np.zeros((VECTORS, int(N.rows[-1]))), np.zeros((3, COMPONENTS, COMPONENTS))
    return System(np.zeros(len(N.data)), make_factors(N, pattern), vectors, blocks, np.zeros(COMPONENTS))


@allocation_free_kernel
def residual(P, exact, x, u, centre, sigma, z, F):
    """Compute F(x) with u = N x + b, and z = x - w before the projection; return |F|

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


@allocation_free_kernel
def derivative_row_of_threes(P, i, A, B, soft, out):
    """Compute :func:`derivative_row`, where all blocks are 3 by 3"""
    N, top = P.A.N, positive(P.K.start[i])
    b0, b1, b2 = B[0, 0], B[0, 1], B[0, 2]
    b3, b4, b5 = B[1, 0], B[1, 1], B[1, 2]
    b6, b7, b8 = B[2, 0], B[2, 1], B[2, 2]
    for k in range(positive(N.first[i]), positive(N.first[i + 1])):
        p = positive(N.place[k])
        for c in range(3):
            x, y, z = N.data[p + c], N.data[p + 3 + c], N.data[p + 6 + c]
            out[p + c] = b0 * x + b1 * y + b2 * z
            out[p + 3 + c] = b3 * x + b4 * y + b5 * z
            out[p + 6 + c] = b6 * x + b7 * y + b8 * z
        if N.column[k] == i:
            for a in range(3):
                for c in range(3):
                    out[p + 3 * a + c] += A[a, c] + B[a, c] * (soft + P.A.compliance[top + c])


@called_kernel
def derivative_row_of_any(P, i, A, B, soft, out):
    """Compute :func:`derivative_row`, for blocks of any sizes"""
    N, top = P.A.N, P.K.start[i]
    n = P.K.start[i + 1] - top
    for k in range(N.first[i], N.first[i + 1]):
        j, p = N.column[k], N.place[k]
        width = N.columns[j + 1] - N.columns[j]
        for a in range(n):
            for c in range(width):
                y = 0.0
                for b in range(n):
                    y += B[a, b] * N.data[p + b * width + c]
                if j == i:
                    y += A[a, c] + B[a, c] * (soft + P.A.compliance[top + c])
                out[p + a * width + c] = y


@allocation_free_kernel
def derivative_row(P, i, A, B, soft, out):
    """Compute A + B (N + compliance + soft) of block row i, in the places of its blocks; A stands on the diagonal"""
    if P.A.N.width[i] == 3:
        derivative_row_of_threes(P, i, A, B, soft, out)
    else:
        derivative_row_of_any(P, i, A, B, soft, out)


@allocation_free_kernel
def derivative_of_three(P, i, exact, u, z, sigma, A, B):
    """Compute A = 1 - V + sigma V and B = V (1 + G) of a contact with friction alone"""
    mu, top = P.K.friction[i, 0], positive(P.K.start[i])
    v00, v01, v02, v11, v12, v22 = derivative_in_cone(mu, z[top], z[top + 1], z[top + 2])
    g1, g2 = 0.0, 0.0
    if exact == 1:
        speed = length(u, top + 1, 2)
        if speed > 0.0:
            g1, g2 = mu * u[top + 1] / speed, mu * u[top + 2] / speed
    a01, a02, a12 = sigma * v01 - v01, sigma * v02 - v02, sigma * v12 - v12
    A[0, 0], A[0, 1], A[0, 2] = (1.0 - v00) + sigma * v00, a01, a02
    A[1, 0], A[1, 1], A[1, 2] = a01, (1.0 - v11) + sigma * v11, a12
    A[2, 0], A[2, 1], A[2, 2] = a02, a12, (1.0 - v22) + sigma * v22
    B[0, 0], B[0, 1], B[0, 2] = v00, v01 + v00 * g1, v02 + v00 * g2
    B[1, 0], B[1, 1], B[1, 2] = v01, v11 + v01 * g1, v12 + v01 * g2
    B[2, 0], B[2, 1], B[2, 2] = v02, v12 + v02 * g1, v22 + v02 * g2


@called_kernel
def derivative_of_any(P, i, exact, u, z, sigma, system):
    """Compute A and B, see :func:`derivative_of_three`, of a block of any other kind, in ``system.blocks``"""
    K, top, w, V, A, B = P.K, P.K.start[i], system.row, system.blocks[0], system.blocks[1], system.blocks[2]
    n = K.start[i + 1] - top
    derivative_block(K, i, z, V, w)
    for a in range(n):
        for b in range(n):
            A[a, b] = (1.0 if a == b else 0.0) - V[a, b] + sigma * V[a, b]
            B[a, b] = V[a, b]
    if exact == 1:
        row = 1
        for d in range(DISCS):
            size = K.sizes[i, d]
            if size > 0:
                speed = length(u, top + row, size)
                if speed > 0.0:
                    for b in range(row, row + size):
                        for a in range(n):
                            B[a, b] += V[a, 0] * K.friction[i, d] * u[top + b] / speed
                row += size


@allocation_free_kernel
def jacobian(P, exact, u, z, sigma, system):
    """Compute 1 - V + V ((1 + G) N + sigma) in the places of the blocks of N"""
    A, B = system.blocks[1], system.blocks[2]
    for i in range(len(P.K.start) - 1):
        if P.K.start[i + 1] - P.K.start[i] == 3:
            derivative_of_three(P, i, exact, u, z, sigma, A, B)
        else:
            derivative_of_any(P, i, exact, u, z, sigma, system)
        derivative_row(P, i, A, B, 0.0, system.values)


@called_kernel
def velocity_into(P, x, u):
    """u = N x + b of an assembled operator, scaled"""
    multiply(P.A.N, x, u, 0, len(P.K.start) - 1)
    for k in range(len(x)):
        u[k] += P.A.compliance[k] * x[k] + P.b[k]


@called_kernel
def evaluate_all(P, g, x, u, exact, work):
    """Return the error of all blocks"""
    return evaluate(P, g, x, u, exact, 0, len(P.K.start) - 1, work)


@allocation_free_kernel
def find_step(P, law, system, sigma):
    """Compute the solution d of the Newton equation, and N d; return whether there is one"""
    d, Nd, F = system.vectors[STEP], system.vectors[CHANGE], system.vectors[MAP]
    jacobian(P, law, system.vectors[SPEED], system.vectors[Z], sigma, system)
    for k in range(len(F)):
        F[k] = -F[k]
    if factor_lu(system.factors, P.A.N, system.values) == 0.0:
        return False
    if not solve_lu(system.factors, P.A.N, system.values, F, d) < MISSED:
        return False
    velocity_into(P, d, Nd)
    for k in range(len(Nd)):
        Nd[k] -= P.b[k]
    return True


@allocation_free_kernel
def search(P, law, system, sigma, f):
    """Move to the next point on the step d, which is shortened until |F| falls; with its velocities"""
    vectors = system.vectors
    point, speed, new, fast = vectors[POINT], vectors[SPEED], vectors[NEW], vectors[FAST]
    d, Nd, share = vectors[STEP], vectors[CHANGE], 1.0
    while True:
        for k in range(len(d)):
            new[k], fast[k] = point[k] + share * d[k], speed[k] + share * Nd[k]
        g = residual(P, law, new, fast, vectors[CENTRE], sigma, vectors[Z], vectors[MAP])
        if g <= (1.0 - 1e-4 * share) * f or share < SHORTEST:
            break
        share *= 0.5
    copy_vector(len(new), new, point)
    copy_vector(len(fast), fast, speed)


def iterate(P, law, system, x, u, tol, limit, hope, history):
    """Improve one island, whose velocities at x are u; return how many steps that took"""
    K, vectors = P.K, system.vectors
    point, speed, centre, work, zero = vectors[POINT], vectors[SPEED], vectors[CENTRE], vectors[WORK], vectors[ZERO]
    copy_vector(len(x), x, point)
    copy_vector(len(x), x, centre)
    copy_vector(len(u), u, speed)
    best = evaluate_all(P, zero, point, speed, law, work)
    enough, n = GAIN * best, len(x)
    size = max(length(P.b, 0, n), length(point, 0, n), length(speed, 0, n))
    sigma, steps, idle, hopeless = max(PROXIMAL * min(best, 0.1), LEAST), 0, 0, False
    while steps < limit and best > tol and idle < PATIENCE and not interrupted():
        before, start = best, 0.0
        for inner in range(INNER):
            f = residual(P, law, point, speed, centre, sigma, vectors[Z], vectors[MAP])
            if inner == 0:
                start = f
            if not f < np.inf or f <= max(0.1 * start * min(1.0, sigma), 1e-16 * size) or steps >= limit:
                break
            if not find_step(P, law, system, sigma):
                break
            steps += 1
            search(P, law, system, sigma, f)
            if steps % AFRESH == 0:
                velocity_into(P, point, speed)
            error = evaluate_all(P, zero, point, speed, law, work)
            if error < best:
                best = error
                copy_vector(len(point), point, x)
                copy_vector(len(speed), speed, u)
            if len(history) > 0:
                history[steps] = max(history[steps], best)
            hopeless = steps == hope and best > enough
            if best <= tol or hopeless:
                break
        if hopeless:
            break
        project(K, point, point)
        if not length(point, 0, n) < np.inf:
            copy_vector(len(x), x, point)
        velocity_into(P, point, speed)
        error = evaluate_all(P, zero, point, speed, law, work)
        if error < best:
            best = error
            copy_vector(len(point), point, x)
            copy_vector(len(speed), speed, u)
        idle = 0 if best < 0.5 * before else idle + 1
        copy_vector(len(point), point, centre)
        sigma = max(FALL * sigma, LEAST)
    velocity_into(P, x, u)
    return steps


iterate = entry_point(iterate)


def velocity(P: Prepared, x: Array) -> Array:
    """N x + b of an assembled operator, scaled, ``(m,)``."""
    u = np.empty(len(x))
    velocity_into(P, x, u)
    return u


def newton(
    P: Prepared, law: int, x: Array, u: Array, tol: float, limit: int, history: Array, system: System, hope: int = 0
) -> int:  # fmt: skip
    """Improve one island; x and u become the best pair that was met.

    Args:
        P: with its matrix.
        law: 1 for Coulomb's law.
        x, u: scaled multipliers, and their velocities N x + b, ``(m,)``.
        tol: the error to be reached.
        limit: Newton steps.
        history: takes the best error after each step, from 1 on, or is empty.
        system: memory that was made for the pattern of P.
        hope: steps after which it goes on only if the error is :data:`GAIN` of the first one by then; 0 for no such look.

    Returns:
        The number of Newton steps.
    """
    long = 2.0 * float(system.factors.S.numbers[1]) * limit > LONG_OPERATIONS
    return int(answering(iterate, P, law, system, x, u, tol, limit, hope, history, long=long))
