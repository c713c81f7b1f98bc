"""Work of many short phases, one after the other: threads share the blocks of each, and none begins before the last ended.

:func:`~pluecker.spatial.parallel.threads.share` calls threads together once; that takes longer than a phase of some tens of
microseconds. So they stay: one, the leader, says what the phase is, takes blocks of it as the others do, and waits until all
are finished; the others look out for blocks until the leader tells them that it is over. Whoever comes late, or not at all,
is not missed: blocks are the same for any number of threads, and only who does them differs.

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

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.parallel.atomics import give_way, pause, read_shared, replace_shared, write_shared
from pluecker.spatial.parallel.threads import YIELD
from pluecker.spatial.scalars.operations import load

__all__ = [
    "LINE",
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
# Pauses, after which who waits lets others have its core, who may be those that it waits for; those for which it does not do
# so where it waits for the end of what others have begun; and those that it may take.
OFTEN, SHORT, TAKES = 256, 4096, 768


def make_roster(threads: int) -> NDArray[np.int64]:
    """For so many threads, before the first phase."""
    roster = np.zeros(OWN + 2 * LINE * (threads + 1), np.int64)
    roster[THREADS], roster[GIVE_WAY] = threads, YIELD
    return roster


@kernel
def own(k, what):
    """The place of an integer of thread k"""
    return OWN + 2 * LINE * k + what


@kernel
def begin_phase(roster, blocks):
    """The blocks of a new phase are there, and all that is to be known of it was written before; shares are alike.

    The last one is empty.
    """
    phase, threads = begin_with(roster, blocks), read_shared(roster, THREADS)
    for k in range(threads - 1, -1, -1):
        hand_out(roster, k, phase, k * blocks // threads, (k + 1) * blocks // threads)
    hand_out(roster, threads, phase, blocks, blocks)


@kernel
def begin_shares(roster, starts):
    """The same with shares that begin at these numbers, the last one among them; one number more is that of all blocks."""
    threads = read_shared(roster, THREADS)
    phase = begin_with(roster, load(starts, threads + 1))
    for k in range(threads - 1, -1, -1):
        hand_out(roster, k, phase, load(starts, k), load(starts, k + 1))
    # At last, so that nobody finds these alone.
    hand_out(roster, threads, phase, load(starts, threads), load(starts, threads + 1))


@kernel
def begin_with(roster, blocks):
    """What comes before shares are handed out; the number of the phase"""
    write_shared(roster, BLOCKS, read_shared(roster, BLOCKS) + blocks)
    return (phase_of(roster, 0) + 1) & PHASES


@kernel
def phase_of(roster, k):
    """The phase that thread k is in: others may be handed out theirs of the next one before"""
    return read_shared(roster, own(k, SHARE)) >> (2 * BITS)


@kernel
def hand_out(roster, k, phase, first, end):
    """The share of thread k"""
    write_shared(roster, own(k, SHARE), phase << (2 * BITS) | first << BITS | end)


@kernel
def has_blocks(share, phase):
    """Whether there are any left, of that phase"""
    return share >> (2 * BITS) == phase and first_of(share) != share & MOST


@kernel
def first_of(share):
    """The block of a share that nobody has"""
    return share >> BITS & MOST


@kernel
def take_blocks(roster, phase, whose, part):
    """A part of what is left of a share in that phase: the first block, and the end; the same where there is none"""
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
    """Blocks of its own share that thread k is to do"""
    return take_blocks(roster, phase, k, 4)


@kernel
def other_blocks(roster, phase, k):
    """One of another thread's share; where there is none, of the last one"""
    threads = read_shared(roster, THREADS)
    for turn in range(1, threads):
        first, end = take_blocks(roster, phase, (k + turn) % threads, MOST)
        if first < end:
            return first, end
    return take_blocks(roster, phase, threads, MOST)


@kernel
def last_share(roster):
    """As it is now"""
    return read_shared(roster, own(read_shared(roster, THREADS), SHARE))


@kernel
def take_from_last(roster, share):
    """The first block of the last share, if that is as it was; whether it was"""
    return replace_shared(roster, own(read_shared(roster, THREADS), SHARE), share, share + (1 << BITS))


@kernel
def finish_blocks(roster, k, blocks):
    """So many blocks are done by thread k, and what was written is seen by all."""
    write_shared(roster, own(k, FINISHED), read_shared(roster, own(k, FINISHED)) + blocks)


@kernel
def one_more(roster, pauses):
    """One pause more of who waits for others, after so many: about how many these are now"""
    pause()
    pauses += 1
    if pauses >= SHORT and pauses % OFTEN == 0:
        give_way(read_shared(roster, GIVE_WAY))
        pauses += TAKES
    return pauses


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
        pauses = one_more(roster, pauses)


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
