"""Accelerations of frames by unit forces on frames, ``J H^-1 J^T``: the kernel, and the constants of a model for it.

With the factors of ``H = L^T D L`` it is ``Y^T D^-1 Y``, Y = L^-T J^T: of each frame the joint forces J^T f travel inward,
and each freedom between the frame and the world takes its share, a row of Y. No other branch is met, and a sum of squares is
never negative, however much is rounded. Two frames are coupled by the freedoms that their ways to the world have in
common: the first ones of both, counted from the world.

Rows of J that nobody asks for are left out.

Sources: Khatib (1987), "A unified approach for motion and force control of robot manipulators"; RBDA section 6.5 for the
factors, section 7.3 for the sweeps.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.algorithms.frames.frame_path import (
    column_count,
    columns,
    find_frame,
    links_to_world,
    path_constants,
    path_workspace,
)
from pluecker.articulated.algorithms.frames.jacobian import jacobian_kernel
from pluecker.articulated.algorithms.inertia.factor_products import inverse_pivot
from pluecker.articulated.algorithms.inertia.inertia_factor import (
    factor_numbers,
    factor_workspace,
    factorize_trees,
)
from pluecker.articulated.algorithms.inertia.inertia_sweeps import G, S, swept_place
from pluecker.articulated.model.layout import (
    clear,
    factor_size,
    factored_place,
    row_depth,
    row_parent,
    solved_by_sweeps,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.algebra.vectors import add, dot, load_vector, scale, store_vector, subtract
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import lift, load, load_integer, store, tail

__all__ = [
    "ENTRY", "NAME", "ROWS", "Frames", "Rows", "constants", "listed", "of_row", "row_count", "store_mobility", "workspace",
]  # fmt: skip

# the constants: how many frames there are, how many rows of all of them count, how many freedoms all ways have together, and
# how many numbers a Jacobian has at most; for each frame where the constants of its way begin, its tree, the last row of the
# inertia matrix that moves it, where its shares begin, and where the depths of the rows of its columns are; for each row
# that counts its frame, its number in the frame, and the frame's number in the model; for each pair of frames how many
# freedoms they have in common; then the depths and the constants of the ways
FRAMES, ROWS, SHARES, NUMBERS, HEADER = range(5)
PATH, TREE, LAST_ROW, FIRST_SHARE, DEPTHS, FRAME = range(6)
OF_FRAME, ENTRY, NAME, ROW = range(4)


@kernel
def of_frame(c, f, entry):
    """Return an entry of the record of frame ``f``"""
    return load_integer(c, HEADER + FRAME * f + entry)


@kernel
def of_row(c, i, entry):
    """Return an entry of the record of row ``i`` of those that are asked for"""
    return load_integer(c, HEADER + FRAME * load_integer(c, FRAMES) + ROW * i + entry)


@kernel
def freedoms_in_common(c, f, g):
    """Return how many freedoms the ways from two frames to the world have in common"""
    frames = load_integer(c, FRAMES)
    return load_integer(c, HEADER + FRAME * frames + ROW * load_integer(c, ROWS) + frames * f + g)


@kernel
def store_mobility(m, c, q, point, A, pivots, ws):
    """Compute A = J H^-1 J^T, its lower half; ``pivots`` as for the factors of H"""
    n, Y = load_integer(c, ROWS), tail(ws, factor_size(m))
    Z = tail(Y, 6 * load_integer(c, SHARES))
    numbers = tail(Z, 6 * load_integer(c, SHARES))
    rest = tail(numbers, load_integer(c, NUMBERS))
    factorize_trees(m, q, ws, pivots, rest)
    for f in range(load_integer(c, FRAMES)):
        if of_frame(c, f, LAST_ROW) >= 0:
            jacobian_kernel(m, tail(c, of_frame(c, f, PATH)), q, tail(point, 3 * f), numbers, rest)
            share = 6 * of_frame(c, f, FIRST_SHARE)
            store_shares(m, c, f, ws, tail(numbers, 1), tail(Y, share), tail(Z, share))
    for i in range(n):
        for j in range(i + 1):
            store(A, n * i + j, mobility(c, i, j, lift(0.0, load(point, 0)), Y, Z))


@kernel
def mobility(c, i, j, x, Y, Z):
    """Return entry (i, j) of Y^T D^-1 Y, for two rows that are asked for; ``x`` is zero"""
    f, g = of_row(c, i, OF_FRAME), of_row(c, j, OF_FRAME)
    y, z = 6 * of_frame(c, f, FIRST_SHARE) + of_row(c, i, ENTRY), 6 * of_frame(c, g, FIRST_SHARE) + of_row(c, j, ENTRY)
    for d in range(freedoms_in_common(c, f, g)):
        x = x + load(Y, y + 6 * d) * load(Z, z + 6 * d)
    return x


@kernel
def store_shares(m, c, f, factor, J, Y, Z):
    """Compute Y = L^-T J^T and Z = D^-1 Y of one frame: for each row of the inertia matrix, by its depth, six numbers"""
    t, r = of_frame(c, f, TREE), of_frame(c, f, LAST_ROW)
    depths = tail(c, of_frame(c, f, DEPTHS))
    clear(Y, 6 * (row_depth(m, r) + 1))
    for k in range(column_count(tail(c, of_frame(c, f, PATH)))):
        store_vector(Y, 6 * load_integer(depths, k), load_vector(J, 6 * k))
    if solved_by_sweeps(m, t):
        share_by_sweeps(m, t, r, factor, Y)
    else:
        share_by_rows(m, r, factor, Y)
    while r >= 0:
        y = 6 * row_depth(m, r)
        store_vector(Z, y, scale(inverse_pivot(m, t, r, factor), load_vector(Y, y)))
        r = row_parent(m, r)


@kernel
def share_by_rows(m, r, factor, Y):
    """Solve L^T Y = J^T in place by rows of L along the way to the world, each subtracted from those of its ancestors"""
    while r >= 0:
        row, depth = factored_place(m, r), row_depth(m, r)
        y = load_vector(Y, 6 * depth)
        for a in range(depth):
            store_vector(Y, 6 * a, subtract(load_vector(Y, 6 * a), scale(load(factor, row + a), y)))
        r = row_parent(m, r)


@kernel
def share_by_sweeps(m, t, last, factor, Y):
    """Solve L^T Y = J^T in place by the inward sweep of :mod:`inertia_sweeps`, for each of the six unit forces"""
    for e in range(6):
        r, p = last, scale(0.0, load_vector(Y, 0))
        while r >= 0:
            s, y = swept_place(m, t, r), 6 * row_depth(m, r) + e
            u = load(Y, y) - dot(load_vector(factor, s + S), p)  # u = b - S^T p
            p = add(p, scale(u, load_vector(factor, s + G)))  # p = p + G u
            store(Y, y, u)
            r = row_parent(m, r)


# --------------------------------------------------------------------------------------------------- constants of a model

Frames = str | tuple[str, ...]
Rows = str | tuple[int, ...]


def listed(frames: Frames) -> tuple[str, ...]:
    """Return the names of frames as a tuple, of a single frame too."""
    return (frames,) if isinstance(frames, str) else frames


def chosen_rows(frames: Frames, rows: Rows) -> list[int]:
    """Return the rows that are asked for, as indices into the stacked Jacobians of the frames."""
    if not isinstance(rows, str):
        return list(rows)
    first, end = {"all": (0, 6), "angular": (0, 3), "linear": (3, 6)}[rows]
    return [6 * f + e for f in range(len(listed(frames))) for e in range(first, end)]


def rows_to_world(model: Model, last: int) -> list[int]:
    """Return the rows of the inertia matrix from the root to row ``last``, that one included."""
    found = []
    while last >= 0:
        found.append(last)
        last = int(model.coordinate_tree.parent[last])
    return found[::-1]


def constants(model: Model, frames: Frames, axes: str, rows: Rows) -> Array:
    """Make the constants: the ways of the frames to the world, and the rows of the inertia matrix along them."""
    tree, names = model.coordinate_tree, listed(frames)
    paths = [path_constants("operational_inertia", model, name, axes) for name in names]
    links = [links_to_world(model, find_frame("operational_inertia", model, name)[0]) for name in names]
    row_of = np.argsort(tree.v)
    own = [row_of[columns(model, way)].astype(np.int64) for way in links]
    ways = [rows_to_world(model, int(rows.max(initial=-1))) for rows in own]
    sizes = [len(way) for way in ways]
    chosen = chosen_rows(frames, rows)
    depths = HEADER + FRAME * len(names) + ROW * len(chosen) + len(names) ** 2
    path = depths + sum(map(len, own))
    records, share = [], 0
    for way, columns_of, link, numbers in zip(ways, own, links, paths, strict=True):
        records += [path, int(tree.tree_of_link[link[0]]) if link else -1, way[-1] if way else -1, share, depths]
        path, depths, share = path + len(numbers), depths + len(columns_of), share + len(way)
    for row in chosen:
        name = names[row // 6]
        records += [row // 6, row % 6, model.frame_names.index(name) if name in model.frame_names else -1]
    records += [len({*one} & {*other}) for one in ways for other in ways]
    header = [len(names), len(chosen), sum(sizes), jacobian_numbers(model, frames)]
    integers = np.concatenate([[*header, *records], *(tree.depth[rows] for rows in own)]).astype(np.int64)
    return np.concatenate([integers.view(np.float64), *paths])


def jacobian_numbers(model: Model, frames: Frames) -> int:
    """Return how many numbers the kernel of a Jacobian makes at most."""
    links = [links_to_world(model, find_frame("operational_inertia", model, name)[0]) for name in listed(frames)]
    return 1 + 6 * max(len(columns(model, way)) for way in links)


def row_count(model: Model, frames: Frames, axes: str, rows: Rows) -> int:
    """Return how many rows are asked for."""
    return len(chosen_rows(frames, rows))


def workspace(model: Model, frames: Frames, axes: str, rows: Rows) -> int:
    """Return the size of the workspace of :func:`store_mobility`, in numbers"""
    c = constants(model, frames, axes, rows).view(np.int64)
    rest = max(factor_workspace(model), *(path_workspace(model, name, axes) for name in listed(frames)))
    return int(factor_numbers(model) + 12 * c[SHARES] + c[NUMBERS] + rest)
