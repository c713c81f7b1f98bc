"""Sharing work among threads that are already there, within a microsecond.

To wake a thread takes the system 50 to 100 microseconds, as long as a thousand states take. So a worker that has done its
part stays awake for a while, in compiled code and without the interpreter's lock, and watches the *board*: a few integers
in memory. A caller writes there what is to be done, takes part itself, and waits for those that have joined. Workers that
nobody needed for ``PATIENCE`` are not counted as awake any more, and go to sleep after another one; a call that is long
enough to be worth it wakes those that are missing, and does without those that come too late.

The system may wake a worker on the caller's own core, while others are free. So who watches lets others run now and then:
otherwise it would keep the caller from writing to the board until it goes to sleep again, and the task, however long, would
be left to one thread, as one in five of calls of half a second was.

Workers take tasks in Python as well (:func:`call_workers`): one that watches comes back to Python for them at once. Threads
of another kind would have to be woken, and to wait for the cores of those that watch.

What is shared is a function at an address, ``f(task, k)``: the address of a description of the task, and a number that no
two threads have at a time, 0 for the caller. Each call of it takes pieces of the task until there are none left, so that it
does not matter how many threads there are. Only one task is on the board at a time. Who finds it taken does the work alone:
then the cores have enough to do. So callers may be threads of somebody else's pool, any number at once. A process made by
``fork`` starts with no workers and makes its own when it needs them.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue

import numpy as np
from numba import config, types
from numpy.typing import NDArray

from pluecker.spatial.engine.compiled.decorators import compiled_for, kernel
from pluecker.spatial.engine.memory.addresses import integers_at
from pluecker.spatial.engine.parallel.atomics import (
    add_shared,
    call_at,
    give_way,
    mask_shared,
    pause,
    raise_shared,
    read_shared,
    replace_shared,
    write_shared,
)
from pluecker.spatial.engine.parallel.interruption import Interrupted, start

__all__ = ["YIELD", "available_cores", "board", "call_off", "call_workers", "compiled_serve", "is_worker", "share"]

# The board: integers, each in a line of the cache of its own.
TAKEN, WORKERS, WATCHING, AWAKE, CLOSED, FUNCTION, TASK, RESULT, GIVE_WAY, CALLS, SIZE = range(0, 88, 8)
ONE_AT_WORK = (
    1 << 32
)  # WORKERS counts the places that are free in its lower half, and the workers that work in its upper
PLACES = ONE_AT_WORK - 1
PATIENCE = 10000  # pauses: about 0.3 ms, more where others want the core
OFTEN = 32  # pauses, after which who only watches lets others have its core: the system may have put the caller there


@functools.cache
def available_cores() -> int:
    """Return how many cores this process may run on, as at the first call."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# ---------------------------------------------------------------------------------------------------- in compiled code


@kernel
def share(board, function, task, threads):
    """Run ``function(task, k)`` in this thread and in those workers that come in time, and wait until all have finished.

    Returns:
        The largest of what the calls gave, and ``BROKEN`` if one of them raised an exception.
    """
    if threads == 1 or not replace_shared(board, TAKEN, 0, 1):
        return call_at(function, task, 0)
    write_shared(board, FUNCTION, function)
    write_shared(board, TASK, task)
    write_shared(board, RESULT, 0)
    write_shared(board, WORKERS, threads - 1)
    result = call_at(function, task, 0)
    mask_shared(board, WORKERS, -ONE_AT_WORK)
    while read_shared(board, WORKERS) != 0:
        pause()
    result = max(result, read_shared(board, RESULT))
    write_shared(board, TAKEN, 0)
    return result


@kernel
def join(board):
    """Take one of the free places for workers in the task; returns its number, or 0 if there is none."""
    workers = read_shared(board, WORKERS)
    while workers & PLACES != 0:
        if replace_shared(board, WORKERS, workers, workers - 1 + ONE_AT_WORK):
            return workers & PLACES
        workers = read_shared(board, WORKERS)
    return 0


def serve(address, calls):
    """Watch for compiled tasks in a worker, and take part in them, until none came for ``2 PATIENCE`` pauses.

    For the first half of these pauses it is counted as awake.

    Returns:
        Whether it was called back to Python: there were ``calls`` before.
    """
    board = integers_at(address, SIZE)
    add_shared(board, WATCHING, 1)
    awake, idle, called = 0, 0, 0
    while idle < 2 * PATIENCE and read_shared(board, CLOSED) == 0:
        if awake == 0 and idle < PATIENCE:
            awake = 1
            add_shared(board, AWAKE, 1)
        elif awake == 1 and idle >= PATIENCE:
            awake = 0
            add_shared(board, AWAKE, -1)
        place = join(board)
        if place == 0:
            if read_shared(board, CALLS) != calls:
                called = 1
                break
            pause()
            idle += 1
            if idle % OFTEN == 0:
                give_way(read_shared(board, GIVE_WAY))
        else:
            result = call_at(read_shared(board, FUNCTION), read_shared(board, TASK), place)
            raise_shared(board, RESULT, result)
            add_shared(board, WORKERS, -ONE_AT_WORK)
            idle = 0
    add_shared(board, AWAKE, -awake)
    add_shared(board, WATCHING, -1)
    return called


