"""Problems without solution are not solved: no unknown that grows without bound passes for one, whatever the method.

One test looks inside: it has the first walk of Lemke's method end at no solution, which no data known here do.
"""

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.sparse

from pluecker.contact import (
    Bodies,
    ContactTable,
    Problem,
    assemble_contacts,
    friction_lcp,
    mixed_lcp,
    solve,
    solve_lcp,
)
from tests.contact.friction.lcp.lcp_problems import (
    FAMILIES,
    METHODS,
    MONOTONE,
    positive_definite,
    solvable,
)
from tests.contact.fuzz import LCP_METHODS


def violation(A, b):
    """The least that some w_i is below zero, over all z >= 0, beside the largest of b: by SciPy's linear programming."""
    n = len(b)
    found = scipy.optimize.linprog(np.r_[np.zeros(n), 1.0], A_ub=np.c_[-A, -np.ones(n)], b_ub=b, method="highs")
    assert found.status == 0
    return found.fun / np.abs(b).max()


def low_rank(rng, n):
    """Symmetric, positive semidefinite, of any lower rank"""
    B = rng.normal(size=(n, int(rng.integers(1, max(n, 2)))))
    return B @ B.T


def quarters(rng, n):
    """Skew-symmetric, of numbers that are exact"""
    S = np.triu(np.round(2.0 * rng.normal(size=(n, n))) / 4.0, 1)
    return S - S.T


def hollow(rng, n):
    """Draw a matrix with a block of zeros on the diagonal."""
    A, k = rng.normal(size=(n, n)), rng.integers(0, 2, size=n).astype(bool)
    A[np.ix_(k, k)] = 0.0
    return A


def whole(rng, n):
    """Small whole numbers"""
    return rng.integers(-2, 3, size=(n, n)).astype(float)


OTHERS = {"low rank": low_rank, "quarters": quarters, "hollow": hollow, "whole": whole}


# ----------------------------------------------------------------------------------------------------- any complementarity


@pytest.mark.parametrize("method", METHODS)
def test_a_row_that_is_wrong_by_all_of_b_is_not_hidden_by_another_that_grows(method):
    """w_0 = -2 - 1.25 z_1 < 0 whatever z >= 0: along z = (t, 0), z and w_1 grow together."""
    A, b = np.array([[0.0, -1.25], [1.25, 0.0]]), np.array([-2.0, 1.0])
    for matrix in (A, scipy.sparse.csr_matrix(A)):
        result = solve_lcp(matrix, b, method=method)
        assert not result.converged
        far = solve_lcp(matrix, b, method=method, warm_start=[4.3e11, 0.0], max_iterations=50)
        assert not far.converged
    tiny = solve_lcp(A, b, method=method, warm_start=[1e300, 0.0], max_iterations=50)
    assert not tiny.converged


def test_a_small_natural_map_alone_is_explained():
    result = solve_lcp([[0.0]], [-1.0], method="minmap_newton", warm_start=[1e12], max_iterations=0)
    assert not result.converged
    assert "beside what is given the error is" in result.message or result.natural_map > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("family", ["skew", "tied", "semidefinite", *OTHERS])
def test_no_method_solves_what_a_linear_program_proves_infeasible(method, family):
    rng = np.random.default_rng(len(family))
    infeasible = 0
    for k in range(20):
        n = int(rng.integers(1, 7))
        A = {**FAMILIES, **OTHERS}[family](rng, n)
        b = rng.normal(size=n) if k % 2 else rng.choice([-3.0, -2.0, -1.0, 1.0, 2.0], size=n)
        if violation(A, b) > 1e-6:
            infeasible += 1
            assert not solve_lcp(A, b, method=method, max_iterations=80).converged
        elif family in (*MONOTONE, "low rank", "quarters"):
            assert solve_lcp(A, b, method=method).converged or method == "minmap_newton"
    assert infeasible > 2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [1e3, 1e5, 1e7])
def test_large_solutions_are_solutions(method, size):
    """Nearly singular: z is ``size`` times as large as b, and rounding of w larger than the tolerance beside b."""
    A = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0 + 1.0 / size, 0.0], [0.0, 0.0, 1.0]])
    b = np.array([-1.0, 0.5, -1.0])
    z = np.append(np.linalg.solve(A[:2, :2], -b[:2]), 1.0)
    result = solve_lcp(A, b, method=method)
    assert result.converged, result.message
    np.testing.assert_allclose(result.z, z, rtol=1e-7)
    assert result.z.max() > 0.4 * size


