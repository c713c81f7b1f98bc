"""Spheres and capsules against convex hulls: the nearest points of a point or a segment and a hull.

The sphere or the capsule is the first shape; the hull comes as the rows of :mod:`~pluecker.contact.geometry.hull_parts`, so
many triangles of all rows. Signed distances are exact: of a point outside, from the nearest point of all triangles, inside
from the face that is least deep; of a segment as beside a box (:mod:`~pluecker.contact.geometry.capsules`), where
products of the axis and an edge count if they are between the normals of both faces at that edge.

Source: Ericson, *Real-Time Collision Detection* (2005), sections 5.1.5 (triangles), 5.1.9 (segments) and 5.2 (separating
axes); Gregorius, "The separating axis test between convex polyhedra" (2013), for the edges that count.
"""

from pluecker.contact.geometry.capsules import PARALLEL, ROUNDING, nearer, nearest_on_segments, touch_axis
from pluecker.contact.geometry.half_spaces import axis
from pluecker.contact.geometry.hull_parts import PART
from pluecker.contact.geometry.scalars import (
    TINY,
    absolute,
    clamp,
    direction_or,
    holds,
    indicator,
    least,
    length3,
    select3,
    sign_of,
)
from pluecker.contact.geometry.slots import OPEN, add_scaled, open_slot_unless
from pluecker.contact.geometry.spheres import NONE, against
from pluecker.spatial.algebra.vectors import add3, cross3, dot3, load3, rotate, rotate_back, scale3, subtract3
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import lift, select, smaller

__all__ = ["capsule_hull", "sphere_hull"]

SAME_FACE = 1e-12  # of 1 - cosine: normals of one face


@kernel
def on_edge(x, a, b):
    """Compute the point of the edge from a to b that is nearest to x"""
    e = subtract3(b, a)
    s = dot3(e, e)
    w = 1.0 / select(smaller(TINY, s), s, lift(1.0, s))
    return add_scaled(a, clamp(w * dot3(e, subtract3(x, a)), 0.0 * s, lift(1.0, s)), e)


@kernel
def nearer_point(x, y, z):
    """Select the one of y and z that is nearer to x"""
    u, v = subtract3(y, x), subtract3(z, x)
    return select3(smaller(dot3(v, v), dot3(u, u)), z, y)


@kernel
def on_triangle(x, a, b, c, n):
    """Compute the point of a triangle that is nearest to x: below it, or on an edge"""
    y = nearer_point(x, nearer_point(x, on_edge(x, a, b), on_edge(x, b, c)), on_edge(x, c, a))
    p = dot3(cross3(subtract3(b, a), subtract3(x, a)), n)
    q = dot3(cross3(subtract3(c, b), subtract3(x, b)), n)
    r = dot3(cross3(subtract3(a, c), subtract3(x, c)), n)
    over = smaller(0.0 * p, least(p, least(q, r)))
    return select3(over, add_scaled(x, -dot3(n, subtract3(x, a)), n), y)


@kernel
def hull_distance(x, parts, triangles):
    """Compute the signed distance of a point x from a hull, in the axes of that, and its gradient, the outward normal"""
    zero = 0.0 * x[0]
    deep, m, size = zero - OPEN, (zero, zero, zero + 1.0), zero
    far, y = zero + OPEN, x
    for k in range(triangles):
        a, b, c, n = corners_of(parts, k)
        height = dot3(n, subtract3(x, a))
        better = smaller(deep, height)
        deep, m = select(better, height, deep), select3(better, n, m)
        z = on_triangle(x, a, b, c, n)
        u = subtract3(x, z)
        nearer_ = smaller(dot3(u, u), far)
        far, y = select(nearer_, dot3(u, u), far), select3(nearer_, z, y)
        size = larger(size, absolute(a[0]) + absolute(a[1]) + absolute(a[2]))
    u = subtract3(x, y)
    d = length3(u)
    outside = smaller(NONE * size, least(deep, d))
    return select(outside, d, deep), select3(outside, scale3(1.0 / d, u), m)


@kernel
def corners_of(parts, k):
    """Load the corners a, b, c and the normal n of triangle k"""
    i = PART * k
    return load3(parts, i), load3(parts, i + 3), load3(parts, i + 6), load3(parts, i + 9)


@kernel
def sphere_hull(R1, p1, s1, R2, p2, parts, triangles, rows, slack, out):
    """Store the contact of a sphere and a hull, from the signed distance of the centre to the hull"""
    distance, normal = hull_distance(rotate_back(R2, subtract3(p1, p2)), parts, triangles)
    against(R2, p1, s1[0], distance, normal, out)


# --------------------------------------------------------------------------------------------------------------- capsules


@kernel
def best_hull_face(c, d, l, parts, triangles):
    """Find the face that is farthest apart from the segment: distance, outward normal, a corner, and the size of the hull"""
    zero = 0.0 * l
    best, m, x, size = zero - OPEN, (zero, zero, zero + 1.0), c, zero
    for k in range(triangles):
        a, _, _, n = corners_of(parts, k)
        apart = dot3(n, subtract3(c, a)) - l * absolute(dot3(n, d))
        better = smaller(best, apart)
        best, m, x = select(better, apart, best), select3(better, n, m), select3(better, a, x)
        size = larger(size, absolute(a[0]) + absolute(a[1]) + absolute(a[2]))
    return best, m, x, size


