"""The signed distance of two shapes: against coal, and by what a distance is.

What a signed distance d with a normal n and points a, b has to be, whoever computed it: n parts the shapes by d, by
their support functions (so it is no more than the distance, and the depth no less than it has to be), and ``b - a = d
n`` with both points on the surfaces (so it is no less). Both together prove a positive distance; of a negative one they
leave open that another direction is a shorter way out, which coal's answer decides.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from benchmarks.distances import SURFACES, compare_surface
from pluecker.articulated import ModelBuilder
from pluecker.contact import GeometryError
from pluecker.contact.geometry import (
    Box,
    Capsule,
    Collider,
    Collision,
    Cylinder,
    HalfSpace,
    Mesh,
    Sphere,
    distance,
)
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.geometry.pairs import PRIMITIVES, pair_of_poses, placement, pose, shape
from tests.contact.geometry.peers import coal_distance, separation

COUNT = 150 if EVERYTHING else 30 if COMPILED else 15
SIZE = 10.0  # m, the largest number in these tests: roundings are units in its last place
ROUNDING = 200 * SIZE * np.finfo(float).eps
UPRIGHT = 2e-8  # m: a cylinder that is tilted by less than 1e-8 counts as upright; times its size


@pytest.mark.parametrize(("a", "b"), PRIMITIVES)
def test_the_normal_parts_the_shapes_by_the_distance_and_the_points_are_that_far(a, b):
    rng = np.random.default_rng(1)
    for _ in range(COUNT):
        first, second = shape(rng, a), shape(rng, b)
        T1, T2 = pair_of_poses(rng)
        found = distance(first, T1, second, T2)
        tolerance = UPRIGHT if b == "Cylinder" else ROUNDING
        assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)
        assert np.allclose(found.point_b - found.point_a, found.distance * found.normal, atol=ROUNDING)
        # the difference of two points that nearly touch has few digits: 1e-10 of the sizes is where the axis takes over
        assert separation(first, T1, second, T2, found.normal) == pytest.approx(found.distance, abs=1e-9 + tolerance)


@pytest.mark.parametrize(("a", "b"), PRIMITIVES)
def test_nearest_points_are_on_both_surfaces(a, b):
    """Of parallel faces and sides too, or such that are so nearly parallel that rounding decides where they meet."""
    rng, r = np.random.default_rng(5), 1e-6
    for _ in range(10 * COUNT):
        first, second = shape(rng, a), shape(rng, b)
        T1, T2 = pair_of_poses(rng, 0.5)
        found = distance(first, T1, second, T2)
        ends = (found.point_a, first, T1), (found.point_b, second, T2)
        off = [abs(distance(Sphere(r), point, one, T).distance + r) for point, one, T in ends]
        beside = found.distance <= 0.0 and "Cylinder" not in (a, b)  # inside one another, one may be beside a face
        assert (min(off) if beside else max(off)) <= 1e-2 * r


@pytest.mark.parametrize(("a", "b"), PRIMITIVES)
def test_exchanging_the_shapes_turns_the_normal_round(a, b):
    rng = np.random.default_rng(2)
    for _ in range(COUNT):
        first, second = shape(rng, a), shape(rng, b)
        T1, T2 = pose(rng), pose(rng)
        there, back = distance(first, T1, second, T2), distance(second, T2, first, T1)
        assert back.distance == pytest.approx(there.distance, abs=ROUNDING)
        assert np.allclose(back.normal, -there.normal, atol=1e-9)
        assert np.allclose(back.point_a, there.point_b, atol=1e-7)  # places along edges that are nearly parallel


@pytest.mark.parametrize(("a", "b"), PRIMITIVES)
def test_moving_the_world_moves_what_is_found(a, b):
    rng = np.random.default_rng(3)
    first, second = shape(rng, a), shape(rng, b)
    T1, T2, W = (np.array([pose(rng) for _ in range(COUNT)]) for _ in range(3))
    here, there = distance(first, T1, second, T2), distance(first, W @ T1, second, W @ T2)
    assert np.allclose(here.distance, there.distance, atol=10 * ROUNDING)
    assert np.allclose(np.einsum("nij,nj->ni", W[:, :3, :3], here.normal), there.normal, atol=1e-8)
    moved = np.einsum("nij,nj->ni", W[:, :3, :3], here.point_b) + W[:, :3, 3]
    assert np.allclose(moved, there.point_b, atol=1e-6)


@pytest.mark.parametrize(("a", "b"), PRIMITIVES)
def test_the_distance_is_coals_or_a_shorter_way_out(a, b):
    """Distances that differ from coal's are proven by a direction that separates (see above), and are less deep inside."""
    coal = pytest.importorskip("coal", reason="the peer (extra collision)")
    rng = np.random.default_rng(5)
    equal = 0
    for _ in range(COUNT):
        first, second = shape(rng, a), shape(rng, b)
        T1, T2 = pair_of_poses(rng, 0.5)
        ours, theirs = distance(first, T1, second, T2).distance, coal_distance(coal, first, T1, second, T2)
        equal += abs(ours - theirs) < 1e-5
        assert ours > min(theirs, 0.0) - 1e-5
    assert equal >= 0.8 * COUNT  # coal is not exact in thin and round shapes that are deep in one another


