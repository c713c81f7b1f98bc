"""A problem as solvers want it: cut into islands, one after the other, and scaled block by block.

Contacts of different bodies and masses have diagonal entries of N that differ by orders of magnitude. With one number
for each block, ``r = s x``, they become alike, and cones stay what they are:

    N^ = S N S,   b^ = S b,   u^ = S u = N^ x + b^,   bounds^ = bounds / s

*Islands* are blocks that touch one another, directly or through others; nothing that happens in one is felt in another.
Here they follow one another, each with its range of blocks and its range of velocities, and inside them neighbours are near.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.problem.operator import Operator, diagonal_of, factored
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import DISCS, Sets, rows_of_part, scale_turning
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices, empty_blocks
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point, kernel, positive
from pluecker.spatial.engine.parallel.interruption import answering
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "Order",
    "Prepared",
    "arrange",
    "cut",
    "find_islands",
    "find_order",
    "prepare",
    "scales",
    "scales_of_diagonal",
]

ROUNDING = 1e-16  # of the largest mean diagonal of an island


class Prepared(NamedTuple):
    """A problem in scaled multipliers, island after island.

    Attributes:
        A: the operator N^.
        K: the sets, scaled: bounds, and the lengths of rolling and spinning.
        b: the offset b^, ``(m,)``.
        s: the scale of each multiplier, ``(m,)``.
        islands: where the blocks of each island start, and their number, ``(I + 1,)``.
        sides: where the velocities of each island start, and their number, ``(I + 1,)``; zeros for an assembled operator.
    """

    A: Operator
    K: Sets
    b: Array
    s: Array
    islands: Indices
    sides: Indices


def find_islands(operator: Operator) -> tuple[Indices, Indices, Indices, Indices]:
    """Order the blocks and the block columns so that neighbours are near, island after island.

    Islands are numbered in the order of their first blocks.

    Returns:
        ``order, columns, islands, sides``: the blocks, ``(n,)``; the block columns, those that no block touches at the end;
        where each island starts in the one, and in the other, and their ends, ``(I + 1,)``.
    """
    J, T = (operator.J, operator.T) if operator.is_factored else (operator.N, operator.N)
    R, C = len(J.rows) - 1, len(J.columns) - 1
    begin, islands, sides = np.zeros(C + 1, np.int64), np.zeros(R + 1, np.int64), np.zeros(R + 1, np.int64)
    begin[1:] = np.cumsum(np.bincount(J.column, minlength=C) + np.bincount(T.column, minlength=C))
    order, columns = np.empty(R, np.int64), np.empty(C, np.int64)
    met, crossed = np.zeros(R, np.int64), np.zeros(C, np.int64)
    having = np.empty(int(begin[-1]), np.int64)
    found = answering(
        breadth_first, J, T, begin, begin[:-1].copy(), having, met, crossed, order, columns, islands, sides
    )  # fmt: skip
    number = found + 1
    if operator.is_factored:
        return order, columns, islands[:number], sides[:number]
    return order, order, islands[:number], np.zeros(number, np.int64)


@kernel
def list_rows(B, free, having):
    """List the block rows of each block column in ``having``, from the column's ``free`` on, which moves past them"""
    for i in range(len(B.rows) - 1):
        for k in range(B.first[i], B.first[i + 1]):
            having[free[B.column[k]]] = i
            free[B.column[k]] += 1


@kernel
def cross(B, i, begin, having, met, crossed, order, columns, found, reached):
    """Visit all block rows that share a column with block row i; return how many rows and columns were met so far"""
    for k in range(B.first[i], B.first[i + 1]):
        c = B.column[k]
        if not crossed[c]:
            crossed[c], columns[reached] = 1, c
            reached += 1
            for m in range(begin[c], begin[c + 1]):
                j = having[m]
                if not met[j]:
                    met[j], order[found] = 1, j
                    found += 1
    return found, reached


def breadth_first(J, T, begin, free, having, met, crossed, order, columns, islands, sides):
    """Walk breadth first, from each first block that was not met yet, to all blocks that share a column with a block

    What lies near in space comes near in memory, so that products wait less for it. ``begin`` says where the block rows of
    each block column are listed in ``having``, ``free`` is the same without the end, ``met`` and ``crossed`` are zero.
    Returns the number of islands.
    """
    list_rows(J, free, having)
    list_rows(T, free, having)
    number, head, found, reached = 0, 0, 0, 0
    for start in range(len(order)):
        if met[start]:
            continue
        order[found], met[start] = start, 1
        found += 1
        while head < found:
            i = order[head]
            found, reached = cross(J, i, begin, having, met, crossed, order, columns, found, reached)
            found, reached = cross(T, i, begin, having, met, crossed, order, columns, found, reached)
            head += 1
        number += 1
        islands[number], sides[number] = found, reached
    for c in range(len(columns)):
        if not crossed[c]:
            columns[reached] = c
            reached += 1
    return number


