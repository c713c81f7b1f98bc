"""Warm start of contacts: each finds its forces of the step before by its name, the two colliders and the feature.

Source: Catto, "Iterative dynamics with temporal coherence" (GDC 2005), on names of contacts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.contact.geometry.collision import Contacts
from pluecker.spatial.functions.elementwise import Array

__all__ = ["NOTHING", "WIDTH", "Remembered", "remembered_forces"]

WIDTH = 9  # numbers of a contact: its name, the force and the moment on the second body


class Remembered(NamedTuple):
    """Contacts of a step that had forces.

    Attributes:
        names: colliders and feature, ``(K, 3)``.
        forces: and moments of rolling and spinning friction, on the second body, ``(K, 6)``; world axes, N and N m.
    """

    names: Indices
    forces: Array

    @classmethod
    def from_numbers(cls, numbers: Array) -> Remembered:
        """Read the contacts from one array, ``(9 K,)``."""
        table = numbers.reshape(-1, WIDTH)
        return cls(table[:, :3].astype(np.int64), table[:, 3:].copy())

    def numbers(self) -> Array:
        """Pack the contacts in one array, ``(9 K,)``."""
        return np.concatenate([self.names.astype(np.float64), self.forces], axis=1).ravel()


NOTHING = Remembered(np.zeros((0, 3), np.int64), np.zeros((0, 6)))


def remembered_forces(found: Contacts, before: Remembered) -> Array:
    """Look up the force and the moment that each contact had, ``(K, 6)``; zero of those that were not there."""
    names = np.concatenate([found.colliders, found.feature[:, None]], axis=1)
    forces = np.zeros((len(names), 6))
    if not len(names) or not len(before.names):
        return forces
    least = np.minimum(names.min(axis=0), before.names.min(axis=0))
    most = np.maximum(names.max(axis=0), before.names.max(axis=0)) - least + 1
    mine, theirs = (
        ((x - least)[:, 0] * most[1] + (x - least)[:, 1]) * most[2] + (x - least)[:, 2] for x in (names, before.names)
    )
    order = np.argsort(theirs, kind="stable")
    place = order[np.minimum(np.searchsorted(theirs[order], mine), len(order) - 1)]
    same = theirs[place] == mine
    forces[same] = before.forces[place[same]]
    return forces
