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
from pluecker.articulated.stepping.loop.signal import Signal, place_of
from pluecker.articulated.stepping.loop.surroundings import MARKS
from pluecker.articulated.stepping.loop.task import (
    BEGIN,
    BLOCK,
    EVERY,
    FIRST_IMPULSE,
    IMPULSES,
    MEMORY,
    NEVER,
    PUSHED,
    RATED,
    SLOT,
    SUBSTEP,
    TOTAL,
)
from pluecker.articulated.stepping.terms.integrator import Integrator

__all__ = ["is_single", "take_single_step"]

Integers = NDArray[np.int64]


def is_single(settings: Integers, signals: Sequence[Signal], first: int, last: int) -> bool:
    """Whether there is one step to take at most, under what does not change."""
    if min(last, settings[TOTAL]) - first > 1 or settings[PERIOD] != NEVER or len(signals[WRENCH].times) > 1:
        return False
    # Joint forces are looked up where a motion begins; later they stand in x.
    return first != settings[BEGIN] or not settings[[FUNCTION, EXTERNAL, FEEDBACK, LIMITED]].any()


def take_single_step(
    integrator: Integrator, arrays: tuple[Array, Array], numbers: Array, settings: Integers, signals: Sequence[Signal],
    x: Array, records: Sequence[Array], scratch: Array, first: int, last: int,
) -> bool:  # fmt: skip
    """Go from step ``first`` to before ``last``, with one step at most; nothing is done where that has to be divided.

    Args:
        integrator: whose step it is.
        arrays: the model, and the scenario.
        numbers, settings, signals: as the loop reads them.
        x: the state, which is changed.
        records: the arrays of the recording.
        scratch: memory, as much as the loop needs.
        first, last: the steps.

    Returns:
        whether it was done.
    """
    nq, nv, h = signals[POSITION].values.shape[-1], signals[TORQUE].values.shape[-1], numbers[STEP]
    begin, every, total = (int(k) for k in settings[[BEGIN, EVERY, TOTAL]])
    slot, sampled = -((begin - first) // every) - int(settings[SLOT]), (first - begin) % every == 0
    y = x.copy()
    q, v, law, rate = y[:nq], y[nq : nq + nv], y[nq + nv : nq + 5 * nv], y[nq + 5 * nv : nq + 6 * nv]
    marks, memory = y[nq + 6 * nv :][:MARKS], y[len(y) - int(settings[MEMORY]) :]
    impulses = memory[settings[FIRST_IMPULSE] :][: settings[IMPULSES]]
    known = q, v, law[:nv], rate, marks[:1], impulses
    behind = None, None, None, rate, None, impulses  # of a sample, what is known once its step was taken
    if first == begin:
        law[:nv], law[nv:] = signals[TORQUE].values[0, 0], 0.0
    taken, error = first < min(last, total), 0.0
    q1, v1, after = np.empty(nq), np.empty(nv), memory.copy()
    if taken:
        f = signals[WRENCH].values[0, 0] if settings[PUSHED] else np.empty(0)
        error = step_of(integrator, h, (*arrays, q, v, law, f, q1, v1, after), scratch)
        if not (np.isfinite(q1).all() and np.isfinite(v1).all()):
            error = np.nan
        if settings[SUBSTEP] and not error < SOLVED:
            return False
    if sampled or first == total:
        put(records, slot, known)
        marks[0] = 0.0
    if taken:
        memory[:], marks[0] = after, np.maximum(error, marks[0])
        if error < numbers[BOUND]:
            rate[:] = (v1 - v) * (1.0 / h)
            q[:], v[:] = q1, v1
            if sampled and settings[RATED]:
                put(records, slot, behind)
            if total < last:
                put(records, slot + sampled, known)
                marks[0] = 0.0
        else:
            marks[1] = first + 1
    x[:] = y
    return True


def put(records: Sequence[Array], slot: int, values: Sequence[Array | None]) -> None:
    """A sample, in the arrays that want it."""
    for array, own in zip(records, values, strict=True):
        if array.size and own is not None:
            array[slot, 0] = own


def step_of(integrator: Integrator, h: float, arrays: Sequence[Array], scratch: Array) -> float:
    """The error of a step; ``arrays`` are its arguments from the model to what is remembered."""
    if config.DISABLE_JIT:
        m, c, *others = arrays
        with np.errstate(all="ignore"):
            return float(integrator.step(m, c, h, *others, scratch))
    memory = scratch.reshape(-1)
    block, workspace = memory[:BLOCK], memory[BLOCK:]
    places = [number for array in (*arrays, workspace) for number in place_of(array)]
    block.view(np.int64)[: len(places)] = places
    block[LENGTH] = h
    called_step(integrator, False)(block.ctypes.data, 0)
    return float(block[ERROR])
