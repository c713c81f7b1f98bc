"""Large islands in strips: the sweep in that order is a sweep, with the same bits for any number of threads.

Looks inside: the size from which islands are large is lowered.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse

from benchmarks.contact_problems import packing
from pluecker.contact import solve
from pluecker.contact.first_order import sharing, sweep_passes
from pluecker.contact.first_order.large_sweeps import Sweeping, lay_out, shares_of
from pluecker.contact.first_order.memory import ERROR, ITERATIONS, MOMENTUM, RELAXATION, make_memory
from pluecker.contact.first_order.pgs import run_psor
from pluecker.contact.problem.operator import to_matrix
from pluecker.contact.problem.prepared import prepare
from pluecker.contact.problem.sets import Sets, project
from pluecker.contact.sparse.blocks import from_scipy
from pluecker.contact.sparse.strips import bodies_of_strips, from_slots, make_strips, to_slots
from pluecker.spatial.compiled.decorators import compiled_for
from tests.conftest import COMPILED
from tests.contact.first_order.test_shared_island import KINDS, LAWS, all_are_large, compiled_only
from tests.contact.single_precision import in_single_precision

COUNT = 900 if COMPILED else 60
__all__ = ["all_are_large"]  # a fixture


def one_sweep(P, order, law, x, steps, relaxation):
    """Contact by contact in a given order, with the newest velocities: the textbook's sweep, on the whole matrix."""
    N, x = to_matrix(P.A).tocsr(), x.copy()
    for i in order:
        rows = slice(3 * i, 3 * i + 3)
        u = N[rows] @ x + P.b[rows]
        mu = P.K.friction[i, 0]
        u[0] += mu * np.hypot(u[1], u[2]) if law == 1 else 0.0
        z = x[rows] - relaxation * steps[i] * u
        K = Sets(np.array([0, 3]), P.K.sizes[i : i + 1], P.K.friction[i : i + 1], P.K.lower[:1], P.K.upper[:1])
        project(K, z, z)
        x[rows] = z
    return x


