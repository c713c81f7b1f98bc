"""Kernels of pairs of shapes, and the loop over many pairs of one kind."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import config, types

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
from pluecker.contact.geometry.hull_parts import PART, Solid, hull_parts, solid_parts
from pluecker.contact.geometry.hulls import capsule_hull, sphere_hull
from pluecker.contact.geometry.shapes import Box, Capsule, ConvexHull, Cylinder, HalfSpace, Mesh, Sphere, is_surface
from pluecker.contact.geometry.slots import SLOT
from pluecker.contact.geometry.spheres import sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere
from pluecker.spatial.algebra.transforms import load_matrix
from pluecker.spatial.algebra.vectors import load3
from pluecker.spatial.engine.compiled.decorators import compiled_for, kernel
from pluecker.spatial.engine.memory.views import flat
from pluecker.spatial.engine.scalars.operations import part
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "HULLS", "HULL_PAIRS", "PAIRS", "POSE", "SOLID_PAIRS", "Pair", "has_hull_kernel", "has_solid_kernel", "hull_numbers",
    "hull_slots",
    "packed_pose", "pair_slots", "solid_slots",
]  # fmt: skip

POSE = 12  # numbers: the rotation row by row, the origin


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


MOST_EDGES = 4096  # pairs of edges of two hulls: 0.1 us each, and coal takes 0.2 ms for a pair of any hulls


def has_hull_kernel(first: int, second: int) -> bool:
    """Return whether there is a kernel for a shape of the first kind and one of the second, which is a hull."""
    return second in HULLS and first in HULL_PAIRS


def has_solid_kernel(first: Any, second: Any) -> bool:
    """Return whether two shapes, in the order of their kinds, are hulls, or a box and a hull, of few enough edges for a
    kernel.
    """
    if (first.kind, second.kind) not in SOLID_PAIRS or is_surface(first) or is_surface(second):
        return False
    edges = [solid.ends - solid.triangles for solid in map(solid_parts, (first, second))]
    return edges[0] * edges[1] <= MOST_EDGES


def hull_numbers(kind: int, hull: Any) -> tuple[Array, int]:
    """Return the rows that the kernel of a shape of that kind reads of a hull, and how many are triangles or corners."""
    return (hull.vertices, len(hull.vertices)) if kind == HalfSpace.kind else hull_parts(hull)


def packed_pose(T: Array) -> Array:
    """Pack R and p of homogeneous matrices, ``(..., 12)``."""
    return np.concatenate([T[..., :3, :3].reshape(*T.shape[:-2], 9), T[..., :3, 3]], axis=-1)


def pair_slots(
    kinds: tuple[int, int], first: Array, sizes1: Array, second: Array, sizes2: Array, slack: float
) -> Array:
    """Run the kernel of two kinds on n pairs: poses ``(n, 12)``, sizes ``(n, 3)``; return slots ``(n, slots, 8)``."""
    pair = PAIRS[kinds]
    out = np.empty((len(first), pair.slots * SLOT))
    columns = (np.ascontiguousarray(array) for array in (first, sizes1, second, sizes2))
    loop_over_pairs(pair.kernel)(*columns, slack, out)
    return out.reshape(len(first), pair.slots, SLOT)


def hull_slots(kind: int, first: Array, sizes: Array, second: Array, hull: Any, slack: float) -> Array:
    """Run the kernel of a shape and a hull on n pairs of shapes of one kind and hulls with the same vertices, with poses
    ``(n, 12)`` and sizes ``(n, 3)``; return slots ``(n, slots, 8)``.
    """
    pair, (numbers, count) = HULL_PAIRS[kind], hull_numbers(kind, hull)
    out = np.empty((len(first), pair.slots * SLOT))
    columns = (np.ascontiguousarray(array) for array in (first, sizes, second))
    hull_loop(pair.kernel)(*columns, np.array(numbers), count, slack, out)
    return out.reshape(len(first), pair.slots, SLOT)


def solid_slots(first: Any, T1: Array, second: Any, T2: Array, slack: float) -> Array:
    """Run the kernel of hulls, or a box and a hull, on n pairs: placements ``(n, 4, 4)``; return slots ``(n, slots, 8)``."""
    pair, solids = SOLID_PAIRS[first.kind, second.kind], [solid_parts(each) for each in (first, second)]
    out = np.empty((len(T1), pair.slots * SLOT))
    poses = [np.ascontiguousarray(packed_pose(T)) for T in (T1, T2)]
    rows, counts = [np.array(each.rows) for each in solids], [solid_counts(each) for each in solids]
    solid_loop(pair.kernel)(poses[0], rows[0], *counts[0], poses[1], rows[1], *counts[1], slack, out)
    return out.reshape(len(T1), pair.slots, SLOT)


def solid_counts(solid: Solid) -> tuple[int, int, int]:
    """Return the rows at which triangles, edges and corners end."""
    return solid.triangles, solid.ends, len(solid.rows) - 1


ROWS = types.float64[:, ::1]


@kernel
def load_pose(x, i):
    """Load the rotation and the origin that begin at entry i"""
    return load_matrix(x, i), load3(x, i + 9)


@functools.cache
def loop_over_pairs(kernel: Callable[..., None]) -> Any:
    """Compile the loop around a kernel of a pair."""

    def rows(first, sizes1, second, sizes2, slack, out):
        n, m = len(first), out.shape[1]
        a, b, s, t, results = flat(first), flat(second), flat(sizes1), flat(sizes2), flat(out)
        for k in range(n):
            (R1, p1), (R2, p2) = load_pose(a, POSE * k), load_pose(b, POSE * k)
            kernel(R1, p1, load3(s, 3 * k), R2, p2, load3(t, 3 * k), slack, part(results, m * k, m))

    def rows_one_by_one(first, sizes1, second, sizes2, slack, out):
        for k in range(len(first)):
            with np.errstate(all="ignore"):
                kernel(
                    *load_pose(first[k], 0), tuple(sizes1[k]), *load_pose(second[k], 0), tuple(sizes2[k]), slack, out[k]
                )

    driver = rows_one_by_one if config.DISABLE_JIT else rows
    driver.__name__ = driver.__qualname__ = f"{kernel.__name__}_pairs"
    return compiled_for(driver, (ROWS, ROWS, ROWS, ROWS, types.float64, ROWS))


@functools.cache
def hull_loop(kernel: Callable[..., None]) -> Any:
    """Compile the loop around a kernel of a shape and a hull."""

    def rows(first, sizes, second, numbers, count, slack, out):
        n, m, total = len(first), out.shape[1], numbers.size // PART
        a, s, b, x, results = flat(first), flat(sizes), flat(second), flat(numbers), flat(out)
        for k in range(n):
            (R1, p1), (R2, p2), found = load_pose(a, POSE * k), load_pose(b, POSE * k), part(results, m * k, m)
            kernel(R1, p1, load3(s, 3 * k), R2, p2, x, count, total, slack, found)

    def rows_one_by_one(first, sizes, second, numbers, count, slack, out):
        for k in range(len(first)):
            poses = (*load_pose(first[k], 0), tuple(sizes[k]), *load_pose(second[k], 0))
            with np.errstate(all="ignore"):
                kernel(*poses, numbers.ravel(), count, numbers.size // PART, slack, out[k])

    driver = rows_one_by_one if config.DISABLE_JIT else rows
    driver.__name__ = driver.__qualname__ = f"{kernel.__name__}_pairs"
    return compiled_for(driver, (ROWS, ROWS, ROWS, ROWS, types.intp, types.float64, ROWS))


@functools.cache
def solid_loop(kernel: Callable[..., None]) -> Any:
    """Compile the loop around a kernel of two hulls."""

    def rows(first, A, t1, e1, r1, second, B, t2, e2, r2, slack, out):
        n, m = len(first), out.shape[1]
        a, b, x, y, results = flat(first), flat(second), flat(A), flat(B), flat(out)
        for k in range(n):
            (R1, p1), (R2, p2), found = load_pose(a, POSE * k), load_pose(b, POSE * k), part(results, m * k, m)
            kernel(R1, p1, x, (t1, e1, r1), R2, p2, y, (t2, e2, r2), slack, found)

    def rows_one_by_one(first, A, t1, e1, r1, second, B, t2, e2, r2, slack, out):
        for k in range(len(first)):
            one, other = (
                (*load_pose(first[k], 0), A.ravel(), (t1, e1, r1)),
                (*load_pose(second[k], 0), B.ravel(), (t2, e2, r2)),
            )
            with np.errstate(all="ignore"):
                kernel(*one, *other, slack, out[k])

    driver = rows_one_by_one if config.DISABLE_JIT else rows
    driver.__name__ = driver.__qualname__ = f"{kernel.__name__}_pairs"
    hull = (ROWS, types.intp, types.intp, types.intp)
    return compiled_for(driver, (ROWS, *hull, ROWS, *hull, types.float64, ROWS))
