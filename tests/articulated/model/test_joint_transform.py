"""X and S of every type of joint: the derivative of X is S, and Pinocchio's joints and closed forms agree."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import (
    ModelBuilder,
    forward_kinematics,
    integrate,
    joint_transform,
    neutral,
    random_configuration,
)
from pluecker.course import motion_subspace
from pluecker.spatial import (
    ArgumentTypeError,
    ArgumentValueError,
    crm,
    exp3,
    invert,
    placement,
    pluecker_transform,
    quaternion_to_rotation,
    transform_from_placement,
)
from tests.mechanisms import JOINT_TYPES
from tests.models import one_body

HALF_WAY = (np.cos(np.pi / 8), 0.0, 0.0, np.sin(np.pi / 8))
AXIS, AXIS2 = np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0])
RNG = np.random.default_rng(3)


def given(kind):
    """The axes and the pitch that a joint needs."""
    axes = JOINT_TYPES[kind].axes
    options = {"axis": AXIS} if axes else {}
    if axes == 2:
        options["axis2"] = AXIS2
    if kind == "helical":
        options["pitch"] = 0.3
    return options


def mechanism(kind):
    return one_body("child", kind, 1.0, inertia=[1.0, 1.0, 1.0], joint="joint", **given(kind))


def coordinates(kind, n):
    return random_configuration(mechanism(kind), np.random.default_rng(5), n)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_shapes_of_single_joints_and_of_batches(kind):
    model, q = mechanism(kind), coordinates(kind, 6)
    X, S = joint_transform(kind, q.reshape(2, 3, -1), **given(kind))
    assert X.shape == (2, 3, 6, 6)
    assert S.shape == (2, 3, 6, model.nv)
    for k in range(6):  # one state alone agrees with a batch to rounding
        one = joint_transform(kind, q[k], **given(kind))
        np.testing.assert_allclose(one[0], X.reshape(6, 6, 6)[k], atol=1e-14)
        np.testing.assert_allclose(one[1], S.reshape(6, 6, -1)[k], atol=1e-14)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_frames_agree_at_zero_displacement(kind):
    X, _ = joint_transform(kind, neutral(mechanism(kind)), **given(kind))
    np.testing.assert_allclose(X, np.eye(6), atol=1e-15)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_the_derivative_of_X_is_minus_v_x_X(kind):
    """dX/dt = -(S qd x) X, by a central difference along the joint's own motion; error h^2 |v|^3 plus rounding / h."""
    model, h = mechanism(kind), 1e-5
    for q in coordinates(kind, 4):
        X, S = joint_transform(kind, q, **given(kind))
        v = RNG.normal(size=model.nv)
        after, before = (joint_transform(kind, integrate(model, q, s * h * v), **given(kind))[0] for s in (1.0, -1.0))
        scale = 1.0 + np.abs(X).max()
        np.testing.assert_allclose((after - before) / (2.0 * h), -crm(S @ v) @ X, atol=1e-8 * scale)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical", "cylindrical", "spherical", "free"])
def test_S_is_that_of_the_course(kind):
    """Joints whose S is constant in the child's coordinates."""
    _, S = joint_transform(kind, coordinates(kind, 1)[0], **given(kind))
    np.testing.assert_allclose(S, motion_subspace(kind, **given(kind)), atol=1e-14)


def test_closed_forms():
    X, _ = joint_transform("revolute", [0.7], axis=[0, 0, 5])
    np.testing.assert_allclose(X, pluecker_transform(exp3([0, 0, -0.7]), np.zeros(3)), atol=1e-15)
    X, _ = joint_transform("prismatic", [0.7], axis=[0, 2, 0])
    np.testing.assert_allclose(X, pluecker_transform(np.eye(3), [0, 0.7, 0]), atol=1e-15)
    X, _ = joint_transform("helical", [0.7], axis=[0, 0, 1], pitch=2.0)
    np.testing.assert_allclose(X, pluecker_transform(exp3([0, 0, -0.7]), [0, 0, 1.4]), atol=1e-15)
    p = np.array([0.5, 0.5, -0.5, 0.5])
    X, _ = joint_transform("free", [1, 2, 3, *p])
    np.testing.assert_allclose(X, pluecker_transform(quaternion_to_rotation(p).T, [1, 2, 3]), atol=1e-15)
    X, S = joint_transform("fixed", np.zeros((4, 0)))
    np.testing.assert_array_equal(X, np.broadcast_to(np.eye(6), (4, 6, 6)))
    assert S.shape == (4, 6, 0)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical", "spherical", "free"])
