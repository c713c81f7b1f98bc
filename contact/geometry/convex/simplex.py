"""The point of a convex difference that is nearest to the origin, from one simplex of its points to the next (GJK).

The difference ``A - B - t`` of two cores, all in the axes of the first one, has rows of 11 numbers for its points:

=======  ==========================================================================
numbers  what they are
=======  ==========================================================================
0 to 2   w = a - b - t
3 to 5   a, of the first core
6 to 8   b, of the second core
9, 10    the numbers of both, of vertices or ends
=======  ==========================================================================

Sources: Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between complex objects in
three-dimensional space" (1988); Ericson, *Real-Time Collision Detection* (2005), sections 5.1.5, 5.1.6 and 9.5.
"""

from math import sqrt

from pluecker.contact.geometry.convex.support import is_cylinder, support
from pluecker.spatial.algebra.vectors import add3, cross3, dot3, load3, rotate, rotate_back, scale3, store3, subtract3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = [
    "AROUND", "FAR", "NEAREST", "ROW", "SIDE_A", "SIDE_B", "find_nearest", "numbers_of", "store_difference",
]  # fmt: skip

ROW, SIDE_A, SIDE_B, NUMBER_A, NUMBER_B = 11, 3, 6, 9, 10
NEAREST, FAR, AROUND = range(3)  # what is found: the nearest point, none as near as the limit, the origin inside
STEPS = 100  # of which ten are usual
EXACT, ROUND = (
    1e-15,
    1e-11,
)  # of the square of the distance: what nothing gains by any more, of polytopes and round ones
TOUCHING = 1e-10  # of the sizes: a point that near to the origin has no direction
FLAT = 1e-30  # of squares of areas and volumes, beside those of the longest edges


@kernel
def numbers_of(S, k):
    """Load the numbers of both points of row k"""
    return int(load(S, ROW * k + NUMBER_A)), int(load(S, ROW * k + NUMBER_B))


@called_kernel
def store_difference(S, k, A, B, R, c, t, d):
    """Store in row k the point of the difference that is farthest along d; return it. The row before is nearly so"""
    i, j = numbers_of(S, k - 1) if k > 0 else (-1, -1)
    a, i = support(A, d, i)
    y, j = support(B, rotate_back(R, (-d[0], -d[1], -d[2])), j)
    b = add3(c, rotate(R, y))
    w = subtract3(subtract3(a, b), t)
    store3(S, ROW * k, w)
    store3(S, ROW * k + SIDE_A, a)
    store3(S, ROW * k + SIDE_B, b)
    store(S, ROW * k + NUMBER_A, i)
    store(S, ROW * k + NUMBER_B, j)
    return w


@kernel
def move_row(S, k, to):
    """Copy row k to another one"""
    for i in range(ROW):
        store(S, ROW * to + i, load(S, ROW * k + i))


@kernel
def nearest_on_edge(p, q):
    """Compute the shares of two points in the point of their edge that is nearest to the origin"""
    e = subtract3(q, p)
    s = dot3(e, e)
    t = -dot3(p, e) / s if s > 0.0 else 0.0 * s
    t = min(max(t, 0.0), 1.0)
    return 1.0 - t, t


@called_kernel
def nearest_on_triangle(p, q, r):
    """Compute the shares of three points in the point of their triangle that is nearest to the origin, and that point; some
    shares are 0 where it is on an edge or at a corner
    """
    e, f = subtract3(q, p), subtract3(r, p)
    n = cross3(e, f)
    nn, zero = dot3(n, n), 0.0 * p[0]
    if nn > FLAT * dot3(e, e) * dot3(f, f):
        u = dot3(cross3(q, r), n)
        v = dot3(cross3(r, p), n)
        w = dot3(cross3(p, q), n)
        if u > 0.0 and v > 0.0 and w > 0.0:
            s = u + v + w
            return (u / s, v / s, w / s), scale3(dot3(n, p) / nn, n)
    # on an edge: the nearest of the three
    l, m = nearest_on_edge(p, q)
    best, shares = add3(scale3(l, p), scale3(m, q)), (l, m, zero)
    l, m = nearest_on_edge(q, r)
    x = add3(scale3(l, q), scale3(m, r))
    if dot3(x, x) < dot3(best, best):
        best, shares = x, (zero, l, m)
    l, m = nearest_on_edge(r, p)
    x = add3(scale3(l, r), scale3(m, p))
    if dot3(x, x) < dot3(best, best):
        best, shares = x, (m, zero, l)
    return shares, best


