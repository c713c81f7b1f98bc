"""ANYmal on four feet: the same robot in reduced and in maximal coordinates.

Its twelve rows of contact are independent, so that they determine the forces. At an instant feet that stick are pins, whose
forces both worlds know, moving or not. A step meets rates of constraints as they are where it begins: J v is zero there, so
that the first one lacks, in reduced coordinates, what the turning of contact rows asks for, and in maximal coordinates,
where a row of a joint is its mean rate over the step, half of what that of joints does. Velocities lag behind for this one
step; from then on forces are those of the instant, to first order in the step.
"""

from functools import cache

import numpy as np
import pytest

from benchmarks.steps.touching_scenes import quadruped
from pluecker.articulated import forward_kinematics, rnea
from pluecker.articulated.robots import example_robots
from pluecker.contact import World
from pluecker.contact.constraints import Ball, PointContact
from pluecker.spatial import MissingExtraError
from tests.conftest import COMPILED

scene = cache(quadruped)  # compiles: not while tests are collected
try:
    example_robots()
except MissingExtraError:
    pytest.skip("example-robot-data is not installed (extra peers)", allow_module_level=True)

pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes without compilation")


def standing(**options):
    """The world, its maximal twin, where it stands a micrometre deep, joint forces that nearly carry it, and a motion of the
    body over feet that stay where they are."""
    model, rng = scene().model, np.random.default_rng(0)
    world = World(model, shapes=scene().colliders, pairs=scene().pairs, **options)
    q, at_rest = scene().q.copy(), np.zeros(model.nv)
    q[2] -= 1e-6
    J = world.rows_at(q).jacobian[: 3 * len(scene().pairs)]
    weight = rnea(model, q, at_rest, at_rest)
    tau = weight - J.T @ np.linalg.lstsq(J[:, :6].T, weight[:6])[0] + rng.standard_normal(model.nv)
    tau[:6] = 0.0
    v = 0.3 * rng.standard_normal(model.nv)
    return world, world.maximal(), q, v - np.linalg.pinv(J) @ (J @ v), tau


def pinned():
    """Feet that are points, as pins and as contacts; where they stand, a motion that leaves them where they are, and joint
    forces that nearly carry the weight."""
    model, feet, rng = scene().model, scene().colliders[1:], np.random.default_rng(0)
    q, at_rest = scene().q.copy(), np.zeros(model.nv)
    q[2] -= feet[0].shape.radius
    places = [(forward_kinematics(model, q, [foot.frame.name])[0] @ foot.placement)[:3, 3] for foot in feet]
    both = [(foot.name, ("world", place), foot.frame) for foot, place in zip(feet, places, strict=True)]
    pins = World(model, [Ball(*each) for each in both])
    points = World(model, [PointContact(*each, friction=0.8) for each in both])
    J = pins.rows_at(q).jacobian[: 3 * len(feet)]
    weight = rnea(model, q, at_rest, at_rest)
    tau = weight - J.T @ np.linalg.lstsq(J[:, :6].T, weight[:6])[0] + rng.standard_normal(model.nv)
    tau[:6] = 0.0
    v = 0.3 * rng.standard_normal(model.nv)
    return pins, points, q, v - np.linalg.pinv(J) @ (J @ v), tau


def pin_forces(world, q, v, tau):
    """Return the forces of all feet at an instant."""
    now = world.accelerations(q, v, tau)
    return np.array([world[foot.name].forces(now)[-3:] for foot in scene().colliders[1:]])


def third_step(world, q, v, h, pull):
    """The forces in the third step; ``pull`` is the joint force in a configuration."""
    memory = None
    for _ in range(3):
        step = world.step(q, v, h, tau=pull(q, v), memory=memory)
        q, v, memory = step.q, step.v, step.memory
    assert (step.contacts.state == "sticking").all()
    return step.contacts.force


def test_feet_that_stick_have_the_forces_of_pins_moving_or_not():
    """Equal to 1e-7 at an instant in both worlds, and to the order of the step in steps of both."""
    pins, points, q, v, tau = pinned()
    twin, moving = pins.maximal(), points.maximal()
    for speed in (0.0, 1.0):
        found = pin_forces(pins, q, speed * v, tau)
        others = pin_forces(twin.world, *twin.state(q, speed * v), twin.forces(q, tau))
        np.testing.assert_allclose(others, found, atol=1e-7 * np.abs(found).max())
    ways = (
        (points, (q, v), lambda q, v: tau),
        (moving.world, moving.state(q, v), lambda x, u: moving.forces(moving.back(x, u, reference=q)[0], tau)),
    )
    for world, state, pull in ways:
        errors = [np.abs(third_step(world, *state, h, pull) - found).max() for h in (1e-3, 1e-4)]
        assert errors[1] <= 0.15 * errors[0]
        assert errors[1] <= 2e-5 * np.abs(found).max()


def differences(world, maximal, q, v, tau, h):
    """Return the relative differences of the forces in two steps, each world on its own way; all feet stick."""
    own = world.step(q, v, h, tau=tau)
    twin = maximal.world.step(*maximal.state(q, v), h, tau=maximal.forces(q, tau))
    found = []
    for _ in range(2):
        assert (own.contacts.state == "sticking").all()
        found.append(np.abs(own.contacts.force - twin.contacts.force).max() / np.abs(own.contacts.force).max())
        pull = maximal.forces(own.q, tau)
        own = world.step(own.q, own.v, h, tau=tau, memory=own.memory)
        twin = maximal.world.step(twin.q, twin.v, h, tau=pull, memory=twin.memory)
    return found


def test_forces_at_rest_are_the_same_in_reduced_and_in_maximal_coordinates():
    world, maximal, q, v, tau = standing(recovery=0.0)
    assert max(differences(world, maximal, q, 0.0 * v, tau, 1e-5)) <= 1e-7


def test_forces_of_a_motion_under_way_are_the_same_up_to_the_step():
    world, maximal, q, v, tau = standing(recovery=0.0)
    errors = [differences(world, maximal, q, v, tau, h)[1] for h in (1e-3, 1e-4)]
    assert errors[1] <= 0.15 * errors[0]
    assert errors[1] <= 1e-5
