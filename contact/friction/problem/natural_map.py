"""The natural map ``x - P(x - w - g)``: zero where impulses and velocities obey the law, and nowhere else.

Impulses and velocities are in the scaled units of a block, ``x = r / s`` and ``w = s u``, where ``1 / s^2`` is the mean
diagonal of its block of N, the inverse of an effective mass. Divided by s the map of a block is a velocity again, that by
which the law is missed. Errors, first-order methods, the interior point and Newton's method all use what is here.

Source: as in :mod:`~pluecker.contact.friction.results.measures`.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.problem.sets import is_steep, project_block, shift_block, signorini_block
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel

__all__ = ["ROUNDING", "TOO_LARGE", "distance_block", "larger", "natural_block", "natural_map", "relative_map"]

ROUNDING = 4.0 * float(np.finfo(np.float64).eps)  # of a velocity that is a sum, relative to its largest term
TOO_LARGE = 1e153  # multipliers or velocities, in units in which velocities are one: their squares overflow


@kernel
def distance_block(K, i, x, z, out):
    """|x - P(z)|^2 of block i; P(z) is left in ``out``, which may be ``z``"""
    project_block(K, i, z, out)
    total = 0.0
    for k in range(K.start[i], K.start[i + 1]):
        d = x[k] - out[k]
        total += d * d
    return total


@kernel
def natural_block(K, i, g, exact, x, u, work):
    """|x - P(x - u - g)|^2 of block i; ``exact`` adds De Saxce's correction of u to the shift g, which is scaled as u is

    Of a steep cone Signorini's condition counts where it is the larger.
    """
    top = K.start[i]
    for k in range(top, K.start[i + 1]):
        work[k] = x[k] - u[k]
    work[top] -= g
    if exact == 1:
        work[top] -= shift_block(K, i, u)
    part = distance_block(K, i, x, work, work)
    if exact == 1 and is_steep(K, i):
        lack = signorini_block(K, i, 1.0, 1.0, x, u)
        part = max(part, lack * lack)
    return part


@called_kernel
def natural_map(K, s, b, g, x, u, exact, first, last, work):
    """Compute the natural map of the blocks from ``first`` to ``last``, where u = N^ x + b^

    Returns the map, relative to max(|b|, |x|, |u|); and as velocities the largest map of a block, the largest ``D_i |r_i|``,
    and the largest component of u or b. ``g`` is a shift that is held, not scaled.
    """
    total, bb, xx, uu = 0.0, 0.0, 0.0, 0.0
    lack, held, speed = 0.0, 0.0, 0.0
    for i in range(first, last):
        top, bottom = K.start[i], K.start[i + 1]
        inverse, force, largest = 1.0 / s[top], 0.0, 0.0
        for k in range(top, bottom):
            bb += b[k] * b[k]
            force += x[k] * x[k]
            uu += u[k] * u[k]
            largest = max(largest, max(abs(u[k]), abs(b[k])))
        part = natural_block(K, i, g[i] * s[top], exact, x, u, work)
        total, xx = total + part, xx + force
        lack, held = max(lack, part * inverse * inverse), max(held, force * inverse * inverse)
        speed = max(speed, largest * inverse)
    error = relative_map(total, max(bb, xx, uu))
    if error == np.inf:  # the largest of numbers may not be NaN where one of them is
        return np.inf, np.inf, np.inf, speed
    return error, np.sqrt(lack), np.sqrt(held), speed


@kernel
def relative_map(total, size):
    """Return the natural map relative to the largest of offset, multipliers and velocities, from the squares of both

    Infinite where these overflow.
    """
    scale = np.sqrt(size)
    if not (scale < TOO_LARGE and total < np.inf):
        return np.inf
    error = np.sqrt(total)
    return error / scale if scale > 0.0 else error


@kernel
def larger(error, lack, held, speed):
    """Return the natural map, or the error in velocity relative to the largest velocity, whichever is larger

    Methods stop at it. Of what rounding may hide, a result counts half as much, so that what a method is content with
    has the tolerance also where sums are made in another order.
    """
    size = speed if speed > 0.0 else held
    velocity = lack + 2.0 * ROUNDING * held
    relative = velocity / size if size > 0.0 else velocity
    return error if not error <= relative else relative
