"""Work of many short phases, one after the other: threads share the blocks of each, and none begins before the last ended.

:func:`~pluecker.spatial.parallel.threads.share` calls threads together once; that takes longer than a phase of some tens of
microseconds. So they stay: one, the leader, says what the phase is, takes blocks of it as the others do, and waits until all
are finished; the others look out for blocks until the leader tells them that it is over. Whoever comes late, or not at all,
is not missed: blocks are the same for any number of threads, and only who does them differs.

Each thread has a share of the blocks, the same ones whenever a phase has as many: what it reads and writes there is in the
cache of its core already. It takes several of them at a time while many are left, and few in the end; then it takes what is
left of other shares, one by one from their ends. What threads have in common are a few integers, the *roster*. The blocks
that are left of a share and a number of the phase are one integer, so that no thread takes a block of a phase that is over.
Without compilation there is one thread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.parallel.atomics import add_shared, pause, read_shared, replace_shared, write_shared

__all__ = ["await_blocks", "begin_phase", "dismiss", "finish_blocks", "is_over", "make_roster", "next_blocks"]

# The roster: integers, each in a line of the cache of its own. SHARES is the first of THREADS of them.
FINISHED, OVER, THREADS, SHARES = range(0, 32, 8)
LINE = 8
BITS = 20  # of a number of blocks; what is left of a share has the phase, the first block that nobody has, and its end
MOST, PHASES = (1 << BITS) - 1, (1 << 22) - 1


def make_roster(threads: int) -> NDArray[np.int64]:
    """For so many threads, before the first phase."""
    roster = np.zeros(SHARES + LINE * threads, np.int64)
    roster[THREADS] = threads
    return roster


@kernel
def begin_phase(roster, blocks):
    """The blocks of a new phase are there, and all that is to be known of it was written before."""
    phase, threads = (read_shared(roster, SHARES) >> (2 * BITS)) + 1, read_shared(roster, THREADS)
    write_shared(roster, FINISHED, 0)
    for k in range(threads):
        first, end = k * blocks // threads, (k + 1) * blocks // threads
        write_shared(roster, SHARES + LINE * k, (phase & PHASES) << (2 * BITS) | first << BITS | end)


@kernel
def next_blocks(roster, k):
    """Blocks of the phase that thread k is to do: the first one, and the end; none where these are the same"""
    threads = read_shared(roster, THREADS)
    for turn in range(threads):
        place = SHARES + LINE * ((k + turn) % threads)
        share = read_shared(roster, place)
        while (share >> BITS & MOST) != share & MOST:
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
def finish_blocks(roster, blocks):
    """So many blocks are done, and what was written is seen by all."""
    add_shared(roster, FINISHED, blocks)


@kernel
def await_blocks(roster, blocks):
    """The leader's part, when it finds no blocks any more: wait for the others; how many pauses, of some 30 ns each"""
    pauses = 0
    while read_shared(roster, FINISHED) != blocks:
        pause()
        pauses += 1
    return pauses


@kernel
def dismiss(roster):
    """There will be no more phases."""
    write_shared(roster, OVER, 1)


@kernel
def is_over(roster):
    """Whether there will be none."""
    return read_shared(roster, OVER) != 0
