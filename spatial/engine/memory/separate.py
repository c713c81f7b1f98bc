"""Functions that are compiled separately, once, and called by other compiled code through a name that LLVM knows.

A kernel becomes part of each entry point that calls it, and is compiled anew with each. What is long, has the same types of
arguments everywhere and takes microseconds is better off by itself: it has a file of its own on disk, and whatever calls it
compiles faster. The solver of small problems takes 6 s to compile, the free velocity of a step 9 s, which each kind of step
would take anew. By its name code from the disk finds a function too, in any process: there is an address behind the name,
which is filled in before the code runs that reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic, overload

from pluecker.spatial.engine.compiled.decorators import TAUGHT, address, compiled_for
from pluecker.spatial.engine.compiled.numba_internals import NAMED, call_address, compiling
from pluecker.spatial.engine.compiled.symbols import new_symbol, symbol
from pluecker.spatial.engine.memory.views import View, make_view, parts, scalar_of
from pluecker.spatial.engine.scalars.lanes import LONG

__all__ = ["arrays_in", "by_scalar", "compiled_separately", "put_arrays"]

TAKES = (types.intp, types.intp)


def compiled_separately(name: str, function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    """Make an intrinsic by which compiled code calls a function that is compiled separately.

    Args:
        name: by which it is found; no other has it.
        function: takes two integers, as functions that threads share; it allocates no memory.
    """
    place = new_symbol(name)

    def fill() -> None:
        """Compile the function or load it from disk, unless that is done, and store its address under its name."""
        with compiling:
            if not place[0]:
                place[0] = address(compiled_for(function, TAKES))

    NAMED[name] = fill

    @intrinsic
    def call(typing, block, k):
        """Call the function; its exceptions are propagated."""

        def generate(context, builder, signature, arguments):
            pointer = builder.load(symbol(builder, name))
            return call_address(context, builder, pointer, types.intp, TAKES, arguments, passes_on=True)[1]

        return types.intp(*TAKES), generate

    return call


def word(builder: Any, block: Any, k: int) -> Any:
    """Return a pointer to the k-th integer of a block."""
    return builder.gep(block, [LONG(k)], inbounds=True)


@intrinsic
def put_arrays(typing, block, arrays):
    """Store address and length of each array of a tuple, two integers each, at the beginning of a block of integers."""

    def generate(context, builder, signature, arguments):
        place, _ = parts(context, builder, signature.args[0], arguments[0])
        for k, kind in enumerate(signature.args[1]):
            data, size = parts(context, builder, kind, builder.extract_value(arguments[1], k))
            builder.store(builder.ptrtoint(data, LONG), word(builder, place, 2 * k))
            builder.store(size, word(builder, place, 2 * k + 1))
        return context.get_dummy_value()

    return types.none(block, arrays), generate


@intrinsic
def arrays_in(typing, block, count):
    """Return the first ``count`` arrays of a block of :func:`put_arrays`, as a tuple of views; the count is a constant."""
    if not isinstance(count, types.IntegerLiteral):
        return None
    kind = View(types.float64)

    def generate(context, builder, signature, arguments):
        place, _ = parts(context, builder, signature.args[0], arguments[0])
        found = []
        for k in range(count.literal_value):
            data = builder.inttoptr(
                builder.load(word(builder, place, 2 * k)), context.get_data_type(types.CPointer(types.float64))
            )
            found.append(make_view(context, builder, kind, data, builder.load(word(builder, place, 2 * k + 1))))
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(kind, count.literal_value)(block, count), generate


def by_scalar(array, of_numbers, of_others):
    """Choose the first of two kernels for arrays of numbers, the second for all other arrays"""
    return of_others


@overload(by_scalar, jit_options=TAUGHT)
def _by_scalar(array, of_numbers, of_others):
    if scalar_of(array) == types.float64:
        return lambda array, of_numbers, of_others: of_numbers
    return lambda array, of_numbers, of_others: of_others
