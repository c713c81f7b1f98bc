"""Changes of modes of rows in the adaptive pair: at its beginning, where a reaction leaves its bounds, and by impacts.

Each is a kernel made of ``rate``, which computes accelerations with the forces of rows. ``given`` is what holds all through
a step, :class:`~pluecker.articulated.stepping.terms.stage.Given`, with its velocity in the chart of q. The workspace is laid
out by :func:`~pluecker.articulated.stepping.adaptive.pair.memory_kernel`.

Sources: Brogliato, *Nonsmooth Mechanics* (2016), chapter 5, on event-driven schemes; Hairer, Norsett and Wanner (1993),
section II.6, on events in dense output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.articulated.model.layout import body_count, clear, velocity_count
from pluecker.articulated.stepping.adaptive.dormand_prince import NODES, STAGES, between, memory_of
from pluecker.articulated.stepping.adaptive.events import approach
from pluecker.articulated.stepping.adaptive.joint_modes import hold_rows, reaction_excess, rest_modes, would_return
from pluecker.articulated.stepping.adaptive.pair import Pair
from pluecker.articulated.stepping.explicit.motion_rate import displace
from pluecker.articulated.stepping.terms.rows import coordinate, row_count
from pluecker.articulated.stepping.terms.scenario import rows
from pluecker.articulated.stepping.terms.stage import Given
from pluecker.spatial.dense.laws import copy_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, part, store, tail

__all__ = ["impact_kernel", "release_kernel", "settle_kernel"]

HALVINGS = 40  # of the time in which a reaction leaves its bounds
PUSH = 1e8  # of a unit force: what else acts is rounded away when its effect is subtracted


def settle_kernel(pair: Pair, rate: Callable[..., Any]) -> Callable[..., Any]:
    """Make the kernel that finds the modes in which a step of a pair begins"""
    memory_of = pair.memory_of

    @kernel
    def settle(m, c, s, given, q, v, ws):
        """Find modes that agree with their reactions, the model in which they hold, and the rates of the first stage"""
        t, nv = rows(c), velocity_count(m)
        n = row_count(t)
        p = memory_of(m, c, ws)
        rest_modes(t, q, v, p.modes)
        for _ in range(2 * n + 2):
            hold_rows(m, t, p.modes, p.held)
            rate(p.held, c, s, given, q, v, p.modes, p.a, p.rest)
            worst, row, mode = 0.0, -1, 0.0
            for k in range(n):
                acceleration = load(p.a, coordinate(t, k))
                if load(p.modes, k) == 0.0:
                    excess, way = reaction_excess(t, k, q, acceleration)
                    if excess > worst:
                        worst, row, mode = excess, k, way
                elif would_return(t, k, q, v, p.modes, acceleration):
                    worst, row, mode = 1e300, k, 0.0
            if row < 0:
                break
            store(p.modes, row, mode)
        copy_vector(nv, v, p.rates_u)
        copy_vector(nv, p.a, p.rates_v)

    return settle


@kernel
def lets_go(m, c, q, a, modes):
    """Return whether the reaction of any held row exceeds its bounds, with the accelerations ``a``"""
    for k in range(row_count(rows(c))):
        excess, _ = reaction_excess(rows(c), k, q, load(a, coordinate(rows(c), k)))
        if load(modes, k) == 0.0 and excess > 0.0:
            return True
    return False


def release_kernel(rate: Callable[..., Any]) -> Callable[..., Any]:
    """Make the kernel that finds when a reaction leaves its bounds"""

    @kernel
    def release(m, c, s, h, latest, given, q, v, ws):
        """Find the first x, not after ``latest``, such that a held row is let go at the time x h; 2 if there is none"""
        nv = velocity_count(m)
        p = memory_of(m, c, ws)
        last = 2.0
        for stage in range(STAGES - 1, 0, -1):
            if NODES[stage] <= latest and lets_go(m, c, q, part(p.rates_v, stage * nv, nv), p.modes):
                last = NODES[stage]
        if last > 1.0:
            return last
        first = 0.0
        for _ in range(HALVINGS):
            middle = 0.5 * (first + last)
            for k in range(nv):
                store(p.u, k, between(nv, k, middle, h, p.rates_u))
                store(p.x, k, load(v, k) + between(nv, k, middle, h, p.rates_v))
            displace(p.held, q, p.u, p.y)
            rate(p.held, c, s + middle * h, given, p.y, p.x, p.modes, p.a, p.rest)
            if lets_go(m, c, q, p.a, p.modes):
                last = middle
            else:
                first = middle
        return last

    return release


def impact_kernel(rate: Callable[..., Any]) -> Callable[..., Any]:
    """Make the kernel of impacts at limits"""

    @kernel
    def impact(m, c, q, v, ws):
        """Apply Newton's law at each limit that a coordinate approaches, the fastest first; others at rest do not resist"""
        t, nb = rows(c), body_count(m)
        n, nv = row_count(t), velocity_count(m)
        p = memory_of(m, c, ws)
        modes, a, w, rest = p.modes, p.a, p.w, p.rest
        none, law, f, rest = (
            part(rest, 0, nv),
            part(rest, nv, 4 * nv),
            part(rest, 5 * nv, 6 * nb),
            tail(rest, 5 * nv + 6 * nb),
        )
        clear(law, 4 * nv)
        clear(f, 6 * nb)
        clear(none, nv)
        clear(modes, n)
        given = Given(q, none, law, f)
        for hit in range(10 * n):
            fastest, row = 0.0, -1
            for k in range(n):
                speed, _, _ = approach(t, k, q, v)
                if speed > fastest:
                    fastest, row = speed, k
            if row < 0:
                return
            j = coordinate(t, row)
            speed, way, back = approach(t, row, q, v)
            rate(m, c, 0.0, given, q, none, modes, a, rest)
            store(law, j, PUSH)
            rate(m, c, 0.0, given, q, none, modes, w, rest)
            store(law, j, 0.0)
            r = (speed + back) / (load(w, j) - load(a, j))  # v+ = v - H^-1 e_j r, with v_j+ = -e v_j
            if hit < 9 * n:
                for k in range(nv):
                    store(v, k, load(v, k) - way * r * (load(w, k) - load(a, k)))
            store(v, j, -way * back)

    return impact
