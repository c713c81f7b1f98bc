"""Signed distances by coal, each held against what it is: the most that any direction parts two shapes.

How far a direction n parts two shapes with an inside is known from their supports alone, the points that are farthest
along it. The signed distance is the most of that over all directions, so that of several answers the one is best whose
normal parts the shapes most, and an answer is no distance whose normal does not part them by it. Of shapes inside one
another, coal (EPA) finds at a fine tolerance now and then no way out at all, or not the shortest one: of random pairs
of cylinders, a third of them apart, 1 % have no answer, and 1 % a longer way out; of cubes that touch along an edge, up
to 1e-9 m, 1 to 2 % have a way out on the far side, of 1 to 2 m. So it is asked at coarser tolerances too, and where it
says nothing, or the normal of a face or a direction of a hundred parts the shapes more, the way out next to that is
looked for with the shapes moved apart, where coal (GJK) is sure.

Records of shapes become coal's once, and are kept while the record lives.

Sources: Pan, Chitta, Manocha, "FCL" (2012), and Montaut, Le Lidec, Petrik, Sivic, Carpentier, "Collision detection
accelerated" (2022), on which coal is built; van den Bergen, "Proximity queries and penetration depth computation on 3D
game objects" (2001).
"""

from __future__ import annotations

import functools
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pluecker.contact.geometry.face_contacts import faces_of_hull
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
    Vertices,
    is_surface,
)
from pluecker.contact.geometry.slots import GAP
from pluecker.spatial.extras import require
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "FARTHEST",
    "Nearest",
    "checked",
    "coal",
    "coal_nearest",
    "geometry",
    "place",
    "request",
    "separation",
    "support_point",
    "unit",
]

TOLERANCES = (1e-9, 1e-8, 1e-7)  # of GJK and EPA; coal's own are 1e-6
ITERATIONS = 1000
FARTHEST = 1e300  # m: coal's largest number stands for none
PROVEN = 1e-7  # of the sizes: a normal that parts the shapes by no less than this below the distance proves it
BESIDE = 1e-2  # of the smaller radius: how far apart shapes are moved to look along which normal they are nearest
ASCENTS = 50  # of which a few are needed
LOOKED = 8  # directions that are followed where coal says nothing: of deep hulls in cylinders one of 400 needs more
MOST_FACES = 1000  # of a hull, across which one looks: of more, directions all around lead to the face that is nearest
SHORTEST_DIRECTION = 1e-9  # of the longest: a shorter vector has no direction
IDENTITY = np.eye(4)
UP = np.array([0.0, 0.0, 1.0])
_k = np.arange(64) + 0.5  # on a spiral over half a sphere, about 0.3 apart
AROUND = np.stack(
    [np.sqrt(1.0 - (_k / 64) ** 2) * f(np.pi * (1.0 + 5.0**0.5) * _k) for f in (np.cos, np.sin)] + [_k / 64], 1
)


class Triangle(Vertices):
    """Triangle of a surface, by itself: its corners ``(3, 3)``, in the world. For coal it is a hull without a volume."""

    triangles: ClassVar[Any] = ((0, 1, 2), (0, 2, 1))


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
    assert isinstance(shape, (ConvexHull, Mesh, HeightField, Triangle))
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


def request(kind: str, tolerance: float = TOLERANCES[0]) -> Any:
    """Make a request of coal's of this kind, with a tolerance and a limit of iterations for GJK and EPA."""
    made = getattr(coal(), kind)()
    made.gjk_tolerance = made.epa_tolerance = tolerance
    made.gjk_max_iterations = made.epa_max_iterations = ITERATIONS
    return made


def unit(n: Array) -> Array:
    """Scale a normal to unit length, to rounding; return +z where coal has none."""
    size = float(np.linalg.norm(n))
    return n / size if size > 0.5 else UP


def support_point(shape: Shape, T: Array, directions: Array) -> Array:
    """Compute the support points of a bounded, placed shape with an inside, in directions of the world, ``(..., 3)``."""
    d = directions @ T[:3, :3]
    if isinstance(shape, Sphere):
        x = shape.radius * d
    elif isinstance(shape, Box):
        x = np.copysign(shape.sizes, d)
    elif isinstance(shape, (Capsule, Cylinder)):
        x = shape.radius * d
        if isinstance(shape, Cylinder):
            x = x / np.maximum(np.hypot(d[..., 0], d[..., 1]), 1e-300)[..., None]
            x[..., 2] = 0.0
        x[..., 2] += np.copysign(0.5 * shape.length, d[..., 2])
    else:
        assert isinstance(shape, (ConvexHull, Mesh, Triangle))
        x = shape.vertices[np.argmax(d @ shape.vertices.T, axis=-1)]
    return np.asarray(x @ T[:3, :3].T + T[:3, 3])


def separation(first: Shape, T1: Array, second: Shape, T2: Array, n: Array) -> Any:
    """Compute how far directions from the first shape to the second part them; negative where they are in one another."""
    apart = support_point(second, T2, -n) - support_point(first, T1, n)
    return np.einsum("...i,...i->...", apart, n)


