"""Blocks of 3 by 3 numbers in vectors: what a factorisation of such blocks does most.

Nine numbers one after the other are a vector of eight and one more. Entry ``3 r + s`` of ``A B'`` is the sum over t of
``A[r, t] B[s, t]``: of three vectors, each with entries of A in another order, times three that stay the same while many
blocks are multiplied by one B.
"""

from __future__ import annotations

__all__ = ["subtract_product"]

ENTRIES = 9


def subtract_product(L, a, c, B):
    """Compute C -= A B' for the blocks of L that begin at a and c, all of A and C being read before C is written; B are the
    nine numbers of the other block, row by row
    """
    new = [
        L[c + 3 * r + s] - sum(L[a + 3 * r + t] * B[3 * s + t] for t in range(3)) for r in range(3) for s in range(3)
    ]
    for k in range(ENTRIES):
        L[c + k] = new[k]
