"""The automatic choice: a few methods, in turn, until the tolerance is reached.

Newton's method in velocities (:mod:`~pluecker.contact.friction.solving.newton`) comes first, for all islands together: it
solves nine in ten of what is hard within a millisecond or a few. What it leaves, and what has no roots, goes through this
table, each island alone; each method begins at the best point so far unless the table says otherwise, and gives back what is
better. Budgets are in brackets:

====================  =================================================================================================
many contacts         sweeps with momentum, and Newton's method on parts (:mod:`~pluecker.contact.friction.solving.pieces`),
                      where eight are swept at a time, until :data:`HELD_UP` pieces in a row are held up; then Newton's
                      method (100 factors), and, where factors of the interior point are too large, over-relaxed sweeps
convex                interior point (200 steps), Newton's method (100 factors), gradients (8000), Newton's method
Coulomb               gradients (500) where there are no roots; then in turn, :data:`ROUNDS` times: convex problems whose
                      shift is held, four of them, from nothing, and Newton's method from there; over-relaxed sweeps, from
                      nothing as well, half as many more each time, and Newton's method from there, or, where there are no
                      roots, convex problems from the best point
====================  =================================================================================================

What is hard for one method is easy for another: shifts bring walls and jammed spheres, sweeps granular flow and spheres at
rest. No decision depends on times, and under Coulomb's law none on the tolerance but that of when to end.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.first_order.memory import ERROR
from pluecker.contact.friction.first_order.pgs import USUAL
from pluecker.contact.friction.solving.held_shifts import AT_A_TIME, SHORTEST, HeldShifts, by_shifts
from pluecker.contact.friction.solving.island import CALL, Island, on_islands
from pluecker.contact.friction.solving.newton import BUDGET, run_newton
from pluecker.contact.friction.solving.pieces import over_relaxed, with_momentum

__all__ = ["limits_of", "run_automatic", "run_interior_point", "run_polished"]

MANY = 500  # contacts from which sweeps come first: they solve packings of a thousand in the time of ten factors
HELD_UP = 3  # pieces of sweeps in a row that are held up, after which Newton's method of the whole is tried
# Contacts up to which Newton's method comes first in the convex law, where there is no start, and its factors.
FEW, CONVEX_BUDGET = 16, 20
ROUNDS = 18
GRADIENTS, FEW_GRADIENTS = 8000, 500
SWEEPS, MORE = 200, 1.5  # of the first round; of the next, times those of the one before
FACTORS, MORE_FACTORS = 60, 20  # from each start of the first round, and more in each that follows
# After so many rounds Newton's method goes on from nothing, in an island of not too many contacts. Of 66 problems of a wall
# that a heavy ball hits, friction 1.5, on which all rounds end at 1 to 30 times the accuracy, that solves two in three.
FIRST_ROUNDS, LONG = 4, 20_000
POLISHING = 1000  # gradients between two calls of Newton's method


def run_automatic(
    P, law, x, u, tol, limit, memory, begin, end, patterns=None, layouts=None, threads=1, roots=None
):  # fmt: skip
    """Run Newton's method on all islands of not too many contacts, and the table on those that it leaves."""
    done = run_newton(P, law, x, u, tol, limit, memory.results, begin, end, roots, *limits_of(law))
    if (memory.results[begin:end, ERROR] <= tol).all():
        return done
    return [*done, *run_table(P, law, x, u, tol, limit, memory, begin, end, patterns, layouts, threads, roots)]


def limits_of(law: int) -> tuple[int, int, int]:
    """Return how many factors Newton's method may make first, and of how many contacts, with a start and without."""
    return (BUDGET, MANY, MANY) if law == 1 else (CONVEX_BUDGET, MANY, FEW)


def table(island: Island, tol: float) -> None:
    """Run the rows of the table that are for this island."""
    if island.contacts > MANY:
        many(island, tol)
    if island.law == 0:
        convex(island, tol)
    elif island.error > tol and (island.factorises or island.sweeping is None):
        coulomb(island, tol)


def many(island: Island, tol: float) -> None:
    """Run sweeps with Newton's method on parts, then on the whole, as far as it has roots."""
    start = island.x.copy()
    if island.sweeping is not None:
        with_momentum(island, tol, start, np.inf, np.inf if island.roots is None else HELD_UP)
    island.newton(tol)
    if island.error > tol and island.sweeping is not None and not island.factorises:
        over_relaxed(island, tol, start, np.inf)


def convex(island: Island, tol: float) -> None:
    """Run the interior point where its factors are not too large, then gradients."""
    if island.error > tol and island.factorises:
        island.convex(tol, island.zero, island.x, CALL)
    island.newton(tol)
    if island.error > tol:
        island.gradients(tol, GRADIENTS)
    island.newton(tol)


def coulomb(island: Island, tol: float) -> None:
    """Run shifts and sweeps in turn, with Newton's method from where they come to."""
    if island.roots is None and island.error > tol:
        island.gradients(tol, FEW_GRADIENTS)
    anew, count = HeldShifts(island, fresh=True), float(SWEEPS)
    x, u = island.zero.copy(), island.velocity(island.zero)
    for number in range(ROUNDS):
        if number == FIRST_ROUNDS and island.contacts <= MANY:
            island.newton(tol, island.zero, LONG)
        factors = FACTORS + MORE_FACTORS * number
        if island.factorises and anew.step >= SHORTEST:
            anew.advance(tol, AT_A_TIME)
            island.newton(tol, anew.x, factors)
        if island.error <= tol or island.rest <= 0:
            return
        island.sweeps(tol, int(count), x, u, USUAL)
        count *= MORE
        if island.roots is not None:
            island.newton(tol, x, factors)
        elif island.factorises:
            HeldShifts(island).advance(tol, AT_A_TIME)
        if island.error <= tol or island.rest <= 0:
            return


def polish(island: Island, tol: float) -> None:
    """Run Newton's method, from gradients where it does not come from the start."""
    island.newton(tol)
    before = np.inf
    while island.error > tol and island.error < before and island.rest > 0:
        before = island.error
        island.gradients(tol, POLISHING)
        island.newton(tol)


def inside(island: Island, tol: float) -> None:
    """Run the interior point; for Coulomb's law with shifts held in turn."""
    by_shifts(island, tol)


run_table, run_polished, run_interior_point = on_islands(table), on_islands(polish), on_islands(inside)
