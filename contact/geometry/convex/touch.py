"""Contacts of two convex shapes: the corners of what a face has in common with the other shape, both ends of what lies along
a line, or one point.

The normal is that along which the shapes are nearest, :mod:`.nearest`. If a face of one of them parts them as far, but for
the slack, it is the reference of a polygon, :mod:`.polygons`, and the normal of all contacts is its own. If the side of a
cylinder or of a capsule is along a side or an edge of the other shape, both ends of what they have beside each other touch.
"""

from math import sqrt

from pluecker.contact.geometry.convex.expansion import FACE_ROOM, POINTS, RIM_ROOM
from pluecker.contact.geometry.convex.features import LINE, UPRIGHT, face_towards, lean_of, normal_of, side_at
from pluecker.contact.geometry.convex.nearest import UNKNOWN, find_normal, parts_by, third_axis
from pluecker.contact.geometry.convex.polygons import SLOTS, common_polygon
from pluecker.contact.geometry.convex.simplex import ROW, SIDE_A, SIDE_B, numbers_of
from pluecker.contact.geometry.convex.solids import (
    AROUND_CORE,
    HALF_LENGTH,
    REACH,
    SEGMENT,
    VERTEX,
    VERTEX_COUNT,
    WIDTH,
)
from pluecker.contact.geometry.convex.support import (
    core_of,
    farthest_vertex,
    index,
    is_cylinder,
    is_polytope,
    neighbours_of,
    vertex,
)
from pluecker.contact.geometry.primitives.capsules import nearest_on_segments
from pluecker.contact.geometry.slots import GAP, OPEN, SLOT, add_scaled, load_slot, store_slot
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
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, part, store

__all__ = ["SCRATCH", "convex_convex"]

SHARES = 4
FOUND_AT = ROW * POINTS + FACE_ROOM + RIM_ROOM + SHARES
SCRATCH = FOUND_AT + SLOT * SLOTS  # numbers
SAME_DISTANCE = 1e-12  # of the sizes: distances that differ by less are one
ALONG = 1e-3  # sine: lines that are nearer to each other's direction are along each other
OF_UNIT = 1e-12  # square of the length of an axis: what differs by more from one is none
NAMES = (1 << 31) - 1  # of points, a prime number: of more two may have one


# ---------------------------------------------------------------------------------------------------------------- faces


@called_kernel
def store_polygon(A, B, R, c, n, gap, allowed, size, near, found):
    """Store the polygon of the face that parts the shapes best, if that is as far as they are; return whether it does, and
    the normal; points are in the axes of A, half-way between the surfaces
    """
    back = scale3(-1.0, rotate_back(R, n))
    f, g = face_towards(A, n, near[0]), face_towards(B, back, near[1])
    first, second = 0.0 * gap - OPEN, 0.0 * gap - OPEN
    u, w = n, n
    around = load(A, AROUND_CORE) + load(B, AROUND_CORE)
    if f != LINE:
        u = normal_of(A, f)
        first = parts_by(A, B, R, c, u, near) - around
    if g != LINE:
        w = rotate(R, scale3(-1.0, normal_of(B, g)))
        second = parts_by(A, B, R, c, w, near) - around
    least = gap - allowed
    # of two that are as good always the same; a cap is a face by its corners alone: better cut off than cutting
    of_second = second > first + 0.5 * allowed or not first >= least
    if is_cylinder(A) and is_polytope(B) and second >= least:
        of_second = True
    if is_cylinder(B) and is_polytope(A) and first >= least:
        of_second = False
    if not (second if of_second else first) >= least:
        return False, n
    if of_second:
        u = w
        away = scale3(-1.0, rotate_back(R, c))
        lowest = common_polygon(B, g, lean_of(back), normal_of(B, g), A, transpose(R), away, size, near[0], found)
    else:
        lowest = common_polygon(A, f, lean_of(n), u, B, R, c, size, near[1], found)
    if not lowest - around <= gap + allowed:
        return False, n
    for k in range(SLOTS):
        _, x, height, name = load_slot(found, k)
        there = height < 0.5 * OPEN
        middle = 0.5 * (height + around) if there else 0.0 * height
        x = add_scaled(add3(c, rotate(R, x)), middle, u) if of_second else add_scaled(x, -middle, u)
        store_slot(found, k, u, x, height - around if there else height, 2.0 * name + (1.0 if of_second else 0.0))
    return True, u


# ---------------------------------------------------------------------------------------------------------------- lines


