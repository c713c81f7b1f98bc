"""Composite inertias of a list of links, and their rates of change, in the world's axes about the list's origin.

The rate of a rigid-body inertia that moves with velocity v is ``Idot = v x* I - I v x``: no mass, the linear momentum for a
first moment, and ``Jdot = w~ J - J w~ - v~ h~ - h~ v~`` for a rotational inertia; nine numbers, which add up.

Sources: RBDA section 2.14 (the rate of an inertia) and section 6.2 (composite inertias).
"""

from __future__ import annotations

from pluecker.articulated.algorithms.frames.subtree import (
    carried,
    list_length,
    list_link,
    list_parent,
    listed_transforms,
    place_listed,
)
from pluecker.articulated.model.joints import joint_motion
from pluecker.articulated.model.layout import inertia
from pluecker.spatial.algebra.inertia import (
    add_rigid,
    inverse_transform_rigid,
    load_rigid,
    rigid_times_motion,
    store_rigid,
    symmetric_times,
)
from pluecker.spatial.algebra.transforms import inverse_transform_motion, load_transform
from pluecker.spatial.algebra.vectors import (
    add,
    add3,
    add_cross3,
    cross3,
    load3,
    load_vector,
    store3,
    store_vector,
)
from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = [
    "ANGULAR", "COMPOSITE", "LINK", "RATE", "VELOCITY", "X", "collect", "composite_inertias", "composite_rates",
    "inertia_rate_times", "load_rate", "own_inertias",
]  # fmt: skip

# the workspace: for each place of the list the transform from the origin, composite inertia, velocity, rate of the composite
# inertia, and angular momentum of all that is carried, about the origin; place 0 has the sum of the rates of all
X, COMPOSITE, VELOCITY, RATE, ANGULAR = 0, 12, 22, 28, 37
LINK = 40
NOTHING = (0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


@kernel
def own_inertias(m, c, q, ws):
    """The inertia of each link of the subtree; gives back the first moment of all together"""
    origin = listed_transforms(m, c, q, ws, LINK)
    store_rigid(ws, COMPOSITE, NOTHING)
    moment = load3(ws, COMPOSITE + 1)
    for k in range(1, list_length(c) + 1):
        X0 = place_listed(c, k, origin, ws, LINK)
        if carried(c, k):
            I = inverse_transform_rigid(X0, inertia(m, list_link(c, k)))
            store_rigid(ws, LINK * k + COMPOSITE, I)
            moment = add3(moment, I[1])
        else:
            store_rigid(ws, LINK * k + COMPOSITE, NOTHING)
    return moment


@kernel
def collect(c, k, ws):
    """Return Ic_i = I_i + the sum of the Ic of the links that it carries, after these; adds it to that of its parent"""
    Ic, p = load_rigid(ws, LINK * k + COMPOSITE), LINK * list_parent(c, k)
    if p > 0:
        store_rigid(ws, p + COMPOSITE, add_rigid(load_rigid(ws, p + COMPOSITE), Ic))
    return Ic


@kernel
def composite_inertias(m, c, q, ws):
    """Compute all composite inertias; returns the first moment of all together"""
    moment = own_inertias(m, c, q, ws)
    for k in range(list_length(c), 0, -1):
        collect(c, k, ws)
    return moment


@kernel
def composite_rates(m, c, q, v, ws):
    """Velocities of all links, then Idot = v x* I - I v x and the momenta, summed up as the inertias are"""
    n = list_length(c)
    store_vector(ws, VELOCITY, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    for k in range(n + 1):
        w = LINK * k
        store_rate(ws, w + RATE, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
        store3(ws, w + ANGULAR, (0.0, 0.0, 0.0))
        if k > 0:
            i, X0 = list_link(c, k), load_transform(ws, w + X)
            vJ = inverse_transform_motion(X0, joint_motion(m, i, q, v))
            vi = add(load_vector(ws, LINK * list_parent(c, k) + VELOCITY), vJ)
            store_vector(ws, w + VELOCITY, vi)
            if carried(c, k):
                I = inverse_transform_rigid(X0, inertia(m, i))
                momentum = rigid_times_motion(I, vi)
                store_rate(ws, w + RATE, (momentum[1], rotational_rate(I, vi)))
                store3(ws, w + ANGULAR, momentum[0])
    for k in range(n, 0, -1):
        w, p = LINK * k, LINK * list_parent(c, k)
        a, b = load_rate(ws, w + RATE), load_rate(ws, p + RATE)
        J = (a[1][0] + b[1][0], a[1][1] + b[1][1], a[1][2] + b[1][2],
             a[1][3] + b[1][3], a[1][4] + b[1][4], a[1][5] + b[1][5])  # fmt: skip
        store_rate(ws, p + RATE, (add3(a[0], b[0]), J))
        store3(ws, p + ANGULAR, add3(load3(ws, p + ANGULAR), load3(ws, w + ANGULAR)))


@kernel
def rotational_rate(I, v):
    """Jdot = w~ J - J w~ - v~ h~ - h~ v~, symmetric: six numbers

    The columns of w~ J are w x those of J, and w~ J - J w~ is that matrix and its transpose; v~ h~ = h v^T - (v . h) 1.
    """
    _, h, J = I
    w, x = v
    a = cross3(w, (J[0], J[1], J[2]))
    b = cross3(w, (J[1], J[3], J[4]))
    d = cross3(w, (J[2], J[4], J[5]))
    xx, yy, zz = h[0] * x[0], h[1] * x[1], h[2] * x[2]
    xy, xz, yz = h[0] * x[1] + h[1] * x[0], h[0] * x[2] + h[2] * x[0], h[1] * x[2] + h[2] * x[1]
    return (
        2.0 * (a[0] + yy + zz), a[1] + b[0] - xy, a[2] + d[0] - xz,
        2.0 * (b[1] + xx + zz), b[2] + d[1] - yz, 2.0 * (d[2] + xx + yy),
    )  # fmt: skip


@kernel
def inertia_rate_times(rate, S):
    """Idot S = (Jdot w + hdot x v, - hdot x w)"""
    h, J = rate
    w, v = S
    return (add_cross3(symmetric_times(J, w), h, v), cross3(w, h))


@kernel
def load_rate(array, k):
    """The rate of an inertia from nine entries of a scalar array: that of the first moment, then the rotational one."""
    a, b = load3(array, k + 3), load3(array, k + 6)
    return (load3(array, k), (a[0], a[1], a[2], b[0], b[1], b[2]))


@kernel
def store_rate(array, k, rate):
    """Write the rate of an inertia to nine entries of a scalar array."""
    store3(array, k, rate[0])
    store3(array, k + 3, (rate[1][0], rate[1][1], rate[1][2]))
    store3(array, k + 6, (rate[1][3], rate[1][4], rate[1][5]))
