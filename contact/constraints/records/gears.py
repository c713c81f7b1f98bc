"""One row between two frames: gears, belts, racks and differentials, and the force between teeth.

Wheels turn about z of their frames. Along a row acts one force or moment r, which has the power ``r dphi/dt``.

**Gears** in mesh, on parallel axes, have their centres at the origins of their frames. As the line of centres turns by psi,
gear 1 by theta_1 and gear 2 by theta_2, the pitch circles roll on each other::

    phi = r_1 (theta_1 - psi) + r_2 (theta_2 - psi) + tan(alpha) (|s| - r_1 - r_2)

``psi - theta_1`` is the direction in which gear 1 sees the centre of gear 2, from its x axis: a SIGHT; so phi needs no
carrier and no bearing, and is the same on one that moves, as in planetary gears. Its gradient is the tooth force: r along
phi is the moment r_1 r about the centre of gear 1 and r_2 r about that of gear 2, and opposite forces at the centres, r
across the line of centres and ``r tan(alpha)`` along it. Together that is one force ``r / cos(alpha)`` at the pitch point,
inclined by the pressure angle alpha; bearings have it to carry. It pushes the gears apart where ``r > 0``. Where r is
negative the other flanks carry, and alpha is to be given with a minus sign.

An **internal** gear, a ring (the second), has ``r_2 > r_1``, and turns in the same sense; the tooth force pushes the first
gear from the rim::

    phi = r_1 (theta_1 - psi) - r_2 (theta_2 - psi) - tan(alpha) (|s| - r_2 + r_1)

A **belt** over two pulleys has ``phi = r_1 (theta_1 - psi) - r_2 (theta_2 - psi)`` if it is open, and that of gears if it is
crossed; its force is the difference of the tensions of its two sides.

A **pinion** (second) on a **rack** (first, along x of its frame, teeth towards y) rolls, and its tooth force is inclined as
that of gears::

    phi = x . s + r theta + tan(alpha) (y . s - r)

A **differential** has shafts that turn oppositely as the cage sees them, ``phi = theta_1 + theta_2``, both about z of the
cage: the mean of the shafts' speeds is the cage's, and their moments are equal.

All of these angles are counted over turns from the first step of a motion on, where each is in (-pi, pi];
:class:`~pluecker.contact.world.memory.WorldMemory` keeps the count. At an instant, and in a first step without a memory,
nobody knows how often a wheel has turned: a state in which one of these angles is farther away seems to have an error of
whole turns, and is moved. So motions begin near the configuration in which the wheels were placed, or with a memory; between
joints of a tree, whose coordinates count their turns, a Coupling of these has no such end.

Bevel and worm gears, and anything else between angles, are a
:class:`~pluecker.contact.constraints.records.coupling.Coupling` of angles against the carrier.

Sources: Shigley, Uicker, *Theory of machines and mechanisms* (1995), chapters on spur gears, and on trains with moving axes;
Project Chrono's gear link has the same tooth force.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.model.description import unit, vector
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_model
from pluecker.contact.constraints.base import TwoFrames, X, Y, Z, offsets
from pluecker.contact.constraints.checks import plain_number, positive, set_flag, set_spring
from pluecker.contact.constraints.frames import across, as_frame, check_apart, frame_at, named
from pluecker.contact.constraints.measures import Angle
from pluecker.contact.constraints.relation import DISTANCE, SIGHT, Function, Parts, Row
from pluecker.contact.errors import ConstraintError

__all__ = ["Belt", "Differential", "Gear", "OneRow", "RackAndPinion", "ToothForce"]


class ToothForce(NamedTuple):
    """Force between teeth: along the pitch circle, between the centres, and both together; N."""

    tangential: float
    radial: float
    normal: float


class WithTeeth:
    """Constraint with teeth, which are inclined by its pressure angle."""

    label: str
    pressure_angle: float

    def set_pressure_angle(self) -> None:
        """Check the pressure angle: less than a quarter of a turn, with either sign."""
        angle = plain_number(self.label, "pressure_angle", self.pressure_angle)
        if not abs(angle) <= 1.4:
            raise ConstraintError(f"{self.label}: pressure_angle is {angle:g}, expected one from -1.4 to 1.4 rad")
        object.__setattr__(self, "pressure_angle", angle)

    def tooth_force(self, force: float) -> ToothForce:
        """Compute the force of the teeth from the one along the row; N."""
        r, alpha = float(force), self.pressure_angle
        return ToothForce(r, r * math.tan(alpha), r / math.cos(alpha))


@dataclass(frozen=True)
class OneRow(TwoFrames):
    """Base of constraints between two frames with one row, with a spring and a damper if it is not hard."""

    stiffness: float = field(default=np.inf, kw_only=True)
    damping: float = field(default=0.0, kw_only=True)
    offset: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        set_spring(self, self.label)
        object.__setattr__(self, "offset", plain_number(self.label, "offset", self.offset))

    def coefficients(self) -> tuple[float, ...]:
        """Return the coefficient of each function."""
        raise NotImplementedError

    def constant(self) -> float:
        """Return the constant that is subtracted from the sum beside the offset."""
        return 0.0

    def parts(self, model: Model) -> Parts:
        """Return the functions and the row."""
        self.check(model)
        terms = tuple(enumerate(self.coefficients()))
        offset = self.offset + self.constant()
        return Parts(self.functions(), (Row(terms, offset=offset, stiffness=self.stiffness, damping=self.damping),))


# ---------------------------------------------------------------- gears and belts: spur gears and pulleys that turn together


Own = TypeVar("Own", bound="Circles")


@dataclass(frozen=True)
class Circles(OneRow):
    """Base of gears and belts: two circles that turn about z of their frames, and see each other's centres."""

    first_radius: float = field(kw_only=True)
    second_radius: float = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("first_radius", "second_radius"):
            object.__setattr__(self, key, positive(self.label, key, getattr(self, key)))

    @classmethod
    def at(
        cls: type[Own],
        name: str,
        model: Model,
        q: ArrayLike,
        first: str,
        second: str,
        first_center: ArrayLike,
        second_center: ArrayLike,
        axis: ArrayLike = Z,
        **options: Any,
    ) -> Own:
        """Make the constraint in mesh in a configuration: the x axes of both frames then point to each other's centres.

        Args:
            name: of the constraint.
            model: the mechanism.
            q: the configuration, ``(nq,)``.
            first, second: bodies or frames by name, or ``"world"``.
            first_center, second_center: in the world, ``(3,)``; m.
            axis: the direction of both axes in the world.
            options: radii, and other attributes.

        Raises:
            KeyError: there is no body or frame of that name.
            ValueError: a shape that does not fit, numbers that are not finite; both on one body or on the world; centres
                that meet, or lie along the axis.
            TypeError: what is no array of real numbers, no model, no name.
        """
        label, model = named(cls.__name__, name), as_model(f"{cls.__name__}.at", model)
        x1, x2 = vector(label, "first_center", first_center), vector(label, "second_center", second_center)
        z = unit(label, "axis", axis)
        if not np.linalg.norm(x2 - x1) > 0.0:
            raise ConstraintError(f"{label}: both centres are at {x1.tolist()}, expected two places")
        side = across(label, "the line of centres", z, x2 - x1)
        result = cls(
            name,
            frame_at(label, model, q, first, x1, z, side),
            frame_at(label, model, q, second, x2, z, -side),
            **options,
        )
        result.check(model)
        return result

    def functions(self) -> tuple[Function, ...]:
        """Return in which direction each sees the other's centre, and how far these are."""
        return (
            Function(SIGHT, self.first, self.second, axis_1=Z, side_1=X),
            Function(SIGHT, self.second, self.first, axis_1=Z, side_1=X),
            Function(DISTANCE, self.first, self.second, axis_1=X),
        )


