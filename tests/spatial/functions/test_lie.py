"""Exponentials, logarithms and Jacobians against mpmath with fifty digits, next to every angle that is difficult."""

import mpmath
import numpy as np
import pytest

from pluecker.spatial import (
    crm,
    exp3,
    exp6,
    left_jacobian3,
    left_jacobian3_inverse,
    left_jacobian6,
    left_jacobian6_inverse,
    log3,
    log6,
    right_jacobian3,
    right_jacobian3_inverse,
    right_jacobian6,
    right_jacobian6_inverse,
)
from tests.conftest import EVERYTHING
from tests.spatial import precise
from tests.spatial.precise import ANGLES, BEYOND, EPS, error, exact, rounded, series

ULPS = 4.0
SINGULAR = (left_jacobian3_inverse, right_jacobian3_inverse, left_jacobian6_inverse, right_jacobian6_inverse)


def axes():
    rng = np.random.default_rng(5)
    random = rng.normal(size=(3, 3))
    unit = random / np.linalg.norm(random, axis=1, keepdims=True)
    few = [unit[0], np.array([0.0, 0.0, -1.0]), np.array([0.6, -0.8, 0.0])]
    return few + [*unit[1:], np.array([0.0, 1.0, 0.0])] * EVERYTHING


AXES = axes()
LINEAR = np.array([0.3, -1.2, 2.0])
at_angles = pytest.mark.parametrize("angle", ANGLES + BEYOND)
up_to_half_a_turn = pytest.mark.parametrize("angle", ANGLES)


def twists(angle):
    """Yield twists by that angle, with travels that are large and small beside it."""
    for u in AXES if EVERYTHING else AXES[2:]:
        yield np.concatenate([angle * u, LINEAR])
    yield np.concatenate([angle * AXES[0], 1e-6 * LINEAR])
    yield np.concatenate([angle * AXES[1], np.zeros(3)])


@at_angles
def test_the_exponential_of_a_rotation_vector(angle):
    for u in AXES:
        expected = series(precise.skew(list(exact(angle * u))))
        assert error(exp3(angle * u), list(expected)) < ULPS


@at_angles
def test_the_exponential_of_a_twist(angle):
    for d in twists(angle):
        assert error(exp6(d), list(series(precise.twist(list(exact(d)))))) < ULPS


@pytest.mark.parametrize("offset", [1e-6, 1.0, 1e6])
def test_a_placement_is_exact_at_any_distance(offset):
    """Turn and travel have an error of their own: the travel is of the size of what it is made from."""
    for angle in (1e-8, 1.0, np.pi):
        d = np.concatenate([angle * AXES[0], offset * LINEAR])
        T = series(precise.twist(list(exact(d))))
        assert error(exp6(d)[:3, :3], list(T[:3, :3])) < ULPS
        assert np.abs(exp6(d)[:3, 3] - rounded(T)[:3, 3]).max() < ULPS * EPS * offset * np.linalg.norm(LINEAR)


def as_turned(a, like):
    """Return the rotation vector nearer to ``like``: half a turn, and what a matrix cannot tell from it, has two."""
    return a if np.dot(a, like) >= 0.0 or np.linalg.norm(like) < 3.0 else a * (1.0 - 2.0 * np.pi / np.linalg.norm(a))


@up_to_half_a_turn
def test_the_logarithm_undoes_the_exponential(angle):
    """Given the nearest doubles to the exact rotation, which move the angle by a rounding error."""
    for u in AXES:
        R = rounded(series(precise.skew(list(exact(angle * u)))))
        assert error(as_turned(log3(R), angle * u), list(exact(angle * u))) < ULPS


@up_to_half_a_turn
def test_the_logarithm_of_a_placement(angle):
    for d in twists(angle):
        found = log6(rounded(series(precise.twist(list(exact(d))))))
        if np.dot(found[:3], d[:3]) < 0.0:  # the other of two
            np.testing.assert_allclose(exp6(found), exp6(d), rtol=0.0, atol=10.0 * EPS * (1.0 + np.abs(d).max()))
        else:
            assert error(found, list(exact(d))) < 2.0 * ULPS


