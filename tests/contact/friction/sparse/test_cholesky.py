"""Block Cholesky factors: against NumPy's of the same matrix, elimination by hand, singular matrices.

Factors and orderings are looked at themselves: a method that uses them forgives rank and digits that are lost, and does not
show how many entries are filled in.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from scipy.linalg import block_diag

from pluecker.contact.friction.sparse import cholesky, ordering
from tests.contact.any_blocks import blocks_of

pytestmark = pytest.mark.plain

SIZES = {"threes": [3], "ones": [1], "mixed": [1, 2, 3, 5, 6]}


def random_blocks(rng, sizes, count, bodies, rank=6):
    """N = J J' with rows between pairs of bodies, as a full matrix and as blocks"""
    size = rng.choice(sizes, count)
    start = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    J = np.zeros((start[-1], rank * bodies))
    for i in range(count):
        for body in rng.choice(bodies, 2, replace=False):
            J[start[i] : start[i + 1], rank * body : rank * (body + 1)] = rng.normal(size=(size[i], rank))
    full = J @ J.T
    return full, blocks_of(full, start, start)


def random_diagonal(rng, S, start, size=0.1):
    """D as a full matrix and as numbers"""
    parts = [rng.normal(size=(n, n)) for n in np.diff(start)]
    parts = [size * (A @ A.T + np.eye(len(A))) for A in parts]
    return block_diag(*parts), np.concatenate([A.reshape(-1) for A in parts])


def factored(N, D, data=None, tiny=1e-13):
    """S, L and how many pivots were left out"""
    S = cholesky.analyse(N)
    L = np.full(S.numbers[0], np.nan)
    count = cholesky.factor(S, N, N.data if data is None else data, np.zeros(S.square[-1]) if D is None else D, tiny, L)
    return S, L, count


def full_factor(S, L):
    """L as a full lower triangular matrix, and the order of the rows"""
    n = len(S.order)
    top = np.concatenate([[0], np.cumsum(S.size)])
    result = np.zeros((top[-1], top[-1]))
    for j in range(n):
        own = slice(top[j], top[j + 1])
        block = np.tril(L[S.pivot[j] : S.pivot[j] + S.size[j] ** 2].reshape(S.size[j], -1))
        np.fill_diagonal(block, 1.0 / np.diag(block))
        result[own, own] = block
        for k in range(S.first[j], S.first[j + 1]):
            i = S.row[k]
            numbers = L[S.place[k] : S.place[k] + S.size[i] * S.size[j]]
            result[top[i] : top[i + 1], own] = numbers.reshape(S.size[i], S.size[j])
    rows = [np.arange(S.start[j], S.start[j] + S.size[j]) for j in range(n)]
    return result, np.concatenate(rows)


@pytest.mark.indices
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sizes", SIZES)
def test_the_factor_is_that_of_numpy(sizes, seed):
    rng = np.random.default_rng(seed)
    full, N = random_blocks(rng, SIZES[sizes], int(rng.integers(1, 30)), 12)
    D, numbers = random_diagonal(rng, cholesky.analyse(N), N.rows)
    S, L, count = factored(N, numbers)
    result, rows = full_factor(S, L)
    A = full + D
    assert count == 0
    assert np.allclose(result, np.linalg.cholesky(A[np.ix_(rows, rows)]), rtol=0.0, atol=1e-11 * np.abs(A).max())
    b = rng.normal(size=len(A))
    x = b.copy()
    cholesky.solve(S, L, x)
    assert np.abs(A @ x - b).max() <= 1e-10 * max(np.abs(b).max(), np.abs(A).max() * np.abs(x).max())


