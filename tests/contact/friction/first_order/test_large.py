"""Islands of many contacts: factors beside a matrix, looser tolerances, and what ``auto`` does where factors are dear.

The numbers from which ``auto`` goes other ways are lowered here, so that small problems take the way of large ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.contact.problems import packing
from benchmarks.families import FAMILIES
from pluecker.contact import Problem, errors_of, solve
from tests.conftest import COMPILED
from tests.contact.any_blocks import beside_each_other, of_two_factors
from tests.contact.friction.first_order.large_islands import (
    LAWS,
    all_are_large,
    compiled_only,
    lower_sizes,
    sweeps_alone,
)

__all__ = ["all_are_large"]  # a fixture

everything, slow = pytest.mark.everything, pytest.mark.slow
COUNT = 60 if COMPILED else 20


# ------------------------------------------------------------------------------------------------------ matrix and factors


@pytest.mark.indices
@pytest.mark.parametrize("compliance", [0.0, 0.1])
@LAWS
def test_islands_are_solved_by_their_factors_as_by_their_matrix(law, compliance):
    """Two islands, with a floor; some contacts have one body, the others two."""
    problem = beside_each_other((packing(COUNT), packing(COUNT // 2)), compliance)
    assert {1, 2} <= set(np.diff(problem.operator.J.first).tolist())
    for method in ("apgd", "pgs", "psor"):
        by_matrix, by_factors = (
            solve(problem, law, method, tol=1e-300, max_iterations=12, form=form) for form in ("matrix", "factors")
        )
        assert by_matrix.islands == by_factors.islands >= 2
        size = np.abs(by_matrix.multipliers).max()
        assert np.abs(by_matrix.multipliers - by_factors.multipliers).max() <= 1e-7 * size, method


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("size", ["small", "large"])
def test_a_contact_that_parts_along_its_normal_does_not_pull(friction, size, monkeypatch):
    """All contacts of one part move apart, and nothing across the normals, while the other part is on its way."""
    if size == "large":
        lower_sizes(monkeypatch)
    problem = beside_each_other((packing(COUNT), packing(COUNT // 2))).with_friction(friction)
    b, first = problem.offset.copy(), 3 * problem.blocks - 3 * (COUNT // 2)
    b[:first] = 0.0
    b[:first:3] = 1.0
    problem = replace(problem, offset=b)
    for method in ("apgd", "pgs", "psor"):
        for form in ("matrix", "factors"):
            result = solve(problem, "ncp", method, tol=1e-300, max_iterations=3, form=form, separate=False)
            assert not result.multipliers[:first].any(), (method, form)
            assert result.multipliers[first:].any(), (method, form)


@compiled_only
@slow
@pytest.mark.parametrize("law", ["ccp", pytest.param("ncp", marks=everything)])
def test_factors_beside_the_matrix_give_the_same_velocities(law):
    """Velocities of the convex law are unique."""
    problem, tol = packing(2500), 1e-8
    expected, found = (solve(problem, law, tol=tol, form=form) for form in ("matrix", "best"))
    assert expected.converged, str(expected)
    assert found.converged, str(found)
    if law == "ccp":
        # Both errors, as velocities, count once for each contact at most.
        speed = np.abs(expected.velocity).max()
        assert np.allclose(found.velocity, expected.velocity, rtol=0, atol=np.sqrt(problem.blocks) * 10 * tol * speed)


def test_the_matrix_of_one_factor_is_that_of_two_that_are_alike():
    """Bit for bit, and symmetric: of one factor, half of it is computed, and mirrored"""
    problem = packing(COUNT)
    one, two = problem.assembled().matrix().toarray(), of_two_factors(problem).assembled().matrix().toarray()
    assert np.array_equal(one, one.T)
    assert np.allclose(one, two, rtol=0.0, atol=1e-12 * np.abs(one).max())
    velocity = problem.velocity(np.arange(problem.size)) - problem.offset
    assert np.allclose(one @ np.arange(problem.size), velocity, rtol=0.0, atol=1e-12 * np.abs(velocity).max())


@compiled_only
def test_threads_share_the_matrix_of_many_contacts_bit_for_bit(monkeypatch):
    problem, found = packing(250), []
    for contacts in (251, 250):
        lower_sizes(monkeypatch, contacts)
        for threads in (1, 2, 8):
            named = {"tol": 1e-300, "max_iterations": 5, "form": "matrix", "separate": False}
            found.append(solve(problem, "ncp", "apgd", threads=threads, **named).multipliers)
    assert all(np.array_equal(found[0], other) for other in found[1:])


# ------------------------------------------------------------------------------------------------------- what auto promises


@compiled_only
@LAWS
def test_errors_of_a_large_island_are_those_of_the_result(law):
    """Block by block, whatever the number of threads; also of steep cones and soft contacts, and from what overflows"""
    rng = np.random.default_rng(0)
    problem = packing(2300).with_friction(rng.choice([0.0, 0.5, 3.0, 30.0], 2300)).with_compliance(0.1)
    start = rng.normal(size=problem.size)
    for size in (0.0, 1.0, 1e-9, 1e160):
        found = [
            solve(problem, law, max_iterations=20, tol=1e-300, warm_start=size * start, threads=threads)
            for threads in (1, 2, 3)
        ]
        assert all(np.array_equal(found[0].multipliers, other.multipliers) for other in found[1:])
        assert np.isfinite(found[0].multipliers).all()
        if size <= 1.0:
            error = min(stage.error for stage in found[0].stages)
            assert error == pytest.approx(found[0].errors.largest, rel=1e-5), size


@LAWS
def test_errors_of_one_of_several_large_islands_are_its_own(law, all_are_large):
    """The matrix of each but the first begins inside that of the whole problem."""
    both = beside_each_other((packing(COUNT), packing(COUNT // 2)), 0.1)
    result = solve(both, law, tol=1e-4, threads=1)
    assert result.islands >= 2
    assert result.converged
    assert errors_of(both, result.multipliers, law).largest <= 1e-4


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("limit", [1, 30, 200])
def test_who_says_how_many_iterations_gets_no_more(limit, history, monkeypatch):
    """The limit holds also where factorising is expensive."""
    sweeps_alone(monkeypatch)
    result = solve(
        packing(COUNT), "ncp", max_iterations=limit, tol=1e-300, history=history, separate=False, form="factors"
    )
    assert result.iterations <= limit
    if history:
        assert len(result.history) == result.iterations
        assert (np.diff(result.history[:, 1]) <= 0.0).all()


# --------------------------------------------------------------------------------------------------- where factors are dear


def stages(result):
    return {stage.method for stage in result.stages if stage.iterations}


@LAWS
def test_nothing_is_factorised_that_takes_too_long(law, monkeypatch):
    sweeps_alone(monkeypatch)
    result = solve(packing(COUNT), law, tol=1e-12, max_iterations=40, separate=False)
    assert "interior_point" not in stages(result)
    assert result.errors.largest < 0.1


@pytest.fixture(scope="module")
def hard():
    """A problem that gradients do not solve soon."""
    return packing(120 if COMPILED else 20)


@slow
def test_sweeps_with_newtons_method_on_parts_solve_what_gradients_do_not(hard, monkeypatch):
    """The bits are the same for any number of threads, and any tolerance is reached."""
    sweeps_alone(monkeypatch)
    for tol in (1e-5, 1e-9):
        found = [solve(hard, "ncp", tol=tol, separate=False, threads=threads) for threads in (1, 2)]
        assert found[0].converged, str(found[0])
        assert errors_of(hard, found[0].multipliers).largest <= tol
        assert "pgs" in stages(found[0])
        assert np.array_equal(found[0].multipliers, found[1].multipliers)


@compiled_only
@pytest.mark.parametrize("law", ["ccp", "frictionless", "ncp"])
def test_sweeps_of_many_contacts_come_before_what_factorises(monkeypatch, law):
    """Sweeps come first in convex laws, with the same bits from any number of threads."""
    problem = packing(500)
    usual = solve(problem, law, tol=1e-6)
    sweeps_alone(monkeypatch)
    found = [solve(problem, law, tol=1e-6, threads=threads) for threads in (1, 2)]
    assert np.array_equal(found[0].multipliers, found[1].multipliers)
    assert found[0].converged
    if law != "ncp":
        assert found[0].stages[0].method == "pgs"
        assert np.allclose(found[0].velocity, usual.velocity, rtol=0.0, atol=1e-4 * np.abs(usual.velocity).max())


@compiled_only
@pytest.mark.parametrize("limit", [10, 100, 700])
def test_sweeps_that_come_first_count(monkeypatch, limit):
    """No more iterations than are allowed, with a history and without, alone and beside others, and from a start"""
    sweeps_alone(monkeypatch)
    problem = packing(500)
    alone = solve(problem, "ccp", tol=1e-14, max_iterations=limit)
    told = solve(problem, "ccp", tol=1e-14, max_iterations=limit, history=True)
    again = solve(problem, "ccp", tol=1e-14, max_iterations=limit, warm_start=alone.multipliers)
    assert alone.iterations == told.iterations <= limit
    assert again.iterations <= limit
    assert len(told.history) == told.iterations
    assert np.array_equal(alone.multipliers, told.multipliers)
    assert again.errors.natural_map <= alone.errors.natural_map
    two, found = beside_each_other([problem, packing(500, 1)]), []
    for threads in (1, 2):
        found.append(solve(two, "ccp", tol=1e-14, max_iterations=limit, threads=threads))
        assert found[-1].iterations <= limit
    assert np.array_equal(found[0].multipliers, found[1].multipliers)


@slow
@pytest.mark.parametrize("law", ["ccp", pytest.param("ncp", marks=everything)])
def test_a_large_island_with_a_start_that_is_near_takes_few_iterations(law):
    """Factorising 3,000 contacts in space takes longer than all sweeps: it may not consume what a start saves."""
    problem = packing(3000)
    found, rng = solve(problem, law, tol=1e-6), np.random.default_rng(0)
    start = found.multipliers * (1.0 + 1e-4 * rng.normal(size=found.multipliers.shape))
    again = solve(problem, law, tol=1e-6, warm_start=start)
    assert again.converged
    assert again.iterations < found.iterations / 3
    factors = sum(stage.iterations for stage in again.stages if stage.method in ("newton", "interior_point"))
    assert factors < 20  # of parts, by their share of all


@everything
@slow
@compiled_only
def test_granular_flow_is_solved_by_sweeps():
    """An interior-point method for the whole problem would take 86 steps of 0.1 s. Two threads give the same bits."""
    problem = FAMILIES["flow"](5000, 1).problem
    one, two = (solve(problem, "ccp", tol=1e-6, threads=threads) for threads in (1, 2))
    assert one.converged
    spent = {stage.method: stage.iterations for stage in one.stages}
    assert spent["pgs"] > 0
    assert spent.get("newton", 0) < 20  # of parts, by their share of all
    np.testing.assert_array_equal(one.multipliers, two.multipliers)


def test_a_dense_problem_has_no_lanes(all_are_large):
    dense = Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5])
    assert solve(dense, "ncp", "apgd").converged
