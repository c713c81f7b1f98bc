"""Kernels of pairs of shapes, by their kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.geometry.boxes import box_box
from pluecker.contact.geometry.capsules import capsule_box, capsule_capsule
from pluecker.contact.geometry.half_spaces import (
    half_space_box,
    half_space_capsule,
    half_space_cylinder,
    half_space_hull,
    half_space_sphere,
)
from pluecker.contact.geometry.hull_faces import hull_hull
from pluecker.contact.geometry.hull_parts import hull_parts, solid_parts
from pluecker.contact.geometry.hulls import capsule_hull, sphere_hull
from pluecker.contact.geometry.shapes import Box, Capsule, ConvexHull, Cylinder, HalfSpace, Mesh, Sphere
from pluecker.contact.geometry.spheres import sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "HULLS", "HULL_PAIRS", "MOST_EDGES", "PAIRS", "SOLID_PAIRS", "Pair", "hull_rows",
    "hulls_of", "kernel_of", "packed_pose",
]  # fmt: skip


class Pair(NamedTuple):
    """Kernel of a pair of shapes, and how many contacts it has room for."""

    kernel: Callable[..., None]
    slots: int


PAIRS: dict[tuple[int, int], Pair] = {
    (HalfSpace.kind, Sphere.kind): Pair(half_space_sphere, 1),
    (HalfSpace.kind, Capsule.kind): Pair(half_space_capsule, 2),
    (HalfSpace.kind, Box.kind): Pair(half_space_box, 4),
    (HalfSpace.kind, Cylinder.kind): Pair(half_space_cylinder, 4),
    (Sphere.kind, Sphere.kind): Pair(sphere_sphere, 1),
    (Sphere.kind, Capsule.kind): Pair(sphere_capsule, 1),
    (Sphere.kind, Box.kind): Pair(sphere_box, 1),
    (Sphere.kind, Cylinder.kind): Pair(sphere_cylinder, 1),
    (Capsule.kind, Capsule.kind): Pair(capsule_capsule, 2),
    (Capsule.kind, Box.kind): Pair(capsule_box, 2),
    (Box.kind, Box.kind): Pair(box_box, 8),
}
HULLS = (ConvexHull.kind, Mesh.kind)
MOST_EDGES = 4096  # pairs of edges of two hulls: 0.1 us each, and coal takes 0.2 ms for a pair of any hulls
# by the first shape: those with a hull, which comes as an array in place of sizes
HULL_PAIRS: dict[int, Pair] = {
    HalfSpace.kind: Pair(half_space_hull, 4),
    Sphere.kind: Pair(sphere_hull, 1),
    Capsule.kind: Pair(capsule_hull, 2),
}
# of two hulls, or a box and a hull, both of which come as arrays
SOLID_PAIRS: dict[tuple[int, int], Pair] = {
    kinds: Pair(hull_hull, 8)
    for kinds in (
        (Box.kind, ConvexHull.kind),
        (Box.kind, Mesh.kind),
        (ConvexHull.kind, ConvexHull.kind),
        (ConvexHull.kind, Mesh.kind),
        (Mesh.kind, Mesh.kind),
    )
}


def kernel_of(first: int, second: int) -> Pair | None:
    """Return the kernel of two kinds of shapes, in its order; None if there is none."""
    if second in HULLS and first in HULL_PAIRS:
        return HULL_PAIRS[first]
    return PAIRS.get((first, second)) or SOLID_PAIRS.get((first, second))


def hulls_of(first: int, second: int) -> int:
    """Return how many of two kinds of shapes come to their kernel as rows of a hull, the second one first."""
    return 2 if (first, second) in SOLID_PAIRS else int((first, second) not in PAIRS)


def hull_rows(kinds: tuple[int, int], hull: Any) -> tuple[Array, int]:
    """Return the rows that the kernel of two kinds reads of a hull, or of a box as one, and how many are triangles or
    corners.
    """
    if hulls_of(*kinds) == 2:
        return solid_parts(hull)[:2]
    return (hull.vertices, len(hull.vertices)) if kinds[0] == HalfSpace.kind else hull_parts(hull)


def packed_pose(T: Array) -> Array:
    """Pack R and p of homogeneous matrices, ``(..., 12)``."""
    return np.concatenate([T[..., :3, :3].reshape(*T.shape[:-2], 9), T[..., :3, 3]], axis=-1)
