"""Calls for one state by way of a batch of one.

The code for one state and that for eight at a time are compiled from the same kernel, each for seconds. Laws of an algorithm
need one of them: that both agree is the law of ``running/test_batches.py``, for algorithms that differ.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np


def by_batch(function: Callable[..., Any]) -> Callable[..., Any]:
    """The public function with one more leading axis, which its result loses again."""

    @functools.wraps(function)
    def call(model: Any, *given: Any, **named: Any) -> Any:
        named = {name: longer(x) for name, x in named.items()}
        result = function(model, *map(longer, given), **named)
        return tuple(part[0] for part in result) if isinstance(result, tuple) else result[0]

    return call


def longer(x: Any) -> Any:
    """Numbers with one more axis; whatever else it is, the same."""
    return np.asarray(x, dtype=float)[None] if isinstance(x, np.ndarray | list | tuple) else x
