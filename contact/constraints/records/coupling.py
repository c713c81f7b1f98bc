"""Couplings: a sum of coordinates, angles, ways and lengths that stays.

    phi = c_1 phi_1 + c_2 phi_2 + ... - offset = 0,    so that c . v = 0

Its force r is ``c_k r`` along each of them. Gears of any kind are such a sum, of angles against the carrier: the ratio of
bevel gears with z_1 and z_2 teeth is ``{Angle(carrier_1, gear_1): z_1, Angle(carrier_2, gear_2): z_2}``, with axes that
point from the common apex into the gears. Where one of the coordinates is a velocity alone (of a ball's joint, of a free
body) the sum of rates is held, and no position: such a constraint is not holonomic.

Source: RBDA section 3.5, implicit constraints; Featherstone's ``c' v = 0`` of coupled joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.base import Constraint
from pluecker.contact.constraints.checks import plain_number, set_spring
from pluecker.contact.constraints.frames import check_name, named
from pluecker.contact.constraints.measures import Measure, as_measure
from pluecker.contact.constraints.relation import Parts, Row
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError, shown

__all__ = ["Coupling"]


@dataclass(frozen=True)
class Coupling(Constraint):
    """A weighted sum of measures that stays where it is.

    Attributes:
        name: of the constraint.
        terms: ``{measure: coefficient}``, or pairs of them; a joint's name, or ``(name, index)``, is its coordinate.
        offset: what the sum is; zero where it is one of velocities alone.
        stiffness, damping: of a soft one, in units of its force per unit of the sum.

    Raises:
        TypeError: what is no name, no measure, no number.
        ValueError: no terms, a coefficient of zero, the same measure twice, numbers that cannot be.

    Example:
        >>> from pluecker.contact.constraints import Coupling
        >>> mirror = Coupling("mirror", {"left": 1.0, "right": 1.0})
    """

    name: str
    terms: Any
    offset: float = 0.0
    stiffness: float = field(default=np.inf, kw_only=True)
    damping: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        check_name("Coupling", self.name)
        given = self.terms.items() if isinstance(self.terms, Mapping) else self.terms
        pairs: list[tuple[Measure, float]] = []
        try:
            for key, coefficient in given:
                measure = as_measure(self.label, "a term", key)
                c = plain_number(self.label, f"the coefficient of {shown(key)}", coefficient)
                if c == 0.0:
                    raise ConstraintError(
                        f"{self.label}: the coefficient of {shown(key)} is 0, expected another number"
                    )
                if any(measure == other for other, _ in pairs):
                    raise ConstraintError(f"{self.label}: {shown(key)} is there twice")
                pairs.append((measure, c))
        except (TypeError, ValueError) as error:
            if isinstance(error, PlueckerError):
                raise
            raise ArgumentTypeError(
                f"{self.label}: terms is {shown(self.terms)}, expected measures and coefficients"
            ) from None
        if not pairs:
            raise ConstraintError(f"{self.label}: terms is empty, expected measures and coefficients")
        object.__setattr__(self, "terms", tuple(pairs))
        object.__setattr__(self, "offset", plain_number(self.label, "offset", self.offset))
        set_spring(self, self.label)

    @property
    def label(self) -> str:
        """Name of the constraint in messages."""
        return named("Coupling", self.name)

    def parts(self, model: Model) -> Parts:
        """Return the functions of the terms, and the row of their sum."""
        holonomic = all(measure.has_position(model) for measure, _ in self.terms)
        if not holonomic and (self.offset != 0.0 or 0.0 < self.stiffness < np.inf):
            raise ConstraintError(f"{self.label}: one of its terms is a velocity alone: it has no offset and no spring")
        functions = tuple(measure.function(self.label, model) for measure, _ in self.terms)
        row = Row(
            tuple((k, c * measure.sign) for k, (measure, c) in enumerate(self.terms)),
            offset=self.offset,
            stiffness=self.stiffness,
            damping=self.damping,
            holonomic=holonomic,
        )
        return Parts(functions, (row,))
