"""Accelerations of a world at an instant, and the forces of its constraints.

    H a + c(q, v) = tau + J_ext^T f_ext + J^T r        J a + Jdot v = 0

Rows that are springs and dampers have the force that they have; a rotor resists acceleration.

Sources: RBDA section 8.5; Baraff (1996), "Linear-time dynamics using Lagrange multipliers", for r from ``J H^-1 J^T``;
source document 002, equation 12 (docs/sources.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pluecker.articulated.algorithms.dynamics.passive import add_passive_force
from pluecker.articulated.algorithms.dynamics.rnea import RNEA, newton_euler
from pluecker.articulated.algorithms.inertia.inertia_factor import (
    factor_numbers,
    factor_workspace,
    factorize_trees,
    refused_coordinate,
    solve_factorized,
)
from pluecker.articulated.model.layout import (
    clear,
    factor_size,
    first_freedom,
    freedom_count,
    link_count,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.articulated.stepping.terms.rows import TOLERANCE, awake_count, sleeps
from pluecker.contact.errors import UnsolvedError
from pluecker.contact.rows.jacobian import (
    add_row_force,
    prescribed,
    row_rate,
    store_biases,
    store_jacobian,
    store_row_values,
    store_values,
)
from pluecker.contact.rows.layout import (
    FIRST_VALUE,
    HELD,
    LAW,
    ROTOR,
    ROW_DAMPING,
    ROW_INERTIA,
    ROW_SPEED,
    ROW_STIFFNESS,
    SOFT,
    VALUE_COUNT,
    column,
    entry_count,
    linear_count,
    range_count,
    row_count,
    row_entry,
    row_number,
    touching_numbers,
    value_count,
)
from pluecker.contact.rows.mobility import (
    FREE,
    REDUNDANT,
    TINY,
    Mobility,
    dependent_rows,
    factorize_mobility,
    hold_rows,
    mobility_numbers,
    row_sizes,
    take_least_norm,
)
from pluecker.contact.rows.motion import (
    ACCELERATION,
    COLUMN,
    PLACE,
    VELOCITY,
    place_links,
    store_accelerations,
    store_columns,
)
from pluecker.contact.rows.packing import Packed
from pluecker.contact.rows.ranges.at_instants import begin_instant_ranges
from pluecker.contact.rows.ranges.in_steps import Found, make_obey_ranges, range_numbers, range_scratch
from pluecker.contact.rows.ranges.range_mobility import LAW as LAW_NUMBERS
from pluecker.contact.rows.touching import touch_pairs
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, part, select, smaller, store, tail
from pluecker.spatial.errors import PlueckerError

__all__ = [
    "ACCELERATIONS", "IN_LINE", "geometry_numbers", "make_accelerations", "mobility_of_instant", "store_rows_at_instant",
]  # fmt: skip

OBEY_RANGES = make_obey_ranges(False)
UNSOLVED = 1e4  # times what is tolerated: laws of rows with a range that no forces were found for
ALIKE = 1e-8  # of a diagonal entry of S, the compliance of a rotor: less is beside EPSILON, and is not known
IN_LINE = 1e6  # more than there are rows
RESTING = (
    1e-12  # of the accelerations that forces make without rows: less is their rounding, beside which a row is at rest
)


def make_accelerations(with_ranges: bool, over_time: bool = False) -> Kernels:
    """Make the kernels, without what a world does not have. With motions over time they also take the time."""

    own_name = f"_{with_ranges:d}{over_time:d}"  # by which the cache tells it from the others

    def accelerations_at(m, w, t, q, v, tau, f_ext, a, r, ws):
        """Compute a_free from the forces that are given; then the forces of rows that hold, and of those with a range"""
        nv, n, rows, ranged = velocity_count(m), linear_count(w), row_count(w), range_count(w)
        pivots, unsolved, free, J = ws, tail(ws, 2 * nv), tail(ws, 2 * nv + 1), tail(ws, 3 * nv + 1)
        S = tail(J, value_count(w))
        factor = tail(S, mobility_numbers(w))
        errors, biases = tail(factor, factor_size(m)), tail(factor, factor_size(m) + rows)
        compliance, y = tail(biases, rows), tail(biases, rows + n)
        kept, mobility = tail(y, nv), Mobility(factor, J, S, compliance)
        rest = tail(kept, range_numbers(ranged) + ranged)
        store_rows_at_instant(m, w, q, v, J, errors, biases, y, rest)
        clear(y, nv)
        newton_euler(m, q, v, y, f_ext, a, rest)
        add_passive_force(m, q, v, a)
        for k in range(nv):
            store(a, k, load(tau, k) - load(a, k))
        factorize_trees(m, q, factor, pivots, rest)
        for k in range(rows):
            store(r, k, 0.0 * load(errors, 0))
        for k in range(n):
            store_instant_law(w, k, v, J, errors, compliance, r, a)
            if over_time:
                add_motion(w, k, t, J, biases, r, a)
        solve_factorized(m, factor, a, rest)
        store(unsolved, 0, 0.0 * load(a, 0))
        for k in range(nv):
            store(free, k, load(a, k))
        factorize_mobility(m, w, mobility, rest)
        for k in range(n):
            if row_entry(w, k, LAW) == SOFT:
                store(biases, k, row_rate(w, J, k, a) + load(compliance, k) * load(r, k))
        hold_rows(m, w, mobility, biases, r, a, rest)
        if with_ranges:
            guess = tail(kept, range_numbers(ranged))
            for k in range(rows):
                store(biases, k, -load(biases, k))
            clear(guess, ranged)
            begin_instant_ranges(w, v, J, errors, kept)
            here = 1.0 + 0.0 * load(a, 0)
            error = OBEY_RANGES(m, w, mobility, biases, Found(a, r, guess), here, kept, rest)
            missed, blocked = miss_of_ranges(w, J, biases, free, a, r, kept)
            error = larger(select(smaller(missed, 1.0 + 0.0 * missed), 0.0 * missed, error), blocked / TOLERANCE)
            store(unsolved, 0, error)
            store(a, 0, select(smaller(load(unsolved, 0), UNSOLVED), load(a, 0), load(a, 0) * np.nan))
        take_least_norm(w, S, r, rest)

    accelerations_at.__name__ += own_name
    at = kernel(accelerations_at)

    def accelerations_kernel(m, w, q, v, tau, f_ext, a, r, little, ws):
        """Compute accelerations and forces of rows without a time, and how many rows say little"""
        at(m, w, 0.0, q, v, tau, f_ext, a, r, ws)
        store(little, 0, count_little(w, mobility_of_instant(m, w, ws), load(a, 0)))

    def accelerations_over_time(m, w, time, q, v, tau, f_ext, a, r, little, ws):
        """Compute accelerations and forces of rows at a time, an array, and how many rows say little"""
        at(m, w, load(time, 0), q, v, tau, f_ext, a, r, ws)
        store(little, 0, count_little(w, mobility_of_instant(m, w, ws), load(a, 0)))

    accelerations_kernel.__name__ += own_name
    accelerations_over_time.__name__ += own_name
    return Kernels(at, kernel(accelerations_kernel), kernel(accelerations_over_time))


@kernel
def miss_of_ranges(w, J, biases, free, a, r, kept):
    """Compute how far rows with a range miss their laws: below 1, only by rounding; and how far any passes a hard limit

    With redundant rows, and forces that leave all of them at rest, errors are a share of impulses that are rounding too, and
    say nothing. There the law itself is looked at: a row whose rate does not change, up to the rounding of the
    accelerations that it is the difference of, has any force of its range; others have the force of the end on their side.

    Where other rows hold a row with a hard limit, forces without bound are found, beside which all errors are small: what
    tells is its acceleration beyond the limit, as a share of the accelerations that it is the difference of.
    """
    n, first, count, column = range_count(w), linear_count(w), awake_count(part(kept, 0, range_count(w))), 0
    laws, W, zero = part(kept, n, LAW_NUMBERS * n), tail(kept, (LAW_NUMBERS + 2) * n), 0.0 * load(a, 0)
    worst, blocked = zero, zero
    for k in range(n):
        bias, force = load(biases, first + k), load(r, first + k)
        rate, size = row_rate(w, J, first + k, a) + bias, row_size(w, J, first + k, free)
        size = size + row_size(w, J, first + k, a) + magnitude(bias)
        if not sleeps(kept, k):
            size = size + magnitude(load(W, column * count + column) * force)
            column += 1
        still, at = RESTING * size, LAW_NUMBERS * k
        top, most, least, bottom = load(laws, at), load(laws, at + 2), load(laws, at + 6), load(laws, at + 8)
        low, high = select(smaller(rate, -still), top, bottom), select(smaller(still, rate), bottom, top)
        off = larger(larger(low - force, force - high), zero) / (
            TOLERANCE * larger(magnitude(most), magnitude(least)) + TINY
        )
        worst = larger(worst, off) + 0.0 * rate
        infinite = np.inf + zero
        wrong = select(smaller(top, infinite), zero, -rate)
        wrong = larger(wrong, select(smaller(-infinite, bottom), zero, rate))
        blocked = larger(blocked, wrong / (size + TINY))
    return worst, blocked


@kernel
def row_size(w, J, k, x):
    """Compute |J_k| |x|: rounding of J_k x is a share of it"""
    first = row_entry(w, k, FIRST_VALUE)
    size = magnitude(load(J, first) * load(x, column(w, first)))
    for j in range(first + 1, first + row_entry(w, k, VALUE_COUNT)):
        size = size + magnitude(load(J, j) * load(x, column(w, j)))
    return size


@kernel
def magnitude(x):
    """|x|"""
    return larger(x, -x)


class Kernels(NamedTuple):
    """Kernels of accelerations: with a time; without one; with the time in an array."""

    at: Callable[..., None]
    still: Callable[..., None]
    over_time: Callable[..., None]


@kernel
def mobility_of_instant(m, w, ws):
    """Return the factor of S that accelerations leave in their workspace, a view"""
    return tail(ws, 3 * velocity_count(m) + 1 + value_count(w))


@called_kernel
def count_little(w, S, like):
    """How many rows say nearly what those before them say, and how many yield little beside the one that yields most

    Each rotor that resists next to nothing beside what forces would turn it counts as :data:`IN_LINE` of them.
    """
    n, sizes = linear_count(w), row_sizes(w, S)
    count, most = 0.0 * like, 0.0 * like
    if n > 0:
        count = count + dependent_rows(w, S, sizes)
    for k in range(n):
        if row_entry(w, k, LAW) == HELD:
            most = larger(most, load(sizes, k))
        if row_entry(w, k, LAW) == ROTOR:
            unknown = smaller(1.0, ALIKE * load(sizes, k) * row_number(w, k, ROW_INERTIA))
            count = count + select(unknown, IN_LINE + 0.0 * like, 0.0 * like)
    for k in range(n):
        if row_entry(w, k, LAW) == HELD:
            count = count + select(smaller(load(sizes, k), REDUNDANT * most), 1.0 + 0.0 * like, 0.0 * like)
    return count


@kernel
def store_rows_at_instant(m, w, q, v, J, errors, biases, zero, ws):
    """Store J, phi of each row, and -Jdot v of each row"""
    links = link_count(m) + 1
    X, V = ws, tail(ws, PLACE * links + touching_numbers(w))
    A = tail(V, VELOCITY * links)
    C = tail(A, ACCELERATION * links)
    G = tail(C, COLUMN * freedom_total(m))
    numbers = tail(G, entry_count(w))
    clear(zero, velocity_count(m))
    place_links(m, q, X)
    touch_pairs(w, X, numbers)
    store_columns(m, q, X, C)
    store_accelerations(m, q, v, X, V, A, zero)
    store_jacobian(w, q, X, C, G, J)
    store_values(w, q, X, numbers)
    store_row_values(w, numbers, True, errors)
    store_biases(w, q, v, X, V, A, numbers)
    store_row_values(w, numbers, False, biases)
    for k in range(row_count(w)):
        store(biases, k, -load(biases, k))


@kernel
def store_instant_law(w, k, v, J, errors, compliance, r, forces):
    """Store the compliance, and of springs their force, which is given"""
    law = row_entry(w, k, LAW)
    zero = 0.0 * load(errors, k)
    store(compliance, k, zero)
    if law == ROTOR:
        store(compliance, k, zero + 1.0 / row_number(w, k, ROW_INERTIA))
    if law == SOFT:
        rate = row_rate(w, J, k, v) - row_number(w, k, ROW_SPEED)
        f = -row_number(w, k, ROW_STIFFNESS) * load(errors, k) - row_number(w, k, ROW_DAMPING) * rate
        store(compliance, k, zero + FREE)
        store(r, k, f)
        add_row_force(w, J, k, f, forces)


@kernel
def add_motion(w, k, t, J, target, r, forces):
    """Add effects of the motion of a row over time: acceleration to the target of a held one, force of a spring
    and damper
    """
    s, speed, gain = prescribed(w, k, t)
    law = row_entry(w, k, LAW)
    if law == SOFT:
        f = row_number(w, k, ROW_STIFFNESS) * s + row_number(w, k, ROW_DAMPING) * speed
        accumulate(r, k, f)
        add_row_force(w, J, k, f, forces)
    elif law == HELD:
        accumulate(target, k, gain)


@kernel
def freedom_total(m):
    """Return the number of freedoms of all links"""
    from_last = link_count(m)
    return first_freedom(m, from_last) + freedom_count(m, from_last)


def workspace(model: Model, packed: Packed) -> int:
    """Compute the size of the workspace of the kernel."""
    ranged = packed.n_rows - packed.n_linear
    kept = 3 * model.nv + 1 + packed.n_values + 2 * packed.n_linear + packed.n_factor + factor_numbers(model)
    kept += 2 * packed.n_rows + packed.n_linear + model.nv + range_numbers(ranged) + ranged
    return kept + max(
        geometry_numbers(model, packed),
        RNEA.workspace(model),
        factor_workspace(model),
        range_scratch(ranged, packed.n_linear, model.nv),
    )


def geometry_numbers(model: Model, packed: Packed) -> int:
    """Compute the size of the workspace of :func:`store_rows_at_instant`."""
    links = (PLACE + VELOCITY + ACCELERATION) * (model.n_links + 1)
    return links + packed.touching_numbers + COLUMN * len(model.freedoms) + packed.n_entries + packed.n_functions


def refused(model: Model, ws: Array) -> int | PlueckerError | None:
    """Return the velocity coordinate that moves no inertia; an error where rows are not solved; None where numbers
    overflow.
    """
    coordinate = refused_coordinate(model, ws)
    error = float(ws[2 * model.nv])
    if coordinate is not None or not UNSOLVED <= error < np.inf:
        return coordinate
    return UnsolvedError(f"the laws of rows are not met, with an error {error:.3g} times what is tolerated", None)


def algorithm(with_ranges: bool, over_time: bool) -> Algorithm:
    """Make the algorithm for worlds with ranges, or without; with motions over time, or without."""
    kernels = make_accelerations(with_ranges, over_time)
    return Algorithm(
        "World.accelerations",
        kernels.over_time if over_time else kernels.still,
        inputs=(*([Field("time", (1,))] if over_time else []), "q", "v", "tau", "f_ext"),
        outputs=(
            Field("acceleration", ("nv",)),
            Field("forces", (lambda model, packed: packed.n_rows,)),
            Field("little", (1,)),
        ),
        constants=lambda model, packed: packed.array,
        workspace=workspace,
        singular=refused,
        listed=False,
    )


ACCELERATIONS = {(ranges, moving): algorithm(ranges, moving) for ranges in (False, True) for moving in (False, True)}
