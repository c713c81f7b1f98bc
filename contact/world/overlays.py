"""Overlays of a world in pictures: rods, ropes and springs, frames of its constraints, their forces, contacts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from pluecker.articulated.forces.elements import Cable, Element, PointSpring
from pluecker.articulated.pictures.contents import parts_of, reach
from pluecker.articulated.pictures.overlays import Arrows, Lines, Overlay
from pluecker.articulated.pictures.parts import body_placements
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.contact.constraints.base import Pair
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.constraints.relation import DISTANCE, Frame, Function, Row
from pluecker.contact.geometry.shape_contact import ShapeContact
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.contact.mechanisms.reactions import ConstraintHandle
from pluecker.contact.mechanisms.running import called
from pluecker.contact.mechanisms.tree_joints import TreeJoint
from pluecker.contact.world.contact_forces import contact_overlays
from pluecker.contact.world.contact_samples import COLUMN
from pluecker.contact.world.contact_samples import contacts_of as found_in
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError

__all__ = ["connections_of", "elements_of", "overlays_of"]

CONTACTS = (PointContact, ShapeContact)
LONGEST = 0.3  # of the distance between the constraints farthest from the world's origin and it: of the longest arrow
CONNECTIONS = {  # the shape of lines, what the legend says, and the colour
    "joints": ("joint", "joints that are constraints", "#5b6470"),
    "rods": ("rod", "rods", "black"),
    "springs": ("spring", "springs", "#0b8a8a"),
    "ropes": ("rope", "ropes, dashed while slack", "brown"),
    "others": ("rope", "lengths that are limited, driven or damped", "grey"),
}
APART = 3.0  # of contacts of one sample: a mechanism that is wider has marks as one so wide
AXES = 0.1  # likewise, of the axes of a frame
TINY = 1e-12  # of the largest force, and a size: what is smaller is none


@called("World.overlays")
def overlays_of(world: Constrained, trajectory: Trajectory) -> tuple[Overlay, ...]:
    """Compute what ``World.overlays`` returns: overlays of one motion, behind the lines between bodies."""
    if not isinstance(trajectory, Trajectory):
        raise ArgumentTypeError(f"World.overlays: trajectory is a {type(trajectory).__name__}, expected a Trajectory")
    if trajectory.q is None or trajectory.q.ndim != 2:
        raise ArgumentValueError("World.overlays: the trajectory has to be one motion with q; choose one by motion()")
    q = trajectory.q
    forces = trajectory.columns.get("constraint_forces")
    found: list[Overlay] = list(world.once(connections_of))
    if forces is not None and trajectory.v is not None:
        found += contacts_of(world, trajectory)
    T = placements(world, q)
    if not T:
        return tuple(found)
    origins = np.stack([each[:, :3, 3] for each in T.values()], axis=1)
    size = max(float(np.linalg.norm(origins, axis=-1).max(initial=0.0)), TINY)
    for k, (axis, color) in enumerate((("x", "red"), ("y", "green"), ("z", "blue"))):
        vectors = np.stack([each[:, :3, k] for each in T.values()], axis=1)
        found.append(Arrows(origins, vectors, AXES * size, f"{axis} of constraints", color))
    if forces is not None:
        found += force_arrows(world, q, np.asarray(forces), size)
    return tuple(found)


def connections_of(world: Constrained) -> tuple[Lines, ...]:
    """Joints, and distances between points of bodies, by what they are: rods, springs, ropes, lengths with other laws."""
    ends: dict[str, list[Any]] = {kind: [] for kind in CONNECTIONS}
    lengths = []
    for record, parts in zip(
        world.constraints, world.parts, strict=False
    ):  # the last parts are those of the model's joints
        if isinstance(record, CONTACTS):
            continue
        if isinstance(record, Pair) or (isinstance(record, TreeJoint) and record.kind != "free"):
            ends["joints"].append(tuple((frame.name, frame.position) for frame in (record.first, record.second)))
        for k, function in enumerate(parts.functions):
            rows = [row for row in parts.rows if k in {number for number, _ in row.terms}]
            if function.kind == DISTANCE and rows:
                kind = kind_of(rows)
                ends[kind].append((end_of(function, 1), end_of(function, 2)))
                if kind == "ropes":
                    lengths.append(rows[0].upper)
    return tuple(
        Lines(pairs, shape, lengths if kind == "ropes" else None, label, color)
        for (kind, pairs), (shape, label, color) in zip(ends.items(), CONNECTIONS.values(), strict=True)
        if pairs
    )


def elements_of(elements: Sequence[Element]) -> tuple[Lines, ...]:
    """The springs and the cables among elements; a cable of two ends hangs where it is slack."""
    if not elements:
        return ()
    springs = [(each.first, each.second) for each in elements if isinstance(each, PointSpring)]
    cables = [each for each in elements if isinstance(each, Cable)]
    short = [each for each in cables if len(tuple(each.via)) == 2]
    long = [pair for each in cables if each not in short for pair in pairwise(each.via)]
    found = (
        Lines(springs, "spring", None, "springs between points", "#0b8a8a"),
        Lines(
            [tuple(each.via) for each in short],
            "rope",
            [each.rest_length for each in short],
            "cables, dashed while slack",
        ),
        Lines(long, "rope", None, "cables over several points"),
    )
    return tuple(lines for lines in found if lines.ends)


def kind_of(rows: Sequence[Row]) -> str:
    """Name the kind of what holds a distance: a rod, a rope, a spring, or others."""
    row = rows[0]
    if len(rows) > 1 or len(row.terms) > 1 or row.motion is not None or row.speed or row.inertia:
        return "others"
    if row.ranged:
        only_upper = np.isfinite(row.upper) and row.lower == -np.inf and row.terms[0][1] == 1.0
        return "ropes" if only_upper and not row.force and not row.friction else "others"
    if not row.soft:
        return "rods" if row.holonomic else "others"
    return "springs" if row.stiffness > 0.0 else "others"


def end_of(function: Function, number: int) -> tuple[str, Array]:
    """One end of a distance: the frame's name, and the point there."""
    frame, point = (function.first, function.point_1) if number == 1 else (function.second, function.point_2)
    assert frame is not None
    return frame.name, np.array(frame.position) + frame.matrix @ point