@pytest.mark.parametrize("turn", [0.0, 1e-14, 1e-9])
def test_shapes_that_touch_exactly_have_no_distance(turn):
    T = placement(np.array([[1.0, -turn, 0.0], [turn, 1.0, 0.0], [0.0, 0.0, 1.0]]), [0.0, 0.0, 1.5])
    here = np.eye(4)
    below = Box((1.0, 1.0, 2.0))
    for above in (Sphere(0.5), Capsule(0.25, 0.5), Box((1.0, 1.0, 1.0)), Box((1e-6, 1e-6, 1.0))):
        found = distance(below, here, above, T)
        assert abs(found.distance) < 1e-12
        assert np.allclose(found.normal, [0.0, 0.0, 1.0], atol=1e-8)


@pytest.mark.parametrize("second", [Sphere(0.5), Capsule(0.5, 1.0), Box((1.0, 1.0, 1.0)), Cylinder(0.5, 1.0)])
def test_a_sphere_at_the_centre_of_another_shape_has_the_shortest_way_out(second):
    assert distance(Sphere(0.25), np.zeros(3), second, np.zeros(3)).distance == pytest.approx(-0.75)


@pytest.mark.parametrize("tilt", [0.0, 0.02, -0.05])
@pytest.mark.parametrize("side", range(3))
def test_a_capsule_along_an_edge_of_a_box_touches_it_at_two_places(side, tilt):
    """The two are the ends of the common stretch, each as far away as a ball there is."""
    box, capsule = Box((1.0, 1.2, 1.4)), Capsule(0.1, 0.8)
    axis = np.roll(np.eye(3), side, axis=0)  # the box is turned about that of its sides, and the capsule along it
    out = np.array([1.0, 1.0, 1.0]) - axis[2]
    corner = 0.5 * out * box.size
    T = np.eye(4)
    T[:3, :3] = np.stack([axis[0], axis[1], axis[2]], axis=1) @ Rotation.from_euler("x", tilt).as_matrix()
    T[:3, 3] = corner + out / np.sqrt(2.0) * 0.1 + 0.3 * axis[2]
    builder = ModelBuilder()
    builder.add_body("b", mass=1.0)
    builder.add_joint("j", "free", "world", "b")
    q = [*T[:3, 3], *Rotation.from_matrix(T[:3, :3]).as_quat(scalar_first=True)]
    found = Collision(builder.build(), [Collider("box", box, "world"), Collider("x", capsule, "b")], margin=0.1).find(q)
    along = found.point @ axis[2]
    assert len(found) == 2
    assert np.ptp(along) == pytest.approx(0.5 * box.size[int(np.argmax(axis[2]))] + 0.1, abs=0.02)
    for point, normal, gap in zip(found.point, found.normal, found.gap, strict=True):
        centre = point + normal * (0.5 * gap + 0.1)
        np.testing.assert_allclose(np.cross(centre - T[:3, 3], T[:3, 2]), 0.0, rtol=0.0, atol=1e-12)
        nearest = np.clip(centre, -0.5 * np.array(box.size), 0.5 * np.array(box.size))
        assert np.linalg.norm(centre - nearest) - 0.1 == pytest.approx(gap, abs=1e-12)


def test_a_batch_is_its_entries_and_broadcasts():
    rng = np.random.default_rng(7)
    T1, T2 = np.array([[pose(rng)] for _ in range(3)]), np.array([pose(rng) for _ in range(2)])
    first, second = Box((1.0, 0.5, 0.2)), Capsule(0.1, 0.4)
    found = distance(first, T1, second, T2)
    assert found.distance.shape == (3, 2)
    assert found.point_a.shape == (3, 2, 3)
    for i in range(3):
        for j in range(2):
            one = distance(first, T1[i, 0], second, T2[j])
            assert one.distance == found.distance[i, j]
            assert np.array_equal(one.point_b, found.point_b[i, j])
    assert distance(first, np.zeros((0, 4, 4)), second, T2[0]).distance.shape == (0,)


