"""Compiled steps of a call, each as a whole: before and after its method, and those that ``auto`` takes first.

A handful of contacts is solved in microseconds, which is what NumPy takes for one operation on their numbers. So the way
from the caller's numbers to scaled ones, the first steps, and the way back with all errors are one compiled function each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config, typeof
from numba import types as numba_types

from pluecker.contact.friction.first_order.memory import ERROR, ITERATIONS, PRODUCTS
from pluecker.contact.friction.first_order.runner import evaluate_islands
from pluecker.contact.friction.problem.operator import apply_once
from pluecker.contact.friction.problem.sets import project
from pluecker.contact.friction.results.measures import VELOCITIES, measure
from pluecker.contact.friction.solving.small import is_small, run_small
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, entrance, entry_point
from pluecker.spatial.engine.compiled.numba_internals import compiling
from pluecker.spatial.engine.memory.lent import Lent
from pluecker.spatial.engine.parallel.interruption import answering

__all__ = ["LARGE_START", "MANY_MULTIPLIERS", "Direct", "begin", "end", "first_steps"]

MANY_MULTIPLIERS = (
    120  # multipliers of all islands, from which the first steps are taken like all others: a call takes long anyway
)
LARGE_START = 1e100  # multipliers to start from, in units in which b is one
LARGEST_NUMBER = float(np.finfo(np.float64).max)


class Direct:
    """A compiled function whose arguments always have the types of the first call: they are not asked for again.

    Asking takes 10 microseconds for the 40 arrays of a prepared problem, the call itself 0.3.

    Args:
        function: allocates nothing; takes arrays in C order, numbers, and tuples of them.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        inside = allocation_free_kernel(function)

        def call(arguments):
            return inside(*arguments)

        call.__name__ = call.__qualname__ = function.__name__  # one file of the cache for each
        self.function: Any = entry_point(call)
        self.enter: Callable[..., Any] | None = self.function if config.DISABLE_JIT else None

    def __call__(self, *arguments: Any) -> Any:
        if self.enter is None:
            answering(self.prepare, arguments, long=True)
        return self.enter(arguments)  # type: ignore[misc]

    def prepare(self, arguments: tuple[Any, ...]) -> None:
        """Compile it for the types of these arguments, or take it from the disk."""
        kinds = tuple(typeof(x) for x in arguments)
        assert all(map(in_order, kinds)), "arrays of other calls would be read in the order of these"
        types = (Lent(kinds),)
        with compiling:  # the second of two threads waits for the first
            if self.enter is None:
                self.function.compile(types)
                self.enter = entrance(self.function)


def in_order(kind: Any) -> bool:
    """Return whether all arrays of a type are in C order."""
    if isinstance(kind, numba_types.BaseTuple):
        return all(map(in_order, kind))
    return not isinstance(kind, numba_types.Array) or kind.layout == "C"


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


def first_steps(P, law, x, goal, limit, work, results, before, place):
    """Run the first steps of ``auto`` where all islands are small; return whether all have the error ``goal``

    Their multipliers are left in x if so. ``results`` become those of the islands; ``before`` has place for their errors at
    the start, ``place`` is that of :mod:`~pluecker.contact.friction.solving.small`.
    """
    islands, y, u, scratch, zero = len(results), work[0], work[1], work[2], work[3]
    for island in range(islands):
        if not is_small(P, law, x, P.islands[island], P.islands[island + 1]):
            return False
        results[island, ERROR], results[island, ITERATIONS], results[island, PRODUCTS] = np.inf, 0.0, 0.0
        before[island] = np.inf
    project(P.K, x, y)
    apply_once(P.A, y, u)
    for k in range(len(x)):
        u[k] += P.b[k]
    if law == 1:
        evaluate_islands(P, y, u, law, scratch, zero, before)
    run_small(P, law, y, u, goal, limit, results, 0, islands, place)
    for island in range(islands):
        if not (results[island, ERROR] <= goal and results[island, ERROR] <= before[island]):
            return False
    for k in range(len(x)):
        x[k] = y[k]
    return True


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


begin, first_steps, end = Direct(begin), Direct(first_steps), Direct(end)
