"""Accelerated projected gradient descent: the default engine of the contact layer.

Nesterov's method on ``min 1/2 x'Nx + b'x`` over K, with one product of the operator an iteration: N is linear, so that
``N y+ = N x+ + beta (N x+ - N x)`` needs no product of its own.

    x+ = P(y - t (N y + b + g)),     shorter steps t until (x+ - y)' N (x+ - y) <= |x+ - y|^2 / t
    y+ = x+ + beta (x+ - x),         beta = 0 when the step goes uphill: (N y + b + g) . (x+ - x) > 0

The test of the step is the exact form, for a quadratic function, of the one with function values in the paper; it does not
suffer from cancellation. The pair with the smallest natural map is kept.

Source: Mazhar, Heyn, Negrut, Tasora, Using Nesterov's method to accelerate multibody dynamics with friction and contact, ACM
Transactions on Graphics 34 (2015); the restart is O'Donoghue and Candes (2015).
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.first_order import evaluate, keep, make_runner
from pluecker.contact.operator import apply
from pluecker.contact.sets import project_block

__all__ = ["apgd", "run_apgd"]

LONGER = 0.9  # of the Lipschitz constant after each iteration: steps grow again
STALLED = 1e-15  # relative change of the multipliers


def apgd(P, exact, g, x, u, island, goal, limit, options, state, work, history, done):
    """One island, to the natural map ``goal`` or for ``limit`` iterations; how many it took

    ``state``: the Lipschitz constant, 0 at the beginning, and the products so far.
    """
    A, K, b = P.A, P.K, P.b
    first, last, left, right = P.islands[island], P.islands[island + 1], P.sides[island], P.sides[island + 1]
    top, bottom = K.start[first], K.start[last]
    old, Nx, y, Ny, new, Nnew = work[5], work[6], work[7], work[8], work[9], work[10]
    if state[0] == 0.0:
        for k in range(top, bottom):
            y[k] = 1.0
        apply(A, y, Ny, first, last, left, right)
        size, total = 0.0, 0.0
        for k in range(top, bottom):
            size += Ny[k] * Ny[k]
            total += 1.0
        state[0] = max(np.sqrt(size / total), 1e-3) if total > 0 else 1.0
        state[1] += 1
    for i in range(first, last):
        project_block(K, i, x, x)
    apply(A, x, Nx, first, last, left, right)
    state[1] += 1
    for k in range(top, bottom):
        u[k] = Nx[k] + b[k]
        old[k], y[k], Ny[k] = x[k], x[k], Nx[k]
    best = evaluate(P, g, x, u, 0, first, last, work[2])
    L, theta, used = state[0], 1.0, 0
    while used < limit and not best <= goal:
        used += 1
        curvature, square = 0.0, 0.0
        while True:
            t = 1.0 / L
            for i in range(first, last):
                head = K.start[i]
                for k in range(head, K.start[i + 1]):
                    new[k] = y[k] - t * (Ny[k] + b[k])
                new[head] -= t * g[i] * P.s[head]
                project_block(K, i, new, new)
            apply(A, new, Nnew, first, last, left, right)
            state[1] += 1
            curvature, square = 0.0, 0.0
            for k in range(top, bottom):
                d = new[k] - y[k]
                square += d * d
                curvature += d * (Nnew[k] - Ny[k])
            if not curvature > L * square * (1.0 + 1e-12) or square == 0.0 or not L < 1e300:
                break
            L = max(2.0 * L, curvature / square)
        for k in range(top, bottom):
            work[11][k] = Nnew[k] + b[k]
        error = evaluate(P, g, new, work[11], 0, first, last, work[2])
        if not error < np.inf:
            break
        if history.shape[0] > 0:
            history[done + used] = max(history[done + used], min(error, best))
        if error < best:
            best = error
            keep(new, work[11], x, u, top, bottom)
        following = 0.5 * theta * (np.sqrt(theta * theta + 4.0) - theta)
        beta = theta * (1.0 - theta) / (theta * theta + following)
        uphill = 0.0
        for i in range(first, last):
            head = K.start[i]
            for k in range(head, K.start[i + 1]):
                uphill += (Ny[k] + b[k]) * (new[k] - old[k])
            uphill += g[i] * P.s[head] * (new[head] - old[head])
        if uphill > 0.0:
            following, beta = 1.0, 0.0
        change, size = 0.0, 0.0
        for k in range(top, bottom):
            d = new[k] - old[k]
            change += d * d
            size += new[k] * new[k]
            y[k], Ny[k] = new[k] + beta * d, Nnew[k] + beta * (Nnew[k] - Nx[k])
            old[k], Nx[k] = new[k], Nnew[k]
        theta = following
        if change <= STALLED * STALLED * size and square <= STALLED * STALLED * size:
            break
        L = max(LONGER * L, 1e-300)
    state[0] = L
    return used


run_apgd = make_runner(apgd, False)
