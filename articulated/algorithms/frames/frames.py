"""Placement, velocity and acceleration of a frame, and of points that move with it.

Sources: RBDA section 5.3 (the outward half of RNEA) and section 2.11; Featherstone's course, sections 38 to 41 and 55
(source document 001, docs/sources.md); the three choices of axes: docs/frames.md.
"""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.frame_path import (
    ORIGIN,
    POINT,
    check_point,
    frame_at_point,
    is_classical,
    links_up,
    path_constants,
    path_link,
    path_transforms,
    path_workspace,
    step_up,
    to_axes,
)
from pluecker.articulated.model.joints import add_subspace_rate, joint_motion
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import transform_motion, transpose
from pluecker.spatial.algebra.vectors import add, add_cross3, add_cross_motion, store_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import lift, store
from pluecker.spatial.errors import ArgumentTypeError, shown

__all__ = ["frame_acceleration", "frame_placement", "frame_velocity"]


@kernel
def frame_placement_kernel(m, c, q, point, T, ws):
    """Compute the homogeneous matrix [R p; 0 1] of the frame at the point, with R = E^T"""
    path_transforms(m, c, q, ws)
    X = frame_at_point(c, point)
    for k in range(links_up(c)):
        X = step_up(c, k, X, ws)
    R, p = transpose(X[0]), X[1]
    for j in range(3):
        for k in range(3):
            store(T, 4 * j + k, R[3 * j + k])
        store(T, 4 * j + 3, p[j])
        store(T, 12 + j, 0.0)
    store(T, 15, 1.0)


@kernel
def frame_velocity_kernel(m, c, q, v, point, out, ws):
    """Compute v = sum X S qd over the way from the frame to the world, with X from each link to the frame"""
    path_transforms(m, c, q, ws)
    X = frame_at_point(c, point)
    zero = lift(0.0, X[1][0])
    u = ((zero, zero, zero), (zero, zero, zero))
    for k in range(links_up(c)):
        u = add(u, transform_motion(X, joint_motion(m, path_link(c, k), q, v)))
        X = step_up(c, k, X, ws)
    store_vector(out, 0, to_axes(c, X, u))


@kernel
def frame_acceleration_kernel(m, c, q, v, a, point, out, ws):
    """Compute a = sum X S qdd + X Sdot qd + X S qd x u, with ``u`` relative to the link; the last two terms are Jdot qd"""
    path_transforms(m, c, q, ws)
    X = frame_at_point(c, point)
    zero = lift(0.0, X[1][0])
    u = ((zero, zero, zero), (zero, zero, zero))
    total = u
    for k in range(links_up(c)):
        i = path_link(c, k)
        vJ = transform_motion(X, joint_motion(m, i, q, v))
        aJ = add_subspace_rate(joint_motion(m, i, q, a), m, i, q, v)
        total = add_cross_motion(add(total, transform_motion(X, aJ)), vJ, u)
        u = add(u, vJ)
        X = step_up(c, k, X, ws)
    total = to_axes(c, X, total)
    if is_classical(c):
        w, x = to_axes(c, X, u)
        total = (total[0], add_cross3(total[1], w, x))  # of the point of the body that is there: vdot + w x v
    store_vector(out, 0, total)


FRAME_PLACEMENT = Algorithm(
    "frame_placement",
    frame_placement_kernel,
    inputs=("q", POINT),
    outputs=(Field("placement", (4, 4)),),
    constants=lambda model, frame: path_constants("frame_placement", model, frame, "world"),
    workspace=lambda model, frame: path_workspace(model, frame, "world"),
    words=("frame",),
)
FRAME_VELOCITY = Algorithm(
    "frame_velocity",
    frame_velocity_kernel,
    inputs=("q", "v", POINT),
    outputs=(Field("velocity", (6,)),),
    constants=partial(path_constants, "frame_velocity"),
    workspace=path_workspace,
    words=("frame", "axes"),
)
FRAME_ACCELERATION = Algorithm(
    "frame_acceleration",
    frame_acceleration_kernel,
    inputs=("q", "v", "a", POINT),
    outputs=(Field("acceleration", (6,)),),
    constants=lambda model, frame, axes, classical: path_constants(
        "frame_acceleration", model, frame, axes, classical=classical
    ),
    workspace=lambda model, frame, axes, classical: path_workspace(model, frame, axes),
    words=("frame", "axes"),
)


