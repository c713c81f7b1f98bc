"""Shapes that may touch, at the beginning of a step: where, along which normal, and how far they are apart.

Behind the places of links, X has a slot for each place where a pair of shapes may touch:

=========  ========================================================================================================
numbers    what they are
=========  ========================================================================================================
0 to 2     the point p where the two bodies' points meet
3 to 5     the normal n, from the first to the second shape as users gave them
6 to 11    two tangents, such that n, t_1, t_2 is right-handed
12         the gap; very large where the slot holds no contact
13         the feature: what touches there, a whole number that is the same from step to step
=========  ========================================================================================================

p is halfway between the surfaces; of a half-space, which most do not lean on alone, it is on the other shape. The tangents
are those of :func:`~pluecker.contact.contact_frames`.

What finds these, the kernels of :mod:`~pluecker.contact.geometry.pairs`, is called by its address,
:mod:`~pluecker.contact.geometry.finding.calls`: no step of a world has a copy of it. Eight states are called one after the
other.
"""

from __future__ import annotations

from pluecker.contact.constraints.relation import TOUCH, TOUCH_TURN
from pluecker.contact.friction.dense.contact_law import surface_rates
from pluecker.contact.geometry.finding.blocks import (
    BLOCK,
    LIMIT_PLACE,
    MOST_SLOTS,
    POSES,
    SIZE_PLACE,
    SLACK_PLACE,
    SLOT_PLACE,
    call_kernel,
)
from pluecker.contact.geometry.slots import GAP, OPEN, SLOT
from pluecker.contact.rows.layout import (
    CALL,
    CALL_AT,
    COORDINATE,
    FIRST_RANGE,
    FIRST_RESISTANCE,
    FIRST_SLOT,
    FIRST_TOUCH,
    KIND,
    POSITION,
    RESISTANCES,
    SHAPE_1,
    SHAPE_2,
    SHAPE_LINK_1,
    SHAPE_LINK_2,
    SHIFT,
    SIZES,
    SLACK,
    SLOT_COUNT,
    SLOTS_AT,
    SURFACE_1,
    SURFACE_2,
    TOUCH_FEATURE,
    TOUCH_GAP,
    TOUCH_NORMAL,
    TOUCH_SLOT,
    TOUCH_TANGENTS,
    TURNED,
    function_entry,
    linear_count,
    touching_count,
    touching_entry,
    touching_place,
)
from pluecker.contact.rows.motion import PLACE, point_of
from pluecker.spatial.algebra.transforms import load_transform, transpose
from pluecker.spatial.algebra.vectors import dot3, load3, multiply3, rotate_back, scale3, store3, subtract3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import address_of, numbers_at
from pluecker.spatial.engine.memory.separate import by_scalar
from pluecker.spatial.engine.scalars.lanes import WIDTH, get_lane, set_lane
from pluecker.spatial.engine.scalars.operations import load, part, select, smaller, store, within

__all__ = [
    "NO_CONTACT", "TOUCHING_ROOM", "add_surface_rates", "recall_multipliers", "touch_pairs", "touch_value",
    "touch_wrench",
]  # fmt: skip

TOUCHING_ROOM = POSES + BLOCK + SLOT * MOST_SLOTS  # for a call: the poses, the block, and what was found
NO_CONTACT = 1e29  # m; gaps of open slots are larger
LOWEST = -0.65  # of n_z, where the frame of a contact changes, see contact_frames


# ------------------------------------------------------------------------------------------------------------------ calls


@kernel
def copy_settings(w, c, block):
    """Copy sizes and the slack of a pair into its block"""
    place = touching_place(w, c)
    for k in range(SLACK_PLACE - SIZE_PLACE):
        store(block, SIZE_PLACE + k, load(w, place + SIZES + k))
    store(block, SLACK_PLACE, load(w, place + SLACK))
    store(block, LIMIT_PLACE, OPEN)


if DISABLE_JIT:

    def find_touching(w, c, poses, block, found):
        """Run the kernel of pair ``c`` at these poses; the slots go to ``found``; ``block`` is scratch memory"""
        block[:POSES] = poses
        copy_settings(w, c, block)
        call_kernel(touching_entry(w, c, CALL), block)
        n = SLOT * touching_entry(w, c, SLOT_COUNT)
        found[:n] = block[SLOT_PLACE : SLOT_PLACE + n]

