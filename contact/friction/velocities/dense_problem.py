"""Small problems that are given by their matrix, in velocities: what dense methods do not solve in a step.

    W = L L'        dv = L' r        u = L dv + b = W r + b

So such a problem is an island of one node with the velocities dv, whose mass matrix is 1, and
:func:`~pluecker.contact.friction.velocities.solve_island.solve_one_island` solves it. L has as many columns as W has rank:
however many contacts two bodies have, these are at most their freedoms, and all that is factorised is small.

A compiled step calls Python for it, by a name that compiled code knows. That is seldom, and the solver is compiled where it
is wanted first, not with each step. Blocks that stand alone and have no velocity are left out, so that a state of a batch
has the same problem, to the last bit, whichever contacts its neighbours have.

Sources: Higham, *Accuracy and Stability of Numerical Algorithms*, section 10.3, on factors of semidefinite matrices; Moreau
(1999): the sum of monotone laws of one velocity is a monotone law, so each step of a staircase is a row of its own.
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.dense.cone_steps import CONTACT, numbers_of, rows_of
from pluecker.contact.friction.problem.sets import DISCS, Sets
from pluecker.contact.friction.sparse.blocks import BlockMatrix
from pluecker.contact.friction.velocities.solve_island import island_problem, solve_one_island
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import address_of, integers_at
from pluecker.spatial.engine.memory.separate import by_scalar, put_arrays
from pluecker.spatial.engine.parallel.callbacks import calls_python
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import store
from pluecker.spatial.functions.elementwise import Array

__all__ = ["CALL", "solve_in_velocities", "solve_unsolved"]

BUDGET = 1000  # factors, at most: there are six rows of them a body, and few ask for so many
# Of a diagonal of about one: what rounding leaves of rows that others say already, and what steps add to them.
SMALLEST_PIVOT = 1e-12
AIM = 1e-9  # error: less than steps tolerate in any unit, and Newton's method in impulses goes on from there


class Blocks(NamedTuple):
    """Rows of a problem as an island has them: one for each step of a staircase, three for each contact.

    Attributes:
        row: of each row the one that it is of the problem, ``(m,)``.
        start: where each block begins, and m at the end.
        friction: of each block, 0 of those of one row.
        lower, upper: bounds of the first multiplier of each block.
        asked: velocities about which laws are, ``(m,)``.
        rest: what the multipliers of the problem are beside those of the rows, ``(n,)``.
    """

    row: list[int]
    start: list[int]
    friction: list[float]
    lower: list[float]
    upper: list[float]
    asked: list[float]
    rest: Array


def blocks_of(W: Array, b: Array, kinds: Array, laws: Array) -> Blocks:
    """Return the rows of all blocks but those that stand alone and have no velocity."""
    B, row, place = Blocks([], [0], [], [], [], [], np.zeros(len(b))), 0, 0
    for kind in kinds.tolist():
        own, law = range(row, row + rows_of(kind)), laws[place : place + numbers_of(kind)].tolist()
        row, place = row + rows_of(kind), place + numbers_of(kind)
        if not (b[own].any() or np.delete(W[own], own, axis=1).any()):
            continue
        if kind == CONTACT:
            add_block(B, own, law[0], (0.0, np.inf), 0.0)
            continue
        B.rest[own] = next((level for level in reversed(law[::2]) if np.isfinite(level)), 0.0)
        for above, position, below in zip(law[:-2:2], law[1::2], law[2::2], strict=True):
            if above > below:
                half = 0.5 * (above - below) if np.isfinite(above - below) else 0.0
                lower = -half if half else -np.inf if below == -np.inf else 0.0
                upper = half if half else np.inf if above == np.inf else 0.0
                B.rest[own] += half
                add_block(B, own, 0.0, (lower, upper), -position)
    return B


def add_block(B: Blocks, rows: range, friction: float, bounds: tuple[float, float], asked: float) -> None:
    """Add a contact, or a step of a staircase."""
    B.row.extend(rows)
    B.start.append(len(B.row))
    B.friction.append(friction)
    B.lower.append(bounds[0])
    B.upper.append(bounds[1])
    B.asked.extend([asked] + [0.0] * (len(rows) - 1))


def half_of(S: Array) -> Array:
    """Compute L with ``S = L L^T``, as many columns as S has rank, of a matrix whose diagonal is about one.

    Pivots are the largest that are left. Entries are computed one by one, in one order, whatever the machine does at once.
    """
    rest, columns = S.copy(), []
    for _ in range(len(S)):
        p = int(rest.diagonal().argmax())
        if not rest[p, p] > SMALLEST_PIVOT:
            break
        column = rest[:, p] / np.sqrt(rest[p, p])
        rest -= column[:, None] * column
        columns.append(column)
    return np.array(columns).T.reshape(len(S), len(columns))


def solve_in_velocities(W: Array, b: Array, kinds: Array, laws: Array) -> Array:
    """Solve ``u = W r + b`` by the laws of its blocks, Coulomb's of contacts; return the nearest that came of it, ``(n,)``.

    Args:
        W: symmetric, positive semidefinite, ``(n, n)``.
        b: ``(n,)``.
        kinds, laws: of the blocks, integers and numbers, as of :mod:`~pluecker.contact.friction.dense.cone_problem`.
    """
    B = blocks_of(W, b, kinds, laws)
    if not B.row:
        return B.rest
    row, start = np.array(B.row, np.int64), np.array(B.start, np.int64)
    count, sizes = len(start) - 1, np.diff(start)
    diagonal = np.repeat(np.add.reduceat(W.diagonal()[row], start[:-1]) / sizes, sizes)
    s = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    first = np.unique(row, return_index=True)[1]  # steps of one staircase have the same row of L
    own = row[first]
    half = half_of(s[first, None] * W[np.ix_(own, own)] * s[first])
    L = np.zeros((len(b), half.shape[1]))
    L[own] = half / s[first, None]
    n = L.shape[1]
    if not n:
        return B.rest
    J = BlockMatrix(
        start, np.array([0, n], np.int64), np.arange(count + 1, dtype=np.int64), np.zeros(count, np.int64), start[:-1] * n,
        L[row].reshape(-1), np.where((sizes == 3) & ((n == 3) | (n == 6)), n, 0),
    )  # fmt: skip
    discs, friction = np.zeros((count, DISCS), np.int64), np.zeros((count, DISCS))
    discs[:, 0], friction[:, 0] = sizes - 1, B.friction
    K = Sets(start, discs, friction, np.array(B.lower), np.array(B.upper))
    square, r = np.zeros(1, np.int64), np.zeros(len(row))
    P = island_problem(J, K, np.eye(n).reshape(-1), square, b[row] - B.asked, np.zeros(len(row)), r)
    solve_one_island(P, np.arange(count, dtype=np.int64), 1, AIM, AIM, BUDGET, np.zeros(n))
    found = B.rest.copy()
    np.add.at(found, row, r)
    return found


# ------------------------------------------------------------------------------------------------- called by compiled steps

ARRAYS = 6
STATES = 2 * ARRAYS  # in the block of a call, behind the arrays: how many states there are
CALL = 16  # integers of the block


def solve_states(place: int) -> None:
    """Solve the problem of each state that wants it, of which the block at an address tells."""
    block = np.ctypeslib.as_array((ctypes.c_int64 * CALL).from_address(place)).tolist()
    states = block[STATES]

    def array(k: int, states: int, kind: type = ctypes.c_double) -> Array:
        address, n = block[2 * k : 2 * k + 2]
        return np.ctypeslib.as_array((kind * (n * states)).from_address(address)).reshape(n, states)

    (W, b), kinds, (laws, r, wanted) = (
        (array(0, states), array(1, states)), array(2, 1, ctypes.c_int64), (array(k, states) for k in (3, 4, 5))
    )  # fmt: skip
    n = len(b)
    for k in np.flatnonzero(wanted[0] > 0.5):
        with np.errstate(all="ignore"):
            r[:, k] = solve_in_velocities(W[: n * n, k].reshape(n, n), b[:, k], kinds[:, 0], laws[:, k])


if DISABLE_JIT:

    def solve_unsolved(W, b, kinds, laws, r, wanted, work):
        """Solve the problem in velocities; r is replaced"""
        n = len(b)
        r[:] = solve_in_velocities(W[: n * n].reshape(n, n), b, kinds.view(np.int64), laws)

else:
    call_python = calls_python("pluecker_dense_problem", solve_states)

    @kernel
    def solve_unsolved(W, b, kinds, laws, r, wanted, work):
        """Solve the problem in velocities, in states in which ``wanted`` is 1; r is replaced there"""
        place = address_of(work)
        block = integers_at(place, CALL)
        put_arrays(block, (W, b, kinds, laws, r, wanted))
        store(block, STATES, by_scalar(W, 1, WIDTH))
        call_python(place)
