"""An explicit Runge-Kutta pair in Munthe-Kaas form: its trials, when one is taken, and the state at its end.

A trial over the time h from (q, v) gives the rates of all stages, of the displacement and of the velocity; the last stage is
the end of the step. It is taken if the error, which is made of the rates, is within the tolerance.

Sources: Hairer, Norsett and Wanner (1993), section II.4; Munthe-Kaas (1999).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pluecker.articulated.model.joints import carry_joint
from pluecker.articulated.model.layout import (
    configuration_count,
    link_count,
    owns_coordinates,
    velocity_count,
)
from pluecker.articulated.stepping.explicit.motion_rate import arrive, displace, displacement_rate
from pluecker.articulated.stepping.terms.rows import coordinate, row_count
from pluecker.articulated.stepping.terms.scenario import HEADER, rows
from pluecker.spatial.dense.laws import copy_vector
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, part, store, tail

__all__ = [
    "MOST_STEPS",
    "SHORTEST",
    "TOLERANCE",
    "Pair",
    "attempt_kernel",
    "combination",
    "land_kernel",
    "memory_kernel",
    "tolerance",
    "trial_kernel",
    "worse",
]

TOLERANCE = HEADER - 1  # where a scenario has the tolerance; zero stands for the usual one
USUAL = 1e-9
MOST_STEPS = 10_000  # steps in one: more are no progress
SHORTEST = 1e-14  # of the step


@dataclass(frozen=True, eq=False)
class Pair:
    """Record of a pair: the properties and kernels in which pairs differ.

    Attributes:
        order: the power of the step with which the error falls.
        nodes: time of each stage, as a share of the step.
        memory_of: the layout of the workspace, a kernel of :func:`memory_kernel`.
        combine: what a stage adds to the state, a kernel of :func:`combination`.
        error_of: the error of a trial as a share of the tolerance, NaN where any number is none.
    """

    order: int
    nodes: tuple[float, ...]
    memory_of: Callable[..., Any]
    combine: Callable[..., Any]
    error_of: Callable[..., Any]


def memory_kernel(stages: int) -> Callable[..., Any]:
    """Make the kernel that divides the workspace of a pair of so many stages"""

    @kernel
    def memory_of(m, c, ws):
        """Return (held, modes, rates_u, rates_v, u, x, a, w, y, rest), parts of the workspace

        The model with rows held, the modes of rows, the rates of the stages ``(stages, nv)``; scratch memory: u, x, a, w of
        nv numbers, y of a configuration, and what is left.
        """
        nq, nv, n = configuration_count(m), velocity_count(m), row_count(rows(c))
        u, x, a, w = part(ws, 0, nv), part(ws, nv, nv), part(ws, 2 * nv, nv), part(ws, 3 * nv, nv)
        rates_u, rates_v = part(ws, 4 * nv, stages * nv), part(ws, (4 + stages) * nv, stages * nv)
        rest = tail(ws, (4 + 2 * stages) * nv)
        y, modes, held = part(rest, 0, nq), part(rest, nq, n), part(rest, nq + n, len(m))
        return held, modes, rates_u, rates_v, u, x, a, w, y, tail(rest, nq + n + len(m))

    return memory_of


def combination(shares: tuple[tuple[float, ...], ...]) -> Callable[..., Any]:
    """Make the kernel of what stages add to the state"""

    @kernel
    def combine(m, stage, h, rates, out):
        """out = h sum a_sj k_j: what stage ``stage`` adds to the state, from the rates (stages, nv) of those before"""
        nv = velocity_count(m)
        for k in range(nv):
            x = 0.0
            for j in range(stage):
                x += shares[stage][j] * load(rates, nv * j + k)
            store(out, k, h * x)

    return combine


def trial_kernel(pair: Pair, rate: Callable[..., Any]) -> Callable[..., Any]:
    """Make the kernel of the stages of one trial"""
    stages, nodes, memory_of, combine = len(pair.nodes), pair.nodes, pair.memory_of, pair.combine

    @called_kernel
    def trial(m, c, s, h, given, q, v, ws):
        """Compute from the rates of the first stage those of the others, and the displacement u and velocity x at the end"""
        nv = velocity_count(m)
        held, modes, rates_u, rates_v, u, x, _, _, y, rest = memory_of(m, c, ws)
        for stage in range(1, stages):
            combine(held, stage, h, rates_u, u)
            combine(held, stage, h, rates_v, x)
            for k in range(nv):
                store(x, k, load(v, k) + load(x, k))
            displace(held, q, u, y)
            displacement_rate(held, u, x, part(rates_u, stage * nv, nv))
            rate(held, c, s + nodes[stage] * h, given, y, x, modes, part(rates_v, stage * nv, nv), rest)

    return trial


@kernel
def tolerance(c):
    """Return the tolerance of a scenario"""
    return load(c, TOLERANCE) if load(c, TOLERANCE) > 0.0 else USUAL


@kernel
def worse(e, x):
    """Return the larger of two errors; NaN if one is, whichever comes first: no trial is taken with it"""
    return e if x <= e or e != e else x


def attempt_kernel(pair: Pair, trial: Callable[..., Any]) -> Callable[..., Any]:
    """Make the kernel that repeats trials until one is within the tolerance"""
    error_of, power = pair.error_of, -1.0 / pair.order

    @kernel
    def attempt(m, c, s, dt, shortest, given, q, v, ws):
        """Repeat trials with shorter steps; return the length of the step that is taken, and its error"""
        while True:
            trial(m, c, s, dt, given, q, v, ws)
            e = error_of(m, c, dt, v, ws)
            if e <= 1.0 or dt < shortest:
                return dt, e
            dt *= max(0.2, 0.9 * e**power) if e < 1e10 else 0.2

    return attempt


def land_kernel(pair: Pair) -> Callable[..., Any]:
    """Make the kernel of the end of a step that is taken"""
    memory_of = pair.memory_of

    @kernel
    def land(m, c, q, v, start, ws):
        """Compute the state at the end of a step, and ``start`` in its chart; rows that are held stand still"""
        _, modes, _, _, u, x, a, w, y, _ = memory_of(m, c, ws)
        arrive(m, q, u, x, y, a)
        for i in range(1, link_count(m) + 1):
            if owns_coordinates(m, i):
                carry_joint(m, i, q, y, start, w)
        copy_vector(configuration_count(m), y, q)
        copy_vector(velocity_count(m), a, v)
        copy_vector(velocity_count(m), w, start)
        for k in range(row_count(rows(c))):
            if load(modes, k) == 0.0:
                store(v, coordinate(rows(c), k), 0.0)

    return land
