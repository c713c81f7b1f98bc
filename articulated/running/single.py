"""Drivers for one state, the same for all algorithms, and what calls for one state and for batches share.

Every algorithm is a kernel ``kernel(m, [c,] inputs..., outputs..., ws)``: the model, constants if it has any, the scalar
arrays of one state that its record declares, and a workspace. An optional input that was left out has no entries.
:func:`one_state` makes the compiled function that Python calls for one state;
:func:`~pluecker.articulated.running.batch.many_states` that for a batch.

What does not change from call to call, the *head*, reaches compiled code by address: integers in memory, first those of
:data:`HEAD`. For one state a :class:`Context` has more behind them, for a batch a task.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.layout import quaternion_count, quaternion_place
from pluecker.spatial.algebra.rotations import load_quaternion
from pluecker.spatial.engine.compiled.decorators import compiled_for, kernel
from pluecker.spatial.engine.compiled.settings import BOUNDSCHECK, DISABLE_JIT
from pluecker.spatial.engine.memory import transposition, views
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at
from pluecker.spatial.engine.memory.new_arrays import (
    NEW_ARRAY,
    drop,
    is_missing,
    is_none,
    new_array,
    no_object,
    release_lock,
    take_lock,
)
from pluecker.spatial.engine.memory.objects import CLASS_OF_ARRAYS, OBJECTS, array_in, entries_of, numbers_of
from pluecker.spatial.engine.memory.tiles import tiles_of, write_state
from pluecker.spatial.engine.scalars.operations import load, part, store, tail, within

__all__ = [
    "BUSY", "CONSTANTS", "GOOD", "HEAD", "LEFT_OUT", "MADE", "MODEL", "MOST_AXES", "MOST_INPUTS", "MOST_OUTPUTS",
    "NOT_FINITE", "NOT_UNIT", "NO_RESULT", "RELEASES", "TILES", "UNFIT", "Context", "Head", "Signature", "all_finite",
    "all_unit", "applied", "consecutive", "flat", "one_state",
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


# ------------------------------------------------------------------------------------------------- what inputs must be like


if DISABLE_JIT:

    def all_finite(array: Any) -> bool:
        """Return whether no entry is NaN or infinite."""
        return bool(np.isfinite(array).all())

    def flat(array: Any) -> Any:
        """Return a view with all entries on one axis."""
        return array.reshape(-1)
else:
    all_finite, flat = transposition.all_finite, views.flat


@kernel
def all_unit(m, q):
    """Return whether all quaternions of a configuration have unit length, within the tolerance."""
    for k in range(quaternion_count(m)):
        w, x, y, z = load_quaternion(q, quaternion_place(m, k))
        if not within(w * w + x * x + y * y + z * z - 1.0, 2.0 * UNIT_TOLERANCE):
            return False
    return True


# ------------------------------------------------------------------------------------------------------- what a kernel is


class Signature:
    """Kernel, with a description of its arguments.

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
        """Give a driver a unique name, by which the compilation cache tells it from others made by the same lines."""
        variant = [*self.axes, *map(int, self.configurations), self.outputs]
        name = "_".join([self.function.__name__, driver.__name__, *map(str, variant)])
        driver.__name__ = driver.__qualname__ = name
        return driver


@functools.cache
def consecutive(n: int) -> Callable[..., Any]:
    """Make a kernel that returns ``n`` consecutive parts of a scalar array; sizes are every ``stride``-th integer from k."""
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
    """Make a kernel that calls the algorithm's with all its arrays in one tuple."""
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
    """Make a kernel that describes the inputs of one state, with so many axes each: plain or not, entries, rows, columns."""
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
    """Make a kernel that returns the entries of the first ``n`` of the described arrays."""
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
    """Describe one input without compilation, see :func:`described`: whether it is plain, its entries, rows and columns."""
    plain = type(array) is np.ndarray and array.ndim == axes and array.dtype == np.float64 and array.dtype.isnative
    if not (plain and array.flags.aligned and array.flags.c_contiguous):
        return False, NOTHING, 0, 0
    return True, array.reshape(-1), len(array), array.shape[1] if axes == 2 else 1


