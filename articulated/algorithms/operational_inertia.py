"""The inertia of a robot as somebody feels it who holds it at a frame: the operational-space inertia of one frame.

``J H^-1 J^T`` is what a unit force on the frame accelerates the frame by. With the factors of H it is a sum of squares over
the freedoms between the frame and the world alone: the joint forces J^T f travel inward, each freedom takes its share u, and
the sum of ``u D^-1 u^T`` remains. No other branch is met, and the sum is never negative, however much is rounded.

Sources: Khatib (1987), "A unified approach for motion and force control of robot manipulators"; RBDA section 6.5 for the
factors, section 7.3 for the sweeps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.frame_path import (
    HEADER,
    ORIGIN,
    POINT,
    RECORD,
    check_names,
    check_point,
    column_count,
    columns,
    find_frame,
    links_to_world,
    links_up,
    path_column,
    path_constants,
    path_link,
    path_workspace,
)
from pluecker.articulated.algorithms.inertia_factor import (
    EPSILON,
    NEARLY,
    factor_numbers,
    factor_workspace,
    factorize_trees,
    refused_coordinate,
)
from pluecker.articulated.algorithms.inertia_sweeps import D, S, U, freedom_place, link_place
from pluecker.articulated.algorithms.jacobian import jacobian_kernel
from pluecker.articulated.model.layout import (
    clear,
    factor_size,
    factored_place,
    freedom_count,
    row_depth,
    row_parent,
    solved_by_sweeps,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import inverse_transform_force, load_transform
from pluecker.spatial.algebra.vectors import add, dot, load_vector, scale, store_vector, subtract
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.dense.ldl import factorize_ldl, invert_ldl
from pluecker.spatial.scalars.operations import accumulate, load, load_integer, store, tail

__all__ = ["operational_inertia", "operational_inertia_kernel"]

# behind the constants of the path: the tree and the last row of the path, then of each column the depth of its row
TREE, LAST_ROW, DEPTHS = range(3)
# the workspace, behind the pivots of H: the diagonal of J H^-1 J^T, that matrix or its factors, and the factors of H
DIAGONAL, MATRIX, FACTOR = 0, 6, 42


@kernel
def operational_inertia_kernel(m, c, q, point, inertia, ws):
    """Lambda = (J H^-1 J^T)^-1"""
    own, work = tail(c, HEADER + RECORD * links_up(c)), tail(ws, 2 * velocity_count(m))
    diagonal, A, factor = tail(work, DIAGONAL), tail(work, MATRIX), tail(work, FACTOR)
    numbers = tail(factor, factor_size(m))
    rest = tail(numbers, 1 + 6 * column_count(c))
    J = tail(numbers, 1)
    jacobian_kernel(m, c, q, point, numbers, rest)
    factorize_trees(m, q, factor, ws, rest)
    clear(A, 36)
    if column_count(c) > 0:
        if solved_by_sweeps(m, load_integer(own, TREE)):
            add_squares_by_sweeps(m, c, load_integer(own, TREE), factor, J, A)
        else:
            add_squares_of_rows(m, c, own, factor, J, rest, A)
    for k in range(6):
        store(diagonal, k, load(A, 7 * k))
    factorize_ldl(A, 6, EPSILON)
    invert_ldl(A, 6, inertia)


@kernel
def add_squares_of_rows(m, c, own, factor, J, Y, A):
    """L^T y = J^T along the path, row after row: its ancestors lose what the row takes; ``Y`` has them by their depth"""
    r = load_integer(own, LAST_ROW)
    clear(Y, 6 * (row_depth(m, r) + 1))
    for k in range(column_count(c)):
        store_vector(Y, 6 * load_integer(own, DEPTHS + k), load_vector(J, 6 * k))
    while r >= 0:
        row, depth = factored_place(m, r), row_depth(m, r)
        y = load_vector(Y, 6 * depth)
        for a in range(depth):
            store_vector(Y, 6 * a, subtract(load_vector(Y, 6 * a), scale(load(factor, row + a), y)))
        add_square(A, load(factor, row + depth), Y, 6 * depth)
        r = row_parent(m, r)


@kernel
def add_squares_by_sweeps(m, c, t, factor, J, A):
    """The same by the inward sweep, for each of the six forces; each share takes the place of its entry of J"""
    for e in range(6):
        p = scale(0.0, load_vector(J, 0))
        for k in range(links_up(c)):
            i = path_link(c, k)
            for j in range(freedom_count(m, i) - 1, -1, -1):
                s, place = freedom_place(m, t, i, j), 6 * (path_column(c, k) + j) + e
                u = load(J, place) - dot(load_vector(factor, s + S), p)  # u = b - S^T p
                p = add(p, scale(load(factor, s + D) * u, load_vector(factor, s + U)))  # p = p + U D^-1 u
                store(J, place, u)
            p = inverse_transform_force(load_transform(factor, link_place(m, t, i)), p)
    for k in range(links_up(c)):
        i = path_link(c, k)
        for j in range(freedom_count(m, i)):
            d = load(factor, freedom_place(m, t, i, j) + D)
            add_square(A, d, J, 6 * (path_column(c, k) + j))


@kernel
def add_square(A, d, y, k):
    """A = A + d y y^T, of which the lower half counts, with the six numbers of y from place k on"""
    for i in range(6):
        x = d * load(y, k + i)
        for j in range(i + 1):
            accumulate(A, 6 * i + j, x * load(y, k + j))


def constants(model: Model, frame: str, axes: str) -> Array:
    """Those of the path, and the rows of the inertia matrix that belong to its columns."""
    path, rows = path_constants("operational_inertia", model, frame, axes), model.coordinate_tree
    row_of = np.argsort(rows.v)
    links = links_to_world(model, find_frame("operational_inertia", model, frame)[0])
    own = row_of[columns(model, links)].astype(np.int64)
    tree = int(rows.tree_of_link[links[0]]) if links else -1
    integers = np.concatenate([[tree, own.max(initial=-1)], rows.depth[own]]).astype(np.int64)
    return np.concatenate([path, integers.view(np.float64)])


def workspace(model: Model, frame: str, axes: str) -> int:
    """Of :func:`operational_inertia_kernel`"""
    path = path_workspace(model, frame, axes)
    rest = max(factor_workspace(model), path, 6 * (int(model.coordinate_tree.depth.max(initial=0)) + 1))
    return 2 * model.nv + FACTOR + factor_numbers(model) + 1 + 6 * model.nv + rest


def refused(model: Model, ws: Array) -> int | str | None:
    """Why there is no result, from the workspace: the joint that moves no inertia, or that the frame cannot move freely."""
    coordinate = refused_coordinate(model, ws)
    diagonal, A = (ws[2 * model.nv + k :] for k in (DIAGONAL, MATRIX))
    if coordinate is not None or not np.isfinite(ws[: 2 * model.nv]).all() or not np.isfinite(diagonal[:6]).all():
        return coordinate
    if (A[0:36:7] * EPSILON * diagonal[:6] < NEARLY).all():
        return None
    return "the operational-space inertia is singular: the joints do not let the frame accelerate in all six directions"


OPERATIONAL_INERTIA = Algorithm(
    "operational_inertia",
    operational_inertia_kernel,
    inputs=("q", POINT),
    outputs=(Field("Lambda", (6, 6)),),
    constants=constants,
    workspace=workspace,
    singular=refused,
)


def operational_inertia(
    model: Model,
    q: ArrayLike,
    frame: str,
    point: ArrayLike | None = None,
    axes: str = "body",
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """The operational-space inertia of a frame, ``Lambda = (J H^-1 J^T)^-1``, armature included.

    A force on the frame equal to ``Lambda a`` gives the frame, at rest and without gravity, the acceleration ``a``; the
    kinetic energy cannot be less than ``1/2 v^T Lambda v`` while the frame moves with velocity ``v``.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``; rad or m, quaternions ``[w, x, y, z]``.
        frame, point, axes: as for :func:`jacobian`.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an argument is refused.
            Where the result of a batch overflows or does not exist, what it holds is not defined.
        threads: how many threads share a batch, at least 1; all cores if None.

    Leading axes broadcast, those of the point too.

    Returns:
        Lambda, ``(..., 6, 6)``, symmetric, angular rows first: kg m^2, kg m and kg.

    Raises:
        KeyError: there is no frame of that name.
        ValueError: ``axes`` is none of the three, a shape does not fit, an entry is not finite, a quaternion is not of unit
            length, the result overflows.
        TypeError: something is not an array of real numbers, or no name, or no model.
        SingularInertiaError: the frame cannot accelerate in all six directions, because the joints between it and the world
            have fewer freedoms, or are in a singular configuration; or a joint moves no inertia.

    Example:
        >>> import numpy as np
        >>> from pluecker.articulated import ModelBuilder, operational_inertia
        >>> ball = ModelBuilder()
        >>> ball.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
        >>> ball.add_joint("flying", "free", parent="world", child="ball")
        >>> np.diag(operational_inertia(ball.build(), [0, 0, 0, 1, 0, 0, 0], "ball"))
        array([0.1, 0.1, 0.1, 2. , 2. , 2. ])

    Source: Khatib (1987), "A unified approach for motion and force control of robot manipulators"; RBDA section 6.5.
    """
    if not type(frame) is type(axes) is str:
        check_names("operational_inertia", frame=frame, axes=axes)
    point = ORIGIN if point is None else check_point("operational_inertia", point, axes)
    return OPERATIONAL_INERTIA.call(model, (q, point), out, threads, (frame, axes))
