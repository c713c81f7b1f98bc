"""From one state to many: what surrounds a kernel, the same for all algorithms.

Every algorithm is a kernel ``kernel(m, [c,] inputs..., outputs..., ws)``: the model, constants if it has any, the scalar
arrays of one state that its record declares, and a workspace. An optional input that was left out has no entries.

:func:`one_state` and :func:`many_states` make the two compiled functions that Python calls. The second one gives the
kernel eight states at a time, one in each of the :mod:`~pluecker.spatial.scalars.lanes`: it transposes the user's
arrays block by block, in a workspace that stays in the cache. Each lane goes through the same instructions whatever the
others hold, so that a result depends neither on the place of its state in the batch nor on how the batch is divided.

A kernel that is not generic, as one that differentiates others, gets the states of a batch one by one, where they are.

What does not change from call to call, the *head*, reaches compiled code by address: integers in memory, first those of
:data:`HEAD`. For one state a :class:`Context` has more behind them, for a batch a task.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config, types
from numpy.typing import NDArray

from pluecker.articulated.model.layout import quaternion_count, quaternion_place
from pluecker.spatial.algebra.rotations import load_quaternion
from pluecker.spatial.compiled.decorators import address, compiled_for, kernel
from pluecker.spatial.memory import transposition, views
from pluecker.spatial.memory.addresses import address_of, integers_at, numbers_at, rows_at
from pluecker.spatial.memory.new_arrays import (
    NEW_ARRAY,
    drop,
    is_missing,
    is_none,
    new_array,
    no_object,
    release_lock,
    take_lock,
)
from pluecker.spatial.memory.objects import CLASS_OF_ARRAYS, array_in, entries_of, numbers_of, python_object
from pluecker.spatial.memory.tiles import tiles_of, write_state, write_tiles
from pluecker.spatial.memory.transposition import read_states, write_states
from pluecker.spatial.memory.views import view
from pluecker.spatial.parallel.atomics import read_shared, replace_shared
from pluecker.spatial.parallel.threads import board, share
from pluecker.spatial.scalars.lanes import WIDTH, everywhere
from pluecker.spatial.scalars.operations import load, part, store, tail, within

__all__ = [
    "BUSY", "GOOD", "LEFT_OUT", "MOST_AXES", "MOST_INPUTS", "MOST_OUTPUTS", "NOT_FINITE", "NOT_UNIT", "NO_RESULT",
    "RELEASES", "UNFIT", "Context", "Head", "Signature", "compiled_describe", "compiled_share_states", "many_states",
    "one_state", "run_many",
]  # fmt: skip

Array = NDArray[np.float64]

# What a compiled function returns. NO_RESULT: numbers overflow, or the kernel found its state impossible and stored NaN.
GOOD, NOT_FINITE, NOT_UNIT, NO_RESULT, UNFIT = range(5)
UNIT_TOLERANCE = 1e-6  # of the length of a quaternion
MOST_INPUTS, MOST_OUTPUTS, MOST_AXES = 5, 6, 8
# A call whose kernel needs so many numbers as scratch memory takes 5 us or more (RNEA of a humanoid: 860 numbers, 1.5 us):
# it lets go of Python's lock, which takes 40 ns.
LONG_CALL = 4096
ABSENT = 1 << 40
NOTHING = np.empty(0)
LEFT_OUT = np.empty((0, ABSENT))  # stands for an optional input; no user's array has this shape

_local = threading.local()

# The only types that the compiled functions take.
ROWS, INTEGERS = types.float64[:, ::1], types.int64[::1]
SHARE = (INTEGERS, types.intp, types.intp, INTEGERS, types.intp, types.intp, types.boolean, ROWS)

# The head: address and length of the model, of the constants, of the tiles in which the result is written, and how many
# numbers the kernel makes if they are put in order.
MODEL, CONSTANTS, TILES, MADE = 0, 2, 4, 6
HEAD = 7
# A context goes on with the class of NumPy's arrays and the function that makes one, with the length of the workspace, with
# whether Python's lock is let go of meanwhile, and whether it is at the moment, with what the last call returned, with the
# axes of the array that takes all results and its shape, with rows and columns of each input and with the size of each
# result; the workspace follows.
CLASS, MAKE, WORKSPACE_OF_ONE, RELEASES, BUSY, STATUS, AXES, SHAPE, FIELDS = *range(7, 15), 15 + MOST_AXES
CONTEXT = FIELDS + 2 * MOST_INPUTS + MOST_OUTPUTS
# A task goes on with what the threads share (in a line of the cache of its own), what is only read, and for each array its
# address, its length and how many of its entries belong to one state.
NEXT, STATES, LEAST, THREADS, COMPUTE, WORKSPACE, RECORDS, ARRAYS = 8, *range(16, 22), 24
TASK_SIZE = ARRAYS + 3 * (MOST_INPUTS + MOST_OUTPUTS)


# ------------------------------------------------------------------------------------------------- what inputs must be like


if config.DISABLE_JIT:

    def all_finite(array: Any) -> bool:
        """Whether no entry is NaN or infinite."""
        return bool(np.isfinite(array).all())

    def flat(array: Any) -> Any:
        """All entries on one axis."""
        return array.reshape(-1)
else:
    all_finite, flat = transposition.all_finite, views.flat


@kernel
def all_unit(m, q):
    """Whether all quaternions of a configuration have unit length."""
    for k in range(quaternion_count(m)):
        w, x, y, z = load_quaternion(q, quaternion_place(m, k))
        if not within(w * w + x * x + y * y + z * z - 1.0, 2.0 * UNIT_TOLERANCE):
            return False
    return True


# ------------------------------------------------------------------------------------------------------- what a kernel is


class Signature:
    """A kernel, and what its arguments are.

    Attributes:
        function: the kernel.
        axes: of each input, for one state.
        configurations: of each input, whether it is a configuration.
        outputs: how many there are.
        constants: whether the kernel has constants.
        ordered: whether its numbers come to their places in the result afterwards.
        lanes: whether the kernel takes eight states at a time.
    """

    def __init__(
        self,
        function: Callable[..., None],
        axes: tuple[int, ...],
        configurations: tuple[bool, ...],
        outputs: int,
        constants: bool,
        ordered: bool,
        lanes: bool = True,
    ) -> None:
        self.function, self.axes, self.configurations = function, axes, configurations
        self.outputs, self.constants, self.ordered = outputs, constants, ordered
        self.lanes = lanes

    def named(self, driver: Callable[..., int]) -> Callable[..., int]:
        """Under a name of its own, by which the cache tells a driver from others made by the same lines."""
        variant = [*self.axes, *map(int, self.configurations), self.outputs]
        name = "_".join([self.function.__name__, driver.__name__, *map(str, variant)])
        driver.__name__ = driver.__qualname__ = name
        return driver


@functools.cache
def consecutive(n: int) -> Callable[..., Any]:
    """A kernel that gives the first ``n`` parts of a scalar array, whose sizes are each ``stride``-th integer from k on."""
    if n == 1:

        @kernel
        def last(array, sizes, k, stride):
            return (part(array, 0, load(sizes, k)),)

        return last
    others = consecutive(n - 1)

    @kernel
    def first(array, sizes, k, stride):
        size = load(sizes, k)
        return (part(array, 0, size),) + others(tail(array, size), sizes, k + stride, stride)  # noqa: RUF005

    return first


def applied(signature: Signature) -> Callable[..., Any]:
    """A kernel that calls the algorithm's with all its arrays in one tuple."""
    function = signature.function

    @kernel
    def with_constants(m, c, arrays):
        function(m, c, *arrays)

    @kernel
    def without_constants(m, c, arrays):
        function(m, *arrays)

    return with_constants if signature.constants else without_constants


