"""Strategies: every sample is what it says, the difficult ones come up, and failures shrink to something simple."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from pluecker.spatial import (
    ForceVector,
    MotionVector,
    PlueckerError,
    RigidBodyInertia,
    check_consistent,
    from_pseudo_inertia,
    inverse_inertia,
    is_consistent,
    log3,
    pseudo_inertia,
    strategies,
    transform_parameters,
)
from tests.conftest import EXAMPLES

EPS = np.finfo(float).eps
MODEST = settings(
    max_examples=min(50, EXAMPLES), suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


@given(strategies.rotations(), strategies.quaternions(), strategies.directions())
def test_rotations_are_rotations_and_units_are_units(R, p, u):
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=8.0 * EPS)
    assert abs(np.linalg.det(R) - 1.0) < 16.0 * EPS  # 3/2 of what rows may be off, and four to compute it
    assert abs(np.linalg.norm(p) - 1.0) < 4.0 * EPS
    assert abs(np.linalg.norm(u) - 1.0) < 4.0 * EPS


@given(strategies.transforms(), strategies.placements())
def test_transforms_and_placements_are_made_of_a_rotation_and_an_offset(X, T):
    E, r = transform_parameters(X)
    for rotation, offset in ((E, r), (T[:3, :3], T[:3, 3])):
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=8.0 * EPS)
        length = np.linalg.norm(offset)
        assert length == 0.0 or 0.999e-6 < length < 1.001e6


@given(strategies.rigid_inertias())
def test_rigid_inertias_are_those_of_bodies(I):
    check_consistent(I, definite=True)
    assert (inverse_inertia(I) == inverse_inertia(I).T).all()


@given(strategies.barely_consistent_inertias())
def test_barely_consistent_inertias_are_consistent_and_barely(I):
    check_consistent(I)
    values = np.linalg.eigvalsh(pseudo_inertia(I))
    assert values[0] < 1e-9 * values[-1]


@given(strategies.articulated_inertias())
def test_articulated_inertias_are_symmetric_and_definite(A):
    assert (A == A.T).all()
    assert np.linalg.eigvalsh(A)[0] > 0.0


@given(strategies.batches(strategies.motion_vectors()))
def test_batches_have_one_axis_more(v):
    assert v.ndim == 2
    assert v.shape[1] == 6
    assert 1 <= len(v) <= 9


@given(
    strategies.motion_vectors().map(MotionVector),
    strategies.force_vectors().map(ForceVector),
    strategies.rigid_inertias().map(RigidBodyInertia.from_matrix),
)
def test_typed_samples(v, f, I):
    assert np.isfinite(v @ f)
    assert I.kinetic_energy(v) >= 0.0


DIFFICULT = {
    "no turn": (strategies.rotations(), lambda R: (np.eye(3) == R).all()),
    "an angle of 1e-160": (
        strategies.rotation_vectors(),
        lambda a: 0.9e-160 < np.hypot(np.hypot(a[0], a[1]), a[2]) < 1.1e-160,  # whose squares would underflow
    ),
    "an angle of 1e-8": (strategies.rotation_vectors(), lambda a: 0.99e-8 < np.linalg.norm(a) < 1.01e-8),
    "half a turn": (strategies.rotations(), lambda R: np.linalg.norm(log3(R)) > np.pi - 1e-12),
    "nearly half a turn": (strategies.rotation_vectors(), lambda a: 1e-10 < np.pi - np.linalg.norm(a) < 1e-8),
    "a pure shift": (strategies.transforms(), lambda X: (X[:3, :3] == np.eye(3)).all() and X[3:, :3].any()),
    "a large offset": (strategies.transforms(), lambda X: np.abs(X[3:, :3]).max() > 5e5),
    "a small offset": (strategies.transforms(), lambda X: 0.0 < np.abs(X[3:, :3]).max() < 2e-6),
    "a rotation about a line": (strategies.motion_vectors(), lambda v: v[:3].any() and not v[3:].any()),
    "a translation": (strategies.motion_vectors(), lambda v: v[3:].any() and not v[:3].any()),
    "a couple": (strategies.force_vectors(), lambda f: f[:3].any() and not f[3:].any()),
    "a quaternion with negative w": (strategies.quaternions(), lambda p: p[0] < -0.5),
    "a point mass": (strategies.barely_consistent_inertias(), lambda I: not (I[:3, :3] - I[5, 5] * 0.0).any()),
    "a full batch": (strategies.batches(st.just(np.zeros(6))), lambda v: len(v) == 9),
}


@pytest.mark.parametrize("name", DIFFICULT)
def test_difficult_samples_come_up(name):
    strategy, condition = DIFFICULT[name]
    once = settings(max_examples=20_000, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    find(strategy, condition, settings=once)


@pytest.mark.slow
def test_samples_shrink_to_the_simplest():
    anything = settings(max_examples=1000, suppress_health_check=list(HealthCheck))
    np.testing.assert_array_equal(find(strategies.rotations(), lambda _: True, settings=anything), np.eye(3))
    np.testing.assert_array_equal(find(strategies.transforms(), lambda _: True, settings=anything), np.eye(6))
    np.testing.assert_array_equal(find(strategies.motion_vectors(), lambda _: True, settings=anything), np.zeros(6))
    np.testing.assert_array_equal(find(strategies.quaternions(), lambda _: True, settings=anything), [1, 0, 0, 0])
    turned = find(strategies.rotations(), lambda R: not np.allclose(R, np.eye(3)), settings=anything)
    assert (np.abs(np.abs(log3(turned)) > 1e-9)).sum() == 1  # about an axis of the frame


@MODEST
@given(strategies.barely_consistent_inertias(), st.floats(1e-4, 1e-2))
def test_beyond_the_border_is_inconsistent(I, much):
    """The least second moment is made a little negative: so the border is where it is said to be."""
    values, axes = np.linalg.eigh(pseudo_inertia(I))
    P = axes @ np.diag([-much * values[-1], *values[1:]]) @ axes.T
    worse = from_pseudo_inertia(0.5 * (P + P.T))
    assert is_consistent(I)
    assert not is_consistent(worse)


@pytest.mark.parametrize(
    "bad", [(0.0, 1.0), (2.0, 1.0), (-1.0, 1.0), ("a", 1.0), (1.0, None), (1.0, 10**400), ([1.0, 2.0], 3.0)]
)
@pytest.mark.parametrize("name", ["sizes", "vectors", "motion_vectors", "force_vectors", "transforms"])
def test_ranges_that_cannot_be_are_refused_at_once(name, bad):
    with pytest.raises(PlueckerError, match=rf"^{name}: "):
        getattr(strategies, name)(*bad)
