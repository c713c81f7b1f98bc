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

**Hard limits make no energy.** Impulses of rows take kinetic energy away, in the metric H(q) of the step's beginning in
which they are found. But then the configuration moves on at a velocity that has jumped, while Coriolis and centrifugal
forces were those of the velocity before it, and H is another one at the end: of each impact some energy of the size of h
remains, with either sign. Light joints that are thrown from limit to limit, faster than a step resolves, gain many times
what they had.

A step is a kick by forces, impulses, and a motion without forces, which keeps the kinetic energy. Of these parts,

    1/2 v+^T H(q+) v+  <=  1/2 v_k^T H(q) v_k + min(0, 1/2 x^T H(q) x - 1/2 x_0^T H(q) x_0)

with ``v_k = v + A^-1 h (tau - tau_0(q))`` the velocity by all forces but those of Coriolis and centrifugal ones (tau_0 is
what gravity and wrenches ask for at rest), and x_0 and x the velocities that the step finds without the impulses, and with
them. Where a tree would end with more, its velocity is made smaller by one factor, beside that of its centre of mass if it
hangs on a free joint. So what is at rest on a limit stays there, the linear momentum of a floating tree is not touched, and
the correction is of the order of the method. Trees without a limit that acts are left alone.

Sources: Hairer, Lubich, Wanner, *Geometric Numerical Integration* (2006), section I.1.2 (symplectic Euler), and section
IV.4, projection on invariants, here on the inequality; Baraff, Witkin, "Large steps in cloth simulation" (1998) for damping
and stiffness at the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from pluecker.articulated.algorithms.dynamics import rnea
from pluecker.articulated.algorithms.dynamics.rnea import LINK
from pluecker.articulated.algorithms.inertia.inertia_factor import (
    factor_numbers,
    solve_factorized,
    solve_workspace,
)
from pluecker.articulated.model.joints import joint_motion
from pluecker.articulated.model.layout import (
    ARMATURE,
    body_count,
    clear,
    factor_size,
    first_v,
    freedom_count,
    has_armature,
    inertia,
    link_count,
    owns_coordinates,
    parent,
    velocity_count,
    velocity_table,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.semi_implicit.articulated_velocity import (
    articulated_velocity,
    articulated_velocity_workspace,
)
from pluecker.articulated.stepping.semi_implicit.free_roots import (
    MOMENT,
    is_free_root,
    move_configuration,
)
from pluecker.articulated.stepping.semi_implicit.free_velocity import (
    add_joint_laws,
    add_needed_force,
    add_passive_forces,
    free_velocity,
    free_velocity_workspace,
    place_links,
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
from pluecker.articulated.stepping.terms.stage import Given, stage_workspace, stage_wrenches
from pluecker.spatial.algebra.inertia import rigid_times_motion
from pluecker.spatial.algebra.transforms import inverse_transform_force, load_transform, transform_motion
from pluecker.spatial.algebra.vectors import add, add3, dot, dot3, load3, load_vector, scale3, store3, store_vector
from pluecker.spatial.dense.laws import copy_vector, larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import (
    accumulate,
    load,
    part,
    select,
    smaller,
    sqrt,
    store,
    tail,
    within,
)

__all__ = ["SEMI_IMPLICIT"]


class Step(NamedTuple):
    """Workspace of a step: views of scalar arrays.

    Attributes:
        x: the velocity without impulses, and then with them.
        moments: what links carry, as :mod:`~pluecker.articulated.stepping.semi_implicit.free_roots` has it.
        f: wrenches on the bodies, for scenarios with elements.
        factor: of the matrix, where it is factorised.
        free: the velocity without impulses, where there are any.
        ws: scratch memory; behind ``factor`` there is more where it is not used.
    """

    x: Array
    moments: Array
    f: Array
    factor: Array
    free: Array
    ws: Array


def make_step(with_elements: bool, with_rows: bool, with_mimic: bool) -> Callable[..., Any]:
    """Make the kernel of a step, without code for what a scenario and a model do not have."""
    with_sweeps, with_factors = not with_mimic, with_rows or with_mimic

    @kernel
    def make_record(m, ws):
        """Partition the workspace of a step; :func:`count_workspace` has the same parts"""
        nv, moments = velocity_count(m), tail(ws, velocity_count(m))
        f = tail(moments, MOMENT * (link_count(m) + 1))
        factor = tail(f, 6 * body_count(m)) if with_elements else f
        free = tail(factor, factor_size(m))
        return Step(ws, moments, part(f, 0, 6 * body_count(m)), factor, free, tail(free, nv))

    @kernel
    def sweeps_suffice(m, c, h, given, s, memory):
        """Compute x = v_free by sweeps if no row had an impulse before; return whether none has one in this step either"""
        if with_rows:  # noqa: SIM102 - what is false here is not compiled
            if were_awake(rows(c), memory):
                return False
        free_velocity_by_sweeps(m, h, given, s.x, s.moments, s.factor)
        if with_rows:
            return not are_woken(rows(c), h, given.q, given.v, s.x, s.factor)
        return True

    @kernel
    def solve_by_factors(m, c, h, given, s, memory):
        """Compute x = v_free by factors of the matrix, and x with impulses of rows; return their error"""
        free_velocity(m, h, given, s.x, s.moments, s.factor, s.ws)
        if with_rows:
            copy_vector(velocity_count(m), s.x, s.free)
            return add_impulses(m, rows(c), h, given.q, given.v, s.factor, s.x, memory, s.ws)
        return 0.0 * load(given.q, 0)

    @kernel
    def semi_implicit_step(m, c, h, given, q1, v1, memory, ws):
        """Compute v_free, the impulses of rows at the end of the step, and the new state; return the error of impulses"""
        s = make_record(m, ws)
        error, solved = 0.0 * load(given.q, 0), False
        if with_elements:
            stage_wrenches(m, c, given.q, given.v, given.f_ext, s.f, s.factor)
            given = Given(given.q, given.v, given.law, s.f)
        if with_sweeps:
            solved = sweeps_suffice(m, c, h, given, s, memory)
        if with_factors:  # noqa: SIM102
            if not solved:
                error = solve_by_factors(m, c, h, given, s, memory)
        move_configuration(m, h, given.q, s.x, s.moments, s.ws, q1, v1)  # behind the factors, which are needed still
        if with_rows:
            keep_limits(rows(c), given.q, q1)
            if not solved:
                make_no_energy(m, c, h, given, s, q1, v1, memory)
        return error

    return semi_implicit_step


@kernel
def free_velocity_by_sweeps(m, h, given, x, moments, ws):
    """Compute x = v + dv as :func:`free_velocity` does, without factors"""
    nv, (q, v, law, f) = velocity_count(m), given
    added, rest = part(ws, 0, nv), tail(ws, nv)
    clear(x, nv)
    add_passive_forces(m, q, v, x)
    add_joint_laws(m, h, v, law, x, added)
    articulated_velocity(m, h, q, v, f, added, x, moments, rest)


@kernel
def make_no_energy(m, c, h, given, s, q1, v1, memory):
    """Scale v1 of trees in which hard limits act, so that they end with no more energy than the head of this file allows"""
    nv = velocity_count(m)
    kicked, marks = part(s.ws, 0, nv), tail(s.ws, nv)
    rest = tail(marks, link_count(m) + 1)
    limits_that_act(m, rows(c), h, memory, kicked)
    if mark_trees(m, kicked, marks):
        kick(m, h, given, s.factor, kicked, rest)
        slow_down(m, given.q, kicked, s, marks, q1, v1, rest)


@called_kernel
def kick(m, h, given, factor, x, ws):
    """x = v + A^-1 h tau, with all forces but Coriolis and centrifugal ones"""
    nv, (q, v, law, f) = velocity_count(m), given
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
    """Count the scratch memory of a step with so many rows; with its parts as the record of a step has them."""
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


# hard limits make no energy: how fast a tree may move at the end of a step in which a limit acts


# the workspace of each link, in the places of Newton and Euler: its transform, velocity, kinetic energy, and momentum
V, T, P = rnea.V, rnea.A, rnea.F
ROUNDING = 1e-13  # of the energy: what is more by less is left as it is
TINY = 1e-300  # divided by in place of zero


@kernel
def mark_trees(m, acting, marks):
    """Mark with 1 links whose tree has a coordinate marked in ``acting``; return whether there is any, in any state"""
    found = False
    for i in range(link_count(m) + 1):
        store(marks, i, 0.0 * load(acting, 0))
    for i in range(link_count(m), 0, -1):
        for k in range(freedom_count(m, i)):
            store(marks, i, larger(load(marks, i), load(acting, first_v(m, i) + k)))
        if parent(m, i) > 0:
            store(marks, parent(m, i), larger(load(marks, parent(m, i)), load(marks, i)))
        elif not within(load(marks, i), 0.5):
            found = True
    for i in range(1, link_count(m) + 1):
        if parent(m, i) > 0:
            store(marks, i, load(marks, parent(m, i)))
    return found


@called_kernel
def kinetic_energies(m, q, v, moments, ws):
    """Compute the kinetic energy of each tree, at its root, without that of the centre of mass of a floating one

    The workspace has the transforms of the joints, ``moments`` is what
    :func:`~pluecker.articulated.stepping.semi_implicit.free_roots.carried_moments` gives.
    """
    n = link_count(m)
    store_vector(ws, V, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for i in range(1, n + 1):
        w = LINK * i
        vi = add(
            transform_motion(load_transform(ws, w), load_vector(ws, LINK * parent(m, i) + V)), joint_motion(m, i, q, v)
        )
        hi = rigid_times_motion(inertia(m, i), vi)
        store_vector(ws, w + V, vi)
        store_vector(ws, w + P, hi)
        store(ws, w + T, 0.5 * dot(vi, hi) + rotor_energy(m, i, v))  # T_i = 1/2 v_i . I_i v_i
    for i in range(n, 0, -1):
        w, p = LINK * i, LINK * parent(m, i)
        if p > 0:
            accumulate(ws, p + T, load(ws, w + T))
            hp = inverse_transform_force(load_transform(ws, w), load_vector(ws, w + P))
            store_vector(ws, p + P, add(load_vector(ws, p + P), hp))
        elif is_free_root(m, i):
            linear = load3(ws, w + P + 3)
            accumulate(ws, w + T, -0.5 / load(moments, MOMENT * i) * dot3(linear, linear))  # 1/2 m v_c^2


@kernel
def rotor_energy(m, i, v):
    """1/2 sum armature v^2 of the joint of a link"""
    energy = 0.0 * load(v, 0)
    if has_armature(m) and owns_coordinates(m, i) and not is_free_root(m, i):
        for k in range(first_v(m, i), first_v(m, i) + freedom_count(m, i)):
            energy = energy + 0.5 * velocity_table(m, ARMATURE, k) * load(v, k) * load(v, k)
    return energy


@kernel
def add_force_at_rest(m, q, f, still, tau, ws):
    """tau += tau_0(q), what gravity and the wrenches ``f`` ask for where nothing moves; ``still`` is made nv zeros"""
    clear(still, velocity_count(m))
    place_links(m, q, ws, LINK)
    add_needed_force(m, q, still, still, f, tau, ws)


@called_kernel
def slow_down(m, q, kicked, s, marks, q1, v1, ws):
    """Scale v1 of marked trees; ``kicked`` is v_k, and x_0 is ``free``"""
    n, moments = link_count(m), s.moments
    most, rest = part(ws, 0, n + 1), tail(ws, n + 1)
    place_links(m, q, rest, LINK)
    kinetic_energies(m, q, s.free, moments, rest)
    for i in range(1, n + 1):
        store(most, i, -load(rest, LINK * i + T))
    kinetic_energies(m, q, s.x, moments, rest)
    for i in range(1, n + 1):
        gain = load(most, i) + load(rest, LINK * i + T)
        store(most, i, select(smaller(gain, 0.0), gain, 0.0 * gain))
    kinetic_energies(m, q, kicked, moments, rest)
    for i in range(1, n + 1):
        accumulate(most, i, load(rest, LINK * i + T))
    place_links(m, q1, rest, LINK)
    kinetic_energies(m, q1, v1, moments, rest)
    for i in range(1, n + 1):
        if parent(m, i) == 0:
            share = speed_share(load(most, i), load(rest, LINK * i + T))
            store(most, i, select(smaller(0.5, load(marks, i)), share, 1.0 + 0.0 * share))
        else:
            store(most, i, load(most, parent(m, i)))
        scale_joint(m, i, load(most, i), moments, load_vector(rest, LINK * i + P), v1)


@kernel
def speed_share(most, energy):
    """s with s^2 T = most where T is larger, else 1"""
    zero = 0.0 * energy
    most = larger(most, zero)
    s = sqrt(most / larger(energy, zero + TINY))
    return select(smaller((1.0 + ROUNDING) * most, energy), s, 1.0 + zero)


@kernel
def scale_joint(m, i, s, moments, momentum, v):
    """v of the joint of link ``i`` times s; of a free joint on the world, so that the centre of mass keeps its velocity"""
    if not owns_coordinates(m, i):
        return
    j = first_v(m, i)
    for k in range(j, j + freedom_count(m, i)):
        store(v, k, s * load(v, k))
    if is_free_root(m, i):
        store3(v, j + 3, add3(load3(v, j + 3), scale3((1.0 - s) / load(moments, MOMENT * i), momentum[1])))
