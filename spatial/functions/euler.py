"""Euler angles of arrays of rotations, in all sequences of axes.

A sequence is three letters. In capitals, ``"ZYX"``, each turn is about an axis of the frame as the turns before have left
it: ``R = R_z(a) R_y(b) R_x(c)``. In small letters, ``"zyx"``, all turns are about axes that stay where they are:
``R = R_x(c) R_y(b) R_z(a)``. These are the names of ``scipy.spatial.transform.Rotation``. Twelve sequences have no axis
twice in a row: six with three axes (Tait-Bryan), and six that come back to the first one (proper Euler angles).

Two formulas serve all. The axes of a sequence are renamed x, y, z; where they are in left-handed order, the one called z is
turned around, and with it the angle about it. Each sequence that is used is compiled once.

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

import functools

from numpy.typing import ArrayLike

from pluecker.spatial.algebra.matrices import not_orthonormal
from pluecker.spatial.algebra.vectors import multiply3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import atan2, load, sincos, sqrt, store
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.functions.elementwise import Array, Elementwise

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
def three_axes(a, b, c):
    """R_x(a) R_y(b) R_z(c)"""
    return multiply3(about_x(a), multiply3(about_y(b), about_z(c)))


@kernel
def two_axes(a, b, c):
    """R_x(a) R_y(b) R_x(c)"""
    return multiply3(about_x(a), multiply3(about_y(b), about_x(c)))


@kernel
def from_three_axes(R):
    """b = atan2(R02, |(R00, R01)|), a from the last column, c from the second row of R_x(-a) R = R_y(b) R_z(c)"""
    a = atan2(-R[5], R[8])
    s, c = sincos(a)
    b = atan2(R[2], sqrt(R[0] * R[0] + R[1] * R[1]))
    return a, b, atan2(c * R[3] + s * R[6], c * R[4] + s * R[7])


@kernel
def from_two_axes(R):
    """b = atan2(|(R01, R02)|, R00), a from the first column, c from the second row of R_x(-a) R = R_y(b) R_x(c)"""
    a = atan2(R[3], -R[6])
    s, c = sincos(a)
    b = atan2(sqrt(R[1] * R[1] + R[2] * R[2]), R[0])
    return a, b, atan2(-(c * R[5] + s * R[8]), c * R[4] + s * R[7])


@functools.cache
def to_and_from(sequence: str) -> tuple[Elementwise, Elementwise]:
    """Both directions for one sequence: the formulas with its axes renamed, and turned around where that is needed."""
    (i, j, k), sign, three, fixed = renamed("euler", sequence)
    to, back = (three_axes, from_three_axes) if three else (two_axes, from_two_axes)
    first, last = (2, 0) if fixed else (0, 2)
    turn = sign if three else 1.0  # of the angle about z

    def to_rotation(x, out):
        R = to(load(x, first), load(x, 1), turn * load(x, last))
        store(out, 3 * i + i, R[0])
        store(out, 3 * i + j, R[1])
        store(out, 3 * i + k, sign * R[2])
        store(out, 3 * j + i, R[3])
        store(out, 3 * j + j, R[4])
        store(out, 3 * j + k, sign * R[5])
        store(out, 3 * k + i, sign * R[6])
        store(out, 3 * k + j, sign * R[7])
        store(out, 3 * k + k, R[8])

    def from_rotation(x, out):
        x0, x1, x2 = load(x, 3 * i + i), load(x, 3 * i + j), sign * load(x, 3 * i + k)
        y0, y1, y2 = load(x, 3 * j + i), load(x, 3 * j + j), sign * load(x, 3 * j + k)
        z0, z1, z2 = sign * load(x, 3 * k + i), sign * load(x, 3 * k + j), load(x, 3 * k + k)
        R = (x0, x1, x2, y0, y1, y2, z0, z1, z2)
        a, b, c = back(R)
        store(out, first, a + not_orthonormal(R))
        store(out, 1, b)
        store(out, last, turn * c)

    kind = "fixed" if fixed else "moving"
    for function in (to_rotation, from_rotation):  # by their names the cache tells them from those of other sequences
        function.__name__ = function.__qualname__ = f"{function.__name__}_{kind}_{sequence.lower()}"
    return (
        Elementwise("euler_to_rotation", kernel(to_rotation), {"angles": (3,)}, (3, 3)),
        Elementwise("euler_from_rotation", kernel(from_rotation), {"R": (3, 3)}, (3,), NO_ROTATION),
    )


NO_ROTATION = "R is not a rotation matrix: R R^T = 1 and det R = 1 are expected, within 1e-6"


def renamed(function: str, sequence: str) -> tuple[list[int], float, bool, bool]:
    """The axes in the order in which they become x, y, z; the sign of z; whether there are three; whether they stay."""
    letters = sequence.lower() if isinstance(sequence, str) else ""
    good = len(letters) == 3 and set(letters) <= set("xyz") and letters[0] != letters[1] != letters[2]
    if not good or sequence not in (letters, letters.upper()):
        error = ArgumentValueError if isinstance(sequence, str) else ArgumentTypeError
        raise error(
            f"{function}: sequence is {shown(sequence)}, expected three letters such as 'ZYX' (axes that move) or 'zyx' "
            "(fixed axes), of x, y and z, none twice in a row"
        )
    fixed = sequence == letters
    i, j, k = ("xyz".index(letter) for letter in (letters[::-1] if fixed else letters))
    return [i, j, 3 - i - j], 1.0 if (j - i) % 3 == 1 else -1.0, k != i, fixed


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
    renamed("euler_to_rotation", sequence)
    return to_and_from(sequence)[0](angles)


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
    renamed("euler_from_rotation", sequence)
    return to_and_from(sequence)[1](R)
