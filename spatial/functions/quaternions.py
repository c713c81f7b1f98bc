"""Arrays of unit quaternions, ``[w, x, y, z]``, from body to world coordinates.

The rates of change of a quaternion and of a body's position are linear in the body's velocity; the matrices of these maps
have names in the literature on multibody systems:

=========================================  ========================================================  ===================
formula                                    function                                                  source
=========================================  ========================================================  ===================
``p q``, ``p*``, ``p / |p|``               :func:`quaternion_product`,                               Sola, section 1
                                           :func:`quaternion_conjugate`,
                                           :func:`quaternion_normalize`
``p^-1 = p* / |p|^2``                      :func:`quaternion_inverse`                                Sola, section 1
``p x p*``                                 :func:`quaternion_rotate`                                 Sola, section 1.4
``exp(a / 2)``, ``2 log p``                :func:`quaternion_exp`, :func:`quaternion_log`            Sola, sections 2.1, 2.4
``R(p)``                                   :func:`quaternion_to_rotation`, back                      RBDA section 4.5
                                           :func:`quaternion_from_rotation`
``dp/dt``                                  :func:`quaternion_derivative`                             RBDA section 4.5
``dp/dt = Q w``, world coordinates         :func:`quaternion_rate_matrix`                            Nikravesh, chapter 6
``w = 2 G dp/dt``, body coordinates        :func:`angular_velocity_matrix`                           Nikravesh, chapter 6
``dq/dt = L v``, position and quaternion   :func:`position_rate_matrix`                              Anitescu, Tasora
=========================================  ========================================================  ===================

Sources: J. Sola, "Quaternion kinematics for the error-state Kalman filter" (2017); P. E. Nikravesh, *Computer-Aided
Analysis of Mechanical Systems* (1988), whose matrices E and G turn rates of Euler parameters into angular velocity;
M. Anitescu, A. Tasora, "An iterative approach for cone complementarity problems for nonsmooth multibody dynamics" (2010),
section 2, for L. The same formulas are in the source documents 000 (Q), 003 (G, L) and 004 (docs/sources.md).

:mod:`~pluecker.spatial.functions.scipy_rotations` exchanges rotations and placements with ``scipy.spatial.transform``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.algebra import rotations
from pluecker.spatial.algebra.matrices import NEARLY, load_block, nan_unless, not_orthonormal, store_block
from pluecker.spatial.algebra.rotations import load_quaternion, store_quaternion
from pluecker.spatial.algebra.transforms import transpose
from pluecker.spatial.algebra.vectors import load3, rotate_back, store3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import smaller, store
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import Array, as_floats, as_option, composed
from pluecker.spatial.functions.elementwise import Elementwise

__all__ = [
    "angular_velocity_matrix", "position_rate_matrix", "quaternion_conjugate", "quaternion_derivative", "quaternion_exp",
    "quaternion_from_rotation", "quaternion_inverse", "quaternion_log", "quaternion_normalize", "quaternion_product",
    "quaternion_rate_matrix", "quaternion_rotate", "quaternion_to_rotation",
]  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def load_unit(x, k):
    """A quaternion that has to be of unit length; its first entry is NaN where it is not"""
    w, a, b, c = load_quaternion(x, k)
    d = w * w + a * a + b * b + c * c - 1.0
    return (w + nan_unless(smaller(d * d, 4.0 * NEARLY * NEARLY), d), a, b, c)


@kernel
def product_kernel(x, out):
    """p q"""
    store_quaternion(out, 0, rotations.quaternion_product(load_quaternion(x, 0), load_quaternion(x, 4)))


@kernel
def conjugate_kernel(x, out):
    """p*"""
    store_quaternion(out, 0, rotations.quaternion_conjugate(load_quaternion(x, 0)))


@kernel
def normalize_kernel(x, out):
    """p / |p|"""
    store_quaternion(out, 0, rotations.quaternion_normalize(load_quaternion(x, 0)))


@kernel
def rotate_kernel(x, out):
    """R x = E^T x"""
    store3(out, 0, rotate_back(rotations.rotation_from_quaternion(load_unit(x, 0)), load3(x, 4)))


@kernel
def exp_kernel(x, out):
    """exp(a / 2)"""
    store_quaternion(out, 0, rotations.quaternion_from_rotation_vector(load3(x, 0)))


@kernel
def log_kernel(x, out):
    """2 log p"""
    store3(out, 0, rotations.rotation_vector_from_quaternion(load_unit(x, 0)))


@kernel
def to_rotation_kernel(x, out):
    """R = E^T"""
    store_block(out, 0, 3, transpose(rotations.rotation_from_quaternion(load_unit(x, 0))))


@kernel
def from_rotation_kernel(x, out):
    """p of R"""
    R = load_block(x, 0, 3)
    w, a, b, c = rotations.quaternion_from_rotation(R)
    store_quaternion(out, 0, (w + not_orthonormal(R), a, b, c))


@kernel
def body_rate_kernel(x, out):
    """1/2 p (0, w), w in body coordinates"""
    w = load3(x, 4)
    store_quaternion(out, 0, rotations.quaternion_product(load_unit(x, 0), (0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2])))


@kernel
def world_rate_kernel(x, out):
    """1/2 (0, w) p, w in world coordinates"""
    w = load3(x, 4)
    store_quaternion(out, 0, rotations.quaternion_product((0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]), load_unit(x, 0)))


@kernel
def rate_matrix_kernel(x, out):
    """Q: column j is 1/2 (0, e_j) p"""
    w, a, b, c = load_unit(x, 0)
    w, a, b, c = 0.5 * w, 0.5 * a, 0.5 * b, 0.5 * c
    store3(out, 0, (-a, -b, -c))
    store3(out, 3, (w, c, -b))
    store3(out, 6, (-c, w, a))
    store3(out, 9, (b, -a, w))


@kernel
def angular_velocity_kernel(x, out):
    """G: w = 2 G dp/dt, since (0, w) = 2 p* dp/dt"""
    w, a, b, c = load_unit(x, 0)
    store_quaternion(out, 0, (-a, w, c, -b))
    store_quaternion(out, 4, (-b, -c, w, a))
    store_quaternion(out, 8, (-c, b, -a, w))


@kernel
def position_rate_kernel(x, out):
    """L = diag(1, 1/2 G^T)"""
    w, a, b, c = load_unit(x, 0)
    for k in range(42):
        store(out, k, 0.0)
    for k in range(3):
        store(out, 7 * k, 1.0)
    w, a, b, c = 0.5 * w, 0.5 * a, 0.5 * b, 0.5 * c
    store3(out, 21, (-a, -b, -c))
    store3(out, 27, (w, -c, b))
    store3(out, 33, (c, w, -a))
    store3(out, 39, (-b, a, w))


QUATERNION, VECTOR = (4,), (3,)
NOT_UNIT = "a quaternion is not of unit length, within 1e-6 (order [w, x, y, z])"
PRODUCT = Elementwise("quaternion_product", product_kernel, {"p": QUATERNION, "q": QUATERNION}, QUATERNION)
CONJUGATE = Elementwise("quaternion_conjugate", conjugate_kernel, {"p": QUATERNION}, QUATERNION)
NORMALIZE = Elementwise(
    "quaternion_normalize",
    normalize_kernel,
    {"p": QUATERNION},
    QUATERNION,
    "a quaternion of length zero has no direction",
)
ROTATE = Elementwise("quaternion_rotate", rotate_kernel, {"p": QUATERNION, "x": VECTOR}, VECTOR, NOT_UNIT)
EXP = Elementwise("quaternion_exp", exp_kernel, {"a": VECTOR}, QUATERNION)
LOG = Elementwise("quaternion_log", log_kernel, {"p": QUATERNION}, VECTOR, NOT_UNIT)
TO_ROTATION = Elementwise("quaternion_to_rotation", to_rotation_kernel, {"p": QUATERNION}, (3, 3), NOT_UNIT)
FROM_ROTATION = Elementwise(
    "quaternion_from_rotation", from_rotation_kernel, {"R": (3, 3)}, QUATERNION,
    "R is not a rotation matrix: R R^T = 1 and det R = 1 are expected, within 1e-6",
)  # fmt: skip
BODY_RATE = Elementwise("quaternion_derivative", body_rate_kernel, {"p": QUATERNION, "w": VECTOR}, QUATERNION, NOT_UNIT)
WORLD_RATE = Elementwise(
    "quaternion_derivative", world_rate_kernel, {"p": QUATERNION, "w": VECTOR}, QUATERNION, NOT_UNIT
)
RATE_MATRIX = Elementwise("quaternion_rate_matrix", rate_matrix_kernel, {"p": QUATERNION}, (4, 3), NOT_UNIT)
ANGULAR_VELOCITY = Elementwise("angular_velocity_matrix", angular_velocity_kernel, {"p": QUATERNION}, (3, 4), NOT_UNIT)
POSITION_RATE = Elementwise("position_rate_matrix", position_rate_kernel, {"p": QUATERNION}, (7, 6), NOT_UNIT)


def quaternion_product(p: ArrayLike, q: ArrayLike) -> Array:
    """``p q``: first the turn ``q``, then ``p``, both seen from the fixed frame.

    Args:
        p: quaternions ``[w, x, y, z]``, ``(..., 4)``, of any length.
        q: likewise.

    Returns:
        ``(..., 4)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: Sola (2017), section 1.2.
    """
    return PRODUCT(p, q)


def quaternion_conjugate(p: ArrayLike) -> Array:
    """``[w, -x, -y, -z]``, the inverse of a unit quaternion.

    Args:
        p: quaternions, ``(..., 4)``, of any length.

    Returns:
        ``(..., 4)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: Sola (2017), section 1.2.
    """
    return CONJUGATE(p)


@composed
def quaternion_normalize(p: ArrayLike) -> Array:
    """``p / |p|``.

    Args:
        p: quaternions, ``(..., 4)``.

    Returns:
        ``(..., 4)``, of unit length; the sign is kept.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; a quaternion of length zero.

    Source: Sola (2017), section 1.2.
    """
    return NORMALIZE(in_units("quaternion_normalize", p)[0])


@composed
def quaternion_inverse(p: ArrayLike) -> Array:
    """``p^-1 = p* / |p|^2``, with ``p p^-1 = [1, 0, 0, 0]``. That of a unit quaternion is its conjugate.

    Args:
        p: quaternions, ``(..., 4)``, of any length but zero.

    Returns:
        ``(..., 4)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; a quaternion of length zero, or so short
            that its inverse leaves the range of float64.

    Source: Sola (2017), section 1.2; source document 004, section 3.

    Example:
        >>> quaternion_inverse([0, 2, 0, 0])
        array([ 0. , -0.5,  0. ,  0. ])
    """
    unit, size = in_units("quaternion_inverse", p)
    if not unit.any(axis=-1).all():
        raise ArgumentValueError("quaternion_inverse: a quaternion of length zero has no inverse")
    square = np.sum(unit * unit, axis=-1, keepdims=True)  # 1 to 4
    return CONJUGATE(unit) / square / size + 0.0


def in_units(function: str, p: ArrayLike) -> tuple[Array, Array]:
    """Quaternions with their largest entry as the unit, whose squares neither overflow nor vanish, and that entry"""
    p = as_floats(function, "p", p, QUATERNION)
    size = np.abs(p).max(axis=-1, keepdims=True)
    size = np.where(size == 0.0, 1.0, size)
    return p / size, size


def quaternion_rotate(p: ArrayLike, x: ArrayLike) -> Array:
    """``R(p) x``, the vector ``p x p*``: turned by the rotation; from body to world coordinates.

    Args:
        p: unit quaternions, ``(..., 4)``.
        x: 3D vectors, ``(..., 3)``.

    Returns:
        ``(..., 3)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; not of unit length, within 1e-6.

    Source: Sola (2017), section 1.4; source document 004, section 3.

    Example:
        >>> quaternion_rotate([0, 0, 0, 1], [1, 2, 3])  # half a turn about z
        array([-1., -2.,  3.])
    """
    return ROTATE(p, x)


def quaternion_exp(a: ArrayLike) -> Array:
    """The unit quaternion of a rotation vector: ``[cos(t/2), sin(t/2) a / t]`` with ``t = |a|``.

    Args:
        a: axis times angle, ``(..., 3)``; rad.

    Returns:
        ``(..., 4)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: Sola (2017), section 2.1.
    """
    return EXP(a)


def quaternion_log(p: ArrayLike) -> Array:
    """The rotation vector of a unit quaternion, the shorter way round.

    Args:
        p: unit quaternions, ``(..., 4)``.

    Returns:
        Axis times angle, ``(..., 3)``, the angle from 0 to pi; rad. ``p`` and ``-p`` are the same rotation.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not of unit length, within 1e-6.

    Source: Sola (2017), section 2.4.
    """
    return LOG(p)


def quaternion_to_rotation(p: ArrayLike) -> Array:
    """The rotation matrix ``R`` from body to world coordinates.

    Args:
        p: unit quaternions, ``(..., 4)``.

    Returns:
        ``(..., 3, 3)``, orthonormal to rounding also where the length of ``p`` is not quite 1.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not of unit length, within 1e-6.

    Source: RBDA section 4.5, whose ``E`` is the transpose.
    """
    return TO_ROTATION(p)


def quaternion_from_rotation(R: ArrayLike) -> Array:
    """The unit quaternion of a rotation matrix, with ``w >= 0``.

    Args:
        R: rotations from body to world coordinates, ``(..., 3, 3)``.

    Returns:
        ``(..., 4)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not a rotation, within 1e-6.

    Source: Shepperd (1978).
    """
    return FROM_ROTATION(R)


def quaternion_derivative(p: ArrayLike, w: ArrayLike, frame: str = "body") -> Array:
    """``dp/dt`` of a body that turns with the angular velocity ``w``.

    Args:
        p: unit quaternions from body to world coordinates, ``(..., 4)``.
        w: angular velocities, ``(..., 3)``; rad/s.
        frame: whose coordinates ``w`` is in, "body" or "world".

    Returns:
        ``(..., 4)``; 1/s.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; not of unit length; no such frame.

    Source: RBDA section 4.5; source documents 000 (world) and 003 (body).
    """
    frame = as_option("quaternion_derivative", "frame", frame, ("body", "world"))
    return BODY_RATE(p, w) if frame == "body" else WORLD_RATE(p, w)


def quaternion_rate_matrix(p: ArrayLike) -> Array:
    """``Q`` with ``dp/dt = Q w``, the angular velocity in world coordinates.

    Args:
        p: unit quaternions, ``(..., 4)``.

    Returns:
        ``(..., 4, 3)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not of unit length, within 1e-6.

    Source: Nikravesh, chapter 6, where it is half the transpose of E; source document 000, the matrix Q_i.
    """
    return RATE_MATRIX(p)


def angular_velocity_matrix(p: ArrayLike) -> Array:
    """``G`` with ``w = 2 G dp/dt`` and ``dp/dt = 1/2 G^T w``, the angular velocity in body coordinates.

    Args:
        p: unit quaternions, ``(..., 4)``.

    Returns:
        ``(..., 3, 4)``, with ``G G^T = 1`` and ``G p = 0``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not of unit length, within 1e-6.

    Source: Nikravesh, chapter 6; source document 003, the matrix G.
    """
    return ANGULAR_VELOCITY(p)


def position_rate_matrix(p: ArrayLike) -> Array:
    """``L`` with ``dq/dt = L v`` for ``q = [r, p]`` and ``v = [dr/dt, w]``: one body's block of the block-diagonal matrix.

    Here alone the linear part comes first, as in the source; ``w`` is in body coordinates.

    Args:
        p: unit quaternions, ``(..., 4)``.

    Returns:
        ``diag(1, 1/2 G^T)``, ``(..., 7, 6)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; not of unit length, within 1e-6.

    Source: Anitescu and Tasora (2010), section 2; source document 003, the matrix L.
    """
    return POSITION_RATE(p)
