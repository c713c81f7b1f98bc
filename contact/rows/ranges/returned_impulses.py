"""Friction of what contacts return of an impact, by means of contacts that touch nothing else.

In the second phase of an impact (:mod:`~pluecker.contact.rows.ranges.impact_phases`) a contact has the impulse ``p n +
y``: at least p along its normal, which is known, and what it needs beside that. Friction has all of it to rub with,

    y in disc(mu p) + K        K the cone of the contact

and the disc is the section of another cone at the height p. So a block of three rows has an impulse q of its own in the
place of a normal one, with the velocity ``g (q - p)``, which leaves no choice but q = p, and the tangents of the contact
once more. The mobility g is the mean one of these.

Source: :mod:`~pluecker.contact.friction.solving.restitution`, which has the same for one problem.
"""

from typing import NamedTuple

from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.terms.rows import sleeps
from pluecker.contact.rows.layout import (
    ROW_RETURNED,
    contact_count,
    linear_count,
    return_count,
    row_number,
    staircase_count,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, select, smaller, store, within

__all__ = [
    "HIT", "LEAST", "LEAST_OF_IMPACT", "RETURNED", "AwakeRows", "Blocks", "awake_before", "returned", "returning_blocks",
    "returns_now", "take_friction",
]  # fmt: skip


class AwakeRows(NamedTuple):
    """Rows with a range, of which those that are awake are solved together: views of scalar arrays, and numbers.

    Attributes:
        awake: 1 of rows that are, else 0.
        size: how many there are in any state.
        W: their mobility, row by row.
        b: of all rows the rates without impulses; of normals less what is asked for.
        r: of all rows the impulses from which to begin.
        laws, numbers: of all rows their laws, and how many numbers each has.
    """

    awake: Array
    size: int
    W: Array
    b: Array
    r: Array
    laws: Array
    numbers: int


class Blocks(NamedTuple):
    """Problem of blocks that is made of them, with more blocks than they have: matrix, offset, start."""

    E: Array
    c: Array
    x: Array


# numbers in the law of a normal, after mu: the least velocity of the step, and that in the impact alone, which change
# places; p; whether the contact is hit
LEAST, LEAST_OF_IMPACT, RETURNED, HIT = 1, 2, 3, 4


@kernel
def awake_before(awake, k):
    """Count the rows before row ``k`` that are awake"""
    count = 0
    for i in range(k):
        if not sleeps(awake, i):
            count += 1
    return count


@kernel
def may_return(w, k):
    """Return whether the contact whose normal is the row with a range number ``k`` has Poisson's restitution"""
    return row_number(w, linear_count(w) + k, ROW_RETURNED) > 0.0


@kernel
def returns(w, rows, k):
    """Return whether such a contact is awake and returns an impulse, in any state; places are counted for no others"""
    return may_return(w, k) and not sleeps(rows.awake, k) and not within(returned(rows, k), 0.0)


@kernel
def returned(rows, k):
    """Load p of the contact whose normal is row ``k``"""
    return load(rows.laws, rows.numbers * k + RETURNED)


@kernel
def returns_now(w, rows):
    """Count the contacts that are awake and return an impulse"""
    count, plain = 0, staircase_count(w)
    for k in range(plain, plain + 3 * contact_count(w) if return_count(w) > 0 else plain, 3):
        if returns(w, rows, k):
            count += 1
    return count


@called_kernel
def returning_blocks(w, rows, first, blocks, law):
    """Store blocks of what is returned in rows ``first`` and after; ``law`` gets the coefficient of each"""
    E, c, x = blocks
    m, plain, e, number = len(c), staircase_count(w), first, 0
    for k in range(plain, plain + 3 * contact_count(w), 3):
        if returns(w, rows, k):
            i, p = awake_before(rows.awake, k), returned(rows, k)
            here, zero = smaller(0.0, p), 0.0 * p
            g = 0.5 * (load(E, (i + 1) * (m + 1)) + load(E, (i + 2) * (m + 1)))
            g = select(smaller(zero, g), g, 1.0 + zero)
            store(E, e * (m + 1), g)
            store(c, e, -g * p)
            store(x, e, p)
            for t in range(1, 3):
                for j in range(first):
                    store(E, (e + t) * m + j, select(here, load(E, (i + t) * m + j), zero))
                store(c, e + t, select(here, load(c, i + t), zero))
                store(x, e + t, zero)
            store(law, number, load(rows.laws, rows.numbers * k))
            e, number = e + 3, number + 1
    e = first
    for k in range(plain, plain + 3 * contact_count(w), 3):
        if returns(w, rows, k):
            i, p = awake_before(rows.awake, k), returned(rows, k)
            for t in range(1, 3):
                for a in range(m):
                    own = load(E, e * (m + 1)) if a == e + t else 0.0 * p
                    store(E, a * m + e + t, select(smaller(0.0, p), load(E, a * m + i + t), own))
            e += 3


@kernel
def take_friction(w, rows, first, x):
    """Add the friction of the blocks from row ``first`` on to the tangents of their contacts"""
    plain, e = staircase_count(w), first
    for k in range(plain, plain + 3 * contact_count(w), 3):
        if returns(w, rows, k):
            i = awake_before(rows.awake, k)
            accumulate(x, i + 1, load(x, e + 1))
            accumulate(x, i + 2, load(x, e + 2))
            e += 3
