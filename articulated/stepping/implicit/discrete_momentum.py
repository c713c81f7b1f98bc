"""Discrete momenta of a tree: what each body carries from one configuration to the next, and what of it joints see.

In the time h a body turns by the rotation vector a and travels by t, both in its coordinates at the start. Its kinetic
energy is taken as that of a constant velocity of its centre of mass c and a constant angular velocity a / h:

    dc = t + (R - 1) c                 p = m dc / h
    at the start    L = V(-a)^-T x     n = L + c x p          x = I_c a / h        V(a)^-1 = 1 - 1/2 a~ + D a~ a~
    at the end      L' = V(a)^-T x     n' = L' + c x R^T p    p' = R^T p

so that a free body goes straight on, and its spin is its own affair; L and L' are one vector, seen from the body before and
after: nothing is lost on the way. (The twist log(T^-1 T') of both together, as in Lee et al., makes a spinning body depart
from its straight line by the share (w h)^2 / 12.) Joints take their share of [n; p] in an inward sweep, as of forces in
inverse dynamics.

Turns and travels follow from those of joints, outward, as small quantities; found as differences of placements, they would
have lost the digits that 1/h brings to light.

Sources: J. Marsden, M. West, "Discrete mechanics and variational integrators", *Acta Numerica* 10 (2001); Lee, Liu, Park
and Srinivasa (2016), a linear-time variational integrator for multibody systems.
"""

