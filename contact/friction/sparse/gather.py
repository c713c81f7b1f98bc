"""Numbers from eight places at once, and what eight numbers are together: for matrices whose rows lie in lanes.

Places are 32 bits long, two in each integer, the first one in the lower half. Eight integers belong to a group of lanes;
without compilation lanes are numbers, and one integer does.

The operator of a large island laid out for threads: eight contacts side by side, and once more body by body.

A product ``N x = J (T' x)`` goes over the contacts twice: first each contact adds to the velocities of its bodies, then it
reads them. If bodies collect what their contacts add, in the order of contacts, no two of them write to the same place, and
any number of threads may share them with the same result. For that the blocks of T lie in the order of bodies, those of J in
the order of contacts, which is no more to read than one matrix twice; indices have 32 bits.

The matrices are held with single precision: a large island does not fit into the caches, and an iteration takes as long as
its matrices take to come. What that changes is made good by whoever multiplies with them.

Eight contacts, or eight bodies, are a *group*, whose numbers lie side by side, so that one instruction serves all of them:
number ``r`` of contact ``i`` is in row ``k r + r`` of ``k`` rows a group, in lane ``i % 8``. Bodies of a group have to have
about as many contacts each; so in each block of bodies they are in the order of these. Without compilation a group has one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import config
from numpy.typing import NDArray

from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.spatial.engine.compiled.decorators import kernel, positive
from pluecker.spatial.engine.scalars.lanes import WIDTH, everywhere, get_lane, set_lane
from pluecker.spatial.engine.scalars.operations import load
from pluecker.spatial.functions.elementwise import Array, rows_of_eight

__all__ = [
    "BLOCK",
    "BODY_BLOCK",
    "HEIGHT",
    "SIDES",
    "WIDTH",
    "Interleaved",
    "W",
    "fits",
    "from_lanes",
    "gather",
    "interleave",
    "largest_of",
    "places",
    "rows",
    "sum_of",
    "to_lanes",
]

W = 1 if config.DISABLE_JIT else WIDTH  # numbers in a group
LOWER = (1 << 32) - 1


def places(pairs, k, second):
    """Return the first or the second place of each integer in group ``k``"""
    pair = int(pairs[k])
    return (pair >> 32 if second else pair & LOWER,)


def gather(numbers, where, offset):
    """Read the numbers at these places, all moved on by ``offset``"""
    return numbers[where[0] + offset]


def sum_of(x):
    """Return the sum of all lanes"""
    return x


def largest_of(x):
    """Return the largest of all lanes"""
    return x


@kernel
def place(pairs, n, second):
    """Return the first or the second place of integer ``n``"""
    pair = load(pairs, n)
    return positive(pair >> 32 if second else pair & LOWER)


if not config.DISABLE_JIT:

    @kernel
    def places(pairs, k, second):
        """Return the first or the second place of each integer in group ``k``"""
        n, s = 8 * k, second
        near = place(pairs, n, s), place(pairs, n + 1, s), place(pairs, n + 2, s), place(pairs, n + 3, s)
        return *near, place(pairs, n + 4, s), place(pairs, n + 5, s), place(pairs, n + 6, s), place(pairs, n + 7, s)

    @kernel
    def gather(numbers, where, offset):
        """Read the numbers at these places, all moved on by ``offset``"""
        x = set_lane(everywhere(0.0), 0, load(numbers, where[0] + offset))
        x = set_lane(x, 1, load(numbers, where[1] + offset))
        x = set_lane(x, 2, load(numbers, where[2] + offset))
        x = set_lane(x, 3, load(numbers, where[3] + offset))
        x = set_lane(x, 4, load(numbers, where[4] + offset))
        x = set_lane(x, 5, load(numbers, where[5] + offset))
        x = set_lane(x, 6, load(numbers, where[6] + offset))
        return set_lane(x, 7, load(numbers, where[7] + offset))

    @kernel
    def sum_of(x):
        """Return the sum of all lanes"""
        near, far = (
            (get_lane(x, 0) + get_lane(x, 1)) + (get_lane(x, 2) + get_lane(x, 3)),
            get_lane(x, 4) + get_lane(x, 5),
        )
        return near + (far + (get_lane(x, 6) + get_lane(x, 7)))

    @kernel
    def largest_of(x):
        """Return the largest of all lanes"""
        found = get_lane(x, 0)
        for k in range(1, 8):
            found = max(found, get_lane(x, k))
        return found


# the operator of a large island laid out for threads: eight contacts side by side, and once more body by body


BLOCK, BODY_BLOCK = 32, 16  # groups of contacts, and of bodies, in a block: some microseconds of work
HEIGHT, WIDTH, SIDES = 3, 6, 2  # rows of a contact, columns of a body, bodies of a contact at most
LEAST, MOST = 1e-15, 1e15  # of the largest entry: single precision ends at 1e-38 and 1e38
EMPTY = 1.5  # times the blocks that there are: what the layout by bodies may have, for bodies with different numbers


class Interleaved(NamedTuple):
    """J and T of some contacts and bodies.

    Attributes:
        contacts, bodies: their numbers.
        J: 36 rows for each group of contacts, the blocks of their two bodies; J and T are in single precision.
        sides: where the velocities of these bodies begin, two places for each contact.
        T: 18 rows for each eight blocks.
        first: where the blocks of each group of bodies begin, and their number.
        origins: where the multipliers of each of those blocks begin, two places of consecutive blocks in each integer.
    """

    contacts: int
    bodies: int
    J: Array
    sides: Indices
    T: Array
    first: Indices
    origins: Indices

    @property
    def groups(self) -> int:
        """Number of groups of contacts."""
        return -(-self.contacts // W)

    @property
    def body_groups(self) -> int:
        """Number of groups of bodies."""
        return -(-self.bodies // W)


def rows(n: int, dtype: type[np.floating[Any]] = np.float64) -> Array:
    """Allocate n rows of zeros, one number for each lane: ``(n, W)``, and ``(n,)`` without compilation."""
    if config.DISABLE_JIT:
        return np.zeros(n, dtype)
    bytes_ = np.dtype(dtype).itemsize
    memory = rows_of_eight(-(-n * bytes_ // 8)).reshape(-1).view(dtype)[: n * W].reshape(n, W)
    memory[:] = 0.0
    return memory


def to_lanes(numbers: NDArray[np.floating[Any]], dtype: type[np.floating[Any]] = np.float64) -> Array:
    """Arrange k numbers of each contact, ``(n, k)``, in lanes: k rows for each group, the last one padded with zeros."""
    n, k = numbers.shape
    groups = -(-n // W)
    out = rows(groups * k, dtype)
    wide = out.reshape(groups, k, W)
    whole = n // W
    wide[:whole] = numbers[: whole * W].reshape(whole, W, k).transpose(0, 2, 1)
    if n % W:
        wide[whole, :, : n % W] = numbers[whole * W :].T
    return out


def from_lanes(memory: Array, n: int, k: int) -> Array:
    """Return the ``(n, k)`` numbers that :func:`to_lanes` arranged in these rows: its inverse."""
    return memory.reshape(-1, k, W).transpose(0, 2, 1).reshape(-1, k)[:n]


def places_in(order: Indices, k: int) -> Indices:
    """Return the index of number 0 of each contact or body in memory in lanes, which has k rows for each group."""
    return k * W * (order // W) + order % W


def fits(J: BlockMatrix, T: BlockMatrix, first: int, last: int, left: int, right: int) -> bool:
    """Return whether :func:`interleave` can lay out these block rows.

    Each has to have three rows, and at most two blocks, of six columns each and at the same places in J and T; and their
    entries have to be in the range of single precision.
    """
    for B in (J,) if J is T else (J, T):
        count = np.diff(B.first[first : last + 1])
        if (np.diff(B.rows[first : last + 1]) != HEIGHT).any() or (count > SIDES).any():
            return False
        if (np.diff(B.columns[left : right + 1]) != WIDTH).any():
            return False
        numbers = entries(B, slice(int(B.first[first]), int(B.first[last])))
        if numbers.size and not LEAST < max(numbers.max(), -numbers.min()) < MOST:
            return False
    found, blocks = (slice(int(B.first[first]), int(B.first[last])) for B in (J, T))
    return J is T or (np.array_equal(J.first, T.first) and np.array_equal(J.column[found], T.column[blocks]))


def interleave(J: BlockMatrix, T: BlockMatrix, first: int, last: int, left: int, right: int) -> Interleaved | None:
    """Lay out the block rows from ``first`` to ``last``, with the block columns from ``left`` to ``right``.

    Returns:
        None where they do not fit (:func:`fits`), or where few bodies have very many contacts.
    """
    if not fits(J, T, first, last, left, right):
        return None
    found, blocks = (slice(int(B.first[first]), int(B.first[last])) for B in (J, T))
    column, count = J.column[found] - left, np.diff(J.first[first : last + 1])
    contacts, bodies = last - first, right - left
    contact = np.repeat(np.arange(contacts), count)
    rank, slots = in_order_of_contacts(np.bincount(column, minlength=bodies))
    start = np.concatenate([[0], np.cumsum(slots)]).astype(np.int64)
    if start[-1] * W > EMPTY * len(column) + W * BODY_BLOCK:
        return None
    # By contacts.
    side = np.arange(len(column)) - (J.first[first:last] - J.first[first])[contact]
    by_contact = np.zeros((contacts, SIDES, HEIGHT * WIDTH), np.float32)
    by_contact[contact, side] = entries(J, found)
    places = np.zeros((contacts, SIDES), np.int64)
    places[contact, side] = places_in(rank, WIDTH)[column]
    sides = np.zeros(-(-contacts // W) * W, np.int64)
    sides[:contacts] = places[:, 0] | places[:, 1] << 32
    # By bodies: block by block of each, in the order of contacts.
    by_body = np.argsort(column, kind="stable")
    begins = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=bodies))])
    body = column[by_body]
    slot = start[rank[body] // W] + np.arange(len(column)) - begins[body]
    lane = rank[body] % W
    data = rows(int(start[-1]) * HEIGHT * WIDTH, np.float32)
    data.reshape(-1, HEIGHT * WIDTH, W)[slot, :, lane] = entries(T, blocks)[by_body]
    origins = np.zeros((-(-int(start[-1]) // 2), W, 2), np.int64)
    origins[slot // 2, lane, slot % 2] = places_in(contact, HEIGHT)[by_body]
    pairs = (origins[..., 0] | origins[..., 1] << 32).reshape(-1)
    return Interleaved(
        contacts, bodies, to_lanes(by_contact.reshape(contacts, -1), np.float32), sides, data, start, pairs
    )


def entries(B: BlockMatrix, blocks: slice) -> Array:
    """Return the entries of consecutive blocks, ``(n, 18)``."""
    where = B.place[blocks]
    size = HEIGHT * WIDTH
    if len(where) and (np.diff(where) == size).all():
        return B.data[int(where[0]) : int(where[0]) + size * len(where)].reshape(-1, size)
    return B.data[where[:, None] + np.arange(size)]


def in_order_of_contacts(counts: Indices) -> tuple[Indices, Indices]:
    """Number the bodies of each block by descending numbers of contacts.

    Returns:
        The new number of each body, and the largest number of contacts in each group.
    """
    bodies = len(counts)
    order = np.lexsort((-counts, np.arange(bodies) // (BODY_BLOCK * W)))
    rank = np.empty(bodies, np.int64)
    rank[order] = np.arange(bodies)
    padded = np.zeros(-(-bodies // W) * W, np.int64)
    padded[:bodies] = counts[order]
    return rank, padded.reshape(-1, W).max(axis=1)
