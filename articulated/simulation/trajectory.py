"""Motions and forces over time, in files: CSV with a header, or NPZ.

CSV columns, in any order:

- ``time`` in s, rising;
- ``q:NAME``, ``v:NAME``, ``a:NAME``, ``tau:NAME`` for each coordinate, with the names of ``model.q_names`` and
  ``model.v_names``. A bare ``NAME`` is a position where positions are asked for, and a torque where torques are.

Text is UTF-8. NPZ arrays: ``time`` ``(n,)``, ``q`` ``(n, nq)``, ``v``, ``a``, ``tau`` ``(n, nv)``, in the model's order.
"""

from __future__ import annotations

import csv
import io
import lzma
import os
import sys
import zipfile
import zlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

from pluecker.articulated.model.model import Model, listing
from pluecker.articulated.running.arguments import as_model
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.files import whole_file
from pluecker.spatial.functions.elementwise import as_numbers

__all__ = ["TABLES", "Trajectory", "TrajectoryError", "read_trajectory", "write_trajectory"]

Array = NDArray[np.float64]
PARTS = ("q", "v", "a", "tau")
COLUMNS = ("time", *PARTS)
TABLES = (".csv", ".npz")  # that are written; what is read is CSV unless it ends in .npz
LONGEST_LINE = 2**24  # characters: half a million columns. A device that never ends a line is refused here.
LARGEST = (
    2**32
)  # bytes in an NPZ file's arrays, unpacked: chosen, so that what is taken for a trajectory fits in memory


class TrajectoryError(ArgumentValueError):
    """What is no trajectory, or not one of the model; the message names the file, the part, the sample."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Samples over time; what is not known is None.

    Attributes:
        time: rising, ``(n,)``; s.
        q: configurations, ``(n, nq)``.
        v, a, tau: velocities, accelerations, joint forces, ``(n, nv)``; rad/s, rad/s^2, N m, or m/s, m/s^2, N.

    Raises:
        TypeError: a part is no array of real numbers.
        TrajectoryError: a part has the wrong number of axes, or another number of samples than the others.
    """

    time: Array | None = None
    q: Array | None = None
    v: Array | None = None
    a: Array | None = None
    tau: Array | None = None

    def __post_init__(self) -> None:
        for part in COLUMNS:
            value = getattr(self, part)
            if value is None:
                continue
            known = type(value) is np.ndarray and value.dtype == np.float64
            values = value if known else as_numbers("Trajectory", part, value)
            axes = 1 if part == "time" else 2
            if values.ndim != axes:
                expected = "(n,)" if part == "time" else "(n, number of coordinates)"
                raise TrajectoryError(f"Trajectory: {part} has shape {values.shape}, expected {expected}")
            if len(values) != len(self):
                first = next(name for name in COLUMNS if getattr(self, name) is not None)
                raise TrajectoryError(f"Trajectory: {part} has {len(values)} samples, {first} has {len(self)}")
            object.__setattr__(self, part, values)

    def __len__(self) -> int:
        return next((len(x) for x in (self.time, self.q, self.v, self.a, self.tau) if x is not None), 0)

    def check(self, model: Model, source: str) -> None:
        """Refuse parts of other widths than the model's, numbers that are not finite, and time that does not rise.

        Args:
            model: whose coordinates the columns are.
            source: how messages begin.

        Raises:
            TypeError: the model is none.
            TrajectoryError: the first part that does not fit, with the sample.
        """
        as_model(source, model)
        for part in COLUMNS:
            values = getattr(self, part)
            if values is None:
                continue
            shape = (len(self),) if part == "time" else (len(self), len(names_of(model, part)))
            if values.shape != shape:
                raise TrajectoryError(
                    f"{source}: {part} has shape {values.shape}, expected {shape} for model {model.name!r}"
                )
            if not np.isfinite(values).all():
                row, *column = (int(k) for k in np.argwhere(~np.isfinite(values))[0])
                name = part if part == "time" else f"{part}:{names_of(model, part)[column[0]]}"
                value = values[(row, *column)]
                raise TrajectoryError(f"{source}: {name} holds {value} in sample {row + 1}, expected finite numbers")
        if self.time is not None and not (self.time[1:] > self.time[:-1]).all():
            row = int(np.argmin(self.time[1:] > self.time[:-1])) + 2
            raise TrajectoryError(f"{source}: time does not rise in sample {row}")

    def with_derivatives(self, model: Model) -> Trajectory:
        """The same with ``v`` and ``a``, where they are missing from the derivatives of splines of degree five.

        Raises:
            TrajectoryError: without ``time``, with too few samples, with numbers whose derivatives overflow, with
                quaternions, whose splines are not of unit length, or with exponential coordinates that change to the
                equivalent vector between samples.
        """
        self.check(model, "Trajectory")
        v, a = self.v, self.a
        if v is None and model.quaternion_slices():
            joints = listing(model.quaternion_slices())
            raise TrajectoryError(f"velocities (v:...) are needed: joint {joints} has a quaternion")
        self._check_vectors(model)
        if v is None:
            v = self._derivative("q")
            a = self._derivative("q", 2) if a is None else a
        if a is None:
            a = self._derivative("v")
        return Trajectory(self.time, self.q, v, a, self.tau)

    def _check_vectors(self, model: Model) -> None:
        """Where derivatives are missing, exponential coordinates go on without a change of the vector."""
        if self.q is None or (self.v is not None and self.a is not None):
            return
        for joint, part in model.rotation_vector_slices().items():
            ahead, steps = self.q[1:, part], np.diff(self.q[:, part], axis=0)
            length = np.linalg.norm(ahead, axis=1)
            changed = np.abs(np.sum(steps * ahead, axis=1)) > np.pi * length
            if changed.any():
                sample = int(np.argmax(changed)) + 2
                raise TrajectoryError(
                    f"velocities and accelerations are needed: the exponential coordinates of joint {shown(joint)} change "
                    f"to an equivalent vector before sample {sample}"
                )

    def _derivative(self, part: str, order: int = 1) -> Array:
        values = getattr(self, part)
        if values is None:
            raise TrajectoryError("positions or velocities are needed where accelerations are missing")
        if self.time is None:
            raise TrajectoryError("a time column is needed where velocities or accelerations are missing")
        if len(self) < 6:
            raise TrajectoryError(f"{len(self)} samples are too few to find derivatives; 6 are needed")
        try:
            with np.errstate(all="ignore"):  # what overflows is an error below, no warning too
                found: Array = make_interp_spline(self.time, values, k=5).derivative(order)(self.time)
        except (ValueError, np.linalg.LinAlgError) as error:
            raise TrajectoryError(f"no spline goes through the samples of {part} ({error})") from None
        if not np.isfinite(found).all():
            sample = int(np.argmax(np.abs(values).max(axis=1, initial=0.0))) + 1
            raise TrajectoryError(f"the derivatives of {part} overflow; its largest value is in sample {sample}")
        return found


