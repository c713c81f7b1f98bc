"""Linear complementarity problems: every method, with bounds, against enumeration and a quadratic program.

One test looks inside: at the slopes of the merit, by which steps are judged. A method that has other slopes takes other
steps, and its solutions do not show it.
"""

import math

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

from pluecker.contact import ProblemError, solve_lcp
from pluecker.contact.friction.lcp import complementarity, minmap_newton
from pluecker.spatial import ArgumentTypeError
from tests.conftest import EVERYTHING
from tests.contact.friction.lcp.lcp_problems import (
    FAMILIES,
    METHODS,
    MONOTONE,
    all_solutions,
    mixed,
    monotone,
    positive_definite,
    solvable,
)

REFUSED = ProblemError, ArgumentTypeError

TOL = 1e-10


def error(A, b, lower, upper, z):
    """The natural map by its definition."""
    w = A @ z + b
    scale = max(np.linalg.norm(b), np.linalg.norm(z), np.linalg.norm(w))
    return np.linalg.norm(z - np.clip(z - w, lower, upper)) / (scale or 1.0)


def check(result, A, b, lower=0.0, upper=np.inf, tol=TOL):
    """A converged result is a solution; what it says of itself is true."""
    assert result.status == "converged", result.message
    assert result.converged
    assert (result.z >= lower).all()
    assert (result.z <= upper).all()
    assert error(A, b, lower, upper, result.z) <= tol
    assert math.isclose(result.natural_map, error(A, b, lower, upper, result.z), rel_tol=1e-3, abs_tol=1e-15)
    rounding = 1e-15 * len(b) * (np.abs(A) @ np.abs(result.z) + np.abs(b))
    assert (np.abs(result.w - (A @ result.z + b)) <= rounding).all()
    assert result.time > 0.0


# ------------------------------------------------------------------------------------------------------- standard problems


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("family", MONOTONE)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_monotone_problems_are_solved(method, family, n):
    rng = np.random.default_rng(n)
    for k in range(6):
        A = FAMILIES[family](rng, n)
        b, _ = solvable(rng, A, degenerate=k % 2 == 1)
        result = solve_lcp(A, b, method=method)
        check(result, A, b)
        # w is the same for all solutions of a symmetric problem
        if family in ("positive definite", "semidefinite", "tied"):
            w = A @ all_solutions(A, b)[0] + b
            np.testing.assert_allclose(result.w, w, atol=1e-6 * max(1.0, np.abs(A).max()))


@pytest.mark.parametrize("method", METHODS)
def test_no_unknowns_no_work(method):
    for A in (np.zeros((0, 0)), [], scipy.sparse.csr_matrix((0, 0))):
        result = solve_lcp(A, [], method=method, history=True)
        assert result.status == "converged"
        assert result.z.shape == result.w.shape == result.history.shape == (0,)
        assert result.natural_map == result.complementarity == result.iterations == 0


@pytest.mark.parametrize("method", METHODS)
def test_all_zero_is_solved_by_zero(method):
    assert solve_lcp(np.zeros((3, 3)), np.zeros(3), method=method).z.tolist() == [0.0, 0.0, 0.0]


def test_a_negative_diagonal_in_one_dimension_without_solution():
    """Painleve's case: -z - 1 >= 0 has no z >= 0."""
    result = solve_lcp([[-1.0]], [-1.0])
    assert result.status == "infeasible"
    assert "Farkas" in result.message
    result = solve_lcp([[-1.0]], [-1.0], method="minmap_newton")
    assert result.status in ("stalled", "iteration limit")
    assert result.natural_map > 0.1


def test_a_negative_diagonal_in_one_dimension_with_two_solutions():
    """z = 0, w = 1 and z = 1, w = 0: from zero everyone finds the first, from one the second."""
    for method in METHODS:
        assert solve_lcp([[-1.0]], [1.0], method=method).z.tolist() == [0.0]
        result = solve_lcp([[-1.0]], [1.0], method=method, warm_start=[1.0])
        assert (result.z.tolist(), result.iterations) == ([1.0], 0)
    near = solve_lcp([[-1.0]], [1.0], method="minmap_newton", warm_start=[0.9])
    np.testing.assert_allclose(near.z, [1.0], rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(5 if EVERYTHING else 2))
