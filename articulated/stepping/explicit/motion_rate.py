"""The acceleration at some instant of a step, with all forces that act then: what explicit integrators ask for.

Displacements ``u`` from a configuration ``q0``, nv numbers, as coordinates of the configurations around it.

A Runge-Kutta method of Munthe-Kaas adds up displacements, not configurations: ``q = q0 exp(u)`` joint by joint, so that a
quaternion stays of unit length, and

    du/dt = dexp_-u^-1 v

which is v itself wherever q is a line. Exponential coordinates are a line too, within one chart; the step ends with the
shorter equivalent vector, and the velocity follows it.

Source: H. Munthe-Kaas, "High order Runge-Kutta methods on manifolds", *Applied Numerical Mathematics* 29 (1999); Iserles,
Munthe-Kaas, Norsett, Zanna, "Lie-group methods", *Acta Numerica* 9 (2000), sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.articulated.algorithms.dynamics.aba import ABA, ABA_WITH_MIMIC
from pluecker.articulated.model.joint_displacement import displace_joint, displacement_rate_joint
from pluecker.articulated.model.joints import carry_joint, integrate_joint
from pluecker.articulated.model.layout import body_count, link_count, owns_coordinates, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.stepping.terms.stage import stage_torque, stage_workspace, stage_wrenches
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import tail

__all__ = ["SOLVERS", "acceleration_kernel", "acceleration_workspace", "arrive", "displace", "displacement_rate"]

SOLVERS = {False: ABA, True: ABA_WITH_MIMIC}  # by whether mimic joints share coordinates


def acceleration_kernel(solver: Algorithm) -> Callable[..., Any]:
    """The kernel that computes accelerations with that algorithm."""
    forward_dynamics = solver.kernel

    @kernel
    def acceleration(m, c, s, given, q, v, a, ws):
        """a at the state (q, v), a time ``s`` after the one that is given, since which the law of control holds"""
        tau, f = ws, tail(ws, velocity_count(m))
        rest = tail(f, 6 * body_count(m))
        stage_torque(m, s, given, q, v, tau)
        stage_wrenches(m, c, q, v, given.f_ext, f, rest)
        forward_dynamics(m, q, v, tau, f, a, rest)

    return acceleration


def acceleration_workspace(solver: Algorithm) -> Callable[[Model], int]:
    """Count the numbers of scratch memory that the kernel needs."""

    def workspace(model: Model) -> int:
        return model.nv + 6 * model.n_bodies + max(stage_workspace(model), int(solver.workspace(model)))

    return workspace


# displacements ``u`` from a configuration ``q0``, nv numbers, as coordinates of the configurations around it


@kernel
def displace(m, q0, u, q):
    """q = q0 exp(u), in the chart of ``q0``"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            displace_joint(m, i, q0, u, q)


@kernel
def displacement_rate(m, u, v, out):
    """du/dt = dexp_-u^-1 v"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            displacement_rate_joint(m, i, u, v, out)


@kernel
def arrive(m, q0, u, v, q1, v1):
    """The end of a step: q1 = q0 exp(u), with the shorter of equivalent vectors, and the velocity v in its chart"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            integrate_joint(m, i, q0, u, q1)
            carry_joint(m, i, q0, q1, v, v1)