def test_where_rounding_hides_b_nothing_is_known():
    """z = (1e16, 1e16) makes w = 0 in floating point; in truth w = -1."""
    A, b = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, -1.0])
    z = np.array([1e17, 1e17])
    assert (A @ z).tolist() == [0.0, 0.0]
    assert not solve_lcp(A, b, method="minmap_newton", warm_start=z, max_iterations=0).converged
    wide = np.array([[3.0, -1.0, -2.0], [-1.0, 1.0, 0.0], [-2.0, 0.0, 2.0]])
    assert np.abs(wide.sum(axis=1)).max() == 0.0
    for size in 10.0 ** np.arange(8, 18):
        result = solve_lcp(
            wide, [-1.0, -1.0, 1.5], method="minmap_newton", warm_start=size * np.ones(3), max_iterations=0
        )
        assert not result.converged


# ------------------------------------------------------------------------------------------------------------ friction laws


def painleve():
    """No solution: u_n = f + t - 1/2, u_t = f + t + 3 = u_n + 7/2, |t| <= 3/2 f.

    Open: f = t = 0 gives u_n = -1/2. Otherwise u_n = 0 and u_t = 7/2 slides, so t = -3/2 f: u_n = -f/2 - 1/2 < 0.
    """
    return Problem.from_delassus([[1.0, 1.0], [1.0, 1.0]], [-0.5, 3.0], [1.5], size=2)


def plates():
    """A ball between a plate at rest and one that comes down: no impulse can stop both."""
    velocity = np.array([[0.0] * 6, [0.0] * 6, [0, 0, 0, 0, 0, -1.0]])
    center = np.array([[0, 0, 0], [0, 0, 0.5], [0, 0, 1.0]])
    bodies = Bodies([np.inf, 1.0, np.inf], np.full((3, 3), 0.1), center, velocity=velocity)
    table = ContactTable([[0, 1], [1, 2]], [[0, 0, 1]] * 2, [[0, 0, 0], [0, 0, 1]], friction=0.3)
    return assemble_contacts(bodies, table, 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", *LCP_METHODS])
@pytest.mark.parametrize("tol", [1e-10, 1e-6, 1e-3])
def test_painleve_s_data_are_not_solved(method, tol):
    result = solve(painleve(), "lcp", method, tol=tol)
    assert not result.converged
    assert result.status == "no solution found"
    assert result.message
    assert result.errors.largest > 0.01


@pytest.mark.parametrize("method", ["auto", *LCP_METHODS])
def test_a_ball_between_closing_plates_is_not_solved(method):
    for law in ("lcp", "frictionless"):
        result = solve(plates(), law, method)
        assert not result.converged
        assert result.message
        assert np.isfinite(result.multipliers).all()


@pytest.mark.parametrize("method", ["auto", *LCP_METHODS])
def test_infeasible_normals_are_not_solved(method):
    """Rank two and more contacts than that; a linear program proves that no f >= 0 has u_n >= 0."""
    rng, infeasible, solved = np.random.default_rng(5), 0, 0
    for _ in range(10):
        B = rng.normal(size=(12, 2))
        N, b = B @ B.T, rng.normal(size=12)
        normal = np.arange(0, 12, 3)
        problem = Problem.from_delassus(N, b, 0.4 * np.ones(4))
        result = solve(problem, "frictionless", method, max_iterations=200)
        if violation(N[np.ix_(normal, normal)], b[normal]) > 1e-3:
            infeasible += 1
            assert not result.converged
            assert result.message
        else:
            solved += result.converged
    assert infeasible > 2
    assert solved > 1


def maps_of_the_polygon(problem, r):
    """Natural map and error in velocity by definition, of four directions: beta beside r, and the least speed of sliding."""
    lcp, u = friction_lcp(problem, directions=4), problem.velocity(r)
    t, v = r.reshape(-1, 3)[:, 1:], u.reshape(-1, 3)[:, 1:]
    sliding = np.abs(v).max(axis=1)  # the largest of -d_h . v, d_h being both axes and their opposites
    z = np.concatenate([np.hstack([np.maximum(t, 0.0), np.maximum(-t, 0.0)]).ravel(), r[::3], sliding])
    s = 1.0 / np.sqrt(problem.matrix().diagonal().reshape(-1, 3).mean(axis=1))
    unit, w, all_s = np.concatenate([np.repeat(s, 4), s, 1.0 / s]), lcp.A @ z + lcp.b, np.repeat(s, 3)
    size = max(np.linalg.norm(x) for x in (all_s * problem.offset, r / all_s, all_s * u))
    h, K = np.minimum(z / unit, w * unit), len(s)
    each = np.linalg.norm(np.hstack([h[: 4 * K].reshape(K, 4), h[4 * K : 5 * K, None], h[5 * K :, None]]), axis=1)
    return np.linalg.norm(h) / size, (each / s).max()


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1000.0])
@pytest.mark.parametrize("method", ["auto", *LCP_METHODS])
def test_both_maps_of_the_polygon_are_what_they_are_called(method, mass):
    """Impulses in units of s, velocities in units of 1 / s: masses 1000 times as large make s 31 times as large."""
    rng = np.random.default_rng(2)
    B = rng.normal(size=(6, 8))
    problem = Problem.from_delassus(B @ B.T / mass, rng.normal(size=6), [0.5, 0.5])
    result = solve(problem, "lcp", method, directions=4, max_iterations=1)
    assert result.errors.relative_velocity > 1e-3
    found = result.errors.natural_map, result.errors.velocity
    assert found == pytest.approx(maps_of_the_polygon(problem, result.multipliers), rel=1e-9)


