"""Euler angles of arrays of rotations, in all sequences of axes.

A sequence is three letters. In capitals, ``"ZYX"``, each turn is about an axis of the frame as the turns before have left
it: ``R = R_z(a) R_y(b) R_x(c)``. In small letters, ``"zyx"``, all turns are about axes that stay where they are:
``R = R_x(c) R_y(b) R_z(a)``. These are the names of ``scipy.spatial.transform.Rotation``. Twelve sequences have no axis
twice in a row: six with three axes (Tait-Bryan), and six that come back to the first one (proper Euler angles).

Two formulas serve all. The axes of a sequence are renamed x, y, z; where they are in left-handed order, the one called z is
turned around, and with it the angle about it.

=============================================  =============================
formula                                        function
=============================================  =============================
``R_i(a) R_j(b) R_k(c)``                       :func:`euler_to_rotation`
back, with ``b`` in the middle of its range    :func:`euler_from_rotation`
=============================================  =============================

Source: Diebel, *Representing attitude* (2006), section 8; the last angle from what the first one leaves, so that the three
together give the rotation back also where the middle one makes the other two indistinct (gimbal lock).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.compile import kernel
from pluecker.spatial.elementwise import Array, Elementwise, as_floats
from pluecker.spatial.matrices import load_block, not_orthonormal, store_block
from pluecker.spatial.scalars import atan2, sincos, sqrt
from pluecker.spatial.vectors import load3, multiply3, store3

__all__ = ["euler_from_rotation", "euler_to_rotation"]


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def about_x(angle):
    """R_x"""
    s, c = sincos(angle)
    return (1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)


@kernel
def about_y(angle):
    """R_y"""
    s, c = sincos(angle)
    return (c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c)


@kernel
def about_z(angle):
    """R_z"""
    s, c = sincos(angle)
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)


@kernel
def xyz_kernel(x, out):
    """R_x(a) R_y(b) R_z(c)"""
    a, b, c = load3(x, 0)
    store_block(out, 0, 3, multiply3(about_x(a), multiply3(about_y(b), about_z(c))))


@kernel
def xyx_kernel(x, out):
    """R_x(a) R_y(b) R_x(c)"""
    a, b, c = load3(x, 0)
    store_block(out, 0, 3, multiply3(about_x(a), multiply3(about_y(b), about_x(c))))


@kernel
def from_xyz_kernel(x, out):
    """b = atan2(R02, |(R00, R01)|), a from the last column, c from the second row of R_x(-a) R = R_y(b) R_z(c)"""
    R = load_block(x, 0, 3)
    a = atan2(-R[5], R[8])
    b = atan2(R[2], sqrt(R[0] * R[0] + R[1] * R[1]))
    s, c = sincos(a)
    store3(out, 0, (a + not_orthonormal(R), b, atan2(c * R[3] + s * R[6], c * R[4] + s * R[7])))


@kernel
def from_xyx_kernel(x, out):
    """b = atan2(|(R01, R02)|, R00), a from the first column, c from the second row of R_x(-a) R = R_y(b) R_x(c)"""
    R = load_block(x, 0, 3)
    a = atan2(R[3], -R[6])
    b = atan2(sqrt(R[1] * R[1] + R[2] * R[2]), R[0])
    s, c = sincos(a)
    store3(out, 0, (a + not_orthonormal(R), b, atan2(-(c * R[5] + s * R[8]), c * R[4] + s * R[7])))


NO_ROTATION = "R is not a rotation matrix: R R^T = 1 and det R = 1 are expected, within 1e-6"
XYZ = Elementwise("euler_to_rotation", xyz_kernel, {"angles": (3,)}, (3, 3))
XYX = Elementwise("euler_to_rotation", xyx_kernel, {"angles": (3,)}, (3, 3))
FROM_XYZ = Elementwise("euler_from_rotation", from_xyz_kernel, {"R": (3, 3)}, (3,), NO_ROTATION)
FROM_XYX = Elementwise("euler_from_rotation", from_xyx_kernel, {"R": (3, 3)}, (3,), NO_ROTATION)


def renamed(function: str, sequence: str) -> tuple[list[int], Array, bool, bool]:
    """The axes in the order in which they become x, y, z; their signs; whether there are three; whether they stay."""
    letters = sequence.lower() if isinstance(sequence, str) else ""
    good = len(letters) == 3 and set(letters) <= set("xyz") and letters[0] != letters[1] != letters[2]
    if not good or sequence not in (letters, letters.upper()):
        raise ValueError(
            f"{function}: sequence is {sequence!r}, expected three letters such as 'ZYX' (axes that move) or 'zyx' (fixed "
            "axes), of x, y and z, none twice in a row"
        )
    fixed = sequence == letters
    i, j, k = ("xyz".index(letter) for letter in (letters[::-1] if fixed else letters))
    signs = np.array([1.0, 1.0, 1.0 if (j - i) % 3 == 1 else -1.0])
    return [i, j, 3 - i - j], signs, k != i, fixed


def euler_to_rotation(angles: ArrayLike, sequence: str) -> Array:
    """The rotation that three turns make.

    Args:
        angles: in the order of the sequence, ``(..., 3)``; rad.
        sequence: the axes, such as "ZYX" (moving) or "zyx" (fixed).

    Returns:
        ``R``, ``(..., 3, 3)``: it turns vectors; its transpose is the ``E`` of a coordinate transform.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; no such sequence.

    Source: Diebel (2006), section 8.
    """
    axes, signs, three, fixed = renamed("euler_to_rotation", sequence)
    angles = as_floats("euler_to_rotation", "angles", angles, (3,))
    angles = angles[..., ::-1] if fixed else angles
    R = XYZ(angles * signs) if three else XYX(angles)
    back = np.argsort(axes)
    return (R * np.outer(signs, signs))[..., back, :][..., back]


def euler_from_rotation(R: ArrayLike, sequence: str) -> Array:
    """The three turns that make a rotation: the inverse of :func:`euler_to_rotation`.

    Args:
        R: rotations, ``(..., 3, 3)``.
        sequence: the axes, such as "ZYX" (moving) or "zyx" (fixed).

    Returns:
        Angles in the order of the sequence, ``(..., 3)``; rad. The first and the last lie in [-pi, pi], the middle one in
        [-pi/2, pi/2] with three axes and in [0, pi] with two. Where the middle one is at an end of its range only the sum or
        difference of the others matters; they still give the rotation back.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not a rotation; no such sequence.

    Source: Diebel (2006), section 8.
    """
    axes, signs, three, fixed = renamed("euler_from_rotation", sequence)
    R = as_floats("euler_from_rotation", "R", R, (3, 3))[..., axes, :][..., axes] * np.outer(signs, signs)
    angles = FROM_XYZ(R) * signs if three else FROM_XYX(R)
    return angles[..., ::-1].copy() if fixed else angles
