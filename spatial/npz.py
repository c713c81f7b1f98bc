"""NPZ files of NumPy's that may be anything: what cannot be read is one error, and nothing is taken at its word.

What a file says of its sizes is believed only as far as it is long enough, before memory is asked for; each array is read to
its end, where the checksum of the zip format stands. Arrays are plain numbers and strings, never Python objects.
"""

from __future__ import annotations

import io
import math
import os
import re
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

import numpy as np

from pluecker.spatial.errors import ArgumentValueError, PlueckerError, shown
from pluecker.spatial.files import DEFLATE, LARGEST_FILE, open_file, reason_of

__all__ = ["NpzError", "npz_content", "read_npz"]

MOST_MEMBERS = 10_000  # chosen: a name for each takes less than what it names
LONGEST_HEAD = 2**16  # bytes, the most of NumPy's format 1.0
LAST_RECORD = 22  # bytes at the end of a zip file, without a comment
MAGIC = b"\x93NUMPY"
# How an array begins, as NumPy and others write it.
DESCR = re.compile(r"""['"]descr['"]\s*:\s*['"]([<>|=]?[A-Za-z?]\d*)['"]""")
ORDER = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)\b""")
SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([\d,\s]*)\)""")


class NpzError(ArgumentValueError):
    """A file that is no readable NPZ file; the message does not name it, which callers do."""


def read_npz(
    path: str | os.PathLike[str], wanted: Callable[[str], bool], largest: int = LARGEST_FILE
) -> tuple[dict[str, Any], list[str]]:
    """Read the arrays whose names are wanted, and list the names of all others. Members that are no arrays come as bytes.

    Raises:
        OSError: it cannot be opened.
        NpzError: it is no such file, or a damaged one, or one that would not fit in memory.
    """
    found: dict[str, Any] = {}
    others: list[str] = []
    with open_file(path, largest) as file:
        try:
            if not zipfile.is_zipfile(file):
                raise NpzError("it is no zip file")
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                size = file.seek(0, os.SEEK_END)
                check_sizes(members, size, largest)
                check_count(file, size, len(members))
                for member in members:
                    name = member.filename.removesuffix(".npy")
                    if not wanted(name):
                        with archive.open(member):  # where its name stands again: a damaged one was wanted, perhaps
                            others.append(name)
                    elif name in found:
                        raise NpzError(f"holds {name} twice")
                    else:
                        found[name] = read_member(archive, member, name)
        except PlueckerError:
            raise
        except Exception as error:  # of any type: it depends on the damage
            raise NpzError(f"it is damaged: {reason_of(error)[:200]}") from None
    return found, others


def check_sizes(members: list[zipfile.ZipInfo], size: int, largest: int) -> None:
    """Refuse members in a compression that NumPy does not write, and sizes that the file cannot hold."""
    if len(members) > MOST_MEMBERS:
        raise NpzError(f"holds {len(members)} arrays, expected {MOST_MEMBERS} at most")
    unpacked = sum(member.file_size for member in members)
    if unpacked > largest:
        raise NpzError(f"holds {unpacked / 1e9:.3g} GB, expected {largest / 1e9:.3g} at most")
    if sum(member.compress_size for member in members) > size:
        raise NpzError("its parts are longer than the file")
    for member in members:
        stored = member.compress_type == zipfile.ZIP_STORED
        if member.flag_bits & 1 or not (stored or member.compress_type == zipfile.ZIP_DEFLATED):
            raise NpzError(f"{shown(member.filename)} is packed as NumPy packs nothing")
        if member.file_size > member.compress_size * (1 if stored else DEFLATE):
            raise NpzError(
                f"{shown(member.filename)} claims {member.file_size} bytes, and is packed in {member.compress_size}"
            )


def check_count(file: BinaryIO, size: int, count: int) -> None:
    """Refuse a file that has lost an array: its last record says how many there are, in two bytes."""
    start = max(0, size - LAST_RECORD - 2**16)
    file.seek(start)
    last = file.read()
    place = last.rfind(b"PK\x05\x06")
    said = int.from_bytes(last[place + 10 : place + 12], "little")
    if said not in (count, 2**16 - 1):
        raise NpzError(f"{count} arrays are found of {said} that it claims")


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Any:
    """Read one array, or the bytes of a member that is no array."""
    with archive.open(member) as stream:
        if not member.filename.endswith(".npy"):
            return stream.read()
        dtype, fortran, shape, head = read_head(stream, name)
        size = dtype.itemsize * math.prod(shape)
        if head + size != member.file_size:
            raise NpzError(
                f"{shown(name)} claims {shown(shape)} numbers of {dtype}, and holds {member.file_size - head} bytes"
            )
        content = stream.read(size + 1)  # one more: at the end the checksum is looked at
    return np.frombuffer(content, dtype).reshape(shape, order="F" if fortran else "C").copy()


def read_head(stream: Any, name: str) -> tuple[np.dtype[Any], bool, tuple[int, ...], int]:
    """Read the header of an array: dtype, whether it is in Fortran order, shape, and the length of the header in bytes."""
    start = stream.read(8)
    if len(start) < 8 or not start.startswith(MAGIC) or start[6] not in (1, 2, 3):
        raise NpzError(f"{shown(name)} is no array of NumPy's")
    digits = 2 if start[6] == 1 else 4
    length = int.from_bytes(stream.read(digits), "little")
    if length > LONGEST_HEAD:
        raise NpzError(f"{shown(name)} is no array of NumPy's: its head claims {length} bytes")
    text = stream.read(length).decode("utf-8", "replace")
    descr, order, shape = DESCR.search(text), ORDER.search(text), SHAPE.search(text)
    if descr is None or order is None or shape is None or "O" in descr[1]:
        raise NpzError(f"{shown(name)} holds {shown(text.strip())}, expected real numbers")
    sizes = tuple(int(word) for word in shape[1].replace(",", " ").split())
    return np.dtype(descr[1]), order[1] == "True", sizes, 8 + digits + length


def npz_content(arrays: Mapping[str, Any], compressed: bool = False) -> bytes:
    """Return the bytes of an NPZ file. It is made in memory: if the disk were full, NumPy would leave its zip file open."""
    content: BinaryIO = io.BytesIO()
    save: Any = np.savez_compressed if compressed else np.savez
    save(content, **arrays)
    assert isinstance(content, io.BytesIO)
    return content.getvalue()
