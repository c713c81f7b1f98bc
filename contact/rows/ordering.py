"""Elimination order of the linear rows, and the fill that it makes.

Rows of one constraint go together. Two constraints are neighbours if they act on the same tree. The one with the fewest
neighbours goes first, and makes its neighbours neighbours of each other: with chains and trees of bodies that fills nothing.

Source: Tinney, Walker (1967), "Direct solutions of sparse network equations by optimally ordered triangular factorization",
scheme 2: minimum degree.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

__all__ = ["eliminate", "neighbours_of"]


def neighbours_of(trees: Sequence[set[int]]) -> list[set[int]]:
    """Find for each constraint those that act on one of its trees, itself not among them."""
    on: dict[int, list[int]] = {}
    for k, own in enumerate(trees):
        for t in own:
            on.setdefault(t, []).append(k)
    return [{j for t in own for j in on[t]} - {k} for k, own in enumerate(trees)]


def eliminate(neighbours: Sequence[set[int]], weights: Sequence[int]) -> tuple[list[int], list[set[int]]]:
    """Find the order, and for each constraint those that come later and meet it when it is eliminated."""
    now = [set(own) for own in neighbours]
    order: list[int] = []
    later: list[set[int]] = [set() for _ in now]
    gone = [False] * len(now)
    heap = [(sum(weights[j] for j in own), k) for k, own in enumerate(now)]
    heapq.heapify(heap)
    while heap:
        degree, k = heapq.heappop(heap)
        if gone[k] or degree != sum(weights[j] for j in now[k]):
            continue
        gone[k] = True
        order.append(k)
        later[k] = now[k]
        for j in now[k]:
            now[j] = (now[j] | now[k]) - {j, k}
            heapq.heappush(heap, (sum(weights[i] for i in now[j]), j))
    return order, later
