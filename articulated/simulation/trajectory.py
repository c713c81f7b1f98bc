"""Motions and forces over time, in files: CSV with a header, or NPZ.

CSV columns, in any order:

- ``time`` in s, rising;
- ``q:NAME``, ``v:NAME``, ``a:NAME``, ``tau:NAME`` for each coordinate, with the names of ``model.q_names`` and
  ``model.v_names``. A bare ``NAME`` is a position where positions are asked for, and a torque where torques are.

NPZ arrays: ``time`` ``(n,)``, ``q`` ``(n, nq)``, ``v``, ``a``, ``tau`` ``(n, nv)``, in the model's order.
"""

from __future__ import annotations

import csv
import os
import sys
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

from pluecker.articulated.model.model import Model, listing
from pluecker.spatial.errors import ArgumentValueError

__all__ = ["Trajectory", "TrajectoryError", "read_trajectory", "write_trajectory"]

Array = NDArray[np.float64]
PARTS = ("q", "v", "a", "tau")


class TrajectoryError(ArgumentValueError):
    """A file that does not hold the trajectory asked for."""


@dataclass
class Trajectory:
    """Samples over time; what is not known is None."""

    time: Array | None = None
    q: Array | None = None
    v: Array | None = None
    a: Array | None = None
    tau: Array | None = None

    def __len__(self) -> int:
        return next((len(x) for x in (self.time, self.q, self.v, self.a, self.tau) if x is not None), 0)

    def with_derivatives(self, model: Model) -> Trajectory:
        """The same with ``v`` and ``a``, where they are missing from the derivatives of splines of degree five.

        Raises:
            TrajectoryError: without ``time``, with too few samples, or with quaternions, whose splines are not of unit
                length.
        """
        v, a = self.v, self.a
        if v is None:
            if model.quaternion_slices():
                joints = listing(model.quaternion_slices())
                raise TrajectoryError(f"velocities (v:...) are needed: joint {joints} has a quaternion")
            v = self._derivative("q")
            a = self._derivative("q", 2) if a is None else a
        if a is None:
            a = self._derivative("v")
        return Trajectory(self.time, self.q, v, a, self.tau)

    def _derivative(self, part: str, order: int = 1) -> Array:
        if self.time is None:
            raise TrajectoryError("a time column is needed where velocities or accelerations are missing")
        if len(self) < 6:
            raise TrajectoryError(f"{len(self)} samples are too few to find derivatives; 6 are needed")
        try:
            return make_interp_spline(self.time, getattr(self, part), k=5).derivative(order)(self.time)
        except ValueError as error:
            raise TrajectoryError(f"no spline goes through the samples of {part} ({error})") from None


def read_trajectory(path: str | os.PathLike[str], model: Model, bare: str) -> Trajectory:
    """Read a CSV or NPZ file.

    Args:
        path: the file, told apart by its ending.
        model: gives the names and numbers of coordinates.
        bare: what a bare name in a CSV header means, ``q`` or ``tau``.

    Raises:
        TrajectoryError: the file cannot be read, or does not fit the model; the message names the column.
    """
    path = Path(path)
    try:
        if path.suffix.lower() == ".npz":
            trajectory = read_npz(path, model)
        else:
            trajectory = read_csv(path, model, bare)
    except OSError as error:
        raise TrajectoryError(f"{path}: cannot be read ({error.strerror or error})") from None
    for part in ("time", *PARTS):
        values = getattr(trajectory, part)
        if values is not None and not np.isfinite(values).all():
            row, *column = (int(k) for k in np.argwhere(~np.isfinite(values))[0])
            name = part if part == "time" else f"{part}:{names_of(model, part)[column[0]]}"
            value = values[(row, *column)]
            raise TrajectoryError(f"{path}: {name} holds {value} in sample {row + 1}, expected finite numbers")
    if trajectory.time is not None and len(trajectory) > 1 and not (np.diff(trajectory.time) > 0.0).all():
        row = int(np.argmin(np.diff(trajectory.time) > 0.0)) + 2
        raise TrajectoryError(f"{path}: time does not rise in sample {row}")
    return trajectory


def names_of(model: Model, part: str) -> tuple[str, ...]:
    return model.q_names if part == "q" else model.v_names


