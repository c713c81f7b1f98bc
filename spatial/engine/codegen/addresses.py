"""Memory by its address, in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from pluecker.spatial.engine.codegen.lanes import LONG, lanes
from pluecker.spatial.engine.codegen.views import View, make_view, number_of, parts
from pluecker.spatial.engine.compiled.numba_internals import means
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at, room_for, rows_at


@means(address_of)
def _address_of(typing, view):
    """Return the address of the first entry of a view."""

    def generate(context, builder, signature, arguments):
        return builder.ptrtoint(parts(context, builder, signature.args[0], arguments[0])[0], LONG)

    return types.intp(view), generate


@means(room_for)
def _room_for(typing, n):
    """Return the address of room for ``n`` numbers, until the function that asks returns."""

    def generate(context, builder, signature, arguments):
        return builder.ptrtoint(builder.alloca(ir.DoubleType(), size=arguments[0]), LONG)

    return types.intp(types.intp), generate


def view_at(function: Callable[..., Any], scalar: Any) -> None:
    """Make ``function(address, n)`` give a view of n scalars."""
    result = View(scalar)

    @means(function)
    def _view_at(typing, address, n):
        def generate(context, builder, signature, arguments):
            pointer = builder.inttoptr(arguments[0], context.get_data_type(number_of(scalar)).as_pointer())
            return make_view(context, builder, result, pointer, arguments[1])

        return result(types.intp, types.intp), generate


view_at(numbers_at, types.float64)
view_at(integers_at, types.intp)
view_at(rows_at, lanes)
