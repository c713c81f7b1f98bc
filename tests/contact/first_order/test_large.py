"""Islands of many contacts: what a factor takes at least, products by factors beside a matrix, and looser tolerances.

Looks inside: the sizes from which things are done otherwise are lowered, so that small problems take the way of large ones.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.contact_problems import packing
from benchmarks.families import FAMILIES
from pluecker.contact import METHODS, Solver, solve
from pluecker.contact.first_order import sharing
from pluecker.contact.first_order.large_checks import Checks
from pluecker.contact.first_order.memory import BEST_U, BEST_X, MOMENTUM, make_memory
from pluecker.contact.first_order.pgs import run_psor
from pluecker.contact.problem.natural_map import natural_block
from pluecker.contact.problem.operator import apply, assemble, multiply_factors
from pluecker.contact.problem.prepared import arrange, cut, find_order, prepare
from pluecker.contact.solving import automatic, cores, coulomb, local, parts, pieces, preparation, running
from pluecker.contact.solving.island import Island, on_islands, operations, seconds_of_step
from pluecker.contact.solving.newton import evaluate_all, velocity
from pluecker.contact.sparse.blocks import from_scipy, to_scipy
from pluecker.contact.sparse.estimate import least_operations
from pluecker.contact.sparse.symbolic import analyse
from tests.conftest import COMPILED
from tests.contact.any_blocks import of_factors, sets_of
from tests.contact.random_friction import random_problem

slow = [pytest.mark.slow, pytest.mark.skipif(not COMPILED, reason="thousands of iterations: compiled only")]


def blocks_of(pattern):
    """A matrix of blocks of three rows where the pattern has an entry."""
    edges = np.arange(0, 3 * len(pattern) + 1, 3)
    return from_scipy(np.kron(pattern, np.ones((3, 3))), edges, edges)


def chain(n):
    return np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)


def cube(n):
    """Places of a cube that meet their six neighbours."""
    one, line = np.eye(n), chain(n) - np.eye(n)
    pairs = np.kron(np.kron(line, one), one) + np.kron(np.kron(one, line), one) + np.kron(np.kron(one, one), line)
    return np.eye(n**3) + pairs


def shuffled(pattern, seed=0):
    order = np.random.default_rng(seed).permutation(len(pattern))
    return pattern[np.ix_(order, order)]


@pytest.mark.parametrize(
    "pattern", [np.eye(1), chain(40), shuffled(chain(40)), np.ones((12, 12)), cube(4), shuffled(cube(5))]
)
def test_the_estimate_of_a_factor_is_from_below(pattern):
    N = blocks_of(pattern)
    assert 0.0 < least_operations(N) <= analyse(N).numbers[1]


def test_the_estimate_counts_the_levels_from_an_end():
    assert least_operations(blocks_of(shuffled(chain(30)))) == pytest.approx(27.0)  # one block in each level
    assert least_operations(blocks_of(np.ones((12, 12)))) == pytest.approx(18.0**3)  # one block, then all others
    corner = least_operations(blocks_of(shuffled(cube(4))))
    assert corner == pytest.approx((3.0 * 64 / 10) ** 3)  # from corner to corner: 3 (n - 1) steps
    two = np.kron(np.eye(2), chain(30))
    assert least_operations(blocks_of(two)) == pytest.approx(27.0)  # of what is reached from the first one
    assert least_operations(blocks_of(np.zeros((0, 0)))) == 0.0


def test_a_packing_takes_at_least_what_is_estimated():
    N = assemble(packing(150).operator).N
    assert least_operations(N) <= analyse(N).numbers[1] <= 1e3 * least_operations(N)


def test_an_island_is_cut_with_its_matrix_whatever_there_is_beside():
    problem = packing(60)
    both = problem.operator._replace(N=assemble(problem.operator).N)
    alone = assemble(problem.operator)
    order = find_order(both)
    P, _ = arrange(both, problem.sets, problem.offset, order)
    Q, _ = arrange(alone, problem.sets, problem.offset, order._replace(sides=np.zeros_like(order.sides)))
    for k in range(len(P.islands) - 1):
        mine, other = cut(P, k), cut(Q, k)
        assert mine.A.is_factored == 0
        assert len(mine.A.J.data) == len(mine.A.velocity) == 0
        for a, b in zip(mine.A.N, other.A.N, strict=True):
            assert np.allclose(
                a, b, rtol=0, atol=1e-13
            )  # scales are from another sum of the same diagonal; entries near one


def by_factors(both, soft=False):
    """Problems that do not touch, as one."""
    J, T = (scipy.sparse.block_diag([to_scipy(getattr(p.operator, name)) for p in both]) for name in ("J", "T"))
    K = sets_of(
        *(np.concatenate([getattr(p.sets, name) for p in both]) for name in ("sizes", "friction", "lower", "upper"))
    )
    b = np.concatenate([p.offset for p in both])
    columns = np.arange(0, J.shape[1] + 1, 6)
    return of_factors(J, T, columns, b, K, np.linspace(0.0, 0.1, len(b)) if soft else np.zeros(len(b)))


def two_packings(soft):
    """Two islands, with a floor; some contacts have one body, the others two."""
    problem = by_factors((packing(40), packing(20)), soft)
    operator, order = problem.operator, find_order(problem.operator)
    P = arrange(operator._replace(N=assemble(operator).N), problem.sets, problem.offset, order)[0]
    assert len(P.islands) == 3
    return P


@pytest.mark.parametrize("soft", [False, True])
def test_an_island_is_cut_by_its_factors(soft):
    P = two_packings(soft)
    rng = np.random.default_rng(0)
    for k in range(len(P.islands) - 1):
        by_matrix, by_factors = cut(P, k), cut(P, k, by_factors=True)
        x = rng.normal(size=len(by_matrix.b))
        u = np.empty(len(x))
        apply(by_factors.A, x, u, 0, len(by_factors.K.start) - 1, 0, int(by_factors.sides[1]))
        np.testing.assert_allclose(u + by_factors.b, velocity(by_matrix, x), atol=1e-12)


@pytest.mark.parametrize("momentum", [False, True])
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("law", [0, 1])
def test_sweeps_by_factors_are_those_by_the_matrix(law, soft, momentum):
    P = two_packings(soft)
    assert (np.diff(P.A.J.first) == 1).any()
    assert (np.diff(P.A.J.first) == 2).any()
    for k in range(len(P.islands) - 1):
        pairs = []
        for by_factors in (False, True):
            part = cut(P, k)
            island = Island(part, law, np.zeros(len(part.b)), part.b.copy(), np.zeros(0), 100)
            island.factors = cut(P, k, by_factors=True) if by_factors else None
            x, u = np.zeros(len(part.b)), part.b.copy()
            island.sweeps(0.0, 25, x, u, momentum=momentum)
            pairs.append((x, u, island.x, island.error))
        for one, other in zip(*pairs, strict=True):
            np.testing.assert_allclose(other, one, atol=1e-9)


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_contact_that_parts_along_its_normal_does_not_pull(friction):
    """All move apart, and nothing across the normals. The best pair is the start; the last one stays in memory."""
    P = two_packings(False)
    P = P._replace(K=P.K._replace(friction=np.full_like(P.K.friction, friction)), b=np.zeros_like(P.b))
    P.b[::3] = 1.0
    for k in range(len(P.islands) - 1):
        for by_factors in (False, True):
            part = cut(P, k, by_factors)
            x = np.zeros(len(part.b))
            u, memory = part.b.copy(), make_memory(len(part.b), 1, np.zeros(0))
            run_psor(part, 1, x, u, -1.0, 1, memory, 0, 1)
            np.testing.assert_array_equal(x, 0.0)
            np.testing.assert_array_equal(memory.work[BEST_X, : len(x)], 0.0)


@pytest.mark.parametrize("law", ["ccp", pytest.param("ncp", marks=slow)])
def test_factors_beside_the_matrix_give_the_same_velocities(monkeypatch, law):
    """``auto`` on its way for large problems; those of the convex law are unique"""
    problem, tol = packing(150 if COMPILED else 30), 1e-8
    expected = solve(problem, law, tol=tol, form="matrix")
    monkeypatch.setattr(preparation, "BOTH", 0)
    monkeypatch.setattr(preparation, "prefers_matrix", lambda operator: False)
    monkeypatch.setattr(automatic, "DIRECT", 0)
    found = solve(problem, law, tol=tol)
    assert expected.converged, str(expected)
    assert found.converged, str(found)
    if law == "ccp":
        # Both errors, as velocities, count once for each contact at most.
        speed = np.abs(expected.velocity).max()
        assert np.allclose(found.velocity, expected.velocity, rtol=0, atol=np.sqrt(problem.blocks) * 10 * tol * speed)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="thousands of iterations: compiled only")
@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("seed", range(3))
def test_a_looser_tolerance_takes_no_more_iterations(law, seed):
    problem = packing(300, seed)
    used = [solve(problem, law, tol=tol).iterations for tol in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)]
    assert used == sorted(used)


def island_of(problem, limit):
    """The whole problem as one island that nothing was done with, under Coulomb's law."""
    P, _ = prepare(problem.assembled(), False)
    island = Island(P, 1, np.zeros(problem.size), P.b.copy(), np.zeros(0), limit)
    island.take(island.zero, P.b)
    return island


