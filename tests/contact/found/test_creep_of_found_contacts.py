"""Boxes whose contacts are found in each step stay where they are while they are pushed with half of what friction holds.

One box for each direction, all in one world; the push acts at the middle of a box, which does not tip. With the accuracy of
1e-6 that worlds have unless told otherwise, nothing moves by 1e-9 m in a hundred seconds: after those it is 7e-10, as after
one, which is how long motions are on each change.
"""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder
from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, Cylinder, Surface
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.found.worlds import UPRIGHT, G, world_of

DIRECTIONS, FRICTION, MASS, STEP = 8 if EVERYTHING else 4, 0.5, 2.0, 0.01
LONG = 10.0 if EVERYTHING else 1.0 if COMPILED else 0.1
ANGLES = 2 * np.pi * (np.arange(DIRECTIONS) + 0.3) / DIRECTIONS


def pushed(share, duration):
    """The motion of the boxes, pushed with this share of what friction holds."""
    world = world_of([Box((0.4, 0.3, 0.2))] * DIRECTIONS, Surface(FRICTION), masses=MASS)
    q = np.concatenate([[1.0 * k, 0, 0.1, *UPRIGHT] for k in range(DIRECTIONS)])
    push = np.zeros((DIRECTIONS, 6))
    push[:, 3:5] = share * FRICTION * MASS * G * np.c_[np.cos(ANGLES), np.sin(ANGLES)]
    return world.simulate(q, np.zeros(6 * DIRECTIONS), duration, STEP, f_ext=push, record=(), every=10)


def test_boxes_do_not_creep_in_any_direction():
    places = pushed(0.5, LONG).q.reshape(-1, DIRECTIONS, 7)[..., :3]
    assert np.abs(places - places[0]).max() <= 1e-9


def test_a_log_that_lies_on_two_others_does_not_creep_however_far_it_stands_out():
    """The log touches each of them at both ends of their common stretch; with one point on each it turned."""
    pytest.importorskip("coal", reason="it finds the contacts of cylinders (extra collision)")
    logs, apart, lies = [Cylinder(0.1, 1.0)] * 3, 0.115, np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
    world, high = world_of(logs, Surface(FRICTION)), 0.1 + np.sqrt(0.2**2 - apart**2)
    for out in (0.0, 0.3, 0.45):
        q = np.concatenate([[-apart, 0, 0.1, *lies], [apart, 0, 0.1, *lies], [0, out, high, *lies]])
        motion = world.simulate(q, np.zeros(18), 0.5 if COMPILED else 0.02, 0.01, record="constraint_forces")
        np.testing.assert_allclose(motion.q[-1], q, rtol=0.0, atol=1e-9)
        found = motion.contacts_at(-1)
        on_top = found.wrench("b0", "b2") + found.wrench("b1", "b2")
        np.testing.assert_allclose(on_top[3:], (0.0, 0.0, G), rtol=0.0, atol=1e-6 * G)


def test_they_move_in_every_direction_if_the_push_is_more_than_friction_holds():
    v = pushed(1.01, 0.1).v[-1].reshape(DIRECTIONS, 6)
    expected = 0.1 * 0.01 * FRICTION * G * np.c_[np.cos(ANGLES), np.sin(ANGLES)]
    np.testing.assert_allclose(v[:, 3:5], expected, atol=1e-3 * np.abs(expected).max())


def hands(count):
    """Make so many boxes, each between a jaw that is fixed and one that is pressed; return the world, and where they are."""
    builder, shapes, q, tip = ModelBuilder(gravity=(0.0, 0.0, 0.0)), [], [], Box((0.02, 0.04, 0.04))
    surface = Surface(0.6)
    for k in range(count):
        builder.add_body(f"jaw {k}", mass=0.1)
        builder.add_joint(f"jaw {k}", "prismatic", "world", f"jaw {k}", axis=(-1, 0, 0), position=(0.06, k, 0))
        builder.add_body(f"held {k}", mass=0.5, inertia=(1e-3, 1e-3, 1e-3))
        builder.add_joint(f"held {k}", "free", "world", f"held {k}")
        shapes += [
            Collider(f"still {k}", tip, ("world", (-0.06, k, 0.0)), surface),
            Collider(f"moving {k}", tip, f"jaw {k}", surface),
            Collider(f"sides {k}", Box((0.1, 0.1, 0.1)), f"held {k}", surface),
        ]
        q += [0.0, 0.0, 1.0 * k, 0.0, *UPRIGHT]
    return World(builder.build(), shapes=shapes), np.array(q)


def test_what_is_held_between_two_jaws_does_not_creep_in_any_direction():
    grip, friction = 20.0, 0.6
    world, q = hands(DIRECTIONS)
    pull = np.zeros((DIRECTIONS, 2, 6))
    strength = 0.5 * 2 * friction * grip
    pull[:, 1, 4:] = strength * np.c_[np.cos(ANGLES), np.sin(ANGLES)]
    control = np.tile([grip, *np.zeros(6)], DIRECTIONS)
    motion = world.simulate(
        q, np.zeros(len(control)), LONG, STEP, control=control, f_ext=pull.reshape(-1, 6), record=(), every=10
    )
    assert np.abs(motion.q - motion.q[0]).max() <= 1e-9
