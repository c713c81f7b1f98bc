"""Faces that touch, of shapes that have no kernel: they touch where shapes that have one do, whatever they are made of."""

import numpy as np
import pytest
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation

from pluecker.contact.geometry import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    HalfSpace,
    HeightField,
    Mesh,
)
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.geometry.pairs import CUBE, pose, touching

pytest.importorskip("coal", reason="it finds the normals (extra collision)")

COUNT = 25 if EVERYTHING else 8 if COMPILED else 5
GROUND = (2.0, 1.6, 0.5)


def turned(rng, height, far=0.5):
    """A pose that is turned about z."""
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("z", rng.uniform(0, 2 * np.pi)).as_matrix()
    T[:3, 3] = *rng.uniform(-far, far, 2), height
    return T


def rows_of(found):
    """Normals, points and gaps in an order of their own."""
    rows = np.c_[found.normal, found.point, found.gap]
    return rows[np.lexsort(np.round(rows[:, 3:6], 6).T)]


def triangulated(rng, count):
    """The upper face of the ground as triangles between random points; its boundary is in them."""
    x, y = 0.5 * GROUND[0], 0.5 * GROUND[1]
    inner = rng.uniform(-1, 1, (count, 2)) * (x, y)
    plane = np.concatenate([[(-x, -y), (x, -y), (x, y), (-x, y)], inner])
    triangles = Delaunay(plane).simplices
    a, b, c = plane[triangles].transpose(1, 0, 2)
    left = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0] > 0.0
    triangles = np.where(left[:, None], triangles, triangles[:, ::-1])
    return Mesh(np.c_[plane, np.zeros(len(plane))], triangles, convex=False)


@pytest.mark.parametrize("far", [0.5, 1.0])  # within the ground, and over its edges
@pytest.mark.parametrize("kind", ["hull", "mesh", "fine mesh", "hull on a box"])
def test_what_lies_on_a_hull_or_on_triangles_touches_where_it_touches_a_box(kind, far):
    rng = np.random.default_rng(3)
    size = np.array([0.5, 0.3, 0.2])
    box, hull = Box(size), ConvexHull(CUBE * size / 2)
    for _ in range(COUNT):
        gap, frame = float(rng.choice([0.0, -1e-3, 1e-3, 1e-12])), pose(rng)
        T, low = turned(rng, 0.1 + gap, far), np.eye(4)
        low[2, 3] = -0.5 * GROUND[2]
        expected = touching(Box(GROUND), box, np.linalg.inv(low) @ T, frame @ low)
        ground = {
            "hull": lambda: ConvexHull(CUBE * np.array(GROUND) / 2),
            "hull on a box": lambda: Box(GROUND),
            "mesh": lambda: triangulated(rng, 0),
            "fine mesh": lambda: triangulated(rng, 60),
        }[kind]()
        base = frame if "mesh" in kind else frame @ low
        found = touching(ground, hull if "box" in kind else box, np.linalg.inv(base) @ frame @ T, base)
        assert len(found) == len(expected)
        assert len(set(found.feature.tolist())) == len(found)
        # the normal of coal, which chooses the face, has an error of 4e-5 where gaps are 0: lengths of 1 m
        np.testing.assert_allclose(rows_of(found), rows_of(expected), atol=1e-9)


