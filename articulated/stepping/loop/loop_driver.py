"""The compiled functions of the loop, one for each scalar, and how Python runs them.

Their arguments are described in a task, as for algorithms (:mod:`~pluecker.articulated.running.batch`): threads take pieces
of the batch until there are none left, eight states at a time for the whole stretch of steps.

A single step of one state under constant joint forces and wrenches is taken from Python, and no loop is compiled for it: a
step of a world is one, and so is each that Python ends. What comes out is what the loop gives, to the last bit: the step is
the same compiled function, and only the rate is computed besides. A step that is not solved and may be divided is left to
the loop.

Source: the loop, :mod:`~pluecker.articulated.stepping.loop.loop`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.batch import (
    GOOD,
    RECORDS,
    WORKSPACE,
    next_piece,
    share_states,
)
from pluecker.articulated.stepping.control.control_function import CALLER, caller_address
from pluecker.articulated.stepping.control.control_law import (
    EXTERNAL,
    FEEDBACK,
    FUNCTION,
    LIMITED,
    PERIOD,
    POSITION,
    STEP,
    TORQUE,
    WRENCH,
)
from pluecker.articulated.stepping.control.signals import LANES, ONE_STATE
from pluecker.articulated.stepping.loop.called_step import ERROR as ERROR_OF_STEP
from pluecker.articulated.stepping.loop.called_step import LENGTH, called_step, step_through_block
from pluecker.articulated.stepping.loop.loop import BOUND, SOLVED, loop_kernel
from pluecker.articulated.stepping.loop.signal import Signal, place_of
from pluecker.articulated.stepping.loop.surroundings import RATES, address_of_surroundings
from pluecker.articulated.stepping.loop.task import (
    BEGIN,
    BLOCK,
    DIVIDED,
    ERROR,
    EVERY,
    FAILED,
    FIRST,
    FIRST_IMPULSE,
    IMPULSES,
    LAST,
    LASTING,
    MEMORY,
    MODEL,
    NEVER,
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
    SUBSTEP,
    SURROUNDINGS,
    TASK_SIZE,
    TOTAL,
    Environment,
    numbers_in,
)
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.stage import Given
from pluecker.spatial.engine.compiled.decorators import ADDRESSES, address, compiled_for
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at, rows_at
from pluecker.spatial.engine.memory.transposition import read_states, write_states
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import load, part, tail
from pluecker.spatial.functions.elementwise import rows_of_eight
from pluecker.spatial.properties import cached_property

__all__ = ["LoopTask", "Stretches", "in_lanes", "is_single", "take_single_step"]

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

    return compiled_for(simulate_one, ADDRESSES)


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

    return compiled_for(simulate_lanes, ADDRESSES)


class LoopTask:
    """Task of the loop without the states, described once for all simulations that differ in these alone.

    Args:
        integrator: whose loop it is.
        model, scenario, numbers, settings, signals: as the loop reads them.
        states, nx: how many there are, and how many numbers each has.
        workspace: how many numbers of scratch memory a state needs.
        threads: how many may share the states.
        lanes: whether it takes eight states at once; if None where there are several, and the integrator can.

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
        lanes: bool | None = None,
    ) -> None:
        if lanes is None:
            lanes = integrator.lanes and states > 1 and not DISABLE_JIT
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
        if DISABLE_JIT:
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
        self.scratch = np.empty(task.workspace) if DISABLE_JIT else rows_of_eight(task.rows)

    def record_into(self, records: Sequence[Array], slot: int) -> None:
        """Record in these arrays, the first sample being number ``slot``."""
        self.records, self.settings[SLOT] = tuple(records), slot
        self.settings[RATED] = any(records[k].size for k in RATES)
        places = [number for array in records for number in place_of(array)]
        self.table[RECORD : RECORD + len(places)] = places

    def advance(self, first: int, last: int) -> None:
        """Take the steps from ``first`` to before ``last``."""
        task, threads, states = self.task, self.task.threads, len(self.x)
        if states == 1 and not task.lanes and is_single(self.settings, task.signals, first, last):
            arrays, own = (task.model, task.scenario, task.numbers), (self.x[0], self.records, self.scratch)
            if take_single_step(task.integrator, self.table, arrays, task.signals, *own, first, last):
                return
        self.settings[FIRST], self.settings[LAST] = first, last
        if DISABLE_JIT:
            self.advance_in_python()
            return
        self.table[STEP_FUNCTION] = address(called_step(task.integrator, task.lanes))
        self.settings[CALLER], self.table[SURROUNDINGS] = caller_address(), address_of_surroundings(task.lanes)
        share_states(task.run, self.table, threads, states, task.least, True, self.scratch)

    def advance_in_python(self) -> None:
        """Take the steps without compilation, one state after the other."""
        task = self.task
        m, c, numbers = task.model, task.scenario, task.numbers
        signals = tuple((s.values.reshape(-1), s.times, *s.values.shape[1:], int(s.linear)) for s in task.signals)
        records = tuple(array.reshape(-1) for array in self.records)
        env = Environment(m, self.settings, numbers, signals, records, len(self.x))
        moving = len(task.signals[WRENCH].times) > 1
        with np.errstate(all="ignore"):
            for b, x in enumerate(self.x):
                task.run(env, m, c, self.settings, numbers, moving, b, x, self.scratch)


# one step of one state under constant joint forces and wrenches, taken from Python: no loop is compiled for it


