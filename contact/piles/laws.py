"""Laws of the normal velocity of a contact in a step: the least one that is asked for, and how soft the contact is.

============  =======================================================================================================
contact       least velocity along the normal at the end of the step
============  =======================================================================================================
open          ``-gap / h``: the bodies may come as near as to touch
penetrating   depth times the rate at which it is undone, at most all of it in the step; less where bodies cannot have
              that velocity, or are thrown (:mod:`~pluecker.contact.piles.step`)
that bounces  Newton's coefficient times the velocity of the approach before the step, where that is more, and where the
              velocity without impulses would close the gap. What gains more in a step than the velocity it had rests, and
              does not come back
that returns  by Poisson's coefficient, where it would bounce by Newton's: zero, and the impact comes first,
              :mod:`~pluecker.contact.piles.impacts`
soft          that at which spring and damper have no force; ``1 / (h (h k + d))`` is the compliance about it
============  =======================================================================================================

These are the laws of :class:`~pluecker.contact.constraints.PointContact`; so is the decision between two coefficients of
friction, :mod:`~pluecker.contact.rows.contact_friction`.

Sources: Stewart, Trinkle (1996) for gaps; Moreau (1999) for Newton's coefficient; Catto (2011) for soft contacts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.geometry.collision import Contacts
from pluecker.contact.piles.warm_start import Remembered, remembered_forces
from pluecker.contact.rows.contact_friction import CREEP, EDGE, TURN
from pluecker.spatial.functions.elementwise import Array

__all__ = ["are_hit", "friction_in_force", "least_velocity", "softness_of"]


def are_hit(found: Contacts, h: float, before: Array, free: Array) -> NDArray[np.bool_]:
    """Return which contacts come back, ``(K,)``; arguments as of :func:`least_velocity`."""
    closes = free < np.where(found.gap > 0.0, -found.gap / h, 0.0)
    rigid = ~np.isfinite(found.stiffness)
    return np.asarray(rigid & (found.restitution > 0.0) & (before < 0.0) & (before - free < -before) & closes)


def least_velocity(
    found: Contacts, h: float, recovery: float, speed: float, before: Array, free: Array, poisson: bool = False
) -> Array:
    """Compute the least normal velocity of each contact, ``(K,)``; m/s.

    Args:
        found: the contacts.
        h: the step; s.
        recovery, speed: at which rate depths are undone, and at most at which speed; 1/s and m/s.
        before, free: velocities along the normals before the step, and at its end without impulses; m/s.
        poisson: whether coefficients are Poisson's.
    """
    gap, soft = found.gap, np.isfinite(found.stiffness)
    least = np.where(gap > 0.0, -gap / h, 0.0)
    back = np.zeros(len(found)) if poisson else -found.restitution * before
    least = np.where(are_hit(found, h, before, free), back, least)
    least = np.where(gap < 0.0, np.maximum(least, np.minimum(-min(recovery, 1.0 / h) * gap, speed)), least)
    k, d = np.where(soft, found.stiffness, 1.0), found.damping
    with np.errstate(all="ignore"):
        sprung = np.where(gap > 0.0, -gap / h, -k / (h * k + d) * gap)
    return np.asarray(np.where(soft, sprung, least))


def softness_of(found: Contacts, h: float) -> Array:
    """Compute the compliance along each normal, ``(K,)``; m/s per N s. Zero of rigid contacts."""
    soft = np.isfinite(found.stiffness)
    force = h * np.where(soft, found.stiffness, 1.0) + found.damping
    with np.errstate(all="ignore"):
        return np.where(soft, 1.0 / (h * force), 0.0)


def friction_in_force(found: Contacts, frames: Array, slip: Array, begun: Remembered) -> Array:
    """Select Coulomb's coefficient of each contact in the step that begins, ``(K,)``.

    Args:
        found: the contacts.
        frames: the normal and the tangents of each, ``(K, 3, 3)``.
        slip: along the tangents before the step, ``(K, 2)``; m/s.
        begun: forces of the step before.
    """
    mu, kinetic = found.friction[:, 0], found.kinetic_friction
    if not (kinetic < mu).any():
        return mu
    normal, *tangents = np.einsum("kij,kj->ik", frames, remembered_forces(found, begun)[:, :3])
    across = np.hypot(*tangents)
    at_edge = np.abs(across - kinetic * normal) <= EDGE * kinetic * normal
    stuck = (normal > 0.0) & (across < (1.0 - EDGE) * mu * normal) & ~at_edge
    return np.where(np.hypot(*slip.T) > np.where(stuck, TURN, CREEP), kinetic, mu)
