"""Sweeps of Gauss-Seidel over a large island, eight contacts at a time, in the order of their groups.

Each of the eight reads the velocities of its two bodies, which no other of them has, and writes them: the same as one
contact after the other, as in :mod:`~pluecker.contact.friction.first_order.pgs`. When sweeps end, and what their momentum
is: :mod:`~pluecker.contact.friction.first_order.sweeps`. The momentum of multipliers is carried on when their group is met,
that of bodies before.

Not compiled before it is used: small islands do not need it.

Source: as ``sweeps``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.dense.cone_errors import contact_error
from pluecker.contact.friction.dense.cone_laws import nearest_in_cone
from pluecker.contact.friction.first_order.block_steps import find_steps
from pluecker.contact.friction.first_order.memory import (
    BEST_U,
    BEST_X,
    ITERATIONS,
    MOMENTUM,
    PRODUCTS,
    RELAXATION,
    RHO,
    ROWS_OF_WORK,
    SPENT,
    Memory,
    rows_apart,
)
from pluecker.contact.friction.first_order.sweeps import make_sweeps
from pluecker.contact.friction.problem.natural_map import larger as largest_error
from pluecker.contact.friction.problem.natural_map import relative_map
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.contact.friction.sparse.groups import Groups, largest_of, make_groups, places, rows, sum_of
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point, kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.transposition import transposed
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.parallel.interruption import LONG_OPERATIONS, answering
from pluecker.spatial.engine.scalars.operations import lift, load, sqrt, store, tail
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Layout", "lay_out", "run_large"]

# Rows of each group that stay the same from call to call, and those of a call: three each, but for the first three.
FRICTION, INVERSE, STEP, SOFT, FIXED = 0, 1, 2, 3, 6
OFFSET, X, ALONG, BEGUN, U, KEPT_X, KEPT_U, MOVING = range(0, 24, 3)


class Layout(NamedTuple):
    """Data of an island that stay the same from call to call: J and T in groups, and FIXED rows for each group."""

    groups: Groups
    fixed: Array


class Lanes(NamedTuple):
    """Record of an island in groups.

    Attributes:
        J, T, sides: as in :class:`~pluecker.contact.friction.sparse.groups.Groups`.
        fixed: of each group the coefficients of friction, 1 / s, step lengths, and compliances.
        moving: of each group the offset; x; how far the last sweep began from where the one before did, and where; u; the
            best x and u that were judged.
        v: velocities of bodies; then how far the last sweep began from where the one before did; then where.
    """

    J: Array
    T: Array
    sides: Indices
    fixed: Array
    moving: Array
    v: Array


def read_velocities(v, where):
    """Read the six velocities of a body by its number"""
    return tuple(v[8 * where[0] : 8 * where[0] + 6])


def write_velocities(v, where, v0, v1, v2, v3, v4, v5):
    """Write the six velocities of a body by its number"""
    v[8 * where[0] : 8 * where[0] + 6] = v0, v1, v2, v3, v4, v5


ROWS = 8  # numbers of a body

if not DISABLE_JIT:
    ROWS = 1  # row of lanes

    @kernel
    def read_velocities(v, where):
        """Read the six velocities of eight bodies, a row each"""
        a, b, c, d, e, f, _, _ = transposed(
            load(v, where[0]), load(v, where[1]), load(v, where[2]), load(v, where[3]),
            load(v, where[4]), load(v, where[5]), load(v, where[6]), load(v, where[7]),
        )  # fmt: skip
        return a, b, c, d, e, f

    @kernel
    def write_velocities(v, where, v0, v1, v2, v3, v4, v5):
        """Write the six velocities of eight bodies, a row each"""
        zero = lift(0.0, v0)
        bodies = transposed(v0, v1, v2, v3, v4, v5, zero, zero)
        for k in range(8):
            store(v, where[k], bodies[k])


@kernel
def load_three(a, k):
    """Read three rows"""
    return load(a, k), load(a, k + 1), load(a, k + 2)


@kernel
def store_three(a, k, x):
    """Write three rows"""
    store(a, k, x[0])
    store(a, k + 1, x[1])
    store(a, k + 2, x[2])


@kernel
def square(x):
    """|x|^2 of three rows"""
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]


@kernel
def times(a, p, v):
    """Multiply one row of a block by a velocity"""
    near = load(a, p) * v[0] + load(a, p + 1) * v[1] + load(a, p + 2) * v[2]
    return near + (load(a, p + 3) * v[3] + load(a, p + 4) * v[4] + load(a, p + 5) * v[5])


@kernel
def added(a, p, v, d):
    """Return v plus what three multipliers add to it"""
    return v + (load(a, p) * d[0] + load(a, p + 6) * d[1] + load(a, p + 12) * d[2])


@kernel
def add_to(L, p, where, v, d):
    """Write v + T' d of the bodies on one side of a group"""
    T = L.T
    write_velocities(
        L.v, where, added(T, p, v[0], d), added(T, p + 1, v[1], d), added(T, p + 2, v[2], d), added(T, p + 3, v[3], d),
        added(T, p + 4, v[4], d), added(T, p + 5, v[5], d),
    )  # fmt: skip


