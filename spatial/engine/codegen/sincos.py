"""Sine and cosine together, in arithmetic alone, so that they run on lanes as on one number.

The argument is brought to [-pi/4, pi/4] by taking off the nearest multiple k of pi/2 (Cody, Waite 1980), with pi/2 in
three parts and fused products: ``x - k P1`` is exact, and what rounding takes from the next step is kept as ``c`` (Boldo,
Daumas, Li 2009). On the small interval two minimax polynomials (those of Sun's fdlibm) give sine and cosine. Arguments
beyond :data:`LARGEST_ANGLE`, infinity and NaN go to the system's library.

The error is below 0.8 ulp on |x| <= 1e6: the tests measure it against 60 digits, and next to multiples of pi/2, where
the remainder is small, in particular.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from pluecker.spatial.engine.codegen.lanes import LONG, VECTOR, function_of_llvm, lanes, mask, spread
from pluecker.spatial.engine.compiled.decorators import OPTIONS, kernel
from pluecker.spatial.engine.scalars.lanes import WIDTH, get_lane, set_lane
from pluecker.spatial.engine.scalars.operations import select, sincos, within

__all__ = ["small_sincos"]

LARGEST_ANGLE = 1e6
TWO_OVER_PI = 0.6366197723675814
# pi/2 = P1 + P2 + P3 to 160 bits
P1, P2, P3 = 1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33
# Added to a number below 2^51 and taken off again, it leaves the nearest integer; the sum has that integer in its last bits.
ROUNDER = 6755399441055744.0
S1, S2, S3 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
S4, S5, S6 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
C1, C2, C3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
C4, C5, C6 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11


# ------------------------------------------------------------------------------ three instructions, on numbers and on lanes


@intrinsic
def fma(typing, x, y, z):
    """x y + z, rounded once."""
    result = lanes if lanes in (x, y, z) else types.float64

    def generate(context, builder, signature, arguments):
        if result == lanes:
            arguments = [spread(context, builder, *pair) for pair in zip(signature.args, arguments, strict=True)]
        return function_of_llvm(builder, "fma", *arguments)

    return result(x, y, z), generate


def condition_of(x: Any) -> Any:
    """The type of a condition on ``x``."""
    return mask if x == lanes else types.boolean


def bit_is_set(builder: Any, x: Any, n: int) -> Any:
    """Emit a test whether bit ``n`` of the binary form of ``x`` is set, in each lane of vectors."""
    wanted, nothing = ir.Constant(LONG, 1 << n), ir.Constant(LONG, 0)
    if x.type == VECTOR:
        kind = ir.VectorType(LONG, WIDTH)
        wanted, nothing = ir.Constant(kind, [1 << n] * WIDTH), ir.Constant(kind, [0] * WIDTH)
    found = builder.and_(builder.bitcast(x, wanted.type), wanted)
    return builder.icmp_unsigned("!=", found, nothing)


@intrinsic
def odd(typing, n):
    """Return whether the last bit of the binary form of ``n`` is set."""
    return condition_of(n)(n), lambda context, builder, signature, arguments: bit_is_set(builder, *arguments, 0)


@intrinsic
def odd_half(typing, n):
    """Return whether the last bit but one of the binary form of ``n`` is set."""
    return condition_of(n)(n), lambda context, builder, signature, arguments: bit_is_set(builder, *arguments, 1)


# ----------------------------------------------------------------------------------------------------------- the algorithm


@kernel
def small_sincos(x):
    """Sine and cosine for |x| <= LARGEST"""
    n = x * TWO_OVER_PI + ROUNDER
    k = n - ROUNDER
    y = fma(k, -P1, x)
    r = fma(k, -P2, y)
    w = fma(k, P2, 0.0)
    u = y - w
    c = fma(k, -P3, ((u - r) + ((y - u) - w)) - fma(k, P2, -w))  # what rounding took from r
    z = r * r
    p = S2 + z * (S3 + z * (S4 + z * (S5 + z * S6)))
    s = r - ((z * (0.5 * c - z * r * p) - c) - z * r * S1)
    h = 0.5 * z
    w = 1.0 - h
    p = z * (C1 + z * (C2 + z * (C3 + z * (C4 + z * (C5 + z * C6)))))
    t = w + (((1.0 - w) - h) + (z * p - r * c))
    swapped = odd(n)  # k mod 4 is the quadrant
    sine, cosine = select(swapped, t, s), select(swapped, s, t)
    return (select(odd_half(n), -sine, sine), select(odd_half(n + 1.0), -cosine, cosine))


@overload(sincos, jit_options=OPTIONS)
def _sincos(x):
    if x == types.float64:

        def number(x):
            if within(x, LARGEST_ANGLE):
                return small_sincos(x)
            return np.sin(x), np.cos(x)

        return number

    if x == lanes:

        def eight(x):
            sine, cosine = small_sincos(x)
            if not within(x, LARGEST_ANGLE):
                for k in range(WIDTH):
                    xk = get_lane(x, k)
                    if not abs(xk) <= LARGEST_ANGLE:
                        sine, cosine = set_lane(sine, k, np.sin(xk)), set_lane(cosine, k, np.cos(xk))
            return sine, cosine

        return eight
    return None
