"""Exceptions of Python functions that compiled code calls reach whoever called the compiled code.

``ctypes`` prints what leaves a callback, and compiled code goes on with what its buffers held. That is also how Ctrl-C would
be lost: handlers of signals run in the main thread where a function of Python's begins, which is the callback, before its
first ``try``. Inside :class:`callbacks` what leaves one is kept, and raised at the end instead of results, which are none.
Callbacks that come after it ask :func:`is_over`, and do no work.

Only the main thread has handlers of signals, so there alone ``sys.unraisablehook`` is another one in the meantime; in other
threads callbacks have to :func:`keep` what they catch.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from pluecker.spatial.engine.compiled.decorators import taught_by
from pluecker.spatial.engine.compiled.symbols import new_symbol
from pluecker.spatial.engine.parallel.threads import is_worker

__all__ = ["callbacks", "calls_python", "is_over", "keep"]

WORKERS = 0  # in the place of an identifier: they work for whoever looks next
SAID = "ctypes callback function"  # in what Python would print
kept: dict[int, BaseException] = {}  # by thread


def here() -> int:
    """Return the key under which exceptions of this thread are kept."""
    return WORKERS if is_worker() else threading.get_ident()


def keep(error: BaseException) -> None:
    """Keep what a callback cannot raise through compiled code; the first one counts."""
    kept.setdefault(here(), error)


def is_over() -> bool:
    """Return whether the results of callbacks are not wanted any more, since one before has raised an exception."""
    return bool(kept) and here() in kept


class callbacks:
    """Context around calls of compiled code that may call functions of Python's: at its end it raises what these raised."""

    __slots__ = ("before",)

    def __enter__(self) -> None:
        self.before: Any = None
        if kept:
            kept.pop(threading.get_ident(), None)
        if threading.get_ident() == threading.main_thread().ident:
            self.before = sys.unraisablehook
            sys.unraisablehook = self.hook

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.before is not None:
            sys.unraisablehook = self.before
        if kept:
            own, others = kept.pop(threading.get_ident(), None), kept.pop(WORKERS, None)
            found = others if own is None else own
            if found is not None:
                raise found

    def hook(self, ignored: Any) -> None:
        """Keep an exception of a callback of the main thread; hand others to the hook before (``sys.unraisablehook``)."""
        own = threading.get_ident() == threading.main_thread().ident
        if own and SAID in f"{ignored.err_msg}" and ignored.exc_value is not None:
            keep(ignored.exc_value)
        else:
            self.before(ignored)


def calls_python(name: str, function: Callable[[int], None]) -> Callable[[int], None]:
    """Make a function by which compiled code calls a function of Python's, inside :class:`callbacks`.

    Args:
        name: by which it is found, also by code from the disk; no other has it.
        function: takes an address; what it raises is raised at the end of the compiled code.
    """

    @ctypes.CFUNCTYPE(None, ctypes.c_int64)
    def guarded(address: int) -> None:
        """Call the function, unless what it does is not wanted any more."""
        if not is_over():
            try:
                function(address)
            except BaseException as error:  # it cannot go through compiled code
                keep(error)

    def fill() -> None:
        """Store the address of the function under its name."""
        place[0] = ctypes.cast(guarded, ctypes.c_void_p).value or 0

    def call(address: int) -> None:
        """Call the function."""
        function(address)

    place = new_symbol(name, fill)
    call.__name__ = call.__qualname__ = name
    taught_by("pluecker.spatial.engine.codegen.symbols", "call_python", call, name)
    return call
