"""``python -m pluecker``, and the program ``pluecker``: the command, stopped by Ctrl-C at any time without a traceback."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

__all__ = ["main"]


def stop(*_: object) -> NoReturn:
    """Leave at once: in the middle of an import, an exception may go astray in compiled code, or be shown by it."""
    os.write(2, b"pluecker: error: interrupted\n")
    os._exit(130)


def main() -> int:
    """Run the command of the command line; returns the exit code. It is for programs, which end afterwards."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # and not ignored by who has started us
    if ours:
        signal.signal(signal.SIGINT, stop)
    from pluecker.contact.app.cli import main as command

    try:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return command()
    except KeyboardInterrupt:  # before the command began to look out for it, or after
        stop()
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is written


if __name__ == "__main__":
    sys.exit(main())
