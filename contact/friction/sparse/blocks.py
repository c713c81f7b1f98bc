"""Sparse matrices of small dense blocks, row after row: what operators and their factors are kept in.

The rows and the columns are cut into blocks of any sizes, those of contacts (1 to 6 rows) and those of bodies (6 columns). A
block that is kept is kept whole, so that a product looks up one index for nine entries, not for each.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point, kernel, positive
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = [
    "BlockMatrix",
    "Indices",
    "diagonal",
    "empty_blocks",
    "from_scipy",
    "graph_of",
    "multiply",
    "to_scipy",
]

Indices = NDArray[np.int64]


class BlockMatrix(NamedTuple):
    """A sparse matrix of dense blocks.

    Attributes:
        rows: where each block row starts, and the number of rows at the end, ``(R + 1,)``.
        columns: the same for the block columns, ``(C + 1,)``.
        first: where the blocks of each block row start in ``column``, ``(R + 1,)``.
        column: the block column of each block, ascending in each block row, ``(n,)``.
        place: where each block starts in ``data``, ``(n,)``.
        data: the entries, each block row by row.
        width: of all blocks in a block row of three rows, if they have 3 or 6 columns all; 0 for other block rows, ``(R,)``.
    """

    rows: Indices
    columns: Indices
    first: Indices
    column: Indices
    place: Indices
    data: Array
    width: Indices


@cache
def empty_blocks() -> BlockMatrix:
    """Return a matrix without rows and columns."""
    one, none = np.zeros(1, np.int64), np.zeros(0, np.int64)
    return BlockMatrix(one, one, one, none, none, np.zeros(0), none)


def from_scipy(matrix: scipy.sparse.spmatrix, rows: Indices, columns: Indices) -> BlockMatrix:
    """Convert a sparse matrix of SciPy; blocks without an entry are left out.

    Args:
        matrix: any sparse matrix of SciPy.
        rows: where each block row starts, and their number of rows at the end.
        columns: the same for the block columns.
    """
    entries = scipy.sparse.coo_matrix(matrix)
    i, j = (np.asarray(index, np.int64) for index in (entries.row, entries.col))
    I, J = np.searchsorted(rows, i, "right") - 1, np.searchsorted(columns, j, "right") - 1
    blocks, which = np.unique(I * np.int64(len(columns)) + J, return_inverse=True)
    row, column = np.divmod(blocks, len(columns))
    width = np.diff(columns)[column]
    sizes = np.diff(rows)[row] * width
    place = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    data = np.zeros(place[-1])
    which = which.reshape(-1)
    np.add.at(data, place[which] + (i - rows[I]) * width[which] + (j - columns[J]), entries.data)
    first = np.searchsorted(row, np.arange(len(rows))).astype(np.int64)
    widest, narrowest = np.zeros(len(rows) - 1, np.int64), np.full(len(rows) - 1, np.iinfo(np.int64).max)
    np.maximum.at(widest, row, width)
    np.minimum.at(narrowest, row, width)
    alike = (np.diff(rows) == 3) & (widest == narrowest) & ((widest == 3) | (widest == 6))
    uniform = np.where(alike, widest, 0)
    rows, columns = np.ascontiguousarray(rows, np.int64), np.ascontiguousarray(columns, np.int64)
    return BlockMatrix(rows, columns, first, column, place[:-1], data, uniform)


def to_scipy(matrix: BlockMatrix) -> scipy.sparse.csr_matrix:
    """Convert to SciPy's compressed sparse rows, with all entries of each block."""
    heights, widths = np.diff(matrix.rows), np.diff(matrix.columns)
    row = np.repeat(np.arange(len(heights)), np.diff(matrix.first))
    width = widths[matrix.column]
    sizes = heights[row] * width
    block = np.repeat(np.arange(len(row)), sizes)
    inside = np.arange(len(block)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    down, across = np.divmod(inside, np.maximum(width[block], 1))
    i, j = matrix.rows[row][block] + down, matrix.columns[matrix.column][block] + across
    entries = matrix.data[matrix.place[block] + inside]
    shape = int(matrix.rows[-1]), int(matrix.columns[-1])
    return scipy.sparse.csr_matrix((entries, (i, j)), shape=shape)


def graph_of(matrix: BlockMatrix) -> scipy.sparse.csr_matrix:
    """Return the pattern as a matrix for SciPy's algorithms on graphs, ``(R, R)`` with a one for each block."""
    n = len(matrix.first) - 1
    return scipy.sparse.csr_matrix((np.ones(len(matrix.column), np.int8), matrix.column, matrix.first), shape=(n, n))


def to_full(matrix: BlockMatrix) -> Array:
    """Convert to a full matrix, zeros included."""
    out = np.zeros((int(matrix.rows[-1]), int(matrix.columns[-1])))
    fill(matrix, matrix.data, out)
    return out


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def multiply_threes(B, i, x, y):
    """Compute the rows of y = B x in block row i, whose blocks are all 3 by 3"""
    top = positive(B.rows[i])
    a0, a1, a2 = 0.0, 0.0, 0.0
    for k in range(positive(B.first[i]), positive(B.first[i + 1])):
        j, p = positive(B.columns[positive(B.column[k])]), positive(B.place[k])
        x0, x1, x2 = x[j], x[j + 1], x[j + 2]
        a0 += B.data[p] * x0 + B.data[p + 1] * x1 + B.data[p + 2] * x2
        a1 += B.data[p + 3] * x0 + B.data[p + 4] * x1 + B.data[p + 5] * x2
        a2 += B.data[p + 6] * x0 + B.data[p + 7] * x1 + B.data[p + 8] * x2
    y[top], y[top + 1], y[top + 2] = a0, a1, a2


@kernel
def multiply_sixes(B, i, x, y):
    """Compute the rows of y = B x in block row i, whose blocks are all 3 by 6"""
    top = positive(B.rows[i])
    a0, a1, a2 = 0.0, 0.0, 0.0
    for k in range(positive(B.first[i]), positive(B.first[i + 1])):
        j, p = positive(B.columns[positive(B.column[k])]), positive(B.place[k])
        a0 += six(B.data, p, x, j)
        a1 += six(B.data, p + 6, x, j)
        a2 += six(B.data, p + 12, x, j)
    y[top], y[top + 1], y[top + 2] = a0, a1, a2


# The general cases are called, not written into every loop: that takes long to compile.


@called_kernel
def block_times(data, p, height, width, x, j, y, top):
    """y[top : top + height] += A x[j : j + width], with the entries of A from p on"""
    for r in range(height):
        s = 0.0
        for c in range(width):
            s += data[p + r * width + c] * x[j + c]
        y[top + r] += s


@called_kernel
def block_transposed_times(data, p, height, width, x, top, y, j):
    """y[j : j + width] += A' x[top : top + height], with the entries of A from p on"""
    for r in range(height):
        f = x[top + r]
        for c in range(width):
            y[j + c] += data[p + r * width + c] * f


@kernel
def multiply_any(B, i, x, y):
    """Compute the rows of y = B x in block row i, whose blocks have any sizes"""
    top, height = B.rows[i], B.rows[i + 1] - B.rows[i]
    for r in range(height):
        y[top + r] = 0.0
    for k in range(B.first[i], B.first[i + 1]):
        j = B.columns[B.column[k]]
        block_times(B.data, B.place[k], height, B.columns[B.column[k] + 1] - j, x, j, y, top)


@kernel
def six(a, p, x, j):
    """a[p : p + 6] . x[j : j + 6]"""
    near = a[p] * x[j] + a[p + 1] * x[j + 1] + a[p + 2] * x[j + 2]
    return near + (a[p + 3] * x[j + 3] + a[p + 4] * x[j + 4] + a[p + 5] * x[j + 5])


@kernel
def add_dot(total, x, p, y, q, n):
    """total + x[p : p + n] . y[q : q + n]: an entry of J_i T_j', of two blocks kept row by row"""
    for d in range(n):
        total += x[p + d] * y[q + d]
    return total


@kernel
def multiply_row(B, i, x, y):
    """Compute the rows of y = B x in block row i"""
    if B.width[i] == 6:
        multiply_sixes(B, i, x, y)
    elif B.width[i] == 3:
        multiply_threes(B, i, x, y)
    else:
        multiply_any(B, i, x, y)


@kernel
def multiply_sixes_transposed(B, i, x, y):
    """y += B' x with a block row whose blocks are all 3 by 6; all is read before anything is written"""
    top = positive(B.rows[i])
    f, g, h = x[top], x[top + 1], x[top + 2]
    for k in range(positive(B.first[i]), positive(B.first[i + 1])):
        j, p = positive(B.columns[positive(B.column[k])]), positive(B.place[k])
        a0 = y[j] + (B.data[p] * f + B.data[p + 6] * g + B.data[p + 12] * h)
        a1 = y[j + 1] + (B.data[p + 1] * f + B.data[p + 7] * g + B.data[p + 13] * h)
        a2 = y[j + 2] + (B.data[p + 2] * f + B.data[p + 8] * g + B.data[p + 14] * h)
        a3 = y[j + 3] + (B.data[p + 3] * f + B.data[p + 9] * g + B.data[p + 15] * h)
        a4 = y[j + 4] + (B.data[p + 4] * f + B.data[p + 10] * g + B.data[p + 16] * h)
        a5 = y[j + 5] + (B.data[p + 5] * f + B.data[p + 11] * g + B.data[p + 17] * h)
        y[j], y[j + 1], y[j + 2], y[j + 3], y[j + 4], y[j + 5] = a0, a1, a2, a3, a4, a5


@kernel
def multiply_threes_transposed(B, i, x, y):
    """y += B' x with a block row whose blocks are all 3 by 3"""
    top = positive(B.rows[i])
    f, g, h = x[top], x[top + 1], x[top + 2]
    for k in range(positive(B.first[i]), positive(B.first[i + 1])):
        j, p = positive(B.columns[positive(B.column[k])]), positive(B.place[k])
        a0 = y[j] + (B.data[p] * f + B.data[p + 3] * g + B.data[p + 6] * h)
        a1 = y[j + 1] + (B.data[p + 1] * f + B.data[p + 4] * g + B.data[p + 7] * h)
        a2 = y[j + 2] + (B.data[p + 2] * f + B.data[p + 5] * g + B.data[p + 8] * h)
        y[j], y[j + 1], y[j + 2] = a0, a1, a2


@kernel
def multiply_row_transposed(B, i, x, y):
    """y += B' x with block row i alone"""
    if B.width[i] == 6:
        multiply_sixes_transposed(B, i, x, y)
    elif B.width[i] == 3:
        multiply_threes_transposed(B, i, x, y)
    else:
        multiply_any_transposed(B, i, x, y)


@kernel
def multiply_any_transposed(B, i, x, y):
    """y += B' x with a block row"""
    top, height = B.rows[i], B.rows[i + 1] - B.rows[i]
    for k in range(B.first[i], B.first[i + 1]):
        j = B.columns[B.column[k]]
        block_transposed_times(B.data, B.place[k], height, B.columns[B.column[k] + 1] - j, x, top, y, j)


def fill(B, values, out):
    """Write these numbers, in the places of the blocks of B, to the full matrix ``out``"""
    for i in range(len(B.rows) - 1):
        for k in range(B.first[i], B.first[i + 1]):
            top, p = B.columns[B.column[k]], B.place[k]
            width = B.columns[B.column[k] + 1] - top
            for r in range(B.rows[i + 1] - B.rows[i]):
                for c in range(width):
                    out[B.rows[i] + r, top + c] = values[p + r * width + c]


@called_kernel
def multiply(B, x, y, first, last):
    """y = B x in the block rows from ``first`` to ``last``, this one not included"""
    for i in range(first, last):
        multiply_row(B, i, x, y)


@called_kernel
def diagonal(B, out):
    """Compute the diagonal entries of a matrix whose block rows and block columns are the same"""
    for i in range(len(B.rows) - 1):
        top, height = B.rows[i], B.rows[i + 1] - B.rows[i]
        for r in range(height):
            out[top + r] = 0.0
        for k in range(B.first[i], B.first[i + 1]):
            if B.column[k] == i:
                for r in range(height):
                    out[top + r] = B.data[B.place[k] + r * height + r]


fill = entry_point(fill)
