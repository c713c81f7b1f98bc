"""Objects of Python in compiled code: arrays that it reads, arrays that it makes, arguments that it is lent.

Nothing of this can be asked for by a public name: whether an array is read where it lies or converted first, and who counts
a reference to it, changes no result until memory runs out or is somebody else's. So small kernels are compiled here.
"""

import pickle
import sys
import threading
import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest
from numba import config, typeof

if config.DISABLE_JIT:
    pytest.skip("about memory that compiled code reads", allow_module_level=True)

from pluecker.spatial.engine.compiled.decorators import compiled_for, entrance, entry_point
from pluecker.spatial.engine.memory import addresses, lent, new_arrays, objects
from pluecker.spatial.engine.parallel.atomics import read_shared
from pluecker.spatial.engine.scalars.operations import load, store

# ------------------------------------------------------------------------------------------------- arrays that it reads


def describe(arguments, axes, found, out):
    """Store whether the only argument is plain, its rows and columns, and the sum of its entries.

    ``out`` holds NumPy's class.
    """
    shape = objects.numbers_of(found, 4)
    plain, entries, rows, columns = objects.array_in(
        load(objects.entries_of(arguments, 1), 0),
        int(load(objects.numbers_of(axes, 1), 0)),
        int(load(objects.entries_of(out, 1), 0)),
    )
    total = 0.0
    for k in range(rows * columns):
        total += load(entries, k)
    store(shape, 0, 1.0 if plain else 0.0)
    store(shape, 1, rows)
    store(shape, 2, columns)
    store(shape, 3, total)


@pytest.fixture(scope="module")
def look():
    enter = entrance(compiled_for(describe, (objects.python_object,) * 4))

    def look(value, axes):
        found = np.zeros(4)
        enter((value,), np.array([float(axes)]), found, (np.ndarray,))
        return bool(found[0] == 1.0), (int(found[1]), int(found[2])), found[3]

    return look


def test_the_address_of_a_class_is_its_identity():
    assert id(np.ndarray) == objects.CLASS_OF_ARRAYS


@pytest.mark.parametrize(
    "array",
    [
        np.arange(5.0),
        np.arange(7.0)[2:5],
        np.empty(0),
        np.broadcast_to(np.ones(1), (1,)),
        np.frombuffer(np.arange(4.0).tobytes()),
        pickle.loads(pickle.dumps(np.arange(4.0))),
        np.arange(4.0).view("f8"),
        np.arange(3.0, dtype=np.dtype(np.float64, metadata={"unit": "rad"})),
    ],
    ids=["whole", "piece", "empty", "read-only", "bytes", "pickled", "view", "metadata"],
)
def test_plain_arrays_of_numbers_are_read(look, array):
    assert look(array, 1) == (True, (len(array), 1), array.sum())
    assert look(array, 2)[0] is False
    assert look(np.stack([array, array]), 2) == (True, (2, len(array)), 2 * array.sum())


def unaligned(n):
    return np.zeros(8 * n + 1, dtype=np.uint8)[1:].view(np.float64)


class OtherArray(np.ndarray):
    """A subclass whose entries may mean anything."""


@pytest.mark.parametrize(
    "value",
    [
        np.arange(4.0)[::2],
        np.arange(4.0)[::-1],
        np.arange(4.0).astype(">f8"),
        unaligned(4),
        np.arange(4),
        np.arange(4).astype(np.uint64),
        np.arange(4.0).astype(np.float32),
        np.arange(4).astype("m8[s]"),
        np.zeros(4, dtype=[("x", np.float64)]),
        np.arange(4.0).view(OtherArray),
        np.ma.masked_array(np.arange(4.0)),
        np.array(1.0),
        np.zeros((1, 4)),
        [0.0, 1.0],
        (0.0, 1.0),
        1.0,
        None,
        "q",
        b"q",
        np.ndarray,
        np.float64(1.0),
        object(),
        10**400,
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_else_is_left_to_the_way_that_converts(look, value):
    assert look(value, 1) == (False, (0, 0), 0.0)


@pytest.mark.indices
def test_tables_are_read_by_rows(look):
    table = np.arange(6.0).reshape(2, 3)
    assert look(table, 2) == (True, (2, 3), 15.0)
    assert look(np.asfortranarray(table), 2)[0] is False
    assert look(table.T, 2)[0] is False


# ------------------------------------------------------------------------------------------------- arrays that it makes


FUNCTION, CLASS, AXES, SHAPE, HEADER = range(5)


def make(header, fill, keep):
    """A new array of the shape that the header ends with, filled with ones; None if it is not to be kept."""
    integers = addresses.integers_at(addresses.address_of(objects.numbers_of(header, HEADER)), HEADER)
    shape = addresses.address_of(objects.numbers_of(header, HEADER)) + 8 * SHAPE
    made = new_arrays.new_array(load(integers, FUNCTION), load(integers, CLASS), shape, load(integers, AXES))
    if new_arrays.is_missing(made):
        return made
    if not new_arrays.is_none(fill):
        store(objects.numbers_of(made, 1), 0, 1.0)
    if new_arrays.is_none(keep):
        new_arrays.drop(made)
        return new_arrays.no_object()
    return made


@pytest.fixture(scope="module")
def new():
    enter = entrance(compiled_for(make, (objects.python_object,) * 3, holds_lock=True))

    def new(shape, fill=None, keep=True):
        header = np.array(
            [new_arrays.NEW_ARRAY, objects.CLASS_OF_ARRAYS, len(shape), *shape, *[0] * HEADER], dtype=np.int64
        )
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
    integers = addresses.integers_at(addresses.address_of(objects.numbers_of(flags, 2)), 2)
    lock = new_arrays.release_lock(not new_arrays.is_none(release))
    tries = 0
    while read_shared(integers, 0) == 0 and tries < 1 << 29:
        tries += 1
    new_arrays.take_lock(lock)
    if tries < 1 << 29:
        store(objects.numbers_of(flags, 2), 1, 1.0)
    return new_arrays.no_object()


@pytest.mark.parametrize("release", [True, None])
def test_other_threads_run_only_while_the_lock_is_released(release):
    enter = entrance(compiled_for(wait, (objects.python_object,) * 2, holds_lock=True))
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


# -------------------------------------------------------------------------------------------- arguments that it is lent


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


def test_compiled_code_finds_what_numpy_has_and_counts_no_references():
    rng = np.random.default_rng(0)
    record = Record(
        rng.integers(-9, 9, 4), rng.normal(size=(3, 5)), (rng.normal(size=4), rng.normal(size=(2, 3, 4))), -7
    )
    arguments = record, 0.25, rng.normal(size=6)
    function = entry_point(weigh)
    function.compile((lent.Lent(tuple(typeof(x) for x in arguments)),))
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
