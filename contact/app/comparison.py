"""Several methods on one problem, one after the other.

=======================  ===========================================================================================
function                 what it does
=======================  ===========================================================================================
compare_methods          solves a problem with several methods, and keeps the error of each iteration
usual_methods            those that are compared unless others are named
=======================  ===========================================================================================

Islands are solved one by one, as :func:`~pluecker.contact.friction.solving.solve.solve` does unless told otherwise, and
iterations are those of the island that needs most. Everything runs on one thread. :mod:`~pluecker.contact.app.convergence`
draws what is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pluecker.contact.app.waiting import fastest
from pluecker.contact.arguments import as_choice, as_switch, as_whole, shown
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.problem import LAWS, Problem
from pluecker.contact.friction.results.result import Result
from pluecker.contact.friction.solving.methods import METHODS, Options, check
from pluecker.contact.friction.solving.solve import solve
from pluecker.spatial.errors import ArgumentTypeError

__all__ = ["check_methods", "compare_methods", "duration", "usual_methods"]

CONES = ("auto", "apgd", "pgs", "newton", "interior_point")
USUAL = {"frictionless": CONES, "ccp": CONES, "ncp": CONES, "lcp": ("auto", "lemke", "minmap_newton")}
REPEATS = 2  # the first call of a process loads or makes compiled code


def usual_methods(law: str, also: str = "auto") -> tuple[str, ...]:
    """Return the methods that are compared in a law unless others are named, and ``also``."""
    return tuple(dict.fromkeys([*USUAL.get(law, ()), also]))


def check_methods(
    problem: Problem,
    methods: Sequence[str],
    law: str,
    tol: float,
    max_iterations: int | None,
    directions: int | None,
    repeats: int,
    separate: bool = True,
) -> None:
    """Check the arguments of :func:`compare_methods` before anything is solved; raises its errors."""
    if not isinstance(methods, (list, tuple)):
        raise ArgumentTypeError(f"methods is {shown(methods)}, expected different names, at least one, in a list")
    for name in methods:
        as_choice("method", name, METHODS)
    if not methods or len(set(methods)) < len(methods):
        raise ProblemError(f"methods is {shown(methods)}, expected different names, at least one")
    for name in methods:
        check(Options(law, name, tol, max_iterations, directions), problem)
    as_whole("repeats", repeats, 1)
    as_switch("separate", separate)


def compare_methods(
    problem: Problem,
    law: str = "ncp",
    methods: Sequence[str] | None = None,
    *,
    tol: float = 1e-8,
    max_iterations: int | None = None,
    directions: int | None = None,
    separate: bool = True,
    repeats: int = REPEATS,
    progress: Callable[[Sequence[str]], Iterable[str]] | None = None,
) -> dict[str, Result]:
    """Solve a problem with several methods, each with the history of its errors, on one thread.

    Args:
        problem: see :mod:`~pluecker.contact.friction.problem.problem`.
        law: as for :func:`~pluecker.contact.friction.solving.solve.solve`.
        methods: names, see :mod:`~pluecker.contact.friction.solving.methods`; the usual ones for the law unless given.
        tol, max_iterations, directions, separate: as for :func:`~pluecker.contact.friction.solving.solve.solve`.
        repeats: of each call; the fastest one counts, since the first one loads or makes compiled code. A call that takes
            a second or more is not repeated, unless it did that.
        progress: is given the names and gives them back one by one, for a progress bar.

    Returns:
        A :class:`~pluecker.contact.friction.results.result.Result` for each method, in the order of the names: multipliers
        ``(m,)``, N s, and in ``history`` the error after each iteration, ``(k, 2)``: seconds, and the best error
        so far, without unit.

    Raises:
        ArgumentTypeError: an argument of another type.
        ProblemError: as of ``solve``; there are no methods, one twice, or repeats are less than 1; before anything
            is solved.

    Source: one problem, one error, many methods, as in Acary, Bremond and Huber (2018).

    Example:
        >>> from pluecker.contact import Problem, compare_methods
        >>> sliding = Problem.from_delassus([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1.0, 3.0, 0.0], [0.5])
        >>> [result.status for result in compare_methods(sliding, methods=["apgd", "pgs"]).values()]
        ['converged', 'converged']
    """
    as_choice("law", law, LAWS)
    names = usual_methods(law) if methods is None else methods
    check_methods(problem, names, law, tol, max_iterations, directions, repeats, separate)
    if progress is not None and not callable(progress):
        raise ArgumentTypeError(f"progress is {shown(progress)}, expected a function of the names")
    how: dict[str, Any] = {"tol": tol, "max_iterations": max_iterations, "directions": directions, "separate": separate}
    return {
        name: fastest(lambda name=name: solve(problem, law, name, history=True, **how), repeats)[0]  # type: ignore[misc]
        for name in (names if progress is None else progress(names))
    }


def duration(seconds: float) -> str:
    """Format a time with three digits, in ms or s."""
    return f"{1e3 * seconds:.3g} ms" if seconds < 0.9995 else f"{seconds:.3g} s"
