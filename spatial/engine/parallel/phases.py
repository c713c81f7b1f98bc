"""Work of many short phases, one after the other: threads share the blocks of each, and none begins before the last ended.

To call threads together takes longer than a phase of some tens of microseconds. So they stay: one, the leader, says what the
phase is, takes blocks of it as the others do, and waits until all are finished; the others look out for blocks until the
leader tells them that it is over. Whoever comes late, or not at all, is not missed: blocks are the same for any number of
threads, and only who does them differs.

Each thread has a share of the blocks, the same ones whenever a phase has as many: what it reads and writes there is in the
cache of its core already. It takes several of them at a time while many are left, and few in the end; then it takes what is
left of other shares, one by one. Where blocks are of different length, the caller says where shares begin; there may be one
share more, the last one, that no thread has for its own.

Blocks are taken in their order, of each share. So one may have to wait for those in front of it, and one of the last share
for any other: if those of the last share are taken where they do not have to wait, or when there is nothing else, whoever
took those for which others wait is at work.

What threads have in common are a few integers, the *roster*. From one core to another such an integer takes 50 to 300
nanoseconds, so each thread has lines of its own: the blocks that are left of its share, with a number of the phase, so that
nobody takes a block of another phase; and how many it has finished, which it says when it finds no more. Without compilation
there is one thread.
"""

from __future__ import annotations

import ctypes
import sys

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.parallel.atomics import give_way, pause, read_shared, replace_shared, write_shared
from pluecker.spatial.engine.scalars.operations import load

__all__ = [
    "LINE",
    "OVER",
    "await_blocks",
    "begin_phase",
    "begin_shares",
    "dismiss",
    "finish_blocks",
    "first_of",
    "has_blocks",
    "is_over",
    "last_share",
    "look_out",
    "make_roster",
    "one_more",
    "other_blocks",
    "own_blocks",
    "phase_of",
    "take_from_last",
]

# The roster: integers, each in a line of the cache of its own. Behind OWN there are two for each of THREADS: its share, and
# how many blocks it has finished in all phases; and then two for the last share. BLOCKS: of all phases; GIVE_WAY: where a
# function of the system is.
BLOCKS, OVER, THREADS, GIVE_WAY, OWN = range(0, 40, 8)
LINE = 8
SHARE, FINISHED = 0, LINE
BITS = 20  # of a number of blocks; what is left of a share has the phase, the first block that nobody has, and its end
MOST, PHASES = (1 << BITS) - 1, (1 << 22) - 1
# In pauses: how often a waiting thread yields its core to others, which may be those that it waits for; how long it does not
# yield at first, while it waits for blocks that others have begun; and for how many a yield counts.
OFTEN, SHORT, TAKES = 256, 4096, 768


def make_roster(threads: int) -> NDArray[np.int64]:
    """Make the shared integers (the roster) for so many threads, before the first phase."""
    roster = np.zeros(OWN + 2 * LINE * (threads + 1), np.int64)
    system = ctypes.windll.kernel32.SwitchToThread if sys.platform == "win32" else ctypes.CDLL(None).sched_yield
    roster[THREADS], roster[GIVE_WAY] = threads, ctypes.cast(system, ctypes.c_void_p).value
    return roster


@kernel
def own(k, what):
    """The place of an integer of thread k"""
    return OWN + 2 * LINE * k + what


