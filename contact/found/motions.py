"""How velocities of the trees move points of bodies, where colliders are, and how far they come in a step.

The material of a body at the point x moves with ``u = sum over the freedoms on the body's way to the world of
(v_f + w_f x (x - o_f)) v_f``.

Source: bounds on motion as of conservative advancement, Mirtich, *Impulse-based dynamic simulation of rigid body systems*
(1996), section 2.3.
"""

from math import sqrt

from pluecker.articulated.model.layout import velocity_count
from pluecker.contact.found.layout import (
    CENTERS,
    COLLIDER_BODY,
    COLLIDER_FRAME,
    COLLIDER_LINK,
    COLLIDERS,
    COLUMNS,
    COORDINATE_OF_ROW,
    LINKS,
    POSES,
    RADII,
    REACH,
    WAY_FIRST,
    WAY_FREEDOM,
    WAY_LINK,
    WAY_ROW,
    count,
    index_table,
    piece,
    table,
)
from pluecker.spatial.algebra.transforms import load_matrix, load_transform, store_matrix, transpose
from pluecker.spatial.algebra.vectors import add3, load3, multiply3, rotate_back, store3
from pluecker.spatial.engine.compiled.decorators import allocation_free_kernel, called_kernel
from pluecker.spatial.engine.scalars.operations import store

__all__ = ["POSE", "by_coordinate", "by_row", "place_colliders", "point_column", "store_reach"]

POSE = 12  # numbers of a collider: R row by row, the origin


@called_kernel
def by_row(m, s, v, out):
    """Store velocities of coordinates row by row of the trees"""
    order = index_table(s, COORDINATE_OF_ROW)
    for k in range(velocity_count(m)):
        out[k] = v[order[k]]


@called_kernel
def by_coordinate(m, s, x, out):
    """Store velocities of rows of the trees by coordinate"""
    order = index_table(s, COORDINATE_OF_ROW)
    for k in range(velocity_count(m)):
        store(out, order[k], x[k])


@called_kernel
def place_colliders(s, ws):
    """Store where shapes are, from where links are"""
    X, poses, frames, links = (
        piece(s, ws, LINKS),
        piece(s, ws, POSES),
        table(s, COLLIDER_FRAME),
        index_table(s, COLLIDER_LINK),
    )
    for k in range(count(s, COLLIDERS)):
        E, r = load_transform(X, 12 * links[k])
        R = multiply3(transpose(E), load_matrix(frames, 12 * k))
        store_matrix(poses, POSE * k, R)
        store3(poses, POSE * k + 9, add3(r, rotate_back(E, load3(frames, 12 * k + 9))))


@allocation_free_kernel
def point_column(X, C, f, i, x):
    """Compute how freedom f of link i moves the material at x: w and v"""
    w0, w1, w2 = C[6 * f], C[6 * f + 1], C[6 * f + 2]
    a0, a1, a2 = x[0] - X[12 * i + 9], x[1] - X[12 * i + 10], x[2] - X[12 * i + 11]
    v0 = C[6 * f + 3] + w1 * a2 - w2 * a1
    v1 = C[6 * f + 4] + w2 * a0 - w0 * a2
    v2 = C[6 * f + 5] + w0 * a1 - w1 * a0
    return w0, w1, w2, v0, v1, v2


@called_kernel
def store_reach(s, ws, h, v):
    """Store how far each collider comes in a step with the velocity v: its centre, and what is farthest from it"""
    X, C, poses, out = piece(s, ws, LINKS), piece(s, ws, COLUMNS), piece(s, ws, POSES), piece(s, ws, REACH)
    bodies, centers, radii = index_table(s, COLLIDER_BODY), table(s, CENTERS), table(s, RADII)
    first, freedom = index_table(s, WAY_FIRST), index_table(s, WAY_FREEDOM)
    link, row = index_table(s, WAY_LINK), index_table(s, WAY_ROW)
    for k in range(count(s, COLLIDERS)):
        b, c, p = bodies[k], load3(centers, 3 * k), POSE * k
        x = (
            poses[p] * c[0] + poses[p + 1] * c[1] + poses[p + 2] * c[2] + poses[p + 9],
            poses[p + 3] * c[0] + poses[p + 4] * c[1] + poses[p + 5] * c[2] + poses[p + 10],
            poses[p + 6] * c[0] + poses[p + 7] * c[1] + poses[p + 8] * c[2] + poses[p + 11],
        )
        w0 = w1 = w2 = v0 = v1 = v2 = 0.0
        if b >= 0:
            for e in range(first[b], first[b + 1]):
                S, y = point_column(X, C, freedom[e], link[e], x), v[row[e]]
                w0, w1, w2 = w0 + S[0] * y, w1 + S[1] * y, w2 + S[2] * y
                v0, v1, v2 = v0 + S[3] * y, v1 + S[4] * y, v2 + S[5] * y
        turning, moving = sqrt(w0 * w0 + w1 * w1 + w2 * w2), sqrt(v0 * v0 + v1 * v1 + v2 * v2)
        outwards = turning * radii[k] if turning > 0.0 else 0.0  # what does not turn may be without end
        out[k] = h * (moving + outwards)
