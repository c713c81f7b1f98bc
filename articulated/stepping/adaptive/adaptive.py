"""The adaptive pair of Dormand and Prince on the configuration manifold: "dormand_prince".

A step of the simulation is divided into as many steps as the tolerance needs; the last ends where it ends. Each is tried,
and taken if the difference of both orders is within the tolerance:

    |e_k| <= tol (1 + |x_k|)        h' = h clip(0.9 |e|^(-1/5), 0.2, 5)

Dry friction and limits are events (:mod:`~pluecker.articulated.stepping.adaptive.joint_modes`): where a velocity crosses
zero, a coordinate comes to a hard limit, or the reaction of a coordinate that is held leaves its bounds. The dense output of
a step is searched for the first of them, and the step is taken anew up to there. At a hard limit the velocity comes back
with -e (Newton's law); friction and other coordinates at rest do not resist impulses. A velocity below 1e-6 does not come
back, and what an impact elsewhere throws off its limit as slowly stays there, so that bouncing and chattering have an end.
What is at rest altogether takes one step, however long. A motion whose steps become and stay next to nothing is refused.

Sources: Dormand, Prince (1980); Hairer, Norsett and Wanner (1993), sections II.4 to II.6; Munthe-Kaas (1999).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.articulated.model.layout import body_count, configuration_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.adaptive.dormand_prince import PAIR, memory_of
from pluecker.articulated.stepping.adaptive.events import NOTHING, apply_event, first_crossing, rest_at_limits
from pluecker.articulated.stepping.adaptive.joint_modes import add_row_forces
from pluecker.articulated.stepping.adaptive.mode_changes import impact_kernel, release_kernel, settle_kernel
from pluecker.articulated.stepping.adaptive.pair import (
    MOST_STEPS,
    SHORTEST,
    TOLERANCE,
    Pair,
    attempt_kernel,
    land_kernel,
    trial_kernel,
)
from pluecker.articulated.stepping.explicit.motion_rate import SOLVERS
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.rows import row_count
from pluecker.articulated.stepping.terms.scenario import ROWS, number_of, rows
from pluecker.articulated.stepping.terms.stage import Given, stage_torque, stage_workspace, stage_wrenches
from pluecker.spatial.dense.laws import copy_vector
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, part, store, tail

__all__ = ["DORMAND_PRINCE", "adaptive_kernel", "adaptive_numbers", "event_kernels", "rate_kernel", "with_tolerance"]

# Steps so short, of the one that they divide: MOST_STEPS of them are a ten-thousandth of it. Where a force jumps there are
# some twenty, down to the jump and, five times as long each, away from it; next to a singularity they have no end.
TINY, MANY = 1e-8, 50
EARLY = 0.05  # of a step: what happens so early is found to more digits in a shorter one


def with_tolerance(scenario: Array, tol: float) -> Array:
    """Copy a scenario with a tolerance for adaptive integrators, relative and absolute."""
    scenario = scenario.copy()
    scenario[TOLERANCE] = tol
    return scenario


def rate_kernel(solver: Algorithm) -> Callable[..., Any]:
    """Make the kernel of accelerations with the forces of rows, by that algorithm; compiled once, and called"""
    forward_dynamics = solver.kernel

    @called_kernel
    def rate(m, c, s, given, q, v, modes, a, ws):
        """a in the state (q, v), a time ``s`` after what is given, with the forces of rows in their modes"""
        tau, f = ws, tail(ws, velocity_count(m))
        rest = tail(f, 6 * body_count(m))
        stage_torque(m, s, given, q, v, tau)
        add_row_forces(rows(c), q, v, modes, tau)
        stage_wrenches(m, c, q, v, given.f_ext, f, rest)
        forward_dynamics(m, q, v, tau, f, a, rest)

    return rate


def event_kernels(rate: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Make the kernels of the first event in a step of Dormand and Prince, and of what it does."""
    release, impact = release_kernel(rate), impact_kernel(rate)

    @kernel
    def find(m, c, s, dt, given, q, v, ws):
        """Find the first event in a step that was tried: (part of the step, row, what); a part above 1 if there is none"""
        part_of, row, what = first_crossing(rows(c), dt, q, v, memory_of(m, c, ws))
        earlier = release(m, c, s, dt, part_of, given, q, v, ws)
        return (earlier, row, NOTHING) if earlier < part_of else (part_of, row, what)

    @kernel
    def strike(m, c, row, what, q, v, ws):
        """Change the state where a coordinate stops, or meets its limit"""
        apply_event(rows(c), row, what, q, v)
        impact(m, c, q, v, ws)
        rest_at_limits(rows(c), q, v)

    return find, strike


