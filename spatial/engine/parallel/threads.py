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
    """Items that the caller and workers take one by one.

    Attributes:
        todo: gives those that nobody has begun, with their numbers, one at a time to whoever asks.
        results: of all.
        at_work: an entry for each worker that takes part.
        left: tells the caller that one of these has ended.
        error: the first exception.
    """

    def __init__(self, function: Callable[[Any], Any], items: Iterable[Any]) -> None:
        numbered = list(enumerate(items))
        self.function, self.todo = function, iter(numbered)
        self.results: list[Any] = [None] * len(numbered)
        self.at_work: set[object] = set()
        self.left: SimpleQueue[None] = SimpleQueue()
        self.error: BaseException | None = None

    def take(self) -> None:
        """Do items until none is left; after an exception, which is kept for the caller, no other one is begun."""
        try:
            for k, item in self.todo:
                self.results[k] = self.function(item)
        except BaseException as error:  # of any kind: it is raised where somebody waits
            self.error = self.error or error
            deque(self.todo, maxlen=0)

    def take_part(self) -> None:
        """Do items in a worker."""
        me = object()
        try:
            self.at_work.add(me)  # an interruption that comes before does not count as the end of another one
            self.take()
        finally:
            self.at_work.discard(me)
            self.left.put(None)

    def wait(self) -> None:
        """Wait until no worker is at it, in short turns, so that an exception can be raised in this thread meanwhile."""
        for _ in range(ROUNDS):
            if not self.at_work:
                return
            time.sleep(0.0)
        while self.at_work:
            with contextlib.suppress(Empty):
                self.left.get(timeout=TICK)

    def run(self, threads: int, abandons: bool) -> list[Any]:
        """Do all items; return or raise when no worker is at it any more, after an interruption at once if it ``abandons``.

        Workers are interrupted where they alone take part in the work: nobody else does it.
        """
        work, workers = work_of_this_thread(), min(threads, len(self.results), available_cores()) - 1
        begun = False
        while True:
            try:
                if not begun:
                    begun = True
                    _pool.ask(functools.partial(work.take_part, self.take_part), workers)
                    self.take()
                deque(self.todo, maxlen=0)
                interrupted = not isinstance(self.error, Exception | None)
                if interrupted and work.finished.is_set():
                    work.stop()
                if not (interrupted and abandons):
                    self.wait()
                break
            except BaseException as error:  # also while it waits: memory is given back when all have ended
                self.error = self.error or error
        if self.error is not None:
            try:
                raise self.error
            finally:
                self.error = None  # which knows of this frame
        return self.results


def map_in_threads(function: Callable[[T], R], items: Iterable[T], threads: int) -> list[R]:
    """Return the results of a function for all items, in their order, by so many threads at most, the caller's included.

    An exception of any item is raised, and no other one is begun then; what has begun ends by itself. Where the caller is
    interrupted, workers are, too (:mod:`~pluecker.spatial.engine.parallel.interruption`), and what cannot be is left alone.
    """
    return Shared(function, items).run(threads, True)


def share(function: Callable[[int, int], int], task: int, threads: int) -> int:
    """Call a compiled function, ``function(task, k)``, in so many threads at most, and return the largest result.

    Each ``k`` below ``threads`` is given once. The function takes pieces of a task until none is left, so that it does not
    matter how many threads there are. They read and write memory of the caller: an exception that is raised in this thread
    meanwhile comes out when all have ended.
    """
    if threads == 1:
        return function(task, 0)
    return max(Shared(lambda k: answering(function, task, k), range(threads)).run(threads, False))


def renew_pool() -> None:
    """Make a new pool in a forked child, which does not have the threads of its parent."""
    global _pool
    _pool = Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_pool)
