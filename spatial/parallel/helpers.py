"""Threads that help with tasks of a millisecond in Python and compiled code, one batch after the other.

A pool of threads for each batch would take as long to start as such tasks take. These threads start with the first batch
that needs them, wait for the next one, and end when nobody has the :class:`Helpers` any more. While one of them has a task
it takes part in the work of the caller: what interrupts that interrupts it
(:mod:`~pluecker.spatial.parallel.interruption`).
"""

from __future__ import annotations

import functools
import queue
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pluecker.spatial.parallel.interruption import TICK, start, work_of_this_thread
from pluecker.spatial.parallel.threads import rest

__all__ = ["Helpers"]

T = TypeVar("T")
R = TypeVar("R")


class Helpers:
    """Threads that help the caller.

    Args:
        most: how many, at most.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.threads: list[threading.Thread] = []
        weakref.finalize(self, self.tasks.put, None)

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """What a function gives for each item, in their order; they are begun in that order, each by whoever is free.

        An exception of any of them is raised, and no other item is begun then. What helpers have begun ends by itself; where
        the caller is interrupted, it is, too.
        """
        todo, work = deque(enumerate(items)), work_of_this_thread()
        number, found = len(todo), queue.SimpleQueue[tuple[int, Any, BaseException | None]]()
        results: list[Any] = [None] * number
        try:
            wanted = min(self.most, number - 1)
            if wanted > 0:
                rest()
            while len(self.threads) < wanted:
                self.threads.append(start(functools.partial(serve, self.tasks)))
            for _ in range(wanted):
                self.tasks.put(functools.partial(work.take_part, functools.partial(help_with, function, todo, found)))
            share(function, todo, found)
            for _ in range(number):
                k, results[k], error = next_of(found)
                if error is not None:
                    raise error
        except BaseException as error:
            todo.clear()
            if work.finished.is_set() and not isinstance(error, Exception):
                work.stop()  # helpers alone take part in it: nobody else interrupts them
            raise
        return results


def share(function: Callable[[Any], Any], todo: deque[tuple[int, Any]], found: queue.SimpleQueue[Any]) -> None:
    """Items, until there are no more."""
    while True:
        try:
            k, item = todo.popleft()
        except IndexError:
            return
        found.put((k, function(item), None))


def next_of(found: queue.SimpleQueue[Any]) -> Any:
    """What comes next; while nothing does, an exception may be raised in this thread."""
    while True:
        try:
            return found.get(timeout=TICK)
        except queue.Empty:
            pass


def help_with(function: Callable[[Any], Any], todo: deque[tuple[int, Any]], found: queue.SimpleQueue[Any]) -> None:
    """The same beside the caller, who is told of an exception."""
    try:
        share(function, todo, found)
    except BaseException as error:  # of any kind: it is raised where somebody waits
        todo.clear()
        found.put((0, None, error))


def serve(tasks: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    """One task after the other, until there is none."""
    while (task := tasks.get()) is not None:
        task()
        del task  # while this waits, nothing of it is held, the Helpers among it
    tasks.put(None)  # for the others
