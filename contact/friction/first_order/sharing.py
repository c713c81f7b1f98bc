"""Sweeps of Gauss-Seidel on islands of all sizes: which code runs them, and what it keeps of large ones.

Islands go through the method's own code one after the other. Those of many contacts, where these are nothing but contacts
with friction between bodies, go through code that takes eight contacts at a time
(:mod:`~pluecker.contact.friction.first_order.large_sweeps`). A sweep takes a third to a fifth of the time there; to lay the
island out takes as long as 20 to 40 of them. Threads share the work of those of thousands. Which way an island goes depends
on the island alone, and not on how many threads there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.friction.first_order.memory import ERROR, Memory
from pluecker.contact.friction.first_order.pgs import USUAL, run_pgs, run_psor
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.sparse.symbolic import Symbolic
from pluecker.spatial.engine.parallel.interruption import answering
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "SHARED_CONTACTS",
    "WIDE",
    "Layouts",
    "Whole",
    "layout_of",
    "run_relaxed_sweeps",
    "run_sweeps",
    "threads_for",
]

WIDE = 200  # contacts of an island, from which eight are taken at a time
SHARED_CONTACTS = 2000  # from which threads share its work
Layouts = dict[tuple[str, int], Any]  # and what else is kept of large islands: by what it is, and by their numbers


class Whole(NamedTuple):
    """A problem with what is kept of it from call to call, as methods that are not compiled as a whole take it.

    Attributes:
        P: the problem.
        roots: for Newton's method, :class:`~pluecker.contact.friction.solving.newton.Roots`, if there are any.
        patterns: symbolic factors of islands that are known, by their numbers.
        layouts: of large islands, that are known.
        threads: that share the work of a large island, at most.
    """

    P: Prepared
    roots: Any
    patterns: dict[int, Symbolic]
    layouts: Layouts
    threads: int


def layout_of(P: Prepared, island: int, layouts: Layouts, number: int, threads: int) -> Any:
    """Return the layout of a large island, which is made where it is not known.

    Args:
        P, island: the island.
        layouts, number: those that are known, and the number of this one there.
        threads: that may make it.

    Returns:
        None for an island that goes the usual way.
    """
    if P.islands[island + 1] - P.islands[island] < WIDE:
        return None
    if ("sweeps", number) not in layouts:
        from pluecker.contact.friction.first_order.large_sweeps import lay_out  # small problems need not load it

        layouts["sweeps", number] = lay_out(P, island, threads)
    return layouts["sweeps", number]


def threads_for(contacts: int, threads: int) -> int:
    """Return how many of these threads are worth it for an island of so many contacts: all, or one."""
    return threads if contacts >= SHARED_CONTACTS else 1


def sharing(small: Callable[..., Any], relaxation: float) -> Callable[..., None]:
    """Make a runner as :func:`.make_runner` does, with threads for each large island; ``small`` is that of all others."""

    def run(
        whole: Whole, law: int, x: Array, u: Array, tol: float, limit: int, memory: Memory, begin: int, end: int
    ) -> None:  # fmt: skip
        """Run the method on islands; see :func:`~pluecker.contact.friction.first_order.runner.make_runner`.

        To the layouts that are known new ones are added.
        """
        P, first, sizes = whole.P, begin, np.diff(whole.P.islands)
        for island in (begin + np.flatnonzero(sizes[begin:end] >= WIDE)).tolist():
            if memory.results[island, ERROR] <= tol:
                continue
            workers = threads_for(int(sizes[island]), whole.threads)
            found = layout_of(P, island, whole.layouts, island, 1)
            if found is not None:
                if first < island:
                    answering(small, P, law, x, u, tol, limit, memory, first, island)
                from pluecker.contact.friction.first_order.large_sweeps import run_large

                run_large(P, law, x, u, tol, limit, memory, island, found, workers, relaxation)
                first = island + 1
        if first < end:
            answering(small, P, law, x, u, tol, limit, memory, first, end)

    return run


run_sweeps, run_relaxed_sweeps = sharing(run_pgs, 1.0), sharing(run_psor, USUAL)
