"""Velocities and errors of all contacts of a large island with double precision, by threads: what sweeps and Newton's method
are judged by, piece after piece.

Contacts follow one another as in the island, block by block of :data:`TOGETHER`; what is found of one does not depend on the
others, and sums are added block by block: the same bits for any number of threads.

Source: as :mod:`~pluecker.contact.friction.problem.natural_map`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.friction.first_order.large_record import (
    CONTROL,
    DISTANCE,
    EXACT,
    HELD,
    LACK,
    LARGEST,
    LATE,
    MOTION,
    OFFSET,
    PASS,
    SETTINGS,
    SIZE,
    SPEED,
    SUMS,
    bounds,
    fastest,
    miss,
)
from pluecker.contact.friction.first_order.large_task import share_task
from pluecker.contact.friction.first_order.shared_phases import (
    OFTEN,
    add_sums,
    array_integers,
    array_numbers,
    error_of_sums,
    shared_passes,
)
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.spatial.engine.compiled.decorators import kernel, outlined_kernel
from pluecker.spatial.engine.memory.addresses import integers_at
from pluecker.spatial.engine.parallel.phases import dismiss
from pluecker.spatial.engine.scalars.operations import load, part, store
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Checks"]

MOVE, JUDGE = range(2)  # passes: u = N x + b; the errors of x and u
TOGETHER = 128  # contacts of a block

# What goes in and comes out: integers after the settings, a number after the control.
COUNT, WHAT = SETTINGS, SETTINGS + 1
REACHED = CONTROL
# Addresses and lengths of arrays: of those of :class:`Checked` from the control on, and of the roster.
ARRAYS = WHAT + 1
PLACES = 14
TASK = ARRAYS + 2 * PLACES


class Checked(NamedTuple):
    """A large island of contacts, as all threads have it.

    Attributes:
        settings, control: what the pass is.
        first, column, data: of N, whose blocks have three rows and three columns and lie one after the other: ``(n + 1,)``,
            ``(k,)`` and ``(9 k,)``.
        friction, inverse: of each contact, the coefficient and 1 / s, ``(n,)``.
        b, soft, x, u: offset, compliances, multipliers and velocities, ``(3 n,)``.
        errors: the squared natural map of each contact, ``(n,)``.
        sums: of each block.
    """

    settings: Any
    control: Any
    first: Any
    column: Any
    data: Any
    friction: Any
    inverse: Any
    b: Any
    soft: Any
    x: Any
    u: Any
    errors: Any
    sums: Any


@kernel
def times(a, p, x, k):
    """Multiply one row of a block by three multipliers"""
    return load(a, p) * load(x, k) + load(a, p + 1) * load(x, k + 1) + load(a, p + 2) * load(x, k + 2)


@outlined_kernel
def move(L, block):
    """u = N x + compliance x + b"""
    first, last = bounds(load(L.settings, COUNT), block, TOGETHER)
    for i in range(first, last):
        u0, u1, u2 = 0.0, 0.0, 0.0
        for n in range(load(L.first, i), load(L.first, i + 1)):
            k, p = 3 * load(L.column, n), 9 * n
            u0, u1, u2 = (
                u0 + times(L.data, p, L.x, k), u1 + times(L.data, p + 3, L.x, k), u2 + times(L.data, p + 6, L.x, k),
            )  # fmt: skip
        k = 3 * i
        store(L.u, k, u0 + (load(L.soft, k) * load(L.x, k) + load(L.b, k)))
        store(L.u, k + 1, u1 + (load(L.soft, k + 1) * load(L.x, k + 1) + load(L.b, k + 1)))
        store(L.u, k + 2, u2 + (load(L.soft, k + 2) * load(L.x, k + 2) + load(L.b, k + 2)))


@outlined_kernel
def judge(L, block):
    """Compute the squared natural map of each contact, and the sums"""
    first, last = bounds(load(L.settings, COUNT), block, TOGETHER)
    exact = load(L.settings, EXACT)
    size, distance, motion, offset, lack, held, speed = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(first, last):
        k, inverse = 3 * i, load(L.inverse, i)
        u0, u1, u2 = load(L.u, k), load(L.u, k + 1), load(L.u, k + 2)
        b0, b1, b2 = load(L.b, k), load(L.b, k + 1), load(L.b, k + 2)
        away, force = miss(
            load(L.friction, i), exact, 0.0, load(L.x, k), load(L.x, k + 1), load(L.x, k + 2), u0, u1, u2
        )
        store(L.errors, i, away)
        distance, size = distance + away, size + force
        motion, offset = motion + (u0 * u0 + u1 * u1 + u2 * u2), offset + (b0 * b0 + b1 * b1 + b2 * b2)
        lack, held = max(lack, away * inverse * inverse), max(held, force * inverse * inverse)
        speed = max(speed, max(fastest(u0, u1, u2), fastest(b0, b1, b2)) * inverse)
    sums = part(L.sums, SUMS * block, SUMS)
    store(sums, SIZE, size)
    store(sums, DISTANCE, distance)
    store(sums, MOTION, motion)
    store(sums, OFFSET, offset)
    store(sums, LACK, lack)
    store(sums, HELD, held)
    store(sums, SPEED, speed)


@outlined_kernel
def pass_over(L, block):
    """Do one block of the pass that the settings name"""
    if load(L.settings, PASS) == MOVE:
        move(L, block)
    else:
        judge(L, block)


do_pass, _, follow = shared_passes(pass_over)


@outlined_kernel
def check(L, roster):
    """Run one pass, and compute the error where it judges"""
    what, blocks = load(L.settings, WHAT), (load(L.settings, COUNT) + TOGETHER - 1) // TOGETHER
    do_pass(L, roster, what, blocks)
    if what == JUDGE:
        add_sums(L, blocks)
        store(L.control, REACHED, error_of_sums(L))


def in_one_thread(place, k):
    """Do the part of thread k, of which 0 leads."""
    task, at = integers_at(place, TASK), ARRAYS
    L = Checked(
        task, array_numbers(task, at, 1), array_integers(task, at, 2), array_integers(task, at, 3),
        array_numbers(task, at, 4), array_numbers(task, at, 5), array_numbers(task, at, 6), array_numbers(task, at, 7),
        array_numbers(task, at, 8), array_numbers(task, at, 9), array_numbers(task, at, 10), array_numbers(task, at, 11),
        array_numbers(task, at, 12),
    )  # fmt: skip
    roster = array_integers(task, at, 13)
    if k == 0:
        check(L, roster)
        dismiss(roster)
        return 0
    follow(L, roster, k)
    return 0


class Checks:
    """Evaluation of velocities and errors of one island, by threads: contacts with three components each.

    Args:
        P: with its matrix; n contacts.
        law: 1 for Coulomb's law.

    Attributes:
        errors: the squared natural map of each contact, ``(n,)``, as the last call of :meth:`error` found them.
    """

    def __init__(self, P: Prepared, law: int) -> None:
        n, N = len(P.K.start) - 1, P.A.N
        self.task, self.control, self.errors = np.zeros(TASK, np.int64), np.zeros(REACHED + 1), np.zeros(n)
        self.task[EXACT], self.task[COUNT] = law, n
        self.control[LARGEST] = TOGETHER / 8
        self.record = Checked(
            self.task, self.control, N.first, N.column, N.data, np.ascontiguousarray(P.K.friction[:, 0]),
            1.0 / P.s[::3], P.b, P.A.compliance, P.b, P.b, self.errors,
            np.zeros(SUMS * -(-n // TOGETHER)),
        )  # fmt: skip

    def call(self, what: int, x: Array, u: Array, threads: int) -> None:
        """Run a pass over a pair; by one thread where other threads were late several times of late."""
        self.task[WHAT], threads = what, 1 if self.control[LATE] > OFTEN else threads
        share_task(self.task, ARRAYS, self.record._replace(x=x, u=u), (), in_one_thread, check, threads)

    def velocity(self, x: Array, threads: int) -> Array:
        """Compute u = N x + b, ``(3 n,)``, of the multipliers x, ``(3 n,)``."""
        u = np.empty_like(x)
        self.call(MOVE, x, u, threads)
        return u

    def error(self, x: Array, u: Array, threads: int) -> float:
        """Compute the error of a pair, as :func:`~pluecker.contact.friction.first_order.runner.evaluate` has it."""
        self.call(JUDGE, x, u, threads)
        return float(self.control[REACHED])
