"""Capsules: rods with round ends in a box, which touch at single points with long arms."""

from __future__ import annotations

import numpy as np

from benchmarks.families.scene import Scene, inward_normal, pairs_within, with_ground
from pluecker.contact.friction.tables.table import ContactTable
from pluecker.spatial.functions.elementwise import Array

__all__ = ["capsule_inertia", "capsules", "closest", "on_wall"]

RADIUS, DENSITY, STEP = 0.05, 800.0, 5e-3
LENGTHS = 2.0, 5.0  # of the straight part, in radii
SHARE = 0.5  # of the box that capsules take
PUSHES = 40  # rounds in which capsules that overlap are pushed apart
EACH = 3.2  # contacts for each capsule, about


def capsules(contacts: int, seed: int = 0, *, friction: float = 0.5, speed: float = 0.1, step: float = STEP) -> Scene:
    """One step of capsules in an open box, turned at random, that fall and move: so many contacts, the nearest ones.

    Args:
        contacts: their number.
        seed: of places, lengths and velocities.
        friction: of all contacts.
        speed: standard deviation of each component of the velocities, m/s, ten times that in rad/s.
        step: s.
    """
    rng = np.random.default_rng(seed)
    n = max(6, round(contacts / EACH))
    half = 0.5 * RADIUS * rng.uniform(*LENGTHS, n)
    volume = np.pi * RADIUS**2 * (2.0 * half + 4.0 / 3.0 * RADIUS)
    edge = (volume.sum() / SHARE) ** (1.0 / 3.0)
    way = rng.normal(size=(n, 3)) * [1.0, 1.0, 0.5]  # more lie than stand
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    arm = half[:, None] * way
    reach = RADIUS + np.abs(arm)
    place = rng.uniform(0.0, 1.0, (n, 3)) * np.maximum(edge - 2.0 * reach, 0.0) + np.minimum(reach, 0.5 * edge)
    for _ in range(PUSHES):
        one, two, _, normal, gap = touching(place, arm, 0.0)
        push = -0.5 * gap[:, None] * normal
        np.add.at(place, one, -push)
        np.add.at(place, two, push)
        place = np.clip(place, np.minimum(reach, 0.5 * edge), np.maximum(edge - reach, 0.5 * edge))
    one, two, point, normal, gap = touching(place, arm, 0.5 * RADIUS)
    pairs, points, normals, gaps = [np.column_stack([one, two]) + 1], [point], [normal], [gap]
    for axis in range(3):
        for side in (0.0, edge) if axis < 2 else (0.0,):
            of, where, inward, apart = on_wall(place, arm, axis, side)
            pairs.append(np.column_stack([np.zeros_like(of), of + 1]))
            points.append(where)
            normals.append(inward)
            gaps.append(apart)
    gap = np.concatenate(gaps)
    chosen = np.sort(np.argsort(gap, kind="stable")[:contacts])
    table = ContactTable.ordered(
        np.concatenate(pairs)[chosen], np.concatenate(normals)[chosen], np.concatenate(points)[chosen],
        gap=np.maximum(gap[chosen], 0.0), friction=friction,
    )  # fmt: skip
    mass = DENSITY * volume
    velocity = speed * rng.normal(size=(n, 6)) * [10.0, 10.0, 10.0, 1.0, 1.0, 1.0]
    bodies = with_ground(mass, capsule_inertia(mass, half, np.full(n, RADIUS), way), place, velocity)
    return Scene("capsules", seed, {"friction": friction, "speed": speed, "step": step}, bodies, table, step)


def capsule_inertia(mass: Array, half: Array, radius: Array, way: Array) -> Array:
    """Inertias in world axes, ``(n, 3, 3)``: a cylinder from ``-half`` to ``half`` along ``way``, and two half spheres."""
    cylinder = 2.0 * half / (2.0 * half + 4.0 / 3.0 * radius) * mass
    ball = mass - cylinder
    along = 0.5 * cylinder * radius**2 + 0.4 * ball * radius**2
    # A half sphere has its centre of mass 3/8 r from its plane: 2/5 r^2 + h^2 + 3/4 h r about the middle of the capsule.
    across = cylinder * (0.25 * radius**2 + half**2 / 3.0) + ball * (0.4 * radius**2 + half**2 + 0.75 * half * radius)
    outer = way[:, :, None] * way[:, None]
    return np.asarray(across[:, None, None] * (np.eye(3) - outer) + along[:, None, None] * outer)


def touching(place: Array, arm: Array, reach: float) -> tuple[Array, ...]:
    """Pairs of capsules nearer than that: both numbers, the point in the middle, the normal and the gap."""
    longest = 2.0 * np.linalg.norm(arm, axis=1).max() + 2.0 * RADIUS + reach
    pairs = pairs_within(place, longest)
    p, q = closest(place[pairs[:, 0]], arm[pairs[:, 0]], place[pairs[:, 1]], arm[pairs[:, 1]])
    distance = np.linalg.norm(q - p, axis=1)
    near = distance < 2.0 * RADIUS + reach
    pairs, p, q, distance = pairs[near], p[near], q[near], np.maximum(distance[near], 1e-9)
    normal = np.where(distance[:, None] > 1e-8, (q - p) / distance[:, None], [0.0, 0.0, 1.0])
    return pairs[:, 0], pairs[:, 1], 0.5 * (p + q), normal, distance - 2.0 * RADIUS


def closest(c: Array, a: Array, d: Array, b: Array) -> tuple[Array, Array]:
    """The nearest points of segments ``c + s a`` and ``d + t b``, s and t from -1 to 1, one pair in each row."""
    aa, bb, ab = (np.einsum("ki,ki->k", x, y) for x, y in ((a, a), (b, b), (a, b)))
    ar, br = (np.einsum("ki,ki->k", x, d - c) for x in (a, b))
    # min |c + s a - d - t b|: aa s - ab t = ar, ab s - bb t = br; then each clipped with the other held, twice.
    determinant = np.maximum(aa * bb - ab**2, 1e-12 * aa * bb)
    s = np.clip((ar * bb - ab * br) / determinant, -1.0, 1.0)
    for _ in range(2):
        t = np.clip((ab * s - br) / bb, -1.0, 1.0)
        s = np.clip((ab * t + ar) / aa, -1.0, 1.0)
    return c + s[:, None] * a, d + t[:, None] * b


def on_wall(place: Array, arm: Array, axis: int, side: float, reach: float = RADIUS) -> tuple[Array, ...]:
    """Both ends of capsules that are near a wall: numbers, points, normals into the box, gaps."""
    inward = inward_normal(axis, side)
    ends = np.concatenate([place - arm, place + arm])
    gap = np.abs(ends[:, axis] - side) - RADIUS
    near = np.flatnonzero(gap < reach)
    point = ends[near] - (RADIUS + gap[near])[:, None] * inward
    return near % len(place), point, np.tile(inward, (len(near), 1)), gap[near]
