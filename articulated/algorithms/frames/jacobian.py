"""The Jacobian of a frame, and its rate of change.

A column of J is the velocity of the frame while one coordinate moves with velocity 1 and all others rest: the joint's motion
subspace, in other coordinates. One walk finds all: from the frame towards the world in the frame's axes, and the other way
in the world's, so that no column has to be turned afterwards. Seen from the frame, a joint moves with the velocity that the
joints beyond it give it, and its column with it: ``Jdot_i = (v_i - v) x J_i + X Sdot_i``. Neither the other branches of the
tree nor, but for the world's origin, the place of the robot in the world enter.

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
    only_turns,
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
    will_share_column,
)
from pluecker.articulated.model.joints import has_constant_subspace, joint_motion, moves_freely, subspace, subspace_rate
from pluecker.articulated.model.layout import constant_subspace, freedom_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import load_transform, transform_motion, transpose
from pluecker.spatial.algebra.vectors import (
    add,
    add3,
    add_cross3,
    add_cross_motion,
    cross3,
    load_vector,
    multiply3,
    rotate,
    scale,
    store3,
    store_vector,
    subtract,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import lift, store, tail

__all__ = ["column", "jacobian", "jacobian_dot", "jacobian_dot_kernel", "jacobian_kernel", "put_column", "record"]


@kernel
def column(m, i, j, q, X):
    """Return X S_j, with X from link ``i``; most S are constant, and then numbers, which take less to multiply"""
    if has_constant_subspace(m, i):
        return transform_motion(X, constant_subspace(m, i, j))
    return transform_motion(X, subspace(m, i, j, q))


@kernel
def put_column(c, k, j, x, shared, J):
    """Store column ``j`` of link number ``k`` of the way; if ``shared`` with a joint before (mimic), add it to that one's"""
    place = 6 * (path_column(c, k) + j)
    if shared:
        x = add(x, load_vector(J, place))
    store_vector(J, place, x)


@kernel
def put_columns(m, c, k, q, R, p, shared, J):
    """Store the columns of link number ``k``, whose axes are those of R, and whose origin is at p from the reference point.

    A motion (w, v) of the link is there (R w, R v + p x R w). Most joints only turn; what moves freely has unit vectors.
    """
    i = path_link(c, k)
    if moves_freely(m, i):
        zero = 0.0 * p[0]
        for j in range(3):
            w = (R[j], R[3 + j], R[6 + j])
            put_column(c, k, j, (w, cross3(p, w)), shared, J)
            put_column(c, k, 3 + j, ((zero, zero, zero), w), shared, J)
    elif only_turns(c, k):
        for j in range(freedom_count(m, i)):
            w = rotate(R, constant_subspace(m, i, j)[0])
            put_column(c, k, j, (w, cross3(p, w)), shared, J)
    else:
        for j in range(freedom_count(m, i)):
            S = subspace(m, i, j, q)
            w = rotate(R, S[0])
            put_column(c, k, j, (w, add_cross3(rotate(R, S[1]), p, w)), shared, J)


@kernel
def jacobian_kernel(m, c, q, point, numbers, ws):
    """Compute J_i = S_i, in the axes and about the point that were asked for

    The first number is zero, which all other columns of the matrix take.
    """
    store(numbers, 0, 0.0)
    J = tail(numbers, 1)
    path_transforms(m, c, q, ws)
    if axes_of(c) == BODY:
        columns_from_frame(m, c, q, point, J, ws)
    else:
        columns_from_world(m, c, q, point, J, ws)


@kernel
def columns_from_frame(m, c, q, point, J, ws):
    """Compute columns in the frame's axes, about its point: R_p = R E, p_p = p - R_p r, with the joint's transform (E, r)"""
    R, r = frame_at_point(c, point)
    x = rotate(R, r)
    p = (-x[0], -x[1], -x[2])
    for k in range(links_up(c)):
        put_columns(m, c, k, q, R, p, shares_column(c, k), J)
        if k < links_up(c) - 1:
            E, r = load_transform(ws, TRANSFORM * k)
            R = multiply3(R, E)
            p = subtract3(p, rotate(R, r))


@kernel
def columns_from_world(m, c, q, point, J, ws):
    """Compute columns in the world's axes: p = p_p + R_p r, R = R_p E^T; about its origin, or about the frame's point

    For the latter they are first about the link next to the world, where numbers are as small as the robot.
    """
    last = links_up(c) - 1
    if last < 0:
        return
    E, p = load_transform(ws, TRANSFORM * last)
    R = transpose(E)
    if axes_of(c) == ALIGNED:
        p = subtract3(p, p)
    for k in range(last, -1, -1):
        if k < last:
            E, r = load_transform(ws, TRANSFORM * k)
            p = add3(p, rotate(R, r))
            R = multiply3(R, transpose(E))
        put_columns(m, c, k, q, R, p, will_share_column(c, k), J)
    if axes_of(c) == ALIGNED:
        p = add3(p, rotate(R, frame_at_point(c, point)[1]))
        for k in range(column_count(c)):
            w, v = load_vector(J, 6 * k)
            store3(J, 6 * k + 3, add_cross3(v, w, p))


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
            put_column(c, k, j, x, shares_column(c, k), J)
            rate = transform_motion(X, subspace_rate(m, i, j, q, v))
            # X Sdot_i + (v_i - v) x J_i, which is J_i x u
            put_column(c, k, j, add_cross_motion(rate, x, u), shares_column(c, k), Jdot)
        u = add(u, transform_motion(X, joint_motion(m, i, q, v)))
        X = step_up(c, k, X, ws)
    for k in range(up, up + down):
        i = path_link(c, k)
        X = step_down(k, X, ws)
        u = subtract(u, transform_motion(X, joint_motion(m, i, q, v)))
        for j in range(freedom_count(m, i)):
            x = scale(-1.0, column(m, i, j, q, X))
            put_column(c, k, j, x, shares_column(c, k), J)
            rate = scale(-1.0, transform_motion(X, subspace_rate(m, i, j, q, v)))
            put_column(c, k, j, add_cross_motion(rate, x, u), shares_column(c, k), Jdot)
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
