"""Samples of a motion over time, with what else is known of it, and what can be made of them."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_model
from pluecker.articulated.trajectory.files import read_samples, write_trajectory
from pluecker.articulated.trajectory.interpolation import interpolate
from pluecker.articulated.trajectory.samples import MotionFailure, Sample, Samples, TrajectoryError, as_floats
from pluecker.articulated.trajectory.spline_derivatives import with_derivatives
from pluecker.articulated.trajectory.tables import from_pandas, to_pandas, to_xarray
from pluecker.spatial.equality import by_value

__all__ = ["MotionFailure", "Sample", "Trajectory", "TrajectoryError", "read_trajectory", "write_trajectory"]

REACH = 1e-9  # of the duration, how far beyond its ends a time may be by rounding


@by_value()
@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Samples):
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
        failures: motions of a batch that could not be followed to the end, each a :class:`MotionFailure` with its place in
            the batch, the time and the reason; they are NaN from there on.

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

    def replace(self, **changes: Any) -> Trajectory:
        """Return a copy with other parts, columns or overlays."""
        changed: Trajectory = super().replace(**changes)
        return changed

    def motion(self, index: int | tuple[int, ...]) -> Trajectory:
        """Return one motion of a batch, or several.

        Args:
            index: its number, or one for each axis of the batch.

        Raises:
            IndexError: there is none of that number.
        """
        chosen: Trajectory = super().motion(index)
        return chosen

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

    @property
    def divided(self) -> NDArray[np.bool_]:
        """Tell behind which samples steps were divided since the sample before, because they were not solved, ``(..., n)``.

        The column ``divided``, which simulations have that may divide steps, says into how many pieces, at most: 1 are none.
        Without that column none was.
        """
        pieces = self.columns.get("divided")
        shape = (*self.batch_shape, len(self))
        return np.zeros(shape, bool) if pieces is None or pieces.shape != shape else pieces > 1.0

    # ------------------------------------------------------------------------------------------------------ other forms

    def save(self, path: str | os.PathLike[str], model: Model | None = None) -> None:
        """Write a file: CSV, NPZ or HDF5 by its ending, ``.csv``, ``.npz``, ``.h5`` or ``.hdf5``; columns too.

        The file is there as a whole or not at all. NPZ and HDF5 files have checksums, and the model, as text, and name
        motions of a batch that failed. Overlays are not written.

        Args:
            path: a file of that name is replaced.
            model: whose names the columns get, if the trajectory has none of its own.

        Raises:
            TrajectoryError: the path has another ending, the trajectory holds nothing or does not fit the model, or the
                file cannot be written; what was there before is still there; there is no model.
            MissingExtraError: HDF5 files need the extra ``hdf5``.
        """
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
        return as_trajectory(from_pandas(table, None if model is None else as_model("Trajectory.from_pandas", model)))

    def to_xarray(self, model: Model | None = None) -> Any:
        """Convert to a dataset of xarray (which has to be installed): axes have names, coordinates of the robot are labels.

        Raises:
            TrajectoryError: there is no model.
            MissingExtraError: xarray is not installed.
        """
        return to_xarray(self, self._named("to_xarray", model))

    def _named(self, method: str, model: Model | None) -> Model:
        """Return the model that gives names to columns, refusing to do without one."""
        found = self.model if model is None else model
        if found is None:
            raise TrajectoryError(f"Trajectory.{method}: the trajectory has no model that names its columns; give one")
        return as_model(f"Trajectory.{method}", found)

    def with_derivatives(self, model: Model) -> Trajectory:
        """Return a copy in which missing ``v`` and ``a`` are computed, as derivatives of splines of degree five.

        Raises:
            TrajectoryError: without ``time``, with too few samples, with numbers whose derivatives overflow, with
                quaternions, whose splines are not of unit length, or with exponential coordinates that change to the
                equivalent vector between samples.
        """
        self.check(model, "Trajectory")
        completed: Trajectory = with_derivatives(self, model)
        return completed


Trajectory.kind = Trajectory


def as_trajectory(samples: Samples) -> Trajectory:
    """Convert samples, as they are read, to a trajectory."""
    return Trajectory(**{each.name: getattr(samples, each.name) for each in fields(samples)})


def read_trajectory(path: str | os.PathLike[str], model: Model | None, bare: str) -> Trajectory:
    """Read a trajectory from a CSV, NPZ or HDF5 file, see :func:`read_samples`."""
    return as_trajectory(read_samples(path, model, bare))
