"""Triangular solutions with many right-hand sides, and rows of a block matrix put together: what an elimination runs on.

Rows of joints come one by one, and those of one joint have the same columns. Put one above the other they are one block row,
so that the order of elimination and the pattern of a factor are found for joints and not for rows.

Source: as in :mod:`~pluecker.contact.friction.sparse.cholesky`, whose factors these are.
"""

from __future__ import annotations

import numpy as np

from pluecker.spatial.engine.compiled.decorators import entry_point, kernel

__all__ = ["backward", "forward", "stack_rows"]


@kernel
def subtract_multiple(f, Y, source, target, m):
    """Y[target : target + m] -= f Y[source : source + m]"""
    for q in range(m):
        Y[target + q] -= f * Y[source + q]


@kernel
def multiply_by(f, Y, target, m):
    """Y[target : target + m] *= f"""
    for q in range(m):
        Y[target + q] *= f


def forward(S, L, at, width, Y):
    """Y := L^-1 Y; zero in rows whose pivots were left out.

    Args:
        S: what :func:`~pluecker.contact.friction.sparse.symbolic.analyse` returned.
        L: what :func:`~pluecker.contact.friction.sparse.cholesky.factor` wrote.
        at: where the right-hand sides of each row of the matrix start in Y, ``(m,)``.
        width: how many right-hand sides the rows of each block have, in the order of elimination, ``(n,)``; the same for
            all that are joined.
        Y: the right-hand sides; become the solution.
    """
    for j in range(len(S.order)):
        m, size, p, top = width[j], S.size[j], S.pivot[j], S.start[j]
        if m == 0:
            continue
        for r in range(size):
            for c in range(r):
                subtract_multiple(L[p + r * size + c], Y, at[top + c], at[top + r], m)
            multiply_by(L[p + r * size + r], Y, at[top + r], m)
        for k in range(S.first[j], S.first[j + 1]):
            a, i = S.place[k], S.start[S.row[k]]
            for r in range(S.size[S.row[k]]):
                for c in range(size):
                    subtract_multiple(L[a + r * size + c], Y, at[top + c], at[i + r], m)


def backward(S, L, at, width, Y):
    """Y := L'^-1 Y, with the arguments of :func:`forward`."""
    for j in range(len(S.order) - 1, -1, -1):
        m, size, p, top = width[j], S.size[j], S.pivot[j], S.start[j]
        if m == 0:
            continue
        for k in range(S.first[j], S.first[j + 1]):
            a, i = S.place[k], S.start[S.row[k]]
            for r in range(S.size[S.row[k]]):
                for c in range(size):
                    subtract_multiple(L[a + r * size + c], Y, at[i + r], at[top + c], m)
        for r in range(size - 1, -1, -1):
            for c in range(r + 1, size):
                subtract_multiple(L[p + c * size + r], Y, at[top + c], at[top + r], m)
            multiply_by(L[p + r * size + r], Y, at[top + r], m)


def stack_rows(B, chosen, group):
    """Stack block rows of B, those of each group in one block row; the columns of a group are the same.

    Args:
        B: a :class:`~pluecker.contact.friction.sparse.blocks.BlockMatrix`.
        chosen: block rows, ``(c,)``.
        group: where each group starts in ``chosen``, and its end, ``(g + 1,)``.

    Returns:
        The fields of a block matrix.
    """
    n = len(group) - 1
    rows, first, size = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), 0
    for g in range(n):
        i, height = chosen[group[g]], 0
        for e in range(group[g], group[g + 1]):
            height += B.rows[chosen[e] + 1] - B.rows[chosen[e]]
        rows[g + 1], first[g + 1] = rows[g] + height, first[g] + B.first[i + 1] - B.first[i]
        for k in range(B.first[i], B.first[i + 1]):
            size += height * (B.columns[B.column[k] + 1] - B.columns[B.column[k]])
    column, place, data = np.empty(first[n], np.int64), np.empty(first[n], np.int64), np.empty(size)
    p = 0
    for g in range(n):
        for t in range(first[g + 1] - first[g]):
            j = B.column[B.first[chosen[group[g]]] + t]
            column[first[g] + t], place[first[g] + t] = j, p
            width = B.columns[j + 1] - B.columns[j]
            for e in range(group[g], group[g + 1]):
                i = chosen[e]
                q = B.place[B.first[i] + t]
                for _ in range((B.rows[i + 1] - B.rows[i]) * width):
                    data[p] = B.data[q]
                    p, q = p + 1, q + 1
    return rows, B.columns, first, column, place, data, np.zeros(n, np.int64)


forward, backward, stack_rows = entry_point(forward), entry_point(backward), entry_point(stack_rows, allocates=True)
