"""Velocities and multipliers near one, so that no square overflows: a problem divided by a power of two, and its result
multiplied by it.

Calls of compiled methods do the same in :func:`~pluecker.contact.friction.solving.compiled_parts.begin`.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import Sets, divided
from pluecker.contact.friction.results.measures import with_velocities
from pluecker.contact.friction.results.result import Result
from pluecker.contact.friction.solving.compiled_parts import LARGE_START
from pluecker.spatial.functions.elementwise import Array

__all__ = ["in_units", "in_units_of_caller"]


def exponent_of(b: Array, K: Sets, largest: float = 0.0) -> int | None:
    """Return the exponent of the power of two that divides velocities and multipliers, so that no square overflows.

    Errors that are velocities are divided too, others stay the same, and so do all digits. ``largest`` shall be near
    one as well. None where no multipliers are a solution.
    """
    size = max(largest, np.abs(b).max(initial=0.0), K.lower.max(initial=0.0), -K.upper.min(initial=0.0))
    return None if size == 0.0 else int(np.frexp(size)[1])


def start_in_units(start: Array | None, exponent: int | None) -> Array | None:
    """Divide a start by that power; None where its velocities may overflow, or where zero is a solution."""
    if start is None or exponent is None:
        return None
    start = np.ldexp(start, -exponent)
    return start if np.abs(start).max(initial=0.0) < LARGE_START else None


def in_units(problem: Problem, start: Array | None, largest: float = 0.0) -> tuple[Problem, Array | None, int]:
    """Divide a problem and its start by a power of two, so that velocities and multipliers are near one.

    Returns:
        The problem; the start, None as of :func:`start_in_units`; the exponent of :func:`exponent_of`, 0 where that is None.
    """
    b, K = problem.offset, problem.sets
    exponent = exponent_of(b, K, largest)
    if exponent is None:
        return problem, None, 0
    free = None if problem.free_velocity is None else np.ldexp(problem.free_velocity, -exponent)
    inside = replace(problem, offset=np.ldexp(b, -exponent), sets=divided(K, exponent), free_velocity=free)
    return inside, start_in_units(start, exponent), exponent


def in_units_of_caller(result: Result, exponent: int, began: float) -> Result:
    """Multiply multipliers and velocities by the power of two; what overflows becomes the largest number."""
    largest = np.finfo(np.float64).max
    r, u = (np.clip(np.ldexp(x, exponent), -largest, largest) for x in (result.multipliers, result.velocity))
    blocks = None if result.blocks is None else result.blocks._replace(offset=np.ldexp(result.blocks.offset, exponent))
    errors = with_velocities(result.errors, exponent)
    return replace(result, multipliers=r, velocity=u, errors=errors, blocks=blocks, time=time.perf_counter() - began)
