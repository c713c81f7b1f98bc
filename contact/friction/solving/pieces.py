"""Sweeps of Gauss-Seidel, piece by piece, and between the pieces Newton's method where the error is.

Sweeps solve nearly all contacts of a pile quickly. What is left are circles of few contacts, which Newton's method breaks
(:mod:`~pluecker.contact.friction.solving.local`). With momentum a third of the sweeps does. A circle whose solution moves
with that of its neighbours may hold momentum up: then a short piece without it comes between. Over-relaxed sweeps are
slower, and seldom held up.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.first_order.pgs import USUAL
from pluecker.contact.friction.solving.island import Island
from pluecker.contact.friction.solving.local import Parts
from pluecker.spatial.functions.elementwise import Array

__all__ = ["over_relaxed", "with_momentum"]

SHORT, FAST, RELAXED = 48, 192, 1024  # sweeps of a piece: plain, with momentum, over-relaxed, which are slower
GAINS = 0.7  # of the error: a piece that leaves more than that is held up
IDLE = 20  # pieces in a row that may bring nothing better: twice as many are seldom of use


class Pieces:
    """Sweeps from a start, judged by themselves, whatever better point is known from others.

    Args:
        island: on its way.
        x: the start.
        most: sweeps.
        second: that a sweep takes, where what parts take counts as sweeps; else 0.

    Attributes:
        x, u: the last pair, from which the next piece goes on.
        left: sweeps that may still be made.
        idle: pieces in a row that brought nothing better.
        good: whether the last one was not held up.
    """

    def __init__(self, island: Island, x: Array, most: float, second: float = 0.0) -> None:
        self.island, self.x, self.u, self.second = island, x.copy(), island.velocity(x), second
        self.left, self.parts, self.idle, self.good = min(most, island.rest), Parts(island), 0, True
        self.others = island.x.copy(), island.u.copy()
        island.forget_sweeps()
        island.error = np.inf
        island.take(self.x, self.u)

    def make(self, tol: float, count: int, relaxation: float, momentum: bool) -> bool:
        """Run one piece, and Newton's method on parts; return whether another one may follow."""
        island, spent, before = self.island, self.island.iterations, self.island.error
        island.sweeps(tol, int(min(count, self.left)), self.x, self.u, relaxation, momentum)
        done, error = island.iterations - spent, island.error
        self.left -= done
        self.good, self.idle = error < GAINS * before, 0 if error < before else self.idle + 1
        if error <= tol or done == 0 or self.left <= 0 or island.rest <= 0 or self.idle >= IDLE:
            return False
        spent, self.parts.seconds = island.iterations, 0.0
        self.parts.improve(self.x, self.u, not self.good)
        self.left -= max(self.parts.seconds / self.second if self.second > 0.0 else 0.0, island.iterations - spent)
        return island.error > tol and self.left > 0

    def end(self) -> None:
        """Leave the island the better of this and of what it had before."""
        self.island.take(*self.others)


def with_momentum(
    island: Island, tol: float, x: Array, most: float, second: float = 0.0, patience: float = np.inf
) -> None:  # fmt: skip
    """Sweep from x with momentum, and without it after each piece that was held up.

    Args:
        island: on its way.
        tol: the error to be reached.
        x: the start.
        most: sweeps.
        second: that a sweep takes, where what parts take counts as sweeps; else 0.
        patience: pieces in a row that may be held up.
    """
    pieces, fast, held_up = Pieces(island, x, most, second), True, 0
    while held_up < patience and pieces.make(tol, FAST if fast else SHORT, 1.0, fast):
        held_up = 0 if pieces.good else held_up + 1
        fast = pieces.good or not fast
    pieces.end()


def over_relaxed(island: Island, tol: float, x: Array, most: float) -> None:
    """Sweep over-relaxed from x."""
    pieces = Pieces(island, x, most)
    while pieces.make(tol, RELAXED, USUAL, False):
        pass
    pieces.end()
