"""Passes of threads in sweeps of Gauss-Seidel over a large island: eight contacts without a common body at a time.

====================  ===============================================================================================
pass                  what it does with a strip, or a block of bodies
====================  ===============================================================================================
``start``             x = P(x), no momentum
``clear``             v = 0, of bodies
``collect``           v += T' x of a strip
``stand``             no momentum, of bodies
``sweep``             v = v + beta d v of the bodies that begin in a strip, then x+ = P(y - w rho (J v + b + g)) and
                      v += T' (x+ - y) of its contacts, with y = x + beta d x
``judge``             u = J v + b, and the sums of the natural map
``remember``          x and u are the best that were met
====================  ===============================================================================================

This is the sweep of :mod:`~pluecker.contact.friction.first_order.pgs`, in the order of
:mod:`~pluecker.contact.friction.sparse.strips`. Even strips have no body in common, and neither have odd ones, nor the
contacts of a group: their velocities are read and written as if one contact came after the other. All passes over contacts
go over the even strips first, and then over the odd ones. The momentum of multipliers is carried on when their contact is
met, that of bodies where the first strip begins that may have contacts of theirs.

Source: as ``pgs``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pluecker.contact.friction.dense.cone_laws import nearest_in_cone
from pluecker.contact.friction.first_order.large_record import (
    BETA,
    BODIES,
    EXACT,
    LENGTH,
    MOMENTUM,
    PASS,
    SOFT,
    bounds,
    fastest,
    miss,
    store_sums,
)  # fmt: skip
from pluecker.contact.friction.sparse.gather import ROWS_OF_GROUP, places
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.ahead import ask_for_rows
from pluecker.spatial.engine.memory.transposition import transposed
from pluecker.spatial.engine.scalars.operations import lift, load, sqrt, store

__all__ = [
    "CLEAR",
    "COLLECT",
    "JUDGE",
    "REMEMBER",
    "STAND",
    "START",
    "SWEEP",
    "Swept",
    "pass_over",
]  # fmt: skip

START, CLEAR, COLLECT, STAND, SWEEP, JUDGE, REMEMBER = range(7)
BODY_BLOCK = 256  # bodies of a block
AHEAD = 4 * ROWS_OF_GROUP  # rows that are asked for before they are read


class Swept(NamedTuple):
    """Record of a large island in strips, which all threads share.

    Contacts are in their slots, see :class:`~pluecker.contact.friction.sparse.strips.Strips`; each body has a row of its
    own.

    Attributes:
        settings, control: what the pass is.
        J, T, begin, owned: as in ``Strips``; bodies: its ``sides``.
        b, soft: the offset, and compliances, three rows for each group.
        friction, inverse: of each group, the coefficient, and 1 / s.
        rho: step lengths.
        x, along, begun: multipliers; how far a sweep began from where the one before did; where it began.
        u: velocities of contacts, where they were judged last.
        best, best_u: the best multipliers that were judged, with their velocities.
        v, v_along, v_begun: velocities of bodies, likewise.
        sums: of each strip.
    """

    settings: Any
    control: Any
    J: Any
    T: Any
    bodies: Any
    begin: Any
    owned: Any
    b: Any
    friction: Any
    inverse: Any
    soft: Any
    rho: Any
    x: Any
    along: Any
    begun: Any
    u: Any
    best: Any
    best_u: Any
    v: Any
    v_along: Any
    v_begun: Any
    sums: Any


def read_velocities(v, where):
    """Read the six velocities of a body by its number"""
    p = 8 * where[0]
    return v[p], v[p + 1], v[p + 2], v[p + 3], v[p + 4], v[p + 5]


def write_velocities(v, where, v0, v1, v2, v3, v4, v5):
    """Write the six velocities of a body by its number"""
    p = 8 * where[0]
    v[p], v[p + 1], v[p + 2], v[p + 3], v[p + 4], v[p + 5] = v0, v1, v2, v3, v4, v5


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
        a, b, c, d, e, f, g, h = transposed(v0, v1, v2, v3, v4, v5, zero, zero)
        store(v, where[0], a)
        store(v, where[1], b)
        store(v, where[2], c)
        store(v, where[3], d)
        store(v, where[4], e)
        store(v, where[5], f)
        store(v, where[6], g)
        store(v, where[7], h)


@kernel
def times(a, p, v):
    """Multiply one row of a block by a velocity"""
    near = load(a, p) * v[0] + load(a, p + 1) * v[1] + load(a, p + 2) * v[2]
    return near + (load(a, p + 3) * v[3] + load(a, p + 4) * v[4] + load(a, p + 5) * v[5])


@kernel
def added(a, p, v, d0, d1, d2):
    """Return v plus what three multipliers add to it"""
    return v + (load(a, p) * d0 + load(a, p + 6) * d1 + load(a, p + 12) * d2)


@kernel
def add_to(L, p, where, v, d0, d1, d2):
    """Write v + T' d of the bodies on one side of a group"""
    T = L.T
    write_velocities(
        L.v, where, added(T, p, v[0], d0, d1, d2), added(T, p + 1, v[1], d0, d1, d2), added(T, p + 2, v[2], d0, d1, d2),
        added(T, p + 3, v[3], d0, d1, d2), added(T, p + 4, v[4], d0, d1, d2), added(T, p + 5, v[5], d0, d1, d2),
    )  # fmt: skip


