"""Implicit steps of worlds whose rows all hold: backward differences and the variational integrator, with multipliers.

**Backward differences.** At the end of a stage all equations hold together, with multipliers x of the rows,

    ID(q, v, a) = tau + J(q)^T x        phi(q) = 0        q = q_b + g v        a = (v - v_b) / g

and of rows on velocities ``J v`` is what is asked for. So the positions of all samples are on the constraints; velocities
are differences of these, and along the rows they are in error by the order of the method. This is what springs of rising
stiffness come to by the same method. Springs, dampers and rotors of rows have the forces that follow from q, v and a.

**The variational integrator** has impulses x along the rows at the start of the step, with which they hold at its end, and
impulses y along those at the end, with which the velocities there are as the rows want them:

    p + h/2 F + J(q)^T x = p^-(q, q1)     phi(q1) = 0          H v1 = p^+(q, q1) + h/2 F + J(q1)^T y      J(q1) v1 = 0

the step of SHAKE and RATTLE. Momenta that rows do not change are kept, and energy has no trend. Rows on velocities hold for
the mean of J at both ends and the mean velocity. A rotor has the momentum ``I (phi(q1) - phi(q)) / h``.

The first step begins where the bodies are moved to, the nearest way, until the rows hold.

Sources: Gear, Gupta, Leimkuhler (1985) for the equations with multipliers; Lotstedt, Petzold (1986) for the order of
backward differences; Ryckaert, Ciccotti, Berendsen (1977), SHAKE, and Andersen (1983), RATTLE; Wang et al. (2019), section
4.3, for rows on a tree (docs/sources.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pluecker.articulated.model.layout import clear, configuration_count, link_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.implicit.bdf import make_bdf1, make_bdf2, memory_of_bdf2, step_numbers
from pluecker.articulated.stepping.implicit.newton import (
    StageRows,
    make_stage_solver,
    stage_solver_workspace,
)
from pluecker.articulated.stepping.implicit.variational import (
    TOLERANCE,
    StepRows,
    make_variational,
    variational_memory,
    variational_numbers,
)
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.rows import LOWER, STIFFNESS, UPPER
from pluecker.articulated.stepping.terms.rows import entry as range_entry
from pluecker.articulated.stepping.terms.scenario import more
from pluecker.articulated.stepping.terms.stage import Given
from pluecker.contact.rows.jacobian import (
    add_row_force,
    prescribed,
    row_rate,
    store_biases,
    store_geometry,
    store_row_values,
    store_values,
)
from pluecker.contact.rows.layout import (
    FIRST_VALUE,
    HELD,
    HOLONOMIC,
    LAW,
    N_ROTORS,
    N_TURNS,
    ROTOR,
    ROW_DAMPING,
    ROW_INERTIA,
    ROW_SPEED,
    ROW_STIFFNESS,
    SOFT,
    VALUE_COUNT,
    column,
    entry_count,
    function_count,
    linear_count,
    range_count,
    ranges,
    row_count,
    row_entry,
    row_number,
    value_count,
)
from pluecker.contact.rows.mobility import (
    EPSILON,
    FREE,
    TINY,
    Mobility,
    factorize_mobility,
    hold_rows,
    mobility_numbers,
)
from pluecker.contact.rows.motion import ACCELERATION, COLUMN, PLACE, VELOCITY, place_links, store_accelerations
from pluecker.contact.rows.ranges.at_instants import pushes
from pluecker.contact.stepping.mean_rates import Placed, expect_turns, keep_turns, reach, store_counted_values
from pluecker.contact.stepping.projection import TOLERATED, gap_of
from pluecker.contact.stepping.smooth_steps import Counts, count_turns, counts_of, project_state, projection_numbers
from pluecker.spatial.dense.laws import copy_vector, larger, worse
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, load_integer, part, store, tail, within

__all__ = ["IMPLICIT"]

# ------------------------------------------------------------------------------------------------------ rows in a stage
# Behind the law of control stand the time at which the step began, and its angles over turns.


@kernel
def count_rows(c):
    """Each linear row has a multiplier, which is zero where its force follows from the state"""
    return linear_count(more(c))


@kernel
def placed_in(m, w, ws):
    """Return links, functions and rows in a configuration, J of the rows, and the memory that is left, as views"""
    G = tail(ws, PLACE * (link_count(m) + 1))
    J = tail(G, entry_count(w))
    values = tail(J, value_count(w))
    phi = tail(values, row_count(w))
    return Placed(ws, G, phi, values), J, tail(phi, function_count(w))


@kernel
def add_forces(m, c, s, law, q, v, a, x, r, ws):
    """r less the forces of rows: x of those that hold, of springs, dampers and rotors what they have"""
    w = more(c)
    (X, G, phi, values), J, biases = placed_in(m, w, ws)
    rest, t = tail(biases, row_count(w)), load(law, 4 * velocity_count(m)) + s
    place_links(m, q, X)
    store_geometry(m, w, q, X, G, J, rest)
    store_values(w, q, X, phi)
    store_row_values(w, phi, True, values)
    if load_integer(w, N_ROTORS) > 0:
        store_row_biases(m, w, q, v, X, phi, biases, rest)
    for k in range(linear_count(w)):
        law_of_row = row_entry(w, k, LAW)
        if law_of_row == HELD:
            add_row_force(w, J, k, -load(x, k), r)
        elif law_of_row == SOFT:
            add_row_force(w, J, k, resistance(w, k, t, load(values, k), row_rate(w, J, k, v)), r)
        elif law_of_row == ROTOR:
            gain = row_rate(w, J, k, a) + load(biases, k)
            add_row_force(w, J, k, row_number(w, k, ROW_INERTIA) * gain, r)
    for k in range(range_count(w)):  # soft limits without dampers; no others are let in
        row = linear_count(w) + k
        place, lower, upper = load(values, row), range_entry(ranges(w), k, LOWER), range_entry(ranges(w), k, UPPER)
        stiffness, zero = range_entry(ranges(w), k, STIFFNESS), 0.0 * place
        push = pushes(stiffness * (lower - place), place - lower, zero)
        push = push - pushes(stiffness * (place - upper), upper - place, zero)
        add_row_force(w, J, row, -push, r)


@kernel
def resistance(w, k, t, value, rate):
    """Compute the force of a spring and a damper against phi and its rate"""
    place, speed, _ = prescribed(w, k, t)
    rate = rate - row_number(w, k, ROW_SPEED) - speed
    return row_number(w, k, ROW_STIFFNESS) * (value - place) + row_number(w, k, ROW_DAMPING) * rate


@kernel
def store_row_biases(m, w, q, v, X, phi, biases, ws):
    """Jdot v of each row"""
    links, nv = link_count(m) + 1, velocity_count(m)
    zero, V = ws, tail(ws, nv)
    A = tail(V, VELOCITY * links)
    for k in range(nv):
        store(zero, k, 0.0 * load(v, k))
    store_accelerations(m, q, v, X, V, A, zero)
    store_biases(w, q, v, X, V, A, phi)
    store_row_values(w, phi, False, biases)


def forces_numbers(model: Model, w: Counts) -> int:
    """How many numbers these need, and the two below."""
    links = model.n_links + 1
    kept = PLACE * links + w.n_entries + w.n_values + 2 * w.n_rows + w.n_functions
    return kept + max(COLUMN * len(model.freedoms), model.nv + (VELOCITY + ACCELERATION) * links)


@kernel
def count_on(m, w, s, turns, q, v, placed, J, ws):
    """Store rows at q, angles counted on from those at the time ``s`` ago, from which q was reached at v"""
    place_links(m, q, placed.X)
    store_geometry(m, w, q, placed.X, placed.G, J, ws)
    expect_turns(m, w, s, turns, v, placed)
    store_counted_values(w, q, placed.X, placed.phi)
    store_row_values(w, placed.phi, True, placed.values)


@called_kernel
def store_misses(m, c, s, g, law, q, v, out, ws):
    """Of rows that hold: phi / g, and of those on velocities the velocity that is missing; of others none"""
    w, nv = more(c), velocity_count(m)
    placed, J, rest = placed_in(m, w, ws)
    t = load(law, 4 * nv) + s
    count_on(m, w, s, tail(law, 4 * nv + 1), q, v, placed, J, rest)
    for k in range(linear_count(w)):
        _, speed, _ = prescribed(w, k, t)
        if row_entry(w, k, LAW) != HELD:
            store(out, k, 0.0)
        elif row_entry(w, k, HOLONOMIC) != 0:
            store(out, k, gap_of(w, k, t, placed.values) / g)
        else:
            store(out, k, row_rate(w, J, k, v) - row_number(w, k, ROW_SPEED) - speed)


@called_kernel
def store_matrix(m, c, q, A, ws):
    """-J^T and J beside dr/dv, of rows that hold, with a billionth of J diag(dr/dv)^-1 J^T; the reach of the mechanism"""
    w, nv = more(c), velocity_count(m)
    size = nv + linear_count(w)
    (X, G, _, _), J, rest = placed_in(m, w, ws)
    place_links(m, q, X)
    store_geometry(m, w, q, X, G, J, rest)
    for k in range(linear_count(w)):
        i, mobility = nv + k, 0.0
        for j in range(size):
            store(A, size * i + j, 0.0)
            store(A, size * j + i, 0.0)
        if row_entry(w, k, LAW) == HELD:
            first = row_entry(w, k, FIRST_VALUE)
            for e in range(first, first + row_entry(w, k, VALUE_COUNT)):
                x, j = load(J, e), column(w, e)
                store(A, size * i + j, x)
                store(A, size * j + i, -x)
                mobility += x * x / (abs(load(A, size * j + j)) + TINY)
        store(A, size * i + i, EPSILON * mobility if mobility > TINY else 1.0)
    return reach(m, X)


ROWS = StageRows(count_rows, add_forces, store_misses, store_matrix)
STAGE_OF_WORLD = make_stage_solver(ROWS)

# ------------------------------------------------------------------------------------------------ rows of discrete momenta


class HeldRows(NamedTuple):
    """Rows in a step of discrete momenta: views of their memory.

    Attributes:
        X, G, phi, values: as :class:`~pluecker.contact.stepping.mean_rates.Placed` has them; the values are those at the
            beginning of the step.
        J, S, compliance: as :class:`~pluecker.contact.rows.mobility.Mobility` has them, at the beginning of the step.
        rates: J v at the beginning of the step.
        means: mean rates over the step.
        impulses, target, change: the impulses, the velocities that are missing, and the impulses that these take.
    """

    X: Array
    G: Array
    phi: Array
    values: Array
    J: Array
    S: Array
    compliance: Array
    rates: Array
    means: Array
    impulses: Array
    target: Array
    change: Array


@kernel
def held_rows(w, rows):
    """Partition the memory of rows; :func:`row_numbers` has the same parts"""
    n = linear_count(w)
    rates = tail(rows, row_count(w))
    J = tail(rates, 3 * n)
    S = tail(J, value_count(w))
    compliance = tail(S, mobility_numbers(w))
    phi = tail(compliance, 3 * n)
    G = tail(phi, function_count(w))
    return HeldRows(
        tail(G, entry_count(w)), G, phi, rows, J, S, compliance, rates, tail(rates, n), tail(rates, 2 * n),
        tail(compliance, n), tail(compliance, 2 * n),
    )  # fmt: skip


@kernel
def row_numbers(m, c):
    """How many numbers the memory has"""
    w = more(c)
    kept = row_count(w) + 6 * linear_count(w) + value_count(w) + mobility_numbers(w)
    return kept + function_count(w) + entry_count(w) + PLACE * (link_count(m) + 1)


@called_kernel
def begin_rows(m, c, s, law, factor, q, v, rows, ws):
    """J, S, values and J v at q, a time s after the step began"""
    w = more(c)
    p = held_rows(w, rows)
    count_on(m, w, s, tail(law, 4 * velocity_count(m) + 1), q, v, Placed(p.X, p.G, p.phi, p.values), p.J, ws)
    for k in range(linear_count(w)):
        law_of_row, zero = row_entry(w, k, LAW), 0.0 * load(q, 0)
        own = 0.0 if law_of_row == HELD else FREE
        store(p.compliance, k, zero + (1.0 / row_number(w, k, ROW_INERTIA) if law_of_row == ROTOR else own))
        store(p.rates, k, row_rate(w, p.J, k, v))
    factorize_mobility(m, w, Mobility(factor, p.J, p.S, p.compliance), ws)


@kernel
def clear_impulses(m, c, rows):
    """x = 0"""
    clear(held_rows(more(c), rows).impulses, linear_count(more(c)))


@kernel
def add_springs(m, c, s, law, v, force, rows):
    """The forces of springs and dampers"""
    w = more(c)
    p = held_rows(w, rows)
    t = load(law, 4 * velocity_count(m)) + s
    for k in range(linear_count(w)):
        if row_entry(w, k, LAW) == SOFT:
            add_row_force(w, p.J, k, -resistance(w, k, t, load(p.values, k), row_rate(w, p.J, k, v)), force)


@kernel
def add_impulses(m, c, r, rows):
    """r less J^T x"""
    w = more(c)
    p = held_rows(w, rows)
    for k in range(linear_count(w)):
        add_row_force(w, p.J, k, -load(p.impulses, k), r)


@called_kernel
def hold_at_end(m, c, h, law, factor, q1, mean, x, rows, ws):
    """The correction with which ``J x`` is what is missing at q1, and the impulses; the error that is left"""
    w, nv = more(c), velocity_count(m)
    p, values, J1 = held_rows(w, rows), ws, tail(ws, row_count(w))
    t, worst = load(law, 4 * nv) + h, 0.0 * load(x, 0)
    count_on(
        m, w, h, tail(law, 4 * nv + 1), q1, mean, Placed(p.X, p.G, p.phi, values), J1, tail(J1, value_count(w))
    )  # fmt: skip
    size = reach(m, p.X)
    for k in range(linear_count(w)):
        law_of_row, miss = row_entry(w, k, LAW), 0.0 * worst
        rate = 0.5 * (row_rate(w, p.J, k, mean) + row_rate(w, J1, k, mean))
        if row_entry(w, k, HOLONOMIC) != 0:
            rate = (load(values, k) - load(p.values, k)) / h
        if law_of_row == HELD and row_entry(w, k, HOLONOMIC) != 0:
            miss = gap_of(w, k, t, values) / h
        elif law_of_row == HELD:
            _, speed, _ = prescribed(w, k, t - 0.5 * h)
            miss = rate - row_number(w, k, ROW_SPEED) - speed
        elif law_of_row == ROTOR:
            miss = rate - load(p.rates, k) + load(p.compliance, k) * load(p.impulses, k)
        store(p.means, k, rate)
        store(p.target, k, miss)
        store(p.change, k, 0.0 * miss)
        worst = worse(worst, h * larger(miss, -miss))
    hold_rows(m, w, Mobility(factor, p.J, p.S, p.compliance), p.target, p.change, x, ws)
    for k in range(linear_count(w)):
        accumulate(p.impulses, k, -load(p.change, k))
    return worst / (TOLERATED * size) * TOLERANCE


@called_kernel
def land_on_rows(m, c, h, law, factor, v1, rows, ws):
    """v1 with impulses along J(q1): rows that hold have the rate that is asked for, rotors keep their momentum"""
    w = more(c)
    p = held_rows(w, rows)
    t = load(law, 4 * velocity_count(m)) + h
    for k in range(linear_count(w)):
        law_of_row, (_, speed, _) = row_entry(w, k, LAW), prescribed(w, k, t)
        asked = load(p.means, k) if law_of_row == ROTOR else 0.0 * load(p.means, k)
        store(p.target, k, row_number(w, k, ROW_SPEED) + speed if law_of_row == HELD else asked)
        store(p.impulses, k, 0.0 * load(p.means, k))
    hold_rows(m, w, Mobility(factor, p.J, p.S, p.compliance), p.target, p.impulses, v1, ws)


# -------------------------------------------------------------------------------------------------------------- the step


@called_kernel
def keep_counted_turns(m, w, h, turns, q1, v1, ws):
    """The angles at the end of the step"""
    placed, J, rest = placed_in(m, w, ws)
    count_on(m, w, h, turns, q1, v1, placed, J, rest)
    keep_turns(w, placed.phi, turns)


@called_kernel
def close_start(m, w, time, turns, q, v, ws):
    """The state at the beginning of a motion, moved to where rows hold; the error that is left"""
    known = part(ws, 0, 1 + linear_count(w))
    for k in range(len(known)):
        store(known, k, 0.0)
    return project_state(m, w, 0.0, time, known, turns, q, v, tail(ws, len(known)))


def implicit_kernel(step: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a step of worlds from one of mechanisms."""

    @kernel
    def implicit_step(m, c, h, given, q1, v1, memory, ws):
        """``memory``: the time, angles over turns, impulses, which are none; 1 once it has begun; the step's own"""
        w, nq, nv, nt = more(c), configuration_count(m), velocity_count(m), load_integer(more(c), N_TURNS)
        turns, timed = tail(memory, 1), part(ws, 0, 4 * nv + 1 + nt)
        begun, own = tail(turns, nt + row_count(w)), tail(turns, nt + row_count(w) + 1)
        q0, v0 = tail(ws, 4 * nv + 1 + nt), tail(ws, 4 * nv + 1 + nt + nq)
        rest, time, error = tail(v0, nv), load(memory, 0), 0.0
        copy_vector(nq, given.q, q0)
        copy_vector(nv, given.v, v0)
        if nt > 0:
            count_turns(m, w, given.q, turns, rest)
        copy_vector(4 * nv, given.law, timed)
        store(timed, 4 * nv, time)
        copy_vector(nt, turns, tail(timed, 4 * nv + 1))
        if within(load(begun, 0), 0.0):
            error = close_start(m, w, time, tail(timed, 4 * nv + 1), q0, v0, rest)
            store(begun, 0, 1.0)
        error = larger(error, step(m, c, h, Given(q0, v0, timed, given.f_ext), q1, v1, own, rest))
        if nt > 0:
            keep_counted_turns(m, w, h, turns, q1, v1, rest)
        store(memory, 0, time + h)
        return error

    return implicit_step


