"""Dividing a batch among threads.

The threads are kept from call to call. Kernels run without the interpreter's lock, so that they use as many cores. A call
puts its slices where every thread takes the next one when it is free, the calling thread too: a thread that wakes up late,
or shares its core, does less and holds nobody up. Tasks never wait for one another, so that callers may be threads of
somebody else's pool, and any number at once. A process made by ``fork`` starts with no threads and makes its own when it
needs them.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

__all__ = ["available_cores", "divide", "in_parallel"]

PATIENCE = 3e-4  # seconds to look for the last results before sleeping: to be woken takes a good part of that

_jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
_workers: list[threading.Thread] = []
_starting = threading.Lock()


@functools.cache
def available_cores() -> int:
    """The cores that this process may run on, as it was when it was first asked."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def forget_workers() -> None:
    """In a forked process: the threads of the parent are not here."""
    global _jobs, _workers, _starting
    _jobs, _workers, _starting = SimpleQueue(), [], threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_workers)


def serve(jobs: SimpleQueue[Callable[[], None]]) -> None:
    """What a thread does all its life."""
    while True:
        jobs.get()()


def divide(n: int, parts: int, unit: int) -> list[slice]:
    """At most ``parts`` slices of ``range(n)``, alike in length, all but the last a multiple of ``unit`` long."""
    units = -(-n // unit)
    parts = max(1, min(parts, units))
    ends = [min(n, unit * (units * k // parts)) for k in range(parts + 1)]
    return [slice(ends[k], ends[k + 1]) for k in range(parts)]


def in_parallel(work: Callable[[slice], int], slices: list[slice], threads: int) -> list[int]:
    """``work`` on each slice; the results come in no particular order.

    Raises:
        whatever ``work`` raises, when all slices are done.
    """
    if len(slices) == 1:
        return [work(slices[0])]
    waiting, results = deque(slices), SimpleQueue[Any]()

    def take() -> None:
        while waiting:
            try:
                part = waiting.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                results.put(work(part))
            except BaseException as error:
                results.put(error)

    start_workers()
    for _ in range(min(threads, len(slices), available_cores()) - 1):
        _jobs.put(take)
    take()
    limit = time.perf_counter() + PATIENCE
    while results.qsize() < len(slices) and time.perf_counter() < limit:
        time.sleep(0)
    done = [results.get() for _ in slices]
    for result in done:
        if isinstance(result, BaseException):
            raise result
    return done


def start_workers() -> None:
    """As many threads as there are cores, the caller's own counted."""
    wanted = available_cores() - 1
    if len(_workers) < wanted:
        with _starting:
            while len(_workers) < wanted:
                name = f"pluecker-{len(_workers) + 1}"
                _workers.append(threading.Thread(target=serve, args=(_jobs,), name=name, daemon=True))
                _workers[-1].start()
