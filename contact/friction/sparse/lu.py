"""LU factors of a sparse matrix of small dense blocks, with a symmetric pattern and any numbers: P A P' = L U.

Newton's methods on Coulomb's law factor many matrices that are not symmetric, with the pattern of a symmetric one. The
order of elimination and the pattern of the factors are those of Cholesky
(:mod:`~pluecker.contact.friction.sparse.cholesky`): L has the identity on its diagonal, U has the pattern of L', and its
blocks lie transposed in the places of those of L. Column j of both is the column of the matrix, and that of its transpose,
less what the columns k before it contribute,

    L_ij D_j = A_ij - sum_{k < j} L_ik U_kj,        U_ji' = A_ji' - sum_{k < j} U_ki' L_jk',        D_j = U_jj.

There are no interchanges of blocks, only of rows inside of diagonal blocks: for matrices ``(1 - V) + V N`` with N positive
semidefinite and 0 <= V <= 1, rows of a definite matrix but for their scale, that is as stable as Cholesky's factor. What
other matrices lose is seen when the solution is put in, and made good by refinement.

==================  ==================================================================================================
function            what it does
==================  ==================================================================================================
``mirrored``        which block is the transposed one of each
``make_factors``    memory
``factor_lu``       the numbers of L and U, and the sign of the determinant
``solve_lu``        x of A x = b
==================  ==================================================================================================

Sources: T. A. Davis, "Direct methods for sparse linear systems" (SIAM, 2006), chapter 6, taken from entries to blocks; X. S.
Li and J. W. Demmel, "SuperLU_DIST" (ACM Transactions on Mathematical Software 29, 2003), for static pivots with refinement.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices, multiply
from pluecker.contact.friction.sparse.symbolic import Symbolic, analyse, places_of_column
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel, entry_point, positive
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.engine.scalars.threes import subtract_product
from pluecker.spatial.functions.elementwise import Array

__all__ = ["REFINED_RESIDUAL", "Factors", "factor_lu", "make_factors", "mirrored", "solve_lu"]

REFINEMENTS = 3
REFINED_RESIDUAL = (
    1e-11  # of the right-hand side: what a solution may miss it by; steps of Newton's method need no more
)


class Factors(NamedTuple):
    """L and U, and what they are made in.

    Attributes:
        S: their pattern, for U that of its transpose.
        mirror: the block of the matrix that is the transposed one of each, ``(nnz,)``.
        L: the numbers of L, and in the places of its diagonal blocks the inverses of those of U.
        U: the numbers of U, each block transposed.
        where: the place of each block of one column, ``(n,)``.
        work: as many numbers as a block has, and two rows of it more.
        vectors: ``(3, m)``.
    """

    S: Symbolic
    mirror: Indices
    L: Array
    U: Array
    where: Indices
    work: Array
    vectors: Array


def make_factors(N: BlockMatrix, S: Symbolic | None = None) -> Factors:
    """Allocate factors of matrices with the blocks of N, whose pattern is symmetric; S is found unless it is known."""
    S = analyse(N) if S is None else S
    count, most = int(S.numbers[0]), int(S.size.max(initial=0))
    n, m = len(S.order), int(N.rows[-1])
    return Factors(
        S, mirrored(N), np.empty(count), np.empty(count), np.empty(n, np.int64), np.empty(2 * most), np.empty((3, m))
    )


def mirrored(N: BlockMatrix) -> Indices:
    """Return the number of block ji for each block ij, in a symmetric pattern whose columns ascend in each row."""
    mirror = np.zeros(len(N.column), np.int64)
    find_mirrored(N, N.first[:-1].copy(), mirror)
    return mirror


def find_mirrored(N, free, mirror):
    """Write the number of block ji for each block ij to ``mirror``

    ``free``: where the blocks of each row start; overwritten. The loop over rows i meets the blocks of each row j in the
    order of their columns.
    """
    for i in range(len(N.first) - 1):
        for k in range(N.first[i], N.first[i + 1]):
            j = N.column[k]
            if free[j] < N.first[j + 1]:  # in any pattern nothing is written elsewhere
                mirror[free[j]] = k
                free[j] += 1


find_mirrored = entry_point(find_mirrored)


@allocation_free_kernel
def scatter(F, N, values):
    """Copy the lower triangle of the matrix to the places of L, and its transposed upper one to those of U"""
    S, L, U = F.S, F.L, F.U
    for k in range(len(L)):
        L[k], U[k] = 0.0, 0.0
    for j in range(len(S.order)):
        i, n = positive(S.order[j]), positive(S.size[j])
        for k in range(positive(N.first[i]), positive(N.first[i + 1])):
            if S.target[k] >= 0:
                p, q, t = positive(N.place[k]), positive(S.target[k]), positive(N.place[F.mirror[k]])
                width = positive(N.columns[N.column[k] + 1] - N.columns[N.column[k]])
                for c in range(width):
                    for r in range(n):
                        U[q + c * n + r] = values[p + r * width + c]
                        L[q + c * n + r] = values[t + c * n + r]


@allocation_free_kernel
def subtract_threes(S, L, U, where, k, q):
    """L_i -= L_ik U_jk' and U_i -= U_ik L_jk' for the blocks of column k from position q on, that of j; all are 3 by 3

    U has its blocks transposed.
    """
    b = positive(S.place[q])
    A = (L[b], L[b + 1], L[b + 2], L[b + 3], L[b + 4], L[b + 5], L[b + 6], L[b + 7], L[b + 8])
    B = (U[b], U[b + 1], U[b + 2], U[b + 3], U[b + 4], U[b + 5], U[b + 6], U[b + 7], U[b + 8])
    for p in range(positive(q), positive(S.first[k + 1])):
        a, c = positive(S.place[p]), positive(where[positive(S.row[p])])
        subtract_product(L, a, c, B)
        subtract_product(U, a, c, A)


@allocation_free_kernel
def subtract_any(S, L, U, where, j, k, q):
    """L_i -= L_ik U_jk' and U_i -= U_ik L_jk', see :func:`subtract_threes`, for blocks of any sizes; many are single rows"""
    first, columns, inner = positive(S.place[q]), positive(S.size[j]), positive(S.size[k])
    for p in range(positive(q), positive(S.first[k + 1])):
        i = positive(S.row[p])
        a, c, rows = positive(S.place[p]), positive(where[i]), positive(S.size[i])
        if columns == 1 and inner == 1:
            for r in range(rows):
                L[c + r] -= L[a + r] * U[first]
                U[c + r] -= U[a + r] * L[first]
            continue
        for _ in range(rows):
            b = first
            for s in range(columns):
                x, y = 0.0, 0.0
                for t in range(inner):
                    x += L[a + t] * U[b + t]
                    y += U[a + t] * L[b + t]
                L[c + s] -= x
                U[c + s] -= y
                b += inner
            a += inner
            c += columns


@allocation_free_kernel
def invert(A, p, n, swap):
    """Invert the block at p in place, by Gauss and Jordan with interchanges of rows

    Returns the sign of the determinant, 0 where there is no inverse.
    """
    sign = 1.0
    for j in range(n):
        best = j
        for i in range(j + 1, n):
            if abs(A[p + i * n + j]) > abs(A[p + best * n + j]):
                best = i
        swap[j] = best
        pivot = A[p + best * n + j]
        if not abs(pivot) > 0.0:
            return 0.0
        if (pivot < 0.0) != (best != j):
            sign = -sign
        for c in range(n):
            A[p + best * n + c], A[p + j * n + c] = A[p + j * n + c], A[p + best * n + c]
        A[p + j * n + j] = 1.0
        for c in range(n):
            A[p + j * n + c] /= pivot
        for i in range(n):
            if i != j:
                x = A[p + i * n + j]
                A[p + i * n + j] = 0.0
                for c in range(n):
                    A[p + i * n + c] -= x * A[p + j * n + c]
    for j in range(n - 1, -1, -1):
        best = int(swap[j])
        for i in range(n):
            A[p + i * n + j], A[p + i * n + best] = A[p + i * n + best], A[p + i * n + j]
    return sign


@allocation_free_kernel
def multiply_rows(A, p, n, a, end, work):
    """B := B D for the blocks one after the other from a to ``end``, with D at p"""
    for b in range(a, end, n):
        for c in range(n):
            x = 0.0
            for t in range(n):
                x += A[b + t] * A[p + t * n + c]
            work[c] = x
        for c in range(n):
            A[b + c] = work[c]


@allocation_free_kernel
def multiply_rows_of_three(A, p, a, end):
    """B := B D for consecutive rows of three numbers from a to ``end``, with the 3 by 3 block D at p"""
    d0, d1, d2, d3, d4 = A[p], A[p + 1], A[p + 2], A[p + 3], A[p + 4]
    d5, d6, d7, d8 = A[p + 5], A[p + 6], A[p + 7], A[p + 8]
    for k in range(a, end, 3):
        b = positive(k)
        x, y, z = A[b], A[b + 1], A[b + 2]
        A[b], A[b + 1], A[b + 2] = x * d0 + y * d3 + z * d6, x * d1 + y * d4 + z * d7, x * d2 + y * d5 + z * d8


@called_kernel
def factor_lu(F, N, values):
    """Compute the numbers of L and U, of the matrix with these values in the places of the blocks of N

    Returns the sign of the determinant, 0 without such factors: where a diagonal block becomes singular, where numbers
    overflow, or where the work was interrupted.
    """
    S, L, U, where = F.S, F.L, F.U, F.where
    n, sign = len(S.order), 1.0
    scatter(F, N, values)
    for j in range(n):
        size, p = positive(S.size[j]), positive(S.pivot[j])
        end = places_of_column(S, j, where)
        threes = S.threes[j] == 1
        for t in range(positive(S.across[j]), positive(S.across[j + 1])):
            if interrupted():
                return 0.0
            k, q = positive(S.column[t]), positive(S.position[t])
            if threes and S.threes[k] == 1:
                subtract_threes(S, L, U, where, k, q)
            else:
                subtract_any(S, L, U, where, j, k, q)
        sign *= invert(L, p, size, F.work)
        if sign == 0.0:
            return 0.0
        if size == 3:
            multiply_rows_of_three(L, p, p + 9, positive(end))
        else:
            multiply_rows(L, p, size, p + size * size, end, F.work)
    return sign


@allocation_free_kernel
def forward_of_threes(F, x, j):
    """x_i -= L_ij x_j for all blocks i after j, where all blocks of column j are 3 by 3"""
    S, L, top = F.S, F.L, positive(F.S.start[j])
    x0, x1, x2 = x[top], x[top + 1], x[top + 2]
    for k in range(positive(S.first[j]), positive(S.first[j + 1])):
        a, i = positive(S.place[k]), positive(S.start[S.row[k]])
        x[i] -= L[a] * x0 + L[a + 1] * x1 + L[a + 2] * x2
        x[i + 1] -= L[a + 3] * x0 + L[a + 4] * x1 + L[a + 5] * x2
        x[i + 2] -= L[a + 6] * x0 + L[a + 7] * x1 + L[a + 8] * x2


@allocation_free_kernel
def forward_of_any(F, x, j):
    """x_i -= L_ij x_j for all blocks i after j, for blocks of any sizes"""
    S, L, size, top = F.S, F.L, positive(F.S.size[j]), positive(F.S.start[j])
    for k in range(positive(S.first[j]), positive(S.first[j + 1])):
        a, i, rows = positive(S.place[k]), positive(S.start[S.row[k]]), positive(S.size[S.row[k]])
        for r in range(rows):
            y = 0.0
            for c in range(size):
                y += L[a + r * size + c] * x[top + c]
            x[i + r] -= y


@allocation_free_kernel
def backward_of_threes(F, x, j):
    """Compute block j of U^-1 x from those after it, where all blocks of column j are 3 by 3"""
    S, L, U, p, top = F.S, F.L, F.U, positive(F.S.pivot[j]), positive(F.S.start[j])
    y0, y1, y2 = x[top], x[top + 1], x[top + 2]
    for k in range(positive(S.first[j]), positive(S.first[j + 1])):
        a, i = positive(S.place[k]), positive(S.start[S.row[k]])
        x0, x1, x2 = x[i], x[i + 1], x[i + 2]
        y0 -= U[a] * x0 + U[a + 3] * x1 + U[a + 6] * x2
        y1 -= U[a + 1] * x0 + U[a + 4] * x1 + U[a + 7] * x2
        y2 -= U[a + 2] * x0 + U[a + 5] * x1 + U[a + 8] * x2
    x[top] = L[p] * y0 + L[p + 1] * y1 + L[p + 2] * y2
    x[top + 1] = L[p + 3] * y0 + L[p + 4] * y1 + L[p + 5] * y2
    x[top + 2] = L[p + 6] * y0 + L[p + 7] * y1 + L[p + 8] * y2


@allocation_free_kernel
def backward_of_any(F, x, j):
    """Compute block j of U^-1 x from those after it, for blocks of any sizes"""
    S, L, U, work = F.S, F.L, F.U, F.work
    size, p, top = positive(S.size[j]), positive(S.pivot[j]), positive(S.start[j])
    for c in range(size):
        work[c] = x[top + c]
    for k in range(positive(S.first[j]), positive(S.first[j + 1])):
        a, i, rows = positive(S.place[k]), positive(S.start[S.row[k]]), positive(S.size[S.row[k]])
        for r in range(rows):
            for c in range(size):
                work[c] -= U[a + r * size + c] * x[i + r]
    for r in range(size):
        y = 0.0
        for c in range(size):
            y += L[p + r * size + c] * work[c]
        x[top + r] = y


@allocation_free_kernel
def substitute(F, x):
    """x := U^-1 L^-1 x"""
    n = len(F.S.order)
    for j in range(n):
        if F.S.threes[j] == 1:
            forward_of_threes(F, x, j)
        else:
            forward_of_any(F, x, j)
    for j in range(n - 1, -1, -1):
        if F.S.threes[j] == 1:
            backward_of_threes(F, x, j)
        else:
            backward_of_any(F, x, j)


@called_kernel
def solve_lu(F, N, values, b, x):
    """Solve A x = b, refined while x misses b by more than :data:`REFINED_RESIDUAL` and that helps; return the miss

    Args:
        F: with the factors of the same values.
        N, values: the matrix.
        b: the right-hand side, ``(m,)``.
        x: written; another array.
    """
    A = BlockMatrix(N.rows, N.columns, N.first, N.column, N.place, values, N.width)
    r, product, step = F.vectors[0], F.vectors[1], F.vectors[2]
    missed, size = 0.0, 0.0
    for k in range(len(b)):
        x[k], step[k] = 0.0, b[k]
        size += b[k] * b[k]
    before = np.inf
    for _ in range(1 + REFINEMENTS):
        substitute(F, step)
        for k in range(len(b)):
            x[k] += step[k]
        multiply(A, x, product, 0, len(N.rows) - 1)
        missed = 0.0
        for k in range(len(b)):
            r[k] = b[k] - product[k]
            missed += r[k] * r[k]
        if not missed < 0.25 * before:
            if not missed < before:
                for k in range(len(b)):
                    x[k] -= step[k]
                missed = before
            break
        if missed <= REFINED_RESIDUAL * REFINED_RESIDUAL * size:
            break
        before = missed
        for k in range(len(b)):
            step[k] = r[k]
    return np.sqrt(missed / size) if size > 0.0 else 0.0