def adaptive_kernel(pair: Pair, rate: Callable[..., Any], find: Callable[..., Any], strike: Callable[..., Any]) -> Any:
    """Make the kernel of a step by that pair, with accelerations of :func:`rate_kernel` or others of the same arguments.

    ``find`` and ``strike`` are those of :func:`event_kernels`.
    """
    trial, settle, power = trial_kernel(pair, rate), settle_kernel(pair, rate), -1.0 / pair.order
    attempt, land = attempt_kernel(pair, trial), land_kernel(pair)

    @kernel
    def adaptive_step(m, c, h, at_start, q, v, memory, ws):
        """Take as many steps as the tolerance and events need; ``memory`` keeps the length of the last one"""
        nv = velocity_count(m)
        start, ws = part(ws, 0, nv), tail(ws, nv)
        given = Given(at_start.q, start, at_start.law, at_start.f_ext)
        copy_vector(configuration_count(m), at_start.q, q)
        copy_vector(nv, at_start.v, v)
        copy_vector(nv, at_start.v, start)
        s, length, tiny = 0.0, load(memory, 0), 0
        length = length if length > 0.0 else h
        for _ in range(MOST_STEPS):
            settle(m, c, s, given, q, v, ws)
            tried = min(length, h - s)
            dt, e = attempt(m, c, s, tried, SHORTEST * h, given, q, v, ws)
            if not e <= 1.0:
                return 1e300 + e
            tiny = tiny + 1 if dt < TINY * h else 0
            if tiny > MANY:
                return 1e300
            whole, longer = length >= h - s and dt == tried, dt * min(5.0, 0.9 * max(e, 1e-10) ** power)
            part_of, row, what = find(m, c, s, dt, given, q, v, ws)
            if part_of < EARLY and dt * part_of > 1e3 * SHORTEST * h:
                length = 2.0 * dt * part_of
                continue
            if part_of <= 1.0:
                dt, whole, tiny = dt * part_of, False, 0
            if row_count(rows(c)) > 0:  # u and x were used in between, and the step may be shorter now
                trial(m, c, s, dt, given, q, v, ws)
            land(m, c, q, v, start, ws)
            if what != NOTHING and part_of <= 1.0:
                strike(m, c, row, what, q, v, ws)
            s += dt
            if whole:
                store(memory, 0, max(length, longer))
                return 0.0
            length = longer
        return 1e300

    return adaptive_step


def adaptive_numbers(model: Model, scenario: Array) -> int:
    """Count the numbers of scratch memory that the step needs besides those of accelerations."""
    return 24 * model.nv + model.nq + number_of(ROWS, scenario) + 6 * model.n_bodies + len(model.packed)


def adaptive(solver: Algorithm, **options: Any) -> Integrator:
    """Make the integrator with that algorithm for accelerations."""
    rate = rate_kernel(solver)

    def workspace(model: Model, scenario: Array) -> int:
        forces = model.nv + 6 * model.n_bodies + max(stage_workspace(model), int(solver.workspace(model)))
        return adaptive_numbers(model, scenario) + forces

    return Integrator(
        "dormand_prince",
        order=5,
        step=adaptive_kernel(PAIR, rate, *event_kernels(rate)),
        workspace=workspace,
        memory=lambda model, scenario: 1,
        takes_rows=True,
        lanes=False,
        **options,
    )


DORMAND_PRINCE = adaptive(SOLVERS[False], with_mimic=adaptive(SOLVERS[True], listed=False))
