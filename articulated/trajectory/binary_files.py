"""Trajectories in binary files: NPZ without pickles, and HDF5.

Arrays ``time`` ``(n,)``, ``q`` ``(..., n, nq)``, ``v``, ``a``, ``tau`` ``(..., n, nv)``, in the model's order; what else was
recorded is ``column:NAME`` in NPZ files, and a dataset of the group ``columns`` in HDF5 files, with ``%XX`` for what means
something in paths. HDF5 files have the names of the coordinates too, ``q_names`` and ``v_names``, which have to be the
model's. ``pluecker_model`` is the model, as text: see :mod:`~pluecker.articulated.trajectory.stored_model`. Where motions of
a batch failed, ``pluecker_failures`` names them.

Both have checksums, so that a file that is damaged is refused, and not read as other numbers: the zip format has one for
each array, and of HDF5 files :mod:`pluecker.spatial.hdf5` says what they have.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model, listing
from pluecker.articulated.trajectory.samples import COLUMNS, Samples, TrajectoryError, names_of
from pluecker.articulated.trajectory.stored_model import (
    FAILURES,
    MODEL,
    failures_of,
    model_of,
    text_of,
    text_of_failures,
)
from pluecker.spatial.extras import require
from pluecker.spatial.files import LARGEST_FILE, escaped, open_file, unescaped
from pluecker.spatial.hdf5 import Hdf5Error, add_dataset, check_list, entries, read_dataset, seal
from pluecker.spatial.npz import NpzError, npz_content, read_npz

__all__ = ["HDF5", "need_hdf5", "read_hdf5", "read_trajectory_npz", "write_hdf5", "write_npz"]

Array = NDArray[np.float64]
HDF5 = (".h5", ".hdf5")
PREFIX = "column:"
GROUP = "columns/"
LARGEST_UNPACKED = LARGEST_FILE  # bytes in a file's arrays, unpacked


def arrays_of(trajectory: Samples, prefix: str) -> dict[str, Array]:
    """Gather all arrays of a trajectory, by their names in a file."""
    parts = {part: getattr(trajectory, part) for part in COLUMNS if getattr(trajectory, part) is not None}
    return {**parts, **{prefix + escaped(name): values for name, values in trajectory.columns.items()}}


def to_trajectory(
    path: Path, model: Model | None, found: dict[str, Any], others: list[str], prefix: str, kind: str
) -> Samples:
    """Make a trajectory from the arrays of a file, as float64."""
    arrays: dict[str, Array] = {}
    stored, ended = found.pop(MODEL, None), found.pop(FAILURES, None)
    failures = () if ended is None else failures_of(path, ended)
    for name, values in found.items():
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "iuf":
            got = getattr(values, "dtype", "bytes")
            raise TrajectoryError(f"{path}: no {kind} file of numbers ({name} holds {got}, expected real numbers)")
        with np.errstate(over="ignore"):  # a long double that is too large is infinite, and refused as such
            arrays[name] = values.astype(np.float64)
    parts: dict[str, Any] = {name: values for name, values in arrays.items() if name in COLUMNS}
    if not parts:
        raise TrajectoryError(f"{path}: holds {listing(others)}, expected arrays among time, q, v, a, tau")
    lengths = (x.shape[0 if name == "time" else -2] for name, x in parts.items() if x.ndim > (name != "time"))
    length = next(lengths, 1)
    if length == 0:
        raise TrajectoryError(f"{path}: holds no samples, expected at least one")
    if model is None and stored is not None:
        model = model_of(path, stored)
    batch = next((x.shape[:-2] for name, x in parts.items() if name != "time"), ())
    if model is not None:
        check_shapes(path, model, parts, batch, length)
    columns = {unescaped(name[len(prefix) :]): values for name, values in arrays.items() if name not in COLUMNS}
    try:
        return Samples(**parts, model=model, columns=columns, failures=failures)
    except TrajectoryError as error:
        raise TrajectoryError(f"{path}: {str(error).removeprefix('Trajectory: ')}") from None


def check_shapes(path: Path, model: Model, parts: dict[str, Array], batch: tuple[int, ...], length: int) -> None:
    """Refuse parts of other widths than the model's."""
    for name, values in parts.items():
        shape = (length,) if name == "time" else (*batch, length, len(names_of(model, name)))
        if values.shape != shape:
            raise TrajectoryError(f"{path}: {name} has shape {values.shape}, expected {shape} for model {model.name!r}")


# -------------------------------------------------------------------------------------------------------------------- NPZ


