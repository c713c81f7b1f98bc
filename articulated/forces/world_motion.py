"""Transforms, velocities and wrenches of links, all in world axes, about the world's origin.

There, wrenches on different bodies can be added, and the Jacobian of a body has a column for each freedom on its way to the
world that is the same for all bodies beyond it.
"""

from typing import Any, NamedTuple

from pluecker.articulated.model.joints import (
    has_constant_subspace,
    joint_motion,
    joint_transform,
    subspace,
    subspace_rate,
)
from pluecker.articulated.model.layout import first_freedom, first_v, freedom_count, link_count, parent
from pluecker.spatial.algebra.transforms import (
    IDENTITY,
    compose,
    inverse_transform_motion,
    load_transform,
    store_transform,
)
from pluecker.spatial.algebra.vectors import (
    add,
    add3,
    add_cross3,
    cross3,
    load3,
    load_vector,
    rotate_back,
    scale,
    store3,
    store_vector,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, lift, load, store

__all__ = [
    "COLUMN", "FIXED", "LOAD", "MOMENTS", "TRANSFORM", "VELOCITY", "WRENCH", "WorldState", "add_load", "add_moments",
    "add_wrench", "motion_slope", "point_velocity", "store_columns", "subspace_slope", "velocity_slope", "world_motion",
    "world_point",
]  # fmt: skip

TRANSFORM, VELOCITY, COLUMN = 12, 6, 6
# the load on a link: a wrench of forces that keep their direction, the sum p f' over their points, a wrench that turns along
WRENCH, MOMENTS, FIXED = 0, 6, 15
LOAD = 21


class WorldState(NamedTuple):
    """State of a mechanism, and what follows from it in world axes.

    Attributes:
        q, v: configuration and velocity.
        X, V: transforms and velocities of links.
        J: columns of freedoms.
        unit: zeros, ``(nv,)``, of which derivatives set one to 1 for a while.
    """

    q: Any
    v: Any
    X: Any
    V: Any
    J: Any
    unit: Any


@kernel
def world_motion(m, q, v, X, V):
    """Compute for each link the transform from the world, and its velocity in world coordinates"""
    store_transform(X, 0, IDENTITY)
    store_vector(V, 0, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for i in range(1, link_count(m) + 1):
        p = parent(m, i)
        Xi = compose(joint_transform(m, i, q), load_transform(X, TRANSFORM * p))
        store_transform(X, TRANSFORM * i, Xi)
        vJ = inverse_transform_motion(Xi, joint_motion(m, i, q, v))
        store_vector(V, VELOCITY * i, add(load_vector(V, VELOCITY * p), vJ))


@kernel
def store_columns(m, q, X, J):
    """Compute for each freedom its column of the Jacobian, in world coordinates"""
    for i in range(1, link_count(m) + 1):
        Xi = load_transform(X, TRANSFORM * i)
        for k in range(freedom_count(m, i)):
            column = inverse_transform_motion(Xi, subspace(m, i, k, q))
            store_vector(J, COLUMN * (first_freedom(m, i) + k), column)


@kernel
def world_point(X, i, place):
    """Return a point of link ``i``, given in its coordinates, in world coordinates"""
    E, r = load_transform(X, TRANSFORM * i)
    return add3(r, rotate_back(E, place))


@kernel
def point_velocity(V, i, p):
    """Return dp/dt = v + w x p"""
    vi = load_vector(V, VELOCITY * i)
    return add_cross3(vi[1], vi[0], p)


# ------------------------------------------------------------------------------------------------ the derivatives of motions


@kernel
def subspace_slope(m, i, a, k, q, unit):
    """Return dS_a/dq_k of joint ``i``, in link coordinates: zero for joints whose S is constant"""
    zero = lift(0.0, load(unit, 0))
    slope = ((zero, zero, zero), (zero, zero, zero))
    if not has_constant_subspace(m, i):
        store(unit, first_v(m, i) + k, 1.0)
        slope = subspace_rate(m, i, a, q, unit)
        store(unit, first_v(m, i) + k, 0.0)
    return slope


@kernel
def motion_slope(m, i, k, q, v, unit):
    """Return d(S v)/dq_k of joint ``i``, in link coordinates"""
    zero = lift(0.0, load(unit, 0))
    slope = ((zero, zero, zero), (zero, zero, zero))
    if not has_constant_subspace(m, i):
        for a in range(freedom_count(m, i)):
            slope = add(slope, scale(load(v, first_v(m, i) + a), subspace_slope(m, i, a, k, q, unit)))
    return slope


@kernel
def velocity_slope(m, i, k, body, state):
    """Return dV_b/dq_k of a link ``b`` beyond freedom k of joint ``i``: J_k x (V_b - V_p) + d(S v)/dq_k

    What lies beyond the freedom moves by its column, and so do all motions of joints beyond it.
    """
    q, v, X, V, J, unit = state
    Jk = load_vector(J, COLUMN * (first_freedom(m, i) + k))
    Vb, Vp = load_vector(V, VELOCITY * body), load_vector(V, VELOCITY * parent(m, i))
    w = (Vb[0][0] - Vp[0][0], Vb[0][1] - Vp[0][1], Vb[0][2] - Vp[0][2])
    u = (Vb[1][0] - Vp[1][0], Vb[1][1] - Vp[1][1], Vb[1][2] - Vp[1][2])
    own = inverse_transform_motion(load_transform(X, TRANSFORM * i), motion_slope(m, i, k, q, v, unit))
    return add(own, (cross3(Jk[0], w), add_cross3(cross3(Jk[0], u), Jk[1], w)))


# ---------------------------------------------------------------------------------------------------------------- the loads


@kernel
def add_wrench(loads, i, part, f):
    """Add a wrench on link ``i`` to one part of its load"""
    k = LOAD * i + part
    store_vector(loads, k, add(load_vector(loads, k), f))


@kernel
def add_load(loads, i, p, f):
    """Add a force at the point ``p`` of link ``i`` that keeps its direction to its load: (p x f, f), and p f'"""
    add_wrench(loads, i, WRENCH, (cross3(p, f), f))
    for j in range(3):
        k = LOAD * i + MOMENTS + 3 * j
        pj = p[0] if j == 0 else p[1] if j == 1 else p[2]
        store3(loads, k, add3(load3(loads, k), (pj * f[0], pj * f[1], pj * f[2])))


@kernel
def add_moments(loads, i, p):
    """Add the load of link ``i`` to that of link ``p``"""
    for k in range(LOAD):
        accumulate(loads, LOAD * p + k, load(loads, LOAD * i + k))
