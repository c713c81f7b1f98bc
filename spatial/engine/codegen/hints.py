"""Hints of compiled code to the compiler: which branch is rare."""

from __future__ import annotations

from llvmlite import ir
from numba import types

from pluecker.spatial.engine.compiled.decorators import unlikely
from pluecker.spatial.engine.compiled.numba_internals import cgutils, means


@means(unlikely)
def _unlikely(typing, condition):
    """Mark a condition by LLVM's ``llvm.expect`` as rarely true."""

    def generate(context, builder, signature, arguments):
        bit = ir.IntType(1)
        kind = ir.FunctionType(bit, [bit, bit])
        expect = cgutils.get_or_insert_function(builder.module, kind, "llvm.expect.i1")
        return builder.call(expect, [arguments[0], ir.Constant(bit, 0)])

    return types.boolean(types.boolean), generate
