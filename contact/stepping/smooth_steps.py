"""Steps of higher order for worlds whose rows all hold: Runge-Kutta on accelerations, then q and v onto the constraints.

    (q*, v*) = a step with H a + c = tau + J^T r,  J a + Jdot v = 0
    q1 = q* moved by d,  phi(q1) = 0,  d^T H d least          v1 = v* + H^-1 J^T s,  J(q1) v1 = what is asked for

A step of order p drifts off the constraints by h^(p+1), and so far the projection moves it: the order stays. The largest gap
and the largest velocity along a row that are left are the error of the step, as a share of what is tolerated: they are
large where rows contradict each other.

Sources: Eich, "Convergence results for a coordinate projection method applied to mechanical systems with algebraic
constraints" (1993); Hairer and Wanner (1996), section VII.2; Munthe-Kaas (1999).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.algorithms.configuration.integrate import carry_velocity_kernel, integrate_kernel
from pluecker.articulated.algorithms.inertia.inertia_factor import factor_numbers, factor_workspace, factorize_trees
from pluecker.articulated.model.layout import (
    body_count,
    clear,
    configuration_count,
    factor_size,
    link_count,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.adaptive.adaptive import adaptive_kernel, adaptive_numbers, event_kernels
from pluecker.articulated.stepping.adaptive.dormand_prince import PAIR
from pluecker.articulated.stepping.explicit.runge_kutta import runge_kutta_kernel, runge_kutta_numbers
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import MORE, more
from pluecker.articulated.stepping.terms.stage import Given, stage_torque, stage_workspace, stage_wrenches
from pluecker.contact.instants import accelerations
from pluecker.contact.instants.accelerations import make_accelerations, mobility_of_instant
from pluecker.contact.rows import layout
from pluecker.contact.rows.jacobian import prescribed, row_rate, store_geometry, store_row_values
from pluecker.contact.rows.layout import (
    HELD,
    LAW,
    N_TURNS,
    ROW_SPEED,
    entry_count,
    function_count,
    linear_count,
    row_count,
    row_entry,
    row_number,
    value_count,
)
from pluecker.contact.rows.mobility import FREE, Mobility, factorize_mobility, hold_rows, mobility_numbers
from pluecker.contact.rows.motion import COLUMN, PLACE, place_links
from pluecker.contact.stepping.mean_rates import (
    Placed,
    begin_turns,
    expect_turns,
    keep_turns,
    reach,
    store_counted_values,
)
from pluecker.contact.stepping.projection import CLOSED, TOLERATED, close_gaps, largest_gap
from pluecker.contact.stepping.singular_positions import has_fallen, keep_known, known_numbers, time_aside
from pluecker.spatial.dense.laws import copy_vector, larger, worse
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import (
    accumulate,
    load,
    load_integer,
    part,
    select,
    smaller,
    store,
    tail,
    within,
)

__all__ = ["SMOOTH", "Counts", "count_turns", "counts_of", "project_state", "projection_numbers", "remembered_numbers"]

WAITING = 1e3  # times what is tolerated: larger gaps are closed next to singular positions too

accelerations_at = make_accelerations(False, over_time=True).at


@called_kernel
def instant_acceleration(m, c, s, given, q, v, a, ws):
    """Compute a at the state (q, v), a time ``s`` after the one that is given, since which the law of control holds;
    compiled once

    Behind the law stands the time at which it began.
    """
    w, t = more(c), load(given.law, 4 * velocity_count(m)) + s
    tau, f = ws, tail(ws, velocity_count(m))
    r = tail(f, 6 * body_count(m))
    rest = tail(r, row_count(w))
    stage_torque(m, s, given, q, v, tau)
    stage_wrenches(m, c, q, v, given.f_ext, f, rest)
    accelerations_at(m, w, t, q, v, tau, f, a, r, rest)


@called_kernel
def acceleration_on_branch(m, c, s, given, q, v, a, ws):
    """Compute a at the state (q, v) as above; next to a singular position its limit along the motion

    Behind the law stand the time at which it began, what is known of rows, and angles over turns.
    """
    w, nv = more(c), velocity_count(m)
    instant_acceleration(m, c, s, given, q, v, a, ws)
    S = mobility_of_instant(m, w, tail(ws, nv + 6 * body_count(m) + row_count(w)))
    fallen = has_fallen(w, S, tail(given.law, 4 * nv + 1))
    if not within(fallen, 0.5):
        store_limit(m, c, s, given, q, v, fallen, a, ws)


@called_kernel
def store_limit(m, c, s, given, q, v, fallen, a, ws):
    """Store, in states in which the rank has fallen, a from both sides, where there are such on the constraints"""
    w, nv, nq, law = more(c), velocity_count(m), configuration_count(m), given.law
    q2, v2, a2, limit = ws, tail(ws, nq), tail(ws, nq + nv), tail(ws, nq + 2 * nv)
    nothing, turns = tail(ws, nq + 3 * nv), tail(ws, nq + 3 * nv + 1)
    rest = tail(turns, load_integer(w, N_TURNS))
    aside, begun, worst = time_aside(part(v, 0, nv)), load(law, 4 * nv), 0.0 * fallen
    clear(limit, nv)
    clear(nothing, 1)
    for side in range(6):
        far = 1 + side // 2
        dt = aside * (far if side % 2 == 0 else -far)
        weight = 0.75 if far == 1 else -0.3 if far == 2 else 0.05
        for k in range(nv):
            store(v2, k, dt * load(v, k))
        integrate_kernel(m, q, v2, q2, rest)
        for k in range(nv):
            store(v2, k, load(v, k))
        for k in range(load_integer(w, N_TURNS)):
            store(turns, k, load(law, 4 * nv + 1 + known_numbers(w) + k))
        worst = worse(worst, project_state(m, w, s + dt, begun + s + dt, nothing, turns, q2, v2, rest))
        instant_acceleration(m, c, s + dt, given, q2, v2, a2, rest)
        for k in range(nv):
            accumulate(limit, k, weight * load(a2, k))
    takes = select(smaller(worst, 1.0), fallen, 0.0 * fallen)
    for k in range(nv):
        store(a, k, select(smaller(0.5, takes), load(limit, k), load(a, k)))


@kernel
def rate(m, c, s, given, q, v, modes, a, ws):
    """Compute :func:`acceleration_on_branch` with the arguments of the adaptive pair; no row of a joint has a mode"""
    acceleration_on_branch(m, c, s, given, q, v, a, ws)


@called_kernel
def count_turns(m, w, q, turns, ws):
    """Count the angles at q, nearest to those that are remembered"""
    phi, X = ws, tail(ws, function_count(w))
    place_links(m, q, X)
    begin_turns(w, turns, phi)
    store_counted_values(w, q, X, phi)
    keep_turns(w, phi, turns)


@called_kernel
def take_geometry(m, w, q, mobility, placed, ws):
    """Compute J and the factors of H and of J H^-1 J^T in a configuration; rows that do not hold have no part"""
    store_geometry(m, w, q, placed.X, placed.G, mobility.J, ws)
    for k in range(linear_count(w)):
        store(mobility.compliance, k, 0.0 * load(mobility.J, 0) + (0.0 if row_entry(w, k, LAW) == HELD else FREE))
    factorize_trees(m, q, mobility.factor, ws, tail(ws, 2 * velocity_count(m)))
    factorize_mobility(m, w, mobility, ws)


@called_kernel
def project_state(m, w, h, time, known, turns, q1, v1, ws):
    """Project q1 and v1 onto rows that hold, angles counted; return the error left, as a share of what is tolerated

    Next to a singular position, where the rank has fallen beside what is ``known``, a small gap is left for the next
    step: there it takes a large displacement to close it.
    """
    n, rows, nq, nv = linear_count(w), row_count(w), configuration_count(m), velocity_count(m)
    J, S = ws, projected_mobility(w, ws)
    compliance = tail(S, mobility_numbers(w))
    target, r = tail(compliance, n), tail(compliance, 2 * n)
    values, y = tail(r, n), tail(r, n + rows)
    before, given_q, given_v, G = tail(y, nv), tail(y, nv + nq), tail(y, nv + 2 * nq), tail(y, 2 * nv + 2 * nq)
    phi = tail(G, entry_count(w))
    X = tail(phi, function_count(w))
    factor = tail(X, PLACE * (link_count(m) + 1))
    rest = tail(factor, factor_size(m))
    mobility, placed = Mobility(factor, J, S, compliance), Placed(X, G, phi, values)
    copy_vector(nq, q1, given_q)
    copy_vector(nv, v1, given_v)
    place_links(m, q1, X)
    size = reach(m, X)
    take_geometry(m, w, q1, mobility, placed, rest)
    expect_turns(m, w, h, turns, v1, placed)
    store_counted_values(w, q1, X, phi)
    store_row_values(w, phi, True, values)
    gap = largest_gap(w, time, values)
    waits = select(smaller(gap, WAITING * TOLERATED * size), has_fallen(w, S, known), 0.0 * gap)
    if not within(gap / size, CLOSED):
        copy_vector(nq, q1, before)
        close_gaps(m, w, mobility, time, size, CLOSED, placed, q1, rest)
        carry_velocity_kernel(m, before, q1, v1, y, rest)
        copy_vector(nv, y, v1)
        take_geometry(m, w, q1, mobility, placed, rest)
        gap = largest_gap(w, time, values)
    keep_turns(w, phi, turns)
    fastest = 1.0 + 0.0 * time
    for k in range(nv):
        fastest = larger(fastest, larger(load(v1, k), -load(v1, k)))
    for k in range(n):
        _, speed, _ = prescribed(w, k, time)
        store(target, k, row_number(w, k, ROW_SPEED) + speed if row_entry(w, k, LAW) == HELD else 0.0 * time)
        store(r, k, 0.0 * time)
    hold_rows(m, w, mobility, target, r, v1, rest)
    # of velocities, what is tolerated is a share of the largest of them
    error = worse(gap / (TOLERATED * size), velocity_left(w, J, target, v1) / (TOLERATED * size * fastest))
    if not within(waits, 0.5):
        for k in range(nq):
            store(q1, k, select(smaller(0.5, waits), load(given_q, k), load(q1, k)))
        for k in range(nv):
            store(v1, k, select(smaller(0.5, waits), load(given_v, k), load(v1, k)))
    return select(smaller(0.5, waits), 0.0 * error, error)


@kernel
def projected_mobility(w, ws):
    """Return the factor of S that :func:`project_state` leaves in its workspace, a view"""
    return tail(ws, value_count(w))


@kernel
def velocity_left(w, J, target, v):
    """Compute the largest velocity of a row that holds and is not as it is asked for"""
    worst = 0.0 * load(v, 0)
    for k in range(linear_count(w)):
        if row_entry(w, k, LAW) == HELD:
            miss = row_rate(w, J, k, v) - load(target, k)
            worst = worse(worst, larger(miss, -miss))
    return worst


@called_kernel
def begin_known(m, w, time, known, turns, q1, v1, ws):
    """Store what is known of rows at the beginning, in q1 and v1, which are left with ``turns`` as the projection leaves
    them
    """
    project_state(m, w, 0.0 * time, time, known, turns, q1, v1, ws)
    keep_known(w, projected_mobility(w, ws), known)


def projected_kernel(step: Callable[..., Any]) -> Callable[..., Any]:
    """Make the kernel of such a step, and the projection after it."""

    @kernel
    def projected_step(m, c, h, given, q1, v1, memory, ws):
        """Make a step and project its end; ``memory``: the time, angles over turns, impulses, which are none; what is known
        of rows; what the step itself remembers
        """
        w, nv, nt, (q, v, law, f_ext) = more(c), velocity_count(m), load_integer(more(c), N_TURNS), given
        size = known_numbers(w)
        turns, timed, rest = tail(memory, 1), part(ws, 0, 4 * nv + 1 + size + nt), tail(ws, 4 * nv + 1 + size + nt)
        known, own = tail(turns, nt + row_count(w)), tail(turns, nt + row_count(w) + size)
        copy_vector(4 * nv, law, timed)
        store(timed, 4 * nv, load(memory, 0))
        if nt > 0:
            count_turns(m, w, q, turns, rest)
        kept = tail(timed, 4 * nv + 1 + size)
        if within(load(known, 0), 0.0):
            copy_vector(nt, turns, kept)
            copy_vector(configuration_count(m), q, q1)
            copy_vector(nv, v, v1)
            begin_known(m, w, load(memory, 0), known, kept, q1, v1, rest)
        copy_vector(size, known, tail(timed, 4 * nv + 1))
        copy_vector(nt, turns, kept)
        e = step(m, c, h, Given(q, v, timed, f_ext), q1, v1, own, rest)
        time = load(memory, 0) + h
        store(memory, 0, time)
        e = e + project_state(m, w, h, time, known, turns, q1, v1, ws)
        keep_known(w, projected_mobility(w, ws), known)
        return e

    return projected_step


# ---------------------------------------------------------------------------------------------------------------- how much


class Counts(NamedTuple):
    """Counts of the rows of constraints, as :class:`~pluecker.contact.rows.packing.Packed` has them."""

    n_functions: int
    n_entries: int
    n_rows: int
    n_linear: int
    n_values: int
    n_factor: int
    n_turns: int
    touching_numbers: int = 0  # shapes that touch are for the step of worlds alone


def counts_of(scenario: Array) -> Counts:
    """Read the counts of the constraints in a scenario."""
    integers = scenario.view(np.int64)
    first = int(integers[MORE])
    return Counts(*(int(x) for x in integers[first : first + layout.N_TURNS + 1]))


def remembered_numbers(model: Model, scenario: Array) -> int:
    """Count the numbers that last: the time, angles over turns, impulses, and what is known of rows."""
    w = counts_of(scenario)
    return 2 + w.n_turns + w.n_rows + w.n_linear


def projection_numbers(model: Model, scenario: Array) -> int:
    """Compute how many numbers the projection needs."""
    w, links = counts_of(scenario), model.n_links + 1
    kept = w.n_values + 2 * w.n_linear + w.n_factor + 3 * w.n_linear + w.n_rows + 2 * model.nv + 2 * model.nq
    kept += w.n_entries + w.n_functions + PLACE * links + factor_numbers(model)
    return kept + max(
        COLUMN * len(model.freedoms),
        2 * model.nv + factor_workspace(model),
        w.n_linear + 7 * model.nv,
        model.nq + 8 * model.nv + 2 * w.n_linear,
    )


def acceleration_numbers(model: Model, scenario: Array) -> int:
    """Compute how many numbers accelerations need."""
    w = counts_of(scenario)
    own: Any = w
    rest = max(stage_workspace(model), accelerations.workspace(model, own))
    beside = model.nq + 3 * model.nv + 1 + w.n_turns  # of states on both sides
    rest = model.nv + 6 * model.n_bodies + w.n_rows + rest
    return beside + max(rest, projection_numbers(model, scenario))


def projected(
    name: str, order: int, step: Callable[..., Any], numbers: Callable[..., int], own: int, **options: Any
) -> Integrator:
    """The integrator with such a step, which remembers so many numbers itself; ``options``: as of :class:`Integrator`."""
    return Integrator(
        name,
        order,
        projected_kernel(step),
        workspace=lambda model, scenario: (
            4 * model.nv
            + 2
            + counts_of(scenario).n_linear
            + counts_of(scenario).n_turns
            + max(numbers(model, scenario) + acceleration_numbers(model, scenario), projection_numbers(model, scenario))
        ),
        memory=lambda model, scenario: remembered_numbers(model, scenario) + own,
        listed=False,
        lasting=True,
        **{"lanes": own == 0, **options},
    )


SMOOTH = {
    "rk4": projected(
        "world_rk4",
        4,
        runge_kutta_kernel(acceleration_on_branch),
        lambda model, scenario: runge_kutta_numbers(model),
        0,
    ),
    "dormand_prince": projected(
        "world_dormand_prince", 5, adaptive_kernel(PAIR, rate, *event_kernels(rate)), adaptive_numbers, 1
    ),
}
