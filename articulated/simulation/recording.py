"""Recordings, which take the samples of a simulation: in memory, or in files that grow as it goes on.

A recording in files is a folder with one NumPy file for each quantity, ``time.npy``, ``q.npy``, ..., whose first axis counts
samples, and the axes of a batch come behind it. All files are whole after each block of samples, whatever happens later. The
name of a frame is that of its file, with ``%XX`` for what means something in paths; ``urllib.parse.unquote`` gives it back.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.errors import OutputError
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.files import file_names, reason_of, take_room, undisturbed, write_all

__all__ = ["FileRecording", "MemoryRecording", "Recording", "as_folder"]

Array = NDArray[np.float64]
Block = Mapping[str, Array]
LARGEST_BLOCK = 2**22  # bytes of samples that are written at once: many pages, and less than a cache
PAUSE = 0.1  # s: from one writing to the next, where samples come one by one


class Recording:
    """Recording of the samples ``0`` to ``samples - 1``: arrays ``(samples, states, width)`` by name, which the loop fills.

    Attributes:
        widths: of each array.
    """

    def __init__(self, samples: int, states: int, widths: Mapping[str, int]) -> None:
        self.samples, self.states, self.widths = samples, states, dict(widths)

    def room(self, first: int, most: int) -> tuple[list[Array], int, int]:
        """Return the arrays for the next samples, the number of the sample at their beginning, and how many samples fit."""
        raise NotImplementedError

    def written(self, first: int, complete: Callable[[Block], Block], times: Array) -> None:
        """Accept samples from ``first`` on, filled in by now, with their times; ``complete`` computes other quantities."""
        raise NotImplementedError

    def result(self, count: int) -> dict[str, Array]:
        """Return all arrays of the first ``count`` samples, ``(samples, states, ...)``, and time ``(samples,)``."""
        raise NotImplementedError


class MemoryRecording(Recording):
    """Recording in memory."""

    def __init__(self, samples: int, states: int, widths: Mapping[str, int]) -> None:
        super().__init__(samples, states, widths)
        try:
            self.arrays = {name: np.empty((samples, states, width)) for name, width in widths.items()}
        except (MemoryError, ValueError):
            size = 8.0 * samples * states * sum(widths.values())
            raise ArgumentValueError(
                f"simulate: {samples} samples of {states} states take {size / 1e9:.3g} GB, more than there is; "
                "record fewer of them by every, or to files by record_to"
            ) from None
        self.complete: Callable[[Block], Block] = dict
        self.times: list[Array] = []

    def room(self, first: int, most: int) -> tuple[list[Array], int, int]:
        return list(self.arrays.values()), 0, most

    def written(self, first: int, complete: Callable[[Block], Block], times: Array) -> None:
        self.complete = complete  # computed at once, at the end
        self.times.append(times)

    def result(self, count: int) -> dict[str, Array]:
        if not count:
            return {}
        times = self.times[0] if len(self.times) == 1 else np.concatenate(self.times)
        found = {"time": times[:count]}  # more are written where Ctrl-C came before they were counted
        found |= {name: array[:count] for name, array in self.arrays.items() if array.shape[2]}
        return {**found, **self.complete(found)}


class FileRecording(Recording):
    """Recording in files, to which samples are appended block by block.

    At any time the files are whole, and hold as many samples as one another: room for a block is taken in all of them before
    anything is written, the number of samples stands in their heads when all of it is there, and no signal comes in between.

    Attributes:
        count: how many samples are in the files.
    """

    def __init__(
        self, samples: int, states: int, widths: Mapping[str, int], folder: Path, batch: Sequence[int]
    ) -> None:
        super().__init__(samples, states, widths)
        self.folder, self.batch, self.count = folder, tuple(batch), 0
        self.block = max(1, min(samples, LARGEST_BLOCK // max(1, 8 * states * sum(widths.values()))))
        room = self.block + 1  # the last state is a sample of its own
        self.arrays = {name: np.empty((room, states, width)) for name, width in widths.items()}
        self.files: dict[str, SampleFile] = {}
        self.times: list[Array] = []  # of samples that are in no file yet
        self.complete: Callable[[Block], Block] = dict
        self.last = time.monotonic()  # when they were written
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            said = f"simulate: record_to: {shown(str(folder))} cannot be made ({reason_of(error)})"
            raise ArgumentValueError(said) from None

    def room(self, first: int, most: int) -> tuple[list[Array], int, int]:
        return list(self.arrays.values()), self.count, min(most, self.block - (first - self.count))

    def written(self, first: int, complete: Callable[[Block], Block], times: Array) -> None:
        self.complete = complete
        self.times.append(times)
        there = first + len(times)
        if there - self.count >= self.block or time.monotonic() - self.last >= PAUSE:
            self.write(there)

    def write(self, there: int) -> None:
        """Write the samples up to this number that are in no file yet.

        Raises:
            OutputError: they cannot be written; the files are as before.
        """
        added = there - self.count
        if added <= 0:
            return
        found = {name: array[:added] for name, array in self.arrays.items() if array.shape[2]}
        found["time"] = np.concatenate(self.times)[:added]
        blocks = {
            name: array.reshape((added,) if name == "time" else (added, *self.batch, *array.shape[2:]))
            for name, array in {**found, **self.complete(found)}.items()
        }
        try:
            undisturbed(partial(self.append, blocks))
        except OSError as error:
            where = error.filename if isinstance(error.filename, str) else str(self.folder)
            raise OutputError(f"simulate: record_to: {where} cannot be written ({reason_of(error)})") from None

    def append(self, blocks: Block) -> None:
        """Append a block to all files, or, if that fails, to none."""
        before = self.count
        try:
            if not self.files:
                names = file_names(blocks)
                for name, array in blocks.items():
                    self.files[name] = SampleFile(self.folder / f"{names[name]}.npy", array.shape[1:])
            for name, array in blocks.items():
                self.files[name].take_room(before, len(array))
            for name, array in blocks.items():
                self.files[name].write(before, array)
            for name, array in blocks.items():
                self.files[name].state(before + len(array))
        except BaseException:
            for file in self.files.values():
                file.cut(before)
            if not before:
                self.files = {}
            raise
        self.count += len(blocks["time"])
        self.times, self.last = [], time.monotonic()

    def result(self, count: int) -> dict[str, Array]:
        self.write(count)
        found = {}
        for name, file in self.files.items():
            array = file.mapped()
            found[name] = (
                array if name == "time" else array.reshape(len(array), self.states, *array.shape[1 + len(self.batch) :])
            )
        return found


class SampleFile:
    """A file of NumPy's that grows: new, and there as soon as it has samples.

    Raises:
        OSError: of every method; it names the file.
    """

    def __init__(self, path: Path, shape: tuple[int, ...]) -> None:
        self.path, self.shape, self.stride = path, shape, 8 * math.prod(shape)
        self.head = len(head((2**63, *shape)))
        self.file = path.open("xb", buffering=0)
        weakref.finalize(self, self.file.close)  # also where a motion ends in an error

    def take_room(self, first: int, count: int) -> None:
        """Reserve room on the disk for ``count`` samples behind the first ones."""
        start = self.head + first * self.stride if first else 0
        with self.named():
            take_room(self.file, start, self.head + (first + count) * self.stride - start)

    def write(self, first: int, array: Array) -> None:
        """Write samples behind the first ones."""
        with self.named():
            self.file.seek(self.head + first * self.stride)
            if array.size:
                write_all(self.file, np.ascontiguousarray(array, dtype="<f8").data.cast("B"))

    def state(self, count: int) -> None:
        """Write how many samples there are."""
        with self.named():
            self.file.seek(0)
            write_all(self.file, head((count, *self.shape), self.head))

    def cut(self, count: int) -> None:
        """Go back to so many samples; without any there is no file."""
        with contextlib.suppress(OSError):  # what could not be written is told
            if count:
                self.state(count)
                self.file.truncate(self.head + count * self.stride)
            else:
                self.file.close()
                self.path.unlink()

    def mapped(self) -> Array:
        """Return the samples as a memory-mapped array; the file is closed."""
        self.file.close()
        array: Array = np.load(self.path, mmap_mode="r").view(np.ndarray)
        return array

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Add the name of the file to errors raised inside."""
        try:
            yield
        except OSError as error:
            error.filename = str(self.path)
            raise


def head(shape: tuple[int, ...], size: int = 0) -> bytes:
    """Return the header of a NumPy file, format 1.0, padded to ``size`` bytes, or to a multiple of 64."""
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape!r}, }}"
    size = size or -(-(len(text) + 11) // 64) * 64
    return b"\x93NUMPY\x01\x00" + (size - 10).to_bytes(2, "little") + text.ljust(size - 11).encode() + b"\n"


def as_folder(path: Any) -> Path:
    """Check the folder of a recording and return its path: one that does not exist yet, or is empty."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise ArgumentTypeError(f"simulate: record_to is a {type(path).__name__}, expected the path of a folder")
    folder = Path(path)
    try:
        if "\0" in str(folder):
            raise ValueError("embedded null byte")
        taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except (OSError, ValueError) as error:
        raise ArgumentValueError(f"simulate: record_to: {shown(str(path))} cannot be used ({error})") from None
    if taken:
        raise ArgumentValueError(
            f"simulate: record_to: {folder} is there already, expected a new folder, or an empty one"
        )
    return folder
