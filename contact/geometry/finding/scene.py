"""Colliders of a scene in two flat arrays, one of numbers and one of integers, as the kernels that find contacts read them.

Numbers: the margin of the scene; then of each collider

=========  ========================================================================================================
numbers    what they are
=========  ========================================================================================================
0 to 2     sizes, as kernels of pairs read them
3 to 5     of a hull: its vertices as a half-space reads them, an address and a size, integers as in
           :mod:`~pluecker.contact.geometry.finding.blocks`
6 to 8     of a shape with an end: its array as the kernel of any two convex shapes reads it
9 to 11    the centre of a box around it, in its frame
12 to 16   half sides of that box, along the axes of its frame; a radius around the box; that of a sphere around all
17 to 23   its surface: friction, rolling and spinning friction, restitution, stiffness, damping, friction of what slides
24 to 26   velocity of the surface, in its frame
=========  ========================================================================================================

Integers: how many colliders there are; the number of the scene, of which no two in a process have one; the table of kinds,
kind by kind, each with the address of the call of its kernel, how many slots that has (none: it is a pair for coal), where
in the records the sizes of either shape are that it reads, and whether its slack is the margin of the pair; then of each
collider its kind, the rank of its body among those that have colliders, and whether it is a surface of triangles; then the
rules of :mod:`~pluecker.contact.geometry.finding.filters`.

Addresses are zero until a pair of shapes is near each other that needs them: then :meth:`Scene.prepare` compiles the call,
and makes the arrays. What addresses show lives as long as the scene.
"""

from __future__ import annotations

from itertools import count, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.geometry.finding.calls import array_record, call_of
from pluecker.contact.geometry.pairs import arrays_of, kernel_of
from pluecker.contact.geometry.shapes import KINDS, Box, Capsule, Cylinder, HalfSpace, Shape, Sphere, is_surface
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "CALL", "CENTER", "HALF_SIDES", "MARGIN", "PLACE_1", "PLACE_2", "RADIUS", "ROUND", "SIZES", "SLOTS", "SOLID",
    "SURFACE", "VELOCITY", "WIDE_SLACK", "Scene", "body_rank", "collider_count", "is_half_space",
    "is_without_inside", "kind_of", "number_place", "pair_place", "rules_place", "scene_number",
]  # fmt: skip

# numbers
MARGIN, NUMBERS_HEADER = 0, 1
SIZES, VERTICES, SOLID, CENTER, HALF_SIDES, ROUND, RADIUS, SURFACE, VELOCITY = 0, 3, 6, 9, 12, 15, 16, 17, 24
NUMBERS = 27  # of a collider

# integers
COUNT, NUMBER, INTEGERS_HEADER = 0, 1, 2
CALL, SLOTS, PLACE_1, PLACE_2, WIDE_SLACK = range(5)
ENTRIES = 5  # of a pair of kinds
N_KINDS = len(KINDS)
COLLIDERS = INTEGERS_HEADER + ENTRIES * N_KINDS**2
KIND, RANK, WITHOUT_INSIDE = range(3)
INTEGERS = 3  # of a collider
HALF_SPACE = HalfSpace.kind
NUMBERS_OF_SCENES = count(1)


@kernel
def collider_count(si):
    """Load the number of colliders"""
    return load(si, COUNT)


@kernel
def scene_number(si):
    """Load the number of the scene"""
    return load(si, NUMBER)


@kernel
def number_place(k, what):
    """Return where the numbers of a collider are"""
    return NUMBERS_HEADER + NUMBERS * k + what


@kernel
def pair_place(si, i, j):
    """Return where the entries of the kinds of two colliders are"""
    return INTEGERS_HEADER + ENTRIES * (N_KINDS * kind_of(si, i) + kind_of(si, j))


@kernel
def kind_of(si, k):
    """Load the kind of a collider"""
    return load(si, COLLIDERS + INTEGERS * k + KIND)


@kernel
def is_half_space(si, k):
    """Return whether a collider has no end"""
    return kind_of(si, k) == HALF_SPACE


@kernel
def body_rank(si, k):
    """Load the rank of the body of a collider: in the order of bodies, from 0 on"""
    return load(si, COLLIDERS + INTEGERS * k + RANK)


@kernel
def is_without_inside(si, k):
    """Return whether a collider is a surface of triangles"""
    return load(si, COLLIDERS + INTEGERS * k + WITHOUT_INSIDE) != 0


