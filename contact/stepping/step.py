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
with a range  its law, :mod:`~pluecker.contact.rows.ranges.in_steps`; what is returned of an impact comes first
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
from typing import Any, NamedTuple

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
from pluecker.articulated.stepping.terms.stage import Given, stage_workspace, stage_wrenches
from pluecker.contact.rows import layout
from pluecker.contact.rows.jacobian import row_rate, store_geometry, store_row_values
from pluecker.contact.rows.layout import (
    HOLONOMIC,
    N_CONTACTS,
    N_ROTORS,
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
    Mobility,
    dependent_rows,
    factorize_mobility,
    mobility_numbers,
    refine_rows,
    residual,
    row_sizes,
    take_least_norm,
)
from pluecker.contact.rows.motion import COLUMN, PLACE, place_links
from pluecker.contact.rows.ranges.impact_phases import add_impact, impact_scratch, make_impact
from pluecker.contact.rows.ranges.in_steps import (
    Found,
    begin_ranges,
    keep_coordinate_limits,
    make_obey_ranges,
    range_numbers,
    range_scratch,
)
from pluecker.contact.rows.touching import add_surface_rates, recall_multipliers, touch_pairs
from pluecker.contact.stepping.linear_laws import MET, begin_rotors, keep_rotors, largest_miss, store_linear_laws
from pluecker.contact.stepping.mean_rates import (
    Placed,
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

# --------------------------------------------------------------------------------------------- what a step reads and writes


class Step(NamedTuple):
    """Ends of a step, what is remembered between steps, and its workspace: numbers, and views of scalar arrays.

    Attributes:
        h, time: its length, and when it begins.
        q, v, q1, v1: the states before and after it.
        turns, r, missing, features: the parts of ``memory``.
        free, x: the velocity without impulses, and the one that the impulses found so far make of it.
        moments: what links carry, as :mod:`~pluecker.articulated.stepping.semi_implicit.free_roots` has it.
        mobility: how coordinates and linear rows answer impulses.
        asked, target: of linear rows their mean rates that are asked for, and what J v is to be of these.
        rho: of all rows by how much their mean rates differ from J v.
        before, after: links, functions and rows at both ends; links and entries of functions have one place for both.
        u: residuals of linear rows.
        guess, kept: of rows with a range the impulses to begin from, and what
            :mod:`~pluecker.contact.rows.ranges.in_steps` keeps.
        ws: scratch memory.
    """

    h: float
    time: float
    q: Array
    v: Array
    q1: Array
    v1: Array
    turns: Array
    r: Array
    missing: Array
    features: Array
    free: Array
    x: Array
    moments: Array
    mobility: Mobility
    asked: Array
    target: Array
    rho: Array
    before: Placed
    after: Placed
    u: Array
    guess: Array
    kept: Array
    ws: Array


@kernel
def make_record(m, w, h, given, q1, v1, memory, ws):
    """Partition the memory and the workspace of a step; :func:`count_workspace` has the same parts"""
    n, rows, functions, nv = linear_count(w), row_count(w), function_count(w), velocity_count(m)
    turns = tail(memory, 1)
    r = tail(turns, load_integer(w, N_TURNS))
    missing = tail(r, rows)
    features = tail(missing, load_integer(w, N_ROTORS))
    moments = tail(ws, nv)
    factor = tail(moments, MOMENT * (link_count(m) + 1))
    free = tail(factor, factor_size(m))
    J = tail(free, nv)
    S = tail(J, value_count(w))
    compliance = tail(S, mobility_numbers(w))
    values = tail(compliance, 3 * n)
    phi = tail(values, 3 * rows)
    G = tail(phi, 2 * functions)
    X = tail(G, entry_count(w))
    u = tail(X, PLACE * (link_count(m) + 1) + touching_numbers(w))
    guess = tail(u, n)
    kept = tail(guess, range_count(w))
    mobility = Mobility(factor, J, S, compliance)
    before, after = Placed(X, G, phi, values), Placed(X, G, tail(phi, functions), tail(values, rows))
    return Step(
        h, load(memory, 0), given.q, given.v, q1, v1, turns, r, missing, features, free, ws, moments, mobility,
        tail(compliance, n), tail(compliance, 2 * n), tail(values, 2 * rows), before, after,
        u, guess, kept, tail(kept, range_numbers(range_count(w))),
    )  # fmt: skip


# ----------------------------------------------------------------------------------------------------------------- the step


def make_step(with_elements: bool, with_ranges: bool, with_contacts: bool, with_more: bool) -> Callable[..., Any]:
    """Make the kernel of a step: of what a scenario does not have, nothing is compiled."""
    # by which the cache tells it from the others
    own_name = f"_{with_elements:d}{with_ranges:d}{with_contacts + with_more:d}"
    find_free_velocity, begin_rows = make_find_free_velocity(with_elements), make_begin_rows(with_contacts)
    obey_ranges = make_obey_ranges(with_contacts, with_more)
    start_ranges = make_start_ranges(with_contacts, with_more, obey_ranges, own_name)
    obey = make_obey(with_ranges, obey_ranges, own_name)
    meet_rows, step_over = make_meet_rows(obey, own_name), make_step_over(obey, own_name)

    def world_step(m, c, h, given, q1, v1, memory, ws):
        """Compute the state at the end of a step, and its impulses in ``memory``; return the error"""
        w = more(c)
        s = make_record(m, w, h, given, q1, v1, memory, ws)
        find_free_velocity(m, c, s, given)
        size, left = begin_rows(m, w, s), 0.0 * s.time  # where links are and shapes touch, J, laws of linear rows
        if with_ranges:
            left = start_ranges(m, w, s)  # laws of limits, friction and contacts; an impact
        errors = meet_rows(m, w, size, s)  # impulses by all laws, and the configuration to which they lead
        if not within(errors[1] / size, TOLERATED):
            errors = step_over(m, w, size, errors, s)
        error, worst = errors
        if with_more:
            add_impact(w, s.r, s.kept)
        take_least_norm(w, s.mobility.S, s.r, s.u)
        worst = worse(worst, close_all_gaps(m, w, size, s))
        keep_rates_of_rotors(m, w, s)
        store(memory, 0, s.time + h)
        if with_ranges:
            keep_coordinate_limits(w, s.q, q1)
        return worse(worse(left, error), worst / (TOLERATED * size))

    world_step.__name__ += own_name
    return kernel(world_step)


def make_find_free_velocity(with_elements: bool) -> Callable[..., Any]:
    """Make the kernel of the velocity without impulses, for scenarios with elements or without."""

    def find_free_velocity(m, c, s, given):
        """Compute v_free, and the factor of A; its scratch memory is where rows have their places later"""
        n, rest = body_count(m), tail(s.mobility.factor, factor_size(m))
        if with_elements:
            f, rest = part(rest, 0, 6 * n), tail(rest, 6 * n)
            stage_wrenches(m, c, s.q, s.v, given.f_ext, f, rest)
            given = Given(s.q, s.v, given.law, f)
        free_velocity(m, s.h, given, s.x, s.moments, s.mobility.factor, rest)
        copy_vector(velocity_count(m), s.x, s.free)

    find_free_velocity.__name__ += f"_{with_elements:d}"
    return kernel(find_free_velocity)


def make_begin_rows(with_contacts: bool) -> Callable[..., Any]:
    """Make the kernel that begins a step, for worlds with contacts, or without."""

    def begin_rows(m, w, s):
        """Begin a step: rows at its beginning, what is asked of them, and the factor of S; return the reach

        No impulses yet, but those from which those of rows with a range are looked for.
        """
        n, rows = linear_count(w), row_count(w)
        begin_turns(w, s.turns, s.before.phi)
        store_values_at(m, w, s.q, s.before.X, s.before.phi)
        if with_contacts:
            touch_pairs(w, s.before.X, s.before.phi)
        store_geometry(m, w, s.q, s.before.X, s.before.G, s.mobility.J, s.ws)
        store_row_values(w, s.before.phi, True, s.before.values)
        for k in range(range_count(w)):
            store(s.guess, k, load(s.r, n + k))
        clear(s.r, rows)
        clear(s.rho, rows)
        size = reach(m, s.before.X)
        store_linear_laws(w, s.h, s.time, size, s.v, s.mobility.J, s.before.values, s.mobility.compliance, s.asked)
        factorize_mobility(m, w, s.mobility, s.ws)
        begin_rotors(w, s.missing, s.asked)
        return size

    begin_rows.__name__ += f"_{with_contacts:d}"
    return kernel(begin_rows)


def make_start_ranges(
    with_contacts: bool, with_more: bool, obey_ranges: Callable[..., Any], own_name: str
) -> Callable[..., Any]:
    """Make the kernel that begins rows with a range, for worlds with contacts, or without, and with what these have more."""
    begin_impact = make_impact(obey_ranges)

    def start_ranges(m, w, s):
        """Store laws of rows with a range, none of which has an impulse yet, with what linear rows alone make of v_free

        Where there is an impact, its impulses are found, and their error is returned.
        """
        if with_contacts:
            recall_multipliers(w, s.before.X, s.features, s.guess, s.ws)
            add_surface_rates(w, s.before.X, s.rho)
        residual(w, s.mobility, s.asked, s.r, s.x, s.u)
        refine_rows(m, w, s.mobility, s.u, s.r, s.x, s.ws)
        begin_ranges(w, s.h, s.v, s.x, s.mobility.J, s.rho, s.before.values, s.guess, s.kept)
        if with_more:  # noqa: SIM102 - what is false here is not compiled
            if return_count(w) > 0:
                return begin_impact(m, w, s.mobility, s.rho, s.v, s.x, s.r, s.kept, s.ws)
        return 0.0 * s.time

    start_ranges.__name__ += own_name
    return kernel(start_ranges)


def make_obey(with_ranges: bool, obey_ranges: Callable[..., Any], own_name: str) -> Callable[..., Any]:
    """Make the kernel of the laws of rows with a range, for worlds with such rows, or without."""

    def obey(m, w, s, goes_on):
        """Find impulses of rows with a range in states that go on; return their error as a share of what is tolerated"""
        if with_ranges:
            return obey_ranges(m, w, s.mobility, s.rho, Found(s.x, s.r, s.guess), goes_on, s.kept, s.ws)
        return 0.0 * s.time

    obey.__name__ += own_name
    return kernel(obey)


def make_meet_rows(obey: Callable[..., Any], own_name: str) -> Callable[..., Any]:
    """Make the kernel that finds the impulses of a step."""

    def meet_rows(m, w, size, s):
        """Find the impulses with which rows have the mean rates over the step that they are to have; return two errors

        Of rows with a range, as a share of what is tolerated; of what moves not as it is asked for, m or rad.
        """
        n, rows, ranged = linear_count(w), row_count(w), range_count(w)
        error, worst, plain = 0.0 * s.time, 1e300 + 0.0 * s.time, n == 0 and all_rates_are_linear(w)
        goes_on = 1.0 + 0.0 * s.time  # of eight states each for itself
        for _ in range(REPETITIONS):
            now = smaller(0.5, goes_on)
            refine(m, w, s, now)
            error = select(now, obey(m, w, s, goes_on), error)
            before, last = worst, s.rho
            move_configuration(m, s.h, s.q, s.x, s.moments, s.ws, s.q1, s.v1)
            if not plain:
                last = part(s.ws, 0, rows)
                copy_vector(rows, s.rho, last)
                store_mean_rates(m, w, s.h, s.q1, s.x, s.mobility.J, s.before, s.after, s.rho)
            miss = largest_miss(w, s.mobility, s.h, s.x, s.r, s.asked, s.rho, last, 0 if plain else ranged)
            worst = select(now, miss, worst)
            falls = select(smaller(worst, NEARER * before), goes_on, 0.0 * s.time)
            goes_on = select(smaller(MET * size, worst), falls, 0.0 * s.time)
            if within(goes_on, 0.5):
                break
        for k in range(n):
            store(s.asked, k, row_rate(w, s.mobility.J, k, s.x) + load(s.rho, k))
        return error, worst

    meet_rows.__name__ += own_name
    return kernel(meet_rows)


@kernel
def refine(m, w, s, now):
    """Refine impulses of linear rows once, in some states: mean rates, with rho as it is, nearer to those asked for"""
    for k in range(linear_count(w)):
        store(s.target, k, load(s.asked, k) - load(s.rho, k))
    residual(w, s.mobility, s.target, s.r, s.x, s.u)
    for k in range(linear_count(w)):
        store(s.u, k, select(now, load(s.u, k), 0.0 * s.time))
    refine_rows(m, w, s.mobility, s.u, s.r, s.x, s.ws)


def make_step_over(obey: Callable[..., Any], own_name: str) -> Callable[..., Any]:
    """Make the kernel that steps over a singular position."""

    def step_over(m, w, size, errors, s):
        """Find impulses anew where :func:`meet_rows` led nowhere, next to a singular position: J(q) v+ as asked, then q1
        onto the rows

        Rows that are nearly dependent there, with J that turns around within the step, have mean rates that impulses along
        J(q) bring no nearer. With J(q) v+ as it is asked for, v+ is a tangent still, on the branch on which v is, and gaps
        are of second order: they are closed along J(q1). Of eight states each for itself.
        """
        error, worst = errors
        if return_count(w) > 0:
            return error, worst  # an impact has changed x and r already
        one = 1.0 + 0.0 * s.time
        takes = select(smaller(TOLERATED * size, worst), one, 0.0 * s.time)
        takes = select(smaller(0.5, dependent_rows(w, s.mobility.S, row_sizes(w, s.mobility.S))), takes, 0.0 * s.time)
        if within(takes, 0.5):
            return error, worst
        here = smaller(0.5, takes)
        begin_anew(m, w, size, s, here)
        for _ in range(REFINEMENTS):
            refine(m, w, s, here)
        error = select(here, obey(m, w, s, takes), error)
        move_configuration(m, s.h, s.q, s.x, s.moments, s.ws, s.q1, s.v1)
        miss = largest_miss(w, s.mobility, s.h, s.x, s.r, s.asked, s.rho, s.rho, 0)
        store_mean_rates(m, w, s.h, s.q1, s.x, s.mobility.J, s.before, s.after, s.ws)
        own = select(here, size, 1e300 * one)  # beside which no gap of the others is one
        for _ in range(RENEWALS):
            renew_mobility(m, w, s.q1, s)
            close_gaps(m, w, s.mobility, s.time + s.h, own, 2.0 * MET, s.after, s.q1, s.ws)
            if within(largest_gap(w, s.time + s.h, s.after.values) / own, 2.0 * MET):
                break
        place_links(m, s.q, s.before.X)
        renew_mobility(m, w, s.q, s)
        for k in range(linear_count(w)):
            store(s.asked, k, select(here, row_rate(w, s.mobility.J, k, s.x) + load(s.rho, k), load(s.asked, k)))
        place_links(m, s.q1, s.after.X)
        return error, select(here, miss, worst)

    step_over.__name__ += own_name
    return called_kernel(step_over)


@kernel
def begin_anew(m, w, size, s, here):
    """Let, in some states, no impulse act, and no mean rate of a row that is held differ from J v"""
    n = linear_count(w)
    store_linear_laws(w, s.h, s.time, size, s.v, s.mobility.J, s.before.values, s.mobility.compliance, s.target)
    begin_rotors(w, s.missing, s.target)
    for k in range(velocity_count(m)):
        store(s.x, k, select(here, load(s.free, k), load(s.x, k)))
    for k in range(row_count(w)):
        store(s.r, k, select(here, 0.0 * s.time, load(s.r, k)))
    for k in range(n + staircase_count(w)):
        if row_entry(w, k, HOLONOMIC) != 0:
            store(s.rho, k, select(here, 0.0 * s.time, load(s.rho, k)))
    for k in range(n):
        store(s.asked, k, select(here, load(s.target, k), load(s.asked, k)))


@kernel
def renew_mobility(m, w, q, s):
    """Compute J and the factor of S at q, of links that are placed"""
    store_geometry(m, w, q, s.before.X, s.before.G, s.mobility.J, s.ws)
    factorize_mobility(m, w, s.mobility, s.ws)


@kernel
def close_all_gaps(m, w, size, s):
    """Close gaps at the end of the step by moving bodies, J renewed where they are large; return the largest that is left"""
    if linear_count(w) == 0 and all_rates_are_linear(w):
        return 0.0 * s.time
    for _ in range(RENEWALS):
        close_gaps(m, w, s.mobility, s.time + s.h, size, 2.0 * MET, s.after, s.q1, s.ws)
        large = smaller(2.0 * MET, largest_gap(w, s.time + s.h, s.after.values) / size)  # not where it is NaN
        if within(select(large, lift(1.0, s.time), lift(0.0, s.time)), 0.0):
            break
        renew_mobility(m, w, s.q1, s)
    keep_turns(w, s.after.phi, s.turns)
    return largest_gap(w, s.time + s.h, s.after.values)


@kernel
def keep_rates_of_rotors(m, w, s):
    """Store by how much mean rates of rotors differ from J v at the end of the step"""
    if load_integer(w, N_ROTORS) > 0:
        store_geometry(m, w, s.q1, s.after.X, s.after.G, s.mobility.J, s.ws)
        keep_rotors(w, s.q1, s.after.X, s.after.phi, s.asked, s.mobility.J, s.v1, s.missing)


# --------------------------------------------------------------------------------------------------------- how much it takes


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
    """Count the size of the workspace of a step, from the header of a world's rows; parts as in :func:`make_record`."""
    functions, entries, rows, n, values, factor, _ = (int(x) for x in w[: layout.N_TURNS + 1])
    ranged = rows - n
    kept = model.nv + MOMENT * (model.n_links + 1) + factor_numbers(model)
    places = PLACE * (model.n_links + 1) + int(w[layout.TOUCHING_NUMBERS])
    table = model.nv + values + 5 * n + factor + 3 * rows + 2 * functions + entries + places + n
    own = range_numbers(ranged) + ranged
    columns = COLUMN * len(model.freedoms)
    returns = int(w[layout.N_RETURNS])
    obeying = range_scratch(ranged, n, model.nv, int(w[layout.N_RESISTANCES]), returns)
    obeying += impact_scratch(ranged, rows, model.nv) if returns else 0
    scratch = max(columns, n + 7 * model.nv, rows + 1, model.nq + 8 * model.nv + 2 * n, obeying)
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
