"""Step of a world: semi-implicit Euler, and impulses along rows that hold, yield or bound the motion.

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
with a range  its law, :mod:`~pluecker.contact.rows.ranges`; what is returned of an impact comes first
============  ===============================================================================================================

Where a step begins with a gap, the gap is closed by moving bodies, the nearest way in the metric of A, and not by impulses,
which would make energy (:mod:`~pluecker.contact.stepping.projection`).

``memory`` is the time, the angles of ``TURN`` functions as they are counted, the impulses of the last step, by how much
the mean rates of rotors in it differ from J v at its end, and which features of shapes touched as it began: what J turns
between two steps is no acceleration. The error is
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
from numpy.typing import NDArray

from pluecker.articulated.algorithms.inertia.inertia_factor import factor_numbers
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
from pluecker.articulated.stepping.semi_implicit.free_velocity import free_velocity, free_velocity_workspace
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import ELEMENTS, MORE, more, number_of
from pluecker.articulated.stepping.terms.stage import stage_workspace, stage_wrenches
from pluecker.contact.rows import layout
from pluecker.contact.rows.impact_phases import add_impact, impact_scratch, make_impact
from pluecker.contact.rows.jacobian import row_rate, store_geometry, store_row_values
from pluecker.contact.rows.layout import (
    HOLONOMIC,
    N_CONTACTS,
    N_TURNS,
    entry_count,
    function_count,
    linear_count,
    range_count,
    return_count,
    row_count,
    row_entry,
    staircase_count,
    touching_numbers,
    value_count,
)
from pluecker.contact.rows.mobility import (
    REFINEMENTS,
    dependent_rows,
    factorize_mobility,
    mobility_numbers,
    refine_rows,
    residual,
    row_sizes,
    take_least_norm,
)
from pluecker.contact.rows.motion import COLUMN, PLACE, place_links
from pluecker.contact.rows.ranges import (
    begin_ranges,
    keep_coordinate_limits,
    make_obey_ranges,
    range_numbers,
    range_scratch,
)
from pluecker.contact.rows.touching import add_surface_rates, recall_multipliers, touch_pairs
from pluecker.contact.stepping.linear_laws import MET, begin_rotors, keep_rotors, largest_miss, store_linear_law
from pluecker.contact.stepping.mean_rates import (
    all_rates_are_linear,
    begin_turns,
    keep_turns,
    reach,
    store_mean_rates,
    store_values_at,
)
from pluecker.contact.stepping.projection import TOLERATED, close_gaps, largest_gap
from pluecker.spatial.dense.laws import copy_vector, worse
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import (
    lift,
    load,
    load_integer,
    part,
    select,
    smaller,
    store,
    tail,
    within,
)

__all__ = ["WORLD_STEP"]

REPETITIONS = 16  # at most
RENEWALS = 6  # of J, where a step begins with gaps that are large beside lengths: at most
NEARER = 0.5  # of the error before: it still falls


def make_step(with_elements: bool, with_ranges: bool, with_contacts: bool, with_more: bool) -> Callable[..., Any]:
    """Make the kernel of a step: of what a scenario does not have, nothing is compiled."""
    # by which the cache tells it from the others
    own_name = f"_{with_elements:d}{with_ranges:d}{with_contacts + with_more:d}"
    obey_ranges = make_obey_ranges(with_contacts, with_more)
    begin_impact = make_impact(obey_ranges)

    def meet_rows(m, w, h, time, size, q, x, moments, factor, q1, v1, r, places):
        """Find the impulses with which rows have the mean rates over the step that they are to have; return two errors

        Of rows with a range, as a share of what is tolerated; of what moves not as it is asked for, m or rad.
        """
        n, rows, ranged = linear_count(w), row_count(w), range_count(w)
        J, S, compliance, asked, target, values, values1, rho, G, phi, phi1, X, u, y, guess, kept, rest = places
        error, worst, plain = 0.0 * time, 1e300 + 0.0 * time, n == 0 and all_rates_are_linear(w)
        goes_on = 1.0 + 0.0 * time  # of eight states each for itself
        for _ in range(REPETITIONS):
            now = smaller(0.5, goes_on)
            for k in range(n):
                store(target, k, load(asked, k) - load(rho, k))
            residual(w, J, S, compliance, target, r, x, u)
            for k in range(n):
                store(u, k, select(now, load(u, k), 0.0 * time))
            refine_rows(m, w, factor, J, S, u, r, x, y, rest)
            if with_ranges:
                e = obey_ranges(m, w, factor, J, S, compliance, rho, x, r, guess, goes_on, kept, rest)
                error = select(now, e, error)
            before, last = worst, rho
            move_configuration(m, h, q, x, moments, y, q1, v1)
            if not plain:
                last = part(rest, 0, rows)
                copy_vector(rows, rho, last)
                store_mean_rates(m, w, h, q1, x, J, G, phi, values, X, phi1, values1, rho)
            miss = largest_miss(w, h, J, x, compliance, r, asked, rho, last, 0 if plain else ranged)
            worst = select(now, miss, worst)
            falls = select(smaller(worst, NEARER * before), goes_on, 0.0 * time)
            goes_on = select(smaller(MET * size, worst), falls, 0.0 * time)
            if within(goes_on, 0.5):
                break
        for k in range(n):
            store(asked, k, row_rate(w, J, k, x) + load(rho, k))
        return error, worst

    def step_over(m, w, h, time, size, q, v, free, x, moments, factor, q1, v1, r, missing, errors, places):
        """Find impulses anew where :func:`meet_rows` led nowhere, next to a singular position: J(q) v+ as asked, then q1
        onto the rows

        Rows that are nearly dependent there, with J that turns around within the step, have mean rates that impulses along
        J(q) bring no nearer. With J(q) v+ as it is asked for, v+ is a tangent still, on the branch on which v is, and gaps
        are of second order: they are closed along J(q1). Of eight states each for itself.
        """
        n, rows, nv = linear_count(w), row_count(w), velocity_count(m)
        J, S, compliance, asked, target, values, values1, rho, G, phi, phi1, X, u, y, guess, kept, rest = places
        error, worst = errors
        if with_more:  # noqa: SIM102 - what is false here is not compiled
            if return_count(w) > 0:
                return error, worst  # an impact has changed x and r already
        one = 1.0 + 0.0 * time
        takes = select(smaller(TOLERATED * size, worst), one, 0.0 * time)
        takes = select(smaller(0.5, dependent_rows(w, S, row_sizes(w, S))), takes, 0.0 * time)
        if within(takes, 0.5):
            return error, worst
        here = smaller(0.5, takes)
        for k in range(n):
            store_linear_law(w, k, h, time, size, v, J, values, compliance, target)
        begin_rotors(w, missing, target)
        for k in range(nv):
            store(x, k, select(here, load(free, k), load(x, k)))
        for k in range(rows):
            store(r, k, select(here, 0.0 * time, load(r, k)))
        for k in range(n + staircase_count(w)):
            if row_entry(w, k, HOLONOMIC) != 0:
                store(rho, k, select(here, 0.0 * time, load(rho, k)))
        for k in range(n):
            store(asked, k, select(here, load(target, k), load(asked, k)))
        for _ in range(REFINEMENTS):
            for k in range(n):
                store(target, k, load(asked, k) - load(rho, k))
            residual(w, J, S, compliance, target, r, x, u)
            for k in range(n):
                store(u, k, select(here, load(u, k), 0.0 * time))
            refine_rows(m, w, factor, J, S, u, r, x, y, rest)
        if with_ranges:
            e = obey_ranges(m, w, factor, J, S, compliance, rho, x, r, guess, takes, kept, rest)
            error = select(here, e, error)
        move_configuration(m, h, q, x, moments, y, q1, v1)
        miss = largest_miss(w, h, J, x, compliance, r, asked, rho, rho, 0)
        store_mean_rates(m, w, h, q1, x, J, G, phi, values, X, phi1, values1, rest)
        own = select(here, size, 1e300 * one)  # beside which no gap of the others is one
        for _ in range(RENEWALS):
            store_geometry(m, w, q1, X, G, J, rest)
            factorize_mobility(m, w, factor, J, compliance, S, y, rest)
            close_gaps(m, w, h, time, own, 2.0 * MET, factor, J, S, phi1, values1, X, y, u, q1, rest)
            if within(largest_gap(w, h, time, values1) / own, 2.0 * MET):
                break
        place_links(m, q, X)
        store_geometry(m, w, q, X, G, J, rest)
        factorize_mobility(m, w, factor, J, compliance, S, y, rest)
        for k in range(n):
            store(asked, k, select(here, row_rate(w, J, k, x) + load(rho, k), load(asked, k)))
        place_links(m, q1, X)
        return error, select(here, miss, worst)

    step_over.__name__ += own_name
    over = called_kernel(step_over)
    meet_rows.__name__ += own_name
    meet = kernel(meet_rows)
    begin_rows = kernel(make_begin(with_contacts))

    def step_along_rows(m, w, h, q, v, x, moments, factor, q1, v1, memory, ws):
        """Compute from v_free in ``x`` the state at the end of the step; return the error"""
        rows = row_count(w)
        time, turns, nv = load(memory, 0), tail(memory, 1), velocity_count(m)
        r, free = tail(turns, load_integer(w, N_TURNS)), part(ws, 0, nv)
        missing, places = tail(r, rows), places_in(m, w, tail(ws, nv))
        copy_vector(nv, x, free)
        J, S, compliance, asked, _, values, _, rho, G, _, phi1, X, u, y, guess, kept, rest = places
        size, left = begin_rows(m, w, h, time, q, v, turns, r, factor, places), 0.0 * time
        rotors = begin_rotors(w, missing, asked)
        if with_contacts:
            recall_multipliers(w, X, tail(missing, rotors), guess, rest)
            add_surface_rates(w, X, rho)
        if with_ranges:
            hold_first(m, w, factor, J, S, compliance, asked, r, x, u, y, rest)
            begin_ranges(w, h, v, x, J, rho, values, guess, kept)
        if with_more:  # noqa: SIM102 - what is false here is not compiled
            if return_count(w) > 0:
                left = begin_impact(m, w, factor, J, S, compliance, rho, v, x, r, kept, rest)
        errors = meet(m, w, h, time, size, q, x, moments, factor, q1, v1, r, places)
        if not within(errors[1] / size, TOLERATED):
            errors = over(m, w, h, time, size, q, v, free, x, moments, factor, q1, v1, r, missing, errors, places)
        error, worst = errors
        if with_more:
            add_impact(w, r, kept)
        take_least_norm(w, S, r, u)
        if not (linear_count(w) == 0 and all_rates_are_linear(w)):
            worst = worse(worst, close_all_gaps(m, w, h, time, size, factor, q1, places))
            keep_turns(w, phi1, turns)
        if rotors > 0:
            store_geometry(m, w, q1, X, G, J, rest)
            keep_rotors(w, q1, X, phi1, asked, J, v1, missing)
        store(memory, 0, time + h)
        if with_ranges:
            keep_coordinate_limits(w, q, q1)
        return worse(worse(left, error), worst / (TOLERATED * size))

    step_along_rows.__name__ += own_name
    along_rows = called_kernel(step_along_rows)

    def world_step(m, c, h, q, v, law, f_ext, q1, v1, memory, ws):
        """Compute v_free, then the impulses of rows at the end of the step, and the new state"""
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
def places_in(m, w, ws):
    """Partition the workspace of a step: J, the factor S, of linear rows compliance, what is asked for, and what J v is to
    be of it; values at both ends, and rho; the entries of functions, phi at both ends, where links are; u and y for
    refinement; of rows with a range the guess and what they keep; and the rest
    """
    n, rows, functions, ranged = linear_count(w), row_count(w), function_count(w), range_count(w)
    J, S = part(ws, 0, value_count(w)), tail(ws, value_count(w))
    compliance = tail(S, mobility_numbers(w))
    asked, target, values = tail(compliance, n), tail(compliance, 2 * n), tail(compliance, 3 * n)
    values1, rho, G = tail(values, rows), tail(values, 2 * rows), tail(values, 3 * rows)
    phi = tail(G, entry_count(w))
    phi1, X = tail(phi, functions), tail(phi, 2 * functions)
    u = tail(X, PLACE * (link_count(m) + 1) + touching_numbers(w))
    y, guess = tail(u, n), tail(u, n + velocity_count(m))
    kept = tail(guess, ranged)
    rest = tail(kept, range_numbers(ranged))
    return J, S, compliance, asked, target, values, values1, rho, G, phi, phi1, X, u, y, guess, kept, rest


def make_begin(with_contacts: bool) -> Callable[..., Any]:
    """Make the kernel that begins a step, for worlds with contacts, or without."""

    def begin_rows(m, w, h, time, q, v, turns, r, factor, places):
        """Begin a step: rows at its beginning, what is asked of them, and the factor of S; return the reach

        No impulses yet, but those from which those of rows with a range are looked for.
        """
        J, S, compliance, asked, _, values, _, rho, G, phi, _, X, _, y, guess, _, rest = places
        n, rows = linear_count(w), row_count(w)
        begin_turns(w, turns, phi)
        store_values_at(m, w, q, X, phi)
        if with_contacts:
            touch_pairs(w, X, phi)
        store_geometry(m, w, q, X, G, J, rest)
        store_row_values(w, phi, True, values)
        for k in range(range_count(w)):
            store(guess, k, load(r, n + k))
        clear(r, rows)
        clear(rho, rows)
        size = reach(m, X)
        for k in range(n):
            store_linear_law(w, k, h, time, size, v, J, values, compliance, asked)
        factorize_mobility(m, w, factor, J, compliance, S, y, rest)
        return size

    begin_rows.__name__ += f"_{with_contacts:d}"
    return begin_rows


@kernel
def close_all_gaps(m, w, h, time, size, factor, q1, places):
    """Close gaps at the end of the step by moving bodies, J renewed where they are large; return the largest that is left"""
    J, S, compliance, _, _, _, values1, _, G, _, phi1, X, u, y, _, _, rest = places
    for _ in range(RENEWALS):
        close_gaps(m, w, h, time, size, 2.0 * MET, factor, J, S, phi1, values1, X, y, u, q1, rest)
        large = smaller(2.0 * MET, largest_gap(w, h, time, values1) / size)  # not where it is NaN
        if within(select(large, lift(1.0, time), lift(0.0, time)), 0.0):
            break
        store_geometry(m, w, q1, X, G, J, rest)
        factorize_mobility(m, w, factor, J, compliance, S, y, rest)
    return largest_gap(w, h, time, values1)


@kernel
def hold_first(m, w, factor, J, S, compliance, asked, r, x, u, y, ws):
    """Find the impulses of linear rows alone, nearly"""
    residual(w, J, S, compliance, asked, r, x, u)
    refine_rows(m, w, factor, J, S, u, r, x, y, ws)


def world_workspace(model: Model, scenario: Array) -> int:
    """Return the size of the workspace of a step, counted once for a model and the counts of a world."""
    integers = scenario.view(np.int64)
    header = integers[integers[MORE] :][: layout.HEADER]
    key = world_workspace, header.tobytes()
    counted: int | None = model.tables.get(key)
    if counted is None:
        counted = model.tables[key] = count_workspace(model, header)
    return counted


def count_workspace(model: Model, w: NDArray[np.int64]) -> int:
    """Count the size of the workspace of a step, from the header of a world's rows."""
    functions, entries, rows, n, values, factor, _ = (int(x) for x in w[: layout.N_TURNS + 1])
    ranged = rows - n
    kept = model.nv + MOMENT * (model.n_links + 1) + factor_numbers(model)
    table = (
        model.nv
        + values
        + 5 * n
        + factor
        + 3 * rows
        + entries
        + 2 * functions
        + PLACE * (model.n_links + 1)
        + n
        + model.nv
    )
    table += int(w[layout.TOUCHING_NUMBERS])
    own = range_numbers(ranged) + ranged
    columns = COLUMN * len(model.freedoms)
    returns = int(w[layout.N_RETURNS])
    obeying = range_scratch(ranged, n, model.nv, int(w[layout.N_RESISTANCES]), returns)
    obeying += impact_scratch(ranged, rows, model.nv) if returns else 0
    scratch = max(columns, n + 7 * model.nv, rows + 1, model.nq + 8 * model.nv + n, obeying)
    free = 6 * model.n_bodies + max(free_velocity_workspace(model), stage_workspace(model))
    return kept + max(free, table + own + scratch)


