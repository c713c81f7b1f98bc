"""Work of many short phases, one after the other: threads share the blocks of each, and none begins before the last ended.

:func:`~pluecker.spatial.parallel.threads.share` calls threads together once; that takes longer than a phase of some tens of
microseconds. So they stay: one, the leader, says what the phase is, takes blocks of it as the others do, and waits until all
are finished; the others look out for blocks until the leader tells them that it is over. Whoever comes late, or not at all,
is not missed: blocks are the same for any number of threads, and only who does them differs.

Threads take many blocks at a time while many are left, and few in the end, so that they seldom meet and all are finished at
about the same time. What is shared are a few integers, the *roster*. Blocks that are left and a number of the phase are one
integer, so that no thread takes a block of a phase that is over. Without compilation there is one thread.
"""

from __future__ import annotations

from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.parallel.atomics import add_shared, pause, read_shared, replace_shared, write_shared

__all__ = ["ROSTER", "THREADS", "await_blocks", "begin_phase", "dismiss", "finish_blocks", "is_over", "next_blocks"]

# The roster: integers, each in a line of the cache of its own. THREADS, at least 1, is known before.
TICKET, FINISHED, OVER, THREADS, ROSTER = range(0, 40, 8)
BITS = 20  # of a number of blocks; a ticket has the phase, the blocks of it, and those that are left
MOST, PHASES = (1 << BITS) - 1, (1 << 22) - 1


@kernel
def begin_phase(roster, blocks):
    """The blocks of a new phase are there, and all that is to be known of it was written before."""
    phase = (read_shared(roster, TICKET) >> (2 * BITS)) + 1
    write_shared(roster, FINISHED, 0)
    write_shared(roster, TICKET, (phase & PHASES) << (2 * BITS) | blocks << BITS | blocks)


@kernel
def next_blocks(roster):
    """Blocks of the phase that nobody has, in ascending order: the first one, and the end; none where these are the same"""
    ticket = read_shared(roster, TICKET)
    while ticket & MOST != 0:
        left = ticket & MOST
        taken = max(left // (2 * read_shared(roster, THREADS)), 1)
        if replace_shared(roster, TICKET, ticket, ticket - taken):
            first = (ticket >> BITS & MOST) - left
            return first, first + taken
        ticket = read_shared(roster, TICKET)
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
