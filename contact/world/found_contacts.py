"""Worlds whose contacts are found in each step: their shapes and laws, and their memory.

A world with shapes steps one state at a time: contacts come and go, so that the problem of each step has another form.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.contact.arguments import as_choice
from pluecker.contact.constraints.checks import as_impacts, not_negative, positive
from pluecker.contact.errors import ConstraintError
from pluecker.contact.friction.problem.problem import LAWS
from pluecker.contact.geometry.collision import Collision
from pluecker.contact.piles.places import counts_of, kept_numbers, pieces_of
from pluecker.contact.piles.step import PileStep
from pluecker.contact.piles.warm_start import WIDTH, Remembered
from pluecker.contact.world.memory import WorldMemory, as_numbers_of, key_of
from pluecker.contact.world.pairs import as_colliders
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import shown

if TYPE_CHECKING:
    from pluecker.contact.world.world import World

__all__ = ["FoundContacts", "as_found_contacts", "begun_numbers", "memory_with_contacts", "pile_steps"]


FEATURES = 2.0**31  # more than a pair of shapes has, of either sign: those of the edges of hulls are below zero


@by_value()
@dataclass(frozen=True, eq=False)
class FoundContacts:
    """Shapes of a world, and the law of their contacts.

    Attributes:
        collision: the colliders.
        law: ``ncp``, Coulomb's, ``ccp``, ``lcp`` or ``frictionless``.
        impacts: ``newton`` or ``poisson``.
        recovery, recovery_speed: at which rate depths are undone, and at most at which speed; 1/s and m/s.
        accuracy: that is tolerated in a step, as ``tol`` of :func:`~pluecker.contact.solve`.
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
            "accuracy": self.accuracy,
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


def as_found_contacts(
    model: Model,
    shapes: Any,
    law: Any,
    impacts: Any,
    recovery: Any,
    recovery_speed: Any,
    accuracy: Any,
    named: bool,
    paired: bool,
) -> FoundContacts | None:
    """Check shapes and the law of their contacts; None where there are no shapes, or where the pairs that touch are named.

    Args:
        named: whether there are constraints between shapes.
        paired: whether they come from pairs of these shapes.

    Raises:
        ConstraintError: Poisson's law of impact with the convex law, in which what is returned would rub too much;
            another law than Coulomb's where no contacts are found;
            the shapes are those of another model; there are constraints between other shapes besides.
    """
    law, impacts = as_choice("World: law", law, LAWS), as_impacts("World", impacts)
    if (law, impacts) == ("ccp", "poisson"):
        raise ConstraintError("World: law is 'ccp' and impacts is 'poisson', expected 'newton' with this law")
    rate, error = not_negative("World", "recovery", recovery), positive("World", "accuracy", accuracy)
    speed = not_negative("World", "recovery_speed", recovery_speed, infinite=True)
    if isinstance(shapes, Collision) and shapes.model is not model:
        raise ConstraintError("World: shapes is a Collision of another model, expected one of the world's own")
    colliders = as_colliders(shapes)
    if paired or not colliders:
        if law != "ncp":
            raise ConstraintError(
                f"World: law is {shown(law)}, expected 'ncp': no contacts are found, those of constraints have Coulomb's law"
            )
        return None
    if named:
        raise ConstraintError(
            "World: there are shapes whose contacts are found in each step, and constraints between shapes; give all shapes "
            "as such constraints, or name the pairs that touch"
        )
    collision = shapes if isinstance(shapes, Collision) else Collision(model, colliders)
    turning = np.flatnonzero(collision.rows[:, 1:3].any(axis=1))
    if law == "lcp" and len(turning):
        raise ConstraintError(
            f"World: law is 'lcp', which knows no rolling and spinning friction, and the surface of collider "
            f"{shown(collision.colliders[turning[0]].name)} has it; use 'ncp' or 'ccp'"
        )
    return FoundContacts(collision, law, impacts, rate, speed, error)


def pile_steps(world: World, found: FoundContacts, memory: Any, threads: Any) -> PileStep:
    """Make the steps of a world, which go on from its memory."""
    law = found.law, found.impacts, found.recovery, found.recovery_speed, found.accuracy
    step = PileStep(world.smooth, world.packed, found.collision, *law, threads)
    if isinstance(memory, WorldMemory) and memory.key == key_of(world):
        step.remembered = remembered_in(memory, counts_of(world.packed.array).rotors, len(found.collision.colliders))
    return step


def remembered_in(memory: WorldMemory, rotors: int, colliders: int) -> Remembered:
    """Read the forces of contacts from a memory.

    Raises:
        ConstraintError: it has something else.
    """
    own = memory.own
    if own.ndim != 1 or len(own) < rotors or (len(own) - rotors) % WIDTH:
        raise ConstraintError(
            f"World: the memory has numbers of its own of shape {own.shape}, expected {rotors} and {WIDTH} for each contact"
        )
    table = own[rotors:].reshape(-1, WIDTH)
    names = table[:, :3]
    if not np.isfinite(own).all() or (names != np.floor(names)).any() or (names[:, :2] < 0).any():
        raise ConstraintError(
            "World: the memory names contacts by numbers that are not whole, or holds what is not finite"
        )
    if (names[:, :2] >= colliders).any() or (np.abs(names[:, 2]) >= FEATURES).any():
        raise ConstraintError(
            f"World: the memory names contacts of colliders that are not there; there are {colliders}"
        )
    return Remembered.from_numbers(own[rotors:])


def begun_numbers(world: World, q: Array, memory: Any, name: str) -> Array | None:
    """Return the numbers that the smooth part of the first step remembers; None without a memory."""
    counts = counts_of(world.packed.array)
    total = max(piece.stop for piece in pieces_of(world.model, counts).values())
    own = total - kept_numbers(counts) + counts.rotors
    if isinstance(memory, WorldMemory) and memory.key == key_of(world):
        rest = np.zeros(own)
        rest[: counts.rotors] = memory.own[: counts.rotors]
        memory = replace(memory, own=rest)
    return as_numbers_of(world, q, memory, name, own)


def memory_with_contacts(world: World, numbers: Array, step: PileStep, name: str) -> WorldMemory:
    """Make the memory of a world from the numbers of the smooth part and the contacts of the last step."""
    places = pieces_of(world.model, counts_of(world.packed.array))
    own = np.concatenate([numbers[places["rotors"]], step.remembered.numbers()])
    impulses = numbers[places["impulses"]][world.packed.place]
    return WorldMemory(key_of(world), float(numbers[0]), numbers[places["turns"]], impulses, name, own)
