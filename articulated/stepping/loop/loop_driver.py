"""The compiled functions of the loop, one for an integrator and a scalar, and how Python runs them.

What they work on is described in a task, as for algorithms (:mod:`~pluecker.articulated.running.batch`): threads take pieces
of the batch until there are none left, eight states at a time for the whole stretch of steps.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import config, types
from numpy.typing import NDArray

from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.batch import (
    GOOD,
    RECORDS,
    WORKSPACE,
    compiled_describe,
    compiled_share_states,
    next_piece,
)
from pluecker.articulated.stepping.control.control_function import CALLER, caller_address
from pluecker.articulated.stepping.control.control_law import WRENCH
from pluecker.articulated.stepping.control.signals import LANES, ONE_STATE
from pluecker.articulated.stepping.loop.loop import loop_kernel
from pluecker.articulated.stepping.loop.surroundings import BLOCK, RATES, address_of_surroundings
from pluecker.articulated.stepping.loop.task import (
    FIRST,
    LAST,
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
    SURROUNDINGS,
    TASK_SIZE,
    numbers_in,
)
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.spatial.compiled.decorators import address, compiled_for
from pluecker.spatial.compiled.numba_internals import compiling
from pluecker.spatial.functions.elementwise import rows_of_eight
from pluecker.spatial.memory.addresses import address_of, integers_at, numbers_at, rows_at
from pluecker.spatial.memory.transposition import read_states, write_states
from pluecker.spatial.parallel.threads import board
from pluecker.spatial.scalars.lanes import WIDTH
from pluecker.spatial.scalars.operations import load, part, tail

__all__ = ["LoopTask", "Signal", "Stretches", "in_lanes", "one_by_one"]

KNOTS_OF_WRENCH = SIGNAL + SIGNAL_SIZE * WRENCH + 3
BEGINNING = np.zeros(1)  # the time of what does not change


def place_of(array: Array) -> tuple[int, int]:
    """Where an array is, and how many numbers it has; by a compiled function, which is faster than to ask NumPy."""
    if not array.flags.writeable:  # which compiled functions do not take
        return array.ctypes.data, array.size
    if not array.size or config.DISABLE_JIT:
        return 0, array.size
    found = np.empty(3, dtype=np.int64)
    compiled_describe()(found, 0, array.reshape(1, -1))
    return int(found[0]), array.size


@dataclass(frozen=True, eq=False)
class Signal:
    """What is given over time: values ``(knots, states or 1, width)`` at the times, linear in between or held."""

    values: Array
    times: Array
    linear: bool = False

    @classmethod
    def constant(cls, values: Array) -> Signal:
        """The same at all times: ``(states or 1, width)``."""
        return cls(np.ascontiguousarray(values[None]), BEGINNING)

    @functools.cached_property
    def description(self) -> NDArray[np.int64]:
        """As it stands in a task; made once, since what no control gives is the same in all simulations of a model."""
        return np.array([*place_of(self.values), *place_of(self.times), *self.values.shape[1:], self.linear])

    def at(self, times: Array) -> Array:
        """The values at so many times, ``(times, states or 1, width)``."""
        k = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.times) - 1)
        values = self.values[k]
        if not self.linear or len(self.times) == 1:
            return values
        after = np.minimum(k + 1, len(self.times) - 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            s = (times - self.times[k]) / (self.times[after] - self.times[k])
        share = np.clip(np.where(after > k, s, 0.0), 0.0, 1.0)[:, None, None]
        return np.asarray(values + share * (self.values[after] - values))

    @functools.cached_property
    def is_nothing(self) -> bool:
        """Whether it is zero at all times."""
        return not self.values.any()


@functools.cache
def one_by_one(integrator: Integrator) -> Callable[..., Any]:
    """The compiled function for one state, or for several one after the other."""
    advance = loop_kernel(integrator, ONE_STATE)

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

    return advance if config.DISABLE_JIT else compiled(integrator, simulate_one, lanes=False)


@functools.cache
def in_lanes(integrator: Integrator) -> Callable[..., Any]:
    """The compiled function for a batch, eight states at a time."""
    advance = loop_kernel(integrator, LANES)

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

    return compiled(integrator, simulate_lanes, lanes=True)


def compiled(integrator: Integrator, driver: Callable[..., int], lanes: bool) -> Any:
    """Under a name of its own, by which the cache tells a driver from others made by the same lines."""
    parts = [driver.__name__, integrator.name, *names_of_closure(integrator.step)]
    driver.__name__ = driver.__qualname__ = "_".join(parts)
    with compiling:
        return compiled_for(driver, (types.intp, types.intp), optimised_once=not lanes)


def names_of_closure(step: Any) -> list[str]:
    """What tells a step from others made by the same lines: the choices and the functions that it was made of."""
    function = getattr(step, "py_func", step)
    contents = [cell.cell_contents for cell in function.__closure__ or ()]
    plain = [str(int(x)) for x in contents if isinstance(x, (bool, int))]
    return [function.__name__, *plain, *sorted(x.__name__ for x in contents if callable(x) and hasattr(x, "__name__"))]


class LoopTask:
    """What the loop works on but for the states, described once for all simulations that differ in these alone.

    Args:
        integrator: whose loop it is.
        model, scenario, numbers, settings, signals: as the loop reads them.
        states, nx: how many there are, and how many numbers each has.
        workspace: how many numbers of scratch memory a state needs.
        threads: how many may share the states.

    Attributes:
        run: the compiled function.
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
        self.run, self.threads = (in_lanes if lanes else one_by_one)(integrator), min(threads, states)
        self.least = WIDTH if lanes else 1
        self.model, self.scenario, self.numbers, self.signals = model, scenario, numbers, tuple(signals)
        self.table = np.zeros(TASK_SIZE, dtype=np.int64)
        own = self.table[SETTINGS:SIGNAL]
        for place, value in settings.items():
            own[place] = value
        own[PUSHED] = not self.signals[WRENCH].is_nothing
        own[CALLER], self.table[SURROUNDINGS] = caller_address(), address_of_surroundings(lanes)
        for place, array in ((MODEL, model), (SCENARIO, scenario), (NUMBERS, numbers)):
            self.table[place : place + 2] = place_of(array)
        self.table[SIZE_OF_X] = nx
        for k, signal in enumerate(self.signals):
            place = SIGNAL + SIGNAL_SIZE * k
            self.table[place : place + SIGNAL_SIZE] = signal.description
        each = BLOCK + workspace + nx if lanes else -(-(BLOCK + workspace) // WIDTH)
        self.workspace, self.rows = workspace, each * self.threads


class Stretches:
    """A simulation that goes on from stretch to stretch.

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
        """The steps from ``first`` to before ``last``."""
        self.settings[FIRST], self.settings[LAST] = first, last
        if config.DISABLE_JIT:
            self.advance_in_python()
            return
        task, threads, states = self.task, self.task.threads, len(self.x)
        share = compiled_share_states()
        share(board(threads), address(task.run), threads, self.table, states, task.least, True, self.scratch)

    def advance_in_python(self) -> None:
        """The same without compilation."""
        task = self.task
        m, c, numbers = task.model, task.scenario, task.numbers
        signals = tuple((s.values.reshape(-1), s.times, *s.values.shape[1:], int(s.linear)) for s in task.signals)
        records = tuple(array.reshape(-1) for array in self.records)
        env = m, self.settings, numbers, signals, records, len(self.x)
        moving = len(task.signals[WRENCH].times) > 1
        with np.errstate(all="ignore"):
            for b, x in enumerate(self.x):
                task.run(env, m, c, self.settings, numbers, moving, b, x, self.scratch)
