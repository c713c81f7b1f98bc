"""The forces that joints make by themselves, as a function: damping, dry friction, springs.

They are terms of the equation of motion in :mod:`pluecker.articulated.algorithms.dynamics.passive`.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.passive import add_passive_force
from pluecker.articulated.model.layout import clear, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = ["passive_force"]


@kernel
def passive_force_kernel(m, q, v, tau, ws):
    """damping v + friction sign(v) + k(q)"""
    clear(tau, velocity_count(m))
    add_passive_force(m, q, v, tau)


PASSIVE_FORCE = Algorithm(
    "passive_force", passive_force_kernel, inputs=("q", "v"), outputs=("tau",), workspace=lambda model: 0
)


def passive_force(
    model: Model, q: ArrayLike, v: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """Joint forces that overcome damping, dry friction and springs: their part of :func:`bias_force`, with its sign.

    ``damping v + friction sign(v) + k(q)`` with the gradient k of the springs' energy. The joints themselves push the other
    way.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``(..., nv)``; N m or N.

    Raises:
        ValueError, TypeError: as :func:`rnea`.

    Example:
        >>> from pluecker.articulated import ModelBuilder, passive_force
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0)
        >>> arm.add_joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0), damping=0.5, friction=2.0, stiffness=10.0)
        >>> passive_force(arm.build(), q=[0.1], v=[4.0])
        array([5.])

    Source: the terms of :func:`rnea`.
    """
    return PASSIVE_FORCE.call(model, (q, v), out, threads)
