"""Motion of a configuration along a velocity, its inverse, and velocities where coordinates change on the way.

Exponential coordinates change to an equivalent vector of the same turn: so does the velocity.

Source: RBDA section 4.5 for quaternions; :mod:`pluecker.spatial.algebra.motions` for the free joint.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.model.joints import carry_joint, difference_joint, integrate_joint
from pluecker.articulated.model.layout import link_count, owns_coordinates
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = ["carry_velocity", "difference", "integrate"]


@kernel
def integrate_kernel(m, q, v, out, ws):
    """Each joint by itself"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            integrate_joint(m, i, q, v, out)


INTEGRATE = Algorithm(
    "integrate",
    integrate_kernel,
    inputs=("q", "v"),
    outputs=("q",),
    workspace=lambda model: 0,
)


def integrate(
    model: Model, q: ArrayLike, v: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """The configuration after unit time at constant velocity: ``integrate(model, q, v * dt)`` moves for the time ``dt``.

    Exact for a constant velocity: a free joint moves along a screw, and quaternions stay of unit length. Exponential
    coordinates that come out longer than half a turn are replaced by the equivalent vector, ``q - 2 pi q/|q|``, far from
    the singularity at a full turn; :func:`carry_velocity` then gives the velocity in the new ones.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: displacement, velocity times time, ``(..., nv)``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``(..., nq)``.

    Raises:
        ValueError, TypeError: as :func:`rnea`.

    Example:
        >>> from pluecker.articulated import ModelBuilder, integrate, neutral
        >>> ball = ModelBuilder()
        >>> ball.add_body("ball", mass=1.0)
        >>> ball.add_joint("socket", "spherical", parent="world", child="ball")
        >>> ball = ball.build()
        >>> integrate(ball, neutral(ball), [0.0, 0.0, 3.141592653589793]).round(12)
        array([0., 0., 0., 1.])

    Source: RBDA section 4.5.
    """
    return INTEGRATE.call(model, (q, v), out, threads)


# ------------------------------------- the velocity that leads from one configuration to another: the inverse of integration


@kernel
def difference_kernel(m, q0, q1, out, ws):
    """Each joint by itself"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            difference_joint(m, i, q0, q1, out)


DIFFERENCE = Algorithm("difference", difference_kernel, inputs=("q0", "q1"), outputs=("v",), workspace=lambda model: 0)


def difference(
    model: Model, q0: ArrayLike, q1: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """The constant velocity that leads from ``q0`` to ``q1`` in unit time: ``integrate(model, q0, difference) = q1``.

    Quaternions take the shorter way, a turn of at most pi; exponential coordinates lead to the nearest vector that is
    equivalent to that of ``q1``; angles of revolute joints are not wrapped.

    Args:
        model: the mechanism.
        q0: configuration, ``(..., nq)``.
        q1: configuration, ``(..., nq)``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``(..., nv)``.

    Raises:
        ValueError, TypeError: as :func:`rnea`.

    Source: RBDA section 4.5; :mod:`pluecker.spatial.algebra.motions`.
    """
    return DIFFERENCE.call(model, (q0, q1), out, threads)


# the velocity in new coordinates, where exponential ones change to an equivalent vector of the same turn


@kernel
def carry_velocity_kernel(m, q0, q1, v, out, ws):
    """Each joint by itself"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            carry_joint(m, i, q0, q1, v, out)


CARRY_VELOCITY = Algorithm(
    "carry_velocity",
    carry_velocity_kernel,
    inputs=("q0", "q1", "v"),
    outputs=("v",),
    workspace=lambda model: 0,
)


def carry_velocity(
    model: Model,
    q0: ArrayLike,
    q1: ArrayLike,
    v: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The velocity ``v`` in the coordinates of ``q1``, if those of an exponential joint have changed on the way from ``q0``.

    Exponential coordinates go on, beyond half a turn, as the equivalent vector: :func:`integrate` sees to that, and where it
    does, the rate of change of the coordinates is another for the same angular velocity. So after ``q1 = integrate(model,
    q0, step)``, ``v = carry_velocity(model, q0, q1, v)`` is the velocity to go on with. It is ``v`` itself, to the last bit,
    of joints of other types, and where the vector has not changed. Momentum and energy of the bodies are those before;
    armature, damping and friction of the joint, which act on rates of coordinates, count for the new ones.

    Args:
        model: the mechanism.
        q0: configuration, ``(..., nq)``, from which the motion came.
        q1: configuration, ``(..., nq)``, less than half a turn from it: of exponential coordinates, that equivalent of
            ``q1`` counts as reached which is nearest to ``q0``.
        v: velocity at ``q1``, ``(..., nv)``, in the coordinates of ``q0``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``(..., nv)``.

    Raises:
        ValueError, TypeError: as :func:`rnea`.

    Example:
        >>> import numpy as np
        >>> from pluecker.articulated import ModelBuilder, carry_velocity, integrate
        >>> ball = ModelBuilder()
        >>> ball.add_body("ball", mass=1.0)
        >>> ball.add_joint("socket", "exponential", parent="world", child="ball")
        >>> ball = ball.build()
        >>> q0, v = np.array([1.5, 1.5, 1.5]), np.array([3.0, 1.0, 2.0])
        >>> q1 = integrate(ball, q0, [0.5, 0.5, 0.5])
        >>> q1.round(4)
        array([-1.6276, -1.6276, -1.6276])
        >>> carry_velocity(ball, q0, q1, v).round(4)
        array([1.1862, 2.8138, 2.    ])

    Source: Grassia (1998); :mod:`pluecker.articulated.model.exponential`.
    """
    return CARRY_VELOCITY.call(model, (q0, q1, v), out, threads)
