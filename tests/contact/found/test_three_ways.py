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
from pluecker.contact.constraints import PointContact, PrescribedMotion, Spline
from pluecker.contact.geometry import Box, Collider, HalfSpace, Sphere, Surface
from tests.contact.found.worlds import UPRIGHT, G, inertia

WAYS = ("points", "named", "found")
H, MU, MASS = 0.005, 0.4, 2.0
SIDES, RADIUS = (0.4, 0.3, 0.1), 0.1
STILL = np.zeros(6)
LIES, STANDS = np.array([0.0, 0.0, 0.05, *UPRIGHT]), np.array([0.0, 0.0, RADIUS, *UPRIGHT])


def world_by(way, builder, shapes, points, closed=False, held=(), impacts="newton", kind="ncp"):
    """Make a world of points that touch, or of shapes: each touches the next, if closed the last one the first.

    ``held``: other constraints; ``kind``: the law of friction.
    """
    options = {"law": kind} if way != "found" and kind == "ncp" else {"law": kind, "accuracy": 1e-9}
    if way == "points":
        return World(builder.build(), [*held, *points], **options)
    if way == "named":
        options["pairs"] = [(a.name, b.name) for a, b in pairwise([*shapes, shapes[0]] if closed else shapes)]
    return World(builder.build(), held, shapes=shapes, impacts=impacts, **options)


def free(builder, name, mass, moments):
    """Add a free body."""
    builder.add_body(name, mass=mass, inertia=moments)
    builder.add_joint(name, "free", "world", name)


