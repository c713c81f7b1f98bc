"""Errors of all rows in a configuration, their rates' bias, and the Jacobian: as arrays, for those who build on them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.articulated.model.layout import clear, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.contact.instants.accelerations import geometry_numbers, store_rows_at_instant
from pluecker.contact.instants.motions_at import MotionsAt
from pluecker.contact.rows.jacobian import add_row_force
from pluecker.contact.rows.layout import row_count, value_count
from pluecker.contact.rows.packing import Packed
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, part, store, tail
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError

__all__ = ["ROWS_AT", "RowsAt"]


@by_value()
class RowsAt(NamedTuple):
    """Rows of a world in a state.

    Attributes:
        error: phi - s of each row, ``(..., n_rows)``, with what it is to be, s; m or rad, or what its functions are in. Of a
            row with a limit phi is where it is between its limits, of a contact the gap: ``World.errors_at`` has what of
            these is an error.
        jacobian: J, dense, ``(..., n_rows, nv)``: ``dphi/dt = J v``.
        bias: ``Jdot v - d2s/dt2``, ``(..., n_rows)``: the second rate of the error is ``J a`` and this.
        speed: ``ds/dt``, ``(..., n_rows)``: the rate of the error is ``J v`` less this.
    """

    error: Array
    jacobian: Array
    bias: Array
    speed: Array


@kernel
def rows_at_kernel(m, w, q, v, error, jacobian, bias, ws):
    """Compute phi, J and Jdot v"""
    nv, n = velocity_count(m), row_count(w)
    J, zero = ws, tail(ws, value_count(w))
    store_rows_at_instant(m, w, q, v, J, error, bias, part(zero, 0, nv), tail(zero, nv))
    clear(jacobian, n * nv)
    for k in range(n):
        store(bias, k, -load(bias, k))
        add_row_force(w, J, k, 1.0 + 0.0 * load(error, k), tail(jacobian, nv * k))


def workspace(model: Model, packed: Packed) -> int:
    """Compute the size of the workspace of the kernel."""
    return packed.n_values + model.nv + geometry_numbers(model, packed)


def n_rows(model: Model, packed: Packed) -> int:
    """Return the number of rows."""
    return packed.n_rows


ROWS_AT = Algorithm(
    "World.rows_at",
    rows_at_kernel,
    inputs=("q", "v"),
    outputs=(Field("error", (n_rows,)), Field("jacobian", (n_rows, "nv")), Field("bias", (n_rows,))),
    constants=lambda model, packed: packed.array,
    workspace=workspace,
    listed=False,
)


def sorted_rows(packed: Packed, result: tuple[Array, Array, Array], asked: MotionsAt) -> RowsAt:
    """Sort the rows in the order in which constraints were given, and compare them with what is asked of them."""
    error, jacobian, bias = result
    place = packed.place
    try:
        batch = np.broadcast_shapes(error.shape[:-1], asked.value.shape[:-1])
    except (ValueError, RuntimeError):  # the second of more than 32 axes
        raise ArgumentValueError(
            f"World.rows_at: time has shape {asked.value.shape[:-1]}, and there are states {error.shape[:-1]}"
        ) from None
    whole = np.broadcast_to(jacobian[..., place, :], (*batch, *jacobian.shape[-2:]))
    found = np.zeros((3, *batch, len(place)))
    found[0], found[1], found[2] = error[..., place] - asked.value, bias[..., place] - asked.gain, asked.speed
    return RowsAt(found[0], np.ascontiguousarray(whole), found[1], found[2])
