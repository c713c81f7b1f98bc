"""Against Pinocchio, on robots of example-robot-data: values that nobody here wrote."""

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")

from benchmarks.accuracy import (  # noqa: E402
    BODY_QUANTITIES,
    FRAME_QUANTITIES,
    MOMENTUM_QUANTITIES,
    QUANTITIES,
    compare,
)
from pluecker.articulated import (  # noqa: E402
    Model,
    ModelBuilder,
    SingularInertiaError,
    aba,
    conventions,
    difference,
    integrate,
    random_configuration,
)
from pluecker.articulated.conventions import (  # noqa: E402
    from_pinocchio_q,
    to_pinocchio_q,
    velocity_map_to_pinocchio,
)
from pluecker.articulated.robots import find_robot  # noqa: E402
from tests.articulated.algorithms.robots import DIFFERENT, EMPTY, ROBOTS, SINGULAR, each_robot  # noqa: E402

LIMIT = 1e-11


def test_all_robots_are_there():
    assert len(ROBOTS) > 60
    assert {name for name, _ in DIFFERENT} | {EMPTY, *SINGULAR} <= set(ROBOTS)
    with pytest.raises(ValueError, match="valid URDF"):
        pin.buildModelFromUrdf(str(ROBOTS[EMPTY]))


@each_robot()
def test_all_quantities_agree(name, floating, states):
    result = compare(name, ROBOTS[name], floating, states)
    expected = set(QUANTITIES + BODY_QUANTITIES + FRAME_QUANTITIES + MOMENTUM_QUANTITIES)
    if name in SINGULAR:
        expected -= {"aba"}
    assert set(result.errors) == expected
    for key, error in result.errors.items():
        if key == "aba":
            assert result.aba_excess <= 1.0
        else:
            assert error <= LIMIT, key


@pytest.mark.parametrize("name", SINGULAR)
def test_hands_without_inertia_are_refused_by_name(name):
    model = Model.from_urdf(ROBOTS[name], check_inertia=False)
    with pytest.raises(SingularInertiaError, match=r"(?i)'l_?(hand|gripper).*moves? no mass"):
        aba(model, random_configuration(model, 0), np.zeros(model.nv), np.zeros(model.nv))


@pytest.mark.parametrize("name", ["kinova/kinova", "solo/solo12"])
def test_configurations_come_back_from_pinocchios_order(name):
    model = Model.from_urdf(ROBOTS[name], floating_base=True)
    theirs = pin.buildModelFromUrdf(str(ROBOTS[name]), pin.JointModelFreeFlyer())
    q = random_configuration(model, 0, 5)
    there = to_pinocchio_q(model, theirs, q)
    back = from_pinocchio_q(model, theirs, there)
    np.testing.assert_allclose(np.cos(back), np.cos(q), atol=1e-15)
    np.testing.assert_allclose(np.sin(back), np.sin(q), atol=1e-15)
    G = velocity_map_to_pinocchio(model, theirs)
    np.testing.assert_array_equal(G @ G.T, np.eye(theirs.nv))


def test_integration_is_pinocchios():
    name = "kinova/kinova"
    model = Model.from_urdf(ROBOTS[name], floating_base=True)
    theirs = pin.buildModelFromUrdf(str(ROBOTS[name]), pin.JointModelFreeFlyer())
    q, v = random_configuration(model, 1), np.random.default_rng(2).normal(size=model.nv)
    G = velocity_map_to_pinocchio(model, theirs)
    moved = pin.integrate(theirs, to_pinocchio_q(model, theirs, q), G @ v)
    np.testing.assert_allclose(to_pinocchio_q(model, theirs, integrate(model, q, v)), moved, atol=1e-14)
    other = random_configuration(model, 3)
    other[0:3] = q[0:3] + 0.1
    expected = G.T @ pin.difference(theirs, to_pinocchio_q(model, theirs, q), to_pinocchio_q(model, theirs, other))
    continuous = [model.v_slice(j.name).start for j in model.joints if j.type == "continuous"]
    found = difference(model, q, other)
    found[continuous] = (found[continuous] + np.pi) % (2 * np.pi) - np.pi  # angles are not wrapped here
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_conversions_name_the_joint_that_is_missing():
    model = Model.from_urdf(find_robot("panda"))
    theirs = pin.buildModelFromUrdf(str(find_robot("z1")))
    with pytest.raises(KeyError, match="Pinocchio's joint 'joint1' is not in model 'panda'"):
        to_pinocchio_q(model, theirs, random_configuration(model, 0))


def test_conversions_speak_in_their_own_name_of_what_cannot_be():
    builder = ModelBuilder("slider")
    builder.add_body("b", 1.0, inertia=(1, 1, 1))
    builder.add_joint("j", "cylindrical", "world", "b", axis=(0, 0, 1))
    ours = builder.build()
    theirs = pin.Model()
    theirs.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "j")
    calls = {
        "to_pinocchio_q": np.zeros(2), "from_pinocchio_q": np.zeros(1), "forces_to_pinocchio": np.zeros((1, 6)),
        "velocity_map_to_pinocchio": None,
    }  # fmt: skip
    for name, numbers in calls.items():
        arguments = [] if numbers is None else [numbers]
        with pytest.raises(ValueError, match=f"{name}: joint 'j': a cylindrical joint"):
            getattr(conventions, name)(ours, theirs, *arguments)
        if numbers is not None:
            numbers.flat[-1] = np.inf
            with pytest.raises(ValueError, match=rf"{name}: .* is inf, expected a finite number"):
                getattr(conventions, name)(ours, theirs, numbers)
