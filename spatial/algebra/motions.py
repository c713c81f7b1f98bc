"""Finite motions: the exponential of a twist, its logarithm, and the derivative of the logarithm.

A body that moves for unit time with the constant velocity ``d = (a, b)``, seen in its own coordinates, turns by the
rotation vector ``a`` and travels by ``V(a) b``, in the coordinates it had at the start:

    V(a) = 1 + B a~ + C a~ a~        B = (1 - cos t) / t^2      C = (t - sin t) / t^3        t = |a|
    V(a)^-1 = 1 - 1/2 a~ + D a~ a~   D = (1 - t/2 cot t/2) / t^2

The coefficients lose digits next to t = 0; there they are summed as series (:func:`coefficients`). Source: Murray, Li,
Sastry, *A Mathematical Introduction to Robotic Manipulation* (1994), section 2.3; derived anew and checked against finite
differences.
"""

import math

from pluecker.spatial.algebra.vectors import add, add3, cross3, cross_force, dot3, scale, scale3, subtract
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import select, sincos, smaller, sqrt

__all__ = [
    "coefficients", "logarithm_transpose", "translation_from_twist", "twist_coefficient", "twist_from_translation",
]  # fmt: skip

# |B_2j| / (2j)!, the coefficients of  1 - t/2 cot t/2 = sum_j  c_j t^2j
C1, C2, C3, C4 = 1 / 12, 1 / 720, 1 / 30240, 1 / 1209600
C5, C6, C7, C8 = 1 / 47900160, 691 / 1307674368000, 1 / 74724249600, 3617 / 10670622842880000

NEAR = 10.0  # of t^2: a little more than half a turn
F4 = tuple((-1.0) ** k / math.factorial(2 * k + 4) for k in range(14))  # c4 = sum_k F4_k t^2k
F5 = tuple((-1.0) ** k / math.factorial(2 * k + 5) for k in range(14))


@kernel
def half_cotangent(t2):
    """(small, x, t/2 cot t/2) with x = t^2; where ``small`` holds, x and the cotangent belong to t = 1 instead"""
    small = smaller(t2, 0.25)
    x = select(small, t2 * 0.0 + 1.0, t2)
    t = sqrt(x)
    s, c = sincos(0.5 * t)
    return small, x, 0.5 * t * c / s


@kernel
def coefficients(y):
    """(c1, c2, c3, c4, c5) with t = sqrt(y): how sin and cos differ from the beginnings of their series

    c1 = sin t / t                       c2 = (1 - cos t) / t^2             c3 = (t - sin t) / t^3
    c4 = (t^2/2 - 1 + cos t) / t^4       c5 = (t^3/6 - t + sin t) / t^5     c_k = 1/k! - t^2 c_k+2

    Up to half a turn, c4 and c5 are summed as series, and the others follow from them with no loss of digits.
    """
    near = smaller(y, NEAR)
    x = select(near, y * 0.0 + NEAR, y)  # beyond half a turn
    t = sqrt(x)
    s, c = sincos(0.5 * t)
    far1, far2 = 2.0 * s * c / t, 2.0 * s * s / x
    far3 = (1.0 - far1) / x
    z = select(near, y, y * 0.0)
    c4, c5 = z * F4[13] + F4[12], z * F5[13] + F5[12]
    for k in range(11, -1, -1):
        c4, c5 = z * c4 + F4[k], z * c5 + F5[k]
    c4, c5 = select(near, c4, (0.5 - far2) / x), select(near, c5, (1.0 / 6.0 - far3) / x)
    c2, c3 = select(near, 0.5 - y * c4, far2), select(near, 1.0 / 6.0 - y * c5, far3)
    return select(near, 1.0 - y * c3, far1), c2, c3, c4, c5


@kernel
def translation_from_twist(a, b):
    """V(a) b"""
    _, B, C, _, _ = coefficients(dot3(a, a))
    ab = cross3(a, b)
    return add3(b, add3(scale3(B, ab), scale3(C, cross3(a, ab))))


@kernel
def twist_coefficient(y):
    """D = (1 - t/2 cot t/2) / t^2 with t = sqrt(y)"""
    small, x, k = half_cotangent(y)
    series = C1 + y * (C2 + y * (C3 + y * (C4 + y * (C5 + y * (C6 + y * C7)))))
    return select(small, series, (1.0 - k) / x)


@kernel
def twist_from_translation(a, p):
    """V(a)^-1 p, for |a| < 2 pi"""
    D = twist_coefficient(dot3(a, a))
    ap = cross3(a, p)
    return add3(subtract3_half(p, ap), scale3(D, cross3(a, ap)))


@kernel
def subtract3_half(a, b):
    """a - b / 2"""
    return (a[0] - 0.5 * b[0], a[1] - 0.5 * b[1], a[2] - 0.5 * b[2])


@kernel
def logarithm_transpose(d, f):
    """J^T f, where J maps the body velocity to the rate of change of the logarithm ``d`` of the body's placement.

    J = ad / (1 - exp(-ad)) = 1 + 1/2 ad + A ad^2 + B ad^4 with ad = d x; by ad (ad^2 + t^2)^2 = 0, matching the function
    k = t/2 cot t/2 and its derivative k' with respect to t^2 gives A t^2 = 2 (1 - k) + t^2 k', B t^4 = 1 - k + t^2 k'.
    The transpose of d x is -(d x*).
    """
    y = dot3(d[0], d[0])
    small, x, k = half_cotangent(y)
    xk = 0.5 * (k - k * k) - 0.125 * x  # t^2 k', since (t/2)^2 / sin^2(t/2) = (t/2)^2 + k^2
    series_A = C1 - y * y * (C3 + y * (2 * C4 + y * (3 * C5 + y * (4 * C6 + y * (5 * C7 + y * 6 * C8)))))
    series_B = -C2 - y * (2 * C3 + y * (3 * C4 + y * (4 * C5 + y * (5 * C6 + y * (6 * C7 + y * 7 * C8)))))
    A = select(small, series_A, (2.0 * (1.0 - k) + xk) / x)
    B = select(small, series_B, (1.0 - k + xk) / (x * x))
    f1 = cross_force(d, f)
    f2 = cross_force(d, f1)
    f4 = cross_force(d, cross_force(d, f2))
    return add(subtract(f, scale(0.5, f1)), add(scale(A, f2), scale(B, f4)))
