"""The joint-space inertia matrix by the composite-rigid-body algorithm (CRBA).

Sources: RBDA section 6.2 and table 6.2; Walker, Orin (1982).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.algorithm import Algorithm
from pluecker.articulated.arguments import Array
from pluecker.articulated.joints import joint_transform
from pluecker.articulated.layout import (
    ARMATURE,
    clear,
    first_v,
    freedom_count,
    inertia,
    link_count,
    parent,
    subspace,
    velocity_count,
    velocity_table,
)
from pluecker.articulated.model import Model
from pluecker.spatial.compile import kernel
from pluecker.spatial.inertia import add_rigid, inverse_transform_rigid, load_rigid, rigid_times_motion, store_rigid
from pluecker.spatial.scalars import accumulate
from pluecker.spatial.transforms import inverse_transform_force, load_transform, store_transform
from pluecker.spatial.vectors import dot

__all__ = ["crba", "crba_kernel"]

# the workspace: for each link its transform and its composite inertia
X, IC = 0, 12
LINK = 22


@kernel
def crba_kernel(m, q, v, u, f_ext, H, ws):
    """H_ij = S_i^T Ic_i S_j for each joint j on the way from body i to the world (RBDA section 6.2)"""
    n, nv = link_count(m), velocity_count(m)
    clear(H, nv * nv)
    for i in range(1, n + 1):
        store_transform(ws, LINK * i + X, joint_transform(m, i, q))
        store_rigid(ws, LINK * i + IC, inertia(m, i))
    for i in range(n, 0, -1):
        Ic = load_rigid(ws, LINK * i + IC)
        p = LINK * parent(m, i)
        if p > 0:  # Ic_p = Ic_p + X^T Ic_i X
            Icp = inverse_transform_rigid(load_transform(ws, LINK * i + X), Ic)
            store_rigid(ws, p + IC, add_rigid(load_rigid(ws, p + IC), Icp))
        for k in range(freedom_count(m, i)):
            F = rigid_times_motion(Ic, subspace(m, i, k))
            r = first_v(m, i) + k
            accumulate(H, r * nv + r, dot(subspace(m, i, k), F))
            for j in range(k):
                add_pair(H, nv, r, first_v(m, i) + j, dot(subspace(m, i, j), F))
            add_row(m, i, r, F, H, ws)
    for k in range(nv):
        accumulate(H, k * nv + k, velocity_table(m, ARMATURE, k))


@kernel
def add_row(m, i, r, F, H, ws):
    """H_rj = S_j^T F for each joint j below, with F carried down to it"""
    nv = velocity_count(m)
    while parent(m, i) > 0:
        F = inverse_transform_force(load_transform(ws, LINK * i + X), F)
        i = parent(m, i)
        for k in range(freedom_count(m, i)):
            add_pair(H, nv, r, first_v(m, i) + k, dot(subspace(m, i, k), F))


@kernel
def add_pair(H, nv, r, c, x):
    """H_rc += x and H_cr += x; the same entry twice where two joints on one path share a coordinate"""
    accumulate(H, r * nv + c, x)
    accumulate(H, c * nv + r, x)


CRBA = Algorithm(
    "crba",
    crba_kernel,
    inputs=("q",),
    shape=lambda model: (model.nv, model.nv),
    workspace=lambda model: LINK * (model.n_links + 1),
)


def crba(model: Model, q: ArrayLike, out: Array | None = None, threads: int | None = None) -> Array:
    """The joint-space inertia matrix, armature on its diagonal: full and symmetric.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        out: array that takes the result, C-ordered float64 of the result's shape.

    Returns:
        H, ``(..., nv, nv)``, with ``kinetic energy = 1/2 v^T H v``.

    Raises:
        ValueError: a shape does not fit, an entry is not finite, a quaternion is not of unit length.
        TypeError: something is not an array of real numbers.

    Example:
        >>> from pluecker.articulated import ModelBuilder, crba
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), armature=0.1)
        >>> crba(arm.build(), q=[0.0])
        array([[0.6]])

    Source: RBDA table 6.2.
    """
    return CRBA(model, q, out=out, threads=threads)
