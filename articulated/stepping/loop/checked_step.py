"""A step of one state with what is checked before and after it, as one compiled function that Python calls.

Python takes about a microsecond to look at a few numbers, and a short step takes a few. What is not to be taken, or was not
solved, is left to the loop, which says why.
"""

from __future__ import annotations

import functools
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.loop.called_step import ERROR
from pluecker.articulated.stepping.loop.control_signals import UNIT
from pluecker.articulated.stepping.loop.loop import SOLVED, spoiled
from pluecker.articulated.stepping.loop.signal import place_of
from pluecker.articulated.stepping.loop.task import BLOCK
from pluecker.spatial.engine.compiled.decorators import ADDRESSES, address, compiled_for
from pluecker.spatial.engine.compiled.locking import compiling
from pluecker.spatial.engine.memory.addresses import integers_at, numbers_at
from pluecker.spatial.engine.parallel.atomics import call_through
from pluecker.spatial.engine.scalars.operations import load

__all__ = ["LACKS_ROOM", "LEFT", "TAKEN", "checked_step", "packed_checks"]

TAKEN, LEFT, LACKS_ROOM = range(3)
Integers = NDArray[np.int64]

# the block: the step and the address of its block; address and length of all numbers before it, q, joint forces, the largest
# of these, the state after it; where quaternions begin in q; what steps needed, and what there is of it
STEP, OF_STEP, BEFORE, CONFIGURATION, FORCES, MOST, AFTER, QUATERNIONS, NEEDS, ROOM, SIZE = 0, 1, *range(2, 20, 2)


def packed_checks(
    step: Any,
    block: int,
    numbers: tuple[Array, Array, Array, Array, Array],
    indices: tuple[Integers, Integers, Integers],
) -> Integers:
    """Pack the argument of the function: the compiled step, the address of its block, and the arrays in their order."""
    arrays = *numbers, *(array.view(np.float64) for array in indices)
    places = [n for array in arrays for n in place_of(array)]
    return np.array([address(step), block, *places], np.int64)


def checked_step_at(place, k):
    """Take a step, unless a number before it is not as it should be; return what became of it"""
    block = integers_at(place, SIZE)
    before, q = numbers_at(block[BEFORE], block[BEFORE + 1]), numbers_at(block[CONFIGURATION], block[CONFIGURATION + 1])
    forces, most = numbers_at(block[FORCES], block[FORCES + 1]), numbers_at(block[MOST], block[MOST + 1])
    after, quaternions = (
        numbers_at(block[AFTER], block[AFTER + 1]),
        integers_at(block[QUATERNIONS], block[QUATERNIONS + 1]),
    )
    needs, room = integers_at(block[NEEDS], block[NEEDS + 1]), integers_at(block[ROOM], block[ROOM + 1])
    plain = spoiled(before) == 0.0
    for j in range(len(quaternions)):
        i = quaternions[j]
        squares = load(q, i) ** 2 + load(q, i + 1) ** 2 + load(q, i + 2) ** 2 + load(q, i + 3) ** 2
        plain = plain and abs(sqrt(squares) - 1.0) <= UNIT
    for i in range(len(most)):
        plain = plain and abs(load(forces, i)) <= load(most, i)
    if not plain:
        return LEFT
    call_through(block[STEP], block[OF_STEP], 0)
    for i in range(len(room)):
        if needs[i] > room[i]:
            return LACKS_ROOM
    solved = load(numbers_at(block[OF_STEP], BLOCK), ERROR) < SOLVED and spoiled(after) == 0.0
    return TAKEN if solved else LEFT


@functools.cache
def checked_step() -> Any:
    """Compile the function, which takes the address of the block, and an argument that is not used."""
    with compiling:
        return compiled_for(checked_step_at, ADDRESSES)
