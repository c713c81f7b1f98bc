"""Products with one factor of the inertia matrix, tree by tree: half of a solution, or of a product with the matrix.

Both forms have one L in memory, that of ``H = L^T D L``: the factor of ``H = L^T L`` has its rows scaled by the square roots
of D. Where a tree is solved by stored sweeps, each product with L is one sweep.

Source: RBDA section 6.5.
"""

from __future__ import annotations

from pluecker.articulated.algorithms.inertia.inertia_sweeps import D, sweep_inward, sweep_outward, swept_place
from pluecker.articulated.algorithms.inertia.ltdl import multiply_ltdl
from pluecker.articulated.model.layout import (
    FIRST_ROW,
    ROW_COUNT,
    factored_place,
    row_coordinate,
    row_depth,
    solved_by_sweeps,
    tree_count,
    tree_entry,
    velocity_count,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, load_integer, sqrt, store

__all__ = ["PRODUCTS", "inverse_pivot", "product_kernel"]

# the constants of a product: what the rows are scaled by before and after, and which triangular product is between
BEFORE, AFTER, TRIANGULAR, TRANSPOSED, INVERSE = range(5)
NOTHING, PIVOT, ROOT, INVERSE_PIVOT, INVERSE_ROOT = 0, 1, 2, -1, -2
# by form and name; with rows R = sqrt(D) L, those of L scaled: R x = sqrt(D) (L x), and R^T x = L^T (sqrt(D) x)
PRODUCTS = {
    "LTDL": {
        "L": (NOTHING, NOTHING, True, False, False),
        "L^T": (NOTHING, NOTHING, True, True, False),
        "L^-1": (NOTHING, NOTHING, True, False, True),
        "L^-T": (NOTHING, NOTHING, True, True, True),
        "D": (PIVOT, NOTHING, False, False, False),
        "D^-1": (INVERSE_PIVOT, NOTHING, False, False, False),
    },
    "LTL": {
        "L": (NOTHING, ROOT, True, False, False),
        "L^T": (ROOT, NOTHING, True, True, False),
        "L^-1": (INVERSE_ROOT, NOTHING, True, False, True),
        "L^-T": (NOTHING, INVERSE_ROOT, True, True, True),
    },
}


@kernel
def inverse_pivot(m, t, r, factor):
    """1 / D of row ``r``, one of tree ``t``"""
    if solved_by_sweeps(m, t):
        return load(factor, swept_place(m, t, r) + D)
    return load(factor, factored_place(m, r) + row_depth(m, r))


@kernel
def scale_rows(m, t, power, factor, x):
    """x = D x, D^-1 x, or with the square root of D"""
    first = tree_entry(m, t, FIRST_ROW)
    for r in range(first, first + tree_entry(m, t, ROW_COUNT)):
        d, v = inverse_pivot(m, t, r, factor), row_coordinate(m, r)
        if abs(power) == ROOT:
            d = sqrt(d)
        store(x, v, load(x, v) * d if power < 0 else load(x, v) / d)


@kernel
def product_kernel(m, c, factor, x, y, ws):
    """y = L x, or another product with one of the factors"""
    before, after, transposed, inverse = (
        load_integer(c, BEFORE),
        load_integer(c, AFTER),
        load_integer(c, TRANSPOSED) != 0,
        load_integer(c, INVERSE) != 0,
    )
    for k in range(velocity_count(m)):
        store(y, k, load(x, k))
    for t in range(tree_count(m)):
        if before != NOTHING:
            scale_rows(m, t, before, factor, y)
        if load_integer(c, TRIANGULAR) != 0:
            if not solved_by_sweeps(m, t):
                multiply_ltdl(m, t, transposed, inverse, factor, y)
            elif transposed:
                sweep_inward(m, t, inverse, False, factor, y, ws)
            else:
                sweep_outward(m, t, inverse, factor, y, ws)
        if after != NOTHING:
            scale_rows(m, t, after, factor, y)
