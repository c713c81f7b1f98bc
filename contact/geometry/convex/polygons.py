"""Corners of what a face of a convex shape and a feature of another one have in common, up to eight, with their heights.

The *reference* is a face of the first shape, in whose axes all is; the *incident* feature is the face or the line of the
other one that looks at it most. Seen along the normal of the reference, what both have in common has corners of four kinds:

- corners of the incident feature over the reference,
- points where its sides enter the reference, and where they leave it,
- corners of the reference that the incident face covers.

Of eight or fewer all count. Of more, eight are taken that span it: those farthest in seven directions, and the deepest.

Sources: Baraff, "Curved surfaces and coherence for non-penetrating rigid body simulation" (1990); Gregorius, "Robust contact
creation for physics simulations" (2015), for fewer points of many.
"""

from math import cos, pi, sin, sqrt

from pluecker.contact.geometry.convex.features import (
    LINE,
    count_corners,
    face_towards,
    feature_corner,
    lean_of,
    most_numbers,
    normal_of,
)
from pluecker.contact.geometry.convex.solids import RADIUS
from pluecker.contact.geometry.convex.support import is_cylinder
from pluecker.contact.geometry.primitives.scalars import TINY, length3, perpendicular
from pluecker.contact.geometry.slots import GAP, OPEN, SLOT, add_scaled, store_slot
from pluecker.spatial.algebra.vectors import add3, cross3, dot3, rotate, rotate_back, scale3, store3, subtract3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = ["SLOTS", "common_polygon"]

SLOTS = 8
EDGE = 1e-9  # of the sizes: as near to a side a corner is on it, so that equal faces have each corner in common once
UPRIGHT = 1e-6  # cosine: an incident face that leans more covers nothing
SCORE = 0  # where a slot keeps how far its corner is out, as long as the normal is not written
WAYS = tuple((cos(2.0 * pi * k / (SLOTS - 1)), sin(2.0 * pi * k / (SLOTS - 1))) for k in range(SLOTS - 1))
CORNER, ENTERS, LEAVES, COVERED = range(4)  # kinds of corners, in their names
KINDS = 4
NAMES = 1 << 30  # of corners: of more two may have one


@kernel
def name_of(i, j, numbers, kind):
    """Return the name of a corner, from those of both shapes"""
    return 1.0 * ((KINDS * (i * numbers + j) + kind) % NAMES)


@kernel
def offer(out, count, x, height, name, u, v, spanning):
    """Store a corner in the next slot, or, of many, in each for which it is the farthest; return the new count"""
    if not spanning:
        if count < SLOTS:
            store3(out, SLOT * count + 3, x)
            store(out, SLOT * count + GAP, height)
            store(out, SLOT * count + GAP + 1, name)
        return count + 1
    p, q = dot3(u, x), dot3(v, x)
    for k in range(SLOTS):
        score = WAYS[k][0] * p + WAYS[k][1] * q if k < SLOTS - 1 else -height
        if score > load(out, SLOT * k + SCORE):
            store_slot(out, k, (score, 0.0 * p, 0.0 * p), x, height, name)
    return count + 1


@called_kernel
def cut(a, e, n, P, face, lean, tolerance):
    """Clip the segment ``a + t e``, t from 0 to 1, by the sides of a face: the least and the largest t, and at which sides
    these are, the numbers of their first corners
    """
    low, high = 0.0 * a[0], 0.0 * a[0] + 1.0
    first, last = 0, 0
    if is_cylinder(P):  # all of a cap, also what is beside the corners that stand for it
        r = load(P, RADIUS) + tolerance
        s, b = e[0] * e[0] + e[1] * e[1], a[0] * e[0] + a[1] * e[1]
        beyond = a[0] * a[0] + a[1] * a[1] - r * r
        if s > TINY:
            root = b * b - s * beyond
            if not root > 0.0:
                return low + OPEN, high, first, last
            return max(low, (-b - sqrt(root)) / s), min(high, (-b + sqrt(root)) / s), first, last
        return low + OPEN if beyond > 0.0 else low, high, first, last
    corners = count_corners(P, face)
    p, number = feature_corner(P, face, corners - 1, lean)
    for k in range(corners):
        q, following = feature_corner(P, face, k, lean)
        d = subtract3(q, p)
        w = cross3(n, d)  # inwards
        at, rate = dot3(w, subtract3(a, p)) + tolerance * length3(d), dot3(w, e)
        if rate * rate > TINY:
            t = -at / rate
            if rate > 0.0 and t > low:
                low, first = t, number
            if rate < 0.0 and t < high:
                high, last = t, number
        elif at < 0.0:
            low = 0.0 * at + OPEN
        p, number = q, following
    return low, high, first, last