def test_problems_without_solution_are_never_solved(method, seed):
    """Semidefinite, with a direction along which the quadratic falls for ever: z may grow, the natural map fall."""
    rng = np.random.default_rng(seed)
    n = 6
    B = rng.normal(size=(n, 3))
    y = np.abs(rng.normal(size=n))
    B -= np.outer(y, y @ B) / (y @ y)  # A y = 0
    A, b = B @ B.T, rng.normal(size=n)
    b -= y * (b @ y + 1.0) / (y @ y)  # b . y = -1
    result = solve_lcp(A, b, method=method, max_iterations=2000)
    assert result.status == ("infeasible" if method == "lemke" else result.status)
    assert not result.converged
    assert np.isfinite(result.z).all()
    assert np.isfinite(result.w).all()


def test_an_empty_row_without_solution_is_not_hidden_by_a_large_z():
    for b in (-1.0, -1e-6, -1e6):
        assert not solve_lcp([[0.0]], [b], method="minmap_newton").converged
        assert not solve_lcp([[1.0, 0.0], [0.0, 0.0]], [-1.0, b], method="minmap_newton").converged


def test_many_solutions_of_a_singular_problem():
    """z_1 + ... + z_5 = 1: whatever corner or face is returned has that sum."""
    for method in METHODS:
        for A in (np.ones((5, 5)), scipy.sparse.csr_matrix(np.ones((5, 5)))):
            result = solve_lcp(A, -np.ones(5), method=method)
            assert result.status == "converged"
            assert (result.z >= 0.0).all()
            assert math.isclose(result.z.sum(), 1.0, rel_tol=1e-9)


@pytest.mark.parametrize("A", [[[1, 2, 0], [0, 1, 2], [2, 0, 1]], [[1, 0, 2], [2, 1, 0], [0, 2, 1]]])
def test_newton_s_method_on_the_minimum_map_does_not_cycle_with_a_line_search(A):
    """It cycles on these P matrices without a line search (Ben Gharbia and Gilbert 2012), which is checked first."""
    A, b = np.array(A, dtype=float), -np.ones(3)
    z, seen = np.array([0.0, 0.0, 1.0]), []
    for _ in range(9):
        I = np.flatnonzero(z > A @ z + b)
        z = np.zeros(3)
        z[I] = np.linalg.solve(A[np.ix_(I, I)], -b[I])
        seen.append(tuple(I))
    assert seen[-3:] == seen[-6:-3]
    assert len(set(seen[-3:])) == 3
    for method in METHODS:
        result = solve_lcp(A, b, method=method, warm_start=[0.0, 0.0, 1.0])
        assert result.status == "converged"
        np.testing.assert_allclose(result.z, np.full(3, 1 / 3), rtol=1e-9)


# ------------------------------------------------------------------------------------------------- bounds and equations


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 5, 10, 25])
def test_mixed_problems_agree_with_a_quadratic_program(method, n):
    """A symmetric problem with bounds is the minimum of ``1/2 z.A z + b.z`` between them: here by Clarabel."""
    clarabel = pytest.importorskip("clarabel", reason="the quadratic-program solver clarabel is not installed")
    rng = np.random.default_rng(n)
    for _ in range(3):
        A, b, lower, upper = mixed(rng, n)
        result = solve_lcp(A, b, lower=lower, upper=upper, method=method)
        check(result, A, b, lower, upper)
        low, high = np.isfinite(lower), np.isfinite(upper)
        G = scipy.sparse.csc_matrix(np.vstack([-np.eye(n)[low], np.eye(n)[high]]))
        h = np.concatenate([-lower[low], upper[high]])
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
        cones = [clarabel.NonnegativeConeT(len(h))] if len(h) else []
        P = scipy.sparse.csc_matrix(np.triu(A))
        solution = clarabel.DefaultSolver(P, b, G, h, cones, settings).solve()
        np.testing.assert_allclose(result.z, solution.x, atol=2e-5 * max(1.0, np.abs(result.z).max()))
        z = np.array(solution.x)
        cost = 0.5 * result.z @ A @ result.z + b @ result.z
        assert cost <= 0.5 * z @ A @ z + b @ z + 1e-7 * (1.0 + abs(cost))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 3, 5, 10, 25])