@kernel
def keep(S, shares, rows, count, out):
    """Keep those of the rows that have a share, in order; store the shares in ``out``; return how many there are"""
    m = 0
    for k in range(count):
        if shares[k] > 0.0:
            if rows[k] != m:
                move_row(S, rows[k], m)
            store(out, m, shares[k])
            m += 1
    return m


@called_kernel
def reduce_simplex(S, m, shares):
    """Find the point of a simplex of m rows that is nearest to the origin, and leave the rows that span it; return how many,
    and the point; 5 rows stand for 4 with the origin among them
    """
    if m == 1:
        store(shares, 0, 1.0)
        return 1, load3(S, 0)
    p, q = load3(S, 0), load3(S, ROW)
    if m == 2:
        l, k = nearest_on_edge(p, q)
        x = add3(scale3(l, p), scale3(k, q))
        return keep(S, (l, k), (0, 1), 2, shares), x
    r = load3(S, 2 * ROW)
    if m == 3:
        own, x = nearest_on_triangle(p, q, r)
        return keep(S, own, (0, 1, 2), 3, shares), x
    s = load3(S, 3 * ROW)
    e, f, g = subtract3(q, p), subtract3(r, p), subtract3(s, p)
    volume = dot3(cross3(e, f), g)
    flat = volume * volume <= FLAT * dot3(e, e) * dot3(f, f) * dot3(g, g)
    inside = not flat
    best, found, own, which = -1.0, p, (0.0 * volume, 0.0 * volume, 0.0 * volume), 0
    for face in range(4):
        # without row 3 - face, and how the volume with the origin in its place is signed
        a = p if face < 3 else q
        b = q if face < 2 else r
        d = r if face == 0 else s
        with_origin = dot3(a, cross3(b, d)) * (-1.0 if face == 0 or face == 2 else 1.0)
        if not flat and with_origin * volume > 0.0:
            continue  # the origin is on the side of the fourth row
        inside = False
        shares_, x = nearest_on_triangle(a, b, d)
        if best < 0.0 or dot3(x, x) < best:
            best, found, own, which = dot3(x, x), x, shares_, face
    if inside:
        return 5, (0.0 * volume, 0.0 * volume, 0.0 * volume)
    i = 0 if which < 3 else 1
    j = 1 if which < 2 else 2
    k = 2 if which == 0 else 3
    return keep(S, own, (i, j, k), 3, shares), found


@called_kernel
def find_nearest(S, m, shares, A, B, R, c, t, d, size, limit):
    """Find the point of the difference that is nearest to the origin

    Args:
        S, m: rows, of which m are a simplex to begin with; of one more there is room. None: ``d`` says where to begin.
        shares: of the rows in the nearest point, written.
        limit: what is farther from the origin than that, along a direction, is not looked at closely.

    Returns:
        What is found, the number of rows, the nearest point v, and how far the plane across it parts the difference from the
        origin.
    """
    polytopes = not (is_cylinder(A) or is_cylinder(B))
    enough = EXACT if polytopes else ROUND
    if m == 0:
        store_difference(S, 0, A, B, R, c, t, d)
        m = 1
    m, v = reduce_simplex(S, m, shares)
    apart = 0.0 * size
    for _ in range(STEPS):
        if m > 4:
            return AROUND, 4, v, apart
        vv = dot3(v, v)
        if not vv > (TOUCHING * size) * (TOUCHING * size):
            return AROUND, m, v, apart
        w = store_difference(S, m, A, B, R, c, t, (-v[0], -v[1], -v[2]))
        vw = dot3(v, w)
        apart = vw / sqrt(vv)
        if apart > limit:
            return FAR, m, v, apart
        known = vv - vw <= enough * vv
        i, j = numbers_of(S, m)
        for k in range(m):
            own, other = numbers_of(S, k)
            known = known or (polytopes and own == i and other == j)
        if known:
            return NEAREST, m, v, apart
        n, x = reduce_simplex(S, m + 1, shares)
        if n < 5 and not dot3(x, x) < vv:
            return NEAREST, n, v, apart
        m, v = n, x
    return NEAREST, min(m, 4), v, apart
