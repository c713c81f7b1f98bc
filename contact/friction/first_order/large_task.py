"""The task that threads share to solve one large island: what they are told, and how they are called together.

Python lays things out, hands them over by their addresses, and takes back what came of it. Without compilation one thread
calls the same kernels with the arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.engine.compiled.decorators import ADDRESSES, compiled_for, kernel
from pluecker.spatial.engine.compiled.settings import BOUNDSCHECK, DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import integers_at, numbers_at, rows_at
from pluecker.spatial.engine.parallel.phases import OVER, make_counters
from pluecker.spatial.engine.parallel.threads import share
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import load
from pluecker.spatial.functions.elementwise import Array

__all__ = ["array_integers", "array_numbers", "array_rows", "compiled", "range_of", "share_task"]


def range_of(P: Prepared, island: int) -> tuple[int, int, int, int] | None:
    """Return the range of blocks and of block columns of an island; None if it has no factors, or not contacts alone."""
    first, last = (int(k) for k in P.islands[island : island + 2])
    if P.A.is_factored == 0 or (np.diff(P.K.start[first : last + 1]) != 3).any():
        return None
    left, right = (int(np.searchsorted(P.A.J.columns, side)) for side in P.sides[island : island + 2])
    return first, last, left, right


@functools.cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile the part of one thread, ``function(place, k)``."""
    return compiled_for(function, ADDRESSES)


def share_task(
    task: Indices, place: int, record: Any, more: Sequence[Array], in_one_thread: Callable[..., Any],
    improve: Callable[..., None], threads: int,
) -> None:  # fmt: skip
    """Run the task of an island with so many threads.

    Args:
        task: integers; addresses and lengths of arrays go to ``place`` and what follows it.
        record: of arrays, as kernels take it.
        more: arrays that follow those of the record; the counters are put in front of them.
        in_one_thread: the part of one thread, ``in_one_thread(place, k)``, which is compiled.
        improve: what the leader does, ``improve(record, counters, *more)``.
        threads: at most; one with bounds checks, as others would wait for a thread that has raised an exception.
    """
    threads = 1 if BOUNDSCHECK or DISABLE_JIT else threads
    counters = make_counters(threads)
    if DISABLE_JIT:
        improve(record, counters, *more)
        return
    for k, array in enumerate((*record, counters, *more)):
        task[place + 2 * k : place + 2 * k + 2] = array.ctypes.data, array.size
    share(compiled(in_one_thread), task.ctypes.data, threads, functools.partial(counters.__setitem__, OVER, 1))


# A task of threads has the address and the length of array n in two integers from a place on.


@kernel
def array_rows(task, place, n):
    """Return array n of a task as rows of lanes"""
    return rows_at(load(task, place + 2 * n), load(task, place + 2 * n + 1) // WIDTH)


@kernel
def array_numbers(task, place, n):
    """Return array n of a task as numbers"""
    return numbers_at(load(task, place + 2 * n), load(task, place + 2 * n + 1))


@kernel
def array_integers(task, place, n):
    """Return array n of a task as integers"""
    return integers_at(load(task, place + 2 * n), load(task, place + 2 * n + 1))
