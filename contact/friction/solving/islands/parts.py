"""Sweeps of Gauss-Seidel over large islands, piece by piece, and between the pieces Newton's method where the error is.

Sweeps solve nearly all contacts of a pile quickly. What is left are circles of few contacts, which Newton's method breaks:
the contacts with most of the error and their neighbours are solved alone, with all others as they are; what sweeps do next
carries the change on. This is a Schwarz method whose subdomains are chosen where the error is, with sweeps in place of a
coarse problem. Contacts that do not act on one another are parts of their own, which threads solve side by side: the same
bits for any number of threads.

Measured on 10 packings of 2,600 to 16,000 contacts: with the neighbours all are solved, with theirs as well one fewer; with
pieces of 200 sweeps in place of 100 one or two fewer. Where parts grow and are kept from one piece to the next, that takes
as long.

Source: V. Dolean, P. Jolivet and F. Nataf, "An introduction to domain decomposition methods" (2015), chapter 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.friction.first_order.runner import INSIDE as GOAL
from pluecker.contact.friction.first_order.sweeps import REFRESH
from pluecker.contact.friction.solving.islands.island import Island
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.functions.elementwise import Array

__all__ = ["LARGE", "swept"]

PIECES = 20  # of as many sweeps as velocities are good for, in which the error has to halve
SHARE = 0.9  # of the squared error, that parts have together before their neighbours are added
LARGE = (
    500  # contacts, from which sweeps come before Newton's method: packings of a thousand take the time of ten factors
)
FACTORS = 40  # of each part: few take more
OUTSIDE, INSIDE = -2, -1  # of some blocks, before sets have numbers


def swept(island: Island, tol: float) -> None:
    """Sweep from the best point, with Newton's method on parts, as long as the error halves.

    A circle whose solution moves with that of its neighbours may hold momentum up: after a piece that brings nothing better,
    one comes without it.
    """
    if island.laid is None:
        return
    x, u, before, momentum = island.x.copy(), island.u.copy(), np.inf, True
    while tol < island.error < 0.5 * before and island.rest > 0:
        before = island.error
        for _ in range(PIECES):
            least = island.error
            momentum = island.sweeps(tol, REFRESH, x, u, momentum=momentum) < least or not momentum
            if island.error <= tol or island.rest <= 0:
                return
            improve(island, x, u)


def improve(island: Island, x: Array, u: Array) -> None:
    """Run Newton's method where the error of a pair is, all others held; x and u become a pair with what helps.

    The error of the whole may rise at first, because neighbours have not answered yet: the island keeps its best.
    """
    parts = [] if island.whole.roots is None else parts_of(island.P.A.N, island.errors(x, u))
    if parts and any(island.improve_parts(parts, x, u, GOAL, FACTORS)):
        u[:] = island.velocity(x)
        island.take(x, u)


def parts_of(N: BlockMatrix, error: Array) -> list[Indices]:
    """Return the contacts of each part to be solved, by the squared errors, ``(n,)``: with most of them, and a ring."""
    found = connected_components(N, np.flatnonzero(around(N, those_with_most(error, SHARE))))
    return [blocks for blocks in found if len(blocks) <= LARGE]


def those_with_most(error: Array, share: float) -> NDArray[np.bool_]:
    """Return a mask of the fewest blocks that have such a share of the error together."""
    whole, inside = error.sum(), np.zeros(len(error), bool)
    most = np.flatnonzero(error >= (1.0 - share) * whole / len(error))  # the others have not even the rest together
    order = most[np.argsort(-error[most], kind="stable")]
    inside[order[: 1 + np.searchsorted(np.cumsum(error[order]), share * whole)]] = True
    return inside


def around(N: BlockMatrix, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of some blocks and their neighbours."""
    wider = inside.copy()
    meet(N, np.flatnonzero(inside), wider)
    return wider


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
