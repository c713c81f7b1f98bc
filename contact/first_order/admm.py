"""Alternating directions: a linear system with one factorisation, and the projection, in turn.

    x  = (N + p)^-1 (p (z - w) - b - g)
    z+ = P(q x + (1 - q) z + w),     w+ = w + q x + (1 - q) z - z+,     1 < q < 2

``p w`` tends to minus the velocities. The factor of N + p serves until the penalty p changes: where ``|x - z|`` is
larger than ``p |z+ - z|``, p grows, and the other way round, less and less often, so that it settles. The pair that
is judged is z, which is in the cone, with its own velocities. For Coulomb's law g is the shift of these velocities;
it is held until the natural map of the convex problem is a part of that of Coulomb's law, and its steps are shortened when
they do not help.

Sources: Boyd, Parikh, Chu, Peleato, Eckstein, "Distributed optimization and statistical learning via the alternating
direction method of multipliers" (2011), section 3.4, for the relaxation and the penalty; Stellato and others, "OSQP: an
operator splitting solver for quadratic programs" (2020), for changing the penalty seldom.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.first_order.runner import LEFT, PATIENCE, SHORTEST, evaluate, keep
from pluecker.contact.problem.operator import apply, assemble
from pluecker.contact.problem.prepared import Prepared, cut
from pluecker.contact.problem.sets import project_block, shift_block
from pluecker.contact.sparse.cholesky import factor, solve
from pluecker.contact.sparse.symbolic import Symbolic, analyse
from pluecker.spatial.compiled.decorators import allocation_free, entry_point
from pluecker.spatial.functions.elementwise import Array

__all__ = ["admm", "run_admm"]

RELAXATION = 1.6  # q
PENALTY = 0.1  # p at first: the diagonal of N is about 1
TOGETHER = 20  # iterations before the penalty is looked at; then after twice, four times as many, and so on
CHANGE = 5.0  # of the penalty that is worth a factorisation
SMALLEST, LARGEST = 1e-8, 1e8  # penalty
HELD = 0.3  # of the error of Coulomb's law, for the convex problem with a shift that is held
TINY = 1e-15  # part of a diagonal entry below which a pivot is rounding
STALLED = 1e-15  # relative change of the multipliers


def begin_at(P, exact, g, x, u, zero, scratch):
    """x projected, its velocities u and, for Coulomb's law, their shift g; the error. The shift of zero is zero"""
    K, n = P.K, len(P.K.start) - 1
    moved = 0.0
    for i in range(n):
        project_block(K, i, x, x)
    apply(P.A, x, u, 0, n, 0, 0)
    for k in range(len(P.b)):
        u[k] += P.b[k]
        moved = max(moved, abs(x[k]))
    for i in range(n):
        if exact == 1 and moved > 0.0:
            g[i] = shift_block(K, i, u) / P.s[K.start[i]]
    return evaluate(P, zero, x, u, exact, 0, n, scratch)


def steps(P, S, L, exact, g, p, best, goal, limit, x, u, work, history, done, residuals, shifts):
    """At most ``limit`` iterations with one penalty p: how many, and the smallest error so far

    ``x, u`` are the best pair, of error ``best``. ``residuals`` become ``|x - z|`` and ``p |z+ - z|``, the
    primal and the dual one, and 1 where nothing moves any more. ``shifts``: the step of the shift, how many shifts did not
    help, and the smallest error that one began with.
    """
    K, b = P.K, P.b
    n, m = len(K.start) - 1, len(b)
    z, w, y, v, xi, zero, scratch = work[0], work[1], work[2], work[3], work[4], work[5], work[6]
    used = 0
    while used < limit and not best <= goal:
        used += 1
        for k in range(m):
            xi[k] = p * (z[k] - w[k]) - b[k]
        for i in range(n):
            xi[K.start[i]] -= g[i] * P.s[K.start[i]]
        solve(S, L, xi)
        for k in range(m):
            w[k] += RELAXATION * xi[k] + (1.0 - RELAXATION) * z[k]
            y[k] = w[k]
        for i in range(n):
            project_block(K, i, y, y)
        apply(P.A, y, v, 0, n, 0, 0)
        apart, size, change = 0.0, 0.0, 0.0
        for k in range(m):
            w[k] -= y[k]
            v[k] += b[k]
            apart += (xi[k] - y[k]) * (xi[k] - y[k])
            change += (y[k] - z[k]) * (y[k] - z[k])
            size += y[k] * y[k]
            z[k] = y[k]
        convex = evaluate(P, g, z, v, 0, 0, n, scratch)
        error = evaluate(P, zero, z, v, 1, 0, n, scratch) if exact == 1 else convex
        if not error < 1e300:
            residuals[2] = 1.0
            break
        if history.shape[0] > 0:
            history[done + used] = max(history[done + used], min(error, best))
        if error < best:
            best = error
            keep(z, v, x, u, 0, m)
        residuals[0], residuals[1] = np.sqrt(apart), p * np.sqrt(change)
        if exact == 1 and convex <= HELD * error:
            shifts[1] = 0.0 if error < 0.9 * shifts[2] else shifts[1] + 1.0
            shifts[2] = min(shifts[2], error)
            if shifts[1] >= PATIENCE:
                shifts[0], shifts[1] = max(0.5 * shifts[0], SHORTEST), 0.0
            for i in range(n):
                g[i] += shifts[0] * (shift_block(K, i, v) / P.s[K.start[i]] - g[i])
        elif change <= STALLED * STALLED * size and apart <= STALLED * STALLED * size:
            residuals[2] = 1.0
            break
    return used, best


