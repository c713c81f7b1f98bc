"""How far multipliers are from a solution: one set of errors for all solvers and laws.

==============  ======================================================================================================
error           what it is
==============  ======================================================================================================
natural map     ``|r - P_K(r - u - g)| / max(|b|, |r|, |u|)``, ``g`` being De Saxce's correction in the law ncp: zero at
                solutions and nowhere else; the one that tolerances refer to
cone violation  how far r is from K, relative to the largest multiplier
signorini       ``max_i |min(r_n / R, u_n / U)|`` of the contacts: penetration, pulling, and a force where it opens, of which
                not the normal part alone counts, but ``|r_i|``
dissipation     by how much friction fails to act against the sliding with all it has:
                ``max_i (mu |u_t| r_n + u_t . r_t) / (R U)``, summed over the discs; zero in Coulomb's law
scaled map      the natural map of ``r / s`` and ``s u``, relative to ``|s b|``, where ``1 / s^2`` is the mean diagonal
                of each block of N: without units. What rounding may hide is added, ``4 eps |r / s|``
steep           the error ``signorini`` of contacts with ``sum mu_k^2 > 1`` alone, for Coulomb's law
bilateral       ``max |u|`` of the rows without bounds, their compliance counted; m/s, rad/s
duality gap     ``sum_i |r_i . (u + g)_i| / (|r| max(|b|, |u + g|))`` for cones; with bounds what remains of ``r u`` at the
                active bound
==============  ======================================================================================================

``R`` and ``U`` are the largest ``|r|`` and ``|u|`` or ``|b|`` of a component. In the law ccp a sliding contact rises,
so that the errors of Signorini and of dissipation, which are about Coulomb's law, remain: they say how much the convex
law changes.

The natural map compares forces with velocities, as numbers. It is the field's measure, and it is small too early where one
dwarfs the other: bodies of a hundred tonnes, or of a milligram. It also gets small where there is no solution, and the
multipliers grow without bound. The scaled map shows both, for it is relative to what is given: a result has converged only
where it is small as well, see :func:`~pluecker.contact.results.result.is_converged`.

Where friction holds, De Saxce's map shows a normal velocity divided by ``(1 + mu^2)^(1/2)``: with mu = 1e6 a contact that is
driven in with 1 m/s and gets no impulse has an error of 1e-6. So of *steep* cones, ``sum mu_k^2 > 1``, Signorini's
condition ``|min(r_n, u_n)|`` takes the place of the block's part of both maps in the law ncp where it is the larger, and a
result has converged only where the error *steep* is within the tolerance: in velocities beside velocities, impulses beside
impulses.

Source: the natural map as in Acary, Bremond and Huber (2018); its scaling as Siconos quotes it; what is done with steep
cones is derived here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pluecker.contact.problem.natural_map import natural_block
from pluecker.contact.problem.sets import DISCS, Sets, is_steep, length, project, shift_block, signorini_block
from pluecker.spatial.compiled.decorators import allocation_free
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Errors", "all_errors", "natural_map", "norm", "scale_of_errors", "scaled_maps"]


TINY = float(np.finfo(np.float64).tiny)  # a smaller number has no inverse
ROUNDING = 4.0 * float(np.finfo(np.float64).eps)  # of velocities, of multipliers of one in scaled units


@dataclass(frozen=True)
class Errors:
    """The errors of one pair of multipliers and velocities, zero where there is none; without unit but for ``bilateral``.

    Attributes:
        natural_map: the one that tolerances refer to, for the law in question.
        cone_violation: how far the multipliers are outside their sets.
        signorini: penetration, pulling, force at a distance.
        dissipation: how far friction is from the largest dissipation.
        duality_gap: what is left of r . u.
        scaled_map: the natural map in units in which forces and velocities are alike.
        steep: signorini of the contacts with a friction above 1, which hides it from the natural map; 0 in convex laws.
        bilateral: the largest velocity of a row without bounds, compliance counted; in its own unit, m/s or rad/s.
    """

    natural_map: float
    cone_violation: float
    signorini: float
    dissipation: float
    duality_gap: float
    scaled_map: float = 0.0
    steep: float = 0.0
    bilateral: float = 0.0


def norm(x, first, last):
    """|x[first:last]|"""
    s = 0.0
    for k in range(first, last):
        s += x[k] * x[k]
    return np.sqrt(s)


def natural_map(K, r, u, exact, first, last, work):
    """|r - P(r - u - g)| of the blocks from ``first`` to ``last``; g is left out unless ``exact`` is 1

    Of a steep cone the larger of that and Signorini's condition counts.
    """
    s = 0.0
    for i in range(first, last):
        s += natural_block(K, i, 1.0, 1.0, 0.0, exact, r, u, work)
    return np.sqrt(s)


def other_errors(K, r, u, exact, R, U, work):
    """Cone violation, Signorini, the same of steep cones, dissipation, and the sum of |r . (u + g)| with |u + g|"""
    cone, signorini, steep, dissipation, gap, total = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    project(K, r, work)
    for i in range(len(K.start) - 1):
        top, bottom = K.start[i], K.start[i + 1]
        for k in range(top, bottom):
            cone = max(cone, abs(r[k] - work[k]) / R)
        g = shift_block(K, i, u) if exact == 1 else 0.0
        if K.lower[i] == 0.0 and K.upper[i] == np.inf:
            lack = signorini_block(K, i, 1.0 / R, 1.0 / U, r, u)
            signorini = max(signorini, lack)
            if is_steep(K, i):
                steep = max(steep, lack)
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
    return cone, signorini, steep, dissipation, gap, np.sqrt(total)


def scaled_maps(P, x, u, exact, begin, end, work, out, steep):
    """Of islands from ``begin`` to ``end`` the scaled maps, and Signorini's errors of steep cones"""
    for island in range(begin, end):
        first, last = P.islands[island], P.islands[island + 1]
        top, bottom = P.K.start[first], P.K.start[last]
        size = norm(P.b, top, bottom)
        error = natural_map(P.K, x, u, exact, first, last, work) + ROUNDING * norm(x, top, bottom)
        out[island], steep[island] = error / (size if size > 0.0 else 1.0), 0.0
        if exact == 1:
            R, U = 0.0, 0.0
            for k in range(top, bottom):
                R, U = max(R, abs(x[k]) * P.s[k]), max(U, max(abs(u[k]), abs(P.b[k])) / P.s[k])
            R, U = R if R > 0.0 else 1.0, U if U > 0.0 else 1.0
            for i in range(first, last):
                if is_steep(P.K, i):
                    s = P.s[P.K.start[i]]
                    steep[island] = max(steep[island], signorini_block(P.K, i, s / R, 1.0 / (s * U), x, u))


