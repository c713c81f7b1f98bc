"""J of contacts that were found, and its products with A^-1: blocks of one row of blocks for each contact.

The material of a body at the point x moves with ``u = sum over the freedoms on the body's way to the world of
(v_f + w_f x (x - o_f)) v_f``; a contact has along its normal and tangents the difference of the two bodies, and about these
that of their angular velocities. What the two bodies have in common adds up to zero.

Large problems alone are made so: these functions are of float64.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from pluecker.articulated.model.layout import BODY, COUNT, FIRST, INTEGERS_OF_LINK, PARENT
from pluecker.articulated.model.model import Model
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, entry_point

__all__ = [
    "Paths",
    "add_contact_rows",
    "factor_trees",
    "find_blocks",
    "links_of_bodies",
    "point_column",
    "times_trees",
    "ways_of",
]


class Paths(NamedTuple):
    """Paths of all bodies to the world, and the trees.

    Attributes:
        first: where the way of each body begins among the freedoms of all ways, ``(n_bodies + 1,)``.
        freedom, link, row: of each freedom on a way its number, the link that it moves, the row of its coordinate.
        tree: of each body, ``(n_bodies,)``.
        start: the first row of each tree, and nv at the end, ``(trees + 1,)``.
        place: where the inverse of each tree begins, ``(trees,)``.
        v: the coordinate of each row, ``(nv,)``.
    """

    first: Indices
    freedom: Indices
    link: Indices
    row: Indices
    tree: Indices
    start: Indices
    place: Indices
    v: Indices


def ways_of(model: Model) -> Paths:
    """Return the paths of all bodies of a model; kept with it."""
    found: Paths | None = model.tables.get(ways_of)
    if found is None:
        found = model.tables[ways_of] = find_ways(model)
    return found


def links_of_bodies(model: Model) -> Indices:
    """Return the link that carries each body; kept with the model."""
    found: Indices | None = model.tables.get(links_of_bodies)
    if found is None:
        found = model.tables[links_of_bodies] = find_links(model)
    return found


def find_links(model: Model) -> Indices:
    """Find the links that :func:`links_of_bodies` keeps."""
    body = model.links[:, INTEGERS_OF_LINK].astype(np.int64)[:, BODY]
    moving = np.flatnonzero(body[1:] >= 0) + 1
    at = np.zeros(model.n_bodies, np.int64)
    at[body[moving]] = moving
    return at


def find_ways(model: Model) -> Paths:
    """Find the paths that :func:`ways_of` keeps, in so many rounds as the longest path has links."""
    records, trees = model.links[:, INTEGERS_OF_LINK].astype(np.int64), model.coordinate_tree
    at = links_of_bodies(model)
    tree = trees.tree_of_link[at].astype(np.int64)
    bodies, links = [], []
    body = np.arange(model.n_bodies)
    while len(body):
        body, at = body[at > 0], at[at > 0]
        bodies.append(body)
        links.append(at)
        at = records[at, PARENT]
    b, i = np.concatenate([*bodies, np.zeros(0, np.int64)]), np.concatenate([*links, np.zeros(0, np.int64)])
    order = np.argsort(b, kind="stable")
    b, i = b[order], i[order]
    count = records[i, COUNT]
    which = np.repeat(np.arange(len(i)), count)
    k = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    freedom = records[i[which], FIRST] + k
    first = np.searchsorted(b[which], np.arange(model.n_bodies + 1)).astype(np.int64)
    start = np.asarray(trees.first_row, np.int64)
    squares = np.diff(start) ** 2
    row = np.asarray(trees.row_of_freedom, np.int64)[freedom]
    return Paths(
        first, freedom, np.ascontiguousarray(i[which]), row, tree, start, np.cumsum(squares) - squares,
        np.asarray(trees.v, np.int64),
    )  # fmt: skip


@allocation_free_kernel
def point_column(X, C, f, i, x):
    """Compute how freedom f of link i moves the material at x: w and v"""
    w0, w1, w2 = C[6 * f], C[6 * f + 1], C[6 * f + 2]
    a0, a1, a2 = x[0] - X[12 * i + 9], x[1] - X[12 * i + 10], x[2] - X[12 * i + 11]
    v0 = C[6 * f + 3] + w1 * a2 - w2 * a1
    v1 = C[6 * f + 4] + w2 * a0 - w0 * a2
    v2 = C[6 * f + 5] + w0 * a1 - w1 * a0
    return w0, w1, w2, v0, v1, v2


def add_contact_rows(bodies, frames, points, size, ways, X, C, place, data):
    """Add J of each contact to ``data``; its block for either body begins at ``place``"""
    for k in range(len(bodies)):
        for s in range(2):
            b = bodies[k, s]
            if b >= 0:
                t, sign = ways.tree[b], 2.0 * s - 1.0
                p, left, width = place[k, s], ways.start[t], ways.start[t + 1] - ways.start[t]
                for e in range(ways.first[b], ways.first[b + 1]):
                    w0, w1, w2, v0, v1, v2 = point_column(X, C, ways.freedom[e], ways.link[e], points[k])
                    at = p + ways.row[e] - left
                    for a in range(3):
                        n = frames[k, a]
                        data[at + a * width] += sign * (n[0] * v0 + n[1] * v1 + n[2] * v2)
                    for a in range(3, size):
                        n = frames[k, (a - 2) % 3]  # about both tangents, then about the normal
                        data[at + a * width] += sign * (n[0] * w0 + n[1] * w1 + n[2] * w2)


def find_blocks(bodies, tree, start, size, first, column, place, of_body, width):
    """Lay out the blocks of each contact: its trees in their order, and where each begins; return how many numbers
    they have
    """
    p = e = 0
    for k in range(len(bodies)):
        i, j = bodies[k, 0], bodies[k, 1]
        one, two = tree[i] if i >= 0 else -1, tree[j] if j >= 0 else -1
        wide = before = -1
        first[k] = e
        for t in (min(one, two), max(one, two)):
            if t >= 0 and t != before:
                n = start[t + 1] - start[t]
                column[e], place[e], before = t, p, t
                of_body[k, 0], of_body[k, 1] = p if t == one else of_body[k, 0], p if t == two else of_body[k, 1]
                wide = n if wide == -1 or wide == n else 0
                p, e = p + size * n, e + 1
        width[k] = wide if size == 3 and (wide == 3 or wide == 6) else 0
    first[len(bodies)] = e
    return p


def factor_trees(matrices, start, square, roots):
    """Compute the Cholesky factor of the matrix of each tree; return whether all of them have one"""
    for t in range(len(start) - 1):
        n, A = start[t + 1] - start[t], square[t]
        for i in range(n):
            for j in range(i + 1):
                x = matrices[A + i * n + j]
                for k in range(j):
                    x -= roots[A + i * n + k] * roots[A + j * n + k]
                if j < i:
                    roots[A + i * n + j] = x / roots[A + j * n + j]
                elif x > 0.0:
                    roots[A + i * n + i] = sqrt(x)
                else:
                    return False
    return True


def times_trees(rows, first, column, place, data, start, matrices, square, out):
    """Multiply each block by the matrix of its tree"""
    for i in range(len(rows) - 1):
        for k in range(first[i], first[i + 1]):
            t, p = column[k], place[k]
            n, q = start[t + 1] - start[t], square[t]
            for a in range(rows[i + 1] - rows[i]):
                for c in range(n):
                    x = 0.0
                    for d in range(n):
                        x += data[p + a * n + d] * matrices[q + d * n + c]
                    out[p + a * n + c] = x


add_contact_rows = entry_point(add_contact_rows)
factor_trees = entry_point(factor_trees)
find_blocks = entry_point(find_blocks)
times_trees = entry_point(times_trees)
