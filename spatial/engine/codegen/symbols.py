"""Numbers and functions that compiled code finds by a name, in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from pluecker.spatial.engine.codegen.lanes import LONG
from pluecker.spatial.engine.compiled.numba_internals import call_address, means
from pluecker.spatial.engine.parallel.interruption_flag import NAME, interrupted

__all__ = ["call_compiled", "call_python"]

TAKES = (types.intp, types.intp)


def symbol(builder: Any, name: str) -> Any:
    """Return the global variable of an LLVM module through which its code finds the integer of that name."""
    place = builder.module.globals.get(name)
    return ir.GlobalVariable(builder.module, LONG, name) if place is None else place


@means(interrupted)
def _interrupted(typing):
    """Load the number atomically."""

    def generate(context, builder, signature, arguments):
        return builder.icmp_signed("!=", builder.load_atomic(symbol(builder, NAME), "monotonic", 8), LONG(0))

    return types.boolean(), generate


def call_compiled(call: Callable[[int, int], int], name: str) -> None:
    """Make ``call`` call the compiled function of that name; its exceptions are propagated."""

    @means(call)
    def _call(typing, block, k):
        def generate(context, builder, signature, arguments):
            pointer = builder.load(symbol(builder, name))
            return call_address(context, builder, pointer, types.intp, TAKES, arguments, passes_on=True)[1]

        return types.intp(*TAKES), generate


def call_python(call: Callable[[int], None], name: str) -> None:
    """Make ``call`` call the function of Python's of that name."""

    @means(call)
    def _call(typing, address):
        def generate(context, builder, signature, arguments):
            kind = ir.FunctionType(ir.VoidType(), [LONG])
            builder.call(builder.inttoptr(builder.load(symbol(builder, name)), kind.as_pointer()), arguments)
            return context.get_dummy_value()

        return types.none(types.intp), generate
