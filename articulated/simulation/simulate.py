"""One call simulates a mechanism: under any control, by any integrator, one motion or a batch of them."""

from __future__ import annotations

import itertools
import math
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.errors import SimulationWarning
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.forces.packing import as_elements
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array, as_floats, as_model, as_rows, as_threads, explain_inputs
from pluecker.articulated.running.fields import STANDARD
from pluecker.articulated.simulation.failures import failure
from pluecker.articulated.simulation.integrators import DRIVERS, as_integrator, knowing_rows, name_of
from pluecker.articulated.simulation.recorded import Recorder
from pluecker.articulated.simulation.recording import FileRecording, MemoryRecording, as_folder
from pluecker.articulated.simulation.smooth import as_tolerance
from pluecker.articulated.simulation.steps import Outcome, Schedule, follow_steps
from pluecker.articulated.simulation.trajectory import Trajectory
from pluecker.articulated.stepping.adaptive import with_tolerance
from pluecker.articulated.stepping.control import JointLimits, TimeTable, as_control, finite, seconds
from pluecker.articulated.stepping.control_signals import UNIT, batch_of, plan_control, whole
from pluecker.articulated.stepping.integrator import Integrator
from pluecker.articulated.stepping.scenario import ROWS, number_of, pack_scenario
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.extras import progress_bar

__all__ = ["simulate"]

UNSOLVED = ("raise", "continue", "substep")


