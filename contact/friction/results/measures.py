"""Errors of multipliers, which say how far they are from a solution: one set for all solvers and laws.

==============  ======================================================================================================
error           what it is
==============  ======================================================================================================
natural map     ``|x - P_K(x - w - g)| / max(|s b|, |x|, |w|)`` in scaled units, ``x = r / s`` and ``w = s u``, g being De
                Saxce's correction in the law ncp: zero at solutions and nowhere else
velocity        ``max_i |D_i (r - P_K(r - D_i^-1 (u + g)))_i|``, in m/s, of rows of rotation in rad/s: by how much the law
                is missed in each block, as a velocity. What rounding may hide is added, ``4 eps max_i |D_i r_i|``
speed           no error: the largest component of b and u, with which the error in velocity is compared
cone violation  how far r is from K, relative to the largest multiplier: a distance, so that friction that is more than
                mu r_n by f counts ``f / (1 + mu^2)^(1/2)``
signorini       ``max_i |min(r_n / R, u_n / U)|`` of the contacts: penetration, pulling, and a force where it opens, of which
                not the normal part alone counts, but ``|r_i|``
dissipation     by how much friction fails to act against the sliding with all it has:
                ``max_i (mu |u_t| r_n + u_t . r_t) / (R U)``, summed over the discs; zero in Coulomb's law
bilateral       ``max |u|`` of the rows without bounds, their compliance counted; m/s, rad/s
duality gap     ``sum_i |r_i . (u + g)_i| / (|r| max(|b|, |u + g|))`` for cones; with bounds what remains of ``r u`` at the
                active bound
==============  ======================================================================================================

``R`` and ``U`` are the largest ``|r|`` and ``|u|`` or ``|b|`` of a component. In the law ccp a sliding contact rises,
so that the errors of Signorini and of dissipation, which are about Coulomb's law, remain: they say how much the convex
law changes.

A tolerance refers to the larger of two numbers, the natural map and velocity / speed. ``D_i = 1 / s_i^2`` is the mean
diagonal of the block of N, the inverse of the mass that the block sees; rolling and spinning have an s of their own, so that
they count with the length at which what turns moves as easily as the rest of the contact. So both are what they are in all
units of mass: N multiplied by any number, and r divided by it, have the same errors. Each guards what the other does not
see:

- The natural map is an energy, the square root of that of what is missed beside that of all that moves or presses. A body
  of a milligram has no part in it beside one of a tonne, and it gets small where there is no solution, and the multipliers
  grow without bound.
- The error in velocity counts for each block by itself, and beside velocities alone, so that neither heavy bodies nor large
  multipliers hide it. But the largest velocity may be that of a light body, beside which heavy ones hardly move.

Where friction holds, De Saxce's map shows a normal velocity divided by ``(1 + mu^2)^(1/2)``: with mu = 1e6 a contact that is
driven in with 1 m/s and gets no impulse has an error of 1e-6. So of *steep* cones, ``sum mu_k^2 > 1``, Signorini's
condition ``|min(r_n, u_n)|``, in scaled units, takes the place of the block's part of both numbers in the law ncp where
it is the larger.

Source: the natural map as in Acary, Bremond and Huber (2018), there in the units of r and u; the scaled units, the error in
velocity and what is done with steep cones are derived here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from pluecker.contact.friction.problem.natural_map import ROUNDING, natural_map
from pluecker.contact.friction.problem.sets import (
    DISCS,
    Sets,
    length,
    project,
    scale_turning,
    shift_block,
    signorini_block,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel
from pluecker.spatial.functions.elementwise import Array

__all__ = ["NUMBER", "VELOCITIES", "Errors", "all_errors", "measure", "place_for_scaled", "with_velocities"]


TINY = float(np.finfo(np.float64).tiny)  # a smaller number has no inverse


@dataclass(frozen=True)
class Errors:
    """The errors of one pair of multipliers and velocities, zero where there is none, without unit but for velocities.

    Attributes:
        natural_map: for the law in question, in units in which forces and velocities are alike.
        cone_violation: how far the multipliers are outside their sets, the way to the nearest point of these.
        signorini: penetration, pulling, force at a distance.
        dissipation: how far friction is from the largest dissipation.
        duality_gap: what is left of r . u.
        velocity: by how much the law is missed in the worst block, m/s, of rows of rotation rad/s.
        speed: with what that is compared: the largest component of b and u, m/s, or of what impulses change where nothing
            moves; no error.
        bilateral: the largest velocity of a row without bounds, compliance counted; in its own unit, m/s or rad/s.
    """

    natural_map: float
    cone_violation: float
    signorini: float
    dissipation: float
    duality_gap: float
    velocity: float = 0.0
    speed: float = 0.0
    bilateral: float = 0.0

    @property
    def relative_velocity(self) -> float:
        """velocity / speed, 0 where nothing is wrong, infinite where nothing moves and something is."""
        if self.velocity == 0.0:
            return 0.0
        return self.velocity / self.speed if self.speed > 0.0 else np.inf

    @property
    def largest(self) -> float:
        """Error that tolerances refer to: the natural map or velocity / speed, whichever is larger."""
        one, other = self.natural_map, self.relative_velocity
        return one if not one <= other else other


NUMBER = len(fields(Errors))
VELOCITIES = 5, 6, 7  # those of them that are velocities


@called_kernel
def other_errors(K, r, u, exact, R, U, work):
    """Compute cone violation, Signorini, dissipation, and the sum of |r . (u + g)| with |u + g|"""
    cone, signorini, dissipation, gap, total = 0.0, 0.0, 0.0, 0.0, 0.0
    project(K, r, work)
    for i in range(len(K.start) - 1):
        top, bottom = K.start[i], K.start[i + 1]
        for k in range(top, bottom):
            cone = max(cone, abs(r[k] - work[k]) / R)
        g = shift_block(K, i, u) if exact == 1 else 0.0
        if K.lower[i] == 0.0 and K.upper[i] == np.inf:
            signorini = max(signorini, signorini_block(K, i, 1.0 / R, 1.0 / U, r, u))
            loss, row = 0.0, top + 1
            for d in range(DISCS):
                n = K.sizes[i, d]
                if n > 0:
                    loss += K.friction[i, d] * length(u, row, n) * r[top]
                    for k in range(row, row + n):
                        loss += u[k] * r[k]
                    row += n
            dissipation = max(dissipation, abs(loss) / (R * U))
            left = r[top] * (u[top] + g)
            for k in range(top + 1, bottom):
                left += r[k] * u[k]
            gap += abs(left)
        else:
            rest = 0.0
            if u[top] > 0.0 and K.lower[i] > -np.inf:
                rest = (r[top] - K.lower[i]) * u[top]
            elif u[top] < 0.0 and K.upper[i] < np.inf:
                rest = (r[top] - K.upper[i]) * u[top]
            else:
                rest = abs(r[top] * u[top])
            gap += abs(rest)
        total += (u[top] + g) * (u[top] + g)
        for k in range(top + 1, bottom):
            total += u[k] * u[k]
    return cone, signorini, dissipation, gap, np.sqrt(total)


@called_kernel
def measure(K, inside, b, r, u, s, exact, work, out):
    """Compute all errors, in the order of :class:`Errors`

    ``inside`` are the sets K with place for scaled ones; ``work`` has five rows of m numbers.
    """
    c, x, w, zero, scratch = work[0], work[1], work[2], work[3], work[4]
    R, U, bb, rr, blocks, bilateral = 0.0, 0.0, 0.0, 0.0, len(K.start) - 1, 0.0
    for k in range(len(r)):
        R, U = max(R, abs(r[k])), max(U, abs(u[k]), abs(b[k]))
        bb += b[k] * b[k]
        rr += r[k] * r[k]
        c[k], x[k], w[k], zero[k] = b[k] * s[k], r[k] / s[k], u[k] * s[k], 0.0
    for i in range(blocks):
        inside.lower[i], inside.upper[i] = K.lower[i] / s[K.start[i]], K.upper[i] / s[K.start[i]]
        if K.lower[i] == -np.inf and K.upper[i] == np.inf:
            bilateral = max(bilateral, abs(u[K.start[i]]))
    scale_turning(K, s, inside.friction)
    R, U = max(R, TINY) if R > 0.0 else 1.0, U if U > 0.0 else 1.0
    error, lack, held, speed = natural_map(inside, s, c, zero, x, w, exact, 0, blocks, scratch)
    cone, signorini, dissipation, gap, size = other_errors(K, r, u, exact, R, U, scratch)
    size = np.sqrt(rr) * max(np.sqrt(bb), size)
    out[0], out[1], out[2], out[3] = error, cone, signorini, dissipation
    out[4] = gap / (size if size > 0.0 else 1.0)
    out[5], out[6], out[7] = lack + ROUNDING * held, speed if speed > 0.0 else held, bilateral


def place_for_scaled(K: Sets) -> Sets:
    """Copy the sets, with workspace of their own for what :func:`measure` writes there."""
    return K._replace(friction=K.friction.copy(), lower=np.empty_like(K.lower), upper=np.empty_like(K.upper))


def all_errors(K: Sets, b: Array, r: Array, u: Array, law: str, scale: Array) -> Errors:
    """Compute the errors of multipliers, for a law other than ``lcp``.

    Args:
        K: the sets.
        b: the offset, ``(m,)``, m/s.
        r: the multipliers, ``(m,)``, N s.
        u: ``N r + b``, ``(m,)``, m/s.
        law: ``frictionless`` (with sets without friction), ``ccp`` or ``ncp``.
        scale: s of each multiplier, ``(m,)``, as :func:`~pluecker.contact.friction.problem.prepared.scales` finds it.
    """
    out, work = np.empty(NUMBER), np.empty((5, len(r)))
    inside = place_for_scaled(K)
    measure(K, inside, np.array(b), r, u, scale, int(law == "ncp"), work, out)
    return Errors(*out.tolist())


def with_velocities(errors: Errors, exponent: int) -> Errors:
    """Multiply the errors that are velocities by the power of two; what overflows becomes the largest number."""
    largest = float(np.finfo(np.float64).max)
    velocities = errors.velocity, errors.speed, errors.bilateral
    velocity, speed, bilateral = (min(float(np.ldexp(x, exponent)), largest) for x in velocities)
    return replace(errors, velocity=velocity, speed=speed, bilateral=bilateral)
