"""Elements that act on bodies: wrenches, springs and dampers between points, torsion springs, cables over via points.

Each is a record that checks itself; a frame's name is looked up when the element meets a model. An *attachment* is a
point of a frame, ``("hand", (0, 0, 0.1))``, or the name alone for the frame's origin; ``"world"`` is the world.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.model.description import finite_number, rotation_matrix, vector
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.functions.arguments import as_numbers

__all__ = ["ELEMENTS", "Cable", "Element", "PointSpring", "PointWrench", "TorsionSpring"]

Numbers = tuple[float, ...]
Attachment = Any  # a frame's name, or (name, point)
AXES = ("body", "aligned")
ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class PointWrench:
    """A constant wrench on a point of a frame. It stores no energy.

    Attributes:
        frame: the frame that it acts on, by name.
        wrench: ``[n; f]``, a moment in N m and a force in N.
        point: where the force acts, in the frame; m.
        axes: ``"body"``: the wrench turns with the frame, as a thruster's does; ``"aligned"``: it keeps its direction in
            world axes.
    """

    frame: str
    wrench: ArrayLike
    point: ArrayLike = ORIGIN
    axes: str = "aligned"

    def __post_init__(self) -> None:
        check_frame("PointWrench", "frame", self.frame)
        wrench = as_numbers("PointWrench", "wrench", self.wrench)
        if wrench.shape != (6,):
            raise ArgumentValueError(f"PointWrench: wrench has shape {wrench.shape}, expected (6,)")
        if not np.isfinite(wrench).all():
            raise ArgumentValueError(f"PointWrench: wrench is {wrench.tolist()}, expected six finite numbers")
        if not isinstance(self.axes, str):
            raise ArgumentTypeError(f"PointWrench: axes is a {type(self.axes).__name__}, expected 'body' or 'aligned'")
        if self.axes not in AXES:
            raise ArgumentValueError(f"PointWrench: axes is {shown(self.axes)}, expected 'body' or 'aligned'")
        keep(self, wrench=numbers(wrench), point=numbers(vector("PointWrench", "point", self.point)))


@dataclass(frozen=True)
class PointSpring:
    """A spring and a damper between two points: they pull with ``stiffness (l - rest_length) + damping dl/dt``.

    Where the points meet, the line between them has no direction: there only a spring of no rest length without damping has
    a force, which is zero.

    Attributes:
        first, second: its two ends, each a frame's name or ``(frame, point)``.
        stiffness: N/m.
        rest_length: length without force; m.
        damping: along the line; N s/m.
    """

    first: Attachment
    second: Attachment
    stiffness: float
    rest_length: float = 0.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        keep(
            self,
            first=attachment("PointSpring", "first", self.first),
            second=attachment("PointSpring", "second", self.second),
            **{
                key: not_negative("PointSpring", key, getattr(self, key))
                for key in ("stiffness", "rest_length", "damping")
            },
        )


@dataclass(frozen=True)
class TorsionSpring:
    """A spring and a damper that turn two frames towards each other, about whatever axis they are turned by.

    The torque on ``second``, and its opposite on ``first``, is ``- stiffness a - damping w`` with the rotation vector a
    (axis times angle, up to half a turn) of ``second`` from where it is at rest, and the angular velocity w relative to
    ``first``.

    Attributes:
        first, second: frames by name.
        stiffness: N m/rad.
        damping: N m s/rad.
        rest_rotation: the axes of ``second`` in ``first`` at rest: ``(3, 3)`` as columns, or a quaternion ``[w, x, y, z]``;
            none turned if None.
    """

    first: str
    second: str
    stiffness: float
    damping: float = 0.0
    rest_rotation: ArrayLike | None = None

    def __post_init__(self) -> None:
        for key in ("first", "second"):
            check_frame("TorsionSpring", key, getattr(self, key))
        keep(
            self,
            rest_rotation=tuple(map(numbers, rotation_matrix("TorsionSpring: rest_rotation", self.rest_rotation))),
            **{key: not_negative("TorsionSpring", key, getattr(self, key)) for key in ("stiffness", "damping")},
        )


@dataclass(frozen=True)
class Cable:
    """A cable over points of bodies, on which it slides without friction; it pulls and never pushes.

    With its length l over all points, the tension is ``stiffness (l - rest_length) + damping dl/dt`` where it is longer
    than at rest and this is not negative, else zero.

    Attributes:
        via: the attachments in order, at least two: each a frame's name or ``(frame, point)``.
        stiffness: N/m.
        rest_length: the length that it has without tension; m.
        damping: N s/m.
    """

    via: Iterable[Attachment]
    stiffness: float
    rest_length: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.via, str) or not isinstance(self.via, Iterable) or getattr(self.via, "shape", None) == ():
            raise ArgumentTypeError(f"Cable: via is {shown(self.via)}, expected points of frames")
        via = tuple(attachment("Cable", f"via[{k}]", point) for k, point in enumerate(self.via))
        if len(via) < 2:
            raise ArgumentValueError(f"Cable: via has {len(via)} points, expected at least two")
        for k in range(len(via) - 1):
            if via[k] == via[k + 1]:
                raise ArgumentValueError(
                    f"Cable: via[{k}] and via[{k + 1}] are the same point: no length is between them"
                )
        values = {
            key: not_negative("Cable", key, getattr(self, key)) for key in ("stiffness", "rest_length", "damping")
        }
        if values["rest_length"] == 0.0:
            raise ArgumentValueError("Cable: rest_length is 0, expected a positive length")
        keep(self, via=via, **values)


Element = PointWrench | PointSpring | TorsionSpring | Cable
ELEMENTS = (PointWrench, PointSpring, TorsionSpring, Cable)


# --------------------------------------------------------------------------------------------------- reading what is given


def keep(element: Any, **values: Any) -> None:
    """Replace fields of a frozen element by plain numbers, which compare and hash."""
    for key, value in values.items():
        object.__setattr__(element, key, value)


def numbers(array: Any) -> Numbers:
    """Return plain floats; no negative zeros, which would make equal elements differ."""
    return tuple(float(x) + 0.0 for x in array)


def check_frame(element: str, key: str, name: Any) -> None:
    """Refuse what is no name of a frame, which is a string."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"{element}: {key} is {shown(name)}, expected the name of a frame")


def attachment(element: str, key: str, given: Any) -> tuple[str, Numbers]:
    """Return a frame's name and a point, which is the origin of the frame if only the name is given."""
    if isinstance(given, str):
        return given, ORIGIN
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not isinstance(given[0], str):
        raise ArgumentTypeError(f"{element}: {key} is {shown(given)}, expected the name of a frame, or (frame, point)")
    return given[0], numbers(vector(element, f"the point of {key}", given[1]))


def not_negative(element: str, key: str, value: Any) -> float:
    """A finite number that is not negative."""
    result = finite_number(element, key, value)
    if result < 0.0:
        raise ArgumentValueError(f"{element}: {key} is {result:g}, expected no negative number")
    return result + 0.0
