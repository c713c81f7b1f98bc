"""Distances of 10^5 random pairs of every kind of shapes beside coal and MuJoCo: ``python -m benchmarks.distances [PAIRS]``.

A third of the pairs are parallel, nearly so, or have one centre; a fifth of the shapes are thin. What is right needs no
peer: the signed distance is the most by which any direction parts two shapes, and by how much one does follows from their
support functions. So in the first table

- *doubt* is by how much what our normal parts differs from our distance, m,
- *short* by how much a normal of a peer's parts more: by that the distance that we say is too small, m,
- *exchanged* and *moved* by how much it changes if the shapes change places, or if the world is moved, m.

An answer of a peer that is another one by more than 1e-6 m is then proven wrong where *doubt* and *short* are below that:
either our normal parts more than it says, or its own normal parts less. The second table counts these: coal's
distances, those of MuJoCo's ``mj_geomDistance``, and the deepest of the contacts that MuJoCo finds of pairs that touch,
with how many of its contacts are *missing* or too many. *None*: no finite number came. *Normal*: of pairs whose
distances are equal, how many have another normal by more than 1e-3; inside one another these are other ways out that are
as short. *Points*: of those 1 mm or more apart, by how much the points of a peer are off our two planes across the
normal, m; *beside*: how many are elsewhere on them by more than 1 mm, where both shapes have an edge or a face along them.

The third table is of surfaces of triangles, a tenth as many of each kind. Our distances of these are coal's; MuJoCo takes a
mesh for its hull, and the diagonals of a height field the other way. So they are held against all pairs of corners, sides
and triangles (:mod:`tests.contact.geometry.triangles`): of pairs that are *apart* by how much our distance is *off*, and how
far our two points are beside the surfaces, m; how many are *cut*, and of how many of these we said that they are apart.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from benchmarks.measuring.report import markdown
from pluecker.contact.geometry import HeightField, Mesh, Sphere, distance
from pluecker.spatial.extras import require
from tests.contact.geometry.pairs import PRIMITIVES, pair_of_poses, pose, shape
from tests.contact.geometry.peers import InMujoco, coal_nearest, coal_shape, separation
from tests.contact.geometry.triangles import points_and_triangles, surface_distance

EACH, FEW = 100, 50  # pairs of poses for one pair of shapes, and of surfaces
CLOSE = 1e-6  # m: nearer to each other than that surfaces touch or not
TURNED = 1e-3  # of normals
APART = 1e-3  # m: nearer to each other points do not tell a normal
POINT = 1e-9  # m: the radius of what is as good as a point
OURS = ["shapes", "pairs", "ns", "doubt", "short", "exchanged", "moved"]
PEERS = [
    *("shapes", "coal: other", "worst", "none", "normal", "points", "beside"),
    *("MuJoCo: other", "worst", "normal", "points", "beside"),
    *("contacts: of", "missing", "other", "worst", "normal"),
]
SURFACES = tuple((a, b) for a in ("Mesh", "HeightField") for b in ("Sphere", "Capsule", "Box", "ConvexHull"))
CUT_OR_APART = [
    "shapes",
    "pairs",
    "us",
    "apart",
    "off by",
    "cut",
    "said apart",
    "point a",
    "point b",
    "exchanged",
    "moved",
]
Array = Any


def directions(a: Array, b: Array, gap: Array) -> Array:
    """Return the normals along nearest points, zero where these are too near to each other."""
    size = np.linalg.norm(b - a, axis=-1)
    far = size > APART
    return np.where(far, np.sign(gap) / np.where(far, size, 1.0), 0.0)[..., None] * (b - a)


class Peer:
    """Statistics of one peer's answers for all pairs of a kind."""

    def __init__(self) -> None:
        self.count = self.none = self.other = self.turned = self.beside = 0
        self.worst = self.short = self.points = 0.0

    def add(self, parts: Any, found: Any, gap: Array, n: Array, points: tuple[Array, Array] | None = None) -> None:
        """Answers for some poses: distances, normals and perhaps points; ``parts(n)`` is what normals part."""
        told = np.isfinite(gap) & (np.abs(gap) < 1e300)
        self.count, self.none = self.count + len(gap), self.none + int((~told).sum())
        unit = told & (np.abs(np.linalg.norm(n, axis=-1) - 1.0) < CLOSE)
        n = np.where(unit[:, None], n, [0.0, 0.0, 1.0])
        self.short = max(self.short, (parts(n) - found.distance)[unit].max(initial=0.0))
        off = np.where(told, np.abs(gap - found.distance), 0.0)
        self.other, self.worst = self.other + int((off > CLOSE).sum()), max(self.worst, off.max(initial=0.0))
        same = unit & (off <= CLOSE) & (np.abs(found.distance) > APART)
        self.turned += int((np.linalg.norm(n - found.normal, axis=-1) > TURNED)[same].sum())
        if points is not None:
            same &= found.distance > APART
            for mine, theirs in zip((found.point_a, found.point_b), points, strict=True):
                away = (theirs - mine)[same]
                along = np.einsum("ki,ki->k", away, found.normal[same])
                self.points = max(self.points, np.abs(along).max(initial=0.0))
                across = np.linalg.norm(away - along[:, None] * found.normal[same], axis=-1)
            self.beside += int((across > APART).sum())


