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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments.values import as_choice, as_number, as_record, as_switch, as_whole, shown
from pluecker.contact.elimination.elimination import eliminate
from pluecker.contact.errors import ProblemError
from pluecker.contact.first_order.admm import run_admm
from pluecker.contact.first_order.apgd import run_apgd
from pluecker.contact.first_order.barzilai_borwein import run_barzilai_borwein
from pluecker.contact.first_order.jacobi import run_jacobi
from pluecker.contact.first_order.pgs import run_pgs, run_psor
from pluecker.contact.lcp.laws import solve_as_lcp
from pluecker.contact.problem.checks import as_vector
from pluecker.contact.problem.operator import prefers_matrix
from pluecker.contact.problem.prepared import prepare, scales
from pluecker.contact.problem.problem import LAWS, Problem
from pluecker.contact.problem.sets import project
from pluecker.contact.results.measures import Errors, all_errors
from pluecker.contact.results.result import Result, is_converged, judge
from pluecker.contact.results.states import Blocks
from pluecker.contact.solving.automatic import run_automatic, run_interior_point, run_polished
from pluecker.contact.solving.clarabel import run_clarabel
from pluecker.contact.solving.eliminated import solve_eliminated
from pluecker.contact.solving.running import Done, Job, run_on_islands
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.parallel.interruption import interruptible, takes_long

__all__ = ["METHODS", "Method", "errors_of", "solve"]

RELAXED = ("psor", "jacobi")
MOST, MOST_KEPT = 2**31, 10**7  # iterations, and those of which the error can be kept
LARGE = 1e100  # multipliers to start from, in units in which b is one


CONES, NORMALS, POLYGON = ("frictionless", "ccp", "ncp"), ("frictionless",), ("frictionless", "lcp")


@dataclass(frozen=True)
class Method:
    """A solver and what it wants.

    Attributes:
        laws: that it solves.
        run: with the arguments of :func:`~pluecker.contact.first_order.runner.make_runner`'s runners; none for those of
            linear complementarity problems, see :mod:`~pluecker.contact.lcp.laws`.
        limit: iterations, unless the caller says another number.
        matrix: whether it needs the operator as a matrix.
    """

    laws: tuple[str, ...]
    run: Callable[..., Any] | None = None
    limit: int = 0
    matrix: bool = False


METHODS = {
    "auto": Method(LAWS, run_automatic, 8000, matrix=True),
    "apgd": Method(CONES, run_apgd, 8000),
    "pgs": Method(CONES, run_pgs, 20000),
    "psor": Method(CONES, run_psor, 20000),
    "jacobi": Method(CONES, run_jacobi, 20000),
    "barzilai_borwein": Method(CONES, run_barzilai_borwein, 20000),
    "admm": Method(CONES, run_admm, 5000, matrix=True),
    "newton": Method(CONES, run_polished, 2500, matrix=True),
    "interior_point": Method(CONES, run_interior_point, 2000, matrix=True),
    "clarabel": Method(CONES, run_clarabel, 2000, matrix=True),
    "lemke": Method(POLYGON),
    "fischer_newton": Method(POLYGON),
    "minmap_newton": Method(POLYGON),
    "lcp_psor": Method(NORMALS),
}


