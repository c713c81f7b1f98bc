"""The signed distance of shapes with corners, in whole numbers: nothing is rounded but the result.

Placed corners are sums of products of floats, so that on a grid of a power of two they are whole numbers, which Python
has of any size. A sphere and a capsule are a point and a segment with a radius. Apart, the distance is the least of a
corner to a face, an edge or a corner, and of two edges. Inside one another, it is the most by which the normal of a face or
the product of two edges parts both: each face of the difference of two convex bodies has one of these as its normal.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from tests.contact.geometry.triangles import core


def on_a_grid(arrays):
    """Arrays of floats as whole numbers, with how many bits they are multiplied by."""
    bits = max(float(x).as_integer_ratio()[1].bit_length() - 1 for array in arrays for x in np.ravel(array))
    whole = np.frompyfunc(lambda x: (r := float(x).as_integer_ratio())[0] * ((1 << bits) // r[1]), 1, 1)
    return [whole(array) for array in arrays], bits


def dot(a, b):
    """Return the dot product of vectors of whole numbers, ``(..., 3)``."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def cross(a, b):
    """Return the cross product of vectors of whole numbers, ``(..., 3)``."""
    turned = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(turned, axis=-1)


def exact_distance(first, T1, second, T2):
    """The signed distance, to the last bit or two."""
    one, other = core(first), core(second)
    (a, R1, p1, b, R2, p2), bits = on_a_grid([one.corners, T1[:3, :3], T1[:3, 3], other.corners, T2[:3, :3], T2[:3, 3]])
    P, Q = a.dot(R1.T) + p1 * (1 << bits), b.dot(R2.T) + p2 * (1 << bits)
    apart = most_apart(P, one, Q, other)
    if apart is None or apart > 0.0:
        squares = [*to_faces(P, Q[other.triangles]), *to_faces(Q, P[one.triangles]), *to_points(P, Q)]
        squares += [*to_edges(P, Q[other.edges]), *to_edges(Q, P[one.edges])]
        squares += between_edges(P[one.edges], Q[other.edges])
        apart = sqrt(min(squares))
    return apart / 4.0**bits - one.radius - other.radius


def most_apart(P, one, Q, other):
    """Return the largest separation along normals of faces and products of edges; None where there are none."""
    normals = [face_normals(P[one.triangles]), -face_normals(Q[other.triangles])]
    d, e = (x[:, 1] - x[:, 0] for x in (P[one.edges], Q[other.edges]))
    across = cross(*(np.broadcast_to(x, (len(d), len(e), 3)) for x in (d[:, None], e[None]))).reshape(-1, 3)
    n = np.concatenate([*normals, across, -across])
    size = dot(n, n)
    n, size = n[size > 0], size[size > 0]
    if not len(n):
        return None
    gaps = n.dot(Q.T).min(axis=1) - n.dot(P.T).max(axis=1)
    return max((1.0 if gap > 0 else -1.0) * sqrt(gap * gap / own) for gap, own in zip(gaps, size, strict=True))


def face_normals(triangles):
    """Return normals of faces, not normalised."""
    return cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])


def to_points(P, Q):
    """Return the squares of the distances of points from points."""
    r = P[:, None] - Q[None]
    return [float(x) if x < 1 << 900 else x for x in dot(r, r).ravel()]


def to_faces(points, triangles):
    """Return the squares of the distances of points from the triangles over which they are."""
    n, x = face_normals(triangles), points[:, None]
    over = np.ones((len(points), len(triangles)), bool)
    for k in range(3):
        a, b = triangles[:, k], triangles[:, (k + 1) % 3]
        over &= (dot(np.broadcast_to(cross(n, b - a), (*over.shape, 3)), x - a) >= 0).astype(bool)
    height, size = (
        dot(np.broadcast_to(n, (*over.shape, 3)), x - triangles[:, 0]),
        np.broadcast_to(dot(n, n), over.shape),
    )
    return [h * h / s for h, s in zip(height[over], size[over], strict=True)]


def to_edges(points, edges):
    """Return the squares of the distances of points from the edges beside which they are."""
    a, d = edges[:, 0], edges[:, 1] - edges[:, 0]
    r = points[:, None] - a
    size = np.broadcast_to(dot(d, d), r.shape[:2])
    along = dot(r, np.broadcast_to(d, r.shape))
    beside = ((along >= 0) & (along <= size)).astype(bool)
    w = cross(r, np.broadcast_to(d, r.shape))
    return [x / s for x, s in zip(dot(w, w)[beside], size[beside], strict=True)]


def between_edges(first, second):
    """Return the squares of the distances of edges that cross, seen along both."""
    shape = (len(first), len(second), 3)
    a, b = np.broadcast_to(first[:, None, 0], shape), np.broadcast_to(second[None, :, 0], shape)
    d = np.broadcast_to((first[:, 1] - first[:, 0])[:, None], shape)
    e = np.broadcast_to((second[:, 1] - second[:, 0])[None], shape)
    w, r = cross(d, e), b - a
    size, s, t = dot(w, w), dot(cross(r, e), w), dot(cross(r, d), w)
    crossing = ((size > 0) & (s >= 0) & (s <= size) & (t >= 0) & (t <= size)).astype(bool)
    height = dot(w, r)
    return [h * h / own for h, own in zip(height[crossing], size[crossing], strict=True)]
