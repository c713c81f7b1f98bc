"""Islands of up to 72 rows as full matrices, of up to 48 in the convex law: solved by a kernel on scalars, or left as they
were.

What is sparse here has a floor of a millisecond; four contacts as a full matrix take microseconds. Islands with other blocks
than contacts with three components and rows are left to others, as are those that the first turns do not bring to the
tolerance: their multipliers and velocities stay what they were.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.first_order.memory import ERROR, ITERATIONS
from pluecker.contact.first_order.runner import evaluate
from pluecker.contact.problem.prepared import Prepared
from pluecker.contact.problem.sets import project_block
from pluecker.contact.sparse.blocks import Indices
from pluecker.spatial.compiled.decorators import allocation_free_kernel, called_kernel
from pluecker.spatial.dense.cone_solver import cone_solver_memory, solve_cone
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.memory.views import view
from pluecker.spatial.parallel.interruption_flag import interrupted

__all__ = ["CONVEX_ROWS", "ROWS", "SmallIslands", "place_for_small", "run_small"]

ROWS = 72  # at most: with 75 to 120, those that fail here cost more than the others gain (measured, one core)
CONVEX_ROWS = (
    48  # in the convex law, from zero: beyond, the interior point takes half the time (measured, 60 and 72 rows)
)
TURNS = 7  # iterations, two turns: what these do not solve is seldom solved by more
WORST = 300  # iterations that these turns may take: a turn that was begun is finished
FINER = 0.01  # of the tolerance, inside: what is asked for there is relative to b alone, in other units
FINEST = 1e-13
NUMBERS = 3 * ROWS  # of the laws of an island, at most


class SmallIslands(NamedTuple):
    """Where islands are solved, one after the other: compiled code allocates nothing.

    Attributes:
        matrix: of an island, ``(m^2,)``, m being the rows of the largest.
        kinds, laws: of its blocks, as the kernel wants them.
        vectors: the multipliers, and multipliers and velocities at the start, ``(3, m)``.
        error: ``(1,)``.
        work: of the kernel.
        zero, moved: for the error of all rows.
    """

    matrix: Array
    kinds: Indices
    laws: Array
    vectors: Array
    error: Array
    work: Array
    zero: Array
    moved: Array


def place_for_small(P: Prepared) -> SmallIslands:
    """For the islands of a problem."""
    size = len(P.b)
    m = min(ROWS, size)
    return SmallIslands(
        np.empty(m * m), np.empty(m, np.int64), np.empty(NUMBERS), np.empty((3, m)), np.empty(1),
        np.empty(int(cone_solver_memory(m, NUMBERS))), np.zeros(size), np.empty(size),
    )  # fmt: skip


@allocation_free_kernel
def is_small(P, law, x, first, last):
    """Whether the blocks from ``first`` to ``last`` are contacts with three components, or rows, and few"""
    top, bottom, begun = P.K.start[first], P.K.start[last], law == 1
    if bottom - top > ROWS:
        return False
    for i in range(first, last):
        size = P.K.start[i + 1] - P.K.start[i]
        if not (size == 1 or (size == 3 and P.K.sizes[i, 0] == 2)):
            return False
    for k in range(top, bottom):
        begun = begun or x[k] != 0.0
    return begun or bottom - top <= CONVEX_ROWS


@allocation_free_kernel
def full_matrix(P, first, last, W):
    """The matrix of an island, its compliance included"""
    N, top, m = P.A.N, P.K.start[first], P.K.start[last] - P.K.start[first]
    for k in range(m * m):
        W[k] = 0.0
    for i in range(first, last):
        row, size = P.K.start[i] - top, P.K.start[i + 1] - P.K.start[i]
        for k in range(N.first[i], N.first[i + 1]):
            j = N.column[k]
            column, width = P.K.start[j] - top, P.K.start[j + 1] - P.K.start[j]
            for a in range(size):
                for b in range(width):
                    W[(row + a) * m + column + b] = N.data[N.place[k] + a * width + b]
        for a in range(size):
            W[(row + a) * (m + 1)] += P.A.compliance[P.K.start[i] + a]


@allocation_free_kernel
def laws_of(P, first, last, kinds, laws):
    """What the kernel calls kinds and laws, and how many numbers these have"""
    place = 0
    for i in range(first, last):
        if P.K.sizes[i, 0] == 2:
            kinds[i - first], laws[place] = 0, P.K.friction[i, 0]
            place += 1
        else:
            kinds[i - first] = 1
            laws[place], laws[place + 1], laws[place + 2] = P.K.upper[i], 0.0, P.K.lower[i]
            place += 3
    return place


@called_kernel
def run_small(P, law, x, u, tol, limit, results, begin, end, place):
    """Small islands from ``begin`` to ``end`` that do not have the tolerance; arguments as those of all methods

    Islands without it afterwards have what they had. ``place`` is a :class:`SmallIslands`.
    """
    W, kinds, laws, error, work = place.matrix, place.kinds, place.laws, place.error, place.work
    r, x0, u0 = place.vectors[0], place.vectors[1], place.vectors[2]
    if limit < WORST:
        return
    for island in range(begin, end):
        first, last = P.islands[island], P.islands[island + 1]
        top, bottom = P.K.start[first], P.K.start[last]
        if interrupted() or results[island, ERROR] <= tol or results[island, ITERATIONS] > 0.0:
            continue
        if not is_small(P, law, x, first, last):
            continue
        m = bottom - top
        full_matrix(P, first, last, W)
        count = laws_of(P, first, last, kinds, laws)
        for k in range(m):
            r[k], x0[k], u0[k] = x[top + k], x[top + k], u[top + k]
        used = solve_cone(
            view(W[: m * m]), view(P.b[top:bottom]), view(kinds[: last - first].view(np.float64)), view(laws[:count]),
            law == 1, max(FINER * tol, FINEST), TURNS, view(r[:m]), view(error), view(work),
        )  # fmt: skip
        for k in range(m):
            x[top + k] = r[k]
        for i in range(first, last):
            project_block(P.K, i, x, x)
        for k in range(m):
            v = P.b[top + k]
            for j in range(m):
                v += W[k * m + j] * x[top + j]
            u[top + k] = v
        e = evaluate(P, place.zero, x, u, law, first, last, place.moved)
        if e <= tol:
            results[island, ERROR], results[island, ITERATIONS] = e, used
        else:
            for k in range(m):
                x[top + k], u[top + k] = x0[k], u0[k]