def frame_placement(
    model: Model,
    q: ArrayLike,
    frame: str,
    point: ArrayLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Placement of one frame in the world; of many at once, see :func:`forward_kinematics`.

    Cost is that of the joints between the frame and the world.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        frame: its name, from ``model.frame_names``.
        point: a point that moves with the frame, ``(..., 3)``, in the frame's coordinates, m; its origin if None.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Leading axes broadcast, those of the point too.

    Returns:
        The homogeneous matrix ``[[R, p], [0, 1]]``, ``(..., 4, 4)``: the frame's axes as columns of R, the point p in world
        coordinates, in m.

    Raises:
        KeyError: there is no frame of that name.
        ValueError: a shape does not fit, an entry is not finite, a quaternion is not of unit length, the result overflows.
        TypeError: something is not an array of real numbers, or no name, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, frame_placement
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0)
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), position=(0, 0, 1))
        >>> frame_placement(arm.build(), [0.0], "rod", point=(0.5, 0, 0))[:3, 3]
        array([0.5, 0. , 1. ])

    Source: RBDA section 5.3.
    """
    return FRAME_PLACEMENT.call(model, (q, ORIGIN if point is None else point), out, threads, (frame,))


def frame_velocity(
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
    """Velocity of a frame, or of a point that moves with it.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        frame: its name, from ``model.frame_names``.
        point: a point that moves with the frame, ``(..., 3)``, in the frame's coordinates, m; its origin if None.
        axes: in which axes, and of which point: ``"body"``, ``"aligned"`` or ``"world"``, as for :func:`jacobian`.
        out, threads: as for :func:`jacobian`.

    Returns:
        ``[w; v]``, ``(..., 6)``; rad/s and m/s.

    Raises:
        KeyError, ValueError, TypeError: as :func:`jacobian`.

    Example:
        >>> from pluecker.articulated import ModelBuilder, frame_velocity
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0)
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 0, 1))
        >>> frame_velocity(arm.build(), [0.0], [2.0], "rod", point=(0.5, 0, 0), axes="aligned")
        array([0., 0., 2., 0., 1., 0.])

    Source: RBDA section 5.3; course, section 55.3 (source document 001, docs/sources.md).
    """
    point = ORIGIN if point is None else check_point("frame_velocity", point, axes)
    return FRAME_VELOCITY.call(model, (q, v, point), out, threads, (frame, axes))


def frame_acceleration(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: str,
    point: ArrayLike | None = None,
    axes: str = "body",
    *,
    classical: bool = False,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Acceleration of a frame, or of a point that moves with it, without gravity: spatial or classical.

    The spatial acceleration is the rate of change of the spatial velocity: of what passes the point. The classical one has
    the acceleration of the point itself as its linear part, which is larger by ``w x v`` (course, sections 40 and 41).

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        a: acceleration, ``(..., nv)``.
        frame: its name, from ``model.frame_names``.
        point: a point that moves with the frame, ``(..., 3)``, in the frame's coordinates, m; its origin if None.
        axes: in which axes, and of which point: ``"body"``, ``"aligned"`` or ``"world"``, as for :func:`jacobian`.
        classical: True for the classical acceleration, False for the spatial one.
        out, threads: as for :func:`jacobian`.

    Returns:
        ``(..., 6)``, angular part first; rad/s^2 and m/s^2.

    Raises:
        KeyError, ValueError, TypeError: as :func:`jacobian`; TypeError also where ``classical`` is neither True nor False.

    Example:
        >>> from pluecker.articulated import ModelBuilder, frame_acceleration
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0)
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 0, 1))
        >>> turning = arm.build(), [0.0], [2.0], [0.0], "rod"
        >>> frame_acceleration(*turning, point=(0.5, 0, 0), classical=True)[3:]
        array([-2.,  0.,  0.])

    Source: RBDA sections 2.11 and 5.3; course, sections 40, 41 and 55.3 (source document 001, docs/sources.md).
    """
    if not isinstance(classical, bool):
        raise ArgumentTypeError(f"frame_acceleration: classical is {shown(classical)}, expected True or False")
    point = ORIGIN if point is None else check_point("frame_acceleration", point, axes)
    return FRAME_ACCELERATION.call(model, (q, v, a, point), out, threads, (frame, axes, classical))