@kernel
def velocity_of(L, i, v, w, x):
    """u = J v + compliance x + b of group i, whose bodies have the velocities v and w"""
    J, p, (b0, b1, b2), (c0, c1, c2) = (
        L.J,
        36 * i,
        load_three(L.moving, MOVING * i),
        load_three(L.fixed, FIXED * i + SOFT),
    )
    return (
        b0 + c0 * x[0] + (times(J, p, v) + times(J, p + 18, w)),
        b1 + c1 * x[1] + (times(J, p + 6, v) + times(J, p + 24, w)),
        b2 + c2 * x[2] + (times(J, p + 12, v) + times(J, p + 30, w)),
    )


@called_kernel
def refresh(L):
    """v = T' x"""
    for k in range(len(L.v) // 3):
        store(L.v, k, lift(0.0, load(L.v, k)))
    for i in range(len(L.fixed) // FIXED):
        near, far, x = places(L.sides, i, False), places(L.sides, i, True), load_three(L.moving, MOVING * i + X)
        add_to(L, 36 * i, near, read_velocities(L.v, near), x)
        add_to(L, 36 * i + 18, far, read_velocities(L.v, far), x)


@called_kernel
def begin(L):
    """Set x = P(x), compute its velocities, and clear all momentum"""
    m, v, n = L.moving, L.v, len(L.v) // 3
    for i in range(len(L.fixed) // FIXED):
        k, zero = MOVING * i, lift(0.0, load(m, 0))
        x = nearest_in_cone(load(L.fixed, FIXED * i + FRICTION), *load_three(m, k + X))
        store_three(m, k + X, x)
        store_three(m, k + BEGUN, x)
        store_three(m, k + ALONG, (zero, zero, zero))
    refresh(L)
    for k in range(n):
        store(v, n + k, lift(0.0, load(v, k)))
        store(v, 2 * n + k, load(v, k))


@kernel
def begin_at(L, k, b):
    """Set y = x + b d of one row, and d to the way from where the last sweep began; return both"""
    y = load(L.moving, k + X) + b * load(L.moving, k + ALONG)
    d = y - load(L.moving, k + BEGUN)
    store(L.moving, k + ALONG, d)
    store(L.moving, k + BEGUN, y)
    return y, d


@called_kernel
def carry_on(L, b):
    """Set v = v + b d v for all bodies, as :func:`begin_at` does for x"""
    v, n = L.v, len(L.v) // 3
    for k in range(n):
        y = load(v, k) + b * load(v, n + k)
        store(v, n + k, y - load(v, 2 * n + k))
        store(v, 2 * n + k, y)
        store(v, k, y)


@called_kernel
def sweep(L, exact, state, b):
    """Sweep all contacts, with v = v + b d v and v += T' (x+ - y), y = x + b d; return what :func:`.make_sweeps` asks for"""
    nothing, has_momentum, relaxation = lift(0.0, load(L.moving, 0)), state[MOMENTUM] == 1.0, state[RELAXATION]
    change, size, along = nothing, nothing, nothing
    if has_momentum:
        carry_on(L, b)
    for i in range(len(L.fixed) // FIXED):
        k, q, near, far = MOVING * i, FIXED * i, places(L.sides, i, False), places(L.sides, i, True)
        v, w = read_velocities(L.v, near), read_velocities(L.v, far)
        y, d0, d1, d2 = load_three(L.moving, k + X), nothing, nothing, nothing
        if has_momentum:
            y0, d0 = begin_at(L, k, b)
            y1, d1 = begin_at(L, k + 1, b)
            y2, d2 = begin_at(L, k + 2, b)
            y = y0, y1, y2
        u0, u1, u2 = velocity_of(L, i, v, w, y)
        mu, step = load(L.fixed, q + FRICTION), relaxation * load(L.fixed, q + STEP)
        if exact == 1:
            u0 = u0 + mu * sqrt(u1 * u1 + u2 * u2)
        x = nearest_in_cone(mu, y[0] - step * u0, y[1] - step * u1, y[2] - step * u2)
        store_three(L.moving, k + X, x)
        e = x[0] - y[0], x[1] - y[1], x[2] - y[2]
        add_to(L, 36 * i, near, v, e)
        add_to(L, 36 * i + 18, far, w, e)
        change, size, along = change + square(e), size + square(x), along + (e[0] * d0 + e[1] * d1 + e[2] * d2)
    return sum_of(change), sum_of(size), sum_of(along)


@kernel
def fastest(u):
    """Return the largest component"""
    return larger(larger(larger(u[0], -u[0]), larger(u[1], -u[1])), larger(u[2], -u[2]))


@called_kernel
def error_of(L, exact):
    """Compute velocities, and return the error, as in :func:`.evaluate`"""
    m, n = view(L.moving), lift(0.0, load(L.moving, 0))
    size, distance, motion, offset, lack, held, speed = n, n, n, n, n, n, n
    for i in range(len(L.fixed) // FIXED):
        k, near, far = MOVING * i, places(L.sides, i, False), places(L.sides, i, True)
        x, b, inverse = load_three(m, k + X), load_three(m, k + OFFSET), load(L.fixed, FIXED * i + INVERSE)
        u = velocity_of(L, i, read_velocities(L.v, near), read_velocities(L.v, far), x)
        store_three(m, k + U, u)
        away = contact_error(exact, load(L.fixed, FIXED * i + FRICTION), m, tail(m, U - X), k + X)
        force = square(x)
        size, distance, motion, offset = size + force, distance + away, motion + square(u), offset + square(b)
        lack, held = larger(lack, away * inverse * inverse), larger(held, force * inverse * inverse)
        speed = larger(speed, larger(fastest(u), fastest(b)) * inverse)
    error = relative_map(sum_of(distance), max(sum_of(offset), sum_of(size), sum_of(motion)))
    return largest_error(error, np.sqrt(largest_of(lack)), np.sqrt(largest_of(held)), largest_of(speed))


@called_kernel
def remember(L):
    """Keep x and u as the best"""
    for k in range(0, len(L.moving), MOVING):
        store_three(L.moving, k + KEPT_X, load_three(L.moving, k + X))
        store_three(L.moving, k + KEPT_U, load_three(L.moving, k + U))


sweep_lanes = entry_point(make_sweeps(begin, refresh, error_of, remember, sweep))


def lay_out(P: Prepared, island: int) -> Layout | None:
    """Lay an island out in groups.

    Returns:
        None if it has something else than contacts of three components, each on at most two bodies with six velocities
        each, or where groups do not pay.
    """
    (A, K), (first, last) = P[:2], (int(k) for k in P.islands[island : island + 2])
    if A.is_factored == 0 or (np.diff(K.start[first : last + 1]) != 3).any():
        return None
    left, right = (int(np.searchsorted(A.J.columns, side)) for side in P.sides[island : island + 2])
    groups = make_groups(A.J, A.T, first, last, left, right)
    if groups is None:
        return None
    here, work = slice(int(K.start[first]), int(K.start[last])), rows_apart(ROWS_OF_WORK, len(P.b))
    find_steps(A, K, first, last, work, work[RHO])
    fixed = groups.new_rows(FIXED)
    groups.put(
        np.column_stack(
            [K.friction[first:last, 0], 1.0 / P.s[here][::3], work[RHO, here][::3], A.compliance[here].reshape(-1, 3)]
        ), fixed, 0,
    )  # fmt: skip
    return Layout(groups, fixed)


def run_large(
    P: Prepared, law: int, x: Array, u: Array, tol: float, limit: int, memory: Memory, island: int, laid: Layout
) -> None:  # fmt: skip
    """Improve one island that is laid out to the error ``tol``, as the runner of ``pgs`` does."""
    groups, mine = laid.groups, slice(*(int(P.K.start[k]) for k in P.islands[island : island + 2]))
    results, state, moving = memory.results[island], memory.states[island], groups.new_rows(MOVING)
    for row, numbers in ((OFFSET, P.b), (X, x)):
        groups.put(numbers[mine].reshape(-1, 3), moving, row)
    L = Lanes(groups.J, groups.T, groups.sides, laid.fixed, moving, rows(3 * ROWS * (groups.bodies + 1)))
    done, spent = int(results[ITERATIONS]), float(state[SPENT])
    left = limit - done
    used, error = answering(
        sweep_lanes, L, law, tol, left, state, memory.history[done:], long=left * groups.J.size > LONG_OPERATIONS
    )
    for row, out in ((X, memory.work[BEST_X]), (U, memory.work[BEST_U]), (KEPT_X, x), (KEPT_U, u)):
        if row < KEPT_X or np.isfinite(error):
            out[mine] = groups.take(moving, row, 3).reshape(-1)
    results[:] = error, done + used, results[PRODUCTS] + state[SPENT] - spent
