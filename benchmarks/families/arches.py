"""Arches of voussoirs: wedges that hold one another by friction, four contacts in each joint; in a row, on piers."""

from __future__ import annotations

import numpy as np

from benchmarks.families.scene import Scene, with_ground
from benchmarks.families.stacks import box_inertia
from pluecker.contact.friction.tables.table import ContactTable
from pluecker.spatial.functions.elementwise import Array

__all__ = ["arch"]

RADIUS, THICKNESS, DEPTH, DENSITY = 2.0, 0.5, 0.8, 2200.0
STEP = 5e-3
WEDGES, BLOCKS = 15, 3  # of an arch in a row, and of a pier
ALONE = 100  # contacts up to which there is one arch
PIER = np.array([2.0 * THICKNESS + 0.1, DEPTH, 0.6])
CORNERS = np.array([[x, y] for x in (-0.5, 0.5) for y in (-0.5, 0.5)])


def arch(contacts: int, seed: int = 0, *, friction: float = 0.7, load: float = 3.0, step: float = STEP) -> Scene:
    """One step of a semicircular arch on the ground, or of an aqueduct: arches side by side on piers of three blocks.

    Arches are a quarter of their radius thick, more than twice what a semicircle has to have to stand (0.107, J. Heyman,
    "The Stone Skeleton", 1995). Some wedges carry more than themselves.

    Args:
        contacts: about so many: each joint has four.
        seed: of loads and velocities.
        friction: of all joints.
        load: the largest mass of a wedge over that of its stone.
        step: s.
    """
    rng = np.random.default_rng(seed)
    alone = contacts <= ALONE
    wedges = max(1, round(contacts / 4) - 1) if alone else WEDGES
    arches = 1 if alone else max(1, round((contacts - 4 * BLOCKS) / (4 * (WEDGES + 1) + 4 * BLOCKS)))
    span, base = 2.0 * RADIUS + PIER[0] - THICKNESS, 0.0 if alone else BLOCKS * PIER[2]
    piers = 0 if alone else arches + 1
    # Blocks of piers: 1 + BLOCKS p + b; wedge k of arch a: first + wedges a + k.
    blocks = np.arange(BLOCKS * piers)
    pier, height = blocks // BLOCKS, blocks % BLOCKS
    block_place = np.column_stack([span * (pier - 0.5), np.zeros(len(blocks)), PIER[2] * (height + 0.5)])
    first = 1 + len(blocks)
    of, number = np.divmod(np.arange(wedges * arches), wedges)
    middle = np.pi * (number + 0.5) / wedges
    place = np.column_stack([span * of - RADIUS * np.cos(middle), np.zeros(len(of)), base + RADIUS * np.sin(middle)])
    size = np.array([RADIUS * np.pi / wedges, DEPTH, THICKNESS])
    stone = np.full(len(of), DENSITY * size.prod())
    mass = np.concatenate([np.full(len(blocks), DENSITY * PIER.prod()), stone * rng.uniform(1.0, load, len(of))])
    inertia = np.concatenate([box_inertia(mass[: len(blocks)], PIER), box_inertia(stone, size)])
    # A wedge has x along the arch: turned about y.
    half = 0.5 * np.concatenate([np.zeros(len(blocks)), middle - 0.5 * np.pi])
    turned = np.column_stack([np.cos(half), np.zeros(len(half)), np.sin(half), np.zeros(len(half))])
    tables = [pier_joints(blocks, pier, height, block_place)] if piers else []
    tables += [arch_joints(a, wedges, first, span * a, base, alone) for a in range(arches)]
    pairs, normal, point = (np.concatenate(parts) for parts in zip(*tables, strict=True))
    velocity = 1e-3 * rng.normal(size=(len(mass), 6))
    bodies = with_ground(mass, inertia, np.concatenate([block_place, place]), velocity, turned)
    table = ContactTable.ordered(pairs, normal, point, friction=friction)
    return Scene("arch", seed, {"friction": friction, "load": load, "step": step}, bodies, table, step)


def pier_joints(blocks: Array, pier: Array, height: Array, place: Array) -> tuple[Array, Array, Array]:
    """Each block on the one below or on the ground: pairs, normals, points."""
    pairs = np.column_stack([np.where(height > 0, blocks, 0), blocks + 1])
    point = np.repeat(place - [0.0, 0.0, 0.5 * PIER[2]], 4, axis=0)
    point[:, :2] += np.tile(CORNERS * PIER[:2], (len(blocks), 1))
    return np.repeat(pairs, 4, axis=0), np.tile([0.0, 0.0, 1.0], (len(point), 1)), point


def arch_joints(
    number: int, wedges: int, first: int, middle: float, base: float, alone: bool
) -> tuple[Array, Array, Array]:
    """The joints of an arch from its left foot to its right one: pairs, normals, points."""
    angle = np.pi * np.arange(wedges + 1) / wedges
    # From the left, where the angle is 0: out of the centre, and along the arch.
    outward = np.column_stack([-np.cos(angle), np.zeros(len(angle)), np.sin(angle)])
    along = np.column_stack([np.sin(angle), np.zeros(len(angle)), np.cos(angle)])
    feet = (0, 0) if alone else (BLOCKS * (number + 1), BLOCKS * (number + 2))
    chain = np.concatenate([[feet[0]], first + wedges * number + np.arange(wedges), [feet[1]]])
    radii, depths = RADIUS + THICKNESS * CORNERS[:, 0], DEPTH * CORNERS[:, 1]
    point = outward[:, None] * radii[None, :, None] + [middle, 0.0, base]
    point[:, :, 1] += depths
    pairs = np.column_stack([chain[:-1], chain[1:]])
    return np.repeat(pairs, 4, axis=0), np.repeat(along, 4, axis=0), point.reshape(-1, 3)
