"""Rows of small semidefinite matrices eliminated: against pseudoinverses, in lanes of different rank, on complex numbers."""

import numpy as np
import pytest

from pluecker.spatial.compiled.decorators import entry_point
from pluecker.spatial.dense.semidefinite import (
    eliminate_offset,
    eliminate_rows,
    least_energy,
    null_basis,
    recover_rows,
)
from pluecker.spatial.scalars.operations import store
from tests.conftest import COMPILED
from tests.spatial.rows import WIDTH, rows_of_eight

EPS = np.finfo(float).eps
RANK = 1e-11  # of a diagonal entry


def redundant(seed, count, others, dependent):
    """A = J J', where so many of the first rows of J are combinations of the others among them, and b in its range."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(count - dependent, count + others + 2))
    J = rng.permutation(np.vstack([own, rng.normal(size=(dependent, count - dependent)) @ own]))
    J = np.vstack([J * 10.0 ** rng.uniform(-1, 1, (count, 1)), rng.normal(size=(others, J.shape[1]))])
    return J @ J.T, J @ rng.normal(size=J.shape[1])


@entry_point
def everything(n, count, A, b, x, w, Z, dependent):
    """All kernels one after the other; x_C is given, x_B is written"""
    store(dependent, 0, eliminate_rows(A, n, count, RANK))
    eliminate_offset(A, n, count, b)
    recover_rows(A, n, count, b, x)
    null_basis(A, n, count, w, Z)
    least_energy(Z, count, w, x)


def run(A, b, x, count):
    n = len(b)
    F, c, y, Z = A.copy().ravel(), b.copy(), x.copy(), np.empty(count * count)
    w = np.diag(A)[:count].copy()
    dependent = np.empty(1)
    everything(n, count, F, c, y, w, Z, dependent)
    return dependent[0], F.reshape(n, n), c, y, Z.reshape(count, count)


@pytest.mark.parametrize("dependent", [0, 1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_is_the_schur_complement_and_the_rows_hold_with_least_energy(seed, dependent):
    count, others = 8, 3
    A, b = redundant(seed, count, others, dependent)
    x = np.concatenate([np.zeros(count), np.random.default_rng(seed).normal(size=others)])
    found, F, c, y, Z = run(A, b, x, count)
    root = np.sqrt(np.diag(A)[:count])
    pseudo = np.linalg.pinv(A[:count, :count] / np.outer(root, root), rcond=1e-10, hermitian=True) / np.outer(
        root, root
    )
    assert found == dependent
    S = F[count:, count:]
    assert np.array_equal(S, S.T)
    near = 1e4 * EPS * np.abs(A).max()  # a product of two matrices, times the condition of what is kept
    assert np.allclose(S, A[count:, count:] - A[count:, :count] @ pseudo @ A[:count, count:], rtol=0, atol=near)
    assert np.allclose(c[count:], b[count:] - A[count:, :count] @ pseudo @ b[:count], rtol=0, atol=10 * near)
    expected = -pseudo @ (b[:count] + A[:count, count:] @ x[count:])
    assert np.allclose(root * y[:count], root * expected, rtol=0, atol=1e6 * EPS * np.abs(root * expected).max())
    assert np.array_equal(y[count:], x[count:])
    assert np.abs((A @ y + b)[:count] / root).max() <= 1e5 * EPS * np.abs(root * expected).max()
    gram = Z @ np.diag(root**2) @ Z.T
    assert np.allclose(gram, np.diag(np.diag(gram).round()), rtol=0, atol=64 * count * EPS)
    assert np.trace(gram) == pytest.approx(dependent)


def test_zeros_are_redundant_and_nothing_is_nan():
    A = np.zeros((3, 3))
    A[2, 2] = 2.0
    found, F, c, y, _ = run(A, np.array([0.0, 0.0, -1.0]), np.array([9.0, 9.0, 0.5]), 2)
    assert found == 2
    assert F[2, 2] == 2.0
    assert c.tolist() == [0.0, 0.0, -1.0]
    assert y.tolist() == [0.0, 0.0, 0.5]


def test_the_schur_complement_differentiates_itself_by_the_complex_step():
    A, _ = redundant(1, 4, 2, 0)
    dA, _ = redundant(2, 4, 2, 0)

    def complement(M):
        return M[4:, 4:] - M[4:, :4] @ np.linalg.solve(M[:4, :4], M[:4, 4:])

    F = (A + 1e-30j * dA).ravel()
    eliminate_rows(F, 6, 4, RANK)
    h = 1e-6
    slope = (complement(A + h * dA) - complement(A - h * dA)) / (2 * h)
    assert np.allclose(F.imag.reshape(6, 6)[4:, 4:] / 1e-30, slope, rtol=1e-6, atol=1e-6)


@pytest.mark.skipif(not COMPILED, reason="lanes exist in compiled code only")
def test_lanes_of_different_rank_have_what_each_has_alone():
    count, n = 6, 8
    states = [redundant(seed, count, n - count, seed % 4) for seed in range(WIDTH)]
    A, b, x, w, Z, dependent = (rows_of_eight(k) for k in (n * n, n, n, count, count * count, 1))
    for k, (matrix, offset) in enumerate(states):
        A[:, k], b[:, k], x[:, k], w[:, k] = matrix.ravel(), offset, 0.5, np.diag(matrix)[:count]
    everything(n, count, A, b, x, w, Z, dependent)
    for k, (matrix, offset) in enumerate(states):
        found, F, c, y, basis = run(matrix, offset, np.full(n, 0.5), count)
        assert dependent[0, k] == found == k % 4
        for lane, alone in ((A[:, k], F.ravel()), (b[:, k], c), (x[:, k], y), (Z[:, k], basis.ravel())):
            np.testing.assert_allclose(lane, alone, rtol=0.0, atol=1e-9 * np.abs(alone).max())
