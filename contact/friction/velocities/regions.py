"""Regions of an island: block rows that still miss the law, with those around them, solved as islands of their own.

After some steps of Newton's method nearly all contacts of a heap hold, slide or part as they do in the end; a few do not
yet, and each of them costs factors of the whole island. With all other impulses as they are, a region is a small island

    u_S = u + J_S A^-1 J_S' (r_S - r) + C (r_S - r)

whose factors cost next to nothing. What changes in it changes what is around it, so this is repeated, each time with a
wider surrounding, until the law is obeyed everywhere; where regions are more than half of the island it is taken as a whole
again. Heaps of 1,000 bodies with 2,700 contacts took 40 to 130 factors of the whole without regions, some 30 with them.

Source: the blocks of X.-C. Cai and D. E. Keyes, "Nonlinearly preconditioned inexact Newton algorithms" (2002), chosen by
what misses the law.
"""

from __future__ import annotations

from math import inf

from pluecker.contact.friction.problem.natural_map import natural_map
from pluecker.contact.friction.velocities.factor import find_masses, find_room
from pluecker.contact.friction.velocities.island import (
    ALONG,
    BEST,
    BLOCKS,
    CHOSEN,
    COLUMN,
    EIGHT,
    FACTOR,
    FIRST,
    HELD,
    IMPULSE,
    MEMBER,
    NEEDED,
    NODES,
    OFFSET,
    PICKED,
    REACHED,
    REGION,
    ROWS,
    SCALE,
    START,
    VELOCITY,
    WORK,
    ZERO,
    begin,
    count,
    move,
    numbers,
    place_of,
    sets_of,
    try_impulses,
    whole,
)
from pluecker.contact.friction.velocities.newton import PATIENCE, newton
from pluecker.spatial.engine.compiled.decorators import called_kernel
from pluecker.spatial.engine.memory.arrays import aligned, as_vector
from pluecker.spatial.engine.scalars.operations import part, tail

__all__ = ["solve_with_regions"]

MISSED = 0.5  # of the error that is aimed at: a block that misses the law by more is in a region
FEW = 60  # block rows of an island whose factors cost so little that it has no regions
AROUND = 2  # rings of block rows about those, at first
FINER = 0.1  # of the error that is aimed at: what a region is solved to
PATIENCE_OF_REGION = 20  # factors


# --------------------------------------------------------------------------------------------------------------- regions


@called_kernel
def mark(I, exact, aim):
    """Mark block rows whose impulses, in BEST, miss the law: REGION is their own number, of all others -1"""
    K, x, u, work, region = sets_of(I), numbers(I, BEST), numbers(I, VELOCITY), numbers(I, WORK), whole(I, REGION)
    s, b, zero = as_vector(numbers(I, SCALE)), as_vector(numbers(I, OFFSET)), as_vector(numbers(I, ZERO))
    move(I, x, u)
    x, u, n, lack, fastest = as_vector(x), as_vector(u), count(I, BLOCKS), numbers(I, HELD), 0.0
    for i in range(n):
        found = natural_map(K, s, b, zero, x, u, exact, i, i + 1, as_vector(work))
        lack[i], fastest = found[1], max(fastest, found[3])
    for i in range(n):
        region[i] = i if lack[i] > MISSED * aim * fastest else -1


@called_kernel
def spread(I, wider):
    """Give block rows that share a node the smallest of their marks, those without one too if they are to be ``wider``

    Returns whether a mark has changed.
    """
    first, column, region, reached = whole(I, FIRST), whole(I, COLUMN), whole(I, REGION), whole(I, REACHED)
    n, changed = count(I, BLOCKS), False
    for t in range(count(I, NODES)):
        reached[t] = n
    for i in range(n):
        if region[i] >= 0:
            for e in range(first[i], first[i + 1]):
                reached[column[e]] = min(reached[column[e]], region[i])
    for i in range(n):
        if wider or region[i] >= 0:
            least = n
            for e in range(first[i], first[i + 1]):
                least = min(least, reached[column[e]])
            if least < n and least != region[i]:
                region[i], changed = least, True
    return changed


