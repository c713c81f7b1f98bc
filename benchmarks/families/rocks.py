"""Rock piles: irregular polyhedra with friction 1, several contacts between the same two, on rough ground."""

from __future__ import annotations

import numpy as np

from benchmarks.families.polyhedra import Cells, cells_around, jittered
from benchmarks.families.scene import Scene, with_ground
from pluecker.contact.friction.tables.table import ContactTable
from pluecker.spatial.functions.elementwise import Array

__all__ = ["rock_pile", "touching_faces"]

EDGE, DENSITY, STEP = 0.5, 2500.0, 5e-3
JITTER = 0.35  # of the edge: how irregular the rocks are
SLOPE = 0.7  # of the pile: about 35 degrees
EACH = 9.0  # contacts for each rock, about
MARGIN = 2  # layers of points around the pile, so that all its cells are bounded
UNEVEN = 0.03  # how much the normals of one face differ from one another
OPEN = 1e-3  # the largest gap of faces that do not touch, m


def rock_pile(contacts: int, seed: int = 0, *, friction: float = 1.0, impact: float = 0.0, step: float = STEP) -> Scene:
    """One step of a conical pile of rocks, which are the cells of Voronoi around a jittered lattice.

    Rocks touch most neighbours below and above and a third of those beside, at one to four points of the common face. The
    ground is made of rocks that do not move.

    Args:
        contacts: their number; so many, of the rocks nearest to the middle of the ground.
        seed: of shapes and contacts.
        friction: of all contacts.
        impact: speed with which the upper half falls on the lower one, m/s.
        step: s.
    """
    rng = np.random.default_rng(seed)
    radius = 1.0 + (3.0 * 1.3 * contacts / (EACH * np.pi * SLOPE)) ** (1.0 / 3.0)  # the volume is pi radius^3 SLOPE / 3
    half, height = int(np.ceil(radius)) + MARGIN, int(np.ceil(radius * SLOPE)) + MARGIN
    points, where = jittered(rng, (2 * half + 1, 2 * half + 1, height + MARGIN), JITTER)
    points = points - [half, half, MARGIN - 0.5]
    ground = where[:, 2] < MARGIN
    # How large a cone has to be for a rock to be in it; the pile grows by it, and keeps its shape.
    size = np.hypot(points[:, 0], points[:, 1]) + np.maximum(points[:, 2] - 0.5, 0.0) / SLOPE
    near = size <= radius + 2.0 * MARGIN
    points, ground, size = points[near], ground[near], size[near]
    free = ~ground & (size <= radius)
    cells = cells_around(EDGE * points, free)
    of, normal, point, gap = touching_faces(rng, cells, free, ground)
    needed = np.where(free, size, 0.0)[of].max(axis=1)
    chosen = np.sort(np.argsort(needed, kind="stable")[:contacts])
    of, normal, point, gap = of[chosen], normal[chosen], point[chosen], gap[chosen]
    used = np.unique(of[free[of]])
    number = np.zeros(len(points), np.int64)
    number[used] = np.arange(1, len(used) + 1)
    table = ContactTable.ordered(number[of], normal, point, gap=gap, friction=friction)
    velocity = 0.01 * rng.normal(size=(len(used), 6))
    velocity[cells.centre[used, 2] > np.median(cells.centre[used, 2]), 5] -= impact
    bodies = with_ground(DENSITY * cells.volume[used], DENSITY * cells.moments[used], cells.centre[used], velocity)
    parameters = {"friction": friction, "impact": impact, "step": step}
    return Scene("rock pile", seed, parameters, bodies, table, step)


def touching_faces(rng: np.random.Generator, cells: Cells, free: Array, ground: Array) -> tuple[Array, ...]:
    """Contacts of free cells with one another and with those of the ground: cells, normals, points, gaps."""
    one, two = cells.pairs.T
    faces = np.flatnonzero((free[one] & (free | ground)[two]) | (ground[one] & free[two]))
    steep = np.abs(cells.normal[faces, 2]) > 0.4
    chance = rng.random(len(faces))
    faces = faces[chance < np.where(steep, 0.9, 0.35)]
    of, normals, points, gaps = [], [], [], []
    for k in faces:
        corners, n = cells.corners[k], int(rng.integers(1, 5))
        picked = corners[(np.arange(n) * len(corners)) // n % len(corners)] if n < len(corners) else corners
        inward = rng.uniform(0.1, 0.4, (len(picked), 1))
        points.append(picked + inward * (corners.mean(axis=0) - picked))
        normals.append(cells.normal[k] + UNEVEN * rng.normal(size=(len(picked), 3)))
        of.append(np.tile(cells.pairs[k], (len(picked), 1)))
        gaps.append(np.maximum(0.0, rng.uniform(-2.0 * OPEN, OPEN, len(picked))))
    normal = np.concatenate(normals)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    return np.concatenate(of), normal, np.concatenate(points), np.concatenate(gaps)
