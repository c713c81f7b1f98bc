"""An algorithm as its public function runs it: on one state by the shortest way, or on a batch by lanes and threads."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import config
from numpy import empty, ndarray
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import (
    Array,
    as_floats,
    as_model,
    as_rows,
    as_threads,
    batch_shape,
    check_out,
    explain_inputs,
    explain_overflow,
    explain_singular,
    shares_memory,
)
from pluecker.articulated.running.batch import (
    CONFIGURATION,
    GOOD,
    NO_RESULT,
    NOTHING,
    VELOCITY,
    many_states,
    one_state,
    run_many,
)
from pluecker.spatial.compiled.decorators import NoMatch, once
from pluecker.spatial.functions.elementwise import rows_of_eight
from pluecker.spatial.properties import cached_property
from pluecker.spatial.scalars.lanes import WIDTH

__all__ = ["ALGORITHMS", "NO_NUMBERS", "Algorithm"]

ALGORITHMS: dict[str, Algorithm] = {}

COMPILED = not config.DISABLE_JIT
NO_NUMBERS = empty(0)
NO_FORCES = empty((0, 6))
NO_ROWS = empty((1, 0))
# No piece of a batch is smaller than this, links times states / 8: about 3 us. A thread is worth twice as much.
GRAIN = 50

_local = threading.local()


# The model as compiled code reads it, the shape of the result for one state, how many numbers the workspace has, workspaces
# that no thread uses at the moment, the compiled function for one state: a plain tuple, which Python takes apart fastest.
Ready = tuple[Array, tuple[int, ...], int, list[Array], Callable[..., int]]


@dataclass(slots=True)
class Plan:
    """What an algorithm has found out about a model."""

    algorithm: Algorithm  # that serves this model: itself, or its variant for mimic joints
    packed: Array
    shape: tuple[int, ...]  # of the result for one state
    workspace: int  # numbers
    ready: Ready | None = None  # for the short way, once there is a compiled function for one state


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
        singular: for an algorithm that may find its state impossible, and then stores NaN: from the model and the workspace
            that it leaves, the number of the velocity coordinate where it did; None where numbers overflow instead.
        names: the attribute of a model that names the rows of the result, for messages; empty if it has none.
        with_mimic: what takes its place for models with mimic joints, if it cannot serve them.
        order: where each entry of the result is among the numbers that the kernel makes, if that is not the same.
    """

    name: str
    kernel: Callable[..., None]
    inputs: tuple[str, ...]
    shape: Callable[[Model], tuple[int, ...]]
    workspace: Callable[[Model], int]
    axes: int = 1
    singular: Callable[[Model, Array], int | None] | None = None
    names: str = "v_names"
    order: Callable[[Model], NDArray[np.int64]] | None = None
    with_mimic: Algorithm | None = None

    def __post_init__(self) -> None:
        ALGORITHMS[self.name] = self  # and no longer the variant for mimic joints, which is made before

    def call(self, model: Model, q: Any, v: Any, u: Any, f_ext: Any, out: Array | None, threads: int | None) -> Array:
        """Run it on whatever the user has passed; what the algorithm does not take is ``NO_NUMBERS`` or None.

        The short way serves what loops call: one state, in arrays of the right type and shape. Their types and layouts are
        looked at by the compiled function, which takes no others, and their shapes and contents in it; everything else, and
        whatever is wrong, goes the long way.
        """
        if (
            out is None
            and threads is None
            and type(model) is Model
            and type(q) is type(v) is type(u) is ndarray
            and q.ndim == 1
            and (f_ext is None or (type(f_ext) is ndarray and f_ext.size))
        ):
            plan = model.plans.get(self)
            if plan is not None and plan.ready is not None:
                packed, shape, workspace, spare, one = plan.ready
                try:
                    scratch = spare.pop()
                except IndexError:  # none yet, or other threads have them all
                    scratch = empty(workspace)
                result = empty(shape)
                try:
                    if v is NO_NUMBERS and u is NO_NUMBERS:
                        status = one(packed, q, result, scratch)
                    else:
                        status = one(packed, q, v, u, NO_FORCES if f_ext is None else f_ext, result, scratch)
                except NoMatch:
                    status = NO_RESULT
                spare.append(scratch)
                if status == GOOD:
                    return result
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
        return one_state(self.kernel, *self.contents, self.axes, self.order is not None)

    @once
    def many(self) -> Callable[..., int]:
        """The compiled function for a batch."""
        return many_states(self.kernel, *self.contents, self.order is not None)

    # ------------------------------------------------------------------------------------------------------ the long way

    def plan(self, model: Model) -> Plan:
        """What this algorithm needs to know of the model; kept with it."""
        if self not in model.plans:
            serving = self.with_mimic if self.with_mimic is not None and model.mimic else self
            packed = model.packed.copy()  # Numba recognises a writeable array in a third of the time
            workspace = serving.workspace(model)
            if serving.order is not None:
                order = serving.order(model)
                made = int(order.max(initial=0)) + 1
                packed = np.concatenate([packed, np.append(order, made).view(np.float64)])
                workspace += made
            model.plans[self] = Plan(serving, packed, serving.shape(model), workspace)
        plan: Plan = model.plans[self]
        return plan

    def run(self, model: Model, inputs: dict[str, ArrayLike], out: Array | None, threads: int) -> Array:
        """Check everything, compute, and only then write to ``out``."""
        plan = self.plan(as_model(self.name, model))
        arrays = {key: as_floats(self.name, model, key, value) for key, value in inputs.items()}
        batch = batch_shape(self.name, model, arrays)
        shape = batch + plan.shape
        if out is not None:
            check_out(self.name, out, shape)
        rows = {key: as_rows(model, key, array, batch) for key, array in arrays.items()}
        # A large result is computed in the user's array, once all inputs have been looked at; a small one is copied there.
        large = bool(batch) and math.prod(plan.shape) > sum(array.shape[1] for array in rows.values())
        direct = out is not None and large and out.flags.aligned and not shares_memory(out, arrays)
        result = out.view(ndarray) if direct and out is not None else empty(shape)
        if result.size:
            status = self.compute(model, plan, rows, result, threads, check_first=direct)
            if status == NO_RESULT:
                self.explain(model, plan, rows, result)
            elif status != GOOD:
                explain_inputs(self.name, model, arrays)
        if out is None:
            return result
        if not direct:
            out[...] = result
        return out

    def compute(
        self, model: Model, plan: Plan, rows: dict[str, Array], result: Array, threads: int, check_first: bool
    ) -> int:
        """Fill ``result`` in compiled code; with ``check_first``, only once all inputs are known to be good."""
        if result.ndim == len(plan.shape):
            if COMPILED and plan.ready is None:  # from now on, the short way is open
                plan.ready = plan.packed, plan.shape, plan.workspace, [], plan.algorithm.one
            return plan.algorithm.compute_one(plan, rows, 0, result, empty(plan.workspace))
        q, v, f_ext = rows[self.inputs[0]], rows.get("v", NO_ROWS), rows.get("f_ext", NO_ROWS)
        u = NO_ROWS if self.third is None else rows[self.third]
        out = result.reshape(-1, math.prod(plan.shape))
        least = WIDTH * max(1, GRAIN // max(1, model.n_links))
        threads = min(threads, 1 + len(out) // (2 * least))
        entries = sum(array.shape[1] for array in (q, v, u, f_ext, out))
        scratch = scratch_memory(threads * (plan.workspace + entries))
        arguments = plan.algorithm.many, threads, plan.packed, q, v, u, f_ext, out, scratch, least
        status = run_many(*arguments, False) if check_first else GOOD
        return run_many(*arguments, True) if status == GOOD else status

    def compute_one(self, plan: Plan, rows: dict[str, Array], state: int, result: Array, scratch: Array) -> int:
        """One state of the inputs, by its number."""
        own = {key: array[state if len(array) > 1 else 0] for key, array in rows.items()}
        if len(self.inputs) == 1:
            return call(self.one, plan.packed, own[self.inputs[0]], result, scratch)
        u = NO_NUMBERS if self.third is None else own[self.third]
        f_ext = own["f_ext"].reshape(-1, 6) if "f_ext" in own else NO_FORCES
        return call(self.one, plan.packed, own[self.inputs[0]], own.get("v", NO_NUMBERS), u, f_ext, result, scratch)

    def explain(self, model: Model, plan: Plan, rows: dict[str, Array], result: Array) -> None:
        """Raise the error for a result that is not finite, with the first state and the joint or body it concerns."""
        finite = np.isfinite(result.reshape(-1, math.prod(plan.shape)))
        state = int(np.argmin(finite.all(axis=1)))  # states before it are complete, whatever the others are
        where = f" in state {state} of the batch" if result.ndim > len(plan.shape) else ""
        if plan.algorithm.singular is not None:
            scratch = np.zeros(plan.workspace)
            plan.algorithm.compute_one(plan, rows, state, empty(plan.shape), scratch)
            with np.errstate(all="ignore"):  # it looks at numbers that may have overflowed
                coordinate = plan.algorithm.singular(model, scratch)
            if coordinate is not None:
                explain_singular(self.name, model, coordinate, where)
        names = getattr(model, self.names) if self.names else ()
        place = np.unravel_index(int(np.argmin(finite[state])), plan.shape)
        inputs = {key: array[state if len(array) > 1 else 0] for key, array in rows.items()}
        explain_overflow(self.name, model, inputs, names[place[0]] if names else None, where)


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
