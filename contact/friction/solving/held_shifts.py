"""Coulomb's law by convex problems whose shift is held, each with the shift that the velocities of the one before made.

What a shift is and when its step is halved: :mod:`~pluecker.contact.friction.first_order.shifts`. Here the convex problems
are solved by the interior point.

Source: the fixed point as in Acary, Cadoux, Lemarechal, Malick (2011).
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.first_order.shifts import settled
from pluecker.contact.friction.solving.island import Island

__all__ = ["AT_A_TIME", "SHORTEST", "HeldShifts", "by_shifts", "steepness"]

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
