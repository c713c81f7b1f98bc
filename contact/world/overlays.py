"""Pictures of a world: the frames of its constraints, their forces, and its contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pluecker.articulated.pictures.contents import parts_of, reach
from pluecker.articulated.pictures.overlays import Arrows, Overlay
from pluecker.articulated.pictures.parts import body_placements
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.simulation.trajectory import Trajectory
from pluecker.contact.constraints.point_contact import PointContact
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.geometry.shape_contact import ShapeContact
from pluecker.contact.world.called import called
from pluecker.contact.world.contact_overlays import contact_overlays
from pluecker.contact.world.found_samples import COLUMN
from pluecker.contact.world.found_samples import contacts_of as found_in
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError

if TYPE_CHECKING:
    from pluecker.contact.world.world import ConstraintHandle, World

__all__ = ["overlays_of"]

CONTACTS = (PointContact, ShapeContact)
LONGEST = 0.3  # of the distance between the constraints farthest from the world's origin and it: of the longest arrow
AXES = 0.1  # likewise, of the axes of a frame
TINY = 1e-12  # of the largest force, and a size: what is smaller is none


@called("World.overlays")
def overlays_of(world: World, trajectory: Trajectory) -> tuple[Overlay, ...]:
    """Make the overlays that :meth:`World.overlays` returns."""
    if not isinstance(trajectory, Trajectory):
        raise ArgumentTypeError(f"World.overlays: trajectory is a {type(trajectory).__name__}, expected a Trajectory")
    if trajectory.q is None or trajectory.q.ndim != 2:
        raise ArgumentValueError("World.overlays: the trajectory has to be one motion with q; choose one by motion()")
    q = trajectory.q
    forces = trajectory.columns.get("constraint_forces")
    found = contacts_of(world, trajectory) if forces is not None and trajectory.v is not None else []
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


def contacts_of(world: World, trajectory: Trajectory) -> list[Overlay]:
    """Make points, normals, forces and cones of contacts, in a size that fits the bodies at the beginning."""
    assert trajectory.q is not None
    assert trajectory.v is not None
    if not (world.packed.n_contacts or COLUMN in trajectory.columns) or not len(trajectory):
        return []
    samples = found_in(world, trajectory).samples()
    points = reach(parts_of(world.model, True), body_placements(world.model, trajectory.q[:1]), ())
    size = float(np.ptp(np.concatenate([points, samples.point[0][samples.state[0] != ""]]), axis=0).max())
    return list(contact_overlays(samples, size or None))


def others(world: World) -> list[ConstraintHandle]:
    """List the constraints that are no contacts."""
    return [handle for handle in map(world.__getitem__, world.names) if not isinstance(handle.record, CONTACTS)]


def placements(world: World, q: Array) -> dict[tuple[str, Frame], Array]:
    """Compute the placements of the frames of all constraints but contacts, ``(n, 4, 4)``, by constraint and frame."""
    found: dict[tuple[str, Frame], Array] = {}
    for handle in others(world):
        for function in world.parts[handle.number].functions:
            for frame in (function.first, function.second):
                if frame is not None and (handle.name, frame) not in found:
                    found[handle.name, frame] = handle.placement(q, frame)
    return found


def force_arrows(world: World, q: Array, forces: Array, size: float) -> list[Arrows]:
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


def acts_on_bodies(world: World, handle: ConstraintHandle) -> bool:
    """Return whether a constraint has a second frame on which its wrench is."""
    functions = world.parts[handle.number].functions
    frame = next((f.second for f in functions if f.second is not None), None)
    return frame is not None and any(handle.sign(f, frame) for f in functions)
