"""Pattern of the bilateral rows of a problem: their groups, their connected components, and their places in a factor.

A *bilateral* row has no bounds: its velocity is zero, or with a compliance the row is a linear spring and damper. Rows one
after the other with the same columns, those of one hinge for example, are one *group*. Groups that touch one another,
directly or through others, but not through contacts, are a *component*: what is eliminated with it reaches no further.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.elimination.block_rows import stack_rows
from pluecker.contact.friction.problem.operator import Operator, multiply_factors
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import Sets
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices, from_scipy, graph_of, to_scipy
from pluecker.contact.friction.sparse.cholesky import Symbolic, analyse
from pluecker.spatial.engine.parallel.interruption import answering

__all__ = ["Pattern", "bilateral_blocks", "bilateral_matrix", "find_pattern", "rows_of"]


class Pattern(NamedTuple):
    """Structure of bilateral rows: it depends on the sets and on which entries there are, and not on numbers.

    Attributes:
        bilateral: the blocks without bounds, ``(n_B,)``; each has one row.
        others: the other blocks, ``(n_C,)``.
        rows: the rows of the bilateral blocks, ``(n_B,)``.
        kept: the rows of the others, ``(m_C,)``.
        group: where each group of rows starts in ``rows``, and their end, ``(g + 1,)``.
        component: which component each row of ``rows`` belongs to, ``(n_B,)``.
        components: their number.
        factor: the order of elimination of the groups, and the pattern of their factor.
    """

    bilateral: Indices
    others: Indices
    rows: Indices
    kept: Indices
    group: Indices
    component: Indices
    components: int
    factor: Symbolic


def bilateral_blocks(K: Sets) -> Indices:
    """Return the blocks that are one row without bounds."""
    free = K.lower == -np.inf
    if not free.any():  # as a rule, and quickly seen
        return np.zeros(0, np.int64)
    return np.flatnonzero(free & (K.upper == np.inf) & ~K.sizes.any(axis=1))


def rows_of(K: Sets, blocks: Indices) -> Indices:
    """Return the rows of some blocks, one after the other."""
    heights = np.diff(K.start)[blocks]
    ends = np.cumsum(heights)
    return np.repeat(K.start[:-1][blocks] - (ends - heights), heights) + np.arange(int(ends[-1]) if len(ends) else 0)


def alike(first: Indices, column: Indices, chosen: Indices) -> np.ndarray:
    """Return for each of these rows whether it has the columns of the one before it, ``(c,)``; False for the first."""
    counts, n = np.diff(first)[chosen], len(chosen)
    ends = np.cumsum(counts)
    total = int(ends[-1]) if n else 0
    listed = column[np.repeat(first[:-1][chosen] - (ends - counts), counts) + np.arange(total)]
    row = np.repeat(np.arange(n), counts)
    same = np.zeros(n, np.bool_)
    same[1:] = counts[1:] == counts[:-1]
    back = np.flatnonzero(same[row])
    differ = back[listed[back] != listed[back - counts[row[back]]]]
    same[row[differ]] = False
    return same


def group_rows(operator: Operator, chosen: Indices) -> Indices:
    """Find where each group of bilateral blocks starts among them, with their number at the end, ``(g + 1,)``."""
    parts = (operator.J, operator.T) if operator.is_factored else (operator.N,)
    same = np.logical_and.reduce([alike(B.first, B.column, chosen) for B in parts])
    return np.append(np.flatnonzero(~same), len(chosen)).astype(np.int64)


def bilateral_matrix(operator: Operator, chosen: Indices, rows: Indices, group: Indices) -> BlockMatrix:
    """Return N between bilateral rows, without compliance, group by group; which blocks it has depends on no number."""
    if operator.is_factored:
        J, T = (BlockMatrix(*answering(stack_rows, B, chosen, group)) for B in (operator.J, operator.T))
        return multiply_factors(J, T)
    N = to_scipy(operator.N)[rows][:, rows]
    return from_scipy(N, group, group)


def find_pattern(problem: Problem) -> Pattern | None:
    """Find the pattern of a problem; None where no row is bilateral."""
    K, operator = problem.sets, problem.operator
    bilateral = bilateral_blocks(K)
    if len(bilateral) == 0:
        return None
    if operator.is_factored:
        # Rows of one body last, which the order of elimination takes first where it has a choice: what hangs on the world is
        # eliminated from there, and the last pivot is that of a body, not of all bodies together.
        bilateral = bilateral[np.argsort(-np.diff(operator.J.first)[bilateral], kind="stable")]
    is_other = np.ones(problem.blocks, np.bool_)
    is_other[bilateral] = False
    others, rows = np.flatnonzero(is_other), K.start[:-1][bilateral]
    group = group_rows(operator, bilateral)
    N = bilateral_matrix(operator, bilateral, rows, group)
    from scipy.sparse.csgraph import connected_components  # here: it takes long to import

    components, label = connected_components(graph_of(N), directed=False)
    component = np.repeat(label.astype(np.int64), np.diff(group))
    factor = analyse(N)
    return Pattern(bilateral, others, rows, rows_of(K, others), group, component, int(components), factor)
