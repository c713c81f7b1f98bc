"""Configurations: integrate, difference, neutral, random; samples next to no turn and next to half a turn on purpose."""

import pathlib
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from pluecker import articulated
from pluecker.articulated import (
    ModelBuilder,
    body_velocities,
    difference,
    forward_kinematics,
    integrate,
    neutral,
    random_configuration,
)
from pluecker.spatial import ArgumentTypeError, ArgumentValueError
from tests.mechanisms import MOVING, random_description, random_joint
from tests.models import one_body

ROOT = pathlib.Path(articulated.__file__).parent
KINDS = re.compile(r"\b(ONE_DOF|SPHERICAL|FREE|EXPONENTIAL)\b")


def test_two_files_alone_ask_for_the_kinds_of_joints():
    """A new kind of joint changes only these files: one for an instant, one for finite steps."""
    files = [path for path in ROOT.rglob("*.py") if KINDS.search(path.read_text(encoding="utf-8"))]
    assert {path.relative_to(ROOT).as_posix() for path in files} == {"model/joints.py", "model/joint_displacement.py"}


def single(kind, **options):
    return one_body("body", kind, 1.0, inertia=[1, 1, 1], joint="joint", **options, name=kind)


BALL, FREE = single("spherical"), single("free")
ANGLES = st.one_of(
    st.sampled_from([0.0, 1e-160, 1e-9, 1e-8, 1e-4, 0.5, np.pi - 1e-9, np.pi - 1e-6]), st.floats(0.0, np.pi - 1e-9)
)
VECTORS = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda u: np.linalg.norm(u) > 0.1)


@given(ANGLES, VECTORS, st.integers(0, 1000))
def test_a_turn_of_a_spherical_joint_is_a_rotation_in_body_coordinates(angle, axis, seed):
    q, a = random_configuration(BALL, seed), angle * np.array(axis) / np.linalg.norm(axis)
    before, after = forward_kinematics(BALL, q)[0, :3, :3], forward_kinematics(BALL, integrate(BALL, q, a))[0, :3, :3]
    np.testing.assert_allclose(after, before @ Rotation.from_rotvec(a).as_matrix(), atol=3e-15)


@given(ANGLES, VECTORS, VECTORS, st.integers(0, 1000))
def test_difference_undoes_integration_of_a_free_joint(angle, axis, step, seed):
    q = random_configuration(FREE, seed)
    v = np.concatenate([angle * np.array(axis) / np.linalg.norm(axis), step])
    ahead = integrate(FREE, q, v)
    assert abs(np.linalg.norm(ahead[3:]) - 1.0) < 4e-16
    found = difference(FREE, q, ahead)
    np.testing.assert_allclose(found, v, atol=2e-14)


def test_a_constant_twist_is_a_group_of_motions():
    """Moving twice for half the time is moving once: the path is a screw."""
    q, v = random_configuration(FREE, 1), np.random.default_rng(2).normal(size=6)
    half = integrate(FREE, integrate(FREE, q, 0.5 * v), 0.5 * v)
    np.testing.assert_allclose(half, integrate(FREE, q, v), atol=1e-15)


def test_a_full_turn_comes_back():
    q = random_configuration(BALL, 3)
    around = integrate(BALL, q, [0.0, 0.0, 2 * np.pi])
    np.testing.assert_allclose(around, -q, atol=1e-15)
    np.testing.assert_allclose(difference(BALL, q, around), 0.0, atol=1e-15)


def sample(kind, seed):
    """A mechanism of one joint of that type, anywhere, and a state of it."""
    model = random_description(seed, 1, kinds=(kind,)).build()
    return model, random_configuration(model, seed), np.random.default_rng(seed).normal(size=model.nv)


@pytest.mark.parametrize("kind", MOVING)
def test_the_velocity_of_a_joint_is_that_of_its_body(kind):
    """dT/dt = T [v x] along integrate: what the joint's record says of S is what its transform does."""
    for seed in range(5):
        model, q, v = sample(kind, seed)
        h = 1e-3
        T = {k: forward_kinematics(model, integrate(model, q, k * h * v))[0] for k in (-2, -1, 0, 1, 2)}
        rate = np.linalg.inv(T[0]) @ (8.0 * (T[1] - T[-1]) - (T[2] - T[-2])) / (12.0 * h)
        found = [rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]]
        np.testing.assert_allclose(body_velocities(model, q, v)[0], found, atol=1e-9)