@kernel
def rules_place(si):
    """Return where the rules are that say which pairs may touch"""
    return COLLIDERS + INTEGERS * load(si, COUNT)


class Scene:
    """Colliders as compiled code reads them, with the addresses of the kernels of their pairs.

    Args:
        collision: the colliders, a :class:`~pluecker.contact.geometry.Collision`.

    Attributes:
        numbers: float64.
        integers: int64.
        bodies: of each collider, ``(n,)``.
    """

    def __init__(self, collision: Any) -> None:
        self.shapes: list[Shape] = [collider.shape for collider in collision.colliders]
        n = len(self.shapes)
        self.bodies: NDArray[np.int64] = collision.bodies
        self.kinds: NDArray[np.int64] = collision.kinds
        boxes = np.array([box_around(shape) for shape in self.shapes]).reshape(-1, 4)
        self.numbers = np.zeros(NUMBERS_HEADER + NUMBERS * n)
        self.numbers[MARGIN] = collision.margin
        self.records = self.numbers[NUMBERS_HEADER:].reshape(n, NUMBERS)
        self.records[:, SIZES : SIZES + 3] = collision.sizes
        self.records[:, CENTER:] = np.column_stack(
            [collision.centers, boxes, collision.radii, collision.rows, collision.velocities]
        )
        ranks = np.unique(self.bodies, return_inverse=True)[1]
        surfaces = np.array([is_surface(shape) for shape in self.shapes], bool)
        integers = np.column_stack([self.kinds, ranks, surfaces])
        head = np.zeros(INTEGERS_HEADER, np.int64)
        head[COUNT], head[NUMBER] = n, next(NUMBERS_OF_SCENES)
        self.integers = np.concatenate([head, pair_table().ravel(), integers.ravel(), collision.allowed.rules])
        self.table = self.integers[INTEGERS_HEADER:COLLIDERS].reshape(N_KINDS, N_KINDS, ENTRIES)
        self.lasting: list[Array] = []  # arrays of shapes, whose addresses are among the numbers

    def prepare(self, i: int, j: int) -> None:
        """Make what the kernel of two colliders, in the order of their kinds, reads of shapes as arrays, and compile it."""
        kinds: tuple[int, int] = tuple(self.kinds[[i, j]].tolist())
        entries, pair = self.table[kinds], kernel_of(*kinds)
        assert pair is not None
        for k, place in ((i, int(entries[PLACE_1])), (j, int(entries[PLACE_2]))):
            if place != SIZES and not self.records[k, place]:
                self.add_array(k, place, kinds)
        entries[CALL] = call_of(pair, arrays_of(*kinds))

    def add_array(self, k: int, place: int, kinds: tuple[int, int]) -> None:
        """Make the array of a shape, and write where it is."""
        array, record = array_record(kinds, self.shapes[k])
        self.lasting.append(array)
        entry = self.records[k, place : place + 3]
        entry[1:] = record[1:]
        entry[0] = record[0]  # last: it says that it is there


def pair_table() -> NDArray[np.int64]:
    """Make the entries of all pairs of kinds, in the order of their kernels, ``(kinds, kinds, 5)``; no addresses yet."""
    table = np.zeros((N_KINDS, N_KINDS, ENTRIES), np.int64)
    for kinds in product(range(N_KINDS), repeat=2):
        pair, arrays = kernel_of(*kinds), arrays_of(*kinds)
        if pair is not None:
            second = (SIZES, VERTICES, SOLID)[arrays]
            table[kinds] = 0, pair.slots, SOLID if arrays == 2 else SIZES, second, arrays == 1
    return table


def box_around(shape: Any) -> tuple[float, float, float, float]:
    """Compute half sides of a box about the centre of a shape, along its axes, and the radius around that: both hold it."""
    if isinstance(shape, HalfSpace):
        return (0.0, 0.0, 0.0, np.inf)
    if isinstance(shape, Sphere):
        return (0.0, 0.0, 0.0, shape.radius)
    if isinstance(shape, Capsule):
        return (0.0, 0.0, 0.5 * shape.length, shape.radius)
    if isinstance(shape, Cylinder):
        return (shape.radius, shape.radius, 0.5 * shape.length, 0.0)
    half = np.array(shape.sizes) if isinstance(shape, Box) else 0.5 * np.ptp(shape.vertices, axis=0)
    return (*half.tolist(), 0.0)
