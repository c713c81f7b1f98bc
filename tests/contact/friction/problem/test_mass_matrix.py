"""Masses that join rows in any way: M^-1 H against dense solutions, blocks of columns, memory, and what is refused.

Blocks are looked at in the operator that a problem has: what they are made for, memory and time, no solution shows.
"""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

from pluecker.contact import Problem, ProblemError, mixed_lcp, solve

SMALL = 64  # rows of a group whose inverse is kept as a block


def chain(n, diagonal=3.0):
    """A rod: each row is joined to the next one."""
    ones = np.full(max(n - 1, 0), -1.0)
    return scipy.sparse.diags([ones, np.full(n, diagonal), ones], [-1, 0, 1]).tocsr()


def groups(rng, sizes, mixed):
    """Definite masses of groups of such sizes, one after the other, or with their rows mixed."""
    parts = []
    for n in sizes:
        A = rng.normal(size=(n, n)) * (rng.random((n, n)) < 3 / n)
        parts.append(A @ A.T + np.eye(n) + chain(n).toarray())
    M = scipy.linalg.block_diag(*parts)
    order = rng.permutation(len(M)) if mixed else np.arange(len(M))
    return M[order][:, order]


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize(
    "sizes", [[1] * 7, [6] * 4, [3, 3, 6, 1, 5], [70], [6, 70, 6, 6], [100, 1, 80, 64, 65], [7, 2, 66, 9], [1]]
)
def test_solutions_are_those_of_dense_masses(sizes, mixed):
    rng = np.random.default_rng(len(sizes) + mixed)
    M, m = groups(rng, sizes, mixed), 9
    n = len(M)
    H, f, w = rng.normal(size=(n, m)) * (rng.random((n, m)) < 0.2), rng.normal(size=n), rng.normal(size=m)
    problem = Problem.from_factors(scipy.sparse.csr_matrix(M), H.T, f, w, np.full(3, 0.5))
    np.testing.assert_allclose(problem.matrix().toarray(), H.T @ np.linalg.solve(M, H), rtol=1e-10, atol=1e-12)
    r = rng.normal(size=m)
    np.testing.assert_allclose(problem.motion(r), np.linalg.solve(M, H @ r + f), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(problem.velocity(r), H.T @ problem.motion(r) + w, rtol=1e-10, atol=1e-12)
    full = mixed_lcp(problem, scipy.sparse.csr_matrix(M), directions=4)
    np.testing.assert_array_equal(full.Jn.toarray(), H.T[::3])
    J = full.Jd.toarray().reshape(3, 4, n)
    np.testing.assert_array_equal(J[:, :2].reshape(6, n), np.delete(H.T, [0, 3, 6], axis=0))


def columns_of(M):
    """Return the first column of each block, and their total number, for a problem with one equation a row."""
    n = len(M)
    none, free = np.zeros(n), np.full(n, np.inf)
    problem = Problem.from_factors(
        scipy.sparse.csr_matrix(M), scipy.sparse.identity(n), none, none, [], rows=(-free, free)
    )
    return problem.operator.T.columns


@pytest.mark.parametrize("mixed", [False, True])
def test_each_block_of_columns_is_of_whole_groups_or_of_one_alone(mixed):
    rng = np.random.default_rng(3)
    M = groups(rng, [6, 2, 4, 6, 70, 2, 66, 1], mixed)
    label = scipy.sparse.csgraph.connected_components(M)[1]
    columns = columns_of(M)
    assert columns[0] == 0
    assert columns[-1] == len(M)
    assert np.diff(columns).max() <= 6
    for a, b in itertools.pairwise(columns):
        held = set(label[a:b])
        assert len(held) == 1 or all(set(np.flatnonzero(label == one)) <= set(range(a, b)) for one in held)


def test_bodies_stay_blocks_of_six_and_small_groups_blocks():
    for M, expected in (
        (np.diag(np.arange(1.0, 19.0)), [0, 6, 12, 18]),
        (np.diag(np.arange(1.0, 8.0)), list(range(8))),
        (np.kron(np.eye(3), np.full((3, 3), 0.5) + np.eye(3)), [0, 3, 6, 9]),
        (chain(64).toarray(), [0, 64]),
        (chain(65).toarray(), [*range(0, 65, 6), 65]),
    ):
        np.testing.assert_array_equal(columns_of(M), expected)


def test_one_entry_far_from_the_diagonal_joins_two_bodies_only():
    n = 6 * 50
    M, H = np.eye(n), np.zeros((n, 3 * 50))
    M[0, n - 1] = M[n - 1, 0] = 0.5
    for body in range(50):
        H[6 * body + 3 : 6 * body + 6, 3 * body : 3 * body + 3] = np.eye(3)
    H[0, 0] = 1.0  # the first contact feels the entry
    problem = Problem.from_factors(M, H.T, np.zeros(n), np.zeros(150), np.full(50, 0.5))
    assert solve(problem, max_iterations=1).islands == 49
    assert len(problem.operator.T.data) < 3000
    np.testing.assert_allclose(problem.matrix().toarray(), H.T @ np.linalg.solve(M, H), atol=1e-12)


@pytest.mark.parametrize("corner", [0.0, 0.1])
def test_large_connected_masses_are_solved_and_not_inverted(corner):
    """A dense inverse of 20000 rows would take 3.2 GB."""
    n = 20000
    M = chain(n).tolil()
    M[0, n - 1] = M[n - 1, 0] = corner
    H = scipy.sparse.lil_matrix((n, 3))
    H[[0, 5000, 19999], [0, 1, 2]] = 1.0
    f = np.ones(n)
    tracemalloc.start()
    problem = Problem.from_factors(M, H.T, f, np.zeros(3), [0.5])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e8
    assert len(problem.operator.T.data) == 3 * n
    np.testing.assert_allclose(M.tocsr() @ problem.motion([1.0, 2.0, 3.0]), H @ [1.0, 2.0, 3.0] + f, atol=1e-12)


def test_masses_that_are_not_definite_are_refused_by_their_rows():
    rng = np.random.default_rng(5)
    n = SMALL + 10
    singular, indefinite, zero = chain(n, 2.0).tolil(), chain(n, 1.9), chain(n).tolil()
    singular[0, 0] = singular[n - 1, n - 1] = 1.0
    zero[3, 3] = 0.0
    for bad in (indefinite, zero.tocsr(), singular.tocsr() - 1e-6 * scipy.sparse.identity(n), -chain(n)):
        M = scipy.sparse.block_diag([np.eye(12), bad, np.eye(4)])
        H = rng.normal(size=(M.shape[0], 3))
        with pytest.raises(ProblemError, match=f"M is not positive definite in rows 12 to {11 + n}"):
            Problem.from_factors(M, H.T, np.zeros(len(H)), np.zeros(3), [0.5])
    M = np.diag(np.r_[np.ones(60), -1.0, np.ones(5)])
    with pytest.raises(ProblemError, match="M is not positive definite in rows 60 to 65"):
        Problem.from_factors(M, np.zeros((3, 66)), np.zeros(66), np.zeros(3), [0.5])


def test_a_mass_without_rows():
    problem = Problem.from_factors(np.zeros((0, 0)), np.zeros((3, 0)), [], [1.0, 2.0, 3.0], [0.5])
    np.testing.assert_array_equal(problem.velocity([1.0, 0.0, 0.0]), [1.0, 2.0, 3.0])
    assert problem.motion(np.zeros(3)).shape == (0,)
