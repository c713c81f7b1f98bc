"""Sweeps of Gauss-Seidel over a large island, whose work threads share: the same bits for any number of them.

One thread leads, as in :mod:`~pluecker.contact.friction.first_order.shared_phases`: it says which pass comes next
(:mod:`~pluecker.contact.friction.first_order.sweep_passes`), and decides as
:mod:`~pluecker.contact.friction.first_order.pgs` does. A sweep is one pass, over the even strips and over the odd ones, each
of which waits for the even ones beside it.

Compiled when it is first used, apart from what small islands need.

Source: as ``pgs``.
"""

from __future__ import annotations

from pluecker.contact.friction.first_order.large_record import (
    BETA,
    CHANGE,
    CONTROL,
    SETTINGS,
    SIZE,
    UPHILL,
)  # fmt: skip
from pluecker.contact.friction.first_order.pgs import RARER, REFRESH, momentum_at
from pluecker.contact.friction.first_order.runner import STILL
from pluecker.contact.friction.first_order.shared_phases import (
    add_some,
    add_sums,
    array_integers,
    array_narrow_rows,
    array_numbers,
    array_rows,
    error_of_sums,
    shared_passes,
)
from pluecker.contact.friction.first_order.sweep_passes import (
    BODIES,
    BODY_BLOCK,
    CLEAR,
    COLLECT,
    JUDGE,
    MOMENTUM,
    REMEMBER,
    STAND,
    START,
    SWEEP,
    TURN,
    Swept,
    finish,
    is_ready,
    pass_over,
)  # fmt: skip
from pluecker.spatial.engine.compiled.decorators import kernel, outlined_kernel
from pluecker.spatial.engine.memory.addresses import integers_at
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.engine.parallel.phases import dismiss
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = [
    "ARRAYS", "CREW", "ENDS_BEST", "LEAST", "LIMIT", "NUMBERS", "REACHED", "SPENDING", "STRIPS", "TASK", "TOL", "USED",
    "improve", "in_one_thread",
]  # fmt: skip

# What goes in and comes out: integers after the settings, numbers after the control.
# Strips; sweeps; those between two looks at the error; whether the last pair is the best; threads.
STRIPS, LIMIT, LEAST, USED, SPENDING, ENDS_BEST, CREW = range(SETTINGS, SETTINGS + 7)
TOL, REACHED = range(CONTROL, CONTROL + 2)
# Addresses and lengths of arrays: of those of :class:`Swept` from the control on, of the roster, of the history.
ARRAYS = CREW + 1
PLACES = 27
TASK = ARRAYS + 2 * PLACES
NUMBERS = REACHED + 1

do_pass, do_shares, follow = shared_passes(pass_over, is_ready, finish)


@kernel
def over_bodies(L, roster, what):
    """Run a pass over all bodies"""
    do_pass(L, roster, what, (load(L.settings, BODIES) + BODY_BLOCK - 1) // BODY_BLOCK)


@outlined_kernel
def over_strips(L, roster, what):
    """Run a pass over all strips; where some wait for others, they do so for those of this pass"""
    store(L.settings, TURN, load(L.settings, TURN) + 1)
    do_shares(L, roster, what, L.starts)
    if what == SWEEP:
        add_some(L, load(L.settings, STRIPS), UPHILL, SIZE + 1)


@outlined_kernel
def refresh(L, roster):
    """Compute the velocities of bodies anew, from the multipliers"""
    over_bodies(L, roster, CLEAR)
    over_strips(L, roster, COLLECT)
    store(L.settings, SPENDING, load(L.settings, SPENDING) + 1)


@outlined_kernel
def error_of(L, roster):
    """Return the error, as in :func:`.evaluate`; infinite where its squares overflow"""
    over_strips(L, roster, JUDGE)
    add_sums(L, load(L.settings, STRIPS))
    return error_of_sums(L)


@outlined_kernel
def improve(L, roster, history):
    """Sweep ``limit`` times, or to the tolerance, as :func:`~pluecker.contact.friction.first_order.pgs.sweeps` does

    Velocities of the last point are fresh, for callers that go on from it.
    """
    settings, control = L.settings, L.control
    limit, tol, least = load(settings, LIMIT), load(control, TOL), load(settings, LEAST)
    over_strips(L, roster, START)
    refresh(L, roster)
    best, used = error_of(L, roster), 0
    ends_best = 1
    over_strips(L, roster, REMEMBER)
    over_bodies(L, roster, STAND)
    due, anew, age = least, REFRESH, 0.0
    along = 0.0
    while used < limit and not best <= tol and not interrupted():
        if load(settings, MOMENTUM) == 1:
            age = age + 1.0 if along >= 0.0 else 0.0
            store(control, BETA, momentum_at(age))
        used, ends_best = used + 1, 0
        over_strips(L, roster, SWEEP)
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
                refresh(L, roster)
            error = error_of(L, roster)
            if fresh or not error <= tol:
                break
            fresh = True
        if not error < 1e300:
            break
        if len(history) > 0:
            store(history, used, max(load(history, used), min(error, best)))
        if error < best:
            best, ends_best = error, 1
            over_strips(L, roster, REMEMBER)
        if still:
            break
    store(control, REACHED, best)
    store(settings, USED, used)
    store(settings, ENDS_BEST, ends_best)


def in_one_thread(place, k):
    """Do the part of thread k, of which 0 leads."""
    task, at = integers_at(place, TASK), ARRAYS
    L = Swept(
        task, array_numbers(task, at, 1), array_narrow_rows(task, at, 2), array_narrow_rows(task, at, 3),
        array_integers(task, at, 4), array_integers(task, at, 5), array_integers(task, at, 6),
        array_integers(task, at, 7), array_integers(task, at, 8), array_integers(task, at, 9), array_rows(task, at, 10),
        array_rows(task, at, 11), array_rows(task, at, 12), array_rows(task, at, 13), array_rows(task, at, 14),
        array_rows(task, at, 15), array_rows(task, at, 16), array_rows(task, at, 17), array_rows(task, at, 18),
        array_rows(task, at, 19), array_rows(task, at, 20), array_rows(task, at, 21), array_rows(task, at, 22),
        array_rows(task, at, 23), array_numbers(task, at, 24),
    )  # fmt: skip
    roster = array_integers(task, at, 25)
    if k == 0:
        improve(L, roster, array_numbers(task, at, 26))
        dismiss(roster)
        return 0
    follow(L, roster, k)
    return 0
