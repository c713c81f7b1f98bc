"""Velocities after an impulse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pluecker.articulated import ModelBuilder, crba, kinetic_energy
from pluecker.contact import World
from pluecker.contact import constraints as c
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.world.worlds import random_world

seeds = pytest.mark.parametrize("seed", range(20 if EVERYTHING else 6 if COMPILED else 3))


@seeds
def test_constraints_take_energy_and_hold(seed):
    """H (v+ - v) = p + J' r and J v+ = 0; of all such v+ the nearest to v + H^-1 p, so that energy falls without p."""
    world, q, _ = random_world(seed)
    model, rng = world.model, np.random.default_rng(seed)
    v, p = rng.standard_normal((2, model.nv))
    after = world.impact(q, v, p)
    J, H = world.rows_at(q).jacobian, crba(model, q)
    assert_allclose(J @ after.velocity, 0.0, atol=1e-10)
    assert_allclose(H @ (after.velocity - v), p + J.T @ after.impulses, atol=1e-9 * np.abs(H @ v).max())
    assert kinetic_energy(model, q, world.impact(q, v).velocity) <= kinetic_energy(model, q, v) * (1.0 + 1e-12)


@seeds
def test_a_velocity_that_constraints_allow_stays(seed):
    world, q, v = random_world(seed)
    after = world.impact(q, v)
    assert_allclose(after.velocity, v, atol=1e-10)


def test_after_an_impact_prescribed_motions_go_on_at_their_speed():
    """A driven bar that is geared to another one, 2 : -1, at several times, as a batch and one by one."""
    path = c.Spline([0.0, 1.0, 2.0], [0.1, 0.5, 0.2])
    builder = ModelBuilder()
    for name in ("upper", "lower"):
        builder.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        builder.add_joint(name, "revolute", parent="world", child=name, axis=(0, 0, 1))
    gear = c.Coupling("gear", {"upper": 2.0, "lower": -1.0})
    world = World(builder.build(), [gear, c.PrescribedMotion("drive", "upper", path), c.Limit("stop", "lower", 0.0)])
    times = np.array([-1.0, 0.3, 1.0, 1.7, 5.0])
    after = world.impact(np.zeros(2), [3.0, -1.0], time=times)
    rates = np.array([path.at(t)[1] for t in times])
    assert_allclose(after.velocity, np.stack([rates, 2.0 * rates], axis=-1), atol=1e-12)
    change = 0.1 * (after.velocity - [3.0, -1.0])  # H (v+ - v) = J' r
    assert_allclose(after.impulses[:, :2] @ [[2.0, -1.0], [1.0, 0.0]], change, atol=1e-12)
    assert_allclose(world.impact(np.zeros((5, 2)), [3.0, -1.0], time=0.3).velocity[2], after.velocity[1], rtol=1e-12)
    with pytest.raises(ValueError, match=r"World\.impact: time is inf"):
        world.impact(np.zeros(2), np.zeros(2), time=np.inf)
    with pytest.raises(TypeError, match=r"World\.impact: time"):
        world.impact(np.zeros(2), np.zeros(2), time="x")
    with pytest.raises(ValueError, match=r"World\.impact: .*time"):
        world.impact(np.zeros((2, 2)), np.zeros(2), time=times)
