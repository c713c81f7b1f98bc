"""Sweeps of Gauss-Seidel over large islands, piece by piece, and between the pieces Newton's method where the error is.

Sweeps solve nearly all contacts of a pile quickly. What is left are circles of few contacts, which Newton's method breaks:
the contacts with most of the error, and all within some rings around them, are solved alone, with all others as they are;
what sweeps do next carries the change on. This is a Schwarz method whose subdomains are chosen where the error is, with
sweeps in place of a coarse problem. Contacts that do not act on one another are parts of their own, which threads solve side
by side: the same bits for any number of threads.

With momentum a third of the sweeps does. A circle whose solution moves with that of its neighbours may hold momentum up:
then a short piece without it comes between. Over-relaxed sweeps are slower, and seldom held up.

Source: V. Dolean, P. Jolivet and F. Nataf, "An introduction to domain decomposition methods" (2015), chapter 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.friction.first_order.pgs import USUAL
from pluecker.contact.friction.solving.islands.island import Island
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.functions.elementwise import Array

__all__ = ["over_relaxed", "with_momentum"]

SHORT, FAST, RELAXED = 48, 192, 1024  # sweeps of a piece: plain, with momentum, over-relaxed, which are slower
GAINS = 0.7  # of the error: a piece that leaves more than that is held up
IDLE = 20  # pieces in a row that may bring nothing better: twice as many are seldom of use

# Shares of the squared error that new parts have together, and rings of neighbours around them: the first ones, or the next
# where sweeps are held up and parts would be too large.
AROUND = ((0.9, 2), (0.9, 1), (0.5, 1), (0.5, 0))
# Of the squared error: what new parts reach of that outside, else they are sought closer around it, and what is left a piece
# later where parts grow; what parts have together, else there are new ones; what a part has that grows, and that is solved.
REACHED, HELD, HOLDS_UP, UNSOLVED = 0.25, 0.5, 0.1, 0.0025
NEW, GROWN = 500, 1500  # contacts of a part, at most, when it is found, and when it has grown
GOAL, HELPS = 0.01, 0.5  # of the error of a part: what is asked for, and what is taken
MOST_FACTORS, FEW_FACTORS = 40, 12  # of a part, where sweeps are held up, and where not
OUTSIDE, INSIDE = -2, -1  # of some blocks, before sets have numbers


class Pieces:
    """Sweeps from a start, judged by themselves, whatever better point is known from others.

    Args:
        island: on its way.
        x: the start.
        most: sweeps.

    Attributes:
        x, u: the last pair, from which the next piece goes on.
        left: sweeps that may still be made.
        idle: pieces in a row that brought nothing better.
        good: whether the last one was not held up.
    """

    def __init__(self, island: Island, x: Array, most: float) -> None:
        self.island, self.x, self.u = island, x.copy(), island.velocity(x)
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
        self.parts.improve(self.x, self.u, not self.good)
        return island.error > tol

    def end(self) -> None:
        """Leave the island the better of this and of what it had before."""
        self.island.take(*self.others)


def with_momentum(island: Island, tol: float, x: Array, most: float, patience: float = np.inf) -> None:
    """Sweep from x with momentum, and without it after each piece that was held up.

    Args:
        island: on its way.
        tol: the error to be reached.
        x: the start.
        most: sweeps.
        patience: pieces in a row that may be held up.
    """
    pieces, fast, held_up = Pieces(island, x, most), True, 0
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


# ----------------------------------------------------------------------------------------------------------------- parts


class Parts:
    """Contacts of an island where the error is or was, which are solved again as sweeps go on.

    Attributes:
        inside: a mask of them, ``(n,)``; those that hang together are a part.
        before: the squared error when they were last improved.
    """

    def __init__(self, island: Island) -> None:
        self.island, self.inside, self.before = island, np.zeros(island.contacts, bool), np.inf

    def improve(self, x: Array, u: Array, held_up: bool) -> None:
        """Run Newton's method in all parts that have error, all others held; x and u become that pair.

        The error of the whole may rise at first, because neighbours have not answered yet: the island keeps its best.
        """
        island = self.island
        parts = [] if island.whole.roots is None else self.due(island.errors(x, u), held_up)
        if parts:
            helps = island.improve_parts(parts, x, u, GOAL, HELPS, MOST_FACTORS if held_up else FEW_FACTORS)
            for blocks, helped in zip(parts, helps, strict=True):
                if held_up and not helped:
                    self.grow(blocks)
            if any(helps):
                u[:] = island.velocity(x)
                island.take(x, u)

    def due(self, error: Array, held_up: bool) -> list[Indices]:
        """Return the contacts of each part to be solved, found or grown by the squared errors, ``(n,)``."""
        N, whole = self.island.P.A.N, float(error.sum())
        share = float(error[self.inside].sum()) / whole if whole > 0.0 else 0.0
        if whole > REACHED * self.before and share > HELD:
            for blocks in connected_components(N, np.flatnonzero(self.inside)):
                if error[blocks].sum() > HOLDS_UP * whole:
                    self.grow(blocks)
        if share < HELD:
            self.extend(np.where(self.inside, 0.0, error), held_up)
        self.before = whole
        return [
            blocks
            for blocks in connected_components(N, np.flatnonzero(self.inside))
            if error[blocks].sum() > UNSOLVED * whole
        ]

    def grow(self, blocks: Indices) -> None:
        """Add a ring of neighbours to a part, unless it becomes too large, with the parts that it meets then."""
        N, mine = self.island.P.A.N, np.zeros_like(self.inside)
        mine[blocks] = True
        wider = self.inside | around(N, mine)
        if next(len(part) for part in connected_components(N, np.flatnonzero(wider)) if blocks[0] in part) <= GROWN:
            self.inside = wider

    def extend(self, outside: Array, held_up: bool) -> None:
        """Add the contacts with most of the squared error outside of all parts, ``(n,)``, and rings around them."""
        N, whole = self.island.P.A.N, float(outside.sum())
        best: tuple[float, list[Indices]] = (0.0, [])
        for share, rings in AROUND if held_up else AROUND[:1]:
            every = connected_components(N, np.flatnonzero(around(N, those_with_most(outside, share), rings)))
            found = [blocks for blocks in every if len(blocks) <= NEW and outside[blocks].sum() > UNSOLVED * whole]
            best = max(best, (float(sum(outside[blocks].sum() for blocks in found)), found), key=lambda one: one[0])
            if best[0] > REACHED * whole:
                break
        for blocks in best[1]:
            self.inside[blocks] = True


def those_with_most(error: Array, share: float) -> NDArray[np.bool_]:
    """Return a mask of the fewest blocks that have such a share of the error together."""
    whole, inside = error.sum(), np.zeros(len(error), bool)
    most = np.flatnonzero(error >= (1.0 - share) * whole / len(error))  # the others have not even the rest together
    order = most[np.argsort(-error[most], kind="stable")]
    inside[order[: 1 + np.searchsorted(np.cumsum(error[order]), share * whole)]] = True
    return inside


def around(N: BlockMatrix, inside: NDArray[np.bool_], rings: int = 1) -> NDArray[np.bool_]:
    """Return a mask of some blocks and rings of neighbours around them."""
    inside = inside.copy()
    for _ in range(rings):
        meet(N, np.flatnonzero(inside), inside)
    return inside


def meet(N, blocks, met):
    """Set ``met`` to True for each column in which some block rows of a square N have blocks"""
    for i in blocks:
        for k in range(N.first[i], N.first[i + 1]):
            met[N.column[k]] = True


meet = entry_point(meet)


def connected_components(N: BlockMatrix, blocks: Indices) -> list[Indices]:
    """Split some blocks, ascending, into sets that do not act on one another; the set of the first one comes first."""
    label, stack = np.full(len(N.first) - 1, OUTSIDE), np.empty(len(blocks), np.int64)
    label[blocks] = INSIDE
    count, mine = spread(N, blocks, label, stack), label[blocks]
    return [blocks[mine == k] for k in range(count)]


def spread(N, blocks, label, stack):
    """Number the sets of connected blocks among those that are ``INSIDE``, in ``label``; return how many sets there are"""
    count = 0
    for start in blocks:
        if label[start] != INSIDE:
            continue
        stack[0], label[start], left = start, count, 1
        while left > 0:
            left -= 1
            i = stack[left]
            for k in range(N.first[i], N.first[i + 1]):
                j = N.column[k]
                if label[j] == INSIDE:
                    stack[left], label[j] = j, count
                    left += 1
        count += 1
    return count


spread = entry_point(spread)
