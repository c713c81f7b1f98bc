"""The way from the state at the beginning to a recording, stretch by stretch of the compiled loop.

Stretches are short enough that Python is back a few times a second: Ctrl-C, the progress bar, and files get their turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.simulation.dynamics import Dynamics
from pluecker.articulated.simulation.recording import Recording
from pluecker.articulated.stepping.control.control import Control
from pluecker.articulated.stepping.loop.control_signals import ControlPlan, asked
from pluecker.articulated.stepping.loop.loop import loop_workspace
from pluecker.articulated.stepping.loop.loop_driver import LoopTask, Stretches
from pluecker.articulated.stepping.loop.task import (
    BEGIN,
    EVERY,
    FIRST_IMPULSE,
    IMPULSES,
    MARKS,
    MEMORY,
    SIZE_OF_X,
    SUBSTEP,
    TOTAL,
    state_size,
)
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import smooth_model
from pluecker.spatial.engine.parallel.callbacks import callbacks
from pluecker.spatial.errors import PlueckerError
from pluecker.spatial.properties import cached_property

__all__ = ["RECORDED", "Outcome", "Schedule", "Steps", "follow_steps"]

Array = NDArray[np.float64]
RECORDED = ("q", "v", "tau", "a", "error", "constraint_forces")  # in the order of the loop
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


@dataclass(frozen=True, eq=False)
class Outcome:
    """Outcome of a simulation: how far it came, and why it ended.

    Attributes:
        samples: how many there are.
        interrupted: whether somebody wanted it to end.
        failed: the number of the first step that could not be taken; None if there is none.
        state: the state of the batch where that was.
        x: the states then, or at the end.
        error: what control, a user's function or the recording has raised.
    """

    samples: int
    interrupted: bool
    failed: int | None
    state: int
    x: Array
    error: PlueckerError | None


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps of a simulation, independent of the states at its beginning.

    Attributes:
        integrator: what takes them.
        sizes: nq, nv, and how many numbers it remembers.
        schedule: how many there are.
        control, plan: what acts.
        on_unsolved: what happens to steps that are not solved.
        task: all of it, for the loop.
    """

    integrator: Integrator
    sizes: tuple[int, int, int]
    schedule: Schedule
    control: Control
    plan: ControlPlan
    on_unsolved: str
    task: LoopTask

    @classmethod
    def of_simulation(
        cls,
        dynamics: Dynamics,
        model: Model,
        scenario: Array,
        control: Control,
        plan: ControlPlan,
        schedule: Schedule,
        on_unsolved: str,
        states: int,
        threads: int,
    ) -> Steps:
        """Construct for so many states, with a scenario that has the tolerance."""
        integrator, remembered = dynamics.integrator, dynamics.remembered
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
        task = LoopTask(integrator, packed, scenario, numbers, settings, plan.signals, states, nx, workspace, threads)
        return cls(integrator, (nq, nv, memory), schedule, control, plan, on_unsolved, task)

    def begin(self, q: Array, v: Array, remembered: Array | None) -> Array:
        """Pack q ``(states, nq)``, v ``(states, nv)`` and the integrator's memory for the loop, ``(states, nx)``."""
        nq, nv, memory = self.sizes
        x = np.zeros((len(q), int(self.task.table[SIZE_OF_X])))
        x[:, :nq], x[:, nq : nq + nv] = q, v
        if remembered is not None:
            x[:, x.shape[1] - memory :] = remembered
        return x

    def with_room(self, dynamics: Dynamics, model: Model, scenario: Array, states: int) -> Steps:
        """Construct the same steps in a scenario in which the integrator has more room."""
        given = self.control, self.plan, self.schedule, self.on_unsolved
        return Steps.of_simulation(dynamics, model, scenario, *given, states, self.task.threads)

    def widened(self, x: Array) -> Array:
        """Return states with room for all that the integrator remembers, nothing behind what they have."""
        wide = np.zeros((len(x), int(self.task.table[SIZE_OF_X])))
        wide[:, : x.shape[1]] = x
        return wide


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
    """Fill the recording, from the states ``(states, nx)`` on. Steps without room are given some, and taken again."""
    (nq, nv, _), schedule, control = steps.sizes, steps.schedule, steps.control
    stretches = Stretches(steps.task, x)
    marks = x[:, nq + 6 * nv + MARKS - 1]
    first, samples, error, interrupted, failed = schedule.first, 0, None, False, False
    room, watch = dynamics.room, dynamics.watch
    fixed = 1 if watch is not None else steps.plan.period if control.function is not None else 0
    length = max(1, FIRST // (len(x) * nv))
    try:
        while first <= schedule.total and not failed:
            arrays, slot, most = recording.room(samples, schedule.samples - samples)
            stretches.record_into(arrays, slot)
            length = min(fixed - first % fixed if fixed else length, most * schedule.every)
            last = min(first + length, schedule.total + 1)
            if control.function is not None and first % steps.plan.period == 0:
                now = x[:, :nq].reshape(*batch, nq), x[:, nq : nq + nv].reshape(*batch, nv)
                tau = asked(model, control.function, first * schedule.step, *now)
                x[:, nq + nv : nq + 2 * nv] = tau.reshape(-1, nv)
            begun, before = time.perf_counter(), x.copy() if room is not None else x
            with callbacks():
                stretches.advance(first, last)
            scenario = room.grow() if room is not None else None
            if scenario is not None:
                steps = steps.with_room(dynamics, model, scenario, len(x))
                x = steps.widened(before)
                stretches, marks = Stretches(steps.task, x), x[:, nq + 6 * nv + MARKS - 1]
                continue
            if watch is not None and first < schedule.total and not marks[0]:
                watch()
            took = time.perf_counter() - begun
            failed = bool(marks.any())
            first = last
            done = schedule.samples_before(int(marks[marks > 0.0].min()) if failed else first)
            if done > samples:
                recording.written(samples, complete, schedule.times_from(samples, done - samples))
                added, samples = done - samples, done
                progress(added)
            length = max(1, min(GROWTH * length, int(length * STRETCH / max(took, 1e-6)) + 1))
    except KeyboardInterrupt:
        interrupted = True
        marks[:] = 0.0  # a step of the stretch that ended within may have failed because it did
    except PlueckerError as found:
        error = found
    if not marks.any():
        return Outcome(samples, interrupted, None, 0, x, error)
    state = int(np.argmin(np.where(marks > 0.0, marks, np.inf)))
    return Outcome(samples, interrupted, int(marks[state]) - 1, state, x, error)
