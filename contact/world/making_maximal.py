"""Construction of worlds in maximal coordinates: free bodies, joints as constraints, constraints between the same bodies.

The inertias are the old ones to the last bit. Bodies without mass or inertia cannot be free, and are refused by name.

Sources: RBDA sections 3.4 and 8.2; Baraff (1996).

Geometry of a model's joints, read from the records of its links.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.forces.packing import WORLD, world_names
from pluecker.articulated.model import layout
from pluecker.articulated.model.builder import ModelBuilder
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.model.records import Joint
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import COORDINATE, USER, Frame
from pluecker.contact.errors import ConstraintError
from pluecker.contact.rows.joint_rows import joint_rows
from pluecker.contact.world.joint_functions import JointShape, tilde
from pluecker.contact.world.maximal import Maximal
from pluecker.contact.world.tree_joints import Coordinates, TranslatedConstraint, kept, translated_parts, tree_joint
from pluecker.spatial.errors import ArgumentValueError, shown
from pluecker.spatial.functions.arguments import as_numbers

if TYPE_CHECKING:
    from pluecker.contact.world.world import World

__all__ = ["joint_shapes", "make_maximal", "world_of"]

SMALLEST_INERTIA = 1e-13  # of the largest moment of inertia of a body: less is what rounding leaves of none


def make_maximal(world: World, reference: ArrayLike | None = None) -> Maximal:
    """Make the world with each body free, and a constraint for each joint: see ``World.maximal``."""
    model = world.model
    q = neutral(model) if reference is None else as_numbers("World.maximal", "reference", reference)
    if q.shape == (model.nq,) and not np.isfinite(q).all():
        raise ArgumentValueError("World.maximal: reference has entries that are not finite")
    if q.shape != (model.nq,):
        raise ArgumentValueError(f"World.maximal: reference has shape {q.shape}, expected ({model.nq},)")
    refuse_massless(model)
    shapes = joint_shapes(model)
    coordinates = Coordinates(model, shapes, q)
    ranges = joint_rows(model, world.limits)
    joints = (None if kept(shapes[b]) else tree_joint(coordinates, b, ranges) for b in sorted(shapes))
    constraints: list[Any] = [joint for joint in joints if joint is not None]
    names = {joint.name for joint in constraints}
    for record, part in zip(world.constraints, world.parts, strict=False):
        if record.name in names:
            raise ConstraintError(f"World.maximal: constraint {shown(record.name)} has the name of a joint; rename it")
        if any(f.kind == USER for f in part.functions):
            raise ConstraintError(
                f"World.maximal: constraint {shown(record.name)} is a function of the coordinates of joints, which free "
                "bodies do not have"
            )
        if any(f.kind == COORDINATE for f in part.functions):
            constraints.append(TranslatedConstraint(record.name, record, *translated_parts(part, coordinates)))
        else:
            constraints.append(record)
    bodies, found = free_bodies(model, shapes), world.found_contacts
    options = {} if found is None else found.options(found.collision.on(bodies))
    made = type(world)(bodies, constraints, limits=world.limits, **options)
    return Maximal(made, world, q, shapes, coordinates)


def refuse_massless(model: Model) -> None:
    """Refuse bodies that cannot be free: without mass, or without inertia about an axis."""
    for record in model.links[1:]:
        body = int(record[layout.BODY])
        if body < 0:
            continue
        m, h = record[layout.INERTIA], record[layout.INERTIA + 1 : layout.INERTIA + 4]
        xx, xy, xz, yy, yz, zz = record[layout.INERTIA + 4 : layout.INERTIA + 10]
        about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if m > 0.0:
            K = tilde(h)
            moments = np.linalg.eigvalsh(about_origin + K @ (K / m))  # K K may overflow
        if not m > 0.0 or moments[0] <= SMALLEST_INERTIA * np.abs(about_origin).max():
            what = "has no mass" if not m > 0.0 else "has no moment of inertia about an axis"
            raise ConstraintError(
                f"World.maximal: body {shown(model.body_names[body])} {what}, and cannot be free; give it an inertia"
            )


def free_bodies(model: Model, shapes: dict[int, JointShape]) -> Model:
    """Make a model of the bodies of another, each on a free joint of its own name, with the frames that they carry."""
    world = world_of(model)
    builder = ModelBuilder(model.name, model.gravity, world)
    for b, name in enumerate(model.body_names):
        shape = shapes[b]
        builder.add_body(name, 1.0, inertia=(1.0, 1.0, 1.0))
        if kept(shape):
            v = slice(shape.joint.v_start, shape.joint.v_start + 6)
            own = {key: getattr(model, key)[v] for key in ("armature", "damping", "friction", "stiffness")}
            rest = model.rest_position[shape.joint.q_start : shape.joint.q_start + 7]
            first = shape.first
            builder.add_joint(
                name, "free", world, name, position=first.position, rotation=first.matrix, rest_position=rest, **own
            )
        else:
            builder.add_joint(name, "free", world, name)
    for (name, body), place in zip(model.frames, model.frame_placements, strict=True):
        if name not in model.body_names:
            carrier = world if body < 0 else model.body_names[body]
            builder.add_frame(name, carrier, place[:3, 3], place[:3, :3])
    made = builder.build()
    numbers = np.arange(layout.INERTIA, layout.INERTIA + 10)
    links = made.links.copy()
    for old in model.links[1:]:
        if old[layout.BODY] >= 0:
            row = 1 + int(np.flatnonzero(links[1:, layout.BODY] == old[layout.BODY])[0])
            links[row, numbers] = old[numbers]
    return replace(made, links=links, urdf=model.urdf)


# ---------------------------------------------------------- geometry of a model's joints, read from the records of its links


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
