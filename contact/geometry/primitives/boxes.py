"""Two boxes: the signed distance, and the polygon in which a face of one lies over a face of the other, up to eight points.

**The signed distance** is exact. All is in the axes of the first box: c is the centre of the second, R has its axes as
columns, a and b are half sides. Apart, the nearest points are a corner of one and any point of the other, or belong to two
edges; those are the edges that the best separating axis of edges shows. Inside one another, the way out is the axis of least
depth among all fifteen.

**The contact** is what two faces have in common, if the axis of a face parts the boxes as far as they are apart; otherwise
it is one point, of two edges or of a corner. The face that parts the boxes best is the *reference*; in its frame u and v are
along its sides and w is the height over it. The *incident* face is that of the other box that looks at it most: a
parallelogram ``q +- P +- Q`` in (u, v, w), which is cut by the sides of the reference. The polygon has up to eight corners
of twelve candidates:

=========  ===================================================================================================
candidate  what it is
=========  ===================================================================================================
0 to 3     where side k of the incident face begins, if that is over the reference, or where it enters
4 to 7     where side k leaves the reference, if it does
8 to 11    the corners of the reference that the incident face covers
=========  ===================================================================================================

The corners of the polygon follow one another in the slots in this order. The normal of all is that of the reference.

Sources: Gottschalk, Lin and Manocha, "OBBTree" (1996), for the axes; Ericson, *Real-Time Collision Detection* (2005),
sections 4.4.1 and 5.1; the clipping of faces is that of Baraff, "Curved surfaces and coherence for non-penetrating
rigid body simulation" (1990).
"""

from pluecker.contact.geometry.primitives.capsules import PARALLEL, ROUNDING, nearest_on_segments, slab
from pluecker.contact.geometry.primitives.scalars import (
    absolute,
    direction_or,
    holds,
    indicator,
    least,
    length3,
    select3,
    sign_of,
)
from pluecker.contact.geometry.primitives.spheres import NONE, box_distance
from pluecker.contact.geometry.slots import GAP, OPEN, SLOT, add_scaled, load_slot, store_slot
from pluecker.spatial.algebra.transforms import transpose
from pluecker.spatial.algebra.vectors import add3, cross3, dot3, multiply3, rotate, rotate_back, scale3, subtract3
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import lift, load, select, smaller, within

__all__ = ["best_box_face", "box_box", "box_box_distance", "farther", "unit_axis"]


@kernel
def unit_axis(k, like):
    """Return the coordinate axis k"""
    zero, one = lift(0.0, like), lift(1.0, like)
    return (one if k == 0 else zero, one if k == 1 else zero, one if k == 2 else zero)


@kernel
def reach(u, R, b):
    """Compute how far a box with the axes R reaches from its centre along u"""
    m = rotate_back(R, u)
    return b[0] * absolute(m[0]) + b[1] * absolute(m[1]) + b[2] * absolute(m[2])


@kernel
def span(u, a):
    """Compute how far a box in these axes reaches from its centre along u"""
    return a[0] * absolute(u[0]) + a[1] * absolute(u[1]) + a[2] * absolute(u[2])


@kernel
def farther(best, apart, u, number):
    """Select the better of two separating axes (distance, axis from the first box, number)"""
    better = smaller(best[0], apart)
    return (
        select(better, apart, best[0]),
        select3(better, u, best[1]),
        select(better, lift(number, apart), best[2]),
    )


@kernel
def separation(u, R, c, a, b):
    """Compute how far the boxes are apart along an axis, and the axis from the first to the second"""
    s = sign_of(dot3(u, c))
    return s * dot3(u, c) - span(u, a) - reach(u, R, b), (s * u[0], s * u[1], s * u[2])


@kernel
def best_box_face(R, c, a, b, more):
    """Find the face farthest apart from the other box: distance, normal, 0 to 2 of the first box, 3 to 5 of the second

    Of the second box only a face that is farther apart by ``more`` than those of the first.
    """
    zero = lift(0.0, c[0])
    best = (zero - OPEN, unit_axis(2, zero), zero)
    for k in range(3):
        apart, u = separation(unit_axis(k, zero), R, c, a, b)
        best = farther(best, apart, u, k)
    for k in range(3):
        apart, u = separation(rotate(R, unit_axis(k, zero)), R, c, a, b)
        best = farther(best, apart - more, u, k + 3)
    return best[0] + select(smaller(2.5, best[2]), more, zero), best[1], best[2]