else:

    @called_kernel
    def find_for_one(w, c, poses, block, found):
        """Run the kernel for one state"""
        for k in range(POSES):
            store(block, k, load(poses, k))
        copy_settings(w, c, block)
        call_kernel(touching_entry(w, c, CALL), block)
        for k in range(SLOT * touching_entry(w, c, SLOT_COUNT)):
            store(found, k, load(block, SLOT_PLACE + k))

    @called_kernel
    def find_in_lanes(w, c, poses, block, found):
        """Run the kernel for each of eight states"""
        numbers = numbers_at(address_of(block), BLOCK)
        for lane in range(WIDTH):
            for k in range(POSES):
                store(numbers, k, get_lane(load(poses, k), lane))
            copy_settings(w, c, numbers)
            call_kernel(touching_entry(w, c, CALL), numbers)
            for k in range(SLOT * touching_entry(w, c, SLOT_COUNT)):
                store(found, k, set_lane(load(found, k), lane, load(numbers, SLOT_PLACE + k)))

    @kernel
    def find_touching(w, c, poses, block, found):
        """Run the kernel of pair ``c`` at these poses; the slots go to ``found``; ``block`` is scratch memory"""
        by_scalar(poses, find_for_one, find_in_lanes)(w, c, poses, block, found)


# ------------------------------------------------------------------------------------------------------------------ slots


@kernel
def store_pose(w, X, c, link, shape, out, k):
    """Store R and p of a shape in the world"""
    place = touching_place(w, c) + shape
    E, _ = load_transform(X, PLACE * link)
    R = multiply3(transpose(E), (*load3(w, place), *load3(w, place + 3), *load3(w, place + 6)))
    store3(out, k, (R[0], R[1], R[2]))
    store3(out, k + 3, (R[3], R[4], R[5]))
    store3(out, k + 6, (R[6], R[7], R[8]))
    store3(out, k + 9, point_of(X, link, load3(w, place + 9)))


@kernel
def tangents(n):
    """Compute t_1 and t_2 of the normal: the frame of z, or of -z where n_z < LOWEST, turned to it"""
    x, y, z = n
    one = 1.0 + 0.0 * z
    s = select(smaller(z, LOWEST), -one, one)
    a = -1.0 / (s + z)
    b = x * y * a
    return (1.0 + s * x * x * a, s * b, -s * x), (b, s + y * y * a, -y)


@kernel
def store_touch(X, at, sign, shift, n, x, gap, feature):
    """Store a slot from what a kernel found: the normal as users gave the shapes, the place, the tangents"""
    away = select(smaller(gap, NO_CONTACT), shift * gap, 0.0 * gap)
    p = (x[0] + away * n[0], x[1] + away * n[1], x[2] + away * n[2])
    n = scale3(sign, n)
    t1, t2 = tangents(n)
    store3(X, at, p)
    store3(X, at + TOUCH_NORMAL, n)
    store3(X, at + TOUCH_TANGENTS, t1)
    store3(X, at + TOUCH_TANGENTS + 3, t2)
    store(X, at + TOUCH_GAP, gap)
    store(X, at + TOUCH_FEATURE, feature)


@called_kernel
def touch_pairs(w, X, phi):
    """Store the slots of all pairs, from the places of links; and phi of their normals, the gaps"""
    for c in range(touching_count(w)):
        room = touching_entry(w, c, CALL_AT)
        poses, block = part(X, room, POSES), part(X, room + POSES, BLOCK)
        found = part(X, room + POSES + BLOCK, SLOT * MOST_SLOTS)
        store_pose(w, X, c, touching_entry(w, c, SHAPE_LINK_1), SHAPE_1, poses, 0)
        store_pose(w, X, c, touching_entry(w, c, SHAPE_LINK_2), SHAPE_2, poses, 12)
        find_touching(w, c, poses, block, found)
        sign, shift = 1.0 - 2.0 * touching_entry(w, c, TURNED), load(w, touching_place(w, c) + SHIFT)
        for k in range(touching_entry(w, c, SLOT_COUNT)):
            gap = load(found, SLOT * k + GAP)
            feature = load(found, SLOT * k + GAP + 1)
            n, x = load3(found, SLOT * k), load3(found, SLOT * k + 3)
            store_touch(X, touching_entry(w, c, SLOTS_AT) + TOUCH_SLOT * k, sign, shift, n, x, gap, feature)
            store(phi, touching_entry(w, c, FIRST_TOUCH) + 3 * k, gap)


