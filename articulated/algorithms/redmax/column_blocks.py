"""Plan by which inverse dynamics are differentiated: the links that steps of a few joint coordinates affect.

A step of a joint's coordinate or velocity moves the links that it carries, and changes the forces through them and through
all links between it and the world. Eight directions are computed at once: q and v of four coordinates, neighbours in the
tree, so that few links are concerned. The plan is one array of integers: how many blocks there are, where each begins, then
of each block its lists.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from pluecker.articulated.model.layout import COUNT, INTEGERS_OF_LINK, IV, PARENT
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load_integer, tail

__all__ = [
    "AMONG",
    "BESIDE",
    "CARRIED",
    "COORDINATES",
    "MOVED",
    "ROWS",
    "block",
    "block_count",
    "entry",
    "length",
    "plan_blocks",
]

# The lists of a block: its coordinates; the links whose joint has one of them; the links that these carry, they themselves
# too, parents first; what carries one of those and is none of them, the world perhaps; the links between these and the
# world, children first; the coordinates of all these links. A block begins with the places of its lists, and of their end.
COORDINATES, MOVED, CARRIED, BESIDE, AMONG, ROWS = range(6)
LISTS = 6
TOGETHER = 4  # coordinates of a block


@kernel
def block_count(c):
    """Return how many blocks there are"""
    return load_integer(c, 0)


@kernel
def block(c, b):
    """Return the part of the plan for block ``b``"""
    return tail(c, load_integer(c, 1 + b))


@kernel
def length(plan, which):
    """Return how many entries a list of a block has"""
    return load_integer(plan, which + 1) - load_integer(plan, which)


@kernel
def entry(plan, which, k):
    """Entry ``k`` of a list of a block"""
    return load_integer(plan, load_integer(plan, which) + k)


def plan_blocks(model: Model) -> Array:
    """Make the plan, as integers in an array of floats."""
    links = model.links[:, INTEGERS_OF_LINK].astype(int)
    parent, n = links[:, PARENT].tolist(), model.n_links
    own: list[list[int]] = [[]]
    own += [list(range(links[i, IV], links[i, IV] + links[i, COUNT])) for i in range(1, n + 1)]
    movers: dict[int, list[int]] = {}  # of each coordinate, the links that it moves directly
    for i in range(1, n + 1):
        for v in own[i]:
            movers.setdefault(v, []).append(i)
    order = list(dict.fromkeys(v for i in depth_first(parent) for v in own[i]))
    blocks = []
    for first in range(0, len(order), TOGETHER):
        chosen = order[first : first + TOGETHER]
        moved = sorted({i for v in chosen for i in movers[v]})
        carried = descendants(parent, moved)
        beside = sorted({parent[i] for i in carried} - set(carried))
        among = sorted({a for i in beside for a in ancestors(parent, i)}, reverse=True)
        rows = list(dict.fromkeys(v for i in (*carried, *among) for v in own[i]))
        blocks.append(packed([chosen, moved, carried, beside, among, rows]))
    starts = itertools.accumulate((len(entries) for entries in blocks), initial=1 + len(blocks))
    numbers = [len(blocks), *itertools.islice(starts, len(blocks)), *itertools.chain.from_iterable(blocks)]
    return np.array(numbers, dtype=np.int64).view(np.float64)


def packed(lists: list[list[int]]) -> list[int]:
    """Concatenate lists, behind the index of the beginning of each, and that of the end of the last."""
    places = itertools.accumulate(map(len, lists), initial=LISTS + 1)
    return [*places, *itertools.chain.from_iterable(lists)]


def depth_first(parent: list[int]) -> Iterable[int]:
    """Yield all links in depth-first order, each followed by those that it carries."""
    children: list[list[int]] = [[] for _ in parent]
    for i in range(len(parent) - 1, 0, -1):
        children[parent[i]].append(i)
    waiting = list(children[0])
    while waiting:
        i = waiting.pop()
        yield i
        waiting += children[i]


def descendants(parent: list[int], moved: list[int]) -> list[int]:
    """Return the links in ``moved`` and all that they carry, parents first."""
    inside = set(moved)
    for i in range(min(moved), len(parent)):
        if parent[i] in inside:
            inside.add(i)
    return sorted(inside)


def ancestors(parent: list[int], i: int) -> Iterable[int]:
    """Yield a link and all links between it and the world."""
    while i > 0:
        yield i
        i = parent[i]
