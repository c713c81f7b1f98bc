"""Velocities and multipliers near one: a problem divided by a power of two, and its result multiplied by it.

So no square overflows. A handful of contacts is solved in microseconds, which is what NumPy takes for one operation on their
numbers: calls of compiled methods have :func:`begin` and :func:`end`, the way from the caller's numbers to scaled ones and
the way back with all errors, as one compiled function each; what changes its blocks first has :func:`in_units`.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.problem.operator import Operator, apply_once
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import Sets, divided, project
from pluecker.contact.friction.results.measures import VELOCITIES, measure, with_velocities
from pluecker.contact.friction.results.result import Result
from pluecker.contact.friction.solving.direct import Direct
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.functions.elementwise import Array

__all__ = ["LARGE_START", "Original", "begin", "end", "in_units", "in_units_of_caller"]


def exponent_of(b: Array, K: Sets, largest: float = 0.0) -> int | None:
    """Return the exponent of the power of two that divides velocities and multipliers, so that no square overflows.

    Errors that are velocities are divided too, others stay the same, and so do all digits. ``largest`` shall be near
    one as well. None where no multipliers are a solution.
    """
    size = max(largest, np.abs(b).max(initial=0.0), K.lower.max(initial=0.0), -K.upper.min(initial=0.0))
    return None if size == 0.0 else int(np.frexp(size)[1])


def start_in_units(start: Array | None, exponent: int | None) -> Array | None:
    """Divide a start by that power; None where its velocities may overflow, or where zero is a solution."""
    if start is None or exponent is None:
        return None
    start = np.ldexp(start, -exponent)
    return start if np.abs(start).max(initial=0.0) < LARGE_START else None


def in_units(problem: Problem, start: Array | None, largest: float = 0.0) -> tuple[Problem, Array | None, int]:
    """Divide a problem and its start by a power of two, so that velocities and multipliers are near one.

    Returns:
        The problem; the start, None as of :func:`start_in_units`; the exponent of :func:`exponent_of`, 0 where that is None.
    """
    b, K = problem.offset, problem.sets
    exponent = exponent_of(b, K, largest)
    if exponent is None:
        return problem, None, 0
    free = None if problem.free_velocity is None else np.ldexp(problem.free_velocity, -exponent)
    inside = replace(problem, offset=np.ldexp(b, -exponent), sets=divided(K, exponent), free_velocity=free)
    return inside, start_in_units(start, exponent), exponent


def in_units_of_caller(result: Result, exponent: int, began: float) -> Result:
    """Multiply multipliers and velocities by the power of two; what overflows becomes the largest number."""
    largest = np.finfo(np.float64).max
    r, u = (np.clip(np.ldexp(x, exponent), -largest, largest) for x in (result.multipliers, result.velocity))
    blocks = None if result.blocks is None else result.blocks._replace(offset=np.ldexp(result.blocks.offset, exponent))
    errors = with_velocities(result.errors, exponent)
    return replace(result, multipliers=r, velocity=u, errors=errors, blocks=blocks, time=time.perf_counter() - began)


LARGE_START = 1e100  # multipliers to start from, in units in which b is one
LARGEST_NUMBER = float(np.finfo(np.float64).max)


class Original(NamedTuple):
    """A problem in its original order, divided by a power of two.

    Attributes:
        A, K: operator and sets.
        inside: the sets, with place for scaled ones.
        offset: b, ``(m,)``.
        scale: s of each multiplier, ``(m,)``.
        places, s: of each multiplier of the prepared problem its place here, and its scale there, ``(m,)``.
    """

    A: Operator
    K: Sets
    inside: Sets
    offset: Array
    scale: Array
    places: Indices
    s: Array


def begin(b, start, K, inner, P, places, offset, r, x):
    """Divide a problem by a power of two, so that velocities and multipliers are near one; scale it, and its start

    Returns the exponent of that power, and whether there is a start.

    ``offset`` and the bounds of ``inner`` become those of the caller's ``b`` and ``K``, ``P.b`` and the bounds of ``P.K``
    the scaled ones; ``r`` becomes the start, projected, and ``x`` the same in P's order. A start is left out where its
    velocities may overflow, and where zero is a solution. All digits stay the same.
    """
    size, largest = 0.0, 0.0
    for k in range(len(b)):
        size = max(size, abs(b[k]))
    for i in range(len(K.lower)):
        size = max(size, K.lower[i], -K.upper[i])
    exponent = math.frexp(size)[1]
    for i in range(len(K.lower)):
        inner.lower[i], inner.upper[i] = np.ldexp(K.lower[i], -exponent), np.ldexp(K.upper[i], -exponent)
        P.K.lower[i], P.K.upper[i] = np.ldexp(P.K.lower[i], -exponent), np.ldexp(P.K.upper[i], -exponent)
    for k in range(len(b)):
        offset[k] = np.ldexp(b[k], -exponent)
        r[k], x[k] = 0.0, 0.0
    for k in range(len(b)):
        P.b[k] = offset[places[k]] * P.s[k]
    for k in range(len(start)):
        r[k] = np.ldexp(start[k], -exponent)
        largest = max(largest, abs(r[k]))
    if len(start) == 0 or size == 0.0 or not largest < LARGE_START:
        return exponent, False
    project(inner, r, r)
    for k in range(len(b)):
        x[k] = r[places[k]] / P.s[k]
    return exponent, True


def end(original, x, exponent, exact, r, u, work, errors):
    """Put multipliers at their original places; find their velocities N r + b, and all errors; then in the caller's units

    The largest number stands in place of what is larger.
    """
    A, K, inside, offset, scale, places, s = original
    for k in range(len(x)):
        r[places[k]] = x[k] * s[k]
    apply_once(A, r, u)
    for k in range(len(x)):
        u[k] += offset[k]
    measure(K, inside, offset, r, u, scale, exact, work, errors)
    for k in range(len(x)):
        r[k] = min(max(np.ldexp(r[k], exponent), -LARGEST_NUMBER), LARGEST_NUMBER)
        u[k] = min(max(np.ldexp(u[k], exponent), -LARGEST_NUMBER), LARGEST_NUMBER)
    for k in VELOCITIES:
        errors[k] = min(np.ldexp(errors[k], exponent), LARGEST_NUMBER)


begin, end = Direct(begin), Direct(end)
