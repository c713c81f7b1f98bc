"""The Jacobian of a frame, and its rate of change.

A column of J is the velocity of the frame while one coordinate moves with velocity 1 and all others rest: the joint's motion
subspace, in the frame's coordinates. Seen from the frame, a joint moves with the velocity that the joints beyond it give it,
and its column with it: ``Jdot_i = (v_i - v) x J_i + X Sdot_i``. So one walk from the frame towards the world finds J and
Jdot, and neither the other branches of the tree nor the place of the robot in the world enter.

Sources: RBDA section 2.11 (the derivative of a moving vector) and section 4.1; Featherstone's course, sections 38 and 54
(source document 001, docs/sources.md); the three choices of axes: docs/frames.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.frame_path import (
    ALIGNED,
    BODY,
    ORIGIN,
    POINT,
    TRANSFORM,
    axes_of,
    check_point,
    column_count,
    frame_at_point,
    from_reference,
    links_down,
    links_up,
    path_column,
    path_columns,
    path_constants,
    path_link,
    path_transforms,
    path_workspace,
    shares_column,
    step_down,
    step_up,
    to_axes,
)
from pluecker.articulated.model.joints import has_constant_subspace, joint_motion, moves_freely, subspace, subspace_rate
from pluecker.articulated.model.layout import constant_subspace, freedom_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import transform_motion
from pluecker.spatial.algebra.vectors import (
    add,
    add_cross_motion,
    load_vector,
    scale,
    store_vector,
    subtract,
)
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.scalars.operations import lift, store, tail

__all__ = ["jacobian", "jacobian_dot", "jacobian_dot_kernel", "jacobian_kernel", "record"]


@kernel
def column(m, i, j, q, X):
    """X S_j, with X from link ``i``; most S are constant, and then numbers, which take less to multiply"""
    if has_constant_subspace(m, i):
        return transform_motion(X, constant_subspace(m, i, j))
    return transform_motion(X, subspace(m, i, j, q))


@kernel
def put_free_columns(c, k, X, J):
    """X 1, the columns of a free joint: the unit vectors turned, and about the frame's point, E (e_j x r) = E (e_j x) r"""
    E, (x, y, z) = X
    place, zero = 6 * path_column(c, k), 0.0 * x
    a, b, d = (E[0], E[3], E[6]), (E[1], E[4], E[7]), (E[2], E[5], E[8])
    nothing = (zero, zero, zero)
    store_vector(J, place, (a, (d[0] * y - b[0] * z, d[1] * y - b[1] * z, d[2] * y - b[2] * z)))
    store_vector(J, place + 6, (b, (a[0] * z - d[0] * x, a[1] * z - d[1] * x, a[2] * z - d[2] * x)))
    store_vector(J, place + 12, (d, (b[0] * x - a[0] * y, b[1] * x - a[1] * y, b[2] * x - a[2] * y)))
    store_vector(J, place + 18, (nothing, a))
    store_vector(J, place + 24, (nothing, b))
    store_vector(J, place + 30, (nothing, d))


@kernel
def put_column(c, k, j, x, J):
    """Column ``j`` of the link number ``k`` of the way; those of mimic joints add up"""
    place = 6 * (path_column(c, k) + j)
    if shares_column(c, k):
        x = add(x, load_vector(J, place))
    store_vector(J, place, x)


@kernel
def jacobian_kernel(m, c, q, point, numbers, ws):
    """J_i = X S_i, with X from link i to the frame; with the other sign on the way down to the reference

    The first number is zero: what all other columns of the matrix hold.
    """
    up, down = links_up(c), links_down(c)
    store(numbers, 0, 0.0)
    J = tail(numbers, 1)
    path_transforms(m, c, q, ws)
    X = frame_at_point(c, point)
    for k in range(up):
        i = path_link(c, k)
        if moves_freely(m, i):
            put_free_columns(c, k, X, J)
        else:
            for j in range(freedom_count(m, i)):
                put_column(c, k, j, column(m, i, j, q, X), J)
        X = step_up(c, k, X, ws)
    for k in range(up, up + down):
        i = path_link(c, k)
        X = step_down(k, X, ws)
        for j in range(freedom_count(m, i)):
            put_column(c, k, j, scale(-1.0, column(m, i, j, q, X)), J)
    if axes_of(c) != BODY:
        X = from_reference(c, X)
        for k in range(column_count(c)):
            store_vector(J, 6 * k, to_axes(c, X, load_vector(J, 6 * k)))


