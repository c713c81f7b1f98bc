"""A half-space against everything: the lowest points of a shape over a plane.

The half-space is below the plane z = 0 of its frame, and is always the first shape, so that normals are its z axis.

==============  ==========================================================================================
second shape    slots
==============  ==========================================================================================
sphere          1: the lowest point
capsule         2: the lowest points of both caps
box             4: the corners of the face that looks down most, the lowest one first
cylinder        4: on the rim of the cap that looks down: its lowest point, and both a quarter of a turn beside it; the
                highest there, or the lowest of the other cap, whichever is lower
hull, mesh      4: the lowest vertex, the one farthest from it, the one farthest from the line through both, and the one
                farthest on the other side of that, of those within a margin
==============  ==========================================================================================

Kernels take rotations R as matrices row by row, from the shape's frame to the world, and origins p. Sizes are those of
:mod:`~pluecker.contact.geometry.shapes` as records store them: half lengths.
"""

from pluecker.contact.geometry.primitives.scalars import (
    absolute,
    direction_or,
    holds,
    indicator,
    length3,
    select3,
    sign_of,
)
from pluecker.contact.geometry.slots import OPEN, add_scaled, open_slot_unless, store_contact
from pluecker.spatial.algebra.vectors import add3, cross3, dot3, load3, rotate, rotate_back, scale3, subtract3
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import lift, select, smaller

__all__ = [
    "axis",
    "half_space_box",
    "half_space_capsule",
    "half_space_cylinder",
    "half_space_hull",
    "half_space_sphere",
]

UPRIGHT = 1e-8  # sine of a tilt: below it the points on the rim of a cylinder stay where they are on it


@kernel
def axis(R, k):
    """Return axis k of a frame, in the world"""
    return (R[k], R[3 + k], R[6 + k])


@kernel
def below(R, p, x, out, k, r, feature):
    """Store the contact of a point x of the second shape, with the radius r around it"""
    n = axis(R, 2)
    h = dot3(n, subtract3(x, p))
    store_contact(out, k, n, add_scaled(x, -h, n), h - r, feature)


@kernel
def half_space_sphere(R1, p1, s1, R2, p2, s2, slack, out):
    """gap = n . (c - p) - r"""
    below(R1, p1, p2, out, 0, s2[0], 0.0 * s2[0])


@kernel
def half_space_capsule(R1, p1, s1, R2, p2, s2, slack, out):
    """Store the contacts of both ends of the axis, as spheres"""
    d, zero = axis(R2, 2), 0.0 * s2[0]
    below(R1, p1, add_scaled(p2, -s2[1], d), out, 0, s2[0], zero)
    below(R1, p1, add_scaled(p2, s2[1], d), out, 1, s2[0], zero + 1.0)


