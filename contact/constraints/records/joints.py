"""Joints between two frames: which rows hold, and which freedoms are left.

Of the second frame, seen from the first, with the displacement s of its origin and its axes x', y', z':

================  ======================================================  =====  ===========================================
joint             equations that hold                                     rows   freedoms that are left
================  ======================================================  =====  ===========================================
``Ball``          s = 0                                                   3      all turns
``Hinge``         s = 0; x . z' = y . z' = 0                              5      the turn about z
``Slider``        x . s = y . s = 0; x . z' = y . z' = y . x' = 0         5      the way along z
``Cylindrical``   x . s = y . s = 0; x . z' = y . z' = 0                  4      turn about z, and way along it
``Planar``        z . s = 0; x . z' = y . z' = 0                          3      ways in the plane x, y, and the turn about z
``Fixed``         s = 0; x . z' = y . z' = y . x' = 0                     6      nothing
``PointOnLine``   x . s = y . s = 0                                       2      the way along z, and all turns
``PointInPlane``  z . s = 0                                               1      ways in the plane x, y, and all turns
``Screw``         x . s = y . s = 0; x . z' = y . z' = 0;                 5      the turn about z, with the way along it
                  z . s - pitch theta = offset
``Universal``     s = 0; x . y' = 0                                       4      turns about x and y'
``Hinge2``        s = 0; z . z' = cos alpha                               4      turns about z and z'
================  ======================================================  =====  ===========================================

``d(x . s)/dt`` is the power of the force x on the second body at its origin, and of the opposite force on the first body *at
the same point*: no angular momentum is made. For the slider these are the rows of source document 000, where both bodies
turn alike. ``d(x . z')/dt = (z' x x) . (w' - w)``: where the axes agree, x . z', y . z' and y . x' are turns about y, -x and
z. The conditions hold with axes turned around, too; a joint stays on the side on which it begins.

A hinge that is to be limited, driven or counted: ``hinge.angle`` is its turn, ``slider.travel`` its way.

**Screw.** With the turn theta of x' about z from x, the force r along its row is an axial force r on the second body and the
moment ``-pitch r``: a screw without friction needs the moment ``pitch F`` to hold an axial load F. The pitch is in metres
per radian, as that of the model's helical joints; a lead l per turn is ``l / (2 pi)``.

**Universal** (Cardan's). The cross turns about x of the first frame and about y of the second, which stay perpendicular.
Both shafts are z: with coincident frames the joint is straight. The velocity ratio of shafts that include the angle b, with
the turn a of the first fork from the plane of the shafts, is ``cos b / (1 - sin^2 b cos^2 a)``. Where the shafts are
perpendicular and the fork lies in their plane, the joint locks.

**Hinge2** (a wheel's). The wheel turns about z of the second frame, which is steered about z of the first, at a constant
angle ``alpha`` to it. Its row is ``phi = - (z . z' - cos alpha) / sin alpha``: near where it holds that is the angle
between both axes, less alpha, and its rate is ``u . (w' - w)`` with the unit vector ``u = (z x z') / sin alpha``, along
which no turn is left. (Source document 000 has it without the division, so that its row is no rate of the angle.) A
suspension lets the wheel move along the steering axis, on a spring and a damper.

Sources: source document 000 (docs/sources.md), types of joints; Haug, *Computer-aided kinematics and dynamics of mechanical
systems* (1989), section 9.4; R. Smith, *Open Dynamics Engine*, manual, with "Hinge-2"; RBDA table 4.1 for the helical joint,
here as rows; for the velocity ratio Shigley, Uicker, *Theory of machines and mechanisms* (1995).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.model.description import unit, vector
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_model
from pluecker.contact.constraints.base import Pair, X, Y, Z, offsets, rows_of, tilts, turned
from pluecker.contact.constraints.checks import plain_number
from pluecker.contact.constraints.frames import across, frame_at, named
from pluecker.contact.constraints.measures import Angle, Travel
from pluecker.contact.constraints.relation import ALIGN, Function, Parts, Row
from pluecker.contact.constraints.softness import Softness
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import ArgumentTypeError

__all__ = [
    "Ball",
    "Cylindrical",
    "Fixed",
    "Hinge",
    "Hinge2",
    "Planar",
    "PointInPlane",
    "PointOnLine",
    "Screw",
    "Slider",
    "Universal",
]


class WithAngle(Pair):
    """Joint that turns about z."""

    @property
    def angle(self) -> Angle:
        """Turn of the second frame about z of the first; rad."""
        return Angle(self.first, self.second)


class WithTravel(Pair):
    """Joint that moves along z."""

    @property
    def travel(self) -> Travel:
        """Way of the second origin along z of the first frame; m."""
        return Travel(self.first, self.second)


@dataclass(frozen=True)
class Ball(Pair):
    """The origins of two frames meet; all turns are free."""

    def functions(self) -> tuple[Function, ...]:
        """Return three offsets."""
        return offsets(self.first, self.second, (X, Y, Z))


@dataclass(frozen=True)
class Hinge(WithAngle):
    """The origins of two frames meet and their z axes are parallel; the turn about these is free.

    Example:
        >>> from pluecker.articulated import ModelBuilder
        >>> from pluecker.contact.constraints import Hinge
        >>> bars = ModelBuilder()
        >>> for k in range(2):
        ...     bars.add_body(f"bar{k}", mass=1.0, inertia=(0.1, 0.1, 0.01))
        ...     bars.add_joint(f"pin{k}", "revolute", "world", f"bar{k}", axis=(0, 1, 0), position=(k, 0, 0))
        >>> hinge = Hinge.at("loop", bars.build(), [0.0, 0.0], "bar0", "bar1", point=(0.5, 0, 1), axis=(0, 1, 0))
        >>> hinge.first.position, hinge.second.position
        ((0.5, 0.0, 1.0), (-0.5, 0.0, 1.0))
    """

    def functions(self) -> tuple[Function, ...]:
        """Return three offsets and two tilts."""
        return *offsets(self.first, self.second, (X, Y, Z)), *tilts(self.first, self.second)


@dataclass(frozen=True)
class Slider(WithTravel):
    """The second frame moves along z of the first, and does not turn."""

    def functions(self) -> tuple[Function, ...]:
        """Return two offsets, two tilts and a turn."""
        pair = self.first, self.second
        return *offsets(*pair, (X, Y)), *tilts(*pair), turned(*pair)


@dataclass(frozen=True)
class Cylindrical(WithAngle, WithTravel):
    """The second frame moves along z of the first and turns about it."""

    def functions(self) -> tuple[Function, ...]:
        """Return two offsets and two tilts."""
        return *offsets(self.first, self.second, (X, Y)), *tilts(self.first, self.second)


@dataclass(frozen=True)
class Planar(WithAngle):
    """The second frame moves in the plane x, y of the first, and turns about z."""

    def functions(self) -> tuple[Function, ...]:
        """Return an offset and two tilts."""
        return *offsets(self.first, self.second, (Z,)), *tilts(self.first, self.second)


@dataclass(frozen=True)
class Fixed(Pair):
    """Both frames stay together."""

    def functions(self) -> tuple[Function, ...]:
        """Return three offsets, two tilts and a turn."""
        pair = self.first, self.second
        return *offsets(*pair, (X, Y, Z)), *tilts(*pair), turned(*pair)


@dataclass(frozen=True)
class PointOnLine(WithTravel):
    """The origin of the second frame is on the z axis of the first."""

    def functions(self) -> tuple[Function, ...]:
        """Return two offsets."""
        return offsets(self.first, self.second, (X, Y))


@dataclass(frozen=True)
class PointInPlane(Pair):
    """The origin of the second frame is in the plane x, y of the first."""

    def functions(self) -> tuple[Function, ...]:
        """Return an offset."""
        return offsets(self.first, self.second, (Z,))


# --------------------------------------------------- screw: the second frame moves along z of the first as it turns about it


@dataclass(frozen=True)
class Screw(WithAngle, WithTravel):
    """The second frame turns about z of the first and moves along it, ``pitch`` metres per radian.

    Attributes:
        pitch: m/rad; negative for a left-handed thread.
        offset: the way where it is not turned; m.
        name, first, second, softness: see :class:`Pair`; along the thread the stiffness in metres counts.
    """

    pitch: float = field(default=np.nan, kw_only=True)
    offset: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("pitch", "offset"):
            object.__setattr__(self, key, plain_number(self.label, key, getattr(self, key)))

    def functions(self) -> tuple[Function, ...]:
        """Return two offsets and two tilts; the way and the turn."""
        pair = self.first, self.second
        return *offsets(*pair, (X, Y)), *tilts(*pair), self.travel.between(), self.angle.between()

    def parts(self, model: Model) -> Parts:
        """Return four rows that hold, and the thread."""
        self.check(model)
        functions = self.functions()
        thread = Row(
            ((4, 1.0), (5, -self.pitch)),
            offset=self.offset,
            stiffness=self.softness.stiffness,
            damping=self.softness.damping,
        )
        return Parts(functions, (*rows_of(functions[:4], self.softness), thread))


# -------------------------------------- universal joint and wheel: two axes that meet, on two bodies, at an angle that stays


LEAST_SINE = 1e-3  # of the angle between both axes: as they come in line, there is nothing that the row could hold


@dataclass(frozen=True)
class Universal(Pair):
    """The origins meet, and x of the first frame stays perpendicular to y of the second: shafts along z, forks x and y."""

    def functions(self) -> tuple[Function, ...]:
        """Return three offsets, and the arms of the cross."""
        cross = Function(ALIGN, self.first, self.second, axis_1=X, axis_2=Y)
        return *offsets(self.first, self.second, (X, Y, Z)), cross


@dataclass(frozen=True)
class Hinge2(Pair):
    """A wheel: the origins meet, and z of the second frame, its axle, keeps its angle to z of the first, its steering axis.

    Attributes:
        angle: between both axes, rad; apart from 0 and pi.
        suspension: stiffness and damping along the steering axis, as a :class:`Softness`; None for none.
        name, first, second, softness: see :class:`Pair`.
    """

    angle: float = field(default=0.5 * math.pi, kw_only=True)
    suspension: Softness | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        angle = plain_number(self.label, "angle", self.angle)
        if not (0.0 < angle < math.pi and math.sin(angle) >= LEAST_SINE):
            raise ConstraintError(f"{self.label}: angle is {angle:g}, expected one between 0 and pi, apart from both")
        object.__setattr__(self, "angle", angle)
        if self.suspension is not None and not isinstance(self.suspension, Softness):
            raise ArgumentTypeError(
                f"{self.label}: suspension is a {type(self.suspension).__name__}, expected a Softness or None"
            )

    @classmethod
    def at(
        cls,
        name: str,
        model: Model,
        q: ArrayLike,
        first: str,
        second: str,
        point: ArrayLike,
        axis: ArrayLike = Z,
        *,
        axle: ArrayLike = Y,
        **options: Any,
    ) -> Hinge2:
        """Make the wheel that is mounted in a configuration: as :meth:`Pair.at`, with the direction of its axle, world."""
        label = named(cls.__name__, name)
        model = as_model(f"{cls.__name__}.at", model)
        x, z, a = vector(label, "point", point), unit(label, "axis", axis), unit(label, "axle", axle)
        side = across(label, "axle", z, a)
        back = across(label, "axis", a, z)
        frames = frame_at(label, model, q, first, x, z, side), frame_at(label, model, q, second, x, a, back)
        result = cls(name, *frames, angle=math.acos(max(-1.0, min(1.0, float(z @ a)))), **options)
        result.check(model)
        return result

    @property
    def steering(self) -> Angle:
        """Turn of the axle about the steering axis, z of the first frame, from its x axis; rad."""
        return Angle(self.first, self.second, pointer=Z)

    @property
    def rolling(self) -> Angle:
        """Turn of the wheel about its axle, z of the second frame, against the steering axis; rad."""
        return Angle(self.second, self.first, pointer=Z, sign=-1.0)

    def functions(self) -> tuple[Function, ...]:
        """Return three offsets, and both axes."""
        axes = Function(ALIGN, self.first, self.second, axis_1=Z, axis_2=Z)
        return *offsets(self.first, self.second, (X, Y, Z)), axes

    def parts(self, model: Model) -> Parts:
        """Return three offsets, the third on the suspension; and the angle between both axes."""
        self.check(model)
        functions = self.functions()
        rows = list(rows_of(functions, self.softness))
        if self.suspension is not None:
            rows[2] = Row(((2, 1.0),), stiffness=self.suspension.stiffness, damping=self.suspension.damping)
        s, turning = math.sin(self.angle), self.softness
        rows[3] = Row(
            ((3, -1.0 / s),),
            offset=-math.cos(self.angle) / s,
            stiffness=turning.turning_stiffness,
            damping=turning.turning_damping,
        )
        return Parts(functions, tuple(rows))
