"""Convex hulls over half-spaces, in the compiled step of a world."""

import numpy as np

from pluecker.contact import World
from pluecker.contact.geometry import Collider, ConvexHull, HalfSpace, ShapeContact
from pluecker.contact.world.memory import key_of
from tests.contact.world.touching import SHAPES, bodies, on_ground


def test_a_hull_with_the_corners_of_a_box_is_the_box():
    """It slides and spins on its face, and begins to tip over an edge."""
    tilt = np.array([0, 0, 0.0, np.cos(0.1), 0, np.sin(0.1), 0])
    tilt[2] = 0.2 * np.sin(0.2) + 0.1 * np.cos(0.2)
    for q, v in (([0, 0, 0.1, 1, 0, 0, 0], [0, 0, 3.0, 0.5, 0.2, 0]), (tilt, [0, 0.5, 0, 0, 0, 0])):
        box, hull = (on_ground(kind, 0.4)[0].simulate(q, v, 0.05, 0.005) for kind in ("box", "hull"))
        np.testing.assert_allclose(hull.q, box.q, atol=1e-9)


def test_a_memory_belongs_to_the_corners_of_a_hull_and_not_to_where_they_are_kept():
    ground = Collider("ground", HalfSpace(), "world")
    shape, _ = SHAPES["hull"]
    model = bodies({"hull": shape})
    one, same, other = (
        World(model, [ShapeContact("touch", ground, Collider("skin", ConvexHull(corners), "hull"))])
        for corners in (shape.vertices, shape.vertices.copy(), 1.01 * shape.vertices)
    )
    assert key_of(one) == key_of(same) != key_of(other)
