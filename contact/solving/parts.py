"""Some contacts of an island as a problem of their own, all others held, and which of them belong together.

The offset of such a part is what the others make of it,

    N_ss x_s + (u - N_ss x)_s,    s: its contacts.

Source: V. Dolean, P. Jolivet and F. Nataf, "An introduction to domain decomposition methods" (2015), chapter 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.problem.prepared import Prepared
from pluecker.contact.problem.sets import Sets
from pluecker.contact.solving.newton import residual, velocity
from pluecker.contact.sparse.blocks import BlockMatrix, Indices
from pluecker.spatial.compiled.decorators import allocation_free
from pluecker.spatial.functions.elementwise import Array

__all__ = ["alone", "apart", "around", "errors_of", "met_by", "part_of", "those_with_most"]

OUTSIDE, INSIDE = -2, -1  # of some blocks, before sets have numbers


def part_of(P: Prepared, blocks: Indices) -> tuple[Prepared, Indices]:
    """Some blocks as a problem of their own, whose offset is zero, and its rows in P.

    Args:
        P: with its matrix.
        blocks: ascending.
    """
    K, N, heights = P.K, P.A.N, np.diff(P.K.start)[blocks]
    k, row, column = blocks_among(N, blocks)
    sizes, start = heights[row] * heights[column], np.concatenate([[0], np.cumsum(heights)])
    entries, _ = ranges(N.place[k], sizes)
    first, place = np.searchsorted(row, np.arange(len(blocks) + 1)), np.cumsum(sizes) - sizes
    matrix = BlockMatrix(start, start, first, column, place, N.data[entries], N.width[blocks])
    rows, _ = ranges(K.start[blocks], heights)
    sets = Sets(start, K.sizes[blocks], K.friction[blocks], K.lower[blocks], K.upper[blocks])
    operator = P.A._replace(N=matrix, compliance=P.A.compliance[rows])
    zero = np.zeros(len(rows))
    return Prepared(operator, sets, zero, P.s[rows], np.array([0, len(blocks)]), np.zeros(2, np.int64)), rows


def alone(Q: Prepared, rows: Indices, x: Array, u: Array) -> Prepared:
    """A part while all others have the multipliers x, with the velocities u."""
    return Q._replace(b=u[rows] - velocity(Q, x[rows]))


def errors_of(P: Prepared, law: int, x: Array, u: Array) -> Array:
    """The squared natural map of each block, ``(n,)``."""
    F, z = np.empty_like(x), np.empty_like(x)
    residual(P, law, x, u, x, 0.0, z, F)
    return np.asarray(np.add.reduceat(F * F, P.K.start[:-1]))


def those_with_most(error: Array, share: float) -> NDArray[np.bool_]:
    """The fewest blocks that have such a share of the error together."""
    whole, inside = error.sum(), np.zeros(len(error), bool)
    most = np.flatnonzero(error >= (1.0 - share) * whole / len(error))  # the others have not even the rest together
    order = most[np.argsort(-error[most], kind="stable")]
    inside[order[: 1 + np.searchsorted(np.cumsum(error[order]), share * whole)]] = True
    return inside


def around(N: BlockMatrix, inside: NDArray[np.bool_], rings: int = 1) -> NDArray[np.bool_]:
    """Some blocks, and rings of neighbours."""
    inside = inside.copy()
    for _ in range(rings):
        inside[met_by(N, np.flatnonzero(inside))] = True
    return inside


def apart(N: BlockMatrix, blocks: Indices) -> list[Indices]:
    """Some blocks, ascending, in sets that do not act on one another; the set of the first one comes first."""
    label, stack = np.full(len(N.first) - 1, OUTSIDE), np.empty(len(blocks), np.int64)
    label[blocks] = INSIDE
    count, mine = spread(N, blocks, label, stack), label[blocks]
    return [blocks[mine == k] for k in range(count)]


def spread(N, blocks, label, stack):
    """The numbers of sets of blocks that are ``INSIDE``, in ``label``; how many sets"""
    count = 0
    for start in blocks:
        if label[start] != INSIDE:
            continue
        stack[0], label[start], left = start, count, 1
        while left > 0:
            left -= 1
            i = stack[left]
            for k in range(N.first[i], N.first[i + 1]):
                j = N.column[k]
                if label[j] == INSIDE:
                    stack[left], label[j] = j, count
                    left += 1
        count += 1
    return count


spread = allocation_free(spread)


def met_by(N: BlockMatrix, blocks: Indices) -> Indices:
    """The columns in which some block rows of N have blocks."""
    return N.column[ranges(N.first[blocks], N.first[blocks + 1] - N.first[blocks])[0]]


def blocks_among(N: BlockMatrix, blocks: Indices) -> tuple[Indices, Indices, Indices]:
    """Which blocks of N some block rows have in columns of their own, and the numbers of both among these."""
    number = np.full(len(N.first) - 1, -1)
    number[blocks] = np.arange(len(blocks))
    k, row = ranges(N.first[blocks], N.first[blocks + 1] - N.first[blocks])
    column = number[N.column[k]]
    mine = column >= 0
    return k[mine], row[mine], column[mine]


def ranges(begin: Indices, count: Indices) -> tuple[Indices, Indices]:
    """All numbers of some ranges, and which range each is of."""
    which = np.repeat(np.arange(len(count)), count)
    return np.arange(len(which)) + (begin - np.cumsum(count) + count)[which], which
