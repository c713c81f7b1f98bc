"""Constrained motion: laws of Phi, both derivations, the equation of motion with multipliers in fifty digits, a pendulum."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm, subspace_angles

from pluecker.course import (
    ConstrainedMotion,
    JointSpace,
    apparent_inverse_inertia_from_S,
    apparent_inverse_inertia_from_T,
    bias_acceleration_from_S,
    bias_acceleration_from_T,
    complement,
    constrained_acceleration_from_S,
    constrained_acceleration_from_T,
    constraint_multipliers,
    joint_space,
    motion_subspace,
)
from pluecker.spatial import (
    body_kinetic_energy,
    crf,
    crm,
    pluecker_transform,
    shapes,
    spatial_inertia,
    transform_inertia,
)
from tests.spatial import matrices as mat
from tests.spatial.precise import EPS, exact, rounded

DIMENSIONS = range(7)


def random_inertia(rng):
    return mat.rigid_matrix(mat.random_rigid(rng))


def rate_of_T(S, S_rate, T, rng):
    """Return a random T' with T^T S' + T'^T S = 0, the derivative of T^T S = 0; the part along T is free."""
    return T @ rng.normal(size=(T.shape[-1],) * 2) - np.linalg.pinv(S).T @ S_rate.T @ T


def problem(n, rng):
    """A body, a constraint, and how both move: I, S, S', T, T', alpha, f."""
    S, S_rate, alpha = rng.normal(size=(6, n)), rng.normal(size=(6, n)), rng.normal(size=n)
    T = complement(S)
    return random_inertia(rng), S, S_rate, T, rate_of_T(S, S_rate, T, rng), alpha, rng.normal(size=6)


def with_multipliers(I, T, T_rate, v, f):
    """a and f_c from [I, -T; T^T, 0] [a; lambda] = [f - v x* I v; -T'^T v], in fifty digits."""
    I, T, T_rate, gyroscopic, v, f = (exact(x) for x in (I, T, T_rate, crf(v), v, f))
    k = T.cols
    A, b = mpmath.zeros(6 + k), mpmath.zeros(6 + k, 1)
    A[:6, :6], b[:6, 0] = I, f - gyroscopic * (I * v)
    if k:
        A[:6, 6:], A[6:, :6], b[6:, 0] = -T, T.T, -T_rate.T * v
    x = mpmath.lu_solve(A, b)
    return rounded(x[:6, 0]), rounded(T * x[6:, 0]) if k else np.zeros(6)


@pytest.mark.parametrize("n", DIMENSIONS)
def test_the_multipliers_make_the_constraint_force(n, rng):
    """f_c = T lambda, also of a batch; and the force of the constraint solves the equation of motion in fifty digits."""
    I, S, _, T, T_rate, alpha, f = problem(n, rng)
    multipliers = constraint_multipliers(I, T, f, S @ alpha, T_rate)
    assert multipliers.shape == (6 - n,)
    force = constrained_acceleration_from_T(I, T, f, S @ alpha, T_rate).constraint_force
    np.testing.assert_allclose(T @ multipliers, force, rtol=1e-12, atol=1e-12)
    expected = with_multipliers(I, T, T_rate, S @ alpha, f)[1]
    np.testing.assert_allclose(T @ multipliers, expected, rtol=0, atol=1e-11 * (1.0 + np.abs(expected).max()))
    batch = constraint_multipliers(I, T, np.stack([f, 2.0 * f]))
    np.testing.assert_allclose(batch[1], 2.0 * constraint_multipliers(I, T, f), rtol=1e-12, atol=1e-12)


# ------------------------------------------------------------------------------------------------ apparent inverse inertia


@pytest.mark.parametrize("n", DIMENSIONS)
def test_laws_of_the_apparent_inverse_inertia(n, rng):
    I, S, _, T, *_ = problem(n, rng)
    tolerance = 50 * EPS * np.linalg.cond(I) * np.abs(np.linalg.inv(I)).max()
    for Phi in (apparent_inverse_inertia_from_S(I, S), apparent_inverse_inertia_from_T(I, T)):
        np.testing.assert_array_equal(Phi, Phi.T)
        np.testing.assert_allclose(Phi @ I @ Phi, Phi, rtol=0, atol=10 * tolerance)
        np.testing.assert_allclose(Phi @ I @ S, S, rtol=0, atol=10 * tolerance)
        np.testing.assert_allclose(Phi @ T, 0.0, atol=tolerance)
        values = np.linalg.eigvalsh(Phi)
        assert (values > -tolerance).all()
        assert np.sum(values > 1e-6) == n
        if n:
            basis = np.linalg.svd(Phi)[0][:, :n]
            assert np.max(subspace_angles(basis, S)) < 1e-10
    assert (np.linalg.eigvalsh(apparent_inverse_inertia_from_S(I, S)) > -10 * EPS * 100).all()


