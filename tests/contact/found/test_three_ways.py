"""Closed forms that hold whichever way contacts are given: by points, by pairs of shapes that are named, by shapes alone.

What the three ways make of one scene is one motion, to the accuracy that is asked for.
"""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.motions.scene import centred, solid
from pluecker.articulated import ModelBuilder
from pluecker.contact import World
from pluecker.contact.constraints import PointContact
from pluecker.contact.geometry import Box, Collider, HalfSpace, Sphere, Surface
from tests.contact.found.worlds import UPRIGHT, G, inertia

WAYS = ("points", "named", "found")
H, MU, MASS = 0.005, 0.4, 2.0
SIDES, RADIUS = (0.4, 0.3, 0.1), 0.1
STILL = np.zeros(6)
LIES, STANDS = np.array([0.0, 0.0, 0.05, *UPRIGHT]), np.array([0.0, 0.0, RADIUS, *UPRIGHT])


def world_by(way, builder, shapes, points, closed=False):
    """Make a world of points that touch, or of shapes: each touches the next, if closed the last one the first."""
    if way == "points":
        return World(builder.build(), points)
    pairs = [(a.name, b.name) for a, b in pairwise([*shapes, shapes[0]] if closed else shapes)]
    return World(builder.build(), shapes=shapes, **({"pairs": pairs} if way == "named" else {"accuracy": 1e-9}))


def free(builder, name, mass, moments):
    """Add a free body."""
    builder.add_body(name, mass=mass, inertia=moments)
    builder.add_joint(name, "free", "world", name)


