"""How impulses of the rows with a range change their velocities: W = J A^-1 J^T, in which linear rows answer.

Where there are none, W = Z D^-1 Z^T with the rows Z = J L^-1 of A = L^T D L: half of a solution for each row, half of the
products, and no way through the bodies that a row does not touch.

Source: RBDA section 6.5 for the factor.
"""

from pluecker.articulated.algorithms.inertia.inertia_factor import solve_factorized
from pluecker.articulated.model.layout import (
    FIRST_ROW,
    ROW_COUNT,
    ancestor,
    clear,
    factored_place,
    row_coordinate,
    row_depth,
    solved_by_sweeps,
    tree_count,
    tree_entry,
    velocity_count,
)
from pluecker.articulated.stepping.terms.rows import sleeps
from pluecker.contact.rows.jacobian import add_row_force, row_rate
from pluecker.contact.rows.layout import linear_count, range_count
from pluecker.contact.rows.mobility import hold_rows
from pluecker.spatial.compiled.decorators import called_kernel, kernel
from pluecker.spatial.scalars.operations import accumulate, load, part, store, tail, within

__all__ = ["FEW", "LAW", "STEPS", "answer", "store_range_mobility"]

STEPS = 4  # of a staircase: lower limit, friction, motor, upper limit
LAW = 2 * STEPS + 1
FEW = 64  # coordinates: up to so many, whole rows of Z are multiplied, the zeros with them
LEAST = 1e-13  # of a row's mobility without linear rows: beyond the rounding of what they leave of it


@called_kernel
def store_range_mobility(m, w, factor, J, S, compliance, count, kept, ws):
    """W of the rows that are awake: of few coordinates without linear rows from half solutions, else column by column"""
    few = linear_count(w) == 0 and velocity_count(m) <= FEW
    for t in range(tree_count(m) if few else 0):
        few = few and not solved_by_sweeps(m, t)
    if few:
        store_mobility_of_halves(m, w, factor, J, count, kept, ws)
    else:
        store_mobility_by_columns(m, w, factor, J, S, compliance, count, kept, ws)


@kernel
def store_inverse_diagonal(m, t, factor, x):
    """1 / D of tree ``t``, in the order of coordinates"""
    first = tree_entry(m, t, FIRST_ROW)
    for k in range(first, first + tree_entry(m, t, ROW_COUNT)):
        store(x, row_coordinate(m, k), load(factor, factored_place(m, k) + row_depth(m, k)))


@kernel
def hand_towards_root(m, t, factor, z):
    """z L^-1 in the coordinates of tree ``t``; rows that have nothing hand on nothing"""
    first = tree_entry(m, t, FIRST_ROW)
    for k in range(first + tree_entry(m, t, ROW_COUNT) - 1, first - 1, -1):
        row, y = factored_place(m, k), load(z, row_coordinate(m, k))
        if not within(y, 0.0):
            for a in range(row_depth(m, k)):
                accumulate(z, row_coordinate(m, ancestor(m, row + a)), -load(factor, row + a) * y)


@kernel
def store_mobility_of_halves(m, w, factor, J, count, kept, ws):
    """W = Z D^-1 Z^T with the rows Z = J L^-1 of H = L^T D L: half of a solution for each row, and half of the products"""
    n, first, nv = range_count(w), linear_count(w), velocity_count(m)
    soft, W = part(kept, (LAW + 1) * n, n), part(kept, (LAW + 2) * n, n * n)
    D, z, Z, row = part(ws, 0, nv), part(ws, nv, nv), tail(ws, 2 * nv), 0  # Z column by column
    for t in range(tree_count(m)):
        store_inverse_diagonal(m, t, factor, D)
    clear(W, count * count)
    for k in range(n):
        if not sleeps(kept, k):
            clear(z, nv)
            add_row_force(w, J, first + k, 1.0 + 0.0 * load(J, 0), z)
            for t in range(tree_count(m)):
                hand_towards_root(m, t, factor, z)
            for v in range(nv):
                zv = load(z, v)
                store(Z, v * count + row, zv)
                if not within(zv, 0.0):
                    x, own, column = load(D, v) * zv, part(W, row * count, row + 1), part(Z, v * count, row + 1)
                    for i in range(row + 1):
                        accumulate(own, i, x * load(column, i))
            for i in range(row):
                store(W, i * count + row, load(W, row * count + i))
            own = load(W, row * count + row)
            store(W, row * count + row, own + load(soft, k) + LEAST * own)
            row += 1


@kernel
def store_mobility_by_columns(m, w, factor, J, S, compliance, count, kept, ws):
    """Each column the answer of the coordinates and of linear rows to one row's impulse"""
    n, first, nv = range_count(w), linear_count(w), velocity_count(m)
    soft, W = part(kept, (LAW + 1) * n, n), part(kept, (LAW + 2) * n, n * n)
    y, rest = part(ws, 0, nv), tail(ws, nv)
    column = 0
    for k in range(n):
        if not sleeps(kept, k):
            clear(y, nv)
            add_row_force(w, J, first + k, 1.0 + 0.0 * load(J, 0), y)
            own = answer(m, w, factor, J, S, compliance, first + k, y, rest)
            i = 0
            for j in range(n):
                if not sleeps(kept, j):
                    store(W, i * count + column, row_rate(w, J, first + j, y))
                    i += 1
            accumulate(W, column * count + column, load(soft, k) + LEAST * own)
            column += 1


@called_kernel
def answer(m, w, factor, J, S, compliance, row, y, ws):
    """y = A^-1 p and what linear rows make of it, with p in ``y``; the rate of ``row`` without them. Their impulses come
    first in ``ws``"""
    n = linear_count(w)
    dr, zeros, rest = part(ws, 0, n), part(ws, n, n), tail(ws, 2 * n)
    solve_factorized(m, factor, y, rest)
    own = row_rate(w, J, row, y)
    if n > 0:
        clear(dr, n)
        clear(zeros, n)
        hold_rows(m, w, factor, J, S, compliance, zeros, dr, y, rest)
    return own