class Order(NamedTuple):
    """Order of blocks and velocities, which depends on the pattern of the operator alone.

    Attributes:
        blocks: the blocks of the problem, island after island, ``(n,)``.
        columns: the block columns of the operator.
        islands, sides: where each island starts in the one, and in the other, and their ends, ``(I + 1,)``; one for all if
            they are not separated.
        apart: where each island starts in ``blocks``, and their end, in any case.
    """

    blocks: Indices
    columns: Indices
    islands: Indices
    sides: Indices
    apart: Indices


def find_order(operator: Operator, separate: bool = True) -> Order:
    """Order neighbours near one another, in islands unless these shall not be separated."""
    blocks, columns, islands, sides = find_islands(operator)
    order = Order(blocks, columns, islands, sides, islands)
    if separate:
        return order
    whole = np.array([0, len(order.blocks)], np.int64)
    return order._replace(islands=whole, sides=np.array([0, len(operator.J.columns) - 1], np.int64))


def prepare(problem: Problem, separate: bool = True) -> tuple[Prepared, Indices]:
    """Scale a problem, in islands unless these shall not be separated; return also the original place of each multiplier."""
    return arrange(problem.operator, problem.sets, problem.offset, find_order(problem.operator, separate))


def arrange(operator: Operator, sets: Sets, offset: Array, chosen: Order) -> tuple[Prepared, Indices]:
    """Scale the parts of a problem, in a given order; return also the original place of each multiplier."""
    order, columns, islands, sides, _ = chosen
    s, original, m = scales(operator, sets, chosen), sets.start, len(offset)
    width = np.concatenate([[0], np.cumsum(np.diff(operator.J.columns)[columns])]) if operator.is_factored else [0]
    heights = np.diff(original)[order]
    start = np.zeros(len(original), np.int64)
    np.cumsum(heights, out=start[1:])
    places = np.arange(m) + np.repeat(original[:-1][order] - start[:-1], heights)
    full = s[places]
    mine = full[start[:-1]]
    K = Sets(start, sets.sizes[order], sets.friction[order], sets.lower[order] / mine, sets.upper[order] / mine)
    if K.sizes[:, 1:].any():
        scale_turning(K, full, K.friction)
    prepared = Prepared(
        scaled(operator, order, columns, s, full, places), K, offset[places] * full, full, islands,
        np.asarray(width, np.int64)[sides],
    )  # fmt: skip
    return prepared, places


def scales(operator: Operator, sets: Sets, order: Order | None = None) -> Array:
    """Compute a scale for each multiplier, the inverse root of a mean of the diagonal; ``order`` is found unless given.

    Of a contact that of the normal and the friction is one, those of rolling and spinning have means of their own: what
    turns may be a thousand times as easy to move, and lengths in the place of coefficients take up the difference.

    A diagonal that is rounding beside the largest of its island counts for zero. Then that one takes its place, or the
    largest of all, where all of the island are zero.
    """
    order = find_order(operator) if order is None else order
    m = int(sets.start[-1])
    s, work = np.empty(m), np.empty(m)
    answering(diagonal_of, operator, work)
    answering(find_scales, sets.start, sets.sizes, order.blocks, order.apart, work, s)
    return s


def find_scales(start, sizes, blocks, islands, d, s):
    """Compute the scales of :func:`scales` from the diagonal d, and write them to ``s``"""
    for part in range(DISCS):
        largest, some = 0.0, False
        for n in range(islands[0], islands[len(islands) - 1]):
            top, count = rows_of_part(start, sizes, blocks[n], part)
            if count > 0:
                s[top], some = 0.0, True
                for k in range(top, top + count):
                    s[top] += d[k]
                s[top] /= count
                largest = max(largest, s[top])
        if not some:
            continue
        for island in range(len(islands) - 1):
            here = 0.0
            for n in range(islands[island], islands[island + 1]):
                top, count = rows_of_part(start, sizes, blocks[n], part)
                if count > 0:
                    here = max(here, s[top])
            for n in range(islands[island], islands[island + 1]):
                top, count = rows_of_part(start, sizes, blocks[n], part)
                if count > 0:
                    mean = s[top] if s[top] > ROUNDING * here else here if here > 0.0 else largest
                    scale = 1.0 / np.sqrt(mean) if mean > 0.0 else 1.0
                    for k in range(top, top + count):
                        s[k] = scale


scales_of_diagonal = called_kernel(find_scales)  # for steps, which are compiled with it
find_scales = entry_point(find_scales)


def scaled(operator: Operator, order: Indices, columns: Indices, s: Array, full: Array, places: Indices) -> Operator:
    """Scale the operator, its block rows and block columns in a new order; G takes the place of J and T if it is known."""
    compliance = operator.compliance[places] * full * full
    if operator.is_factored:
        ones = np.ones(int(operator.J.columns[-1]))
        factors = (operator.G,) if len(operator.G.data) else (operator.J, operator.T)
        parts = [rearranged(B, order, columns, s, ones) for B in factors]
        both = factored(parts[0], parts[-1], compliance)
        return both._replace(N=rearranged(operator.N, order, order, s, s)) if len(operator.N.column) else both
    return operator._replace(N=rearranged(operator.N, order, order, s, s), compliance=compliance)


