"""Robots of example-robot-data with all their shapes, thrown among boxes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from benchmarks.motions.scene import LONGEST, UPRIGHT, Motion, draw_friction, draw_step, draw_turn, solid
from pluecker.articulated import Model, neutral
from pluecker.articulated.model.assembly import assemble
from pluecker.articulated.model.urdf import read_urdf
from pluecker.articulated.robots import find_robot
from pluecker.contact import World
from pluecker.contact.geometry import Box, Collider, HalfSpace, Surface, urdf_colliders
from pluecker.spatial.functions.elementwise import Array

__all__ = ["put_boxes", "robot", "robot_among_boxes"]

GRAVITY = (0.0, 0.0, -9.81)
SIDE, MASS = 0.15, 1.0  # of the boxes
STEPS = 400


@cache
def shapes_of(name: str) -> tuple[Collider, ...]:
    """Return the colliders of a robot; those that overlap in its zero configuration ignore each other."""
    path = find_robot(name)
    model = Model.from_urdf(path, floating_base=True, check_inertia=False)
    return urdf_colliders(path, Surface(friction=1.0), ignore_overlaps_at=neutral(model))


def robot_among_boxes(name: str, boxes: int, surface: Surface, damping: float) -> tuple[World, Any]:
    """Build a limp robot with all its shapes, and boxes, on a floor; return the world, and its zero configuration."""
    description = read_urdf(find_robot(name), True, GRAVITY, False, True)[1]
    shapes = [Collider("floor", HalfSpace(), "world", surface)]
    for each in shapes_of(name):
        shapes.append(Collider(each.name, each.shape, each.frame, surface, groups=each.groups, ignores=each.ignores))
    for k in range(boxes):
        box = Box((SIDE,) * 3)
        description.add_body(f"box {k}", mass=MASS, inertia=MASS * solid(box))
        description.add_joint(f"box {k}", "free", "world", f"box {k}")
        shapes.append(Collider(f"box {k}", box, f"box {k}", surface))
    model = Model(**assemble(description))
    dampers = np.full(model.nv, damping)
    for joint in model.joints:
        if joint.type == "free":
            dampers[joint.v_start : joint.v_start + 6] = 0.0
    model = model.replace(friction=0.0, damping=dampers)
    return World(model, shapes=shapes), neutral(model)


def put_boxes(model: Model, q: Array, radius: float, layer: int) -> None:
    """Put the boxes on a circle around a robot, so many in a layer; ``q`` is written."""
    for joint in model.joints:
        if joint.name.startswith("box "):
            k = int(joint.name.split()[1])
            place = [radius * np.cos(0.63 * k), radius * np.sin(0.63 * k), 0.5 * SIDE + SIDE * (k // layer)]
            q[joint.q_start : joint.q_start + 7] = [*place, *UPRIGHT]


def robot(name: str, seed: int) -> Motion:
    """A limp robot, turned and moving, falls on boxes and the floor."""
    rng = np.random.default_rng(seed)
    boxes, step = int(rng.choice([0, 3, 10])), draw_step(rng, (2e-3, 5e-3))
    world, q = robot_among_boxes(
        name, boxes, Surface(friction=draw_friction(rng).friction), float(rng.choice([0.1, 1.0]))
    )
    v = np.zeros(world.model.nv)
    for joint in world.model.joints:
        if joint.type == "free" and not joint.name.startswith("box "):
            q[joint.q_start : joint.q_start + 7] = [0.0, 0.0, 1.2, *draw_turn(rng)]
            v[joint.v_start : joint.v_start + 6] = rng.normal(size=6)
    put_boxes(world.model, q, 0.4, 5)
    return Motion(world, q, v, step, min(STEPS, round(LONGEST / step)), passive=False)
