"""The two-body problem: 3D against 6D vectors, both against Newton, Euler and the joint's constraint solved at once."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluecker.course import motion_subspace, twist, two_body
from pluecker.spatial import (
    pluecker_transform,
    shapes,
    spatial_inertia,
    transform_force,
    transform_inertia,
    transform_motion,
)
from tests.spatial import matrices as mat
from tests.spatial.precise import EPS, exact

two_body_3d, two_body_6d = two_body.two_body_3d, two_body.two_body_6d


@pytest.fixture(params=range(5))
def rng(request):
    return np.random.default_rng(request.param)


def random_body(rng, size=1.0):
    """A mass and a rotational inertia about the centre of mass."""
    mass, points = rng.uniform(0.5, 2.0), size * rng.normal(size=(6, 3))
    points -= points.mean(axis=0)
    return mass, sum(mass / 6.0 * (p @ p * np.eye(3) - np.outer(p, p)) for p in points)


def problem(rng, size=1.0, reach=1.0):
    """m1, I1, m2, I2, r1, r2, s, and the force f, n."""
    r1, r2, s, f, n = rng.normal(size=(5, 3))
    body1, body2 = random_body(rng, size), random_body(rng, size)
    return (*body1, *body2, reach * r1, reach * r2, s / np.linalg.norm(s)), f, reach * n


def newton_euler(parameters, f, n):
    """a1, dw1, a2, dw2, alpha in fifty digits, from the laws for each body and the constraint, all at once.

    The unknowns are a1, dw1, a2, dw2, alpha, and the force g and couple k through the joint, both at P, on body 2.
    """
    m1, I1, m2, I2, r1, r2, s = parameters
    x1, x2, one, zero = mat.skew(r1), mat.skew(r2), np.eye(3), np.zeros((3, 3))
    column, row = s[:, None], np.zeros((1, 3))
    none = np.zeros((3, 1))
    A = np.block([
        [m1 * one, zero, zero, zero, none, one, zero],  # m1 a1 = f - g
        [zero, I1, zero, zero, none, x1, one],  # I1 dw1 = n - r1 x g - k
        [zero, zero, m2 * one, zero, none, -one, zero],  # m2 a2 = g
        [zero, zero, zero, I2, none, -x2, -one],  # I2 dw2 = r2 x g + k
        [one, -x1, -one, x2, none, zero, zero],  # the point P of both: a + dw x r
        [zero, one, zero, -one, column, zero, zero],  # dw2 = dw1 + s alpha
        [row, row, row, row, np.zeros((1, 1)), row, s[None]],  # s . k = 0
    ])  # fmt: skip
    b = np.concatenate([f, n, np.zeros(13)])
    x = np.array([float(value) for value in mpmath.lu_solve(exact(A), exact(b))])
    return x[:3], x[3:6], x[6:9], x[9:12], x[12], x[13:16], x[16:]


def in_6d(parameters):
    """Return the two bodies and their axis as 6D quantities, in the frame with its origin in C1."""
    m1, I1, m2, I2, r1, r2, s = parameters
    return spatial_inertia(m1, np.zeros(3), I1), spatial_inertia(m2, r1 - r2, I2), twist(s, r1)


@pytest.mark.parametrize("size", [1e-2, 1.0, 1e2])
def test_3D_and_6D_vectors_and_all_equations_at_once_give_the_same(rng, size):
    parameters, f, n = problem(rng, size, size)
    a1, dw1, a2, dw2, alpha, g, k = newton_euler(parameters, f, n)
    pair = two_body_3d(*parameters)
    unit = np.array([1.0] * 3 + [size] * 3)  # of a1 and dw1, by which accelerations of points are compared
    atol = 1e-12 * (np.abs(a1).max() + size * np.abs(dw1).max())
    x = np.concatenate(pair.solve(f, n)[:2])
    np.testing.assert_allclose(x * unit, np.concatenate([a1, dw1]) * unit, rtol=0, atol=atol)
    np.testing.assert_allclose(pair.solve(f, n)[2] * size, alpha * size, rtol=0, atol=10 * atol)
    found = two_body_6d(*in_6d(parameters), [*n, *f])
    assert isinstance(found, two_body.TwoBody6D)
    np.testing.assert_allclose(found.acceleration1 * unit[::-1], [*(dw1 * size), *a1], rtol=0, atol=atol)
    np.testing.assert_allclose(found.joint_acceleration * size, alpha * size, rtol=0, atol=10 * atol)
    to_C2 = pluecker_transform(np.eye(3), parameters[4] - parameters[5])
    second = transform_motion(to_C2, found.acceleration2)
    np.testing.assert_allclose(second * unit[::-1], [*(dw2 * size), *a2], rtol=0, atol=10 * atol)
    to_P = pluecker_transform(np.eye(3), parameters[4])
    through = transform_force(to_P, found.joint_force)
    np.testing.assert_allclose(through / unit[::-1], [*(k / size), *g], rtol=0, atol=10 * atol)


def test_the_matrix_of_A27_is_that_of_B7(rng):
    parameters, f, n = problem(rng)
    pair, found = two_body_3d(*parameters), two_body_6d(*in_6d(parameters), [*n, *f])
    np.testing.assert_allclose(
        np.block([[pair.D, pair.C], [pair.B, pair.A]]),
        found.inertia,
        rtol=0,
        atol=200 * EPS * np.abs(found.inertia).max(),
    )
    np.testing.assert_allclose(pair.matrix, np.block([[pair.A, pair.B], [pair.C, pair.D]]), rtol=0, atol=0)


@given(st.integers(0, 10**6), st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_the_matrix_is_symmetric_and_positive_definite(seed, size, reach):
    parameters, *_ = problem(np.random.default_rng(seed), 10.0**size, 10.0**reach)
    pair = two_body_3d(*parameters)
    scale = np.sqrt(np.diag(pair.matrix))
    scaled = pair.matrix / scale / scale[:, None]
    np.testing.assert_allclose(scaled, scaled.T, rtol=0, atol=100 * EPS)
    assert np.linalg.eigvalsh(scaled).min() > 0.0
    rest = pair.matrix - np.block([[parameters[0] * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), parameters[1]]])
    assert (
        np.linalg.eigvalsh(0.5 * (rest + rest.T) / scale / scale[:, None]).min() > -1000 * EPS
    )  # body 2 takes nothing away


def test_the_answer_does_not_depend_on_the_frame_nor_on_the_point_of_the_axis(rng):
    parameters, f, n = problem(rng)
    I1, I2, s = in_6d(parameters)
    found = two_body_6d(I1, I2, s, [*n, *f])
    X = pluecker_transform(mat.random_rotation(rng), rng.normal(size=3))
    there = two_body_6d(
        transform_inertia(X, I1), transform_inertia(X, I2), transform_motion(X, s), transform_force(X, [*n, *f])
    )
    a = transform_motion(X, found.acceleration1)
    np.testing.assert_allclose(there.acceleration1, a, rtol=0, atol=1e-11 * (1 + np.abs(a).max()))
    np.testing.assert_allclose(there.joint_acceleration, found.joint_acceleration, rtol=1e-11)
    m1, J1, m2, J2, r1, r2, axis = parameters
    along, double = two_body_3d(m1, J1, m2, J2, r1 + 3.0 * axis, r2 + 3.0 * axis, axis), 2.0 * axis
    longer = two_body_3d(m1, J1, m2, J2, r1, r2, double)
    for pair in (along, longer):
        np.testing.assert_allclose(pair.matrix, two_body_3d(*parameters).matrix, rtol=0, atol=1e-12)
    alpha = two_body_3d(*parameters).solve(f, n)[2]
    np.testing.assert_allclose(longer.solve(f, n)[2], 0.5 * alpha, rtol=1e-10)


def test_joints_of_other_kinds_fit_the_equations_of_6D(rng):
    """Nothing in (B1) to (B7) asks for a rotation: a slider with a frictionless load is pushed across only."""
    first, second = shapes.box(1.0, [1, 1, 1]), shapes.box(2.0, [1, 1, 1])
    slide = motion_subspace("prismatic", [1, 0, 0])[:, 0]
    found = two_body_6d(first, second, slide, [0, 0, 0, 3.0, 3.0, 0])
    np.testing.assert_allclose(found.acceleration1, [0, 0, 0, 3.0, 1.0, 0], rtol=0, atol=10 * EPS)
    np.testing.assert_allclose(found.acceleration2, [0, 0, 0, 0, 1.0, 0], rtol=0, atol=10 * EPS)


def test_leading_axes_broadcast(rng):
    problems = [problem(rng) for _ in range(3)]
    parameters = [np.stack([p[0][k] for p in problems]) for k in range(7)]
    f, n = rng.normal(size=(2, 4, 1, 3))
    pair = two_body_3d(*parameters)
    assert pair.A.shape == pair.D.shape == (3, 3, 3)
    assert pair.matrix.shape == (3, 6, 6)
    assert pair.joint_row.shape == (3, 6)
    a1, dw1, alpha = pair.solve(f, n)
    assert (a1.shape, dw1.shape, alpha.shape) == ((4, 3, 3), (4, 3, 3), (4, 3))
    one = two_body_3d(*(p[1] for p in parameters)).solve(f[2, 0], n[2, 0])
    for many, single in zip((a1, dw1, alpha), one, strict=True):
        np.testing.assert_allclose(many[2, 1], single, rtol=1e-11, atol=1e-12)
    mixed = two_body_3d(1.0, np.eye(3), np.ones((2, 1)), np.eye(3), np.ones((5, 3)), np.zeros(3), [0, 0, 1])
    assert mixed.A.shape == mixed.B.shape == mixed.C.shape == mixed.D.shape == (2, 5, 3, 3)
    assert mixed.matrix.shape == (2, 5, 6, 6)
    assert mixed.solve([1.0, 0, 0], [0, 0, 0])[0].shape == (2, 5, 3)
    I1, I2, s = in_6d(parameters)
    found = two_body_6d(I1, I2, s, np.concatenate([n, f], axis=-1))
    assert found.acceleration1.shape == found.acceleration2.shape == found.joint_force.shape == (4, 3, 6)
    assert (found.joint_acceleration.shape, found.inertia.shape) == ((4, 3), (3, 6, 6))
    np.testing.assert_allclose(found.joint_acceleration, alpha, rtol=1e-10, atol=1e-11)


GOOD = (1.0, np.eye(3), 2.0, np.eye(3), [1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0])


def bad(place, value):
    return lambda: two_body_3d(*(value if k == place else good for k, good in enumerate(GOOD)))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (bad(0, 0.0), ValueError, r"^two_body_3d: m1 is 0\.0, expected a positive number of kg"),
        (bad(2, [1.0, -2.0]), ValueError, r"^two_body_3d: m2 is -2\.0"),
        (bad(1, np.triu(np.ones((3, 3)))), ValueError, "^two_body_3d: I1 is not symmetric"),
        (bad(3, -np.eye(3)), ValueError, "^two_body_3d: I2 is not positive semidefinite"),
        (bad(6, np.zeros(3)), ValueError, "^two_body_3d: s is zero"),
        (bad(6, [[0, 0, 1.0], [0, 0, 0]]), ValueError, r"s is zero.*\(entry 1\)"),
        (lambda: two_body_3d(*GOOD[:3], np.diag([1.0, 1, 0]), [1.0, 0, 0], [0, 0, 1.0], [0, 0, 1]), ValueError,
         "body 2 has no inertia about the axis s, its acceleration is not defined$"),
        (lambda: two_body_3d(1.0, np.zeros((3, 3)), 1.0, np.eye(3), [1.0, 0, 0], [1.0, 0, 0], [1.0, 0, 0]).solve(
            [1.0, 0, 0], [1.0, 0, 0]), ValueError, "the inertia of both bodies together is not positive definite"),
        (lambda: two_body_6d(np.zeros((6, 6)), shapes.rod(1.0, 1.0), [0, 1.0, 0, 0, 0, 0], np.ones(6)), ValueError,
         "^two_body_6d: the inertia of both bodies together is not positive definite"),
        (lambda: two_body_6d(np.eye(6), shapes.rod(1.0, 1.0), [0, 0, 1.0, 0, 0, 0], np.ones(6)), ValueError,
         "^two_body_6d: body 2 has no inertia about the axis s"),
        (lambda: two_body_6d(np.eye(6), np.eye(6), np.zeros(6), np.ones(6)), ValueError, "body 2 has no inertia about"),
        (lambda: two_body_6d(np.eye(6), -np.eye(6), np.ones(6), np.ones(6)), ValueError, "I2 is not positive semidefinite"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
