"""Pairs that have no kernel here, by coal: hulls, meshes, and cylinders against all but half-spaces and spheres.

Where the normal that it finds is that of a face, contacts are the corners of what that face and the other shape have in
common, :mod:`~pluecker.contact.geometry.face_contacts`; else coal's contact patches, mostly one point, all with the gap of
the patch. Records of shapes become coal's once, and are kept while the record lives.

Source: Pan, Chitta, Manocha, "FCL" (2012), and Montaut, Le Lidec, Petrik, Sivic, Carpentier, "Collision detection
accelerated" (2022), on which coal is built.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.face_contacts import clipped, count_of, face_towards
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
from pluecker.contact.geometry.surface_contacts import ALONG, surface_contacts
from pluecker.spatial.extras import require
from pluecker.spatial.functions.elementwise import Array

__all__ = ["check_pair", "coal_contacts", "coal_distance"]

PRECISE = 1e-9  # tolerances of GJK and EPA; coal's own are 1e-6
ITERATIONS = 1000
ASIDE = 1e-7  # of the smaller radius: how far beside its place a pair is looked at that coal loses where it is
ROUND_SAMPLES = 8  # corners that stand for a round face
MOST, MOST_TRIANGLES = 64, 4096  # contacts of a pair; of a surface of triangles, on which large things lie on many


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
    surfaces = is_surface(first) or is_surface(second)
    wanted.security_margin, wanted.num_max_contacts = margin, MOST_TRIANGLES if surfaces else MOST
    poses = place(T1), place(T2)
    if not c.collide(geometry(first), poses[0], geometry(second), poses[1], wanted, found):
        return np.zeros((0, SLOT))
    contacts = [found.getContact(k) for k in range(found.numContacts())]
    if surfaces:
        slots = np.array([slot(each, each.pos, max(each.b1, each.b2)) for each in contacts])
        if is_surface(first):
            return surface_contacts(first, T1, slots, 1.0, second, T2)
        return surface_contacts(second, T2, slots, -1.0, first, T1)
    each = contacts[0]
    if not np.isfinite([*each.normal, *each.pos, each.penetration_depth]).all():  # some that touch exactly
        return moved_apart(first, T1, second, T2, margin)
    corners = face_corners(first, T1, second, T2, unit(np.array(each.normal)))
    if len(corners):
        return corners
    patch_wanted, patches = c.ContactPatchRequest(), c.ContactPatchResult()
    patch_wanted.setNumSamplesCurvedShapes(ROUND_SAMPLES)
    c.computeContactPatch(geometry(first), poses[0], geometry(second), poses[1], found, patch_wanted, patches)
    points = [each.pos]
    if patches.numContactPatches():
        patch = patches.getContactPatch(0)
        points = [patch.getPoint(k) for k in range(patch.size())] or points
    return np.array([slot(each, point, k) for k, point in enumerate(points)])


def moved_apart(first: Shape, T1: Array, second: Shape, T2: Array, margin: float) -> Array:
    """The contacts of a pair that are lost where it is, from a place beside it."""
    way = T2[:3, :3] @ np.array(second.center) + T2[:3, 3] - T1[:3, :3] @ np.array(first.center) - T1[:3, 3]
    moved = T2.copy()
    moved[:3, 3] += (
        ASIDE * min(first.radius_around, second.radius_around) * unit(way / max(np.linalg.norm(way), 1e-300))
    )
    wanted, found = request("CollisionRequest"), coal().CollisionResult()
    wanted.security_margin = margin + float(np.linalg.norm(moved - T2))
    if not coal().collide(geometry(first), place(T1), geometry(second), place(moved), wanted, found):
        return np.zeros((0, SLOT))
    each = found.getContact(0)
    corners = face_corners(first, T1, second, T2, unit(np.array(each.normal)))
    slots = corners if len(corners) else np.array([slot(each, each.pos, 0)])
    return slots[np.isfinite(slots).all(axis=1)]


def face_corners(first: Shape, T1: Array, second: Shape, T2: Array, n: Array) -> Array:
    """The contacts of two shapes with an inside, of which one has a face across the normal n; none where neither has."""
    shapes, faces = (first, second), (face_towards(first, T1, n), face_towards(second, T2, -n))
    leans = [np.inf if each.normal is None else float(np.linalg.norm(np.cross(each.normal, n))) for each in faces]
    flat = [k for k in (0, 1) if leans[k] <= ALONG]
    if not flat:
        return np.zeros((0, SLOT))
    # a round face is one by its corners alone: better cut off than cutting
    k = min(flat, key=lambda j: (isinstance(shapes[j], Cylinder), leans[j]))
    reference, normal = faces[k], faces[k].normal
    assert normal is not None
    other, T = shapes[1 - k], (T1, T2)[1 - k]
    incident = face_towards(other, T, -normal)
    found = clipped(reference.points, reference.numbers, count_of(shapes[k]), normal, incident, other)
    slots = np.zeros((len(found.gaps), SLOT))
    slots[:, :3] = normal if k == 0 else -normal
    slots[:, 3:6] = found.points - 0.5 * found.gaps[:, None] * normal
    slots[:, 6], slots[:, 7] = found.gaps, 2 * found.features + k
    return slots


def slot(contact: Any, point: Any, feature: int) -> list[float]:
    """The eight numbers of a contact."""
    return [*unit(np.array(contact.normal)), *point, float(contact.penetration_depth), float(feature)]
