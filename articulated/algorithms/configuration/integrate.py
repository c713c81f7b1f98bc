"""Moving a configuration along a velocity.

Source: RBDA section 4.5 for quaternions; :mod:`pluecker.spatial.algebra.motions` for the free joint.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.model.joints import integrate_joint
from pluecker.articulated.model.layout import link_count, owns_coordinates
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = ["integrate"]


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
