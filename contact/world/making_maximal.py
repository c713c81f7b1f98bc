"""Construction of worlds in maximal coordinates: free bodies, joints as constraints, constraints between the same bodies.

The inertias are the old ones to the last bit. Bodies without mass or inertia cannot be free, and are refused by name.

Sources: RBDA sections 3.4 and 8.2; Baraff (1996).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.model import layout
from pluecker.articulated.model.builder import ModelBuilder
from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.relation import COORDINATE, USER
from pluecker.contact.errors import ConstraintError
from pluecker.contact.rows.joint_rows import joint_rows
from pluecker.contact.world.joint_functions import JointShape, tilde
from pluecker.contact.world.joint_shapes import joint_shapes, world_of
from pluecker.contact.world.maximal import Maximal
from pluecker.contact.world.tree_joints import Coordinates, TranslatedConstraint, kept, translated_parts, tree_joint
from pluecker.spatial.errors import ArgumentValueError, shown
from pluecker.spatial.functions.arguments import as_numbers

if TYPE_CHECKING:
    from pluecker.contact.world.world import World

__all__ = ["make_maximal"]

LEAST = 1e-13  # of the largest moment of inertia of a body: less is what rounding leaves of none


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
        if not m > 0.0 or moments[0] <= LEAST * np.abs(about_origin).max():
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
