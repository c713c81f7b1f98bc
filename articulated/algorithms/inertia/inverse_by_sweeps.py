"""The inverse of the inertia matrix of one tree from its stored sweeps: kernels.

A column of H^-1 is what a unit force at one joint accelerates all joints by. In rows that come after that joint an outward
sweep finds it, since no other force is there; the rest follows, as the matrix is symmetric. So of each column only the
acceleration is needed with which its sweep begins. Beyond the joint it is ``a = S Z_jj - w``, with ``w = O G``: what the
force hands on inward, ``G = U D^-1``, and the mobility O of what carries the joint, which is the acceleration that unit
forces give it. It follows from row to row outward,

    Z_jj = D^-1 + G^T w        O' = (1 - S G^T) O (1 - G S^T) + S D^-1 S^T = O - S w^T - w S^T + Z_jj S S^T.

On another branch the sweep begins with the sum of S x over the rows between the branch and the root, whose x are known by
then. All is in coordinates of the root, so that nothing is carried from link to link. Four columns go together: their
accelerations stay in registers, and S and G of a row are read once for all of them.

Sources: RBDA section 7.3; for the mobility of a link, Kreutz-Delgado, Jain, Rodriguez (1992), "Recursive formulation of
operational space control"; Carpentier (2018), "Analytical inverse of the joint space inertia matrix".
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.algorithms.inertia.inertia_sweeps import D, G, S
from pluecker.articulated.model.layout import (
    FACTOR,
    FIRST_ROW,
    ROW_COUNT,
    SWEPT_ROW,
    clear,
    row_parent,
    tree_entry,
)
from pluecker.articulated.model.model import Model
from pluecker.spatial.algebra.inertia import articulated_times_motion, load_articulated, store_articulated
from pluecker.spatial.algebra.vectors import add, dot, load_vector, scale, store_vector, subtract
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store, tail

__all__ = ["inverse_workspace", "invert_by_sweeps"]

MOBILITY = 21  # the workspace: of the world and behind each row the mobility; then w of each row
COLUMNS = 4


@kernel
def invert_by_sweeps(m, t, factor, Z, ws):
    """Compute Z = H^-1 of tree ``t``: its lower half, row after row in the order of the rows, up to the diagonal"""
    first, n, rows = tree_entry(m, t, FIRST_ROW), tree_entry(m, t, ROW_COUNT), tail(factor, tree_entry(m, t, FACTOR))
    W = tail(ws, MOBILITY * (n + 1))
    store_diagonal(m, first, n, Z, rows, ws, W)
    for j in range(0, n, COLUMNS):
        if j + COLUMNS < n:
            four_columns(m, first, n, j, Z, rows, W)
        else:
            for c in range(j, n):
                one_column(m, first, c, n, Z, rows, W)


@kernel
def half_place(i, j):
    """Return the index of the entry of row ``i`` with row ``j <= i``, in a lower half that is packed row after row"""
    return (i * (i + 1)) // 2 + j


@kernel
def store_diagonal(m, first, n, Z, rows, O, W):
    """Compute Z_jj = D^-1 + G^T w and w = O G, with O of the row before, from the root outward"""
    clear(O, MOBILITY)  # the world's
    for j in range(n):
        r, above = SWEPT_ROW * j, max(row_parent(m, first + j) - first + 1, 0)
        Oj, Sj, Gj = load_articulated(O, MOBILITY * above), load_vector(rows, r + S), load_vector(rows, r + G)
        w = articulated_times_motion(Oj, Gj)
        z = load(rows, r + D) + dot(Gj, w)
        store(Z, half_place(j, j), z)
        store_vector(W, 6 * j, w)
        store_articulated(O, MOBILITY * (j + 1), subtract_both_products(Oj, Sj, subtract(w, scale(0.5 * z, Sj))))


@kernel
def subtract_both_products(A, x, y):
    """A - x y^T - y x^T of a symmetric matrix, in three parts as an articulated-body inertia"""
    J, H, M = A
    (a0, a1, a2), (b0, b1, b2) = x
    (c0, c1, c2), (d0, d1, d2) = y
    return (
        (J[0] - a0 * c0 - a0 * c0, J[1] - a0 * c1 - a1 * c0, J[2] - a0 * c2 - a2 * c0, J[3] - a1 * c1 - a1 * c1,
         J[4] - a1 * c2 - a2 * c1, J[5] - a2 * c2 - a2 * c2),
        (H[0] - a0 * d0 - b0 * c0, H[1] - a0 * d1 - b1 * c0, H[2] - a0 * d2 - b2 * c0,
         H[3] - a1 * d0 - b0 * c1, H[4] - a1 * d1 - b1 * c1, H[5] - a1 * d2 - b2 * c1,
         H[6] - a2 * d0 - b0 * c2, H[7] - a2 * d1 - b1 * c2, H[8] - a2 * d2 - b2 * c2),
        (M[0] - b0 * d0 - b0 * d0, M[1] - b0 * d1 - b1 * d0, M[2] - b0 * d2 - b2 * d0, M[3] - b1 * d1 - b1 * d1,
         M[4] - b1 * d2 - b2 * d1, M[5] - b2 * d2 - b2 * d2),
    )  # fmt: skip


@kernel
def acceleration(m, first, i, c, Z, rows):
    """Return the acceleration, by a unit force at row ``c``, of what row ``i`` moves: the sum of S x from it to the root"""
    a = scale(0.0, load_vector(rows, 0))
    while i >= 0:
        a = add(a, scale(load(Z, half_place(max(i, c), min(i, c))), load_vector(rows, SWEPT_ROW * i + S)))
        i = row_parent(m, first + i) - first
    return a


@kernel
def one_column(m, first, c, end, Z, rows, W):
    """Rows c + 1 to end - 1 of column c: x = -G^T a', a = a' + S x; gives the last a"""
    a = subtract(scale(load(Z, half_place(c, c)), load_vector(rows, SWEPT_ROW * c + S)), load_vector(W, 6 * c))
    for i in range(c + 1, end):
        if row_parent(m, first + i) != first + i - 1:
            a = acceleration(m, first, row_parent(m, first + i) - first, c, Z, rows)
        x = -dot(load_vector(rows, SWEPT_ROW * i + G), a)
        store(Z, half_place(i, c), x)
        a = add(a, scale(x, load_vector(rows, SWEPT_ROW * i + S)))
    return a


@kernel
def four_columns(m, first, n, j, Z, rows, W):
    """The columns j to j + 3, one by one as far as the diagonal goes, then together"""
    end = j + COLUMNS
    a, b = one_column(m, first, j, end, Z, rows, W), one_column(m, first, j + 1, end, Z, rows, W)
    c, d = one_column(m, first, j + 2, end, Z, rows, W), one_column(m, first, j + 3, end, Z, rows, W)
    for i in range(end, n):
        if row_parent(m, first + i) != first + i - 1:
            p = row_parent(m, first + i) - first
            a, b = acceleration(m, first, p, j, Z, rows), acceleration(m, first, p, j + 1, Z, rows)
            c, d = acceleration(m, first, p, j + 2, Z, rows), acceleration(m, first, p, j + 3, Z, rows)
        Si, Gi, place = load_vector(rows, SWEPT_ROW * i + S), load_vector(rows, SWEPT_ROW * i + G), half_place(i, j)
        x, y, z, u = -dot(Gi, a), -dot(Gi, b), -dot(Gi, c), -dot(Gi, d)  # x = -G^T a'
        store(Z, place, x)
        store(Z, place + 1, y)
        store(Z, place + 2, z)
        store(Z, place + 3, u)
        a, b = add(a, scale(x, Si)), add(b, scale(y, Si))  # a = a' + S x
        c, d = add(c, scale(z, Si)), add(d, scale(u, Si))


def inverse_workspace(model: Model) -> int:
    """Return the size of the workspace of :func:`invert_by_sweeps`, in numbers"""
    rows = model.coordinate_tree
    sizes = (MOBILITY + 6) * np.diff(rows.first_row) + MOBILITY
    return int(sizes[rows.sweeps].max(initial=0))
