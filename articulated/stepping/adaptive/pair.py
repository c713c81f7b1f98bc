"""An explicit Runge-Kutta pair in Munthe-Kaas form: its trials, when one is taken, and the state at its end.

A trial over the time h from (q, v) gives the rates of all stages, of the displacement and of the velocity; the last stage is
the end of the step. It is taken if the error, which is made of the rates, is within the tolerance.

Sources: Hairer, Norsett and Wanner (1993), section II.4; Munthe-Kaas (1999).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from pluecker.articulated.model.joints import carry_joint
from pluecker.articulated.model.layout import (
    configuration_count,
    link_count,
    owns_coordinates,
    velocity_count,
)
from pluecker.articulated.running.arguments import Array
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


class Memory(NamedTuple):
    """Parts of the workspace of a pair, views of scalar arrays.

    Attributes:
        held: the model with rows held.
        modes: of rows.
        rates_u, rates_v: of the stages, ``(stages, nv)``.
        u, x, a, w: scratch memory of nv numbers; at the end of a trial u and x have displacement and velocity there.
        y: scratch memory of a configuration.
        rest: what is left.
    """

    held: Array
    modes: Array
    rates_u: Array
    rates_v: Array
    u: Array
    x: Array
    a: Array
    w: Array
    y: Array
    rest: Array


def memory_kernel(stages: int) -> Callable[..., Any]:
    """Make the kernel that divides the workspace of a pair of so many stages"""

    @kernel
    def memory_of(m, c, ws):
        """Partition the workspace"""
        nq, nv, n = configuration_count(m), velocity_count(m), row_count(rows(c))
        u, x, a, w = part(ws, 0, nv), part(ws, nv, nv), part(ws, 2 * nv, nv), part(ws, 3 * nv, nv)
        rates_u, rates_v = part(ws, 4 * nv, stages * nv), part(ws, (4 + stages) * nv, stages * nv)
        rest = tail(ws, (4 + 2 * stages) * nv)
        y, modes, held = part(rest, 0, nq), part(rest, nq, n), part(rest, nq + n, len(m))
        return Memory(held, modes, rates_u, rates_v, u, x, a, w, y, tail(rest, nq + n + len(m)))

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
        p = memory_of(m, c, ws)
        for stage in range(1, stages):
            combine(p.held, stage, h, p.rates_u, p.u)
            combine(p.held, stage, h, p.rates_v, p.x)
            for k in range(nv):
                store(p.x, k, load(v, k) + load(p.x, k))
            displace(p.held, q, p.u, p.y)
            displacement_rate(p.held, p.u, p.x, part(p.rates_u, stage * nv, nv))
            rate(p.held, c, s + nodes[stage] * h, given, p.y, p.x, p.modes, part(p.rates_v, stage * nv, nv), p.rest)

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
        p = memory_of(m, c, ws)
        arrive(m, q, p.u, p.x, p.y, p.a)
        for i in range(1, link_count(m) + 1):
            if owns_coordinates(m, i):
                carry_joint(m, i, q, p.y, start, p.w)
        copy_vector(configuration_count(m), p.y, q)
        copy_vector(velocity_count(m), p.a, v)
        copy_vector(velocity_count(m), p.w, start)
        for k in range(row_count(rows(c))):
            if load(p.modes, k) == 0.0:
                store(v, coordinate(rows(c), k), 0.0)

    return land
