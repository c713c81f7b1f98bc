"""Rates of change: vectors in moving coordinates, and spatial against classical acceleration (course, sections 38 to 43).

================================================  =========================================================  ==========
formula                                           function                                                   section
================================================  =========================================================  ==========
``[dm/dt]_O = d(m_O)/dt + v_O x m_O``             :func:`derivative_of_motion`, and back                     38, 39
                                                  :func:`component_rate_of_motion`
``[df/dt]_O = d(f_O)/dt + v_O x* f_O``            :func:`derivative_of_force`, and back                      38, 39
                                                  :func:`component_rate_of_force`
``a = [dw; r'' - w x r']``                        :func:`spatial_acceleration`, and back                     40, 41
                                                  :func:`classical_acceleration`
``r''(P) = a_O + dw x OP + w x (v_O + w x OP)``   :func:`acceleration_of_point`                              40, 41
================================================  =========================================================  ==========

Coordinates that move with velocity ``v_O`` show only a part of a vector's change, the rate of its components; the other part
is the motion of the basis vectors.

Spatial acceleration is the rate of change of spatial velocity. Its linear part says how the velocity of the points that pass
through the origin changes, not how any of these points accelerates: that is classical acceleration.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.spatial.algebra.vectors import (
    add_cross3,
    add_cross_force,
    add_cross_motion,
    cross3,
    load3,
    load_vector,
    scale,
    store3,
    store_vector,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.functions.elementwise import Array, Elementwise

__all__ = [
    "acceleration_of_point", "classical_acceleration", "component_rate_of_force", "component_rate_of_motion",
    "derivative_of_force", "derivative_of_motion", "spatial_acceleration",
]  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def derivative_of_motion_kernel(x, out):
    """d(m_O)/dt + v_O x m_O"""
    store_vector(out, 0, add_cross_motion(load_vector(x, 0), load_vector(x, 6), load_vector(x, 12)))


@kernel
def derivative_of_force_kernel(x, out):
    """d(f_O)/dt + v_O x* f_O"""
    store_vector(out, 0, add_cross_force(load_vector(x, 0), load_vector(x, 6), load_vector(x, 12)))


@kernel
def component_rate_of_motion_kernel(x, out):
    """[dm/dt]_O - v_O x m_O"""
    store_vector(out, 0, add_cross_motion(load_vector(x, 0), scale(-1.0, load_vector(x, 6)), load_vector(x, 12)))


@kernel
def component_rate_of_force_kernel(x, out):
    """[df/dt]_O - v_O x* f_O"""
    store_vector(out, 0, add_cross_force(load_vector(x, 0), scale(-1.0, load_vector(x, 6)), load_vector(x, 12)))


@kernel
def spatial_acceleration_kernel(x, out):
    """[dw; r'' - w x r']"""
    store3(out, 0, load3(x, 6))
    store3(out, 3, subtract3(load3(x, 9), cross3(load3(x, 0), load3(x, 3))))


@kernel
def classical_acceleration_kernel(x, out):
    """[dw; a_O + w x v_O]"""
    store3(out, 0, load3(x, 6))
    store3(out, 3, add_cross3(load3(x, 9), load3(x, 0), load3(x, 3)))


@kernel
def acceleration_of_point_kernel(x, out):
    """A(P) + w x V(P), where the fields of both vectors are A(P) = a_O + dw x OP and V(P) = v_O + w x OP"""
    w, p = load3(x, 0), load3(x, 12)
    V = add_cross3(load3(x, 3), w, p)
    store3(out, 0, add_cross3(add_cross3(load3(x, 9), load3(x, 6), p), w, V))


SIX = (6,)
MOTION_DERIVATIVE = Elementwise(
    "derivative_of_motion", derivative_of_motion_kernel, {"component_rate": SIX, "v_frame": SIX, "m": SIX}, SIX
)
FORCE_DERIVATIVE = Elementwise(
    "derivative_of_force", derivative_of_force_kernel, {"component_rate": SIX, "v_frame": SIX, "f": SIX}, SIX
)
MOTION_RATE = Elementwise(
    "component_rate_of_motion", component_rate_of_motion_kernel, {"derivative": SIX, "v_frame": SIX, "m": SIX}, SIX
)
FORCE_RATE = Elementwise(
    "component_rate_of_force", component_rate_of_force_kernel, {"derivative": SIX, "v_frame": SIX, "f": SIX}, SIX
)
SPATIAL = Elementwise("spatial_acceleration", spatial_acceleration_kernel, {"v": SIX, "classical": SIX}, SIX)
CLASSICAL = Elementwise("classical_acceleration", classical_acceleration_kernel, {"v": SIX, "a": SIX}, SIX)
OF_POINT = Elementwise("acceleration_of_point", acceleration_of_point_kernel, {"v": SIX, "a": SIX, "point": (3,)}, (3,))


# ---------------------------------------------------------------------------------------------------- moving coordinates


def derivative_of_motion(component_rate: ArrayLike, v_frame: ArrayLike, m: ArrayLike) -> Array:
    """``[dm/dt]_O = d(m_O)/dt + v_O x m_O``: the derivative of a motion vector, in moving coordinates.

    Args:
        component_rate: the rates of the components of ``m`` in the moving frame, ``(..., 6)``; per second.
        v_frame: the velocity ``[w, v_O]`` of that frame, ``(..., 6)``, in its own coordinates; rad/s, m/s.
        m: motion vectors in these coordinates, ``(..., 6)``.

    Returns:
        The derivative of ``m``, ``(..., 6)``, in the coordinates of the moving frame; per second.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.10; course, section 39.
    """
    return MOTION_DERIVATIVE(component_rate, v_frame, m)


def derivative_of_force(component_rate: ArrayLike, v_frame: ArrayLike, f: ArrayLike) -> Array:
    """``[df/dt]_O = d(f_O)/dt + v_O x* f_O``: the derivative of a force vector, in moving coordinates.

    Args:
        component_rate: the rates of the components of ``f`` in the moving frame, ``(..., 6)``; per second.
        v_frame: the velocity ``[w, v_O]`` of that frame, ``(..., 6)``, in its own coordinates; rad/s, m/s.
        f: force vectors (or momenta) in these coordinates, ``(..., 6)``.

    Returns:
        The derivative of ``f``, ``(..., 6)``, in the coordinates of the moving frame; per second.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.10; course, section 39.
    """
    return FORCE_DERIVATIVE(component_rate, v_frame, f)


def component_rate_of_motion(derivative: ArrayLike, v_frame: ArrayLike, m: ArrayLike) -> Array:
    """``d(m_O)/dt = [dm/dt]_O - v_O x m_O``: how the components change. The inverse of :func:`derivative_of_motion`.

    Args:
        derivative: the derivative of ``m``, ``(..., 6)``, in the coordinates of a moving frame; per second.
        v_frame: the velocity ``[w, v_O]`` of that frame, ``(..., 6)``, in its own coordinates; rad/s, m/s.
        m: motion vectors in these coordinates, ``(..., 6)``.

    Returns:
        The rates of the components, ``(..., 6)``; per second.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.10; course, section 39.
    """
    return MOTION_RATE(derivative, v_frame, m)


def component_rate_of_force(derivative: ArrayLike, v_frame: ArrayLike, f: ArrayLike) -> Array:
    """``d(f_O)/dt = [df/dt]_O - v_O x* f_O``: how the components change. The inverse of :func:`derivative_of_force`.

    Args:
        derivative: the derivative of ``f``, ``(..., 6)``, in the coordinates of a moving frame; per second.
        v_frame: the velocity ``[w, v_O]`` of that frame, ``(..., 6)``, in its own coordinates; rad/s, m/s.
        f: force vectors (or momenta) in these coordinates, ``(..., 6)``.

    Returns:
        The rates of the components, ``(..., 6)``; per second.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.10; course, section 39.
    """
    return FORCE_RATE(derivative, v_frame, f)


# ---------------------------------------------------------------------------------------------------------- acceleration


def spatial_acceleration(v: ArrayLike, classical: ArrayLike) -> Array:
    """``a = [dw; r'' - w x r']``: spatial acceleration, from classical acceleration.

    Args:
        v: the body's velocity ``[w, r']``, ``(..., 6)``; rad/s, m/s.
        classical: ``[dw, r'']``, ``(..., 6)``, in the same coordinates: angular acceleration, and acceleration of the
            body-fixed point that is at the origin now; rad/s^2, m/s^2.

    Returns:
        Motion vectors, ``(..., 6)``: the derivative of ``v``; rad/s^2, m/s^2.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.11; course, section 41.
    """
    return SPATIAL(v, classical)


def classical_acceleration(v: ArrayLike, a: ArrayLike) -> Array:
    """``[dw; r''] = [dw; a_O + w x v_O]``: the inverse of :func:`spatial_acceleration`.

    Args:
        v: the body's velocity ``[w, v_O]``, ``(..., 6)``; rad/s, m/s.
        a: its spatial acceleration ``[dw, a_O]``, ``(..., 6)``, in the same coordinates; rad/s^2, m/s^2.

    Returns:
        ``(..., 6)``: angular acceleration, and acceleration of the body-fixed point that is at the origin now; rad/s^2,
        m/s^2. This is no motion vector: it does not transform as one, and accelerations of this kind do not add.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.11; course, section 41.
    """
    return CLASSICAL(v, a)


def acceleration_of_point(v: ArrayLike, a: ArrayLike, point: ArrayLike) -> Array:
    """``r''(P) = a_O + dw x OP + w x (v_O + w x OP)``: the classical acceleration of the body-fixed point at P.

    Args:
        v: the body's velocity ``[w, v_O]``, ``(..., 6)``; rad/s, m/s.
        a: its spatial acceleration ``[dw, a_O]``, ``(..., 6)``, in the same coordinates; rad/s^2, m/s^2.
        point: P, ``(..., 3)``, in these coordinates; m.

    Returns:
        ``(..., 3)``, along the axes of the frame; m/s^2.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes.

    Source: RBDA section 2.11; course, sections 40 and 41.

    Example:
        >>> acceleration_of_point([0, 0, 2, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0.5, 0, 0])  # turning at constant speed
        array([-2.,  0.,  0.])
    """
    return OF_POINT(v, a, point)
