"""Records of pairs of shapes that may touch, and the machine code that finds where: see :mod:`.touching`."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import config, types

from pluecker.articulated.forces.packing import placed
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import TOUCH, TOUCH_TURN, Function
from pluecker.contact.geometry.hull_parts import PART
from pluecker.contact.geometry.pairs import POSE, Pair, load_pose
from pluecker.contact.geometry.shapes import HalfSpace
from pluecker.contact.geometry.slots import SLOT
from pluecker.contact.geometry.touching import TouchingShapes
from pluecker.contact.rows import layout
from pluecker.contact.rows.motion import PLACE
from pluecker.contact.rows.touching import CALLS, SIZE_PLACE, SLACK_PLACE, SLOT_PLACE, TOUCHING_ROOM
from pluecker.spatial.algebra.vectors import load3
from pluecker.spatial.engine.compiled.decorators import address, compiled_for
from pluecker.spatial.engine.memory.addresses import numbers_at
from pluecker.spatial.engine.scalars.operations import load, load_integer, part

__all__ = ["Touching", "pack_touching", "touching_of"]


class Touching(NamedTuple):
    """Pairs of shapes of a world.

    Attributes:
        pairs: the shapes of each.
        slots: of each pair, where its first slot is, counted over all.
        functions: of each pair, the number of its first function.
        resistances: of each pair, how many rows of resistance each of its slots has.
    """

    pairs: tuple[TouchingShapes, ...]
    slots: tuple[int, ...]
    functions: tuple[int, ...]
    resistances: tuple[int, ...]

    @property
    def n_slots(self) -> int:
        """Number of slots of all pairs."""
        return sum(pair.slots for pair in self.pairs)

    @property
    def numbers(self) -> int:
        """Count of the numbers that all pairs have behind the places of links."""
        return layout.TOUCH_SLOT * self.n_slots + TOUCHING_ROOM if self.pairs else 0

    def places(self, links: int, function: Function) -> tuple[int, int]:
        """Return the offsets of the slot of a function, and of its direction, behind the places of so many links."""
        pair, slot, direction = function.user
        number = next(k for k, own in enumerate(self.pairs) if own is pair)
        at = PLACE * (links + 1) + layout.TOUCH_SLOT * (self.slots[number] + slot)
        return at, at + layout.TOUCH_NORMAL + 3 * direction


def touching_of(functions: Sequence[Function]) -> Touching:
    """Collect the pairs among the functions of all constraints; those of a pair follow one another."""
    pairs: list[TouchingShapes] = []
    slots, first = [0], []
    for k, f in enumerate(functions):
        if f.kind == TOUCH and not any(own is f.user[0] for own in pairs):
            pairs.append(f.user[0])
            first.append(k)
            slots.append(slots[-1] + f.user[0].slots)
    turns = [sum(f.kind == TOUCH_TURN and f.user[0] is own for f in functions) // own.slots for own in pairs]
    return Touching(tuple(pairs), tuple(slots[:-1]), tuple(first), tuple(turns))


def pack_touching(tree: Any, touching: Touching, rows: dict[int, int]) -> Array:
    """Pack the records of all pairs; ``rows``: of the first function of each pair its row among those with a range."""
    links = tree.model.n_links
    records = []
    for pair, slot, function, turns in zip(*touching, strict=True):
        numbers = np.zeros(layout.TOUCH_RECORD)
        frames = [collider.frame for collider in pair.colliders]
        placements = [placed(tree.model, tree.links, frame.name) for frame in frames]
        at = PLACE * (links + 1)
        call = call_of(pair.pair, len(pair.hulls))
        head = [
            call, placements[0][0], placements[1][0], pair.slots, slot, at + layout.TOUCH_SLOT * slot,
            at + layout.TOUCH_SLOT * touching.n_slots, function, rows[function], int(pair.turned), turns,
            rows[function + 3 * pair.slots] if turns else 0,
        ]  # fmt: skip
        numbers[: len(head)] = np.array(head, dtype=np.int64).view(np.float64)
        for k, ((_, T), collider) in enumerate(zip(placements, pair.colliders, strict=True)):
            shape = T @ collider.placement
            place = (layout.SHAPE_1, layout.SHAPE_2)[k]
            numbers[place : place + 9], numbers[place + 9 : place + 12] = shape[:3, :3].ravel(), shape[:3, 3]
            numbers[layout.SIZES + 3 * k : layout.SIZES + 3 * k + 3] = collider.shape.sizes
            surface = (layout.SURFACE_1, layout.SURFACE_2)[k]
            numbers[surface : surface + 3] = shape[:3, :3] @ collider.surface.velocity
        for k, (hull, count) in pair.hulls.items():  # contiguous
            place = layout.HULLS[k]
            numbers[place : place + 3].view(np.int64)[:] = hull.ctypes.data, count, hull.size
        numbers[layout.SLACK] = pair.slack
        numbers[layout.SHIFT] = 0.5 if pair.kinds[0] == HalfSpace.kind else 0.0
        records.append(numbers)
    return np.concatenate([np.zeros(0), *records])


@functools.cache
def call_of(pair: Pair, hulls: int) -> int:
    """Return the address of the call of a kernel, of whose shapes so many are hulls; without compilation its number."""
    function = (pair_call, hull_call, two_hulls_call)[hulls](pair.kernel, pair.slots * SLOT)
    if config.DISABLE_JIT:
        CALLS.append(function)
        return len(CALLS) - 1
    return address(compiled_for(function, (types.intp, types.intp)))


def pair_call(kernel: Callable[..., None], room: int) -> Callable[[Any, int], int]:
    """Make the call of the kernel of a pair on its block: an array, or the address of one in compiled code."""
    block_of = in_array if config.DISABLE_JIT else numbers_at

    def touch(place, k):
        x = block_of(place, SLOT_PLACE + room)
        (R1, p1), (R2, p2) = load_pose(x, 0), load_pose(x, POSE)
        s1, s2 = load3(x, SIZE_PLACE), load3(x, SIZE_PLACE + 3)
        kernel(R1, p1, s1, R2, p2, s2, load(x, SLACK_PLACE), part(x, SLOT_PLACE, room))
        return 0

    touch.__name__ = touch.__qualname__ = f"{kernel.__name__}_touch"
    return touch


def hull_call(kernel: Callable[..., None], room: int) -> Callable[[Any, int], int]:
    """Make the call of the kernel of a shape and a hull, whose numbers are outside its block: 3 or 12 in each of
    its rows.
    """
    block_of, rows_at = (in_array, in_memory) if config.DISABLE_JIT else (numbers_at, numbers_at)

    def touch(place, k):
        x = block_of(place, SLOT_PLACE + room)
        (R1, p1), (R2, p2) = load_pose(x, 0), load_pose(x, POSE)
        count, size = load_integer(x, SIZE_PLACE + 4), load_integer(x, SIZE_PLACE + 5)
        numbers, rows = rows_at(load_integer(x, SIZE_PLACE + 3), size), size // PART
        found = part(x, SLOT_PLACE, room)
        s1 = load3(x, SIZE_PLACE)
        kernel(R1, p1, s1, R2, p2, numbers, count, rows, load(x, SLACK_PLACE), found)
        return 0

    touch.__name__ = touch.__qualname__ = f"{kernel.__name__}_touch"
    return touch


def two_hulls_call(kernel: Callable[..., None], room: int) -> Callable[[Any, int], int]:
    """Make the call of the kernel of two hulls on its block, see :class:`~pluecker.contact.geometry.hull_parts.Solid`."""
    block_of, rows_at = (in_array, in_memory) if config.DISABLE_JIT else (numbers_at, numbers_at)

    def touch(place, k):
        x = block_of(place, SLOT_PLACE + room)
        (R1, p1), (R2, p2) = load_pose(x, 0), load_pose(x, POSE)
        size1, size2 = load_integer(x, SIZE_PLACE + 2), load_integer(x, SIZE_PLACE + 5)
        A, B = rows_at(load_integer(x, SIZE_PLACE), size1), rows_at(load_integer(x, SIZE_PLACE + 3), size2)
        a = load_integer(x, SIZE_PLACE + 1), load_integer(A, size1 - PART + 2), size1 // PART - 1
        b = load_integer(x, SIZE_PLACE + 4), load_integer(B, size2 - PART + 2), size2 // PART - 1
        found = part(x, SLOT_PLACE, room)
        kernel(R1, p1, A, a, R2, p2, B, b, load(x, SLACK_PLACE), found)
        return 0

    touch.__name__ = touch.__qualname__ = f"{kernel.__name__}_touch"
    return touch


def in_memory(place: Any, size: int) -> Any:
    """View so many numbers at an address as an array."""
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(int(place)))


def in_array(block: Any, size: int) -> Any:
    """Return a block by itself, in place of what is at its address."""
    return block[:size]
