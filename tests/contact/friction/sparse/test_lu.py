"""Factors L U of blocks: against the matrix itself and NumPy's solution, with matrices of Newton's method near rank loss."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.contact.friction.sparse.lu import (
    REFINED_RESIDUAL,
    factor_lu,
    make_factors,
    mirrored,
    solve_lu,
    substitute,
)
from tests.contact.friction.sparse.test_cholesky import SIZES, random_blocks

pytestmark = pytest.mark.plain


def newton_matrix(rng, sizes, count, bodies, rank=6):
    """(1 - V) + V (1 + G) N with 0 <= V <= 1 and small G, as Newton's equation has it, full and as blocks of N"""
    N, blocks = random_blocks(rng, sizes, count, bodies, rank)
    top = blocks.rows
    V, G = np.zeros_like(N), np.zeros_like(N)
    for i in range(count):
        mine, n = slice(top[i], top[i + 1]), top[i + 1] - top[i]
        Q, _ = np.linalg.qr(rng.normal(size=(n, n)))
        V[mine, mine] = (Q * rng.choice([0.0, 0.3, 1.0], n)) @ Q.T
        G[mine, mine] = 0.3 * rng.uniform(-1.0, 1.0, (n, n))
    one = np.eye(len(N))
    return one - V + V @ (one + G) @ N, blocks


def values_in(full, N):
    """The numbers of a matrix in the places of the blocks of N"""
    values = np.full(len(N.data), np.nan)
    for i in range(len(N.rows) - 1):
        for k in range(N.first[i], N.first[i + 1]):
            j = N.column[k]
            block = full[N.rows[i] : N.rows[i + 1], N.columns[j] : N.columns[j + 1]]
            values[N.place[k] : N.place[k] + block.size] = block.reshape(-1)
    return values


def full_factors(F):
    """L and U as full matrices, and the order of the rows"""
    S = F.S
    top = np.concatenate([[0], np.cumsum(S.size)])
    L, U = np.eye(top[-1]), np.zeros((top[-1], top[-1]))
    for j in range(len(S.order)):
        own, n = slice(top[j], top[j + 1]), S.size[j]
        U[own, own] = np.linalg.inv(F.L[S.pivot[j] : S.pivot[j] + n * n].reshape(n, n))
        for k in range(S.first[j], S.first[j + 1]):
            other = slice(top[S.row[k]], top[S.row[k] + 1])
            here = slice(S.place[k], S.place[k] + S.size[S.row[k]] * n)
            L[other, own], U[own, other] = F.L[here].reshape(-1, n), F.U[here].reshape(-1, n).T
    return L, U, np.concatenate([np.arange(S.start[j], S.start[j] + S.size[j]) for j in range(len(S.order))])


@pytest.mark.indices
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sizes", SIZES)
def test_the_product_of_the_factors_is_the_matrix(sizes, seed):
    rng = np.random.default_rng(seed)
    A, N = newton_matrix(rng, SIZES[sizes], int(rng.integers(1, 30)), 12)
    F = make_factors(N)
    assert factor_lu(F, N, values_in(A, N))
    L, U, rows = full_factors(F)
    assert np.allclose(L @ U, A[np.ix_(rows, rows)], rtol=0.0, atol=1e-11 * np.abs(A).max())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sizes", SIZES)
def test_solutions_are_those_of_numpy(sizes, seed):
    rng = np.random.default_rng(seed)
    A, N = newton_matrix(rng, SIZES[sizes], int(rng.integers(1, 30)), 12)
    F, values = make_factors(N), values_in(A, N)
    b, x = rng.normal(size=len(A)), np.empty(len(A))
    assert factor_lu(F, N, values)
    missed = solve_lu(F, N, values, b, x)
    assert missed < 1e-13
    assert np.allclose(x, np.linalg.solve(A, b), rtol=0.0, atol=1e-14 * np.linalg.cond(A) * np.abs(x).max())
    assert np.linalg.norm(b - A @ x) <= 2.0 * missed * np.linalg.norm(b) + 1e-15 * np.linalg.norm(A) * np.linalg.norm(x)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sizes", SIZES)