def solve(
    problem: Problem,
    law: str = "ncp",
    method: str = "auto",
    *,
    tol: float = 1e-6,
    max_iterations: int | None = None,
    warm_start: ArrayLike | None = None,
    directions: int | None = None,
    relaxation: float | None = None,
    threads: int | None = None,
    separate: bool = True,
    form: str = "best",
    history: bool = False,
) -> Result:
    """Multipliers that satisfy a law, and how well they do.

    Args:
        problem: see :mod:`~pluecker.contact.problem.problem`.
        law: ``frictionless``, ``lcp`` (a polygon in place of the circle), ``ccp`` (convex) or ``ncp`` (Coulomb's law).
        method: one of those in the head of this file.
        tol: the natural map to be reached, relative to max(|b|, |r|, |u|). The scaled map must not be above 1e-3, or
            ``tol`` if that is larger, as well, and in the law ncp Signorini's error of contacts with mu > 1 not above
            ``tol``: see :mod:`~pluecker.contact.results.measures`.
        max_iterations: of all methods that take part together; the method's own number unless given.
        warm_start: multipliers to start from, ``(m,)``, N s; for example those of the last step.
        directions: sides of the polygon, in the law ``lcp``; 8, and 2 in the plane, unless given.
        relaxation: of ``psor`` and ``jacobi``; their own choice unless given.
        threads: for islands; all cores unless given. Results do not depend on it, bit for bit.
        separate: solve islands one by one; otherwise all together, with one error.
        form: of the operator: ``matrix``, ``factors``, or ``best``: the one with the cheaper product. Methods that
            factorise take the matrix. ``factors`` keeps bilateral rows among the others, iterated as contacts are.
        history: keep the error of each iteration.

    Bilateral rows, those without bounds, and linear soft ones, which have a compliance besides, are eliminated by a direct
    factor before any of these methods begins, and hold to rounding whatever ``tol`` is: ``errors.bilateral``, m/s or rad/s.
    Redundant ones have the multipliers with the least ``sum N_kk r_k^2``; contradictory ones are named in the message. Where
    joints connect so many contacts that what is left of N would fill (more than 2000 rows of contacts on one mechanism), and
    in the law ``lcp``, they are solved as contacts are. See :mod:`~pluecker.contact.elimination.elimination`.

    Returns:
        A :class:`~pluecker.contact.results.result.Result`: the best multipliers that were met, whether they are good
        enough or not. It says ``converged`` only where both maps are not above their tolerances.

    Raises:
        ArgumentTypeError: an argument of another type.
        ProblemError: an unknown law, method or form, a law that the method cannot solve, a number that is out of its
            range, or a start of another length or with NaN.

    Source: design as in Acary, Bremond and Huber (2018): one problem, one error, many methods.

    Example:
        >>> from pluecker.contact import Problem, solve
        >>> sliding = Problem.from_delassus([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1.0, 3.0, 0.0], [0.5])
        >>> result = solve(sliding, "ncp", tol=1e-9)
        >>> result.status, result.multipliers.round(6).tolist()
        ('converged', [1.0, -0.5, 0.0])
    """
    began = time.perf_counter()
    check(problem, law, method, tol, max_iterations, relaxation, threads, directions, form)
    separate, history = as_switch("separate", separate), as_switch("history", history)
    tol, relaxation = float(tol), None if relaxation is None else float(relaxation)
    max_iterations = None if max_iterations is None else min(int(max_iterations), MOST)
    if history and max_iterations is not None and max_iterations > MOST_KEPT:
        raise ProblemError(
            f"max_iterations is {shown(max_iterations)}, expected at most {MOST_KEPT} where the history is kept"
        )

    def work() -> Result:
        with np.errstate(all="ignore"):
            return solve_checked(
                problem, law, method, tol, max_iterations, warm_start, directions, relaxation, threads, separate, form,
                history, began,
            )  # fmt: skip

    rounds = (METHODS[method].limit or 50 * problem.size) if max_iterations is None else max_iterations
    return interruptible(work, takes_long(rounds, problem.size))


def solve_checked(
    problem: Problem, law: str, method: str, tol: float, max_iterations: int | None, warm_start: ArrayLike | None,
    directions: int | None, relaxation: float | None, threads: int | None, separate: bool, form: str, history: bool,
    began: float,
) -> Result:  # fmt: skip
    """The same; overflow and the like are not reported, they are seen in the errors."""
    start = None if warm_start is None else as_vector("warm_start", warm_start, problem.size)
    problem, start, exponent = in_units(problem, start)
    how = METHODS[method]
    if law == "lcp" or how.run is None:
        result = solve_as_lcp(problem, law, method, tol, max_iterations, start, directions, history)
        return in_units_of_caller(result, exponent, began)
    solved = problem.with_friction(0.0) if law == "frictionless" else problem
    elimination = eliminate(solved) if form != "factors" else None
    if elimination is not None:

        def left(rest: Problem, begin: Array | None, goal: float, used: int) -> Result:
            most = None if max_iterations is None else max_iterations - used
            return solve_checked(
                rest, law, method, goal, most, begin, directions, relaxation, threads, separate, form, history, began
            )

        result = solve_eliminated(
            elimination, solved, law, method, tol, start, max_iterations, separate, history, left, exponent
        )
        return in_units_of_caller(result, exponent, began)
    if how.matrix or form == "matrix" or (form == "best" and prefers_matrix(problem.operator)):
        solved = solved.assembled()
    P, places = prepare(solved, separate)
    limit = how.limit if max_iterations is None else max_iterations
    scale = np.ones(problem.size)
    scale[places] = P.s
    if start is not None and is_solution(solved, law, start, tol, scale):
        done = Done(start[places] / P.s, 0, 0, len(P.islands) - 1, (), np.zeros((0, 2)) if history else None)
    else:
        x = np.zeros(len(P.b)) if start is None else start[places] / P.s
        job = Job(how.run, method, int(law == "ncp"), tol, limit, relaxation or 0.0)
        done = run_on_islands(job, P, x, threads, history)
    r = np.zeros(problem.size)
    r[places] = done.x * P.s
    u = solved.unchecked_velocity(r)
    errors = all_errors(solved.sets, solved.offset, r, u, law, scale)
    status, message = judge(errors, tol, done.iterations if done.iterations >= limit else None)
    result = Result(
        r, u, law, method, status, errors, tol, done.iterations, done.products, done.islands,
        time.perf_counter() - began, done.stages, done.history, message,
        Blocks(solved.sets, scale, solved.offset),
    )  # fmt: skip
    return in_units_of_caller(result, exponent, began)


