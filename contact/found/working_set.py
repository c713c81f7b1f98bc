"""Working set of a step, the block rows that have impulses, or would be violated without, and its islands.

Most contacts that may come about in a step do not: bodies fly or fall together. A contact or a limit that starts without an
impulse, and that velocities without impulses do not violate, obeys the law as it is. So it is in no island, which is smaller
for it, or falls apart, until impulses of others make its bodies violate it.

Islands are the trees that block rows of the working set connect, each a problem of its own.

Sources: J. Nocedal and S. J. Wright, "Numerical optimization" (2006), section 16.5, on working sets; Tarjan,
"Efficiency of a good but not linear set union algorithm" (1975), on islands.
"""

from math import inf, sqrt

from pluecker.contact.found.layout import (
    AFTER,
    IDLE,
    ISLAND_BLOCKS,
    ISLAND_FIRST,
    ISLAND_OF_TREE,
    LOCAL,
    START,
    TREES,
    UNSOLVED,
    WORKING_SET,
    count,
    index_piece,
    index_table,
    piece,
)
from pluecker.contact.found.problem import problem_in, rate
from pluecker.contact.friction.problem.sets import DISCS
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel

__all__ = ["choose_working_set", "extend_working_set", "find_islands"]


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


@kernel
def root_of(above, t):
    """Return the root of tree t, and shorten the way to it"""
    while above[t] != t:
        above[t] = above[above[t]]
        t = above[t]
    return t


@called_kernel
def find_islands(s, ws, groups):
    """Sort the block rows of the working set by islands, in the order of their first trees; return how many there are"""
    P, chosen, n = problem_in(s, ws), index_piece(s, ws, WORKING_SET), count(s, TREES)
    above, number_of = index_piece(s, ws, ISLAND_OF_TREE), index_piece(s, ws, LOCAL)
    blocks, first, islands = index_piece(s, ws, ISLAND_BLOCKS), index_piece(s, ws, ISLAND_FIRST), 0
    for t in range(n):
        above[t], number_of[t] = t, -1
    for g in range(groups):
        if chosen[g] != IDLE:
            one = root_of(above, P.column[P.first[g]])
            for e in range(P.first[g] + 1, P.first[g + 1]):
                other = root_of(above, P.column[e])
                one, other = min(one, other), max(one, other)
                above[other] = one
    for g in range(groups):
        if chosen[g] != IDLE:
            root = root_of(above, P.column[P.first[g]])
            if number_of[root] < 0:
                number_of[root], first[islands] = islands, 0
                islands += 1
            first[number_of[root]] += 1
    count_up(first, islands)
    for g in range(groups):
        if chosen[g] != IDLE:
            i = number_of[root_of(above, P.column[P.first[g]])]
            blocks[first[i]] = g
            first[i] += 1
    count_back(first, islands)
    for t in range(n):
        number_of[t] = -1
    return islands


@kernel
def count_up(first, n):
    """Replace n counts by where each begins, and their sum behind them"""
    total = 0
    for i in range(n):
        total, first[i] = total + first[i], total
    first[n] = total


@kernel
def count_back(first, n):
    """Move n ends back to where each begins"""
    for i in range(n, 0, -1):
        first[i] = first[i - 1]
    first[0] = 0
