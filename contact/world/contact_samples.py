"""Contacts in the samples of a motion, from where bodies are and the forces along rows.

The second body has at the point x the velocity ``v_2 = w_2 x (x - o_2) + v(o_2)``, likewise the first; the slip is their
difference, the force ``r_n z + r_x x + r_y y`` along the axes of the plane.

Contacts of a world's constraints, of points and of named pairs of shapes, are computed from its states. Those that were
found in each step are kept as a column of the trajectory:

=========  ===========================================================================================================
numbers    of one contact; NaN where a sample has fewer contacts than another
=========  ===========================================================================================================
0, 1       the two colliders, by number
2 to 4     the point; world, m
5 to 7     the normal; world axes
8          the gap; m
9 to 11    the force on the second body; world axes, N
12 to 14   its moment about the point, of rolling and spinning friction; N m
15 to 17   the slip; world axes, m/s
18         Coulomb's coefficient
=========  ===========================================================================================================

Of a sample, contacts are those of the step that begins there; of the last one those of the step before.
"""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.frames.forward_kinematics import body_velocities, forward_kinematics
from pluecker.articulated.errors import OutputError
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.contact.constraints.frames import body_number
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.constraints.relation import NORMAL, ROLLING, SPINNING, TANGENT, Frame
from pluecker.contact.found.motion import FoundMotion, Touch
from pluecker.contact.friction.dense.contact_law import CREEP, EDGE
from pluecker.contact.friction.lcp.polygon import SIDES
from pluecker.contact.geometry.shape_contact import ShapeContact
from pluecker.contact.instants.touching_at import TOUCHING_AT
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.contact.mechanisms.running import run
from pluecker.contact.rows.layout import TOUCH_FEATURE, TOUCH_GAP, TOUCH_NORMAL, TOUCH_SLOT
from pluecker.contact.rows.touching import NO_CONTACT
from pluecker.contact.world.contact_forces import ContactForces, PaddedContacts, padded, states_of_contacts
from pluecker.spatial.files import reason_of, take_room, undisturbed, whole_file, write_all

__all__ = [
    "COLUMN",
    "ContactsOfConstraints",
    "FiledTouches",
    "contacts_of",
    "forces_found",
    "joined_contacts",
    "motions",
    "with_touches",
]

COLUMN, NUMBERS = "found_contacts", 19


class ContactsOfSamples(Sequence[ContactForces]):
    """Contacts of each sample of a motion, described when they are asked for.

    Attributes:
        q: the configurations of the samples, ``(n, nq)``.
    """

    q: Array

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, sample: Any) -> Any:
        if isinstance(sample, slice):
            return [self.at(k) for k in range(*sample.indices(len(self)))]
        return self.at(sample)

    def at(self, sample: int) -> ContactForces:
        """Describe the contacts of one sample."""
        raise NotImplementedError

    def samples(self) -> PaddedContacts:
        """Collect the contacts of all samples, for pictures."""
        raise NotImplementedError


