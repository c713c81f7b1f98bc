"""From one state to many: what surrounds a kernel, the same for all algorithms.

Every algorithm is a kernel with the same seven arguments: the model, the scalar arrays ``q``, ``v``, ``u`` (acceleration,
force or a second configuration, as the algorithm has it) and ``f_ext`` of one state, the scalar array that takes its result,
and a workspace. An input that an algorithm does not use has no entries.

:func:`one_state` and :func:`many_states` make the two compiled functions that Python calls. The second one gives the
kernel eight states at a time, one in each of the :mod:`~pluecker.spatial.scalars.lanes`: it transposes the user's
arrays block by block, in a workspace that stays in the cache. Each lane goes through the same instructions whatever the
others hold, so that a result depends neither on the place of its state in the batch nor on how the batch is divided.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config, types

from pluecker.articulated.model.joints import quaternion_place
from pluecker.articulated.model.layout import body_count, configuration_count, link_count, velocity_count
from pluecker.spatial.algebra.rotations import load_quaternion
from pluecker.spatial.compiled.decorators import address, compiled_for, kernel
from pluecker.spatial.memory import transposition, views
from pluecker.spatial.memory.transposition import read_states, write_states
from pluecker.spatial.memory.views import is_native, view
from pluecker.spatial.parallel.atomics import address_of, integers_at, numbers_at, read_shared, replace_shared, rows_at
from pluecker.spatial.parallel.threads import board, share
from pluecker.spatial.scalars.lanes import WIDTH
from pluecker.spatial.scalars.operations import load, load_integer, part, store, tail, within

__all__ = [
    "CONFIGURATION", "GOOD", "NOTHING", "NOT_FINITE", "NOT_UNIT", "NO_RESULT", "UNFIT", "VELOCITY",
    "compiled_share_states", "many_states", "one_state", "run_many",
]  # fmt: skip

# What a compiled function returns. NO_RESULT: numbers overflow, or the kernel found its state impossible and stored NaN.
GOOD, NOT_FINITE, NOT_UNIT, NO_RESULT, UNFIT = range(5)
NOTHING, VELOCITY, CONFIGURATION = range(3)  # what an input holds: no entries, nv, or nq
UNIT_TOLERANCE = 1e-6  # of the length of a quaternion

_local = threading.local()

# The only types that the compiled functions take.
NUMBERS, ROWS = types.float64[::1], types.float64[:, ::1]
INPUTS = (NUMBERS, NUMBERS, NUMBERS, NUMBERS, ROWS)  # of one state
INTEGERS = types.int64[::1]
MANY = (
    INTEGERS,
    types.intp,
    types.intp,
    INTEGERS,
    NUMBERS,
    ROWS,
    ROWS,
    ROWS,
    ROWS,
    ROWS,
    ROWS,
    types.intp,
    types.boolean,
)


# ------------------------------------------------------------------------------------------------- what inputs must be like


if config.DISABLE_JIT:

    def all_finite(array: Any) -> bool:
        """Whether no entry is NaN or infinite."""
        return bool(np.isfinite(array).all())

    def flat(array: Any) -> Any:
        """All entries on one axis."""
        return array.reshape(-1)
else:
    all_finite, flat = transposition.all_finite, views.flat


@kernel
def all_unit(m, q):
    """Whether all quaternions of a configuration have unit length."""
    for i in range(1, link_count(m) + 1):
        k = quaternion_place(m, i)
        if k >= 0:
            w, x, y, z = load_quaternion(q, k)
            if not within(w * w + x * x + y * y + z * z - 1.0, 2.0 * UNIT_TOLERANCE):
                return False
    return True


@kernel
def count(m, content):
    """How many entries an input with that content has."""
    if content == VELOCITY:
        return velocity_count(m)
    return configuration_count(m) if content == CONFIGURATION else 0


# --------------------------------------------------------------------------------------------------- around the algorithm


@functools.cache
def one_state(
    function: Callable[..., Any], v_content: int, u_content: int, axes: int, ordered: bool
) -> Callable[..., int]:
    """The compiled function for one state around the kernel ``function``.

    It has the kernel's arguments, with a row of ``f_ext`` for each body and so many axes of the result; or only the model,
    ``q``, the result and the workspace, where the kernel uses no more. It returns ``GOOD``, ``NO_RESULT`` where the
    result is not finite, or what is wrong with the inputs, in which case nothing was written.

    With ``ordered``, the kernel's numbers come to their places in the result afterwards. Behind the model then follow, as
    integers, for each entry of the result the number that belongs there, and how many the kernel makes.
    """

    @kernel
    def check_and_compute(m, q, v, u, f_ext, bodies, six, out, ws):
        if len(q) != configuration_count(m) or len(v) != count(m, v_content) or len(u) != count(m, u_content):
            return UNFIT
        if bodies > 0 and (bodies != body_count(m) or six != 6):
            return UNFIT
        if not (all_finite(q) and all_finite(v) and all_finite(u) and all_finite(f_ext)):
            return NOT_FINITE
        if not all_unit(m, q) or (u_content == CONFIGURATION and not all_unit(m, u)):
            return NOT_UNIT
        if ordered:
            n, count_made = len(out), load_integer(m, len(m) - 1)
            order, made = part(m, len(m) - 1 - n, n), part(ws, 0, count_made)
            function(m, q, v, u, f_ext, made, tail(ws, count_made))
            for k in range(n):
                store(out, k, load(made, load_integer(order, k)))
            return GOOD if all_finite(made) else NO_RESULT
        function(m, q, v, u, f_ext, out, ws)
        return GOOD if all_finite(out) else NO_RESULT

    def one(m, q, v, u, f_ext, out, ws):
        if not (is_native(q) and is_native(v) and is_native(u) and is_native(f_ext)):
            return UNFIT
        bodies, six = f_ext.shape
        m, q, v, u, out, ws = view(m), view(q), view(v), view(u), flat(out), view(ws)
        return check_and_compute(m, q, v, u, flat(f_ext), bodies, six, out, ws)

    def one_configuration(m, q, out, ws):
        if not is_native(q):
            return UNFIT
        m, q, nothing = view(m), view(q), part(view(q), 0, 0)
        return check_and_compute(m, q, nothing, nothing, nothing, 0, 6, flat(out), view(ws))

    result = types.Array(types.float64, axes, "C")
    if v_content == u_content == NOTHING:  # no forces either: fewer arguments make a shorter call
        return compiled_for(named(one_configuration, function), (NUMBERS, NUMBERS, result, NUMBERS))
    return compiled_for(named(one, function, v_content, u_content), (*INPUTS, result, NUMBERS))


# The description of a task: integers. NEXT is what the threads share; the rest is written before and only read.
NEXT, STATES, LEAST, THREADS, COMPUTE, WORKSPACE, ROWS, MODEL, Q, V, U, F_EXT, OUT = (
    0,
    *range(8, 14),
    *range(16, 34, 3),
)
TASK_SIZE = 34


@functools.cache
def many_states(function: Callable[..., Any], v_content: int, u_content: int, ordered: bool) -> Callable[..., int]:
    """The compiled function for a batch around the kernel ``function``.

    It takes the address of a task, and the number of the thread, and computes pieces of the task until there are none left.
    The status is that of :func:`one_state`, at the first block of states where something is wrong; what comes before is
    written then.
    """

    def many(address, k):
        task = integers_at(address, TASK_SIZE)
        compute, size = load(task, COMPUTE) != 0, load(task, ROWS)
        rest = rows_at(load(task, WORKSPACE) + k * size * (8 * WIDTH), size)
        m, _ = numbers(task, MODEL)
        q, nq = numbers(task, Q)
        v, nv = numbers(task, V)
        u, nu = numbers(task, U)
        f_ext, nf = numbers(task, F_EXT)
        out, n = numbers(task, OUT)
        qs, rest = part(rest, 0, nq), tail(rest, nq)
        vs, rest = part(rest, 0, nv), tail(rest, nv)
        us, rest = part(rest, 0, nu), tail(rest, nu)
        fs, rest = part(rest, 0, nf), tail(rest, nf)
        made, order = n, part(m, 0, 0)
        if ordered:
            made, order = load_integer(m, len(m) - 1), part(m, len(m) - 1 - n, n)
        outs, rest = part(rest, 0, made), tail(rest, made)
        first, end = next_piece(task)
        while first < end:
            for b in range(first, end, WIDTH):
                bad = read_states(q, nq, b, qs) + read_states(v, nv, b, vs)
                bad = bad + read_states(u, nu, b, us) + read_states(f_ext, nf, b, fs)
                if not within(bad, 0.0):
                    return NOT_FINITE
                if not all_unit(m, qs) or (u_content == CONFIGURATION and not all_unit(m, us)):
                    return NOT_UNIT
                if compute:
                    function(m, qs, vs, us, fs, outs, rest)
                    bad = write_states(out, n, b, outs, order)
                    if not within(bad, 0.0):
                        return NO_RESULT
            first, end = next_piece(task)
        return GOOD

    def many_one_by_one(m, q, v, u, f_ext, out, ws, least, compute):
        one = one_state(function, v_content, u_content, 1, ordered)
        for b in range(len(out)):
            state = [states[b if len(states) > 1 else 0] for states in (q, v, u, f_ext)]
            others = [] if v_content == u_content == NOTHING else [*state[1:3], state[3].reshape(-1, 6)]
            result = out[b] if compute else np.empty(out.shape[1])
            status = one(m, state[0], *others, result, ws.reshape(-1))
            if status != GOOD:
                return status
        return GOOD

    if config.DISABLE_JIT:
        return many_one_by_one
    return compiled_for(named(many, function, u_content), (types.intp, types.intp))


@kernel
def next_piece(task):
    """The next piece: long ones first, which memory likes, then shorter ones, so that all threads finish together."""
    states = load(task, STATES)
    first = read_shared(task, NEXT)
    while first < states:
        fair = (states - first) // (2 * load(task, THREADS)) // WIDTH * WIDTH
        end = min(first + max(fair, load(task, LEAST)), states)
        if replace_shared(task, NEXT, first, end):
            return first, end
        first = read_shared(task, NEXT)
    return states, states


@kernel
def numbers(task, k):
    """One of the arrays that a task describes, all its entries, and how many belong to one state."""
    return numbers_at(load(task, k), load(task, k + 1)), load(task, k + 2)


@kernel
def store_array(task, k, array, n):
    """Write down an array."""
    store(task, k, address_of(array))
    store(task, k + 1, len(array))
    store(task, k + 2, n)


def share_states(board, function, threads, task, m, q, v, u, f_ext, out, ws, least, compute):
    """Compute a batch in up to so many threads, by the function at that address.

    The arrays have an axis for the states in front, and all other axes in one; an input with one state stands for the same
    in all. The workspace, rows of eight, has for each thread room for the kernel's and for the entries of one state of each
    array. No piece has fewer states than ``least``, but the last. With ``compute`` false it only looks at the inputs.
    """
    task = view(task)
    store(task, NEXT, 0)
    store(task, STATES, len(out))
    store(task, LEAST, least)
    store(task, THREADS, threads)
    store(task, COMPUTE, compute)
    store(task, WORKSPACE, address_of(flat(ws)))
    store(task, ROWS, len(ws) // threads)
    store_array(task, MODEL, view(m), 0)
    store_array(task, Q, flat(q), q.shape[1])
    store_array(task, V, flat(v), v.shape[1])
    store_array(task, U, flat(u), u.shape[1])
    store_array(task, F_EXT, flat(f_ext), f_ext.shape[1])
    store_array(task, OUT, flat(out), out.shape[1])
    return share(view(board), function, address_of(task), threads)


@functools.cache
def compiled_share_states() -> Callable[..., int]:
    """For Python."""
    return compiled_for(share_states, MANY)


def run_many(many: Callable[..., int], threads: int, *arguments: Any) -> int:
    """:func:`share_states` from Python: what :func:`many_states` made, the number of threads, then the model and so on."""
    if config.DISABLE_JIT:  # without compilation, NumPy would warn of divisions by zero that the status reports
        with np.errstate(all="ignore"):
            return many(*arguments)
    if not hasattr(_local, "task"):
        _local.task = np.empty(TASK_SIZE, dtype=np.int64)
    return compiled_share_states()(board(threads), address(many), threads, _local.task, *arguments)


def named(driver: Callable[..., int], function: Callable[..., Any], *variant: int) -> Callable[..., int]:
    """Under a name of its own, by which the cache tells it from others made by the same lines."""
    driver.__name__ = driver.__qualname__ = "_".join([function.__name__, driver.__name__, *map(str, variant)])
    return driver