def coal_nearest(first: Shape, T1: Array, second: Shape, T2: Array) -> Nearest:
    """Compute the signed distance of two shapes, of which none or one is a surface."""
    if is_surface(first) or is_surface(second):
        return asked(first, T1, second, T2, TOLERANCES[0])
    pair = first, T1, second, T2
    size = min(first.radius_around, second.radius_around)
    round_ones = isinstance(first, Cylinder) or isinstance(second, Cylinder)
    best, proven = Nearest(-np.inf, UP, T2[:3, 3]), False
    for tolerance, turned in zip(TOLERANCES, (False, True, False), strict=True):
        found = asked(*pair, tolerance, turned)
        best, parts = better(best, found, *pair)
        proven = proven or abs(parts - found.gap) <= PROVEN * size
        if proven and parts > -TOLERANCES[0] * size:
            return best
        if proven and not round_ones:
            break
    ways = directions_of(*pair)
    apart = separation(*pair, ways)
    beginnings = ways[np.argsort(-apart)[: 1 if proven else LOOKED]]
    if proven and apart.max() <= best.gap + TOLERANCES[0] * size:
        return best
    return max(best, *(parted(*pair, n) for n in beginnings), key=lambda each: each.gap)


def checked(triangle: Array, sign: float, slot: Array, other: Shape, T: Array) -> None:
    """Correct the contact of a triangle with something that touches it, if its normal does not part both by its gap, or
    another direction does by more.

    Args:
        triangle: its corners ``(3, 3)``, world.
        sign: ``sign n`` points away from the triangle.
        slot: the contact, in place.
        other, T: what touches it.
    """
    own, size = Triangle(triangle), other.radius_around
    if not slot[GAP] < PROVEN * size:
        return
    most = separation(own, IDENTITY, other, T, sign * slot[:3])
    wrong = abs(most - slot[GAP]) > PROVEN * size
    if slot[GAP] < -PROVEN * size and not wrong:
        most = separation(own, IDENTITY, other, T, directions_of(own, IDENTITY, other, T)).max()
    if wrong or most > slot[GAP] + PROVEN * size:
        found = coal_nearest(own, IDENTITY, other, T)
        slot[:3], slot[3:6], slot[GAP] = sign * found.normal, found.point, found.gap


def directions_of(first: Shape, T1: Array, second: Shape, T2: Array) -> Array:
    """Collect unit vectors all around, along the axes of both shapes, across two of them, from centre to centre, also across
    an axis, and across the faces of hulls that have not too many; ``(n, 3)``.
    """
    way = T2[:3, :3] @ np.array(second.center) + T2[:3, 3] - T1[:3, :3] @ np.array(first.center) - T1[:3, 3]
    axes = np.concatenate([T1[:3, :3].T, T2[:3, :3].T])
    across = np.cross(axes[:3, None], axes[3:]).reshape(-1, 3)
    found = np.concatenate([AROUND, axes, across, way[None], way - (axes @ way)[:, None] * axes])
    for shape, T in ((first, T1), (second, T2)):
        if isinstance(shape, (ConvexHull, Mesh)) and len(shape.triangles) <= MOST_FACES:
            found = np.concatenate([found, faces_of_hull(shape)[0] @ T[:3, :3].T])
        elif isinstance(shape, Triangle):
            found = np.concatenate([found, np.cross(*np.diff(shape.vertices, axis=0))[None]])
    size = np.linalg.norm(found, axis=1)
    found = found[size > SHORTEST_DIRECTION * size.max()] / size[size > SHORTEST_DIRECTION * size.max(), None]
    return np.concatenate([found, -found])


def parted(first: Shape, T1: Array, second: Shape, T2: Array, n: Array) -> Nearest:
    """Find the way out next to a direction: moved apart along it a little farther than needed, the shapes have a normal that
    parts them no less where they were; and again from that one.
    """
    size, moved = min(first.radius_around, second.radius_around), np.array(T2)
    gap, x = (
        float(separation(first, T1, second, T2, n)),
        0.5 * (support_point(first, T1, n) + support_point(second, T2, -n)),
    )
    for _ in range(ASCENTS):
        way = (BESIDE * size - gap) * n
        moved[:3, 3] = T2[:3, 3] + way
        found = asked(first, T1, second, moved, TOLERANCES[0])
        parts = float(separation(first, T1, second, T2, found.normal))
        if not np.isfinite(found.point).all() or parts < gap - TOLERANCES[0] * size:
            break
        done = parts - gap <= TOLERANCES[0] * size
        gap, n, x = parts, found.normal, found.point - 0.5 * way
        if done:
            break
    return Nearest(gap, n, x)


def better(best: Nearest, found: Nearest, first: Shape, T1: Array, second: Shape, T2: Array) -> tuple[Nearest, float]:
    """Select the answer whose normal parts the shapes more, with that as its gap; return also how far that of ``found``
    does.
    """
    if not np.isfinite(found.point).all():
        return best, -np.inf
    parts = separation(first, T1, second, T2, found.normal)
    return (Nearest(parts, found.normal, found.point) if parts > best.gap else best), parts


def asked(first: Shape, T1: Array, second: Shape, T2: Array, tolerance: float, turned: bool = False) -> Nearest:
    """Query coal's signed distance, with both shapes exchanged if ``turned``; the point is NaN where coal has no answer."""
    if turned:
        found = asked(second, T2, first, T1, tolerance)
        return found._replace(normal=-found.normal)
    wanted, found = request("DistanceRequest", tolerance), coal().DistanceResult()
    wanted.enable_signed_distance = True
    gap = float(coal().distance(geometry(first), place(T1), geometry(second), place(T2), wanted, found))
    x = 0.5 * (np.array(found.getNearestPoint1()) + np.array(found.getNearestPoint2()))
    n = np.array(found.normal)
    if not (np.isfinite(n).all() and np.abs(x).max() < FARTHEST and abs(gap) < FARTHEST):
        x = np.full(3, np.nan)
    return Nearest(gap, unit(n), x)
