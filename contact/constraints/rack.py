"""Rack and pinion.

A pinion (second) on a rack (first, along x of its frame, teeth towards y) has
``phi = x . s + r theta + tan(alpha) (y . s - r)``: it rolls, and the tooth force is inclined by the pressure angle alpha, as
in :mod:`~pluecker.contact.constraints.gears`, which also says how angles are counted.

Source: Shigley, Uicker, *Theory of machines and mechanisms* (1995).
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
from pluecker.contact.constraints.checks import positive
from pluecker.contact.constraints.frames import across, frame_at, named
from pluecker.contact.constraints.measures import Angle
from pluecker.contact.constraints.pair import X, Y, Z, offsets
from pluecker.contact.constraints.relation import Function
from pluecker.contact.constraints.teeth import OneRow, ToothForce, set_pressure_angle, tooth_force

__all__ = ["RackAndPinion"]


@dataclass(frozen=True)
class RackAndPinion(OneRow):
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
        set_pressure_angle(self, self.label)

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

    def tooth_force(self, force: float) -> ToothForce:
        """Compute the force of the teeth from the one along the row; N."""
        return tooth_force(force, self.pressure_angle)
