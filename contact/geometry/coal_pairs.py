"""Pairs that have no kernel here, by coal: hulls of many edges, surfaces of triangles, cylinders with all but some.

Where the normal that it finds, :mod:`~pluecker.contact.geometry.coal_nearest`, is that of a face, contacts are the corners
of what that face and the other shape have in common, :mod:`~pluecker.contact.geometry.face_contacts`; of two cylinders side
by side, both ends of what they have beside each other; else coal's contact patches, mostly one point, all with the gap of
the patch.

Source: Pan, Chitta, Manocha, "FCL" (2012).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.coal_nearest import (
    FARTHEST,
    Nearest,
    checked,
    coal,
    coal_nearest,
    geometry,
    place,
    request,
    unit,
)
from pluecker.contact.geometry.face_contacts import clipped, count_of, face_towards
from pluecker.contact.geometry.ridge_contacts import beside
from pluecker.contact.geometry.shapes import KINDS, Cylinder, HalfSpace, HeightField, Mesh, Shape, is_surface
from pluecker.contact.geometry.slots import SLOT
from pluecker.contact.geometry.surface_contacts import ALONG, surface_contacts
from pluecker.spatial.functions.elementwise import Array

__all__ = ["check_pair", "coal_contacts"]

ROUND_SAMPLES = 8  # corners that stand for a round face
MOST_TRIANGLES = 4096  # contacts of a pair with a surface of triangles, on which large things lie on many
SAME = 1e-6  # of the smaller radius: a contact of coal's as deep as that is the one that is nearest


def check_pair(label: str, first: Shape, second: Shape) -> None:
    """Refuse pairs of shapes that have no distance."""
    if first.kind == second.kind == HalfSpace.kind:
        raise GeometryError(f"{label}: two half-spaces, which have no distance: expected a shape with an end")
    surfaces = [shape for shape in (first, second) if is_surface(shape)]
    if len(surfaces) == 2 or (surfaces and HalfSpace.kind in (first.kind, second.kind)):
        names = [f"a {KINDS[each.kind]}{' without an inside' if is_surface(each) else ''}" for each in (first, second)]
        raise GeometryError(
            f"{label}: {' and '.join(names)} have no distance; expected a shape with an end beside one without an inside: a "
            "hull, or Mesh(..., convex=True)"
        )


def coal_contacts(first: Shape, T1: Array, second: Shape, T2: Array, margin: float) -> Array:
    """Find the contacts of a pair with gaps up to a margin, as slots ``(n, 8)``."""
    if is_surface(first) or is_surface(second):
        return with_triangles(first, T1, second, T2, margin)
    found = coal_nearest(first, T1, second, T2)
    if found.gap > margin:
        return np.zeros((0, SLOT))
    corners = face_corners(first, T1, second, T2, found.normal)
    corners = corners if len(corners) else line_ends(first, T1, second, T2, found.normal)
    points = patch(first, T1, second, T2, margin, found) if not len(corners) else []
    slots = [[*found.normal, *point, found.gap, float(k)] for k, point in enumerate(points)]
    return np.array(slots) if slots else corners


def with_triangles(first: Shape, T1: Array, second: Shape, T2: Array, margin: float) -> Array:
    """Find the contacts of a surface of triangles and a shape with an inside, up to a margin, as slots ``(n, 8)``."""
    wanted, found = request("CollisionRequest"), coal().CollisionResult()
    wanted.security_margin, wanted.num_max_contacts = margin, MOST_TRIANGLES
    if not coal().collide(geometry(first), place(T1), geometry(second), place(T2), wanted, found):
        return np.zeros((0, SLOT))
    contacts = [found.getContact(k) for k in range(found.numContacts())]
    slots = np.array([slot(each, max(each.b1, each.b2)) for each in contacts])
    surface, T, sign, other, U = (first, T1, 1.0, second, T2) if is_surface(first) else (second, T2, -1.0, first, T1)
    assert isinstance(surface, (Mesh, HeightField))
    for each in slots:
        corners = surface.vertices[surface.triangles[int(each[-1])]]
        checked(corners @ T[:3, :3].T + T[:3, 3], sign, each, other, U)
    return surface_contacts(surface, T, slots, sign, other, U)


def patch(first: Shape, T1: Array, second: Shape, T2: Array, margin: float, found: Nearest) -> list[Any]:
    """Compute the points of coal's contact patch, if it is about what is nearest; else that alone."""
    c, poses = coal(), (place(T1), place(T2))
    wanted, results = request("CollisionRequest"), coal().CollisionResult()
    wanted.security_margin = margin
    if not c.collide(geometry(first), poses[0], geometry(second), poses[1], wanted, results):
        return [found.point]
    each, size = results.getContact(0), min(first.radius_around, second.radius_around)
    if not (abs(each.penetration_depth - found.gap) < SAME * size and float(each.normal @ found.normal) > 1.0 - SAME):
        return [found.point]
    patch_wanted, patches = c.ContactPatchRequest(), c.ContactPatchResult()
    patch_wanted.setNumSamplesCurvedShapes(ROUND_SAMPLES)
    c.computeContactPatch(geometry(first), poses[0], geometry(second), poses[1], results, patch_wanted, patches)
    if not patches.numContactPatches():
        return [found.point]
    made = patches.getContactPatch(0)
    return [made.getPoint(k) for k in range(made.size())] or [found.point]


def face_corners(first: Shape, T1: Array, second: Shape, T2: Array, n: Array) -> Array:
    """Find the contacts of two shapes with an inside of which one has a face across the normal n; else none."""
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


def line_ends(first: Shape, T1: Array, second: Shape, T2: Array, n: Array) -> Array:
    """Find the contacts of two shapes whose sides are lines along each other: both ends of their common stretch; else none.

    Where they are parallel, the normal is that across both axes, which is known better than coal finds it.
    """
    axis, other, apart = T1[:3, 2], T2[:3, 2], T2[:3, 3] - T1[:3, 3]
    across = apart - (apart @ axis) * axis
    size = float(np.linalg.norm(across))
    if np.linalg.norm(np.cross(axis, other)) <= ALONG and across @ n > (1.0 - ALONG) * size > 0.0:
        n = across / size
    faces = face_towards(first, T1, n), face_towards(second, T2, -n)
    if any(len(each.points) != 2 for each in faces):
        return np.zeros((0, SLOT))
    points, gaps = beside(faces[0].points, faces[1].points, n)
    slots = np.zeros((len(gaps), SLOT))
    slots[:, :3], slots[:, 3:6] = n, points + 0.5 * gaps[:, None] * n
    slots[:, 6], slots[:, 7] = gaps, np.arange(len(gaps))
    return slots


def slot(contact: Any, feature: int) -> list[float]:
    """Return the eight numbers of a contact of coal's; its gap is NaN where coal has no way out of a round shape."""
    gap = float(contact.penetration_depth)
    gap = gap if abs(gap) < FARTHEST else np.nan
    return [*unit(np.array(contact.normal)), *contact.pos, gap, float(feature)]
