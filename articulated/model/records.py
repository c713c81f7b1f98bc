"""Records of a model: its joints, its arrays and the fields of :class:`~pluecker.articulated.model.model.Model`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.spatial.errors import shown

__all__ = ["JOINT_ARRAYS", "MAY_BE_INFINITE", "Joint", "ModelFields", "coordinate_names", "known", "listing"]

Array = NDArray[np.float64]
LONGEST_SOUGHT_NAME = 60  # characters of a name that is looked for among others
SUGGESTIONS = 5  # names that look like one that is not there

# array of the model -> (its length, the smallest value allowed)
JOINT_ARRAYS = {
    "armature": ("nv", 0.0),
    "damping": ("nv", 0.0),
    "friction": ("nv", 0.0),
    "stiffness": ("nv", 0.0),
    "rest_position": ("nq", -np.inf),
    "lower_limit": ("nq", -np.inf),
    "upper_limit": ("nq", -np.inf),
    "velocity_limit": ("nv", 0.0),
    "effort_limit": ("nv", 0.0),
}
MAY_BE_INFINITE = ("lower_limit", "upper_limit", "velocity_limit", "effort_limit")


@dataclass(frozen=True)
class Joint:
    """A joint that moves: its type, the bodies it joins, and where its coordinates begin in q and v."""

    name: str
    type: str
    parent: str
    child: str
    q_start: int
    v_start: int
    mimic: tuple[str, float, float] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ModelFields:
    """The fields of a model, by themselves."""

    name: str
    gravity: Array
    joints: tuple[Joint, ...]
    body_names: tuple[str, ...]
    frames: tuple[tuple[str, int], ...]  # name and body number, -1 for the world
    frame_placements: Array  # (n_frames, 4, 4) on that body
    links: Array  # link records, see layout
    freedoms: Array  # freedom records, see layout
    armature: Array
    damping: Array
    friction: Array
    stiffness: Array
    rest_position: Array
    lower_limit: Array
    upper_limit: Array
    velocity_limit: Array
    effort_limit: Array
    urdf: str | None = None  # the file that it was read from, or its text


def coordinate_names(joints: Iterable[Joint], labels: str) -> tuple[str, ...]:
    """A name for each coordinate, from the joint's and from the ``q_labels`` or ``v_labels`` of its type."""
    return tuple(
        f"{joint.name}.{label}" if label else joint.name
        for joint in joints
        if joint.mimic is None
        for label in getattr(JOINT_TYPES[joint.type], labels)
    )


# --------------------------------------------------------------------------------------------------------------- messages


def listing(names: Any, most: int = 20) -> str:
    """Names for a message, the first ``most`` of them."""
    names = list(names)
    text = ", ".join(map(shown, names[:most])) or "none"
    return text + (f" and {len(names) - most} more" if len(names) > most else "")


def known(name: Any, names: Iterable[str], most: int = 20) -> str:
    """List the known names for a message about an unknown one; of many names, those that look like it come first."""
    names = list(names)
    if len(names) <= most or not isinstance(name, str):
        return listing(names, most)
    near = difflib.get_close_matches(name[:LONGEST_SOUGHT_NAME], names, SUGGESTIONS)
    return listing([*near, *(other for other in names if other not in near)], most)
