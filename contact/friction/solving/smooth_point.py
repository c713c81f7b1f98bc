"""The curve of smoothed solutions, point by point: a step along the tangent, then Newton's method in the plane across it.

This is the compiled code that :mod:`~pluecker.contact.friction.solving.smooth_path` calls for each point: most problems that
curves solve are cores of a dozen contacts, where NumPy would take longer than the arithmetic.

Source: E. L. Allgower and K. Georg, "Introduction to numerical continuation methods" (2003), chapter 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.problem.sets import project
from pluecker.contact.friction.solving.newton import System, evaluate_all, velocity_into
from pluecker.contact.friction.solving.smoothed_law import Linearised, linear_blocks, place_for, smoothed
from pluecker.contact.friction.sparse.lu import Factors, factor_lu, solve_lu
from pluecker.spatial.dense.laws import copy_vector
from pluecker.spatial.engine.compiled.decorators import allocation_free, allocation_free_kernel, called_kernel
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "BEST", "BEST_U", "CORRECTIONS", "COSINE", "DLEVEL", "DX", "LEVEL", "TURN", "Law", "Place", "X", "first_direction",
    "make_place", "next_point", "product", "value",
]  # fmt: skip

WEIGHT = 100.0  # of a relative change of the multipliers beside one of log m, along the curve
NEARER = 0.1  # of what a point on the curve may miss it by, from which it is not corrected
CORRECTIONS = 8  # of a point, by Newton's method
HALVINGS = 4  # of a correction
TURN = 0.3  # cosine between the tangents of two points, at least
SHARP = 1e-4  # steps that are shorter than this may turn by more: a kink that is hardly smoothed
HIGHEST = 700.0  # log m, whose exponential is a number

# Rows of the vectors: the point that was found and its direction, what is nearest to a solution and its velocities; then the
# point that is corrected, another that is tried, its velocities, both parts of a correction, and the right-hand side.
X, DX, BEST, BEST_U, NEW, TRIED, SPEED, STEP, TANGENT, RIGHT, VECTORS = range(11)
LEVEL, DLEVEL, COSINE, FOUND = range(4)  # of the numbers that are found


class Law(NamedTuple):
    """Parameters and units of the smoothed law that is followed.

    Attributes:
        step, stiffness: of the law, see :mod:`~pluecker.contact.friction.solving.smoothed_law`.
        begin: the level m of the start.
        close: by how many m a point on the curve may miss it.
        size: of the multipliers, by which their changes are measured.
    """

    step: float
    stiffness: float
    begin: float
    close: float
    size: float


class Place(NamedTuple):
    """Workspace in which a curve is followed.

    Attributes:
        L: the law at the point that was looked at last.
        centre: where the curve begins, ``(m,)``.
        missed: by how much the law is missed there, ``(m,)``.
        values, factors: of the derivative of F by x.
        vectors: ``(VECTORS, m)``.
        found: ``(FOUND,)``.
        speeds: of one contact, ``(3,)``.
    """

    L: Linearised
    centre: Array
    missed: Array
    values: Array
    factors: Factors
    vectors: Array
    found: Array
    speeds: Array


def make_place(P: Prepared, centre: Array, system: System) -> Place:
    """Allocate the workspace of the curve that begins there; Newton's method with this system must not be under way."""
    missed, vectors = np.zeros(len(centre)), np.zeros((VECTORS, len(centre)))
    return Place(place_for(P), centre, missed, system.values, system.factors, vectors, np.zeros(FOUND), np.zeros(3))


@called_kernel
def value(P, law, place, x, level):
    """Return the residual |F| of the curve's equation at the point; F and its derivatives are in ``place.L`` then"""
    F, T, missed, m, total = place.L.F, place.L.T, place.missed, np.exp(level), 0.0
    velocity_into(P, x, place.vectors[SPEED])
    smoothed(P, x, place.vectors[SPEED], place.centre, m, law.step, law.stiffness, place.speeds, place.L)
    share = m / law.begin
    for k in range(len(F)):
        F[k] -= share * missed[k]
        T[k] -= share * missed[k]
        total += F[k] * F[k]
    return np.sqrt(total)


@allocation_free_kernel
def factorised(P, law, place, level):
    """Factor the derivative of F by x, where it was looked at last; return the sign of its determinant, 0 for no factors"""
    linear_blocks(P, place.L, law.stiffness * np.exp(level), place.values)
    return factor_lu(place.factors, P.A.N, place.values)


