"""Pairs of colliders that may touch: not those of one body, of a body and its parent, or of groups that ignore each other.

The world itself is nobody's parent: what is on a rail or hangs on a hinge touches the floor. A link that is fixed to the
world, such as the base of a robot, is one, and ignores the links that it carries.

Kernels read the rules as integers, one after the other:

=====================  =================================================================================================
integers               what they are
=====================  =================================================================================================
0 to 3                 how many colliders there are, words of groups, unwanted pairs, families
of each collider       its body, -1 of the world; whether its frame is not ``"world"``; bits of its groups, then of those
                       that it ignores
unwanted pairs         their keys, in order
families               keys of a body and the one that carries it, in order
=====================  =================================================================================================
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
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point, kernel
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.scalars.operations import load, store
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, UnknownNameError, shown
from pluecker.spatial.properties import cached_property

__all__ = ["Filter", "body_of", "may_touch"]

Pairs = NDArray[np.int64]
COUNT, WORDS, N_UNWANTED, N_FAMILIES, HEADER = 0, 1, 2, 3, 4  # places among the rules
BODY, CARRIED, GROUPS = 0, 1, 2  # places in the record of a collider
BITS = 62  # of a word


@called_kernel
def is_among(rules, first, count, key):
    """Return whether a key is among so many that are in order"""
    low, high = first, first + count
    while low < high:
        middle = (low + high) // 2
        if load(rules, middle) < key:
            low = middle + 1
        else:
            high = middle
    return low < first + count and load(rules, low) == key


@kernel
def body_of(rules, i):
    """Load the body of a collider, -1 of the world"""
    return load(rules, HEADER + (GROUPS + 2 * load(rules, WORDS)) * i + BODY)


@called_kernel
def may_touch(rules, i, j):
    """Return whether colliders i < j may touch"""
    words = load(rules, WORDS)
    stride = GROUPS + 2 * words
    first, second = HEADER + stride * i, HEADER + stride * j
    a, b = load(rules, first + BODY), load(rules, second + BODY)
    if a == b:
        return False
    for k in range(GROUPS, GROUPS + words):
        one = load(rules, first + k) & load(rules, second + k + words)
        other = load(rules, first + k + words) & load(rules, second + k)
        if (one | other) != 0:
            return False
    unwanted, place = load(rules, N_UNWANTED), HEADER + stride * load(rules, COUNT)
    if unwanted > 0 and is_among(rules, place, unwanted, i * load(rules, COUNT) + j):
        return False
    if load(rules, first + CARRIED) + load(rules, second + CARRIED) < 2:
        return True
    return not is_among(rules, place + unwanted, load(rules, N_FAMILIES), (min(a, b) + 1) * (1 << 31) + max(a, b) + 1)


def store_allowed(rules, pairs, out):
    """Store 1 for each pair that may touch, else 0; ``pairs`` are two integers each"""
    rules, pairs, out = view(rules), view(pairs), view(out)
    for k in range(len(out)):
        i, j = load(pairs, 2 * k), load(pairs, 2 * k + 1)
        store(out, k, 1 if may_touch(rules, min(i, j), max(i, j)) else 0)


store_allowed = entry_point(store_allowed)


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

    @cached_property
    def rules(self) -> NDArray[np.int64]:
        """The rules as kernels read them."""
        words = self.groups.shape[1]
        head = [self.count, words, len(self.unwanted), len(self.families)]
        records = np.column_stack([self.bodies, self.carries, self.groups, self.ignores])
        return np.concatenate([head, records.ravel(), self.unwanted, self.families]).astype(np.int64)

    def __call__(self, pairs: Pairs) -> Pairs:
        """Return the pairs that may touch."""
        kept = np.zeros(len(pairs), np.int64)
        if len(pairs):
            store_allowed(self.rules, np.ascontiguousarray(pairs).ravel(), kept)
        return pairs[kept > 0]


def packed(names: Sequence[tuple[str, ...]], groups: list[str]) -> NDArray[np.int64]:
    """Pack which groups are named, a bit for each group, ``(n, words)``."""
    place = {name: k for k, name in enumerate(groups)}
    table = np.zeros((len(names), -(-len(groups) // BITS)), np.int64)
    for row, own in zip(table, names, strict=True):
        for name in own:
            row[place[name] // BITS] |= 1 << place[name] % BITS
    return table


def body_key(a: int, b: int) -> int:
    """Return one number for a pair of bodies, -1 being the world."""
    return (min(a, b) + 1) * (1 << 31) + max(a, b) + 1


def families(model: Model) -> list[int]:
    """Return the keys of all pairs of a body and the one that carries it; a free body is nobody's child."""
    bodies = {name: k for k, name in enumerate(model.body_names)}
    return [
        body_key(bodies.get(joint.parent, -1), bodies[joint.child])
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