def test_pinocchio_agrees(kind):
    """Pinocchio has linear parts first, and the quaternion of a free joint last."""
    pin = pytest.importorskip("pinocchio")
    joint = {
        "revolute": lambda: pin.JointModelRevoluteUnaligned(*AXIS),
        "prismatic": lambda: pin.JointModelPrismaticUnaligned(*AXIS),
        "helical": lambda: pin.JointModelHelicalUnaligned(*AXIS, 0.3),
        "spherical": pin.JointModelSpherical,
        "free": pin.JointModelFreeFlyer,
    }[kind]()
    model = pin.Model()
    model.addJoint(0, joint, pin.SE3.Identity(), "joint")
    data = model.createData()
    for q in coordinates(kind, 5):
        theirs = np.concatenate([q[:-4], q[-3:], q[-4:-3]]) if kind in ("spherical", "free") else q
        pin.computeJointJacobians(model, data, theirs)
        X, S = joint_transform(kind, q, **given(kind))
        np.testing.assert_allclose(placement(X), data.oMi[1].homogeneous, atol=1e-14)
        J = pin.getJointJacobian(model, data, 1, pin.ReferenceFrame.LOCAL).reshape(6, -1)
        order = [3, 4, 5, 0, 1, 2] if kind == "free" else slice(None)
        np.testing.assert_allclose(S, np.concatenate([J[3:], J[:3]])[:, order], atol=1e-14)


def test_it_is_the_joint_of_a_mechanism():
    """Placed in a mechanism, the joint adds its X to that of its place."""
    for kind in ("universal", "planar", "cylindrical"):
        builder = ModelBuilder()
        builder.add_body("child", mass=1.0)
        p, R = np.array([1.0, 2.0, 3.0]), exp3([0.1, 0.2, 0.3])
        builder.add_joint("joint", kind, parent="world", child="child", position=p, rotation=R, **given(kind))
        q = coordinates(kind, 1)[0]
        T = forward_kinematics(builder.build(), q)[0]
        X, _ = joint_transform(kind, q, **given(kind))
        np.testing.assert_allclose(transform_from_placement(T), X @ pluecker_transform(R.T, p), atol=1e-13)
        np.testing.assert_allclose(X @ invert(X), np.eye(6), atol=1e-14)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: joint_transform("ball", [0.0]), ArgumentValueError, "type is 'ball', expected one of 'fixed', 'rev"),
        (lambda: joint_transform(None, [0.0]), ArgumentTypeError, "type is None"),
        (lambda: joint_transform("revolute", [0.0]), ArgumentValueError, "a revolute joint needs an axis"),
        (lambda: joint_transform("free", np.zeros(7), axis=[1, 0, 0]), ArgumentValueError, "a free joint has no axis"),
        (lambda: joint_transform("revolute", [0.0], [0, 0, 0]), ArgumentValueError, "axis is zero"),
        (lambda: joint_transform("revolute", [0.0], "x"), ArgumentTypeError, "axis must be an array"),
        (lambda: joint_transform("revolute", [0.0], np.eye(3)), ArgumentValueError, r"axis has shape \(3, 3\)"),
        (
            lambda: joint_transform("revolute", [0.0], AXIS, pitch=1.0),
            ArgumentValueError,
            "only a helical joint has a pitch",
        ),
        (lambda: joint_transform("helical", [0.0], AXIS, pitch=10**400), ArgumentValueError, "pitch has an integer"),
        (lambda: joint_transform("revolute", [0.0, 1.0], AXIS), ArgumentValueError, r"q has shape \(2,\)"),
        (lambda: joint_transform("revolute", [np.nan], AXIS), ArgumentValueError, r"q\[0\] is nan"),
        (lambda: joint_transform("spherical", [1.0, 1, 0, 0]), ArgumentValueError, "length"),
        (
            lambda: joint_transform("free", [1.7e308, 1.7e308, 0, *HALF_WAY]),
            ArgumentValueError,
            "overflow",
        ),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=rf"^joint_transform: .*{message}"):
        call()
