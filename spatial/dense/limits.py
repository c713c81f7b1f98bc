"""Least velocity away from a limit at the end of a step, hard or soft, on scalars: of a joint's range, and of two bodies.

Sources: Stewart, Trinkle (1996) for gaps; Moreau (1999) for restitution; Catto, "Soft constraints" (2011), for soft limits.
"""

from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import select, smaller

__all__ = ["limit_velocity", "soft_compliance", "soft_velocity"]


@kernel
def limit_velocity(h, gap, approach, free, e):
    """Compute the least velocity away from a hard limit at the end of the step: -gap / h, or the rebound

    ``approach`` and ``free`` are velocities towards the limit, before the step and at its end without the row. What gains
    in a step more than the velocity that it had rests on the limit, or nearly so, and does not come back.
    """
    zero = 0.0 * gap
    least = select(smaller(zero, gap), -gap / h, zero)
    back = select(smaller(free - approach, approach), e * approach, zero)
    hits = smaller(-least, free)
    return select(smaller(zero, select(hits, back, zero)), back, least)


@kernel
def soft_compliance(h, k, d):
    """Compute the compliance of a soft limit, a spring and a damper at the end of the step, m/s per N s"""
    return 1.0 / (h * (h * k + d))


@kernel
def soft_velocity(h, gap, k, d):
    """The velocity away from a soft limit at which it has no force: the step ends at it, or the damper equals the spring"""
    return select(smaller(0.0, gap), -gap / h, -k / (h * k + d) * gap)
