"""An algorithm as its public function runs it: on one state by the shortest way, or on a batch by lanes and threads."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import config, types
from numpy.typing import ArrayLike

from pluecker.articulated.arguments import (
    Array,
    as_floats,
    as_rows,
    as_threads,
    batch_shape,
    check_out,
    explain,
    shares_memory,
)
from pluecker.articulated.batch import (
    CONFIGURATION,
    GOOD,
    NOTHING,
    SINGULAR,
    VELOCITY,
    check_states,
    many_states,
    one_state,
)
from pluecker.articulated.threads import divide, in_parallel
from pluecker.spatial.lanes import WIDTH

if TYPE_CHECKING:
    from pluecker.articulated.model import Model

__all__ = ["ALGORITHMS", "Algorithm"]

ALGORITHMS: dict[str, Algorithm] = {}
CONTENT = {"v": VELOCITY, "a": VELOCITY, "tau": VELOCITY, "q1": CONFIGURATION}

# Each compiled function exists for these types and no others. What a user passes is brought to them.
NUMBERS = types.float64[::1]
ROWS = types.float64[:, ::1]
FIXED_ROWS = types.Array(types.float64, 2, "C", readonly=True)
ONE = (NUMBERS, NUMBERS, NUMBERS, NUMBERS, ROWS, NUMBERS, NUMBERS)
MANY = (NUMBERS, FIXED_ROWS, FIXED_ROWS, FIXED_ROWS, FIXED_ROWS, ROWS, ROWS)
CHECK = (NUMBERS, FIXED_ROWS, FIXED_ROWS, FIXED_ROWS, FIXED_ROWS, types.boolean)

NO_NUMBERS = np.empty(0)
NO_FORCES = np.empty((0, 6))
NO_ROWS = np.empty((1, 0))
# A thread is worth its while from so many link-blocks on (links times states / 8), about 50 us.
GRAIN = 1000

_local = threading.local()
_compiling = threading.Lock()


@dataclass(frozen=True)
class Plan:
    """What an algorithm needs to know of a model."""

    packed: Array
    shape: tuple[int, ...]  # of the result for one state
    entries: int  # of it
    workspace: int  # numbers


@dataclass(frozen=True, eq=False)
class Algorithm:
    """A kernel, and all that turns it into a public function.

    Attributes:
        name: of the public function, for messages.
        kernel: the algorithm itself.
        inputs: the names of the arguments, in the kernel's order: ``q``, then ``v``, then one more, then ``f_ext``.
        shape: the shape of the result for one state of a model.
        workspace: how many numbers the kernel needs as scratch memory.
        can_fail: whether it may fail on good inputs, marking its result with NaN.
    """

    name: str
    kernel: Callable[..., None]
    inputs: tuple[str, ...]
    shape: Callable[[Model], tuple[int, ...]]
    workspace: Callable[[Model], int]
    can_fail: bool = False

    def __post_init__(self) -> None:
        ALGORITHMS[self.name] = self

    def __call__(
        self,
        model: Model,
        q: Any,
        v: Any = NO_NUMBERS,
        u: Any = NO_NUMBERS,
        f_ext: Any = None,
        *,
        out: Any,
        threads: Any,
    ) -> Array:
        """Run it on whatever the user has passed.

        The short way serves what loops call: one state, in arrays of the right type and shape. Whether they are is found
        out by the compiled function, which takes no other types; everything else goes the long way.
        """
        forces = NO_FORCES if f_ext is None else f_ext
        if out is None and threads is None and type(q) is type(v) is type(u) is type(forces) is np.ndarray:
            try:
                plan = model.plans[self]
                result = np.empty(plan.entries)
                status = self.one(plan.packed, q, v, u, forces, result, numbers(plan.workspace))
            except (TypeError, KeyError, AttributeError):
                status = None
            if status == GOOD:
                return result if len(plan.shape) == 1 else result.reshape(plan.shape)
        return self.run(model, self.named_inputs(q, v, u, f_ext), out, as_threads(self.name, threads))

    def named_inputs(self, q: Any, v: Any, u: Any, f_ext: Any) -> dict[str, Any]:
        """The arguments that the user has given, by name."""
        given = iter([q, *(x for x in (v, u) if x is not NO_NUMBERS)])
        return {
            key: f_ext if key == "f_ext" else next(given) for key in self.inputs if key != "f_ext" or f_ext is not None
        }

    # ------------------------------------------------------------------------------------------------ compiled functions

    @functools.cached_property
    def contents(self) -> tuple[int, int]:
        """What ``v`` and the input after it hold."""
        others = [key for key in self.inputs[1:] if key not in ("v", "f_ext")]
        return VELOCITY if "v" in self.inputs else NOTHING, CONTENT[others[0]] if others else NOTHING

    @functools.cached_property
    def one(self) -> Callable[..., int]:
        """The compiled function for one state."""
        return settled(one_state(self.kernel, *self.contents, self.can_fail), ONE)

    @functools.cached_property
    def many(self) -> Callable[..., int]:
        """The compiled function for a batch."""
        return settled(many_states(self.kernel, self.can_fail), MANY)

    @functools.cached_property
    def check(self) -> Callable[..., int]:
        """The compiled function that looks at a batch of inputs before anything is computed."""
        return settled(check_states, CHECK)

    # ------------------------------------------------------------------------------------------------------ the long way

    def plan(self, model: Model) -> Plan:
        """What this algorithm needs to know of the model; kept with it."""
        if self not in model.plans:
            shape = self.shape(model)
            packed = model.packed.copy()  # Numba recognises a writeable array in a third of the time
            model.plans[self] = Plan(packed, shape, int(np.prod(shape, dtype=int)), self.workspace(model))
        return model.plans[self]

    def run(self, model: Model, inputs: dict[str, ArrayLike], out: Array | None, threads: int) -> Array:
        """Check everything, compute, and only then write to ``out``."""
        if not hasattr(model, "plans"):
            raise TypeError(f"{self.name}: model must be a pluecker.articulated.Model, got a {type(model).__name__}")
        plan = self.plan(model)
        arrays = {key: as_floats(self.name, model, key, value) for key, value in inputs.items()}
        batch = batch_shape(self.name, model, arrays)
        shape = batch + plan.shape
        if out is not None:
            check_out(self.name, out, shape)
        direct = out is not None and not self.can_fail and not shares_memory(out, arrays)
        result = out if direct else np.empty(shape)
        assert result is not None
        if result.size:
            rows = {key: as_rows(model, key, array, batch) for key, array in arrays.items()}
            status = self.compute(model, plan, rows, result, threads)
            if status != GOOD:
                explain(status == SINGULAR, self.name, model, arrays, result)
        if out is None or direct:
            return result
        out[...] = result
        return out

    def compute(self, model: Model, plan: Plan, rows: dict[str, Array], result: Array, threads: int) -> int:
        """Fill ``result`` from checked rows, in compiled code."""
        f_ext = rows.get("f_ext")
        v = rows.get("v")
        u = [array for key, array in rows.items() if key not in (self.inputs[0], "v", "f_ext")]
        inputs = [rows[self.inputs[0]], NO_ROWS if v is None else v, u[0] if u else NO_ROWS]
        if result.ndim == len(plan.shape):
            states = [array[0] if array.size else NO_NUMBERS for array in inputs]
            forces = NO_FORCES if f_ext is None else f_ext.reshape(-1, 6)
            return call(self.one, plan.packed, *states, forces, result.reshape(-1), numbers(plan.workspace))
        inputs = [fixed(array) for array in (*inputs, NO_ROWS if f_ext is None else f_ext)]
        out = result.reshape(-1, plan.entries)
        size = plan.workspace + sum(array.shape[1] for array in (*inputs, out)) + 1
        two = self.contents[1] == CONFIGURATION

        def cut(part: slice) -> list[Array]:
            return [array if len(array) == 1 else array[part] for array in inputs]

        slices = divide(len(out), min(threads, 1 + len(out) // WIDTH * model.n_links // GRAIN), WIDTH)
        statuses = in_parallel(lambda part: call(self.check, plan.packed, *cut(part), two), slices)
        if max(statuses) == GOOD:
            statuses = in_parallel(
                lambda part: call(self.many, plan.packed, *cut(part), out[part], rows_of_eight(size)), slices
            )
        return max(statuses)


def settled(driver: Any, signature: tuple[Any, ...]) -> Callable[..., int]:
    """A compiled function with one signature: other types are a TypeError, and never a new compilation."""
    with _compiling:
        if not config.DISABLE_JIT and not driver.overloads:
            driver.compile(signature)
            driver.disable_compile()
    return driver


def call(driver: Callable[..., int], *arguments: Any) -> int:
    """Call the driver; without compilation NumPy would warn of the divisions by zero that the status reports."""
    if not config.DISABLE_JIT:
        return driver(*arguments)
    with np.errstate(all="ignore"):
        return driver(*arguments)


def fixed(array: Array) -> Array:
    """A view that cannot be written to, whatever the user's array allows: one type for the compiled function."""
    array = array.view()
    array.flags.writeable = False
    return array


def numbers(size: int) -> Array:
    """Scratch memory of this thread: kept from call to call, never shared."""
    try:
        buffer: Array = _local.numbers
        if buffer.size >= size:
            return buffer
    except AttributeError:
        pass
    buffer = _local.numbers = np.empty(size)
    return buffer


def rows_of_eight(size: int) -> Array:
    """Scratch memory of this thread for lanes, ``(size, 8)`` at least, each row in one line of the cache."""
    buffer: Array | None = getattr(_local, "rows", None)
    if buffer is None or len(buffer) < size:
        memory = np.empty(WIDTH * (size + 1))
        first = -(memory.ctypes.data // memory.itemsize) % WIDTH
        buffer = _local.rows = memory[first : first + WIDTH * size].reshape(size, WIDTH)
    return buffer
