"""Memory as compiled code wants it for lanes, kernels of what lies there, and what two doubles are to each other.

Tests of scalars, of lanes and of views write kernels of their own, which no public function has: they are compiled here,
with the options of the package.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import njit

from pluecker.spatial.engine.compiled.decorators import OPTIONS, compiler
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.scalars import operations
from tests.conftest import COMPILED

WIDTH = 8


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Compile the function as kernels of the package are, for each kind of arguments when it comes."""
    if not COMPILED:
        return function
    compiler()  # which knows views and lanes
    return njit(**OPTIONS, **options)(function)


def on_views(kernel: Callable[..., Any], count: int = 2, **options: Any) -> Callable[..., Any]:
    """Compile ``kernel`` so that it is called with arrays, and finds views in place of the first ``count`` of them."""
    names = [f"array{k}" for k in range(count)]
    views = [f"view({name})" for name in names]
    scope = {"view": view, "kernel": compiled(kernel, **options)}
    driver: Callable[..., Any] = eval(f"lambda {', '.join(names)}, *more: kernel({', '.join(views)}, *more)", scope)
    return compiled(driver, **options)


def storing(expressions: Sequence[str], variables: str, more: str = "") -> Callable[..., None]:
    """A kernel ``evaluate(rows, out, MORE)`` that stores in ``out`` what the expressions make of variables in ``rows``."""
    lines = [f"def evaluate(rows, out, {more}):" if more else "def evaluate(rows, out):"]
    lines += [f"    {name} = load(rows, {k})" for k, name in enumerate(variables.split(", "))]
    lines += [f"    store(out, {k}, {text})" for k, text in enumerate(expressions)]
    scope = {name: getattr(operations, name) for name in operations.__all__}
    exec("\n".join(lines), scope)
    return scope["evaluate"]


def rows_of_eight(n: int) -> np.ndarray:
    """``(n, 8)`` doubles, each row in a line of the cache of its own; NaN, so that what is not written shows."""
    memory = np.full(WIDTH * (n + 1), np.nan)
    first = -(memory.ctypes.data // memory.itemsize) % WIDTH
    return memory[first : first + WIDTH * n].reshape(n, WIDTH)


def in_rows(x: np.ndarray) -> np.ndarray:
    """Numbers, one after the other, in rows of eight; what is missing in the last row is zero."""
    rows = rows_of_eight(-(-len(x) // WIDTH))
    rows[:] = 0.0
    rows.reshape(-1)[: len(x)] = x
    return rows


def bits(x: np.ndarray) -> np.ndarray:
    """The bits of doubles, with one NaN like any other."""
    return np.where(np.isnan(x), np.nan, x).view(np.int64)
