"""Geometry of a model's joints, read from the records of its links."""

from __future__ import annotations

import numpy as np

from pluecker.articulated.forces.packing import WORLD, world_names
from pluecker.articulated.model import layout
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.model.records import Joint
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.world.joint_functions import JointShape

__all__ = ["joint_shapes", "world_of"]


def joint_shapes(model: Model) -> dict[int, JointShape]:
    """Find for each moving body, by its number, the joint that carries it."""
    records = model.links[:, layout.INTEGERS_OF_LINK].astype(np.int64)
    joints = {joint.child: joint for joint in model.joints}
    found = {}
    for body, name in enumerate(model.body_names):
        last = int(np.flatnonzero(records[1:, layout.BODY] == body)[0]) + 1
        joint = joints[name]
        parts = JOINT_TYPES[joint.type].chain
        links = [last]
        for _ in parts[1:]:
            links.insert(0, int(records[links[0], layout.PARENT]))
        found[body] = joint_shape(model, joint, body, links, int(records[links[0], layout.PARENT]))
    return found


def joint_shape(model: Model, joint: Joint, body: int, links: list[int], carrier: int) -> JointShape:
    """Read the geometry of a joint from the link records of its chain."""
    chain = [part.split()[0] for part in JOINT_TYPES[joint.type].chain]
    records = model.links[links]
    turning = tuple(motion != "prismatic" for motion in chain)
    E = rest_rotation(records[0], chain[0])
    axes, pitch = [], 0.0
    for record, motion in zip(records, chain, strict=True):
        if motion in ("revolute", "prismatic", "helical"):
            B = rest_rotation(record, motion)
            slide = B @ record[layout.SLIDE : layout.SLIDE + 3]
            u = slide if motion == "prismatic" else axis_of(record, B)
            axes.append(u / np.linalg.norm(u))
            pitch = float(slide @ axes[-1]) if motion == "helical" else 0.0
    parent = int(model.links[carrier, layout.BODY]) if carrier else -1
    name = model.body_names[parent] if parent >= 0 else world_of(model)
    place = tuple(float(x) for x in records[0, layout.PLACEMENT + 9 : layout.PLACEMENT + 12])
    rotation = tuple(tuple(float(x) for x in row) for row in E.T)
    first = Frame(name, place, rotation)
    ratio, offset = (1.0, 0.0) if joint.mimic is None else joint.mimic[1:]
    return JointShape(
        joint, body, parent, first, Frame(model.body_names[body]), np.array(axes).reshape(-1, 3), turning, pitch,
        ratio, offset,
    )  # fmt: skip


def world_of(model: Model) -> str:
    """Return the name of the world in a model."""
    names = sorted(world_names(model) - set(model.frame_names), key=lambda name: name == WORLD)
    return names[0]


def rest_rotation(record: Array, motion: str) -> Array:
    """Return E of a link at no displacement."""
    B0 = record[layout.PLACEMENT : layout.PLACEMENT + 9].reshape(3, 3)
    if motion in ("revolute", "helical"):
        return B0 + record[layout.COSINE : layout.COSINE + 9].reshape(3, 3)
    return B0


def axis_of(record: Array, E: Array) -> Array:
    """Compute the axis of a turn, from ``B1 = -u~ E``."""
    K = -record[layout.SINE : layout.SINE + 9].reshape(3, 3) @ E.T
    return np.array([K[2, 1] - K[1, 2], K[0, 2] - K[2, 0], K[1, 0] - K[0, 1]]) * 0.5
