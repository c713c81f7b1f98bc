"""The joint forces of control during a step, from what the user gives: one kernel for all kinds of control.

What an integrator gets is a law, ``tau(s) = u + s R - P d(q0, q) - D (v - v0)`` with s the time since the beginning of the
step and d the displacement since then. With references ``q_r(t), v_r(t)`` and gains,

    tau = tau_f(t) + P d(q, q_r) + D (v_r - v)      u = that at the beginning,   R = d tau_f/dt + P dq_r/dt + D dv_r/dt

so that an implicit integrator takes q and v at the end of the step. A control that is sampled has R = P = D = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.articulated.algorithms.configuration.integrate import difference_kernel, integrate_kernel
from pluecker.articulated.model.layout import clear, configuration_count, velocity_count
from pluecker.articulated.stepping.control.control_function import BLOCK, CALLER, FUNCTION
from pluecker.articulated.stepping.control.signals import Access, last_knot, signal_kernel
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, part, select, smaller, store, tail

__all__ = [
    "CALLER", "CONTROL_SETTINGS", "DELAY", "EARLY", "EXTERNAL", "FEEDBACK", "FOLLOWING", "FUNCTION", "GAINS", "HELD",
    "LIMITED", "LIMITS", "PERIOD", "POSITION", "SIGNALS", "STEP", "TORQUE", "VELOCITY", "WRENCH", "control_kernel",
    "control_workspace", "differences",
]  # fmt: skip

# settings, integers: behind the user's function and what calls it, whether Python sets u; whether there are gains, and what
# v_r is; whether control is sampled; the steps from one sample to the next; the samples by which the actuators answer late;
# whether there are actuators or limits
EXTERNAL, FEEDBACK, HELD, PERIOD, DELAY, LIMITED, CONTROL_SETTINGS = range(2, 9)
GAINS, FOLLOWING = 1, 2  # of FEEDBACK: with v_r of its own, or the rate of q_r
# numbers: the step, the error up to which one is taken, then gear, saturation and effort limit of each coordinate
STEP, LIMITS = 0, 2
# the signals, in this order: torque, q_r, v_r, P, D, the wrenches on the bodies, the parameters of the function
TORQUE, POSITION, VELOCITY, STIFFNESS, DAMPING, WRENCH, PARAMETERS = SIGNALS = range(7)
EARLY = 1e-9  # of a step, by which a knot may come late by rounding


@kernel
def limited(x, bound):
    """Clip x to [-bound, bound]"""
    return select(smaller(bound, x), bound, select(smaller(x, -bound), -bound, x))


@kernel
def cut_law(law, nv, k, gear, bound):
    """Apply bound and gear to coordinate k of a law; a u that reaches a bound stays there during the step"""
    u = load(law, k)
    free = select(smaller(u * u, bound * bound), gear, 0.0)
    store(law, k, gear * limited(u, bound))
    for j in range(1, 4):
        store(law, j * nv + k, free * load(law, j * nv + k))


@called_kernel
def actuate(m, settings, numbers, i, law, ring):
    """Apply saturation, gear and delay of the actuators, then the effort limits of the joints"""
    nv, delay = velocity_count(m), load(settings, DELAY)
    limits = tail(numbers, LIMITS)
    place = (i // load(settings, PERIOD)) % max(delay, 1) * nv
    for k in range(nv):
        cut_law(law, nv, k, load(limits, k), load(limits, nv + k))
        if delay > 0:
            late = load(ring, place + k)
            store(ring, place + k, load(law, k))
            store(law, k, late)
        cut_law(law, nv, k, 1.0, load(limits, 2 * nv + k))


@kernel
def move_reference(m, q, rate, s, out, ws):
    """out = q moved along the rate for the time s"""
    for k in range(velocity_count(m)):
        store(ws, k, s * load(rate, k))
    integrate_kernel(m, q, ws, out, ws)


@called_kernel
def differences(m, q0, q1, out):
    """d(q0, q1) of all joints"""
    difference_kernel(m, q0, q1, out, out)


def control_kernel(access: Access) -> Callable[..., Any]:
    """Make the kernel that computes the law of the step ``i``, for one state or for eight."""
    fetch, call, signal_at = access.fetch, access.call, signal_kernel(access)

    @called_kernel
    def with_slope(signal, b, t, h, out, slope, ws):
        """Evaluate a signal, and its rate of change during the step"""
        signal_at(signal, b, t, out, ws)
        times, width, linear = signal[1], signal[3], signal[4]
        if linear == 0 or len(times) == 1:
            clear(slope, width)
            return
        signal_at(signal, b, t + h, slope, ws)
        for k in range(width):
            store(slope, k, (load(slope, k) - load(out, k)) / h)

    @called_kernel
    def reference_at(m, signal, b, t, early, reference, rate, ws):
        """Evaluate q_r(t), and its velocity from knot to knot: zero after the last one, and for values that are held"""
        nq, nv = configuration_count(m), velocity_count(m)
        values, times, states, width, linear = signal
        knot, rest = part(ws, 0, nq), tail(ws, nq)
        i = last_knot(times, t + early)
        fetch(values, states, width, i, b, knot)
        clear(rate, nv)
        if linear != 0 and i + 1 < len(times) and t + early >= load(times, i):
            fetch(values, states, width, i + 1, b, reference)
            differences(m, knot, reference, rate)
            for k in range(nv):
                store(rate, k, load(rate, k) / (load(times, i + 1) - load(times, i)))
        move_reference(m, knot, rate, max(t - load(times, i), 0.0), reference, rest)

    @called_kernel
    def add_feedback(m, following, signals, b, t, h, state, ws):
        nq, nv, law = configuration_count(m), velocity_count(m), state.law
        moved, rest = part(ws, 0, nq), tail(ws, nq)
        rate, vr, slope, d = part(rest, 0, nv), part(rest, nv, nv), part(rest, 2 * nv, nv), part(rest, 3 * nv, nv)
        reference_at(m, signals[POSITION], b, t, EARLY * h, moved, rate, tail(rest, 3 * nv))
        differences(m, state.q, moved, d)
        with_slope(signals[VELOCITY], b, t, h, vr, slope, tail(rest, 4 * nv))
        if following:
            for k in range(nv):
                store(vr, k, load(rate, k))
        P, D = part(law, 2 * nv, nv), part(law, 3 * nv, nv)
        fetch(signals[STIFFNESS][0], signals[STIFFNESS][2], nv, 0, b, P)
        fetch(signals[DAMPING][0], signals[DAMPING][2], nv, 0, b, D)
        for k in range(nv):
            p, r = load(P, k), load(D, k)
            accumulate(law, k, p * load(d, k) + r * (load(vr, k) - load(state.v, k)))  # u
            accumulate(law, nv + k, p * load(rate, k) + r * load(slope, k))  # R

    @kernel
    def control_law(env, b, i, state, ws):
        """Compute the law of state ``b`` for step ``i``; see ``Environment`` and ``State`` of the loop"""
        m, settings, signals, law = env.model, env.settings, env.signals, state.law
        nv, h = velocity_count(m), load(env.numbers, STEP)
        t = h * i
        if load(settings, EXTERNAL) == 0:
            u, R = part(law, 0, nv), part(law, nv, nv)
            clear(tail(law, nv), 3 * nv)
            if load(settings, FUNCTION) != 0:
                values, _, states, width, _ = signals[PARAMETERS]
                parameters = part(ws, 0, width)
                fetch(values, states, width, 0, b, parameters)
                clear(u, nv)
                call(settings, t, state.q, state.v, u, parameters, tail(ws, width))
            else:
                with_slope(signals[TORQUE], b, t, h, u, R, ws)
            if load(settings, FEEDBACK) != 0:
                add_feedback(m, load(settings, FEEDBACK) == FOLLOWING, signals, b, t, h, state, ws)
            if load(settings, HELD) != 0:
                clear(tail(law, nv), 3 * nv)
        if load(settings, LIMITED) != 0:
            actuate(m, settings, env.numbers, i, law, state.ring)

    return control_law


def control_workspace(nq: int, nv: int, parameters: int) -> int:
    """Count the numbers of scratch memory that the kernel needs."""
    return max(2 * nq + 5 * nv, parameters + BLOCK + nq + 2 * nv + parameters, nv)
