"""Algorithms as public functions run them: on one state by a fast path, or on a batch in lanes and threads."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
from numpy import asarray, empty, ndarray
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import (
    FLOAT,
    Array,
    as_floats,
    as_model,
    as_rows,
    as_threads,
    batch_shape,
    check_array,
    check_out,
    check_word,
    explain_inputs,
    explain_overflow,
    explain_singular,
    shares_memory,
)
from pluecker.articulated.running.batch import many_states, run_many
from pluecker.articulated.running.fields import Field, as_fields
from pluecker.articulated.running.short_batches import ShortBatches, enter_few
from pluecker.articulated.running.single import (
    GOOD,
    LEFT_OUT,
    MOST_AXES,
    MOST_INPUTS,
    MOST_OUTPUTS,
    NO_RESULT,
    Context,
    Head,
    Signature,
    one_state,
)
from pluecker.spatial.engine.compiled.decorators import entrance, once
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.errors import PlueckerError
from pluecker.spatial.functions.elementwise import as_numbers, rows_of_eight

__all__ = ["ALGORITHMS", "LEFT_OUT", "Algorithm", "Request"]

ALGORITHMS: dict[str, Algorithm] = {}

COMPILED = not DISABLE_JIT
NO_CONSTANTS = empty(0)
NO_ORDER = empty(0, dtype=np.int64)
NONE: dict[Any, Any] = {}
PLAIN = {float, int, np.float64}
# No piece of a batch is smaller than this, links times states / 8: about 3 us. A thread, which has to be woken, is worth as
# much as so many pieces.
GRAIN, WORTH = 50, 32
# So many keys (frames and the like) of one algorithm are kept for a model.
MOST_KEYS = 4096

_local = threading.local()

Result = Any  # an array, or a tuple of arrays where there are several results

# The compiled function for one state, the memory of a context, what takes several results out of one array, if there are
# several, and the contexts: a plain tuple, which Python takes apart fastest.
Ready = tuple[Callable[..., Any], Array, Callable[[Array], Result] | None, "Contexts"]
# The same for batches of a few states, and what keeps the memory.
Few = tuple[Callable[..., Any], Array, Callable[[Array, tuple[Any, ...]], Result] | None, ShortBatches]


@dataclass(slots=True)
class Plan:
    """Plan of an algorithm for a model, and for a key (such as a frame) where it has constants; derived once for each."""

    algorithm: Algorithm  # that serves this model: itself, or its variant for mimic joints
    head: Head
    sizes: tuple[int, ...]  # of the results for one state
    key: tuple[Hashable, ...]
    pieces: tuple[tuple[slice, tuple[int, ...]], ...]  # of the array with all results: each, and its shape

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the results for one state."""
        return self.head.outputs

    def split(self, result: Array) -> Result:
        """Split an array with all results for one state into views, one a result; a single result is returned as it is."""
        if len(self.sizes) == 1:
            return result
        return tuple([result[own].reshape(shape) for own, shape in self.pieces])


class Compiled:
    """Compiled functions of an algorithm, each made when it is first asked for.

    They are not attributes of the algorithm: Python finds the methods of an object faster if nothing was added to it once it
    was made.
    """

    def __init__(self, signature: Signature) -> None:
        self.signature = signature

    @once
    def one(self) -> Callable[..., Any]:
        """The function for one state."""
        return one_state(self.signature)

    @once
    def enter_one(self) -> Callable[..., Any]:
        """Entrance through which Python calls :attr:`one`."""
        return entrance(self.one) if COMPILED else self.one

    @once
    def many(self) -> Callable[..., int]:
        """The function for a batch."""
        return many_states(self.signature)


class Contexts:
    """Pool of contexts for the fast path of one state: the usual one, and others for threads that find it busy.

    This costs nothing with one thread, and little with several.
    """

    def __init__(self, head: Head) -> None:
        self.usual = Context(head)
        self.others: list[Context] = []  # idle ones, which no thread uses at the moment

    def call_beside(self, one: Callable[..., Any], inputs: tuple[Any, ...]) -> Array | None:
        """Call the compiled function in another context if the usual one is busy; return None if not, or on failure."""
        if not self.usual.busy:
            return None
        try:
            context = self.others.pop()
        except IndexError:
            context = Context(self.usual.head)
        result: Array | None = one(context.memory, inputs, None)
        self.others.append(context)
        return result


