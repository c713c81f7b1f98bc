"""Signals over time as the loop reads them: torques, references, gains, wrenches; and kernels that read and write states.

A *signal* is a tuple ``values, times, states, width, linear``. ``times`` are its knots, rising; ``values`` has for each knot
the numbers of all states one after the other, ``width`` of each, or of one that stands for all. Between knots it is linear,
or keeps the value of the knot before; outside it keeps that of the first or last one. A constant has one knot.

The kernels that touch the user's arrays come in two sets, for one state and for eight in lanes: an :class:`Access`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pluecker.articulated.stepping.control.control_function import call_in_lanes, call_one
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.transposition import read_states, write_states
from pluecker.spatial.engine.scalars.operations import load, part, store

__all__ = ["LANES", "ONE_STATE", "Access", "last_knot", "signal_kernel"]


class Access(NamedTuple):
    """Kernels that read and write one state, or eight, from state ``b`` on.

    Attributes:
        fetch: ``(values, states, width, i, b, out)``: knot ``i`` of a signal.
        put: ``(array, states, width, i, b, block)``: sample ``i`` of a recording.
        call: ``(settings, t, q, v, tau, parameters, ws)``: the user's function for the joint forces.
    """

    fetch: Callable[..., Any]
    put: Callable[..., Any]
    call: Callable[..., Any]


@called_kernel
def fetch_one(values, states, width, i, b, out):
    """Read knot ``i`` of a signal for one state"""
    first = (i * states + min(b, states - 1)) * width
    for k in range(width):
        store(out, k, load(values, first + k))


@called_kernel
def put_one(array, states, width, i, b, block):
    """Write sample ``i`` of a recording for one state"""
    first = (i * states + b) * width
    for k in range(width):
        store(array, first + k, load(block, k))


@called_kernel
def fetch_eight(values, states, width, i, b, out):
    """Read knot ``i`` of a signal for eight states"""
    read_states(part(values, i * states * width, states * width), width, b, out)


@called_kernel
def put_eight(array, states, width, i, b, block):
    """Write sample ``i`` of a recording for eight states"""
    write_states(part(array, i * states * width, states * width), width, b, block)


ONE_STATE = Access(fetch_one, put_one, call_one)
LANES = ONE_STATE if DISABLE_JIT else Access(fetch_eight, put_eight, call_in_lanes)


@kernel
def last_knot(times, t):
    """Find the last knot that is not after ``t``; the first one if all are"""
    low, high = 0, len(times)
    while high - low > 1:
        middle = (low + high) // 2
        if load(times, middle) <= t:
            low = middle
        else:
            high = middle
    return low


def signal_kernel(access: Access) -> Callable[..., Any]:
    """Make the kernel that evaluates a signal at a time."""
    fetch = access.fetch

    @called_kernel
    def signal_at(signal, b, t, out, ws):
        values, times, states, width, linear = signal
        i = last_knot(times, t)
        fetch(values, states, width, i, b, out)
        if linear != 0 and i + 1 < len(times) and t > load(times, i):
            s = (t - load(times, i)) / (load(times, i + 1) - load(times, i))
            fetch(values, states, width, i + 1, b, ws)
            for k in range(width):
                store(out, k, load(out, k) + s * (load(ws, k) - load(out, k)))

    return signal_at
