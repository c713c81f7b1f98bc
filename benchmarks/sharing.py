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
from typing import Any

import numba
import numpy as np

from benchmarks.mechanisms import ALGORITHMS, Mechanism, States
from pluecker.articulated import aba, crba, rnea
from pluecker.articulated.running import batch as batch_module
from pluecker.spatial.engine.compiled.decorators import address
from pluecker.spatial.engine.parallel.atomics import call_through

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
def share_by_prange(function, task, threads):
    """Share work as :func:`pluecker.spatial.engine.parallel.threads.share` does, by Numba's own threads."""
    statuses = np.zeros(threads, np.int64)
    for k in numba.prange(threads):
        statuses[k] = call_through(function, task, k)
    return statuses.max()


def run_by_prange(function: Any, task: int, threads: int) -> int:
    """Stands in for :func:`pluecker.spatial.engine.parallel.threads.share`."""
    numba.set_num_threads(threads)
    return share_by_prange(address(function), task, threads)


def with_prange(call: Callable[[], Any]) -> None:
    """The call, with Numba's threads."""
    usual = batch_module.share
    batch_module.share = run_by_prange
    try:
        call()
    finally:
        batch_module.share = usual
