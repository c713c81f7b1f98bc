"""Sweeps of Gauss-Seidel, piece by piece, and between the pieces Newton's method where the error is.

Sweeps solve nearly all contacts of a pile quickly. What is left are circles of few contacts, which Newton's method breaks
(:mod:`~pluecker.contact.friction.solving.local`). After each piece of sweeps it is known where the error is, and that
decides which sweeps come next:

==================  ===================================================================================================
sweeps              where they are good
==================  ===================================================================================================
with momentum       a third of the sweeps does, while most of the error is anywhere
plain, few          where momentum is held up by circles: their solution moves with that of their neighbours, which have to
                    answer each other. Once most of the error is elsewhere there is momentum again, and where it stays,
                    but sinks, after some pieces
over-relaxed        in the end, from the same start: slower, and seldom held up
==================  ===================================================================================================

Lengths of pieces were chosen on packings of 1,000 to 100,000 contacts, 20 to 3 seeds of each size, and looked at on as many
others; of 95 seeds of 20,000 contacts, a quarter of them held out, all converge. Pieces of 128 or 160 sweeps with momentum,
and of 24 to 40 without, do as well.

This is for Coulomb's law. In the convex law gradients need about as many iterations as sweeps with momentum; but in islands
that no cache holds an iteration takes half as long again as a sweep, which reads each matrix once. There such sweeps come
first, until they are held up. In smaller ones they come beside gradients that are slow: granular flow hangs on
circles of few contacts too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pluecker.contact.friction.first_order.pgs import USUAL
from pluecker.contact.friction.first_order.runner import REFERENCE
from pluecker.contact.friction.solving.island import Island, seconds_of_iteration
from pluecker.contact.friction.solving.local import OUTSIDE, Subdomains
from pluecker.spatial.functions.elementwise import Array

__all__ = ["sweep_beside", "sweep_in_pieces", "sweep_until_held_up"]

CHEAPER = 4.0  # sweeps of a large island, in the time of one of others
SHORT, FAST = 48, 192  # sweeps of a piece: plain, with momentum
GAINS = 0.7  # of the error: momentum that leaves more than that is held up
PATIENCE = 3  # pieces in a row with momentum that is held up, where the error is anywhere
# Plain pieces in a row that get nearer while the error stays in parts, before there is momentum; twice as many each time it
# fails, up to a number.
CALM, MOST = 8, 256
IDLE = 20  # pieces in a row that may bring nothing better: twice as many are seldom of use
# Over-relaxed sweeps of a large island, which are not given up before: times what follows takes where it is not hard, and a
# share of the iterations left. Of the family ``rest``, 2,500 contacts, seed 0 takes 12 s with them, 55 without.
PATIENT, RESERVED = 2.0, 0.5
# Times as many, beside the limit of iterations, where they came near: they are thousands of times cheaper than what follows,
# which takes longest there. Of 2,500 contacts of ``rocks``, seed 0 takes four fifths of the time with them.
LONGER, NEARLY = 6.0, 1e-4
FIRST, GROWTH, LARGEST = 512, 1.5, 4096  # over-relaxed sweeps of the first piece, from piece to piece, and at most
INSIDE = 0.8  # of the squared error: where parts have more, the next over-relaxed piece is of FIRST sweeps again
WORTH = 0.5  # of the error: pieces that leave more than that promise too little; of two in a row over-relaxed ones end


class Pieces:
    """Sweeps from a start, judged by themselves, whatever better point is known from others.

    Attributes:
        x, u: the last pair, from which the next piece goes on.
        left: sweeps that may still be made.
        counted: seconds of a sweep where what parts take counts as sweeps; else 0.
    """

    def __init__(self, island: Island, tol: float, x: Array, most: float, counted: float = 0.0) -> None:
        self.island, self.tol, self.x, self.u = island, tol, x.copy(), island.velocity(x)
        self.left, self.parts, self.counted = min(most, island.rest), Subdomains(island), counted
        self.others = island.x.copy(), island.u.copy()
        island.error = np.inf
        island.take(self.x, self.u)

    def make(self, count: float, relaxation: float, momentum: bool) -> int:
        """Run one piece; return how many sweeps it took."""
        island, spent = self.island, self.island.iterations
        island.sweeps(self.tol, int(min(count, self.left)), self.x, self.u, relaxation, momentum)
        done = island.iterations - spent
        self.left -= done
        return done

    def improve(self, held_up: bool) -> float:
        """Run Newton's method on parts; return the share of the squared error that lay in parts before."""
        before, self.parts.seconds = self.island.iterations, 0.0
        share = self.parts.improve(self.x, self.u, held_up)
        if self.counted > 0.0:
            self.left -= max(self.parts.seconds / self.counted, self.island.iterations - before)
        return share

    def end(self) -> None:
        """Leave the island the better of this and of what it had before."""
        self.island.take(*self.others)


