"""Law of a contact in a step, on scalars: what is asked along its normal, its friction, and what an impact returns.

It is written here, once: for points on planes, for named pairs of shapes and for contacts that are found, in lanes or for
one number, and for those of a :class:`~pluecker.contact.ContactTable`.

============  =======================================================================================================
contact       least velocity along the normal at the end of the step, :func:`normal_law`
============  =======================================================================================================
open          ``-gap / h``: the bodies may come as near as to touch
penetrating   depth times the rate at which it is undone, at most all of it in the step
that bounces  Newton's coefficient times the velocity of the approach before the step, where that is more, and where the
              velocity without impulses would close the gap. What gains more in a step than the velocity it had rests, and
              does not come back
that returns  by Poisson's coefficient, where it would bounce by Newton's: zero, and the impact comes first
soft          that at which spring and damper have no force; ``1 / (h (h k + d))`` is the compliance about it
============  =======================================================================================================

**Poisson's impact** has two phases. In compression contacts only do not approach (:func:`least_in_impact`): a depth is
undone in the step, not in the impact. In expansion each contact has at least the share of its impulse that comes back
(:func:`returned_impulse`), whether it was hit or pressed by others, and all of that to rub with. Soft contacts have no
impulse in an impact.

**Surfaces that move**, belts, have a velocity beside that of their bodies, of which the part along the surface counts
(:func:`surface_rates`): material does not leave its surface. A turntable is a body that turns: at a contact it has the
velocity w x r, and rolling and spinning friction are against the turn relative to it, as against that of any body.

The **coefficient of friction** is that of what sticks, or the smaller one of what slides. A step is decided as it
begins, by the slip u_t at its beginning and by the impulse r of the step before. What slides has a slip, and the
kinetic coefficient acts from the first step on that begins with one. What stuck may have one too: a foot that turns
about its point comes back to it each step with a slip of second order in the step; velocities are found to an accuracy.
But its impulse is within the cone, and not at its edge. So

    stuck     0 < r_n and |r_t| away from the edges mu r_n and mu_k r_n by more than ``EDGE`` of them, below mu r_n
    slides    |u_t| > ``TURN`` if it stuck,  |u_t| > ``CREEP`` if not

A threshold for the slip alone does not do: where it is large, the larger coefficient acts until a block is that fast, and
sticks and slips on a belt at a wrong period; where it is small, feet that turn lose their grip.

Sources: Stewart, Trinkle (1996) for gaps; Moreau (1999) for Newton's coefficient; Catto (2011) for soft contacts; Pfeiffer
and Glocker (1996), chapter 8, for Poisson's; source document 004, section 10 (docs/sources.md), for both coefficients of
friction: the decision is derived here.
"""

from math import inf
from typing import NamedTuple

from pluecker.spatial.algebra.vectors import dot3
from pluecker.spatial.dense.laws import (
    larger,
    limit_velocity,
    soft_compliance,
    soft_velocity,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import select, smaller

__all__ = [
    "CREEP", "EDGE", "TURN", "NormalLaw", "coefficient_in_force", "least_in_impact", "normal_law", "returned_impulse",
    "surface_rates",
]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- along the normal


class NormalLaw(NamedTuple):
    """Numbers of the law along a normal.

    Attributes:
        newton, returned: coefficients of restitution, Newton's and Poisson's, one of them zero.
        stiffness, damping: of a soft contact; N/m, infinite of a rigid one, and N s/m.
        rate, speed: at which rate a depth is undone, and at most at which speed; 1/s and m/s.
    """

    newton: float
    returned: float
    stiffness: float
    damping: float
    rate: float
    speed: float


@kernel
def normal_law(h, gap, before, free, law):
    """Compute the compliance, m/s per N s; the least velocity along the normal, m/s; 1 where an impact comes first, else 0

    ``before`` and ``free``: velocities along the normal, before the step and at its end without impulses.
    """
    zero = 0.0 * free
    if law.stiffness < inf:
        k, d = law.stiffness, law.damping
        return soft_compliance(h, k, d) + zero, soft_velocity(h, gap, k, d) + zero, zero
    hit, least = zero, limit_velocity(h, gap, -before, -free, law.newton)
    if law.returned > 0.0:
        hit = is_hit(h, gap, before, free)
        least = select(smaller(0.5, hit), zero, least)
    out, most = -min(law.rate, 1.0 / h) * gap, law.speed + zero
    out = select(smaller(most, out), most, out)
    return zero, select(smaller(gap, zero), larger(least, out), least), hit


@kernel
def is_hit(h, gap, before, free):
    """Return 1 where bodies approach, would close the gap without impulses, and had more speed than the step adds; else 0"""
    zero = 0.0 * gap
    end = select(smaller(zero, gap), -gap / h, zero)
    approaches = select(smaller(before, zero), 1.0 + zero, zero)
    closes = select(smaller(free, end), approaches, zero)
    return select(smaller(2.0 * before, free), closes, zero)


@kernel
def least_in_impact(least):
    """Return what is asked along the normal in the first phase of an impact, m/s: of what would part, not to approach"""
    zero = 0.0 * least
    return select(smaller(zero, least), zero, least)


@kernel
def returned_impulse(e, compressed):
    """Return the least impulse along the normal in the second phase of an impact, N s, by Poisson's coefficient"""
    return larger(e * compressed, 0.0 * compressed)


# -------------------------------------------------------------------------------------------------------------- across it


@kernel
def surface_rates(t1, t2, u):
    """Return what moving surfaces add to the slip along both tangents, m/s; ``u``: of the second against the first"""
    return dot3(t1, u), dot3(t2, u)


CREEP, TURN = 1e-6, 0.1  # m/s
EDGE = 1e-2  # of impulses at the edge of a cone; solvers find them to 1e-5 and better


@kernel
def coefficient_in_force(mu, kinetic, r, slip):
    """Select the coefficient of friction: mu, or a smaller one while it slides; ``r``: the impulse of the step before"""
    normal, (x, y) = r[0], slip
    zero = 0.0 * normal
    if not kinetic < mu:
        return mu + zero
    turn, creep = TURN + zero, CREEP + zero
    across, pressed = r[1] * r[1] + r[2] * r[2], normal * normal
    within_kinetic = smaller(across, ((1.0 - EDGE) * kinetic) ** 2 * pressed)
    beyond_kinetic = smaller(((1.0 + EDGE) * kinetic) ** 2 * pressed, across)
    least = select(within_kinetic, turn, select(beyond_kinetic, turn, creep))
    least = select(smaller(across, ((1.0 - EDGE) * mu) ** 2 * pressed), least, creep)
    least = select(smaller(zero, normal), least, creep)
    return select(smaller(least * least, x * x + y * y), kinetic + zero, mu + zero)
