"""Law of the normal velocity of a contact in a step, for contacts of points, of named pairs and those that are found.

============  =======================================================================================================
contact       least velocity along the normal at the end of the step
============  =======================================================================================================
open          ``-gap / h``: the bodies may come as near as to touch
penetrating   depth times the rate at which it is undone, at most all of it in the step
that bounces  Newton's coefficient times the velocity of the approach before the step, where that is more, and where the
              velocity without impulses would close the gap. What gains more in a step than the velocity it had rests, and
              does not come back
that returns  by Poisson's coefficient, where it would bounce by Newton's: zero, and the impact comes first
soft          that at which spring and damper have no force; ``1 / (h (h k + d))`` is the compliance about it
============  =======================================================================================================

Sources: Stewart, Trinkle (1996) for gaps; Moreau (1999) for Newton's coefficient; Catto (2011) for soft contacts; Pfeiffer
and Glocker (1996), chapter 8, for Poisson's.
"""

from pluecker.articulated.stepping.terms.rows import limit_velocity, soft_velocity
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import select, smaller

__all__ = ["rigid_law", "soft_law"]


@kernel
def soft_law(h, gap, stiffness, damping):
    """Compute the compliance along the normal, m/s per N s, and the velocity about which it acts, m/s"""
    zero = 0.0 * gap
    return 1.0 / (h * (h * stiffness + damping)) + zero, soft_velocity(h, gap, stiffness, damping)


@kernel
def rigid_law(h, gap, before, free, newton, returned, rate, speed):
    """Decide whether an impact comes first (1, else 0), and compute the least velocity along the normal, m/s

    ``before`` and ``free``: velocities along the normal, before the step and at its end without impulses; ``newton`` and
    ``returned``: coefficients of restitution, one of them zero; ``rate``, ``speed``: at which rate a depth is undone, and
    at most at which speed.
    """
    zero = 0.0 * free
    hit, least = zero, limit_velocity(h, gap, -before, -free, newton)
    if returned > 0.0:
        hit = is_hit(h, gap, before, free)
        least = select(smaller(0.5, hit), zero, least)
    out, most = -min(rate, 1.0 / h) * gap, speed + zero
    out = select(smaller(most, out), most, out)
    return hit, select(smaller(gap, zero), larger(least, out), least)


@kernel
def is_hit(h, gap, before, free):
    """Return 1 where bodies approach, would close the gap without impulses, and had more speed than the step adds; else 0"""
    zero = 0.0 * gap
    end = select(smaller(zero, gap), -gap / h, zero)
    approaches = select(smaller(before, zero), 1.0 + zero, zero)
    closes = select(smaller(free, end), approaches, zero)
    return select(smaller(2.0 * before, free), closes, zero)
