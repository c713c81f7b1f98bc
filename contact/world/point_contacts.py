"""The contacts of a world's constraints in the samples of a motion, from where bodies are and the forces along rows: of
points, and of shapes (:mod:`~pluecker.contact.world.shape_contacts`).

The second body has at the point x the velocity ``v_2 = w_2 x (x - o_2) + v(o_2)``, likewise the first; the slip is their
difference, the force ``r_n z + r_x x + r_y y`` along the axes of the plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.frames.forward_kinematics import body_velocities, forward_kinematics
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.frames import body_number
from pluecker.contact.constraints.point_contact import PointContact
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.rows.contact_friction import CREEP, EDGE
from pluecker.contact.rows.touching import NO_CONTACT
from pluecker.contact.world.contact_forces import ContactForces, states_of_contacts
from pluecker.contact.world.contact_overlays import ContactSamples
from pluecker.contact.world.shape_contacts import ShapeContacts, velocity_at

if TYPE_CHECKING:
    from pluecker.articulated.model.model import Model
    from pluecker.contact.world.world import World

__all__ = ["ContactsOfSamples", "PointContacts"]


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

    def samples(self) -> ContactSamples:
        """Collect the contacts of all samples, for pictures."""
        raise NotImplementedError


class PointContacts(ContactsOfSamples):
    """Contacts of a world's constraints in each sample; all samples are computed together.

    Args:
        world: whose constraints they are.
        q, v: states at the end of steps, ``(n, nq)`` and ``(n, nv)``.
        forces: along the rows of all constraints, mean values over these steps, ``(n, n_rows)``; N.
        after: configurations to which v belongs, where that is not q, ``(n, nq)``.
    """

    def __init__(self, world: World, q: Array, v: Array, forces: Array, after: Array | None = None) -> None:
        self.model, self.q = world.model, q
        handles = [world[each.name] for each in world.constraints if isinstance(each, PointContact)]
        records = [each for each in world.constraints if isinstance(each, PointContact)]
        n, K = len(q), len(handles)
        T, V = motions(self.model, q, v, q if after is None else after)
        first, second = (self.on_bodies([getattr(r, key) for r in records]) for key in ("first", "second"))
        plane = T[:, first[0]] @ first[1]
        R = plane[..., :3, :3]
        radius = np.array([record.radius for record in records])
        middle = (T[:, second[0]] @ second[1])[..., :3, 3]
        self.normal = R[..., 2].copy()
        self.gap = np.einsum("nki,nki->nk", middle - plane[..., :3, 3], self.normal) - radius
        self.point = middle - radius[:, None] * self.normal
        rows = np.array([np.arange(each.rows.start, each.rows.stop) for each in handles], np.int64).reshape(K, 3)
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
        shapes = ShapeContacts(world, q, forces, T, V)
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

    def samples(self) -> ContactSamples:
        """Collect the contacts of all samples, for pictures."""
        point = np.where(self.there[..., None], self.point, np.nan)
        return ContactSamples(point, self.normal, self.force, self.friction, np.where(self.there, self.state, ""))

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
