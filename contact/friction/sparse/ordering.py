"""The order in which a sparse symmetric matrix is eliminated so that little fill arises: approximate minimum degree.

Eliminating an unknown connects all its neighbours with one another. The neighbours are kept as one list, an *element*,
not as the edges between them (quotient graph), so that memory never grows beyond that of the factor. Each step takes the
unknown with the smallest bound on its degree, which is cheap to keep up to date: what an element adds beyond the newest
one is counted for all unknowns of the newest at once. Unknowns with equal neighbours, as the contacts between the same two
bodies, are merged and eliminated together.

Source: P. R. Amestoy, T. A. Davis, I. S. Duff, "An approximate minimum degree ordering algorithm" (SIAM J. Matrix Anal.
Appl. 17, 1996), sections 2 to 4; written from the paper's description.
"""

from __future__ import annotations

import numpy as np

from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = ["minimum_degree"]


# --------------------------------------------------------------------------------------------------------------- kernels


@kernel
def unlink(lists, d, i):
    """Take i out of the list of unknowns with degree d"""
    head, after, before = lists
    if before[i] >= 0:
        after[before[i]] = after[i]
    else:
        head[d] = after[i]
    if after[i] >= 0:
        before[after[i]] = before[i]


@kernel
def link(lists, d, i):
    """Put i into the list of unknowns with degree d"""
    head, after, before = lists
    before[i], after[i] = -1, head[d]
    if head[d] >= 0:
        before[head[d]] = i
    head[d] = i


@kernel
def alike(i, j, adjacent, first, last, elements, variables, mark, stamp):
    """Return whether i and j, unknowns of the newest element, have equal neighbours; those of i are marked with ``stamp``"""
    if elements[i] != elements[j] or last[i] - variables[i] != last[j] - variables[j]:
        return False
    for k in range(first[j], first[j] + elements[j]):
        if mark[adjacent[k]] != stamp:
            return False
    for k in range(variables[j], last[j]):  # noqa: SIM110
        if mark[adjacent[k]] != stamp:
            return False
    return True