@kernel
def edge_along(x, d, u):
    """Find the edge of a polytope at the vertex that is farthest along d that is most along u, of unit length: whether there
    is one, its middle, direction, and half its length
    """
    k = farthest_vertex(x, d, -1)
    p = vertex(x, k)
    first, last = neighbours_of(x, k)
    least, e, q = ALONG * ALONG, u, p
    for i in range(first, last, VERTEX):
        y = load3(x, i)
        f = subtract3(y, p)
        w = cross3(f, u)
        s = dot3(f, f)
        if dot3(w, w) <= least * s:
            least, e, q = dot3(w, w) / s, f, y
    s = sqrt(dot3(e, e))
    m = scale3(0.5, subtract3(q, p))
    return dot3(m, m) > 0.0, add3(p, m), scale3(1.0 / s, e), 0.5 * s


@called_kernel
def store_line(A, B, R, c, n, gap, allowed, found):
    """Store both ends of the stretch on which a line of one shape is along a line or an edge of the other; return whether
    there is one
    """
    if (is_polytope(A) and is_polytope(B)) or not (
        (is_polytope(A) or load(A, HALF_LENGTH) > 0.0) and (is_polytope(B) or load(B, HALF_LENGTH) > 0.0)
    ):
        return False
    zero = 0.0 * gap
    own, z = (zero, zero, zero + 1.0), third_axis(R)
    around = load(A, AROUND_CORE) + load(B, AROUND_CORE)
    if not (is_polytope(A) or is_polytope(B)):
        across = add_scaled(c, -dot3(c, own), own)
        size = sqrt(dot3(across, across))
        w = cross3(own, z)
        if dot3(w, w) <= ALONG * ALONG and dot3(across, n) > (1.0 - ALONG) * size:
            u = scale3(1.0 / size, across)
            n = u if parts_by(A, B, R, c, u, UNKNOWN) - around >= gap - allowed else n
    back = rotate_back(R, scale3(-1.0, n))
    if is_polytope(A):
        there, p, u, l = edge_along(A, n, z)
        q, v, k = add3(c, rotate(R, side_at(B, lean_of(back)))), z, load(B, HALF_LENGTH)
    elif is_polytope(B):
        there, q, v, k = edge_along(B, back, rotate_back(R, own))
        q, v = add3(c, rotate(R, q)), rotate(R, v)
        p, u, l = side_at(A, lean_of(n)), own, load(A, HALF_LENGTH)
    else:
        there = True
        p, u, l = side_at(A, lean_of(n)), own, load(A, HALF_LENGTH)
        q, v, k = add3(c, rotate(R, side_at(B, lean_of(back)))), z, load(B, HALF_LENGTH)
    w, s = cross3(u, v), dot3(u, v)
    if not (there and dot3(w, w) <= ALONG * ALONG and abs(dot3(u, n)) <= ALONG and abs(dot3(v, n)) <= ALONG):
        return False
    r = subtract3(q, p)
    at = dot3(u, r)
    aside = add_scaled(add_scaled(r, -at, u), -dot3(n, r), n)
    if not dot3(aside, aside) <= ALONG * ALONG * (l + k) * (l + k):
        return False
    low, high = max(-l, at - abs(s) * k), min(l, at + abs(s) * k)
    if not high > low:
        return False
    least = zero + OPEN
    for i in range(2):
        t = low if i == 0 else high
        x = add_scaled(p, t, u)
        height = dot3(n, subtract3(add_scaled(q, (t - at) / s, v), x)) - around
        least = min(least, height)
        store_slot(found, i, n, add_scaled(x, load(A, AROUND_CORE) + 0.5 * height, n), height, zero + i)
    return least <= gap + allowed


# ---------------------------------------------------------------------------------------------------------------- points


@kernel
def pointed(x, lowest, highest, n):
    """Return whether a shape touches with one point of its core: its simplex has one number, and that is no cap"""
    return lowest == highest and (not is_cylinder(x) or n[0] * n[0] + n[1] * n[1] > UPRIGHT * UPRIGHT)


@kernel
def point_of(x, number, n):
    """Return the point of a core with a number: of many that are as far along n, that of the simplex"""
    if is_polytope(x):
        return vertex(x, number)
    p, z = side_at(x, lean_of(n)), load(x, HALF_LENGTH)
    return (p[0], p[1], z if number == 1 else -z)


@kernel
def stretch_of(x, lowest, highest, n):
    """Return the line between two points of a simplex, by their numbers: its middle, direction, and half its length"""
    if is_polytope(x):
        p, q = vertex(x, lowest), vertex(x, highest)
        e = scale3(0.5, subtract3(q, p))
        l = sqrt(dot3(e, e))
        return add3(p, e), scale3(1.0 / l, e), l
    zero = 0.0 * n[0]
    return side_at(x, lean_of(n)), (zero, zero, zero + 1.0), load(x, HALF_LENGTH)


