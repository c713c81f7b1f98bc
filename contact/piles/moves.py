"""Compiled part of a step after its contacts: the configuration that the velocity leads to, and gaps of rows closed.

    q+ = q moved along h v+        phi(q+) = 0 by moving bodies the nearest way in the metric of H

Free joints on the world move in their frozen frame, :mod:`~pluecker.articulated.stepping.semi_implicit.free_roots`. Rows
that hold have velocities ``J(q) v+`` as they are asked for; what their functions are curved leaves a gap of second order in
the step, which is closed as :mod:`~pluecker.contact.stepping.projection` says, about H and J at the end of the step.

Source: Eich (1993) for the projection.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import config, types

from pluecker.articulated.algorithms.inertia.inertia_factor import factor_numbers, factor_workspace
from pluecker.articulated.model.layout import factor_size, link_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.semi_implicit.free_roots import MOMENT, move_configuration
from pluecker.contact.piles.places import kept_count
from pluecker.contact.rows.jacobian import store_geometry, store_row_values
from pluecker.contact.rows.layout import (
    N_TURNS,
    entry_count,
    function_count,
    linear_count,
    row_count,
    value_count,
)
from pluecker.contact.rows.mobility import Mobility, mobility_numbers
from pluecker.contact.rows.motion import COLUMN, PLACE, place_links
from pluecker.contact.rows.packing import Packed
from pluecker.contact.rows.ranges import keep_coordinate_limits
from pluecker.contact.stepping.linear_laws import MET, keep_rotors
from pluecker.contact.stepping.mean_rates import Placed, expect_turns, keep_turns, reach, store_values_at
from pluecker.contact.stepping.projection import TOLERATED, close_gaps, largest_gap
from pluecker.contact.stepping.smooth_steps import take_geometry
from pluecker.spatial.engine.compiled.decorators import compiled_for, kernel
from pluecker.spatial.engine.memory.views import flat
from pluecker.spatial.engine.scalars.operations import load, load_integer, store, tail, within

__all__ = ["move", "move_along_rows"]

RENEWALS = 6  # of J, where gaps are large beside lengths: at most


@kernel
def move_kernel(m, q, v, given, q1, v1, ws):
    """Compute q1 and v1; ``given``: h, then the moments of the links"""
    move_configuration(m, load(given, 0), q, v, tail(given, 1), ws, q1, v1)


@kernel
def move_along_rows_kernel(m, w, q, v, given, q1, v1, left, ws):
    """Compute q1 and v1 along rows; ``given``: h, the moments, what is kept from step to step, the velocities of linear rows

    ``left``: the largest gap as a share of what is tolerated, and what is kept at the end of the step.
    """
    n, rows, h = linear_count(w), row_count(w), load(given, 0)
    moments = tail(given, 1)
    before = tail(moments, MOMENT * (link_count(m) + 1))
    rates, kept = tail(before, kept_count(w)), tail(left, 1)
    time = load(before, 0)
    for k in range(kept_count(w)):
        store(kept, k, load(before, k))
    turns = tail(kept, 1)
    missing = tail(turns, load_integer(w, N_TURNS) + rows)
    J, S = ws, tail(ws, value_count(w))
    compliance = tail(S, mobility_numbers(w))
    values = tail(compliance, n)
    G = tail(values, rows)
    phi = tail(G, entry_count(w))
    X = tail(phi, function_count(w))
    factor = tail(X, PLACE * (link_count(m) + 1))
    rest = tail(factor, factor_size(m))
    mobility, placed, end = Mobility(factor, J, S, compliance), Placed(X, G, phi, values), time + h
    place_links(m, q, X)
    store_geometry(m, w, q, X, G, J, rest)
    expect_turns(m, w, h, turns, v, placed)
    move_configuration(m, h, q, v, moments, rest, q1, v1)
    store_values_at(m, w, q1, X, phi)
    store_row_values(w, phi, True, values)
    size = reach(m, X)
    for _ in range(RENEWALS):
        if within(largest_gap(w, end, values) / size, 2.0 * MET):
            break
        take_geometry(m, w, q1, mobility, placed, rest)
        close_gaps(m, w, mobility, end, size, 2.0 * MET, placed, q1, rest)
    keep_coordinate_limits(w, q, q1)
    keep_turns(w, phi, turns)
    store_geometry(m, w, q1, X, G, J, rest)
    keep_rotors(w, q1, X, phi, rates, J, v1, missing)
    store(kept, 0, end)
    store(left, 0, largest_gap(w, end, values) / (TOLERATED * size))


def rows_workspace(model: Model, packed: Packed) -> int:
    """Compute the size of the workspace of the kernel with rows."""
    own = packed.n_values + packed.n_factor + 3 * packed.n_linear + packed.n_rows + packed.n_entries
    own += packed.n_functions + PLACE * (model.n_links + 1) + factor_numbers(model)
    scratch = (
        COLUMN * len(model.freedoms),
        2 * model.nv + factor_workspace(model),
        packed.n_linear + 7 * model.nv,
        model.nq + 8 * model.nv + 2 * packed.n_linear,
    )
    return int(own + max(scratch))


ROWS = types.float64[:, ::1]


@functools.cache
def compiled_move() -> Any:
    """Compile the move without rows, as Python calls it."""

    def move(m, q, v, given, q1, v1, ws):
        move_kernel(flat(m), flat(q), flat(v), flat(given), flat(q1), flat(v1), flat(ws))

    def move_by_lines(m, q, v, given, q1, v1, ws):
        move_kernel(m[0], q[0], v[0], given[0], q1[0], v1[0], ws[0])

    return compiled_for(move_by_lines if config.DISABLE_JIT else move, (ROWS,) * 7)


@functools.cache
def compiled_move_along_rows() -> Any:
    """Compile the move along rows, as Python calls it."""

    def move_along_rows(m, w, q, v, given, q1, v1, left, ws):
        move_along_rows_kernel(
            flat(m), flat(w), flat(q), flat(v), flat(given), flat(q1), flat(v1), flat(left), flat(ws)
        )

    def move_along_rows_by_lines(m, w, q, v, given, q1, v1, left, ws):
        move_along_rows_kernel(m[0], w[0], q[0], v[0], given[0], q1[0], v1[0], left[0], ws[0])

    return compiled_for(move_along_rows_by_lines if config.DISABLE_JIT else move_along_rows, (ROWS,) * 9)


@functools.lru_cache(maxsize=8)
def packed_model(model: Model) -> Array:
    """Copy the array of a model, to be handed on: compiled functions take no array that cannot be written to."""
    return np.array(model.packed)[None]


def move(model: Model, h: float, q: Array, v: Array, moments: Array) -> tuple[Array, Array]:
    """Compute the state at the end of a step with the velocity v, in the frozen frames of free joints."""
    q1, v1, given, ws = np.empty_like(q), np.empty_like(v), np.concatenate([[h], moments]), np.empty(model.nv)
    with np.errstate(all="ignore"):
        compiled_move()(packed_model(model), *(np.ascontiguousarray(x)[None] for x in (q, v, given, q1, v1, ws)))
    return q1, v1


def move_along_rows(
    model: Model, packed: Packed, h: float, q: Array, v: Array, moments: Array, kept: Array, rates: Array
) -> tuple[Array, Array, Array, float]:
    """Compute the state at the end of a step with the velocity v, and close the gaps of the rows of constraints there.

    Args:
        kept: what lasts from step to step, at its beginning.
        rates: velocities of linear rows.

    Returns:
        q and v, what lasts at the end of the step, and the largest gap that is left, as a share of what is tolerated.
    """
    q1, v1, left = np.empty_like(q), np.empty_like(v), np.empty(1 + len(kept))
    given, ws = np.concatenate([[h], moments, kept, rates]), np.empty(rows_workspace(model, packed))
    with np.errstate(all="ignore"):
        arrays = packed.array, q, v, given, q1, v1, left, ws
        compiled_move_along_rows()(packed_model(model), *(np.ascontiguousarray(x)[None] for x in arrays))
    return q1, v1, left[1:], float(left[0])
