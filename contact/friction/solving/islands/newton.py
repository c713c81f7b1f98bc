"""Newton's method on islands of a prepared problem, in the velocities of what they move.

    N = G G' + compliance,    u = G v + compliance x + b,    v = G' x

The unknowns are the velocities v, six for each body, whose mass matrix is the identity where ``G = J M^-1/2``: what is
factorised is ``1 + G' D G``, sparse as the graph of bodies, however many contacts these have
(:mod:`~pluecker.contact.friction.velocities.solve_island`). Problems of bodies come with G. Of a matrix an island gets the
root of its own part of it, by its eigenvectors, and is one body with as many velocities as that has rank.

Of large islands some contacts are solved alone, with all others held, see :func:`improve_part`.

Source: V. Acary, M. Bremond and O. Huber (2018), section 4; more in :mod:`~pluecker.contact.friction.velocities.newton`.
"""

from __future__ import annotations

import time
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.friction.first_order.memory import ERROR, ITERATIONS
from pluecker.contact.friction.first_order.runner import evaluate
from pluecker.contact.friction.problem.operator import Operator, apply, plain
from pluecker.contact.friction.problem.prepared import Order, Prepared, rearranged
from pluecker.contact.friction.problem.sets import Sets, project_block
from pluecker.contact.friction.results.result import Part
from pluecker.contact.friction.solving.direct import Direct
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices, multiply_row, multiply_row_transposed
from pluecker.contact.friction.sparse.rounding import LOST
from pluecker.contact.friction.velocities.island import IslandProblem
from pluecker.contact.friction.velocities.solve_island import make_memory, solve_island
from pluecker.spatial.engine.compiled.decorators import entry_point, kernel
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.parallel.interruption import LONG_OPERATIONS, answering
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.engine.scalars.operations import part
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "BUDGET", "Limits", "Place", "Roots", "Task", "find_roots", "improve_islands", "improve_part", "make_place",
    "run_newton",
]  # fmt: skip

AIM = 0.3  # of the error that is asked for
BUDGET = 100  # factors, from a start; of 440 hard problems 399 take no more, with 300 three more are solved
MOST = 2**31  # blocks of an island, where nobody says fewer
NUMBER = 1500  # of nodes of an island at most: beyond, gradients and sweeps are faster


class Roots(NamedTuple):
    """G of the islands of a prepared problem, in its order of blocks, not scaled, and what belongs to it.

    Attributes:
        G: the blocks of nodes: bodies, or the islands of a matrix.
        sizes, friction: of the discs of each block row, three each.
        inverse, square: identities, and where that of each node is.
        compliance: a number for each multiplier.
        members: the numbers of all block rows.
        covered: 1 for islands that G has.
        room: how many numbers of memory islands took so far.
        work: operations of a factor of all islands, without what fills in.
    """

    G: BlockMatrix
    sizes: Indices
    friction: Array
    inverse: Array
    square: Indices
    compliance: Array
    members: Indices
    covered: Indices
    room: Indices
    work: float


class Limits(NamedTuple):
    """Limits of Newton's method on the islands of a problem.

    Attributes:
        goal: the error to be reached.
        iterations: of all methods together on an island, a factor being one.
        factors: of an island in one call.
        blocks: of an island, at most.
    """

    goal: float
    iterations: int
    factors: int
    blocks: int = MOST


class Place(NamedTuple):
    """Workspace of one call, as long as vectors of all multipliers, blocks, nodes and velocities.

    Attributes:
        r, offset: multipliers and offset, not scaled; y, v: multipliers and velocities, scaled; scratch.
        lower, upper: bounds of blocks, not scaled; zero.
        local: -1 for each node.
        change: a vector of velocities.
    """

    r: Array
    offset: Array
    y: Array
    v: Array
    scratch: Array
    lower: Array
    upper: Array
    zero: Array
    local: Indices
    change: Array


class Task(NamedTuple):
    """A prepared problem for Newton's method.

    Attributes:
        P: the problem.
        law: 1 for Coulomb's law, 0 for the convex one.
        roots: of the problem.
        place: workspace.
    """

    P: Prepared
    law: int
    roots: Roots
    place: Place


def make_place(roots: Roots) -> Place:
    """Allocate the workspace of a call."""
    m, n = len(roots.compliance), len(roots.members)
    r, offset, y, v, scratch = np.empty((5, m))
    lower, upper, zero = np.zeros((3, n))
    local, change = np.full(len(roots.square), -1, np.int64), np.empty(int(roots.G.columns[-1]))
    return Place(r, offset, y, v, scratch, lower, upper, zero, local, change)


