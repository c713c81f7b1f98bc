"""An algorithm as its public function runs it: on one state by the shortest way, or on a batch by lanes and threads."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import config
from numpy import empty, ndarray
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.running.arguments import (
    Array,
    as_floats,
    as_rows,
    as_threads,
    batch_shape,
    check_out,
    explain,
    shares_memory,
)
from pluecker.articulated.running.batch import (
    CONFIGURATION,
    GOOD,
    NOTHING,
    SINGULAR,
    VELOCITY,
    many_states,
    one_state,
    run_many,
)
from pluecker.spatial.compiled.decorators import once
from pluecker.spatial.compiled.numba_internals import NumbaError
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.functions.elementwise import rows_of_eight
from pluecker.spatial.properties import cached_property
from pluecker.spatial.scalars.lanes import WIDTH

if TYPE_CHECKING:
    from pluecker.articulated.model.model import Model

__all__ = ["ALGORITHMS", "NO_NUMBERS", "Algorithm"]

ALGORITHMS: dict[str, Algorithm] = {}

COMPILED = not config.DISABLE_JIT
NO_NUMBERS = empty(0)
NO_FORCES = empty((0, 6))
NO_ROWS = empty((1, 0))
# No piece of a batch is smaller than this, links times states / 8: about 3 us. A thread is worth twice as much.
GRAIN = 50

_local = threading.local()


class Plan(NamedTuple):
    """What an algorithm has found out about a model."""

    packed: Array
    shape: tuple[int, ...]  # of the result for one state
    workspace: int  # numbers
    spare: list[Array]  # workspaces for one state that no thread uses at the moment
    one: Callable[..., int] | None  # the compiled function for one state, when there has been one


@dataclass(frozen=True, eq=False)
class Algorithm:
    """A kernel, and all that turns it into a public function.

    Attributes:
        name: of the public function, for messages.
        kernel: the algorithm itself.
        inputs: the names of the arguments, in the kernel's order: ``q``, then ``v``, then one more, then ``f_ext``.
        shape: the shape of the result for one state of a model.
        axes: how many it has.
        workspace: how many numbers the kernel needs as scratch memory.
        can_fail: whether it may fail on good inputs, marking its result with NaN.
        with_mimic: what takes its place for models with mimic joints, if it cannot serve them.
        order: where each entry of the result is among the numbers that the kernel makes, if that is not the same.
    """

    name: str
    kernel: Callable[..., None]
    inputs: tuple[str, ...]
    shape: Callable[[Model], tuple[int, ...]]
    workspace: Callable[[Model], int]
    axes: int = 1
    can_fail: bool = False
    order: Callable[[Model], NDArray[np.int64]] | None = None
    with_mimic: Algorithm | None = None

    def __post_init__(self) -> None:
        ALGORITHMS[self.name] = self  # and no longer the variant for mimic joints, which is made before

    def call(self, model: Model, q: Any, v: Any, u: Any, f_ext: Any, out: Array | None, threads: int | None) -> Array:
        """Run it on whatever the user has passed; what the algorithm does not take is ``NO_NUMBERS`` or None.

        The short way serves what loops call: one state, in arrays of the right type and shape. Whether they are is found
        out by the compiled function, which takes no other types; everything else goes the long way.
        """
        if COMPILED and out is None and threads is None and type(q) is type(v) is type(u) is ndarray and q.ndim == 1:
            try:
                packed, shape, workspace, spare, one = model.plans[self]
                forces = NO_FORCES if f_ext is None else as_short(f_ext)
                scratch = spare.pop() if spare else empty(workspace)
                result = empty(shape)
                if v is NO_NUMBERS and u is NO_NUMBERS:
                    status = one(packed, q, result, scratch)
                else:
                    status = one(packed, q, v, u, forces, result, scratch)
                spare.append(scratch)
                if status == GOOD:
                    return result
            except (TypeError, NumbaError, KeyError, AttributeError, IndexError):
                pass  # other types, a model without a plan, no model, or another thread took the last spare workspace
        return self.run(model, self.named_inputs(q, v, u, f_ext), out, as_threads(self.name, threads))

    def named_inputs(self, q: Any, v: Any, u: Any, f_ext: Any) -> dict[str, Any]:
        """The arguments that the user has given, by name."""
        given = {self.inputs[0]: q}
        if "v" in self.inputs:
            given["v"] = v
        if self.third is not None:
            given[self.third] = u
        if f_ext is not None:
            given["f_ext"] = f_ext
        return given

    # ------------------------------------------------------------------------------------------------ compiled functions

    @cached_property
    def third(self) -> str | None:
        """The name of the kernel's third input, if it has one."""
        return next((key for key in self.inputs[1:] if key not in ("v", "f_ext")), None)

    @cached_property
    def contents(self) -> tuple[int, int]:
        """What the second and the third input hold."""
        third = NOTHING if self.third is None else CONFIGURATION if self.third == "q1" else VELOCITY
        return VELOCITY if "v" in self.inputs else NOTHING, third

    @once
    def one(self) -> Callable[..., int]:
        """The compiled function for one state."""
        return one_state(self.kernel, *self.contents, self.axes, self.can_fail, self.order is not None)

    @once
    def many(self) -> Callable[..., int]:
        """The compiled function for a batch."""
        return many_states(self.kernel, *self.contents, self.can_fail, self.order is not None)

    # ------------------------------------------------------------------------------------------------------ the long way

    def plan(self, model: Model) -> Plan:
        """What this algorithm needs to know of the model; kept with it."""
        if self not in model.plans:
            packed = model.packed.copy()  # Numba recognises a writeable array in a third of the time
            workspace = self.workspace(model)
            if self.order is not None:
                order = self.order(model)
                made = int(order.max(initial=0)) + 1
                packed = np.concatenate([packed, np.append(order, made).view(np.float64)])
                workspace += made
            model.plans[self] = Plan(packed, self.shape(model), workspace, [], None)
        return model.plans[self]

    def run(self, model: Model, inputs: dict[str, ArrayLike], out: Array | None, threads: int) -> Array:
        """Check everything, compute, and only then write to ``out``."""
        if not hasattr(model, "plans"):
            raise ArgumentTypeError(
                f"{self.name}: model must be a pluecker.articulated.Model, got a {type(model).__name__}"
            )
        plan = self.plan(model)
        arrays = {key: as_floats(self.name, model, key, value) for key, value in inputs.items()}
        batch = batch_shape(self.name, model, arrays)
        shape = batch + plan.shape
        if out is not None:
            check_out(self.name, out, shape)
        rows = {key: as_rows(model, key, array, batch) for key, array in arrays.items()}
        # A large result is computed in the user's array, once all inputs have been looked at; a small one is copied there.
        large = math.prod(plan.shape) > sum(array.shape[1] for array in rows.values())
        direct = out is not None and large and not self.can_fail and not shares_memory(out, arrays)
        result = out if direct else empty(shape)
        assert result is not None
        if result.size:
            status = self.compute(model, plan, rows, result, threads, check_first=direct)
            if status != GOOD:
                explain(status == SINGULAR, self.name, model, arrays, result)
        if out is None or direct:
            return result
        out[...] = result
        return out

    def compute(
        self, model: Model, plan: Plan, rows: dict[str, Array], result: Array, threads: int, check_first: bool
    ) -> int:
        """Fill ``result`` in compiled code; with ``check_first``, only once all inputs are known to be good."""
        q, v, f_ext = rows[self.inputs[0]], rows.get("v", NO_ROWS), rows.get("f_ext", NO_ROWS)
        u = NO_ROWS if self.third is None else rows[self.third]
        if result.ndim == len(plan.shape):
            others = () if len(self.inputs) == 1 else (v[0], u[0], f_ext.reshape(-1, 6) if f_ext.size else NO_FORCES)
            model.plans[self] = plan._replace(one=self.one)  # from now on, the short way is open
            return call(self.one, plan.packed, q[0], *others, result, empty(plan.workspace))
        out = result.reshape(-1, math.prod(plan.shape))
        least = WIDTH * max(1, GRAIN // max(1, model.n_links))
        threads = min(threads, 1 + len(out) // (2 * least))
        entries = sum(array.shape[1] for array in (q, v, u, f_ext, out))
        scratch = scratch_memory(threads * (plan.workspace + entries))
        arguments = self.many, threads, plan.packed, q, v, u, f_ext, out, scratch, least
        status = run_many(*arguments, False) if check_first else GOOD
        return run_many(*arguments, True) if status == GOOD else status


def as_short(f_ext: Any) -> Array:
    """Forces as the short way takes them: an array of NumPy that has some."""
    if type(f_ext) is not ndarray or f_ext.size == 0:
        raise TypeError
    return f_ext


def call(driver: Callable[..., int], *arguments: Any) -> int:
    """Call the driver; without compilation NumPy would warn of the divisions by zero that the status reports."""
    if COMPILED:
        return driver(*arguments)
    with np.errstate(all="ignore"):
        return driver(*arguments)


def scratch_memory(n: int) -> Array:
    """Memory of this thread for lanes, ``(n, 8)``."""
    buffer: Array | None = getattr(_local, "rows", None)
    if buffer is None or len(buffer) < n:
        buffer = _local.rows = rows_of_eight(n)
    return buffer[:n]