@allocation_free_kernel
def solved(P, place, right, out):
    """Solve with the last factors and the right-hand side ``-right``"""
    b = place.vectors[RIGHT]
    for k in range(len(b)):
        b[k] = -right[k]
    solve_lu(place.factors, P.A.N, place.values, b, out)


@allocation_free_kernel
def product(law, dx, dlevel, other, other_dlevel):
    """Compute the inner product of two changes: those of log m, and those of multipliers relative to their size"""
    total, weight = 0.0, WEIGHT / law.size
    for k in range(len(dx)):
        total += (weight * dx[k]) * (weight * other[k])
    return total + dlevel * other_dlevel


@allocation_free_kernel
def share_of(P, law, place, x, level, d, dlevel, missed):
    """Return how much of a correction is made: halved until it helps, or none"""
    tried, share = place.vectors[TRIED], 1.0
    for _ in range(HALVINGS):
        for k in range(len(x)):
            tried[k] = x[k] + share * d[k]
        if value(P, law, place, tried, min(level + share * dlevel, HIGHEST)) < (1.0 - 0.3 * share) * missed:
            return share
        share *= 0.5
    return 0.0


@allocation_free_kernel
def keep_point(law, place, x, level, t, way):
    """Keep the point and its direction, of which the tangent dx / d(log m) is t"""
    vectors, found = place.vectors, place.found
    copy_vector(len(x), x, vectors[X])
    for k in range(len(x)):
        vectors[DX, k] = way * t[k]
    found[LEVEL], found[DLEVEL] = level, way


@allocation_free_kernel
def keep_best(P, place, x, d):
    """Project x + d on the sets of the law itself, into ``vectors``, with the velocities; return the error"""
    best, u, zero = place.vectors[BEST], place.vectors[BEST_U], place.vectors[RIGHT]
    for k in range(len(x)):
        best[k], zero[k] = x[k] + d[k], 0.0
    project(P.K, best, best)
    velocity_into(P, best, u)
    return evaluate_all(P, zero, best, u, 1, place.vectors[SPEED])


def first_direction(P, law, place, level):
    """Find the direction at the start, where F was looked at last; return the sign of the determinant

    It goes to lower levels, and is left in ``vectors`` and ``found``.
    """
    sign = factorised(P, law, place, level)
    if sign != 0.0:
        t = place.vectors[TANGENT]
        solved(P, place, place.L.T, t)
        keep_point(law, place, place.centre, level, t, -1.0 / np.sqrt(product(law, t, 1.0, t, 1.0)))
    return sign


def next_point(P, law, place, first, x, level, dx, dlevel, length, most):
    """Find the point one step from another one, with so many factors at most, into ``vectors`` and ``found``

    ``first`` is the sign of the determinant at the start: the direction turns to higher levels where it changes. The point
    itself is where factors were made: its tangent is known there, and beside a kink it differs from that of what is nearer.
    It is corrected further than it need be where that helps, lest it drift away in many small steps.

    Returns the error of what is nearer, infinite where no point was found, or one whose squares overflow; how many
    corrections that took; how many factors were made.
    """
    vectors = place.vectors
    new, d, t = vectors[NEW], vectors[STEP], vectors[TANGENT]
    for k in range(len(x)):
        new[k] = x[k] + length * dx[k]
    level += length * dlevel
    error, corrections, factors = np.inf, CORRECTIONS, 0
    for count in range(min(CORRECTIONS, most)):
        missed = value(P, law, place, new, level)
        if not missed < np.inf:
            break
        factors += 1
        sign = factorised(P, law, place, level)
        if sign == 0.0:
            break
        solved(P, place, place.L.F, d)
        solved(P, place, place.L.T, t)
        along = product(law, t, 1.0, dx, dlevel)
        change = -product(law, d, 0.0, dx, dlevel) / along  # in the plane across the direction
        largest = abs(change)
        for k in range(len(d)):
            d[k] += change * t[k]
            largest += abs(d[k])
        if not largest < np.inf:
            break
        near = missed / (law.close * np.exp(level))
        if near < 1.0:
            way = -sign * first / np.sqrt(product(law, t, 1.0, t, 1.0))
            cosine = way * along
            if cosine > TURN or length < SHARP:
                keep_point(law, place, new, level, t, way)
                place.found[COSINE], corrections = cosine, count
                error = keep_best(P, place, new, d)
            if near < NEARER or cosine <= TURN:
                break
        share = share_of(P, law, place, new, level, d, change, missed)
        if share == 0.0:
            break
        for k in range(len(new)):
            new[k] += share * d[k]
        level += share * change
    return error, corrections, factors


first_direction, next_point = allocation_free(first_direction), allocation_free(next_point)
