"""The convex problem of friction as an interior-point method sees it: which cones there are, what is fixed, which units.

A disc is one cone, the bounds of a row are one (:mod:`~pluecker.contact.friction.interior_point.second_order`). Discs
without friction and bounds that are equal leave no interior: their multipliers are fixed. Rows without bounds have no cone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.interior_point.second_order import BOUNDS, LINE, ROUND
from pluecker.contact.friction.problem.sets import DISCS, Sets
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.engine.compiled.decorators import entry_point, kernel
from pluecker.spatial.engine.parallel.interruption import answering
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
    """List the cones of the sets K. Bounds that are equal fix a multiplier, coefficients that are zero those of a disc."""
    n, m = len(K.sizes), int(K.start[-1])
    most = DISCS * n
    block, kind, row = np.empty((3, most), np.int64)
    simple, held = np.empty((2, n), np.int64)
    C = Cones(
        np.empty(n + 1, np.int64),
        block,
        kind,
        row,
        np.empty(most),
        np.empty((most, 3)),
        simple,
        np.zeros(m, np.int64),
        held,
    )
    count = answering(find_cones, K, C)
    return C._replace(
        block=block[:count], kind=kind[:count], row=row[:count], friction=C.friction[:count], has=C.has[:count]
    )


def find_cones(K, C):
    """Write the cones of the sets K to C, which has room for more and nothing fixed; return how many there are"""
    count = 0
    for i in range(len(K.sizes)):
        top, row, discs, held = K.start[i], 1, 0, 0
        C.first[i] = count
        for d in range(DISCS):
            size, mu = K.sizes[i, d], K.friction[i, d]
            if size > 0 and mu > FLAT:
                put_cone(C, count, i, LINE if size == 1 else ROUND, row, mu, 1.0, 1.0, size - 1.0)
                count, discs = count + 1, discs + 1
            elif size > 0:
                for k in range(top + row, top + row + size):
                    C.fixed[k] = 1
                held += size
            row += size
        lower, upper = K.lower[i], K.upper[i]
        if discs == 0 and upper - lower <= min(1e-15 * max(abs(lower), abs(upper)), 1e300):
            C.fixed[top] = 1
            held += 1
        elif discs == 0 and (lower > -np.inf or upper < np.inf):
            above, below = 1.0 if lower > -np.inf else 0.0, 1.0 if upper < np.inf else 0.0
            put_cone(C, count, i, BOUNDS, 0, 0.0, above, below, 0.0)
            count += 1
        C.simple[i], C.held[i] = 1 if discs == 1 and held == 0 else 0, held
    C.first[len(K.sizes)] = count
    return count


@kernel
def put_cone(C, c, block, kind, row, friction, a, b, o):
    """Write cone number c to C"""
    C.block[c], C.kind[c], C.row[c], C.friction[c] = block, kind, row, friction
    C.has[c, 0], C.has[c, 1], C.has[c, 2] = a, b, o


find_cones = entry_point(find_cones)


def in_units_of_offset(b: Array, K: Sets) -> tuple[Array, Sets, float]:
    """Divide b and K by the largest number among b and bounds that ask for another solution than r = 0; return it too.

    That number is zero if r = 0 is a solution; nothing is divided then.
    """
    unit = max(float(abs(b).max(initial=0.0)), float(np.maximum(K.lower, -K.upper).max(initial=0.0)))
    divisor = unit if unit > 0.0 else 1.0
    return b / divisor, K._replace(lower=K.lower / divisor, upper=K.upper / divisor), unit
