"""The contacts of a large island in groups of eight that have no body in common, side by side in lanes.

A sweep of Gauss-Seidel takes one contact after the other, each with the newest velocities of its two bodies. Contacts that
have no body in common do not notice in which order they are taken: one instruction serves eight of them. A sweep over groups
is that over contacts, one after the other, in the order of their groups. Neighbours are near in the order that contacts come
in, so that those that a group leaves out find a place in one of the next.

The numbers of the two bodies of a contact are 32 bits long, in one integer, the first one in the lower half. Without
compilation lanes are numbers, and each contact is a group.

Source: Y. Saad, "Iterative methods for sparse linear systems" (SIAM, 2003), section 12.4: multicolouring, here of a few
contacts at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.spatial.engine.compiled.decorators import entry_point, kernel, positive
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.scalars.lanes import WIDTH as LANES
from pluecker.spatial.engine.scalars.lanes import get_lane
from pluecker.spatial.engine.scalars.operations import load
from pluecker.spatial.functions.elementwise import Array, rows_of_eight

__all__ = ["ROWS_OF_GROUP", "Groups", "largest_of", "make_groups", "places", "rows", "sum_of"]

W = 1 if DISABLE_JIT else LANES  # numbers in a row
GROUP = 8  # contacts of a group
WINDOW = 128  # contacts that are looked at for one group
EMPTY = 1.25  # times the contacts that there are: what groups may have places for
LOWER = (1 << 32) - 1
HEIGHT, WIDTH, SIDES = 3, 6, 2  # rows of a contact, columns of a body, bodies of a contact at most
ROWS_OF_GROUP = HEIGHT * WIDTH * SIDES  # in J and T


def places(pairs, k, second):
    """Return the first or the second place of each integer in group ``k``"""
    pair = int(pairs[k])
    return (pair >> 32 if second else pair & LOWER,)


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


if not DISABLE_JIT:

    @kernel
    def places(pairs, k, second):
        """Return the first or the second place of each integer in group ``k``"""
        n, s = 8 * k, second
        near = place(pairs, n, s), place(pairs, n + 1, s), place(pairs, n + 2, s), place(pairs, n + 3, s)
        return *near, place(pairs, n + 4, s), place(pairs, n + 5, s), place(pairs, n + 6, s), place(pairs, n + 7, s)

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


def rows(n: int) -> Array:
    """Allocate n rows of zeros, one number for each lane: ``(n, W)``, and ``(n,)`` without compilation."""
    if DISABLE_JIT:
        return np.zeros(n)
    memory = rows_of_eight(n).reshape(-1)[: n * W].reshape(n, W)
    memory[:] = 0.0
    return memory


class Groups(NamedTuple):
    """J and T of some contacts in groups.

    Attributes:
        bodies: their number; behind them one without a mass, for contacts with one body alone, and for empty places.
        J, T: 36 rows for each group, the blocks of their two bodies; one array if both are the same.
        sides: the numbers of these bodies, two for each contact.
        slots: the place of each contact, ``(n,)``.
    """

    bodies: int
    J: Array
    T: Array
    sides: Indices
    slots: Indices

    def new_rows(self, height: int) -> Array:
        """Allocate rows of zeros, so many for each group."""
        return rows(len(self.sides) // W * height)

    def put(self, numbers: Array, memory: Array, row: int) -> None:
        """Copy the k numbers of each contact, ``(n, k)``, to rows of its group, from ``row`` on."""
        height = memory.size // len(self.sides)
        put_into(np.ascontiguousarray(numbers, np.float64), self.slots, W, memory.reshape(-1), height, row)

    def take(self, memory: Array, row: int, k: int) -> Array:
        """Return the ``(n, k)`` numbers that :meth:`put` copied: its inverse."""
        numbers = np.empty((len(self.slots), k))
        take_from(memory.reshape(-1), self.slots, W, numbers, memory.size // len(self.sides), row)
        return numbers


def put_into(numbers, slots, width, memory, height, row):
    """Copy number c of contact i to row ``row + c`` of the group of its slot, in the lane of its slot"""
    for i in range(len(slots)):
        first = (slots[i] // width * height + row) * width + slots[i] % width
        for c in range(numbers.shape[1]):
            memory[first + c * width] = numbers[i, c]


def take_from(memory, slots, width, numbers, height, row):
    """Copy the same rows of the group of each slot to the numbers of its contact: inverse of :func:`put_into`"""
    for i in range(len(slots)):
        first = (slots[i] // width * height + row) * width + slots[i] % width
        for c in range(numbers.shape[1]):
            numbers[i, c] = memory[first + c * width]


def put_blocks(B, first, slots, side, width, memory):
    """Copy entry r of block ``first + n`` to row r of side ``side[n]`` of the group of its slot, in the lane of its slot"""
    size = HEIGHT * WIDTH
    for n in range(len(slots)):
        place = B.place[first + n]
        top = (slots[n] // width * SIDES + side[n]) * size * width + slots[n] % width
        for r in range(size):
            memory[top + r * width] = B.data[place + r]


def pack(sides, following, met, slots):
    """Pack contacts into groups that have no body in common, each of the first that fit; return the number of groups

    Writes the place of each contact to ``slots``. ``following`` is a list of the contacts that are left, which begins behind
    them; ``met`` is -1 for each body.
    """
    n, none, group = len(sides), len(met) - 1, 0
    for i in range(n):
        following[i] = i + 1
    following[n] = 0
    while following[n] < n:
        before, i, taken, looked = n, following[n], 0, 0
        while i < n and taken < GROUP and looked < WINDOW:
            looked += 1
            a, b = sides[i, 0], sides[i, 1]
            if (a != none and met[a] == group) or (b != none and met[b] == group):
                before = i
            else:
                met[a] = group
                met[b] = group
                slots[i] = GROUP * group + taken
                taken += 1
                following[before] = following[i]
            i = following[i]
        group += 1
    return group


put_into, take_from = entry_point(put_into), entry_point(take_from)
put_blocks, pack = entry_point(put_blocks), entry_point(pack)


def make_groups(J: BlockMatrix, T: BlockMatrix, first: int, last: int, left: int, right: int) -> Groups | None:
    """Lay out the block rows from ``first`` to ``last``, with the block columns from ``left`` to ``right``, in groups.

    Returns:
        None where :func:`fits` says no, and where few bodies have so many contacts that groups would be half empty.
    """
    if not fits(J, T, first, last, left, right):
        return None
    n, bodies = last - first, right - left
    contact = np.repeat(np.arange(n), np.diff(J.first[first : last + 1]))
    side = np.arange(len(contact)) - (J.first[first:last] - J.first[first])[contact]
    sides = np.full((n, SIDES), bodies)
    sides[contact, side] = J.column[J.first[first] : J.first[last]] - left
    slots = np.empty(n, np.int64)
    count = pack(sides, np.empty(n + 1, np.int64), np.full(bodies + 1, -1), slots)
    if count * GROUP > EMPTY * n + 2 * GROUP:  # the last ones may be half empty in any case
        return None
    group = slots // GROUP  # even ones come first: with momentum sweeps in the order of the contacts are a quarter more
    slots = GROUP * (group // 2 + group % 2 * ((count + 1) // 2)) + slots % GROUP
    both = np.full((count * GROUP, SIDES), bodies)
    both[slots] = sides

    def in_lanes(B: BlockMatrix) -> Array:
        memory = rows(count * GROUP // W * ROWS_OF_GROUP)
        put_blocks(B, int(B.first[first]), slots[contact], side, W, memory.reshape(-1))
        return memory

    here = in_lanes(J)
    return Groups(bodies, here, here if T is J else in_lanes(T), both[:, 0] | both[:, 1] << 32, slots)


def fits(J: BlockMatrix, T: BlockMatrix, first: int, last: int, left: int, right: int) -> bool:
    """Return whether these block rows can lie in lanes.

    Each has to have three rows, and at most two blocks, of six columns each and at the same places in J and T.
    """
    for B in (J,) if J is T else (J, T):
        count = np.diff(B.first[first : last + 1])
        if (np.diff(B.rows[first : last + 1]) != HEIGHT).any() or (count > SIDES).any():
            return False
        if (np.diff(B.columns[left : right + 1]) != WIDTH).any():
            return False
    found, blocks = (slice(int(B.first[first]), int(B.first[last])) for B in (J, T))
    return J is T or (np.array_equal(J.first, T.first) and np.array_equal(J.column[found], T.column[blocks]))
