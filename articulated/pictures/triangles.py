"""Triangles: surfaces of boxes, balls, cylinders, cones and springs, and a coarser surface in place of a fine one.

A surface is ``(vertices, faces)``: points ``(n, 3)`` in m, and for each triangle the numbers of its corners ``(m, 3)``,
counter-clockwise as seen from outside.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Surface",
    "ball",
    "box",
    "coarser",
    "coil",
    "cone",
    "cylinder",
    "finer",
    "joined",
    "normals",
    "tube",
    "turn_to",
]

Array = NDArray[np.float64]
Surface = tuple[Array, NDArray[np.int64]]
FINEST = 96.0  # cells along the longest edge: more are finer than a picture of a few hundred dots
COILS, LEAD = 8, 0.15  # turns of a spring; the share of the middle at which it has its full radius, of a sine
HEXAGON = np.stack([np.cos(np.pi * np.arange(6) / 3.0), np.sin(np.pi * np.arange(6) / 3.0)], axis=1)
AROUND = 20  # corners of a circle: round enough for a picture


def box(size: Array) -> Surface:
    """A box about the origin, from its edges ``(3,)``."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def ball(radii: Array, rings: int = 12) -> Surface:
    """An ellipsoid about the origin, from its semi-axes ``(3,)``."""
    height = np.pi * (np.arange(rings + 1) / rings - 0.5)
    profile = np.stack([np.cos(height), np.sin(height)], axis=1)
    profile[[0, -1], 0] = 0.0
    vertices, faces = turned(profile)
    return vertices * radii, faces


def cylinder(radius: float, length: float) -> Surface:
    """A cylinder about the z axis, its middle in the origin."""
    return turned(
        np.array([[0.0, -0.5 * length], [radius, -0.5 * length], [radius, 0.5 * length], [0.0, 0.5 * length]])
    )


def cone(radius: float, length: float) -> Surface:
    """A cone about the z axis, its tip in the origin, open to z = length."""
    return turned(np.array([[0.0, 0.0], [radius, length], [0.0, length]]))


def coil(start: Array, end: Array, radius: float) -> Array:
    """Points along a spring between two points, ``(n, 3)``: a helix with a straight piece at each end."""
    t = np.linspace(0.0, 1.0, COILS * AROUND + 1)[:, None]
    angle = 2.0 * np.pi * COILS * t
    around = radius * np.sin(np.pi * t).clip(0.0, LEAD) / LEAD * np.concatenate([np.cos(angle), np.sin(angle)], axis=1)
    R = turn_to(end - start)
    points: Array = start + (0.1 + 0.8 * t) * (end - start) + around @ R[:, :2].T
    return np.concatenate([start[None], points, end[None]])


def tube(way: Array, radius: float) -> Surface:
    """A tube of six sides along points ``(n, 3)``, open at its ends."""
    along = np.gradient(way, axis=0)
    z = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    side = turn_to(z[0])[:, 0]
    rings = []
    for direction, point in zip(z, way, strict=True):  # the side is carried along, so that the tube is not wrung
        side = side - direction * (side @ direction)
        side = side / np.linalg.norm(side)
        rings.append(point + radius * (HEXAGON @ np.stack([side, np.cross(direction, side)])))
    i, j = np.meshgrid(np.arange(len(way) - 1), np.arange(len(HEXAGON)), indexing="ij")
    a, b = i * len(HEXAGON) + j, i * len(HEXAGON) + (j + 1) % len(HEXAGON)
    quads = np.stack([a, b, b + len(HEXAGON), a + len(HEXAGON)], axis=-1).reshape(-1, 4)
    return np.concatenate(rings), np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def turned(profile: Array) -> Surface:
    """Build the surface of revolution about the z axis of a profile ``(k, 2)``: distances from the axis, and heights."""
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    k = len(profile)
    vertices = np.empty((k, AROUND, 3))
    vertices[..., :2] = profile[:, None, :1] * ring
    vertices[..., 2] = profile[:, None, 1]
    i, j = np.meshgrid(np.arange(k - 1), np.arange(AROUND), indexing="ij")
    a, b = i * AROUND + j, i * AROUND + (j + 1) % AROUND
    quads = np.stack([a, b, b + AROUND, a + AROUND], axis=-1).reshape(-1, 4)
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    points = vertices.reshape(-1, 3)
    return points, faces[~flat(points, faces)]


