"""Rows of constraints as blocks of a friction problem: from the values that the compiled part of a step leaves.

A linear row is one without bounds, with its compliance. A row with a range has a staircase: each of its steps is a row of
its own with the bounds of what the law falls by there, about the velocity of the step; the impulses of all steps of a row
are added. A contact of constraints is a cone, with three rows.

Source: Moreau (1999): the sum of monotone laws of one velocity is a monotone law.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.contact.piles.jacobian import Paths
from pluecker.contact.rows import layout
from pluecker.contact.rows.mobility import FREE
from pluecker.contact.rows.packing import Packed
from pluecker.contact.rows.ranges import LAW, STAIRCASE_STEPS
from pluecker.contact.rows.returned_impulses import HIT, LEAST
from pluecker.spatial.functions.elementwise import Array

__all__ = ["ConstraintRows", "RowTable", "gathered", "row_table", "rows_of_constraints"]


class RowTable(NamedTuple):
    """Structure of the rows, which does not change from step to step: groups of rows, each one row of blocks.

    Attributes:
        first: the first row of each group, and the number of rows at the end, ``(groups + 1,)``.
        linear, ranged: how many groups are linear rows, and rows with a range; contacts come after them.
        begin: where the blocks of each group begin among all, ``(groups + 1,)``.
        tree: of each block.
        place: where each block begins in the data, and how many numbers there are at the end.
        scatter: where in the data each value of J is.
        owner, column: of each value its row, and the row of the trees that it multiplies.
        returned: Poisson's coefficient of each contact.
    """

    first: Indices
    linear: int
    ranged: int
    begin: Indices
    tree: Indices
    place: Indices
    scatter: Indices
    owner: Indices
    column: Indices
    returned: Array


class ConstraintRows(NamedTuple):
    """Rows of blocks of one step.

    Attributes:
        heights: rows of each.
        begin, tree, place, data: their blocks, places counted from the first of them.
        lower, upper, friction: their sets; friction of contacts, else 0.
        asked: the velocity about which each of their rows has its law.
        compliance: of each of their rows.
        row: which row of the constraints each of their rows is.
        returned: Poisson's coefficient of contacts, else 0, of each of ``heights``.
        hit: whether a contact that has one is hit.
    """

    heights: Indices
    begin: Indices
    tree: Indices
    place: Indices
    data: Array
    lower: Array
    upper: Array
    friction: Array
    asked: Array
    compliance: Array
    row: Indices
    returned: Array
    hit: bool


def row_table(packed: Packed, ways: Paths) -> RowTable:
    """Make the table of the constraints of a world."""
    w = packed.array.view(np.int64)
    n, contacts = packed.n_rows, packed.n_contacts
    records = w[w[layout.ROWS] :][: layout.ROW * n].reshape(n, layout.ROW)
    columns = w[w[layout.COLUMNS] :][: packed.n_values]
    row_of = np.empty(len(ways.v), np.int64)
    row_of[ways.v] = np.arange(len(ways.v))
    count = records[:, layout.VALUE_COUNT]
    owner, value = np.repeat(np.arange(n), count), gathered(records[:, layout.FIRST_VALUE], count)
    first = np.concatenate([np.arange(n - 3 * contacts), n - 3 * contacts + 3 * np.arange(contacts + 1)])
    group = np.searchsorted(first, owner, side="right") - 1
    r = row_of[columns[value]]
    t = np.searchsorted(ways.start, r, side="right") - 1
    blocks, block = np.unique(group * np.int64(len(ways.start)) + t, return_inverse=True)
    owners, tree = np.divmod(blocks, len(ways.start))
    width = ways.start[tree + 1] - ways.start[tree]
    place = np.concatenate([[0], np.cumsum(np.diff(first)[owners] * width)]).astype(np.int64)
    scatter = np.zeros(packed.n_values, np.int64)
    block = block.reshape(-1)
    scatter[value] = place[block] + (owner - first[group]) * width[block] + r - ways.start[t]
    begin = np.searchsorted(owners, np.arange(len(first))).astype(np.int64)
    owners_by_value, columns_by_value = np.zeros(packed.n_values, np.int64), np.zeros(packed.n_values, np.int64)
    owners_by_value[value], columns_by_value[value] = owner, r
    ranged = n - 3 * contacts - packed.n_linear
    numbers = packed.array[w[layout.ROWS] :][: layout.ROW * n].reshape(n, layout.ROW)
    returned = numbers[n - 3 * contacts :: 3, layout.ROW_RETURNED]
    return RowTable(
        first, packed.n_linear, ranged, begin, tree, place, scatter, owners_by_value, columns_by_value, returned
    )


def gathered(first: Indices, count: Indices) -> Indices:
    """Concatenate the ranges first[0], first[0] + 1, ..., so many of each."""
    ends = np.cumsum(count)
    return np.asarray(np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - (ends - count), count))


def rows_of_constraints(
    table: RowTable, J: Array, compliance: Array, asked: Array, laws: Array, softness: Array
) -> ConstraintRows:
    """Make the rows of one step.

    Args:
        J: values of all rows.
        compliance, asked: of linear rows.
        laws: of rows with a range, nine numbers each.
        softness: of these, their compliance.
    """
    n, plain = table.linear, table.ranged
    numbers = laws.reshape(-1, LAW)
    level, step = numbers[:plain, 0::2], -numbers[:plain, 1::2]
    with np.errstate(invalid="ignore"):
        drop = np.where(level[:, :-1] == level[:, 1:], 0.0, level[:, :-1] - level[:, 1:])
    which, k = np.nonzero(drop > 0.0)
    assert drop.shape[1] == STAIRCASE_STEPS
    top, bottom = np.isinf(level[which, k]), np.isinf(level[which, k + 1])
    half = 0.5 * drop[which, k]
    lower = np.where(bottom, -np.inf, np.where(top, 0.0, -half))
    upper = np.where(top, np.inf, np.where(bottom, 0.0, half))
    cones = len(table.first) - 1 - n - plain
    held = np.flatnonzero(compliance < FREE)
    chosen = np.concatenate([held, n + which, n + plain + np.arange(cones)])
    data = np.zeros(int(table.place[-1]))
    data[table.scatter] = J
    count = np.diff(table.begin)[chosen]
    blocks = gathered(table.begin[chosen], count)
    sizes = np.diff(table.place)[blocks]
    heights = np.diff(table.first)[chosen]
    cone_laws = numbers[plain:].reshape(cones, 3, LAW)
    about = np.zeros((cones, 3))
    about[:, 0] = cone_laws[:, 0, LEAST]
    infinite, none = np.full(len(held), np.inf), np.zeros(cones)
    return ConstraintRows(
        heights,
        np.concatenate([[0], np.cumsum(count)]).astype(np.int64),
        table.tree[blocks],
        (np.cumsum(sizes) - sizes).astype(np.int64),
        data[gathered(table.place[blocks], sizes)],
        np.concatenate([-infinite, lower, none]),
        np.concatenate([infinite, upper, none + np.inf]),
        np.concatenate([np.zeros(len(held) + len(which)), cone_laws[:, 0, 0]]),
        np.concatenate([asked[held], step[which, k], about.ravel()]),
        np.concatenate([compliance[held], softness[:plain][which], softness[plain:]]),
        gathered(table.first[chosen], heights),
        np.concatenate([np.zeros(len(held) + len(which)), table.returned]),
        bool((cone_laws[:, 0, HIT] > 0.0).any()),
    )
