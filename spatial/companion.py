"""A process beside this one that compiles a part of what is needed here, while this one compiles the rest.

Numba compiles one function at a time, and holds Python's lock meanwhile: threads do not help. What the other process has
compiled lies on disk when this one gets there. It is started when something has to be compiled, and not where this process
has one processor alone, or no folder for compiled code. Where it cannot be started, or fails, all is compiled here: nothing
but time depends on it. ``warmup`` compiles ahead, and then there is none.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

from numba import config

from pluecker.spatial.ahead import command_of
from pluecker.spatial.compiled.numba_cache import is_kept
from pluecker.spatial.compiled.numba_internals import event
from pluecker.spatial.parallel.threads import available_cores

__all__ = ["Companion"]

COMPILE = "numba:compile"


class Companion:
    """What may be compiled beside, by topics; a process for each, at most one in the life of this one.

    Args:
        compile_named: a function of a module, which compiles the topic whose name it is given.
    """

    def __init__(self, compile_named: Callable[[str], None]) -> None:
        self.compile_named = compile_named
        self.processes: dict[str, subprocess.Popen[bytes] | None] = {}
        self.lock = threading.Lock()

    def beside(self, name: str) -> Beside:
        """A context: when something begins to be compiled in it that is kept on disk, the topic is compiled beside."""
        return Beside(self, name)

    def start(self, name: str) -> None:
        """Start its process, where it helps, unless it was started."""
        with self.lock:
            if name not in self.processes:
                self.processes[name] = self.started(name) if available_cores() > 1 and sys.executable else None

    def started(self, name: str) -> subprocess.Popen[bytes] | None:
        """Its process, which ends with this one; None where there can be none."""
        command = command_of(self.compile_named, name)
        folder = {"NUMBA_CACHE_DIR": config.CACHE_DIR} if config.CACHE_DIR else {}
        nowhere: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        try:
            process = subprocess.Popen(command, env={**os.environ, **folder}, **nowhere)
        except OSError:
            return None
        atexit.register(end, process, os.getpid())
        return process

    def wait(self, name: str) -> None:
        """Until the topic is compiled, if it is compiled beside."""
        process = self.processes.get(name)
        if process is not None:
            process.wait()
            self.processes[name] = None


class Beside(event.Listener):
    """The context in which a topic of a companion may be compiled beside."""

    def __init__(self, companion: Companion, name: str) -> None:
        self.companion, self.name = companion, name

    def __enter__(self) -> None:
        event.register(COMPILE, self)

    def __exit__(self, *_: object) -> None:
        event.unregister(COMPILE, self)

    def on_start(self, event: Any) -> None:
        """A function begins to be compiled."""
        if is_kept(event.data["dispatcher"]):
            self.companion.start(self.name)

    def on_end(self, event: Any) -> None:
        """It has ended."""


def end(process: subprocess.Popen[bytes], owner: int) -> None:
    """With the process that has started it, and with no fork of that."""
    if os.getpid() == owner and process.poll() is None:
        process.kill()
        process.wait()
