"""The way from what a user asks for to a trajectory, the same for all that moves: arguments, the loop, the recording."""

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
from pluecker.articulated.running.arguments import Array, as_floats, as_rows, as_threads, explain_inputs
from pluecker.articulated.running.fields import STANDARD
from pluecker.articulated.simulation.dynamics import Dynamics
from pluecker.articulated.simulation.failures import failure
from pluecker.articulated.simulation.integrators import DRIVERS
from pluecker.articulated.simulation.recorded import Recorder
from pluecker.articulated.simulation.recording import FileRecording, MemoryRecording, as_folder
from pluecker.articulated.simulation.smooth import as_tolerance
from pluecker.articulated.simulation.steps import Outcome, Schedule, follow_steps
from pluecker.articulated.simulation.trajectory import Trajectory
from pluecker.articulated.stepping.adaptive.adaptive import with_tolerance
from pluecker.articulated.stepping.control.control import TimeTable, as_control, finite, seconds
from pluecker.articulated.stepping.loop.control_signals import UNIT, ControlPlan, batch_of, plan_control, whole
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.extras import progress_bar

__all__ = ["follow_motion"]

UNSOLVED = ("raise", "continue", "substep")


def follow_motion(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    duration: float,
    step: float,
    choose: Callable[[tuple[Element, ...]], Dynamics],
    *,
    control: Any,
    f_ext: Any,
    elements: Element | Sequence[Element],
    record: str | Iterable[str],
    every: int,
    record_to: str | os.PathLike[str] | None,
    on_unsolved: str,
    tol: float,
    progress: Any,
    threads: int | None,
    begun: float = 0.0,
    stacklevel: int = 3,
    function: str = "simulate",
) -> tuple[Trajectory, Outcome]:
    """The motion of what ``choose`` says how it moves, from the elements; the rest is as for :func:`simulate`.

    Args:
        begun: when the motion begins, by which control and samples count; a whole number of steps and of control periods; s.
        stacklevel: of warnings.
        function: what the user called, for these.
    """
    if model.nv == 0:
        raise ArgumentValueError(f"simulate: model {model.name!r} has no joint that moves")
    states = {name: as_floats("simulate", model, STANDARD[name], value) for name, value in (("q", q), ("v", v))}
    check_states(model, states)
    schedule = as_schedule(duration, step, every, begun)
    commanded, wrenches, springs = as_control(control), as_wrenches(f_ext), as_elements("simulate", elements)
    if not isinstance(on_unsolved, str) or on_unsolved not in UNSOLVED:
        raise ArgumentValueError(
            f"simulate: on_unsolved is {shown(on_unsolved)}, expected one of {', '.join(UNSOLVED)}"
        )
    dynamics = choose(springs)
    count = as_threads("simulate", threads)
    before = dynamics.remembered.numbers
    shapes = {name: array.shape[:-1] for name, array in states.items()}
    batch = batch_of(model, commanded, wrenches, shapes | ({} if before is None else {"memory": before.shape[:-1]}))
    if dynamics.finish is not None:
        check_single(batch)
    plan = plan_control(model, commanded, wrenches, batch, schedule.step)
    if schedule.first:
        check_continued(plan, schedule)
    states_q, states_v = (spread(model, name, array, batch) for name, array in states.items())
    move = as_progress(progress, schedule.samples)
    tolerance = as_tolerance(tol)
    scenario = with_tolerance(dynamics.scenario, tolerance)
    marked = on_unsolved == "continue"
    recorder = Recorder(model, record, plan.signals, springs, dynamics, schedule.step, marked, count)
    folder = None if record_to is None else as_folder(record_to)
    size = math.prod(batch)
    if folder is None:
        recording: Any = MemoryRecording(schedule.samples, size, recorder.widths)
    else:
        recording = FileRecording(schedule.samples, size, recorder.widths, folder, batch)
    if not isinstance(dynamics.integrator, Integrator):
        outcome: Outcome = DRIVERS[dynamics.integrator](
            model, states_q, states_v, commanded, plan, springs, schedule, recording, recorder.complete, move, tolerance
        )
    elif size:
        outcome = follow_steps(
            dynamics.integrator, model, states_q, states_v, scenario, commanded, plan, schedule, recording,
            on_unsolved=on_unsolved, complete=recorder.complete, progress=move, batch=batch, threads=count,
            remembered=dynamics.remembered.spread(batch), finish=dynamics.finish,
        )  # fmt: skip
    else:
        outcome = Outcome(schedule.samples, False, None, 0, np.zeros((0, 0)), None)
    trajectory = made_trajectory(model, recording, outcome.samples, batch)
    if outcome.error is not None or outcome.failed is not None:
        trajectory = trajectory[: known_samples(trajectory)]
    if size and not len(trajectory):  # no force is known yet, but the state is
        q_begin, v_begin = (x.reshape(*batch, 1, x.shape[-1]).copy() for x in (states_q, states_v))
        trajectory = Trajectory(schedule.times_from(0, 1), q_begin, v_begin, model=model)
    if outcome.error is not None or outcome.failed is not None:
        raise failure(model, outcome, schedule, dynamics, batch, trajectory, on_unsolved) from outcome.error
    if outcome.interrupted:
        (end,) = schedule.times_from(max(outcome.samples - 1, 0), 1)
        said = f"{function}: interrupted; the trajectory ends at t = {end:.6g} s"
        warnings.warn(said, SimulationWarning, stacklevel=stacklevel)
    return trajectory, outcome


