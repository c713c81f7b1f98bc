"""Some contacts of an island as a problem of their own, all others held, and which of them belong together.

The offset of such a part contains what the others contribute,

    N_ss x_s + (u - N_ss x)_s,    s: its contacts.

Source: V. Dolean, P. Jolivet and F. Nataf, "An introduction to domain decomposition methods" (2015), chapter 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.problem.sets import Sets
from pluecker.contact.friction.solving.newton import residual, velocity_into
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.spatial.engine.compiled.decorators import entry_point, positive
from pluecker.spatial.functions.elementwise import Array

__all__ = ["alone", "apart", "around", "errors_of", "part_of", "those_with_most"]

OUTSIDE, INSIDE = -2, -1  # of some blocks, before sets have numbers


def part_of(P: Prepared, blocks: Indices) -> tuple[Prepared, Indices]:
    """Make some blocks a problem of their own, whose offset is zero; return also its rows in P.

    Args:
        P: with its matrix.
        blocks: ascending.
    """
    K, N, n = P.K, P.A.N, len(blocks)
    number, start, first = np.full(len(N.first) - 1, -1), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    entries = count_part(N, blocks, number, start, first)
    rows, column, place = (np.empty(int(size), np.int64) for size in (start[-1], first[-1], first[-1]))
    matrix = BlockMatrix(start, start, first, column, place, np.empty(entries), N.width[blocks])
    copy_part(N, blocks, number, rows, matrix)
    sets = Sets(start, K.sizes[blocks], K.friction[blocks], K.lower[blocks], K.upper[blocks])
    operator = P.A._replace(N=matrix, compliance=P.A.compliance[rows])
    zero = np.zeros(len(rows))
    return Prepared(operator, sets, zero, P.s[rows], np.array([0, n]), np.zeros(2, np.int64)), rows


def count_part(N, blocks, number, start, first):
    """Find where the rows of each block of a part start, and its blocks in each row; return how many numbers these have

    ``number`` is -1 for all block rows of N, and becomes that in the part for those that are there.
    """
    entries = 0
    start[0], first[0] = 0, 0
    for k in range(len(blocks)):
        number[blocks[k]] = k
    for k in range(len(blocks)):
        i, found = blocks[k], first[k]
        height = N.rows[i + 1] - N.rows[i]
        for n in range(N.first[i], N.first[i + 1]):
            j = N.column[n]
            if number[j] >= 0:
                found += 1
                entries += height * (N.columns[j + 1] - N.columns[j])
        start[k + 1], first[k + 1] = start[k] + height, found
    return entries


def copy_part(N, blocks, number, rows, part):
    """Copy the rows of a part in N, and its matrix, of which :func:`count_part` has found where they start"""
    at, p = 0, 0
    for k in range(len(blocks)):
        i = blocks[k]
        height = N.rows[i + 1] - N.rows[i]
        for r in range(height):
            rows[part.rows[k] + r] = N.rows[i] + r
        for n in range(N.first[i], N.first[i + 1]):
            j = N.column[n]
            if number[j] < 0:
                continue
            part.column[at], part.place[at] = number[j], p
            q, size = positive(N.place[n]), height * (N.columns[j + 1] - N.columns[j])
            for e in range(size):
                part.data[p + e] = N.data[q + e]
            at, p = at + 1, p + size


count_part, copy_part = entry_point(count_part), entry_point(copy_part)


def alone(Q: Prepared, rows: Indices, x: Array, u: Array) -> tuple[Prepared, Array, Array]:
    """Return a part while all others have the multipliers x, with the velocities u; and its own of these."""
    mine, speeds, b = (np.empty(len(rows)) for _ in range(3))
    hold_others(Q, rows, x, u, mine, speeds, b)
    return Q._replace(b=b), mine, speeds


def hold_others(Q, rows, x, u, mine, speeds, b):
    """Write a part's multipliers, velocities and offset, see :func:`alone`, to ``mine``, ``speeds`` and ``b``

    It is one piece of compiled code, during which other threads have the interpreter.
    """
    for k in range(len(rows)):
        mine[k], speeds[k] = x[rows[k]], u[rows[k]]
    velocity_into(Q, mine, b)
    for k in range(len(rows)):
        b[k] = speeds[k] - b[k]


hold_others = entry_point(hold_others)


def errors_of(P: Prepared, law: int, x: Array, u: Array) -> Array:
    """Compute the squared natural map of each block, ``(n,)``."""
    F, z = np.empty_like(x), np.empty_like(x)
    residual(P, law, x, u, x, 0.0, z, F)
    return np.asarray(np.add.reduceat(F * F, P.K.start[:-1]))


def those_with_most(error: Array, share: float) -> NDArray[np.bool_]:
    """Return a mask of the fewest blocks that have such a share of the error together."""
    whole, inside = error.sum(), np.zeros(len(error), bool)
    most = np.flatnonzero(error >= (1.0 - share) * whole / len(error))  # the others have not even the rest together
    order = most[np.argsort(-error[most], kind="stable")]
    inside[order[: 1 + np.searchsorted(np.cumsum(error[order]), share * whole)]] = True
    return inside


def around(N: BlockMatrix, inside: NDArray[np.bool_], rings: int = 1) -> NDArray[np.bool_]:
    """Return a mask of some blocks and rings of neighbours around them."""
    inside = inside.copy()
    for _ in range(rings):
        meet(N, np.flatnonzero(inside), inside)
    return inside


def meet(N, blocks, met):
    """Set ``met`` to True for each column in which some block rows of a square N have blocks"""
    for i in blocks:
        for k in range(N.first[i], N.first[i + 1]):
            met[N.column[k]] = True


meet = entry_point(meet)


def apart(N: BlockMatrix, blocks: Indices) -> list[Indices]:
    """Split some blocks, ascending, into sets that do not act on one another; the set of the first one comes first."""
    label, stack = np.full(len(N.first) - 1, OUTSIDE), np.empty(len(blocks), np.int64)
    label[blocks] = INSIDE
    count, mine = spread(N, blocks, label, stack), label[blocks]
    return [blocks[mine == k] for k in range(count)]


def spread(N, blocks, label, stack):
    """Number the sets of connected blocks among those that are ``INSIDE``, in ``label``; return how many sets there are"""
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


spread = entry_point(spread)
