"""The files that a command is going to write: what cannot be, or must not be, is refused before there is anything to write.

No command writes a file that it reads, under whatever name or link, nor two results into one file, nor replaces a file
unasked (``--force``). A figure that goes by the command's own name, ``demo.png``, is replaced without being asked.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pluecker.articulated.errors import OutputError

__all__ = ["Output", "check_outputs"]

WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class Output:
    """A file that a command is asked to write.

    Attributes:
        path: where.
        what: a word for messages: ``table``, ``figure``, ``solution``.
        endings: those that the path may have.
        own: whether the name is the command's own choice, and not the user's.
    """

    path: str
    what: str
    endings: Sequence[str]
    own: bool = False


def check_outputs(outputs: Sequence[Output], inputs: Sequence[str | os.PathLike[str]], force: bool) -> None:
    """Refuse outputs that cannot be written, that are among the inputs or one another, or that exist.

    Args:
        outputs: what is going to be written.
        inputs: what is going to be read; names that are no files are passed over.
        force: whether files that exist may be replaced.

    Raises:
        OutputError: the first one that is refused, and why.
    """
    taken: dict[str, str] = {}
    for output in outputs:
        check_place(output)
        path, what = output.path, output.what
        for source in inputs:
            if os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
                raise OutputError(f"{path}: this is the file that is read, {source}; the {what} needs another one")
        place = os.path.realpath(path)
        if place in taken:
            raise OutputError(f"{path}: the {what} would replace the {taken[place]}, which goes there too")
        taken[place] = what
        if os.path.lexists(path) and not (force or output.own):
            raise OutputError(f"{path}: exists; --force replaces it")
        if os.path.exists(path) and not os.stat(path).st_mode & WRITABLE:
            raise OutputError(f"{path}: exists, and its permissions let nobody write it")


def check_place(output: Output) -> None:
    """Refuse an ending, a folder that is not there or is read-only, and what is no file."""
    if Path(output.path).suffix.lower() not in output.endings:
        endings = ", ".join(output.endings)
        raise OutputError(f"{output.path}: no {output.what} can be written there; the path must end in {endings}")
    complaint = f"{output.path}: the {output.what} cannot be written, "
    place = os.path.realpath(output.path)
    folder = os.path.dirname(place)
    if os.path.isdir(place):
        raise OutputError(complaint + "this is a folder")
    if os.path.exists(place) and not os.path.isfile(place):
        raise OutputError(complaint + "this is no file but a device, a pipe or the like")
    if not os.path.isdir(folder):
        raise OutputError(complaint + f"there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(complaint + f"the folder {folder} is read-only")
    try:
        os.lstat(place)
    except FileNotFoundError:
        pass
    except OSError as error:  # a name that is too long
        raise OutputError(complaint + str(error.strerror)) from None
