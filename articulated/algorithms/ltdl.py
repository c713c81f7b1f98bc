"""The factor ``H = L^T D L`` of one tree's inertia matrix, with branch-induced sparsity: kernels.

L is unit lower triangular and has its entries where the packed matrix has (:mod:`pluecker.articulated.model.trees`): a row, and
the rows between it and the root. So the matrix is factorised in its place, no entry is filled, and each product with L
walks from the rows to the root. Inside a row the entries stand in the order of depth: two rows with an ancestor in
common have the entries above it at the same distances from their beginnings.

Sources: RBDA section 8.1 and 8.2, tables 6.3 to 6.5; Featherstone (2005), "Efficient factorization of the joint-space inertia
matrix for branched kinematic trees".
"""

from __future__ import annotations

from pluecker.articulated.model.layout import (
    FIRST_ROW,
    ROW_COUNT,
    factored_place,
    row_coordinate,
    row_depth,
    row_parent,
    tree_entry,
)
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.dense.ldl import reciprocal
from pluecker.spatial.scalars.operations import load, store

__all__ = ["factorize_ltdl", "invert_ltdl", "solve_ltdl"]


@kernel
def factorize_ltdl(m, t, smallest, pivots, factor):
    """Tree ``t``: L, and 1 / D in the diagonal places; a pivot up to ``smallest`` of its row is rounding error, and NaN"""
    first = tree_entry(m, t, FIRST_ROW)
    for k in range(first + tree_entry(m, t, ROW_COUNT) - 1, first - 1, -1):
        row, depth, i = factored_place(m, k), row_depth(m, k), row_parent(m, k)
        d = load(factor, row + depth)
        dk = reciprocal(d, load(smallest, k))
        store(pivots, k, d)
        store(factor, row + depth, dk)
        for a in range(depth - 1, -1, -1):
            above, x = factored_place(m, i), dk * load(factor, row + a)  # L_ki = H_ki / D_k
            for b in range(a + 1):  # H_ij = H_ij - L_ki H_kj
                store(factor, above + b, load(factor, above + b) - x * load(factor, row + b))
            store(factor, row + a, x)
            i = row_parent(m, i)


@kernel
def solve_ltdl(m, t, factor, x):
    """x from H x = b, with ``b`` in ``x``: first L^T y = b, then D L x = y"""
    first = tree_entry(m, t, FIRST_ROW)
    end = first + tree_entry(m, t, ROW_COUNT)
    for k in range(end - 1, first - 1, -1):
        row, i, y = factored_place(m, k), row_parent(m, k), load(x, row_coordinate(m, k))
        for a in range(row_depth(m, k) - 1, -1, -1):
            v = row_coordinate(m, i)
            store(x, v, load(x, v) - load(factor, row + a) * y)
            i = row_parent(m, i)
    for k in range(first, end):
        row, depth, i, v = factored_place(m, k), row_depth(m, k), row_parent(m, k), row_coordinate(m, k)
        y = load(factor, row + depth) * load(x, v)
        for a in range(depth - 1, -1, -1):
            y = y - load(factor, row + a) * load(x, row_coordinate(m, i))
            i = row_parent(m, i)
        store(x, v, y)


@kernel
def invert_ltdl(m, t, factor, Z):
    """Z = H^-1 of tree ``t``, of n x n in the order of its rows, row by row from the root on

    Of L Z = D^-1 L^-T nothing is below the diagonal: Z_ij = -sum_a L_ia Z_aj over the ancestors a of i, for all j < i, and
    Z_ii = 1 / D_i - sum_a L_ia Z_ai. Four columns go together, so that each entry of L is read once for them.
    """
    first, n = tree_entry(m, t, FIRST_ROW), tree_entry(m, t, ROW_COUNT)
    for i in range(n):
        j = 0
        while j < i - 3:
            invert_four(m, first, n, i, j, factor, Z)
            j += 4
        while j <= i:
            invert_one(m, first, n, i, j, factor, Z)
            j += 1


@kernel
def invert_four(m, first, n, i, j, factor, Z):
    """Four entries of row i before the diagonal, and their mirror images"""
    r = first + i
    row, a = factored_place(m, r), row_parent(m, r)
    z = 0.0 * load(factor, row)
    z0, z1, z2, z3 = z, z, z, z
    for d in range(row_depth(m, r) - 1, -1, -1):
        L, s = load(factor, row + d), (a - first) * n + j
        z0, z1 = z0 - L * load(Z, s), z1 - L * load(Z, s + 1)
        z2, z3 = z2 - L * load(Z, s + 2), z3 - L * load(Z, s + 3)
        a = row_parent(m, a)
    store_both(Z, n, i, j, z0)
    store_both(Z, n, i, j + 1, z1)
    store_both(Z, n, i, j + 2, z2)
    store_both(Z, n, i, j + 3, z3)


@kernel
def invert_one(m, first, n, i, j, factor, Z):
    """One entry of row i up to the diagonal, and its mirror image"""
    r = first + i
    row, depth, a = factored_place(m, r), row_depth(m, r), row_parent(m, r)
    z = load(factor, row + depth)
    if j < i:
        z = 0.0 * z
    for d in range(depth - 1, -1, -1):
        z = z - load(factor, row + d) * load(Z, (a - first) * n + j)
        a = row_parent(m, a)
    store_both(Z, n, i, j, z)


@kernel
def store_both(Z, n, i, j, z):
    """Two entries of a symmetric matrix"""
    store(Z, i * n + j, z)
    store(Z, j * n + i, z)