# --------------------------------------------------------------------------------------------------------------- reading


def read_trajectory(path: str | os.PathLike[str], model: Model, bare: str) -> Trajectory:
    """Read a CSV or NPZ file.

    Args:
        path: the file, told apart by its ending: NPZ if that is ``.npz``, else CSV.
        model: gives the names and numbers of coordinates.
        bare: what a bare name in a CSV header means, ``q`` or ``tau``.

    Returns:
        The parts that the file has, with finite numbers in the model's order, and time rising.

    Raises:
        TypeError: the path is none, or the model.
        TrajectoryError: the file cannot be read, or does not fit the model; the message names the column or the sample.
    """
    path = to_path("read_trajectory", path)
    if not isinstance(bare, str) or bare not in PARTS:
        raise ArgumentValueError(f"read_trajectory: bare is {shown(bare)}, expected one of {', '.join(PARTS)}")
    as_model("read_trajectory", model)
    try:
        if path.suffix.lower() == ".npz":
            trajectory = read_npz(path, model)
        else:
            trajectory = read_csv(path, model, bare)
    except IsADirectoryError:
        raise TrajectoryError(f"{path}: this is a folder, expected a CSV or NPZ file") from None
    except (OSError, ValueError) as error:  # ValueError: a path with a zero in it
        if isinstance(error, TrajectoryError):
            raise
        raise TrajectoryError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    trajectory.check(model, str(path))
    return trajectory


