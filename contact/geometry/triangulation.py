"""Triangles around points: those of a convex hull, and which of a surface have an area."""

from __future__ import annotations

from typing import Any

import numpy as np

from pluecker.contact.errors import GeometryError
from pluecker.spatial.functions.elementwise import Array

__all__ = ["have_areas", "hull_of"]

FLAT = 1e-9  # of its extent: how thick a hull has to be
LINE = 1e-14  # twice the area of a triangle over the square of its longest side: coal is exact down to there


def hull_of(label: str, vertices: Array) -> tuple[Array, Any]:
    """Compute the vertices and the triangles of a convex hull, these outwards; refused where it is flat."""
    from scipy.spatial import ConvexHull as Hull
    from scipy.spatial import QhullError

    middle = 0.5 * (vertices.max(axis=0) + vertices.min(axis=0))
    extent = float(np.ptp(vertices, axis=0).max())
    values = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False) if extent > 0.0 else np.zeros(3)
    try:
        if not values[-1] > FLAT * values[0]:
            raise QhullError
        hull = Hull((vertices - middle) / extent)
    except (QhullError, ValueError):
        raise GeometryError(f"{label}: the points are all in one plane, expected a hull with a volume") from None
    used, places = np.unique(hull.simplices, return_inverse=True)
    faces = places.reshape(-1, 3)
    corners = vertices[used]
    normals = np.cross(corners[faces[:, 1]] - corners[faces[:, 0]], corners[faces[:, 2]] - corners[faces[:, 0]])
    inwards = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
    faces[inwards] = faces[inwards][:, ::-1]
    corners.setflags(write=False)
    return corners, faces


def have_areas(corners: Array) -> Array:
    """Return which triangles ``(m, 3, 3)`` have an area, and are not on one line."""
    sides = np.roll(corners, -1, axis=1) - corners
    longest = np.linalg.norm(sides, axis=2).max(axis=1)
    return np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1) > LINE * longest * longest
