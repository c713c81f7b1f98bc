"""Linearly implicit steps of worlds whose rows all hold: with the matrix ``A = H + h D + h^2 K`` of all coordinates.

    A (v1 - v) = h (tau - c) - h^2 K v + J^T r        J v1 + C r = what is asked for        q1 = q + h v1

of the rows at the beginning of the step, by the factor of A; rows that are springs and dampers have their force at its end,
as :mod:`~pluecker.contact.stepping.linear_laws` has it. Then q1 and v1 are brought onto the rows that hold, as after steps
of higher order (:mod:`~pluecker.contact.stepping.smooth_steps`): a change that is no larger than the error of the step.
Rotors are refused: the velocity along rows that is taken from v1 is of the order of the step, and would have to take them
along.

Source: Wang et al. (2019), section 4.3, for rows beside the matrix (docs/sources.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.articulated.model.layout import clear, link_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.implicit.linearly_implicit import linearly_implicit_numbers, make_linearly_implicit
from pluecker.articulated.stepping.implicit.redmax_step import make_redmax, redmax_numbers
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import more
from pluecker.contact.rows.jacobian import add_row_force, row_rate, store_geometry, store_row_values
from pluecker.contact.rows.layout import (
    entry_count,
    function_count,
    linear_count,
    row_count,
    value_count,
)
from pluecker.contact.rows.mobility import EPSILON, REFINEMENTS, TINY
from pluecker.contact.rows.motion import COLUMN, PLACE, place_links
from pluecker.contact.stepping.linear_laws import store_linear_laws
from pluecker.contact.stepping.mean_rates import begin_turns, reach, store_counted_values
from pluecker.contact.stepping.singular_positions import known_numbers
from pluecker.contact.stepping.smooth_steps import counts_of, projected
from pluecker.spatial.dense.ldl import factorize_ldl, solve_ldl
from pluecker.spatial.engine.compiled.decorators import called_kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, store, tail

__all__ = ["LINEARLY_IMPLICIT_STEPS"]


@called_kernel
def hold_with_matrix(m, c, h, q, v, law, A, x, ws):
    """x, the velocity at the end of the step, with the impulses of all linear rows; ``A`` is factorised

    Behind the law of control stand the time, what is known of rows, and angles over turns.
    """
    w, nv = more(c), velocity_count(m)
    n, time = linear_count(w), load(law, 4 * nv)
    compliance, asked, r, u = ws, tail(ws, n), tail(ws, 2 * n), tail(ws, 3 * n)
    Y, S = tail(ws, 4 * n), tail(ws, 4 * n + n * nv)
    J = tail(S, n * n)
    values, G = tail(J, value_count(w)), tail(J, value_count(w) + row_count(w))
    phi = tail(G, entry_count(w))
    X = tail(phi, function_count(w))
    place_links(m, q, X)
    store_geometry(m, w, q, X, G, J, tail(X, PLACE * (link_count(m) + 1)))
    begin_turns(w, tail(law, 4 * nv + 1 + known_numbers(w)), phi)
    store_counted_values(w, q, X, phi)
    store_row_values(w, phi, True, values)
    size = reach(m, X)
    store_linear_laws(w, h, time, size, v, J, values, compliance, asked)
    for k in range(n):
        y = tail(Y, k * nv)
        clear(y, nv)
        add_row_force(w, J, k, 1.0 + 0.0 * time, y)
        solve_ldl(A, nv, y)
        store(r, k, 0.0 * time)
    for k in range(n):
        for j in range(n):
            store(S, k * n + j, row_rate(w, J, k, tail(Y, j * nv)))
        N = load(S, k * n + k) + load(compliance, k)
        store(S, k * n + k, N + EPSILON * N + TINY)
    factorize_ldl(S, n, 0.1 * EPSILON)
    for _ in range(REFINEMENTS):
        for k in range(n):
            miss = load(asked, k) - row_rate(w, J, k, x) - load(compliance, k) * load(r, k)
            store(u, k, miss)
        solve_ldl(S, n, u)
        for k in range(n):
            accumulate(r, k, load(u, k))
            for i in range(nv):
                accumulate(x, i, load(Y, k * nv + i) * load(u, k))


def hold_numbers(model: Model, scenario: Array) -> int:
    """How many numbers that needs."""
    w = counts_of(scenario)
    matrices = w.n_linear * (4 + model.nv + w.n_linear)
    rows = w.n_values + w.n_rows + w.n_entries + w.n_functions
    return matrices + rows + PLACE * (model.n_links + 1) + COLUMN * len(model.freedoms)


def with_rows(name: str, make: Callable[..., Any], numbers: Callable[..., int]) -> Integrator:
    """The integrator of worlds with such a step."""

    def workspace(model: Model, scenario: Array) -> int:
        return numbers(model, hold_numbers(model, scenario))

    return projected(name, 1, make(hold_with_matrix), workspace, 0, implicit=True, lanes=False)


LINEARLY_IMPLICIT_STEPS = {
    "linearly_implicit": with_rows("world_linearly_implicit", make_linearly_implicit, linearly_implicit_numbers),
    "redmax": with_rows("world_redmax", make_redmax, redmax_numbers),
}