Integers = NDArray[np.int64]
NOTHING = np.zeros(0)


def is_single(settings: Integers, signals: Sequence[Signal], first: int, last: int) -> bool:
    """Return whether there is at most one step to take, with constant joint forces and wrenches."""
    if min(last, settings[TOTAL]) - first > 1 or settings[PERIOD] != NEVER or len(signals[WRENCH].times) > 1:
        return False
    # Joint forces are looked up where a motion begins; later they stand in x.
    return first != settings[BEGIN] or not any(settings[k] for k in (FUNCTION, EXTERNAL, FEEDBACK, LIMITED))


def take_single_step(
    integrator: Integrator, table: Integers, arrays: tuple[Array, Array, Array], signals: Sequence[Signal], x: Array,
    records: Sequence[Array], scratch: Array, first: int, last: int,
) -> bool:  # fmt: skip
    """Go from step ``first`` to before ``last``, with one step at most; do nothing if that step has to be divided.

    Args:
        integrator: whose step it is.
        table, signals: the task, as the loop has it.
        arrays: of the task, the model, the scenario and the numbers.
        x: the state, which is changed.
        records: the arrays of the recording.
        scratch: memory, as much as the loop needs.
        first, last: the steps.

    Returns:
        whether it was done.
    """
    settings = table[SETTINGS:SIGNAL].tolist()
    nq, nv, n = signals[POSITION].values.shape[-1], signals[TORQUE].values.shape[-1], settings[MEMORY]
    begin, every, total = settings[BEGIN], settings[EVERY], settings[TOTAL]
    h, bound = float(arrays[2][STEP]), float(arrays[2][BOUND])
    slot, sampled = -((begin - first) // every) - settings[SLOT], (first - begin) % every == 0
    y = x.copy()
    law, rate, marks, memory = nq + nv, nq + 5 * nv, nq + 6 * nv, len(y) - n
    worst, divided = marks + ERROR, marks + DIVIDED
    impulses = y[memory + settings[FIRST_IMPULSE] :][: settings[IMPULSES]]
    known = (
        y[:nq],
        y[nq:law],
        y[law : law + nv],
        y[rate:marks],
        y[worst : worst + 1],
        impulses,
        y[divided : divided + 1],
    )
    behind = None, None, None, known[3], None, impulses, None  # of a sample, what is known once its step was taken
    if first == begin:
        y[law : law + nv], y[law + nv : rate] = signals[TORQUE].values[0, 0], 0.0
    taken, error, after = first < min(last, total), 0.0, y[:0]
    if taken:
        after = np.concatenate([y[:law], y[memory:]])  # becomes q1, v1 and what is remembered then
        f = signals[WRENCH].values[0, 0] if settings[PUSHED] else NOTHING
        error = step_of(integrator, table, arrays, h, y, after, f, (nq, nv, n), scratch)
        if not np.isfinite(after[:law]).all():
            error = np.nan
        if settings[SUBSTEP] and not error < SOLVED:
            return False
    if sampled or first == total:
        put(records, slot, known)
        y[worst], y[divided] = 0.0, 1.0
    if taken:
        y[memory:], y[worst] = after[law:], np.maximum(error, y[worst])
        if error < bound:
            y[rate:marks] = (after[nq:law] - y[nq:law]) * (1.0 / h)
            y[:law] = after[:law]
            if sampled and settings[RATED]:
                put(records, slot, behind)
            if total < last:
                put(records, slot + sampled, known)
                y[worst], y[divided] = 0.0, 1.0
        else:
            y[marks + FAILED] = first + 1
    x[:] = y
    return True


def put(records: Sequence[Array], slot: int, values: Sequence[Array | None]) -> None:
    """Write a sample to the arrays that are recorded."""
    for array, own in zip(records, values, strict=True):
        if array.size and own is not None:
            array[slot, 0] = own


def step_of(
    integrator: Integrator, table: Integers, arrays: tuple[Array, Array, Array], h: float, y: Array, after: Array, f: Array,
    sizes: tuple[int, int, int], scratch: Array,
) -> float:  # fmt: skip
    """Take a step from x as it is in ``y``, write state and memory at its end to ``after``, and return the error."""
    nq, nv, n = sizes
    if DISABLE_JIT:
        given = Given(y[:nq], y[nq : nq + nv], y[nq + nv : nq + 5 * nv], f)
        parts = after[:nq], after[nq : nq + nv], after[nq + nv :]
        with np.errstate(all="ignore"):
            return float(integrator.step(*arrays[:2], h, given, *parts, scratch))
    memory = scratch.reshape(-1)
    block, q, q1, place = memory[:BLOCK], y.ctypes.data, after.ctypes.data, memory.ctypes.data
    v, v1, wrenches = q + 8 * nq, q1 + 8 * nq, f.ctypes.data if f.size else 0
    block.view(np.int64)[:LENGTH] = [
        *table[MODEL : MODEL + 2].tolist(), *table[SCENARIO : SCENARIO + 2].tolist(), q, nq, v, nv, v + 8 * nv, 4 * nv,
        wrenches, f.size, q1, nq, v1, nv, v1 + 8 * nv, n, place + 8 * BLOCK, len(memory) - BLOCK,
    ]  # fmt: skip
    block[LENGTH] = h
    called_step(integrator, False)(place, 0)
    return float(block[ERROR_OF_STEP])