@LAWS
@pytest.mark.parametrize("kind", KINDS)
def test_a_sweep_in_strips_takes_one_contact_after_the_other(law, kind):
    P = in_single_precision(prepare(KINDS[kind](60), False)[0])
    laid = lay_out(P, 0)
    steps, order = from_slots(laid.rho, laid.strips, 1)[:, 0], np.argsort(laid.strips.slots)
    x = np.random.default_rng(0).normal(size=len(P.b)) * np.abs(P.b).max()
    project(P.K, x, x)
    sweeping = Sweeping(laid, P.b)
    sweeping.run(x, law, 1e-300, 1, 1.3, False, np.zeros(0), 1)
    expected = one_sweep(P, order, law, x, steps, 1.3)
    x, u = sweeping.last
    assert np.allclose(x, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
    assert np.allclose(u, to_matrix(P.A) @ x + P.b, rtol=0.0, atol=1e-12 * np.abs(u).max())


@LAWS
@pytest.mark.parametrize("kind", KINDS)
def test_the_error_is_that_of_small_islands(law, kind):
    """No sweep: multipliers of some sweeps in another order"""
    P = in_single_precision(prepare(KINDS[kind](60), False)[0])
    memory = make_memory(len(P.b), 1, np.zeros(0))
    memory.states[0, [RELAXATION, MOMENTUM]] = 1.0, 1.0
    x, u = np.zeros(len(P.b)), P.b.copy()
    run_psor(P, law, x, u, 1e-300, 5, memory, 0, 1)
    sweeping = Sweeping(lay_out(P, 0), P.b)
    sweeping.run(x, law, 1e-300, 0, 1.0, False, np.zeros(0), 1)
    assert sweeping.error == pytest.approx(memory.results[0, ERROR], rel=1e-9)
    assert np.allclose(sweeping.last[0], x, rtol=0.0, atol=1e-13 * np.abs(x).max())


@LAWS
def test_sweeps_in_strips_and_in_the_usual_order_have_one_limit(law):
    """With a compliance multipliers are unique in the convex law, and near each other in Coulomb's"""
    P = in_single_precision(prepare(packing(60).with_compliance(0.1), False)[0])
    memory, tol = make_memory(len(P.b), 1, np.zeros(0)), 1e-9 if COMPILED else 1e-5
    x, u = np.zeros(len(P.b)), P.b.copy()
    run_psor(P, law, x, u, tol, 4000, memory, 0, 1)
    for momentum in (False, True):
        sweeping = Sweeping(lay_out(P, 0), P.b)
        sweeping.run(np.zeros(len(P.b)), law, tol, 4000, 1.0, momentum, np.zeros(0), 1)
        assert sweeping.error <= tol
        assert memory.results[0, ERROR] <= tol
        best, speeds = sweeping.best
        assert np.allclose(best, x, rtol=0.0, atol=1e4 * tol * np.abs(x).max())
        assert np.allclose(speeds, to_matrix(P.A) @ best + P.b, rtol=0.0, atol=1e-12 * np.abs(best).max())


@pytest.mark.parametrize("seed", range(3))
def test_strips_of_one_pass_and_contacts_of_a_group_have_no_body_in_common(seed):
    P, _ = prepare(packing(COUNT, seed), False)
    J = P.A.J
    strips = make_strips(J, P.A.T, 0, COUNT, 0, len(J.columns) - 1)
    sides = np.stack([strips.sides & (2**32 - 1), strips.sides >> 32], axis=1)
    scale = len(strips.sides) // int(strips.begin[-1])  # contacts of what is counted in begin
    bounds = strips.begin * scale
    for k in range(0, len(sides), 8):
        bodies = sides[k : k + 8].ravel()
        bodies = bodies[bodies < strips.bodies]
        assert len(np.unique(bodies)) == len(bodies)
    parts = [set(sides[a:b].ravel()) - {strips.bodies} for a, b in pairwise(bounds)]
    for same in (parts[: strips.even], parts[strips.even :]):
        assert sum(map(len, same)) == len(set().union(*same))
    assert len(np.unique(strips.slots)) == COUNT


def along(strips):
    """The strips from one end to the other"""
    number = np.arange(len(strips.begin) - 1)
    return np.argsort(np.where(number < strips.even, 2 * number, 2 * (number - strips.even) + 1))


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_each_thread_begins_with_as_much_work_and_waits_for_no_other(threads):
    """Strips of a share follow one another, even ones first, and odd ones between two shares are in the last one"""
    P, _ = prepare(packing(2500 if COMPILED else 400), False)
    strips = lay_out(P, 0).strips
    order, starts = shares_of(strips, threads)
    sizes, where = np.diff(strips.begin), np.argsort(along(strips))
    assert sorted(order) == list(range(len(sizes)))
    assert len(starts) == threads + 2
    assert starts[0] == 0
    assert starts[-1] == len(order)
    *shares, last = [order[a:b] for a, b in pairwise(starts)]
    for share in shares:
        assert np.ptp(where[share]) == len(share) - 1 if len(share) else True
        odd = share >= strips.even
        assert (np.diff(odd.astype(int)) >= 0).all()
        for same in (share[~odd], share[odd]):
            assert (np.diff(sizes[same]) <= 0).all()  # others take the short ones
        beside = where[share[odd]][:, None] + [-1, 1]
        assert set(beside[beside < len(sizes)]) <= set(where[share])
    assert (last >= strips.even).all()
    assert len(last) < threads
    work = np.array([sizes[share].sum() for share in shares])
    assert (work <= sizes.sum() / threads + 1.5 * sizes.max()).all()


def test_bodies_are_carried_on_before_their_first_contact():
    """By the strip itself, or by an even one for which it waits"""
    count = 5000 if COMPILED else COUNT
    P, _ = prepare(packing(count), False)
    strips = make_strips(P.A.J, P.A.T, 0, count, 0, len(P.A.J.columns) - 1)
    assert strips.even > (2 if COMPILED else 0)
    sides = np.stack([strips.sides & (2**32 - 1), strips.sides >> 32], axis=1)
    scale = len(strips.sides) // int(strips.begin[-1])
    bodies = [set(sides[a:b].ravel()) - {strips.bodies} for a, b in pairwise(strips.begin * scale)]
    owned = [set(range(a, b)) for a, b in strips.owned.reshape(-1, 2)]
    assert sorted(body for some in owned for body in some) == list(range(strips.bodies))
    for k, here in enumerate(bodies):
        beside = owned[max(k - strips.even, 0) : min(k - strips.even + 2, strips.even)] if k >= strips.even else []
        assert here <= owned[k].union(*beside)


@pytest.mark.parametrize(
    ("strip", "expected"),
    [
        ([0], [0, 5]),
        ([0, 0, 0], [0, 5]),
        ([0, 0, 1], [0, 3, 3, 5]),
        ([0, 1, 2], [0, 2, 2, 5, 2, 2]),
        ([0, 1, 1], [0, 2, 2, 5]),
    ],
)
def test_bodies_of_strips_by_hand(strip, expected):
    """Without contacts, two of the lowest level, one of the next, one of the last; first and last body of each strip"""
    nearest = np.minimum([-1, 0, 1, 2, 2], len(strip) - 1)
    found = bodies_of_strips(np.array(strip), nearest)
    assert found.tolist() == expected


@compiled_only
def test_an_odd_strip_waits_for_those_beside_it():
    from numba import types

    from pluecker.spatial.memory.views import view

    P, _ = prepare(packing(5000), False)
    record = Sweeping(lay_out(P, 0), P.b).record
    even, strips, turn = int(record.settings[sweep_passes.EVEN]), len(record.begin) - 1, 7
    assert even > 2
    record.settings[[sweep_passes.PASS, sweep_passes.TURN]] = sweep_passes.SWEEP, turn

    class Few(NamedTuple):
        settings: Any
        order: Any
        done: Any

    def ready(settings, order, done, block):
        return sweep_passes.is_ready(Few(view(settings), view(order), view(done)), block)

    def over(settings, order, done, block):
        sweep_passes.finish(Few(view(settings), view(order), view(done)), block)
        return True

    integers = types.int64[::1]
    is_ready, finish = (compiled_for(f, (integers, integers, integers, types.intp)) for f in (ready, over))
    lists = record.settings, np.arange(strips), record.done
    done: set[int] = set()
    for strip in [*np.random.default_rng(0).permutation(even).tolist(), even]:
        for odd in range(even, strips):
            beside = {odd - even, odd - even + 1} & set(range(even))
            assert is_ready(*lists, odd) == (beside <= done)
        assert all(is_ready(*lists, one) for one in range(even))
        finish(*lists, strip)
        done.add(strip)
    for what in (sweep_passes.COLLECT, sweep_passes.JUDGE):
        record.settings[[sweep_passes.PASS, sweep_passes.TURN]] = what, turn + 1
        assert is_ready(*lists, even) == (what == sweep_passes.JUDGE)
        finish(*lists, 0)
        assert (record.done[0] == turn + 1) == (what == sweep_passes.COLLECT)
        record.done[0] = turn


def test_what_is_put_in_slots_comes_back():
    P, _ = prepare(packing(60), False)
    strips = make_strips(P.A.J, P.A.T, 0, 60, 0, len(P.A.J.columns) - 1)
    numbers = np.random.default_rng(0).normal(size=(60, 4))
    assert np.array_equal(from_slots(to_slots(numbers, strips), strips, 4), numbers)


def test_a_body_that_all_others_touch_is_not_laid_out():
    """Its contacts would be groups of one"""
    rows, columns = np.arange(0, 301, 3), np.arange(0, 607, 6)
    pattern = np.zeros((100, 101))
    pattern[:, 0], pattern[np.arange(100), np.arange(1, 101)] = 1.0, 1.0
    star = from_scipy(scipy.sparse.csr_matrix(np.kron(pattern, np.ones((3, 6)))), rows, columns)
    assert make_strips(star, star, 0, 100, 0, 101) is None


@pytest.mark.parametrize("method", ["pgs", "psor"])
def test_methods_of_sweeps_solve_large_islands(method, all_are_large):
    result = solve(packing(60).with_compliance(0.1), "ncp", method, tol=1e-4, separate=False, history=True)
    assert result.converged
    assert result.history[-1, 1] <= 1e-4
    assert (np.diff(result.history[:, 1]) <= 0.0).all()


@compiled_only
@pytest.mark.parametrize("method", ["pgs", "psor", "auto"])
def test_bits_do_not_depend_on_the_number_of_threads(method, all_are_large):
    problem = packing(1200)
    found = [solve(problem, "ncp", method, tol=1e-5, max_iterations=150, threads=k) for k in (1, 2, 3)]
    for other in found[1:]:
        assert np.array_equal(found[0].multipliers, other.multipliers)
        assert found[0].iterations == other.iterations


@compiled_only
def test_gradients_that_go_on_are_those_that_did_not_stop(all_are_large):
    P, _ = prepare(packing(COUNT), False)
    ends = []
    for pieces in ((60,), (7, 20, 60)):
        memory, tasks = make_memory(len(P.b), 1, np.zeros(0)), {}
        x, u = np.zeros(len(P.b)), P.b.copy()
        for limit in pieces:
            sharing.run_gradients(P, 0, x, u, 1e-300, limit, memory, 0, 1, tasks=tasks)
        assert memory.results[0, ITERATIONS] == 60
        ends.append(x)
    assert np.array_equal(*ends)
