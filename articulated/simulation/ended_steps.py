"""Steps that a compiled integrator begins, and Python ends, one at a time and for one state.

The integrator leaves in x the velocity without what the other knows, contacts that were found for example. The other gives
the state at the end; what is recorded of the step, its mean acceleration, impulses and error, is that of both.

A step that is not solved is taken in pieces, where that is wanted, as the loop does it for integrators that need no such
end: 2, 4, ... of them, until all are solved. Control goes on in them as its law says, wrenches from outside stay.

Source: the loop whose x this is, :mod:`~pluecker.articulated.stepping.loop.loop`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from pluecker.articulated.algorithms.configuration.integrate import difference
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.loop.loop import PIECES
from pluecker.articulated.stepping.loop.loop_driver import Stretches

__all__ = ["Finish", "end_step", "put_step", "take_pieces"]

ACCELERATION, IMPULSES = 3, 5  # among the arrays of a recording


class Finish(Protocol):
    """Protocol of an object that ends steps, and keeps a memory of its own from one step to the next."""

    def finish(self, h: float, q: Array, v: Array, free: Array, memory: Array) -> tuple[Array, Array, float]:
        """Compute q and v at the end of a step, and the error as a share of what is tolerated.

        Args:
            h: the step; s.
            q, v: the state at its beginning.
            free: the velocity that the integrator gave.
            memory: what the integrator remembers, which may be changed.
        """

    def remembered_now(self) -> Any:
        """Return its memory, for :meth:`go_back`."""

    def go_back(self, remembered: Any) -> None:
        """Restore a memory of :meth:`remembered_now`: the steps since then are discarded."""

    def keep(self) -> None:
        """Accept the last step."""


def end_step(x: Array, before: Array, sizes: tuple[int, int, int], h: float, finish: Finish) -> float:
    """Write into ``x`` the state at the end of the step, its mean acceleration and its error; return the error.

    Args:
        x: as the loop left it.
        before: q and v at the beginning.
        sizes: nq, nv, and how many numbers the integrator remembers.
        h: the step; s.
        finish: what ends it.
    """
    nq, nv, n = sizes
    q, v = before[:nq], before[nq:]
    q1, v1, error = finish.finish(h, q, v, x[nq : nq + nv], x[len(x) - n :])
    x[:nq], x[nq : nq + nv] = q1, v1
    x[nq + 5 * nv : nq + 6 * nv] = (v1 - v) / h
    if not (np.isfinite(q1).all() and np.isfinite(v1).all()):
        error = np.nan
    x[nq + 6 * nv] = np.maximum(error, x[nq + 6 * nv])
    return error


def take_pieces(
    x: Array,
    start: Array,
    sizes: tuple[int, int, int],
    impulses: slice,
    h: float,
    bound: float,
    finish: Finish,
    model: Model,
    make_stretches: Callable[[Array, float], Stretches],
) -> float:
    """Take the step again in pieces, from x as it was in ``start``; return the error.

    Args:
        x: where the state at the end goes.
        start: x at the beginning, with the law of control in this step.
        sizes, h, finish: as of :func:`end_step`.
        impulses: the slice of x with the impulses of the step, which are added up.
        bound: the error of a piece that is solved.
        model: the mechanism.
        make_stretches: a function of x and the length of steps that makes the object which takes such steps.
    """
    nq, nv, _ = sizes
    law = slice(nq + nv, nq + 5 * nv)
    remembered, pieces, error = finish.remembered_now(), 1, np.inf
    while not error <= bound and pieces < PIECES:
        pieces *= 2
        finish.go_back(remembered)
        x[:] = start
        stretches, total, error = make_stretches(x.reshape(1, -1), h / pieces), np.zeros_like(x[impulses]), 0.0
        for j in range(pieces):
            x[law] = law_of_piece(model, start, j * h / pieces, x[:nq], x[nq : nq + nv])
            before = x[: nq + nv].copy()
            stretches.advance(1, 2)
            error = np.maximum(error, end_step(x, before, sizes, h / pieces, finish))
            total += x[impulses]
            if not error <= bound:
                break
        x[impulses] = total
    x[law] = start[law]
    x[nq + 5 * nv : nq + 6 * nv] = (x[nq : nq + nv] - start[nq : nq + nv]) / h
    return float(error)


def law_of_piece(model: Model, start: Array, s: float, q: Array, v: Array) -> Array:
    """Compute the law of control of a step as it is seen from the time s after its beginning, in the state q, v."""
    nq, nv = len(q), len(v)
    u, R, P, D = start[nq + nv : nq + 5 * nv].reshape(4, nv)
    if s == 0.0:
        return start[nq + nv : nq + 5 * nv]
    moved = difference(model, start[:nq], q) if P.any() else np.zeros(nv)
    return np.concatenate([u + s * R - P * moved - D * (v - start[nq : nq + nv]), R, P, D])


def put_step(arrays: Sequence[Array], slot: int, x: Array, sizes: tuple[int, int, int], impulses: slice) -> None:
    """Record acceleration and impulses of the step behind a sample, where they are wanted."""
    nq, nv, _ = sizes
    if arrays[ACCELERATION].size:
        arrays[ACCELERATION][slot, 0] = x[nq + 5 * nv : nq + 6 * nv]
    if arrays[IMPULSES].size:
        arrays[IMPULSES][slot, 0] = x[impulses]
