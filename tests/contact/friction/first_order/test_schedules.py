"""Sweeps of ``auto`` on large islands, by counts of iterations alone: with momentum, with parts, with threads.

Counts are far from their limits, so that rounding, which decides where sweeps turn round, does not decide here.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest

from benchmarks.contact.problems import packing
from pluecker.contact import solve
from pluecker.spatial.engine.parallel.threads import available_cores
from tests.contact.friction.first_order.large_islands import (
    compiled_only,
    sweeps_alone,
)

pytestmark = compiled_only  # hundreds of iterations of hundreds of contacts


def spent(result):
    """Iterations by method."""
    return {stage.method: stage.iterations for stage in result.stages if stage.iterations}


# ---------------------------------------------------------------------------------------------------------------- momentum


@pytest.mark.parametrize("law", ["ccp", "ncp"])
def test_with_momentum_a_third_of_the_sweeps_does(law, monkeypatch):
    """The median"""
    sweeps_alone(monkeypatch)
    shares = []
    for seed in (0, 1, 2):
        problem, named = packing(501, seed), {"tol": 1e-3, "separate": False}
        found, plain = solve(problem, law, **named), solve(problem, law, "pgs", form="factors", **named)
        assert found.converged
        assert plain.converged
        assert set(spent(found)) <= {"pgs", "newton"}
        shares.append(found.iterations / plain.iterations)
    assert np.median(shares) <= 1.0 / 3.0


# ------------------------------------------------------------------------------------------------------------------- parts


def test_iterations_of_parts_count_by_their_share_of_all(monkeypatch):
    """Parts have an eighth of all contacts at most while sweeps get on"""
    sweeps_alone(monkeypatch)
    sweeps = steps = 0
    for seed in (0, 1, 3, 4):
        result = solve(packing(2000, seed), "ncp", tol=1e-3, separate=False)
        done = spent(result)
        assert result.converged
        assert sum(done.values()) == result.iterations
        sweeps, steps = sweeps + done["pgs"], steps + done.get("newton", 0)
    assert 0 < steps <= sweeps / 40


@pytest.mark.parametrize("history", [False, True])
def test_iterations_of_parts_are_within_the_limit(history, monkeypatch):
    sweeps_alone(monkeypatch)
    problem = packing(1000, 2)
    for limit in (200, 1000, 1500):
        result = solve(problem, "ncp", tol=1e-300, max_iterations=limit, separate=False, history=history)
        assert sum(spent(result).values()) == result.iterations <= limit
        assert "newton" in spent(result) or limit == 200
        if history:
            assert len(result.history) == result.iterations


def test_parts_with_their_neighbours_break_circles(monkeypatch):
    """This packing takes 1,600 iterations; where no part gets a ring of neighbours, 8,000 do not solve it."""
    sweeps_alone(monkeypatch)
    result = solve(packing(1000, 5), "ncp", tol=1e-6, separate=False, max_iterations=8000)
    assert result.converged, str(result)


# ----------------------------------------------------------------------------------------------------------------- threads


def workers():
    """Count the package's worker threads."""
    return sum(thread.name.startswith("pluecker-") for thread in threading.enumerate())


def test_who_asks_for_more_threads_than_cores_gets_those_of_the_cores(monkeypatch):
    """Results have the same bits: in sweeps, in parts side by side, and in islands."""
    sweeps_alone(monkeypatch)
    problem = packing(501)
    for options in ({"separate": False}, {}):
        one, many = (solve(problem, "ncp", tol=1e-3, threads=threads, **options) for threads in (1, 64))
        assert np.array_equal(one.multipliers, many.multipliers)
        assert one.iterations == many.iterations
    assert workers() == available_cores() - 1