@pytest.mark.parametrize(
    ("first", "second", "R", "p"),
    [
        (  # coal says nothing at three tolerances, and a longer way if they are moved a little
            Cylinder(0.6425097230340795, 0.6789362491504245),
            Cylinder(0.714312130759456, 0.7126584837767982),
            [
                [-0.8262710387926344, -0.04758374806213357, 0.561259260389439],
                [0.5499500192261317, -0.2835837666440287, 0.785579546353622],
                [0.12178319590862284, 0.9577661688618703, 0.26048573661131125],
            ],
            [0.3262345587873333, 0.8025237324840518, -0.9053644608146476],
        ),
        (  # coal says a longer way, along the axis
            Capsule(0.007974226367769973, 0.41896396482220055),
            Cylinder(0.14524040648730485, 0.6915914731646282),
            [
                [-1.0000000000000004, 9.6605044614782627e-17, 1.4645568358663692e-18],
                [-9.6605044614782627e-17, 1.0000000000000004, -1.3229327945576156e-17],
                [1.4645568358663692e-18, 1.3229327945576156e-17, -1.0000000000000004],
            ],
            [5.0003332167734643e-02, -9.5146989042343186e-02, 1.2286197078138442e-01],
        ),
    ],
)
def test_what_is_deep_in_a_cylinder_has_the_shortest_way_out(first, second, R, p):
    """The reference is the best of a hundred thousand directions, which are 0.01 apart."""
    T = placement(R, p)
    directions = np.random.default_rng(0).normal(size=(100_000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    most = separation(first, np.eye(4), second, T, directions).max()
    found, back = distance(first, np.eye(4), second, T).distance, distance(second, T, first, np.eye(4)).distance
    assert most <= found <= most + 1e-2
    assert back == pytest.approx(found, abs=1e-7)


def test_placements_that_are_none_are_refused():
    ball = Sphere(1.0)
    for bad, words in (
        (np.eye(3), "has shape"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "no placement"),
        (5e-324 * np.array([[-1, 0, 1, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]), "no placement"),
        (np.full(3, np.nan), "not finite"),
        (np.full(3, 1e12), "away"),
    ):
        if bad.shape == (3, 3):
            bad = np.ones((2, 2))
        with pytest.raises(GeometryError, match=words):
            distance(ball, bad, ball, np.zeros(3))
    with pytest.raises(GeometryError, match="half-space"):
        distance(HalfSpace(), np.zeros(3), HalfSpace(), np.ones(3))
    with pytest.raises(GeometryError, match="do not broadcast"):
        distance(ball, np.zeros((2, 3)), ball, np.zeros((5, 3)))
    with pytest.raises(TypeError, match="expected a shape"):
        distance(1.0, np.zeros(3), ball, np.zeros(3))


@pytest.mark.parametrize("one", [Sphere(0.1), Capsule(0.1, 0.3), Box((0.2, 0.2, 0.2))])
def test_triangles_without_an_area_change_no_distance(one):
    pytest.importorskip("coal", reason="it computes meshes (extra collision)")
    rng = np.random.default_rng(7)
    corners = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 0]]
    square, whole = [[0, 1, 2], [0, 2, 3]], [[0, 1, 2], [0, 2, 3], [0, 4, 2], [1, 1, 3], [4, 4, 4]]
    T = np.array([pose(rng) for _ in range(COUNT)])
    one_way, other = (distance(Mesh(corners, x, convex=False), np.eye(4), one, T).distance for x in (square, whole))
    np.testing.assert_array_equal(one_way, other)


FEW = ("Mesh", "Box"), ("HeightField", "ConvexHull")


@pytest.mark.parametrize(
    "kinds",
    [pytest.param(x, id=" and ".join(x), marks=() if x in FEW else pytest.mark.everything) for x in SURFACES],
)
def test_the_distance_of_a_surface_is_that_of_its_triangles_and_what_it_cuts_is_not_apart(kinds):
    """Neither the order of the two shapes nor a motion of the world changes the distance."""
    pytest.importorskip("coal", reason="it computes meshes (extra collision)")
    title, pairs, _, apart, off, cut, wrong, *others = compare_surface(kinds, 100)
    assert title == " - ".join(kinds)
    assert min(int(apart), int(cut)) > 20
    assert int(pairs) >= int(apart) + int(cut)
    assert int(wrong) == 0
    assert max(float(x) for x in (off, *others)) < 1e-8
