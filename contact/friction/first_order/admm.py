"""Alternating directions: a linear system with one factorisation, and the projection, in turn.

    x  = (N + p)^-1 (p (z - w) - b - g)
    z+ = P(q x + (1 - q) z + w),     w+ = w + q x + (1 - q) z - z+,     1 < q < 2

``p w`` tends to minus the velocities. The factor of N + p serves until the penalty p changes: where ``|x - z|`` is
larger than ``p |z+ - z|``, p grows, and the other way round, less and less often, so that it settles. The pair that
is judged is z, which is in the cone, with its own velocities. For Coulomb's law g is the shift of these velocities;
it is held until the error of the convex problem is a part of that of Coulomb's law, and its steps are shortened when
they do not help.

Sources: Boyd, Parikh, Chu, Peleato, Eckstein, "Distributed optimization and statistical learning via the alternating
direction method of multipliers" (2011), section 3.4, for the relaxation and the penalty; Stellato and others, "OSQP: an
operator splitting solver for quadratic programs" (2020), for changing the penalty seldom.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.first_order.memory import ERROR, ITERATIONS, LEFT, PRODUCTS
from pluecker.contact.friction.first_order.runner import STILL, evaluate, keep
from pluecker.contact.friction.first_order.shifts import PATIENCE, SHORTEST, move_shift, settle
from pluecker.contact.friction.problem.operator import apply, assemble
from pluecker.contact.friction.problem.prepared import Prepared, cut
from pluecker.contact.friction.problem.sets import project_block
from pluecker.contact.friction.sparse.cholesky import factor, solve
from pluecker.contact.friction.sparse.symbolic import Symbolic, analyse
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.engine.parallel.interruption_flag import interrupted
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Splitting", "admm", "run_admm"]

RELAXATION = 1.6  # q
FIRST_PENALTY = 0.1  # p: the diagonal of N is about 1
TOGETHER = 20  # iterations before the penalty is looked at; then after twice, four times as many, and so on
CHANGE = 5.0  # of the penalty that is worth a factorisation
SOFTEST, STIFFEST = 1e-8, 1e8  # penalty
HELD = 0.3  # of the error of Coulomb's law, for the convex problem with a shift that is held
TINY = 1e-15  # part of a diagonal entry below which a pivot is rounding


# Vectors of all multipliers: those of the formulas above, y = z+, v the velocities of z, xi = x.
Z, W, Y, V, XI, ZERO, SCRATCH, ROWS = range(8)
# Numbers that go from penalty to penalty: |x - z| and p |z+ - z|; 1 where nothing moves any more; of the shift its step, how
# many did not help, the smallest error that one began with.
PENALTY, BEST, PRIMAL, DUAL, ENDED, STEP, IDLE, LEAST, NUMBERS = range(9)


def begin_at(P, exact, g, x, u, zero, scratch):
    """Project x, find its velocities u and, for Coulomb's law, their shift g, zero where x is; return the error"""
    K, n = P.K, len(P.K.start) - 1
    moved = 0.0
    for i in range(n):
        project_block(K, i, x, x)
    apply(P.A, x, u, 0, n, 0, 0)
    for k in range(len(P.b)):
        u[k] += P.b[k]
        moved = max(moved, abs(x[k]))
    if exact == 1 and moved > 0.0:
        move_shift(P, u, g, 1.0, 0, n)
    return evaluate(P, zero, x, u, exact, 0, n, scratch)


def steps(P, S, L, exact, g, goal, limit, x, u, work, history, state):
    """Make at most ``limit`` iterations with one penalty; return how many

    ``x, u`` are the best pair. Of the state all but the penalty is changed.
    """
    K, b = P.K, P.b
    n, m = len(K.start) - 1, len(b)
    z, w, y, v = work[Z], work[W], work[Y], work[V]
    xi, zero, scratch = work[XI], work[ZERO], work[SCRATCH]
    p, best, used = state[PENALTY], state[BEST], 0
    while used < limit and not best <= goal and not interrupted():
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
            state[ENDED] = 1.0
            break
        if history.shape[0] > 0:
            history[used] = max(history[used], min(error, best))
        if error < best:
            best = error
            keep(z, v, x, u, 0, m)
        state[PRIMAL], state[DUAL] = np.sqrt(apart), p * np.sqrt(change)
        if exact == 1 and convex <= HELD * error:
            step, idle, state[LEAST] = settle(state[STEP], state[IDLE], state[LEAST], error, PATIENCE)
            state[STEP], state[IDLE] = max(step, SHORTEST), idle
            move_shift(P, v, g, state[STEP], 0, n)
        elif change <= STILL * STILL * size and apart <= STILL * STILL * size:
            state[ENDED] = 1.0
            break
    state[BEST] = best
    return used


begin_at = entry_point(begin_at)
steps = entry_point(steps)


