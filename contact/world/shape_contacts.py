"""Contacts of a world between shapes in the samples of a motion: where kernels of pairs find them, and their forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.frames import body_number
from pluecker.contact.constraints.relation import NORMAL, ROLLING, SPINNING, TANGENT
from pluecker.contact.geometry.shape_contact import ShapeContact
from pluecker.contact.instants.touching_at import TOUCHING_AT
from pluecker.contact.rows.layout import TOUCH_FEATURE, TOUCH_GAP, TOUCH_NORMAL, TOUCH_SLOT
from pluecker.contact.world.running import run

if TYPE_CHECKING:
    from pluecker.contact.world.world import World

__all__ = ["ShapeContacts"]


class ShapeContacts:
    """Places where shapes may touch, K in each of n samples, each with body i < j.

    Args:
        world: whose constraints they are.
        q: configurations, ``(n, nq)``.
        forces: along the rows of all constraints, ``(n, n_rows)``; N.
        T, twists: placements and velocities ``[w; v]`` of all bodies and the world, in world axes, ``(n, bodies + 1, ...)``.
    """

    def __init__(self, world: World, q: Array, forces: Array, T: Array, twists: Array) -> None:
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
            self.slip = self.slip + sign * np.einsum("nkij,kj->nki", T[:, k, :3, :3], own)
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


def contact_rows(world: World, contact: ShapeContact) -> NDArray[np.int64]:
    """Find for each place the rows of normal, tangents, both rolling moments and the spinning one; -1 where there
    is none.
    """
    rows = world[contact.name].rows
    kinds = [row.contact for row in world.parts[world.names.index(contact.name)].rows]
    starts = [k for k, kind in enumerate(kinds) if kind == NORMAL]
    table = np.full((len(starts), 6), -1)
    for k, (begin, end) in enumerate(zip(starts, [*starts[1:], len(kinds)], strict=True)):
        own = kinds[begin:end]
        for wanted, place in ((NORMAL, 0), (TANGENT, 1), (ROLLING, 3), (SPINNING, 5)):
            found = [rows.start + begin + j for j, kind in enumerate(own) if kind == wanted]
            table[k, place : place + len(found)] = found
    return table


def collider_body(world: World, contact: ShapeContact, key: str) -> int:
    """Return the number of the body that carries a collider, -1 for the world."""
    return body_number(world.model, getattr(contact, key).frame.name)


def surface_velocity(world: World, contact: ShapeContact, key: str) -> Array:
    """Compute the velocity of the surface of a collider against its body, in axes of the body."""
    collider = getattr(contact, key)
    return np.asarray(collider.on_body(world.model)[:3, :3] @ collider.surface.velocity)


def velocity_at(T: Array, twists: Array, bodies: Any, points: Array) -> Array:
    """Compute the velocity of the material of bodies at points, ``(n, K, 3)``; world axes."""
    own = twists[:, bodies]
    return np.asarray(own[..., 3:] + np.cross(own[..., :3], points - T[:, bodies][..., :3, 3]))
