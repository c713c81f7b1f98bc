"""Newton's method of backward differences: residual, matrix and solver, and memory from step to step.

From outside none of it is seen: with a wrong derivative steps are still solved, after more iterations, and simulate has
steps of one length. Kernels are called here without compilation, where nothing has to be compiled for that; dual numbers
are the same there.
"""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import PointSpring, TorsionSpring
from pluecker.articulated.stepping.implicit import bdf, newton
from pluecker.articulated.stepping.terms.scenario import pack_scenario, smooth_model
from pluecker.articulated.stepping.terms.stage import Given
from tests.articulated.stepping.implicit.test_implicit import arm
from tests.conftest import COMPILED
from tests.mechanisms import random_description, random_state

pytestmark = [pytest.mark.plain, pytest.mark.skipif(COMPILED, reason="nothing is compiled for these calls alone")]


def test_the_derivative_of_the_equations_of_a_stage_is_exact():
    """Configurations move with the velocity; springs, elements, wrenches and control act: against central differences."""
    kinds = ("free", "exponential", "universal", "helical", "spherical", "revolute", "revolute")
    description = random_description(2, len(kinds), kinds, branching=0.3)
    follower, source = (name for name, joint in description.joints.items() if joint["type"] == "revolute")
    description.joints[follower]["mimic"] = (source, -0.7, 0.2)
    model = description.build()
    bodies = model.body_names
    elements = [
        PointSpring(bodies[0], bodies[5], stiffness=5.0, rest_length=0.3, damping=2.0),
        TorsionSpring(bodies[1], bodies[6], stiffness=2.0, damping=3.0),
    ]
    m, c = smooth_model(model), pack_scenario(model, elements)
    state, nv = random_state(model, 9, 2), model.nv
    q, v, f_ext = state["q"][0], state["v"][0], state["f_ext"][0].ravel()
    law = np.random.default_rng(3).normal(size=4 * nv)
    stage = newton.Stage(0.2, 0.1, q, state["v"][1])
    arguments = m, c, stage, Given(q, v, law, f_ext)
    u = v + 0.1 * state["a"][0]

    def residual(u):
        r, ws = np.empty(nv), np.full(newton.residual_workspace(model), np.nan)
        newton.STAGE_OF_TREE.residual(*arguments, u, np.empty(0), r, ws)
        return r

    r, J = np.empty(nv), np.empty(nv * nv)
    ws = np.full(newton.stage_solver_workspace(model), np.nan)
    newton.STAGE_OF_TREE.differentiate(*arguments, u, np.empty(0), r, J, ws)
    np.testing.assert_allclose(r, residual(u), rtol=0.0, atol=1e-12 * np.abs(r).max())
    h = 1e-5
    expected = np.transpose([(residual(u + h * e) - residual(u - h * e)) / (2 * h) for e in np.eye(nv)])
    np.testing.assert_allclose(J.reshape(nv, nv), expected, rtol=0.0, atol=1e-8 * np.abs(expected).max())


def test_steps_of_changing_length_keep_the_order():
    """Longer and shorter by a half in turn, with one memory; halving all of them leaves a quarter of the error"""
    model, ends = arm(2), []
    m, c = smooth_model(model), pack_scenario(model)
    for n in (6, 12, 48):
        q, v, memory = np.array([1.0, -0.5]), np.array([0.3, 0.7]), np.zeros(bdf.BDF2.memory(model, c))
        ws, lengths = np.full(bdf.BDF2.workspace(model, c), np.nan), np.resize((1.0, 1.5), n)
        for h in 0.2 * lengths / lengths.sum():
            q1, v1 = np.empty((2, 2))
            given = Given(q, v, np.zeros(8), np.zeros(12))
            assert bdf.BDF2.step(m, c, h, given, q1, v1, memory, ws) <= 1.0
            q, v = q1, v1
        ends.append(q)
    coarse, fine = (np.abs(q - ends[-1]).max() for q in ends[:2])
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.35)  # the reference has an error of its own


def test_the_step_that_failed_is_not_remembered():
    """BDF2 goes on from the last state that was solved"""
    model = arm(1)
    m, c, memory = smooth_model(model), pack_scenario(model), np.zeros(3)
    ws, q1, v1 = np.full(bdf.BDF2.workspace(model, c), np.nan), np.empty(1), np.empty(1)
    start = Given(np.array([0.1]), np.zeros(1), np.zeros(4), np.zeros(6))
    assert bdf.BDF2.step(m, c, 1e-2, start, q1, v1, memory, ws) <= 1.0
    kept = memory.copy()
    assert kept[0] == 1e-2
    with np.errstate(all="ignore"):
        pushed = Given(q1.copy(), v1.copy(), np.array([1e308, 0.0, 0.0, 0.0]), np.zeros(6))
        assert bdf.BDF2.step(m, c, 1e-2, pushed, q1, v1, memory, ws) > 1.0
    np.testing.assert_array_equal(memory, kept)
