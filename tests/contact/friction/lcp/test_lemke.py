"""Lemke's method ends, with a solution or with a reason that is true.

Pivots are looked at inside: the rule that breaks ties, and a path that begins where the rule for accuracy is counted out.
"""

import numba
import numpy as np
import pytest
import scipy.optimize

from pluecker.contact import ProblemError, solve_lcp
from pluecker.contact.friction.lcp import lemke
from tests.contact.friction.lcp.lcp_problems import (
    FAMILIES,
    MONOTONE,
    all_solutions,
    murty,
    positive_definite,
    solvable,
)

ROUNDING = 1e-13


def feasible(A, b):
    """Return whether some z >= 0 has A z + b >= 0, by SciPy's linear programming."""
    return scipy.optimize.linprog(np.zeros(len(b)), A_ub=-A, b_ub=b, method="highs").status == 0


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", range(1, 9))
def test_it_finds_a_solution_that_all_bases_have(family, n):
    rng = np.random.default_rng(n)
    for k in range(4):
        A = FAMILIES[family](rng, n)
        b, _ = solvable(rng, A, degenerate=k % 2 == 1)
        result = solve_lcp(A, b)
        assert result.status == "converged"
        assert result.natural_map <= ROUNDING
        solutions = all_solutions(A, b)
        assert min(np.abs(result.z - z).max() for z in solutions) <= 1e-8 * max(1.0, np.abs(result.z).max())


@pytest.mark.parametrize("family", MONOTONE)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_semidefinite_problems_are_solved_if_and_only_if_they_are_feasible(family, n):
    """A feasible monotone problem has a solution; otherwise each ray proves that there is none."""
    rng = np.random.default_rng(100 + n)
    for _ in range(8):
        A, b = FAMILIES[family](rng, n), rng.integers(-3, 4, size=n).astype(float)
        assert solve_lcp(A, b).status == ("converged" if feasible(A, b) else "infeasible")


@pytest.mark.parametrize("n", [2, 4, 6])
def test_the_status_of_any_matrix_is_true(n):
    rng = np.random.default_rng(n)
    seen = set()
    for _ in range(60):
        A, b = rng.normal(size=(n, n)), rng.normal(size=n)
        result = solve_lcp(A, b)
        seen.add(result.status)
        if result.status == "converged":
            assert min(np.abs(result.z - z).max() for z in all_solutions(A, b)) < 1e-6
        elif result.status == "infeasible":
            assert not feasible(A, b)
        else:
            assert result.status == "ray"
            assert result.natural_map > 1e-10
    assert seen == {"converged", "infeasible", "ray"}


@pytest.mark.everything  # the peer is compiled, too
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="the peer does not run without compilation")
def test_agreement_with_quantecon():
    optimize = pytest.importorskip("quantecon.optimize", reason="the peer quantecon is not installed")
    rng = np.random.default_rng(3)
    for n in (1, 2, 5, 10, 30):
        for family in ("positive definite", "monotone", "copositive"):
            A = FAMILIES[family](rng, n)
            b, _ = solvable(rng, A)
            d = rng.uniform(0.5, 2.0, size=n)
            ours, theirs = solve_lcp(A, b, covering=d), optimize.lcp_lemke(A, b, d)
            assert theirs.success
            assert ours.status == "converged"
            assert ours.iterations == theirs.num_iter  # the same path
            np.testing.assert_allclose(ours.z, theirs.z, atol=1e-8 * max(1.0, np.abs(theirs.z).max()))


@pytest.mark.parametrize("n", range(1, 11))
def test_murty_s_family_takes_two_to_the_n_pivots(n):
    """Ones on the diagonal, twos below it, b_i = -(2^n + ... + 2^(n-i+1)), the covering vector of ones (Murty 1988)."""
    A, b = murty(n)
    result = solve_lcp(A, b, covering=np.ones(n), history=True)
    assert result.status == "converged"
    assert result.iterations == 2**n == len(result.history)
    assert result.history[0] == 1.0
    assert result.history[-1] == 0.0
    np.testing.assert_array_equal(result.z, np.concatenate([[2.0**n], np.zeros(n - 1)]))


def test_murty_s_family_takes_two_pivots_with_another_covering_vector():
    A, b = murty(10)
    result = solve_lcp(A, b, covering=2.0 ** np.arange(10))
    assert result.status == "converged"
    assert result.iterations == 2


