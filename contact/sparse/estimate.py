"""What a factorisation takes at least, about, from the pattern alone and without an order of elimination.

To find an order for a hundred thousand contacts that all touch takes seconds, and its fill takes gigabytes. Walking
through the pattern breadth first, from one of its ends, takes milliseconds: so many levels follow one another, and who cuts
the pattern in two cuts about as many blocks as a level has. The last block to be eliminated, the cut in the middle, is full,
so that a chain costs little and a heap much:

    operations = (rows in a level on average)^3

That is 0.1 to 0.8 of the count for minimum degree on packings of spheres from 1,000 to 20,000 contacts, and 0.004 to 0.5
on published problems from 13 to 260: an estimate from below.

Source: A. George and J. W. H. Liu, "An implementation of a pseudoperipheral node finder" (1979), for levels from an end;
R. J. Lipton, D. J. Rose and R. E. Tarjan, "Generalized nested dissection" (1979), for the cube of the cut.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

from pluecker.contact.sparse.blocks import BlockMatrix, graph_of

__all__ = ["least_operations"]

WALKS = 2  # from any block to an end, and from that end to the other


def least_operations(N: BlockMatrix) -> float:
    """About what a factor of N takes at least; as :attr:`~pluecker.contact.sparse.symbolic.Symbolic.numbers` counts.

    Args:
        N: all blocks of one island, and a symmetric pattern.
    """
    n = len(N.rows) - 1
    if n == 0:
        return 0.0
    pattern = graph_of(N)
    end, levels, reached = 0, 1, n
    for _ in range(WALKS):
        order, before = breadth_first_order(pattern, end)
        levels, reached, end = count_levels(order, before), len(order), int(order[-1])
    return float(N.rows[-1] / n * reached / levels) ** 3


def count_levels(order: np.ndarray, before: np.ndarray) -> int:
    """Of a walk: blocks in its order, and the one that each was reached from."""
    place = np.empty(len(before), np.int64)
    place[order] = np.arange(len(order))
    from_place, levels, end = place[before[order[1:]]], 1, 1  # ascending: first come, first served
    while end < len(order):
        end, levels = 1 + int(np.searchsorted(from_place, end)), levels + 1
    return levels
