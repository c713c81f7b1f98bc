"""Dividing a batch among threads.

The threads are kept from call to call. Kernels run without the interpreter's lock, so that they use as many cores. The
tasks never wait for one another: callers may be threads of somebody else's pool, and any number at once. A process made by
``fork`` starts with no threads and makes its own when it needs them.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["available_cores", "divide", "in_parallel"]

T = TypeVar("T")

_pool: ThreadPoolExecutor | None = None


@functools.cache
def available_cores() -> int:
    """The cores that this process may run on, as it was when it was first asked."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def forget_pool() -> None:
    """In a forked process: the threads of the parent are not here."""
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_pool)


def divide(n: int, parts: int, unit: int) -> list[slice]:
    """At most ``parts`` slices of ``range(n)``, alike in length, all but the last a multiple of ``unit`` long."""
    units = -(-n // unit)
    parts = max(1, min(parts, units))
    ends = [min(n, unit * (units * k // parts)) for k in range(parts + 1)]
    return [slice(ends[k], ends[k + 1]) for k in range(parts)]


def in_parallel(work: Callable[[slice], T], slices: list[slice]) -> list[T]:
    """``work`` on each slice, the first in the calling thread."""
    global _pool
    if len(slices) > 1 and _pool is None:
        _pool = ThreadPoolExecutor(max(1, available_cores() - 1), thread_name_prefix="pluecker")
    tasks = [_pool.submit(work, part) for part in slices[1:]] if _pool is not None else []
    try:
        first = work(slices[0])
    finally:
        others = [task.result() for task in tasks]
    return [first, *others]
