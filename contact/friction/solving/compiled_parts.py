"""Compiled steps of a call before and after its method, each as a whole.

A handful of contacts is solved in microseconds, which is what NumPy takes for one operation on their numbers. So the way
from the caller's numbers to scaled ones, and the way back with all errors, are one compiled function each.
"""

from __future__ import annotations

import math

import numpy as np

from pluecker.contact.friction.problem.operator import apply_once
from pluecker.contact.friction.problem.sets import project
from pluecker.contact.friction.results.measures import VELOCITIES, measure
from pluecker.contact.friction.solving.direct import Direct

__all__ = ["LARGE_START", "begin", "end"]

LARGE_START = 1e100  # multipliers to start from, in units in which b is one
LARGEST_NUMBER = float(np.finfo(np.float64).max)


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


def end(A, K, inside, s, places, x, scale, offset, exponent, exact, r, u, work, errors):
    """Put multipliers at their original places; find their velocities N r + b, and all errors; then in the caller's units

    The largest number stands in place of what is larger.
    """
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
