"""Free bodies of one shape on the ground, for tests of contacts between shapes."""

import itertools

import numpy as np

from pluecker.articulated import ModelBuilder, forward_kinematics
from pluecker.contact import World
from pluecker.contact.geometry import (
    Box,
    Capsule,
    Collider,
    ConvexHull,
    Cylinder,
    HalfSpace,
    ShapeContact,
    Sphere,
)
from tests.contact.found.worlds import inertia

G = 9.81
SIDES = (0.4, 0.3, 0.2)
SHAPES = {
    "box": (Box(SIDES), 0.1),  # and how high its origin is where it lies
    "sphere": (Sphere(0.1), 0.1),
    "cylinder": (Cylinder(0.2, 0.3), 0.15),
    "capsule": (Capsule(0.1, 0.3), 0.25),
    "hull": (ConvexHull(0.5 * np.array(SIDES) * list(itertools.product((-1, 1), repeat=3))), 0.1),  # of the box
}


def bodies(shapes, gravity=(0.0, 0.0, -G), mass=2.0):
    """Free bodies, called by the names of their shapes."""
    b = ModelBuilder(gravity=gravity)
    for name, shape in shapes.items():
        b.add_body(name, mass=mass, inertia=inertia(Box(SIDES) if isinstance(shape, ConvexHull) else shape, mass))
        b.add_joint(name, "free", "world", name)
    return b.build()


def on_ground(kind, friction=0.5, slope=0.0, turned=False, **options):
    """A world of one body on the plane z = 0, with gravity turned about y instead of the plane; where it lies."""
    shape, height = SHAPES[kind]
    model = bodies({kind: shape}, (G * np.sin(slope), 0.0, -G * np.cos(slope)))
    colliders = [Collider("ground", HalfSpace(), "world"), Collider("skin", shape, kind)]
    if turned:
        colliders.reverse()
    world = World(model, [ShapeContact("touch", *colliders, friction=friction, **options)])
    return world, np.array([0, 0, height, 1, 0, 0, 0], dtype=float)


def world_velocity(motion, k=-1, body=0):
    """Return the velocity of a body's origin, in the world."""
    R = forward_kinematics(motion.model, motion.q[k])[body, :3, :3]
    return R @ motion.v[k, 6 * body + 3 : 6 * body + 6]
