"""One problem, any law, any solver: :func:`solve`.

=====================  ============================================  ==================================================
method                 laws                                          what it is
=====================  ============================================  ==================================================
auto                   all                                           apgd first, then what promises more: see below
apgd                   frictionless, ccp, ncp                        accelerated projected gradient
pgs, psor, jacobi      frictionless, ccp, ncp                        sweeps over the blocks, projected
barzilai_borwein       frictionless, ccp, ncp                        spectral projected gradient
admm                   frictionless, ccp, ncp                        splitting, one factorisation
newton                 frictionless, ccp, ncp                        semismooth Newton, started by apgd
interior_point         frictionless, ccp, ncp                        our own, on the blocks of the operator
clarabel               frictionless, ccp, ncp                        Clarabel (extra ``cone``), as an oracle
lemke                  frictionless, lcp                             complementary pivoting
fischer_newton         frictionless, lcp                             semismooth Newton for complementarity problems
minmap_newton          frictionless, lcp                             the same on the minimum map
lcp_psor               frictionless                                  projected SOR for complementarity problems
=====================  ============================================  ==================================================
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.threads import available_cores
from pluecker.contact.admm import run_admm
from pluecker.contact.apgd import run_apgd
from pluecker.contact.automatic import run_automatic, run_interior_point, run_polished
from pluecker.contact.barzilai_borwein import run_barzilai_borwein
from pluecker.contact.checks import as_vector
from pluecker.contact.clarabel import run_clarabel
from pluecker.contact.errors import ProblemError
from pluecker.contact.first_order import ROWS_OF_WORK, STATE, rows_apart
from pluecker.contact.jacobi import run_jacobi
from pluecker.contact.lcp_laws import LCP_METHODS, solve_as_lcp
from pluecker.contact.measures import all_errors
from pluecker.contact.operator import prefers_matrix
from pluecker.contact.pgs import run_pgs, run_psor
from pluecker.contact.prepared import Prepared, prepare
from pluecker.contact.problem import LAWS, Problem
from pluecker.contact.result import CONVERGED, LIMIT, STALLED, UNSOLVED, Result, Stage, doubt
from pluecker.contact.sets import project
from pluecker.spatial.elementwise import Array

__all__ = ["METHODS", "Method", "solve"]

REAL, WHOLE = (int, float, np.integer, np.floating), (int, np.integer)
RELAXED = ("psor", "jacobi")
MANY = 3000  # multipliers from which threads pay
LARGE = 1e100  # multipliers to start from, in units in which b is one
UNSOLVED_ABOVE = 0.1  # a natural map that is no approximation


@dataclass(frozen=True)
class Method:
    """A solver and what it wants.

    Attributes:
        run: with the arguments of :func:`~pluecker.contact.first_order.make_runner`'s runners.
        limit: iterations, unless the caller says another number.
        matrix: whether it needs the operator as a matrix.
    """

    run: Callable[..., Any]
    limit: int
    matrix: bool = False


METHODS = {
    "auto": Method(run_automatic, 8000, matrix=True),
    "apgd": Method(run_apgd, 8000),
    "pgs": Method(run_pgs, 20000),
    "psor": Method(run_psor, 20000),
    "jacobi": Method(run_jacobi, 20000),
    "barzilai_borwein": Method(run_barzilai_borwein, 20000),
    "admm": Method(run_admm, 5000, matrix=True),
    "newton": Method(run_polished, 2500, matrix=True),
    "interior_point": Method(run_interior_point, 2000, matrix=True),
    "clarabel": Method(run_clarabel, 2000, matrix=True),
}


def solve(
    problem: Problem,
    law: str = "ncp",
    method: str = "auto",
    *,
    tol: float = 1e-6,
    max_iterations: int | None = None,
    warm_start: ArrayLike | None = None,
    directions: int = 8,
    relaxation: float | None = None,
    threads: int | None = None,
    separate: bool = True,
    form: str = "best",
    history: bool = False,
) -> Result:
    """Multipliers that satisfy a law, and how well they do.

    Args:
        problem: see :mod:`~pluecker.contact.problem`.
        law: ``frictionless``, ``lcp`` (a polygon in place of the circle), ``ccp`` (convex) or ``ncp`` (Coulomb's law).
        method: one of those in the head of this file.
        tol: the natural map to be reached, relative to max(|b|, |r|, |u|).
        max_iterations: of all methods that take part together; the method's own number unless given.
        warm_start: multipliers to start from, ``(m,)``, N s; for example those of the last step.
        directions: sides of the polygon, in the law ``lcp``.
        relaxation: of ``psor`` and ``jacobi``; their own choice unless given.
        threads: for islands; all cores unless given. Results do not depend on it, bit for bit.
        separate: solve islands one by one; otherwise all together, with one error.
        form: of the operator: ``matrix``, ``factors``, or ``best``: the one with the cheaper product. Methods that
            factorise take the matrix.
        history: keep the error of each iteration.

    Returns:
        A :class:`~pluecker.contact.result.Result`: the best multipliers that were met, whether they are good enough or
        not. It says ``converged`` only where the natural map is not above the tolerance.

    Raises:
        ProblemError: an unknown law, method or form, a law that the method cannot solve, a number that is out of its
            range, or a start of another length or with NaN.

    Source: design as in Acary, Bremond and Huber (2018): one problem, one error, many methods.

    Example:
        >>> from pluecker.contact.problem import Problem
        >>> from pluecker.contact.solve import solve
        >>> sliding = Problem.from_delassus([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1.0, 3.0, 0.0], [0.5])
        >>> result = solve(sliding, "ncp", tol=1e-9)
        >>> result.status, result.multipliers.round(6).tolist()
        ('converged', [1.0, -0.5, 0.0])
    """
    began = time.perf_counter()
    check(problem, law, method, tol, max_iterations, relaxation, threads, form)
    with np.errstate(all="ignore"):
        return solve_checked(
            problem, law, method, tol, max_iterations, warm_start, directions, relaxation, threads, separate, form,
            history, began,
        )  # fmt: skip


def solve_checked(
    problem: Problem, law: str, method: str, tol: float, max_iterations: int | None, warm_start: ArrayLike | None,
    directions: int, relaxation: float | None, threads: int | None, separate: bool, form: str, history: bool, began: float,
) -> Result:  # fmt: skip
    """The same; overflow and the like are not reported, they are seen in the errors."""
    start = None if warm_start is None else as_vector("warm_start", warm_start, problem.size)
    problem, start, exponent = in_units(problem, start)
    if law == "lcp" or method in LCP_METHODS:
        result = solve_as_lcp(problem, law, method, tol, max_iterations, start, directions, history)
        return in_units_of_caller(result, exponent, began)
    solved = problem.with_friction(0.0) if law == "frictionless" else problem
    how = METHODS[method]
    if how.matrix or form == "matrix" or (form == "best" and prefers_matrix(problem.operator)):
        solved = solved.assembled()
    P, places = prepare(solved, separate)
    limit = how.limit if max_iterations is None else max_iterations
    if start is not None and is_solution(solved, law, start, tol):
        r, results = start, np.zeros((len(P.islands) - 1, 3))
        stages: tuple[Stage, ...] = ()
        record = np.zeros((0, 2)) if history else None
    else:
        x, results, stages, record = run(P, how, law, start, places, tol, limit, relaxation, threads, history, method)
        r = np.zeros(problem.size)
        r[places] = x * P.s
    v, scale = solved.velocity(r), np.ones(problem.size)
    scale[places] = P.s
    result = finish(
        Result(
            r, v, law, method, "", all_errors(solved.sets, solved.offset, r, v, law, scale), tol,
            int(results[:, 1].max(initial=0)), int(results[:, 2].max(initial=0)), len(results),
            time.perf_counter() - began, stages, record,
        ),
        int(results[:, 1].max(initial=0)) >= limit,
    )  # fmt: skip
    return in_units_of_caller(result, exponent, began)


def is_solution(problem: Problem, law: str, start: Array, tol: float) -> bool:
    """Whether a start, projected in place, is good enough.

    Islands need the tolerance relative to their own velocities: small ones may not have it, where all together do.
    """
    project(problem.sets, start, start)
    u = problem.velocity(start)
    return all_errors(problem.sets, problem.offset, start, u, law).natural_map <= tol


def in_units(problem: Problem, start: Array | None) -> tuple[Problem, Array | None, int]:
    """The same problem with velocities and multipliers near one, so that no square overflows: divided by a power of two.

    All errors are ratios and stay the same, and so do all digits. A start is left out where its velocities may overflow, and
    where zero is a solution.
    """
    b, K = problem.offset, problem.sets
    size = max(np.abs(b).max(initial=0.0), K.lower.max(initial=0.0), -K.upper.min(initial=0.0))
    if size == 0.0:  # no multipliers are a solution
        return problem, None, 0
    exponent = int(np.frexp(size)[1])
    sets = K._replace(lower=np.ldexp(K.lower, -exponent), upper=np.ldexp(K.upper, -exponent))
    inside = replace(problem, offset=np.ldexp(b, -exponent), sets=sets)
    if start is not None:
        start = np.ldexp(start, -exponent)
        start = start if np.abs(start).max(initial=0.0) < LARGE else None
    return inside, start, exponent


def in_units_of_caller(result: Result, exponent: int, began: float) -> Result:
    """The multipliers and velocities multiplied by the power of two, the largest number in place of what is larger."""
    largest = np.finfo(np.float64).max
    r, u = (np.clip(np.ldexp(x, exponent), -largest, largest) for x in (result.multipliers, result.velocity))
    return replace(result, multipliers=r, velocity=u, time=time.perf_counter() - began)


def check(
    problem: Problem, law: str, method: str, tol: float, max_iterations: int | None, relaxation: float | None,
    threads: int | None, form: str,
) -> None:  # fmt: skip
    """Refuse arguments that cannot be."""
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem is {type(problem).__name__}, expected a Problem")
    if law not in LAWS:
        raise ProblemError(f"law is {law!r}, expected one of {', '.join(LAWS)}")
    if not isinstance(method, str) or (method not in METHODS and method not in LCP_METHODS):
        raise ProblemError(f"method is {method!r}, expected one of {', '.join([*METHODS, *LCP_METHODS])}")
    if law == "lcp" and method not in (*LCP_METHODS, "auto"):
        raise ProblemError(f"method {method!r} does not solve the law lcp, which {', '.join(LCP_METHODS)} and auto do")
    if law in ("ccp", "ncp") and method in LCP_METHODS:
        raise ProblemError(f"method {method!r} solves the laws lcp and frictionless, not {law}")
    if not (isinstance(tol, REAL) and 0 < tol < np.inf):
        raise ProblemError(f"tol is {tol!r}, expected a positive number")
    for name, value in (("max_iterations", max_iterations), ("threads", threads)):
        if value is not None and not (isinstance(value, WHOLE) and value >= 1):
            raise ProblemError(f"{name} is {value!r}, expected a whole number, 1 or more")
    if relaxation is not None and not (isinstance(relaxation, REAL) and 0 < relaxation < 2):
        raise ProblemError(f"relaxation is {relaxation!r}, expected a number between 0 and 2")
    if relaxation is not None and method not in RELAXED:
        raise ProblemError(f"relaxation is an argument of {' and '.join(RELAXED)}, the method is {method!r}")
    if form not in ("best", "matrix", "factors"):
        raise ProblemError(f"form is {form!r}, expected best, matrix or factors")
    if form == "factors" and not problem.operator.is_factored:
        raise ProblemError("form: this problem was made from a matrix, and has no factors")


def run(
    P: Prepared, how: Method, law: str, start: Array | None, places: Any, tol: float, limit: int,
    relaxation: float | None, threads: int | None, history: bool, name: str,
) -> tuple[Array, Array, tuple[Stage, ...], Array | None]:  # fmt: skip
    """Run a method on all islands: scaled multipliers, results by island, stages, history."""
    m, islands = len(P.b), len(P.islands) - 1
    work = rows_apart(ROWS_OF_WORK + 2, m)
    x, u = work[-1], work[-2]
    if start is not None:
        x[:] = start[places] / P.s
    u[:] = P.b
    results, states = np.zeros((islands, 3)), np.zeros((islands, STATE))
    results[:, 0] = np.inf
    record = np.zeros(limit + 2 if history else 0)
    options = np.array([0.0 if relaxation is None else relaxation, 0.0, 0.0, 0.0])
    exact = int(law == "ncp")
    goal = tol if islands == 1 else tol / np.sqrt(3.0)  # what islands need so that all together have the tolerance
    workers = workers_for(threads, m, islands, history)
    began = time.perf_counter()

    def one(bounds: tuple[int, int]) -> list[Stage]:
        with np.errstate(all="ignore"):
            found = how.run(P, exact, x, u, goal, limit, options, work, states, record, results, *bounds)
        return found or []

    if m == 0:
        stages: list[Stage] = []
    elif workers == 1:
        stages = one((0, islands))
    else:
        with ThreadPoolExecutor(workers) as pool:
            stages = [stage for part in pool.map(one, pieces(P, workers)) for stage in part]
    elapsed = time.perf_counter() - began
    if not stages and m:
        stages = [Stage(name, int(results[:, 1].max()), float(results[:, 0].max()), elapsed)]
    return x, results, tuple(stages), as_history(record, stages) if history else None


def workers_for(threads: int | None, m: int, islands: int, history: bool) -> int:
    """How many threads are worth it."""
    if history or islands < 2 or (threads is None and m < MANY):
        return 1
    return min(islands, available_cores() if threads is None else threads)


def pieces(P: Prepared, workers: int) -> list[tuple[int, int]]:
    """Ranges of islands with about as many multipliers each, a few for each thread."""
    ends = P.K.start[P.islands]
    cuts = np.unique(np.searchsorted(ends, np.linspace(0, ends[-1], 4 * workers + 1)))
    cuts[0], cuts[-1] = 0, len(P.islands) - 1
    return [(int(a), int(b)) for a, b in pairwise(np.unique(cuts))]


def as_history(record: Array, stages: list[Stage]) -> Array:
    """Seconds and best error after each iteration, the time of each stage shared out evenly."""
    seconds, began = np.zeros(0), 0.0
    for stage in stages:
        each = stage.time / max(stage.iterations, 1)
        seconds = np.concatenate([seconds, began + each * np.arange(1, stage.iterations + 1)])
        began += stage.time
    n = min(len(seconds), len(record) - 1)
    errors = record[1 : n + 1].copy()
    known = errors > 0
    errors[~known] = np.nan
    return np.column_stack([seconds[:n][known], np.minimum.accumulate(errors[known])])


def finish(result: Result, limited: bool) -> Result:
    """With its status, and a sentence where it did not converge."""
    error = result.errors.natural_map
    if error <= result.tolerance:
        return replace(result, status=CONVERGED, message=doubt(result.errors, result.tolerance))
    if not error < UNSOLVED_ABOVE:
        status, why = UNSOLVED, "the law may have no solution for these data, or more iterations are needed"
    elif limited:
        status, why = LIMIT, f"stopped after {result.iterations} iterations"
    else:
        status, why = STALLED, "no further progress"
    return replace(result, status=status, message=f"natural map {error:.1e} is above {result.tolerance:.1e}: {why}")