@kernel
def velocity_of(L, i, v, w, x0, x1, x2):
    """u = J v + compliance x + b of group i, whose bodies have the velocities v and w"""
    J, k, p = L.J, 3 * i, 36 * i
    u0 = load(L.b, k) + times(J, p, v) + times(J, p + 18, w)
    u1 = load(L.b, k + 1) + times(J, p + 6, v) + times(J, p + 24, w)
    u2 = load(L.b, k + 2) + times(J, p + 12, v) + times(J, p + 30, w)
    if load(L.settings, SOFT) == 1:
        u0, u1, u2 = u0 + load(L.soft, k) * x0, u1 + load(L.soft, k + 1) * x1, u2 + load(L.soft, k + 2) * x2
    return u0, u1, u2


@called_kernel
def start(L, strip):
    """Set x = P(x), without momentum"""
    for i in range(load(L.begin, strip), load(L.begin, strip + 1)):
        k = 3 * i
        x0, x1, x2 = nearest_in_cone(load(L.friction, i), load(L.x, k), load(L.x, k + 1), load(L.x, k + 2))
        store(L.x, k, x0)
        store(L.x, k + 1, x1)
        store(L.x, k + 2, x2)
        for row in range(k, k + 3):
            store(L.begun, row, load(L.x, row))
            store(L.along, row, lift(0.0, x0))


@called_kernel
def collect(L, strip):
    """v += T' x"""
    for i in range(load(L.begin, strip), load(L.begin, strip + 1)):
        k, p, near, far = 3 * i, 36 * i, places(L.bodies, i, False), places(L.bodies, i, True)
        ask_for_rows(L.T, p + AHEAD, ROWS_OF_GROUP)
        x0, x1, x2 = load(L.x, k), load(L.x, k + 1), load(L.x, k + 2)
        add_to(L, p, near, read_velocities(L.v, near), x0, x1, x2)
        add_to(L, p + 18, far, read_velocities(L.v, far), x0, x1, x2)


@kernel
def begin_at(L, k, beta):
    """Set y = x + beta d of one row, and d to the way from where the last sweep began; return both"""
    y = load(L.x, k) + beta * load(L.along, k)
    d = y - load(L.begun, k)
    store(L.along, k, d)
    store(L.begun, k, y)
    return y, d


@kernel
def carry_on(L, strip, beta):
    """Set v = v + beta d v for the bodies of a strip, as :func:`begin_at` does for x"""
    v, along, begun = L.v, L.v_along, L.v_begun
    for k in range(ROWS * load(L.owned, 2 * strip), ROWS * load(L.owned, 2 * strip + 1)):
        y = load(v, k) + beta * load(along, k)
        store(along, k, y - load(begun, k))
        store(begun, k, y)
        store(v, k, y)