def read_trajectory_npz(path: Path, model: Model | None) -> Samples:
    """The trajectory of a file of NumPy's."""
    wanted = (*COLUMNS, FAILURES) if model is not None else (*COLUMNS, FAILURES, MODEL)
    try:
        found, others = read_npz(path, lambda name: name in wanted or name.startswith(PREFIX), LARGEST_UNPACKED)
    except NpzError as error:
        raise TrajectoryError(f"{path}: no NPZ file of numbers ({error})") from None
    return to_trajectory(path, model, found, others, PREFIX, "NPZ")


def write_npz(file: BinaryIO, model: Model, trajectory: Samples) -> None:
    """Compressed, with the model."""
    texts = {
        MODEL: text_of(model),
        **({FAILURES: text_of_failures(trajectory.failures)} if trajectory.failures else {}),
    }
    file.write(npz_content({**arrays_of(trajectory, PREFIX), **texts}, compressed=True))


# ------------------------------------------------------------------------------------------------------------------- HDF5


def need_hdf5() -> Any:
    """Import the library h5py.

    Raises:
        MissingExtraError: it is not installed.
    """
    return require("h5py", "hdf5", "trajectories in HDF5 files")


def read_hdf5(path: Path, model: Model | None) -> Samples:
    """Read a trajectory from an HDF5 file."""
    h5py = need_hdf5()
    found: dict[str, Any] = {}
    with open_file(path) as stream, damaged(path, "the file"):
        size = stream.seek(0, io.SEEK_END)
        with h5py.File(stream, "r") as file:
            check_list(h5py, file)
            own = dict(entries(h5py, file))
            group = own.get(GROUP[:-1])
            columns = dict(entries(h5py, group)) if isinstance(group, h5py.Group) else {}
            wanted = {
                **{name: own.get(name) for name in (*COLUMNS, FAILURES, *(() if model else (MODEL,)))},
                **{GROUP + name: x for name, x in columns.items()},
            }
            there = {name: x for name, x in wanted.items() if isinstance(x, h5py.Dataset)}
            unpacked = sum(x.nbytes for x in there.values())
            if unpacked > LARGEST_UNPACKED:
                raise Hdf5Error(f"holds {unpacked / 1e9:.3g} GB, expected {LARGEST_UNPACKED / 1e9:.3g} at most")
            for part in ("q_names", "v_names"):
                if model is not None and isinstance(own.get(part), h5py.Dataset):
                    with damaged(path, part):
                        check_names(path, model, part, read_dataset(own[part], part, size))
            for name, x in there.items():
                with damaged(path, name):
                    found[name] = read_dataset(x, name, size)
    others = [name for name in own if name not in COLUMNS]
    return to_trajectory(path, model, found, others, GROUP, "HDF5")


@contextlib.contextmanager
def damaged(path: Path, place: str) -> Iterator[None]:
    """Convert any exception that a damaged file raises inside to a :class:`TrajectoryError` that names the place."""
    try:
        yield
    except TrajectoryError:
        raise
    except Exception as error:  # of any type: it depends on the damage
        raise TrajectoryError(
            f"{path}: no HDF5 file of numbers ({place}: {' '.join(str(error).split())[:200]})"
        ) from None


def check_names(path: Path, model: Model, part: str, found: Any) -> None:
    """Check that the names of coordinates in a file are the model's."""
    if getattr(found, "dtype", np.dtype(object)).kind != "S":
        raise Hdf5Error(f"{part} holds no strings of fixed length")
    names = [name.decode("utf-8", "replace") for name in found.ravel()]
    expected = getattr(model, part)
    if tuple(names) != tuple(expected):
        raise TrajectoryError(
            f"{path}: is of a mechanism with {part} {listing(names)}, model {model.name!r} has {listing(expected)}"
        )


def write_hdf5(file: BinaryIO, model: Model, trajectory: Samples) -> None:
    """Compressed, with the model, the names of the coordinates, and checksums."""
    h5py = need_hdf5()
    content = io.BytesIO()  # it reads, too, what it has written
    with h5py.File(content, "w") as target:
        for name, values in arrays_of(trajectory, GROUP).items():
            group, _, own = name.rpartition("/")
            add_dataset(target.require_group(group) if group else target, own, values, compression="gzip", shuffle=True)
        add_dataset(target, MODEL, text_of(model), compression="gzip")
        if trajectory.failures:
            add_dataset(target, FAILURES, text_of_failures(trajectory.failures), compression="gzip")
        for part in ("q_names", "v_names"):
            add_dataset(target, part, np.array([name.encode() for name in getattr(model, part)], dtype=np.bytes_))
        seal(h5py, target)
    file.write(content.getbuffer())
