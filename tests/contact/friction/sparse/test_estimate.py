"""The least that a factor takes, estimated from the pattern: from below, whatever the order of the blocks.

Looks inside: ``auto`` leaves factors out by it, and a wrong estimate costs time alone.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.contact.problems import packing
from pluecker.contact.friction.sparse import symbolic
from tests.contact.any_blocks import blocks_of


def of_pattern(pattern):
    """A matrix of blocks of three rows where the pattern has an entry."""
    edges = np.arange(0, 3 * len(pattern) + 1, 3)
    return blocks_of(np.kron(pattern, np.ones((3, 3))), edges, edges)


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
    N = of_pattern(pattern)
    assert 0.0 < symbolic.least_operations(N) <= symbolic.analyse(N).numbers[1]


def test_the_estimate_counts_the_levels_from_an_end():
    for pattern, expected in (
        (shuffled(chain(30)), 27.0),  # one block in each level
        (np.ones((12, 12)), 18.0**3),  # one block, then all others
        (shuffled(cube(4)), (3.0 * 64 / 10) ** 3),  # from corner to corner: 3 (n - 1) steps
        (np.kron(np.eye(2), chain(30)), 27.0),  # of what is reached from the first one
        (np.zeros((0, 0)), 0.0),
    ):
        assert symbolic.least_operations(of_pattern(pattern)) == pytest.approx(expected)


def test_a_packing_takes_at_least_what_is_estimated():
    N = packing(150).assembled().operator.N
    assert symbolic.least_operations(N) <= symbolic.analyse(N).numbers[1] <= 1e3 * symbolic.least_operations(N)
