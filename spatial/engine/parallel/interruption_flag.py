"""The number in memory by which compiled loops learn that their work is not wanted any more."""

from __future__ import annotations

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from pluecker.spatial.engine.compiled.symbols import new_symbol, symbol

__all__ = ["interrupted", "state"]

NAME = "pluecker_interrupted"

state = new_symbol(NAME)  # 1 while something is being interrupted


def interrupted():
    """Return whether loops shall end"""
    return state[0] != 0


if not config.DISABLE_JIT:

    @intrinsic
    def interrupted(typing):
        """Return whether loops shall end, by an atomic load of the number."""

        def generate(context, builder, signature, arguments):
            now = builder.load_atomic(symbol(builder, NAME), "monotonic", 8)
            return builder.icmp_signed("!=", now, ir.IntType(64)(0))

        return types.boolean(), generate
