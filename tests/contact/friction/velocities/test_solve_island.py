"""Islands that are solved in the velocities of bodies, against the errors that ``solve`` reports, Clarabel and closed forms.

In plain Python: worlds compile it as part of their steps.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg

from pluecker.contact import errors_of
from pluecker.contact.friction.velocities import solve_island as island
from tests.contact.any_blocks import SIZES, of_factors, sets_of, sparse_of
from tests.contact.random_friction import Random, clarabel_solution

pytestmark = pytest.mark.plain

AIM, BUDGET, INF = 1e-8, 200, np.inf
KINDS = ("1", "2", "3", "3", "5", "6", "equation", "limit", "motor", "fixed")


def run(problem, inverses, start=None, exact=1, aim=AIM, finer=INF, budget=BUDGET, memory=None):
    """Solve a problem as one island; return multipliers, velocities, the error, and the factors."""
    r = np.zeros(problem.size) if start is None else start.copy()
    P = record_of(problem, inverses, r, known=False)
    members, change = np.arange(len(P.rows) - 1), np.zeros(int(P.columns[-1]))
    error, used = island.solve_one_island(P, members, exact, aim, finer, budget, change, memory)
    return r, change, error, used


def record_of(problem, inverses, r, known=True):
    """Return the record of a problem, with the mass matrices of its nodes if they are ``known``."""
    inverse, square = np.concatenate([A.ravel() for A in inverses]), np.cumsum([0, *(A.size for A in inverses)])
    mass = np.concatenate([np.linalg.inv(A).ravel() for A in inverses]) if known else None
    operator = problem.operator
    return island.island_problem(
        operator.J, problem.sets, inverse, square, problem.offset, operator.compliance, r, mass
    )


def random_island(seed, count, kinds=KINDS, ratio=100.0, soft=0.0, widths=(6, 6, 6, 3, 9), unit=1.0, few=False):
    """Contacts and rows between nodes that make one island, with A^-1 of each node, whose masses differ by ``ratio``

    With ``few`` each moves four velocities of a node.
    """
    rng = np.random.default_rng(seed)
    nodes, columns = len(widths), np.cumsum([0, *widths])
    sizes, friction, lower, upper, J = [], [], [], [], []
    for k in range(count):
        kind = kinds[rng.integers(len(kinds))]
        size, a, b = SIZES[int(kind)] if kind.isdigit() else (0, 0, 0), *np.sort(rng.normal(size=2))
        bounds = {"equation": (-INF, INF), "limit": (a, INF), "motor": (a, b), "fixed": (a, a)}.get(kind, (0.0, INF))
        rows = np.zeros((1 + sum(size), columns[-1]))
        for node in {k % nodes, (k + 1) % nodes if k < nodes - 1 else int(rng.integers(nodes))}:
            moved = np.sort(rng.permutation(widths[node])[:4]) if few else np.arange(widths[node])
            rows[:, columns[node] + moved] = rng.normal(size=(len(rows), len(moved)))
        J.append(rows)
        sizes.append(size)
        friction.append(rng.uniform(0.1, 1.2, 3) * (np.array(size) > 0))
        lower.append(bounds[0] * unit)
        upper.append(bounds[1] * unit)
    J, inverses = np.vstack(J), []
    for n in widths:
        root = rng.normal(size=(n, n)) + 2.0 * np.eye(n)
        inverses.append(root @ root.T / np.exp(rng.uniform(0.0, np.log(ratio))))
    K = sets_of(sizes, friction, lower, upper)
    b, compliance = J @ rng.normal(size=columns[-1]), soft * rng.random(len(J))
    return of_factors(J, J @ scipy.linalg.block_diag(*inverses), columns, unit * b, K, compliance), inverses


def moved_by(problem, inverses):
    """Return A^-1 J', the velocities that multipliers cause."""
    return scipy.linalg.block_diag(*inverses) @ sparse_of(problem.operator.J).toarray().T


def full(problem):
    """Return J and J A^-1 as full matrices."""
    return sparse_of(problem.operator.J).toarray(), sparse_of(problem.operator.T).toarray()


