"""Base of constraints on one measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.frames import check_name, named
from pluecker.contact.constraints.measures import JointCoordinate, Measure, as_measure
from pluecker.contact.constraints.pair import Constraint
from pluecker.contact.constraints.relation import Function
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import shown

__all__ = ["OnMeasure"]


@dataclass(frozen=True)
class OnMeasure(Constraint):
    """A constraint on a coordinate of a joint, an angle, a way or a length."""

    name: str
    of: Any

    def __post_init__(self) -> None:
        check_name(type(self).__name__, self.name)
        object.__setattr__(self, "of", as_measure(self.label, "of", self.of))

    @property
    def label(self) -> str:
        """Name of the constraint in messages."""
        return named(type(self).__name__, self.name)

    @property
    def measure(self) -> Measure:
        """Measure that it acts on."""
        measure: Measure = self.of
        return measure

    def function(self, model: Model, position: bool) -> Function:
        """Return the function of its measure; one with a position, where that is needed."""
        function = self.measure.function(self.label, model)
        if position and not self.measure.has_position(model):
            raise ConstraintError(
                f"{self.label}: {shown(self.measure)} is a velocity alone, which has no position: no entry of q is it"
            )
        return function

    def allowed(self, model: Model, key: str) -> float:
        """Return a limit of the model's for the joint that it is on; infinite for what is no joint."""
        if not isinstance(self.measure, JointCoordinate):
            return float("inf")
        joint = self.measure.record(self.label, model)
        return float(getattr(model, key)[joint.v_start + self.measure.index])
