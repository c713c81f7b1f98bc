"""Rotations: from axis and angle, and from quaternions.

A rotation is stored as ``E``, nine numbers row by row, with ``E a`` the coordinates of ``a`` in the rotated frame: the
transpose of the matrix ``R`` that carries vectors along (course, section 35). Quaternions are ``(w, x, y, z)`` and turn
body coordinates into world coordinates. A rotation vector is axis times angle.

Sources: RBDA sections 2.8 and 4.5; for the quaternion map, Sola, *Quaternion kinematics for the error-state Kalman
filter* (2017), sections 1 to 4.
"""

from pluecker.spatial.algebra.vectors import dot3, scale3, store3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import atan2, load, select, sincos, smaller, sqrt, store

__all__ = [
    "load_quaternion", "quaternion_conjugate", "quaternion_from_rotation", "quaternion_from_rotation_vector",
    "quaternion_normalize",
    "quaternion_product", "rotation_from_axis_angle", "rotation_from_quaternion", "rotation_vector_from_quaternion",
    "store_quaternion",
]  # fmt: skip


@kernel
def rotation_from_axis_angle(u, angle):
    """E of a frame turned by ``angle`` about the unit axis ``u``: c 1 + (1 - c) u u^T - s u~ (Rodrigues)"""
    s, c = sincos(angle)
    x, y, z = u
    t = 1.0 - c
    return (
        c + t * x * x, t * x * y + s * z, t * x * z - s * y,
        t * x * y - s * z, c + t * y * y, t * y * z + s * x,
        t * x * z + s * y, t * y * z - s * x, c + t * z * z,
    )  # fmt: skip


@kernel
def rotation_from_quaternion(p):
    """E of a body turned by the quaternion ``p`` (RBDA section 4.5), a rotation even where ``p`` is not quite of length 1"""
    w, x, y, z = p
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y),
        s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x),
        s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y),
    )  # fmt: skip


@kernel
def quaternion_from_rotation(R):
    """The unit quaternion, w >= 0, of the rotation R = E^T, from its largest component, so that nothing is divided by a
    small number (Shepperd 1978): 4 p p^T is made of sums and differences of entries of R
    """
    ww, xx = 1.0 + R[0] + R[4] + R[8], 1.0 + R[0] - R[4] - R[8]
    yy, zz = 1.0 - R[0] + R[4] - R[8], 1.0 - R[0] - R[4] + R[8]
    wx, wy, wz = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    xy, xz, yz = R[1] + R[3], R[2] + R[6], R[5] + R[7]
    p, largest = (ww, wx, wy, wz), ww
    p, largest = larger(p, largest, (wx, xx, xy, xz), xx)
    p, largest = larger(p, largest, (wy, xy, yy, yz), yy)
    p, largest = larger(p, largest, (wz, xz, yz, zz), zz)
    p = quaternion_normalize(p)
    flip = select(smaller(p[0], 0.0), p[0] * 0.0 - 1.0, p[0] * 0.0 + 1.0)
    return (flip * p[0], flip * p[1], flip * p[2], flip * p[3])


@kernel
def larger(p, a, q, b):
    """(q, b) where b > a, else (p, a)"""
    c = smaller(a, b)
    return (select(c, q[0], p[0]), select(c, q[1], p[1]), select(c, q[2], p[2]), select(c, q[3], p[3])), select(c, b, a)


@kernel
def quaternion_product(p, q):
    """p q: first the turn ``q``, then ``p``, both seen from the fixed frame"""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@kernel
def quaternion_conjugate(p):
    """The inverse of a unit quaternion"""
    return (p[0], -p[1], -p[2], -p[3])


@kernel
def quaternion_normalize(p):
    """p / |p|"""
    s = 1.0 / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    return (s * p[0], s * p[1], s * p[2], s * p[3])


@kernel
def quaternion_from_rotation_vector(a):
    """exp(a / 2) = (cos t/2, sin(t/2) / t a) with t = |a|; series next to zero"""
    t2 = dot3(a, a)
    small = smaller(t2, 1e-6)
    t = sqrt(select(small, t2 * 0.0 + 1.0, t2))
    s, c = sincos(0.5 * t)
    ratio = select(small, 0.5 - t2 * (1.0 / 48.0 - t2 / 3840.0), s / t)
    w = select(small, 1.0 - t2 * (0.125 - t2 / 384.0), c)
    return (w, ratio * a[0], ratio * a[1], ratio * a[2])


@kernel
def rotation_vector_from_quaternion(p):
    """2 log p: axis times angle, the angle in [0, pi]; series next to zero"""
    flip = select(smaller(p[0], 0.0), -1.0, 1.0)
    w = flip * p[0]
    u = (flip * p[1], flip * p[2], flip * p[3])
    s2 = dot3(u, u)
    small = smaller(s2, 1e-8)
    s = sqrt(select(small, s2 * 0.0 + 1.0, s2))
    v = select(small, w, w * 0.0 + 1.0)
    ratio = select(small, 2.0 / v * (1.0 - s2 / (3.0 * v * v)), 2.0 * atan2(s, w) / s)
    return scale3(ratio, u)


@kernel
def load_quaternion(array, k):
    """A quaternion from four entries of a scalar array, from ``k`` on."""
    return (load(array, k), load(array, k + 1), load(array, k + 2), load(array, k + 3))


@kernel
def store_quaternion(array, k, p):
    """Write a quaternion to four entries of a scalar array, from ``k`` on."""
    store(array, k, p[0])
    store3(array, k + 1, (p[1], p[2], p[3]))
