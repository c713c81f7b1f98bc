"""The velocity in new coordinates, where exponential ones change to an equivalent vector of the same turn."""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.model.joints import carry_joint
from pluecker.articulated.model.layout import link_count, owns_coordinates
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = ["carry_velocity"]


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
