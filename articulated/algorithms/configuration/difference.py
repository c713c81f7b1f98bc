"""The velocity that leads from one configuration to another: the inverse of integration."""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.model.joints import difference_joint
from pluecker.articulated.model.layout import link_count, owns_coordinates
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = ["difference"]


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
