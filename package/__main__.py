"""``python -m pluecker``, and the program ``pluecker``: the command, stopped by Ctrl-C at any time without a traceback."""

from __future__ import annotations

import signal
import sys

from pluecker.interruptions import end_at_once, stop

__all__ = ["main"]


def main() -> int:
    """Run the command of the command line; returns the exit code. It is for programs, which end afterwards."""
    ours = end_at_once()
    from pluecker.command import main as command

    try:
        return command()
    except KeyboardInterrupt:  # while it ends
        stop()
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is written


if __name__ == "__main__":
    sys.exit(main())