@pytest.mark.parametrize(
    ("one", "height", "points"),
    [
        (Box((0.4, 0.3, 0.2)), 0.1, 4),
        (ConvexHull(CUBE * (0.2, 0.15, 0.1)), 0.1, 4),
        (Cylinder(0.1, 0.2), 0.1, 8),
        (Capsule(0.1, 0.3), 0.1, 2),
        (Cylinder(0.1, 0.3), 0.1, 2),
    ],
)
@pytest.mark.parametrize("ground", ["hull", "mesh", "field", "cylinder"])
def test_flat_ground_of_any_make_carries_a_body_in_as_many_points_as_carry_it(one, height, points, ground):
    shapes = {
        "hull": (ConvexHull(CUBE * (2.0, 2.0, 0.5)), -0.5),
        "mesh": (Mesh([[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]], [[0, 1, 2], [0, 2, 3]], convex=False), 0.0),
        "field": (HeightField(np.zeros((9, 9)), (4.0, 4.0)), 0.0),
        "cylinder": (Cylinder(3.0, 1.0), -0.5),
    }
    shape, low = shapes[ground]
    rng = np.random.default_rng(5)
    lies = np.eye(3) if points > 2 else Rotation.from_euler("y", 90, degrees=True).as_matrix()
    for k in range(COUNT):
        T = turned(rng, height - low, 0.3)
        T[:3, :3] = T[:3, :3] @ lies
        if k % 3 == 0:  # whole numbers, at which features are exactly above each other
            T[:3, 3], T[:3, :3] = (0.25, 0.0, height - low), lies
        frame = np.eye(4)
        frame[2, 3] = low
        found = touching(shape, one, T, frame)
        assert len(found) == points
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-9)
        np.testing.assert_allclose(found.normal, np.tile([0.0, 0.0, 1.0], (points, 1)), atol=1e-9)
        np.testing.assert_allclose(found.point.mean(axis=0), [*T[:2, 3], 0.0], atol=1e-9)


def test_a_body_on_more_triangles_than_count_lies_on_its_own_corners():
    fine = HeightField(np.zeros((81, 81)), (2.0, 2.0))
    found = touching(fine, Box((0.6, 0.4, 0.2)), turned(np.random.default_rng(0), 0.0999))
    assert len(found) == 4
    np.testing.assert_allclose(found.gap, -1e-4, atol=1e-12)


TENT = [[-1, -1, -1], [-1, 1, -1], [0, -1, 0], [0, 1, 0], [1, -1, -1], [1, 1, -1]]
RIDGES = {  # along y; where they are
    "mesh": (Mesh(TENT, [[0, 3, 1], [0, 2, 3], [2, 4, 5], [2, 5, 3]], convex=False), [0.0]),
    "field": (HeightField(np.array([[-1.0, 0.0, -1.0]] * 6), (2.0, 2.0)), [0.0]),
    "saw": (HeightField(np.array([[-1.0, 0.0, -1.0, 0.0, -1.0]] * 4), (1.0, 2.0)), [-0.25, 0.25]),
}


@pytest.mark.parametrize("ground", RIDGES)
@pytest.mark.parametrize("kind", ["box", "hull"])
def test_a_face_touches_a_ridge_at_both_ends_of_what_it_covers(ground, kind):
    """Wherever it is turned about the vertical, and however the world is."""
    half, rng = np.array([0.45, 0.35, 0.1]), np.random.default_rng(7)
    shape, (surface, places) = (Box(2 * half) if kind == "box" else ConvexHull(CUBE * half)), RIDGES[ground]
    for _ in range(COUNT):
        gap = float(rng.choice([1e-3, -1e-3, 0.0]))
        T = turned(rng, half[2] + gap, 0.05)
        found = touching(surface, shape, T, frame := pose(rng), margin=2e-3)  # less than to the sides
        ends = []
        for x in places:
            # of the line (x, s) in axes of the face, which is |c + s d| < half
            c, d = T[:2, :2].T @ ([x, 0.0] - T[:2, 3]), T[1, :2]
            cuts = np.sort((np.array([[-1.0], [1.0]]) * half[:2] - c) / d, axis=0)
            ends += [[x, s, 0.5 * gap] for s in (cuts[0].max(), cuts[1].min())]
        points = (found.point - frame[:3, 3]) @ frame[:3, :3]
        assert len(found) == 2 * len(places) == len(set(found.feature.tolist()))
        np.testing.assert_allclose(points[np.lexsort(np.round(points, 6).T[::-1])], ends, atol=1e-9)
        np.testing.assert_allclose(found.gap, gap, atol=1e-9)
        np.testing.assert_allclose(found.normal @ frame[:3, :3], np.tile([0.0, 0.0, 1.0], (len(found), 1)), atol=1e-9)


