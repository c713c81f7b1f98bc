"""The angle of a point in the plane, ``atan2``, on lanes.

The smaller coordinate over the larger one is t, at most 1. Above tan(pi/8) it is turned back by an eighth of a turn,
``u = (t - 1) / (t + 1)``, so that a short polynomial gives atan(u): near the minimax one for ``(atan(u)/u - 1) / u^2``. What
was turned and mirrored is put back by multiples of pi/4 in two parts, and the sign of y comes last.

The error is below 2 ulp. A lane that holds the origin, infinity, NaN, or a point so near or so far that a sum or a quotient
could leave the range goes to the system's library, to which ordinary numbers always go.
"""

from __future__ import annotations

import numpy as np
from numba.extending import intrinsic, overload

from pluecker.spatial.engine.codegen.lanes import function_of_llvm, lanes
from pluecker.spatial.engine.compiled.decorators import OPTIONS, kernel
from pluecker.spatial.engine.scalars.lanes import WIDTH, get_lane, set_lane
from pluecker.spatial.engine.scalars.operations import atan2, select, smaller, within

__all__ = ["ordinary_atan2"]

TAN_EIGHTH = 0.41421356237309503  # tan(pi/8)
SMALLEST_COORDINATE, LARGEST_COORDINATE = 1e-290, 1e290  # of the larger coordinate
Q1, Q2 = 0.7853981633974483, 3.061616997868383e-17  # pi/4; the last two bits of the first part are zero
A0, A1, A2, A3 = -0.3333333333333333, 0.19999999999999804, -0.14285714285659828, 0.11111111105155441
A4, A5, A6, A7 = -0.09090908753500636, 0.07692296375025154, -0.06666424885612743, 0.058789289963916344
A8, A9, A10, A11 = -0.05230454260021369, 0.04551593172142479, -0.03457056073451243, 0.016285755473349803


@intrinsic
def magnitude(typing, x):
    """|x|"""
    return lanes(x), lambda context, builder, signature, arguments: function_of_llvm(builder, "fabs", *arguments)


@intrinsic
def with_sign(typing, x, y):
    """|x| with the sign of y, also of -0"""
    return lanes(x, y), lambda context, builder, signature, arguments: function_of_llvm(builder, "copysign", *arguments)


@kernel
def ordinary_atan2(y, x):
    """(atan2(y, x), size): the angle is good where SMALLEST <= size <= LARGEST"""
    ax, ay = magnitude(x), magnitude(y)
    steep = smaller(ax, ay)
    high, low = select(steep, ay, ax), select(steep, ax, ay)
    far = smaller(TAN_EIGHTH * high, low)
    u = select(far, low - high, low) / select(far, low + high, high)
    z = u * u
    p = A4 + z * (A5 + z * (A6 + z * (A7 + z * (A8 + z * (A9 + z * (A10 + z * A11))))))
    a = u + u * (z * (A0 + z * (A1 + z * (A2 + z * (A3 + z * p)))))
    k = select(far, a * 0.0 + 1.0, a * 0.0)  # a + k pi/4 is the angle between the nearer axis and the point
    a, k = select(steep, -a, a), select(steep, 2.0 - k, k)
    behind = smaller(x, 0.0)
    a, k = select(behind, -a, a), select(behind, 4.0 - k, k)
    return with_sign(k * Q1 + (a + k * Q2), y), high + 0.0 * low


@overload(atan2, jit_options=OPTIONS)
def _atan2(y, x):
    if y == lanes and x == lanes:

        def eight(y, x):
            angle, size = ordinary_atan2(y, x)
            if not within(select(smaller(size, SMALLEST_COORDINATE), size * 0.0 + np.inf, size), LARGEST_COORDINATE):
                for k in range(WIDTH):
                    if not SMALLEST_COORDINATE <= get_lane(size, k) <= LARGEST_COORDINATE:
                        angle = set_lane(angle, k, np.arctan2(get_lane(y, k), get_lane(x, k)))
            return angle

        return eight
    return None
