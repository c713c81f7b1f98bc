"""The one decorator that makes a kernel, what makes kernels callable from Python, and the cache behind it.

A *kernel* is a function on tuples and views of arrays that Numba compiles once for each scalar it meets: ``float64``
for one state, :mod:`~pluecker.spatial.scalars.lanes` for eight at a time, others for derivatives. Kernels validate
nothing and never raise; the public functions around them do. Kernels call kernels; Python calls *entry points*, of
which there are few.

Compiled code is kept on disk, one file for each entry point with all that it calls. Numba stamps a cached function with the
contents of its own file only, so a function would not notice that a function it calls in another file has changed. Here
every stamp covers all the kernel sources of the package, its version, and those of Numba and llvmlite: change one, and all
are compiled again. Code for another processor is kept beside it.

=================================  ==================================================================================
situation                          what happens
=================================  ==================================================================================
``NUMBA_DISABLE_JIT=1``            the Python function itself: slow, for one state, for debuggers and coverage
``NUMBA_CACHE_DIR`` set            compiled code is kept there
otherwise                          in ``__pycache__`` beside the source, else in the user's cache folder
no folder can be written           kernels work and are compiled anew in each process
=================================  ==================================================================================
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
from numba import config
from numba.core import caching
from numba.core.registry import CPUDispatcher

from pluecker.spatial.errors import ArgumentTypeError

__all__ = [
    "NoMatch",
    "address",
    "entry_point",
    "kernel",
    "kernel_sources",
    "lean",
    "lean_kernel",
    "positive",
    "settled",
    "source_stamp",
]

F = TypeVar("F", bound=Callable[..., Any])

PACKAGES = ("spatial", "articulated", "contact")
KERNEL_MARKS = (b"@kernel", b"@lean_kernel", b"@overload", b"@intrinsic", b"@lower_builtin", b"entry_point(", b"lean(")

# Products and sums may be fused (FMA); nothing else of fast-math, so that NaN and infinity keep their meaning.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
ENTRANCE: dict[str, Any] = {**OPTIONS, "nopython": True, "no_cfunc_wrapper": True}
# A kernel becomes part of the code that calls it, so that its tuples stay in registers.
INNER: dict[str, Any] = {**ENTRANCE, "forceinline": True, "no_cpython_wrapper": True}
# What allocates nothing need not count references: a record of arrays is then as cheap as the arrays.
LEAN: dict[str, Any] = {"_nrt": False}


def kernel_sources() -> list[Path]:
    """The files of the package that define kernels, sorted: what the stamp of every cached kernel covers."""
    top = Path(__file__).resolve().parents[2]
    files = (path for package in PACKAGES for path in (top / package).rglob("*.py"))
    return sorted(path for path in files if any(mark in path.read_bytes() for mark in KERNEL_MARKS))


def package_version() -> str:
    """As installed; a copy that is not has none."""
    try:
        return importlib.metadata.version("pluecker")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


@functools.cache
def source_stamp() -> str:
    """SHA-256 of all kernel sources, the versions of package, Numba and llvmlite, the compile options, and bounds checks."""
    versions = package_version(), numba.__version__, llvmlite.__version__
    stamp = hashlib.sha256(repr((versions, sorted(INNER.items(), key=repr), config.BOUNDSCHECK)).encode())
    for path in kernel_sources():
        stamp.update(path.name.encode())
        stamp.update(path.read_bytes())
    return stamp.hexdigest()


class _KernelCache(caching.FunctionCache):
    """Numba's cache, in the folder that Numba chooses, with the package's stamp in place of the file's."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = source_stamp()

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """Argument types and processor; the code itself, closures included, is what the stamp stands for."""
        return sig, codegen.magic_tuple()

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:  # a folder that was taken away, a full disk: the compiled code is good all the same
            self.disable()


class Kernel(CPUDispatcher):
    """A function that compiled code calls. Python calls it too: through a version with an entrance for Python's objects."""

    def __call__(self, *arguments: Any) -> Any:
        return self.entrance(*arguments)

    @functools.cached_property
    def entrance(self) -> Any:
        """The version for Python, compiled when it is first called, and kept on disk."""
        return entry_point(self.py_func)


def kernel(function: F) -> F:
    """Compile ``function`` lazily, once for each combination of argument types that compiled code calls it with.

    A hundred kernels make one algorithm. What only Python needs, the conversion of its objects and a cache file, takes
    more time than the code itself; it is left to entry points.
    """
    if config.DISABLE_JIT:
        return function
    return Kernel(function, targetoptions=INNER)


def lean_kernel(function: F) -> F:
    """A kernel that allocates no memory and gives no array back, neither itself nor in what it calls: see :func:`lean`."""
    if config.DISABLE_JIT:
        return function
    return Kernel(function, targetoptions={**INNER, **LEAN})


def entry_point(function: F) -> F:
    """Compile ``function`` for calls from Python, lazily, once for each combination of argument types, cached on disk."""
    if config.DISABLE_JIT:
        return function
    return cached(CPUDispatcher(function, targetoptions=ENTRANCE))


def lean(function: F) -> F:
    """The same for a function that allocates no memory, neither itself nor in what it calls: it counts no references."""
    if config.DISABLE_JIT:
        return function
    return cached(CPUDispatcher(function, targetoptions={**ENTRANCE, **LEAN}))


@lean_kernel
def positive(index):
    """An index below 2**62 as it is; compiled code then knows that it is not negative, and does not test whether an entry
    is counted from the end: a third of the time of a loop over small blocks"""
    return index & 0x3FFFFFFFFFFFFFFF


class NoMatch(ArgumentTypeError):
    """A compiled function was called with arguments of types that it does not take."""


class Settled(CPUDispatcher):
    """A compiled function with one signature, for callers that try it first: what does not fit is a ``NoMatch`` at once."""

    def _search_new_conversions(self, *arguments: Any) -> bool:
        return False

    def _explain_matching_error(self, *arguments: Any) -> None:
        raise NoMatch(f"{self.py_func.__name__} takes {self.signatures[0]}")


_compiling = threading.Lock()


def settled(function: F, signature: tuple[Any, ...]) -> F:
    """Compile ``function`` for calls from Python with these types of arguments, now, or take it from the disk."""
    if config.DISABLE_JIT:
        return function
    dispatcher = cached(Settled(function, targetoptions={**ENTRANCE, **LEAN}))
    with _compiling:
        dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher


@functools.cache
def address(function: Any) -> int:
    """Where the machine code of a settled function is, which must outlive all calls through it."""
    compiled = function.overloads[function.signatures[0]]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def cached(dispatcher: Any) -> Any:
    """Keep on disk what is compiled, where a folder can be written."""
    with contextlib.suppress(RuntimeError):
        dispatcher._cache = _KernelCache(dispatcher.py_func)
    return dispatcher
