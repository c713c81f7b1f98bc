"""The integrator "dop853": SciPy's, in a chart, between the steps of :func:`simulate`, for one state after the other.

It serves smooth motions to a tolerance near rounding, by code that shares nothing with the other integrators. Control is
none, joint forces or a table of them, gains, or a function of Python's, which is asked at the beginning of each step.

Source: Hairer, Norsett and Wanner (1993), section II.5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.configuration.difference import difference
from pluecker.articulated.algorithms.configuration.integrate import integrate
from pluecker.articulated.algorithms.dynamics.aba import aba
from pluecker.articulated.errors import SingularInertiaError
from pluecker.articulated.forces.applied_forces import applied_forces
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.model.model import Model
from pluecker.articulated.simulation.recording import Recording
from pluecker.articulated.simulation.smooth import Acceleration, Chart
from pluecker.articulated.simulation.steps import Outcome, Schedule
from pluecker.articulated.stepping.control import CompiledControl, Control, PDControl
from pluecker.articulated.stepping.control_signals import ControlPlan, asked
from pluecker.articulated.stepping.loop_driver import Signal
from pluecker.spatial.errors import ArgumentValueError, PlueckerError

__all__ = ["follow_smoothly"]

Array = NDArray[np.float64]
TORQUE, POSITION, RATE, VELOCITY, STIFFNESS, DAMPING, WRENCH = range(7)  # of the signals of a plan


def value(signal: Signal, state: int, t: float) -> Array:
    """Of a signal, for one state of the batch"""
    rows = signal.values[:, min(state, signal.values.shape[1] - 1)]
    k = int(np.clip(np.searchsorted(signal.times, t, side="right") - 1, 0, len(rows) - 1))
    if not signal.linear or k + 1 == len(rows) or t <= signal.times[0]:
        return np.array(rows[k])
    share = (t - signal.times[k]) / (signal.times[k + 1] - signal.times[k])
    return np.array(rows[k] + share * (rows[k + 1] - rows[k]))


def feedback(model: Model, plan: ControlPlan, state: int, t: float, q: Array, v: Array) -> Array:
    """P (q_ref - q) + D (v_ref - v), with the reference as it moves"""
    knots = plan.signals[POSITION]
    k = int(np.clip(np.searchsorted(knots.times, t, side="right") - 1, 0, len(knots.times) - 1))
    rates = plan.signals[RATE].values
    rate = rates[min(k, len(rates) - 1), min(state, rates.shape[1] - 1)]
    at = knots.values[k, min(state, knots.values.shape[1] - 1)]
    reference = integrate(model, at, rate * max(t - knots.times[k], 0.0))
    P, D, wanted = (value(plan.signals[j], state, t) for j in (STIFFNESS, DAMPING, VELOCITY))
    return P * difference(model, q, reference) + D * (wanted - v)


def motion(
    model: Model, control: Control, plan: ControlPlan, springs: tuple[Element, ...], state: int, held: Array | None
) -> Acceleration:
    """The acceleration of one state of the batch; ``held`` are joint forces during the step"""
    gains = isinstance(control.command, PDControl)

    def acceleration(t: float, q: Array, v: Array) -> Array:
        tau = value(plan.signals[TORQUE], state, t) if held is None else held
        if gains:
            tau = tau + feedback(model, plan, state, t, q, v)
        wrenches = value(plan.signals[WRENCH], state, t).reshape(-1, 6)
        if springs:
            wrenches = wrenches + applied_forces(model, springs, q, v).wrenches
        return aba(model, q, v, tau, wrenches)

    return acceleration


def refuse_control(control: Control) -> None:
    """Refuse what makes joint forces jump at times that the integrator does not know, or is compiled."""
    odd = [name for name in ("period", "actuator") if getattr(control, name) is not None]
    odd += ["clip"] * control.clip + ["CompiledControl"] * isinstance(control.command, CompiledControl)
    if odd:
        raise ArgumentValueError(
            f"simulate: dop853 takes no control with {odd[0]}; use 'dormand_prince', which divides each step by itself"
        )


def follow_smoothly(
    model: Model,
    q: Array,
    v: Array,
    control: Control,
    plan: ControlPlan,
    springs: tuple[Element, ...],
    schedule: Schedule,
    recording: Recording,
    complete: Callable[..., Any],
    progress: Callable[[int], None],
    tol: float,
) -> Outcome:
    """Fill the recording, as :func:`~pluecker.articulated.simulation.steps.follow_steps` does."""
    refuse_control(control)
    chart, h, count = Chart(model, tol), schedule.step, len(q)
    states = np.concatenate([q, v], axis=1)
    samples, interrupted, error = 0, False, None
    try:
        for i in range(schedule.steps + 1):
            now = states[:, : model.nq], states[:, model.nq :]
            function = control.function
            held = None if function is None else [asked(function, i * h, *pair) for pair in zip(*now, strict=True)]
            motions = [
                motion(model, control, plan, springs, b, None if held is None else held[b]) for b in range(count)
            ]
            if i % schedule.every == 0 or i == schedule.steps:
                record(model, control, plan, recording, samples, i * h, now, held, motions)
                recording.written(samples, 1, complete, schedule.times)
                samples += 1
                progress(1)
            if i < schedule.steps:
                rows = zip(motions, states, strict=True)
                states = np.array([chart.follow(a, y, i * h, (i + 1) * h) for a, y in rows])
    except KeyboardInterrupt:
        interrupted = True
    except SingularInertiaError:
        raise
    except PlueckerError as found:
        error = found
    return Outcome(samples, interrupted, None, 0, states, error)


def record(
    model: Model, control: Control, plan: ControlPlan, recording: Recording, sample: int, t: float,
    now: tuple[Array, Array], held: list[Array] | None, motions: list[Acceleration],
) -> None:  # fmt: skip
    """One sample of all states: q, v, and what was asked for of tau, a and the error"""
    arrays, slot, _ = recording.room(sample, 1)
    parts = dict(zip(recording.widths, arrays, strict=True))
    at = sample - slot
    parts["q"][at], parts["v"][at] = now
    for b, (q, v) in enumerate(zip(*now, strict=True)):
        if parts["tau"].shape[-1]:
            tau = value(plan.signals[TORQUE], b, t) if held is None else held[b]
            gains = isinstance(control.command, PDControl)
            parts["tau"][at, b] = tau + (feedback(model, plan, b, t, q, v) if gains else 0.0)
        if parts["a"].shape[-1]:
            parts["a"][at, b] = motions[b](t, q, v)
        if parts["error"].shape[-1]:
            parts["error"][at, b] = 0.0
