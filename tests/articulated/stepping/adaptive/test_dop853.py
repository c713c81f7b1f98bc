"""The method of order eight: its order, and the same motion by SciPy's code and by the pair of order five."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pluecker.articulated import (
    Model,
    ModelBuilder,
    PDControl,
    PointSpring,
    TimeTable,
    aba,
    convergence,
    difference,
    neutral,
    random_tree,
    simulate,
)
from tests.articulated.stepping.motions import end
from tests.mechanisms import random_body


@pytest.fixture(scope="module")
def arm() -> Model:
    rng = np.random.default_rng(2)
    builder = ModelBuilder("arm")
    builder.add_body("a", **random_body(rng))
    builder.add_joint("shoulder", "exponential", "world", "a", damping=0.1)
    builder.add_body("b", **random_body(rng))
    builder.add_joint("elbow", "revolute", "a", "b", axis=(0, 1, 0), position=(0.3, 0, 0), stiffness=2.0)
    builder.add_body("c", **random_body(rng))
    builder.add_joint("wrist", "spherical", "b", "c", position=(0.3, 0, 0))
    return builder.build()


CONTROLS = {
    "none": None,
    "forces": np.linspace(-1.0, 1.0, 7),
    "table": TimeTable([0.0, 0.06, 0.1], np.random.default_rng(1).normal(size=(3, 7))),
    # in the loop gains on quaternions act on displacements of the step, which add up along lines only
    "gains": PDControl(
        [5.0, 5.0, 5.0, 5.0, 0.0, 0.0, 0.0], 0.5, q=[0.2, -0.1, 0.3, 0.5, 1.0, 0.0, 0.0, 0.0], tau=np.full(7, 0.1)
    ),
}


def test_it_goes_where_scipys_code_goes():
    """Rates of coordinates are velocities on hinges and slides, and both programs share nothing but aba."""
    model = random_tree(4, 3, joints=["revolute", "prismatic"]).replace(
        lower_limit=-np.inf, upper_limit=np.inf, friction=0.0
    )
    q, v = np.random.default_rng(1).uniform(-1.0, 1.0, (2, 4))
    found = simulate(model, q, v, 0.5, 0.1, integrator="dop853", tol=1e-12)
    rate = lambda t, y: np.concatenate([y[4:], aba(model, y[:4], y[4:], np.zeros(4))])  # noqa: E731
    options = {"t_eval": found.time, "rtol": 1e-12, "atol": 1e-12}
    exact = solve_ivp(rate, (0.0, 0.5), np.concatenate([q, v]), "DOP853", **options).y.T
    np.testing.assert_allclose(np.hstack([found.q, found.v]), exact, rtol=0.0, atol=1e-10)


def test_its_order_is_eight():
    """The tolerance accepts every trial, so each step of the simulation is one of the method; a top with a rod on it."""
    builder = ModelBuilder()
    builder.add_body("top", 1.0, (0.1, 0.0, 0.3), np.diag([0.2, 0.25, 0.1]))
    builder.add_joint("ball", "spherical", "world", "top")
    builder.add_body("rod", 0.5, (0.0, 0.0, -0.3), np.diag([0.1, 0.1, 0.05]))
    builder.add_joint("hinge", "revolute", "top", "rod", axis=(0, 1, 0), position=(0.2, 0.0, 0.3))
    model, v = builder.build(), [1.0, 0.4, 0.8, 0.5]
    exact = end(model, neutral(model), v, 0.5, 1, integrator="dop853", tol=1e-13)

    def error(steps: int) -> float:
        q1, v1 = end(model, neutral(model), v, 0.5 / steps, steps, integrator="dop853", tol=1e9)
        return float(max(np.abs(difference(model, exact[0], q1)).max(), np.abs(v1 - exact[1]).max()))

    errors = np.array([error(n) for n in (2, 4, 8)])
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx(8.0, abs=0.3)


@pytest.mark.parametrize("name", CONTROLS)
def test_it_agrees_with_the_adaptive_pair(arm, name):
    v = np.random.default_rng(3).normal(size=arm.nv)
    wrenches = TimeTable([0.0, 0.1], np.random.default_rng(4).normal(size=(2, 3, 6)), linear=False)
    options = {
        "control": CONTROLS[name], "f_ext": wrenches if name == "table" else None,
        "elements": PointSpring("world", ("c", (0.2, 0, 0)), 3.0, 0.2) if name == "gains" else (),
    }  # fmt: skip
    motions = [
        simulate(arm, neutral(arm), v, 0.1, 0.02, integrator=each, tol=1e-10, record=("a", "tau"), **options)
        for each in ("dop853", "dormand_prince")
    ]
    eighth, fifth = motions
    assert np.abs(difference(arm, eighth.q, fifth.q)).max() < 1e-8
    np.testing.assert_allclose(eighth.v, fifth.v, atol=1e-8)
    np.testing.assert_allclose(eighth.tau, fifth.tau, atol=1e-7)
    np.testing.assert_allclose(eighth.a, fifth.a, atol=1e-6)


def test_a_batch_is_each_state_by_itself(arm):
    v = np.random.default_rng(3).normal(size=(2, arm.nv))
    both = simulate(arm, neutral(arm), v, 0.04, 0.02, integrator="dop853", tol=1e-6)
    for k in range(2):
        one = simulate(arm, neutral(arm), v[k], 0.04, 0.02, integrator="dop853", tol=1e-6)
        np.testing.assert_array_equal(both.q[k], one.q)
        np.testing.assert_array_equal(both.v[k], one.v)


@pytest.mark.parametrize("integrator", ["dop853", "dormand_prince"])
def test_convergence_tightens_their_tolerance(arm, integrator):
    found = convergence(arm, neutral(arm), np.ones(7), 0.1, 0.05, integrator=integrator, tol=1e-4)
    assert found.values == pytest.approx((1e-4, 1e-5, 1e-6))