def to_path(function: str, path: Any) -> Path:
    """The argument as a path."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise ArgumentTypeError(f"{function}: path is a {type(path).__name__}, expected the path of a file")
    return Path(path)


def names_of(model: Model, part: str) -> tuple[str, ...]:
    """The names of a part's columns."""
    return model.q_names if part == "q" else model.v_names


def read_npz(path: Path, model: Model) -> Trajectory:
    """The arrays of a file of NumPy's, as float64."""
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise TrajectoryError(f"{path}: no NPZ file of numbers (it is no zip file)")
    found, others = {}, []
    try:
        with np.load(path, allow_pickle=False) as data:
            unpacked = sum(entry.file_size for entry in data.zip.infolist())
            if unpacked > LARGEST:
                raise TrajectoryError(f"{path}: holds {unpacked / 1e9:.3g} GB, expected {LARGEST / 1e9:.3g} at most")
            for name in data.files:
                if name not in COLUMNS:
                    others.append(name)
                elif name in found:
                    raise TrajectoryError(f"{path}: holds {name} twice")
                else:
                    found[name] = data[name]
    except TrajectoryError:
        raise
    except MemoryError:
        raise TrajectoryError(f"{path}: no NPZ file of numbers (an array is larger than the memory)") from None
    except NPZ_ERRORS as error:
        raise TrajectoryError(f"{path}: no NPZ file of numbers ({' '.join(str(error).split())[:200]})") from None
    for name, values in found.items():
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "iuf":
            kind = getattr(values, "dtype", "bytes")
            raise TrajectoryError(f"{path}: no NPZ file of numbers ({name} holds {kind}, expected real numbers)")
        with np.errstate(over="ignore"):  # a long double that is too large is infinite, and refused as such
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


# What NumPy, zipfile and its decompressors raise on damaged files.
NPZ_ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    SyntaxError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)


def read_csv(path: Path, model: Model, bare: str) -> Trajectory:
    """The columns of a text file."""
    numbers, count = array("d"), 0
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = (row for row in csv.reader(lines_of(path, file)) if any(cell.strip() for cell in row))
            header = next(rows, None)
            if header is None:
                raise TrajectoryError(f"{path}: holds nothing, expected a header and at least one sample")
            columns = assign_columns(path, header, model, bare)
            for count, row in enumerate(rows, 1):
                if len(row) != len(header):
                    raise TrajectoryError(f"{path}: sample {count} has {len(row)} cells, the header {len(header)}")
                numbers.extend(to_numbers(path, count, header, row))
    except UnicodeDecodeError as error:
        raise TrajectoryError(f"{path}: no CSV file ({error.reason} for UTF-8)") from None
    except csv.Error as error:
        raise TrajectoryError(f"{path}: no CSV file ({error})") from None
    if count == 0:
        raise TrajectoryError(f"{path}: holds a header only, expected at least one sample")
    values = np.frombuffer(numbers, np.float64).reshape(count, len(header))
    parts = {part: np.ascontiguousarray(values[:, order]) for part, order in columns.items()}
    if "time" in parts:
        parts["time"] = parts["time"][:, 0]
    return Trajectory(**parts)


def lines_of(path: Path, file: TextIO) -> Iterator[str]:
    """The lines of a file, as long as they are lines."""
    while line := file.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise TrajectoryError(f"{path}: no CSV file (a line of {LONGEST_LINE} characters and more)")
        yield line


def to_numbers(path: Path, sample: int, header: Sequence[str], row: Sequence[str]) -> list[float]:
    """The cells of one sample."""
    try:
        if "_" not in "".join(row):  # which Python takes for a separator of digits
            return [float(cell) for cell in row]
    except ValueError:
        pass
    j = next(j for j, cell in enumerate(row) if not is_number(cell))
    name, cell = header[j].strip(), shown(row[j])
    raise TrajectoryError(f"{path}: sample {sample}, column {name!r}: {cell} is no number")


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def assign_columns(path: Path, header: Sequence[str], model: Model, bare: str) -> dict[str, list[int]]:
    """For each part that the header has, the columns in the model's order."""
    where: dict[tuple[str, str], int] = {}
    known = {part: frozenset(names_of(model, part)) for part in PARTS}
    for j, cell in enumerate(header):
        key = meaning(cell, known, bare) or meaning(cell.strip(), known, bare)
        column = f"{path}: column {shown(cell.strip())}"
        if key is None:
            prefix = cell.strip().partition(":")[0]
            there = listing(names_of(model, prefix if prefix in PARTS else bare))
            hint = "; columns are separated by commas" if len(header) == 1 and (";" in cell or "\t" in cell) else ""
            raise TrajectoryError(f"{column} names no coordinate of the robot; there are {there}{hint}")
        if key in where:
            raise TrajectoryError(f"{column} is there twice")
        where[key] = j
    columns = {}
    for part in COLUMNS:
        if any(key[0] == part for key in where):
            names = ("",) if part == "time" else names_of(model, part)
            missing = [name for name in names if (part, name) not in where]
            if missing:
                raise TrajectoryError(f"{path}: has some {part} columns but not {listing(missing)}")
            columns[part] = [where[part, name] for name in names]
    return columns


