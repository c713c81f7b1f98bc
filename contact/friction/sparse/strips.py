"""The contacts of a large island in an order in which sweeps go eight at a time, and threads share them.

A sweep of Gauss-Seidel takes one contact after the other, each with the newest velocities of its two bodies. Contacts that
have no body in common do not notice in which order they are taken. So there are

- *strips*: contacts have levels, from the first one outwards, as it comes breadth first. A body has contacts of two levels
  that follow one another, at most. A strip has one or more whole levels: every other strip has no body in common, and
  threads share first the even strips, then each odd one when the two beside it are done;
- *groups* of eight contacts in a strip that have no body in common: one instruction serves all of them.

The result is that of a sweep in this order, one contact after the other, whoever does which strip.

Source: Y. Saad, "Iterative methods for sparse linear systems" (SIAM, 2003): red-black orderings, here of strips in place of
points, section 12.4; breadth-first levels, section 3.3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.contact.friction.sparse.gather import HEIGHT, ROWS_OF_GROUP, SIDES, WIDTH, W, fits, rows
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Strips", "find_levels", "from_slots", "make_strips", "to_slots"]

GROUP = 8  # contacts of a group
THICK = 256  # contacts that a strip has at least: about ten microseconds of work
WINDOW = 128  # contacts of a strip that are looked at for one group
EMPTY = 1.25  # times the contacts that there are: what groups may have places for


class Strips(NamedTuple):
    """J and T of some contacts, in strips and groups.

    Attributes:
        bodies: their number; behind them one without a mass, for contacts with one body alone, and for empty places.
        J, T: 36 rows for each group of contacts, the blocks of their two bodies; one array if both are the same.
        sides: the numbers of these bodies, two for each contact: in the order of the levels that they have contacts of.
        slots: the place of each contact, ``(n,)``.
        places: how many there are.
        begin: where the groups of each strip begin, the even strips first, and their number.
        owned: of each strip the first body that begins there, and their end, ``(2 strips,)``. These may have contacts there,
            and none in strips that are taken before.
        even: how many of these strips are even.
    """

    bodies: int
    J: Array
    T: Array
    sides: Indices
    slots: Indices
    places: int
    begin: Indices
    owned: Indices
    even: int

    @property
    def groups(self) -> int:
        """Number of groups of contacts."""
        return self.places // W


def blocks_in_lanes(B: BlockMatrix, first: int, slots: Indices, side: Indices, groups: int) -> Array:
    """Copy the blocks of B from ``first`` on to rows, by the slots and the sides that they are for."""
    memory = rows(groups * GROUP // W * ROWS_OF_GROUP)
    put_blocks(B, first, slots, side, W, memory.reshape(-1))
    return memory


def to_slots(numbers: Array, strips: Strips) -> Array:
    """Arrange the k numbers of each contact, ``(n, k)``, by slots: k rows for each group; zero in empty places."""
    memory = rows(strips.groups * numbers.shape[1])
    put_into(np.ascontiguousarray(numbers, np.float64), strips.slots, W, memory.reshape(-1))
    return memory


def from_slots(memory: Array, strips: Strips, k: int) -> Array:
    """Return the ``(n, k)`` numbers that :func:`to_slots` arranged in these rows: its inverse."""
    numbers = np.empty((len(strips.slots), k))
    take_from(memory.reshape(-1), strips.slots, W, numbers)
    return numbers


def put_into(numbers, slots, width, memory):
    """Copy number c of contact i to row c of the group of its slot, in the lane of its slot"""
    k = numbers.shape[1]
    for i in range(len(slots)):
        first = slots[i] // width * k * width + slots[i] % width
        for c in range(k):
            memory[first + c * width] = numbers[i, c]


def put_blocks(B, first, slots, side, width, memory):
    """Copy entry r of block ``first + n`` to row r of side ``side[n]`` of the group of its slot, in the lane of its slot"""
    size = HEIGHT * WIDTH
    for n in range(len(slots)):
        place = B.place[first + n]
        top = (slots[n] // width * SIDES + side[n]) * size * width + slots[n] % width
        for r in range(size):
            memory[top + r * width] = B.data[place + r]


def take_from(memory, slots, width, numbers):
    """Copy row c of the group of each slot, in the slot's lane, to number c of its contact: inverse of :func:`put_into`"""
    k = numbers.shape[1]
    for i in range(len(slots)):
        first = slots[i] // width * k * width + slots[i] % width
        for c in range(k):
            numbers[i, c] = memory[first + c * width]


put_into, put_blocks, take_from = entry_point(put_into), entry_point(put_blocks), entry_point(take_from)