def simulate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    duration: float,
    step: float,
    *,
    control: Any = None,
    f_ext: Any = None,
    elements: Element | Sequence[Element] = (),
    limits: JointLimits | bool | None = None,
    integrator: str | Integrator = "semi_implicit",
    record: str | Iterable[str] = ("a", "tau"),
    every: int = 1,
    record_to: str | os.PathLike[str] | None = None,
    on_unsolved: str = "raise",
    tol: float = 1e-9,
    progress: Any = None,
    threads: int | None = None,
) -> Trajectory:
    """The motion of a mechanism from the state ``q, v``.

    The loop over steps is compiled, one function for an integrator, whatever the control: only a function of Python's is
    asked from outside, once for each period of control. A batch of states, of controls, or of wrenches runs eight
    at a time and on all cores. Ctrl-C ends the simulation, with a warning; what was computed is given back.

    Integrators that know no dry friction refuse models with it, and limits that are asked for.

    Args:
        model: the mechanism.
        q, v: the state at the beginning, ``(..., nq)`` and ``(..., nv)``.
        duration: a whole number of steps; s.
        step: s.
        control: None, constant joint forces ``(..., nv)``, a :class:`TimeTable` of them, a :class:`PDControl`, a
            :class:`CompiledControl`, a function ``(t, q, v)`` that gives joint forces, or a :class:`Control` with one of
            these, a period, limits, and actuators.
        f_ext: wrenches on the bodies in their coordinates, ``(..., n_bodies, 6)``, or a :class:`TimeTable` of them.
        elements: springs, cables and wrenches, as for :func:`applied_forces`.
        limits: whether position limits of joints hold, or how they are met; if None they do, hard and without
            restitution, where the integrator knows them.
        integrator: ``"semi_implicit"``, first order, with dry friction and limits; ``"rk4"``; ``"linearly_implicit"``,
            ``"bdf1"`` and ``"bdf2"`` for stiff springs; ``"variational"``, which keeps momenta and has no trend
            in energy; ``"dormand_prince"``, with dry friction and limits, and ``"dop853"``, without, divide steps as ``tol``
            asks for; ``"euler"``, ``"euler_infinitesimal"``, ``"redmax"`` for comparison.
        record: what to keep besides q and v: ``"a"``, ``"tau"``, ``"energy"`` (columns ``kinetic_energy`` and
            ``potential_energy``, springs included; J), ``"momentum"`` (about the world's origin), ``"center_of_mass"``,
            ``"error"`` (that was left in the steps since the last sample, as a share of what is tolerated), and names of
            frames, for their placements ``(..., n, 4, 4)``, where no quantity has that name. With dry friction or position
            limits ``a`` is the mean of the step behind it.
        every: steps from one sample to the next; the last state is a sample as well.
        record_to: a new folder; samples go to files in it, in constant memory, and the trajectory reads from them.
        on_unsolved: what happens where a step leaves an error above what is tolerated: ``"raise"``; ``"continue"``, with
            ``columns["error"]`` above 1 there; ``"substep"`` divides it, into 32 at most, and goes on.
        tol: of integrators that divide steps, relative to the coordinates and absolute, above 0.
        progress: True for a bar, or a function that is given the numbers of the samples and gives them back one by one.
        threads: how many share a batch, at least 1; all cores if None.

    Returns:
        A trajectory with ``time`` ``(n,)``, ``q`` ``(..., n, nq)``, ``v``, and what was asked for, joint forces and
        accelerations as ``tau`` and ``a``, the rest as columns.

    Raises:
        TypeError: an argument is of another type.
        ValueError: a wrong shape, a number that is not finite, a quaternion that is not of unit length, a step or a duration
            that is not above 0, an option that is not known.
        SimulationError: the motion cannot be followed to its end; the message says at what time, and ``trajectory`` has what
            was computed until then.

    Example:
        >>> from pluecker.articulated import ModelBuilder, simulate
        >>> lift = ModelBuilder()
        >>> lift.add_body("cabin", mass=2.0)
        >>> lift.add_joint("shaft", "prismatic", parent="world", child="cabin", axis=(0, 0, 1))
        >>> rise = simulate(lift.build(), q=[0.0], v=[0.0], duration=1.0, step=0.001, control=[2.0 * 9.81 + 4.0])
        >>> rise.q[-1].round(3), rise.v[-1].round(9)
        (array([1.001]), array([2.]))

    Source: RBDA section 3.1; Hairer, Lubich and Wanner (2006), section I.1.2.
    """
    as_model("simulate", model)
    if model.nv == 0:
        raise ArgumentValueError(f"simulate: model {model.name!r} has no joint that moves")
    states = {name: as_floats("simulate", model, STANDARD[name], value) for name, value in (("q", q), ("v", v))}
    check_states(model, states)
    schedule = as_schedule(duration, step, every)
    commanded, wrenches, springs = as_control(control), as_wrenches(f_ext), as_elements("simulate", elements)
    if not isinstance(on_unsolved, str) or on_unsolved not in UNSOLVED:
        raise ArgumentValueError(
            f"simulate: on_unsolved is {shown(on_unsolved)}, expected one of {', '.join(UNSOLVED)}"
        )
    chosen = as_integrator(model, integrator)
    knows_rows = isinstance(chosen, Integrator) and chosen.takes_rows
    if limits is None:
        limits = knows_rows
    elif limits is not False and not knows_rows:
        raise ArgumentValueError(
            f"simulate: limits is {shown(limits)}, and {name_of(chosen)} knows none; use {knowing_rows()}, or limits=False"
        )
    count = as_threads("simulate", threads)
    batch = batch_of(model, commanded, wrenches, {name: array.shape[:-1] for name, array in states.items()})
    plan = plan_control(model, commanded, wrenches, batch, schedule.step)
    states_q, states_v = (spread(model, name, array, batch) for name, array in states.items())
    move = as_progress(progress, schedule.samples)
    tolerance = as_tolerance(tol)
    scenario = with_tolerance(as_scenario(model, springs, limits), tolerance)
    rows = knows_rows and number_of(ROWS, scenario) > 0
    recorder = Recorder(model, record, plan.signals, springs, rows, on_unsolved == "continue", count)
    folder = None if record_to is None else as_folder(record_to)
    size = math.prod(batch)
    if folder is None:
        recording: Any = MemoryRecording(schedule.samples, size, recorder.widths)
    else:
        recording = FileRecording(schedule.samples, size, recorder.widths, folder, batch)
    if not isinstance(chosen, Integrator):
        outcome: Outcome = DRIVERS[chosen](
            model, states_q, states_v, commanded, plan, springs, schedule, recording, recorder.complete, move, tolerance
        )
    elif size:
        outcome = follow_steps(
            chosen.serving(model, scenario), model, states_q, states_v, scenario, commanded, plan, schedule,
            recording, on_unsolved=on_unsolved, complete=recorder.complete, progress=move, batch=batch, threads=count,
        )  # fmt: skip
    else:
        outcome = Outcome(schedule.samples, False, None, 0, np.zeros((0, 0)), None)
    trajectory = made_trajectory(model, recording, outcome.samples, batch)
    if outcome.error is not None or outcome.failed is not None:
        raise failure(model, outcome, schedule, plan, batch, trajectory, on_unsolved) from outcome.error
    if outcome.interrupted:
        end = schedule.times[outcome.samples - 1] if outcome.samples else 0.0
        warnings.warn(f"simulate: interrupted; the trajectory ends at t = {end:.6g} s", SimulationWarning, stacklevel=2)
    return trajectory


