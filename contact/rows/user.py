"""Functions of the user's: machine code that is called by its address, so that nothing is compiled again for it.

Its signature in C is ``void f(double order, const double* q, const double* v, double* out, const double* parameters)``. It
writes C(q) to ``out[0]``, where ``order`` is at least 1 the gradient of C by v to ``out[1]`` ... ``out[nv]``, and where
``order`` is 2 the rate of that times v, Jdot v, to ``out[nv + 1]``. ``v`` is the velocity for order 2 only.

Eight states are called one after the other. On dual numbers the function and its gradient are constants: what they change
by is left out of the derivative, which then is a little off.
"""

from __future__ import annotations

import ctypes

import numpy as np

from pluecker.articulated.stepping.control.control_function import NUMBERS, SIGNATURE
from pluecker.contact.rows.layout import COORDINATE, ENTRY_COUNT, POINT_1, POSITION, function_entry
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.compiled.settings import DISABLE_JIT
from pluecker.spatial.engine.memory.addresses import address_of, numbers_at, room_for
from pluecker.spatial.engine.memory.separate import by_kind
from pluecker.spatial.engine.parallel.atomics import call_c
from pluecker.spatial.engine.scalars.duals import value
from pluecker.spatial.engine.scalars.lanes import WIDTH, get_lane, set_lane
from pluecker.spatial.engine.scalars.operations import lift, load, store

__all__ = ["ADDRESS", "PARAMETERS", "SIZE", "store_user_gradient", "user_bias", "user_value"]

# in the record of a function: its address, the number of entries of q, the address of the parameters
ADDRESS, SIZE, PARAMETERS = COORDINATE, POSITION, POINT_1
VALUE, GRADIENT, BIAS = 0.0, 1.0, 2.0


if DISABLE_JIT:

    def store_user(w, k, q, v, order, first, n, out, at):
        """Store ``n`` numbers, from ``first`` on, of what user's function ``k`` writes, into ``out`` from entry ``at``"""
        results = np.zeros(function_entry(w, k, ENTRY_COUNT) + 2)
        arrays = [np.array([load(x, i).real for i in range(len(x))], dtype=np.float64) for x in (q, v)]
        parameters = ctypes.cast(function_entry(w, k, PARAMETERS), NUMBERS)
        pointers = [x.ctypes.data_as(NUMBERS) for x in (*arrays, results)]
        SIGNATURE(function_entry(w, k, ADDRESS))(order, *pointers, parameters)
        for i in range(n):
            store(out, at + i, float(results[first + i]))

    def user_number(w, k, q, v, order, which):
        """Return one number of what user's function ``k`` writes"""
        out = np.zeros(1)
        store_user(w, k, q, v, order, which, 1, out, 0)
        return out[0]

else:

    @kernel
    def call_user(w, k, q, v, order, room):
        """Call the user's function with the addresses of q and v; its results are in ``room``"""
        results = numbers_at(room, function_entry(w, k, ENTRY_COUNT) + 2)
        for i in range(function_entry(w, k, ENTRY_COUNT) + 2):
            store(results, i, 0.0)
        call_c(function_entry(w, k, ADDRESS), order, q, v, room, function_entry(w, k, PARAMETERS))
        return results

    @called_kernel
    def store_for_one(w, k, q, v, order, first, n, out, at):
        """Store the numbers of one state"""
        room = room_for(function_entry(w, k, ENTRY_COUNT) + 2)
        results = call_user(w, k, address_of(q), address_of(v), order, room)
        for i in range(n):
            store(out, at + i, load(results, first + i))

    @called_kernel
    def number_for_one(w, k, q, v, order, which):
        """Return the number of one state"""
        room = room_for(function_entry(w, k, ENTRY_COUNT) + 2)
        return load(call_user(w, k, address_of(q), address_of(v), order, room), which)

    @kernel
    def call_lane(w, k, q, v, order, lane, room):
        """Call the user's function for one of eight states: q and v are copied to the beginning of ``room``"""
        nq, nv = function_entry(w, k, SIZE), function_entry(w, k, ENTRY_COUNT)
        copies = numbers_at(room, nq + nv)
        for i in range(nq):
            store(copies, i, get_lane(load(q, i), lane))
        for i in range(nv):
            store(copies, nq + i, get_lane(load(v, i), lane))
        return call_user(w, k, room, room + 8 * nq, order, room + 8 * (nq + nv))

    @called_kernel
    def store_in_lanes(w, k, q, v, order, first, n, out, at):
        """Store the numbers of eight states"""
        room = room_for(function_entry(w, k, SIZE) + 2 * function_entry(w, k, ENTRY_COUNT) + 2)
        for lane in range(WIDTH):
            results = call_lane(w, k, q, v, order, lane, room)
            for i in range(n):
                store(out, at + i, set_lane(load(out, at + i), lane, load(results, first + i)))

    @called_kernel
    def number_in_lanes(w, k, q, v, order, which):
        """Return the numbers of eight states"""
        room = room_for(function_entry(w, k, SIZE) + 2 * function_entry(w, k, ENTRY_COUNT) + 2)
        x = 0.0 * load(q, 0)
        for lane in range(WIDTH):
            x = set_lane(x, lane, load(call_lane(w, k, q, v, order, lane, room), which))
        return x

    @kernel
    def call_value(w, k, q, v, order, room):
        """The call with the values of dual numbers, which are copied to the beginning of ``room``"""
        nq, nv = function_entry(w, k, SIZE), function_entry(w, k, ENTRY_COUNT)
        copies = numbers_at(room, nq + nv)
        for i in range(nq):
            store(copies, i, value(load(q, i)))
        for i in range(nv):
            store(copies, nq + i, value(load(v, i)))
        return call_user(w, k, room, room + 8 * nq, order, room + 8 * (nq + nv))

    @called_kernel
    def store_constants(w, k, q, v, order, first, n, out, at):
        """Of dual numbers"""
        room = room_for(function_entry(w, k, SIZE) + 2 * function_entry(w, k, ENTRY_COUNT) + 2)
        results = call_value(w, k, q, v, order, room)
        for i in range(n):
            store(out, at + i, lift(load(results, first + i), load(out, at + i)))

    @called_kernel
    def constant_number(w, k, q, v, order, which):
        """Of dual numbers"""
        room = room_for(function_entry(w, k, SIZE) + 2 * function_entry(w, k, ENTRY_COUNT) + 2)
        return lift(load(call_value(w, k, q, v, order, room), which), load(q, 0))

    @kernel
    def store_user(w, k, q, v, order, first, n, out, at):
        """Store ``n`` numbers, from ``first`` on, of what user's function ``k`` writes, into ``out`` from entry ``at``"""
        by_kind(q, store_for_one, store_in_lanes, store_constants)(w, k, q, v, order, first, n, out, at)

    @kernel
    def user_number(w, k, q, v, order, which):
        """Return one number of what user's function ``k`` writes"""
        return by_kind(q, number_for_one, number_in_lanes, constant_number)(w, k, q, v, order, which)


@kernel
def user_value(w, k, q):
    """Compute C(q); the function is given q for v, too, which it does not read"""
    return user_number(w, k, q, q, VALUE, 0)


@kernel
def store_user_gradient(w, k, q, G, first):
    """Store its gradient by v, one entry for each coordinate"""
    store_user(w, k, q, q, GRADIENT, 1, function_entry(w, k, ENTRY_COUNT), G, first)


@kernel
def user_bias(w, k, q, v):
    """Compute Jdot v"""
    return user_number(w, k, q, v, BIAS, function_entry(w, k, ENTRY_COUNT) + 1)
