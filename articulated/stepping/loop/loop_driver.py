"""The compiled functions of the loop, one for each scalar, and how Python runs them.

Their arguments are described in a task, as for algorithms (:mod:`~pluecker.articulated.running.batch`): threads take pieces
of the batch until there are none left, eight states at a time for the whole stretch of steps.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import config, types

from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.batch import (
    GOOD,
    RECORDS,
    WORKSPACE,
    compiled_share_states,
    next_piece,
)
from pluecker.articulated.stepping.control.control_function import CALLER, caller_address
from pluecker.articulated.stepping.control.control_law import WRENCH
from pluecker.articulated.stepping.control.signals import LANES, ONE_STATE
from pluecker.articulated.stepping.loop.called_step import called_step, step_through_block
from pluecker.articulated.stepping.loop.loop import loop_kernel
from pluecker.articulated.stepping.loop.signal import Signal, place_of
from pluecker.articulated.stepping.loop.single_step import is_single, take_single_step
from pluecker.articulated.stepping.loop.surroundings import RATES, address_of_surroundings
from pluecker.articulated.stepping.loop.task import (
    BLOCK,
    FIRST,
    LAST,
    LASTING,
    MODEL,
    NUMBERS,
    PUSHED,
    RATED,
    RECORD,
    SCENARIO,
    SETTINGS,
    SIGNAL,
    SIGNAL_SIZE,
    SIZE_OF_X,
    SLOT,
    STATE,
    STEP_FUNCTION,
    SURROUNDINGS,
    TASK_SIZE,
    numbers_in,
)
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.spatial.engine.compiled.decorators import address, compiled_for
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at, rows_at
from pluecker.spatial.engine.memory.transposition import read_states, write_states
from pluecker.spatial.engine.parallel.threads import board
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import load, part, tail
from pluecker.spatial.functions.elementwise import rows_of_eight
from pluecker.spatial.properties import cached_property

__all__ = ["LoopTask", "Stretches", "in_lanes", "one_by_one"]

KNOTS_OF_WRENCH = SIGNAL + SIGNAL_SIZE * WRENCH + 3


@functools.cache
def one_by_one() -> Callable[..., Any]:
    """Compile the loop for one state, or for several one after the other."""
    advance = loop_kernel(ONE_STATE, step_through_block(False))

    def simulate_one(address, k):
        task = integers_at(address, TASK_SIZE)
        size, nx = load(task, RECORDS) * WIDTH, load(task, SIZE_OF_X)
        memory = numbers_at(load(task, WORKSPACE) + k * size * 8, size)
        env, ws = (task, address_of(memory)), tail(memory, BLOCK)
        m, c, xs = numbers_in(task, MODEL), numbers_in(task, SCENARIO), numbers_in(task, STATE)
        settings, numbers, moving = tail(task, SETTINGS), numbers_in(task, NUMBERS), load(task, KNOTS_OF_WRENCH) > 1
        first, end = next_piece(task)
        while first < end:
            for b in range(first, end):
                advance(env, m, c, settings, numbers, moving, b, part(xs, b * nx, nx), ws)
            first, end = next_piece(task)
        return GOOD

    return compiled_for(simulate_one, (types.intp, types.intp), optimised_once=True)


@functools.cache
def in_lanes() -> Callable[..., Any]:
    """Compile the loop for a batch, eight states at a time."""
    advance = loop_kernel(LANES, step_through_block(True))

    def simulate_lanes(address, k):
        task = integers_at(address, TASK_SIZE)
        size, nx = load(task, RECORDS), load(task, SIZE_OF_X)
        memory = rows_at(load(task, WORKSPACE) + k * size * (8 * WIDTH), size)
        env, x, ws = (task, address_of(memory)), part(memory, BLOCK, nx), tail(memory, BLOCK + nx)
        m, c, xs = numbers_in(task, MODEL), numbers_in(task, SCENARIO), numbers_in(task, STATE)
        settings, numbers, moving = tail(task, SETTINGS), numbers_in(task, NUMBERS), load(task, KNOTS_OF_WRENCH) > 1
        first, end = next_piece(task)
        while first < end:
            for b in range(first, end, WIDTH):
                read_states(xs, nx, b, x)
                advance(env, m, c, settings, numbers, moving, b, x, ws)
                write_states(xs, nx, b, x)
            first, end = next_piece(task)
        return GOOD

    return compiled_for(simulate_lanes, (types.intp, types.intp))


class LoopTask:
    """Task of the loop without the states, described once for all simulations that differ in these alone.

    Args:
        integrator: whose loop it is.
        model, scenario, numbers, settings, signals: as the loop reads them.
        states, nx: how many there are, and how many numbers each has.
        workspace: how many numbers of scratch memory a state needs.
        threads: how many may share the states.

    Attributes:
        lanes: whether it takes eight states at once.
        least: how many states it takes at once.
        table: the integers that describe all this to it; places of states and recordings are not filled in.
        rows: of eight numbers each, the scratch memory of all threads.
    """

    def __init__(
        self,
        integrator: Integrator,
        model: Array,
        scenario: Array,
        numbers: Array,
        settings: dict[int, int],
        signals: Sequence[Signal],
        states: int,
        nx: int,
        workspace: int,
        threads: int,
    ) -> None:
        lanes = integrator.lanes and states > 1 and not config.DISABLE_JIT
        self.integrator, self.lanes, self.threads = integrator, lanes, min(threads, states)
        self.least = WIDTH if lanes else 1
        self.model, self.scenario, self.numbers, self.signals = model, scenario, numbers, tuple(signals)
        self.table = np.zeros(TASK_SIZE, dtype=np.int64)
        own = self.table[SETTINGS:SIGNAL]
        for place, value in settings.items():
            own[place] = value
        own[PUSHED] = not self.signals[WRENCH].is_nothing
        own[LASTING] = integrator.lasting
        for place, array in ((MODEL, model), (SCENARIO, scenario), (NUMBERS, numbers)):
            self.table[place : place + 2] = place_of(array)
        self.table[SIZE_OF_X] = nx
        for k, signal in enumerate(self.signals):
            place = SIGNAL + SIGNAL_SIZE * k
            self.table[place : place + SIGNAL_SIZE] = signal.description
        each = BLOCK + workspace + nx if lanes else -(-(BLOCK + workspace) // WIDTH)
        self.workspace, self.rows = workspace, each * self.threads

    @cached_property
    def run(self) -> Callable[..., Any]:
        """Compiled function of the loop, or its kernel without compilation."""
        if config.DISABLE_JIT:
            return loop_kernel(ONE_STATE, lambda env, *arguments: self.integrator.step(*arguments))
        return in_lanes() if self.lanes else one_by_one()


class Stretches:
    """Simulation that goes on from stretch to stretch, a stretch being a number of steps in one call.

    Attributes:
        task: what it is of.
        table: the task's, with states and recording.
        x: all states, ``(states, nx)``, as the loop has left them.
        settings: integers, which may be changed between stretches.
        records: the arrays of the recording, each ``(samples, states, width)``.
    """

    def __init__(self, task: LoopTask, x: Array) -> None:
        self.task, self.x = task, x
        self.table = task.table.copy()
        self.settings = self.table[SETTINGS:SIGNAL]
        self.table[STATE : STATE + 2] = place_of(x)
        self.records: tuple[Array, ...] = ()
        self.scratch = np.empty(task.workspace) if config.DISABLE_JIT else rows_of_eight(task.rows)

    def record_into(self, records: Sequence[Array], slot: int) -> None:
        """Record in these arrays, the first sample being number ``slot``."""
        self.records, self.settings[SLOT] = tuple(records), slot
        self.settings[RATED] = any(records[k].size for k in RATES)
        places = [number for array in records for number in place_of(array)]
        self.table[RECORD : RECORD + len(places)] = places

    def advance(self, first: int, last: int) -> None:
        """Take the steps from ``first`` to before ``last``."""
        task, threads, states = self.task, self.task.threads, len(self.x)
        if states == 1 and is_single(self.settings, task.signals, first, last):
            arrays, own = (task.model, task.scenario, task.numbers), (self.x[0], self.records, self.scratch)
            if take_single_step(task.integrator, self.table, arrays, task.signals, *own, first, last):
                return
        self.settings[FIRST], self.settings[LAST] = first, last
        if config.DISABLE_JIT:
            self.advance_in_python()
            return
        self.table[STEP_FUNCTION] = address(called_step(task.integrator, task.lanes))
        self.settings[CALLER], self.table[SURROUNDINGS] = caller_address(), address_of_surroundings(task.lanes)
        share = compiled_share_states()
        share(board(threads), address(task.run), threads, self.table, states, task.least, True, self.scratch)

    def advance_in_python(self) -> None:
        """Take the steps without compilation, one state after the other."""
        task = self.task
        m, c, numbers = task.model, task.scenario, task.numbers
        signals = tuple((s.values.reshape(-1), s.times, *s.values.shape[1:], int(s.linear)) for s in task.signals)
        records = tuple(array.reshape(-1) for array in self.records)
        env = m, self.settings, numbers, signals, records, len(self.x)
        moving = len(task.signals[WRENCH].times) > 1
        with np.errstate(all="ignore"):
            for b, x in enumerate(self.x):
                task.run(env, m, c, self.settings, numbers, moving, b, x, self.scratch)
