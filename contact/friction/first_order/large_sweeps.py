"""Sweeps of Gauss-Seidel over large islands: their layout, found once, and the sweeps of one, which can be continued.

Threads share the work: one leads, as in :mod:`~pluecker.spatial.engine.parallel.phases`, says which pass comes next
(:mod:`~pluecker.contact.friction.first_order.sweep_passes`), and decides as
:mod:`~pluecker.contact.friction.first_order.pgs` does. A sweep has two phases, over the even strips and over the odd ones:
the same bits for any number of threads.

Not compiled before it is used: small islands do not need it.

Source: as ``pgs``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.friction.first_order.block_steps import find_steps
from pluecker.contact.friction.first_order.large_record import (
    BETA,
    BODIES,
    CHANGE,
    CONTROL,
    EVEN,
    EXACT,
    LENGTH,
    MOMENTUM,
    PASS,
    SETTINGS,
    SIZE,
    SOFT,
    SUMS,
    UPHILL,
    add_sums,
    error_of_sums,
)
from pluecker.contact.friction.first_order.large_task import (
    array_integers,
    array_numbers,
    array_rows,
    range_of,
    share_task,
)
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
from pluecker.contact.friction.first_order.pgs import RARER, REFRESH, SELDOM, momentum_at
from pluecker.contact.friction.first_order.runner import STILL
from pluecker.contact.friction.first_order.sweep_passes import (
    BODY_BLOCK,
    CLEAR,
    COLLECT,
    JUDGE,
    REMEMBER,
    ROWS,
    STAND,
    START,
    SWEEP,
    Swept,
    pass_over,
)
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.sparse.gather import rows
from pluecker.contact.friction.sparse.strips import Strips, from_slots, make_strips, to_slots
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point, kernel
from pluecker.spatial.engine.memory.addresses import integers_at
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.engine.parallel.phases import end_phases, shared_phases
from pluecker.spatial.engine.parallel.threads import map_in_threads
from pluecker.spatial.engine.scalars.operations import load, store
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Layout", "Sweeping", "improve", "lay_out", "run_large"]

# What goes in and comes out: integers after the settings, numbers after the control.
# Strips; sweeps; those between two looks at the error; those that were made; products.
STRIPS, LIMIT, LEAST, USED, SPENDING = range(SETTINGS, SETTINGS + 5)
TOL, REACHED = range(CONTROL, CONTROL + 2)
# Addresses and lengths of arrays: of those of :class:`Swept` from the control on, of the counters, of the history.
ARRAYS = SPENDING + 1
PLACES = 24
TASK = ARRAYS + 2 * PLACES
NUMBERS = REACHED + 1

run_phase, follow = shared_phases(pass_over)


@kernel
def over_bodies(L, counters, what):
    """Run a pass over all bodies"""
    store(L.settings, PASS, what)
    run_phase(L, counters, 0, (load(L.settings, BODIES) + BODY_BLOCK - 1) // BODY_BLOCK)


@called_kernel
def over_strips(L, counters, what):
    """Run a pass over all strips"""
    store(L.settings, PASS, what)
    even, strips = load(L.settings, EVEN), load(L.settings, STRIPS)
    run_phase(L, counters, 0, even)
    run_phase(L, counters, even, strips)
    if what in (SWEEP, JUDGE):
        add_sums(L, strips)


@called_kernel
def refresh(L, counters):
    """Compute the velocities of bodies anew, from the multipliers"""
    over_bodies(L, counters, CLEAR)
    over_strips(L, counters, COLLECT)
    store(L.settings, SPENDING, load(L.settings, SPENDING) + 1)


@called_kernel
def error_of(L, counters):
    """Return the error, as in :func:`.evaluate`; infinite where its squares overflow"""
    over_strips(L, counters, JUDGE)
    return error_of_sums(L)


@called_kernel
def improve(L, counters, history):
    """Sweep ``limit`` times, or to the tolerance, as :func:`~pluecker.contact.friction.first_order.pgs.sweeps` does

    Velocities of the last point are fresh, for callers that go on from it.
    """
    settings, control = L.settings, L.control
    limit, tol, least = load(settings, LIMIT), load(control, TOL), load(settings, LEAST)
    over_strips(L, counters, START)
    refresh(L, counters)
    best, used = error_of(L, counters), 0
    over_strips(L, counters, REMEMBER)
    over_bodies(L, counters, STAND)
    due, anew, age = least, REFRESH, 0.0
    along = 0.0
    while used < limit and not best <= tol and not interrupted():
        if load(settings, MOMENTUM) == 1:
            age = age + 1.0 if along >= 0.0 else 0.0
            store(control, BETA, momentum_at(age))
        used += 1
        over_strips(L, counters, SWEEP)
        store(settings, SPENDING, load(settings, SPENDING) + 1)
        along = load(L.sums, UPHILL)
        still = load(L.sums, CHANGE) <= STILL * STILL * load(L.sums, SIZE)
        if used < due and used < limit and not still:
            continue
        due, fresh = used + max(least, used // RARER), still or used >= anew or used >= limit
        anew = used + REFRESH if fresh else anew
        error = 0.0
        for _ in range(2):
            if fresh:
                refresh(L, counters)
            error = error_of(L, counters)
            if fresh or not error <= tol:
                break
            fresh = True
        if not error < 1e300:
            break
        if len(history) > 0:
            store(history, used, max(load(history, used), min(error, best)))
        if error < best:
            best = error
            over_strips(L, counters, REMEMBER)
        if still:
            break
    store(control, REACHED, best)
    store(settings, USED, used)


def in_one_thread(place, k):
    """Do the part of thread k, of which 0 leads."""
    task, at = integers_at(place, TASK), ARRAYS
    L = Swept(
        task, array_numbers(task, at, 1), array_rows(task, at, 2), array_rows(task, at, 3),
        array_integers(task, at, 4), array_integers(task, at, 5), array_integers(task, at, 6), array_rows(task, at, 7),
        array_rows(task, at, 8), array_rows(task, at, 9), array_rows(task, at, 10), array_rows(task, at, 11),
        array_rows(task, at, 12), array_rows(task, at, 13), array_rows(task, at, 14), array_rows(task, at, 15),
        array_rows(task, at, 16), array_rows(task, at, 17), array_rows(task, at, 18), array_rows(task, at, 19),
        array_rows(task, at, 20), array_numbers(task, at, 21),
    )  # fmt: skip
    counters = array_integers(task, at, 22)
    if k == 0:
        improve(L, counters, array_numbers(task, at, 23))
        end_phases(counters)
        return 0
    follow(L, counters, k)
    return 0


# in Python: the layout, and the state of the sweeps


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


all_steps = entry_point(all_steps)


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
        last, best: pairs of multipliers and velocities, contact by contact, ``(m,)``.
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
            self.task, self.control, S.J, S.T, S.sides, S.begin, S.owned, to_slots(b.reshape(-1, 3), S), laid.friction,
            laid.inverse, laid.soft, laid.rho, x, along, begun, u, best, best_u, v, v_along, v_begun,
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

    def run(
        self, x: Array, law: int, tol: float, limit: int, relaxation: float, momentum: bool, history: Array, threads: int
    ) -> None:  # fmt: skip
        """Sweep from the multipliers x to the error ``tol``, or ``limit`` times."""
        task, control, record = self.task, self.control, self.record
        record.x[...] = to_slots(x.reshape(-1, 3), self.strips)
        task[EXACT], task[LIMIT], task[MOMENTUM] = law, limit, momentum
        task[LEAST] = max(1, min(int(task[SPENDING]) // RARER, SELDOM))
        control[BETA], control[LENGTH], control[TOL] = 0.0, relaxation, tol
        share_task(task, ARRAYS, record, (history,), in_one_thread, improve, threads)
        self.error, self.used, self.spent = float(control[REACHED]), int(task[USED]), int(task[SPENDING])

    @property
    def last(self) -> tuple[Array, Array]:
        """The last pair."""
        return self.pair(self.record.x, self.record.u)

    @property
    def best(self) -> tuple[Array, Array]:
        """The best pair."""
        return self.pair(self.record.best, self.record.best_u)

    def pair(self, x: Array, u: Array) -> tuple[Array, Array]:
        """Return multipliers and velocities contact by contact, ``(m,)`` each."""
        return self.by_contact(x), self.by_contact(u)

    def by_contact(self, x: Array) -> Array:
        """Arrange multipliers or velocities contact by contact, ``(m,)``."""
        return from_slots(x, self.strips, 3).reshape(-1)


def run_large(
    P: Prepared, law: int, x: Array, u: Array, tol: float, limit: int, memory: Memory, island: int, laid: Layout,
    threads: int, relaxation: float,
) -> None:  # fmt: skip
    """Improve one island to the error ``tol``, as runners of :func:`.make_runner` do.

    Over-relaxed sweeps are relaxed as the memory says; ``relaxation`` is the usual one.
    """
    mine = slice(*(int(P.K.start[k]) for k in P.islands[island : island + 2]))
    results, state = memory.results[island], memory.states[island]
    done, asked = int(results[ITERATIONS]), float(state[RELAXATION])
    sweeping = Sweeping(laid, P.b[mine])
    sweeping.task[SPENDING] = int(state[SPENT])
    relaxation = asked if asked != 0.0 and relaxation != 1.0 else relaxation
    momentum = bool(state[WITH_MOMENTUM])
    sweeping.run(x[mine], law, tol, limit - done, relaxation, momentum, memory.history[done:], threads)
    if np.isfinite(sweeping.error):
        x[mine], u[mine] = sweeping.best
    results[ERROR] = sweeping.error
    results[ITERATIONS] += sweeping.used
    results[PRODUCTS] += sweeping.spent - state[SPENT]
    state[SPENT] = sweeping.spent
