"""The lock of whoever compiles, and properties that are compiled once.

A process that forks holds the lock meanwhile: otherwise its child could find it, and all that Numba and LLVM are in the
middle of, held by a thread that it does not have. It waits until nobody compiles.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["compiling", "imported", "once"]


class CompilerLock:
    """A lock that a thread may take several times, and that becomes Numba's own once Numba is imported, by whomever.

    Nobody who holds the lock of before waits for Numba's: whoever has to go on with Numba's gives the other one back first.
    """

    def __init__(self) -> None:
        self.lock: Any = threading.RLock()
        self.owner: int | None = None
        self.depth = 0

    def acquire(self) -> None:
        me, theirs = threading.get_ident(), lock_of_numba()
        if self.owner != me and theirs is not None and self.lock is not theirs:
            with theirs, self.lock:
                self.lock = theirs
        while True:
            lock = self.lock
            lock.acquire()
            if lock is self.lock:
                self.owner, self.depth = me, self.depth + 1
                return
            lock.release()  # it became Numba's while this thread waited

    def release(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.owner = None
        self.lock.release()

    def change(self) -> None:
        """Go on with Numba's lock, behind an import of Numba: others may take turns meanwhile."""
        depth = self.depth
        for _ in range(depth):
            self.release()
        for _ in range(depth):
            self.acquire()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


def lock_of_numba() -> Any:
    """Return Numba's lock of whoever compiles, None as long as nobody has imported Numba."""
    return getattr(sys.modules.get("numba.core.compiler_lock"), "global_compiler_lock", None)


def imported(name: str) -> Any:
    """Import a module that cannot be imported in halves: what a handler of signals raises meanwhile is raised behind it.

    In the main thread, which alone has such handlers, another thread imports it.
    """
    if threading.current_thread() is not threading.main_thread():
        return import_module(name)
    found: list[Any] = []
    errors: list[BaseException] = []

    def load() -> None:
        try:
            found.append(import_module(name))
        except BaseException as error:  # of any kind: it is raised below
            errors.append(error)

    thread = threading.Thread(target=load, name="pluecker")
    thread.start()
    while thread.is_alive():
        try:
            thread.join()
        except BaseException as error:  # KeyboardInterrupt, or what a handler of the user's raises
            errors.append(error)
    if errors:
        raise errors[-1]
    return found[0]


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