class ContactsOfConstraints(ContactsOfSamples):
    """Contacts of a world's constraints in each sample; all samples are computed together.

    Args:
        world: whose constraints they are.
        q, v: states at the end of steps, ``(n, nq)`` and ``(n, nv)``.
        forces: along the rows of all constraints, mean values over these steps, ``(n, n_rows)``; N.
        after: configurations to which v belongs, where that is not q, ``(n, nq)``.
    """

    def __init__(self, world: Constrained, q: Array, v: Array, forces: Array, after: Array | None = None) -> None:
        self.model, self.q = world.model, q
        own = zip(world.constraints, world.rows_of, strict=False)
        found = [(record, rows.start) for record, rows in own if isinstance(record, PointContact)]
        records, starts = [record for record, _ in found], [start for _, start in found]
        n, K = len(q), len(records)
        T, V = motions(self.model, q, v, q if after is None else after)
        first, second = (self.on_bodies([getattr(r, key) for r in records]) for key in ("first", "second"))
        plane = T[:, first[0]] @ first[1]
        R = plane[..., :3, :3]
        radius = np.array([record.radius for record in records])
        middle = (T[:, second[0]] @ second[1])[..., :3, 3]
        self.normal = R[..., 2].copy()
        self.gap = np.einsum("nki,nki->nk", middle - plane[..., :3, 3], self.normal) - radius
        self.point = middle - radius[:, None] * self.normal
        rows = np.array(starts, np.int64).reshape(K, 1) + np.arange(3)
        along = forces[:, rows] if K else np.zeros((n, 0, 3))
        self.force = np.einsum("nkij,nkj->nki", R[..., [2, 0, 1]], along)
        self.slip = velocity_at(T, V, second[0], self.point) - velocity_at(T, V, first[0], self.point)
        coefficients = [record.coefficients for record in records]
        self.bodies = np.stack([first[0], second[0]], axis=1)
        turned = self.bodies[:, 0] > self.bodies[:, 1]
        self.bodies[turned] = self.bodies[turned][:, ::-1]
        for vectors in (self.normal, self.force, self.slip):
            vectors[:, turned] *= -1.0
        self.names: NDArray[np.str_] = np.array([(record.name, "") for record in records], np.str_).reshape(K, 2)
        shapes = PlacesOfShapes(world, q, forces, T, V)
        self.moment = np.zeros_like(self.force)
        for key in ("normal", "gap", "point", "force", "slip", "moment"):
            setattr(self, key, np.concatenate([getattr(self, key), getattr(shapes, key)], axis=1))
        self.friction = coefficients_by_forces(
            np.array([*coefficients, *shapes.coefficients]).reshape(-1, 2), self.normal, self.force, self.slip
        )
        for key in ("bodies", "names"):
            setattr(self, key, np.concatenate([getattr(self, key), getattr(shapes, key)]))
        self.there = self.gap < NO_CONTACT
        self.state = states_of_contacts(self.normal, self.force, self.slip, self.gap, self.friction)

    def on_bodies(self, frames: list[Frame]) -> tuple[Any, Array]:
        """Return the numbers of the bodies that carry frames, -1 for the world, and where on them the frames are."""
        numbers, places = [], []
        for frame in frames:
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = frame.matrix, frame.position
            if frame.name in self.model.frame_names:
                T = self.model.frame_offsets([frame.name])[1][0] @ T
            numbers.append(body_number(self.model, frame.name))
            places.append(T)
        return np.array(numbers, np.int64), np.array(places).reshape(-1, 4, 4)

    def samples(self) -> PaddedContacts:
        """Collect the contacts of all samples, for pictures."""
        point = np.where(self.there[..., None], self.point, np.nan)
        return PaddedContacts(point, self.normal, self.force, self.friction, np.where(self.there, self.state, ""))

    def at(self, sample: int) -> ContactForces:
        there = self.there[sample]
        found = (
            self.bodies, self.names, self.normal[sample], self.force[sample], self.point[sample], self.gap[sample],
            self.slip[sample], self.friction[sample], self.state[sample], self.moment[sample],
        )  # fmt: skip
        return ContactForces(self.model, self.q[sample], *(x[there] for x in found))


def coefficients_by_forces(coefficients: Array, normal: Array, force: Array, slip: Array) -> Array:
    """Select the coefficient in force in each sample, ``(n, K)``: the kinetic one where there is slip, and no more force.

    Args:
        coefficients: of what sticks, and of what slides, ``(K, 2)``.
        normal, force, slip: ``(n, K, 3)``.
    """
    mu, kinetic = coefficients.T
    pressed, parts = (np.einsum("nki,nki->nk", x, normal) for x in (force, slip))
    across, along = (np.linalg.norm(x - y[..., None] * normal, axis=-1) for x, y in ((force, pressed), (slip, parts)))
    return np.where((along > CREEP) & (across <= (1.0 + EDGE) * kinetic * pressed), kinetic, mu)


