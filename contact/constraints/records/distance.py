"""Points at a distance: a rod, a spring, a rope, and whatever is in between.

The function and its rate::

    phi = |s| - length,    s = x_2 - x_1,    dphi/dt = (s / |s|) . (v_2 - v_1)

A rod keeps phi = 0, or is a spring and a damper with this length at rest; a rope keeps ``phi <= 0`` and is slack where that
does not touch: its force is never a push. Where both points meet the line has no direction; a spring then pushes the second
along x of the first frame, and once they are apart along the line between them. A rod without length has none at all: it is
a :class:`~pluecker.contact.constraints.records.joints.Ball`.

Source: Haug, *Computer-aided kinematics and dynamics of mechanical systems* (1989), section 9.4.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.model.description import vector
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_model
from pluecker.contact.constraints.base import TwoFrames, X, Z
from pluecker.contact.constraints.checks import not_negative, positive, set_spring, share
from pluecker.contact.constraints.frames import frame_at, named
from pluecker.contact.constraints.measures import Length
from pluecker.contact.constraints.relation import DISTANCE, Function, Parts, Row
from pluecker.contact.errors import ConstraintError

__all__ = ["Rod", "Rope"]

Own = TypeVar("Own", bound="Points")


@dataclass(frozen=True)
class Points(TwoFrames):
    """Base of constraints on the distance of the origins of two frames."""

    length: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "length", self.checked_length())

    def checked_length(self) -> float:
        """Check the length, which a rod has."""
        return positive(self.label, "length", self.length)

    @classmethod
    def at(
        cls: type[Own],
        name: str,
        model: Model,
        q: ArrayLike,
        first: str,
        second: str,
        first_point: ArrayLike,
        second_point: ArrayLike,
        length: float | None = None,
        **options: Any,
    ) -> Own:
        """Make the constraint between two points of the world that move with two bodies, in a configuration.

        Args:
            name: of the constraint.
            model: the mechanism.
            q: the configuration, ``(nq,)``.
            first, second: bodies or frames by name, or ``"world"``.
            first_point, second_point: in the world, ``(3,)``; m.
            length: how far they are from each other if None; m.
            options: other attributes of the constraint.

        Raises:
            KeyError: there is no body or frame of that name.
            ValueError: a shape that does not fit, numbers that are not finite; both on one body or on the world.
            TypeError: what is no array of real numbers, no model, no name.
        """
        label, model = named(cls.__name__, name), as_model(f"{cls.__name__}.at", model)
        x1, x2 = vector(label, "first_point", first_point), vector(label, "second_point", second_point)
        axes = np.array(Z), np.array(X)
        frame_1, frame_2 = frame_at(label, model, q, first, x1, *axes), frame_at(label, model, q, second, x2, *axes)
        result = cls(name, frame_1, frame_2, float(np.linalg.norm(x2 - x1)) if length is None else length, **options)
        result.check(model)
        return result

    @property
    def distance(self) -> Length:
        """Distance between the points, as a measure; m."""
        return Length(self.first, self.second)

    def functions(self) -> tuple[Function, ...]:
        """Return the distance."""
        return (Function(DISTANCE, self.first, self.second, axis_1=X),)


@dataclass(frozen=True)
class Rod(Points):
    """A rod between two points, or a spring and a damper.

    Attributes:
        name, first, second: see :class:`Pair`; the points are the origins of the frames.
        length: m; of a spring that at rest, which may be zero.
        stiffness, damping: N/m and N s/m; infinite stiffness for a rod.

    Raises:
        TypeError, ValueError: what is no name, no frame, no number that can be.

    Example:
        >>> from pluecker.contact.constraints import Rod
        >>> spring = Rod("spring", "world", "ball", 0.2, stiffness=200.0, damping=20.0)
    """

    stiffness: float = field(default=np.inf, kw_only=True)
    damping: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        set_spring(self, self.label)
        super().__post_init__()

    def checked_length(self) -> float:
        """Check the length, of which a spring may have none."""
        length = not_negative(self.label, "length", self.length)
        if length == 0.0 and np.isinf(self.stiffness):
            raise ConstraintError(f"{self.label}: length is 0, expected a positive one; points that meet are a Ball")
        return length

    def parts(self, model: Model) -> Parts:
        """Return a distance that is held."""
        self.check(model)
        return Parts(
            self.functions(),
            (Row(((0, 1.0),), offset=self.length, stiffness=self.stiffness, damping=self.damping),),
        )


@dataclass(frozen=True)
class Rope(Points):
    """Two points that are no farther from each other than a rope is long; its force pulls, and never pushes.

    Attributes:
        name, first, second: see :class:`Pair`; the points are the origins of the frames.
        length: m.
        restitution: with which share of its speed it comes back as it becomes taut, 0 to 1.
        stiffness, damping: of a rope that gives; N/m and N s/m.

    Raises:
        TypeError, ValueError: what is no name, no frame, no number that can be.
    """

    restitution: float = field(default=0.0, kw_only=True)
    stiffness: float = field(default=np.inf, kw_only=True)
    damping: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        set_spring(self, self.label)
        object.__setattr__(self, "restitution", share(self.label, "restitution", self.restitution))

    def parts(self, model: Model) -> Parts:
        """Return a distance with an upper limit."""
        self.check(model)
        row = Row(
            ((0, 1.0),),
            upper=self.length,
            restitution=self.restitution,
            stiffness=self.stiffness,
            damping=self.damping,
            ranged=True,
        )
        return Parts(self.functions(), (row,))
