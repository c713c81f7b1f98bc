"""Convex shapes with an end as flat arrays for kernels: a core, and a radius around it.

=========  =================================================================================================================
numbers    what they are
=========  =================================================================================================================
0          what the core is: a polytope, a segment of the z axis about the origin (of no length for a sphere), a cylinder
1          the radius around the core, of a sphere or a capsule; m
2, 3       of a cylinder its radius; half the length of a cylinder or a segment; m
4          half the least width of the shape; m
5          the largest distance of a point of the shape from the origin; m
6 to 8     the centre
9 to 12    of a polytope the numbers of its vertices and faces; where the faces at vertices, and corners of faces, begin
13         where the vertices begin that are farthest in the middle of each cell of directions, see :func:`cells`
14, ...    of a polytope: vertices, 4 numbers each: its place, and where its neighbours along the edges of triangles are: how
           many, and of each the place and the number, side by side, since memory is what takes time here; where the faces at
           each vertex begin, and where those of the last end; the faces; the same of the corners of each face,
           counterclockwise from outside; the normals of faces, 3 each; of many vertices those of the cells
=========  =================================================================================================================

All of them are floats, also those that are whole numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from pluecker.contact.geometry.convex.faces import faces_of_hull
from pluecker.contact.geometry.shapes import Box, Capsule, ConvexHull, Cylinder, Shape, Sphere
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "ALL_AT_ONCE",
    "AROUND_CORE",
    "AT_CENTER",
    "CELLS",
    "CELLS_AT",
    "CORE",
    "CORNERS_AT",
    "CYLINDER",
    "FACES_AT",
    "FACE_COUNT",
    "HALF_LENGTH",
    "POLYTOPE",
    "RADIUS",
    "REACH",
    "SEGMENT",
    "VERTEX",
    "VERTEX_COUNT",
    "VERTICES",
    "WIDTH",
    "solid_numbers",
]  # fmt: skip

POLYTOPE, SEGMENT, CYLINDER = 0, 1, 2
CORE, AROUND_CORE, RADIUS, HALF_LENGTH, WIDTH, REACH, AT_CENTER = range(7)
VERTEX_COUNT, FACE_COUNT, FACES_AT, CORNERS_AT, CELLS_AT, VERTICES = range(9, 15)
VERTEX = 4  # numbers of a vertex, and of a neighbour
ALL_AT_ONCE = 24  # vertices: of fewer all are looked at, and cells are not needed
CELLS = 8  # along each side of a cube around all directions: a cell is some 10 degrees wide


@functools.lru_cache(maxsize=256)
def solid_numbers(shape: Shape) -> Array:
    """Compute the array of a shape with an end and an inside."""
    if isinstance(shape, Box):
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        found = polytope(ConvexHull(signs * shape.sizes))
    elif isinstance(shape, (Sphere, Capsule, Cylinder)):
        found = np.zeros(VERTICES)
        radius, half, _ = shape.sizes
        found[HALF_LENGTH], found[REACH] = half, shape.radius_around
        if isinstance(shape, Cylinder):
            found[CORE], found[RADIUS], found[WIDTH] = CYLINDER, radius, min(radius, half)
        else:
            found[CORE], found[AROUND_CORE], found[WIDTH] = SEGMENT, radius, radius
            found[HALF_LENGTH] = half if isinstance(shape, Capsule) else 0.0
    else:
        found = polytope(shape)
    found.setflags(write=False)
    return found


def polytope(shape: Any) -> Array:
    """Compute the array of a hull, or of a mesh that stands for its hull."""
    x, triangles = shape.vertices, shape.triangles
    normals, faces = faces_of_hull(shape)
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
    of_vertices = np.concatenate([np.stack([face, np.full(len(face), k)], axis=1) for k, face in enumerate(faces)])
    of_vertices = of_vertices[np.lexsort((of_vertices[:, 1], of_vertices[:, 0]))]
    head = np.zeros(VERTICES)
    head[CORE], head[VERTEX_COUNT], head[FACE_COUNT] = POLYTOPE, len(x), len(faces)
    head[WIDTH] = 0.5 * float(min(np.ptp(x @ n) for n in normals))
    head[REACH] = np.linalg.norm(x, axis=1).max()
    head[AT_CENTER : AT_CENTER + 3] = shape.center
    count = np.bincount(edges[:, 0], minlength=len(x))
    end = np.cumsum(1 + VERTEX * count)  # of what each vertex has, behind all vertices
    vertices = np.column_stack([x, VERTICES + VERTEX * len(x) + end - VERTEX * count - 1])
    neighbours = np.zeros(int(end[-1]))
    neighbours[end - VERTEX * count - 1] = count
    place = np.arange(len(edges)) * VERTEX + edges[:, 0] + 1
    neighbours[place[:, None] + np.arange(VERTEX)] = np.column_stack([x[edges[:, 1]], edges[:, 1]])
    at_vertices = listed(len(x), of_vertices)
    head[FACES_AT] = VERTICES + vertices.size + len(neighbours)
    head[CORNERS_AT] = head[FACES_AT] + len(at_vertices)
    corners = np.cumsum([0, *map(len, faces)])
    parts = [vertices.ravel(), neighbours, at_vertices, corners, *faces, normals.ravel()]
    head[CELLS_AT] = VERTICES + sum(map(len, parts))
    farthest = np.argmax(cells() @ x.T, axis=1) if len(x) > ALL_AT_ONCE else []
    return np.concatenate([head, *parts, farthest]).astype(float)


@functools.cache
def cells() -> Array:
    """Return the directions in the middle of all cells, ``(6 CELLS^2, 3)``: squares on the sides of a cube

    Sides are in the order of the axis that they are across, the negative one first; on a side the axis that follows counts
    first, x after z.
    """
    middle = (2.0 * np.arange(CELLS) + 1.0) / CELLS - 1.0
    u, v = (each.ravel() for each in np.meshgrid(middle, middle, indexing="ij"))
    sides = [
        np.roll(np.stack([np.full(len(u), sign), u, v], axis=1), axis, axis=1) for axis in range(3) for sign in (-1.0, 1.0)
    ]  # fmt: skip
    return np.concatenate(sides)


def listed(n: int, pairs: Iterable[Any]) -> Any:
    """Return where what belongs to each of n begins, where the last ends, and all of it, of sorted pairs."""
    pairs = np.asarray(pairs)
    return np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=n)), pairs[:, 1]])
