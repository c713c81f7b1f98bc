"""The trees of a mechanism, and the tree of its coordinates: what the inertia matrix H looks like before it is computed.

Bodies on different trees do not feel each other: H has a block for each tree and nothing else. Inside a tree, two
coordinates meet in H only if one of them is on the way from the other to the world (branch-induced sparsity). Each
coordinate has a *row*: the rows are numbered from the root on, tree after tree, so that a row comes after its *ancestors*,
and the packed matrix holds, row after row, the entries with each ancestor, the root first, and the diagonal entry last. So
an entry is found from the row of the later coordinate and the depth of the earlier. The factors of ``H = L^T D L`` have
their entries in the same places: eliminating the last row first fills none.

Mimic joints make several joints share a coordinate; trees that share one count as one. There, elimination does fill places
between branches, and the ancestors of a row are all rows that it can meet then, on one path to the root again: those
of the elimination tree of the sparse Cholesky factorisation.

Sources: RBDA sections 6.4 and 6.5; Featherstone (2005); for the elimination tree Liu (1990), "The role of elimination
trees in sparse factorization".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model import layout
from pluecker.spatial.equality import by_value

__all__ = [
    "CoordinateTree",
    "Tree",
    "ancestor_table",
    "coordinate_tree",
    "factor_sizes",
    "list_trees",
    "packed_pairs",
    "row_table",
    "tree_table",
]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

# What one factorisation and one solution need of each method, in products with a sum, so that the cheaper one is chosen for
# each tree. By the packed matrix: of each link its place and inertia seen from the root, of each freedom I S, of each pair
# S^T F and twice a product with L; each pivot updates half the square of its depth. By sweeps: of each link the transforms
# of its articulated inertia and from the root, of each freedom U, D, the update by U D^-1 U^T, and four products of six.
# Counted in the kernels, then weighed by measured times, since not all of them wait for memory alike: batches of chains
# of 10 and 100 and of four robots on one core. Chains of up to 26 hinges are packed, and so are nearly all robots: their
# branches make the packed matrix smaller, and the inverse by sweeps slower.
PACKED_LINK, PACKED_FREEDOM, PACKED_PAIR, PACKED_UPDATE = 100.0, 50.0, 8.0, 1.75
SWEEPS_LINK, SWEEPS_FREEDOM = 350.0, 120.0


@by_value()
@dataclass(frozen=True, eq=False)
class Tree:
    """One tree of a mechanism: bodies that share no coordinate with others.

    Attributes:
        root: the body that the world carries, by name; the first, where mimic joints tie several trees together.
        bodies: the moving bodies of the tree, in the order of the links: a parent before its children.
        links: the numbers of its links; those inside composite joints are among them.
        v: where its coordinates are in v, in the order of their rows.
    """

    root: str
    bodies: tuple[str, ...]
    links: Integers
    v: Integers


@dataclass(frozen=True, eq=False)
class CoordinateTree:
    """The rows of the inertia matrix, from root to leaf, tree after tree.

    Attributes:
        v: the coordinate of each row, as its place in v.
        parent: the next row on the way to the root, -1 at a root.
        depth: how many ancestors a row has.
        place: where the row begins in the packed matrix; its diagonal entry is at ``place + depth``.
        row_of_freedom: the row of each freedom; those of mimic joints share one.
        tree_of_link: the number of the tree of each link; the world's is -1.
        first_row: the first row of each tree, and nv at the end.
        sweeps: for each tree, whether the sweeps of the articulated-body algorithm solve it with fewer operations than
            the factor of its matrix.
        shared: whether any freedoms share a row.
    """

    v: Integers
    parent: Integers
    depth: Integers
    place: Integers
    row_of_freedom: Integers
    tree_of_link: Integers
    first_row: Integers
    sweeps: NDArray[np.bool_]
    shared: bool

    @property
    def pairs(self) -> int:
        """Number of entries of the packed matrix."""
        return int((self.depth + 1).sum())


def coordinate_tree(links: Array) -> CoordinateTree:
    """Build from the link records of a model; in time proportional to their number if there are no mimic joints."""
    records = links[1:, layout.INTEGERS_OF_LINK].astype(np.int64)
    parents, count, first = records[:, layout.PARENT], records[:, layout.COUNT], records[:, layout.FIRST]
    freedoms = int(count.sum())
    link = np.repeat(np.arange(1, len(links)), count)  # of each freedom
    coordinate = records[link - 1, layout.IV] + np.arange(freedoms) - first[link - 1]
    number = tree_numbers(parents, link, coordinate)
    # rows: tree by tree, the coordinates in the order in which they come first
    order = np.argsort(number[link], kind="stable")
    _, seen = np.unique(coordinate[order], return_index=True)
    v = coordinate[order][np.sort(seen)]
    row_of = np.empty(len(v), dtype=np.int64)
    row_of[v] = np.arange(len(v))
    rows = row_of[coordinate]
    before = last_freedoms(parents, count, first, link)  # the freedom before each, on the way to the world
    shared = len(v) < freedoms
    if shared:
        parent = eliminate(rows, before, len(v))
    else:
        parent = np.full(len(v), -1)
        parent[rows[before >= 0]] = rows[before[before >= 0]]
    depth = depths(parent)
    trees = int(number.max(initial=-1)) + 1
    first_row = np.searchsorted(number[link][order][np.sort(seen)], np.arange(trees + 1))
    place = np.concatenate([[0], np.cumsum(depth + 1)])[: len(v)]
    sweeps = cheaper_by_sweeps(number[1:], link, number, depth, first_row)
    sweeps &= ~tied(parents, number, rows, link, trees)
    return CoordinateTree(v, parent, depth, place, rows, number, first_row, sweeps, shared)


def list_trees(rows: CoordinateTree, links: Array, body_names: tuple[str, ...]) -> tuple[Tree, ...]:
    """List the trees of a mechanism, in the order of their numbers."""
    numbers, bodies = rows.tree_of_link[1:], links[:, layout.BODY].astype(np.int64)
    order = 1 + np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=len(rows.sweeps)))
    trees = []
    for t, end in enumerate(ends.tolist()):
        own = order[ends[t - 1] if t else 0 : end]
        names = tuple(body_names[k] for k in bodies[own].tolist() if k >= 0)
        trees.append(Tree(names[0], names, own, rows.v[rows.first_row[t] : rows.first_row[t + 1]]))
    return tuple(trees)


def tree_numbers(parents: Integers, link: Integers, coordinate: Integers) -> Integers:
    """The number of the tree of each link, counted by first links; those that share a coordinate have the same."""
    root = np.zeros(len(parents) + 1, dtype=np.int64)
    for i, p in enumerate(parents.tolist(), start=1):
        root[i] = root[p] if p else i
    owner: dict[int, int] = {}
    leader = {0: 0}

    def find(i: int) -> int:
        while leader.setdefault(i, i) != i:
            i = leader[i]
        return i

    if len(np.unique(coordinate)) < len(coordinate):
        for i, c in zip(root[link].tolist(), coordinate.tolist(), strict=True):
            a, b = find(i), find(owner.setdefault(c, i))
            leader[max(a, b)] = min(a, b)
        root = np.array([find(i) for i in root.tolist()], dtype=np.int64)
    _, numbers = np.unique(root[1:], return_inverse=True)
    return np.concatenate([[-1], numbers.ravel()])


def last_freedoms(parents: Integers, count: Integers, first: Integers, link: Integers) -> Integers:
    """Find the freedom before each freedom: of the same joint, or the last one of the parent's joint; -1 at the world."""
    before = np.arange(len(link)) - 1
    starts = first[link - 1] == np.arange(len(link))
    p = parents[link - 1]
    above = np.where(p > 0, first[p - 1] + count[p - 1] - 1, -1)
    return np.where(starts, above, before)


