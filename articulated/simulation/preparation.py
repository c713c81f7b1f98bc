"""Preparation of simulations: all but the states at the beginning, checked, packed and described once.

Calls that differ in their states alone are many where a controller looks ahead: what they have in common takes half of the
time of a short one, and is kept with the model (:func:`kept_with`).

Recorded quantities besides q and v: filled by the loop, or computed from q and v afterwards, as a batch.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.algorithms.dynamics.kinetic_energy import kinetic_energy
from pluecker.articulated.algorithms.dynamics.potential_energy import potential_energy
from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.algorithms.momentum.center_of_mass import center_of_mass
from pluecker.articulated.algorithms.momentum.momentum import momentum
from pluecker.articulated.forces.applied_forces import applied_forces
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.forces.packing import as_elements
from pluecker.articulated.model.model import Model, listing
from pluecker.articulated.running.arguments import Array, as_threads
from pluecker.articulated.simulation.dynamics import Dynamics
from pluecker.articulated.simulation.smooth import as_tolerance
from pluecker.articulated.simulation.steps import RECORDED, Request, Schedule, Steps
from pluecker.articulated.stepping.adaptive.adaptive import with_tolerance
from pluecker.articulated.stepping.control.control import Control, TimeTable, as_control, finite, seconds
from pluecker.articulated.stepping.control.control_law import WRENCH
from pluecker.articulated.stepping.loop.control_signals import ControlPlan, batch_of, plan_control, whole
from pluecker.articulated.stepping.loop.signal import Signal
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError, UnknownNameError, shown

__all__ = ["Options", "Preparation", "Recorder", "kept_with", "prepare_motion"]

UNSOLVED = ("raise", "continue", "substep")
PLAIN = (float, int, str, bool, type(None))
MOST_KEPT = 16  # preparations that a model keeps


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
        if len(known) >= MOST_KEPT:
            known.pop(next(iter(known.copy())), None)  # another thread may have taken it
        known[key] = found
    return found


def is_plain(argument: Any) -> bool:
    """Return whether an argument is a number, a string, None or a tuple of strings: value and type identify it then."""
    if type(argument) is tuple:
        return all(type(each) is str for each in argument)
    return type(argument) in PLAIN


class Options(NamedTuple):
    """Options of a motion that neither its states nor its integrator depend on, as of :func:`simulate`."""

    control: Any
    f_ext: Any
    elements: Any
    record: Any
    every: Any
    on_unsolved: Any
    tol: Any
    threads: int | None


def prepare_motion(
    model: Model,
    shapes: dict[str, tuple[int, ...]],
    duration: float,
    step: float,
    choose: Callable[[tuple[Element, ...]], Dynamics],
    options: Options,
    begun: float = 0.0,
) -> Preparation:
    """Prepare a motion with the dynamics that ``choose`` makes from the elements; the rest is as for :func:`simulate`.

    Args:
        shapes: the leading axes of q and of v.
        begun: when the motion begins, by which control and samples count; a whole number of steps and of control periods; s.
    """
    on_unsolved, schedule = options.on_unsolved, as_schedule(duration, step, options.every, begun)
    commanded, wrenches = as_control(options.control), as_wrenches(options.f_ext)
    springs = as_elements("simulate", options.elements)
    if not isinstance(on_unsolved, str) or on_unsolved not in UNSOLVED:
        raise ArgumentValueError(
            f"simulate: on_unsolved is {shown(on_unsolved)}, expected one of {', '.join(UNSOLVED)}"
        )
    dynamics = choose(springs)
    count, before = as_threads("simulate", options.threads), dynamics.remembered.numbers
    batch = batch_of(model, commanded, wrenches, shapes | ({} if before is None else {"memory": before.shape[:-1]}))
    plan = plan_control(model, commanded, wrenches, batch, schedule.step)
    if schedule.first:
        check_continued(plan, schedule)
    scenario = with_tolerance(dynamics.scenario, as_tolerance(options.tol))
    size = math.prod(batch)
    recorder = Recorder(model, options.record, plan.signals, springs, dynamics, schedule.step, on_unsolved, count)
    steps = None
    if size:
        request = Request(commanded, plan, schedule, on_unsolved)
        steps = Steps.of_simulation(dynamics, model, scenario, request, size, count)
    return Preparation(batch, schedule, dynamics, recorder, on_unsolved, commanded, steps)


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


# recorded quantities besides q and v: filled by the loop, or computed from q and v afterwards, as a batch


Block = Mapping[str, Array]


class Recorder:
    """Choice of the quantities to keep of a simulation, independent of its states at the beginning.

    Attributes:
        widths: of the arrays that the loop fills, zero for those that are not wanted.
    """

    def __init__(
        self,
        model: Model,
        record: Any,
        signals: Sequence[Signal],
        elements: Sequence[Element],
        dynamics: Dynamics,
        step: float,
        on_unsolved: str,
        threads: int,
    ) -> None:
        self.elements, self.threads, self.wrench = tuple(elements), threads, signals[WRENCH]
        self.dynamics, self.step = dynamics, step
        self.names = as_names(model, record, dynamics.constrained)
        forces, by_loop = "constraint_forces" in self.names, dynamics.by_loop
        wanted = {
            "q": model.nq,
            "v": model.nv,
            "tau": model.nv if {"tau", "a", "constraint_forces"} & self.names else 0,
            "a": model.nv if "a" in self.names and by_loop else 0,
            "error": 1 if on_unsolved == "continue" or "error" in self.names else 0,
            "constraint_forces": dynamics.remembered.impulses if forces and by_loop else 0,
            "divided": 1 if on_unsolved == "substep" else 0,
        }
        self.widths = {name: wanted[name] for name in RECORDED}

    def complete(self, model: Model, block: Block) -> dict[str, Array]:
        """Compute what follows from q, v and the joint forces of samples; arrays ``(samples, states, ...)``."""
        names, many = self.names, self.threads
        if not names:
            return {}
        q, v = block["q"], block["v"]
        found: dict[str, Array] = {}
        if "constraint_forces" in block:  # impulses of the loop
            found["constraint_forces"] = block["constraint_forces"][..., self.dynamics.remembered.order] / self.step
        elif {"a", "constraint_forces"} & names and not self.dynamics.by_loop:
            found |= self.at_instants(model, block["time"], q, v, block["tau"])
        if "energy" in names:
            found["kinetic_energy"] = of_each(lambda q, v: kinetic_energy(model, q, v, threads=many), q, v)
            found["potential_energy"] = of_each(partial(self.stored_energy, model), q, v)
        if "momentum" in names:
            found["momentum"] = of_each(lambda q, v: momentum(model, q, v, threads=many), q, v)
        if "center_of_mass" in names:
            found["center_of_mass"] = of_each(lambda q: center_of_mass(model, q, threads=many), q)
        frames = [name for name in model.frame_names if name in names and name not in QUANTITIES]
        if frames:
            placements = of_each(lambda q: forward_kinematics(model, q, frames, threads=many), q)
            found |= {name: np.ascontiguousarray(placements[..., k, :, :]) for k, name in enumerate(frames)}
        return found

    def at_instants(self, model: Model, time: Array, q: Array, v: Array, tau: Array) -> dict[str, Array]:
        """Compute accelerations and constraint forces at the samples, from what acts there."""
        nv = model.nv
        both = of_each(partial(self.acceleration, model), time, q, v, tau)
        found = {"a": both[..., :nv], "constraint_forces": both[..., nv:]}
        return {name: np.ascontiguousarray(x) for name, x in found.items() if name in self.names}

    def acceleration(self, model: Model, time: Array, q: Array, v: Array, tau: Array) -> Array:
        """Compute accelerations, followed on the last axis by constraint forces."""
        wrenches = self.wrench.at(time).reshape(len(q), -1, model.n_bodies, 6)
        if self.elements:
            wrenches = wrenches + applied_forces(model, self.elements, q, v, threads=self.threads).wrenches
        return self.dynamics.acceleration(model, time, q, v, tau, wrenches, self.threads)

    def stored_energy(self, model: Model, q: Array, v: Array) -> Array:
        """Compute the potential energy of gravity, of the joints' springs and of elements."""
        found = potential_energy(model, q, threads=self.threads)
        return found + applied_forces(model, self.elements, q, v).energy if self.elements else found


