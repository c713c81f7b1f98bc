"""One step of one state that goes on from a memory, without what motions have besides: samples, control, a trajectory.

It is the same compiled function as in the loop over steps, on the same numbers, and so gives the same state to the last bit.
What it does not do itself is left to the loop: batches, a first step, wrenches, functions of the user's, joint forces beyond
their limits; and a step that is not solved, so that there is one place that divides steps, and one that explains errors.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numba import config

from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.loop.called_step import ERROR, LENGTH, called_step
from pluecker.articulated.stepping.loop.control_signals import UNIT
from pluecker.articulated.stepping.loop.loop import SOLVED
from pluecker.articulated.stepping.loop.signal import place_of
from pluecker.articulated.stepping.loop.task import BLOCK
from pluecker.articulated.stepping.terms.scenario import smooth_model
from pluecker.contact.found.motion import FoundMotion, Look
from pluecker.contact.found.step import found_step
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.contact.world.integrators import (
    SEMI_IMPLICIT,
    as_world_integrator,
    scenario_with_plan,
    world_scenario,
)
from pluecker.contact.world.memory import WorldMemory, key_of, memory_of_state, numbers_kept, plan_of
from pluecker.spatial.engine.parallel.callbacks import callbacks

__all__ = ["Taken", "take_one_step"]

MOST_KEPT = 8  # step lengths for which a world keeps what a step needs


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
        places = [range(s.start, s.stop) for s in world.model.quaternion_slices().values()]
        self.quaternions = np.array(places, np.int64).reshape(-1, 4)
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
        self.state, self.after = self.x[: nq + nv], self.x[ends[2] : ends[4]]
        self.ws = np.empty(BLOCK + integrator.workspace(model, self.scenario))
        self.block, self.at = self.ws[:BLOCK], self.ws.ctypes.data
        places = [
            place_of(self.model),
            place_of(self.scenario),
            *map(place_of, parts[:3]),
            (0, 0),
            *map(place_of, parts[3:]),
        ]
        places.append((self.at + 8 * BLOCK, len(self.ws) - BLOCK))
        self.block.view(np.int64)[:LENGTH] = [number for place in places for number in place]
        self.block[LENGTH] = self.h
        self.call = called_step(integrator, False)

    def take(self, q: Array, v: Array, tau: Array | None, memory: WorldMemory) -> Taken | None:
        """Take a step; None if it is left to the loop."""
        self.q[:], self.v[:] = q, v
        if tau is not None:
            self.law[: len(tau)] = tau
            if not (np.abs(tau) <= self.most).all():
                return None
        else:
            self.law[: len(self.v)] = 0.0
        four = self.q[self.quaternions]
        if not np.isfinite(self.state).all() or (np.abs(np.sqrt((four * four).sum(axis=-1)) - 1.0) > UNIT).any():
            return None
        numbers = numbers_kept(memory)
        if numbers is None or len(numbers) > self.n:  # contacts of a motion that had more room
            return None
        self.memory[: len(numbers)] = numbers
        with callbacks():
            self.call(self.at, 0)
        if self.motion is not None and self.motion.outside.grow():
            self.prepare()
            return self.take(q, v, tau, memory)
        if not (self.block[ERROR] < SOLVED and np.isfinite(self.after).all()):
            return None
        look = None
        if self.motion is not None:
            self.motion.watch()
            look = self.motion.look
        return Taken(self.q1.copy(), self.v1.copy(), memory_of_state(self.world, self.memory, SEMI_IMPLICIT), look)


def take_one_step(world: Constrained, q: Any, v: Any, h: float, tau: Any, memory: Any) -> Taken | None:
    """Take a step of one state; None if it is left to the loop over steps, whoever it is that cannot be served here."""
    nq, nv = world.model.nq, world.model.nv
    if not isinstance(memory, WorldMemory) or world.calls_python or config.DISABLE_JIT:
        return None
    if memory.integrator != SEMI_IMPLICIT or memory.turns.shape != (0,) or memory.key != world.once(key_of):
        return None
    for x, n in ((q, nq), (v, nv), (tau, nv)):
        plain = isinstance(x, np.ndarray) and x.shape == (n,) and x.dtype == np.float64
        if not (plain or (x is None and x is tau)):
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
        return step.take(q, v, tau, memory)
    finally:
        waiting.append(step)
