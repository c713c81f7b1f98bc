"""Projected successive over-relaxation: Gauss-Seidel sweeps with a projection on the bounds.

    z_i <- P( z_i - relaxation (A_i z + b_i) / A_ii ),        i = 1, ..., n,

with the new values at once. For a symmetric positive semidefinite A with a positive diagonal and ``0 < relaxation < 2`` each
change lowers ``1/2 z.A z + b.z``. The sweeps converge if the quadratic is bounded below, at a linear rate that is slow where
A is ill-conditioned. For other matrices they may diverge; the best point is kept.

Sources: C. W. Cryer, "The solution of a quadratic programming problem using systematic overrelaxation" (1971); O. L.
Mangasarian, "Solution of symmetric linear complementarity problems by iterative methods" (1977).
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse

from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.lcp.complementarity import LinearComplementarityProblem
from pluecker.contact.friction.lcp.search import Search
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, entry_point
from pluecker.spatial.functions.elementwise import Array

__all__ = ["projected_sor", "sweep"]


@allocation_free_kernel
def clamp(x, lower, upper):
    """P(x)"""
    return min(max(x, lower), upper)


def sweep(first, column, data, diagonal, b, lower, upper, relaxation, z):
    """Sweep once over the rows of A in compressed rows; rows whose bounds are equal are left"""
    for i in range(len(b)):
        if lower[i] < upper[i]:
            w = b[i]
            for k in range(first[i], first[i + 1]):
                w += data[k] * z[column[k]]
            z[i] = clamp(z[i] - relaxation * w / diagonal[i], lower[i], upper[i])


sweep = entry_point(sweep)


def check_diagonal(problem: LinearComplementarityProblem, diagonal: Array) -> None:
    """Refuse a row that no sweep can solve for its unknown."""
    wrong = np.flatnonzero((problem.lower < problem.upper) & ~(diagonal > 0.0))
    if len(wrong):
        i = int(wrong[0])
        raise ProblemError(
            f"row {i}: A[{i}, {i}] is {diagonal[i]:.6g}; projected SOR divides by the diagonal, which must be positive"
        )


def projected_sor(search: Search, relaxation: float = 1.0) -> tuple[str, str]:
    """Solve a linear complementarity problem with bounds by projected SOR.

    Args:
        search: the problem, the start, the goal; the best point is left there. An iteration is a sweep.
        relaxation: between 0 and 2, exclusive; 1 is Gauss-Seidel.

    Returns:
        The status (``converged``, ``iteration limit`` or ``stalled``) and a message.

    Raises:
        ProblemError: an entry of the diagonal is not positive.

    Source: see the head of the file.
    """
    problem = search.problem
    A = scipy.sparse.csr_matrix(problem.A)
    diagonal = A.diagonal()
    check_diagonal(problem, diagonal)
    z = search.start.copy()
    before = np.empty_like(z)
    first, column = A.indptr.astype(np.int64), A.indices.astype(np.int64)
    with np.errstate(all="ignore"):
        while not search.converged:
            if search.iterations == search.limit:
                return "iteration limit", f"{search.what} after {search.limit} sweeps"
            before[:] = z
            sweep(first, column, A.data, diagonal, problem.b, problem.lower, problem.upper, float(relaxation), z)
            search.iterations += 1
            error = search.visit(z)
            search.history.append(error)
            if error == math.inf:
                return "stalled", f"the sweeps diverge; {search.what}"
            if np.array_equal(before, z) and not search.converged:
                return "stalled", f"a sweep changes nothing more; {search.what}: rounding"
    return "converged", "solved"
