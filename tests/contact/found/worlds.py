"""Worlds of free bodies with shapes."""

import numpy as np

from pluecker.articulated import ModelBuilder
from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, HalfSpace, Sphere, Surface

G = 9.81
UPRIGHT = (1.0, 0.0, 0.0, 0.0)

__all__ = ["UPRIGHT", "G", "bodies", "floor", "inertia", "tilted", "world_of"]


def inertia(shape, mass):
    """Principal moments of a homogeneous body."""
    if isinstance(shape, Sphere):
        return [0.4 * mass * shape.radius**2] * 3
    if isinstance(shape, Box):
        squares = np.array(shape.size) ** 2
        return (mass / 12.0 * (squares.sum() - squares)).tolist()
    r, length = shape.radius, shape.length
    across = mass * (3.0 * r * r + length * length) / 12.0
    return [across, across, 0.5 * mass * r * r]


def bodies(shapes, masses=1.0):
    """A model of free bodies ``b0``, ``b1``, ..., one for each shape."""
    builder = ModelBuilder()
    for k, (shape, mass) in enumerate(zip(shapes, np.broadcast_to(masses, len(shapes)).tolist(), strict=True)):
        builder.add_body(f"b{k}", mass=mass, inertia=inertia(shape, mass))
        builder.add_joint(f"j{k}", "free", parent="world", child=f"b{k}")
    return builder.build()


def floor(surface=None, frame="world"):
    """The half-space below z = 0."""
    return Collider("floor", HalfSpace(), frame, surface or Surface())


def tilted(angle):
    """The frame of a slope that falls towards x."""
    c, s = np.cos(angle), np.sin(angle)
    return ("world", (0.0, 0.0, 0.0), [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def world_of(shapes, surface=None, masses=1.0, ground=None, **options):
    """Free bodies on the floor, all with one surface."""
    surface = surface or Surface()
    skins = [Collider(f"s{k}", shape, f"b{k}", surface) for k, shape in enumerate(shapes)]
    return World(bodies(shapes, masses), shapes=[floor(surface) if ground is None else ground, *skins], **options)
