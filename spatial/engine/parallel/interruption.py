"""Ctrl-C is answered within a second, however long the work.

Python's handlers of signals run in the main thread, between two instructions of Python: never while that thread is inside
compiled code. So the main thread waits, and another one works:

1. :func:`interruptible` starts the work in a thread of its own and waits for it, in Python. Handlers run at once, whichever
   they are, and what they raise ends the waiting.
2. It then sets a number in memory, which compiled loops read, and end: see
   :mod:`~pluecker.spatial.engine.parallel.interruption_flag`. Wherever a loop may take long, it asks in each of its rounds;
   that costs a load.
3. What is Python in that thread, recipes between compiled pieces or the compiler itself, is ended by an exception that is
   raised in it. Libraries that release the lock of the interpreter (SuperLU) delay nobody; the thread ends when
   they come back. Inside :func:`answering`, where Numba makes Python's objects of what compiled code gives, and does not
   look whether it could, nothing is raised: the thread ends when it comes out.

Where all compiled pieces are short, nothing of this is needed: the main thread works, and answers between two of them. A
piece that has yet to be compiled is not short: its first call is made in a thread of its own, by :func:`answering`.

What the interrupted thread has found is thrown away. The number is one for all: work of other threads that runs at that
moment, and has ended too early for it, is done again. Work that is shorter than it takes to start a thread is done at once.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from pluecker.spatial.engine.parallel.interruption_flag import state

__all__ = [
    "LONG_OPERATIONS",
    "TICK",
    "Interrupted",
    "answering",
    "interruptible",
    "start",
    "takes_long",
    "work_of_this_thread",
]

T = TypeVar("T")

LONG_OPERATIONS = 1e8  # operations, about a tenth of a second
PATIENCE = 0.5  # seconds that the main thread waits for the end of what it has interrupted
TICK, BRIEF = 0.05, 0.002  # seconds
STACK = 16 << 20  # bytes: compilers need more than some systems give to a thread


class Interrupted(BaseException):
    """Raised in threads whose work is not wanted any more."""


class Work:
    """Work that a thread does, and the threads that take part in it.

    Attributes:
        threads: the identifiers of those that are at work.
        inside: of those in which nothing may be raised.
        stopped: whether its result is not wanted any more.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function, self.finished, self.changing = function, threading.Event(), threading.Lock()
        self.result: Any = None
        self.error: BaseException | None = None
        self.threads: set[int] = set()
        self.inside: set[int] = set()
        self.stopped = False

    def undisturbed(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function in which no other thread raises an exception; then raise Interrupted if the work was stopped."""
        me = threading.get_ident()
        try:
            with self.changing:
                self.inside.add(me)
            result = function(*arguments)
        finally:
            with self.changing:
                self.inside.discard(me)
        if self.stopped:
            raise Interrupted
        return result

    def take_part(self, function: Callable[[], None]) -> None:
        """Call a function that does some of the work, in any thread; what is not wanted any more ends, or does not begin."""
        me, before = threading.get_ident(), getattr(current, "work", None)
        try:
            try:
                with self.changing:
                    self.threads.add(me)
                current.work = self
                if not self.stopped:
                    function()
            finally:
                current.work = before
                with self.changing:
                    self.threads.discard(me)
        except Interrupted:  # nobody waits for what it would have found
            pass

    def run(self) -> None:
        """Do the work, in its thread, and keep its result or its exception."""

        def work() -> None:
            try:
                self.result = self.function()
            except Interrupted:
                self.error = Interrupted()
            except BaseException as error:  # of any kind: it is raised where somebody waits
                self.error = error

        try:
            self.take_part(work)
        finally:
            self.finished.set()

    def stop(self) -> None:
        """Stop the work, or give up waiting for what cannot be ended in :data:`PATIENCE` seconds."""
        with stopping:
            counted[0] += 1
            state[0], self.stopped = 1, True
            try:
                began = time.monotonic()
                due, end = began + TICK, began + PATIENCE
                while not (self.finished.wait(BRIEF) and not self.threads) and time.monotonic() < end:
                    if time.monotonic() >= due:
                        self.interrupt()
                        due = time.monotonic() + TICK
                    if self.finished.is_set():  # workers are not
                        time.sleep(BRIEF)
            finally:
                state[0] = 0

    def interrupt(self) -> None:
        """Raise Interrupted in all threads that are at work, but for those in :meth:`undisturbed`."""
        with self.changing:
            for thread in self.threads - self.inside:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Interrupted))


current = threading.local()  # ``work``: what the thread belongs to
stopping, starting = threading.Lock(), threading.Lock()
counted = [0]  # how often work was stopped


def work_of_this_thread() -> Work:
    """Return the work that this thread takes part in, or new work that counts as finished, for workers to take part in."""
    work: Work | None = getattr(current, "work", None)
    if work is None:
        work = Work(lambda: None)
        work.finished.set()
    return work


def takes_long(rounds: float, size: float) -> bool:
    """Return whether work may take long: so many rounds over a full matrix of ``size`` rows, more than LONG operations."""
    return rounds * size * size > LONG_OPERATIONS


def interruptible(function: Callable[[], T], long: bool = True) -> T:
    """Call a function so that signals are handled meanwhile: return or raise as it does, or raise what a handler raises.

    Args:
        function: the work.
        long: whether it may take long; otherwise it is done at once.
    """
    elsewhere = long and threading.current_thread() is threading.main_thread()
    while True:
        with stopping:  # not while something else is stopped: this would end too
            before = counted[0]
        result = in_thread(function) if elsewhere else function()
        if counted[0] == before:
            return result


def answering(function: Callable[..., T], *arguments: Any, long: bool = False) -> T:
    """Call a compiled function, as a piece of work that is in Python otherwise, and return its result.

    In a thread of its own where the main thread would be inside it for long: if it may take long, or was never called
    and is compiled first. In other threads it is called, and an interruption waits until it has come out.

    Args:
        function: with compiled code, as Python calls it; one in Python is called.
        arguments: its own.
        long: whether it may take long.
    """
    wait = long or not getattr(function, "overloads", True)
    if wait and threading.current_thread() is threading.main_thread():
        return in_thread(lambda: answering(function, *arguments))
    work = getattr(current, "work", None)
    return function(*arguments) if work is None else work.undisturbed(function, *arguments)


def start(function: Callable[[], None], name: str = "pluecker") -> threading.Thread:
    """Start a daemon thread, with a stack that is large enough for compilers."""
    thread = threading.Thread(target=function, name=name, daemon=True)
    with starting:  # the size is one for all
        before = threading.stack_size(STACK)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    return thread


def in_thread(function: Callable[[], T]) -> T:
    """Call a function in another thread and wait for it; return or raise as it does, or stop it at an exception here."""
    work = Work(function)
    try:
        thread = start(work.run)
        while not work.finished.wait(1.0):
            pass
    except BaseException:
        work.stop()
        raise
    thread.join()
    result: T = work.result
    error, work.result, work.error = work.error, None, None  # workers may have it for longer
    if error is not None:
        try:
            raise error
        finally:
            del error  # which knows of this frame
    return result


def renew_locks() -> None:
    """Renew locks and flag in a forked child: no thread is there to release held locks, or to end an interruption."""
    global stopping, starting
    stopping, starting = threading.Lock(), threading.Lock()
    state[0] = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_locks)
