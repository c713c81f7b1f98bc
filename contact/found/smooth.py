"""Beginning of a step, before its contacts: v_free, A^-1 of each tree, where everything is, and rows of constraints.

Sources: Moreau (1999), impulses at the end of a step; RBDA section 6.5 for the solutions of ``A x = b``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pluecker.articulated.algorithms.inertia.inertia_sweeps import solve_by_sweeps
from pluecker.articulated.algorithms.inertia.ltdl import invert_ltdl, restore_ltdl
from pluecker.articulated.model.layout import (
    FIRST_ROW,
    ROW_COUNT,
    body_count,
    clear,
    factor_size,
    row_coordinate,
    solved_by_sweeps,
    tree_count,
    tree_entry,
    velocity_count,
)
from pluecker.articulated.running.arguments import Array
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
    table,
)
from pluecker.contact.found.motions import by_row
from pluecker.contact.rows.jacobian import store_jacobian, store_row_values
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
from pluecker.contact.rows.motion import place_links, store_columns
from pluecker.contact.rows.ranges.in_steps import LAW as LAW_NUMBERS
from pluecker.contact.rows.ranges.in_steps import begin_ranges
from pluecker.contact.stepping.linear_laws import begin_rotors, store_linear_laws
from pluecker.contact.stepping.mean_rates import begin_turns, reach, store_counted_values
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, store, tail

__all__ = ["Memory", "Rows", "kept_count", "make_smooth", "memory_in", "rows_in"]


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
