"""Universal joint and wheel: two axes that meet, on two bodies, at an angle that stays.

**Universal** (Cardan's): the cross turns about x of the first frame and about y of the second, which stay perpendicular,

    s = 0,    x . y' = 0

Both shafts are z: with coincident frames the joint is straight. The velocity ratio of shafts that include the angle b, with
the turn a of the first fork from the plane of the shafts, is ``cos b / (1 - sin^2 b cos^2 a)``. Where the shafts are
perpendicular and the fork lies in their plane, the joint locks.

**Hinge2** (a wheel's): the wheel turns about z of the second frame, which is steered about z of the first, at a constant
angle ``alpha`` to it:

    s = 0,    phi = - (z . z' - cos alpha) / sin alpha

Near where it holds phi is the angle between both axes, less alpha; its rate is ``u . (w' - w)`` with the unit vector
``u = (z x z') / sin alpha``, along which no turn is left. (Source document 000 has it without the division, so that its
row is no rate of the angle.) A suspension lets the wheel move along the steering axis, on a spring and a damper.

Source: source document 000 (docs/sources.md), types of joints; R. Smith, *Open Dynamics Engine*, manual, "Hinge-2"; for the
velocity ratio Shigley, Uicker, *Theory of machines and mechanisms* (1995).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from pluecker.articulated.model.description import unit, vector
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_model
from pluecker.contact.constraints.checks import plain_number
from pluecker.contact.constraints.frames import across, frame_at, named
from pluecker.contact.constraints.measures import Angle
from pluecker.contact.constraints.pair import Pair, X, Y, Z, offsets, rows_of
from pluecker.contact.constraints.relation import ALIGN, Function, Parts, Row
from pluecker.contact.constraints.softness import Softness
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import ArgumentTypeError

__all__ = ["Hinge2", "Universal"]

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
