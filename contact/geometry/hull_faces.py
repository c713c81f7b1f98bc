"""Contact of two hulls, or of a box and a hull: the intersection of a face of one with a face of the other.

The face that parts the hulls best is the *reference*, the *incident* face that of the other hull that looks at it most. What
both have in common, seen along the normal of the reference, is a polygon, whose corners are three kinds of candidates:

- where a side of the incident face begins, if that is over the reference, or where it enters,
- where it leaves the reference, if it does,
- corners of the reference that the incident face covers.

Of eight corners or fewer all are contacts. Of more, eight are taken that span it: those farthest in seven directions of the
reference, and the deepest. The normal of all is that of the reference. Where no face parts the hulls as far as they are
apart, they touch in one point.

Sources: Baraff, "Curved surfaces and coherence for non-penetrating rigid body simulation" (1990); Gregorius, "Robust contact
creation for physics simulations" (2015), for fewer points of many.
"""

from math import cos, pi, sin

from pluecker.contact.geometry.hull_distance import (
    SAME_DISTANCE,
    edge_of,
    farthest_face,
    hull_hull_distance,
    normal_of,
)
from pluecker.contact.geometry.hull_parts import PART
from pluecker.contact.geometry.scalars import (
    TINY,
    holds,
    indicator,
    least,
    length3,
    perpendicular,
    select3,
    sign_of,
)
from pluecker.contact.geometry.slots import OPEN, SLOT, add_scaled, load_slot, open_slot_unless, store_slot
from pluecker.spatial.algebra.transforms import transpose
from pluecker.spatial.algebra.vectors import (
    add3,
    cross3,
    dot3,
    load3,
    multiply3,
    rotate,
    rotate_back,
    scale3,
    subtract3,
)
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import lift, load, select, smaller, within

__all__ = ["hull_hull"]

SLOTS = 8
EDGE = 1e-9  # of the sizes: as near to a side a corner is on it, so that equal faces have each corner in common once
UPRIGHT = 1e-6  # cosine: an incident face that leans more covers nothing
SCORE = 0  # where a slot keeps how far its corner is out, as long as the normal is not written
WAYS = tuple((cos(2.0 * pi * k / (SLOTS - 1)), sin(2.0 * pi * k / (SLOTS - 1))) for k in range(SLOTS - 1))


@kernel
def is_of(n, m):
    """Return whether two normals are those of one face: equal to the last bit"""
    d = subtract3(n, m)
    return within(dot3(d, d), 0.0)


@kernel
def side_of(parts, k, n):
    """Return edge k as a side of the face with the normal n, counterclockwise: its beginning, its vector, whether
    it is one
    """
    a, b, n1, n2 = edge_of(parts, k)
    own = is_of(n1, n)
    other = select3(own, n2, n1)
    s = -sign_of(dot3(cross3(n, subtract3(b, a)), other))  # inwards is away from the other face
    first = smaller(0.0 * s, s)
    return select3(first, a, b), scale3(s, subtract3(b, a)), own or is_of(n2, n)


@kernel
def facing(R, n, parts, triangles):
    """Find the face of a hull with axes R whose normal is most against n: the cosine, and its triangle"""
    m = rotate_back(R, n)
    best, found = 0.0 * n[0] + 2.0, 0.0 * n[0]
    for k in range(triangles):
        lean = dot3(m, normal_of(parts, k))
        better = smaller(lean, best)
        best, found = select(better, lean, best), select(better, lift(k, lean), found)
    return best, found


@kernel
def normal_at(parts, triangles, number):
    """Select the normal of the triangle of that number, which is a scalar"""
    n = normal_of(parts, 0)
    for k in range(1, triangles):
        n = select3(smaller(k - 0.5, number), normal_of(parts, k), n)
    return n


@kernel
def point_at(parts, triangles, number):
    """Select the first corner of the triangle of that number, which is a scalar"""
    x = load3(parts, 0)
    for k in range(1, triangles):
        x = select3(smaller(k - 0.5, number), load3(parts, PART * k), x)
    return x


