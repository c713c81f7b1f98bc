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
from pluecker.spatial.compiled.decorators import entry_point
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


def list_cones(K):
    """The cones of the sets K. Bounds that are equal fix a multiplier, coefficients that are zero those of a disc."""
    n, c = len(K.start) - 1, 0
    most = DISCS * n
    first, block, kind, row = (
        np.zeros(n + 1, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
    )
    friction, has = np.zeros(most), np.zeros((most, 3))
    simple, fixed, held = np.zeros(n, np.int64), np.zeros(K.start[-1], np.int64), np.zeros(n, np.int64)
    for i in range(n):
        top, r = K.start[i], 1
        for k in range(DISCS):
            size = K.sizes[i, k]
            if size > 0 and K.friction[i, k] > FLAT:
                block[c], kind[c], row[c], friction[c] = i, LINE if size == 1 else ROUND, r, K.friction[i, k]
                has[c, 0], has[c, 1], has[c, 2] = 1.0, 1.0, size - 1.0
                c += 1
            else:
                fixed[top + r : top + r + size] = 1
                held[i] += size
            r += size
        if c == first[i]:
            lower, upper = K.lower[i], K.upper[i]
            if upper - lower <= min(1e-15 * max(abs(lower), abs(upper)), 1e300):
                fixed[top] = 1
                held[i] += 1
            elif lower > -np.inf or upper < np.inf:
                block[c], kind[c] = i, BOUNDS
                has[c, 0], has[c, 1] = 1.0 if lower > -np.inf else 0.0, 1.0 if upper < np.inf else 0.0
                c += 1
        elif c == first[i] + 1 and held[i] == 0:
            simple[i] = 1
        first[i + 1] = c
    return Cones(first, block[:c], kind[:c], row[:c], friction[:c], has[:c], simple, fixed, held)


def in_units_of_offset(b, K):
    """b and K divided by the largest number among b and bounds that ask for another solution than r = 0; that number

    It is zero if r = 0 is a solution.
    """
    n, unit = len(K.start) - 1, 0.0
    for k in range(len(b)):
        unit = max(unit, abs(b[k]))
    for i in range(n):
        unit = max(unit, max(K.lower[i], -K.upper[i]))
    divisor = unit if unit > 0.0 else 1.0
    c, lower, upper = np.empty(len(b)), np.empty(n), np.empty(n)
    for k in range(len(b)):
        c[k] = b[k] / divisor
    for i in range(n):
        lower[i], upper[i] = K.lower[i] / divisor, K.upper[i] / divisor
    return c, Sets(K.start, K.sizes, K.friction, lower, upper), unit


list_cones, in_units_of_offset = entry_point(list_cones), entry_point(in_units_of_offset)
