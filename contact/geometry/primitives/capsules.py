"""Capsules against capsules and boxes: the nearest points of segments, and the ends of what lies along a face.

Two capsules touch where their axes are nearest; where these are nearly parallel, also at the far end of the stretch on which
they lie beside each other, so that a capsule on another one, on a face of a box or along its edge, rests on two points.

Of a capsule, the first shape, and a box the signed distance of the axis is exact too: outside, the nearest points are those
of an end of the segment and the box, of a corner and the segment, or of the segment and an edge, the one that the best
separating axis shows; inside, the shortest way out is along a face normal or a product of the axis and an edge.

Sources: Ericson, *Real-Time Collision Detection* (2005), sections 5.1.9 (segments) and 5.2 (separating axes);
Gottschalk, Lin and Manocha, "OBBTree" (1996), for the separating axes.
"""

from pluecker.contact.geometry.primitives.half_spaces import axis
from pluecker.contact.geometry.primitives.scalars import (
    TINY,
    absolute,
    clamp,
    direction_or,
    holds,
    indicator,
    least,
    length3,
    perpendicular,
    select3,
    sign_of,
)
from pluecker.contact.geometry.primitives.spheres import NONE, box_distance, touch
from pluecker.contact.geometry.slots import OPEN, add_scaled, open_slot_unless, store_contact
from pluecker.spatial.algebra.vectors import cross3, dot3, rotate, rotate_back, subtract3
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import lift, select, smaller

__all__ = ["capsule_box", "capsule_capsule", "nearest_on_segments"]

PARALLEL = 1e-12  # square of the sine below which axes have no nearest points of their own
NEARLY = 1e-2  # the same, below which two capsules lie along each other: 6 degrees
ROUNDING = 1e-14  # of the sizes: differences of that size are none
APART = 1e-3  # of the lengths: two points nearer to each other than that are one


@kernel
def nearest_on_segments(c1, d1, l1, c2, d2, l2):
    """Compute the places t1 and t2 of the nearest points ``c + t d`` of two segments; any of them where they are parallel.

    t1 = (d1 x d2) . (w x d2) / |d1 x d2|^2 of the lines, with w = c2 - c1, from which each is clamped in turn.
    """
    w, b = subtract3(c2, c1), dot3(d1, d2)
    a = cross3(d1, d2)
    s = dot3(a, a)
    skew = smaller(PARALLEL, s)
    t1 = dot3(a, cross3(w, d2)) / select(skew, s, lift(1.0, s))
    # parallel: where segment 2 begins beside segment 1
    begins = dot3(d1, w) - absolute(b) * l2
    t1 = clamp(select(skew, t1, begins), -l1, l1)
    t2 = clamp(b * t1 - dot3(d2, w), -l2, l2)
    t1 = clamp(b * t2 + dot3(d1, w), -l1, l1)
    return t1, t2


@kernel
def capsule_capsule(R1, p1, s1, R2, p2, s2, slack, out):
    """Store the contacts of spheres around the nearest points of the axes, and around the farther end of the stretch on
    which they lie beside each other
    """
    d1, d2, l1, l2 = axis(R1, 2), axis(R2, 2), s1[1], s2[1]
    t1, t2 = nearest_on_segments(p1, d1, l1, p2, d2, l2)
    a = cross3(d1, d2)
    other = direction_or(a, perpendicular(d1))
    touch(add_scaled(p1, t1, d1), s1[0], add_scaled(p2, t2, d2), s2[0], other, out, 0, 0.0 * l1)
    w, b = subtract3(p2, p1), dot3(d1, d2)
    low = clamp(dot3(d1, w) - absolute(b) * l2, -l1, l1)
    high = clamp(dot3(d1, w) + absolute(b) * l2, -l1, l1)
    end = select(smaller(absolute(high - t1), absolute(low - t1)), low, high)
    t2 = clamp(b * end - dot3(d2, w), -l2, l2)
    touch(add_scaled(p1, end, d1), s1[0], add_scaled(p2, t2, d2), s2[0], other, out, 1, 0.0 * l1 + 1.0)
    along = indicator(smaller(dot3(a, a), NEARLY), l1)
    apart = indicator(smaller(APART * (l1 + l2), absolute(end - t1)), l1)
    open_slot_unless(out, 1, holds(along * apart))


# ------------------------------------------------------------------------------------------------------- capsule and box


@kernel
def nearer(best, gap, n, x, feature):
    """Select the better of two candidates (gap, outward normal of the box, point of the axis, feature)"""
    better = smaller(gap, best[0])
    return (
        select(better, gap, best[0]),
        select3(better, n, best[1]),
        select3(better, x, best[2]),
        select(better, feature, best[3]),
    )


