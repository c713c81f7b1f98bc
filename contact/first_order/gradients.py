"""Accelerated projected gradients on islands of all sizes: what runs them, and what it keeps of large ones.

Islands go through :mod:`~pluecker.contact.first_order.apgd` one after the other. Those of many contacts, where these are
nothing but contacts with friction between bodies, go through :mod:`~pluecker.contact.first_order.large`, whose work threads
share. Which way an island goes depends on the island alone, and not on the number of threads.
"""

from __future__ import annotations

from pluecker.contact.first_order.apgd import run_apgd
from pluecker.contact.first_order.large import Island, lay_out, run_large
from pluecker.contact.first_order.memory import ERROR, LEFT, Memory
from pluecker.contact.problem.prepared import Prepared
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.parallel.interruption import answering

__all__ = ["LARGE", "run_gradients"]

LARGE = 2000  # contacts of an island, from which its work is shared


def run_gradients(
    P: Prepared, law: int, x: Array, u: Array, tol: float, limit: int, memory: Memory, begin: int, end: int,
    layouts: dict[int, Island | None] | None = None, threads: int = 1,
) -> None:  # fmt: skip
    """As the runners of :func:`~pluecker.contact.first_order.runner.make_runner`, with threads for each large island.

    Args:
        P, law, x, u, tol, limit, memory, begin, end: as there.
        layouts: of large islands, by their numbers; those that are missing are added.
        threads: at most.
    """
    layouts, first = {} if layouts is None else layouts, begin
    for island in range(begin, end):
        if P.islands[island + 1] - P.islands[island] < LARGE:
            continue
        if memory.results[island, ERROR] <= tol or memory.states[island, LEFT] == 1.0:
            continue
        if island not in layouts:
            layouts[island] = lay_out(P, island)
        found = layouts[island]
        if found is not None:
            if first < island:
                answering(run_apgd, P, law, x, u, tol, limit, memory, first, island)
            run_large(P, law, x, u, tol, limit, memory, island, found, threads)
            first = island + 1
    if first < end:
        answering(run_apgd, P, law, x, u, tol, limit, memory, first, end)
