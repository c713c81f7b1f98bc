"""The constraints of an interior-point method for friction, one *cone* for each: what it needs to know of them.

A cone has up to three *components*, each a linear function of the multipliers, all kept apart so that none is ever the
difference of two others and small ones keep their digits:

============================  ====================================================  ==================================
cone                          components a, c, o                                    inside
============================  ====================================================  ==================================
bounds of a row               ``x - lower``, ``upper - x``                          ``a, c > 0``
disc with one component       ``(mu x_n + x_1, mu x_n - x_1) / sqrt 2``             ``a, c > 0``
disc with two components      ``(mu x_n + d.x_1, mu x_n - d.x_1) / sqrt 2``,        ``a, c > 0``, ``2 a c > o^2``
                              ``e.x_1``, directions ``e`` normal to ``d``
============================  ====================================================  ==================================

The last is a second-order cone in coordinates along two of its rays. Its Jordan product, in them, is

    x o y = (sqrt2 a A + o O / sqrt2, sqrt2 c C + o O / sqrt2, ((a + c) O + (A + C) o) / sqrt2),

and its unit is e = (1, 1, 0) / sqrt2; on half-lines it is the product of numbers.

Nesterov and Todd's scaling W of a pair s, z is symmetric, ``W z = W^-1 s = l``. On a second-order cone W has the rays
``(1, d)`` and ``(1, -d)`` as eigenvectors for some direction d: with the components taken along them, W is diagonal. So
are the half-lines. ``v``, the inverse of that diagonal, the direction and l are all that is kept of s and z; a step
changes them by quantities near one, and the two multiply. Complementary pairs down to the square of the rounding are
represented so.

Source: L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010), sections 2 and 5; the coordinates
along the rays are derived here.
"""

from __future__ import annotations

import numpy as np

from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel

__all__ = ["BOUNDS", "LINE", "ROUND", "divide", "jordan", "largest_ratio", "rescale"]

BOUNDS, LINE, ROUND = 0, 1, 2  # kinds of cones
ROOT = float(np.sqrt(2.0))
HALF = 1.0 / ROOT


@kernel
def jordan(kind, x, y):
    """x o y"""
    a, c, o = x
    A, C, O = y
    if kind == ROUND:
        return (ROOT * a * A + HALF * o * O, ROOT * c * C + HALF * o * O, HALF * ((a + c) * O + (A + C) * o))
    return (a * A, c * C, 0.0)


@kernel
def squared(x):
    """x' J x of a round cone, twice the product of its two eigenvalues' halves: 2 a c - o^2"""
    return 2.0 * x[0] * x[1] - x[2] * x[2]


@kernel
def divide(kind, l, d, has):
    """Solve l o x = d for x; components that a cone does not have are zero"""
    a, c, o = l
    A, C, O = d
    if kind != ROUND:
        return (A / a if has[0] > 0.0 else 0.0, C / c if has[1] > 0.0 else 0.0, 0.0)
    l0, l1, d0, d1 = HALF * (a + c), HALF * (a - c), HALF * (A + C), HALF * (A - C)
    x0 = (l0 * d0 - l1 * d1 - o * O) / squared(l)
    x1 = (d1 - x0 * l1) / l0
    return (HALF * (x0 + x1), HALF * (x0 - x1), (O - x0 * o) / l0)


@kernel
def largest_ratio(kind, l, d, has):
    """Return the smallest t >= 0 for which t l + d is in the cone: l + d / t is on its boundary"""
    if kind != ROUND:
        t = -d[0] / l[0] if has[0] > 0.0 else 0.0
        return max(t, -d[1] / l[1] if has[1] > 0.0 else 0.0, 0.0)
    size = np.sqrt(squared(l))
    l0, l1, l2 = HALF * (l[0] + l[1]) / size, HALF * (l[0] - l[1]) / size, l[2] / size
    d0, d1, d2 = HALF * (d[0] + d[1]), HALF * (d[0] - d[1]), d[2]
    along = l0 * d0 - l1 * d1 - l2 * d2
    f = (along + d0) / (l0 + 1.0)
    return max((np.sqrt((d1 - f * l1) ** 2 + (d2 - f * l2) ** 2) - along) / size, 0.0)