@called_kernel
def is_covered(y, n, Q, face, lean, R, c, tolerance):
    """Return whether the face of a shape at R and c covers y, which is in its plane, seen along n"""
    if is_cylinder(Q):
        x, r = rotate_back(R, subtract3(y, c)), load(Q, RADIUS) - tolerance
        return x[0] * x[0] + x[1] * x[1] < r * r
    corners = count_corners(Q, face)
    p, _ = feature_corner(Q, face, corners - 1, lean)
    p = add3(c, rotate(R, p))
    for k in range(corners):
        q, _ = feature_corner(Q, face, k, lean)
        q = add3(c, rotate(R, q))
        e = subtract3(q, p)
        w = cross3(e, n)  # inwards: it is seen from behind
        if not dot3(w, subtract3(y, p)) > tolerance * length3(e):
            return False
        p = q
    return True


@called_kernel
def offer_corners(P, face, lean, n, Q, incident, R, c, size, spanning, out):
    """Offer all corners of what the reference and the incident feature have in common; return how many, the least height"""
    lean_q = lean_of(rotate_back(R, scale3(-1.0, n)))
    y0, _ = feature_corner(P, face, 0, lean)
    u = perpendicular(n)
    v = cross3(n, u)
    count, lowest, tolerance = 0, 0.0 * size + OPEN, EDGE * size
    numbers, corners = most_numbers(P), count_corners(Q, incident)
    sides = corners if incident != LINE else 1
    for k in range(SLOTS):
        store_slot(out, k, (0.0 * size - OPEN, 0.0 * size, 0.0 * size), y0, 0.0 * size + OPEN, 0.0 * size)
    for k in range(sides):
        a, i = feature_corner(Q, incident, k, lean_q)
        b, j = feature_corner(Q, incident, (k + 1) % corners, lean_q)
        a = add3(c, rotate(R, a))
        e = subtract3(add3(c, rotate(R, b)), a)
        low, high, enters, leaves = cut(a, e, n, P, face, lean, tolerance)
        if high < low:
            continue
        x = add_scaled(a, low, e)
        h = dot3(n, subtract3(x, y0))
        lowest = min(lowest, h)
        name = name_of(i, enters, numbers, ENTERS) if low > 0.0 else name_of(i, 0, numbers, CORNER)
        count = offer(out, count, x, h, name, u, v, spanning)
        if corners == 1 or (high >= 1.0 and incident != LINE):
            continue  # it is where the next one begins
        x = add_scaled(a, high, e)
        h = dot3(n, subtract3(x, y0))
        lowest = min(lowest, h)
        name = name_of(i, leaves, numbers, LEAVES) if high < 1.0 else name_of(j, 0, numbers, CORNER)
        count = offer(out, count, x, h, name, u, v, spanning)
    if incident == LINE:
        return count, lowest
    m = rotate(R, normal_of(Q, incident))
    lean_m = dot3(m, n)
    b, _ = feature_corner(Q, incident, 0, lean_q)
    b = add3(c, rotate(R, b))
    if lean_m < -UPRIGHT:
        for k in range(count_corners(P, face)):
            y, i = feature_corner(P, face, k, lean)
            h = dot3(m, subtract3(b, y)) / lean_m
            x = add_scaled(y, h, n)
            if is_covered(x, n, Q, incident, lean_q, R, c, tolerance):
                lowest = min(lowest, h)
                count = offer(out, count, x, h, name_of(0, i, numbers, COVERED), u, v, spanning)
    return count, lowest


@called_kernel
def common_polygon(P, face, lean, n, Q, R, c, size, near, out):
    """Store the corners that a face of P with the normal n and the feature of Q at R and c that looks at it have in common,
    as points of Q, with heights in place of gaps; return the least height

    ``lean`` is in which direction a cap leans, ``near`` the number of a point of Q that nearly is nearest.
    """
    incident = face_towards(Q, rotate_back(R, scale3(-1.0, n)), near)
    count, lowest = offer_corners(P, face, lean, n, Q, incident, R, c, size, False, out)
    if count > SLOTS:
        offer_corners(P, face, lean, n, Q, incident, R, c, size, True, out)
        for k in range(1, SLOTS):
            for j in range(k):
                if load(out, SLOT * j + GAP) < 0.5 * OPEN and load(out, SLOT * j + GAP + 1) == load(
                    out, SLOT * k + GAP + 1
                ):
                    store(out, SLOT * k + GAP, 0.0 * size + OPEN)
    return lowest
