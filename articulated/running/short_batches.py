"""Fast path for batches of at most eight states, which fill the lanes once.

The general path asks Python for the shapes of the user's arrays, checks and describes them, which takes ten times as long as
to compute so few states. Here one compiled function, the same for all algorithms, does that: it looks at the arguments as
:func:`~pluecker.articulated.running.single.one_state` does, describes them in a task, and gives it to the function for
batches. States go through the same lanes as in larger batches, so that they have the same bits.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
)
from pluecker.articulated.running.single import ABSENT, GOOD, HEAD, LONG_CALL, MOST_AXES, MOST_INPUTS, Head
from pluecker.spatial.engine.compiled.decorators import address, compiled_for, entrance, kernel
from pluecker.spatial.engine.compiled.settings import BOUNDSCHECK
from pluecker.spatial.engine.memory import objects
from pluecker.spatial.engine.memory.addresses import address_of, integers_at
from pluecker.spatial.engine.memory.new_arrays import (
    NEW_ARRAY,
    drop,
    is_missing,
    new_array,
    no_object,
    release_lock,
    take_lock,
)
from pluecker.spatial.engine.memory.objects import (
    CLASS_OF_ARRAYS,
    OBJECTS,
    array_in,
    entries_of,
    numbers_of,
)
from pluecker.spatial.engine.parallel.atomics import call_through
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import load, store, tail
from pluecker.spatial.functions.elementwise import rows_of_eight

__all__ = ["ShortBatches", "enter_few"]

Array = NDArray[np.float64]

# The memory begins with what makes arrays, the address of the function for batches, how many inputs and results it has,
# whether Python's lock is let go of meanwhile, and whether it is at the moment; with the size of a state of all results, and
# the axes and the shape of the only one, behind room for leading axes. For each input follow its axes, entries and shape for
# one state, then what is found in the arguments: leading axes and states. The task is at the end.
MOST_LEADING = 4
(CLASS, MAKE, MANY, INPUTS, OUTPUTS, RELEASES, BUSY, SIZE, AXES) = range(9)
SHAPE, RECORD = 9, 6  # of an input: axes, entries, rows, columns, leading axes, states
OWN_AXES, ENTRIES, FIRST, SECOND, LEADING, COUNT = range(RECORD)
FIELDS = SHAPE + MOST_LEADING + MOST_AXES
TASK = FIELDS + RECORD * MOST_INPUTS
MEMORY = TASK + TASK_SIZE


@kernel
def axes_in(place, class_of_arrays):
    """Count the axes of the array at an address; -1 for what is no plain array"""
    words = integers_at(place, objects.OBJECT_SIZE)
    if load(words, objects.CLASS) != class_of_arrays:
        return -1
    axes = load(words, objects.AXES) & objects.INT
    return axes if axes > 0 and array_in(place, axes, class_of_arrays)[0] else -1


@kernel
def shape_of(place, axes):
    """Return the integers of the shape of the array at an address"""
    return integers_at(load(integers_at(place, objects.OBJECT_SIZE), objects.SHAPE), axes)


@kernel
def fits(shape, axes, own, leading):
    """Return whether the last axes of a shape are those of one state of an input"""
    if leading < 0 or leading > MOST_LEADING or load(shape, leading) != load(own, FIRST):
        return False
    return load(own, OWN_AXES) == 1 or load(shape, axes - 1) == load(own, SECOND)


@kernel
def states_in(shape, leading):
    """Count the states of a batch by its leading axes"""
    count = 1
    for j in range(leading):
        count *= load(shape, j)
    return count


def few(memory, inputs, nothing):
    """Compute a batch of at most eight states; return None where arguments or results are not good"""
    words = integers_at(address_of(numbers_of(memory, MEMORY)), MEMORY)
    if load(words, BUSY) != 0:
        return no_object()
    n, task = load(words, INPUTS), tail(words, TASK)
    places, leading, states, reference = entries_of(inputs, n), 0, 1, 0
    for k in range(n):
        place, own, record = load(places, k), tail(words, FIELDS + RECORD * k), ARRAYS + 3 * k
        axes = axes_in(place, load(words, CLASS))
        if axes < 1:
            return no_object()
        shape = shape_of(place, axes)
        store(task, record, load(integers_at(place, objects.OBJECT_SIZE), objects.DATA))
        store(own, LEADING, 0)
        store(own, COUNT, 1)
        if axes == 2 and load(shape, 0) == 0 and load(shape, 1) == ABSENT:
            store(task, record + 1, 0)
            store(task, record + 2, 0)
            continue
        more = axes - load(own, OWN_AXES)
        if not fits(shape, axes, own, more):
            return no_object()
        count, entries = states_in(shape, more), load(own, ENTRIES)
        if count < 1 or count > WIDTH:
            return no_object()
        store(task, record + 1, count * entries)
        store(task, record + 2, entries)
        store(own, LEADING, more)
        store(own, COUNT, count)
        if more > leading or (more == leading and count > states):
            leading, states, reference = more, count, k
    if leading == 0:
        return no_object()
    batch = shape_of(load(places, reference), leading)
    for k in range(n):
        own = tail(words, FIELDS + RECORD * k)
        if load(own, COUNT) == 1:
            continue
        if load(own, LEADING) != leading:
            return no_object()
        shape = shape_of(load(places, k), leading)
        for j in range(leading):
            if load(shape, j) != load(batch, j):
                return no_object()
    start = MOST_LEADING - leading
    axes = load(words, AXES) + leading
    if load(words, OUTPUTS) == 1:
        for j in range(leading):
            store(words, SHAPE + start + j, load(batch, j))
    else:  # all results one after the other, which Python takes apart
        start, axes = MOST_LEADING, 1
        store(words, SHAPE + start, states * load(words, SIZE))
    shape = address_of(tail(words, SHAPE + start))
    result = new_array(load(words, MAKE), load(words, CLASS), shape, axes)
    if is_missing(result):
        return result
    place, first = address_of(numbers_of(result, 1)), ARRAYS + 3 * n
    for j in range(load(words, OUTPUTS)):
        size = load(task, first + 3 * j + 2)
        store(task, first + 3 * j, place)
        store(task, first + 3 * j + 1, states * size)
        place += 8 * states * size
    store(task, NEXT, 0)
    store(task, STATES, states)
    store(words, BUSY, load(words, RELEASES))
    lock = release_lock(load(words, RELEASES) != 0)
    status = call_through(load(words, MANY), address_of(task), 0)
    take_lock(lock)
    store(words, BUSY, 0)
    if status == GOOD:
        return result
    drop(result)
    return no_object()


@functools.cache
def enter_few() -> Callable[[Array, tuple[Any, ...], None], Any]:
    """Compile :func:`few`, and return the function by which Python enters it."""
    return entrance(compiled_for(few, OBJECTS, holds_lock=True))


class ShortBatches:
    """Memory of the batches of at most eight states of an algorithm for a model: each input has the same leading axes, or
    is one for all.

    Attributes:
        memory: what :func:`few` reads and works in.
        split: what takes several results out of one array, if there are several.
    """

    __slots__ = ("head", "memory", "pieces", "scratch", "split")

    def __init__(self, many: Any, head: Head, lanes: bool) -> None:
        """``many`` is the compiled function for a batch."""
        sizes = [math.prod(shape) for shape in (*head.inputs, *head.outputs)]
        entries = head.workspace + sum(sizes) if lanes else -(-head.workspace // WIDTH)
        self.head, self.scratch, self.memory = head, rows_of_eight(entries), np.zeros(MEMORY)
        words = self.memory.view(np.int64)
        words[[CLASS, MAKE, MANY]] = CLASS_OF_ARRAYS, NEW_ARRAY, address(many)
        words[[INPUTS, OUTPUTS, SIZE]] = len(head.inputs), len(head.outputs), sum(head.sizes)
        words[RELEASES] = head.workspace > LONG_CALL and not BOUNDSCHECK  # as for one state
        words[AXES] = len(head.outputs[0])
        words[SHAPE + MOST_LEADING : SHAPE + MOST_LEADING + len(head.outputs[0])] = head.outputs[0]
        for k, shape in enumerate(head.inputs):
            place = FIELDS + RECORD * k
            words[place : place + 4] = len(shape), math.prod(shape), *(*shape, 1)[:2]
        task = words[TASK:]
        task[:HEAD] = head.integers
        task[[LEAST, THREADS, COMPUTE]] = WIDTH, 1, 1
        task[[WORKSPACE, RECORDS]] = self.scratch.ctypes.data, entries
        task[ARRAYS + 2 : ARRAYS + 2 + 3 * len(sizes) : 3] = sizes
        ends = list(itertools.accumulate(head.sizes, initial=0))
        self.pieces = tuple(zip(itertools.pairwise(ends), head.outputs, strict=True))
        self.split = self.take_apart if len(head.outputs) > 1 else None

    def take_apart(self, result: Array, inputs: tuple[Any, ...]) -> tuple[Array, ...]:
        """Take the results out of one array, with the leading axes of the inputs."""
        given = zip(inputs, self.head.inputs, strict=True)
        leading = [array.shape[: array.ndim - len(own)] for array, own in given if array.size]
        batch = max(leading, key=lambda axes: (len(axes), math.prod(axes)))
        states = math.prod(batch)
        return tuple([result[states * first : states * end].reshape(batch + own) for (first, end), own in self.pieces])