@dataclass(frozen=True, eq=False)
class Algorithm:
    """Kernel, with all that turns it into a public function.

    Attributes:
        name: of the public function, for messages.
        kernel: the algorithm itself, ``kernel(m, [c,] inputs..., outputs..., ws)``.
        inputs: at most five, of one or two axes: names of :data:`~pluecker.articulated.running.fields.STANDARD`, or fields.
        outputs: at most six, likewise.
        workspace: how many numbers the kernel needs as scratch memory.
        constants: what else the kernel reads, for a key, such as a frame; None if nothing.
        singular: for an algorithm that may find its state impossible, and then stores NaN: from the model and the workspace
            that it leaves, the number of the velocity coordinate where it did, words for it, or an error of another kind;
            None where numbers overflow.
        words: what the parts of a key are called that have to be strings.
        with_mimic: what takes its place for models with mimic joints, if it cannot serve them.
        order: where each entry of the only result is among the numbers that the kernel makes, if that is not the same;
            number 0 is zero then.
        shares: another one whose compiled functions are its own too.
        lanes: whether the kernel is generic; otherwise batches go through it state by state. Such a one has no order.
        listed: whether it belongs to :data:`ALGORITHMS`.

    ``workspace``, ``constants``, ``order`` and functions in shapes are called with the model, and what the key consists of.
    """

    name: str
    kernel: Callable[..., None]
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    workspace: Callable[..., int]
    constants: Callable[..., Array] | None = None
    singular: Callable[[Model, Array], int | str | PlueckerError | None] | None = None
    order: Callable[..., NDArray[np.int64]] | None = None
    words: tuple[str, ...] = ()
    with_mimic: Algorithm | None = None
    shares: Algorithm | None = None
    lanes: bool = True
    listed: bool = True
    signature: Signature = field(init=False)
    compiled: Compiled = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", as_fields(self.inputs))
        object.__setattr__(self, "outputs", as_fields(self.outputs))
        if not 1 <= len(self.inputs) <= MOST_INPUTS or any(field.axes not in (1, 2) for field in self.inputs):
            raise ValueError(f"{self.name}: expected 1 to {MOST_INPUTS} inputs of one or two axes")
        if any(field.axes > MOST_AXES for field in self.outputs):
            raise ValueError(f"{self.name}: expected results of at most {MOST_AXES} axes")
        if not 1 <= len(self.outputs) <= MOST_OUTPUTS or (self.order is not None and len(self.outputs) > 1):
            raise ValueError(f"{self.name}: expected 1 to {MOST_OUTPUTS} outputs, and one if they are put in order")
        object.__setattr__(self, "signature", self.make_signature())
        object.__setattr__(self, "compiled", self.shares.compiled if self.shares else Compiled(self.signature))
        if self.listed:
            ALGORITHMS[self.name] = self  # and no longer the variant for mimic joints, which is made before

    def make_signature(self) -> Signature:
        """Make the signature of the kernel, from which drivers are compiled."""
        axes, configurations = zip(*((field.axes, field.is_configuration) for field in self.inputs), strict=True)
        constants, ordered = self.constants is not None, self.order is not None
        return Signature(self.kernel, axes, configurations, len(self.outputs), constants, ordered, self.lanes)

    @property
    def one(self) -> Callable[..., Any]:
        """The compiled function for one state."""
        return self.compiled.one

    @property
    def many(self) -> Callable[..., int]:
        """The compiled function for a batch."""
        return self.compiled.many

    def call(
        self,
        model: Model,
        inputs: tuple[Any, ...],
        out: Any,
        threads: int | None,
        key: tuple[Hashable, ...] = (),
    ) -> Result:
        """Run it on whatever the user has passed: ``inputs`` in order, ``LEFT_OUT`` for an optional one that is not there.

        The short way serves what loops call: one state, in arrays of the right type and shape, with a key that has been
        there before. The compiled function looks whether they are, and at what they hold. A few states have one of their
        own, in arrays whose shapes have been there before, and are known to fit. Everything else, and whatever is wrong,
        goes through :meth:`run`.
        """
        ready: Ready | None = None
        try:
            one, memory, split, _ = ready = model.ready[self][key]
        except (AttributeError, LookupError, TypeError):  # no model, not ready, no key
            pass
        else:
            result = one(memory, inputs, None)
            if result is None and type(inputs[0]) is list:
                inputs = from_lists(inputs)
                result = one(memory, inputs, None)
            if result is not None:
                if out is None and threads is None:
                    return result if split is None else split(result)
                if not isinstance(threads, Request):
                    as_threads(self.name, threads)
                    return self.hand_over(result if split is None else split(result), out)
        if threads is None:
            try:
                prepared: Few | None = model.few.get(self, NONE).get(key)
            except (AttributeError, TypeError):
                prepared = None
            if prepared is not None:
                few, memory, split_few, _ = prepared
                result = few(memory, inputs, None)
                if result is not None:
                    if split_few is not None:
                        result = split_few(result, inputs)
                    return result if out is None else self.hand_over(result, out)
        if self.words:
            for word, part in zip(self.words, key, strict=False):
                check_word(self.name, word, part)
        if isinstance(threads, Request):
            threads.record, threads.inputs, threads.key = self, inputs, key
            raise threads
        if threads is not None:
            threads = as_threads(self.name, threads)
        return self.run(model, inputs, out, threads, key, ready)

    def run(
        self,
        model: Model,
        inputs: tuple[Any, ...],
        out: Any,
        threads: int | None,
        key: tuple[Hashable, ...],
        ready: Ready | None = None,
    ) -> Result:
        """Run it on inputs to be converted, on batches, at a first call, and for a thread that finds the context busy.

        What was converted then takes the short ways too.
        """
        if type(model) is not Model:
            own = as_model(self.name, model)
            if own is not model:
                return self.call(own, inputs, out, threads, key)
        arrays = tuple(
            [
                value
                if type(value) is ndarray and value.dtype is FLOAT and value.flags.c_contiguous
                else in_order(as_numbers(self.name, field.name, value))
                for field, value in zip(self.inputs, inputs, strict=True)
            ]
        )
        if ready is not None and arrays[0].ndim == self.signature.axes[0]:
            one, memory, split, contexts = ready
            result = one(memory, arrays, None)
            if result is None:
                result = contexts.call_beside(one, arrays)
            if result is not None:
                return self.hand_over(result if split is None else split(result), out)
        plan = self.plan(model, key)
        short = model.few.get(self, NONE).get(key)
        if short is not None:
            few, memory, split_few, _ = short
            result = few(memory, arrays, None)
            if result is not None:
                return self.hand_over(result if split_few is None else split_few(result, arrays), out)
        return self.run_anew(model, plan, arrays, out, as_threads(self.name, threads))

    def hand_over(self, result: Result, out: Any) -> Result:
        """Return the result, which nothing else refers to, or ``out`` after copying the result there."""
        if out is None:
            return result
        if isinstance(result, tuple):
            outs = check_out(self.name, out, self.outputs, [part.shape for part in result])
            for array, part in zip(outs, result, strict=True):
                array[...] = part
        else:
            check_array(self.name, "out", out, result.shape)
            out[...] = result
        return out

    # ------------------------------------------------------------------------------------------------------ general path

    def plan(self, model: Model, key: tuple[Hashable, ...] = ()) -> Plan:
        """Return the plan of this algorithm for the model and the key; made once and kept with the model."""
        place = self, key
        plan: Plan | None = model.plans.get(place)
        if plan is None:
            serving = self.with_mimic if self.with_mimic is not None and model.mimic else self
            head = Head(
                model.packed,
                NO_CONSTANTS if serving.constants is None else np.ascontiguousarray(serving.constants(model, *key)),
                NO_ORDER if serving.order is None else np.ascontiguousarray(serving.order(model, *key)),
                tuple(field.shape_for(model, key) for field in serving.inputs),
                tuple(field.shape_for(model, key) for field in serving.outputs),
                serving.workspace(model, *key),
            )
            ends = accumulate(head.sizes)
            places = [slice(end - size, end) for end, size in zip(ends, head.sizes, strict=True)]
            plan = Plan(serving, head, head.sizes, key, tuple(zip(places, head.outputs, strict=True)))
            if key:
                forget_oldest(model.plans, [place for place in list(model.plans) if place[0] is self], MOST_KEYS)
            model.plans[place] = plan
        return plan

    def run_anew(self, model: Model, plan: Plan, inputs: tuple[Array, ...], out: Any, threads: int) -> Result:
        """Check everything, compute, and only then write to ``out``."""
        given = {field.name: value for field, value in zip(self.inputs, inputs, strict=True) if value is not LEFT_OUT}
        fields = {field.name: field for field in self.inputs}
        arrays = {name: as_floats(self.name, model, fields[name], value) for name, value in given.items()}
        batch = batch_shape(self.name, model, fields, arrays)
        shapes = [batch + shape for shape in plan.shapes]
        outs = None if out is None else check_out(self.name, out, self.outputs, shapes)
        rows = [
            as_rows(model, field, arrays[field.name], batch) if field.name in arrays else empty((1, 0))
            for field in self.inputs
        ]
        # A large result is computed in the user's array, once all inputs have been looked at; a small one is copied there.
        large = bool(batch) and sum(plan.sizes) > sum(array.shape[1] for array in rows)
        direct = (
            outs is not None
            and large
            and all(array.flags.aligned and not shares_memory(array, arrays) for array in outs)
        )
        results = [array.view(ndarray) for array in outs] if direct and outs else [empty(shape) for shape in shapes]
        if any(array.size for array in results):
            if batch:
                status = self.compute(model, plan, rows, results, threads, check_first=direct)
            else:
                status = self.compute_one(model, plan, rows, results)
            if status == NO_RESULT:
                self.explain(model, plan, fields, rows, results)
            elif status != GOOD:
                explain_inputs(self.name, model, fields, arrays)
            if batch and COMPILED:
                self.prepare(model, plan)
        if outs is None:
            return results[0] if len(results) == 1 else tuple(results)
        if not direct:
            for array, result in zip(outs, results, strict=True):
                array[...] = result
        return out

    def prepare(self, model: Model, plan: Plan) -> None:
        """Open the fast path for batches of up to eight states."""
        few: dict[Hashable, Few] = model.few.setdefault(self, {})
        if plan.key not in few:
            forget_oldest(few, list(few), MOST_KEYS)
            short = ShortBatches(plan.algorithm.compiled.many, plan.head, plan.algorithm.lanes)
            few[plan.key] = enter_few(), short.memory, short.split, short

    def compute(
        self, model: Model, plan: Plan, rows: list[Array], results: list[Array], threads: int, check_first: bool
    ) -> int:
        """Fill ``results`` in compiled code; with ``check_first``, only once all inputs are known to be good."""
        outs = by_states(plan, results)
        least = WIDTH * max(1, GRAIN // max(1, model.n_links)) if self.lanes else 1
        threads = min(threads, 1 + len(outs[0]) // (WORTH * least))
        entries = plan.head.workspace + sum(array.shape[1] for array in rows) + sum(plan.sizes)
        scratch = scratch_memory(threads * (entries if self.lanes else -(-plan.head.workspace // WIDTH)))
        arguments = plan.algorithm.many, threads, plan.head, [*rows, *outs], scratch, least
        status = run_many(*arguments, False) if check_first else GOOD
        return run_many(*arguments, True) if status == GOOD else status

    def compute_one(self, model: Model, plan: Plan, rows: list[Array], results: list[Array]) -> int:
        """Compute one state into ``results``, return the status, and open the fast path for further calls."""
        if COMPILED:
            ready: dict[Hashable, Ready] = model.ready.setdefault(self, {})
            if plan.key not in ready:
                forget_oldest(ready, list(ready), MOST_KEYS)
                contexts, split = Contexts(plan.head), plan.split if len(plan.sizes) > 1 else None
                ready[plan.key] = plan.algorithm.compiled.enter_one, contexts.usual.memory, split, contexts
        result = empty(plan.head.result_shape)
        status = plan.algorithm.compute_state(Context(plan.head), rows, 0, result)
        pieces = [result] if len(results) == 1 else plan.split(result)
        for array, piece in zip(results, pieces, strict=True):
            array[...] = piece
        return status

    def compute_state(self, context: Context, rows: list[Array], state: int, result: Array) -> int:
        """Compute one state of the inputs, given by its number, into ``result``; return the status."""
        own = [
            array[state if len(array) > 1 else 0].reshape(shape) if array.shape[1] == math.prod(shape) else LEFT_OUT
            for array, shape in zip(rows, context.head.inputs, strict=True)
        ]
        if COMPILED:
            self.compiled.enter_one(context.memory, tuple(own), result)
        else:
            with np.errstate(all="ignore"):  # NumPy would warn of the divisions by zero that the status reports
                self.compiled.enter_one(context, tuple(own), result)
        return context.status

    def explain(
        self, model: Model, plan: Plan, fields: dict[str, Field], rows: list[Array], results: Sequence[Array]
    ) -> None:
        """Raise the error for a result that is not finite, with the first state and the joint or body it concerns."""
        finite = [np.isfinite(result) for result in by_states(plan, results)]
        # states before the first that is not finite are complete, whatever the others are
        state = min(int(np.argmin(part.all(axis=1))) for part in finite if not part.all())
        where = f" in state {state} of the batch" if results[0].ndim > len(plan.shapes[0]) else ""
        if plan.algorithm.singular is not None:
            context = Context(plan.head)
            context.workspace[:] = 0.0
            plan.algorithm.compute_state(context, rows, state, empty(plan.head.result_shape))
            with np.errstate(all="ignore"):  # it looks at numbers that may have overflowed
                found = plan.algorithm.singular(model, context.workspace[plan.head.made :])
            if found is not None:
                explain_singular(self.name, model, found, where)
        number = next(k for k, part in enumerate(finite) if not part[state].all())
        place = np.unravel_index(int(np.argmin(finite[number][state])), plan.shapes[number])
        label = self.outputs[number].label(model, plan.key, tuple(int(n) for n in place))
        names = [field.name for field in self.inputs]
        inputs = {
            name: array[state if len(array) > 1 else 0]
            for name, array in zip(names, rows, strict=True)
            if array.shape[1]
        }
        explain_overflow(self.name, model, fields, inputs, label, where)


class Request(Exception):
    """Exception that is given to a public function as ``threads``; its algorithm raises it instead of computing.

    Attributes:
        record, inputs, key: the algorithm, and what it would have been called with.
    """

    record: Algorithm
    inputs: tuple[Any, ...]
    key: tuple[Hashable, ...]


def from_lists(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Convert lists of numbers together, in half the time of one by one; return what is anything else as it is."""
    numbers: list[Any] = []
    for value in inputs:
        if type(value) is list:
            numbers += value
        elif value is not LEFT_OUT:
            return inputs
    if not PLAIN.issuperset(map(type, numbers)):
        return inputs
    array = asarray(numbers)
    if array.dtype is not FLOAT:  # whole numbers
        return inputs
    found: list[Any] = []
    end = 0
    for value in inputs:
        if value is LEFT_OUT:
            found.append(value)
        else:
            start, end = end, end + len(value)
            found.append(array[start:end])
    return tuple(found)


def in_order(array: Array) -> Array:
    """Return an array in C order: itself, or a copy."""
    return array if array.flags.c_contiguous else array.copy()


def by_states(plan: Plan, results: Sequence[Array]) -> list[Array]:
    """Reshape the results of a batch to one axis for the states and one for all others; some may have no entries."""
    states = math.prod(results[0].shape[: results[0].ndim - len(plan.shapes[0])])
    return [result.reshape(states, size) for result, size in zip(results, plan.sizes, strict=True)]


def forget_oldest(known: dict[Any, Any], places: list[Any], most: int) -> None:
    """Remove the oldest entries of a table, half of ``most``, if ``places``, keys in order of age, are as many as that."""
    if len(places) >= most:
        for place in places[: most // 2]:
            known.pop(place, None)


def scratch_memory(n: int) -> Array:
    """Return scratch memory of this thread for lanes, ``(n, 8)``."""
    buffer: Array | None = getattr(_local, "rows", None)
    if buffer is None or len(buffer) < n:
        buffer = _local.rows = rows_of_eight(n)
    return buffer[:n]
