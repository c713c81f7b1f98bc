"""Methods of first order on islands of all sizes: which code runs them, and what it keeps of large ones.

Islands go through the method's own code one after the other. Those of many contacts, where these are nothing but contacts
with friction between bodies, go through code that takes eight contacts at a time: gradients through
:mod:`~pluecker.contact.friction.first_order.large_gradients`, sweeps of Gauss-Seidel through
:mod:`~pluecker.contact.friction.first_order.large_sweeps`. An iteration takes a third to a fifth of the time there; to lay
the island out takes as long as 20 to 40 iterations. Threads share the work of those of thousands. Which way an island goes
depends on the island alone, and not on how many threads there are.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from pluecker.contact.friction.first_order.apgd import run_apgd
from pluecker.contact.friction.first_order.memory import ERROR, LEFT, Memory
from pluecker.contact.friction.first_order.pgs import USUAL, run_pgs, run_psor
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.spatial.engine.parallel.interruption import answering
from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "SHARED_CONTACTS",
    "WIDE",
    "Layouts",
    "is_large",
    "layout_of",
    "run_gradients",
    "run_relaxed_sweeps",
    "run_sweeps",
    "threads_for",
]

WIDE = 200  # contacts of an island, from which eight are taken at a time
SHARED_CONTACTS = 2000  # from which threads share its work
Layouts = dict[tuple[str, int], Any]  # and what else is kept of large islands: by what it is, and by their numbers
HERE = "pluecker.contact.friction.first_order."


def layout_of(kind: str, P: Prepared, island: int, layouts: Layouts, number: int, **options: Any) -> Any:
    """Return the layout of a large island for ``"gradients"`` or ``"sweeps"``, which is made where it is not known.

    Args:
        kind: what it is for.
        P, island: the island.
        layouts, number: those that are known, and the number of this one there.
        options: for the code that makes it.

    Returns:
        None for an island that goes the usual way.
    """
    if P.islands[island + 1] - P.islands[island] < WIDE:
        return None
    if (kind, number) not in layouts:
        large = import_module(f"{HERE}large_{kind}")  # small problems need not load it
        layouts[kind, number] = large.lay_out(P, island, **options)
    return layouts[kind, number]


def is_large(contacts: int) -> bool:
    """Return whether an island of so many contacts is large enough for threads to share its work."""
    return contacts >= SHARED_CONTACTS


def threads_for(contacts: int, threads: int) -> int:
    """Return how many of these threads are worth it for an island of so many contacts: all, or one."""
    return threads if is_large(contacts) else 1


def sharing(kind: str, small: Callable[..., Any], **options: Any) -> Callable[..., None]:
    """Make a runner as :func:`.make_runner` does, with threads for each large island.

    Args:
        kind: of the code for large islands.
        small: the runner of all others.
        options: for the code for large islands.
    """

    def run(
        P: Prepared, law: int, x: Array, u: Array, tol: float, limit: int, memory: Memory, begin: int, end: int,
        layouts: Layouts | None = None, threads: int = 1, **more: Any,
    ) -> None:  # fmt: skip
        """Run the method on islands; see :func:`~pluecker.contact.friction.first_order.runner.make_runner`.

        ``layouts``: those that are known, to which new ones are added. ``more``: for the code for large islands.
        """
        layouts, first = {} if layouts is None else layouts, begin
        sizes = np.diff(P.islands)
        for island in (begin + np.flatnonzero(sizes[begin:end] >= WIDE)).tolist():
            if memory.results[island, ERROR] <= tol or memory.states[island, LEFT] == 1.0:
                continue
            found = layout_of(kind, P, island, layouts, island)
            if found is not None:
                if first < island:
                    answering(small, P, law, x, u, tol, limit, memory, first, island)
                run_large = import_module(f"{HERE}large_{kind}").run_large
                crew = threads_for(int(sizes[island]), threads)
                run_large(P, law, x, u, tol, limit, memory, island, found, crew, **options, **more)
                first = island + 1
        if first < end:
            answering(small, P, law, x, u, tol, limit, memory, first, end)

    return run


run_gradients = sharing("gradients", run_apgd)
run_sweeps = sharing("sweeps", run_pgs, relaxation=1.0)
run_relaxed_sweeps = sharing("sweeps", run_psor, relaxation=USUAL)