def sweep_in_pieces(island: Island, tol: float, paid: float, least: float, price: Callable[[], float]) -> None:
    """Sweep with momentum for twice as long as what follows takes, then over-relaxed for as long.

    The over-relaxed ones go on to their end where nothing follows, and in large islands, where what follows takes much
    longer for each contact; there also :data:`LONGER` where they came near, with the sweeps that the island has to spare.

    Args:
        island: on its way.
        tol: the error to be reached.
        paid: iterations of gradients: what takes longer does not follow, and counts as this.
        least, price: iterations of gradients that take as long as what follows, from below, and what finds how many.
    """
    start, cheaper = island.x.copy(), 1.0 if island.sweeping is None else CHEAPER
    with_momentum(island, tol, start, 2.0 * cheaper * min(least, paid))
    if island.error > tol:
        dear, before, large = price(), island.iterations, island.sweeping is not None
        most, more, spare = cheaper * min(dear, paid), 0.0, island.spare if large else 0
        if large:
            most = min(PATIENT * most, RESERVED * island.rest) if dear <= paid else min(most, island.rest)
            more = min((LONGER if dear <= paid else 1.0) * most, max(spare, RESERVED * island.rest - most))
        island.limit += spare
        over_relaxed(island, tol, start, most, more, large or dear > paid)
        island.limit -= max(spare - (island.iterations - before), 0)


def with_momentum(island: Island, tol: float, x: Array, most: float, counted: float = 0.0) -> None:
    """Sweep from x, with momentum where it is not held up."""
    pieces, idle, calm, failed, held_up, fast = Pieces(island, tol, x, most, counted), 0, 0, 0, 0, True
    while island.error > tol and pieces.left > 0 and idle < IDLE:
        before = island.error
        done, error = pieces.make(FAST if fast else SHORT, 1.0, fast), island.error
        if error <= tol or done == 0 or pieces.left <= 0 or island.rest <= 0:
            break
        good, idle = error < (GAINS if fast else 1.0) * before, 0 if error < before else idle + 1
        share = pieces.improve(not good)
        if fast:
            held_up = 0 if good else held_up + 1
            if held_up >= PATIENCE or (held_up > 0 and share > OUTSIDE):
                fast, calm, failed = False, 0, failed + 1
        else:
            calm = calm + 1 if good else 0
            fast = calm > 0 and (share < OUTSIDE or calm >= min(CALM * 2 ** (failed - 1), MOST))
            held_up = 0
    pieces.end()


def sweep_beside(island: Island, tol: float, most: float) -> None:
    """Run :func:`with_momentum` from the best point of a large island, for the time of ``most`` sweeps, parts included."""
    contacts, blocks = len(island.P.K.start) - 1, len(island.P.A.N.column)
    with_momentum(island, tol, island.x, most, seconds_of_iteration(contacts, blocks) / CHEAPER)


def sweep_until_held_up(island: Island, tol: float) -> None:
    """Sweep with momentum from the best point, while the error falls fast enough."""
    pieces, held_up = Pieces(island, tol, island.x, np.inf), 0
    while island.error > tol and held_up < PATIENCE:
        before = island.error
        done, error = pieces.make(FAST, 1.0, True), island.error
        if error <= tol or done == 0 or pieces.left <= 0 or island.rest <= 0:
            break
        held_up = 0 if error < GAINS * before else held_up + 1
        pieces.improve(held_up > 0)
    pieces.end()


def over_relaxed(island: Island, tol: float, x: Array, most: float, more: float, to_the_end: bool) -> None:
    """Sweep over-relaxed from x, while that promises to get there in ``most``; and ``more`` where these came near.

    Pieces grow, except while the error lies in parts.
    """
    pieces, bad, idle, steps = Pieces(island, tol, x, most + more), 0, 0, FIRST
    while island.error > tol and pieces.left > 0 and idle < IDLE and (to_the_end or bad < 2):
        before, left = island.error, pieces.left
        done, error = pieces.make(steps, USUAL, False), island.error
        if error <= tol or done == 0 or pieces.left <= 0 or island.rest <= 0:
            break
        idle = 0 if error < before else idle + 1
        missing = done * np.log(error / REFERENCE) if error > REFERENCE else 0.0
        bad = bad + 1 if not error < WORTH * before or missing > (left - done) * np.log(before / error) else 0
        steps = min(int(GROWTH * steps), LARGEST)
        if pieces.left <= more and error > NEARLY:
            break
        if to_the_end or bad < 2:
            share = pieces.improve(bad > 0)
            if share > INSIDE:
                steps = FIRST
    pieces.end()
