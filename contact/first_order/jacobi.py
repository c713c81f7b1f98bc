"""Projected Jacobi on blocks: all contacts at once, each with the velocities before, damped so that it converges.

    x+_i = P(x_i - (w / L) rho_i (N x + b + g)_i),     rho_i = 1 / (largest eigenvalue of N_ii)

``L`` is the largest value that ``d'Nd / sum |d_i|^2 / rho_i`` took, d being the steps so far: it tends from below to
the largest eigenvalue of the operator with its blocks scaled, at most the number of blocks in a row. A step that L
turns out to be too small for, so that the energy would not fall, is made again. So for the convex law each step with
``0 < w < 2`` lowers ``1/2 x'Nx + b'x``. For Coulomb's law g is the shift of the velocities themselves.

Source: Tasora, Anitescu, "A matrix-free cone complementarity approach for solving large-scale, nonsmooth, rigid body
dynamics" (2011), for the block step; the damping is derived here from the descent lemma.
"""

from __future__ import annotations

from pluecker.contact.first_order.block_steps import find_steps, project_step
from pluecker.contact.first_order.runner import evaluate, keep, make_runner
from pluecker.contact.problem.operator import apply
from pluecker.contact.problem.sets import project_block

__all__ = ["RELAXATION", "jacobi", "run_jacobi"]

RELAXATION = 1.5  # w, unless options say another one
SAFE = 1.9  # the largest w that L may turn a step into before it is made again
STALLED = 1e-15  # relative change of the multipliers


def jacobi(P, exact, g, x, u, island, goal, limit, options, state, work, history, done):
    """One island, to the natural map ``goal`` or for ``limit`` iterations; how many it took

    ``state``: L, 0 at the beginning, and the products so far.
    """
    A, K, b = P.A, P.K, P.b
    first, last, left, right = P.islands[island], P.islands[island + 1], P.sides[island], P.sides[island + 1]
    top, bottom = K.start[first], K.start[last]
    best_x, best_u, new, after, rho = work[3], work[4], work[5], work[6], work[11]
    w = options[0] if options[0] != 0.0 else RELAXATION
    find_steps(A, K, first, last, work, rho)
    for i in range(first, last):
        project_block(K, i, x, x)
    apply(A, x, u, first, last, left, right)
    state[1] += 1
    for k in range(top, bottom):
        u[k] += b[k]
    best, used = evaluate(P, g, x, u, exact, first, last, work[2]), 0
    keep(x, u, best_x, best_u, top, bottom)
    L = max(state[0], 1.0)
    while used < limit and not best <= goal:
        used += 1
        change, size = 0.0, 0.0
        while True:
            for i in range(first, last):
                project_step(K, i, exact, g[i] * P.s[K.start[i]], w / L * rho[K.start[i]], x, u, new)
            apply(A, new, after, first, last, left, right)
            state[1] += 1
            curvature, square, change, size = 0.0, 0.0, 0.0, 0.0
            for i in range(first, last):
                head, s = K.start[i], 0.0
                for k in range(head, K.start[i + 1]):
                    d = new[k] - x[k]
                    after[k] += b[k]
                    s += d * d
                    curvature += d * (after[k] - u[k])
                    size += new[k] * new[k]
                square += s / rho[head]
                change += s
            before = L
            if curvature > L * square and square > 0.0 and change > STALLED * size:
                L = curvature / square
            if not w * L > max(SAFE, w) * before or not L < 1e300:
                break
        error = evaluate(P, g, new, after, exact, first, last, work[2])
        if not error < 1e300:
            break
        keep(new, after, x, u, top, bottom)
        if history.shape[0] > 0:
            history[done + used] = max(history[done + used], min(error, best))
        if error < best:
            best = error
            keep(x, u, best_x, best_u, top, bottom)
        if change <= STALLED * STALLED * size:
            break
    keep(best_x, best_u, x, u, top, bottom)
    state[0] = L
    return used


run_jacobi = make_runner(jacobi, True)