@pytest.mark.indices
@pytest.mark.parametrize("n", [3, 6, 12, 24])
def test_degenerate_problems_end(n):
    """All ratios tie: b has equal entries, A has few different ones. Without the lexicographic rule, bases come back."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        B = rng.integers(-1, 2, size=(n, n)).astype(float)
        A, b = B @ B.T, -np.ones(n)
        result = solve_lcp(A, b)
        assert result.status == ("converged" if feasible(A, b) else "infeasible")
        circulant = np.array([np.roll([1.0, 2.0] + (n - 2) * [0.0], k) for k in range(n)])
        assert solve_lcp(circulant, -np.ones(n)).status == "converged"


@pytest.mark.parametrize("family", ["monotone", "P", "copositive"])
def test_repeated_rows_change_nothing(family):
    """Ties by construction: each unknown of a solved problem is there three times, at a third of its size."""
    rng = np.random.default_rng(21)
    for n in (2, 4, 8):
        A = FAMILIES[family](rng, n)
        b, _ = solvable(rng, A)
        once, thrice = solve_lcp(A, b), solve_lcp(np.tile(A, (3, 3)), np.tile(b, 3))
        assert thrice.status == "converged"
        assert thrice.natural_map <= ROUNDING
        sums = thrice.z.reshape(3, n).sum(axis=0)
        assert min(np.abs(sums - z).max() for z in [once.z, *all_solutions(A, b)]) <= 1e-8 * max(
            1.0, np.abs(sums).max()
        )


def test_the_strict_rule_takes_over_where_pivots_do_not_move():
    """The rule for accuracy alone may cycle: with it counted out, the path still ends."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = 8
        B = rng.integers(-1, 2, size=(n, n)).astype(float)
        A, b = B @ B.T + B - B.T, -np.ones(n)
        r = n - 1
        variable = np.concatenate([np.arange(n), np.arange(n, 2 * n + 1)])
        variable[r], variable[2 * n] = 2 * n, r
        T = lemke.fresh_tableau(A, b, np.ones(n), variable)
        outcome, count, _, still = lemke.follow_path(
            T, variable, np.argsort(variable), n + r, n + 1, 1000, np.zeros(1000)
        )
        assert outcome in (1, 2)
        assert count < 1000
        assert still >= 0


def test_the_answer_is_accurate_to_rounding_after_many_pivots():
    rng = np.random.default_rng(2)
    n = 60
    A = FAMILIES["monotone"](rng, n)
    b, z = solvable(rng, A)
    result = solve_lcp(A, b)
    assert result.iterations > n
    eps = np.finfo(float).eps
    I = z > 0
    assert np.abs(result.z - z).max() <= 10 * n * eps * np.linalg.cond(A[np.ix_(I, I)]) * np.abs(z).max()
    assert result.natural_map < 100 * eps


def test_a_ray_is_no_proof_where_it_is_none():
    """z = (1, 0) solves the problem, by w = (0, 0); the path from the covering vector of ones does not reach it."""
    A, b = np.array([[-2.0, -2.0], [1.0, -2.0]]), np.array([2.0, -1.0])
    np.testing.assert_array_equal(all_solutions(A, b), [[1.0, 0.0]])
    result = solve_lcp(A, b)
    assert result.status == "ray"
    assert result.natural_map > 0.1
    assert "proves nothing unless A is copositive-plus" in result.message


@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1e3, 1e8])
@pytest.mark.parametrize("which", ["A", "b", "both", "rows", "columns"])
def test_the_path_does_not_depend_on_units(scale, which):
    rng = np.random.default_rng(17)
    for family in ("monotone", "semidefinite", "copositive", "tied"):
        A = FAMILIES[family](rng, 10)
        b, _ = solvable(rng, A)
        mixed_units = scale ** rng.uniform(-0.5, 0.5, size=10)
        row = {"A": scale, "both": scale, "rows": mixed_units}.get(which, 1.0) * np.ones(10)
        column = mixed_units if which == "columns" else np.ones(10)
        size = {"A": 1.0 / scale, "b": scale}.get(which, 1.0)  # of z: with A' = s A, b' = b, z' = z / s
        d = rng.uniform(0.5, 2.0, size=10)
        right = row * b * (1.0 / scale if which == "A" else scale if which == "b" else 1.0)
        plain = solve_lcp(A, b, covering=d)
        other = solve_lcp(row[:, None] * A * column, right, covering=row * d)
        assert plain.status == other.status == "converged"
        assert plain.iterations == other.iterations
        expected = plain.z / column * size
        np.testing.assert_allclose(other.z, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("covering", "message"),
    [
        ([1.0, 0.0], r"covering\[1\] is 0, expected a positive number"),
        ([1.0, -1.0], r"covering\[1\] is -1"),
        ([1.0], r"covering has shape \(1,\), expected \(2,\)"),
        ([1.0, np.nan], r"covering\[1\] is nan"),
    ],
)
def test_a_covering_vector_is_positive(covering, message):
    with pytest.raises(ProblemError, match=message):
        solve_lcp(np.eye(2), [-1.0, -1.0], covering=covering)


