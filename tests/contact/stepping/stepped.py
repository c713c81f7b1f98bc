"""Motions of worlds with the error that their steps left, and what tests of steps share."""

import numpy as np

from pluecker.articulated import ModelBuilder, kinetic_energy, potential_energy
from pluecker.contact import World

__all__ = ["UPRIGHT", "World", "energy", "gap", "last", "motion", "slider"]

UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))  # axes as columns; z is -y


def motion(world, q, v, h, steps, torque=None):
    """The states after each step, and the largest error."""
    options = {"record": ("error",), "on_unsolved": "continue", "on_open": "close"}
    found = world.simulate(q, v, h * steps, h, control=torque, **options)
    return found.q[1:], found.v[1:], found.columns["error"].max()


def last(*arguments, **options):
    """The state at the end of a motion whose steps are all solved."""
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
