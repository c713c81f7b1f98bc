"""The narrow phase: of two colliders that are near each other whether they may touch, and where they do."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from pluecker.contact.geometry.finding.blocks import (
    AXIS_PLACE,
    LIMIT_PLACE,
    POSE,
    POSES,
    SLACK,
    SLACK_PLACE,
    SLOT_PLACE,
    call_kernel,
    load_pose,
)
from pluecker.contact.geometry.finding.broad_phase import BOX, limited
from pluecker.contact.geometry.finding.filters import may_touch
from pluecker.contact.geometry.finding.scene import (
    CALL,
    CENTER,
    HALF_SIDES,
    MARGIN,
    PLACE_1,
    PLACE_2,
    RADIUS,
    ROUND,
    SIZES,
    SLOTS,
    SOLID,
    WIDE_SLACK,
    body_rank,
    is_half_space,
    is_without_inside,
    kind_of,
    number_place,
    pair_place,
    rules_place,
)
from pluecker.contact.geometry.slots import GAP, OPEN, SLOT
from pluecker.spatial.algebra.transforms import transpose
from pluecker.spatial.algebra.vectors import add3, load3, multiply3, rotate, rotate_back, store3, subtract3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, store, tail

__all__ = [
    "FOUND", "LEFT", "LEFT_AT", "PAIR", "PAIRS_AT", "PAIRS_FOUND", "POSES_AT", "ROOM", "ROOM_OF_LISTS", "SLOTS_AT",
    "UNREADY", "UNREADY_AT", "WORK_HEADER", "Search", "examine_pair", "pair_may_touch",
]  # fmt: skip

# The first integers of scratch memory: for how many contacts there is room, and for how many pairs in each list; how many
# contacts were found, how many pairs have these, how many pairs have no kernel, of how many it is not ready; where among the
# numbers of scratch memory poses are that came as matrices, and slots; where among its integers are both lists and the pairs
# that touch.
ROOM, ROOM_OF_LISTS, FOUND, PAIRS_FOUND, LEFT, UNREADY = range(6)
POSES_AT, SLOTS_AT, LEFT_AT, UNREADY_AT, PAIRS_AT, WORK_HEADER = range(6, 12)
MANY = 8  # slots of a kernel that takes longer than the axes of faces
PAIR = 4  # integers of a pair that touches: two colliders, its first contact, and how many it has
ROUNDING = 1e-9  # of distances, by which a sphere is larger than it is
ALONG = 1e-6  # sine: edges that are nearer to each other's direction have no axis across both that is known


class Search(NamedTuple):
    """A search for contacts, views.

    Attributes:
        sf, si: numbers and integers of the scene.
        poses, far: of colliders, where they are, and their reach.
        boxes: around colliders, along the axes of the world.
        block: the arguments of kernels of pairs.
        slots: contacts that were found.
        work: integers, with counts at the head.
        pairs: that have contacts; left, unready: that have no kernel, and whose kernel is not ready.
    """

    sf: Any
    si: Any
    poses: Any
    far: Any
    boxes: Any
    block: Any
    slots: Any
    work: Any
    pairs: Any
    left: Any
    unready: Any


@kernel
def are_apart(sf, si, poses, boxes, i, j, margin):
    """Return whether spheres around two colliders, the first of which may be a half-space, are farther apart than the
    margin; false where numbers are none
    """
    first, second = load(sf, number_place(i, RADIUS)), load(sf, number_place(j, RADIUS))
    distance, size = 0.0, 0.0
    for a in range(3):
        x = 0.5 * (load(boxes, BOX * j + a) + load(boxes, BOX * j + 3 + a))
        if is_half_space(si, i):
            step, n = x - load(poses, POSE * i + 9 + a), load(poses, POSE * i + 3 * a + 2)
            distance += n * step
            size += abs(x) + abs(step)
        else:
            y = 0.5 * (load(boxes, BOX * i + a) + load(boxes, BOX * i + 3 + a))
            distance += (x - y) * (x - y)
            size += abs(x) + abs(y)
    near = second + margin + SLACK * second + ROUNDING * (size + second)
    if is_half_space(si, i):
        return distance > near
    near += first + SLACK * first + ROUNDING * first
    return distance > near * near


@called_kernel
def boxes_are_apart(sf, poses, i, j, margin, edges):
    """Return whether boxes around two colliders, along the axes of their frames, are farther apart than the margin, by one
    of the six axes of their faces, or of the nine of their edges too; false where numbers are none
    """
    (A, p), (B, q) = load_pose(poses, POSE * i), load_pose(poses, POSE * j)
    a, b = load3(sf, number_place(i, HALF_SIDES)), load3(sf, number_place(j, HALF_SIDES))
    x = add3(p, rotate(A, load3(sf, number_place(i, CENTER))))
    y = add3(q, rotate(B, load3(sf, number_place(j, CENTER))))
    t, C, D = rotate_back(A, subtract3(y, x)), multiply3(transpose(A), B), multiply3(transpose(B), A)
    s = rotate_back(B, subtract3(y, x))
    rounding = ROUNDING * (load(sf, number_place(i, RADIUS)) + load(sf, number_place(j, RADIUS)))
    near = margin + load(sf, number_place(i, ROUND)) + load(sf, number_place(j, ROUND)) + rounding
    for k in range(3):
        reach = abs(C[3 * k]) * b[0] + abs(C[3 * k + 1]) * b[1] + abs(C[3 * k + 2]) * b[2]
        other = abs(D[3 * k]) * a[0] + abs(D[3 * k + 1]) * a[1] + abs(D[3 * k + 2]) * a[2]
        if abs(t[k]) - a[k] - reach > near or abs(s[k]) - b[k] - other > near:
            return True
    if not edges:
        return False
    for k in range(3):
        k1, k2 = (k + 1) % 3, (k + 2) % 3
        for e in range(3):
            e1, e2 = (e + 1) % 3, (e + 2) % 3
            reach = a[k1] * abs(C[3 * k2 + e]) + a[k2] * abs(C[3 * k1 + e])
            reach += b[e1] * abs(C[3 * k + e2]) + b[e2] * abs(C[3 * k + e1])
            size = sqrt(C[3 * k1 + e] * C[3 * k1 + e] + C[3 * k2 + e] * C[3 * k2 + e])  # of the product of two edges
            if size > ALONG and abs(t[k2] * C[3 * k1 + e] - t[k1] * C[3 * k2 + e]) - reach > near * size:
                return True
    return False


@kernel
def add_to_list(work, counter, pairs, i, j):
    """Add a pair to a list, if there is room, and count it"""
    k = load(work, counter)
    store(work, counter, k + 1)
    if k < load(work, ROOM_OF_LISTS):
        store(pairs, 2 * k, i)
        store(pairs, 2 * k + 1, j)


@kernel
def copy_sizes(sf, place, block, at):
    """Copy three numbers, or integers among numbers"""
    for k in range(3):
        store(block, at + k, load(sf, place + k))


@kernel
def pair_may_touch(si, i, j):
    """Return whether the rules of a scene let two colliders touch"""
    return may_touch(tail(si, rules_place(si)), min(i, j), max(i, j))


@called_kernel
def examine_pair(search, i, j, axis):
    """Find the contacts of two colliders that may touch, and add them and the pair to those that were found

    ``axis``: three numbers, a direction of the world that may part both, or zeros; written if one is found that does.
    """
    sf, si, poses, far, boxes, block, slots, work, pairs, left, unready = search
    if i > j:
        i, j = j, i
    if kind_of(si, i) > kind_of(si, j):
        i, j = j, i
    margin = limited(load(sf, MARGIN) + load(far, i) + load(far, j))
    if are_apart(sf, si, poses, boxes, i, j, margin):
        return
    entry = pair_place(si, i, j)
    n_slots, call = load(si, entry + SLOTS), load(si, entry + CALL)
    place1, place2 = load(si, entry + PLACE_1), load(si, entry + PLACE_2)
    no_kernel = n_slots == 0 or is_without_inside(si, i) or is_without_inside(si, j)
    # what takes long beside the axes of boxes around both; kernels of many slots do beside those of faces
    slow = no_kernel or place1 == SOLID
    if (slow or n_slots >= MANY) and not is_half_space(si, i) and boxes_are_apart(sf, poses, i, j, margin, slow):
        return
    if no_kernel:
        add_to_list(work, LEFT, left, i, j)
        return
    first, second = number_place(i, place1), number_place(j, place2)
    ready = place1 == SIZES or load_integer(sf, first) != 0
    ready = ready and (place2 == SIZES or load_integer(sf, second) != 0)
    if not ready or call == 0:
        add_to_list(work, UNREADY, unready, i, j)
        return
    for k in range(POSE):
        store(block, k, load(poses, POSE * i + k))
        store(block, POSE + k, load(poses, POSE * j + k))
    copy_sizes(sf, first, block, POSES)
    copy_sizes(sf, second, block, POSES + 3)
    store(block, SLACK_PLACE, margin if load(si, entry + WIDE_SLACK) != 0 else SLACK)
    store(block, LIMIT_PLACE, margin)
    store3(block, AXIS_PLACE, load3(axis, 0))
    call_kernel(call, block)
    if place1 == SOLID and load(block, SLOT_PLACE + GAP) >= 0.5 * OPEN:
        store3(axis, 0, load3(block, SLOT_PLACE))
    add_contacts(si, i, j, part(block, SLOT_PLACE, SLOT * n_slots), n_slots, margin, slots, work, pairs)


@called_kernel
def add_contacts(si, i, j, found, n_slots, margin, slots, work, pairs):
    """Add the contacts in so many slots whose gap is no larger than the margin, in the order of their features, with the
    normal from the body of lower rank to the other one; and their pair
    """
    room, first, n = load(work, ROOM), load(work, FOUND), 0
    turned = body_rank(si, i) > body_rank(si, j)
    for k in range(n_slots):
        if not load(found, SLOT * k + GAP) <= margin:
            continue
        at = first + n
        n += 1
        if at >= room:
            continue
        feature = load(found, SLOT * k + GAP + 1)
        while at > first and load(slots, SLOT * (at - 1) + GAP + 1) > feature:
            for a in range(SLOT):
                store(slots, SLOT * at + a, load(slots, SLOT * (at - 1) + a))
            at -= 1
        for a in range(SLOT):
            x = load(found, SLOT * k + a)
            store(slots, SLOT * at + a, -x if turned and a < 3 else x)
    store(work, FOUND, first + n)
    if n > 0 and first + n <= room:
        at = PAIR * load(work, PAIRS_FOUND)
        store(pairs, at, j if turned else i)
        store(pairs, at + 1, i if turned else j)
        store(pairs, at + 2, first)
        store(pairs, at + 3, n)
        store(work, PAIRS_FOUND, load(work, PAIRS_FOUND) + 1)
