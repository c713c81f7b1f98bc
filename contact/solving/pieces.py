"""Sweeps of Gauss-Seidel under Coulomb's law, piece by piece, and between the pieces Newton's method where the error is.

Sweeps solve nearly all contacts of a pile quickly. What is left are circles of few contacts, which Newton's method breaks
(:mod:`~pluecker.contact.solving.local`). In turn, each as long as it promises to get there:

==================  ===================================================================================================
sweeps              where they are good
==================  ===================================================================================================
with momentum       a third of the sweeps does, if circles are soon broken
in short pieces     where momentum is held up: the solution of a circle moves with that of its neighbours, which have to
                    answer each other. Where all goes well for a while there is momentum again
over-relaxed        slower, from nothing, and seldom held up
==================  ===================================================================================================

Lengths of pieces and numbers of pieces that may fail were chosen on packings of 5,000 and 20,000 contacts, 30 and 12 seeds,
of which all converge. Longer pieces after those that fail do not help: with pieces three times as long there are 1,620
sweeps, not 1,500, and 2,900, not 2,500.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pluecker.contact.first_order.pgs import USUAL
from pluecker.contact.first_order.runner import REFERENCE
from pluecker.contact.solving.island import Island
from pluecker.contact.solving.local import Subdomains
from pluecker.spatial.functions.elementwise import Array

__all__ = ["sweep_in_pieces"]

LARGEST = 4096  # sweeps before Newton's method looks at what is left, at most
CHEAPER = 4.0  # sweeps of a large island, in the time of one of others
SHORT, FAST = 48, 192  # sweeps of a piece: plain, with momentum
CALM = 4  # plain pieces in a row that get nearer, before there is momentum; after each time that it fails twice as many
GAINS = 0.7  # of the error: momentum that leaves more than that has failed
WORTH = 0.5  # of the error: pieces that leave more than that promise too little
IDLE = 40  # pieces in a row that may bring nothing


class Sweeps(NamedTuple):
    """A kind of sweeps of Gauss-Seidel, and the pieces in which they are made.

    Attributes:
        relaxation, momentum: of each sweep.
        first: sweeps of the first piece, after which Newton's method looks at what is left.
        growth: from piece to piece.
        patience: pieces in a row that may promise too little.
    """

    relaxation: float
    momentum: bool
    first: int
    growth: float
    patience: int


WITH_MOMENTUM, OVER_RELAXED = Sweeps(1.0, True, FAST, 1.0, 3), Sweeps(USUAL, False, 512, 1.5, 2)


class Pieces:
    """Sweeps from a start, judged by themselves, whatever better point is known from others.

    Attributes:
        x, u: the last pair, from which the next piece goes on.
        left: sweeps that may still be made.
    """

    def __init__(self, island: Island, tol: float, x: Array, most: float) -> None:
        self.island, self.tol, self.x, self.u = island, tol, x.copy(), island.velocity(x)
        self.left, self.parts = min(most, island.rest), Subdomains(island)
        self.others = island.x.copy(), island.u.copy()
        island.error = np.inf
        island.take(self.x, self.u)

    def make(self, count: float, relaxation: float, momentum: bool) -> int:
        """One piece; how many sweeps it took."""
        island, spent = self.island, self.island.iterations
        island.sweeps(self.tol, int(min(count, self.left)), self.x, self.u, relaxation, momentum)
        done = island.iterations - spent
        self.left -= done
        return done

    def end(self) -> None:
        """The island has the better of this and of what it had before."""
        self.island.take(*self.others)


def sweep_in_pieces(island: Island, tol: float, paid: float, least: float, price: Callable[[], float]) -> None:
    """All kinds in turn, each for as long as what follows takes; over-relaxed ones to their end where nothing does.

    Args:
        island: on its way.
        tol: the error to be reached.
        paid: iterations of gradients: what takes longer does not follow, and sweeps take no longer.
        least, price: iterations of gradients that take as long as what follows, from below, and what finds how many.
    """
    start, cheaper = island.x.copy(), 1.0 if island.sweeping is None else CHEAPER
    in_growing_pieces(island, tol, start, cheaper * min(least, paid), WITH_MOMENTUM, False)
    if island.error > tol:
        in_short_pieces(island, tol, cheaper * min(least, paid))
    if island.error > tol:
        dear = price()
        in_growing_pieces(island, tol, start, cheaper * min(dear, paid), OVER_RELAXED, dear > paid)


def in_growing_pieces(
    island: Island, tol: float, x: Array, most: float, kind: Sweeps, to_the_end: bool
) -> None:  # fmt: skip
    """Sweeps of one kind from x, as long as they promise to get there in so many."""
    pieces, bad, steps = Pieces(island, tol, x, most), 0, kind.first
    while island.error > tol and pieces.left > 0 and (to_the_end or bad < kind.patience):
        before, left = island.error, pieces.left
        done, error = pieces.make(steps, kind.relaxation, kind.momentum), island.error
        if error <= tol or done == 0:
            break
        missing = done * np.log(error / REFERENCE) if error > REFERENCE else 0.0
        bad = bad + 1 if not error < WORTH * before or missing > (left - done) * np.log(before / error) else 0
        steps = min(int(kind.growth * steps), LARGEST)
        if pieces.left > 0 and (to_the_end or bad < kind.patience):
            pieces.parts.improve(pieces.x, pieces.u, bad > 0)
    pieces.end()


def in_short_pieces(island: Island, tol: float, most: float) -> None:
    """Plain sweeps from the best point, and sweeps with momentum where these go well."""
    pieces, idle, calm, failed, fast = Pieces(island, tol, island.x, most), 0, 0, 0, False
    while island.error > tol and pieces.left > 0 and idle < IDLE:
        before = island.error
        done, error = pieces.make(FAST if fast else SHORT, 1.0, fast), island.error
        if error <= tol or done == 0:
            break
        good, idle = error < (GAINS if fast else 1.0) * before, 0 if error < before else idle + 1
        if not fast:
            calm = calm + 1 if good else 0
        elif not good:
            failed, calm = failed + 1, 0
            pieces.x[:], pieces.u[:] = island.x, island.u
        fast = calm >= CALM * 2**failed
        pieces.parts.improve(pieces.x, pieces.u, not good)
    pieces.end()
