"""Coulomb's law by the curve of its smoothed solutions, followed from a point that nearly is one to level zero.

Where no other method comes to a solution (weight on redundant contacts, spheres jammed between walls), Newton's method goes
round between kinks: which contacts stick, slide and part changes with each of its steps. The smoothed law
(:mod:`~pluecker.contact.solving.smoothed_law`) has solutions at every level, which form a curve,

    F(x, m) = (m / m_0) F(x_0, m_0),

that begins at any x_0 without a step of Newton's method, and ends in a solution of Coulomb's law as m -> 0. Where the curve
turns back the level grows for a while, so it is followed along its length: a step along the tangent, then Newton's method in
the plane across it, shorter where the curve turns much. The springs go to zero
with m, so that they decide which of many solutions it becomes and not whether.

Where a contact begins to slide or to part the curve has a bend, the sharper the smaller m: its tangent may change by more
than a right angle within a step that is hardly longer than rounding. Which of both directions goes on is told by the sign of
the determinant of dF/dx, which changes where the level begins to grow or to fall and nowhere else; an angle does not tell.
And a tangent belongs to the very point where the factors were made.

A curve may be long: one with another level, springs or step may be short, so there are several, in turn, and each goes on
later from where it was left. How many of the twelve packings of 400 contacts that all else leaves (members 39, 205, 209,
215, 234, 238, 239, 244, 245, 247 of the family ``rest`` and 208, 237 of ``jammed`` in ``benchmarks.families``) each curve
brings to 1e-6, from the best point of all others:

==================  =======  ====  ===========  =============
level at the start  springs  step  800 factors  3,000 factors
==================  =======  ====  ===========  =============
0.01                0.03     30    4            6
1                   0.03     30    4            8
0.1                 0.1      10    4            8
0.1                 1        10    4            6
==================  =======  ====  ===========  =============

Ten of the twelve are solved by one or another. With tangents by their angle, of the point before its last correction, curves
ended at bends: 4 of these 48 solved theirs within 800 factors.

Source: E. L. Allgower and K. Georg, "Introduction to numerical continuation methods" (2003), chapters 3 and 6, for following
a curve.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from pluecker.contact.problem.sets import project
from pluecker.contact.solving.island import Island
from pluecker.contact.solving.newton import velocity
from pluecker.contact.solving.smoothed_law import is_smoothable, linear_blocks, place_for, smoothed
from pluecker.contact.sparse.lu import factor_lu, solve_lu
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.parallel.interruption import LONG, answering

__all__ = ["ATTEMPTS", "Attempt", "Curve", "is_smoothable"]

WEIGHT = 100.0  # of a relative change of the multipliers beside one of log m, along the curve
FIRST, LONGEST, SHORTEST = 0.5, 2.0, 1e-7  # steps along the curve
LEVELS = 3.0  # by which log m may rise above that of the start
LAST = 1e-11  # m, relative to b: what is smoothed there is rounding
NEAR = 1e-2  # |F| in m of each block, from which a point is on the curve
NEARER = 0.1  # of that, from which a point is not corrected
CORRECTIONS = 8  # of a point, by Newton's method; fewer than QUICK lengthen the step, from SLOW on they shorten it
QUICK, SLOW = 2, 5
HALVINGS = 4  # of a correction
TURN = 0.3  # cosine between the tangents of two points, at least
SHARP = 1e-4  # steps that are shorter than this may turn by more: a kink that is hardly smoothed
STRAIGHT = 0.9  # from which the step is doubled


class Attempt(NamedTuple):
    """Which of the curves through a point is followed.

    Attributes:
        level: m at the start, relative to b.
        stiffness: of the springs, in units of m and of the diagonal of N.
        step: q of the projection; the larger, the more velocities count beside multipliers.
    """

    level: float
    stiffness: float
    step: float


ATTEMPTS = Attempt(0.01, 0.03, 30.0), Attempt(1.0, 0.03, 30.0), Attempt(0.1, 0.1, 10.0), Attempt(0.1, 1.0, 10.0)


class Point(NamedTuple):
    """Of the curve: multipliers and log m, and the direction of the curve there."""

    x: Array
    level: float
    dx: Array
    dlevel: float


class Curve:
    """The curve through the best point of an island, and how far it was followed.

    Args:
        island: on its way, of blocks that :func:`is_smoothable`; its best point is the start.
        attempt: which curve.

    Attributes:
        error: of the start.
        point: where it is; none where there is no way on.
        length: of the next step.
    """

    def __init__(self, island: Island, attempt: Attempt) -> None:
        self.island, self.P, self.step, self.centre = island, island.P, attempt.step, island.x.copy()
        self.error, unit = island.error, float(np.abs(self.P.b).max())
        self.begin, self.stiffness = attempt.level * unit, attempt.stiffness / unit
        self.highest, self.last = np.log(self.begin) + LEVELS, np.log(LAST * unit)
        self.close = NEAR * np.sqrt(len(self.P.K.start) - 1)
        self.L, self.place = place_for(self.P), np.empty(3)
        self.values, self.lu = island.system.values, island.system.factors  # Newton's method is not under way
        self.missed, self.size, self.factors, self.sign = np.zeros(len(self.centre)), unit, 0, 0.0
        self.value(self.centre, np.log(self.begin))
        self.missed = self.L.F.copy()
        self.length, self.point, self.noted = FIRST, self.start(), 0

    @property
    def ended(self) -> bool:
        """Whether it leads nowhere else."""
        point = self.point
        return point is None or not self.last < point.level < self.highest or self.length <= SHORTEST

    def value(self, x: Array, level: float) -> float:
        """What the point misses the curve by; F and its derivatives are in ``L`` then."""
        m = float(np.exp(level))
        smoothed(self.P, x, velocity(self.P, x), self.centre, m, self.step, self.stiffness, self.place, self.L)
        self.L.F[:] -= m / self.begin * self.missed
        self.L.T[:] -= m / self.begin * self.missed
        return float(np.linalg.norm(self.L.F))

    def factorised(self, level: float) -> float:
        """Factors of the derivative of F by x, where it was looked at last: the sign of its determinant, 0 for none."""
        self.factors += 1
        linear_blocks(self.P, self.L, self.stiffness * float(np.exp(level)), self.values)
        factor, long = getattr(factor_lu, "entrance", factor_lu), 2.0 * float(self.lu.S.numbers[1]) > LONG
        return float(answering(factor, self.lu, self.P.A.N, self.values, long=long))

    def solve(self, right: Array) -> Array:
        """With the last factors."""
        x = np.empty_like(right)
        solve_lu(self.lu, self.P.A.N, self.values, right, x)
        return x

    def product(self, dx: Array, dlevel: float, point: Point) -> float:
        """Of a change with the direction of a point: that of log m, and that of multipliers relative to their size."""
        return (WEIGHT / self.size) ** 2 * float(dx @ point.dx) + dlevel * point.dlevel

    def tangent(self, t: Array, sign: float) -> tuple[Array, float]:
        """The direction of the curve from dx / d(log m), and the sign of the determinant.

        It begins to lower levels, and turns to others where that sign changes.
        """
        way = -sign * self.sign / np.sqrt((WEIGHT / self.size) ** 2 * float(t @ t) + 1.0)
        return way * t, way

    def start(self) -> Point | None:
        """The point that was given."""
        level = float(np.log(self.begin))
        self.value(self.centre, level)
        self.size = max(float(np.linalg.norm(self.centre)), self.size)
        self.sign = self.factorised(level)
        return None if self.sign == 0.0 else Point(self.centre, level, *self.tangent(self.solve(-self.L.T), self.sign))

    def next(self, point: Point, most: int) -> tuple[Point | None, Array, int, float]:
        """The point one step from another one, with so many factors at most.

        The point itself is where factors were made: its tangent is known there, and beside a kink it differs from that of
        what is nearer. It is corrected further than it need be where that helps, lest it drift away in many small steps.

        Returns:
            The point, or none; what is nearer to the curve; how many corrections it took; the cosine of the turn.
        """
        x, level = point.x + self.length * point.dx, point.level + self.length * point.dlevel
        found: tuple[Point | None, Array, int, float] = None, x, CORRECTIONS, 0.0
        for count in range(min(CORRECTIONS, most)):
            missed = self.value(x, level)
            sign = self.factorised(level) if missed < np.inf else 0.0
            if sign == 0.0:
                break
            d, t = self.solve(-self.L.F), self.solve(-self.L.T)
            dlevel = -self.product(d, 0.0, point) / self.product(t, 1.0, point)  # in the plane across the direction
            d += dlevel * t
            if not (np.isfinite(dlevel) and np.isfinite(d).all()):
                break
            near = missed / (self.close * np.exp(level))
            if near < 1.0:
                after = Point(x, level, *self.tangent(t, sign))
                cosine = self.product(after.dx, after.dlevel, point)
                if cosine > TURN or self.length < SHARP:
                    found = after, x + d, count, cosine
                if near < NEARER or cosine <= TURN:
                    break
            share = self.share(x, level, d, dlevel, missed)
            if share == 0.0:
                break
            x, level = x + share * d, level + share * dlevel
        return found

    def share(self, x: Array, level: float, d: Array, dlevel: float, missed: float) -> float:
        """How much of a correction is made: halved until it helps, or none."""
        share = 1.0
        for _ in range(HALVINGS):
            if self.value(x + share * d, min(level + share * dlevel, 700.0)) < (1.0 - 0.3 * share) * missed:
                return share
            share *= 0.5
        return 0.0

    def advance(self, tol: float, most: int) -> None:
        """Follow it from where it is until the island's error is ``tol``, with at most so many factors more.

        What is better than the island's best point becomes that.
        """
        island, best, began = self.island, np.empty_like(self.centre), time.perf_counter()
        limit = self.noted + island.rest
        most = min(self.factors + most, limit)
        while self.point is not None and not self.ended and island.error > tol and self.factors < most:
            self.size = max(float(np.linalg.norm(self.point.x)), np.abs(self.P.b).max())
            after, nearer, corrections, cosine = self.next(self.point, limit - self.factors)
            if after is None:
                self.length *= 0.5
                continue
            self.point = after
            project(self.P.K, nearer, best)
            island.take(best, island.velocity(best))
            if corrections < QUICK and cosine > STRAIGHT:
                self.length = min(2.0 * self.length, LONGEST)
            elif corrections >= SLOW or cosine < TURN:
                self.length *= 0.7
            else:
                self.length = min(1.4 * self.length, LONGEST)
        island.note("smoothed", self.factors - self.noted, began)
        self.noted = self.factors
