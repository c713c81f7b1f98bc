"""Decorators of kernels, what makes kernels callable from Python, and the cache behind it.

A *kernel* is a function on tuples and views of arrays that Numba compiles once for each scalar it meets: ``float64``
for one state, :mod:`~pluecker.spatial.engine.scalars.lanes` for eight at a time, others for derivatives. Kernels validate
nothing and never raise; the public functions around them do. Kernels call kernels; Python calls *entry points*, of
which there are few.

=================================  ==================================================================================
decorator                          what it makes
=================================  ==================================================================================
:func:`kernel`                     a part of the code that calls it: the rule
:func:`called_kernel`              a function that is called, one copy in each entry point: loops over all blocks, rare cases
:func:`entry_point`                a function for Python, compiled for the types that it is called with
:func:`compiled_for`               a function for Python or for other threads, compiled for the types that are given
=================================  ==================================================================================

Compiled code is kept on disk, one file for each entry point with all that it calls. It is compiled anew when something
changes that it is made of, and only then: see :mod:`~pluecker.spatial.engine.compiled.stamp`. Code for another processor is
kept beside it. A damaged file is made anew.

=================================  ==================================================================================
situation                          what happens
=================================  ==================================================================================
``NUMBA_DISABLE_JIT=1``            the Python function itself: slow, for one state, for debuggers and coverage
``NUMBA_CACHE_DIR`` set            compiled code is kept there
otherwise                          in ``__pycache__`` beside the source, else in the user's cache folder
no folder can be written           kernels work and are compiled anew in each process
``PLUECKER_PLAIN_NUMBA=1``         Numba's compiler is not shortened: the same code, a first call takes half as long again
``fork`` while a thread compiles   the process forks when that is done, so that its child finds nothing half made
=================================  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from pluecker.spatial.engine.compiled.numba_internals import (
    WITHOUT_REFERENCES,
    CPUDispatcher,
    EntranceCompiler,
    PartCompiler,
    address,
    cgutils,
    entrance,
    keep_on_disk,
    once,
)

__all__ = [
    "TAUGHT",
    "address",
    "called_kernel",
    "compiled_for",
    "entrance",
    "entry_point",
    "kernel",
    "once",
    "positive",
    "unlikely",
]

F = TypeVar("F", bound=Callable[..., Any])

# Products and sums may be fused (FMA); nothing else of fast-math, so that NaN and infinity keep their meaning.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
ENTRANCE: dict[str, Any] = {**OPTIONS, "nopython": True, "no_cfunc_wrapper": True}
# A kernel becomes part of the code that calls it, so that its tuples stay in registers. It counts references if its caller
# does.
INNER: dict[str, Any] = {**ENTRANCE, "forceinline": True, "no_cpython_wrapper": True}
# What is called from a kernel becomes part of it too, unless this is said: Numba hands the option on.
CALLED: dict[str, Any] = {**INNER, "forceinline": False, **WITHOUT_REFERENCES}
# Of what a scalar can do: parts of the kernels that ask for it.
TAUGHT: dict[str, Any] = {**INNER, "pipeline_class": PartCompiler}


class Kernel(CPUDispatcher):
    """A function that compiled code calls. Python calls it too: through a version with an entrance for Python's objects."""

    def __call__(self, *arguments: Any) -> Any:
        return self.entrance(*arguments)

    @once
    def entrance(self) -> Any:
        """The version for Python, compiled when it is first called, and kept on disk."""
        return entry_point(self.py_func, allocates=not self.targetoptions.keys() >= WITHOUT_REFERENCES.keys())

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Resolve a call: a kernel has one copy for all integers and truth values, though to Numba each constant is a type
        of its own."""
        return super().get_call_template(tuple(map(types.unliteral, args)), kws)


def kernel(function: F) -> F:
    """Compile ``function`` lazily, once for each combination of argument types that compiled code calls it with.

    A hundred kernels make one algorithm. What only Python needs, the conversion of its objects and a cache file, takes more
    time than the code itself; it is left to entry points.
    """
    if config.DISABLE_JIT:
        return function
    return Kernel(function, targetoptions=INNER, pipeline_class=PartCompiler)


def called_kernel(function: F) -> F:
    """Compile a kernel that is called, and not written into its callers: one copy of it in each entry point.

    It allocates no memory and gives no array back, neither itself nor in what it calls: no references are counted.

    For what takes longer than a call, such as a loop over all blocks, and for long formulas of rare cases: a copy of them in
    each algorithm and at each call would make all of them compile longer, and their loops larger.
    """
    if config.DISABLE_JIT:
        return function
    return Kernel(function, targetoptions=CALLED, pipeline_class=PartCompiler)


def entry_point(function: F, allocates: bool = False, holds_lock: bool = False) -> F:
    """Compile ``function`` for calls from Python, lazily, once for each combination of argument types, cached on disk.

    Args:
        function: takes arrays, numbers, and tuples of them.
        allocates: whether it allocates memory, or gives an array back, itself or in what it calls; otherwise references are
            not counted.
        holds_lock: whether Python's lock is held while it runs, unless it lets go of it by itself.
    """
    if config.DISABLE_JIT:
        return function
    options = {**ENTRANCE, "forceinline": False, "nogil": not holds_lock, **({} if allocates else WITHOUT_REFERENCES)}
    return keep_on_disk(CPUDispatcher(function, targetoptions=options, pipeline_class=EntranceCompiler))


def unlikely(condition):
    """Return the condition, and tell the compiler that it rarely holds: registers are then kept for the other branch"""
    return condition


if not config.DISABLE_JIT:

    @intrinsic
    def unlikely(typing, condition):
        """Return the condition, marked by LLVM's ``llvm.expect`` as rarely true."""

        def generate(context, builder, signature, arguments):
            bit = ir.IntType(1)
            kind = ir.FunctionType(bit, [bit, bit])
            expect = cgutils.get_or_insert_function(builder.module, kind, "llvm.expect.i1")
            return builder.call(expect, [arguments[0], ir.Constant(bit, 0)])

        return types.boolean(types.boolean), generate


@kernel
def positive(index):
    """Return an index below 2**62 unchanged; compiled code then knows that it is not negative, and does not test whether an
    entry is counted from the end: a third of the time of a loop over small blocks"""
    return index & 0x3FFFFFFFFFFFFFFF


def compiled_for(function: F, signature: tuple[Any, ...], holds_lock: bool = False) -> F:
    """Compile ``function``, an entry point with these types of arguments and no others, now, or take it from the disk."""
    if config.DISABLE_JIT:
        return function
    dispatcher: Any = entry_point(function, holds_lock=holds_lock)
    dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher
