"""A differential: shafts that turn oppositely as the cage sees them.

``phi = theta_1 + theta_2``, both about z of the cage: the mean of the shafts' speeds is the cage's, and their moments are
equal. How angles are counted, :mod:`~pluecker.contact.constraints.gears` says.

Source: Shigley, Uicker, *Theory of machines and mechanisms* (1995).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from pluecker.articulated.model.description import unit, vector
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_model
from pluecker.contact.constraints.frames import across, as_frame, check_apart, frame_at, named
from pluecker.contact.constraints.measures import Angle
from pluecker.contact.constraints.pair import Z
from pluecker.contact.constraints.relation import Function
from pluecker.contact.constraints.teeth import OneRow

__all__ = ["Differential"]


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