@kernel
def offer(out, rank, there, x, height, name, u, v, all_of_them):
    """Store a corner of the polygon, if it is there, in the slot of its rank, or in each that it is farthest for; return the
    count
    """
    zero = 0.0 * height
    for k in range(SLOTS):
        if all_of_them:
            hit = holds(there * indicator(within(rank - k, 0.5), rank))
            score = zero
        else:
            way = WAYS[k] if k < SLOTS - 1 else (0.0, 0.0)
            score = way[0] * dot3(u, x) + way[1] * dot3(v, x) if k < SLOTS - 1 else -height
            hit = holds(there * indicator(smaller(load(out, SLOT * k + SCORE), score), rank))
        n, y, gap, own = load_slot(out, k)
        n = select3(hit, (score, zero, zero), n)
        store_slot(out, k, n, select3(hit, x, y), select(hit, height, gap), select(hit, name, own))
    return rank + there


@kernel
def cut_by_sides(x, d, n, parts, begin, ends, tolerance):
    """Clip the segment ``x + t d``, t from 0 to 1, by the sides of the face with the normal n; return the least and largest
    t
    """
    low, high = 0.0 * x[0], 0.0 * x[0] + 1.0
    for k in range(begin, ends):
        a, e, own = side_of(parts, k, n)
        if not own:
            continue
        w = cross3(n, e)
        at, rate = dot3(w, subtract3(x, a)) + tolerance * length3(e), dot3(w, d)
        moves = smaller(TINY, rate * rate)
        t = -at / select(moves, rate, lift(1.0, rate))
        beside = select(smaller(at, 0.0 * at), 0.0 * at + OPEN, low)
        low = select(moves, select(smaller(0.0 * rate, rate), larger(low, t), low), beside)
        high = select(moves, select(smaller(rate, 0.0 * rate), least(high, t), high), high)
    return low, high


@kernel
def covered(y, n, m, R, c, parts, begin, ends, tolerance):
    """Return 1 if the face with the normal m of a hull at R and c covers y, seen along n; else 0"""
    inside = 0.0 * y[0] + OPEN
    for k in range(begin, ends):
        a, e, own = side_of(parts, k, m)
        if not own:
            continue
        a, e = add3(c, rotate(R, a)), rotate(R, e)
        w = cross3(e, n)  # inwards: it is seen from behind
        inside = least(inside, dot3(w, subtract3(y, a)) - tolerance * length3(e))
    return indicator(smaller(0.0 * inside, inside), inside)


@called_kernel
def face_polygon(R, c, P, p, Q, q, face, size, all_of_them, out):
    """Store the polygon of the reference ``face`` of the hull P and of the incident face of Q at R and c, in the axes of P

    p and q are triangles, ends and rows. Returns how many corners there are, the least height, and the normal of the
    reference.
    """
    n, x0 = normal_at(P, p[0], face), point_at(P, p[0], face)
    lean, incident = facing(R, n, Q, q[0])
    own, y0 = normal_at(Q, q[0], incident), add3(c, rotate(R, point_at(Q, q[0], incident)))
    m = rotate(R, own)
    u = perpendicular(n)
    v = cross3(n, u)
    zero, names = 0.0 * face, 3.0 * (p[1] + q[1]) * (q[0] * face + incident)
    for k in range(SLOTS):
        store_slot(out, k, (zero - OPEN, zero, zero), x0, zero + OPEN, zero)
    rank, lowest, tolerance = zero, zero + OPEN, EDGE * size
    for k in range(q[0], q[1]):
        a, e, is_side = side_of(Q, k, own)
        if not is_side:
            continue
        a, e = add3(c, rotate(R, a)), rotate(R, e)
        low, high = cut_by_sides(a, e, n, P, p[0], p[1], tolerance)
        there = 1.0 - indicator(smaller(high, low), zero)
        for end in range(2):
            t = low if end == 0 else high
            x = add_scaled(a, t, e)
            is_corner = there if end == 0 else there * indicator(smaller(high, zero + 1.0), zero)
            h = dot3(n, subtract3(x, x0))
            lowest = select(holds(is_corner), least(lowest, h), lowest)
            rank = offer(out, rank, is_corner, x, h, names + (3 * k + end), u, v, all_of_them)
    if not within(indicator(smaller(lean, zero - UPRIGHT), zero), 0.5):
        for k in range(p[0], p[1]):
            a, _, is_side = side_of(P, k, n)
            if not is_side:
                continue
            h = dot3(m, subtract3(y0, a)) / lean
            there = covered(a, n, own, R, c, Q, q[0], q[1], tolerance)
            lowest = select(holds(there), least(lowest, h), lowest)
            rank = offer(out, rank, there, add_scaled(a, h, n), h, names + (3 * k + 2), u, v, all_of_them)
    return rank, lowest, n


