"""Trajectories in binary files: NPZ without pickles, and HDF5.

Arrays ``time`` ``(n,)``, ``q`` ``(..., n, nq)``, ``v``, ``a``, ``tau`` ``(..., n, nv)``, in the model's order; what else was
recorded is ``column:NAME`` in NPZ files, and a dataset of the group ``columns`` in HDF5 files. These have the names of the
coordinates too, ``q_names`` and ``v_names``, which have to be the model's.
"""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model, listing
from pluecker.articulated.simulation.trajectory import COLUMNS, Trajectory, TrajectoryError, names_of
from pluecker.spatial.extras import require

__all__ = ["HDF5", "need_hdf5", "read_hdf5", "read_npz", "write_hdf5", "write_npz"]

Array = NDArray[np.float64]
HDF5 = (".h5", ".hdf5")
PREFIX = "column:"
GROUP = "columns/"
# bytes in a file's arrays, unpacked: chosen, so that what is taken for a trajectory fits in memory
LARGEST = 2**32


def arrays_of(trajectory: Trajectory, prefix: str) -> dict[str, Array]:
    """All arrays, by their names in a file."""
    parts = {part: getattr(trajectory, part) for part in COLUMNS if getattr(trajectory, part) is not None}
    return {**parts, **{prefix + name: values for name, values in trajectory.columns.items()}}


def to_trajectory(
    path: Path, model: Model, found: dict[str, Any], others: list[str], prefix: str, kind: str
) -> Trajectory:
    """The arrays of a file, as float64."""
    arrays: dict[str, Array] = {}
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
    batch = next((x.shape[:-2] for name, x in parts.items() if name != "time"), ())
    for name, values in parts.items():
        shape = (length,) if name == "time" else (*batch, length, len(names_of(model, name)))
        if values.shape != shape:
            raise TrajectoryError(f"{path}: {name} has shape {values.shape}, expected {shape} for model {model.name!r}")
    columns = {name[len(prefix) :]: values for name, values in arrays.items() if name not in COLUMNS}
    try:
        return Trajectory(**parts, model=model, columns=columns)
    except TrajectoryError as error:
        raise TrajectoryError(f"{path}: {str(error).removeprefix('Trajectory: ')}") from None


# -------------------------------------------------------------------------------------------------------------------- NPZ

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


def read_npz(path: Path, model: Model) -> Trajectory:
    """The trajectory of a file of NumPy's."""
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise TrajectoryError(f"{path}: no NPZ file of numbers (it is no zip file)")
    found: dict[str, Any] = {}
    others = []
    try:
        with np.load(path, allow_pickle=False) as data:
            refuse_large(path, sum(entry.file_size for entry in data.zip.infolist()))
            for name in data.files:
                if name not in COLUMNS and not name.startswith(PREFIX):
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
    return to_trajectory(path, model, found, others, PREFIX, "NPZ")


def refuse_large(path: Path, unpacked: int) -> None:
    """Refuse what does not fit in memory."""
    if unpacked > LARGEST:
        raise TrajectoryError(f"{path}: holds {unpacked / 1e9:.3g} GB, expected {LARGEST / 1e9:.3g} at most")


def write_npz(file: BinaryIO, trajectory: Trajectory) -> None:
    """Compressed."""
    arrays: dict[str, Any] = arrays_of(trajectory, PREFIX)
    np.savez_compressed(file, **arrays)


# ------------------------------------------------------------------------------------------------------------------- HDF5


def need_hdf5() -> Any:
    """The library.

    Raises:
        MissingExtraError: it is not installed.
    """
    return require("h5py", "hdf5", "trajectories in HDF5 files")


def read_hdf5(path: Path, model: Model) -> Trajectory:
    """The trajectory of an HDF5 file."""
    h5py = need_hdf5()
    found: dict[str, Any] = {}
    others: list[str] = []
    with path.open("rb"):  # what cannot be opened at all is an error of the system
        pass
    try:
        with h5py.File(path, "r") as file:
            datasets = {name: x for name, x in walk(h5py, file) if name in COLUMNS or name.startswith(GROUP)}
            others += [name for name in file if name not in COLUMNS]
            refuse_large(path, sum(x.nbytes for x in datasets.values()))
            for part in ("q_names", "v_names"):
                check_names(path, model, part, file)
            for name, x in datasets.items():
                found[name] = x[()]
    except TrajectoryError:
        raise
    except MemoryError:
        raise TrajectoryError(f"{path}: no HDF5 file of numbers (an array is larger than the memory)") from None
    except Exception as error:  # of any type: it depends on the damage
        raise TrajectoryError(f"{path}: no HDF5 file of numbers ({' '.join(str(error).split())[:200]})") from None
    return to_trajectory(path, model, found, others, GROUP, "HDF5")


def walk(h5py: Any, group: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """All datasets, with their places."""
    found = []
    for name, entry in group.items():
        if isinstance(entry, h5py.Dataset):
            found.append((prefix + name, entry))
        elif isinstance(entry, h5py.Group):
            found += walk(h5py, entry, f"{prefix}{name}/")
    return found


def check_names(path: Path, model: Model, part: str, file: Any) -> None:
    """The names of coordinates, where the file has them, are the model's."""
    if part not in file:
        return
    names = [name.decode("utf-8", "replace") for name in file[part][()]]
    expected = getattr(model, part)
    if tuple(names) != tuple(expected):
        raise TrajectoryError(
            f"{path}: is of a mechanism with {part} {listing(names)}, model {model.name!r} has {listing(expected)}"
        )


def write_hdf5(file: BinaryIO, model: Model, trajectory: Trajectory) -> None:
    """Compressed, with the names of the coordinates."""
    h5py = need_hdf5()
    content = io.BytesIO()  # it reads, too, what it has written
    with h5py.File(content, "w") as target:
        for name, values in arrays_of(trajectory, GROUP).items():
            target.create_dataset(name, data=values, compression="gzip", shuffle=True)
        for part in ("q_names", "v_names"):
            target[part] = np.array([name.encode() for name in getattr(model, part)], dtype=h5py.string_dtype())
    file.write(content.getbuffer())