from pluecker.articulated.model.joint_displacement import body_displacement
from pluecker.articulated.model.joints import add_joint_force, joint_motion, joint_transforms
from pluecker.articulated.model.layout import (
    base_acceleration,
    body,
    clear,
    inertia,
    link_count,
    parent,
    velocity_count,
)
from pluecker.spatial.algebra.inertia import rigid_times_motion, symmetric_times
from pluecker.spatial.algebra.motions import translation_from_twist, twist_coefficient
from pluecker.spatial.algebra.rotations import (
    quaternion_from_rotation_vector,
    quaternion_product,
    rotation_from_quaternion,
    rotation_vector_from_quaternion,
)
from pluecker.spatial.algebra.transforms import inverse_transform_force, load_transform, transform_motion
from pluecker.spatial.algebra.vectors import (
    add,
    add3,
    cross3,
    dot,
    dot3,
    load_vector,
    rotate,
    rotate_back,
    scale,
    scale3,
    store_vector,
    subtract,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, select, smaller

__all__ = ["LINK", "begin", "move_bodies", "scale_of_momenta", "sum_end", "sum_start"]

# the workspace: for each link its transform, its velocity at the start, its turn and travel, gravity as an
# acceleration, and a force
X, V, D, A, F = 0, 12, 18, 24, 30
LINK = 36


@kernel
def begin(m, q, v, ws):
    """Outward: transforms, velocities, and what gravity is in the coordinates of each link"""
    joint_transforms(m, q, ws, LINK)
    store_vector(ws, V, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    store_vector(ws, D, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    store_vector(ws, A, base_acceleration(m))  # a_0 = -g
    for i in range(1, link_count(m) + 1):
        w, p = LINK * i, LINK * parent(m, i)
        Xi = load_transform(ws, w + X)
        store_vector(ws, w + V, add(transform_motion(Xi, load_vector(ws, p + V)), joint_motion(m, i, q, v)))
        store_vector(ws, w + A, transform_motion(Xi, load_vector(ws, p + A)))


@kernel
def move_bodies(m, q, u, ws):
    """Outward: turn and travel of each link, from those of its parent and of its joint"""
    for i in range(1, link_count(m) + 1):
        w, p = LINK * i, LINK * parent(m, i)
        a, b = body_displacement(m, i, q, u)
        t = translation_from_twist(a, b)
        if p > 0:
            E, r = load_transform(ws, w + X)
            a0, t0 = load_vector(ws, p + D)
            t0 = rotate(E, add3(t0, turned_less(a0, r)))  # the joint's frame, carried by the parent: E (R r + t - r)
            a0 = rotate(E, a0)
            p0 = quaternion_from_rotation_vector(a0)
            a = rotation_vector_from_quaternion(quaternion_product(p0, quaternion_from_rotation_vector(a)))
            t = add3(t0, rotate_back(rotation_from_quaternion(p0), t))
        store_vector(ws, w + D, (a, t))


@kernel
def turned_less(a, r):
    """(R - 1) r = V(a) (a x r), of a turn by ``a``"""
    return translation_from_twist(a, cross3(a, r))


@kernel
def discrete_momentum(m, i, end, h, ws):
    """[n; p] at the start, with ``end`` -1, or at the end, with 1"""
    mass, moment, J = inertia(m, i)
    a, t = load_vector(ws, LINK * i + D)
    c = scale3(1.0 / select(smaller(0.0, mass), mass, 0.0 * mass + 1.0), moment)
    dc = add3(t, turned_less(a, c))
    # I_c a = J a + m c x (c x a)
    x = scale3(1.0 / h, add3(symmetric_times(J, a), cross3(moment, cross3(c, a))))
    ax = cross3(a, x)
    L = add3(subtract3(x, scale3(0.5 * end, ax)), scale3(twist_coefficient(dot3(a, a)), cross3(a, ax)))
    p = scale3(mass / h, dc)
    if end > 0.0:
        p = rotate(rotation_from_quaternion(quaternion_from_rotation_vector(a)), p)
    return (add3(L, cross3(c, p)), p)


@kernel
def impulse(m, i, h, f_ext, ws):
    """h/2 (f_ext - G a_0) on link ``i``: half of what forces on bodies and gravity do during the step"""
    f = scale(-1.0, rigid_times_motion(inertia(m, i), load_vector(ws, LINK * i + A)))
    if body(m, i) >= 0:
        f = add(f, load_vector(f_ext, 6 * body(m, i)))
    return scale(0.5 * h, f)


@kernel
def sum_start(m, q, h, f_ext, out, ws):
    """Project  mu - G v - h/2 f  at the start on the joints: the momentum of the motion that the state does not have"""
    for i in range(1, link_count(m) + 1):
        w = LINK * i
        p = add(rigid_times_motion(inertia(m, i), load_vector(ws, w + V)), impulse(m, i, h, f_ext, ws))
        store_vector(ws, w + F, subtract(discrete_momentum(m, i, -1.0, h, ws), p))
    project(m, q, out, ws)


@kernel
def sum_end(m, q1, h, f_ext, out, ws):
    """Project  mu' + h/2 f  at the end on the joints: the momentum of the state there"""
    joint_transforms(m, q1, ws, LINK)
    for i in range(1, link_count(m) + 1):
        w, p = LINK * i, LINK * parent(m, i)
        store_vector(ws, w + A, transform_motion(load_transform(ws, w + X), load_vector(ws, p + A)))
        store_vector(ws, w + F, add(discrete_momentum(m, i, 1.0, h, ws), impulse(m, i, h, f_ext, ws)))
    project(m, q1, out, ws)


@kernel
def project(m, q, out, ws):
    """Project forces on the joints, inward: out = S^T f, with f the sum over all bodies beyond the joint"""
    clear(out, velocity_count(m))
    for i in range(link_count(m), 0, -1):
        w, p = LINK * i, LINK * parent(m, i)
        f = load_vector(ws, w + F)
        add_joint_force(m, i, q, f, out)
        if p > 0:
            up = inverse_transform_force(load_transform(ws, w + X), f)
            store_vector(ws, p + F, add(load_vector(ws, p + F), up))


@kernel
def scale_of_momenta(m, h, ws):
    """d . G d / h^2 + (h a_0) . G (h a_0) of all bodies: twice an energy, with which errors in momenta are compared"""
    total = 0.0 * load(ws, LINK + X)
    for i in range(1, link_count(m) + 1):
        G = inertia(m, i)
        d, a = load_vector(ws, LINK * i + D), load_vector(ws, LINK * i + A)
        total = total + dot(d, rigid_times_motion(G, d)) / (h * h) + h * h * dot(a, rigid_times_motion(G, a))
    return total
