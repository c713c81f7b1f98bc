"""J of one step as blocks of trees, contacts that were found first, then rows of constraints; J A^-1; and its products.

Source: M. Anitescu and F. A. Potra (1997) for the problem of a step; RBDA section 6.5 for A^-1 tree by tree.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.problem.sets import DISCS, DISCS_OF, Sets, make_sets
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices, multiply_row, multiply_row_transposed
from pluecker.contact.piles.constraint_rows import ConstraintRows
from pluecker.contact.piles.jacobian import Paths, add_contact_rows, factor_trees, find_blocks, times_trees
from pluecker.contact.rows.touching import tangents
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "add_transposed",
    "contact_matrix",
    "frames_of",
    "joined",
    "roots_of",
    "sets_of",
    "size_of",
    "times",
    "times_inverse",
]

FRICTION, ROLLING, SPINNING = 3, 5, 6  # components of a contact


def times(J, x, y):
    """Compute y = J x"""
    for i in range(len(J.rows) - 1):
        multiply_row(J, i, x, y)


def add_transposed(T, r, x):
    """Add T^T r to x"""
    for i in range(len(T.rows) - 1):
        multiply_row_transposed(T, i, r, x)


def store_frames(normals, frames):
    """Store the normal and the tangents of each contact"""
    for k in range(len(normals)):
        n = normals[k, 0], normals[k, 1], normals[k, 2]
        t1, t2 = tangents(n)
        for a in range(3):
            frames[k, 0, a], frames[k, 1, a], frames[k, 2, a] = n[a], t1[a], t2[a]


store_frames = entry_point(store_frames)
times = entry_point(times)
add_transposed = entry_point(add_transposed)


def size_of(surfaces: Array) -> int:
    """Return how many components contacts have, from friction, rolling and spinning friction of surfaces, ``(n, >= 3)``."""
    return SPINNING if surfaces[:, 2].any() else ROLLING if surfaces[:, 1].any() else FRICTION


def frames_of(normals: Array) -> Array:
    """Compute the normal and the tangents of each contact, as rows, those of :func:`~pluecker.contact.contact_frames`."""
    frames = np.empty((len(normals), 3, 3))
    store_frames(normals, frames)
    return frames


def contact_matrix(
    bodies: Indices, frames: Array, points: Array, size: int, ways: Paths, X: Array, C: Array
) -> BlockMatrix:
    """Build J of contacts, each with so many rows."""
    K = len(bodies)
    first, width = np.empty(K + 1, np.int64), np.empty(K, np.int64)
    column, place, of_body = np.empty(2 * K, np.int64), np.empty(2 * K, np.int64), np.zeros((K, 2), np.int64)
    data = np.zeros(find_blocks(bodies, ways.tree, ways.start, size, first, column, place, of_body, width))
    add_contact_rows(bodies, frames, points, size, ways, X, C, of_body, data)
    rows, count = size * np.arange(K + 1, dtype=np.int64), int(first[K])
    return BlockMatrix(rows, ways.start, first, column[:count], place[:count], data, width)


def joined(contacts: BlockMatrix, rows: ConstraintRows | None) -> BlockMatrix:
    """Append the rows of constraints to those of contacts."""
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
    """Set the width of blocks where all of a row of three have 6 or 3 columns."""
    widths, three = np.diff(B.columns)[B.column], np.diff(B.rows) == 3
    owner = np.repeat(np.arange(len(three)), np.diff(B.first))
    width = np.zeros(len(three), np.int64)
    for n in (3, 6):
        other = np.bincount(owner[widths != n], minlength=len(three))
        width[three & (other == 0) & (np.diff(B.first) > 0)] = n
    return B._replace(width=width)


def times_inverse(J: BlockMatrix, matrices: Array, ways: Paths) -> BlockMatrix:
    """Multiply each block of J by the matrix of its tree."""
    data = np.empty_like(J.data)
    times_trees(J.rows, J.first, J.column, J.place, J.data, ways.start, matrices, ways.place, data)
    return J._replace(data=data)


def roots_of(inverse: Array, ways: Paths) -> Array | None:
    """Compute L of each tree with ``L L^T = A^-1``; None where rounding leaves none."""
    roots = np.zeros_like(inverse)
    return roots if factor_trees(inverse, ways.start, ways.place, roots) else None


def sets_of(friction: Array, size: int, rows: ConstraintRows | None) -> Sets:
    """Make the cones of contacts with these coefficients, ``(K, 3)``, then intervals and cones of rows."""
    K = len(friction)
    friction = np.where(np.array(DISCS_OF[size]) > 0, friction, 0.0)
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
