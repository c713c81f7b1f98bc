"""Common parts of first-order methods: signature, error, islands, and the iteration from the convex law to Coulomb's.

A *method* improves the multipliers of one island for a fixed shift ``g`` of the normal velocities:

    method(P, exact, g, x, u, island, goal, limit, memory) -> iterations

``P`` is a :class:`~pluecker.contact.friction.problem.prepared.Prepared` problem, ``x`` its scaled multipliers and ``u`` the
scaled velocities that belong to them, both changed in place: at the end they are the best pair that was met. ``goal`` is the
error to be reached, ``limit`` the iterations left. What a method wants to remember from call to call (a step length),
and where it works, is in ``memory``, a :class:`~pluecker.contact.friction.first_order.memory.Memory`.

The convex law has no shift. The exact law is a fixed point: the shift that the velocities make is the shift that they
were found with. A method with the correction inside finds it by itself, where ``exact`` is 1; for others, each
shift is held until the error of the convex problem is a tenth of that of Coulomb's law. Steps of the shift are
halved when a few did not help. There are two loops over shifts, each where its method is: compiled around methods of first
order, here, for which a shift takes microseconds; and in Python around the interior point
(:mod:`~pluecker.contact.friction.solving.islands.automatic`), with the same :func:`settled`.

Source: the fixed point as in Acary, Cadoux, Lemarechal, Malick (2011); when to stop inside: measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pluecker.contact.friction.first_order.memory import (
    BEST_U,
    BEST_X,
    ERROR,
    ITERATIONS,
    PRODUCTS,
    SCRATCH,
    SHIFT,
    SPENT,
    ZERO,
    Memory,
)
from pluecker.contact.friction.problem.natural_map import larger, natural_map
from pluecker.contact.friction.problem.sets import shift_block
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point, kernel
from pluecker.spatial.engine.parallel.interruption_flag import interrupted

__all__ = [
    "INSIDE", "PATIENCE", "SHORTEST", "STILL", "evaluate", "evaluate_islands", "keep", "make_runner", "move_shift", "settle",
    "settled",
]  # fmt: skip

INSIDE = 0.1  # of the error of Coulomb's law, for the convex problem inside
STILL = 1e-15  # relative change of multipliers that do not move any more


@kernel
def evaluate(P, g, x, u, exact, first, last, work):
    """Return the error of x, where u = N^ x + b^: natural map or error in velocity, relative, with a shift g, not scaled"""
    error, lack, held, speed = natural_map(P.K, P.s, P.b, g, x, u, exact, first, last, work)
    return larger(error, lack, held, speed)


@kernel
def keep(x, u, best_x, best_u, top, bottom):
    """Copy one pair to another"""
    for k in range(top, bottom):
        best_x[k], best_u[k] = x[k], u[k]


@called_kernel
def evaluate_islands(P, x, u, exact, work, zero, out):
    """Compute the errors of all islands, without shifts that are held"""
    for island in range(len(out)):
        first, last = P.islands[island], P.islands[island + 1]
        for i in range(first, last):
            zero[i] = 0.0
        out[island] = evaluate(P, zero, x, u, exact, first, last, work)


def make_runner(method: Callable[..., Any], exact_inside: bool) -> Callable[..., Any]:
    """Make the entry point that runs a method on islands.

    Args:
        method: as in the head of this file.
        exact_inside: the method makes the correction of Coulomb's law itself.

    Returns:
        ``run(P, law, x, u, tol, limit, memory, begin, end)`` for the islands from ``begin`` to ``end``: law 1 is
        Coulomb's; ``u`` are the velocities of x, and ``limit`` is of all iterations. Islands that have the tolerance
        already are passed over.
    """
    inside = 1 if exact_inside else 0
    method = called_kernel(getattr(method, "py_func", method))  # not written into the loops around it

    def run(P, law, x, u, tol, limit, memory, begin, end):
        work, states, results, history = memory.work, memory.states, memory.results, memory.history
        for island in range(begin, end):
            if results[island, ERROR] <= tol or interrupted():
                continue
            first, last = P.islands[island], P.islands[island + 1]
            top, bottom = P.K.start[first], P.K.start[last]
            g, zero, scratch, moved = work[SHIFT], work[ZERO], work[SCRATCH], 0.0
            for k in range(top, bottom):
                moved = max(moved, abs(x[k]))
            for i in range(first, last):
                g[i], zero[i] = 0.0, 0.0
            if law == 1 and inside == 0 and moved > 0.0:
                move_shift(P, u, g, 1.0, first, last)
            done, spent = int(results[island, ITERATIONS]), states[island, SPENT]
            most, exact = limit - done, inside * law
            if law == 0 or inside == 1:
                mine = Memory(work, states, results, history[done:])
                used = method(P, exact, g, x, u, island, tol, most, mine)
                results[island, ERROR] = evaluate(P, g, x, u, law, first, last, scratch)
            else:
                # Zero is often better than the first points, and no place to come back to.
                best_x, best_u, mine = work[BEST_X], work[BEST_U], Memory(work, states, results, history[:0])
                used, best, step, idle = 0, evaluate(P, zero, x, u, law, first, last, scratch), 1.0, 0
                keep(x, u, best_x, best_u, top, bottom)
                best = best if moved > 0.0 or best <= tol else np.inf
                error, least = min(best, 1.0), np.inf
                while used < most and not best <= tol and not interrupted():
                    goal, before = INSIDE * error, used
                    used += max(method(P, exact, g, x, u, island, goal, most - used, mine), 1)
                    error = evaluate(P, zero, x, u, law, first, last, scratch)
                    for k in range(done + before + 1, min(done + used + 1, history.shape[0])):
                        history[k] = max(history[k], min(error, best))
                    if not error < np.inf:
                        break
                    if error < best:
                        best = error
                        keep(x, u, best_x, best_u, top, bottom)
                    if error <= tol:
                        break
                    step, idle, least = settle(step, idle, least, error, PATIENCE)
                    if step < SHORTEST:
                        break
                    move_shift(P, u, g, step, first, last)
                if best < np.inf:
                    keep(best_x, best_u, x, u, top, bottom)
                results[island, ERROR] = best
            results[island, ITERATIONS] += used
            results[island, PRODUCTS] += states[island, SPENT] - spent

    run.__name__ = run.__qualname__ = f"run_{method.__name__}"  # one file of the cache for each method
    return entry_point(run)


PATIENCE = 8  # shifts in a row that may fail to help
SHORTEST = 0.01  # step of the shift


@kernel
def move_shift(P, u, g, step, first, last):
    """g += step (what the velocities u make - g), of the blocks from ``first`` to ``last``, not scaled"""
    for i in range(first, last):
        g[i] += step * (shift_block(P.K, i, u) / P.s[P.K.start[i]] - g[i])


def settled(step, idle, least, error, patience):
    """Return the step after one more error, how many shifts in a row did not help, and the smallest error"""
    idle = 0 if error < least else idle + 1
    least = min(least, error)
    if idle >= patience:
        step, idle = 0.5 * step, 0
    return step, idle, least


settle = kernel(settled)
