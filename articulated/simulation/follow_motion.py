"""From a prepared motion and its first states to a trajectory: the loop, the recording, and the handling of failures.

Simulations of which a part is of no use: Ctrl-C ends them with an exception instead of a shorter trajectory.
"""

from __future__ import annotations

import itertools
import math
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar, copy_context
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.errors import OutputError, SimulationWarning
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array, as_floats, as_rows, explain_inputs
from pluecker.articulated.running.fields import STANDARD
from pluecker.articulated.simulation.failures import failure, failures_in_batch, summary
from pluecker.articulated.simulation.preparation import Preparation
from pluecker.articulated.simulation.recording import FileRecording, MemoryRecording, Recording, as_folder
from pluecker.articulated.simulation.starts import as_outside_limits, warn_of_limits, within_limits
from pluecker.articulated.simulation.steps import Outcome, Schedule, follow_steps
from pluecker.articulated.stepping.loop.control_signals import UNIT
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError
from pluecker.spatial.extras import progress_bar

__all__ = ["Call", "follow_motion", "parts_are_refused", "whole"]


class Call(NamedTuple):
    """Call of a function that follows a motion.

    Attributes:
        function: its name.
        stacklevel: of warnings.
        continued: whether the state is not the user's, but that at the end of another motion.
    """

    function: str = "simulate"
    stacklevel: int = 4
    continued: bool = False


CALL = Call()


def follow_motion(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    prepare: Callable[[dict[str, tuple[int, ...]]], Preparation],
    *,
    record_to: str | os.PathLike[str] | None,
    progress: Any,
    outside_limits: str = "allow",
    call: Call = CALL,
) -> tuple[Trajectory, Outcome]:
    """Follow the motion from a state, prepared for the leading axes of q and v; the rest is as for :func:`simulate`.

    Args:
        outside_limits: what happens where q is beyond the limits of the dynamics.
        call: what the user called, for warnings.
    """
    if model.nv == 0:
        raise ArgumentValueError(f"simulate: model {model.name!r} has no joint that moves")
    outside = as_outside_limits(outside_limits)
    states = {name: as_floats("simulate", model, STANDARD[name], value) for name, value in (("q", q), ("v", v))}
    check_states(model, states)
    prepared = prepare({name: array.shape[:-1] for name, array in states.items()})
    batch, schedule, recorder, dynamics = prepared.batch, prepared.schedule, prepared.recorder, prepared.dynamics
    if dynamics.limits is not None:
        states["q"] = within_limits(model, states["q"], dynamics.limits, outside)
    known = None if call.continued else states["v"]
    warn_of_limits(model, known, prepared.control, call.stacklevel, call.function)
    states_q, states_v = (spread(model, name, array, batch) for name, array in states.items())
    move = as_progress(progress, schedule.samples)
    folder, size = None if record_to is None else as_folder(record_to), math.prod(batch)
    if folder is None:
        recording: Any = MemoryRecording(schedule.samples, size, recorder.widths)
    else:
        recording = FileRecording(schedule.samples, size, recorder.widths, folder, batch)
    complete = partial(recorder.complete, model)
    if prepared.steps is not None:
        numbers = dynamics.remembered.numbers
        if numbers is not None:  # a row for each state of the batch
            numbers = np.broadcast_to(numbers, (*batch, numbers.shape[-1])).reshape(size, numbers.shape[-1])
        x = prepared.steps.begin(states_q, states_v, numbers)
        outcome = follow_steps(
            prepared.steps, model, x, recording, complete=complete, progress=move, batch=batch, dynamics=dynamics
        )
    else:
        outcome = follow_nothing(schedule, recording, complete, move)
    if outcome.interrupted and parts_are_refused():
        raise KeyboardInterrupt
    try:
        trajectory = made_trajectory(model, recording, outcome.samples, batch)
    except OutputError as error:  # the last samples found no room
        outcome = replace(outcome, error=outcome.error or error)
        trajectory = made_trajectory(model, recording, recording.count, batch)
    if isinstance(outcome.error, OutputError):
        kept = f"the files hold the {len(trajectory)} samples before" if len(trajectory) else "no sample is kept"
        outcome = replace(outcome, error=OutputError(f"{outcome.error}; {kept}"))
    failures = failures_in_batch(model, outcome, prepared) if outcome.left else ()
    if failures:
        trajectory = trajectory.replace(failures=failures)
    if outcome.error is not None or outcome.failed is not None:
        trajectory = trajectory[: known_samples(trajectory)]
    if size and not len(trajectory):  # no force is known yet, but the state is
        q_begin, v_begin = (x.reshape(*batch, 1, x.shape[-1]).copy() for x in (states_q, states_v))
        trajectory = Trajectory(schedule.times_from(0, 1), q_begin, v_begin, model=model, failures=failures)
    if outcome.error is not None or outcome.failed is not None:
        raise failure(model, outcome, prepared, trajectory)
    if outcome.interrupted:
        (end,) = schedule.times_from(max(len(trajectory) - 1, 0), 1)
        said = f"{call.function}: interrupted; the trajectory ends at t = {end:.6g} s"
        warnings.warn(said, SimulationWarning, stacklevel=call.stacklevel)
    if failures:
        warnings.warn(summary(failures, call.function, size), SimulationWarning, stacklevel=call.stacklevel)
    return trajectory, outcome


