"""Some contacts of an island as a problem of their own, by which ``auto`` ends what sweeps leave in circles.

Looks inside: a part that is cut wrongly, or parts that act on one another, are only slower to come to the same solution.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.contact_problems import packing
from pluecker.contact.friction.solving import coulomb, local, newton, parts
from tests.contact.friction.solving.islands import island_of, matrix_of, one_island
from tests.contact.random_friction import random_problem

SEEDS = st.integers(0, 2**32 - 1)


@cache
def packed():
    """A packing as one island. It is made when it is first needed: collecting tests compiles nothing."""
    return one_island(packing(40))


def meets(P):
    """Return the table of pairs of blocks that act on each other."""
    N, n = P.A.N, len(P.K.start) - 1
    found = np.zeros((n, n), bool)
    found[np.repeat(np.arange(n), np.diff(N.first)), N.column] = True
    return found


@pytest.mark.indices
@pytest.mark.parametrize(
    "made", [lambda: packing(40), lambda: random_problem(3, 40).problem()], ids=["contacts", "all kinds"]
)
def test_the_matrix_of_a_part_is_the_one_of_all_in_its_rows(made):
    P = one_island(made())
    rng, n = np.random.default_rng(1), len(P.K.start) - 1
    for count in (0, 1, n // 3, n):
        blocks = np.sort(rng.choice(n, count, replace=False))
        Q, rows = parts.part_of(P, blocks)
        assert np.array_equal(rows, [k for i in blocks for k in range(P.K.start[i], P.K.start[i + 1])])
        assert np.array_equal(matrix_of(Q), matrix_of(P)[np.ix_(rows, rows)])
        assert np.array_equal(Q.K.friction, P.K.friction[blocks])
        assert np.array_equal(Q.K.start[-1:], [len(rows)])


def test_a_part_is_the_whole_with_all_others_held():
    """Velocities of some contacts follow from their own multipliers as from all; so do those after a change of the part."""
    rng, island = np.random.default_rng(5), island_of(packed())
    x = rng.normal(size=len(island.x))
    u = island.velocity(x)
    blocks = np.array([0, 3, 4, 11, 29])
    Q, rows = parts.part_of(packed(), blocks)
    alone, mine, speeds = parts.alone(Q, rows, x, u)
    assert np.array_equal(mine, x[rows])
    assert np.array_equal(speeds, u[rows])
    assert np.allclose(newton.velocity(alone, x[rows]), u[rows], rtol=0, atol=1e-13 * np.abs(u).max())
    new, both, speeds = x.copy(), x.copy(), u.copy()
    new[rows] = rng.normal(size=len(rows))
    local.change(packed(), blocks, new[rows], np.full_like(x, np.nan), both, speeds)
    assert np.array_equal(both, new)
    assert np.allclose(speeds, island.velocity(both), rtol=0, atol=1e-12 * np.abs(speeds).max())
    expected = island.velocity(new)[rows]
    assert np.allclose(newton.velocity(alone, new[rows]), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@given(st.integers(2, 40), SEEDS)
def test_parts_do_not_act_on_one_another(count, seed):
    """Each contact is in one part, and contacts of two parts have no block of N in common."""
    blocks = np.sort(np.random.default_rng(seed).choice(40, count, replace=False))
    found, touch = parts.apart(packed().A.N, blocks), meets(packed())
    assert np.array_equal(np.sort(np.concatenate(found)), blocks)
    for one, other in itertools.combinations(found, 2):
        assert not touch[np.ix_(one, other)].any()
    for part in found:  # and none could be divided
        assert len(parts.apart(packed().A.N, part)) == 1


@given(st.integers(1, 4), SEEDS)
def test_parts_to_be_solved_have_the_error_and_do_not_act_on_one_another(count, seed):
    """Wherever it lies, once and again as it moves: threads solve them side by side"""
    rng, touch, found = np.random.default_rng(seed), meets(packed()), local.Parts(island_of(packed()))
    for _ in range(count):
        error = rng.uniform(size=40) ** 12
        due = found.due(error, True)
        for one, other in itertools.combinations(due, 2):
            assert not touch[np.ix_(one, other)].any()
        assert all(found.inside[blocks].all() for blocks in due)
        assert not due or error[np.concatenate(due)].sum() >= 0.1 * error.sum()


def test_a_part_that_grows_has_a_ring_more_until_it_is_too_large():
    found, touch = local.Parts(island_of(packed())), meets(packed())
    found.inside[7] = True
    ring = np.flatnonzero(touch[7])
    found.most = len(ring)
    found.grow(np.array([7]))
    assert np.array_equal(np.flatnonzero(found.inside), ring)
    found.grow(ring)
    assert np.array_equal(np.flatnonzero(found.inside), ring)


@given(st.floats(0.05, 0.99), SEEDS)
def test_those_with_most_of_the_error_are_the_fewest_that_have_it(share, seed):
    error = np.random.default_rng(seed).uniform(size=30) ** 8
    inside = parts.those_with_most(error, share)
    assert error[inside].sum() >= share * error.sum() * (1.0 - 1e-12)
    assert error[inside].sum() - error[inside].min() < share * error.sum()
    assert error[inside].min() >= error[~inside].max(initial=0.0)


@given(st.floats(0.0, 50.0), SEEDS)
def test_a_core_has_half_of_the_error_in_half_of_the_contacts_or_there_is_none(power, seed):
    error = np.random.default_rng(seed).uniform(size=40) ** power
    core = local.core_of(island_of(packed()), error)
    assert len(core) <= 20
    assert len(core) == 0 or error[core].sum() >= 0.5 * error.sum() * (1.0 - 1e-12)


def test_a_core_is_what_touches_the_one_place_that_has_the_error():
    error = np.zeros(40)
    error[7] = 1.0
    assert np.array_equal(local.core_of(island_of(packed()), error), np.flatnonzero(meets(packed())[7]))


@pytest.fixture(scope="module")
def solution():
    """The multipliers of a packing, scaled, by Newton's method and what comes with it."""
    island = island_of(one_island(packing(60)), 4000)
    coulomb.take_turns(island, 1e-10)
    assert island.error <= 1e-10
    return island


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_newtons_method_nearby_mends_a_solution_with_a_fault(threads, solution):
    """One impulse is changed: what touches it has an error, and is solved with all others held"""
    island, x = island_of(solution.P, 4000), solution.x.copy()
    island.threads = threads
    island.take(x.copy(), island.velocity(x))
    faulty = 3 * int(np.argmax(x[::3]))
    x[faulty : faulty + 3] *= 1.0 + 1e-3
    u = island.velocity(x)
    before = np.sqrt(parts.errors_of(island.P, 1, x, u).sum())
    local.Parts(island).improve(x, u)
    assert np.sqrt(parts.errors_of(island.P, 1, x, u).sum()) <= 0.1 * before
    assert island.error <= 1e-10  # the best pair is never worse
    assert np.allclose(u, island.velocity(x), rtol=0, atol=1e-13 * max(1.0, np.abs(u).max()))