@kernel
def begin_phase(roster, blocks):
    """Begin a phase of so many blocks in equal shares, the last share empty; its data has to be written before."""
    phase, threads = begin_with(roster, blocks), read_shared(roster, THREADS)
    for k in range(threads - 1, -1, -1):
        hand_out(roster, k, phase, k * blocks // threads, (k + 1) * blocks // threads)
    hand_out(roster, threads, phase, blocks, blocks)


@kernel
def begin_shares(roster, starts):
    """Begin a phase whose shares begin at the blocks ``starts``, that of the last share included; its last entry is the
    number of all blocks.
    """
    threads = read_shared(roster, THREADS)
    phase = begin_with(roster, load(starts, threads + 1))
    for k in range(threads - 1, -1, -1):
        hand_out(roster, k, phase, load(starts, k), load(starts, k + 1))
    # At last, so that nobody finds these alone.
    hand_out(roster, threads, phase, load(starts, threads), load(starts, threads + 1))


@kernel
def begin_with(roster, blocks):
    """Count the blocks of a new phase, before its shares are handed out; returns the number of the phase"""
    write_shared(roster, BLOCKS, read_shared(roster, BLOCKS) + blocks)
    return (phase_of(roster, 0) + 1) & PHASES


@kernel
def phase_of(roster, k):
    """Return the number of the phase that thread k is in: others may get their shares of the next one earlier"""
    return read_shared(roster, own(k, SHARE)) >> (2 * BITS)


@kernel
def hand_out(roster, k, phase, first, end):
    """Set the share of thread k: blocks ``first`` to ``end`` of the phase"""
    write_shared(roster, own(k, SHARE), phase << (2 * BITS) | first << BITS | end)


@kernel
def has_blocks(share, phase):
    """Return whether a share is of that phase and has blocks left"""
    return share >> (2 * BITS) == phase and first_of(share) != share & MOST


@kernel
def first_of(share):
    """Return the first block of a share that nobody has taken"""
    return share >> BITS & MOST


@kernel
def take_blocks(roster, phase, whose, part):
    """Take 1 / ``part`` of the blocks left of a share in that phase: the first block and the end; equal if none is left"""
    place = own(whose, SHARE)
    share = read_shared(roster, place)
    while has_blocks(share, phase):
        first = first_of(share)
        taken = max(((share & MOST) - first) // part, 1)
        if replace_shared(roster, place, share, share + (taken << BITS)):
            return first, first + taken
        share = read_shared(roster, place)
    return 0, 0


@kernel
def own_blocks(roster, phase, k):
    """Take blocks of the own share of thread k: a fourth of those left, at least one"""
    return take_blocks(roster, phase, k, 4)


@kernel
def other_blocks(roster, phase, k):
    """Take one block of another thread's share, or of the last share if there is none"""
    threads = read_shared(roster, THREADS)
    for turn in range(1, threads):
        first, end = take_blocks(roster, phase, (k + turn) % threads, MOST)
        if first < end:
            return first, end
    return take_blocks(roster, phase, threads, MOST)


@kernel
def last_share(roster):
    """Read the last share as it is now"""
    return read_shared(roster, own(read_shared(roster, THREADS), SHARE))


@kernel
def take_from_last(roster, share):
    """Take the first block of the last share, if that still is ``share``; returns whether it was"""
    return replace_shared(roster, own(read_shared(roster, THREADS), SHARE), share, share + (1 << BITS))


@kernel
def finish_blocks(roster, k, blocks):
    """Report that thread k has finished so many blocks; what it has written is seen by all others."""
    write_shared(roster, own(k, FINISHED), read_shared(roster, own(k, FINISHED)) + blocks)


@kernel
def one_more(roster, pauses):
    """Pause once in a wait for others, after so many pauses; returns about how many these are now, the time of giving way
    to other threads included"""
    pause()
    pauses += 1
    if pauses >= SHORT and pauses % OFTEN == 0:
        give_way(read_shared(roster, GIVE_WAY))
        pauses += TAKES
    return pauses


@kernel
def await_blocks(roster):
    """Wait, as the leader that finds no more blocks, until all are finished; returns about how many pauses that took"""
    pauses = 0
    while True:
        left = read_shared(roster, BLOCKS)
        for k in range(read_shared(roster, THREADS)):
            left -= read_shared(roster, own(k, FINISHED))
        if left == 0:
            return pauses
        pauses = one_more(roster, pauses)


@kernel
def look_out(roster, pauses):
    """Pause once, as a thread that finds no blocks; ``pauses`` counts them since it found any"""
    pause()
    if pauses % OFTEN == 0:
        give_way(read_shared(roster, GIVE_WAY))


@kernel
def dismiss(roster):
    """Tell the other threads that there will be no more phases."""
    write_shared(roster, OVER, 1)


@kernel
def is_over(roster):
    """Return whether there will be no more phases."""
    return read_shared(roster, OVER) != 0