@cache
def on_plane(way, kind, slope=0.0, friction=MU):
    """A box, or a ball, on the plane z = 0, with gravity turned about y."""
    builder = ModelBuilder(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    shape, surface = Box(SIDES) if kind == "box" else Sphere(RADIUS), Surface(friction=friction)
    free(builder, "body", MASS, inertia(shape, MASS))
    corners = [(x, y, -0.05) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    points = [PointContact(f"p{k}", "world", ("body", place), friction=friction) for k, place in enumerate(corners)]
    if kind == "ball":
        points = [PointContact("p", "world", "body", radius=RADIUS, friction=friction)]
    shapes = [Collider("plane", HalfSpace(), "world", surface), Collider("skin", shape, "body", surface)]
    return world_by(way, builder, shapes, points)


@pytest.mark.parametrize("way", WAYS)
def test_a_box_sticks_to_a_slope_up_to_the_angle_of_friction_and_then_slides(way):
    limit = np.arctan(MU)
    held = on_plane(way, "box", limit - 1e-6).simulate(LIES, STILL, 4 * H, H)
    np.testing.assert_allclose(held.q[-1], LIES, atol=1e-10)
    slope = limit + 1e-2
    slides = on_plane(way, "box", slope).simulate(LIES, STILL, 4 * H, H)
    np.testing.assert_allclose(slides.v[-1, 3], 4 * H * G * (np.sin(slope) - MU * np.cos(slope)), rtol=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_a_ball_on_a_slope_rolls_if_friction_is_two_sevenths_of_the_slope_and_else_slips(way):
    slope = 0.3
    for friction, gain in ((MU, 5.0 / 7.0 * np.sin(slope)), (0.05, np.sin(slope) - 0.05 * np.cos(slope))):
        v = on_plane(way, "ball", slope, friction).simulate(STANDS, STILL, 10 * H, H).v[-1]
        np.testing.assert_allclose(np.hypot(v[3], v[5]), 10 * H * G * gain, rtol=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_a_bowling_ball_rolls_in_the_end_with_five_sevenths_of_its_speed(way):
    v = on_plane(way, "ball").simulate(STANDS, [0.0, 0.0, 0.0, 0.7, 0.0, 0.0], 30 * H, H).v[-1]
    np.testing.assert_allclose(np.linalg.norm(v[3:]), 5.0 / 7.0 * 0.7, atol=1e-8)
    np.testing.assert_allclose(RADIUS * v[1], 5.0 / 7.0 * 0.7, atol=1e-8)


@pytest.mark.parametrize("way", WAYS)
def test_a_box_that_slides_stays_on_the_floor_and_goes_as_far_in_every_direction(way):
    """Coulomb's law neither lifts it nor turns its path; the path has half of a step's way too little."""
    world, speed = on_plane(way, "box"), 0.5
    for angle in (0.3, 2.0, 4.4):
        along = np.array([np.cos(angle), np.sin(angle), 0.0])
        motion = world.simulate(LIES, [0.0, 0.0, 0.0, *(speed * along)], 30 * H, H)
        np.testing.assert_allclose(motion.v[:, 5], 0.0, atol=1e-8)
        path = np.linalg.norm(motion.q[-1, :2])
        assert abs(path - speed**2 / (2.0 * MU * G)) < 0.51 * H * speed
        np.testing.assert_allclose(motion.q[-1, :2] / path, along[:2], atol=1e-7)
        np.testing.assert_allclose(motion.v[-1], 0.0, atol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_a_box_that_is_pushed_with_half_of_what_friction_holds_does_not_creep(way):
    push = [0.0, 0.0, 0.0, 0.3 * MU * MASS * G, 0.4 * MU * MASS * G, 0.0]
    motion = on_plane(way, "box").simulate(LIES, STILL, 1.0, 0.02, control=push)
    np.testing.assert_allclose(motion.q[-1], LIES, atol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_the_rod_of_painleve_jams_by_the_impulse_that_stops_its_tip(way):
    """A push on the tip brings it down faster; ``r = - D^-1 u`` as the step goes to zero, within the cone."""
    half, radius, angle, friction, speed = 0.5, 0.01, np.radians(60.0), 1.8, 1.5
    moment, s, c = half**2 / 3.0, np.sin(angle), np.cos(angle)
    builder, surface, tip = ModelBuilder(), Surface(friction=friction), (0.0, 0.0, -half)
    free(builder, "rod", 1.0, (moment, moment, 1e-3 * moment))
    shapes = [Collider("floor", HalfSpace(), "world", surface), Collider("tip", Sphere(radius), ("rod", tip), surface)]
    points = [PointContact("touch", "world", ("rod", tip), radius=radius, friction=friction)]
    turn = angle - 0.5 * np.pi
    q = [-half * c, 0.0, half * s + radius, np.cos(0.5 * turn), 0.0, np.sin(0.5 * turn), 0.0]
    v = [0.0, 0.0, 0.0, s * speed, 0.0, -c * speed]  # the tip is below the middle and in front of it
    after = world_by(way, builder, shapes, points).step(q, v, 1e-7)
    lever = np.array([-half * s - radius, -half * c])  # of a force (x, z) at the point, about the middle and y
    impulse = np.linalg.solve(np.eye(2) + np.outer(lever, lever) / moment, [-speed, 0.0])
    assert abs(impulse[0]) < friction * impulse[1]
    assert 1.0 + half * c / moment * (half * c - friction * (half * s + radius)) < 0.0
    np.testing.assert_allclose(1e-7 * after.contacts.force.sum(axis=0), [impulse[0], 0.0, impulse[1]], atol=1e-5)


@pytest.mark.parametrize("way", WAYS)
def test_a_ball_that_meets_four_others_at_rest_comes_back_and_takes_them_along(way):
    """Contacts of a cradle without gaps act at once: the first comes back at 1 - 2 (n - 1) / n, others go at 2 / n."""
    n, length, surface = 5, 0.6, Surface(friction=0.0, restitution=1.0)
    builder, shapes, points = ModelBuilder(), [], []
    toward_x = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]
    for k in range(n):
        builder.add_body(f"b{k}", mass=0.5, center_of_mass=(0, 0, -length), inertia=inertia(Sphere(RADIUS), 0.5))
        builder.add_joint(
            f"b{k}", "revolute", "world", f"b{k}", axis=(0, -1, 0), position=(2.0 * RADIUS * k, 0.0, length)
        )
        shapes.append(Collider(f"s{k}", Sphere(RADIUS), (f"b{k}", (0, 0, -length)), surface))
        if k:
            side = (f"b{k - 1}", (RADIUS, 0.0, -length), toward_x)
            points.append(PointContact(f"p{k}", side, (f"b{k}", (0, 0, -length)), radius=RADIUS, restitution=1.0))
    v = world_by(way, builder, shapes, points).step(np.zeros(n), [1.0, *np.zeros(n - 1)], 1e-6).v
    np.testing.assert_allclose(v, [1.0 - 2.0 * (n - 1) / n, *[2.0 / n] * (n - 1)], atol=1e-4)


@pytest.mark.slow
@pytest.mark.everything
@pytest.mark.parametrize("way", WAYS[1:])
def test_a_round_arch_of_six_stones_stands_if_it_is_as_thick_as_statics_says(way):
    """It takes 0.104134 of the radius: by a linear programme of forces at all joints, which the scene ``arch`` has beside
    its contacts of points.
    """
    n, friction, least = 6, 0.8, 0.104134
    for share, stands in ((1.002, True), (0.998, False)):
        builder, surface, q = ModelBuilder(), Surface(friction=friction), []
        shapes = [Collider("floor", HalfSpace(), "world", surface)]
        for k in range(n):
            angles, radii = np.pi * np.array([k, k + 1]) / n, 1.0 + 0.5 * share * least * np.array([-1, 1])
            corners = [[r * np.cos(a), y, r * np.sin(a)] for r in radii for a in angles for y in (-0.15, 0.15)]
            stone = centred(np.array(corners))
            free(builder, f"stone{k}", 50.0, 50.0 * solid(stone))
            shapes.append(Collider(f"s{k}", stone, f"stone{k}", surface))
            q += [*(corners[0] - stone.vertices[0]), *UPRIGHT]
        v = world_by(way, builder, shapes, [], closed=True).step(q, np.zeros(6 * n), 1e-3).v
        assert (np.abs(v).max() < 1e-6 * G * 1e-3) == stands, share


def test_the_three_ways_are_one_motion():
    """A box slides to a stop, a ball that spins slides and then rolls.

    Not a box that spins: how its weight is shared among four corners is open, and with that how fast it stops to turn.
    """
    for kind, q, v in (
        ("box", LIES, [0.0, 0.0, 0.0, 0.5, -0.3, 0.0]),
        ("ball", STANDS, [1.0, -3.0, 2.0, 0.4, 0.1, 0.0]),
    ):
        first, *others = (on_plane(way, kind).simulate(q, v, 30 * H, H) for way in WAYS)
        for other in others:
            np.testing.assert_allclose(other.q, first.q, atol=1e-7)
            np.testing.assert_allclose(other.v, first.v, atol=1e-7)
