"""No creep: pushed with half the force that friction can hold, a block stays for a hundred seconds, in every direction.

The directions are states of a batch; on each change a few of them, one by one, for ten seconds. The push acts at the middle
of a box, which does not tip.
"""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder
from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, ShapeContact
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.stepping.touching.touching import G, on_ground

LONG, STEP = 100.0 if EVERYTHING else 10.0 if COMPILED else 0.1, 0.01
LEAST = 1e-9
DIRECTIONS = 16 if EVERYTHING else 3
ANGLES = 2 * np.pi * (np.arange(DIRECTIONS) + 0.3) / DIRECTIONS


def pushes(strength, first, second, bodies_before=0):
    """Wrenches on the last body in all directions of the plane of two of its axes, ``(directions, bodies, 6)``."""
    wrenches = np.zeros((len(ANGLES), bodies_before + 1, 6))
    wrenches[:, -1, 3 + first], wrenches[:, -1, 3 + second] = strength * np.cos(ANGLES), strength * np.sin(ANGLES)
    return wrenches


def follow(world, q, f_ext, tau=None, duration=LONG):
    """States at the beginning and at the end of the motions in all directions, ``(directions, 2, nq)`` and nv."""
    options = {"control": tau, "every": round(duration / STEP), "record": ()}
    if EVERYTHING:
        start = np.tile(q, (DIRECTIONS, 1)), np.zeros((DIRECTIONS, world.model.nv))
        motion = world.simulate(*start, duration, STEP, f_ext=f_ext, **options)
        return motion.q, motion.v
    motions = [world.simulate(q, np.zeros(world.model.nv), duration, STEP, f_ext=push, **options) for push in f_ext]
    return np.array([each.q for each in motions]), np.array([each.v for each in motions])


def test_a_block_does_not_creep_in_any_direction():
    friction, mass = 0.5, 2.0
    world, q = on_ground("box", friction)
    places, _ = follow(world, q, pushes(0.5 * friction * mass * G, 0, 1))
    assert np.abs(places[:, -1] - places[:, 0]).max() <= LEAST


def test_it_moves_in_every_direction_if_the_push_is_more_than_friction_holds():
    friction, mass = 0.5, 2.0
    world, q = on_ground("box", friction)
    _, v = follow(world, q, pushes(1.01 * friction * mass * G, 0, 1), duration=0.1)
    np.testing.assert_allclose(
        v[:, -1, 3:5], 0.1 * 0.01 * friction * G * np.c_[np.cos(ANGLES), np.sin(ANGLES)], rtol=1e-6, atol=1e-12
    )


@pytest.mark.slow
def test_what_is_held_between_two_jaws_does_not_creep_in_any_direction():
    friction, grip = 0.6, 20.0
    b = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    b.add_body("jaw", mass=0.1, inertia=(1e-4, 1e-4, 1e-4))
    b.add_joint("jaw", "prismatic", "world", "jaw", axis=(-1, 0, 0), position=(0.06, 0, 0))
    b.add_body("held", mass=0.5, inertia=(1e-3, 1e-3, 1e-3))
    b.add_joint("held", "free", "world", "held")
    held, tip = Collider("sides", Box((0.1, 0.1, 0.1)), "held"), Box((0.02, 0.04, 0.04))
    jaws = Collider("still", tip, ("world", (-0.06, 0.0, 0.0))), Collider("moving", tip, "jaw")
    world = World(b.build(), [ShapeContact(jaw.name, jaw, held, friction=friction) for jaw in jaws])
    q = np.array([0, 0, 0, 0, 1, 0, 0, 0], dtype=float)
    tau = np.array([grip, 0, 0, 0, 0, 0, 0])
    places, _ = follow(world, q, pushes(0.5 * 2 * friction * grip, 1, 2, bodies_before=1), tau)
    assert np.abs(places[:, -1] - places[:, 0]).max() <= LEAST
