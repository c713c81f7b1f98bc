"""One step of one state that goes on from a memory, without what motions have besides: samples, control, a trajectory.

It is the same compiled function as in the loop over steps, on the same numbers, and so gives the same state to the last bit.
What it does not do itself is left to the loop: batches, a first step, wrenches, functions of the user's, joint forces beyond
their limits; and a step that is not solved, so that there is one place that divides steps, and one that explains errors.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.loop.called_step import LENGTH, called_step
from pluecker.articulated.stepping.loop.checked_step import LACKS_ROOM, LEFT, checked_step, packed_checks
from pluecker.articulated.stepping.loop.signal import place_of
from pluecker.articulated.stepping.loop.task import BLOCK
from pluecker.articulated.stepping.terms.scenario import smooth_model
from pluecker.contact.found.layout import NEEDS_CONTACTS, REMEMBERED
from pluecker.contact.found.motion import FoundMotion, Look, look_at
from pluecker.contact.found.step import found_step
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.contact.world.integrators import (
    SEMI_IMPLICIT,
    as_world_integrator,
    scenario_with_plan,
    world_scenario,
)
from pluecker.contact.world.memory import (
    WorldMemory,
    check_turns,
    key_of,
    memory_of_state,
    numbers_kept,
    plan_of,
)
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.parallel.callbacks import callbacks

__all__ = ["Taken", "take_one_step"]

MOST_KEPT = 8  # step lengths for which a world keeps what a step needs
NUMBERS = "dfl"  # kinds of arrays that are taken as they are: float64, float32 and whole numbers


class Taken(NamedTuple):
    """State after a step, its memory, and a look at what touched in it where contacts are found."""

    q: Array
    v: Array
    memory: WorldMemory
    look: Look | None


class SingleStep:
    """All that a step of one length needs in one place; it takes one step at a time."""

    def __init__(self, world: Constrained, h: float) -> None:
        self.world, self.h, self.motion = world, h, None
        if world.found_contacts is not None:
            self.motion = FoundMotion(world.once(plan_of), partial(scenario_with_plan, world, ()))
        self.quaternions = np.array([s.start for s in world.model.quaternion_slices().values()], np.int64)
        known = np.isfinite(world.model.effort_limit) & (world.model.effort_limit > 0.0)
        self.most = np.where(known, world.model.effort_limit, np.inf)
        self.prepare()

    def prepare(self) -> None:
        """Lay out the numbers of a step, with as much room as there is."""
        world, model = self.world, self.world.model
        self.scenario = world_scenario(world) if self.motion is None else self.motion.scenario()
        if self.motion is None:
            integrator = as_world_integrator(world, SEMI_IMPLICIT, self.scenario)
        else:
            integrator = found_step(self.scenario)
        self.model, nq, nv = smooth_model(model), model.nq, model.nv
        self.n = integrator.memory(model, self.scenario)
        sizes = (nq, nv, 4 * nv, nq, nv, self.n)
        self.x = np.zeros(sum(sizes))
        ends = np.cumsum(sizes).tolist()
        parts = [self.x[b - n : b] for b, n in zip(ends, sizes, strict=True)]
        self.q, self.v, self.law, self.q1, self.v1, self.memory = parts
        self.tau, before, after = self.law[:nv], self.x[: nq + 2 * nv], self.x[ends[2] : ends[4]]
        self.ws = np.empty(BLOCK + integrator.workspace(model, self.scenario))
        block, at = self.ws[:BLOCK], self.ws.ctypes.data
        places = [
            place_of(self.model),
            place_of(self.scenario),
            *map(place_of, parts[:3]),
            (0, 0),
            *map(place_of, parts[3:]),
        ]
        places.append((at + 8 * BLOCK, len(self.ws) - BLOCK))
        block.view(np.int64)[:LENGTH] = [number for place in places for number in place]
        block[LENGTH] = self.h
        needs = room = np.zeros(0, np.int64)
        if self.motion is not None:
            needs, room = self.motion.outside.needs, np.array(self.motion.outside.room.numbers())
        self.own = self.quaternions, needs, room
        self.step, self.call = called_step(integrator, False), checked_step()
        self.checks = packed_checks(self.step, at, (before, self.q, self.tau, self.most, after), self.own)
        self.at = self.checks.ctypes.data

    def take(self, q: Array, v: Array, tau: Array | None, memory: WorldMemory, numbers: Array) -> Taken | None:
        """Take a step; None if it is left to the loop, which knows what is wrong."""
        while len(numbers) > self.n:  # contacts of a motion that had more room
            assert self.motion is not None
            self.motion.outside.needs[NEEDS_CONTACTS] = len(numbers) // REMEMBERED
            self.motion.outside.grow()
            self.prepare()
        self.q[:], self.v[:], self.tau[:] = q, v, 0.0 if tau is None else tau
        if self.world.packed.n_turns:
            check_turns(self.world, self.q, memory)
        self.memory[: len(numbers)] = numbers
        with callbacks():
            found = self.call(self.at, 0)
        if found == LEFT:
            return None
        if self.motion is None:
            return Taken(self.q1.copy(), self.v1.copy(), memory_of_state(self.world, self.memory, SEMI_IMPLICIT), None)
        if found == LACKS_ROOM:
            self.motion.outside.grow()
            self.prepare()
            return self.take(q, v, tau, memory, numbers)
        kept, look = memory_of_state(self.world, self.memory, SEMI_IMPLICIT), look_at(self.motion.outside)
        return Taken(self.q1.copy(), self.v1.copy(), kept, look)


def take_one_step(world: Constrained, q: Any, v: Any, h: float, tau: Any, memory: Any) -> Taken | None:
    """Take a step of one state; None if it is left to the loop over steps, whoever it is that cannot be served here."""
    if not isinstance(memory, WorldMemory) or memory.key != world.once(key_of) or memory.integrator != SEMI_IMPLICIT:
        return None
    numbers = numbers_kept(memory)
    if numbers is None or world.calls_python or DISABLE_JIT:
        return None
    q, v = as_row(q, world.model.nq), as_row(v, world.model.nv)
    if q is None or v is None:
        return None
    if tau is not None:
        tau = as_row(tau, world.model.nv)
        if tau is None:
            return None
    idle: dict[float, list[SingleStep]] = world.tables.setdefault(take_one_step, {})
    waiting = idle.get(h)
    if waiting is None:
        if len(idle) >= MOST_KEPT:
            idle.clear()
        waiting = idle[h] = []
    try:
        step = waiting.pop()  # what another thread uses is not among them
    except IndexError:
        step = SingleStep(world, h)
    try:
        return step.take(q, v, tau, memory, numbers)
    finally:
        waiting.append(step)


def as_row(x: Any, n: int) -> Array | None:
    """Return an array of n numbers; None of anything else, which the loop converts or refuses."""
    if type(x) is not np.ndarray:
        if not isinstance(x, (list, tuple)):
            return None
        try:
            x = np.array(x)
        except (TypeError, ValueError):
            return None
    return x if x.shape == (n,) and x.dtype.char in NUMBERS else None
