"""One island as Newton's method in velocities has it: gathered from a problem, scaled, in memory that is used again.

An island is some block rows of ``u = J dv + b + C r``, and the nodes that they meet: trees of bodies, whose velocities lie
one after the other in the block columns of J. Rows are scaled as everywhere, ``x = r / s``, ``u^ = s u``, ``J^ = s J``,
so that the mean diagonal of a block of ``J^ A^-1 J^'`` is one, and nothing depends on the units of mass and length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.problem.natural_map import larger, natural_map
from pluecker.contact.friction.problem.sets import COMPONENTS, DISCS, Sets, project_block
from pluecker.contact.friction.sparse.blocks import (
    BlockMatrix,
    Indices,
    multiply,
    multiply_row_transposed,
)
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "ALONG",
    "BEGIN",
    "BELOW",
    "BEST",
    "BLOCKS",
    "CHANGE",
    "DEGREE",
    "FREEDOMS",
    "HELD",
    "HIGH",
    "IMPULSE",
    "INVERSE",
    "LENGTH",
    "LOW",
    "MASS",
    "MEMBER",
    "MISSED",
    "MOMENTUM",
    "NEEDED",
    "NODE",
    "NODES",
    "NUMBER",
    "OFFSET",
    "ORDER",
    "PLACE",
    "POINT",
    "PUSH",
    "RANK",
    "RESIDUAL",
    "ROWS",
    "SCALE",
    "SHARE",
    "SOFTNESS",
    "SQUARE",
    "STEP",
    "TRIED",
    "WORK",
    "Island",
    "U",
    "X",
    "Y",
    "add_transposed",
    "gather",
    "make_island",
    "most_in_disc",
    "move",
    "times_nodes",
    "try_impulses",
]  # fmt: skip

NUMBER = 400  # of nodes at most: the table of their pairs takes megabytes, and looking through it is no longer quick

# Counts of an island.
BLOCKS, ROWS, NODES, FREEDOMS, NEEDED, COUNTS = range(6)
# Vectors along its rows, scaled: impulses, velocities, b, C, s, and what methods need.
X, U, OFFSET, SOFTNESS, SCALE, Y, HELD, LENGTH, POINT, IMPULSE, SHARE, ALONG, TRIED, BEST, ZERO, WORK, VECTORS = range(
    17
)
# Vectors along the freedoms of its nodes: A^-1 J' r, J' r, and what methods need.
CHANGE, MOMENTUM, RESIDUAL, STEP, PUSH, MISSED, MOTIONS = range(7)
# Rows of the other arrays.
MEMBER, NODE, SQUARE, ORDER, RANK, DEGREE, BEGIN, NUMBERS = range(8)
PLACE, BELOW = range(2)
INVERSE, MASS = range(2)
LOW, HIGH = range(2)


class Island(NamedTuple):
    """Memory for one island at a time, of any size up to its own.

    Attributes:
        counts: the numbers of what is in it now, ``(COUNTS,)``; ``NEEDED``: of its factor.
        K: the sets of its multipliers, scaled.
        P: the same in the metric of the augmented Lagrangian.
        J: scaled; its block columns are the nodes of the island, in the order in which they were met.
        local: of each node of the problem its number here, -1 while no island is gathered.
        numbers: integers along blocks or nodes, ``(7, n)``: ``MEMBER``, the block row in the problem of each block;
            ``NODE``, the number in the problem of each node; ``SQUARE``, where the matrices of each node begin; ``ORDER``
            and ``RANK``, the nodes in the order of elimination, and the place of each node in it; ``DEGREE``, while that is
            found; ``BEGIN``, where the nodes after each one begin in ``BELOW``, in that order.
        pairs: integers along pairs of nodes, ``(2, nodes^2)``: ``PLACE``, where the block of each pair begins in factors, -1
            where there is none; ``BELOW``, the nodes that come after each one and have a block with it.
        matrices: of all nodes, ``(2, n)``: ``INVERSE``, A^-1, and ``MASS``, A.
        factors: ``LOW`` and ``HIGH``, ``(2, n)``; of symmetric ones the first alone.
        rows: vectors along rows, ``(VECTORS, m)``.
        moves: vectors along freedoms, ``(MOTIONS, n)``.
        T: J A^-1, in the places of J.
        D: of each block a square block, row by row, ``(m, COMPONENTS)``; while sweeps are made, ``J_i A^-1 J_i' + C``.
        blocks: to work in, ``(2, COMPONENTS, COMPONENTS)``.
        line: to work in, as many numbers as the largest block of J has.
    """

    counts: Indices
    K: Sets
    P: Sets
    J: BlockMatrix
    local: Indices
    numbers: Indices
    pairs: Indices
    matrices: Array
    factors: Array
    rows: Array
    moves: Array
    T: Array
    D: Array
    blocks: Array
    line: Array


def empty_sets(start: Indices, sizes: Indices) -> Sets:
    """Allocate sets for these blocks."""
    blocks = len(sizes)
    return Sets(start, sizes, np.zeros((blocks, DISCS)), np.zeros(blocks), np.zeros(blocks))


def make_island(J: BlockMatrix, numbers: int = 0) -> Island:
    """Allocate memory for each island of a problem, one at a time.

    Args:
        J: of the whole problem.
        numbers: of a factor; at least as many as all islands together have without fill.
    """
    blocks, m, nodes, n = len(J.rows) - 1, int(J.rows[-1]), len(J.columns) - 1, int(J.columns[-1])
    widths, meetings = np.diff(J.columns), np.diff(J.first)
    squares, widest, few = int((widths**2).sum()), int(widths.max(initial=0)), min(nodes, NUMBER)
    pairs = int((meetings * (meetings - 1) // 2).sum())
    numbers = max(numbers, squares + min(pairs * widest * widest, n * n))

    def whole(count: int) -> Indices:
        return np.zeros(count, np.int64)

    start, sizes = whole(blocks + 1), np.zeros((blocks, DISCS), np.int64)
    local = BlockMatrix(
        start, whole(nodes + 1), whole(blocks + 1), np.zeros_like(J.column), np.zeros_like(J.place),
        np.zeros(len(J.data)), whole(blocks),
    )  # fmt: skip
    return Island(
        whole(COUNTS), empty_sets(start, sizes), empty_sets(start, sizes), local,
        np.full(nodes, -1, np.int64), np.zeros((NUMBERS, max(blocks, nodes + 1)), np.int64),
        np.zeros((2, few * few), np.int64),
        np.zeros((2, squares)), np.zeros((2, numbers)), np.zeros((VECTORS, m)), np.zeros((MOTIONS, n)),
        np.zeros(len(J.data)), np.zeros((m, COMPONENTS)), np.zeros((2, COMPONENTS, COMPONENTS)),
        np.zeros(COMPONENTS * widest),
    )  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- kernels


@allocation_free_kernel
def gather_sets(I, K, s):
    """Gather the sets of the blocks of the island, scaled; return how many rows these have"""
    m = 0
    for i in range(I.counts[BLOCKS]):
        g = I.numbers[MEMBER, i]
        top = K.start[g]
        row, normal = top + 1, s[top]
        I.K.start[i] = m
        m += K.start[g + 1] - top
        for part in range(DISCS):
            n = K.sizes[g, part]
            I.K.sizes[i, part] = n
            I.K.friction[i, part] = K.friction[g, part] * (normal / s[row]) if n > 0 else 0.0
            row += n
        I.K.lower[i], I.K.upper[i] = K.lower[g] / normal, K.upper[g] / normal
    I.K.start[I.counts[BLOCKS]] = m
    return m


@allocation_free_kernel
def gather_matrix(I, J, s):
    """Gather the blocks of J, scaled; return how many nodes they meet"""
    nodes, entries, p = 0, 0, 0
    I.J.columns[0] = 0
    for i in range(I.counts[BLOCKS]):
        g = I.numbers[MEMBER, i]
        top, height = J.rows[g], J.rows[g + 1] - J.rows[g]
        I.J.first[i], I.J.width[i] = entries, J.width[g]
        for k in range(J.first[g], J.first[g + 1]):
            t, q = J.column[k], J.place[k]
            width = J.columns[t + 1] - J.columns[t]
            if I.local[t] < 0:
                I.local[t], I.numbers[NODE, nodes] = nodes, t
                I.J.columns[nodes + 1] = I.J.columns[nodes] + width
                nodes += 1
            I.J.column[entries], I.J.place[entries] = I.local[t], p
            entries += 1
            for a in range(height):
                for c in range(width):
                    I.J.data[p + c] = s[top + a] * J.data[q + c]
                p, q = p + width, q + width
    I.J.first[I.counts[BLOCKS]] = entries
    return nodes


@called_kernel
def gather(I, J, K, s, inverse, square, offset, compliance, members, r):
    """Gather an island; arguments as those of ``solve_island``"""
    I.counts[BLOCKS] = len(members)
    for i in range(len(members)):
        I.numbers[MEMBER, i] = members[i]
    I.counts[ROWS] = gather_sets(I, K, s)
    nodes, q = gather_matrix(I, J, s), 0
    I.counts[NODES], I.counts[FREEDOMS], I.counts[NEEDED] = nodes, I.J.columns[nodes], 0
    for t in range(nodes):
        n, p = I.J.columns[t + 1] - I.J.columns[t], square[I.numbers[NODE, t]]
        I.numbers[SQUARE, t], I.local[I.numbers[NODE, t]] = q, -1
        for e in range(n * n):
            I.matrices[INVERSE, q + e] = inverse[p + e]
        q += n * n
    I.numbers[SQUARE, nodes] = q
    for i in range(len(members)):
        a = K.start[members[i]]
        for k in range(I.K.start[i], I.K.start[i + 1]):
            I.rows[X, k], I.rows[OFFSET, k], I.rows[SCALE, k] = r[a] / s[a], s[a] * offset[a], s[a]
            I.rows[SOFTNESS, k], I.rows[ZERO, k] = s[a] * s[a] * compliance[a], 0.0
            a += 1


@called_kernel
def times_nodes(I, matrices, x, y):
    """Compute y = A x or A^-1 x, node by node"""
    for t in range(I.counts[NODES]):
        top, n, q = I.J.columns[t], I.J.columns[t + 1] - I.J.columns[t], I.numbers[SQUARE, t]
        for a in range(n):
            total = 0.0
            for b in range(n):
                total += matrices[q + a * n + b] * x[top + b]
            y[top + a] = total


@called_kernel
def add_transposed(I, x, y):
    """y += J' x"""
    for i in range(I.counts[BLOCKS]):
        multiply_row_transposed(I.J, i, x, y)


