"""Arrays in blocks of integers, and kernels that are chosen by what an array holds, in compiled code."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import overload

from pluecker.spatial.engine.codegen.duals import duals
from pluecker.spatial.engine.codegen.lanes import LONG, lanes
from pluecker.spatial.engine.codegen.views import View, make_view, parts, scalar_of
from pluecker.spatial.engine.compiled.numba_internals import TAUGHT, means
from pluecker.spatial.engine.memory.separate import arrays_in, by_kind, by_scalar, put_arrays


def word(builder: Any, block: Any, k: int) -> Any:
    """Return a pointer to the k-th integer of a block."""
    return builder.gep(block, [LONG(k)], inbounds=True)


@means(put_arrays)
def _put_arrays(typing, block, arrays):
    """Store address and length of each array of a tuple, two integers each, at the beginning of a block of integers."""

    def generate(context, builder, signature, arguments):
        place, _ = parts(context, builder, signature.args[0], arguments[0])
        for k, kind in enumerate(signature.args[1]):
            data, size = parts(context, builder, kind, builder.extract_value(arguments[1], k))
            builder.store(builder.ptrtoint(data, LONG), word(builder, place, 2 * k))
            builder.store(size, word(builder, place, 2 * k + 1))
        return context.get_dummy_value()

    return types.none(block, arrays), generate


@means(arrays_in)
def _arrays_in(typing, block, count):
    """Return the first ``count`` arrays of a block of :func:`put_arrays`, as a tuple of views; the count is a constant."""
    if not isinstance(count, types.IntegerLiteral):
        return None
    kind = View(types.float64)

    def generate(context, builder, signature, arguments):
        place, _ = parts(context, builder, signature.args[0], arguments[0])
        found = []
        for k in range(count.literal_value):
            data = builder.inttoptr(
                builder.load(word(builder, place, 2 * k)), context.get_data_type(types.CPointer(types.float64))
            )
            found.append(make_view(context, builder, kind, data, builder.load(word(builder, place, 2 * k + 1))))
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(kind, count.literal_value)(block, count), generate


@overload(by_scalar, jit_options=TAUGHT)
def _by_scalar(array, of_numbers, of_others):
    if scalar_of(array) == types.float64:
        return lambda array, of_numbers, of_others: of_numbers
    return lambda array, of_numbers, of_others: of_others


@overload(by_kind, jit_options=TAUGHT)
def _by_kind(array, of_numbers, of_lanes, of_duals):
    if scalar_of(array) == types.float64:
        return lambda array, of_numbers, of_lanes, of_duals: of_numbers
    if scalar_of(array) == lanes:
        return lambda array, of_numbers, of_lanes, of_duals: of_lanes
    if scalar_of(array) == duals:
        return lambda array, of_numbers, of_lanes, of_duals: of_duals
    return None
