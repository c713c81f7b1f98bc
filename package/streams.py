"""Standard output and standard error that accept all characters, also those that their encoding lacks."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from collections.abc import Iterator

__all__ = ["forgiving_streams", "give_up_output"]

PLAIN = {"├": "|", "└": "`", "│": "|", "─": "-", "²": "^2"}


def in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that an encoding lacks, as a handler of codecs: lines of trees in ASCII, ``\\xe9`` for others."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(PLAIN.get(c, c.encode("ascii", "backslashreplace").decode()) for c in text), error.end


codecs.register_error("pluecker", in_ascii)


@contextlib.contextmanager
def forgiving_streams() -> Iterator[None]:
    """Context in which both streams exist, and printing characters that their encoding lacks is no error."""
    before = sys.stdout, sys.stderr
    kept: list[tuple[io.TextIOWrapper, str | None]] = []
    try:
        # A program whose streams were closed has None in their place.
        sys.stdout, sys.stderr = (open(os.devnull, "w") if stream is None else stream for stream in before)  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
                kept.append((stream, stream.errors))
                stream.reconfigure(errors="pluecker")
        yield
    finally:
        for stream, errors in kept:
            with contextlib.suppress(OSError, ValueError):  # it may be closed, or broken
                stream.reconfigure(errors=errors)
        sys.stdout, sys.stderr = before


def give_up_output() -> None:
    """Flush standard output, or discard what is still to be written where that fails."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):  # it may be no file
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