def remembered(model: Model, scenario: Array) -> int:
    """The time, angles over turns, impulses, and that it has begun."""
    w = counts_of(scenario)
    return 2 + w.n_turns + w.n_rows


def implicit_numbers(model: Model, scenario: Array, own: int) -> int:
    """How many numbers the step needs, with those of the mechanism's."""
    w = counts_of(scenario)
    kept = 5 * model.nv + 1 + w.n_turns + model.nq
    start = 1 + w.n_linear + projection_numbers(model, scenario)
    return kept + max(own, start, forces_numbers(model, w))


def backward_difference_numbers(model: Model, scenario: Array) -> int:
    """Of backward differences."""
    w = counts_of(scenario)
    stage = stage_solver_workspace(model, w.n_linear, forces_numbers(model, w))
    return implicit_numbers(model, scenario, step_numbers(model, stage))


def implicit(
    name: str, order: int, step: Callable[..., Any], numbers: Callable[..., int], own: Callable[..., int]
) -> Integrator:
    """The integrator with such a step, which remembers so many numbers itself."""
    return Integrator(
        name,
        order,
        implicit_kernel(step),
        workspace=numbers,
        memory=lambda model, scenario: remembered(model, scenario) + own(model, scenario),
        implicit=True,
        lanes=False,
        listed=False,
        lasting=True,
    )