@called_kernel
def move(I, x):
    """Compute what the impulses x cause: MOMENTUM and CHANGE of nodes; along rows Y without compliance, U with it"""
    momentum, change, y, u = I.moves[MOMENTUM], I.moves[CHANGE], I.rows[Y], I.rows[U]
    for k in range(I.counts[FREEDOMS]):
        momentum[k] = 0.0
    add_transposed(I, x, momentum)
    times_nodes(I, I.matrices[INVERSE], momentum, change)
    multiply(I.J, change, y, 0, I.counts[BLOCKS])
    for k in range(I.counts[ROWS]):
        y[k] += I.rows[OFFSET, k]
        u[k] = y[k] + I.rows[SOFTNESS, k] * x[k]


@called_kernel
def error_of(I, x, exact):
    """Return the error of the impulses x, whose velocities are U: the larger one of those that a result of ``solve`` has"""
    s, b, zero, u, work = I.rows[SCALE], I.rows[OFFSET], I.rows[ZERO], I.rows[U], I.rows[WORK]
    found = natural_map(I.K, s, b, zero, x, u, exact, 0, I.counts[BLOCKS], work)
    return larger(found[0], found[1], found[2], found[3])


@called_kernel
def try_impulses(I, x, exact, best):
    """Move with the impulses x, after projecting them, and keep them if they are the best; return the smallest error"""
    for i in range(I.counts[BLOCKS]):
        project_block(I.K, i, x, x)
    move(I, x)
    error = error_of(I, x, exact)
    if not error < best:
        return best
    for k in range(I.counts[ROWS]):
        I.rows[BEST, k] = x[k]
    return error


@allocation_free_kernel
def most_in_disc(x, first, n):
    """Return the largest of ``x[first : first + n]``, or zero"""
    most = 0.0
    for k in range(first, first + n):
        most = max(most, x[k])
    return most
