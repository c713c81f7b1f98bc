"""Files: read up to a size, written as a whole or not at all, and called by names that are no paths."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import unicodedata
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

__all__ = [
    "DEFLATE", "LARGEST_FILE", "escaped", "file_names", "open_file", "read_file", "reason_of", "take_room", "undisturbed",
    "unescaped", "whole_file", "write_all",
]  # fmt: skip

T = TypeVar("T")
LARGEST_FILE = 2**32  # bytes, packed or not: chosen, so that what is taken for data fits in memory
DEFLATE = 1032  # bytes that one compressed byte can stand for, at most
PIECE = 2**20  # bytes that are read or written at once
NO_FILE = "this is no file but a device, a pipe or the like"
# What posix_fallocate says of file systems that cannot take room.
CANNOT = (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)
# Windows opens devices by these names, whatever ending they have.
DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in range(10))}
KEPT = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


def reason_of(error: Exception) -> str:
    """Return the reason of an error in one line."""
    lines = (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()
    return lines[0] if lines else type(error).__name__


# --------------------------------------------------------------------------------------------------------------- reading


@contextlib.contextmanager
def open_file(path: str | os.PathLike[str], largest: int = LARGEST_FILE) -> Iterator[BinaryIO]:
    """A context with a file that is open to be read: no folder, no device, and not larger than so many bytes.

    A pipe may be read, whose size nobody knows: who reads it counts.

    Raises:
        OSError: it is none of these, or cannot be opened.
        ValueError: no path has a zero in it.
    """
    kind = os.stat(path).st_mode  # before it is opened: some devices do something then
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, "this is a folder", os.fspath(path))
    if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
        raise OSError(errno.ENODEV, "this is no file but a device", os.fspath(path))
    with open(path, "rb") as file:
        refuse_large(path, os.fstat(file.fileno()).st_size, largest)
        yield file


def read_file(path: str | os.PathLike[str], largest: int = LARGEST_FILE) -> bytes:
    """Read all of a file, or of a pipe; errors are those of :func:`open_file`."""
    content = bytearray()
    with open_file(path, largest) as file:
        while piece := file.read(PIECE):
            content += piece
            refuse_large(path, len(content), largest)
    return bytes(content)


def refuse_large(path: str | os.PathLike[str], size: int, largest: int) -> None:
    """Refuse a file of more than so many bytes."""
    if size > largest:
        said = f"holds {size / 1e6:.4g} MB, expected {largest / 1e6:.4g} at most"
        raise OSError(errno.EFBIG, said, os.fspath(path))


# --------------------------------------------------------------------------------------------------------------- writing


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A context that writes a file: when it ends without an error, the file appears under its name, or replaces another.

    It is written beside its place, under a hidden name, and then renamed. A link stays a link, and the permissions of a
    file that is replaced are handed on.

    Raises:
        OSError: it cannot be written; what was there before is still there.
    """
    path = Path(os.path.realpath(path))
    if path.is_dir():
        raise IsADirectoryError(0, "this is a folder", str(path))
    if path.exists() and not path.is_file():
        raise OSError(0, NO_FILE, str(path))
    part = path.with_name(f".{path.name[:40]}.{uuid.uuid4().hex}.part")  # 40 characters are 160 bytes, at most
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def take_room(file: BinaryIO, start: int, size: int) -> None:
    """Take room on the disk for bytes that are written later, where none are yet: these do not fail for want of it then.

    Raises:
        OSError: there is not so much. Some of it may be taken then.
    """
    if size <= 0:
        return
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file.fileno(), start, size)
        except OSError as error:
            if error.errno not in CANNOT:
                raise
        else:
            return
    file.seek(start)
    for first in range(0, size, PIECE):
        write_all(file, bytes(min(PIECE, size - first)))
    file.flush()


def write_all(file: BinaryIO, content: bytes | memoryview) -> None:
    """Write to a file that has no buffer, perhaps, and then takes as much as it can at once."""
    rest = memoryview(content)
    while len(rest):
        rest = rest[file.write(rest) :]


def undisturbed(work: Callable[[], T]) -> T:
    """Do work to its end, whatever signals come; what a handler raises meanwhile, as for Ctrl-C, is raised afterwards.

    Handlers run between any two operations of the main thread, so that no ``try`` there protects what has to be done as a
    whole. Therefore another thread does it.
    """
    lock, outcome = threading.Lock(), list[Any]()
    raised: BaseException | None = None

    def run() -> None:
        with lock:
            if outcome:  # by a thread that was begun before an interruption
                return
            try:
                outcome.append((work(), None))
            except BaseException as error:
                outcome.append((None, error))

    while not outcome:
        try:
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
        except RuntimeError as error:
            if "new thread" not in str(error):
                raised = error
            run()  # without another thread there is only this one
        except BaseException as error:
            raised = error
    found, failed = outcome[0]
    if failed is not None:
        raise failed
    if raised is not None:
        raise raised
    result: T = found
    return result


# ----------------------------------------------------------------------------------------------------------------- names


def escaped(name: str) -> str:
    """A name as one part of a path: what could mean something there is ``%XX`` for each byte of UTF-8, as in addresses of
    the web. Letters and digits of any alphabet stay, and most punctuation; :func:`unescaped` gives the name back."""
    last = len(name) - 1
    safe = "".join(
        c if c.isalnum() or c in "_-+,;=@!#&~^()[]{}" or (c in " ." and 0 < k < last) else percent(c)
        for k, c in enumerate(name)
    )
    return no_device(safe)


def no_device(text: str) -> str:
    """A name that Windows takes for no device: its first letter is escaped, if need be."""
    return percent(text[0]) + text[1:] if text.partition(".")[0].casefold() in DEVICES else text


def unescaped(text: str) -> str:
    """The name that :func:`escaped` was given."""
    if "%" not in text:
        return text
    first, *rest = text.encode("utf-8", "surrogatepass").split(b"%")
    found = first
    for part in rest:
        try:
            found += bytes.fromhex(part[:2].decode()) + part[2:] if len(part) > 1 else b"%" + part
        except ValueError:
            found += b"%" + part  # of a file that somebody else has written
    try:
        return found.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return text


def percent(character: str) -> str:
    """The bytes of a character, in two digits each."""
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Map each name to one that a file can have, none twice, even where large and small letters are the same.

    Names that differ only in that have all letters escaped but a to z.
    """
    known = {name: escaped(name) for name in names}
    alike: dict[str, list[str]] = {}
    for name, text in known.items():
        alike.setdefault(unicodedata.normalize("NFC", text).casefold(), []).append(name)
    for several in alike.values():
        if len(several) > 1:
            for name in several:
                known[name] = no_device("".join(c if c in KEPT else percent(c) for c in name))
    return known