def errors_of(problem: Problem, multipliers: ArrayLike, law: str = "ncp") -> Errors:
    """All errors of multipliers, whoever found them.

    Args:
        problem: see :mod:`~pluecker.contact.problem.problem`.
        multipliers: ``(m,)``, N s.
        law: ``frictionless``, ``ccp`` or ``ncp``.

    Raises:
        ArgumentTypeError: an argument of another type.
        ProblemError: another law, or multipliers of another length or with NaN.

    Source: see :mod:`~pluecker.contact.results.measures`.

    Example:
        >>> from pluecker.contact import Problem, errors_of
        >>> sliding = Problem.from_delassus([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1.0, 3.0, 0.0], [0.5])
        >>> errors_of(sliding, [1.0, -0.5, 0.0]).natural_map, errors_of(sliding, [1.0, 0.0, 0.0]).dissipation
        (0.0, 0.5)
    """
    as_record("problem", problem, Problem)
    as_choice("law", law, CONES)
    r = as_vector("multipliers", multipliers, problem.size)
    problem = problem.with_friction(0.0) if law == "frictionless" else problem
    with np.errstate(all="ignore"):
        problem, start, exponent = in_units(problem, r, float(np.abs(r).max(initial=0.0)))
        r = r if start is None else start
        scale = np.repeat(scales(problem.operator, problem.sets), np.diff(problem.sets.start))
        errors = all_errors(problem.sets, problem.offset, r, problem.unchecked_velocity(r), law, scale)
        return with_unit(errors, exponent)


def is_solution(problem: Problem, law: str, start: Array, tol: float, scale: Array) -> bool:
    """Whether a start, projected in place, is good enough.

    Islands need the tolerance relative to their own velocities: small ones may not have it, where all together do.
    """
    project(problem.sets, start, start)
    u = problem.unchecked_velocity(start)
    return is_converged(all_errors(problem.sets, problem.offset, start, u, law, scale), tol)


def in_units(problem: Problem, start: Array | None, largest: float = 0.0) -> tuple[Problem, Array | None, int]:
    """The same problem with velocities and multipliers near one, so that no square overflows: divided by a power of two.

    All errors are ratios and stay the same, and so do all digits. ``largest`` shall be near one as well. A start is left out
    where its velocities may overflow, and where zero is a solution.
    """
    b, K = problem.offset, problem.sets
    size = max(largest, np.abs(b).max(initial=0.0), K.lower.max(initial=0.0), -K.upper.min(initial=0.0))
    if size == 0.0:  # no multipliers are a solution
        return problem, None, 0
    exponent = int(np.frexp(size)[1])
    sets = K._replace(lower=np.ldexp(K.lower, -exponent), upper=np.ldexp(K.upper, -exponent))
    free = None if problem.free_velocity is None else np.ldexp(problem.free_velocity, -exponent)
    inside = replace(problem, offset=np.ldexp(b, -exponent), sets=sets, free_velocity=free)
    if start is not None:
        start = np.ldexp(start, -exponent)
        start = start if np.abs(start).max(initial=0.0) < LARGE else None
    return inside, start, exponent


def in_units_of_caller(result: Result, exponent: int, began: float) -> Result:
    """The multipliers and velocities multiplied by the power of two, the largest number in place of what is larger."""
    largest = np.finfo(np.float64).max
    r, u = (np.clip(np.ldexp(x, exponent), -largest, largest) for x in (result.multipliers, result.velocity))
    blocks = None if result.blocks is None else result.blocks._replace(offset=np.ldexp(result.blocks.offset, exponent))
    errors = with_unit(result.errors, exponent)
    return replace(result, multipliers=r, velocity=u, errors=errors, blocks=blocks, time=time.perf_counter() - began)


def with_unit(errors: Errors, exponent: int) -> Errors:
    """The same, the velocity of bilateral rows multiplied by the power of two."""
    bilateral = min(float(np.ldexp(errors.bilateral, exponent)), float(np.finfo(np.float64).max))
    return replace(errors, bilateral=bilateral)


def check(
    problem: Problem, law: str, method: str, tol: float, max_iterations: int | None, relaxation: float | None,
    threads: int | None, directions: int | None, form: str,
) -> None:  # fmt: skip
    """Refuse arguments that cannot be."""
    as_record("problem", problem, Problem)
    as_choice("law", law, LAWS)
    as_choice("method", method, METHODS)
    if law not in METHODS[method].laws:
        others = ", ".join(name for name, how in METHODS.items() if law in how.laws)
        own = METHODS[method].laws
        what = f"{'laws' if len(own) > 1 else 'law'} {', '.join(own)}"
        raise ProblemError(f"method {method!r} solves the {what}, not {law}; for that there are {others}")
    as_number("tol", tol, "a positive number", 0.0)
    for name, value in (("max_iterations", max_iterations), ("threads", threads), ("directions", directions)):
        if value is not None:
            as_whole(name, value, 1)
    if relaxation is not None:
        as_number("relaxation", relaxation, "a number between 0 and 2", 0.0, 2.0)
    if relaxation is not None and method not in RELAXED:
        raise ProblemError(f"relaxation is an argument of {' and '.join(RELAXED)}, the method is {method!r}")
    as_choice("form", form, ("best", "matrix", "factors"))
    if form == "factors" and not problem.operator.is_factored:
        raise ProblemError("form: this problem was made from a matrix, and has no factors")
