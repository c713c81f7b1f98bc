"""Sweeps of Gauss-Seidel on islands of all sizes: which code runs them, and what is kept of large ones.

Islands go through the method's own code one after the other. Those of many contacts, where these are nothing but contacts
with friction between bodies, go through code that takes eight contacts at a time
(:mod:`~pluecker.contact.friction.first_order.lanes`). A sweep takes a third to a fifth of the time there; to lay the
island out takes as long as 20 to 40 of them. Which way an island goes depends on the island alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.friction.first_order.memory import ERROR, Memory
from pluecker.contact.friction.first_order.pgs import run_pgs
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.sparse.symbolic import Symbolic
from pluecker.spatial.engine.parallel.interruption import answering
from pluecker.spatial.functions.elementwise import Array

__all__ = ["WIDE", "Layouts", "Whole", "layout_of", "run_sweeps"]

WIDE = 200  # contacts of an island, from which eight are taken at a time
Layouts = dict[tuple[str, int], Any]  # and what else is kept of large islands: by what it is, and by their numbers


class Whole(NamedTuple):
    """A problem with what is kept of it from call to call, as methods that are not compiled as a whole take it.

    Attributes:
        P: the problem.
        roots: for Newton's method, :class:`~pluecker.contact.friction.solving.newton.Roots`, if there are any.
        patterns: symbolic factors of islands that are known, by their numbers.
        layouts: of large islands, that are known.
        threads: that solve parts of a large island, and multiply by its matrix, at most.
    """

    P: Prepared
    roots: Any
    patterns: dict[int, Symbolic]
    layouts: Layouts
    threads: int


def layout_of(P: Prepared, island: int, layouts: Layouts, number: int) -> Any:
    """Return the layout of a large island, which is made where none is known by its number; None for all other islands."""
    if P.islands[island + 1] - P.islands[island] < WIDE:
        return None
    if ("sweeps", number) not in layouts:
        from pluecker.contact.friction.first_order.lanes import lay_out  # small problems need not load it

        layouts["sweeps", number] = lay_out(P, island)
    return layouts["sweeps", number]


def run_sweeps(
    whole: Whole, law: int, x: Array, u: Array, tol: float, limit: int, memory: Memory, begin: int, end: int
) -> None:  # fmt: skip
    """Sweep on islands; see :func:`~pluecker.contact.friction.first_order.runner.make_runner`.

    To the layouts that are known new ones are added.
    """
    P, first, sizes = whole.P, begin, np.diff(whole.P.islands)
    for island in (begin + np.flatnonzero(sizes[begin:end] >= WIDE)).tolist():
        found = None if memory.results[island, ERROR] <= tol else layout_of(P, island, whole.layouts, island)
        if found is not None:
            if first < island:
                answering(run_pgs, P, law, x, u, tol, limit, memory, first, island)
            from pluecker.contact.friction.first_order.lanes import run_large

            run_large(P, law, x, u, tol, limit, memory, island, found)
            first = island + 1
    if first < end:
        answering(run_pgs, P, law, x, u, tol, limit, memory, first, end)
