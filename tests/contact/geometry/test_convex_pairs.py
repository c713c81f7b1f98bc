"""Two convex shapes: contacts of closed forms, the contact of hulls that of boxes, no shorter way out of round shapes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull as Hull
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation

from pluecker.contact.geometry import Box, Capsule, ConvexHull, Cylinder, Sphere, distance
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.geometry.kernel_slots import Touch, contacts
from tests.contact.geometry.pairs import CUBE, ROUND, pair_of_poses, placement, pose, shape, touching
from tests.contact.geometry.peers import coal_distance, separation

SLACK = 1e-3
BOX = Box((0.4, 0.3, 0.2))
AS_HULL = ConvexHull(CUBE * BOX.sizes)


@pytest.mark.parametrize("height", [0.2, 0.2 - 1e-5, 0.2 + 1e-5])
def test_hulls_that_are_boxes_touch_where_boxes_do(height):
    """The overlap of both faces has up to eight corners, each of which is a contact once."""
    n, rng = 200 if EVERYTHING else 40 if COMPILED else 2, np.random.default_rng(4)
    T1, T2 = np.tile(np.eye(4), (n, 1, 1)), np.tile(np.eye(4), (n, 1, 1))
    T2[:, :3, :3] = Rotation.from_rotvec(np.outer(rng.uniform(0, 6, n), [0, 0, 1])).as_matrix()
    T2[:, :2, 3], T2[:, 2, 3] = rng.uniform(-0.1, 0.1, (n, 2)), height
    T2[0, :3, :3], T2[0, :2, 3] = np.eye(3), 0.0  # equal faces
    boxes = contacts(BOX, T1, BOX, T2, SLACK)
    for first in (BOX, AS_HULL):
        for mine, theirs in zip(contacts(first, T1, AS_HULL, T2, SLACK), boxes, strict=True):
            assert len(mine.gap) == len(theirs.gap) >= 4
            assert_same_places(mine, theirs)  # two of the corners may be one, up to 1e-9 of the sizes and their angle
            np.testing.assert_allclose(mine.normal, np.tile(theirs.normal[0], (len(mine.gap), 1)), atol=1e-12)
            assert len(set(mine.feature)) == len(mine.gap)


def assert_same_places(mine, theirs):
    """Check that each point with its gap is one of the others, and the other way round."""
    a, b = (np.column_stack([each.point, each.gap]) for each in (mine, theirs))
    off = np.linalg.norm(a[:, None] - b, axis=2)
    assert off.min(axis=1).max() < 1e-6
    assert off.min(axis=0).max() < 1e-6


def on_face(hull, face, gap, rng):
    """Return the placement of a hull whose face lies so far above the plane z = 0, turned and shifted along it."""
    a, b, c = hull.vertices[hull.triangles[face]]
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n)
    u = (b - a) / np.linalg.norm(b - a)
    down = np.stack([u, -np.cross(n, u), -n])  # its rows turn n to -z
    turn = Rotation.from_rotvec([0, 0, rng.uniform(0, 6)]).as_matrix() @ down
    middle = np.array([*rng.uniform(-0.1, 0.1, 2), gap])
    return placement(turn, middle - turn @ ((a + b + c) / 3.0))


def common_corners(first, T1, second, T2):
    """Return the corners of what two triangles next to the plane z = 0 have in common, half-way between them.

    They are corners above the other triangle, and crossings of sides.
    """
    low, high = (T[:3, :3] @ x.T + T[:3, 3:] for x, T in ((first, T1), (second, T2)))
    gap = high[2].mean() - low[2].mean()
    P, Q = low[:2].T, high[:2].T
    found = [x for one, other in ((P, Q), (Q, P)) for x in one if Delaunay(other).find_simplex(x) >= 0]
    for a, b in zip(P, np.roll(P, 1, axis=0), strict=True):
        for c, d in zip(Q, np.roll(Q, 1, axis=0), strict=True):
            t = np.linalg.solve(np.stack([b - a, c - d], axis=1), c - a)
            if ((t >= 0.0) & (t <= 1.0)).all():
                found.append(a + t[0] * (b - a))
    return np.array([[*x, low[2].mean() + 0.5 * gap, gap] for x in found])


def test_two_faces_touch_in_the_corners_of_what_they_have_in_common():
    rng, counts = np.random.default_rng(7), []
    upwards = np.diag([1.0, -1.0, -1.0, 1.0])
    for _ in range(60 if EVERYTHING else 25 if COMPILED else 1):
        first, second = (ConvexHull(rng.normal(size=(10, 3)) * rng.uniform(0.3, 1.0, 3)) for _ in range(2))
        gap = float(rng.choice([0.0, 1e-5, -1e-5]))
        i, j = (rng.integers(len(each.triangles)) for each in (first, second))
        T1, T2 = upwards @ on_face(first, i, 0.0, rng), on_face(second, j, gap, rng)
        W = pose(rng)
        (found,) = contacts(first, (W @ T1)[None], second, (W @ T2)[None], SLACK)
        own = common_corners(first.vertices[first.triangles[i]], T1, second.vertices[second.triangles[j]], T2)
        there = Touch(None, own[:, :3] @ W[:3, :3].T + W[:3, 3], own[:, 3], None)
        assert_same_places(found, there)
        counts.append(len(found.gap))
    assert not COMPILED or {3, 4, 5, 6} <= set(counts)


def test_of_many_corners_eight_are_taken_that_span_them_and_the_deepest():
    angles = 2 * np.pi * np.arange(16) / 16
    rim = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    prism = ConvexHull([[*x, z] for x in rim for z in (-0.5, 0.5)])
    tilt = 1e-4
    R = Rotation.from_rotvec([tilt * np.cos(0.3), tilt * np.sin(0.3), 0.0]).as_matrix()
    T = placement(R, [0.0, 0.0, 1.0])
    (found,) = contacts(prism, np.eye(4)[None], prism, T[None], SLACK)
    assert len(found.gap) >= 7
    assert found.gap.min() == pytest.approx(-tilt, rel=0.02)
    corners = found.point[:, :2]
    assert Hull(corners).volume > 0.8 * Hull(rim).volume
    off = np.linalg.norm(corners[:, None] - rim, axis=2).min(axis=1)
    assert off.max() < 1e-3


@pytest.mark.parametrize("first", [BOX, AS_HULL])
def test_features_stay_while_a_hull_slides_and_sinks(first):
    names = None
    for k in range(20 if COMPILED else 2):
        T = placement(Rotation.from_rotvec([0, 0, 0.3 + 1e-3 * k]).as_matrix(), [0.01 + 1e-3 * k, 0.02, 0.2 - 1e-6 * k])
        (found,) = contacts(first, np.eye(4)[None], AS_HULL, T[None], SLACK)
        own = set(found.feature)
        assert names is None or own == names
        names = own


@pytest.mark.indices
def test_hulls_of_many_edges_are_as_far_as_coal_says_and_their_normal_parts_them_by_that():
    coal = pytest.importorskip("coal", reason="the peer (extra collision)")
    n, rng = 20 if COMPILED else 3, np.random.default_rng(8)
    large, small = (ConvexHull(unit(rng.normal(size=(count, 3)))) for count in (300, 8))
    for one in (small, large, Cylinder(0.5, 1.0), Capsule(0.3, 1.0), Sphere(0.4)):
        T = np.array([pose(rng, 1.0) for _ in range(n)])
        found = distance(one, np.eye(4), large, T)
        np.testing.assert_allclose(separation(one, np.eye(4), large, T, found.normal), found.distance, atol=1e-12)
        np.testing.assert_allclose(
            found.distance, [coal_distance(coal, one, np.eye(4), large, U) for U in T], atol=1e-5
        )


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def turned(axis, degrees, p):
    """Return a placement that is turned about an axis."""
    return placement(Rotation.from_euler(axis, degrees, degrees=True).as_matrix(), p)


BASE, ROD, BALL = Box((2.0, 2.0, 1.0)), Cylinder(0.3, 1.0), Capsule(0.2, 0.6)
UP, DIAGONAL = (0.0, 0.0, 1.0), (0.6, 0.0, 0.8)
TILT = np.pi / 6.0
CLOSED = {  # what is where, in touch with the first, along which normal, at how many points
    "a cap on a face": (BASE, ROD, turned("x", 0, (0.2, 0.1, 1.0)), UP, 8),
    "a side on a face": (BASE, ROD, turned("y", 90, (0.2, 0.1, 0.8)), UP, 2),
    "a rim on a face": (
        BASE, ROD, turned("y", 30, (0.0, 0.1, 0.5 + 0.5 * np.cos(TILT) + 0.3 * np.sin(TILT))), UP, 1
    ),
    "a rim beside an edge": (
        BASE, ROD, turned("x", 0, (1.0 + 0.3 + 0.6, 0.1, 0.5 + 0.5 + 0.8)), DIAGONAL, 1
    ),
    "a side along an edge": (
        BASE, ROD, turned("x", 90, (1.0 + 0.6 * 0.3, 0.7, 0.5 + 0.8 * 0.3)), DIAGONAL, 2
    ),
    "a side on a corner": (Box((2.0, 2.0, 2.0)), ROD, placement(
        Rotation.from_euler("z", 45, degrees=True).as_matrix() @ Rotation.from_euler("x", 90, degrees=True).as_matrix(),
        np.array([1.0, 1.0, 1.0]) + 0.3 * np.ones(3) / np.sqrt(3.0),
    ), tuple(np.ones(3) / np.sqrt(3.0)), 1),
    "caps of one axis": (ROD, Cylinder(0.2, 0.4), turned("x", 0, (0.0, 0.0, 0.7)), UP, 8),
    "sides of parallel axes": (ROD, Cylinder(0.2, 0.4), turned("x", 180, (0.3, 0.4, 0.1)), (0.6, 0.8, 0.0), 2),
    "sides that cross": (ROD, Cylinder(0.2, 2.0), turned("x", 90, (0.5, 0.2, 0.1)), (1.0, 0.0, 0.0), 1),
    "a rim on a rim": (ROD, Cylinder(0.2, 1.0), turned("x", 0, (0.5 + 0.6, 0.0, 1.0 + 0.8)), DIAGONAL, 1),
    "a rim on a cap": (
        Cylinder(2.0, 1.0), ROD, turned("y", 30, (0.0, 0.1, 0.5 + 0.5 * np.cos(TILT) + 0.3 * np.sin(TILT))), UP, 1
    ),
    "a capsule on a cap": (Cylinder(2.0, 1.0), BALL, turned("y", 90, (0.1, 0.2, 0.7)), UP, 2),
    "a capsule along a side": (ROD, BALL, turned("x", 0, (0.3, 0.4, 0.3)), (0.6, 0.8, 0.0), 2),
    "a capsule on a rim": (ROD, BALL, turned("x", 0, (0.3 + 0.12, 0.0, 0.5 + 0.16 + 0.3)), DIAGONAL, 1),
}  # fmt: skip
APART = ("a rim beside an edge", "a rim on a rim")  # by 1 m: where they touch they have no one normal


def scaled(one, size):
    """Return a shape that is larger by a factor."""
    if isinstance(one, Box):
        return Box(size * np.array(one.size))
    return type(one)(size * one.radius, size * one.length)


@pytest.mark.indices
@pytest.mark.parametrize("name", CLOSED)
def test_round_shapes_touch_as_their_closed_form_says(name):
    """From 1e-3 to 10 m, apart, touching and inside one another, wherever the world is, whichever of both comes first."""
    first, second, T, n, points = CLOSED[name]
    rng, n = np.random.default_rng(9), np.array(n)
    for size in (1e-3, 1.0, 10.0):
        one, other = scaled(first, size), scaled(second, size)
        for gap in (0.0, 1e-9, -1e-9, 1e-3, -1e-3):
            W, U, expected = pose(rng), T.copy(), size * (gap + (name in APART))
            U[:3, 3] = size * (T[:3, 3] + gap * n)
            there, back = distance(one, W, other, W @ U), distance(other, W @ U, one, W)
            np.testing.assert_allclose([there.distance, back.distance], expected, atol=1e-12 * max(size, 1.0))
            found = touching(one, other, U, W, margin=expected + 2e-3 * size)
            near = found.gap < expected + 1e-6 * size
            assert near.sum() == points
            np.testing.assert_allclose(found.gap[near], expected, atol=1e-9 * size)
            np.testing.assert_allclose(found.normal, np.tile(W[:3, :3] @ n, (len(found), 1)), atol=1e-9)


def test_a_vertex_on_a_face_is_where_hulls_touch():
    """Thin hulls too, of which another corner of the face was taken: 1 m away."""
    rng = np.random.default_rng(12)
    for _ in range(400 if EVERYTHING else 100 if COMPILED else 4):
        first, second = shape(rng, "ConvexHull"), shape(rng, "ConvexHull")
        face = rng.integers(len(second.triangles))
        corners = second.vertices[second.triangles[face]]
        n = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        n /= np.linalg.norm(n)
        d = unit(rng.normal(size=3))
        vertex = first.vertices[np.argmax(first.vertices @ d)]
        T = placement(Rotation.align_vectors([n], [-d])[0].as_matrix(), np.zeros(3))
        T[:3, 3] = rng.dirichlet(np.ones(3)) @ corners - T[:3, :3] @ vertex
        W = pose(rng)
        found = distance(second, W, first, W @ T)
        lean = np.sort(first.vertices @ d)
        assert abs(found.distance) < 1e-12
        if lean[-1] - lean[-2] > 1e-2:
            np.testing.assert_allclose(found.point_a, (W @ T)[:3, :3] @ vertex + (W @ T)[:3, 3], atol=1e-9)


@pytest.mark.parametrize("kinds", ROUND)
def test_no_direction_is_a_shorter_way_out_of_round_shapes(kinds):
    rng = np.random.default_rng(13)
    ways = unit(rng.normal(size=(20_000, 3)))
    for _ in range(40 if COMPILED else 5):
        first, second = (shape(rng, kind) for kind in kinds)
        T1, T2 = pair_of_poses(rng, 0.2)
        found = distance(first, T1, second, T2).distance
        assert separation(first, T1, second, T2, ways).max() <= found + 1e-6


@pytest.mark.indices
def test_the_search_ends_where_placements_are_no_numbers():
    T = np.tile(np.eye(4), (4, 1, 1))
    T[0, :3, :3], T[1, :3, 3], T[2, 0, 0], T[3, :3, 3] = np.nan, np.inf, np.nan, 1e300
    for one in (Sphere(0.1), Capsule(0.1, 0.3), BOX, Cylinder(0.1, 0.3), AS_HULL):
        for each in contacts(one, np.tile(np.eye(4), (4, 1, 1)), AS_HULL, T, SLACK):
            assert len(each.gap) <= 8


def test_features_of_a_cylinder_stay_while_it_rolls_and_slides():
    names = None
    for k in range(20 if COMPILED else 2):
        R = Rotation.from_euler("y", 90, degrees=True) * Rotation.from_euler("z", 5 * k, degrees=True)
        T = placement(R.as_matrix(), [0.01, 5e-3 * k, 0.2 - 1e-6 * k])
        (found,) = contacts(BOX, np.eye(4)[None], Cylinder(0.1, 0.2), T[None], SLACK)
        assert len(found.gap) == 2
        assert names is None or set(found.feature) == names
        names = set(found.feature)
