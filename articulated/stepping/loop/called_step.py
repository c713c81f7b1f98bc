"""A step of an integrator as a compiled function of its own, for each scalar, which loops call by its address.

So there is one loop for all integrators, and Python takes single steps without one
(:mod:`~pluecker.articulated.stepping.loop.loop_driver`). The arguments are written down in a block; the error that the step
leaves is found there, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pluecker.articulated.stepping.loop.task import BLOCK, STEP_FUNCTION
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.stage import Given
from pluecker.spatial.engine.compiled.decorators import ADDRESSES, compiled_for, kernel
from pluecker.spatial.engine.compiled.locking import compiling
from pluecker.spatial.engine.memory.addresses import integers_at, numbers_at, rows_at
from pluecker.spatial.engine.memory.separate import put_arrays
from pluecker.spatial.engine.parallel.atomics import call_through
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = ["ERROR", "LENGTH", "called_step", "step_through_block"]

# the block: address and length of m, c, q, v, law, f_ext, q1, v1, memory, ws; the length of the step; the error, a scalar
LENGTH, ERROR = 20, 24


@functools.cache
def called_step(integrator: Integrator, lanes: bool) -> Any:
    """Compile the step, for one state or for eight; it takes the address of the block, and an argument that is not used."""
    step, array_at = integrator.step, rows_at if lanes else numbers_at

    def step_at(place, k):
        block = integers_at(place, BLOCK)
        m, c = numbers_at(load(block, 0), load(block, 1)), numbers_at(load(block, 2), load(block, 3))
        q, v = array_at(load(block, 4), load(block, 5)), array_at(load(block, 6), load(block, 7))
        law, f = array_at(load(block, 8), load(block, 9)), array_at(load(block, 10), load(block, 11))
        q1, v1 = array_at(load(block, 12), load(block, 13)), array_at(load(block, 14), load(block, 15))
        memory, ws = array_at(load(block, 16), load(block, 17)), array_at(load(block, 18), load(block, 19))
        e = step(m, c, load(numbers_at(place, BLOCK), LENGTH), Given(q, v, law, f), q1, v1, memory, ws)
        store(array_at(place + 8 * ERROR, 1), 0, e)
        return 0

    parts = ["step_in_lanes" if lanes else "step_of_one", integrator.name, *names_of_closure(step)]
    step_at.__name__ = step_at.__qualname__ = "_".join(parts)  # by which the cache tells it from others of these lines
    with compiling:
        return compiled_for(step_at, ADDRESSES)


def names_of_closure(step: Any) -> list[str]:
    """List words that tell a step from others made by the same lines: the choices and the functions that it was made of."""
    function = getattr(step, "py_func", step)
    contents = [cell.cell_contents for cell in function.__closure__ or ()]
    plain = [str(int(x)) for x in contents if isinstance(x, (bool, int))]
    return [function.__name__, *plain, *sorted(x.__name__ for x in contents if callable(x) and hasattr(x, "__name__"))]


def step_through_block(lanes: bool) -> Callable[..., Any]:
    """Make the kernel that calls the step, with ``env = (task, place)``: the task, and the address of room for a block."""
    array_at = rows_at if lanes else numbers_at

    @kernel
    def step(env, m, c, h, given, q1, v1, memory, ws):
        task, place = env
        put_arrays(
            integers_at(place, BLOCK), (m, c, given.q, given.v, given.law, given.f_ext, q1, v1, memory, ws)
        )  # fmt: skip
        store(numbers_at(place, BLOCK), LENGTH, h)
        call_through(load(task, STEP_FUNCTION), place, 0)
        return load(array_at(place + 8 * ERROR, 1), 0)

    return step