norm, natural_map = allocation_free(norm), allocation_free(natural_map)
other_errors, scaled_maps = allocation_free(other_errors), allocation_free(scaled_maps)


def scale_of_errors(b: Array, r: Array, u: Array) -> float:
    """max(|b|, |r|, |u|), and 1 where all are zero."""
    return max(float(np.linalg.norm(vector)) for vector in (b, r, u)) or 1.0


def all_errors(K: Sets, b: Array, r: Array, u: Array, law: str, scale: Array | None = None) -> Errors:
    """The errors of multipliers, for a law other than ``lcp``.

    Args:
        K: the sets.
        b: the offset, ``(m,)``, m/s.
        r: the multipliers, ``(m,)``, N s.
        u: ``N r + b``, ``(m,)``, m/s.
        law: ``frictionless`` (with sets without friction), ``ccp`` or ``ncp``.
        scale: of each multiplier, ``(m,)``, one number for each block, for the scaled map; ones unless given.
    """
    exact, work, blocks = int(law == "ncp"), np.empty(len(r)), len(K.start) - 1
    R = max(float(np.abs(r).max()), TINY) if r.any() else 1.0
    U = max(float(np.abs(u).max(initial=0.0)), float(np.abs(b).max(initial=0.0))) or 1.0
    cone, signorini, steep, dissipation, gap, size = other_errors(K, r, u, exact, R, U, work)
    error = natural_map(K, r, u, exact, 0, blocks, work) / scale_of_errors(b, r, u)
    size = float(np.linalg.norm(r) * max(np.linalg.norm(b), size)) or 1.0
    s = np.ones(len(r)) if scale is None else scale
    top = s[K.start[:-1]]
    inside = K._replace(lower=K.lower / top, upper=K.upper / top)
    scaled = natural_map(inside, r / s, u * s, exact, 0, blocks, work) + ROUNDING * float(np.linalg.norm(r / s))
    scaled /= float(np.linalg.norm(b * s)) or 1.0
    steep = float(steep) if exact else 0.0
    equations = np.isneginf(K.lower) & np.isposinf(K.upper)
    bilateral = float(np.abs(u[K.start[:-1][equations]]).max(initial=0.0))
    return Errors(
        float(error),
        float(cone),
        float(signorini),
        float(dissipation),
        float(gap / size),
        float(scaled),
        steep,
        bilateral,
    )