@pytest.mark.parametrize(
    ("angle", "x", "y"), [(2.13, -0.018, -0.039), (5.17, 0.03, -0.017), (0.82, -0.042, 0.041), (5.22, 0.042, -0.011)]
)
def test_nothing_above_the_ground_is_met_from_below(angle, x, y):
    """A box that is beside a ridge is behind its far side, which the near one hides."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_euler("z", angle).as_matrix(), (x, y, 0.099)
    found = touching(RIDGES["saw"][0], Box((0.9, 0.7, 0.2)), T, margin=0.05)
    assert len(found) >= 4
    assert (found.normal[:, 2] > 0.0).all()


@pytest.mark.parametrize("ground", ["mesh", "field"])
@pytest.mark.parametrize("one", [Capsule(0.1, 0.6), Cylinder(0.1, 0.6)])
def test_what_lies_along_a_ridge_touches_it_at_both_of_its_ends(ground, one):
    lies = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = lies, (0.0, 0.12, 0.099)
    found = touching(RIDGES[ground][0], one, T)
    assert len(found) == 2
    np.testing.assert_allclose(np.sort(found.point[:, 1]), [-0.18, 0.42], atol=1e-6)
    np.testing.assert_allclose(found.gap, -1e-3, atol=1e-7)
    T[:3, :3] = Rotation.from_euler("z", 30, degrees=True).as_matrix() @ lies  # across it, one point
    found = touching(RIDGES[ground][0], one, T)
    np.testing.assert_allclose(found.point, np.tile([0.0, 0.12, -5e-4], (len(found), 1)), atol=1e-4)


def test_a_box_on_a_ridge_and_in_a_valley_touches_both_sides():
    slope = 0.3
    heights = np.array([[1.0, 0.0, 1.0]] * 2) * slope
    valley = HeightField(heights, (2.0, 2.0))
    place = np.eye(4)
    place[2, 3] = 0.1 + 0.5 * slope - 1e-4  # of a box of 1 m: its lower edges meet the sides
    found = touching(valley, Box((1.0, 0.4, 0.2)), place, margin=1e-6)
    assert len(found) >= 4
    assert set(np.sign(found.point[:, 0]).tolist()) == {-1.0, 1.0}
    assert (found.normal[:, 2] > 0.9).all()
    assert np.abs(found.point[:, 1]).max() == pytest.approx(0.2, abs=1e-3)


def test_what_touches_exactly_is_found():
    """coal loses some of these: it says nan."""
    rng = np.random.default_rng(8)
    field, hull = HeightField(np.zeros((9, 9)), (4.0, 4.0)), ConvexHull(CUBE * (0.2, 0.15, 0.1))
    T = np.eye(4)
    T[:3, 3] = 0.11, 0.0723773750000001, 0.1
    for k in range(COUNT):
        found = touching(field, hull, T if k == 0 else turned(rng, 0.1))
        assert np.isfinite(np.c_[found.normal, found.point, found.gap]).all()
        assert len(found) == 4
        np.testing.assert_allclose(found.normal, np.tile([0.0, 0.0, 1.0], (4, 1)), atol=1e-12)


def test_a_half_space_of_triangles_is_a_half_space():
    """A box that leans: the corners within the margin, at their heights."""
    mesh = Mesh([[-3, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0]], [[0, 1, 2], [0, 2, 3]], convex=False)
    rng = np.random.default_rng(6)
    for _ in range(COUNT):
        T = turned(rng, 0.0)
        T[:3, :3] = T[:3, :3] @ Rotation.from_euler("xy", rng.uniform(-0.05, 0.05, 2)).as_matrix()
        T[2, 3] = np.abs(T[2, :3] * (0.2, 0.15, 0.1)).sum()  # it touches
        found, expected = (touching(each, Box((0.4, 0.3, 0.2)), T, margin=5e-3) for each in (mesh, HalfSpace()))
        np.testing.assert_allclose(rows_of(found), rows_of(expected), atol=1e-9)
