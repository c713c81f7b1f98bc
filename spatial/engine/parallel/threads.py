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

ROUNDS = 50  # looks for the end of workers, a microsecond each, before the system is asked to wake this thread for it


@functools.cache
def available_cores() -> int:
    """Return how many cores this process may run on, as at the first call."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool:
    """Workers, and the queue of the functions that they call; each takes no longer than the work that it is a part of."""

    def __init__(self) -> None:
        self.queue: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.workers: list[threading.Thread] = []
        self.starting = threading.Lock()

    def ask(self, function: Callable[[], None], count: int) -> None:
        """Ask so many workers to call a function."""
        with self.starting:
            while count > 0 and len(self.workers) < available_cores() - 1:
                self.workers.append(start(self.work, f"pluecker-{len(self.workers) + 1}"))
        for _ in range(count):
            self.queue.put(function)

    def work(self) -> None:
        """Run a worker, forever."""
        _own.worker = True
        while True:
            with contextlib.suppress(Interrupted):  # too late for the call that it was to end
                self.queue.get()()


_pool, _own = Pool(), threading.local()  # ``worker``: whether this thread is one


def is_worker() -> bool:
    """Return whether this thread is a worker, which takes part in what others do."""
    return hasattr(_own, "worker")


class Shared:
    """Items that the caller and workers take one by one; the first one is the caller's.

    Attributes:
        todo: those that nobody has begun, with their numbers.
        results: of all.
        begun, ended: an entry for each worker that has begun to take part, and that has ended.
        error: the first exception.
    """

    def __init__(self, function: Callable[[Any], Any], items: Iterable[Any]) -> None:
        self.function, self.todo = function, deque(enumerate(items))
        self.results: list[Any] = [None] * len(self.todo)
        self.begun: list[None] = []
        self.ended: list[None] = []
        self.signals: SimpleQueue[None] = SimpleQueue()
        self.error: BaseException | None = None

    def take(self, items: deque[tuple[int, Any]]) -> None:
        """Do items until none is left."""
        while items:
            try:
                k, item = items.popleft()
            except IndexError:  # others were quicker
                return
            self.results[k] = self.function(item)

    def take_part(self) -> None:
        """Do items in a worker; an exception is kept for the caller."""
        try:
            self.begun.append(None)
            self.take(self.todo)
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
            if len(self.ended) >= len(self.begun):
                return
            time.sleep(0.0)
        while len(self.ended) < len(self.begun):
            with contextlib.suppress(Empty):
                self.signals.get(timeout=TICK)

    def run(self, workers: int, take_part: Callable[[], None], stop: Callable[[BaseException], object]) -> list[Any]:
        """Do all items, also in so many workers by ``take_part``; return or raise when none of these is at it any more.

        ``stop`` is called after an exception.
        """
        own = deque([self.todo.popleft()] if self.todo else [])
        try:
            _pool.ask(take_part, workers)
            self.take(own)
            self.take(self.todo)
        except BaseException as error:
            self.error = error
        while True:
            try:
                self.todo.clear()
                if self.error is not None:
                    stop(self.error)
                self.wait()
                break
            except BaseException as error:
                self.error = self.error or error
        first, self.error = self.error, None
        if first is not None:
            try:
                raise first
            finally:
                del first  # which knows of this frame
        return self.results


def map_in_threads(function: Callable[[T], R], items: Iterable[T], threads: int) -> list[R]:
    """Return the results of a function for all items, in their order, by so many threads at most, the caller's included.

    An exception of any item is raised, and no other one is begun then; what has begun ends by itself. Where the caller is
    interrupted, workers are, too (:mod:`~pluecker.spatial.engine.parallel.interruption`).
    """
    shared, work = Shared(function, items), work_of_this_thread()
    workers = min(threads, len(shared.todo), available_cores()) - 1

    def stop(error: BaseException) -> None:
        """Interrupt workers where they alone take part in the work: nobody else does."""
        if work.finished.is_set() and not isinstance(error, Exception):
            work.stop()

    return shared.run(workers, functools.partial(work.take_part, shared.take_part), stop)


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
    shared = Shared(functools.partial(function, task), range(threads))
    workers = min(threads, available_cores()) - 1
    return max(answering(shared.run, workers, shared.take_part, lambda _: stop()))


def renew_pool() -> None:
    """Make a new pool in a forked child, which does not have the threads of its parent."""
    global _pool
    _pool = Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_pool)
