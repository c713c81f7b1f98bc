"""Newton's method on the few contacts that keep the rest from converging, all others held.

Sweeps of Gauss-Seidel under Coulomb's law come to a point where nearly all contacts are solved and some dozens go round in
a circle. The factor of thousands of contacts is dear, that of these and their neighbours is not: they are a problem of
their own, whose offset is what the others make of it,

    N_ss x_s + (u - N_ss x)_s,    s: the contacts with most of the error, and all within some rings around them.

What sweeps do next carries the change to the others. This is one subdomain of a Schwarz method, chosen where the error is.

Source: V. Dolean, P. Jolivet and F. Nataf, "An introduction to domain decomposition methods" (2015), chapter 1.
"""

from __future__ import annotations

import time

import numpy as np

from pluecker.contact.problem.prepared import Prepared
from pluecker.contact.problem.sets import Sets
from pluecker.contact.solving.island import Island
from pluecker.contact.solving.newton import evaluate_all, newton, residual, velocity
from pluecker.contact.sparse.blocks import BlockMatrix, Indices
from pluecker.spatial.functions.elementwise import Array

__all__ = ["improve_nearby", "part_of", "worst"]

SHARE = 0.9  # of the squared error that the contacts in the middle have together
RINGS = 2  # of neighbours around them
NEARBY = 2000  # contacts at most: more are no few
LEAST, SMALL = 100, 0.12  # contacts that are always few, and of all: more take longer than the sweeps between
STEPS, MORE, FEW = 12, 40, 500  # of Newton's method, and for so few contacts: what circles there holds up the rest
GOAL = 0.01  # of the error of this part
HELPS = 0.5  # of the error of this part: what helps less is not taken


def worst(P: Prepared, law: int, x: Array, u: Array) -> Indices:
    """The blocks that have nearly all of the error, and those around them, ascending."""
    F, z = np.empty_like(x), np.empty_like(x)
    residual(P, law, x, u, x, 0.0, z, F)
    error, N = np.add.reduceat(F * F, P.K.start[:-1]), P.A.N
    order = np.argsort(-error, kind="stable")
    sums = np.cumsum(error[order])
    inside = np.zeros(len(error), bool)
    inside[order[: 1 + np.searchsorted(sums, SHARE * sums[-1])]] = True
    row = np.repeat(np.arange(len(error)), np.diff(N.first))
    for _ in range(RINGS):
        inside[row[inside[N.column]]] = True
    return np.flatnonzero(inside)


def part_of(P: Prepared, blocks: Indices, x: Array, u: Array) -> tuple[Prepared, Indices]:
    """Some blocks as a problem of their own, in which the multipliers x of all others stay, and its rows in P.

    Args:
        P: with its matrix.
        blocks: ascending.
        x, u: multipliers of all blocks and their velocities, scaled, ``(m,)``.
    """
    K, N, heights = P.K, P.A.N, np.diff(P.K.start)[blocks]
    number = np.full(len(K.start) - 1, -1)
    number[blocks] = np.arange(len(blocks))
    k, row = ranges(N.first[blocks], N.first[blocks + 1] - N.first[blocks])
    mine = number[N.column[k]] >= 0
    k, row = k[mine], row[mine]
    column = number[N.column[k]]
    sizes, start = heights[row] * heights[column], np.concatenate([[0], np.cumsum(heights)])
    entries, _ = ranges(N.place[k], sizes)
    first, place = np.searchsorted(row, np.arange(len(blocks) + 1)), np.cumsum(sizes) - sizes
    matrix = BlockMatrix(start, start, first, column, place, N.data[entries], N.width[blocks])
    rows, _ = ranges(K.start[blocks], heights)
    sets = Sets(start, K.sizes[blocks], K.friction[blocks], K.lower[blocks], K.upper[blocks])
    operator = P.A._replace(N=matrix, compliance=P.A.compliance[rows])
    zero = np.zeros(len(rows))
    Q = Prepared(operator, sets, zero, P.s[rows], np.array([0, len(blocks)]), np.zeros(2, np.int64))
    return Q._replace(b=u[rows] - velocity(Q, x[rows])), rows


def ranges(begin: Indices, count: Indices) -> tuple[Indices, Indices]:
    """All numbers of some ranges, and which range each is of."""
    which = np.repeat(np.arange(len(count)), count)
    return np.arange(len(which)) + (begin - np.cumsum(count) + count)[which], which


def improve_nearby(island: Island, x: Array, u: Array, held_up: bool = True) -> None:
    """Newton's method where the error of x, u is, if that is in few places; they change where it helps there.

    Where sweeps are not ``held_up``, they are quicker than Newton's method on a larger part of all contacts.
    The error of the whole may rise at first, because neighbours have not answered yet: the island keeps its best.
    """
    P, law = island.P, island.law
    blocks = worst(P, law, x, u)
    if len(blocks) > (NEARBY if held_up else min(NEARBY, max(LEAST, SMALL * (len(P.K.start) - 1)))):
        return
    began = time.perf_counter()
    Q, rows = part_of(P, blocks, x, u)
    mine, speed, zero = x[rows], u[rows].copy(), np.zeros(len(rows))
    before = float(evaluate_all(Q, zero, mine, speed, law, zero.copy()))
    most = min(MORE if len(blocks) <= FEW else STEPS, island.rest)
    steps = newton(Q, law, mine, speed, GOAL * before, most, np.zeros(0), 0)
    after = float(evaluate_all(Q, zero, mine, speed, law, zero.copy()))
    if after < HELPS * before:
        x[rows] = mine
        u[:] = island.velocity(x)
        island.take(x, u)
    island.note("newton", steps, began)
