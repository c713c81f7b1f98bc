"""Euler's method as documents on multibody animation have it, with two updates of orientation: for comparison.

    v1 = v + h a(q, v)
    finite           q1 = q exp(h v1)                     "euler": each joint moves for the time h at the velocity v1
    infinitesimal    q1 = (q + h dq/dt(q, v1)) / |.|      "euler_infinitesimal": quaternions go along their tangent, and are
                                                          brought back to unit length; positions likewise go straight on

The infinitesimal update turns by 2 atan(|w| h / 2) where it should turn by |w| h: too little by the share (w h)^2 / 12, so
that a wheel with 100 rad/s and steps of 10 ms loses 7 % of its turns. When the wheel is steered, its axle goes on a circle
about the angular velocity, along a chord of which either update takes it: too short by the share (w h)^2 / 24 with the
finite one, and by (w h)^2 / 8 with the infinitesimal one. So the finite update mends the first error, and two thirds of the
second.

Both are explicit in the gyroscopic forces, and make energy from them; for simulations there are better ones.

Sources: K. Erleben, *Stable, robust, and versatile multibody dynamics animation* (PhD thesis, 2005); source document 000,
docs/sources.md, the generalised position update and the remark on fast wheels below it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.articulated.model.joints import integrate_joint, rate_joint
from pluecker.articulated.model.layout import (
    clear,
    configuration_count,
    link_count,
    owns_coordinates,
    quaternion_count,
    quaternion_place,
    velocity_count,
)
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.stepping.explicit.motion_rate import (
    SOLVERS,
    acceleration_kernel,
    acceleration_workspace,
    arrive,
)
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.spatial.algebra.rotations import load_quaternion, quaternion_normalize, store_quaternion
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store, tail

__all__ = ["EULER", "EULER_INFINITESIMAL", "along_tangent"]


@kernel
def along_tangent(m, h, q, v, q1, nothing):
    """q1 = q + h dq/dt, with quaternions of unit length; ``nothing`` has space for a velocity"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            rate_joint(m, i, q, v, q1)
    for k in range(configuration_count(m)):
        store(q1, k, load(q, k) + h * load(q1, k))
    for k in range(quaternion_count(m)):
        place = quaternion_place(m, k)
        store_quaternion(q1, place, quaternion_normalize(load_quaternion(q1, place)))
    clear(nothing, velocity_count(m))
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):  # a rotation vector beyond half a turn is replaced by the shorter one
            integrate_joint(m, i, q1, nothing, q1)


def step_kernel(solver: Algorithm, finite: bool) -> Callable[..., Any]:
    """The kernel of a step with that update of orientation."""
    acceleration = acceleration_kernel(solver)

    @kernel
    def euler_step(m, c, h, given, q1, v1, memory, ws):
        """v1 = v + h a, and the configuration with it"""
        nv, (q, v, _, _) = velocity_count(m), given
        a, u, rest = ws, tail(ws, nv), tail(ws, 2 * nv)
        acceleration(m, c, 0.0 * h, given, q, v, a, rest)
        for k in range(nv):
            store(a, k, load(v, k) + h * load(a, k))
            store(u, k, h * load(a, k))
        arrive(m, q, u, a, q1, v1)
        if not finite:
            along_tangent(m, h, q, a, q1, u)
        return 0.0 * load(a, 0)

    return euler_step


def euler(name: str, finite: bool) -> Integrator:
    """The integrator with that update of orientation, and its variant for mimic joints."""

    def variant(mimic: bool, **options: Any) -> Integrator:
        solver = SOLVERS[mimic]
        acceleration = acceleration_workspace(solver)
        return Integrator(
            name, 1, step_kernel(solver, finite), lambda model, scenario: 2 * model.nv + acceleration(model), **options
        )

    return variant(False, with_mimic=variant(True, listed=False))


EULER = euler("euler", finite=True)
EULER_INFINITESIMAL = euler("euler_infinitesimal", finite=False)
