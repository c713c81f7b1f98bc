"""Ways to share one batch among threads: ours, Numba's ``prange``, and a pool of ``concurrent.futures``.

All call the same compiled function of an algorithm, through the same public function with the same checks. Ours and
``prange`` also take the same pieces of the batch from the same counter: all that differs is whose threads do it, and how
they are woken and waited for. The pool gets one part of equal length for each thread, as a user would write it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType
from typing import Any

import numba
import numpy as np

from benchmarks.mechanisms import ALGORITHMS, Mechanism, States
from pluecker.articulated import aba, crba, rnea
from pluecker.articulated.running import batch as batch_module
from pluecker.spatial.engine.parallel.atomics import call_at

__all__ = ["WAYS", "sharing_calls"]

WAYS = ("ours", "prange", "concurrent.futures")


def sharing_calls(mechanism: Mechanism, states: States, threads: int) -> dict[str, dict[str, Callable[[], Any]]]:
    """For each algorithm the call on one thread, and one for each of the ``WAYS`` on so many; they fill arrays."""
    model, count, nv = mechanism.model, len(states.q), mechanism.model.nv
    functions = {"rnea": rnea, "aba": aba, "crba": crba}
    inputs = {
        "rnea": (states.q, states.v, states.a),
        "aba": (states.q, states.v, states.tau),
        "crba": (states.q,),
    }
    calls: dict[str, dict[str, Callable[[], Any]]] = {}
    for name in ALGORITHMS:
        function, arrays = functions[name], inputs[name]
        out = np.empty((count, nv, nv) if name == "crba" else (count, nv))
        on = functools.partial(function, model, *arrays, out=out)
        calls[name] = {
            "one thread": functools.partial(on, threads=1),
            "ours": functools.partial(on, threads=threads),
            "prange": functools.partial(with_prange, functools.partial(on, threads=threads)),
            "concurrent.futures": functools.partial(with_pool, function, model, arrays, out, threads),
        }
        expected = calls[name]["one thread"]().copy()
        for way in WAYS:
            out.fill(np.nan)
            calls[name][way]()
            assert np.array_equal(out, expected), (mechanism.label, name, way)
    return calls


# ------------------------------------------------------------------------------------------------------ concurrent.futures


@functools.cache
def pool(threads: int) -> ThreadPoolExecutor:
    """Return a pool of threads that stay."""
    return ThreadPoolExecutor(threads)


def with_pool(function: Callable[..., Any], model: Any, arrays: Any, out: Any, threads: int) -> None:
    """Run one part of the batch in each thread of the pool."""
    bounds = np.linspace(0, len(out), threads + 1).astype(int)
    parts = [slice(*pair) for pair in itertools.pairwise(bounds)]
    tasks = [
        pool(threads).submit(function, model, *(x[part] for x in arrays), out=out[part], threads=1) for part in parts
    ]
    for task in tasks:
        task.result()


# ------------------------------------------------------------------------------------------------------------------ prange


@numba.njit(parallel=True, nogil=True)
def share_by_prange(board, function, task, threads):
    """Share work as :func:`pluecker.spatial.engine.parallel.threads.share` does, by Numba's own threads."""
    statuses = np.zeros(threads, np.int64)
    for k in numba.prange(threads):
        statuses[k] = call_at(function, task, k)
    return statuses.max()


@functools.cache
def prange_share_states() -> Callable[..., int]:
    """The lines of :func:`pluecker.articulated.running.batch.share_states`, with ``prange`` in the place of our threads."""
    lines = batch_module.share_states
    scope = {**lines.__globals__, "share": share_by_prange}
    compiled: Callable[..., int] = numba.njit(batch_module.SHARE, nogil=True, error_model="numpy")(
        FunctionType(lines.__code__, scope, "share_states_by_prange")
    )
    return compiled


def run_by_prange(board: Any, function: int, threads: int, task: Any, *arguments: Any) -> int:
    """Stand in for the function that :func:`pluecker.articulated.running.batch.compiled_share_states` returns."""
    numba.set_num_threads(threads)
    return prange_share_states()(board, function, threads, task, *arguments)


def with_prange(call: Callable[[], Any]) -> None:
    """Make the call with Numba's threads."""
    usual = batch_module.compiled_share_states
    batch_module.compiled_share_states = lambda: run_by_prange
    try:
        call()
    finally:
        batch_module.compiled_share_states = usual
