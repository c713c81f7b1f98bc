"""From one state to many: what surrounds a kernel, the same for all algorithms.

Every algorithm is a kernel with the same seven arguments: the model, the scalar arrays ``q``, ``v``, ``u`` (acceleration,
force or a second configuration, as the algorithm has it) and ``f_ext`` of one state, the scalar array that takes its result,
and a workspace. An input that an algorithm does not use has no entries.

:func:`one_state` and :func:`many_states` make the two compiled functions that Python calls. The second one gives the kernel
eight states at a time, one in each of the :mod:`~pluecker.spatial.lanes`: it transposes the user's arrays block by block, in
a workspace that stays in the cache. Each lane goes through the same instructions whatever the others hold, so that a result
depends neither on the place of its state in the batch nor on how the batch is divided.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config

from pluecker.articulated.joints import ONE_DOF, SPHERICAL
from pluecker.articulated.layout import (
    body_count,
    configuration_count,
    first_q,
    kind,
    link_count,
    owns_coordinates,
    velocity_count,
)
from pluecker.spatial import arrays
from pluecker.spatial.arrays import read_states, view, write_states
from pluecker.spatial.compile import entry_point, kernel
from pluecker.spatial.lanes import WIDTH, within
from pluecker.spatial.scalars import accumulate, load, part, store, tail

__all__ = [
    "CONFIGURATION", "GOOD", "NOTHING", "NOT_FINITE", "NOT_UNIT", "SINGULAR", "UNFIT", "VELOCITY", "check_states",
    "many_states", "one_state",
]  # fmt: skip

GOOD, NOT_FINITE, NOT_UNIT, SINGULAR, UNFIT = range(5)
NOTHING, VELOCITY, CONFIGURATION = range(3)  # what an input holds: no entries, nv, or nq
UNIT_TOLERANCE = 1e-6  # of the length of a quaternion


# ------------------------------------------------------------------------------------------------- what inputs must be like


if config.DISABLE_JIT:

    def all_finite(array: Any) -> bool:
        """Whether no entry is NaN or infinite."""
        return bool(np.isfinite(array).all())
else:
    all_finite = arrays.all_finite


@kernel
def all_unit(m, q):
    """Whether all quaternions of configurations, one a row, have unit length."""
    for i in range(1, link_count(m) + 1):
        if kind(m, i) != ONE_DOF and owns_coordinates(m, i):
            k = first_q(m, i) + (0 if kind(m, i) == SPHERICAL else 3)
            for b in range(q.shape[0]):
                w, x, y, z = q[b, k], q[b, k + 1], q[b, k + 2], q[b, k + 3]
                if abs(w * w + x * x + y * y + z * z - 1.0) > 2.0 * UNIT_TOLERANCE:
                    return False
    return True


@kernel
def fault(m, q, v, u, f_ext, two_configurations):
    """What is wrong with the entries of the inputs, if anything"""
    if not (all_finite(q) and all_finite(v) and all_finite(u) and all_finite(f_ext)):
        return NOT_FINITE
    if not all_unit(m, q) or (two_configurations and not all_unit(m, u)):
        return NOT_UNIT
    return GOOD


@entry_point
def check_states(m, q, v, u, f_ext, two_configurations):
    """The status of a batch of inputs, before anything is computed."""
    return fault(view(m), q, v, u, f_ext, two_configurations)


@kernel
def count(m, content):
    """How many entries an input with that content has."""
    if content == VELOCITY:
        return velocity_count(m)
    return configuration_count(m) if content == CONFIGURATION else 0


@kernel
def fits(m, q, v, u, f_ext, v_content, u_content):
    """Whether the inputs of one state have the lengths that the model asks for."""
    if len(q) != configuration_count(m) or len(v) != count(m, v_content) or len(u) != count(m, u_content):
        return False
    return f_ext.shape[0] == 0 or (f_ext.shape[0] == body_count(m) and f_ext.shape[1] == 6)


# --------------------------------------------------------------------------------------------------- around the algorithm


@functools.cache
def one_state(function: Callable[..., Any], v_content: int, u_content: int, can_fail: bool) -> Callable[..., int]:
    """The compiled function for one state around the kernel ``function``.

    It has the kernel's arguments, ``f_ext`` with a row for each body, and returns a status: ``GOOD``, or what is wrong with
    the inputs, in which case nothing was written. Where the kernel ``can_fail``, marking its result with NaN, the status
    ``SINGULAR`` says that it did.
    """

    def one(m, q, v, u, f_ext, out, ws):
        mv = view(m)
        if not fits(mv, q, v, u, f_ext, v_content, u_content):
            return UNFIT
        two = u_content == CONFIGURATION
        status = fault(mv, q.reshape((1, -1)), v, u.reshape((1, -1)), f_ext, two)
        if status == GOOD:
            function(mv, view(q), view(v), view(u), view(f_ext.ravel()), view(out), view(ws))
            if can_fail and not all_finite(out):
                return SINGULAR
        return status

    return named(one, function, v_content, u_content)


@functools.cache
def many_states(function: Callable[..., Any], can_fail: bool) -> Callable[..., int]:
    """The compiled function for a batch around the kernel ``function``.

    Its arrays have an axis for the states in front, and all other axes in one; an input with one state stands for the same
    in all. The inputs have passed :func:`check_states`. The workspace, rows of eight, has room for the kernel's, for the
    entries of one state of each array, and for one row more. The status is ``GOOD`` or ``SINGULAR``.
    """

    def many(m, q, v, u, f_ext, out, ws):
        mv, ws_v = view(m), view(ws)
        bad, rest = part(ws_v, 0, 1), tail(ws_v, 1)
        qs, rest = part(rest, 0, q.shape[1]), tail(rest, q.shape[1])
        vs, rest = part(rest, 0, v.shape[1]), tail(rest, v.shape[1])
        us, rest = part(rest, 0, u.shape[1]), tail(rest, u.shape[1])
        fs, rest = part(rest, 0, f_ext.shape[1]), tail(rest, f_ext.shape[1])
        outs, rest = part(rest, 0, out.shape[1]), tail(rest, out.shape[1])
        store(bad, 0, 0.0)
        for b in range(0, out.shape[0], WIDTH):
            for states, block in ((q, qs), (v, vs), (u, us), (f_ext, fs)):
                if b == 0 or states.shape[0] > 1:
                    read_states(states, b, block)
            function(mv, qs, vs, us, fs, outs, rest)
            if can_fail:
                for k in range(out.shape[1]):
                    accumulate(bad, 0, 0.0 * load(outs, k))
            write_states(out, b, outs)
        return GOOD if within(load(bad, 0), 0.0) else SINGULAR

    def many_one_by_one(m, q, v, u, f_ext, out, ws):
        for b in range(out.shape[0]):
            state = [states[b if len(states) > 1 else 0] for states in (q, v, u, f_ext)]
            function(m, *state, out[b], ws.reshape(-1))
        return SINGULAR if can_fail and not all_finite(out) else GOOD

    return named(many_one_by_one if config.DISABLE_JIT else many, function)


def named(driver: Callable[..., int], function: Callable[..., Any], *variant: int) -> Callable[..., int]:
    """Compiled, under a name of its own, by which the cache tells it from others made by the same lines."""
    driver.__name__ = "_".join([function.__name__, driver.__name__, *map(str, variant)])
    driver.__qualname__ = driver.__name__
    return entry_point(driver)
