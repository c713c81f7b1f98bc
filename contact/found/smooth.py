"""Beginning and end of a step, around its contacts.

At the beginning: v_free, A^-1 of each tree, where everything is, and rows of constraints. At the end: the configuration that
the velocity leads to, and gaps of rows closed,

    q+ = q moved along h v+        phi(q+) = 0 by moving bodies the nearest way in the metric of H

Free joints on the world move in their frozen frame, :mod:`~pluecker.articulated.stepping.semi_implicit.free_roots`. Rows
that hold have velocities ``J(q) v+`` as they are asked for; what their functions are curved leaves a gap of second order in
the step, which is closed as :mod:`~pluecker.contact.stepping.projection` says, about H and J at the end of the step.

Sources: Moreau (1999), impulses at the end of a step; RBDA section 6.5 for the solutions of ``A x = b``; Eich (1993) for the
projection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pluecker.articulated.algorithms.inertia.inertia_factor import factor_numbers, factor_workspace
from pluecker.articulated.algorithms.inertia.inertia_sweeps import solve_by_sweeps
from pluecker.articulated.algorithms.inertia.ltdl import invert_ltdl, restore_ltdl
from pluecker.articulated.model.layout import (
    FIRST_ROW,
    ROW_COUNT,
    body_count,
    clear,
    factor_size,
    link_count,
    row_coordinate,
    solved_by_sweeps,
    tree_count,
    tree_entry,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.semi_implicit.free_roots import move_configuration
from pluecker.articulated.stepping.semi_implicit.free_velocity import free_velocity
from pluecker.articulated.stepping.terms.stage import Given, stage_wrenches
from pluecker.contact.found.layout import (
    ALONE,
    BEFORE,
    COLUMNS,
    FREE,
    INVERSE,
    INVERSES,
    LINKS,
    MASS,
    MASSES,
    MOMENTS,
    ROWS,
    WORKING,
    index_table,
    piece,
    plan,
    table,
)
from pluecker.contact.found.shapes import by_row
from pluecker.contact.rows.jacobian import row_rate, store_geometry, store_jacobian, store_row_values
from pluecker.contact.rows.layout import (
    N_ROTORS,
    N_TURNS,
    entry_count,
    function_count,
    linear_count,
    range_count,
    row_count,
    value_count,
)
from pluecker.contact.rows.mobility import Mobility, mobility_numbers
from pluecker.contact.rows.motion import COLUMN, PLACE, place_links, store_columns
from pluecker.contact.rows.packing import Packed
from pluecker.contact.rows.ranges.in_steps import LAW as LAW_NUMBERS
from pluecker.contact.rows.ranges.in_steps import begin_ranges, keep_coordinate_limits
from pluecker.contact.stepping.linear_laws import MET, begin_rotors, keep_rotors, store_linear_laws
from pluecker.contact.stepping.mean_rates import (
    Placed,
    begin_turns,
    expect_turns,
    keep_turns,
    reach,
    store_counted_values,
    store_values_at,
)
from pluecker.contact.stepping.projection import TOLERATED, close_gaps, largest_gap
from pluecker.contact.stepping.smooth_steps import take_geometry
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, store, tail, within

__all__ = ["Memory", "Rows", "kept_count", "make_smooth", "memory_in", "move_along_rows", "rows_in", "rows_workspace"]


class Memory(NamedTuple):
    """Memory between steps, views.

    Attributes:
        turns: angles over turns, as they are counted.
        impulses: along the rows of all constraints, in the order of their kernels.
        rotors: by how much their mean rates differ from J v.
        contacts: how many of the last step had forces, and of each its name and its force.
    """

    turns: Array
    impulses: Array
    rotors: Array
    contacts: Array


class Rows(NamedTuple):
    """Rows of constraints in a step, views.

    Attributes:
        J, values: of all rows.
        compliance, asked: of linear rows, compliances and the velocities that are asked for.
        laws, softness: of rows with a range, nine numbers each, and their compliances.
    """

    J: Array
    values: Array
    compliance: Array
    asked: Array
    laws: Array
    softness: Array


@kernel
def kept_count(w):
    """Return how many numbers last from step to step beside contacts: the time, turns, impulses, rotors"""
    return 1 + load_integer(w, N_TURNS) + row_count(w) + load_integer(w, N_ROTORS)


@kernel
def memory_in(w, memory):
    """Partition the memory between steps, behind the time"""
    turns = tail(memory, 1)
    impulses = tail(turns, load_integer(w, N_TURNS))
    rotors = tail(impulses, row_count(w))
    return Memory(turns, impulses, rotors, tail(rotors, load_integer(w, N_ROTORS)))


@kernel
def rows_in(w, s, ws):
    """Partition the rows of constraints in the workspace"""
    J, n, ranged = piece(s, ws, ROWS), linear_count(w), range_count(w)
    values = tail(J, value_count(w))
    compliance = tail(values, row_count(w))
    asked = tail(compliance, n)
    laws = tail(asked, n)
    return Rows(J, values, compliance, asked, laws, tail(laws, LAW_NUMBERS * ranged))


@called_kernel
def store_inverses(m, s, factor, x, out, mass, ws):
    """Store A^-1 of each tree, in the order of its rows, one after the other, and A; ``x`` is scratch memory of nv numbers

    Those of a body alone on a free joint never change, and are in the plan. Of what is solved by sweeps A is not known: its
    first number is zero.
    """
    alone, known, masses, place = index_table(s, ALONE), table(s, INVERSES), table(s, MASSES), 0
    for t in range(tree_count(m)):
        first, n = tree_entry(m, t, FIRST_ROW), tree_entry(m, t, ROW_COUNT)
        if alone[t] != 0:
            for k in range(place, place + n * n):
                store(out, k, load(known, k))
                store(mass, k, load(masses, k))
        elif solved_by_sweeps(m, t):
            for k in range(n):
                for r in range(n):
                    store(x, row_coordinate(m, first + r), 0.0 * load(factor, 0))
                store(x, row_coordinate(m, first + k), 1.0 + 0.0 * load(factor, 0))
                solve_by_sweeps(m, t, factor, x, ws)
                for r in range(n):
                    store(out, place + n * k + r, load(x, row_coordinate(m, first + r)))
            store(mass, place, 0.0)
        else:
            invert_ltdl(m, t, factor, tail(out, place))
            restore_ltdl(m, t, factor, ws, tail(mass, place))
        place += n * n


@called_kernel
def store_rows(m, w, s, h, q, v, x, memory, ws):
    """Store J of the rows of constraints, and what is asked of them; links are placed, ``x`` is the free velocity"""
    rows, n, ranged, kept, found = (
        row_count(w),
        linear_count(w),
        range_count(w),
        memory_in(w, memory),
        rows_in(w, s, ws),
    )
    phi, X = piece(s, ws, WORKING), piece(s, ws, LINKS)
    G = tail(phi, function_count(w))
    laws = tail(G, entry_count(w))
    rest = tail(laws, (LAW_NUMBERS + 2) * ranged)
    begin_turns(w, kept.turns, phi)
    store_counted_values(w, q, X, phi)
    store_jacobian(w, q, X, piece(s, ws, COLUMNS), G, found.J)
    store_row_values(w, phi, True, found.values)
    size = reach(m, X)
    store_linear_laws(w, h, load(memory, 0), size, v, found.J, found.values, found.compliance, found.asked)
    begin_rotors(w, kept.rotors, found.asked)
    clear(rest, rows)  # no surface of these rows moves
    begin_ranges(w, h, v, x, found.J, rest, found.values, tail(kept.impulses, n), laws)
    for k in range((LAW_NUMBERS + 1) * ranged):  # the laws, and behind them the compliances
        store(found.laws, k, load(laws, ranged + k))


def make_smooth(with_elements: bool, with_rows: bool) -> Callable[..., Any]:
    """Make the kernel: of what a scenario does not have, nothing is compiled."""

    def store_smooth(m, c, w, s, h, given, x, memory, ws):
        """Compute v_free in ``x``, by coordinates, and all that contacts need"""
        nv, n, (q, v, law, f_ext), work = velocity_count(m), body_count(m), given, piece(s, ws, WORKING)
        moments, X = piece(s, ws, MOMENTS), piece(s, ws, LINKS)
        factor, rest = work, tail(work, factor_size(m))
        if with_elements:
            stage_wrenches(m, c, q, v, f_ext, rest, tail(rest, 6 * n))
            free_velocity(m, h, Given(q, v, law, part(rest, 0, 6 * n)), x, moments, factor, tail(rest, 6 * n))
        else:
            free_velocity(m, h, given, x, moments, factor, rest)
        store_inverses(m, s, factor, rest, piece(s, ws, INVERSE), piece(s, ws, MASS), tail(rest, nv))
        place_links(m, q, X)
        store_columns(m, q, X, piece(s, ws, COLUMNS))
        by_row(m, s, v, piece(s, ws, BEFORE))
        by_row(m, s, x, piece(s, ws, FREE))
        if with_rows:
            store_rows(m, w, s, h, q, v, x, memory, ws)

    store_smooth.__name__ += f"_{with_elements:d}{with_rows:d}"  # by which the cache tells it from the others
    return kernel(store_smooth)


RENEWALS = 6  # of J, where gaps are large beside lengths: at most


@called_kernel
def move_along_rows(m, w, h, q, v, memory, q1, v1, ws):
    """Compute q1 and v1 from the velocity v, close the gaps of rows of constraints, and remember turns and rotors

    v is the head of scratch memory, and what is behind it is written over.

    Returns the largest gap that is left, as a share of what is tolerated.
    """
    s, n, rows, kept, work = plan(w), linear_count(w), row_count(w), memory_in(w, memory), tail(v, velocity_count(m))
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
