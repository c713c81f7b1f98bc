"""Accelerated projected gradients on large islands: their layout, found once, and the task that threads share to solve one.

One thread leads, as in :mod:`~pluecker.spatial.engine.parallel.phases`: it says which pass comes next
(:mod:`~pluecker.contact.friction.first_order.passes`), adds up the sums of the blocks in their order, and decides as
:mod:`~pluecker.contact.friction.first_order.apgd` and :mod:`~pluecker.contact.friction.first_order.runner` do: this is the
same iteration, with sums in another order, the same bits for any number of threads. Pairs of multipliers and what the
operator makes of them are not copied: there are five places for them, and the best stay where they are.

The matrices have single precision, N' instead of N. With the offset ``b + (N - N') r`` velocities are those of N where the
multipliers are r, and near there off by ``(N - N') (x - r)``: at each level of the error r becomes the x that was found.
This is iterative refinement. It takes a product of full precision each time; in the convex law pairs stay as they are, under
Coulomb's law gradients begin anew from the best.

Compiled when it is first used, apart from what small islands need.

Source: as ``apgd``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.first_order.apgd import LONGER, momentum
from pluecker.contact.friction.first_order.large_record import (
    AT,
    BEGIN,
    BETA,
    BODY_GROUPS,
    CHANGE,
    COLLECT,
    CONTROL,
    CURVATURE,
    DISTANCE,
    EVALUATE,
    EXACT,
    GROUPS,
    HELD,
    LACK,
    LENGTH,
    LOOK,
    MOTION,
    MULTIPLY,
    NEW,
    NOW,
    OFFSET,
    OLD,
    PASS,
    SETTINGS,
    SHIFT,
    SIZE,
    SOFT,
    SPEED,
    SQUARE,
    SUMS,
    TAKEN,
    UPHILL,
    VECTOR,
    WHOLE,
    Large,
    add_sums,
    error_of_sums,
)
from pluecker.contact.friction.first_order.large_record import STEP as MOVE
from pluecker.contact.friction.first_order.large_task import (
    array_integers,
    array_narrow_rows,
    array_numbers,
    array_rows,
    exact_velocities,
    next_rung,
    range_of,
    share_task,
)
from pluecker.contact.friction.first_order.memory import ERROR, ITERATIONS, NESTEROV, PRODUCTS, SPENT, STEP, Memory
from pluecker.contact.friction.first_order.passes import pass_over
from pluecker.contact.friction.first_order.runner import INSIDE, STILL
from pluecker.contact.friction.first_order.shifts import PATIENCE, SHORTEST, settle
from pluecker.contact.friction.problem.natural_map import TOO_LARGE, larger
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.sparse.gather import (
    BLOCK,
    BODY_BLOCK,
    Interleaved,
    from_lanes,
    interleave,
    rows,
    to_lanes,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.addresses import integers_at
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.engine.parallel.phases import dismiss, shared_phases
from pluecker.spatial.engine.scalars.operations import load, store, tail
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Island", "improve", "lay_out", "run_large"]

PAIRS = 5  # now, before, next, the best of the convex problem, the best of Coulomb's law

# What goes in and comes out: integers after the settings, numbers after the control.
LAW, LIMIT, MOVED, GOES_ON, USED, SPENDING, FOUND = range(SETTINGS, SETTINGS + 7)
LIPSCHITZ, NESTEROV_ASKED, TOL, REACHED, COMPONENTS, SIZE_B, SPEED_B, THETA = range(CONTROL, CONTROL + 8)
# Addresses and lengths of arrays: of those of :class:`Large`, of the roster, of the history.
ARRAYS = FOUND + 1
PLACES = 19
TASK = ARRAYS + 2 * PLACES
NUMBERS = THETA + 1

run_phase, follow = shared_phases(pass_over)


@called_kernel
def do(L, roster, what):
    """Run one pass over the contacts, or over the bodies; sums of all blocks are added up in the place of the first ones"""
    store(L.settings, PASS, what)
    if what == COLLECT:
        run_phase(L, roster, 0, (load(L.settings, BODY_GROUPS) + BODY_BLOCK - 1) // BODY_BLOCK)
        return
    blocks = (load(L.settings, GROUPS) + BLOCK - 1) // BLOCK
    run_phase(L, roster, 0, blocks)
    if what not in (MOVE, SHIFT):
        add_sums(L, blocks)


@kernel
def do_at(L, roster, what, pair):
    """Run a pass over a pair"""
    store(L.settings, AT, pair)
    do(L, roster, what)


@kernel
def spend(L):
    """Count a product of the operator"""
    store(L.settings, SPENDING, load(L.settings, SPENDING) + 1)


@kernel
def apply(L, roster, pair):
    """Compute N x of a pair"""
    do_at(L, roster, COLLECT, pair)
    do(L, roster, MULTIPLY)
    spend(L)


@called_kernel
def error_of(L, roster, pair, exact, whole):
    """Compute the error of a pair, as :func:`~pluecker.contact.friction.first_order.runner.evaluate` has it"""
    store(L.settings, EXACT, exact)
    store(L.settings, WHOLE, whole)
    do_at(L, roster, EVALUATE, pair)
    return error_of_sums(L)


@kernel
def first_lipschitz(L, roster):
    """Estimate the Lipschitz constant from below, by |N 1| / |1|"""
    ones, n = 1, load(L.settings, VECTOR)
    for k in range(3 * load(L.settings, GROUPS)):
        store(L.work, 2 * ones * n + k, 1.0)
    apply(L, roster, ones)
    return max(np.sqrt(load(L.sums, SQUARE) / load(L.control, COMPONENTS)), 1e-3)


@kernel
def free_pair(first, second, third, fourth):
    """Return the number of a pair that is none of these four"""
    found = 0
    while found in (first, second, third, fourth):
        found += 1
    return found


@kernel
def error_of_step(L, size_b, speed_b):
    """Return the error of x+, from the sums of ``look``; infinite where its squares overflow"""
    sums = L.sums
    scale = np.sqrt(max(size_b, max(load(sums, SIZE), load(sums, MOTION))))
    error = np.sqrt(load(sums, DISTANCE))
    error = error / scale if scale > 0.0 else error
    error = larger(error, np.sqrt(load(sums, LACK)), np.sqrt(load(sums, HELD)), max(speed_b, load(sums, SPEED)))
    return error if error < np.inf and scale < TOO_LARGE else np.inf


@called_kernel
def descend(L, roster, history, begun, kept, goal, limit, goes_on):
    """Improve pair ``begun`` to ``goal`` or for ``limit`` iterations; return how many, and the best pair; ``kept`` stays

    Or from where it stopped the last time; velocities may have been corrected meanwhile.
    """
    settings, control = L.settings, L.control
    length = load(control, LIPSCHITZ)
    now, old, held, beta, theta, used = begun, begun, begun, 0.0, 1.0, 0
    if goes_on:
        now, old, held = load(settings, NOW), load(settings, OLD), load(settings, FOUND)
        beta, theta = load(control, BETA), load(control, THETA)
    best = error_of(L, roster, held, 0, 1)
    size_b, speed_b = load(control, SIZE_B), load(control, SPEED_B)
    while used < limit and not best <= goal and not interrupted():
        used += 1
        new = free_pair(now, old, held, kept)
        store(settings, NOW, now)
        store(settings, OLD, old)
        store(settings, NEW, new)
        store(control, BETA, beta)
        square = 0.0
        while True:
            store(control, LENGTH, 1.0 / length)
            do(L, roster, MOVE)
            do_at(L, roster, COLLECT, new)
            do(L, roster, LOOK)
            spend(L)
            square, curvature = load(L.sums, SQUARE), load(L.sums, CURVATURE)
            if not curvature > length * square * (1.0 + 1e-12) or square == 0.0 or not length < 1e300:
                break
            length = max(2.0 * length, curvature / square)
        error = error_of_step(L, size_b, speed_b)
        if not error < np.inf:
            break
        if error < best:
            best, held = error, new
        if len(history) > 0:
            store(history, used, max(load(history, used), best))
        beta, theta = momentum(theta, load(control, NESTEROV_ASKED))
        if load(L.sums, UPHILL) > 0.0:
            beta, theta = 0.0, 1.0
        now, old = new, now
        least = STILL * STILL * load(L.sums, SIZE)
        if load(L.sums, CHANGE) <= least and square <= least:
            break
        length = max(LONGER * length, 1e-300)
    store(control, LIPSCHITZ, length)
    store(control, BETA, beta)
    store(control, THETA, theta)
    store(settings, NOW, now)
    store(settings, OLD, old)
    return used, held


@kernel
def take_shift(L, roster, pair, step):
    """Set the shift to that of a pair, or go a part of the way to it"""
    store(L.control, TAKEN, step)
    do_at(L, roster, SHIFT, pair)


@called_kernel
def convex(L, roster, history, tol, limit, goes_on):
    """Solve the convex law, from pair 0 or from where it stopped the last time"""
    used, found = descend(L, roster, history, 0, 0, tol, limit, goes_on)
    store(L.settings, USED, used)
    store(L.settings, FOUND, found)
    store(L.control, REACHED, error_of(L, roster, found, 0, 0))


@called_kernel
def improve(L, roster, history):
    """Improve the whole island; pair 0 is its start, the pair FOUND its result"""
    settings, control = L.settings, L.control
    limit, tol, moved = load(settings, LIMIT), load(control, TOL), load(settings, MOVED) == 1
    if load(settings, GOES_ON) == 1:
        convex(L, roster, history, tol, limit, True)
        return
    do_at(L, roster, BEGIN, 0)
    store(control, SIZE_B, load(L.sums, OFFSET))
    store(control, SPEED_B, load(L.sums, SPEED))
    if load(control, LIPSCHITZ) == 0.0:
        store(control, LIPSCHITZ, first_lipschitz(L, roster))
    apply(L, roster, 0)
    if load(settings, LAW) == 0:
        convex(L, roster, history, tol, limit, False)
        return
    if moved:
        take_shift(L, roster, 0, 1.0)
    used, best, step, idle = 0, error_of(L, roster, 0, 1, 0), 1.0, 0
    # Zero is often better than the first points, and no place to come back to.
    best = best if moved or best <= tol else np.inf
    error, least, kept, found = min(best, 1.0), np.inf, 0, 0
    while used < limit and not best <= tol and not interrupted():
        before = used
        goal = INSIDE * error
        spent, found = descend(L, roster, tail(history, len(history)), found, kept, goal, limit - used, False)
        used += max(spent, 1)
        error = error_of(L, roster, found, 1, 0)
        for k in range(before + 1, min(used + 1, len(history))):
            store(history, k, max(load(history, k), min(error, best)))
        if not error < np.inf:
            break
        if error < best:
            best, kept = error, found
        if error <= tol:
            break
        step, idle, least = settle(step, idle, least, error, PATIENCE)
        if step < SHORTEST:
            break
        take_shift(L, roster, found, step)
    store(control, REACHED, best)
    store(settings, USED, used)
    store(settings, FOUND, kept if best < np.inf else found)


def in_one_thread(place, k):
    """Do the part of thread k, of which 0 leads."""
    task, at = integers_at(place, TASK), ARRAYS
    L = Large(
        task, array_numbers(task, at, 1), array_rows(task, at, 2), array_rows(task, at, 3), array_rows(task, at, 4),
        array_rows(task, at, 5), array_rows(task, at, 6), array_rows(task, at, 7), array_narrow_rows(task, at, 8),
        array_integers(task, at, 9), array_narrow_rows(task, at, 10), array_integers(task, at, 11),
        array_integers(task, at, 12), array_rows(task, at, 13), array_numbers(task, at, 14), array_numbers(task, at, 15),
        array_numbers(task, at, 16),
    )  # fmt: skip
    roster = array_integers(task, at, 17)
    if k == 0:
        improve(L, roster, array_numbers(task, at, 18))
        dismiss(roster)
        return 0
    follow(L, roster, k)
    return 0


# in Python: the layout, and the state of the gradients


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
        self.numbers[COMPONENTS] = 3.0 * M.contacts
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