def factored(P: Prepared, S: Symbolic, p: float, D: Array, L: Array) -> None:
    """Compute the factor L of N + compliance + p."""
    for i in range(len(P.K.start) - 1):
        n = int(P.K.start[i + 1] - P.K.start[i])
        a, top = int(S.square[i]), int(P.K.start[i])
        D[a : a + n * n : n + 1] = P.A.compliance[top : top + n] + p
    factor(S, P.A.N, P.A.N.data, D, TINY, L)


class Splitting:
    """ADMM on one island, which can be continued: its state beside the best pair.

    Args:
        P: the problem, with its matrix.
        law: 1 for Coulomb's law, 0 for the convex one.
        x: scaled multipliers, ``(m,)``; become the best that were met.
        u: their scaled velocities, ``(m,)``; become those of the best.
        pattern: of the factor; found unless given.
    """

    def __init__(self, P: Prepared, law: int, x: Array, u: Array, pattern: Symbolic | None = None) -> None:
        m, blocks = len(P.b), len(P.K.start) - 1
        self.P, self.law, self.x, self.u, self.pattern = P, law, x, u, pattern
        self.work, self.g, self.state = np.zeros((ROWS, m)), np.zeros(blocks), np.zeros(NUMBERS)
        self.factor: tuple[Symbolic, Array, Array] | None = None
        best = float(begin_at(P, law, self.g, x, u, self.work[ZERO], self.work[SCRATCH]))
        self.state[PENALTY], self.state[BEST], self.state[STEP], self.state[LEAST] = FIRST_PENALTY, best, 1.0, np.inf
        self.used, self.look = 0, TOGETHER

    @property
    def best(self) -> float:
        """Error of the best pair."""
        return float(self.state[BEST])

    @property
    def ended(self) -> bool:
        """True if nothing moves any more."""
        return bool(self.state[ENDED] == 1.0)

    def start(self) -> tuple[Symbolic, Array, Array]:
        """Return the pattern, the diagonal and the factor, made on the first call, and begin at the pair that was given."""
        P, work, p = self.P, self.work, self.state[PENALTY]
        if self.x.any():
            work[Z], work[W] = self.x, -self.u
            work[W, P.K.start[:-1]] -= self.g * P.s[P.K.start[:-1]]
            work[W] /= p
        S = analyse(P.A.N) if self.pattern is None else self.pattern
        D, L = np.zeros(int(S.square[-1])), np.empty(int(S.numbers[0]))
        factored(P, S, p, D, L)
        return S, D, L

    def advance(self, tol: float, limit: int, history: Array) -> int:
        """Iterate to the error ``tol``, or ``limit`` times; return how often. ``history`` as for :func:`admm`, from here."""
        P, state, used = self.P, self.state, 0
        if state[BEST] <= tol or limit < 1:
            return 0
        S, D, L = self.factor = self.start() if self.factor is None else self.factor
        while used < limit and not state[BEST] <= tol and state[ENDED] == 0.0:
            count = min(self.look - self.used, limit - used)
            made = int(steps(P, S, L, self.law, self.g, tol, count, self.x, self.u, self.work, history[used:], state))
            if made == 0:  # interrupted
                break
            used += made
            self.used += made
            if self.used < self.look:
                continue
            self.look = 2 * self.used
            p, primal, dual = state[PENALTY], state[PRIMAL], state[DUAL]
            ratio = primal / dual if primal > 0.0 and dual > 0.0 else 1.0
            wanted = min(max(p * float(np.sqrt(ratio)), SOFTEST), STIFFEST)
            if not state[BEST] <= tol and max(wanted / p, p / wanted) > CHANGE:
                self.work[W] *= p / wanted
                state[PENALTY] = wanted
                factored(P, S, wanted, D, L)
        return used


def admm(P: Prepared, law: int, x: Array, u: Array, tol: float, limit: int, history: Array) -> tuple[float, int, int]:
    """Solve one island, to the error ``tol`` or for ``limit`` iterations.

    Args:
        P, law, x, u: as of :class:`Splitting`.
        tol: the error to be reached.
        limit: iterations.
        history: the best errors by iteration, after those before; or empty.

    Returns:
        The error, the iterations, the products of the operator.
    """
    splitting = Splitting(P, law, x, u)
    used = splitting.advance(tol, limit, history)
    return splitting.best, used, used + 1


def run_admm(P, law, x, u, tol, limit, memory, begin, end):
    """Solve islands from ``begin`` to ``end``; arguments as in :func:`.make_runner`."""
    P, results = P._replace(A=assemble(P.A)), memory.results
    for island in range(begin, end):
        if results[island, ERROR] <= tol or memory.states[island, LEFT] == 1.0:
            continue
        part = cut(P, island)
        top = int(P.K.start[P.islands[island]])
        rows = slice(top, top + len(part.b))
        done = int(results[island, ITERATIONS])
        error, used, products = admm(part, law, x[rows], u[rows], tol, limit - done, memory.history[done:])
        results[island] = error, done + used, results[island, PRODUCTS] + products
