"""Hyperstatic stacks: bricks in bond, four contacts for each of the two below, masses that differ by 1e4."""

from __future__ import annotations

import numpy as np

from benchmarks.families.scene import Scene, with_ground
from pluecker.contact.friction.tables.table import ContactTable
from pluecker.spatial.functions.elementwise import Array

__all__ = ["box_inertia", "stack", "tower"]

SIZE = np.array([0.4, 0.2, 0.2])
STEP = 5e-3


def box_inertia(mass: Array, size: Array) -> Array:
    """Principal moments of boxes with these edges, ``(n, 3)``."""
    square = np.broadcast_to(size, (len(mass), 3)) ** 2
    return np.asarray(mass[:, None] / 12.0 * (square.sum(axis=1, keepdims=True) - square))


def stack(contacts: int, seed: int = 0, *, ratio: float = 1e4, friction: float = 0.5, step: float = STEP) -> Scene:
    """One step of a wall of bricks that lie each on two of the row below, fewer in each row, at rest but for 1 mm/s.

    Args:
        contacts: about so many: there are four between two bricks, and each row is complete.
        seed: of masses and velocities.
        ratio: the largest mass over the smallest; masses are even in their logarithm, and heavy bricks are on top.
        friction: of all contacts.
        step: s.
    """
    if contacts < 30:
        return tower(max(1, round(contacts / 4)), seed, ratio=ratio, friction=friction, step=step)
    rng = np.random.default_rng(seed)
    # Rows of B, B - 1, ... bricks: 4 contacts of each brick in the lowest row, 8 of each in the others, with B = 2 rows.
    rows = max(2, round(np.sqrt(contacts / 12.0)))
    counts = 2 * rows - np.arange(rows)
    level = np.repeat(np.arange(rows), counts)
    first = np.concatenate([[0], np.cumsum(counts)])
    along = np.arange(len(level)) - first[level]
    position = np.column_stack([SIZE[0] * (along + 0.5 * level), np.zeros(len(level)), SIZE[2] * (level + 0.5)])
    upper = np.flatnonzero(level > 0)
    below = first[level[upper] - 1] + along[upper]
    pairs = [np.column_stack([np.zeros(counts[0], np.int64), np.arange(1, counts[0] + 1)])]
    pairs += [np.column_stack([below + side + 1, upper + 1]) for side in (0, 1)]
    # The middle of what is common: of the whole brick on the ground, of half a brick elsewhere.
    shift = [0.0, -0.25 * SIZE[0], 0.25 * SIZE[0]]
    middle = np.concatenate(
        [position[p[:, 1] - 1] + [s, 0.0, -0.5 * SIZE[2]] for p, s in zip(pairs, shift, strict=True)]
    )
    half = np.repeat([0.5 * SIZE[0], 0.25 * SIZE[0]], [counts[0], 2 * len(upper)])
    heavy = (level + rng.uniform(0.0, 1.0, len(level))) / rows
    mass = ratio**heavy
    return at_rest("stack", seed, rng, ratio, friction, step, mass, position, np.concatenate(pairs), middle, half)


def tower(count: int, seed: int = 0, *, ratio: float = 1e4, friction: float = 0.5, step: float = STEP) -> Scene:
    """Bricks one on the other, the highest the heaviest, four contacts between two."""
    rng = np.random.default_rng(seed)
    level = np.arange(count)
    position = np.column_stack([np.zeros((count, 2)), SIZE[2] * (level + 0.5)])
    pairs = np.column_stack([level, level + 1])
    mass = ratio ** (level / max(1, count - 1))
    middle, half = position - [0.0, 0.0, 0.5 * SIZE[2]], np.full(count, 0.5 * SIZE[0])
    return at_rest("tower", seed, rng, ratio, friction, step, mass, position, pairs, middle, half)


def at_rest(
    family: str, seed: int, rng: np.random.Generator, ratio: float, friction: float, step: float, mass: Array,
    position: Array, pairs: Array, middle: Array, half: Array,
) -> Scene:  # fmt: skip
    """Bricks with four contacts around the middle of each common face, ``half`` of it along x."""
    corners = np.array([[x, y] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    point = np.repeat(middle, 4, axis=0)
    point[:, 0] += np.repeat(half, 4) * np.tile(corners[:, 0], len(middle))
    point[:, 1] += 0.5 * SIZE[1] * np.tile(corners[:, 1], len(middle))
    table = ContactTable(
        np.repeat(pairs, 4, axis=0), np.tile([0.0, 0.0, 1.0], (len(point), 1)), point, friction=friction
    )
    velocity = 1e-3 * rng.normal(size=(len(mass), 6))
    bodies = with_ground(mass, box_inertia(mass, SIZE), position, velocity)
    return Scene(family, seed, {"ratio": ratio, "friction": friction, "step": step}, bodies, table, step)
