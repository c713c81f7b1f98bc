"""Planar vectors: against 3x3 definitions, and the course's exercises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluecker.course import planar
from tests.spatial.precise import EPS


def cross_matrix(v):
    """v x on planar motion vectors, from the motion of a translation and of a rotation centre with the body"""
    w, x, y = v
    return np.array([[0.0, 0.0, 0.0], [y, 0.0, -w], [-x, w, 0.0]])


# ------------------------------------------------------------------------------------------------- examples of the course


def test_the_example_of_section_12():
    w, P = 0.8, np.array([0.3, -1.2])
    v = planar.planar_twist(P, w)
    np.testing.assert_allclose(v, w * planar.D_O + w * P[1] * planar.D_X - w * P[0] * planar.D_Y, rtol=4 * EPS)
    np.testing.assert_allclose(planar.planar_velocity_at(v, P), 0.0, atol=4 * EPS)


def test_a_translation_moves_the_centre_of_a_rotation_at_right_angles():
    """Section 13: with the speed t along x, a rotation with rate w turns about a point t / w higher."""
    w, P, t = 2.0, np.array([0.5, 0.25]), 3.0
    moved = planar.center_of_rotation(planar.planar_twist(P, w) + t * planar.D_X)
    np.testing.assert_allclose(moved, [P[0], P[1] + t / w], rtol=4 * EPS)


# ------------------------------------------------------------------------------------------------------------------ laws

numbers = st.floats(-1e6, 1e6).map(lambda x: 0.0 if abs(x) < 1e-6 else x)
points = st.tuples(numbers, numbers).map(np.array)
rates = st.tuples(st.floats(1e-6, 1e6), st.sampled_from([-1.0, 1.0])).map(np.prod)


@given(points, rates)
def test_the_centre_of_a_rotation_is_found_again(P, w):
    v = planar.planar_twist(P, w)
    np.testing.assert_allclose(v, [w, w * P[1], -w * P[0]], rtol=4 * EPS)
    np.testing.assert_allclose(planar.center_of_rotation(v), P, rtol=16 * EPS)


@given(points, points.filter(lambda f: f.any()))
def test_a_force_acts_along_its_line(P, f):
    vector = planar.planar_line_force(f, P)
    size = np.linalg.norm(P) * np.linalg.norm(f)
    np.testing.assert_allclose(vector, [P[0] * f[1] - P[1] * f[0], *f], rtol=4 * EPS, atol=4 * EPS * size)
    direction, point = planar.planar_line_of_action(vector)
    np.testing.assert_allclose(direction, f / np.linalg.norm(f), rtol=0, atol=8 * EPS)
    reach = 1.0 + np.linalg.norm(P)
    assert abs(direction @ point) < 16 * EPS * reach
    assert abs(np.linalg.det(np.stack([direction, P - point]))) < 32 * EPS * reach
    assert abs(planar.planar_moment_at(vector, P)) <= 8 * EPS * size


def test_a_moment_is_that_of_the_lever(rng):
    n, fx, fy = f = rng.normal(size=3)
    P = rng.normal(size=(10, 2))
    expected = n + fx * P[:, 1] - fy * P[:, 0]
    np.testing.assert_allclose(planar.planar_moment_at(f, P), expected, rtol=0, atol=20 * EPS)


def test_power_is_the_sum_of_products(rng):
    m, f = rng.normal(size=(2, 5, 3))
    np.testing.assert_allclose(planar.planar_scalar_product(m, f), np.sum(m * f, axis=-1), rtol=0, atol=10 * EPS)
    P, force = rng.normal(size=(2, 2))
    power = planar.planar_scalar_product(m, planar.planar_line_force(force, P))
    np.testing.assert_allclose(power, planar.planar_velocity_at(m, P) @ force, rtol=0, atol=50 * EPS)


def test_bases_are_reciprocal():
    basis = np.stack([planar.D_O, planar.D_X, planar.D_Y])
    np.testing.assert_array_equal(planar.planar_scalar_product(basis[:, None], basis), np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        planar.D_O[0] = 2.0


def test_cross_products_are_3x3_matrices(rng):
    v, m, f = rng.normal(size=(3, 3))
    np.testing.assert_allclose(planar.planar_cross_motion(v, m), cross_matrix(v) @ m, rtol=0, atol=20 * EPS)
    np.testing.assert_allclose(planar.planar_cross_force(v, f), -cross_matrix(v).T @ f, rtol=0, atol=20 * EPS)


def test_a_rotation_carried_along_by_a_motion_turns_about_the_moved_centre(rng):
    """By finite differences: the derivative of a vector that is fixed in a body with velocity v."""
    v, P, h = rng.normal(size=3), rng.normal(size=2), 1e-6
    step = h * planar.planar_velocity_at(v, P)
    rate = (planar.planar_twist(P + step, 2.0) - planar.planar_twist(P - step, 2.0)) / (2 * h)
    np.testing.assert_allclose(planar.planar_cross_motion(v, planar.planar_twist(P, 2.0)), rate, rtol=0, atol=1e-8)


@given(st.floats(-7.0, 7.0), points, points, rates)
def test_a_transform_moves_centres_and_lines_and_keeps_power(angle, r, P, w):
    E = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    X, X_force = planar.planar_transform(angle, r), planar.planar_force_transform(angle, r)
    reach = 1.0 + np.linalg.norm(P) + np.linalg.norm(r)
    there = planar.planar_twist(E @ (P - r), w)
    np.testing.assert_allclose(X @ planar.planar_twist(P, w), there, rtol=0, atol=32 * EPS * reach * abs(w))
    f = np.array([0.6, -0.8])
    line = planar.planar_line_force(E @ f, E @ (P - r))
    np.testing.assert_allclose(X_force @ planar.planar_line_force(f, P), line, rtol=0, atol=32 * EPS * reach)
    np.testing.assert_allclose(X.T @ X_force, np.eye(3), rtol=0, atol=16 * EPS * reach)


def test_planar_vectors_are_the_6d_ones_of_the_plane(rng):
    a = rng.normal(size=(4, 3))
    x = planar.planar_to_spatial(a)
    np.testing.assert_array_equal(x[:, 2:5], a)
    np.testing.assert_array_equal(x[:, [0, 1, 5]], 0.0)
    np.testing.assert_array_equal(planar.spatial_to_planar(x), a)
    x[:, 0] = 1e-9
    np.testing.assert_array_equal(planar.spatial_to_planar(x), a)


# ------------------------------------------------------------------------------------------------------- shapes, errors


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: planar.spatial_to_planar([0, 0, 1, 2, 3, 1e-4]), ValueError,
         r"a is \[0.0, .*\], which leaves the x-y plane"),
        (lambda: planar.spatial_to_planar([[0, 0, 1, 0, 0, 0], [1, 0, 1, 0, 0, 0]]), ValueError, r"a\[1\] is"),
        (lambda: planar.center_of_rotation([0, 1, 2]), ValueError, "center_of_rotation: v cannot be used: w = 0"),
        (lambda: planar.center_of_rotation([[1, 1, 2], [0, 1, 2]]), ValueError, r"v cannot be used: .* \(entry 1\)"),
        (lambda: planar.planar_line_of_action([1, 0, 0]), ValueError,
         "planar_line_of_action: f cannot be used: f_x = f_y = 0"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