def motions(model: Model, q: Array, v: Array, after: Array) -> tuple[Array, Array]:
    """Compute placements at q, ``(n, bodies + 1, 4, 4)``, and velocities of the states after and v, ``(n, bodies + 1, 6)``,
    of bodies and the world; world axes.
    """
    T = np.broadcast_to(np.eye(4), (len(q), model.n_bodies + 1, 4, 4)).copy()
    V = np.zeros((len(q), model.n_bodies + 1, 6))
    if model.n_bodies and len(q):
        T[:, :-1] = forward_kinematics(model, q)
        R = (T[:, :-1] if after is q else forward_kinematics(model, after))[..., :3, :3]
        own = body_velocities(model, after, v)
        V[:, :-1] = np.concatenate([np.einsum("nkij,nkj->nki", R, x) for x in (own[..., :3], own[..., 3:])], axis=-1)
    return T, V


# ---------------------------------------------------------------------------------------------------- named pairs of shapes


class PlacesOfShapes:
    """Places where shapes may touch, K in each of n samples, each with body i < j.

    Args:
        world: whose constraints they are.
        q: configurations, ``(n, nq)``.
        forces: along the rows of all constraints, ``(n, n_rows)``; N.
        T, twists: placements and velocities ``[w; v]`` of all bodies and the world, in world axes, ``(n, bodies + 1, ...)``.
    """

    def __init__(self, world: Constrained, q: Array, forces: Array, T: Array, twists: Array) -> None:
        contacts = [each for each in world.constraints if isinstance(each, ShapeContact)]
        tables = [contact_rows(world, each) for each in contacts]
        rows = np.concatenate([np.zeros((0, 6), np.int64), *tables])
        records = [each for each, table in zip(contacts, tables, strict=True) for _ in table]
        n, K = len(q), len(records)
        slots = np.zeros((n, K, TOUCH_SLOT))
        if K and n:
            slots = run(world, TOUCHING_AT, (q,))
        first = np.array([collider_body(world, each, "first") for each in records], np.int64)
        second = np.array([collider_body(world, each, "second") for each in records], np.int64)
        self.point, axes, self.gap = np.split(slots, (TOUCH_NORMAL, TOUCH_GAP, TOUCH_FEATURE), axis=-1)[:3]
        self.gap, axes = self.gap[..., 0], axes.reshape(n, K, 3, 3)
        self.normal = axes[:, :, 0]
        along = np.where(rows < 0, 0.0, forces[:, rows]) if K else np.zeros((n, 0, 6))
        self.force, self.moment = (np.einsum("nkji,nkj->nki", axes, x) for x in (along[..., :3], along[..., [5, 3, 4]]))
        self.slip = velocity_at(T, twists, second, self.point) - velocity_at(T, twists, first, self.point)
        for k, key, sign in ((second, "second", 1.0), (first, "first", -1.0)):
            own = np.array([surface_velocity(world, each, key) for each in records]).reshape(K, 3)
            own = np.einsum("nkij,kj->nki", T[:, k, :3, :3], own)
            along = own - np.einsum("nki,nki->nk", own, self.normal)[..., None] * self.normal
            self.slip = self.slip + sign * along
        self.coefficients = [(each.law.friction, each.law.kinetic_friction) for each in records]
        names = [(each.first.name, each.second.name) for each in records]
        self.names = np.array(names, np.str_).reshape(K, 2)
        self.bodies = np.stack([first, second], axis=1).reshape(K, 2)
        turned = self.bodies[:, 0] > self.bodies[:, 1]
        for pair in (self.bodies, self.names):
            pair[turned] = pair[turned][:, ::-1]
        back = np.where(turned, -1.0, 1.0)[:, None]
        self.normal, self.force, self.slip = back * self.normal, back * self.force, back * self.slip
        self.moment = back * self.moment


