"""A sphere against spheres, capsules, boxes and cylinders: the point of the other shape that is nearest to the centre.

The sphere is the first shape. Where its centre is inside the other shape, the nearest point of the surface is on the face
that is least deep. The gap is the signed distance of the centre less the radius, exactly.

Source: Ericson, *Real-Time Collision Detection* (2005), section 5.1, closest points.
"""

from pluecker.contact.geometry.primitives.half_spaces import axis
from pluecker.contact.geometry.primitives.scalars import (
    TINY,
    absolute,
    clamp,
    direction_or,
    least,
    select3,
    sign_of,
)
from pluecker.contact.geometry.slots import add_scaled, store_contact
from pluecker.spatial.algebra.vectors import dot3, rotate, rotate_back, subtract3
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import lift, select, smaller, sqrt

__all__ = ["box_distance", "sphere_box", "sphere_capsule", "sphere_cylinder", "sphere_sphere"]

NONE = 1e-10  # of the radii: centres nearer to each other than that are one, since their difference has no digits left


@kernel
def length_where(there, s):
    """Compute the root of a square where the condition holds, else 1"""
    return sqrt(select(there, s, lift(1.0, s)))


@kernel
def touch(c1, r1, c2, r2, other, out, k, feature):
    """Store the contact of two spheres; where their centres are one, the normal is the other direction"""
    u, near = subtract3(c2, c1), NONE * (r1 + r2)
    n = select3(smaller(near * near, dot3(u, u)), direction_or(u, other), other)
    store_contact(out, k, n, add_scaled(c1, r1, n), dot3(u, n) - r1 - r2, feature)


@kernel
def sphere_sphere(R1, p1, s1, R2, p2, s2, slack, out):
    """gap = |c2 - c1| - r1 - r2"""
    touch(p1, s1[0], p2, s2[0], axis(R1, 2), out, 0, 0.0 * s1[0])


@kernel
def sphere_capsule(R1, p1, s1, R2, p2, s2, slack, out):
    """Store the contact of the sphere and one around the point ``c + t a`` of the capsule's axis that is nearest"""
    a = axis(R2, 2)
    t = clamp(dot3(a, subtract3(p1, p2)), -s2[1], s2[1])
    touch(p1, s1[0], add_scaled(p2, t, a), s2[0], axis(R2, 0), out, 0, 0.0 * s1[0])


@kernel
def box_distance(x, h):
    """Compute the signed distance of a point x from a box with half sides h, in its axes; its gradient, the
    outward normal
    """
    c = (clamp(x[0], -h[0], h[0]), clamp(x[1], -h[1], h[1]), clamp(x[2], -h[2], h[2]))
    u = subtract3(x, c)
    outside = smaller(TINY, dot3(u, u))
    d = length_where(outside, dot3(u, u))
    # inside, the face that is least deep
    a, b, z = h[0] - absolute(x[0]), h[1] - absolute(x[1]), h[2] - absolute(x[2])
    one, zero = lift(1.0, a), lift(0.0, a)
    m = select3(smaller(b, a), (zero, sign_of(x[1]), zero), (sign_of(x[0]) * one, zero, zero))
    m = select3(smaller(z, least(a, b)), (zero, zero, sign_of(x[2])), m)
    deep = -least(least(a, b), z)
    return select(outside, d, deep), select3(outside, (u[0] / d, u[1] / d, u[2] / d), m)


@kernel
def round_distance(x, r, l):
    """Compute the signed distance of a point x from a cylinder about z with the radius r and the half length l, and its
    gradient, the outward normal
    """
    s = x[0] * x[0] + x[1] * x[1]
    there = smaller(TINY, s)
    rho = select(there, length_where(there, s), lift(0.0, s))
    w = 1.0 / length_where(there, s)
    ex, ey = select(there, w * x[0], lift(1.0, s)), select(there, w * x[1], lift(0.0, s))
    high = absolute(x[2])
    du, dz, zero = larger(rho - r, 0.0 * r), larger(high - l, 0.0 * l), lift(0.0, s)
    outside = smaller(TINY, du * du + dz * dz)
    d = length_where(outside, du * du + dz * dz)
    m = select3(smaller(l - high, r - rho), (zero, zero, sign_of(x[2])), (ex, ey, zero))
    deep = -least(r - rho, l - high)
    normal = select3(outside, (du * ex / d, du * ey / d, dz * sign_of(x[2]) / d), m)
    return select(outside, d, deep), normal


@kernel
def against(R2, p1, r, distance, normal, out):
    """Store the contact of a sphere with a surface at a signed distance from its centre; ``normal``: outward, in
    the axes R2
    """
    m = rotate(R2, normal)
    n = (-m[0], -m[1], -m[2])
    store_contact(out, 0, n, add_scaled(p1, r, n), distance - r, 0.0 * r)


@kernel
def sphere_box(R1, p1, s1, R2, p2, s2, slack, out):
    """Store the contact of a sphere and a box, from the signed distance of the centre to the box"""
    distance, normal = box_distance(rotate_back(R2, subtract3(p1, p2)), s2)
    against(R2, p1, s1[0], distance, normal, out)


@kernel
def sphere_cylinder(R1, p1, s1, R2, p2, s2, slack, out):
    """Store the contact of a sphere and a cylinder, from the signed distance of the centre to the cylinder"""
    distance, normal = round_distance(rotate_back(R2, subtract3(p1, p2)), s2[0], s2[1])
    against(R2, p1, s1[0], distance, normal, out)
