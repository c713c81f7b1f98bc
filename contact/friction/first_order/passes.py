"""Passes of threads over the blocks of a large island: contacts in lanes, a block of them at a time.

====================  ===============================================================================================
pass                  what it does with a block of contacts, or of bodies
====================  ===============================================================================================
``begin``             x = P(x), and the size of b
``step``              x+ = P(y - t (N y + b + g)), with y = x + beta (x - x-)
``collect``           the velocities of bodies, v = T' x: each body adds up what its contacts do
``multiply``          N x = J v + compliance x, and |N x|^2
``look``              the same for x+, and the sums that say what becomes of a step
``evaluate``          the sums of the natural map
``shift``             g + step (De Saxce's correction of u - g)
====================  ===============================================================================================

No two blocks write to the same place, and sums are kept block by block, to be added in their order: so that the result does
not depend on which thread did which block. The formulas are those of :mod:`~pluecker.contact.friction.first_order.apgd`,
:mod:`~pluecker.contact.friction.problem.natural_map` and :mod:`~pluecker.contact.friction.problem.sets` for contacts with
friction alone.
"""

from __future__ import annotations

from pluecker.contact.friction.first_order.large_record import (
    AT,
    BETA,
    BODY_GROUPS,
    COLLECT,
    EVALUATE,
    EXACT,
    GROUPS,
    LENGTH,
    LOOK,
    MULTIPLY,
    NEW,
    NOW,
    OLD,
    PASS,
    SHIFT,
    SOFT,
    STEP,
    TAKEN,
    VECTOR,
    WHOLE,
    bounds,
    fastest,
    larger_of,
    miss,
    multipliers,
    nearest,
    product,
    store_sums,
)  # fmt: skip
from pluecker.contact.friction.sparse.gather import BLOCK, BODY_BLOCK, W, gather, places
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.ahead import ask_for_rows
from pluecker.spatial.engine.scalars.operations import lift, load, part, sqrt, store

__all__ = ["pass_over"]

# Rows of J for a group of contacts, of T for a group of bodies; they are asked for AHEAD of being read.
HEIGHT, BLOCK_ROWS, AHEAD = 36, 18, 4 * 36


@called_kernel
def begin(L, block):
    """x = P(x); |b|^2 and its largest component, as a velocity"""
    first, last = bounds(load(L.settings, GROUPS), block, BLOCK)
    x, b = multipliers(L, load(L.settings, AT)), L.b
    nothing = lift(0.0, load(b, 0))
    offset, speed = nothing, nothing
    for i in range(first, last):
        k = 3 * i
        x0, x1, x2 = nearest(load(L.friction, i), load(x, k), load(x, k + 1), load(x, k + 2))
        store(x, k, x0)
        store(x, k + 1, x1)
        store(x, k + 2, x2)
        b0, b1, b2 = load(b, k), load(b, k + 1), load(b, k + 2)
        offset = offset + (b0 * b0 + b1 * b1 + b2 * b2)
        speed = larger_of(speed, fastest(b0, b1, b2) * load(L.inverse, i))
    n = nothing
    store_sums(L, block, n, n, n, n, n, n, n, offset, n, n, speed)


@called_kernel
def step(L, block):
    """x+ = P(y - t (N y + b + g)) with y = x + beta (x - x-)"""
    first, last = bounds(load(L.settings, GROUPS), block, BLOCK)
    t, beta = load(L.control, LENGTH), load(L.control, BETA)
    now, old, new = load(L.settings, NOW), load(L.settings, OLD), load(L.settings, NEW)
    x, Nx, x_old, Nx_old, x_new = (
        multipliers(L, now), product(L, now), multipliers(L, old), product(L, old), multipliers(L, new),
    )  # fmt: skip
    for i in range(first, last):
        k = 3 * i
        z0 = ahead(x, x_old, beta, k) - t * (ahead(Nx, Nx_old, beta, k) + load(L.b, k) + load(L.g, i))
        z1 = ahead(x, x_old, beta, k + 1) - t * (ahead(Nx, Nx_old, beta, k + 1) + load(L.b, k + 1))
        z2 = ahead(x, x_old, beta, k + 2) - t * (ahead(Nx, Nx_old, beta, k + 2) + load(L.b, k + 2))
        y0, y1, y2 = nearest(load(L.friction, i), z0, z1, z2)
        store(x_new, k, y0)
        store(x_new, k + 1, y1)
        store(x_new, k + 2, y2)


@kernel
def ahead(x, x_old, beta, k):
    """y = x + beta (x - x-)"""
    now = load(x, k)
    return now + beta * (now - load(x_old, k))