@pytest.mark.parametrize("law", [0, 1])
@pytest.mark.parametrize("contacts", [128, 150, 2300])
def test_velocities_and_errors_of_a_large_island_are_those_of_a_small_one(law, contacts):
    """Block by block, whatever the number of threads; also of steep cones, soft contacts and what overflows"""
    rng = np.random.default_rng(contacts)
    problem = packing(contacts).with_friction(rng.choice([0.0, 0.5, 3.0, 30.0], contacts))
    soft = problem.operator._replace(compliance=rng.uniform(size=problem.size), is_soft=1)
    P, _ = prepare(replace(problem, operator=soft).assembled(), False)
    checks, work, zero = Checks(P, law), np.zeros(len(P.b)), np.zeros(len(P.b))
    normal = rng.normal(size=len(P.b))
    for x in (normal, zero, np.abs(normal) * 1e-9, 1e160 * normal, np.where(np.arange(len(P.b)) == 7, np.nan, normal)):
        found = []
        with np.errstate(all="ignore"):
            for threads in (1, 2, 3):
                u = checks.velocity(x, threads)
                found.append((u, checks.error(x, u, threads), checks.errors.copy()))
            for other in found[1:]:
                assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(other, found[0], strict=True))
            u, error, errors = found[0]
            right, mine = (
                velocity(P, x),
                np.array([natural_block(P.K, i, 0.0, law, x, u, work) for i in range(contacts)]),
            )
            expected = float(evaluate_all(P, zero, x, u, law, work))
        if np.isfinite(expected):
            assert np.allclose(u, right, rtol=0.0, atol=1e-13 * np.abs(right).max())
            assert np.allclose(errors, mine, rtol=1e-9, atol=1e-26 * max(1.0, np.abs(x).max()) ** 2)
            assert error == pytest.approx(expected, rel=1e-12)
        else:
            assert not error < np.inf


def test_checks_of_one_of_several_islands_are_its_own():
    """Whose matrix begins somewhere in that of all"""
    P = two_packings(True)
    for island in range(len(P.islands) - 1):
        part = cut(P, island)
        x = np.random.default_rng(island).normal(size=len(part.b))
        u = Checks(part, 1).velocity(x, 1)
        assert np.allclose(u, velocity(part, x), rtol=0.0, atol=1e-13 * np.abs(u).max())


@pytest.mark.parametrize("law", [0, 1])
def test_only_islands_of_many_contacts_have_checks(law, monkeypatch):
    """And these say the same of errors as others do"""
    P, _ = prepare(packing(60).assembled(), False)
    small = Island(P, law, np.zeros(len(P.b)), P.b.copy(), np.zeros(0), 10)
    assert small.checks is None
    monkeypatch.setattr(sharing, "LARGE", 60)
    large = Island(P, law, np.zeros(len(P.b)), P.b.copy(), np.zeros(0), 10)
    assert large.checks is not None
    x = np.random.default_rng(2).normal(size=len(P.b))
    u = large.velocity(x)
    assert np.allclose(u, small.velocity(x), rtol=0.0, atol=1e-13 * np.abs(u).max())
    assert np.allclose(large.errors(x, u), small.errors(x, u), rtol=1e-9, atol=1e-26)
    assert large.take(x, u)
    assert small.take(x, u)
    assert large.error == pytest.approx(small.error, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_matrix_of_one_factor_is_that_of_two_that_are_alike(seed):
    """Bit for bit, with any number of threads, and symmetric: of one array, half of it is computed, and mirrored"""
    rng = np.random.default_rng(seed)
    rows = np.concatenate([[0], np.cumsum(rng.choice([1, 2, 3, 3, 3, 5, 6], 25))])
    columns = np.concatenate([[0], np.cumsum(rng.choice([1, 3, 6, 6, 6], 9))])
    there = rng.uniform(size=(25, 9)) < 0.3
    G = rng.normal(size=(rows[-1], columns[-1]))
    G *= np.repeat(np.repeat(there, np.diff(rows), axis=0), np.diff(columns), axis=1)
    J = from_scipy(G, rows, columns)
    two_alike = J._replace(data=J.data.copy())
    one, two = multiply_factors(J, J), multiply_factors(J, two_alike)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    for threads in (2, 3, 30):
        for N in (multiply_factors(J, J, threads), multiply_factors(J, two_alike, threads)):
            assert all(np.array_equal(a, b) for a, b in zip(one, N, strict=True))
    full = to_scipy(one).toarray()
    assert np.array_equal(full, full.T)
    assert np.allclose(full, G @ G.T, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        (1.0, ["turns"]),
        (0.5 * automatic.PAID, ["pgs", "psor", "turns"]),
        (2.0 * automatic.PAID, ["pgs", "psor"]),
    ],
)
def test_sweeps_come_first_where_factors_are_dear(monkeypatch, price, expected):
    """With momentum, over-relaxed from the same start; dear factors are never made"""
    done, starts = [], []

    def sweeps(name):
        def made(island, tol, x, most, *_):
            done.append(name)
            starts.append(x.copy())
            island.x += 1.0

        return made

    monkeypatch.setattr(automatic, "price", lambda island: price)
    monkeypatch.setattr(pieces, "with_momentum", sweeps("pgs"))
    monkeypatch.setattr(pieces, "over_relaxed", sweeps("psor"))
    monkeypatch.setattr(automatic, "take_turns", lambda island, tol: done.append("turns"))
    automatic.improve(island_of(packing(12), 60), 1e-12)
    assert done == expected
    assert not any(x.any() for x in starts)


