"""Models of MuJoCo with our bodies and shapes: free bodies on a floor, and the colliders of robots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.measuring.mechanisms import Array
from benchmarks.motions.scene import Parts
from pluecker.articulated import Model
from pluecker.contact import World
from pluecker.contact.geometry import Box, Capsule, Collider, ConvexHull, Cylinder, HalfSpace, Sphere, Surface

__all__ = ["FreeBodies", "add_geom", "document"]


@dataclass(frozen=True, eq=False)
class FreeBodies:
    """Boxes and balls of 1 kg each, free on a floor, alike in both programs.

    Attributes:
        shapes: of the bodies.
        placements: where they begin, ``(n, 7)``.
        friction: of all of them, and of the floor.
        step: s.
    """

    shapes: Sequence[Box | Sphere]
    placements: Array
    friction: float
    step: float

    def world(self) -> World:
        """Build our world; contacts are looked for."""
        parts = Parts("bodies", Surface(friction=self.friction))
        for k, (shape, q) in enumerate(zip(self.shapes, self.placements, strict=True)):
            parts.body(f"b{k}", shape, 1.0, q[:3], q[3:])
        return World(parts.builder.build(), shapes=parts.shapes)

    def in_mujoco(self, mujoco: Any) -> Any:
        """Build MuJoCo's model."""
        kinds, bodies = {Box: "box", Sphere: "sphere"}, []
        for shape, (x, y, z, *turn) in zip(self.shapes, self.placements, strict=True):
            size = " ".join(map(str, shape.sizes))
            bodies.append(
                f'<body pos="{x} {y} {z}" quat="{" ".join(map(str, turn))}"><freejoint/>'
                f'<geom type="{kinds[type(shape)]}" size="{size}" mass="1"/></body>'
            )
        return mujoco.MjModel.from_xml_string(document(self.step, self.friction, "".join(bodies)))


def document(step: float, friction: float, bodies: str, more: str = "") -> str:
    """Return MuJoCo's XML of bodies on a floor, with its defaults but for elliptic cones."""
    return (
        f'<mujoco><size memory="4G"/><option timestep="{step}" cone="elliptic"/><default><geom friction="{friction} 0 0"/>'
        f'</default><worldbody><geom type="plane" size="0 0 1"/>{bodies}</worldbody>{more}</mujoco>'
    )


def add_geom(mujoco: Any, spec: Any, model: Model, collider: Collider, **options: Any) -> str:
    """Add a collider, without mass unless told otherwise, to MuJoCo's specification; return the name of its body."""
    kinds, T, body, name = mujoco.mjtGeom, collider.placement, spec.worldbody, "world"
    if collider.frame.name in model.frame_names:
        numbers, placements = model.frame_offsets([collider.frame.name])
        name = model.body_names[numbers[0]]
        T, body = placements[0] @ T, spec.body(name)
    shape = collider.shape
    if isinstance(shape, ConvexHull):
        mesh = spec.add_mesh(name=collider.name)
        mesh.uservert = np.asarray(shape.vertices).ravel()
        options |= {"meshname": mesh.name, "type": kinds.mjGEOM_MESH}
    else:
        options["type"] = {
            HalfSpace: kinds.mjGEOM_PLANE, Sphere: kinds.mjGEOM_SPHERE, Box: kinds.mjGEOM_BOX,
            Cylinder: kinds.mjGEOM_CYLINDER, Capsule: kinds.mjGEOM_CAPSULE,
        }[type(shape)]  # fmt: skip
        options["size"] = shape.sizes if not isinstance(shape, HalfSpace) else (0.0, 0.0, 1.0)
    w = np.zeros(4)
    mujoco.mju_mat2Quat(w, np.ascontiguousarray(T[:3, :3]).ravel())
    friction = [collider.surface.friction, 0.0, 0.0]
    body.add_geom(**{"name": collider.name, "pos": T[:3, 3], "quat": w, "friction": friction, "mass": 0.0, **options})
    return name
