"""Frames of constraints: read as they are given, placed where they meet, and checked against a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frames.frames import frame_placement
from pluecker.articulated.forces.packing import is_world
from pluecker.articulated.model.description import unit, vector
from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError, shown
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "across",
    "as_frame",
    "axes_in_world",
    "body_number",
    "body_of",
    "check_apart",
    "check_name",
    "meeting_frames",
    "named",
    "placement",
]

PERPENDICULAR = 1e-6  # the share of a direction that has to be across an axis


def named(kind: str, name: Any) -> str:
    """Return the name of a constraint in messages."""
    return f"{kind} {shown(name)}"


def check_name(kind: str, name: Any) -> None:
    """Check that a name is a string, and not empty."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"{kind}: name is {shown(name)}, expected a string")
    if not name:
        raise ConstraintError(f"{kind}: name is empty, expected a name")


def as_frame(label: str, key: str, given: Any) -> Frame:
    """Convert to a frame: a frame, a name, or (name, position), or (name, position, rotation)."""
    if isinstance(given, Frame):
        return given
    parts = (given,) if isinstance(given, str) else given
    if not isinstance(parts, (tuple, list)) or not 1 <= len(parts) <= 3 or not isinstance(parts[0], str):
        raise ArgumentTypeError(
            f"{label}: {key} is {shown(given)}, expected a Frame, the name of one, or (name, position, rotation)"
        )
    try:
        return Frame(*parts)
    except PlueckerError as error:
        raise type(error)(f"{label}: {key}: {error}") from None


def body_number(model: Model, frame: str) -> int:
    """Return the number of the body that a frame is on, -1 for the world."""
    if is_world(model, frame):
        return -1
    return int(model.frame_offsets([frame])[0][0])


def body_of(label: str, key: str, model: Model, frame: Frame) -> int:
    """Return the number of the body that a frame is on, -1 for the world; errors name the argument of a constraint."""
    try:
        return body_number(model, frame.name)
    except PlueckerError as error:
        raise type(error)(f"{label}: {key}: {plain(error)}") from None


def plain(error: BaseException) -> str:
    """Return the message of an error, without the quotes that a KeyError adds."""
    return str(error.args[0]) if error.args else str(error)


def check_apart(label: str, model: Model, **frames: Frame) -> None:
    """Check that all frames are known, and no two of them are on one body, or on the world."""
    seen: dict[int, str] = {}
    for key, frame in frames.items():
        body = body_of(label, key, model, frame)
        if body in seen:
            where = "the world" if body < 0 else f"the body {shown(model.body_names[body])}"
            raise ConstraintError(f"{label}: {seen[body]} and {key} are both on {where}, expected two bodies")
        seen[body] = key


def placement(label: str, model: Model, q: ArrayLike, name: str) -> Array:
    """Compute the placement of a frame of the model in the world, ``(4, 4)``."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"{label}: {shown(name)} is no name of a frame or body")
    try:
        if is_world(model, name):
            return np.eye(4)
        return frame_placement(model, q, name)
    except PlueckerError as error:
        raise type(error)(f"{label}: {plain(error)}") from None


def axes_in_world(model: Model, q: ArrayLike, frame: Frame) -> Array:
    """Compute the axes of a constraint's frame in the world, as columns, ``(3, 3)``."""
    if frame.name not in model.frame_names:
        return frame.matrix
    return np.asarray(frame_placement(model, q, frame.name)[:3, :3] @ frame.matrix)


def across(label: str, key: str, axis: Array, given: ArrayLike | None) -> Array:
    """Return a unit vector across an axis: the part of the given direction that is, or any."""
    if given is None:
        direction = np.eye(3)[int(np.argmin(np.abs(axis)))]
    else:
        direction = unit(label, key, given)
    side = direction - axis * (axis @ direction)
    size = float(np.linalg.norm(side))
    if size < PERPENDICULAR:
        raise ConstraintError(f"{label}: {key} is along the axis, expected another direction")
    side = side / size
    side = side - axis * (axis @ side)
    return side / np.linalg.norm(side)


def frame_at(label: str, model: Model, q: ArrayLike, body: str, point: Array, axis: Array, side: Array) -> Frame:
    """Make the frame of a body that is at a point of the world, with z along the axis and x along the side."""
    T = placement(label, model, q, body)
    R = T[:3, :3].T @ np.stack([side, np.cross(axis, side), axis], axis=1)
    return Frame(body, T[:3, :3].T @ (point - T[:3, 3]), R)


def meeting_frames(
    label: str,
    model: Model,
    q: ArrayLike,
    first: str,
    second: str,
    point: ArrayLike,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    side: ArrayLike | None = None,
) -> tuple[Frame, Frame]:
    """Make frames of two bodies at one place of the world in a configuration: z along ``axis``, x along the part of ``side``
    across it.
    """
    x, z = vector(label, "point", point), unit(label, "axis", axis)
    y = across(label, "side", z, side)
    return frame_at(label, model, q, first, x, z, y), frame_at(label, model, q, second, x, z, y)
