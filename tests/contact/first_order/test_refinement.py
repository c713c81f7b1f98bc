"""Large islands hold their matrices in single precision, and what comes of it is as exact as with double precision.

Looks inside: the size from which islands are large is lowered; the law of a point is judged with the whole matrix.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.contact_problems import packing
from benchmarks.families.stacks import stack
from pluecker.contact import errors_of, solve
from pluecker.contact.first_order.large_gradients import Task
from pluecker.contact.first_order.large_gradients import lay_out as lay_out_gradients
from pluecker.contact.first_order.large_sweeps import Sweeping
from pluecker.contact.first_order.large_sweeps import lay_out as lay_out_sweeps
from pluecker.contact.first_order.large_task import next_rung
from pluecker.contact.first_order.memory import ERROR, ITERATIONS, make_memory
from pluecker.contact.first_order.sharing import run_gradients, run_sweeps
from pluecker.contact.problem.operator import to_matrix
from pluecker.contact.problem.prepared import prepare
from pluecker.contact.solving.island import Island
from pluecker.contact.solving.newton import evaluate_all
from tests.conftest import COMPILED
from tests.contact.first_order.test_shared_island import (
    KINDS,
    all_are_large,
    compiled_only,
    run,
    start_of,
    without_root,
)

__all__ = ["all_are_large"]  # a fixture

COUNT = 150 if COMPILED else 21
TOLERANCES = (1e-6, 1e-9, 1e-12) if COMPILED else (1e-5,)
LIMIT = 100_000


@pytest.mark.parametrize("method", ["apgd", "pgs"])
@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("tol", TOLERANCES)
def test_any_tolerance_is_reached_by_the_matrix_with_double_precision(method, law, tol, all_are_large):
    for make in (packing, lambda count: without_root(packing(count))):
        problem = make(COUNT).with_compliance(0.1)
        result = solve(problem, law, method, tol=tol, max_iterations=LIMIT, threads=1)
        assert result.converged
        assert errors_of(problem, result.multipliers, law).largest <= tol


def test_rigid_contacts_whose_matrix_is_singular_reach_any_tolerance(all_are_large):
    """Single precision makes another problem of them, which need not have a solution"""
    problem, tol = stack(200 if COMPILED else 24, 0).problem, TOLERANCES[min(1, len(TOLERANCES) - 1)]
    result = solve(problem, "ccp", "apgd", tol=tol, max_iterations=LIMIT, threads=1)
    assert result.converged
    assert errors_of(problem, result.multipliers, "ccp").largest <= tol


@pytest.mark.parametrize("runner", [run_gradients, run_sweeps], ids=["gradients", "sweeps"])
@pytest.mark.parametrize("law", [0, 1], ids=["ccp", "ncp"])
def test_a_start_of_nothing_that_is_nearly_the_solution_is_gone_on_from(runner, law, all_are_large):
    """Contacts that part, but one that hardly does not"""
    P, _ = prepare(packing(COUNT).with_compliance(0.1), False)
    b = np.zeros_like(P.b)
    b[::3] = 1.0
    b[0] = -1e-5 * np.sqrt(COUNT)
    x, u, results = run(runner, P._replace(b=b), law, np.zeros_like(b), 1000, 1e-9)
    assert x.any()
    assert 1 <= results[ITERATIONS] < 1000
    assert results[ERROR] <= 1e-9
    assert evaluate_all(P._replace(b=b), np.zeros_like(b), x, u, law, np.zeros_like(b)) <= 1.001e-9


@pytest.mark.parametrize("law", [0, 1], ids=["ccp", "ncp"])
def test_sweeps_of_an_island_know_the_velocities_of_their_points(law, all_are_large):
    """Whatever point they begin at, and wherever they were corrected last"""
    P, _ = prepare(packing(COUNT), False)
    whole, N = prepare(packing(COUNT).assembled(), False)[0], to_matrix(P.A)
    island = Island(whole, law, np.zeros_like(P.b), P.b.copy(), np.zeros(0), 10_000, factors=P)
    for seed, momentum in ((0, False), (1, True), (2, False)):
        x = start_of(P, seed)
        u = island.velocity(x)
        island.sweeps(1e-300, 20, x, u, 1.0, momentum)
        for point, speed in ((x, u), (island.x, island.u)):
            size = (abs(N) @ abs(point) + abs(P.b)).max()
            assert np.abs(speed - (N @ point + P.b)).max() <= 200 * np.finfo(float).eps * size
    assert island.sweeping is not None


@compiled_only
@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("method", ["apgd", "pgs"])
def test_corrections_have_the_same_bits_for_any_number_of_threads(method, law, all_are_large):
    problem = packing(COUNT).with_compliance(0.1)
    found = [
        solve(problem, law, method, tol=1e-9, max_iterations=LIMIT, threads=threads).multipliers
        for threads in (1, 2, 3)
    ]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("law", [0, 1], ids=["ccp", "ncp"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("runner", [run_gradients, run_sweeps], ids=["gradients", "sweeps"])
def test_velocities_that_come_back_are_those_of_the_matrix(runner, kind, law, all_are_large):
    P, _ = prepare(KINDS[kind](COUNT), False)
    for limit in (0, 3, 40):
        x, u, _ = run(runner, P, law, start_of(P, 3), limit)
        size = (abs(to_matrix(P.A)) @ abs(x) + abs(P.b)).max()
        assert np.abs(u - (to_matrix(P.A) @ x + P.b)).max() <= 200 * np.finfo(float).eps * size


def test_a_corrected_offset_makes_velocities_those_of_the_matrix_at_that_point():
    """Before, they are off by single precision; near it, by as much less as the other point is nearer than zero"""
    P, _ = prepare(packing(COUNT), False)
    x = start_of(P, 4)
    near = x * (1.0 + 1e-3 * np.random.default_rng(0).random(len(x)))
    N = to_matrix(P.A)
    size = (abs(N) @ abs(x) + abs(P.b)).max()
    task, state = Task(lay_out_gradients(P, 0), P.b, x), make_memory(len(x), 1, np.zeros(0)).states[0]
    task.run(0, 0.0, 0, state, np.zeros(0), 1)
    found, u = task.pair()
    assert 1e-10 * size < np.abs(u - (N @ found + P.b)).max() < 1e-6 * size
    task.correct(u - (N @ found + P.b))
    assert np.abs(task.pair()[1] - (N @ found + P.b)).max() <= 1e-14 * size
    sweeping = Sweeping(lay_out_sweeps(P, 0), P.b)
    sweeping.run(x, 0, 0.0, 0, 1.0, False, np.zeros(0), 1)
    found, u = sweeping.last
    assert 1e-10 * size < np.abs(u - (N @ found + P.b)).max() < 1e-6 * size
    sweeping.correct(u - (N @ found + P.b))
    for point, most in ((found, 1e-14), (near, 1e-9)):
        sweeping.run(point, 0, 0.0, 0, 1.0, False, np.zeros(0), 1)
        there, u = sweeping.last
        assert np.abs(u - (N @ there + P.b)).max() <= most * size


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_matrices_beyond_the_range_of_single_precision_are_left_to_others(scale):
    P, _ = prepare(without_root(packing(COUNT)), False)
    J, T = P.A.J, P.A.T
    A = P.A._replace(J=J._replace(data=scale * J.data), T=T._replace(data=T.data / scale))
    for lay_out in (lay_out_gradients, lay_out_sweeps):
        assert lay_out(P, 0) is not None
        assert lay_out(P._replace(A=A), 0) is None


def test_rungs_are_powers_of_a_number_whatever_the_error():
    assert next_rung(np.inf) == next_rung(1.0) == next_rung(3e-3) == 1e-3
    for error, rung in ((1.0001e-3, 1e-6), (1e-6, 1e-9), (1.9e-9, 1e-12)):
        assert next_rung(error) == pytest.approx(rung, rel=1e-9, abs=0.0)
    assert next_rung(0.0) == 0.0
    assert next_rung(np.nan) == 0.0
