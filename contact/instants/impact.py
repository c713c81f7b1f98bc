"""Velocities right after an impulse, or after constraints are imposed at once.

    H (v+ - v) = p + J^T r        J v+ = the velocities that are asked for

The configuration stays, and all forces that are finite do nothing in no time. Springs and dampers have no impulse; a rotor
resists the change of its velocity.

Source: RBDA section 11.7, impulsive dynamics; source document 004, impulses (docs/sources.md).
"""

from __future__ import annotations

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
    link_count,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.fields import Field
from pluecker.contact.rows.jacobian import prescribed, row_rate, store_geometry
from pluecker.contact.rows.layout import (
    LAW,
    ROTOR,
    ROW_INERTIA,
    ROW_SPEED,
    SOFT,
    entry_count,
    linear_count,
    row_count,
    row_entry,
    row_number,
    value_count,
)
from pluecker.contact.rows.mobility import (
    FREE,
    Mobility,
    factorize_mobility,
    hold_rows,
    mobility_numbers,
    take_least_norm,
)
from pluecker.contact.rows.motion import COLUMN, PLACE, place_links
from pluecker.contact.rows.packing import Packed
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, store, tail

__all__ = ["IMPACT"]


@kernel
def impact_kernel(m, w, time, q, v, p, v1, r, ws):
    """Compute v+ = v + H^-1 p, then the impulses of rows"""
    nv, n = velocity_count(m), linear_count(w)
    pivots, J = ws, tail(ws, 2 * nv)
    S = tail(J, value_count(w))
    factor = tail(S, mobility_numbers(w))
    compliance = tail(factor, factor_size(m))
    target, rest = tail(compliance, n), tail(compliance, 2 * n)
    mobility = Mobility(factor, J, S, compliance)
    G = tail(rest, PLACE * (link_count(m) + 1))
    place_links(m, q, rest)
    store_geometry(m, w, q, rest, G, J, tail(G, entry_count(w)))
    factorize_trees(m, q, factor, pivots, rest)
    for k in range(nv):
        store(v1, k, load(p, k))
    solve_factorized(m, factor, v1, rest)
    for k in range(nv):
        accumulate(v1, k, load(v, k))
    clear(r, row_count(w))
    for k in range(n):
        store_impulse_law(w, k, load(time, 0), v, J, compliance, target)
    factorize_mobility(m, w, mobility, rest)
    hold_rows(m, w, mobility, target, r, v1, rest)
    take_least_norm(w, S, r, rest)
    for k in range(n):
        if row_entry(w, k, LAW) == SOFT:
            store(r, k, 0.0 * load(v1, 0))


@kernel
def store_impulse_law(w, k, t, v, J, compliance, target):
    """Store the compliance, and the velocity that is asked for: of a motion over time what it has then"""
    _, speed, _ = prescribed(w, k, t)
    law, zero = row_entry(w, k, LAW), 0.0 * load(v, 0)
    store(compliance, k, zero)
    store(target, k, zero + speed + row_number(w, k, ROW_SPEED))
    if law == ROTOR:
        store(compliance, k, zero + 1.0 / row_number(w, k, ROW_INERTIA))
        store(target, k, row_rate(w, J, k, v))
    if law == SOFT:
        store(compliance, k, zero + FREE)
        store(target, k, zero)


def workspace(model: Model, packed: Packed) -> int:
    """Compute the size of the workspace of the kernel."""
    kept = 2 * model.nv + packed.n_values + 4 * packed.n_linear + packed.n_factor + factor_numbers(model)
    geometry = PLACE * (model.n_links + 1) + COLUMN * len(model.freedoms) + packed.n_entries
    return kept + max(geometry, factor_workspace(model), packed.n_linear + 7 * model.nv)


IMPACT = Algorithm(
    "World.impact",
    impact_kernel,
    inputs=(Field("time", (1,)), "q", "v", Field("impulse", ("nv",))),
    outputs=(Field("velocity", ("nv",)), Field("impulses", (lambda model, packed: packed.n_rows,))),
    constants=lambda model, packed: packed.array,
    workspace=workspace,
    singular=refused_coordinate,
    listed=False,
)
