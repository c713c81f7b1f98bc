"""All contacts of a scene, from the placements of its shapes, in one call of compiled code.

Arrays are the caller's: those of the scene, and those that :func:`make_memory` makes. What there is no room for is counted,
and not stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.geometry.finding import table
from pluecker.contact.geometry.finding.blocks import BLOCK, POSE
from pluecker.contact.geometry.finding.broad_phase import (
    BOX,
    STACK,
    are_within,
    make_tree,
    overlap,
    overlaps_of,
    store_boxes,
    store_larger_boxes,
)
from pluecker.contact.geometry.finding.narrow_phase import (
    FOUND,
    LEFT,
    LEFT_AT,
    PAIR,
    PAIRS_AT,
    PAIRS_FOUND,
    POSES_AT,
    ROOM,
    ROOM_OF_LISTS,
    SLOTS_AT,
    UNREADY,
    UNREADY_AT,
    WORK_HEADER,
    Search,
    examine_pair,
    pair_may_touch,
)
from pluecker.contact.geometry.finding.scene import collider_count, scene_number
from pluecker.contact.geometry.finding.table import store_table
from pluecker.contact.geometry.slots import SLOT
from pluecker.spatial.algebra.vectors import store3
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point, kernel
from pluecker.spatial.engine.memory.arrays import integers
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.scalars.operations import load, part, store
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "COMPLETE", "PAIRS_LEFT", "PAIRS_UNREADY", "TOO_MANY", "Memory", "find_contacts", "find_of_matrices", "make_memory",
    "store_found",
]  # fmt: skip

# what find_contacts returns: a sum
COMPLETE, TOO_MANY, PAIRS_UNREADY, PAIRS_LEFT = 0, 1, 2, 4
# of the list of pairs that are near each other: how many there are, and what tells it from anything else in its place
NEAR_COUNT, SIGNATURE, NEAR_HEADER = range(3)
AXIS = 3  # numbers


def near_room(n):
    """Return for how many near pairs of n colliders there is room: in a dense heap each box has 26 neighbours"""
    return 16 * n + 64


room_of_near = kernel(near_room)


class Memory(NamedTuple):
    """Arrays of :func:`find_contacts`: scratch memory, and the table."""

    work_f: Array
    work_i: NDArray[np.int64]
    out_f: Array
    out_i: NDArray[np.int64]


def make_memory(n: int, contacts: int, listed: int) -> Memory:
    """Make the arrays in which contacts are found.

    Args:
        n: how many colliders there are.
        contacts: for how many contacts there is to be room.
        listed: for how many pairs that have no kernel, and for how many whose kernel is not ready.
    """
    # the block of a call, the boxes of colliders, larger ones, those of nodes, those in the order of the tree, an axis, the
    # axes of near pairs, poses, slots
    poses = BLOCK + BOX * (4 * n + 2) + AXIS * (1 + near_room(n))
    slots = poses + POSE * n
    # the header, the order of the tree, what is near a collider, counts of a sort, nodes that wait, near pairs, two lists of
    # pairs, pairs that touch, two orders of these
    left = WORK_HEADER + 3 * n + 1 + STACK + NEAR_HEADER + 2 * near_room(n)
    unready = left + 2 * listed
    pairs = unready + 2 * listed
    work = np.zeros(pairs + (PAIR + 2) * contacts, np.int64)
    work[[ROOM, ROOM_OF_LISTS]] = contacts, listed
    work[[POSES_AT, SLOTS_AT, LEFT_AT, UNREADY_AT, PAIRS_AT]] = poses, slots, left, unready, pairs
    return Memory(
        np.zeros(slots + SLOT * contacts),
        work,
        np.zeros(table.NUMBERS * contacts),
        np.zeros(1 + table.INTEGERS * contacts, np.int64),
    )


@called_kernel
def find_contacts(scene_f, scene_i, poses, far, work_f, work_i, out_f, out_i):
    """Find the contacts of all colliders, and store their table

    Args, all of them views, or arrays of one axis:
        scene_f, scene_i: ``numbers`` and ``integers`` of a :class:`~pluecker.contact.geometry.finding.scene.Scene`.
        poses: placements of the shapes in the world, 12 numbers each: R row by row, p; m.
        far: the reach of each collider, m.
        work_f, work_i: scratch memory, of which the first integers say for how much there is room, and where what is;
            of the rest a list of near pairs may last from call to call, which is not taken for one where it is not.
        out_f, out_i: the table, column by column, see :mod:`~pluecker.contact.geometry.finding.table`; ``out_i[0]`` is K.

    Returns:
        ``COMPLETE``: the table is there. Else a sum, and there is no table: ``TOO_MANY`` contacts, or pairs without a
        kernel, of which integers ``FOUND`` and ``LEFT`` of ``work_i`` say how many there are; ``PAIRS_UNREADY``, of which
        the scene has to prepare some before another call; ``PAIRS_LEFT``, which have no kernel, and whose contacts are to
        be added before :func:`store_found`.
        :meth:`~pluecker.contact.geometry.finding.finder.Finder.go_on` does all of this.
    """
    n, listed = collider_count(scene_i), load(work_i, ROOM_OF_LISTS)
    boxes, larger = part(work_f, BLOCK, BOX * n), part(work_f, BLOCK + BOX * n, BOX * n)
    block, axis = part(work_f, 0, BLOCK), part(work_f, BLOCK + BOX * (4 * n + 2), AXIS)
    axes = part(work_f, BLOCK + BOX * (4 * n + 2) + AXIS, AXIS * room_of_near(n))
    slots = part(work_f, load(work_i, SLOTS_AT), SLOT * load(work_i, ROOM))
    nodes = part(work_f, BLOCK + 2 * BOX * n, BOX * (n + 2))
    leaves = part(work_f, BLOCK + BOX * (3 * n + 2), BOX * n)
    order, beside = part(work_i, WORK_HEADER, n), part(work_i, WORK_HEADER + n, n)
    stack, listed_at = part(work_i, WORK_HEADER + 3 * n + 1, STACK), WORK_HEADER + 3 * n + 1 + STACK
    head, near = part(work_i, listed_at, NEAR_HEADER), part(work_i, listed_at + NEAR_HEADER, 2 * room_of_near(n))
    left = part(work_i, load(work_i, LEFT_AT), 2 * listed)
    unready = part(work_i, load(work_i, UNREADY_AT), 2 * listed)
    pairs = part(work_i, load(work_i, PAIRS_AT), PAIR * load(work_i, ROOM))
    search = Search(scene_f, scene_i, poses, far, boxes, block, slots, work_i, pairs, left, unready)
    for k in (FOUND, PAIRS_FOUND, LEFT, UNREADY):
        store(work_i, k, 0)
    store3(axis, 0, (0.0, 0.0, 0.0))
    count, first = store_boxes(scene_f, scene_i, poses, far, boxes, order)
    for place in range(first, n):
        for k in range(count):
            i, j = load(order, place), load(order, k)
            if pair_may_touch(scene_i, i, j):
                examine_pair(search, i, j, axis)
    listed_before = load(head, NEAR_COUNT)
    if (
        0 <= listed_before <= room_of_near(n)
        and load(head, SIGNATURE) == signature(scene_i, n, larger, near, listed_before)
        and are_within(boxes, order, count, larger)
    ):
        for e in range(listed_before):
            i, j = load(near, 2 * e), load(near, 2 * e + 1)
            if overlap(boxes, i, boxes, j):
                examine_pair(search, i, j, part(axes, AXIS * e, AXIS))
    else:
        store_larger_boxes(scene_f, far, boxes, order, count, n, larger)
        total = 0
        if count > 1:
            make_tree(larger, order, count, nodes, leaves, stack)
        for k in range(count - 1):
            for e in range(overlaps_of(leaves, k, count, nodes, order, beside, stack)):
                i, j = load(order, k), load(beside, e)
                if not pair_may_touch(scene_i, i, j):
                    continue
                own = axis
                if total < room_of_near(n):
                    own = part(axes, AXIS * total, AXIS)
                    store(near, 2 * total, i)
                    store(near, 2 * total + 1, j)
                total += 1
                store3(own, 0, (0.0, 0.0, 0.0))
                if overlap(boxes, i, boxes, j):
                    examine_pair(search, i, j, own)
        store(head, NEAR_COUNT, total)
        store(head, SIGNATURE, signature(scene_i, n, larger, near, min(total, room_of_near(n))))
    status = COMPLETE
    if load(work_i, FOUND) > load(work_i, ROOM) or load(work_i, LEFT) > listed:
        status += TOO_MANY
    if load(work_i, UNREADY) > 0:
        status += PAIRS_UNREADY
    if load(work_i, LEFT) > 0:
        status += PAIRS_LEFT
    if status == COMPLETE:
        store_contacts(scene_f, scene_i, poses, work_f, work_i, out_f, out_i)
    return status


@called_kernel
def signature(scene_i, n, larger, near, count):
    """Compute a number of a list of near pairs and of the boxes that it is made for, in this scene

    Nobody sees to it that memory is not used for something else between two calls.
    """
    found, bits = scene_number(scene_i), integers(larger)
    for k in range(BOX * n):
        found ^= load(bits, k) + k
    for k in range(2 * count):
        found ^= load(near, k) + k
    return found


@called_kernel
def store_contacts(scene_f, scene_i, poses, work_f, work_i, out_f, out_i):
    """Store the table of all contacts in scratch memory"""
    n, room, place = collider_count(scene_i), load(work_i, ROOM), load(work_i, PAIRS_AT)
    slots, pairs = part(work_f, load(work_i, SLOTS_AT), SLOT * room), part(work_i, place, PAIR * room)
    order, other = part(work_i, place + PAIR * room, room), part(work_i, place + (PAIR + 1) * room, room)
    scratch = order, other, part(work_i, WORK_HEADER + 2 * n, n + 1)
    store_table(scene_f, scene_i, poses, slots, work_i, pairs, scratch, out_f, out_i)


# -------------------------------------------------------------------------------------------------------------- for Python


def find_of_matrices(scene_f, scene_i, T, far, work_f, work_i, out_f, out_i):
    """Find the contacts of shapes whose placements are matrices, 16 numbers each, as :func:`find_contacts`"""
    T, work_f = view(T), view(work_f)
    n = len(far)
    poses = part(work_f, work_i[POSES_AT], POSE * n)
    for k in range(n):
        for i in range(3):
            for j in range(3):
                store(poses, POSE * k + 3 * i + j, load(T, 16 * k + 4 * i + j))
            store(poses, POSE * k + 9 + i, load(T, 16 * k + 4 * i + 3))
    return find_contacts(
        view(scene_f), view(scene_i), poses, view(far), work_f, view(work_i), view(out_f), view(out_i)
    )  # fmt: skip


find_of_matrices = entry_point(find_of_matrices)


def store_found(scene_f, scene_i, poses, work_f, work_i, out_f, out_i):
    """Store the table of all contacts in scratch memory, to which those of pairs without a kernel were added"""
    store_contacts(
        view(scene_f), view(scene_i), view(poses), view(work_f), view(work_i), view(out_f), view(out_i)
    )  # fmt: skip


store_found = entry_point(store_found)
