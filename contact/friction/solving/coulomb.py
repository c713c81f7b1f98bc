"""Coulomb's law where gradients do not pay: what is easy for one method is hard for another, so several take turns.

==============  ======================================================================================================
method          where it is good
==============  ======================================================================================================
Gauss-Seidel    many contacts that stick or slide between the same bodies: rock piles, granular flow; plain from the best
                point, over-relaxed from nothing, since each comes where the other goes round in a circle
splitting       arches, walls, houses of cards: one factor serves all iterations
shifts, Newton  the last digits: from the best point where it is near, and from nothing, since from other points they
                seldom lead anywhere
smoothed curve  weight on more contacts than carry it: jammed spheres, ragdolls on one another
==============  ======================================================================================================

Each goes on from where it stopped itself, in rounds that may take twice as long as the one before; those of first order
are left as soon as twice the iterations do not halve the error. Smoothed curves, which take hundreds of factors, come at the
end of all rounds but the first, or of this one too where few contacts are left of many, and all of them once more in the end
(:mod:`~pluecker.contact.friction.solving.smooth_path`); iterations are kept for them. The best point of all is kept. No
decision depends on the tolerance: a tighter one goes the same way, farther.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.first_order.admm import Splitting
from pluecker.contact.friction.first_order.pgs import USUAL
from pluecker.contact.friction.solving.held_shifts import HeldShifts, by_shifts, steepness
from pluecker.contact.friction.solving.island import NEAR, Island, operations, seconds_of_iteration, seconds_of_step
from pluecker.contact.friction.solving.smooth_path import ATTEMPTS, Curve, is_smoothable

__all__ = ["take_turns"]

STEEP = 10.0  # friction from which gradients lead nowhere: they see normal velocities divided by it
ROUNDS = 5
CHUNK = 64  # iterations of a method of first order before the first look
RELAXATIONS = {"pgs": 1.0, "psor": USUAL}
HELPS = 0.5  # of the error, after twice the iterations
AT_A_TIME = 4  # shifts in the first round
INSIDE = 1e-3  # of the error of Coulomb's law, for the convex problem inside
NEWTON_STEPS = 40  # after shifts
EARLY = 1  # rounds before curves are followed, of whole islands
CURVES = 2  # in a round: one more often solves what one did not, and is cheaper than another round
FACTORS = 600  # for one curve, and for what goes on of it; twice as many then in islands of at most PATIENT contacts
LONGER = 2400  # for each of them in the end, in these islands
PATIENT = 500  # contacts: in larger ones curves take minutes, and find a solution less often
KEPT = 18000, 0.2  # iterations that are kept for curves, and of all, if these are fewer
WIDER = 3.0  # sweeps that take eight contacts at a time, in the time of one of others


class Turns:
    """State of the methods that take turns on one island."""

    def __init__(self, island: Island) -> None:
        self.island = island
        nothing = np.zeros(len(island.x))
        self.swept = {"pgs": (island.x.copy(), island.u.copy()), "psor": (nothing, island.velocity(nothing))}
        self.curves: list[Curve | None] = [None] * (len(ATTEMPTS) if is_smoothable(island.P) else 0)
        self.kept = int(min(KEPT[0], KEPT[1] * island.rest)) if self.curves else 0
        self.splitting: Splitting | None = None
        self.chunk = {"pgs": CHUNK, "psor": CHUNK, "admm": CHUNK}
        contacts, blocks, pattern = len(island.P.K.start) - 1, len(island.P.A.N.column), island.pattern
        # Seconds: a sweep, an iteration of the splitting, those of the interior point.
        sweep = seconds_of_iteration(contacts, blocks)
        swept = sweep if island.sweeping is None else sweep / WIDER
        self.seconds = {"pgs": swept, "psor": swept, "admm": sweep + 2e-9 * float(pattern.numbers[0])}
        self.turn = 1.5e-3 + 50.0 * seconds_of_step(contacts, operations(pattern))

    def first_order(self, method: str, tol: float, share: float) -> None:
        """Run sweeps or the splitting, in growing pieces, for about ``share`` of the time of the first round's shifts."""
        island, used = self.island, 0
        most = max(CHUNK, int(share * self.turn / self.seconds[method]))
        before = np.inf
        while island.error > tol and island.rest > self.kept and used < most:
            count = min(self.chunk[method], island.rest - self.kept)
            if method == "admm":
                error = island.split(tol, count, self.begun())
            else:
                error = island.sweeps(tol, count, *self.swept[method], RELAXATIONS[method])
            used += count
            if not error <= HELPS * before:
                break
            self.chunk[method] *= 2
            before = error
        self.chunk[method] *= 2

    def begun(self) -> Splitting:
        """Return the splitting, which begins at zero multipliers."""
        if self.splitting is None:
            zero = np.zeros(len(self.island.x))
            self.splitting = Splitting(self.island.P, 1, zero, zero.copy(), self.island.pattern)
        return self.splitting

    def shifts(self, tol: float, held: HeldShifts, most: int) -> None:
        """Make shifts where the best point is near, with Newton's method after each :data:`AT_A_TIME`"""
        island = self.island
        for _ in range(0, most, AT_A_TIME):
            if tol < island.error < NEAR and held.advance(tol, AT_A_TIME):
                island.newton(tol, NEWTON_STEPS, held.x)

    def curve(self, tol: float, number: int, factors: int, afresh: bool = False) -> None:
        """Follow one of the curves, from where it is, and run Newton's method from where it led.

        One that ended, or each if it is to begin ``afresh``, begins at the best point, where that is better by now.
        """
        island = self.island
        if island.error <= tol or island.rest <= 0 or not self.curves:
            return
        k = number % len(self.curves)
        curve = self.curves[k]
        if curve is None or ((curve.ended or afresh) and island.error < curve.error):
            curve = self.curves[k] = Curve(island, ATTEMPTS[k])
        curve.advance(tol, factors)
        island.newton_if_near(tol)


def take_turns(island: Island, tol: float, early: int = EARLY) -> None:
    """Run the methods of the table in the head of this file, in turn, until the tolerance is reached.

    Args:
        island: on its way.
        tol: the error to be reached.
        early: rounds before curves are followed.
    """
    if steepness(island) > STEEP:
        by_shifts(island, tol, fresh=True)
    turns = Turns(island)
    island.newton_if_near(tol)
    held = HeldShifts(island, lambda: INSIDE * min(island.error, 1.0), 2 * AT_A_TIME, 0.1)
    fresh = HeldShifts(island, lambda: INSIDE * min(island.error, 1.0), AT_A_TIME, 0.05, fresh=True)
    patient = len(island.P.K.start) - 1 <= PATIENT
    for number in range(ROUNDS):
        if island.error <= tol or island.rest <= 0:
            break
        turns.shifts(tol, held, AT_A_TIME * 2**number)
        for method in ("pgs", "psor", "admm"):
            turns.first_order(method, tol, 2.0**number)
            island.newton_if_near(tol)
        fresh.advance(tol, AT_A_TIME * 2**number)  # where first-order points are no place to come from
        turns.shifts(tol, held, AT_A_TIME * 2**number)
        for k in range(CURVES * (number - early), CURVES * (number - early + 1)):
            if k >= 0:
                turns.curve(tol, k, FACTORS * 2 ** (k // len(ATTEMPTS)) if patient else FACTORS)
    for k in range(len(ATTEMPTS) if early > 0 and patient else 0):
        turns.curve(tol, k, LONGER, afresh=True)
    if island.error > tol and island.rest > 0:
        island.sweeps(tol, island.rest, *turns.swept["psor"], RELAXATIONS["psor"])
