"""Boxes in a stack, the heaviest on top: each interface carries the weight above it.

Masses rise from box to box, 1e4 from the lowest to the highest: the lightest carries the heaviest, which methods that
go from contact to contact hardly solve.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.articulated.pictures.overlays import Arrows
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, HalfSpace
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel
from pluecker.examples.scenes.parts import G, add_free, box_inertia, corner_contacts, corners, still, watch
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

SIZE = (0.3, 0.3, 0.2)


def stack(masses: Array, friction: float) -> tuple[World, Array]:
    """Build a stack of boxes of these masses, from below; return the world and the configuration."""
    builder, contacts, q = ModelBuilder("stack"), [], []
    shapes, below = [Collider("floor", HalfSpace(), "world")], "world"
    for k, mass in enumerate(masses):
        name, z = f"box {k + 1}", SIZE[2] * (k + 0.5)
        add_free(builder, name, float(mass), box_inertia(float(mass), SIZE))
        plane = (below, (0.0, 0.0, 0.0 if k == 0 else 0.5 * SIZE[2]))
        contacts += corner_contacts(f"{name} corner ", plane, name, corners(SIZE), friction=friction)
        shapes.append(Collider(name, Box(SIZE), name))
        q += [0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0]
        below = name
    return World(draw_colliders(builder.build(), shapes, ground=1.5), contacts), np.array(q)


def run(
    boxes: int = 20, ratio: float = 1e4, friction: float = 0.5, duration: float = 0.3, step: float = 0.01
) -> Outcome:
    """Run the scene.

    Args:
        boxes: how many.
        ratio: of the highest mass to the lowest one, 1 kg.
        friction: the coefficient.
        duration, step: s.
    """
    masses = ratio ** (np.arange(boxes) / (boxes - 1.0))
    world, q = stack(masses, friction)
    motion = watch(world, q, still(world), duration, step)
    largest = max(float(np.linalg.norm(motion.contacts_at(k).force, axis=1).max()) for k in range(len(motion)))
    arrows = (replace(each, length=0.9 * SIZE[2] / largest) for each in motion.overlays if isinstance(each, Arrows))
    motion = replace(
        motion, overlays=tuple(arrows)
    )  # each as long as a box at most, so that they do not hide one another
    above = G * masses[::-1].cumsum()[::-1]
    names = ["world", *world.model.body_names]

    def carried(k: int) -> Array:
        touch = motion.contacts_at(k)
        return np.array([touch.wrench(a, b)[5] for a, b in pairwise(names)])

    first, last = carried(0), carried(-1)
    off = [np.abs(each / above - 1.0).max() for each in (first, last)]
    moved = float(np.abs(motion.q - q).max())
    claims = [
        Claim(
            "force at each interface in the first step over the weight above, worst, less 1", 0.0, float(off[0]), 1e-6
        ),
        Claim(f"and after {duration:g} s", 0.0, float(off[1]), 1e-6),
        Claim("how far anything has moved", 0.0, moved, 1e-9, "m"),
    ]
    numbers = np.arange(1, boxes + 1, dtype=float)
    panels = [
        Panel("what each interface carries", "number of the box above it", "N", [
            Curve("simulated", numbers, last), Curve("weight above", numbers, above, True)]),
        Panel("how far off that is", "number of the box above it", "share of the weight", [
            Curve("in the end", numbers, np.abs(last / above - 1.0))]),
    ]  # fmt: skip
    return Outcome(
        "stack", f"A stack of {boxes} boxes, the heaviest on top",
        f"The lowest box has 1 kg, the highest {ratio:g} kg, each {ratio ** (1.0 / (boxes - 1)):.2f} times as much as "
        "the one below. Nothing moves, and each interface carries the weight of all that is above it.",
        motion, claims, panels, (0, -1),
    )  # fmt: skip