def test_a_block_that_falls_and_slides_stops_falling_and_slides_on():
    """2 kg with 1 m/s downwards and 3 m/s along, friction 0.5: 2 N s carry it, 1 N s slows it down by 0.5 m/s"""
    J, K = np.eye(3), sets_of([SIZES[3]], [[0.5, 0.0, 0.0]], [0.0], [INF])
    problem = of_factors(J, 0.5 * J, np.array([0, 3]), np.array([-1.0, 3.0, 0.0]), K, np.zeros(3))
    r, change, error, _ = run(problem, [0.5 * np.eye(3)])
    np.testing.assert_allclose(r, [2.0, -1.0, 0.0], atol=1e-7)
    np.testing.assert_allclose(change, [1.0, -0.5, 0.0], atol=1e-7)
    assert error <= AIM


@pytest.mark.parametrize("soft", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_contacts_and_rows_of_all_kinds_obey_coulombs_law(seed, soft):
    problem, inverses = random_island(seed, 8, soft=soft)
    r, change, error, _ = run(problem, inverses)
    assert error <= AIM
    assert errors_of(problem, r, "ncp").largest <= 1.01 * AIM  # sums are made in another order there
    moved = moved_by(problem, inverses) @ r
    np.testing.assert_allclose(change, moved, rtol=0, atol=1e-12 * np.abs(moved).max())


@pytest.mark.parametrize("known", [True, False])
def test_masses_that_are_known_and_those_that_are_not_give_one_answer(known):
    """Of wide nodes too, whose contacts move a part of their velocities"""
    problem, inverses = random_island(4, 10, widths=(20, 6, 11, 3, 9), few=True)
    r, change = np.zeros(problem.size), np.zeros(int(problem.operator.J.columns[-1]))
    P = record_of(problem, inverses, r, known)
    error, _ = island.solve_one_island(P, np.arange(len(P.rows) - 1), 1, AIM, INF, BUDGET, change)
    assert error <= AIM
    assert errors_of(problem, r, "ncp").largest <= 1.01 * AIM
    moved = moved_by(problem, inverses) @ r
    np.testing.assert_allclose(change, moved, rtol=0, atol=1e-12 * np.abs(moved).max())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_velocities_of_the_convex_law_are_those_of_clarabel(seed):
    problem, inverses = random_island(seed, 6, soft=0.1 * (seed % 2))
    whole = Random(problem.matrix().toarray(), problem.offset, problem.sets)
    oracle, content = clarabel_solution(whole)
    assert content
    r, _, error, _ = run(problem, inverses, exact=0)
    assert error <= AIM
    np.testing.assert_allclose(
        problem.velocity(r), problem.velocity(oracle), rtol=0, atol=1e-6 * np.abs(problem.offset).max()
    )


@pytest.mark.parametrize("exact", [0, 1])
def test_multipliers_do_not_depend_on_the_units_of_mass_and_velocity(exact):
    """Powers of four of masses and of two of velocities change no digit"""
    problem, inverses = random_island(3, 7)
    r, _, _, used = run(problem, inverses, exact=exact)
    mass, unit = 4.0**9, 2.0**-7
    other, lighter = random_island(3, 7, unit=unit)
    K = other.sets._replace(lower=mass * other.sets.lower, upper=mass * other.sets.upper)
    T = moved_by(other, lighter).T / mass
    heavy = of_factors(
        sparse_of(other.operator.J).toarray(), T, other.operator.J.columns, other.offset, K, np.zeros(len(r))
    )
    again, _, _, spent = run(heavy, [A / mass for A in lighter], exact=exact)
    np.testing.assert_array_equal(again, mass * unit * r)
    assert spent == used
    assert used > 0


def test_four_times_the_same_contact_is_no_harder_than_one():
    problem, inverses = random_island(5, 6, kinds=("3",), widths=(6, 6, 6))
    J, K = sparse_of(problem.operator.J).toarray(), problem.sets
    four = [np.concatenate([x] * 4) for x in (K.sizes, K.friction, K.lower, K.upper)]
    T = moved_by(problem, inverses).T
    more = of_factors(
        np.vstack([J] * 4),
        np.vstack([T] * 4),
        problem.operator.J.columns,
        np.tile(problem.offset, 4),
        sets_of(*four),
        np.zeros(72),
    )
    one, many = run(problem, inverses), run(more, inverses)
    assert max(one[2], many[2]) <= AIM
    np.testing.assert_allclose(many[1], one[1], rtol=0, atol=1e-5 * np.abs(one[1]).max())


def test_a_start_that_solves_is_taken_or_gets_a_few_steps_for_more_digits():
    problem, inverses = random_island(1, 6)
    rough = run(problem, inverses, aim=1e-4)[0]
    r, _, error, used = run(problem, inverses, start=rough, aim=1e-3)
    np.testing.assert_allclose(r, rough, rtol=1e-12)
    assert used == 0
    _, _, finer, used = run(problem, inverses, start=rough, aim=1e-3, finer=0.0)
    assert 1 <= used <= 6
    assert finer <= 1e-4 * error


def test_a_budget_that_is_too_small_leaves_the_best_that_was_met():
    problem, inverses = random_island(2, 8)
    r, _, error, used = run(problem, inverses, budget=1, aim=1e-14)
    assert used == 1
    assert error <= errors_of(problem, np.zeros(problem.size), "ncp").largest
    assert errors_of(problem, r, "ncp").largest == pytest.approx(error, rel=1e-6)


def test_nothing_moves_and_nothing_happens():
    problem, inverses = random_island(4, 5, kinds=("3",), unit=0.0)
    r, change, error, used = run(problem, inverses)
    assert (error, used) == (0.0, 0)
    assert not r.any()
    assert not change.any()


@pytest.mark.parametrize("bad", [np.nan, INF, 1e200])
def test_numbers_that_are_none_give_an_error_that_is_none_and_leave_the_multipliers(bad):
    problem, inverses = random_island(4, 5)
    b = problem.offset.copy()
    b[2] = bad
    start = np.ones(problem.size)
    with np.errstate(all="ignore"):
        r, change, error, used = run(
            of_factors(*full(problem), problem.operator.J.columns, b, problem.sets, problem.operator.compliance),
            inverses,
            start,
        )
    assert np.isnan(error)
    assert used == 0
    np.testing.assert_array_equal(r, start)
    assert not change.any()


def test_a_start_that_is_not_finite_counts_as_none():
    problem, inverses = random_island(6, 5)
    r = run(problem, inverses, start=np.full(problem.size, np.nan))[0]
    np.testing.assert_array_equal(r, run(problem, inverses)[0])


def tied(pairs, n):
    """Bodies that are tied along one direction each, as equations."""
    J, none = np.zeros((len(pairs), 6 * n)), np.zeros((len(pairs), 3))
    for k, (i, j) in enumerate(pairs):
        J[k, 6 * i], J[k, 6 * j] = 1.0, -1.0
    K = sets_of(none, none, np.full(len(pairs), -INF), np.full(len(pairs), INF))
    b = J @ np.random.default_rng(0).normal(size=6 * n)
    return of_factors(J, J, np.arange(0, 6 * n + 1, 6), b, K, np.zeros(len(J))), [np.eye(6)] * n


def numbers_of(problem, inverses):
    """Solve in the least memory that is asked for; return how much that is."""
    memory, used = island.make_memory(), -1
    while used < 0:
        r, change = np.zeros(problem.size), np.zeros(int(problem.operator.J.columns[-1]))
        P, local = record_of(problem, inverses, r), np.full(len(inverses), -1)
        _, used = island.solve_here(memory, P, local, np.arange(len(P.rows) - 1), 1, 1e-12, INF, BUDGET, change)
        if used < 0:
            assert not r.any()
            assert not change.any()
            memory = island.make_memory(-used)
    assert used > 0
    return len(memory)


BODIES = 12, 130  # as many as have bits of one word, and of three


@pytest.mark.parametrize("n", BODIES)
def test_a_chain_of_bodies_in_any_order_has_no_fill(n):
    in_order = numbers_of(*tied(list(pairwise(range(n))), n))
    assert numbers_of(*tied(list(pairwise(np.random.default_rng(0).permutation(n))), n)) == in_order


@pytest.mark.parametrize("n", BODIES)
def test_a_ring_of_bodies_has_two_blocks_of_fill_for_each_but_three(n):
    one_more = tied([*pairwise(range(n)), (0, 1)], n)
    ring = numbers_of(*tied([(k, (k + 1) % n) for k in range(n)], n))
    lists = 3 * 8 * (-(-(2 * n - 3) // 8) - -(-(n - 1) // 8))  # three numbers for each pair
    assert ring - numbers_of(*one_more) == 8 * 6 * 2 * (1 + n - 3) + lists  # the pair of the last row, and the fill
