"""The convex problem of friction as an interior-point method sees it: which cones there are, what is fixed, which units.

A disc is one cone, the bounds of a row are one (:mod:`~pluecker.contact.interior_point.second_order`). Discs without
friction and bounds that are equal leave no interior: their multipliers are fixed. Rows without bounds have no cone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.interior_point.second_order import BOUNDS, LINE, ROUND
from pluecker.contact.problem.sets import DISCS, Sets
from pluecker.contact.sparse.blocks import Indices
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Cones", "in_units_of_offset", "list_cones"]

FLAT = 1e-12  # a disc with a smaller coefficient has no interior: its components are zero


class Cones(NamedTuple):
    """The cones of all blocks, in the order of the blocks, and what stays fixed.

    Attributes:
        first: where the cones of each block start, ``(n + 1,)``.
        block: of each cone, ``(c,)``.
        kind: BOUNDS, LINE or ROUND, ``(c,)``.
        row: the first component of its disc in the block, ``(c,)``.
        friction: the coefficient of its disc, ``(c,)``.
        has: 1 for the components that it has, 0 for others, ``(c, 3)``.
        simple: 1 for contacts with one disc and nothing else, whose turn is known, ``(n,)``.
        fixed: 1 for multipliers that cannot change, ``(m,)``.
        held: how many of each block that is, ``(n,)``; as many y come first in the block and do not change.
    """

    first: Indices
    block: Indices
    kind: Indices
    row: Indices
    friction: Array
    has: Array
    simple: Indices
    fixed: Indices
    held: Indices


def list_cones(K: Sets) -> Cones:
    """The cones of the sets K. Bounds that are equal fix a multiplier, coefficients that are zero those of a disc."""
    top, sizes, mu, lower, upper = K.start[:-1], K.sizes, K.friction, K.lower, K.upper
    offset = 1 + np.cumsum(sizes, axis=1) - sizes
    discs = (sizes > 0) & (mu > FLAT)
    flat = (sizes > 0) & ~discs
    fixed, held = np.zeros(K.start[-1], np.int64), (sizes * flat).sum(axis=1)
    for component in range(int(sizes.max(initial=0))):
        block, disc = np.nonzero(flat & (sizes > component))
        fixed[top[block] + offset[block, disc] + component] = 1
    alone = ~discs.any(axis=1)
    equal = alone & (upper - lower <= np.minimum(1e-15 * np.maximum(abs(lower), abs(upper)), 1e300))
    fixed[top[equal]] = 1
    held += equal
    bounded = alone & ~equal & ((lower > -np.inf) | (upper < np.inf))
    block, which = np.nonzero(np.column_stack([discs, bounded]))  # in the order of the blocks
    disc, is_row = np.minimum(which, DISCS - 1), which == DISCS
    size = sizes[block, disc]
    has = np.column_stack([np.ones(len(block)), np.ones(len(block)), size - 1.0])
    has[is_row] = np.column_stack([lower > -np.inf, upper < np.inf, np.zeros(len(top))])[block[is_row]]
    return Cones(
        np.concatenate([[0], np.cumsum(discs.sum(axis=1) + bounded)]), block,
        np.where(is_row, BOUNDS, np.where(size == 1, LINE, ROUND)), np.where(is_row, 0, offset[block, disc]),
        np.where(is_row, 0.0, mu[block, disc]), has, ((discs.sum(axis=1) == 1) & (held == 0)).astype(np.int64), fixed, held,
    )  # fmt: skip


def in_units_of_offset(b: Array, K: Sets) -> tuple[Array, Sets, float]:
    """b and K divided by the largest number among b and bounds that ask for another solution than r = 0; that number

    It is zero if r = 0 is a solution.
    """
    unit = max(float(abs(b).max(initial=0.0)), float(np.maximum(K.lower, -K.upper).max(initial=0.0)))
    divisor = unit if unit > 0.0 else 1.0
    return b / divisor, K._replace(lower=K.lower / divisor, upper=K.upper / divisor), unit