@called_kernel
def sweep(L, strip):
    """Sweep all contacts of a strip; store how much x changed, its size, and how far the change goes along the momentum"""
    exact, has_momentum, beta = load(L.settings, EXACT), load(L.settings, MOMENTUM), load(L.control, BETA)
    nothing = lift(0.0, load(L.x, 0))
    change, size, along = nothing, nothing, nothing
    if has_momentum == 1:
        carry_on(L, strip, beta)
    for i in range(load(L.begin, strip), load(L.begin, strip + 1)):
        k, p, near, far = 3 * i, 36 * i, places(L.bodies, i, False), places(L.bodies, i, True)
        ask_for_rows(L.J, p + AHEAD, ROWS_OF_GROUP)
        v, w = read_velocities(L.v, near), read_velocities(L.v, far)
        y0, y1, y2, d0, d1, d2 = load(L.x, k), load(L.x, k + 1), load(L.x, k + 2), nothing, nothing, nothing
        if has_momentum == 1:
            y0, d0 = begin_at(L, k, beta)
            y1, d1 = begin_at(L, k + 1, beta)
            y2, d2 = begin_at(L, k + 2, beta)
        u0, u1, u2 = velocity_of(L, i, v, w, y0, y1, y2)
        mu, step = load(L.friction, i), load(L.control, LENGTH) * load(L.rho, i)
        if exact == 1:
            u0 = u0 + mu * sqrt(u1 * u1 + u2 * u2)
        x0, x1, x2 = nearest_in_cone(mu, y0 - step * u0, y1 - step * u1, y2 - step * u2)
        store(L.x, k, x0)
        store(L.x, k + 1, x1)
        store(L.x, k + 2, x2)
        e0, e1, e2 = x0 - y0, x1 - y1, x2 - y2
        add_to(L, p, near, v, e0, e1, e2)
        add_to(L, p + 18, far, w, e0, e1, e2)
        change, size = change + (e0 * e0 + e1 * e1 + e2 * e2), size + (x0 * x0 + x1 * x1 + x2 * x2)
        along = along + (e0 * d0 + e1 * d1 + e2 * d2)
    n = nothing
    store_sums(L, strip, along, change, size, n, n, n, n, n, n)


@called_kernel
def judge(L, strip):
    """Compute velocities, and the sums of the natural map"""
    exact, n = load(L.settings, EXACT), lift(0.0, load(L.x, 0))
    size, distance, motion, offset, lack, held, speed = n, n, n, n, n, n, n
    for i in range(load(L.begin, strip), load(L.begin, strip + 1)):
        k, inverse = 3 * i, load(L.inverse, i)
        x0, x1, x2, b0, b1, b2 = (
            load(L.x, k), load(L.x, k + 1), load(L.x, k + 2), load(L.b, k), load(L.b, k + 1), load(L.b, k + 2),
        )  # fmt: skip
        near, far = places(L.bodies, i, False), places(L.bodies, i, True)
        ask_for_rows(L.J, ROWS_OF_GROUP * i + AHEAD, ROWS_OF_GROUP)
        u0, u1, u2 = velocity_of(L, i, read_velocities(L.v, near), read_velocities(L.v, far), x0, x1, x2)
        store(L.u, k, u0)
        store(L.u, k + 1, u1)
        store(L.u, k + 2, u2)
        away, force = miss(load(L.friction, i), exact, x0, x1, x2, u0, u1, u2)
        distance, size = distance + away, size + force
        motion, offset = motion + (u0 * u0 + u1 * u1 + u2 * u2), offset + (b0 * b0 + b1 * b1 + b2 * b2)
        lack, held = larger(lack, away * inverse * inverse), larger(held, force * inverse * inverse)
        speed = larger(speed, larger(fastest(u0, u1, u2), fastest(b0, b1, b2)) * inverse)
    store_sums(L, strip, n, n, size, distance, motion, offset, lack, held, speed)


@called_kernel
def remember(L, strip):
    """Keep the multipliers as the best, with their velocities"""
    for k in range(3 * load(L.begin, strip), 3 * load(L.begin, strip + 1)):
        store(L.best, k, load(L.x, k))
        store(L.best_u, k, load(L.u, k))


@called_kernel
def over_bodies(L, block, what):
    """Clear the velocities of bodies, or their momentum"""
    first, last = bounds(load(L.settings, BODIES), block, BODY_BLOCK)
    v, along, begun = L.v, L.v_along, L.v_begun
    for k in range(ROWS * first, ROWS * last):
        y = load(v, k)
        if what == CLEAR:
            store(v, k, lift(0.0, y))
        else:
            store(begun, k, y)
            store(along, k, lift(0.0, y))


@called_kernel
def pass_over(L, block):
    """Do one block of the pass that the settings name"""
    what = load(L.settings, PASS)
    if what in (CLEAR, STAND):
        over_bodies(L, block, what)
    elif what == SWEEP:
        sweep(L, block)
    elif what == COLLECT:
        collect(L, block)
    elif what == JUDGE:
        judge(L, block)
    elif what == REMEMBER:
        remember(L, block)
    else:
        start(L, block)