@dataclass(frozen=True)
class Gear(WithTeeth, Circles):
    """Two spur gears in mesh, each turning about z of its frame, whose origin is its centre.

    Attributes:
        name, first, second: see :class:`Pair`; the second is the ring of an internal gear.
        first_radius, second_radius: of the pitch circles; m.
        internal: whether the first runs inside the second.
        pressure_angle: alpha; rad, with the sign of the force along the row, see above.
        stiffness, damping: of teeth that give, along the pitch circle; N/m and N s/m.
        offset: along the pitch circle, of phi where both x axes point to each other's centres; m.

    Raises:
        TypeError, ValueError: what is no name, no frame, no number that can be.
    """

    internal: bool = field(default=False, kw_only=True)
    pressure_angle: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.set_pressure_angle()
        set_flag(self, self.label, "internal")
        if self.internal and not self.first_radius < self.second_radius:
            raise ConstraintError(
                f"{self.label}: first_radius is {self.first_radius:g} and second_radius {self.second_radius:g}, expected a "
                "smaller gear inside the second"
            )

    def coefficients(self) -> tuple[float, ...]:
        """Return the coefficients; theta_1 - psi is the direction that gear 1 sees, backwards."""
        r1, r2, t = self.first_radius, self.second_radius, math.tan(self.pressure_angle)
        return (-r1, r2, -t) if self.internal else (-r1, -r2, t)

    def constant(self) -> float:
        """Return the constant of the distance of the centres, as it should be."""
        r1, r2, t = self.first_radius, self.second_radius, math.tan(self.pressure_angle)
        return -t * (r2 - r1) if self.internal else t * (r1 + r2)


@dataclass(frozen=True)
class Belt(Circles):
    """A belt without slip over two pulleys, each turning about z of its frame, whose origin is its centre.

    Attributes:
        name, first, second: see :class:`Pair`.
        first_radius, second_radius: of the pulleys; m.
        crossed: whether the pulleys turn in opposite senses.
        stiffness, damping: of a belt that gives, along it; N/m and N s/m.
        offset: along the belt; m.

    Raises:
        TypeError, ValueError: what is no name, no frame, no number that can be.
    """

    crossed: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        set_flag(self, self.label, "crossed")

    def functions(self) -> tuple[Function, ...]:
        """Return in which direction each sees the other's centre."""
        return super().functions()[:2]

    def coefficients(self) -> tuple[float, ...]:
        """Return the coefficients; theta_1 - psi is the direction that pulley 1 sees, backwards."""
        return -self.first_radius, -self.second_radius if self.crossed else self.second_radius


