"""The derivative of an algorithm, as an algorithm: its kernel on dual numbers, eight directions at a time.

A direction is a unit step of one entry of an input; for a configuration, of one coordinate of v: with the velocity e_j, q
changes at the rate that its joint gives. Every kernel of the package can be differentiated so.

The values of the inputs are the user's arrays. Their derivatives, those of the results and of the kernel's workspace are
rows of eight in the workspace here, and behind them the values of results and workspace.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pluecker.articulated.model.joints import rate_joint
from pluecker.articulated.model.layout import clear, link_count, owns_coordinates
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import LEFT_OUT, Algorithm, Plan
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.articulated.running.single import Signature, applied
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.memory.arrays import aligned
from pluecker.spatial.engine.memory.joined import as_rows, join
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, store, tail
from pluecker.spatial.errors import ArgumentValueError, PlueckerError

__all__ = [
    "DIRECTIONS", "FIELDS", "INPUTS", "OWN", "PLACES", "RESULTS", "VELOCITIES", "WORKSPACE", "Derivative",
    "configuration_rates", "constants_of", "counts", "cut", "derivative_of_record", "inputs_of", "nothing_if_finite",
    "outputs_of", "steps_of", "written_out",
]  # fmt: skip

# The constants: how many directions there are, how many rows the inputs, the velocities, the results and the workspace have,
# where the order of the result, the directions, and the algorithm's own constants are; then of each input how many rows it
# has and where its velocities are, if it is a configuration; and the sizes of the results.
DIRECTIONS, INPUTS, VELOCITIES, RESULTS, WORKSPACE, ORDER, PLACES, OWN, FIELDS = range(9)


@kernel
def configuration_rates(m, q, v, out):
    """The rate of q at the velocity v, joint by joint: one for each lane of v"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            rate_joint(m, i, q, v, out)


@functools.cache
def joined(n: int) -> Callable[..., Any]:
    """A kernel that joins each of ``n`` inputs to its rows, whose numbers stand at each second place from k on."""
    if n == 0:

        @kernel
        def none(arrays, rows, c, k):
            return ()

        return none
    others = joined(n - 1)

    @kernel
    def first(arrays, rows, c, k):
        own = join(arrays[0], part(rows, 0, len(arrays[0])))
        return (own,) + others(arrays[1:], tail(rows, load_integer(c, k)), c, k + 2)  # noqa: RUF005

    return first


@functools.cache
def cut(n: int) -> Callable[..., Any]:
    """A kernel that cuts a scalar array into ``n``, whose sizes stand at k and behind it."""
    if n == 0:

        @kernel
        def none(array, c, k):
            return ()

        return none
    others = cut(n - 1)

    @kernel
    def first(array, c, k):
        size = load_integer(c, k)
        return (part(array, 0, size),) + others(tail(array, size), c, k + 1)  # noqa: RUF005

    return first


@kernel
def nothing_if_finite(values, n):
    """Return 0 if the first ``n`` entries are finite, else NaN: what overflows can look as if it were constant"""
    nothing = 0.0
    for e in range(n):
        nothing += 0.0 * load(values, e)
    return nothing


@functools.cache
def written_out(outputs: int, ordered: bool) -> Callable[..., Any]:
    """Make a kernel that writes up to eight columns of so many results, from the numbers of their rows of eight.

    ``nothing`` is added to them: zero, or NaN where results have no value.
    """

    @kernel
    def write_out(c, outs, numbers, nothing, directions, first, count):
        place = 0
        for j in range(outputs):
            entries = len(outs[j]) // directions
            for e in range(entries):
                row = load_integer(c, load_integer(c, ORDER) + e) if ordered else place + e
                for k in range(count):
                    store(outs[j], e * directions + first + k, load(numbers, WIDTH * row + k) + nothing)
            place += entries

    return write_out


def derivative_kernel(signature: Signature) -> Callable[..., None]:
    """Make the kernel that differentiates another: its results have an axis more, for the directions."""
    n, outputs, end = len(signature.axes), signature.outputs, len(signature.axes) + signature.outputs
    configurations, write_out = signature.configurations, written_out(outputs, signature.ordered)
    apply, join_inputs, cut_results = applied(signature), joined(n), cut(outputs)

    def differentiate(m, c, *arrays):
        directions, before = load_integer(c, DIRECTIONS), load_integer(c, INPUTS) + load_integer(c, VELOCITIES)
        made, scratch = load_integer(c, RESULTS), load_integer(c, WORKSPACE)
        numbers = aligned(arrays[end])
        total = before + made + scratch
        rows, values = as_rows(part(numbers, 0, WIDTH * total)), tail(numbers, WIDTH * total)
        inputs = join_inputs(arrays[:n], rows, c, FIELDS)
        results = join(part(values, 0, made), part(rows, before, made))
        ws = join(part(values, made, scratch), part(rows, before + made, scratch))
        own = tail(c, load_integer(c, OWN))
        for first in range(0, directions, WIDTH):
            count = min(WIDTH, directions - first)
            clear(numbers, WIDTH * before)
            for k in range(count):
                store(numbers, WIDTH * load_integer(c, load_integer(c, PLACES) + first + k) + k, 1.0)
            place = 0
            for j in range(n):
                if configurations[j]:
                    v = tail(rows, load_integer(c, FIELDS + 2 * j + 1))
                    configuration_rates(m, arrays[j], v, tail(rows, place))
                place += load_integer(c, FIELDS + 2 * j)
            apply(m, own, inputs + cut_results(results, c, FIELDS + 2 * n) + (ws,))
            outs, found = arrays[n:end], tail(numbers, WIDTH * before)
            write_out(c, outs, found, nothing_if_finite(values, made), directions, first, count)

    differentiate.__name__ = differentiate.__qualname__ = f"{signature.function.__name__}_derivative"
    return kernel(differentiate)


