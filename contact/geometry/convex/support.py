"""The points of a convex core that are farthest in a direction, and its faces: kernels on the arrays of :mod:`.solids`.

Directions are in the axes of the shape. Vertices of a polytope are found from neighbour to neighbour, upwards: none of them
is higher than all its neighbours but the highest one.
"""

from math import inf, sqrt

from pluecker.contact.geometry.convex.solids import (
    ALL_AT_ONCE,
    AT_CENTER,
    CELLS,
    CELLS_AT,
    CORE,
    CORNERS_AT,
    CYLINDER,
    FACE_COUNT,
    FACES_AT,
    HALF_LENGTH,
    POLYTOPE,
    RADIUS,
    SEGMENT,
    VERTEX,
    VERTEX_COUNT,
    VERTICES,
)
from pluecker.spatial.algebra.vectors import dot3, load3
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.scalars.operations import load

__all__ = [
    "center_of", "core_of", "corner_count", "corner_of", "farthest_vertex", "index", "is_cylinder", "is_polytope",
    "neighbours_of", "normal_of_face", "steepest_face", "support", "vertex",
]  # fmt: skip

UPRIGHT = 1e-14  # sine: a direction that leans by less is along the axis of a cylinder


@kernel
def index(x, k):
    """Load a whole number"""
    return int(load(x, k))


@kernel
def core_of(x):
    """Load what the core is"""
    return index(x, CORE)


@kernel
def is_polytope(x):
    """Return whether the core has vertices"""
    return index(x, CORE) == POLYTOPE


@kernel
def is_cylinder(x):
    """Return whether the core is round"""
    return index(x, CORE) == CYLINDER


@kernel
def center_of(x):
    """Load the centre"""
    return load3(x, AT_CENTER)


@kernel
def vertex(x, k):
    """Load a vertex of a polytope"""
    return load3(x, VERTICES + VERTEX * k)


@kernel
def neighbours_of(x, k):
    """Return where the places of the neighbours of a vertex begin, and where they end"""
    at = index(x, VERTICES + VERTEX * k + 3)
    return at + 1, at + 1 + VERTEX * index(x, at)


@kernel
def cell_of(d):
    """Return the number of the cell of a direction, see :func:`~pluecker.contact.geometry.convex.solids.cells`"""
    a, b, c = abs(d[0]), abs(d[1]), abs(d[2])
    if not (a + b + c > 0.0 and a + b + c < inf):
        return 0
    side, w, u, v = (
        (0, d[0], d[1], d[2]) if a >= b and a >= c else (2, d[1], d[2], d[0]) if b >= c else (4, d[2], d[0], d[1])
    )
    half = 0.5 * CELLS
    i, j = min(int(half + half * u / abs(w)), CELLS - 1), min(int(half + half * v / abs(w)), CELLS - 1)
    return CELLS * (CELLS * (side + (1 if w > 0.0 else 0)) + i) + j


@called_kernel
def farthest_vertex(x, d, near):
    """Find the vertex of a polytope that is farthest along d, from one that may be nearly so, or -1"""
    n = index(x, VERTEX_COUNT)
    if n <= ALL_AT_ONCE:
        best, most = 0, dot3(d, vertex(x, 0))
        for k in range(1, n):
            height = dot3(d, vertex(x, k))
            if height > most:
                best, most = k, height
        return best
    best, before = index(x, index(x, CELLS_AT) + cell_of(d)), -1
    most = dot3(d, vertex(x, best))
    if near >= 0:
        height = dot3(d, vertex(x, near))
        if height > most:
            best, most = near, height
    while best != before:
        before = best
        first, last = neighbours_of(x, before)
        for i in range(first, last, VERTEX):
            height = dot3(d, load3(x, i))
            if height > most:
                best, most = index(x, i + 3), height
    return best


@called_kernel
def support(x, d, near):
    """Find the point of the core that is farthest along d, and its number: of a vertex, of the lower or the upper end;
    ``near`` is that of one that is nearly so, or -1
    """
    if is_polytope(x):
        k = farthest_vertex(x, d, near)
        return vertex(x, k), k
    top = 1 if d[2] >= 0.0 else 0
    z = load(x, HALF_LENGTH) if top == 1 else -load(x, HALF_LENGTH)
    across = d[0] * d[0] + d[1] * d[1]
    if core_of(x) == SEGMENT or not across > UPRIGHT * UPRIGHT * d[2] * d[2]:
        return (0.0 * z, 0.0 * z, z), top
    w = load(x, RADIUS) / sqrt(across)
    return (w * d[0], w * d[1], z), top


@kernel
def corner_count(x, face):
    """Return how many corners a face of a polytope has"""
    at = index(x, CORNERS_AT)
    return index(x, at + face + 1) - index(x, at + face)


@kernel
def corner_of(x, face, k):
    """Return the number of a corner of a face"""
    at = index(x, CORNERS_AT)
    return index(x, at + index(x, FACE_COUNT) + 1 + index(x, at + face) + k)


@kernel
def normal_of_face(x, face):
    """Load the outward normal of a face"""
    n = index(x, FACE_COUNT)
    at = index(x, CORNERS_AT)
    return load3(x, at + n + 1 + index(x, at + n) + 3 * face)


@called_kernel
def steepest_face(x, k, d):
    """Find the face at vertex k whose normal is most along d"""
    at, n = index(x, FACES_AT), index(x, VERTEX_COUNT)
    best, most = -1, -2.0
    for i in range(at + n + 1 + index(x, at + k), at + n + 1 + index(x, at + k + 1)):
        face = index(x, i)
        lean = dot3(d, normal_of_face(x, face))
        if lean > most:
            best, most = face, lean
    return best
