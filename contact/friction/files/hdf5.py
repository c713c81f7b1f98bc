"""HDF5 files that may be anything: what cannot be read is one error that names the file and the place in it.

A file is read into memory as a whole, and written from there: the errors of the file system are Python's own, the library
never sees a file that changes, and nothing half written is ever left under the name that was asked for. What a file says
about the size of a dataset is believed only as far as the file is long enough to hold it. :mod:`pluecker.spatial.hdf5` has
the checksums of files that are written here, and what is checked of those of others.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pluecker.contact.errors import FileError
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.extras import require
from pluecker.spatial.files import read_file, reason_of, whole_file
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.hdf5 import Hdf5Error, check_list, entries, read_dataset, seal

__all__ = ["Reader", "file_error", "to_path", "write_file", "write_hdf5", "write_text"]

SIGNATURE = b"\x89HDF\r\n\x1a\n"
LARGEST_INTEGER = 2**31 - 1
WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
PURPOSE = "fclib", "reading and writing FCLIB files"


def to_path(function: str, path: str | os.PathLike[str]) -> Path:
    """Return the argument as a path."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"{function}: argument path is a {type(path).__name__}, expected the path of a file")
    return Path(path)


def shown(path: Path) -> str:
    """Return a path as text for messages: in one line, and not longer than the message."""
    text = str(path)
    return (text if text.isprintable() else repr(text))[:200]


def file_error(path: Path, place: str, complaint: str) -> FileError:
    """Make the error of a place in a file."""
    return FileError(f"{shown(path)}: {place}{': ' if place else ''}{complaint}")


# --------------------------------------------------------------------------------------------------------------- reading


