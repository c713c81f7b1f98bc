"""The contacts of a configuration: a record of columns, and the table in memory of which these are views."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.friction.tables.table import ContactTable, contact_frames
from pluecker.contact.geometry.finding import table
from pluecker.spatial.equality import by_value
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.properties import cached_property

__all__ = ["Contacts", "contacts_in"]

Integers = NDArray[np.int64]


@by_value()
@dataclass(frozen=True, eq=False)
class Contacts:
    """Table of K contacts in a fixed order: where colliders touch, or nearly do.

    Attributes:
        bodies: the two bodies i < j of the model, ``(K, 2)``; -1 is the world, or what is fixed to it.
        colliders: the two colliders, that of body i first, ``(K, 2)``: numbers in ``Collision.colliders``.
        feature: which corners, edges or faces of these touch, ``(K,)``. With both colliders it is the contact's name:
            it is the same in the next step, if the same features touch there, so that multipliers can be taken over.
        normal: from i to j, of unit length, ``(K, 3)``; world axes.
        tangents: two unit vectors across it, ``(K, 2, 3)``, those of :func:`~pluecker.contact.contact_frames`.
        point: half-way between both surfaces, ``(K, 3)``; world, m. The points on the surfaces are ``point -+ gap/2
            normal``.
        gap: the distance of the surfaces along the normal, negative where they penetrate, ``(K,)``; m.
        friction: coefficients of Coulomb, rolling and spinning friction, ``(K, 3)``; 1, m, m.
        restitution: Newton's coefficient, or Poisson's, ``(K,)``.
        stiffness: ``(K,)``, N/m; infinite where both surfaces are rigid.
        damping: ``(K,)``, N s/m.
        surface_velocity: of the material of j against that of i where neither body moves, ``(K, 3)``; world axes, m/s. The
            part across the normal is what moves.
        kinetic_friction: Coulomb's coefficient of what slides, ``(K,)``.
    """

    bodies: Integers
    colliders: Integers
    feature: Integers
    normal: Array
    point: Array
    gap: Array
    friction: Array
    restitution: Array
    stiffness: Array
    damping: Array
    surface_velocity: Array
    kinetic_friction: Array

    def __len__(self) -> int:
        """Return the number of contacts, K."""
        return len(self.gap)

    @cached_property
    def tangents(self) -> Array:
        """Two unit vectors across each normal, ``(K, 2, 3)``."""
        return contact_frames(self.normal)[:, 1:]

    def table(self) -> ContactTable:
        """Convert to the table of :func:`~pluecker.contact.assemble_contacts`: the world is body 0, body k of the model k +
        1.

        Stiffness, damping, surface velocities and the friction of what slides are not part of it.
        """
        columns = 3 if self.friction[:, 2].any() else 2 if self.friction[:, 1].any() else 1
        friction = self.friction[:, 0] if columns == 1 else self.friction[:, :columns]
        return ContactTable(
            self.bodies + 1, self.normal, self.point, self.gap, friction=friction, restitution=self.restitution
        )


def contacts_in(integers: Integers, numbers: Array) -> Contacts:
    """View the contacts of a table in its memory, see :mod:`~pluecker.contact.geometry.finding.table`."""
    K, i, f = int(integers[0]), integers[1:], numbers
    return Contacts(
        i[table.BODIES * K : table.COLLIDERS * K].reshape(K, 2),
        i[table.COLLIDERS * K : table.FEATURE * K].reshape(K, 2),
        i[table.FEATURE * K :],
        f[table.NORMAL * K : table.POINT * K].reshape(K, 3),
        f[table.POINT * K : table.GAPS * K].reshape(K, 3),
        f[table.GAPS * K : table.FRICTION * K],
        f[table.FRICTION * K : table.RESTITUTION * K].reshape(K, 3),
        f[table.RESTITUTION * K : table.STIFFNESS * K],
        f[table.STIFFNESS * K : table.DAMPING * K],
        f[table.DAMPING * K : table.SURFACE_VELOCITY * K],
        f[table.SURFACE_VELOCITY * K : table.KINETIC_FRICTION * K].reshape(K, 3),
        f[table.KINETIC_FRICTION * K :],
    )