def meaning(cell: str, known: dict[str, frozenset[str]], bare: str) -> tuple[str, str] | None:
    """The part and the name that a cell of the header stands for, if any."""
    if cell in ("time", "t"):
        return "time", ""
    part, _, name = cell.partition(":")
    if part in PARTS and name in known[part]:
        return part, name
    return (bare, cell) if cell in known[bare] else None


# --------------------------------------------------------------------------------------------------------------- writing


def write_trajectory(path: str | os.PathLike[str] | None, model: Model, trajectory: Trajectory) -> None:
    """Write a CSV or NPZ file, told apart by its ending; CSV to standard output if there is no path.

    The file is there as a whole or not at all, and :func:`read_trajectory` reads the same numbers from it.

    Args:
        path: ends in ``.csv`` or ``.npz``; a file of that name is replaced.
        model: gives the names of coordinates.
        trajectory: its parts have the model's widths, and finite numbers.

    Raises:
        TypeError: an argument is of another type.
        TrajectoryError: the path has another ending, the trajectory holds nothing or does not fit the model, or the file
            cannot be written; what was there before is still there.
    """
    if not isinstance(trajectory, Trajectory):
        raise ArgumentTypeError(f"write_trajectory: trajectory is a {type(trajectory).__name__}, expected a Trajectory")
    place = None if path is None else to_path("write_trajectory", path)
    if place is not None and place.suffix.lower() not in TABLES:
        raise TrajectoryError(f"{place}: no table can be written there; the path must end in {', '.join(TABLES)}")
    trajectory.check(model, "standard output" if place is None else str(place))
    parts = {part: getattr(trajectory, part) for part in COLUMNS if getattr(trajectory, part) is not None}
    if len(trajectory) == 0:
        raise TrajectoryError("write_trajectory: the trajectory holds no samples")
    if place is None:
        write_to_standard_output(csv_lines(model, parts))
        return
    try:
        with whole_file(place) as file:
            if place.suffix.lower() == ".npz":
                np.savez_compressed(file, **parts)
            else:
                file.writelines(line.encode() for line in csv_lines(model, parts))
    except UnicodeEncodeError as error:
        raise TrajectoryError(f"{place}: cannot be written (a name is no text: {error.reason})") from None
    except (OSError, ValueError) as error:
        raise TrajectoryError(f"{place}: cannot be written ({getattr(error, 'strerror', None) or error})") from None


def write_to_standard_output(lines: Iterator[str]) -> None:
    """In UTF-8, as files are, whatever the standard output is made for; for eyes, what it can show."""
    stdout = sys.stdout
    if stdout.isatty() or not hasattr(stdout, "buffer"):
        stdout.writelines(lines)
        return
    stdout.flush()
    stdout.buffer.writelines(line.encode("utf-8", "backslashreplace") for line in lines)


def csv_lines(model: Model, parts: dict[str, Array]) -> Iterator[str]:
    """A header, and a row for each sample, with as many digits as tell numbers apart."""
    header = [
        "time" if part == "time" else f"{part}:{name}"
        for part in parts
        for name in (("",) if part == "time" else names_of(model, part))
    ]
    text = io.StringIO()
    odd = any("\r" in name for name in header)  # which only newer versions of csv quote by themselves
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL).writerow(header)
    yield text.getvalue()
    for row in np.column_stack(list(parts.values())):
        yield ",".join(map(repr, row.tolist())) + "\n"
