"""Coulomb's law on one island: methods in turn, in rounds, each of which goes on from where it stopped itself.

==========  ===================================================  =====================================================
method      budget in the first round                            left
==========  ===================================================  =====================================================
shifts      4 convex problems, each with the shift that the one  where the error is above 1e-4; the best point is their
            before it made; then Newton's method, 40 steps       start
pgs, psor   the time of 50 steps of the interior point           where twice the sweeps do not halve the error. Newton's
                                                                 method has 12 steps where they came near
anew        4 shifts from nothing, then Newton's method          where 8 of its steps gain nothing
newton      40 steps from the best point                         where it goes in a circle
==========  ===================================================  =====================================================

Each round has twice the budget of the one before. What is hard for one method is easy for another: Gauss-Seidel brings rock
piles and granular flow, shifts the last digits; Newton's method from shifts that began at nothing brings walls and jammed
spheres, where all that starts from sweeps goes round in a circle. The best point of all is kept. No decision
depends on the tolerance: a tighter one goes the same way, farther.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.first_order.pgs import USUAL
from pluecker.contact.friction.solving.held_shifts import AT_A_TIME, HeldShifts, by_shifts, steepness
from pluecker.contact.friction.solving.island import (
    CHEAPER,
    HELPS,
    HOPE,
    NEAR,
    PROBE,
    SEVERAL,
    Island,
    operations,
    seconds_of_iteration,
    seconds_of_step,
)

__all__ = ["ROUNDS", "take_turns"]

ROUND = "shifts", "pgs", "psor", "anew", "shifts", "newton"
ROUNDS = 3
RELAXATIONS = {"pgs": 1.0, "psor": USUAL}
STEEP = 10.0  # friction from which gradients lead nowhere: they see normal velocities divided by it


class Turns:
    """State of the methods that take turns on one island.

    Attributes:
        swept: pairs of multipliers and velocities from which sweeps go on.
        near, anew: shifts from the best point and from nothing.
        chunk: sweeps of the next piece.
        turn: sweeps in the time of 50 steps of the interior point.
    """

    def __init__(self, island: Island) -> None:
        self.island, zero = island, np.zeros(len(island.x))
        self.swept = {"pgs": (island.x.copy(), island.u.copy()), "psor": (zero, island.velocity(zero))}
        self.near, self.anew = HeldShifts(island), HeldShifts(island, fresh=True)
        self.chunk = {"pgs": PROBE, "psor": PROBE}
        contacts, blocks = len(island.P.K.start) - 1, len(island.P.A.N.column)
        sweep = seconds_of_iteration(contacts, blocks) / (1.0 if island.sweeping is None else CHEAPER)
        self.turn = (1.5e-3 + 50.0 * seconds_of_step(contacts, operations(island.pattern))) / sweep

    def run(self, method: str, times: int, tol: float) -> None:
        """Run a row of the table with so many times its budget in the first round."""
        island = self.island
        if method == "shifts":
            for _ in range(times):
                if tol < island.error < NEAR and self.near.advance(tol, AT_A_TIME):
                    island.newton(tol, SEVERAL, self.near.x)
        elif method == "anew":
            if self.anew.advance(tol, AT_A_TIME * times):
                island.newton(tol, SEVERAL, self.anew.x, HOPE)
        elif method == "newton":
            island.newton(tol, SEVERAL * times)
        else:
            self.sweeps(method, tol, times)
            island.newton_if_near(tol)

    def sweeps(self, method: str, tol: float, times: int) -> None:
        """Run sweeps, in growing pieces, for about so many times :attr:`turn`."""
        island, used, before = self.island, 0, np.inf
        most = max(PROBE, int(times * self.turn))
        while island.error > tol and island.rest > 0 and used < most:
            count = min(self.chunk[method], island.rest)
            error = island.sweeps(tol, count, *self.swept[method], RELAXATIONS[method])
            used += count
            if not error <= HELPS * before:
                break
            self.chunk[method] *= 2
            before = error
        self.chunk[method] *= 2


def take_turns(island: Island, tol: float, rounds: int = ROUNDS) -> None:
    """Run the methods of the table in the head of this file until the tolerance is reached; steep cones as shifts before."""
    if steepness(island) > STEEP:
        by_shifts(island, tol, fresh=True)
    turns = Turns(island)
    island.newton_if_near(tol)
    for number in range(rounds):
        for method in ROUND:
            if island.error > tol and island.rest > 0:
                turns.run(method, 2**number, tol)
