"""Inertias of rigid bodies: made from their parameters, taken apart, refused; the laws are among the identities."""

import numpy as np
import pytest

from pluecker.spatial import (
    exp3,
    inertia_parameters,
    inverse_inertia,
    invert,
    pluecker_transform,
    relative_inertia,
    shift_inertia,
    spatial_inertia,
    transform_inertia,
)

EPS = np.finfo(float).eps


def random_inertias(n, seed=0):
    """Masses, centres of mass and inertias of some point masses"""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 5, 3))
    points -= points.mean(axis=1, keepdims=True)
    inertia = np.einsum("nki,nki,jl->njl", points, points, np.eye(3)) - np.einsum("nkj,nkl->njl", points, points)
    return 5.0 * np.ones(n), rng.normal(size=(n, 3)), inertia


def test_parameters_come_back():
    given = random_inertias(30)
    for found, expected in zip(inertia_parameters(spatial_inertia(*given)), given, strict=True):
        np.testing.assert_allclose(found, expected, atol=64.0 * EPS * 20.0)


@pytest.mark.parametrize("offset", [0.0, 1e-6, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("kind", ["body", "point mass"])
def test_parameters_come_back_through_another_frame(offset, kind):
    """The first moment of a body about its own centre is then nothing but rounding."""
    rng = np.random.default_rng(2)
    I = 3.0 * np.diag([1.0, 1.5, 2.0]) if kind == "body" else np.zeros((3, 3))
    for _ in range(100):
        X = pluecker_transform(exp3(rng.normal(size=3)), offset * rng.normal(size=3))
        there_and_back = transform_inertia(invert(X), transform_inertia(X, spatial_inertia(2.0, np.zeros(3), I)))
        m, c, J = inertia_parameters(there_and_back)
        scale = 1.0 + 10.0 * offset**2
        assert abs(m - 2.0) < 64.0 * EPS
        np.testing.assert_allclose(c, np.zeros(3), atol=64.0 * EPS * (1.0 + offset))
        np.testing.assert_allclose(J, I, atol=256.0 * EPS * scale)


def test_parallel_axes():
    m, r, I = random_inertias(20)
    expected = I + m[:, None, None] * (np.einsum("ni,ni,jk->njk", r, r, np.eye(3)) - np.einsum("nj,nk->njk", r, r))
    np.testing.assert_allclose(shift_inertia(m, I, r), expected, atol=64.0 * EPS * np.abs(expected).max())
    np.testing.assert_allclose(shift_inertia(-m, expected, r), I, atol=64.0 * EPS * np.abs(expected).max())


@pytest.mark.parametrize("ratio", [1.0, 1e4, 1e8])
def test_the_inverse(ratio):
    """The error is that of the condition number: the residual is small beside the product of the norms."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        Q = np.linalg.qr(rng.normal(size=(6, 6)))[0]
        A = Q @ np.diag(np.geomspace(1.0, ratio, 6)) @ Q.T
        A = 0.5 * (A + A.T)
        inverse = inverse_inertia(A)
        assert (inverse == inverse.T).all()
        residual = np.abs(A @ inverse - np.eye(6)).max()
        assert residual < 64.0 * EPS * np.abs(A).max() * np.abs(inverse).max()


def test_relative_inertia_is_the_harmonic_sum_also_beside_a_wall():
    A, B = spatial_inertia(*random_inertias(2))
    expected = np.linalg.inv(np.linalg.inv(A) + np.linalg.inv(B))
    np.testing.assert_allclose(relative_inertia(A, B), expected, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(relative_inertia(A, 1e12 * B), A, rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(relative_inertia(A, np.zeros((6, 6))), np.zeros((6, 6)))


@pytest.mark.parametrize(
    "bad", [np.zeros((6, 6)), -np.eye(6), np.diag([1.0, 1, 1, 1, 1, 0]), np.triu(np.ones((6, 6))) + 5 * np.eye(6)]
)
def test_what_is_not_definite_has_no_inverse(bad):
    with pytest.raises(ValueError, match=r"inverse_inertia: I is not symmetric and positive definite"):
        inverse_inertia(bad)


def test_what_is_no_rigid_body_has_no_parameters():
    good = spatial_inertia(2.0, [0.1, 0.2, 0.3], np.eye(3))
    for i, j in ((0, 1), (0, 4), (3, 1), (3, 4), (5, 5), (0, 3)):
        bad = good.copy()
        bad[i, j] += 1e-3
        with pytest.raises(ValueError, match=r"inertia_parameters: I is not the inertia of a rigid body"):
            inertia_parameters(bad)
    with pytest.raises(ValueError, match=r"inertia_parameters: .* a mass m other than zero"):
        inertia_parameters(np.zeros((6, 6)))
