"""Accelerated projected gradient descent.

Nesterov's method on ``min 1/2 x'Nx + b'x`` over K, with one product of the operator an iteration: N is linear, so that
``N y+ = N x+ + beta (N x+ - N x)`` needs no product of its own.

    x+ = P(y - t (N y + b + g)),     shorter steps t until (x+ - y)' N (x+ - y) <= |x+ - y|^2 / t
    y+ = x+ + beta (x+ - x),         beta = 0 when the step goes uphill: (N y + b + g) . (x+ - x) > 0

What beta is otherwise, is the momentum that the caller asks for:

    full        beta = 1
    nesterov    beta = theta (1 - theta) / (theta^2 + theta+),  theta+ = (- theta^2 + theta sqrt(theta^2 + 4)) / 2,
                with theta = 1 at first and after each step that went uphill

The second is that of the paper. To 1e-6 the first, with the same restarts, takes 0.66 to 1.2 times as many iterations on
the published problems in the convex law, 0.59 to 0.84 times in Coulomb's; it is used unless the caller asks for the other
(measured: table of iterations in ``benchmarks/results/contact.md``).

The test of the step is the exact form, for a quadratic function, of the one with function values in the paper; it does not
suffer from cancellation. The pair with the smallest error is kept.

A large problem does not fit into the caches, and an iteration takes as long as its memory takes to pass. So there are two
passes only: one makes the new multipliers, one their velocities and all sums; ``y`` and ``N y`` are not stored.

Source: Mazhar, Heyn, Negrut, Tasora, Using Nesterov's method to accelerate multibody dynamics with friction and
contact, ACM Transactions on Graphics 34 (2015), algorithm APGD. The restart is that of O'Donoghue and Candes (2015), the
full momentum as in Liang, Luo, Schoenlieb (2022). Source document 004, docs/sources.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.first_order.memory import FREE, NESTEROV, OWN, SCRATCH, SPENT, STEP
from pluecker.contact.friction.first_order.runner import STILL, evaluate, make_runner
from pluecker.contact.friction.problem.natural_map import distance_block, larger, relative_map
from pluecker.contact.friction.problem.operator import apply, clear, pull, push
from pluecker.contact.friction.problem.sets import length, project_block
from pluecker.spatial.engine.compiled.decorators import kernel, positive
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.functions.elementwise import Array

__all__ = ["apgd", "run_apgd"]

LONGER = 0.98  # of the Lipschitz constant after each iteration: steps grow again
# Sums of an iteration, in the state from OWN on.
SQUARE, CURVATURE, UPHILL, CHANGE, SIZE, DISTANCE, MOTION, OFFSET, LACK, HELD, SPEED = range(11)


class Point(NamedTuple):
    """Scaled multipliers of all islands and what the operator makes of them, ``(m,)``."""

    x: Array
    Nx: Array


@kernel
def step(P, g, now, old, beta, t, new, island):
    """new = P(y - t (N y + b + g)) with y = now + beta (now - old), and its velocities of bodies"""
    A, K, b = P.A, P.K, P.b
    x, Nx, x0, Nx0 = now.x, now.Nx, old.x, old.Nx
    clear(A, P.sides[island], P.sides[island + 1])
    for i in range(P.islands[island], P.islands[island + 1]):
        top, bottom = positive(K.start[i]), positive(K.start[i + 1])
        for k in range(top, bottom):
            y, Ny = x[k] + beta * (x[k] - x0[k]), Nx[k] + beta * (Nx[k] - Nx0[k])
            new[k] = y - t * (Ny + b[k])
        new[top] -= t * g[i] * P.s[top]
        project_block(K, i, new, new)
        push(A, i, new)


@kernel
def look(P, g, now, old, beta, new, island, work, sums):
    """Compute N new, and the sums that say what becomes of it

    Of the natural map only the distance is that of other methods: the velocities of new are nowhere stored.
    """
    A, K, b = P.A, P.K, P.b
    x, Nx, x0, Nx0, xn, Nxn = now.x, now.Nx, old.x, old.Nx, new.x, new.Nx
    square, curvature, uphill, change, size = 0.0, 0.0, 0.0, 0.0, 0.0
    error, motion, offset, lack, held, speed = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(P.islands[island], P.islands[island + 1]):
        top, bottom = positive(K.start[i]), positive(K.start[i + 1])
        pull(A, i, xn, Nxn)
        inverse, shift = 1.0 / P.s[top], g[i] * P.s[top]
        force, largest = 0.0, 0.0
        uphill += shift * (xn[top] - x[top])
        for k in range(top, bottom):
            Ny = Nx[k] + beta * (Nx[k] - Nx0[k])
            moved, d = xn[k] - x[k], xn[k] - x[k] - beta * (x[k] - x0[k])
            square += d * d
            curvature += d * (Nxn[k] - Ny)
            uphill += (Ny + b[k]) * moved
            change += moved * moved
            u = Nxn[k] + b[k]
            force += xn[k] * xn[k]
            motion += u * u
            offset += b[k] * b[k]
            largest = max(largest, abs(u), abs(b[k]))
            work[k] = xn[k] - u
        work[top] -= shift
        part = distance_block(K, i, xn, work, work)
        error, size = error + part, size + force
        lack, held = max(lack, part * inverse * inverse), max(held, force * inverse * inverse)
        speed = max(speed, largest * inverse)
    sums[SQUARE], sums[CURVATURE], sums[UPHILL], sums[CHANGE] = square, curvature, uphill, change
    sums[SIZE], sums[DISTANCE], sums[MOTION], sums[OFFSET] = size, error, motion, offset
    sums[LACK], sums[HELD], sums[SPEED] = lack, held, speed


@kernel
def give(point, b, x, u, top, bottom):
    """Copy a point's multipliers, and u = N x + b"""
    for k in range(top, bottom):
        x[k], u[k] = point.x[k], point.Nx[k] + b[k]


