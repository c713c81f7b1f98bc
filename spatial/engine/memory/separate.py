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

from pluecker.spatial.engine.compiled.decorators import ADDRESSES, address, compiled_for, taught_by
from pluecker.spatial.engine.compiled.locking import compiling
from pluecker.spatial.engine.compiled.symbols import new_symbol

__all__ = ["arrays_in", "by_kind", "by_scalar", "compiled_separately", "put_arrays"]


def compiled_separately(name: str, function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    """Make a function by which compiled code calls another one, which is compiled separately.

    Args:
        name: by which it is found; no other has it.
        function: takes two integers, as functions that threads share; it allocates no memory.
    """

    def fill() -> None:
        """Compile the function or load it from disk, unless that is done, and store its address under its name."""
        with compiling:
            if not place[0]:
                place[0] = address(compiled_for(function, ADDRESSES))

    def call(block: int, k: int) -> int:
        """Call the function."""
        return function(block, k)

    place = new_symbol(name, fill)
    call.__name__ = call.__qualname__ = name
    taught_by("pluecker.spatial.engine.codegen.symbols", "call_compiled", call, name)
    return call


def put_arrays(block: Any, arrays: Any) -> None:
    """Store address and length of each array of a tuple, two integers each, at the beginning of a block of integers."""
    raise NotImplementedError


def arrays_in(block: Any, count: int) -> Any:
    """Return the first ``count`` arrays of a block of :func:`put_arrays`, as a tuple of views; the count is a constant."""
    raise NotImplementedError


def by_scalar(array, of_numbers, of_others):
    """Choose the first of two kernels for arrays of numbers, the second for all other arrays"""
    return of_others


def by_kind(array, of_numbers, of_lanes, of_duals):
    """Choose one of three kernels, for arrays of numbers, of lanes and of dual numbers"""
    return of_numbers
