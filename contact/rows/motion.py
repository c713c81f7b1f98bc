"""Places and motions of links, in world axes, about each link's own origin: nothing cancels far from the world's origin."""

from pluecker.articulated.model.joints import joint_motions, joint_transform, subspace
from pluecker.articulated.model.layout import first_freedom, freedom_count, link_count, parent
from pluecker.spatial.algebra.transforms import (
    IDENTITY,
    compose,
    load_transform,
    store_transform,
    transform_motion,
)
from pluecker.spatial.algebra.vectors import (
    add,
    add3,
    add_cross3,
    add_cross_motion,
    cross3,
    load_vector,
    rotate_back,
    store_vector,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = ["ACCELERATION", "COLUMN", "PLACE", "VELOCITY", "place_links", "point_acceleration", "point_of",
           "point_velocity", "store_accelerations", "store_columns"]  # fmt: skip

PLACE, VELOCITY, ACCELERATION, COLUMN = 12, 6, 6, 6
NOTHING = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@kernel
def place_links(m, q, X):
    """Store the transform from the world to each link"""
    store_transform(X, 0, IDENTITY)
    for i in range(1, link_count(m) + 1):
        Xi = compose(joint_transform(m, i, q), load_transform(X, PLACE * parent(m, i)))
        store_transform(X, PLACE * i, Xi)


@kernel
def store_columns(m, q, X, C):
    """Store how each freedom moves its link: (w, v of the link's origin), in world axes"""
    for i in range(1, link_count(m) + 1):
        E, _ = load_transform(X, PLACE * i)
        for k in range(freedom_count(m, i)):
            w, v = subspace(m, i, k, q)
            store_vector(C, COLUMN * (first_freedom(m, i) + k), (rotate_back(E, w), rotate_back(E, v)))


@kernel
def store_accelerations(m, q, v, X, V, A, zero):
    """Store of each link (w, v) and, with no acceleration of any joint, (dw/dt, dv/dt) of its origin; ``zero`` has nv zeros

    a_i = X a_p + Sdot qd + v_i x S qd in link coordinates, and dv/dt = a + w x v of a point.
    """
    store_vector(V, 0, NOTHING)
    store_vector(A, 0, NOTHING)
    for i in range(1, link_count(m) + 1):
        p = parent(m, i)
        Xi = joint_transform(m, i, q)
        vJ, aJ = joint_motions(m, i, q, v, zero)
        vi = add(transform_motion(Xi, load_vector(V, VELOCITY * p)), vJ)
        ai = add_cross_motion(add(transform_motion(Xi, load_vector(A, ACCELERATION * p)), aJ), vi, vJ)
        store_vector(V, VELOCITY * i, vi)
        store_vector(A, ACCELERATION * i, ai)
    for i in range(1, link_count(m) + 1):
        E, _ = load_transform(X, PLACE * i)
        w, u = load_vector(V, VELOCITY * i)
        b, a = load_vector(A, ACCELERATION * i)
        store_vector(V, VELOCITY * i, (rotate_back(E, w), rotate_back(E, u)))
        store_vector(A, ACCELERATION * i, (rotate_back(E, b), rotate_back(E, add_cross3(a, w, u))))


@kernel
def point_of(X, i, place):
    """Compute a point of link ``i``, in the world"""
    E, r = load_transform(X, PLACE * i)
    return add3(r, rotate_back(E, place))


@kernel
def point_velocity(X, V, i, p):
    """Compute the velocity of the point of link ``i`` that is at p"""
    _, r = load_transform(X, PLACE * i)
    w, v = load_vector(V, VELOCITY * i)
    return add_cross3(v, w, subtract3(p, r))


@kernel
def point_acceleration(X, V, A, i, p):
    """Compute dv/dt + dw/dt x s + w x (w x s), with s from the link's origin to p"""
    _, r = load_transform(X, PLACE * i)
    w, _ = load_vector(V, VELOCITY * i)
    b, a = load_vector(A, ACCELERATION * i)
    s = subtract3(p, r)
    return add_cross3(add_cross3(a, b, s), w, cross3(w, s))