def contacts_of(world: Constrained, trajectory: Trajectory) -> list[Overlay]:
    """Points, normals, forces and cones, in a size that fits the bodies at the beginning, and what touches."""
    assert trajectory.q is not None
    assert trajectory.v is not None
    if not (world.packed.n_contacts or COLUMN in trajectory.columns) or not len(trajectory):
        return []
    samples = found_in(world, trajectory).samples()
    points = reach(parts_of(world.model, True), body_placements(world.model, trajectory.q[:1]), ())
    size = float(np.ptp(np.concatenate([points, samples.point[0][samples.state[0] != ""]]), axis=0).max())
    there = (samples.state != "")[..., None]
    low, high = np.where(there, samples.point, np.inf), np.where(there, samples.point, -np.inf)
    spread = float((high.max(axis=1, initial=-np.inf) - low.min(axis=1, initial=np.inf)).max(initial=0.0))
    if spread > 0.0:  # a small body on a long belt is not to be hidden by its marks
        size = min(size, APART * spread)
    return list(contact_overlays(samples, size or None))


def others(world: Constrained) -> list[ConstraintHandle]:
    """List the constraints that are no contacts."""
    handles = (ConstraintHandle(world, k) for k in range(len(world.constraints)))
    return [handle for handle in handles if not isinstance(handle.record, CONTACTS)]


def placements(world: Constrained, q: Array) -> dict[tuple[str, Frame], Array]:
    """Compute the placements of the frames of all constraints but contacts, ``(n, 4, 4)``, by constraint and frame."""
    found: dict[tuple[str, Frame], Array] = {}
    for handle in others(world):
        for function in world.parts[handle.number].functions:
            for frame in (function.first, function.second):
                if frame is not None and (handle.name, frame) not in found:
                    found[handle.name, frame] = handle.placement(q, frame)
    return found


def force_arrows(world: Constrained, q: Array, forces: Array, size: float) -> list[Arrows]:
    """Make arrows of the force of each constraint on the body of its second frame, at that frame, in world axes."""
    handles = [handle for handle in others(world) if acts_on_bodies(world, handle)]
    if not handles or not len(q):
        return []
    places, vectors = [], []
    for handle in handles:
        T = handle.placement(q, handle.own_frame())
        places.append(T[:, :3, 3])
        vectors.append(np.einsum("nij,nj->ni", T[:, :3, :3], handle.wrench(q, forces)[:, 3:]))
    largest = max(float(np.linalg.norm(vectors, axis=-1).max()), TINY)
    label = f"forces of constraints, at most {largest:.3g} N"
    return [Arrows(np.stack(places, axis=1), np.stack(vectors, axis=1), LONGEST * size / largest, label, "purple")]


def acts_on_bodies(world: Constrained, handle: ConstraintHandle) -> bool:
    """Return whether a constraint has a second frame on which its wrench is."""
    functions = world.parts[handle.number].functions
    frame = next((f.second for f in functions if f.second is not None), None)
    return frame is not None and any(handle.sign(f, frame) for f in functions)
