"""Samples of a motion over time, with what else is known of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.model.model import Model, listing
from pluecker.articulated.running.arguments import FLOAT, as_model
from pluecker.articulated.simulation.interpolation import interpolate
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, EntryIndexError, shown
from pluecker.spatial.functions.elementwise import as_numbers

__all__ = ["COLUMNS", "PARTS", "Sample", "Trajectory", "TrajectoryError", "names_of"]

Array = NDArray[np.float64]
PARTS = ("q", "v", "a", "tau")
COLUMNS = ("time", *PARTS)
REACH = 1e-9  # of the duration, how far beyond its ends a time may be by rounding


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
@dataclass(frozen=True, eq=False)
class Trajectory:
    """Samples over time; what is not known is None. Axes before those of the samples are a batch of motions.

    ``len(trajectory)`` counts samples; ``trajectory[10:20]``, and an array of numbers or of truth values, give those as a
    trajectory, ``trajectory[-1]`` a :class:`Sample`. :meth:`motion` gives one motion of a batch. Trajectories are
    equal where all that they hold is, NaN as itself.

    Attributes:
        time: rising, ``(n,)``; s.
        q: configurations, ``(..., n, nq)``.
        v, a, tau: velocities, accelerations, joint forces, ``(..., n, nv)``; rad/s, rad/s^2, N m, or m/s, m/s^2, N.
        model: the mechanism, where it is known: it gives the columns their names.
        columns: whatever else was recorded, by name: arrays ``(..., n)`` or with more axes behind, such as energies.
        overlays: what pictures show besides the mechanism, from whoever has it: points, arrows, cones, lines.

    Raises:
        TypeError: a part is no array of real numbers.
        TrajectoryError: a part has the wrong number of axes, or another number of samples than the others.

    Example:
        >>> import numpy as np
        >>> from pluecker.articulated import Trajectory
        >>> fall = Trajectory([0.0, 0.1, 0.2], q=[[0.0], [-0.05], [-0.2]], columns={"height": [2.0, 1.95, 1.8]})
        >>> fall[1:].q[:, 0], fall[-1].time, float(fall[1:].columns["height"][0])
        (array([-0.05, -0.2 ]), 0.2, 1.95)
    """

    time: Array | None = None
    q: Array | None = None
    v: Array | None = None
    a: Array | None = None
    tau: Array | None = None
    model: Model | None = field(default=None, kw_only=True)
    columns: Mapping[str, Array] = field(default_factory=dict, kw_only=True)
    overlays: tuple[Any, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        if self.model is not None:
            as_model("Trajectory", self.model)
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

    def _as_columns(self, columns: Any) -> dict[str, Array]:
        """The columns as arrays with the samples in their place."""
        if not isinstance(columns, Mapping):
            raise ArgumentTypeError(f"Trajectory: columns is a {type(columns).__name__}, expected arrays by name")
        found = {}
        for name, value in columns.items():
            if not isinstance(name, str) or not name:
                raise ArgumentTypeError(f"Trajectory: the name of a column is {shown(name)}, expected a string")
            values = as_floats(f"columns[{shown(name)}]", value)
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
        return f"<Trajectory: {len(self)} samples{batch}{when}{robot}: {', '.join(parts) or 'nothing else'}{marks}>"

    def __len__(self) -> int:
        if self.time is not None:
            return len(self.time)
        return next((x.shape[-2] for x in (self.q, self.v, self.a, self.tau) if x is not None), 0)

    def replace(self, **changes: Any) -> Trajectory:
        """Return a copy with other parts, columns or overlays."""
        return Trajectory(**{**{each.name: getattr(self, each.name) for each in fields(Trajectory)}, **changes})

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
        return Trajectory(
            time,
            *parts,
            model=self.model,
            columns={name: x[(slice(None),) * axes + (samples,)] for name, x in self.columns.items()},
            overlays=tuple(overlay[samples] for overlay in self.overlays),
        )

    def _parts(self) -> tuple[Array | None, ...]:
        return self.q, self.v, self.a, self.tau

    def motion(self, index: int | tuple[int, ...]) -> Trajectory:
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
        return Trajectory(self.time, *parts, model=self.model, columns=columns, overlays=self.overlays)

    def at(self, time: ArrayLike) -> Any:
        """Interpolate the trajectory at other times, between its samples.

        Configurations follow, joint by joint, the cubic curve on the manifold that has the positions and velocities of both
        samples, where velocities are known, and move at constant velocity otherwise; velocities follow a cubic curve where
        accelerations are known. The error falls with the fourth power of the distance of the samples, or with the second.
        All else is linear in between. Overlays stay behind.

        Args:
            time: ``(m,)``, within that of the samples, or one of them; s.

        Returns:
            A trajectory; for one time, a tuple of its time, q, v, a and tau, with these names.

        Raises:
            TypeError: the times are no numbers.
            TrajectoryError: there is no time, no model for configurations, or a time outside.
        """
        times = as_floats("time", time)
        if times.ndim == 0:
            return self.at(times[None])[0]
        if self.time is None or len(self) < 1:
            raise TrajectoryError("Trajectory.at: the trajectory has no time")
        if times.ndim != 1 or not np.isfinite(times).all():
            raise TrajectoryError(f"Trajectory.at: time has shape {times.shape}, expected (m,) and finite numbers")
        if self.model is None and self.q is not None:
            raise TrajectoryError("Trajectory.at: the trajectory has no model; give it one by replace(model=...)")
        first, last = self.time[0], self.time[-1]
        slack = REACH * (last - first)
        outside = (times < first - slack) | (times > last + slack)
        if outside.any():
            raise TrajectoryError(
                f"Trajectory.at: time {times[outside][0]:.6g} s is outside {first:.6g} to {last:.6g} s"
            )
        return interpolate(self, np.clip(times, first, last))

    # ------------------------------------------------------------------------------------------------------ other forms

    def save(self, path: str | os.PathLike[str], model: Model | None = None) -> None:
        """Write a file: CSV, NPZ or HDF5 by its ending, ``.csv``, ``.npz``, ``.h5`` or ``.hdf5``; columns too.

        The file is there as a whole or not at all. NPZ and HDF5 files have checksums, and the model, as text. Overlays are
        not written.

        Args:
            path: a file of that name is replaced.
            model: whose names the columns get, if the trajectory has none of its own.

        Raises:
            TrajectoryError: the path has another ending, the trajectory holds nothing or does not fit the model, or the
                file cannot be written; what was there before is still there; there is no model.
            MissingExtraError: HDF5 files need the extra ``hdf5``.
        """
        from pluecker.articulated.simulation.trajectory_files import write_trajectory

        write_trajectory(path, self._named("save", model), self)

    @staticmethod
    def load(path: str | os.PathLike[str], model: Model | None = None) -> Trajectory:
        """Read a file as of :meth:`save`; a bare name of a column in a CSV file is a position.

        Damage is noticed, by checksums, in NPZ files and in HDF5 files of this package. In CSV files, and in HDF5 files of
        others, nothing tells whether a number is the one that was written.

        Args:
            path: told apart by its ending, ``.npz``, ``.h5``, ``.hdf5``, else CSV.
            model: which the file has to fit, and which the trajectory has then. NPZ and HDF5 files of this package hold
                theirs, which is taken without one; of those of others, the trajectory has none.

        Raises:
            TrajectoryError: the file cannot be read, is damaged, or does not fit the model; the message names the column or
                the sample. Or it holds a model that is none. Or it is a CSV file, whose columns a model has to name.
            MissingExtraError: HDF5 files need the extra ``hdf5``.
        """
        from pluecker.articulated.simulation.trajectory_files import read_trajectory

        return read_trajectory(path, model, bare="q")

    def to_pandas(self, model: Model | None = None) -> Any:
        """Convert to a table of pandas (which has to be installed): a row for each sample, a column for each coordinate.

        Columns are named as in CSV files, ``q:NAME`` and so on; time is the index. What else was recorded goes by its own
        name, with ``column:`` before it where something else is called so. The table's ``attrs`` have the model, as text,
        which goes along into Parquet files, by ``to_parquet`` of pandas with pyarrow.

        Raises:
            TrajectoryError: there is no model, or a batch, for which :meth:`to_xarray` is there.
            MissingExtraError: pandas is not installed.
        """
        from pluecker.articulated.simulation.tables import to_pandas

        return to_pandas(self, self._named("to_pandas", model))

    @staticmethod
    def from_pandas(table: Any, model: Model | None = None) -> Trajectory:
        """A trajectory from such a table, whose columns may come in any order.

        Args:
            table: a DataFrame of pandas; time is an index of that name, or a column, or not known.
            model: whose coordinates ``q:NAME`` and so on are; that of the table's ``attrs`` if None.

        Raises:
            TypeError: it is no table, or a column's name is no string.
            TrajectoryError: it does not fit the model, or holds something else than numbers; there is no model, or none that
                can be used.
            MissingExtraError: pandas is not installed.
        """
        from pluecker.articulated.simulation.tables import from_pandas

        return from_pandas(table, None if model is None else as_model("Trajectory.from_pandas", model))

    def to_xarray(self, model: Model | None = None) -> Any:
        """Convert to a dataset of xarray (which has to be installed): axes have names, coordinates of the robot are labels.

        Raises:
            TrajectoryError: there is no model.
            MissingExtraError: xarray is not installed.
        """
        from pluecker.articulated.simulation.tables import to_xarray

        return to_xarray(self, self._named("to_xarray", model))

    def _named(self, method: str, model: Model | None) -> Model:
        """Return the model that gives names to columns, refusing to do without one."""
        found = self.model if model is None else model
        if found is None:
            raise TrajectoryError(f"Trajectory.{method}: the trajectory has no model that names its columns; give one")
        return as_model(f"Trajectory.{method}", found)

    # -------------------------------------------------------------------------------------------------- against a model

    def check(self, model: Model | None, source: str) -> None:
        """Refuse parts of other widths than the model's, numbers that are not finite, and time that does not rise.

        Args:
            model: whose coordinates the columns are; None where nobody knows.
            source: how messages begin.

        Raises:
            TypeError: the model is none.
            TrajectoryError: the first part that does not fit, with the sample.
        """
        if model is not None:
            as_model(source, model)
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
            if not np.isfinite(values).all():
                place = tuple(int(k) for k in np.argwhere(~np.isfinite(values))[0])
                motion, row, column = place[: len(batch)], place[len(batch)], place[len(batch) + 1 :]
                name = part if part == "time" else f"{part}:{names[column[0]]}"
                where = f"sample {row + 1}" + (f" of motion {listing(map(str, motion))}" if batch else "")
                raise TrajectoryError(f"{source}: {name} holds {values[place]} in {where}, expected finite numbers")
        if self.time is not None and not (self.time[1:] > self.time[:-1]).all():
            row = int(np.argmin(self.time[1:] > self.time[:-1])) + 2
            raise TrajectoryError(f"{source}: time does not rise in sample {row}")

    def with_derivatives(self, model: Model) -> Trajectory:
        """Return a copy in which missing ``v`` and ``a`` are computed, as derivatives of splines of degree five.

        Raises:
            TrajectoryError: without ``time``, with too few samples, with numbers whose derivatives overflow, with
                quaternions, whose splines are not of unit length, or with exponential coordinates that change to the
                equivalent vector between samples.
        """
        from pluecker.articulated.simulation.spline_derivatives import with_derivatives

        self.check(model, "Trajectory")
        return with_derivatives(self, model)


def as_floats(name: str, value: ArrayLike) -> Array:
    """Convert to an array of float64; an array that is one is returned itself."""
    if type(value) is np.ndarray and value.dtype == FLOAT:
        return value
    return as_numbers("Trajectory", name, value)


def names_of(model: Model, part: str) -> tuple[str, ...]:
    """Return the names of a part's columns."""
    return model.q_names if part == "q" else model.v_names
