"""Two boxes: the signed distance, and the polygon in which a face of one lies over a face of the other, up to eight points.

All is in the axes of the first box: c is the centre of the second, R has its axes as columns, a and b are half sides.

The signed distance is exact. Apart, the nearest points are a corner of one and any point of the other, or belong to two
edges; those are the edges that the best separating axis of edges shows. Inside one another, the way out is the axis of
least depth among all fifteen.

The contact is what two faces have in common, if the axis of a face parts the boxes as far as they are apart: the face of the
other box that looks at it most is cut by the sides of the first. Otherwise it is one point, of two edges or of a corner.

Sources: Gottschalk, Lin and Manocha, "OBBTree" (1996), for the axes; Ericson, *Real-Time Collision Detection* (2005),
sections 4.4.1 and 5.1; the clipping of faces is that of Baraff, "Curved surfaces and coherence for non-penetrating
rigid body simulation" (1990).
"""

from pluecker.contact.geometry.capsules import PARALLEL, nearest_on_segments
from pluecker.contact.geometry.scalars import absolute, direction_or, larger, least, length3, select3, sign_of
from pluecker.contact.geometry.slots import OPEN, add_scaled
from pluecker.contact.geometry.spheres import NONE, box_distance
from pluecker.spatial.algebra.vectors import add3, cross3, dot3, rotate, rotate_back, scale3, subtract3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import lift, select, smaller

__all__ = ["best_box_face", "box_box_distance", "farther", "unit_axis"]


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
def best_box_face(R, c, a, b):
    """Find the face farthest apart from the other box: distance, normal, 0 to 2 of the first box, 3 to 5 of the second"""
    zero = lift(0.0, c[0])
    best = (zero - OPEN, unit_axis(2, zero), zero)
    for k in range(3):
        apart, u = separation(unit_axis(k, zero), R, c, a, b)
        best = farther(best, apart, u, k)
    for k in range(3):
        apart, u = separation(rotate(R, unit_axis(k, zero)), R, c, a, b)
        best = farther(best, apart, u, k + 3)
    return best


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
    face, n, number = best_box_face(R, c, a, b)
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