def made_trajectory(model: Model, recording: Any, samples: int, batch: tuple[int, ...]) -> Trajectory:
    """The samples that are there, with the axes of the batch before those of the samples."""
    found: dict[str, Array] = {}
    for name, array in recording.result(samples).items():
        plain = array.view(np.ndarray)
        if name != "time":
            plain = np.moveaxis(plain.reshape(len(plain), *batch, *plain.shape[2:]), 0, len(batch))
        found[name] = plain
    if not found:
        found = {"time": np.zeros(0), "q": np.zeros((*batch, 0, model.nq)), "v": np.zeros((*batch, 0, model.nv))}
    parts: dict[str, Any] = {name: found.pop(name) for name in ("time", "q", "v", "a", "tau") if name in found}
    if "error" in found:
        found["error"] = found["error"][..., 0]
    return Trajectory(**parts, model=model, columns=found)


# ---------------------------------------------------------------------------------------------------------------- arguments


def check_states(model: Model, states: dict[str, Array]) -> None:
    """Refuse numbers that are not finite, and quaternions that are not of unit length."""
    with np.errstate(over="ignore"):
        lengths = [np.linalg.norm(states["q"][..., part], axis=-1) for part in model.quaternion_slices().values()]
    unit = all((np.abs(length - 1.0) <= UNIT).all() for length in lengths)
    if not unit or not all(np.isfinite(array).all() for array in states.values()):
        explain_inputs("simulate", model, {name: STANDARD[name] for name in states}, states)


def as_schedule(duration: Any, step: Any, every: Any) -> Schedule:
    """The steps and the samples."""
    time, h = seconds("simulate", "duration", duration), seconds("simulate", "step", step)
    if isinstance(every, bool) or not isinstance(every, (int, np.integer)):
        raise ArgumentTypeError(f"simulate: every is a {type(every).__name__}, expected a whole number of steps")
    if every < 1:
        raise ArgumentValueError(f"simulate: every is {shown(every)}, expected 1 or more steps")
    return Schedule(h, whole(time, h, "the duration", "step"), int(every))


def as_scenario(model: Model, springs: tuple[Element, ...], limits: Any) -> Array:
    """Elements and rows as the loop reads them."""
    if isinstance(limits, JointLimits):
        options = {name: getattr(limits, name) for name in ("restitution", "stiffness", "damping")}
        for name, values in options.items():
            if values.shape not in ((), (model.nv,)):
                raise ArgumentValueError(
                    f"simulate: {name} of limits has shape {values.shape}, expected a number or ({model.nv},)"
                )
        return pack_scenario(model, springs, options)
    if not isinstance(limits, (bool, np.bool_)):
        raise ArgumentTypeError(
            f"simulate: limits is a {type(limits).__name__}, expected JointLimits, True, False or None"
        )
    return pack_scenario(model, springs, {"limits": bool(limits)})


def as_wrenches(f_ext: Any) -> Any:
    """The wrenches as numbers, or their table."""
    return f_ext if f_ext is None or isinstance(f_ext, TimeTable) else finite("simulate", "f_ext", f_ext)


def spread(model: Model, name: str, array: Array, batch: tuple[int, ...]) -> Array:
    """A row for each state of the batch."""
    rows = as_rows(model, STANDARD[name], array, batch)
    states = math.prod(batch)
    return rows if len(rows) == states else np.broadcast_to(rows, (states, rows.shape[1]))


def as_progress(progress: Any, samples: int) -> Callable[[int], None]:
    """What is told how many samples have been added."""
    if progress is None or progress is False:
        return lambda count: None
    wrap = partial(progress_bar, unit="sample") if progress is True else progress
    if not callable(wrap):
        raise ArgumentTypeError(f"simulate: progress is a {type(progress).__name__}, expected a function, or True")
    numbers = wrap(range(samples))
    if not isinstance(numbers, Iterable) or getattr(numbers, "shape", None) == ():
        raise ArgumentTypeError(f"simulate: progress gave a {type(numbers).__name__}, expected what it was given")
    rest: Iterator[Any] = iter(numbers)
    told = [0]

    def move(count: int) -> None:
        told[0] += count
        for _ in itertools.islice(rest, count + (told[0] == samples)):  # behind the last one the bar goes away
            pass

    return move
