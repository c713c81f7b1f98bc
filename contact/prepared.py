"""A problem as solvers want it: cut into islands, one after the other, and scaled block by block.

Contacts of different bodies and masses have diagonal entries of N that differ by orders of magnitude. With one number
for each block, ``r = s x``, they become alike, and cones stay what they are:

    N^ = S N S,   b^ = S b,   u^ = S u = N^ x + b^,   bounds^ = bounds / s

*Islands* are blocks that touch one another, directly or through others; nothing that happens in one is felt in another.
Here they follow one another, each with its range of blocks and its range of velocities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.blocks import BlockMatrix, Indices
from pluecker.contact.operator import Operator, diagonal_of
from pluecker.contact.problem import Problem
from pluecker.contact.sets import Sets, make_sets
from pluecker.spatial.compile import entry_point, lean, lean_kernel
from pluecker.spatial.elementwise import Array

__all__ = ["Prepared", "cut", "find_islands", "prepare"]


class Prepared(NamedTuple):
    """A problem in scaled multipliers, island after island.

    Attributes:
        A: the operator N^.
        K: the sets, their bounds scaled.
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


def find_islands(operator: Operator, blocks: int) -> tuple[int, Indices, Indices]:
    """How many islands there are, and the one of each block, and of each block of velocities.

    Islands are numbered in the order of their first blocks.
    """
    if operator.is_factored:
        others = len(operator.J.columns) - 1
        roots = join(operator.J, operator.T, others, np.arange(blocks + others))
    else:
        others = 0
        roots = join(operator.N, operator.N, 0, np.arange(blocks))
    found, first, label = np.unique(roots[:blocks], return_index=True, return_inverse=True)
    rank = np.empty(len(found), np.int64)
    rank[np.argsort(first)] = np.arange(len(found))
    where = np.full(blocks + others, len(found), np.int64)  # velocities that no block touches come last
    where[found] = rank
    return len(found), rank[label.reshape(-1)], where[roots[blocks:]]


@lean_kernel
def root_of(parent, i):
    """The representative of a set, with shorter ways for those that ask later"""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


def join(left, right, others, parent):
    """Which blocks touch one another: blocks of rows, and after them ``others`` blocks of columns, or the same if 0"""
    n = len(left.rows) - 1
    for i in range(n):
        for k in range(left.first[i], left.first[i + 1]):
            a, b = root_of(parent, i), root_of(parent, left.column[k] + (n if others else 0))
            parent[max(a, b)] = min(a, b)
        for k in range(right.first[i], right.first[i + 1]):
            a, b = root_of(parent, i), root_of(parent, right.column[k] + (n if others else 0))
            parent[max(a, b)] = min(a, b)
    for i in range(len(parent)):
        parent[i] = root_of(parent, i)
    return parent


def prepare(problem: Problem, separate: bool = True) -> tuple[Prepared, Indices]:
    """The problem scaled, in islands unless they shall not be separated, and the original place of each multiplier."""
    operator, sets, blocks = problem.operator, problem.sets, problem.blocks
    s = scales(operator, sets)
    order, columns = np.arange(blocks), np.arange(len(operator.J.columns) - 1)
    islands, sides = np.array([0, blocks], np.int64), np.array([0, len(operator.velocity)], np.int64)
    if separate and blocks:
        number, of_blocks, of_columns = find_islands(operator, blocks)
        if number > 1:
            order = np.argsort(of_blocks, kind="stable")
            islands = np.searchsorted(of_blocks[order], np.arange(number + 1)).astype(np.int64)
            if operator.is_factored:
                columns = np.argsort(of_columns, kind="stable")
                width = np.concatenate([[0], np.cumsum(np.diff(operator.J.columns)[columns])])
                sides = width[np.searchsorted(of_columns[columns], np.arange(number + 1))].astype(np.int64)
            else:
                sides = np.zeros(number + 1, np.int64)
    heights = np.diff(sets.start)
    sets = make_sets(
        sets.sizes[order], sets.friction[order], sets.lower[order] / s[order], sets.upper[order] / s[order]
    )
    shift = np.repeat((problem.sets.start[:-1][order] - sets.start[:-1]), heights[order])
    places = np.arange(problem.size) + shift
    full = np.repeat(s[order], heights[order])
    prepared = Prepared(
        scaled(operator, order, columns, s, full, places), sets, problem.offset[places] * full, full, islands, sides
    )
    return prepared, places