def follow_nothing(
    schedule: Schedule, recording: Recording, complete: Callable[..., Any], move: Callable[[int], None]
) -> Outcome:
    """Record the samples of an empty batch, which have times and no states."""
    samples = 0
    while samples < schedule.samples:
        _, _, most = recording.room(samples, schedule.samples - samples)
        recording.written(samples, complete, schedule.times_from(samples, most))
        samples += most
    move(samples)
    return Outcome(samples, False, None, np.zeros((0, 0)), None)


def made_trajectory(model: Model, recording: Any, samples: int, batch: tuple[int, ...]) -> Trajectory:
    """Make a trajectory of the recorded samples, with the axes of the batch before that of the samples."""
    arrays = recording.result(samples)
    found = {name: array if name == "time" else samples_behind(array, batch) for name, array in arrays.items()}
    if not found:
        found = {"time": np.zeros(0), "q": np.zeros((*batch, 0, model.nq)), "v": np.zeros((*batch, 0, model.nv))}
    parts: dict[str, Any] = {name: found.pop(name) for name in ("time", "q", "v", "a", "tau") if name in found}
    for name in ("error", "divided"):
        if name in found:
            found[name] = found[name][..., 0]
    return Trajectory(**parts, model=model, columns=found)


def samples_behind(array: Array, batch: tuple[int, ...]) -> Array:
    """Move the axis of samples behind those of the batch: ``(samples, states, ...)`` to ``(..., samples, ...)``."""
    if not batch:
        return array[:, 0]
    return np.moveaxis(array.reshape(len(array), *batch, *array.shape[2:]), 0, len(batch))


def known_samples(trajectory: Trajectory) -> int:
    """Count the samples before the last ones that are not finite, as where control gave NaN; not of motions that failed."""
    arrays = [x for x in (trajectory.q, trajectory.v, trajectory.a, trajectory.tau) if x is not None]
    count, whole = len(trajectory), np.ones(trajectory.batch_shape, bool)
    for each in trajectory.failures:
        whole[each.state] = False
    while count and not all(np.isfinite(x[..., count - 1, :][whole]).all() for x in arrays):
        count -= 1
    return count


# ---------------------------------------------------------------------------------------------------------------- arguments


def check_states(model: Model, states: dict[str, Array]) -> None:
    """Refuse numbers that are not finite, and quaternions that are not of unit length."""
    q, v = states["q"], states["v"]
    good = np.isfinite(q).all() and np.isfinite(v).all()
    firsts = [part.start for part in model.quaternion_slices().values()]
    if firsts:
        four = q[..., np.add.outer(firsts, range(4))]
        good = good and (abs(np.sqrt(np.einsum("...k,...k", four, four)) - 1.0) <= UNIT).all()
    if not good:
        explain_inputs("simulate", model, {name: STANDARD[name] for name in states}, states)


def spread(model: Model, name: str, array: Array, batch: tuple[int, ...]) -> Array:
    """Return a row for each state of the batch."""
    rows = as_rows(model, STANDARD[name], array, batch)
    states = math.prod(batch)
    return rows if len(rows) == states else np.broadcast_to(rows, (states, rows.shape[1]))


def as_progress(progress: Any, samples: int) -> Callable[[int], None]:
    """Return a function that reports progress, to be called with the number of samples that have been added."""
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


# simulations of which a part is of no use: Ctrl-C ends them with an exception instead of a shorter trajectory


T = TypeVar("T")
_refused: ContextVar[bool] = ContextVar("refused", default=False)


def whole(function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Call a function whose simulations must run to their end, and return its result.

    Raises:
        KeyboardInterrupt: one was interrupted, which ``simulate`` would answer with a warning and what it has.
    """

    def call() -> T:
        _refused.set(True)
        return function(*arguments, **options)

    return copy_context().run(call)  # whatever ends it, it is over outside


def parts_are_refused() -> bool:
    """Return whether the caller has no use for an interrupted motion, see :func:`whole`."""
    return _refused.get()
