"""How far a surface of triangles and a convex shape are apart, from the definition: of all corners, sides, triangles.

A shape is a core and a radius: a point, a segment, or a polytope of radius zero. Apart, the nearest points of two polytopes
are a corner of one and any point of the other, or belong to two edges; they meet if an edge of one passes through a
triangle of the other, or if one is within the other.

Source: Ericson, *Real-Time Collision Detection* (2005), sections 5.1.5, 5.1.9 and 5.3.6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.geometry import Box, Capsule, ConvexHull, Sphere
from tests.contact.geometry.pairs import CUBE


class Core(NamedTuple):
    """Corners ``(n, 3)``, edges ``(m, 2)`` and triangles ``(k, 3)`` of them, outwards; how far the shape is beyond; m."""

    corners: np.ndarray
    edges: np.ndarray
    triangles: np.ndarray
    radius: float


def edges_of(triangles):
    """Return the edges of triangles, each once."""
    both = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(both, axis=1), axis=0)


def core(one):
    """Return the core and the radius of a shape with an inside."""
    none = np.zeros((0, 3), int)
    if isinstance(one, Sphere):
        return Core(np.zeros((1, 3)), none[:, :2], none, one.radius)
    if isinstance(one, Capsule):
        return Core(np.outer((-0.5, 0.5), [0, 0, one.length]), np.array([[0, 1]]), none, one.radius)
    hull = ConvexHull(CUBE * one.sizes) if isinstance(one, Box) else one
    return Core(hull.vertices, edges_of(hull.triangles), hull.triangles, 0.0)


def points_and_segments(p, a, b):
    """Distances of n points and m segments, ``(n, m)``."""
    d = b - a
    t = np.einsum("nmi,mi->nm", p[:, None] - a, d) / np.einsum("mi,mi->m", d, d)
    return np.linalg.norm(p[:, None] - a - np.clip(t, 0.0, 1.0)[..., None] * d, axis=2)


def points_and_triangles(p, x):
    """Distances of n points and m triangles ``(m, 3, 3)``."""
    n = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    over, best = True, np.full((len(p), len(x)), np.inf)
    for k in range(3):
        a, b = x[:, k], x[:, (k + 1) % 3]
        best = np.minimum(best, points_and_segments(p, a, b))
        over = over & (np.einsum("nmi,mi->nm", p[:, None] - a, np.cross(n, b - a)) >= 0.0)
    return np.where(over, np.abs(np.einsum("nmi,mi->nm", p[:, None] - x[:, 0], n)), best)


def segments_and_segments(a, b, c, d):
    """Distances of n segments and m, ``(n, m)``."""
    u, v, w = (b - a)[:, None], (d - c)[None], a[:, None] - c[None]
    uu, vv, uv = (np.einsum("nmi,nmi->nm", *np.broadcast_arrays(x, y)) for x, y in ((u, u), (v, v), (u, v)))
    uw, vw = np.einsum("nmi,nmi->nm", *np.broadcast_arrays(u, w)), np.einsum("nmi,nmi->nm", *np.broadcast_arrays(v, w))
    across = uu * vv - uv * uv
    s = np.clip((uv * vw - uw * vv) / np.where(across > 0.0, across, 1.0), 0.0, 1.0)
    t = np.clip((uv * s + vw) / vv, 0.0, 1.0)
    s = np.clip((uv * t - uw) / uu, 0.0, 1.0)
    return np.linalg.norm(w + s[..., None] * u - t[..., None] * v, axis=2)


def segments_through_triangles(a, b, x):
    """Return whether any of n segments passes through any of m triangles."""
    d, e, f = (b - a)[:, None], x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]
    p = np.cross(d, f)
    across, w = np.einsum("nmi,mi->nm", p, e), a[:, None] - x[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.cross(w, e)
        u, v = np.einsum("nmi,nmi->nm", w, p) / across, np.einsum("nmi,nmi->nm", *np.broadcast_arrays(d, q)) / across
        t = np.einsum("nmi,mi->nm", q, f) / across
        within = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0) & (t <= 1.0)
    return bool(within.any())


def surface_distance(surface, T1, one, T2):
    """The distance of triangles and a shape; zero or less where they meet."""
    own, M = core(one), np.linalg.inv(T1) @ T2
    p = own.corners @ M[:3, :3].T + M[:3, 3]
    x, sides = surface.vertices[surface.triangles], edges_of(surface.triangles)
    a, b = surface.vertices[sides[:, 0]], surface.vertices[sides[:, 1]]
    best = points_and_triangles(p, x).min()
    if len(own.edges):
        c, d = p[own.edges[:, 0]], p[own.edges[:, 1]]
        best = min(best, segments_and_segments(a, b, c, d).min(), points_and_segments(surface.vertices, c, d).min())
        if segments_through_triangles(c, d, x):
            best = 0.0
    if len(own.triangles):
        faces = p[own.triangles]
        best = min(best, points_and_triangles(surface.vertices, faces).min())
        n = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
        heights = np.einsum("nmi,mi->nm", surface.vertices[:, None] - faces[:, 0], n)
        if segments_through_triangles(a, b, faces) or (heights.max(axis=1) <= 0.0).any():
            best = 0.0
    return best - own.radius