def made_trajectory(model: Model, recording: Any, samples: int, batch: tuple[int, ...]) -> Trajectory:
    """The samples that are there, with the axes of the batch before those of the samples."""
    found: dict[str, Array] = {}
    for name, array in recording.result(samples).items():
        plain = array.view(np.ndarray)
        if name != "time":
            plain = samples_behind(plain, batch)
        found[name] = plain
    if not found:
        found = {"time": np.zeros(0), "q": np.zeros((*batch, 0, model.nq)), "v": np.zeros((*batch, 0, model.nv))}
    parts: dict[str, Any] = {name: found.pop(name) for name in ("time", "q", "v", "a", "tau") if name in found}
    if "error" in found:
        found["error"] = found["error"][..., 0]
    return Trajectory(**parts, model=model, columns=found)


def samples_behind(array: Array, batch: tuple[int, ...]) -> Array:
    """From ``(samples, states, ...)`` to ``(..., samples, ...)``."""
    if not batch:
        return array[:, 0]
    return np.moveaxis(array.reshape(len(array), *batch, *array.shape[2:]), 0, len(batch))


def known_samples(trajectory: Trajectory) -> int:
    """How many there are before those at the end that hold what is no number, as where control gave none."""
    arrays = [x for x in (trajectory.q, trajectory.v, trajectory.a, trajectory.tau) if x is not None]
    count = len(trajectory)
    while count and not all(np.isfinite(x[..., count - 1, :]).all() for x in arrays):
        count -= 1
    return count


# ---------------------------------------------------------------------------------------------------------------- arguments


def check_single(batch: tuple[int, ...]) -> None:
    """Refuse what steps do not know that are not compiled as a whole."""
    if batch:
        raise ArgumentValueError(
            f"simulate: contacts that are found in each step are those of one state, and this is a batch of shape {batch}"
        )


def check_states(model: Model, states: dict[str, Array]) -> None:
    """Refuse numbers that are not finite, and quaternions that are not of unit length."""
    quaternions = (states["q"][..., part] for part in model.quaternion_slices().values())
    unit = all((np.abs(np.sqrt(np.einsum("...k,...k", p, p)) - 1.0) <= UNIT).all() for p in quaternions)
    if not unit or not all(np.isfinite(array).all() for array in states.values()):
        explain_inputs("simulate", model, {name: STANDARD[name] for name in states}, states)


def as_schedule(duration: Any, step: Any, every: Any, begun: float) -> Schedule:
    """The steps and the samples."""
    time, h = seconds("simulate", "duration", duration), seconds("simulate", "step", step)
    if isinstance(every, bool) or not isinstance(every, (int, np.integer)):
        raise ArgumentTypeError(f"simulate: every is a {type(every).__name__}, expected a whole number of steps")
    if every < 1:
        raise ArgumentValueError(f"simulate: every is {shown(every)}, expected 1 or more steps")
    steps = whole(time, h, "the duration", "step")
    return Schedule(h, steps, int(every), whole(begun, h, "the time of the memory", "step") if begun else 0)


def check_continued(plan: ControlPlan, schedule: Schedule) -> None:
    """Refuse to go on where control is between two looks at the state, or late."""
    when = f"simulate: the memory is of t = {schedule.first * schedule.step:.6g} s, and "
    if plan.delay:
        raise ArgumentValueError(f"{when}what the actuators have not done yet is in no memory; simulate in one go")
    if schedule.first % plan.period:
        raise ArgumentValueError(f"{when}that is no whole number of control periods")


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
