"""Mobility of the rows with a range, by which impulses change their velocities: W = J A^-1 J^T, in which linear rows answer.

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
    row_parent,
    solved_by_sweeps,
    tree_count,
    tree_entry,
    velocity_count,
)
from pluecker.articulated.stepping.terms.rows import sleeps
from pluecker.contact.rows.jacobian import add_row_force, row_rate
from pluecker.contact.rows.layout import FIRST_VALUE, VALUE_COUNT, column, linear_count, range_count, row_entry
from pluecker.contact.rows.mobility import hold_rows
from pluecker.spatial.dense.combinations import add_multiple, add_multiples
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, part, store, tail, within

__all__ = ["FEW", "LAW", "STAIRCASE_STEPS", "answer", "store_range_mobility"]

STAIRCASE_STEPS = 4  # of a staircase: lower limit, friction, motor, upper limit
LAW = 2 * STAIRCASE_STEPS + 1
FEW = 64  # coordinates: up to so many, whole rows of Z are multiplied, the zeros with them
SMALLEST_MOBILITY = 1e-13  # of a row's mobility without linear rows: beyond the rounding of what they leave of it


@called_kernel
def store_range_mobility(m, w, mobility, count, kept, ws):
    """Store W of the rows that are awake: by half solutions for few coordinates and no linear rows, else column by column"""
    few = linear_count(w) == 0 and velocity_count(m) <= FEW
    for t in range(tree_count(m) if few else 0):
        few = few and not solved_by_sweeps(m, t)
    if few:
        store_mobility_of_halves(m, w, mobility.factor, mobility.J, count, kept, ws)
    else:
        store_mobility_by_columns(m, w, mobility, count, kept, ws)


@kernel
def store_mobility_of_halves(m, w, factor, J, count, kept, ws):
    """Store W = Z D^-1 Z^T with rows Z = J L^-1 of H = L^T D L: half a solution for each row, and half of the products"""
    n, soft = range_count(w), part(kept, (LAW + 1) * range_count(w), range_count(w))
    W, Z, row = part(kept, (LAW + 2) * n, count * count), part(ws, 0, velocity_count(m) * count), 0
    store_rows_side_by_side(w, J, count, kept, Z)
    clear(W, count * count)
    for t in range(tree_count(m)):
        add_halves(m, t, factor, count, Z, W)
    for k in range(n):
        if not sleeps(kept, k):
            for i in range(row):
                store(W, i * count + row, load(W, row * count + i))
            own = load(W, row * count + row)
            store(W, row * count + row, own + load(soft, k) + SMALLEST_MOBILITY * own)
            row += 1


@kernel
def store_rows_side_by_side(w, J, count, kept, Z):
    """Store J of the rows that are awake; those of one coordinate stand beside each other"""
    first, row = linear_count(w), 0
    clear(Z, len(Z))
    for k in range(range_count(w)):
        if not sleeps(kept, k):
            value = row_entry(w, first + k, FIRST_VALUE)
            for j in range(value, value + row_entry(w, first + k, VALUE_COUNT)):
                accumulate(Z, column(w, j) * count + row, load(J, j))
            row += 1


@kernel
def add_halves(m, t, factor, count, Z, W):
    """Compute Z L^-1 in the coordinates of tree ``t``, from the leaves on; add their parts to W, up to its diagonal

    All rows that meet a coordinate are handed on together, and a coordinate together with its parent, if that is the one
    before it: memory is what takes time here.
    """
    first = tree_entry(m, t, FIRST_ROW)
    k = first + tree_entry(m, t, ROW_COUNT) - 1
    while k >= first:
        two = k > first and row_parent(m, k) == k - 1
        p = k - 1 if two else k
        row, above, depth = factored_place(m, k), factored_place(m, p), row_depth(m, p)
        y, z = part(Z, row_coordinate(m, k) * count, count), part(Z, row_coordinate(m, p) * count, count)
        if two:
            add_multiple(count, -load(factor, row + depth), y, 0, z, 0)
        begin, n = rows_that_meet(y, z, count)
        second = 1.0 if two else 0.0
        for a in range(depth if n > 0 else 0):
            own = row_coordinate(m, ancestor(m, row + a)) * count + begin
            b, c = -load(factor, row + a), -second * load(factor, above + a)
            if not (within(b, 0.0) and within(c, 0.0)):
                add_multiples(n, b, y, begin, c, z, begin, Z, own)
        d, e = load(factor, row + row_depth(m, k)), second * load(factor, above + depth)
        for i in range(begin, begin + n):
            add_multiples(i + 1 - begin, d * load(y, i), y, begin, e * load(z, i), z, begin, W, i * count + begin)
        k = p - 1


@kernel
def rows_that_meet(y, z, count):
    """Return the first row with an entry in y or in z, and how many there are from it to the last one"""
    begin, end = 0, count
    while begin < end and within(load(y, begin), 0.0) and within(load(z, begin), 0.0):
        begin += 1
    while begin < end and within(load(y, end - 1), 0.0) and within(load(z, end - 1), 0.0):
        end -= 1
    return begin, end - begin


@kernel
def store_mobility_by_columns(m, w, mobility, count, kept, ws):
    """Store each column: the answer of the coordinates and of linear rows to one row's impulse"""
    n, first, nv, J = range_count(w), linear_count(w), velocity_count(m), mobility.J
    soft, W = part(kept, (LAW + 1) * n, n), part(kept, (LAW + 2) * n, n * n)
    y, rest = part(ws, 0, nv), tail(ws, nv)
    column = 0
    for k in range(n):
        if not sleeps(kept, k):
            clear(y, nv)
            add_row_force(w, J, first + k, 1.0 + 0.0 * load(J, 0), y)
            own = answer(m, w, mobility, first + k, y, rest)
            i = 0
            for j in range(n):
                if not sleeps(kept, j):
                    store(W, i * count + column, row_rate(w, J, first + j, y))
                    i += 1
            accumulate(W, column * count + column, load(soft, k) + SMALLEST_MOBILITY * own)
            column += 1


@called_kernel
def answer(m, w, mobility, row, y, ws):
    """Compute y = A^-1 p, p in ``y``, and what linear rows make of it, impulses first in ``ws``; return the rate of ``row``
    without them
    """
    n = linear_count(w)
    dr, zeros, rest = part(ws, 0, n), part(ws, n, n), tail(ws, 2 * n)
    solve_factorized(m, mobility.factor, y, rest)
    own = row_rate(w, mobility.J, row, y)
    if n > 0:
        clear(dr, n)
        clear(zeros, n)
        hold_rows(m, w, mobility, zeros, dr, y, rest)
    return own
