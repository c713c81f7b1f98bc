"""Phases that threads share: each block is done once, and none before the phase in front of it has ended.

Looks inside: results show that only now and then. That they do not depend on the number of threads is tested on each change,
beside the methods.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import types

from pluecker.spatial.engine.compiled.decorators import compiled_for, kernel
from pluecker.spatial.engine.memory.addresses import integers_at
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.parallel import atomics, phases, threads
from tests.contact.friction.first_order.large_islands import compiled_only

pytestmark = [pytest.mark.everything, compiled_only]
INTEGERS = types.int64[::1]
MOST, SIZES = 1000, [0, 1, 2, 7, 100, 1000, 3]
COUNTERS, WRONG, PHASE, COUNTS = 2000, 0, 1, 2


class Counts(NamedTuple):
    memory: Any


@kernel
def count(L, block):
    """Count a block, and whether it has another number of phases behind it than this phase has."""
    done = atomics.add_shared(L.memory, COUNTS + block, 1)
    if done != atomics.read_shared(L.memory, PHASE):
        atomics.add_shared(L.memory, WRONG, 1)


@pytest.fixture(scope="module")
def parts():
    """``run(place, k)``, the part of a thread in many phases of as many blocks; and one thread that comes late."""
    run_phase, follow = phases.shared_phases(count)

    def run(place, k):
        memory, counters = integers_at(place, COUNTERS), integers_at(place + 8 * COUNTERS, COUNTERS)
        if k > 0:
            follow(Counts(memory), counters, k)
            return 0
        size = memory[COUNTERS - 1]
        for turn in range(50):
            atomics.write_shared(memory, PHASE, turn)
            run_phase(Counts(memory), counters, 0, size // 3)
            run_phase(Counts(memory), counters, size // 3, size)
        phases.end_phases(counters)
        return 0

    def begin(counters, first, end):
        phases.begin_phase(view(counters), first, end)
        return 0

    def take(counters, k):
        return phases.take_block(view(counters), k)

    return SimpleNamespace(
        run=compiled_for(run, (types.intp, types.intp)),
        begin=compiled_for(begin, (INTEGERS, types.intp, types.intp)),
        take=compiled_for(take, (INTEGERS, types.intp)),
    )


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("size", SIZES)
def test_each_block_is_done_once_in_each_phase(size, number, parts):
    for _ in range(10):
        memory = np.zeros(2 * COUNTERS, np.int64)
        counters = phases.make_counters(number)
        memory[COUNTERS : COUNTERS + len(counters)], memory[COUNTERS - 1] = counters, size
        threads.share(parts.run, memory.ctypes.data, number)
        assert memory[WRONG] == 0
        assert (memory[COUNTS : COUNTS + size] == 50).all()


@pytest.mark.parametrize("number", [1, 2, 3, 8])
def test_threads_begin_with_their_shares_and_leave_no_block(number, parts):
    """Also those whose threads do not come, in whatever order they do"""
    counters, rng = phases.make_counters(number), np.random.default_rng(number)
    for size in SIZES:
        parts.begin(counters, 5, 5 + size)
        taken, present, begun = [], rng.permutation(number)[: rng.integers(1, number + 1)], set()
        while True:
            k = int(rng.choice(present))
            block = parts.take(counters, k)
            if block < 0:
                break
            own = set(range(5 + k * size // number, 5 + (k + 1) * size // number))
            assert block in own or own <= set(taken)
            taken.append(block)
            begun.add(k)
        assert sorted(taken) == list(range(5, 5 + size))


def test_nobody_takes_from_others_before_it_has_its_own_share(parts):
    """While a phase is handed out it may not be in it yet"""
    counters = phases.make_counters(2)
    parts.begin(counters, 0, 0)
    mine = phases.SHARES + 8
    before = counters[mine]
    parts.begin(counters, 0, 4)
    handed_out, counters[mine] = counters[mine], before
    assert parts.take(counters, 1) == -1
    counters[mine] = handed_out
    assert [parts.take(counters, 1) for _ in range(5)] == [2, 3, 0, 1, -1]