def eliminate(rows: Integers, before: Integers, n: int) -> Integers:
    """The elimination tree where freedoms share rows: for each row the last of those before it that it meets."""
    meets: list[set[int]] = [set() for _ in range(n)]
    path: list[set[int]] = []  # the rows of each freedom and of all before it
    for r, b in zip(rows.tolist(), before.tolist(), strict=True):
        path.append({r} | (path[b] if b >= 0 else set()))
        for other in path[-1]:
            if other != r:
                meets[max(r, other)].add(min(r, other))
    parent = np.full(n, -1)
    for k in range(n - 1, -1, -1):  # eliminated in this order: what met row k meets one another then
        if meets[k]:
            parent[k] = max(meets[k])
            meets[parent[k]] |= meets[k] - {int(parent[k])}
    return parent


def depths(parent: Integers) -> Integers:
    """The number of ancestors of each row."""
    depth: list[int] = []
    for p in parent.tolist():
        depth.append(depth[p] + 1 if p >= 0 else 0)
    return np.array(depth, dtype=np.int64)


def cheaper_by_sweeps(
    trees: Integers, link: Integers, number: Integers, depth: Integers, first_row: Integers
) -> NDArray[np.bool_]:
    """Return for each tree whether the sweeps need fewer operations than the factor of its matrix."""
    n = len(first_row) - 1
    links, freedoms = np.bincount(trees, minlength=n), np.bincount(number[link], minlength=n)
    updates = PACKED_PAIR * (depth + 1.0) + PACKED_UPDATE * 0.5 * depth * (depth + 1.0)
    sums = np.concatenate([[0.0], np.cumsum(updates)])
    packed = PACKED_LINK * links + PACKED_FREEDOM * freedoms + np.diff(sums[first_row])
    return np.asarray(SWEEPS_LINK * links + SWEEPS_FREEDOM * freedoms < packed)


