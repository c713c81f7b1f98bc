"""Islands of up to 72 rows as full matrices, of up to 48 in the convex law: solved by a kernel on scalars, or left as they
were.

What is sparse here has a floor of a millisecond; four contacts as a full matrix take microseconds. Islands with other blocks
than contacts in space and rows are left to other methods, as are those that the first turns do not bring to the tolerance:
their multipliers and velocities stay what they were.

The kernel knows contacts with three components. Under Coulomb's law rolling and spinning are contacts of their own there,
with a normal multiplier p beside the normal one r_n of the contact (:mod:`~pluecker.contact.rows.resistance`). Here, where
all blocks have a mean diagonal of one, its velocity is ``p - r_n``, and that of r_n gains ``r_n - p``.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.dense.cone_solver import cone_solver_memory, solve_cone
from pluecker.contact.friction.first_order.memory import ERROR, ITERATIONS
from pluecker.contact.friction.first_order.runner import evaluate
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.problem.sets import DISCS, project_block, rows_of_part
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.functions.elementwise import Array

__all__ = ["CONVEX_ROWS", "ROWS", "SmallIslands", "place_for_small", "run_small"]

ROWS = 72  # at most: with 75 to 120, those that fail here cost more than the others gain (measured, one core)
CONVEX_ROWS = (
    48  # in the convex law, from zero: beyond, the interior point takes half the time (measured, 60 and 72 rows)
)
TURNS = 7  # iterations, two turns: what these do not solve is seldom solved by more
TURNING = 100  # iterations where anything rolls or spins: what others take there is a thousand times as much
WORST = 300  # iterations that these turns may take: a turn that was begun is finished
FINER = 0.01  # of the tolerance, inside: what is asked for there is relative to b alone, in other units
# Up to this tolerance the same is asked for, so that a tighter one leads to the same multipliers, of which there are many in
# some islands, and to no larger error by what these do to the scale of all.
COMMON = 1e-10
FINEST = 1e-13
NUMBERS = 3 * ROWS  # of the laws of an island, at most


class SmallIslands(NamedTuple):
    """Workspace in which islands are solved, one after the other: compiled code allocates nothing.

    Attributes:
        matrix: of an island, ``(m^2,)``, m being the rows of the largest.
        kinds, laws: of its blocks, as the kernel wants them.
        vectors: multipliers and offset as the kernel wants them, multipliers and velocities at the start, ``(4, m)``.
        rows: where the rows of an island are in its matrix, ``(m,)``.
        error: ``(1,)``.
        work: of the kernel.
        zero, moved: for the error of all rows.
    """

    matrix: Array
    kinds: Indices
    laws: Array
    vectors: Array
    rows: Indices
    error: Array
    work: Array
    zero: Array
    moved: Array


def place_for_small(P: Prepared) -> SmallIslands:
    """Allocate the workspace for the islands of a problem."""
    size = len(P.b)
    m = min(ROWS, 2 * size)  # rolling and spinning of a contact have rows of their own
    return SmallIslands(
        np.empty(m * m), np.empty(m, np.int64), np.empty(NUMBERS), np.empty((4, m)), np.empty(m, np.int64), np.empty(1),
        np.empty(work_of(m)), np.zeros(size), np.empty(size),
    )  # fmt: skip


@functools.cache
def work_of(m: int) -> int:
    """Return how many numbers the kernel works on, for so many rows."""
    return int(cone_solver_memory(m, NUMBERS))


@allocation_free_kernel
def is_small(P, law, x, first, last):
    """Return whether the blocks from ``first`` to ``last`` are contacts in space, or rows, and few

    Rolling and spinning, which are solved under Coulomb's law alone, count as three rows each. In the convex law fewer rows
    are few where all multipliers are zero.
    """
    top, bottom, begun, rows = P.K.start[first], P.K.start[last], law == 1, 0
    if bottom - top > ROWS:
        return False
    for i in range(first, last):
        size, turning = P.K.start[i + 1] - P.K.start[i], parts_of(P.K, i) - 1
        if not (size == 1 or P.K.sizes[i, 0] == 2) or (turning > 0 and law != 1):
            return False
        rows += 1 if size == 1 else 3 + 3 * turning
    for k in range(top, bottom):
        begun = begun or x[k] != 0.0
    return rows <= ROWS and (begun or rows <= CONVEX_ROWS)


@allocation_free_kernel
def parts_of(K, i):
    """Return how many contacts of three rows a contact becomes: itself, and one for each disc of rolling or spinning"""
    return 1 + (1 if K.sizes[i, 1] > 0 else 0) + (1 if K.sizes[i, 2] > 0 else 0)


@allocation_free_kernel
def find_rows(P, first, last, rows):
    """Find where the rows of an island are in its matrix; return how many rows that has"""
    K, top, m = P.K, P.K.start[first], 0
    for i in range(first, last):
        begin, size = K.start[i] - top, K.start[i + 1] - K.start[i]
        for a in range(min(size, 3)):
            rows[begin + a] = m + a
        m += min(size, 3)
        for part in range(1, DISCS):
            row, count = rows_of_part(K.start, K.sizes, i, part)
            if count > 0:
                for a in range(count):  # one row is the last of the three: the other tangent meets nothing
                    rows[row - top + a] = m + 3 - count + a
                m += 3
    return m


@allocation_free_kernel
def full_matrix(P, first, last, rows, m, W):
    """Compute the matrix of an island, its compliance included"""
    N, top = P.A.N, P.K.start[first]
    for k in range(m * m):
        W[k] = 0.0
    for i in range(first, last):
        row, size = P.K.start[i] - top, P.K.start[i + 1] - P.K.start[i]
        for k in range(N.first[i], N.first[i + 1]):
            j = N.column[k]
            column, width = P.K.start[j] - top, P.K.start[j + 1] - P.K.start[j]
            for a in range(size):
                for b in range(width):
                    W[rows[row + a] * m + rows[column + b]] = N.data[N.place[k] + a * width + b]
        for a in range(size):
            W[rows[row + a] * (m + 1)] += P.A.compliance[P.K.start[i] + a]


@allocation_free_kernel
def couple(P, first, last, rows, m, sign, W, r):
    """Couple discs of rolling and spinning with the normal of their contact; with ``sign`` -1 undo that. r: p = r_n"""
    top = P.K.start[first]
    for i in range(first, last):
        n = rows[P.K.start[i] - top]
        p = n
        for disc in range(1, DISCS):
            if P.K.sizes[i, disc] > 0:
                p += 3
                W[n * (m + 1)] += sign
                W[p * m + n], W[n * m + p], W[p * (m + 1)] = -sign, -sign, sign
                r[p] = r[n]
                if P.K.sizes[i, disc] == 1:  # of the tangent that meets nothing
                    W[(p + 1) * (m + 1)] = 1.0


@allocation_free_kernel
def laws_of(P, first, last, kinds, laws):
    """Write kinds and laws of the blocks as the kernel takes them; return how many blocks there are, and how many numbers

    A contact has kind 0 and its coefficient of friction, one for each disc; a row has kind 1 and the numbers upper, 0,
    lower.
    """
    block, place = 0, 0
    for i in range(first, last):
        if P.K.sizes[i, 0] == 2:
            for disc in range(DISCS):
                if P.K.sizes[i, disc] > 0:
                    kinds[block], laws[place] = 0, P.K.friction[i, disc]
                    block, place = block + 1, place + 1
        else:
            kinds[block] = 1
            laws[place], laws[place + 1], laws[place + 2] = P.K.upper[i], 0.0, P.K.lower[i]
            block, place = block + 1, place + 3
    return block, place


@called_kernel
def run_small(P, law, x, u, tol, limit, results, begin, end, place):
    """Solve small islands from ``begin`` to ``end`` that do not have the tolerance; arguments as those of all methods

    Islands without it afterwards have what they had. ``place`` is a :class:`SmallIslands`.
    """
    W, kinds, laws, rows, error, work = place.matrix, place.kinds, place.laws, place.rows, place.error, place.work
    r, c, x0, u0 = place.vectors[0], place.vectors[1], place.vectors[2], place.vectors[3]
    if limit < WORST:
        return
    for island in range(begin, end):
        first, last = P.islands[island], P.islands[island + 1]
        top, bottom = P.K.start[first], P.K.start[last]
        if interrupted() or results[island, ERROR] <= tol or results[island, ITERATIONS] > 0.0:
            continue
        if not is_small(P, law, x, first, last):
            continue
        n, m = bottom - top, find_rows(P, first, last, rows)
        full_matrix(P, first, last, rows, m, W)
        blocks, count = laws_of(P, first, last, kinds, laws)
        for k in range(m):
            r[k], c[k] = 0.0, 0.0
        for k in range(n):
            r[rows[k]], c[rows[k]], x0[k], u0[k] = x[top + k], P.b[top + k], x[top + k], u[top + k]
        couple(P, first, last, rows, m, 1.0, W, r)
        used = solve_cone(
            view(W[: m * m]), view(c[:m]), view(kinds[:blocks].view(np.float64)), view(laws[:count]),
            law == 1, max(FINER * min(tol, COMMON), FINEST), TURNING if m > n else TURNS,
            view(r[:m]), view(error), view(work),
        )  # fmt: skip
        couple(P, first, last, rows, m, -1.0, W, r)
        for k in range(n):
            x[top + k] = r[rows[k]]
        for i in range(first, last):
            project_block(P.K, i, x, x)
        for k in range(n):
            v = P.b[top + k]
            for j in range(n):
                v += W[rows[k] * m + rows[j]] * x[top + j]
            u[top + k] = v
        e = evaluate(P, place.zero, x, u, law, first, last, place.moved)
        if e <= tol:
            results[island, ERROR], results[island, ITERATIONS] = e, used
        else:
            for k in range(n):
                x[top + k], u[top + k] = x0[k], u0[k]
