"""Steps that a compiled integrator begins, and a function ends, one at a time and for one state.

The integrator leaves in x the velocity without what the function knows, contacts that were found for example. The function
gives the state at the end; what is recorded of the step, its mean acceleration, impulses and error, is that of both.

Source: the loop whose x this is, :mod:`~pluecker.articulated.stepping.loop.loop`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pluecker.articulated.running.arguments import Array

__all__ = ["Finish", "end_step", "put_step"]

Finish = Callable[[float, Array, Array, Array, Array], tuple[Array, Array, float]]
ACCELERATION, IMPULSES = 3, 5  # among the arrays of a recording


def end_step(x: Array, before: Array, sizes: tuple[int, int, int], h: float, finish: Finish) -> float:
    """The state in ``x`` at the end of the step, with the rate and the error of the step.

    Args:
        x: as the loop left it.
        before: q and v at the beginning.
        sizes: nq, nv, and how many numbers the integrator remembers.
        h: the step; s.
        finish: what ends it.
    """
    nq, nv, n = sizes
    q, v = before[:nq], before[nq:]
    q1, v1, error = finish(h, q, v, x[nq : nq + nv], x[len(x) - n :])
    x[:nq], x[nq : nq + nv] = q1, v1
    x[nq + 5 * nv : nq + 6 * nv] = (v1 - v) / h
    if not (np.isfinite(q1).all() and np.isfinite(v1).all()):
        error = np.nan
    x[nq + 6 * nv] = np.maximum(error, x[nq + 6 * nv])
    return error


def put_step(
    arrays: Sequence[Array], slot: int, x: Array, sizes: tuple[int, int, int], first: int, impulses: int
) -> None:
    """Record acceleration and impulses of the step behind a sample, where they are wanted."""
    nq, nv, n = sizes
    if arrays[ACCELERATION].size:
        arrays[ACCELERATION][slot, 0] = x[nq + 5 * nv : nq + 6 * nv]
    if arrays[IMPULSES].size:
        begin = len(x) - n + first
        arrays[IMPULSES][slot, 0] = x[begin : begin + impulses]
