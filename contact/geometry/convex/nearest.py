"""The signed distance of two convex shapes and its normal: the direction that parts them most.

How far a direction n parts the shapes is known from their supports alone, ``s(n) = min_B n . x - max_A n . x``; the signed
distance is the most of that. Apart, the nearest point of the difference shows the direction (:mod:`.simplex`); inside one
another, its polytope does (:mod:`.expansion`). Where the shapes nearly touch, the one has no digits and the other one few.
So the shapes are moved apart along n until they are a little way from each other, where the nearest point has all digits:
its direction m parts them no less where they were, since of all that part the moved ones m does so most. Again from there,
until nothing is gained.

What is nearest, vertices and edges or the rim of a cylinder, is known then. Among the directions across these edges

    s(n) = n . w - sum r_i |n - (n . z_i) z_i|

for the axes z_i and radii r_i of cylinders. The maximum of this smooth function a few steps of Newton's find to rounding.

Source: van den Bergen, *Collision Detection in Interactive 3D Environments* (2004), chapter 4, for both searches.
"""

from math import sqrt

from pluecker.contact.geometry.convex.expansion import find_depth
from pluecker.contact.geometry.convex.simplex import (
    AROUND,
    FAR,
    ROW,
    SIDE_A,
    SIDE_B,
    find_nearest,
    numbers_of,
)
from pluecker.contact.geometry.convex.solids import HALF_LENGTH, RADIUS, REACH
from pluecker.contact.geometry.convex.support import center_of, is_cylinder, support
from pluecker.contact.geometry.primitives.scalars import perpendicular
from pluecker.contact.geometry.slots import OPEN, add_scaled
from pluecker.spatial.algebra.vectors import (
    add3,
    cross3,
    dot3,
    load3,
    rotate,
    rotate_back,
    scale3,
    store3,
    subtract3,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load

__all__ = ["UNKNOWN", "find_normal", "parts_by", "third_axis"]

UNKNOWN = (-1, -1)  # in place of numbers of points
CLOSE = 1e-4  # of the sizes: cores that are farther apart have a direction with all digits
BESIDE = 1e-2  # of the smaller size: how far apart what is close is moved
ROUNDS = 20  # of which two are usual, and more where round shapes are deep
SAME = 2e-15  # of the sizes: what is gained by rounding alone
INDEPENDENT = 1e-6  # sine: edges that are nearer to each other's direction are along one line
CURVED = 1e-6  # of the sizes: where s(n) curves by less its maximum has no digits
STEPS = 12  # of Newton's
LONGEST = 0.5  # step of Newton's, rad


@kernel
def third_axis(R):
    """Return the axis z of a frame"""
    return (R[2], R[5], R[8])


@called_kernel
def parts_by(A, B, R, c, n, near):
    """Compute how far n, of unit length, parts both cores; ``near`` are the numbers of points that are nearly farthest along
    it, or -1
    """
    a, _ = support(A, n, near[0])
    y, _ = support(B, rotate_back(R, scale3(-1.0, n)), near[1])
    return dot3(n, subtract3(add3(c, rotate(R, y)), a))


@kernel
def base_of(x, point, number):
    """Return what s(n) has of a point of a core: itself, or the end of the axis of a cylinder"""
    z = load(x, HALF_LENGTH) if number == 1 else -load(x, HALF_LENGTH)
    return (0.0 * z, 0.0 * z, z) if is_cylinder(x) else point


@kernel
def add_tie(rank, e, f, tie):
    """Add the direction of an edge to those, of unit length and across each other, of which the first two are kept; return
    their number, and these
    """
    s = dot3(tie, tie)
    u = scale3(1.0 / sqrt(s), tie) if s > 0.0 else tie
    if rank > 0:
        u = add_scaled(u, -dot3(u, e), e)
    if rank > 1:
        u = add_scaled(u, -dot3(u, f), f)
    s = dot3(u, u)
    if not s > INDEPENDENT * INDEPENDENT:
        return rank, e, f
    u = scale3(1.0 / sqrt(s), u)
    return rank + 1, (u if rank == 0 else e), (u if rank == 1 else f)


@called_kernel
def ties_of(S, m, A, B, R):
    """Collect the edges along which the rows of a simplex differ: their number, and the first two, across each other"""
    zero = 0.0 * R[0]
    rank, e, f = 0, (zero, zero, zero), (zero, zero, zero)
    i0, j0 = numbers_of(S, 0)
    for k in range(1, m):
        i, j = numbers_of(S, k)
        if i != i0:
            tie = subtract3(load3(S, ROW * k + SIDE_A), load3(S, SIDE_A))
            rank, e, f = add_tie(rank, e, f, (zero, zero, zero + 1.0) if is_cylinder(A) else tie)
        if j != j0:
            tie = subtract3(load3(S, ROW * k + SIDE_B), load3(S, SIDE_B))
            rank, e, f = add_tie(rank, e, f, third_axis(R) if is_cylinder(B) else tie)
    return rank, e, f


@kernel
def bend(x, z, n, grad, T, U, h):
    """Subtract from gradient and second derivatives of s(n) what the rim of a cylinder has of them; T, U are tangents"""
    r = load(x, RADIUS)
    u = add_scaled(n, -dot3(n, z), z)
    rho = sqrt(dot3(u, u))
    if not is_cylinder(x) or not rho > 0.0:
        return grad, h
    u = scale3(1.0 / rho, u)
    t = cross3(z, u)
    a, b, w = dot3(T, t), dot3(U, t), r / rho
    return add_scaled(grad, -r, u), (h[0] - w * a * a, h[1] - w * a * b, h[2] - w * b * b)


@called_kernel
def refined(n, w, rank, e, f, A, B, R, least):
    """Find the unit vector across the ties at which ``s(n)`` is largest, from a near one; return whether there is one that
    s(n) curves at by so much at least, and it
    """
    z, own = third_axis(R), (0.0 * n[0], 0.0 * n[0], 0.0 * n[0] + 1.0)
    if rank > 1:
        m = cross3(e, f)
        return rank == 2, (m if dot3(m, n) > 0.0 else scale3(-1.0, m))
    if rank == 1:
        m = add_scaled(n, -dot3(n, e), e)
        s = dot3(m, m)
        if not s > 0.25:
            return False, n
        n = scale3(1.0 / sqrt(s), m)
    for _ in range(STEPS):
        T = cross3(e, n) if rank == 1 else perpendicular(n)
        U = cross3(n, T) if rank == 0 else scale3(0.0, n)
        zero = 0.0 * w[0]
        g, h = bend(A, own, n, w, T, U, (zero, zero, zero))
        g, h = bend(B, z, n, g, T, U, h)
        s = dot3(n, g)
        p, q, r = s - h[0], -h[1], s - h[2]  # of the negative second derivatives
        x, y = dot3(T, g), dot3(U, g)
        if rank == 1:
            q, r, y = zero, zero + 1.0, zero
        det = p * r - q * q
        if not (p > least and r > least * (rank == 0) and det > least * least * (rank == 0)):
            return False, n
        a, b = (r * x - q * y) / det, (p * y - q * x) / det
        if not a * a + b * b < LONGEST * LONGEST:
            return False, n
        m = add3(n, add3(scale3(a, T), scale3(b, U)))
        n = scale3(1.0 / sqrt(dot3(m, m)), m)
        if a * a + b * b < 1e-30:
            break
    return True, n


@called_kernel
def best_of(n, s, S, m, A, B, R, c, t, size):
    """Improve a direction that parts both cores by s, by the edges and rims of the rows of a simplex, which are moved by t;
    return how far the better one parts them, and it
    """
    rank, e, f = ties_of(S, m, A, B, R)
    i, j = numbers_of(S, 0)
    w = add3(c, rotate(R, base_of(B, rotate_back(R, subtract3(load3(S, SIDE_B), c)), j)))
    w = subtract3(w, base_of(A, load3(S, SIDE_A), i))
    for moved in range(2):
        own = add3(w, t) if moved == 0 else w
        known, u = refined(n, own, rank, e, f, A, B, R, CURVED * size)
        if known:
            apart = parts_by(A, B, R, c, u, (i, j))
            if apart >= s - SAME * size:
                n, s = u, apart
    return s, n


@called_kernel
def along_axes(A, B, R, c, way, s, n):
    """Return the direction that parts both cores most, and by how much, of one that does by s, those along the axes z and
    from centre to centre, these across an axis, and that across both axes: round shapes about one centre have so many ways
    out that a polytope has too few faces for them
    """
    zero = 0.0 * s
    own, z = (zero, zero, zero + 1.0), third_axis(R)
    for k in range(8):
        u = own if k % 3 == 0 else z if k % 3 == 1 else way
        if k > 2:
            e = z if k % 3 == 0 or k == 7 else own
            u = (
                add_scaled(u, -dot3(u, e), e)
                if k < 6
                else cross3(own, z)
                if k == 6
                else add_scaled(way, -dot3(way, e), e)
            )
        size = sqrt(dot3(u, u))
        if not size > 0.0:
            continue
        for i in range(2):
            m = scale3((1.0 if i == 0 else -1.0) / size, u)
            apart = parts_by(A, B, R, c, m, UNKNOWN)
            if apart > s:
                s, n = apart, m
    return s, n


@called_kernel
def find_normal(A, B, R, c, S, shares, F, E, limit):
    """Find the direction that parts both cores most

    Returns by how much, or ``OPEN`` where that is more than the limit, the direction, and how many rows of ``S`` are a
    simplex around what is nearest, with their shares.
    """
    zero = 0.0 * c[0]
    still = (zero, zero, zero)
    size = load(A, REACH) + load(B, REACH)
    far = BESIDE * min(load(A, REACH), load(B, REACH))
    way = subtract3(add3(c, rotate(R, center_of(B))), center_of(A))
    if not dot3(way, way) > 0.0:
        way = (zero, zero, zero + 1.0)
    found, m, v, apart = find_nearest(S, 0, shares, A, B, R, c, still, way, size, limit)
    vv = dot3(v, v)
    if found == FAR:
        return zero + OPEN, scale3(-1.0 / sqrt(vv), v), m
    if found == AROUND:
        depth, n, known = find_depth(S, m, F, E, A, B, R, c, still, size)
        s = parts_by(A, B, R, c, n, UNKNOWN) if depth < OPEN else zero - OPEN
        if not known:
            s, n = along_axes(A, B, R, c, way, s, n)
    else:
        n = scale3(-1.0 / sqrt(vv), v)
        s, n = best_of(n, parts_by(A, B, R, c, n, numbers_of(S, 0)), S, m, A, B, R, c, still, size)
        if vv > CLOSE * CLOSE * size * size:
            return s, n, m
    m = 0
    for _ in range(ROUNDS):
        t = scale3(far - s, n)
        for k in range(m):
            store3(S, ROW * k, subtract3(subtract3(load3(S, ROW * k + SIDE_A), load3(S, ROW * k + SIDE_B)), t))
        found, m, v, _ = find_nearest(S, m, shares, A, B, R, c, t, n, size, OPEN)
        vv = dot3(v, v)
        if found == AROUND or not vv > 0.0:
            break
        u = scale3(-1.0 / sqrt(vv), v)
        apart, u = best_of(u, parts_by(A, B, R, c, u, numbers_of(S, 0)), S, m, A, B, R, c, t, size)
        gained = apart - s
        if gained > -SAME * size:
            n, s = u, max(apart, s)
        if not gained > SAME * size:
            break
    return s, n, m