def test_the_sign_is_that_of_the_determinant(sizes, seed):
    """The sign changes when a row changes its sign, and when two rows of a block change places."""
    rng = np.random.default_rng(seed)
    A, N = newton_matrix(rng, SIZES[sizes], int(rng.integers(2, 20)), 12)
    A += 1e-3 * np.eye(len(A))
    F, signs = make_factors(N), []
    for row in range(len(A)):
        A[row] = -A[row]
        signs.append(factor_lu(F, N, values_in(A, N)))
        assert signs[-1] == np.linalg.slogdet(A)[0]
    assert {-1.0, 1.0} == set(signs)
    block = int(np.argmax(np.diff(N.rows)))
    if np.diff(N.rows)[block] > 1:
        a, b = N.rows[block], N.rows[block] + 1
        A[[a, b]] = A[[b, a]]
        assert factor_lu(F, N, values_in(A, N)) == np.linalg.slogdet(A)[0] == -signs[-1]


@pytest.mark.parametrize("seed", range(4))
def test_a_matrix_that_is_nearly_singular_is_solved(seed):
    """Many contacts of few bodies: a matrix that is singular but for 1e-9 of its diagonal"""
    rng = np.random.default_rng(seed)
    full, N = random_blocks(rng, [3], 20, 3)
    A = full + 1e-9 * np.eye(len(full))
    F, values = make_factors(N), values_in(A, N)
    b, x = A @ rng.normal(size=len(A)), np.empty(len(A))
    assert factor_lu(F, N, values)
    assert solve_lu(F, N, values, b, x) < 1e-12
    assert np.linalg.norm(A @ x - b) < 1e-12 * np.linalg.norm(b)


@pytest.mark.parametrize("seed", range(4))
def test_refinement_makes_good_what_factors_lose(seed):
    """A millionth of their numbers here, as pivots that are not the largest may cost; down to what is asked for"""
    rng = np.random.default_rng(seed)
    A, N = newton_matrix(rng, [1, 3], 20, 12)
    F, values = make_factors(N), values_in(A, N)
    b, x = A @ rng.normal(size=len(A)), np.empty(len(A))
    assert factor_lu(F, N, values)
    F.L[:] *= 1.0 + 1e-6 * rng.normal(size=len(F.L))
    plain = b.copy()
    substitute(F, plain)
    assert np.linalg.norm(A @ plain - b) > REFINED_RESIDUAL * np.linalg.norm(b)
    assert solve_lu(F, N, values, b, x) <= REFINED_RESIDUAL
    assert np.linalg.norm(A @ x - b) <= 1.1 * REFINED_RESIDUAL * np.linalg.norm(b)


def test_a_singular_matrix_is_none():
    """A row and column of zeros; a number that is none"""
    rng = np.random.default_rng(1)
    A, N = newton_matrix(rng, [3], 8, 6)
    F, values = make_factors(N), values_in(A, N)
    A[4], A[:, 4] = 0.0, 0.0
    assert factor_lu(F, N, values)
    assert not factor_lu(F, N, values_in(A, N))
    values[N.place[0]] = np.nan
    assert not factor_lu(F, N, values) or not solve_lu(F, N, values, np.ones(len(A)), np.empty(len(A))) < 1.0


@pytest.mark.parametrize("seed", range(3))
def test_each_block_has_its_mirror_image(seed):
    rng = np.random.default_rng(seed)
    _, N = random_blocks(rng, [1, 2, 3], 25, 9)
    row, mirror = np.repeat(np.arange(25), np.diff(N.first)), mirrored(N)
    assert np.array_equal(row[mirror], N.column)
    assert np.array_equal(N.column[mirror], row)


def test_blocks_at_any_places_of_the_numbers_are_factorised():
    """A matrix cut from a larger one has numbers of other blocks between its own."""
    rng = np.random.default_rng(3)
    A, N = newton_matrix(rng, [1, 3], 12, 5)
    height = np.diff(N.rows)
    size = np.repeat(height, np.diff(N.first)) * height[N.column]
    place = np.empty_like(N.place)
    place[::-1] = np.cumsum(size[::-1] + 2) - size[::-1]  # from the last to the first, two numbers before each
    sparse = N._replace(place=place, data=np.full(int((size + 2).sum()), np.nan))
    F, values, x = make_factors(sparse), values_in(A, sparse), np.empty(len(A))
    assert factor_lu(F, sparse, values)
    assert solve_lu(F, sparse, values, np.ones(len(A)), x) < 1e-13
    assert np.allclose(A @ x, 1.0, rtol=0.0, atol=1e-12)