@kernel
def best_box_edges(R, c, a, b, flat):
    """Find the edges that are farthest apart: distance, axis, number 3 i + k of the products of axis i and axis k"""
    zero = lift(0.0, c[0])
    best = (zero - OPEN, flat, zero)
    for i in range(3):
        for k in range(3):
            u = cross3(unit_axis(i, zero), rotate(R, unit_axis(k, zero)))
            skew = smaller(PARALLEL, dot3(u, u))
            apart, u = separation(direction_or(u, flat), R, c, a, b)
            best = farther(best, select(skew, apart, zero - OPEN), u, 3 * i + k)
    return best


@kernel
def edge_points(R, c, a, b, u, number):
    """Find the nearest points of the edges that an axis of edges shows"""
    zero, one = lift(0.0, number), lift(1.0, number)
    x, y = smaller(number, 2.5), smaller(number, 5.5)
    e = select3(x, (one, zero, zero), select3(y, (zero, one, zero), (zero, zero, one)))
    k = number - select(x, zero, select(y, 3.0 * one, 6.0 * one))
    p, q = smaller(k, 0.5), smaller(k, 1.5)
    f = select3(p, (one, zero, zero), select3(q, (zero, one, zero), (zero, zero, one)))
    v = rotate_back(R, u)
    m1 = corner(a, (sign_of(u[0]), sign_of(u[1]), sign_of(u[2])), e)
    m2 = subtract3(c, rotate(R, corner(b, (sign_of(v[0]), sign_of(v[1]), sign_of(v[2])), f)))
    d = rotate(R, f)
    t, s = nearest_on_segments(m1, e, dot3(e, a), m2, d, dot3(f, b))
    return add_scaled(m1, t, e), add_scaled(m2, s, d)


@kernel
def corner(h, s, e):
    """Compute the corner with these signs, moved to the middle of its edge along e"""
    return (s[0] * h[0] * (1.0 - e[0]), s[1] * h[1] * (1.0 - e[1]), s[2] * h[2] * (1.0 - e[2]))


@kernel
def nearer_points(best, gap, n, x1, x2, feature):
    """Select the better of two pairs of points (gap, normal from the first box, both points, feature)"""
    better = smaller(gap, best[0])
    return (
        select(better, gap, best[0]),
        select3(better, n, best[1]),
        select3(better, x1, best[2]),
        select3(better, x2, best[3]),
        select(better, lift(feature, gap), best[4]),
    )