@cache
def on_plane(way, kind, slope=0.0, friction=MU, impacts="newton", rule="ncp", **law):
    """A box, or a ball, on the plane z = 0, with gravity turned about y; ``rule``: the law of friction; ``law``: what else
    the surface of the body has.
    """
    builder = ModelBuilder(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    shape, own = Box(SIDES) if kind == "box" else Sphere(RADIUS), Surface(friction, **law)
    ground = own if "kinetic_friction" in law else Surface(friction)
    free(builder, "body", MASS, inertia(shape, MASS))
    law = {"friction": friction, "impacts": impacts, **law}
    points = corners("world", **law) if kind == "box" else [PointContact("p", "world", "body", radius=RADIUS, **law)]
    shapes = [Collider("plane", HalfSpace(), "world", ground), Collider("skin", shape, "body", own)]
    return world_by(way, builder, shapes, points, impacts=impacts, kind=rule)


def corners(ground, **law):
    """Points at the lower corners of the box that touch a plane."""
    places = [(x, y, -0.05) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    return [PointContact(f"p{k}", ground, ("body", place), **law) for k, place in enumerate(places)]


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


# ------------------------------------------------------------------- every term of the law, whoever makes the list


def assert_one_motion(worlds, q, v, steps, atol=1e-7):
    """Check that all worlds have the same state after each step; return the motion of the first."""
    first, *others = (world.simulate(q, v, steps * H, H) for world in worlds)
    for other in others:
        np.testing.assert_allclose(other.q, first.q, atol=atol)
        np.testing.assert_allclose(other.v, first.v, atol=atol)
    return first


def test_a_ball_that_slides_is_one_motion_by_each_law_of_friction():
    """By Coulomb's law, also with a polygon along which it goes, it is slowed by mu g; by the convex one it rises with mu
    times its slip, in the first step, and then flies; without friction nothing slows it.
    """
    v = [0.0, 0.0, 0.0, 0.5, 0.0, 0.0]
    for rule, slowed, rises in (
        ("ncp", MU * G * H, 0.0),
        ("lcp", MU * G * H, 0.0),
        ("frictionless", 0.0, 0.0),
        ("ccp", None, MU),
    ):
        motion = assert_one_motion([on_plane(way, "ball", rule=rule) for way in WAYS], STANDS, v, 1 if rises else 6)
        R = turned(motion.q[1])
        w, u = R @ motion.v[1, :3], R @ motion.v[1, 3:]
        np.testing.assert_allclose(u[2], rises * (u[0] - RADIUS * w[1]), atol=1e-7)
        if slowed is not None:
            np.testing.assert_allclose(u[0], 0.5 - slowed, atol=1e-7)


def test_by_another_law_than_coulombs_named_pairs_alone_touch():
    """Boxes fall through the plane that they are not paired with, and through one another, and lie on the one below. A world
    of other pairs does not go on from there.
    """
    builder, surface = ModelBuilder(), Surface(friction=MU)
    shapes = [Collider("upper", HalfSpace(), "world"), Collider("lower", HalfSpace(), ("world", (0.0, 0.0, -0.1)))]
    for name in ("one", "two"):
        free(builder, name, MASS, inertia(Box(SIDES), MASS))
        shapes.append(Collider(name, Box(SIDES), name, surface))
    world = World(builder.build(), shapes=shapes, pairs=[("lower", "one"), ("two", "lower")], law="ccp")
    start = np.array([*LIES, 0.0, 0.0, 0.2, *UPRIGHT])
    lies = [*LIES[:2], -0.05, *UPRIGHT]
    np.testing.assert_allclose(world.simulate(start, np.zeros(12), 0.5, H).q[-1], [*lies, *lies], atol=1e-6)
    other = World(world.model, shapes=shapes, pairs=[("lower", "one")], law="ccp")
    with pytest.raises(ValueError, match="another world"):
        other.step(world.start(start, np.zeros(12)), H)


@pytest.mark.parametrize(("impacts", "e"), [("newton", 0.6), ("poisson", 0.6), ("poisson", 1.0)])
def test_what_bounces_with_friction_is_one_motion(impacts, e):
    """A ball that spins and slides hits the plane, and comes back with e of its speed."""
    v = [3.0, -20.0, 2.0, 0.5, -0.2, -1.5]
    worlds = [on_plane(way, "ball", friction=0.2, impacts=impacts, restitution=e) for way in WAYS]
    motion = assert_one_motion(worlds, [*STANDS[:2], RADIUS, *STANDS[3:]], v, 6)
    np.testing.assert_allclose(motion.v[1, 3:] @ turned(motion.q[1])[2], e * 1.5, atol=1.01 * G * H)


def test_what_hits_a_little_deep_gives_back_the_share_of_its_approach_alone():
    """By Poisson's law; the depth is undone in the step, and nothing of that comes back."""
    worlds = [on_plane(way, "ball", friction=0.2, impacts="poisson", restitution=0.6) for way in WAYS]
    motion = assert_one_motion(worlds, [0.0, 0.0, RADIUS - 1e-3, *UPRIGHT], [0.0, 0.0, 0.0, 0.0, 0.0, -1.5], 1)
    np.testing.assert_allclose(motion.v[1], [0.0, 0.0, 0.0, 0.0, 0.0, 0.6 * 1.5 - G * H], atol=1e-7)


def turned(q):
    """Return the rotation of a free body, from its axes to the world."""
    w, x, y, z = q[3:7]
    r = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * r + 2.0 * r @ r


def test_what_slides_with_less_friction_than_it_sticks_with_is_one_motion():
    """It stops at v^2 / (2 mu_k g), and is then held against a push that would not stop it."""
    worlds = [on_plane(way, "box", kinetic_friction=0.25) for way in WAYS]
    motion = assert_one_motion(worlds, LIES, [0.0, 0.0, 0.0, 0.25, 0.1, 0.0], 40)
    path, speed = np.linalg.norm(motion.q[-1, :2]), np.hypot(0.25, 0.1)
    assert abs(path - speed**2 / (2.0 * 0.25 * G)) < 0.51 * H * speed
    for world in worlds:
        held = world.simulate(LIES, STILL, 10 * H, H, control=[0.0, 0.0, 0.0, 0.9 * MU * MASS * G, 0.0, 0.0])
        np.testing.assert_allclose(held.q[-1], LIES, atol=1e-9)


def test_what_falls_on_a_soft_surface_is_one_motion():
    """It settles where its spring carries the weight."""
    k = 4e3
    worlds = [on_plane(way, "ball", friction=0.0, stiffness=k, damping=120.0) for way in WAYS]
    motion = assert_one_motion(worlds, [0.0, 0.0, RADIUS + 0.01, *UPRIGHT], STILL, 100)
    np.testing.assert_allclose(RADIUS - motion.q[-1, 2], MASS * G / k, rtol=1e-4)


def on_rails(way, **law):
    """A box that cannot turn, on a plane: where a force acts on it does not matter."""
    builder = ModelBuilder()
    builder.add_body("carriage", mass=0.5, inertia=(0.1, 0.1, 0.1))
    builder.add_joint("along", "prismatic", "world", "carriage", axis=(1.0, 0.0, 0.0))
    builder.add_body("body", mass=MASS, inertia=inertia(Box(SIDES), MASS))
    builder.add_joint("up", "prismatic", "carriage", "body", axis=(0.0, 0.0, 1.0))
    shapes = [
        Collider("plane", HalfSpace(), "world", Surface(MU)),
        Collider("skin", Box(SIDES), "body", Surface(MU, **law)),
    ]
    return world_by(way, builder, shapes, corners("world", friction=MU, **law))


def test_what_falls_on_a_soft_surface_and_rubs_there_is_one_motion():
    """Spring and damper push at each corner, friction is a share of what they push with."""
    k, d = 1e3, 30.0
    worlds = [on_rails(way, stiffness=k, damping=d) for way in WAYS]
    motion = assert_one_motion(worlds, [0.0, 0.05], [0.5, -0.1], 60)
    pressed = 4 * (k * (0.05 - motion.q[1:, 1]) - d * motion.v[1:, 1]).clip(min=0.0)
    slides = motion.v[1:, 0] > 0.01
    assert slides[5:10].all()
    assert not slides[-1]
    slowed = -np.diff(motion.v[:, 0]) * (MASS + 0.5) / H
    np.testing.assert_allclose(slowed[slides], MU * pressed[slides], atol=1e-5)
    np.testing.assert_allclose(0.05 - motion.q[-1, 1], MASS * G / (4 * k), rtol=1e-2)


def test_what_comes_back_while_it_resists_to_rolling_and_spinning_is_one_motion():
    law = {"restitution": 0.7, "rolling_friction": 4e-3, "spinning_friction": 8e-3}
    worlds = [world_of_surfaces(way, Surface(0.3, **law)) for way in WAYS[1:]]
    motion = assert_one_motion(worlds, STANDS, [2.0, -6.0, 9.0, 0.5, -0.2, -1.2], 3)
    before, after = np.array([2.0, -6.0, 9.0]), turned(motion.q[1]) @ motion.v[1, :3]
    assert before[2] - after[2] > 0.5 * 2.5 * 8e-3 * 1.7 * 1.2 / RADIUS**2  # more than half of what its torque takes


def world_of_surfaces(way, surface):
    """A ball on a plane with one surface, by Poisson's law."""
    builder = ModelBuilder()
    free(builder, "body", MASS, inertia(Sphere(RADIUS), MASS))
    shapes = [Collider("plane", HalfSpace(), "world", surface), Collider("skin", Sphere(RADIUS), "body", surface)]
    return world_by(way, builder, shapes, [], impacts="poisson")


# -------------------------------------------------------------------------------------------------------- surfaces that move


def on_turntable(way, kind, rate, **law):
    """A box, or a ball, on a plane that turns about z, counterclockwise, at a rate that is prescribed."""
    builder, surface = ModelBuilder(), Surface(friction=0.8, **law)
    builder.add_body("table", mass=5.0, inertia=(1.0, 1.0, 2.0))
    builder.add_joint("axle", "revolute", "world", "table", axis=(0.0, 0.0, 1.0))
    shape = Box(SIDES) if kind == "box" else Sphere(RADIUS)
    free(builder, "body", MASS, inertia(shape, MASS))
    ball = PointContact("p", "table", "body", radius=RADIUS, friction=0.8)
    shapes = [Collider("plate", HalfSpace(), "table", surface), Collider("skin", shape, "body", surface)]
    turn = PrescribedMotion("turn", "axle", Spline([0.0, 1.0], [0.0, rate], rate, rate))
    points = corners("table", friction=0.8) if kind == "box" else [ball]
    return world_by(way, builder, shapes, points, held=[turn])


@pytest.mark.parametrize("way", WAYS)
def test_a_box_that_is_put_on_a_turntable_turns_with_it(way):
    """It is at rest on it from the first step on: the table moves by w x r where the box stands, and turns."""
    rate, r = 1.2, 0.3
    world = on_turntable(way, "box", rate)
    motion = world.simulate([0.0, r, 0.0, *LIES[2:]], [rate, 0.0, 0.0, rate, 0.0, rate * r, 0.0], 40 * H, H)
    angle = motion.q[:, 0]
    np.testing.assert_allclose(angle[-1], rate * 40 * H, atol=1e-9)
    around = r * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    np.testing.assert_allclose(motion.q[:, 1:3], around, atol=0.5 * rate * H * r)
    np.testing.assert_allclose(2.0 * np.arctan2(motion.q[:, 7], motion.q[:, 4]), angle, atol=1e-7)


def test_a_ball_that_rolls_on_a_turntable_goes_round_with_two_sevenths_of_its_rate():
    """Its velocity turns at that rate, wherever it is; the three ways are one motion."""
    rate, r, speed = 2.0, 0.2, 0.3
    v = np.array([rate, 0.0, 0.0, 0.0, 0.0, speed, 0.0])
    v[1] = -(speed - rate * r) / RADIUS  # about x: it rolls on the table, whose velocity is w r along y
    q = [0.0, r, 0.0, *STANDS[2:]]
    motion = assert_one_motion([on_turntable(way, "ball", rate) for way in WAYS], q, v, 40)
    end = turned(motion.q[-1, 1:]) @ motion.v[-1, 4:]
    turn = 2.0 / 7.0 * rate * 40 * H
    np.testing.assert_allclose(end, speed * np.array([-np.sin(turn), np.cos(turn), 0.0]), atol=0.5 * rate * H * speed)


def test_spinning_friction_is_against_the_turn_relative_to_a_turntable():
    """A ball at rest in the middle is turned, by 5 s g / (2 r^2), until it turns as the table does."""
    rate, spins = 0.5, 2e-3
    gain = 2.5 * spins * G / RADIUS**2
    worlds = [on_turntable(way, "ball", rate, spinning_friction=spins) for way in WAYS[1:]]
    motion = assert_one_motion(worlds, [0.0, 0.0, 0.0, *STANDS[2:]], [rate, *STILL], 40)
    np.testing.assert_allclose(motion.v[:, 3], np.minimum(gain * motion.time, rate), atol=1e-8)
    assert gain * 40 * H > rate > gain * 5 * H


@pytest.mark.parametrize("way", WAYS[1:])
def test_a_belt_that_is_turned_takes_along_in_its_own_direction_and_leaves_heights_alone(way):
    """Material does not leave its surface: what its velocity has along the normal counts for nothing."""
    angle, speed = 0.7, 0.3
    c, s = np.cos(angle), np.sin(angle)
    frame = ("world", (0.0, 0.0, 0.0), [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    ends = []
    for lift in (0.0, 0.5, -0.5):
        builder, belt = ModelBuilder(), Surface(friction=0.5, velocity=(speed, 0.0, lift))
        free(builder, "body", MASS, inertia(Box(SIDES), MASS))
        shapes = [Collider("belt", HalfSpace(), frame, belt), Collider("skin", Box(SIDES), "body", Surface(0.5))]
        motion = world_by(way, builder, shapes, []).simulate(LIES, STILL, 30 * H, H, record="constraint_forces")
        np.testing.assert_allclose(motion.v[-1, 3:], [speed * c, speed * s, 0.0], atol=1e-8)
        np.testing.assert_allclose(motion.contacts_at(-1).slip, 0.0, atol=1e-8)
        ends.append(motion.q[-1])
    np.testing.assert_allclose(ends, np.tile(ends[0], (3, 1)), atol=1e-9)
