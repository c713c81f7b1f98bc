"""Fast path for batches of at most eight states, which fill the lanes once.

The general path describes the user's arrays anew for each call, which takes ten times as long as to compute so few states.
Here arrays and the task that describes them are made once for inputs of the same shapes, and states are copied there. They
go through the same lanes as in larger batches, so that they have the same bits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pluecker.articulated.running.batch import (
    ARRAYS,
    COMPUTE,
    LEAST,
    NEXT,
    RECORDS,
    STATES,
    TASK_SIZE,
    THREADS,
    WORKSPACE,
    Array,
)
from pluecker.articulated.running.single import GOOD, HEAD, LEFT_OUT, Head
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.functions.elementwise import rows_of_eight

__all__ = ["ShortBatches"]


class ShortBatch:
    """Buffers of a batch of at most eight states: arrays for inputs and results, and a task that describes them once.

    Attributes:
        inputs, results: its arrays; of an input that is left out None.
        task, scratch: what compiled code reads and works in.
        address: of the task.
    """

    __slots__ = ("address", "inputs", "results", "scratch", "task")

    def __init__(self, head: Head, shapes: tuple[tuple[int, ...], ...], batch: tuple[int, ...], lanes: bool) -> None:
        sizes = [
            0 if given == LEFT_OUT.shape else math.prod(own) for given, own in zip(shapes, head.inputs, strict=True)
        ]
        arrays = [np.zeros(given if size else 0) for given, size in zip(shapes, sizes, strict=True)]
        self.inputs = [array if size else None for array, size in zip(arrays, sizes, strict=True)]
        self.results = [np.zeros(batch + shape) for shape in head.outputs]
        sizes += [math.prod(shape) for shape in head.outputs]
        entries = head.workspace + sum(sizes) if lanes else -(-head.workspace // WIDTH)
        self.scratch = rows_of_eight(entries)
        task = np.zeros(TASK_SIZE, dtype=np.int64)
        task[:HEAD] = head.integers
        task[[STATES, LEAST, THREADS, COMPUTE]] = math.prod(batch), WIDTH, 1, 1
        task[[WORKSPACE, RECORDS]] = self.scratch.ctypes.data, entries
        for k, (array, size) in enumerate(zip([*arrays, *self.results], sizes, strict=True)):
            task[ARRAYS + 3 * k : ARRAYS + 3 * k + 3] = array.ctypes.data, array.size, size
        self.address: int = task.ctypes.data
        self.task = task.data  # Python writes to it faster than to the array


class ShortBatches:
    """Batches of at most eight states, whose inputs have these shapes: each has the leading axes ``batch``, or is one for
    all. To copy so few states takes less time than to describe the user's arrays.
    """

    def __init__(
        self,
        many: Callable[[int, int], int],
        head: Head,
        shapes: tuple[tuple[int, ...], ...],
        batch: tuple[int, ...],
        lanes: bool,
    ) -> None:
        """``many`` is the compiled function for a batch, as Python calls it."""
        self.many, self.make = many, functools.partial(ShortBatch, head, shapes, batch, lanes)
        self.unused: list[ShortBatch] = []  # by any thread, at the moment

    def __call__(self, inputs: tuple[Array, ...]) -> Any:
        """Compute the result in a new array, or a tuple of several; None if inputs or results are not good."""
        try:
            short = self.unused.pop()
        except IndexError:
            short = self.make()
        for own, array in zip(short.inputs, inputs, strict=True):
            if own is not None:
                own[...] = array
        short.task[NEXT] = 0
        result = None
        if self.many(short.address, 0) == GOOD:
            several = len(short.results) > 1
            result = tuple([part.copy() for part in short.results]) if several else short.results[0].copy()
        self.unused.append(short)
        return result