def of_each(function: Callable[..., Array], *samples: Array) -> Array:
    """Compute a result for each sample of each state; NaN where it fails.

    It fails at the end of a motion that grows without bounds, and behind that of one that failed in a batch, whose samples
    are NaN. Others of the batch do not notice: in place of what fails they are given a state that does not.
    """
    try:
        return function(*samples)
    except PlueckerError:
        pass
    states = [x for x in samples if x.ndim > 1]  # time is that of all states
    bad = ~np.all([np.isfinite(x).all(axis=-1) for x in states], axis=0)
    if bad.any() and not bad.all():
        good = tuple(np.argwhere(~bad)[0])
        samples = tuple(np.where(bad[..., None], x[good], x) if x.ndim > 1 else x for x in samples)
        try:
            found = function(*samples)
        except PlueckerError:
            pass
        else:
            found[bad] = np.nan
            return found
    known, results = None, dict[tuple[int, int], Array]()
    for k, j in np.argwhere(~bad).tolist():  # one by one, as if all states of the batch were this one
        one = (np.repeat(x[k : k + 1, j : j + 1], x.shape[1], axis=1) if x.ndim > 1 else x[k : k + 1] for x in samples)
        with contextlib.suppress(PlueckerError):
            known = results[k, j] = function(*one)[0, j]
    if known is None:
        return np.full(samples[-1].shape, np.nan)
    all_of_them = np.full((*bad.shape, *known.shape), np.nan)
    for place, result in results.items():
        all_of_them[place] = result
    return all_of_them


QUANTITIES = ("a", "tau", "energy", "momentum", "center_of_mass", "error")
TAKEN = (
    "time",
    "q",
    "v",
    "kinetic_energy",
    "potential_energy",
    "found_contacts",
    "divided",
)  # by what is recorded besides


def as_names(model: Model, record: Any, constrained: bool) -> frozenset[str]:
    """Check the names of what to record: quantities, and frames of the model."""
    known = (*QUANTITIES, "constraint_forces") if constrained else QUANTITIES
    if isinstance(record, str):
        record = (record,)
    if not isinstance(record, Iterable) or getattr(record, "shape", None) == ():
        raise ArgumentTypeError(f"simulate: record is a {type(record).__name__}, expected names")
    names = tuple(record)
    for name in names:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"simulate: record has a {type(name).__name__} in it, expected names")
        if name not in known and name not in model.frame_names:
            raise UnknownNameError(
                f"simulate: {shown(name)} cannot be recorded, expected {', '.join(known)}, or a frame: "
                f"{listing(model.frame_names)}"
            )
        if name in TAKEN:
            raise ArgumentValueError(
                f"simulate: frame {name!r} cannot be recorded: a trajectory has something else of that name; add_frame "
                "gives the place another one"
            )
    return frozenset(names)
