"""Signed distances of shapes at, near and beyond contact, against whole numbers, where nothing is rounded.

Rounding is worst there: the nearest points are one, edges are parallel, corners lie in the planes of faces. So shapes are
put together at two of their features, corners, edges or faces, with a gap down to 1e-16 m, turned about the normal by
nothing, a right angle, or a little.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pluecker.contact.geometry import Box, Collider, Collision, ConvexHull, Mesh, distance
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.geometry.exact import exact_distance
from tests.contact.geometry.pairs import CUBE, placement, pose, shape, touching
from tests.contact.geometry.triangles import core
from tests.models import free_bodies as free

KINDS = ("Sphere", "Capsule", "Box", "ConvexHull")
PAIRS = [(a, b) for k, a in enumerate(KINDS) for b in KINDS[k:]]
COUNT = 300 if EVERYTHING else 12 if COMPILED else 2
OFF = 1e-6  # of 1 m: edges have no product of their own where the sine of their angle is less
SIDE = 1.0


def feature_of(rng, one):
    """A point on the surface, the outward normal there, and a direction across it: of a corner, an edge or a face."""
    x, e, t, radius = core(one)
    if not len(t):  # of a sphere or a capsule
        n = rng.normal(size=3)
        n[2] = rng.choice([0.0, n[2]])
        n /= np.linalg.norm(n)
        middle = x[rng.integers(len(x))] if rng.random() < 0.5 and len(x) > 1 else x.mean(axis=0)
        n = n if len(x) == 1 or np.any(middle) else n * [1.0, 1.0, 0.0] / np.linalg.norm(n[:2])
        return middle + radius * n, n, np.roll(n, 1) + np.array([0.3, 0.0, 0.0])
    normals = np.cross(x[t[:, 1]] - x[t[:, 0]], x[t[:, 2]] - x[t[:, 0]])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    kind = rng.integers(3)
    if kind == 0:
        k = rng.integers(len(t))
        return rng.dirichlet(np.ones(3)) @ x[t[k]], normals[k], x[t[k][1]] - x[t[k][0]]
    ends = e[rng.integers(len(e))]
    around = ends if kind == 1 else ends[:1]
    meeting = normals[[k for k in range(len(t)) if set(around) <= set(t[k])]]
    n = rng.dirichlet(np.ones(len(meeting))) @ meeting
    point = rng.dirichlet(np.ones(len(around))) @ x[around]
    return point, n / np.linalg.norm(n), x[ends[1]] - x[ends[0]]


def axes_of(n, d):
    """Right-handed, the third one along the normal and the first one about along the direction, as columns."""
    u = d - (d @ n) * n
    u /= np.linalg.norm(u)
    return np.stack([u, np.cross(n, u), n], axis=1)


def touching_poses(rng, first, second):
    """Return placements in which two shapes touch at a feature of each, up to a gap, or overlap deeply."""
    x, n, d = feature_of(rng, first)
    y, m, e = feature_of(rng, second)
    turn = rng.choice([0.0, 0.5 * np.pi, rng.uniform(0.0, 6.0), 10.0 ** rng.uniform(-12, -2)])
    R = axes_of(n, d) @ Rotation.from_euler("z", turn).as_matrix() @ np.diag([1.0, -1.0, -1.0]) @ axes_of(m, e).T
    gap = rng.choice([0.0, 1.0, -1.0]) * 10.0 ** rng.uniform(-16, -1)
    p = x + gap * n - R @ y if rng.random() < 0.85 else 0.5 * rng.normal(size=3)
    W = pose(rng) if rng.random() < 0.5 else np.eye(4)
    return W, W @ placement(R, p)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_the_distance_is_that_of_whole_numbers(a, b):
    rng = np.random.default_rng(11)
    for _ in range(COUNT):
        first, second = shape(rng, a), shape(rng, b)
        T1, T2 = touching_poses(rng, first, second)
        found, exact = distance(first, T1, second, T2).distance, exact_distance(first, T1, second, T2)
        assert found == pytest.approx(exact, abs=OFF)


def test_a_corner_above_the_diagonal_of_a_face_is_as_far_as_the_face():
    """By rounding it is beside both triangles of which the face is made."""
    stone = ConvexHull(
        [
            [r * np.cos(t), y, r * np.sin(t)]
            for r in (1.0, 1.3)
            for t in (-0.31373, 0.31373)
            for y in (-0.9130043340635637, 0.9130043340635637)
        ]
    )
    rng, box = np.random.default_rng(5), Box((1.0, 1.0, 1.0))
    corners = stone.vertices[stone.triangles]
    count = 60 if COMPILED else 3
    for k, share in zip(rng.integers(len(corners), size=count), rng.random(count), strict=True):
        a, b, c = corners[k]
        n = np.cross(b - a, c - a) / np.linalg.norm(np.cross(b - a, c - a))
        sides = [(a, b), (b, c), (c, a)]
        p, q = max(sides, key=lambda side: np.linalg.norm(side[1] - side[0]))  # of a rectangle, the diagonal
        gap = 10.0 ** rng.uniform(-9, -2)
        R = Rotation.align_vectors([n], [np.ones(3) / np.sqrt(3.0)])[0].as_matrix()
        T = placement(R, p + share * (q - p) + gap * n + 0.5 * R @ np.ones(3))
        W = pose(rng)
        assert distance(box, W @ T, stone, W).distance == pytest.approx(gap, rel=1e-5, abs=1e-12)


def opened(sign, angle, depth, along):
    """A cube, on the left or on the right, that meets another one at the edge x = 0, z = 0.5, below which they part."""
    R = Rotation.from_euler("y", sign * angle).as_matrix()
    edge = np.array([-sign * 0.5 * SIDE, 0.0, -0.5 * SIDE])
    return placement(R, np.array([sign * 0.5 * depth, along * (sign < 0), 0.5 * SIDE]) + R @ edge)


HINGES = [  # angle, depth, how far along the edge: coal says 1 to 2 m, or nothing, of cubes in these poses
    (0.000142, -9.64e-10, 2.9e-10),
    (2.87e-07, -7.04e-10, -8.62e-13),
    (0.00955, -8.94e-10, -2.66e-06),
    (5.98e-05, -9.26e-10, -7.69e-09),
    (3.21e-09, -3.17e-11, 0.0),
    (8.04e-09, 7.21e-09, 0.0),
    (2.18e-09, 6.03e-14, 0.0),
    (4.98e-05, -7.33e-10, -6.4e-10),
    (2.89e-09, -6.81e-10, -1.58e-07),
    (0.0629, -6.84e-10, -4.35e-07),
]


def domed_cube():
    """A cube whose lower face is a dome of many corners."""
    k = np.arange(40) + 0.5
    r, turn = 0.49 * np.sqrt(k / 40), np.pi * (1.0 + 5.0**0.5) * k
    dome = np.stack([r * np.cos(turn), r * np.sin(turn), -0.5 - 0.3 * (1.0 - (2.0 * r) ** 2)], axis=1)
    return np.concatenate([0.5 * CUBE, dome])


FACES = ConvexHull(0.5 * CUBE)


@pytest.mark.parametrize("second", [Box((SIDE, SIDE, SIDE)), FACES], ids=["box", "hull"])
def test_a_surface_of_triangles_that_is_touched_along_an_edge_is_no_deeper_than_that(second):
    """In these poses coal's normals do not separate a triangle and the shape by the distance that coal says."""
    pytest.importorskip("coal", reason="it computes meshes (extra collision)")
    surface = Mesh(FACES.vertices, FACES.triangles, convex=False)
    for angle, depth, along in ((0.0072315969, 1.718e-14, -7.323e-10), (3.734553e-05, 1.791e-12, 7.813e-10), *HINGES):
        T1, T2 = (opened(sign, angle, depth, along) for sign in (1, -1))
        found = touching(surface, second, np.linalg.inv(T1) @ T2, T1, margin=0.01)
        assert len(found)
        assert found.gap.min() == pytest.approx(0.0, abs=abs(depth) + abs(along) + 1e-9)