@kernel
def is_inside(kind, x, has):
    """Return whether x is in the interior of its cone, with a finite size"""
    if kind != ROUND:
        return (has[0] == 0.0 or 0.0 < x[0] < np.inf) and (has[1] == 0.0 or 0.0 < x[1] < np.inf)
    return 0.0 < x[0] < np.inf and 0.0 < x[1] < np.inf and 0.0 < squared(x) < np.inf


@kernel
def rescale_half_lines(s, z, v, l):
    """Find the scaling of s, z > 0, which are given in the old scaling v: l = sqrt(s z)"""
    for k in range(2):
        if v[k] > 0.0:
            v[k] *= np.sqrt(z[k] / s[k])
            l[k] = np.sqrt(s[k] * z[k])


@kernel
def rescale_round(s, z, v, direction, l):
    """Find the scaling of s, z in a round cone, which are given in the old scaling v, direction

    w, the middle of s / |s| and J z / |z| on the unit hyperboloid, is carried back by the old scaling; its direction
    is the new one, and z, carried back too, is turned there. What multiplies the large component is a squared sine.
    """
    S, Z = np.sqrt(squared(s)), np.sqrt(squared(z))
    a, c, o = s[0] / S + z[1] / Z, s[1] / S + z[0] / Z, s[2] / S - z[2] / Z
    f = 1.0 / np.sqrt(2.0 * a * c - o * o)
    a, c, o = f * a * v[2] / v[0], f * c * v[2] / v[1], f * o
    p, middle = HALF * (a - c), HALF * (a + c)
    size = np.sqrt(p * p + o * o)
    cosine, sine = (p / size, o / size) if size > 0.0 else (1.0, 0.0)
    far = 0.5 * (1.0 - cosine) if cosine < 0.0 else 0.5 * sine * sine / (1.0 + cosine)
    near = 0.5 * (1.0 + cosine) if cosine > 0.0 else 0.5 * sine * sine / (1.0 - cosine)
    za, zc, zo = z[0] * v[0], z[1] * v[1], z[2] * v[2]
    v[2] *= np.sqrt(Z / S)
    v[0], v[1] = v[2] / (middle + size), v[2] * (middle + size)
    l[0] = (near * za + far * zc + HALF * sine * zo) / v[0]
    l[1] = (far * za + near * zc - HALF * sine * zo) / v[1]
    l[2] = (cosine * zo - HALF * sine * (za - zc)) / v[2]
    x, y = cosine * direction[0] - sine * direction[1], cosine * direction[1] + sine * direction[0]
    size = np.sqrt(x * x + y * y)
    direction[0], direction[1] = x / size, y / size


@called_kernel
def rescale(kind, has, step, forward, backward, v, direction, l):
    """Take a step: s = l + step * forward, z = l + step * backward, in the scaling, and find their own scaling.

    Args:
        kind, has: of the cones, ``(n,)`` and ``(n, 3)``.
        step: its length.
        forward, backward: the directions of s and z, scaled, ``(n, 3)``.
        v, direction, l: the scaling, ``(n, 3)``, ``(n, 2)``, and the scaled point, ``(n, 3)``; written.

    Returns:
        Whether s and z are inside all cones; where they are not, nothing is changed.
    """
    n = len(kind)
    for i in range(n):
        s = (l[i, 0] + step * forward[i, 0], l[i, 1] + step * forward[i, 1], l[i, 2] + step * forward[i, 2])
        z = (l[i, 0] + step * backward[i, 0], l[i, 1] + step * backward[i, 1], l[i, 2] + step * backward[i, 2])
        if not (is_inside(kind[i], s, has[i]) and is_inside(kind[i], z, has[i])):
            return False
    for i in range(n):
        s = (l[i, 0] + step * forward[i, 0], l[i, 1] + step * forward[i, 1], l[i, 2] + step * forward[i, 2])
        z = (l[i, 0] + step * backward[i, 0], l[i, 1] + step * backward[i, 1], l[i, 2] + step * backward[i, 2])
        if kind[i] == ROUND:
            rescale_round(s, z, v[i], direction[i], l[i])
        else:
            rescale_half_lines(s, z, v[i], l[i])
    return True
