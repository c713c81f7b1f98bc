"""Pairs that have no kernel here, by coal: hulls, meshes, and cylinders against all but half-spaces and spheres.

Its contact patches become contacts: the corners of what two faces have in common, all with the gap of the patch. Where
there is no face, there is one point. Records of shapes become coal's once, and are kept while the record lives.

Source: Pan, Chitta, Manocha, "FCL" (2012), and Montaut, Le Lidec, Petrik, Sivic, Carpentier, "Collision detection
accelerated" (2022), on which coal is built.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.shapes import (
    KINDS,
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
from pluecker.contact.geometry.slots import SLOT
from pluecker.contact.geometry.surface_contacts import without_inner_edges
from pluecker.spatial.extras import require
from pluecker.spatial.functions.elementwise import Array

__all__ = ["check_pair", "coal_contacts", "coal_distance"]

PRECISE = 1e-9  # tolerances of GJK and EPA; coal's own are 1e-6
ITERATIONS = 1000
ROUND_SAMPLES = 8  # corners that stand for a round face
MOST = 64  # contacts of a pair


def coal() -> Any:
    """The package."""
    return require("coal", "collision", "collision of hulls, meshes and cylinders")


def check_pair(label: str, first: Shape, second: Shape) -> None:
    """Refuse pairs of which nobody has a distance."""
    if first.kind == second.kind == HalfSpace.kind:
        raise GeometryError(f"{label}: two half-spaces, which have no distance: expected a shape with an end")
    surfaces = [shape for shape in (first, second) if is_surface(shape)]
    if len(surfaces) == 2 or (surfaces and HalfSpace.kind in (first.kind, second.kind)):
        kinds = f"a {KINDS[first.kind]} and a {KINDS[second.kind]}"
        raise GeometryError(
            f"{label}: {kinds} without an inside, expected one that has one: a hull, or Mesh(..., convex=True)"
        )


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


def request(kind: str) -> Any:
    """What is asked for, precisely."""
    made = getattr(coal(), kind)()
    made.gjk_tolerance = made.epa_tolerance = PRECISE
    made.gjk_max_iterations = made.epa_max_iterations = ITERATIONS
    return made


def coal_distance(first: Shape, T1: Array, second: Shape, T2: Array) -> tuple[float, Array, Array]:
    """Signed distance, the normal from the first shape to the second, the point half-way."""
    wanted, found = request("DistanceRequest"), coal().DistanceResult()
    wanted.enable_signed_distance = True
    gap = float(coal().distance(geometry(first), place(T1), geometry(second), place(T2), wanted, found))
    x = 0.5 * (np.array(found.getNearestPoint1()) + np.array(found.getNearestPoint2()))
    return gap, unit(np.array(found.normal)), x


def unit(n: Array) -> Array:
    """Of unit length to rounding; upwards where coal has none."""
    size = float(np.linalg.norm(n))
    return n / size if size > 0.5 else np.array([0.0, 0.0, 1.0])


def coal_contacts(first: Shape, T1: Array, second: Shape, T2: Array, margin: float) -> Array:
    """The contacts of a pair with gaps up to a margin, as slots ``(n, 8)``."""
    c = coal()
    wanted, found = request("CollisionRequest"), c.CollisionResult()
    wanted.security_margin, wanted.num_max_contacts = margin, MOST
    poses = place(T1), place(T2)
    if not c.collide(geometry(first), poses[0], geometry(second), poses[1], wanted, found):
        return np.zeros((0, SLOT))
    contacts = [found.getContact(k) for k in range(found.numContacts())]
    if is_surface(first) or is_surface(second):
        slots = np.array([slot(each, each.pos, max(each.b1, each.b2)) for each in contacts])
        surface, T, sign = (first, T1, 1.0) if is_surface(first) else (second, T2, -1.0)
        return without_inner_edges(surface, T, slots, sign)
    each = contacts[0]
    patch_wanted, patches = c.ContactPatchRequest(), c.ContactPatchResult()
    patch_wanted.setNumSamplesCurvedShapes(ROUND_SAMPLES)
    c.computeContactPatch(geometry(first), poses[0], geometry(second), poses[1], found, patch_wanted, patches)
    points = [each.pos]
    if patches.numContactPatches():
        patch = patches.getContactPatch(0)
        points = [patch.getPoint(k) for k in range(patch.size())] or points
    return np.array([slot(each, point, k) for k, point in enumerate(points)])


def slot(contact: Any, point: Any, feature: int) -> list[float]:
    """The eight numbers of a contact."""
    return [*unit(np.array(contact.normal)), *point, float(contact.penetration_depth), float(feature)]
