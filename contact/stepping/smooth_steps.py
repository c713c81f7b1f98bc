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

from pluecker.articulated.algorithms.inertia.inertia_factor import factor_numbers, factor_workspace, factorize_trees
from pluecker.articulated.model.joints import carry_joint
from pluecker.articulated.model.layout import (
    body_count,
    configuration_count,
    factor_size,
    link_count,
    owns_coordinates,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.adaptive.adaptive import adaptive_kernel, adaptive_numbers
from pluecker.articulated.stepping.explicit.runge_kutta import runge_kutta_kernel, runge_kutta_numbers
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import MORE, more
from pluecker.articulated.stepping.terms.stage import stage_torque, stage_workspace, stage_wrenches
from pluecker.contact.instants import accelerations
from pluecker.contact.instants.accelerations import make_accelerations
from pluecker.contact.rows import layout
from pluecker.contact.rows.jacobian import row_rate, store_geometry, store_row_values
from pluecker.contact.rows.layout import (
    HELD,
    LAW,
    N_TURNS,
    ROW_SPEED,
    TURN_NUMBER,
    entry_count,
    function_count,
    function_entry,
    linear_count,
    row_count,
    row_entry,
    row_number,
    value_count,
)
from pluecker.contact.rows.mobility import FREE, factorize_mobility, hold_rows, mobility_numbers
from pluecker.contact.rows.motion import COLUMN, PLACE, place_links
from pluecker.contact.rows.prescribed import prescribed
from pluecker.contact.stepping.mean_rates import begin_turns, function_rate, keep_turns, reach, store_counted_values
from pluecker.contact.stepping.projection import CLOSED, TOLERATED, close_gaps, largest_gap
from pluecker.spatial.compiled.decorators import called_kernel, kernel
from pluecker.spatial.dense.laws import larger, worse
from pluecker.spatial.scalars.operations import load, load_integer, part, store, tail, within

__all__ = ["SMOOTH", "count_turns", "remembered_numbers"]

accelerations_at = make_accelerations(False, over_time=True).at


@called_kernel
def instant_acceleration(m, c, s, q0, v0, q, v, law, f_ext, a, ws):
    """a at the state (q, v), a time ``s`` after (q0, v0) since which the law of control holds; one copy, which is called

    Behind the law stands the time at which it began.
    """
    w, t = more(c), load(law, 4 * velocity_count(m)) + s
    tau, f = ws, tail(ws, velocity_count(m))
    r = tail(f, 6 * body_count(m))
    rest = tail(r, row_count(w))
    stage_torque(m, s, q0, v0, q, v, law, tau)
    stage_wrenches(m, c, q, v, f_ext, f, rest)
    accelerations_at(m, w, t, q, v, tau, f, a, r, rest)


@kernel
def rate(m, c, s, given, q, v, modes, a, ws):
    """The same as the adaptive pair asks for it; no row of a joint has a mode"""
    q0, v0, law, f_ext = given
    instant_acceleration(m, c, s, q0, v0, q, v, law, f_ext, a, ws)


@called_kernel
def count_turns(m, w, q, turns, ws):
    """The angles at q, nearest to those that are remembered"""
    phi, X = ws, tail(ws, function_count(w))
    place_links(m, q, X)
    begin_turns(w, turns, phi)
    store_counted_values(w, q, X, phi)
    keep_turns(w, phi, turns)


@called_kernel
def take_geometry(m, w, q, factor, X, J, G, S, compliance, ws):
    """J and the factors of H and of J H^-1 J^T in a configuration; rows that do not hold have no part"""
    nv, n = velocity_count(m), linear_count(w)
    store_geometry(m, w, q, X, G, J, ws)
    for k in range(n):
        store(compliance, k, 0.0 * load(J, 0) + (0.0 if row_entry(w, k, LAW) == HELD else FREE))
    factorize_trees(m, q, factor, ws, tail(ws, 2 * nv))
    factorize_mobility(m, w, factor, J, compliance, S, ws, tail(ws, nv))


@called_kernel
def project_state(m, w, h, time, turns, q1, v1, ws):
    """q1 and v1 onto the rows that hold, angles counted; the error that is left, as a share of what is tolerated"""
    n, rows, nq, nv = linear_count(w), row_count(w), configuration_count(m), velocity_count(m)
    J, S = ws, tail(ws, value_count(w))
    compliance = tail(S, mobility_numbers(w))
    target, r = tail(compliance, n), tail(compliance, 2 * n)
    values, y = tail(r, n), tail(r, n + rows)
    before, G = tail(y, nv), tail(y, nv + nq)
    phi = tail(G, entry_count(w))
    X = tail(phi, function_count(w))
    factor = tail(X, PLACE * (link_count(m) + 1))
    rest = tail(factor, factor_size(m))
    place_links(m, q1, X)
    size = reach(m, X)
    take_geometry(m, w, q1, factor, X, J, G, S, compliance, rest)
    begin_turns(w, turns, phi)
    for k in range(function_count(w)):
        if function_entry(w, k, TURN_NUMBER) >= 0:
            store(phi, k, load(phi, k) + h * function_rate(m, w, G, k, v1))
    store_counted_values(w, q1, X, phi)
    store_row_values(w, phi, True, values)
    gap = largest_gap(w, 0.0 * time, time, values)
    if not within(gap / size, CLOSED):
        for k in range(nq):
            store(before, k, load(q1, k))
        close_gaps(m, w, 0.0 * time, time, size, CLOSED, factor, J, S, phi, values, X, y, target, q1, rest)
        carry_velocity(m, before, q1, v1, y)
        take_geometry(m, w, q1, factor, X, J, G, S, compliance, rest)
        gap = largest_gap(w, 0.0 * time, time, values)
    keep_turns(w, phi, turns)
    fastest = 1.0 + 0.0 * time
    for k in range(nv):
        fastest = larger(fastest, larger(load(v1, k), -load(v1, k)))
    for k in range(n):
        _, speed, _ = prescribed(w, k, time)
        store(target, k, row_number(w, k, ROW_SPEED) + speed if row_entry(w, k, LAW) == HELD else 0.0 * time)
        store(r, k, 0.0 * time)
    hold_rows(m, w, factor, J, S, compliance, target, r, v1, rest)
    # of velocities, what is tolerated is a share of the largest of them
    return worse(gap / (TOLERATED * size), velocity_left(w, J, target, v1) / (TOLERATED * size * fastest))


@kernel
def carry_velocity(m, q, q1, v, out):
    """v in the chart of q1, where q was in another"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            carry_joint(m, i, q, q1, v, out)
    for k in range(velocity_count(m)):
        store(v, k, load(out, k))


@kernel
def velocity_left(w, J, target, v):
    """The largest velocity of a row that holds and is not as it is asked for"""
    worst = 0.0 * load(v, 0)
    for k in range(linear_count(w)):
        if row_entry(w, k, LAW) == HELD:
            miss = row_rate(w, J, k, v) - load(target, k)
            worst = worse(worst, larger(miss, -miss))
    return worst


def projected_kernel(step: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of such a step, and the projection after it."""

    @kernel
    def projected_step(m, c, h, q, v, law, f_ext, q1, v1, memory, ws):
        """``memory``: the time, angles over turns, impulses, which are none; then what the step itself remembers"""
        w, nv = more(c), velocity_count(m)
        turns, timed, rest = tail(memory, 1), part(ws, 0, 4 * nv + 1), tail(ws, 4 * nv + 1)
        for k in range(4 * nv):
            store(timed, k, load(law, k))
        store(timed, 4 * nv, load(memory, 0))
        if load_integer(w, N_TURNS) > 0:
            count_turns(m, w, q, turns, rest)
        own = tail(memory, 1 + load_integer(w, N_TURNS) + row_count(w))
        e = step(m, c, h, q, v, timed, f_ext, q1, v1, own, rest)
        time = load(memory, 0) + h
        store(memory, 0, time)
        return e + project_state(m, w, h, time, turns, q1, v1, ws)

    return projected_step


# ---------------------------------------------------------------------------------------------------------------- how much


class Counts(NamedTuple):
    """How much there is of what, as :class:`~pluecker.contact.rows.packing.Packed` has it."""

    n_functions: int
    n_entries: int
    n_rows: int
    n_linear: int
    n_values: int
    n_factor: int
    n_turns: int
    touching_numbers: int = 0  # shapes that touch are for the step of worlds alone


def counts_of(scenario: Array) -> Counts:
    """Of the constraints in a scenario."""
    integers = scenario.view(np.int64)
    first = int(integers[MORE])
    return Counts(*(int(x) for x in integers[first : first + layout.N_TURNS + 1]))


def remembered_numbers(model: Model, scenario: Array) -> int:
    """The time, angles over turns, impulses."""
    w = counts_of(scenario)
    return 1 + w.n_turns + w.n_rows


def projection_numbers(model: Model, scenario: Array) -> int:
    """How many numbers the projection needs."""
    w, links = counts_of(scenario), model.n_links + 1
    kept = w.n_values + 2 * w.n_linear + w.n_factor + 3 * w.n_linear + w.n_rows + model.nv + model.nq
    kept += w.n_entries + w.n_functions + PLACE * links + factor_numbers(model)
    return kept + max(
        COLUMN * len(model.freedoms),
        2 * model.nv + factor_workspace(model),
        w.n_linear + 7 * model.nv,
        model.nq + 8 * model.nv + w.n_linear,
    )


def acceleration_numbers(model: Model, scenario: Array) -> int:
    """How many numbers accelerations need."""
    w = counts_of(scenario)
    own: Any = w
    rest = max(stage_workspace(model), accelerations.workspace(model, own))
    return model.nv + 6 * model.n_bodies + w.n_rows + rest


def projected(name: str, order: int, step: Callable[..., Any], numbers: Callable[..., int], own: int) -> Integrator:
    """The integrator with such a step, which remembers so many numbers itself."""
    return Integrator(
        name,
        order,
        projected_kernel(step),
        workspace=lambda model, scenario: (
            4 * model.nv
            + 1
            + max(numbers(model, scenario) + acceleration_numbers(model, scenario), projection_numbers(model, scenario))
        ),
        memory=lambda model, scenario: remembered_numbers(model, scenario) + own,
        lanes=own == 0,
        listed=False,
        lasting=True,
    )


SMOOTH = {
    "rk4": projected(
        "world_rk4",
        4,
        runge_kutta_kernel(instant_acceleration),
        lambda model, scenario: runge_kutta_numbers(model),
        0,
    ),
    "dormand_prince": projected("world_dormand_prince", 5, adaptive_kernel(rate), adaptive_numbers, 1),
}
