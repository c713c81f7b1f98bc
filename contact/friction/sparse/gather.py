"""Groups of eight contacts that lie side by side, in lanes: where their bodies are, and what eight numbers are together.

Places are 32 bits long, two in each integer, the first one in the lower half. Eight integers belong to a group of lanes;
without compilation lanes are numbers, and one integer does.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.sparse.blocks import BlockMatrix
from pluecker.spatial.engine.compiled.decorators import kernel, positive
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.scalars.lanes import WIDTH, get_lane
from pluecker.spatial.engine.scalars.operations import load
from pluecker.spatial.functions.elementwise import Array, rows_of_eight

__all__ = ["HEIGHT", "ROWS_OF_GROUP", "SIDES", "WIDTH", "W", "fits", "largest_of", "places", "rows", "sum_of"]

W = 1 if DISABLE_JIT else WIDTH  # numbers in a group
LOWER = (1 << 32) - 1


def places(pairs, k, second):
    """Return the first or the second place of each integer in group ``k``"""
    pair = int(pairs[k])
    return (pair >> 32 if second else pair & LOWER,)


def sum_of(x):
    """Return the sum of all lanes"""
    return x


def largest_of(x):
    """Return the largest of all lanes"""
    return x


@kernel
def place(pairs, n, second):
    """Return the first or the second place of integer ``n``"""
    pair = load(pairs, n)
    return positive(pair >> 32 if second else pair & LOWER)


if not DISABLE_JIT:

    @kernel
    def places(pairs, k, second):
        """Return the first or the second place of each integer in group ``k``"""
        n, s = 8 * k, second
        near = place(pairs, n, s), place(pairs, n + 1, s), place(pairs, n + 2, s), place(pairs, n + 3, s)
        return *near, place(pairs, n + 4, s), place(pairs, n + 5, s), place(pairs, n + 6, s), place(pairs, n + 7, s)

    @kernel
    def sum_of(x):
        """Return the sum of all lanes"""
        near, far = (
            (get_lane(x, 0) + get_lane(x, 1)) + (get_lane(x, 2) + get_lane(x, 3)),
            get_lane(x, 4) + get_lane(x, 5),
        )
        return near + (far + (get_lane(x, 6) + get_lane(x, 7)))

    @kernel
    def largest_of(x):
        """Return the largest of all lanes"""
        found = get_lane(x, 0)
        for k in range(1, 8):
            found = max(found, get_lane(x, k))
        return found


HEIGHT, WIDTH, SIDES = 3, 6, 2  # rows of a contact, columns of a body, bodies of a contact at most
ROWS_OF_GROUP = HEIGHT * WIDTH * SIDES  # in J and T


def rows(n: int) -> Array:
    """Allocate n rows of zeros, one number for each lane: ``(n, W)``, and ``(n,)`` without compilation."""
    if DISABLE_JIT:
        return np.zeros(n)
    memory = rows_of_eight(n).reshape(-1)[: n * W].reshape(n, W)
    memory[:] = 0.0
    return memory


def fits(J: BlockMatrix, T: BlockMatrix, first: int, last: int, left: int, right: int) -> bool:
    """Return whether these block rows can lie in lanes.

    Each has to have three rows, and at most two blocks, of six columns each and at the same places in J and T.
    """
    for B in (J,) if J is T else (J, T):
        count = np.diff(B.first[first : last + 1])
        if (np.diff(B.rows[first : last + 1]) != HEIGHT).any() or (count > SIDES).any():
            return False
        if (np.diff(B.columns[left : right + 1]) != WIDTH).any():
            return False
    found, blocks = (slice(int(B.first[first]), int(B.first[last])) for B in (J, T))
    return J is T or (np.array_equal(J.first, T.first) and np.array_equal(J.column[found], T.column[blocks]))
