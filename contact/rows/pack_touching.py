"""Records of pairs of shapes that may touch: see :mod:`.touching`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.forces.packing import placed
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import TOUCH, TOUCH_TURN, Function
from pluecker.contact.geometry.finding.calls import call_of
from pluecker.contact.geometry.shape_contact import ShapePair
from pluecker.contact.geometry.shapes import HalfSpace
from pluecker.contact.rows import layout
from pluecker.contact.rows.motion import PLACE
from pluecker.contact.rows.touching import TOUCHING_ROOM

__all__ = ["ShapePairs", "pack_touching", "shape_pairs_of"]


class ShapePairs(NamedTuple):
    """Pairs of shapes of a world.

    Attributes:
        pairs: the shapes of each.
        slots: of each pair, where its first slot is, counted over all.
        functions: of each pair, the number of its first function.
        resistances: of each pair, how many rows of resistance each of its slots has.
    """

    pairs: tuple[ShapePair, ...]
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


def shape_pairs_of(functions: Sequence[Function]) -> ShapePairs:
    """Collect the pairs among the functions of all constraints; those of a pair follow one another."""
    pairs: list[ShapePair] = []
    slots, first = [0], []
    for k, f in enumerate(functions):
        if f.kind == TOUCH and not any(own is f.user[0] for own in pairs):
            pairs.append(f.user[0])
            first.append(k)
            slots.append(slots[-1] + f.user[0].slots)
    turns = [sum(f.kind == TOUCH_TURN and f.user[0] is own for f in functions) // own.slots for own in pairs]
    return ShapePairs(tuple(pairs), tuple(slots[:-1]), tuple(first), tuple(turns))


def pack_touching(tree: Any, touching: ShapePairs, rows: dict[int, int]) -> Array:
    """Pack the records of all pairs; ``rows``: of the first function of each pair its row among those with a range."""
    links = tree.model.n_links
    records = []
    for pair, slot, function, turns in zip(*touching, strict=True):
        numbers = np.zeros(layout.TOUCH_RECORD)
        frames = [collider.frame for collider in pair.colliders]
        placements = [placed(tree.model, tree.links, frame.name) for frame in frames]
        at = PLACE * (links + 1)
        call = call_of(pair.pair, len(pair.arrays))
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
        for k, array in pair.arrays.items():  # contiguous
            place = layout.ARRAYS[k]
            numbers[place : place + 2].view(np.int64)[:] = array.ctypes.data, array.size
        numbers[layout.SLACK] = pair.slack
        numbers[layout.SHIFT] = 0.5 if pair.kinds[0] == HalfSpace.kind else 0.0
        records.append(numbers)
    return np.concatenate([np.zeros(0), *records])
