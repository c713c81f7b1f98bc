"""Islands of a step: trees that block rows of the working set connect, each a problem of its own.

Source: Tarjan, "Efficiency of a good but not linear set union algorithm" (1975).
"""

from pluecker.contact.found.layout import (
    IDLE,
    ISLAND_BLOCKS,
    ISLAND_FIRST,
    ISLAND_OF_TREE,
    LOCAL,
    TREES,
    WORKING_SET,
    count,
    index_piece,
)
from pluecker.contact.found.problem import problem_in
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel

__all__ = ["find_islands"]


@allocation_free_kernel
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


@allocation_free_kernel
def count_up(first, n):
    """Replace n counts by where each begins, and their sum behind them"""
    total = 0
    for i in range(n):
        total, first[i] = total + first[i], total
    first[n] = total


@allocation_free_kernel
def count_back(first, n):
    """Move n ends back to where each begins"""
    for i in range(n, 0, -1):
        first[i] = first[i - 1]
    first[0] = 0
