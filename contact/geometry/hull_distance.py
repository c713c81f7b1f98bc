"""Two convex hulls, or a box and a hull: the signed distance, and the edges or the face along which they are nearest.

All is in the axes of the first hull; ``c`` is the origin of the second one, R has its axes as columns. Each hull comes as
the rows of :func:`~pluecker.contact.geometry.hull_parts.solid_parts`: triangles, edges up to ``ends``, then corners.

The signed distance is exact. Apart, the nearest points are a corner of one and a face of the other, or belong to two edges.
Inside one another, the way out is the axis of least depth among the normals of all faces and the products of two edges,
as far as these are normals of the difference of both hulls: if the arcs between the normals at both edges cross.

It takes as many steps as there are pairs of edges, but where a corner is as far from a face as that parts the hulls, which
then is their distance.

Sources: Gregorius, "The separating axis test between convex polyhedra" (2013); Ericson, *Real-Time Collision Detection*
(2005), sections 5.1.9 and 5.2.
"""

from pluecker.contact.geometry.capsules import PARALLEL, nearest_on_segments
from pluecker.contact.geometry.hull_parts import PART
from pluecker.contact.geometry.scalars import (
    direction_or,
    indicator,
    least,
    length3,
    select3,
    sign_of,
)
from pluecker.contact.geometry.slots import OPEN, add_scaled
from pluecker.spatial.algebra.transforms import transpose
from pluecker.spatial.algebra.vectors import add3, cross3, dot3, load3, rotate, rotate_back, scale3, subtract3
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import lift, select, smaller, within

__all__ = ["SAME_DISTANCE", "farthest_face", "hull_hull_distance", "normal_of"]

SAME_DISTANCE = 1e-12  # of the sizes: distances that differ by less are one
ABOVE = 4e-15  # of the sizes, some roundings: what is beside a triangle by less is above it


@kernel
def lowest_corner(n, parts, ends, rows):
    """Compute the least ``n . x`` of all corners"""
    low = 0.0 * n[0] + OPEN
    for k in range(ends, rows):
        for i in range(4):
            low = least(low, dot3(n, load3(parts, PART * k + 3 * i)))
    return low


@kernel
def normal_of(parts, k):
    """Load the unit normal of triangle k"""
    return load3(parts, PART * k + 9)


@called_kernel
def farthest_face(R, c, parts, triangles, other, ends, rows):
    """Find the face of a hull that is farthest apart from another one, placed at R and c: by how much, and its triangle"""
    best, found = 0.0 * c[0] - OPEN, 0.0 * c[0]
    for k in range(triangles):
        n = normal_of(parts, k)
        apart = lowest_corner(rotate_back(R, n), other, ends, rows) + dot3(n, subtract3(c, load3(parts, PART * k)))
        better = smaller(best, apart)
        best, found = select(better, apart, best), select(better, lift(k, apart), found)
    return best, found


@called_kernel
def nearest_to_face(R, c, parts, triangles, other, ends, rows, size):
    """Find the corner of a hull at R and c that is nearest to a face of another one, straight above it: how far, the normal
    of the face, the corner, a number of both

    A corner above the line between two triangles of one face would be beside both by rounding, and no edge of the hull is
    there: so what is beside by a rounding of ``size`` is above.
    """
    zero = 0.0 * c[0]
    best, m, x, name = zero + OPEN, (zero, zero, zero + 1.0), c, zero
    for k in range(triangles):
        i = PART * k
        a, b, e, n = load3(parts, i), load3(parts, i + 3), load3(parts, i + 6), load3(parts, i + 9)
        u, v, w = cross3(n, subtract3(b, a)), cross3(n, subtract3(e, b)), cross3(n, subtract3(a, e))
        beside = ABOVE * size * larger(length3(u), larger(length3(v), length3(w)))
        for j in range(4 * ends, 4 * rows):
            y = add3(c, rotate(R, load3(other, 3 * j)))
            height = dot3(n, subtract3(y, a))
            inside = least(least(dot3(u, subtract3(y, a)), dot3(v, subtract3(y, b))), dot3(w, subtract3(y, e)))
            outside = least(inside + beside, height)
            better = smaller(select(smaller(outside, zero), zero + OPEN, height), best)
            best, m, x = select(better, height, best), select3(better, n, m), select3(better, y, x)
            name = select(better, zero + (4 * rows * k + j), name)
    return best, m, x, name


