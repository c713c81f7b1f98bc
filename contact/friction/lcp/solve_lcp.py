"""Linear complementarity problems with bounds, one call for all methods.

    w = A z + b,        z = P(z - w),        P(x) = min(max(x, lower), upper),

with 0 and infinity as bounds unless given: ``0 <= z _|_ w >= 0``. An unbounded unknown makes its row an equation (a mixed
problem).

==================  ======================  ==========================================================================
method              cost of an iteration    for what
==================  ======================  ==========================================================================
``lemke``           n^2, a pivot            small problems, any matrix; ends with a solution or with a reason
``minmap_newton``   k^3 with k unknowns     monotone problems (A positive semidefinite), mixed ones, P matrices
                    inside, or sparse LU
==================  ======================  ==========================================================================

Source: R. W. Cottle, J.-S. Pang, R. E. Stone, "The linear complementarity problem" (1992); K. Erleben, "Numerical methods
for linear complementarity problems in physics-based animation" (2013); source documents 000 and 004 (docs/sources.md) for
the problems of contact.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments import as_choice, as_number, as_switch, as_whole
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.lcp.complementarity import LinearComplementarityProblem, complementarity, make_problem
from pluecker.contact.friction.lcp.lemke import as_covering, pivot_limit
from pluecker.contact.friction.lcp.minmap_newton import minmap_newton
from pluecker.contact.friction.lcp.search import Search
from pluecker.contact.friction.lcp.standard_form import lemke
from pluecker.contact.friction.problem.checks import as_vector
from pluecker.spatial.engine.parallel.interruption import interruptible, takes_long
from pluecker.spatial.equality import by_value
from pluecker.spatial.functions.elementwise import Array

__all__ = ["METHODS", "LcpResult", "LinearComplementarityProblem", "solve_lcp"]

METHODS = ("lemke", "minmap_newton")
NEWTON_STEPS = 200


@by_value()
@dataclass(frozen=True, eq=False)
class LcpResult:
    """Result of a solver of linear complementarity problems. All numbers are finite.

    Attributes:
        z: ``(n,)``, within the bounds: the best point that was met.
        w: ``(n,)``, ``A z + b``.
        status: ``converged``; ``iteration limit``; ``stalled``; of Lemke's method also ``ray`` and ``infeasible``.
        method: which one.
        natural_map: ``|z - P(z - w)| / max(|b|, |z|, |w|)``. Where converged, at most the tolerance; the reverse does not
            hold, see the argument ``tol`` of :func:`solve_lcp`.
        complementarity: the sum of all products of a distance from a bound and its slack.
        iterations: pivots or Newton steps.
        history: of Newton steps the natural map after each; of Lemke's method the artificial variable after each pivot, in
            units of the first; empty unless asked for.
        time: in seconds.
        message: why it ended, in words.
    """

    z: Array
    w: Array
    status: str
    method: str
    natural_map: float
    complementarity: float
    iterations: int
    history: Array
    time: float
    message: str

    @property
    def converged(self) -> bool:
        """True if the status is ``converged``."""
        return self.status == "converged"


def solve_lcp(
    A: Any,
    b: ArrayLike,
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    method: str = "lemke",
    tol: float = 1e-10,
    max_iterations: int | None = None,
    warm_start: ArrayLike | None = None,
    history: bool = False,
    covering: ArrayLike | None = None,
) -> LcpResult:
    """Solve a linear complementarity problem: ``w = A z + b``, ``z = P(z - w)`` with P the projection on the bounds.

    Args:
        A: ``(n, n)``, an array or a sparse matrix of SciPy. minmap_newton keeps a sparse matrix sparse.
        b: ``(n,)``.
        lower: ``(n,)`` or one number; 0 if not given, minus infinity for none.
        upper: ``(n,)`` or one number; infinity if not given.
        method: ``lemke`` or ``minmap_newton``.
        tol: the natural map that is asked for, relative. The balanced error (:mod:`pluecker.contact.friction.lcp.search`),
            which is relative to what is given alone, has to be as small but for rounding, so that no z or w hides a row by
            its size, and none that grows without bound passes for a solution.
        max_iterations: pivots (1000 + 50 n) or Newton steps (200).
        warm_start: ``(n,)``; the projection of zero if not given. Lemke's method only looks whether it is a solution.
        history: whether to report on each iteration.
        covering: ``(n,)``, positive; Lemke's method only; ones if not given.

    Returns:
        The best point, how good it is, and why the search ended. Where there is no solution, or none was found, the status
        says so; nothing is raised.

    Raises:
        ArgumentTypeError: an argument of another type.
        ProblemError: the data or an argument are impossible; Lemke: dependent equations.

    Source: see the head of the file, and those of the methods.

    Example:
        >>> from pluecker.contact.friction.lcp.solve_lcp import solve_lcp
        >>> result = solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0])
        >>> result.status, result.z.round(12).tolist()
        ('converged', [1.333333333333, 2.333333333333])
        >>> solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0], upper=[1.0, 9.0]).z.tolist()
        [1.0, 2.5]
        >>> solve_lcp([[-1.0]], [-1.0]).status
        'infeasible'
    """
    began = time.perf_counter()
    as_choice("method", method, METHODS)
    problem = make_problem(A, b, lower, upper)
    n = problem.size
    tol = as_number("tol", tol, "a finite number that is not negative", 0.0, zero=True)
    history = as_switch("history", history)
    limit = as_limit(max_iterations, usual_limit(method, n))
    if covering is not None and method != "lemke":
        raise ProblemError(f"covering is an argument of the method lemke, the method is {method}")
    first = None if warm_start is None else as_vector("warm_start", warm_start, n)
    cover = as_covering(covering, n)
    work = partial(run, problem, method, tol, limit, first, cover)
    result = interruptible(work, takes_long(limit, n))
    return replace(result, history=result.history if history else np.zeros(0), time=time.perf_counter() - began)


def run(
    problem: LinearComplementarityProblem,
    method: str,
    tol: float,
    limit: int,
    start: Array | None,
    covering: Array,
    accept: Callable[[Array], bool] | None = None,
) -> LcpResult:
    """Solve a problem whose data were checked; the result has its history. ``accept`` is that of a search."""
    began = time.perf_counter()
    with np.errstate(all="ignore"):
        search = Search(problem, start, tol, limit, accept)
        status, message = lemke(search, covering) if method == "lemke" else minmap_newton(search)
        products = complementarity(problem, search.z, search.w)
    elapsed, path = time.perf_counter() - began, np.array(search.history, dtype=np.float64)
    return LcpResult(
        search.z, search.w, status, method, search.error, products, search.iterations, path, elapsed, message
    )


def usual_limit(method: str, n: int) -> int:
    """Return how many iterations a method is allowed unless the caller says another number."""
    return pivot_limit(n) if method == "lemke" else NEWTON_STEPS


def as_limit(value: int | None, default: int) -> int:
    """Check and return a number of iterations."""
    if value is None:
        return default
    return as_whole("max_iterations", value, 0, "a whole number that is not negative")
