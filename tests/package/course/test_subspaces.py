"""Subspaces of motions and forces: velocity fields of joints from their definition, complements, equations of constraint."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import subspace_angles

from pluecker.course import Subspaces, complement, motion_subspace, subspaces_of_constraints, velocity_at
from pluecker.spatial import pluecker_transform, transform_force, transform_motion
from tests.spatial import matrices as mat
from tests.spatial.precise import EPS

KINDS = {
    "fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "helical": 1, "cylindrical": 2, "universal": 2, "planar": 3,
    "spherical": 3, "free": 6,
}  # fmt: skip


def joint(kind, rng, point=(0.0, 0.0, 0.0)):
    """A joint of that kind in a random direction."""
    axes = rng.normal(size=(2, 3))
    if kind in ("fixed", "spherical", "free"):
        return motion_subspace(kind, point=point)
    if kind == "universal":
        return motion_subspace(kind, *axes, point=point)
    return motion_subspace(kind, axes[0], pitch=0.3 if kind == "helical" else None, point=point)


# ----------------------------------------------------------------------------------------------------------------- joints


@pytest.mark.parametrize("reach", [0.0, 1e-6, 1.0, 1e6])
def test_velocities_of_points_are_those_that_the_joint_allows(rng, reach):
    u, a, P, x = rng.normal(size=(4, 3))
    P, unit = reach * P, u / np.linalg.norm(u)
    turning, across = np.cross(unit, x - P), a - (a @ unit) * unit
    atol = 20 * EPS * (1.0 + reach) * 10

    def fields(S):
        return velocity_at(S.T, x)

    def same(S, expected):
        np.testing.assert_allclose(fields(S), np.reshape(expected, (-1, 3)), rtol=0, atol=atol)
        assert S.shape == (6, len(expected))

    same(motion_subspace("fixed", point=P), [])
    same(motion_subspace("revolute", u, point=P), [turning])
    same(motion_subspace("continuous", u, point=P), [turning])
    same(motion_subspace("prismatic", u, point=P), [unit])
    same(motion_subspace("helical", u, pitch=0.3, point=P), [turning + 0.3 * unit])
    same(motion_subspace("cylindrical", u, point=P), [turning, unit])
    b = a / np.linalg.norm(a)
    same(motion_subspace("universal", u, a, point=P), [turning, np.cross(b, x - P)])
    e = across / np.linalg.norm(across)
    same(motion_subspace("planar", u, a, point=P), [e, np.cross(unit, e), turning])
    same(motion_subspace("spherical", point=P), [np.cross(e, x - P) for e in np.eye(3)])
    same(motion_subspace("free", point=P), [np.cross(e, x - P) for e in np.eye(3)] + list(np.eye(3)))


def test_a_plane_has_an_axis_of_its_own():
    for normal, x in (([0, 0, 2], [1, 0, 0]), ([0, 3, 0], [1, 0, 0]), ([1, 0, 0], [0, 1, 0]), ([-3, 0, 1], [0, 1, 0])):
        S = motion_subspace("planar", normal)
        np.testing.assert_allclose(S[3:, 0], x, rtol=0, atol=EPS)
        np.testing.assert_allclose(S[3:, :2].T @ np.array(normal), 0.0, atol=4 * EPS)


def test_a_joint_is_the_same_in_all_coordinates(rng):
    E, r = mat.random_rotation(rng), rng.normal(size=3)
    X = pluecker_transform(E, r)
    u, a, P = rng.normal(size=(3, 3))
    for kind, axes in (("revolute", [u]), ("cylindrical", [u]), ("universal", [u, a]), ("planar", [u, a])):
        S = motion_subspace(kind, *axes, point=P)
        there = motion_subspace(kind, *(E @ axis for axis in axes), point=E @ (P - r))
        np.testing.assert_allclose(X @ S, there, rtol=0, atol=50 * EPS)


@pytest.mark.parametrize("size", [1e-160, 1e-8, 1.0, 1e160])
def test_the_length_of_an_axis_does_not_matter(rng, size):
    u = rng.normal(size=3)
    S, same = motion_subspace("cylindrical", size * u), motion_subspace("cylindrical", u)
    np.testing.assert_allclose(S, same, rtol=0, atol=4 * EPS)


@pytest.mark.parametrize("kind", KINDS)
def test_leading_axes_broadcast(kind, rng):
    assert joint(kind, rng, rng.normal(size=(5, 3))).shape == (5, 6, KINDS[kind])
    assert joint(kind, rng, rng.normal(size=(2, 0, 3))).shape == (2, 0, 6, KINDS[kind])


def test_axes_and_pitches_broadcast(rng):
    u, P = rng.normal(size=(4, 1, 3)), rng.normal(size=(3, 3))
    for kind in ("revolute", "prismatic", "cylindrical", "planar"):
        S = motion_subspace(kind, u, point=P)
        assert S.shape == (4, 3, 6, KINDS[kind])
        np.testing.assert_allclose(S[2, 1], motion_subspace(kind, u[2, 0], point=P[1]), rtol=0, atol=4 * EPS)
    assert motion_subspace("helical", u, pitch=[0.1, 0.2]).shape == (4, 2, 6, 1)
    assert motion_subspace("universal", u, P).shape == (4, 3, 6, 2)


# ------------------------------------------------------------------------------------------------------------- complement


@pytest.mark.parametrize("reach", [0.0, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("kind", KINDS)
def test_constraint_forces_do_no_work(kind, reach, rng):
    S = joint(kind, rng, reach * rng.normal(size=3))
    T = complement(S)
    assert T.shape == (6, 6 - KINDS[kind])
    assert (np.abs(S.T @ T) <= 20 * EPS * np.linalg.norm(S, axis=0)[:, None]).all()
    np.testing.assert_allclose(T.T @ T, np.eye(6 - KINDS[kind]), rtol=0, atol=20 * EPS)


@given(st.integers(0, 6), st.integers(0, 1000))
def test_the_complement_of_the_complement_is_the_subspace(n, seed):
    S = np.random.default_rng(seed).normal(size=(6, n)) * 10.0 ** np.random.default_rng(seed).uniform(-100, 100, n)
    back = complement(complement(S))
    assert back.shape == (6, n)
    if n:
        S = S / np.linalg.norm(S, axis=0)
        assert np.max(subspace_angles(back, S)) < 50 * EPS * np.linalg.cond(S)


def test_the_complement_does_not_depend_on_coordinates(rng):
    X = pluecker_transform(mat.random_rotation(rng), rng.normal(size=3))
    S = rng.normal(size=(6, 2))
    here = np.stack([transform_force(X, column) for column in complement(S).T], axis=-1)
    there = complement(np.stack([transform_motion(X, column) for column in S.T], axis=-1))
    assert np.max(subspace_angles(here, there)) < 1000 * EPS


@pytest.mark.parametrize("angle", [1e-2, 1e-6, 1e-9])
def test_columns_that_are_nearly_parallel_still_span_a_plane(rng, angle):
    a, b = np.linalg.qr(rng.normal(size=(6, 2)))[0].T
    T = complement(np.stack([a, np.cos(angle) * a + np.sin(angle) * b], axis=-1))
    assert T.shape == (6, 4)
    np.testing.assert_allclose(a @ T, 0.0, atol=10 * EPS)
    np.testing.assert_allclose(b @ T, 0.0, atol=10 * EPS / angle)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-12])
def test_columns_that_are_parallel_are_refused(rng, angle):
    a, b = np.linalg.qr(rng.normal(size=(6, 2)))[0].T
    S = np.stack([a, 1e5 * (a + angle * b), b], axis=-1)
    with pytest.raises(
        ValueError, match=r"^complement: the 3 columns of S are linearly dependent, they span 2 dimensions$"
    ):
        complement(S)
    with pytest.raises(ValueError, match=r"span 2 dimensions \(entry 0, 1\)$"):
        complement(np.stack([rng.normal(size=(6, 3)), S])[None])
    with pytest.raises(ValueError, match=r"the 2 columns of S are linearly dependent, they span 1 dimensions$"):
        complement(S[:, :2])
    with pytest.raises(ValueError, match="span 0 dimensions"):
        complement(np.zeros((6, 1)))


def test_batches_of_complements(rng):
    S = rng.normal(size=(4, 5, 6, 2))
    T = complement(S)
    assert T.shape == (4, 5, 6, 4)
    np.testing.assert_allclose(np.swapaxes(S, -1, -2) @ T, 0.0, atol=50 * EPS)
    assert complement(np.zeros((3, 6, 0))).shape == (3, 6, 6)
    assert complement(np.empty((0, 6, 2))).shape == (0, 6, 4)


# ------------------------------------------------------------------------------------------------ equations of constraint


def test_a_door_on_two_hinges_has_redundant_constraints(rng):
    """Ten equations, five of which say something; what is left is the rotation about the common line."""
    u, P, Q = np.array([0.0, 0.6, 0.8]), np.array([1.0, 2.0, 3.0]), 0.0
    Q = P + 0.7 * u
    hinges = [motion_subspace("revolute", u, point=point) for point in (P, Q)]
    A = np.concatenate([complement(S).T for S in hinges])
    S, T = subspaces_of_constraints(A)
    assert isinstance(subspaces_of_constraints(A), Subspaces)
    assert (S.shape, T.shape) == ((6, 1), (6, 5))
    assert np.max(subspace_angles(S, hinges[0])) < 50 * EPS
    np.testing.assert_allclose(S.T @ T, 0.0, atol=10 * EPS)
    np.testing.assert_allclose(A @ S, 0.0, atol=50 * EPS)
    aside = P + np.array([0.1, 0.0, 0.0])  # hinges that are not in line: the door is stuck
    shifted = motion_subspace("revolute", u, point=aside)
    S, T = subspaces_of_constraints(np.concatenate([complement(hinges[0]).T, complement(shifted).T]))
    assert (S.shape, T.shape) == ((6, 0), (6, 6))


def test_points_that_are_held(rng):
    """A point held in space is three equations: one leaves a ball joint, two a hinge, three nothing."""
    points = rng.normal(size=(3, 3))
    rows = [np.hstack([-mat.skew(P), np.eye(3)]) for P in points]
    ball = subspaces_of_constraints(rows[0]).S
    assert np.max(subspace_angles(ball, motion_subspace("spherical", point=points[0]))) < 200 * EPS
    hinge = subspaces_of_constraints(np.concatenate(rows[:2])).S
    line = motion_subspace("revolute", points[1] - points[0], point=points[0])
    assert np.max(subspace_angles(hinge, line)) < 500 * EPS
    assert subspaces_of_constraints(np.concatenate(rows)).S.shape == (6, 0)


def test_scale_and_repetition_of_equations_do_not_matter(rng):
    A = rng.normal(size=(3, 6))
    S, T = subspaces_of_constraints(A)
    more = np.concatenate([1e-120 * A, np.zeros((2, 6)), 1e9 * A[:1] - 1e9 * A[1:2], rng.normal(size=(4, 3)) @ A])
    again = subspaces_of_constraints(more)
    assert again.T.shape == (6, 3)
    assert np.max(subspace_angles(S, again.S)) < 500 * EPS
    assert np.max(subspace_angles(T, again.T)) < 500 * EPS
    assert np.max(subspace_angles(T, A.T)) < 500 * EPS


def test_units_of_equations_do_not_matter(rng):
    A = rng.normal(size=(4, 6))
    S = subspaces_of_constraints(A * np.array([[1e-30], [1e-10], [1.0], [1e30]])).S
    assert S.shape == (6, 2)
    np.testing.assert_allclose(A @ S, 0.0, atol=100 * EPS)


def test_no_equation_leaves_all_freedom():
    for A in (np.empty((0, 6)), np.zeros((2, 6))):
        S, T = subspaces_of_constraints(A)
        assert (S.shape, T.shape) == ((6, 6), (6, 0))
    assert subspaces_of_constraints(np.empty((4, 0, 6))).S.shape == (4, 6, 6)


def test_batches_of_equations_leave_one_number_of_freedoms(rng):
    A = rng.normal(size=(5, 2, 6))
    S, T = subspaces_of_constraints(A)
    assert (S.shape, T.shape) == ((5, 6, 4), (5, 6, 2))
    np.testing.assert_allclose(A @ S, 0.0, atol=50 * EPS)
    A[3, 1] = 2.0 * A[3, 0]
    with pytest.raises(ValueError, match="leave different degrees of freedom, 4 to 5; call it"):
        subspaces_of_constraints(A)
    assert subspaces_of_constraints(np.empty((0, 2, 6))).S.shape == (0, 6, 4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: motion_subspace("ball"), ValueError, "type is 'ball', expected one of 'fixed', 'revolute'"),
        (lambda: motion_subspace(["free"]), TypeError, "expected one of"),
        (lambda: motion_subspace("revolute"), ValueError, "a revolute joint needs axis"),
        (lambda: motion_subspace("universal", [0, 0, 1]), ValueError, "a universal joint needs axis2"),
        (lambda: motion_subspace("helical", [0, 0, 1]), ValueError, "a helical joint needs pitch"),
        (lambda: motion_subspace("free", [0, 0, 1]), ValueError, "a free joint has no axis"),
        (lambda: motion_subspace("revolute", [0, 0, 1], [0, 1, 0]), ValueError, "a revolute joint has no axis2"),
        (lambda: motion_subspace("revolute", [0, 0, 1], pitch=1.0), ValueError, "a revolute joint has no pitch"),
        (lambda: motion_subspace("revolute", [0, 0, 0]), ValueError, "axis is zero"),
        (lambda: motion_subspace("revolute", [[0, 0, 1], [0, 0, 0]]), ValueError, r"axis is zero.*\(entry 1\)"),
        (lambda: motion_subspace("universal", [0, 0, 1], [0, 0, -2]), ValueError, "axis2 is parallel to axis"),
        (lambda: motion_subspace("planar", [0, 1, 1], [0, 2, 2]), ValueError, "axis2 is parallel to axis"),
        (lambda: complement(np.ones((6, 7))), ValueError, r"S has shape \(6, 7\)"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