@kernel
def segment_side(c, d, h, k, flat):
    """Compute the separating axis of a segment and the edges k of a box: distance, unit axis from the box, edge direction"""
    zero, one = lift(0.0, c[0]), lift(1.0, c[0])
    e = (one if k == 0 else zero, one if k == 1 else zero, one if k == 2 else zero)
    a = cross3(d, e)
    skew = smaller(PARALLEL, dot3(a, a))
    u = direction_or(a, flat)
    s = sign_of(dot3(u, c))
    u = (s * u[0], s * u[1], s * u[2])
    apart = dot3(u, c) - absolute(u[0]) * h[0] - absolute(u[1]) * h[1] - absolute(u[2]) * h[2]
    return select(skew, apart, lift(-OPEN, apart)), u, e


@kernel
def best_edge(c, d, h, flat):
    """Find the edges farthest apart from the segment: distance, axis, direction and centre of the edge, its half length"""
    zero = lift(0.0, c[0])
    best, u, e = zero - OPEN, flat, (zero, zero, zero + 1.0)
    for k in range(3):
        apart, v, f = segment_side(c, d, h, k, flat)
        better = smaller(best, apart)
        best, u, e = select(better, apart, best), select3(better, v, u), select3(better, f, e)
    m = (
        (1.0 - e[0]) * sign_of(u[0]) * h[0],
        (1.0 - e[1]) * sign_of(u[1]) * h[1],
        (1.0 - e[2]) * sign_of(u[2]) * h[2],
    )
    return best, u, e, m, dot3(e, h)


@kernel
def best_face(c, d, l, h):
    """Find the face of a box that is farthest apart from the segment: distance, outward normal, number 0 to 2 of the axis"""
    zero, one = lift(0.0, l), lift(1.0, l)
    x = absolute(c[0]) - h[0] - l * absolute(d[0])
    y = absolute(c[1]) - h[1] - l * absolute(d[1])
    z = absolute(c[2]) - h[2] - l * absolute(d[2])
    best, n, k = x, (sign_of(c[0]) * one, zero, zero), zero
    better = smaller(best, y)
    best, n, k = select(better, y, best), select3(better, (zero, sign_of(c[1]), zero), n), select(better, one, k)
    better = smaller(best, z)
    return select(better, z, best), select3(better, (zero, zero, sign_of(c[2])), n), select(better, one + 1.0, k)


