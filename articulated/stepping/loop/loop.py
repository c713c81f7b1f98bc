"""The loop over steps, compiled: control, a step of any integrator, what is recorded, and what happens where one fails.

One kernel, :func:`loop_kernel`, goes through a stretch of steps for one state or for eight in lanes. Around it are two
compiled functions, which take the address of a task, as :mod:`~pluecker.articulated.running.batch` has them, and call the
step of any integrator by its address (:mod:`~pluecker.articulated.stepping.loop.called_step`). Between two calls Python may
write a part of the recording to a file, move a progress bar, ask a control that is Python, or be interrupted: all that a
state is lies in arrays, ``x``, which the next call goes on from, :class:`~pluecker.articulated.stepping.loop.task.State`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.articulated.model.layout import body_count, configuration_count, velocity_count
from pluecker.articulated.stepping.control.control_law import PERIOD, STEP, control_workspace
from pluecker.articulated.stepping.control.signals import Access
from pluecker.articulated.stepping.loop.surroundings import surroundings
from pluecker.articulated.stepping.loop.task import (
    BEGIN,
    DIVIDED,
    ERROR,
    EVERY,
    FAILED,
    FIRST,
    FIRST_IMPULSE,
    IMPULSES,
    LAST,
    LASTING,
    MEMORY,
    PUSHED,
    RATED,
    SLOT,
    SUBSTEP,
    TOTAL,
    state_in,
)
from pluecker.articulated.stepping.terms.stage import Given
from pluecker.spatial.dense.laws import copy_vector, larger, worse
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import lift, load, part, select, smaller, store, tail, within

__all__ = ["BOUND", "SOLVED", "loop_kernel", "loop_workspace"]

BOUND = 1  # of the numbers: the error up to which a step is taken
SOLVED = 1.0 + 1e-12
PIECES = 32  # into which a step is divided at most, in halves


def loop_workspace(nq: int, nv: int, n_bodies: int, memory: int, parameters: int, own: int) -> int:
    """Count the numbers of scratch memory that the loop needs, with those of the integrator."""
    rest = max(own, control_workspace(nq, nv, parameters), 6 * n_bodies)
    return 6 * n_bodies + 3 * (nq + nv) + 4 * nv + 3 * memory + rest


@kernel
def is_below(e, bound):
    """Return whether e < bound for all states in the lanes; false for NaN"""
    return within(select(smaller(e, bound), lift(0.0, e), lift(1.0, e)), 0.5)


@called_kernel
def spoiled(x):
    """Return zero where all numbers are finite, else NaN; computed in four independent sums, which overlap"""
    n = len(x)
    a = b = c = d = 0.0 * load(x, 0)
    for k in range(0, n - 3, 4):
        a, b = a + 0.0 * load(x, k), b + 0.0 * load(x, k + 1)
        c, d = c + 0.0 * load(x, k + 2), d + 0.0 * load(x, k + 3)
    for k in range(n - n % 4, n):
        a = a + 0.0 * load(x, k)
    return (a + b) + (c + d)


@called_kernel
def keep(solved, x, out):
    """Replace ``out`` by x in states that were not solved"""
    for k in range(len(x)):
        store(out, k, select(solved, load(out, k), load(x, k)))


@kernel
def begin_memory(lasting, memory, begun):
    """Set the memory with which the pieces of a step begin: that before the step if it lasts, else zeros"""
    for k in range(len(memory)):
        store(begun, k, load(memory, k) if lasting else 0.0 * load(memory, k))


@kernel
def gather_impulses(first, last, impulses, total):
    """Sum the impulses of the pieces of a step in ``total``; after the last piece the sum becomes the step's impulses"""
    for k in range(len(impulses)):
        r = load(impulses, k)
        r = r if first else load(total, k) + r
        store(total, k, r)
        if last:
            store(impulses, k, r)


@kernel
def keep_solved(solved, x, out):
    """x where it was solved, else nothing"""
    for k in range(len(x)):
        store(out, k, select(solved, load(x, k), 0.0 * load(x, k)))


