"""Velocities after an impulse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pluecker.articulated import crba, kinetic_energy
from tests.conftest import COMPILED
from tests.contact.world.worlds import random_world

seeds = pytest.mark.parametrize("seed", range(20 if COMPILED else 3))


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
