"""States of a batch move as each of them alone: eight at a time, in the lanes of vectors, they go through other code."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import (
    ModelBuilder,
    PDControl,
    PointSpring,
    TorsionSpring,
    integrate,
    neutral,
    random_tree,
    simulate,
)
from tests.articulated.stepping.motions import mechanism
from tests.conftest import COMPILED
from tests.mechanisms import MOVING, random_description, random_state

pytestmark = [
    pytest.mark.skipif(not COMPILED, reason="lanes are there in compiled code only"),
    pytest.mark.slow,
]


def assert_moved_alike(model, q, v, h, steps, tolerance, *, control=lambda k: None, f_ext=None, **options):
    """Check that states move in a batch as each alone; ``control(k)`` is that of state k, or of a slice."""
    options |= {"record": ()}
    every = slice(None)
    given = {} if f_ext is None else {"f_ext": f_ext}
    batch = simulate(model, q, v, h * steps, h, control=control(every), **given, **options)
    for k in range(len(q)):
        given = {} if f_ext is None else {"f_ext": f_ext[k]}
        alone = simulate(model, q[k], v[k], h * steps, h, control=control(k), **given, **options)
        np.testing.assert_allclose(batch.q[k], alone.q, rtol=0.0, atol=tolerance, err_msg=f"state {k}")
        scale = tolerance * max(1.0 / h, np.abs(alone.v).max())
        np.testing.assert_allclose(batch.v[k], alone.v, rtol=0.0, atol=scale, err_msg=f"state {k}")
    return batch


@pytest.mark.everything  # where bounds are checked, its lanes are compiled on each change
@pytest.mark.indices
def test_joints_stick_slide_and_touch_in_lanes_as_each_state_alone():
    """Eight states in lanes and three beside them; some joints stick, some are at their limits, some move."""
    model = random_tree(4, 3, joints=["revolute", "prismatic"])
    model = model.replace(friction=0.6, lower_limit=-0.4, upper_limit=0.4)
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-0.4, 0.4, (11, 4)), rng.standard_normal((11, 4))
    P, D = rng.uniform(0.0, 0.1, (2, 11, 4))
    batch = assert_moved_alike(model, q, v, 0.01, 20, 1e-13, control=lambda k: PDControl(P[k], D[k], q=q[k]))
    assert 0 < (batch.v[:, -1] == 0.0).sum() < batch.v[:, -1].size


@pytest.mark.everything
@pytest.mark.parametrize("integrator", ["rk4", "variational"])
def test_explicit_and_variational_steps_in_lanes_are_those_of_each_state_alone(integrator):
    model = mechanism(mimic=False, large=False)
    rng = np.random.default_rng(7)
    q = integrate(model, neutral(model), rng.uniform(-1.0, 1.0, (8, model.nv)))
    v, (tau, P, D) = rng.normal(size=(8, model.nv)), np.abs(rng.normal(size=(3, 8, model.nv)))
    f_ext = rng.normal(size=(8, model.n_bodies, 6))
    control = lambda k: PDControl(P[k], D[k], q=q[k], v=v[k], tau=tau[k])  # noqa: E731
    assert_moved_alike(model, q, v, 1e-2, 1, 1e-12, control=control, f_ext=f_ext, integrator=integrator)


@pytest.mark.everything
@pytest.mark.parametrize("integrator", ["linearly_implicit", "redmax"])
def test_implicit_steps_in_lanes_are_those_of_each_state_alone(integrator):
    """A tree of all joints with springs between bodies: equal to rounding."""
    model = random_description(4, len(MOVING)).build().replace(friction=0.0)
    bodies = model.body_names
    elements = [
        PointSpring(bodies[2], bodies[7], stiffness=1e4, rest_length=0.3, damping=2.0),
        TorsionSpring(bodies[1], bodies[11], stiffness=20.0, damping=3.0),
    ]
    state = random_state(model, 6, 8)
    q, v = state["q"], state["v"]
    tau, P, D = np.abs(np.random.default_rng(0).normal(size=(3, 8, model.nv)))
    control = lambda k: PDControl(P[k], D[k], q=q[k], v=v[k], tau=tau[k])  # noqa: E731
    given = {"control": control, "f_ext": state["f_ext"], "elements": elements}
    assert_moved_alike(model, q, v, 1e-2, 1, 1e-11, integrator=integrator, **given)


@pytest.mark.everything
@pytest.mark.parametrize(
    ("integrator", "friction"),
    [pytest.param("semi_implicit", 1e-14, marks=pytest.mark.indices), ("linearly_implicit", 0.0)],
)
def test_fast_spins_in_lanes_are_divided_as_each_alone_needs_it(integrator, friction):
    """Slow ones beside those that turn by some radians, or hundreds, in a step: each its own number of parts.

    With next to no dry friction it is the variant with rows, whose lanes are compiled where bounds are checked.
    """
    builder = ModelBuilder(gravity=(0, 0, 0))
    builder.add_body("nut", mass=2.0, center_of_mass=(0.1, -0.05, 0.2), inertia=(0.0101, 0.020, 0.029))
    builder.add_joint("joint", "free", "world", "nut")
    model = builder.build().replace(friction=friction)
    v = np.random.default_rng(2).standard_normal((11, 6))
    turns = np.array([0.0, 0.1, 300.0, 4.0, 1.0, 2.0, 5.0, 7.0, 20.0, 3.5, 0.5])
    v[:, :3] *= turns[:, None] / 1e-2 / np.linalg.norm(v[:, :3], axis=1)[:, None]
    # Each of some hundred parts leaves 1e-13 of the rate, by which the angle of 900 rad differs.
    assert_moved_alike(model, np.tile(neutral(model), (11, 1)), v, 1e-2, 3, 1e-9, integrator=integrator)
