"""End of a step after its contacts: the configuration that the velocity leads to, and gaps of rows closed.

    q+ = q moved along h v+        phi(q+) = 0 by moving bodies the nearest way in the metric of H

Free joints on the world move in their frozen frame, :mod:`~pluecker.articulated.stepping.semi_implicit.free_roots`. Rows
that hold have velocities ``J(q) v+`` as they are asked for; what their functions are curved leaves a gap of second order in
the step, which is closed as :mod:`~pluecker.contact.stepping.projection` says, about H and J at the end of the step.

Source: Eich (1993) for the projection.
"""

from __future__ import annotations

from pluecker.articulated.algorithms.inertia.inertia_factor import factor_numbers, factor_workspace
from pluecker.articulated.model.layout import factor_size, link_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.stepping.semi_implicit.free_roots import move_configuration
from pluecker.contact.found.layout import MOMENTS, piece
from pluecker.contact.found.smooth import memory_in, rows_in
from pluecker.contact.rows.jacobian import row_rate, store_geometry, store_row_values
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
from pluecker.contact.rows.ranges.in_steps import keep_coordinate_limits
from pluecker.contact.stepping.linear_laws import MET, keep_rotors
from pluecker.contact.stepping.mean_rates import Placed, expect_turns, keep_turns, reach, store_values_at
from pluecker.contact.stepping.projection import TOLERATED, close_gaps, largest_gap
from pluecker.contact.stepping.smooth_steps import take_geometry
from pluecker.spatial.engine.compiled.decorators import called_kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, store, tail, within

__all__ = ["move_along_rows", "rows_workspace"]

RENEWALS = 6  # of J, where gaps are large beside lengths: at most


@called_kernel
def move_along_rows(m, w, s, h, q, v, memory, q1, v1, ws, work):
    """Compute q1 and v1 from the velocity v, close the gaps of rows of constraints, and remember turns and rotors

    Returns the largest gap that is left, as a share of what is tolerated.
    """
    n, rows, kept = linear_count(w), row_count(w), memory_in(w, memory)
    if n == 0 and load_integer(w, N_TURNS) == 0:  # limits, motors and friction leave no gaps, and nothing to remember
        move_configuration(m, h, q, v, piece(s, ws, MOMENTS), work, q1, v1)
        keep_coordinate_limits(w, q, q1)
        return 0.0
    rates, J = work, tail(work, n)
    S = tail(J, value_count(w))
    compliance = tail(S, mobility_numbers(w))
    values = tail(compliance, n)
    G = tail(values, rows)
    phi = tail(G, entry_count(w))
    X = tail(phi, function_count(w))
    factor = tail(X, PLACE * (link_count(m) + 1))
    rest = tail(factor, factor_size(m))
    mobility, placed, end = Mobility(factor, J, S, compliance), Placed(X, G, phi, values), load(memory, 0) + h
    for k in range(n):
        store(rates, k, row_rate(w, rows_in(w, s, ws).J, k, v))
    place_links(m, q, X)
    store_geometry(m, w, q, X, G, J, rest)
    expect_turns(m, w, h, kept.turns, v, placed)
    move_configuration(m, h, q, v, piece(s, ws, MOMENTS), rest, q1, v1)
    store_values_at(m, w, q1, X, phi)
    store_row_values(w, phi, True, values)
    size = reach(m, X)
    for _ in range(RENEWALS):
        if within(largest_gap(w, end, values) / size, 2.0 * MET):
            break
        take_geometry(m, w, q1, mobility, placed, rest)
        close_gaps(m, w, mobility, end, size, 2.0 * MET, placed, q1, rest)
    keep_coordinate_limits(w, q, q1)
    keep_turns(w, phi, kept.turns)
    store_geometry(m, w, q1, X, G, J, rest)
    keep_rotors(w, q1, X, phi, rates, J, v1, kept.rotors)
    return largest_gap(w, end, values) / (TOLERATED * size)


def rows_workspace(model: Model, packed: Packed) -> int:
    """Compute the size of the workspace of the kernel with rows."""
    own = packed.n_values + packed.n_factor + 4 * packed.n_linear + packed.n_rows + packed.n_entries
    own += packed.n_functions + PLACE * (model.n_links + 1) + factor_numbers(model)
    scratch = (
        COLUMN * len(model.freedoms),
        2 * model.nv + factor_workspace(model),
        packed.n_linear + 7 * model.nv,
        model.nq + 8 * model.nv + 2 * packed.n_linear,
    )
    return int(own + max(scratch))
