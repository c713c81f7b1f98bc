"""The inverse of the joint-space inertia matrix, tree by tree, from the factors of each.

A tree whose matrix is factorised, H = L^T D L, is inverted from L, row by row. A tree that is solved by stored sweeps is
inverted by their outward half, and H is never made: of a column only what is below the diagonal is looked for, since the
matrix is symmetric.

Sources: RBDA sections 6.5 and 7.3; Carpentier (2018), "Analytical inverse of the joint space inertia matrix".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.algorithms.inertia.inertia_factor import (
    factor_numbers,
    factor_workspace,
    factorize_trees,
    refused_coordinate,
)
from pluecker.articulated.algorithms.inertia.inverse_by_sweeps import inverse_workspace, invert_by_sweeps
from pluecker.articulated.algorithms.inertia.ltdl import invert_ltdl
from pluecker.articulated.model.layout import (
    ROW_COUNT,
    factor_size,
    solved_by_sweeps,
    tree_count,
    tree_entry,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import store, tail

__all__ = ["minv", "minv_kernel"]


@kernel
def minv_kernel(m, q, Z, ws):
    """Store zero, then the inverse of each tree in the order of its rows: all of it, or by sweeps its lower half"""
    nv = velocity_count(m)
    factor, rest = tail(ws, 2 * nv), tail(ws, 2 * nv + factor_size(m))
    factorize_trees(m, q, factor, ws, rest)
    store(Z, 0, 0.0)
    place = 1
    for t in range(tree_count(m)):
        n = tree_entry(m, t, ROW_COUNT)
        if solved_by_sweeps(m, t):
            invert_by_sweeps(m, t, factor, tail(Z, place), rest)
            place += n * (n + 1) // 2
        else:
            invert_ltdl(m, t, factor, tail(Z, place))
            place += n * n


def places(model: Model) -> NDArray[np.int64]:
    """Return for each entry of the full matrix its index among the numbers of the kernel; 0 for those that are zero."""
    rows = model.coordinate_tree
    table = np.zeros((model.nv, model.nv), dtype=np.int64)
    place = 1
    for first, end, swept in zip(rows.first_row[:-1], rows.first_row[1:], rows.sweeps, strict=True):
        n, v = int(end - first), rows.v[first:end]
        i, j = np.indices((n, n))
        low, high = np.minimum(i, j), np.maximum(i, j)
        table[np.ix_(v, v)] = place + (high * (high + 1) // 2 + low if swept else n * i + j)
        place += n * (n + 1) // 2 if swept else n * n
    return table.ravel()


MINV = Algorithm(
    "minv",
    minv_kernel,
    inputs=("q",),
    outputs=(Field("Minv", ("nv", "nv")),),
    workspace=lambda model: (
        factor_numbers(model) + max(factor_workspace(model), 2 * model.nv + inverse_workspace(model))
    ),
    order=places,
    singular=refused_coordinate,
)


def minv(model: Model, q: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
    """The inverse of the joint-space inertia matrix, armature included: full and symmetric.

    To solve for a few right-hand sides, :func:`factorize` is faster.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows or does not exist, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        H^-1, ``(..., nv, nv)``: column k is the acceleration that a unit force at coordinate k alone causes.

    Raises:
        ValueError: a shape does not fit, an entry is not finite, a quaternion is not of unit length, the result overflows.
        TypeError: something is not an array of real numbers, or no model.
        SingularInertiaError: a joint moves no inertia; the joint is named.

    Example:
        >>> from pluecker.articulated import ModelBuilder, minv
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0))
        >>> minv(arm.build(), q=[0.0])
        array([[2.]])

    Source: RBDA sections 6.5 and 7.3; Carpentier (2018), "Analytical inverse of the joint space inertia matrix".
    """
    return MINV.call(model, (q,), out, threads)
