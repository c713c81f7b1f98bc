"""Convex hulls over half-spaces, and spheres and capsules on hulls, in the compiled step of a world."""

import numpy as np
import pytest

from pluecker.contact import World
from pluecker.contact.geometry import Collider, ConvexHull, HalfSpace, ShapeContact
from pluecker.contact.world.memory import key_of
from tests.conftest import COMPILED
from tests.contact.world.touching import SHAPES, bodies, on_ground


def test_a_hull_with_the_corners_of_a_box_is_the_box():
    """It slides and spins on its face, and begins to tip over an edge."""
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


def test_states_of_a_batch_move_on_a_hull_as_each_of_them_alone():
    rng = np.random.default_rng(5)
    hull = ConvexHull(rng.normal(size=(20, 3)) * 0.2)
    pair = Collider("ground", hull, "world"), Collider("skin", SHAPES["capsule"][0], "capsule")
    world = World(bodies({"capsule": SHAPES["capsule"][0]}), [ShapeContact("touch", *pair)])
    q = np.tile([0, 0, 0.6, 1.0, 0, 0, 0], (5, 1)) + 0.1 * rng.normal(size=(5, 7))
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1)[:, None]
    v = rng.normal(size=(5, 6)) - [0, 0, 0, 0, 0, 2]
    duration = 0.3 if COMPILED else 0.05
    together = world.simulate(q, v, duration, 0.005)
    for k in range(5):
        np.testing.assert_allclose(together.q[k], world.simulate(q[k], v[k], duration, 0.005).q, atol=1e-9)


def test_a_memory_belongs_to_the_corners_of_a_hull_and_not_to_where_they_are_kept():
    ground = Collider("ground", HalfSpace(), "world")
    shape, _ = SHAPES["hull"]
    model = bodies({"hull": shape})
    one, same, other = (
        World(model, [ShapeContact("touch", ground, Collider("skin", ConvexHull(corners), "hull"))])
        for corners in (shape.vertices, shape.vertices.copy(), 1.01 * shape.vertices)
    )
    assert key_of(one) == key_of(same) != key_of(other)
