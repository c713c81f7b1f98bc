"""Resistance to rolling and to spinning where named shapes touch: closed forms, and the same scene with contacts found."""

import numpy as np
import pytest

from pluecker.contact import World
from pluecker.contact.geometry import Collider, HalfSpace, ShapeContact, Sphere, Surface
from tests.contact.stepping.touching.touching import SHAPES, G, bodies, on_ground, world_velocity

RADIUS, MASS = 0.1, 2.0
ROLLS, SPINS = 2e-3, 1e-3  # m
SLOWS, BRAKES = 5.0 * ROLLS * G / (7.0 * RADIUS), 2.5 * SPINS * G / RADIUS**2
RESISTING = {"rolling_friction": ROLLS, "spinning_friction": SPINS}


def ball(**options):
    """A ball on the ground that resists to both."""
    return on_ground("sphere", **{**RESISTING, **options})


def rolling(speed, angle=0.0):
    """Return v of the ball that rolls without slip, in a direction."""
    x, y = speed * np.cos(angle), speed * np.sin(angle)
    return np.array([-y / RADIUS, x / RADIUS, 0.0, x, y, 0.0])


@pytest.mark.slow
def test_a_ball_that_rolls_slows_down_evenly_in_all_directions_and_stops_when_its_resistance_says():
    """5 k g / (7 r), on the circle and not on a polygon; and stays there."""
    world, q = ball()
    stops = 0.03 / SLOWS
    assert 0.1 < stops < 0.25
    for angle in 2 * np.pi * (np.arange(8) + 0.3) / 8:
        motion = world.simulate(q, rolling(0.03, angle), 0.3, 0.002, record=())
        for k in (20, 50):
            expected = rolling(0.03 - SLOWS * 0.002 * k, angle)[3:]
            np.testing.assert_allclose(world_velocity(motion, k), expected, atol=1e-10)
        moving = np.abs(motion.v).max(axis=1) > 1e-9
        assert abs(motion.time[moving].max() + 0.002 - stops) <= 0.0021
        np.testing.assert_allclose(motion.q[-1], motion.q[-20], atol=1e-12)


def test_a_ball_that_spins_on_the_spot_comes_to_rest_when_its_resistance_says():
    """5 s g / (2 r^2)."""
    world, q = ball()
    motion = world.simulate(q, [0, 0, 0.5, 0, 0, 0], 0.3, 0.002, record="constraint_forces")
    k = 60
    np.testing.assert_allclose(motion.v[k], [0, 0, 0.5 - BRAKES * 0.002 * k, 0, 0, 0], atol=1e-10)
    turning = np.abs(motion.v[:, 2]) > 1e-9
    assert abs(motion.time[turning].max() + 0.002 - 0.5 / BRAKES) <= 0.0021
    contacts = motion.contacts_at(k)
    np.testing.assert_allclose(contacts.moment, [[0, 0, -SPINS * MASS * G]], atol=1e-9)
    np.testing.assert_allclose(contacts.wrench("world", "sphere"), [0, 0, -SPINS * MASS * G, 0, 0, MASS * G], atol=1e-8)


def test_the_ball_acts_on_the_ground_as_the_ground_on_the_ball():
    world, q = ball()
    contacts = world.step(q, [0.1, 0.0, 0.5, 0.0, 0.1, 0.0], 0.002).contacts
    on_ball = contacts.wrench("world", "sphere")
    assert abs(on_ball[2]) > 0.5 * SPINS * MASS * G
    np.testing.assert_array_equal(contacts.wrench("sphere", "world"), -on_ball)


def test_a_ball_lies_on_an_incline_whose_slope_is_below_resistance_over_radius_and_rolls_beyond():
    for off in (-1e-6, 1e-6):
        slope = np.arctan(ROLLS / RADIUS) + off
        world, q = ball(slope=slope)
        motion = world.simulate(q, np.zeros(6), 0.02, 0.002)
        gain = 5.0 / 7.0 * G * (np.sin(slope) - ROLLS / RADIUS * np.cos(slope)) if off > 0.0 else 0.0
        np.testing.assert_allclose(world_velocity(motion), [0.02 * gain, 0, 0], atol=1e-10 * G)


