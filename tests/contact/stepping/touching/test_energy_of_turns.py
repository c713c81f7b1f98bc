"""Energy gained by steps in which bodies turn far while they touch: none alone, in mechanisms what the method makes."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, SimulationError, kinetic_energy
from pluecker.contact import World
from pluecker.contact.constraints import PointContact
from tests.conftest import COMPILED

SIZE = 0.3  # m


def points(rng, n, friction, height):
    """Make two points on each body, which may touch a plane."""
    plane, places = ("world", (0.0, 0.0, height)), SIZE * rng.uniform(-1.0, 1.0, (n, 2, 3))
    return [
        PointContact(f"p{k}{i}", plane, (f"b{k}", tuple(places[k, i])), friction=friction)
        for k in range(n)
        for i in range(2)
    ]


def builder_of(rng, n, decades):
    """Bodies b0, b1, ... with masses over so many decades to either side of one, without joints."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for k in range(n):
        mass = 10.0 ** rng.uniform(-decades, decades)
        builder.add_body(f"b{k}", mass=mass, inertia=0.4 * mass * SIZE**2 * np.array([1.0, *rng.uniform(0.6, 1.0, 2)]))
    return builder


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.0, 0.3, 1.0])
def test_free_bodies_gain_nothing_in_steps_of_a_second_at_ten_kilometres_a_second(friction):
    """Impulses act along J at the beginning, of which the law is; where the body turns to afterwards takes nothing back."""
    rng, far = np.random.default_rng(8), 0
    for _ in range(40):
        builder, h = builder_of(rng, 2, 5.0), 10.0 ** rng.uniform(-1.0, 0.0)
        for k in range(2):
            builder.add_joint(f"j{k}", "free", "world", f"b{k}")
        world = World(builder.build(), points(rng, 2, friction, -0.2))
        q = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 2)
        v = 10.0 ** rng.uniform(0.0, 4.0) * rng.normal(size=12) * np.tile([1e-2, 1e-2, 1e-2, 1.0, 1.0, 1.0], 2)
        try:
            motion = world.simulate(q, v, h, h, record=("constraint_forces",))
        except SimulationError:  # which says that it is not solved
            continue
        touch = motion.contacts_at(0)
        before, after = (float(kinetic_energy(world.model, a, b)) for a, b in zip(motion.q, motion.v, strict=True))
        undone = h * (touch.normal_force * np.clip(-min(10.0, 1.0 / h) * touch.gap, 0.0, 1.0)).sum()
        assert after <= before * (1.0 + 1e-6) + undone
        far += bool((touch.normal_force > 0.0).any() and h * np.abs(motion.v[-1].reshape(-1, 6)[:, :3]).max() > 1.0)
    assert far > 10


@pytest.mark.slow
@pytest.mark.parametrize("turn", [0.01, 0.03, 0.1])
def test_mechanisms_gain_in_proportion_to_how_far_they_turn_in_a_step(turn):
    """Coriolis forces are those of the step's beginning: twenty steps gain 2.6 times the turn at most, where it is small."""
    rng = np.random.default_rng(9)
    for seed in range(20 if COMPILED else 5):
        builder, h = builder_of(rng, 3, 1.0), 0.01
        for k in range(3):
            kind, parent = ("free", "world") if k == 0 and seed % 2 else ("revolute", f"b{k - 1}" if k else "world")
            options = {} if kind == "free" else {"axis": (0, 1, 0), "position": (2.0 * SIZE if k else 0.0, 0.0, 0.0)}
            builder.add_joint(f"j{k}", kind, parent, f"b{k}", **options)
        model = builder.build()
        world = World(model, points(rng, 3, float(rng.choice([0.0, 0.3, 1.0])), -SIZE))
        q, v = np.zeros(model.nq), rng.uniform(-1.0, 1.0, model.nv)
        if seed % 2:
            q[3], v[3:6] = 1.0, 0.1 * v[3:6]
        motion = world.simulate(q, turn / h * v, 20 * h, h)
        energy = np.array([float(kinetic_energy(model, a, b)) for a, b in zip(motion.q, motion.v, strict=True)])
        assert energy.max() < (1.0 + 3.0 * turn) * energy[0], seed
