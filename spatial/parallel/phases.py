"""Work of many short phases, one after the other: threads share the blocks of each, and none begins before the last ended.

:func:`~pluecker.spatial.parallel.threads.share` calls threads together once; that takes longer than a phase of some tens of
microseconds. So they stay: one, the leader, says what the phase is, takes blocks of it as the others do, and waits until all
are finished; the others look out for blocks until the leader tells them that it is over. Whoever comes late, or not at all,
is not missed: blocks are the same for any number of threads, and only who does them differs.

Each thread has a share of the blocks, the same ones whenever a phase has as many: what it reads and writes there is in the
cache of its core already. It takes several of them at a time while many are left, and few in the end; then it takes what is
left of other shares, one by one from their ends. Where blocks are of different length, the caller says where shares begin.

What threads have in common are a few integers, the *roster*. From one core to another such an integer takes 50 to 300
nanoseconds, so each thread has lines of its own: the blocks that are left of its share, with a number of the phase, so that
nobody takes a block of another phase; and how many it has finished, which it says when it finds no more. Without compilation
there is one thread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.parallel.atomics import give_way, pause, read_shared, replace_shared, write_shared
from pluecker.spatial.parallel.threads import YIELD
from pluecker.spatial.scalars.operations import load

__all__ = [
    "await_blocks",
    "begin_phase",
    "begin_shares",
    "dismiss",
    "finish_blocks",
    "is_over",
    "look_out",
    "make_roster",
    "next_blocks",
]

# The roster: integers, each in a line of the cache of its own. Behind OWN there are two for each of THREADS: its share, and
# how many blocks it has finished in all phases. BLOCKS: of all phases; GIVE_WAY: the address of a function of the system.
BLOCKS, OVER, THREADS, GIVE_WAY, OWN = range(0, 40, 8)
LINE = 8
SHARE, FINISHED = 0, LINE
BITS = 20  # of a number of blocks; what is left of a share has the phase, the first block that nobody has, and its end
MOST, PHASES = (1 << BITS) - 1, (1 << 22) - 1
# Pauses, after which who waits lets others have its core, who may be those that it waits for; those for which the leader
# does not do so; and those that it may take.
OFTEN, SHORT, TAKES = 256, 4096, 768


def make_roster(threads: int) -> NDArray[np.int64]:
    """For so many threads, before the first phase."""
    roster = np.zeros(OWN + 2 * LINE * threads, np.int64)
    roster[THREADS], roster[GIVE_WAY] = threads, YIELD
    return roster


@kernel
def own(k, what):
    """The place of an integer of thread k"""
    return OWN + 2 * LINE * k + what


@kernel
def begin_phase(roster, blocks):
    """The blocks of a new phase are there, and all that is to be known of it was written before; shares are alike."""
    phase, threads = begin_with(roster, blocks), read_shared(roster, THREADS)
    for k in range(threads - 1, -1, -1):
        hand_out(roster, k, phase, k * blocks // threads, (k + 1) * blocks // threads)


@kernel
def begin_shares(roster, starts, place):
    """The same with shares that begin at ``starts[place]`` and what follows it; the last number is that of all blocks."""
    threads = read_shared(roster, THREADS)
    phase = begin_with(roster, load(starts, place + threads))
    for k in range(threads - 1, -1, -1):
        hand_out(roster, k, phase, load(starts, place + k), load(starts, place + k + 1))


@kernel
def begin_with(roster, blocks):
    """What comes before shares are handed out; the number of the phase"""
    write_shared(roster, BLOCKS, read_shared(roster, BLOCKS) + blocks)
    return ((read_shared(roster, own(0, SHARE)) >> (2 * BITS)) + 1) & PHASES


@kernel
def hand_out(roster, k, phase, first, end):
    """The share of thread k"""
    write_shared(roster, own(k, SHARE), phase << (2 * BITS) | first << BITS | end)


@kernel
def next_blocks(roster, k):
    """Blocks of the phase that thread k is to do: the first one, and the end; none where these are the same"""
    threads = read_shared(roster, THREADS)
    phase = read_shared(roster, own(k, SHARE)) >> (2 * BITS)
    for turn in range(threads):
        place = own((k + turn) % threads, SHARE)
        share = read_shared(roster, place)
        # Others may have theirs of a phase while this thread's is being handed out: it waits.
        while share >> (2 * BITS) == phase and (share >> BITS & MOST) != share & MOST:
            first, end = share >> BITS & MOST, share & MOST
            if turn > 0:
                if replace_shared(roster, place, share, share - 1):
                    return end - 1, end
            else:
                taken = max((end - first) // 4, 1)
                if replace_shared(roster, place, share, share + (taken << BITS)):
                    return first, first + taken
            share = read_shared(roster, place)
    return 0, 0


@kernel
def finish_blocks(roster, k, blocks):
    """So many blocks are done by thread k, and what was written is seen by all."""
    write_shared(roster, own(k, FINISHED), read_shared(roster, own(k, FINISHED)) + blocks)


@kernel
def await_blocks(roster):
    """The leader's part, when it finds no blocks any more: wait for the others; about how many pauses"""
    pauses = 0
    while True:
        left = read_shared(roster, BLOCKS)
        for k in range(read_shared(roster, THREADS)):
            left -= read_shared(roster, own(k, FINISHED))
        if left == 0:
            return pauses
        pause()
        pauses += 1
        if pauses >= SHORT and pauses % OFTEN == 0:
            give_way(read_shared(roster, GIVE_WAY))
            pauses += TAKES


@kernel
def look_out(roster, pauses):
    """What others do who find no blocks: one pause, that many since there were any"""
    pause()
    if pauses % OFTEN == 0:
        give_way(read_shared(roster, GIVE_WAY))


@kernel
def dismiss(roster):
    """There will be no more phases."""
    write_shared(roster, OVER, 1)


@kernel
def is_over(roster):
    """Whether there will be none."""
    return read_shared(roster, OVER) != 0
