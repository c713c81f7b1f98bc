"""Large islands, whose contacts lie in lanes and whose work threads share: the same way as that of small ones, the same
bits for any number of threads.

Looks inside: the size from which islands are large is lowered, and matrices are laid out by hand.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse

from benchmarks.contact_problems import packing
from pluecker.contact import Problem, Solver, solve
from pluecker.contact.first_order import sharing
from pluecker.contact.first_order.apgd import run_apgd
from pluecker.contact.first_order.large_gradients import lay_out, run_large
from pluecker.contact.first_order.memory import ERROR, ITERATIONS, make_memory
from pluecker.contact.first_order.sharing import run_gradients
from pluecker.contact.problem.operator import to_matrix
from pluecker.contact.problem.prepared import prepare
from pluecker.contact.problem.sets import project
from pluecker.contact.solving import running
from pluecker.contact.sparse.blocks import empty_blocks, from_scipy
from pluecker.contact.sparse.interleaved import from_lanes, interleave, to_lanes
from pluecker.spatial.compiled.decorators import compiled_for, kernel
from pluecker.spatial.parallel import phases
from pluecker.spatial.parallel.interruption_flag import state
from tests.conftest import COMPILED
from tests.contact.random_friction import random_problem
from tests.contact.single_precision import in_single_precision

compiled_only = pytest.mark.skipif(not COMPILED, reason="without compilation there is one thread")
LAWS = pytest.mark.parametrize("law", [0, 1], ids=["ccp", "ncp"])
COUNT = 150 if COMPILED else 21  # no multiple of eight
EPS = np.finfo(float).eps


@pytest.fixture
def all_are_large(monkeypatch):
    monkeypatch.setattr(sharing, "WIDE", 1)
    monkeypatch.setattr(sharing, "LARGE", 1)
    monkeypatch.setattr(running, "LARGE", 1)


def without_root(problem):
    """The same with J and J M^-1 as two matrices."""
    return replace(problem, operator=problem.operator._replace(G=empty_blocks()))


def start_of(P, seed):
    """Multipliers in the cone, about as large as the offset."""
    x = np.random.default_rng(seed).normal(size=len(P.b)) * np.abs(P.b).max()
    project(P.K, x, x)
    return x


def run(method, P, law, x, limit, tol=1e-300, nesterov=False, **named):
    """A runner of islands on a problem that is one: multipliers, velocities, results."""
    memory = make_memory(len(x), 1, np.zeros(0), nesterov=nesterov)
    x, u = x.copy(), to_matrix(P.A) @ x + P.b
    method(P, law, x, u, tol, limit, memory, 0, 1, **named)
    return x, u, memory.results[0]


KINDS = {
    "root": packing,
    "two matrices": lambda count: without_root(packing(count)),
    "soft": lambda count: packing(count).with_compliance(0.1),
    "steep": lambda count: packing(count).with_friction(3.0),
    "frictionless": lambda count: packing(count).with_friction(0.0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_velocities_are_those_of_the_matrix(kind):
    """No iteration: the multipliers that are there, in lanes and back"""
    P, _ = prepare(KINDS[kind](COUNT), False)
    x, N = start_of(P, 1), to_matrix(P.A)
    memory = make_memory(len(x), 1, np.zeros(0))
    found, u = x.copy(), np.zeros(len(x))
    run_large(P, 0, found, u, 1e-300, 0, memory, 0, lay_out(P, 0), 1)
    # Each number is a sum over the contacts of two bodies, six velocities each, all with some roundings.
    size = abs(N) @ abs(x) + abs(P.b)
    assert np.allclose(found, x, rtol=4 * EPS, atol=0.0)
    assert (abs(u - (N @ x + P.b)) <= 200 * EPS * size.max()).all()


@LAWS
@pytest.mark.parametrize("kind", KINDS)
def test_iterates_are_those_of_small_islands(law, kind, all_are_large):
    """So many iterations that rounding has not grown much"""
    P = in_single_precision(prepare(KINDS[kind](COUNT), False)[0])
    for start in (np.zeros(len(P.b)), start_of(P, 2)):
        for limit in (1, 5, 20):
            x, u, results = run(run_apgd, P, law, start, limit)
            mine, v, same = run(run_gradients, P, law, start, limit)
            assert results[ITERATIONS] == same[ITERATIONS]
            assert results[ERROR] == pytest.approx(same[ERROR], rel=1e-8)
            assert np.allclose(mine, x, rtol=0, atol=1e-9 * np.abs(x).max())
            assert np.allclose(v, u, rtol=0, atol=1e-9 * np.abs(u).max())


@LAWS
def test_a_tolerance_is_reached_after_as_many_iterations_as_on_small_islands(law, all_are_large):
    P = in_single_precision(prepare(packing(COUNT).with_compliance(0.1), False)[0])
    zero, tol = np.zeros(len(P.b)), 1e-2
    _, _, results = run(run_apgd, P, law, zero, 500, tol)
    _, _, same = run(run_gradients, P, law, zero, 500, tol)
    assert results[ITERATIONS] == same[ITERATIONS] < 500
    assert results[ERROR] == pytest.approx(same[ERROR], rel=1e-6)
    assert same[ERROR] <= tol


def test_the_published_momentum_is_that_of_small_islands(all_are_large):
    P = in_single_precision(prepare(packing(COUNT), False)[0])
    zero = np.zeros(len(P.b))
    x, _, _ = run(run_apgd, P, 0, zero, 15, nesterov=True)
    mine, _, _ = run(run_gradients, P, 0, zero, 15, nesterov=True)
    other, _, _ = run(run_gradients, P, 0, zero, 15)
    assert np.allclose(mine, x, rtol=0, atol=1e-10 * np.abs(x).max())
    assert not np.allclose(other, x, rtol=0, atol=1e-3 * np.abs(x).max())


def test_the_convex_problem_has_the_multipliers_that_another_solver_finds(all_are_large):
    """With a compliance they are unique"""
    pytest.importorskip("clarabel")
    problem, tol, theirs = packing(COUNT).with_compliance(0.1), 1e-8 if COMPILED else 1e-4, 1e-8
    found, expected = solve(problem, "ccp", "apgd", tol=tol), solve(problem, "ccp", "clarabel", tol=theirs)
    assert found.converged, str(found)
    assert expected.converged, str(expected)
    P, places = prepare(problem, False)
    x, y = found.multipliers[places] / P.s, expected.multipliers[places] / P.s
    # |x - x*| is at most (1 + |N|) |N^-1| times the natural map of x, which is relative to the largest of these.
    N = to_matrix(P.A).toarray()
    values = np.linalg.eigvalsh(N)
    scale = max(np.linalg.norm(z) for z in (P.b, x, y, N @ x + P.b, N @ y + P.b))
    assert np.linalg.norm(x - y) <= (1.0 + values[-1]) / values[0] * (tol + theirs) * scale
    assert np.linalg.norm(x - y) <= 0.1 * np.linalg.norm(y)  # which says something


def test_the_history_is_the_best_error_after_each_iteration(all_are_large):
    for law in ("ccp", "ncp"):
        result = solve(packing(COUNT), law, "apgd", tol=1e-300, max_iterations=12, history=True, separate=False)
        error = result.history[:, 1]
        assert len(error) == 12
        assert (np.diff(error) <= 0.0).all()
        assert error[-1] == pytest.approx(result.errors.largest, rel=1e-6)


def test_a_start_that_is_a_solution_is_given_back(all_are_large):
    problem = packing(COUNT)
    first = solve(problem, "ccp", "apgd", tol=1e-2, separate=False)
    assert first.converged
    again = solve(problem, "ccp", "apgd", tol=1e-3, warm_start=first.multipliers, separate=False, max_iterations=1)
    assert again.errors.largest <= first.errors.largest


# --------------------------------------------------------------------------------------------------------------- threads


@compiled_only
@pytest.mark.parametrize("law", ["ccp", "ncp", "frictionless"])
@pytest.mark.parametrize("method", ["apgd", "auto"])
def test_bits_do_not_depend_on_the_number_of_threads(law, method, all_are_large):
    """Some islands of a few contacts are beside the large one"""
    problem = packing(1200)
    found = [solve(problem, law, method, tol=1e-5, max_iterations=150, threads=k) for k in (1, 2, 3, None)]
    for other in found[1:]:
        assert np.array_equal(found[0].multipliers, other.multipliers)
        assert found[0].iterations == other.iterations


@compiled_only
def test_callers_in_several_threads_share_one_solver(all_are_large):
    """Who finds the board taken works alone"""
    solver = Solver(packing(600), "ccp", "apgd", tol=1e-300, max_iterations=60, threads=2)
    first = solver.solve()
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: solver.solve(), range(12)):
            assert np.array_equal(first.multipliers, result.multipliers)


@kernel
def next_blocks(roster, k):
    """Of the own share, of others, of the last one"""
    phase = phases.phase_of(roster, k)
    first, end = phases.own_blocks(roster, phase, k)
    return (first, end) if first < end else phases.other_blocks(roster, phase, k)


@compiled_only
def test_each_block_of_a_phase_is_taken_once():
    from numba import types

    from pluecker.spatial.memory.views import view

    def take(roster, blocks, more):
        phases.begin_phase(view(roster), blocks)
        total, (first, end) = 0, next_blocks(view(roster), 0)
        while first < end:
            for block in range(first, end):
                total = 10 * total + block + 1
            phases.finish_blocks(view(roster), 0, end - first)
            first, end = next_blocks(view(roster), 0)
        phases.await_blocks(view(roster))
        if not more:
            phases.dismiss(view(roster))
        return total if phases.is_over(view(roster)) != more else -1

    roster = phases.make_roster(1)
    compiled = compiled_for(take, (types.int64[::1], types.intp, types.boolean))
    assert [compiled(roster, blocks, True) for blocks in (3, 0, 1, 5)] == [123, 0, 1, 12345]
    assert compiled(roster, 2, False) == 12


@pytest.fixture
def taker():
    """Begins a phase with shares where they are given, or takes blocks."""
    from numba import types

    from pluecker.spatial.memory.views import view

    def take(roster, thread, starts):
        if len(starts) > 0:
            phases.begin_shares(view(roster), view(starts))
            return 0
        first, end = next_blocks(view(roster), thread)
        return first * 10000 + end

    compiled = compiled_for(take, (types.int64[::1], types.intp, types.int64[::1]))
    none = np.zeros(0, np.int64)
    return SimpleNamespace(
        begin=lambda roster, starts: compiled(roster, 0, np.array(starts)),
        take=lambda roster, thread: divmod(compiled(roster, thread, none), 10000),
    )


@compiled_only
@pytest.mark.parametrize("blocks", [0, 1, 2, 3, 7, 100, 1000])
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_threads_begin_with_their_shares_and_leave_no_block(threads, blocks, taker):
    """Also those whose threads do not come, whatever the shares are; the last one's come last"""
    roster, rng = phases.make_roster(threads), np.random.default_rng(blocks)
    for _ in range(4):
        starts = [0, *np.sort(rng.integers(0, blocks + 1, threads)).tolist(), blocks]
        taker.begin(roster, starts)
        taken, begun, present = [], set(), rng.permutation(threads)[: rng.integers(1, threads + 1)]
        first, end = taker.take(roster, 0)
        taken += range(first, end)
        begun.add(0)
        while first < end or len(begun) < len(present):
            thread = int(rng.choice(present))
            first, end = taker.take(roster, thread)
            if thread not in begun and first < end:
                own = range(starts[thread], starts[thread + 1])
                assert first in own or not set(own) - set(taken)
            begun.add(thread)
            taken += range(first, end)
        assert sorted(taken) == list(range(blocks))
        assert taken[starts[threads] :] == list(range(starts[threads], blocks))


