"""How threads share the blocks of a phase, and odd strips wait for even ones: each order of events, by one thread.

Looks inside, and compiles what drives the kernels here: threads themselves meet in such orders now and then only. That
results do not depend on their number is tested on each change, beside the methods.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import types

from benchmarks.contact_problems import packing
from pluecker.contact.friction.first_order import large_sweeps, sweep_passes
from pluecker.contact.friction.problem import prepared
from pluecker.spatial.engine.compiled.decorators import compiled_for, kernel
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.parallel import phases
from tests.contact.friction.first_order.large_islands import compiled_only

pytestmark = [pytest.mark.everything, compiled_only]
INTEGERS = types.int64[::1]


@kernel
def next_blocks(roster, k):
    """Take the next blocks: of the own share, then of others, at last of the remaining one."""
    phase = phases.phase_of(roster, k)
    first, end = phases.own_blocks(roster, phase, k)
    return (first, end) if first < end else phases.other_blocks(roster, phase, k)


def test_each_block_of_a_phase_is_taken_once():
    def take(roster, blocks, more):
        phases.begin_phase(view(roster), blocks)
        total, (first, end) = 0, next_blocks(view(roster), 0)
        while first < end:
            for block in range(first, end):
                total = 10 * total + block + 1
            phases.finish_blocks(view(roster), 0, end - first)
            first, end = next_blocks(view(roster), 0)
        phases.await_blocks(view(roster))
        if not more:
            phases.dismiss(view(roster))
        return total if phases.is_over(view(roster)) != more else -1

    roster = phases.make_roster(1)
    compiled = compiled_for(take, (INTEGERS, types.intp, types.boolean))
    assert [compiled(roster, blocks, True) for blocks in (3, 0, 1, 5)] == [123, 0, 1, 12345]
    assert compiled(roster, 2, False) == 12


@pytest.fixture(scope="module")
def taker():
    """Compiled functions that begin a phase with shares, and that take blocks."""

    def take(roster, thread, starts):
        if len(starts) > 0:
            phases.begin_shares(view(roster), view(starts))
            return 0
        first, end = next_blocks(view(roster), thread)
        return first * 10000 + end

    compiled = compiled_for(take, (INTEGERS, types.intp, INTEGERS))
    none = np.zeros(0, np.int64)
    return SimpleNamespace(
        begin=lambda roster, starts: compiled(roster, 0, np.array(starts)),
        take=lambda roster, thread: divmod(compiled(roster, thread, none), 10000),
    )


@pytest.mark.parametrize("blocks", [0, 1, 2, 3, 7, 100, 1000])
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_threads_begin_with_their_shares_and_leave_no_block(threads, blocks, taker):
    """Blocks of threads that do not come are taken by others, whatever the shares are; the last share comes last."""
    roster, rng = phases.make_roster(threads), np.random.default_rng(blocks)
    for _ in range(4):
        starts = [0, *np.sort(rng.integers(0, blocks + 1, threads)).tolist(), blocks]
        taker.begin(roster, starts)
        taken, begun, present = [], set(), rng.permutation(threads)[: rng.integers(1, threads + 1)]
        first, end = taker.take(roster, 0)
        taken += range(first, end)
        begun.add(0)
        while first < end or len(begun) < len(present):
            thread = int(rng.choice(present))
            first, end = taker.take(roster, thread)
            if thread not in begun and first < end:
                own = range(starts[thread], starts[thread + 1])
                assert first in own or not set(own) - set(taken)
            begun.add(thread)
            taken += range(first, end)
        assert sorted(taken) == list(range(blocks))
        assert taken[starts[threads] :] == list(range(starts[threads], blocks))


def test_nobody_takes_from_others_before_it_has_its_own_share(taker):
    """While a phase is handed out, not even the last share may be taken: a thread might have to wait for it."""
    roster = phases.make_roster(2)
    taker.begin(roster, [0, 0, 0, 0])
    mine = phases.OWN + 2 * phases.LINE + phases.SHARE
    before = roster[mine]
    taker.begin(roster, [0, 5, 10, 12])
    handed_out, roster[mine] = roster[mine], before
    assert taker.take(roster, 1) == (0, 0)
    roster[mine] = handed_out
    assert taker.take(roster, 1) == (5, 6)
    before = roster.copy()
    taker.begin(roster, [0, 10, 10, 12])
    roster[phases.OWN], roster[phases.OWN + 4 * phases.LINE] = before[phases.OWN], before[phases.OWN + 4 * phases.LINE]
    assert taker.take(roster, 1) == (0, 0)  # its own share is there, and empty; others are not yet


def test_equal_shares_are_those_of_equal_numbers(taker):
    def begin(roster, blocks):
        phases.begin_phase(view(roster), blocks)

    begin_phase = compiled_for(begin, (INTEGERS, types.intp))
    for threads in (1, 2, 5):
        for blocks in (0, 1, 4, 23):
            one, other = phases.make_roster(threads), phases.make_roster(threads)
            begin_phase(one, blocks)
            taker.begin(other, [*(k * blocks // threads for k in range(threads + 1)), blocks])
            assert np.array_equal(one, other)


def test_an_odd_strip_waits_for_those_beside_it():
    P, _ = prepared.prepare(packing(5000), False)
    record = large_sweeps.Sweeping(large_sweeps.lay_out(P, 0), P.b).record
    even, strips, turn = int(record.settings[sweep_passes.EVEN]), len(record.begin) - 1, 7
    assert even > 2
    record.settings[[sweep_passes.PASS, sweep_passes.TURN]] = sweep_passes.SWEEP, turn

    class Few(NamedTuple):
        settings: Any
        order: Any
        done: Any

    def ready(settings, order, done, block):
        return sweep_passes.is_ready(Few(view(settings), view(order), view(done)), block)

    def over(settings, order, done, block):
        sweep_passes.finish(Few(view(settings), view(order), view(done)), block)
        return True

    is_ready, finish = (compiled_for(f, (INTEGERS, INTEGERS, INTEGERS, types.intp)) for f in (ready, over))
    lists = record.settings, np.arange(strips), record.done
    done: set[int] = set()
    for strip in [*np.random.default_rng(0).permutation(even).tolist(), even]:
        for odd in range(even, strips):
            beside = {odd - even, odd - even + 1} & set(range(even))
            assert is_ready(*lists, odd) == (beside <= done)
        assert all(is_ready(*lists, one) for one in range(even))
        finish(*lists, strip)
        done.add(strip)
    for what in (sweep_passes.COLLECT, sweep_passes.JUDGE):
        record.settings[[sweep_passes.PASS, sweep_passes.TURN]] = what, turn + 1
        assert is_ready(*lists, even) == (what == sweep_passes.JUDGE)
        finish(*lists, 0)
        assert (record.done[0] == turn + 1) == (what == sweep_passes.COLLECT)
        record.done[0] = turn
