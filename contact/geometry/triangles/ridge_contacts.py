"""Contacts along the edges of a surface of triangles: both ends of what lies on a ridge, in place of one point.

Where the normal of a contact leans against its triangle, and two corners of that are farthest along it, the shape touches an
edge. If that edge lies along a face of the shape, what the face covers of it has two ends; if it lies along an edge of
the shape, a capsule or the side of a cylinder, what both have beside each other has two. A ridge of many triangles is
one line: each stretch of it that is covered counts, and its two ends are the contacts.

Source: Ericson, *Real-Time Collision Detection* (2005), section 5.1.9; Sutherland and Hodgman, "Reentrant polygon
clipping" (1974).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.geometry.convex.faces import Face, clipped, count_of, face_towards
from pluecker.contact.geometry.shapes import Capsule, Shape
from pluecker.contact.geometry.slots import GAP, SLOT
from pluecker.spatial.functions.elementwise import Array

__all__ = ["ridge_contacts"]

LEVEL = 1e-3  # sine: an edge that rises by less along a normal lies across it
AT = 1e-6  # of the length of an edge: points nearer to each other than that are one


class Stretch(NamedTuple):
    """Covered stretch of an edge: both ends, and their gaps, along a normal away from the surface; number of its contact."""

    ends: Array
    gaps: Array
    normal: Array
    contact: int


def ridge_contacts(triangles: Array, slots: Array, sign: float, other: Shape, T_other: Array, names: Any) -> Array:
    """Replace the contacts at edges: by two for each line that is covered; the others stay as they are.

    Args:
        triangles: that of each contact, ``(n, 3, 3)``; world.
        slots: the contacts, ``(n, 8)``; ``sign n`` points away from the surface.
        other, T_other: what touches the surface.
        names: two features for each contact, ``(n, 2)``.
    """
    found, single = [], []
    for k in range(len(slots)):
        stretch = covered(triangles[k], sign * slots[k, :3], float(slots[k, GAP]), other, T_other, k)
        if stretch is None:
            single.append(k)
        else:
            found.append(stretch)
    made, points = [], slots[single, 3:6] - 0.5 * slots[single, GAP, None] * sign * slots[single, :3]
    left = np.ones(len(single), bool)
    while found:
        line = [each for each in found if on_one_line(found[0], each)]
        found = [each for each in found if not any(each is own for own in line)]
        ends, gaps = np.concatenate([each.ends for each in line]), np.concatenate([each.gaps for each in line])
        along = ends @ (ends[1] - ends[0])
        both, first = [int(np.argmin(along)), int(np.argmax(along))], line[0]
        left &= ~between(points, ends[both])
        rows = np.zeros((2, SLOT))
        rows[:, :3], rows[:, GAP], rows[:, -1] = sign * first.normal, gaps[both], names[first.contact]
        rows[:, 3:6] = ends[both] + 0.5 * gaps[both, None] * first.normal
        made.append(rows)
    return np.concatenate([slots[single][left], *made])


def between(points: Array, ends: Array) -> Any:
    """Return which points are on the line between two others: there triangles touch that have one corner on a ridge."""
    e = ends[1] - ends[0]
    size = float(np.linalg.norm(e))
    x = points - ends[0]
    share = x @ e / (size * size)
    off = np.linalg.norm(x - share[:, None] * e, axis=1)
    return (off <= AT * size) & (share >= -AT) & (share <= 1.0 + AT)


def covered(triangle: Array, n: Array, gap: float, other: Shape, T_other: Array, k: int) -> Stretch | None:
    """Find the stretch of the edge that is farthest along n, under a face or beside an edge of the other shape."""
    heights = triangle @ n
    low, *both = np.argsort(heights)
    ends = triangle[both]
    length = float(np.linalg.norm(ends[1] - ends[0]))
    if heights[both[1]] - heights[both[0]] > LEVEL * length or heights[low] > heights[both[0]] - LEVEL * length:
        return None
    face = face_towards(other, T_other, -n)
    if face.normal is not None and np.linalg.norm(np.cross(face.normal, n)) <= LEVEL:
        edge = Face(ends, np.arange(2))
        part = clipped(face.points, face.numbers, count_of(other), face.normal, edge, Capsule(1.0, 1.0))
        points, gaps, normal = part.points, part.gaps, -face.normal
    else:
        points, gaps = beside(ends, face.points, n)
        normal = n
    if len(points) < 2 or np.linalg.norm(points[1] - points[0]) <= AT * length:
        return None
    return Stretch(points[:2], gaps[:2], normal, k) if gaps[:2].min() <= gap + LEVEL * length else None


def beside(ends: Array, points: Array, n: Array) -> tuple[Array, Array]:
    """Find the stretch of an edge that is alongside the edge of a shape that is farthest against n: both ends and their
    gaps; none where the two cross.
    """
    depth = points @ n
    order = np.argsort(depth)[:2]
    e = ends[1] - ends[0]
    length = float(np.linalg.norm(e))
    e = e / length
    if len(order) < 2:
        return points[:0], depth[:0]
    a, b = points[order]
    d = b - a
    size = float(np.linalg.norm(d))
    if size == 0.0 or np.linalg.norm(np.cross(e, d)) > LEVEL * size or abs(d @ n) > LEVEL * size:
        return points[:0], depth[:0]
    reach = np.sort([(a - ends[0]) @ e, (b - ends[0]) @ e])
    stretch = np.array([max(0.0, reach[0]), min(length, reach[1])])
    if stretch[1] <= stretch[0]:
        return points[:0], depth[:0]
    on_edge = ends[0] + stretch[:, None] * e
    on_shape = a + ((on_edge - a) @ d / (d @ d))[:, None] * d
    return on_edge, (on_shape - on_edge) @ n


def on_one_line(first: Stretch, other: Stretch) -> bool:
    """Return whether two stretches are of one straight line, with one normal."""
    e = first.ends[1] - first.ends[0]
    size = float(np.linalg.norm(e))
    off = np.cross(e / size, other.ends - first.ends[0])
    return bool(np.abs(off).max() <= AT * size) and bool(np.abs(first.normal - other.normal).max() <= LEVEL)
