"""Shapes of a world, and what holds for contacts between them: the only list of these options."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from pluecker.contact.geometry.collision import Collision
from pluecker.spatial.equality import by_value

__all__ = ["WorldShapes"]


@by_value()
@dataclass(frozen=True, eq=False)
class WorldShapes:
    """Shapes of a world, and the law of their contacts.

    Attributes:
        collision: the colliders.
        law: ``ncp``, Coulomb's, ``ccp``, ``lcp`` or ``frictionless``.
        impacts: ``newton`` or ``poisson``.
        recovery, recovery_speed: at which rate depths are undone, and at most at which speed; 1/s and m/s.
        accuracy: the error of the law that is tolerated in a step, see :class:`~pluecker.contact.World`.
    """

    collision: Collision
    law: str
    impacts: str
    recovery: float
    recovery_speed: float
    accuracy: float

    def options(self, collision: Collision | None = None) -> dict[str, Any]:
        """Return the arguments that make a world with these shapes and laws, or with other colliders."""
        return {
            "shapes": self.collision if collision is None else collision,
            "law": self.law,
            "impacts": self.impacts,
            "recovery": self.recovery,
            "recovery_speed": self.recovery_speed,
        }

    def key(self) -> bytes:
        """Compute a hash that tells these shapes and laws from others."""
        names = "\n".join(repr((each.name, each.groups, each.ignores)) for each in self.collision.colliders)
        found = hashlib.sha256(f"{self.law} {self.impacts} {names}".encode())
        touch = self.collision
        numbers = (self.recovery, self.recovery_speed, self.accuracy, touch.margin)
        for array in (
            touch.kinds,
            touch.bodies,
            touch.sizes,
            touch.offsets,
            touch.rows,
            touch.velocities,
            np.array(numbers),
        ):
            found.update(np.ascontiguousarray(array).tobytes())
        for collider in touch.colliders:
            found.update(np.ascontiguousarray(getattr(collider.shape, "vertices", ())).tobytes())
        return found.digest()