def test_mixed_monotone_problems_have_one_solution(method, n):
    rng = np.random.default_rng(50 + n)
    for _ in range(4):
        A, b, lower, upper = mixed(rng, n, monotone)
        result = solve_lcp(A, b, lower=lower, upper=upper, method=method)
        check(result, A, b, lower, upper)
        other = solve_lcp(A, b, lower=lower, upper=upper, method="lemke")
        np.testing.assert_allclose(result.z, other.z, atol=1e-7 * max(1.0, np.abs(other.z).max()))


@pytest.mark.parametrize("method", METHODS)
def test_equations_alone_are_a_linear_system(method):
    rng = np.random.default_rng(4)
    A, b = rng.normal(size=(6, 6)), rng.normal(size=6)
    result = solve_lcp(A, b, lower=-np.inf, method=method)
    check(result, A, b, -np.inf)
    np.testing.assert_allclose(result.z, np.linalg.solve(A, -b), rtol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_equal_bounds_fix_an_unknown(method):
    result = solve_lcp(np.eye(2), [3.0, -3.0], lower=[1.0, 0.0], upper=[1.0, np.inf], method=method)
    assert result.status == "converged"
    np.testing.assert_allclose(result.z, [1.0, 3.0], rtol=1e-9)
    assert solve_lcp(np.eye(2), [3.0, -3.0], lower=1.0, upper=1.0, method=method).z.tolist() == [1.0, 1.0]
    empty = solve_lcp([[1.0, -1.0], [0.0, 0.0]], [0.0, 5.0], lower=[0.0, 2.0], upper=[np.inf, 2.0], method=method)
    assert empty.status == "converged"
    np.testing.assert_allclose(empty.z, [2.0, 2.0], rtol=1e-9)


def test_dependent_equations_are_named_by_lemke_and_solved_by_newton():
    A = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    b, lower = np.array([-1.0, -1.0, -1.0]), np.array([-np.inf, -np.inf, 0.0])
    with pytest.raises(REFUSED, match="the 2 rows without bounds, the first of which is row 0, do not determine"):
        solve_lcp(A, b, lower=lower)
    check(solve_lcp(A, b, lower=lower, method="minmap_newton"), A, b, lower)
    rng = np.random.default_rng(6)
    B = rng.normal(size=(6, 3))
    with pytest.raises(REFUSED, match="the 6 rows without bounds"):
        solve_lcp(B @ B.T, B @ np.ones(3), lower=-np.inf)


@pytest.mark.parametrize("method", METHODS)
def test_boxes_make_a_semidefinite_problem_solvable(method):
    """A problem has a solution if all bounds of z are finite."""
    rng = np.random.default_rng(12)
    for n in (2, 6, 20):
        B, S = rng.normal(size=(n, n // 2)), rng.normal(size=(n, n))
        A, b = B @ B.T + S - S.T, 3.0 * rng.normal(size=n)
        check(solve_lcp(A, b, lower=-1.0, upper=2.0, method=method), A, b, -1.0, 2.0)


# ------------------------------------------------------------------------------------------------------ sparse and scaled


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "coo_matrix"])
def test_sparse_and_dense_agree(method, kind):
    """The obstacle problem of a string: -u'' = -1 over an obstacle, a tridiagonal matrix."""
    n = 40
    A = scipy.sparse.diags([-np.ones(n - 1), 2.0 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])
    x = np.linspace(0.0, 1.0, n)
    b = A @ (0.1 - (x - 0.4) ** 2) + 1e-3
    dense = solve_lcp(A.toarray(), b, method=method, tol=1e-9)
    sparse = solve_lcp(getattr(scipy.sparse, kind)(A), b, method=method, tol=1e-9)
    assert dense.status == sparse.status == "converged"
    np.testing.assert_allclose(sparse.z, dense.z, atol=1e-5 * np.abs(dense.z).max())
    assert 0 < np.count_nonzero(dense.z) < n


def test_sparse_mixed_problems():
    rng = np.random.default_rng(33)
    A, b, lower, upper = mixed(rng, 60)
    A[np.abs(A) < 0.2] = 0.0
    A += 5.0 * np.eye(60)
    result = solve_lcp(scipy.sparse.csr_array(A), b, lower=lower, upper=upper, method="minmap_newton")
    check(result, A, b, lower, upper, tol=2e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-8, 1e-4, 1e4, 1e8])
