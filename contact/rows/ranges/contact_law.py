"""Law of a contact in a step: its normal velocity and its coefficient of friction.

For contacts of points, of named pairs and those that are found there is one law.

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

from pluecker.articulated.stepping.terms.rows import FRICTION, limit_velocity, soft_velocity
from pluecker.articulated.stepping.terms.rows import entry as range_entry
from pluecker.contact.rows.jacobian import row_rate
from pluecker.contact.rows.layout import ROW_KINETIC, linear_count, ranges, row_number
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, select, smaller

__all__ = ["CREEP", "EDGE", "TURN", "coefficient_in_force", "friction_in_force", "rigid_law", "soft_law"]


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


CREEP, TURN = 1e-6, 0.1  # m/s
EDGE = 1e-2  # of impulses at the edge of a cone; solvers find them to 1e-5 and better


@kernel
def friction_in_force(w, J, k, v, rho, last):
    """Select the coefficient of the contact whose normal is the row with a range number ``k``

    ``v`` before the step; ``rho`` what surfaces add to the rates of rows; ``last`` the impulses of rows with a range in the
    step before.
    """
    row = linear_count(w) + k
    mu, kinetic = range_entry(ranges(w), k, FRICTION), row_number(w, row, ROW_KINETIC)
    if not kinetic < mu:
        return mu + 0.0 * load(v, 0)
    x = row_rate(w, J, row + 1, v) + load(rho, row + 1)
    y = row_rate(w, J, row + 2, v) + load(rho, row + 2)
    return coefficient_in_force(mu, kinetic, (load(last, k), load(last, k + 1), load(last, k + 2)), (x, y))


@kernel
def coefficient_in_force(mu, kinetic, r, slip):
    """Select the coefficient of a contact that has a smaller one while it slides; ``r``: the impulse of the step before"""
    normal, (x, y) = r[0], slip
    zero = 0.0 * normal
    turn, creep = TURN + zero, CREEP + zero
    across, pressed = r[1] * r[1] + r[2] * r[2], normal * normal
    within_kinetic = smaller(across, ((1.0 - EDGE) * kinetic) ** 2 * pressed)
    beyond_kinetic = smaller(((1.0 + EDGE) * kinetic) ** 2 * pressed, across)
    least = select(within_kinetic, turn, select(beyond_kinetic, turn, creep))
    least = select(smaller(across, ((1.0 - EDGE) * mu) ** 2 * pressed), least, creep)
    least = select(smaller(zero, normal), least, creep)
    return select(smaller(least * least, x * x + y * y), kinetic + zero, mu + zero)
