"""The shift of De Saxce that is held: a convex problem inside, whose velocities make the next shift.

Coulomb's law is a fixed point of it. The step from one shift to the next is halved where a few did not help. Methods differ
in what they do between the shifts; what a shift is, and when its step is halved, is here.

There are two loops over shifts, each where its method is: compiled around methods of first order (``runner.py``), for
which a shift takes microseconds; and in Python (``solving/islands/automatic.py``) around the interior point.

Source: the fixed point as in Acary, Cadoux, Lemarechal, Malick (2011).
"""

from __future__ import annotations

from pluecker.contact.friction.problem.sets import shift_block
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel

__all__ = ["PATIENCE", "SHORTEST", "move_shift", "settle", "settled"]

PATIENCE = 8  # shifts in a row that may fail to help
SHORTEST = 0.01  # step of the shift
HELPS = 0.9  # of the smallest error so far: a shift whose error is below did help


@allocation_free_kernel
def move_shift(P, u, g, step, first, last):
    """g += step (what the velocities u make - g), of the blocks from ``first`` to ``last``, not scaled"""
    for i in range(first, last):
        g[i] += step * (shift_block(P.K, i, u) / P.s[P.K.start[i]] - g[i])


def settled(step, idle, least, error, patience):
    """Return the step after one more error, how many shifts in a row did not help, and the smallest error"""
    idle = 0 if error < HELPS * least else idle + 1
    least = min(least, error)
    if idle >= patience:
        step, idle = 0.5 * step, 0
    return step, idle, least


settle = allocation_free_kernel(settled)
