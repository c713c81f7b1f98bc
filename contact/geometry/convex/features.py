"""Faces and lines of convex shapes that look in a direction, as corners with numbers: what touches is made of.

A *face* is that of a polytope, or a cap of a cylinder, eight corners on its rim, of which the first is the farthest in the
direction; -1 stands for a line, the side of a cylinder or a segment, and has two corners, or the one of a sphere. Numbers of
corners are those of vertices, of a cylinder 0 to 7 below, 8 to 15 above and 16, 17 of its side.
"""

from math import cos, pi, sin, sqrt

from pluecker.contact.geometry.convex.solids import CYLINDER, HALF_LENGTH, POLYTOPE, RADIUS, VERTEX_COUNT
from pluecker.contact.geometry.convex.support import (
    core_of,
    corner_count,
    corner_of,
    farthest_vertex,
    index,
    normal_of_face,
    steepest_face,
    vertex,
)
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load

__all__ = [
    "LINE", "UPRIGHT", "count_corners", "face_towards", "feature_corner", "lean_of", "most_numbers", "normal_of",
    "side_at",
]  # fmt: skip

LINE = -1
RIM = 8  # corners that stand for a cap
TURNS = tuple((cos(2.0 * pi * k / RIM), sin(2.0 * pi * k / RIM)) for k in range(RIM))
UPRIGHT = 1e-6  # sine: along a direction that leans by less a cap has its corners in places of its own
STANDS = 0.5  # square of the cosine beyond which a cylinder stands on a cap, and below which it lies on its side


@kernel
def most_numbers(x):
    """Return how many numbers the corners of a shape have"""
    core = core_of(x)
    return index(x, VERTEX_COUNT) if core == POLYTOPE else 2 * RIM + 2 if core == CYLINDER else 2


@kernel
def lean_of(d):
    """Compute the direction across z in which d leans; x where it is along z"""
    across = d[0] * d[0] + d[1] * d[1]
    leans = across > UPRIGHT * UPRIGHT
    w = 1.0 / sqrt(across) if leans else 0.0 * across
    return (w * d[0] if leans else w + 1.0, w * d[1])


@called_kernel
def face_towards(x, d, near):
    """Find the face that looks along d most: of those at the farthest vertex; a cap of a cylinder that stands; or a line;
    ``near`` is a vertex that is nearly the farthest
    """
    core = core_of(x)
    if core == POLYTOPE:
        return steepest_face(x, farthest_vertex(x, d, near), d)
    if core == CYLINDER and d[2] * d[2] > STANDS:
        return 1 if d[2] > 0.0 else 0
    return LINE


@kernel
def normal_of(x, face):
    """Return the outward normal of a face"""
    if core_of(x) == POLYTOPE:
        return normal_of_face(x, face)
    zero = 0.0 * load(x, RADIUS)
    return (zero, zero, zero + (1.0 if face == 1 else -1.0))


@kernel
def count_corners(x, face):
    """Return how many corners a face or a line has"""
    if core_of(x) == POLYTOPE:
        return corner_count(x, face)
    return RIM if face != LINE else 2 if load(x, HALF_LENGTH) > 0.0 else 1


@kernel
def side_at(x, lean):
    """Return the middle of the line of a cylinder or a segment on the side to which it leans, less the radius around it"""
    r = load(x, RADIUS)
    return (r * lean[0], r * lean[1], 0.0 * r)


@called_kernel
def feature_corner(x, face, k, lean):
    """Return corner k of a face or a line, counterclockwise from outside, and its number"""
    if core_of(x) == POLYTOPE:
        number = corner_of(x, face, k)
        return vertex(x, number), number
    r, l = load(x, RADIUS), load(x, HALF_LENGTH)
    if face == LINE:
        return (r * lean[0], r * lean[1], l if k == 1 else -l), k + (2 * RIM if core_of(x) == CYLINDER else 0)
    s = 1.0 if face == 1 else -1.0
    u, v = TURNS[k][0], s * TURNS[k][1]
    return (r * (u * lean[0] - v * lean[1]), r * (v * lean[0] + u * lean[1]), s * l), k + (RIM if face == 1 else 0)
