"""Dry friction and limits between events: which coordinates slide, and which are held.

Between two events the law of each row (:mod:`~pluecker.articulated.stepping.terms.rows`) is a smooth one:

=========  =================================================================================================================
mode       what holds
=========  =================================================================================================================
moving     s = 1 or -1: friction is -s F, until the velocity crosses zero, or the coordinate comes to a hard limit
held       s = 0: the coordinate has no acceleration, while the reaction that this takes is within [-F, F]; beside a lower
           limit within [-F, inf), beside an upper one within (-inf, F]
=========  =================================================================================================================

A coordinate is held by an armature that is as good as infinite: its acceleration is then the reaction, divided by that
armature. Soft limits are forces, and need no mode.

Rows that rest are first all held. One whose reaction is out of bounds is let go, the worst first, in the direction in which
it is pulled; one that was let go and would come back is held again.

Sources: Brogliato, *Nonsmooth Mechanics* (2016), chapter 5, on event-driven schemes; Moreau (1999) for what they leave out.
"""

from pluecker.articulated.model.layout import ARMATURE, HAS_ARMATURE, N_LINKS, VELOCITIES, velocity_count
from pluecker.articulated.stepping.terms.rows import (
    DAMPING,
    FRICTION,
    LOWER,
    STIFFNESS,
    UPPER,
    coordinate,
    entry,
    is_soft,
    position,
    row_count,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, load_integer, store

__all__ = [
    "AT_LIMIT",
    "HELD",
    "NO_LIMIT",
    "SLACK",
    "add_row_forces",
    "at_lower",
    "at_upper",
    "hold_rows",
    "reaction_excess",
    "rest_modes",
    "would_return",
]

HELD = 1e60  # armature of coordinates that are held; others are smaller by more digits than a number has
SLACK = 1e-9  # of the friction, by which a reaction may be larger: at the very bound no direction is decided
NO_LIMIT = 1e300  # limits beyond are none
AT_LIMIT = 1e-12  # of a limit, and of 1: how near a coordinate is at it


@kernel
def at_lower(rows, k, q):
    """Return whether the coordinate of row ``k`` is at its hard lower limit, or beyond"""
    if position(rows, k) < 0 or is_soft(rows, k):
        return False
    x = entry(rows, k, LOWER)
    return abs(x) < NO_LIMIT and load(q, position(rows, k)) <= x + AT_LIMIT * (1.0 + abs(x))


@kernel
def at_upper(rows, k, q):
    """Return whether the coordinate of row ``k`` is at its hard upper limit, or beyond"""
    if position(rows, k) < 0 or is_soft(rows, k):
        return False
    x = entry(rows, k, UPPER)
    return abs(x) < NO_LIMIT and load(q, position(rows, k)) >= x - AT_LIMIT * (1.0 + abs(x))


@kernel
def rest_modes(rows, q, v, modes):
    """Choose the modes at the beginning: rows that rest are held if friction or a limit can hold them, others are moving"""
    for k in range(row_count(rows)):
        u = load(v, coordinate(rows, k))
        holds = entry(rows, k, FRICTION) > 0.0 or at_lower(rows, k, q) or at_upper(rows, k, q)
        store(modes, k, 1.0 if u > 0.0 else -1.0 if u < 0.0 else 0.0 if holds and not is_soft(rows, k) else 1.0)


@kernel
def would_return(rows, k, q, v, modes, a):
    """Return whether a resting row that was let go is pulled the other way, so that it has to be held again"""
    if load(v, coordinate(rows, k)) != 0.0 or is_soft(rows, k) or not load(modes, k) * a < 0.0:
        return False
    return entry(rows, k, FRICTION) > 0.0 or at_lower(rows, k, q) or at_upper(rows, k, q)


@kernel
def hold_rows(m, rows, modes, held):
    """Copy the model to ``held``, with rows of mode 0 held by armature"""
    for k in range(len(m)):
        store(held, k, load(m, k))
    for k in range(row_count(rows)):
        if load(modes, k) == 0.0:
            store(held, load_integer(m, VELOCITIES) + ARMATURE * velocity_count(m) + coordinate(rows, k), HELD)
            store(held, HAS_ARMATURE, load(m, N_LINKS))  # the bits of a whole number that is not zero: yes


@kernel
def add_row_forces(rows, q, v, modes, tau):
    """Add the friction of rows that move, and the forces of soft limits: a spring and a damper that push only"""
    for k in range(row_count(rows)):
        j = coordinate(rows, k)
        if not is_soft(rows, k):
            accumulate(tau, j, -load(modes, k) * entry(rows, k, FRICTION))
            continue
        x, u = load(q, position(rows, k)), load(v, j)
        s, d = entry(rows, k, STIFFNESS), entry(rows, k, DAMPING)
        below, above = entry(rows, k, LOWER) - x, x - entry(rows, k, UPPER)
        if below > 0.0:
            accumulate(tau, j, max(s * below - d * u, 0.0))
        if above > 0.0:
            accumulate(tau, j, -max(s * above + d * u, 0.0))


@kernel
def reaction_excess(rows, k, q, a):
    """Return (excess, direction) of a held row whose acceleration is ``a``: by how much its reaction is out of bounds, above
    zero if it is, and the direction in which the row then moves"""
    r, F = -HELD * a, entry(rows, k, FRICTION)
    bound = F * (1.0 + SLACK)
    if F == 0.0:
        bound = AT_LIMIT * (1.0 + abs(r))
    down, up = r - bound, -bound - r  # the reaction pushes up too hard; it pulls down too hard
    if at_lower(rows, k, q):
        return up, 1.0
    if at_upper(rows, k, q):
        return down, -1.0
    return (down, -1.0) if down > up else (up, 1.0)