def test_it_depends_on_the_subspace_and_not_on_its_basis(rng):
    I, S, _, T, *_ = problem(3, rng)
    Phi = apparent_inverse_inertia_from_S(I, S)
    scaled = S @ rng.normal(size=(3, 3)) @ np.diag([1e-200, 1.0, 1e200])
    np.testing.assert_allclose(apparent_inverse_inertia_from_S(I, scaled), Phi, rtol=0, atol=1e-12)
    scaled = T @ rng.normal(size=(3, 3)) @ np.diag([1e-100, 1.0, 1e100])
    np.testing.assert_allclose(apparent_inverse_inertia_from_T(I, scaled), Phi, rtol=0, atol=1e-12)


def test_without_constraint_and_with_all(rng):
    I, none, all_six = random_inertia(rng), np.zeros((6, 0)), np.eye(6)
    for Phi in (apparent_inverse_inertia_from_S(I, all_six), apparent_inverse_inertia_from_T(I, none)):
        np.testing.assert_allclose(Phi @ I, np.eye(6), rtol=0, atol=50 * EPS * np.linalg.cond(I))
    np.testing.assert_array_equal(apparent_inverse_inertia_from_S(I, none), np.zeros((6, 6)))
    np.testing.assert_allclose(apparent_inverse_inertia_from_T(I, all_six), 0.0, atol=100 * EPS * np.linalg.cond(I))


@pytest.mark.parametrize("size", [1e-5, 1e-2, 1.0, 1e3])
def test_small_and_large_bodies_are_as_exact_as_others(rng, size):
    """A body of another size is the same body in other units of length, and loses no digits to them."""
    unit = np.array([size] * 3 + [1.0] * 3)  # of the rows of I and T; the reciprocal of those of S
    I, S, _, T, *_ = problem(3, rng)
    plain = apparent_inverse_inertia_from_S(I, S)
    small = I * unit * unit[:, None]
    for Phi in (
        apparent_inverse_inertia_from_S(small, S / unit[:, None]),
        apparent_inverse_inertia_from_T(small, T * unit[:, None]),
    ):
        atol = 20 * EPS * np.linalg.cond(I) * np.abs(plain).max()
        np.testing.assert_allclose(Phi * unit * unit[:, None], plain, rtol=0, atol=atol)


@pytest.mark.parametrize("angle", [1e-3, 1e-6, 1e-9])
def test_nearly_parallel_freedoms_lose_digits_once(rng, angle):
    """The range of S is known within EPS / angle; a condition number that were squared would leave nothing at 1e-9."""
    I, a, b = random_inertia(rng), *rng.normal(size=(2, 6))
    exact_range = np.stack([a, b], axis=-1)
    near = np.stack([a, a + angle * b], axis=-1)
    found, expected = (apparent_inverse_inertia_from_S(I, S) for S in (near, exact_range))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1000 * EPS / angle)


def test_a_singular_inertia_is_no_obstacle_where_the_motion_has_energy():
    r, axis = shapes.rod(3.0, 2.0), [0, 0, 1]
    Phi = apparent_inverse_inertia_from_S(r, motion_subspace("revolute", [0, 1, 0]))
    np.testing.assert_allclose(Phi, np.diag([0.0, 1.0, 0, 0, 0, 0]), rtol=0, atol=4 * EPS)
    for offset in ([0.0, 0.0, 0.0], [0.3, 0.2, 0.1]):
        there = transform_inertia(pluecker_transform(np.eye(3), offset), r)
        axis_there = motion_subspace("revolute", axis, point=-np.array(offset))
        with pytest.raises(ValueError, match=r"S\^T I S is singular, the body moves along S without kinetic energy$"):
            apparent_inverse_inertia_from_S(there, axis_there)
        with pytest.raises(ValueError, match="I is not positive definite, beyond rounding"):
            apparent_inverse_inertia_from_T(there, complement(axis_there))


# ----------------------------------------------------------------------------------------------------------- acceleration


