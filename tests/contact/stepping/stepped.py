"""Steps of worlds, taken one by one."""

import numpy as np

from pluecker.articulated import ModelBuilder, kinetic_energy, potential_energy
from pluecker.contact import World
from pluecker.contact.world.scenario import world_integrator, world_scenario
from tests.articulated.stepping.driver import take_steps

__all__ = ["UPRIGHT", "World", "energy", "gap", "last", "motion", "slider", "step_world"]

UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))  # axes as columns; z is -y


def step_world(world, q, v, h, steps, torque=None, **options):
    """The state after each step, and its error."""
    law = np.concatenate([np.zeros(world.model.nv) if torque is None else torque, np.zeros(3 * world.model.nv)])
    scenario = world_scenario(world, options.pop("elements", ()))
    return take_steps(world_integrator(world), world.smooth, q, v, h, steps, law=law, scenario=scenario, **options)


def motion(*arguments, **options):
    """All states of a motion, and the largest error."""
    q, v, errors = zip(*step_world(*arguments, **options), strict=True)
    return np.array(q), np.array(v), max(errors)


def last(*arguments, **options):
    """The state at its end."""
    q, v, error = motion(*arguments, **options)
    assert error <= 1.0
    return q[-1], v[-1]


def energy(model, q, v):
    """Kinetic and potential."""
    return kinetic_energy(model, q, v) + potential_energy(model, q)


def gap(world, q):
    """The largest error of a held row."""
    held = [not row.ranged and not row.soft and row.inertia == 0.0 for part in world.parts for row in part.rows]
    return np.abs(world.rows_at(q).error[..., held]).max()


def slider(mass=1.0, gravity=(0.0, 0.0, 0.0), joints=1, **limits):
    """Bodies that slide along x, side by side."""
    b = ModelBuilder(gravity=gravity)
    for k in range(joints):
        b.add_body(f"b{k}", mass=mass, inertia=(1.0, 1.0, 1.0))
        b.add_joint(f"j{k}", "prismatic", parent="world", child=f"b{k}", axis=(1, 0, 0), **limits)
    return b.build()