def find_roots(operator: Operator, sets: Sets, order: Order, P: Prepared, most: int) -> Roots | None:
    """Find G of a problem, P in its order; of a matrix that of islands of at most ``most`` rows. None if none has."""
    number, m = len(order.islands) - 1, len(P.s)
    if operator.is_factored and len(operator.G.data):
        G = BlockMatrix(*(plain(a, a.dtype.kind) for a in operator.G))
        C = len(G.columns) - 1
        G = rearranged(G, order.blocks, np.arange(C), np.ones(m), np.ones(int(G.columns[-1])))
        covered = np.full(number, C <= NUMBER)
        if C > NUMBER:
            island = np.full(C, -1)
            island[G.column] = np.repeat(np.repeat(np.arange(number), np.diff(order.islands)), np.diff(G.first))
            covered = np.bincount(island[island >= 0], minlength=number) <= NUMBER
    elif len(P.A.N.column):
        covered = np.diff(P.K.start[order.islands]) <= most
        if not covered.any():
            return None
        G = roots_of_islands(P, order.islands, covered)
    else:
        return None
    widths, square = np.diff(G.columns), np.zeros(len(G.columns) - 1, np.int64)
    inverse = [np.eye(n).ravel() for n in sorted(set(widths.tolist()))]
    if len(inverse) > 1:
        square = np.cumsum([0, *map(len, inverse)])[np.unique(widths, return_inverse=True)[1]]
    blocks = order.blocks
    return Roots(
        G, sets.sizes[blocks].reshape(-1), sets.friction[blocks].reshape(-1), np.concatenate(inverse), square,
        P.A.compliance / (P.s * P.s), np.arange(len(blocks)), covered.astype(np.int64), np.zeros(1, np.int64),
        float((widths.astype(np.float64) ** 3).sum()),
    )  # fmt: skip


def roots_of_islands(P: Prepared, islands: Indices, covered: NDArray[np.bool_]) -> BlockMatrix:
    """Find the roots of the matrices of some islands, each a node of its own, whose columns are as many as its rank."""
    start, data, widths = P.K.start, [], np.zeros(len(covered), np.int64)
    for k in np.flatnonzero(covered):
        first, last = islands[k], islands[k + 1]
        top, bottom = int(start[first]), int(start[last])
        N = np.zeros((bottom - top, bottom - top))
        fill(P.A.N, first, last, N)
        values, vectors = np.linalg.eigh(N) if np.isfinite(N).all() else (np.zeros(1), np.zeros((bottom - top, 1)))
        there = values > LOST * values[-1]
        root = vectors[:, there] * np.sqrt(values[there]) / P.s[top:bottom, None]
        widths[k] = root.shape[1]
        data.append(root.ravel())
    count = np.repeat(covered & (widths > 0), np.diff(islands)).astype(np.int64)
    node = np.repeat(np.arange(len(covered)), np.diff(islands))[count > 0]
    sizes = np.diff(start)[count > 0] * widths[node]
    return BlockMatrix(
        start, np.cumsum([0, *widths]), np.cumsum([0, *count]), node, np.cumsum(sizes) - sizes,
        np.concatenate([*data, np.zeros(0)]), np.zeros(len(start) - 1, np.int64),
    )  # fmt: skip


def fill(N, first, last, out):
    """Write the blocks of an island to a full matrix of zeros"""
    top = N.rows[first]
    for i in range(first, last):
        for k in range(N.first[i], N.first[i + 1]):
            j, p = N.column[k], N.place[k]
            width = N.columns[j + 1] - N.columns[j]
            for a in range(N.rows[i + 1] - N.rows[i]):
                for b in range(width):
                    out[N.rows[i] - top + a, N.rows[j] - top + b] = N.data[p + a * width + b]


fill = entry_point(fill)


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def problem_of(task):
    """View the problem as the solver of islands has it"""
    roots, place, G = task.roots, task.place, task.roots.G
    return IslandProblem(
        view(G.rows), view(G.columns), view(G.first), view(G.column), view(G.place), view(G.data), view(roots.sizes),
        view(roots.friction), view(place.lower), view(place.upper), view(roots.inverse), view(roots.inverse),
        view(roots.square), view(place.offset), view(roots.compliance), view(place.r),
    )  # fmt: skip


@kernel
def store_block(P, i, x, u, place):
    """Store multipliers, bounds, and as offset the velocities u of block row i, not scaled"""
    top = P.K.start[i]
    place.lower[i], place.upper[i] = P.K.lower[i] * P.s[top], P.K.upper[i] * P.s[top]
    for k in range(top, P.K.start[i + 1]):
        place.r[k], place.offset[k] = x[k] * P.s[k], u[k] / P.s[k]


