"""Working set of a step: the block rows that have impulses, or would be violated without; all others are idle.

Most contacts that may come about in a step do not: bodies fly or fall together. A contact or a limit that starts without an
impulse, and that velocities without impulses do not violate, obeys the law as it is. So it is in no island, which is smaller
for it, or falls apart, until impulses of others make its bodies violate it.

Source: J. Nocedal and S. J. Wright, "Numerical optimization" (2006), section 16.5, on working sets.
"""

from math import inf, sqrt

from pluecker.contact.found.layout import (
    AFTER,
    IDLE,
    START,
    UNSOLVED,
    WORKING_SET,
    index_piece,
    index_table,
    piece,
)
from pluecker.contact.found.problem import problem_in, rate
from pluecker.contact.friction.problem.sets import DISCS
from pluecker.spatial.engine.compiled.decorators import called_kernel

__all__ = ["choose_working_set", "extend_working_set"]


@called_kernel
def choose_working_set(s, ws, x, exact, least):
    """Choose the block rows that start with impulses, or that the velocity without any violates, by more than ``least``"""
    P, chosen, after = problem_in(s, ws), index_piece(s, ws, WORKING_SET), piece(s, ws, AFTER)
    for g in range(x.groups):
        chosen[g] = IDLE
        for i in range(P.rows[g], P.rows[g + 1]):
            if P.r[i] != 0.0:
                chosen[g] = UNSOLVED
        if chosen[g] == IDLE and violation(s, ws, P, g, exact, False) > least:
            chosen[g] = UNSOLVED
    for k in range(len(after)):
        after[k] = 0.0


@called_kernel
def extend_working_set(s, ws, x, exact, least):
    """Add idle block rows that the change of velocity, in AFTER, violates by more than ``least``

    Returns:
        How many, and by how much those that stay idle are violated at most; m/s or rad/s.
    """
    P, chosen, added, most = problem_in(s, ws), index_piece(s, ws, WORKING_SET), 0, 0.0
    for g in range(x.groups):
        if chosen[g] == IDLE:
            lack = violation(s, ws, P, g, exact, True)
            if lack > least:
                chosen[g] = UNSOLVED
                added += 1
            else:
                most = max(most, lack)
    return added, most


@called_kernel
def violation(s, ws, P, g, exact, changed):
    """Return by how much a block row without impulses misses the law, m/s or rad/s; infinite if it has no side to part to

    With the change of velocity in AFTER, or, unless it is ``changed``, with the velocity without impulses.

    In Coulomb's law (``exact``) a contact must not approach. In the convex one it has to part as fast as friction times how
    fast it slides, turns and spins.
    """
    start, after, top = index_table(s, START), piece(s, ws, AFTER), P.rows[g]
    normal = P.offset[top] + (rate(P, start, g, 0, after) if changed else 0.0)
    if P.lower[g] == 0.0 and P.upper[g] == inf:
        total, row = -normal, 1
        for disc in range(DISCS):
            n, square = P.sizes[DISCS * g + disc], 0.0
            if exact == 0:
                for a in range(row, row + n):
                    u = P.offset[top + a] + (rate(P, start, g, a, after) if changed else 0.0)
                    square += u * u
            row += n
            total += P.friction[DISCS * g + disc] * sqrt(square)
        return total
    return normal if P.lower[g] == -inf and P.upper[g] == 0.0 else inf
