"""Preparation of simulations: all but the states at the beginning, checked, packed and described once.

Calls that differ in their states alone are many where a controller looks ahead: what they have in common takes half of the
time of a short one, and is kept with the model (:func:`kept_with`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pluecker.articulated.forces.elements import Element
from pluecker.articulated.forces.packing import as_elements
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_threads
from pluecker.articulated.simulation.dynamics import Dynamics
from pluecker.articulated.simulation.recorded import Recorder
from pluecker.articulated.simulation.smooth import as_tolerance
from pluecker.articulated.simulation.steps import Schedule, Steps
from pluecker.articulated.stepping.adaptive.adaptive import with_tolerance
from pluecker.articulated.stepping.control.control import Control, TimeTable, as_control, finite, seconds
from pluecker.articulated.stepping.loop.control_signals import ControlPlan, batch_of, plan_control, whole
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown

__all__ = ["Preparation", "kept_with", "prepare_motion"]

UNSOLVED = ("raise", "continue", "substep")
PLAIN = (float, int, str, bool, type(None))
MOST = 16  # preparations that a model keeps


@dataclass(frozen=True, eq=False)
class Preparation:
    """Preparation of a simulation: all but its states. It holds no model, so that a model may hold it.

    Attributes:
        batch: the leading axes that states, control and wrenches have in common.
        schedule: when.
        dynamics: how the mechanism moves.
        recorder: what is kept of it.
        on_unsolved: what happens to steps that are not solved.
        control: what moves the joints.
        steps: for the loop; None where there is no state.
    """

    batch: tuple[int, ...]
    schedule: Schedule
    dynamics: Dynamics
    recorder: Recorder
    on_unsolved: str
    control: Control
    steps: Steps | None


def kept_with(
    model: Model,
    arguments: tuple[Any, ...],
    shapes: tuple[tuple[int, ...], ...],
    make: Callable[[], Preparation],
) -> Preparation:
    """Return the preparation that the model keeps for these arguments and shapes, or a new one.

    Preparations from plain arguments are kept, and the oldest are forgotten if there are many.
    """
    if not all(map(is_plain, arguments)):
        return make()
    known: dict[Hashable, Preparation] = model.tables.setdefault(kept_with, {})
    key = arguments, tuple(map(type, arguments)), shapes  # 1, 1.0 and True are equal
    found = known.get(key)
    if found is None:
        found = make()
        if len(known) >= MOST:
            known.pop(next(iter(known.copy())), None)  # another thread may have taken it
        known[key] = found
    return found


def is_plain(argument: Any) -> bool:
    """Return whether an argument is a number, a string, None or a tuple of strings: value and type identify it then."""
    if type(argument) is tuple:
        return all(type(each) is str for each in argument)
    return type(argument) in PLAIN


def prepare_motion(
    model: Model,
    shapes: dict[str, tuple[int, ...]],
    duration: float,
    step: float,
    choose: Callable[[tuple[Element, ...]], Dynamics],
    *,
    control: Any,
    f_ext: Any,
    elements: Element | Sequence[Element],
    record: str | Iterable[str],
    every: int,
    on_unsolved: str,
    tol: float,
    threads: int | None,
    begun: float = 0.0,
) -> Preparation:
    """Prepare a motion with the dynamics that ``choose`` makes from the elements; the rest is as for :func:`simulate`.

    Args:
        shapes: the leading axes of q and of v.
        begun: when the motion begins, by which control and samples count; a whole number of steps and of control periods; s.
    """
    schedule = as_schedule(duration, step, every, begun)
    commanded, wrenches, springs = as_control(control), as_wrenches(f_ext), as_elements("simulate", elements)
    if not isinstance(on_unsolved, str) or on_unsolved not in UNSOLVED:
        raise ArgumentValueError(
            f"simulate: on_unsolved is {shown(on_unsolved)}, expected one of {', '.join(UNSOLVED)}"
        )
    dynamics = choose(springs)
    count, before = as_threads("simulate", threads), dynamics.remembered.numbers
    batch = batch_of(model, commanded, wrenches, shapes | ({} if before is None else {"memory": before.shape[:-1]}))
    if dynamics.finish is not None:
        check_single(batch)
    plan = plan_control(model, commanded, wrenches, batch, schedule.step)
    if schedule.first:
        check_continued(plan, schedule)
    scenario = with_tolerance(dynamics.scenario, as_tolerance(tol))
    marked, size = on_unsolved == "continue", math.prod(batch)
    recorder = Recorder(model, record, plan.signals, springs, dynamics, schedule.step, marked, count)
    steps = None
    if size:
        steps = Steps.of_simulation(
            dynamics.integrator,
            model,
            scenario,
            commanded,
            plan,
            schedule,
            on_unsolved,
            size,
            count,
            dynamics.remembered,
        )
    return Preparation(batch, schedule, dynamics, recorder, on_unsolved, commanded, steps)


def check_single(batch: tuple[int, ...]) -> None:
    """Refuse what steps do not know that are not compiled as a whole."""
    if batch:
        raise ArgumentValueError(
            f"simulate: contacts that are found in each step are those of one state, and this is a batch of shape {batch}"
        )


def as_schedule(duration: Any, step: Any, every: Any, begun: float) -> Schedule:
    """The steps and the samples."""
    time, h = seconds("simulate", "duration", duration), seconds("simulate", "step", step)
    if isinstance(every, bool) or not isinstance(every, (int, np.integer)):
        raise ArgumentTypeError(f"simulate: every is a {type(every).__name__}, expected a whole number of steps")
    if every < 1:
        raise ArgumentValueError(f"simulate: every is {shown(every)}, expected 1 or more steps")
    steps = whole(time, h, "the duration", "step")
    every = min(int(every), max(steps, 1))  # what is more gives the same two samples
    return Schedule(h, steps, every, whole(begun, h, "the time of the memory", "step") if begun else 0)


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
