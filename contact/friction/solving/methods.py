"""The methods that solve friction problems, the laws that each solves, and the options that users give.

=====================  ============================================  ==================================================
method                 laws                                          what it is
=====================  ============================================  ==================================================
auto                   all                                           newton, then sweeps in turn, see ``automatic``
apgd                   frictionless, ccp, ncp                        accelerated projected gradient
pgs, psor              frictionless, ccp, ncp                        sweeps over the blocks, projected
newton                 frictionless, ccp, ncp                        semismooth Newton, in velocities
interior_point         frictionless, ccp, ncp                        our own, on the blocks of the operator
lemke                  frictionless, lcp                             complementary pivoting
minmap_newton          frictionless, lcp                             semismooth Newton on the minimum map
=====================  ============================================  ==================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pluecker.contact.arguments import as_choice, as_number, as_record, as_switch, as_whole, shown
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.first_order.apgd import run_apgd
from pluecker.contact.friction.first_order.sharing import run_sweeps
from pluecker.contact.friction.first_order.sweeps import USUAL
from pluecker.contact.friction.problem.problem import LAWS, Problem
from pluecker.contact.friction.solving.islands.automatic import run_automatic, run_interior_point, run_polished

__all__ = ["CONES", "METHODS", "Method", "Options", "check", "checked"]

MOMENTA = ("full", "nesterov")
MOST, MOST_KEPT = 2**31, 10**7  # iterations, and those of which the error can be kept
ENDS = ("return", "raise")  # of a call that does not reach its tolerance
CONES, POLYGON = ("frictionless", "ccp", "ncp"), ("frictionless", "lcp")


@dataclass(frozen=True)
class Method:
    """Solver with what it needs.

    Attributes:
        laws: that it solves.
        run: with the arguments of :func:`~pluecker.contact.friction.first_order.runner.make_runner`'s runners; none for
            those of linear complementarity problems, see :mod:`~pluecker.contact.friction.lcp.laws`.
        limit: iterations, unless the caller says another number.
        matrix: whether it needs the operator as a matrix.
        whole: whether ``run`` takes :class:`~pluecker.contact.friction.first_order.sharing.Whole` in place of the problem.
        roots: rows of an island of a matrix, at most, of which Newton's method has the root; none of methods without it.
        first: whether it begins with Newton's method.
        relaxation: of sweeps, unless the caller says another one.
        recipe: whether ``run`` is Python between pieces of compiled code, none longer than gradients to the limit.
    """

    laws: tuple[str, ...]
    run: Callable[..., Any] | None = None
    limit: int = 0
    matrix: bool = False
    whole: bool = False
    roots: int = 0
    first: bool = False
    relaxation: float = 1.0
    recipe: bool = False


METHODS = {
    "auto": Method(LAWS, run_automatic, 1000000, matrix=True, whole=True, roots=72, first=True, recipe=True),
    "apgd": Method(CONES, run_apgd, 8000),
    "pgs": Method(CONES, run_sweeps, 20000, whole=True),
    "psor": Method(CONES, run_sweeps, 20000, whole=True, relaxation=USUAL),
    "newton": Method(CONES, run_polished, 10000, matrix=True, whole=True, roots=3000, recipe=True),
    "interior_point": Method(CONES, run_interior_point, 2000, matrix=True, whole=True, recipe=True),
    "lemke": Method(POLYGON),
    "minmap_newton": Method(POLYGON),
}


@dataclass(frozen=True)
class Options:
    """Options of :func:`~pluecker.contact.friction.solving.solve.solve`; :func:`checked` makes sure that they can be.

    Attributes:
        law, method, tol, max_iterations, directions, relaxation, momentum, threads, separate, form, history,
            on_unsolved: its arguments.
    """

    law: str
    method: str
    tol: float
    max_iterations: int | None = None
    directions: int | None = None
    relaxation: float | None = None
    momentum: str = MOMENTA[0]
    threads: int | None = None
    separate: bool = True
    form: str = "best"
    history: bool = False
    on_unsolved: str = ENDS[0]

    @property
    def how(self) -> Method:
        """The method, with what it needs."""
        return METHODS[self.method]

    def rounds(self, size: int) -> int:
        """Return how many iterations the method may take for so many multipliers."""
        return (self.how.limit or 50 * size) if self.max_iterations is None else self.max_iterations


def checked(given: Options, problem: Problem) -> Options:
    """Return the options as they are used, or raise an error that says which cannot be."""
    check(given, problem)
    separate, history = as_switch("separate", given.separate), as_switch("history", given.history)
    as_choice("on_unsolved", given.on_unsolved, ENDS)
    most = None if given.max_iterations is None else min(int(given.max_iterations), MOST)
    if history and most is not None and most > MOST_KEPT:
        raise ProblemError(f"max_iterations is {shown(most)}, expected at most {MOST_KEPT} where the history is kept")
    relaxation = None if given.relaxation is None else float(given.relaxation)
    return replace(
        given, tol=float(given.tol), max_iterations=most, relaxation=relaxation, separate=separate, history=history
    )  # fmt: skip


def check(given: Options, problem: Problem) -> None:
    """Refuse arguments that cannot be."""
    law, method = given.law, given.method
    as_record("problem", problem, Problem)
    as_choice("law", law, LAWS)
    as_choice("method", method, METHODS)
    if law not in METHODS[method].laws:
        others = ", ".join(name for name, how in METHODS.items() if law in how.laws)
        own = METHODS[method].laws
        what = f"{'laws' if len(own) > 1 else 'law'} {', '.join(own)}"
        raise ProblemError(f"method {method!r} solves the {what}, not {law}; for that there are {others}")
    as_number("tol", given.tol, "a positive number", 0.0)
    for name in ("max_iterations", "threads", "directions"):
        if getattr(given, name) is not None:
            as_whole(name, getattr(given, name), 1)
    if given.relaxation is not None:
        as_number("relaxation", given.relaxation, "a number between 0 and 2", 0.0, 2.0)
    if given.relaxation is not None and method != "psor":
        raise ProblemError(f"relaxation is an argument of psor, the method is {method!r}")
    as_choice("momentum", given.momentum, MOMENTA)
    if given.momentum != MOMENTA[0] and method != "apgd":
        raise ProblemError(f"momentum is an argument of apgd, the method is {method!r}")
    as_choice("form", given.form, ("best", "matrix", "factors"))
    if given.form == "factors" and not problem.operator.is_factored:
        raise ProblemError("form: this problem was made from a matrix, and has no factors")
