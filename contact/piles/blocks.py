"""J of one step as blocks of trees, contacts that were found first, then rows of constraints; J A^-1; and its products.

Source: M. Anitescu and F. A. Potra (1997) for the problem of a step; RBDA section 6.5 for A^-1 tree by tree.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.geometry.collision import Contacts
from pluecker.contact.piles.constraint_rows import ConstraintRows
from pluecker.contact.piles.jacobian import Paths, add_contact_rows, times_trees
from pluecker.contact.problem.sets import DISCS, DISCS_OF, Sets, make_sets
from pluecker.contact.scenes.table import contact_frames
from pluecker.contact.sparse.blocks import BlockMatrix, multiply_row, multiply_row_transposed
from pluecker.spatial.compiled.decorators import entry_point
from pluecker.spatial.functions.elementwise import Array

__all__ = ["add_transposed", "contact_matrix", "joined", "roots_of", "sets_of", "size_of", "times", "times_inverse"]

FRICTION, ROLLING, SPINNING = 3, 5, 6  # components of a contact


def times(J, x, y):
    """y = J x"""
    for i in range(len(J.rows) - 1):
        multiply_row(J, i, x, y)


def add_transposed(T, r, x):
    """x += T^T r"""
    for i in range(len(T.rows) - 1):
        multiply_row_transposed(T, i, r, x)


times = entry_point(times)
add_transposed = entry_point(add_transposed)


def size_of(surfaces: Array) -> int:
    """How many components contacts have, from friction, rolling and spinning friction of all surfaces, ``(n, >= 3)``."""
    return SPINNING if surfaces[:, 2].any() else ROLLING if surfaces[:, 1].any() else FRICTION


def contact_matrix(found: Contacts, size: int, ways: Paths, X: Array, C: Array) -> BlockMatrix:
    """J of contacts, each with so many rows."""
    K, start = len(found), ways.start
    own = np.where(found.bodies >= 0, ways.tree[found.bodies], -1)
    trees = np.sort(own, axis=1)
    there = np.stack([trees[:, 0] >= 0, trees[:, 1] != trees[:, 0]], axis=1)
    sizes = size * np.where(there, start[trees + 1] - start[trees], 0)
    place = (np.cumsum(sizes) - sizes.ravel()).reshape(K, 2)
    data = np.zeros(int(sizes.sum()))
    of_body = np.where(own == trees[:, :1], place[:, :1], place[:, 1:])
    of_body = np.where(there[:, :1], of_body, place[:, 1:])
    frames = contact_frames(found.normal)
    add_contact_rows(found.bodies, frames, found.point, size, ways, X, C, np.ascontiguousarray(of_body), data)
    first = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64)
    rows = size * np.arange(K + 1, dtype=np.int64)
    return uniform(BlockMatrix(rows, start, first, trees[there], place[there], data, np.zeros(K, np.int64)))


def joined(contacts: BlockMatrix, rows: ConstraintRows | None) -> BlockMatrix:
    """With the rows of constraints behind them."""
    if rows is None:
        return contacts
    end = np.array([contacts.rows[-1]])
    heights = np.concatenate([end, end + np.cumsum(rows.heights)])
    B = BlockMatrix(
        np.concatenate([contacts.rows, heights[1:]]).astype(np.int64),
        contacts.columns,
        np.concatenate([contacts.first, contacts.first[-1] + rows.begin[1:]]),
        np.concatenate([contacts.column, rows.tree]),
        np.concatenate([contacts.place, len(contacts.data) + rows.place]),
        np.concatenate([contacts.data, rows.data]),
        np.zeros(len(contacts.width) + len(rows.heights), np.int64),
    )
    return uniform(B)


def uniform(B: BlockMatrix) -> BlockMatrix:
    """With the width of blocks where all of a row of three have 6 or 3 columns."""
    widths, three = np.diff(B.columns)[B.column], np.diff(B.rows) == 3
    owner = np.repeat(np.arange(len(three)), np.diff(B.first))
    width = np.zeros(len(three), np.int64)
    for n in (3, 6):
        other = np.bincount(owner[widths != n], minlength=len(three))
        width[three & (other == 0) & (np.diff(B.first) > 0)] = n
    return B._replace(width=width)


def times_inverse(J: BlockMatrix, matrices: Array, ways: Paths) -> BlockMatrix:
    """J with each block multiplied by the matrix of its tree."""
    data = np.empty_like(J.data)
    times_trees(J.rows, J.first, J.column, J.place, J.data, ways.start, matrices, ways.place, data)
    return J._replace(data=data)


def roots_of(inverse: Array, ways: Paths) -> Array | None:
    """L of each tree with ``L L^T = A^-1``, where they are; None where rounding leaves none."""
    roots, widths = np.empty_like(inverse), np.diff(ways.start)
    try:
        for n in np.unique(widths).tolist():
            where = ways.place[widths == n][:, None] + np.arange(n * n)
            A = inverse[where].reshape(-1, n, n)
            roots[where] = np.linalg.cholesky(A).reshape(-1, n * n)
    except np.linalg.LinAlgError:
        return None
    return roots


def sets_of(found: Contacts, size: int, rows: ConstraintRows | None) -> Sets:
    """Cones of contacts, then intervals and cones of rows."""
    K = len(found)
    friction = np.where(np.array(DISCS_OF[size]) > 0, found.friction, 0.0)
    if rows is None:
        return make_sets(np.tile(DISCS_OF[size], (K, 1)), friction, np.zeros(K), np.full(K, np.inf))
    cone = rows.heights == FRICTION
    discs = np.where(cone[:, None], DISCS_OF[FRICTION], (0, 0, 0))
    more = np.zeros((len(cone), DISCS))
    more[:, 0] = rows.friction
    return make_sets(
        np.concatenate([np.tile(DISCS_OF[size], (K, 1)), discs]),
        np.concatenate([friction, more]),
        np.concatenate([np.zeros(K), rows.lower]),
        np.concatenate([np.full(K, np.inf), rows.upper]),
    )
