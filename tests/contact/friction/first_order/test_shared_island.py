"""Sweeps on large islands, whose contacts lie in lanes: the same bits for any number of threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from benchmarks.contact.clarabel import dual_form, error_of
from benchmarks.contact.problems import packing
from pluecker.contact import Problem, Solver, solve
from tests.conftest import COMPILED
from tests.contact.any_blocks import of_factors, sets_of
from tests.contact.friction.first_order.large_islands import (
    COUNT,
    KINDS,
    LAWS,
    all_are_large,
    both_ways,
    compiled_only,
)
from tests.contact.random_friction import random_problem

__all__ = ["all_are_large"]  # a fixture


def test_the_convex_problem_has_the_multipliers_that_another_solver_finds(all_are_large):
    """With a compliance c they are unique: N >= c, so that the error of r is at most |residual| / c."""
    pytest.importorskip("clarabel")
    problem, tol = packing(COUNT).with_compliance(0.1), 1e-8 if COMPILED else 1e-4
    found, peer = solve(problem, "ccp", "pgs", tol=tol), dual_form(problem)
    peer.tolerance = 1e-11  # where a contact slides, the error of the law is about the root of the gap
    expected = peer.impulses(peer.run()[1])
    assert found.converged, str(found)
    assert error_of(problem, expected) <= 1e-6
    distance = np.linalg.norm(found.multipliers - expected)
    assert distance <= 1e3 * tol * np.linalg.norm(expected)


@LAWS
def test_the_history_is_the_best_error_after_each_iteration(law, all_are_large):
    result = solve(packing(COUNT), law, "pgs", tol=1e-300, max_iterations=12, history=True, separate=False)
    error = result.history[:, 1]
    assert len(error) == 12
    assert (np.diff(error) <= 0.0).all()
    assert error[-1] == pytest.approx(result.errors.largest, rel=1e-6)


@pytest.mark.parametrize("method", ["psor", pytest.param("auto", marks=pytest.mark.slow)])
def test_a_start_that_is_a_solution_is_given_back(method, all_are_large):
    problem = packing(COUNT)
    for law in ("ccp", "ncp"):
        first = solve(problem, law, method, tol=1e-2, separate=False, form="factors")
        assert first.converged
        named = {"warm_start": first.multipliers, "separate": False, "form": "factors"}
        better = solve(problem, law, method, tol=1e-3, max_iterations=1, **named)
        assert better.errors.largest <= first.errors.largest * (1.0 + 1e-12)  # rounding of the scales of rows
        again = solve(problem, law, method, tol=2e-2, **named)
        assert again.converged
        assert again.iterations == 0


# --------------------------------------------------------------------------------------------------------------- threads


@compiled_only
@pytest.mark.parametrize("law", ["ccp", "ncp", "frictionless"])
@pytest.mark.parametrize("method", ["pgs", "auto"])
def test_bits_do_not_depend_on_the_number_of_threads(law, method, all_are_large):
    """Some islands of a few contacts are beside the large one"""
    problem = packing(1200)
    found = [solve(problem, law, method, tol=1e-5, max_iterations=150, threads=k) for k in (1, 2, 3, None)]
    for other in found[1:]:
        assert np.array_equal(found[0].multipliers, other.multipliers)
        assert found[0].iterations == other.iterations


@compiled_only
def test_callers_in_several_threads_share_one_solver(all_are_large):
    """A caller that finds no worker works alone, with the same result."""
    solver = Solver(packing(600), "ccp", "pgs", tol=1e-300, max_iterations=60, threads=2)
    first = solver.solve()
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: solver.solve(), range(12)):
            assert np.array_equal(first.multipliers, result.multipliers)


# --------------------------------------------------------------------------------------------- what goes the usual way


def of_pairs(pairs, bodies, height=3, width=6):
    """Contacts of so many components between these bodies of so many velocities, with random numbers."""
    rng, rows = np.random.default_rng(0), height * len(pairs)
    pattern = np.zeros((len(pairs), bodies))
    for contact, pair in enumerate(pairs):
        pattern[contact, list(pair)] = 1.0
    J = np.kron(pattern, np.ones((height, width)))
    J *= rng.normal(size=J.shape)
    sizes = {1: (0, 0, 0), 3: (2, 0, 0)}[height]
    K = sets_of([sizes] * len(pairs), [np.array(sizes) * 0.2] * len(pairs), np.zeros(len(pairs)), [np.inf] * len(pairs))
    return of_factors(J, J, np.arange(0, J.shape[1] + 1, width), J @ rng.normal(size=J.shape[1]), K, np.zeros(rows))


CHAIN = [(i, i + 1) for i in range(5)]
OTHER = {
    "rows": of_pairs(CHAIN, 6, height=1),
    "points": of_pairs(CHAIN, 6, width=3),
    "three bodies": of_pairs([(0, 1, 2), *CHAIN], 6),
    "a body that all others touch": of_pairs([(0, i + 1) for i in range(100)], 101),
    **{f"blocks of all sizes, {seed}": random_problem(seed, 4).problem() for seed in range(3)},
}


@pytest.mark.parametrize("method", ["pgs", "psor"])
def test_problems_that_do_not_fit_into_lanes_go_the_usual_way_bit_for_bit(method, monkeypatch):
    for name, problem in OTHER.items():
        if name.startswith("a body") and not COMPILED:
            continue  # one lane: there are no places that are left empty
        form = "factors" if problem.operator.is_factored else "best"
        small, large = both_ways(monkeypatch, problem, "ccp", method, max_iterations=20, form=form)
        assert small.iterations > 0, name
        assert np.array_equal(small.multipliers, large.multipliers), name


def test_a_problem_of_contacts_between_two_bodies_does_not_go_the_usual_way(monkeypatch):
    """This shows that the test above can fail."""
    small, large = both_ways(monkeypatch, KINDS["root"](COUNT), "ccp", "pgs", max_iterations=20)
    assert not np.array_equal(small.multipliers, large.multipliers)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_factors_of_any_magnitude_are_swept_alike(scale, monkeypatch):
    """J and what M^-1 makes of it are very large and very small, in units in which their product is not"""
    usual = KINDS["two matrices"](COUNT)
    J, T = usual.operator.J, usual.operator.T
    A = usual.operator._replace(J=J._replace(data=scale * J.data), T=T._replace(data=T.data / scale))
    for method in ("pgs", "psor"):
        _, found = both_ways(monkeypatch, Problem(A, usual.offset, usual.sets), "ccp", method, max_iterations=9)
        _, expected = both_ways(monkeypatch, usual, "ccp", method, max_iterations=9)
        assert found.multipliers == pytest.approx(expected.multipliers, rel=1e-9, abs=1e-12)
