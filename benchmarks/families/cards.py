"""Houses of cards: pairs of cards that lean against one another, flat cards on them, and more pairs on those."""

from __future__ import annotations

import numpy as np

from benchmarks.families.scene import Scene, with_ground
from benchmarks.families.stacks import box_inertia
from pluecker.contact.friction.tables.table import ContactTable

__all__ = ["house_of_cards"]

LENGTH, WIDTH, THICKNESS, MASS = 0.09, 0.06, 3e-4, 2e-3
LEAN = np.radians(20.0)  # from the vertical
FREE = 2e-3  # between the feet of neighbours, half of it, m
FLOORS = 12  # at most
STEP = 2e-3


def house_of_cards(contacts: int, seed: int = 0, *, friction: float = 0.6, step: float = STEP) -> Scene:
    """One step of a house of cards, each storey one pair narrower than the one below, twelve storeys at most.

    A pair has two contacts at each foot and two where the cards lean against one another; a flat card lies on two
    pairs, with two contacts on each. Cards move with some millimetres a second, as if somebody had touched the table.

    Args:
        contacts: the house is the smallest that has as many; 6 at least.
        seed: of velocities, and of friction, which differs by a tenth.
        friction: its mean. A house without flat cards on top stands from tan(20 degrees) = 0.36 on.
        step: s.
    """
    rng = np.random.default_rng(seed)
    width = 1
    while sum(10 * n - 4 for n in storeys(width)) < contacts:
        width += 1
    s, c = LENGTH * np.sin(LEAN), LENGTH * np.cos(LEAN)
    pitch, place, angle = 2.0 * (s + FREE), [], []
    pairs, normal, point = [], [], []
    up, aside, ends = [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], 0.5 * WIDTH * np.array([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]])

    def touch(of: tuple[int, int], way: list[float], where: list[float]) -> None:
        """Two contacts, at both ends of an edge."""
        pairs.extend([of] * 2)
        normal.extend([way] * 2)
        point.extend(where + ends)

    flat: list[int] = []  # the flat cards of the storey below
    for level, count in enumerate(storeys(width)):
        z, below, above, right = level * c, flat, [], 0
        for k in range(count):
            x, left = pitch * (k + 0.5 * level), len(place) + 1
            place += [[x - 0.5 * s, 0.0, z + 0.5 * c], [x + 0.5 * s, 0.0, z + 0.5 * c]]
            angle += [LEAN - 0.5 * np.pi, -LEAN - 0.5 * np.pi]  # about y, of the direction from foot to top
            on = below[k] if level else 0
            touch((on, left), up, [x - s, 0.0, z])
            touch((on, left + 1), up, [x + s, 0.0, z])
            touch((left, left + 1), aside, [x, 0.0, z + c])
            if k > 0:
                above.append(len(place) + 1)
                place.append([x - 0.5 * pitch, 0.0, z + c])
                angle.append(0.0)
                touch((right, above[-1]), up, [x - pitch, 0.0, z + c])
                touch((left, above[-1]), up, [x, 0.0, z + c])
            right = left + 1
        flat = above
    n, half = len(place), 0.5 * np.array(angle)
    turned = np.column_stack([np.cos(half), np.zeros(n), np.sin(half), np.zeros(n)])
    mass = np.full(n, MASS)
    bodies = with_ground(
        mass, box_inertia(mass, np.array([LENGTH, WIDTH, THICKNESS])), np.array(place),
        5e-3 * rng.normal(size=(n, 6)), turned,
    )  # fmt: skip
    mu = friction * rng.uniform(0.9, 1.1, len(pairs))
    table = ContactTable.ordered(np.array(pairs), np.array(normal), np.array(point), friction=mu)
    return Scene("cards", seed, {"friction": friction, "step": step}, bodies, table, step)


def storeys(width: int) -> list[int]:
    """Pairs in each storey of a house that stands on so many."""
    return [width - level for level in range(min(width, FLOORS))]