@pytest.mark.indices
def test_two_places_of_one_body_share_its_resistance():
    """A capsule that rolls on both ends, whose moment is that of a cylinder: 2 k g / (3 r)."""
    world, q = on_ground("capsule", rolling_friction=ROLLS)
    q[2], q[3:] = RADIUS, [np.sqrt(0.5), -np.sqrt(0.5), 0, 0]  # its axis along y
    v = np.array([0, 0, 0.1 / RADIUS, 0.1, 0, 0])  # w along the world's y
    motion = world.simulate(q, v, 0.1, 0.002, record="constraint_forces")
    np.testing.assert_allclose(world_velocity(motion), [0.1 - 2 * ROLLS * G * 0.1 / (3 * RADIUS), 0, 0], atol=1e-9)
    moment = motion.contacts_at(10).moment
    np.testing.assert_allclose(moment.sum(axis=0), [0, -ROLLS * MASS * G, 0], atol=1e-8)
    assert len(moment) == 2


def both_ways(kind):
    """A world of one body with a named pair, and one whose contacts are found."""
    skin = Surface(0.3, rolling_friction=ROLLS, spinning_friction=5e-3)
    shape, _ = SHAPES[kind]
    shapes, model = (
        [Collider("ground", HalfSpace(), "world", skin), Collider("skin", shape, kind, skin)],
        bodies({kind: shape}),
    )
    return World(model, shapes=shapes, pairs=[("ground", "skin")]), World(model, shapes=shapes, accuracy=1e-10)


def test_a_named_pair_that_slips_rolls_and_spins_moves_as_contacts_that_are_found_do():
    q, v = [0, 0, 0.1, 1, 0, 0, 0], [1.0, 2.0, 4.0, 0.3, 0.1, 0.0]
    first, second = (world.simulate(q, v, 0.06, 0.002, record="constraint_forces") for world in both_ways("sphere"))
    np.testing.assert_allclose(first.v, second.v, atol=1e-7)
    for k in (2, 20):
        np.testing.assert_allclose(first.contacts_at(k).moment, second.contacts_at(k).moment, atol=1e-6)


def test_a_box_that_hits_the_ground_with_an_edge_turns_on_as_one_whose_contacts_are_found():
    """Gaps are zero here; elsewhere the points of found contacts are half a gap away."""
    x, _, z = np.array(SHAPES["box"][0].size) / 2
    tilt = 0.4
    q = np.array([0, 0, x * np.sin(tilt) + z * np.cos(tilt), np.cos(tilt / 2), 0, np.sin(tilt / 2), 0])
    v = np.array([0.5, -1.0, 2.0, 0.3, 0.2, -1.0])
    first, second = (world.step(q, v, 0.002) for world in both_ways("box"))
    np.testing.assert_allclose(first.v, second.v, atol=1e-7)
    np.testing.assert_allclose(first.contacts.wrench("world", "box"), second.contacts.wrench("world", "box"), atol=1e-3)
    moment = np.linalg.norm(first.contacts.moment, axis=1)
    assert (moment[first.contacts.normal_force > 1.0] > ROLLS).all()


@pytest.mark.plain
def test_states_that_touch_and_that_do_not_move_as_each_of_them_alone():
    world, q = ball()
    starts, v = np.tile(q, (3, 1)), np.array([rolling(0.2), rolling(0.3, 1.0), rolling(0.01, 2.0)])
    starts[1, 2] += 0.1
    v[2, 2] = 3.0
    together = world.simulate(starts, v, 0.03, 0.002, record=())
    for k in range(3):
        np.testing.assert_allclose(together.v[k], world.simulate(starts[k], v[k], 0.03, 0.002).v, atol=1e-10)


def test_without_resistance_there_are_no_rows_for_it():
    for options, rows in (({}, 3), ({"rolling_friction": 1e-3}, 5), ({"spinning_friction": 1e-3}, 4), (RESISTING, 6)):
        assert on_ground("sphere", **options)[0].n_rows == rows, options


def test_surfaces_resist_as_the_one_that_resists_more_and_a_contact_as_it_says():
    floor = Collider("floor", HalfSpace(), "world", Surface(rolling_friction=1e-3))
    skin = Collider("skin", Sphere(RADIUS), "sphere", Surface(rolling_friction=3e-3, spinning_friction=2e-3))
    law = ShapeContact("touch", floor, skin, spinning_friction=0.0).law
    assert (law.rolling_friction, law.spinning_friction) == (3e-3, 0.0)
