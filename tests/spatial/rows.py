"""Memory as compiled code wants it for lanes, and what two doubles are to each other."""

from __future__ import annotations

import numpy as np

WIDTH = 8


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
