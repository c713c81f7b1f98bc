"""The recursion behind the Jacobian of all bodies: each body's row of blocks from the row of its parent.

Row ``i`` holds a column for each coordinate between link ``i`` and the world, six numbers each, in link coordinates:

    J(b_i, j_i) = S_i                    Jdot(b_i, j_i) = Sdot_i
    J(b_i, j_a) = X_i J(b_p, j_a)        Jdot(b_i, j_a) = X_i Jdot(b_p, j_a) + Xdot_i J(b_p, j_a)

The columns of the parent come first, in its order, then those of the link's own joint: so row ``p`` is the beginning of row
``i`` with other coordinates, and a column keeps its place in all rows that have it. A mimic joint whose source is on the
way to the world adds to that column; it has none of its own.

Sources: Wang et al. (2019); source document 002, algorithms 1 and 2 (docs/sources.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.joints import joint_motion, joint_transforms, subspace, subspace_rate
from pluecker.articulated.model.layout import (
    BODY,
    COUNT,
    INTEGERS_OF_LINK,
    IV,
    PARENT,
    freedom_count,
    link_count,
    parent,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.algebra.transforms import load_transform, transform_motion
from pluecker.spatial.algebra.vectors import add, add_cross_motion, load_vector, store_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load_integer, store

__all__ = [
    "COLUMN", "RowTable", "column_count", "first_column", "jacobian_and_rate_rows", "jacobian_rows", "own_column",
    "row_table", "shares_columns",
]  # fmt: skip

TRANSFORM = 12  # the workspace: of each link its transform
COLUMN = 6  # numbers of a column of a row
# the table of rows: for each link where its row begins, how many columns it has, and which is the first of its own joint
FIRST, COLUMNS, OWN = range(3)
RECORD = 3


@dataclass(frozen=True)
class RowTable:
    """Columns of each row; the world, link 0, has none.

    Attributes:
        columns: of each link, the velocity coordinates of its columns, in their order.
        records: of each link, where its row begins among the numbers, its number of columns, its joint's first column.
        bodies: the link of each body.
        size: how many numbers all rows have; the first number of all is zero and belongs to none.
    """

    columns: list[NDArray[np.int64]]
    records: NDArray[np.int64]
    bodies: NDArray[np.int64]
    size: int

    @property
    def packed(self) -> Array:
        """The records as one array of floats, the bits of the integers, as kernels read them."""
        return self.records.ravel().view(np.float64)

    def of_bodies(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield for each body the index at which its row begins, and the velocity coordinates of its columns."""
        for link in self.bodies:
            yield int(self.records[link, FIRST]), self.columns[link]


def row_table(model: Model) -> RowTable:
    """Return the table of rows of a model, which is kept with the model."""
    table: RowTable | None = model.tables.get(row_table)
    if table is None:
        table = model.tables[row_table] = make_row_table(model)
    return table


def make_row_table(model: Model) -> RowTable:
    """Make the table of rows of a model, from parents to children."""
    links = model.links[:, INTEGERS_OF_LINK].astype(np.int64)
    columns = [np.empty(0, dtype=np.int64)]
    records = np.zeros((len(links), RECORD), dtype=np.int64)
    size = 1
    for i in range(1, len(links)):
        inherited, first = columns[links[i, PARENT]], links[i, IV]
        shared = np.flatnonzero(inherited == first)
        own = int(shared[0]) if len(shared) else len(inherited)
        fresh = np.arange(first, first + links[i, COUNT]) if not len(shared) else columns[0]
        columns.append(np.concatenate([inherited, fresh]))
        records[i] = size, len(columns[i]), own
        size += COLUMN * len(columns[i])
    bodies = np.empty(model.n_bodies, dtype=np.int64)
    moving = np.flatnonzero(links[1:, BODY] >= 0) + 1
    bodies[links[moving, BODY]] = moving
    return RowTable(columns, records, bodies, size)


@kernel
def first_column(c, i):
    """Return the index of the first number of row ``i``."""
    return load_integer(c, RECORD * i + FIRST)


@kernel
def column_count(c, i):
    """Return how many columns row ``i`` has."""
    return load_integer(c, RECORD * i + COLUMNS)


@kernel
def own_column(c, i):
    """The first column of joint ``i``, in its own row and in those of all links beyond it."""
    return load_integer(c, RECORD * i + OWN)


@kernel
def shares_columns(m, c, i):
    """Return whether joint ``i`` shares the column of a joint on its way to the world: they mimic one another."""
    return own_column(c, i) < column_count(c, parent(m, i))


@kernel
def jacobian_rows(m, c, q, J, ws):
    """Compute J(b_i, j_a) = X_i J(b_p, j_a), J(b_i, j_i) = S_i (algorithm 1)"""
    joint_transforms(m, q, ws, TRANSFORM)
    store(J, 0, 0.0)
    for i in range(1, link_count(m) + 1):
        p = parent(m, i)
        row, row_p = first_column(c, i), first_column(c, p)
        Xi = load_transform(ws, TRANSFORM * i)
        for j in range(column_count(c, p)):
            store_vector(J, row + COLUMN * j, transform_motion(Xi, load_vector(J, row_p + COLUMN * j)))
        row += COLUMN * own_column(c, i)
        for k in range(freedom_count(m, i)):
            place_column(J, row + COLUMN * k, subspace(m, i, k, q), shares_columns(m, c, i))


@kernel
def jacobian_and_rate_rows(m, c, q, v, J, Jdot, ws):
    """Compute Jdot(b_i, j_a) = Xdot_i J(b_p, j_a) + X_i Jdot(b_p, j_a), Jdot(b_i, j_i) = Sdot_i (algorithm 2)

    ``Xdot_i m = (X_i m) x vJ``, since what stands still in the parent moves backwards in the child.
    """
    joint_transforms(m, q, ws, TRANSFORM)
    store(J, 0, 0.0)
    store(Jdot, 0, 0.0)
    for i in range(1, link_count(m) + 1):
        p = parent(m, i)
        row, row_p = first_column(c, i), first_column(c, p)
        Xi, vJ = load_transform(ws, TRANSFORM * i), joint_motion(m, i, q, v)
        for j in range(column_count(c, p)):
            x = transform_motion(Xi, load_vector(J, row_p + COLUMN * j))
            rate = transform_motion(Xi, load_vector(Jdot, row_p + COLUMN * j))
            store_vector(J, row + COLUMN * j, x)
            store_vector(Jdot, row + COLUMN * j, add_cross_motion(rate, x, vJ))
        row += COLUMN * own_column(c, i)
        for k in range(freedom_count(m, i)):
            place_column(J, row + COLUMN * k, subspace(m, i, k, q), shares_columns(m, c, i))
            place_column(Jdot, row + COLUMN * k, subspace_rate(m, i, k, q, v), shares_columns(m, c, i))


@kernel
def place_column(J, k, x, shared):
    """Store a joint's own column, or add that of a mimic joint to the column of its source"""
    if shared:
        store_vector(J, k, add(load_vector(J, k), x))
    else:
        store_vector(J, k, x)