def read_npz(path: Path, model: Model) -> Trajectory:
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise TrajectoryError(f"{path}: no NPZ file of numbers (it is no zip file)")
    try:
        with np.load(path, allow_pickle=False) as data:
            found = {name: data[name] for name in data.files if name in ("time", *PARTS)}
            others = [name for name in data.files if name not in found]
    except (ValueError, RuntimeError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise TrajectoryError(f"{path}: no NPZ file of numbers ({error})") from None
    for name, values in found.items():
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "iuf":
            kind = getattr(values, "dtype", "bytes")
            raise TrajectoryError(f"{path}: no NPZ file of numbers ({name} holds {kind}, expected real numbers)")
        found[name] = values.astype(np.float64)
    if not found:
        raise TrajectoryError(f"{path}: holds {listing(others)}, expected arrays among time, q, v, a, tau")
    length = next((x.shape[0] for x in found.values() if x.ndim), 1)
    if length == 0:
        raise TrajectoryError(f"{path}: holds no samples, expected at least one")
    for name, values in found.items():
        shape = (length,) if name == "time" else (length, len(names_of(model, name)))
        if values.shape != shape:
            raise TrajectoryError(f"{path}: {name} has shape {values.shape}, expected {shape} for model {model.name!r}")
    return Trajectory(**found)


def read_csv(path: Path, model: Model, bare: str) -> Trajectory:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise TrajectoryError(f"{path}: no CSV file ({error})") from None
    if len(rows) < 2:
        raise TrajectoryError(f"{path}: holds {len(rows)} lines, expected a header and at least one sample")
    header = [cell.strip() for cell in rows[0]]
    columns = assign_columns(path, header, model, bare)
    values = np.empty((len(rows) - 1, len(header)))
    for k, row in enumerate(rows[1:]):
        if len(row) != len(header):
            raise TrajectoryError(f"{path}: sample {k + 1} has {len(row)} cells, the header {len(header)}")
        for j, cell in enumerate(row):
            try:
                values[k, j] = float(cell)
            except ValueError:
                raise TrajectoryError(f"{path}: sample {k + 1}, column {header[j]!r}: {cell!r} is no number") from None
    parts = {part: values[:, order] for part, order in columns.items()}
    if "time" in parts:
        parts["time"] = parts["time"][:, 0]
    return Trajectory(**parts)


def assign_columns(path: Path, header: Sequence[str], model: Model, bare: str) -> dict[str, list[int]]:
    """For each part that the header has, the columns in the model's order."""
    where: dict[tuple[str, str], int] = {}
    for j, cell in enumerate(header):
        part, _, name = cell.partition(":")
        if cell in ("time", "t"):
            part, name = "time", ""
        elif part not in PARTS or not name:
            part, name = bare, cell
        known = ("",) if part == "time" else names_of(model, part)
        if name not in known:
            raise TrajectoryError(
                f"{path}: column {cell!r} names no coordinate of the robot; there are {listing(known)}"
            )
        if (part, name) in where:
            raise TrajectoryError(f"{path}: column {cell!r} is there twice")
        where[part, name] = j
    columns = {}
    for part in ("time", *PARTS):
        if any(key[0] == part for key in where):
            names = ("",) if part == "time" else names_of(model, part)
            missing = [name for name in names if (part, name) not in where]
            if missing:
                raise TrajectoryError(f"{path}: has some {part} columns but not {listing(missing)}")
            columns[part] = [where[part, name] for name in names]
    return columns


def write_trajectory(path: str | os.PathLike[str] | None, model: Model, trajectory: Trajectory) -> None:
    """Write a CSV or NPZ file, told apart by its ending; CSV to standard output if there is no path."""
    parts = {part: getattr(trajectory, part) for part in ("time", *PARTS)}
    parts = {part: values for part, values in parts.items() if values is not None}
    if path is not None and Path(path).suffix.lower() == ".npz":
        with Path(path).open("wb") as binary:
            np.savez_compressed(binary, **parts)
        return
    header = [
        "time" if part == "time" else f"{part}:{name}"
        for part in parts
        for name in (("",) if part == "time" else names_of(model, part))
    ]
    table = np.column_stack(list(parts.values()))
    if path is None:
        write_rows(sys.stdout, header, table)
    else:
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            write_rows(file, header, table)


def write_rows(file: object, header: list[str], table: Array) -> None:
    writer = csv.writer(file, lineterminator="\n")  # type: ignore[arg-type]
    writer.writerow(header)
    writer.writerows(map(repr, row) for row in table.tolist())
