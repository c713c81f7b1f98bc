"""Where the samples of a simulation go: into memory, or into files that grow as it goes on.

A recording in files is a folder with one NumPy file for each quantity, ``time.npy``, ``q.npy``, ..., whose first axis counts
samples, and the axes of a batch come behind it. Each file is complete after each block of samples, whatever happens later.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.memory.reuse import empty

__all__ = ["FileRecording", "MemoryRecording", "Recording", "as_folder"]

Array = NDArray[np.float64]
Block = Mapping[str, Array]
HEAD = 256  # bytes before the numbers of a file: room for any number of samples
LARGEST_BLOCK = 2**22  # bytes of samples that are written at once: many pages, and less than a cache


class Recording:
    """The samples ``0`` to ``samples - 1``: arrays ``(samples, states, width)`` by name, which the loop fills.

    Attributes:
        widths: of each array.
    """

    def __init__(self, samples: int, states: int, widths: Mapping[str, int]) -> None:
        self.samples, self.states, self.widths = samples, states, dict(widths)

    def room(self, first: int, most: int) -> tuple[list[Array], int, int]:
        """The arrays into which the next samples go, the number of the sample at their beginning, and how many fit."""
        raise NotImplementedError

    def written(self, first: int, complete: Callable[[Block], Block], times: Array) -> None:
        """Samples from ``first`` on are there, of these times; ``complete`` computes what belongs to them besides."""
        raise NotImplementedError

    def result(self, count: int) -> dict[str, Array]:
        """All arrays of the first samples, ``(samples, states, ...)``, time among them."""
        raise NotImplementedError


class MemoryRecording(Recording):
    """All of them in memory."""

    def __init__(self, samples: int, states: int, widths: Mapping[str, int]) -> None:
        super().__init__(samples, states, widths)
        try:
            self.arrays = {name: empty((samples, states, width)) for name, width in widths.items()}
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
    """Blocks of them, which are written to files one after the other."""

    def __init__(
        self, samples: int, states: int, widths: Mapping[str, int], folder: Path, batch: Sequence[int]
    ) -> None:
        super().__init__(samples, states, widths)
        self.folder, self.batch = folder, tuple(batch)
        self.block = max(1, min(samples, LARGEST_BLOCK // (8 * states * max(1, sum(widths.values())))))
        room = self.block + 1  # the last state is a sample of its own
        self.arrays = {name: np.empty((room, states, width)) for name, width in widths.items()}
        self.files: dict[str, BinaryIO] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArgumentValueError(f"simulate: record_to: {folder} cannot be made ({error.strerror})") from None

    def room(self, first: int, most: int) -> tuple[list[Array], int, int]:
        return list(self.arrays.values()), first, min(most, self.block)

    def written(self, first: int, complete: Callable[[Block], Block], times: Array) -> None:
        count = len(times)
        found = {name: array[:count] for name, array in self.arrays.items() if array.shape[2]}
        found["time"] = times
        for name, array in {**found, **complete(found)}.items():
            shape = (count,) if name == "time" else (count, *self.batch, *array.shape[2:])
            self.append(first, name, array.reshape(shape))

    def append(self, first: int, name: str, array: Array) -> None:
        """Write samples behind those that are there, and then how many there are."""
        if name not in self.files:
            self.files[name] = (self.folder / f"{name}.npy").open("w+b")
        file = self.files[name]
        file.seek(HEAD + 8 * first * int(np.prod(array.shape[1:])))
        file.write(np.ascontiguousarray(array, dtype="<f8").tobytes())
        file.seek(0)
        file.write(head((first + len(array), *array.shape[1:])))
        file.flush()

    def result(self, count: int) -> dict[str, Array]:
        for file in self.files.values():
            file.close()
        found = {}
        for name in self.files:
            array = np.load(self.folder / f"{name}.npy", mmap_mode="r")[:count].view(np.ndarray)
            found[name] = (
                array if name == "time" else array.reshape(len(array), self.states, *array.shape[1 + len(self.batch) :])
            )
        return found


def head(shape: tuple[int, ...]) -> bytes:
    """How a file of NumPy's begins, format 1.0, filled up to so many bytes."""
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape!r}, }}"
    return b"\x93NUMPY\x01\x00" + (HEAD - 10).to_bytes(2, "little") + text.ljust(HEAD - 11).encode() + b"\n"


def as_folder(path: Any) -> Path:
    """Where a recording goes: a folder that is not there yet, or is empty."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise ArgumentTypeError(f"simulate: record_to is a {type(path).__name__}, expected the path of a folder")
    folder = Path(path)
    try:
        taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except (OSError, ValueError) as error:
        raise ArgumentValueError(f"simulate: record_to: {shown(str(path))} cannot be used ({error})") from None
    if taken:
        raise ArgumentValueError(
            f"simulate: record_to: {folder} is there already, expected a new folder, or an empty one"
        )
    return folder