def contact_rows(world: Constrained, contact: ShapeContact) -> NDArray[np.int64]:
    """Find for each place the rows of normal, tangents, both rolling moments and the spinning one; -1 where there
    is none.
    """
    rows = world.rows_of[world.names.index(contact.name)]
    kinds = [row.contact for row in world.laws[rows]]
    starts = [k for k, kind in enumerate(kinds) if kind == NORMAL]
    table = np.full((len(starts), 6), -1)
    for k, (begin, end) in enumerate(zip(starts, [*starts[1:], len(kinds)], strict=True)):
        own = kinds[begin:end]
        for wanted, place in ((NORMAL, 0), (TANGENT, 1), (ROLLING, 3), (SPINNING, 5)):
            found = [rows.start + begin + j for j, kind in enumerate(own) if kind == wanted]
            table[k, place : place + len(found)] = found
    return table


def collider_body(world: Constrained, contact: ShapeContact, key: str) -> int:
    """Return the number of the body that carries a collider, -1 for the world."""
    return body_number(world.model, getattr(contact, key).frame.name)


def surface_velocity(world: Constrained, contact: ShapeContact, key: str) -> Array:
    """Compute the velocity of the surface of a collider against its body, in axes of the body."""
    collider = getattr(contact, key)
    return np.asarray(collider.on_body(world.model)[:3, :3] @ collider.surface.velocity)


def velocity_at(T: Array, twists: Array, bodies: Any, points: Array) -> Array:
    """Compute the velocity of the material of bodies at points, ``(n, K, 3)``; world axes."""
    own = twists[:, bodies]
    return np.asarray(own[..., 3:] + np.cross(own[..., :3], points - T[:, bodies][..., :3, 3]))


# ------------------------------------------------------------------------------------------------- contacts that were found


def numbers_of(touch: Touch) -> Array:
    """Pack the contacts of a step, ``(K, 19)``."""
    parts = (
        touch.colliders, touch.point, touch.normal, touch.gap[:, None], touch.force, touch.moment, touch.slip,
        touch.friction[:, None],
    )  # fmt: skip
    return np.concatenate([np.asarray(part, np.float64) for part in parts], axis=1)


class FiledTouches:
    """Contacts of the samples of a motion, on their way to a file beside others that a recording leaves in a folder.

    How many contacts a sample has at most is known at the end: until then they stand in a file that has no name.

    Raises:
        OutputError: of every method: the disk is full, or the like.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder, self.counts = folder, array("q")
        self.file: Any = None

    def append(self, touch: Touch) -> None:
        """Append the contacts of one more sample."""
        with self.writing():
            if self.file is None:
                self.file = tempfile.TemporaryFile(dir=self.folder, buffering=0)  # noqa: SIM115, open until all have come
                weakref.finalize(self, self.file.close)  # also where a motion ends in an error
            write_all(self.file, numbers_of(touch).tobytes())
        self.counts.append(len(touch))

    def column(self, samples: int) -> Array:
        """Write the file, and map it, ``(samples, K, 19)``; to be called when the last sample has come."""
        counts = self.counts[:samples]
        shape = samples, max(counts, default=0), NUMBERS
        path = os.path.join(self.folder, f"{COLUMN}.npy")
        with self.writing():
            undisturbed(partial(self.fill, path, shape, counts))
        return np.load(path, mmap_mode="r").view(np.ndarray) if shape[1] else np.zeros(shape)

    def fill(self, path: str, shape: tuple[int, int, int], counts: Sequence[int]) -> None:
        """Write the file, sample by sample."""
        with whole_file(path) as file:
            np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
            file.flush()
            start = file.tell()
            take_room(file, start, 8 * math.prod(shape))
            file.seek(start)
            if self.file is not None:
                self.file.seek(0)
            for k in range(shape[0]):
                sample = np.full(shape[1:], np.nan)
                if k < len(counts) and counts[k]:
                    sample[: counts[k]] = np.frombuffer(self.file.read(8 * NUMBERS * counts[k])).reshape(-1, NUMBERS)
                file.write(np.ascontiguousarray(sample, "<f8").tobytes())

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Turn errors of the system that are raised inside into one of this package."""
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"simulate: record_to: {COLUMN}.npy cannot be written ({reason_of(error)}), the contacts that were found"
            ) from None


