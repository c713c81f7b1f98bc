"""The description in memory of what the loop works on: integers, most of them addresses and lengths of arrays.

What the threads share stands where it does in the tasks of all algorithms (:mod:`~pluecker.articulated.running.batch`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from pluecker.articulated.model.layout import configuration_count, velocity_count
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.batch import NEXT
from pluecker.articulated.stepping.control.control_law import CONTROL_SETTINGS, DELAY, SIGNALS
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.memory.addresses import numbers_at
from pluecker.spatial.engine.scalars.operations import load, part, tail

__all__ = [
    "BEGIN", "BLOCK", "DIVIDED", "END", "ERROR", "EVERY", "FAILED", "FIRST", "FIRST_IMPULSE", "IMPULSES", "LAST", "LASTING",
    "MARKS", "MEMORY", "MODEL", "NEVER", "NUMBERS", "PUSHED", "RATED", "RECORD", "SCENARIO", "SETTINGS", "SIGNAL",
    "SIGNAL_SIZE", "SIZE_OF_X", "SLOT", "STATE", "STEP_FUNCTION", "SUBSTEP", "SURROUNDINGS", "TASK_SIZE", "TOTAL",
    "Environment", "State", "environment", "numbers_in", "state_in", "state_size",
]  # fmt: skip

# settings, integers, behind those of control: the first step of this stretch and the one behind it, all steps (behind which
# the loop only records), the steps from one sample to the next, the sample at the beginning of the recording's arrays;
# whether a step may be divided; how many numbers the integrator remembers; whether there are wrenches from outside; where
# impulses are among what is remembered, and how many; the first step of all, from which samples are counted; whether what is
# recorded is known behind a step only; whether what the integrator remembers belongs to the motion
FIRST, LAST, TOTAL, EVERY, SLOT, SUBSTEP, MEMORY, PUSHED = range(CONTROL_SETTINGS, CONTROL_SETTINGS + 8)
FIRST_IMPULSE, IMPULSES, BEGIN, RATED, LASTING, END = range(CONTROL_SETTINGS + 8, CONTROL_SETTINGS + 14)
NEVER = 2**62  # steps: as the period of constant joint forces, which are looked up where a motion begins

# address and length of the model, the scenario, x and the numbers; how many numbers x has;
# what surrounds a step, and what takes one; the settings; of each signal the addresses and lengths of values and times,
# states, width, linear; of each array of the recording address and length
MODEL, SCENARIO, STATE, NUMBERS, SIZE_OF_X, SURROUNDINGS, STEP_FUNCTION, SETTINGS = 0, 2, 4, 24, 26, 27, 28, 32
SIGNAL, SIGNAL_SIZE = SETTINGS + END, 7
RECORD = SIGNAL + SIGNAL_SIZE * len(SIGNALS)
TASK_SIZE = RECORD + 14
assert STATE + 2 <= NEXT
BLOCK = 32  # numbers: room for the arguments of what loops call by its address

# marks of a state: the largest error since the last sample; the number of the step that failed, counted from one, else zero;
# into how many pieces a step since the last sample was divided, at most
ERROR, FAILED, DIVIDED, MARKS = range(4)


class Environment(NamedTuple):
    """Environment of all steps of a simulation: model, control, recording.

    Attributes:
        model: the model, packed.
        settings, numbers: of the loop and of control.
        signals: as :mod:`~pluecker.articulated.stepping.control.signals` has them, in the order of
            :mod:`~pluecker.articulated.stepping.control.control_law`.
        records: the arrays of the recording.
        states: how many states there are.
    """

    model: Array
    settings: NDArray[Any]
    numbers: Array
    signals: tuple[Any, ...]
    records: tuple[Array, ...]
    states: int


class State(NamedTuple):
    """All that the loop keeps of a state from step to step, views of x.

    Attributes:
        q, v: the state.
        law: ``u, R, P, D`` of control, nv each.
        rate: the mean acceleration of the last step.
        marks: what is to be told of the steps.
        ring: what control asked for and the actuators have not done yet.
        memory: the integrator's.
    """

    q: Array
    v: Array
    law: Array
    rate: Array
    marks: Array
    ring: Array
    memory: Array


@kernel
def state_in(m, settings, x):
    """Partition x; :func:`state_size` has the same parts"""
    nq, nv = configuration_count(m), velocity_count(m)
    v = tail(x, nq)
    law = tail(v, nv)
    rate = tail(law, 4 * nv)
    marks = tail(rate, nv)
    ring = tail(marks, MARKS)
    memory = tail(ring, load(settings, DELAY) * nv)
    return State(
        part(x, 0, nq), part(v, 0, nv), part(law, 0, 4 * nv), part(rate, 0, nv), part(marks, 0, MARKS), ring, memory
    )


def state_size(nq: int, nv: int, delay: int, memory: int) -> int:
    """Count the numbers of x for one state."""
    return nq + nv + 4 * nv + nv + MARKS + delay * nv + memory


@kernel
def numbers_in(task, place):
    """Return the array whose address and length are at index ``place`` of a task"""
    return numbers_at(load(task, place), load(task, place + 1))


@kernel
def signal_in(task, j):
    """Return signal ``j`` of a task, as kernels take it"""
    k = SIGNAL + SIGNAL_SIZE * j
    return numbers_in(task, k), numbers_in(task, k + 2), load(task, k + 4), load(task, k + 5), load(task, k + 6)


@kernel
def signals_in(task):
    """Return all signals of a task"""
    first = signal_in(task, 0), signal_in(task, 1), signal_in(task, 2), signal_in(task, 3)
    return first + (signal_in(task, 4), signal_in(task, 5), signal_in(task, 6))  # noqa: RUF005


@kernel
def records_in(task):
    """Return the arrays of a recording"""
    first = numbers_in(task, RECORD), numbers_in(task, RECORD + 2), numbers_in(task, RECORD + 4)
    more = numbers_in(task, RECORD + 6), numbers_in(task, RECORD + 8), numbers_in(task, RECORD + 10)
    return first + more + (numbers_in(task, RECORD + 12),)


@kernel
def environment(task):
    """Return what surrounds the steps of a task"""
    states = load(task, STATE + 1) // load(task, SIZE_OF_X)
    m, settings, numbers = numbers_in(task, MODEL), tail(task, SETTINGS), numbers_in(task, NUMBERS)
    return Environment(m, settings, numbers, signals_in(task), records_in(task), states)
