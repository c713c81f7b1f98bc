"""The classical Runge-Kutta method of order four, in Munthe-Kaas form: "rk4".

    stage   displacement        velocity             k_u = dexp_-u^-1 v     k_v = a(q0 exp(u), v)
    1       0                   v0
    2       h/2 k_u1            v0 + h/2 k_v1
    3       h/2 k_u2            v0 + h/2 k_v2
    4       h k_u3              v0 + h k_v3
    end     h/6 (k1 + 2 k2 + 2 k3 + k4) of both

Sources: Munthe-Kaas (1999); Hairer, Norsett and Wanner (1993), section II.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.articulated.model.layout import clear, configuration_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.stepping.explicit.motion_rate import (
    SOLVERS,
    acceleration_kernel,
    acceleration_workspace,
    arrive,
    displace,
    displacement_rate,
)
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, store, tail

__all__ = ["RK4", "runge_kutta_kernel", "runge_kutta_numbers"]


def runge_kutta_kernel(acceleration: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a step with these accelerations, of :func:`acceleration_kernel` or others of the same arguments."""

    @kernel
    def runge_kutta_step(m, c, h, given, q1, v1, memory, ws):
        """Take one step; the workspace holds a stage, its rates, and the weighted sums of rates, in this order"""
        nv, (q, v, _, _) = velocity_count(m), given
        u, x = ws, tail(ws, nv)  # the displacement and the velocity of a stage
        k_u, k_v = tail(x, nv), tail(x, 2 * nv)
        sum_u, sum_v = tail(x, 3 * nv), tail(x, 4 * nv)
        stage_q = tail(x, 5 * nv)
        rest = tail(stage_q, configuration_count(m))
        clear(ws, 6 * nv)
        for stage in range(4):
            s = 0.0 if stage == 0 else 1.0 if stage == 3 else 0.5
            weight = 1.0 / 6.0 if stage == 0 or stage == 3 else 1.0 / 3.0
            for k in range(nv):
                store(u, k, s * h * load(k_u, k))
                store(x, k, load(v, k) + s * h * load(k_v, k))
            displace(m, q, u, stage_q)
            displacement_rate(m, u, x, k_u)
            acceleration(m, c, s * h, given, stage_q, x, k_v, rest)
            for k in range(nv):
                accumulate(sum_u, k, weight * h * load(k_u, k))
                accumulate(sum_v, k, weight * h * load(k_v, k))
        for k in range(nv):
            store(x, k, load(v, k) + load(sum_v, k))
        arrive(m, q, sum_u, x, q1, v1)
        return 0.0 * load(x, 0)

    return runge_kutta_step


def runge_kutta_numbers(model: Model) -> int:
    """Count the numbers of scratch memory that the step needs besides those of accelerations."""
    return 6 * model.nv + model.nq


def runge_kutta(solver: Algorithm, **options: Any) -> Integrator:
    """The integrator with that algorithm for accelerations."""
    workspace = acceleration_workspace(solver)
    return Integrator(
        "rk4",
        order=4,
        step=runge_kutta_kernel(acceleration_kernel(solver)),
        workspace=lambda model, scenario: runge_kutta_numbers(model) + workspace(model),
        **options,
    )


RK4 = runge_kutta(SOLVERS[False], with_mimic=runge_kutta(SOLVERS[True], listed=False))
