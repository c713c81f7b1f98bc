"""Displacements ``u`` from a configuration ``q0``, nv numbers, as coordinates of the configurations around it.

A Runge-Kutta method of Munthe-Kaas adds up displacements, not configurations: ``q = q0 exp(u)`` joint by joint, so that a
quaternion stays of unit length, and

    du/dt = dexp_-u^-1 v

which is v itself wherever q is a line. Exponential coordinates are a line too, within one chart; the step ends with the
shorter equivalent vector, and the velocity follows it.

Source: H. Munthe-Kaas, "High order Runge-Kutta methods on manifolds", *Applied Numerical Mathematics* 29 (1999); Iserles,
Munthe-Kaas, Norsett, Zanna, "Lie-group methods", *Acta Numerica* 9 (2000), sections 3 and 4.
"""

from pluecker.articulated.model.joint_displacement import displace_joint, displacement_rate_joint
from pluecker.articulated.model.joints import carry_joint, integrate_joint
from pluecker.articulated.model.layout import link_count, owns_coordinates
from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = ["arrive", "displace", "displacement_rate"]


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