@kernel
def edge_of(parts, k):
    """Load both ends of an edge, and the normals of the faces that meet there"""
    i = PART * k
    return load3(parts, i), load3(parts, i + 3), load3(parts, i + 6), load3(parts, i + 9)


@kernel
def arcs_cross(n1, n2, d, m1, m2, e):
    """Return 1 if the arc from n1 to n2, at an edge along d, crosses that from -m1 to -m2, at one along e; else 0"""
    c_ba, d_ba = -dot3(m1, d), -dot3(m2, d)
    a_dc, b_dc = dot3(n1, e), dot3(n2, e)
    first = indicator(smaller(c_ba * d_ba, 0.0 * c_ba), c_ba)
    return first * indicator(smaller(a_dc * b_dc, 0.0 * c_ba), c_ba) * indicator(smaller(0.0 * c_ba, c_ba * b_dc), c_ba)


@kernel
def turned_arc(n1, n2, e):
    """Return the edge's vector e, reversed if n1 x n2 is against it, so that both are along each other"""
    s = sign_of(dot3(cross3(n1, n2), e))
    return scale3(s, e)


@called_kernel
def farthest_edges(R, c, first, begin1, ends1, rows1, second, begin2, ends2, rows2, flat):
    """Find the edges that part two hulls most: by how much, the axis, the nearest points of both, a number of both

    Where faces lie in each other, rounding decides which arcs cross: so an axis counts by what it does to all corners.
    """
    zero = 0.0 * c[0]
    best, u, x, y, name = zero - OPEN, flat, c, c, zero
    for j in range(begin2, ends2):
        p, q, m1, m2 = edge_of(second, j)
        p, q = add3(c, rotate(R, p)), add3(c, rotate(R, q))
        m1, m2 = rotate(R, m1), rotate(R, m2)
        e = subtract3(q, p)
        along = turned_arc(m1, m2, e)
        for i in range(begin1, ends1):
            a, b, n1, n2 = edge_of(first, i)
            d = subtract3(b, a)
            w = cross3(d, e)
            skew = indicator(smaller(PARALLEL * dot3(d, d) * dot3(e, e), dot3(w, w)), zero)
            there = skew * arcs_cross(n1, n2, turned_arc(n1, n2, d), m1, m2, along)
            if within(there, 0.5):
                continue
            w = direction_or(w, flat)
            w = scale3(sign_of(dot3(w, add3(n1, n2))), w)
            if within(indicator(smaller(best, dot3(w, subtract3(p, a))), zero), 0.5):
                continue
            apart = lowest_corner(rotate_back(R, w), second, ends2, rows2) + dot3(w, c)
            apart = apart + lowest_corner(scale3(-1.0, w), first, ends1, rows1)
            better = smaller(best, apart)
            f, g = edge_points(a, b, p, q)
            best, u, x, y = (
                select(better, apart, best),
                select3(better, w, u),
                select3(better, f, x),
                select3(better, g, y),
            )
            name = select(better, zero + (ends2 * i + j), name)
    return best, u, x, y, name


@kernel
def edge_points(a, b, p, q):
    """Compute the nearest points of two edges"""
    d, e = direction_or(subtract3(b, a), b), direction_or(subtract3(q, p), q)
    f, g = scale3(0.5, add3(a, b)), scale3(0.5, add3(p, q))
    t, s = nearest_on_segments(f, d, 0.5 * length3(subtract3(b, a)), g, e, 0.5 * length3(subtract3(q, p)))
    return add_scaled(f, t, d), add_scaled(g, s, e)


