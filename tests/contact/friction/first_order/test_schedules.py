"""Sweeps of ``auto`` on large islands, by counts of iterations alone: with momentum, with parts, with threads.

Counts are far from their limits, so that rounding, which decides where sweeps turn round, does not decide here.
"""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.contact_problems import packing
from pluecker.contact import METHODS, solve
from pluecker.spatial.engine.parallel.threads import available_cores
from tests.contact.friction.first_order.large_islands import (
    compiled_only,
    factors_cost,
    lower_sizes,
    what_no_cache_holds,
)

pytestmark = compiled_only  # hundreds of iterations of hundreds of contacts

FACTORS = ("newton", "interior_point")
IN_PARTS = ("pgs", "psor", *FACTORS)  # where Newton's method fails in a part, its core has a round of all methods


def spent(result):
    """Iterations by method."""
    return {stage.method: stage.iterations for stage in result.stages if stage.iterations}


# ---------------------------------------------------------------------------------------------------------------- momentum


@pytest.mark.parametrize(("size", "form"), [(1, "best"), (10**6, "best"), (10**6, "matrix")])
def test_with_momentum_a_third_of_the_sweeps_does(size, form, monkeypatch):
    """The median, under Coulomb's law, in large islands and in small ones, by factors and by the matrix"""
    factors_cost(monkeypatch, 2.0)
    lower_sizes(monkeypatch, size)
    shares = []
    for seed in (0, 1, 2):
        problem, named = packing(501, seed), {"tol": 1e-3, "form": form, "separate": False}
        found, plain = solve(problem, "ncp", **named), solve(problem, "ncp", "pgs", **named)
        assert found.converged
        assert plain.converged
        assert set(spent(found)) <= set(IN_PARTS)
        shares.append(found.iterations / plain.iterations)
    assert np.median(shares) <= 1.0 / 3.0


def test_in_what_no_cache_holds_a_third_of_the_sweeps_does(monkeypatch):
    """The convex law; no other method follows the sweeps."""
    what_no_cache_holds(monkeypatch)
    for seed in (0, 1, 2):
        problem, named = packing(500, seed), {"tol": 3e-3, "separate": False}
        found, plain = solve(problem, "ccp", **named), solve(problem, "ccp", "pgs", form="factors", **named)
        assert found.converged
        assert plain.converged
        assert set(spent(found)) <= {"pgs", *FACTORS}
        assert 3 * found.iterations <= plain.iterations, seed


# ------------------------------------------------------------------------------------------------------------------- parts


def test_iterations_of_parts_count_by_their_share_of_all(monkeypatch):
    """Parts have an eighth of all contacts at most while sweeps get on"""
    factors_cost(monkeypatch, 2.0)
    sweeps = steps = 0
    for seed in (0, 1, 3, 4):
        result = solve(packing(2000, seed), "ncp", tol=1e-3, separate=False)
        done = spent(result)
        assert result.converged
        assert sum(done.values()) == result.iterations
        sweeps, steps = sweeps + done["pgs"], steps + sum(done.get(method, 0) for method in FACTORS)
    assert 0 < steps <= sweeps / 40


@pytest.mark.parametrize("history", [False, True])
def test_iterations_of_parts_are_within_the_limit(history, monkeypatch):
    factors_cost(monkeypatch, 2.0)
    problem = packing(1000, 2)
    for limit in (200, 1000, 1500):
        result = solve(problem, "ncp", tol=1e-300, max_iterations=limit, separate=False, history=history)
        assert sum(spent(result).values()) == result.iterations <= limit
        assert set(spent(result)) & set(FACTORS) or limit == 200
        if history:
            assert len(result.history) == result.iterations


def test_parts_that_hold_up_the_rest_grow(monkeypatch):
    """This packing takes 2,000 to 3,000 iterations; where no part gets a ring of neighbours, 20,000 do not solve it."""
    factors_cost(monkeypatch, 2.0)
    result = solve(packing(1000, 2), "ncp", tol=1e-6, separate=False, max_iterations=8000)
    assert result.converged, str(result)


# -------------------------------------------------------------------------------------------------- sweeps beside the limit


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_who_says_how_many_iterations_gets_no_sweeps_beside_them(share, monkeypatch):
    """Over-relaxed sweeps come near the limit in a large island; with a history and without."""
    lower_sizes(monkeypatch)
    factors_cost(monkeypatch, share, 3e-3)  # sweeps with momentum end soon
    for history in (False, True):
        result = solve(packing(201), "ncp", tol=1e-13, max_iterations=3000, separate=False, history=history)
        assert spent(result)["psor"] > 500
        assert result.iterations <= 3000
        assert len(result.history if history else ()) <= 3000


@pytest.mark.everything
def test_large_islands_that_come_near_have_sweeps_beside_the_limit_and_small_ones_none(monkeypatch):
    """Cones so wide that nothing solves this packing, whose error falls to 4e-6: 90,000 iterations, of 20,000"""
    factors_cost(monkeypatch, 2.0, 3e-3)
    monkeypatch.setitem(METHODS, "auto", replace(METHODS["auto"], limit=20000))
    used = []
    for size in (1, 10**6):
        lower_sizes(monkeypatch, size)
        used.append(solve(packing(201, 1).with_friction(30.0), "ncp", tol=1e-300, separate=False).iterations)
    assert used[1] <= 20000 < used[0]


# ----------------------------------------------------------------------------------------------------------------- threads


def workers():
    """Count the package's worker threads."""
    return sum(thread.name.startswith("pluecker-") for thread in threading.enumerate())


def test_who_asks_for_more_threads_than_cores_gets_those_of_the_cores(monkeypatch):
    """Results have the same bits: in sweeps, in parts side by side, and in islands."""
    lower_sizes(monkeypatch)
    factors_cost(monkeypatch, 2.0)
    problem = packing(501)
    for options in ({"separate": False}, {}):
        one, many = (solve(problem, "ncp", tol=1e-3, threads=threads, **options) for threads in (1, 64))
        assert np.array_equal(one.multipliers, many.multipliers)
        assert one.iterations == many.iterations
    assert workers() == available_cores() - 1