def on_islands(task, x, u, limits, results, first_island, memory):
    """Run Newton's method on islands within limits that have a larger error than the goal, from x; return 0, or how many
    numbers of memory are lacking

    ``results`` are those of the islands from the first one on. Pairs x, u that are better are kept.
    """
    P, law, roots, place = task
    K, Q, y, v, (goal, iterations, factors, blocks) = P.K, problem_of(task), place.y, place.v, limits
    for k in range(len(results)):
        island, here = first_island + k, results[k]
        most = min(factors, iterations - int(here[ITERATIONS]))
        first, last = P.islands[island], P.islands[island + 1]
        if roots.covered[island] == 0 or last - first > blocks or here[ERROR] <= goal or most <= 0 or interrupted():
            continue
        top, bottom = K.start[first], K.start[last]
        for i in range(first, last):
            store_block(P, i, x, P.b, place)
        members = part(view(roots.members), first, last - first)
        _, used = solve_island(
            view(memory), Q, view(place.local), members, law, AIM * goal, inf, most, view(place.change)
        )  # fmt: skip
        if used < 0:
            return -used
        for k in range(top, bottom):
            y[k] = place.r[k] / P.s[k]
        for i in range(first, last):
            project_block(K, i, y, y)
        apply(P.A, y, v, first, last, P.sides[island], P.sides[island + 1])
        for k in range(top, bottom):
            v[k] += P.b[k]
        error = evaluate(P, place.zero, y, v, law, first, last, place.scratch)
        here[ITERATIONS] += used
        if error < here[ERROR]:
            here[ERROR] = error
            for k in range(top, bottom):
                x[k], u[k] = y[k], v[k]
    return 0


def on_part(task, x, u, blocks, aim, budget, enough, memory):
    """Solve some contacts, in ``blocks``, with the multipliers of all others as they are, from the pair x, u

    x has the best that were found, if their error is ``enough``. Returns it and how many factors were made, or with a minus
    how many numbers are lacking.
    """
    P, law, roots, place = task
    G, K, change = roots.G, P.K, place.change
    for n in range(len(blocks)):
        store_block(P, blocks[n], x, u, place)
        for e in range(G.first[blocks[n]], G.first[blocks[n] + 1]):
            for c in range(G.columns[G.column[e]], G.columns[G.column[e] + 1]):
                change[c] = 0.0
    for n in range(len(blocks)):
        multiply_row_transposed(G, blocks[n], place.r, change)
    for n in range(len(blocks)):  # without what these multipliers do themselves
        multiply_row(G, blocks[n], change, place.y)
        for k in range(K.start[blocks[n]], K.start[blocks[n] + 1]):
            place.offset[k] -= place.y[k] + roots.compliance[k] * place.r[k]
    error, used = solve_island(
        view(memory), problem_of(task), view(place.local), view(blocks), law, aim, inf, budget, view(change)
    )  # fmt: skip
    if used >= 0 and error <= enough:
        for n in range(len(blocks)):
            for k in range(K.start[blocks[n]], K.start[blocks[n] + 1]):
                x[k] = place.r[k] / P.s[k]
    return error, used


on_islands, on_part = Direct(on_islands), Direct(on_part)


# ---------------------------------------------------------------------------------------------------------------- Python


def improve_islands(task: Task, x: Array, u: Array, limits: Limits, results: Array, first: int = 0) -> None:
    """Run Newton's method on islands, from x; x and u become better pairs.

    Args:
        task: the problem.
        x, u: scaled multipliers, from which islands begin, and velocities, ``(m,)``.
        limits: of the method.
        results: of the islands from the first one on, see
            :class:`~pluecker.contact.friction.first_order.memory.Memory`.
        first: the first of these islands.
    """
    lacking, room = 1, task.roots.room
    long = min(limits.factors, limits.iterations) * task.roots.work > LONG_OPERATIONS
    while lacking > 0:
        memory = make_memory(int(room[0]))
        lacking = answering(on_islands, task, x, u, limits, results, first, memory, long=long)
        room[0] = max(int(room[0]), lacking)


def improve_part(
    task: Task, x: Array, u: Array, blocks: Indices, aim: float, budget: int, enough: float
) -> tuple[float, int]:  # fmt: skip
    """Solve some contacts with all others as they are; x changes if the error is ``enough``. Return it, and the factors."""
    used, room = -1, task.roots.room
    while used < 0:
        memory = make_memory(int(room[0]))
        error, used = answering(on_part, task, x, u, blocks, aim, budget, enough, memory)
        room[0] = max(int(room[0]), -used)
    return error, used


def run_newton(
    P: Prepared, law: int, roots: Roots | None, x: Array, u: Array, limits: Limits, results: Array, begin: int, end: int
) -> list[Part]:  # fmt: skip
    """Run Newton's method on the islands from ``begin`` to ``end``; return what it did, nothing where there are no roots.

    ``results`` are those of all islands.
    """
    if roots is None or not roots.covered[begin:end].any():
        return []
    began, mine = time.perf_counter(), results[begin:end]
    before = mine[:, ITERATIONS].copy()
    improve_islands(Task(P, law, roots, make_place(roots)), x, u, limits, mine, begin)
    used = mine[:, ITERATIONS] - before
    errors = np.where(used > 0.0, mine[:, ERROR], 0.0)
    return [Part("newton", slice(begin, end), used, errors, time.perf_counter() - began)] if used.any() else []
