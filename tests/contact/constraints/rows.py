"""Rows of constraints as dense arrays: J, their errors, and Jdot v."""

from typing import NamedTuple

import numpy as np

from pluecker.articulated.model.layout import velocity_count
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.fields import Field
from pluecker.contact.world import layout
from pluecker.contact.world.accelerations import ACCELERATIONS, store_rows_at_instant
from pluecker.contact.world.packing import Packed, pack_constraints
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.scalars.operations import tail


@kernel
def rows_kernel(m, w, q, v, values, errors, biases, ws):
    """What accelerations begin with"""
    store_rows_at_instant(m, w, q, v, values, errors, biases, ws, tail(ws, velocity_count(m)))


ROWS = Algorithm(
    "rows of constraints",
    rows_kernel,
    inputs=("q", "v"),
    outputs=(
        Field("values", (lambda model, packed: packed.n_values,)),
        Field("errors", (lambda model, packed: packed.n_rows,)),
        Field("biases", (lambda model, packed: packed.n_rows,)),
    ),
    constants=lambda model, packed: packed.array,
    workspace=lambda model, packed: model.nv + ACCELERATIONS.workspace(model, packed),
    listed=False,
)


class Rows(NamedTuple):
    """In the order of the parts that were given."""

    J: np.ndarray
    errors: np.ndarray
    biases: np.ndarray  # Jdot v


def rows_at(model, packed: Packed, q, v) -> Rows:
    """All rows in one state."""
    values, errors, biases = ROWS.call(model, (q, v), None, None, (packed,))
    J = np.zeros((packed.n_rows, model.nv))
    numbers = packed.array.view(np.int64)
    for k in range(packed.n_rows):
        head = numbers[numbers[layout.ROWS] + layout.ROW * k :]
        for i in range(head[layout.FIRST_VALUE], head[layout.FIRST_VALUE] + head[layout.VALUE_COUNT]):
            J[k, numbers[numbers[layout.COLUMNS] + i]] += values[i]
    order = [k for own in packed.rows for k in own]
    return Rows(J[order], errors[order], -biases[order])


def rows_of(model, constraints, q, v) -> Rows:
    """Of records."""
    return rows_at(model, pack_constraints(model, [each.parts(model) for each in constraints]), q, v)
