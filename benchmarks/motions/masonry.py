"""Blocks on one another: stacks, walls, houses of cards and arches."""

from __future__ import annotations

import numpy as np

from benchmarks.motions.scene import Motion, Parts, about_y, centred, draw_friction, draw_masses, draw_step
from pluecker.contact.geometry import Box, Sphere, Surface

__all__ = ["arch", "house_of_cards", "stack", "wall"]

SIDE = 0.1  # of the boxes of a stack, m
BRICK = (0.2, 0.1, 0.06)
CARD, LEAN, APART = (0.003, 0.06, 0.09), 0.35, 1e-5  # thickness, width, length, m; rad to the vertical; gaps, m
RADIUS, DEPTH = 1.0, 0.3  # of the middle line of an arch, and across, m


def stack(seed: int) -> Motion:
    """Boxes on one another; heavier ones on top, or masses at random; at rest, or the lowest one thrown."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 3, 5, 10, 20, 50], p=[0.1, 0.2, 0.2, 0.25, 0.15, 0.08, 0.02]))
    parts, step, masses = Parts("stack", draw_friction(rng)), draw_step(rng), draw_masses(rng, n)
    masses = np.sort(masses) if rng.random() < 0.3 else masses
    off, thrown = float(rng.choice([0.0, 1e-3, 0.02])), float(rng.choice([0.0, 0.0, 0.5, 2.0]))
    for k in range(n):
        x, y = off * rng.normal(size=2)
        turn, v = (np.cos(0.5 * off), 0.0, 0.0, np.sin(0.5 * off)), [0, 0, 0, thrown if k == 0 else 0.0, 0, 0]
        parts.body(f"b{k}", Box((SIDE,) * 3), masses[k], (x, y, SIDE * (k + 0.5)), turn, v)
    return parts.motion(step, max(40, min(300, 3000 // n)))


def wall(seed: int) -> Motion:
    """Bricks in bond, at rest or hit by a ball."""
    rng = np.random.default_rng(seed)
    parts, step = Parts("wall", draw_friction(rng)), draw_step(rng, (1e-3, 2e-3, 5e-3, 1e-2))
    rows, columns = int(rng.integers(2, 7)), int(rng.integers(2, 6))
    a, _, c = BRICK
    for i in range(rows):
        for j in range(columns):
            x = a * (j + 0.5 * (i % 2)) + 1e-4 * rng.normal()
            parts.body(f"b{i} {j}", Box((a - 1e-3, *BRICK[1:])), 2.0, (x, 0.0, c * (i + 0.5)))
    if rng.random() < 0.5:
        speed, mass = float(rng.uniform(1.0, 10.0)), float(10.0 ** rng.uniform(-1, 2))
        place = (0.5 * a * columns, -0.3, c * rows * rng.uniform(0.3, 0.9) + 0.05)
        parts.body("ball", Sphere(0.06), mass, place, v=(0, 0, 0, 0, speed, 0))
    return parts.motion(step, max(30, 3000 // (rows * columns)))


def house_of_cards(seed: int) -> Motion:
    """Tents of two cards, cards across from tent to tent, and tents on these; they stand if ``mu >= tan(a) / 2``, about."""
    rng = np.random.default_rng(seed)
    surface = Surface(friction=float(rng.choice([0.1, 0.3, 0.5, 0.8, 1.0])))
    parts, step, storeys = Parts("cards", surface), draw_step(rng, (5e-4, 1e-3, 2e-3, 5e-3)), int(rng.integers(1, 4))
    t, _, length = CARD
    across, up = np.sin(LEAN), np.cos(LEAN)
    x, z = 0.5 * (t * up + length * across) + 0.5 * APART, 0.5 * (t * across + length * up)
    span, base = 2.1 * (length * across + t * up), 0.0
    for i in range(storeys):
        for j in range(storeys - i):
            middle = span * (j + 0.5 * i)
            for name, side in (("left", -1.0), ("right", 1.0)):
                place = (middle + side * x, 0.0, base + z + APART)
                parts.body(f"{name} {i} {j}", Box(CARD), 0.004, place, about_y(-side * LEAN))
        base += 2.0 * z + APART
        for j in range(storeys - i - 1):
            place = (span * (j + 0.5 * i + 0.5), 0.0, base + 0.5 * t + APART)
            parts.body(f"across {i} {j}", Box((0.98 * span, CARD[1], t)), 0.004, place)
        base += t + APART
    return parts.motion(step, 200)


def arch(seed: int) -> Motion:
    """A round arch of wedges on the floor; 0.1075 of the radius is what many stones take."""
    rng = np.random.default_rng(seed)
    parts, step = (
        Parts("arch", Surface(friction=float(rng.choice([0.3, 0.6, 1.0])))),
        draw_step(rng, (1e-3, 2e-3, 5e-3)),
    )
    stones, thickness = int(rng.integers(4, 12)), float(rng.uniform(0.08, 0.3))
    radii = RADIUS - 0.5 * thickness, RADIUS + 0.5 * thickness
    for k in range(stones):
        angles = np.pi * k / stones, np.pi * (k + 1) / stones
        corners = np.array([[r * np.cos(a), y, r * np.sin(a)]
                            for r in radii for a in angles for y in (-0.5 * DEPTH, 0.5 * DEPTH)])  # fmt: skip
        solid = centred(corners)
        parts.body(f"stone {k}", solid, 50.0 * rng.uniform(1.0, 3.0), corners[0] - solid.vertices[0])
    return parts.motion(step, 150)
