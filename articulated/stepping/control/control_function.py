"""A control that is somebody else's machine code: called by its address, so that nothing is compiled again for it.

Its signature in C is ``void control(double t, const double* q, const double* v, double* tau, const double* parameters)``.

The loop does not contain the call itself: it goes through a function of a few instructions, compiled once, whose own address
the loop is given. What is called and with what stands in a block of six numbers: the function, the time, and the addresses
of its four arrays.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pluecker.spatial.engine.compiled.decorators import ADDRESSES, address, called_kernel, compiled_for, kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at
from pluecker.spatial.engine.parallel.atomics import call_c, call_through
from pluecker.spatial.engine.scalars.lanes import WIDTH, get_lane, set_lane
from pluecker.spatial.engine.scalars.operations import load, store, tail

__all__ = ["BLOCK", "CALLER", "FUNCTION", "call_in_lanes", "call_one", "caller_address", "function_at"]

# entries of the settings of a simulation: the user's function, and what calls it
FUNCTION, CALLER = 0, 1
BLOCK = 8
NUMBERS = ctypes.POINTER(ctypes.c_double)
SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_double, NUMBERS, NUMBERS, NUMBERS, NUMBERS)


def function_at(place: int) -> Callable[[float, Any, Any, Any, Any], None]:
    """The function at an address for Python, on arrays."""
    function: Any = SIGNATURE(place)

    def call(t: float, q: Any, v: Any, tau: Any, parameters: Any) -> None:
        function(t, *(x.ctypes.data_as(NUMBERS) for x in (q, v, tau, parameters)))

    return call


if DISABLE_JIT:

    def call_one(settings, t, q, v, tau, parameters, ws):
        """The user's function on one state."""
        function_at(int(settings[FUNCTION]))(t, *map(np.ascontiguousarray, (q, v)), tau, parameters)

    call_in_lanes = call_one
else:

    @kernel
    def call_block(settings, t, places, q, v, tau, parameters):
        """Write down a call, and make it"""
        function, time = integers_at(places, BLOCK), numbers_at(places, BLOCK)
        store(function, 0, load(settings, FUNCTION))
        store(time, 1, t)
        store(function, 2, q)
        store(function, 3, v)
        store(function, 4, tau)
        store(function, 5, parameters)
        call_through(load(settings, CALLER), places, 0)

    @called_kernel
    def call_one(settings, t, q, v, tau, parameters, ws):
        """Call the user's function on one state"""
        arrays = address_of(q), address_of(v), address_of(tau), address_of(parameters)
        call_block(settings, t, address_of(ws), *arrays)

    @called_kernel
    def call_in_lanes(settings, t, q, v, tau, parameters, ws):
        """Call the user's function on eight states, one after the other"""
        here = address_of(ws)
        copies = numbers_at(here, WIDTH * len(ws))
        first_v, first_tau = BLOCK + len(q), BLOCK + len(q) + len(v)
        first_parameter = first_tau + len(tau)
        places = here + 8 * BLOCK, here + 8 * first_v, here + 8 * first_tau, here + 8 * first_parameter
        for lane in range(WIDTH):
            copy_lane(q, lane, tail(copies, BLOCK))
            copy_lane(v, lane, tail(copies, first_v))
            copy_lane(tau, lane, tail(copies, first_tau))
            copy_lane(parameters, lane, tail(copies, first_parameter))
            call_block(settings, t, here, *places)
            for k in range(len(tau)):
                store(tau, k, set_lane(load(tau, k), lane, load(copies, first_tau + k)))

    @kernel
    def copy_lane(x, lane, numbers):
        """Copy the numbers of one lane"""
        for k in range(len(x)):
            store(numbers, k, get_lane(load(x, k), lane))


def call_control(place, k):
    """Call the user's function with the arguments in a block"""
    block = integers_at(place, BLOCK)
    t = load(numbers_at(place, BLOCK), 1)
    call_c(load(block, 0), t, load(block, 2), load(block, 3), load(block, 4), load(block, 5))
    return 0


@functools.cache
def caller_address() -> int:
    """Return the address of the compiled :func:`call_control`, zero without compilation."""
    return 0 if DISABLE_JIT else address(compiled_for(call_control, ADDRESSES))
