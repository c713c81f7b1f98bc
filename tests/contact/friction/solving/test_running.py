"""Laws of every method that runs on islands: starts, histories, stages, and when an island is good enough."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from benchmarks.contact.problems import packing
from pluecker.contact import Problem, errors_of, solve
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.fuzz import RUNNABLE
from tests.contact.random_friction import random_problem

SEEDS = range(8 if EVERYTHING else 3 if COMPILED else 2)


def contacts(seed, count=4, **named):
    """A problem of contacts and rows between random bodies."""
    return random_problem(seed, count, **named).problem()


def side_by_side(problems):
    """Islands: problems of contacts in space that do not touch."""
    W = scipy.sparse.block_diag([problem.matrix() for problem in problems])
    mu = np.concatenate([problem.sets.friction[:, 0] for problem in problems])
    return Problem.from_delassus(W, np.concatenate([problem.offset for problem in problems]), mu)


@pytest.mark.parametrize("limit", [1, 2, 20])
@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("method", RUNNABLE)
def test_a_result_is_never_worse_than_its_start(method, law, limit):
    for seed in SEEDS:
        problem = contacts(seed)
        good = solve(problem, law, "auto", tol=1e-7).multipliers
        noise = np.random.default_rng(seed).normal(size=len(good)) * np.abs(good).max()
        for part in (0.0, 1e-4, 1.0):
            begun = solve(problem, law, "apgd", tol=1e3, warm_start=good + part * noise).multipliers  # in the cone
            result = solve(problem, law, method, tol=1e-12, warm_start=begun, max_iterations=limit)
            assert result.errors.largest <= errors_of(problem, begun, law).largest * (1 + 1e-9) + 1e-15


@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("method", RUNNABLE)
def test_no_multipliers_are_found_at_once_where_they_are_a_solution(method, law):
    """All contacts open, or sliding without a force: also by methods whose convex problem would leave zero first"""
    rng = np.random.default_rng(3)
    for seed in SEEDS:
        problem = contacts(seed, kinds=("3",))
        b = problem.offset.copy()
        b[problem.sets.start[:-1]] = np.abs(b[problem.sets.start[:-1]]) * rng.integers(0, 2, problem.blocks)
        if law == "ccp":  # in the dual cone
            b[problem.sets.start[:-1]] += problem.sets.friction[:, 0] * np.hypot(b[1::3], b[2::3])
        result = solve(Problem.from_delassus(problem.matrix(), b, problem.sets.friction[:, 0]), law, method, tol=1e-12)
        assert result.converged, str(result)
        assert not result.multipliers.any()
        assert result.iterations <= 1


@pytest.mark.parametrize("method", RUNNABLE)
def test_multipliers_are_within_their_bounds_whatever_the_limit(method):
    """Zero is not, where a row has a lower bound above it"""
    problem = Problem.from_delassus(np.eye(2) + 0.5, [1.0, 1.0], [], rows=([0.2, -3.0], [np.inf, -0.1]))
    for start in (None, [0.0, 0.0], [-5.0, 7.0]):
        r = solve(problem, "ccp", method, max_iterations=1, warm_start=start).multipliers
        assert r[0] >= 0.2
        assert -3.0 <= r[1] <= -0.1


@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("method", RUNNABLE)
def test_the_history_ends_at_the_error_of_the_result(method, law):
    for seed in SEEDS:
        problem = contacts(seed)
        result = solve(problem, law, method, tol=1e-8, history=True, separate=False)
        seconds, errors = result.history.T
        assert (np.diff(errors) <= 0).all()
        assert (np.diff(seconds) >= 0).all()
        assert len(errors) <= result.iterations
        if result.iterations:
            assert errors[-1] == pytest.approx(result.errors.largest, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-5])
def test_the_last_stage_has_the_error_of_the_result(tol, law):
    """Tolerances may be coarse; the problem is one island, too large for full matrices."""
    problem = packing(60)
    result = solve(problem, law, tol=tol, separate=False)
    assert result.converged
    assert result.stages[-1].error == pytest.approx(result.errors.largest, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("method", RUNNABLE)
def test_the_history_of_islands_is_that_of_the_one_that_is_worst(method, law):
    """An island that cannot be solved, and stops early, is not forgotten when others go on"""
    hopeless = Problem.from_delassus(np.diag([0.0, 1.0, 1.0]), [-1.0, 1.0, 0.0], [0.3])
    for seed in SEEDS:
        problem = side_by_side([hopeless, contacts(seed, kinds=("3",)), contacts(seed + 1, kinds=("3",))])
        result = solve(problem, law, method, tol=1e-8, history=True, max_iterations=300)
        assert result.islands >= 2
        assert not result.converged
        # Relative to the velocities of an island it is not below that of all, but for the root of three numbers' squares.
        assert result.history[-1, 1] >= result.errors.largest / np.sqrt(3.0) * (1 - 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("method", RUNNABLE)
def test_stages_are_the_same_for_any_number_of_threads(method, law):
    problem = side_by_side([contacts(seed, 1 + seed % 5, kinds=("3",)) for seed in range(12)])
    told = []
    for threads in (1, 2, 3):
        result = solve(problem, law, method, tol=1e-10, threads=threads, max_iterations=400)
        told.append([(stage.method, stage.iterations, stage.error) for stage in result.stages])
        assert result.iterations <= sum(stage.iterations for stage in result.stages)
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize("method", RUNNABLE)
def test_the_error_in_velocity_is_small_wherever_a_result_converged(method):
    """Masses of a milligram and of 100 tonnes: the natural map of the numbers r and u would be content at once"""
    for power in (-6, -3, 3, 5):
        for seed in SEEDS:
            light = contacts(seed, kinds=("3",))
            W = light.matrix() / 10.0**power
            problem = Problem.from_delassus(W, light.offset, light.sets.friction[:, 0])
            result = solve(problem, "ccp", method, max_iterations=4000 if COMPILED else 200)
            assert result.converged == (max(result.errors.natural_map, result.errors.relative_velocity) <= 1e-6)
            if method in ("auto", "newton", "interior_point"):
                assert result.converged, str(result)


@pytest.mark.parametrize("value", [np.float32(1e-6), np.float64(1e-6), 1])
def test_numbers_of_any_type_are_the_same_number(value):
    problem = contacts(0)
    ours = solve(problem, tol=float(value), max_iterations=np.int32(500), threads=np.int64(1))
    theirs = solve(problem, tol=value, max_iterations=500, threads=1)
    np.testing.assert_array_equal(ours.multipliers, theirs.multipliers)
    assert isinstance(theirs.tol, float)