@pytest.mark.parametrize("n", DIMENSIONS)
def test_both_ways_solve_the_equation_of_motion_with_multipliers(n, rng):
    I, S, S_rate, T, T_rate, alpha, f = problem(n, rng)
    v = S @ alpha
    a, f_c = with_multipliers(I, T, T_rate, v, f)
    # T^T S is zero within rounding only, and that enters the multipliers
    scale = np.linalg.cond(I) * np.linalg.cond(S if n else np.eye(6)) * (np.abs(a).max() + np.abs(f_c).max())
    for found in (
        constrained_acceleration_from_S(I, S, f, alpha, S_rate),
        constrained_acceleration_from_T(I, T, f, v, T_rate),
    ):
        assert isinstance(found, ConstrainedMotion)
        np.testing.assert_allclose(found.acceleration, a, rtol=0, atol=100 * EPS * scale)
        np.testing.assert_allclose(found.constraint_force, f_c, rtol=0, atol=100 * EPS * scale)
        np.testing.assert_allclose(found.apparent_inverse_inertia @ f + found.bias, a, rtol=0, atol=100 * EPS * scale)
        np.testing.assert_allclose(S.T @ found.constraint_force, 0.0, atol=200 * EPS * scale)  # it does no work
        np.testing.assert_allclose(T.T @ found.acceleration + T_rate.T @ v, 0.0, atol=200 * EPS * scale)
    by_S, by_T = bias_acceleration_from_S(I, S, alpha, S_rate), bias_acceleration_from_T(I, T, v, T_rate)
    unforced = with_multipliers(I, T, T_rate, v, np.zeros(6))[0]
    for b in (by_S, by_T):
        np.testing.assert_allclose(b, unforced, rtol=0, atol=100 * EPS * scale)


@given(st.integers(0, 6), st.integers(0, 10**6), st.floats(-9.0, 0.0))
def test_both_ways_agree_next_to_a_singular_constraint(n, seed, exponent):
    """All columns of S next to one another, at angles down to 1e-9."""
    rng = np.random.default_rng(seed)
    I, S, S_rate, _, _, alpha, f = problem(n, rng)
    if n:
        S = np.linalg.qr(S)[0] @ (np.outer(np.eye(n)[0], np.ones(n)) + 10.0**exponent * np.eye(n))
    T = complement(S)
    T_rate = rate_of_T(S, S_rate, T, rng)
    by_S = constrained_acceleration_from_S(I, S, f, alpha, S_rate)
    by_T = constrained_acceleration_from_T(I, T, f, S @ alpha, T_rate)
    condition = np.linalg.cond(S) if n else 1.0
    size = 1.0 + max(np.abs(x).max() for x in (*by_S[:2], by_S.bias, T_rate if n < 6 else np.zeros(1)))
    for one, other in zip(by_S, by_T, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=100 * EPS * condition * np.linalg.cond(I) * size)


def test_a_basis_that_the_body_carries_adds_no_bias(rng):
    """Section 53.2: S' = v x S gives S' alpha = v x v = 0, and T' = v x* T gives T'^T v = 0."""
    I, S, _, T, _, alpha, f = problem(3, rng)
    v = S @ alpha
    S_rate, T_rate = crm(v) @ S, crf(v) @ T
    np.testing.assert_allclose(S_rate @ alpha, 0.0, atol=100 * EPS)
    np.testing.assert_allclose(T_rate.T @ v, 0.0, atol=100 * EPS)
    np.testing.assert_allclose(S_rate.T @ T + S.T @ T_rate, 0.0, atol=100 * EPS)
    moving, fixed = (
        constrained_acceleration_from_S(I, S, f, alpha, S_rate),
        constrained_acceleration_from_S(I, S, f, alpha),
    )
    by_T, fixed_T = constrained_acceleration_from_T(I, T, f, v, T_rate), constrained_acceleration_from_T(I, T, f, v)
    for found in (moving, by_T, fixed_T):
        for one, other in zip(found, fixed, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e4 * EPS * (1 + np.abs(other).max()))


def test_at_rest_the_bias_is_zero_and_acceleration_is_Phi_f(rng):
    I, S, _, T, _, _, f = problem(2, rng)
    for found in (constrained_acceleration_from_S(I, S, f), constrained_acceleration_from_T(I, T, f)):
        np.testing.assert_array_equal(found.bias, 0.0)
        np.testing.assert_array_equal(found.acceleration, found.apparent_inverse_inertia @ f)
        np.testing.assert_allclose(I @ found.acceleration, f + found.constraint_force, rtol=0, atol=1e4 * EPS)


# -------------------------------------------------------------------------------------------------------------- joint space