def touches_as_column(steps: FoundMotion, samples: int) -> Array:
    """Collect the contacts of so many samples, ``(samples, K, 19)``, padded with NaN."""
    kept = steps.kept
    if isinstance(kept, FiledTouches):
        if len(kept.counts) < samples and steps.touch is not None:
            kept.append(steps.touch)
        return kept.column(samples)
    assert isinstance(kept, list)
    tables = [numbers_of(touch) for touch in kept[:samples]]
    if len(tables) < samples and steps.touch is not None:
        tables.append(numbers_of(steps.touch))
    column = np.full((samples, max((len(table) for table in tables), default=0), NUMBERS), np.nan)
    for k, table in enumerate(tables):
        column[k, : len(table)] = table
    return column


def with_touches(world: Constrained, trajectory: Trajectory, steps: FoundMotion) -> dict[str, Array]:
    """Return the columns of a motion with one for found contacts, and zeros for ``constraint_forces`` if that is missing."""
    n = len(trajectory)
    none = {"constraint_forces": np.zeros((n, world.n_rows))}
    return {**none, **trajectory.columns, COLUMN: touches_as_column(steps, n)}


def forces_of_numbers(world: Constrained, q: Array, table: Array) -> ContactForces:
    """Describe the contacts of one sample."""
    assert world.found_contacts is not None
    collision, law = world.found_contacts.collision, world.found_contacts.law
    colliders = table[:, :2].astype(np.int64)
    names = np.array([collider.name for collider in collision.colliders], np.str_)
    normal, force, gap, slip = table[:, 5:8], table[:, 9:12], table[:, 8], table[:, 15:18]
    friction = np.zeros(len(table)) if law == "frictionless" else table[:, 18]
    state = states_of_contacts(normal, force, slip, gap, friction, SIDES if law == "lcp" else None)
    return ContactForces(
        world.model, q, collision.bodies[colliders], names[colliders], normal, force, table[:, 2:5], gap, slip, friction,
        state, table[:, 12:15],
    )  # fmt: skip


def forces_found(world: Constrained, q: Array, touch: Touch) -> ContactForces:
    """Describe the contacts that were found in a step from the configuration q."""
    return forces_of_numbers(world, q, numbers_of(touch))


def joined_contacts(first: ContactForces, second: ContactForces) -> ContactForces:
    """Join two records of contacts; the configuration is that of the second."""
    if not len(first):
        return second
    names = ("bodies", "names", "point", "normal", "gap", "force", "slip", "friction", "state", "moment")
    parts: dict[str, Any] = {name: np.concatenate([getattr(each, name) for each in (first, second)]) for name in names}
    return ContactForces(second.model, second.q, **parts)


class FoundSamples(ContactsOfSamples):
    """Contacts of each sample of a motion, those of constraints and those that were found."""

    def __init__(self, world: Constrained, others: Sequence[ContactForces], q: Array, column: Array) -> None:
        self.world, self.others, self.q, self.column = world, others, q, column

    def at(self, sample: int) -> ContactForces:
        table = self.column[sample]
        found = forces_of_numbers(self.world, self.q[sample], table[~np.isnan(table[:, 0])])
        return joined_contacts(self.others[sample], found)

    def samples(self) -> PaddedContacts:
        return padded(list(self))


def contacts_of(world: Constrained, trajectory: Trajectory) -> ContactsOfSamples:
    """Describe the contacts of one motion in which the forces of constraints were recorded."""
    assert trajectory.q is not None
    assert trajectory.v is not None
    forces = np.asarray(trajectory.columns["constraint_forces"])
    of_rows = ContactsOfConstraints(world, trajectory.q, trajectory.v, forces)
    if COLUMN not in trajectory.columns:
        return of_rows
    return FoundSamples(world, of_rows, trajectory.q, np.asarray(trajectory.columns[COLUMN]))