@kernel
def touch_value(w, k, X):
    """Load the gap of the function of a normal; tangents and turns have no value"""
    at, kind = function_entry(w, k, COORDINATE), function_entry(w, k, KIND)
    gap = load(X, at + TOUCH_GAP)
    return gap if kind == TOUCH and function_entry(w, k, POSITION) == at + TOUCH_NORMAL else 0.0 * load(X, 0)


@kernel
def touch_wrench(w, k, X):
    """Load p, and the normal or a tangent as force; of a turn as moment"""
    p, f = load3(X, function_entry(w, k, COORDINATE)), load3(X, function_entry(w, k, POSITION))
    turns = 1.0 if function_entry(w, k, KIND) == TOUCH_TURN else 0.0
    return p, scale3(turns, f), scale3(1.0 - turns, f)


# ---------------------------------------------------------------------------------------------------------------- in steps


@called_kernel
def add_surface_rates(w, X, rho):
    """Store in rho the velocities of the surfaces by themselves, along the tangents"""
    for c in range(touching_count(w)):
        place = touching_place(w, c)
        own, other = load3(w, place + SURFACE_1), load3(w, place + SURFACE_2)
        if within(dot3(own, own) + dot3(other, other), 0.0):
            continue
        E1, _ = load_transform(X, PLACE * touching_entry(w, c, SHAPE_LINK_1))
        E2, _ = load_transform(X, PLACE * touching_entry(w, c, SHAPE_LINK_2))
        u = scale3(1.0 - 2.0 * touching_entry(w, c, TURNED), subtract3(rotate_back(E2, other), rotate_back(E1, own)))
        row = linear_count(w) + touching_entry(w, c, FIRST_RANGE)
        for k in range(touching_entry(w, c, SLOT_COUNT)):
            at = touching_entry(w, c, SLOTS_AT) + TOUCH_SLOT * k
            x, y = surface_rates(load3(X, at + TOUCH_TANGENTS), load3(X, at + TOUCH_TANGENTS + 3), u)
            store(rho, row + 3 * k + 1, x)
            store(rho, row + 3 * k + 2, y)


@called_kernel
def recall_multipliers(w, X, features, guess, ws):
    """Warm start: begin with the multipliers that the same feature of a pair had in the step before, or with none

    A slot that holds no contact any more has none, whatever its feature: its gap is no length. ``features`` are those of the
    step before, and then of this one; ``ws`` is scratch memory.
    """
    for c in range(touching_count(w)):
        n, at, first = (
            touching_entry(w, c, SLOT_COUNT),
            touching_entry(w, c, SLOTS_AT),
            touching_entry(w, c, FIRST_SLOT),
        )
        recall_rows(X, at, n, features, first, guess, touching_entry(w, c, FIRST_RANGE), 3, ws)
        turns = touching_entry(w, c, RESISTANCES)
        if turns > 0:
            recall_rows(X, at, n, features, first, guess, touching_entry(w, c, FIRST_RESISTANCE), turns, ws)
        for k in range(n):
            store(features, first + k, load(X, at + TOUCH_SLOT * k + TOUCH_FEATURE))


@kernel
def recall_rows(X, at, n, features, first, guess, row, width, ws):
    """Recall, for the n slots of a pair, so many rows each, from ``row`` on"""
    for k in range(width * n):
        store(ws, k, load(guess, row + k))
        store(guess, row + k, 0.0 * load(X, 0))
    for k in range(n):
        feature = load(X, at + TOUCH_SLOT * k + TOUCH_FEATURE)
        for i in range(n):
            off = load(features, first + i) - feature
            off = select(smaller(load(X, at + TOUCH_SLOT * k + TOUCH_GAP), NO_CONTACT), off, 1.0 + 0.0 * off)
            same = smaller(off * off, 0.25)
            for j in range(width):
                old = load(guess, row + width * k + j)
                store(guess, row + width * k + j, select(same, load(ws, width * i + j), old))
