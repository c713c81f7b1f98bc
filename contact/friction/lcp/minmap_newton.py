"""Newton's method on the minimum map, ``H(z) = z - P(z - w)`` with ``w = A z + b``; min(z, w) of the standard problem.

H is linear in pieces. A row is *active* at a bound where z_i - w_i is beyond it, and *inside* otherwise:

    H_i = z_i - bound_i   (active),        H_i = w_i   (inside).

Newton's step puts the active unknowns on their bounds and solves the rows inside for the unknowns inside, so that the linear
system has their number only:

    d_active = -H_active,        A_II d_I = -(H_I + A_IA d_A).

It is what active-set and block pivoting methods do, with a line search that keeps them from cycling. A block A_II that is
singular, or whose direction leads nowhere, is shifted by a diagonal. Last comes the gradient of the merit
``Psi = 1/2 |H|^2`` in the piece. The first direction along which the merit falls enough, for a step that is not tiny, is
taken:

    Psi(z + t d) <= Psi(z) + SLOPE t gradient . d,        t = 1, 1/2, 1/4, ...

Where all fail, the best of the short steps is taken; where there is none, the search ends.

Sources: K. Erleben, "Numerical methods for linear complementarity problems in physics-based animation" (2013), section 4.4;
J.-S. Pang, "Newton's method for B-differentiable equations" (1990); for the search T. De Luca, F. Facchinei, C. Kanzow, "A
semismooth equation approach to the solution of nonlinear complementarity problems" (1996).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.friction.lcp.complementarity import LinearComplementarityProblem, minimum_map
from pluecker.contact.friction.lcp.linear_solve import factorize
from pluecker.contact.friction.lcp.search import Search
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["MinimumMap", "block", "minmap_newton", "solve_inside"]

SLOPE = 1e-4  # of the fall that the slope promises: what is enough (Armijo's rule, usual)
SHORTEST = 2.0**-40  # step that is tried
SHORTEST_STEP = 2.0**-8  # a step below belongs to a bad direction: another is tried
CAUTIOUS = (1e-8, 1e-4, 1e-2, 1.0)  # how far the diagonal of a Newton matrix is shifted, in scaled units


def block(A: Any, rows: Indices, columns: Indices) -> Any:
    """Return the rows and columns of a matrix, dense or sparse, that two index arrays name"""
    if scipy.sparse.issparse(A):
        return scipy.sparse.csr_matrix(A[rows][:, columns])
    return A[np.ix_(rows, columns)]


def solve_inside(problem: LinearComplementarityProblem, bound: Array, inside: NDArray[np.bool_]) -> Array | None:
    """Solve for z with ``w_i = 0`` in the rows that are inside, and on the given bounds elsewhere.

    Args:
        problem: the problem.
        bound: ``(n,)``, values of the unknowns that are not inside.
        inside: ``(n,)``, bool.

    Returns:
        ``(n,)``, accurate to rounding by one step of refinement, or None where A_II is singular.
    """
    I = np.flatnonzero(inside)
    z = np.where(inside, 0.0, bound)
    solve = factorize(block(problem.A, I, I))
    if solve is None:
        return None
    z[I] = solve(-problem.slack(z)[I])
    return z if np.isfinite(z).all() else None


class MinimumMap:
    """H and its pieces for one problem."""

    def __init__(self, problem: LinearComplementarityProblem) -> None:
        self.problem = problem

    def value(self, z: Array) -> Array:
        """H(z)"""
        return minimum_map(self.problem, z, self.problem.slack(z))

    def directions(self, z: Array, value: Array) -> Iterator[tuple[Array, float]]:
        """Yield d and ``gradient . d``: Newton's direction, those of shifted matrices, steepest descent."""
        problem = self.problem
        free = z - problem.slack(z)
        inside = (free > problem.lower) & (free < problem.upper)
        I = np.flatnonzero(inside)
        A_II = block(problem.A, I, I)
        active = np.where(inside, 0.0, value)
        gradient = active + np.asarray(problem.A.T @ np.where(inside, value, 0.0))
        right = (np.asarray(problem.A @ active) - value)[I]
        for shift in (0.0, *CAUTIOUS):
            matrix = A_II
            if shift > 0.0:
                one = scipy.sparse.identity(len(I)) if problem.is_sparse else np.eye(len(I))
                matrix = A_II + shift * one
            solve = factorize(matrix)
            if solve is not None:
                d = -active
                d[I] = solve(right)
                yield d, float(gradient @ d)
        image = np.where(inside, np.asarray(problem.A @ gradient), gradient)
        square, curvature = float(gradient @ gradient), float(image @ image)
        length = square / curvature if curvature > 0.0 else 1.0  # as long as the linear model says
        yield -length * gradient, -length * square


def merit_of(value: Array) -> float:
    """1/2 |H|^2, infinite where it is not a number"""
    merit = 0.5 * float(value @ value)
    return merit if merit == merit else math.inf


def line_search(H: MinimumMap, z: Array, value: Array, merit: float) -> tuple[Array, Array, float] | None:
    """Find the next point, its H and its merit: the first that is far enough, else the best near one, None without one."""
    best: tuple[Array, Array, float] | None = None
    for d, slope in H.directions(z, value):
        if not (np.isfinite(d).all() and slope < 0.0):
            continue
        t = 1.0
        while t >= SHORTEST:
            point = z + t * d
            there = H.value(point)
            height = merit_of(there)
            if height <= merit + SLOPE * t * slope and height < math.inf and (t >= SHORTEST_STEP or height < merit):
                if t >= SHORTEST_STEP:
                    return point, there, height
                if best is None or height < best[2]:
                    best = point, there, height
                break
            t *= 0.5
    return best


def minmap_newton(search: Search) -> tuple[str, str]:
    """Solve a linear complementarity problem with bounds by Newton's method on the minimum map.

    It runs from ``search.start`` in scaled units until the natural map is small enough, the limit, or no direction leads on.

    Args:
        search: the problem, the start, the goal; the best point is left there. Each iteration solves one or a few linear
            systems with as many unknowns as are between their bounds; a sparse A keeps them sparse.

    Returns:
        The status (``converged``, ``iteration limit`` or ``stalled``) and a message.

    Source: see the head of the file.
    """
    with np.errstate(all="ignore"):
        H = MinimumMap(search.scaling.problem)
        z = search.start / search.scaling.column
        value = H.value(z)
        merit = merit_of(value)
        while not search.converged:
            if search.iterations == search.limit:
                return "iteration limit", f"{search.what} after {search.limit} Newton steps"
            step = line_search(H, z, value, merit)
            if step is None:
                return "stalled", (
                    f"no direction lowers the merit function; {search.what}: a local minimum, or the problem has no "
                    "solution, or rounding"
                )
            z, value, merit = step
            search.iterations += 1
            search.history.append(search.visit_scaled(z))
    return "converged", "solved"