@called_kernel
def store_point(A, B, R, c, n, gap, S, m, shares, found):
    """Store the one contact of two shapes that touch at neither a face nor a line"""
    i, j = numbers_of(S, 0)
    a0, a1, b0, b1 = i, i, j, j
    zero = 0.0 * gap
    a, b = (zero, zero, zero), (zero, zero, zero)
    two_a, two_b = True, True
    for k in range(m):
        i, j = numbers_of(S, k)
        two_a = two_a and (i in (a0, a1) or a0 == a1)
        two_b = two_b and (j in (b0, b1) or b0 == b1)
        a0, a1, b0, b1 = min(a0, i), max(a1, i), min(b0, j), max(b1, j)
        a = add_scaled(a, load(shares, k), load3(S, ROW * k + SIDE_A))
        b = add_scaled(b, load(shares, k), load3(S, ROW * k + SIDE_B))
    back = rotate_back(R, scale3(-1.0, n))
    r, s = load(A, AROUND_CORE), load(B, AROUND_CORE)
    if pointed(A, a0, a1, n):
        p = point_of(A, a0, n)
        x = add_scaled(p, r + 0.5 * gap, n)
    elif pointed(B, b0, b1, back):
        p = point_of(B, b0, back)
        x = add_scaled(add3(c, rotate(R, p)), -s - 0.5 * gap, n)
    else:
        if two_a and two_b and a0 < a1 and b0 < b1:
            p, u, l = stretch_of(A, a0, a1, n)
            q, v, k = stretch_of(B, b0, b1, back)
            q, v = add3(c, rotate(R, q)), rotate(R, v)
            t, w = nearest_on_segments(p, u, l, q, v, k)
            a, b = add_scaled(p, t, u), add_scaled(q, w, v)
        x = add_scaled(scale3(0.5, add3(a, b)), 0.5 * (r - s), n)
    name, numbers = 0, max(2, index(A, VERTEX_COUNT), index(B, VERTEX_COUNT))
    for k in (a0, a1, b0, b1):
        name = (name * numbers + k) % NAMES
    store_slot(found, 0, n, x, gap, -1.0 - name)


@kernel
def is_point(x):
    """Return whether the core is a point: that of a sphere"""
    return core_of(x) == SEGMENT and not load(x, HALF_LENGTH) > 0.0


@called_kernel
def convex_convex(R1, p1, A, R2, p2, B, slack, limit, axis, scratch, out):
    """Store the contacts of two convex shapes in eight slots; what is round has them in the first two, or the first

    ``slack`` is how much farther than a face the shapes may be, as a share of the smaller width; of what is proven to be
    farther apart than ``limit`` all slots are open, and their normal proves it. ``axis`` is looked at first,
    if it has unit length: mostly what proved it in the step before. ``scratch`` has room for ``SCRATCH`` numbers.
    """
    R, c = multiply3(transpose(R1), R2), rotate_back(R1, subtract3(p2, p1))
    S, F = part(scratch, 0, ROW * POINTS), part(scratch, ROW * POINTS, FACE_ROOM)
    E = part(scratch, ROW * POINTS + FACE_ROOM, RIM_ROOM)
    shares, found = part(scratch, FOUND_AT - SHARES, SHARES), part(scratch, FOUND_AT, SLOT * SLOTS)
    around = load(A, AROUND_CORE) + load(B, AROUND_CORE)
    size = load(A, REACH) + load(B, REACH)
    allowed = slack * min(load(A, WIDTH), load(B, WIDTH)) + SAME_DISTANCE * size
    zero, flat, n = 0.0 * size, False, rotate_back(R1, axis)
    parts, m, most = zero + OPEN, 0, limit + around + allowed
    if not (abs(dot3(n, n) - 1.0) < OF_UNIT and parts_by(A, B, R, c, n, UNKNOWN) > most):
        parts, n, m = find_normal(A, B, R, c, S, shares, F, E, most)
    gap = parts - around
    if parts < 0.5 * OPEN and not (is_point(A) or is_point(B)):
        flat, n = store_polygon(A, B, R, c, n, gap, allowed, size, numbers_of(S, 0), found)
    if not flat:
        for k in range(SLOTS):
            store_slot(found, k, n, c, zero + OPEN, zero)
        if parts < 0.5 * OPEN and not store_line(A, B, R, c, n, gap, allowed, found):
            store(found, SLOT + GAP, zero + OPEN)
            store_point(A, B, R, c, n, gap, S, m, shares, found)
    for k in range(SLOTS):
        n, x, gap, name = load_slot(found, k)
        store_slot(out, k, rotate(R1, n), add3(p1, rotate(R1, x)), gap, name)
