"""Coulomb's law by the curve of its smoothed solutions, followed from a point that nearly is one to level zero.

Where no other method comes to a solution (weight on redundant contacts, spheres jammed between walls), Newton's method goes
round between kinks: which contacts stick, slide and part changes with each of its steps. The smoothed law
(:mod:`~pluecker.contact.friction.solving.smoothed_law`) has solutions at every level, which form a curve,

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

from pluecker.contact.friction.solving.island import Island
from pluecker.contact.friction.solving.smooth_point import (
    BEST,
    BEST_U,
    CORRECTIONS,
    COSINE,
    DLEVEL,
    DX,
    LEVEL,
    TURN,
    Law,
    X,
    first_direction,
    make_place,
    next_point,
    value,
)
from pluecker.contact.friction.solving.smoothed_law import is_smoothable
from pluecker.spatial.engine.parallel.interruption import LONG_OPERATIONS, answering
from pluecker.spatial.functions.elementwise import Array

__all__ = ["ATTEMPTS", "Attempt", "Curve", "is_smoothable"]

NEAR = 1e-2  # |F| in m of each block, from which a point is on the curve
FIRST, LONGEST, SHORTEST = 0.5, 2.0, 1e-7  # steps along the curve
LEVELS = 3.0  # by which log m may rise above that of the start
LAST = 1e-11  # m, relative to b: what is smoothed there is rounding
QUICK, SLOW = 2, 5  # corrections of a point: fewer than these lengthen the step, from these on they shorten it
STRAIGHT = 0.9  # cosine of a turn, from which the step is doubled


class Attempt(NamedTuple):
    """Choice of one of the curves through a point.

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
    """Point of the curve: multipliers and log m, and the direction of the curve there."""

    x: Array
    level: float
    dx: Array
    dlevel: float


class Curve:
    """Curve through the best point of an island, and how far it was followed.

    Args:
        island: on its way, of blocks that :func:`is_smoothable`; its best point is the start.
        attempt: which curve.

    Attributes:
        error: of the start.
        law, place: the smoothed law, and the workspace.
        sign: of the determinant at the start.
        point: where it is; None where there is no way on.
        length: of the next step.
        factors: that were made.
    """

    def __init__(self, island: Island, attempt: Attempt) -> None:
        self.island, self.error, unit = island, island.error, float(np.abs(island.P.b).max())
        begin, close = attempt.level * unit, NEAR * float(np.sqrt(len(island.P.K.start) - 1))
        self.law = Law(attempt.step, attempt.stiffness / unit, begin, close, unit)
        self.highest, self.last = np.log(begin) + LEVELS, np.log(LAST * unit)
        self.place = make_place(island.P, island.x.copy(), island.system)
        self.long = 2.0 * float(island.system.factors.S.numbers[1]) * CORRECTIONS > LONG_OPERATIONS
        self.length, self.factors, self.noted = FIRST, 1, 0
        level = float(np.log(begin))
        self.value(self.place.centre, level)
        self.place.missed[:] = self.place.L.F
        self.place.L.T[:] -= self.place.missed
        self.measure(self.place.centre)
        self.sign = float(answering(first_direction, island.P, self.law, self.place, level, long=self.long))
        self.point = None if self.sign == 0.0 else self.found()

    @property
    def ended(self) -> bool:
        """True if it leads no further."""
        point = self.point
        return point is None or not self.last < point.level < self.highest or self.length <= SHORTEST

    def value(self, x: Array, level: float) -> float:
        """Return the residual of the curve's equation at a point; F and its derivatives are in ``self.place.L`` then."""
        return float(answering(getattr(value, "entrance", value), self.island.P, self.law, self.place, x, level))

    def measure(self, x: Array) -> None:
        """Measure changes of multipliers relative to those of a point from here on."""
        size = max(float(np.linalg.norm(x)), float(np.abs(self.island.P.b).max()))
        self.law = self.law._replace(size=size)

    def found(self) -> Point:
        """Return the point that was found last."""
        vectors, found = self.place.vectors, self.place.found
        return Point(vectors[X].copy(), float(found[LEVEL]), vectors[DX].copy(), float(found[DLEVEL]))

    def advance(self, tol: float, most: int) -> None:
        """Follow the curve until the island's error is ``tol``, with at most so many factors more.

        What is better than the island's best point becomes that.
        """
        island, vectors, began = self.island, self.place.vectors, time.perf_counter()
        limit = self.noted + island.rest
        most = min(self.factors + most, limit)
        while self.point is not None and not self.ended and island.error > tol and self.factors < most:
            self.measure(self.point.x)
            error, corrections, factors = answering(
                next_point, island.P, self.law, self.place, self.sign, *self.point, self.length, limit - self.factors,
                long=self.long,
            )  # fmt: skip
            self.factors += factors
            if not error < np.inf:
                self.length *= 0.5
                continue
            self.point, cosine = self.found(), float(self.place.found[COSINE])
            if error < island.error:
                island.take(vectors[BEST], vectors[BEST_U])
            if corrections < QUICK and cosine > STRAIGHT:
                self.length = min(2.0 * self.length, LONGEST)
            elif corrections >= SLOW or cosine < TURN:
                self.length *= 0.7
            else:
                self.length = min(1.4 * self.length, LONGEST)
        island.note("smoothed", self.factors - self.noted, began)
        self.noted = self.factors
