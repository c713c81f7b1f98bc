"""Calls for several states, one after the other.

The code for one state and that for eight at a time are compiled from the same kernel, the second in twice the time. Laws of
an algorithm need one of them: that both agree is the law of ``running/test_batches.py``, for algorithms that differ.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np


def by_state(function: Callable[..., Any]) -> Callable[..., Any]:
    """The public function, called for each state. Arrays alone hold states, each a vector; all else is the same for all."""

    @functools.wraps(function)
    def call(model: Any, *given: Any, **named: Any) -> Any:
        arguments = dict(enumerate(given)) | named
        vectors = {key: np.asarray(x) for key, x in arguments.items() if isinstance(x, np.ndarray)}
        leading = np.broadcast_shapes(*(x.shape[:-1] for x in vectors.values()))
        vectors = {key: np.broadcast_to(x, (*leading, x.shape[-1])) for key, x in vectors.items()}

        def at(index: tuple[int, ...]) -> Any:
            here = arguments | {key: x[index] for key, x in vectors.items()}
            return function(model, *(here.pop(k) for k in range(len(given))), **here)

        results = [at(index) for index in np.ndindex(leading)]
        if isinstance(results[0], tuple):
            return tuple(np.reshape(part, (*leading, *part[0].shape)) for part in zip(*results, strict=True))
        return np.reshape(results, (*leading, *np.shape(results[0])))

    return call
