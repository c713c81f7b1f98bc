"""Hulls, cylinders, meshes as they are given and height fields in steps: closed forms do not know what ground is made of."""

import itertools

import numpy as np
import pytest

from pluecker.articulated import kinetic_energy, potential_energy
from pluecker.contact import World
from pluecker.contact.geometry import Box, Capsule, Collider, ConvexHull, Cylinder, HeightField, Mesh, Sphere, Surface
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.found.worlds import UPRIGHT, G, tilted
from tests.contact.geometry.pairs import CUBE
from tests.models import free_bodies

pytest.importorskip("coal", reason="it finds the contacts of hulls and meshes (extra collision)")

H, MASS, SIDES = 0.005, 2.0, (0.4, 0.3, 0.2)
LIES = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
SQUARE = [[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]]
GROUNDS = {
    "hull": (ConvexHull(CUBE * (2.0, 2.0, 0.5)), -0.5),  # and how low its origin is
    "mesh": (Mesh(SQUARE, [[0, 1, 2], [0, 2, 3]], convex=False), 0.0),
    "field": (HeightField(np.zeros((23, 23)), (4.0, 4.0)), 0.0),
}
TOPS = {
    "box": (Box(SIDES), UPRIGHT),
    "hull": (ConvexHull(CUBE * SIDES / 2.0), UPRIGHT),
    "cylinder": (Cylinder(0.1, 0.2), UPRIGHT),
    "capsule": (Capsule(0.1, 0.3), LIES),
    "sphere": (Sphere(0.1), UPRIGHT),
}


def cases(chosen, *others):
    """Combinations of values; on each change those that are chosen, the others in ``make everything`` too."""
    every = itertools.product(*others)
    return [each if each in chosen else pytest.param(*each, marks=pytest.mark.everything) for each in every]


def free(count, moments=(0.026, 0.033, 0.042)):
    """Bodies b0, b1, ..."""
    return free_bodies(count, MASS, moments)


def on(ground, top, friction, slope=0.0, **options):
    """A world of one body on the ground, and where it lies."""
    shape, low = GROUNDS[ground]
    _, _, matrix = tilted(slope)
    R, surface = np.array(matrix), Surface(friction)
    body, turn = TOPS[top]
    shapes = [Collider("ground", shape, ("world", low * R[:, 2], R), surface), Collider("it", body, "b0", surface)]
    moments = [0.4 * MASS * 0.01] * 3 if top == "sphere" else (0.026, 0.033, 0.042)
    w, y = np.cos(slope / 2), np.sin(slope / 2)
    turned = [w * turn[0] - y * turn[2], 0.0, w * turn[2] + y * turn[0], 0.0]
    place = R @ [0.11, 0.07, 0.1]
    return World(free(1, moments), shapes=shapes, **options), np.array([*place, *turned]), R


