"""Sweeps of Gauss-Seidel over large islands: their layout, found once, and the sweeps of one, which can be continued.

The matrices have single precision; velocities are corrected as those of
:mod:`~pluecker.contact.friction.first_order.large_gradients`.

The sweeps themselves are in :mod:`~pluecker.contact.friction.first_order.shared_sweeps`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.friction.first_order.block_steps import find_steps
from pluecker.contact.friction.first_order.large_record import BETA, EXACT, LARGEST, LATE, LENGTH, SOFT, SUMS
from pluecker.contact.friction.first_order.large_task import crew, exact_velocities, next_rung, range_of, share_task
from pluecker.contact.friction.first_order.memory import (
    ERROR,
    ITERATIONS,
    PRODUCTS,
    RELAXATION,
    RHO,
    ROWS_OF_WORK,
    SPENT,
    Memory,
    rows_apart,
)
from pluecker.contact.friction.first_order.memory import MOMENTUM as WITH_MOMENTUM
from pluecker.contact.friction.first_order.pgs import RARER, SELDOM
from pluecker.contact.friction.first_order.shared_sweeps import (
    ARRAYS,
    CREW,
    ENDS_BEST,
    LEAST,
    LIMIT,
    NUMBERS,
    REACHED,
    SPENDING,
    STRIPS,
    TASK,
    TOL,
    USED,
    improve,
    in_one_thread,
)  # fmt: skip
from pluecker.contact.friction.first_order.sweep_passes import BODIES, EVEN, MOMENTUM, ROWS, Swept
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.contact.friction.sparse.gather import rows
from pluecker.contact.friction.sparse.strips import Strips, from_slots, make_strips, to_slots
from pluecker.spatial.engine.compiled.decorators import allocation_free
from pluecker.spatial.engine.parallel.phases import LINE
from pluecker.spatial.engine.parallel.threads import map_in_threads
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Layout", "Sweeping", "lay_out", "run_large", "shares_of"]


class Layout(NamedTuple):
    """Data of an island that stay the same from call to call.

    Attributes:
        strips: J and T, and the order of the contacts.
        friction, inverse, soft, rho: of groups of contacts: coefficients, 1 / s, compliances, step lengths.
        is_soft: whether any compliance is not zero.
    """

    strips: Strips
    friction: Array
    inverse: Array
    soft: Array
    rho: Array
    is_soft: bool


def all_steps(A, K, first, last, work, rho):
    """Compute the step lengths of the blocks of an island"""
    find_steps(A, K, first, last, work, rho)


all_steps = allocation_free(all_steps)


def lay_out(P: Prepared, island: int, threads: int = 1) -> Layout | None:
    """Lay an island out in strips; one of several threads finds step lengths in the meantime.

    Returns:
        None if it has something else than contacts of three components, each on at most two bodies with six velocities
        each, or where strips do not pay.
    """
    found = range_of(P, island)
    if found is None:
        return None
    (first, last, left, right), (A, K) = found, P[:2]
    here = slice(int(K.start[first]), int(K.start[last]))

    def step_lengths() -> Any:
        work = rows_apart(ROWS_OF_WORK, len(P.b))
        all_steps(A, K, first, last, work, work[RHO])
        return work[RHO, here][::3, None]

    def strips_or_none() -> Any:
        return make_strips(A.J, A.T, first, last, left, right)

    # What is compiled code alone comes first: it leaves the interpreter to the other thread.
    steps, strips = map_in_threads(lambda find: find(), (step_lengths, strips_or_none), threads)
    if strips is None:
        return None
    soft = to_slots(A.compliance[here].reshape(-1, 3), strips) if A.is_soft else rows(0)
    return Layout(
        strips, to_slots(K.friction[first:last, :1], strips), to_slots(1.0 / P.s[here][::3, None], strips), soft,
        to_slots(steps, strips), bool(A.is_soft),
    )  # fmt: skip


class Sweeping:
    """State of the sweeps over one island, which can be continued.

    Attributes:
        last, best: pairs of multipliers and velocities, contact by contact, ``(m,)``; ends_best: whether these are one.
        error: of the best pair.
        used, spent: sweeps of the last call; products of the operator.
    """

    def __init__(self, laid: Layout, b: Array) -> None:
        S = laid.strips
        self.strips, self.task, self.control = S, np.zeros(TASK, np.int64), np.zeros(NUMBERS)
        strips = len(S.begin) - 1
        x, along, begun, u, best, best_u = (rows(3 * S.groups) for _ in range(6))
        v, v_along, v_begun = (rows(ROWS * (S.bodies + 1)) for _ in range(3))
        self.record = Swept(
            self.task, self.control, S.J, S.T, S.sides, S.begin, S.owned, S.begin, S.begin,
            np.zeros(LINE * S.even, np.int64), to_slots(b.reshape(-1, 3), S), laid.friction, laid.inverse, laid.soft,
            laid.rho, x, along, begun, u, best, best_u, v, v_along, v_begun,
            np.zeros(SUMS * strips),
        )  # fmt: skip
        for k, value in (
            (BODIES, S.bodies + 1),
            (SOFT, laid.is_soft),
            (EVEN, S.even),
            (STRIPS, strips),
        ):
            self.task[k] = value
        self.spent = 0
        self.control[LARGEST] = np.diff(S.begin).max()

    def run(
        self, x: Array, law: int, tol: float, limit: int, relaxation: float, momentum: bool, history: Array, threads: int
    ) -> None:  # fmt: skip
        """Sweep from the multipliers x to the error ``tol``, or ``limit`` times."""
        self.hand_out(crew(threads))
        task, control, record = self.task, self.control, self.record
        record.x[...] = to_slots(x.reshape(-1, 3), self.strips)
        task[EXACT], task[LIMIT], task[MOMENTUM] = law, limit, momentum
        task[LEAST] = max(1, min(int(task[SPENDING]) // RARER, SELDOM))
        control[BETA], control[LENGTH], control[LATE], control[TOL] = 0.0, relaxation, 0.0, tol
        share_task(task, ARRAYS, record, (history,), in_one_thread, improve, threads)
        self.error, self.used, self.spent = float(control[REACHED]), int(task[USED]), int(task[SPENDING])

    def hand_out(self, threads: int) -> None:
        """Divide the strips among so many threads, unless they are divided so."""
        if self.task[CREW] != threads:
            order, starts = shares_of(self.strips, threads)
            self.task[CREW], self.record = threads, self.record._replace(order=order, starts=starts)

    @property
    def last(self) -> tuple[Array, Array]:
        """The last pair."""
        return self.pair(self.record.x, self.record.u)

    @property
    def ends_best(self) -> bool:
        """True if the last pair is the best."""
        return bool(self.task[ENDS_BEST])

    @property
    def best(self) -> tuple[Array, Array]:
        """The best pair."""
        return self.pair(self.record.best, self.record.best_u)

    @property
    def best_multipliers(self) -> Array:
        """Multipliers of the best pair, contact by contact, ``(m,)``."""
        return self.by_contact(self.record.best)

    def correct(self, error: Array) -> None:
        """Subtract from all velocities the error of those of a pair."""
        self.record.b[...] -= to_slots(error.reshape(-1, 3), self.strips)

    def pair(self, x: Array, u: Array) -> tuple[Array, Array]:
        """Return multipliers and velocities contact by contact, ``(m,)`` each."""
        return self.by_contact(x), self.by_contact(u)

    def by_contact(self, x: Array) -> Array:
        """Arrange multipliers or velocities contact by contact, ``(m,)``."""
        return from_slots(x, self.strips, 3).reshape(-1)


def shares_of(S: Strips, threads: int) -> tuple[Indices, Indices]:
    """Order strips as they are taken, and divide them into shares, one for each thread; see :class:`Swept`.

    Each share has strips that follow one another, and takes about as long as any other: its odd strips wait for even ones
    of the same share alone. Odd strips between two shares are in the last share, which belongs to no thread. Of the even
    strips of a share, and of the odd ones after them, the long ones come first: what a thread that has none left takes from
    others is short.

    Returns:
        The strips in this order, and where each share begins there, with the end, ``(threads + 2,)``.
    """
    sizes, number = np.diff(S.begin), np.arange(len(S.begin) - 1)
    along = np.where(number < S.even, 2 * number, 2 * (number - S.even) + 1)
    ends = np.cumsum(sizes[np.argsort(along)])
    edges, odd = np.concatenate([[0], ends]), np.arange(1, len(ends), 2)
    goals = ends[-1] * np.arange(1, threads)[:, None] / threads
    off = np.minimum(abs(edges[odd] - goals), abs(edges[odd + 1] - goals))  # strips between shares go to either side
    between = np.unique(odd[off.argmin(axis=1)]) if len(odd) else odd
    share = np.where(np.isin(along, between), threads, np.searchsorted(between, along))
    order = np.lexsort((-sizes, along % 2, share))
    return order, np.searchsorted(share[order], np.arange(threads + 2))


def run_large(
    P: Prepared, law: int, x: Array, u: Array, tol: float, limit: int, memory: Memory, island: int, laid: Layout,
    threads: int, relaxation: float,
) -> None:  # fmt: skip
    """Improve one island to the error ``tol``, as runners of :func:`.make_runner` do.

    Over-relaxed sweeps are relaxed as the memory says; ``relaxation`` is the usual one.
    """
    mine = slice(*(int(P.K.start[k]) for k in P.islands[island : island + 2]))
    results, state = memory.results[island], memory.states[island]
    done, asked, used = int(results[ITERATIONS]), float(state[RELAXATION]), 0
    sweeping = Sweeping(laid, P.b[mine])
    sweeping.task[SPENDING] = int(state[SPENT])
    relaxation = asked if asked != 0.0 and relaxation != 1.0 else relaxation
    momentum = bool(state[WITH_MOMENTUM])
    due, best, kept = next_rung(1.0), np.inf, (x[mine].copy(), u[mine].copy())
    while True:
        goal = max(tol, due)
        sweeping.run(
            x[mine], law, goal, limit - done - used, relaxation, momentum, memory.history[done + used :], threads
        )  # fmt: skip
        used += sweeping.used
        stopped = not sweeping.error <= goal
        x[mine], known = sweeping.best
        exact_velocities(P, island, x, u)
        with np.errstate(all="ignore"):
            sweeping.correct(known - u[mine])
        sweeping.run(x[mine], law, tol, 0, relaxation, momentum, np.zeros(0), threads)
        if sweeping.error < best:
            best, kept = sweeping.error, (x[mine].copy(), u[mine].copy())
        if stopped or sweeping.error <= tol:
            break
        due = next_rung(sweeping.error)
    if np.isfinite(best):
        x[mine], u[mine] = kept
    results[ERROR] = best
    results[ITERATIONS] += used
    results[PRODUCTS] += sweeping.spent - state[SPENT]
    state[SPENT] = sweeping.spent
