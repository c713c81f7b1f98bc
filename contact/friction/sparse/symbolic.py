"""The pattern of the Cholesky factor L of a sparse symmetric matrix of blocks: found once, for many matrices.

Column j of L has the rows of column j of the matrix, and those of all earlier columns whose first row below the diagonal
is j: its children in the elimination tree. The blocks of L are numbered column after column; the rows of L are lists of
these numbers, which a factorisation that goes from left to right needs.

Source: T. A. Davis, "Direct methods for sparse linear systems" (SIAM, 2006), sections 4.1 to 4.4, taken from entries to
blocks.

Lower estimate of the operations of a factorisation, from the pattern alone and without an order of elimination.

To find an order for a hundred thousand contacts that all touch takes seconds, and its fill takes gigabytes. Walking
through the pattern breadth first, from one of its ends, takes milliseconds. It counts the levels, and a cut that separates
the pattern in two has about as many blocks as a level. The last block to be eliminated, the cut in the middle, is full, so
that a chain costs little and a heap much:

    operations = (rows in a level on average)^3

That is 0.1 to 0.8 of the count for minimum degree on packings of spheres from 1,000 to 20,000 contacts, and 0.004 to 0.5
on published problems from 13 to 260: an estimate from below.

Source: A. George and J. W. H. Liu, "An implementation of a pseudoperipheral node finder" (1979), for levels from an end;
R. J. Lipton, D. J. Rose and R. E. Tarjan, "Generalized nested dissection" (1979), for the cube of the cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.contact.friction.sparse.ordering import minimum_degree
from pluecker.spatial.engine.compiled.decorators import (
    entry_point,
    kernel,
    positive,
)
from pluecker.spatial.engine.parallel.interruption import answering

__all__ = ["Symbolic", "analyse", "least_operations", "places_of_column"]


class Symbolic(NamedTuple):
    """The pattern of a factor L. Rows and columns of blocks are counted in the order of elimination.

    Attributes:
        order: the block of the matrix that is eliminated first, second, ..., ``(n,)``.
        start: where each block starts in the vectors of the matrix, in the order of elimination, ``(n,)``.
        size: the rows of each block, ``(n,)``.
        threes: 1 for a column of L whose blocks are all 3 by 3, 0 for others, ``(n,)``.
        first: where the blocks of each column of L start in ``row`` and ``place``, ``(n + 1,)``.
        row: the rows of the blocks below the diagonal, ascending in each column, ``(blocks,)``.
        place: where these blocks start among the numbers of L, row by row, ``(blocks,)``.
        pivot: where the diagonal blocks start, ``(n,)``.
        across: where the blocks of each row of L, left of the diagonal, start in ``position``, ``(n + 1,)``.
        position: these blocks, as positions in ``row``, ``(blocks,)``.
        column: the columns that they are in, ``(blocks,)``.
        target: where each block of N goes, transposed, among the numbers of L, -1 for those that do not, ``(nnz,)``.
        square: where the block D_i of each block i of N starts in the numbers of D, ``(n + 1,)``.
        numbers: how many numbers L has, and about how many operations a factorisation takes, ``(2,)``.
    """

    order: Indices
    start: Indices
    size: Indices
    threes: Indices
    first: Indices
    row: Indices
    place: Indices
    pivot: Indices
    across: Indices
    position: Indices
    column: Indices
    target: Indices
    square: Indices
    numbers: Indices


@kernel
def add_up(counts):
    """Replace each number by the sum of all up to it, in place"""
    for i in range(1, len(counts)):
        counts[i] += counts[i - 1]


@kernel
def columns_of_factor(first, column, order, rank):
    """Find the rows of L in each column: those of the matrix, and those of its children (columns whose first row it is)"""
    n = len(order)
    rows = np.empty(2 * len(column) + 16, np.int64)
    begin, top = np.zeros(n + 1, np.int64), 0
    child, sibling, mark = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    for j in range(n):
        mark[j], parent = j, n
        need, c = first[order[j] + 1] - first[order[j]], child[j]
        while c >= 0:
            need += begin[c + 1] - begin[c]
            c = sibling[c]
        if top + need > len(rows):
            longer = np.empty(2 * (top + need), np.int64)
            for k in range(top):
                longer[k] = rows[k]
            rows = longer
        for k in range(first[order[j]], first[order[j] + 1]):
            i = rank[column[k]]
            if i > j and mark[i] != j:
                mark[i], rows[top] = j, i
                top += 1
                parent = min(parent, i)
        c = child[j]
        while c >= 0:
            for k in range(begin[c], begin[c + 1]):
                i = rows[k]
                if mark[i] != j:
                    mark[i], rows[top] = j, i
                    top += 1
                    parent = min(parent, i)
            c = sibling[c]
        if parent < n:
            sibling[j] = child[parent]
            child[parent] = j
        begin[j + 1] = top
    return begin, rows[:top]


def find_pattern(N):
    """Find the pattern of the factor of N, by compiled code; see :func:`analyse`"""
    n = len(N.rows) - 1
    size_of = np.empty(n, np.int64)
    # By loops, here and below: what NumPy says of shapes that differ takes long to compile.
    for i in range(n):
        size_of[i] = N.rows[i + 1] - N.rows[i]
    order = minimum_degree(N.first, N.column, size_of)
    rank = np.empty(n, np.int64)
    for j in range(n):
        rank[order[j]] = j
    first, unsorted = columns_of_factor(N.first, N.column, order, rank)
    # rows of L, in which columns ascend since they are visited so; then columns of L, in which rows ascend for that reason
    across = np.zeros(n + 1, np.int64)
    for k in range(len(unsorted)):
        across[unsorted[k] + 1] += 1
    add_up(across)
    column, position, row = (
        np.empty(len(unsorted), np.int64),
        np.empty(len(unsorted), np.int64),
        np.empty_like(unsorted),
    )
    free = across[:-1].copy()
    for j in range(n):
        for k in range(first[j], first[j + 1]):
            i = unsorted[k]
            column[free[i]] = j
            free[i] += 1
    free = first[:-1].copy()
    for i in range(n):
        for k in range(across[i], across[i + 1]):
            j = column[k]
            row[free[j]], position[k] = i, free[j]
            free[j] += 1
    size, start = np.empty(n, np.int64), np.empty(n, np.int64)
    for j in range(n):
        size[j], start[j] = size_of[order[j]], N.rows[order[j]]
    place, pivot, top, operations = np.empty(len(row), np.int64), np.empty(n, np.int64), 0, 0
    threes = np.empty(n, np.int64)
    for j in range(n):
        pivot[j], height = top, size[j]
        top += size[j] * size[j]
        threes[j] = 1 if size[j] == 3 else 0
        for k in range(first[j], first[j + 1]):
            place[k] = top
            top += size[row[k]] * size[j]
            height += size[row[k]]
            if size[row[k]] != 3:
                threes[j] = 0
        operations += size[j] * height * height
    target, square, where = np.empty(len(N.column), np.int64), np.zeros(n + 1, np.int64), np.empty(n, np.int64)
    for i in range(n):
        square[i + 1] = size_of[i] * size_of[i]
    add_up(square)
    for j in range(n):
        where[j] = pivot[j]
        for k in range(first[j], first[j + 1]):
            where[row[k]] = place[k]
        for k in range(N.first[order[j]], N.first[order[j] + 1]):
            target[k] = -1
            if rank[N.column[k]] >= j:
                target[k] = where[rank[N.column[k]]]
    numbers = np.empty(2, np.int64)
    numbers[0], numbers[1] = top, operations
    return order, start, size, threes, first, row, place, pivot, across, position, column, target, square, numbers


find_pattern = entry_point(find_pattern, allocates=True)


def analyse(N: BlockMatrix) -> Symbolic:
    """Find the pattern of the factor of N + D.

    Args:
        N: the same blocks in rows and columns, with a symmetric pattern: block ij is kept if block ji is.

    Returns:
        The pattern. The numbers of N are not looked at.
    """
    return Symbolic(*answering(find_pattern, N))


@kernel
def places_of_column(S, j, where):
    """Write where each block of column j of a factor starts to ``where[row]``; return where the last one ends"""
    where[j] = positive(S.pivot[j])
    for k in range(positive(S.first[j]), positive(S.first[j + 1])):
        where[positive(S.row[k])] = S.place[k]
    return S.pivot[j + 1] if j + 1 < len(S.order) else S.numbers[0]


# lower estimate of the operations of a factorisation, from the pattern alone and without an order of elimination


WALKS = 2  # from any block to an end, and from that end to the other


def least_operations(N: BlockMatrix) -> float:
    """Estimate from below how many operations a factorisation of N takes.

    They are counted as :attr:`~pluecker.contact.friction.sparse.symbolic.Symbolic.numbers` does.

    Args:
        N: all blocks of one island, and a symmetric pattern.
    """
    n = len(N.rows) - 1
    if n == 0:
        return 0.0
    order, end, levels, reached = np.empty(n, np.int64), 0, 1, n
    for _ in range(WALKS):
        levels, reached = walk(N, end, order, np.zeros(n, bool))
        end = int(order[reached - 1])
    return float(N.rows[-1] / n * reached / levels) ** 3


def walk(N, start, order, met):
    """Walk breadth first from a block; return the numbers of levels and of blocks that were met, which are in ``order`` then

    ``met`` is false for all.
    """
    order[0], met[start] = start, True
    head, found, end, levels = 0, 1, 1, 1
    while head < found:
        if head == end:
            end, levels = found, levels + 1
        i = order[head]
        head += 1
        for k in range(N.first[i], N.first[i + 1]):
            j = N.column[k]
            if not met[j]:
                order[found], met[j] = j, True
                found += 1
    return levels, found


walk = entry_point(walk)
