"""Conversion of a user's control to what the loop reads: signals, settings, limits; shapes are checked by the model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from pluecker.articulated.errors import SimulationError
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import LABELS
from pluecker.articulated.stepping.control.control import NO_CONTROL, CompiledControl, Control, PDControl, TimeTable
from pluecker.articulated.stepping.control.control_law import (
    DELAY,
    EARLY,
    EXTERNAL,
    FEEDBACK,
    FOLLOWING,
    FUNCTION,
    GAINS,
    HELD,
    LIMITED,
    PERIOD,
)
from pluecker.articulated.stepping.loop.signal import Signal
from pluecker.articulated.stepping.loop.task import NEVER
from pluecker.spatial.errors import ArgumentValueError, shown
from pluecker.spatial.functions.arguments import NOT_TOGETHER, why_apart
from pluecker.spatial.functions.elementwise import as_numbers

__all__ = ["ControlPlan", "batch_of", "plan_control"]

NEARLY = 1e-6  # of a step, by which a time may differ from a whole number of them
UNIT = 1e-6  # by which the length of a quaternion may differ from 1, as for all algorithms

Given = tuple[str, Any, tuple[str, ...]]  # a name, a table or an array, the words of its shape


@dataclass(frozen=True, eq=False)
class ControlPlan:
    """Plan of control: what the loop is given of it.

    Attributes:
        signals: in the order of :mod:`~pluecker.articulated.stepping.control.control_law`.
        settings: integers, by their index.
        limits: gear, saturation and effort limit of each coordinate, one after the other.
        period: steps from one look at the state to the next.
        delay: how many of these actuators answer late.
    """

    signals: tuple[Signal, ...]
    settings: dict[int, int]
    limits: Array
    period: int
    delay: int


def inputs_of(control: Control, f_ext: Any) -> list[Given]:
    """List all arrays that belong to a control, and the wrenches."""
    command, found = control.command, list[Given]()
    if f_ext is not None:
        found.append(("f_ext", f_ext, ("n_bodies", "6")))
    if isinstance(command, PDControl):
        found += [("stiffness", command.stiffness, ("nv",)), ("damping", command.damping, ("nv",))]
        found += [("q of control", command.q, ("nq",))]
        found += [
            (f"{name} of control", value, ("nv",))
            for name, value in (("v", command.v), ("tau", command.tau))
            if value is not None
        ]
    elif isinstance(command, CompiledControl):
        found.append(("parameters", command.parameters, (str(command.parameters.shape[-1]),)))
    elif command is not None and control.function is None:
        found.append(("control", command, ("nv",)))
    return found


def shape_in(model: Model, words: tuple[str, ...]) -> tuple[int, ...]:
    """Convert a shape from words to numbers."""
    return tuple(int(word) if word.isdigit() else getattr(model, word) for word in words)


def leading(model: Model, given: Given) -> tuple[int, ...]:
    """Check the shape of an input, and return its axes of a batch."""
    name, value, words = given
    table = isinstance(value, TimeTable)
    values, shape = (value.values if table else value), shape_in(model, words)
    if name in ("stiffness", "damping") and values.ndim == 0:
        return ()
    whole = (len(value.times), *shape) if table else shape
    if values.shape[values.ndim - len(whole) :] != whole or values.ndim < len(whole):
        expected = ", ".join(["...", *map(str, whole)])
        counts = f"nq = {model.nq}, nv = {model.nv}, n_bodies = {model.n_bodies}"
        raise ArgumentValueError(
            f"simulate: {name} has shape {values.shape}, expected ({expected}); model {model.name!r} has {counts}"
        )
    lead: tuple[int, ...] = values.shape[: values.ndim - len(whole)]
    return lead


def batch_of(model: Model, control: Control, f_ext: Any, states: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Broadcast the leading axes of states, control and wrenches."""
    leads = states | {given[0]: leading(model, given) for given in inputs_of(control, f_ext)}
    if not any(leads.values()):
        return ()
    try:
        return np.broadcast_shapes(*leads.values())
    except NOT_TOGETHER as error:
        shapes = ", ".join(f"{name} {lead}" for name, lead in leads.items() if lead)
        raise ArgumentValueError(f"simulate: the leading axes {why_apart(error)}: {shapes}") from None


def as_signal(model: Model, given: Given, batch: tuple[int, ...], early: float) -> Signal:
    """Convert an input to a signal. Where values are held, their times are ``early``, by what rounding may take."""
    _, value, words = given
    width = math.prod(shape_in(model, words))
    if isinstance(value, TimeTable):
        lead, n = leading(model, given), len(value.times)
        values = np.moveaxis(value.values.reshape((*lead, n, width)), -2, 0)
        times = value.times if value.linear else value.times - early
    else:
        lead, n, times = leading(model, given), 1, np.zeros(1)
        full = np.broadcast_to(value, (width,)) if value.ndim == 0 else value
        values = full.reshape((1, *lead, width))
    if math.prod(lead) != 1:
        values = np.broadcast_to(values, (n, *batch, width))
    rows = np.ascontiguousarray(
        values.reshape(n, -1 if math.prod(lead) != 1 else 1, width) if width else values[..., :0]
    )
    if not width:
        rows = np.zeros((n, 1, 0))
    return Signal(rows, np.ascontiguousarray(times), isinstance(value, TimeTable) and value.linear)


def plan_control(model: Model, control: Control, f_ext: Any, batch: tuple[int, ...], step: float) -> ControlPlan:
    """Return the plan of a control and of wrenches for the loop; without both, the plan is kept with the model.

    Raises:
        ValueError: a shape that does not fit, a period or a delay that is no whole number.
    """
    if control is not NO_CONTROL or f_ext is not None:
        return make_plan(model, control, f_ext, batch, step)
    kept: ControlPlan | None = model.tables.get(plan_control)
    if kept is None:
        kept = model.tables[plan_control] = make_plan(model, control, f_ext, batch, step)
    return kept


