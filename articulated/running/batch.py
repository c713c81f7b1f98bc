"""Drivers of batches: compiled functions that give a kernel the states of a batch.

:func:`many_states` makes the compiled function that Python calls. It gives the kernel eight states at a time, one in each of
the :mod:`~pluecker.spatial.engine.scalars.lanes`: it transposes the user's arrays block by block, in a workspace that stays
in the cache. Each lane goes through the same instructions whatever the others hold, so that a result depends neither on the
place of its state in the batch nor on how the batch is divided.

A kernel that is not generic, as one that differentiates others, gets the states of a batch one by one, where they are.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.running.single import (
    CONSTANTS,
    GOOD,
    HEAD,
    LEFT_OUT,
    MADE,
    MODEL,
    MOST_INPUTS,
    MOST_OUTPUTS,
    NO_RESULT,
    NOT_FINITE,
    NOT_UNIT,
    TILES,
    Context,
    Head,
    Signature,
    all_finite,
    all_unit,
    applied,
    consecutive,
    flat,
    one_state,
)
from pluecker.spatial.engine.compiled.decorators import ADDRESSES, compiled_for, kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at, rows_at
from pluecker.spatial.engine.memory.tiles import write_tiles
from pluecker.spatial.engine.memory.transposition import read_states, write_states
from pluecker.spatial.engine.memory.views import view
from pluecker.spatial.engine.parallel.atomics import read_shared, replace_shared
from pluecker.spatial.engine.parallel.threads import share
from pluecker.spatial.engine.scalars.lanes import WIDTH, everywhere
from pluecker.spatial.engine.scalars.operations import load, part, store, tail, within

__all__ = [
    "ARRAYS", "COMPUTE", "LEAST", "NEXT", "RECORDS", "STATES", "TASK_SIZE", "THREADS", "WORKSPACE", "compiled_describe",
    "compiled_describe_batch", "many_states", "run_many", "share_states",
]  # fmt: skip

Array = NDArray[np.float64]

_local = threading.local()

# The only types that the compiled functions take.
ROWS, INTEGERS = "float64[:, ::1]", "int64[::1]"
DESCRIBED = (INTEGERS, "intp", "intp", "intp", "boolean", ROWS)

# A task goes on with what the threads share (in a line of the cache of its own), what is only read, and for each array its
# address, its length and how many of its entries belong to one state.
NEXT, STATES, LEAST, THREADS, COMPUTE, WORKSPACE, RECORDS, ARRAYS = 8, *range(16, 22), 24
TASK_SIZE = ARRAYS + 3 * (MOST_INPUTS + MOST_OUTPUTS)


def many_states(signature: Signature) -> Callable[..., int]:
    """Make the compiled function for a batch: it takes the address of a task and the number of the thread, and computes
    pieces of the task until there are none left.

    The status is that of :func:`one_state`, at the first block of states where something is wrong; what comes before is
    written then. Without compilation it takes the head, the arrays, and whether to compute.
    """
    configurations, n, outputs, ordered = (
        signature.configurations,
        len(signature.axes),
        signature.outputs,
        signature.ordered,
    )
    apply, cut_inputs, cut_outputs = applied(signature), consecutive(n), consecutive(outputs)
    look, first_output = looked_at(signature), ARRAYS + 3 * n
    write = write_ordered if ordered else write_outputs
    plain = not any(configurations)

    def many(address, k):
        task = integers_at(address, TASK_SIZE)
        compute, size = load(task, COMPUTE) != 0, load(task, RECORDS)
        memory = rows_at(load(task, WORKSPACE) + k * size * (8 * WIDTH), size)
        m = numbers_at(load(task, MODEL), load(task, MODEL + 1))
        c = numbers_at(load(task, CONSTANTS), load(task, CONSTANTS + 1))
        tiles = numbers_at(load(task, TILES), load(task, TILES + 1))
        inputs = cut_inputs(memory, task, ARRAYS + 2, 3)
        outs = tail(memory, total(task, ARRAYS, n))
        if ordered:
            made = load(task, MADE)
            arrays = inputs + (part(outs, 0, made), tail(outs, made))  # noqa: RUF005
        else:
            rest = tail(outs, total(task, first_output, outputs))
            arrays = inputs + cut_outputs(outs, task, first_output + 2, 3) + (rest,)
        first, end = next_piece(task)
        while first < end:
            if not compute:
                status = look(task, m, first, end)
                if status != GOOD:
                    return status
                first = end
            for b in range(first, end, WIDTH):
                if not within(read_inputs(task, n, b, memory), 0.0):
                    return NOT_FINITE
                if not plain:
                    place = 0
                    for j in range(n):
                        if configurations[j] and not all_unit(m, tail(memory, place)):
                            return NOT_UNIT
                        place += load(task, ARRAYS + 3 * j + 2)
                apply(m, c, arrays)
                if not within(write(task, first_output, outputs, b, outs, tiles), 0.0):
                    return NO_RESULT
            first, end = next_piece(task)
        return GOOD

    def many_one_by_one(head, arrays, compute):
        one, context = one_state(signature), Context(head)
        ends = np.cumsum([math.prod(shape) for shape in head.outputs])
        for b in range(len(arrays[-1])):
            state = [
                x[b if len(x) > 1 else 0].reshape(shape) if x.size else LEFT_OUT if len(shape) > 1 else x[0]
                for x, shape in zip(arrays[:n], head.inputs, strict=True)
            ]
            result = np.empty(ends[-1])
            one(context, state, result)
            status = context.status
            if compute and status in (GOOD, NO_RESULT):
                for x, numbers in zip(arrays[n:], np.split(result, ends[:-1]), strict=True):
                    x[b] = numbers
            if status != GOOD and (compute or status != NO_RESULT):
                return status
        return GOOD

    if DISABLE_JIT:
        return many_one_by_one
    driver = many if signature.lanes else many_in_turn(signature)
    return compiled_for(signature.named(driver), ADDRESSES)


def many_in_turn(signature: Signature) -> Callable[..., int]:
    """Make the driver of a batch for a kernel that takes one state at a time, see :func:`many_states`."""
    configurations, n, outputs = signature.configurations, len(signature.axes), signature.outputs
    apply, rows_of = applied(signature), state_rows(n + outputs)

    def many_single(address, k):
        task = integers_at(address, TASK_SIZE)
        compute, size = load(task, COMPUTE) != 0, load(task, RECORDS) * WIDTH
        ws = numbers_at(load(task, WORKSPACE) + k * size * 8, size)
        m = numbers_at(load(task, MODEL), load(task, MODEL + 1))
        c = numbers_at(load(task, CONSTANTS), load(task, CONSTANTS + 1))
        first, end = next_piece(task)
        while first < end:
            for b in range(first, end):
                arrays = rows_of(task, ARRAYS, b)
                for j in range(n):
                    if not all_finite(arrays[j]):
                        return NOT_FINITE
                    if configurations[j] and not all_unit(m, arrays[j]):
                        return NOT_UNIT
                if compute:
                    apply(m, c, arrays + (ws,))  # noqa: RUF005
                    for j in range(n, n + outputs):
                        if not all_finite(arrays[j]):
                            return NO_RESULT
            first, end = next_piece(task)
        return GOOD

    return many_single


def looked_at(signature: Signature) -> Callable[..., int]:
    """Make a kernel that checks the inputs of the states from ``first`` to ``end``, in the user's arrays."""
    configurations, n = signature.configurations, len(signature.axes)

    @kernel
    def look(task, m, first, end):
        for j in range(n):
            array = numbers_at(load(task, ARRAYS + 3 * j), load(task, ARRAYS + 3 * j + 1))
            size = load(task, ARRAYS + 3 * j + 2)
            same = len(array) == size  # for all states
            if not all_finite(array if same else part(array, first * size, (end - first) * size)):
                return NOT_FINITE
            if configurations[j]:
                for b in range(first, first + 1 if same else end):
                    if not all_unit(m, part(array, 0 if same else b * size, size)):
                        return NOT_UNIT
        return GOOD

    return look


