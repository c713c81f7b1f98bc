"""Spectral projected gradients: steps of Barzilai and Borwein, with a search that lets the energy rise now and then.

    d  = P(x - a (N x + b + g)) - x,      x+ = x + t d,      0 < t <= 1
    a+ = d'd / d'Nd   or   d'Nd / |Z Nd|^2  in turn

The long and the short step of Barzilai and Borwein are inverse eigenvalues of N as the last change saw it. In the
short one, Z leaves out what x cannot follow: blocks that did not change, and the direction that leads out of a disc
on whose rim x is (measured: three times fewer iterations on random problems than with all of Nd). A full step is
taken unless the energy would exceed the largest one of the last few iterations; then t is the one that minimises it
on the way, which a quadratic function tells: ``t = -(N x + b + g)'d / d'Nd``. The only product is N d: the velocities
follow from it, ``u+ = u + t N d``, and are formed anew now and then. The pair with the smallest error is kept.

Sources: Birgin, Martinez, Raydan, "Nonmonotone spectral projected gradient methods on convex sets" (2000); Dai and
Fletcher, "Projected Barzilai-Borwein methods for large-scale box-constrained quadratic programming" (2005), for steps
in turn; Crisci, Ruggiero, Zanni, "Steplength selection in gradient projection methods for box-constrained quadratic
programs" (2019), for Z with bounds, which is taken to cones here.
"""

from __future__ import annotations

from pluecker.contact.friction.first_order.memory import FREE, SCRATCH, SPENT, STEP
from pluecker.contact.friction.first_order.runner import STILL, evaluate, keep, make_runner
from pluecker.contact.friction.problem.operator import apply
from pluecker.contact.friction.problem.sets import DISCS, length, project_block
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel
from pluecker.spatial.engine.parallel.interruption_flag import interrupted

__all__ = ["barzilai_borwein", "run_barzilai_borwein"]

MEMORY = 50  # iterations whose energies a new one is compared with
SUFFICIENT_DECREASE = 1e-4  # of the decrease that the slope promises
SHORTEST, LONGEST = 1e-10, 1e10  # of the steps
REFRESH = 100  # iterations after which the velocities are formed anew
RIM = 1e-12  # relative distance from the rim of a disc that is none


@allocation_free_kernel
def square_inside(K, i, x, y):
    """|Z y|^2 of one block: y less its parts across the rims that x is on"""
    top, square, row = K.start[i], 0.0, K.start[i] + 1
    for k in range(top, K.start[i + 1]):
        square += y[k] * y[k]
    for disc in range(DISCS):
        n, mu = K.sizes[i, disc], K.friction[i, disc]
        if n > 0:
            size = length(x, row, n)
            if size > 0.0 and size >= mu * x[top] * (1.0 - RIM):
                across = -mu * y[top]
                for k in range(row, row + n):
                    across += x[k] / size * y[k]
                square -= across * across / (1.0 + mu * mu)
            row += n
    return max(square, 0.0)


def barzilai_borwein(P, exact, g, x, u, island, goal, limit, memory):
    """Improve one island, to the error ``goal`` or for ``limit`` iterations; return how many it took"""
    work, state, history = memory.work, memory.states[island], memory.history
    A, K, b = P.A, P.K, P.b
    first, last, left, right = P.islands[island], P.islands[island + 1], P.sides[island], P.sides[island + 1]
    top, bottom = K.start[first], K.start[last]
    now, v, d, Nd = work[FREE], work[FREE + 1], work[FREE + 2], work[FREE + 3]
    energies, scratch = work[FREE + 4], work[SCRATCH]
    for i in range(first, last):
        project_block(K, i, x, x)
    apply(A, x, u, first, last, left, right)
    state[SPENT] += 1
    for k in range(top, bottom):
        u[k] += b[k]
        now[k], v[k] = x[k], u[k]
    best, used = evaluate(P, g, x, u, exact, first, last, scratch), 0
    energy, memory = 0.0, min(MEMORY, bottom - top)
    for k in range(memory):
        energies[top + k] = 0.0
    a = state[STEP] if state[STEP] > 0.0 else 1.0
    while used < limit and not best <= goal and not interrupted():
        used += 1
        for i in range(first, last):
            head = K.start[i]
            for k in range(head, K.start[i + 1]):
                d[k] = now[k] - a * v[k]
            d[head] -= a * g[i] * P.s[head]
            project_block(K, i, d, d)
        slope, square, size = 0.0, 0.0, 0.0
        for i in range(first, last):
            head = K.start[i]
            for k in range(head, K.start[i + 1]):
                d[k] -= now[k]
                slope += v[k] * d[k]
                square += d[k] * d[k]
                size += now[k] * now[k]
            slope += g[i] * P.s[head] * d[head]
        slope = min(slope, -square / a)  # as for every projection; what rounding makes of it is not small
        still = square <= STILL * STILL * size
        fresh = still or used % REFRESH == 0
        t, curvature, bend = 0.0, 0.0, 0.0
        if not still:
            apply(A, d, Nd, first, last, left, right)
            state[SPENT] += 1
            for k in range(top, bottom):
                curvature += d[k] * Nd[k]
            highest = energies[top]
            for k in range(1, memory):
                highest = max(highest, energies[top + k])
            t = 1.0
            if energy + slope + 0.5 * curvature > highest + SUFFICIENT_DECREASE * slope:
                t = min(1.0, -slope / curvature)
            energy += t * (slope + 0.5 * t * curvature)
            energies[top + used % memory] = energy
            for k in range(top, bottom):
                now[k] += t * d[k]
                v[k] += t * Nd[k]
            for i in range(first, last):
                moved = 0.0
                for k in range(K.start[i], K.start[i + 1]):
                    moved += d[k] * d[k]
                if moved > 0.0:
                    bend += square_inside(K, i, now, Nd)
        error = 0.0
        for _ in range(2):
            if fresh:
                apply(A, now, v, first, last, left, right)
                state[SPENT] += 1
                for k in range(top, bottom):
                    v[k] += b[k]
            error = evaluate(P, g, now, v, exact, first, last, scratch)
            if fresh or not error <= goal:
                break
            fresh = True
        if not error < 1e300:
            break
        if history.shape[0] > 0:
            history[used] = max(history[used], min(error, best))
        if error < best:
            best = error
            keep(now, v, x, u, top, bottom)
        if still:
            break
        a = LONGEST
        if curvature > 0.0:
            a = square / curvature
            if used % 2 == 1 and bend * a > curvature:
                a = curvature / bend
            a = min(max(a, SHORTEST), LONGEST)
    state[STEP] = a
    return used


run_barzilai_borwein = make_runner(barzilai_borwein, False)