def test_units_do_not_matter(method, scale):
    """A' = s A scales z by 1 / s, b' = s b by s: the same z to the digits that were asked for, whatever the size."""
    rng = np.random.default_rng(7)
    for family in ("positive definite", "tied"):
        A = FAMILIES[family](rng, 8) + 0.1 * np.eye(8)
        b, _ = solvable(rng, A)
        plain = solve_lcp(A, b, method=method)
        for p, q in ((scale, 1.0), (1.0, scale), (scale, scale)):
            result = solve_lcp(p * A, q * b, method=method)
            assert result.status == "converged"
            np.testing.assert_allclose(result.z * p / q, plain.z, atol=1e-7 * np.abs(plain.z).max())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("entry", "offset"), [(1e308, -1e308), (1.0, -1e308), (1e-300, -1e300)])
def test_numbers_at_the_end_of_float64_are_solved_or_honestly_not(method, entry, offset):
    result = solve_lcp(entry * np.eye(2), [offset, offset], method=method)
    assert result.status in ("converged", "stalled")
    if result.status == "converged":
        np.testing.assert_allclose(result.z, -offset / entry, rtol=1e-9)


# ------------------------------------------------------------------------------------------------------------- behaviour


@pytest.mark.parametrize("method", METHODS)
def test_the_limit_keeps_the_best_point_and_is_honest(method):
    rng = np.random.default_rng(14)
    A = FAMILIES["monotone"](rng, 30)
    b, _ = solvable(rng, A)
    for limit in (0, 1, 2):
        result = solve_lcp(A, b, method=method, max_iterations=limit, history=True)
        assert result.status == "iteration limit"
        assert result.iterations == limit == len(result.history)
        assert result.natural_map > TOL
        assert math.isclose(result.natural_map, error(A, b, 0.0, np.inf, result.z), rel_tol=1e-9)
        if method != "lemke" and limit:
            assert result.natural_map <= result.history.min() * (1 + 1e-9) or result.natural_map < 1.0
        assert str(limit) in result.message


@pytest.mark.parametrize("method", METHODS)
def test_a_start_that_solves_the_problem_costs_nothing(method):
    rng = np.random.default_rng(15)
    A = positive_definite(rng, 10)
    b, z = solvable(rng, A)
    result = solve_lcp(A, b, method=method, warm_start=z)
    assert result.iterations == 0
    np.testing.assert_array_equal(result.z, z)


@pytest.mark.parametrize("sparse", [False, True])
def test_newton_s_method_ends_quadratically(sparse):
    """Quadratic convergence shows that the derivatives are right, for rows of all five kinds."""
    rng = np.random.default_rng(16)
    A = monotone(rng, 30)
    b, _ = solvable(rng, A)
    for problem in ((A, b, 0.0, np.inf), mixed(rng, 10, monotone), mixed(rng, 30, monotone)):
        matrix = scipy.sparse.csr_matrix(problem[0]) if sparse else problem[0]
        result = solve_lcp(matrix, problem[1], lower=problem[2], upper=problem[3], method="minmap_newton", history=True)
        history = np.append(1.0, result.history)
        assert history[-1] <= 1e-10
        assert history[-1] < 1e-3 * history[-2]
        assert len(history) < 40


@pytest.mark.slow
def test_no_solver_ever_returns_nan():
    rng = np.random.default_rng(18)
    for size in (1.0, 1e150, 1e-150):
        for _ in range(15 if EVERYTHING else 5):
            A, b = size * rng.normal(size=(5, 5)), rng.normal(size=5)
            for method in METHODS:
                result = solve_lcp(A, b, method=method, warm_start=1e3 * rng.normal(size=5), max_iterations=200)
                for numbers in (result.z, result.w, result.natural_map, result.complementarity, result.history):
                    assert np.isfinite(numbers).all()
                assert result.converged == (result.status == "converged")
                assert not result.converged or result.natural_map <= TOL


