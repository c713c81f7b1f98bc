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

The decorators make nothing but a note. Numba is imported when something has to be compiled, or taken from the disk, and is
taught then what scalars and memory are to compiled code: :mod:`~pluecker.spatial.engine.codegen`.

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
everybody may write there          the same: what is loaded from a folder is run
``PLUECKER_SHIPPED=0``             machine code that comes with the package is left aside, and compiled here
``PLUECKER_PLAIN_NUMBA=1``         Numba's compiler is not shortened: the same code, a first call takes half as long again
``fork`` while a thread compiles   the process forks when that is done, so that its child finds nothing half made
=================================  ==================================================================================
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from pluecker.spatial.engine.compiled.locking import compiling, imported, once
from pluecker.spatial.engine.compiled.settings import (
    CALLED,
    DISABLE_JIT,
    ENTRANCE,
    INNER,
    OPTIONS,
    WITHOUT_REFERENCES,
)
from pluecker.spatial.engine.compiled.shipped_code import entrances, is_shipped
from pluecker.spatial.engine.compiled.stamp import shipped_stamp
from pluecker.spatial.engine.compiled.symbols import FILLED

__all__ = [
    "ADDRESSES",
    "OPTIONS",
    "address",
    "cache_folder",
    "called_kernel",
    "compiled_for",
    "compiler",
    "entrance",
    "entrance_for",
    "entry_point",
    "kernel",
    "listen",
    "once",
    "positive",
    "taught_by",
    "unlikely",
]

F = TypeVar("F", bound=Callable[..., Any])

# Types of arguments are written as Numba writes them, and "python_object" for any object of Python's.
ADDRESSES = ("intp", "intp")
# What teaches Numba, in its order: a module, or a function of one that is called with some arguments.
TEACHERS: list[tuple[str, str, tuple[Any, ...]]] = [("pluecker.spatial.engine.codegen", "", ())]
taught: list[str] = []  # of these, those that have done it


def taught_by(module: str, function: str = "", *arguments: Any) -> None:
    """Name a module, or a function of it, that teaches Numba something before the next function is compiled.

    It is imported then: it may import whoever names it.
    """
    TEACHERS.append((module, function, arguments))


LISTENERS: list[tuple[tuple[str, ...], Any]] = []  # those of :func:`listen` that came before Numba
heard: dict[int, Callable[[], None]] = {}  # what ends it, of those of these that Numba knows


@functools.cache
def numba_internals() -> Any:
    """Import Numba, which takes long, and what is built on it."""
    with compiling:
        internals = imported("pluecker.spatial.engine.compiled.numba_internals")
        compiling.change()
        for entry in LISTENERS:
            heard[id(entry)] = internals.listen(*entry)
        return internals


def listen(kinds: tuple[str, ...], listener: Any) -> Callable[[], None]:
    """Let a listener hear of events of Numba's of these kinds, by its ``on_start`` and ``on_end``, once Numba is imported.

    Returns:
        The function that ends it.
    """
    with compiling:
        if numba_internals.cache_info().currsize:
            return numba_internals().listen(kinds, listener)
        entry = kinds, listener
        LISTENERS.append(entry)

    def end() -> None:
        LISTENERS.remove(entry)
        if id(entry) in heard:
            heard.pop(id(entry))()

    return end


def compiler() -> Any:
    """Return what compiles, once it has been taught all that has a name so far."""
    with compiling:
        internals = numba_internals()
        while len(taught) < len(TEACHERS):
            module, function, arguments = TEACHERS[len(taught)]
            found = imported(module)
            if function:
                getattr(found, function)(*arguments)
            taught.append(module)
        return internals


class LazyFunction:
    """A function that Numba is asked to compile when somebody calls it, or compiles what calls it.

    Attributes:
        py_func: the function.
        targetoptions: how it is compiled.
        dispatcher: Numba's own form of it, made when it is first looked at.
    """

    dispatcher: Any

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.py_func, self.targetoptions = function, options
        functools.update_wrapper(cast("Any", self), function)

    @property
    def _numba_type_(self) -> Any:
        """Type that Numba takes it for: a function that it can compile."""
        return self.dispatcher._numba_type_


class Kernel(LazyFunction):
    """A function that compiled code calls. Python calls it too: through a version with an entrance for Python's objects."""

    @once
    def dispatcher(self) -> Any:
        """Numba's own form of it."""
        return compiler().Part(self.py_func, self.targetoptions)

    @once
    def entrance(self) -> Any:
        """The version for Python, compiled when it is first called, and kept on disk."""
        return entry_point(self.py_func, allocates=not self.targetoptions.keys() >= WITHOUT_REFERENCES.keys())

    def __call__(self, *arguments: Any) -> Any:
        return self.entrance(*arguments)