def test_small_angles_keep_all_their_digits():
    for angle in (1e-3, 1e-8, 1e-100, 1e-160, 1e-300):
        a = angle * AXES[0]
        np.testing.assert_allclose(log3(exp3(a)), a, rtol=8.0 * EPS, atol=0.0)


@at_angles
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_jacobian_of_rotations_is_the_series(angle, sign):
    function = left_jacobian3 if sign > 0.0 else right_jacobian3
    for u in AXES:
        assert error(function(angle * u), list(series(precise.skew(list(exact(sign * angle * u))), 1))) < ULPS


@at_angles
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_jacobian_of_placements_is_the_series(angle, sign):
    function = left_jacobian6 if sign > 0.0 else right_jacobian6
    bound = ULPS if angle <= 4.0 else 2.0 * ULPS
    for d in twists(angle):
        assert error(function(d), list(series(precise.crm(list(exact(sign * d))), 1))) < bound


@at_angles
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_inverse_jacobians(angle, sign):
    """Jacobians next to a whole turn are large, and so is the error, of a product of two of them."""
    three, six = SINGULAR[::2] if sign > 0.0 else SINGULAR[1::2]
    for d in twists(angle):
        J = series(precise.crm(list(exact(sign * d))), 1)
        inverse = J**-1
        size = float(max(abs(x) for x in inverse))
        assert error(six(d), list(inverse)) < 2.0 * ULPS * (1.0 + size)
        assert error(three(d[:3]), list(inverse[:3, :3])) < ULPS * (1.0 + size)


@pytest.mark.parametrize("function", SINGULAR)
@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_whole_turn_has_no_inverse_jacobian(function, turns):
    d = np.concatenate([2.0 * np.pi * turns * AXES[0], LINEAR])
    with pytest.raises(ValueError, match=r"inverse: the angle is a whole turn, where the Jacobian is singular"):
        function(d[: 3 if "3" in function.__name__ else 6])


def test_the_jacobian_at_rest_is_the_identity_and_its_first_term_half_the_cross_product():
    np.testing.assert_array_equal(left_jacobian6(np.zeros(6)), np.eye(6))
    d = 1e-9 * np.arange(1.0, 7.0)
    np.testing.assert_allclose(left_jacobian6(d) - np.eye(6), 0.5 * crm(d), rtol=0.0, atol=EPS)


def test_a_large_angle_is_as_good_as_its_remainder():
    """An angle of 1000 is known to 1000 roundings; no more than a few times that is lost."""
    for u in AXES:
        a = 1000.0 * u
        expected = series(precise.skew(list(exact(a) - exact(u) * (2 * mpmath.pi) * 159)))
        assert error(exp3(a), list(expected)) < 4.0 * 1000.0


@pytest.mark.parametrize("bad", [2.0 * np.eye(3), -np.eye(3), np.zeros((3, 3)), np.eye(3) + np.eye(3, k=1) * 1e-5])
def test_what_is_no_rotation_has_no_logarithm(bad):
    with pytest.raises(ValueError, match=r"log3: R is not a rotation matrix"):
        log3(bad)
    T = np.eye(4)
    T[:3, :3] = bad
    with pytest.raises(ValueError, match=r"log6: T is not a placement"):
        log6(T)


def test_a_placement_ends_in_0001():
    for k in range(4):
        T = np.eye(4)
        T[3, k] += 0.01
        with pytest.raises(ValueError, match=r"log6: T is not a placement"):
            log6(T)


@pytest.mark.parametrize("turns", [1e5, 3e5, 1e7])
def test_the_inverse_jacobian_of_many_turns_is_there_between_whole_ones(turns):
    a = 2.0 * np.pi * (np.rint(turns) + 0.3) * np.array([0.6, 0.0, 0.8])
    for inverse, jacobian in (
        (left_jacobian3_inverse, left_jacobian3),
        (right_jacobian3_inverse, right_jacobian3),
    ):
        size = np.abs(inverse(a)).max()
        np.testing.assert_allclose(inverse(a) @ jacobian(a), np.eye(3), atol=1e-15 * turns * size)
