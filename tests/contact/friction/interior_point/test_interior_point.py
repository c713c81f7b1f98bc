"""The interior-point method: all digits of hard families, bounds of all kinds, real problems, no solutions."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.contact import errors_of, read_fclib, solve
from tests.contact.friction.files.fclib_files import published
from tests.contact.fuzz import long_errors
from tests.contact.random_friction import as_random, random_problem

INF = np.inf


def run(problem, tolerance=1e-12, limit=100, start=None):
    """The convex law, by the interior point alone, all blocks together"""
    return solve(
        problem.problem(),
        "ccp",
        "interior_point",
        tol=tolerance,
        max_iterations=limit,
        warm_start=start,
        separate=False,
    )


def natural_map(problem, r):
    """Return the natural map from the full matrix, by the judge of the random problems."""
    return long_errors(problem.K, np.diag(problem.full), problem.b, r, problem.full @ r + problem.b, "ccp")[0]


def is_in_set(result):
    """Return whether the multipliers are their own projection, to rounding."""
    return result.errors.cone_violation <= 1e-14


def rows(full, b, lower, upper):
    """A problem of rows without discs"""
    n = len(b)
    return as_random(full, b, [(0, 0, 0)] * n, np.zeros((n, 3)), np.full(n, lower), np.full(n, upper))


def contact(full, b, mu=0.5):
    """One contact in space"""
    return as_random(full, b, [(2, 0, 0)], [[mu, 0, 0]], [0.0], [INF])


# -------------------------------------------------------------------------------------------------------------- oracle

FAMILIES = {
    "all": {},
    "circles": {"kinds": ("1", "3")},
    "rolling": {"kinds": ("5", "6")},
    "plane": {"kinds": ("2", "equation"), "copies": 0.7},
    "rows": {"kinds": ("equation", "limit", "motor", "fixed")},
    "masses": {"ratio": 1e8, "kinds": ("1", "3", "limit")},
    "twice": {"copies": 0.5},
    "slippery": {"friction": (1e-6, 10.0), "flat": 0.3},
    "everything": {"friction": (1e-3, 10.0), "flat": 0.3, "copies": 0.5, "ratio": 1e4},
}


@pytest.mark.parametrize(
    "count", [1, 3, pytest.param(10, marks=pytest.mark.slow), pytest.param(40, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_natural_map_vanishes(family, count):
    for seed in range(3):
        problem = random_problem(seed, count, **FAMILIES[family])
        result = run(problem)
        assert result.converged
        assert result.iterations <= 60  # what equations leave may be solved twice
        assert result.errors.natural_map <= 1e-12
        assert natural_map(problem, result.multipliers) <= 2e-12
        assert is_in_set(result)


@pytest.mark.slow
@pytest.mark.parametrize("path", published())
def test_real_problems_to_ten_digits(path):
    problem = read_fclib(path)
    result = solve(problem, "ccp", "interior_point", tol=1e-10, max_iterations=60, separate=False)
    assert result.converged
    assert result.iterations <= 30
    r = result.multipliers
    diagonal = problem.matrix().diagonal()
    assert long_errors(problem.sets, diagonal, problem.offset, r, problem.velocity(r), "ccp")[0] <= 2e-10


# --------------------------------------------------------------------------------------------------------- closed forms


def test_a_contact_without_friction_and_discs_without_friction():
    full = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    for mu in (0.0, 1e-13):
        result = run(contact(full, [-1.0, 3.0, 1.0], mu))
        assert result.converged
        assert np.allclose(result.multipliers, [0.5, 0.0, 0.0], rtol=0.0, atol=1e-12)
    rolling = as_random(np.eye(6), [-1.0, 5.0, 0.0, -5.0, 0.0, 0.1], [(2, 2, 1)], [[0.0, 0.5, 0.0]], [0.0], [INF])
    result = run(rolling)
    n = (1.0 + 0.5 * 5.0) / 1.25
    assert result.converged
    assert np.allclose(result.multipliers, [n, 0.0, 0.0, 0.5 * n, 0.0, 0.0], rtol=0.0, atol=1e-11)


@pytest.mark.parametrize(
    ("lower", "upper", "b", "expected"),
    [
        (-INF, INF, 3.0, -1.5),
        (-1.0, 1.0, 3.0, -1.0),
        (-1.0, 1.0, -3.0, 1.0),
        (-1.0, 2.0, -3.0, 1.5),
        (5.0, INF, 0.0, 5.0),
        (-INF, -5.0, 0.0, -5.0),
        (2.0, 2.0, -1.0, 2.0),
        (2.0, 2.0 + 1e-9, -1.0, 2.0),
        (-1e30, 1e30, 2.0, -1.0),
        (0.0, 0.0, 0.0, 0.0),
    ],
)
def test_one_row_with_bounds(lower, upper, b, expected):
    result = run(rows([[2.0]], [b], lower, upper), 1e-9)
    assert result.converged
    assert result.multipliers[0] == pytest.approx(expected, rel=2e-9, abs=1e-12)
    assert result.errors.natural_map <= 1e-9


# ------------------------------------------------------------------------------------------------------ honest failures


@pytest.mark.parametrize(
    "problem",
    [
        rows(np.ones((2, 2)), [1.0, 2.0], -INF, INF),
        rows(np.zeros((1, 1)), [1.0], -INF, INF),
        rows(np.zeros((1, 1)), [-1.0], 0.0, INF),
        rows(np.array([[1.0, -1.0], [-1.0, 1.0]]), [-1.0, -1.0], 0.0, INF),
        contact(np.zeros((3, 3)), [0.1, -1.0, 0.0]),
    ],
    ids=["equations", "free", "half-line", "pushed", "cone"],
)
def test_an_objective_without_minimum_is_found_out(problem):
    result = run(problem, 1e-9)
    assert result.status == "no solution found"
    assert result.iterations <= 50
    assert np.all(np.isfinite(result.multipliers))
    assert result.errors.natural_map > 1e-3


@pytest.mark.parametrize("seed", range(8))
def test_velocities_out_of_reach_end_honestly(seed):
    problem = random_problem(seed, 20, copies=0.7)
    problem = problem._replace(b=problem.b + np.random.default_rng(seed).normal(size=len(problem.b)))
    result = run(problem, 1e-9)
    error = result.errors.natural_map
    assert result.iterations < 100  # the limit: it sees by itself that nothing is gained any more
    assert np.all(np.isfinite(result.multipliers))
    assert np.isfinite(error)
    assert natural_map(problem, result.multipliers) == pytest.approx(error, rel=1e-6, abs=1e-12)
    assert result.converged == (error <= 1e-9 and result.errors.relative_velocity <= 1e-9)


def test_a_large_bound_is_no_infinity():
    result = run(rows(np.zeros((1, 1)), [-1.0], -1.0, 1e6), 1e-8)
    assert result.converged
    assert result.multipliers[0] == pytest.approx(1e6, rel=1e-7)
    assert result.errors.natural_map <= 1e-8


def test_the_limit_of_iterations_holds():
    problem = random_problem(0, 20)
    for limit in range(1, 5):
        result = run(problem, limit=limit)
        assert not result.converged
        assert result.iterations == limit
        assert is_in_set(result)
        assert natural_map(problem, result.multipliers) == pytest.approx(result.errors.natural_map, rel=1e-6)


def test_a_start_outside_the_set_is_brought_into_it():
    problem = random_problem(0, 20)
    start = np.random.default_rng(0).normal(size=len(problem.b))
    assert errors_of(problem.problem(), start, "ccp").cone_violation > 1e-3
    result = run(problem, limit=1, start=start)
    assert not result.converged
    assert is_in_set(result)
    assert natural_map(problem, result.multipliers) == pytest.approx(result.errors.natural_map, rel=1e-6)


def test_a_tolerance_that_cannot_be_reached_gives_all_digits():
    result = run(random_problem(1, 20, kinds=("3",)), 1e-300)
    assert result.iterations <= 60
    assert result.errors.natural_map <= 1e-13


def test_indefinite_matrices_end():
    for full in ([[1.0, 2.0], [2.0, 1.0]], [[1.0, -2.0], [-2.0, 1.0]]):
        for bounds in ((-INF, INF), (0.0, INF), (-1.0, 1.0)):
            result = run(rows(np.array(full), [-1.0, -1.0], *bounds), 1e-9)
            assert result.iterations <= 100
            assert np.all(np.isfinite(result.multipliers))
            assert not result.converged or result.errors.natural_map <= 1e-9
