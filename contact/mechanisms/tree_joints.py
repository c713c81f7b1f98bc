"""A world in maximal coordinates: free bodies, joints as constraints between them, and the constraints that there were.

A joint is rows that hold, and the forces that act along its coordinates. Armature is a rotor on the coordinate, damping and
stiffness a soft row, dry friction and limits a row with a range, a mimic joint a row on two coordinates. Then the equations
of motion are those of the model, with the joint's forces in the open. The inertias are the old ones to the last bit. Bodies
without mass or inertia cannot be free, and are refused by name.

Sources: RBDA sections 3.4 and 8.2; Baraff (1996).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.model import layout
from pluecker.articulated.model.model import Model, ModelBuilder
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.records.limits import joint_rows
from pluecker.contact.constraints.relation import COORDINATE, OFFSET, USER, Frame, Function, Parts, Row
from pluecker.contact.errors import ConstraintError
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.contact.mechanisms.joint_functions import Coordinate, JointShape, joint_shapes, tilde, world_of
from pluecker.spatial.errors import ArgumentValueError, shown
from pluecker.spatial.functions.arguments import as_numbers

__all__ = ["Coordinates", "FreeParts", "TranslatedConstraint", "TreeJoint", "free_parts", "kept"]

SMALLEST_INERTIA = 1e-13  # of the largest moment of inertia of a body: less is what rounding leaves of none
WORLD = -1


@dataclass(frozen=True)
class TreeJoint:
    """A joint of a model as a constraint between two bodies.

    Attributes:
        name: of the joint.
        kind: its type.
        first, second: its frame on the parent, and the body's own.
        content: functions and rows.
        owners: of each function, the number of the body whose joint it belongs to.
    """

    name: str
    kind: str
    first: Frame
    second: Frame
    content: Parts
    owners: tuple[int, ...]

    def parts(self, model: Model) -> Parts:
        """Return the parts as they were found from the model that had the joint."""
        return self.content


@dataclass(frozen=True)
class TranslatedConstraint:
    """A constraint on coordinates of a model, on the same bodies without that model's joints.

    Attributes:
        name: of the constraint.
        record: as it was given for the model with joints.
        content: functions and rows.
        owners: of each function, the number of the body whose joint it belongs to; -1 of none.
    """

    name: str
    record: object
    content: Parts
    owners: tuple[int, ...]

    def parts(self, model: Model) -> Parts:
        """Return the parts as they were translated."""
        return self.content


class Coordinates:
    """Coordinates of a model as functions between frames of the bodies.

    Args:
        model: that has the joints.
        shapes: of these, by body.
        reference: from which turns are counted, ``(nq,)``.
    """

    def __init__(self, model: Model, shapes: Mapping[int, JointShape], reference: Array) -> None:
        self.model, self.shapes = model, shapes
        self.of_body = {
            b: kept_coordinates(b) if kept(shape) else shape.coordinates(reference) for b, shape in shapes.items()
        }
        self.owner: dict[int, tuple[int, Coordinate]] = {}
        for b, shape in shapes.items():
            if shape.joint.mimic is None:
                for k, coordinate in enumerate(self.of_body[b]):
                    self.owner[shape.joint.v_start + k] = b, coordinate


def kept(shape: JointShape) -> bool:
    """Return whether a joint needs no constraint: the body is free in the world already."""
    return shape.kind == "free" and shape.parent == WORLD


def kept_coordinates(body: int) -> tuple[Coordinate, ...]:
    """Return the velocities of a body that is free in the world, as coordinates."""
    return tuple(Coordinate(Function(COORDINATE, coordinate=6 * body + k)) for k in range(6))


class Collection:
    """Functions and rows of one constraint, as they are put together."""

    def __init__(self, body: int) -> None:
        self.body = body
        self.functions: list[Function] = []
        self.rows: list[Row] = []
        self.owners: list[int] = []

    def add(self, function: Function, owner: int | None = None) -> int:
        """Add a function unless it is there already; return its number."""
        if function not in self.functions:
            self.functions.append(function)
            self.owners.append(self.body if owner is None else owner)
        return self.functions.index(function)

    def row(self, terms: list[tuple[Coordinate, float, int]], **law: float | bool) -> None:
        """Add a row on a sum of coordinates with coefficients, each of the joint of a body, less ``offset``."""
        own, offset = [], float(law.pop("offset", 0.0))
        for coordinate, c, owner in terms:
            own.append((self.add(coordinate.function, owner), c * coordinate.sign))
            offset -= c * coordinate.start
        self.rows.append(Row(tuple(own), offset=offset, **law))  # type: ignore[arg-type]


def tree_joint(coordinates: Coordinates, body: int, ranges: Parts) -> TreeJoint | None:
    """Make the joint that carries a body a constraint; None where there is nothing to hold.

    Args:
        coordinates: of the model.
        body: its number.
        ranges: rows on coordinates of the model, of which those of this joint are taken.

    Raises:
        ConstraintError: it has a spring for which there are no rows.
    """
    shape, model = coordinates.shapes[body], coordinates.model
    joint, own = shape.joint, coordinates.of_body[body]
    collection = Collection(body)
    functions, rows = shape.held()
    for f in functions:
        collection.add(f)
    collection.rows += rows
    if shape.kind == "helical":
        travel = Coordinate(shape.make(OFFSET, axis_1=shape.axis))
        collection.row([(travel, 1.0, body), (own[0], -shape.pitch, body)])
    if joint.mimic is not None:
        source, coordinate = coordinates.owner[joint.v_start]
        terms = [(own[0], 1.0, body), (coordinate, -shape.ratio, source)]
        collection.row(terms, offset=shape.offset)
    else:
        v = slice(joint.v_start, joint.v_start + shape.nv)
        rest = model.rest_position[joint.q_start : joint.q_start + shape.nq]
        add_passive_rows(collection, shape, own, model.armature[v], model.damping[v], model.stiffness[v], rest)
        for row in ranges.rows:
            k = ranges.functions[row.terms[0][0]].coordinate - joint.v_start
            if 0 <= k < shape.nv:
                added = replace(row, terms=((collection.add(own[k].function), own[k].sign),), offset=-own[k].start)
                collection.rows.append(added)
    if not collection.rows:
        return None
    content = Parts(tuple(collection.functions), tuple(collection.rows))
    return TreeJoint(joint.name, shape.kind, shape.first, shape.second, content, tuple(collection.owners))


def add_passive_rows(
    collection: Collection,
    shape: JointShape,
    own: tuple[Coordinate, ...],
    armature: Array,
    damping: Array,
    stiffness: Array,
    rest: Array,
) -> None:
    """Add the rows of rotors, dampers and springs."""
    b, vector = shape.body, shape.kind == "exponential"
    near_rest = (
        shape.coordinates_near(rest) if vector else ()
    )  # the way from rest may not be that of the shortest vector
    for k, coordinate in enumerate(own):
        term = [(coordinate, 1.0, b)]
        if armature[k] > 0.0:
            collection.row(term, inertia=armature[k])
        if vector and rest.any():
            if stiffness[k] > 0.0:
                collection.row([(near_rest[k], 1.0, b)], offset=rest[k], stiffness=stiffness[k])
            if damping[k] > 0.0:
                collection.row(term, stiffness=0.0, damping=damping[k])
        elif shape.chain or vector:
            if stiffness[k] > 0.0 or damping[k] > 0.0:
                collection.row(term, offset=rest[k], stiffness=stiffness[k], damping=damping[k])
        elif damping[k] > 0.0:
            collection.row(term, stiffness=0.0, damping=damping[k])
    if shape.kind == "spherical" and stiffness.any():
        for k, function in enumerate(shape.rotation_vector(matrix_of(rest))):
            if stiffness[k] > 0.0:
                collection.row([(Coordinate(function), 1.0, b)], stiffness=stiffness[k])
    if shape.kind == "free" and stiffness.any():
        raise ConstraintError(
            f"joint {shown(shape.joint.name)} is free on a moving body and has springs, for which there are no rows; use "
            "springs between points"
        )


def matrix_of(p: Array) -> Array:
    """Compute the rotation of a quaternion ``[w, x, y, z]``, axes as columns."""
    w, x, y, z = p / np.linalg.norm(p)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * K + 2.0 * K @ K)


def translated_parts(parts: Parts, coordinates: Coordinates) -> tuple[Parts, tuple[int, ...]]:
    """Translate a constraint's parts to functions between frames in place of coordinates; return these, and their owners."""
    functions, owners, found = [], [], []
    for f in parts.functions:
        owner, coordinate = coordinates.owner[f.coordinate] if f.kind == COORDINATE else (WORLD, Coordinate(f))
        functions.append(coordinate.function)
        owners.append(owner)
        found.append(coordinate)
    rows = []
    for row in parts.rows:
        terms = tuple((k, c * found[k].sign) for k, c in row.terms)
        start = sum(c * found[k].start for k, c in row.terms)
        rows.append(replace(row, terms=terms, offset=row.offset - start))
    return Parts(tuple(functions), tuple(rows)), tuple(owners)


# ---------------------------------------------------------------------------------------------------------- the whole world


class FreeParts(NamedTuple):
    """Parts of a world in maximal coordinates.

    Attributes:
        model: each body on a free joint of its own name.
        constraints: one for each joint, then those that there were.
        options: of :class:`~pluecker.contact.World`: shapes, and the law of their contacts.
        reference: the configuration from which turns are counted, ``(nq,)``.
        shapes, coordinates: of the old joints, by body: their geometry, and their coordinates as functions.
    """

    model: Model
    constraints: list[Any]
    options: dict[str, Any]
    reference: Array
    shapes: dict[int, JointShape]
    coordinates: Coordinates


def free_parts(world: Constrained, reference: ArrayLike | None = None) -> FreeParts:
    """Make the parts of the world with each body free, and a constraint for each joint: see ``World.maximal``."""
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
    return FreeParts(bodies, constraints, options, q, shapes, coordinates)


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
