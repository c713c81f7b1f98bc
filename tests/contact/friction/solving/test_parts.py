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

from benchmarks.contact.problems import packing
from pluecker.contact import solve
from pluecker.contact.friction.solving.islands import parts
from tests.contact.friction.solving.islands import island_of, one_island, scaled

SEEDS = st.integers(0, 2**32 - 1)


@cache
def packed(contacts=40):
    """A packing as one island. It is made when it is first needed: collecting tests compiles nothing."""
    return one_island(packing(contacts))


def meets(whole):
    """Return the table of pairs of blocks that act on each other."""
    N, n = whole.P.A.N, len(whole.P.K.start) - 1
    found = np.zeros((n, n), bool)
    found[np.repeat(np.arange(n), np.diff(N.first)), N.column] = True
    return found


@given(st.integers(2, 40), SEEDS)
def test_parts_do_not_act_on_one_another(count, seed):
    """Each contact is in one part, and contacts of two parts have no block of N in common."""
    blocks = np.sort(np.random.default_rng(seed).choice(40, count, replace=False))
    found, touch = parts.connected_components(packed().P.A.N, blocks), meets(packed())
    assert np.array_equal(np.sort(np.concatenate(found)), blocks)
    for one, other in itertools.combinations(found, 2):
        assert not touch[np.ix_(one, other)].any()
    for part in found:  # and none could be divided
        assert len(parts.connected_components(packed().P.A.N, part)) == 1


@given(SEEDS)
def test_parts_to_be_solved_have_the_error_and_do_not_act_on_one_another(seed):
    """Wherever it lies: threads solve them side by side"""
    touch, error = meets(packed()), np.random.default_rng(seed).uniform(size=40) ** 12
    found = parts.parts_of(packed().P.A.N, error)
    for one, other in itertools.combinations(found, 2):
        assert not touch[np.ix_(one, other)].any()
    solved = np.concatenate(found)
    assert error[solved].sum() >= parts.SHARE * error.sum()
    assert touch[np.argmax(error)][solved].sum() == touch[np.argmax(error)].sum()  # its neighbours are solved with it


@given(st.floats(0.05, 0.99), SEEDS)
def test_those_with_most_of_the_error_are_the_fewest_that_have_it(share, seed):
    error = np.random.default_rng(seed).uniform(size=30) ** 8
    inside = parts.those_with_most(error, share)
    assert error[inside].sum() >= share * error.sum() * (1.0 - 1e-12)
    assert error[inside].sum() - error[inside].min() < share * error.sum()
    assert error[inside].min() >= error[~inside].max(initial=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_newtons_method_nearby_mends_a_solution_with_a_fault(threads):
    """One impulse is changed: what touches it has an error, and is solved with all others held"""
    problem = packing(60)
    found = solve(problem, tol=1e-10, separate=False)
    assert found.converged
    island = island_of(packed(60), threads=threads)
    x = scaled(problem, found.multipliers)
    island.take(x.copy(), island.velocity(x))
    faulty = 3 * int(np.argmax(x[::3]))
    x[faulty : faulty + 3] *= 1.0 + 1e-3
    u = island.velocity(x)
    before = np.sqrt(island.errors(x, u).sum())
    parts.improve(island, x, u)
    assert np.sqrt(island.errors(x, u).sum()) <= 0.1 * before
    assert island.error <= 1e-10  # the best pair is never worse
    assert np.allclose(u, island.velocity(x), rtol=0, atol=1e-13 * max(1.0, np.abs(u).max()))
