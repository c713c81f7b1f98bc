"""Gears and belts: spur gears and pulleys that turn together.

Two **gears** in mesh, on parallel axes, have their centres at the origins of their frames and turn about z. As the line of
centres turns by psi, gear 1 by theta_1 and gear 2 by theta_2, the pitch circles roll on each other::

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

The angles of gears, belts, racks and differentials are counted over turns from the first step of a motion on, where each is
in (-pi, pi]; :class:`~pluecker.contact.world.memory.WorldMemory` keeps the count. At an instant, and in a first step without
a memory, nobody knows how often a wheel has turned: a state in which one of these angles is farther away seems to have an
error of whole turns, and is moved. So motions begin near the configuration in which the gears were placed, or with a
memory; between joints of a tree, whose coordinates count their turns, a Coupling of these has no such end.

Bevel and worm gears, and anything else between angles, are a :class:`~pluecker.contact.constraints.coupling.Coupling` of
angles against the carrier.

Sources: Shigley, Uicker, *Theory of machines and mechanisms* (1995), chapters on spur gears, and on trains with moving axes;
Project Chrono's gear link has the same tooth force.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.model.description import unit, vector
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_model
from pluecker.contact.constraints.checks import positive, set_flag
from pluecker.contact.constraints.frames import across, frame_at, named
from pluecker.contact.constraints.pair import X, Z
from pluecker.contact.constraints.relation import DISTANCE, SIGHT, Function
from pluecker.contact.constraints.teeth import OneRow, ToothForce, set_pressure_angle, tooth_force
from pluecker.contact.errors import ConstraintError

__all__ = ["Belt", "Gear"]

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
class Gear(Circles):
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
        set_pressure_angle(self, self.label)
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

    def tooth_force(self, force: float) -> ToothForce:
        """Compute the force of the teeth from the one along the row; N."""
        return tooth_force(force, self.pressure_angle)


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
