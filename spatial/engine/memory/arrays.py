"""Memory that compiled code shares with Python: integers among its numbers, rows of eight, arrays of NumPy on it."""

import ctypes
from typing import Any

import numpy as np
from numba import config, types
from numba.extending import intrinsic, overload

from pluecker.spatial.engine.compiled.decorators import TAUGHT, kernel
from pluecker.spatial.engine.compiled.numba_internals import cgutils, populate_array
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at, rows_at
from pluecker.spatial.engine.memory.views import View, parts
from pluecker.spatial.engine.scalars.lanes import LONG, WIDTH, get_lane, set_lane
from pluecker.spatial.engine.scalars.operations import tail

__all__ = [
    "aligned",
    "as_matrix",
    "as_vector",
    "entry",
    "integers",
    "integers_in",
    "numbers_in",
    "place_of",
    "rows_of",
    "with_entry",
]


def integers(array):
    """View the numbers of an array as integers"""
    return array.view("int64")


@overload(integers, jit_options=TAUGHT)
def _integers(array):
    if isinstance(array, View) and array.scalar == types.float64:
        return lambda array: integers_at(address_of(array), len(array))
    return None


def integers_in(place, n):
    """View the n integers at an address"""
    return np.ctypeslib.as_array((ctypes.c_int64 * n).from_address(place))


@overload(integers_in, jit_options=TAUGHT)
def _integers_in(place, n):
    return lambda place, n: integers_at(place, n)


def numbers_in(place, n):
    """View the n numbers at an address"""
    return np.ctypeslib.as_array((ctypes.c_double * n).from_address(place))


@overload(numbers_in, jit_options=TAUGHT)
def _numbers_in(place, n):
    return lambda place, n: numbers_at(place, n)


def place_of(ws):
    """Return the address of a workspace"""
    return ws.ctypes.data


@overload(place_of, jit_options=TAUGHT)
def _place_of(ws):
    return lambda ws: address_of(ws)


def rows_of(array):
    """View numbers as rows of eight; the first is at a multiple of 64, as :func:`aligned` makes it"""
    return array.reshape(-1, WIDTH)


def aligned(array):
    """View an array from where rows of eight may begin"""
    return array


def entry(row, k):
    """Return one number of a row of eight"""
    return row[k]


def with_entry(row, k, x):
    """Return a row of eight in which one number is another one"""
    return np.where(np.arange(WIDTH) == k, x, row)


def as_vector(array):
    """View a scalar array as an array of NumPy"""
    return array


def as_matrix(array, rows, columns):
    """View the beginning of a scalar array, row by row, as a matrix of NumPy"""
    return array[: rows * columns].reshape(rows, columns)


if not config.DISABLE_JIT:

    def array_of(context: Any, builder: Any, kind: Any, data: Any, shape: list[Any]) -> Any:
        """Make an array of NumPy of this shape at a pointer."""
        found, strides = context.make_array(kind)(context, builder), [LONG(8)]
        for length in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        lengths, steps = (cgutils.pack_array(builder, each) for each in (shape, strides))
        populate_array(found, data, lengths, steps, LONG(8), None)
        return found._getvalue()

    @kernel
    def rows_of(array):
        """View numbers as rows of eight; the first is at a multiple of 64, as :func:`aligned` makes it"""
        return rows_at(address_of(array), len(array) // WIDTH)

    @kernel
    def aligned(array):
        """View an array from where rows of eight may begin"""
        return tail(array, (-(address_of(array) >> 3)) & (WIDTH - 1))

    entry, with_entry = get_lane, set_lane

    @intrinsic
    def as_vector(typing, array):
        """View a scalar array as an array of NumPy"""
        kind = types.Array(array.scalar, 1, "C")

        def generate(context, builder, signature, arguments):
            data, size = parts(context, builder, array, arguments[0])
            return array_of(context, builder, kind, data, [size])

        return kind(array), generate

    @intrinsic
    def as_matrix(typing, array, rows, columns):
        """View the beginning of a scalar array, row by row, as a matrix of NumPy"""
        kind = types.Array(array.scalar, 2, "C")

        def generate(context, builder, signature, arguments):
            return array_of(
                context, builder, kind, parts(context, builder, array, arguments[0])[0], list(arguments[1:])
            )

        return kind(array, types.intp, types.intp), generate
