"""Sweeps of Gauss-Seidel, plain, over-relaxed or with momentum: when they end, and how far the next one goes.

    x_i <- P(x_i - w rho_i (N x + b + g)_i),     rho_i = 1 / (largest eigenvalue of N_ii),     0 < w < 2

with w = 1, and larger in the over-relaxed method. The projection is the exact one on the cone, so that steps of any
length end in it. For Coulomb's law g is the shift of the newest velocities of the contact itself: no loop around the
sweeps is needed. Without it each step lowers ``1/2 x'Nx + b'x``, and the sweeps converge.

Rounding gathers in the velocities, to which each change is added: they are formed anew now and then, and before a pair is
called good enough. The error takes as long to find as a sweep: after many sweeps it is looked at less often, so that the
last look comes at most a sixteenth too late.

With momentum, as of a heavy ball, a sweep S begins farther along the way from where the one before began; velocities are
linear in x, so that theirs come without a product. Where a sweep turns round, the momentum begins anew:

    y_k = S(y_k-1) + b d,     d = y_k-1 - y_k-2,     b = min(t / (t + 3), 0.95),     t <- 0 where d' (S(y_k-1) - y_k-1) < 0

Source: Jourdan, Alart, Jean, "A Gauss-Seidel like algorithm to solve frictional contact problems" (1998), also
for the projected sweep; the correction inside as in De Saxce and Feng (1998); B. T. Polyak, "Some methods of speeding up the
convergence of iteration methods" (1964), for the momentum; B. O'Donoghue and E. Candes, "Adaptive restart for accelerated
gradient schemes" (2015), for its new beginning. That b grows so: measured on packings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.contact.friction.first_order.memory import MOMENTUM, SPENT
from pluecker.contact.friction.first_order.runner import STILL
from pluecker.spatial.engine.parallel.interruption_flag import interrupted

__all__ = ["REFRESH", "USUAL", "make_sweeps"]

USUAL = 1.5  # relaxation, unless the caller asks for another one
REFRESH = 100  # sweeps after which the velocities are formed anew
RARER = 16  # of the sweeps so far come between two looks at the error
SELDOM = 6  # sweeps between two looks, of those that go on from others: with 12 the best pair is met too seldom
LARGEST_MOMENTUM = 0.95  # momentum: with 0.9 packings take a tenth more sweeps, with 0.98 some fall into circles


def make_sweeps(
    begin: Callable[..., Any], refresh: Callable[..., Any], error_of: Callable[..., Any], remember: Callable[..., Any],
    sweep: Callable[..., Any],
) -> Callable[..., Any]:  # fmt: skip
    """Make the function that improves one island, from kernels that know how its contacts are kept, in a record M.

    Args:
        begin: ``begin(M)``: project the multipliers, and compute their velocities.
        refresh: ``refresh(M)``: compute the velocities anew.
        error_of: ``error_of(M, exact)``: the error of the multipliers.
        remember: ``remember(M)``: they are the best that were met, with their velocities.
        sweep: ``sweep(M, exact, state, b)``: sweep once, with the momentum b where the state asks for momentum; return how
            much the multipliers changed, and their size, both squared, and how far the change goes along the momentum.

    Returns:
        ``sweeps(M, exact, goal, limit, state, history)``, which goes to the error ``goal``, or sweeps ``limit`` times, and
        returns how many sweeps it took, and the best error. Relaxation, and what is spent, are in the state of the island.
        A sweep counts as one product.
    """

    def sweeps(M, exact, goal, limit, state, history):
        begin(M)
        state[SPENT] += 1
        best, used = error_of(M, exact), 0
        remember(M)
        least = max(1, min(int(state[SPENT]) // RARER, SELDOM))
        due, anew, age, along = least, REFRESH, 0.0, 0.0
        while used < limit and not best <= goal and not interrupted():
            if state[MOMENTUM] == 1.0:
                age = age + 1.0 if along >= 0.0 else 0.0
            used += 1
            change, size, along = sweep(M, exact, state, min(age / (age + 3.0), LARGEST_MOMENTUM))
            state[SPENT] += 1
            still = change <= STILL * STILL * size
            if used < due and used < limit and not still:
                continue
            due, fresh = used + max(least, used // RARER), still or used >= anew or used >= limit
            anew = used + REFRESH if fresh else anew
            error = 0.0
            for _ in range(2):
                if fresh:
                    refresh(M)
                    state[SPENT] += 1
                error = error_of(M, exact)
                if fresh or not error <= goal:
                    break
                fresh = True
            if not error < 1e300:
                break
            if history.shape[0] > 0:
                history[used] = max(history[used], min(error, best))
            if error < best:
                best = error
                remember(M)
            if still:
                break
        return used, best

    return sweeps
