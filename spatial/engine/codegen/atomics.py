"""Shared memory, and calls through an address, in compiled code."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from pluecker.spatial.engine.codegen.views import parts
from pluecker.spatial.engine.compiled.numba_internals import call_address, check_index, means
from pluecker.spatial.engine.parallel.atomics import (
    add_shared,
    call_c,
    call_through,
    give_way,
    pause,
    read_shared,
    replace_shared,
    write_shared,
)

ORDER = "seq_cst"


def place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Pointer to entry ``k`` of the shared memory."""
    data, size = parts(context, builder, signature.args[0], arguments[0])
    check_index(context, builder, arguments[1], size)
    return builder.gep(data, [arguments[1]], inbounds=True)


@means(add_shared)
def _add_shared(typing, memory, k, x):
    """Add ``x`` to entry ``k``; gives what it was before."""

    def generate(context, builder, signature, arguments):
        return builder.atomic_rmw("add", place(context, builder, signature, arguments), arguments[2], ORDER)

    return types.intp(memory, types.intp, types.intp), generate


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


@means(write_shared)
def _write_shared(typing, memory, k, x):
    """Put ``x`` into entry ``k``."""

    def generate(context, builder, signature, arguments):
        builder.store_atomic(arguments[2], place(context, builder, signature, arguments), ORDER, 8)
        return context.get_dummy_value()

    return types.none(memory, types.intp, types.intp), generate


@means(pause)
def _pause(typing):
    """Wait a moment, as processors are told that a thread only looks out for another."""

    def generate(context, builder, signature, arguments):
        if builder.module.triple.startswith(("x86_64", "i686")):
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", fnty=kind), [])
        return context.get_dummy_value()

    return types.none(), generate


@means(give_way)
def _give_way(typing, function):
    """Let others run that wait for this core, by the function of the system at that address."""

    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [])
        return context.get_dummy_value()

    return types.none(types.intp), generate


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
