"""Events within a step of the adaptive pair: a velocity crosses zero, or a coordinate comes to a limit.

Both are polynomials in time, by the dense output, of coordinates with one freedom. A crossing is where the margin falls
below zero by more than rounding, so that what starts on the boundary and moves away from it is none. Each is looked for at
eighths of the step, and then by bisection.

Source: Hairer, Norsett and Wanner (1993), section II.6.
"""

from pluecker.articulated.stepping.adaptive.dormand_prince import between
from pluecker.articulated.stepping.adaptive.joint_modes import AT_LIMIT, NO_LIMIT, at_lower, at_upper
from pluecker.articulated.stepping.terms.rows import (
    FRICTION,
    LOWER,
    RESTITUTION,
    UPPER,
    coordinate,
    entry,
    is_soft,
    position,
    row_count,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = ["AT_LOWER", "AT_UPPER", "NOTHING", "STOPS", "apply_event", "approach", "first_crossing", "rest_at_limits"]

NOTHING, STOPS, AT_LOWER, AT_UPPER = range(4)  # what happens
PARTS = 8  # of a step, at whose ends margins are looked at
HALVINGS = 50
REST = 1e-6  # m/s or rad/s: chosen; slower coordinates do not come back from a limit, and do not leave it by an impact


@kernel
def margin(rows, k, what, x, h, q, v, p):
    """Compute the margin of row ``k`` to an event at the time x h, with slack for rounding; not negative before the event"""
    j, nv = coordinate(rows, k), len(p.u)
    if what == STOPS:
        u = load(v, j)
        return load(p.modes, k) * (u + between(nv, j, x, h, p.rates_v)) + 1e-3 * AT_LIMIT * (1.0 + abs(u))
    start = load(q, position(rows, k))
    y = start + between(nv, j, x, h, p.rates_u)
    if what == AT_LOWER:
        limit = entry(rows, k, LOWER)
        return y - min(limit, start) + 1e-3 * AT_LIMIT * (1.0 + abs(limit))
    limit = entry(rows, k, UPPER)
    return max(limit, start) - y + 1e-3 * AT_LIMIT * (1.0 + abs(limit))


@kernel
def crossing(rows, k, what, h, q, v, p):
    """Find the first x at which the margin is negative; 2 if there is none in the step"""
    a = 0.0
    for i in range(1, PARTS + 1):
        b = i / PARTS
        if margin(rows, k, what, b, h, q, v, p) < 0.0:
            for _ in range(HALVINGS):
                x = 0.5 * (a + b)
                if margin(rows, k, what, x, h, q, v, p) < 0.0:
                    b = x
                else:
                    a = x
            return b
        a = b
    return 2.0


@kernel
def may_happen(rows, k, what, modes):
    """Return whether row ``k`` can have an event of the kind ``what`` in its present mode"""
    if is_soft(rows, k) or load(modes, k) == 0.0:
        return False
    if what == STOPS:
        return entry(rows, k, FRICTION) > 0.0
    if position(rows, k) < 0:
        return False
    return abs(entry(rows, k, LOWER if what == AT_LOWER else UPPER)) < NO_LIMIT


@kernel
def first_crossing(rows, h, q, v, p):
    """Find the first event, (x, row, what), in the memory of a trial; what is ``NOTHING`` if there is none"""
    first, row, event = 2.0, 0, NOTHING
    for k in range(row_count(rows)):
        for what in range(STOPS, AT_UPPER + 1):
            if may_happen(rows, k, what, p.modes):
                x = crossing(rows, k, what, h, q, v, p)
                if x < first:
                    first, row, event = x, k, what
    return first, row, event


@kernel
def apply_event(rows, k, what, q, v):
    """Store what is known exactly at an event: a velocity of zero, or a coordinate at its limit"""
    if what == STOPS:
        store(v, coordinate(rows, k), 0.0)
        return
    i = position(rows, k)
    if what == AT_LOWER and load(q, i) > entry(rows, k, LOWER) - 2.0 * AT_LIMIT * (1.0 + abs(entry(rows, k, LOWER))):
        store(q, i, entry(rows, k, LOWER))
    if what == AT_UPPER and load(q, i) < entry(rows, k, UPPER) + 2.0 * AT_LIMIT * (1.0 + abs(entry(rows, k, UPPER))):
        store(q, i, entry(rows, k, UPPER))


@kernel
def approach(rows, k, q, v):
    """Return (speed, direction, speed after) of row ``k`` towards a hard limit at which it is; speeds are zero at none"""
    u = load(v, coordinate(rows, k))
    if u < 0.0 and at_lower(rows, k, q):
        speed, way = -u, -1.0
    elif u > 0.0 and at_upper(rows, k, q):
        speed, way = u, 1.0
    else:
        return 0.0, 1.0, 0.0
    back = entry(rows, k, RESTITUTION) * speed
    return speed, way, back if back > REST else 0.0


@kernel
def rest_at_limits(rows, q, v):
    """Stop coordinates at hard limits that are slower than ``REST`` after impacts

    Two coordinates at their limits that throw one another off hit them infinitely often in finite time, with velocities
    that fall like a geometric series; this ends it. Forces that pull from a limit find the coordinate at rest.
    """
    for k in range(row_count(rows)):
        j = coordinate(rows, k)
        if abs(load(v, j)) < REST and (at_lower(rows, k, q) or at_upper(rows, k, q)):
            store(v, j, 0.0)
