"""Work of many short phases, one after the other: threads share the blocks of each, and none begins before the last ended.

To call threads together takes longer than a phase of some tens of microseconds. So they stay: one, the leader, begins
phases, takes blocks as the others do, and waits until all are finished; the others look out for blocks until the leader says
that it is over. Who comes late, or not at all, is not missed: blocks are the same for any number of threads, and only who
does them differs. Each thread has a share of the blocks, which follow one another and are the same whenever a phase has as
many: what it reads and writes there is in the cache of its core already. Then it takes what is left of other shares.

Threads have some integers in common, the *counters*, each in a line of the cache of its own. Without compilation there is
one thread.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.parallel.atomics import (
    add_shared,
    give_way,
    pause,
    read_shared,
    replace_shared,
    write_shared,
)
from pluecker.spatial.engine.parallel.interruption_flag import interrupted

__all__ = ["OVER", "end_phases", "make_counters", "shared_phases"]

# Blocks of all phases so far, and those that are finished; whether it is over; threads; how often others were late; where
# the system's function is that gives way to other threads; then what is left of each share: the number of the phase, the
# first block that nobody has, and the end.
BLOCKS, FINISHED, OVER, THREADS, LATE, GIVE_WAY, SHARES = range(0, 56, 8)
BITS = 20  # of the number of a block
MOST = (1 << BITS) - 1
OFTEN = 256  # pauses after which a waiting thread gives way: others may need its core to go on
# Where cores have other work to do, a thread that was stopped in the middle of a block holds up all others. The leader goes
# on alone if it had to wait longer than any block takes, LONG pauses, more than four times of late.
LONG, ONCE, FADING = 4096, 1 << 16, 8


def yield_address() -> int:
    """Return the address of the system's function with which a thread yields its core to others."""
    if sys.platform == "win32":
        function = ctypes.windll.kernel32.SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found
    return found


def make_counters(threads: int) -> NDArray[np.int64]:
    """Make the shared integers (the counters) for so many threads, before the first phase."""
    counters = np.zeros(SHARES + 8 * threads, np.int64)
    counters[THREADS], counters[GIVE_WAY] = threads, yield_address()
    return counters


@kernel
def end_phases(counters):
    """Tell the other threads that there will be no more phases."""
    write_shared(counters, OVER, 1)


@kernel
def begin_phase(counters, first, end):
    """Begin a phase of the blocks from ``first`` to ``end``; what they read has to be written before"""
    threads, phase = read_shared(counters, THREADS), (read_shared(counters, SHARES) >> 2 * BITS) + 1
    write_shared(counters, BLOCKS, read_shared(counters, BLOCKS) + end - first)
    for k in range(threads):
        begins, ends = first + k * (end - first) // threads, first + (k + 1) * (end - first) // threads
        write_shared(counters, SHARES + 8 * k, phase << 2 * BITS | begins << BITS | ends)


@kernel
def take_block(counters, k):
    """Take a block of the share of thread k, or of another one in the same phase; -1 if there is none"""
    threads, phase = read_shared(counters, THREADS), read_shared(counters, SHARES + 8 * k) >> 2 * BITS
    for turn in range(threads):
        place = SHARES + 8 * ((k + turn) % threads)
        share = read_shared(counters, place)
        while share >> 2 * BITS == phase and (share >> BITS) & MOST != share & MOST:
            if replace_shared(counters, place, share, share + (1 << BITS)):
                return (share >> BITS) & MOST
            share = read_shared(counters, place)
    return -1


@kernel
def wait(counters, pauses):
    """Pause once, after so many pauses"""
    pause()
    if pauses % OFTEN == OFTEN - 1:
        give_way(read_shared(counters, GIVE_WAY))


def shared_phases(do_block: Callable[..., None]) -> tuple[Callable[..., None], Callable[..., None]]:
    """Make the functions of the leader and of all others.

    Args:
        do_block: a kernel ``do_block(L, block)``, with what all threads share; it says what a phase does with a block.

    Returns:
        ``run_phase(L, counters, first, end)`` of the leader, and ``follow(L, counters, k)`` of thread k.
    """

    @kernel
    def take_part(L, counters, k):
        """Do blocks until none is left; return how many"""
        done, block = 0, take_block(counters, k)
        while block >= 0:
            do_block(L, block)
            done, block = done + 1, take_block(counters, k)
        if done > 0:
            add_shared(counters, FINISHED, done)
        return done

    @called_kernel
    def run_phase(L, counters, first, end):
        """Run a phase of the blocks from ``first`` to ``end``, with this thread as the leader"""
        begin_phase(counters, first, end)
        take_part(L, counters, 0)
        pauses, late = 0, read_shared(counters, LATE)
        while read_shared(counters, FINISHED) != read_shared(counters, BLOCKS):
            wait(counters, pauses)
            pauses += 1
        late += (ONCE if pauses > LONG else 0) - (late >> FADING)
        write_shared(counters, LATE, late)
        if late > 4 * ONCE:
            end_phases(counters)

    @kernel
    def follow(L, counters, k):
        """Do blocks of one phase after the other, until it is over"""
        pauses = 0
        while read_shared(counters, OVER) == 0 and not interrupted():
            pauses = 0 if take_part(L, counters, k) > 0 else pauses + 1
            if pauses > 0:
                wait(counters, pauses)

    def run_alone(L, counters, first, end):
        """Run a phase without compilation"""
        for block in range(first, end):
            do_block(L, block)

    return run_alone if DISABLE_JIT else run_phase, follow
