"""Backward differences on the configuration manifold: implicit Euler, and the method of second order.

Both ask for one implicit stage, :mod:`~pluecker.articulated.stepping.implicit.newton`, at the end of the step:

========  =======================================================================================================
BDF1      q1 = q + h v1                                   v1 = v + h a1
BDF2      q1 = q - c e + g v1                             v1 = (1 + c) v - c v_p + g a1
          c = w^2 / (1 + 2 w), g = h (1 + w) / (1 + 2 w), w = h / h_p; for equal steps 1/3 and 2/3 h
========  =======================================================================================================

where q_p, v_p is the state before the last step h_p and e the displacement from q to q_p. The sums of q are motions at
constant velocity, one after the other: they commute but for terms of third order in the step, which is the method's error.
Exponential coordinates are a vector, in which they commute; the state before the last step is carried into their chart.

BDF2 is started by a diagonally implicit Runge-Kutta method of two stages and second order, SDIRK2, where there is no state
before the last step, or the step has become less than half or more than twice as long:

    q_a = q + x h v_a                      v_a = v + x h a_a                      x = 1 - 1 / sqrt 2
    q1  = q + (1 - x) h v_a + x h v1       v1  = v + (1 - x) h a_a + x h a1

All of them are L-stable: what is stiff is damped within a step. They take energy from what oscillates slowly too, BDF1 a
share of about (h omega)^2 per radian.

Sources: Hairer, Wanner, *Solving Ordinary Differential Equations II* (1996), sections IV.6 (SDIRK2) and V.1 (BDF); for
variable steps Hairer, Norsett, Wanner (1993), section III.5; for the exponentials, Crouch, Grossman (1993).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pluecker.articulated.model.joints import carry_joint, difference_joint
from pluecker.articulated.model.layout import (
    clear,
    configuration_count,
    link_count,
    owns_coordinates,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.explicit import motion_rate
from pluecker.articulated.stepping.implicit.newton import (
    STAGE_OF_TREE,
    Stage,
    StageSolver,
    displace,
    stage_solver_workspace,
)
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.spatial.dense.laws import copy_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store, tail

__all__ = ["BDF1", "BDF2", "make_bdf1", "make_bdf2", "memory_of_bdf2", "step_numbers"]

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
MOST_CHANGE = 2.0  # of the step, up to which BDF2 goes on; it is stable up to 1 + sqrt 2


def make_bdf1(stage: StageSolver) -> Callable[..., Any]:
    """The kernel of a step of BDF1, with such a stage."""
    solve_stage = stage.solve

    @kernel
    def bdf1_step(m, c, h, given, q1, v1, memory, ws):
        """q1 = q + h v1, v1 = v + h a1"""
        nq, nv = configuration_count(m), velocity_count(m)
        base_v, work = tail(ws, nq), tail(ws, nq + nv)
        copy_vector(nv, given.v, base_v)
        copy_vector(nv, given.v, v1)
        error = solve_stage(m, c, Stage(h, h, given.q, base_v), given, v1, work)
        arrive(m, h, given.q, v1, q1, error, base_v, ws)
        return error

    return bdf1_step


def make_bdf2(stage: StageSolver) -> Callable[..., Any]:
    """The kernel of a step of BDF2, with such a stage."""
    solve_stage = stage.solve

    @kernel
    def first_stage(m, c, h, given, base_q, base_v, v1, work):
        """Of SDIRK2; v_a in v1, a guess for the second; base_q = q + (1 - x) h v_a, base_v = v + (1 - x) h a_a"""
        nv, g, (q, v, _, _) = velocity_count(m), GAMMA * h, given
        copy_vector(nv, v, v1)
        copy_vector(nv, v, base_v)
        error = solve_stage(m, c, Stage(g, g, q, base_v), given, v1, work)
        for k in range(nv):
            store(work, k, (1.0 - GAMMA) * h * load(v1, k))
            store(base_v, k, load(v, k) + (1.0 - GAMMA) / GAMMA * (load(v1, k) - load(v, k)))
        displace(m, q, work, base_q)
        return error

    @kernel
    def bdf2_step(m, c, h, given, q1, v1, memory, ws):
        """From the state before the last step, if it is known; SDIRK2 otherwise"""
        nq, nv, (q, v, _, _) = configuration_count(m), velocity_count(m), given
        base_q, base_v, work = tail(ws, nq), tail(ws, 2 * nq), tail(ws, 2 * nq + nv)
        before = load(memory, 0)
        g, error = GAMMA * h, 0.0
        if MOST_CHANGE * before < h or before > MOST_CHANGE * h:
            error = first_stage(m, c, h, given, base_q, base_v, v1, work)
        else:
            w = h / before
            g = h * (1.0 + w) / (1.0 + 2.0 * w)
            go_back(m, w * w / (1.0 + 2.0 * w), q, v, tail(memory, 1), tail(memory, 1 + nq), base_q, base_v, work)
            copy_vector(nv, v, v1)
        error = max(error, solve_stage(m, c, Stage(h, g, base_q, base_v), given, v1, work))
        arrive(m, g, base_q, v1, q1, error, base_v, ws)
        if error <= 1.0:
            store(memory, 0, h)
            copy_vector(nq, q, tail(memory, 1))
            copy_vector(nv, v, tail(memory, 1 + nq))
        return error

    return bdf2_step


@kernel
def go_back(m, x, q, v, q_p, v_p, base_q, base_v, work):
    """base_q = q - x e and base_v = (1 + x) v - x v_p, with v_p carried into the chart of q"""
    nv = velocity_count(m)
    e, carried, near = work, tail(work, nv), tail(work, 2 * nv)
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            difference_joint(m, i, q, q_p, e)
    displace(m, q, e, near)
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            carry_joint(m, i, q_p, near, v_p, carried)
    for k in range(nv):
        store(e, k, -x * load(e, k))
        store(base_v, k, load(v, k) + x * (load(v, k) - load(carried, k)))
    displace(m, q, e, base_q)


@kernel
def arrive(m, g, base_q, v1, q1, error, step, ws):
    """q1 = base_q + g v1, exponential coordinates and their velocities in the chart of the shortest; NaN if there is none"""
    nv = velocity_count(m)
    for k in range(nv):
        if not error < np.inf:
            store(v1, k, np.nan)
        store(step, k, g * load(v1, k))
    displace(m, base_q, step, ws)
    clear(step, nv)
    motion_rate.arrive(m, ws, step, v1, q1, v1)


def step_numbers(model: Model, stage: int) -> int:
    """How many numbers both steps need, with the stage's."""
    return 2 * model.nq + model.nv + max(stage, 2 * model.nv + model.nq)


def workspace(model: Model, scenario: Array) -> int:
    """Of both steps"""
    return step_numbers(model, stage_solver_workspace(model))


def memory_of_bdf2(model: Model, scenario: Array) -> int:
    """The last step, and the state before it"""
    return 1 + model.nq + model.nv


BDF1 = Integrator("bdf1", order=1, step=make_bdf1(STAGE_OF_TREE), workspace=workspace, implicit=True, lanes=False)
BDF2 = Integrator(
    "bdf2",
    order=2,
    step=make_bdf2(STAGE_OF_TREE),
    workspace=workspace,
    memory=memory_of_bdf2,
    implicit=True,
    lanes=False,
)