def tied(parents: Integers, number: Integers, rows: Integers, link: Integers, trees: int) -> NDArray[np.bool_]:
    """Return for each tree whether sweeps cannot solve it: freedoms share a row, or its links are not contiguous."""
    result = np.zeros(trees, dtype=bool)
    shared = np.bincount(rows)[rows] > 1
    result[number[link[shared]]] = True
    breaks = np.bincount(number[1:][np.flatnonzero(np.diff(number[1:], prepend=-1) != 0)], minlength=trees)
    return result | (breaks > 1)


# -------------------------------------------------------------------------------------------------- as the layout has them


def factor_sizes(rows: CoordinateTree) -> Integers:
    """Count the numbers of the factor of each tree: its packed entries, or what the sweeps leave of each row."""
    pairs = np.diff(np.append(rows.place, rows.pairs)[rows.first_row])
    return np.where(rows.sweeps, layout.SWEPT_ROW * np.diff(rows.first_row), pairs)


def tree_table(rows: CoordinateTree) -> Array:
    """The number of trees, and their records."""
    n = len(rows.sweeps)
    table = np.empty((n, layout.TREE), dtype=np.int64)
    size, links = factor_sizes(rows), np.bincount(rows.tree_of_link[1:], minlength=n)
    table[:, layout.FIRST_ROW], table[:, layout.ROW_COUNT] = rows.first_row[:-1], np.diff(rows.first_row)
    _, first = np.unique(rows.tree_of_link[1:], return_index=True)
    table[:, layout.FIRST_LINK], table[:, layout.LINK_COUNT] = first + 1, links
    branches = np.flatnonzero((rows.parent != np.arange(len(rows.v)) - 1) | (rows.parent < 0))  # each tree has its root
    unbranched = np.bincount(np.searchsorted(rows.first_row, branches, side="right") - 1, minlength=n) == 1
    table[:, layout.FACTOR] = np.cumsum(size) - size
    table[:, layout.SWEEPS] = np.where(rows.sweeps & unbranched, layout.UNBRANCHED, rows.sweeps)
    return np.concatenate([[n], table.ravel()]).view(np.float64)


def factored_places(rows: CoordinateTree) -> Integers:
    """Compute the index of each row's first entry in the factor, -1 where sweeps solve its tree."""
    size, count = factor_sizes(rows), np.diff(rows.first_row)
    shift = np.cumsum(size) - size - rows.place[rows.first_row[:-1]]
    return np.where(np.repeat(rows.sweeps, count), -1, rows.place + np.repeat(shift, count))


def row_table(rows: CoordinateTree) -> Array:
    """The records of the rows."""
    columns = [rows.v, rows.parent, rows.depth, rows.place, factored_places(rows)]
    return np.stack(columns, axis=1).ravel().view(np.float64)


def ancestor_table(rows: CoordinateTree) -> Array:
    """Compute the row that is the column of each entry of the factor; 0 where the factor is that of sweeps."""
    places, table = factored_places(rows), np.zeros(factor_sizes(rows).sum(), dtype=np.int64)
    row = there = np.flatnonzero(places >= 0)
    while len(row):
        table[places[row] + rows.depth[there]] = there
        there = rows.parent[there]
        row, there = row[there >= 0], there[there >= 0]
    return table.view(np.float64)


def packed_pairs(rows: CoordinateTree) -> tuple[Integers, Integers]:
    """Return for each entry of the packed matrix its row and its ancestor (or itself), both by number."""
    own, ancestors = np.repeat(np.arange(len(rows.v)), rows.depth + 1), np.empty(rows.pairs, dtype=np.int64)
    row = there = np.arange(len(rows.v))
    while len(row):
        ancestors[rows.place[row] + rows.depth[there]] = there
        there = rows.parent[there]
        row, there = row[there >= 0], there[there >= 0]
    return own, ancestors