@kernel
def keep_each_once(out):
    """Mark slots as open that have the feature of one before"""
    for k in range(1, SLOTS):
        _, _, _, name = load_slot(out, k)
        for j in range(k):
            _, _, gap, other = load_slot(out, j)
            same = indicator(within(name - other, 0.5), gap) * indicator(smaller(gap, 0.5 * OPEN + 0.0 * gap), gap)
            open_slot_unless(out, k, smaller(same, 0.5 + 0.0 * gap))


@called_kernel
def spanning_polygon(R, c, P, p, Q, q, face, size, out):
    """Store the polygon, or eight of its corners; return the least height, and the normal"""
    count, lowest, n = face_polygon(R, c, P, p, Q, q, face, size, True, out)
    if not within(larger(count - SLOTS, 0.0 * count), 0.5):
        face_polygon(R, c, P, p, Q, q, face, size, False, out)
        keep_each_once(out)
    return lowest, n


@called_kernel
def hull_hull(R1, p1, A, a, R2, p2, B, b, slack, out):
    """Store the polygon of the face that is farthest apart, if that is as far as the hulls are; else the nearest points. a
    and b are triangles, ends and rows of the hulls; ``slack`` is how much farther they may be, as a share of the smaller
    width.
    """
    back = transpose(R1)
    R, c = multiply3(back, R2), rotate(back, subtract3(p2, p1))
    Rt, ct = transpose(R), scale3(-1.0, rotate_back(R, c))
    # the last row has sizes
    size = load(A, PART * a[2] + 1) + load(B, PART * b[2] + 1)
    first, k = farthest_face(R, c, A, a[0], B, b[1], b[2])
    other, j = farthest_face(Rt, ct, B, b[0], A, a[1], a[2])
    second = smaller(first + SAME_DISTANCE * size, other)  # of two that are as good always the same
    face, of_second = select(second, other, first), indicator(second, first)
    u = select3(second, rotate(R, scale3(-1.0, normal_at(B, b[0], j))), normal_at(A, a[0], k))
    gap, n, x, feature = hull_hull_distance(R, c, A, a, B, b, face, u, size)
    if within(of_second, 0.5):
        lowest, _ = spanning_polygon(R, c, A, a, B, b, k, size, out)
    else:
        lowest, _ = spanning_polygon(Rt, ct, B, b, A, a, j, size, out)
    width = least(load(A, PART * a[2]), load(B, PART * b[2]))
    allowed = slack * width + SAME_DISTANCE * size
    flat = smaller(gap - allowed, face)
    flat = holds(indicator(flat, gap) * indicator(smaller(lowest, gap + allowed), gap))
    normal = rotate(R1, select3(flat, u, n))
    for i in range(SLOTS):
        _, y, height, name = load_slot(out, i)
        there = smaller(height, 0.5 * OPEN + 0.0 * height)
        h = select(there, height, 0.0 * height)
        if within(of_second, 0.5):
            y = add3(p1, rotate(R1, add_scaled(y, -0.5 * h, u)))
        else:
            y = add3(p1, rotate(R1, add_scaled(add3(c, rotate(R, y)), 0.5 * h, u)))
        height = select(flat, height, lift(OPEN, height))
        store_slot(out, i, normal, y, height, 2.0 * name + of_second)
    _, y, height, name = load_slot(out, 0)
    x = add3(p1, rotate(R1, x))
    store_slot(out, 0, normal, select3(flat, y, x), select(flat, height, gap), select(flat, name, feature))
