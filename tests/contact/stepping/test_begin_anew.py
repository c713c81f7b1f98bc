"""A step of named pairs that the impulses of the step before lead astray is taken without them, as a first one is."""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder
from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, HalfSpace, Surface
from tests.conftest import COMPILED, EVERYTHING

SIDES = np.array([0.2, 0.15, 0.1])


def falling_boxes(seed, count):
    """Boxes of a hundredfold range of masses one above the other, all of whose pairs are named; q and v."""
    rng, builder, surface = np.random.default_rng(seed), ModelBuilder(), Surface(friction=0.5)
    shapes, q, v = [Collider("ground", HalfSpace(), "world", surface)], [], []
    for k in range(count):
        mass, name = 10 ** rng.uniform(-1, 1), f"b{k}"
        builder.add_body(name, mass=mass, inertia=tuple(mass / 12 * ((SIDES**2).sum() - SIDES**2)))
        builder.add_joint(name, "free", "world", name)
        shapes.append(Collider(name, Box(SIDES), name, surface))
        turn = rng.standard_normal(4)
        q += [*rng.uniform(-0.05, 0.05, 2), 0.3 + 0.35 * k, *(turn / np.linalg.norm(turn))]
        v += [*rng.uniform(-5, 5, 3), *rng.uniform(-1, 1, 3)]
    pairs = [(one.name, other.name) for k, one in enumerate(shapes) for other in shapes[k + 1 :]]
    return World(builder.build(), shapes=shapes, pairs=pairs), q, v


MORE = ((30, 3, 0.004), (41, 3, 0.001), (44, 3, 0.01))
HARD = [(25, 2, 0.004), *(pytest.param(*each, marks=pytest.mark.everything) for each in MORE)]


@pytest.mark.skipif(not COMPILED, reason="without compilation these steps take minutes")
@pytest.mark.parametrize(("seed", "count", "step"), HARD)
def test_boxes_that_fall_upon_one_another_obey_the_law_in_each_step(seed, count, step):
    world, q, v = falling_boxes(seed, count)
    motion = world.simulate(q, v, 1.0, step, record=("error",))
    assert motion.columns["error"].max() <= 1.0
    if EVERYTHING:
        again = world.simulate(np.array([q] * 3), np.array([v] * 3), 1.0, step, record=("error",))  # in lanes
        assert again.columns["error"].max() <= 1.0
