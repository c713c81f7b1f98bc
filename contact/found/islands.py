"""Islands of a step: trees that block rows connect, each a problem of its own.

Source: Tarjan, "Efficiency of a good but not linear set union algorithm" (1975).
"""

from pluecker.contact.found.layout import (
    ISLAND_BLOCKS,
    ISLAND_FIRST,
    ISLAND_OF_TREE,
    ISLAND_TREES,
    ISLAND_TREES_FIRST,
    NEAR,
    TREES,
    count,
    index_piece,
    piece,
)
from pluecker.contact.found.problem import is_out_of_reach, problem_in
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
    """Sort block rows and trees by islands, in the order of their first trees; return how many islands there are

    A tree without a block row is in none, and limits that are out of reach are in none.
    """
    P, near, n = problem_in(s, ws), piece(s, ws, NEAR), count(s, TREES)
    above, blocks, first = (
        index_piece(s, ws, ISLAND_OF_TREE),
        index_piece(s, ws, ISLAND_BLOCKS),
        index_piece(s, ws, ISLAND_FIRST),
    )
    trees, first_tree = index_piece(s, ws, ISLAND_TREES), index_piece(s, ws, ISLAND_TREES_FIRST)
    for t in range(n):
        above[t] = t
    for g in range(groups):
        if is_out_of_reach(P, near, g):
            continue
        one = root_of(above, P.column[P.first[g]])
        for e in range(P.first[g] + 1, P.first[g + 1]):
            other = root_of(above, P.column[e])
            one, other = min(one, other), max(one, other)
            above[other] = one
    for t in range(n):
        above[t] = root_of(above, t)  # the least tree of the island
        trees[t] = -1  # of a root: the number of its island
    islands = 0
    for g in range(groups):
        if is_out_of_reach(P, near, g):
            continue
        root = above[P.column[P.first[g]]]
        if trees[root] < 0:
            trees[root] = islands
            first[islands] = 0
            islands += 1
        first[trees[root]] += 1
    for t in range(n):
        root = above[t]
        above[t] = trees[root] if root == t else above[root]  # roots are the least: they have their number already
    count_up(first, islands)
    for g in range(groups):
        if is_out_of_reach(P, near, g):
            continue
        i = above[P.column[P.first[g]]]
        blocks[first[i]] = g
        first[i] += 1
    count_back(first, islands)
    for i in range(islands + 1):
        first_tree[i] = 0
    for t in range(n):
        if above[t] >= 0:
            first_tree[above[t]] += 1
    count_up(first_tree, islands)
    for t in range(n):
        if above[t] >= 0:
            trees[first_tree[above[t]]] = t
            first_tree[above[t]] += 1
    count_back(first_tree, islands)
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
