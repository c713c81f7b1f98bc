"""Motions of a world, by the loop over steps that serves all mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pluecker.articulated.errors import OutputError, SimulationError
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.forces.packing import as_elements
from pluecker.articulated.running.arguments import Array, as_floats
from pluecker.articulated.running.fields import STANDARD
from pluecker.articulated.simulation.dynamics import Dynamics
from pluecker.articulated.simulation.follow_motion import follow_motion
from pluecker.articulated.simulation.preparation import prepare_motion
from pluecker.articulated.simulation.starts import as_outside_limits, hard_limits, within_limits
from pluecker.articulated.simulation.steps import Outcome, Remembered
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.contact.arguments import can_be_listed
from pluecker.contact.constraints.checks import positive
from pluecker.contact.constraints.relation import ANGLES, USER, Row
from pluecker.contact.errors import ConstraintError
from pluecker.contact.piles.companion import companion
from pluecker.contact.piles.smooth_part import smooth_part
from pluecker.contact.piles.step import PileStep, Touch
from pluecker.contact.stepping.implicit_steps import IMPLICIT
from pluecker.contact.stepping.linearly_implicit_steps import LINEARLY_IMPLICIT_STEPS
from pluecker.contact.stepping.smooth_steps import SMOOTH
from pluecker.contact.stepping.step import WORLD_STEP
from pluecker.contact.world.branches import times_of_singular_positions
from pluecker.contact.world.called import called
from pluecker.contact.world.contact_forces import ContactForces
from pluecker.contact.world.errors_at import as_on_open, refuse_open_start
from pluecker.contact.world.failures import explanation
from pluecker.contact.world.found_contacts import begun_numbers, memory_with_contacts, pile_steps
from pluecker.contact.world.found_samples import FiledTouches, contacts_of, forces_found, joined_contacts, with_touches
from pluecker.contact.world.memory import WorldMemory, as_numbers_of, key_of
from pluecker.contact.world.overlays import elements_of, overlays_of
from pluecker.contact.world.point_contacts import PointContacts
from pluecker.contact.world.scenario import world_scenario
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, EntryIndexError, shown
from pluecker.spatial.properties import cached_property

if TYPE_CHECKING:
    from pluecker.contact.world.world import World

__all__ = ["WorldStep", "WorldTrajectory", "simulate_world", "step_world"]

Stepping = Integrator | PileStep  # what made the steps of a motion
DIFFERENTIATED = ("bdf1", "bdf2")  # whose Newton's method takes exact derivatives of forces
SEMI_IMPLICIT = "semi_implicit"  # the step of worlds, under the name that plain models have for theirs


@by_value()
class StateAfterStep(NamedTuple):
    """State and memory with which the next step begins."""

    q: Array
    v: Array
    memory: WorldMemory


class WorldStep(StateAfterStep):
    """State after a step, as a tuple of three, and the contacts of the step.

    Attributes:
        q, v: ``(..., nq)`` and ``(..., nv)``.
        memory: for the next step.
        find_contacts: what computes :attr:`contacts`, when these are asked for.
    """

    find_contacts: Callable[[], ContactForces] | None = None

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


@called("World.simulate")
def simulate_world(
    world: World,
    q: Any,
    v: Any,
    duration: float,
    step: float,
    *,
    integrator: Any,
    memory: Any,
    outside_limits: Any,
    **options: Any,
) -> WorldTrajectory:
    """Compute the motion that :meth:`World.simulate` returns."""
    q = begun_within_limits(world, q, memory, outside_limits)
    begun = memory.time if isinstance(memory, WorldMemory) else 0.0
    options["function"] = "World.simulate"
    options["elements"] = as_elements("simulate", options["elements"])
    found, outcome, chosen = follow(world, q, v, duration, step, integrator, memory, begun, options)
    whole = outcome.error is None and outcome.failed is None and not outcome.interrupted and found.q is not None
    own = memory_at_end(world, outcome, chosen, integrator, found.batch_shape) if whole and len(found) else None
    parts = {name: getattr(found, name) for name in ("time", "q", "v", "a", "tau", "model", "columns")}
    if isinstance(chosen, PileStep) and chosen.every:
        try:
            parts["columns"] = with_touches(world, found, chosen)
        except OutputError as error:
            end = float(found.time[-1]) if found.time is not None and len(found) else begun
            raise SimulationError(f"{error}; the other files hold all {len(found)} samples", found, end) from None
        found = found.replace(columns=parts["columns"])
    shown, singular = elements_of(options["elements"]), partial(times_of_singular_positions, world)
    if "constraint_forces" not in found.columns or found.batch_shape:
        return WorldTrajectory(**parts, overlays=(*world.connections, *shown), memory=own, find_singular=singular)
    contacts, overlays = contacts_of(world, found), (*overlays_of(world, found), *shown)
    return WorldTrajectory(**parts, overlays=overlays, memory=own, contacts=contacts, find_singular=singular)


@called("World.step")
def step_world(
    world: World, q: Any, v: Any, step: float, tau: Any, f_ext: Any, on_open: str, memory: Any, outside_limits: Any
) -> WorldStep:
    """Make the step that :meth:`World.step` returns."""
    step = positive("World.step", "step", step)
    q = begun_within_limits(world, q, memory, outside_limits)
    options = {
        "control": tau, "f_ext": f_ext, "elements": (), "record": (), "every": 1, "record_to": None, "on_unsolved": "raise",
        "on_open": on_open, "tol": 1e-9, "progress": None, "threads": None, "function": "World.step",
    }  # fmt: skip
    found, outcome, chosen = follow(world, q, v, step, step, SEMI_IMPLICIT, memory, 0.0, options)
    assert found.q is not None
    assert found.v is not None
    if outcome.interrupted:
        raise KeyboardInterrupt
    own = memory_at_end(world, outcome, chosen, SEMI_IMPLICIT, found.batch_shape)
    after = WorldStep(found.q[..., -1, :].copy(), found.v[..., -1, :].copy(), own)
    before = (
        np.array(q, dtype=np.float64) if world.packed.n_slots else after.q
    )  # shapes touch where they did as it began
    after.find_contacts = partial(contacts_of_step, world, before, after, own.impulses / step)
    if isinstance(chosen, PileStep) and chosen.touch is not None:
        after.find_contacts = partial(
            with_found, world, np.array(q, dtype=np.float64), chosen.touch, after.find_contacts
        )
    return after


def begun_within_limits(world: World, q: Any, memory: Any, outside_limits: Any) -> Any:
    """Return the configuration from which a motion begins; what goes on from a memory begins where it is."""
    outside = as_outside_limits(outside_limits)
    if memory is not None or not world.limits:
        return q
    array = as_floats("simulate", world.model, STANDARD["q"], q)
    if not np.isfinite(array).all():
        return array  # which is refused as such
    return within_limits(world.model, array, hard_limits(world.model), outside)


def with_found(world: World, q: Array, touch: Touch, others: Callable[[], ContactForces]) -> ContactForces:
    """Describe the contacts of constraints, and behind them those that were found."""
    return joined_contacts(others(), forces_found(world, q, touch))


def contacts_of_step(world: World, q: Array, after: WorldStep, forces: Array) -> ContactForces:
    """Describe the contacts of constraints in a step of one state."""
    found: ContactForces = PointContacts(world, q[None], after.v[None], forces[None], after.q[None])[0]
    return found


def follow(
    world: World, q: Any, v: Any, duration: float, step: float, integrator: Any, memory: Any, begun: float, options: Any
) -> tuple[Trajectory, Outcome, Stepping]:
    """Follow the motion; return it, how far it came, and what stepped it."""
    used: list[Stepping] = []
    on_open = as_on_open(options.pop("on_open"))

    def refuse_open() -> None:
        if memory is None:  # with one, the state is the end of a motion
            refuse_open_start(world, q, begun, on_open)

    def choose(springs: tuple[Element, ...]) -> Dynamics:
        if world.found_contacts is not None:
            steps = pile_steps(world, world.found_contacts, memory, options["threads"])
            wanted = options["record"]
            names = (wanted,) if isinstance(wanted, str) else tuple(wanted) if can_be_listed(wanted) else ()
            if "constraint_forces" in names:
                steps.every = int(options["every"])
            if options["record_to"] is not None:
                steps.kept = FiledTouches(options["record_to"])
            dynamics = dynamics_with_contacts(world, q, springs, integrator, memory, begun, steps)
            refuse_open()
            used.append(steps)
            return dynamics
        dynamics = world_dynamics(world, q, springs, integrator, memory, begun)
        refuse_open()
        used.append(dynamics.integrator)
        return dynamics

    own = {name: options[name] for name in ("record_to", "progress", "function")}
    wanted = {name: value for name, value in options.items() if name not in own}

    def prepare(shapes: Any) -> Any:
        return prepare_motion(world.model, shapes, duration, step, choose, begun=begun, **wanted)

    beside = "found" if world.found_contacts is not None else "step" if duration == step else "motion"
    with companion.beside(beside):
        trajectory, outcome = follow_motion(
            world.model, q, v, prepare, continued=memory is not None, stacklevel=7, **own
        )
    return trajectory, outcome, used[0]


def world_dynamics(
    world: World, q: Any, springs: tuple[Element, ...], integrator: Any, memory: Any, begun: float
) -> Dynamics:
    """Make the dynamics of a world, with one of its integrators."""
    if memory is None:
        refuse_lost_turns(world, q)
    scenario = world_scenario(world, springs)
    kernel = as_world_integrator(world, integrator, scenario)
    n = 1 + world.packed.n_turns + world.packed.n_rows
    own = kernel.memory(world.model, scenario) - n
    numbers = as_numbers_of(world, np.asarray(q, dtype=np.float64), memory, integrator, own)
    remembered = Remembered(numbers, 1 + world.packed.n_turns, world.packed.n_rows, world.packed.place)

    def acceleration(model: Any, time: Array, q: Array, v: Array, tau: Array, f_ext: Array, threads: int) -> Array:
        at = time.reshape(time.shape + (1,) * (q.ndim - 1 - time.ndim))
        return np.concatenate(world.accelerations(q, v, tau, f_ext, time=at, threads=threads), axis=-1)

    return Dynamics(
        kernel, scenario, acceleration, by_loop=integrator == SEMI_IMPLICIT, constrained=True, remembered=remembered,
        since=memory.time - begun if isinstance(memory, WorldMemory) else 0.0, explain=partial(explanation, world),
    )  # fmt: skip


def refuse_lost_turns(world: World, q: Any) -> None:
    """Refuse a start whose angles have turned farther than they can be told: without a memory they begin in (-pi, pi].

    Rows that hold a sum of angles (gears, belts, screws) then begin with a gap of whole turns, which a step would close.

    Raises:
        ConstraintError: a row begins with a gap of more than half a turn of one of its angles.
    """
    angles = world.tables.get(held_angles)
    if angles is None:
        angles = world.tables[held_angles] = held_angles(world)
    if not len(angles):
        return
    gaps = np.abs(world.rows_at(q).error[..., : len(angles)])
    lost = (gaps > np.pi * angles).reshape(-1, len(angles)).any(axis=0)
    if lost.any():
        row = int(np.argmax(lost))
        name = [name for name, parts in zip(world.names, world.parts, strict=False) for _ in parts.rows][row]
        raise ConstraintError(
            f"simulate: {shown(name)} begins with a gap of more than half a turn; without a memory, angles begin in "
            "(-pi, pi]: start there, or go on from a memory that has counted the turns"
        )


def held_angles(world: World) -> Array:
    """Compute the least coefficient of an angle in each row that holds, infinite without; an empty array if all are."""
    angles = [
        min((abs(c) for k, c in row.terms if parts.functions[k].kind in ANGLES), default=np.inf)
        if row.holonomic and row.motion is None and not (row.soft or row.ranged or row.inertia)
        else np.inf
        for _, parts in zip(world.names, world.parts, strict=False)
        for row in parts.rows
    ]
    return np.array(angles if np.isfinite(angles).any() else [])


def as_world_integrator(world: World, integrator: Any, scenario: Array) -> Integrator:
    """Return the kernel of that name for this world.

    Raises:
        TypeError, ValueError: there is none of that name.
        ConstraintError: it knows no rows with a range.
    """
    smooth = {**SMOOTH, **IMPLICIT, **LINEARLY_IMPLICIT_STEPS}
    names = (SEMI_IMPLICIT, *smooth)
    if not isinstance(integrator, str):
        raise ArgumentTypeError(
            f"simulate: integrator is a {type(integrator).__name__}, expected one of {', '.join(names)}"
        )
    if integrator not in names:
        raise ArgumentValueError(f"simulate: integrator is {shown(integrator)}, expected one of {', '.join(names)}")
    if integrator == SEMI_IMPLICIT:
        return WORLD_STEP.serving(world.smooth, scenario)
    for name, parts in zip((*world.names, None), world.parts, strict=True):
        where = "the model's joints have them" if name is None else f"{shown(name)} has them"
        cure = "; use World(..., limits=False) and model.replace(friction=0.0)" if name is None else ""
        for row in parts.rows:
            if row.ranged and not (integrator in DIFFERENTIATED and is_plain_spring(row)):
                knows = "no limits" if integrator not in DIFFERENTIATED else "no limits but soft ones without dampers"
                raise ConstraintError(
                    f"simulate: {integrator} knows {knows}, no dry friction, motors and contacts, and {where}; "
                    f"use {SEMI_IMPLICIT}{cure}"
                )
            if row.inertia > 0.0 and integrator in LINEARLY_IMPLICIT_STEPS:
                raise ConstraintError(
                    f"simulate: {integrator} knows no rotors, which armature is in maximal coordinates, and {where}; use "
                    f"{SEMI_IMPLICIT}, or another smooth integrator"
                )
            kinds = [parts.functions[k].kind for k, _ in row.terms] if row.soft or row.ranged else []
            if any(kind in ANGLES for kind in kinds):
                raise ConstraintError(
                    f"simulate: {integrator} knows no springs on turns, and {where}; use {SEMI_IMPLICIT}"
                )
            if USER in kinds and integrator in DIFFERENTIATED:
                raise ConstraintError(
                    f"simulate: {integrator} knows no springs on users' functions, whose derivatives it does not have, and "
                    f"{where}; use {SEMI_IMPLICIT}"
                )
    return smooth[integrator]


def is_plain_spring(row: Row) -> bool:
    """Return whether a row with a range is a soft limit without a damper, whose force has no steps."""
    acts = row.friction or row.force or row.damping or row.contact
    return bool(row.holonomic and np.isfinite(row.stiffness) and not acts)


def dynamics_with_contacts(
    world: World, q: Any, springs: tuple[Element, ...], integrator: Any, memory: Any, begun: float, steps: PileStep
) -> Dynamics:
    """Make the dynamics of a world with shapes: a compiled smooth part, and the rest of each step from the contacts found.

    Raises:
        ArgumentValueError: another integrator than that of worlds.
    """
    if memory is None:
        refuse_lost_turns(world, q)
    scenario = world_scenario(world, springs)
    if not isinstance(integrator, str) or integrator != SEMI_IMPLICIT:
        as_world_integrator(world, integrator, scenario)  # refuses what is none
        raise ArgumentValueError(
            f"simulate: {integrator} knows no contacts, and the world has shapes; use {SEMI_IMPLICIT}"
        )
    numbers = begun_numbers(world, np.asarray(q, dtype=np.float64), memory, integrator)
    remembered = Remembered(numbers, 1 + world.packed.n_turns, world.packed.n_rows, world.packed.place)

    def no_acceleration(*arguments: Any) -> Array:
        raise AssertionError("accelerations are those of the steps")

    return Dynamics(
        smooth_part(scenario), scenario, no_acceleration, by_loop=True, constrained=True, remembered=remembered,
        since=memory.time - begun if isinstance(memory, WorldMemory) else 0.0, explain=partial(explanation, world),
        finish=steps,
    )  # fmt: skip


def memory_at_end(
    world: World, outcome: Outcome, integrator: Stepping, name: str, batch: tuple[int, ...]
) -> WorldMemory:
    """Make the memory from the numbers with which the loop ended."""
    if isinstance(integrator, PileStep):
        return memory_with_contacts(world, outcome.x[0, -integrator.memory :], integrator, name)
    n_turns, n_rows = world.packed.n_turns, world.packed.n_rows
    kept = integrator.memory(world.model, world_scenario(world))
    numbers = outcome.x[:, outcome.x.shape[1] - kept :].reshape(*batch, kept).copy()
    time = float(numbers.reshape(-1, kept)[0, 0]) if numbers.size else 0.0
    impulses = numbers[..., 1 + n_turns : 1 + n_turns + n_rows][..., world.packed.place]
    return WorldMemory(
        key_of(world), time, numbers[..., 1 : 1 + n_turns], impulses, name, numbers[..., 1 + n_turns + n_rows :]
    )
