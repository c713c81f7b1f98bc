"""Shapes in a step: how velocities move points of bodies, where colliders are, how far they come, and which touch.

The material of a body at the point x moves with ``u = sum over the freedoms on the body's way to the world of
(v_f + w_f x (x - o_f)) v_f``.

Contacts are found by compiled code, with Python's help where a kernel is not ready, or two shapes have none.

Source: bounds on motion as of conservative advancement, Mirtich, *Impulse-based dynamic simulation of rigid body systems*
(1996), section 2.3.
"""

from math import sqrt

from pluecker.articulated.model.layout import (
    first_freedom,
    freedom_count,
    link_count,
    parent,
    row_of_freedom,
    velocity_count,
)
from pluecker.contact.found.layout import (
    ANSWER,
    CENTERS,
    COLLIDER_FRAME,
    COLLIDER_LINK,
    COLLIDERS,
    COLUMNS,
    COORDINATE_OF_ROW,
    ERROR,
    FAR,
    FIND,
    FINDING_HEADER,
    FINDING_INTEGERS,
    FINDING_NUMBERS,
    LINKS,
    NEEDS_CONTACTS,
    NEEDS_PAIRS,
    OUTSIDE,
    POSES,
    RADII,
    REACH,
    SCENE_INTEGERS,
    SCENE_NUMBERS,
    STATUS,
    TABLE_INTEGERS,
    TABLE_NUMBERS,
    WORKING,
    count,
    index_piece,
    index_table,
    needs,
    piece,
    table,
)
from pluecker.contact.found.sharing import ask
from pluecker.contact.geometry.finding.blocks import POSE, load_pose
from pluecker.contact.geometry.finding.find import COMPLETE, PAIRS_UNREADY, TOO_MANY, find_contacts
from pluecker.contact.geometry.finding.narrow_phase import FOUND, LEFT, WORK_HEADER
from pluecker.contact.geometry.slots import add_scaled
from pluecker.spatial.algebra.transforms import load_matrix, load_transform, store_matrix, transpose
from pluecker.spatial.algebra.vectors import (
    add3,
    add_cross3,
    dot3,
    load3,
    multiply3,
    rotate,
    rotate_back,
    store3,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.arrays import integers_in, numbers_in
from pluecker.spatial.engine.scalars.operations import store

__all__ = ["POSE", "by_coordinate", "by_row", "find_in_reach", "place_colliders", "point_column", "store_reach"]


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


@kernel
def point_column(X, C, f, i, x):
    """Compute how freedom f of link i moves the material at x: w and v"""
    w0, w1, w2 = C[6 * f], C[6 * f + 1], C[6 * f + 2]
    a0, a1, a2 = x[0] - X[12 * i + 9], x[1] - X[12 * i + 10], x[2] - X[12 * i + 11]
    v0 = C[6 * f + 3] + w1 * a2 - w2 * a1
    v1 = C[6 * f + 4] + w2 * a0 - w0 * a2
    v2 = C[6 * f + 5] + w0 * a1 - w1 * a0
    return w0, w1, w2, v0, v1, v2


@called_kernel
def store_twists(m, X, C, v, out):
    """Store how each link moves with velocities v of the rows of the trees, and its origin: w, and the velocity of that"""
    for a in range(6):
        out[a] = 0.0
    for i in range(1, link_count(m) + 1):
        at, above, from_above = 12 * i + 9, 12 * parent(m, i) + 9, 6 * parent(m, i)
        w, u = load3(out, from_above), load3(out, from_above + 3)
        u = add_cross3(u, w, subtract3(load3(X, at), load3(X, above)))
        for f in range(first_freedom(m, i), first_freedom(m, i) + freedom_count(m, i)):
            y = v[row_of_freedom(m, f)]
            w, u = add_scaled(w, y, load3(C, 6 * f)), add_scaled(u, y, load3(C, 6 * f + 3))
        store3(out, 6 * i, w)
        store3(out, 6 * i + 3, u)


@called_kernel
def store_reach(m, s, ws, h, v):
    """Store how far each collider comes in a step with the velocity v: its centre, and what is farthest from it"""
    X, poses, out, twists = piece(s, ws, LINKS), piece(s, ws, POSES), piece(s, ws, REACH), piece(s, ws, WORKING)
    links, centers, radii = index_table(s, COLLIDER_LINK), table(s, CENTERS), table(s, RADII)
    store_twists(m, X, piece(s, ws, COLUMNS), v, twists)
    for k in range(count(s, COLLIDERS)):
        i, (R, p) = links[k], load_pose(poses, POSE * k)
        arm = subtract3(add3(p, rotate(R, load3(centers, 3 * k))), load3(X, 12 * i + 9))
        w = load3(twists, 6 * i)
        u = add_cross3(load3(twists, 6 * i + 3), w, arm)
        turning, moving = sqrt(dot3(w, w)), sqrt(dot3(u, u))
        outwards = turning * radii[k] if turning > 0.0 else 0.0  # what does not turn may be without end
        out[k] = h * (moving + outwards)


@called_kernel
def find_in_reach(s, ws):
    """Fill the table of the contacts of all shapes, as far as these come; return how many there are, -1 where there is too
    little room
    """
    numbers = numbers_in(count(s, SCENE_NUMBERS), count(s, SCENE_NUMBERS + 1))
    integers = integers_in(count(s, SCENE_INTEGERS), count(s, SCENE_INTEGERS + 1))
    work, table, answer = index_piece(s, ws, FINDING_INTEGERS), index_piece(s, ws, TABLE_INTEGERS), piece(s, ws, ANSWER)
    poses, far = piece(s, ws, POSES), piece(s, ws, FAR)
    header = index_table(s, FINDING_HEADER)
    for k in range(WORK_HEADER):
        work[k] = header[k]
    while True:
        status = find_contacts(
            numbers, integers, poses, far, piece(s, ws, FINDING_NUMBERS), work, piece(s, ws, TABLE_NUMBERS), table
        )
        if status == COMPLETE:
            return table[0]
        if status & TOO_MANY and not status & PAIRS_UNREADY:
            needs(s, NEEDS_CONTACTS, work[FOUND])
            needs(s, NEEDS_PAIRS, work[LEFT])
            return -1
        answer[ERROR], answer[STATUS] = -1.0, status
        ask(count(s, OUTSIDE), ws, FIND)
        if answer[ERROR] < 0.0:
            return -1
        if answer[ERROR] == 0.0:  # the table is complete
            return table[0]
