"""Contacts with surfaces of triangles: all corners of what lies on them, and none of their inner edges.

Each triangle is tested by itself, so that a ball that rolls over a flat surface meets the edges of triangles before it:
from there the nearest point is on an edge, and the normal leans against the motion. But the surface goes on behind that
edge, nearer to the ball. So of contacts whose normal is not that of their triangle only those are kept where no
neighbour at the point rises towards the shape: with the normal n there and any other corner y of a triangle through the
point x, ``n . (y - x) <= 0``.

What lies flat on triangles touches them at the corners of what both have in common
(:mod:`~pluecker.contact.geometry.convex.faces`), and where several are in one plane, at those of that with all of them;
what lies along an edge, at both ends of what it covers of it
(:mod:`~pluecker.contact.geometry.triangles.ridge_contacts`).

Source: Ericson, *Real-Time Collision Detection* (2005), section 5.1, the Voronoi regions of features.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from pluecker.contact.geometry.convex.faces import axes_across, clipped, face_towards, numbers_of_corners
from pluecker.contact.geometry.shapes import Shape
from pluecker.contact.geometry.slots import GAP, SLOT
from pluecker.contact.geometry.triangles.ridge_contacts import ridge_contacts
from pluecker.spatial.functions.elementwise import Array

__all__ = ["surface_contacts"]

ALONG = 1e-3  # sine: a normal that leans by less is that of the triangle
RISES = 1e-4  # sine: what rises by less is flat
AT = 1e-6  # of the size of a triangle: a point nearer to it than that is on it
PLANE = 1e-6  # as sine, and of the size of a triangle: triangles that differ by less are in one plane
FEATURES = 2**31  # numbers of features, which are names and may coincide where there are more


@functools.lru_cache(maxsize=256)
def neighbours(shape: Any) -> list[list[int]]:
    """Find for each triangle those that share a vertex with it, also where files list the vertex for each of them."""
    _, same = np.unique(shape.vertices, axis=0, return_inverse=True)
    triangles = same.reshape(-1)[shape.triangles]
    of_vertex: dict[int, set[int]] = {}
    for k, triangle in enumerate(triangles.tolist()):
        for vertex in triangle:
            of_vertex.setdefault(vertex, set()).add(k)
    return [
        sorted(set().union(*(of_vertex[v] for v in triangle)) - {k}) for k, triangle in enumerate(triangles.tolist())
    ]


@functools.lru_cache(maxsize=256)
def normals_of(shape: Any) -> Array:
    """Compute the unit normals of all triangles, ``(m, 3)``; zero where one has no area."""
    return np.array([plane_normal(corners) for corners in shape.vertices[shape.triangles]])


def surface_contacts(shape: Any, T: Array, slots: Array, sign: float, other: Shape, T_other: Array) -> Array:
    """Find the contacts of a surface with a shape that has an inside.

    Args:
        shape, T: the surface, and where it is.
        slots: of coal, one for each triangle that is near, whose number is the feature.
        sign: ``sign n`` points away from the surface.
        other, T_other: what touches it.
    """
    R, numbers = T[:3, :3], slots[:, -1].astype(np.int64)
    n = sign * slots[:, :3] @ R
    x = (slots[:, 3:6] - T[:3, 3]) @ R - 0.5 * slots[:, GAP, None] * n  # on the triangles
    flat = normals_of(shape)[numbers]
    lost: Any = ~np.isfinite(slots).all(axis=1)  # coal loses some that touch exactly or are deep: they lie flat
    middle = (T_other[:3, :3] @ np.array(other.center) + T_other[:3, 3] - T[:3, 3]) @ R
    above = np.einsum("ki,ki->k", flat, middle - shape.vertices[shape.triangles[numbers, 0]])
    n = np.where(lost[:, None], np.where(above >= 0.0, 1.0, -1.0)[:, None] * flat, n)
    leans: Any = (np.linalg.norm(np.cross(n, flat), axis=1) > ALONG) | ~flat.any(axis=1)
    edges = np.zeros(len(slots), bool)
    for k in np.flatnonzero(leans & ~lost):
        near = neighbours(shape)[numbers[k]]
        edges[k] = not any(rises(shape.vertices[shape.triangles[m]], x[k], n[k]) for m in near)
    single, many = slots[edges], numbers_of_corners(3, other) + 2  # two for the ends of a ridge
    names = numbers[edges, None] * many + [many - 2, many - 1]
    single[:, -1] = (single[:, -1] * many) % FEATURES
    own = shape.vertices[shape.triangles[numbers[edges]]] @ R.T + T[:3, 3]
    single = ridge_contacts(own, single, sign, other, T_other, names % FEATURES)
    # towards the other shape; outwards where the normal leans, since a neighbour is nearer, and hides the inner side
    side = np.where(leans, 1.0, np.einsum("ki,ki->k", n, flat))
    ends = np.where(side >= 0.0, 1.0, -1.0)[:, None] * flat
    flatly = np.flatnonzero(
        ~edges & flat.any(axis=1)
    )  # what leans, and is no edge, may have a corner of the shape above it all the same
    corners = shape.vertices[shape.triangles[numbers]]
    extent = np.abs(corners - corners[:, :1]).max(axis=(1, 2), initial=1e-300)
    heights = np.einsum("ki,ki->k", ends, corners[:, 0]) / extent.max(initial=1e-300)
    planes = np.round(np.concatenate([ends, heights[:, None]], axis=1)[flatly] / PLANE)
    found = [single]
    _, group = np.unique(planes, axis=0, return_inverse=True)
    for number in range(int(group.max(initial=-1)) + 1):
        own = flatly[group.reshape(-1) == number]
        turned = np.einsum("ki,ki->k", ends[own], flat[own]) < 0.0
        triangles = np.where(turned[:, None, None], corners[own][:, ::-1], corners[own]) @ R.T + T[:3, 3]
        on_plane = corners_on_plane(triangles, numbers[own], many, R @ ends[own[0]], other, T_other)
        on_plane[:, :3] *= sign
        if leans[own].all():  # nothing is nearer than the triangles are
            on_plane = on_plane[on_plane[:, GAP] >= slots[own, GAP].min() - AT * extent.max()]
        found.append(on_plane)
    return np.concatenate(found)


def corners_on_plane(triangles: Array, numbers: Any, many: int, n: Array, other: Shape, T_other: Array) -> Array:
    """Find the contacts, slots with normals n, of a shape with coplanar triangles, counterclockwise about n,
    ``(m, 3, 3)``.
    """
    face = face_towards(other, T_other, -n)
    inside = within(triangles, face.points, n)
    if inside.any(axis=0).all():
        points, gaps = face.points, (face.points - triangles[0, 0]) @ n
        features = numbers[np.argmax(inside, axis=0)] * many + face.numbers
    else:
        order = np.arange(3)
        parts = [clipped(each, order, 3, n, face, other) for each in triangles]
        points, gaps = np.concatenate([part.points for part in parts]), np.concatenate([part.gaps for part in parts])
        features = np.concatenate([k * many + part.features for k, part in zip(numbers, parts, strict=True)])
        outer = hull_corners(points, n)
        points, gaps, features = points[outer], gaps[outer], features[outer]
    slots = np.zeros((len(gaps), SLOT))
    slots[:, :3], slots[:, 3:6] = n, points - 0.5 * gaps[:, None] * n
    slots[:, GAP], slots[:, -1] = gaps, features % FEATURES
    return slots


def within(triangles: Array, points: Array, n: Array) -> Any:
    """Return which points are above which triangles, seen along n, ``(m, points)``."""
    sides = np.cross(n, np.roll(triangles, -1, axis=1) - triangles)
    inner = np.einsum("mjpi,mji->mjp", points - triangles[:, :, None], sides)
    tolerance = AT * np.square(np.abs(triangles - triangles[:, :1]).max(axis=(1, 2)))
    return (inner >= -tolerance[:, None, None]).all(axis=1)


def hull_corners(points: Array, n: Array) -> list[int]:
    """Return the numbers of the points that are corners of their convex hull, seen along n; each place once."""
    u, v = axes_across(n)
    plane = np.stack([points @ u, points @ v], axis=1)
    if not len(plane):
        return []
    least = AT * max(float(np.ptp(plane, axis=0).max()), 1e-300)
    order = np.lexsort((plane[:, 1], plane[:, 0]))
    ends = []
    for way in (order, order[::-1]):  # Andrew's chains, below and above
        chain: list[int] = []
        for k in way.tolist():
            while len(chain) > 1 and turn(plane[chain[-2]], plane[chain[-1]], plane[k]) <= least * least:
                chain.pop()
            if not chain or np.abs(plane[k] - plane[chain[-1]]).max() > least:
                chain.append(k)
        ends.append(chain)
    lower, upper = ends
    if len(lower) == 1:
        return lower
    return lower[:-1] + upper[:-1]


def turn(a: Array, b: Array, c: Array) -> float:
    """Compute twice the area of a triangle, positive where it turns to the left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def plane_normal(corners: Array) -> Array:
    """Compute the unit normal of a triangle; zero where it has no area."""
    n = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    return n / max(float(np.linalg.norm(n)), 1e-300)


def rises(corners: Array, x: Array, n: Array) -> bool:
    """Return whether x is on a triangle that rises along n from there."""
    size = float(np.ptp(corners, axis=0).max())
    f = plane_normal(corners)
    if abs(f @ (x - corners[0])) > AT * size:
        return False
    inside = (np.dot(np.cross(np.roll(corners, -1, axis=0) - corners, x - corners), f) > -AT * size * size).all()
    away = corners - x
    return bool(inside) and bool((away @ n > RISES * np.linalg.norm(away, axis=1) + AT * size).any())
