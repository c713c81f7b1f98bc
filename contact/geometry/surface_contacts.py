"""Contacts with triangles, without those of inner edges.

Each triangle is tested by itself, so that a ball that rolls over a flat surface meets the edges of triangles before it:
from there the nearest point is on an edge, and the normal leans against the motion. But the surface goes on behind that
edge, nearer to the ball. So of contacts whose normal is not that of their triangle only those are kept where no
neighbour at the point rises towards the shape: with the normal n there and any other corner y of a triangle through the
point x, ``n . (y - x) <= 0``.

Source: Ericson, *Real-Time Collision Detection* (2005), section 5.1, the Voronoi regions of features.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from pluecker.contact.geometry.slots import GAP
from pluecker.spatial.functions.elementwise import Array

__all__ = ["without_inner_edges"]

ALONG = 1e-3  # sine: a normal that leans by less is that of the triangle
RISES = 1e-4  # sine: what rises by less is flat
AT = 1e-6  # of the size of a triangle: a point nearer to it than that is on it


@functools.lru_cache(maxsize=256)
def neighbours(shape: Any) -> list[list[int]]:
    """Of each triangle those that have a vertex with it in common, also where files list the vertex for each of them."""
    _, same = np.unique(shape.vertices, axis=0, return_inverse=True)
    triangles = same.reshape(-1)[shape.triangles]
    of_vertex: dict[int, set[int]] = {}
    for k, triangle in enumerate(triangles.tolist()):
        for vertex in triangle:
            of_vertex.setdefault(vertex, set()).add(k)
    return [
        sorted(set().union(*(of_vertex[v] for v in triangle)) - {k}) for k, triangle in enumerate(triangles.tolist())
    ]


def without_inner_edges(shape: Any, T: Array, slots: Array, sign: float) -> Array:
    """The contacts that are kept, of slots whose features are numbers of triangles; ``sign n`` points away from these."""
    kept = []
    for k, slot in enumerate(slots):
        n = T[:3, :3].T @ (sign * slot[:3])
        x = T[:3, :3].T @ (slot[3:6] - T[:3, 3]) - 0.5 * slot[GAP] * n  # on the triangle
        number = int(slot[-1])
        flat = plane_normal(shape.vertices[shape.triangles[number]])
        leans = np.linalg.norm(np.cross(n, flat)) > ALONG
        if not leans or not any(rises(shape.vertices[shape.triangles[m]], x, n) for m in neighbours(shape)[number]):
            kept.append(k)
    return slots[kept]


def plane_normal(corners: Array) -> Array:
    """Of a triangle; zero where it has no area."""
    n = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    return n / max(float(np.linalg.norm(n)), 1e-300)


def rises(corners: Array, x: Array, n: Array) -> bool:
    """Whether x is on a triangle that goes on along n from there."""
    size = float(np.ptp(corners, axis=0).max())
    f = plane_normal(corners)
    if abs(f @ (x - corners[0])) > AT * size:
        return False
    inside = (np.dot(np.cross(np.roll(corners, -1, axis=0) - corners, x - corners), f) > -AT * size * size).all()
    away = corners - x
    return bool(inside) and bool((away @ n > RISES * np.linalg.norm(away, axis=1) + AT * size).any())
