"""The joint-space inertia matrix by the composite-rigid-body algorithm (CRBA).

Sources: RBDA section 6.2 and table 6.2; Walker, Orin (1982).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.model.joints import joint_transforms, subspace
from pluecker.articulated.model.layout import (
    ARMATURE,
    clear,
    factored_place,
    first_freedom,
    freedom_count,
    inertia,
    link_count,
    parent,
    row_coordinate,
    row_depth,
    row_of_freedom,
    row_place,
    shares_rows,
    velocity_count,
    velocity_table,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.model.trees import packed_pairs
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.inertia import (
    add_rigid,
    inverse_transform_rigid,
    load_rigid,
    rigid_times_motion,
    store_rigid,
)
from pluecker.spatial.algebra.transforms import (
    IDENTITY,
    compose,
    inverse_transform_motion,
    load_transform,
    store_transform,
)
from pluecker.spatial.algebra.vectors import dot, load_vector, store_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, store, tail

__all__ = ["crba", "crba_kernel", "crba_packed", "crba_packed_kernel", "inertia_pattern"]

# The workspace: for each link the transform from the root link of its tree, and its composite inertia; then for each freedom
# its column of S
X, IC = 0, 12
LINK = 22
FREEDOM = 6


@kernel
def crba_packed_kernel(m, q, H, ws):
    """Compute the inertia matrix, packed row after row: :mod:`pluecker.articulated.model.trees`"""
    joint_transforms(m, q, ws, LINK)
    store_inertia_matrix(m, q, False, H, ws)


@kernel
def store_inertia_matrix(m, q, to_factor, H, ws):
    """H_ij = S_i^T Ic_i S_j for each joint j on the way from body i to the world (RBDA section 6.2)

    The workspace has the transforms of the joints. With ``to_factor``, only of those trees whose matrix is factorised, each
    row at its place in the factor.
    """
    n = link_count(m)
    S = tail(ws, LINK * (n + 1))
    to_root_coordinates(m, q, to_factor, ws, S)
    if shares_rows(m):
        clear_rows(m, to_factor, H)
    for i in range(n, 0, -1):
        if to_factor and factored_place(m, row_of_freedom(m, first_freedom(m, i))) < 0:
            continue
        Ic = load_rigid(ws, LINK * i + IC)
        p = LINK * parent(m, i)
        if p > 0:  # Ic_p = Ic_p + Ic_i
            store_rigid(ws, p + IC, add_rigid(load_rigid(ws, p + IC), Ic))
        for k in range(freedom_count(m, i)):
            F = rigid_times_motion(Ic, load_vector(S, FREEDOM * (first_freedom(m, i) + k)))
            if shares_rows(m):
                add_shared_row(m, i, k, F, S, to_factor, H)
            else:
                store_row(m, i, k, F, S, to_factor, H)
    for r in range(velocity_count(m)):
        place = place_of_row(m, r, to_factor)
        if place >= 0:
            accumulate(H, place + row_depth(m, r), velocity_table(m, ARMATURE, row_coordinate(m, r)))


@kernel
def clear_rows(m, to_factor, H):
    """Set all rows to zero"""
    for r in range(velocity_count(m)):
        place = place_of_row(m, r, to_factor)
        if place >= 0:
            clear(tail(H, place), row_depth(m, r) + 1)


@kernel
def place_of_row(m, r, to_factor):
    """Return the index at which a row begins, in the packed matrix or in the factor; negative if it is not in the factor"""
    return factored_place(m, r) if to_factor else row_place(m, r)


@kernel
def to_root_coordinates(m, q, to_factor, ws, S):
    """Transform inertias and motion subspaces to the coordinates of the link that carries the whole tree.

    There they can be added and multiplied as they are, so that no force has to be carried from link to link; and they stay
    exact however far the robot is from the world's origin.
    """
    for i in range(1, link_count(m) + 1):
        if to_factor and factored_place(m, row_of_freedom(m, first_freedom(m, i))) < 0:
            continue
        w, p = LINK * i, LINK * parent(m, i)
        if p > 0:
            store_transform(ws, w + X, compose(load_transform(ws, w + X), load_transform(ws, p + X)))
        else:
            store_transform(ws, w + X, IDENTITY)
        Xi = load_transform(ws, w + X)
        store_rigid(ws, w + IC, inverse_transform_rigid(Xi, inertia(m, i)))
        for k in range(freedom_count(m, i)):
            store_vector(S, FREEDOM * (first_freedom(m, i) + k), inverse_transform_motion(Xi, subspace(m, i, k, q)))


@kernel
def store_row(m, i, k, F, S, to_factor, H):
    """Store S_c^T F for all freedoms c from freedom ``k`` of link ``i`` to the world: a row, from its diagonal entry back"""
    r = row_of_freedom(m, first_freedom(m, i) + k)
    place = place_of_row(m, r, to_factor) + row_depth(m, r)
    last = k
    while i > 0:
        s = FREEDOM * first_freedom(m, i)
        for c in range(last + 1):
            store(H, place - c, dot(load_vector(S, s + FREEDOM * (last - c)), F))
        place -= last + 1
        i = parent(m, i)
        last = freedom_count(m, i) - 1


@kernel
def add_shared_row(m, i, k, F, S, to_factor, H):
    """Add the row of a freedom where freedoms share rows: each pair counts for the rows of both, twice if that is one row"""
    f = first_freedom(m, i) + k
    r, last = row_of_freedom(m, f), k
    while i > 0:
        for c in range(first_freedom(m, i) + last, first_freedom(m, i) - 1, -1):
            x, other = dot(load_vector(S, FREEDOM * c), F), row_of_freedom(m, c)
            place = place_of_row(m, max(r, other), to_factor) + row_depth(m, min(r, other))
            accumulate(H, place, x)
            if r == other and f != c:
                accumulate(H, place, x)
        i = parent(m, i)
        last = freedom_count(m, i) - 1


def workspace(model: Model) -> int:
    """Return the size of the workspace of :func:`crba_packed_kernel`, in numbers"""
    return LINK * (model.n_links + 1) + FREEDOM * len(model.freedoms)


@kernel
def crba_kernel(m, q, pairs, ws):
    """Compute the packed inertia matrix behind an entry that is zero, which all other entries of the full matrix take"""
    store(pairs, 0, 0.0)
    crba_packed_kernel(m, q, tail(pairs, 1), ws)


def places(model: Model) -> NDArray[np.int64]:
    """Return for each entry of the full matrix its index among the packed ones, counted from 1; 0 for zero entries."""
    rows = model.coordinate_tree
    table = np.zeros((model.nv, model.nv), dtype=np.int64)
    r, c = (rows.v[numbers] for numbers in packed_pairs(rows))
    table[r, c] = table[c, r] = np.arange(1, rows.pairs + 1)
    return table.ravel()


CRBA = Algorithm(
    "crba", crba_kernel, inputs=("q",), outputs=(Field("H", ("nv", "nv")),), workspace=workspace, order=places
)
CRBA_PACKED = Algorithm(
    "crba_packed",
    crba_packed_kernel,
    inputs=("q",),
    outputs=(Field("H", (lambda model: model.coordinate_tree.pairs,)),),
    workspace=workspace,
)


def crba(model: Model, q: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
    """The joint-space inertia matrix, armature on its diagonal: full and symmetric.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        H, ``(..., nv, nv)``, with ``kinetic energy = 1/2 v^T H v``.

    Raises:
        ValueError: a shape does not fit, an entry is not finite, a quaternion is not of unit length, the result overflows.
        TypeError: something is not an array of real numbers, or no model.

    Example:
        >>> from pluecker.articulated import ModelBuilder, crba
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), armature=0.1)
        >>> crba(arm.build(), q=[0.0])
        array([[0.6]])

    Source: RBDA table 6.2.
    """
    return CRBA.call(model, (q,), out, threads)


def crba_packed(model: Model, q: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
    """The joint-space inertia matrix without its zeros and its upper half: packed row after row, tree after tree.

    Two coordinates meet in H only if one of them is on the way from the other to the world. A forest of 10,000 free bodies
    has 210,000 such entries, where the full matrix would have 3.6e9.

    Args:
        model, q, out, threads: as for :func:`crba`.

    Returns:
        The entries of H, ``(..., n)``; :func:`inertia_pattern` says which they are.

    Raises:
        ValueError, TypeError: as :func:`crba`.

    Example:
        >>> import numpy as np
        >>> from pluecker.articulated import ModelBuilder, crba_packed, inertia_pattern
        >>> arms = ModelBuilder()
        >>> for side in ("left", "right"):
        ...     arms.add_body(side, mass=2.0, center_of_mass=(0.5, 0, 0))
        ...     arms.add_joint(f"{side}_hinge", "revolute", parent="world", child=side, axis=(0, 1, 0), armature=0.1)
        >>> model = arms.build()
        >>> crba_packed(model, q=[0.0, 1.0])
        array([0.6, 0.6])
        >>> rows, columns = inertia_pattern(model)
        >>> rows, columns
        (array([0, 1]), array([0, 1]))

    Source: RBDA table 6.2 and section 6.4.
    """
    return CRBA_PACKED.call(model, (q,), out, threads)


def inertia_pattern(model: Model) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row and column, as indices into v, of each entry of the inertia matrix that :func:`crba_packed` gives.

    Each pair of coordinates is there once. The pair's other entry is the same, since H is symmetric; all others are zero.
    Row by row, from the roots of the trees on: first the entry with the coordinate next to the world, the diagonal last.

    Args:
        model: the mechanism.

    Returns:
        Two arrays of integers, ``(n,)`` each; of a batch ``(..., n)`` of matrices they describe the last axis.

    Raises:
        TypeError: no model.

    Source: RBDA section 6.4, branch-induced sparsity.
    """
    tree = as_model("inertia_pattern", model).coordinate_tree
    rows, columns = packed_pairs(tree)
    return tree.v[rows], tree.v[columns]
