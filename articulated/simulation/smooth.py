"""Motion under given joint forces, by the Runge-Kutta method DOP853 of SciPy between the samples.

Source: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), section II.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.dynamics.aba import aba
from pluecker.articulated.errors import SimulationError, SingularInertiaError
from pluecker.articulated.model.joints import rate_joint
from pluecker.articulated.model.layout import link_count, owns_coordinates
from pluecker.articulated.model.model import Model
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, PlueckerError

__all__ = ["as_tolerance", "configuration_rate", "follow"]

Array = NDArray[np.float64]


def configuration_rate(model: Model, q: Array, v: Array) -> Array:
    """Compute dq/dt of one state from the velocity: v itself, but d/dt p = 1/2 p w for quaternions, and R v for positions
    of free joints.

    Source: RBDA section 4.5, with the angular velocity in body coordinates.
    """
    rate = np.empty(model.nq)
    configuration_rate_kernel(model.packed, q, v, rate)
    return rate


@kernel
def configuration_rate_kernel(m, q, v, rate):
    """Compute dq/dt, joint by joint"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            rate_joint(m, i, q, v, rate)


def follow(
    model: Model,
    q: Array,
    v: Array,
    time: Array,
    tau: Array,
    *,
    tol: float = 1e-9,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> Trajectory:
    """The motion of a mechanism of URDF, without exponential coordinates, from the state ``q, v`` under joint forces, linear
    between their samples; arguments are not checked.

    Args:
        model: the mechanism.
        q, v: the state at ``time[0]``, ``(nq,)`` and ``(nv,)``; quaternions of unit length.
        time: rising, ``(n,)``, at least one; s.
        tau: joint forces at these times, ``(n, nv)``; N m or N.
        tol: of each step, relative to the coordinates and absolute, above 0.
        progress: is given the numbers of the intervals and gives them back one by one, for a progress bar.

    Returns:
        A trajectory with ``time``, ``q`` ``(n, nq)``, ``v``, ``a`` and ``tau`` ``(n, nv)``.

    Raises:
        ValueError: the length of the motion overflows.
        SimulationError: the motion cannot be followed to its end; the message says at what time.
        SingularInertiaError: as :func:`aba`.

    Example:
        >>> import numpy as np
        >>> from pluecker.articulated import ModelBuilder
        >>> from pluecker.articulated.simulation.smooth import follow
        >>> lift = ModelBuilder()
        >>> lift.add_body("cabin", mass=2.0)
        >>> lift.add_joint("shaft", "prismatic", parent="world", child="cabin", axis=(0, 0, 1))
        >>> fall = follow(lift.build(), np.zeros(1), np.zeros(1), np.array([0.0, 1.0]), np.zeros((2, 1)))
        >>> fall.q[:, 0].round(6)
        array([ 0.   , -4.905])

    Source: RBDA section 3.1; Hairer, Norsett and Wanner (1993), section II.5.
    """
    n = len(time)
    with np.errstate(over="ignore"):
        if not np.isfinite(time[-1] - time[0]):
            raise ArgumentValueError(f"simulate: time goes from {time[0]} to {time[-1]}, which overflows")

    def torque(t: float) -> Array:
        k = min(max(int(np.searchsorted(time, t, side="right")) - 1, 0), n - 2)
        s = (t - time[k]) / (time[k + 1] - time[k])
        return (1.0 - s) * tau[k] + s * tau[k + 1]

    following = smooth_states(model, q, v, time, torque, tol)
    y = np.array(
        [np.concatenate([q, v]), *(state for _, state in zip(progress(range(n - 1)), following, strict=False))]
    )
    q_all, v_all = np.ascontiguousarray(y[:, : model.nq]), np.ascontiguousarray(y[:, model.nq :])
    return Trajectory(time, q_all, v_all, aba(model, q_all, v_all, tau), tau)


def smooth_states(
    model: Model,
    q: Array,
    v: Array,
    times: Iterable[float],
    force: Callable[[float], Array],
    tol: float,
) -> Iterator[Array]:
    """The states ``[q, v]`` at all times but the first, one after the other, by DOP853.

    Args:
        model: the mechanism.
        q, v: the state at the first time.
        times: rising, asked for one after the other; s.
        force: joint forces at a time.
        tol: relative and absolute.

    Raises:
        SimulationError: the motion cannot be followed; the message says at what time.
        SingularInertiaError: as :func:`aba`.
    """
    from scipy.integrate import solve_ivp  # here: it takes long to import

    between = {"method": "DOP853", "rtol": max(tol, 1e-13), "atol": tol}
    quaternions = list(model.quaternion_slices().values())

    def normalized(y: Array) -> tuple[Array, Array]:
        q, v = y[: model.nq].copy(), y[model.nq :]
        for part in quaternions:
            q[part] /= np.linalg.norm(q[part])
        return q, v

    def rate(t: float, y: Array) -> Array:
        q, v = normalized(y)
        a = aba(model, q, v, force(t))
        return np.concatenate([configuration_rate(model, q, v), a])

    state = np.concatenate([q, v])
    for begin, end in pairwise(times):
        try:
            with np.errstate(all="ignore"):  # what overflows is an error below, no warning too
                step = solve_ivp(rate, (begin, end), state, **between)
                found = np.concatenate(normalized(step.y[:, -1]))
        except SingularInertiaError:
            raise
        except PlueckerError as error:  # the state has left the range of numbers that algorithms take
            raise SimulationError(
                f"simulate: the motion cannot be followed beyond t = {begin:.6g} s: {error}"
            ) from None
        if not step.success or not np.isfinite(found).all():
            why = "its numbers overflow" if step.success else step.message
            raise SimulationError(f"simulate: the motion cannot be followed beyond t = {step.t[-1]:.6g} s: {why}")
        state = found
        yield found


# ---------------------------------------------------------------------------------------------------------------- arguments


def as_tolerance(tol: object, function: str = "simulate") -> float:
    """The tolerance as a number; ``function``: that errors name."""
    if isinstance(tol, bool) or not isinstance(tol, Real):
        raise ArgumentTypeError(f"{function}: tol is a {type(tol).__name__}, expected a number above 0")
    try:
        number = float(tol)
    except OverflowError:
        number = np.inf
    if not 0.0 < number < np.inf:
        raise ArgumentValueError(f"{function}: tol is {number}, expected a finite number above 0")
    return number