def steps_of(field: Field, model: Model, key: tuple[Hashable, ...]) -> int:
    """Count the directions of an input: nv for a configuration, else its entries."""
    return model.nv if field.is_configuration else field.size_for(model, key)


@dataclass(frozen=True, eq=False)
class Derivative(Algorithm):
    """Algorithm that differentiates another one, ``base``."""

    base: Algorithm | None = None

    def explain(
        self, model: Model, plan: Plan, fields: dict[str, Field], rows: list[Array], results: Sequence[Array]
    ) -> None:
        """Raise the base algorithm's error if it has no result at the first bad state; else that no derivative exists."""
        base = self.base
        assert base is not None
        bad = [
            ~np.isfinite(result.reshape(-1, size)).all(axis=1) for result, size in zip(results, plan.sizes, strict=True)
        ]
        state = int(np.argmax(np.any(bad, axis=0)))
        where = f" in state {state} of the batch" if results[0].ndim > len(plan.shapes[0]) else ""
        given = tuple(
            array[state if len(array) > 1 else 0].reshape(shape) if array.shape[1] == math.prod(shape) else LEFT_OUT
            for array, shape in zip(
                rows[: len(base.inputs)], plan.head.inputs, strict=False
            )  # one more in second order
        )
        try:
            base.run(model, given, None, 1, plan.key[1:])
        except PlueckerError as error:
            raise type(error)(f"{self.name}: {str(error).removeprefix(f'{base.name}: ')}{where}") from None
        raise ArgumentValueError(
            f"{self.name}: the derivative is infinite or does not exist{where}: {base.name} is not differentiable there, "
            "or its derivative overflows float64"
        )


@functools.cache
def derivative_of_record(algorithm: Algorithm) -> Derivative:
    """The algorithm that differentiates another one.

    Its key is the one of the other, with the numbers of the inputs to differentiate by in front. Its results have one axis
    more, for the directions of these inputs, one input after the other.
    """

    def workspace(model: Model, wrt: tuple[int, ...], *key: Hashable) -> int:
        inputs, velocities, results, scratch = counts(algorithm, model, key)
        made = sum(results) + scratch
        return WIDTH * (sum(inputs) + velocities + made) + made + WIDTH

    with_mimic = algorithm.with_mimic
    return Derivative(
        f"derivative_of({algorithm.name})",
        derivative_kernel(algorithm.signature),
        inputs=inputs_of(algorithm),
        outputs=outputs_of(algorithm),
        workspace=workspace,
        constants=functools.partial(constants_of, algorithm),
        with_mimic=None if with_mimic is None else derivative_of_record(with_mimic),
        lanes=False,
        listed=False,
        base=algorithm,
    )


def inputs_of(algorithm: Algorithm) -> tuple[Field, ...]:
    """Convert the inputs of the algorithm to fields that take the key of its derivative."""
    return tuple(Field(f.name, tuple(map(with_key, f.shape)), f.optional) for f in algorithm.inputs)


def outputs_of(algorithm: Algorithm) -> tuple[Field, ...]:
    """Convert the results of the algorithm to those of its derivative, with an axis more for the directions."""

    def directions(model: Model, wrt: tuple[int, ...], *key: Hashable) -> int:
        return sum(steps_of(algorithm.inputs[k], model, key) for k in wrt)

    return tuple(Field(f.name, (*map(with_key, f.shape), directions)) for f in algorithm.outputs)


def with_key(n: Any) -> Any:
    """Convert a size in a shape to one that takes the key of the derivative."""
    return (lambda model, *key: n(model, *key[1:])) if callable(n) else n


def counts(algorithm: Algorithm, model: Model, key: tuple[Hashable, ...]) -> tuple[list[int], int, list[int], int]:
    """Count the scalars of each input, of the velocities, of each result, and of the workspace."""
    inputs = [field.size_for(model, key) for field in algorithm.inputs]
    velocities = sum(field.is_configuration for field in algorithm.inputs) * model.nv
    if algorithm.order is None:
        results = [field.size_for(model, key) for field in algorithm.outputs]
    else:
        results = [int(algorithm.order(model, *key).max(initial=-1)) + 1]
    return inputs, velocities, results, algorithm.workspace(model, *key)


def constants_of(algorithm: Algorithm, model: Model, wrt: tuple[int, ...], *key: Hashable) -> Array:
    """Compute the constants of the derivative, see :data:`DIRECTIONS`."""
    inputs, velocities, results, scratch = counts(algorithm, model, key)
    places: list[int] = []
    sizes: list[int] = []
    starts = itertools.accumulate(inputs, initial=0)
    at = sum(inputs)  # of the next configuration's velocities
    for k, (field, size, start) in enumerate(zip(algorithm.inputs, inputs, starts, strict=False)):
        first = at if field.is_configuration else start
        sizes += [size, first]
        if k in wrt:
            places += range(first, first + steps_of(field, model, key))
        at += model.nv if field.is_configuration else 0
    order = [] if algorithm.order is None else algorithm.order(model, *key).tolist()
    own = np.empty(0) if algorithm.constants is None else algorithm.constants(model, *key)
    fields = sizes + results
    head = [len(places), sum(inputs), velocities, sum(results), scratch]
    ends = itertools.accumulate([FIELDS + len(fields), len(order), len(places)])
    return np.concatenate([np.array([*head, *ends, *fields, *order, *places], dtype=np.int64).view(np.float64), own])
