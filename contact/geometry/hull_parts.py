"""What kernels know of a convex hull: its triangles with the normals of their faces, and its edges with those of both.

Rows of 12 numbers, triangles first:

=========  ==================================================================================
row        what it has
=========  ==================================================================================
triangle   three corners a, b, c, counterclockwise from outside; the unit normal of its face
edge       both ends a, b; the unit normals of the two faces that meet there
=========  ==================================================================================

Triangles of one face have one normal, that of the largest of them, so that slivers have one that is right; between them
there is no edge.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from pluecker.contact.geometry.face_contacts import faces_of_hull
from pluecker.spatial.functions.elementwise import Array

__all__ = ["PART", "hull_parts"]

PART = 12  # numbers of a row
IN_PLANE = 1e-12  # of the extent: triangles that are off by less are one face; distances to it are as exact


@functools.lru_cache(maxsize=256)
def hull_parts(shape: Any) -> tuple[Array, int]:
    """The rows ``(n, 12)`` of a hull, or of a mesh that stands for its hull, and how many of them are triangles."""
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