@kernel
def jacobian_dot_kernel(m, c, q, v, point, numbers, ws):
    """Jdot_i = (v_i - v) x J_i + X Sdot_i in the frame's coordinates, then the derivative of the change of axes

    ``u`` is the velocity of the frame relative to the link that the walk has come to; at its end, relative to the reference.
    """
    up, down = links_up(c), links_down(c)
    store(numbers, 0, 0.0)
    J, Jdot = tail(ws, TRANSFORM * (up + down)), tail(numbers, 1)
    path_transforms(m, c, q, ws)
    X = frame_at_point(c, point)
    zero = lift(0.0, X[1][0])
    u = ((zero, zero, zero), (zero, zero, zero))
    for k in range(up):
        i = path_link(c, k)
        for j in range(freedom_count(m, i)):
            x = column(m, i, j, q, X)
            put_column(c, k, j, x, J)
            rate = transform_motion(X, subspace_rate(m, i, j, q, v))
            put_column(c, k, j, add_cross_motion(rate, x, u), Jdot)  # X Sdot_i + (v_i - v) x J_i, which is J_i x u
        u = add(u, transform_motion(X, joint_motion(m, i, q, v)))
        X = step_up(c, k, X, ws)
    for k in range(up, up + down):
        i = path_link(c, k)
        X = step_down(k, X, ws)
        u = subtract(u, transform_motion(X, joint_motion(m, i, q, v)))
        for j in range(freedom_count(m, i)):
            x = scale(-1.0, column(m, i, j, q, X))
            put_column(c, k, j, x, J)
            rate = scale(-1.0, transform_motion(X, subspace_rate(m, i, j, q, v)))
            put_column(c, k, j, add_cross_motion(rate, x, u), Jdot)
    if axes_of(c) != BODY:
        turn_rates(c, from_reference(c, X), u, J, Jdot)


@kernel
def turn_rates(c, X, u, J, Jdot):
    """d/dt (X^-1 J) = X^-1 (Jdot + u x J); of aligned axes the derivative of the rotation alone, ``w x``"""
    zero = 0.0 * u[0][0]
    if axes_of(c) == ALIGNED:
        u = (u[0], (zero, zero, zero))
    for k in range(column_count(c)):
        x = add_cross_motion(load_vector(Jdot, 6 * k), u, load_vector(J, 6 * k))
        store_vector(Jdot, 6 * k, to_axes(c, X, x))


def record(name: str, kernel: Callable[..., None], inputs: tuple[Any, ...], output: str) -> Algorithm:
    """The record of a Jacobian; its key is the frame, the axes, and the reference if that is not the world."""
    return Algorithm(
        name,
        kernel,
        inputs=(*inputs, POINT),
        outputs=(Field(output, (6, "nv")),),
        constants=partial(path_constants, name),
        workspace=path_workspace,
        order=path_columns,
        words=("frame", "axes", "reference"),
    )


JACOBIAN = record("jacobian", jacobian_kernel, ("q",), "J")
JACOBIAN_DOT = record("jacobian_dot", jacobian_dot_kernel, ("q", "v"), "Jdot")


def jacobian(
    model: Model,
    q: ArrayLike,
    frame: str,
    point: ArrayLike | None = None,
    axes: str = "body",
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The Jacobian of a frame, ``J v = frame_velocity(model, q, v, ...)``; its transpose turns forces into joint forces.

    Cost is that of the joints between the frame and the world; columns of all others are zero.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        frame: its name, from ``model.frame_names``.
        point: a point that moves with the frame, ``(..., 3)``, in the frame's coordinates, m; its origin if None.
        axes: in which axes, and of which point:

            - ``"body"``: the frame's own axes; velocity of the point (Pinocchio: ``LOCAL``).
            - ``"aligned"``: the world's axes; velocity of the point (Pinocchio: ``LOCAL_WORLD_ALIGNED``).
            - ``"world"``: the world's axes; of the body at the world's origin (Pinocchio: ``WORLD``). It takes no point.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Leading axes broadcast, those of the point too.

    Returns:
        J, ``(..., 6, nv)``, angular rows first: ``J v = [w; v]`` in rad/s and m/s; ``tau = J^T f`` with ``f = [n; f]``, the
        moment about the same point.

    Raises:
        KeyError: there is no frame of that name.
        ValueError: ``axes`` is none of the three, a shape does not fit, an entry is not finite, a quaternion is not of unit
            length, the result overflows.
        TypeError: something is not an array of real numbers, or no name, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, jacobian
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0)
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), position=(0, 0, 1))
        >>> arm.add_frame("tip", body="rod", position=(0.5, 0, 0))
        >>> jacobian(arm.build(), [0.0], "tip", axes="aligned")[:, 0] + 0.0
        array([ 0. ,  1. ,  0. ,  0. ,  0. , -0.5])

    Source: RBDA section 4.1; course, section 54 (source document 001, docs/sources.md).
    """
    point = ORIGIN if point is None else check_point("jacobian", point, axes)
    return JACOBIAN.call(model, (q, point), out, threads, (frame, axes))


def jacobian_dot(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: str,
    point: ArrayLike | None = None,
    axes: str = "body",
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The rate of change of :func:`jacobian` while the robot moves with velocity ``v``.

    ``J a + Jdot v`` is the rate of change of the numbers that ``J v`` holds: the frame's spatial acceleration in body and in
    world axes, its classical acceleration in aligned axes (see :func:`frame_acceleration`).

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        frame, point, axes, out, threads: as for :func:`jacobian`.

    Returns:
        dJ/dt, ``(..., 6, nv)``, angular rows first.

    Raises:
        KeyError, ValueError, TypeError: as :func:`jacobian`.

    Source: RBDA section 2.11; course, section 38 (source document 001, docs/sources.md).
    """
    point = ORIGIN if point is None else check_point("jacobian_dot", point, axes)
    return JACOBIAN_DOT.call(model, (q, v, point), out, threads, (frame, axes))