@kernel
def half_space_box(R1, p1, s1, R2, p2, s2, slack, out):
    """Store the lowest corner ``c - sum sign(n . e_k) h_k e_k``, and those of its face that looks down most: all axes k are
    turned round but one.
    """
    m = rotate_back(R2, axis(R1, 2))  # the normal in the axes of the box
    zero, one = 0.0 * s2[0], lift(1.0, s2[0])
    s = (-sign_of(m[0]), -sign_of(m[1]), -sign_of(m[2]))
    a, b, c = absolute(m[0]), absolute(m[1]), absolute(m[2])
    z_down = 1.0 - indicator(smaller(c, larger(a, b)), a)
    x_down = (1.0 - z_down) * (1.0 - indicator(smaller(a, b), a))
    # the first of the two other axes, and the second: x and y, or y and z, or x and z
    first = (select(holds(x_down), zero, one), x_down, zero)
    second = (zero, z_down, one - z_down)
    for k in range(4):
        u, v = -2.0 * (k % 2), -2.0 * (k // 2)
        f = (
            s[0] * (1.0 + u * first[0] + v * second[0]),
            s[1] * (1.0 + u * first[1] + v * second[1]),
            s[2] * (1.0 + u * first[2] + v * second[2]),
        )
        x = add3(p2, rotate(R2, (f[0] * s2[0], f[1] * s2[1], f[2] * s2[2])))
        feature = 0.5 * (f[0] + 1.0) + (f[1] + 1.0) + 2.0 * (f[2] + 1.0)
        below(R1, p1, x, out, k, zero, feature)


@kernel
def half_space_cylinder(R1, p1, s1, R2, p2, s2, slack, out):
    """Caps at ``c +- l a`` with the rim ``r d``: d down the tilt, ``d = -(n - (n . a) a)``, and e = a x d beside it"""
    n, a, r, zero = axis(R1, 2), axis(R2, 2), s2[0], 0.0 * s2[0]
    m = rotate_back(R2, n)
    s = -sign_of(m[2])
    ex = (zero + 1.0, zero, zero)
    w = (-m[0], -m[1], zero)
    f = direction_or(select3(smaller(dot3(w, w), UPRIGHT * UPRIGHT), ex, w), ex)
    d, e = rotate(R2, f), rotate(R2, (-f[1], f[0], zero))
    low, high = add_scaled(p2, s * s2[1], a), add_scaled(p2, -s * s2[1], a)
    feature = 2.0 * (s + 1.0)
    below(R1, p1, add_scaled(low, r, d), out, 0, zero, feature)
    opposite, other = add_scaled(low, -r, d), add_scaled(high, r, d)
    lower = smaller(dot3(n, other), dot3(n, opposite))
    below(R1, p1, select3(lower, other, opposite), out, 1, zero, select(lower, 8.0 + feature, 1.0 + feature))
    below(R1, p1, add_scaled(low, r, e), out, 2, zero, feature + 2.0)
    below(R1, p1, add_scaled(low, -r, e), out, 3, zero, feature + 3.0)


@kernel
def farthest(n, vertices, count, margin, mode, x0, d, x):
    """Find the vertex within the margin with the largest score: farthest from x0 (mode 0), farthest from the line through x0
    along d on either side (1), on the side across d that d shows (2); its number, the vertex, and the score.
    """
    best, found, v = lift(-OPEN, x0[0]), lift(0.0, x0[0]), x
    for k in range(count):
        y = load3(vertices, 3 * k)
        u = subtract3(y, x0)
        flat = add_scaled(u, -dot3(n, u), n)
        side = dot3(d, flat)
        score = dot3(flat, flat) if mode == 0 else side if mode == 2 else absolute(side)
        score = select(smaller(margin, dot3(n, y)), lift(-OPEN, score), score)
        better = smaller(best, score)
        best, found, v = select(better, score, best), select(better, lift(k, score), found), select3(better, y, v)
    return found, v, best


@kernel
def half_space_hull(R1, p1, R2, p2, vertices, count, margin, out):
    """Store the lowest vertex; with it those that span the most of what is lower than the margin"""
    n = rotate_back(R2, axis(R1, 2))
    height = dot3(axis(R1, 2), subtract3(p2, p1))
    x, lowest, first = load3(vertices, 0), dot3(n, load3(vertices, 0)), 0.0 * margin
    for k in range(1, count):
        y = load3(vertices, 3 * k)
        h = dot3(n, y)
        lower = smaller(h, lowest)
        lowest, x, first = select(lower, h, lowest), select3(lower, y, x), select(lower, lift(k, h), first)
    most = larger(margin - height, lowest)
    second, y, away = farthest(n, vertices, count, most, 0, x, n, x)
    u = subtract3(y, x)
    across = cross3(n, u)  # perpendicular to the line in the plane
    third, z, beside = farthest(n, vertices, count, most, 1, x, across, x)
    turned = scale3(-sign_of(dot3(across, subtract3(z, x))), across)
    fourth, w, behind = farthest(n, vertices, count, most, 2, x, turned, x)
    size = length3(u)
    flat = 1e-6 * size * size  # nearer to the line than that are vertices on it
    below(R1, p1, add3(p2, rotate(R2, x)), out, 0, 0.0 * margin, first)
    below(R1, p1, add3(p2, rotate(R2, y)), out, 1, 0.0 * margin, second)
    below(R1, p1, add3(p2, rotate(R2, z)), out, 2, 0.0 * margin, third)
    below(R1, p1, add3(p2, rotate(R2, w)), out, 3, 0.0 * margin, fourth)
    open_slot_unless(out, 1, smaller(0.0, away))
    open_slot_unless(out, 2, smaller(flat, beside))
    open_slot_unless(out, 3, smaller(flat, behind))
