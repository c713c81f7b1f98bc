"""Granular flow: spheres of many sizes run down a chute, between rough walls."""

from __future__ import annotations

import numpy as np

from benchmarks.families.packings import near
from benchmarks.families.scene import Scene, inward_normal, with_ground
from pluecker.contact.friction.tables.table import ContactTable
from pluecker.spatial.functions.elementwise import Array

__all__ = ["chute"]

RADII, DENSITY, STEP = (0.01, 0.03), 2500.0, 1e-3
SHARE, PUSHES, EACH = 0.6, 60, 3.0
SLOPE = np.radians(28.0)
SHEAR, NOISE = 10.0, 0.1  # of the velocity along the chute, 1/s; of all its components, m/s


def chute(contacts: int, seed: int = 0, *, friction: float = 0.5, rough: float = 1.0, step: float = STEP) -> Scene:
    """One step of a flow down a chute with a floor and two walls: so many contacts, the nearest ones.

    The chute is along x, and gravity is tilted. The flow is faster the higher it is above the floor.

    Args:
        contacts: their number.
        seed: of places, sizes and velocities.
        friction: between spheres.
        rough: friction of the floor and the walls.
        step: s.
    """
    rng = np.random.default_rng(seed)
    n = max(8, round(contacts / EACH))
    radius = rng.uniform(*RADII, n)
    volume = 4.0 / 3.0 * np.pi * radius**3
    # Twice as long as it is wide, half as deep.
    box = np.array([2.0, 1.0, 0.5]) * (volume.sum() / SHARE) ** (1.0 / 3.0)
    lowest, highest = np.tile(radius[:, None], 3), box - radius[:, None]
    place = rng.uniform(0.0, 1.0, (n, 3)) * (highest - lowest) + lowest
    for _ in range(PUSHES):
        pairs, distance, normal = near(place, 2.0 * RADII[1])
        push = 0.5 * np.maximum(radius[pairs].sum(axis=1) - distance, 0.0)[:, None] * normal
        for k, sign in ((0, -1.0), (1, 1.0)):
            np.add.at(place, pairs[:, k], sign * push)
        place = np.clip(place, lowest, highest)
    pairs, distance, normal = near(place, 3.0 * RADII[1])
    gap = distance - radius[pairs].sum(axis=1)
    point = place[pairs[:, 0]] + (radius[pairs[:, 0]] + 0.5 * gap)[:, None] * normal
    parts = [(pairs + 1, normal, point, gap, np.full(len(gap), friction))]
    for axis, side in ((1, 0.0), (1, box[1]), (2, 0.0)):
        parts.append(along_wall(place, radius, axis, side, rough))
    of, normal, point, gap, mu = (np.concatenate(part) for part in zip(*parts, strict=True))
    chosen = np.sort(np.argsort(gap, kind="stable")[:contacts])
    table = ContactTable(of[chosen], normal[chosen], point[chosen], np.maximum(gap[chosen], 0.0), friction=mu[chosen])
    mass = DENSITY * volume
    velocity = NOISE * rng.normal(size=(n, 6)) / np.concatenate([np.tile(radius[:, None], 3), np.ones((n, 3))], axis=1)
    velocity[:, 3] += SHEAR * place[:, 2]
    bodies = with_ground(mass, np.tile(0.4 * mass[:, None] * radius[:, None] ** 2, 3), place, velocity, tilt=SLOPE)
    return Scene("chute", seed, {"friction": friction, "rough": rough, "step": step}, bodies, table, step)


def along_wall(place: Array, radius: Array, axis: int, side: float, friction: float) -> tuple[Array, ...]:
    """Contacts with a wall: pairs, normals, points, gaps, friction."""
    inward = inward_normal(axis, side)
    gap = np.abs(place[:, axis] - side) - radius
    of = np.flatnonzero(gap < radius)
    point = place[of] - (radius[of] + gap[of])[:, None] * inward
    pairs = np.column_stack([np.zeros_like(of), of + 1])
    return pairs, np.tile(inward, (len(of), 1)), point, gap[of], np.full(len(of), friction)
