"""The way from the state at the beginning to a recording, stretch by stretch of the compiled loop.

Stretches are short enough that Python is back a few times a second: Ctrl-C, the progress bar, and files get their turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.simulation.dynamics import Dynamics
from pluecker.articulated.simulation.recording import Recording
from pluecker.articulated.stepping.control.control import Control
from pluecker.articulated.stepping.loop.control_signals import ControlPlan, asked
from pluecker.articulated.stepping.loop.loop import loop_workspace
from pluecker.articulated.stepping.loop.loop_driver import LoopTask, Stretches
from pluecker.articulated.stepping.loop.task import (
    BEGIN,
    DIVIDED,
    EVERY,
    FAILED,
    FIRST_IMPULSE,
    IMPULSES,
    MEMORY,
    SIZE_OF_X,
    SUBSTEP,
    TOTAL,
    state_size,
)
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import smooth_model
from pluecker.spatial.engine.parallel.callbacks import callbacks
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.errors import PlueckerError
from pluecker.spatial.properties import cached_property

__all__ = ["RECORDED", "FailedStep", "Outcome", "Request", "Schedule", "Steps", "follow_steps"]

RECORDED = ("q", "v", "tau", "a", "error", "constraint_forces", "divided")  # in the order of the loop
STRETCH = 0.1  # seconds
FIRST = 20_000  # numbers of v that the steps of the first stretch go through: some milliseconds
GROWTH = 8  # of a stretch beside the one before, at most: steps may become slower
NO_BOUND = 1e300  # for errors: only what is not finite is above it


@dataclass(frozen=True)
class Schedule:
    """So many steps, every so many of them a sample; the last state is one too.

    Attributes:
        step: s.
        steps, every: numbers.
        first: how many steps of the motion were taken before.
    """

    step: float
    steps: int
    every: int
    first: int = 0

    @cached_property
    def total(self) -> int:
        """Number of steps, those before included."""
        return self.first + self.steps

    @cached_property
    def samples(self) -> int:
        """Number of samples."""
        return -(-self.steps // self.every) + 1

    @property
    def times(self) -> Array:
        """Times of the samples; s."""
        return self.times_from(0, self.samples)

    def times_from(self, first: int, count: int) -> Array:
        """Compute the times of ``count`` samples from number ``first`` on; s."""
        begun = self.first + first * self.every
        numbers = np.arange(begun, begun + count * self.every, self.every, dtype=np.float64)
        if count and first + count == self.samples:
            numbers[-1] = self.total
        return self.step * numbers

    def samples_before(self, step: int) -> int:
        """Count the samples that exist when the loop is about to take this step, or has taken the last one."""
        return self.samples if step > self.total else -(-(step - self.first) // self.every)


class Request(NamedTuple):
    """Request for a simulation, but for its states.

    Attributes:
        control, plan: what acts.
        schedule: how many steps there are.
        on_unsolved: what happens to steps that are not solved.
    """

    control: Control
    plan: ControlPlan
    schedule: Schedule
    on_unsolved: str


class FailedStep(NamedTuple):
    """Step that could not be taken.

    Attributes:
        step: its number.
        state: the number of the state in the batch.
        x: the state before it, as the loop has left it.
    """

    step: int
    state: int
    x: Array


@dataclass(frozen=True, eq=False)
class Outcome:
    """Outcome of a simulation: how far it came, and why it ended.

    Attributes:
        samples: how many there are.
        interrupted: whether somebody wanted it to end.
        failed: the first step that could not be taken, where that ended all; None if there is none.
        x: the states then, or at the end.
        error: what control, a user's function or the recording has raised.
        left: the steps that could not be taken in a batch whose other states went on.
    """

    samples: int
    interrupted: bool
    failed: FailedStep | None
    x: Array
    error: PlueckerError | None
    left: tuple[FailedStep, ...] = ()


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps of a simulation, independent of the states at its beginning.

    Attributes:
        integrator: what takes them.
        sizes: nq, nv, and how many numbers it remembers.
        request: what was asked for.
        task: all of it, for the loop.
    """

    integrator: Integrator
    sizes: tuple[int, int, int]
    request: Request
    task: LoopTask

    @classmethod
    def of_simulation(
        cls,
        dynamics: Dynamics,
        model: Model,
        scenario: Array,
        request: Request,
        states: int,
        threads: int,
        lanes: bool | None = None,
    ) -> Steps:
        """Construct for so many states, with a scenario that has the tolerance."""
        integrator, remembered = dynamics.integrator, dynamics.remembered
        _, plan, schedule, on_unsolved = request
        nq, nv, memory = model.nq, model.nv, integrator.memory(model, scenario)
        bound = NO_BOUND if on_unsolved == "continue" else 1.0 + 1e-12
        first, count = remembered.first_impulse, remembered.impulses
        settings = {
            **plan.settings, TOTAL: schedule.total, EVERY: schedule.every, SUBSTEP: on_unsolved == "substep",
            MEMORY: memory, FIRST_IMPULSE: first, IMPULSES: count, BEGIN: schedule.first,
        }  # fmt: skip
        numbers, parameters = np.concatenate([[schedule.step, bound], plan.limits]), plan.signals[-1].values.shape[-1]
        workspace = loop_workspace(nq, nv, model.n_bodies, memory, parameters, integrator.workspace(model, scenario))
        nx = state_size(nq, nv, plan.delay, memory)
        packed = smooth_model(model)
        task = LoopTask(
            integrator, packed, scenario, numbers, settings, plan.signals, states, nx, workspace, threads, lanes
        )
        return cls(integrator, (nq, nv, memory), request, task)

    def begin(self, q: Array, v: Array, remembered: Array | None) -> Array:
        """Pack q ``(states, nq)``, v ``(states, nv)`` and the integrator's memory for the loop, ``(states, nx)``."""
        nq, nv, memory = self.sizes
        x = np.zeros((len(q), int(self.task.table[SIZE_OF_X])))
        x[:, :nq], x[:, nq : nq + nv], x[:, nq + 6 * nv + DIVIDED] = q, v, 1.0
        if remembered is not None:
            x[:, x.shape[1] - memory :] = remembered
        return x

    def with_room(self, dynamics: Dynamics, model: Model, scenario: Array, states: int) -> Steps:
        """Construct the same steps in a scenario in which the integrator has more room."""
        return Steps.of_simulation(dynamics, model, scenario, self.request, states, self.task.threads)

    def of_states(self, dynamics: Dynamics, model: Model, numbers: NDArray[np.intp]) -> Steps:
        """Construct the same steps of some states of the batch, on the same scalars, which gives the same bits."""
        plan, task = self.request.plan, self.task
        own = self.request._replace(plan=replace(plan, signals=tuple(each.of_states(numbers) for each in plan.signals)))
        return Steps.of_simulation(dynamics, model, task.scenario, own, len(numbers), task.threads, task.lanes)

    def widened(self, x: Array) -> Array:
        """Return states with room for all that the integrator remembers, nothing behind what they have."""
        wide = np.zeros((len(x), int(self.task.table[SIZE_OF_X])))
        wide[:, : x.shape[1]] = x
        return wide


