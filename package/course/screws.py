"""Twists and wrenches as vector fields, and as two magnitudes and a line (course, sections 11, 14, 18 to 23).

A motion vector says of each point of space how fast the body-fixed point there moves; a force vector says what its moment
about each point is. Both fields have one form, a constant and a cross product with the place:

====================================  ============================================  ===================================
formula                               function                                      section
====================================  ============================================  ===================================
``V(P) = v_O + w x OP``               :func:`velocity_at`                           18 to 20 (exercise A2)
``N(P) = n_O + f x OP``               :func:`moment_at`                             22, 23
``A, B = |w|, w . v_O / |w|``         :func:`magnitudes`                            14, 20 (exercise A3)
``F, M = |f|, f . n_O / |f|``         :func:`wrench_magnitudes`                     14, 23
``w . v_O / w . w``                   :func:`pitch`, of a wrench                    14, 20 (exercise A3)
                                      :func:`wrench_pitch`
``OP = w x v_O / w . w``              :func:`screw_axis`, and back :func:`twist`    14, 20 (exercise A4)
``OP = f x n_O / f . f``              :func:`central_axis`, and back                21, 23
                                      :func:`wrench`
``[OP x f; f]``, ``[n; 0]``           :func:`line_force`, :func:`couple`            21, 22, 27 (exercise B3)
====================================  ============================================  ===================================

On the axis the field is parallel to it, and nowhere shorter. A vector without angular velocity (a translation), or without
force (a couple), is a constant field: it has a direction and a magnitude, and no line of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.algebra.matrices import nan_unless
from pluecker.spatial.algebra.vectors import add_cross3, cross3, dot3, load3, scale3, store3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, select, smaller, sqrt, store
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.functions.arguments import Array, as_floats, check_broadcast
from pluecker.spatial.functions.bases import entry
from pluecker.spatial.functions.elementwise import Elementwise

__all__ = [
    "CentralAxis", "ScrewAxis", "central_axis", "couple", "line_force", "magnitudes", "moment_at", "pitch", "screw_axis",
    "twist", "velocity_at", "wrench", "wrench_magnitudes", "wrench_pitch",
]  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def larger_of(x, y):
    """The larger of |x| and |y|"""
    a, b = select(smaller(x, 0.0), -x, x), select(smaller(y, 0.0), -y, y)
    return select(smaller(a, b), b, a)


@kernel
def length_and_direction(a):
    """|a| and a / |a|, zero for zero; with the largest entry as the unit, so that no square overflows or vanishes"""
    size = larger_of(larger_of(a[0], a[1]), a[2])
    unit = select(smaller(0.0, size), size, 0.0 * size + 1.0)
    b = (a[0] / unit, a[1] / unit, a[2] / unit)
    length = sqrt(dot3(b, b))
    divisor = select(smaller(0.0, length), length, 0.0 * length + 1.0)
    return length * unit, (b[0] / divisor, b[1] / divisor, b[2] / divisor)


@kernel
def screw(a, b):
    """``(u, p, A, B)`` of the field b + a x OP: the axis, the magnitude of ``a``, and that of the field on the axis

    u = a / |a|, p = u x b / |a|, A = |a|, B = u . b; or with a = 0: u = b / |b|, p = 0, A = 0, B = |b|.
    """
    A, u = length_and_direction(a)
    size, d = length_and_direction(b)
    turns = smaller(0.0, A)
    distance = select(turns, A, 0.0 * A + 1.0)
    c = cross3(u, b)
    u0, u1, u2 = select(turns, u[0], d[0]), select(turns, u[1], d[1]), select(turns, u[2], d[2])
    B = select(turns, dot3(u, b), size)
    p = (0.0 + c[0] / distance, 0.0 + c[1] / distance, 0.0 + c[2] / distance)  # zeros are positive
    return (u0, u1, u2), p, A, B


@kernel
def store_axis(out, a, b):
    """Write the eight numbers of a screw; NaN where both vectors are zero."""
    u, p, A, B = screw(a, b)
    store3(out, 0, u)
    store3(out, 3, p)
    store(out, 6, A + nan_unless(smaller(0.0, dot3(u, u)), A))
    store(out, 7, B)


@kernel
def screw_axis_kernel(x, out):
    """u, p, |w|, u . v_O"""
    store_axis(out, load3(x, 0), load3(x, 3))


@kernel
def central_axis_kernel(x, out):
    """u, p, |f|, u . n_O"""
    store_axis(out, load3(x, 3), load3(x, 0))


@kernel
def magnitudes_kernel(x, out):
    """|w|, u . v_O"""
    _, _, A, B = screw(load3(x, 0), load3(x, 3))
    store(out, 0, A)
    store(out, 1, B)


@kernel
def wrench_magnitudes_kernel(x, out):
    """|f|, u . n_O"""
    _, _, F, M = screw(load3(x, 3), load3(x, 0))
    store(out, 0, F)
    store(out, 1, M)


@kernel
def from_screw(x):
    """A u and OP x A u + B u, from any vector along ``u``, a point P of the axis, and the two magnitudes"""
    size, u = length_and_direction(load3(x, 0))
    a = scale3(load(x, 6) + nan_unless(smaller(0.0, size), size), u)
    return a, add_cross3(scale3(load(x, 7), u), load3(x, 3), a)


@kernel
def twist_kernel(x, out):
    """[A u; OP x A u + B u]"""
    w, v = from_screw(x)
    store3(out, 0, w)
    store3(out, 3, v)


@kernel
def wrench_kernel(x, out):
    """[OP x F u + M u; F u]"""
    f, n = from_screw(x)
    store3(out, 0, n)
    store3(out, 3, f)


@kernel
def line_force_kernel(x, out):
    """[OP x f; f]"""
    f = load3(x, 0)
    store3(out, 0, cross3(load3(x, 3), f))
    store3(out, 3, f)


@kernel
def velocity_at_kernel(x, out):
    """v_O + w x OP"""
    store3(out, 0, add_cross3(load3(x, 3), load3(x, 0), load3(x, 6)))


@kernel
def moment_at_kernel(x, out):
    """n_O + f x OP"""
    store3(out, 0, add_cross3(load3(x, 0), load3(x, 3), load3(x, 6)))


NO_AXIS = "{0} is zero, which has no axis, or its axis is farther away than float64 can say"
LINE = {"direction": (3,), "point": (3,), "magnitudes": (2,)}
VELOCITY_AT = Elementwise("velocity_at", velocity_at_kernel, {"v": (6,), "point": (3,)}, (3,))
MOMENT_AT = Elementwise("moment_at", moment_at_kernel, {"f": (6,), "point": (3,)}, (3,))
SCREW_AXIS = Elementwise("screw_axis", screw_axis_kernel, {"v": (6,)}, (8,), NO_AXIS.format("v"))
CENTRAL_AXIS = Elementwise("central_axis", central_axis_kernel, {"f": (6,)}, (8,), NO_AXIS.format("f"))
MAGNITUDES = Elementwise("magnitudes", magnitudes_kernel, {"v": (6,)}, (2,))
PITCH = Elementwise("pitch", magnitudes_kernel, {"v": (6,)}, (2,))
WRENCH_MAGNITUDES = Elementwise("wrench_magnitudes", wrench_magnitudes_kernel, {"f": (6,)}, (2,))
WRENCH_PITCH = Elementwise("wrench_pitch", wrench_magnitudes_kernel, {"f": (6,)}, (2,))
TWIST = Elementwise("twist", twist_kernel, LINE, (6,), "direction is zero, expected a vector along the axis")
WRENCH = Elementwise("wrench", wrench_kernel, LINE, (6,), "direction is zero, expected a vector along the axis")
LINE_FORCE = Elementwise("line_force", line_force_kernel, {"force": (3,), "point": (3,)}, (6,))


# ---------------------------------------------------------------------------------------------------------------- fields


def velocity_at(v: ArrayLike, point: ArrayLike) -> Array:
    """``V(P) = v_O + w x OP``: the linear velocity of the body-fixed point that is at P now.

    Args:
        v: motion vectors ``[w, v_O]``, ``(..., 6)``; rad/s, m/s.
        point: P, ``(..., 3)``, in the same frame; m. A grid ``(n, m, 3)`` gives the field of one vector on it.

    Returns:
        ``(..., 3)``, along the axes of the frame; m/s.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.2; course, sections 11 and 18 to 20 (exercise A2).

    Example:
        >>> velocity_at([0, 0, 2, 0, 0, 0], [0.5, 0, 0])  # 2 rad/s about the z axis, half a metre away
        array([0., 1., 0.])
    """
    return VELOCITY_AT(v, point)


def moment_at(f: ArrayLike, point: ArrayLike) -> Array:
    """``N(P) = n_O + f x OP``: the moment of a force vector about the point P.

    Args:
        f: force vectors ``[n_O, f]``, ``(..., 6)``; N m, N.
        point: P, ``(..., 3)``, in the same frame; m. A grid ``(n, m, 3)`` gives the field of one vector on it.

    Returns:
        ``(..., 3)``, along the axes of the frame; N m.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.3; course, sections 22 and 23: ``n_O = n_P + OP x f``.
    """
    return MOMENT_AT(f, point)


# --------------------------------------------------------------------------------------------- two magnitudes and a line


@by_value()
class ScrewAxis(NamedTuple):
    """A twist as two magnitudes and a line: ``twist(*axis)`` is the motion vector again.

    Attributes:
        direction: unit vectors along the axis, ``(..., 3)``: that of ``w``, or of ``v`` for a translation.
        point: the point of the axis next to the origin, ``(..., 3)``; m. For a translation the origin itself, since each
            line along ``v`` would do.
        angular: ``|w|``, ``(...)``; rad/s.
        linear: the velocity along the axis, ``(...)``; m/s. Negative for a left-handed screw.
    """

    direction: Array
    point: Array
    angular: Array
    linear: Array

    @property
    def pitch(self) -> Array:
        """``linear / angular``, ``(...)``; m/rad. Infinite for a translation."""
        return quotient("ScrewAxis.pitch", self.linear, self.angular)


@by_value()
class CentralAxis(NamedTuple):
    """A wrench as two magnitudes and a line: ``wrench(*axis)`` is the force vector again.

    Attributes:
        direction: unit vectors along the axis, ``(..., 3)``: that of ``f``, or of ``n`` for a couple.
        point: the point of the axis next to the origin, ``(..., 3)``; m. For a couple the origin itself, since each line
            along ``n`` would do.
        force: ``|f|``, ``(...)``; N.
        moment: the moment about the axis, ``(...)``; N m. Negative for a left-handed wrench.
    """

    direction: Array
    point: Array
    force: Array
    moment: Array

    @property
    def pitch(self) -> Array:
        """``moment / force``, ``(...)``; m. Infinite for a couple."""
        return quotient("CentralAxis.pitch", self.moment, self.force)


def screw_axis(v: ArrayLike) -> ScrewAxis:
    """The instantaneous screw axis of a twist, and how fast the body turns about it and slides along it.

    Args:
        v: motion vectors ``[w, v_O]``, ``(..., 6)``; rad/s, m/s.

    Returns:
        ``(direction, point, angular, linear)`` and ``.pitch``. Only ``w = 0`` is a translation: where ``w`` is small, the
        axis is far away, and a relative error e of ``w`` moves it by ``e |v_O| / |w|``. Angular velocities that are only
        rounding errors are to be set to zero first.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; a zero vector; an axis so far away that
            float64 overflows.

    Source: RBDA section 2.2; course, sections 14 and 20 (exercises A3 and A4).

    Example:
        >>> screw_axis([0, 0, 2, 4, -2, 1]).point  # the twist of exercise A1 (e)
        array([1., 2., 0.])
    """
    x = SCREW_AXIS(v)
    return ScrewAxis(x[..., :3], x[..., 3:6], x[..., 6], x[..., 7])


def central_axis(f: ArrayLike) -> CentralAxis:
    """The central axis of a wrench: the line along which it is one force and one couple, and both magnitudes.

    Args:
        f: force vectors ``[n_O, f]``, ``(..., 6)``; N m, N.

    Returns:
        ``(direction, point, force, moment)`` and ``.pitch``. Only ``f = 0`` is a couple: where ``f`` is small, the axis is
        far away, and a relative error e of ``f`` moves it by ``e |n_O| / |f|``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; a zero vector; an axis so far away that
            float64 overflows.

    Source: RBDA section 2.3; course, sections 21 to 23 and 27 (exercise B1).
    """
    x = CENTRAL_AXIS(f)
    return CentralAxis(x[..., :3], x[..., 3:6], x[..., 6], x[..., 7])


def magnitudes(v: ArrayLike) -> tuple[Array, Array]:
    """The two magnitudes of a twist: of its rotation about the axis, and of its translation along the axis.

    Args:
        v: motion vectors ``[w, v_O]``, ``(..., 6)``; rad/s, m/s.

    Returns:
        ``|w|`` and ``w . v_O / |w|``, both ``(...)``; rad/s, m/s. The second is ``|v_O|`` where ``w`` is zero.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: RBDA section 2.2; course, sections 14 and 20 (exercise A3).
    """
    x = MAGNITUDES(v)
    return x[..., 0], x[..., 1]


def wrench_magnitudes(f: ArrayLike) -> tuple[Array, Array]:
    """The two magnitudes of a wrench: of its force along the central axis, and of its couple about it.

    Args:
        f: force vectors ``[n_O, f]``, ``(..., 6)``; N m, N.

    Returns:
        ``|f|`` and ``f . n_O / |f|``, both ``(...)``; N, N m. The second is ``|n_O|`` where ``f`` is zero.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: RBDA section 2.3; course, sections 5, 14 and 23.
    """
    x = WRENCH_MAGNITUDES(f)
    return x[..., 0], x[..., 1]


def pitch(v: ArrayLike) -> Array:
    """``w . v_O / w . w``: how far a twist slides along its axis for each radian about it.

    Args:
        v: motion vectors ``[w, v_O]``, ``(..., 6)``; rad/s, m/s.

    Returns:
        ``(...)``; m/rad. Zero for a rotation about a line, negative for a left-handed screw, infinite for a translation.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; a zero vector, which has no pitch.

    Source: RBDA section 2.2; course, sections 14 and 20 (exercise A3).
    """
    return pitch_of("pitch", "v", PITCH(v))


def wrench_pitch(f: ArrayLike) -> Array:
    """``f . n_O / f . f``: the couple that a wrench has about its central axis for each newton along it.

    Args:
        f: force vectors ``[n_O, f]``, ``(..., 6)``; N m, N.

    Returns:
        ``(...)``; m. Zero for a force along a line, negative for a left-handed wrench, infinite for a couple.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; a zero vector, which has no pitch.

    Source: RBDA section 2.3; course, sections 14 and 23.
    """
    return pitch_of("wrench_pitch", "f", WRENCH_PITCH(f))


def pitch_of(function: str, name: str, x: Array) -> Array:
    """The second magnitude per unit of the first; both must not be zero."""
    zero = ~x.any(axis=-1)
    if zero.any():
        raise ArgumentValueError(f"{function}: {name} is zero, which has no pitch{entry(zero)}")
    return quotient(function, x[..., 1], x[..., 0])


def quotient(function: str, b: Array, a: Array) -> Array:
    """``b / a``, infinite where ``a`` is zero."""
    with np.errstate(all="ignore"):
        result = np.divide(b, a)
    if (np.isinf(result) & (a != 0.0)).any():
        raise ArgumentValueError(
            f"{function}: the result overflows float64, and is not that of a translation or a couple"
        )
    return result


# -------------------------------------------------------------------------------------------------- vectors from screws


def twist(direction: ArrayLike, point: ArrayLike, angular: ArrayLike = 1.0, linear: ArrayLike = 0.0) -> Array:
    """The motion vector of a screw: a rotation about a line and a translation along it. The inverse of :func:`screw_axis`.

    Args:
        direction: vectors along the axis, ``(..., 3)``, of any length but zero.
        point: any point of the axis, ``(..., 3)``; m.
        angular: angular velocity about the axis, ``(...)``; rad/s. Zero for a translation.
        linear: linear velocity along the axis, ``(...)``; m/s. Zero for a rotation about a line.

    Returns:
        Motion vectors ``[A u; OP x A u + B u]``, ``(..., 6)``, with the unit vector ``u`` and the magnitudes A and B.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; a direction of length zero.

    Source: RBDA section 2.2; course, sections 14, 18 and 20 (exercise A1).
    """
    return TWIST(direction, point, pair("twist", "angular", angular, "linear", linear))


def wrench(direction: ArrayLike, point: ArrayLike, force: ArrayLike = 1.0, moment: ArrayLike = 0.0) -> Array:
    """The force vector of a force along a line and a couple about it. The inverse of :func:`central_axis`.

    Args:
        direction: vectors along the axis, ``(..., 3)``, of any length but zero.
        point: any point of the axis, ``(..., 3)``; m.
        force: force along the axis, ``(...)``; N. Zero for a couple.
        moment: moment about the axis, ``(...)``; N m. Zero for a force along a line.

    Returns:
        Force vectors ``[OP x F u + M u; F u]``, ``(..., 6)``, with the unit vector ``u`` and the magnitudes F and M.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; a direction of length zero.

    Source: RBDA section 2.3; course, sections 21 to 23 and 27 (exercise B1).
    """
    return WRENCH(direction, point, pair("wrench", "force", force, "moment", moment))


def pair(function: str, name_a: str, a: ArrayLike, name_b: str, b: ArrayLike) -> Array:
    """Two arrays of numbers side by side, ``(..., 2)``."""
    first, second = as_floats(function, name_a, a, ()), as_floats(function, name_b, b, ())
    check_broadcast(function, **{name_a: (first, 0), name_b: (second, 0)})
    return np.stack(np.broadcast_arrays(first, second), axis=-1)


def line_force(force: ArrayLike, point: ArrayLike) -> Array:
    """The force vector of a force that acts along the line through a point.

    Args:
        force: 3D forces, ``(..., 3)``; N.
        point: any point of the line of action, ``(..., 3)``; m.

    Returns:
        Force vectors ``[OP x f; f]``, ``(..., 6)``; their moment about each point of the line is zero.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.3; course, sections 21, 23 and 27 (exercise B3).
    """
    return LINE_FORCE(force, point)


def couple(moment: ArrayLike) -> Array:
    """The force vector of a couple, whose moment is the same about all points.

    Args:
        moment: 3D moments, ``(..., 3)``; N m.

    Returns:
        Force vectors ``[n; 0]``, ``(..., 6)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape.

    Source: RBDA section 2.3; course, section 22.
    """
    n = as_floats("couple", "moment", moment, (3,))
    return np.concatenate([n, np.zeros_like(n)], axis=-1)
