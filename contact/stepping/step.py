"""The step of a world: semi-implicit Euler, and impulses along rows that hold, yield or bound the motion.

    A (v+ - v_free) = J^T r        (phi(q+) - phi(q)) / h + compliance r = what is asked for        q+ = q moved along h v+

A and v_free are those of :mod:`~pluecker.articulated.stepping.semi_implicit.semi_implicit`. The velocity of each row is its
mean rate over the step (:mod:`~pluecker.contact.stepping.mean_rates`):

============  ===============================================================================================================
row           what is asked for
============  ===============================================================================================================
held          the mean rate of its motion s, or its speed; what rounding left of a gap is taken back
soft          ``r = -h (k (phi(q+) - s(t+)) + d (u - s'))``: the compliance ``1 / (h (h k + d))`` about the velocity
              ``(d s' + k (s(t+) - phi(q))) / (h k + d)``
rotor         the mean rate of the step before, with the compliance 1 / inertia
with a range  its law, :mod:`~pluecker.contact.rows.ranges`
============  ===============================================================================================================

Where a step begins with a gap, the gap is closed by moving bodies, the nearest way in the metric of A, and not by impulses,
which would make energy (:mod:`~pluecker.contact.stepping.projection`).

``memory`` is the time, the angles of ``TURN`` functions as they are counted, the impulses of the last step, and by how much
the mean rates of rotors in it differ from J v at its end: what J turns between two steps is no acceleration. The error is
the largest gap, the largest velocity along a row, times h, that is not as it is asked for, or what is left of laws of
rows with a range, as a share of what is tolerated.

Sources: Moreau, "Numerical aspects of the sweeping process" (1999); Ryckaert, Ciccotti, Berendsen (1977); source
document 000 for soft rows (docs/sources.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pluecker.articulated.algorithms.dynamics.rnea import RNEA
from pluecker.articulated.algorithms.inertia.inertia_factor import factor_numbers, factor_workspace, solve_workspace
from pluecker.articulated.model.layout import (
    body_count,
    clear,
    factor_size,
    link_count,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.semi_implicit.free_roots import MOMENT, move_configuration
from pluecker.articulated.stepping.semi_implicit.semi_implicit import free_velocity
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import ELEMENTS, MORE, more, number_of
from pluecker.articulated.stepping.terms.stage import stage_workspace, stage_wrenches
from pluecker.contact.rows import layout
from pluecker.contact.rows.jacobian import row_rate, store_jacobian, store_row_values
from pluecker.contact.rows.layout import (
    LAW,
    N_CONTACTS,
    N_TURNS,
    ROTOR,
    entry_count,
    function_count,
    linear_count,
    range_count,
    row_count,
    value_count,
)
from pluecker.contact.rows.mobility import (
    factorize_rows,
    mobility_numbers,
    refine_rows,
    residual,
    store_mobility,
)
from pluecker.contact.rows.motion import COLUMN, PLACE, store_columns
from pluecker.contact.rows.ranges import (
    begin_ranges,
    keep_coordinate_limits,
    make_obey_ranges,
    range_numbers,
    range_scratch,
)
from pluecker.contact.stepping.linear_laws import CLOSED, begin_rotors, keep_rotors, largest_miss, store_linear_law
from pluecker.contact.stepping.mean_rates import (
    all_are_coordinates,
    begin_turns,
    keep_turns,
    reach,
    store_mean_rates,
    store_values_at,
)
from pluecker.contact.stepping.projection import close_gaps, largest_gap
from pluecker.spatial.compiled.decorators import called_kernel, kernel
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.scalars.operations import load, load_integer, part, select, smaller, store, tail, within

__all__ = ["WORLD_STEP"]

TOLERATED = 1e-10  # likewise: the error of a step is a share of it
REPETITIONS = 16  # at most
RENEWALS = 6  # of J, where a step begins with gaps that are large beside lengths: at most
NEARER = 0.5  # of the error before: it still falls


def make_step(with_elements: bool, with_ranges: bool, with_contacts: bool) -> Callable[..., Any]:
    """The kernel of a step: of what a scenario does not have, nothing is compiled."""
    own_name = f"_{with_elements:d}{with_ranges:d}{with_contacts:d}"  # by which the cache tells it from the others
    obey_ranges = make_obey_ranges(with_contacts)

    def step_along_rows(m, w, h, q, v, x, moments, factor, q1, v1, memory, ws):
        """From v_free in ``x`` to the state at the end of the step; the error"""
        n, rows, nv, ranged = linear_count(w), row_count(w), velocity_count(m), range_count(w)
        time, turns = load(memory, 0), tail(memory, 1)
        r = tail(turns, load_integer(w, N_TURNS))
        J, S = part(ws, 0, value_count(w)), tail(ws, value_count(w))
        compliance = tail(S, mobility_numbers(w))
        asked, target = tail(compliance, n), tail(compliance, 2 * n)
        values = tail(target, n)
        values1, rho = tail(values, rows), tail(values, 2 * rows)
        G = tail(rho, rows)
        phi = tail(G, entry_count(w))
        phi1 = tail(phi, function_count(w))
        X = tail(phi1, function_count(w))
        u = tail(X, PLACE * (link_count(m) + 1))
        y = tail(u, n)
        kept = tail(y, nv)
        guess = tail(kept, range_numbers(ranged))
        rest = tail(guess, ranged)
        size = begin_rows(m, w, h, time, q, v, turns, r, guess, J, G, phi, values, X, rest)
        for k in range(n):
            store_linear_law(w, k, h, time, size, v, J, values, compliance, asked)
        rotors = begin_rotors(w, tail(r, rows), asked)
        factorize_mobility(m, w, factor, J, compliance, S, y, rest)
        clear(rho, rows)
        if with_ranges:
            hold_first(m, w, factor, J, S, compliance, asked, r, x, u, y, rest)
            begin_ranges(w, h, v, x, J, values, kept)
        error, worst, plain = 0.0 * time, 1e300 + 0.0 * time, n == 0 and all_are_coordinates(w)
        goes_on = 1.0 + 0.0 * time  # of eight states each for itself
        for _ in range(REPETITIONS):
            for k in range(n):
                store(target, k, load(asked, k) - load(rho, k))
            residual(w, J, S, compliance, target, r, x, u)
            for k in range(n):
                store(u, k, select(smaller(0.5, goes_on), load(u, k), 0.0 * time))
            refine_rows(m, w, factor, J, S, u, r, x, y, rest)
            if with_ranges:
                error = obey_ranges(m, w, factor, J, S, compliance, rho, x, r, guess, kept, rest)
            before = worst
            move_configuration(m, h, q, x, moments, y, q1, v1)
            if plain:
                worst = largest_miss(w, h, J, x, compliance, r, asked, rho, rho, 0)
            else:
                place = part(rest, 0, rows)
                copy_rows(rows, rho, place)
                store_mean_rates(m, w, h, q1, x, J, G, phi, values, X, phi1, values1, rho)
                worst = largest_miss(w, h, J, x, compliance, r, asked, rho, place, ranged)
            falls = select(smaller(worst, NEARER * before), goes_on, 0.0 * time)
            goes_on = select(smaller(CLOSED * size, worst), falls, 0.0 * time)
            if within(goes_on, 0.5):
                break
        for k in range(n):
            store(asked, k, row_rate(w, J, k, x) + load(rho, k))
        if not plain:
            for _ in range(RENEWALS):
                close_gaps(m, w, h, time, size, 2.0 * CLOSED, factor, J, S, phi1, values1, X, y, u, q1, rest)
                if within(largest_gap(w, h, time, values1) / size, 2.0 * CLOSED):
                    break
                store_geometry(m, w, q1, X, G, J, rest)
                factorize_mobility(m, w, factor, J, compliance, S, y, rest)
            worst = larger(worst, largest_gap(w, h, time, values1))
            keep_turns(w, phi1, turns)
        if rotors > 0:
            store_geometry(m, w, q1, X, G, J, rest)
            keep_rotors(w, q1, X, phi1, asked, J, v1, tail(r, rows))
        store(memory, 0, time + h)
        if with_ranges:
            keep_coordinate_limits(w, q, q1)
        return larger(error, worst / (TOLERATED * size)) + 0.0 * worst

    step_along_rows.__name__ += own_name
    along_rows = called_kernel(step_along_rows)

    def world_step(m, c, h, q, v, law, f_ext, q1, v1, memory, ws):
        """v_free, then the impulses of rows at the end of the step, and the new state"""
        nv, n = velocity_count(m), body_count(m)
        x, moments, factor = ws, tail(ws, nv), tail(ws, nv + MOMENT * (link_count(m) + 1))
        rest = tail(factor, factor_size(m))
        if with_elements:
            stage_wrenches(m, c, q, v, f_ext, rest, tail(rest, 6 * n))
            free_velocity(m, h, q, v, law, part(rest, 0, 6 * n), x, moments, factor, tail(rest, 6 * n))
        else:
            free_velocity(m, h, q, v, law, f_ext, x, moments, factor, rest)
        return along_rows(m, more(c), h, q, v, x, moments, factor, q1, v1, memory, rest)

    world_step.__name__ += own_name
    return kernel(world_step)


@kernel
def begin_rows(m, w, h, time, q, v, turns, r, guess, J, G, phi, values, X, ws):
    """J, functions and rows at the beginning of the step; no impulses yet, but those to begin from; the reach"""
    begin_turns(w, turns, phi)
    store_values_at(m, w, q, X, phi)
    store_geometry(m, w, q, X, G, J, ws)
    store_row_values(w, phi, True, values)
    for k in range(range_count(w)):
        store(guess, k, load(r, linear_count(w) + k))
    clear(r, row_count(w))
    return reach(m, X)


@called_kernel
def factorize_mobility(m, w, factor, J, compliance, S, y, ws):
    """S of linear rows and its factor"""
    store_mobility(m, w, factor, J, compliance, S, y, ws)
    factorize_rows(w, S, ws)


@called_kernel
def store_geometry(m, w, q, X, G, J, ws):
    """J, and the entries of functions, of bodies that are placed"""
    store_columns(m, q, X, ws)
    store_jacobian(w, q, X, ws, G, J)


@kernel
def hold_first(m, w, factor, J, S, compliance, asked, r, x, u, y, ws):
    """The impulses of linear rows alone, nearly"""
    residual(w, J, S, compliance, asked, r, x, u)
    refine_rows(m, w, factor, J, S, u, r, x, y, ws)


@kernel
def copy_rows(n, x, out):
    """out = x"""
    for k in range(n):
        store(out, k, load(x, k))


def world_workspace(model: Model, scenario: Array) -> int:
    """Of a step."""
    integers = scenario.view(np.int64)
    w = integers[integers[MORE] :]
    functions, entries, rows, n, values, factor, _ = (int(x) for x in w[: layout.N_TURNS + 1])
    ranged = rows - n
    kept = model.nv + MOMENT * (model.n_links + 1) + factor_numbers(model)
    table = values + 5 * n + factor + 3 * rows + entries + 2 * functions + PLACE * (model.n_links + 1) + n + model.nv
    own = range_numbers(ranged) + ranged
    columns = COLUMN * len(model.freedoms)
    scratch = max(columns, n + 7 * model.nv, rows + 1, model.nq + 8 * model.nv + n, range_scratch(ranged, n, model.nv))
    recursions = max(RNEA.workspace(model), factor_workspace(model), solve_workspace(model))
    free = 6 * model.n_bodies + max(3 * model.nv + recursions, stage_workspace(model))
    return kept + max(free, table + own + scratch)


def make_variant(with_elements: bool, with_ranges: bool, with_contacts: bool) -> Integrator:
    """The integrator for scenarios with elements, with ranges, with contacts among these."""
    return Integrator(
        "world_step",
        1,
        make_step(with_elements, with_ranges, with_contacts),
        workspace=world_workspace,
        memory=world_memory,
        takes_rows=True,
        implicit=True,
        listed=False,
        lasting=True,
    )


def world_memory(model: Model, scenario: Array) -> int:
    """The time, angles over turns, impulses, and the rates of rotors."""
    integers = scenario.view(np.int64)
    w = integers[integers[MORE] :]
    rows = w[w[layout.ROWS] :][: layout.ROW * int(w[layout.N_LINEAR])].reshape(-1, layout.ROW)
    return 1 + int(w[layout.N_TURNS]) + int(w[layout.N_ROWS]) + int((rows[:, LAW] == ROTOR).sum())


def what_it_has(scenario: Array) -> tuple[bool, bool, bool]:
    """Elements, rows with a range, contacts."""
    integers = scenario.view(np.int64)
    w = integers[integers[MORE] :]
    return number_of(ELEMENTS, scenario) > 0, bool(w[layout.N_ROWS] > w[layout.N_LINEAR]), bool(w[N_CONTACTS] > 0)


VARIANTS = {
    (elements, ranges, contacts): make_variant(elements, ranges, contacts)
    for elements in (False, True)
    for ranges, contacts in ((False, False), (True, False), (True, True))
}
WORLD_STEP = replace(VARIANTS[True, True, True], variant=lambda model, scenario: VARIANTS[what_it_has(scenario)])
