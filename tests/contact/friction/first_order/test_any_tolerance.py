"""Sweeps over large islands reach any tolerance, on the same way, and their velocities are those of their multipliers."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.contact.problems import packing
from benchmarks.families.stacks import stack
from pluecker.contact import errors_of, solve
from tests.conftest import COMPILED
from tests.contact.friction.first_order.large_islands import COUNT, KINDS, LAWS, all_are_large, compiled_only, start_of

__all__ = ["all_are_large"]  # a fixture

TOLERANCES = (1e-6, 1e-9, 1e-12) if COMPILED else (1e-5,)
LIMIT = 100_000
METHODS = pytest.mark.parametrize("method", ["pgs", "psor"])


@pytest.mark.parametrize("method", ["pgs"])
@LAWS
def test_any_tolerance_is_reached(method, law, all_are_large):
    for kind in ("root", "two matrices"):
        problem = KINDS[kind](COUNT).with_compliance(0.1)
        for tol in TOLERANCES:
            result = solve(problem, law, method, tol=tol, max_iterations=LIMIT, threads=1)
            assert result.converged, (kind, tol)
            assert errors_of(problem, result.multipliers, law).largest <= tol, (kind, tol)


def test_rigid_contacts_whose_matrix_is_singular_reach_any_tolerance(all_are_large):
    problem, tol = stack(200 if COMPILED else 24, 0).problem, TOLERANCES[min(1, len(TOLERANCES) - 1)]
    result = solve(problem, "ccp", "auto", tol=tol, max_iterations=LIMIT, threads=1)
    assert result.converged
    assert errors_of(problem, result.multipliers, "ccp").largest <= tol


@METHODS
@LAWS
def test_a_start_of_nothing_that_is_nearly_the_solution_is_gone_on_from(method, law, all_are_large):
    """Contacts that part, but one that hardly does not"""
    problem = packing(COUNT).with_compliance(0.1)
    b = np.zeros(problem.size)
    b[::3] = 1.0
    b[0] = -1e-5
    result = solve(replace(problem, offset=b), law, method, tol=1e-9, max_iterations=1000, separate=False)
    assert result.converged
    assert result.multipliers.any()
    assert 1 <= result.iterations < 1000


@METHODS
@LAWS
@pytest.mark.parametrize("kind", KINDS)
def test_the_velocities_of_methods_are_those_of_their_multipliers(method, law, kind, all_are_large):
    """The error on the way, which they judge by their own velocities, is that of the result"""
    problem = KINDS[kind](COUNT)
    for limit in (1, 3, 40) if COMPILED else (1, 12):
        named = {"tol": 1e-300, "max_iterations": limit, "separate": False, "form": "factors"}
        for start in (None, start_of(problem, 3)):
            result = solve(problem, law, method, warm_start=start, **named)
            assert result.stages[-1].error == pytest.approx(result.errors.largest, rel=1e-5), (limit, start is None)


@METHODS
@LAWS
def test_the_way_to_a_loose_tolerance_is_the_beginning_of_the_way_to_a_tight_one(method, law, all_are_large):
    """No decision depends on the tolerance but that of when to end."""
    problem = packing(COUNT).with_compliance(0.1)
    tolerances = (1e-2, 1e-5, 3e-7, 1e-10) if COMPILED else (1e-1, 1e-3)
    ways = [
        solve(problem, law, method, tol=tol, max_iterations=LIMIT, separate=False, history=True).history[:, 1]
        for tol in tolerances
    ]
    for one, other in itertools.pairwise(ways):
        assert len(one) < len(other)
        assert one[:-1] == pytest.approx(other[: len(one) - 1], rel=1e-12)  # the last one is of fresh velocities


@compiled_only
@pytest.mark.parametrize("method", ["pgs"])
@LAWS
def test_solutions_have_the_same_bits_for_any_number_of_threads(method, law, all_are_large):
    problem = packing(COUNT).with_compliance(0.1)
    found = [
        solve(problem, law, method, tol=1e-9, max_iterations=LIMIT, threads=threads).multipliers
        for threads in (1, 2, 3)
    ]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
