"""Large arrays, whose memory is used again by the next one that fits.

The first touch of fresh memory makes the operating system find pages and clear them: a fifth of the time of a batch of
simulations that are forgotten one after the other. Small arrays are kept by the C library in the same way.

An array that comes from here is the only one that refers to its block, and every view of it refers to the array: when it is
collected, nobody sees the block any more.
"""

from __future__ import annotations

import math
import weakref

import numpy as np
from numpy.typing import NDArray

__all__ = ["IDLE_BYTES", "empty"]

Array = NDArray[np.float64]
SMALLEST_REUSED = 2**17  # numbers, 1 MB: what is smaller is left to the C library
IDLE_BYTES = 2**27  # of blocks that nobody uses, at most
_idle: dict[int, Array] = {}  # blocks, the oldest first; each operation on it is atomic


def empty(shape: tuple[int, ...]) -> Array:
    """``np.empty(shape)``, in memory that another array has left if there is such of at most twice the size.

    Raises:
        MemoryError, ValueError: as of ``np.empty``.
    """
    size = math.prod(shape)
    if size < SMALLEST_REUSED:
        return np.empty(shape)
    block = taken(size)
    if block is None:
        block = np.empty(size)
    # through the buffer protocol: a view of the block itself would name the block as its base, and not this array
    array: Array = np.frombuffer(memoryview(block), count=size)  # type: ignore[arg-type]
    weakref.finalize(array, give_back, block).atexit = False
    return array.reshape(shape)


def taken(size: int) -> Array | None:
    """A block for so many numbers that nobody uses, if there is one."""
    for key, block in list(_idle.items()):
        if size <= len(block) <= 2 * size and _idle.pop(key, None) is not None:
            return block
    return None


def give_back(block: Array) -> None:
    """Keep a block; if there are too many then, the oldest go."""
    if block.nbytes > IDLE_BYTES:
        return
    _idle[id(block)] = block
    for key, oldest in list(_idle.items()):
        if sum(known.nbytes for known in list(_idle.values())) <= IDLE_BYTES:
            break
        if oldest is not block:
            _idle.pop(key, None)
