"""The errors of a world's rows and their Jacobian, in Python: for what is not done in every step.

Source: :mod:`~pluecker.contact.world.jacobian`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pluecker.articulated.model.layout import first_freedom, freedom_count, link_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.contact.world import layout
from pluecker.contact.world.jacobian import store_jacobian, store_row_values, store_values
from pluecker.contact.world.layout import entry_count
from pluecker.contact.world.motion import COLUMN, PLACE, place_links, store_columns
from pluecker.contact.world.packing import Packed
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.scalars.operations import tail

if TYPE_CHECKING:
    from pluecker.contact.world.world import World

__all__ = ["ROW_ERRORS", "row_errors", "row_jacobian"]


@kernel
def row_errors_kernel(m, w, q, errors, J, phi, ws):
    """phi of each row, the values of J, and phi of each function"""
    n = link_count(m)
    X = ws
    C = tail(X, PLACE * (n + 1))
    G = tail(C, COLUMN * (first_freedom(m, n) + freedom_count(m, n)))
    place_links(m, q, X)
    store_columns(m, q, X, C)
    store_jacobian(w, X, C, G, J)
    store_values(w, q, X, phi)
    store_row_values(w, phi, True, errors)


def workspace(model: Model, packed: Packed) -> int:
    """Of the kernel."""
    return PLACE * (model.n_links + 1) + COLUMN * len(model.freedoms) + packed.n_entries


ROW_ERRORS = Algorithm(
    "World.errors",
    row_errors_kernel,
    inputs=("q",),
    outputs=(
        Field("errors", (lambda model, packed: packed.n_rows,)),
        Field("values", (lambda model, packed: packed.n_values,)),
        Field("functions", (lambda model, packed: packed.n_functions,)),
    ),
    constants=lambda model, packed: packed.array,
    workspace=workspace,
    listed=False,
)


def row_errors(world: World, q: Array) -> Array:
    """phi of all rows, ``(..., n_rows)``; angles in (-pi, pi]."""
    return np.asarray(ROW_ERRORS.call(world.smooth, (q,), None, None, (world.packed,))[0][..., world.packed.place])


def row_jacobian(world: World, q: Array) -> Array:
    """The gradients of all rows, ``(..., n_rows, nv)``: ``J v`` is the rate of phi."""
    packed = world.packed
    values = ROW_ERRORS.call(world.smooth, (q,), None, None, (packed,))[1]
    integers = packed.array.view(np.int64)
    columns = integers[integers[layout.COLUMNS] :][: packed.n_values]
    rows = integers[integers[layout.ROWS] :][: layout.ROW * packed.n_rows].reshape(-1, layout.ROW)
    J = np.zeros((*values.shape[:-1], packed.n_rows, world.model.nv))
    J[..., np.repeat(np.arange(packed.n_rows), rows[:, layout.VALUE_COUNT]), columns] = values
    return np.asarray(J[..., packed.place, :])