def compare(kinds: tuple[str, str], count: int) -> tuple[list[str], list[str]]:
    """The rows of both tables."""
    rng, coal = np.random.default_rng(0), require("coal", "collision", "comparing distances")
    peers = {name: Peer() for name in ("coal", "mujoco", "contacts")}
    seconds = doubt = exchanged = moved = 0.0
    missing, batches = 0, max(count // EACH, 1)
    for k in range(batches):
        first, second = (shape(rng, kind) for kind in kinds)
        T1, T2 = map(np.array, zip(*(pair_of_poses(rng) for _ in range(EACH)), strict=True))
        W = pose(rng)
        if k == 0:
            distance(first, T1, second, T2)  # compiled before it is timed
        start = time.process_time()
        found = distance(first, T1, second, T2)
        seconds += time.process_time() - start

        def parts(n: Array, pair: Any = (first, T1, second, T2)) -> Array:
            return separation(*pair, n)

        doubt = max(doubt, np.abs(parts(found.normal) - found.distance).max())
        exchanged = max(exchanged, np.abs(distance(second, T2, first, T1).distance - found.distance).max())
        moved = max(moved, np.abs(distance(first, W @ T1, second, W @ T2).distance - found.distance).max())
        shapes = [coal_shape(coal, each) for each in (first, second)]
        theirs = [coal_nearest(coal, shapes, *T) for T in zip(T1, T2, strict=True)]
        gap, n, a, b = (np.array([each[i] for each in theirs]) for i in range(4))
        peers["coal"].add(parts, found, gap, n, (a, b))
        scene = InMujoco(first, second)
        theirs = [scene.nearest(*T) for T in zip(T1, T2, strict=True)]
        gap, a, b = (np.array([each[i] for each in theirs]) for i in range(3))
        peers["mujoco"].add(parts, found, gap, directions(a, b, gap), (a, b))
        deepest = [scene.deepest_contact(*T) for T in zip(T1, T2, strict=True)]
        touch = np.array([each is not None for each in deepest])
        missing += int((touch != (found.distance < 0.0))[np.abs(found.distance) > CLOSE].sum())
        if touch.any():
            gap, n = (np.array([each[i] for each in deepest if each is not None]) for i in range(2))
            own = type(found)(*(x[touch] for x in found))
            peers["contacts"].add(lambda n, k=touch, p=(first, T1, second, T2): at(p, k, n), own, gap, n)
    title, pairs = " - ".join(kinds), batches * EACH
    short = max(peer.short for peer in peers.values())
    errors = (doubt, short, exchanged, moved)
    return [title, str(pairs), f"{1e9 * seconds / pairs:.0f}", *(f"{x:.1e}" for x in errors)], [
        title,
        *cells(peers["coal"], "other worst none turned points beside"),
        *cells(peers["mujoco"], "other worst turned points beside"),
        *(str(peers["contacts"].count), str(missing), *cells(peers["contacts"], "other worst turned")),
    ]


def at(pair: Any, some: Array, n: Array) -> Array:
    """Return the separation along normals, of some of the poses."""
    first, T1, second, T2 = pair
    return separation(first, T1[some], second, T2[some], n)


def cells(peer: Peer, names: str) -> list[str]:
    """Return the cells of the peer's row."""
    values = [getattr(peer, name) for name in names.split()]
    return [str(x) if isinstance(x, int) else f"{x:.1e}" for x in values]


# ---------------------------------------------------------------------------------------------------- surfaces


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
    rng, batches = np.random.default_rng(0), max(count // FEW, 1)
    seconds, worst = 0.0, dict.fromkeys(("off by", "point a", "point b", "exchanged", "moved"), 0.0)
    apart = cut = wrong = 0
    for _ in range(batches):
        first, second = surface(rng, kinds[0]), shape(rng, kinds[1])
        T1, T2 = map(np.array, zip(*(pair_of_poses(rng) for _ in range(FEW)), strict=True))
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
    title, pairs = " - ".join(kinds), batches * FEW
    said = f"{worst.pop('off by'):.1e}"
    return [
        *(title, str(pairs), f"{1e6 * seconds / pairs:.0f}", str(apart), said, str(cut), str(wrong)),
        *(f"{x:.1e}" for x in worst.values()),
    ]


# ---------------------------------------------------------------------------------------------------- tables


def main(arguments: Any = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("pairs", type=int, nargs="?", default=100_000, help="of each kind")
    parser.add_argument("--only", nargs=2, action="append", metavar="SHAPE", help="this kind of pairs alone")
    options = parser.parse_args(arguments)
    ours, theirs, surfaces = [], [], []
    for kinds in map(tuple, options.only or (*PRIMITIVES, *SURFACES)):
        if kinds in SURFACES:
            surfaces.append(compare_surface(kinds, options.pairs // 10))
            print("  ".join(surfaces[-1]), flush=True)
            continue
        mine, others = compare(kinds, options.pairs)
        ours.append(mine)
        theirs.append(others)
        print("  ".join(mine), "|", "  ".join(others[1:]), flush=True)
    tables = ((OURS, ours), (PEERS, theirs), (CUT_OR_APART, surfaces))
    print("\n" + "\n\n".join(markdown(head, rows) for head, rows in tables if rows))


if __name__ == "__main__":
    main()
