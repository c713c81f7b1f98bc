"""The number in memory by which compiled loops learn that their work is not wanted any more.

Compiled code finds it by a name that LLVM knows, so that code kept on disk finds it too, in any process.
"""

from __future__ import annotations

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

__all__ = ["interrupted", "state"]

NAME = "pluecker_interrupted"

state = np.zeros(1, np.int64)  # 1 while something is being interrupted
llvmlite.binding.add_symbol(NAME, state.ctypes.data)


def interrupted():
    """Whether loops shall end"""
    return state[0] != 0


if not config.DISABLE_JIT:

    @intrinsic
    def interrupted(typing):
        """The same in compiled code."""

        def generate(context, builder, signature, arguments):
            number = ir.IntType(64)
            place = builder.module.globals.get(NAME)
            if place is None:
                place = ir.GlobalVariable(builder.module, number, NAME)
            return builder.icmp_signed("!=", builder.load_atomic(place, "monotonic", 8), number(0))

        return types.boolean(), generate
