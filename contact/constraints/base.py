"""Bases of constraints: between two frames, with their checks and `at`, and on one measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_model
from pluecker.contact.constraints.frames import as_frame, check_apart, check_name, meeting_frames, named
from pluecker.contact.constraints.measures import JointCoordinate, Measure, as_measure
from pluecker.contact.constraints.relation import ALIGN, ANGLES, OFFSET, Frame, Function, Parts, Row
from pluecker.contact.constraints.softness import Softness
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import ArgumentTypeError, shown

__all__ = ["Constraint", "OnMeasure", "Pair", "TwoFrames", "X", "Y", "Z", "offsets", "rows_of", "tilts", "turned"]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
IN_RADIANS = (ALIGN, *ANGLES)
RIGID = Softness()
Own = TypeVar("Own", bound="Pair")


def offsets(first: Frame, second: Frame, axes: Sequence[tuple[float, float, float]]) -> tuple[Function, ...]:
    """Return how far the second origin is from the first, along axes of the first frame."""
    return tuple(Function(OFFSET, first, second, axis_1=axis) for axis in axes)


def tilts(first: Frame, second: Frame) -> tuple[Function, ...]:
    """Return z of the second frame along x and y of the first: turns of the second about y, and backwards about x."""
    return tuple(Function(ALIGN, first, second, axis_1=axis, axis_2=Z) for axis in (X, Y))


def turned(first: Frame, second: Frame) -> Function:
    """Return the x axis of the second frame along y of the first: its turn about z, where that is small."""
    return Function(ALIGN, first, second, axis_1=Y, axis_2=X)


def rows_of(functions: Sequence[Function], softness: Softness) -> tuple[Row, ...]:
    """Return rows that hold each function at zero, or springs and dampers that do."""
    rows = []
    for k, function in enumerate(functions):
        stiffness, damping = softness.stiffness, softness.damping
        if function.kind in IN_RADIANS:
            stiffness, damping = softness.turning_stiffness, softness.turning_damping
        rows.append(Row(((k, 1.0),), stiffness=stiffness, damping=damping))
    return tuple(rows)


class Constraint:
    """Base of all constraints: a name, and parts in a model, which a world needs."""

    name: str

    def parts(self, model: Model) -> Parts:
        """Return functions and rows."""
        raise NotImplementedError


@dataclass(frozen=True)
class TwoFrames(Constraint):
    """Constraint between two frames, each a :class:`Frame`, a name, or ``(name, position, rotation)``."""

    name: str
    first: Any
    second: Any

    def __post_init__(self) -> None:
        check_name(type(self).__name__, self.name)
        for key in ("first", "second"):
            object.__setattr__(self, key, as_frame(self.label, key, getattr(self, key)))

    @property
    def label(self) -> str:
        """Name of the constraint in messages."""
        return named(type(self).__name__, self.name)

    def check(self, model: Model) -> None:
        """Check that both frames are known, and on two bodies."""
        check_apart(self.label, model, first=self.first, second=self.second)

    def functions(self) -> tuple[Function, ...]:
        """Return the functions of where the frames are."""
        raise NotImplementedError


@dataclass(frozen=True)
class Pair(TwoFrames):
    """A joint between two frames.

    Attributes:
        name: by which the world knows it.
        first, second: the frames.
        softness: springs and dampers in place of what holds; hard by default.

    Raises:
        TypeError, ValueError: what is no name, no frame, no softness.
    """

    softness: Softness = field(default=RIGID, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.softness, Softness):
            raise ArgumentTypeError(f"{self.label}: softness is a {type(self.softness).__name__}, expected a Softness")

    @classmethod
    def at(
        cls: type[Own],
        name: str,
        model: Model,
        q: ArrayLike,
        first: str,
        second: str,
        point: ArrayLike,
        axis: ArrayLike = Z,
        *,
        side: ArrayLike | None = None,
        **options: Any,
    ) -> Own:
        """Make the joint between two bodies that is closed in a configuration: both frames are placed where they meet.

        Args:
            name: of the constraint.
            model: the mechanism.
            q: the configuration in which the joint is closed, ``(nq,)``.
            first, second: bodies or frames by name, or ``"world"``.
            point: where both frames have their origin, in the world, ``(3,)``; m.
            axis: the direction of their z axes, in the world, of any length but zero.
            side: the direction of their x axes, of which the part across the axis counts; any if None.
            options: other attributes of the constraint.

        Raises:
            KeyError: there is no body or frame of that name.
            ValueError: a shape that does not fit, numbers that are not finite, an axis of no length, a side along it; both
                frames on one body or on the world.
            TypeError: what is no array of real numbers, no model, no name.
        """
        label = named(cls.__name__, name)
        frames = meeting_frames(label, as_model(f"{cls.__name__}.at", model), q, first, second, point, axis, side)
        result = cls(name, *frames, **options)
        result.check(model)
        return result

    def parts(self, model: Model) -> Parts:
        """Return its functions, and a row for each."""
        self.check(model)
        functions = self.functions()
        return Parts(functions, rows_of(functions, self.softness))


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
