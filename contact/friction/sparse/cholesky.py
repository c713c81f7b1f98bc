"""Cholesky factors of a sparse symmetric matrix of small dense blocks: P (N + D) P' = L L', with D block diagonal.

Interior-point and Newton methods factor many matrices with one pattern. The order of elimination P and the pattern of L
are found once (:func:`~pluecker.contact.friction.sparse.symbolic.analyse`), each factorisation then runs over blocks: column
j of L is the column of the matrix less what the columns k before it contribute,

    L_ij L_jj' = A_ij - sum_{k < j} L_ik L_jk',        i >= j,

with a loop that is written out where all blocks are 3 by 3. A pivot that is not more than rounding leaves of its diagonal
entry belongs to a direction that the matrix does not resist: it is left out, the unknown becomes zero, and such pivots are
counted. A consistent singular system is solved by that.

==================  ==================================================================================================
function            what it does
==================  ==================================================================================================
``analyse``         the order of elimination and the pattern of L: from the pattern of N alone
``factor``          the numbers of L
``solve``           x of (N + D) x = b
==================  ==================================================================================================

Source: T. A. Davis, "Direct methods for sparse linear systems" (SIAM, 2006), section 4.9, taken from entries to blocks.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.sparse.blocks import BlockMatrix
from pluecker.contact.friction.sparse.symbolic import Symbolic, analyse, places_of_column
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel, positive
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.engine.scalars.threes import subtract_product
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Symbolic", "analyse", "factor", "factor_in", "solve"]


@kernel
def subtract_threes(S, L, where, k, q):
    """C_i -= A_i B' for the blocks of column k from position q on, whose first is B; all are 3 by 3"""
    b = positive(S.place[q])
    B = (L[b], L[b + 1], L[b + 2], L[b + 3], L[b + 4], L[b + 5], L[b + 6], L[b + 7], L[b + 8])
    for p in range(positive(q), positive(S.first[k + 1])):
        subtract_product(L, positive(S.place[p]), positive(where[positive(S.row[p])]), B)


@kernel
def subtract_any(S, L, where, j, k, q):
    """C_i -= A_i B', see :func:`subtract_threes`, for blocks of any sizes; most of those of mechanisms are single rows"""
    first, columns, inner = positive(S.place[q]), positive(S.size[j]), positive(S.size[k])
    for p in range(positive(q), positive(S.first[k + 1])):
        i = positive(S.row[p])
        a, c, rows = positive(S.place[p]), positive(where[i]), positive(S.size[i])
        if columns == 1 and inner == 1:
            for r in range(rows):
                L[c + r] -= L[a + r] * L[first]
            continue
        for _ in range(rows):
            b = first
            for s in range(columns):
                x = 0.0
                for t in range(inner):
                    x += L[a + t] * L[b + t]
                L[c + s] -= x
                b += inner
            a += inner
            c += columns


@kernel
def factor_pivot(L, p, n, floor, top):
    """Factor the diagonal block at p, lower triangle, with 1 / L_jj on the diagonal

    It is 0 for pivots that are left out; returns how many are.
    """
    count = 0
    for j in range(n):
        d = L[p + j * n + j]
        for k in range(j):
            d -= L[p + j * n + k] * L[p + j * n + k]
        inverse = 1.0 / np.sqrt(d) if d > floor[top + j] else 0.0
        if inverse == 0.0:
            count += 1
        L[p + j * n + j] = inverse
        for i in range(j + 1, n):
            x = L[p + i * n + j]
            for k in range(j):
                x -= L[p + i * n + k] * L[p + j * n + k]
            L[p + i * n + j] = x * inverse
    return count


@kernel
def divide_threes(L, p, a, end):
    """B := B L_jj'^-1 for the 3 by 3 blocks one after the other from a to ``end``, with the factor at p"""
    d0, d3, d4, d6, d7, d8 = L[p], L[p + 3], L[p + 4], L[p + 6], L[p + 7], L[p + 8]
    for k in range(a, end, 3):
        b = positive(k)
        x = L[b] * d0
        y = (L[b + 1] - x * d3) * d4
        L[b], L[b + 1], L[b + 2] = x, y, (L[b + 2] - x * d6 - y * d7) * d8


@kernel
def divide_any(L, p, n, a, end):
    """B := B L_jj'^-1 for consecutive rows of n numbers from a to ``end``, with the n by n factor at p"""
    while a < end:
        for j in range(n):
            x = L[a + j]
            for k in range(j):
                x -= L[a + k] * L[p + j * n + k]
            L[a + j] = x * L[p + j * n + j]
        a += n


@kernel
def scatter(S, N, data, D, L, floor, tiny):
    """Copy the lower triangle of N + D to the places of L; ``floor``: pivots that are not above it are rounding"""
    for k in range(len(L)):
        L[k] = 0.0
    for j in range(len(S.order)):
        i, n = positive(S.order[j]), positive(S.size[j])
        for k in range(positive(N.first[i]), positive(N.first[i + 1])):
            if S.target[k] >= 0:
                p, q, column = positive(N.place[k]), positive(S.target[k]), positive(N.column[k])
                width = positive(N.columns[column + 1] - N.columns[column])
                for c in range(width):
                    for r in range(n):
                        L[q + c * n + r] = data[p + r * width + c]
        for k in range(n * n):
            L[positive(S.pivot[j]) + k] += D[positive(S.square[i]) + k]
        for k in range(n):
            floor[S.start[j] + k] = tiny * L[S.pivot[j] + k * n + k]


