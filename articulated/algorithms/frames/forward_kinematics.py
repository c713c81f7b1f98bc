"""Forward kinematics: where the bodies are, how they move and how they accelerate.

Sources: RBDA section 5.3 (the outward half of RNEA); course, section 55 (source
document 001, docs/sources.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.model.joints import add_subspace_rate, joint_motion, joint_transform
from pluecker.articulated.model.layout import body, link_count, parent
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array, as_model, check_array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import (
    IDENTITY,
    compose,
    load_transform,
    store_transform,
    transform_motion,
    transpose,
)
from pluecker.spatial.algebra.vectors import add, add_cross_motion, load_vector, store_vector
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError
from pluecker.spatial.scalars.operations import store

__all__ = ["body_accelerations", "body_velocities", "forward_kinematics", "placements"]

TRANSFORM = 12  # the workspace of placements: for each link the transform from the world
# the workspace of accelerations: for each link its velocity, then its acceleration
LINK = 12


@kernel
def placements(m, q, ws):
    """Into the workspace, for each link, the transform from the world: iX_0 = iX_p pX_0"""
    store_transform(ws, 0, IDENTITY)
    for i in range(1, link_count(m) + 1):
        X0 = compose(joint_transform(m, i, q), load_transform(ws, TRANSFORM * parent(m, i)))
        store_transform(ws, TRANSFORM * i, X0)


@kernel
def forward_kinematics_kernel(m, q, out, ws):
    """Homogeneous matrices [R p; 0 1] of the bodies, with R = E^T"""
    placements(m, q, ws)
    for i in range(1, link_count(m) + 1):
        if body(m, i) >= 0:
            E, r = load_transform(ws, TRANSFORM * i)
            R, k = transpose(E), 16 * body(m, i)
            for j in range(3):
                store_row(out, k + 4 * j, R[3 * j], R[3 * j + 1], R[3 * j + 2], r[j])
            store_row(out, k + 12, 0.0, 0.0, 0.0, 1.0)


@kernel
def store_row(array, k, a, b, c, d):
    """Four entries of a scalar array, from ``k`` on"""
    store(array, k, a)
    store(array, k + 1, b)
    store(array, k + 2, c)
    store(array, k + 3, d)


@kernel
def body_velocities_kernel(m, q, v, out, ws):
    """v_i = X v_p + S qd"""
    store_vector(ws, 0, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for i in range(1, link_count(m) + 1):
        Xi = joint_transform(m, i, q)
        vi = add(transform_motion(Xi, load_vector(ws, 6 * parent(m, i))), joint_motion(m, i, q, v))
        store_vector(ws, 6 * i, vi)
        if body(m, i) >= 0:
            store_vector(out, 6 * body(m, i), vi)


@kernel
def body_accelerations_kernel(m, q, v, a, out, ws):
    """a_i = X a_p + S qdd + Sdot qd + v_i x S qd"""
    zero = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    store_vector(ws, 0, zero)
    store_vector(ws, 6, zero)
    for i in range(1, link_count(m) + 1):
        w, p = LINK * i, LINK * parent(m, i)
        Xi, vJ = joint_transform(m, i, q), joint_motion(m, i, q, v)
        vi = add(transform_motion(Xi, load_vector(ws, p)), vJ)
        ai = add(transform_motion(Xi, load_vector(ws, p + 6)), joint_motion(m, i, q, a))
        ai = add_subspace_rate(add_cross_motion(ai, vi, vJ), m, i, q, v)
        store_vector(ws, w, vi)
        store_vector(ws, w + 6, ai)
        if body(m, i) >= 0:
            store_vector(out, 6 * body(m, i), ai)


FORWARD_KINEMATICS = Algorithm(
    "forward_kinematics",
    forward_kinematics_kernel,
    inputs=("q",),
    outputs=(Field("placements", ("n_bodies", 4, 4)),),
    workspace=lambda model: TRANSFORM * (model.n_links + 1),
)
BODY_VELOCITIES = Algorithm(
    "body_velocities",
    body_velocities_kernel,
    inputs=("q", "v"),
    outputs=(Field("velocities", ("n_bodies", 6)),),
    workspace=lambda model: 6 * (model.n_links + 1),
)
BODY_ACCELERATIONS = Algorithm(
    "body_accelerations",
    body_accelerations_kernel,
    inputs=("q", "v", "a"),
    outputs=(Field("accelerations", ("n_bodies", 6)),),
    workspace=lambda model: LINK * (model.n_links + 1),
)


def forward_kinematics(
    model: Model,
    q: ArrayLike,
    frames: Sequence[str] | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Placements of bodies and frames in the world.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        frames: names of frames, from ``model.frame_names``: bodies, bodies merged through fixed joints, and frames of
            the user's. The bodies of ``model.body_names`` if None.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        Homogeneous matrices ``[[R, p], [0, 1]]``, ``(..., n, 4, 4)``, which turn a point's coordinates in the frame into
        its coordinates in the world; in m.

    Raises:
        KeyError: there is no frame of that name.
        ValueError: a shape does not fit, an entry is not finite, a quaternion is not of unit length, the result overflows.
        TypeError: something is not an array of real numbers, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, forward_kinematics
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0)
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), position=(0, 0, 1))
        >>> arm.add_frame("tip", body="rod", position=(1, 0, 0))
        >>> forward_kinematics(arm.build(), [0.0], frames=["tip"])[0, :3, 3]
        array([1., 0., 1.])

    Source: RBDA section 5.3.
    """
    if frames is None:
        return FORWARD_KINEMATICS.call(model, (q,), out, threads)
    try:
        names = [frames] if isinstance(frames, str) else list(frames)
    except TypeError:
        raise ArgumentTypeError(
            f"forward_kinematics: frames must be names of frames, got a {type(frames).__name__}"
        ) from None
    as_model("forward_kinematics", model)
    try:
        bodies, offsets = model.frame_offsets(names)
    except PlueckerError as error:
        raise type(error)(f"forward_kinematics: {error}") from None
    # The world comes last, so that the body number -1 of what is fixed to it finds it.
    moving = FORWARD_KINEMATICS.call(model, (q,), None, threads)
    world = np.broadcast_to(np.eye(4), (*moving.shape[:-3], 1, 4, 4))
    with np.errstate(over="ignore", invalid="ignore"):
        result = np.concatenate([moving, world], axis=-3)[..., bodies, :, :] @ offsets
    finite = np.isfinite(result).all(axis=(-2, -1))
    if not finite.all():
        state, k = np.argwhere(~finite.reshape(-1, len(names)))[0]
        where = f" in state {state} of the batch" if result.ndim > 3 else ""
        raise ArgumentValueError(f"forward_kinematics: the result overflows float64{where}, at frame {names[k]!r}")
    if out is None:
        return result
    check_array("forward_kinematics", "out", out, result.shape)
    out[...] = result
    return out


def body_velocities(
    model: Model, q: ArrayLike, v: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """Spatial velocities of the bodies, in body axes, at the bodies' origins.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``(..., n_bodies, 6)``, each ``[w; v]`` in rad/s and m/s, in the body's coordinates, of its origin.

    Raises:
        ValueError, TypeError: as :func:`forward_kinematics`.

    Source: RBDA section 5.3; course, section 55.3 (source document 001, docs/sources.md).
    """
    return BODY_VELOCITIES.call(model, (q, v), out, threads)


def body_accelerations(
    model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """Spatial accelerations of the bodies, without gravity, in body axes, at the bodies' origins.

    The spatial acceleration is the rate of change of the spatial velocity. The acceleration that an accelerometer at the
    body's origin would be built for, the classical one, is its linear part plus ``w x v`` (course, sections 40 and 41).

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        a: acceleration, ``(..., nv)``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``(..., n_bodies, 6)``, angular part first, in rad/s^2 and m/s^2, in the body's coordinates.

    Raises:
        ValueError, TypeError: as :func:`forward_kinematics`.

    Source: RBDA section 5.3; course, section 55.3 (source document 001, docs/sources.md).
    """
    return BODY_ACCELERATIONS.call(model, (q, v, a), out, threads)
