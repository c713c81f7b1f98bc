"""The joint-space inertia matrix by the composite-rigid-body algorithm (CRBA).

Sources: RBDA section 6.2 and table 6.2; Walker, Orin (1982).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.model.joints import joint_transforms, subspace
from pluecker.articulated.model.layout import (
    ARMATURE,
    COUNT,
    INTEGERS_OF_LINK,
    IV,
    PARENT,
    clear,
    first_freedom,
    first_v,
    freedom_count,
    inertia,
    link_count,
    owns_coordinates,
    parent,
    velocity_count,
    velocity_table,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
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
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.scalars.operations import accumulate, load, store, tail

__all__ = ["crba", "crba_kernel", "crba_with_mimic_kernel"]

# the workspace: for each link the transform from the root link of its tree, and its composite inertia; then for each freedom
# its column of S
X, IC = 0, 12
LINK = 22
FREEDOM = 6


@kernel
def crba_kernel(m, q, pairs, ws):
    """H_ij = S_i^T Ic_i S_j for each joint j on the way from body i to the world (RBDA section 6.2)

    Each such pair of freedoms has one entry, in the order of :func:`places`. The first entry is zero: what all other places
    of the matrix hold.
    """
    n = link_count(m)
    S = tail(ws, LINK * (n + 1))
    joint_transforms(m, q, ws, LINK)
    to_root_coordinates(m, q, ws, S)
    store(pairs, 0, 0.0)
    place = 1
    for i in range(n, 0, -1):
        Ic = load_rigid(ws, LINK * i + IC)
        p = LINK * parent(m, i)
        if p > 0:  # Ic_p = Ic_p + Ic_i
            store_rigid(ws, p + IC, add_rigid(load_rigid(ws, p + IC), Ic))
        for k in range(freedom_count(m, i)):
            F = rigid_times_motion(Ic, load_vector(S, FREEDOM * (first_freedom(m, i) + k)))
            place = store_row(m, i, k, F, S, pairs, place)


@kernel
def to_root_coordinates(m, q, ws, S):
    """Inertias and motion subspaces in the coordinates of the link that carries the whole tree.

    There they can be added and multiplied as they are, so that no force has to be carried from link to link; and they stay
    exact however far the robot is from the world's origin.
    """
    for i in range(1, link_count(m) + 1):
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
def store_row(m, i, k, F, S, pairs, place):
    """S_c^T F for the freedoms c of link ``i`` up to ``k`` itself, then for all freedoms between the link and the world"""
    s = FREEDOM * first_freedom(m, i)
    for c in range(k + 1):
        store(pairs, place + c, dot(load_vector(S, s + FREEDOM * c), F))
    place += k + 1
    if owns_coordinates(m, i):
        accumulate(pairs, place - 1, velocity_table(m, ARMATURE, first_v(m, i) + k))
    i = parent(m, i)
    while i > 0:
        s = FREEDOM * first_freedom(m, i)
        for c in range(freedom_count(m, i)):
            store(pairs, place + c, dot(load_vector(S, s + FREEDOM * c), F))
        place += freedom_count(m, i)
        i = parent(m, i)
    return place


def workspace(model: Model) -> int:
    """Of :func:`crba_kernel`"""
    return LINK * (model.n_links + 1) + FREEDOM * len(model.freedoms)


def rows(model: Model) -> Iterator[tuple[int, list[int]]]:
    """For each freedom that the kernel comes to, its number in v, and those of the freedoms that it is paired with."""
    freedoms: dict[int, list[int]] = {0: []}  # of each link and of all between it and the world
    own = {}
    for i in range(1, model.n_links + 1):
        link = model.links[i, INTEGERS_OF_LINK].astype(int)
        own[i] = list(range(link[IV], link[IV] + link[COUNT]))
        freedoms[i] = own[i] + freedoms[link[PARENT]]
    for i in range(model.n_links, 0, -1):
        for k, r in enumerate(own[i]):
            yield r, own[i][: k + 1] + freedoms[int(model.links[i, PARENT])]


def places(model: Model) -> NDArray[np.int64]:
    """Where each entry of the matrix is among the pairs."""
    table = np.zeros((model.nv, model.nv), dtype=np.int64)
    place = 1
    for r, columns in rows(model):
        table[r, columns] = table[columns, r] = np.arange(place, place + len(columns))
        place += len(columns)
    return table.ravel()


# ------------------------------------------------------------------------------------------- models with mimic joints


@kernel
def crba_with_mimic_kernel(m, q, H, ws):
    """Joints that share a coordinate: all their pairs count for its row"""
    n, nv = link_count(m), velocity_count(m)
    pairs = tail(ws, LINK * (n + 1) + FREEDOM * (first_freedom(m, n) + freedom_count(m, n)))
    crba_kernel(m, q, pairs, ws)
    clear(H, nv * nv)
    place = 1
    for i in range(n, 0, -1):
        for k in range(freedom_count(m, i)):
            place = add_row(m, i, k, pairs, place, H)


@kernel
def add_row(m, i, k, pairs, place, H):
    """To the places of the matrix, what :func:`store_row` has stored"""
    nv, r, c = velocity_count(m), first_v(m, i) + k, first_v(m, i)
    for j in range(k):
        add_pair(H, nv, r, c + j, load(pairs, place + j))
    place += k + 1
    accumulate(H, r * nv + r, load(pairs, place - 1))
    i = parent(m, i)
    while i > 0:
        c = first_v(m, i)
        for j in range(freedom_count(m, i)):
            add_pair(H, nv, r, c + j, load(pairs, place + j))
        place += freedom_count(m, i)
        i = parent(m, i)
    return place


@kernel
def add_pair(H, nv, r, c, x):
    """H_rc += x and H_cr += x; the same entry twice where two joints on one path share a coordinate"""
    accumulate(H, r * nv + c, x)
    accumulate(H, c * nv + r, x)


CRBA_WITH_MIMIC = Algorithm(
    "crba",
    crba_with_mimic_kernel,
    inputs=("q",),
    outputs=(Field("H", ("nv", "nv")),),
    workspace=lambda model: workspace(model) + 1 + sum(len(columns) for _, columns in rows(model)),
)
CRBA = Algorithm(
    "crba",
    crba_kernel,
    inputs=("q",),
    outputs=(Field("H", ("nv", "nv")),),
    workspace=workspace,
    order=places,
    with_mimic=CRBA_WITH_MIMIC,
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
