"""The factor ``H = L^T D L`` of one tree's inertia matrix, with branch-induced sparsity: kernels.

L is unit lower triangular and has its entries where the packed matrix has (:mod:`pluecker.articulated.model.trees`): a row,
and the rows between it and the root. So the matrix is factorised in its place, no entry is filled, and each product with L
walks from the rows to the root. Inside a row the entries stand in the order of depth: two rows with an ancestor in
common have the entries above it at the same distances from their beginnings.

Sources: RBDA section 6.5; Featherstone (2005), "Efficient factorization of the joint-space inertia matrix for branched
kinematic trees".
"""

from __future__ import annotations

from pluecker.articulated.model.layout import (
    FIRST_ROW,
    ROW_COUNT,
    ancestor,
    factored_place,
    row_coordinate,
    row_depth,
    row_parent,
    tree_entry,
)
from pluecker.spatial.dense.combinations import add_multiple, add_multiples
from pluecker.spatial.dense.ldl import reciprocal
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = [
    "factorize_ltdl", "invert_ltdl", "multiply_ltdl", "restore_ltdl", "solve_from_root", "solve_ltdl", "solve_towards_root",
]  # fmt: skip


@kernel
def factorize_ltdl(m, t, smallest, pivots, factor):
    """Tree ``t``: L, and 1 / D in the diagonal places; a pivot up to ``smallest`` of its row is rounding error, and NaN

    A row and the one before it, if that is its parent, go to their ancestors together: memory is what takes time here.
    """
    first = tree_entry(m, t, FIRST_ROW)
    k = first + tree_entry(m, t, ROW_COUNT) - 1
    while k >= first:
        eliminate_pivot(m, k, smallest, pivots, factor)
        if k > first and row_parent(m, k) == k - 1:
            row, above, d = factored_place(m, k), factored_place(m, k - 1), row_depth(m, k - 1)
            x = load(factor, row + d + 1) * load(factor, row + d)
            add_multiple(d + 1, -x, factor, row, factor, above)
            store(factor, row + d, x)
            eliminate_pivot(m, k - 1, smallest, pivots, factor)
            eliminate_two(m, k, factor)
            k -= 2
        else:
            eliminate_one(m, k, factor)
            k -= 1


@kernel
def eliminate_pivot(m, k, smallest, pivots, factor):
    """Store 1 / D_k in the factor, and D_k in ``pivots``, by which a singular coordinate is found"""
    place = factored_place(m, k) + row_depth(m, k)
    d = load(factor, place)
    store(pivots, k, d)
    store(factor, place, reciprocal(d, load(smallest, k)))


@kernel
def eliminate_one(m, k, factor):
    """Set H_ij = H_ij - L_ki H_kj with L_ki = H_ki / D_k, for the ancestors i of row k and their ancestors j"""
    row, depth = factored_place(m, k), row_depth(m, k)
    dk = load(factor, row + depth)
    for a in range(depth - 1, -1, -1):
        above, x = factored_place(m, ancestor(m, row + a)), dk * load(factor, row + a)
        add_multiple(a + 1, -x, factor, row, factor, above)
        store(factor, row + a, x)


@kernel
def eliminate_two(m, k, factor):
    """Eliminate row k and its parent, row k - 1, together, for the ancestors of both; see :func:`eliminate_one`"""
    row, second, depth = factored_place(m, k), factored_place(m, k - 1), row_depth(m, k - 1)
    dk, dp = load(factor, row + depth + 1), load(factor, second + depth)
    for a in range(depth - 1, -1, -1):
        above = factored_place(m, ancestor(m, row + a))
        x, y = dk * load(factor, row + a), dp * load(factor, second + a)
        add_multiples(a + 1, -x, factor, row, -y, factor, second, factor, above)
        store(factor, row + a, x)
        store(factor, second + a, y)


@kernel
def solve_ltdl(m, t, factor, x):
    """Solve H x = b, with ``b`` in ``x``: first L^T y = b, then D L x = y"""
    solve_towards_root(m, t, factor, x)
    solve_from_root(m, t, factor, x)


@kernel
def solve_towards_root(m, t, factor, x):
    """Solve L^T y = b, with ``b`` in ``x``, which becomes y"""
    first = tree_entry(m, t, FIRST_ROW)
    for k in range(first + tree_entry(m, t, ROW_COUNT) - 1, first - 1, -1):
        row, y = factored_place(m, k), load(x, row_coordinate(m, k))
        for a in range(row_depth(m, k)):
            v = row_coordinate(m, ancestor(m, row + a))
            store(x, v, load(x, v) - load(factor, row + a) * y)


