"""Signed distances by coal, each held against what it is: the most that any direction parts two shapes.

How far a direction n parts two shapes with an inside is known from their supports alone, the points that are farthest
along it. The signed distance is the most of that over all directions, so that of several answers the one is best whose
normal parts the shapes most, and an answer is no distance whose normal does not part them by it. Of shapes inside one
another where one is round, coal (EPA) finds at a fine tolerance now and then no way out at all, or not the
shortest one, and finds it at a coarser one, or with the shapes exchanged: so it is asked several times there. Of random
pairs of cylinders, a third of them apart, 1 % have no answer at the finest tolerance alone, and 1 % more a longer way out.

Records of shapes become coal's once, and are kept while the record lives.

Sources: Pan, Chitta, Manocha, "FCL" (2012), and Montaut, Le Lidec, Petrik, Sivic, Carpentier, "Collision detection
accelerated" (2022), on which coal is built; van den Bergen, "Proximity queries and penetration depth computation on 3D
game objects" (2001).
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

__all__ = ["Nearest", "coal", "coal_nearest", "geometry", "place", "request", "separation", "support_point", "unit"]

TOLERANCES = (1e-9, 1e-8, 1e-7)  # of GJK and EPA; coal's own are 1e-6
COARSE = 1e-6
ITERATIONS = 1000
PROVEN = 1e-7  # of the sizes: a normal that parts the shapes by no less than this below the distance proves it
ASIDE = 1e-7  # of the smaller radius: how far beside its place a pair is looked at that coal loses where it is


class Nearest(NamedTuple):
    """Signed distance, the normal from the first shape to the second, the point half-way."""

    gap: float
    normal: Array
    point: Array


def coal() -> Any:
    """The package."""
    return require("coal", "collision", "collision of hulls, meshes and cylinders")


@functools.lru_cache(maxsize=4096)
def geometry(shape: Shape) -> Any:
    """The shape as coal's."""
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
    """A placement as coal's."""
    return coal().Transform3s(np.array(T[:3, :3]), np.array(T[:3, 3]))


def request(kind: str, tolerance: float = TOLERANCES[0]) -> Any:
    """What is asked for, precisely."""
    made = getattr(coal(), kind)()
    made.gjk_tolerance = made.epa_tolerance = tolerance
    made.gjk_max_iterations = made.epa_max_iterations = ITERATIONS
    return made


def unit(n: Array) -> Array:
    """Of unit length to rounding; upwards where coal has none."""
    size = float(np.linalg.norm(n))
    return n / size if size > 0.5 else np.array([0.0, 0.0, 1.0])


def support_point(shape: Shape, T: Array, direction: Array) -> Array:
    """Of a shape with an inside and an end, which is placed, a point that is farthest in a direction of the world."""
    d = T[:3, :3].T @ direction
    if isinstance(shape, Sphere):
        x = shape.radius * d
    elif isinstance(shape, Capsule):
        x = shape.radius * d + np.array([0.0, 0.0, np.copysign(0.5 * shape.length, d[2])])
    elif isinstance(shape, Cylinder):
        across = max(float(np.hypot(d[0], d[1])), 1e-300)
        x = np.array([*(shape.radius / across * d[:2]), np.copysign(0.5 * shape.length, d[2])])
    elif isinstance(shape, Box):
        x = np.copysign(shape.sizes, d)
    else:
        assert isinstance(shape, (ConvexHull, Mesh))
        x = shape.vertices[int(np.argmax(shape.vertices @ d))]
    return np.asarray(T[:3, :3] @ x + T[:3, 3])


def separation(first: Shape, T1: Array, second: Shape, T2: Array, n: Array) -> float:
    """How far a direction from the first shape to the second parts them; negative where they are in one another."""
    low = T1[:3, 3] if isinstance(first, HalfSpace) else support_point(first, T1, n)
    return float((support_point(second, T2, -n) - low) @ n)


def coal_nearest(first: Shape, T1: Array, second: Shape, T2: Array) -> Nearest:
    """The signed distance of two shapes, of which none or one is a surface."""
    if is_surface(first) or is_surface(second):
        return asked(first, T1, second, T2, TOLERANCES[0])
    size = min(first.radius_around, second.radius_around)
    round_ones = isinstance(first, Cylinder) or isinstance(second, Cylinder)
    way = T2[:3, :3] @ np.array(second.center) + T2[:3, 3] - T1[:3, :3] @ np.array(first.center) - T1[:3, 3]
    way = unit(way / max(float(np.linalg.norm(way)), 1e-300))
    best, proven = Nearest(-np.inf, way, T2[:3, 3]), False
    for tolerance in TOLERANCES:
        found = asked(first, T1, second, T2, tolerance)
        best, parts = better(best, found, first, T1, second, T2)
        proven = proven or abs(parts - found.gap) <= PROVEN * size
        if proven and (parts > 0.0 or not round_ones):
            break
    if proven:
        return best
    turned = asked(second, T2, first, T1, TOLERANCES[1])
    best, _ = better(best, turned._replace(normal=-turned.normal), first, T1, second, T2)
    best, _ = better(best, asked(first, T1, second, T2, COARSE), first, T1, second, T2)
    beside = np.array(T2)
    beside[:3, 3] += ASIDE * size * way
    best, _ = better(best, asked(first, T1, second, beside, TOLERANCES[0]), first, T1, second, T2)
    if np.isfinite(best.gap):
        return best
    x = 0.5 * (support_point(first, T1, way) + support_point(second, T2, -way))
    return Nearest(separation(first, T1, second, T2, way), way, x)


def better(best: Nearest, found: Nearest, first: Shape, T1: Array, second: Shape, T2: Array) -> tuple[Nearest, float]:
    """The one whose normal parts the shapes more, by what it does; and what the normal of the other one does."""
    if not np.isfinite(found.point).all():
        return best, -np.inf
    parts = separation(first, T1, second, T2, found.normal)
    return (Nearest(parts, found.normal, found.point) if parts > best.gap else best), parts


def asked(first: Shape, T1: Array, second: Shape, T2: Array, tolerance: float) -> Nearest:
    """What coal says."""
    wanted, found = request("DistanceRequest", tolerance), coal().DistanceResult()
    wanted.enable_signed_distance = True
    gap = float(coal().distance(geometry(first), place(T1), geometry(second), place(T2), wanted, found))
    x = 0.5 * (np.array(found.getNearestPoint1()) + np.array(found.getNearestPoint2()))
    n = np.array(found.normal)
    if not (np.isfinite(n).all() and np.abs(x).max() < 1e300 and abs(gap) < 1e300):
        x = np.full(3, np.nan)
    return Nearest(gap, unit(n), x)