class Reader:
    """Reader of one HDF5 file: its datasets, by their place in it. A context manager.

    Attributes:
        path: the file.

    Raises:
        FileError: of every method, and of the constructor.
        MissingExtraError: h5py is not installed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.h5py = require("h5py", *PURPOSE)
        try:
            content = read_file(path)
        except IsADirectoryError:
            raise FileError(f"{shown(path)}: this is a folder, expected an HDF5 file") from None
        except (OSError, ValueError) as error:
            raise FileError(f"{shown(path)}: cannot be read ({reason_of(error)})") from None
        self.size = len(content)
        if not self.size:
            raise FileError(f"{shown(path)}: the file is empty, expected an HDF5 file")
        starts = [0] + [512 << k for k in range(self.size.bit_length())]
        if not any(content.startswith(SIGNATURE, start) for start in starts):
            raise FileError(
                f"{shown(path)}: this is no HDF5 file, it begins with {content[:8]!r}, expected {SIGNATURE!r}"
            )
        with self.reading(""):
            self.file = self.h5py.File(io.BytesIO(content), "r")
            check_list(self.h5py, self.file)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # of a damaged file; all that was asked for has been read
            self.file.close()

    def error(self, place: str, complaint: str) -> FileError:
        """Make the error of a place in the file."""
        return file_error(self.path, place, complaint)

    @contextlib.contextmanager
    def reading(self, place: str) -> Iterator[None]:
        """Turn whatever the library raises on a damaged file into the error of the place."""
        try:
            yield
        except FileError:
            raise
        except Hdf5Error as error:
            raise self.error(place, str(error)) from None
        except Exception as error:  # of any type: it depends on the damage
            raise self.error(place, f"cannot be read, the file is damaged or cut off ({reason_of(error)})") from None

    def names(self, group: str) -> list[str]:
        """Return the names of what a group holds; none where there is no such group."""
        with self.reading(group):
            found = self.find(group)
            return [name for name, _ in entries(self.h5py, found)] if isinstance(found, self.h5py.Group) else []

    def find(self, place: str) -> Any:
        """Return a group or a dataset of this file; None where there is none, or one of another file."""
        found = self.file
        for name in place.strip("/").split("/") if place.strip("/") else ():
            if not isinstance(found, self.h5py.Group) or not isinstance(
                found.get(name, getlink=True), (self.h5py.HardLink, self.h5py.SoftLink)
            ):
                return None
            found = found.get(name)
        return None if found is None or found.file != self.file else found

    def has(self, place: str) -> bool:
        """Return whether there is a group or a dataset of this file at that place."""
        with self.reading(place):
            return self.find(place) is not None

    def dataset(self, place: str, dimensions: int, kinds: str, expected: str) -> Any:
        """Read the raw values of a dataset, after checks of its type and its size."""
        with self.reading(place):
            found = self.find(place)
            if found is None:
                raise self.error(place, "is missing")
            if not isinstance(found, self.h5py.Dataset):
                raise self.error(place, f"is a group, expected {expected}")
            if found.dtype.kind not in kinds:
                raise self.error(place, f"holds values of type {found.dtype}, expected {expected}")
            shape = found.shape
            if shape is None or (len(shape) != dimensions and not (dimensions == 0 and found.size == 1)):
                raise self.error(place, f"has the shape {shape}, expected {expected}")
            return read_dataset(found, place.strip("/"), self.size)

    def integers(self, place: str, dimensions: int = 1, expected: str = "a row of integers") -> Indices:
        """Read a row of integers of 32 bits."""
        values = np.asarray(self.dataset(place, dimensions, "iu", expected))
        wrong = (values > LARGEST_INTEGER) | (values < -LARGEST_INTEGER - 1)
        if wrong.any():
            raise self.error(place, f"holds {values[wrong].ravel()[0]}, expected integers of 32 bits")
        return values.astype(np.int64)

    def integer(self, place: str) -> int:
        """Read one integer."""
        return int(self.integers(place, 0, "one integer").reshape(-1)[0])

    def numbers(self, place: str) -> Array:
        """Read a row of real numbers."""
        values = self.dataset(place, 1, "fiu", "a row of real numbers")
        with np.errstate(over="ignore"):
            return np.asarray(values, np.float64)

    def text(self, place: str) -> str:
        """Read a string of fixed length, as C writes it; empty, where there is none, or one of variable length.

        Those are in a heap, and the library does not come back from a damaged one.
        """
        with self.reading(place):
            found = self.find(place)
            if found is None or (isinstance(found, self.h5py.Dataset) and found.dtype.kind == "O"):
                return ""
        value = np.asarray(self.dataset(place, 0, "S", "a string")).reshape(-1)[0]
        return bytes(value).split(b"\0")[0].decode("utf-8", "replace")


# --------------------------------------------------------------------------------------------------------------- writing


def write_text(h5py: Any, group: Any, name: str, text: str) -> None:
    """Write a string as C reads it: of fixed length, with a zero at its end."""
    content = text.encode() + b"\0"
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(len(content))
    kind.set_strpad(h5py.h5t.STR_NULLTERM)
    space = h5py.h5s.create(h5py.h5s.SCALAR)
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_obj_track_times(False)  # the same problem makes the same file
    dataset = h5py.h5d.create(group.id, name.encode(), kind, space, properties)
    dataset.write(space, space, np.array(content, f"S{len(content)}"), mtype=kind)


def write_hdf5(path: Path, fill: Callable[[Any, Any], None], replace: bool) -> None:
    """Write an HDF5 file: ``fill(h5py, file)`` makes its content.

    Raises:
        FileError: as for :func:`write_file`.
        MissingExtraError: h5py is not installed.
    """
    h5py = require("h5py", *PURPOSE)
    content = io.BytesIO()
    with h5py.File(content, "w") as file:
        fill(h5py, file)
        seal(h5py, file)
    write_file(path, content.getvalue(), replace)


def write_file(path: Path, content: bytes, replace: bool) -> None:
    """Put a file where none is, or in the place of another, whole or not at all.

    A file is replaced by another one of the same name. That needs no permission to write the first, so that its permissions
    are asked for here, as they are written, whoever asks, and handed on.

    Raises:
        FileError: there is a file and ``replace`` is not set, or nobody may write it; or the new one cannot be written. What
            was there before is still there.
    """
    try:
        path = Path(os.path.realpath(path))  # a link stays a link
        mode = stat.S_IMODE(path.stat().st_mode) if path.is_file() else None
        if mode is not None and not replace:
            raise FileExistsError(0, "the file exists, and is replaced with replace=True only")
        if mode is not None and not mode & WRITABLE:
            raise PermissionError(0, f"the file exists, and its mode {mode:04o} lets nobody write it")
        with whole_file(path) as file:
            file.write(content)
    except (OSError, ValueError) as error:
        raise FileError(f"{shown(path)}: cannot be written ({reason_of(error)})") from None
