"""Time and memory of calls: what is given up after so many seconds, how much memory a call takes, aligned arrays."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import re
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import Array
from pluecker.contact.friction.results.result import Result
from pluecker.spatial.engine.scalars.lanes import WIDTH

__all__ = ["Run", "capped", "lanes_array", "peak_bytes"]

LOOK = 0.01  # seconds between two looks at the clock
SHORT, TURNS = 2.0, 3  # calls shorter than that, in seconds, are made several times


@dataclass(frozen=True, eq=False)
class Run:
    """Result of a call, None where it was given up, and the seconds of processor time that it took."""

    result: Result | None
    seconds: float

    @property
    def solved(self) -> bool:
        """True if there is a result that converged."""
        return self.result is not None and self.result.converged

    @property
    def words(self) -> str:
        """The seconds, for tables."""
        if self.result is None:
            return f"> {self.seconds:.3g}"
        return f"{self.seconds:.3g}" if self.solved else f"{self.seconds:.3g} ({self.result.errors.largest:.0e})"


def capped(call: Callable[[], Result], cap: float) -> Run:
    """The median of a few calls where they are short; each is interrupted after ``cap`` seconds, as by Ctrl-C."""
    runs = [once(call, cap)]
    while runs[-1].result is not None and sum(run.seconds for run in runs) < SHORT and len(runs) < TURNS:
        runs.append(once(call, cap))
    runs.sort(key=lambda run: run.seconds)
    return runs[len(runs) // 2]


def once(call: Callable[[], Result], cap: float) -> Run:
    """Make one call, interrupted after ``cap`` seconds."""
    began, ended, result = time.process_time(), threading.Event(), None

    def watch() -> None:
        while not ended.wait(LOOK):
            if time.process_time() - began > cap:
                os.kill(os.getpid(), signal.SIGINT)
                return

    watcher, before = threading.Thread(target=watch, daemon=True), signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        watcher.start()
        result = call()
        spent = time.process_time() - began
        ended.set()
        watcher.join()  # an interruption that came too late is raised no later than here
    except KeyboardInterrupt:
        if result is None:
            if time.process_time() - began <= cap:
                raise  # a person asked for it
            return Run(None, cap)
    finally:
        ended.set()
        signal.signal(signal.SIGINT, before)
    return Run(result, spent)


def resident(what: str) -> int:
    """Return the bytes of this process in memory: ``VmRSS`` now, ``VmHWM`` at most."""
    found = re.search(rf"^{what}:\s*(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return 1024 * int(found.group(1)) if found else 0


def peak_bytes(call: Callable[[], Any]) -> float:
    """How much more memory this process has at most while it makes the call than before; NaN where Linux does not say it."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    try:
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = resident("VmRSS")
        call()
        return float(resident("VmHWM") - before)
    except OSError:
        call()
        return float("nan")


def lanes_array(rows: int, fill: float = 0.0) -> Array:
    """``(rows, 8)``, each row in one line of the cache, as lanes are read."""
    memory = np.full((rows + 1) * WIDTH, fill)
    first = -(memory.ctypes.data // memory.itemsize) % WIDTH
    return memory[first : first + rows * WIDTH].reshape(rows, WIDTH)
