"""Inverse of a mass matrix times the Jacobian: M^-1 times a sparse matrix, by connected components of the rows of M.

Bodies are groups of six rows, each with a small inverse. Masses of rods, meshes or articulated robots join more rows, up to
all: these are eliminated, and solved for the columns that are asked for, so that no inverse of a large group is ever made.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.checks import eliminate
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["BODY", "inverse_times"]

BODY = 6  # velocities of a body
LARGEST_INVERTED_GROUP = 64  # rows of a group up to which its inverse is made


def groups_of(mass: scipy.sparse.csr_matrix) -> Indices:
    """Number the connected components of M, one number for each row; the six rows of a body joined to no other share one."""
    n = mass.shape[0]
    from scipy.sparse.csgraph import connected_components  # here: it takes long to import

    count, label = connected_components(mass, directed=False)
    if n % BODY == 0:
        body = np.arange(n) // BODY
        least, greatest = np.full(count, n), np.zeros(count, np.int64)
        np.minimum.at(least, label, body)
        np.maximum.at(greatest, label, body)
        shared = np.zeros(n // BODY, bool)
        shared[body[(least != greatest)[label]]] = True
        label = np.where(shared[body], label, count + body)
    return np.unique(label, return_inverse=True)[1].reshape(-1)


def inverse_times(
    name: str, mass: scipy.sparse.csr_matrix, right: scipy.sparse.csr_matrix
) -> tuple[scipy.sparse.csr_matrix, Indices]:
    """Compute M^-1 times a sparse matrix, and where the blocks of columns start that J and J M^-1 are kept in.

    Rows of M that entries join form a group. One of at most 64 rows is inverted; one that is larger is eliminated, and
    solved for the columns that reach it. A group of consecutive rows is a block, or blocks of six where it is large; of
    others each row is a block.

    Raises:
        ProblemError: M is not positive definite; the message names the rows of the group.
    """
    n = mass.shape[0]
    if n == 0:
        return scipy.sparse.csr_matrix(right.shape), np.zeros(1, np.int64)
    index, group = np.arange(n), groups_of(mass)
    size = np.bincount(group)
    order, first = np.argsort(group, kind="stable"), np.cumsum(size) - size
    inside = np.empty(n, np.int64)
    inside[order] = index - np.repeat(first, size)
    lowest, highest = order[first], order[first + size - 1]
    consecutive = (highest - lowest + 1 == size)[group]
    large = (size > LARGEST_INVERTED_GROUP)[group]
    starts = ~consecutive | (inside == 0) | (large & (inside % BODY == 0))
    parts = [(small_inverses(name, mass, group, size, order[~large[order]], inside) @ right).tocoo()]
    for k in np.flatnonzero(size > LARGEST_INVERTED_GROUP):
        parts.append(solve_group(name, mass, right, order[first[k] : first[k] + size[k]]))
    values, i, j = (np.concatenate([getattr(part, what) for part in parts]) for what in ("data", "row", "col"))
    solved = scipy.sparse.csr_matrix((values, (i, j)), shape=right.shape)  # no sum of matrices: zeros stay stored
    return solved, np.append(np.flatnonzero(starts), n).astype(np.int64)


def not_definite(name: str, rows: Indices) -> ProblemError:
    """Make the error of a group of rows whose matrix is not positive definite."""
    return ProblemError(f"{name} is not positive definite in rows {rows.min()} to {rows.max()}")


def small_inverses(
    name: str, mass: scipy.sparse.csr_matrix, group: Indices, size: Indices, order: Indices, inside: Indices
) -> scipy.sparse.csr_matrix:
    """Invert the small groups, whose rows are ``order``, group by group; all of one size at once."""
    entries = mass.tocoo()
    rows, columns, values = [], [], []
    for n in np.unique(size[group[order]]):
        where = order[size[group[order]] == n].reshape(-1, n)
        number = np.empty(len(size), np.int64)
        number[group[where[:, 0]]] = np.arange(len(where))
        mine = size[group[entries.row]] == n
        i, j = entries.row[mine], entries.col[mine]
        blocks = np.zeros((len(where), n, n))
        blocks[number[group[i]], inside[i], inside[j]] = entries.data[mine]
        with np.errstate(over="ignore", invalid="ignore"):
            inverse = np.linalg.inv(cholesky(name, blocks, where))
            values.append((np.swapaxes(inverse, 1, 2) @ inverse).ravel())
        rows.append(np.repeat(where, n, axis=1).ravel())
        columns.append(np.tile(where, n).ravel())
    if not rows:
        return scipy.sparse.csr_matrix(mass.shape)
    every = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return scipy.sparse.csr_matrix(every, shape=mass.shape)


def cholesky(name: str, blocks: Array, where: Indices) -> Array:
    """Factor dense blocks, or raise the error that names the rows of the first that has no factor."""
    try:
        return np.asarray(np.linalg.cholesky(blocks), np.float64)
    except np.linalg.LinAlgError:
        if len(blocks) == 1:
            raise not_definite(name, where[0]) from None
    half = len(blocks) // 2
    return np.concatenate([cholesky(name, blocks[:half], where[:half]), cholesky(name, blocks[half:], where[half:])])


def solve_group(
    name: str, mass: scipy.sparse.csr_matrix, right: scipy.sparse.csr_matrix, rows: Indices
) -> scipy.sparse.coo_matrix:
    """Compute M^-1 times the rows of a matrix that belong to one large group, in a matrix of full size."""
    factors, failed = eliminate(scipy.sparse.csc_matrix(mass[rows][:, rows]))
    if failed is not None:
        raise not_definite(name, rows)
    mine = scipy.sparse.csc_matrix(right[rows])
    columns = np.flatnonzero(np.diff(mine.indptr))
    solved = factors.solve(mine[:, columns].toarray())
    i, j = np.broadcast_arrays(rows[:, None], columns)
    return scipy.sparse.coo_matrix((solved.ravel(), (i.ravel(), j.ravel())), shape=right.shape)
