"""How deep the origin is in a convex difference, and the shortest way out: a polytope in it that grows (EPA).

Its vertices are rows of :mod:`.simplex`. Of each of its faces the plane is a lower bound of the depth in its direction; the
point of the difference that is farthest along that is an upper bound of the depth. The face with the least bound is taken
out to that point, until both bounds meet. Faces have rows of 8 numbers:

=======  ====================================================================
numbers  what they are
=======  ====================================================================
0 to 2   the rows of its corners, counterclockwise from outside
3 to 5   its outward unit normal
6        the distance of its plane from the origin
7        1, or 0 where it has been taken out
=======  ====================================================================

Source: van den Bergen, "Proximity queries and penetration depth computation on 3D game objects" (2001).
"""

from math import sqrt

from pluecker.contact.geometry.convex.simplex import ROW, move_row, store_difference
from pluecker.contact.geometry.convex.support import is_cylinder
from pluecker.contact.geometry.primitives.scalars import perpendicular
from pluecker.contact.geometry.slots import OPEN
from pluecker.spatial.algebra.vectors import cross3, dot3, load3, scale3, store3, subtract3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = ["FACE_ROOM", "POINTS", "RIM_ROOM", "find_depth"]

POINTS = 96  # rows of vertices
FACE, NORMAL, DISTANCE, THERE = 8, 3, 6, 7
FACES = 4 * POINTS
FACE_ROOM, RIM_ROOM = FACE * FACES, 6 * POINTS
MET, NEARLY_MET = 1e-10, 1e-7  # of the sizes: bounds that differ by less are one, of polytopes and of what is round
BEHIND = 1e-14  # of the sizes: what is not farther in front of a face is on it
THICK = 1e-9  # of the sizes: a simplex of less has no inside


@kernel
def store_face(S, F, k, i, j, l):
    """Write face k; one without an area has no direction, and is never taken"""
    p = load3(S, ROW * i)
    n = cross3(subtract3(load3(S, ROW * j), p), subtract3(load3(S, ROW * l), p))
    s = dot3(n, n)
    at = FACE * k
    store(F, at, i)
    store(F, at + 1, j)
    store(F, at + 2, l)
    n = scale3(1.0 / sqrt(s), n) if s > 0.0 else n
    store3(F, at + NORMAL, n)
    store(F, at + DISTANCE, dot3(n, p) if s > 0.0 else OPEN)
    store(F, at + THERE, 1.0)


@called_kernel
def complete_simplex(S, m, A, B, R, c, t, size):
    """Add points of the difference to m rows until they are a simplex with an inside, of which the rows were a part; return
    whether there is one
    """
    zero = 0.0 * size
    d = (zero + 1.0, zero, zero)
    if m == 1:
        best = THICK * size
        move_row(S, 0, 1)  # from which the search for the next one begins
        for k in range(6):
            s = 1.0 if k < 3 else -1.0
            d = (zero + s * (k % 3 == 0), zero + s * (k % 3 == 1), zero + s * (k % 3 == 2))
            e = subtract3(store_difference(S, 2, A, B, R, c, t, d), load3(S, 0))
            if dot3(e, e) > best * best:
                best, m = sqrt(dot3(e, e)), 2
                move_row(S, 2, 1)
    if m == 2:
        e = subtract3(load3(S, ROW), load3(S, 0))
        e = scale3(1.0 / sqrt(dot3(e, e)), e)
        u = perpendicular(e)
        v = cross3(e, u)
        best = THICK * size
        move_row(S, 1, 2)
        for k in range(4):
            d = u if k % 2 == 0 else v
            d = d if k < 2 else scale3(-1.0, d)
            f = cross3(e, subtract3(store_difference(S, 3, A, B, R, c, t, d), load3(S, 0)))
            if dot3(f, f) > best * best:
                best, m = sqrt(dot3(f, f)), 3
                move_row(S, 3, 2)
    if m == 3:
        p = load3(S, 0)
        n = cross3(subtract3(load3(S, ROW), p), subtract3(load3(S, 2 * ROW), p))
        n = scale3(1.0 / sqrt(dot3(n, n)), n) if dot3(n, n) > 0.0 else d
        best = THICK * size
        move_row(S, 2, 3)
        for k in range(2):
            d = n if k == 0 else scale3(-1.0, n)
            height = abs(dot3(n, subtract3(store_difference(S, 4, A, B, R, c, t, d), p)))
            if height > best:
                best, m = height, 4
                move_row(S, 4, 3)
    return m == 4


@kernel
def toggle_edge(E, count, i, j):
    """Add an edge to the rim of what is taken out, or take it away if it was there the other way round; return the count"""
    for k in range(count):
        if load(E, 2 * k) == j and load(E, 2 * k + 1) == i:
            store(E, 2 * k, load(E, 2 * count - 2))
            store(E, 2 * k + 1, load(E, 2 * count - 1))
            return count - 1
    if 2 * count + 2 > RIM_ROOM:
        return count
    store(E, 2 * count, i)
    store(E, 2 * count + 1, j)
    return count + 1


@called_kernel
def find_depth(S, m, F, E, A, B, R, c, t, size):
    """Find the shortest way out of the difference for the origin, which is in the simplex of m rows: how long it is,
    ``OPEN`` where there is no inside, its direction, and whether both bounds have met
    """
    zero = 0.0 * size
    best, way = zero + OPEN, (zero, zero, zero + 1.0)
    if m < 4 and not complete_simplex(S, m, A, B, R, c, t, size):
        return best, way, False
    p = load3(S, 0)
    e, f, g = subtract3(load3(S, ROW), p), subtract3(load3(S, 2 * ROW), p), subtract3(load3(S, 3 * ROW), p)
    if dot3(cross3(e, f), g) > 0.0:  # row 3 is in front of rows 0, 1, 2: they are turned
        move_row(S, 1, 4)
        move_row(S, 2, 1)
        move_row(S, 4, 2)
    store_face(S, F, 0, 0, 1, 2)
    store_face(S, F, 1, 0, 3, 1)
    store_face(S, F, 2, 0, 2, 3)
    store_face(S, F, 3, 1, 3, 2)
    faces, met = 4, size * (NEARLY_MET if is_cylinder(A) or is_cylinder(B) else MET)
    for count in range(4, POINTS):
        nearest, low = 0, 2.0 * OPEN
        for k in range(faces):
            if load(F, FACE * k + THERE) > 0.5 and load(F, FACE * k + DISTANCE) < low:
                nearest, low = k, load(F, FACE * k + DISTANCE)
        n = load3(F, FACE * nearest + NORMAL)
        w = store_difference(S, count, A, B, R, c, t, n)
        height = dot3(n, w)
        if height < best:
            best, way = height, n
        if not best - low > met:
            return best, way, True
        rim, room = 0, 0
        for k in range(faces):
            at = FACE * k
            if load(F, at + THERE) < 0.5:
                continue
            x = load3(S, ROW * int(load(F, at)))
            ahead = dot3(load3(F, at + NORMAL), subtract3(w, x))
            if k == nearest or ahead > BEHIND * size:
                store(F, at + THERE, 0.0)
                for i in range(3):
                    rim = toggle_edge(E, rim, load(F, at + i), load(F, at + (i + 1) % 3))
        if faces + rim > FACES:
            break
        for k in range(rim):
            while room < faces and load(F, FACE * room + THERE) > 0.5:
                room += 1
            store_face(S, F, room, int(load(E, 2 * k)), int(load(E, 2 * k + 1)), count)
            faces = max(faces, room + 1)
    return best, way, False
