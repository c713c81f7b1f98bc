"""Convex hulls over half-spaces, on one another and under boxes, spheres and capsules, in the compiled step of a world."""

import itertools

import numpy as np
import pytest

from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, ConvexHull, Cylinder, HalfSpace, ShapeContact
from tests.conftest import COMPILED
from tests.contact.stepping.touching.touching import SHAPES, G, bodies, on_ground
from tests.models import free_bodies


def test_a_hull_with_the_corners_of_a_box_is_the_box():
    """Both slide and spin on a face, and begin to tip over an edge."""
    tilt = np.array([0, 0, 0.0, np.cos(0.1), 0, np.sin(0.1), 0])
    tilt[2] = 0.2 * np.sin(0.2) + 0.1 * np.cos(0.2)
    for q, v in (([0, 0, 0.1, 1, 0, 0, 0], [0, 0, 3.0, 0.5, 0.2, 0]), (tilt, [0, 0.5, 0, 0, 0, 0])):
        box, hull = (on_ground(kind, 0.4)[0].simulate(q, v, 0.05, 0.005) for kind in ("box", "hull"))
        np.testing.assert_allclose(hull.q, box.q, atol=1e-9)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", ["sphere", "capsule"])
def test_what_moves_on_a_hull_with_the_corners_of_a_box_moves_as_on_the_box(kind, turned):
    """A capsule that lies on two points, and slides and spins beyond an edge; what falls on a corner."""
    lying = [np.sqrt(0.5), np.sqrt(0.5), 0, 0] if kind == "capsule" else [1, 0, 0, 0]
    starts = [
        ([0.1, 0, 0.2, *lying], [0, 1.0, 0, 0.5, 0, 0.2]),
        ([0.21, 0.16, 0.25, np.cos(0.2), np.sin(0.2), 0, 0], [1.0, 0, 0.5, 0, 0, -1.0]),
    ]
    model = bodies({kind: SHAPES[kind][0]})
    motions = []
    for ground in ("box", "hull"):
        pair = [Collider("ground", SHAPES[ground][0], "world"), Collider("skin", SHAPES[kind][0], kind)]
        world = World(model, [ShapeContact("touch", *(pair[::-1] if turned else pair), friction=0.4)])
        motions.append([world.simulate(q, v, 0.3, 0.005, record="constraint_forces") for q, v in starts])
    for box, hull in zip(*motions, strict=True):
        np.testing.assert_allclose(hull.q, box.q, atol=1e-7)
        assert np.abs(hull.columns["constraint_forces"]).max() > 1.0
    if kind == "capsule":
        assert (np.abs(motions[1][0].columns["constraint_forces"][1]) > 1.0).sum() >= 2


def two_bodies(lower, upper, found=False):
    """A world of two boxes, hulls of boxes or cylinders, one above the other; named pairs, or none."""
    model = free_bodies(("lower", "upper"), [3.0, 1.0], (0.02, 0.03, 0.04))
    sizes = np.array([0.4, 0.4, 0.2]), np.array([0.2, 0.3, 0.2])
    corners = 0.5 * np.array(list(itertools.product((-1, 1), repeat=3)))
    skins = [Collider("ground", HalfSpace(), "world")]
    for name, kind, size in (("lower", lower, sizes[0]), ("upper", upper, sizes[1])):
        made = {"box": Box(size), "hull": ConvexHull(corners * size), "cylinder": Cylinder(0.5 * size[0], size[2])}
        skins.append(Collider(f"{name} skin", made[kind], name))
    pairs = list(itertools.combinations([each.name for each in skins], 2))
    return World(model, shapes=skins, **({"accuracy": 1e-9} if found else {"pairs": pairs}))


LEANS = np.array([0, 0, 0.1, 1, 0, 0, 0, 0.15, 0.02, 0.35, np.cos(0.2), 0, np.sin(0.2), 0])
FALLS = np.array([0, 0, 0, 0, 0, 0, 0, 0.5, 1.0, 0.3, 0, 0])


def test_hulls_of_boxes_move_on_one_another_as_boxes_do():
    """One falls on an edge of the other, turns over, slides and comes to rest."""
    duration = 0.8 if COMPILED else 0.02
    kinds = list(itertools.product(("box", "hull"), repeat=2))
    motions = [two_bodies(*kind).simulate(LEANS, FALLS, duration, 0.005) for kind in kinds]
    for other in motions[1:]:
        np.testing.assert_allclose(other.q, motions[0].q, atol=1e-7)


def test_named_hulls_and_cylinders_have_the_forces_of_those_that_are_found():
    """A tower is pushed: each interface carries the weight above and the push below."""
    q, tau = np.array([0, 0, 0.1, 1, 0, 0, 0, 0.05, 0.02, 0.3, 1, 0, 0, 0]), np.zeros(12)
    tau[9] = 2.0
    for kinds in itertools.product(("box", "hull", "cylinder"), repeat=2):
        named, found = (two_bodies(*kinds, found=each).step(q, np.zeros(12), 0.01, tau=tau) for each in (False, True))
        assert "cylinder" in kinds or (named.contacts.state == "sticking").sum() == len(found.contacts) == 8
        for a, b, weight in (("world", "lower", 4 * G), ("lower", "upper", G)):
            np.testing.assert_allclose(named.contacts.wrench(a, b)[3:], [-2.0, 0, weight], atol=1e-6)
            np.testing.assert_allclose(named.contacts.wrench(a, b), found.contacts.wrench(a, b), atol=1e-5)


def test_a_motion_of_two_hulls_goes_on_from_its_memory_with_its_hulls_elsewhere():
    world, steps = two_bodies("hull", "hull"), 40 if COMPILED else 2
    whole = world.simulate(LEANS, FALLS, steps * 0.005, 0.005)
    half = world.simulate(LEANS, FALLS, steps // 2 * 0.005, 0.005)
    again = two_bodies("hull", "hull")
    rest = again.simulate(half.q[-1], half.v[-1], steps // 2 * 0.005, 0.005, memory=half.memory)
    np.testing.assert_array_equal(rest.q[-1], whole.q[-1])


@pytest.mark.plain
def test_states_of_a_batch_of_two_hulls_move_as_each_of_them_alone():
    world, rng, n = two_bodies("hull", "hull"), np.random.default_rng(6), 5 if COMPILED else 2
    q, v = np.tile(LEANS, (n, 1)), FALLS + 0.3 * rng.normal(size=(n, 12))
    q[:, 7:10] += 0.02 * rng.normal(size=(n, 3))
    duration = 0.2 if COMPILED else 0.01
    together = world.simulate(q, v, duration, 0.005)
    for k in range(n):
        np.testing.assert_allclose(together.q[k], world.simulate(q[k], v[k], duration, 0.005).q, atol=1e-9)


def test_a_memory_belongs_to_the_corners_of_a_hull_and_not_to_where_they_are_kept():
    ground = Collider("ground", HalfSpace(), "world")
    shape, _ = SHAPES["hull"]
    model = bodies({"hull": shape})
    one, same, other = (
        World(model, [ShapeContact("touch", ground, Collider("skin", ConvexHull(corners), "hull"))])
        for corners in (shape.vertices, shape.vertices.copy(), 1.01 * shape.vertices)
    )
    q = [0, 0, 1.0, 1, 0, 0, 0]
    keys = [world.step(q, np.zeros(6), 0.01).memory.key for world in (one, same, other)]
    assert keys[0] == keys[1] != keys[2]