@functools.cache
def state_rows(n: int) -> Callable[..., Any]:
    """Make a kernel that returns views of state ``b`` of ``n`` arrays, which a task describes from entry ``place`` on."""
    if n == 0:

        @kernel
        def none(task, place, b):
            return ()

        return none
    others = state_rows(n - 1)

    @kernel
    def row(task, place, b):
        array, size = numbers_at(load(task, place), load(task, place + 1)), load(task, place + 2)
        return (part(array, min(b * size, len(array) - size), size),) + others(task, place + 3, b)  # noqa: RUF005

    return row


@kernel
def total(task, place, n):
    """Count the entries of one state in ``n`` arrays, which a task describes from entry ``place`` on."""
    size = 0
    for j in range(n):
        size += load(task, place + 3 * j + 2)
    return size


@kernel
def read_inputs(task, n, b, memory):
    """Read all inputs of eight states into lanes, one after the other; return 0 in lanes where they are finite, else NaN."""
    bad, place = everywhere(0.0), 0
    for j in range(n):
        array = numbers_at(load(task, ARRAYS + 3 * j), load(task, ARRAYS + 3 * j + 1))
        size = load(task, ARRAYS + 3 * j + 2)
        bad = bad + read_states(array, size, b, part(memory, place, size))
        place += size
    return bad


