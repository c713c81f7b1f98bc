"""What first-order methods share: signature, error, islands, and the iteration that makes Coulomb's law of the convex one.

A *method* improves the multipliers of one island for a fixed shift ``g`` of the normal velocities:

    method(P, exact, g, x, u, island, goal, limit, options, state, work, history, done) -> iterations

``P`` is a :class:`~pluecker.contact.problem.prepared.Prepared` problem, ``x`` its scaled multipliers and ``u`` the scaled
velocities that belong to them, both changed in place: at the end they are the best pair that was met. ``goal`` is the
natural map to be reached, ``limit`` the iterations left, after ``done`` others. What a method wants to remember from call
to call (a step length) is in ``state``.

The convex law has no shift. The exact law is a fixed point: the shift that the velocities make is the shift that they
were found with. A method with the correction inside finds it by itself, where ``exact`` is 1; for others, each
shift is held until the natural map of the convex problem is a tenth of that of Coulomb's law. Steps of the shift are
shortened when they do not help. Source: the fixed point as in Acary, Cadoux, Lemarechal, Malick (2011); when to stop
inside: measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pluecker.contact.problem.sets import is_steep, project_block, shift_block, signorini_block
from pluecker.spatial.compiled.decorators import allocation_free, allocation_free_kernel
from pluecker.spatial.functions.elementwise import Array

__all__ = ["LEFT", "OWN", "ROWS_OF_WORK", "STATE", "evaluate", "evaluate_islands", "keep", "make_runner", "rows_apart"]

ROWS_OF_WORK = 12  # vectors that methods and the driver may use
STATE = 12  # numbers that a method remembers, for each island: a step length, the products so far, two of its own ...
OWN = 4  # ... and from here on more of its own
INSIDE = 0.1  # of the error of Coulomb's law, for the convex problem inside
PATIENCE = 8  # shifts that may fail to help before the step of the shift is halved
SHORTEST = 0.01  # step of the shift
LARGEST = 1e153  # size of multipliers or velocities, in units in which velocities are one
LEFT = 3  # in the state: 1 for an island that is left to others


def evaluate_blocks(K, s, b, g, x, u, exact, first, last, work):
    """The natural map's error of x, where u = N^ x + b^, relative to max(|b|, |r|, |u|)

    With ``r = s x`` and ``u^ = s u``, r - P(r - u - g) is s times x - P^(x - (u^ / s + g) / s). ``g`` is not scaled.
    Of steep cones Signorini's condition counts where it is the larger, as in
    :func:`~pluecker.contact.results.measures.natural_map`.
    """
    e, bb, rr, uu = 0.0, 0.0, 0.0, 0.0
    for i in range(first, last):
        top, bottom = K.start[i], K.start[i + 1]
        si = s[top]
        inverse = 1.0 / si
        for k in range(top, bottom):
            w = u[k] * inverse
            c, r = b[k] * inverse, x[k] * si
            bb += c * c
            rr += r * r
            uu += w * w
            work[k] = x[k] - w * inverse
        work[top] -= g[i] * inverse
        if exact == 1:
            work[top] -= shift_block(K, i, u) * inverse * inverse
        project_block(K, i, work, work)
        part = 0.0
        for k in range(top, bottom):
            d = (x[k] - work[k]) * si
            part += d * d
        if exact == 1 and is_steep(K, i):
            lack = signorini_block(K, i, si, inverse, x, u)
            part = max(part, lack * lack)
        e += part
    scale = np.sqrt(max(bb, rr, uu))
    if not scale < LARGEST:
        return np.inf
    return np.sqrt(e) / scale if scale > 0.0 else np.sqrt(e)


evaluate_blocks = allocation_free(evaluate_blocks)


@allocation_free_kernel
def evaluate(P, g, x, u, exact, first, last, work):
    """The same for a prepared problem"""
    return evaluate_blocks(P.K, P.s, P.b, g, x, u, exact, first, last, work)


@allocation_free_kernel
def keep(x, u, best_x, best_u, top, bottom):
    """Copy one pair to another"""
    for k in range(top, bottom):
        best_x[k], best_u[k] = x[k], u[k]


def evaluate_islands(P, x, u, exact, work, zero, out):
    """The errors of all islands, without shifts that are held"""
    for island in range(len(out)):
        first, last = P.islands[island], P.islands[island + 1]
        for i in range(first, last):
            zero[i] = 0.0
        out[island] = evaluate(P, zero, x, u, exact, first, last, work)


evaluate_islands = allocation_free(evaluate_islands)


def rows_apart(rows: int, columns: int) -> Array:
    """Vectors for compiled code, whose entries of the same index are not at the same place of a page of memory."""
    return np.zeros((rows, -(-columns // 512) * 512 + 40))[:, :columns]


def make_runner(method: Callable[..., Any], exact_inside: bool) -> Callable[..., Any]:
    """The entry point that runs a method on islands.

    Args:
        method: as in the head of this file.
        exact_inside: the method makes the correction of Coulomb's law itself.

    Returns:
        ``run(P, law, x, u, tol, limit, options, work, states, history, results, begin, end)`` for the islands from
        ``begin`` to ``end``: law 1 is Coulomb's; ``u`` are the velocities of x. ``results[island] = error, iterations,
        products`` of all calls so far; the error is infinite at first, and ``limit`` is of all iterations. Islands that
        have the tolerance already are passed over, as are those with 1 in ``states[island, LEFT]``.
    """
    inside = 1 if exact_inside else 0
    method = allocation_free(getattr(method, "py_func", method))  # one function, not written into the loops around it

    def run(P, law, x, u, tol, limit, options, work, states, history, results, begin, end):
        for island in range(begin, end):
            if results[island, 0] <= tol or states[island, LEFT] == 1.0:
                continue
            first, last = P.islands[island], P.islands[island + 1]
            top, bottom = P.K.start[first], P.K.start[last]
            g, zero, moved = work[0], work[1], 0.0
            for k in range(top, bottom):
                moved = max(moved, abs(x[k]))
            for i in range(first, last):
                zero[i] = 0.0
                g[i] = shift_block(P.K, i, u) / P.s[P.K.start[i]] if law == 1 and inside == 0 and moved > 0.0 else 0.0
            done, before_products = int(results[island, 1]), states[island, 1]
            most = limit - done
            if law == 0 or inside == 1:
                used = method(P, law, g, x, u, island, tol, most, options, states[island], work, history, done)
                results[island, 0] = evaluate(P, g, x, u, law, first, last, work[2])
            else:
                # The best pair by Coulomb's law is kept in work[3] and work[4]; methods use what comes after.
                # Zero is often better than the first points, and no place to come back to.
                used, best, step, idle = 0, evaluate(P, zero, x, u, 1, first, last, work[2]), 1.0, 0
                keep(x, u, work[3], work[4], top, bottom)
                best = best if moved > 0.0 or best <= tol else np.inf
                error, least = min(best, 1.0), np.inf
                while used < most and not best <= tol:
                    goal = max(INSIDE * error, 0.3 * tol)
                    rest, state = most - used, states[island]
                    before = used
                    used += max(method(P, 0, g, x, u, island, goal, rest, options, state, work, history[:0], 0), 1)
                    error = evaluate(P, zero, x, u, 1, first, last, work[2])
                    for k in range(done + before + 1, min(done + used + 1, history.shape[0])):
                        history[k] = max(history[k], min(error, best))
                    if not error < np.inf:
                        break
                    idle = 0 if error < 0.9 * least else idle + 1
                    least = min(least, error)
                    if error < best:
                        best = error
                        keep(x, u, work[3], work[4], top, bottom)
                    if error <= tol:
                        break
                    if idle >= PATIENCE:
                        step, idle = 0.5 * step, 0
                        if step < SHORTEST:
                            break
                    for i in range(first, last):
                        g[i] += step * (shift_block(P.K, i, u) / P.s[P.K.start[i]] - g[i])
                if best < np.inf:
                    keep(work[3], work[4], x, u, top, bottom)
                results[island, 0] = best
            results[island, 1] += used
            results[island, 2] += states[island, 1] - before_products

    run.__name__ = run.__qualname__ = f"run_{method.__name__}"  # one file of the cache for each method
    return allocation_free(run)