# ----------------------------------------------------------------------------------------------------------- rack and pinion


@dataclass(frozen=True)
class RackAndPinion(WithTeeth, OneRow):
    """A pinion, which turns about z of the second frame, on a rack along x of the first, with teeth towards y.

    Attributes:
        name, first, second: see :class:`Pair`; the first frame is on the rack's pitch line, its z parallel to the pinion's.
        radius: of the pinion's pitch circle; m.
        pressure_angle: rad, with the sign of the force along the row: positive where the rack pushes the pinion along x.
        stiffness, damping: of teeth that give; N/m and N s/m.
        offset: along the rack; m.

    Raises:
        TypeError, ValueError: what is no name, no frame, no number that can be.
    """

    radius: float = field(kw_only=True)
    pressure_angle: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", positive(self.label, "radius", self.radius))
        self.set_pressure_angle()

    @classmethod
    def at(
        cls,
        name: str,
        model: Model,
        q: ArrayLike,
        rack: str,
        pinion: str,
        center: ArrayLike,
        axis: ArrayLike = Z,
        *,
        along: ArrayLike = X,
        radius: float,
        **options: Any,
    ) -> RackAndPinion:
        """Make the constraint in mesh in a configuration: the rack's frame is at the pitch point below the pinion's centre.

        Args:
            name: of the constraint.
            model: the mechanism.
            q: the configuration, ``(nq,)``.
            rack, pinion: bodies or frames by name, or ``"world"``.
            center: of the pinion, in the world, ``(3,)``; m.
            axis: of the pinion, in the world.
            along: the rack's direction in the world; its teeth point to ``axis x along``.
            radius: of the pinion; m.
            options: other attributes.

        Raises:
            KeyError: there is no body or frame of that name.
            ValueError: a shape that does not fit, numbers that are not finite; both on one body or on the world.
            TypeError: what is no array of real numbers, no model, no name.
        """
        label, model = named(cls.__name__, name), as_model(f"{cls.__name__}.at", model)
        x, z, r = vector(label, "center", center), unit(label, "axis", axis), positive(label, "radius", radius)
        side = across(label, "along", z, along)
        pitch_point = x - r * np.cross(z, side)
        frames = frame_at(label, model, q, rack, pitch_point, z, side), frame_at(label, model, q, pinion, x, z, side)
        result = cls(name, *frames, radius=r, **options)
        result.check(model)
        return result

    def functions(self) -> tuple[Function, ...]:
        """Return the way of the centre along the rack, the turn, and the way of the centre from the rack."""
        pair = self.first, self.second
        return *offsets(*pair, (X,)), Angle(*pair).between(), *offsets(*pair, (Y,))

    def coefficients(self) -> tuple[float, ...]:
        """Return the coefficients: rolling along x turns the pinion backwards."""
        return 1.0, self.radius, math.tan(self.pressure_angle)

    def constant(self) -> float:
        """Return the constant of the distance of the centre, as it should be."""
        return math.tan(self.pressure_angle) * self.radius


# --------------------------------------------------------- a differential: shafts that turn oppositely as the cage sees them


@dataclass(frozen=True)
class Differential(OneRow):
    """Two shafts that turn oppositely about z of a cage's frame, as the cage sees them; their z axes are parallel to it.

    Attributes:
        name, first, second: the shafts' frames, see :class:`Pair`.
        cage: the frame of the cage (the ring gear's body).
        stiffness, damping: between the shafts; N m/rad and N m s/rad.
        offset: of the sum of both turns; rad.

    Raises:
        TypeError, ValueError: what is no name, no frame, no number that can be.
    """

    cage: Any = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "cage", as_frame(self.label, "cage", self.cage))

    def check(self, model: Model) -> None:
        """Check that all three frames are on bodies of their own."""
        check_apart(self.label, model, first=self.first, second=self.second, cage=self.cage)

    @classmethod
    def at(
        cls,
        name: str,
        model: Model,
        q: ArrayLike,
        first: str,
        second: str,
        cage: str,
        point: ArrayLike,
        axis: ArrayLike = Z,
        **options: Any,
    ) -> Differential:
        """Make a differential with both turns zero in a configuration; a point of the axis and its direction are in the
        world.
        """
        label, model = named(cls.__name__, name), as_model(f"{cls.__name__}.at", model)
        x, z = vector(label, "point", point), unit(label, "axis", axis)
        side = across(label, "side", z, None)
        frames = [frame_at(label, model, q, body, x, z, side) for body in (first, second, cage)]
        result = cls(name, *frames[:2], cage=frames[2], **options)
        result.check(model)
        return result

    def functions(self) -> tuple[Function, ...]:
        """Return both turns."""
        return Angle(self.cage, self.first).between(), Angle(self.cage, self.second).between()

    def coefficients(self) -> tuple[float, ...]:
        """Return the coefficients: one shaft turns as far forwards as the other backwards."""
        return 1.0, 1.0