@called_kernel
def pick(I, mark_of_region):
    """List the block rows of a region, and what they are in the problem; return how many there are"""
    region, member, picked, chosen, n = whole(I, REGION), whole(I, MEMBER), whole(I, PICKED), whole(I, CHOSEN), 0
    for i in range(count(I, BLOCKS)):
        if region[i] == mark_of_region:
            picked[n], chosen[n] = i, member[i]
            n += 1
    return n


@called_kernel
def copy_rows(I, R, n, inwards):
    """Copy impulses and velocities of the picked block rows to their region, R, as its start and its offset; or back"""
    start, picked, there = whole(I, START), whole(I, PICKED), whole(R, START)
    best, u, x, b = numbers(I, BEST), numbers(I, VELOCITY), numbers(R, IMPULSE), numbers(R, OFFSET)
    found, out = numbers(R, BEST), numbers(I, IMPULSE)
    for j in range(n):
        for a in range(there[j + 1] - there[j]):
            if inwards:
                x[there[j] + a], b[there[j] + a] = best[start[picked[j]] + a], u[start[picked[j]] + a]
            else:
                out[start[picked[j]] + a] = found[there[j] + a]


@called_kernel
def solve_region(I, P, local, n, exact, aim):
    """Solve the block rows that are picked, with all else as it is; return 0, or how many numbers there must be in all"""
    R = aligned(tail(numbers(I, FACTOR), EIGHT * count(I, NEEDED)))
    before = place_of(I, FACTOR) + EIGHT * count(I, NEEDED) + EIGHT
    lacking = begin(R, P, local, part(whole(I, CHOSEN), 0, n))
    if lacking > 0:
        return before + lacking
    copy_rows(I, R, n, True)
    x, b, u = numbers(R, IMPULSE), numbers(R, OFFSET), numbers(R, ALONG)
    move(R, x, u)
    for k in range(count(R, ROWS)):
        b[k] = 2.0 * b[k] - u[k]  # without what these impulses do themselves
    best = try_impulses(R, x, exact, inf)
    lacking = find_room(R)
    if lacking > 0:
        return before + lacking
    if find_masses(R, P):
        newton(R, exact, FINER * aim, FINER * aim, PATIENCE_OF_REGION, 0, best)
    copy_rows(I, R, n, False)
    return 0


@called_kernel
def solve_regions(I, P, local, exact, aim, rings):
    """Solve all regions with so many rings around what misses the law; return how many numbers there must be

    0 where there is room, and -1 where regions are more than half of the island: then none is solved.
    """
    x, best, region, marked = numbers(I, IMPULSE), numbers(I, BEST), whole(I, REGION), 0
    mark(I, exact, aim)
    for _ in range(rings):
        spread(I, True)
    for i in range(count(I, BLOCKS)):
        if region[i] >= 0:
            marked += 1
    if 2 * marked > count(I, BLOCKS):
        return -1
    while spread(I, False):
        pass
    for k in range(count(I, ROWS)):
        x[k] = best[k]
    for i in range(count(I, BLOCKS)):
        if region[i] == i:
            lacking = solve_region(I, P, local, pick(I, i), exact, aim)
            if lacking > 0:
                return lacking
    return 0


@called_kernel
def solve_with_regions(I, P, local, exact, aim, finer, budget, best):
    """Take steps for the whole island, and solve its regions after each ``PATIENCE`` of them, until the error is the aim

    Returns:
        The error, of impulses in BEST; and how many factors of the whole were made, or, where there is too little memory,
        how many numbers it takes, with a minus.
    """
    used = 0
    while best > aim and used < budget:
        best, taken = newton(I, exact, aim, finer, min(PATIENCE, budget - used), used, best)
        used, rings = used + taken, AROUND
        while best > aim and count(I, BLOCKS) > FEW:
            lacking = solve_regions(I, P, local, exact, aim, rings)
            if lacking > 0:
                return best, -lacking
            if lacking < 0:
                break
            best, rings = try_impulses(I, numbers(I, IMPULSE), exact, inf), rings + 1
            if best <= aim:
                best, taken = newton(I, exact, aim, finer, 1, used, best)
                used += taken
    return best, used
