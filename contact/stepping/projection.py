"""Gaps that a step begins with, closed by moving bodies and not by impulses.

With the errors e of held rows, the displacement d with the least ``d^T A d`` for which ``J d = -e``, repeated. J, A and
their factors are those of the beginning of the step, so that each repetition is nearer by a factor of about the gap, as a
share of the mechanism's lengths; a step that does not close them so renews J. Soft rows and rotors resist a displacement as
they resist velocities.

Source: Baumgarte (1972) names the drift; projection of positions as in Eich, "Convergence results for a coordinate
projection method applied to mechanical systems with algebraic constraints" (1993).
"""

from pluecker.articulated.algorithms.configuration.integrate import integrate_kernel
from pluecker.articulated.model.layout import clear, configuration_count, velocity_count
from pluecker.contact.rows.jacobian import prescribed, store_row_values
from pluecker.contact.rows.layout import (
    HELD,
    HOLONOMIC,
    LAW,
    ROW_SPEED,
    linear_count,
    row_entry,
    row_number,
)
from pluecker.contact.rows.mobility import refine_rows
from pluecker.contact.stepping.mean_rates import store_values_at
from pluecker.spatial.dense.laws import larger, worse
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, part, select, smaller, store, tail, within

__all__ = ["CLOSED", "TOLERATED", "close_gaps", "gap_of", "largest_gap"]

CLOSED = 1e-13  # m or rad, times the reach of the mechanism: no gap
TOLERATED = 1e-10  # likewise: the error of a step is a share of it
REPETITIONS = 50  # at most


@kernel
def is_held(w, k):
    """Return whether phi of linear row ``k`` is held"""
    return row_entry(w, k, LAW) == HELD and row_entry(w, k, HOLONOMIC) != 0


@kernel
def gap_of(w, k, time, values):
    """Compute phi of a held row less what it is to be at the time"""
    s, _, _ = prescribed(w, k, time)
    return load(values, k) - row_number(w, k, ROW_SPEED) * time - s


@called_kernel
def largest_gap(w, time, values):
    """Compute the largest gap of held rows at the time"""
    worst = 0.0 * time
    for k in range(linear_count(w)):
        if is_held(w, k):
            gap = gap_of(w, k, time, values)
            worst = worse(worst, larger(gap, -gap))
    return worst


@called_kernel
def close_gaps(m, w, mobility, time, size, least, placed, q1, ws):
    """Move q1, the configuration at the time, so that gaps close; store phi and values of rows there

    ``ws``: nq + 8 nv numbers, and two for each linear row.

    Of eight states each for itself: one whose largest gap is within ``least``, as a share of ``size``, stays as it is. One
    whose gap is tolerated, and would become larger, as next to singular positions, keeps it.
    """
    n, nq, nv = linear_count(w), configuration_count(m), velocity_count(m)
    d, q2 = part(ws, 0, nv), part(ws, nv, nq)
    dr, u, rest = part(ws, nv + nq, n), part(ws, nv + nq + n, n), tail(ws, nv + nq + 2 * n)
    zero = 0.0 * time
    gap = largest_gap(w, time, placed.values)
    goes_on = select(smaller(least * size, gap), 1.0 + zero, zero)
    for _ in range(REPETITIONS):
        if within(goes_on, 0.5):
            break
        now = smaller(0.5, goes_on)
        clear(d, nv)
        clear(dr, n)
        for k in range(n):
            store(u, k, gap_of(w, k, time, placed.values) if is_held(w, k) else 0.0 * time)
        refine_rows(m, w, mobility, u, dr, d, rest)
        integrate_kernel(m, q1, d, q2, rest)
        for k in range(nq):
            before, after = load(q1, k), load(q2, k)
            store(q1, k, select(now, after, before))
            store(q2, k, before)
        last = gap
        gap = find_gap(m, w, time, placed, q1)
        worse = select(smaller(last, TOLERATED * size), select(smaller(last, gap), goes_on, zero), zero)
        if not within(worse, 0.5):
            for k in range(nq):
                store(q1, k, select(smaller(0.5, worse), load(q2, k), load(q1, k)))
            gap = find_gap(m, w, time, placed, q1)
        goes_on = select(smaller(CLOSED * size, gap), goes_on - worse, zero)


@called_kernel
def find_gap(m, w, time, placed, q1):
    """Compute the largest gap at q1, and phi and the values of rows there"""
    store_values_at(m, w, q1, placed.X, placed.phi)
    store_row_values(w, placed.phi, True, placed.values)
    return largest_gap(w, time, placed.values)