@kernel
def segment_box(c, d, l, h):
    """Compute for a segment and a box, in its axes: signed distance, outward normal, point of the segment, feature"""
    face, n, k = best_face(c, d, l, h)
    edge, u, e, m, length = best_edge(c, d, h, n)
    zero = lift(0.0, l)
    # outside: an end and the box
    best = (zero + OPEN, n, c, zero)
    for i in range(2):
        x = add_scaled(c, (2 * i - 1) * l, d)
        gap, v = box_distance(x, h)
        best = nearer(best, larger(gap, zero), v, x, zero + i)
    # a corner and the segment
    for i in range(8):
        y = ((2 * (i % 2) - 1) * h[0], (2 * (i // 2 % 2) - 1) * h[1], (2 * (i // 4) - 1) * h[2])
        x = add_scaled(c, clamp(dot3(d, subtract3(y, c)), -l, l), d)
        best = nearer(best, length3(subtract3(x, y)), direction_or(subtract3(x, y), n), x, zero + (2 + i))
    # the edge that the best axis shows, and the segment
    t, s = nearest_on_segments(c, d, l, m, e, length)
    x, y = add_scaled(c, t, d), add_scaled(m, s, e)
    best = nearer(best, length3(subtract3(x, y)), direction_or(subtract3(x, y), u), x, zero + 10.0 + e[1] + 2.0 * e[2])
    # inside: the axis along which they are least deep
    flat = smaller(edge, face)
    deep = larger(face, edge)
    end = add_scaled(c, -l * sign_of(dot3(n, d)), d)
    within = smaller(least(deep, best[0] - NONE * (l + h[0] + h[1] + h[2])), 0.0)
    n, x = select3(flat, n, u), select3(flat, end, x)
    return (
        select(within, deep, best[0]),
        select3(within, n, best[1]),
        select3(within, x, best[2]),
        select(within, select(flat, 20.0 + k, 30.0 + e[1] + 2.0 * e[2]), best[3]),
    )


@kernel
def slab(c, d, h, low, high):
    """Clip a stretch of a line by two planes at -h and h: what is between them is left"""
    zero = lift(0.0, c)
    moves = smaller(TINY, d * d)
    w = 1.0 / select(moves, d, zero + 1.0)
    a, b = (-h - c) * w, (h - c) * w
    beside = smaller(absolute(c), h)  # of a line that is parallel to them
    none, all_ = zero + OPEN, zero - OPEN
    enters = select(moves, least(a, b), select(beside, all_, none))
    leaves = select(moves, larger(a, b), select(beside, none, all_))
    return larger(low, enters), least(high, leaves)


@kernel
def face_stretch(c, d, l, h, n):
    """Find the stretch of a segment over a face of a box with the outward normal n: from where to where"""
    low, high = -l, l
    wide = OPEN  # along the normal there is no bound
    low, high = slab(c[0], d[0], h[0] + wide * n[0] * n[0], low, high)
    low, high = slab(c[1], d[1], h[1] + wide * n[1] * n[1], low, high)
    return slab(c[2], d[2], h[2] + wide * n[2] * n[2], low, high)


@kernel
def capsule_box(R1, p1, s1, R2, p2, s2, slack, out):
    """Store both ends of the stretch over the face that is farthest apart, if that is as far as the shapes are; else the
    nearest points. ``slack`` is how much farther they may be, as a share of the smallest size.
    """
    r, l, h = s1[0], s1[1], s2
    c, d = rotate_back(R2, subtract3(p1, p2)), rotate_back(R2, axis(R1, 2))
    gap, normal, x, feature = segment_box(c, d, l, h)
    face, n, k = best_face(c, d, l, h)
    low, high = face_stretch(c, d, l, h, n)
    # no stretch: any points of the axis, for the slot is open
    near, far = add_scaled(c, clamp(low, -l, l), d), add_scaled(c, clamp(high, -l, l), d)
    at_low, at_high = dot3(n, near) - dot3(h, (n[0] * n[0], n[1] * n[1], n[2] * n[2])), dot3(n, far)
    at_high = at_high - dot3(h, (n[0] * n[0], n[1] * n[1], n[2] * n[2]))
    lowest, size = least(at_low, at_high), r + l + h[0] + h[1] + h[2]
    one = lift(1.0, gap)
    over = one - indicator(smaller(high, low), gap)
    # a stretch as far away as the face parts them is nearest: no support of an axis tells edges that are at one height apart
    flush = (
        over * indicator(smaller(lowest, face + ROUNDING * size), gap) * indicator(smaller(-ROUNDING * size, face), gap)
    )
    gap = select(holds(flush), least(gap, lowest), gap)
    allowed = slack * least(r, least(h[0], least(h[1], h[2]))) + ROUNDING * size
    rests = over * indicator(smaller(gap - allowed, face), gap) * indicator(smaller(lowest, gap + allowed), gap)
    flat = holds(rests)
    end, number, along = edge_end(c, d, l, h, dot3(d, subtract3(x, c)))
    edge_gap, edge_normal = box_distance(end, h)
    along = along * indicator(smaller(0.0 * gap, least(gap, edge_gap)), gap)
    v, x = select3(flat, n, normal), select3(flat, near, x)
    axis_ = rotate(R2, (-v[0], -v[1], -v[2]))
    touch_axis(R2, p2, x, r, axis_, select(flat, at_low, gap), out, 0, select(flat, 40.0 + 2.0 * k, feature))
    v, far = select3(flat, n, edge_normal), select3(flat, far, end)
    axis_ = rotate(R2, (-v[0], -v[1], -v[2]))
    touch_axis(
        R2, p2, far, r, axis_, select(flat, at_high, edge_gap), out, 1, select(flat, 41.0 + 2.0 * k, 50.0 + number)
    )
    open_slot_unless(out, 1, holds(larger(rests, along)))


@kernel
def edge_end(c, d, l, h, t):
    """Find, of a segment that is nearly parallel to edges of a box, the end of its stretch beside them that is farther from
    the place t, the number of their axis, and whether there is such an end (1 or 0)
    """
    zero = lift(0.0, l)
    ck, dk, hk, number = c[0], d[0], h[0], zero
    for k in range(1, 3):
        other = smaller(absolute(dk), absolute(d[k]))
        ck, dk, hk = select(other, c[k], ck), select(other, d[k], dk), select(other, h[k], hk)
        number = select(other, zero + k, number)
    low, high = slab(ck, dk, hk, -l, l)
    end = select(smaller(absolute(high - t), absolute(low - t)), low, high)
    parallel = indicator(smaller(1.0 - dk * dk, zero + NEARLY), l)
    beside = indicator(smaller(low, high), l) * indicator(smaller(APART * (l + hk), absolute(end - t)), l)
    return add_scaled(c, clamp(end, -l, l), d), number, parallel * beside


@kernel
def touch_axis(R2, p2, x, r, n, distance, out, k, feature):
    """Store the contact of a sphere around a point of the axis, given in the axes of the box"""
    y = rotate(R2, x)
    y = (y[0] + p2[0], y[1] + p2[1], y[2] + p2[2])
    store_contact(out, k, n, add_scaled(y, r, n), distance - r, feature)