def minimum_degree(pattern_first, pattern_column, weight):
    """Find an order of elimination.

    Args:
        pattern_first: where the neighbours of each unknown start, ``(n + 1,)``.
        pattern_column: the neighbours, in any order, each once, ``(nnz,)``. The pattern is symmetric; the diagonal is
            skipped.
        weight: the number of rows of each unknown (a block), ``(n,)``.

    Returns:
        ``(n,)``: the unknown that is eliminated first, second, ...
    """
    n = len(weight)
    order = np.empty(n, np.int64)
    # The neighbours of an unknown: its elements from the left end of its place, its variables up to the right end. Both
    # shrink, and a new element takes the place of the unknown or of an element that it replaces.
    adjacent = np.empty(len(pattern_column), np.int64)
    first, last = pattern_first[:-1].copy(), pattern_first[1:].copy()
    elements, variables = np.zeros(n, np.int64), np.empty(n, np.int64)
    degree, alive = np.empty(n, np.int64), weight.copy()  # of a merged or eliminated unknown: no weight
    total = 0
    for i in range(n):
        end, d = last[i], 0
        for k in range(pattern_first[i], pattern_first[i + 1]):
            j = pattern_column[k]
            if j != i:
                end -= 1
                adjacent[end] = j
                d += weight[j]
        variables[i], degree[i] = end, d
        total += weight[i]
    lists = (np.full(total + 1, -1, np.int64), np.full(n, -1, np.int64), np.full(n, -1, np.int64))
    for i in range(n):
        link(lists, degree[i], i)
    # Elements have the number of the unknown that made them; their members are in a pool.
    pool = np.empty(max(16, 2 * len(pattern_column)), np.int64)
    top, begin, length = 0, np.zeros(n, np.int64), np.zeros(n, np.int64)
    size = np.zeros(n, np.int64)  # of an element, in rows; none when another has replaced it
    outside, counted = np.zeros(n, np.int64), np.full(n, -1, np.int64)  # |L_e \ L_p|, and for which p
    mark, stamp = np.full(n, -1, np.int64), 0
    bucket, chain, key = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.zeros(n, np.int64)
    member, tail = np.full(n, -1, np.int64), np.arange(n)
    done, least = 0, 0
    while done < n:
        while lists[0][least] < 0:
            least += 1
        p = lists[0][least]
        unlink(lists, least, p)
        j = p
        while j >= 0:
            order[done] = j
            done += 1
            j = member[j]
        total -= alive[p]
        alive[p] = 0
        # the new element: the union of the neighbours of p
        need = last[p] - variables[p]
        for k in range(first[p], first[p] + elements[p]):
            need += length[adjacent[k]]
        if top + need > len(pool):
            longer = np.empty(2 * (top + need), np.int64)
            for k in range(top):
                longer[k] = pool[k]
            pool = longer
        stamp += 1
        begin[p], whole = top, 0
        for k in range(first[p], first[p] + elements[p]):
            e = adjacent[k]
            for q in range(begin[e], begin[e] + length[e]):
                i = pool[q]
                if alive[i] > 0 and mark[i] != stamp:
                    mark[i] = stamp
                    pool[top] = i
                    top += 1
                    whole += alive[i]
            size[e] = 0
        for k in range(variables[p], last[p]):
            i = adjacent[k]
            if alive[i] > 0 and mark[i] != stamp:
                mark[i] = stamp
                pool[top] = i
                top += 1
                whole += alive[i]
        # what other elements have beyond it
        for q in range(begin[p], top):
            i = pool[q]
            unlink(lists, degree[i], i)
            for k in range(first[i], first[i] + elements[i]):
                e = adjacent[k]
                if size[e] > 0:
                    if counted[e] != p:
                        counted[e], outside[e] = p, size[e]
                    outside[e] -= alive[i]
        for q in range(begin[p], top):
            i = pool[q]
            d, hashed, kept = 0, p, first[i]
            for k in range(first[i], first[i] + elements[i]):
                e = adjacent[k]
                if size[e] > 0:
                    if outside[e] > 0:
                        adjacent[kept] = e
                        kept += 1
                        d += outside[e]
                        hashed += e
                    else:
                        size[e] = 0  # nothing beyond the new one
            end = last[i]
            for k in range(last[i] - 1, variables[i] - 1, -1):
                j = adjacent[k]
                if alive[j] > 0 and mark[j] != stamp:
                    end -= 1
                    adjacent[end] = j
                    d += alive[j]
                    hashed += j
            variables[i] = end
            adjacent[kept] = p
            elements[i] = kept + 1 - first[i]
            rest = whole - alive[i]
            degree[i] = min(total - alive[i], degree[i] + rest, d + rest)
            key[i] = hashed % n
            chain[i] = bucket[key[i]]
            bucket[key[i]] = i
        # unknowns that have become the same
        for q in range(begin[p], top):
            i = bucket[key[pool[q]]]
            bucket[key[pool[q]]] = -1
            while i >= 0:
                if chain[i] >= 0:
                    stamp += 1
                    for k in range(first[i], first[i] + elements[i]):
                        mark[adjacent[k]] = stamp
                    for k in range(variables[i], last[i]):
                        mark[adjacent[k]] = stamp
                    before, j = i, chain[i]
                    while j >= 0:
                        if alike(i, j, adjacent, first, last, elements, variables, mark, stamp):
                            degree[i] -= alive[j]
                            alive[i] += alive[j]
                            alive[j] = 0
                            member[tail[i]] = j
                            tail[i] = tail[j]
                            chain[before] = chain[j]
                        else:
                            before = j
                        j = chain[j]
                i = chain[i]
        q = begin[p]
        for k in range(begin[p], top):
            i = pool[k]
            if alive[i] > 0:
                pool[q] = i
                q += 1
                link(lists, degree[i], i)
                least = min(least, degree[i])
        top = q
        length[p], size[p] = q - begin[p], whole
    return order


minimum_degree = kernel(minimum_degree)
