"""Surfaces of triangles for coal: shapes as it has them, and the signed distance of a surface and a shape with an inside.

Records of shapes become coal's once, and are kept while the record lives.

Sources: Pan, Chitta, Manocha, "FCL" (2012), and Montaut, Le Lidec, Petrik, Sivic, Carpentier, "Collision detection
accelerated" (2022), on which coal is built.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.geometry.shapes import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    HalfSpace,
    HeightField,
    Mesh,
    Shape,
    Sphere,
    is_surface,
)
from pluecker.spatial.extras import require
from pluecker.spatial.functions.elementwise import Array

__all__ = ["FARTHEST", "Nearest", "coal", "coal_nearest", "geometry", "place", "request", "unit"]

TOLERANCE = 1e-9  # of GJK and EPA; coal's own is 1e-6
ITERATIONS = 1000
FARTHEST = 1e300  # m: coal's largest number stands for none
UP = np.array([0.0, 0.0, 1.0])


class Nearest(NamedTuple):
    """Signed distance, the normal from the first shape to the second, the point half-way."""

    gap: float
    normal: Array
    point: Array


def coal() -> Any:
    """Return the package coal (extra ``collision``)."""
    return require("coal", "collision", "collision of hulls, meshes and cylinders")


@functools.lru_cache(maxsize=4096)
def geometry(shape: Shape) -> Any:
    """Convert a shape to coal's; cached."""
    c = coal()
    if isinstance(shape, HalfSpace):
        return c.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    if isinstance(shape, Sphere):
        return c.Sphere(shape.radius)
    if isinstance(shape, Capsule):
        return c.Capsule(shape.radius, shape.length)
    if isinstance(shape, Cylinder):
        return c.Cylinder(shape.radius, shape.length)
    if isinstance(shape, Box):
        return c.Box(*shape.size)
    assert isinstance(shape, (ConvexHull, Mesh, HeightField))
    vertices, triangles = c.StdVec_Vec3s(), c.StdVec_Triangle()
    for vertex in shape.vertices:
        vertices.append(np.array(vertex))
    for triangle in shape.triangles:
        triangles.append(c.Triangle(*map(int, triangle)))
    if is_surface(shape):
        mesh = c.BVHModelOBBRSS()
        mesh.beginModel(len(shape.triangles), len(shape.vertices))
        mesh.addSubModel(vertices, triangles)
        mesh.endModel()
        return mesh
    return c.Convex(vertices, triangles)


def place(T: Array) -> Any:
    """Convert a placement ``(4, 4)`` to coal's."""
    return coal().Transform3s(np.array(T[:3, :3]), np.array(T[:3, 3]))


def request(kind: str) -> Any:
    """Make a request of coal's of this kind, with a tolerance and a limit of iterations for GJK and EPA."""
    made = getattr(coal(), kind)()
    made.gjk_tolerance = made.epa_tolerance = TOLERANCE
    made.gjk_max_iterations = made.epa_max_iterations = ITERATIONS
    return made


def unit(n: Array) -> Array:
    """Scale a normal to unit length, to rounding; return +z where coal has none."""
    size = float(np.linalg.norm(n))
    return n / size if size > 0.5 else UP


def coal_nearest(first: Shape, T1: Array, second: Shape, T2: Array) -> Nearest:
    """Compute the signed distance of two shapes, of which one is a surface; the point is NaN where coal has no answer."""
    wanted, found = request("DistanceRequest"), coal().DistanceResult()
    wanted.enable_signed_distance = True
    gap = float(coal().distance(geometry(first), place(T1), geometry(second), place(T2), wanted, found))
    x = 0.5 * (np.array(found.getNearestPoint1()) + np.array(found.getNearestPoint2()))
    n = np.array(found.normal)
    if not (np.isfinite(n).all() and np.abs(x).max() < FARTHEST and abs(gap) < FARTHEST):
        x = np.full(3, np.nan)
    return Nearest(gap, unit(n), x)
