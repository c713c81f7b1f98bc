"""Physically consistent inertias: against clouds of point masses, congruence, and the definition of each law."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pluecker.spatial import (
    check_consistent,
    from_pseudo_inertia,
    is_consistent,
    placement,
    pluecker_transform,
    principal_axes,
    pseudo_inertia,
    shapes,
    spatial_inertia,
    transform_inertia,
)
from tests.spatial import matrices as mat
from tests.spatial.precise import EPS


def of_points(masses, points):
    """The sum over point masses of [-x~x~, x~; -x~, 1]: the definition."""
    total = np.zeros((6, 6))
    for m, x in zip(masses, points, strict=True):
        X = mat.skew(x)
        total += m * np.block([[-X @ X, X], [-X, np.eye(3)]])
    return total


def turned(moments, rng, mass=1.0, offset=0.0):
    """An inertia with these principal moments, about random axes, with its centre somewhere at that distance."""
    R, c = mat.random_rotation(rng), rng.normal(size=3)
    return spatial_inertia(mass, offset * c / np.linalg.norm(c), R @ np.diag(moments) @ R.T)


# ------------------------------------------------------------------------------------------------------ what bodies have


@pytest.mark.parametrize("offset", [0.0, 1e-6, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_every_cloud_of_masses_is_consistent_in_every_frame(rng, size, offset):
    for count in (1, 2, 3, 4, 20):  # a point, a rod, a plate, and bodies
        masses, points = rng.uniform(0.1, 10.0, count), size * rng.normal(size=(count, 3))
        I = of_points(masses, points)
        check_consistent(I)
        moved = transform_inertia(pluecker_transform(mat.random_rotation(rng), offset * rng.normal(size=3)), I)
        check_consistent(moved)
        assert is_consistent(moved)
        assert is_consistent(np.zeros((6, 6)))


def test_rounding_that_a_journey_leaves_is_no_flaw(rng):
    """There and back by plain matrices: the first moment is then noise, and noise is not skew-symmetric."""
    I = shapes.sphere(2.0, 0.1)
    for _ in range(20):
        E, r = mat.random_rotation(rng), rng.normal(size=3)
        there, back = mat.X_matrix((E, r)), mat.X_matrix((E.T, -E @ r))
        returned = back.T @ (there.T @ I @ there) @ back
        check_consistent(returned)
        check_consistent(returned, definite=True)
        pseudo_inertia(returned)
        np.testing.assert_allclose(principal_axes(returned).moments, 0.4 * 2.0 * 0.01, rtol=0, atol=100 * EPS)


def test_files_may_be_rounded(rng):
    I = turned([1.0, 1.0, 2.0], rng)  # a plate, on the edge of the triangle inequality
    check_consistent(I + np.diag([0.0, 0.0, 0.0, 1e-7, -1e-7, 0.0]))
    check_consistent(turned([1.0, 1.0, 2.0 + 1e-6], rng))
    check_consistent(turned([-1e-7, 1.0, 1.0], rng))
    for moments in ([1.0, 1.0, 2.0 + 1e-5], [-1e-5, 1.0, 1.0]):
        assert not is_consistent(turned(moments, rng))


# ------------------------------------------------------------------------------------------------------ what none can have


moments = st.floats(-1.0, 3.0)


@given(moments, moments, moments, st.integers(0, 100), st.sampled_from([0.0, 1.0, 30.0]))
def test_all_three_conditions_say_the_same(a, b, c, seed, offset):
    """Triangle inequalities with moments that are not negative; second moments; the pseudo-inertia in any frame."""
    second = 0.5 * np.array([b + c - a, a + c - b, a + b - c])
    assume(np.abs(second).min() > 1e-4)
    possible = bool(a >= 0 and b >= 0 and c >= 0 and a <= b + c and b <= a + c and c <= a + b)
    assert possible == bool((second > 0).all())
    I = turned([a, b, c], np.random.default_rng(seed), offset=offset)
    assert bool(is_consistent(I)) == possible
    assert bool(np.linalg.eigvalsh(pseudo_inertia(I)).min() > 0) == possible
    if possible:
        check_consistent(I, definite=True)
    else:
        with pytest.raises(ValueError, match="check_consistent: the principal moments"):
            check_consistent(I)


def test_messages_say_what_is_impossible(rng):
    good = turned([2.0, 3.0, 4.0], rng, offset=0.5)
    cases = []

    def case(message, **changes):
        I = good.copy()
        for place, value in changes.values():
            I[place] = value
        cases.append((I, message))

    case("an inertia is symmetric, but I\\[0, 1\\] is 7 and I\\[1, 0\\] is ", a=((0, 1), 7.0))
    case("an inertia is symmetric", a=((0, 4), good[0, 4] + 0.1))
    case("an inertia is symmetric", a=((3, 4), 0.1))
    case("lower right block must be the mass times the unit matrix", a=((3, 3), 2.0))
    case("lower right block must be", a=((3, 4), 0.1), b=((4, 3), 0.1))
    case("upper right block must be skew-symmetric", a=((0, 3), 0.1), b=((3, 0), 0.1))
    case("upper right block must be skew", a=((0, 4), good[0, 4] + 0.1), b=((4, 0), good[0, 4] + 0.1))
    cases += [
        (-good, "the mass is -1 kg: it cannot be negative"),
        (
            np.diag([1.0, 1, 1, 0, 0, 0]),
            "the mass is 0 kg, with a first moment of 0 kg m and moments of inertia up to 1",
        ),
        (good - np.diag([0.0, 0, 0, 1, 1, 1]), "the mass is 0 kg, with a first moment of 0.5 kg m"),
        (np.diag([-1.0, 2, 3, 1, 1, 1]), "are -1, 2, 3 kg m\\^2: none can be negative"),
        (
            np.diag([1.0, 2, 4, 2, 2, 2]),
            "are 1, 2, 4 kg m\\^2: the largest exceeds the sum of the two others by 1 kg m\\^2",
        ),
        (np.diag([1.0, 2, 4, 2, 2, 2]), "along that axis would be -0.25 m\\^2"),
    ]
    for I, message in cases:
        assert not is_consistent(I)
        with pytest.raises(ValueError, match="^check_consistent: .*" + message):
            check_consistent(I)
    for I, _ in cases[:7]:  # what has not the form has neither a pseudo-inertia nor principal axes
        for function in (pseudo_inertia, principal_axes):
            with pytest.raises(ValueError, match=f"^{function.__name__}: "):
                function(I)


def test_semidefinite_is_consistent_and_not_definite():
    point = spatial_inertia(2.0, [0.1, 0.2, 0.3], np.zeros((3, 3)))
    plate = spatial_inertia(2.0, [0.1, 0.2, 0.3], np.diag([1.0, 2.0, 3.0]))
    for I, definite in ((point, False), (shapes.rod(2.0, 1.0), False), (np.zeros((6, 6)), False), (plate, True)):
        check_consistent(I)
        assert is_consistent(I)
        assert bool(is_consistent(I, definite=True)) == definite
        assert bool(np.linalg.eigvalsh(I).min() > 1e-12) == definite
        if not definite:
            with pytest.raises(ValueError, match="there is motion without kinetic energy"):
                check_consistent(I, definite=True)
    with pytest.raises(ValueError, match="the mass is 0 kg; the principal moments"):
        check_consistent(np.zeros((6, 6)), definite=True)


def test_a_batch_has_one_answer_for_each_entry(rng):
    good, bad = shapes.box(1.0, [1, 2, 3]), np.diag([1.0, 2, 4, 2, 2, 2])
    I = np.array([[good, good, good], [good, bad, -good]])
    np.testing.assert_array_equal(is_consistent(I), [[True, True, True], [True, False, False]])
    assert is_consistent(I).dtype == bool
    with pytest.raises(ValueError, match=r"the mass is .* \(entry 1, 2\)$"):
        check_consistent(I)
    with pytest.raises(ValueError, match=r"\(entry 1, 1\)$"):
        check_consistent(I[:, :2])
    assert is_consistent(np.empty((0, 6, 6))).shape == (0,)
    check_consistent(np.empty((0, 6, 6)))
    assert pseudo_inertia(I[0]).shape == (3, 4, 4)
    assert [x.shape for x in principal_axes(I[0])] == [(3, 3), (3, 3, 3), (3, 3)]
    assert principal_axes(np.empty((0, 6, 6))).axes.shape == (0, 3, 3)
    assert from_pseudo_inertia(np.empty((0, 4, 4))).shape == (0, 6, 6)


# ---------------------------------------------------------------------------------------------------------- pseudo-inertia


def test_pseudo_inertia_is_the_sum_of_points_with_a_one(rng):
    masses, points = rng.uniform(0.1, 1.0, 7), rng.normal(size=(7, 3))
    ones = np.concatenate([points, np.ones((7, 1))], axis=1)
    np.testing.assert_allclose(
        pseudo_inertia(of_points(masses, points)), (ones.T * masses) @ ones, rtol=0, atol=50 * EPS
    )


def test_pseudo_inertia_and_back(rng):
    I = np.stack([mat.rigid_matrix(mat.random_rigid(rng)) for _ in range(10)])
    np.testing.assert_allclose(from_pseudo_inertia(pseudo_inertia(I)), I, rtol=0, atol=20 * EPS)
    P = rng.normal(size=(10, 4, 4))
    P = P + np.swapaxes(P, -1, -2)
    np.testing.assert_allclose(pseudo_inertia(from_pseudo_inertia(P)), P, rtol=0, atol=50 * EPS)


def test_every_positive_semidefinite_matrix_is_a_body(rng):
    for rank in (1, 2, 3, 4, 6):
        A = rng.normal(size=(100, 4, rank))
        assert is_consistent(from_pseudo_inertia(A @ np.swapaxes(A, -1, -2))).all()
    A = rng.normal(size=(100, 4, 4))
    negative = A @ np.diag([1.0, 1.0, 1.0, -0.5]) @ np.swapaxes(A, -1, -2)
    assert not is_consistent(from_pseudo_inertia(negative)).any()


def test_pseudo_inertia_changes_frames_by_the_placement(rng):
    I = mat.rigid_matrix(mat.random_rigid(rng))
    X = pluecker_transform(mat.random_rotation(rng), rng.normal(size=3))
    T = placement(X)
    there = pseudo_inertia(transform_inertia(X, I))
    np.testing.assert_allclose(T @ there @ T.T, pseudo_inertia(I), rtol=0, atol=500 * EPS)


# ---------------------------------------------------------------------------------------------------------- principal axes


@pytest.mark.parametrize("offset", [0.0, 1e-6, 1.0, 1e3])
def test_in_principal_axes_an_inertia_is_diagonal(rng, offset):
    values = np.array([2.0, 3.0, 4.0])
    I = turned(values[rng.permutation(3)], rng, mass=1.5, offset=offset)
    found, R, center = principal_axes(I)
    tolerance = 100 * EPS * (1.0 + offset) ** 2
    np.testing.assert_allclose(found, values, rtol=0, atol=tolerance)
    np.testing.assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=20 * EPS)
    np.testing.assert_allclose(np.linalg.det(R), 1.0, rtol=20 * EPS)
    np.testing.assert_allclose(np.linalg.norm(center), offset, rtol=0, atol=20 * EPS * (1.0 + offset))
    there = transform_inertia(pluecker_transform(R.T, center), I)
    np.testing.assert_allclose(there, np.diag([*found, 1.5, 1.5, 1.5]), rtol=0, atol=10 * tolerance)
    for axis in (R[:, 0], R[:, 1]):
        assert axis[np.argmax(np.abs(axis))] > 0.0


def test_equal_moments_have_some_axes(rng):
    for moments in ([2.0, 2.0, 2.0], [1.0, 2.0, 2.0], [2.0, 2.0, 3.0], [1.0, 1.0 + 1e-9, 2.0]):
        I = turned(moments, rng, offset=0.3)
        found, R, center = principal_axes(I)
        np.testing.assert_allclose(found, moments, rtol=0, atol=100 * EPS)
        np.testing.assert_allclose(np.linalg.det(R), 1.0, rtol=20 * EPS)
        there = transform_inertia(pluecker_transform(R.T, center), I)
        np.testing.assert_allclose(there, np.diag([*moments, 1, 1, 1]), rtol=0, atol=200 * EPS)


def test_axes_of_a_box_are_its_edges():
    found, R, center = principal_axes(shapes.box(12.0, [1.0, 3.0, 2.0]))
    np.testing.assert_allclose(found, [5.0, 10.0, 13.0], rtol=4 * EPS)
    np.testing.assert_array_equal(R, [[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(center, 0.0)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: from_pseudo_inertia(np.triu(np.ones((4, 4)))),
            ValueError,
            "^from_pseudo_inertia: P must be symmetric",
        ),
        (lambda: from_pseudo_inertia(np.eye(4) + np.eye(4, k=3)), ValueError, "^from_pseudo_inertia: P must be symm"),
        (lambda: principal_axes(np.zeros((6, 6))), ValueError, "^principal_axes: the mass is 0 kg: there is no centre"),
        (lambda: principal_axes(np.diag([1.0, 1, 1, 0, 0, 0])), ValueError, "^principal_axes: the mass is 0 kg"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
