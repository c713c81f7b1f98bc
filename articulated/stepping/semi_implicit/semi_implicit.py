"""Semi-implicit Euler: the velocity by the forces at the beginning of a step, the configuration by the velocity at its end.

    (H + h (D + D_c) + h^2 (K + P)) dv = h (u + h R - c(q, v) - D v - k(q) - h (K + P) v)
    v+ = v + dv,    q+ = q moved along h v+

K, D are stiffness and damping of the joints, of a joint of several freedoms the diagonal alone; P, D_c the gains of control
(:mod:`~pluecker.articulated.stepping.terms.stage`): forces of joints count as they are at the end of the step, so that they
are stable at any step. Springs, cables and wrenches between bodies count as they are at its beginning.

Without impulses of rows, the equation is solved by the articulated-body algorithm
(:mod:`~pluecker.articulated.stepping.semi_implicit.articulated_velocity`). Its matrix is made and factorised for models with
mimic joints, and in steps in which rows have impulses: where one had one in the step before, or has one on the velocity that
was found.

Free joints on the world are stepped in a frozen frame (:mod:`~pluecker.articulated.stepping.semi_implicit.free_roots`),
gyroscopic moments of free and spherical joints on the world in the middle of the step
(:mod:`~pluecker.articulated.stepping.semi_implicit.gyroscopic`): a body alone keeps its energy. The method is of first
order. It is not symplectic where H depends on q: it is symplectic Euler only with H constant.

Sources: Hairer, Lubich, Wanner, *Geometric Numerical Integration* (2006), section I.1.2 (symplectic Euler); Baraff, Witkin,
"Large steps in cloth simulation" (1998) for damping and stiffness at the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pluecker.articulated.algorithms.dynamics.rnea import LINK
from pluecker.articulated.algorithms.inertia.inertia_factor import (
    factor_numbers,
    solve_factorized,
    solve_workspace,
)
from pluecker.articulated.model.layout import (
    body_count,
    clear,
    factor_size,
    link_count,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.semi_implicit.articulated_velocity import (
    articulated_velocity,
    articulated_velocity_workspace,
)
from pluecker.articulated.stepping.semi_implicit.drift_energy import add_force_at_rest, mark_trees, slow_down
from pluecker.articulated.stepping.semi_implicit.free_roots import (
    MOMENT,
    move_configuration,
)
from pluecker.articulated.stepping.semi_implicit.free_velocity import (
    add_joint_laws,
    add_passive_forces,
    free_velocity,
    free_velocity_workspace,
)
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.rows import (
    add_impulses,
    are_woken,
    keep_limits,
    limits_that_act,
    rows_workspace,
    were_awake,
)
from pluecker.articulated.stepping.terms.scenario import ELEMENTS, ROWS, number_of, rows
from pluecker.articulated.stepping.terms.stage import stage_workspace, stage_wrenches
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, part, store, tail

__all__ = ["SEMI_IMPLICIT", "semi_implicit_workspace"]


def make_step(with_elements: bool, with_rows: bool, with_mimic: bool) -> Callable[..., Any]:
    """Make the kernel of a step, without code for what a scenario and a model do not have."""
    with_sweeps, with_factors = not with_mimic, with_rows or with_mimic

    @kernel
    def sweeps_suffice(m, c, h, q, v, law, f, x, moments, memory, ws):
        """Compute x = v_free by sweeps if no row had an impulse before; return whether none has one in this step either"""
        if with_rows:  # noqa: SIM102 - what is false here is not compiled
            if were_awake(rows(c), memory):
                return False
        free_velocity_by_sweeps(m, h, q, v, law, f, x, moments, ws)
        if with_rows:
            return not are_woken(rows(c), h, q, v, x, ws)
        return True

    @kernel
    def semi_implicit_step(m, c, h, q, v, law, f_ext, q1, v1, memory, ws):
        """Compute v_free, the impulses of rows at the end of the step, and the new state"""
        nv, n = velocity_count(m), body_count(m)
        x, moments, rest = ws, tail(ws, nv), tail(ws, nv + MOMENT * (link_count(m) + 1))
        error, f, solved = 0.0 * load(q, 0), f_ext, False
        if with_elements:
            f, rest = part(rest, 0, 6 * n), tail(rest, 6 * n)
            stage_wrenches(m, c, q, v, f_ext, f, rest)
        if with_sweeps:
            solved = sweeps_suffice(m, c, h, q, v, law, f, x, moments, memory, rest)
        free, work = tail(rest, factor_size(m)), tail(rest, factor_size(m) + nv)
        if with_factors:  # noqa: SIM102
            if not solved:
                free_velocity(m, h, q, v, law, f, x, moments, rest, work)
                if with_rows:
                    for k in range(nv):
                        store(free, k, load(x, k))
                    error = add_impulses(m, rows(c), h, q, v, rest, x, memory, work)
        move_configuration(m, h, q, x, moments, work, q1, v1)  # behind the factors, which are needed still
        if with_rows:
            keep_limits(rows(c), q, q1)
            if not solved:
                acting, marks = part(work, 0, nv), tail(work, nv)
                work = tail(marks, link_count(m) + 1)
                limits_that_act(m, rows(c), h, memory, acting)
                if mark_trees(m, acting, marks):
                    kick(m, h, q, v, law, f, rest, acting, work)
                    slow_down(m, q, acting, free, x, moments, marks, q1, v1, work)
        return error

    return semi_implicit_step


@kernel
def free_velocity_by_sweeps(m, h, q, v, law, f, x, moments, ws):
    """Compute x = v + dv as :func:`free_velocity` does, without factors"""
    nv = velocity_count(m)
    added, rest = part(ws, 0, nv), tail(ws, nv)
    clear(x, nv)
    add_passive_forces(m, q, v, x)
    add_joint_laws(m, h, v, law, x, added)
    articulated_velocity(m, h, q, v, f, added, x, moments, rest)


@called_kernel
def kick(m, h, q, v, law, f, factor, x, ws):
    """x = v + A^-1 h tau, with all forces but Coriolis and centrifugal ones"""
    nv = velocity_count(m)
    clear(x, nv)
    add_force_at_rest(m, q, f, ws, x, tail(ws, nv))
    add_passive_forces(m, q, v, x)
    add_joint_laws(m, h, v, law, x, ws)
    solve_factorized(m, factor, x, ws)
    for k in range(nv):
        accumulate(x, k, load(v, k))


def semi_implicit_workspace(model: Model, scenario: Array) -> int:
    """Count the scratch memory of a step, with or without elements and rows; once for a model."""
    key = semi_implicit_workspace, number_of(ROWS, scenario)
    counted: int | None = model.tables.get(key)
    if counted is None:
        counted = model.tables[key] = count_workspace(model, key[1])
    return counted


def count_workspace(model: Model, row_count: int) -> int:
    """Count the scratch memory of a step with so many rows."""
    kept, wrenches = model.nv + MOMENT * (model.n_links + 1), 6 * model.n_bodies
    impulses = rows_workspace(model, row_count)
    drift = 3 * model.nv + 2 * (model.n_links + 1) + max(LINK * (model.n_links + 1), solve_workspace(model))
    factored = factor_numbers(model) + model.nv + max(free_velocity_workspace(model), impulses, drift)
    swept = model.nv + articulated_velocity_workspace(model)
    return kept + wrenches + max(factored, swept, stage_workspace(model))


def make_variant(with_elements: bool, with_rows: bool, with_mimic: bool) -> Integrator:
    """Make the integrator for scenarios with elements, with rows, with both or none, and for models with mimic joints."""
    return Integrator(
        "semi_implicit",
        1,
        make_step(with_elements, with_rows, with_mimic),
        workspace=semi_implicit_workspace,
        memory=lambda model, scenario: number_of(ROWS, scenario) if with_rows else 0,
        takes_rows=True,
        implicit=True,
        listed=False,
    )


VARIANTS = {choice: make_variant(*choice) for choice in itertools.product((False, True), repeat=3)}


def variant(model: Model, scenario: Array) -> Integrator:
    """Return the variant of the integrator that serves a model in a scenario."""
    shared = bool(model.coordinate_tree.shared)
    return VARIANTS[number_of(ELEMENTS, scenario) > 0, number_of(ROWS, scenario) > 0, shared]


SEMI_IMPLICIT = replace(VARIANTS[True, False, False], listed=True, variant=variant)