@pytest.mark.parametrize("law", [0, 1])
def test_nothing_is_factorised_that_takes_too_long(monkeypatch, law):
    monkeypatch.setattr(automatic, "price", lambda island: 2.0 * automatic.PAID)
    island = island_of(packing(12), 20)
    island.law = law
    automatic.improve(island, 1e-300)
    assert set(island.spent) == ({"pgs"} if law == 1 else {"apgd"})
    assert not island.patterns


def with_momentum(island, tol, most):
    pieces.with_momentum(island, tol, island.zero, most)


def over_relaxed(island, tol, most):
    pieces.over_relaxed(island, tol, island.zero, most, 0.0, False)


def what_no_cache_holds(monkeypatch):
    """As if islands of 500 contacts were such, and too large for what factorises"""
    monkeypatch.setattr(automatic, "VAST", 500)
    monkeypatch.setattr(automatic, "MORE", 500)
    monkeypatch.setattr(automatic, "CHEAP", 0)
    monkeypatch.setattr(sharing, "LARGE", 500)
    monkeypatch.setattr(running, "LARGE", 500)


@pytest.mark.skipif(not COMPILED, reason="hundreds of sweeps: compiled only")
@pytest.mark.parametrize("law", ["ccp", "frictionless", "ncp"])
@pytest.mark.parametrize("gains", [pieces.GAINS, 0.0])
def test_in_what_no_cache_holds_sweeps_come_before_gradients(monkeypatch, law, gains):
    """In convex laws, until they are held up: where nothing is a gain, for three pieces"""
    problem = packing(500)
    usual = solve(problem, law, tol=1e-6)
    what_no_cache_holds(monkeypatch)
    monkeypatch.setattr(pieces, "GAINS", gains)
    monkeypatch.setattr(pieces, "FAST", 16)
    if gains == 0.0:  # nor may parts solve it before gradients do
        monkeypatch.setattr(pieces.Subdomains, "improve", lambda *_: 0.0)
    made, make = [], pieces.Pieces.make
    monkeypatch.setattr(pieces.Pieces, "make", lambda those, *more: (made.append(more), make(those, *more))[1])
    found = [solve(problem, law, tol=1e-6, threads=threads) for threads in (1, 2)]
    assert np.array_equal(found[0].multipliers, found[1].multipliers)
    assert found[0].converged
    stages = {stage.method: stage.iterations for stage in found[0].stages}
    if law == "ncp":
        assert not made
        return
    assert made[: len(made) // 2] == made[len(made) // 2 :] == [(16, 1.0, True)] * (len(made) // 2)
    if gains == 0.0:
        assert len(made) == 2 * 3
        assert law == "frictionless" or stages["apgd"] > 0
    else:
        assert len(made) > 2 * 3
    assert np.allclose(found[0].velocity, usual.velocity, rtol=0.0, atol=1e-4 * np.abs(usual.velocity).max())


@pytest.mark.skipif(not COMPILED, reason="hundreds of sweeps: compiled only")
@pytest.mark.parametrize("gains", [pieces.GAINS, 0.0])
@pytest.mark.parametrize("limit", [10, 100, 700])
def test_sweeps_before_gradients_count(monkeypatch, limit, gains):
    """No more iterations than are allowed, with a history and without, alone and beside others, and from a start"""
    what_no_cache_holds(monkeypatch)
    monkeypatch.setattr(pieces, "GAINS", gains)
    problem = packing(500)
    alone = solve(problem, "ccp", tol=1e-14, max_iterations=limit)
    told = solve(problem, "ccp", tol=1e-14, max_iterations=limit, history=True)
    again = solve(problem, "ccp", tol=1e-14, max_iterations=limit, warm_start=alone.multipliers)
    assert alone.iterations == told.iterations <= limit
    assert again.iterations <= limit
    assert len(told.history) == told.iterations
    assert np.array_equal(alone.multipliers, told.multipliers)
    assert again.errors.natural_map <= alone.errors.natural_map
    two, found = by_factors([problem, packing(500, 1)]), []
    for threads in (1, 2):
        found.append(solve(two, "ccp", tol=1e-14, max_iterations=limit, threads=threads))
        assert found[-1].iterations <= limit
    assert np.array_equal(found[0].multipliers, found[1].multipliers)


@pytest.mark.parametrize("sweeps", [with_momentum, over_relaxed])
def test_sweeps_end_where_they_take_longer_than_what_follows(monkeypatch, sweeps):
    problem = packing(12)
    for length in ("FAST", "FIRST"):
        monkeypatch.setattr(pieces, length, 4)
    island = island_of(problem, 1000)
    sweeps(island, 1e-12, 3)
    assert sum(island.spent[name][0] for name in ("pgs", "psor") if name in island.spent) == 3
    promising, start = island_of(problem, 1000), island_of(problem, 1000)
    sweeps(promising, 0.5 * promising.error, 100)
    assert 0 < promising.iterations <= 100
    assert promising.error <= 0.5 * start.error


def test_over_relaxed_sweeps_that_promise_too_little_end_after_two_pieces(monkeypatch):
    monkeypatch.setattr(pieces, "FIRST", 4)
    monkeypatch.setattr(pieces.Subdomains, "improve", lambda *_: 0.0)
    island = island_of(packing(12), 1000)
    over_relaxed(island, 1e-300, 20)  # hundreds of digits are missing
    assert island.iterations == 4 + 6


def test_sweeps_that_begin_anew_leave_what_was_better():
    island = island_of(packing(12), 1000)
    with_momentum(island, 1e-6, 400)
    x, u, error = island.x.copy(), island.u.copy(), island.error
    over_relaxed(island, 1e-9, 2)
    assert island.error == error <= 1e-6
    assert np.array_equal(island.x, x)
    assert np.array_equal(island.u, u)


def pieces_made(monkeypatch, errors, shares):
    """Which pieces of sweeps are made, where their errors and the shares of these in parts are given"""
    made, shares, errors = [], iter(shares), iter(errors)
    island = island_of(packing(12), 10**6)

    def make(self, count, relaxation, momentum):
        assert relaxation == 1.0
        made.append((count, momentum))
        island.error = min(island.error, next(errors, 0.0))
        return count

    monkeypatch.setattr(pieces.Pieces, "make", make)
    monkeypatch.setattr(pieces.Subdomains, "improve", lambda *_: next(shares, 0.0))
    with_momentum(island, 1e-6, 10**6)
    return ["fast" if momentum else "slow" for _, momentum in made]


def test_momentum_that_circles_hold_up_waits_until_most_of_the_error_is_elsewhere(monkeypatch):
    errors, shares = (1e-2, 1e-2, 9e-3, 8e-3, 1e-3), (0.0, 0.9, 0.8, 0.2, 0.9)
    assert pieces_made(monkeypatch, errors, shares) == ["fast", "fast", "slow", "slow", "fast", "fast"]


def test_momentum_that_is_held_up_anywhere_has_three_pieces(monkeypatch):
    assert pieces_made(monkeypatch, [1e-2] * 4, [0.1] * 4) == ["fast", "fast", "fast", "fast", "slow"]


def test_momentum_comes_back_later_each_time_that_it_fails(monkeypatch):
    """While errors sink but stay in parts: after 8 plain pieces, then after 16"""
    errors = (1e-1, 1e-1, *np.geomspace(9e-2, 5e-2, 8), 5e-2, *np.geomspace(4e-2, 1e-2, 16))
    kinds = pieces_made(monkeypatch, errors, [0.9] * len(errors))
    assert kinds == ["fast"] * 2 + ["slow"] * 8 + ["fast"] + ["slow"] * 16 + ["fast"]


def after_sweeps(problem, count, momentum, form):
    """The last pair of so many plain sweeps of the whole problem from nothing, and the velocities of its multipliers."""
    P, _ = prepare(problem.assembled() if form == "matrix" else problem, False)
    x, u, memory = np.zeros(problem.size), P.b.copy(), make_memory(problem.size, 1, np.zeros(0), 0, 1.0)
    memory.states[0, MOMENTUM] = momentum
    run_psor(P, 1, x, u, 0.0, count, memory, 0, 1)
    last = memory.work[BEST_X, : len(x)].copy()
    return last, memory.work[BEST_U, : len(x)].copy(), velocity(prepare(problem.assembled(), False)[0], last)


@pytest.mark.parametrize("form", ["matrix", "factors"])
def test_the_velocities_of_sweeps_with_momentum_are_those_of_their_multipliers(form):
    problem = packing(20)
    plain, with_momentum = after_sweeps(problem, 2, 0, form), after_sweeps(problem, 2, 1, form)
    assert np.array_equal(plain[0], with_momentum[0])  # no way lies behind the first two
    for count in (3, 7, 31):
        x, u, expected = after_sweeps(problem, count, 1, form)
        assert not np.array_equal(x, after_sweeps(problem, count, 0, form)[0])
        assert np.allclose(u, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="thousands of iterations: compiled only")
@pytest.mark.parametrize("seed", [0, 2])
def test_with_momentum_a_fourth_of_the_sweeps_does(seed):
    """Under the convex law, whose plain sweeps converge always"""
    used = []
    for momentum in (False, True):
        island = island_of(packing(60, seed), 10000)
        island.law = 0
        error = island.sweeps(1e-6, 10000, island.x.copy(), island.u.copy(), momentum=momentum)
        assert error <= 1e-6
        used.append(island.iterations)
    assert used[1] <= 0.25 * used[0]


@pytest.mark.parametrize("sweeps", [with_momentum, over_relaxed])
def test_what_is_decided_knows_no_tolerance_above_the_reference(sweeps):
    """Sweeps to a loose tolerance go the same way as those to a tight one, and stop earlier"""
    problem, ways = packing(12), []
    for tol in (1e-1, 1e-3, 1e-6):
        island = island_of(problem, 1000)
        sweeps(island, tol, 400)
        ways.append((island.iterations, island.error))
    assert sorted(ways, key=lambda way: way[0]) == ways
    assert sorted(ways, key=lambda way: -way[1]) == ways


def test_a_part_is_the_whole_with_all_others_held():
    """What the velocities of some contacts are, from their own multipliers and from all, with another change of theirs"""
    rng, island = np.random.default_rng(5), island_of(packing(30), 100)
    x = rng.normal(size=len(island.x))
    u = island.velocity(x)
    blocks = np.array([0, 3, 4, 11, 29])
    part = local.Subdomain(island.P, blocks)
    Q, rows, _ = part.alone
    alone, mine, speeds = parts.alone(Q, rows, x, u)
    assert np.array_equal(mine, x[rows])
    assert np.array_equal(speeds, u[rows])
    assert np.allclose(velocity(alone, x[rows]), u[rows], rtol=0, atol=1e-13 * np.abs(u).max())
    new, both, speeds = x.copy(), x.copy(), u.copy()
    new[rows] = rng.normal(size=len(rows))
    local.change(island.P, blocks, new[rows], np.full_like(x, np.nan), both, speeds)
    assert np.array_equal(both, new)
    assert np.allclose(speeds, island.velocity(both), rtol=0, atol=1e-12 * np.abs(speeds).max())
    expected = island.velocity(new)[rows]
    assert np.allclose(velocity(alone, new[rows]), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(
    "problem", [packing(40), random_problem(3, 40).problem()], ids=["contacts", "blocks of all kinds"]
)
def test_the_matrix_of_a_part_is_the_one_of_all_in_its_rows(problem):
    P, _ = prepare(problem, separate=False)
    P = P._replace(A=assemble(P.A))
    rng, n = np.random.default_rng(1), len(P.K.start) - 1
    for count in (0, 1, n // 3, n):
        blocks = np.sort(rng.choice(n, count, replace=False))
        Q, rows = parts.part_of(P, blocks)
        assert np.array_equal(rows, [k for i in blocks for k in range(P.K.start[i], P.K.start[i + 1])])
        assert np.array_equal(to_scipy(Q.A.N).toarray(), to_scipy(P.A.N).toarray()[np.ix_(rows, rows)])
        assert np.array_equal(Q.K.friction, P.K.friction[blocks])
        assert np.array_equal(Q.K.start[-1:], [len(rows)])
        met = {int(j) for i in blocks for j in P.A.N.column[P.A.N.first[i] : P.A.N.first[i + 1]]}
        assert parts.met_by(P.A.N, blocks).tolist() == sorted(met)


@pytest.mark.slow
def test_the_contacts_with_the_error_are_found_with_their_neighbours():
    """One impulse of a solution is changed: only what touches it has an error, and two rings more are taken"""
    island = island_of(packing(60), 4000)
    automatic.improve(island, 1e-10)
    x = island.x.copy()
    faulty = int(np.argmax(x[::3]))
    x[3 * faulty] *= 1.0 + 1e-3
    N = island.P.A.N
    touching = np.zeros((60, 60), bool)
    touching[np.repeat(np.arange(60), np.diff(N.first)), N.column] = True
    near = np.linalg.matrix_power(touching.astype(np.int64), 3)[faulty] > 0
    domains = local.Subdomains(island)
    domains.extend(parts.errors_of(island.P, 1, x, island.velocity(x)), 60, local.AROUND[:1])
    (part,) = domains.parts
    blocks = part.blocks
    assert faulty in blocks
    assert near[blocks].all()


@pytest.mark.slow
def test_newtons_method_nearby_ends_what_sweeps_leave():
    """From a solution with a fault in few places; all others are held, and the best pair is never worse"""
    island = island_of(packing(60), 4000)
    automatic.improve(island, 1e-10)
    x = island.x.copy()
    faulty = 3 * int(np.argmax(x[::3]))
    x[faulty : faulty + 3] *= 1.0 + 1e-3
    u = island.velocity(x)
    before = evaluate_all(island.P, island.zero, x, u, 1, island.work)
    local.Subdomains(island).improve(x, u)
    after = evaluate_all(island.P, island.zero, x, u, 1, island.work)
    assert island.error <= 1e-10
    assert after <= 0.1 * before
    assert np.allclose(u, island.velocity(x), rtol=0, atol=1e-14 * max(1.0, np.abs(u).max()))


@given(st.integers(2, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_parts_do_not_act_on_one_another(count, seed):
    """Each contact is in one part, and those of two parts have no block of N in common"""
    island = island_of(packing(40), 10)
    blocks = np.sort(np.random.default_rng(seed).choice(40, count, replace=False))
    found, N = parts.apart(island.P.A.N, blocks), island.P.A.N
    assert np.array_equal(np.sort(np.concatenate(found)), blocks)
    where = np.full(40, -1)
    for number, part in enumerate(found):
        where[part] = number
    row = np.repeat(np.arange(40), np.diff(N.first))
    both = (where[row] >= 0) & (where[N.column] >= 0)
    assert np.array_equal(where[row][both], where[N.column][both])
    for part in found:  # and none could be divided
        assert len(parts.apart(N, part)) == 1


@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_parts_at_once_do_not_act_on_one_another_and_others_keep_their_order(count, seed):
    """Whatever overlaps; what comes of them is what comes of one after the other"""
    island, rng = island_of(packing(40), 10), np.random.default_rng(seed)
    domains, N = local.Subdomains(island), island.P.A.N
    meets = np.zeros((40, 40), bool)
    meets[np.repeat(np.arange(40), np.diff(N.first)), N.column] = True
    several = [
        local.Subdomain(island.P, np.sort(rng.choice(40, rng.integers(1, 4), replace=False))) for _ in range(count)
    ]
    rounds = list(domains.side_by_side(several))
    assert sorted(map(id, itertools.chain(*rounds))) == sorted(map(id, several))
    number = {id(part): k for k, at_once in enumerate(rounds) for part in at_once}
    for one, two in itertools.combinations(several, 2):
        if meets[np.ix_(one.blocks, two.blocks)].any():
            assert number[id(one)] < number[id(two)]


class Sized:
    """A part of so many contacts, which finds their number"""

    def __init__(self, count, begun):
        self.blocks, self.begun = np.arange(count), begun

    def solve(self, *_):
        self.begun.append(len(self.blocks))
        return len(self.blocks)


def test_the_largest_part_is_begun_first_and_each_gets_what_it_found():
    """So that no thread waits long for another"""
    begun, island = [], island_of(packing(20), 10)
    several = [Sized(count, begun) for count in (3, 7, 2, 7, 5)]
    assert local.Subdomains(island).solve(several, island.x, island.u, True) == [3, 7, 2, 7, 5]
    assert begun == [7, 7, 5, 3, 2]


@pytest.mark.parametrize(("options", "rounds"), [({}, 4), ({"early": 0}, 5)])
def test_curves_follow_the_first_round_of_a_core(monkeypatch, options, rounds):
    """And the second one of a whole island, where all of them come in the end, with more factors, from the best point"""
    asked, island = [], island_of(packing(20), 1000)
    monkeypatch.setattr(coulomb.Turns, "curve", lambda turns, tol, *how, **more: asked.append((*how, *more)))
    for owner, names in ((coulomb.Turns, ("first_order", "shifts")), (Island, ("newton_if_near", "sweeps"))):
        for name in names:
            monkeypatch.setattr(owner, name, lambda *_: None)
    monkeypatch.setattr(coulomb.HeldShifts, "advance", lambda *_: 0)
    coulomb.take_turns(island, 0.0, **options)
    count = rounds * coulomb.CURVES
    assert asked[:count] == [(k, coulomb.FACTORS * 2 ** (k // 4)) for k in range(count)]
    assert asked[count:] == ([] if options else [(k, coulomb.LONGER, "afresh") for k in range(4)])


@pytest.mark.parametrize(("limit", "kept"), [(10**6, coulomb.KEPT[0]), (1000, coulomb.KEPT[1] * 1000)])
def test_iterations_are_kept_for_curves(limit, kept):
    """Where there are any: methods of first order leave them, and the splitting too"""
    island = island_of(packing(20), limit)
    turns = coulomb.Turns(island)
    assert turns.kept == kept
    island.limit = island.iterations + turns.kept + 5
    for method in ("pgs", "psor", "admm"):
        turns.first_order(method, 1e-300, 1.0)
    assert island.rest == turns.kept


@pytest.mark.parametrize(("ended", "better", "afresh", "anew"), [
    (False, True, False, False), (False, True, True, True), (True, True, False, True),
    (True, False, True, False), (False, False, True, False),
])  # fmt: skip
def test_a_curve_begins_anew_where_there_is_a_better_point(ended, better, afresh, anew, monkeypatch):
    """And where the old one ended, or all are to begin afresh"""
    made, island = [], island_of(packing(20), 1000)

    class Made:
        def __init__(self, island, attempt):
            self.error, self.ended = island.error, ended
            made.append(attempt)

        def advance(self, tol, factors):
            return None

    monkeypatch.setattr(coulomb, "Curve", Made)
    turns = coulomb.Turns(island)
    turns.curve(1e-300, 1, 10)
    island.error *= 0.99 if better else 1.0
    turns.curve(1e-300, 5, 10, afresh=afresh)  # of the same number
    assert made == [coulomb.ATTEMPTS[1]] * (2 if anew else 1)


def test_threads_share_the_matrix_of_many_contacts(monkeypatch):
    """As many as there are cores, at most, and none for fewer contacts; it is the same, bit for bit"""
    problem, shared, matrices = packing(250), [], []

    def assembled(operator, threads=1):
        shared.append(threads)
        return assemble(operator, threads)

    monkeypatch.setattr(preparation, "assemble", assembled)
    monkeypatch.setattr(preparation, "available_cores", lambda: 3)
    for large in (251, 250):
        monkeypatch.setattr(sharing, "LARGE", large)
        for threads in (1, 2, 8):
            matrices.append(Solver(problem, "ncp", threads=threads)._ready.P.A.N)
    assert shared == [1, 1, 1, 1, 2, 3]
    for N in matrices[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(matrices[0], N, strict=True))


@pytest.mark.slow
def test_parts_are_solved_alike_by_any_number_of_threads(monkeypatch):
    """Two faults that are far apart, and one thread or two"""
    island, solve_parts = island_of(packing(60), 4000), local.Subdomains.solve
    automatic.improve(island, 1e-10)
    force, inside, found, at_once = island.x[::3], np.zeros(60, bool), [], []
    faults = [int(np.argmax(force))]
    inside[faults] = True
    for _ in range(3):
        inside = parts.around(island.P.A.N, inside)
    faults.append(int(np.argmax(np.where(inside, 0.0, force))))
    monkeypatch.setattr(local, "AROUND", ((0.999, 0),))
    monkeypatch.setattr(
        local.Subdomains,
        "solve",
        lambda domains, few, *more: at_once.append(len(few)) or solve_parts(domains, few, *more),
    )
    for threads in (1, 2):
        x = island.x.copy()
        for faulty in faults:
            x[3 * faulty : 3 * faulty + 3] *= 1.0 + 1e-3 * force.max() / force[faulty]
        u, island.threads = island.velocity(x), threads
        local.Subdomains(island).improve(x, u)
        found.append((x, u))
    assert at_once == [2, 2]
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])
    assert not np.array_equal(found[0][0], island.x)


def unsolved(monkeypatch, held_up):
    """A solution with a fault where no method gets anywhere: its part afterwards, and which methods were tried"""
    island, tried = island_of(packing(60), 4000), []
    automatic.improve(island, 1e-6)
    x = island.x.copy()
    faulty = 3 * int(np.argmax(x[::3]))
    x[faulty : faulty + 3] *= 1.5
    domains, start = local.Subdomains(island), x.copy()
    domains.extend(parts.errors_of(island.P, 1, x, island.velocity(x)), 60, local.AROUND[:1])
    before = [part.blocks for part in domains.parts]
    monkeypatch.setattr(Island, "newton", lambda island, tol, most, **_: tried.append(most))
    monkeypatch.setattr(cores, "take_turns", lambda island, tol, early: tried.append(f"turns, {early}"))
    monkeypatch.setattr(cores, "ROUNDS", 0)
    domains.improve(x, island.velocity(x), held_up)
    assert np.array_equal(x, start)
    return before, domains.parts, tried


@pytest.mark.slow
def test_a_part_that_nothing_solves_gets_its_neighbours(monkeypatch):
    """And is left alone for a while; curves were among what was tried first"""
    (before,), (part,), tried = unsolved(monkeypatch, True)
    assert tried == [cores.STEPS, "turns, 0"]
    assert part.failed == 1
    assert set(before) < set(part.blocks)
    assert not part.is_due()


@pytest.mark.slow
def test_while_sweeps_get_nearer_a_part_costs_few_steps(monkeypatch):
    (before,), (part,), tried = unsolved(monkeypatch, False)
    assert tried == [local.QUICK]
    assert part.failed == 0
    assert np.array_equal(before, part.blocks)
    assert part.is_due()


@pytest.mark.slow
@pytest.mark.parametrize("law", ["ccp", "ncp"])
def test_a_large_island_with_a_start_that_is_near_factorises_no_matrix_of_all(law, monkeypatch):
    """Of 3,000 contacts in space a factor takes longer than all sweeps: what a start saves may not be spent on it"""
    problem = packing(3000)
    found, sizes = solve(problem, law, tol=1e-6), []
    steps = Island.newton
    monkeypatch.setattr(
        Island, "newton", lambda island, *a, **k: (sizes.append(len(island.x)), steps(island, *a, **k))[1]
    )
    rng = np.random.default_rng(0)
    start = found.multipliers * (1.0 + 1e-4 * rng.normal(size=found.multipliers.shape))
    again = solve(problem, law, tol=1e-6, warm_start=start)
    assert again.converged
    assert max(sizes, default=0) < problem.size
    assert again.iterations < found.iterations / 3


@given(st.floats(0.05, 0.99), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_those_with_most_of_the_error_are_the_fewest_that_have_it(share, seed):
    error = np.random.default_rng(seed).uniform(size=30) ** 8
    inside = parts.those_with_most(error, share)
    assert error[inside].sum() >= share * error.sum() * (1.0 - 1e-12)
    assert error[inside].sum() - error[inside].min() < share * error.sum()
    assert error[inside].min() >= error[~inside].max(initial=0.0)


def held_up_by(monkeypatch, faults, most=60):
    """Parts around faults in a solution, after a piece of sweeps that left the error as it was and nothing solved"""
    island = island_of(packing(60), 4000)
    automatic.improve(island, 1e-10)
    x = island.x.copy()
    for faulty in np.argsort(x[::3])[list(faults)]:
        x[3 * faulty : 3 * faulty + 3] *= 1.0 + 1e-3
    u, domains = island.velocity(x), local.Subdomains(island)
    domains.most = most
    monkeypatch.setattr(local, "AROUND", ((0.9, 0),))
    monkeypatch.setattr(Island, "newton", lambda *_, **__: None)
    assert domains.improve(x, u, False) == 0.0  # none lay in parts
    before = [part.blocks for part in domains.parts]
    assert domains.improve(x, u, False) > 0.5
    return island.P.A.N, before, [part.blocks for part in domains.parts]


@pytest.mark.slow
def test_parts_that_hold_up_the_rest_get_a_ring_and_those_that_meet_are_one(monkeypatch):
    N, before, after = held_up_by(monkeypatch, (-1,))
    inside, rings = np.zeros(60, bool), np.zeros(60, bool)
    inside[np.concatenate(before)] = True
    rings[np.concatenate(after)] = True
    assert len(after) <= len(before)
    assert np.array_equal(rings | parts.around(N, inside), parts.around(N, inside))
    assert rings.sum() > inside.sum()
    apart = [np.intersect1d(a, b).size for a, b in itertools.combinations(after, 2)]
    assert not any(apart)


@pytest.mark.slow
def test_parts_do_not_grow_beyond_what_pays(monkeypatch):
    _, before, after = held_up_by(monkeypatch, (-1,), 0)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_a_core_is_the_first_that_is_much_smaller_than_its_part():
    """With a ring around most of the error, or around half of it, or half of it alone; none where that is too many"""
    island, rng = island_of(packing(60), 10), np.random.default_rng(4)
    found = []
    for power in (1000, 40, 6, 2, 0):
        error = rng.uniform(size=60) ** power
        tries = [
            np.flatnonzero(parts.around(island.P.A.N, parts.those_with_most(error, share), rings))
            for share, rings in cores.AROUND
        ]
        small = [k for k, blocks in enumerate(tries) if len(blocks) <= 30]
        core = cores.core_of(island, error)
        assert np.array_equal(core, tries[small[0]] if small else [])
        found.append(small[0] if small else None)
    assert found[0] == 0
    assert len(set(found)) > 2
    error = np.ones(60)
    error[0] = 61.0  # half of it is in one place
    assert np.array_equal(cores.core_of(island, error), np.flatnonzero(parts.around(island.P.A.N, np.arange(60) < 1)))


def with_a_fault(monkeypatch, newton):
    """A solution of 60 contacts with a fault in one place, by its cores: before, after, what was called on how many contacts

    Args:
        newton: Newton's method itself, as it is to go, with the number of contacts.
    """
    island, called, method = island_of(packing(60), 4000), [], Island.newton
    automatic.improve(island, 1e-10)
    faulty = 3 * int(np.argmax(island.x[::3]))
    island.x[faulty : faulty + 3] *= 1.0 + 1e-3
    part = Island(island.P, 1, island.x, island.velocity(island.x), np.zeros(0), 10**6)
    part.take(part.x.copy(), part.u.copy())
    before = part.error

    def contacts(part):
        return len(part.P.K.start) - 1

    def counted(part, *args, **more):
        called.append(contacts(part))
        if newton(contacts(part)):
            method(part, *args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Island, "newton", counted)
        patch.setattr(cores, "take_turns", lambda part, tol, early: called.append(-contacts(part)))
        cores.solve_by_cores(part, 1e-2 * before, 0.5 * before, 0)
    return before, part, called


@pytest.mark.slow
def test_a_part_that_newtons_method_leaves_is_solved_by_its_core(monkeypatch):
    """What few contacts miss is found with the others held; then Newton's method begins with all, and needs nothing else"""
    before, part, called = with_a_fault(monkeypatch, lambda contacts: True)
    assert called[0] <= cores.SMALLER * 60
    assert called[1:] == [60]
    assert part.error <= cores.HELPS * before
    assert part.spent["newton"][0] > 0
    assert part.iterations == sum(spent[0] for spent in part.spent.values())


@pytest.mark.slow
def test_what_a_core_found_is_where_its_part_goes_on(monkeypatch):
    """Where the fault is in the core, and nothing else is done, that is all of it but what the others answer"""
    monkeypatch.setattr(cores, "SWEEPS", 0)
    before, part, called = with_a_fault(monkeypatch, lambda contacts: contacts < 60)
    assert called[0] < 60 == called[1]
    assert part.error <= 0.1 * before


@pytest.mark.slow
def test_where_cores_do_not_help_all_of_a_part_is_a_hard_problem(monkeypatch):
    """And so are cores themselves, and theirs"""
    before, part, called = with_a_fault(monkeypatch, lambda contacts: False)
    assert part.error == before
    hard = [-contacts for contacts in called if contacts < 0]
    assert hard[-1] == 60
    assert hard == sorted(hard)
    assert len(hard) <= cores.DEPTH + 1
    assert hard[0] < 60
    monkeypatch.setattr(cores, "HARD", 59)
    _, _, called = with_a_fault(monkeypatch, lambda contacts: False)
    assert [-contacts for contacts in called if contacts < 0] == hard[:-1]


@pytest.mark.slow
def test_parts_that_would_be_too_large_are_sought_closer_around_the_error():
    """Fewer rings, then fewer contacts in the middle; and with the first ones where these fit"""
    island, rng = island_of(packing(60), 10), np.random.default_rng(3)
    error = rng.uniform(size=60) ** 12
    sizes = []
    for most in (60, 20, 5):
        domains = local.Subdomains(island)
        domains.extend(error, most, local.AROUND)
        found = [len(part.blocks) for part in domains.parts]
        assert max(found) <= most
        assert error[domains.covered].sum() > local.REACHED * error.sum()
        sizes.append(sum(found))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0]
    domains = local.Subdomains(island)
    domains.extend(error, 0, local.AROUND)
    assert not domains.parts


def test_iterations_of_parts_count_by_their_share_of_all():
    island = island_of(packing(60), 1000)
    Q, rows = parts.part_of(island.P, np.arange(6))
    part = Island(Q, 1, np.zeros(len(rows)), np.zeros(len(rows)), np.zeros(0), 9)
    part.spent = {"newton": [41, 0.1, 0.0], "psor": [1, 0.1, 0.0]}
    island.note_part(part)
    assert {method: spent[0] for method, spent in island.spent.items()} == {"newton": 5, "psor": 1}  # 4.1 and 0.1
    assert island.iterations == 6


def test_over_relaxed_sweeps_of_large_islands_leave_iterations_to_what_follows(monkeypatch):
    """Where something does, which takes long for each contact; and are not given up before"""
    asked = []
    monkeypatch.setattr(pieces, "with_momentum", lambda *_: None)
    monkeypatch.setattr(
        pieces, "over_relaxed", lambda island, tol, x, most, more, to_the_end: asked.append((most, more, to_the_end))
    )
    for sweeping, limit, dear in ((None, 1000, 10.0), (1, 10**6, 10.0), (1, 100, 1000.0), (1, 100, 10**6)):
        island = island_of(packing(12), limit)
        island.sweeping = sweeping
        pieces.sweep_in_pieces(island, 1e-6, 40000.0, 10.0, lambda dear=dear: dear)
    large = pieces.PATIENT * pieces.CHEAPER
    longer = 10.0 * large * pieces.LONGER
    assert asked == [(10.0, 0, False), (10.0 * large, longer, True), (50.0, 0, True), (100, 0, True)]


def test_sweeps_beside_the_limit_leave_what_follows_all_of_it(monkeypatch):
    """As many as were made; small islands have none"""
    asked = []

    def over_relaxed(island, tol, x, most, more, to_the_end):
        asked.append((most, more))
        island.iterations += 30

    monkeypatch.setattr(pieces, "with_momentum", lambda *_: None)
    monkeypatch.setattr(pieces, "over_relaxed", over_relaxed)
    for sweeping, spare, left in ((None, 300, 70), (1, 300, 100), (1, 10**4, 100), (1, 10, 80)):
        island = island_of(packing(12), 100)
        island.sweeping, island.spare = sweeping, spare
        pieces.sweep_in_pieces(island, 1e-6, 40000.0, 10.0, lambda: 1000.0)
        assert island.rest == left
    assert asked == [(1000.0, 0), (50.0, 300), (50.0, 50.0 * pieces.LONGER), (50.0, 10)]


@pytest.mark.parametrize(("error", "pieces_made"), [(1.01 * pieces.NEARLY, 10), (pieces.NEARLY, 35)])
def test_more_sweeps_are_made_where_they_came_near(error, pieces_made, monkeypatch):
    island, made = island_of(packing(12), 10**9), []
    monkeypatch.setattr(pieces, "LARGEST", pieces.FIRST)
    monkeypatch.setattr(pieces, "IDLE", 40)
    monkeypatch.setattr(pieces.Subdomains, "improve", lambda *_: 0.0)

    def make(self, count, *_):
        made.append(count)
        self.island.error = error
        self.left -= count
        return count

    monkeypatch.setattr(pieces.Pieces, "make", make)
    pieces.over_relaxed(island, 1e-6, island.zero, 10.0 * pieces.FIRST, 25.0 * pieces.FIRST, True)
    assert len(made) == pieces_made


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize(("asked", "spare"), [(None, METHODS["auto"].spare), (100000, 0)])
def test_who_says_how_many_iterations_gets_no_more(asked, spare, history, monkeypatch):
    """And where the error is kept, there is place for all"""
    given = []

    def improve(island, tol):
        given.append(island.spare)
        assert len(island.record) >= (island.rest + island.spare if history else 0)

    monkeypatch.setattr(automatic, "run_improve", on_islands(improve))
    solve(packing(30), "ncp", max_iterations=asked, tol=1e-300, history=history, separate=False)
    assert given == [spare]


def test_over_relaxed_sweeps_end_where_nothing_gets_nearer(monkeypatch):
    """To their end too: what rounding leaves is as near as they come"""
    island, made = island_of(packing(12), 10**9), []
    monkeypatch.setattr(pieces.Pieces, "make", lambda self, count, *_: made.append(count) or 1)
    monkeypatch.setattr(pieces.Subdomains, "improve", lambda *_: 0.0)
    pieces.over_relaxed(island, 1e-300, island.zero, 1e6, 0.0, True)
    assert len(made) == pieces.IDLE


@pytest.mark.parametrize(("share", "grows"), [(0.5, True), (1.0, False)])
def test_over_relaxed_pieces_stay_short_while_the_error_lies_in_parts(share, grows, monkeypatch):
    """Which are solved between them: more sweeps would only show again what these left"""
    island, made = island_of(packing(12), 10**9), []
    monkeypatch.setattr(pieces.Pieces, "make", lambda self, count, *_: made.append(count) or 1)
    monkeypatch.setattr(pieces.Subdomains, "improve", lambda *_: share)
    pieces.over_relaxed(island, 1e-300, island.zero, 1e6, 0.0, True)
    assert (made[-1] == pieces.LARGEST) is grows
    assert grows or set(made) == {pieces.FIRST}


# ---------------------------------------------------------------------------------- sweeps beside gradients that are slow


@pytest.mark.parametrize("counted", [0.0, 1e-3])
def test_what_parts_take_counts_as_sweeps_where_it_is_asked(counted, monkeypatch):
    def improve(self, *_):
        self.seconds += 5e-3
        return 0.0

    monkeypatch.setattr(pieces.Subdomains, "improve", improve)
    made = pieces.Pieces(island_of(packing(12), 1000), 1e-6, np.zeros(36), 100, counted)
    made.improve(True)
    assert made.left == 100 - (5 if counted else 0)
    made.improve(False)
    assert made.left == 100 - (10 if counted else 0)


def test_parts_count_the_steps_of_what_factorises():
    island = island_of(packing(60), 4000)
    part = island_of(packing(60), 4000)
    assert local.seconds_of(part) == 0.0
    part.spent = {"newton": [3, 0.1, 0.0], "pgs": [1000, 0.1, 0.0], "interior_point": [4, 0.1, 0.0]}
    contacts, count = len(part.P.K.start) - 1, operations(part.pattern)
    newton, interior = seconds_of_step(contacts, 2.0 * count), seconds_of_step(contacts, count)
    assert interior < newton
    assert local.seconds_of(part) == pytest.approx(3.0 * newton + 4.0 * interior, rel=1e-12)
    domains, x = local.Subdomains(island), island.x.copy()
    domains.improve(x, island.velocity(x))
    assert domains.seconds > 0.0


@pytest.mark.skipif(not COMPILED, reason="hundreds of iterations: compiled only")
@pytest.mark.parametrize(("close", "price", "goes_on"), [(0.0, 1e6, True), (np.inf, 1e6, True), (np.inf, 1e-3, False)])
def test_sweeps_come_beside_gradients_that_are_slow_where_they_are_near(close, price, goes_on, monkeypatch):
    """And gradients go on after them, where they were not left for what follows; no iteration is booked twice"""
    problem, asked = packing(500), []
    monkeypatch.setattr(automatic, "MORE", 400)
    monkeypatch.setattr(automatic, "FIRST", 32)
    monkeypatch.setattr(automatic, "CLOSE", close)
    monkeypatch.setattr(automatic, "worth", lambda *_: price)  # of what follows
    monkeypatch.setattr(automatic, "sweep_beside", lambda island, tol, most: asked.append(most))
    monkeypatch.setattr(automatic, "run_improve", lambda *_: [])
    result = solve(problem, "ccp", tol=1e-6, history=True)
    assert asked == ([min(automatic.BESIDE, automatic.PER_PRICE * price)] if close > 0.0 else [])
    assert (result.iterations > 32) == goes_on
    assert result.converged == goes_on
    assert sum(stage.iterations for stage in result.stages) == result.iterations == len(result.history)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="thousands of iterations: compiled only")
def test_granular_flow_is_solved_by_sweeps_where_gradients_are_slow():
    """Without the interior point for all of it, which takes 86 steps of 0.1 s; the same bits from two threads."""
    problem = FAMILIES["flow"](5000, 1).problem
    one, two = (solve(problem, "ccp", tol=1e-6, threads=threads) for threads in (1, 2))
    assert one.converged
    spent = {stage.method: stage.iterations for stage in one.stages}
    assert 0 < spent["pgs"] <= automatic.BESIDE
    assert spent.get("interior_point", 0) < 20  # of parts, by their share of all
    np.testing.assert_array_equal(one.multipliers, two.multipliers)
