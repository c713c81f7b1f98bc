"""Motions of a world, by the loop over steps that serves all mechanisms."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pluecker.articulated.errors import LimitWarning, OutputError, SimulationError
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.forces.packing import as_elements
from pluecker.articulated.running.arguments import Array, as_floats, batch_shape, explain_inputs
from pluecker.articulated.running.fields import STANDARD
from pluecker.articulated.simulation.dynamics import Dynamics
from pluecker.articulated.simulation.follow_motion import Call, check_states, follow_motion
from pluecker.articulated.simulation.preparation import Options, prepare_motion
from pluecker.articulated.simulation.starts import as_outside_limits, exceeded, hard_limits, within_limits
from pluecker.articulated.simulation.steps import Outcome
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.trajectory.samples import MotionFailure
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.contact.arguments import can_be_listed
from pluecker.contact.constraints.checks import plain_number, positive
from pluecker.contact.errors import ConstraintError, MemoryWarning
from pluecker.contact.found.layout import REMEMBERED
from pluecker.contact.found.motion import FoundMotion, Look, touch_of
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.contact.mechanisms.errors_at import as_on_open, refuse_open_start
from pluecker.contact.mechanisms.instants import times_of_singular_positions
from pluecker.contact.mechanisms.running import called, levels_outside, run
from pluecker.contact.world.contact_forces import ContactForces
from pluecker.contact.world.contact_samples import (
    ContactsOfConstraints,
    FiledTouches,
    contacts_of,
    forces_found,
    joined_contacts,
    with_touches,
)
from pluecker.contact.world.integrators import (
    SEMI_IMPLICIT,
    dynamics_with_contacts,
    refuse_lost_turns,
    scenario_with_plan,
    world_dynamics,
    world_scenario,
)
from pluecker.contact.world.memory import (
    TURNS,
    WorldMemory,
    WorldState,
    key_of,
    memory_of_state,
    own_with_contacts,
    plan_of,
)
from pluecker.contact.world.overlays import connections_of, elements_of, overlays_of
from pluecker.contact.world.single_step import take_one_step
from pluecker.spatial.errors import ArgumentTypeError, EntryIndexError, shown
from pluecker.spatial.properties import cached_property

__all__ = ["WorldStep", "WorldTrajectory", "simulate_world", "start_world", "step_world"]

Stepping = Integrator | FoundMotion  # what made the steps of a motion


class WorldStep(WorldState):
    """State after a step, as a tuple of three, and the contacts of the step.

    Attributes:
        q, v: ``(..., nq)`` and ``(..., nv)``.
        memory: for the next step.
        find_contacts: what computes :attr:`contacts`, when these are asked for.
        failures: the states of a batch from which there is no step, whose q and v are NaN; the others went on.
        divided: whether the step was divided because it was not solved, ``(...)``.
    """

    find_contacts: Callable[[], ContactForces] | None = None
    failures: tuple[MotionFailure, ...] = ()
    divided: Any = False

    @property
    def contacts(self) -> ContactForces:
        """Contacts of the step, with their forces.

        Raises:
            ConstraintError: a batch was stepped; step one state.
        """
        if self.q.ndim != 1 or self.find_contacts is None:
            raise ConstraintError(f"WorldStep.contacts: there are those of one state, not of {self.q.shape[:-1]}")
        return self.find_contacts()


@dataclass(frozen=True, eq=False, repr=False)
class WorldTrajectory(Trajectory):
    """Motion of a world; its parts are plain trajectories, and so is what is read from a file.

    A file has the samples and the columns. Who goes on from it, bit for bit, saves :attr:`memory` beside it.

    Attributes:
        memory: what the world remembers at the end, from which another simulation goes on; None where it came to none.
        contacts: of each sample; none where ``"constraint_forces"`` is not recorded, and of batches.
        find_singular: what computes :attr:`singular_times`, when these are asked for.
    """

    memory: WorldMemory | None = None
    contacts: Sequence[ContactForces] | None = None
    find_singular: Callable[[Trajectory], Array] | None = None

    @property
    def state(self) -> WorldState:
        """State at the end, from which :meth:`World.step` and :meth:`World.simulate` go on.

        Raises:
            ConstraintError: there is no memory: the motion was interrupted, or comes from a file, or is a part of another.
        """
        if self.memory is None or self.q is None or self.v is None:
            raise ConstraintError(
                "WorldTrajectory.state: there is no memory of the end: begin anew, by World.start of a sample's q and v"
            )
        return WorldState(self.q[..., -1, :].copy(), self.v[..., -1, :].copy(), self.memory)

    @cached_property
    def singular_times(self) -> Array:
        """When the motion was in a singular position, ``(k,)``, at samples or between them; s.

        There rows that are independent elsewhere on the motion say the same, and motions of another kind branch off. They
        are looked for when they are asked for: whatever the integrator, in the samples and in the cubic curves between them.

        Raises:
            ConstraintError: a batch; ask for one motion.
        """
        if self.batch_shape or self.find_singular is None:
            raise ConstraintError(
                f"WorldTrajectory.singular_times: there are those of one motion, not of {self.batch_shape}"
            )
        return self.find_singular(self)

    def contacts_at(self, sample: int) -> ContactForces:
        """Return the contacts at a sample: where, with which slip, and with which forces in the step that begins there.

        Args:
            sample: its number, also from the end; of the last one the forces are those of the step before.

        Raises:
            ConstraintError: forces were not recorded, or those of a batch.
            TypeError: the sample is no number.
            IndexError: there is no such sample.
        """
        if isinstance(sample, bool) or not isinstance(sample, (int, np.integer)):
            raise ArgumentTypeError(f"WorldTrajectory.contacts_at: sample is {shown(sample)}, expected a whole number")
        if self.contacts is None:
            cure = "choose record='constraint_forces', and one motion"
            raise ConstraintError(f"WorldTrajectory.contacts_at: the contacts are not recorded; {cure}")
        if not -len(self) <= sample < len(self):
            raise EntryIndexError(f"WorldTrajectory.contacts_at: there is no sample {sample}, there are {len(self)}")
        return self.contacts[sample]


@called("World.start")
def start_world(world: Constrained, q: Any, v: Any, time: float, on_open: str, outside_limits: str) -> WorldState:
    """Compute what ``World.start`` returns."""
    model, packed = world.model, world.packed
    q, time = begun_within_limits(world, q, None, outside_limits), plain_number("World.start", "time", time)
    if not 0.0 <= time < np.inf:
        raise ConstraintError(f"World.start: time is {time:g}, expected a number that is not below 0; s")
    given = {"q": q, "v": np.zeros(model.nv) if v is None else v}
    states = {name: as_floats("World.start", model, STANDARD[name], x) for name, x in given.items()}
    batch = batch_shape("World.start", model, {name: STANDARD[name] for name in states}, states)
    check_states(model, states)
    refuse_lost_turns(world, states["q"])
    refuse_open_start(world, states["q"], time, as_on_open(on_open))
    fast = exceeded(model, "begins at", states["v"], model.velocity_limit, "velocity_limit", "no step keeps it")
    if fast:
        warnings.warn(f"World.start: {fast}", LimitWarning, stacklevel=levels_outside())
    q, v = (np.broadcast_to(x, (*batch, x.shape[-1])).copy() for x in states.values())
    turns = run(world, TURNS, (q,)) if packed.n_turns else np.zeros((*batch, 0))
    if batch:
        impulses, rates = (np.zeros((*batch, n)) for n in (packed.n_rows, packed.n_rotors))
        return WorldState(q, v, WorldMemory(world.once(key_of), time, turns, impulses, SEMI_IMPLICIT, rates))
    still = np.zeros(packed.n_rows + packed.n_rotors + (world.found_contacts is not None))
    return WorldState(q, v, memory_of_state(world, np.concatenate([[time], turns, still]), SEMI_IMPLICIT))


@called("World.step")
def step_world(
    world: Constrained,
    q: Any,
    v: Any,
    step: Any,
    tau: Any,
    f_ext: Any,
    on_open: str,
    memory: Any,
    outside_limits: str,
) -> WorldStep:
    """Compute what ``World.step`` returns."""
    q, v, step, memory = as_parts("World.step", q, (v, step), memory, "step")
    step = positive("World.step", "step", step)
    if memory is None:
        warn_of_lost_memory(world, q, v, "World.step")
    q = begun_within_limits(world, q, memory, outside_limits)
    if f_ext is None and on_open == "raise":
        taken = take_one_step(world, q, v, step, tau, memory)
        if taken is not None:
            after = WorldStep(*taken[:3])
            after.find_contacts = partial(contacts_behind, world, np.array(q, np.float64), after, taken.look, step)
            keep_in_view(world, after)
            return after
    if tau is not None:
        tau = as_floats("World.step", world.model, STANDARD["tau"], tau)
        if not np.isfinite(tau).all():
            explain_inputs("World.step", world.model, {"tau": STANDARD["tau"]}, {"tau": tau})
    options = {
        "control": tau, "f_ext": f_ext, "elements": (), "record": (), "every": 1, "record_to": None,
        "on_unsolved": "substep", "on_open": on_open, "tol": 1e-9, "progress": None, "threads": None,
        "function": "World.step",
    }  # fmt: skip
    found, outcome, chosen = follow(world, q, v, step, step, SEMI_IMPLICIT, memory, 0.0, options)
    assert found.q is not None
    assert found.v is not None
    if outcome.interrupted:
        raise KeyboardInterrupt
    own = memory_at_end(world, outcome, chosen, SEMI_IMPLICIT, found.batch_shape)
    after = WorldStep(found.q[..., -1, :].copy(), found.v[..., -1, :].copy(), own)
    after.failures, after.divided = found.failures, found.columns["divided"][..., -1] > 1.0
    look = chosen.look if isinstance(chosen, FoundMotion) else None
    after.find_contacts = partial(contacts_behind, world, np.array(q, dtype=np.float64), after, look, step)
    keep_in_view(world, after)
    return after


@called("World.simulate")
def simulate_world(
    world: Constrained,
    q: Any,
    v: Any,
    duration: Any,
    step: Any,
    integrator: str,
    elements: Any,
    memory: Any,
    outside_limits: str,
    options: dict[str, Any],
) -> WorldTrajectory:
    """Compute what ``World.simulate`` returns; ``options`` are its other arguments by name."""
    q, v, duration, step, memory = as_parts("World.simulate", q, (v, duration, step), memory, "duration, step")
    if memory is None:
        warn_of_lost_memory(world, q, v, "World.simulate")
    q = begun_within_limits(world, q, memory, outside_limits)
    begun = memory.time if isinstance(memory, WorldMemory) else 0.0
    elements = as_elements("simulate", elements)
    options = {**options, "elements": elements, "function": "World.simulate"}
    found, outcome, chosen = follow(world, q, v, duration, step, integrator, memory, begun, options)
    whole = outcome.error is None and outcome.failed is None and not outcome.interrupted and found.q is not None
    own = memory_at_end(world, outcome, chosen, integrator, found.batch_shape) if whole and len(found) else None
    parts = {name: getattr(found, name) for name in ("time", "q", "v", "a", "tau", "model", "columns", "failures")}
    if isinstance(chosen, FoundMotion) and chosen.every:
        try:
            parts["columns"] = with_touches(world, found, chosen)
        except OutputError as error:
            end = float(found.time[-1]) if found.time is not None and len(found) else begun
            raise SimulationError(f"{error}; the other files hold all {len(found)} samples", found, end) from None
        found = found.replace(columns=parts["columns"])
    springs, singular = elements_of(elements), partial(times_of_singular_positions, world)
    if "constraint_forces" not in found.columns or found.batch_shape:
        return WorldTrajectory(
            **parts, overlays=(*world.once(connections_of), *springs), memory=own, find_singular=singular
        )
    contacts, overlays = contacts_of(world, found), (*overlays_of(world, found), *springs)
    return WorldTrajectory(**parts, overlays=overlays, memory=own, contacts=contacts, find_singular=singular)


def begun_within_limits(world: Constrained, q: Any, memory: Any, outside_limits: Any) -> Any:
    """Return the configuration from which a motion begins; what goes on from a memory begins where it is."""
    outside = as_outside_limits(outside_limits)
    if memory is not None or not world.limits:
        return q
    array = as_floats("simulate", world.model, STANDARD["q"], q)
    if not np.isfinite(array).all():
        return array  # which is refused as such
    return within_limits(world.model, array, hard_limits(world.model), outside)


def as_parts(function: str, q: Any, rest: tuple[Any, ...], memory: Any, names: str) -> tuple[Any, ...]:
    """Return q, v, the arguments behind them, and the memory, whether a state comes first or q and v.

    Args:
        function: that is called.
        q: configuration, or a state.
        rest: v and the arguments behind it, as they came: with a state, these begin in the place of v.
        memory: beside q and v.
        names: of the arguments behind v, for the message.

    Raises:
        ArgumentTypeError: too few or too many arguments, a memory beside a state.
    """
    if not isinstance(q, WorldState):
        if any(x is None for x in rest):
            raise ArgumentTypeError(f"{function}: an argument is missing, expected q, v, {names}, or a state, {names}")
        return q, *rest, memory
    behind = [x for x in rest if x is not None]
    if len(behind) != len(rest) - 1:
        raise ArgumentTypeError(f"{function}: a state and {len(behind)} arguments came, expected a state, {names}")
    if memory is not None:
        raise ArgumentTypeError(f"{function}: a state and a memory came, expected one of them: a state has its memory")
    return q.q, q.v, *behind, q.memory


def contacts_behind(world: Constrained, q: Array, after: WorldStep, look: Look | None, step: float) -> ContactForces:
    """Describe the contacts in a step of one state from q: those of constraints, and behind them those that were found."""
    found = None if look is None else forces_found(world, q, touch_of(look))
    if found is not None and not world.packed.n_contacts:
        return found
    before = q if world.packed.n_slots else after.q  # shapes touch where they did as it began
    forces = after.memory.impulses / step
    of_rows: ContactForces = ContactsOfConstraints(world, before[None], after.v[None], forces[None], after.q[None])[0]
    return of_rows if found is None else joined_contacts(of_rows, found)


def follow(
    world: Constrained,
    q: Any,
    v: Any,
    duration: float,
    step: float,
    integrator: Any,
    memory: Any,
    begun: float,
    options: Any,
) -> tuple[Trajectory, Outcome, Stepping]:
    """Follow the motion; return it, how far it came, and what stepped it."""
    used: list[Stepping] = []
    on_open = as_on_open(options.pop("on_open"))

    def choose(springs: tuple[Element, ...]) -> Dynamics:
        if world.found_contacts is None:
            dynamics = world_dynamics(world, q, springs, integrator, memory, begun)
            used.append(dynamics.integrator)
        else:
            single = np.ndim(q) < 2 and np.ndim(v) < 2  # the threads of a batch are those of its states
            motion = FoundMotion(
                world.once(plan_of), partial(scenario_with_plan, world, springs), wanted.threads if single else 1
            )
            record = wanted.record
            names = (record,) if isinstance(record, str) else tuple(record) if can_be_listed(record) else ()
            if "constraint_forces" in names and single:
                motion.every = int(wanted.every)
            if own["record_to"] is not None:
                motion.kept = FiledTouches(own["record_to"])
            watched = single and (motion.every > 0 or call.function == "World.step")
            dynamics = dynamics_with_contacts(world, q, springs, integrator, memory, begun, motion, watched)
            used.append(motion)
        if memory is None:  # with one, the state is the end of a motion
            refuse_open_start(world, q, begun, on_open)
        return dynamics

    own = {name: options.pop(name) for name in ("record_to", "progress")}
    call = Call(options.pop("function"), stacklevel=levels_outside() + 1, continued=memory is not None)
    wanted = Options(**options)

    def prepare(shapes: Any) -> Any:
        return prepare_motion(world.model, shapes, duration, step, choose, wanted, begun)

    trajectory, outcome = follow_motion(world.model, q, v, prepare, call=call, **own)
    return trajectory, outcome, used[0]


def memory_at_end(
    world: Constrained, outcome: Outcome, integrator: Stepping, name: str, batch: tuple[int, ...]
) -> WorldMemory:
    """Make the memory from the numbers with which the loop ended."""
    n_turns, n_rows, found = world.packed.n_turns, world.packed.n_rows, isinstance(integrator, FoundMotion)
    if isinstance(integrator, FoundMotion):
        kept = 2 + n_turns + n_rows + world.packed.n_rotors + REMEMBERED * integrator.outside.room.contacts
    else:
        kept = integrator.memory(world.model, world_scenario(world))
    if not batch:
        return memory_of_state(world, outcome.x[0, outcome.x.shape[1] - kept :], name)
    numbers = outcome.x[:, outcome.x.shape[1] - kept :].reshape(*batch, kept).copy()
    time = float(numbers[..., 0].max(initial=0.0))  # of a motion that failed it is that of its last step
    impulses = numbers[..., 1 + n_turns : 1 + n_turns + n_rows][..., world.packed.place]
    own = numbers[..., 1 + n_turns + n_rows :]
    if found:
        own = own_with_contacts(own, world.packed.n_rotors)
    return WorldMemory(world.once(key_of), time, numbers[..., 1 : 1 + n_turns], impulses, name, own)


# ----------------------------------------------------------------------------------------------- memories that were left out


def keep_in_view(world: Constrained, after: WorldState) -> None:
    """Remember which arrays a step gave, where the next one needs what else it gave."""
    if world.once(has_more_than_impulses):
        world.tables[keep_in_view] = weakref.ref(after.q), weakref.ref(after.v), after.memory


def has_more_than_impulses(world: Constrained) -> bool:
    """Return whether memories hold what makes another motion if it is lost: a time, turns, rates of rotors."""
    return bool(follows_time(world) or world.packed.n_turns or world.packed.n_rotors)


def follows_time(world: Constrained) -> bool:
    """Return whether a row is to be somewhere over time."""
    return any(row.motion is not None or (row.holonomic and not row.ranged) for _, row in world.prescribed)


def warn_of_lost_memory(world: Constrained, q: Any, v: Any, function: str) -> None:
    """Warn of a start without memory from the very arrays that the last step gave, if it is known to make another motion."""
    kept = world.tables.get(keep_in_view)
    if kept is None or kept[0]() is not q or kept[1]() is not v:
        return
    memory: WorldMemory = kept[2]
    lost = [f"the time, {memory.time:.6g} s"] if follows_time(world) and memory.time > 0.0 else []
    if (np.abs(memory.turns) > np.pi).any():
        lost.append("turns of angles")
    if memory.own[..., : world.packed.n_rotors].any():
        lost.append("rates of rotors")
    if lost:
        warnings.warn(
            f"{function}: q and v are those of the step before, whose memory was left out, and with it "
            f"{' and '.join(lost)}: this begins a motion anew; hand on the state, world.step(state, h), or memory=",
            MemoryWarning,
            stacklevel=levels_outside(),
        )
