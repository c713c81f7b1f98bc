"""The adaptive pair of Dormand and Prince on the configuration manifold: "dormand_prince".

A step of the simulation is divided into as many steps as the tolerance needs; the last ends where it ends. Each is tried,
and taken if the difference of both orders is within the tolerance:

    |e_k| <= tol (1 + |x_k|)        h' = h clip(0.9 |e|^(-1/5), 0.2, 5)

Dry friction and limits are events (:mod:`~pluecker.articulated.stepping.joint_modes`): where a velocity crosses zero, a
coordinate comes to a hard limit, or the reaction of a coordinate that is held leaves its bounds. The dense output of a step
is searched for the first of them, and the step is taken anew up to there. At a hard limit the velocity comes back with -e
(Newton's law); friction and other coordinates at rest do not resist impulses. A velocity below 1e-6 does not come back, and
what an impact elsewhere throws off its limit as slowly stays there, so that bouncing and chattering have an end. What is at
rest altogether takes one step, however long.

Sources: Dormand, Prince (1980); Hairer, Norsett and Wanner (1993), sections II.4 to II.6; Munthe-Kaas (1999).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.articulated.model.joints import carry_joint
from pluecker.articulated.model.layout import (
    body_count,
    clear,
    configuration_count,
    link_count,
    owns_coordinates,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.displacement import arrive, displace, displacement_rate
from pluecker.articulated.stepping.dormand_prince import NODES, STAGES, between, combine, difference_of_orders
from pluecker.articulated.stepping.events import NOTHING, apply_event, approach, first_crossing, rest_at_limits
from pluecker.articulated.stepping.integrator import Integrator
from pluecker.articulated.stepping.joint_modes import (
    add_row_forces,
    hold_rows,
    reaction_excess,
    rest_modes,
    would_return,
)
from pluecker.articulated.stepping.motion_rate import SOLVERS
from pluecker.articulated.stepping.rows import coordinate, row_count
from pluecker.articulated.stepping.scenario import HEADER, ROWS, number_of, rows
from pluecker.articulated.stepping.stage import stage_torque, stage_workspace, stage_wrenches
from pluecker.spatial.compiled.decorators import called_kernel, kernel
from pluecker.spatial.scalars.operations import load, part, store, tail

__all__ = ["DORMAND_PRINCE", "with_tolerance"]

TOLERANCE = HEADER - 1  # where a scenario has the tolerance; zero stands for the usual one
USUAL = 1e-9
MOST = 10_000  # steps in one: more are no progress
SHORTEST = 1e-14  # of the step
EARLY = 0.05  # of a step: what happens so early is found to more digits in a shorter one
HALVINGS = 40  # of the time in which a reaction leaves its bounds
PUSH = 1e8  # of a unit force: what else acts is rounded away when its effect is subtracted


def with_tolerance(scenario: Array, tol: float) -> Array:
    """The scenario with a tolerance for adaptive integrators, relative and absolute."""
    scenario = scenario.copy()
    scenario[TOLERANCE] = tol
    return scenario


@kernel
def copy(n, x, out):
    for k in range(n):
        store(out, k, load(x, k))


def rate_kernel(solver: Algorithm) -> Callable[..., Any]:
    """The acceleration with the forces of rows, by that algorithm; one copy of it, which is called"""
    forward_dynamics = solver.kernel

    @called_kernel
    def rate(m, c, s, q0, v0, q, v, law, f_ext, modes, a, ws):
        tau, f = ws, tail(ws, velocity_count(m))
        rest = tail(f, 6 * body_count(m))
        stage_torque(m, s, q0, v0, q, v, law, tau)
        add_row_forces(rows(c), q, v, modes, tau)
        stage_wrenches(m, c, q, v, f_ext, f, rest)
        forward_dynamics(m, q, v, tau, f, a, rest)

    return rate


def trial_kernel(rate: Callable[..., Any]) -> Callable[..., Any]:
    """The stages of one trial"""

    @called_kernel
    def trial(held, c, s, h, q0, v0, q, v, law, f_ext, modes, rates_u, rates_v, u, x, stage_q, ws):
        """From the rates of the first stage those of the others, and the displacement u and velocity x at the end"""
        nv = velocity_count(held)
        for stage in range(1, STAGES):
            combine(held, stage, h, rates_u, u)
            combine(held, stage, h, rates_v, x)
            for k in range(nv):
                store(x, k, load(v, k) + load(x, k))
            displace(held, q, u, stage_q)
            displacement_rate(held, u, x, part(rates_u, stage * nv, nv))
            time = s + NODES[stage] * h
            rate(held, c, time, q0, v0, stage_q, x, law, f_ext, modes, part(rates_v, stage * nv, nv), ws)

    return trial


@kernel
def error_of(m, h, tol, v, u, x, rates_u, rates_v):
    """The largest difference of both orders, as a share of the tolerance"""
    nv, worst = velocity_count(m), 0.0
    for k in range(nv):
        e = abs(difference_of_orders(nv, k, h, rates_u)) / (tol * (1.0 + abs(load(u, k))))
        d = abs(difference_of_orders(nv, k, h, rates_v)) / (tol * (1.0 + max(abs(load(v, k)), abs(load(x, k)))))
        worst = e if not e <= worst else worst
        worst = d if not d <= worst else worst
    return worst


def attempt_kernel(trial: Callable[..., Any]) -> Callable[..., Any]:
    """Trials until one is within the tolerance"""

    @kernel
    def attempt(held, c, s, dt, h, tol, q0, start, q, v, law, f_ext, modes, rates_u, rates_v, u, x, stage_q, ws):
        """The length of the step that is taken, and its error"""
        while True:
            trial(held, c, s, dt, q0, start, q, v, law, f_ext, modes, rates_u, rates_v, u, x, stage_q, ws)
            e = error_of(held, dt, tol, v, u, x, rates_u, rates_v)
            if e <= 1.0 or dt < SHORTEST * h:
                return dt, e
            dt *= max(0.2, 0.9 * e**-0.2) if e < 1e10 else 0.2

    return attempt


@kernel
def parts_of(m, c, ws):
    """What a step works with: of nv numbers u, x, a, w, start and none; the rest as the names say"""
    nq, nv, n, nb = configuration_count(m), velocity_count(m), row_count(rows(c)), body_count(m)
    short = part(ws, 0, nv), part(ws, nv, nv), part(ws, 2 * nv, nv), part(ws, 3 * nv, nv)
    start, none, no_law = part(ws, 4 * nv, nv), part(ws, 5 * nv, nv), part(ws, 6 * nv, 4 * nv)
    rates_u, rates_v = part(ws, 10 * nv, STAGES * nv), part(ws, 17 * nv, STAGES * nv)
    rest = tail(ws, 24 * nv)
    stage_q, modes, no_force = part(rest, 0, nq), part(rest, nq, n), part(rest, nq + n, 6 * nb)
    held, rest = part(rest, nq + n + 6 * nb, len(m)), tail(rest, nq + n + 6 * nb + len(m))
    return short + (start, none, no_law, rates_u, rates_v, stage_q, modes, no_force, held, rest)  # noqa: RUF005


@kernel
def land(m, t, u, x, modes, q, v, start, stage_q, a, w):
    """The state at the end of a step, and ``start`` in its chart; what is held stands still"""
    arrive(m, q, u, x, stage_q, a)
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            carry_joint(m, i, q, stage_q, start, w)
    copy(configuration_count(m), stage_q, q)
    copy(velocity_count(m), a, v)
    copy(velocity_count(m), w, start)
    for k in range(row_count(t)):
        if load(modes, k) == 0.0:
            store(v, coordinate(t, k), 0.0)


def settle_kernel(rate: Callable[..., Any]) -> Callable[..., Any]:
    """The modes in which a motion begins"""

    @kernel
    def settle(m, c, s, q0, v0, q, v, law, f_ext, modes, held, a, ws):
        """Modes that agree with their reactions, the model in which they hold, and the acceleration"""
        t = rows(c)
        n = row_count(t)
        rest_modes(t, q, v, modes)
        for _ in range(2 * n + 2):
            hold_rows(m, t, modes, held)
            rate(held, c, s, q0, v0, q, v, law, f_ext, modes, a, ws)
            worst, row, mode = 0.0, -1, 0.0
            for k in range(n):
                acceleration = load(a, coordinate(t, k))
                if load(modes, k) == 0.0:
                    excess, way = reaction_excess(t, k, q, acceleration)
                    if excess > worst:
                        worst, row, mode = excess, k, way
                elif would_return(t, k, q, v, modes, acceleration):
                    worst, row, mode = 1e300, k, 0.0
            if row < 0:
                return
            store(modes, row, mode)

    return settle


def release_kernel(rate: Callable[..., Any]) -> Callable[..., Any]:
    """When a reaction leaves its bounds"""

    @kernel
    def release(held, c, s, h, latest, q0, v0, q, v, law, f_ext, modes, rates_u, rates_v, u, x, stage_q, a, ws):
        """The first time x h at which a held row is to be let go, not after ``latest``; 2 if there is none"""
        t = rows(c)
        n, nv = row_count(t), velocity_count(held)
        b = 2.0
        for stage in range(STAGES - 1, 0, -1):
            for k in range(n):
                excess, _ = reaction_excess(t, k, q, load(rates_v, stage * nv + coordinate(t, k)))
                if load(modes, k) == 0.0 and excess > 0.0 and NODES[stage] <= latest:
                    b = NODES[stage]
        if b > 1.0:
            return b
        low = 0.0
        for _ in range(HALVINGS):
            y = 0.5 * (low + b)
            for k in range(nv):
                store(u, k, between(nv, k, y, h, rates_u))
                store(x, k, load(v, k) + between(nv, k, y, h, rates_v))
            displace(held, q, u, stage_q)
            rate(held, c, s + y * h, q0, v0, stage_q, x, law, f_ext, modes, a, ws)
            out = False
            for k in range(n):
                excess, _ = reaction_excess(t, k, q, load(a, coordinate(t, k)))
                out = out or (load(modes, k) == 0.0 and excess > 0.0)
            if out:
                b = y
            else:
                low = y
        return b

    return release


def impact_kernel(rate: Callable[..., Any]) -> Callable[..., Any]:
    """Impulses at limits"""

    @kernel
    def impact(m, c, q, v, modes, law, f, none, a, w, ws):
        """Newton's law at each limit that a coordinate approaches, the fastest first; others at rest do not resist"""
        t = rows(c)
        n, nv = row_count(t), velocity_count(m)
        clear(law, 4 * nv)
        clear(f, 6 * body_count(m))
        clear(none, nv)
        clear(modes, n)
        for hit in range(10 * n):
            fastest, row = 0.0, -1
            for k in range(n):
                speed, _, _ = approach(t, k, q, v)
                if speed > fastest:
                    fastest, row = speed, k
            if row < 0:
                return
            j = coordinate(t, row)
            speed, way, back = approach(t, row, q, v)
            rate(m, c, 0.0, q, none, q, none, law, f, modes, a, ws)
            store(law, j, PUSH)
            rate(m, c, 0.0, q, none, q, none, law, f, modes, w, ws)
            store(law, j, 0.0)
            r = (speed + back) / (load(w, j) - load(a, j))  # v+ = v - H^-1 e_j r, with v_j+ = -e v_j
            if hit < 9 * n:
                for k in range(nv):
                    store(v, k, load(v, k) - way * r * (load(w, k) - load(a, k)))
            store(v, j, -way * back)

    return impact


