"""Dynamics of a world, which the loop over steps follows: its scenario, one of its integrators, and how a motion begins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from pluecker.articulated.forces.elements import Element
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.simulation.dynamics import Dynamics, Remembered
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import pack_scenario
from pluecker.contact.constraints.relation import ANGLES, USER, Row
from pluecker.contact.errors import ConstraintError
from pluecker.contact.found.motion import FoundMotion
from pluecker.contact.found.step import found_step
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.contact.mechanisms.errors_at import rows_at
from pluecker.contact.mechanisms.instants import find_accelerations
from pluecker.contact.rows.layout import PLAN
from pluecker.contact.stepping.implicit_steps import IMPLICIT
from pluecker.contact.stepping.linearly_implicit_steps import LINEARLY_IMPLICIT_STEPS
from pluecker.contact.stepping.smooth_steps import SMOOTH
from pluecker.contact.stepping.step import WORLD_STEP
from pluecker.contact.world.failures import explanation
from pluecker.contact.world.memory import WorldMemory, as_numbers_of, as_numbers_with_contacts
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown

__all__ = [
    "SEMI_IMPLICIT",
    "as_world_integrator",
    "dynamics_with_contacts",
    "scenario_with_plan",
    "world_dynamics",
    "world_scenario",
]

DIFFERENTIATED = ("bdf1", "bdf2")  # whose Newton's method takes exact derivatives of forces
SEMI_IMPLICIT = "semi_implicit"  # the step of worlds, under the name that plain models have for theirs


def world_scenario(world: Constrained, elements: Element | Sequence[Element] = ()) -> Array:
    """Pack the array of a scenario in which the world's constraints hold; friction and limits of joints are among them.

    That without elements is kept with the world, and to be read only.
    """
    if isinstance(elements, tuple) and not elements:
        return world.once(plain_scenario)
    return pack_scenario(world.smooth, elements, {"limits": False}, more=world.packed.array)


def plain_scenario(world: Constrained) -> Array:
    """Pack the array of a scenario without elements."""
    return pack_scenario(world.smooth, (), {"limits": False}, more=world.packed.array)


def world_dynamics(
    world: Constrained, q: Any, springs: tuple[Element, ...], integrator: Any, memory: Any, begun: float
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
        return np.concatenate(find_accelerations(world, q, v, tau, f_ext, at, threads), axis=-1)

    return Dynamics(
        kernel, scenario, acceleration, by_loop=integrator == SEMI_IMPLICIT, constrained=True, remembered=remembered,
        since=memory.time - begun if isinstance(memory, WorldMemory) else 0.0, explain=partial(explanation, world),
    )  # fmt: skip


def dynamics_with_contacts(
    world: Constrained,
    q: Any,
    springs: tuple[Element, ...],
    integrator: Any,
    memory: Any,
    begun: float,
    motion: FoundMotion,
    watched: bool,
) -> Dynamics:
    """Make the dynamics of a world with shapes, whose contacts are found in each step.

    ``watched``: whether Python looks at each step.

    Raises:
        ArgumentValueError: another integrator than that of worlds.
    """
    if memory is None:
        refuse_lost_turns(world, q)
    if not isinstance(integrator, str) or integrator != SEMI_IMPLICIT:
        as_world_integrator(world, integrator, world_scenario(world, springs))  # refuses what is none
        raise ArgumentValueError(
            f"simulate: {integrator} knows no contacts, and the world has shapes; use {SEMI_IMPLICIT}"
        )
    numbers = as_numbers_with_contacts(world, np.asarray(q, dtype=np.float64), memory, integrator, motion.outside)
    remembered = Remembered(numbers, 1 + world.packed.n_turns, world.packed.n_rows, world.packed.place)

    def no_acceleration(*arguments: Any) -> Array:
        raise AssertionError("accelerations are those of the steps")

    scenario = motion.scenario()
    return Dynamics(
        found_step(scenario), scenario, no_acceleration, by_loop=True, constrained=True, remembered=remembered,
        since=memory.time - begun if isinstance(memory, WorldMemory) else 0.0, explain=partial(explanation, world),
        room=motion, watch=motion.watch if watched else None,
    )  # fmt: skip


def scenario_with_plan(world: Constrained, elements: tuple[Element, ...], plan: Array) -> Array:
    """Pack the array of a scenario in which the world's constraints hold, and its shapes touch."""
    rows = world.packed.array.copy()
    rows.view(np.int64)[PLAN] = len(rows)
    return pack_scenario(world.smooth, elements, {"limits": False}, more=np.concatenate([rows, plan]))


def refuse_lost_turns(world: Constrained, q: Any) -> None:
    """Refuse a start whose angles have turned farther than they can be told: without a memory they begin in (-pi, pi].

    Rows that hold a sum of angles (gears, belts, screws) then begin with a gap of whole turns, which a step would close.

    Raises:
        ConstraintError: a row begins with a gap of more than half a turn of one of its angles.
    """
    angles = world.once(held_angles)
    if not len(angles):
        return
    gaps = np.abs(rows_at(world, q).error[..., : len(angles)])
    lost = (gaps > np.pi * angles).reshape(-1, len(angles)).any(axis=0)
    if lost.any():
        name = world.names_of_rows[int(np.argmax(lost))]
        raise ConstraintError(
            f"simulate: {shown(name)} begins with a gap of more than half a turn; without a memory, angles begin in "
            "(-pi, pi]: start there, or go on from a memory that has counted the turns"
        )


def held_angles(world: Constrained) -> Array:
    """Compute the least coefficient of an angle in each row that holds, infinite without; an empty array if all are."""
    angles = [
        min((abs(c) for k, c in row.terms if parts.functions[k].kind in ANGLES), default=np.inf)
        if row.holonomic and row.motion is None and not (row.soft or row.ranged or row.inertia)
        else np.inf
        for parts in world.parts[:-1]
        for row in parts.rows
    ]
    return np.array(angles if np.isfinite(angles).any() else [])


def as_world_integrator(world: Constrained, integrator: Any, scenario: Array) -> Integrator:
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
