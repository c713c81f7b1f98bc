"""Twists and wrenches: as fields, as two magnitudes and a line; against definitions, mpmath and the course's exercises."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluecker.course import (
    central_axis,
    couple,
    line_force,
    magnitudes,
    moment_at,
    pitch,
    screw_axis,
    twist,
    velocity_at,
    wrench,
    wrench_magnitudes,
    wrench_pitch,
)
from pluecker.spatial import pluecker_transform, scalar_product, transform_force, transform_motion
from tests.spatial import matrices as mat
from tests.spatial.precise import EPS, exact

SIZES = [1e-160, 1e-8, 1e-6, 1.0, 1e6, 1e100]


def swap(f):
    """A wrench as the twist with the same field: the force in the place of the angular velocity."""
    return np.concatenate([f[..., 3:], f[..., :3]], axis=-1)


# ---------------------------------------------------------------------------------------------------------------- fields


def test_the_velocity_of_a_point_is_the_linear_part_in_coordinates_that_begin_there(rng):
    v, P = rng.normal(size=6), 10.0 * rng.normal(size=3)
    np.testing.assert_allclose(velocity_at(v, P), (mat.X_matrix((np.eye(3), P)) @ v)[3:], rtol=0, atol=100 * EPS)


def test_the_moment_about_a_point_is_the_angular_part_in_coordinates_that_begin_there(rng):
    f, P = rng.normal(size=6), 10.0 * rng.normal(size=3)
    there = np.linalg.inv(mat.X_matrix((np.eye(3), P))).T @ f
    np.testing.assert_allclose(moment_at(f, P), there[:3], rtol=0, atol=200 * EPS)


def test_the_field_of_a_rotation_is_that_of_the_parallel_one_through_the_origin_and_a_translation(rng):
    w, Q, P = rng.normal(size=(3, 3))
    size = np.linalg.norm(w)
    through_Q, through_O = twist(w, Q, size), twist(w, np.zeros(3), size)
    there = velocity_at(through_O, P) + velocity_at(through_Q, np.zeros(3))
    np.testing.assert_allclose(velocity_at(through_Q, P), there, rtol=0, atol=50 * EPS)
    np.testing.assert_allclose(velocity_at(through_Q, P), np.cross(w, P - Q), rtol=0, atol=50 * EPS)


def test_a_line_force_has_the_moment_of_its_lever(rng):
    f, Q, P = rng.normal(size=(3, 3))
    np.testing.assert_allclose(moment_at(line_force(f, Q), P), np.cross(Q - P, f), rtol=0, atol=50 * EPS)
    np.testing.assert_allclose(moment_at(line_force(f, Q), Q + 3.0 * f), 0.0, atol=100 * EPS)


def test_a_line_force_delivers_the_power_of_the_point_that_it_acts_on(rng):
    v, f, P = rng.normal(size=6), rng.normal(size=3), rng.normal(size=3)
    np.testing.assert_allclose(scalar_product(v, line_force(f, P)), f @ velocity_at(v, P), rtol=0, atol=50 * EPS)


def test_a_couple_delivers_power_to_rotation_only_and_is_the_same_everywhere(rng):
    v, n, r = rng.normal(size=6), rng.normal(size=3), rng.normal(size=3)
    np.testing.assert_allclose(scalar_product(v, couple(n)), n @ v[:3], rtol=0, atol=20 * EPS)
    np.testing.assert_array_equal(moment_at(couple(n), rng.normal(size=(5, 3))), np.tile(n, (5, 1)))
    both = line_force(n, r) + line_force(-n, np.zeros(3))  # two opposite forces along parallel lines
    np.testing.assert_allclose(both, couple(np.cross(r, n)), rtol=0, atol=20 * EPS)


# ----------------------------------------------------------------------------------------------------- magnitudes, lines


def exact_screw(a, b):
    """``(u, p, A, B)`` by the formulas of exercises A3 and A4, in fifty digits."""
    a, b = list(exact(a)), list(exact(b))
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    square = sum(x * x for x in a)
    A = mpmath.sqrt(square)
    cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return [x / A for x in a], [c / square for c in cross], A, dot / A


@pytest.mark.parametrize("linear", SIZES)
@pytest.mark.parametrize("angular", SIZES)
def test_the_axis_and_the_magnitudes_in_fifty_digits(angular, linear):
    """A rounding in w turns the axis by EPS: that moves the point by EPS |v| / |w|, and the speed along it by EPS |v|."""
    rng = np.random.default_rng(1)
    for _ in range(10):
        w, v = angular * rng.normal(size=3), linear * rng.normal(size=3)
        u, p, A, B = exact_screw(w, v)
        speed = mpmath.sqrt(sum(x * x for x in exact(v)))
        for found in (screw_axis(np.concatenate([w, v])), central_axis(np.concatenate([v, w]))):
            direction, point, first, second = found
            assert max(abs(x - y) for x, y in zip(exact(direction), u, strict=True)) < 4 * EPS
            assert max(abs(x - y) for x, y in zip(exact(point), p, strict=True)) < 8 * EPS * speed / A
            assert abs(mpmath.mpf(float(first)) - A) < 4 * EPS * A
            assert abs(mpmath.mpf(float(second)) - B) < 8 * EPS * speed
            assert abs(mpmath.mpf(float(found.pitch)) - B / A) < 12 * EPS * speed / A
        assert pitch([*w, *v]) == screw_axis([*w, *v]).pitch == wrench_pitch([*v, *w])


numbers = st.floats(-1.0, 1.0).filter(lambda x: x == 0.0 or abs(x) > 1e-3)
directions = st.tuples(numbers, numbers, numbers).map(np.array).filter(lambda a: np.linalg.norm(a) > 1e-3)
offsets = st.tuples(directions, st.floats(-6.0, 6.0)).map(lambda x: x[0] * 10.0 ** x[1])


@given(directions, offsets, st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_a_screw_gives_its_vector_and_the_vector_its_screw(direction, point, first, second):
    for to_vector, to_screw in ((twist, screw_axis), (wrench, central_axis)):
        vector = to_vector(direction, point, first, second)
        screw = to_screw(vector)
        u = direction / np.linalg.norm(direction)
        reach = np.linalg.norm(point)
        np.testing.assert_allclose(screw.direction, u, rtol=0, atol=8 * EPS)
        closest = point - (u @ point) * u
        size = reach + abs(second) / first
        np.testing.assert_allclose(screw.point, closest, rtol=0, atol=20 * EPS * size)
        np.testing.assert_allclose(screw[2], first, rtol=8 * EPS)
        np.testing.assert_allclose(screw[3], second, rtol=0, atol=20 * EPS * first * size)
        again = to_vector(*screw)
        np.testing.assert_allclose(again, vector, rtol=0, atol=40 * EPS * (first * (reach + 1.0) + abs(second)))


@given(directions, offsets, directions, offsets)
def test_pitch_and_magnitudes_do_not_depend_on_coordinates_and_the_axis_moves_as_a_line(a, b, axis, r):
    E = mat.random_rotation(np.random.default_rng(int(1e6 * abs(axis[0]))))
    X = pluecker_transform(E, r)
    cases = (
        (np.concatenate([a, b]), transform_motion, screw_axis, magnitudes, pitch),
        (np.concatenate([b, a]), transform_force, central_axis, wrench_magnitudes, wrench_pitch),
    )
    for vector, transform, to_screw, sizes, pitch_of in cases:
        there = transform(X, vector)
        angular = np.linalg.norm(a)
        size = np.linalg.norm(b) + angular * np.linalg.norm(r)  # what the linear part may be, and is rounded by
        atol = 40 * EPS * size
        np.testing.assert_allclose(sizes(there)[0], sizes(vector)[0], rtol=8 * EPS)
        np.testing.assert_allclose(sizes(there)[1], sizes(vector)[1], rtol=0, atol=atol)
        np.testing.assert_allclose(pitch_of(there), pitch_of(vector), rtol=0, atol=atol / angular)
        here, found = to_screw(vector), to_screw(there)
        np.testing.assert_allclose(found.direction, E @ here.direction, rtol=0, atol=20 * EPS)
        image = E @ (here.point - r)  # of a point of the line; it need not be the one next to the new origin
        off = np.cross(found.direction, image - found.point)
        np.testing.assert_allclose(off, 0.0, atol=atol / angular)


def test_on_its_axis_a_field_is_parallel_to_it_and_nowhere_smaller(rng):
    v = rng.normal(size=6)
    axis = screw_axis(v)
    along = axis.point + np.linspace(-3.0, 3.0, 7)[:, None] * axis.direction
    parallel = np.tile(axis.linear * axis.direction, (7, 1))
    np.testing.assert_allclose(velocity_at(v, along), parallel, rtol=0, atol=100 * EPS)
    elsewhere = np.linalg.norm(velocity_at(v, 5.0 * rng.normal(size=(100, 3))), axis=-1)
    assert (elsewhere >= abs(axis.linear)).all()
    assert abs(axis.point @ axis.direction) < 20 * EPS


def test_a_translation_and_a_couple_have_a_direction_and_no_line(rng):
    v = rng.normal(size=3)
    size = np.linalg.norm(v)
    for screw in (screw_axis([0, 0, 0, *v]), central_axis([*v, 0, 0, 0])):
        np.testing.assert_allclose(screw.direction, v / size, rtol=4 * EPS)
        np.testing.assert_array_equal(screw.point, 0.0)
        np.testing.assert_allclose([screw[2], screw[3]], [0.0, size], rtol=4 * EPS)
        assert screw.pitch == np.inf
    assert pitch([0, 0, 0, *v]) == wrench_pitch([*v, 0, 0, 0]) == np.inf
    np.testing.assert_allclose(twist(*screw_axis([0, 0, 0, *v])), [0, 0, 0, *v], rtol=8 * EPS)
    np.testing.assert_allclose(wrench(*central_axis([*v, 0, 0, 0])), [*v, 0, 0, 0], rtol=8 * EPS)


def test_a_zero_vector_has_magnitudes_and_neither_axis_nor_pitch():
    np.testing.assert_array_equal(magnitudes(np.zeros(6)), 0.0)
    np.testing.assert_array_equal(wrench_magnitudes(np.zeros((2, 6))), 0.0)
    for function, name in ((screw_axis, "v"), (central_axis, "f"), (pitch, "v"), (wrench_pitch, "f")):
        with pytest.raises(ValueError, match=rf"^{function.__name__}: {name} is zero, which has no"):
            function(np.zeros(6))
        with pytest.raises(ValueError, match=r"\(entry 1, 0\)"):
            function([[[1, 0, 0, 0, 0, 1]], [[0, 0, 0, 0, 0, 0]]])


def test_an_axis_beyond_all_numbers_is_no_silent_infinity():
    nearly_a_translation = [1e-310, 0, 0, 0, 1, 0]
    with pytest.raises(ValueError, match="farther away than float64 can say"):
        screw_axis(nearly_a_translation)
    assert magnitudes(nearly_a_translation)[0] == 1e-310


# ------------------------------------------------------------------------------------------------------- shapes, errors


def test_a_wrench_and_the_twist_with_the_same_numbers_have_the_same_screw(rng):
    f = rng.normal(size=(10, 6))
    for found, expected in zip(central_axis(f), screw_axis(swap(f)), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: twist([0, 0, 0], [0, 0, 0]), ValueError, "twist: direction is zero"),
        (lambda: wrench([0, 0, 0], [0, 0, 0]), ValueError, "wrench: direction is zero"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
