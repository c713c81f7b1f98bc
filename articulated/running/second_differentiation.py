"""The change of an algorithm's derivative in one direction, as an algorithm: its kernel on dual numbers of second order.

The eight directions are those of :mod:`~pluecker.articulated.running.differentiation`. The other one is an input more: a
step of all inputs together, a velocity for each configuration. A configuration that moves at that velocity changes the rates
that belong to unit velocities, too: these are differentiated as everything else, by dual numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any

from pluecker.articulated.model.layout import clear, configuration_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.differentiation import (
    DIRECTIONS,
    FIELDS,
    INPUTS,
    OWN,
    PLACES,
    RESULTS,
    VELOCITIES,
    WORKSPACE,
    Derivative,
    configuration_rates,
    constants_of,
    counts,
    cut,
    inputs_of,
    nothing_if_finite,
    outputs_of,
    steps_of,
    written_out,
)
from pluecker.articulated.running.fields import Field
from pluecker.articulated.running.single import MOST_INPUTS, Signature, applied
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.memory.arrays import aligned
from pluecker.spatial.engine.memory.joined import as_rows, join, join_second
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import load, load_integer, part, store, tail

__all__ = ["second_derivative_of_record"]


@functools.cache
def joined(n: int) -> Callable[..., Any]:
    """A kernel that joins each of ``n`` inputs to its other coefficients; at every other place from k on stands a size."""
    if n == 0:

        @kernel
        def none(arrays, x1, x2, x3, c, k):
            return ()

        return none
    others = joined(n - 1)

    @kernel
    def first(arrays, x1, x2, x3, c, k):
        size, given = load_integer(c, k), len(arrays[0])
        own = join_second(arrays[0], part(x1, 0, given), part(x2, 0, given), part(x3, 0, given))
        return (own,) + others(arrays[1:], tail(x1, size), tail(x2, size), tail(x3, size), c, k + 2)  # noqa: RUF005

    return first


@kernel
def changing_rates(m, q, along, units, count, rates, changes, scratch, values):
    """The rates of q at up to eight unit velocities, and how they change as q moves at the rate ``along``

    ``units``, ``rates``, ``changes`` and ``scratch`` are the numbers of rows of eight.
    """
    nq, nv = configuration_count(m), velocity_count(m)
    rows, unit, found = as_rows(scratch), part(values, 0, nv), tail(values, nv)
    moving, rate = join(q, part(rows, 0, nq)), join(part(found, 0, nq), part(rows, nq, nq))
    for e in range(nq):
        store(part(rows, 0, nq), e, load(along, e))
    for k in range(count):
        for j in range(nv):
            store(unit, j, load(units, WIDTH * j + k))
        configuration_rates(m, moving, unit, rate)
        for e in range(nq):
            store(rates, WIDTH * e + k, load(found, e))
            store(changes, WIDTH * e + k, load(scratch, WIDTH * (nq + e)))


def second_derivative_kernel(signature: Signature) -> Callable[..., None]:
    """The kernel that tells how another's derivatives change as its inputs move in a direction, the last input."""
    n, outputs = len(signature.axes), signature.outputs
    begin, end = n + 1, n + 1 + outputs
    configurations, write_out = signature.configurations, written_out(outputs, signature.ordered)
    apply, join_inputs, cut_results = applied(signature), joined(n), cut(outputs)

    def second_differentiate(m, c, *arrays):
        directions, x, u = load_integer(c, DIRECTIONS), load_integer(c, INPUTS), load_integer(c, VELOCITIES)
        made, size, nq, nv = (
            load_integer(c, RESULTS),
            load_integer(c, WORKSPACE),
            configuration_count(m),
            velocity_count(m),
        )
        numbers = aligned(arrays[end])
        total = 2 * (x + made + size + nq) + u
        rows, values = as_rows(part(numbers, 0, WIDTH * total)), tail(numbers, WIDTH * total)
        x3, r1, w1 = tail(rows, x + u), tail(rows, 2 * x + u), tail(rows, 2 * (x + made) + u)
        changes, scratch = tail(numbers, WIDTH * (x + u)), tail(numbers, WIDTH * (total - 2 * nq))
        r0, w0, rest = tail(values, x), tail(values, x + 2 * made), tail(values, x + 2 * (made + size))
        inputs = join_inputs(arrays[:n], rows, values, x3, c, FIELDS)
        results = join_second(part(r0, 0, made), part(r1, 0, made), part(r0, made, made), part(r1, made, made))
        ws = join_second(part(w0, 0, size), part(w1, 0, size), part(w0, size, size), part(w1, size, size))
        place, step = 0, 0
        for j in range(n):
            entries, along = load_integer(c, FIELDS + 2 * j), tail(arrays[n], step)
            if configurations[j]:
                configuration_rates(m, arrays[j], along, tail(values, place))
            else:
                for e in range(entries):
                    store(values, place + e, load(along, e))
            place += entries
            step += nv if configurations[j] else entries
        for first in range(0, directions, WIDTH):
            count = min(WIDTH, directions - first)
            clear(numbers, WIDTH * (2 * x + u))
            for k in range(count):
                store(numbers, WIDTH * load_integer(c, load_integer(c, PLACES) + first + k) + k, 1.0)
            place = 0
            for j in range(n):
                if configurations[j]:
                    units = tail(numbers, WIDTH * load_integer(c, FIELDS + 2 * j + 1))
                    rates, change = tail(numbers, WIDTH * place), tail(changes, WIDTH * place)
                    changing_rates(m, arrays[j], tail(values, place), units, count, rates, change, scratch, rest)
                place += load_integer(c, FIELDS + 2 * j)
            apply(m, tail(c, load_integer(c, OWN)), inputs + cut_results(results, c, FIELDS + 2 * n) + (ws,))
            outs, found = arrays[begin:end], tail(numbers, WIDTH * (2 * x + u + made))
            write_out(c, outs, found, nothing_if_finite(r0, made), directions, first, count)

    name = f"{signature.function.__name__}_second_derivative"
    second_differentiate.__name__ = second_differentiate.__qualname__ = name
    return kernel(second_differentiate)


@functools.cache
def second_derivative_of_record(algorithm: Algorithm) -> Derivative:
    """The algorithm that tells how the derivatives of another one change in a direction, its last input: a step of each
    input after the other. Keys and results are those of the derivative.
    """
    if len(algorithm.inputs) >= MOST_INPUTS:
        raise ValueError(f"{algorithm.name} has {len(algorithm.inputs)} inputs, and there is no place for one more")

    def steps(model: Model, *key: Any) -> int:
        return sum(steps_of(field, model, key) for field in algorithm.inputs)

    def workspace(model: Model, wrt: tuple[int, ...], *key: Hashable) -> int:
        inputs, velocities, results, scratch = counts(algorithm, model, key)
        x, made = sum(inputs), sum(results) + scratch
        rows = 2 * (x + made + model.nq) + velocities
        return WIDTH * (rows + 1) + x + 2 * made + model.nv + model.nq

    with_mimic = algorithm.with_mimic
    return Derivative(
        f"second_derivative_of({algorithm.name})",
        second_derivative_kernel(algorithm.signature),
        inputs=(*inputs_of(algorithm), Field("along", (steps,))),
        outputs=outputs_of(algorithm),
        workspace=workspace,
        constants=functools.partial(constants_of, algorithm),
        with_mimic=None if with_mimic is None else second_derivative_of_record(with_mimic),
        lanes=False,
        listed=False,
        base=algorithm,
    )
