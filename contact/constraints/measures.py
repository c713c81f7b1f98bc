"""Numbers that a mechanism has: coordinates of joints, turns, ways and lengths between frames.

What is limited, driven, coupled or prescribed is one of these. A joint's name stands for its coordinate.

===================  =================================================================================================
measure              the number
===================  =================================================================================================
``JointCoordinate``  one coordinate of a joint of the model's; rad or m. Where q does not change at the rate v (quaternions,
                     free joints), it is a velocity alone, and can be driven and coupled, but not limited
``Angle``            the turn of the second frame's x axis about z of the first, from x to y; rad, counted over turns in
                     motions
``Travel``           where the second origin is along z of the first frame; m
``Length``           how far the origins are from each other; m
===================  =================================================================================================

A positive force along a measure makes it grow: it turns or pushes the second frame, and the first one back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pluecker.articulated.model.description import unit
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.model.records import Joint
from pluecker.contact.constraints.frames import as_frame, check_apart
from pluecker.contact.constraints.relation import COORDINATE, DISTANCE, OFFSET, TURN, Function
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, UnknownNameError, shown

__all__ = ["Angle", "JointCoordinate", "Length", "Measure", "Travel", "as_measure"]

X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


class Measure:
    """Number that a mechanism has: a function of the configuration, with a sign."""

    sign: float = 1.0

    def function(self, label: str, model: Model) -> Function:
        """Return the function of the configuration; ``label`` is whose it is, for messages."""
        raise NotImplementedError

    def has_position(self, model: Model) -> bool:
        """Return whether it is a function of the configuration, and not a velocity alone."""
        return True


@dataclass(frozen=True)
class JointCoordinate(Measure):
    """A coordinate of a joint of the model's.

    Attributes:
        joint: its name.
        index: which of its velocities, counted from 0.
    """

    joint: str
    index: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.joint, str):
            raise ArgumentTypeError(f"JointCoordinate: joint is {shown(self.joint)}, expected the name of a joint")
        if isinstance(self.index, bool) or not isinstance(self.index, int):
            raise ArgumentTypeError(f"JointCoordinate: index is {shown(self.index)}, expected an integer")

    def record(self, label: str, model: Model) -> Joint:
        """Return the joint, if it has such a coordinate of its own."""
        for joint in model.joints:
            if joint.name == self.joint:
                n = JOINT_TYPES[joint.type].nv
                if joint.mimic is not None:
                    raise ConstraintError(
                        f"{label}: the joint {shown(self.joint)} follows {shown(joint.mimic[0])} and has no coordinate of "
                        "its own; name the joint that it follows"
                    )
                if not 0 <= self.index < n:
                    raise ConstraintError(
                        f"{label}: the {joint.type} joint {shown(self.joint)} has no velocity {self.index}, it has {n}"
                    )
                return joint
        names = ", ".join(map(shown, model.joint_names[:10]))
        raise UnknownNameError(f"{label}: no joint {shown(self.joint)} with a coordinate; there are {names}")

    def has_position(self, model: Model) -> bool:
        """Return whether an entry of q changes at this velocity."""
        return JOINT_TYPES[self.record("JointCoordinate", model).type].rate_is_velocity

    def function(self, label: str, model: Model) -> Function:
        """Return the coordinate."""
        joint = self.record(label, model)
        position = joint.q_start + self.index if JOINT_TYPES[joint.type].rate_is_velocity else -1
        return Function(COORDINATE, coordinate=joint.v_start + self.index, position=position)


@dataclass(frozen=True)
class BetweenFrames(Measure):
    """Measure between two frames, each a :class:`Frame`, a name, or ``(name, position, rotation)``."""

    first: Any
    second: Any

    def __post_init__(self) -> None:
        for key in ("first", "second"):
            object.__setattr__(self, key, as_frame(type(self).__name__, key, getattr(self, key)))

    def function(self, label: str, model: Model) -> Function:
        """Return the function, if both frames are there and apart."""
        check_apart(f"{label}: {type(self).__name__}", model, first=self.first, second=self.second)
        return self.between()

    def between(self) -> Function:
        """Return the function."""
        raise NotImplementedError


@dataclass(frozen=True)
class Angle(BetweenFrames):
    """The turn of the second frame about z of the first, from x towards y; rad.

    Attributes:
        first, second: the frames.
        pointer: the direction of the second frame that is followed, its x axis by default; not one along the axis.
        sign: 1, or -1 for the other sense.
    """

    pointer: Any = X
    sign: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "pointer", tuple(unit("Angle", "pointer", self.pointer).tolist()))
        if self.sign not in (1.0, -1.0):
            raise ArgumentValueError(f"Angle: sign is {shown(self.sign)}, expected 1 or -1")

    def between(self) -> Function:
        """Return the turn of the pointer."""
        return Function(TURN, self.first, self.second, axis_1=Z, axis_2=self.pointer, side_1=X)


class Travel(BetweenFrames):
    """Position of the second origin along z of the first frame; m."""

    def between(self) -> Function:
        """Return an offset."""
        return Function(OFFSET, self.first, self.second, axis_1=Z)


class Length(BetweenFrames):
    """Distance of the origins of two frames; m."""

    def between(self) -> Function:
        """Return a distance; where they meet, along x of the first."""
        return Function(DISTANCE, self.first, self.second, axis_1=X)


def as_measure(label: str, key: str, given: Any) -> Measure:
    """Convert to a measure: a measure, the name of a joint, or (name, index)."""
    if isinstance(given, Measure):
        return given
    if isinstance(given, str):
        return JointCoordinate(given)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
        return JointCoordinate(*given)
    raise ArgumentTypeError(
        f"{label}: {key} is {shown(given)}, expected the name of a joint, (name, index), JointCoordinate, Angle, Travel or "
        "Length"
    )