@functools.cache
def compiled_serve() -> Callable[[int, int], int]:
    """Return :func:`serve`, compiled; without compilation workers do not watch."""
    return never_called if config.DISABLE_JIT else compiled_for(serve, (types.intp, types.int64))


def never_called(address: int, calls: int) -> int:
    """Return at once: stands for :func:`serve` without compilation."""
    return 0


# --------------------------------------------------------------------------------------------------------------- in Python


def yield_address() -> int:
    """Return the address of the system's function with which a thread yields its core to others."""
    if sys.platform == "win32":
        function = ctypes.windll.kernel32.SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found
    return found


YIELD = yield_address()


class Team:
    """The shared integers (the board) that workers watch for tasks, and these workers."""

    def __init__(self) -> None:
        self.board = np.zeros(SIZE, dtype=np.int64)
        self.board[GIVE_WAY] = YIELD
        self.wake_ups: SimpleQueue[None] = SimpleQueue()
        self.tasks: deque[Callable[[], None]] = deque()
        self.workers: list[threading.Thread] = []
        self.starting = threading.Lock()

    def wake(self, wanted: int) -> None:
        """Wake workers, or start them, so that so many are awake soon."""
        coming = self.wake_ups.qsize()  # not yet seen: who goes to sleep finds it at once
        missing = min(wanted, available_cores() - 1) - int(self.board[AWAKE]) - coming
        if missing > 0:
            self.start()
            for _ in range(missing):
                self.wake_ups.put(None)

    def start(self) -> None:
        """Start as many workers as there are cores, less the caller's own, unless they run."""
        if len(self.workers) == available_cores() - 1:
            return
        watch = compiled_serve()
        with self.starting:
            while len(self.workers) < available_cores() - 1:
                name = f"pluecker-{len(self.workers) + 1}"
                self.workers.append(start(functools.partial(self.work, watch), name))

    def work(self, watch: Callable[[int, int], int]) -> None:
        """Run a worker, forever: sleep until woken, do tasks in Python, and watch for compiled tasks."""
        _own.worker = True
        while True:
            try:
                self.wake_ups.get()
                called = 1
                while called:
                    calls = int(self.board[CALLS])  # before it looks for tasks: what comes later is a call
                    self.do_tasks()
                    called = watch(self.board.ctypes.data, calls)
            except Interrupted:  # too late for the task that it was to end
                pass

    def do_tasks(self) -> None:
        """Do queued tasks in Python, until there are none."""
        while self.tasks:
            try:
                task = self.tasks.popleft()
            except IndexError:  # somebody else was quicker
                return
            task()

    def close(self) -> None:
        """Make workers leave compiled code, and wait for that a second at most, before the interpreter unloads it."""
        self.board[CLOSED] = 1
        limit = time.perf_counter() + 1.0
        while self.board[WATCHING] and time.perf_counter() < limit:
            time.sleep(1e-4)


_team = Team()
_own = threading.local()  # ``worker``: whether this thread is one


def is_worker() -> bool:
    """Return whether this thread is a worker, which takes part in what others do."""
    return hasattr(_own, "worker")


def board(threads: int) -> NDArray[np.int64]:
    """The board for :func:`share`; with more threads than one, workers for them are awake soon."""
    if threads > 1:
        _team.wake(threads - 1)
    return _team.board


def call_workers(task: Callable[[], None], times: int) -> None:
    """Queue a task in Python for so many workers, who do it if they come in time: see :func:`call_off`."""
    times = min(times, available_cores() - 1)
    if times > 0:
        _team.tasks.extend([task] * times)
        _team.board[CALLS] += 1
        _team.wake(len(_team.tasks))  # those of other callers, which nobody has begun, are not done by the same workers


def call_off(task: Callable[[], None]) -> None:
    """Cancel those calls of a task that no worker has begun."""
    tasks = _team.tasks
    while True:
        try:
            tasks.remove(task)
        except ValueError:
            return


def close_team() -> None:
    """Close the team when the process ends."""
    _team.close()


def renew_team() -> None:
    """Make a new team in a forked child, which does not have the threads of its parent."""
    global _team
    _team = Team()


atexit.register(close_team)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_team)
