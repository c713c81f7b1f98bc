"""Simulations of which a part is of no use: Ctrl-C ends them with an exception instead of a shorter trajectory."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

__all__ = ["parts_are_refused", "whole"]

T = TypeVar("T")
_refused: ContextVar[bool] = ContextVar("refused", default=False)


def whole(function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Call a function whose simulations must run to their end, and return its result.

    Raises:
        KeyboardInterrupt: one was interrupted, which ``simulate`` would answer with a warning and what it has.
    """

    def call() -> T:
        _refused.set(True)
        return function(*arguments, **options)

    return copy_context().run(call)  # whatever ends it, it is over outside


def parts_are_refused() -> bool:
    """Return whether the caller has no use for an interrupted motion, see :func:`whole`."""
    return _refused.get()