@pytest.mark.parametrize("top", TOPS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_what_lies_on_any_ground_rests_and_its_forces_are_its_weight(ground, top):
    world, q, _ = on(ground, top, 0.5)
    step = world.step(q, np.zeros(6), H)
    np.testing.assert_allclose(step.v, 0.0, atol=1e-9)
    np.testing.assert_allclose(step.contacts.wrench("world", "b0", "b0")[[0, 1, 2]], 0.0, atol=1e-6)
    np.testing.assert_allclose(step.contacts.wrench("world", "b0")[3:], [0.0, 0.0, MASS * G], atol=1e-6)


@pytest.mark.parametrize(
    ("ground", "top"),
    cases([("hull", "cylinder"), ("mesh", "box"), ("field", "hull")], GROUNDS, ("box", "hull", "cylinder")),
)
def test_a_body_sticks_to_an_incline_up_to_the_angle_of_friction_and_then_slides(ground, top):
    friction = 0.4
    limit = np.arctan(friction)
    for slope in (limit - 1e-4, limit + 1e-3):
        world, q, R = on(ground, top, friction, slope, accuracy=1e-9)
        motion = world.simulate(q, np.zeros(6), 4 * H, H)
        gain = max(0.0, G * (np.sin(slope) - friction * np.cos(slope)))
        np.testing.assert_allclose(motion.v[-1, 3:], [4 * H * gain, 0.0, 0.0], atol=1e-6)
        assert np.abs((motion.q[-1, :3] - q[:3]) @ R[:, 2]) < 1e-7


@pytest.mark.parametrize(
    ("ground", "top"),
    cases([("mesh", "box"), ("mesh", "cylinder"), ("field", "capsule"), ("field", "sphere")], ("mesh", "field"), TOPS),
)
def test_what_slides_over_triangles_without_friction_meets_none_of_their_edges(ground, top):
    world, q, _ = on(ground, top, 0.0)
    speed = np.array([0.8, 0.5])
    motion = world.simulate(q, [0, 0, 0, *rotated(q, speed)], (80 if COMPILED else 4) * H, H)
    np.testing.assert_allclose(motion.q[-1, :2], q[:2] + speed * motion.time[-1], atol=1e-6)
    np.testing.assert_allclose(motion.q[:, 2], q[2], atol=1e-7)
    np.testing.assert_allclose(motion.q[:, 3:], np.tile(q[3:], (len(motion), 1)), atol=1e-6)


def rotated(q, speed):
    """A velocity in the body's axes, which are turned about y."""
    angle = 2.0 * np.arctan2(q[5], q[3])
    return np.cos(angle) * speed[0], speed[1], np.sin(angle) * speed[0]


@pytest.mark.parametrize("ground", GROUNDS)
def test_a_ball_rolls_down_with_five_sevenths_of_g_sin_a(ground):
    slope = 0.3
    world, q, _ = on(ground, "sphere", 0.5, slope, accuracy=1e-9)
    motion = world.simulate(q, np.zeros(6), 10 * H, H)
    np.testing.assert_allclose(np.hypot(*motion.v[-1, [3, 5]]), 10 * H * 5.0 / 7.0 * G * np.sin(slope), rtol=1e-6)


@pytest.mark.parametrize("top", ["box", "hull"])
@pytest.mark.parametrize("ridges", [1, 2])
def test_a_box_on_ridges_rests_and_does_not_rock(ridges, top):
    """One ridge is of a mesh, and the box off its middle along it; two are of a height field, at x = -0.125 and 0.125."""
    tent = [[-1, -1, -1], [-1, 1, -1], [0, -1, 0], [0, 1, 0], [1, -1, -1], [1, 1, -1]]
    ground = Mesh(tent, [[0, 3, 1], [0, 2, 3], [2, 4, 5], [2, 5, 3]], convex=False)
    if ridges == 2:
        ground = HeightField(np.array([[-0.3, 0.0, -0.3, 0.0, -0.3]] * 7), (0.5, 2.0))
    surface = Surface(0.5)
    shapes = [Collider("ground", ground, "world", surface), Collider("it", TOPS[top][0], "b0", surface)]
    world, q = World(free(1), shapes=shapes), np.array([0.02 * (ridges - 1), 0.05, 0.1, *UPRIGHT])
    motion = world.simulate(q, np.zeros(6), 20 * H, H)
    np.testing.assert_allclose(motion.q, np.tile(q, (len(motion), 1)), atol=1e-7)
    np.testing.assert_allclose(motion.v, 0.0, atol=1e-6)


PLACES = {"box": 4, "hull": 4, "cylinder": 8, "capsule": 2, "sphere": 1}
SOFT = [
    ("mesh", "box", "both"),
    ("mesh", "sphere", "top"),
    ("field", "cylinder", "ground"),
    ("field", "capsule", "both"),
]


@pytest.mark.parametrize(("ground", "top", "soft"), cases(SOFT, ("mesh", "field"), PLACES, ("ground", "top", "both")))
def test_what_lies_on_soft_triangles_sinks_by_its_weight_over_the_stiffness_of_its_places(ground, top, soft):
    """m g / (n k) of n places; of two soft surfaces in series k is the half."""
    k, damping, places = 2e4, 300.0, PLACES[top]
    rigid, give = Surface(0.5), Surface(0.5, stiffness=k, damping=damping)
    body, turn = TOPS[top]
    shapes = [
        Collider("ground", GROUNDS[ground][0], "world", rigid if soft == "top" else give),
        Collider("it", body, "b0", rigid if soft == "ground" else give),
    ]
    world = World(free(1), shapes=shapes, accuracy=1e-9)
    q = np.array([0.11, 0.07, 0.1, *turn])
    depth = MASS * G / (places * (0.5 * k if soft == "both" else k))
    rests = world.step(q - depth * np.eye(7)[2], np.zeros(6), H)
    np.testing.assert_allclose(rests.v, 0.0, atol=1e-6)
    np.testing.assert_allclose(rests.contacts.gap, -depth, atol=1e-8)
    np.testing.assert_allclose(rests.contacts.wrench("world", "b0")[3:], [0.0, 0.0, MASS * G], atol=1e-4)
    motion = world.simulate(q, np.zeros(6), 60 * H, H)  # from above it comes to the same place
    np.testing.assert_allclose(motion.q[-1, 2], 0.1 - depth, atol=0.02 * depth)


@pytest.mark.skipif(not COMPILED, reason="thousands of steps: compiled only")
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8) if EVERYTHING else [0])
def test_what_falls_on_rough_ground_makes_no_energy_and_does_not_sink(seed):
    rng = np.random.default_rng(seed)
    height = 0.05
    field = HeightField(height * rng.random((17, 17)), (3.0, 3.0))
    shape = list(TOPS.values())[seed % 4][0]
    surface = Surface(float(rng.choice([0.2, 0.8])))
    shapes = [Collider("ground", field, "world", surface), Collider("it", shape, "b0", surface)]
    world, turn = World(free(1), shapes=shapes, recovery=0.0), rng.standard_normal(4)
    q = np.array([*rng.uniform(-0.3, 0.3, 2), 0.4, *(turn / np.linalg.norm(turn))])
    v = rng.standard_normal(6) * np.repeat([3.0, 1.0], 3)
    motion = world.simulate(q, v, 0.8, H, record="constraint_forces", on_unsolved="continue")
    energy = kinetic_energy(world.model, motion.q, motion.v) + potential_energy(world.model, motion.q)
    # the law holds to 1e-6 of the fastest, 4 m/s or 16 J/kg
    assert np.diff(energy).max() < 1e-6 * energy[0]
    depths = [-each.gap.min() for each in motion.contacts if len(each)]
    assert max(depths) < height
    assert motion.q[-1, 2] > 0.1


def test_edges_of_hulls_that_cross_are_remembered_from_step_to_step():
    """Their names are below zero; a memory with such a name was refused."""
    surface, c = Surface(0.5), np.sqrt(0.5)
    along = ("world", (0.0, 0.0, 0.0), [[1.0, 0.0, 0.0], [0.0, c, -c], [0.0, c, c]])
    cube = ConvexHull(0.1 * CUBE)
    world = World(free(1), shapes=[Collider("ground", cube, along, surface), Collider("it", cube, "b0", surface)])
    q = np.array([0.0, 0.0, 0.4 * c - 1e-9, np.cos(np.pi / 8), 0.0, np.sin(np.pi / 8), 0.0])
    step = world.step(q, np.zeros(6), H)
    assert world.found_contacts.collision.find(q).feature.max() < 0
    np.testing.assert_allclose(step.contacts.wrench("world", "b0")[3:], [0.0, 0.0, MASS * G], atol=1e-5)
    again = world.step(step.q, step.v, H, memory=step.memory)
    np.testing.assert_allclose(again.contacts.wrench("world", "b0")[3:], [0.0, 0.0, MASS * G], atol=1e-5)
