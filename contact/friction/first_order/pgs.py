"""Projected Gauss-Seidel on blocks, plain and over-relaxed: one contact after the other, with the newest velocities.

    x_i <- P(x_i - w rho_i (N x + b + g)_i),     rho_i = 1 / (largest eigenvalue of N_ii),     0 < w < 2

with w = 1, and larger in the over-relaxed method. The projection is the exact one on the cone, so that steps of any
length end in it. For Coulomb's law g is the shift of the newest velocities of the contact itself: no loop around the
sweeps is needed. Without it each step lowers ``1/2 x'Nx + b'x``, and the sweeps converge.

A change of one contact is added to what it touches: with the matrix to the velocities of the contacts, ``u += N_i'
dx_i``, so that all velocities are known after a sweep; with factors to those of the bodies, ``v += T_i' dx_i``.
Contacts that do not change cost nothing. Rounding gathers in these sums: they are formed anew now and then, and
before a pair is called good enough. The error takes as long to find as a sweep: after many sweeps it is looked at less
often, so that the last look comes at most a sixteenth too late.

With momentum, as of a heavy ball, a sweep S begins farther along the way from where the one before began; velocities are
linear in x, so that theirs come without a product. Where a sweep turns round, the momentum begins anew:

    y_k = S(y_k-1) + b d,     d = y_k-1 - y_k-2,     b = min(t / (t + 3), 0.95),     t <- 0 where d' (S(y_k-1) - y_k-1) < 0

**One contact in a sweep by factors**: most are between two bodies with six velocities each, or one.

    u = J v + compliance x + b,    x+ = P(x - w rho (u + g)),    v += T' (x+ - x)

Six velocities of each body are read once and written once, and stay in registers meanwhile: with the matrix a contact would
change the velocities of all contacts that its bodies have, of which there are ten in a packing.

Source: Jourdan, Alart, Jean, "A Gauss-Seidel like algorithm to solve frictional contact problems" (1998), also
for the projected sweep; the correction inside as in De Saxce and Feng (1998); B. T. Polyak, "Some methods of speeding up the
convergence of iteration methods" (1964), for the momentum; B. O'Donoghue and E. Candes, "Adaptive restart for accelerated
gradient schemes" (2015), for its new beginning. That b grows so: measured on packings. Tasora and Anitescu (2011), for
velocities of bodies in place of the matrix.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.dense.cone_laws import nearest_in_cone
from pluecker.contact.friction.first_order.block_steps import find_steps, project_step
from pluecker.contact.friction.first_order.memory import BEST_U, BEST_X, FREE, MOMENTUM, RELAXATION, RHO, SCRATCH, SPENT
from pluecker.contact.friction.first_order.runner import STILL, evaluate, keep, make_runner
from pluecker.contact.friction.problem.operator import apply, pull, push
from pluecker.contact.friction.problem.sets import project_block
from pluecker.contact.friction.sparse.blocks import multiply_row_transposed
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel, positive
from pluecker.spatial.engine.parallel.interruption_flag import interrupted

__all__ = ["USUAL", "is_between_bodies", "pgs", "psor", "run_pgs", "run_psor", "sweep_contact"]

USUAL = 1.5  # relaxation, unless the caller asks for another one
REFRESH = 100  # sweeps after which the velocities are formed anew
RARER = 16  # of the sweeps so far come between two looks at the error
SELDOM = 6  # sweeps between two looks, of those that go on from others: with 12 the best pair is met too seldom
LARGEST_MOMENTUM = 0.95  # momentum: with 0.9 packings take a tenth more sweeps, with 0.98 some fall into circles
ALONG_X, ALONG_U, BEGUN_X, BEGUN_U = range(FREE + 1, FREE + 5)  # rows of work: d and N d; where the last sweep began


@kernel
def all_velocities(P, x, u, first, last, left, right):
    """u = N x + b, and the velocities of the bodies where there are factors"""
    apply(P.A, x, u, first, last, left, right)
    for k in range(P.K.start[first], P.K.start[last]):
        u[k] += P.b[k]


@kernel
def velocities_of(P, i, x, u):
    """u_i = J_i v + compliance x_i + b_i, with the velocities v of the bodies"""
    pull(P.A, i, x, u)
    for k in range(P.K.start[i], P.K.start[i + 1]):
        u[k] += P.b[k]


@kernel
def sweep(P, exact, g, x, u, first, last, relaxation, rho, d):
    """Sweep all blocks once; return how much x changed, and its size, squared

    With the matrix u is that of x before and after.
    """
    A, K = P.A, P.K
    change, size = 0.0, 0.0
    for i in range(first, last):
        top, bottom = K.start[i], K.start[i + 1]
        if A.is_factored == 1 and is_between_bodies(P, i):
            more, square = sweep_contact(P, i, exact, g[i] * P.s[top], relaxation * rho[top], x)
            change, size = change + more, size + square
            continue
        if A.is_factored == 1:
            velocities_of(P, i, x, u)
        project_step(K, i, exact, g[i] * P.s[top], relaxation * rho[top], x, u, d)
        moved = 0.0
        for k in range(top, bottom):
            new = d[k]
            d[k] = new - x[k]
            x[k] = new
            size += new * new
            moved += d[k] * d[k]
        if moved > 0.0:
            change += moved
            if A.is_factored == 1:
                push(A, i, d)
            else:
                multiply_row_transposed(A.N, i, d, u)
                for k in range(top, bottom):
                    u[k] += A.compliance[k] * d[k]
    return change, size


@kernel
def exchange(x, u, best_x, best_u, top, bottom):
    """Exchange pairs: the best one is the result, the last one, from which sweeps can go on, stays in memory"""
    for k in range(top, bottom):
        x[k], best_x[k] = best_x[k], x[k]
        u[k], best_u[k] = best_u[k], u[k]


@kernel
def moving(P, island, u):
    """Return what moves linearly with x, and is carried on with it, u or velocities of bodies, and its range in there

    Rows of work have place for as many velocities of bodies as there are multipliers; where there are more, the range is
    empty.
    """
    if P.A.is_factored == 0:
        return u, P.K.start[P.islands[island]], P.K.start[P.islands[island + 1]]
    left, right = P.sides[island], P.sides[island + 1]
    return P.A.velocity, left, right if right <= len(u) else left


@kernel
def stand_still(P, x, u, island, work):
    """Clear the momentum: the first sweep begins at this pair"""
    for k in range(P.K.start[P.islands[island]], P.K.start[P.islands[island + 1]]):
        work[ALONG_X, k], work[BEGUN_X, k] = 0.0, x[k]
    v, left, right = moving(P, island, u)
    for k in range(left, right):
        work[ALONG_U, k], work[BEGUN_U, k] = 0.0, v[k]


@kernel
def momentum_at(age):
    """Return the factor b of momentum, ``age`` sweeps after it began anew"""
    return min(age / (age + 3.0), LARGEST_MOMENTUM)


@called_kernel
def carry_on(P, x, u, island, age, work):
    """Move by momentum from the last pair to where the next sweep begins; return how many sweeps since it began anew"""
    first, last = P.islands[island], P.islands[island + 1]
    top, bottom = P.K.start[first], P.K.start[last]
    d, Nd, begun, speed = work[ALONG_X], work[ALONG_U], work[BEGUN_X], work[BEGUN_U]
    along = 0.0
    for k in range(top, bottom):
        along += (x[k] - begun[k]) * d[k]
    age = age + 1.0 if along >= 0.0 else 0.0
    b = momentum_at(age)
    for k in range(top, bottom):
        y = x[k] + b * d[k]
        x[k], d[k], begun[k] = y, y - begun[k], y
    v, left, right = moving(P, island, u)
    for k in range(left, right):
        y = v[k] + b * Nd[k]
        v[k], Nd[k], speed[k] = y, y - speed[k], y
    if left == right:
        all_velocities(P, x, u, first, last, P.sides[island], P.sides[island + 1])
    return age


@called_kernel
def sweeps(P, exact, g, x, u, island, goal, limit, relaxation, memory):
    """Improve one island, to the error ``goal`` or for ``limit`` sweeps; return how many it took

    A sweep counts as one product. The last pair is where the best one was kept.
    """
    work, state, history = memory.work, memory.states[island], memory.history
    K = P.K
    first, last, left, right = P.islands[island], P.islands[island + 1], P.sides[island], P.sides[island + 1]
    top, bottom = K.start[first], K.start[last]
    best_x, best_u, d, rho, scratch = work[BEST_X], work[BEST_U], work[FREE], work[RHO], work[SCRATCH]
    find_steps(P.A, K, first, last, work, rho)
    for i in range(first, last):
        project_block(K, i, x, x)
    all_velocities(P, x, u, first, last, left, right)
    state[SPENT] += 1
    best, used = evaluate(P, g, x, u, exact, first, last, scratch), 0
    keep(x, u, best_x, best_u, top, bottom)
    stand_still(P, x, u, island, work)
    least = max(1, min(int(state[SPENT]) // RARER, SELDOM))
    due, anew, age = least, REFRESH, 0.0
    while used < limit and not best <= goal and not interrupted():
        if state[MOMENTUM] == 1.0:
            age = carry_on(P, x, u, island, age, work)
        used += 1
        change, size = sweep(P, exact, g, x, u, first, last, relaxation, rho, d)
        state[SPENT] += 1
        still = change <= STILL * STILL * size
        if used < due and used < limit and not still:
            continue
        due, fresh = used + max(least, used // RARER), still or used >= anew
        anew = used + REFRESH if fresh else anew
        error = 0.0
        for _ in range(2):
            if fresh:
                all_velocities(P, x, u, first, last, left, right)
                state[SPENT] += 1
            elif P.A.is_factored == 1:
                for i in range(first, last):
                    velocities_of(P, i, x, u)
            error = evaluate(P, g, x, u, exact, first, last, scratch)
            if fresh or not error <= goal:
                break
            fresh = True
        if not error < 1e300:
            break
        if history.shape[0] > 0:
            history[used] = max(history[used], min(error, best))
        if error < best:
            best = error
            keep(x, u, best_x, best_u, top, bottom)
        if still:
            break
    exchange(x, u, best_x, best_u, top, bottom)
    return used


def pgs(P, exact, g, x, u, island, goal, limit, memory):
    """Gauss-Seidel, see :func:`sweeps`"""
    return sweeps(P, exact, g, x, u, island, goal, limit, 1.0, memory)


def psor(P, exact, g, x, u, island, goal, limit, memory):
    """Over-relaxed, as the caller asks for or as usual, see :func:`sweeps`"""
    asked = memory.states[island, RELAXATION]
    return sweeps(P, exact, g, x, u, island, goal, limit, asked if asked != 0.0 else USUAL, memory)


run_pgs, run_psor = make_runner(pgs, True), make_runner(psor, True)


@kernel
def is_between_bodies(P, i):
    """Return whether block i is a contact of three components on one or two bodies with six velocities, in J as in T"""
    J, T, K = P.A.J, P.A.T, P.K
    if J.width[i] != 6 or T.width[i] != 6 or K.sizes[i, 0] != 2 or K.start[i + 1] - K.start[i] != 3:
        return False
    n, m, count = J.first[i], T.first[i], J.first[i + 1] - J.first[i]
    if not 1 <= count <= 2 or T.first[i + 1] - m != count:
        return False
    return J.column[n] == T.column[m] and J.column[n + count - 1] == T.column[m + count - 1]


@kernel
def row_of(a, p, v0, v1, v2, v3, v4, v5):
    """Multiply a row of a block by six velocities"""
    return (a[p] * v0 + a[p + 1] * v1 + a[p + 2] * v2) + (a[p + 3] * v3 + a[p + 4] * v4 + a[p + 5] * v5)


@kernel
def add_column(a, p, v, d0, d1, d2):
    """Return v plus what three multipliers add to it"""
    return v + (a[p] * d0 + a[p + 6] * d1 + a[p + 12] * d2)


@kernel
def sweep_contact(P, i, exact, shift, step, x):
    """Update block i of x and the velocities of its bodies; return how much x changed, and its size, squared"""
    J, T, v, K = P.A.J, P.A.T, P.A.velocity, P.K
    n, m, top = positive(J.first[i]), positive(T.first[i]), positive(K.start[i])
    two = J.first[i + 1] - J.first[i] == 2
    p, j = positive(J.place[n]), positive(J.columns[positive(J.column[n])])
    v0, v1, v2, v3, v4, v5 = v[j], v[j + 1], v[j + 2], v[j + 3], v[j + 4], v[j + 5]
    a = P.b[top] + row_of(J.data, p, v0, v1, v2, v3, v4, v5)
    b = P.b[top + 1] + row_of(J.data, p + 6, v0, v1, v2, v3, v4, v5)
    c = P.b[top + 2] + row_of(J.data, p + 12, v0, v1, v2, v3, v4, v5)
    k, w0, w1, w2, w3, w4, w5 = j, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if two:
        q, k = positive(J.place[n + 1]), positive(J.columns[positive(J.column[n + 1])])
        w0, w1, w2, w3, w4, w5 = v[k], v[k + 1], v[k + 2], v[k + 3], v[k + 4], v[k + 5]
        a += row_of(J.data, q, w0, w1, w2, w3, w4, w5)
        b += row_of(J.data, q + 6, w0, w1, w2, w3, w4, w5)
        c += row_of(J.data, q + 12, w0, w1, w2, w3, w4, w5)
    x0, x1, x2, mu = x[top], x[top + 1], x[top + 2], K.friction[i, 0]
    if P.A.is_soft == 1:
        a, b, c = a + P.A.compliance[top] * x0, b + P.A.compliance[top + 1] * x1, c + P.A.compliance[top + 2] * x2
    g = shift + mu * np.sqrt(b * b + c * c) if exact == 1 else shift
    y0, y1, y2 = nearest_in_cone(mu, x0 - step * (a + g), x1 - step * b, x2 - step * c)
    d0, d1, d2 = y0 - x0, y1 - x1, y2 - x2
    x[top], x[top + 1], x[top + 2] = y0, y1, y2
    p = positive(T.place[m])
    v[j], v[j + 1] = add_column(T.data, p, v0, d0, d1, d2), add_column(T.data, p + 1, v1, d0, d1, d2)
    v[j + 2], v[j + 3] = add_column(T.data, p + 2, v2, d0, d1, d2), add_column(T.data, p + 3, v3, d0, d1, d2)
    v[j + 4], v[j + 5] = add_column(T.data, p + 4, v4, d0, d1, d2), add_column(T.data, p + 5, v5, d0, d1, d2)
    if two:
        q = positive(T.place[m + 1])
        v[k], v[k + 1] = add_column(T.data, q, w0, d0, d1, d2), add_column(T.data, q + 1, w1, d0, d1, d2)
        v[k + 2], v[k + 3] = add_column(T.data, q + 2, w2, d0, d1, d2), add_column(T.data, q + 3, w3, d0, d1, d2)
        v[k + 4], v[k + 5] = add_column(T.data, q + 4, w4, d0, d1, d2), add_column(T.data, q + 5, w5, d0, d1, d2)
    return d0 * d0 + d1 * d1 + d2 * d2, y0 * y0 + y1 * y1 + y2 * y2