class EntryPoint(LazyFunction):
    """A function for Python: shipped, taken from the disk, or compiled for the types that it is first called with.

    Attributes:
        made: what calls it, None before the first call.
    """

    made: Any = None

    @once
    def dispatcher(self) -> Any:
        """Numba's own form of it."""
        found = compiler().entry_dispatcher(self.py_func, self.targetoptions)
        self.made = self.made or found
        return found

    @property
    def overloads(self) -> Any:
        """Compiled code so far, for each tuple of types."""
        return getattr(self.made, "overloads", {True: self.made} if self.made is not None else {})

    @property
    def signatures(self) -> list[Any]:
        """The types of arguments for which it is compiled."""
        return list(self.overloads)

    def compile(self, signature: tuple[Any, ...]) -> None:
        """Compile it for these types, or take it from the disk."""
        self.dispatcher.compile(compiler().types_of(signature))

    @once
    def shipped(self) -> Any:
        """Entrance of machine code that comes with the package, None if there is none for this function."""
        found = entrances(
            self.py_func, lambda: shipped_stamp(self), not self.targetoptions["nogil"], self.call_compiled
        )
        if found is None:
            return None
        entrance, names = found
        for name in names:  # before anybody calls it
            FILLED[name]()
        self.made = entrance
        return entrance

    def call_compiled(self, *arguments: Any) -> Any:
        """Call what is compiled for the types of these arguments, now or before."""
        return self.dispatcher(*arguments)

    def __call__(self, *arguments: Any) -> Any:
        return (self.made or self.shipped or self.dispatcher)(*arguments)


def kernel(function: F) -> F:
    """Compile ``function`` lazily, once for each combination of argument types that compiled code calls it with.

    A hundred kernels make one algorithm. What only Python needs, the conversion of its objects and a cache file, takes more
    time than the code itself; it is left to entry points.
    """
    return function if DISABLE_JIT else Kernel(function, INNER)  # type: ignore[return-value]


def called_kernel(function: F) -> F:
    """Compile a kernel that is called, and not written into its callers: one copy of it in each entry point.

    It allocates no memory and gives no array back, neither itself nor in what it calls: no references are counted.

    For what takes longer than a call, such as a loop over all blocks, and for long formulas of rare cases: a copy of them in
    each algorithm and at each call would make all of them compile longer, and their loops larger.
    """
    return function if DISABLE_JIT else Kernel(function, CALLED)  # type: ignore[return-value]


def entry_point(function: F, allocates: bool = False, holds_lock: bool = False) -> F:
    """Compile ``function`` for calls from Python, lazily, once for each combination of argument types, cached on disk.

    Args:
        function: takes arrays, numbers, and tuples of them.
        allocates: whether it allocates memory, or gives an array back, itself or in what it calls; otherwise references are
            not counted.
        holds_lock: whether Python's lock is held while it runs, unless it lets go of it by itself.
    """
    if DISABLE_JIT:
        return function
    options = {**ENTRANCE, "forceinline": False, "nogil": not holds_lock, **({} if allocates else WITHOUT_REFERENCES)}
    return EntryPoint(function, options)  # type: ignore[return-value]


def cache_folder() -> str | None:
    """Return the folder where code of this module would be kept that is compiled on this machine; None if there is none."""
    return None if DISABLE_JIT else positive.entrance.dispatcher.stats.cache_path  # type: ignore[attr-defined]


def unlikely(condition):
    """Return the condition, and tell the compiler that it rarely holds: registers are then kept for the other branch"""
    return condition


@kernel
def positive(index):
    """Return an index below 2**62 unchanged; compiled code then knows that it is not negative, and does not test whether an
    entry is counted from the end: a third of the time of a loop over small blocks"""
    return index & 0x3FFFFFFFFFFFFFFF


def compiled_for(function: F, signature: tuple[Any, ...], holds_lock: bool = False) -> F:
    """Compile ``function``, an entry point with these types of arguments and no others, now, or take it from the disk."""
    if DISABLE_JIT:
        return function
    own: Any = entry_point(function, holds_lock=holds_lock)
    if own.shipped is not None:
        return own.shipped
    own.compile(signature)
    own.dispatcher.disable_compile()
    return own.dispatcher


def address(function: Any) -> int:
    """Return the address of the machine code of a function with one signature; the function must outlive all calls by it."""
    return function.address if is_shipped(function) else compiler().address(function)


def entrance(function: Any) -> Callable[..., Any]:
    """Return the function by which Python enters code that was compiled for one signature, without the dispatcher before it,
    which would ask for the types of the arguments; those of the signature have to take any object."""
    return function if is_shipped(function) else compiler().entrance(function)


def entrance_for(function: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Compile an entry point for the types of these arguments, or take it from the disk; returns its entrance for arguments
    that always have these types."""
    if function.shipped is not None:
        return function.shipped
    with compiling:
        function.dispatcher.compile(compiler().types_like(arguments))
        return entrance(function.dispatcher)