@kernel
def solve_from_root(m, t, factor, x):
    """Solve D L x = y, with ``y`` in ``x``"""
    first = tree_entry(m, t, FIRST_ROW)
    for k in range(first, first + tree_entry(m, t, ROW_COUNT)):
        row, depth, v = factored_place(m, k), row_depth(m, k), row_coordinate(m, k)
        y = load(factor, row + depth) * load(x, v)
        for a in range(depth):
            y = y - load(factor, row + a) * load(x, row_coordinate(m, ancestor(m, row + a)))
        store(x, v, y)


@kernel
def multiply_ltdl(m, t, transposed, inverse, factor, x):
    """Compute x = L x, L^T x, L^-1 x or L^-T x in place

    Each product visits the rows in the direction in which the entries that a row reads, those of its ancestors for L and its
    own for L^T, have not changed yet; each inverse product in the other one, in which they have.
    """
    first, n = tree_entry(m, t, FIRST_ROW), tree_entry(m, t, ROW_COUNT)
    sign = -1.0 if inverse else 1.0
    for s in range(n):
        k = first + s if transposed != inverse else first + n - 1 - s
        row, v = factored_place(m, k), row_coordinate(m, k)
        y = load(x, v)
        z = sign * y
        for a in range(row_depth(m, k)):
            u = row_coordinate(m, ancestor(m, row + a))
            if transposed:
                store(x, u, load(x, u) + load(factor, row + a) * z)
            else:
                y = y + sign * load(factor, row + a) * load(x, u)
        store(x, v, y)


@kernel
def invert_ltdl(m, t, factor, Z):
    """Compute Z = H^-1 of tree ``t``, n x n in the order of its rows, row by row from the root on

    Of L Z = D^-1 L^-T nothing is below the diagonal: Z_ij = -sum_a L_ia Z_aj over the ancestors a of i, for all j < i, and
    Z_ii = 1 / D_i - sum_a L_ia Z_ai. A row and the next one, if that is its child, go together, and eight columns: each
    entry of Z is read once for both rows, and each of L for all columns.
    """
    first, n = tree_entry(m, t, FIRST_ROW), tree_entry(m, t, ROW_COUNT)
    i = 0
    while i < n:
        two = i >= 4 and i + 1 < n and row_parent(m, first + i + 1) == first + i
        j = 0
        while j < i:  # the last ones cover some of those before, where they do not come out even
            if i >= 8 and i - j > 4:
                invert_eight(m, first, n, i, min(j, i - 8), two, factor, Z)
                j += 8
            elif i >= 4:
                invert_four(m, first, n, i, min(j, i - 4), two, factor, Z)
                j += 4
            else:
                invert_one(m, first, n, i, j, factor, Z)
                j += 1
        invert_one(m, first, n, i, i, factor, Z)
        i += 1
        if two:
            invert_one(m, first, n, i, i - 1, factor, Z)
            invert_one(m, first, n, i, i, factor, Z)
            i += 1


@kernel
def restore_ltdl(m, t, factor, rows, H):
    """Compute H = L^T D L of tree ``t``, n x n in the order of its rows; ``rows`` gets it packed, as the factor is

    H_ij = sum_k L_ki D_k L_kj over the rows k of whose way i and j are: each row adds to those of its ancestors, which come
    before it.
    """
    first, n = tree_entry(m, t, FIRST_ROW), tree_entry(m, t, ROW_COUNT)
    for k in range(first, first + n):
        row, depth = factored_place(m, k), row_depth(m, k)
        d = 1.0 / load(factor, row + depth)
        for a in range(depth):
            store(rows, row + a, d * load(factor, row + a))
        store(rows, row + depth, d)
        for a in range(depth):
            add_multiple(a + 1, load(factor, row + a), rows, row, rows, factored_place(m, ancestor(m, row + a)))
    for k in range(n * n):
        store(H, k, 0.0 * load(factor, 0))
    for k in range(n):
        row = factored_place(m, first + k)
        for a in range(row_depth(m, first + k)):
            store_both(H, n, k, ancestor(m, row + a) - first, load(rows, row + a))
        store(H, k * n + k, load(rows, row + row_depth(m, first + k)))


@kernel
def invert_eight(m, first, n, i, j, two, factor, Z):
    """Compute entries j to j + 7 of row i before the diagonal, and with ``two`` those of its child, the next row; also
    their mirror images"""
    if two:
        invert_four_of_two(m, first, n, i, j, factor, Z)
        invert_four_of_two(m, first, n, i, j + 4, factor, Z)
        return
    r = first + i
    row = factored_place(m, r)
    z = 0.0 * load(factor, row)
    z0, z1, z2, z3, z4, z5, z6, z7 = z, z, z, z, z, z, z, z
    for d in range(row_depth(m, r)):
        L, s = load(factor, row + d), (ancestor(m, row + d) - first) * n + j
        z0, z1 = z0 - L * load(Z, s), z1 - L * load(Z, s + 1)
        z2, z3 = z2 - L * load(Z, s + 2), z3 - L * load(Z, s + 3)
        z4, z5 = z4 - L * load(Z, s + 4), z5 - L * load(Z, s + 5)
        z6, z7 = z6 - L * load(Z, s + 6), z7 - L * load(Z, s + 7)
    store_four(Z, n, i, j, z0, z1, z2, z3)
    store_four(Z, n, i, j + 4, z4, z5, z6, z7)


@kernel
def invert_four(m, first, n, i, j, two, factor, Z):
    """Compute entries j to j + 3 of row i before the diagonal, and with ``two`` those of its child, the next row; also
    their mirror images"""
    if two:
        invert_four_of_two(m, first, n, i, j, factor, Z)
        return
    r = first + i
    row = factored_place(m, r)
    z = 0.0 * load(factor, row)
    z0, z1, z2, z3 = z, z, z, z
    for d in range(row_depth(m, r)):
        L, s = load(factor, row + d), (ancestor(m, row + d) - first) * n + j
        z0, z1 = z0 - L * load(Z, s), z1 - L * load(Z, s + 1)
        z2, z3 = z2 - L * load(Z, s + 2), z3 - L * load(Z, s + 3)
    store_four(Z, n, i, j, z0, z1, z2, z3)


@kernel
def invert_four_of_two(m, first, n, i, j, factor, Z):
    """Compute four entries of row i and of its child: the sums over the ancestors of both, and row i's term for its child"""
    r = first + i
    row, child, depth = factored_place(m, r), factored_place(m, r + 1), row_depth(m, r)
    z = 0.0 * load(factor, row)
    z0, z1, z2, z3, y0, y1, y2, y3 = z, z, z, z, z, z, z, z
    for d in range(depth):
        L, K, s = load(factor, row + d), load(factor, child + d), (ancestor(m, row + d) - first) * n + j
        x0, x1, x2, x3 = load(Z, s), load(Z, s + 1), load(Z, s + 2), load(Z, s + 3)
        z0, z1, z2, z3 = z0 - L * x0, z1 - L * x1, z2 - L * x2, z3 - L * x3
        y0, y1, y2, y3 = y0 - K * x0, y1 - K * x1, y2 - K * x2, y3 - K * x3
    K = load(factor, child + depth)
    store_four(Z, n, i, j, z0, z1, z2, z3)
    store_four(Z, n, i + 1, j, y0 - K * z0, y1 - K * z1, y2 - K * z2, y3 - K * z3)


@kernel
def store_four(Z, n, i, j, z0, z1, z2, z3):
    """Store four entries and their mirror images"""
    store_both(Z, n, i, j, z0)
    store_both(Z, n, i, j + 1, z1)
    store_both(Z, n, i, j + 2, z2)
    store_both(Z, n, i, j + 3, z3)


@kernel
def invert_one(m, first, n, i, j, factor, Z):
    """Compute one entry of row i up to the diagonal, and its mirror image"""
    r = first + i
    row, depth = factored_place(m, r), row_depth(m, r)
    z = load(factor, row + depth)
    if j < i:
        z = 0.0 * z
    for d in range(depth):
        z = z - load(factor, row + d) * load(Z, (ancestor(m, row + d) - first) * n + j)
    store_both(Z, n, i, j, z)


@kernel
def store_both(Z, n, i, j, z):
    """Store entries (i, j) and (j, i) of a symmetric matrix"""
    store(Z, i * n + j, z)
    store(Z, j * n + i, z)