def rearranged(B: BlockMatrix, order: Indices, columns: Indices, left: Array, right: Array) -> BlockMatrix:
    """Take the rows ``order`` and the columns ``columns`` of a matrix, multiplied by the scales of both."""
    new = BlockMatrix(
        np.zeros(len(order) + 1, np.int64), np.zeros(len(columns) + 1, np.int64), np.zeros(len(order) + 1, np.int64),
        np.empty_like(B.column), np.empty_like(B.place), np.empty_like(B.data), B.width[order],
    )  # fmt: skip
    answering(rearrange, B, order, columns, left, right, np.empty(len(columns), np.int64), new)
    return new


def rearrange(B, order, columns, left, right, where, new):
    """Write the matrix of :func:`rearranged` to ``new``, whose widths are there; ``where``: an integer per block column"""
    rows, first, column, place, data = new.rows, new.first, new.column, new.place, new.data
    for k in range(len(columns)):
        j = columns[k]
        where[j] = k
        new.columns[k + 1] = new.columns[k] + B.columns[j + 1] - B.columns[j]
    n, p = 0, 0
    for k in range(len(order)):
        i = order[k]
        height = B.rows[i + 1] - B.rows[i]
        rows[k + 1] = rows[k] + height
        top = n
        for m in range(B.first[i], B.first[i + 1]):
            # Kept in ascending order of the columns, by insertion: rows are short.
            j, at = where[B.column[m]], n
            while at > top and column[at - 1] > j:
                column[at], place[at] = column[at - 1], place[at - 1]
                at -= 1
            column[at], place[at] = j, m
            n += 1
        first[k + 1] = n
        for at in range(top, n):
            m = place[at]
            j = B.column[m]
            q, s, t = positive(B.place[m]), positive(B.rows[i]), positive(B.columns[j])
            width, r = positive(B.columns[j + 1]) - t, positive(p)
            place[at] = p
            for a in range(height):
                for b in range(width):
                    data[r + a * width + b] = B.data[q + a * width + b] * (left[s + a] * right[t + b])
            p += height * width


rearrange, breadth_first = entry_point(rearrange), entry_point(breadth_first)


def cut(P: Prepared, island: int, by_factors: bool = False) -> Prepared:
    """Cut out one island as a problem of its own, with its matrix, or by its factors, which must be there.

    Nothing is copied but indices.
    """
    first, last = int(P.islands[island]), int(P.islands[island + 1])
    if first == 0 and last == len(P.K.start) - 1:
        alone = by_factors or not P.A.is_factored
        return P if alone else P._replace(A=matrix_alone(P.A), sides=np.zeros(2, np.int64))
    K, rows = P.K, slice(int(P.K.start[first]), int(P.K.start[last]))
    compliance, sides = P.A.compliance[rows], np.zeros(2, np.int64)
    if by_factors:
        left, right = (int(np.searchsorted(P.A.J.columns, side)) for side in P.sides[island : island + 2])
        J = piece(P.A.J, first, last, left, right)
        T = J if P.A.T is P.A.J else piece(P.A.T, first, last, left, right)
        operator, sides[1] = factored(J, T, compliance), J.columns[-1]
    else:
        N = piece(P.A.N, first, last, first, last)
        operator = matrix_alone(P.A)._replace(N=N, compliance=compliance)
    blocks = slice(first, last)
    start = K.start[first : last + 1] - K.start[first]
    sets = Sets(start, K.sizes[blocks], K.friction[blocks], K.lower[blocks], K.upper[blocks])
    return Prepared(operator, sets, P.b[rows], P.s[rows], np.array([0, last - first], np.int64), sides)


def piece(B: BlockMatrix, first: int, last: int, left: int, right: int) -> BlockMatrix:
    """Cut out the block rows from ``first`` to ``last``, all in the block columns from ``left`` to ``right``."""
    p, q = int(B.first[first]), int(B.first[last])
    begin = int(B.place[p]) if p < len(B.place) else len(B.data)
    end = int(B.place[q]) if q < len(B.place) else len(B.data)
    return BlockMatrix(
        B.rows[first : last + 1] - B.rows[first], B.columns[left : right + 1] - B.columns[left],
        B.first[first : last + 1] - p, B.column[p:q] - left, B.place[p:q] - begin, B.data[begin:end], B.width[first:last],
    )  # fmt: skip


def matrix_alone(operator: Operator) -> Operator:
    """Return the operator without the factors that may be there beside its matrix."""
    none = empty_blocks()
    return (
        operator._replace(is_factored=0, J=none, T=none, G=none, velocity=np.zeros(0))
        if operator.is_factored
        else operator
    )
