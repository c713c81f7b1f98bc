"""Motions and forces over time, in files: CSV with a header, NPZ, or HDF5.

The formats are in :mod:`~pluecker.articulated.trajectory.csv_files` and
:mod:`~pluecker.articulated.trajectory.binary_files`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_model
from pluecker.articulated.trajectory.binary_files import (
    HDF5,
    need_hdf5,
    read_hdf5,
    read_trajectory_npz,
    write_hdf5,
    write_npz,
)
from pluecker.articulated.trajectory.csv_files import check_table, csv_lines, read_csv, write_to_standard_output
from pluecker.articulated.trajectory.samples import PARTS, Samples, TrajectoryError
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.files import whole_file

__all__ = ["TABLES", "read_samples", "to_path", "write_trajectory"]

TABLES = (".csv", ".npz", *HDF5)  # that are written; what is read is CSV unless it ends in one of the others


def read_samples(path: str | os.PathLike[str], model: Model | None, bare: str) -> Samples:
    """Read a CSV, NPZ or HDF5 file.

    Args:
        path: the file, told apart by its ending: ``.npz``, ``.h5``, ``.hdf5``, else CSV.
        model: gives the names and numbers of coordinates; CSV files need one, others have one, if this package wrote them.
        bare: what a bare name in a CSV header means, ``q`` or ``tau``.

    Returns:
        The parts that the file has, with finite numbers in the model's order, and time rising.

    Raises:
        TypeError: the path is none, or the model.
        TrajectoryError: the file cannot be read, or does not fit the model; the message names the column or the sample.
        MissingExtraError: HDF5 files need the extra ``hdf5``.
    """
    path = to_path("read_trajectory", path)
    if not isinstance(bare, str) or bare not in PARTS:
        raise ArgumentValueError(f"read_trajectory: bare is {shown(bare)}, expected one of {', '.join(PARTS)}")
    if model is not None:
        model = as_model("read_trajectory", model)
    try:
        if path.suffix.lower() == ".npz":
            trajectory = read_trajectory_npz(path, model)
        elif path.suffix.lower() in HDF5:
            trajectory = read_hdf5(path, model)
        elif model is None:
            raise TrajectoryError(f"{path}: a CSV file is read with a model, which names its columns; give one")
        else:
            trajectory = read_csv(path, model, bare)
    except IsADirectoryError:
        raise TrajectoryError(f"{path}: this is a folder, expected a CSV, NPZ or HDF5 file") from None
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


def write_trajectory(path: str | os.PathLike[str] | None, model: Model, trajectory: Samples) -> None:
    """Write a CSV, NPZ or HDF5 file, told apart by its ending; CSV to standard output if there is no path.

    The file is there as a whole or not at all, and :func:`read_samples` reads the same numbers from it.

    Args:
        path: ends in ``.csv``, ``.npz``, ``.h5`` or ``.hdf5``; a file of that name is replaced.
        model: gives the names of coordinates.
        trajectory: its parts have the model's widths, and finite numbers.

    Raises:
        TypeError: an argument is of another type.
        TrajectoryError: the path has another ending, the trajectory holds nothing or does not fit the model, or the file
            cannot be written; what was there before is still there.
        MissingExtraError: HDF5 files need the extra ``hdf5``.
    """
    if not isinstance(trajectory, Samples):
        raise ArgumentTypeError(f"write_trajectory: trajectory is a {type(trajectory).__name__}, expected a Trajectory")
    place = None if path is None else to_path("write_trajectory", path)
    if place is not None and place.suffix.lower() not in TABLES:
        raise TrajectoryError(f"{place}: no table can be written there; the path must end in {', '.join(TABLES)}")
    where = "standard output" if place is None else str(place)
    trajectory.check(model, where)
    if len(trajectory) == 0:
        raise TrajectoryError("write_trajectory: the trajectory holds no samples")
    ending = ".csv" if place is None else place.suffix.lower()
    if ending == ".csv":
        trajectory.replace(failures=()).check(model, where)  # no table says why a motion ended
        check_table(where, trajectory)
    elif ending in HDF5:
        need_hdf5()
    if place is None:
        write_to_standard_output(csv_lines(model, trajectory))
        return
    try:
        with whole_file(place) as file:
            if ending == ".npz":
                write_npz(file, model, trajectory)
            elif ending in HDF5:
                write_hdf5(file, model, trajectory)
            else:
                file.writelines(line.encode() for line in csv_lines(model, trajectory))
    except UnicodeEncodeError as error:
        raise TrajectoryError(f"{place}: cannot be written (a name is no text: {error.reason})") from None
    except (OSError, ValueError) as error:
        raise TrajectoryError(f"{place}: cannot be written ({getattr(error, 'strerror', None) or error})") from None