def flat(vertices: Array, faces: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each triangle whether two of its corners coincide."""
    p = vertices[faces]
    return np.asarray(
        (p[:, 0] == p[:, 1]).all(1) | (p[:, 1] == p[:, 2]).all(1) | (p[:, 2] == p[:, 0]).all(1), dtype=np.bool_
    )


def joined(surfaces: list[Surface]) -> Surface:
    """Join several surfaces to one."""
    if not surfaces:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    first = np.cumsum([0, *(len(vertices) for vertices, _ in surfaces)])
    faces = [part + start for (_, part), start in zip(surfaces, first[:-1], strict=True)]
    return np.concatenate([vertices for vertices, _ in surfaces]), np.concatenate(faces)


def normals(corners: Array) -> Array:
    """Unit normals of triangles ``(..., 3, 3)``; zero where one has no area."""
    n = np.cross(corners[..., 1, :] - corners[..., 0, :], corners[..., 2, :] - corners[..., 0, :])
    return n / np.maximum(np.linalg.norm(n, axis=-1, keepdims=True), 1e-300)


def coarser(surface: Surface, most: int) -> Surface:
    """Simplify a surface to ``most`` triangles or fewer: corners in one cell of a grid become one, in ever larger cells.

    Source: Rossignac and Borrel (1993), "Multi-resolution 3D approximations for rendering complex scenes".
    """
    vertices, faces = surface
    low = vertices.min(0, initial=np.inf)
    size = float((vertices - low).max(initial=0.0)) or 1.0
    cells, number = FINEST, None
    while len(faces) > most and cells > 2.0:
        _, number = np.unique(numbered((vertices - low) * (cells / size)), return_inverse=True)
        faces = number[surface[1]]
        a, b, c = faces.T
        faces = faces[(a != b) & (b != c) & (c != a)]
        _, first = np.unique(numbered(np.sort(faces, axis=1)), return_index=True)
        faces = faces[np.sort(first)]
        cells *= min(0.9, max(0.3, (most / max(1, len(faces))) ** 0.5))  # triangles go by the square of the cells
    if number is None:
        return surface
    count = np.bincount(number)
    return np.stack([np.bincount(number, vertices[:, k]) / count for k in range(3)], axis=1), faces


def numbered(triples: Array | NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for each triple, ``(n,)``, the same for those that round to the same integers, which are below 2^21."""
    x, y, z = np.rint(triples).astype(np.int64).T
    number: NDArray[np.int64] = (x << 42) | (y << 21) | z
    return number


def finer(surface: Surface, most: int) -> Surface:
    """Subdivide each triangle of a surface into four, repeatedly, as long as there are ``most`` triangles or fewer."""
    vertices, faces = surface
    while 0 < 4 * len(faces) <= most:
        n, (a, b, c) = len(vertices), vertices[faces.T]
        vertices = np.concatenate([vertices, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)])
        x, y, z = (n + k * len(faces) + np.arange(len(faces)) for k in range(3))
        a, b, c = faces.T
        faces = np.concatenate([np.stack(each, axis=1) for each in ((a, x, z), (x, b, y), (z, y, c), (x, y, z))])
    return vertices, faces


def turn_to(direction: Array) -> Array:
    """Return rotations of the z axis into directions ``(..., 3)`` of any length, ``(..., 3, 3)``; the identity for zero."""
    length = np.linalg.norm(direction, axis=-1, keepdims=True)
    z = np.where(length > 0.0, direction / np.where(length > 0.0, length, 1.0), [0.0, 0.0, 1.0])
    other = np.where(np.abs(z[..., :1]) < 0.7, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    y = np.cross(z, other)
    y /= np.linalg.norm(y, axis=-1, keepdims=True)
    return np.stack([np.cross(y, z), y, z], axis=-1)
