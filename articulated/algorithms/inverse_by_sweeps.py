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

from pluecker.articulated.algorithms.inertia_sweeps import D, S, U, freedom_place, link_place, pivot_place
from pluecker.articulated.model.layout import (
    FIRST_LINK,
    FIRST_ROW,
    LINK_COUNT,
    ROW_COUNT,
    SWEPT_LINK,
    clear,
    first_freedom,
    freedom_count,
    parent,
    row_of_freedom,
    row_parent,
    tree_entry,
)
from pluecker.articulated.model.model import Model
from pluecker.spatial.algebra.inertia import articulated_times_motion, load_articulated, store_articulated
from pluecker.spatial.algebra.transforms import (
    IDENTITY,
    compose,
    inverse_transform_force,
    inverse_transform_motion,
    load_transform,
    store_transform,
)
from pluecker.spatial.algebra.vectors import add, dot, load_vector, scale, store_vector, subtract
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.scalars.operations import load, store, tail

__all__ = ["inverse_workspace", "invert_by_sweeps"]

# the workspace: for each link its transform from the root; for each row S, G and w in coordinates of the root; of the world
# and behind each row the mobility
G, W, ROW = 6, 12, 18
MOBILITY = 21
COLUMNS = 4


@kernel
def invert_by_sweeps(m, t, factor, Z, ws):
    """Z = H^-1 of tree ``t``: its lower half, row after row in the order of the rows, up to the diagonal"""
    first, n, links = tree_entry(m, t, FIRST_ROW), tree_entry(m, t, ROW_COUNT), tree_entry(m, t, LINK_COUNT)
    rows = tail(ws, SWEPT_LINK * links)
    rows_in_root_coordinates(m, t, first, factor, ws, rows)
    store_diagonal(m, t, first, n, factor, Z, rows, tail(rows, ROW * n))
    for j in range(0, n, COLUMNS):
        if j + COLUMNS < n:
            four_columns(m, first, n, j, Z, rows)
        else:
            for c in range(j, n):
                one_column(m, first, c, n, Z, rows)


@kernel
def half_place(i, j):
    """Where row ``i`` has its entry with row ``j``, which does not come after it"""
    return (i * (i + 1)) // 2 + j


@kernel
def store_diagonal(m, t, first, n, factor, Z, rows, O):
    """Z_jj = D^-1 + G^T w and w = O G, with O of the row before, from the root outward"""
    clear(O, MOBILITY)  # the world's
    for j in range(n):
        r, above = ROW * j, max(row_parent(m, first + j) - first + 1, 0)
        Oj, Sj, Gj = load_articulated(O, MOBILITY * above), load_vector(rows, r), load_vector(rows, r + G)
        w = articulated_times_motion(Oj, Gj)
        z = load(factor, pivot_place(m, t, first + j)) + dot(Gj, w)
        store(Z, half_place(j, j), z)
        store_vector(rows, r + W, w)
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
    """Of what row ``i`` moves, the acceleration by a unit force at row ``c``: the sum of S x between it and the root"""
    a = scale(0.0, load_vector(rows, 0))
    while i >= 0:
        a = add(a, scale(load(Z, half_place(max(i, c), min(i, c))), load_vector(rows, ROW * i)))
        i = row_parent(m, first + i) - first
    return a


@kernel
def one_column(m, first, c, end, Z, rows):
    """Rows c + 1 to end - 1 of column c: x = -G^T a', a = a' + S x; gives the last a"""
    Sc, w = load_vector(rows, ROW * c), load_vector(rows, ROW * c + W)
    a = subtract(scale(load(Z, half_place(c, c)), Sc), w)
    for i in range(c + 1, end):
        if row_parent(m, first + i) != first + i - 1:
            a = acceleration(m, first, row_parent(m, first + i) - first, c, Z, rows)
        x = -dot(load_vector(rows, ROW * i + G), a)
        store(Z, half_place(i, c), x)
        a = add(a, scale(x, load_vector(rows, ROW * i)))
    return a


@kernel
def four_columns(m, first, n, j, Z, rows):
    """The columns j to j + 3, one by one as far as the diagonal goes, then together"""
    end = j + COLUMNS
    a, b = one_column(m, first, j, end, Z, rows), one_column(m, first, j + 1, end, Z, rows)
    c, d = one_column(m, first, j + 2, end, Z, rows), one_column(m, first, j + 3, end, Z, rows)
    for i in range(end, n):
        if row_parent(m, first + i) != first + i - 1:
            p = row_parent(m, first + i) - first
            a, b = acceleration(m, first, p, j, Z, rows), acceleration(m, first, p, j + 1, Z, rows)
            c, d = acceleration(m, first, p, j + 2, Z, rows), acceleration(m, first, p, j + 3, Z, rows)
        Si, Gi, place = load_vector(rows, ROW * i), load_vector(rows, ROW * i + G), half_place(i, j)
        x, y, z, u = -dot(Gi, a), -dot(Gi, b), -dot(Gi, c), -dot(Gi, d)  # x = -G^T a'
        store(Z, place, x)
        store(Z, place + 1, y)
        store(Z, place + 2, z)
        store(Z, place + 3, u)
        a, b = add(a, scale(x, Si)), add(b, scale(y, Si))  # a = a' + S x
        c, d = add(c, scale(z, Si)), add(d, scale(u, Si))


@kernel
def rows_in_root_coordinates(m, t, first, factor, transforms, rows):
    """S and D^-1 U of each row, in coordinates of the link that carries the tree"""
    base = tree_entry(m, t, FIRST_LINK)
    for i in range(base, base + tree_entry(m, t, LINK_COUNT)):
        w = SWEPT_LINK * (i - base)
        if i > base:
            Xp = load_transform(transforms, SWEPT_LINK * (parent(m, i) - base))
            store_transform(transforms, w, compose(load_transform(factor, link_place(m, t, i)), Xp))
        else:
            store_transform(transforms, w, IDENTITY)
        Xi = load_transform(transforms, w)
        for k in range(freedom_count(m, i)):
            s, r = freedom_place(m, t, i, k), ROW * (row_of_freedom(m, first_freedom(m, i)) + k - first)
            Gk = scale(load(factor, s + D), load_vector(factor, s + U))
            store_vector(rows, r, inverse_transform_motion(Xi, load_vector(factor, s + S)))
            store_vector(rows, r + G, inverse_transform_force(Xi, Gk))


def inverse_workspace(model: Model) -> int:
    """Of :func:`invert_by_sweeps`"""
    rows = model.coordinate_tree
    links = np.bincount(rows.tree_of_link[1:], minlength=len(rows.sweeps))
    sizes = SWEPT_LINK * links + (ROW + MOBILITY) * np.diff(rows.first_row) + MOBILITY
    return int(sizes[rows.sweeps].max(initial=0))