@pytest.mark.plain
@pytest.mark.parametrize(("small", "artificial", "expected"), [(0.0, None, 1), (1e-2, None, 0), (0.0, 2, 2)])
def test_ties_are_broken_by_the_rule(small, artificial, expected):
    """Three rows with the ratio 1, and w_0, w_1, w_2 in the basis: by the lexicographic rule the last of the first two"""
    T = np.array([[1.0, 0.0, 0.0, 0.0, 1.0], [1e-3, 0.0, 0.0, 0.0, 1e-3], [0.5, 0.0, 0.0, 0.0, 0.5]])
    variable = np.array([0, 1, 2, 3, 4, 5, 6])
    if artificial is None:
        T[2, 4] = 2.0
    else:
        variable[[artificial, 6]] = 6, artificial
    place = np.argsort(variable)
    assert lemke.leaving_row(T, variable, place, 0, small, np.zeros(3, dtype=np.int64)) == expected
    assert lemke.leaving_row(-T, variable, place, 0, small, np.zeros(3, dtype=np.int64)) == -1


@pytest.mark.indices
def test_a_basis_tells_which_unknowns_are_at_which_bound():
    """Unknown 0 below its upper bound, 1 at the upper one, 2 at its lower one, 3 free, 4 fixed."""
    A = positive_definite(np.random.default_rng(1), 5)
    lower, upper = np.array([-np.inf, 0.0, 0.0, -np.inf, 2.0]), np.array([1.0, 3.0, np.inf, np.inf, 2.0])
    z, w = np.array([0.3, 3.0, 0.0, -1.7, 2.0]), np.array([0.0, -0.4, 0.6, 0.0, 5.0])
    result = solve_lcp(A, w - A @ z, lower=lower, upper=upper)
    assert result.converged
    assert result.z[[1, 2, 4]].tolist() == [3.0, 0.0, 2.0]
    np.testing.assert_allclose(result.z, z, rtol=1e-13 * np.linalg.cond(A))
    np.testing.assert_allclose(result.w, w, atol=1e-14 * np.abs(A).sum())


def test_a_path_that_is_cut_short_is_at_the_same_point_seen_from_any_bound():
    """z from above, from other bounds, and with an unknown that an equation determines: which is c . z here."""
    rng = np.random.default_rng(12)
    A, c, base = FAMILIES["positive definite"](rng, 6), rng.normal(size=6), rng.normal(size=6)
    b, _ = solvable(rng, A)
    whole = np.block([[A + np.outer(c, c), -c[:, None]], [-c, np.ones((1, 1))]])
    seen = 0
    for limit in range(1, solve_lcp(A, b).iterations + 1):
        z = solve_lcp(A, b, max_iterations=limit).z
        seen += z.any()
        above = solve_lcp(A, -b, lower=-np.inf, upper=0.0, max_iterations=limit)
        np.testing.assert_array_equal(above.z, -z)
        moved = solve_lcp(A, b - A @ base, lower=base, max_iterations=limit)
        np.testing.assert_allclose(moved.z - base, z, atol=1e-12)
        longer = solve_lcp(whole, np.append(b, 0.0), lower=np.append(np.zeros(6), -np.inf), max_iterations=limit)
        np.testing.assert_allclose(longer.z, np.append(z, c @ z), atol=1e-12)
    assert seen > 1


@pytest.mark.slow
def test_large_enough_for_the_tableau_to_be_made_anew(monkeypatch):
    made, fresh_tableau = [], lemke.fresh_tableau
    monkeypatch.setattr(lemke, "fresh_tableau", lambda *data: made.append(1) or fresh_tableau(*data))
    rng = np.random.default_rng(9)
    A = FAMILIES["skew"](rng, 40) + 1e-3 * positive_definite(rng, 40)
    b, _ = solvable(rng, A)
    result = solve_lcp(A, b)
    assert result.iterations > 60
    assert made
    assert result.status == "converged"
    assert result.natural_map <= ROUNDING


@pytest.mark.slow
def test_an_ill_conditioned_problem_is_not_called_infeasible():
    """P matrices have a solution for every b; with condition numbers far above 1e16, rounding may lose the path to it."""
    rng = np.random.default_rng(31)
    for n in (30, 60):
        for _ in range(10):
            A = np.tril(3.0 * rng.normal(size=(n, n)), -1) + np.eye(n)
            b, _ = solvable(rng, A)
            assert solve_lcp(A, b, max_iterations=2000).status != "infeasible"