@pytest.mark.parametrize("kind", MOVING)
def test_neutral_is_relaxed_and_where_the_joint_is_placed(kind):
    builder = ModelBuilder()
    options = random_joint(np.random.default_rng(3), kind, passive=False)
    builder.add_body("b", mass=1.0)
    builder.add_joint("j", kind, "world", "b", **options)
    builder.add_frame("there", "world", position=options["position"], rotation=options["rotation"])
    model = builder.build()
    np.testing.assert_array_equal(model.rest_position, neutral(model))
    T = forward_kinematics(model, neutral(model), ["b", "there"])
    np.testing.assert_allclose(T[0], T[1], atol=1e-15)


def test_neutral_is_no_displacement():
    builder = ModelBuilder()
    for kind, options in (
        ("revolute", {"axis": (0, 1, 0)}), ("free", {}), ("spherical", {}), ("planar", {"axis": (0, 0, 1)})
    ):  # fmt: skip
        builder.add_body(kind, mass=1.0)
        builder.add_joint(kind, kind, "world", kind, **options)
    model = builder.build()
    np.testing.assert_array_equal(neutral(model), [0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(forward_kinematics(model, neutral(model)), np.broadcast_to(np.eye(4), (4, 4, 4)))


def test_random_configurations_keep_the_limits_and_fill_them():
    model = single("cylindrical", axis=(0, 0, 1), lower_limit=[-0.1, 2.0], upper_limit=[0.3, 5.0])
    q = random_configuration(model, 0, 2000)
    assert (q >= model.lower_limit).all()
    assert (q <= model.upper_limit).all()
    np.testing.assert_allclose(q.min(0), model.lower_limit, atol=0.01)
    np.testing.assert_allclose(q.max(0), model.upper_limit, atol=0.01)


@pytest.mark.parametrize(
    ("limits", "low", "high"),
    [({}, -np.pi, np.pi), ({"lower_limit": 1.0}, 1.0, 1.0 + 2 * np.pi), ({"upper_limit": 1.0}, 1.0 - 2 * np.pi, 1.0)],
)
def test_random_configurations_without_limits_span_a_turn(limits, low, high):
    q = random_configuration(single("revolute", axis=(0, 0, 1), **limits), 0, 4000)
    np.testing.assert_allclose([q.min(), q.max()], [low, high], atol=0.02)


def test_random_configurations_between_limits_as_far_apart_as_numbers_go():
    q = random_configuration(single("prismatic", axis=(0, 0, 1), lower_limit=-1.7e308, upper_limit=1.7e308), 0, 1000)
    assert np.isfinite(q).all()
    assert (np.abs(q) > 1e308).any()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rng": "seed"}, ArgumentTypeError, "rng is 'seed', expected a numpy.random.Generator, a seed or None"),
        ({"rng": 1.5}, ArgumentTypeError, "rng is 1.5"),
        ({"rng": -1}, ArgumentValueError, "rng is -1"),
        ({"rng": True}, ArgumentTypeError, "rng is True"),
        ({"size": "3"}, ArgumentTypeError, "size is '3', expected an integer or a tuple of them"),
        ({"size": 2.0}, ArgumentTypeError, "size is 2.0"),
        ({"size": None}, ArgumentTypeError, "size is None"),
        ({"size": (2, "x")}, ArgumentTypeError, "size is"),
        ({"size": -1}, ArgumentValueError, "size is -1"),
        ({"size": 10**400}, ArgumentValueError, "size is an integer of 1329 bits"),
        ({"size": (0, 2**64)}, ArgumentValueError, "size is"),
        ({"size": (1,) * 70}, ArgumentValueError, "expected at most 24 axes"),
    ],
)
def test_what_is_no_seed_or_size_is_an_error_of_ours(options, error, message):
    with pytest.raises(error, match=f"random_configuration: .*{message}") as caught:
        random_configuration(FREE, **options)
    assert len(str(caught.value)) < 300


def test_random_configurations_repeat_with_a_seed_and_have_the_size_asked_for():
    a, b = (random_configuration(FREE, 5, (2, 3)) for _ in range(2))
    assert a.shape == (2, 3, 7)
    np.testing.assert_array_equal(a, b)
    np.testing.assert_allclose(np.linalg.norm(a[..., 3:], axis=-1), 1.0, rtol=1e-15)
    assert random_configuration(FREE, np.random.default_rng(5), 4).shape == (4, 7)


def test_random_turns_are_uniform():
    """The mean of R over uniform turns is zero."""
    R = forward_kinematics(BALL, random_configuration(BALL, 6, 500))[:, 0, :3, :3]
    assert np.abs(R.mean(axis=0)).max() < 5 / np.sqrt(3 * 500)
