"""The way from the state at the beginning to a recording, stretch by stretch of the compiled loop.

Stretches are short enough that Python is back a few times a second: Ctrl-C, the progress bar, and files get their turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.simulation.ended_steps import Finish, end_step, put_step, take_pieces
from pluecker.articulated.simulation.recording import Recording
from pluecker.articulated.stepping.control.control import Control
from pluecker.articulated.stepping.control.control_law import PERIOD, WRENCH
from pluecker.articulated.stepping.loop.control_signals import NEVER, ControlPlan, asked
from pluecker.articulated.stepping.loop.loop import loop_workspace, state_size
from pluecker.articulated.stepping.loop.loop_driver import Signal, Stretches
from pluecker.articulated.stepping.loop.surroundings import MARKS
from pluecker.articulated.stepping.loop.task import BEGIN, EVERY, FIRST_IMPULSE, IMPULSES, MEMORY, SUBSTEP, TOTAL
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import smooth_model
from pluecker.spatial.errors import PlueckerError

__all__ = ["RECORDED", "Outcome", "Remembered", "Schedule", "follow_steps"]

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

    @property
    def total(self) -> int:
        """The steps before, and these."""
        return self.first + self.steps

    @property
    def samples(self) -> int:
        """How many there are."""
        return -(-self.steps // self.every) + 1

    @property
    def times(self) -> Array:
        """Of the samples; s."""
        return self.times_from(0, self.samples)

    def times_from(self, first: int, count: int) -> Array:
        """Of so many samples from this one on; s."""
        return self.step * (self.first + np.minimum(np.arange(first, first + count) * self.every, self.steps))

    def samples_before(self, step: int) -> int:
        """How many samples are there once the loop stands before this step, or behind the last one."""
        return self.samples if step > self.total else -(-(step - self.first) // self.every)


@dataclass(frozen=True, eq=False)
class Outcome:
    """How far a simulation came.

    Attributes:
        samples: how many there are.
        interrupted: whether somebody wanted it to end.
        failed: the number of the first step that could not be taken; None if there is none.
        state: the state of the batch where that was.
        x: the states then, or at the end.
        error: what a control that is Python has raised.
    """

    samples: int
    interrupted: bool
    failed: int | None
    state: int
    x: Array
    error: PlueckerError | None


@dataclass(frozen=True, eq=False)
class Remembered:
    """What the integrator remembers when a simulation begins, and where the impulses are among it.

    Attributes:
        numbers: ``(..., n)``; None if it remembers nothing yet.
        first_impulse, impulses: the place, and how many there are.
        order: of the impulses, as they are recorded.
    """

    numbers: Array | None = None
    first_impulse: int = 0
    impulses: int = 0
    order: NDArray[np.int64] | None = None

    def spread(self, batch: tuple[int, ...]) -> Remembered:
        """With a row for each state of the batch."""
        if self.numbers is None:
            return self
        n = self.numbers.shape[-1]
        return replace(self, numbers=np.broadcast_to(self.numbers, (*batch, n)).reshape(-1, n))


def follow_steps(
    integrator: Integrator,
    model: Model,
    q: Array,
    v: Array,
    scenario: Array,
    control: Control,
    plan: ControlPlan,
    schedule: Schedule,
    recording: Recording,
    *,
    on_unsolved: str,
    complete: Callable[[Mapping[str, Array]], Mapping[str, Array]],
    progress: Callable[[int], None],
    batch: tuple[int, ...],
    threads: int,
    remembered: Remembered,
    finish: Finish | None = None,
) -> Outcome:
    """Fill the recording; q and v are ``(states, nq)`` and ``(states, nv)``. ``finish``: as of ``Dynamics``."""
    nq, nv, memory = model.nq, model.nv, integrator.memory(model, scenario)
    x = np.zeros((len(q), state_size(nq, nv, plan.delay, memory)))
    x[:, :nq], x[:, nq : nq + nv] = q, v
    if remembered.numbers is not None:
        x[:, x.shape[1] - memory :] = remembered.numbers
    bound = NO_BOUND if on_unsolved == "continue" else 1.0 + 1e-12
    numbers = np.concatenate([[schedule.step, bound], plan.limits])
    settings = {
        **plan.settings, TOTAL: schedule.total, EVERY: schedule.every, SUBSTEP: on_unsolved == "substep", MEMORY: memory,
        FIRST_IMPULSE: remembered.first_impulse, IMPULSES: remembered.impulses, BEGIN: schedule.first,
    }  # fmt: skip
    parameters = plan.signals[-1].values.shape[-1]
    room = loop_workspace(nq, nv, model.n_bodies, memory, parameters, integrator.workspace(model, scenario))
    arguments = smooth_model(model), scenario, x, numbers, settings, plan.signals, room, threads
    stretches = Stretches(integrator, *arguments)
    marks = x[:, nq + 6 * nv + MARKS - 1]
    first, samples, error, interrupted, failed = schedule.first, 0, None, False, False

    def stretches_of_pieces(y: Array, h: float, number: int) -> Stretches:
        """In which nothing happens but steps, with the wrenches of a step as they are."""
        alone = {**settings, TOTAL: NEVER, EVERY: NEVER, PERIOD: NEVER, BEGIN: 0}
        own = list(plan.signals)
        own[WRENCH] = Signal.constant(own[WRENCH].at(np.array([schedule.step * (number + 0.5)]))[0])
        lengths = np.concatenate([[h], numbers[1:]])
        return Stretches(integrator, smooth_model(model), scenario, y, lengths, alone, own, room, 1)

    def end(y: Array, before: Array, number: int) -> float:
        """Of one state; where it is wanted in pieces."""
        assert finish is not None
        sizes, h, place = (nq, nv, memory), schedule.step, len(y) - memory + remembered.first_impulse
        if on_unsolved != "substep":
            return end_step(y, before, sizes, h, finish)
        start, last = np.concatenate([before, y[nq + nv :]]), finish.remembered_now()
        found = end_step(y, before, sizes, h, finish)
        if found <= bound:
            return found
        finish.go_back(last)
        impulses = slice(place, place + remembered.impulses)
        return take_pieces(
            y, start, sizes, impulses, h, bound, finish, model, lambda y, h: stretches_of_pieces(y, h, number)
        )

    fixed = 1 if finish is not None else plan.period if control.function is not None else 0
    length = max(1, FIRST // (len(q) * nv))
    try:
        while first <= schedule.total and not failed:
            arrays, slot, most = recording.room(samples, schedule.samples - samples)
            stretches.record_into(arrays, slot)
            length = fixed or min(length, most * schedule.every)
            last = min(first + length, schedule.total + 1)
            if control.function is not None and first % plan.period == 0:
                now = x[:, :nq].reshape(*batch, nq), x[:, nq : nq + nv].reshape(*batch, nv)
                tau = asked(model, control.function, first * schedule.step, *now)
                x[:, nq + nv : nq + 2 * nv] = tau.reshape(-1, nv)
            begun, before = time.perf_counter(), x[0, : nq + nv].copy()
            stretches.advance(first, last)
            if finish is not None and first < schedule.total and not marks[0]:
                if not end(x[0], before, first) <= bound:
                    marks[0], x[0, : nq + nv] = first + 1, before
                else:
                    finish.keep()
                    if (first - schedule.first) % schedule.every == 0:
                        own = (first - schedule.first) // schedule.every - slot
                        put_step(arrays, own, x[0], (nq, nv, memory), remembered.first_impulse, remembered.impulses)
            took = time.perf_counter() - begun
            failed = bool(marks.any())
            first = last
            done = schedule.samples_before(int(marks[marks > 0.0].min()) if failed else first)
            if done > samples:
                recording.written(samples, complete, schedule.times_from(samples, done - samples))
                progress(done - samples)
                samples = done
            length = max(1, min(GROWTH * length, int(length * STRETCH / max(took, 1e-6)) + 1))
    except KeyboardInterrupt:
        interrupted = True
    except PlueckerError as found:
        error = found
    if not marks.any():
        return Outcome(samples, interrupted, None, 0, x, error)
    state = int(np.argmin(np.where(marks > 0.0, marks, np.inf)))
    return Outcome(samples, interrupted, int(marks[state]) - 1, state, x, error)
