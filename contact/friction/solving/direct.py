"""Compiled functions that are called with the same types each time, and are not asked for them.

Asking takes 10 microseconds for the 40 arrays of a prepared problem, the call itself 0.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import config, typeof
from numba import types as numba_types

from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, entrance, entry_point
from pluecker.spatial.engine.compiled.numba_internals import compiling
from pluecker.spatial.engine.memory.lent import Lent
from pluecker.spatial.engine.parallel.interruption import answering

__all__ = ["Direct"]


class Direct:
    """A compiled function whose arguments always have the types of the first call: they are not asked for again.

    Args:
        function: allocates nothing; takes arrays in C order, numbers, and tuples of them.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        inside = allocation_free_kernel(function)

        def call(arguments):
            return inside(*arguments)

        call.__name__ = call.__qualname__ = function.__name__  # one file of the cache for each
        self.function: Any = entry_point(call)
        self.enter: Callable[..., Any] | None = self.function if config.DISABLE_JIT else None

    def __call__(self, *arguments: Any) -> Any:
        if self.enter is None:
            answering(self.prepare, arguments, long=True)
        return self.enter(arguments)  # type: ignore[misc]

    def prepare(self, arguments: tuple[Any, ...]) -> None:
        """Compile it for the types of these arguments, or take it from the disk."""
        kinds = tuple(typeof(x) for x in arguments)
        assert all(map(in_order, kinds)), "arrays of other calls would be read in the order of these"
        types = (Lent(kinds),)
        with compiling:  # the second of two threads waits for the first
            if self.enter is None:
                self.function.compile(types)
                self.enter = entrance(self.function)


def in_order(kind: Any) -> bool:
    """Return whether all arrays of a type are in C order."""
    if isinstance(kind, numba_types.BaseTuple):
        return all(map(in_order, kind))
    return not isinstance(kind, numba_types.Array) or kind.layout == "C"
