"""Many bodies: what each carries, what they hand on, that they rest, and that runs repeat."""

import numpy as np
import pytest

from pluecker.articulated import kinetic_energy, potential_energy
from pluecker.contact.geometry import Box, Sphere, Surface
from tests.conftest import EVERYTHING
from tests.contact.found.worlds import UPRIGHT, G, floor, world_of

H = 0.01
SIDE = 0.2


def tower(n, masses=1.0, **options):
    """Boxes one on the other, and where they are."""
    world = world_of([Box((SIDE, SIDE, SIDE))] * n, masses=masses, **options)
    return world, np.concatenate([[0.0, 0.0, SIDE * (k + 0.5), *UPRIGHT] for k in range(n)])


@pytest.mark.parametrize(
    ("n", "masses"),
    [
        (4, 1.0),
        pytest.param(20, 1.0, marks=[pytest.mark.slow, pytest.mark.everything]),
        pytest.param(20, [1.0] * 19 + [1e4], marks=pytest.mark.slow),
    ],
)
def test_each_interface_of_a_stack_carries_the_weight_above(n, masses):
    world, q = tower(n, masses)
    weights = G * np.broadcast_to(masses, n)
    step = world.step(q, np.zeros(6 * n), H)
    names = ["world", *(f"b{k}" for k in range(n))]
    for k in range(n):
        wrench = step.contacts.wrench(names[k], names[k + 1])
        np.testing.assert_allclose(wrench[3:], [0.0, 0.0, weights[k:].sum()], rtol=1e-5, atol=1e-5 * weights.sum())
    assert np.abs(step.v).max() < 1e-5 * G * H


@pytest.mark.parametrize("impacts", ["newton", "poisson"])
def test_an_impact_is_handed_on_to_all_balls_at_once(impacts):
    """Newton's law of restitution with e = 1 keeps each relative velocity of balls in a row, or turns it around.

    By Poisson's law the three move with v / 3 first, and the impulses of 2/3 and 1/3 that this takes come back, which is
    the same.
    """
    n, bouncing = 3, Surface(friction=0.0, restitution=1.0)
    world = world_of([Sphere(0.1)] * n, bouncing, ground=floor(Surface(friction=0.0)), impacts=impacts)
    q = np.concatenate([[0.2 * k, 0.0, 1.0, *UPRIGHT] for k in range(n)])
    v = np.zeros(6 * n)
    v[3] = 1.0
    after = world.step(q, v, 1e-3).v.reshape(n, 6)[:, 3]
    np.testing.assert_allclose(after.sum(), 1.0, atol=1e-9)  # momentum
    # the first pair parts at e times its approach, the others do not approach: N r = 2 of the first, LCP of the second
    np.testing.assert_allclose(after, [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0], atol=1e-6)


def test_a_stack_at_rest_stays_where_it_is():
    world, q = tower(3)
    steps = 10
    motion = world.simulate(q, np.zeros(18), steps * H, H)
    assert np.abs(motion.q[-1] - q).max() < 1e-10
    assert np.abs(motion.v[-1]).max() < 1e-9


@pytest.mark.slow
def test_a_pile_at_rest_gains_no_energy():
    """Boxes and balls that fell on one another, came to rest, and stay for ten thousand steps; on each change for 200."""
    surface = Surface(friction=0.6, rolling_friction=0.01, spinning_friction=0.01)
    shapes = [Box((0.3, 0.2, 0.1)), Sphere(0.1), Box((0.1, 0.2, 0.2)), Sphere(0.08), Box((0.2, 0.2, 0.1))]
    world = world_of(shapes, surface, masses=[1.0, 2.0, 0.5, 3.0, 1.0])
    rng, q = np.random.default_rng(3), np.zeros((5, 7))
    q[:, :2], q[:, 2] = rng.uniform(-0.05, 0.05, (5, 2)), 0.2 + 0.25 * np.arange(5)
    turns = rng.standard_normal((5, 4))
    q[:, 3:] = turns / np.linalg.norm(turns, axis=1, keepdims=True)
    fall = world.simulate(q.ravel(), np.zeros(30), 3.0, H)
    rest = world.simulate(fall.q[-1], fall.v[-1], (10_000 if EVERYTHING else 200) * H, H, memory=fall.memory, every=10)
    energy = kinetic_energy(world.model, rest.q, rest.v) + potential_energy(world.model, rest.q)
    assert energy.max() - energy[0] < 1e-7 * energy[0]
    assert np.abs(rest.q - rest.q[0]).max() < 1e-6


def test_what_rests_is_solved_by_its_last_impulses():
    world, q = tower(3)
    motion = world.simulate(q, np.zeros(18), 2 * H, H, record="constraint_forces")
    step = world.step(motion.q[-1], motion.v[-1], H, memory=motion.memory)
    first, last = motion.contacts_at(1), step.contacts
    assert len(last) == 12
    np.testing.assert_allclose(last.force, first.force, atol=1e-6)
