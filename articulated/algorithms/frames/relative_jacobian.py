"""The Jacobian of one frame as it is seen from another, and its rate of change.

The way leads from the frame up to the ancestor that the two have in common, and from there down to the reference, whose
joints count with the other sign. Rates have the kernel of :mod:`~pluecker.articulated.algorithms.frames.jacobian`.

Source: RBDA sections 2.8 and 4.1.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.frame_path import (
    BODY,
    ORIGIN,
    axes_of,
    check_point,
    column_count,
    frame_at_point,
    from_reference,
    links_down,
    links_up,
    path_link,
    path_transforms,
    shares_column,
    step_down,
    step_up,
    to_axes,
)
from pluecker.articulated.algorithms.frames.jacobian import column, jacobian_dot_kernel, put_column, record
from pluecker.articulated.model.layout import freedom_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.algebra.vectors import load_vector, scale, store_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import store, tail

__all__ = ["relative_jacobian", "relative_jacobian_dot"]


@kernel
def relative_jacobian_kernel(m, c, q, point, numbers, ws):
    """J_i = X S_i, with X from link i to the frame; with the other sign on the way down to the reference"""
    up, down = links_up(c), links_down(c)
    store(numbers, 0, 0.0)
    J = tail(numbers, 1)
    path_transforms(m, c, q, ws)
    X = frame_at_point(c, point)
    for k in range(up):
        i = path_link(c, k)
        for j in range(freedom_count(m, i)):
            put_column(c, k, j, column(m, i, j, q, X), shares_column(c, k), J)
        X = step_up(c, k, X, ws)
    for k in range(up, up + down):
        i = path_link(c, k)
        X = step_down(k, X, ws)
        for j in range(freedom_count(m, i)):
            put_column(c, k, j, scale(-1.0, column(m, i, j, q, X)), shares_column(c, k), J)
    if axes_of(c) != BODY:
        X = from_reference(c, X)
        for k in range(column_count(c)):
            store_vector(J, 6 * k, to_axes(c, X, load_vector(J, 6 * k)))


RELATIVE_JACOBIAN = record("relative_jacobian", relative_jacobian_kernel, ("q",), "J")
RELATIVE_JACOBIAN_DOT = record("relative_jacobian_dot", jacobian_dot_kernel, ("q", "v"), "Jdot")


def relative_jacobian(
    model: Model,
    q: ArrayLike,
    frame: str,
    reference: str,
    point: ArrayLike | None = None,
    axes: str = "body",
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The Jacobian of a frame as it is seen from another one: ``J v`` is the difference of their velocities.

    Joints that move both alike count nothing: only those up to the ancestor that the two have in common do.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        frame: the frame that is seen to move, by name.
        reference: the frame from which it is seen, by name.
        point: a point that moves with ``frame``, ``(..., 3)``, in its coordinates, m; its origin if None.
        axes: as for :func:`jacobian`, with the reference in the world's place:

            - ``"body"``: the frame's own axes; velocity of the point.
            - ``"aligned"``: the reference's axes; velocity of the point.
            - ``"reference"``: the reference's axes; of the body at the reference's origin. It takes no point.
        out, threads: as for :func:`jacobian`.

    Returns:
        J, ``(..., 6, nv)``, angular rows first.

    Raises:
        KeyError, ValueError, TypeError: as :func:`jacobian`.

    Example:
        >>> from pluecker.articulated import ModelBuilder, relative_jacobian
        >>> arms = ModelBuilder()
        >>> arms.add_body("left")
        >>> arms.add_body("right")
        >>> arms.add_joint("l", "prismatic", parent="world", child="left", axis=(1, 0, 0))
        >>> arms.add_joint("r", "prismatic", parent="world", child="right", axis=(1, 0, 0))
        >>> relative_jacobian(arms.build(), [0.1, 0.2], "right", "left")[3]
        array([-1.,  1.])

    Source: RBDA sections 2.8 and 4.1.
    """
    point = ORIGIN if point is None else check_point("relative_jacobian", point, axes)
    return RELATIVE_JACOBIAN.call(model, (q, point), out, threads, (frame, axes, reference))


def relative_jacobian_dot(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: str,
    reference: str,
    point: ArrayLike | None = None,
    axes: str = "body",
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The rate of change of :func:`relative_jacobian` while the robot moves with velocity ``v``.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        frame, reference, point, axes, out, threads: as for :func:`relative_jacobian`.

    Returns:
        dJ/dt, ``(..., 6, nv)``, angular rows first.

    Raises:
        KeyError, ValueError, TypeError: as :func:`jacobian`.

    Source: RBDA section 2.11; course, section 38 (source document 001, docs/sources.md).
    """
    point = ORIGIN if point is None else check_point("relative_jacobian_dot", point, axes)
    return RELATIVE_JACOBIAN_DOT.call(model, (q, v, point), out, threads, (frame, axes, reference))