@pytest.mark.parametrize("n", DIMENSIONS)
def test_the_equation_of_motion_in_joint_space(n, rng):
    """tau = H alpha' + C with a = S alpha' + S' alpha (53.3); kinetic energy by H (53.4)."""
    I, S, S_rate, _, _, alpha, f = problem(n, rng)
    found = joint_space(I, S, alpha, S_rate)
    assert isinstance(found, JointSpace)
    H, C = found
    assert (H.shape, C.shape) == ((n, n), (n,))
    rate = np.linalg.solve(H, S.T @ f - C)
    a = constrained_acceleration_from_S(I, S, f, alpha, S_rate).acceleration
    np.testing.assert_allclose(S @ rate + S_rate @ alpha, a, rtol=0, atol=1e4 * EPS * (1 + np.abs(a).max()))
    np.testing.assert_allclose(0.5 * alpha @ H @ alpha, body_kinetic_energy(I, S @ alpha), rtol=0, atol=200 * EPS)
    np.testing.assert_array_equal(joint_space(I, S).C, 0.0)


def test_C_is_what_Lagrange_says(rng):
    """d/dt (H alpha) - dT/dq of a body on two axes in series, by differences of the kinetic energy."""
    I = random_inertia(rng)
    first, second = rng.normal(size=(2, 6))

    def basis(q):
        """Return the basis in coordinates of the body: the second axis stays, the first is seen through the second joint."""
        return np.stack([expm(crm(-q[1] * second)) @ first, second], axis=-1)

    def energy(q, qd):
        return 0.5 * qd @ joint_space(I, basis(q)).H @ qd

    q, qd, h = rng.normal(size=2), rng.normal(size=2), 1e-5
    unit = np.eye(2)
    H_rate = (joint_space(I, basis(q + h * qd)).H - joint_space(I, basis(q - h * qd)).H) / (2 * h)
    gradient = [(energy(q + h * e, qd) - energy(q - h * e, qd)) / (2 * h) for e in unit]
    S = basis(q)
    components = (basis(q + h * qd) - basis(q - h * qd)) / (2 * h)
    v = S @ qd
    C = joint_space(I, S, qd, components + crm(v) @ S).C  # the derivative in coordinates that move with v
    np.testing.assert_allclose(C, H_rate @ qd - gradient, rtol=0, atol=1e-7 * (1 + np.abs(C).max()))


def test_a_pendulum():
    """A rod of length l on an axis at its end: m l^2 / 3 theta'' = -m g l / 2 sin theta; the axis carries the rest."""
    m, l, g, theta, rate = 2.0, 1.5, 9.81, 0.7, 3.0
    down = np.array([np.sin(theta), 0.0, -np.cos(theta)])  # from the axis to the other end
    R = np.column_stack([[np.cos(theta), 0.0, np.sin(theta)], [0.0, 1.0, 0.0], -down])
    along = R @ np.diag([1.0, 1.0, 0.0]) @ R.T * m * l**2 / 12.0
    I = spatial_inertia(m, 0.5 * l * down, along + 1e-9 * np.eye(3))
    weight = np.array([0.0, 0.0, -m * g])
    f = np.concatenate([np.cross(0.5 * l * down, weight), weight])
    S = motion_subspace("revolute", [0, -1, 0])
    H, C = joint_space(I, S, [rate])
    np.testing.assert_allclose(H, [[m * l**2 / 3.0]], rtol=1e-8)
    np.testing.assert_allclose(C, 0.0, atol=100 * EPS)
    angular = -1.5 * g / l * np.sin(theta)
    found = constrained_acceleration_from_S(I, S, f, [rate])
    np.testing.assert_allclose(found.acceleration, [0, -angular, 0, 0, 0, 0], rtol=0, atol=1e-7)
    tangent = np.array([np.cos(theta), 0.0, np.sin(theta)])
    center = 0.5 * l * (angular * tangent - rate**2 * down)  # classical acceleration of the centre of mass
    np.testing.assert_allclose(found.constraint_force[3:], m * center - weight, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.constraint_force[[0, 1, 2]], 0.0, atol=1e-6)  # the axis bears no moment


def test_a_top_with_a_fixed_point_obeys_Euler():
    """About the point, n = J dw + w x J w."""
    I = transform_inertia(pluecker_transform(np.eye(3), [0, 0, -0.3]), shapes.cylinder(1.5, 0.1, 0.05))
    J, w, n = I[:3, :3], np.array([0.3, -0.2, 50.0]), np.array([0.1, 0.2, 0.0])
    dw = np.linalg.solve(J, n - np.cross(w, J @ w))
    S = motion_subspace("spherical")
    found = constrained_acceleration_from_S(I, S, [*n, 0, 0, 0], w)
    np.testing.assert_allclose(found.acceleration, [*dw, 0, 0, 0], rtol=1e-12, atol=1e-12)
    by_T = constrained_acceleration_from_T(I, complement(S), [*n, 0, 0, 0], [*w, 0, 0, 0])
    np.testing.assert_allclose(by_T.acceleration, [*dw, 0, 0, 0], rtol=1e-10, atol=1e-10)


