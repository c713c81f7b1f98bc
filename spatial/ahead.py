"""Compiling ahead in two processes, which share the compiled code by its cache on disk.

A job is the name of a module and a word: the module's ``compile_job(word)`` calls what has to be compiled. Jobs that are on
disk already are done here. Of the others one process takes the first, one the last, and so on: what needs the same kernels
stands together in the list. A process that has grown large is replaced by a new one.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

from numba import config

from pluecker.spatial.compiled.numba_internals import event
from pluecker.spatial.errors import PlueckerError
from pluecker.spatial.extras import progress_bar

__all__ = ["AheadError", "Job", "compile_ahead", "on_disk", "work"]

Job = tuple[str, str]
LARGEST = 1.2e9  # bytes, from which on a process is given no further job: a new one compiles again what jobs share
START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from pluecker.spatial.ahead import work; work()"


class AheadError(PlueckerError, RuntimeError):
    """A process that compiles ahead has failed; the message says at what."""


class _NotOnDisk(BaseException):
    """Something would have to be compiled."""


class _OnlyLoading(event.Listener):
    """In this context nothing is compiled."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()

    def on_start(self, event: Any) -> None:
        """Somebody begins to compile; other threads may."""
        if threading.get_ident() == self.thread:
            raise _NotOnDisk

    def on_end(self, event: Any) -> None:
        """It has ended."""


def run(job: Job) -> None:
    """Do a job here."""
    importlib.import_module(job[0]).compile_job(job[1])


def on_disk(job: Job) -> bool:
    """Do a job here, unless something would have to be compiled for it."""
    listener = _OnlyLoading()
    event.register("numba:compile", listener)
    try:
        run(job)
    except _NotOnDisk:
        return False
    finally:
        event.unregister("numba:compile", listener)
    return True


def compile_ahead(jobs: Sequence[Job], *, unit: str = "function", progress: bool = True, processes: int = 2) -> None:
    """Do all jobs, and load here what others have compiled.

    Raises:
        AheadError: a process failed, with what it said.
    """
    bar = iter(progress_bar(range(len(jobs)), unit=unit, show=progress))
    missing = []
    for job in jobs:
        if config.DISABLE_JIT or on_disk(job):
            if config.DISABLE_JIT:
                run(job)
            next(bar, None)
        else:
            missing.append(job)
    if len(missing) > 1:
        with contextlib.closing(compiled_elsewhere(missing, min(processes, len(missing)))) as finished:
            for job in finished:
                if not on_disk(job):  # nothing is kept: what others compile is of no use
                    break
                missing.remove(job)
                next(bar, None)
    for job in missing:
        run(job)
        next(bar, None)
    next(bar, None)  # behind the last one the bar goes away


def compiled_elsewhere(jobs: Sequence[Job], processes: int) -> Generator[Job, None, None]:
    """The jobs, each when it is done; all processes end with this generator."""
    left, done = deque(jobs), queue.SimpleQueue[tuple[Job, str | None]]()
    workers = [Worker(left, done, k % 2 == 1) for k in range(processes)]
    try:
        for worker in workers:
            worker.start()
        for _ in jobs:
            job, error = done.get()
            if error is not None:
                raise AheadError(f"warmup: {job[1]!r} of {job[0]} could not be compiled: {error}")
            yield job
    finally:
        for worker in workers:
            worker.end()


class Worker(threading.Thread):
    """A thread that hands jobs to a process, one after the other, until there are none."""

    def __init__(self, left: deque[Job], done: queue.SimpleQueue[tuple[Job, str | None]], from_behind: bool) -> None:
        super().__init__(daemon=True)
        self.done, self.ended, self.lock = done, False, threading.Lock()
        self.process: subprocess.Popen[str] | None = None
        self.take: Callable[[], Job] = left.pop if from_behind else left.popleft

    def run(self) -> None:
        """All that this one gets to do."""
        while not self.ended:
            try:
                job = self.take()
            except IndexError:
                break
            error = self.do(job)
            self.done.put((job, error))
            if error is not None:
                break
        self.end()

    def do(self, job: Job) -> str | None:
        """One job; says what went wrong."""
        try:
            process = self.alive()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
            text = process.stdout.readline()
        except (OSError, ValueError) as error:
            return f"its process could not be used ({error})"
        if not text:
            return f"its process ended with code {process.wait()}"
        answer = json.loads(text)
        if answer["memory"] > LARGEST:
            put_away(process)  # it takes its memory along
        return None if answer["error"] is None else str(answer["error"])

    def alive(self) -> subprocess.Popen[str]:
        """The process, or a new one."""
        with self.lock:
            if self.ended:
                raise OSError("it was ended")
            if self.process is None or self.process.poll() is not None:
                command = [sys.executable, "-c", START, json.dumps(sys.path)]
                self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            return self.process

    def end(self) -> None:
        """Whatever it is doing."""
        with self.lock:
            self.ended = True
            if self.process is not None:
                put_away(self.process)


def put_away(process: subprocess.Popen[str]) -> None:
    """End a process, whatever it is doing."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            assert stream is not None
            stream.close()


def work() -> None:
    """What a process does: a job for each line that it is given, and a line about each; it ends with what it reads from."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what jobs print is no answer
    gc.freeze()
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):  # of Ctrl-C the process that asked for this speaks
        for line in sys.stdin:
            error = None
            try:
                run(json.loads(line))
            except Exception as found:
                error = f"{type(found).__name__}: {found}"
            print(json.dumps({"error": error, "memory": memory()}), file=answers, flush=True)


def memory() -> int:
    """Bytes that this process takes; 0 where nobody says so."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
