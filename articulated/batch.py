"""From one state to many: the loop around a kernel, shared by all algorithms.

Every algorithm is a kernel with the same seven arguments: the model, the scalar arrays ``q``, ``v``, ``u`` (acceleration
or force, as the algorithm has it) and ``f_ext`` of one state, the scalar array that takes its result, and a workspace.
An input that an algorithm does not use has no entries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.articulated.joints import ONE_DOF, SPHERICAL
from pluecker.articulated.layout import first_q, kind, link_count, owns_coordinates
from pluecker.spatial.compile import kernel

__all__ = ["GOOD", "NOT_FINITE", "NOT_UNIT", "SINGULAR", "batched"]

GOOD, NOT_FINITE, NOT_UNIT, SINGULAR = range(4)
UNIT_TOLERANCE = 1e-6  # of the length of a quaternion


@kernel
def row(states, b):
    """State ``b`` of a batch; a batch of one stands for every state."""
    return states[b if states.shape[0] > 1 else 0]


@kernel
def all_finite(states):
    """Whether no entry is NaN or infinite: 0 x is 0 for every other number."""
    total = 0.0
    for b in range(states.shape[0]):
        for k in range(states.shape[1]):
            total += 0.0 * states[b, k]
    return total == 0.0


@kernel
def all_unit(m, q):
    """Whether all quaternions of a batch of configurations have unit length."""
    for i in range(1, link_count(m) + 1):
        if kind(m, i) != ONE_DOF and owns_coordinates(m, i):
            k = first_q(m, i) + (0 if kind(m, i) == SPHERICAL else 3)
            for b in range(q.shape[0]):
                p = q[b, k : k + 4]
                length2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]
                if abs(length2 - 1.0) > 2.0 * UNIT_TOLERANCE:
                    return False
    return True


@kernel
def fault(m, q, v, u, f_ext):
    """What is wrong with the inputs, if anything"""
    if not (all_finite(q) and all_finite(v) and all_finite(u) and all_finite(f_ext)):
        return NOT_FINITE
    return GOOD if all_unit(m, q) else NOT_UNIT


def batched(
    function: Callable[..., Any], can_fail: bool = False, two_configurations: bool = False
) -> Callable[..., int]:
    """A compiled loop over states around the kernel ``function``.

    The loop has the kernel's arguments, with a leading axis for the states, and returns a status: ``GOOD``, or what is
    wrong with the inputs, in which case nothing was written. Where the kernel ``can_fail``, marking its result with NaN,
    the status ``SINGULAR`` says that it did. With ``two_configurations``, ``u`` is one too.
    """

    def loop(m, q, v, u, f_ext, out, ws):
        status = fault(m, q, v, u, f_ext)
        if status != GOOD:
            return status
        if two_configurations and not all_unit(m, u):
            return NOT_UNIT
        for b in range(out.shape[0]):
            function(m, row(q, b), row(v, b), row(u, b), row(f_ext, b), out[b], ws)
        if can_fail and not all_finite(out):
            return SINGULAR
        return GOOD

    loop.__name__ = loop.__qualname__ = f"{function.__name__}_batch"
    return kernel(loop)
