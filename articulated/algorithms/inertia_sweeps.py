"""The inertia matrix of one tree solved without being made, by the sweeps of the articulated-body algorithm: kernels.

A chain's factor is dense, of half the square of its freedoms, where the sweeps need a dozen numbers for each. What depends
on the configuration alone is computed once and stored: of each link its transform X, of each freedom S, U and 1 / D. For
each vector of forces there remain an inward sweep, in which each freedom takes its share of the force and hands on the
rest, and an outward sweep, in which it gives way. They are the two halves of H = L^T D L, so that products with L alone take
one sweep.

The freedoms of a joint are eliminated from the last to the first, as the rows of the matrix are: so the pivots D are those
of its factor.

Sources: RBDA sections 7.3 and 7.1 (articulated-body inertia); Carpentier (2018), "Analytical inverse of the joint space
inertia matrix", for the inverse.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.joints import subspace
from pluecker.articulated.model.layout import (
    ARMATURE,
    FACTOR,
    FIRST_LINK,
    FIRST_ROW,
    LINK_COUNT,
    ROW_COUNT,
    SWEPT_FREEDOM,
    SWEPT_LINK,
    clear,
    first_freedom,
    first_v,
    freedom_count,
    inertia,
    parent,
    row_coordinate,
    row_of_freedom,
    row_parent,
    threshold,
    tree_entry,
    velocity_table,
)
from pluecker.articulated.model.model import Model
from pluecker.spatial.algebra.inertia import (
    add_articulated,
    articulated_from_rigid,
    articulated_times_motion,
    inverse_transform_articulated,
    load_articulated,
    rank1_downdate,
    store_articulated,
)
from pluecker.spatial.algebra.matrices import greater
from pluecker.spatial.algebra.transforms import (
    IDENTITY,
    compose,
    inverse_transform_force,
    inverse_transform_motion,
    load_transform,
    store_transform,
    transform_motion,
)
from pluecker.spatial.algebra.vectors import add, dot, load_vector, scale, store_vector
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.dense.ldl import reciprocal
from pluecker.spatial.scalars.operations import load, store, tail

__all__ = [
    "ARTICULATED", "factorize_by_sweeps", "inverse_workspace", "invert_by_sweeps", "pivot_place", "solve_by_sweeps",
    "sweep_inward", "sweep_outward",
]  # fmt: skip

# what the factor has of each freedom, behind the transforms of the links
S, U, D = 0, 6, 12
# the workspace of the factorisation, for each link: its articulated inertia, and the largest moment of inertia met beyond
IA, MOMENT = 0, 21
ARTICULATED = 22


@kernel
def freedom_place(m, t, i, k):
    """Where the factor of tree ``t`` has freedom ``k`` of link ``i``"""
    row = row_of_freedom(m, first_freedom(m, i)) + k - tree_entry(m, t, FIRST_ROW)
    return tree_entry(m, t, FACTOR) + SWEPT_LINK * tree_entry(m, t, LINK_COUNT) + SWEPT_FREEDOM * row


@kernel
def pivot_place(m, t, r):
    """Where the factor of tree ``t`` has 1 / D of row ``r``"""
    row = r - tree_entry(m, t, FIRST_ROW)
    return tree_entry(m, t, FACTOR) + SWEPT_LINK * tree_entry(m, t, LINK_COUNT) + SWEPT_FREEDOM * row + D


@kernel
def link_place(m, t, i):
    """Where the factor of tree ``t`` has link ``i``"""
    return tree_entry(m, t, FACTOR) + SWEPT_LINK * (i - tree_entry(m, t, FIRST_LINK))


@kernel
def factorize_by_sweeps(m, t, q, transforms, record, factor, smallest, pivots, ws):
    """Inward: the articulated inertia of the tree beyond each joint; ``transforms`` has records of the links, X first"""
    first = tree_entry(m, t, FIRST_LINK)
    end = first + tree_entry(m, t, LINK_COUNT)
    for i in range(first, end):
        store_articulated(ws, ARTICULATED * i + IA, articulated_from_rigid(inertia(m, i)))
        store(ws, ARTICULATED * i + MOMENT, 0.0)
    for i in range(end - 1, first - 1, -1):
        w, p = ARTICULATED * i, ARTICULATED * parent(m, i)
        Ia = load_articulated(ws, w + IA)
        moment = greater(Ia[0][0] + Ia[0][3] + Ia[0][5], load(ws, w + MOMENT))
        for k in range(freedom_count(m, i) - 1, -1, -1):
            Sk = subspace(m, i, k, q)
            Uk = articulated_times_motion(Ia, Sk)  # U = IA S
            d = dot(Sk, Uk) + velocity_table(m, ARMATURE, first_v(m, i) + k)  # D = S^T U
            row, least = row_of_freedom(m, first_freedom(m, i)) + k, threshold(m, i, k, moment)
            Dk = reciprocal(d, least)
            store(smallest, row, least)
            store(pivots, row, d)
            Ia = rank1_downdate(Ia, Uk, Dk)  # Ia = IA - U D^-1 U^T
            s = freedom_place(m, t, i, k)
            store_vector(factor, s + S, Sk)
            store_vector(factor, s + U, Uk)
            store(factor, s + D, Dk)
        Xi = load_transform(transforms, record * i)
        store_transform(factor, link_place(m, t, i), Xi)
        if p > 0:  # IA_p = IA_p + X^T Ia X
            Ip = add_articulated(load_articulated(ws, p + IA), inverse_transform_articulated(Xi, Ia))
            store_articulated(ws, p + IA, Ip)
            store(ws, p + MOMENT, greater(load(ws, p + MOMENT), moment))


@kernel
def solve_by_sweeps(m, t, factor, x, ws):
    """x from H x = b, with ``b`` in ``x``: H = L^T D L; six numbers of workspace for each link"""
    sweep_inward(m, t, True, factor, x, ws)  # L^T y = b
    for r in range(tree_entry(m, t, FIRST_ROW), tree_entry(m, t, FIRST_ROW) + tree_entry(m, t, ROW_COUNT)):
        v = row_coordinate(m, r)
        store(x, v, load(factor, pivot_place(m, t, r)) * load(x, v))
    sweep_outward(m, t, True, factor, x, ws)  # L x = D^-1 y


@kernel
def sweep_inward(m, t, inverse, factor, x, ws):
    """x = L^-T x, the share that each freedom takes of joint forces, or L^T x, the forces of which ``x`` are the shares"""
    first = tree_entry(m, t, FIRST_LINK)
    end = first + tree_entry(m, t, LINK_COUNT)
    for i in range(first, end):
        store_vector(ws, 6 * i, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for i in range(end - 1, first - 1, -1):
        p = load_vector(ws, 6 * i)
        for k in range(freedom_count(m, i) - 1, -1, -1):
            s, v = freedom_place(m, t, i, k), first_v(m, i) + k
            u, handed_on = load(x, v), dot(load_vector(factor, s + S), p)  # b = u + S^T p
            if inverse:
                u = u - handed_on
                store(x, v, u)
            else:
                store(x, v, u + handed_on)
            p = add(p, scale(load(factor, s + D) * u, load_vector(factor, s + U)))  # p = p + U D^-1 u
        j = parent(m, i)
        if j > 0:  # p_parent = p_parent + X^T p
            carried = inverse_transform_force(load_transform(factor, link_place(m, t, i)), p)
            store_vector(ws, 6 * j, add(load_vector(ws, 6 * j), carried))


@kernel
def sweep_outward(m, t, inverse, factor, x, ws):
    """x = L^-1 x, the accelerations of freedoms that give way, or L x, how much more than given way they have, by ``x``"""
    first = tree_entry(m, t, FIRST_LINK)
    store_vector(ws, 0, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))  # the world's acceleration
    for i in range(first, first + tree_entry(m, t, LINK_COUNT)):
        a = load_vector(ws, 6 * parent(m, i))
        a = transform_motion(load_transform(factor, link_place(m, t, i)), a)  # a' = X a_p
        for k in range(freedom_count(m, i)):
            s, v = freedom_place(m, t, i, k), first_v(m, i) + k
            y, way = load(x, v), load(factor, s + D) * dot(a, load_vector(factor, s + U))  # u = x + D^-1 U^T a'
            if inverse:
                y = y - way
                store(x, v, y)
            else:
                store(x, v, y + way)
            a = add(a, scale(y, load_vector(factor, s + S)))  # a = a' + S x
        store_vector(ws, 6 * i, a)


# ----------------------------------------------------------------------------------------------------------- the inverse


# the workspace of the inverse, for each link: its transform from the root; then for each row S and D^-1 U in coordinates of
# the root, and of four columns the acceleration that they give to what the row moves
ROW_OF_INVERSE, COLUMNS = 12, 4
ACCELERATIONS = 6 * COLUMNS


@kernel
def invert_by_sweeps(m, t, factor, Z, ws):
    """Z = H^-1 of tree ``t``, of n x n in the order of its rows, by four columns at a time

    In coordinates of the root nothing is carried from link to link. The last four columns cover some of those before, where
    they do not come out even.
    """
    first, n, links = tree_entry(m, t, FIRST_ROW), tree_entry(m, t, ROW_COUNT), tree_entry(m, t, LINK_COUNT)
    rows = tail(ws, SWEPT_LINK * links)
    a = tail(rows, ROW_OF_INVERSE * n)
    rows_in_root_coordinates(m, t, first, factor, ws, rows)
    clear(a, ACCELERATIONS)  # of the world
    j = 0
    while j < n:
        j = max(min(j, n - COLUMNS), 0)
        for i in range(j):  # known from the columns before, by symmetry
            accelerate(m, first, i, four(Z, i * n + j), rows, a)
        start_columns(m, t, first, n, j, factor, Z, rows)
        for i in range(j, n):
            x, r, above = four(Z, i * n + j), ROW_OF_INVERSE * i + 6, row_above(m, first, i)
            for k in range(6):  # x = D^-1 u - D^-1 U^T a'
                x = add_four(x, -load(rows, r + k), four(a, above + COLUMNS * k))
            store_four(Z, i * n + j, x)
            mirror_four(Z, n, i, j, x)
            accelerate(m, first, i, x, rows, a)
        j += COLUMNS


@kernel
def four(array, k):
    """Four entries, one of each column"""
    return (load(array, k), load(array, k + 1), load(array, k + 2), load(array, k + 3))


@kernel
def store_four(array, k, x):
    """Write four entries"""
    store(array, k, x[0])
    store(array, k + 1, x[1])
    store(array, k + 2, x[2])
    store(array, k + 3, x[3])


@kernel
def add_four(x, s, y):
    """x + s y"""
    return (x[0] + s * y[0], x[1] + s * y[1], x[2] + s * y[2], x[3] + s * y[3])


@kernel
def mirror_four(Z, n, i, j, x):
    """Of four entries of row i the mirror images of those before the diagonal"""
    if i > j + 3:
        store(Z, j * n + i, x[0])
        store(Z, (j + 1) * n + i, x[1])
        store(Z, (j + 2) * n + i, x[2])
        store(Z, (j + 3) * n + i, x[3])
    else:
        if i > j:
            store(Z, j * n + i, x[0])
        if i > j + 1:
            store(Z, (j + 1) * n + i, x[1])
        if i > j + 2:
            store(Z, (j + 2) * n + i, x[2])


@kernel
def accelerate(m, first, i, x, rows, a):
    """a = a' + S x for row i and four columns: the first entries of all of them, the second ones, ..."""
    above, here = row_above(m, first, i), ACCELERATIONS * (i + 1)
    for k in range(6):
        y = add_four(four(a, above + COLUMNS * k), load(rows, ROW_OF_INVERSE * i + k), x)
        store_four(a, here + COLUMNS * k, y)


