"""The task that threads share to solve one large island: what they are told, and how they are called together.

Python lays things out, hands them over by their addresses, and takes back what came of it. Without compilation one thread
calls the same kernels with the arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import config

from pluecker.contact.problem.operator import apply
from pluecker.contact.problem.prepared import Prepared
from pluecker.contact.sparse.blocks import Indices
from pluecker.spatial.compiled.decorators import address
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.parallel.phases import make_roster
from pluecker.spatial.parallel.threads import board

__all__ = ["exact_velocities", "next_rung", "range_of", "share_task"]

RUNGS = 1e-3  # of the error, after which velocities are corrected: single precision stays well below
LOWER = 0.5  # of the error that is there: what a rung is at most


def next_rung(error: float) -> float:
    """The next error at which velocities are corrected: one of 1e-3, 1e-6, and so on, whatever the tolerance."""
    rung = RUNGS
    while not rung <= LOWER * error and rung > 0.0:
        rung *= RUNGS
    return rung


def exact_velocities(P: Prepared, island: int, x: Array, u: Array) -> None:
    """u = N x + b of an island with double precision, in its place among those of all."""
    first, last = (int(k) for k in P.islands[island : island + 2])
    mine = slice(int(P.K.start[first]), int(P.K.start[last]))
    with np.errstate(all="ignore"):
        apply(P.A, x, u, first, last, int(P.sides[island]), int(P.sides[island + 1]))
        u[mine] += P.b[mine]


def range_of(P: Prepared, island: int) -> tuple[int, int, int, int] | None:
    """The first and last blocks of an island, and its block columns; none where it has no factors, or not contacts alone."""
    first, last = (int(k) for k in P.islands[island : island + 2])
    if P.A.is_factored == 0 or (np.diff(P.K.start[first : last + 1]) != 3).any():
        return None
    left, right = (int(np.searchsorted(P.A.J.columns, side)) for side in P.sides[island : island + 2])
    return first, last, left, right


def share_task(
    task: Indices, place: int, record: Any, more: Sequence[Array], parts: Callable[[], tuple[Any, Any]],
    improve: Callable[..., None], threads: int,
) -> None:  # fmt: skip
    """An island with so many threads.

    Args:
        task: integers; addresses and lengths of arrays go to ``place`` and what follows it.
        record: of arrays, as kernels take it.
        more: arrays that follow those of the record; the roster is put in front of them.
        parts: gives the compiled functions: of one thread, and what calls threads together.
        improve: what the leader does, ``improve(record, roster, *more)``.
        threads: at most.
    """
    threads = 1 if config.BOUNDSCHECK else threads  # others would wait for one that has raised an exception
    roster = make_roster(threads)
    if config.DISABLE_JIT:
        improve(record, roster, *more)
        return
    for k, array in enumerate((*record, roster, *more)):
        task[place + 2 * k : place + 2 * k + 2] = array.ctypes.data, array.size
    thread, together = parts()
    if together(board(threads), address(thread), threads, task) != 0:
        raise IndexError("a large island: an index is out of bounds")
