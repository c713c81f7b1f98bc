"""Bodies thrown on a floor, and heaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.motions.scene import (
    UPRIGHT,
    Motion,
    Parts,
    centred,
    draw_friction,
    draw_masses,
    draw_step,
    draw_turn,
)
from pluecker.contact.geometry import Box, Capsule, Sphere

__all__ = ["heap", "thrown"]

COUNTS, SHARES = (1, 2, 3, 5, 8, 12, 30, 100), (0.15, 0.15, 0.18, 0.18, 0.14, 0.13, 0.05, 0.02)
WORK = 6000  # steps times bodies of a motion, at most
SHAPES = ("boxes", "spheres", "capsules", "hulls")


def draw_shape(rng: np.random.Generator, kind: str) -> Any:
    """Draw a shape of a kind, about 0.2 m wide; ``mixed`` is any of them."""
    kind = str(rng.choice(SHAPES)) if kind == "mixed" else kind
    if kind == "boxes":
        return Box(tuple(rng.uniform(0.05, 0.2, 3).tolist()))
    if kind == "spheres":
        return Sphere(float(rng.uniform(0.04, 0.1)))
    if kind == "capsules":
        return Capsule(float(rng.uniform(0.03, 0.06)), float(rng.uniform(0.02, 0.15)))
    corners = int(rng.integers(6, 13))
    return centred(rng.uniform(0.05, 0.1, (corners, 1)) * unit_vectors(rng, corners))


def unit_vectors(rng: np.random.Generator, n: int) -> Any:
    """Draw directions, ``(n, 3)``."""
    x = rng.normal(size=(n, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def thrown(kind: str, seed: int) -> Motion:
    """Bodies of a kind that fall on a floor, in a column or in layers, turned at random or upright."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice(COUNTS, p=SHARES))
    parts, masses, step = Parts(kind, draw_friction(rng)), draw_masses(rng, n), draw_step(rng)
    turned, column, speed = rng.random() < 0.7, rng.random() < 0.6, float(rng.choice([0.0, 0.5, 0.5, 3.0]))
    side = 1 if column else max(1, round(n ** (1.0 / 3.0)))
    for k in range(n):
        layer, rest = divmod(k, side * side)
        place = 0.25 * np.array([rest % side, rest // side, layer]) + rng.uniform(-0.1, 0.1, 3) * [1.0, 1.0, 0.0]
        turn = draw_turn(rng) if turned else UPRIGHT
        parts.body(
            f"b{k}",
            draw_shape(rng, kind),
            masses[k],
            place + np.array([0.0, 0.0, 0.15]),
            turn,
            speed * rng.normal(size=6),
        )
    return parts.motion(step, max(20, min(300, WORK // n)))


def heap(seed: int) -> Motion:
    """Boxes of 10 cm and balls as large, in a lattice in which some overlap a little, fall and come to rest."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([8, 10, 20, 40, 100], p=[0.35, 0.3, 0.2, 0.1, 0.05]))
    parts, step = Parts("heap", draw_friction(rng)), draw_step(rng, (1e-3, 2e-3, 5e-3))
    pitch, side = float(rng.uniform(0.13, 0.18)), max(2, round((n / 4) ** (1.0 / 3.0) * 1.3))
    for k in range(n):
        layer, rest = divmod(k, side * side)
        place = pitch * np.array([rest % side, rest // side, layer]) + 0.01 * rng.normal(size=3)
        shape = Box((0.1, 0.1, 0.1)) if k % 2 else Sphere(0.05)
        parts.body(f"b{k}", shape, 1.0, place + np.array([0.0, 0.0, 0.12]), draw_turn(rng))
    return parts.motion(step, max(40, min(300, WORK // n)))
