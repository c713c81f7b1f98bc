"""Bodies that scenes are made of, and how they are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.model.model import Model, ModelBuilder
from pluecker.articulated.pictures.overlays import Arrows, Lines
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, HalfSpace
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.contact_samples import motions
from pluecker.contact.world.simulation import WorldTrajectory
from pluecker.contact.world.world import World
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "FORCES",
    "G",
    "Motion",
    "about_y",
    "add_free",
    "as_at_rest",
    "ball_inertia",
    "box_inertia",
    "box_on_slope",
    "corner_contacts",
    "corners",
    "every_for",
    "positions",
    "quaternion_about_y",
    "shown_well",
    "simulate",
    "slope_frame",
    "still",
    "velocities",
    "watch",
]  # fmt: skip

if TYPE_CHECKING:

    class Motion(WorldTrajectory):
        """Motion of a world that was simulated: nothing of this is missing, as it may be in a table."""

        model: Model
        time: Array
        q: Array
        v: Array

else:
    Motion = WorldTrajectory

G = 9.81
DETAILED_CONTACTS = 12  # contacts, of which all is shown
FORCES = ("constraint_forces", "a")  # what a motion records, so that pictures show contacts


def box_inertia(mass: float, size: Sequence[float]) -> Array:
    """Compute the principal moments of a homogeneous box, from its sides."""
    squares = np.square(size)
    return np.asarray(mass / 12.0 * (squares.sum() - squares))


def ball_inertia(mass: float, radius: float) -> Array:
    """Compute the principal moments of a homogeneous ball."""
    return np.full(3, 0.4 * mass * radius * radius)


def add_free(builder: ModelBuilder, name: str, mass: float, inertia: Any) -> None:
    """Add a body on a free joint of the same name."""
    builder.add_body(name, mass=mass, inertia=tuple(np.asarray(inertia).tolist()))
    builder.add_joint(name, "free", parent="world", child=name)


def corners(size: Sequence[float], z: float = -1.0) -> list[tuple[float, float, float]]:
    """Return the corners of the lower face of a box about the origin, or of the upper one if z = 1."""
    a, b, c = (0.5 * float(s) for s in size)
    return [(x * a, y * b, z * c) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]


def corner_contacts(name: str, plane: Any, body: str, points: Iterable[Any], **options: Any) -> list[PointContact]:
    """Make a contact with a plane at each point of a body."""
    return [PointContact(f"{name}{k}", plane, (body, point), **options) for k, point in enumerate(points)]


def box_on_slope(
    size: Sequence[float], mass: float, angle: float, friction: float, ground: tuple[float, float], top: bool = False
) -> tuple[World, Array]:
    """Build a box on a slope, with contacts at the corners of its lower face, or at all; return world and configuration."""
    builder, surface = ModelBuilder("box"), slope_frame(angle)
    add_free(builder, "box", mass, box_inertia(mass, size))
    contacts = corner_contacts("corner", surface, "box", corners(size), friction=friction)
    if top:
        contacts += corner_contacts("top", surface, "box", corners(size, 1.0), friction=friction)
    shapes = [Collider("slope", HalfSpace(), surface), Collider("box", Box(size), "box")]
    world = World(draw_colliders(builder.build(), shapes, ground=ground), contacts)
    return world, np.array([*(0.5 * size[2] * surface.matrix[:, 2]), *quaternion_about_y(angle)])


def about_y(angle: float) -> Array:
    """Return the rotation matrix about y; with a positive angle the x axis points down."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def slope_frame(angle: float, position: Sequence[float] = (0.0, 0.0, 0.0)) -> Frame:
    """Return the frame of a slope's surface, which falls along its x axis."""
    return Frame("world", tuple(position), about_y(angle))


def quaternion_about_y(angle: float) -> list[float]:
    """Return the rotation about y as a quaternion [w, x, y, z], see :func:`about_y`."""
    return [float(np.cos(0.5 * angle)), 0.0, float(np.sin(0.5 * angle)), 0.0]


def still(world: World) -> Array:
    """Return zero velocities."""
    return np.zeros(world.model.nv)


def simulate(world: World, q: Any, v: Any, duration: float, step: float, **options: Any) -> Motion:
    """Simulate a motion, whose times, configurations and velocities are there for the checker of types too."""
    return cast("Motion", world.simulate(q, v, duration, step, **options))


def watch(world: World, q: Any, v: Any, duration: float, step: float, every: int = 1, **options: Any) -> Motion:
    """Simulate a motion, with all that pictures need."""
    return shown_well(simulate(world, q, v, duration, step, record=FORCES, every=every, **options))


def shown_well(motion: Motion) -> Motion:
    """Return a motion without marks that would hide others: the axes of constraints, and of many contacts all but forces."""
    many = (
        max((np.shape(each.positions)[-2] for each in motion.overlays if not isinstance(each, Lines)), default=0)
        > DETAILED_CONTACTS
    )
    kept = (each for each in motion.overlays if "of constraints" not in each.label)
    if many:
        chosen = "forces of contacts", "sliding"
        kept = (each for each in kept if isinstance(each, Lines) or each.label.startswith(chosen))
    return replace(motion, overlays=tuple(kept))


def as_at_rest(motion: Motion) -> Motion:
    """Rescale the arrows of contact forces to the largest force at the end; cut longer ones, as of impacts, to its size."""
    last = motion.contacts_at(-1)
    unit = float(np.linalg.norm(last.force, axis=1).max(initial=0.0))
    kept: list[Any] = []
    for each in motion.overlays:
        if isinstance(each, Arrows) and each.label.startswith("forces of contacts") and unit > 0.0:
            vectors = np.asarray(each.vectors)
            sizes = np.linalg.norm(vectors, axis=-1, keepdims=True)
            length = each.length * float(np.nanmax(sizes)) / unit
            label = f"forces of contacts, the longest {unit:.3g} N and more"
            each = replace(
                each, vectors=vectors * np.minimum(1.0, unit / np.maximum(sizes, 1e-300)), length=length, label=label
            )
        kept.append(each)
    return replace(motion, overlays=tuple(kept))


def velocities(motion: Motion) -> Array:
    """Compute the velocities of the origins of all bodies, ``(n, bodies, 3)``; world axes."""
    _, V = motions(motion.model, motion.q, motion.v, motion.q)
    return V[:, :-1, 3:]


def positions(motion: Motion) -> Array:
    """Compute the positions of the origins of all bodies, ``(n, bodies, 3)``."""
    return np.asarray(forward_kinematics(motion.model, motion.q)[..., :3, 3])


def every_for(duration: float, step: float, pictures: int = 70) -> int:
    """Compute the number of steps from one sample to the next, for so many samples in all."""
    return max(1, round(duration / step / pictures))
