"""State of each contact of a result: open, sticking, sliding, or too close to more than one of them to be told.

================  ========  ==================  ======================================================================
state             force     velocity            in words
================  ========  ==================  ======================================================================
open              none      parts               no force, the normal velocity is positive
sticking          pressed   none along it       a force, and no velocity of the discs that have friction
sliding           pressed   along it            a force, and such a velocity; of contacts without friction, any force
undetermined      none      none                it grazes: neither a force, nor a velocity with which it parts
================  ========  ==================  ======================================================================

*None* is a size not above a tolerance, relative to the largest component of b and u: of velocities, and of impulses times
``1 / s^2``, which are velocities too, see :mod:`~pluecker.contact.friction.results.measures`. That is what the tolerance of
a solver leaves open.

A contact at the edge of its cone that does not slide sticks. The velocity is the one at the end of the step; with a gap it
holds what closes the gap within the step, so that a contact is open that may part by then.

Source: D. E. Stewart and J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic collisions
and Coulomb friction" (1996); source documents 000 and 004 (docs/sources.md), the three states of a contact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.friction.problem.sets import DISCS, Sets
from pluecker.spatial.functions.elementwise import Array

__all__ = ["CONTACT_STATES", "Blocks", "states_of"]

CONTACT_STATES = ("open", "sticking", "sliding", "undetermined")
OPEN, STICKING, SLIDING, UNDETERMINED = range(4)


class Blocks(NamedTuple):
    """Data of a problem that the states of its contacts are computed from.

    Attributes:
        sets: cones and intervals, with the friction of the law that was solved.
        scale: s of each multiplier, ``(m,)``.
        offset: b, ``(m,)``, m/s.
    """

    sets: Sets
    scale: Array
    offset: Array


def states_of(blocks: Blocks, r: Array, u: Array, tol: float) -> NDArray[np.str_]:
    """Return the state of each contact, ``(K,)``: of blocks with friction, rolling or spinning; if none has, of half-lines.

    Args:
        blocks: of the problem.
        r: multipliers, ``(m,)``, N s.
        u: velocities, ``(m,)``, m/s.
        tol: what is not above it is none, relative to the largest velocity.
    """
    K, s = blocks.sets, blocks.scale
    discs = np.asarray(K.sizes.any(axis=1), np.bool_)
    contacts = discs if discs.any() else np.asarray((K.lower == 0.0) & np.isposinf(K.upper), np.bool_)
    if not contacts.any():
        return np.zeros(0, dtype=np.array(CONTACT_STATES).dtype)
    force, speed = r / s / s, max(float(np.abs(vector).max(initial=0.0)) for vector in (u, blocks.offset))
    unit = (speed or float(np.abs(force).max(initial=0.0))) or 1.0
    force, w = force / unit, u / unit
    start, block = K.start[:-1], np.repeat(np.arange(len(contacts)), np.diff(K.start))
    parts = np.column_stack([np.ones(len(contacts), np.int64), K.sizes])
    disc = np.repeat(np.tile(np.arange(-1, DISCS), len(contacts)), parts.ravel())
    held = (disc >= 0) & (K.friction[block, disc] > 0.0)
    force = np.sqrt(np.add.reduceat(force * force, start))
    along = np.sqrt(np.add.reduceat(np.where(held, w * w, 0.0), start))
    pressed = np.where((along > tol) | ~(K.friction > 0.0).any(axis=1), SLIDING, STICKING)
    free = np.where(w[start] > tol, OPEN, UNDETERMINED)
    return np.array(CONTACT_STATES)[np.where(force > tol, pressed, free)[contacts]]