@kernel
def first_lipschitz(P, y, Ny, island):
    """Estimate the Lipschitz constant from below, by |N 1| / |1|"""
    first, last = P.islands[island], P.islands[island + 1]
    top, bottom = P.K.start[first], P.K.start[last]
    y[top:bottom] = 1.0
    apply(P.A, y, Ny, first, last, P.sides[island], P.sides[island + 1])
    return max(length(Ny, top, bottom - top) / np.sqrt(bottom - top), 1e-3)


@kernel
def momentum(theta, nesterov):
    """Return beta, and theta of the next iteration"""
    if nesterov == 0.0:
        return 1.0, theta
    square = theta * theta
    after = 0.5 * (theta * np.sqrt(square + 4.0) - square)
    return theta * (1.0 - theta) / (square + after), after


def apgd(P, exact, g, x, u, island, goal, limit, memory):
    """Improve one island, to the error ``goal`` or for ``limit`` iterations; return how many it took

    What it remembers as its step is the Lipschitz constant.
    """
    first, last = P.islands[island], P.islands[island + 1]
    top, bottom = P.K.start[first], P.K.start[last]
    work, state, history = memory.work, memory.states[island], memory.history
    sums, scratch = state[OWN:], work[SCRATCH]
    now, old = Point(work[FREE], work[FREE + 1]), Point(work[FREE + 2], work[FREE + 3])
    new = Point(work[FREE + 4], work[FREE + 5])
    if state[STEP] == 0.0:
        state[STEP] = first_lipschitz(P, now.x, now.Nx, island)
        state[SPENT] += 1
    for i in range(first, last):
        project_block(P.K, i, x, x)
    apply(P.A, x, now.Nx, first, last, P.sides[island], P.sides[island + 1])
    state[SPENT] += 1
    for k in range(top, bottom):
        now.x[k], old.x[k], old.Nx[k] = x[k], x[k], now.Nx[k]
    give(now, P.b, x, u, top, bottom)
    best, beta = evaluate(P, g, x, u, exact, first, last, scratch), 0.0
    L, theta, used, held = state[STEP], 1.0, 0, True
    while used < limit and not best <= goal and not interrupted():
        used += 1
        while True:
            step(P, g, now, old, beta, 1.0 / L, new.x, island)
            look(P, g, now, old, beta, new, island, scratch, sums)
            state[SPENT] += 1
            square, curvature = sums[SQUARE], sums[CURVATURE]
            if not curvature > L * square * (1.0 + 1e-12) or square == 0.0 or not L < 1e300:
                break
            L = max(2.0 * L, curvature / square)
        error = relative_map(sums[DISTANCE], max(sums[OFFSET], sums[SIZE], sums[MOTION]))
        error = larger(error, np.sqrt(sums[LACK]), np.sqrt(sums[HELD]), sums[SPEED])
        if not error < np.inf:
            break
        if error < best:
            best, held = error, False  # in ``new``, which becomes ``now``; copied when a worse one comes
        elif not held:
            give(now, P.b, x, u, top, bottom)
            held = True
        if history.shape[0] > 0:
            history[used] = max(history[used], best)
        beta, theta = momentum(theta, state[NESTEROV])
        if sums[UPHILL] > 0.0:
            beta, theta = 0.0, 1.0
        now, old, new = new, now, old
        least = STILL * STILL * sums[SIZE]
        if sums[CHANGE] <= least and square <= least:
            break
        L = max(LONGER * L, 1e-300)
    if not held:
        give(now, P.b, x, u, top, bottom)
    state[STEP] = L
    return used


run_apgd = make_runner(apgd, False)
