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
from pluecker.contact.first_order.memory import BEST_U, BEST_X, FREE, RELAXATION, RHO, SCRATCH, SPENT, STEP
from pluecker.contact.first_order.runner import STILL, evaluate, keep, make_runner
from pluecker.contact.problem.operator import apply
from pluecker.contact.problem.sets import project_block
from pluecker.spatial.parallel.interruption_flag import interrupted

__all__ = ["jacobi", "run_jacobi"]

USUAL = 1.5  # relaxation, unless the caller asks for another one
SAFE = 1.9  # the largest w that L may turn a step into before it is made again


def jacobi(P, exact, g, x, u, island, goal, limit, memory):
    """One island, to the error ``goal`` or for ``limit`` iterations; how many it took

    What it remembers as its step is L.
    """
    work, state, history = memory.work, memory.states[island], memory.history
    A, K, b = P.A, P.K, P.b
    first, last, left, right = P.islands[island], P.islands[island + 1], P.sides[island], P.sides[island + 1]
    top, bottom = K.start[first], K.start[last]
    best_x, best_u, new, after = work[BEST_X], work[BEST_U], work[FREE], work[FREE + 1]
    rho, scratch = work[RHO], work[SCRATCH]
    w = state[RELAXATION] if state[RELAXATION] != 0.0 else USUAL
    find_steps(A, K, first, last, work, rho)
    for i in range(first, last):
        project_block(K, i, x, x)
    apply(A, x, u, first, last, left, right)
    state[SPENT] += 1
    for k in range(top, bottom):
        u[k] += b[k]
    best, used = evaluate(P, g, x, u, exact, first, last, scratch), 0
    keep(x, u, best_x, best_u, top, bottom)
    L = max(state[STEP], 1.0)
    while used < limit and not best <= goal and not interrupted():
        used += 1
        change, size = 0.0, 0.0
        while True:
            for i in range(first, last):
                project_step(K, i, exact, g[i] * P.s[K.start[i]], w / L * rho[K.start[i]], x, u, new)
            apply(A, new, after, first, last, left, right)
            state[SPENT] += 1
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
            if curvature > L * square and square > 0.0 and change > STILL * size:
                L = curvature / square
            if not w * L > max(SAFE, w) * before or not L < 1e300:
                break
        error = evaluate(P, g, new, after, exact, first, last, scratch)
        if not error < 1e300:
            break
        keep(new, after, x, u, top, bottom)
        if history.shape[0] > 0:
            history[used] = max(history[used], min(error, best))
        if error < best:
            best = error
            keep(x, u, best_x, best_u, top, bottom)
        if change <= STILL * STILL * size:
            break
    keep(best_x, best_u, x, u, top, bottom)
    state[STEP] = L
    return used


run_jacobi = make_runner(jacobi, True)
