"""Numbers from eight places at once, and what eight numbers are together: for matrices whose rows lie in lanes.

Places are 32 bits long, two in each integer, the first one in the lower half. Eight integers belong to a group of lanes;
without compilation lanes are numbers, and one integer does.
"""

from __future__ import annotations

from numba import config

from pluecker.spatial.engine.compiled.decorators import kernel, positive
from pluecker.spatial.engine.scalars.lanes import WIDTH, everywhere, get_lane, set_lane
from pluecker.spatial.engine.scalars.operations import load

__all__ = ["W", "gather", "largest_of", "places", "sum_of"]

W = 1 if config.DISABLE_JIT else WIDTH  # numbers in a group
LOWER = (1 << 32) - 1


def places(pairs, k, second):
    """Return the first or the second place of each integer in group ``k``"""
    pair = int(pairs[k])
    return (pair >> 32 if second else pair & LOWER,)


def gather(numbers, where, offset):
    """Read the numbers at these places, all moved on by ``offset``"""
    return numbers[where[0] + offset]


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


if not config.DISABLE_JIT:

    @kernel
    def places(pairs, k, second):
        """Return the first or the second place of each integer in group ``k``"""
        n, s = 8 * k, second
        near = place(pairs, n, s), place(pairs, n + 1, s), place(pairs, n + 2, s), place(pairs, n + 3, s)
        return *near, place(pairs, n + 4, s), place(pairs, n + 5, s), place(pairs, n + 6, s), place(pairs, n + 7, s)

    @kernel
    def gather(numbers, where, offset):
        """Read the numbers at these places, all moved on by ``offset``"""
        x = set_lane(everywhere(0.0), 0, load(numbers, where[0] + offset))
        x = set_lane(x, 1, load(numbers, where[1] + offset))
        x = set_lane(x, 2, load(numbers, where[2] + offset))
        x = set_lane(x, 3, load(numbers, where[3] + offset))
        x = set_lane(x, 4, load(numbers, where[4] + offset))
        x = set_lane(x, 5, load(numbers, where[5] + offset))
        x = set_lane(x, 6, load(numbers, where[6] + offset))
        return set_lane(x, 7, load(numbers, where[7] + offset))

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
