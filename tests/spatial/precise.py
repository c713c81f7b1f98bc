"""Rotations and rigid motions in mpmath, with fifty digits: what the array functions are checked against."""

from __future__ import annotations

import mpmath
import numpy as np

from tests.conftest import EVERYTHING

mpmath.mp.dps = 50
EPS = float(np.finfo(float).eps)

ANGLES = [0.0, 1e-8, 0.49, 0.51, 3.0, np.pi - 1e-9, np.pi]  # of every branch, and beyond its border
BEYOND = [3.2]  # angles that a logarithm never gives
if EVERYTHING:  # each takes mpmath a second
    ANGLES += [1e-160, 1e-20, 1e-4, 0.01, 1.0, 2.0, np.pi - 1e-4]
    BEYOND += [np.nextafter(np.pi, 4.0), np.sqrt(10.0), 4.0, 6.0]


def exact(array):
    """Convert an array to a matrix or a column of mpmath, without rounding."""
    array = np.asarray(array, dtype=float)
    return mpmath.matrix(array.tolist())


def rounded(matrix):
    """The nearest doubles."""
    result = np.array(matrix.tolist(), dtype=object).astype(float)
    return result[:, 0] if result.shape[1] == 1 else result


def skew(a):
    x, y, z = a
    return mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def series(A, shift=0):
    """sum_k A^k / (k + shift)!: the exponential, or with a shift of one the left Jacobian"""
    result, term, k = mpmath.zeros(A.rows), mpmath.eye(A.rows) / mpmath.factorial(shift), 0
    while k < 4 or max(abs(x) for x in term) > mpmath.mpf(10) ** -60 * max(abs(x) for x in result):
        result, k = result + term, k + 1
        term = term * A / (k + shift)
    return result


def crm(d):
    """d x, 6x6"""
    W, V = skew(d[:3]), skew(d[3:])
    result = mpmath.zeros(6)
    result[:3, :3], result[3:, 3:], result[3:, :3] = W, W, V
    return result


def twist(d):
    """The 4x4 matrix whose exponential is the placement."""
    result = mpmath.zeros(4)
    result[:3, :3] = skew(d[:3])
    for k in range(3):
        result[k, 3] = d[3 + k]
    return result


def rotation_from_quaternion(p):
    """Return the rotation matrix of p / |p|."""
    n = mpmath.sqrt(sum(x * x for x in p))
    w, x, y, z = (t / n for t in p)
    return mpmath.matrix([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def about(axis, angle):
    """A turn about x, y or z"""
    c, s, i = mpmath.cos(angle), mpmath.sin(angle), "xyz".index(axis)
    R = mpmath.eye(3)
    j, k = (i + 1) % 3, (i + 2) % 3
    R[j, j], R[j, k], R[k, j], R[k, k] = c, -s, s, c
    return R


def error(found, expected):
    """|found - expected| / |expected|, the largest entries, in units of the last place; of the norm, not entry by entry"""
    difference = max(abs(mpmath.mpf(float(x)) - y) for x, y in zip(np.ravel(found), expected, strict=True))
    size = max(abs(y) for y in expected)
    return float(difference / size / EPS) if size else float(difference / EPS)
