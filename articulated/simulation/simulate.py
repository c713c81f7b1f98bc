"""Motion under given joint forces, by the Runge-Kutta method DOP853 of SciPy between the samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from pluecker.articulated.algorithms.aba import aba
from pluecker.articulated.model.joints import rate_joint
from pluecker.articulated.model.layout import link_count, owns_coordinates
from pluecker.articulated.model.model import Model
from pluecker.articulated.simulation.trajectory import Trajectory
from pluecker.spatial.compiled.decorators import kernel

__all__ = ["configuration_rate", "simulate"]

Array = NDArray[np.float64]


def configuration_rate(model: Model, q: Array, v: Array) -> Array:
    """dq/dt from the velocity, of one state: the same, but for quaternions, d/dt p = 1/2 p w, and for positions of free
    joints, R v.

    Source: RBDA section 4.5, with the angular velocity in body coordinates.
    """
    rate = np.empty(model.nq)
    configuration_rate_kernel(model.packed, q, v, rate)
    return rate


@kernel
def configuration_rate_kernel(m, q, v, rate):
    """Each joint by itself"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            rate_joint(m, i, q, v, rate)


def simulate(
    model: Model,
    time: Array,
    tau: Array,
    q: Array,
    v: Array,
    tolerance: float = 1e-9,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> Trajectory:
    """The motion from the state ``q, v`` under joint forces, linear between their samples.

    Args:
        model: the mechanism.
        time: rising, ``(n,)``; s.
        tau: joint forces at these times, ``(n, nv)``; N m or N.
        q, v: the state at ``time[0]``, ``(nq,)`` and ``(nv,)``.
        tolerance: relative and absolute, of each step.
        progress: wraps the iteration over the intervals, for a progress bar.

    Returns:
        A trajectory with ``time, q, v, a, tau``.

    Raises:
        ArithmeticError: the integrator cannot keep the tolerance; the message says at what time.
        SingularInertiaError: as :func:`aba`.
    """
    quaternions = list(model.quaternion_slices().values())

    def normalized(y: Array) -> tuple[Array, Array]:
        q, v = y[: model.nq].copy(), y[model.nq :]
        for part in quaternions:
            q[part] /= np.linalg.norm(q[part])
        return q, v

    def rate(t: float, y: Array, k: int) -> Array:
        q, v = normalized(y)
        s = (t - time[k]) / (time[k + 1] - time[k])
        a = aba(model, q, v, (1.0 - s) * tau[k] + s * tau[k + 1])
        return np.concatenate([configuration_rate(model, q, v), a])

    states = [np.concatenate([q, v])]
    between = {"method": "DOP853", "rtol": max(tolerance, 1e-13), "atol": tolerance}
    for k in progress(range(len(time) - 1)):
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is an error below, no warning too
            step = solve_ivp(rate, (time[k], time[k + 1]), states[-1], args=(k,), **between)
        if not step.success:
            raise ArithmeticError(f"the motion cannot be followed beyond t = {step.t[-1]:.6g} s: {step.message}")
        states.append(np.concatenate(normalized(step.y[:, -1])))
    y = np.array(states)
    q_all, v_all = np.ascontiguousarray(y[:, : model.nq]), np.ascontiguousarray(y[:, model.nq :])
    return Trajectory(time, q_all, v_all, aba(model, q_all, v_all, tau), tau)
