"""Contacts of two faces: the corners of their intersection, for surfaces of triangles.

A normal says in which direction two shapes are nearest. Where it is that of a face of one of them, the *reference*, a
polygon, the points of the other one that are farthest along it, its *incident* face, are cut off at the sides of that
polygon: what is left has up to as many corners as both together, each with its height over the plane of the reference as
its gap. An incident face may be a polygon, a segment (a capsule, the side of a cylinder) or a point.

Features are numbers of corners: of the incident shape, of the reference, or of two sides that cross.

Source: Ericson, *Real-Time Collision Detection* (2005), section 8.3.4; Sutherland and Hodgman, "Reentrant polygon clipping"
(1974).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.geometry.shapes import Box, Capsule, ConvexHull, Cylinder, Mesh, Shape, Sphere
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Corners", "Face", "axes_across", "clipped", "count_of", "face_towards", "numbers_of_corners"]

RIM = 8  # corners that stand for a round face
FLAT = 1e-6  # sine: triangles of a hull whose normals differ by less are one face
MOST_HEIGHTS = 4_000_000  # of vertices over planes at once: 32 MB
AT_SIDE = 1e-9  # of the size of the reference: what is farther out by less is inside
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Face:
    """Feature of a shape that is farthest in a direction: a polygon, a segment or a point.

    Attributes:
        points: corners, counterclockwise about the outward normal, ``(m, 3)``; two of a segment, one of what is round.
        numbers: of these corners, ``(m,)``.
        normal: outwards, of unit length; None where it is no polygon.
    """

    points: Array
    numbers: Integers
    normal: Array | None = None


@dataclass(frozen=True, eq=False)
class Corners:
    """Corners of the intersection of two faces.

    Attributes:
        points: on the incident face, ``(n, 3)``.
        gaps: their heights over the reference, ``(n,)``.
        features: whole numbers from 0 to below :func:`numbers_of_corners`, ``(n,)``.
    """

    points: Array
    gaps: Array
    features: Integers


def count_of(shape: Shape) -> int:
    """Count the numbers that the corners of a shape have."""
    if isinstance(shape, (ConvexHull, Mesh)):
        return len(shape.vertices)
    return 2 * RIM + 2 if isinstance(shape, Cylinder) else 8


def numbers_of_corners(reference: int, incident: Shape) -> int:
    """Count the features that there may be, with a reference whose corners have so many numbers."""
    N = count_of(incident)
    return N + reference + N * reference


def face_towards(shape: Shape, T: Array, d: Array) -> Face:
    """Find the feature of a placed shape with an inside that faces a direction of the world."""
    R, p = T[:3, :3], T[:3, 3]
    own = R.T @ d
    if isinstance(shape, Sphere):
        return Face((p + shape.radius * d)[None], np.zeros(1, np.int64))
    if isinstance(shape, Capsule):
        ends = np.outer((-0.5, 0.5), shape.length * R[:, 2]) + p + shape.radius * d
        return Face(ends, np.arange(2))
    if isinstance(shape, Cylinder):
        return face_of_cylinder(shape, R, p, own)
    if isinstance(shape, Box):
        k = int(np.argmax(np.abs(own)))
        return box_face(np.array(shape.sizes), k, 1.0 if own[k] >= 0.0 else -1.0, R, p)
    assert isinstance(shape, (ConvexHull, Mesh))
    normals, faces = faces_of_hull(shape)
    k = int(np.argmax(normals @ own))
    return Face(shape.vertices[faces[k]] @ R.T + p, faces[k], R @ normals[k])


def box_face(half: Array, k: int, sign: float, R: Array, p: Array) -> Face:
    """Return the face of a box along one of its axes."""
    u, v = ((k + 1) % 3, (k + 2) % 3) if sign > 0.0 else ((k + 2) % 3, (k + 1) % 3)
    corners = np.zeros((4, 3))
    corners[:, k], corners[:, u], corners[:, v] = sign, (-1, 1, 1, -1), (-1, -1, 1, 1)
    numbers = ((corners > 0.0) @ [1, 2, 4]).astype(np.int64)
    return Face((corners * half) @ R.T + p, numbers, sign * R[:, k])


def face_of_cylinder(shape: Cylinder, R: Array, p: Array, own: Array) -> Face:
    """Return the base of a cylinder that stands more than it lies, from its lowest point on; else the line along
    its side.
    """
    across, upright = float(np.hypot(own[0], own[1])), abs(own[2]) > np.sqrt(0.5)
    lean = own[:2] / across if across > FLAT else np.array([1.0, 0.0])
    if not upright:
        line = np.array([[*(shape.radius * lean), z] for z in (-0.5 * shape.length, 0.5 * shape.length)])
        return Face(line @ R.T + p, 2 * RIM + np.arange(2))
    sign = 1.0 if own[2] >= 0.0 else -1.0
    t = sign * 2.0 * np.pi / RIM * np.arange(RIM)
    c, s = np.cos(t), np.sin(t)
    rim = shape.radius * np.stack([c * lean[0] - s * lean[1], s * lean[0] + c * lean[1]], axis=1)
    points = np.concatenate([rim, np.full((RIM, 1), 0.5 * sign * shape.length)], axis=1)
    return Face(points @ R.T + p, np.arange(RIM) + (RIM if sign > 0.0 else 0), sign * R[:, 2])


@functools.lru_cache(maxsize=256)
def faces_of_hull(shape: Any, flat: float = FLAT) -> tuple[Array, list[Integers]]:
    """Find the normals of the faces of a hull, and the numbers of their vertices, counterclockwise from outside; triangles
    that are off by less than a share of its extent are one face.
    """
    triangles, corners = shape.triangles, shape.vertices[shape.triangles]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(cross, axis=1)
    n = cross / np.maximum(size, 1e-300)[:, None]
    tolerance = flat * float(np.ptp(shape.vertices, axis=0).max())
    first, taken = np.arange(len(triangles)), np.zeros(len(triangles), bool)
    joined: dict[int, Integers] = {}
    order = np.argsort(-size, kind="stable")  # large triangles know their normals best
    for k in order[in_plane_of(shape.vertices, corners[:, 0], n, tolerance, order) > 3]:
        if not taken[k]:
            same = ~taken & (np.abs((corners - corners[k, 0]) @ n[k]).max(axis=1) <= tolerance)
            same[k] = True
            taken |= same
            first[same] = k
            found = np.unique(triangles[same])
            joined[int(k)] = found[counterclockwise(shape.vertices[found][None], n[k][None])[0]]
    seeds, alone = order[first[order] == order], counterclockwise(corners, n)
    return n[seeds], [joined[k] if k in joined else triangles[k][alone[k]] for k in seeds.tolist()]


def in_plane_of(vertices: Array, x: Array, n: Array, tolerance: float, order: Integers) -> Integers:
    """Count the vertices that are in each of the planes through x, across n; in this order of planes."""
    found, most = np.zeros(len(order), np.int64), max(1, MOST_HEIGHTS // len(vertices))
    for k in range(0, len(order), most):
        some = order[k : k + most]
        heights = vertices @ n[some].T - np.einsum("ki,ki->k", x[some], n[some])
        found[k : k + most] = (np.abs(heights) <= 2.0 * tolerance).sum(axis=0)  # rounding makes none of them fewer
    return found


def counterclockwise(points: Array, n: Array) -> Integers:
    """Sort the corners of convex polygons, ``(K, m, 3)``, counterclockwise about their normals; return their orders."""
    u, v = axes_across(n)
    x = points - points.mean(axis=1, keepdims=True)
    return np.argsort(np.arctan2(np.einsum("kmi,ki->km", x, v), np.einsum("kmi,ki->km", x, u)), axis=1, kind="stable")


def axes_across(n: Array) -> tuple[Array, Array]:
    """Return two unit vectors u and v such that (u, v, n) is right-handed, for each n, ``(..., 3)``."""
    least = np.eye(3)[np.argmin(np.abs(n), axis=-1)]
    u = np.cross(least, n)
    u = u / np.linalg.norm(u, axis=-1, keepdims=True)
    return u, np.cross(n, u)


def clipped(reference: Array, numbers: Integers, many: int, n: Array, incident: Face, incident_shape: Shape) -> Corners:
    """Clip an incident face by the sides of a reference polygon.

    Args:
        reference: its corners, counterclockwise about n, ``(m, 3)``.
        numbers: of them, ``(m,)``, below ``many``.
        n: its normal, towards the incident face.
        incident: the other face.
        incident_shape: whose it is.
    """
    N, m = count_of(incident_shape), len(reference)
    tolerance = AT_SIDE * float(np.abs(reference - reference[0]).max())
    sides = np.cross(n, np.roll(reference, -1, axis=0) - reference)  # inwards
    sides /= np.maximum(np.linalg.norm(sides, axis=1, keepdims=True), 1e-300)
    points, features = list(incident.points), [int(k) for k in incident.numbers]
    closed = len(points) > 2
    last = [
        int(k) for k in incident.numbers
    ]  # what the side is on that begins at each point: a corner, or -1 - j of a side
    for j in range(m):
        inner = [float(sides[j] @ (x - reference[j])) for x in points]
        kept, names, begins = [], [], []
        for k in range(len(points)):
            into = (k + 1) % len(points)
            inside = inner[k] >= -tolerance
            if inside:
                kept.append(points[k])
                names.append(features[k])
                begins.append(last[k])
            if (closed or k + 1 < len(points)) and inside != (inner[into] >= -tolerance):
                share = inner[k] / (inner[k] - inner[into])
                kept.append(points[k] + share * (points[into] - points[k]))
                corner = 0 if last[k] == -1 and j == m - 1 else j  # that two sides of the reference have in common
                crossing = N + many + last[k] * many + int(numbers[j])
                names.append(N + int(numbers[corner]) if last[k] < 0 else crossing)
                begins.append(-1 - j if inside else last[k])
        points, features, last = kept, names, begins
        if not points:
            break
    x = np.array(points).reshape(-1, 3)
    return Corners(x, (x - reference[0]) @ n, np.array(features, np.int64))