def test_measures_are_what_they_are_called():
    z, w = np.array([0.5, 0.25, 1.5, 7.0]), np.array([0.25, -2.0, -3.0, 1e-3])
    lower, upper = [0, -np.inf, 0, -np.inf], [np.inf, 1, 2, np.inf]
    start = {"warm_start": z, "max_iterations": 0}
    result = solve_lcp(np.eye(4), w - z, lower=lower, upper=upper, method="minmap_newton", **start)
    np.testing.assert_array_equal(result.z, z)
    np.testing.assert_allclose(result.w, w, rtol=1e-12)
    assert math.isclose(result.complementarity, 0.5 * 0.25 + 0.75 * 2.0 + 0.5 * 3.0, rel_tol=1e-12)
    gap = math.hypot(0.25, 0.75, 0.5, 1e-3) / np.linalg.norm(w - z)  # the largest of |b|, |z|, |w|
    assert math.isclose(result.natural_map, gap, rel_tol=1e-12)


def test_measures_do_not_overflow():
    for size in (1e200, 1e-200):
        result = solve_lcp(np.eye(2), [-3.0 * size, -4.0 * size], method="minmap_newton", max_iterations=0)
        assert math.isclose(result.natural_map, 1.0, rel_tol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_each_unknown_may_have_a_unit_of_its_own(method):
    """z in units of 1 / D, w in those of D, eight digits apart; all numbers a power of two as large, bit for bit."""
    rng = np.random.default_rng(19)
    D = 10.0 ** rng.uniform(-4, 4, size=8)
    plain, b = positive_definite(rng, 8), rng.normal(size=8)
    lower, upper = -0.5, 0.7
    expected = solve_lcp(plain, b, lower=lower, upper=upper, method=method)
    assert expected.converged
    assert 0 < np.count_nonzero((expected.z > lower) & (expected.z < upper)) < 8
    A = D[:, None] * (plain * D)
    for matrix in (A, scipy.sparse.csr_matrix(A)):
        result = solve_lcp(matrix, D * b, lower=lower / D, upper=upper / D, method=method)
        assert result.converged
        np.testing.assert_allclose(result.z * D, expected.z, rtol=1e-6, atol=1e-8)
    for power in (-100, 1, 40, 100):
        low, high = np.ldexp([lower, upper], power)
        result = solve_lcp(plain, np.ldexp(b, power), lower=low, upper=high, method=method)
        np.testing.assert_array_equal(result.z, np.ldexp(expected.z, power))
        assert result.iterations == expected.iterations


# ---------------------------------------------------------------------------------------------------------- derivatives


def test_newton_s_matrices_are_derivatives():
    """The slope of the merit along Newton's direction, and of the gradient, against a difference."""
    rng = np.random.default_rng(22)
    A, b, lower, upper = mixed(rng, 10, monotone)
    for matrix in (A, scipy.sparse.csr_matrix(A)):
        system = minmap_newton.MinimumMap(complementarity.make_problem(matrix, b, lower, upper))
        for _ in range(5):
            z = rng.normal(size=10)
            value = system.value(z)
            for d, slope in system.directions(z, value):
                h = 1e-7 / np.abs(d).max()
                up, down = system.value(z + h * d), system.value(z - h * d)
                assert math.isclose(slope, (up @ up - down @ down) / (4 * h), rel_tol=1e-4)


def test_newton_s_method_converges_to_a_corner():
    """z at a bound and w = 0: an element of the generalised Jacobian there, regular for a definite A."""
    A = np.array([[2.0, 1.0], [1.0, 2.0]])
    for b, upper, start, corner in (((0.0, 0.0), np.inf, 1.0, 0.0), ((-3.0, -3.0), 1.0, 0.5, 1.0)):
        result = solve_lcp(A, b, upper=upper, method="minmap_newton", warm_start=[start, 0.9 * start], tol=1e-14)
        assert result.converged, result.message
        assert result.iterations <= 12
        np.testing.assert_allclose(result.z, corner, atol=1e-12)


def test_a_step_of_refinement_mends_a_growing_elimination():
    """Wilkinson's matrix: its elimination grows to 2^(n - 1), and loses as much. One step of Newton's method has it all."""
    n = 45
    A = np.eye(n) - np.tril(np.ones((n, n)), -1)
    A[:, -1] = 1.0
    x = np.random.default_rng(1).normal(size=n)
    b = A @ x
    for form in (A, scipy.sparse.csr_matrix(A)):
        result = solve_lcp(form, -b, lower=-np.inf, method="minmap_newton", max_iterations=1)
        assert np.abs(result.z - x).max() < 1e-8
    plain = scipy.linalg.lu_solve(scipy.linalg.lu_factor(A), b)
    assert np.abs(plain - x).max() > 1e-5


# --------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0, 2.0]], [1.0]), r"A has shape \(1, 2\), expected a square matrix"),
        ((np.ones(3), np.ones(3)), r"A has shape \(3,\), expected a square matrix"),
        (([[1j]], [1.0]), "A is .*, expected a square matrix of real numbers"),
        ((scipy.sparse.csr_matrix([[1j]]), [1.0]), "A is a sparse matrix of complex128"),
        (([[1.0, np.nan], [0.0, 1.0]], [1.0, 1.0]), r"A\[0, 1\] is nan, expected a finite number"),
        ((scipy.sparse.csr_matrix([[1.0, 0.0], [np.inf, 1.0]]), [1.0, 1.0]), r"A\[1, 0\] is inf"),
        ((scipy.sparse.csr_matrix((2, 3)), [1.0, 1.0]), r"A has shape \(2, 3\)"),
        ((np.eye(2), [1.0]), r"b has shape \(1,\), expected \(2,\)"),
        ((np.eye(2), [1.0, np.inf]), r"b\[1\] is inf, expected a finite number"),
    ],
)
def test_data_that_are_no_problem_are_refused(arguments, message):
    with pytest.raises(REFUSED, match=message):
        solve_lcp(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lower": [0.0, 2.0], "upper": [1.0, 1.0]}, "row 1: lower is 2, above upper, which is 1"),
        ({"upper": -1.0}, "row 0: lower is 0, above upper, which is -1"),
        ({"lower": [0.0, np.nan]}, r"lower\[1\] is nan"),
        ({"lower": np.inf}, r"lower\[0\] is inf, which no number satisfies"),
        ({"upper": [1.0, -np.inf]}, r"upper\[1\] is -inf, which no number satisfies"),
        ({"lower": [0.0]}, r"lower has shape \(1,\), expected \(2,\) or one number"),
        ({"method": "simplex"}, "method is 'simplex', expected one of lemke, minmap_newton"),
        ({"tol": -1.0}, "tol is -1.0"),
        ({"max_iterations": -1}, "max_iterations is -1"),
        ({"max_iterations": 1.5}, "max_iterations is 1.5"),
        ({"warm_start": [1.0]}, r"warm_start has shape \(1,\)"),
        ({"warm_start": [1.0, np.nan]}, r"warm_start\[1\] is nan"),
        (
            {"method": "minmap_newton", "covering": [1.0, 1.0]},
            "covering is an argument of the method lemke, the method is minmap_newton",
        ),
    ],
)
def test_arguments_that_cannot_be_are_refused(options, message):
    with pytest.raises(REFUSED, match=message):
        solve_lcp(np.eye(2), [-1.0, -1.0], **options)


def test_arguments_are_not_changed():
    rng = np.random.default_rng(23)
    A, b, lower, upper = mixed(rng, 5)
    before = [x.copy() for x in (A, b, lower, upper)]
    start = rng.normal(size=5)
    for method in METHODS:
        solve_lcp(A, b, lower=lower, upper=upper, method=method, warm_start=start)
    for x, y in zip((A, b, lower, upper), before, strict=True):
        np.testing.assert_array_equal(x, y)
