"""The lock of whoever compiles, and properties that are compiled once.

A process that forks holds the lock meanwhile: otherwise its child could find it, and all that Numba and LLVM are in the
middle of, held by a thread that it does not have. It waits until nobody compiles.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["compiling", "once"]


class CompilerLock:
    """A lock that a thread may take several times, and that becomes Numba's own when Numba is imported."""

    def __init__(self) -> None:
        self.lock: Any = threading.RLock()
        self.depth = 0

    def acquire(self) -> None:
        while True:
            lock = self.lock
            lock.acquire()
            if lock is self.lock:
                self.depth += 1
                return
            lock.release()  # it was handed over while this thread waited

    def release(self) -> None:
        self.depth -= 1
        self.lock.release()

    def hand_over(self, lock: Any) -> None:
        """Become another lock; the calling thread holds this one, and holds the other as often afterwards."""
        before = self.lock
        for _ in range(self.depth):
            lock.acquire()
        self.lock = lock
        for _ in range(self.depth):
            before.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


compiling = CompilerLock()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=compiling.acquire, after_in_parent=compiling.release, after_in_child=compiling.release)


class once:
    """A cached property that compiles something: the second of two threads waits for the first."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function, self.name, self.__doc__ = function, function.__name__, function.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with compiling:
            if self.name not in vars(instance):
                vars(instance)[self.name] = self.function(instance)
        return vars(instance)[self.name]