# -------------------------------------------------------------------------------------------------------------- one state


@functools.cache
def described(axes: tuple[int, ...]) -> Callable[..., Any]:
    """A kernel that describes the arguments of one state, inputs with so many axes each, as compiled code finds them."""
    if not axes:

        @kernel
        def none(entries, k, class_of_arrays):
            return ()

        return none
    count, others = axes[0], described(axes[1:])

    @kernel
    def first(entries, k, class_of_arrays):
        own = array_in(load(entries, k), count, class_of_arrays)
        return (own,) + others(entries, k + 1, class_of_arrays)  # noqa: RUF005

    return first


@functools.cache
def views_of(n: int) -> Callable[..., Any]:
    """A kernel that gives the entries of the first ``n`` arrays that were described."""
    if n == 0:

        @kernel
        def none(described):
            return ()

        return none
    others = views_of(n - 1)

    @kernel
    def last(described):
        return others(described) + (described[n - 1][1],)  # noqa: RUF005

    return last


def described_in_python(array: Any, axes: int) -> tuple[Any, ...]:
    """The same for one argument without compilation: whether it is plain, its entries, rows and columns."""
    plain = type(array) is np.ndarray and array.ndim == axes and array.dtype == np.float64 and array.dtype.isnative
    if not (plain and array.flags.aligned and array.flags.c_contiguous):
        return False, NOTHING, 0, 0
    return True, array.reshape(-1), len(array), array.shape[1] if axes == 2 else 1


