"""Finite numbers that double precision cannot add: a step is given up soon, and says that it is not solved."""

from __future__ import annotations

import time

import numpy as np
import pytest

from pluecker.articulated import SimulationError
from pluecker.contact.geometry import Box, Surface
from tests.conftest import COMPILED
from tests.contact.found.worlds import UPRIGHT, world_of

H = 0.001
TIMES = 40.0  # of ordinary steps; some 10 are usual, and several hundred were


def stack(masses, surface, **options):
    """Boxes one on the other, and where they are."""
    world = world_of([Box((0.2, 0.2, 0.2))] * len(masses), surface, masses, **options)
    return world, np.concatenate([[0.0, 0.0, 0.1 + 0.2 * k, *UPRIGHT] for k in range(len(masses))])


def seconds(world, q, v):
    """Return the time that five steps take, and their errors."""
    began = time.perf_counter()
    motion = world.simulate(q, v, 5 * H, H, on_unsolved="continue", record=("error",))
    return time.perf_counter() - began, motion.columns["error"][1:]


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="times of compiled steps")
@pytest.mark.parametrize(
    ("masses", "friction", "impacts"),
    [((1.0, 1.0, 1e20), 0.3, "newton"), ((1.0, 1e40, 1e-40), 0.3, "poisson"), ((1.0, 1.0, 1.0), 1e30, "newton")],
)
def test_what_double_precision_cannot_add_is_given_up_soon_and_counts_as_not_solved(masses, friction, impacts):
    v = np.tile([0.1, 0.2, 0.3, 0.4, 0.5, -0.6], 3)
    usual = stack((1.0, 1.0, 1.0), Surface(friction=0.3))
    ordinary, errors = min((seconds(*usual, v) for _ in range(2)), key=lambda each: each[0])
    assert errors.max() < 1.0
    surface = Surface(friction=friction, restitution=0.5 if impacts == "poisson" else 0.0)
    world, q = stack(masses, surface, impacts=impacts)
    taken, errors = min((seconds(world, q, v) for _ in range(2)), key=lambda each: each[0])
    assert taken < TIMES * max(ordinary, 0.02)
    assert errors.max() > 1.0


@pytest.mark.parametrize("speed", [1e300, 1e308])
def test_what_is_faster_than_numbers_go_does_not_pass_the_floor(speed):
    """Squares of such speeds are infinite, and so is how far it comes in a step, or no number at all."""
    world, q = stack((1.0, 1.0), Surface())
    with pytest.raises(SimulationError, match="its numbers overflow"):
        world.simulate(q, [0.0, 0.0, 0.0, 0.0, 0.0, -speed, *np.zeros(6)], 2 * H, H)
