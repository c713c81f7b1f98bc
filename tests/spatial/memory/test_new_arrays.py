"""Arrays that compiled code makes are those of NumPy's own function, and their owner is whoever gets them."""

import sys
import threading
import tracemalloc

import numpy as np
import pytest
from numba import config

if config.DISABLE_JIT:
    pytest.skip("about arrays that compiled code makes", allow_module_level=True)

from pluecker.spatial.compiled.decorators import compiled_for, entrance
from pluecker.spatial.memory.addresses import address_of, integers_at
from pluecker.spatial.memory.new_arrays import (
    NEW_ARRAY,
    drop,
    is_missing,
    is_none,
    new_array,
    no_object,
    release_lock,
    take_lock,
)
from pluecker.spatial.memory.objects import CLASS_OF_ARRAYS, numbers_of, python_object
from pluecker.spatial.parallel.atomics import read_shared
from pluecker.spatial.scalars.operations import load, store

FUNCTION, CLASS, AXES, SHAPE, HEADER = range(5)


def make(header, fill, keep):
    """A new array of the shape that the header ends with, filled with ones; None if it is not to be kept."""
    integers = integers_at(address_of(numbers_of(header, HEADER)), HEADER)
    shape = address_of(numbers_of(header, HEADER)) + 8 * SHAPE
    made = new_array(load(integers, FUNCTION), load(integers, CLASS), shape, load(integers, AXES))
    if is_missing(made):
        return made
    if not is_none(fill):
        store(numbers_of(made, 1), 0, 1.0)
    if is_none(keep):
        drop(made)
        return no_object()
    return made


@pytest.fixture(scope="module")
def new():
    enter = entrance(compiled_for(make, (python_object,) * 3, holds_lock=True))

    def new(shape, fill=None, keep=True):
        header = np.array([NEW_ARRAY, CLASS_OF_ARRAYS, len(shape), *shape, *[0] * HEADER], dtype=np.int64)
        return enter(header.view(np.float64), fill, keep)

    return new


@pytest.mark.parametrize("shape", [(), (0,), (1,), (5,), (6, 18), (0, 3), (7, 4, 4), (2, 3, 4, 5)])
def test_a_new_array_is_as_numpy_makes_it(new, shape):
    made, expected = new(shape), np.empty(shape)
    assert type(made) is np.ndarray
    assert made.dtype == expected.dtype
    assert made.shape == shape
    assert made.strides == expected.strides
    assert made.flags == expected.flags
    assert made.base is None
    made[...] = 2.0
    assert (made == 2.0).all()


def test_its_reference_is_the_callers(new):
    made, expected, kind = new((6, 18)), np.empty((6, 18)), np.dtype(np.float64)
    counts = sys.getrefcount(made), sys.getrefcount(expected)
    assert counts[0] == counts[1]
    counts = [sys.getrefcount(kind)]
    for _ in range(100):
        new((6, 18))
    counts.append(sys.getrefcount(kind))
    assert counts[0] == counts[1]


def test_an_array_that_is_dropped_is_gone(new):
    new((1000,), keep=None)
    tracemalloc.start()
    for _ in range(100):
        assert new((1000,), keep=None) is None
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 30_000


def test_without_memory_there_is_the_error_of_python(new):
    with pytest.raises(MemoryError):
        new((1 << 55,))
    with pytest.raises(ValueError, match="negative"):
        new((-1,))


def wait(flags, release):
    """Let go of the lock, if wanted, until another thread has set the first flag, and say with the second that it has."""
    integers = integers_at(address_of(numbers_of(flags, 2)), 2)
    lock = release_lock(not is_none(release))
    tries = 0
    while read_shared(integers, 0) == 0 and tries < 1 << 29:
        tries += 1
    take_lock(lock)
    if tries < 1 << 29:
        store(numbers_of(flags, 2), 1, 1.0)
    return no_object()


@pytest.mark.parametrize("release", [True, None])
def test_other_threads_run_only_while_the_lock_is_released(release):
    enter = entrance(compiled_for(wait, (python_object,) * 2, holds_lock=True))
    flags = np.array([1.0, 0.0])
    enter(flags, release)
    assert flags[1] == 1.0
    flags = np.zeros(2)
    first = flags[:1]
    other = threading.Timer(0.01, first.fill, (1.0,))
    other.start()
    enter(flags, release)
    other.join()
    assert flags.tolist() == [1.0, 1.0 if release else 0.0]
