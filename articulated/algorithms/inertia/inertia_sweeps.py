"""The inertia matrix of one tree solved without being made, by the sweeps of the articulated-body algorithm: kernels.

A chain's factor is dense, of half the square of its freedoms, where the sweeps need a dozen numbers for each. What depends
on the configuration alone is computed once and stored: of each row S, G = U D^-1 and 1 / D. For each vector of forces there
remain an inward sweep, in which each freedom takes its share of the force and hands on the rest, and an outward sweep, in
which it gives way. They are the two halves of H = L^T D L, so that products with L alone take one sweep.

Articulated inertias are computed in coordinates of their links, where D does not come out as a difference of large numbers
however long the chain is. S and G are kept in coordinates of the link that carries the tree, so that the sweeps have
nothing to carry from link to link.

The freedoms of a joint are eliminated from the last to the first, as the rows of the matrix are: so the pivots D are those
of its factor.

Source: RBDA sections 7.3 and 7.1 (articulated-body inertia).
"""

from __future__ import annotations

from pluecker.articulated.model.joints import has_no_translation, subspace
from pluecker.articulated.model.layout import (
    ARMATURE,
    FACTOR,
    FIRST_LINK,
    FIRST_ROW,
    LINK_COUNT,
    ROW_COUNT,
    SWEPT_ROW,
    clear,
    first_freedom,
    first_v,
    freedom_count,
    has_no_branches,
    inertia,
    parent,
    row_coordinate,
    row_of_freedom,
    row_parent,
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
    symmetric_times,
)
from pluecker.spatial.algebra.matrices import greater
from pluecker.spatial.algebra.transforms import (
    IDENTITY,
    compose,
    inverse_transform_force,
    inverse_transform_motion,
    load_transform,
    store_transform,
)
from pluecker.spatial.algebra.vectors import (
    add,
    add_cross3,
    dot,
    dot3,
    load_vector,
    rotate_back,
    scale,
    store_vector,
)
from pluecker.spatial.dense.ldl import reciprocal
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store, tail

__all__ = [
    "ARTICULATED", "D", "G", "S", "factorize_by_sweeps", "solve_by_sweeps", "sweep_inward", "sweep_outward", "swept_place",
]  # fmt: skip

# what the factor has of each row: S and G = U D^-1 in coordinates of the root, and 1 / D. Until these are known, the first
# row of a link holds its transform from the root: of a long chain, less memory than the cache has room for is time won.
S, G, D = 0, 6, 12
FROM_ROOT = 0
# the workspace of the factorisation, for each link: the articulated inertia of what its children carry, and the largest
# moment of inertia met there; of an unbranched chain both stay in registers
IA, MOMENT = 0, 21
ARTICULATED = 22


@kernel
def swept_place(m, t, r):
    """Return the index at which the record of row ``r`` begins in the factor of tree ``t``"""
    return tree_entry(m, t, FACTOR) + SWEPT_ROW * (r - tree_entry(m, t, FIRST_ROW))


@kernel
def place_from_root(m, t, i):
    """Return the index at which the factor has the transform of link ``i`` from the root"""
    return swept_place(m, t, row_of_freedom(m, first_freedom(m, i))) + FROM_ROOT


@kernel
def store_transforms_from_root(m, t, transforms, record, factor):
    """Compute X from the root to each link of the tree, outward"""
    first, branches = tree_entry(m, t, FIRST_LINK), not has_no_branches(m, t)
    store_transform(factor, place_from_root(m, t, first), IDENTITY)
    X0 = load_transform(factor, place_from_root(m, t, first))
    for i in range(first + 1, first + tree_entry(m, t, LINK_COUNT)):
        if branches:
            X0 = load_transform(factor, place_from_root(m, t, parent(m, i)))
        X0 = compose(load_transform(transforms, record * i), X0)
        store_transform(factor, place_from_root(m, t, i), X0)


@kernel
def articulated_times_rotation(I, w):
    """Return I (w, 0)"""
    return (symmetric_times(I[0], w), rotate_back(I[1], w))


@kernel
def inverse_transform_rotation(X, w):
    """Return X^-1 (w, 0): from B to A coordinates"""
    w = rotate_back(X[0], w)
    return (w, add_cross3((0.0, 0.0, 0.0), X[1], w))


