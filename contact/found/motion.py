"""One motion of a world with shapes: its plan, the room of its steps, and what touched in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.running.arguments import Array
from pluecker.contact.found import layout
from pluecker.contact.found.outside import Outside
from pluecker.contact.found.plan import Plan
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.contact.friction.tables.table import contact_frames
from pluecker.contact.geometry.contacts import contacts_in
from pluecker.contact.geometry.finding import table

__all__ = ["FoundMotion", "Look", "Touch", "look_at", "touch_of"]


@dataclass(frozen=True, eq=False)
class Touch:
    """Contacts of a step, with their forces.

    Attributes:
        colliders: the two of each, by number, ``(K, 2)``.
        point, normal, gap: in the configuration at the beginning of the step; world axes, m.
        force, moment: on the second body, mean over the step, ``(K, 3)``; world axes, N and N m.
        slip: velocity of the second body against the first one at the point, at the end of the step, ``(K, 3)``; m/s.
        friction: Coulomb's coefficient that was in force, ``(K,)``.
    """

    colliders: Indices
    point: Array
    normal: Array
    gap: Array
    force: Array
    moment: Array
    slip: Array
    friction: Array

    def __len__(self) -> int:
        return len(self.gap)


@dataclass(eq=False)
class FoundMotion:
    """Motion of a world with shapes: what its steps share with Python.

    Attributes:
        plan: the shapes.
        pack: makes a scenario with a packed plan.
        threads: for problems that steps do not solve.
        every: of so many steps what touched in the first one is kept; none if 0.
        kept: what touched in these, a list, or what they are appended to as to one.
    """

    plan: Plan
    pack: Callable[[Array], Array]
    threads: int | None = None
    every: int = 0
    kept: Any = field(default_factory=list)
    taken: int = 0
    look: Look | None = None

    def __post_init__(self) -> None:
        self.outside = Outside(self.plan, self.threads)

    def scenario(self) -> Array:
        """Pack the scenario, with as much room as there is."""
        return self.pack(self.outside.packed_plan())

    def grow(self) -> Array | None:
        """Return a scenario with more room, if the last steps found too little."""
        return self.scenario() if self.outside.grow() else None

    def watch(self) -> None:
        """Look at what touched in the last step, and keep it, if its turn is to be kept."""
        self.look = look_at(self.outside)
        if self.every and self.taken % self.every == 0:
            self.kept.append(touch_of(self.look))
        self.taken += 1

    @property
    def touch(self) -> Touch | None:
        """Contacts of the last step that was looked at; None before the first."""
        return None if self.look is None else touch_of(self.look)


class Look(NamedTuple):
    """Copies of what a step leaves of its contacts, from which :func:`touch_of` computes them when they are asked for."""

    integers: Indices
    numbers: Array
    impulses: Array
    speed: Array
    friction: Array
    step: float


def look_at(outside: Outside) -> Look:
    """Copy the contacts of the last step from its workspace."""
    integers, numbers, impulses, speed, friction, answer = outside.last_table()
    K = integers.item(0)
    m = outside.plan.size * K
    return Look(
        integers[: 1 + table.INTEGERS * K].copy(), numbers[: table.NUMBERS * K].copy(),
        impulses[:m].copy(), speed[:m].copy(), friction[: 3 * K].copy(), answer.item(layout.STEP),
    )  # fmt: skip


def touch_of(look: Look) -> Touch:
    """Compute the contacts of a step."""
    found, friction = contacts_in(look.integers, look.numbers), look.friction[::3]
    K = len(friction)
    size = len(look.speed) // max(K, 1)
    frames, r = contact_frames(found.normal), look.impulses.reshape(K, size) / look.step
    slip = np.einsum("kij,ki->kj", frames, look.speed.reshape(K, size)[:, :3]) if K else np.zeros((0, 3))
    force = np.einsum("kij,ki->kj", frames, r[:, :3]) if K else np.zeros((0, 3))
    moment = np.zeros((K, 3))
    for a in range(3, size):
        moment += r[:, a, None] * frames[:, (a - 2) % 3]
    return Touch(found.colliders, found.point, found.normal, found.gap, force, moment, slip, friction)