def checked(signature: Signature) -> Callable[..., Any]:
    """Make a kernel that checks the inputs of one state and returns the status."""
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
    """Make a kernel that computes one state, and returns ``GOOD`` if the result is finite, else ``NO_RESULT``."""
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
    """Return the integers and the workspace of a context, and the model, the constants and the tiles of its head"""
    start = address_of(numbers_of(memory, CONTEXT))
    integers = integers_at(start, CONTEXT)
    m = numbers_at(load(integers, MODEL), load(integers, MODEL + 1))
    c = numbers_at(load(integers, CONSTANTS), load(integers, CONSTANTS + 1))
    tiles = numbers_at(load(integers, TILES), load(integers, TILES + 1))
    return integers, numbers_at(start + 8 * CONTEXT, load(integers, WORKSPACE_OF_ONE)), m, c, tiles


def one_state(signature: Signature) -> Callable[..., Any]:
    """Make the function for one state: it takes the memory of a context, a tuple of inputs, and an array for all results.

    For None instead of that array it makes a new one, and gives it back; where inputs or results are not good, or another
    thread is at work in the context, None. The context then has the status: ``GOOD``, ``NO_RESULT`` where the result is not
    finite, or what is wrong with the inputs, in which case nothing was written; ``UNFIT`` for whatever is not a plain array
    of the right shape. It is entered through :func:`~pluecker.spatial.engine.compiled.decorators.entrance`. Without
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

    if DISABLE_JIT:
        return plain
    return compiled_for(signature.named(one), OBJECTS, holds_lock=True)


class Head:
    """Head of an algorithm for a model: the data that stays the same from call to call, as compiled code gets it.

    Attributes:
        packed, constants: the model, and the algorithm's constants, which may be empty.
        tiles: where the numbers that the kernel makes come in the result, see
            :func:`~pluecker.spatial.engine.memory.tiles.tiles_of`; empty if they are not put in order.
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
        """Sizes of the results for one state."""
        return tuple(math.prod(shape) for shape in self.outputs)

    @property
    def result_shape(self) -> tuple[int, ...]:
        """Shape of the array that compiled code fills for one state: the only result, or all results one after the other."""
        return self.outputs[0] if len(self.outputs) == 1 else (sum(self.sizes),)


class Context:
    """Context of calls for one state: the head, the expected shapes, and a workspace, in one block of memory."""

    __slots__ = ("head", "integers", "memory", "workspace")

    def __init__(self, head: Head) -> None:
        self.head, self.memory = head, np.empty(CONTEXT + head.workspace)
        self.integers, self.workspace = self.memory[:CONTEXT].view(np.int64), self.memory[CONTEXT:]
        self.integers[:] = 0
        self.integers[:HEAD], self.integers[CLASS], self.integers[MAKE] = head.integers, CLASS_OF_ARRAYS, NEW_ARRAY
        self.integers[WORKSPACE_OF_ONE] = head.workspace
        # an index that is checked, and is none, leaves compiled code at once, with the lock as it is
        self.integers[RELEASES] = head.workspace > LONG_CALL and not BOUNDSCHECK
        shape = head.result_shape
        self.integers[AXES], self.integers[SHAPE : SHAPE + len(shape)] = len(shape), shape
        numbers = [n for field in head.inputs for n in (*field, 1)[:2]] + list(head.sizes)
        self.integers[FIELDS : FIELDS + len(numbers)] = numbers

    @property
    def busy(self) -> bool:
        """True while a thread that has released Python's lock computes in it."""
        return bool(self.integers[BUSY])

    @property
    def status(self) -> int:
        """Status of the last call."""
        return int(self.integers[STATUS])