def checked(signature: Signature) -> Callable[..., Any]:
    """A kernel that says whether the inputs of one state are good."""
    configurations, n = signature.configurations, len(signature.axes)
    without_configuration = not any(configurations)

    @kernel
    def check(m, fields, described):
        for k in range(n):
            plain, entries, rows, columns = described[k]
            absent = rows == 0 and columns == ABSENT
            if not (absent or (plain and rows == load(fields, 2 * k) and columns == load(fields, 2 * k + 1))):
                return UNFIT
            if not all_finite(entries):
                return NOT_FINITE
        if not without_configuration:
            for k in range(n):
                if configurations[k] and not all_unit(m, described[k][1]):
                    return NOT_UNIT
        return GOOD

    return check


def computed(signature: Signature) -> Callable[..., Any]:
    """A kernel that computes one state, and says whether the result is finite."""
    n, ordered = len(signature.axes), signature.ordered
    apply, cut = applied(signature), consecutive(signature.outputs)

    @kernel
    def compute(m, c, tiles, made, ws, fields, arrays, out):
        if ordered:
            numbers, rest = part(ws, 0, made), tail(ws, made)
            apply(m, c, arrays + (numbers, rest))  # noqa: RUF005
            write_state(out, numbers, tiles)
            return GOOD if all_finite(numbers) else NO_RESULT
        apply(m, c, arrays + cut(out, fields, 2 * n, 1) + (ws,))
        return GOOD if all_finite(out) else NO_RESULT

    return compute


@kernel
def context_in(memory):
    """The integers and the workspace of a context, and the model, the constants and the tiles of its head"""
    start = address_of(numbers_of(memory, CONTEXT))
    integers = integers_at(start, CONTEXT)
    m = numbers_at(load(integers, MODEL), load(integers, MODEL + 1))
    c = numbers_at(load(integers, CONSTANTS), load(integers, CONSTANTS + 1))
    tiles = numbers_at(load(integers, TILES), load(integers, TILES + 1))
    return integers, numbers_at(start + 8 * CONTEXT, load(integers, WORKSPACE_OF_ONE)), m, c, tiles


def one_state(signature: Signature) -> Callable[..., Any]:
    """The function for one state: it takes the memory of a context, the inputs in a tuple, and one array for all results.

    For None instead of that array it makes a new one, and gives it back; where inputs or results are not good, or another
    thread is at work in the context, None. The context then has the status: ``GOOD``, ``NO_RESULT`` where the result is not
    finite, or what is wrong with the inputs, in which case nothing was written; ``UNFIT`` for whatever is not a plain array
    of the right shape. It is entered through :func:`~pluecker.spatial.compiled.numba_internals.entrance`. Without
    compilation it takes the context itself, and an array for the results.
    """
    check, compute, axes, outputs = checked(signature), computed(signature), signature.axes, signature.outputs
    describe_inputs, views_of_inputs = described(axes), views_of(len(axes))

    def one(memory, inputs, out):
        integers, ws, m, c, tiles = context_in(memory)
        if load(integers, BUSY) != 0:
            return no_object()
        fields = tail(integers, FIELDS)
        found = describe_inputs(entries_of(inputs, len(axes)), 0, load(integers, CLASS))
        status = check(m, fields, found)
        store(integers, STATUS, status)
        if status != GOOD:
            return no_object()
        made = is_none(out)
        result = out
        if made:
            shape = address_of(tail(integers, SHAPE))
            result = new_array(load(integers, MAKE), load(integers, CLASS), shape, load(integers, AXES))
            if is_missing(result):
                return result
        size = 0
        for k in range(outputs):
            size += load(fields, 2 * len(axes) + k)
        arrays, numbers = views_of_inputs(found), numbers_of(result, size)
        store(integers, BUSY, load(integers, RELEASES))
        lock = release_lock(load(integers, RELEASES) != 0)
        status = compute(m, c, tiles, load(integers, MADE), ws, fields, arrays, numbers)
        take_lock(lock)
        store(integers, BUSY, 0)
        store(integers, STATUS, status)
        if made and status == GOOD:
            return result
        if made:
            drop(result)
        return no_object()

    def plain(context, inputs, out):
        found = tuple(described_in_python(x, n) for x, n in zip(inputs, axes, strict=True))
        head, fields = context.head, context.integers[FIELDS:]
        status = check(head.packed, fields, found)
        if status == GOOD:
            arrays, results = tuple(x[1] for x in found), out.reshape(-1)
            known = head.packed, head.constants, head.tiles, head.made, context.workspace, fields
            status = compute(*known, arrays, results)
        context.integers[STATUS] = status

    if config.DISABLE_JIT:
        return plain
    return compiled_for(signature.named(one), (python_object, python_object, python_object), holds_lock=True)


