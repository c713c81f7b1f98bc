"""Resistance to rolling and to spinning of contacts between shapes, by means of contacts that have none.

A contact with the normal impulse r_n resists to rolling by a moment m across the normal, to spinning by one along it,

    |m| <= k r_n,    m against the relative turn w where that is not zero

with a length k. That is Coulomb's law between w and m, but for the normal impulse, which belongs to another contact. So the
block of three rows that holds m has an impulse p of its own in the place of a normal one, with the velocity

    v = g (p - l r_n)    0 <= p  complementary to  v >= 0

which leaves no choice but ``p = l r_n`` and v = 0; the velocity of r_n gains ``-l v``, which is nothing then, and the matrix
stays symmetric and positive semidefinite. The coefficient is k / l. Where there is one row, that of spinning, a tangent that
meets nothing stands beside it. The length l and the mobility g are such that the blocks of both contacts have entries of one
size: g the mean mobility of the moments, ``g l^2`` that of the normal.

Where a contact returns an impulse of an impact beside r_n (:mod:`~pluecker.contact.rows.ranges.impact_phases`), r_n
stands for the sum of both.

Source: Acary and Bourrier (2021) for the laws; the blocks are derived here.
"""

from pluecker.articulated.model.layout import clear
from pluecker.articulated.stepping.terms.rows import FRICTION, sleeps
from pluecker.articulated.stepping.terms.rows import entry as range_entry
from pluecker.contact.rows.layout import (
    LAW,
    ROLLING,
    ROW_NORMAL,
    linear_count,
    range_count,
    ranges,
    resistance_count,
    row_entry,
)
from pluecker.contact.rows.ranges.returned_impulses import awake_before, returned
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, select, smaller, sqrt, store

__all__ = ["resistance_blocks", "resisting_blocks", "take_moments"]


@kernel
def first_resistance(w):
    """Return the number of the first of their rows among those with a range"""
    return range_count(w) - resistance_count(w)


@kernel
def resistance_width(w, k):
    """Return how many rows the resistance has that begins with the row with a range number ``k``"""
    return 2 if row_entry(w, linear_count(w) + k, LAW) == ROLLING else 1


@kernel
def resistance_blocks(w, awake):
    """Count the resistances whose rows are awake"""
    count, k = 0, first_resistance(w)
    while k < range_count(w):
        if not sleeps(awake, k):
            count += 1
        k += resistance_width(w, k)
    return count


@kernel
def copy_entries(rows, begin, size, blocks, to):
    """Copy so many rows and columns of W from two places on to two of E"""
    (i, j), (a, b), m = begin, to, len(blocks.c)
    for s in range(size[0]):
        for t in range(size[1]):
            store(blocks.E, (a + s) * m + b + t, load(rows.W, (i + s) * rows.size + j + t))


@kernel
def couple(E, m, e, width, p, own, here):
    """Couple rows e to e + 2 of E, the last ``width`` of which have moments, with the normal p of mobility
    ``own``; return l
    """
    g = load(E, (e + 1) * (m + 1))
    if width == 2:
        g = 0.5 * (g + load(E, (e + 2) * (m + 1)))
    zero = 0.0 * g
    g = select(smaller(zero, g), g, 1.0 + zero)
    length = select(smaller(zero, own), sqrt(own / g), 1.0 + zero)
    if width == 1:
        store(E, (e + 2) * (m + 1), g)
    store(E, e * (m + 1), g)
    across = select(here, -g * length, zero)
    store(E, e * m + p, across)
    store(E, p * m + e, across)
    accumulate(E, p * (m + 1), -length * across)
    return length


@kernel
def leave_alone(E, m, e, here):
    """Uncouple rows e to e + 2 from all others in states in which they sleep, and others are awake"""
    for a in range(e, e + 3):
        for i in range(m):
            if i != a:
                store(E, i * m + a, select(here, load(E, i * m + a), 0.0 * load(E, i * m + a)))
                store(E, a * m + i, select(here, load(E, a * m + i), 0.0 * load(E, a * m + i)))


@kernel
def leave_sleepers_alone(w, E, m, base, awake):
    """Uncouple the blocks from row ``base`` on in states in which they sleep, and others are awake

    What two of them have in common is written for either of them.
    """
    e, k = base, first_resistance(w)
    while k < range_count(w):
        if not sleeps(awake, k):
            leave_alone(E, m, e, smaller(0.5, load(awake, k)))
            e += 3
        k += resistance_width(w, k)


@called_kernel
def resisting_blocks(w, rows, base, blocks, law):
    """Store the problem of ``base`` rows that are awake in ``blocks``, with a block for each resistance after them

    c, x and the first part of E are those of W's first ``base`` rows; ``law`` gets the coefficient of each block.
    """
    (E, c, x), awake = blocks, rows.awake
    m, own, e, number, k = len(c), base, base, 0, first_resistance(w)
    clear(E, m * m)
    copy_entries(rows, (0, 0), (base, base), blocks, (0, 0))
    while k < range_count(w):
        width = resistance_width(w, k)
        if not sleeps(awake, k):
            copy_entries(rows, (own, 0), (width, base), blocks, (e + 1, 0))
            copy_entries(rows, (0, own), (base, width), blocks, (0, e + 1))
            others, f, i = first_resistance(w), base, base
            while others < range_count(w):
                if not sleeps(awake, others):
                    copy_entries(rows, (own, i), (width, resistance_width(w, others)), blocks, (e + 1, f + 1))
                    f, i = f + 3, i + resistance_width(w, others)
                others += resistance_width(w, others)
            normal = row_entry(w, linear_count(w) + k, ROW_NORMAL)
            p, here = awake_before(awake, normal), smaller(0.5, load(awake, k))
            length = couple(E, m, e, width, p, load(rows.W, p * (rows.size + 1)), here)
            zero = 0.0 * length
            for j in range(3):
                moment = 0 < j <= width
                store(c, e + j, select(here, load(rows.b, k + j - 1), zero) if moment else zero)
                store(x, e + j, select(here, load(rows.r, k + j - 1), zero) if moment else zero)
            pressed, back, across = load(x, p), returned(rows, normal), load(E, e * m + p)
            store(x, e, select(here, length * select(smaller(zero, pressed), pressed + back, back), zero))
            accumulate(c, e, across * back)
            accumulate(c, p, -length * across * back)
            store(law, number, range_entry(ranges(w), k, FRICTION) / length)
            own, e, number = own + width, e + 3, number + 1
        k += width
    leave_sleepers_alone(w, E, m, base, awake)


@kernel
def take_moments(w, awake, base, x):
    """Move the multipliers of the rows that are awake from their blocks to one after the other"""
    own, e, k = base, base, first_resistance(w)
    while k < range_count(w):
        width = resistance_width(w, k)
        if not sleeps(awake, k):
            for j in range(width):
                store(x, own + j, load(x, e + 1 + j))
            own, e = own + width, e + 3
        k += width