def make_variant(with_elements: bool, with_ranges: bool, with_contacts: bool, with_more: bool) -> Integrator:
    """Make the integrator for scenarios with elements, with ranges, with contacts among these, and with more of contacts."""
    return Integrator(
        "world_step",
        1,
        make_step(with_elements, with_ranges, with_contacts, with_more),
        workspace=world_workspace,
        memory=world_memory,
        takes_rows=True,
        implicit=True,
        listed=False,
        lasting=True,
    )


def world_memory(model: Model, scenario: Array) -> int:
    """Count the numbers of memory: time, angles over turns, impulses, rates of rotors, a feature for each place of
    shapes.
    """
    integers = scenario.view(np.int64)
    w = integers[integers[MORE] :]
    return 1 + int(w[layout.N_TURNS] + w[layout.N_ROWS] + w[layout.N_ROTORS] + w[layout.N_SLOTS])


def what_it_has(scenario: Array) -> tuple[bool, bool, bool, bool]:
    """Return whether a scenario has elements; ranges; contacts; such that resist rolling or spinning or return impulses."""
    integers = scenario.view(np.int64)
    w = integers[integers[MORE] :]
    ranges, contacts = bool(w[layout.N_ROWS] > w[layout.N_LINEAR]), bool(w[N_CONTACTS] > 0)
    return number_of(ELEMENTS, scenario) > 0, ranges, contacts, bool(w[layout.N_RESISTANCES] + w[layout.N_RETURNS] > 0)


VARIANTS = {
    (elements, *others): make_variant(elements, *others)
    for elements in (False, True)
    for others in ((False, False, False), (True, False, False), (True, True, False), (True, True, True))
}
WORLD_STEP = replace(VARIANTS[True, True, True, True], variant=lambda model, scenario: VARIANTS[what_it_has(scenario)])