class Head:
    """What an algorithm reads of a model, as compiled code gets it.

    Attributes:
        packed, constants: the model, and the algorithm's constants, which may be empty.
        tiles: where the numbers that the kernel makes come in the result, see
            :func:`~pluecker.spatial.memory.tiles.tiles_of`; empty if they are not put in order.
        made: how many numbers the kernel makes if they are put in order.
        inputs, outputs: the shapes for one state.
        workspace: how many numbers the kernel needs, and those that are put in order.
        integers: the head.
    """

    __slots__ = ("constants", "inputs", "integers", "made", "outputs", "packed", "tiles", "workspace")

    def __init__(
        self,
        packed: Array,
        constants: Array,
        order: NDArray[np.int64],
        inputs: tuple[tuple[int, ...], ...],
        outputs: tuple[tuple[int, ...], ...],
        workspace: int,
    ) -> None:
        tiles = tiles_of(order) if order.size else order
        self.packed, self.constants, self.tiles = packed, constants, tiles.view(np.float64)
        self.made = int(order.max(initial=-1)) + 1
        self.inputs, self.outputs, self.workspace = inputs, outputs, workspace + self.made
        self.integers = np.zeros(HEAD, dtype=np.int64)
        for place, array in ((MODEL, packed), (CONSTANTS, constants), (TILES, tiles)):
            self.integers[place : place + 2] = array.ctypes.data, array.size
        self.integers[MADE] = self.made

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of the results for one state."""
        return tuple(math.prod(shape) for shape in self.outputs)

    @property
    def result_shape(self) -> tuple[int, ...]:
        """Of the array that compiled code fills for one state: of the result, or of all results one after the other."""
        return self.outputs[0] if len(self.outputs) == 1 else (sum(self.sizes),)


class Context:
    """What one call for one state works with: the head, the shapes that are expected, and a workspace, in one memory."""

    __slots__ = ("head", "integers", "memory", "workspace")

    def __init__(self, head: Head) -> None:
        self.head, self.memory = head, np.empty(CONTEXT + head.workspace)
        self.integers, self.workspace = self.memory[:CONTEXT].view(np.int64), self.memory[CONTEXT:]
        self.integers[:] = 0
        self.integers[:HEAD], self.integers[CLASS], self.integers[MAKE] = head.integers, CLASS_OF_ARRAYS, NEW_ARRAY
        self.integers[WORKSPACE_OF_ONE] = head.workspace
        # an index that is checked, and is none, leaves compiled code at once, with the lock as it is
        self.integers[RELEASES] = head.workspace > LONG_CALL and not config.BOUNDSCHECK
        shape = head.result_shape
        self.integers[AXES], self.integers[SHAPE : SHAPE + len(shape)] = len(shape), shape
        numbers = [n for field in head.inputs for n in (*field, 1)[:2]] + list(head.sizes)
        self.integers[FIELDS : FIELDS + len(numbers)] = numbers

    @property
    def busy(self) -> bool:
        """Whether a thread is at work in it that has let go of Python's lock."""
        return bool(self.integers[BUSY])

    @property
    def status(self) -> int:
        """What the last call returned."""
        return int(self.integers[STATUS])


# ------------------------------------------------------------------------------------------------------------ many states


