"""From a problem with bounds to a standard one for Lemke's method, and back.

==============================  =================================================================================
bounds of z_i                   what becomes of it
==============================  =================================================================================
both, and equal                 z_i is known; its column goes to b, its row is dropped
none                            eliminated: ``z_F = -A_FF^-1 (A_FC z_C + b_F)``, which leaves the Schur complement
lower                           ``z_i = lower_i + y_i``
upper                           ``z_i = upper_i - y_i``, and the sign of the row is changed
both                            ``z_i = lower_i + y_i``, with the multiplier t_i of the upper bound:
                                ``0 <= y_i _|_ v_i = w_i + t_i >= 0``,  ``0 <= t_i _|_ upper_i - lower_i - y_i >= 0``
==============================  =================================================================================

The matrix of the standard problem is positive semidefinite if A is.

Source: R. W. Cottle, J.-S. Pang, R. E. Stone, "The linear complementarity problem" (1992), sections 1.2 and 1.5; source
document 000 (docs/sources.md) for the rows with two bounds (joint limits and motors).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.arguments import check_memory
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.lcp.complementarity import LinearComplementarityProblem, euclid, minimum_map
from pluecker.contact.friction.lcp.lemke import complementary_pivoting
from pluecker.contact.friction.lcp.linear_solve import factorize, reciprocal_condition
from pluecker.contact.friction.lcp.minmap_newton import block, solve_inside
from pluecker.contact.friction.lcp.search import Search
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["StandardForm", "islands", "lemke", "standard_form"]

COPIES = 4  # of a dense matrix: the form, the tableau and what it is made of
SINGULAR = 1e-14  # reciprocal condition number of the equations, times their number


@dataclass(frozen=True)
class StandardForm:
    """Standard problem, and where its variables come from.

    Attributes:
        A: ``(k, k)``, dense.
        b: ``(k,)``.
        kept: the unknowns that are y, by index; one each, then a t for each that has two bounds.
        sign: 1 or -1 for each of them: ``z = base + sign y``.
        base: ``(n,)``: the bound that z_i starts from.
        boxed: positions in ``kept`` that have a t.
        free: the unknowns that were eliminated, by index.
    """

    A: Array
    b: Array
    kept: Indices
    sign: Array
    base: Array
    boxed: Indices
    free: Indices

    def point(self, problem: LinearComplementarityProblem, y: Array) -> Array:
        """Compute z of the problem from the variables of the standard one; the eliminated ones from their equations."""
        z = self.base.copy()
        z[self.kept] += self.sign * y[: len(self.kept)]
        inside = np.zeros(problem.size, dtype=np.bool_)
        inside[self.free] = True
        solved = solve_inside(problem, z, inside)
        return z if solved is None else solved

    def vertex(self, problem: LinearComplementarityProblem, basic: NDArray[np.bool_]) -> Array | None:
        """Compute z of the problem from a basis alone, to rounding: which unknowns are inside, which at which bound."""
        k = len(self.kept)
        inside, bound = np.zeros(problem.size, dtype=np.bool_), self.base.copy()
        inside[self.free] = True
        inside[self.kept] = basic[:k]
        far = self.kept[self.boxed[basic[k:]]]
        inside[far], bound[far] = False, problem.upper[far]
        return solve_inside(problem, bound, inside)


def islands(problem: LinearComplementarityProblem) -> Iterator[tuple[Indices, LinearComplementarityProblem]]:
    """Split a problem into parts that no entry of A connects: the unknowns of each, and the problem that they are."""
    if not problem.is_sparse and problem.size and is_connected(problem.A):
        yield np.arange(problem.size), problem
        return
    from scipy.sparse.csgraph import connected_components  # here: it takes long to import

    number, part = connected_components(scipy.sparse.csr_matrix(problem.A != 0.0), directed=False)
    if number == 1:
        yield np.arange(problem.size), problem
        return
    order = np.argsort(part, kind="stable")
    for I in np.split(order, np.cumsum(np.bincount(part, minlength=number))[:-1]):
        A, bounds = block(problem.A, I, I), (problem.lower[I], problem.upper[I])
        yield I, LinearComplementarityProblem(A, problem.b[I], *bounds)


def is_connected(A: Array) -> bool:
    """Return whether A connects all unknowns, found by a few products; SciPy takes 20 times as long to begin."""
    joined = (A != 0.0) | (A.T != 0.0)
    part = joined[0]
    while not part.all():
        more = part | joined[part].any(axis=0)
        if (more == part).all():
            return False
        part = more
    return True


def standard_form(problem: LinearComplementarityProblem, rows: Indices | None = None) -> StandardForm:
    """Make the standard problem of a problem with bounds; ``rows`` are its row numbers in messages.

    Raises:
        ProblemError: the equations of the unbounded unknowns do not determine these; the message names them.
    """
    A = problem.A.toarray() if scipy.sparse.issparse(problem.A) else problem.A
    below, above = np.isfinite(problem.lower), np.isfinite(problem.upper)
    base = np.where(below, problem.lower, np.where(above, problem.upper, 0.0))
    F = np.flatnonzero(~below & ~above)
    C = np.flatnonzero((below | above) & (problem.lower < problem.upper))
    w = A @ base + problem.b
    S, b = A[np.ix_(C, C)], w[C]
    if len(F):
        A_FF = A[np.ix_(F, F)]
        solve = factorize(A_FF)
        if solve is None or reciprocal_condition(A_FF) < SINGULAR * len(F):
            first = F[0] if rows is None else rows[F[0]]
            raise ProblemError(
                f"the {len(F)} rows without bounds, the first of which is row {first}, do not determine their unknowns: the "
                "matrix of these rows and columns is singular. Lemke's method eliminates them; take minmap_newton, or "
                "remove the equations that depend on others"
            )
        S = S - A[np.ix_(C, F)] @ solve(A[np.ix_(F, C)])
        b = b - A[np.ix_(C, F)] @ solve(w[F])
    sign = np.where(below[C], 1.0, -1.0)
    S, b = sign[:, None] * S * sign, sign * b
    boxed = np.flatnonzero(below[C] & above[C])
    if len(boxed):
        E = np.eye(len(C))[:, boxed]
        S = np.block([[S, E], [-E.T, np.zeros((len(boxed), len(boxed)))]])
        b = np.concatenate([b, problem.upper[C[boxed]] - problem.lower[C[boxed]]])
    return StandardForm(np.ascontiguousarray(S), b, C, sign, base, boxed, F)


def closest(problem: LinearComplementarityProblem, points: list[Array]) -> Array:
    """Return the point that is closest to a solution, by the length of its minimum map, projected on the bounds."""
    points = [problem.project(point) for point in points]
    sizes = [euclid(minimum_map(problem, z, problem.slack(z))) for z in points]
    return points[int(np.argmin(np.nan_to_num(sizes, nan=np.inf)))]


def solve_part(search: Search, I: Indices, part: LinearComplementarityProblem, covering: Array) -> tuple[Array, str]:
    """Compute z of a part, and how its path ended."""
    check_memory(f"Lemke's method with {len(I)} unknowns that hang together", COPIES * len(I) ** 2)
    form = standard_form(part, I)
    # Rows of upper bounds have no entry of their own. In the units of the others, whatever these are, they have the largest.
    own = covering[I[form.kept]]
    d = np.concatenate([own, np.full(len(form.boxed), own.max(initial=0.0))])
    unit = max(float(d.max(initial=0.0)), 1e-300)
    done = complementary_pivoting(form.A, form.b, d / unit, search.limit - search.iterations)
    search.iterations += done.pivots
    search.history.extend(done.history.tolist())
    vertex = form.vertex(part, done.basic) if done.status == "solved" else None
    z = closest(part, [*([] if vertex is None else [vertex]), form.point(part, done.z)])
    return z, "infeasible" if done.certificate is not None else done.status


def lemke(search: Search, covering: Array) -> tuple[str, str]:
    """Solve a linear complementarity problem with bounds by Lemke's method (:mod:`pluecker.contact.friction.lcp.lemke`).

    Parts of the problem that no entry of A connects are solved one after the other.

    Args:
        search: the problem and the goal; the best point is left there, and z0 after each pivot as the history. The path does
            not depend on the start. Dense: n^2 numbers, n^2 products a pivot, n being the unknowns of a part.
        covering: ``(n,)``, positive; the entries of unbounded unknowns do not matter.

    Returns:
        The status (see there) and a message.

    Raises:
        ProblemError: the rows without bounds do not determine their unknowns, or the matrix is too large to be dense.
    """
    if search.converged:
        return "converged", "solved"
    problem = search.scaling.problem
    z, ends = np.zeros(problem.size), set()
    with np.errstate(all="ignore"):
        for I, part in islands(problem):
            z[I], ended = solve_part(search, I, part, covering / search.scaling.row)
            ends.add(ended)
        search.visit_scaled(z)
    if search.converged:
        return "converged", "solved"
    if "infeasible" in ends:
        return "infeasible", "no z within the bounds has the w that they ask for (Farkas)"
    if "limit" in ends:
        return "iteration limit", f"{search.what} after {search.iterations} pivots"
    if "ray" in ends:
        why = "which proves nothing unless A is copositive-plus, when there is no solution"
        return "ray", f"ended on a secondary ray after {search.iterations} pivots, {why}"
    return "stalled", f"the last basis is too ill-conditioned: {search.what}"
