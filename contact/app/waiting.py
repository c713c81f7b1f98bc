"""Waiting for compiled code.

=======================  ===========================================================================================
name                     what it does
=======================  ===========================================================================================
:class:`Wait`            measures how long calls wait for compiled code, and says when it has to be made
:func:`fastest`          calls something once more where the first call waited
=======================  ===========================================================================================
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any

from pluecker.contact.friction.results.result import Result
from pluecker.spatial.engine.compiled.decorators import listen

__all__ = ["Wait", "fastest"]

LONG_CALL = 1.0  # seconds from which a call is not made again ...
WAITED = 0.1  # ... unless more than this part of it was waiting for compiled code
KINDS = "numba:compiler_lock", "numba:compile"


class Wait:
    """A context in which calls, of any thread, may wait for compiled code.

    Args:
        say: is called once, when the first function begins to be compiled; what is loaded from the disk is no reason.

    Attributes:
        seconds: that were spent so far on compiling and loading.
        compiled: how many functions were compiled.
    """

    def __init__(self, say: Callable[[], None] | None = None) -> None:
        self.say, self.seconds, self.compiled = say, 0.0, 0
        self._lock, self._depth, self._began = threading.Lock(), 0, 0.0

    def on_start(self, event: Any) -> None:
        """Count and time the start of Numba's compilation, or of its search for compiled code."""
        with self._lock:
            if event.kind == KINDS[1]:
                self.compiled += 1
                if self.say is not None and self.compiled == 1:
                    self.say()
            else:
                self._began = self._began if self._depth else perf_counter()
                self._depth += 1

    def on_end(self, event: Any) -> None:
        """Add the time of a compilation or search that has ended."""
        with self._lock:
            if event.kind == KINDS[0]:
                self._depth -= 1
                self.seconds += 0.0 if self._depth else perf_counter() - self._began

    def __enter__(self) -> Wait:
        self._end = listen(KINDS, self)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()


def fastest(call: Callable[[], Result], times: int = 2) -> tuple[Result, float]:
    """Return the fastest of some calls, and the seconds that the first one waited for compiled code.

    A call that takes a second or more is not made again, unless a tenth of it was waiting.
    """
    with Wait() as wait:
        results = [call()]
    first, waited = results[0].time, wait.seconds
    again = first - waited < LONG_CALL or waited > WAITED * first
    results += [call() for _ in range(times - 1 if again else 0)]
    return min(results, key=lambda result: result.time), waited
