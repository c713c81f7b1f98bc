"""Kernels of pairs of shapes, by their kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.geometry.convex.solids import solid_numbers
from pluecker.contact.geometry.convex.touch import convex_convex
from pluecker.contact.geometry.primitives.boxes import box_box
from pluecker.contact.geometry.primitives.capsules import capsule_box, capsule_capsule
from pluecker.contact.geometry.primitives.half_spaces import (
    half_space_box,
    half_space_capsule,
    half_space_cylinder,
    half_space_hull,
    half_space_sphere,
)
from pluecker.contact.geometry.primitives.spheres import sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere
from pluecker.contact.geometry.shapes import Box, Capsule, ConvexHull, Cylinder, HalfSpace, Mesh, Sphere
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "HULLS", "HULL_PAIRS", "PAIRS", "SOLID_PAIRS", "Pair", "array_of",
    "arrays_of", "kernel_of", "packed_pose",
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
# of a half-space and a hull, which comes as its vertices in place of sizes
HULL_PAIRS: dict[tuple[int, int], Pair] = {(HalfSpace.kind, kind): Pair(half_space_hull, 4) for kind in HULLS}
# of any other two convex shapes, both of which come as the arrays of :mod:`.convex.solids`; how many contacts each kind has
SOLID_PAIRS: dict[tuple[int, int], Pair] = {
    (first, second): Pair(convex_convex, slots)
    for first, others, slots in (
        (Sphere.kind, HULLS, 1),
        (Capsule.kind, (Cylinder.kind, *HULLS), 2),
        (Box.kind, (Cylinder.kind, *HULLS), 8),
        (Cylinder.kind, (Cylinder.kind, *HULLS), 8),
        (ConvexHull.kind, HULLS, 8),
        (Mesh.kind, (Mesh.kind,), 8),
    )
    for second in others
}


def kernel_of(first: int, second: int) -> Pair | None:
    """Return the kernel of two kinds of shapes, in its order; None if there is none."""
    kinds = first, second
    return PAIRS.get(kinds) or HULL_PAIRS.get(kinds) or SOLID_PAIRS.get(kinds)


def arrays_of(first: int, second: int) -> int:
    """Return how many of two kinds of shapes come to their kernel as arrays, the second one first."""
    return 2 if (first, second) in SOLID_PAIRS else int((first, second) in HULL_PAIRS)


def array_of(kinds: tuple[int, int], shape: Any) -> Array:
    """Return the numbers that the kernel of two kinds reads of a shape that comes as an array."""
    return solid_numbers(shape) if kinds in SOLID_PAIRS else shape.vertices


def packed_pose(T: Array) -> Array:
    """Pack R and p of homogeneous matrices, ``(..., 12)``."""
    return np.concatenate([T[..., :3, :3].reshape(*T.shape[:-2], 9), T[..., :3, 3]], axis=-1)
