"""Arguments read where they lie: compiled code has the numbers, shapes and steps that NumPy has, and keeps nothing."""

import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof

from pluecker.spatial.compiled.decorators import allocation_free, entrance
from pluecker.spatial.memory.lent import Lent
from tests.conftest import COMPILED


class Record(NamedTuple):
    """Arrays and a number, one inside the other."""

    counts: np.ndarray
    table: np.ndarray
    inner: tuple
    k: int


def weigh(arguments):
    """All numbers, each with a weight that says where it stands; the numbers of the last array are doubled"""
    record, x, numbers = arguments
    total = x * record.k
    for i in range(record.table.shape[0]):
        for j in range(record.table.shape[1]):
            total += (10 * i + j) * record.table[i, j]
    for i in range(len(record.counts)):
        total += record.counts[i] * record.inner[0][i]
    for i in range(record.inner[1].shape[0]):
        for j in range(record.inner[1].shape[1]):
            for k in range(record.inner[1].shape[2]):
                total += (100 * i + 10 * j + k) * record.inner[1][i, j, k]
    for i in range(numbers.size):
        numbers[i] *= 2.0
    return total


@pytest.mark.skipif(not COMPILED, reason="without compilation Python hands its objects on as they are")
def test_compiled_code_finds_what_numpy_has_and_counts_no_references():
    rng = np.random.default_rng(0)
    record = Record(
        rng.integers(-9, 9, 4), rng.normal(size=(3, 5)), (rng.normal(size=4), rng.normal(size=(2, 3, 4))), -7
    )
    arguments = record, 0.25, rng.normal(size=6)
    function = allocation_free(weigh)
    function.compile((Lent(tuple(typeof(x) for x in arguments)),))
    before, counted = arguments[2].copy(), [sys.getrefcount(x) for x in (*record, *record.inner, *arguments)]
    i, j = np.indices((3, 5))
    a, b, c = np.indices((2, 3, 4))
    expected = -7 * 0.25 + ((10 * i + j) * record.table).sum() + record.counts @ record.inner[0]
    expected += ((100 * a + 10 * b + c) * record.inner[1]).sum()
    for _ in range(3):
        assert np.isclose(entrance(function)(arguments), expected, rtol=1e-13, atol=0.0)
    assert np.array_equal(arguments[2], 8.0 * before)
    assert counted == [sys.getrefcount(x) for x in (*record, *record.inner, *arguments)]
    empty = record._replace(table=np.empty((0, 5)), counts=np.empty(0, np.int64)), 2.0, np.empty(0)
    assert np.isclose(
        entrance(function)(empty), -14.0 + ((100 * a + 10 * b + c) * record.inner[1]).sum(), rtol=1e-13, atol=0.0
    )
