"""Surfaces of triangles against shapes with an inside, for :mod:`benchmarks.distances`: what no peer is needed for.

Our distances of these are coal's; MuJoCo takes a mesh for its hull, and the diagonals of a height field the other way. So
they are held against all pairs of corners, sides and triangles (:mod:`tests.contact.geometry.triangles`). A surface has
no inside: of what it cuts there is no distance, and we say how deep one of the triangles is; these are counted alone.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from pluecker.contact.geometry import HeightField, Mesh, Sphere, distance
from tests.contact.geometry.pairs import pair_of_poses, pose, shape
from tests.contact.geometry.triangles import points_and_triangles, surface_distance

__all__ = ["COLUMNS", "SURFACES", "compare_surface"]

EACH = 50  # pairs of poses for one pair of shapes
POINT = 1e-9  # m: the radius of what is as good as a point
CLOSE = 1e-6  # m: nearer to each other than that they touch or not
SURFACES = tuple((a, b) for a in ("Mesh", "HeightField") for b in ("Sphere", "Capsule", "Box", "ConvexHull"))
COLUMNS = ["shapes", "pairs", "us", "apart", "off by", "cut", "said apart", "point a", "point b", "exchanged", "moved"]
Array = Any


def surface(rng: Any, kind: str) -> Any:
    """Random heights of 4 by 4 cells, or a closed surface of 20 triangles that is not convex; some are thin."""
    if kind == "HeightField":
        return HeightField(rng.uniform(0.0, 0.5, (5, 5)), rng.uniform(0.5, 2.0, 2))
    hull = shape(rng, "ConvexHull")
    middle = hull.vertices.mean(axis=0)
    return Mesh(
        middle + rng.uniform(0.4, 1.0, (len(hull.vertices), 1)) * (hull.vertices - middle), hull.triangles, False
    )


def compare_surface(kinds: tuple[str, str], count: int) -> list[str]:
    """A row of the table."""
    rng, batches = np.random.default_rng(0), max(count // EACH, 1)
    seconds, worst = 0.0, dict.fromkeys(("off by", "point a", "point b", "exchanged", "moved"), 0.0)
    apart = cut = wrong = 0
    for _ in range(batches):
        first, second = surface(rng, kinds[0]), shape(rng, kinds[1])
        T1, T2 = map(np.array, zip(*(pair_of_poses(rng) for _ in range(EACH)), strict=True))
        W = pose(rng)
        start = time.process_time()
        found = distance(first, T1, second, T2)
        seconds += time.process_time() - start
        true = np.array([surface_distance(first, T, second, U) for T, U in zip(T1, T2, strict=True)])
        out = true > CLOSE
        apart, cut = apart + int(out.sum()), cut + int((true <= 0.0).sum())
        wrong += int(((found.distance > CLOSE) & (true <= 0.0)).sum())
        own = np.einsum("kji,kj->ki", T1[:, :3, :3], found.point_a - T1[:, :3, 3])
        for key, values in (
            ("off by", found.distance - true),
            ("point a", points_and_triangles(own, first.vertices[first.triangles]).min(axis=1)),
            ("point b", distance(second, T2, Sphere(POINT), found.point_b).distance + POINT),
            ("exchanged", distance(second, T2, first, T1).distance - found.distance),
            ("moved", distance(first, W @ T1, second, W @ T2).distance - found.distance),
        ):
            worst[key] = max(worst[key], np.abs(values[out]).max(initial=0.0))
    title, pairs = " - ".join(kinds), batches * EACH
    said = f"{worst.pop('off by'):.1e}"
    return [
        *(title, str(pairs), f"{1e6 * seconds / pairs:.0f}", str(apart), said, str(cut), str(wrong)),
        *(f"{x:.1e}" for x in worst.values()),
    ]
