"""Forward kinematics: where the bodies are, how they move and how they accelerate.

Sources: RBDA section 5.3 (the outward half of RNEA); course, section 55 (source
document 001, docs/sources.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.frame_path import links_to_world
from pluecker.articulated.model.joints import add_subspace_rate, joint_motion, joint_transform
from pluecker.articulated.model.layout import body, link_count, parent
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array, check_word
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
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load_integer, store
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError

__all__ = ["body_accelerations", "body_velocities", "forward_kinematics", "placements"]

TRANSFORM = 12  # the workspace of placements: for each link the transform from the world
# the constants: how many links and how many frames there are; the numbers of the links; then for each frame the number of
# the link that carries it, whether it is somewhere else than that, and the transform from the link to it
LINKS, FRAMES, HEADER = range(3)
LINK, IS_MOVED, OFFSET, FRAME = *range(3), 14
# the workspace of accelerations: for each link its velocity, then its acceleration
LINK_RECORD = 12


@kernel
def placements(m, q, ws):
    """Into the workspace, for each link, the transform from the world: iX_0 = iX_p pX_0"""
    store_transform(ws, 0, IDENTITY)
    for i in range(1, link_count(m) + 1):
        X0 = compose(joint_transform(m, i, q), load_transform(ws, TRANSFORM * parent(m, i)))
        store_transform(ws, TRANSFORM * i, X0)


@kernel
def forward_kinematics_kernel(m, c, q, out, ws):
    """Homogeneous matrices [R p; 0 1] of the frames that are listed, with R = E^T"""
    store_transform(ws, 0, IDENTITY)
    links = load_integer(c, LINKS)
    for k in range(links):
        i = load_integer(c, HEADER + k)
        X0 = compose(joint_transform(m, i, q), load_transform(ws, TRANSFORM * parent(m, i)))
        store_transform(ws, TRANSFORM * i, X0)
    for k in range(load_integer(c, FRAMES)):
        place = HEADER + links + FRAME * k
        X = load_transform(ws, TRANSFORM * load_integer(c, place + LINK))
        if load_integer(c, place + IS_MOVED) != 0:
            X = compose(load_transform(c, place + OFFSET), X)
        R, r = transpose(X[0]), X[1]
        for j in range(3):
            store_row(out, 16 * k + 4 * j, R[3 * j], R[3 * j + 1], R[3 * j + 2], r[j])
        store_row(out, 16 * k + 12, 0.0, 0.0, 0.0, 1.0)


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
        w, p = LINK_RECORD * i, LINK_RECORD * parent(m, i)
        Xi, vJ = joint_transform(m, i, q), joint_motion(m, i, q, v)
        vi = add(transform_motion(Xi, load_vector(ws, p)), vJ)
        ai = add(transform_motion(Xi, load_vector(ws, p + 6)), joint_motion(m, i, q, a))
        ai = add_subspace_rate(add_cross_motion(ai, vi, vJ), m, i, q, v)
        store_vector(ws, w, vi)
        store_vector(ws, w + 6, ai)
        if body(m, i) >= 0:
            store_vector(out, 6 * body(m, i), ai)


def frame_constants(model: Model, frames: tuple[str, ...] | None) -> Array:
    """The links on the way to frames, parents before those that they carry, and the frames: of all bodies for None.

    Raises:
        KeyError, TypeError: there is no frame of that name, or it is no name.
    """
    try:
        bodies, placements = model.frame_offsets(frame_names(model, frames))
    except PlueckerError as error:
        raise type(error)(f"forward_kinematics: {error}") from None
    ways = [links_to_world(model, int(body)) for body in bodies]
    links = sorted({i for way in ways for i in way})
    records = np.zeros((len(ways), FRAME))
    for record, way, placement in zip(records, ways, placements, strict=True):
        moved = not np.array_equal(placement, np.eye(4))
        record[:OFFSET].view(np.int64)[:] = way[0] if way else 0, moved
        record[OFFSET:] = *placement[:3, :3].T.ravel(), *placement[:3, 3]
    header = np.array([len(links), len(ways), *links], dtype=np.int64).view(np.float64)
    return np.concatenate([header, records.ravel()])


def frame_names(model: Model, frames: tuple[str, ...] | None) -> tuple[str, ...]:
    """The frames that are asked for: those of the bodies for None."""
    return model.body_names if frames is None else frames


FORWARD_KINEMATICS = Algorithm(
    "forward_kinematics",
    forward_kinematics_kernel,
    inputs=("q",),
    outputs=(Field("placements", (lambda model, frames: len(frame_names(model, frames)), 4, 4), frames=frame_names),),
    constants=frame_constants,
    workspace=lambda model, frames: TRANSFORM * (model.n_links + 1),
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
    workspace=lambda model: LINK_RECORD * (model.n_links + 1),
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
    return FORWARD_KINEMATICS.call(model, (q,), out, threads, (None if frames is None else as_names(frames),))


def as_names(frames: Any) -> tuple[str, ...]:
    """Names of frames as a key, from what the user has passed; which there are is seen later, and once for each key."""
    try:
        names = (frames,) if isinstance(frames, str) else tuple(frames)
    except TypeError:
        raise ArgumentTypeError(
            f"forward_kinematics: frames must be names of frames, got a {type(frames).__name__}"
        ) from None
    for name in names:
        check_word("forward_kinematics", "an entry of frames", name)
    return names


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