def scales(operator: Operator, sets: Sets) -> Array:
    """One number for each block, the inverse root of the mean of its diagonal."""
    d = np.empty(int(sets.start[-1]))
    diagonal_of(operator, d)
    sums = np.add.reduceat(d, sets.start[:-1]) if len(sets.start) > 1 else np.zeros(0)
    mean = sums / np.diff(sets.start)
    largest = mean.max(initial=0.0)
    floor = 1e-16 * largest if largest > 0 else 1.0
    return 1.0 / np.sqrt(np.where(mean > floor, mean, largest if largest > 0 else 1.0))


def scaled(operator: Operator, order: Indices, columns: Indices, s: Array, full: Array, places: Indices) -> Operator:
    """The operator of the scaled multipliers, its block rows and block columns in a new order."""
    compliance = operator.compliance[places] * full * full
    if operator.is_factored:
        ones = np.ones(len(columns))
        J, T = (BlockMatrix(*rearrange(B, order, columns, s, ones)) for B in (operator.J, operator.T))
        return operator._replace(J=J, T=T, compliance=compliance, velocity=np.zeros_like(operator.velocity))
    return operator._replace(N=BlockMatrix(*rearrange(operator.N, order, order, s, s)), compliance=compliance)


def rearrange(B, order, columns, left, right):
    """The rows ``order`` and the columns ``columns`` of a matrix, multiplied by the scales of both"""
    R, C = len(order), len(columns)
    where = np.empty(C, np.int64)
    new_columns = np.zeros(C + 1, np.int64)
    for k in range(C):
        j = columns[k]
        where[j] = k
        new_columns[k + 1] = new_columns[k] + B.columns[j + 1] - B.columns[j]
    rows, first, width = np.zeros(R + 1, np.int64), np.zeros(R + 1, np.int64), np.empty(R, np.int64)
    column, place, data = np.empty_like(B.column), np.empty_like(B.place), np.empty_like(B.data)
    n, p = 0, 0
    for k in range(R):
        i = order[k]
        height = B.rows[i + 1] - B.rows[i]
        rows[k + 1], width[k] = rows[k] + height, B.width[i]
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
            scale, q = left[i] * right[j], B.place[m]
            place[at] = p
            for _ in range(height * (B.columns[j + 1] - B.columns[j])):
                data[p] = B.data[q] * scale
                p, q = p + 1, q + 1
    return rows, new_columns, first, column, place, data, width


rearrange, join = entry_point(rearrange), lean(join)


def cut(P: Prepared, island: int) -> Prepared:
    """One island as a problem of its own; its operator must be assembled. Nothing is copied but indices."""
    first, last = int(P.islands[island]), int(P.islands[island + 1])
    if first == 0 and last == len(P.K.start) - 1:
        return P
    K, N = P.K, P.A.N
    top, bottom = int(K.start[first]), int(K.start[last])
    p, q = int(N.first[first]), int(N.first[last])
    start = K.start[first : last + 1] - top
    begin = int(N.place[p]) if p < len(N.place) else len(N.data)
    end = int(N.place[q]) if q < len(N.place) else len(N.data)
    blocks = BlockMatrix(
        start,
        start,
        N.first[first : last + 1] - p,
        N.column[p:q] - first,
        N.place[p:q] - begin,
        N.data[begin:end],
        N.width[first:last],
    )
    sets = Sets(start, K.sizes[first:last], K.friction[first:last], K.lower[first:last], K.upper[first:last])
    operator = P.A._replace(N=blocks, compliance=P.A.compliance[top:bottom])
    whole = np.array([0, last - first], np.int64)
    return Prepared(operator, sets, P.b[top:bottom], P.s[top:bottom], whole, np.zeros(2, np.int64))