def step_kernel(solver: Algorithm) -> Callable[..., Any]:
    """The kernel of a step with that algorithm."""
    rate = rate_kernel(solver)
    trial, settle, release, impact = trial_kernel(rate), settle_kernel(rate), release_kernel(rate), impact_kernel(rate)
    attempt = attempt_kernel(trial)

    @kernel
    def adaptive_step(m, c, h, q0, v0, law, f_ext, q, v, memory, ws):
        """As many steps as the tolerance and events need; ``memory`` has the length of the last one"""
        nv, t, tol = velocity_count(m), rows(c), load(c, TOLERANCE) if load(c, TOLERANCE) > 0.0 else USUAL
        u, x, a, w, start, none, no_law, rates_u, rates_v, stage_q, modes, no_force, held, rest = parts_of(m, c, ws)
        copy(configuration_count(m), q0, q)
        copy(nv, v0, v)
        copy(nv, v0, start)  # the velocity to which the law of control refers, in the chart of q
        s, length = 0.0, load(memory, 0)
        length = length if length > 0.0 else h
        for _ in range(MOST):
            settle(m, c, s, q0, start, q, v, law, f_ext, modes, held, a, rest)
            copy(nv, v, rates_u)
            copy(nv, a, rates_v)
            tried = min(length, h - s)
            dt, e = attempt(
                held, c, s, tried, h, tol, q0, start, q, v, law, f_ext, modes, rates_u, rates_v, u, x, stage_q, rest
            )
            if not e <= 1.0:
                return 1e300 + e
            whole, longer = length >= h - s and dt == tried, dt * min(5.0, 0.9 * max(e, 1e-10) ** -0.2)
            part_of, row, what = first_crossing(m, t, dt, q, v, modes, rates_u, rates_v)
            y = release(
                held, c, s, dt, part_of, q0, start, q, v, law, f_ext, modes, rates_u, rates_v, u, x, stage_q, a, rest
            )
            part_of, what = (y, NOTHING) if y < part_of else (part_of, what)
            if part_of < EARLY and dt * part_of > 1e3 * SHORTEST * h:
                length = 2.0 * dt * part_of
                continue
            if part_of <= 1.0:
                dt, whole = dt * part_of, False
            if row_count(t) > 0:  # u and x were used in between, and the step may be shorter now
                trial(held, c, s, dt, q0, start, q, v, law, f_ext, modes, rates_u, rates_v, u, x, stage_q, rest)
            land(m, t, u, x, modes, q, v, start, stage_q, a, w)
            if what != NOTHING and part_of <= 1.0:
                apply_event(t, row, what, q, v)
                impact(m, c, q, v, modes, no_law, no_force, none, a, w, rest)
                rest_at_limits(t, q, v)
            s += dt
            if whole:
                store(memory, 0, max(length, longer))
                return 0.0
            length = longer
        return 1e300

    return adaptive_step


def adaptive(solver: Algorithm, **options: Any) -> Integrator:
    """The integrator with that algorithm for accelerations."""

    def workspace(model: Model, scenario: Array) -> int:
        forces = model.nv + 6 * model.n_bodies + max(stage_workspace(model), int(solver.workspace(model)))
        return 24 * model.nv + model.nq + number_of(ROWS, scenario) + 6 * model.n_bodies + len(model.packed) + forces

    return Integrator(
        "dormand_prince",
        order=5,
        step=step_kernel(solver),
        workspace=workspace,
        memory=lambda model, scenario: 1,
        takes_rows=True,
        lanes=False,
        **options,
    )


DORMAND_PRINCE = adaptive(SOLVERS[False], with_mimic=adaptive(SOLVERS[True], listed=False))