TRIANGLES = [[0, 1, 2], [1, 3, 2], [4, 6, 5], [5, 6, 7]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Box((SIDE, SIDE, SIDE)), Box((SIDE, SIDE, SIDE))),
        (Box((SIDE, SIDE, SIDE)), ConvexHull(0.5 * CUBE)),
        (ConvexHull(0.5 * CUBE), ConvexHull(0.5 * CUBE)),
        (ConvexHull(0.5 * CUBE), Mesh(0.5 * CUBE, TRIANGLES)),
        (ConvexHull(domed_cube()), ConvexHull(domed_cube())),
    ],
    ids=["boxes", "box and hull", "hulls", "hull and mesh", "hulls of many edges"],
)
def test_shapes_that_touch_along_an_edge_are_no_deeper_than_they_overlap(first, second):
    """Found contacts and distances alike: depths of 1 to 2 m out of 1e-10 m threw arches apart."""
    collision = Collision(free(2), [Collider("a", first, "b0"), Collider("b", second, "b1")], margin=0.01)
    for hinge in HINGES if COMPILED else HINGES[:2]:
        T = [opened(sign, *hinge) for sign in (1, -1)]
        q = [(*X[:3, 3], *Rotation.from_matrix(X[:3, :3]).as_quat(scalar_first=True)) for X in T]
        found = collision.find(np.concatenate(q))
        exact = exact_distance(FACES, T[0], FACES, T[1])  # all of them are cubes next to the edge
        assert len(found)
        assert found.gap.min() == pytest.approx(exact, abs=1e-9)
        assert distance(first, T[0], second, T[1]).distance == pytest.approx(exact, abs=1e-9)
