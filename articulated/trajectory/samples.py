"""Samples of a motion over time, as data: parts, columns, batches, and what they have to be.

:class:`~pluecker.articulated.trajectory.trajectory.Trajectory` adds what can be made of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.model.model import Model, listing
from pluecker.articulated.running.arguments import FLOAT, as_model
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, EntryIndexError, shown
from pluecker.spatial.functions.elementwise import as_numbers

__all__ = ["COLUMNS", "PARTS", "MotionFailure", "Sample", "Samples", "TrajectoryError", "as_floats", "names_of"]

Array = NDArray[np.float64]
PARTS = ("q", "v", "a", "tau")
COLUMNS = ("time", *PARTS)
ROUNDING = 1e-12  # of a time, by which two ways to count steps may differ


class TrajectoryError(ArgumentValueError):
    """Error for data that is no trajectory, or not one of the model; the message names the file, the part, the sample."""


@by_value()
class Sample(NamedTuple):
    """One sample of a trajectory, or of all motions of a batch; what is not known is None."""

    time: float | None
    q: Array | None
    v: Array | None
    a: Array | None
    tau: Array | None


@by_value()
class MotionFailure(NamedTuple):
    """End of one motion of a batch whose others went on.

    Attributes:
        state: its number in the batch, one for each axis.
        time: of the step that could not be taken; its last sample is not after that; s.
        reason: why, in words.
    """

    state: tuple[int, ...]
    time: float
    reason: str


@by_value()
@dataclass(frozen=True, eq=False)
class Samples:
    """Samples over time, checked; the attributes are those of a trajectory.

    Attributes:
        kind: the class of what is made of them: samples that are chosen, one motion of a batch, a copy with other parts.
    """

    kind: ClassVar[type[Any]]

    time: Array | None = None
    q: Array | None = None
    v: Array | None = None
    a: Array | None = None
    tau: Array | None = None
    model: Model | None = field(default=None, kw_only=True)
    columns: Mapping[str, Array] = field(default_factory=dict, kw_only=True)
    overlays: tuple[Any, ...] = field(default=(), kw_only=True)
    failures: tuple[MotionFailure, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        if self.model is not None:
            object.__setattr__(self, "model", as_model("Trajectory", self.model))
        before: tuple[str, int] | None = None  # the first part, and how many samples it has
        batch: tuple[int, ...] | None = None
        for part, value in zip(COLUMNS, (self.time, *self._parts()), strict=True):
            if value is None:
                continue
            values = as_floats(part, value)
            if values.ndim < 2 if part != "time" else values.ndim != 1:
                expected = "(n,)" if part == "time" else "(n, number of coordinates), or more axes before these"
                raise TrajectoryError(f"Trajectory: {part} has shape {values.shape}, expected {expected}")
            if values is not value:
                object.__setattr__(self, part, values)
            count = len(values) if part == "time" else values.shape[-2]
            if before is not None and count != before[1]:
                raise TrajectoryError(f"Trajectory: {part} has {count} samples, {before[0]} has {before[1]}")
            if part != "time" and batch is not None and values.shape[:-2] != batch:
                raise TrajectoryError(f"Trajectory: {part} is a batch of shape {values.shape[:-2]}, expected {batch}")
            before = before or (part, count)
            batch = batch if part == "time" else values.shape[:-2]
        object.__setattr__(self, "columns", self._as_columns(self.columns))
        object.__setattr__(self, "overlays", tuple(self.overlays))
        object.__setattr__(self, "failures", tuple(self.failures))
        for each in self.failures:
            place = each.state if isinstance(each, MotionFailure) else None
            if place is None or len(place) != len(self.batch_shape) or not in_shape(place, self.batch_shape):
                raise TrajectoryError(
                    f"Trajectory: failures has {shown(each)}, expected the MotionFailure of a motion of the batch "
                    f"{self.batch_shape}"
                )

    def _as_columns(self, columns: Any) -> dict[str, Array]:
        """The columns as arrays with the samples in their place."""
        if not isinstance(columns, Mapping):
            raise ArgumentTypeError(f"Trajectory: columns is a {type(columns).__name__}, expected arrays by name")
        found = {}
        for name, value in columns.items():
            if not isinstance(name, str) or not name:
                raise ArgumentTypeError(f"Trajectory: the name of a column is {shown(name)}, expected a string")
            values = as_floats(f"columns[{name!r}]", value)
            expected = (*self.batch_shape, len(self))
            if values.shape[: len(expected)] != expected:
                raise TrajectoryError(
                    f"Trajectory: column {shown(name)} has shape {values.shape}, expected {expected} and what follows"
                )
            found[name] = values
        return found

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The axes before those of the samples."""
        return next((x.shape[:-2] for x in (self.q, self.v, self.a, self.tau) if x is not None), ())

    def __repr__(self) -> str:
        """Describe the trajectory in one line: how many samples of what there are."""
        when = f", {self.time[0]:g} to {self.time[-1]:g} s" if self.time is not None and len(self) else ""
        batch = f" of {self.batch_shape} motions" if self.batch_shape else ""
        robot = "" if self.model is None else f", model {self.model.name!r}"
        parts = [f"{name} {x.shape}" for name, x in zip(PARTS, self._parts(), strict=True) if x is not None]
        parts += [f"{name} {x.shape}" for name, x in self.columns.items()]
        marks = f"; {len(self.overlays)} overlays" if self.overlays else ""
        marks += f"; {len(self.failures)} motions failed" if self.failures else ""
        return f"<Trajectory: {len(self)} samples{batch}{when}{robot}: {', '.join(parts) or 'nothing else'}{marks}>"

    def __len__(self) -> int:
        if self.time is not None:
            return len(self.time)
        return next((x.shape[-2] for x in (self.q, self.v, self.a, self.tau) if x is not None), 0)

    def replace(self, **changes: Any) -> Any:
        """Return a copy with other parts, columns or overlays."""
        return self.kind(**{**{each.name: getattr(self, each.name) for each in fields(self.kind)}, **changes})

    # ------------------------------------------------------------------------------------------------------ what is chosen

    def __getitem__(self, samples: Any) -> Any:
        """Samples by a slice or an array, as a trajectory; by a number, one sample."""
        if isinstance(samples, (int, np.integer)) and not isinstance(samples, bool):
            if not -len(self) <= samples < len(self):
                raise EntryIndexError(f"Trajectory: there is no sample {samples}, there are {len(self)}")
            time = None if self.time is None else float(self.time[samples])
            return Sample(time, *(None if x is None else x[..., samples, :] for x in self._parts()))
        if not isinstance(samples, slice):
            samples = np.asarray(samples)
            if samples.ndim != 1 or samples.dtype.kind not in "bi":
                raise ArgumentTypeError(
                    "Trajectory: samples are chosen by a number, a slice, or a row of numbers or of truth values"
                )
        axes = len(self.batch_shape)
        parts = (None if x is None else x[..., samples, :] for x in self._parts())
        time = None if self.time is None else self.time[samples]
        return self.kind(
            time,
            *parts,
            model=self.model,
            columns={name: x[(slice(None),) * axes + (samples,)] for name, x in self.columns.items()},
            overlays=tuple(overlay[samples] for overlay in self.overlays),
            failures=self.failures,
        )

    def _parts(self) -> tuple[Array | None, ...]:
        return self.q, self.v, self.a, self.tau

    def _lost(self) -> NDArray[np.bool_]:
        """Tell which samples are from the time on at which their motion failed, ``(..., n)``."""
        lost = np.zeros((*self.batch_shape, len(self)), bool)
        for each in self.failures:
            lost[each.state] = True if self.time is None else self.time >= each.time - ROUNDING * abs(each.time)
        return lost

    def motion(self, index: int | tuple[int, ...]) -> Any:
        """Return one motion of a batch, or several.

        Args:
            index: its number, or one for each axis of the batch.

        Raises:
            IndexError: there is none of that number.
        """
        place = index if isinstance(index, tuple) else (index,)
        if len(place) > len(self.batch_shape):
            raise EntryIndexError(f"Trajectory: motion {index} of a batch of shape {self.batch_shape}")
        parts = (None if x is None else x[place] for x in self._parts())
        columns = {name: x[place] for name, x in self.columns.items()}
        numbers, failures = np.arange(math.prod(self.batch_shape)).reshape(self.batch_shape), list[MotionFailure]()
        for each in self.failures:
            found = np.argwhere(numbers[place] == numbers[each.state])
            failures += [each._replace(state=tuple(where)) for where in found.tolist()]
        own = {"model": self.model, "columns": columns, "overlays": self.overlays}
        return self.kind(self.time, *parts, **own, failures=tuple(failures))

    # -------------------------------------------------------------------------------------------------- against a model

    def check(self, model: Model | None, source: str) -> None:
        """Refuse parts of other widths than the model's, numbers that are not finite, and time that does not rise.

        Motions that failed may be NaN from then on.

        Args:
            model: whose coordinates the columns are; None where nobody knows.
            source: how messages begin.

        Raises:
            TypeError: the model is none.
            TrajectoryError: the first part that does not fit, with the sample.
        """
        if model is not None:
            model = as_model(source, model)
        for part in COLUMNS:
            values = getattr(self, part)
            if values is None:
                continue
            batch = () if part == "time" else self.batch_shape
            names = range(values.shape[-1]) if model is None else names_of(model, part)
            shape = (*batch, len(self)) if part == "time" else (*batch, len(self), len(names))
            if model is not None and values.shape != shape:
                raise TrajectoryError(
                    f"{source}: {part} has shape {values.shape}, expected {shape} for model {model.name!r}"
                )
            if part != "time" and self.failures:
                values = np.where(self._lost()[..., None], 0.0, values)
            if not np.isfinite(values).all():
                place = tuple(int(k) for k in np.argwhere(~np.isfinite(values))[0])
                motion, row, column = place[: len(batch)], place[len(batch)], place[len(batch) + 1 :]
                name = part if part == "time" else f"{part}:{names[column[0]]}"
                where = f"sample {row + 1}" + (f" of motion {listing(map(str, motion))}" if batch else "")
                raise TrajectoryError(f"{source}: {name} holds {values[place]} in {where}, expected finite numbers")
        if self.time is not None and not (self.time[1:] > self.time[:-1]).all():
            row = int(np.argmin(self.time[1:] > self.time[:-1])) + 2
            raise TrajectoryError(f"{source}: time does not rise in sample {row}")


Samples.kind = Samples


def in_shape(place: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Return whether a place is one of an array of this shape."""
    return all(0 <= k < n for k, n in zip(place, shape, strict=False))


def as_floats(name: str, value: ArrayLike) -> Array:
    """Convert to an array of float64; an array that is one is returned itself."""
    if type(value) is np.ndarray and value.dtype == FLOAT:
        return value
    return as_numbers("Trajectory", name, value)


def names_of(model: Model, part: str) -> tuple[str, ...]:
    """Return the names of a part's columns."""
    return model.q_names if part == "q" else model.v_names