@called_kernel
def nearest_edges(R, c, first, begin1, ends1, second, begin2, ends2):
    """Find the nearest points of all edges of two hulls: their distance, both points, a number of both edges"""
    zero = 0.0 * c[0]
    best, x, y, name = zero + OPEN, c, c, zero
    for j in range(begin2, ends2):
        p, q, _, _ = edge_of(second, j)
        p, q = add3(c, rotate(R, p)), add3(c, rotate(R, q))
        for i in range(begin1, ends1):
            a, b, _, _ = edge_of(first, i)
            f, g = edge_points(a, b, p, q)
            size = length3(subtract3(g, f))
            better = smaller(size, best)
            best, x, y = select(better, size, best), select3(better, f, x), select3(better, g, y)
            name = select(better, zero + (ends2 * i + j), name)
    return best, x, y, name


@called_kernel
def hull_hull_distance(R, c, A, m, B, l, face, n, size):
    """Compute signed distance, normal from the first hull to the second, the point half-way, feature

    ``face`` is how far the face that parts them most does so, along ``n``; m and l are triangles, ends and rows of both.
    """
    zero, close = 0.0 * face, SAME_DISTANCE * size
    back, away = transpose(R), scale3(-1.0, rotate_back(R, c))
    gap, u, y, name = nearest_to_face(R, c, A, m[0], B, l[1], l[2], size)
    x, feature = add_scaled(y, -0.5 * gap, u), 3.0 * name
    gap2, v, z, name = nearest_to_face(back, away, B, l[0], A, m[1], m[2], size)
    nearer = smaller(gap2, gap)
    z = add3(c, rotate(R, add_scaled(z, -0.5 * gap2, v)))
    v = rotate(R, v)
    gap, u, x = select(nearer, gap2, gap), select3(nearer, scale3(-1.0, v), u), select3(nearer, z, x)
    feature = select(nearer, 3.0 * name + 1.0, feature)
    done = indicator(smaller(gap, face + close), zero) * indicator(smaller(close, gap), zero)
    if within(1.0 - done, 0.5):
        return gap, u, x, -1.0 - feature
    edge, w, f, g, name = farthest_edges(R, c, A, m[0], m[1], m[2], B, l[0], l[1], l[2], n)
    deep = larger(face, edge)
    if within(indicator(smaller(close, deep), zero), 0.5):
        by_edges = smaller(face + close, edge)
        # on the faces, without a polygon: as deep as the face says, at the corner that is nearest to it
        half = scale3(0.5, add3(f, g))
        inside = deepest_on_face(R, c, n, B, l[1], l[2])
        point = select3(by_edges, half, add_scaled(inside, -0.5 * face, n))
        return deep, select3(by_edges, w, n), point, select(by_edges, -3.0 - 3.0 * name, zero - 2.0)
    size_, f, g, name = nearest_edges(R, c, A, m[0], m[1], B, l[0], l[1])
    by_edges = smaller(size_, gap)
    u = select3(by_edges, direction_or(subtract3(g, f), w), u)
    x = select3(by_edges, scale3(0.5, add3(f, g)), x)
    return select(by_edges, size_, gap), u, x, select(by_edges, -3.0 - 3.0 * name, -1.0 - feature)


@kernel
def deepest_on_face(R, c, n, parts, ends, rows):
    """Find the corner of a hull at R and c that is farthest against n"""
    m, zero = rotate_back(R, n), 0.0 * n[0]
    low, x = zero + OPEN, c
    for k in range(4 * ends, 4 * rows):
        y = load3(parts, 3 * k)
        lower = smaller(dot3(m, y), low)
        low, x = select(lower, dot3(m, y), low), select3(lower, y, x)
    return add3(c, rotate(R, x))
