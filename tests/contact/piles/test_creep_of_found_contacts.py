"""Boxes whose contacts are found in each step stay where they are while they are pushed with half of what friction holds.

One box for each direction, all in one world; the push acts at the middle of a box, which does not tip. With the accuracy of
1e-5 that worlds have unless told otherwise, ten seconds are a part of the hundred in which nothing moves by 1e-9 m: after
those it is 7e-10, as after one.
"""

import numpy as np

from pluecker.contact.geometry import Box, Surface
from tests.conftest import COMPILED
from tests.contact.piles.worlds import UPRIGHT, G, world_of

DIRECTIONS, FRICTION, MASS, STEP = 8, 0.5, 2.0, 0.01
LONG = 10.0 if COMPILED else 0.1
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


def test_they_move_in_every_direction_if_the_push_is_more_than_friction_holds():
    v = pushed(1.01, 0.1).v[-1].reshape(DIRECTIONS, 6)
    expected = 0.1 * 0.01 * FRICTION * G * np.c_[np.cos(ANGLES), np.sin(ANGLES)]
    np.testing.assert_allclose(v[:, 3:5], expected, atol=1e-3 * np.abs(expected).max())