def nothing(model: Model, scenario: Array) -> int:
    """Remember nothing: BDF1 needs no earlier state."""
    return 0


def variational_step_numbers(model: Model, scenario: Array) -> int:
    """Of the variational step."""
    w = counts_of(scenario)
    rows = w.n_rows + 6 * w.n_linear + w.n_values + 2 * w.n_linear + w.n_factor
    rows += w.n_functions + w.n_entries + PLACE * (model.n_links + 1)
    geometry = w.n_rows + w.n_values + COLUMN * len(model.freedoms)
    scratch = max(geometry, 7 * model.nv + w.n_linear)
    return implicit_numbers(model, scenario, variational_numbers(model, rows, scratch))


MOMENTA = StepRows(row_numbers, begin_rows, clear_impulses, add_springs, add_impulses, hold_at_end, land_on_rows)
IMPLICIT = {
    "bdf1": implicit("world_bdf1", 1, make_bdf1(STAGE_OF_WORLD), backward_difference_numbers, nothing),
    "bdf2": implicit("world_bdf2", 2, make_bdf2(STAGE_OF_WORLD), backward_difference_numbers, memory_of_bdf2),
    "variational": implicit(
        "world_variational", 2, make_variational(MOMENTA), variational_step_numbers, variational_memory
    ),
}
