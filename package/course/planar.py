"""Planar vectors: the three coordinates that are left of six when everything happens in the x-y plane (course, section 12).

A planar motion vector is ``[w, v_x, v_y]`` and a planar force vector ``[n, f_x, f_y]``. Their bases are reciprocal:

=================  ====================================  =====================  ==========================
motion             what it is                            force                  what it is
=================  ====================================  =====================  ==========================
:data:`D_O`        unit rotation about the origin        ``[1, 0, 0]``          unit couple
:data:`D_X`        unit translation along x              ``[0, 1, 0]``          unit force along the x axis
:data:`D_Y`        unit translation along y              ``[0, 0, 1]``          unit force along the y axis
=================  ====================================  =====================  ==========================

They are the 6D vectors ``[0, 0, w, v_x, v_y, 0]`` and ``[0, 0, n, f_x, f_y, 0]``, and each function here is that of the 6D
algebra, between :func:`planar_to_spatial` and :func:`spatial_to_planar`:

=====================================  ====================================================================  =========
formula                                function                                                              section
=====================================  ====================================================================  =========
``[w, w P_y, -w P_x]``                 :func:`planar_twist`, and back :func:`center_of_rotation`             12, 13, 17
``[P_x f_y - P_y f_x, f_x, f_y]``      :func:`planar_line_force`, and back :func:`planar_line_of_action`     21
``v_O + w x OP``, ``n_O + f x OP``     :func:`planar_velocity_at`, :func:`planar_moment_at`                  17, 22
``m . f``                              :func:`planar_scalar_product`                                         25
``v x m``, ``v x* f``                  :func:`planar_cross_motion`, :func:`planar_cross_force`               37
``X``, ``X*``                          :func:`planar_transform`, :func:`planar_force_transform`              28, 35
=====================================  ====================================================================  =========
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from pluecker.course.screws import central_axis, line_force, moment_at, screw_axis, twist, velocity_at
from pluecker.spatial.algebra.matrices import NEARLY
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import Array, as_floats, check_broadcast, composed, number_at
from pluecker.spatial.functions.bases import entry
from pluecker.spatial.functions.coordinates import force_transform, pluecker_transform
from pluecker.spatial.functions.lie import exp3
from pluecker.spatial.functions.products import cross_force, cross_motion, scalar_product

__all__ = [
    "D_O", "D_X", "D_Y", "center_of_rotation", "planar_cross_force", "planar_cross_motion", "planar_force_transform",
    "planar_line_force", "planar_line_of_action", "planar_moment_at", "planar_scalar_product", "planar_to_spatial",
    "planar_transform", "planar_twist", "planar_velocity_at", "spatial_to_planar",
]  # fmt: skip

D_O, D_X, D_Y = np.eye(3)
for _vector in (D_O, D_X, D_Y):
    _vector.flags.writeable = False

Z = np.array([0.0, 0.0, 1.0])


# ------------------------------------------------------------------------------------------------ to six numbers and back


@composed
def planar_to_spatial(a: ArrayLike) -> Array:
    """The 6D vector of a planar motion or force vector.

    Args:
        a: ``[w, v_x, v_y]`` or ``[n, f_x, f_y]``, ``(..., 3)``.

    Returns:
        ``[0, 0, w, v_x, v_y, 0]`` or ``[0, 0, n, f_x, f_y, 0]``, ``(..., 6)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: RBDA section 2.16; course, sections 11 and 12.
    """
    return embedded("planar_to_spatial", "a", a)


@composed
def spatial_to_planar(a: ArrayLike) -> Array:
    """The planar vector of a 6D motion or force vector in the x-y plane: the inverse of :func:`planar_to_spatial`.

    Args:
        a: ``[0, 0, w, v_x, v_y, 0]`` or ``[0, 0, n, f_x, f_y, 0]``, ``(..., 6)``.

    Returns:
        ``[w, v_x, v_y]`` or ``[n, f_x, f_y]``, ``(..., 3)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; a vector that leaves the plane, with
            a first, second or last number above 1e-6 of the largest.

    Source: RBDA section 2.16; course, sections 11 and 12.
    """
    x = as_floats("spatial_to_planar", "a", a, (6,))
    outside = np.abs(x[..., [0, 1, 5]]).max(axis=-1) > NEARLY * np.abs(x).max(axis=-1)
    if outside.any():
        raise ArgumentValueError(
            f"spatial_to_planar: {number_at('a', x, outside)}, which leaves the x-y plane: "
            "expected numbers 0, 1 and 5 to be zero, within 1e-6 of the largest"
        )
    return x[..., 2:5].copy()


def embedded(function: str, name: str, a: ArrayLike) -> Array:
    """A planar vector, checked, as a 6D vector."""
    x = as_floats(function, name, a, (3,))
    nothing = np.zeros((*x.shape[:-1], 2))
    return np.concatenate([nothing, x, nothing[..., :1]], axis=-1)


def placed(function: str, name: str, point: ArrayLike) -> Array:
    """A point of the plane (or a 2D force), checked, as a 3D vector."""
    p = as_floats(function, name, point, (2,))
    return np.concatenate([p, np.zeros((*p.shape[:-1], 1))], axis=-1)


def broadcast(function: str, **arrays: Array) -> list[Array]:
    """The arrays with the same leading axes."""
    batch = check_broadcast(function, **{name: (array[..., 0], 0) for name, array in arrays.items()})
    return [np.broadcast_to(array, (*batch, array.shape[-1])) for array in arrays.values()]


def between(function: str, spatial: Callable[..., Array], **vectors: ArrayLike) -> Array:
    """A function of two 6D vectors, of planar ones."""
    sixes = {name: embedded(function, name, vector) for name, vector in vectors.items()}
    return spatial(*broadcast(function, **sixes))


# ---------------------------------------------------------------------------------------------------- vectors and fields


@composed
def planar_twist(center: ArrayLike, rate: ArrayLike = 1.0) -> Array:
    """The rotation about a point of the plane: ``[w, w P_y, -w P_x]``. The inverse of :func:`center_of_rotation`.

    Args:
        center: P, ``(..., 2)``; m.
        rate: angular velocity, ``(...)``, anticlockwise; rad/s.

    Returns:
        Planar motion vectors, ``(..., 3)``; rad/s, m/s.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.16; course, section 12.

    Example:
        >>> planar_twist([1, 0])  # exercise B3: d_O - d_y
        array([ 1.,  0., -1.])
    """
    rates = as_floats("planar_twist", "rate", rate, ())[..., None]
    points, rates = broadcast("planar_twist", center=placed("planar_twist", "center", center), rate=rates)
    return spatial_to_planar(twist(Z, points, rates[..., 0]))


@composed
def center_of_rotation(v: ArrayLike) -> Array:
    """The point of the plane that does not move: the inverse of :func:`planar_twist`.

    Args:
        v: planar motion vectors ``[w, v_x, v_y]``, ``(..., 3)``; rad/s, m/s.

    Returns:
        ``(-v_y / w, v_x / w)``, ``(..., 2)``; m.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; ``w`` is zero, so that all points move
            alike.

    Source: RBDA section 2.16; course, sections 12, 13 and 17 (exercise B1).
    """
    x = embedded("center_of_rotation", "v", v)
    refuse("center_of_rotation", "v", x[..., 2] == 0.0, "w = 0 is a translation, which has no centre of rotation")
    return screw_axis(x).point[..., :2]


@composed
def planar_line_force(force: ArrayLike, point: ArrayLike) -> Array:
    """The planar force vector of a force that acts along the line through a point.

    Args:
        force: ``[f_x, f_y]``, ``(..., 2)``; N.
        point: any point of the line, ``(..., 2)``; m.

    Returns:
        ``[P_x f_y - P_y f_x, f_x, f_y]``, ``(..., 3)``; N m, N.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.16; course, section 21.
    """
    function = "planar_line_force"
    forces, points = placed(function, "force", force), placed(function, "point", point)
    return spatial_to_planar(line_force(*broadcast(function, force=forces, point=points)))


@composed
def planar_line_of_action(f: ArrayLike) -> tuple[Array, Array]:
    """The line along which a planar force acts: in the plane, each force vector is a force along a line or a couple.

    Args:
        f: planar force vectors ``[n, f_x, f_y]``, ``(..., 3)``; N m, N.

    Returns:
        The unit vector along the force and the point of the line next to the origin, both ``(..., 2)``; 1, m.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; ``f_x`` and ``f_y`` are zero.

    Source: RBDA section 2.16; course, sections 21 and 22.
    """
    x = embedded("planar_line_of_action", "f", f)
    none = (x[..., 3] == 0.0) & (x[..., 4] == 0.0)
    refuse("planar_line_of_action", "f", none, "f_x = f_y = 0 is a couple, which has no line of action")
    axis = central_axis(x)
    return axis.direction[..., :2], axis.point[..., :2]


def refuse(function: str, name: str, bad: Array, reason: str) -> None:
    """Raise ValueError if any entry is bad."""
    if bad.any():
        raise ArgumentValueError(f"{function}: {name} cannot be used: {reason}{entry(bad)}")


@composed
def planar_velocity_at(v: ArrayLike, point: ArrayLike) -> Array:
    """``V(P)``: the velocity of the body-fixed point that is at P now.

    Args:
        v: planar motion vectors ``[w, v_x, v_y]``, ``(..., 3)``; rad/s, m/s.
        point: P, ``(..., 2)``; m.

    Returns:
        ``(v_x - w P_y, v_y + w P_x)``, ``(..., 2)``; m/s.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.16; course, sections 12 and 17 (exercise B2).
    """
    function = "planar_velocity_at"
    vectors, points = embedded(function, "v", v), placed(function, "point", point)
    return velocity_at(*broadcast(function, v=vectors, point=points))[..., :2]


@composed
def planar_moment_at(f: ArrayLike, point: ArrayLike) -> Array:
    """``N(P)``: the moment of a planar force vector about the point P.

    Args:
        f: planar force vectors ``[n, f_x, f_y]``, ``(..., 3)``; N m, N.
        point: P, ``(..., 2)``; m.

    Returns:
        ``n + f_x P_y - f_y P_x``, ``(...)``, anticlockwise; N m.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.16; course, section 22.
    """
    function = "planar_moment_at"
    vectors, points = embedded(function, "f", f), placed(function, "point", point)
    return moment_at(*broadcast(function, f=vectors, point=points))[..., 2]


# --------------------------------------------------------------------------------------------------- products, transforms


@composed
def planar_scalar_product(m: ArrayLike, f: ArrayLike) -> Array:
    """``m . f``: the power of a planar force on a planar velocity.

    Args:
        m: planar motion vectors, ``(..., 3)``.
        f: planar force vectors, ``(..., 3)``, in the same coordinates.

    Returns:
        ``(...)``; W for a velocity in rad/s and m/s and a force in N m and N.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.16; course, sections 25 and 26.
    """
    return between("planar_scalar_product", scalar_product, m=m, f=f)


@composed
def planar_cross_motion(v: ArrayLike, m: ArrayLike) -> Array:
    """``v x m``: the rate of change of a planar motion vector that moves with velocity ``v``.

    Args:
        v: planar motion vectors ``[w, v_x, v_y]``, ``(..., 3)``; rad/s, m/s.
        m: planar motion vectors, ``(..., 3)``, in the same coordinates.

    Returns:
        Planar motion vectors, ``(..., 3)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.16; course, section 37.
    """
    return spatial_to_planar(between("planar_cross_motion", cross_motion, v=v, m=m))


@composed
def planar_cross_force(v: ArrayLike, f: ArrayLike) -> Array:
    """``v x* f``: the rate of change of a planar force vector that moves with velocity ``v``.

    Args:
        v: planar motion vectors ``[w, v_x, v_y]``, ``(..., 3)``; rad/s, m/s.
        f: planar force vectors ``[n, f_x, f_y]``, ``(..., 3)``, in the same coordinates.

    Returns:
        Planar force vectors, ``(..., 3)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.16; course, section 37.
    """
    return spatial_to_planar(between("planar_cross_force", cross_force, v=v, f=f))


@composed
def planar_transform(angle: ArrayLike, r: ArrayLike) -> Array:
    """The transform of planar motion vectors from frame A to frame B: ``m_B = X @ m_A``.

    Args:
        angle: by which B is turned against A, ``(...)``, anticlockwise; rad.
        r: the origin of B in A coordinates, ``(..., 2)``; m.

    Returns:
        ``X``, ``(..., 3, 3)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.16; course, sections 28 and 35.
    """
    return plane_of(pluecker_transform(*frame("planar_transform", angle, r)))


@composed
def planar_force_transform(angle: ArrayLike, r: ArrayLike) -> Array:
    """The transform of planar force vectors from frame A to frame B: ``f_B = X* @ f_A``.

    Args:
        angle: by which B is turned against A, ``(...)``, anticlockwise; rad.
        r: the origin of B in A coordinates, ``(..., 2)``; m.

    Returns:
        ``X*``, ``(..., 3, 3)``; the inverse transpose of :func:`planar_transform`.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.16; course, sections 31 and 35.
    """
    return plane_of(force_transform(*frame("planar_force_transform", angle, r)))


def frame(function: str, angle: ArrayLike, r: ArrayLike) -> tuple[Array, Array]:
    """``E`` and ``r`` of a frame in the plane."""
    angles = as_floats(function, "angle", angle, ())[..., None]
    angles, origins = broadcast(function, angle=angles, r=placed(function, "r", r))
    return np.swapaxes(exp3(angles * Z), -1, -2), origins


def plane_of(X: Array) -> Array:
    """The rows and columns of the plane."""
    return X[..., 2:5, 2:5]
