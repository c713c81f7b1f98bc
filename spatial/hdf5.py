"""HDF5 files that may be anything: what is written has checksums, and what is read is checked before memory is asked for.

A dataset that this package writes has two checksums: Fletcher's, by the library, which every reader of HDF5 compares, and an
attribute ``checksum`` over its name, its type, its shape and its numbers. The file has one too, over the names of all
datasets and their checksums, so that none can be lost. Whoever edits a file deletes these attributes with what is changed.

Of files without them it is checked that they are long enough for what they say, and that all of it is in them; whether a
number is the one that was written, nothing can tell.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.files import DEFLATE

__all__ = ["ATTRIBUTE", "Hdf5Error", "add_dataset", "check_list", "entries", "read_dataset", "seal"]

ATTRIBUTE = "checksum"
DIGITS = 32  # of 64, of SHA-256
MOST_ENTRIES = 10_000  # of a group, and datasets of a file: chosen, as for NPZ files
MOST_CHUNKS = 100_000  # that are looked for where there may be none: a second
LARGEST_CHUNK = 2**26  # bytes, unpacked, of a dataset that is smaller itself
CURE = "the file is damaged, or was edited: delete the attributes 'checksum' then"


class Hdf5Error(ArgumentValueError):
    """A dataset that cannot be read; the message names neither the file nor the place in it, which callers add."""


# --------------------------------------------------------------------------------------------------------------- writing


def add_dataset(group: Any, name: str, values: Any, **options: Any) -> None:
    """Write an array with its checksums: that of the library needs chunks, which a single number is too small for."""
    values = np.asarray(values)
    chunked = {"fletcher32": True, **options} if values.ndim and values.size > 1 else {}
    dataset = group.create_dataset(name, data=values, **chunked)
    dataset.attrs[ATTRIBUTE] = np.bytes_(checksum(f"{group.name}/{name}".strip("/"), values))


def seal(h5py: Any, file: Any) -> None:
    """Give a file its checksum, and all datasets that have none theirs; nothing is written afterwards."""
    for place, dataset in datasets(h5py, file):
        if not stated(dataset):
            dataset.attrs[ATTRIBUTE] = np.bytes_(checksum(place, dataset[()]))
    file.attrs[ATTRIBUTE] = np.bytes_(list_checksum(h5py, file))


def checksum(place: str, values: Any) -> str:
    """Return the checksum over the name, the type, the shape and the numbers of a dataset, in hexadecimal digits."""
    values = np.asarray(values)
    found = hashlib.sha256(f"{place}\n{values.dtype.str}\n{values.shape}\n".encode())
    found.update(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data)
    return found.hexdigest()[:DIGITS]


def list_checksum(h5py: Any, file: Any) -> str:
    """Return the checksum over the names of all datasets and their checksums, in hexadecimal digits."""
    lines = sorted(f"{place} {stated(dataset)}" for place, dataset in datasets(h5py, file))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:DIGITS]


# --------------------------------------------------------------------------------------------------------------- reading


def stated(entry: Any) -> str:
    """Return the checksum that a dataset or a file states in its attribute; empty without one."""
    if ATTRIBUTE not in entry.attrs:
        return ""
    kind = entry.attrs.get_id(ATTRIBUTE).dtype
    if kind.kind != "S" or kind.itemsize != DIGITS:
        raise Hdf5Error(f"its checksum is of another kind; {CURE}")
    return bytes(entry.attrs[ATTRIBUTE]).decode("ascii", "replace")


def entries(h5py: Any, group: Any) -> Iterator[tuple[str, Any]]:
    """Yield names and entries of a group; soft links, and links to other files, are skipped."""
    if len(group) > MOST_ENTRIES:
        raise Hdf5Error(f"holds {len(group)} entries, expected {MOST_ENTRIES} at most")
    for name in group:
        if isinstance(group.get(name, getlink=True), h5py.HardLink):
            yield str(name), group[name]


def datasets(h5py: Any, file: Any) -> list[tuple[str, Any]]:
    """List all datasets of a file with their paths. A group that is met twice, as where it holds itself, is visited once."""
    found: list[tuple[str, Any]] = []
    waiting, met = [("", file)], set()
    while waiting:
        prefix, group = waiting.pop()
        for name, entry in entries(h5py, group):
            if isinstance(entry, h5py.Dataset):
                found.append((prefix + name, entry))
            elif isinstance(entry, h5py.Group) and (address := h5py.h5o.get_info(entry.id).addr) not in met:
                met.add(address)
                waiting.append((f"{prefix}{name}/", entry))
            if len(found) + len(met) > MOST_ENTRIES:
                raise Hdf5Error(f"holds more than {MOST_ENTRIES} datasets")
    return found


def check_list(h5py: Any, file: Any) -> None:
    """Refuse a file that has lost a dataset since it was sealed."""
    if (own := stated(file)) and own != list_checksum(h5py, file):
        raise Hdf5Error(f"its datasets are not those of its checksum; {CURE}")


def read_dataset(dataset: Any, place: str, size: int) -> Any:
    """Read the values of a dataset, and check its size and its checksum.

    Args:
        dataset: of h5py.
        place: its name as it was written, with those of the groups around it.
        size: of the file, in bytes.

    Raises:
        Hdf5Error: it cannot be as large as it says, is elsewhere, or does not agree with its checksum.
    """
    if dataset.is_virtual or dataset.external:
        raise Hdf5Error("its numbers are in other files")
    check_size(dataset, size)
    values = dataset[()]
    if (own := stated(dataset)) and own != checksum(place, values):
        raise Hdf5Error(f"does not agree with its checksum; {CURE}")
    return values


def check_size(dataset: Any, size: int) -> None:
    """Refuse a dataset that claims more bytes than the file can hold, before memory is allocated.

    A dataset that was never written has no bytes in the file, and reads as zeros: published solutions are such. It may be as
    large as the file.
    """
    if dataset.shape is None or not dataset.size:
        return
    claimed, stored, chunk = dataset.nbytes, dataset.id.get_storage_size(), dataset.chunks
    packed = chunk is not None and dataset.id.get_create_plist().get_nfilters() > 0
    if stored > size or claimed > max(size, stored * (DEFLATE if packed else 1)):
        raise Hdf5Error(f"claims {claimed} bytes, in a file of {size} that has {stored} of it: the file is damaged")
    if chunk is None:
        return
    one = math.prod(chunk) * dataset.dtype.itemsize
    needed = math.prod(-(-length // part) for length, part in zip(dataset.shape, chunk, strict=True))
    if one > max(LARGEST_CHUNK, 2 * claimed) or needed > max(MOST_CHUNKS, 4 * dataset.id.get_num_chunks()):
        raise Hdf5Error(f"claims {needed} chunks of {one} bytes for {claimed}: the file is damaged")