# ------------------------------------------------------------------------------------------------------- shapes, errors


@pytest.mark.parametrize("n", [0, 2, 6])
def test_leading_axes_broadcast(n, rng):
    I = np.stack([random_inertia(rng) for _ in range(3)])
    S, alpha, f = rng.normal(size=(4, 1, 6, n)), rng.normal(size=(5, 1, 1, n)), rng.normal(size=(3, 6))
    S_rate = rng.normal(size=(6, n))
    T, v = complement(S), np.squeeze(S @ alpha[..., None], -1)
    T_rate = np.zeros((6, 6 - n))
    by_S, by_T = (
        constrained_acceleration_from_S(I, S, f, alpha, S_rate),
        constrained_acceleration_from_T(I, T, f, v, T_rate),
    )
    for found in (by_S, by_T):
        assert found.acceleration.shape == found.constraint_force.shape == found.bias.shape == (5, 4, 3, 6)
        assert found.apparent_inverse_inertia.shape == (4, 3, 6, 6)
    one = constrained_acceleration_from_S(I[1], S[2, 0], f[1], alpha[3, 0, 0], S_rate)
    np.testing.assert_allclose(by_S.acceleration[3, 2, 1], one.acceleration, rtol=0, atol=1e-11)
    np.testing.assert_allclose(by_S.constraint_force[3, 2, 1], one.constraint_force, rtol=0, atol=1e-11)
    np.testing.assert_allclose(by_S.apparent_inverse_inertia[2, 1], one.apparent_inverse_inertia, rtol=0, atol=1e-11)
    one = constrained_acceleration_from_T(I[1], T[2, 0], f[1], v[3, 2, 0], T_rate)
    np.testing.assert_allclose(by_T.acceleration[3, 2, 1], one.acceleration, rtol=0, atol=1e-11)
    np.testing.assert_allclose(by_T.constraint_force[3, 2, 1], one.constraint_force, rtol=0, atol=1e-11)
    H, C = joint_space(I, S, alpha, S_rate)
    assert (H.shape, C.shape) == ((4, 3, n, n), (5, 4, 3, n))
    assert apparent_inverse_inertia_from_S(I[0], S).shape == (4, 1, 6, 6)
    assert apparent_inverse_inertia_from_T(I, T[0, 0]).shape == (3, 6, 6)
    assert apparent_inverse_inertia_from_S(I[:0], S[0, 0]).shape == (0, 6, 6)
    assert apparent_inverse_inertia_from_T(I[:0], T[0, 0]).shape == (0, 6, 6)


EYE, AXIS = np.eye(6), np.eye(6)[:, :1]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: apparent_inverse_inertia_from_S(EYE, np.ones((6, 2))),
            ValueError,
            "2 columns of S are linearly dependent",
        ),
        (lambda: apparent_inverse_inertia_from_S(np.triu(np.ones((6, 6))), AXIS), ValueError, "I is not symmetric"),
        (
            lambda: apparent_inverse_inertia_from_S(np.diag([1.0, 1, 1, 1, 1, -1]), AXIS),
            ValueError,
            "not positive semidef",
        ),
        (
            lambda: apparent_inverse_inertia_from_T(np.diag([1.0, 1, 1, 1, 1, -1]), AXIS),
            ValueError,
            "not positive definite",
        ),
        (lambda: apparent_inverse_inertia_from_T(np.stack([EYE, -EYE]), AXIS), ValueError, r"definite.*\(entry 1\)"),
        (
            lambda: apparent_inverse_inertia_from_T(EYE, np.zeros((6, 1))),
            ValueError,
            "1 columns of T are linearly dependent",
        ),
        (lambda: apparent_inverse_inertia_from_S(np.zeros((6, 6)), AXIS), ValueError, "without kinetic energy"),
        (lambda: bias_acceleration_from_T(EYE, AXIS, np.ones(6)), ValueError, "v is not allowed by the constraint"),
        (lambda: bias_acceleration_from_T(EYE, AXIS, [[0] * 6, [1e-3] * 6]), ValueError, r"allowed.*\(entry 1\)"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