@pytest.mark.parametrize("method", ["auto", *LCP_METHODS])
def test_a_start_that_is_lost_in_rounding_is_no_solution(method):
    """u_n = r_1 - r_2 - 1 and r_2 - r_1 - 1: of impulses of 1e17 nothing of the 1 is left."""
    problem = Problem.from_delassus(np.kron([[1.0, -1.0], [-1.0, 1.0]], np.eye(3)), [-1.0, 0, 0] * 2, [0.5, 0.5])
    far = 1e17 * np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    assert np.abs(problem.velocity(far)[::3]).tolist() == [1.0, 1.0]
    for law in ("lcp", "frictionless"):
        assert not solve(problem, law, method, max_iterations=20, warm_start=far).converged


# --------------------------------------------------------------------------------------------------------------- directions


def test_the_usual_directions_are_two_in_the_plane_and_eight_in_space():
    plane = Problem.from_delassus(np.eye(4), [-1.0, 2.0, -1.0, 0.1], [0.5, 0.5], size=2)
    space = Problem.from_delassus(np.eye(3), [-1.0, 2.0, 0.0], [0.5])
    assert friction_lcp(plane).directions == 2
    assert friction_lcp(space).directions == 8
    assert friction_lcp(Problem.from_delassus(np.eye(1), [1.0], [], rows=([0.0], [1.0]))).A.shape == (1, 1)
    for method in ("auto", *LCP_METHODS):
        np.testing.assert_allclose(solve(plane, "lcp", method).multipliers, [1, -0.5, 1, -0.1], atol=1e-5)
    mass = 2.0 * np.eye(2)
    problem = Problem.from_factors(mass, np.eye(2), [-2.0, 6.0], np.zeros(2), [0.5], size=2)
    assert mixed_lcp(problem, mass).directions == 2


# ------------------------------------------------------------------------------------------------ parts that do not touch


def test_parts_that_do_not_touch_are_solved_one_by_one():
    rng = np.random.default_rng(12)
    parts = [positive_definite(rng, n) for n in (3, 1, 4)]
    A, order = scipy.linalg.block_diag(*parts), rng.permutation(8)
    b, _ = solvable(rng, A)
    shuffled = A[np.ix_(order, order)]
    ends = np.cumsum([0, 3, 1, 4])
    alone = [solve_lcp(part, b[i:j]) for part, i, j in zip(parts, ends[:-1], ends[1:], strict=True)]
    for matrix in (shuffled, scipy.sparse.csr_matrix(shuffled)):
        result = solve_lcp(matrix, b[order], history=True)
        assert result.converged
        assert result.iterations == sum(one.iterations for one in alone) == len(result.history)
        np.testing.assert_allclose(result.z, np.concatenate([one.z for one in alone])[order], atol=1e-12)
    assert solve_lcp(shuffled, b[order], max_iterations=2).status == "iteration limit"


def test_one_part_without_solution_is_the_reason_for_all():
    A = scipy.linalg.block_diag([[2.0, 1.0], [1.0, 2.0]], [[-1.0]], np.array([[-2.0, -2.0], [1.0, -2.0]]))
    b = np.array([-1.0, -1.0, -1.0, 2.0, -1.0])
    assert solve_lcp(A, b).status == "infeasible"
    assert solve_lcp(A, np.where(np.arange(5) == 2, 1.0, b)).status == "ray"
