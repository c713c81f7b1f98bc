"""Memory that compiled code shares with Python, in compiled code."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import overload

from pluecker.spatial.engine.codegen.lanes import LONG
from pluecker.spatial.engine.codegen.views import View, parts
from pluecker.spatial.engine.compiled.numba_internals import TAUGHT, cgutils, means, populate_array
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at, rows_at
from pluecker.spatial.engine.memory.arrays import (
    aligned,
    as_matrix,
    as_vector,
    integers,
    integers_in,
    numbers_in,
    place_of,
    rows_of,
)
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import tail


@overload(integers, jit_options=TAUGHT)
def _integers(array):
    if isinstance(array, View) and array.scalar == types.float64:
        return lambda array: integers_at(address_of(array), len(array))
    return None


@overload(integers_in, jit_options=TAUGHT)
def _integers_in(place, n):
    return lambda place, n: integers_at(place, n)


@overload(numbers_in, jit_options=TAUGHT)
def _numbers_in(place, n):
    return lambda place, n: numbers_at(place, n)


@overload(place_of, jit_options=TAUGHT)
def _place_of(ws):
    return lambda ws: address_of(ws)


@overload(rows_of, jit_options=TAUGHT)
def _rows_of(array):
    return lambda array: rows_at(address_of(array), len(array) // WIDTH)


@overload(aligned, jit_options=TAUGHT)
def _aligned(array):
    return lambda array: tail(array, (-(address_of(array) >> 3)) & (WIDTH - 1))


def array_of(context: Any, builder: Any, kind: Any, data: Any, shape: list[Any]) -> Any:
    """Make an array of NumPy of this shape at a pointer."""
    found, strides = context.make_array(kind)(context, builder), [LONG(8)]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    lengths, steps = (cgutils.pack_array(builder, each) for each in (shape, strides))
    populate_array(found, data, lengths, steps, LONG(8), None)
    return found._getvalue()


@means(as_vector)
def _as_vector(typing, array):
    """View a scalar array as an array of NumPy"""
    kind = types.Array(array.scalar, 1, "C")

    def generate(context, builder, signature, arguments):
        data, size = parts(context, builder, array, arguments[0])
        return array_of(context, builder, kind, data, [size])

    return kind(array), generate


@means(as_matrix)
def _as_matrix(typing, array, rows, columns):
    """View the beginning of a scalar array, row by row, as a matrix of NumPy"""
    kind = types.Array(array.scalar, 2, "C")

    def generate(context, builder, signature, arguments):
        return array_of(context, builder, kind, parts(context, builder, array, arguments[0])[0], list(arguments[1:]))

    return kind(array, types.intp, types.intp), generate
