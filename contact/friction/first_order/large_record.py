"""Record of a large island that threads share, its places, and kernels for a group of contacts: the cone, sums.

A group has eight contacts side by side; what is written here for one is done for all of them. Sums are kept block by block.
The projection is that of :mod:`~pluecker.contact.friction.problem.sets` on the cone of friction.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.friction.problem.natural_map import TOO_LARGE, larger
from pluecker.contact.friction.sparse.gather import largest_of, sum_of
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import lift, load, part, select, smaller, sqrt, store

__all__ = [
    "AT", "BEGIN", "BETA", "BODY_GROUPS", "CHANGE", "COLLECT", "CONTROL", "CURVATURE", "DISTANCE", "EVALUATE", "EXACT",
    "GROUPS", "HELD", "LACK", "LENGTH", "LOOK", "MOTION", "MULTIPLY", "NEW", "NOW", "OFFSET", "OLD",
    "PASS", "SETTINGS", "SHIFT", "SIZE", "SOFT", "SPEED", "SQUARE", "STEP", "SUMS", "TAKEN", "UPHILL", "VECTOR", "WHOLE",
    "Large", "add_sums", "bounds", "error_of_sums", "fastest", "larger_of", "magnitude", "miss", "multipliers", "nearest",
    "product", "store_sums",
]  # fmt: skip


BEGIN, STEP, COLLECT, MULTIPLY, LOOK, EVALUATE, SHIFT = range(7)

# Settings: integers. The first say how large things are, the others what the pass is.
GROUPS, BODY_GROUPS, VECTOR, SOFT, PASS, NOW, OLD, NEW, AT, EXACT, WHOLE = range(11)
SETTINGS = 11
# Control: numbers.
LENGTH, BETA, TAKEN = range(3)
CONTROL = 3
# Sums of a block, in a line or two of the cache of their own; those from LACK on are largest ones.
SQUARE, CURVATURE, UPHILL, CHANGE, SIZE, DISTANCE, MOTION, OFFSET, LACK, HELD, SPEED = range(11)
SUMS = 16


class Large(NamedTuple):
    """Record of a large island in lanes, which all threads share.

    Contact ``i`` is in lane ``i % 8`` of group ``i // 8``, and so are bodies; each contact has two bodies, where there is
    one the other block is zero.

    Attributes:
        settings, control: what the pass is.
        work: pairs of multipliers and of N x, vectors of VECTOR rows each: three for each group.
        b: the offset, three rows for each group.
        friction, inverse, g, soft: of each group, the coefficient, 1 / s, the shift, scaled; three rows of compliance.
        J: of each group the two blocks of its contacts, 36 rows; J and T are in single precision.
        bodies: where in ``v`` the velocities of each contact's two bodies begin, a pair of places.
        T: blocks of J M^-1 in the order of bodies, 18 rows for each eight.
        first: where the blocks of each group of bodies begin in ``T``, and their number.
        contacts: where in a vector the multipliers of each of those blocks begin, a pair of places for two blocks.
        v: velocities of bodies, six rows for each group.
        flat_work, flat_v: the same memory as ``work`` and ``v``, number by number.
        sums: of each block of contacts.
    """

    settings: Any
    control: Any
    work: Any
    b: Any
    friction: Any
    inverse: Any
    g: Any
    soft: Any
    J: Any
    bodies: Any
    T: Any
    first: Any
    contacts: Any
    v: Any
    flat_work: Any
    flat_v: Any
    sums: Any


@kernel
def multipliers(L, pair):
    """Return x of a pair"""
    n = load(L.settings, VECTOR)
    return part(L.work, 2 * pair * n, n)


@kernel
def product(L, pair):
    """Return N x of a pair"""
    n = load(L.settings, VECTOR)
    return part(L.work, (2 * pair + 1) * n, n)


@kernel
def bounds(size, block, each):
    """Return the first group of a block, and its end"""
    return block * each, min((block + 1) * each, size)


@kernel
def larger_of(x, y):
    """Return the larger one; NaN where x is"""
    return select(smaller(x, y), y, x)


@kernel
def not_below(x, least):
    """Return x, or ``least`` where x is less; NaN where x is"""
    return select(smaller(x, least), lift(least, x), x)


@kernel
def magnitude(x):
    """|x|"""
    return select(smaller(x, 0.0), -x, x)


@kernel
def nearest(mu, a, b, c):
    """Project on the cone of friction"""
    size = sqrt(b * b + c * c)
    t = not_below((a + mu * size) / (1.0 + mu * mu), 0.0)
    slides = smaller(mu * a, size)
    radius = mu * t / not_below(size, 1e-300)
    factor = select(slides, select(smaller(radius, 1.0), radius, lift(1.0, a)), lift(1.0, a))
    return select(slides, t, not_below(a, 0.0)), factor * b, factor * c


@kernel
def miss(mu, exact, g, x0, x1, x2, u0, u1, u2):
    """Compute |x - P(x - u - g)|^2 and |x|^2 of a group, with EXACT the correction of u, as the natural map has it"""
    if exact == 1:
        g = g + mu * sqrt(u1 * u1 + u2 * u2)
    p0, p1, p2 = nearest(mu, x0 - u0 - g, x1 - u1, x2 - u2)
    away = (x0 - p0) * (x0 - p0) + (x1 - p1) * (x1 - p1) + (x2 - p2) * (x2 - p2)
    force = x0 * x0 + x1 * x1 + x2 * x2
    if exact == 1:
        # Of a steep cone Signorini's condition counts where it is the larger; of one that parts, all of its force.
        least, whole_force = select(smaller(x0, u0), x0, u0), sqrt(force)
        parting = select(smaller(whole_force, u0), whole_force, u0)
        lack = select(smaller(0.0, least), parting, least)
        away = select(smaller(1.0, mu * mu), larger_of(away, lack * lack), away)
    return away, force


@kernel
def fastest(u0, u1, u2):
    """Return the largest component"""
    return larger_of(larger_of(magnitude(u0), magnitude(u1)), magnitude(u2))


@kernel
def store_sums(L, block, square, curvature, uphill, change, size, distance, motion, offset, lack, held, speed):
    """Store the sums of a block, from lanes"""
    sums = part(L.sums, SUMS * block, SUMS)
    store(sums, SQUARE, sum_of(square))
    store(sums, CURVATURE, sum_of(curvature))
    store(sums, UPHILL, sum_of(uphill))
    store(sums, CHANGE, sum_of(change))
    store(sums, SIZE, sum_of(size))
    store(sums, DISTANCE, sum_of(distance))
    store(sums, MOTION, sum_of(motion))
    store(sums, OFFSET, sum_of(offset))
    store(sums, LACK, largest_of(lack))
    store(sums, HELD, largest_of(held))
    store(sums, SPEED, largest_of(speed))


@called_kernel
def add_sums(L, blocks):
    """Add up the sums of all blocks, and find the largest of the maxima, in the place of those of the first"""
    for k in range(SPEED + 1):
        total, largest = 0.0, 0.0
        for block in range(blocks):
            x = load(L.sums, SUMS * block + k)
            total, largest = total + x, max(largest, x)
        store(L.sums, k, total if k < LACK else largest)


@called_kernel
def error_of_sums(L):
    """Return the error, as in :func:`.evaluate`; infinite where its squares overflow"""
    sums = L.sums
    scale = np.sqrt(max(load(sums, OFFSET), max(load(sums, SIZE), load(sums, MOTION))))
    if not scale < TOO_LARGE:
        return np.inf
    error = np.sqrt(load(sums, DISTANCE))
    error = error / scale if scale > 0.0 else error
    return larger(error, np.sqrt(load(sums, LACK)), np.sqrt(load(sums, HELD)), load(sums, SPEED))
