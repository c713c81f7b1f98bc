"""One member of a family: bodies, what touches, and the friction problem of the next step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.tables.assembly import assemble_contacts
from pluecker.contact.friction.tables.bodies import Bodies
from pluecker.contact.friction.tables.table import ContactTable, Rows
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.properties import cached_property

__all__ = ["GRAVITY", "Scene", "inward_normal", "pairs_within", "with_ground"]

GRAVITY = 9.81


@dataclass(frozen=True, eq=False)
class Scene:
    """A problem of a family, as a generator returns it.

    Attributes:
        family: its name.
        seed: of all that is random.
        parameters: those of the generator that this member was made with.
        bodies: body 0 does not move; their wrench has the weight in it.
        table: contacts.
        step: h, s.
        rows: joints, limits and motors, None where there are none.
    """

    family: str
    seed: int
    parameters: Mapping[str, Any]
    bodies: Bodies
    table: ContactTable
    step: float
    rows: Rows | None = None

    @property
    def name(self) -> str:
        """Name of the member, for tables."""
        return f"{self.family}, {len(self.table)} contacts, seed {self.seed}"

    @cached_property
    def problem(self) -> Problem:
        """Friction problem of the next step; its operator is held as factors, so that 100,000 contacts fit."""
        return assemble_contacts(self.bodies, self.table, self.step, self.rows)


def with_ground(
    mass: Array, inertia: Array, position: Array, velocity: Array, orientation: Array | None = None, tilt: float = 0.0
) -> Bodies:
    """Bodies under gravity, after one that does not move and has the number 0; ``tilt``: of gravity, towards x, rad."""
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (len(mass), 1)) if orientation is None else orientation
    return Bodies(
        np.concatenate([[np.inf], mass]), np.concatenate([np.zeros_like(inertia[:1]), inertia]),
        np.concatenate([np.zeros((1, 3)), position]), np.concatenate([[[1.0, 0.0, 0.0, 0.0]], turned]),
        np.concatenate([np.zeros((1, 6)), velocity]),
    ).with_gravity((GRAVITY * np.sin(tilt), 0.0, -GRAVITY * np.cos(tilt)))  # fmt: skip


def pairs_within(place: Array, reach: float) -> NDArray[np.int64]:
    """Return the pairs of points that are nearer to each other than that, ``(n, 2)``, in ascending order."""
    pairs = cKDTree(place).query_pairs(reach, output_type="ndarray").astype(np.int64)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def inward_normal(axis: int, side: float) -> Array:
    """Return the normal, into a box with a corner at the origin, of its wall where the coordinate of an axis is ``side``."""
    return np.where(np.arange(3) == axis, 1.0 if side == 0.0 else -1.0, 0.0)