def factor(S: Symbolic, N: BlockMatrix, data: Array, D: Array, tiny: float, L: Array) -> int:
    """Compute the numbers of L, for N + D.

    Args:
        S: what :func:`analyse` returned.
        N: the matrix whose pattern was analysed.
        data: its numbers, in the places of ``N.data``: those, or others with the same pattern, symmetric.
        D: the diagonal blocks that are added, one after the other, row by row, ``(S.square[-1],)``.
        tiny: a pivot is left out if it is not above this part of its diagonal entry in N + D, or not positive. 1e-14 for
            matrices that are definite, but for rounding; 1e-10 where the rank shall be found.
        L: the numbers of the factor, ``(S.numbers[0],)``; written.

    Returns:
        How many pivots were left out: 0 for a matrix that is positive definite, beyond rounding. All of them, and L is not a
        factor, where the work was interrupted.
    """
    return int(factor_in(S, N, data, D, tiny, L, np.empty(int(N.rows[-1])), np.empty(len(S.order), np.int64)))


@called_kernel
def factor_in(S, N, data, D, tiny, L, floor, where):
    """Compute the numbers of L, see :func:`factor`, with workspace from the caller; return how many pivots were left out

    ``floor``: ``(m,)`` numbers; ``where``: ``(n,)`` integers, one for each block row.
    """
    n, count = len(S.order), 0
    scatter(S, N, data, D, L, floor, tiny)
    for j in range(n):
        size, p = positive(S.size[j]), positive(S.pivot[j])
        end = places_of_column(S, j, where)
        threes = S.threes[j] == 1
        for t in range(positive(S.across[j]), positive(S.across[j + 1])):
            if interrupted():
                return n
            k = positive(S.column[t])
            if threes and S.threes[k] == 1:
                subtract_threes(S, L, where, k, positive(S.position[t]))
            else:
                subtract_any(S, L, where, j, k, S.position[t])
        count += factor_pivot(L, p, size, floor, S.start[j])
        if size == 3:
            divide_threes(L, p, p + 9, positive(end))
        else:
            divide_any(L, p, size, p + size * size, end)
    return count


@called_kernel
def solve(S, L, x):
    """x := (L L')^-1 x; zero for unknowns whose pivots were left out.

    Args:
        S: what :func:`analyse` returned.
        L: what :func:`factor` wrote.
        x: the right-hand side, in the order of the matrix; becomes the solution.
    """
    n = len(S.order)
    for j in range(n):
        size, p, top = S.size[j], positive(S.pivot[j]), positive(S.start[j])
        if S.threes[j] == 1:
            x0 = x[top] * L[p]
            x1 = (x[top + 1] - L[p + 3] * x0) * L[p + 4]
            x2 = (x[top + 2] - L[p + 6] * x0 - L[p + 7] * x1) * L[p + 8]
            x[top], x[top + 1], x[top + 2] = x0, x1, x2
            for k in range(positive(S.first[j]), positive(S.first[j + 1])):
                a, i = positive(S.place[k]), positive(S.start[positive(S.row[k])])
                y0 = x[i] - (L[a] * x0 + L[a + 1] * x1 + L[a + 2] * x2)
                y1 = x[i + 1] - (L[a + 3] * x0 + L[a + 4] * x1 + L[a + 5] * x2)
                y2 = x[i + 2] - (L[a + 6] * x0 + L[a + 7] * x1 + L[a + 8] * x2)
                x[i], x[i + 1], x[i + 2] = y0, y1, y2
        else:
            for r in range(size):
                for c in range(r):
                    x[top + r] -= L[p + r * size + c] * x[top + c]
                x[top + r] *= L[p + r * size + r]
            for k in range(S.first[j], S.first[j + 1]):
                a, i = S.place[k], S.start[S.row[k]]
                for r in range(S.size[S.row[k]]):
                    for c in range(size):
                        x[i + r] -= L[a + r * size + c] * x[top + c]
    for j in range(n - 1, -1, -1):
        size, p, top = S.size[j], positive(S.pivot[j]), positive(S.start[j])
        if S.threes[j] == 1:
            x0, x1, x2 = x[top], x[top + 1], x[top + 2]
            for k in range(positive(S.first[j]), positive(S.first[j + 1])):
                a, i = positive(S.place[k]), positive(S.start[positive(S.row[k])])
                y0, y1, y2 = x[i], x[i + 1], x[i + 2]
                x0 -= L[a] * y0 + L[a + 3] * y1 + L[a + 6] * y2
                x1 -= L[a + 1] * y0 + L[a + 4] * y1 + L[a + 7] * y2
                x2 -= L[a + 2] * y0 + L[a + 5] * y1 + L[a + 8] * y2
            x2 = x2 * L[p + 8]
            x1 = (x1 - L[p + 7] * x2) * L[p + 4]
            x[top], x[top + 1], x[top + 2] = (x0 - L[p + 3] * x1 - L[p + 6] * x2) * L[p], x1, x2
        else:
            for k in range(S.first[j], S.first[j + 1]):
                a, i = S.place[k], S.start[S.row[k]]
                for r in range(S.size[S.row[k]]):
                    for c in range(size):
                        x[top + c] -= L[a + r * size + c] * x[i + r]
            for r in range(size - 1, -1, -1):
                for c in range(r + 1, size):
                    x[top + r] -= L[p + c * size + r] * x[top + c]
                x[top + r] *= L[p + r * size + r]
