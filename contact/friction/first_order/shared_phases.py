"""Passes over a large island, of which one thread is the leader and others take blocks.

A pass is a kernel on one block; which one, the settings of the island say. The leader says which comes next, takes blocks as
the others do, and adds up the sums of the blocks in their order: results do not depend on the number of threads. Blocks may
have to wait for others that come before them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import config

from pluecker.contact.friction.first_order.large_record import (
    DISTANCE,
    HELD,
    LACK,
    LARGEST,
    LATE,
    MOTION,
    OFFSET,
    PASS,
    SIZE,
    SPEED,
    SUMS,
)
from pluecker.contact.friction.problem.natural_map import TOO_LARGE, larger
from pluecker.spatial.engine.compiled.decorators import kernel, outlined_kernel
from pluecker.spatial.engine.memory.addresses import integers_at, narrow_rows_at, numbers_at, rows_at
from pluecker.spatial.engine.parallel.phases import (
    await_blocks,
    begin_phase,
    begin_shares,
    dismiss,
    finish_blocks,
    first_of,
    has_blocks,
    is_over,
    last_share,
    look_out,
    one_more,
    other_blocks,
    own_blocks,
    phase_of,
    take_from_last,
)
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = [
    "OFTEN", "add_some", "add_sums", "array_integers", "array_narrow_rows", "array_numbers", "array_rows", "error_of_sums",
    "shared_passes",
]  # fmt: skip

# Where cores have other work to do, a thread that was stopped in the middle of a block holds up all others. If the leader
# had to wait more than OFTEN of late for longer than blocks may take, LONG pauses for each group of contacts of the largest,
# it goes on alone. Measured with seven times as many threads as cores on the machine: two took twice as long as one.
LONG, OFTEN, FADING = 100, 4.0, 0.995


@kernel
def at_once(L, block):
    """Return that a block is ready, as it waits for no other"""
    return True


@kernel
def unnoticed(L, block):
    """Do nothing after a block, as no other waits for it"""


def shared_passes(
    pass_over: Callable[..., None], is_ready: Callable[..., bool] = at_once, finish: Callable[..., None] = unnoticed
) -> tuple[Callable[..., None], Callable[..., None], Callable[..., None]]:
    """Make the functions with which the leader of a large island and the other threads run passes.

    Args:
        pass_over: a kernel ``pass_over(L, block)`` that does one block of the pass that ``L.settings`` say.
        is_ready: whether those blocks are done that a block waits for: none, or some in front of it.
        finish: what comes after a block.

    Returns:
        ``do_pass(L, roster, what, blocks)`` and ``do_shares(L, roster, what, starts)`` of the leader, and
        ``follow(L, roster, thread)`` of all others.
    """

    @kernel
    def next_blocks(L, roster, thread):
        """Take blocks of the own share; or one of the last share that is ready; or of others, and in the end of the last"""
        phase = phase_of(roster, thread)
        first, end = own_blocks(roster, phase, thread)
        if first < end:
            return first, end
        last = last_share(roster)
        if has_blocks(last, phase) and is_ready(L, first_of(last)) and take_from_last(roster, last):
            return first_of(last), first_of(last) + 1
        return other_blocks(roster, phase, thread)

    @kernel
    def take_part(L, roster, thread):
        """Do blocks of the pass until none is left; return how many, and the most pauses before one of them"""
        done, waited = 0, 0
        first, end = next_blocks(L, roster, thread)
        while first < end:
            for block in range(first, end):
                pauses = 0
                while not is_ready(L, block):
                    pauses = one_more(roster, pauses)
                waited = max(waited, pauses)
                pass_over(L, block)
                finish(L, block)
            done += end - first
            first, end = next_blocks(L, roster, thread)
        if done > 0:
            finish_blocks(roster, thread, done)
        return done, waited

    @outlined_kernel
    def lead(L, roster):
        """Do the leader's part in a pass that has begun"""
        _, waited = take_part(L, roster, 0)
        late = FADING * load(L.control, LATE)
        if max(waited, await_blocks(roster)) > LONG * load(L.control, LARGEST):
            late += 1.0
        store(L.control, LATE, late)
        if late > OFTEN:
            dismiss(roster)

    @kernel
    def do_pass(L, roster, what, blocks):
        """Run one pass, with this thread as the leader"""
        store(L.settings, PASS, what)
        begin_phase(roster, blocks)
        lead(L, roster)

    @kernel
    def do_shares(L, roster, what, starts):
        """Run one pass, with shares as in :func:`~pluecker.spatial.engine.parallel.phases.begin_shares`"""
        store(L.settings, PASS, what)
        begin_shares(roster, starts)
        lead(L, roster)

    def do_alone(L, roster, what, blocks):
        """Run one pass alone, block by block"""
        store(L.settings, PASS, what)
        for block in range(blocks):
            pass_over(L, block)

    def do_shares_alone(L, roster, what, starts):
        """Run one pass alone, whatever the shares are"""
        do_alone(L, roster, what, starts[-1])

    @kernel
    def follow(L, roster, thread):
        """Do blocks of one pass after the other, until the leader says that it is over"""
        pauses = 0
        while not is_over(roster):
            done, _ = take_part(L, roster, thread)
            pauses = 0 if done > 0 else pauses + 1
            if pauses > 0:
                look_out(roster, pauses)

    return (do_alone, do_shares_alone, follow) if config.DISABLE_JIT else (do_pass, do_shares, follow)


@kernel
def add_some(L, blocks, first, end):
    """Add up some of the sums of all blocks, in the place of those of the first"""
    for k in range(first, end):
        total = 0.0
        for block in range(blocks):
            total += load(L.sums, SUMS * block + k)
        store(L.sums, k, total)


@outlined_kernel
def add_sums(L, blocks):
    """Add up the sums of all blocks, and find the largest of the maxima, in the place of those of the first"""
    add_some(L, blocks, 0, LACK)
    for k in range(LACK, SPEED + 1):
        largest = 0.0
        for block in range(blocks):
            largest = max(largest, load(L.sums, SUMS * block + k))
        store(L.sums, k, largest)


@outlined_kernel
def error_of_sums(L):
    """Return the error, as in :func:`.evaluate`; infinite where its squares overflow"""
    sums = L.sums
    scale = np.sqrt(max(load(sums, OFFSET), max(load(sums, SIZE), load(sums, MOTION))))
    if not scale < TOO_LARGE:
        return np.inf
    error = np.sqrt(load(sums, DISTANCE))
    error = error / scale if scale > 0.0 else error
    return larger(error, np.sqrt(load(sums, LACK)), np.sqrt(load(sums, HELD)), load(sums, SPEED))


# A task of threads has the address and the length of array n in two integers from a place on.


@kernel
def array_rows(task, place, n):
    """Return array n of a task as rows of lanes"""
    return rows_at(load(task, place + 2 * n), load(task, place + 2 * n + 1) // WIDTH)


@kernel
def array_narrow_rows(task, place, n):
    """Return array n of a task as rows of lanes in single precision"""
    return narrow_rows_at(load(task, place + 2 * n), load(task, place + 2 * n + 1) // WIDTH)


@kernel
def array_numbers(task, place, n):
    """Return array n of a task as numbers"""
    return numbers_at(load(task, place + 2 * n), load(task, place + 2 * n + 1))


@kernel
def array_integers(task, place, n):
    """Return array n of a task as integers"""
    return integers_at(load(task, place + 2 * n), load(task, place + 2 * n + 1))
