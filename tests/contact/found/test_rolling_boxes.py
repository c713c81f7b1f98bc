"""Boxes that resist to rolling and spinning fall, tumble and come to rest: four corners share what resists to one turn."""

import numpy as np
import pytest

from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, Surface
from tests.conftest import EVERYTHING
from tests.contact.found.worlds import G, bodies, floor

SIZES = (0.1, 0.1, 0.1), (0.1, 0.2, 0.05), (0.05, 0.05, 0.3)
# in each of these some step was not solved once
HARD = {False: (5, 14, 169, 220, 229), True: (5, 62, 172, 230)}


def tumbling(seed, named):
    """A box of some size, above the floor and turned anyhow, and its velocity; a step."""
    rng = np.random.default_rng(seed)
    box, mass = Box(SIZES[seed % 3]), 10 ** rng.uniform(-1, 1)
    friction, rolling = float(rng.choice([0.3, 0.5, 1.0])), float(rng.choice([0.001, 0.01, 0.05]))
    surface = Surface(friction, rolling, float(rng.choice([0.0, 0.01])))
    shapes = [floor(surface), Collider("box", box, "b0", surface)]
    world = World(bodies([box], mass), shapes=shapes, **({"pairs": [("floor", "box")]} if named else {}))
    turn = rng.standard_normal(4)
    v = rng.standard_normal(6) * (3.0, 3.0, 3.0, 1.0, 1.0, 1.0)
    return (
        world,
        np.array([0.0, 0.0, 0.25, *turn / np.linalg.norm(turn)]),
        v,
        float(rng.choice([1e-3, 5e-3, 1e-2])),
        mass,
    )


SEEDS = {named: (*range(4), *hard) if EVERYTHING else (0, hard[0]) for named, hard in HARD.items()}


@pytest.mark.slow
@pytest.mark.parametrize("named", [False, True])
def test_every_step_of_a_box_that_comes_to_rest_is_solved(named):
    for seed in SEEDS[named]:
        world, q, v, step, mass = tumbling(seed, named)
        motion = world.simulate(q, v, 1.5, step, record=("error", "constraint_forces"))
        assert motion.columns["error"].max() <= 1.0
        end = motion.contacts_at(-1)
        assert np.linalg.norm(motion.v[-1]) <= 1e-3 * np.linalg.norm(v), seed
        assert end.normal_force.sum() == pytest.approx(mass * G, rel=1e-3)
