"""Gradients on large islands: their layout, found once, and the task that threads share to solve one.

The matrices have single precision, N' instead of N. With the offset ``b + (N - N') r`` velocities are those of N where the
multipliers are r, and near there off by ``(N - N') (x - r)``: at each level of the error r becomes the x that was found.
This is iterative refinement. It takes a product of full precision each time; in the convex law pairs stay as they are, under
Coulomb's law gradients begin anew from the best.

What is done is in :mod:`~pluecker.contact.friction.first_order.shared_descent`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.first_order.large_record import BODY_GROUPS, GROUPS, LARGEST, SOFT, SUMS, VECTOR, Large
from pluecker.contact.friction.first_order.large_task import exact_velocities, next_rung, range_of, share_task
from pluecker.contact.friction.first_order.memory import ERROR, ITERATIONS, NESTEROV, PRODUCTS, SPENT, STEP, Memory
from pluecker.contact.friction.first_order.shared_descent import (
    ARRAYS,
    COMPONENTS,
    FOUND,
    GOES_ON,
    LAW,
    LIMIT,
    LIPSCHITZ,
    MOVED,
    NESTEROV_ASKED,
    NUMBERS,
    PAIRS,
    REACHED,
    SPENDING,
    TASK,
    TOL,
    USED,
    improve,
    in_one_thread,
)  # fmt: skip
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.sparse.gather import BLOCK, Interleaved, from_lanes, interleave, rows, to_lanes
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Island", "lay_out", "run_large"]


class Island(NamedTuple):
    """Data of an island that stay the same from call to call.

    Attributes:
        matrices: J and T, interleaved.
        friction, inverse, soft: of groups of contacts: coefficients, 1 / s, compliances.
        is_soft: whether any of these is not zero.
    """

    matrices: Interleaved
    friction: Array
    inverse: Array
    soft: Array
    is_soft: bool


def lay_out(P: Prepared, island: int) -> Island | None:
    """Lay an island out in lanes.

    Returns:
        None if it has something else than contacts of three components, each on at most two bodies with six
        velocities each.
    """
    found = range_of(P, island)
    if found is None:
        return None
    (first, last, left, right), (A, K) = found, P[:2]
    matrices = interleave(A.J, A.T, first, last, left, right)
    if matrices is None:
        return None
    rows_here = slice(int(K.start[first]), int(K.start[last]))
    soft = A.compliance[rows_here]
    return Island(
        matrices, to_lanes(np.ascontiguousarray(K.friction[first:last, :1])), to_lanes(1.0 / P.s[rows_here][::3, None]),
        to_lanes(soft.reshape(-1, 3)) if A.is_soft else rows(0), bool(A.is_soft),
    )  # fmt: skip


class Task:
    """State of the gradients on one island, on which :func:`improve` works.

    Attributes:
        due: the error at which velocities are corrected next.
    """

    def __init__(self, laid: Island, b: Array, x: Array) -> None:
        M = laid.matrices
        n = 3 * M.groups
        self.vector = n + 5  # so that entries of the same index are not at the same place of a page
        self.contacts, self.numbers = M.contacts, np.zeros(NUMBERS)
        self.task, self.begun, self.due = np.zeros(TASK, np.int64), False, next_rung(1.0)
        blocks = -(-M.groups // BLOCK)
        work, v = rows(2 * PAIRS * self.vector), rows(6 * M.body_groups)
        self.work = work
        work[:n] = to_lanes(x.reshape(-1, 3))
        self.large = Large(
            self.task, self.numbers, work, to_lanes(b.reshape(-1, 3)), laid.friction, laid.inverse, rows(M.groups),
            laid.soft, M.J, M.sides, M.T, M.first, M.origins, v, work, v, np.zeros(SUMS * blocks),
        )  # fmt: skip
        for k, value in ((GROUPS, M.groups), (BODY_GROUPS, M.body_groups), (VECTOR, self.vector), (SOFT, laid.is_soft)):
            self.task[k] = value
        self.numbers[COMPONENTS], self.numbers[LARGEST] = 3.0 * M.contacts, BLOCK
        self.task[MOVED] = x.any()

    def run(self, law: int, tol: float, limit: int, state: Array, history: Array, threads: int) -> None:
        """Improve the island, with so many threads; under Coulomb's law begin at the pair that was found before."""
        task, numbers = self.task, self.numbers
        if law == 1 and self.begun:
            n, there = 3 * self.large.friction.shape[0], 2 * int(task[FOUND]) * self.vector
            self.work[:n], task[MOVED] = self.work[there : there + n].copy(), 1
        task[LAW], task[LIMIT] = law, limit
        numbers[LIPSCHITZ], numbers[NESTEROV_ASKED], numbers[TOL] = state[STEP], state[NESTEROV], tol
        share_task(task, ARRAYS, self.large, (history,), in_one_thread, improve, threads)
        task[GOES_ON], self.begun = law == 0, True
        state[STEP] = numbers[LIPSCHITZ]

    def pair(self) -> tuple[Array, Array]:
        """Return the multipliers of the pair that was found, and its velocities as they are known, ``(m,)`` each."""
        n, rows_here = 2 * int(self.task[FOUND]) * self.vector, 3 * self.large.friction.shape[0]
        x, Nx = self.work[n : n + rows_here], self.work[n + self.vector : n + self.vector + rows_here]
        return from_lanes(x, self.contacts, 3).reshape(-1), from_lanes(Nx + self.large.b, self.contacts, 3).reshape(-1)

    def correct(self, error: Array) -> None:
        """Subtract from all velocities the error of those of the pair that was found."""
        self.large.b[...] -= to_lanes(error.reshape(-1, 3))


def run_large(
    P: Prepared, law: int, x: Array, u: Array, tol: float, limit: int, memory: Memory, island: int, laid: Island,
    threads: int, tasks: dict[int, Task] | None = None,
) -> None:  # fmt: skip
    """Improve one island to the error ``tol``, as runners of :func:`.make_runner` do.

    With ``tasks`` those of the convex law go on where they stopped, as if they had not: islands on their way, by number.
    Until they are done their velocities are not corrected.
    """
    mine = slice(*(int(P.K.start[k]) for k in P.islands[island : island + 2]))
    results, state = memory.results[island], memory.states[island]
    done = int(results[ITERATIONS])
    task = None if tasks is None or law == 1 else tasks.get(island)
    if task is None:
        task = Task(laid, P.b[mine], x[mine])
    if tasks is not None and law == 0:
        tasks[island] = task
    before, used, best, kept = int(task.task[SPENDING]), 0, np.inf, None
    while True:
        goal = max(tol, task.due)
        task.run(law, goal, limit - done - used, state, memory.history[done + used :], threads)
        used += int(task.task[USED])
        x[mine], u[mine] = task.pair()
        error, stopped = float(task.numbers[REACHED]), not task.numbers[REACHED] <= goal
        if stopped and tasks is not None:
            break
        known = u[mine].copy()
        exact_velocities(P, island, x, u)
        with np.errstate(all="ignore"):
            task.correct(known - u[mine])
        task.run(law, tol, 0, state, np.zeros(0), threads)
        error = float(task.numbers[REACHED])
        if error < best:
            best, kept = error, (x[mine].copy(), u[mine].copy())
        if stopped or error <= tol:
            break
        task.due = next_rung(error)
    if kept is not None and not error <= best:
        error, (x[mine], u[mine]) = best, kept
    results[ERROR] = error if error < np.inf else np.inf
    memory.states[island, SPENT] += task.task[SPENDING] - before
    results[ITERATIONS] += used
    results[PRODUCTS] += task.task[SPENDING] - before
