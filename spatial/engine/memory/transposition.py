"""Transposition between a user's array, which has one state after the other, and lanes, which have eight side by side.

:func:`read_states` transposes eight states into an array of lanes and finds out on the way whether all numbers are finite;
:func:`write_states` goes back. Both work on tiles, four entries of eight states: two loads make one vector, eight shuffles
turn four of them around. The whole batch is never transposed at once, so that a block stays in the cache.
"""

from __future__ import annotations

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.lanes import WIDTH, everywhere, get_lane, set_lane
from pluecker.spatial.engine.scalars.operations import load, store, within

__all__ = [
    "LONG_STATE", "SIDE", "all_finite", "eight", "read_states", "read_tile", "transposed", "write_entry", "write_known_tile",
    "write_new_tile", "write_states",
]  # fmt: skip

SIDE = 4  # entries of a tile
LONG_STATE = 1024  # entries; eight longer states fill the first cache


# --------------------------------------------------------------------------- instructions: see codegen.transposition


def transposed(a, b, c, d, e, f, g, h):
    """Transpose eight vectors: number j of vector i becomes number i of vector j."""
    raise NotImplementedError


def read_tile(states, n, b, k, block):
    """Read entries ``k`` to ``k + 3`` of eight states, from ``b`` on, into the same rows of an array of lanes.

    Returns zero in each lane where they are finite, else NaN.
    """
    raise NotImplementedError


def write_new_tile(states, n, b, k, block, i0, i1, i2, i3):
    """Write rows ``i0`` to ``i3`` of an array of lanes into entries ``k`` to ``k + 3`` of eight states, from ``b`` on.

    Returns zero in each lane where their numbers are finite, else NaN. Memory that is written to later is prefetched.
    """
    raise NotImplementedError


def write_known_tile(states, n, b, k, block, i0, i1, i2, i3):
    """Write as :func:`write_new_tile`, into memory that has been touched already."""
    raise NotImplementedError


def eight(numbers, k):
    """Return entries ``k`` to ``k + 7`` of a view of numbers, in their order, as lanes."""
    raise NotImplementedError


# ------------------------------------------------------------------------------------------------------- whole states


@kernel
def read_states(states, n, b, block):
    """Read eight states, from ``b`` on, into an array of lanes. Beyond the last state the last one is taken again.

    ``states`` is a view of all states, with ``n`` entries each. Four entries go at a time; where they do not come out even,
    the last four cover some of those before. Returns zero for each state whose entries are finite, else NaN.
    """
    if n >= SIDE:
        total = read_tile(states, n, b, n - 4, block)
        for k in range(0, n - 4, 4):
            total = total + read_tile(states, n, b, k, block)
        return total
    total = everywhere(0.0)
    for k in range(n):
        x = everywhere(0.0)
        for lane in range(WIDTH):
            x = set_lane(x, lane, load(states, min((b + lane) * n, len(states) - n) + k))
        store(block, k, x)
        total = total + 0.0 * x
    return total


@kernel
def write_states(states, n, b, block):
    """Write an array of lanes into eight states, from ``b`` on; lanes beyond the last state go to the last one.

    There they are the same: :func:`read_states` has given these lanes the same input. Returns as :func:`read_states`.
    """
    if n >= SIDE:
        total = write_new_tile(states, n, b, n - 4, block, n - 4, n - 3, n - 2, n - 1)
        for k in range(0, n - 4, 4):
            total = total + write_new_tile(states, n, b, k, block, k, k + 1, k + 2, k + 3)
        return total
    total = everywhere(0.0)
    for k in range(n):
        total = total + write_entry(states, n, b, k, load(block, k))
    return total


@kernel
def write_entry(states, n, b, k, x):
    """Write entry ``k`` of eight states, one by one"""
    for lane in range(WIDTH):
        store(states, min((b + lane) * n, len(states) - n) + k, get_lane(x, lane))
    return 0.0 * x


@kernel
def all_finite(numbers):
    """Return whether no entry of a view is NaN or infinite: 0 x is 0 for every other number."""
    n = len(numbers)
    if n >= WIDTH:
        total = 0.0 * eight(numbers, n - WIDTH)
        for k in range(0, n - WIDTH, WIDTH):
            total = total + 0.0 * eight(numbers, k)
        return within(total, 0.0)
    rest = 0.0
    for k in range(n):
        rest += 0.0 * load(numbers, k)
    return rest == 0.0