@kernel
def factorize_by_sweeps(m, t, q, added, transforms, record, factor, smallest, pivots, ws):
    """Factorise a tree inward, by the articulated inertia beyond each joint; ``transforms`` has records of links, X first

    ``added`` has what is added on the diagonal of H, by coordinate; it is empty where nothing is.
    """
    first, branches = tree_entry(m, t, FIRST_LINK), not has_no_branches(m, t)
    end = first + tree_entry(m, t, LINK_COUNT)
    store_transforms_from_root(m, t, transforms, record, factor)
    clear(ws, ARTICULATED)
    beyond, most = load_articulated(ws, IA), load(ws, MOMENT)  # of the links beyond; nothing
    if branches:
        clear(tail(ws, ARTICULATED * first), ARTICULATED * (end - first))
    for i in range(end - 1, first - 1, -1):
        w, p = ARTICULATED * i, ARTICULATED * parent(m, i)
        if branches:
            beyond, most = load_articulated(ws, w + IA), load(ws, w + MOMENT)
        X0 = load_transform(factor, place_from_root(m, t, i))
        Ia = add_articulated(articulated_from_rigid(inertia(m, i)), beyond)
        moment = greater(Ia[0][0] + Ia[0][3] + Ia[0][5], most)
        for k in range(freedom_count(m, i) - 1, -1, -1):
            Sk, armature = subspace(m, i, k, q), velocity_table(m, ARMATURE, first_v(m, i) + k)
            if has_no_translation(m, i, k):
                Uk = articulated_times_rotation(Ia, Sk[0])  # U = IA S
                d = dot3(Sk[0], Uk[0]) + armature  # D = S^T U
                S0 = inverse_transform_rotation(X0, Sk[0])
            else:
                Uk = articulated_times_motion(Ia, Sk)
                d = dot(Sk, Uk) + armature
                S0 = inverse_transform_motion(X0, Sk)
            if len(added) > 0:
                d = d + load(added, first_v(m, i) + k)
            row, least = row_of_freedom(m, first_freedom(m, i)) + k, threshold(m, i, k, moment)
            Dk = reciprocal(d, least)
            store(smallest, row, least)
            store(pivots, row, d)
            Ia = rank1_downdate(Ia, Uk, Dk)  # Ia = IA - U D^-1 U^T
            s = swept_place(m, t, row)
            store_vector(factor, s + S, S0)
            store_vector(factor, s + G, inverse_transform_force(X0, scale(Dk, Uk)))
            store(factor, s + D, Dk)
        if p > 0:  # IA_p = IA_p + X^T Ia X
            beyond, most = inverse_transform_articulated(load_transform(transforms, record * i), Ia), moment
            if branches:
                store_articulated(ws, p + IA, add_articulated(load_articulated(ws, p + IA), beyond))
                store(ws, p + MOMENT, greater(load(ws, p + MOMENT), moment))


@kernel
def solve_by_sweeps(m, t, factor, x, ws):
    """x from H x = b, with ``b`` in ``x``: H = L^T D L; six numbers of workspace for each row"""
    sweep_inward(m, t, True, True, factor, x, ws)  # L^T y = b, x = D^-1 y
    sweep_outward(m, t, True, factor, x, ws)  # L x = D^-1 y


@kernel
def sweep_inward(m, t, inverse, scaled, factor, x, ws):
    """x = L^-T x, the share that each freedom takes of joint forces, or L^T x, the forces of which ``x`` are the shares

    With ``scaled``, D^-1 times that.
    """
    first, n, branches = tree_entry(m, t, FIRST_ROW), tree_entry(m, t, ROW_COUNT), not has_no_branches(m, t)
    clear(ws, 6 * n if branches else 6)
    p = load_vector(ws, 0)  # of the rows beyond; nothing
    for r in range(first + n - 1, first - 1, -1):
        s, v, above = swept_place(m, t, r), row_coordinate(m, r), 6 * (row_parent(m, r) - first)
        if branches:
            p = load_vector(ws, 6 * (r - first))
        u, handed_on = load(x, v), dot(load_vector(factor, s + S), p)  # b = u + S^T p
        y = u + handed_on
        if inverse:
            y = u = u - handed_on
        if scaled:
            y = load(factor, s + D) * y
        store(x, v, y)
        if above >= 0:  # p_parent = p_parent + p + G u
            p = add(p, scale(u, load_vector(factor, s + G)))
            if branches:
                store_vector(ws, above, add(load_vector(ws, above), p))


@kernel
def sweep_outward(m, t, inverse, factor, x, ws):
    """x = L^-1 x, the accelerations of freedoms that give way, or L x, how much more than given way they have, by ``x``"""
    first, n, branches = tree_entry(m, t, FIRST_ROW), tree_entry(m, t, ROW_COUNT), not has_no_branches(m, t)
    clear(ws, 6)
    a = load_vector(ws, 0)  # of the row before; nothing
    for r in range(first, first + n):
        s, v, above = swept_place(m, t, r), row_coordinate(m, r), 6 * (row_parent(m, r) - first)
        y, Sr = load(x, v), load_vector(factor, s + S)
        if above >= 0:
            if branches:
                a = load_vector(ws, above)
            way = dot(load_vector(factor, s + G), a)  # u = x + D^-1 U^T a'
            if inverse:
                y = y - way
                store(x, v, y)
            else:
                store(x, v, y + way)
            a = add(a, scale(y, Sr))  # a = a' + S x
        else:
            a = scale(y, Sr)
        if branches:
            store_vector(ws, 6 * (r - first), a)
