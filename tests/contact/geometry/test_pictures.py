"""Colliders in pictures: surfaces of triangles with the volumes of the shapes, on their bodies.

The triangles are read by the inside function with which pictures do: in a drawn picture they could not be measured.
"""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder
from pluecker.articulated.pictures.visuals import visual_shapes
from pluecker.contact import GeometryError
from pluecker.contact.geometry import (
    Box,
    Capsule,
    Collider,
    ConvexHull,
    Cylinder,
    HalfSpace,
    HeightField,
    Mesh,
    Sphere,
    draw_colliders,
)

PYRAMID = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def one_body():
    """A free body with a frame on it."""
    builder = ModelBuilder()
    builder.add_body("body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    builder.add_joint("free", "free", "world", "body")
    builder.add_frame("flange", "body", position=(0.0, 0.0, 0.5))
    return builder.build()


def volume(surface):
    """Return the volume inside a closed surface."""
    vertices, faces = surface
    return np.linalg.det(vertices[faces]).sum() / 6.0


@pytest.mark.parametrize(
    ("shape", "expected", "within"),
    [
        (Box((1.0, 2.0, 3.0)), 6.0, 1e-12),
        (ConvexHull(PYRAMID), 1.0 / 6.0, 1e-12),
        (Sphere(0.5), np.pi / 6.0, 0.05),  # of 12 rings of 20 corners
        (Cylinder(0.5, 2.0), np.pi / 2.0, 0.03),
        (Capsule(0.5, 1.0), np.pi / 4.0 + np.pi / 3.0, 0.05),  # a cylinder and two whole balls, whose halves it hides
    ],
)
def test_surfaces_have_the_volume_of_their_shapes(shape, expected, within):
    (drawn,) = visual_shapes(draw_colliders(one_body(), [Collider("skin", shape, "body")]))
    assert volume(drawn.surface) == pytest.approx(expected, rel=within)


def test_shapes_are_on_their_bodies_and_half_spaces_are_rectangles():
    model = one_body()
    turned = (0.5**0.5, 0.0, 0.5**0.5, 0.0)  # z to x
    colliders = [
        Collider("floor", HalfSpace(), ("world", (1.0, 0.0, 0.0), turned)),
        Collider("tip", Sphere(0.1), ("flange", (0.0, 0.0, 0.2))),
        Collider("field", HeightField([[0.0, 1.0], [0.0, 0.5]], (1.0, 2.0)), "world"),
        Collider("mesh", Mesh(PYRAMID, [[0, 1, 2]], convex=False), "world"),
    ]
    drawn = draw_colliders(model, colliders, ground=(2.0, 1.0), colors={"tip": "red"})
    floor, tip, _, _ = visual_shapes(drawn)
    assert (floor.body, tip.body) == (-1, 0)
    np.testing.assert_allclose(floor.surface[0][:, 0], 1.0, atol=1e-12)
    np.testing.assert_allclose(np.ptp(floor.surface[0], axis=0), [0.0, 1.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(tip.surface[0].mean(axis=0), [0.0, 0.0, 0.7], atol=1e-12)
    assert drawn == model
    assert visual_shapes(model) == []


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ({"colliders": 3}, TypeError, "colliders is 3"),
        ({"colliders": [Sphere(1.0)]}, TypeError, "records of Collider"),
        ({"ground": 0.0}, ValueError, "ground is 0"),
        ({"ground": [1.0, 2.0, 3.0]}, GeometryError, "expected a number or"),
        ({"visuals": 1}, TypeError, "expected True or False"),
        ({"colors": 5}, TypeError, "colors is 5"),
        ({"colors": {"skin": "pink"}}, GeometryError, "'pink', expected '#rrggbb'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong, kind, message):
    values = {"model": one_body(), "colliders": [Collider("skin", Sphere(0.1), "body")], **wrong}
    with pytest.raises(kind, match=message):
        draw_colliders(values.pop("model"), values.pop("colliders"), **values)
