"""Packings: spheres in a box, about as dense as a random packing can be, nearly all of them in one island."""

from __future__ import annotations

import numpy as np

from benchmarks.families.scene import Scene, inward_normal, pairs_within, with_ground
from pluecker.contact.friction.tables.table import ContactTable
from pluecker.spatial.functions.elementwise import Array

__all__ = ["RADIUS", "packing", "spheres"]

RADIUS, DENSITY, STEP = 0.5, 1000.0, 1e-2
SHARE = 0.64  # of the box that spheres take: about as dense as a random packing can be
PUSHES = 60  # rounds in which spheres that overlap are pushed apart
EACH = 2.5  # contacts for each sphere, about: between 2, where friction holds what touches, and 3, without friction
REACH = 1.5  # times the sum of the radii: how far apart spheres may be that are counted as neighbours


def packing(contacts: int, seed: int = 0, *, each: float = EACH, speed: float = 0.2, step: float = STEP) -> Scene:
    """One step of spheres that lie in a box and move at random: so many contacts, those with the floor and the nearest ones.

    Spheres start at random places, and are pushed apart until they hardly overlap.

    Args:
        contacts: their number.
        seed: of places, velocities and friction.
        each: contacts for each sphere, about: the more, the more of their impulses are not determined.
        speed: standard deviation of each component of the velocities, m/s and rad/s; 0 for spheres at rest.
        step: s.
    """
    rng = np.random.default_rng(seed)
    n = max(8, round(contacts / each))
    edge = RADIUS * (4.0 / 3.0 * np.pi * n / SHARE) ** (1.0 / 3.0)
    position = spheres(rng, n, edge)
    pairs, distance, normal = near(position, 2.0 * RADIUS * REACH)
    gap = distance - 2.0 * RADIUS
    first, walls = position[pairs[:, 0]], []
    points = first + (RADIUS + 0.5 * gap)[:, None] * normal
    for axis in range(3):
        for side in (0.0, edge):
            inward = inward_normal(axis, side)
            apart = np.abs(position[:, axis] - side) - RADIUS
            touching = np.flatnonzero(apart < RADIUS)
            point = position[touching] - RADIUS * inward
            walls.append((touching, apart[touching], np.tile(inward, (len(touching), 1)), point))
    touching, apart, inward, point = (np.concatenate(part) for part in zip(*walls, strict=True))
    with_box = np.stack([np.zeros(len(touching), np.int64), touching + 1], axis=1)
    bodies = np.concatenate([with_box, pairs + 1])
    gap = np.concatenate([apart, gap])
    # Contacts with the floor come first: without them everything would fall freely.
    carried = np.concatenate([(inward[:, 2] == 1.0) & (apart <= 0.0), np.zeros(len(pairs), bool)])
    chosen = np.sort(np.argsort(np.where(carried, -np.inf, gap), kind="stable")[:contacts])
    table = ContactTable(
        bodies[chosen], np.concatenate([inward, normal])[chosen], np.concatenate([point, points])[chosen],
        np.maximum(gap[chosen], 0.0), friction=rng.uniform(0.2, 0.8, len(chosen)),
    )  # fmt: skip
    mass = DENSITY * 4.0 / 3.0 * np.pi * RADIUS**3
    velocity = speed * rng.normal(size=(n, 6))
    moving = with_ground(np.full(n, mass), np.full((n, 3), 0.4 * mass * RADIUS**2), position, velocity)
    return Scene(
        "packing" if speed > 0.0 else "packing at rest",
        seed,
        {"each": each, "speed": speed, "step": step},
        moving,
        table,
        step,
    )


def spheres(rng: np.random.Generator, n: int, edge: float) -> Array:
    """Centres of spheres in a cube, which hardly overlap."""
    position = rng.uniform(RADIUS, edge - RADIUS, (n, 3))
    for _ in range(PUSHES):
        pairs, distance, normal = near(position, 2.0 * RADIUS)
        push = 0.5 * np.maximum(2.0 * RADIUS - distance, 0.0)[:, None] * normal
        for k, sign in ((0, -1.0), (1, 1.0)):
            np.add.at(position, pairs[:, k], sign * push)
        position = np.clip(position, RADIUS, edge - RADIUS)
    return position


def near(position: Array, reach: float) -> tuple[Array, Array, Array]:
    """Pairs of spheres whose centres are nearer than that, their distances, and the directions from one to the other: up
    where both are at one place, such as a corner of the box.
    """
    pairs = pairs_within(position, reach)
    way = position[pairs[:, 1]] - position[pairs[:, 0]]
    distance = np.linalg.norm(way, axis=1)
    apart = distance[:, None] > 1e-12
    return pairs, distance, np.where(apart, way / np.maximum(distance, 1e-12)[:, None], [0.0, 0.0, 1.0])