def test_blocks_that_are_missing_on_the_diagonal_come_from_d():
    full = np.zeros((4, 4))
    full[0, 3] = full[3, 0] = 0.5
    start = np.array([0, 1, 3, 4])
    N = blocks_of(full, start, start)
    S, L, count = factored(N, np.array([1.0, 2.0, 0.5, 0.5, 2.0, 3.0]))
    x = np.array([1.0, 2.0, 3.0, 4.0])
    cholesky.solve(S, L, x)
    A = full + block_diag([1.0], [[2.0, 0.5], [0.5, 2.0]], [3.0])
    assert count == 0
    assert np.allclose(A @ x, [1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sizes", SIZES)
def test_a_consistent_singular_system_is_solved_and_its_rank_known(sizes, seed):
    rng = np.random.default_rng(seed)
    full, N = random_blocks(rng, SIZES[sizes], 30, 3, rank=4)
    S, L, count = factored(N, None, tiny=1e-9)
    assert count == len(full) - np.linalg.matrix_rank(full, tol=1e-8)
    b = full @ rng.normal(size=len(full))
    x = b.copy()
    cholesky.solve(S, L, x)
    assert np.abs(full @ x - b).max() <= 1e-8 * np.abs(b).max()


def test_a_pivot_is_held_against_its_own_diagonal_entry():
    """A light row beside a heavy one in a block: not a direction that resists nothing"""
    start = np.array([0, 2])
    N = blocks_of(np.diag([1e20, 1.0]), start, start)
    S, L, count = factored(N, None)
    x = np.array([1e20, 3.0])
    cholesky.solve(S, L, x)
    assert count == 0
    np.testing.assert_allclose(x, [1.0, 3.0], rtol=1e-15)


def test_nothing_is_left_of_a_zero_matrix():
    start = np.array([0, 3, 4])
    N = blocks_of((4, 4), start, start)
    S, L, count = factored(N, None)
    x = np.ones(4)
    cholesky.solve(S, L, x)
    assert count == 4
    assert np.all(x == 0.0)


# ------------------------------------------------------------------------------------------------------------ ordering


def eliminated(full, order):
    """Count the entries below the diagonal of the factor by elimination of a graph."""
    near = {i: set(np.flatnonzero(full[i])) - {i} for i in range(len(full))}
    fill = 0
    for i in order:
        neighbours = near.pop(i)
        fill += len(neighbours)
        for j in neighbours:
            near[j] |= neighbours
            near[j] -= {i, j}
    return fill


def pattern(full):
    """Return the sparsity pattern by rows, without the diagonal."""
    A = scipy.sparse.csr_matrix(full - np.diag(np.diag(full)))
    return A.indptr.astype(np.int64), A.indices.astype(np.int64)


def grid(n):
    """The graph of n by n points"""
    line = scipy.sparse.diags([np.ones(n - 1), np.ones(n - 1)], [-1, 1])
    one = scipy.sparse.identity(n)
    return (scipy.sparse.kron(line, one) + scipy.sparse.kron(one, line) + scipy.sparse.identity(n * n)).toarray()


@pytest.mark.parametrize("seed", range(12))
def test_every_unknown_is_eliminated_once_and_the_pattern_is_that_of_elimination(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    full, N = random_blocks(rng, [1], n, int(rng.integers(2, 30)), rank=1)
    S = cholesky.analyse(N)
    assert sorted(S.order) == list(range(n))
    assert len(S.row) == eliminated(full, S.order)
    assert len(S.row) <= 1.1 * eliminated(full, range(n))


def test_trees_and_arrows_do_not_fill():
    n = 50
    arrow = np.eye(n)
    arrow[0] = arrow[:, 0] = 1.0
    tree = np.eye(n)
    for i in range(1, n):
        tree[i, (i - 1) // 2] = tree[(i - 1) // 2, i] = 1.0
    for full in (arrow, tree):
        assert eliminated(full, ordering.minimum_degree(*pattern(full), np.ones(n, np.int64))) == n - 1


def test_a_grid_fills_no_more_than_with_another_minimum_degree():
    full = grid(20)
    order = ordering.minimum_degree(*pattern(full), np.ones(len(full), np.int64))
    A = scipy.sparse.csc_matrix(full + 10.0 * np.eye(len(full)))
    other = scipy.sparse.linalg.splu(A, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    assert eliminated(full, order) <= 1.2 * (other.L.nnz - len(full))


def test_contacts_of_the_same_two_bodies_are_eliminated_together():
    full = np.kron(grid(5), np.ones((4, 4)))  # 25 places with four unknowns each, which have the same neighbours
    weight = np.ones(len(full), np.int64)
    order = ordering.minimum_degree(*pattern(full), weight) // 4
    assert np.count_nonzero(np.diff(order)) == 24