def make_strips(J: BlockMatrix, T: BlockMatrix, first: int, last: int, left: int, right: int) -> Strips | None:
    """Lay out the block rows from ``first`` to ``last``, with the block columns from ``left`` to ``right``, in strips.

    Returns:
        None where they do not fit, as :func:`~pluecker.contact.friction.sparse.gather.fits` says; where they do not
        come breadth first; where few bodies have so many contacts that groups would be half empty.
    """
    if not fits(J, T, first, last, left, right):
        return None
    n, bodies = last - first, right - left
    found = slice(int(J.first[first]), int(J.first[last]))
    counts = np.diff(J.first[first : last + 1])
    contact = np.repeat(np.arange(n), counts)
    side = np.arange(len(contact)) - (J.first[first:last] - J.first[first])[contact]
    sides = np.full((n, SIDES), bodies)
    sides[contact, side] = J.column[found] - left
    level, nearest = np.empty(n, np.int64), np.full(bodies + 1, -1)
    levels = find_levels(sides, level, nearest)
    if levels == 0:
        return None
    number = np.full(bodies + 1, bodies)
    number[np.argsort(nearest[:bodies], kind="stable")] = np.arange(bodies)
    sides = number[sides]
    order, strip_begin, strip = in_strips(level, levels)
    slots, begin = np.empty(n, np.int64), np.empty(len(strip_begin), np.int64)
    following, met = np.empty(n + 1, np.int64), np.full(bodies + 1, -1)
    groups = pack(sides, order, strip_begin, following, met, slots, begin)
    if groups * GROUP > EMPTY * n + GROUP * len(begin):
        return None
    in_lanes = blocks_in_lanes(J, int(J.first[first]), slots[contact], side, groups)
    other = in_lanes if T is J else blocks_in_lanes(T, int(T.first[first]), slots[contact], side, groups)
    both = np.full((groups * GROUP, SIDES), bodies)
    both[slots] = sides
    pairs = both[:, 0] | both[:, 1] << 32
    even = len(range(0, len(strip_begin) - 1, 2))
    owned = bodies_of_strips(strip, nearest[:bodies])
    return Strips(bodies, in_lanes, other, pairs, slots, groups * GROUP, begin * GROUP // W, owned, even)


def bodies_of_strips(strip: Indices, nearest: Indices) -> Indices:
    """Return the range of bodies that each strip owns, ``owned`` of :class:`Strips`, ``(2 strips,)``.

    Contacts of a body are of its lowest level or the next. Where these are of two strips, the even one comes first.

    Args:
        strip: the strip of each level.
        nearest: the lowest level of each body.
    """
    of_level = np.concatenate([strip[:1], strip, strip[-1:]])  # from -1 on: bodies without contacts
    here, above = of_level[:-1], of_level[1:]
    owner = np.where(above % 2 == 0, above, here)
    strips, count = np.arange(strip[-1] + 1), np.cumsum(np.bincount(nearest + 1, minlength=len(owner)))
    ends = count[np.searchsorted(owner, strips, side="right") - 1]
    pairs = np.stack([np.concatenate([[0], ends[:-1]]), ends], axis=1)
    return np.concatenate([pairs[::2], pairs[1::2]]).reshape(-1)


def in_strips(level: Indices, levels: int) -> tuple[Indices, Indices, Indices]:
    """Sort contacts by strips, even strips first.

    Returns:
        The order of the contacts; where each strip begins, and the number of contacts; the strip of each level.
    """
    counts, strip, number, size = np.bincount(level, minlength=levels), np.empty(levels, np.int64), 0, 0
    for k in range(levels):
        strip[k], size = number, size + counts[k]
        if size >= THICK:
            number, size = number + 1, 0
    if size > 0 and number > 0:  # what is left is too thin for a strip of its own
        strip[strip == number] = number - 1
    mine = strip[level]
    order = np.lexsort((np.arange(len(level)), mine, mine % 2))
    sizes = np.bincount(mine)
    return order, np.concatenate([[0], np.cumsum(np.concatenate([sizes[::2], sizes[1::2]]))]), strip


def find_levels(sides, level, nearest):
    """Find the levels of contacts that come breadth first; return how many there are, 0 where they do not come so

    ``nearest`` is -1 for each body, and becomes its lowest level.
    """
    none, highest = len(nearest) - 1, -1
    for i in range(len(level)):
        a, b = sides[i, 0], sides[i, 1]
        below = nearest[a] if a != none else -1
        other = nearest[b] if b != none else -1
        if below < 0 or 0 <= other < below:
            below = other
        mine = below + 1 if below >= 0 else max(highest, 0)
        if mine < highest:
            return 0
        highest = mine
        for k in range(2):
            c = sides[i, k]
            if c != none:
                if nearest[c] < 0:
                    nearest[c] = mine
                if mine > nearest[c] + 1:
                    return 0
        level[i] = mine
    return highest + 1


def pack(sides, order, strip_begin, following, met, slots, begin):
    """Pack the contacts of each strip into groups that have no body in common; return the number of groups

    Writes the place of each contact to ``slots``, and the first group of each strip to ``begin``. Each group takes the first
    contacts of the strip that fit. ``following`` is a list of those that are left, ``met`` is -1 for each body.
    """
    none, group = len(met) - 1, 0
    for s in range(len(strip_begin) - 1):
        begin[s] = group
        top, bottom = strip_begin[s], strip_begin[s + 1]
        head = len(following) - 1  # in front of the first one
        following[head] = top
        for n in range(top, bottom):
            following[n] = n + 1
        while following[head] < bottom:
            before, n, taken, looked = head, following[head], 0, 0
            while n < bottom and taken < GROUP and looked < WINDOW:
                looked += 1
                i = order[n]
                a, b = sides[i, 0], sides[i, 1]
                if (a != none and met[a] == group) or (b != none and met[b] == group):
                    before = n
                else:
                    met[a] = group
                    met[b] = group
                    slots[i] = GROUP * group + taken
                    taken += 1
                    following[before] = following[n]
                n = following[n]
            group += 1
    begin[len(strip_begin) - 1] = group
    return group


find_levels, pack = entry_point(find_levels), entry_point(pack)
