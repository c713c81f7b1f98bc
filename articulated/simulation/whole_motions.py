"""Simulations of which a part is of no use: Ctrl-C ends them as an exception, and not with a trajectory that is shorter."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

__all__ = ["parts_are_refused", "whole"]

T = TypeVar("T")
_refused: ContextVar[bool] = ContextVar("refused", default=False)


def whole(function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """What a function gives whose simulations run to their end.

    Raises:
        KeyboardInterrupt: one was interrupted, which ``simulate`` would answer with a warning and what it has.
    """

    def call() -> T:
        _refused.set(True)
        return function(*arguments, **options)

    return copy_context().run(call)  # whatever ends it, it is over outside


def parts_are_refused() -> bool:
    """Whether a motion that was interrupted is wanted by nobody."""
    return _refused.get()
