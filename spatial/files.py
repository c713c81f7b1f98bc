"""Files that are there as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["whole_file"]


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
        raise OSError(0, "this is no file but a device, a pipe or the like", str(path))
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
