"""Free joints on the world, stepped without making energy: in the body's frame frozen at the beginning of the step.

The velocity of a free joint is that of a moving frame. Stepped as it is, ``v+ = v + h dv/dt`` takes ``-w x v``, the turning
of the frame, at its beginning, and a ball that spins at 50 rad/s doubles its energy in 1 s at 1 ms. In the frozen frame
there is no such term:

    m (v_c+ - v_c) = h f        x_c+ = x_c + h R v_c+        R+ = R exp(h w+)        v_c+ in new axes: exp(h w+)^T v_c+

with c the centre of mass of all that the joint carries, as it is at the beginning, fixed to its body. Where the body is
alone, a force-free step keeps its linear momentum, and turns nothing into anything else. The equation of motion is the same
with the velocity of the body's origin ``v_O = v_c - w x c``: without ``w x v_c`` is an acceleration of ``-w x v_c`` in the
joint's coordinates, with which the bias force is computed in place of none.

A free joint between two bodies is stepped in its own coordinates, as all other joints are.

Source: Featherstone's distinction of spatial and classical acceleration, RBDA section 2.11; the update of the position by
the velocity at the end is semi-implicit Euler's.
"""

from pluecker.articulated.model.joints import carry_joint, integrate_joint, moves_freely
from pluecker.articulated.model.layout import (
    clear,
    first_q,
    first_v,
    inertia,
    link_count,
    owns_coordinates,
    parent,
    velocity_count,
)
from pluecker.spatial.algebra.rotations import (
    load_quaternion,
    quaternion_from_rotation_vector,
    quaternion_normalize,
    quaternion_product,
    rotation_from_quaternion,
    store_quaternion,
)
from pluecker.spatial.algebra.transforms import load_transform
from pluecker.spatial.algebra.vectors import (
    add3,
    add_cross3,
    cross3,
    load3,
    rotate,
    rotate_back,
    scale3,
    store3,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, store

__all__ = ["MOMENT", "carried_moments", "frame_acceleration", "frame_turn", "is_free_root", "move_configuration"]

MOMENT = 4  # numbers of each link: the mass that its joint carries and its first moment about the link's origin


@kernel
def is_free_root(m, i):
    """Return whether link ``i`` hangs on the world by a free joint"""
    return moves_freely(m, i) and parent(m, i) == 0


@kernel
def carried_moments(m, X, record, moments):
    """Compute mass and first moment of each link with all it carries, in its coordinates; ``X``: the joints' transforms"""
    for i in range(link_count(m), -1, -1):
        mass, first, _ = inertia(m, i)
        store(moments, MOMENT * i, mass + 0.0 * load(X, record))
        store3(moments, MOMENT * i + 1, first)
    for i in range(link_count(m), 0, -1):
        w, p = MOMENT * i, MOMENT * parent(m, i)
        if p > 0:
            E, r = load_transform(X, record * i)
            first = add3(rotate_back(E, load3(moments, w + 1)), scale3(load(moments, w), r))
            accumulate(moments, p, load(moments, w))
            store3(moments, p + 1, add3(load3(moments, p + 1), first))


@kernel
def carried_center(moments, i):
    """c = h / m"""
    return scale3(1.0 / load(moments, MOMENT * i), load3(moments, MOMENT * i + 1))


@kernel
def frame_acceleration(m, v, moments, a):
    """a = -w x v_c in the linear coordinates of free joints on the world, zero in all others"""
    clear(a, velocity_count(m))
    for i in range(1, link_count(m) + 1):
        if is_free_root(m, i):
            j = first_v(m, i)
            store3(a, j + 3, frame_turn(moments, i, load3(v, j), load3(v, j + 3)))


@kernel
def frame_turn(moments, i, w, v):
    """-w x v_c, from the velocity of the origin of link ``i``"""
    center = add_cross3(v, w, carried_center(moments, i))  # v_c = v_O + w x c
    return cross3(center, w)


@kernel
def move_configuration(m, h, q, v, moments, step, q1, v1):
    """q1 and v1 from the velocity ``v`` at the end of the step, of free joints on the world in the frozen frame

    ``step`` is scratch memory of nv numbers.
    """
    for k in range(velocity_count(m)):
        store(step, k, h * load(v, k))
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            if is_free_root(m, i):
                move_free_root(m, i, h, q, v, carried_center(moments, i), q1, v1)
            else:
                integrate_joint(m, i, q, step, q1)
                carry_joint(m, i, q, q1, v, v1)


@kernel
def move_free_root(m, i, h, q, v, c, q1, v1):
    """x_c+ = x_c + h R v_c+, R+ = R exp(h w+), and v_c+ in the axes of R+"""
    k, j = first_q(m, i), first_v(m, i)
    w, p = load3(v, j), load_quaternion(q, k + 3)
    center = add_cross3(load3(v, j + 3), w, c)  # v_c = v_O + w x c
    turn = quaternion_from_rotation_vector(scale3(h, w))
    p1 = quaternion_normalize(quaternion_product(p, turn))
    E, E1 = rotation_from_quaternion(p), rotation_from_quaternion(p1)
    x = add3(load3(q, k), rotate_back(E, add3(c, scale3(h, center))))
    store3(q1, k, subtract3(x, rotate_back(E1, c)))  # x_O+ = x_c + h R v_c+ - R+ c
    store_quaternion(q1, k + 3, p1)
    store3(v1, j, w)  # the same in both, being the axis of the turn
    store3(v1, j + 3, add_cross3(rotate(rotation_from_quaternion(turn), center), c, w))
