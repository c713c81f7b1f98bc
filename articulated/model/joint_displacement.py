"""Displacements of joints over a step: what :mod:`~pluecker.articulated.model.joints` has at an instant, over a finite time.

A displacement ``u``, nv numbers, leads from ``q0`` to ``q0 exp(u)``: the twist of a quaternion or of a free joint in the
coordinates at the start, and a sum wherever q is a line.

Two kinds of integrators work with them. Runge-Kutta methods add up displacements (:func:`displace_joint`,
:func:`displacement_rate_joint`); there exponential coordinates are a line, within one chart. Variational ones have momenta,
which need the body's motion to more digits than the difference of two configurations has: there the displacement of
exponential coordinates is the turn of the body (:func:`body_displacement`), as that of a quaternion is.

Sources: Munthe-Kaas (1999); Iserles, Munthe-Kaas, Norsett and Zanna (2000), sections 3 and 4.
"""

from pluecker.articulated.model.exponential import difference_exponential
from pluecker.articulated.model.joints import (
    EXPONENTIAL,
    FREE,
    SPHERICAL,
    add_three,
    angular,
    integrate_joint,
    joint_motion,
)
from pluecker.articulated.model.layout import first_q, first_v, freedom_count, kind
from pluecker.spatial.algebra.rotations import (
    quaternion_from_rotation_vector,
    quaternion_product,
    rotation_vector_from_quaternion,
)
from pluecker.spatial.algebra.vectors import (
    add,
    add3,
    cross3,
    cross_motion,
    load3,
    load_vector,
    scale,
    scale3,
    store3,
    store_vector,
    subtract,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import kernel, unlikely
from pluecker.spatial.engine.scalars.operations import accumulate, load, store

__all__ = [
    "body_displacement", "displace_joint", "displacement_rate_joint", "mean_velocity", "move_displacement",
]  # fmt: skip


@kernel
def displace_joint(m, i, q, u, out):
    """q exp(u), where exponential coordinates stay in the chart of ``q``, whatever their length"""
    if unlikely(kind(m, i) == EXPONENTIAL):
        k = first_q(m, i)
        store3(out, k, add3(load3(q, k), load3(u, first_v(m, i))))
        return
    integrate_joint(m, i, q, u, out)


@kernel
def displacement_rate_joint(m, i, u, v, out):
    """du/dt of a joint that moves at ``v``: v itself where q is a line, and else

    dexp_-u^-1 v = ad / (1 - exp(-ad)) v = v + 1/2 ad v + 1/12 ad^2 v - 1/720 ad^4 v + O(u^6)      ad = u x
    """
    j = first_v(m, i)
    if kind(m, i) == SPHERICAL:
        a, w = load3(u, j), load3(v, j)
        d1 = cross3(a, w)
        d2 = cross3(a, d1)
        d4 = cross3(a, cross3(a, d2))
        store3(out, j, add3(add3(w, scale3(0.5, d1)), subtract3(scale3(1.0 / 12.0, d2), scale3(1.0 / 720.0, d4))))
    elif kind(m, i) == FREE:
        d, x = load_vector(u, j), load_vector(v, j)
        d1 = cross_motion(d, x)
        d2 = cross_motion(d, d1)
        d4 = cross_motion(d, cross_motion(d, d2))
        store_vector(out, j, add(add(x, scale(0.5, d1)), subtract(scale(1.0 / 12.0, d2), scale(1.0 / 720.0, d4))))
    else:
        for k in range(j, j + freedom_count(m, i)):
            store(out, k, load(v, k))


# ------------------------------------------------------------------------------------------------ displacements of bodies


@kernel
def body_displacement(m, i, q, u):
    """The twist by which link ``i`` moves on its parent, in its own coordinates at the start: exact, for S is constant"""
    if unlikely(kind(m, i) == EXPONENTIAL):
        return angular(load3(u, first_v(m, i)))
    return joint_motion(m, i, q, u)


@kernel
def turned_coordinates(q, a):
    """The way d of exponential coordinates when the body turns by ``a`` from ``q``: exp(q + d) = exp(q) exp(a)"""
    p = quaternion_product(quaternion_from_rotation_vector(q), quaternion_from_rotation_vector(a))
    return difference_exponential(q, rotation_vector_from_quaternion(p))


@kernel
def mean_velocity(m, i, h, q, u, q1, v):
    """The end of the displacement ``u``, in the chart of ``q``, and the constant velocity that leads there in the time h"""
    k, j = first_q(m, i), first_v(m, i)
    if unlikely(kind(m, i) == EXPONENTIAL):
        d = turned_coordinates(load3(q, k), load3(u, j))
        store3(q1, k, add3(load3(q, k), d))
        store3(v, j, scale3(1.0 / h, d))
        return
    integrate_joint(m, i, q, u, q1)
    for c in range(j, j + freedom_count(m, i)):
        store(v, c, load(u, c) / h)


@kernel
def move_displacement(m, i, s, q, v, u):
    """u += s v, the velocity as one of the body"""
    j = first_v(m, i)
    if unlikely(kind(m, i) == EXPONENTIAL):
        w, _ = joint_motion(m, i, q, v)
        add_three(u, j, scale3(s, w))
        return
    for c in range(j, j + freedom_count(m, i)):
        accumulate(u, c, s * load(v, c))