@kernel
def nearest_corner(R, c, a, b, best):
    """Find the nearest of all corners of each box to the other box, or ``best`` if that is nearer"""
    for i in range(8):
        s = (2.0 * (i % 2) - 1.0, 2.0 * (i // 2 % 2) - 1.0, 2.0 * (i // 4) - 1.0)
        y = add3(c, rotate(R, (s[0] * b[0], s[1] * b[1], s[2] * b[2])))
        gap, n = box_distance(y, a)
        best = nearer_points(best, gap, n, add_scaled(y, -gap, n), y, i)
        x = (s[0] * a[0], s[1] * a[1], s[2] * a[2])
        gap, m = box_distance(rotate_back(R, subtract3(x, c)), b)
        m = rotate(R, m)
        best = nearer_points(best, gap, (-m[0], -m[1], -m[2]), x, add_scaled(x, -gap, m), 8 + i)
    return best


@called_kernel
def box_box_distance(R, c, a, b):
    """Compute the signed distance, normal from the first box to the second, the points of both surfaces, feature"""
    face, n, number = best_box_face(R, c, a, b, lift(0.0, c[0]))
    edge, u, pair = best_box_edges(R, c, a, b, n)
    zero = lift(0.0, face)
    x1, x2 = edge_points(R, c, a, b, u, pair)
    w = subtract3(x2, x1)
    best = (length3(w), direction_or(w, u), x1, x2, 20.0 + pair)
    best = nearest_corner(R, c, a, b, best)
    # inside, or as good as touching: the axis along which they are least deep
    flat, deep = smaller(edge, face), larger(face, edge)
    sizes = a[0] + a[1] + a[2] + b[0] + b[1] + b[2]
    within = smaller(least(deep, best[0] - NONE * sizes), zero)
    axis_ = select3(flat, n, u)
    v = rotate_back(R, n)
    y2 = subtract3(c, rotate(R, (sign_of(v[0]) * b[0], sign_of(v[1]) * b[1], sign_of(v[2]) * b[2])))
    y1 = add_scaled(y2, -face, n)
    middle = scale3(0.5, add3(x1, x2))
    y1 = select3(flat, y1, add_scaled(middle, -0.5 * edge, u))
    y2 = select3(flat, y2, add_scaled(middle, 0.5 * edge, u))
    return (
        select(within, deep, best[0]),
        select3(within, axis_, best[1]),
        select3(within, y1, best[2]),
        select3(within, y2, best[3]),
        select(within, select(flat, 30.0 + number, 40.0 + pair), best[4]),
    )


# -------------------------------------- contact of two boxes: the intersection of a face of one box with a face of the other


SLOTS = 8
EDGE = (
    1e-9  # of a side: as near to it a corner is on it, so that equal faces have four corners in common, and not eight
)


@kernel
def rolled(f, a):
    """Permute (x, y, z) to coordinates (u, v, w) along the axes f + 1, f + 2 and f"""
    x, y = smaller(f, 0.5), smaller(f, 1.5)
    return select3(x, (a[1], a[2], a[0]), select3(y, (a[2], a[0], a[1]), a))


@kernel
def unrolled(f, a):
    """Permute coordinates (u, v, w) along the axes f + 1, f + 2 and f back to (x, y, z)"""
    x, y = smaller(f, 0.5), smaller(f, 1.5)
    return select3(x, (a[2], a[0], a[1]), select3(y, (a[1], a[2], a[0]), a))


@kernel
def select9(condition, A, B):
    """Select one of two 3 x 3 matrices: A where the condition holds, else B"""
    x = select3(condition, (A[0], A[1], A[2]), (B[0], B[1], B[2]))
    y = select3(condition, (A[3], A[4], A[5]), (B[3], B[4], B[5]))
    z = select3(condition, (A[6], A[7], A[8]), (B[6], B[7], B[8]))
    return (x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])


@kernel
def incident_face(R, c, b, f, side):
    """Find the face of the box with the axes R at c that faces face f of the other box most; return in (u, v, w) its centre
    and both half sides, and its number
    """
    m = rolled(f, (R[0], R[3], R[6])), rolled(f, (R[1], R[4], R[7])), rolled(f, (R[2], R[5], R[8]))
    down = (absolute(m[0][2]), absolute(m[1][2]), absolute(m[2][2]))
    zero, one = lift(0.0, side), lift(1.0, side)
    k = select(smaller(down[0], down[1]), one, zero)
    k = select(smaller(larger(down[0], down[1]), down[2]), one + 1.0, k)
    x, y = smaller(k, 0.5), smaller(k, 1.5)
    normal = select3(x, m[0], select3(y, m[1], m[2]))
    first = select3(x, m[1], select3(y, m[2], m[0]))
    second = select3(x, m[2], select3(y, m[0], m[1]))
    h = rolled(k, b)
    s = -sign_of(side * normal[2])
    q = add_scaled(rolled(f, c), s * h[2], normal)
    return q, scale3(h[0], first), scale3(h[1], second), 2.0 * k + 0.5 * (s + 1.0)


@kernel
def place(out, rank, there, x, feature):
    """Store a corner of the polygon, if it is there (1, else 0), in the slot of its rank; return the new count"""
    for k in range(SLOTS):
        hit = holds(there * indicator(smaller(absolute(rank - k), 0.5), rank))
        n, y, gap, name = load_slot(out, k)
        store_slot(out, k, n, select3(hit, x, y), select(hit, x[2], gap), select(hit, feature, name))
    return rank + there


@kernel
def place_side(out, rank, k, q, P, Q, A, names):
    """Store the points where side k of the incident face begins or enters, and where it leaves; return the new count"""
    s, t = (1.0 if k == 1 or k == 2 else -1.0), (1.0 if k >= 2 else -1.0)
    x = add_scaled(add_scaled(q, s, P), t, Q)
    d = scale3(-2.0 * s, P) if k % 2 == 0 else scale3(-2.0 * t, Q)
    zero, one = lift(0.0, rank), lift(1.0, rank)
    low, high = slab(x[0], d[0], A[0] * (1.0 + EDGE), zero, one)
    low, high = slab(x[1], d[1], A[1] * (1.0 + EDGE), low, high)
    there = one - indicator(smaller(high, low), rank)
    rank = place(out, rank, there, add_scaled(x, low, d), names + k)
    leaves = there * indicator(smaller(high, one), rank)
    return place(out, rank, leaves, add_scaled(x, high, d), names + (4 + k))


@kernel
def place_corner(out, rank, k, q, P, Q, A, names):
    """Store corner k of the reference, if the incident face covers it (alpha P + beta Q from its centre); return
    the count
    """
    u = (1.0 if k == 1 or k == 2 else -1.0) * A[0] - q[0]
    v = (1.0 if k >= 2 else -1.0) * A[1] - q[1]
    w = 1.0 / (P[0] * Q[1] - P[1] * Q[0])
    alpha, beta = w * (u * Q[1] - v * Q[0]), w * (P[0] * v - P[1] * u)
    inside = indicator(smaller(larger(absolute(alpha), absolute(beta)), 1.0 - EDGE), rank)
    x = add_scaled(add_scaled(q, alpha, P), beta, Q)
    return place(out, rank, inside, x, names + (8 + k))


@kernel
def seen_by_reference(second, R, x):
    """Return a vector from the first box to the second in the axes of the reference, from that to the other box"""
    return select3(second, scale3(-1.0, rotate_back(R, x)), x)


@kernel
def box_face(R, c, a, b, face, n, out):
    """Store the polygon of the reference ``face``, 0 to 2 of the first box, 3 to 5 of the second, in (u, v, w); return
    whether the reference is of the second box, its axis, side and half sides

    n: its normal, from the first box to the second.
    """
    second = smaller(2.5, face)
    f = select(second, face - 3.0, face)
    R_, c_ = select9(second, transpose(R), R), seen_by_reference(second, R, c)
    A, B = select3(second, b, a), select3(second, a, b)
    side = sign_of(rolled(f, seen_by_reference(second, R, n))[2])
    q, P, Q, incident = incident_face(R_, c_, B, f, side)
    A = rolled(f, A)
    q, P, Q = (
        (q[0], q[1], side * q[2] - A[2]),
        (P[0], P[1], side * P[2]),
        (Q[0], Q[1], side * Q[2]),
    )
    names = 100.0 + 12.0 * (6.0 * (2.0 * face + 0.5 * (side + 1.0)) + incident)
    zero = lift(0.0, side)
    for k in range(SLOTS):
        store_slot(out, k, (zero, zero, zero + 1.0), (zero, zero, zero), zero + OPEN, zero)
    rank = zero
    for k in range(4):
        rank = place_side(out, rank, k, q, P, Q, A, names)
    for k in range(4):
        rank = place_corner(out, rank, k, q, P, Q, A, names)
    return second, f, side, A


@called_kernel
def box_box(R1, p1, s1, R2, p2, s2, slack, out):
    """Store the polygon of the face that is farthest apart, if that is as far as the boxes are; else the nearest points.
    ``slack`` is how much farther they may be, as a share of the smallest side: without it a box that lies on an edge of
    another one at a grazing angle would have one point in one step and four in the next.
    """
    R, c = multiply3(transpose(R1), R2), rotate_back(R1, subtract3(p2, p1))
    smallest = least(least(least(s1[0], s1[1]), s1[2]), least(least(s2[0], s2[1]), s2[2]))
    apart, u, face = best_box_face(R, c, s1, s2, 0.5 * slack * smallest)
    second, f, side, A = box_face(R, c, s1, s2, face, u, out)
    deepest, size = lift(OPEN, apart), s1[0] + s1[1] + s1[2] + s2[0] + s2[1] + s2[2]
    for k in range(SLOTS):
        deepest = least(deepest, load(out, SLOT * k + GAP))
    # a polygon as far away as the face parts them is nearest: no support of an axis tells edges that are at one height apart
    near, clear = smaller(deepest, apart + ROUNDING * size), smaller(-ROUNDING * size, apart)
    rests = indicator(near, apart) * indicator(clear, apart)
    gap, n, x1, x2, feature = apart, u, c, c, lift(0.0, apart)
    if not within(1.0 - rests, 0.0):  # of most boxes that touch this is all
        gap, n, x1, x2, feature = box_box_distance(R, c, s1, s2)
        allowed = slack * smallest + ROUNDING * size
        lies = indicator(smaller(gap - allowed, apart), gap) * indicator(smaller(deepest, gap + allowed), gap)
        rests = larger(rests, lies)
    flat = holds(rests)
    Rr, pr = select9(second, R2, R1), select3(second, p2, p1)
    normal = rotate(R1, select3(flat, u, n))
    for k in range(SLOTS):
        _, x, height, name = load_slot(out, k)
        # the point half-way between the incident face and the reference
        y = unrolled(f, (x[0], x[1], side * (A[2] + 0.5 * height)))
        y = add3(pr, rotate(Rr, select3(smaller(height, 0.5 * OPEN), y, unrolled(f, (x[0], x[1], side * A[2])))))
        store_slot(out, k, normal, y, select(flat, height, lift(OPEN, height)), name)
    x = add3(p1, rotate(R1, scale3(0.5, add3(x1, x2))))
    _, y, height, name = load_slot(out, 0)
    store_slot(out, 0, normal, select3(flat, y, x), select(flat, height, gap), select(flat, name, feature))
