"""Arrays of a convex hull for kernels: triangles with the normals of their faces, and edges with those of both faces.

Rows of 12 numbers, triangles first:

=========  ==================================================================================
row        what it has
=========  ==================================================================================
triangle   three corners a, b, c, counterclockwise from outside; the unit normal of its face
edge       both ends a, b; the unit normals of the two faces that meet there
=========  ==================================================================================

Triangles of one face have one normal, that of the largest of them, so that slivers have one that is right; between them
there is no edge.

Of two hulls kernels read more, in rows behind these: all corners, four in a row, the last one again and again in what is
left; and one row of half the least width of the hull, the largest distance of a corner from its origin, and, as an integer,
the number of triangles and edges.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.geometry.face_contacts import faces_of_hull
from pluecker.contact.geometry.shapes import Box, ConvexHull
from pluecker.spatial.functions.elementwise import Array

__all__ = ["PART", "Solid", "count_edges", "hull_parts", "solid_parts"]

PART = 12  # numbers of a row
CORNERS = 4  # in a row
IN_PLANE = 1e-12  # of the extent: triangles that are off by less are one face; distances to it are as exact


@functools.lru_cache(maxsize=256)
def hull_parts(shape: Any) -> tuple[Array, int]:
    """Compute the rows ``(n, 12)`` of a hull, or of a mesh that stands for its hull, and how many of them are triangles."""
    normals, faces = faces_of_hull(shape, IN_PLANE)
    rows: list[Array] = []
    edges: dict[tuple[int, int], list[Array]] = {}
    for n, face in zip(normals, faces, strict=True):
        corners = face.tolist()
        for k in range(1, len(corners) - 1):
            rows.append(np.concatenate([shape.vertices[[corners[0], corners[k], corners[k + 1]]].ravel(), n]))
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            edges.setdefault((min(a, b), max(a, b)), []).append(n)
    meeting = [np.concatenate([shape.vertices[list(ends)].ravel(), own[0], own[-1]]) for ends, own in edges.items()]
    found = np.ascontiguousarray([*rows, *meeting])
    found.setflags(write=False)
    return found, len(rows)


def count_edges(shape: Any) -> int:
    """Count the edges of a hull, of a mesh that stands for its hull, or of a box: each has two of all sides of faces."""
    return 12 if isinstance(shape, Box) else sum(map(len, faces_of_hull(shape, IN_PLANE)[1])) // 2


class Solid(NamedTuple):
    """Rows of a hull as kernels of two hulls read them.

    Attributes:
        rows: ``(n, 12)``: triangles, edges, corners, and the one of sizes.
        triangles: how many rows are those of triangles.
        ends: where the rows of edges end, which follow these.
    """

    rows: Array
    triangles: int
    ends: int


@functools.lru_cache(maxsize=256)
def solid_parts(shape: Any) -> Solid:
    """Compute the rows of a hull, of a mesh that stands for its hull, or of a box, for kernels of two hulls."""
    if isinstance(shape, Box):
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        shape = ConvexHull(signs * shape.sizes)
    rows, triangles = hull_parts(shape)
    left = -len(shape.vertices) % CORNERS
    corners = np.concatenate([shape.vertices, np.repeat(shape.vertices[-1:], left, axis=0)]).reshape(-1, PART)
    heights = shape.vertices @ rows[:triangles, 9:].T
    sizes = np.zeros((1, PART))
    sizes[0, :2] = 0.5 * np.ptp(heights, axis=0).min(), np.linalg.norm(shape.vertices, axis=1).max()
    sizes.view(np.int64)[0, 2] = len(rows)
    found = np.ascontiguousarray(np.concatenate([rows, corners, sizes]))
    found.setflags(write=False)
    return Solid(found, triangles, len(rows))
