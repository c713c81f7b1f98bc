"""Writing of results whose numbers a kernel makes in another order, most of them zero, as in the Jacobian of a frame.

What is not zero is written in tiles, four entries at a time, of eight states or of one; where these are few, zeros are
written before. Which tiles there are is worked out once for each order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.memory.transposition import LONG_STATE, SIDE, write_entry, write_known_tile, write_new_tile
from pluecker.spatial.engine.scalars.lanes import WIDTH, everywhere
from pluecker.spatial.engine.scalars.operations import load, load_integer, store

__all__ = ["clear", "tiles_of", "write_state", "write_tiles"]

TILE = 1 + SIDE  # integers of the record of a tile
# If no larger part of all tiles holds numbers, and eight states fit in the first cache, zeros are written first. Measured:
# without it the Jacobian of a hand of Talos (0.4 of 300 entries) takes 1.3 times as long, that of the middle of a chain of
# 100 (0.52 of 600) 1.2; with it that of a foot of ANYmal (0.67 of 108) takes 1.1, Talos' mass matrix (0.48 of 2,500) 1.3.
FEW = 0.6


def tiles_of(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the tiles in which to write a result whose entry k is number ``order[k]`` of those made; number 0 is zero.

    The first integer says whether zeros are written before, everywhere: tiles without a number can then be left out, and
    are, if they are so many that it pays. Then for each tile its first entry, and the numbers of its four.
    """
    n, every = len(order), -(-len(order) // SIDE)
    starts: list[int] = []
    for k in np.flatnonzero(order).tolist():
        if not starts or k >= starts[-1] + SIDE:
            starts.append(k)
    zeros_first = WIDTH <= n <= LONG_STATE and len(starts) <= FEW * every
    first = np.minimum(starts if zeros_first else np.arange(every) * SIDE, max(n - SIDE, 0)).astype(np.int64)
    padded = np.concatenate([order, np.zeros(SIDE, dtype=np.int64)])
    records = np.column_stack([first, *(padded[first + j] for j in range(SIDE))])
    return np.concatenate([[zeros_first], records.ravel()]).astype(np.int64)


@kernel
def write_tiles(states, n, b, block, tiles):
    """Write those rows of an array of lanes that :func:`tiles_of` has chosen into eight states, from ``b`` on.

    Lanes beyond the last state, and the result, are as in
    :func:`~pluecker.spatial.engine.memory.transposition.write_states`.
    """
    total = everywhere(0.0)
    if n < SIDE:
        for k in range(n):
            total = total + write_entry(states, n, b, k, load(block, load_integer(tiles, 2 + k)))
    elif load_integer(tiles, 0) != 0:
        clear(states, b * n, min((b + WIDTH) * n, len(states)))
        for t in range(1, len(tiles), TILE):
            k, i0, i1, i2, i3 = tile_at(tiles, t)
            total = total + write_known_tile(states, n, b, k, block, i0, i1, i2, i3)
    else:
        for t in range(1, len(tiles), TILE):
            k, i0, i1, i2, i3 = tile_at(tiles, t)
            total = total + write_new_tile(states, n, b, k, block, i0, i1, i2, i3)
    return total


@kernel
def write_state(state, numbers, tiles):
    """Write the numbers of one state into its entries"""
    n = len(state)
    if load_integer(tiles, 0) != 0:
        for k in range(n):
            store(state, k, 0.0)
    if n < SIDE:
        for k in range(n):
            store(state, k, load(numbers, load_integer(tiles, 2 + k)))
        return
    for t in range(1, len(tiles), TILE):
        k, i0, i1, i2, i3 = tile_at(tiles, t)
        store(state, k, load(numbers, i0))
        store(state, k + 1, load(numbers, i1))
        store(state, k + 2, load(numbers, i2))
        store(state, k + 3, load(numbers, i3))


@kernel
def tile_at(tiles, t):
    """The first entry of a tile, and the numbers of its four"""
    i0, i1, i2, i3 = (load_integer(tiles, t + 1), load_integer(tiles, t + 2), load_integer(tiles, t + 3),
                      load_integer(tiles, t + 4))  # fmt: skip
    return load_integer(tiles, t), i0, i1, i2, i3


def clear(numbers, first, end):
    """Set the entries from ``first`` to ``end`` of a view of numbers to zero, by the C library's ``memset``."""
    raise NotImplementedError
