"""Compiled part of a step before its contacts: v_free, A^-1 of each tree, where everything is, and rows of constraints.

It is an integrator for the loop over steps, so that control, wrenches and elements are those of all motions; what it finds
stands behind its memory (:mod:`~pluecker.contact.piles.places`), and the velocity that it gives is that without impulses.

Sources: Moreau (1999), impulses at the end of a step; RBDA section 6.5 for the solutions of ``A x = b``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pluecker.articulated.algorithms.inertia.inertia_factor import factor_numbers, solve_workspace
from pluecker.articulated.algorithms.inertia.inertia_sweeps import solve_by_sweeps
from pluecker.articulated.algorithms.inertia.ltdl import solve_ltdl
from pluecker.articulated.model.layout import (
    FIRST_ROW,
    ROW_COUNT,
    body_count,
    clear,
    configuration_count,
    factor_size,
    first_freedom,
    freedom_count,
    link_count,
    row_coordinate,
    solved_by_sweeps,
    tree_count,
    tree_entry,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.semi_implicit.free_roots import MOMENT
from pluecker.articulated.stepping.semi_implicit.free_velocity import free_velocity, free_velocity_workspace
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import ELEMENTS, more, number_of
from pluecker.articulated.stepping.terms.stage import Given, stage_workspace, stage_wrenches
from pluecker.contact.piles.places import counts_of, kept_count, rows_in, sizes
from pluecker.contact.rows import layout
from pluecker.contact.rows.jacobian import store_geometry, store_row_values
from pluecker.contact.rows.layout import (
    N_TURNS,
    entry_count,
    function_count,
    linear_count,
    range_count,
    row_count,
    value_count,
)
from pluecker.contact.rows.motion import COLUMN, PLACE, place_links, store_columns
from pluecker.contact.rows.ranges import LAW as LAW_SIZE
from pluecker.contact.rows.ranges import begin_ranges
from pluecker.contact.stepping.linear_laws import begin_rotors, store_linear_laws
from pluecker.contact.stepping.mean_rates import begin_turns, reach, store_values_at
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, store, tail

__all__ = ["smooth_part"]


@called_kernel
def store_inverses(m, factor, x, out, ws):
    """Store A^-1 of each tree, in the order of its rows, one after the other; ``x`` is scratch memory of nv numbers"""
    place = 0
    for t in range(tree_count(m)):
        first, n = tree_entry(m, t, FIRST_ROW), tree_entry(m, t, ROW_COUNT)
        for k in range(n):
            for r in range(n):
                store(x, row_coordinate(m, first + r), 0.0 * load(factor, 0))
            store(x, row_coordinate(m, first + k), 1.0 + 0.0 * load(factor, 0))
            if solved_by_sweeps(m, t):
                solve_by_sweeps(m, t, factor, x, ws)
            else:
                solve_ltdl(m, t, factor, x)
            for r in range(n):
                store(out, place + n * k + r, load(x, row_coordinate(m, first + r)))
        place += n * n


@kernel
def freedoms(m):
    """Return how many freedoms all links have"""
    n = link_count(m)
    return first_freedom(m, n) + freedom_count(m, n)


@called_kernel
def store_rows(m, w, h, q, v, x, memory, found, ws):
    """Store J of the rows of constraints, and what is asked of them; ``found`` begins with J"""
    rows, n, ranged = row_count(w), linear_count(w), range_count(w)
    time, turns = load(memory, 0), tail(memory, 1)
    missing = tail(turns, load_integer(w, N_TURNS) + rows)
    J = found
    values = tail(J, value_count(w))
    compliance = tail(values, rows)
    asked = tail(compliance, n)
    laws = tail(asked, n)
    phi, G = ws, tail(ws, function_count(w))
    X = tail(G, entry_count(w))
    kept = tail(X, PLACE * (link_count(m) + 1))
    rest = tail(kept, (LAW_SIZE + 2) * ranged)
    begin_turns(w, turns, phi)
    store_values_at(m, w, q, X, phi)
    store_geometry(m, w, q, X, G, J, rest)
    store_row_values(w, phi, True, values)
    size = reach(m, X)
    store_linear_laws(w, h, time, size, v, J, values, compliance, asked)
    begin_rotors(w, missing, asked)
    clear(rest, rows)  # no surface of these rows moves
    begin_ranges(w, h, v, x, J, rest, values, tail(turns, load_integer(w, N_TURNS) + n), kept)
    for k in range((LAW_SIZE + 1) * ranged):  # the laws, and behind them the compliances
        store(laws, k, load(kept, ranged + k))


def make_part(with_elements: bool, with_rows: bool) -> Callable[..., Any]:
    """Make the kernel: of what a scenario does not have, nothing is compiled."""

    def smooth_part(m, c, h, given, q1, v1, memory, ws):
        """Compute v_free in ``v1``, the configuration as it is in ``q1``, and behind the memory all that contacts need"""
        nv, n, w, links, (q, v, law, f_ext) = velocity_count(m), body_count(m), more(c), link_count(m) + 1, given
        moments = tail(memory, kept_count(w))
        inverse = tail(moments, MOMENT * links)
        X = tail(inverse, inverse_count(m))
        C = tail(X, PLACE * links)
        factor, rest = ws, tail(ws, factor_size(m))
        if with_elements:
            stage_wrenches(m, c, q, v, f_ext, rest, tail(rest, 6 * n))
            free_velocity(m, h, Given(q, v, law, part(rest, 0, 6 * n)), v1, moments, factor, tail(rest, 6 * n))
        else:
            free_velocity(m, h, given, v1, moments, factor, rest)
        store_inverses(m, factor, rest, inverse, tail(rest, nv))
        place_links(m, q, X)
        store_columns(m, q, X, C)
        if with_rows:
            store_rows(m, w, h, q, v, v1, memory, tail(C, COLUMN * freedoms(m)), rest)
        for k in range(configuration_count(m)):
            store(q1, k, load(q, k))
        return 0.0 * load(q, 0)

    smooth_part.__name__ += f"_{with_elements:d}{with_rows:d}"  # by which the cache tells it from the others
    return kernel(smooth_part)


@kernel
def inverse_count(m):
    """Compute how many numbers the inverses of all trees have"""
    found = 0
    for t in range(tree_count(m)):
        n = tree_entry(m, t, ROW_COUNT)
        found += n * n
    return found


def workspace(model: Model, scenario: Array) -> int:
    """Compute the size of the workspace of the kernel."""
    counts, w = counts_of(rows_in(scenario)), rows_in(scenario).view(np.int64)
    free = 6 * model.n_bodies + max(free_velocity_workspace(model), stage_workspace(model))
    own = int(w[layout.N_FUNCTIONS]) + int(w[layout.N_ENTRIES]) + PLACE * (model.n_links + 1)
    rows = own + (LAW_SIZE + 2) * (counts.rows - counts.linear)
    rows += max(COLUMN * len(model.freedoms), counts.rows)
    return factor_numbers(model) + max(free, model.nv + solve_workspace(model), rows)


def numbers(model: Model, scenario: Array) -> int:
    """Compute how many numbers last from step to step, and are found in a step, together."""
    return sum(sizes(model, counts_of(rows_in(scenario))))


def make_variant(with_elements: bool, with_rows: bool) -> Integrator:
    """Make the integrator for scenarios with elements, with rows."""
    return Integrator(
        "smooth_part", 1, make_part(with_elements, with_rows), workspace=workspace, memory=numbers, takes_rows=True,
        implicit=True, listed=False, lasting=True,
    )  # fmt: skip


VARIANTS = {(elements, rows): make_variant(elements, rows) for elements in (False, True) for rows in (False, True)}


def smooth_part(scenario: Array) -> Integrator:
    """Return the integrator that serves in a scenario."""
    return VARIANTS[number_of(ELEMENTS, scenario) > 0, counts_of(rows_in(scenario)).rows > 0]
