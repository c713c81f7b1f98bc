"""Zeros in results that are written in tiles, in compiled code."""

from __future__ import annotations

from numba import types

from pluecker.spatial.engine.codegen.lanes import LONG
from pluecker.spatial.engine.codegen.views import parts
from pluecker.spatial.engine.compiled.numba_internals import cgutils, means
from pluecker.spatial.engine.memory.tiles import clear


@means(clear)
def _clear(typing, numbers, first, end):
    """Set the entries from ``first`` to ``end`` of a view of numbers to zero, by the C library's ``memset``."""

    def generate(context, builder, signature, arguments):
        numbers, first, end = arguments
        data, _ = parts(context, builder, signature.args[0], numbers)
        size = builder.mul(builder.sub(end, first), LONG(8))
        cgutils.memset(builder, builder.gep(data, [first], inbounds=True), size, 0)
        return context.get_dummy_value()

    return types.none(numbers, types.intp, types.intp), generate