@kernel
def edge_axis(c, d, a, e, n1, n2, flat):
    """Compute the axis across a segment and an edge, and how far it parts them, if it is between the normals of its faces"""
    u = cross3(d, e)
    skew = indicator(smaller(PARALLEL, dot3(u, u)), c[0])
    u = direction_or(u, flat)
    s = sign_of(dot3(u, add3(n1, n2)))
    u = (s * u[0], s * u[1], s * u[2])
    across = cross3(n1, n2)
    first, second = dot3(cross3(n1, u), across), dot3(cross3(u, n2), across)
    there = skew * indicator(smaller(-PARALLEL, least(first, second)), c[0])
    apart = dot3(u, subtract3(c, a))
    return select(holds(there), apart, apart * 0.0 - OPEN), u


@kernel
def segment_hull(c, d, l, parts, triangles, rows):
    """Compute for a segment and a hull, in its axes: signed distance, outward normal, point of the segment, feature"""
    face, n, _, size = best_hull_face(c, d, l, parts, triangles)
    zero = 0.0 * l
    best = (zero + OPEN, n, c, zero)
    for i in range(2):
        x = add_scaled(c, (2 * i - 1) * l, d)
        gap, v = hull_distance(x, parts, triangles)
        best = nearer(best, larger(gap, zero), v, x, zero + i)
    edge, u, at = zero - OPEN, n, c
    for k in range(triangles, rows):
        a, b = load3(parts, PART * k), load3(parts, PART * k + 3)
        n1, n2 = load3(parts, PART * k + 6), load3(parts, PART * k + 9)
        e = direction_or(subtract3(b, a), n)
        m, length = scale3(0.5, add3(a, b)), 0.5 * length3(subtract3(b, a))
        t, s = nearest_on_segments(c, d, l, m, e, length)
        x, y = add_scaled(c, t, d), add_scaled(m, s, e)
        w = subtract3(x, y)
        best = nearer(best, length3(w), direction_or(w, n), x, zero + (2 + k - triangles))
        apart, v = edge_axis(c, d, a, e, n1, n2, n)
        better = smaller(edge, apart)
        edge, u, at = select(better, apart, edge), select3(better, v, u), select3(better, x, at)
    # inside: the axis along which they are least deep
    flat, deep = smaller(edge, face), larger(face, edge)
    end = add_scaled(c, -l * sign_of(dot3(n, d)), d)
    within_ = smaller(least(deep, best[0] - NONE * (l + size)), 0.0)
    return (
        select(within_, deep, best[0]),
        select3(within_, select3(flat, n, u), best[1]),
        select3(within_, select3(flat, end, at), best[2]),
        select(within_, zero + (rows + 2), best[3]),
    )


@kernel
def side_cut(c, d, a, b, n, low, high):
    """Clip a stretch of a line by the side from a to b of a triangle with the normal n: what is inwards is left"""
    inwards = cross3(n, subtract3(b, a))
    size = length3(inwards)
    at, rate = dot3(inwards, subtract3(c, a)), dot3(inwards, d)
    moves = smaller(TINY * size * size, rate * rate)
    t = -at / select(moves, rate, lift(1.0, rate))
    beside = smaller(at, -ROUNDING * size)
    low = select(moves, select(smaller(0.0, rate), larger(low, t), low), select(beside, 0.0 * t + OPEN, low))
    high = select(moves, select(smaller(rate, 0.0), least(high, t), high), high)
    return low, high


@kernel
def hull_face_stretch(c, d, l, n, parts, triangles):
    """Find the stretch of a segment over the face with the normal n: from where to where; none where the first is larger"""
    zero = 0.0 * l
    low, high = zero + OPEN, zero - OPEN
    for k in range(triangles):
        a, b, e, m = corners_of(parts, k)
        first, last = side_cut(c, d, a, b, n, -l, l)
        first, last = side_cut(c, d, b, e, n, first, last)
        first, last = side_cut(c, d, e, a, n, first, last)
        own = indicator(smaller(1.0 - SAME_FACE, dot3(m, n)), l) * (1.0 - indicator(smaller(last, first), l))
        low, high = select(holds(own), least(low, first), low), select(holds(own), larger(high, last), high)
    return low, high


@kernel
def capsule_hull(R1, p1, s1, R2, p2, parts, triangles, rows, slack, out):
    """Store both ends of the stretch over the face that is farthest apart, if that is as far as the shapes are; else the
    nearest points. ``slack`` is how much farther they may be, as a share of the radius.
    """
    r, l = s1[0], s1[1]
    c, d = rotate_back(R2, subtract3(p1, p2)), rotate_back(R2, axis(R1, 2))
    gap, normal, x, feature = segment_hull(c, d, l, parts, triangles, rows)
    face, n, a, size = best_hull_face(c, d, l, parts, triangles)
    low, high = hull_face_stretch(c, d, l, n, parts, triangles)
    none = smaller(high, low)
    low, high = select(none, -l, low), select(none, l, high)
    near, far = add_scaled(c, low, d), add_scaled(c, high, d)
    at_low, at_high = dot3(n, subtract3(near, a)), dot3(n, subtract3(far, a))
    lowest, over = least(at_low, at_high), 1.0 - indicator(none, gap)
    allowed = slack * r + ROUNDING * (r + l + size)
    rests = over * indicator(smaller(gap - allowed, face), gap) * indicator(smaller(lowest, gap + allowed), gap)
    flat = holds(rests)
    v, x = select3(flat, n, normal), select3(flat, near, x)
    axis_ = rotate(R2, (-v[0], -v[1], -v[2]))
    names = 0.0 * gap + (rows + 10)
    touch_axis(R2, p2, x, r, axis_, select(flat, at_low, gap), out, 0, select(flat, names, feature))
    touch_axis(R2, p2, far, r, axis_, at_high, out, 1, names + 1.0)
    open_slot_unless(out, 1, flat)
