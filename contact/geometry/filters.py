"""Pairs of colliders that may touch: not those of one body, of a body and its parent, or of groups that ignore each other.

The world itself is nobody's parent: what is on a rail or hangs on a hinge touches the floor. A link that is fixed to the
world, such as the base of a robot, is one, and ignores the links that it carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.description import WORLD
from pluecker.articulated.model.model import Model
from pluecker.contact.arguments import can_be_listed
from pluecker.contact.geometry.surfaces import Collider
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, UnknownNameError, shown

__all__ = ["Filter"]

Pairs = NDArray[np.int64]


@by_value("bodies", "names", "unwanted", "families", "groups", "ignores", "carries")
class Filter:
    """Filter of pairs of colliders: it keeps those that may touch."""

    def __init__(
        self,
        label: str,
        model: Model,
        colliders: Sequence[Collider],
        bodies: NDArray[np.int64],
        ignored: Any,
        adjacent: bool,
    ) -> None:
        self.bodies = bodies
        self.names = {collider.name: k for k, collider in enumerate(colliders)}
        self.count = len(colliders)
        unwanted = named_pairs(label, self.names, ignored)
        self.unwanted = np.unique([self.key(*pair) for pair in unwanted]).astype(np.int64)
        self.families = np.unique([] if adjacent else families(model)).astype(np.int64)
        groups = sorted({name for collider in colliders for name in (*collider.groups, *collider.ignores)})
        self.carries = np.array([each.frame.name != WORLD for each in colliders], bool)
        self.groups = packed([each.groups for each in colliders], groups)
        self.ignores = packed([each.ignores for each in colliders], groups)

    def key(self, i: Any, j: Any) -> Any:
        """Return one number for a pair of colliders, in whatever order."""
        return np.minimum(i, j) * self.count + np.maximum(i, j)

    def is_ignored(self, first: str, second: str) -> bool:
        """Return whether these two are named among those that do not touch."""
        return bool(np.isin(self.key(self.names[first], self.names[second]), self.unwanted))

    def __call__(self, pairs: Pairs) -> Pairs:
        """Return the pairs that may touch."""
        i, j = pairs[:, 0], pairs[:, 1]
        a, b = self.bodies[i], self.bodies[j]
        left = a != b
        left &= ~((self.ignores[i] & self.groups[j]) | (self.ignores[j] & self.groups[i])).any(axis=1)
        if len(self.unwanted):
            left &= ~np.isin(self.key(i, j), self.unwanted)
        if len(self.families):
            left &= ~(np.isin(body_key(a, b), self.families) & self.carries[i] & self.carries[j])
        return pairs[left]


def packed(names: Sequence[tuple[str, ...]], groups: list[str]) -> NDArray[np.uint8]:
    """Pack which groups are named, a bit for each group, ``(n, bytes)``."""
    place = {name: k for k, name in enumerate(groups)}
    table = np.zeros((len(names), len(groups)), bool)
    for row, own in zip(table, names, strict=True):
        row[[place[name] for name in own]] = True
    return np.packbits(table, axis=1)


def body_key(a: Any, b: Any) -> Any:
    """Return one number for a pair of bodies, -1 being the world."""
    return (np.minimum(a, b) + 1) * (1 << 31) + np.maximum(a, b) + 1


def families(model: Model) -> list[int]:
    """Return the keys of all pairs of a body and the one that carries it; a free body is nobody's child."""
    bodies = {name: k for k, name in enumerate(model.body_names)}
    return [
        int(body_key(bodies.get(joint.parent, -1), bodies[joint.child]))
        for joint in model.joints
        if joint.type != "free" and joint.child in bodies
    ]


def named_pairs(label: str, names: dict[str, int], given: Any) -> list[tuple[int, int]]:
    """Look up the numbers of colliders that are given by name, two by two."""
    if not can_be_listed(given):
        raise ArgumentTypeError(f"{label}: ignored is {shown(given)}, expected pairs of names of colliders")
    found = []
    for pair in given:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise ArgumentTypeError(f"{label}: ignored holds {shown(pair)}, expected two names of colliders")
        for name in pair:
            if name not in names:
                known = ", ".join(map(shown, list(names)[:10]))
                raise UnknownNameError(f"{label}: ignored: no collider {shown(name)}; there are {known}")
        found.append((names[pair[0]], names[pair[1]]))
    return found
