"""Surroundings of a step, the same for all integrators: control, wrenches from outside, recording.

Five kernels, each for one state or eight, with ``env`` as :class:`~pluecker.articulated.stepping.loop.task.Environment`:

=============================================  ==================================================================
``law(env, b, i, x, ws)``                      the law of control in x, for step i
``law_of_piece(env, s, x, q, v, out)``         the law in x as it goes on at the time s of the step, in the state q, v
``wrenches(env, b, t, out, ws)``               the wrenches on the bodies at a time
``record(env, b, slot, x)``                    a sample
``record_rate(env, b, slot, x)``               of a sample, the acceleration and the impulses of the step behind it
=============================================  ==================================================================

They take several seconds to compile. So they are one compiled function, for each scalar, which the loop
calls by its address: kernels of the same names that write down the arguments in a block, and call it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from pluecker.articulated.model.layout import body_count, configuration_count, velocity_count
from pluecker.articulated.stepping.control.control_law import WRENCH, control_kernel, differences
from pluecker.articulated.stepping.control.signals import LANES, ONE_STATE, Access, signal_kernel
from pluecker.articulated.stepping.loop.task import (
    BLOCK,
    DIVIDED,
    ERROR,
    FIRST_IMPULSE,
    IMPULSES,
    SIZE_OF_X,
    SURROUNDINGS,
    TASK_SIZE,
    environment,
    state_in,
)
from pluecker.spatial.engine.compiled.decorators import ADDRESSES, address, called_kernel, compiled_for, kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at, rows_at
from pluecker.spatial.engine.parallel.atomics import call_through
from pluecker.spatial.engine.scalars.operations import load, part, store, tail

__all__ = ["RATES", "Surroundings", "address_of_surroundings", "surroundings"]

Q, V, TAU, ACCELERATION, WORST, IMPULSE, PIECES = range(
    7
)  # what is recorded, in this order; an array without entries is not
RATES = ACCELERATION, IMPULSE  # those that are known behind the step
# the block: what to do, the task, the state, the step or the sample, addresses and lengths of x, of the workspace, of q, v
# and of what comes out; a time
DO, TASK, STATE, NUMBER, X, WS, WS_SIZE, POSITION, VELOCITY, OUT, TIME = range(11)
LAW, PIECE, WRENCHES, RECORD, RATE = range(5)


class Surroundings(NamedTuple):
    """Record of the five kernels."""

    law: Callable[..., Any]
    law_of_piece: Callable[..., Any]
    wrenches: Callable[..., Any]
    record: Callable[..., Any]
    record_rate: Callable[..., Any]


@functools.cache
def direct(access: Access) -> Surroundings:
    """Make the kernels themselves."""
    control_law, signal_at, put = control_kernel(access), signal_kernel(access), access.put

    @kernel
    def law(env, b, i, x, ws):
        control_law(env, b, i, state_in(env.model, env.settings, x), ws)

    @kernel
    def law_of_piece(env, s, x, q, v, out):
        m, nv, begun = env.model, velocity_count(env.model), state_in(env.model, env.settings, x)
        law = begun.law
        differences(m, begun.q, q, out)
        for k in range(nv):
            R, P, D = load(law, nv + k), load(law, 2 * nv + k), load(law, 3 * nv + k)
            u = load(law, k) + s * R - P * load(out, k) - D * (load(v, k) - load(begun.v, k))
            store(out, k, u)
            store(out, nv + k, R)
            store(out, 2 * nv + k, P)
            store(out, 3 * nv + k, D)

    @kernel
    def wrenches(env, b, t, out, ws):
        signal_at(env.signals[WRENCH], b, t, out, ws)

    @kernel
    def record(env, b, slot, x):
        nq, nv, states = configuration_count(env.model), velocity_count(env.model), env.states
        records, state = env.records, state_in(env.model, env.settings, x)
        put_known(records[Q], states, nq, slot, b, state.q)
        put_known(records[V], states, nv, slot, b, state.v)
        put_known(records[TAU], states, nv, slot, b, part(state.law, 0, nv))
        # the acceleration is that of the step before, until that of the step behind the sample is known
        put_known(records[ACCELERATION], states, nv, slot, b, state.rate)
        put_known(records[WORST], states, 1, slot, b, part(state.marks, ERROR, 1))
        put_known(records[PIECES], states, 1, slot, b, part(state.marks, DIVIDED, 1))
        put_impulses(env, slot, b, state.memory)
        store(state.marks, ERROR, 0.0)
        store(state.marks, DIVIDED, 1.0)

    @kernel
    def record_rate(env, b, slot, x):
        state = state_in(env.model, env.settings, x)
        put_known(env.records[ACCELERATION], env.states, velocity_count(env.model), slot, b, state.rate)
        put_impulses(env, slot, b, state.memory)

    @kernel
    def put_impulses(env, slot, b, memory):
        """Write the impulses that the integrator remembers, if they are recorded"""
        first, n = load(env.settings, FIRST_IMPULSE), load(env.settings, IMPULSES)
        put_known(env.records[IMPULSE], env.states, n, slot, b, tail(memory, first))

    @called_kernel
    def put_known(array, states, width, slot, b, block):
        """Write a quantity to its array, if it is recorded"""
        if len(array) > 0:
            put(array, states, width, slot, b, block)

    return Surroundings(law, law_of_piece, wrenches, record, record_rate)


@functools.cache
def through_blocks() -> Surroundings:
    """Make the kernels that call, with ``env = (task, place)``: the task, and the address of room for a block."""

    @kernel
    def call(env, do, b, number, x):
        task, place = env
        block = integers_at(place, BLOCK)
        store(block, DO, do)
        store(block, TASK, address_of(task))
        store(block, STATE, b)
        store(block, NUMBER, number)
        store(block, X, address_of(x))
        call_through(load(task, SURROUNDINGS), place, 0)

    @kernel
    def law(env, b, i, x, ws):
        lend(env, ws)
        call(env, LAW, b, i, x)

    @kernel
    def law_of_piece(env, s, x, q, v, out):
        _, place = env
        block = integers_at(place, BLOCK)
        store(block, POSITION, address_of(q))
        store(block, VELOCITY, address_of(v))
        store(block, OUT, address_of(out))
        store(numbers_at(place, BLOCK), TIME, s)
        call(env, PIECE, 0, 0, x)

    @kernel
    def wrenches(env, b, t, out, ws):
        lend(env, ws)
        _, place = env
        store(integers_at(place, BLOCK), OUT, address_of(out))
        store(numbers_at(place, BLOCK), TIME, t)
        call(env, WRENCHES, b, 0, ws)

    @kernel
    def record(env, b, slot, x):
        call(env, RECORD, b, slot, x)

    @kernel
    def record_rate(env, b, slot, x):
        call(env, RATE, b, slot, x)

    @kernel
    def lend(env, ws):
        _, place = env
        block = integers_at(place, BLOCK)
        store(block, WS, address_of(ws))
        store(block, WS_SIZE, len(ws))

    return Surroundings(law, law_of_piece, wrenches, record, record_rate)


def surroundings(access: Access) -> Surroundings:
    """Return the kernels that loops call: those through blocks, or the direct ones without compilation."""
    return direct(access) if DISABLE_JIT else through_blocks()


@functools.cache
def address_of_surroundings(lanes: bool) -> int:
    """Return the address of the compiled function, for one state or for eight; zero without compilation."""
    if DISABLE_JIT:
        return 0
    kernels, array_at = direct(LANES if lanes else ONE_STATE), rows_at if lanes else numbers_at

    def surround(place, k):
        block, times = integers_at(place, BLOCK), numbers_at(place, BLOCK)
        task = integers_at(load(block, TASK), TASK_SIZE)
        env = environment(task)
        nq, nv, n = configuration_count(env.model), velocity_count(env.model), body_count(env.model)
        do, b, number, t = load(block, DO), load(block, STATE), load(block, NUMBER), load(times, TIME)
        x, ws = array_at(load(block, X), load(task, SIZE_OF_X)), array_at(load(block, WS), load(block, WS_SIZE))
        if do == LAW:
            kernels.law(env, b, number, x, ws)
        elif do == PIECE:
            q, v = array_at(load(block, POSITION), nq), array_at(load(block, VELOCITY), nv)
            kernels.law_of_piece(env, t, x, q, v, array_at(load(block, OUT), 4 * nv))
        elif do == WRENCHES:
            kernels.wrenches(env, b, t, array_at(load(block, OUT), 6 * n), ws)
        elif do == RECORD:
            kernels.record(env, b, number, x)
        else:
            kernels.record_rate(env, b, number, x)
        return 0

    surround.__name__ = surround.__qualname__ = "surround_lanes" if lanes else "surround_one"
    return address(compiled_for(surround, ADDRESSES))
