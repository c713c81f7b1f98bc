"""A pool of threads that take part in work of the caller: functions of Python, and compiled ones without Python's lock.

The caller works too. Items are begun in their order, each by whoever is free, and nobody waits for a worker that has not
come yet: to wake one takes the system 50 to 100 microseconds, and what it has not begun by then the caller does. So calls
may be nested, and callers may be threads of somebody else's pool, any number at once. There are as many workers as other
cores; a process made by ``fork`` starts without them, and makes its own when it needs them.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from pluecker.spatial.engine.parallel.interruption import TICK, Interrupted, answering, start, work_of_this_thread

__all__ = ["available_cores", "is_worker", "map_in_threads", "share"]

T = TypeVar("T")
R = TypeVar("R")

ROUNDS = 50  # looks for the end of others, a microsecond each, before the system is asked to wake this thread for it


@functools.cache
def available_cores() -> int:
    """Return how many cores this process may run on, as at the first call."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool:
    """Workers, and the queue from which they take calls: lists of them, which are empty when the work is over."""

    def __init__(self) -> None:
        self.queue: SimpleQueue[list[Callable[[], None]]] = SimpleQueue()
        self.workers: list[threading.Thread] = []
        self.starting = threading.Lock()

    def call(self, calls: list[Callable[[], None]]) -> None:
        """Ask workers to do these calls: who comes takes one out of the list."""
        if calls and len(self.workers) < available_cores() - 1:
            with self.starting:
                while len(self.workers) < available_cores() - 1:
                    self.workers.append(start(self.work, f"pluecker-{len(self.workers) + 1}"))
        for _ in range(len(calls)):
            self.queue.put(calls)

    def work(self) -> None:
        """Run a worker, forever."""
        _own.worker = True
        while True:
            with contextlib.suppress(Interrupted):  # too late for the call that it was to end
                self.call_next()

    def call_next(self) -> None:
        """Wait for a call, and do it unless it is over."""
        try:
            function = self.queue.get().pop()
        except IndexError:
            return
        function()


_pool, _own = Pool(), threading.local()  # ``worker``: whether this thread is one


def is_worker() -> bool:
    """Return whether this thread is a worker, which takes part in what others do."""
    return hasattr(_own, "worker")


class Shared:
    """Items that threads share.

    Attributes:
        todo: those that nobody has begun, with their numbers.
        results: of all.
        begun, ended: an entry for each worker that has begun to take part, and that has ended.
        error: the first exception of a worker.
    """

    def __init__(self, function: Callable[[Any], Any], items: Iterable[Any]) -> None:
        self.function, self.todo = function, deque(enumerate(items))
        self.results: list[Any] = [None] * len(self.todo)
        self.begun: list[None] = []
        self.ended: list[None] = []
        self.signals: SimpleQueue[None] = SimpleQueue()
        self.error: BaseException | None = None

    def take(self) -> None:
        """Do items until none is left."""
        while self.todo:
            try:
                k, item = self.todo.popleft()
            except IndexError:  # others were quicker
                return
            self.results[k] = self.function(item)

    def take_part(self) -> None:
        """Do items in a worker; an exception is kept for the caller."""
        self.begun.append(None)
        try:
            self.take()
        except BaseException as error:  # of any kind: it is raised where somebody waits
            self.todo.clear()
            self.error = self.error or error
        finally:
            self.ended.append(None)
            self.signals.put(None)

    def wait(self) -> None:
        """Wait until no worker is at it, in short turns, so that an exception can be raised in this thread meanwhile.

        Who begins when nothing is left to do is not waited for.
        """
        for _ in range(ROUNDS):
            if len(self.ended) == len(self.begun):
                return
            time.sleep(0.0)
        while len(self.ended) < len(self.begun):
            with contextlib.suppress(Empty):
                self.signals.get(timeout=TICK)

    def outcome(self) -> list[Any]:
        """Return the results, or raise the exception."""
        error, self.error = self.error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # which knows of this frame
        return self.results


def map_in_threads(function: Callable[[T], R], items: Iterable[T], threads: int) -> list[R]:
    """Return the results of a function for all items, in their order, by so many threads at most, the caller's included.

    An exception of any item is raised, and no other one is begun then; what has begun ends by itself. Where the caller is
    interrupted, workers are, too (:mod:`~pluecker.spatial.engine.parallel.interruption`).
    """
    shared, work = Shared(function, items), work_of_this_thread()
    workers = min(threads, len(shared.todo), available_cores()) - 1
    calls: list[Callable[[], None]] = [functools.partial(work.take_part, shared.take_part)] * workers
    try:
        _pool.call(calls)
        shared.take()
        shared.wait()
    except BaseException as error:
        shared.todo.clear()
        if work.finished.is_set() and not isinstance(error, Exception):
            work.stop()  # workers alone take part in it: nobody else interrupts them
        raise
    finally:
        calls.clear()
    return shared.outcome()


def share(
    function: Callable[[int, int], int], task: int, threads: int, stop: Callable[[], object] = lambda: None
) -> int:
    """Call a compiled function, ``function(task, k)``, in so many threads at most, and return the largest result.

    Each ``k`` below ``threads`` is given once, 0 to the caller. The function takes pieces of a task until none is left, so
    that it does not matter how many threads there are. They read and write memory of the caller: an exception that is raised
    in this thread meanwhile comes out when all have ended.

    Args:
        function: as Python calls it.
        task: the address of the task.
        threads: at most.
        stop: called after an exception, where threads do not end by themselves.
    """
    if threads == 1:
        return function(task, 0)
    return answering(share_among, function, task, threads, stop)


def share_among(function: Callable[[int, int], int], task: int, threads: int, stop: Callable[[], object]) -> int:
    """Call a function in more than one thread, see :func:`share`."""
    shared, largest = Shared(functools.partial(function, task), range(1, threads)), 0
    calls = [shared.take_part] * (min(threads, available_cores()) - 1)
    try:
        _pool.call(calls)
        largest = function(task, 0)
        shared.take()
    except BaseException as error:
        shared.error = error
    while True:
        try:
            if shared.error is not None:
                stop()
            calls.clear()
            shared.todo.clear()
            shared.wait()
            break
        except BaseException as error:
            shared.error = shared.error or error
    return max(largest, *shared.outcome())


def renew_pool() -> None:
    """Make a new pool in a forked child, which does not have the threads of its parent."""
    global _pool
    _pool = Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_pool)
