"""Memory that is asked for before it is read, in compiled code."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from pluecker.spatial.engine.codegen.lanes import INT, LONG
from pluecker.spatial.engine.codegen.views import parts
from pluecker.spatial.engine.compiled.numba_internals import TAUGHT
from pluecker.spatial.engine.memory.ahead import ask_for_rows
from pluecker.spatial.engine.scalars.lanes import WIDTH

READ, SECOND_CACHE, DATA = 0, 2, 1  # as LLVM counts


@intrinsic
def ask_for(typing, array, k):
    """Prefetch row ``k`` of an array of lanes into the second cache; nothing happens where there is none."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data, _ = parts(context, builder, signature.args[0], arguments[0])
        byte = ir.PointerType(ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [byte, INT, INT, INT])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        row = builder.gep(data, [builder.mul(arguments[1], LONG(WIDTH))])  # may lie behind the end
        builder.call(prefetch, [builder.bitcast(row, byte), INT(READ), INT(SECOND_CACHE), INT(DATA)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@overload(ask_for_rows, jit_options=TAUGHT)
def _ask_for_rows(array, first, count):
    def prefetch(array, first, count):
        for k in range(first, first + count):
            ask_for(array, k)

    return prefetch