@compiled_only
def test_nobody_takes_from_others_before_it_has_its_own_share(taker):
    """While a phase is handed out: nothing of the last one either, for which it might have to wait"""
    roster = phases.make_roster(2)
    taker.begin(roster, [0, 0, 0, 0])
    mine = phases.OWN + 2 * phases.LINE + phases.SHARE
    before = roster[mine]
    taker.begin(roster, [0, 5, 10, 12])
    handed_out, roster[mine] = roster[mine], before
    assert taker.take(roster, 1) == (0, 0)
    roster[mine] = handed_out
    assert taker.take(roster, 1) == (5, 6)
    before = roster.copy()
    taker.begin(roster, [0, 10, 10, 12])
    roster[phases.OWN], roster[phases.OWN + 4 * phases.LINE] = before[phases.OWN], before[phases.OWN + 4 * phases.LINE]
    assert taker.take(roster, 1) == (0, 0)  # its own share is there, and empty; others are not yet


@compiled_only
def test_equal_shares_are_those_of_equal_numbers(taker):
    from numba import types

    from pluecker.spatial.memory.views import view

    def begin(roster, blocks):
        phases.begin_phase(view(roster), blocks)

    begin_phase = compiled_for(begin, (types.int64[::1], types.intp))
    for threads in (1, 2, 5):
        for blocks in (0, 1, 4, 23):
            one, other = phases.make_roster(threads), phases.make_roster(threads)
            begin_phase(one, blocks)
            taker.begin(other, [*(k * blocks // threads for k in range(threads + 1)), blocks])
            assert np.array_equal(one, other)


def test_an_interruption_ends_the_iterations(all_are_large):
    P, _ = prepare(packing(21), False)
    state[0] = 1
    try:
        x, _, results = run(run_gradients, P, 0, np.zeros(len(P.b)), 1000)
    finally:
        state[0] = 0
    assert results[ITERATIONS] == 0
    assert not x.any()


# ---------------------------------------------------------------------------------------------------------------- layout


@pytest.mark.parametrize("n", [1, 7, 8, 9, 40])
def test_lanes_are_taken_back_as_they_were(n):
    numbers = np.random.default_rng(n).normal(size=(n, 5))
    assert np.array_equal(from_lanes(to_lanes(numbers), n, 5), numbers)


def matrix(pairs, bodies, height=3, width=6):
    """Blocks of random numbers in these columns."""
    rows, columns = np.arange(0, height * len(pairs) + 1, height), np.arange(0, width * bodies + 1, width)
    pattern = np.zeros((len(pairs), bodies))
    for i, pair in enumerate(pairs):
        pattern[i, list(pair)] = 1.0
    full = np.kron(pattern, np.ones((height, width)))
    return from_scipy(scipy.sparse.csr_matrix(full * np.random.default_rng(0).normal(size=full.shape)), rows, columns)


def test_what_does_not_fit_is_not_laid_out():
    chain = [(i, i + 1) for i in range(5)]
    fits = matrix(chain, 6)
    assert interleave(fits, fits, 0, 5, 0, 6) is not None
    for other in (matrix(chain, 6, height=1), matrix(chain, 6, width=3), matrix([(0, 1, 2), *chain], 6)):
        assert interleave(other, other, 0, len(other.rows) - 1, 0, 6) is None
    assert interleave(fits, matrix([(0, 2), *chain[1:]], 6), 0, 5, 0, 6) is None


@compiled_only
def test_a_body_that_all_others_touch_is_not_laid_out_beside_them():
    """It would have eight places for each of its contacts"""
    star = matrix([(0, i + 1) for i in range(100)], 101)
    assert interleave(star, star, 0, 100, 0, 101) is None


def test_problems_of_other_blocks_go_the_usual_way(all_are_large):
    for seed in range(3):
        problem = random_problem(seed, 4).problem()
        P, _ = prepare(problem, False)
        if (np.diff(P.K.start) == 3).all() and P.A.is_factored:
            continue
        zero = np.zeros(len(P.b))
        x, _, _ = run(run_apgd, P, 0, zero, 20)
        mine, _, _ = run(run_gradients, P, 0, zero, 20)
        assert np.array_equal(x, mine)
    dense = Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [0.5])
    assert solve(dense, "ncp", "apgd").converged


@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("method", ["apgd", "psor", "auto"])
def test_an_island_that_its_start_solves_is_not_laid_out(method, law, all_are_large, monkeypatch):
    problem = packing(COUNT)
    first = solve(problem, law, method, tol=1e-4, form="factors")
    monkeypatch.setattr(sharing, "import_module", None)  # by which code for wide islands is found
    again = solve(problem, law, method, tol=1e-3, warm_start=first.multipliers, form="factors")
    assert again.converged
    assert again.iterations == 0


def test_threads_share_what_takes_them_longer_than_to_meet():
    assert [sharing.threads_for(contacts, 3) for contacts in (1, sharing.LARGE - 1, sharing.LARGE)] == [1, 1, 3]
