"""Shared memory, and calls through an address, in compiled code."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from pluecker.spatial.engine.codegen.views import parts
from pluecker.spatial.engine.compiled.numba_internals import call_address, check_index, means
from pluecker.spatial.engine.parallel.atomics import call_c, call_through, read_shared, replace_shared

ORDER = "seq_cst"


def place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Pointer to entry ``k`` of the shared memory."""
    data, size = parts(context, builder, signature.args[0], arguments[0])
    check_index(context, builder, arguments[1], size)
    return builder.gep(data, [arguments[1]], inbounds=True)


@means(replace_shared)
def _replace_shared(typing, memory, k, old, new):
    """Put ``new`` into entry ``k`` if it is ``old``; whether it was."""

    def generate(context, builder, signature, arguments):
        pointer = place(context, builder, signature, arguments)
        return builder.extract_value(builder.cmpxchg(pointer, arguments[2], arguments[3], ORDER), 1)

    return types.boolean(memory, types.intp, types.intp, types.intp), generate


@means(read_shared)
def _read_shared(typing, memory, k):
    """Entry ``k``."""

    def generate(context, builder, signature, arguments):
        return builder.load_atomic(place(context, builder, signature, arguments), ORDER, 8)

    return types.intp(memory, types.intp), generate


# ------------------------------------------------------------------------------------------------------------------ calls


@means(call_through)
def _call_through(typing, function, task, k):
    """Call the function at an address with two integers; an exception that it raises is one of the caller."""

    def generate(context, builder, signature, arguments):
        takes = (types.intp, types.intp)
        return call_address(context, builder, arguments[0], types.intp, takes, arguments[1:], passes_on=True)[1]

    return types.intp(types.intp, types.intp, types.intp), generate


@means(call_c)
def _call_c(typing, function, number, first, second, third, fourth):
    """Call the function at an address, as C does, with a number and the addresses of four arrays of numbers; no result."""

    def generate(context, builder, signature, arguments):
        pointer = ir.DoubleType().as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [ir.DoubleType(), *[pointer] * 4])
        arrays = [builder.inttoptr(place, pointer) for place in arguments[2:]]
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1], *arrays])
        return context.get_dummy_value()

    return types.none(types.intp, types.float64, *[types.intp] * 4), generate
