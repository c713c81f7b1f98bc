"""Tasks of a millisecond in Python and compiled code, which the workers of :mod:`.threads` share.

A pool of threads for each batch would take as long to start as such tasks take, and to wake one that sleeps takes a tenth of
a millisecond. Workers that watch for compiled tasks are awake already. While one of them has such a task it takes part in
the work of the caller: what interrupts that interrupts it (:mod:`~pluecker.spatial.engine.parallel.interruption`).
"""

from __future__ import annotations

import functools
import queue
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pluecker.spatial.engine.parallel.interruption import TICK, work_of_this_thread
from pluecker.spatial.engine.parallel.threads import call_off, call_workers

__all__ = ["map_in_threads"]

T = TypeVar("T")
R = TypeVar("R")


def map_in_threads(function: Callable[[T], R], items: Iterable[T], threads: int) -> list[R]:
    """Return the results of a function for all items, in their order, by so many threads at most, the caller's included.

    Items are begun in that order, each by whoever is free. An exception of any of them is raised, and no other item is begun
    then. What workers have begun ends by itself; where the caller is interrupted, it is, too.
    """
    todo, work = deque(enumerate(items)), work_of_this_thread()
    number, found = len(todo), queue.SimpleQueue[tuple[int, Any, BaseException | None]]()
    results: list[Any] = [None] * number
    task = functools.partial(work.take_part, functools.partial(help_with, function, todo, found))
    try:
        call_workers(task, min(threads, number) - 1)
        share(function, todo, found)
        for _ in range(number):
            k, results[k], error = next_of(found)
            if error is not None:
                raise error
    except BaseException as error:
        todo.clear()
        if work.finished.is_set() and not isinstance(error, Exception):
            work.stop()  # workers alone take part in it: nobody else interrupts them
        raise
    finally:
        call_off(task)
    return results


def share(function: Callable[[Any], Any], todo: deque[tuple[int, Any]], found: queue.SimpleQueue[Any]) -> None:
    """Take items and put their results into ``found``, until there are no more items."""
    while True:
        try:
            k, item = todo.popleft()
        except IndexError:
            return
        found.put((k, function(item), None))


def next_of(found: queue.SimpleQueue[Any]) -> Any:
    """Wait for the next entry of a queue, in short turns, so that an exception can be raised in this thread meanwhile."""
    while True:
        try:
            return found.get(timeout=TICK)
        except queue.Empty:
            pass


def help_with(function: Callable[[Any], Any], todo: deque[tuple[int, Any]], found: queue.SimpleQueue[Any]) -> None:
    """Take items in a worker as :func:`share` does; an exception is put into ``found``, for the caller to raise."""
    try:
        share(function, todo, found)
    except BaseException as error:  # of any kind: it is raised where somebody waits
        todo.clear()
        found.put((0, None, error))
