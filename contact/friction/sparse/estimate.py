"""Lower estimate of the operations of a factorisation, from the pattern alone and without an order of elimination.

To find an order for a hundred thousand contacts that all touch takes seconds, and its fill takes gigabytes. Walking
through the pattern breadth first, from one of its ends, takes milliseconds. It counts the levels, and a cut that separates
the pattern in two has about as many blocks as a level. The last block to be eliminated, the cut in the middle, is full, so
that a chain costs little and a heap much:

    operations = (rows in a level on average)^3

That is 0.1 to 0.8 of the count for minimum degree on packings of spheres from 1,000 to 20,000 contacts, and 0.004 to 0.5
on published problems from 13 to 260: an estimate from below.

Source: A. George and J. W. H. Liu, "An implementation of a pseudoperipheral node finder" (1979), for levels from an end;
R. J. Lipton, D. J. Rose and R. E. Tarjan, "Generalized nested dissection" (1979), for the cube of the cut.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.sparse.blocks import BlockMatrix
from pluecker.spatial.engine.compiled.decorators import allocation_free

__all__ = ["least_operations"]

WALKS = 2  # from any block to an end, and from that end to the other


def least_operations(N: BlockMatrix) -> float:
    """Estimate from below how many operations a factorisation of N takes.

    They are counted as :attr:`~pluecker.contact.friction.sparse.symbolic.Symbolic.numbers` does.

    Args:
        N: all blocks of one island, and a symmetric pattern.
    """
    n = len(N.rows) - 1
    if n == 0:
        return 0.0
    order, end, levels, reached = np.empty(n, np.int64), 0, 1, n
    for _ in range(WALKS):
        levels, reached = walk(N, end, order, np.zeros(n, bool))
        end = int(order[reached - 1])
    return float(N.rows[-1] / n * reached / levels) ** 3


def walk(N, start, order, met):
    """Walk breadth first from a block; return the numbers of levels and of blocks that were met, which are in ``order`` then

    ``met`` is false for all.
    """
    order[0], met[start] = start, True
    head, found, end, levels = 0, 1, 1, 1
    while head < found:
        if head == end:
            end, levels = found, levels + 1
        i = order[head]
        head += 1
        for k in range(N.first[i], N.first[i + 1]):
            j = N.column[k]
            if not met[j]:
                order[found], met[j] = j, True
                found += 1
    return levels, found


walk = allocation_free(walk)
