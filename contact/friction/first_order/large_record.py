"""Places in the record of a large island that threads share, and kernels for a group of contacts: errors, sums.

A group has eight contacts side by side; what is written here for one is done for all of them. Sums are kept strip by strip.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.dense.cone_laws import nearest_in_cone
from pluecker.contact.friction.problem.natural_map import TOO_LARGE
from pluecker.contact.friction.problem.natural_map import larger as largest_error
from pluecker.contact.friction.sparse.gather import largest_of, sum_of
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, part, select, smaller, sqrt, store

__all__ = [
    "BETA", "BODIES", "CHANGE", "CONTROL", "EVEN", "EXACT", "LENGTH", "MOMENTUM", "PASS", "SETTINGS", "SIZE", "SOFT", "SUMS",
    "UPHILL", "add_sums", "bounds", "error_of_sums", "fastest", "miss", "store_sums",
]  # fmt: skip

# Settings, integers: bodies; whether anything is soft; what the pass is; even strips; whether there is momentum; the law.
BODIES, SOFT, PASS, EVEN, MOMENTUM, EXACT, SETTINGS = range(7)
LENGTH, BETA, CONTROL = range(3)  # control, numbers: relaxation, momentum
# Sums of a strip, in a line or two of the cache of their own; those from LACK on are largest ones.
UPHILL, CHANGE, SIZE, DISTANCE, MOTION, OFFSET, LACK, HELD, SPEED = range(9)
SUMS = 16


@kernel
def bounds(size, block, each):
    """Return the first group of a block, and its end"""
    return block * each, min((block + 1) * each, size)


@kernel
def magnitude(x):
    """|x|"""
    return select(smaller(x, 0.0), -x, x)


@kernel
def miss(mu, exact, x0, x1, x2, u0, u1, u2):
    """Compute |x - P(x - u)|^2 and |x|^2 of a group, with EXACT the correction of u, as the natural map has it"""
    g = mu * sqrt(u1 * u1 + u2 * u2) if exact == 1 else 0.0 * mu
    p0, p1, p2 = nearest_in_cone(mu, x0 - u0 - g, x1 - u1, x2 - u2)
    away = (x0 - p0) * (x0 - p0) + (x1 - p1) * (x1 - p1) + (x2 - p2) * (x2 - p2)
    force = x0 * x0 + x1 * x1 + x2 * x2
    if exact == 1:
        # Of a steep cone Signorini's condition counts where it is the larger; of one that parts, all of its force.
        least, whole_force = select(smaller(x0, u0), x0, u0), sqrt(force)
        parting = select(smaller(whole_force, u0), whole_force, u0)
        lack = select(smaller(0.0, least), parting, least)
        away = select(smaller(1.0, mu * mu), larger(away, lack * lack), away)
    return away, force


@kernel
def fastest(u0, u1, u2):
    """Return the largest component"""
    return larger(larger(magnitude(u0), magnitude(u1)), magnitude(u2))


@kernel
def store_sums(L, block, uphill, change, size, distance, motion, offset, lack, held, speed):
    """Store the sums of a strip, from lanes"""
    sums = part(L.sums, SUMS * block, SUMS)
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
    return largest_error(error, np.sqrt(load(sums, LACK)), np.sqrt(load(sums, HELD)), load(sums, SPEED))