@kernel
def row_above(m, first, i):
    """Where the accelerations are of the row before row i on the way from the root, or of the world"""
    return ACCELERATIONS * max(row_parent(m, first + i) - first + 1, 0)


@kernel
def start_columns(m, t, first, n, j, factor, Z, rows):
    """D^-1 u of the rows from j on, for unit forces at rows j to j + 3: it is zero in rows after the force"""
    for i in range(j, n):
        for c in range(COLUMNS):
            store(Z, i * n + j + c, 0.0)
    pivots = tree_entry(m, t, FACTOR) + SWEPT_LINK * tree_entry(m, t, LINK_COUNT) + D
    for c in range(COLUMNS):
        i = j + c
        store(Z, i * n + i, load(factor, pivots + SWEPT_FREEDOM * i))
        p = load_vector(rows, ROW_OF_INVERSE * i + 6)
        i = row_parent(m, first + i) - first
        while i >= j:
            u = -dot(load_vector(rows, ROW_OF_INVERSE * i), p)  # u = -S^T p
            store(Z, i * n + j + c, load(factor, pivots + SWEPT_FREEDOM * i) * u)
            p = add(p, scale(u, load_vector(rows, ROW_OF_INVERSE * i + 6)))  # p = p + U D^-1 u
            i = row_parent(m, first + i) - first


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
            s, r = freedom_place(m, t, i, k), ROW_OF_INVERSE * (row_of_freedom(m, first_freedom(m, i)) + k - first)
            G = scale(load(factor, s + D), load_vector(factor, s + U))
            store_vector(rows, r, inverse_transform_motion(Xi, load_vector(factor, s + S)))
            store_vector(rows, r + 6, inverse_transform_force(Xi, G))


def inverse_workspace(model: Model) -> int:
    """Of :func:`invert_by_sweeps`"""
    rows = model.coordinate_tree
    links = np.bincount(rows.tree_of_link[1:], minlength=len(rows.sweeps))
    sizes = SWEPT_LINK * links + (ROW_OF_INVERSE + ACCELERATIONS) * np.diff(rows.first_row) + ACCELERATIONS
    return int(sizes[rows.sweeps].max(initial=0))
