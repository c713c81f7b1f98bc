"""The inertia matrix of one tree solved without being made, by the sweeps of the articulated-body algorithm: kernels.

A chain's factor is dense, of half the square of its freedoms, where the sweeps need a dozen numbers for each. What depends
on the configuration alone is computed once and stored: of each link its transform X, of each freedom S, U and 1 / D. For
each vector of forces there remain an inward sweep, in which each freedom takes its share of the force and hands on the
rest, and an outward sweep, in which it gives way. They are the two halves of H = L^T D L, so that products with L alone take
one sweep.

The freedoms of a joint are eliminated from the last to the first, as the rows of the matrix are: so the pivots D are those
of its factor.

Source: RBDA sections 7.3 and 7.1 (articulated-body inertia).
"""

from __future__ import annotations

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
    first_freedom,
    first_v,
    freedom_count,
    inertia,
    parent,
    row_coordinate,
    row_of_freedom,
    threshold,
    tree_entry,
    velocity_table,
)
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
    inverse_transform_force,
    load_transform,
    store_transform,
    transform_motion,
)
from pluecker.spatial.algebra.vectors import add, dot, load_vector, scale, store_vector
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.dense.ldl import reciprocal
from pluecker.spatial.scalars.operations import load, store

__all__ = [
    "ARTICULATED", "D", "S", "U", "factorize_by_sweeps", "freedom_place", "link_place", "pivot_place", "solve_by_sweeps",
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
