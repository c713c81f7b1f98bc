"""Rows with a range at an instant: the bounds of the force of each, and which one acts.

============================  ===================================================================================
where the row is              its force
============================  ===================================================================================
it slides                     friction against the motion
it is at rest                 up to its friction, so much that it stays at rest, or its rate begins to grow
slower than its motor         the largest force of the motor; faster: the opposite; at its speed: in between
at a hard limit, not leaving  pushes away as much as keeps it from accelerating beyond
beyond a soft limit           its spring and damper
============================  ===================================================================================

So the force is between two bounds, and the acceleration of the row zero in between: the staircases of
:mod:`~pluecker.contact.rows.ranges.in_steps`, with all steps at zero. A row that hits its limit with a velocity takes
an impulse, for which there is no acceleration: it counts as not leaving.

Source: Pfeiffer, Glocker, *Multibody dynamics with unilateral contacts* (1996), chapter 5: laws on the level of
accelerations.
"""

import numpy as np

from pluecker.articulated.stepping.terms.rows import DAMPING, FRICTION, LOWER, STIFFNESS, UPPER, is_soft
from pluecker.articulated.stepping.terms.rows import entry as range_entry
from pluecker.contact.rows.jacobian import row_rate
from pluecker.contact.rows.layout import (
    HOLONOMIC,
    ROW_FORCE,
    ROW_SPEED,
    linear_count,
    range_count,
    ranges,
    row_entry,
    row_number,
)
from pluecker.contact.rows.ranges.in_steps import LAW
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, part, select, smaller, store

__all__ = ["begin_instant_ranges", "pushes"]

STILL = 1e-9  # m/s or rad/s, and m or rad: a row is at rest, or at a limit


@kernel
def begin_instant_ranges(w, v, J, values, kept):
    """Let all rows sleep; store the staircases of their forces"""
    n, first = range_count(w), linear_count(w)
    laws = part(kept, n, LAW * n)
    for k in range(n):
        rate, zero = row_rate(w, J, first + k, v), 0.0 * load(v, 0)
        store(kept, k, zero)
        store(kept, (LAW + 1) * n + k, zero)  # its compliance
        store_force_law(w, k, load(values, first + k), rate, laws, LAW * k)


@kernel
def store_force_law(w, k, x, rate, law, at):
    """Store l_0 >= ... >= l_4 with all steps at zero"""
    rows, row = ranges(w), linear_count(w) + k
    zero = 0.0 * x
    least, most = between_bounds(rate, range_entry(rows, k, FRICTION) + zero)
    low, high = between_bounds(rate - row_number(w, row, ROW_SPEED), row_number(w, row, ROW_FORCE) + zero)
    least, most = least + low, most + high
    top, bottom = most, least
    if row_entry(w, row, HOLONOMIC) != 0:
        lower, upper = range_entry(rows, k, LOWER), range_entry(rows, k, UPPER)
        if is_soft(rows, k):
            s, d = range_entry(rows, k, STIFFNESS), range_entry(rows, k, DAMPING)
            below = pushes(s * (lower - x) - d * rate, x - lower, zero)
            push = below - pushes(s * (x - upper) + d * rate, upper - x, zero)
            least, most = least + push, most + push
            top, bottom = most, least
        else:
            top = select(rests(x - lower, rate), np.inf + zero, most)
            bottom = select(rests(upper - x, -rate), -np.inf + zero, least)
    store(law, at, top)
    store(law, at + 2, most)
    store(law, at + 4, 0.5 * (most + least))
    store(law, at + 6, least)
    store(law, at + 8, bottom)
    for j in range(1, LAW, 2):
        store(law, at + j, zero)


@kernel
def between_bounds(rate, force):
    """Return least and largest of a force: -force where the rate is above zero, force below, in between at zero"""
    still = STILL + 0.0 * rate
    least = select(smaller(rate, -still), force, -force)
    return least, select(smaller(still, rate), -force, force)


@kernel
def pushes(force, gap, zero):
    """Return a force that only pushes, where a limit is passed; else zero"""
    return select(smaller(gap, zero), larger(force, zero), zero)


@kernel
def rests(gap, rate):
    """Return whether a row is at a limit and not leaving it; never at one that is infinite"""
    return smaller(larger(gap, rate), STILL + 0.0 * rate)