@kernel
def write_outputs(task, first, outputs, b, outs, tiles):
    """Write all results of eight states into the user's arrays; return 0 in lanes where all are finite, else NaN."""
    bad, place = everywhere(0.0), 0
    for j in range(outputs):
        array = numbers_at(load(task, first + 3 * j), load(task, first + 3 * j + 1))
        size = load(task, first + 3 * j + 2)
        bad = bad + write_states(array, size, b, tail(outs, place))
        place += size
    return bad


@kernel
def write_ordered(task, first, outputs, b, outs, tiles):
    """Write the only result of eight states in the order of its tiles; return 0 in lanes where it is finite, else NaN"""
    array = numbers_at(load(task, first), load(task, first + 1))
    return write_tiles(array, load(task, first + 2), b, outs, tiles)


@kernel
def next_piece(task):
    """Take the next piece of a task: long ones first, for memory's sake, then shorter ones, so that threads end together."""
    states = load(task, STATES)
    first = read_shared(task, NEXT)
    while first < states:
        fair = (states - first) // (2 * load(task, THREADS)) // WIDTH * WIDTH
        end = min(first + max(fair, load(task, LEAST)), states)
        if replace_shared(task, NEXT, first, end):
            return first, end
        first = read_shared(task, NEXT)
    return states, states


def describe(task, k, array):
    """Describe an array in a task, from entry ``k`` on: ``(states, entries)``, or ``(1, entries)`` shared by all states."""
    task = view(task)
    store(task, k, address_of(flat(array)))
    store(task, k + 1, array.size)
    store(task, k + 2, array.shape[1])


def describe_batch(task, threads, states, least, compute, ws):
    """Describe all of a batch but its arrays in a task, and return the address of the task."""
    task = view(task)
    store(task, NEXT, 0)
    store(task, STATES, states)
    store(task, LEAST, least)
    store(task, THREADS, threads)
    store(task, COMPUTE, compute)
    store(task, WORKSPACE, address_of(flat(ws)))
    store(task, RECORDS, len(ws) // threads)
    return address_of(task)


@functools.cache
def compiled_describe() -> Callable[..., None]:
    """Compile :func:`describe` for Python."""
    return compiled_for(describe, (INTEGERS, "intp", ROWS))


@functools.cache
def compiled_describe_batch() -> Callable[..., int]:
    """Compile :func:`describe_batch` for Python."""
    return compiled_for(describe_batch, DESCRIBED)


def share_states(
    many: Callable[[int, int], int],
    task: NDArray[np.int64],
    threads: int,
    states: int,
    least: int,
    compute: bool,
    scratch: Array,
) -> int:
    """Compute a batch in up to so many threads, by the compiled function of :func:`many_states`, as Python calls it.

    The scratch memory, rows of eight, has for each thread room for the kernel's and for the entries of one state of each
    array. No piece has fewer states than ``least``, but the last. With ``compute`` false it only checks the inputs.
    """
    return share(many, compiled_describe_batch()(task, threads, states, least, compute, scratch), threads)


def run_many(
    many: Callable[..., int],
    threads: int,
    head: Head,
    arrays: list[Array],
    scratch: Array,
    least: int,
    compute: bool,
) -> int:
    """Call :func:`share_states` with the function of :func:`many_states` and the arrays, results last."""
    if DISABLE_JIT:  # without compilation, NumPy would warn of divisions by zero that the status reports
        with np.errstate(all="ignore"):
            return many(head, arrays, compute)
    if not hasattr(_local, "task"):
        _local.task = np.zeros(TASK_SIZE, dtype=np.int64)
    task, describe_array = _local.task, compiled_describe()
    task[:HEAD] = head.integers
    for k, array in enumerate(arrays):
        describe_array(task, ARRAYS + 3 * k, array)
    return share_states(many, task, threads, len(arrays[-1]), least, compute, scratch)
