"""The automatic choice: a few methods, in turn, until the tolerance is reached.

Newton's method in velocities (:mod:`~pluecker.contact.friction.solving.islands.newton`) comes first, for all islands
together: it solves nine in ten of what is hard within a millisecond or a few. What it leaves, and what has no roots,
goes through this table, each island alone; each method begins at the best point so far unless the table says otherwise,
and gives back what is better. Budgets are in brackets:

====================  =================================================================================================
many contacts         sweeps with momentum, and Newton's method on parts (``pieces`` beside this file),
                      where eight are swept at a time, until :data:`HELD_UP` pieces in a row are held up; then Newton's
                      method (100 factors), and, where factors of the interior point are too large, over-relaxed sweeps
convex                interior point (200 steps), Newton's method (100 factors), gradients (8000), Newton's method
Coulomb               gradients (500) where there are no roots; then in turn, :data:`ROUNDS` times: convex problems whose
                      shift is held, four of them, from nothing, and Newton's method from there; over-relaxed sweeps, from
                      nothing as well, half as many more each time, and Newton's method from there, or, where there are no
                      roots, convex problems from the best point; once, after :data:`FIRST_ROUNDS` of them, Newton's
                      method from nothing (20,000 factors)
====================  =================================================================================================

What is hard for one method is easy for another: shifts bring walls and jammed spheres, sweeps granular flow and spheres at
rest. No decision depends on times, and under Coulomb's law none on the tolerance but that of when to end.

**Convex problems whose shift is held** are solved by the interior point, each with the shift that the velocities of the one
before made. What a shift is and when its step is halved: :mod:`~pluecker.contact.friction.first_order.runner`.

Source: the fixed point as in Acary, Cadoux, Lemarechal, Malick (2011).
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.first_order.memory import ERROR
from pluecker.contact.friction.first_order.pgs import USUAL
from pluecker.contact.friction.first_order.runner import settled
from pluecker.contact.friction.solving.islands.island import STEPS, Island, on_islands
from pluecker.contact.friction.solving.islands.newton import BUDGET, Limits, run_newton
from pluecker.contact.friction.solving.islands.pieces import over_relaxed, with_momentum

__all__ = [
    "AT_A_TIME", "SHORTEST", "HeldShifts", "by_shifts", "limits_of", "run_automatic", "run_interior_point",
    "run_polished", "steepness",
]  # fmt: skip

LARGE = 500  # contacts from which sweeps come first: they solve packings of a thousand in the time of ten factors
HELD_UP = 3  # pieces of sweeps in a row that are held up, after which Newton's method of the whole is tried
# Contacts up to which Newton's method comes first in the convex law, where there is no start, and its factors.
SMALL, CONVEX_BUDGET = 16, 20
ROUNDS = 18
GRADIENTS, FEW_GRADIENTS = 8000, 500
SWEEPS, MORE = 200, 1.5  # of the first round; of the next, times those of the one before
FACTORS = 200  # from each start: with 60, and 20 more each round, as many hard problems are solved, no faster
# After so many rounds Newton's method goes on from nothing, in an island of not too many contacts. Of 66 problems of a wall
# that a heavy ball hits, friction 1.5, on which all rounds end at 1 to 30 times the accuracy, that solves two in three.
FIRST_ROUNDS, LONG = 4, 20_000
POLISHING = 1000  # gradients between two calls of Newton's method


def run_automatic(whole, law, x, u, tol, limit, memory, begin, end):
    """Run Newton's method on all islands of not too many contacts, and the table on those that it leaves."""
    done = run_newton(whole.P, law, whole.roots, x, u, limits_of(law, tol, limit), memory.results, begin, end)
    if (memory.results[begin:end, ERROR] <= tol).all():
        return done
    return [*done, *run_table(whole, law, x, u, tol, limit, memory, begin, end)]


def limits_of(law: int, goal: float, iterations: int) -> Limits:
    """Return the limits of Newton's method where it comes first: factors, and contacts with a start and without."""
    return Limits(goal, iterations, *((BUDGET, LARGE, LARGE) if law == 1 else (CONVEX_BUDGET, LARGE, SMALL)))


def table(island: Island, tol: float) -> None:
    """Run the rows of the table that are for this island."""
    if island.contacts > LARGE:
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
        island.convex(tol, island.zero, island.x, STEPS)
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
        if number == FIRST_ROUNDS and island.contacts <= LARGE:
            island.newton(tol, island.zero, LONG)
        if island.factorises and anew.step >= SHORTEST:
            anew.advance(tol, AT_A_TIME)
            island.newton(tol, anew.x, FACTORS)
        if island.error <= tol or island.rest <= 0:
            return
        island.sweeps(tol, int(count), x, u, USUAL)
        count *= MORE
        if island.roots is not None:
            island.newton(tol, x, FACTORS)
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


AT_A_TIME = 4  # shifts that may fail to help before their step is halved, or before Newton's method is tried
SHORTEST = 0.1  # step: with shorter ones the hard problems take longer, and one fewer is solved
INSIDE = 0.01  # of the error of Coulomb's law, for the convex problem inside
FINEST = 1e-14  # error of a convex problem inside that is asked for of cones, which hide it likewise


class HeldShifts:
    """Convex problems in turn, which can be continued after something else was tried.

    Args:
        island: on its way.
        fresh: begin at no multipliers and no shift, and not at the best point.
    """

    def __init__(self, island: Island, fresh: bool = False) -> None:
        x, g = island.x.copy(), island.first_shift()
        self.x, self.g = (np.zeros_like(x), np.zeros_like(g)) if fresh else (x, g)
        self.island, self.step, self.idle = island, 1.0, 0
        self.error = self.least = np.inf if fresh else island.error

    def advance(self, tol: float, most: float = np.inf) -> int:
        """Solve with one shift after the other, ``most`` at most, to the error ``tol``; return how many."""
        island, count = self.island, 0
        while island.error > tol and island.rest > 0 and self.step >= SHORTEST and count < most:
            wanted = INSIDE * min(self.error, 1.0)
            goal = max(wanted / steepness(island), min(wanted, FINEST))
            self.x = island.convex(goal, self.g, self.x)
            self.error = island.checks.error(self.x, island.velocity(self.x))
            self.g += self.step * (island.shifted(self.x) - self.g)
            count += 1
            self.step, self.idle, self.least = settled(self.step, self.idle, self.least, self.error, AT_A_TIME)
        return count


def steepness(island: Island) -> float:
    """Return the largest coefficient of friction, 1 at least."""
    return max(1.0, float(island.P.K.friction.max(initial=0.0)))


def by_shifts(island: Island, tol: float, fresh: bool = False) -> None:
    """Run the interior point; for Coulomb's law the shift of the velocities is held for each of its calls.

    It begins at the best point, unless a ``fresh`` start is asked for: at no multipliers and no shift.
    """
    if island.law == 0:
        island.convex(tol, island.zero, island.x)
    else:
        HeldShifts(island, fresh).advance(tol)
