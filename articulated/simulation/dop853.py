"""The integrator "dop853": SciPy's Runge-Kutta method of order 8 between samples, for motions without events.

Source: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), section II.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pluecker.articulated.algorithms.configuration.difference import difference
from pluecker.articulated.algorithms.configuration.integrate import integrate
from pluecker.articulated.errors import OutputError
from pluecker.articulated.forces.applied_forces import applied_forces
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.simulation.recording import Recording
from pluecker.articulated.simulation.smooth import smooth_states
from pluecker.articulated.simulation.steps import Outcome, Schedule
from pluecker.articulated.stepping.control.control import CompiledControl, Control, PDControl
from pluecker.articulated.stepping.control.control_function import function_at
from pluecker.articulated.stepping.control.control_law import EARLY, POSITION, VELOCITY
from pluecker.articulated.stepping.loop.control_signals import ControlPlan, asked, check_asked
from pluecker.articulated.stepping.loop.signal import Signal
from pluecker.spatial.errors import ArgumentValueError, PlueckerError
from pluecker.spatial.parallel.callbacks import callbacks

__all__ = ["follow_dop853"]

Force = Callable[[float, Array, Array], tuple[Array, Array]]


def follow_dop853(
    model: Model,
    q: Array,
    v: Array,
    control: Control,
    plan: ControlPlan,
    elements: tuple[Element, ...],
    schedule: Schedule,
    recording: Recording,
    complete: Callable[[Mapping[str, Array]], Mapping[str, Array]],
    progress: Callable[[int], None],
    tol: float,
) -> Outcome:
    """Fill the recording; q and v are ``(states, nq)`` and ``(states, nv)``."""
    if control.period is not None or plan.delay:
        raise ArgumentValueError(
            "simulate: dop853 chooses its steps itself and takes no control that is sampled, or late"
        )
    count, size = schedule.samples, len(q)
    references = moving_reference(model, control.command, plan.signals, schedule.step)
    forces = [force_of(model, control, plan, references, elements, b) for b in range(size)]
    motions = [states_of(model, q[b], v[b], times_of(schedule), forces[b], tol) for b in range(size)]
    samples, waiting, room = 0, 0, recording.room(0, count)
    error: PlueckerError | None = None
    interrupted = False
    try:
        for k, t in enumerate(times_of(schedule)):
            arrays, slot, most = room
            for b in range(size):
                with callbacks():
                    state = next(motions[b])
                    here = state[: model.nq], state[model.nq :]
                    found = {0: here[0], 1: here[1], 2: forces[b](t, *here)[0], 4: np.zeros(1)}
                for place, values in found.items():
                    if arrays[place].shape[2]:
                        arrays[place][k - slot, b] = values
            waiting += 1
            if waiting == most or k + 1 == count:
                recording.written(samples, complete, schedule.times_from(samples, waiting))
                samples, waiting = samples + waiting, 0
                room = recording.room(samples, count - samples)
            progress(1)
    except KeyboardInterrupt:
        interrupted = True
    except PlueckerError as found_error:
        error = found_error
    if waiting and not isinstance(error, OutputError):
        try:
            recording.written(samples, complete, schedule.times_from(samples, waiting))
        except OutputError as found_error:
            error = error or found_error
    return Outcome(samples + waiting, interrupted, None, 0, np.zeros((0, 0)), error)


def times_of(schedule: Schedule) -> Iterator[float]:
    """Of the samples, one after the other: there may be more of them than memory holds."""
    return (float(schedule.times_from(k, 1)[0]) for k in range(schedule.samples))


def states_of(model: Model, q: Array, v: Array, times: Iterable[float], force: Force, tol: float) -> Iterator[Array]:
    """The states at all times, the first one too."""
    yield np.concatenate([q, v])
    yield from smooth_states(model, q, v, times, force, tol)


def moving_reference(
    model: Model, command: Any, signals: Sequence[Signal], step: float
) -> tuple[Signal, Signal, Signal]:
    """The references, the velocity at which they move from knot to knot, and the one that is asked for.

    They do not move behind the last knot, before the first one, and where they hold.
    """
    position, velocity = signals[POSITION], signals[VELOCITY]
    values, times = position.values, position.times
    if times[0] > 0.0:
        values, times = np.concatenate([values[:1], values]), np.concatenate([[0.0], times])
    rates = np.zeros((len(times), values.shape[1], model.nv))
    if position.linear and len(times) > 1:
        rates[:-1] = difference(model, values[:-1], values[1:]) / np.diff(times)[:, None, None]
    rate = Signal(rates, times - EARLY * step)
    follows = isinstance(command, PDControl) and command.v is None
    return Signal(values, times), rate, rate if follows else velocity


def force_of(
    model: Model,
    control: Control,
    plan: ControlPlan,
    references: tuple[Signal, ...],
    elements: tuple[Element, ...],
    b: int,
) -> Force:
    """Joint forces of control, and wrenches on the bodies, of one state of a batch at a time."""
    command, function = control.command, control.function
    torque, _, _, P, D, wrench, parameters = plan.signals
    position, rate, velocity = references
    gear, saturation, effort = plan.limits.reshape(3, -1)
    compiled = function_at(command.address) if isinstance(command, CompiledControl) else None

    def at(signal: Signal, t: float) -> Array:
        values: Array = signal.at(np.array([t]))[0]
        return values[min(b, len(values) - 1)]

    def asked_for(t: float, q: Array, v: Array) -> Array:
        if function is not None:
            return asked(model, function, t, q, v)
        if compiled is not None:
            tau = np.zeros(model.nv)
            compiled(t, q.copy(), v.copy(), tau, at(parameters, t).copy())
            check_asked(model, t, tau)
            return tau
        u = at(torque, t)
        if isinstance(command, PDControl):
            knot = int(np.clip(np.searchsorted(rate.times, t, side="right") - 1, 0, len(rate.times) - 1))
            moved = at(rate, t) * max(t - position.times[knot], 0.0)
            target = integrate(model, at(Signal(position.values, rate.times), t), moved)
            u = u + at(P, t) * difference(model, q, target) + at(D, t) * (at(velocity, t) - v)
        return u

    def force(t: float, q: Array, v: Array) -> tuple[Array, Array]:
        tau = np.clip(gear * np.clip(asked_for(t, q, v), -saturation, saturation), -effort, effort)
        f_ext = at(wrench, t).reshape(model.n_bodies, 6)
        return tau, f_ext + applied_forces(model, elements, q, v).wrenches if elements else f_ext

    return force
