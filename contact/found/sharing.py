"""Memory that a compiled step shares with Python: integers among its numbers, arrays of NumPy on it, and a call."""

import ctypes
from typing import Any

import numpy as np
from numba import config, types
from numba.extending import intrinsic, overload

from pluecker.spatial.engine.compiled.decorators import TAUGHT
from pluecker.spatial.engine.compiled.numba_internals import cgutils, populate_array
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at
from pluecker.spatial.engine.memory.views import View, parts
from pluecker.spatial.engine.parallel.atomics import call_c
from pluecker.spatial.engine.scalars.lanes import LONG

__all__ = [
    "ASKED",
    "as_cube",
    "as_matrix",
    "as_vector",
    "ask",
    "integers",
    "integers_in",
    "numbers_in",
    "place_of",
    "vector_at",
]

ASKED = ctypes.CFUNCTYPE(None, ctypes.c_double, *(ctypes.c_int64,) * 4)


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


def ask(function, ws, what):
    """Call Python for a step, whose answer is in the workspace"""
    ASKED(function)(float(what), ws.ctypes.data, 0, 0, 0)


@overload(ask, jit_options=TAUGHT)
def _ask(function, ws, what):
    return lambda function, ws, what: call_c(function, float(what), address_of(ws), 0, 0, 0)


def as_vector(array):
    """View a scalar array as an array of NumPy"""
    return array


def vector_at(array, at, n):
    """View n entries of a scalar array from ``at`` on as an array of NumPy"""
    return array[at : at + n]


def as_matrix(array, rows, columns):
    """View the beginning of a scalar array, row by row, as a matrix of NumPy"""
    return array[: rows * columns].reshape(rows, columns)


def as_cube(array, n, rows, columns):
    """View the beginning of a scalar array as n matrices of NumPy"""
    return array[: n * rows * columns].reshape(n, rows, columns)


if not config.DISABLE_JIT:

    def array_of(context: Any, builder: Any, kind: Any, data: Any, shape: list[Any]) -> Any:
        """Make an array of NumPy of this shape at a pointer."""
        found, strides = context.make_array(kind)(context, builder), [LONG(8)]
        for length in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        lengths, steps = (cgutils.pack_array(builder, each) for each in (shape, strides))
        populate_array(found, data, lengths, steps, LONG(8), None)
        return found._getvalue()

    @intrinsic
    def as_vector(typing, array):
        """View a scalar array as an array of NumPy"""
        kind = types.Array(array.scalar, 1, "C")

        def generate(context, builder, signature, arguments):
            data, size = parts(context, builder, array, arguments[0])
            return array_of(context, builder, kind, data, [size])

        return kind(array), generate

    @intrinsic
    def vector_at(typing, array, at, n):
        """View n entries of a scalar array from ``at`` on as an array of NumPy"""
        kind = types.Array(array.scalar, 1, "C")

        def generate(context, builder, signature, arguments):
            data = builder.gep(parts(context, builder, array, arguments[0])[0], [arguments[1]])
            return array_of(context, builder, kind, data, [arguments[2]])

        return kind(array, types.intp, types.intp), generate

    @intrinsic
    def as_matrix(typing, array, rows, columns):
        """View the beginning of a scalar array, row by row, as a matrix of NumPy"""
        kind = types.Array(array.scalar, 2, "C")

        def generate(context, builder, signature, arguments):
            return array_of(
                context, builder, kind, parts(context, builder, array, arguments[0])[0], list(arguments[1:])
            )

        return kind(array, types.intp, types.intp), generate

    @intrinsic
    def as_cube(typing, array, n, rows, columns):
        """View the beginning of a scalar array as n matrices of NumPy"""
        kind = types.Array(array.scalar, 3, "C")

        def generate(context, builder, signature, arguments):
            return array_of(
                context, builder, kind, parts(context, builder, array, arguments[0])[0], list(arguments[1:])
            )

        return kind(array, types.intp, types.intp, types.intp), generate
