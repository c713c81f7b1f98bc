"""Small dense matrices on scalars: against NumPy, on complex numbers, and where there is nothing to divide by."""

import numpy as np
import pytest

from pluecker.spatial.dense.ldl import factorize_ldl, invert_ldl, solve_ldl

EPS = np.finfo(float).eps


def positive_definite(n, seed):
    X = np.random.default_rng(seed).normal(size=(n, n))
    return X @ X.T + 0.1 * np.eye(n)


@pytest.mark.indices
@pytest.mark.parametrize("n", [1, 2, 6, 13])
def test_factors_multiply_to_the_matrix_and_solve_it(n):
    A = positive_definite(n, n)
    F = A.copy().ravel()
    factorize_ldl(F, n, 1e-13)
    LD = F.reshape(n, n)
    L = np.tril(LD, -1) + np.eye(n)
    np.testing.assert_allclose(L @ np.diag(1.0 / np.diag(LD)) @ L.T, A, rtol=0.0, atol=4 * n * EPS * np.abs(A).max())
    b = np.arange(1.0, n + 1.0)
    x = b.copy()
    solve_ldl(F, n, x)
    bound = 8 * n * EPS * np.linalg.cond(A)
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=0.0, atol=bound * np.abs(x).max())
    Z = np.empty(n * n)
    invert_ldl(F, n, Z)
    Z = Z.reshape(n, n)
    np.testing.assert_array_equal(Z, Z.T)
    np.testing.assert_allclose(Z, np.linalg.inv(A), rtol=0.0, atol=bound * np.abs(Z).max())


def test_the_inverse_differentiates_itself_by_the_complex_step():
    A, dA = positive_definite(5, 1), positive_definite(5, 2)
    F, Z = (A + 1e-30j * dA).ravel(), np.empty(25, complex)
    factorize_ldl(F, 5, 1e-13)
    invert_ldl(F, 5, Z)
    inverse = np.linalg.inv(A)
    np.testing.assert_allclose(Z.imag.reshape(5, 5) / 1e-30, -inverse @ dA @ inverse, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_a_pivot_that_is_rounding_error_becomes_nan(rank):
    """Rounding leaves a positive pivot in many of these matrices."""
    for seed in range(20):
        X = np.random.default_rng([rank, seed]).normal(size=(4, rank))
        F = (X @ X.T).ravel()
        factorize_ldl(F, 4, 1e-13)
        pivots = np.diag(F.reshape(4, 4))
        assert np.isfinite(pivots[:rank]).all()
        assert np.isnan(pivots[rank])
        assert np.isnan(pivots[-1])
