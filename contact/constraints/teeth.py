"""One row between two frames, as gears, belts, racks and differentials have it, and the force between teeth.

Source: Shigley, Uicker, *Theory of machines and mechanisms* (1995).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.checks import plain_number, set_spring
from pluecker.contact.constraints.pair import TwoFrames
from pluecker.contact.constraints.relation import Parts, Row
from pluecker.contact.errors import ConstraintError

__all__ = ["OneRow", "ToothForce", "set_pressure_angle", "tooth_force"]


class ToothForce(NamedTuple):
    """Force between teeth: along the pitch circle, between the centres, and both together; N."""

    tangential: float
    radial: float
    normal: float


def tooth_force(tangential: float, pressure_angle: float) -> ToothForce:
    """Compute the force between teeth from its tangential part."""
    r = float(tangential)
    return ToothForce(r, r * math.tan(pressure_angle), r / math.cos(pressure_angle))


def set_pressure_angle(record: Any, label: str) -> None:
    """Check the pressure angle: less than a quarter of a turn, with either sign."""
    angle = plain_number(label, "pressure_angle", record.pressure_angle)
    if not abs(angle) <= 1.4:
        raise ConstraintError(f"{label}: pressure_angle is {angle:g}, expected one from -1.4 to 1.4 rad")
    object.__setattr__(record, "pressure_angle", angle)


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
