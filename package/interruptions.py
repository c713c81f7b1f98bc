"""Ctrl-C and the command: until there is something to lose it ends the program at once.

In the middle of an import, or of compilation, an exception may go astray in compiled code, or be shown by it. A command that
writes what it has, or has to tidy up, says so (:func:`catch_interruptions`), and is then ended by ``KeyboardInterrupt``.
"""

from __future__ import annotations

import contextlib
import os
import signal
from typing import NoReturn

__all__ = ["catch_interruptions", "end_at_once", "stop"]


def stop(*_: object) -> NoReturn:
    """Report the interruption and end the process at once, with exit code 130."""
    with contextlib.suppress(OSError):  # nobody listens
        os.write(2, b"pluecker: error: interrupted\n")
    os._exit(130)


def end_at_once() -> bool:
    """Let Ctrl-C end the program; returns False where another handler is installed or SIGINT is ignored, and stays so."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, stop)
    return ours


def catch_interruptions() -> None:
    """Let Ctrl-C be ``KeyboardInterrupt`` from now on."""
    if signal.getsignal(signal.SIGINT) is stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)