@called_kernel
def collect(L, block):
    """v = T' x, body by body"""
    first, last = bounds(load(L.settings, BODY_GROUPS), block, BODY_BLOCK)
    n = load(L.settings, VECTOR) * W
    x = part(L.flat_work, 2 * load(L.settings, AT) * n, n)
    for j in range(first, last):
        a0 = lift(0.0, load(L.v, 0))
        a1, a2, a3, a4, a5 = a0, a0, a0, a0, a0
        for k in range(load(L.first, j), load(L.first, j + 1)):
            where, p = places(L.contacts, k // 2, k % 2 == 1), BLOCK_ROWS * k
            ask_for_rows(L.T, p + AHEAD, BLOCK_ROWS)
            f, g, h = gather(x, where, 0), gather(x, where, W), gather(x, where, 2 * W)
            a0 = a0 + load(L.T, p) * f + load(L.T, p + 6) * g + load(L.T, p + 12) * h
            a1 = a1 + load(L.T, p + 1) * f + load(L.T, p + 7) * g + load(L.T, p + 13) * h
            a2 = a2 + load(L.T, p + 2) * f + load(L.T, p + 8) * g + load(L.T, p + 14) * h
            a3 = a3 + load(L.T, p + 3) * f + load(L.T, p + 9) * g + load(L.T, p + 15) * h
            a4 = a4 + load(L.T, p + 4) * f + load(L.T, p + 10) * g + load(L.T, p + 16) * h
            a5 = a5 + load(L.T, p + 5) * f + load(L.T, p + 11) * g + load(L.T, p + 17) * h
        v = part(L.v, 6 * j, 6)
        store(v, 0, a0)
        store(v, 1, a1)
        store(v, 2, a2)
        store(v, 3, a3)
        store(v, 4, a4)
        store(v, 5, a5)


@kernel
def six(a, p, v0, v1, v2, v3, v4, v5):
    """Multiply one row of a block by a velocity"""
    near = load(a, p) * v0 + load(a, p + 1) * v1 + load(a, p + 2) * v2
    return near + (load(a, p + 3) * v3 + load(a, p + 4) * v4 + load(a, p + 5) * v5)


@kernel
def of_body(L, i, side):
    """Compute J v of the contacts of group i, of one of their bodies"""
    where, p, v, J = places(L.bodies, i, side == 1), HEIGHT * i + 18 * side, L.flat_v, L.J
    v0, v1, v2 = gather(v, where, 0), gather(v, where, W), gather(v, where, 2 * W)
    v3, v4, v5 = gather(v, where, 3 * W), gather(v, where, 4 * W), gather(v, where, 5 * W)
    return (
        six(J, p, v0, v1, v2, v3, v4, v5), six(J, p + 6, v0, v1, v2, v3, v4, v5), six(J, p + 12, v0, v1, v2, v3, v4, v5),
    )  # fmt: skip


@kernel
def rows_of_product(L, i, x, out):
    """Compute N x = J v + compliance x of group i"""
    k = 3 * i
    ask_for_rows(L.J, HEIGHT * i + AHEAD, HEIGHT)
    a0, a1, a2 = of_body(L, i, 0)
    c0, c1, c2 = of_body(L, i, 1)
    a0, a1, a2 = a0 + c0, a1 + c1, a2 + c2
    if load(L.settings, SOFT) == 1:
        a0 = a0 + load(L.soft, k) * load(x, k)
        a1 = a1 + load(L.soft, k + 1) * load(x, k + 1)
        a2 = a2 + load(L.soft, k + 2) * load(x, k + 2)
    store(out, k, a0)
    store(out, k + 1, a1)
    store(out, k + 2, a2)


@called_kernel
def multiply(L, block):
    """Compute N x, and |N x|^2"""
    first, last = bounds(load(L.settings, GROUPS), block, BLOCK)
    at = load(L.settings, AT)
    x, out = multipliers(L, at), product(L, at)
    n = lift(0.0, load(x, 0))
    square = n
    for i in range(first, last):
        rows_of_product(L, i, x, out)
        for k in range(3 * i, 3 * i + 3):
            square = square + load(out, k) * load(out, k)
    store_sums(L, block, square, n, n, n, n, n, n, n, n, n, n)


@kernel
def along(x, Nx, x_old, Nx_old, x_new, Nx_new, b, beta, k):
    """Return, of one row, x+, how far it moved, its velocity, and its parts of d'd, d'N d and the slope; d = x+ - y"""
    now, new, N_new = load(x, k), load(x_new, k), load(Nx_new, k)
    Ny, moved = ahead(Nx, Nx_old, beta, k), new - now
    d = moved - beta * (now - load(x_old, k))
    return new, moved, N_new + load(b, k), d * d, d * (N_new - Ny), (Ny + load(b, k)) * moved


@called_kernel
def look(L, block):
    """Compute N x+, and the sums of :func:`~pluecker.contact.friction.first_order.apgd.look`"""
    first, last = bounds(load(L.settings, GROUPS), block, BLOCK)
    beta, now, old, new = load(L.control, BETA), load(L.settings, NOW), load(L.settings, OLD), load(L.settings, NEW)
    x, Nx, x_old, Nx_old = multipliers(L, now), product(L, now), multipliers(L, old), product(L, old)
    x_new, Nx_new = multipliers(L, new), product(L, new)
    square = lift(0.0, load(x, 0))
    curvature, uphill, change, size, distance, motion = square, square, square, square, square, square
    none, lack, held, speed = square, square, square, square
    for i in range(first, last):
        rows_of_product(L, i, x_new, Nx_new)
        k, g, inverse, mu = 3 * i, load(L.g, i), load(L.inverse, i), load(L.friction, i)
        x0, m0, u0, s0, c0, h0 = along(x, Nx, x_old, Nx_old, x_new, Nx_new, L.b, beta, k)
        x1, m1, u1, s1, c1, h1 = along(x, Nx, x_old, Nx_old, x_new, Nx_new, L.b, beta, k + 1)
        x2, m2, u2, s2, c2, h2 = along(x, Nx, x_old, Nx_old, x_new, Nx_new, L.b, beta, k + 2)
        square, curvature, uphill = (
            square + (s0 + s1 + s2),
            curvature + (c0 + c1 + c2),
            uphill + (g * m0 + h0 + h1 + h2),
        )
        change = change + (m0 * m0 + m1 * m1 + m2 * m2)
        motion = motion + (u0 * u0 + u1 * u1 + u2 * u2)
        force = x0 * x0 + x1 * x1 + x2 * x2
        p0, p1, p2 = nearest(mu, x0 - u0 - g, x1 - u1, x2 - u2)
        away = (x0 - p0) * (x0 - p0) + (x1 - p1) * (x1 - p1) + (x2 - p2) * (x2 - p2)
        distance, size = distance + away, size + force
        lack, held = larger_of(lack, away * inverse * inverse), larger_of(held, force * inverse * inverse)
        speed = larger_of(speed, fastest(u0, u1, u2) * inverse)
    store_sums(L, block, square, curvature, uphill, change, size, distance, motion, none, lack, held, speed)


@called_kernel
def evaluate(L, block):
    """Compute the sums of the natural map, with WHOLE the shift g, with EXACT the correction of u"""
    first, last = bounds(load(L.settings, GROUPS), block, BLOCK)
    at, exact, whole = load(L.settings, AT), load(L.settings, EXACT), load(L.settings, WHOLE)
    x, Nx, b = multipliers(L, at), product(L, at), L.b
    n = lift(0.0, load(x, 0))
    size, distance, motion, offset, lack, held, speed = n, n, n, n, n, n, n
    for i in range(first, last):
        k, inverse, mu = 3 * i, load(L.inverse, i), load(L.friction, i)
        x0, x1, x2, b0, b1, b2 = load(x, k), load(x, k + 1), load(x, k + 2), load(b, k), load(b, k + 1), load(b, k + 2)
        u0, u1, u2 = load(Nx, k) + b0, load(Nx, k + 1) + b1, load(Nx, k + 2) + b2
        away, force = miss(mu, exact, load(L.g, i) * whole, x0, x1, x2, u0, u1, u2)
        distance, size = distance + away, size + force
        motion, offset = motion + (u0 * u0 + u1 * u1 + u2 * u2), offset + (b0 * b0 + b1 * b1 + b2 * b2)
        lack, held = larger_of(lack, away * inverse * inverse), larger_of(held, force * inverse * inverse)
        speed = larger_of(speed, larger_of(fastest(u0, u1, u2), fastest(b0, b1, b2)) * inverse)
    store_sums(L, block, n, n, n, n, size, distance, motion, offset, lack, held, speed)


@called_kernel
def shift(L, block):
    """g + step (what the velocities make - g), scaled"""
    first, last = bounds(load(L.settings, GROUPS), block, BLOCK)
    Nx, taken = product(L, load(L.settings, AT)), load(L.control, TAKEN)
    for i in range(first, last):
        k = 3 * i
        u1, u2 = load(Nx, k + 1) + load(L.b, k + 1), load(Nx, k + 2) + load(L.b, k + 2)
        g = load(L.g, i)
        store(L.g, i, g + taken * (load(L.friction, i) * sqrt(u1 * u1 + u2 * u2) - g))


@called_kernel
def pass_over(L, block):
    """Do one block of the pass that the settings name"""
    what = load(L.settings, PASS)
    if what == STEP:
        step(L, block)
    elif what == COLLECT:
        collect(L, block)
    elif what == LOOK:
        look(L, block)
    elif what == MULTIPLY:
        multiply(L, block)
    elif what == EVALUATE:
        evaluate(L, block)
    elif what == SHIFT:
        shift(L, block)
    else:
        begin(L, block)
