"""Newton's method with a line search for equations that are piecewise smooth, ``Phi(z) = 0``.

The merit is ``Psi = 1/2 |Phi|^2``. At each point the equations offer directions, the Newton direction first, then more
cautious ones, the gradient of the merit last. The first along which the merit falls enough, for a step that is not tiny, is
taken:

    Psi(z + t d) <= Psi(z) + SLOPE t gradient . d,        t = 1, 1/2, 1/4, ...

Where all fail, the best of the short steps is taken; where there is none, the search ends.

Source: T. De Luca, F. Facchinei, C. Kanzow, "A semismooth equation approach to the solution of nonlinear complementarity
problems" (1996).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from pluecker.contact.friction.lcp.search import Search
from pluecker.spatial.functions.elementwise import Array

__all__ = ["CAUTIOUS", "Equations", "damped_newton", "steepest_descent"]

SLOPE = 1e-4
SHORTEST = 2.0**-40
TINY = 2.0**-8  # a step below belongs to a bad direction: another is tried
CAUTIOUS = (1e-8, 1e-4, 1e-2, 1.0)  # how far the diagonal of a Newton matrix is shifted, in scaled units


class Equations(Protocol):
    """Equations ``Phi(z) = 0``, as the method needs to know them."""

    def value(self, z: Array) -> Array:
        """Phi(z)"""

    def directions(self, z: Array, value: Array) -> Iterator[tuple[Array, float]]:
        """Yield directions d with the slope ``gradient . d`` of the merit, the best first."""


def steepest_descent(gradient: Array, image: Array) -> tuple[Array, float]:
    """Return the negative gradient, as long as the linear model says, and its slope; ``image``: the Jacobian times it."""
    square = float(gradient @ gradient)
    curvature = float(image @ image)
    factor = square / curvature if curvature > 0.0 else 1.0
    return -factor * gradient, -factor * square


def damped_newton(equations: Equations, search: Search) -> tuple[str, str]:
    """Run from ``search.start`` in scaled units until the natural map is small enough, the limit, or no direction leads on.

    Args:
        equations: Phi of the scaled problem.
        search: the start and the goal; the best point is left there.

    Returns:
        The status (``converged``, ``iteration limit`` or ``stalled``) and a message.
    """
    z = search.start / search.scaling.column
    value = equations.value(z)
    merit = merit_of(value)
    while not search.converged:
        if search.iterations == search.limit:
            return "iteration limit", f"{search.what} after {search.limit} Newton steps"
        step = line_search(equations, z, value, merit)
        if step is None:
            return "stalled", (
                f"no direction lowers the merit function; {search.what}: a local minimum, or the problem has no solution, "
                "or rounding"
            )
        z, value, merit = step
        search.iterations += 1
        search.history.append(search.visit_scaled(z))
    return "converged", "solved"


def merit_of(value: Array) -> float:
    """1/2 |Phi|^2, infinite where it is not a number"""
    merit = 0.5 * float(value @ value)
    return merit if merit == merit else math.inf


def line_search(equations: Equations, z: Array, value: Array, merit: float) -> tuple[Array, Array, float] | None:
    """Find the next point, its Phi and its merit: the first that is far enough, else the best near one, None without one."""
    best: tuple[Array, Array, float] | None = None
    for d, slope in equations.directions(z, value):
        if not (np.isfinite(d).all() and slope < 0.0):
            continue
        t = 1.0
        while t >= SHORTEST:
            point = z + t * d
            there = equations.value(point)
            height = merit_of(there)
            if height <= merit + SLOPE * t * slope and height < math.inf and (t >= TINY or height < merit):
                if t >= TINY:
                    return point, there, height
                if best is None or height < best[2]:
                    best = point, there, height
                break
            t *= 0.5
    return best
