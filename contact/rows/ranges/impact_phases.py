"""Poisson's restitution in a step: impulses that contacts return of an impact, before the rest of the step is solved.

A contact is *hit* where the bodies approach, the velocity without impulses would close the gap, and they had more of it
before the step than they gain in it. In steps in which one with Poisson's coefficient e is hit, the impact comes first, by
itself, with the velocities before the step and without what acts within it:

    compression    u = W r + J v,      r of all contacts and rows by their laws, where contacts only do not approach
    expansion      p = e r_n           comes back at each contact, whether it was hit or pressed by others

Both change the velocities v_free to which the step then adds impulses y, by all laws anew, with the friction of p and y
together (:mod:`~pluecker.contact.rows.ranges.returned_impulses`). Gravity is not in r, so that what rests does not hop;
what it and gyroscopic moments do to the energy of an impact is of first order in the step. Soft contacts have no
impulses in an impact, bounds that are finite, of motors and dry friction, hold for both phases together.

Source: Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 8.
"""

from collections.abc import Callable
from typing import Any

from pluecker.articulated.model.layout import velocity_count
from pluecker.articulated.stepping.terms.rows import is_soft
from pluecker.contact.friction.dense.contact_law import returned_impulse
from pluecker.contact.rows.layout import LAW as ROW_LAW
from pluecker.contact.rows.layout import (
    NORMAL,
    ROW_NORMAL,
    ROW_RETURNED,
    linear_count,
    range_count,
    ranges,
    return_count,
    row_count,
    row_entry,
    row_number,
)
from pluecker.contact.rows.ranges.in_steps import Found, add_range_impulses
from pluecker.contact.rows.ranges.range_mobility import LAW
from pluecker.contact.rows.ranges.returned_impulses import HIT, LEAST, LEAST_OF_IMPACT, RETURNED
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, part, store, tail, within

__all__ = ["add_impact", "impact_scratch", "make_impact"]


def impact_scratch(n: int, rows: int, nv: int) -> int:
    """Compute how many numbers of scratch memory an impact takes beside those of obeying laws, of n rows with a range."""
    return nv + rows + n


@kernel
def hits(w, kept):
    """Return 1 in states in which a contact with Poisson's coefficient is hit, else 0"""
    n, found = range_count(w), 0.0 * load(kept, 0)
    for k in range(n):
        if row_entry(w, linear_count(w) + k, ROW_LAW) == NORMAL:
            found = larger(found, load(kept, n + LAW * k + HIT))
    return found


@kernel
def exchange_least(w, kept):
    """Exchange the least velocities of contacts in the impact alone, and in the step"""
    n = range_count(w)
    laws = part(kept, n, LAW * n)
    for k in range(n):
        if row_entry(w, linear_count(w) + k, ROW_LAW) == NORMAL:
            least = load(laws, LAW * k + LEAST)
            store(laws, LAW * k + LEAST, load(laws, LAW * k + LEAST_OF_IMPACT))
            store(laws, LAW * k + LEAST_OF_IMPACT, least)


@kernel
def impulses_of_impact(w, kept):
    """Return a view of the impulses of rows with a range in the impact, beside those of the rest of the step"""
    n = range_count(w)
    return part(kept, (LAW + 2) * n + n * n, n)


@kernel
def store_returned(w, r, wanted, kept):
    """Store the impulses of both phases in ``wanted``, from those of compression in ``r``; p; all rows sleep"""
    n, first = range_count(w), linear_count(w)
    laws, impact = part(kept, n, LAW * n), impulses_of_impact(w, kept)
    for k in range(n):
        own, zero = load(r, first + k), 0.0 * load(r, first + k)
        kind, compressed = row_entry(w, first + k, ROW_LAW), own
        if kind < NORMAL:
            most = load(laws, LAW * k + 2) if not is_soft(ranges(w), k) else larger(own, -own)
            own = larger(own - most, zero) - larger(-own - most, zero)  # of limits; the rest goes on in the step
            compressed = load(r, first + k)
        elif is_soft(ranges(w), row_entry(w, first + k, ROW_NORMAL)):
            own, compressed = zero, zero
        elif kind == NORMAL:
            p = returned_impulse(row_number(w, first + k, ROW_RETURNED), own)
            store(laws, LAW * k + RETURNED, p)
            own, compressed = own + p, own + p
        store(impact, k, own)
        store(wanted, k, compressed)
        store(kept, k, zero)


def make_impact(obey_ranges: Callable[..., Any]) -> Callable[..., Any]:
    """Make the first phase of a step for the kernel that finds impulses by the laws of all rows with a range."""

    def begin_impact(m, w, mobility, rho, v, x, r, kept, ws):
        """Add the change of velocity by the impact to x, and the impulses of linear rows and what rows with a range go on
        with to r; return the error
        """
        n, rows, first, nv = range_count(w), row_count(w), linear_count(w), velocity_count(m)
        impact, hit, error = impulses_of_impact(w, kept), hits(w, kept), 0.0 * load(x, 0)
        for k in range(n):
            store(impact, k, error)
        if within(hit, 0.5):
            return error
        y, own, wanted, rest = part(ws, 0, nv), part(ws, nv, rows), part(ws, nv + rows, n), tail(ws, nv + rows + n)
        for k in range(nv):
            store(y, k, load(v, k))
        for k in range(rows):
            store(own, k, 0.0 * load(v, 0))
        for k in range(n):
            store(wanted, k, 0.0 * load(v, 0))
        exchange_least(w, kept)
        found = Found(y, own, wanted)
        error = obey_ranges(m, w, mobility, rho, found, hit, kept, rest)
        exchange_least(w, kept)
        store_returned(w, own, wanted, kept)
        add_range_impulses(m, w, mobility, found, rest)
        for k in range(nv):
            accumulate(x, k, load(y, k) - load(v, k))
        for k in range(rows):
            kept_apart = load(impact, k - first) if k >= first else 0.0 * load(v, 0)
            accumulate(r, k, load(own, k) - kept_apart)
        return error

    return called_kernel(begin_impact)


@kernel
def add_impact(w, r, kept):
    """Add to r what rows with a range had in the impact, so that it is of the whole step"""
    impact = impulses_of_impact(w, kept)
    for k in range(range_count(w) if return_count(w) > 0 else 0):
        accumulate(r, linear_count(w) + k, load(impact, k))