def step_kernel(step: Callable[..., Any], law_of_piece: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel that takes one step, in so many pieces as are needed where that is wanted; it gives the error.

    ``step`` is that of an integrator, with ``env`` before its arguments.

    A lane that is solved keeps what it has while others go on with shorter pieces, whose number x is marked with. An
    integrator that remembers earlier steps starts anew for the pieces, and behind them, unless what it remembers lasts.
    """

    @kernel
    def take_step(env, m, c, settings, h, x, f, kept, ws):
        nq, nv, n = configuration_count(m), velocity_count(m), load(settings, MEMORY)
        q, v, law, _, marks, _, memory = state_in(m, settings, x)
        q1, v1, q2, v2 = part(ws, 0, nq), part(ws, nq, nv), part(ws, nq + nv, nq), part(ws, 2 * nq + nv, nv)
        law_j, saved = tail(ws, 2 * (nq + nv)), tail(ws, 2 * nq + 6 * nv)
        remembered, begun, total, rest = part(saved, 0, n), part(saved, n, n), part(saved, 2 * n, n), tail(saved, 3 * n)
        impulses = part(memory, load(settings, FIRST_IMPULSE), load(settings, IMPULSES))
        kq, kv, none = part(kept, 0, nq), part(kept, nq, nv), 0.0 * load(law, 0)
        pieces, error, lasting, divided = 1, none, load(settings, LASTING) != 0, load(marks, DIVIDED)
        begin_memory(lasting, part(memory, 0, n), begun)
        while True:
            qa, va, e, hj = q, v, none, h / pieces
            for j in range(pieces):
                qb, vb, own = (q1, v1, law) if j == 0 else (q1, v1, law_j) if j % 2 == 0 else (q2, v2, law_j)
                if pieces == 1:
                    qb, vb = kq, kv
                if j > 0:
                    law_of_piece(env, j * hj, x, qa, va, law_j)
                e = worse(e, none + step(env, m, c, hj, Given(qa, va, own, f), qb, vb, memory, rest))
                qa, va = qb, vb
                if pieces > 1:
                    gather_impulses(j == 0, j == pieces - 1, impulses, total)
            e = e + spoiled(qa) + spoiled(va)
            if pieces == 1:
                error = e
                if load(settings, SUBSTEP) == 0 or is_below(e, SOLVED):
                    return e
                keep_solved(smaller(e, SOLVED), part(memory, 0, n), remembered)
            else:
                solved = smaller(error, SOLVED)
                keep(solved, qa, kq)
                keep(solved, va, kv)
                if lasting:
                    keep(solved, part(memory, 0, n), remembered)
                store(marks, DIVIDED, select(solved, load(marks, DIVIDED), larger(divided, lift(1.0 * pieces, e))))
                error = select(solved, error, e)
            if is_below(error, SOLVED) or pieces >= PIECES:
                break
            copy_vector(len(begun), begun, memory)
            pieces *= 2
        copy_vector(len(remembered), remembered, memory)
        return error

    return take_step


def loop_kernel(access: Access, step: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel for a stretch of steps of the state ``b``, or of eight from there on.

    At each step: control, if it is its turn; the sample, if it is one; the step. A step whose error is above the bound, or
    whose result is not finite, is not taken: x stays as it was before, with the number of the step. ``env`` is for what
    surrounds a step, and for ``step``, which an integrator takes.
    """
    around = surroundings(access)
    control_law, wrenches, record, record_rate = around.law, around.wrenches, around.record, around.record_rate
    take_step = step_kernel(step, around.law_of_piece)

    @kernel
    def advance(env, m, c, settings, numbers, moving, b, x, ws):
        nq, nv, h = configuration_count(m), velocity_count(m), load(numbers, STEP)
        every, total, nf = load(settings, EVERY), load(settings, TOTAL), 6 * body_count(m) * load(settings, PUSHED)
        q, v, _, rate, marks, _, _ = state_in(m, settings, x)
        f, kept, rest = part(ws, 0, nf), part(ws, nf, nq + nv), tail(ws, nf + nq + nv)
        kq, kv, per_second = part(kept, 0, nq), part(kept, nq, nv), 1.0 / h
        first, begin = load(settings, FIRST), load(settings, BEGIN)
        period, rated = load(settings, PERIOD), load(settings, RATED)
        due = begin if first == begin else -(-first // period) * period  # control is asked where a motion begins, too
        slot, since = -((begin - first) // every) - load(settings, SLOT), (first - begin) % every
        if nf > 0:
            wrenches(env, b, 0.0, f, rest)
        for i in range(first, load(settings, LAST)):
            if i == due:
                control_law(env, b, i, x, rest)
                due += period
            if since == 0 or i == total:
                record(env, b, slot, x)
            if i == total:
                return
            if moving and nf > 0:
                wrenches(env, b, h * (i + 0.5), f, rest)
            e = take_step(env, m, c, settings, h, x, f, kept, rest)
            store(marks, ERROR, worse(load(marks, ERROR), e))
            bound = load(numbers, BOUND)
            if not is_below(e, bound):
                store(marks, FAILED, select(smaller(e, bound), load(marks, FAILED), i + 1.0))
                return
            for k in range(nv):
                store(rate, k, (load(kv, k) - load(v, k)) * per_second)
            copy_vector(len(kq), kq, q)
            copy_vector(len(kv), kv, v)
            if since == 0:
                if rated:
                    record_rate(env, b, slot, x)
                slot += 1
            since = since + 1 if since + 1 < every else 0

    return advance
