"""A process beside this one that compiles a part of what is needed here, while this one compiles the rest.

Numba compiles one function at a time, and holds Python's lock meanwhile: threads do not help. What the other process has
compiled lies on disk when this one gets there. Of a topic it compiles one part after the other. Whoever needs the topic here
takes the parts that are left from the same queue, a pipe with a byte for each, until there are none.

The other process is started when something has to be compiled, and not where this one has one processor alone, or no folder
for compiled code. Where it cannot be started, or fails, all is compiled here: nothing but time depends on it. ``warmup``
compiles ahead, and then there is none.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from numba import config

from pluecker.spatial.engine.ahead import command_of
from pluecker.spatial.engine.compiled.numba_cache import is_kept
from pluecker.spatial.engine.compiled.numba_internals import AWAITED, event
from pluecker.spatial.engine.parallel.threads import available_cores

__all__ = ["Companion"]

COMPILE = "numba:compile"


class Running(NamedTuple):
    """A process that compiles, and the pipe that is the queue of the parts that nobody has begun to compile."""

    process: subprocess.Popen[bytes]
    queue: int


class Companion:
    """Topics that other processes may compile in parallel: one process for each topic, started at most once.

    Args:
        topics: the names of their parts, in the order in which they are begun; no part needs a later one. A part that is
            called by its name (:mod:`~pluecker.spatial.engine.memory.apart`) has that name.
        compile_part: compiles the part whose name it is given.
        compile_topic: a function of a module that calls :meth:`work` with the topic that it is given, and the input.
    """

    def __init__(
        self,
        topics: Mapping[str, Sequence[str]],
        compile_part: Callable[[str], None],
        compile_topic: Callable[[str], None],
    ) -> None:
        self.topics, self.compile_part, self.compile_topic = topics, compile_part, compile_topic
        self.running: dict[str, Running | None] = {}
        self.lock, self.turn = threading.Lock(), threading.Lock()
        self.works = False  # whether parts are compiled here, which do not wait for those after them
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.leave)

    def leave(self) -> None:
        """Reset the state in a forked child, which compiles by itself: running companion processes belong to its parent."""
        self.lock, self.turn = threading.Lock(), threading.Lock()
        self.running, self.works = dict.fromkeys(self.topics), False

    def beside(self, name: str) -> Beside:
        """Return a context in which the first compilation that is kept on disk starts the process of the topic."""
        return Beside(self, name)

    def start(self, name: str) -> None:
        """Start the process of a topic, unless it was started, or there is one core alone, or no path to Python."""
        with self.lock:
            if name not in self.running:
                self.running[name] = self.started(name) if available_cores() > 1 and sys.executable else None

    def started(self, name: str) -> Running | None:
        """Start the process of a topic, which ends with this one; None where it cannot be started."""
        command = command_of(self.compile_topic, name)
        folder = {"NUMBA_CACHE_DIR": config.CACHE_DIR} if config.CACHE_DIR else {}
        queue, end_of_queue = os.pipe()
        os.write(end_of_queue, bytes(range(len(self.topics[name]))))
        os.close(end_of_queue)
        nowhere: Any = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
        try:
            process = subprocess.Popen(command, env={**os.environ, **folder}, stdin=queue, **nowhere)
        except OSError:
            os.close(queue)
            return None
        atexit.register(end, process, os.getpid())
        return Running(process, queue)

    def work(self, name: str, queue: int) -> None:
        """Compile the parts of a topic that nobody has begun, one after the other, until the queue is empty."""
        while begun := os.read(queue, 1):
            self.compile_part(self.topics[name][begun[0]])

    def wait(self, name: str) -> None:
        """Wait until a topic is compiled, if another process compiles it; meanwhile compile parts of it here, too."""
        if self.running.get(name) is None:
            return
        with self.turn:  # the second of two threads waits for the first
            running = self.running[name]
            if running is not None:
                self.works = True
                try:
                    self.work(name, running.queue)
                finally:
                    self.works = False
                running.process.wait()
                os.close(running.queue)
                self.running[name] = None


class Beside(event.Listener):
    """The context in which another process may compile a topic; see :meth:`Companion.beside`."""

    def __init__(self, companion: Companion, name: str) -> None:
        self.companion, self.name = companion, name

    def __enter__(self) -> None:
        event.register(COMPILE, self)
        AWAITED.append(self.wait_for)

    def __exit__(self, *_: object) -> None:
        AWAITED.remove(self.wait_for)
        event.unregister(COMPILE, self)

    def wait_for(self, part: str) -> None:
        """Wait for the topic, if a part of it is needed now that is called by its name."""
        if part in self.companion.topics[self.name] and not self.companion.works:
            self.companion.wait(self.name)

    def on_start(self, event: Any) -> None:
        """Start the process of the topic, as a function begins to be compiled whose code is kept on disk."""
        if is_kept(event.data["dispatcher"]):
            self.companion.start(self.name)

    def on_end(self, event: Any) -> None:
        """Ignore the end of a compilation."""


def end(process: subprocess.Popen[bytes], owner: int) -> None:
    """Kill a process at the exit of the one that has started it (``owner``), but not at that of a fork of that one."""
    if os.getpid() == owner and process.poll() is None:
        process.kill()
        process.wait()
