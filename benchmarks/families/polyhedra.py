"""Convex polyhedra that fill space: the cells of Voronoi around points, their masses, inertias and common faces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Voronoi

from pluecker.spatial.functions.elementwise import Array

__all__ = ["Cells", "cells_around", "jittered"]


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells and the faces between them.

    Attributes:
        volume: ``(n,)``; nothing of use for cells that are not wanted.
        centre: centres of mass, ``(n, 3)``.
        moments: rotational inertia about the centre of mass for a density of 1, in world axes, ``(n, 3, 3)``.
        pairs: the two cells of each face, ``(F, 2)``.
        normal: of each face, from the first cell to the second, ``(F, 3)``.
        corners: of each face, in order around it.
    """

    volume: Array
    centre: Array
    moments: Array
    pairs: NDArray[np.int64]
    normal: Array
    corners: list[Array]


def jittered(rng: np.random.Generator, counts: tuple[int, int, int], spread: float) -> tuple[Array, NDArray[np.int64]]:
    """Points of a cubic lattice with an edge of 1, each moved at random by ``spread`` at most, and their three numbers."""
    where = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    return where + rng.uniform(-spread, spread, where.shape), where


def cells_around(points: Array, wanted: NDArray[np.bool_]) -> Cells:
    """The cells of points, ``(n, 3)``, and the faces of those that are ``wanted``, which have to be bounded."""
    diagram, n = Voronoi(points), len(points)
    bounded = [
        k for k in np.flatnonzero(wanted[diagram.ridge_points].any(axis=1)) if -1 not in diagram.ridge_vertices[k]
    ]
    pairs = diagram.ridge_points[bounded].astype(np.int64)
    normal = points[pairs[:, 1]] - points[pairs[:, 0]]
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    across = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal), axis=1)])
    axes = np.stack([across, np.cross(normal, across)], axis=2)
    corners = [around(diagram.vertices[diagram.ridge_vertices[k]], A) for k, A in zip(bounded, axes, strict=True)]
    # A fan of triangles for each face, and with the point of either cell a tetrahedron for each triangle.
    face = np.repeat(np.arange(len(corners)), [len(c) - 2 for c in corners])
    triangles = np.concatenate(
        [np.stack([np.broadcast_to(c[0], c[2:].shape), c[1:-1], c[2:]], axis=1) for c in corners]
    )
    volume, first, second = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    for side in (0, 1):
        cell = pairs[face, side]
        edges = triangles - points[cell][:, None]
        V = np.abs(np.linalg.det(edges)) / 6.0
        total = edges.sum(axis=1)
        # Over a tetrahedron with a corner at 0: the integral of x is V s / 4, of x x' it is V (sum e e' + s s') / 20.
        squares = np.einsum("tki,tkj->tij", edges, edges) + total[:, :, None] * total[:, None]
        np.add.at(volume, cell, V)
        np.add.at(first, cell, V[:, None] * total / 4.0)
        np.add.at(second, cell, V[:, None, None] * squares / 20.0)
    safe = np.where(volume > 0.0, volume, 1.0)
    arm = first / safe[:, None]
    second -= safe[:, None, None] * arm[:, :, None] * arm[:, None]
    moments = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    return Cells(volume, points + arm, moments, pairs, normal, corners)


def around(corners: Array, axes: Array) -> Array:
    """The corners of a convex polygon in order, ``axes`` being two directions in its plane, ``(3, 2)``."""
    x, y = ((corners - corners.mean(axis=0)) @ axes).T
    return corners[np.argsort(np.arctan2(y, x))]