class Ensemble:
    """States that move from stretch to stretch. Of a batch those that fail may stay behind, and the others go on.

    Eight states in lanes stop together where one of them fails: the others take the stretch once more without it. What they
    come to is the same, to the last bit, since no state depends on its neighbours.

    Attributes:
        steps: that they take.
        x: all states, ``(states, nx)``; one that was left behind is as it was before the step that failed.
        moving: the numbers of the states that have not failed.
        left: the steps that could not be taken.
    """

    def __init__(self, steps: Steps, dynamics: Dynamics, model: Model, x: Array, goes_on: bool) -> None:
        self.dynamics, self.model, self.goes_on = dynamics, model, goes_on
        self.moving, self.left = np.arange(len(x)), list[FailedStep]()
        self.begin(steps, x)

    def begin(self, steps: Steps, x: Array) -> None:
        """Go on with these steps from these states."""
        nq, nv, _ = steps.sizes
        self.steps, self.x, self.marks = steps, x, x[:, nq + 6 * nv + FAILED]
        self.whole, self.some = Stretches(steps.task, x), (self.moving[:0], steps)

    def advance(self, arrays: list[Array], slot: int, sample: int, first: int, last: int) -> bool:
        """Take the steps from ``first`` to before ``last``; return False if they need more room, which there is then.

        Args:
            arrays: of the recording, whose first sample is number ``slot``; the next one that comes is ``sample``.
        """
        room, todo = self.dynamics.room, self.moving
        before = self.x.copy() if self.goes_on or room is not None else self.x
        rows = slice(sample - slot, self.steps.request.schedule.samples_before(last) - slot)
        for array in arrays if len(self.left) else ():
            array[rows, [each.state for each in self.left]] = np.nan
        while len(todo):
            x, whole = self.x, len(todo) == len(self.x)
            if whole:
                self.whole.record_into(arrays, slot)
                self.whole.advance(first, last)
            else:
                x = before[todo]
                own = [np.empty((rows.stop - rows.start, len(todo), array.shape[2])) for array in arrays]
                stretches = Stretches(self.steps_of(todo).task, x)
                stretches.record_into(own, sample)
                stretches.advance(first, last)
            scenario = room.grow() if room is not None else None
            if scenario is not None:
                steps = self.steps.with_room(self.dynamics, self.model, scenario, len(before))
                self.begin(steps, steps.widened(before))
                return False
            if not whole:
                self.x[todo] = x
                for array, some in zip(arrays, own, strict=True):
                    array[rows, todo] = some
            if not self.goes_on:
                break
            todo = self.leave_failed(todo, arrays, slot, rows.stop)
        return True

    def steps_of(self, numbers: NDArray[np.intp]) -> Steps:
        """Return the steps of some states, which are often those of the stretch before."""
        if not np.array_equal(self.some[0], numbers):
            self.some = numbers, self.steps.of_states(self.dynamics, self.model, numbers)
        return self.some[1]

    def leave_failed(self, numbers: NDArray[np.intp], arrays: list[Array], slot: int, end: int) -> NDArray[np.intp]:
        """Leave states behind that have failed among those of these numbers; return those that stopped with them.

        Their samples behind are NaN, up to row ``end`` of the arrays.
        """
        marks, lanes = self.marks[numbers], self.steps.task.lanes
        failed = np.flatnonzero(marks)
        for state, mark in zip(numbers[failed].tolist(), marks[failed].astype(int).tolist(), strict=True):
            self.left.append(FailedStep(mark - 1, state, self.x[state].copy()))
            for array in arrays:
                array[self.steps.request.schedule.samples_before(mark) - slot : end, state] = np.nan
        if not len(failed):
            return failed
        self.marks[numbers[failed]] = 0.0
        self.moving = np.setdiff1d(self.moving, numbers[failed])
        stopped = np.isin(np.arange(len(numbers)) // WIDTH, failed // WIDTH) & (marks == 0.0)
        return numbers[stopped] if lanes else numbers[:0]

    def ended(self) -> FailedStep | None:
        """Return the first step that could not be taken, and has not been left behind."""
        if not self.marks.any():
            return None
        state = int(np.argmin(np.where(self.marks > 0.0, self.marks, np.inf)))
        return FailedStep(int(self.marks[state]) - 1, state, self.x[state])


def follow_steps(
    steps: Steps,
    model: Model,
    x: Array,
    recording: Recording,
    *,
    complete: Callable[[Mapping[str, Array]], Mapping[str, Array]],
    progress: Callable[[int], None],
    batch: tuple[int, ...],
    dynamics: Dynamics,
) -> Outcome:
    """Fill the recording, from the states ``(states, nx)`` on. Steps without room are given some, and taken again.

    Of a batch, unless it is to end with an error, the other states go on where one fails.
    """
    (nq, nv, _), (control, plan, schedule, on_unsolved) = steps.sizes, steps.request
    states = Ensemble(steps, dynamics, model, x, bool(batch) and on_unsolved != "raise")
    first, samples, error, interrupted, failed = schedule.first, 0, None, False, None
    watch = dynamics.watch
    fixed = 1 if watch is not None else plan.period if control.function is not None else 0
    length = max(1, FIRST // (len(x) * nv))
    try:
        while first <= schedule.total and failed is None:
            arrays, slot, most = recording.room(samples, schedule.samples - samples)
            length = min(fixed - first % fixed if fixed else length, most * schedule.every)
            last = min(first + length, schedule.total + 1)
            if control.function is not None and first % plan.period == 0 and len(states.moving):
                x = states.x
                now = x[:, :nq].reshape(*batch, nq), x[:, nq : nq + nv].reshape(*batch, nv)
                tau = asked(model, control.function, first * schedule.step, *now, alone=not states.goes_on)
                x[:, nq + nv : nq + 2 * nv] = tau.reshape(-1, nv)
            begun = time.perf_counter()
            with callbacks():
                taken = states.advance(arrays, slot, samples, first, last)
            if not taken:
                continue
            failed = None if states.goes_on else states.ended()
            if watch is not None and first < schedule.total and failed is None:
                watch()
            took = time.perf_counter() - begun
            first = last
            done = schedule.samples_before(first if failed is None else failed.step + 1)
            if done > samples:
                recording.written(samples, complete, schedule.times_from(samples, done - samples))
                added, samples = done - samples, done
                progress(added)
            length = max(1, min(GROWTH * length, int(length * STRETCH / max(took, 1e-6)) + 1))
    except KeyboardInterrupt:
        interrupted = True
        states.marks[:] = 0.0  # a step of the stretch that ended within may have failed because it did
    except PlueckerError as found:
        error = found
    left = tuple(sorted(states.left, key=lambda each: (each.step, each.state)))
    return Outcome(samples, interrupted, states.ended(), states.x, error, left)