def many_states(signature: Signature) -> Callable[..., int]:
    """The compiled function for a batch: it takes the address of a task and the number of the thread, and computes pieces of
    the task until there are none left.

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

    if config.DISABLE_JIT:
        return many_one_by_one
    driver = many if signature.lanes else many_in_turn(signature)
    return compiled_for(signature.named(driver), (types.intp, types.intp))


def many_in_turn(signature: Signature) -> Callable[..., int]:
    """As :func:`many_states`, for a kernel that takes one state at a time."""
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
    """A kernel that looks at the inputs of the states from ``first`` to ``end``, in the user's arrays."""
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
    """A kernel that gives state ``b`` of ``n`` arrays that a task describes from ``place`` on."""
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
    """How many entries of one state ``n`` arrays have together, described from ``place`` on."""
    size = 0
    for j in range(n):
        size += load(task, place + 3 * j + 2)
    return size


@kernel
def read_inputs(task, n, b, memory):
    """All inputs of eight states into lanes, one after the other; gives zero where they are finite, else NaN."""
    bad, place = everywhere(0.0), 0
    for j in range(n):
        array = numbers_at(load(task, ARRAYS + 3 * j), load(task, ARRAYS + 3 * j + 1))
        size = load(task, ARRAYS + 3 * j + 2)
        bad = bad + read_states(array, size, b, part(memory, place, size))
        place += size
    return bad


@kernel
def write_outputs(task, first, outputs, b, outs, tiles):
    """All results of eight states into the user's arrays; gives zero where they are finite, else NaN."""
    bad, place = everywhere(0.0), 0
    for j in range(outputs):
        array = numbers_at(load(task, first + 3 * j), load(task, first + 3 * j + 1))
        size = load(task, first + 3 * j + 2)
        bad = bad + write_states(array, size, b, tail(outs, place))
        place += size
    return bad


@kernel
def write_ordered(task, first, outputs, b, outs, tiles):
    """The same for one result whose numbers are put in order"""
    array = numbers_at(load(task, first), load(task, first + 1))
    return write_tiles(array, load(task, first + 2), b, outs, tiles)


@kernel
def next_piece(task):
    """The next piece: long ones first, which memory likes, then shorter ones, so that all threads finish together."""
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
    """Write down an array ``(states, entries)``, or ``(1, entries)`` where one state stands for all."""
    task = view(task)
    store(task, k, address_of(flat(array)))
    store(task, k + 1, array.size)
    store(task, k + 2, array.shape[1])


def share_states(board, function, threads, task, states, least, compute, ws):
    """Compute a batch in up to so many threads, by the function at that address.

    The workspace, rows of eight, has for each thread room for the kernel's and for the entries of one state of each array.
    No piece has fewer states than ``least``, but the last. With ``compute`` false it only looks at the inputs.
    """
    task = view(task)
    store(task, NEXT, 0)
    store(task, STATES, states)
    store(task, LEAST, least)
    store(task, THREADS, threads)
    store(task, COMPUTE, compute)
    store(task, WORKSPACE, address_of(flat(ws)))
    store(task, RECORDS, len(ws) // threads)
    return share(view(board), function, address_of(task), threads)


@functools.cache
def compiled_describe() -> Callable[..., None]:
    """For Python."""
    return compiled_for(describe, (INTEGERS, types.intp, ROWS))


@functools.cache
def compiled_share_states() -> Callable[..., int]:
    """For Python."""
    return compiled_for(share_states, SHARE)


def run_many(
    many: Callable[..., int],
    threads: int,
    head: Head,
    arrays: list[Array],
    scratch: Array,
    least: int,
    compute: bool,
) -> int:
    """:func:`share_states` from Python: what :func:`many_states` made, threads, the head, and the arrays, results last."""
    if config.DISABLE_JIT:  # without compilation, NumPy would warn of divisions by zero that the status reports
        with np.errstate(all="ignore"):
            return many(head, arrays, compute)
    if not hasattr(_local, "task"):
        _local.task = np.zeros(TASK_SIZE, dtype=np.int64)
    task, describe_array = _local.task, compiled_describe()
    task[:HEAD] = head.integers
    for k, array in enumerate(arrays):
        describe_array(task, ARRAYS + 3 * k, array)
    share = compiled_share_states()
    return share(board(threads), address(many), threads, task, len(arrays[-1]), least, compute, scratch)