def make_plan(model: Model, control: Control, f_ext: Any, batch: tuple[int, ...], step: float) -> ControlPlan:
    """Make a new plan, see :func:`plan_control`."""
    early, command = EARLY * step, control.command
    signals = {given[0]: as_signal(model, given, batch, early) for given in inputs_of(control, f_ext)}
    nothing, neither, no_wrench, no_parameters = zeros_of(model)
    torque = signals.get("control", signals.get("tau of control", nothing))
    position, velocity = signals.get("q of control"), signals.get("v of control", nothing)
    if position is None:
        position = neither
    else:
        check_reference(model, position)
    gains = signals.get("stiffness", nothing), signals.get("damping", nothing)
    wrench, parameters = signals.get("f_ext", no_wrench), signals.get("parameters", no_parameters)
    order = torque, position, velocity, *gains, wrench, parameters
    period = 1 if control.period is None else whole(control.period, step, "the period of control", "step")
    actuator = control.actuator
    delay = 0
    if actuator is not None and actuator.delay:
        delay = whole(actuator.delay, period * step, "the delay of the actuators", "control period")
    varies = control.function is not None or isinstance(command, (CompiledControl, PDControl)) or len(torque.times) > 1
    settings = {
        FUNCTION: command.address if isinstance(command, CompiledControl) else 0,
        EXTERNAL: control.function is not None,
        FEEDBACK: 0 if not isinstance(command, PDControl) else FOLLOWING if command.v is None else GAINS,
        HELD: control.period is not None or delay > 0,
        PERIOD: period if varies or delay > 0 else NEVER,
        DELAY: delay,
        LIMITED: control.clip or actuator is not None,
    }
    return ControlPlan(order, settings, limits_of(model, control), period, delay)


def zeros_of(model: Model) -> tuple[Signal, ...]:
    """Return zero signals for absent joint forces, configuration, wrenches and parameters; kept with the model."""
    kept: tuple[Signal, ...] | None = model.tables.get(zeros_of)
    if kept is None:
        widths = model.nv, model.nq, 6 * model.n_bodies, 0
        kept = model.tables[zeros_of] = tuple(Signal.constant(np.zeros((1, width))) for width in widths)
    return kept


def limits_of(model: Model, control: Control) -> Array:
    """Return gear, saturation and effort limit of each coordinate, ``(3 nv,)``, one after the other."""
    rows = np.ones((3, model.nv))
    rows[1:] = np.inf
    if control.actuator is not None:
        for row, name in enumerate(("gear", "saturation")):
            values = getattr(control.actuator, name)
            if values.shape not in ((), (model.nv,)):
                raise ArgumentValueError(
                    f"simulate: {name} of the actuator has shape {values.shape}, expected a number or ({model.nv},)"
                )
            rows[row] = values
    if control.clip:
        rows[2] = model.effort_limit
    return rows.ravel()


def check_reference(model: Model, position: Signal) -> None:
    """Refuse references whose quaternions are not of unit length."""
    for joint, part in model.quaternion_slices().items():
        four = position.values[..., part]
        length = np.sqrt(np.einsum("...k,...k", four, four))
        if not (np.abs(length - 1.0) <= UNIT).all():
            worst = length.flat[np.argmax(np.abs(length - 1.0))]
            raise ArgumentValueError(
                f"simulate: q of control: the quaternion of joint {shown(joint)} has length {worst:.9g}, "
                "expected 1 within 1e-6"
            )


def whole(time: float, unit: float, what: str, name: str) -> int:
    """Convert a time to a whole number of units."""
    count = round(time / unit) if time / unit < NEVER else 0
    if count < 1 or abs(time - count * unit) > NEARLY * unit:
        raise ArgumentValueError(f"simulate: {what}, {time:.9g} s, is no whole number of {name}s of {unit:.9g} s")
    return count


def asked(model: Model, function: Any, t: float, q: Array, v: Array, alone: bool = True) -> Array:
    """Call a Python function of control, and return its joint forces, of the shape of v.

    Args:
        alone: whether what is not finite ends the motion; where other states of a batch go on, steps say so.

    Raises:
        SimulationError: it gives something else, or raises something.
    """
    try:
        given = function(t, q.copy(), v.copy())
    except Exception as error:  # of any kind: what was computed until then is not lost with it
        raise SimulationError(
            f"simulate: control raised {type(error).__name__} at t = {t:.6g} s: {shown(str(error))}",
            time=t,
        ) from error
    what = f"what control gives at t = {t:.6g} s"
    found = as_numbers("simulate", what, given)
    try:
        tau = np.broadcast_to(np.array(found), v.shape)
    except ValueError:
        raise SimulationError(f"simulate: {what} has shape {found.shape}, expected {v.shape}", time=t) from None
    if alone:
        check_asked(model, t, tau)
    return tau


def check_asked(model: Model, t: float, tau: Array) -> None:
    """Refuse joint forces that a control gives and that are not finite."""
    if not np.isfinite(tau).all():
        *state, k = (int(n) for n in np.argwhere(~np.isfinite(tau))[0])
        where = f" in state {', '.join(map(str, state))} of the batch" if state else ""
        raise SimulationError(
            f"simulate: what control gives at t = {t:.6g} s is {tau[(*state, k)]} for {coordinate_name(model, k)}{where}, "
            "expected a finite number",
            time=t,
        )


def coordinate_name(model: Model, k: int) -> str:
    """Return the quoted name of entry ``k`` of v."""
    return shown(getattr(model, LABELS["nv"])[k])