begin_at = allocation_free(begin_at)
steps = entry_point(steps)


def factored(P: Prepared, S: Symbolic, p: float, D: Array, L: Array) -> None:
    """L of N + compliance + p."""
    for i in range(len(P.K.start) - 1):
        n = int(P.K.start[i + 1] - P.K.start[i])
        a, top = int(S.square[i]), int(P.K.start[i])
        D[a : a + n * n : n + 1] = P.A.compliance[top : top + n] + p
    factor(S, P.A.N, P.A.N.data, D, TINY, L)


def admm(
    P: Prepared, law: int, x: Array, u: Array, tol: float, limit: int, history: Array, done: int
) -> tuple[float, int, int]:
    """One island, to the natural map ``tol`` or for ``limit`` iterations.

    Args:
        P: the problem, with its matrix.
        law: 1 for Coulomb's law, 0 for the convex one.
        x: scaled multipliers, ``(m,)``; become the best that were met.
        u: their scaled velocities, ``(m,)``; become those of the best.
        tol: the natural map to be reached.
        limit: iterations.
        history: the best errors by iteration, after ``done`` others; or empty.
        done: iterations before.

    Returns:
        The natural map, the iterations, the products of the operator.
    """
    m, blocks = len(P.b), len(P.K.start) - 1
    work, g = np.zeros((7, m)), np.zeros(blocks)
    best = float(begin_at(P, law, g, x, u, work[5], work[6]))
    p, residuals, shifts, used, look = PENALTY, np.zeros(3), np.array([1.0, 0.0, np.inf]), 0, TOGETHER
    if best <= tol or limit < 1:
        return best, 0, 1
    if x.any():
        work[0], work[1] = x, -u
        work[1, P.K.start[:-1]] -= g * P.s[P.K.start[:-1]]
        work[1] /= p
    S = analyse(P.A.N)
    D, L = np.zeros(int(S.square[-1])), np.empty(int(S.numbers[0]))
    factored(P, S, p, D, L)
    while used < limit and not best <= tol and residuals[2] == 0.0:
        count = min(look, limit - used)
        count, best = steps(P, S, L, law, g, p, best, tol, count, x, u, work, history, done + used, residuals, shifts)
        used += count
        look = used
        ratio = residuals[0] / residuals[1] if residuals[0] > 0.0 and residuals[1] > 0.0 else 1.0
        wanted = min(max(p * float(np.sqrt(ratio)), SMALLEST), LARGEST)
        if not best <= tol and max(wanted / p, p / wanted) > CHANGE:
            work[1] *= p / wanted
            p = wanted
            factored(P, S, p, D, L)
    return float(best), used, used + 1


def run_admm(P, law, x, u, tol, limit, options, work, states, history, results, begin, end):
    """The islands from ``begin`` to ``end``; arguments as in :func:`~pluecker.contact.first_order.runner.make_runner`."""
    P = P._replace(A=assemble(P.A))
    for island in range(begin, end):
        if results[island, 0] <= tol or states[island, LEFT] == 1.0:
            continue
        part = cut(P, island)
        top = int(P.K.start[P.islands[island]])
        rows = slice(top, top + len(part.b))
        done = int(results[island, 1])
        error, used, products = admm(part, law, x[rows], u[rows], tol, limit - done, history, done)
        results[island] = error, results[island, 1] + used, results[island, 2] + products
