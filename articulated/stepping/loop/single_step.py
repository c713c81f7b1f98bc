"""One step of one state under constant joint forces and wrenches, taken from Python: no loop is compiled for it.

A step of a world is such a step, and so is each that Python ends. What comes out is what the loop gives, to the last bit:
the step is the same compiled function, and only the rate is computed besides. A step that is not solved and may be divided
is left to the loop.

Source: the loop, :mod:`~pluecker.articulated.stepping.loop.loop`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import config
from numpy.typing import NDArray

from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.control.control_law import (
    EXTERNAL,
    FEEDBACK,
    FUNCTION,
    LIMITED,
    PERIOD,
    POSITION,
    STEP,
    TORQUE,
    WRENCH,
)
from pluecker.articulated.stepping.loop.called_step import ERROR, LENGTH, called_step
from pluecker.articulated.stepping.loop.loop import BOUND, SOLVED
from pluecker.articulated.stepping.loop.signal import Signal
from pluecker.articulated.stepping.loop.task import (
    BEGIN,
    BLOCK,
    EVERY,
    FIRST_IMPULSE,
    IMPULSES,
    MEMORY,
    MODEL,
    NEVER,
    PUSHED,
    RATED,
    SCENARIO,
    SETTINGS,
    SIGNAL,
    SLOT,
    SUBSTEP,
    TOTAL,
)
from pluecker.articulated.stepping.terms.integrator import Integrator

__all__ = ["is_single", "take_single_step"]

Integers = NDArray[np.int64]
NOTHING = np.zeros(0)


def is_single(settings: Integers, signals: Sequence[Signal], first: int, last: int) -> bool:
    """Return whether there is at most one step to take, with constant joint forces and wrenches."""
    if min(last, settings[TOTAL]) - first > 1 or settings[PERIOD] != NEVER or len(signals[WRENCH].times) > 1:
        return False
    # Joint forces are looked up where a motion begins; later they stand in x.
    return first != settings[BEGIN] or not any(settings[k] for k in (FUNCTION, EXTERNAL, FEEDBACK, LIMITED))


def take_single_step(
    integrator: Integrator, table: Integers, arrays: tuple[Array, Array, Array], signals: Sequence[Signal], x: Array,
    records: Sequence[Array], scratch: Array, first: int, last: int,
) -> bool:  # fmt: skip
    """Go from step ``first`` to before ``last``, with one step at most; do nothing if that step has to be divided.

    Args:
        integrator: whose step it is.
        table, signals: the task, as the loop has it.
        arrays: of the task, the model, the scenario and the numbers.
        x: the state, which is changed.
        records: the arrays of the recording.
        scratch: memory, as much as the loop needs.
        first, last: the steps.

    Returns:
        whether it was done.
    """
    settings = table[SETTINGS:SIGNAL].tolist()
    nq, nv, n = signals[POSITION].values.shape[-1], signals[TORQUE].values.shape[-1], settings[MEMORY]
    begin, every, total = settings[BEGIN], settings[EVERY], settings[TOTAL]
    h, bound = float(arrays[2][STEP]), float(arrays[2][BOUND])
    slot, sampled = -((begin - first) // every) - settings[SLOT], (first - begin) % every == 0
    y = x.copy()
    law, rate, marks, memory = nq + nv, nq + 5 * nv, nq + 6 * nv, len(y) - n
    impulses = y[memory + settings[FIRST_IMPULSE] :][: settings[IMPULSES]]
    known = y[:nq], y[nq:law], y[law : law + nv], y[rate:marks], y[marks : marks + 1], impulses
    behind = None, None, None, known[3], None, impulses  # of a sample, what is known once its step was taken
    if first == begin:
        y[law : law + nv], y[law + nv : rate] = signals[TORQUE].values[0, 0], 0.0
    taken, error, after = first < min(last, total), 0.0, y[:0]
    if taken:
        after = np.concatenate([y[:law], y[memory:]])  # becomes q1, v1 and what is remembered then
        f = signals[WRENCH].values[0, 0] if settings[PUSHED] else NOTHING
        error = step_of(integrator, table, arrays, h, y, after, f, (nq, nv, n), scratch)
        if not np.isfinite(after[:law]).all():
            error = np.nan
        if settings[SUBSTEP] and not error < SOLVED:
            return False
    if sampled or first == total:
        put(records, slot, known)
        y[marks] = 0.0
    if taken:
        y[memory:], y[marks] = after[law:], np.maximum(error, y[marks])
        if error < bound:
            y[rate:marks] = (after[nq:law] - y[nq:law]) * (1.0 / h)
            y[:law] = after[:law]
            if sampled and settings[RATED]:
                put(records, slot, behind)
            if total < last:
                put(records, slot + sampled, known)
                y[marks] = 0.0
        else:
            y[marks + 1] = first + 1
    x[:] = y
    return True


def put(records: Sequence[Array], slot: int, values: Sequence[Array | None]) -> None:
    """Write a sample to the arrays that are recorded."""
    for array, own in zip(records, values, strict=True):
        if array.size and own is not None:
            array[slot, 0] = own


def step_of(
    integrator: Integrator, table: Integers, arrays: tuple[Array, Array, Array], h: float, y: Array, after: Array, f: Array,
    sizes: tuple[int, int, int], scratch: Array,
) -> float:  # fmt: skip
    """Take a step from x as it is in ``y``, write state and memory at its end to ``after``, and return the error."""
    nq, nv, n = sizes
    if config.DISABLE_JIT:
        begun, ended = (y[:nq], y[nq : nq + nv], y[nq + nv : nq + 5 * nv]), (after[:nq], after[nq : nq + nv])
        with np.errstate(all="ignore"):
            return float(integrator.step(*arrays[:2], h, *begun, f, *ended, after[nq + nv :], scratch))
    memory = scratch.reshape(-1)
    block, q, q1, place = memory[:BLOCK], y.ctypes.data, after.ctypes.data, memory.ctypes.data
    v, v1, wrenches = q + 8 * nq, q1 + 8 * nq, f.ctypes.data if f.size else 0
    block.view(np.int64)[:LENGTH] = [
        *table[MODEL : MODEL + 2].tolist(), *table[SCENARIO : SCENARIO + 2].tolist(), q, nq, v, nv, v + 8 * nv, 4 * nv,
        wrenches, f.size, q1, nq, v1, nv, v1 + 8 * nv, n, place + 8 * BLOCK, len(memory) - BLOCK,
    ]  # fmt: skip
    block[LENGTH] = h
    called_step(integrator, False)(place, 0)
    return float(block[ERROR])
