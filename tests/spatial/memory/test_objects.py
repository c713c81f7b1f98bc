"""What compiled code takes for a plain array of numbers, of all that Python can hand it."""

import pickle

import numpy as np
import pytest
from numba import config

if config.DISABLE_JIT:
    pytest.skip("about memory that compiled code reads", allow_module_level=True)

from pluecker.spatial.compiled.decorators import compiled_for, entrance
from pluecker.spatial.memory.objects import CLASS_OF_ARRAYS, array_in, entries_of, numbers_of, python_object
from pluecker.spatial.scalars.operations import load, store


def describe(arguments, axes, found, out):
    """Whether the only argument is plain, its rows and columns, and the sum of its entries; ``out`` holds NumPy's class."""
    shape = numbers_of(found, 4)
    plain, entries, rows, columns = array_in(
        load(entries_of(arguments, 1), 0), int(load(numbers_of(axes, 1), 0)), int(load(entries_of(out, 1), 0))
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
    enter = entrance(compiled_for(describe, (python_object,) * 4))

    def look(value, axes):
        found = np.zeros(4)
        enter((value,), np.array([float(axes)]), found, (np.ndarray,))
        return bool(found[0] == 1.0), (int(found[1]), int(found[2])), found[3]

    return look


def test_the_address_of_a_class_is_its_identity():
    assert id(np.ndarray) == CLASS_OF_ARRAYS


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
    """What a subclass means by its entries, only it knows."""


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


def test_tables_are_read_by_rows(look):
    table = np.arange(6.0).reshape(2, 3)
    assert look(table, 2) == (True, (2, 3), 15.0)
    assert look(np.asfortranarray(table), 2)[0] is False
    assert look(table.T, 2)[0] is False
