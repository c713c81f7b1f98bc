"""SciPy's integrator and the adaptive pair, which share nothing but the forces, go the same way."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    ModelBuilder,
    PDControl,
    PointSpring,
    TimeTable,
    convergence,
    difference,
    neutral,
    simulate,
)
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
    ours, scipys = motions
    assert np.abs(difference(arm, ours.q, scipys.q)).max() < 1e-8
    np.testing.assert_allclose(ours.v, scipys.v, atol=1e-8)
    np.testing.assert_allclose(ours.tau, scipys.tau, atol=1e-7)
    np.testing.assert_allclose(ours.a, scipys.a, atol=1e-6)


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
