"""Memory by its address: an integer on its way through compiled code, a view where it is read. For compiled code only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from pluecker.spatial.engine.memory.views import View, make_view, number_of, parts
from pluecker.spatial.engine.scalars.lanes import LONG, lanes

__all__ = ["address_of", "integers_at", "numbers_at", "room_for", "rows_at"]


@intrinsic
def address_of(typing, view):
    """Return the address of the first entry of a view."""

    def generate(context, builder, signature, arguments):
        return builder.ptrtoint(parts(context, builder, signature.args[0], arguments[0])[0], LONG)

    return types.intp(view), generate


@intrinsic
def room_for(typing, n):
    """Return the address of room for ``n`` numbers, until the function that asks returns."""

    def generate(context, builder, signature, arguments):
        return builder.ptrtoint(builder.alloca(ir.DoubleType(), size=arguments[0]), LONG)

    return types.intp(types.intp), generate


def view_at(scalar: Any, meaning: str) -> Callable[..., Any]:
    """An intrinsic ``f(address, n)`` that gives a view of n scalars."""
    result = View(scalar)

    def typing_function(typing, address, n):
        def generate(context, builder, signature, arguments):
            pointer = builder.inttoptr(arguments[0], context.get_data_type(number_of(scalar)).as_pointer())
            return make_view(context, builder, result, pointer, arguments[1])

        return result(types.intp, types.intp), generate

    typing_function.__doc__ = meaning
    return intrinsic(typing_function)


numbers_at = view_at(types.float64, "The ``n`` numbers at an address.")
integers_at = view_at(types.intp, "The ``n`` integers at an address.")
rows_at = view_at(lanes, "The ``n`` rows of eight at an address, a multiple of 64.")
