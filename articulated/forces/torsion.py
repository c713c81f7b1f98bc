"""Springs and dampers that turn two frames towards each other.

With the rotation vector a of the second frame from where it is at rest, in world axes, and the relative angular velocity w,
the torque on the second is ``n = - k a - d w``. A turn of the second by a small vector changes a by ``A`` times it, the
inverse of the exponential's derivative, and a turn of the first carries a along:

    A = 1 - 1/2 a~ + D a~ a~        D = (1 - t/2 cot t/2) / t^2        t = |a|
"""

from pluecker.articulated.forces.packing import DAMPING, FIRST, FIRST_AXES, SECOND, SECOND_AXES, STIFFNESS
from pluecker.articulated.forces.world_motion import TRANSFORM, WRENCH, add_wrench, velocity_slope
from pluecker.articulated.model.layout import clear, first_freedom, first_v, freedom_count, parent, velocity_count
from pluecker.spatial.algebra.motions import twist_from_translation
from pluecker.spatial.algebra.rotations import quaternion_from_rotation, rotation_vector_from_quaternion
from pluecker.spatial.algebra.transforms import load_matrix, transpose
from pluecker.spatial.algebra.vectors import (
    add3,
    cross3,
    dot3,
    load3,
    load_vector,
    multiply3,
    rotate_back,
    scale3,
    store3,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, load_integer, tail

__all__ = ["add_torsion_stiffness", "torsion_forces"]

VELOCITY = COLUMN = 6


@kernel
def turn(c, r, X):
    """The rotation vector of the second frame from where it is at rest, in world axes"""
    E1 = multiply3(load_matrix(c, r + FIRST_AXES), load_matrix(X, TRANSFORM * load_integer(c, r + FIRST)))
    E2 = multiply3(load_matrix(c, r + SECOND_AXES), load_matrix(X, TRANSFORM * load_integer(c, r + SECOND)))
    R = multiply3(E1, transpose(E2))
    return rotate_back(E1, rotation_vector_from_quaternion(quaternion_from_rotation(R)))


@kernel
def torsion_forces(c, r, X, V, loads):
    """Opposite torques on both links; returns the energy"""
    first, second = load_integer(c, r + FIRST), load_integer(c, r + SECOND)
    a = turn(c, r, X)
    w = subtract3(load3(V, VELOCITY * second), load3(V, VELOCITY * first))
    k, d = load(c, r + STIFFNESS), load(c, r + DAMPING)
    n = add3(scale3(k, a), scale3(d, w))
    zero = 0.0 * n[0]
    add_wrench(loads, first, WRENCH, (n, (zero, zero, zero)))
    add_wrench(loads, second, WRENCH, (scale3(-1.0, n), (zero, zero, zero)))
    return 0.5 * k * dot3(a, a)


@kernel
def add_torsion_stiffness(m, c, r, state, more, K, D):
    """K += W' B, D += d W' W with W = dw/dv and B = - dn/dq; ``more``: 6 nv scalars"""
    nv = velocity_count(m)
    W, B = more, tail(more, 3 * nv)
    first, second = load_integer(c, r + FIRST), load_integer(c, r + SECOND)
    k, d, a = load(c, r + STIFFNESS), load(c, r + DAMPING), turn(c, r, state.X)
    clear(W, 3 * nv)
    clear(B, 3 * nv)
    add_turns(m, first, -1.0, d, state, W, B)
    add_turns(m, second, 1.0, d, state, W, B)
    for s in range(nv):
        store3(B, 3 * s, add3(load3(B, 3 * s), scale3(k, twist_from_translation(a, load3(W, 3 * s)))))
    carry_along(m, first, scale3(k, a), state.J, B)
    for s in range(nv):
        Ws = load3(W, 3 * s)
        for t in range(nv):
            accumulate(K, nv * s + t, dot3(Ws, load3(B, 3 * t)))
            accumulate(D, nv * s + t, d * dot3(Ws, load3(W, 3 * t)))


@kernel
def add_turns(m, body, sign, d, state, W, B):
    """W_c += sign w_c and B_c += sign d dw/dq_c, with the angular velocity w of a link"""
    i = body
    while i > 0:
        for k in range(freedom_count(m, i)):
            place = 3 * (first_v(m, i) + k)
            column = load3(state.J, COLUMN * (first_freedom(m, i) + k))
            store3(W, place, add3(load3(W, place), scale3(sign, column)))
            slope = velocity_slope(m, i, k, body, state)[0]
            store3(B, place, add3(load3(B, place), scale3(sign * d, slope)))
        i = parent(m, i)


@kernel
def carry_along(m, i, a, J, B):
    """B_c += w_c x a: what turns with link ``i``"""
    while i > 0:
        for k in range(freedom_count(m, i)):
            place = 3 * (first_v(m, i) + k)
            column = load_vector(J, COLUMN * (first_freedom(m, i) + k))
            store3(B, place, add3(load3(B, place), cross3(column[0], a)))
        i = parent(m, i)
