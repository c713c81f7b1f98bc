"""The table of contacts in the order of bodies, colliders and features, with what the surfaces of both are together.

Pairs are sorted by counting, once for each of the four numbers of their key, the last of them first: each time they keep
their order where that number is the same. Contacts of a pair are in the order of their features already.

Columns of K contacts follow one another: numbers in one array, integers in the other.

==========================  =================  ==========================  =================
numbers                     place, times K     integers                    place
==========================  =================  ==========================  =================
normal, 3 each              0                  K                           0
point, 3 each               3                  bodies, 2 each              1
gap                         6                  colliders, 2 each           1 + 2 K
friction, 3 each            7                  feature                     1 + 4 K
restitution                 10
stiffness                   11
damping                     12
surface velocity, 3 each    13
friction of what slides     16
==========================  =================  ==========================  =================

Source: counting sort as of Knuth, *The Art of Computer Programming* 3 (1998), section 5.2.
"""

from __future__ import annotations

from math import inf, sqrt

from pluecker.contact.geometry.finding.blocks import POSE, load_pose
from pluecker.contact.geometry.finding.filters import body_of
from pluecker.contact.geometry.finding.narrow_phase import FOUND, PAIR, PAIRS_FOUND
from pluecker.contact.geometry.finding.scene import (
    SURFACE,
    VELOCITY,
    body_rank,
    collider_count,
    number_place,
    rules_place,
)
from pluecker.contact.geometry.slots import GAP, SLOT
from pluecker.spatial.algebra.vectors import load3, rotate, store3, subtract3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, store, tail

__all__ = [
    "BODIES", "COLLIDERS", "DAMPING", "FEATURE", "FRICTION", "GAPS", "INTEGERS", "KINETIC_FRICTION", "NORMAL", "NUMBERS",
    "POINT", "RESTITUTION", "STIFFNESS", "SURFACE_VELOCITY", "store_table",
]  # fmt: skip

# places of columns, times K
NORMAL, POINT, GAPS, FRICTION, RESTITUTION, STIFFNESS, DAMPING = 0, 3, 6, 7, 10, 11, 12
SURFACE_VELOCITY, KINETIC_FRICTION = 13, 16
NUMBERS = 17  # of a contact
BODIES, COLLIDERS, FEATURE = 0, 2, 4
INTEGERS = 5  # of a contact


@kernel
def key_of(si, pairs, pair, which):
    """Load one of the four numbers by which a pair is sorted: the ranks of both bodies, both colliders"""
    collider = load(pairs, PAIR * pair + which % 2)
    return body_rank(si, collider) if which < 2 else collider


@called_kernel
def sort_pairs(si, pairs, count, order, other, counts):
    """Store in ``order`` the numbers of so many pairs, sorted; ``other`` and ``counts`` are scratch memory"""
    n = collider_count(si)
    for k in range(count):
        store(order, k, k)
    for which in (3, 2, 1, 0):
        for k in range(n + 1):
            store(counts, k, 0)
        for k in range(count):
            at = key_of(si, pairs, k, which) + 1
            store(counts, at, load(counts, at) + 1)
        for k in range(n):
            store(counts, k + 1, load(counts, k + 1) + load(counts, k))
        for k in range(count):
            pair = load(order, k)
            key = key_of(si, pairs, pair, which)
            store(other, load(counts, key), pair)
            store(counts, key, load(counts, key) + 1)
        for k in range(count):
            store(order, k, load(other, k))


def combined(one, two):
    """Combine two surfaces that touch: friction, rolling and spinning friction, restitution, stiffness, damping, friction of
    what slides; of springs and dampers one behind the other, where those of a rigid surface are infinite
    """
    k, l = one[4], two[4]
    c, d = inf if k == inf else one[5], inf if l == inf else two[5]
    stiffness = 1.0 / (1.0 / k + 1.0 / l)
    damping = 0.0 if stiffness == inf else 1.0 / (1.0 / c + 1.0 / d)
    return (
        sqrt(one[0]) * sqrt(two[0]), max(one[1], two[1]), max(one[2], two[2]), max(one[3], two[3]), stiffness, damping,
        sqrt(one[6]) * sqrt(two[6]),
    )  # fmt: skip


combine = kernel(combined)


@kernel
def surface_of(sf, k):
    """Load the seven numbers of the surface of a collider"""
    p = number_place(k, SURFACE)
    return (
        load(sf, p), load(sf, p + 1), load(sf, p + 2), load(sf, p + 3), load(sf, p + 4), load(sf, p + 5), load(sf, p + 6),
    )  # fmt: skip


@kernel
def material_velocity(sf, poses, k):
    """Compute the velocity of the surface of a collider against its body, in the world"""
    v = load3(sf, number_place(k, VELOCITY))
    R, _ = load_pose(poses, POSE * k)
    return rotate(R, v)


@called_kernel
def store_surfaces(sf, poses, i, j, first, n, K, out):
    """Store what the surfaces of two colliders are together in n rows, and the difference of their velocities"""
    friction, rolling, spinning, restitution, stiffness, damping, kinetic = combine(
        surface_of(sf, i), surface_of(sf, j)
    )
    v = subtract3(material_velocity(sf, poses, j), material_velocity(sf, poses, i))
    for k in range(first, first + n):
        store3(out, FRICTION * K + 3 * k, (friction, rolling, spinning))
        store(out, RESTITUTION * K + k, restitution)
        store(out, STIFFNESS * K + k, stiffness)
        store(out, DAMPING * K + k, damping)
        store3(out, SURFACE_VELOCITY * K + 3 * k, v)
        store(out, KINETIC_FRICTION * K + k, kinetic)


@called_kernel
def store_table(sf, si, poses, slots, work, pairs, scratch, numbers, integers):
    """Store all contacts that were found, sorted; ``scratch``: two places for each pair, and one for each collider"""
    order, other, counts = scratch
    K, n_pairs, row = load(work, FOUND), load(work, PAIRS_FOUND), 0
    sort_pairs(si, pairs, n_pairs, order, other, counts)
    store(integers, 0, K)
    columns = tail(integers, 1)
    rules = tail(si, rules_place(si))
    for p in range(n_pairs):
        at = PAIR * load(order, p)
        i, j, first, n = load(pairs, at), load(pairs, at + 1), load(pairs, at + 2), load(pairs, at + 3)
        store_surfaces(sf, poses, i, j, row, n, K, numbers)
        for k in range(first, first + n):
            store3(numbers, NORMAL * K + 3 * row, load3(slots, SLOT * k))
            store3(numbers, POINT * K + 3 * row, load3(slots, SLOT * k + 3))
            store(numbers, GAPS * K + row, load(slots, SLOT * k + GAP))
            store(columns, BODIES * K + 2 * row, body_of(rules, i))
            store(columns, BODIES * K + 2 * row + 1, body_of(rules, j))
            store(columns, COLLIDERS * K + 2 * row, i)
            store(columns, COLLIDERS * K + 2 * row + 1, j)
            store(columns, FEATURE * K + row, int(load(slots, SLOT * k + GAP + 1)))
            row += 1
