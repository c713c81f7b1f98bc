"""Poisson's restitution in steps of worlds, contacts named or found: closed forms, and the same impact as one problem."""

import time

import numpy as np
import pytest

from pluecker.articulated import SimulationError
from pluecker.contact import World, poisson_restitution, solve
from pluecker.contact.constraints import PointContact
from pluecker.contact.geometry import Surface
from tests.contact.stepping.impacts import KINDS, kinetic, problem_of, random_balls, world_of_balls
from tests.models import free_bodies

H = 1e-6
G = 9.81


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("friction", [0.05, 0.2])
def test_friction_rubs_in_both_phases_and_what_rests_does_not_hop(kind, friction):
    """A ball of 1 kg: 2/7 of the slip holds its lowest point, mu (1 + e) of its speed is the most."""
    e, speed, spin, slide = 0.5, 2.0, 30.0, 1.5
    world = world_of_balls([0.1], [1.0], kind, Surface(friction, restitution=e), impacts="poisson")
    q = [0, 0, 0.1, 1, 0, 0, 0]
    after = world.step(q, [0, spin, 0, slide, 0, -speed], H).v
    slip = slide - spin * 0.1
    rubbed = min(2 * abs(slip) / 7, friction * (1 + e) * speed)
    np.testing.assert_allclose(after[5], e * speed - G * H, atol=2e-4)
    np.testing.assert_allclose(after[3], slide + rubbed, atol=2e-4)
    np.testing.assert_allclose(world.step(q, np.zeros(6), H).v, 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_steps_have_the_impulses_of_one_problem_and_gain_no_energy(kind):
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        radii, masses, q, v = random_balls(rng)
        surface = Surface(float(rng.choice([0.0, 0.2, 0.7, 1.5])), restitution=float(rng.uniform(0, 1)))
        options = {"accuracy": 1e-8} if kind == "found" else {}
        world = world_of_balls(radii, masses, kind, surface, True, impacts="poisson", recovery=0.0, **options)
        found = world.step(q, v, 1e-7).v
        problem = problem_of(radii, masses, q, v, surface, False)
        impact = poisson_restitution(problem, [surface.restitution] * 3, solver=lambda p: solve(p, tol=1e-9))
        np.testing.assert_allclose(found, problem.motion(impact.multipliers)[1:].ravel(), atol=1e-5)
        assert kinetic(radii, masses, found) <= kinetic(radii, masses, v)


@pytest.mark.parametrize("speed", [1e160, 1e300])
def test_contacts_of_which_one_returns_impulses_are_refused_where_numbers_overflow(speed):
    """NaN is no impulse that comes back: of a contact without Poisson's coefficient there is no place for one."""
    model = free_bodies("ab", inertia=(0.01, 0.01, 0.01))
    touching = [
        PointContact("returns", "world", "a", radius=0.1, restitution=0.5, impacts="poisson"),
        PointContact("rests", "world", "b", radius=0.1),
    ]
    world, q = World(model, touching), [0, 0, 0.1, 1, 0, 0, 0] * 2
    with pytest.raises(SimulationError, match="its numbers overflow"):
        world.step(q, -speed * np.ones(12), 1e-3)


def test_a_step_whose_numbers_overflow_is_refused_at_once():
    """A fall at 1e200 m/s onto many contacts that return impulses and resist to turning: no more work than another step."""
    surface = Surface(0.3, restitution=0.5, rolling_friction=0.01, spinning_friction=0.01)
    radii = [0.1, 0.1, 0.1]
    world = world_of_balls(radii, [1.0, 1.0, 1.0], "named", surface, impacts="poisson")
    q = np.concatenate([[0.19 * k, 0.0, 0.1, 1, 0, 0, 0] for k in range(3)])
    v = -np.ones(18)
    world.step(q, v, H)

    def seconds():
        began = time.process_time()
        world.step(q, v, H)
        return time.process_time() - began

    def seconds_of_refusal():
        began = time.process_time()
        with pytest.raises(SimulationError, match="its numbers overflow"):
            world.step(q, 1e200 * v, H)
        return time.process_time() - began

    assert min(seconds_of_refusal() for _ in range(3)) < 0.5 + 100.0 * min(seconds() for _ in range(3))


def test_another_law_of_impacts_is_refused():
    for wrong in ("stronge", 1):
        with pytest.raises((ValueError, TypeError), match=r"impacts is .*, expected 'newton' or 'poisson'"):
            PointContact("foot", "world", "ball", impacts=wrong)
    model = world_of_balls([0.1], [1.0], "found", Surface()).model
    with pytest.raises(ValueError, match="expected 'newton' or 'poisson'"):
        World(model, impacts="stronge")
    with pytest.raises(ValueError, match="law is 'ccp' and impacts is 'poisson'"):
        World(model, impacts="poisson", law="ccp")
