"""Collision: full manifolds, filters, the order of contacts, names, the broad phase, and surfaces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pluecker.articulated import ModelBuilder
from pluecker.contact import Bodies, GeometryError, World, assemble_contacts, solve
from pluecker.contact.geometry import (
    Box,
    Capsule,
    Collider,
    Collision,
    ConvexHull,
    Cylinder,
    HalfSpace,
    HeightField,
    Mesh,
    Sphere,
    Surface,
    distance,
)
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.geometry.pairs import CUBE, pair_of_poses, shape
from tests.models import free_bodies as free

FLOOR = Collider("floor", HalfSpace(), "world", Surface(friction=0.8))
TURNED = Rotation.from_euler("y", 90, degrees=True).as_quat(scalar_first=True)


def at(*places):
    """q of free bodies: positions, or positions and quaternions."""
    rows = [(*place, 1.0, 0.0, 0.0, 0.0) if len(place) == 3 else tuple(place) for place in places]
    return np.array(rows).ravel()


@pytest.mark.parametrize(
    ("one", "height", "turn", "points"),
    [
        (Sphere(0.5), 0.5, None, 1),
        (Box((1.0, 2.0, 1.0)), 0.5, None, 4),
        (Capsule(0.5, 1.0), 1.0, None, 1),
        (Capsule(0.5, 1.0), 0.5, TURNED, 2),
        (Cylinder(0.5, 1.0), 0.5, None, 4),
        (Cylinder(0.5, 1.0), 0.5, TURNED, 2),
        (ConvexHull(0.5 * CUBE), 0.5, None, 4),
        (ConvexHull([[np.cos(t), np.sin(t), z] for t in np.linspace(0, 6, 30) for z in (-0.5, 0.5)]), 0.5, None, 4),
    ],
)
def test_what_lies_on_a_floor_touches_it_in_as_many_points_as_carry_it(one, height, turn, points):
    place = (0.3, -0.2, height) if turn is None else (0.3, -0.2, height, *turn)
    found = Collision(free(1), [FLOOR, Collider("it", one, "b0")], margin=1e-6).find(at(place))
    assert len(found) == points
    assert np.allclose(found.gap, 0.0, atol=1e-12)
    assert np.allclose(found.normal, [0.0, 0.0, 1.0])
    assert len(set(found.feature.tolist())) == points
    # the centre is above what they span
    middle = found.point[:, :2].mean(axis=0)
    assert np.allclose(middle, [0.3, -0.2], atol=0.1)


@pytest.mark.parametrize(("turn", "points"), [(0.0, 4), (45.0, 8), (10.0, 8)])
def test_box_on_box_touches_in_the_corners_of_what_both_faces_have_in_common(turn, points):
    quaternion = Rotation.from_euler("z", turn, degrees=True).as_quat(scalar_first=True)
    boxes = [Collider(f"c{k}", Box((1.0, 1.0, 1.0)), f"b{k}") for k in range(2)]
    found = Collision(free(2), boxes).find(at((0, 0, 0), (0, 0, 0.999, *quaternion)))
    assert len(found) == points
    assert np.allclose(found.gap, -0.001)
    assert np.allclose(found.point[:, 2], 0.4995)
    assert np.allclose(found.normal, [0.0, 0.0, 1.0])
    inside = found.point - [0.0, 0.0, 0.5]
    turned = Rotation.from_euler("z", -turn, degrees=True).apply(inside)
    assert np.abs(inside[:, :2]).max() < 0.5 + 1e-8
    assert np.abs(turned[:, :2]).max() < 0.5 + 1e-8


@pytest.mark.parametrize("other", [Capsule(0.25, 1.0), Box((3.0, 3.0, 0.5))])
def test_a_capsule_that_lies_on_something_touches_it_twice(other):
    first = Collider("lies", Capsule(0.25, 1.0), ("b0", (0, 0, 0), TURNED))
    second = Collider("below", other, ("b1", (0, 0, 0), TURNED if isinstance(other, Capsule) else None))
    found = Collision(free(2), [first, second]).find(at((0.2, 0, 0.49), (0, 0, 0)))
    assert np.allclose(found.gap, -0.01)
    expected = [-0.3, 0.5] if isinstance(other, Capsule) else [-0.3, 0.7]
    assert np.allclose(np.sort(found.point[:, 0]), expected)
    assert np.allclose(found.normal, [0.0, 0.0, -1.0])


def test_an_edge_across_an_edge_touches_in_one_point():
    up = Rotation.from_euler("x", 45, degrees=True)
    across = Rotation.from_euler("y", 45, degrees=True)
    poses = [(*p, *r.as_quat(scalar_first=True)) for p, r in (((0, 0, 0), up), ((0, 0, np.sqrt(2) - 0.01), across))]
    boxes = [Collider(f"c{k}", Box((1.0, 1.0, 1.0)), f"b{k}") for k in range(2)]
    found = Collision(free(2), boxes).find(at(*poses))
    assert len(found) == 1
    assert np.allclose(found.gap, -0.01)
    assert np.allclose(found.point, [[0.0, 0.0, np.sqrt(0.5) - 0.005]])


def test_the_deepest_contact_of_boxes_is_their_distance_up_to_the_slack():
    rng = np.random.default_rng(1)
    model = free(2)
    for _ in range(100 if EVERYTHING else 30 if COMPILED else 10):
        boxes = [shape(rng, "Box") for _ in range(2)]
        T = pair_of_poses(rng, 0.4)
        q = [(*each[:3, 3], *Rotation.from_matrix(each[:3, :3]).as_quat(scalar_first=True)) for each in T]
        found = Collision(model, [Collider(f"c{k}", boxes[k], f"b{k}") for k in range(2)], margin=1.0).find(at(*q))
        exact = distance(boxes[0], T[0], boxes[1], T[1])
        if exact.distance < 1.0:
            slack = 1e-3 * min(*boxes[0].size, *boxes[1].size)
            assert found.gap.min() == pytest.approx(exact.distance, abs=slack + 1e-9)
            assert len(found) <= 8


def test_a_ball_rests_on_a_mesh_and_on_a_height_field():
    pytest.importorskip("coal", reason="it computes meshes (extra collision)")
    corners = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
    slope = HeightField([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]], (2.0, 1.0))
    for ground, place, normal in (
        (Mesh(corners, [[0, 1, 2], [0, 2, 3]], convex=False), (0.5, -0.2, 0.0995), (0.0, 0.0, 1.0)),
        (
            slope,
            np.array([0.6, -0.1, 0.6]) + 0.0995 * np.array([-1, 0, 1]) / np.sqrt(2),
            (-np.sqrt(0.5), 0, np.sqrt(0.5)),
        ),
        (slope, (-0.6, 0.3, 0.0995), (0.0, 0.0, 1.0)),
    ):
        found = Collision(free(1), [Collider("ground", ground, "world"), Collider("ball", Sphere(0.1), "b0")]).find(
            at(tuple(place))
        )
        deepest = int(np.argmin(found.gap))
        assert found.gap[deepest] == pytest.approx(-0.0005, abs=1e-6)
        assert np.allclose(found.normal[deepest], normal, atol=1e-6)


@pytest.mark.parametrize("one", [Sphere(0.1), Capsule(0.1, 0.1), Box((0.1, 0.2, 0.2))])
def test_what_slides_over_flat_ground_does_not_meet_the_edges_between_its_triangles(one):
    pytest.importorskip("coal", reason="it computes meshes (extra collision)")
    rng = np.random.default_rng(4)
    ground = Collider("ground", HeightField(np.zeros((6, 6)), (2.0, 2.0)), "world")
    collision = Collision(free(1), [ground, Collider("it", one, "b0")], margin=0.05)
    for _ in range(20):
        x, y = rng.uniform(-0.7, 0.7, 2)
        found = collision.find(at((x, y, (0.1 if isinstance(one, (Sphere, Box)) else 0.15) + rng.uniform(0.0, 0.02))))
        assert len(found)
        assert np.allclose(found.normal, [0.0, 0.0, 1.0], atol=1e-3)


def test_a_ridge_is_met_along_its_edge():
    pytest.importorskip("coal", reason="it computes meshes (extra collision)")
    ridge = Collider("ridge", HeightField([[0.0, 1.0, 0.0]] * 2, (2.0, 1.0)), "world")
    found = Collision(free(1), [ridge, Collider("ball", Sphere(0.1), "b0")], margin=0.01).find(at((0.0, 0.1, 1.105)))
    assert len(found)
    assert np.allclose(found.normal, [0.0, 0.0, 1.0], atol=1e-6)
    assert np.allclose(found.gap, 0.005, atol=1e-6)


# ------------------------------------------------------------------------------------------------- order, names, filters


def scene(rng, count):
    kinds = ["Sphere", "Capsule", "Box"]
    return [Collider(f"c{k}", shape(rng, kinds[k % 3]), f"b{k}") for k in range(count)]


def test_the_table_does_not_depend_on_the_order_of_the_colliders():
    rng = np.random.default_rng(2)
    count = 12 if COMPILED else 6
    colliders, model = scene(rng, count), free(count)
    q = at(*[(*(0.7 * rng.normal(size=3)), *Rotation.random(random_state=rng).as_quat()) for _ in range(count)])
    forth = Collision(model, colliders, margin=0.1).find(q)
    back = Collision(model, colliders[::-1], margin=0.1).find(q)
    assert len(forth) > 4
    assert np.array_equal(forth.bodies, back.bodies)
    assert np.array_equal(forth.colliders, count - 1 - back.colliders)
    assert np.allclose(np.sort(forth.gap), np.sort(back.gap), atol=1e-12)
    assert (forth.bodies[:, 0] < forth.bodies[:, 1]).all()
    key = np.lexsort(
        (forth.feature, forth.colliders[:, 1], forth.colliders[:, 0], forth.bodies[:, 1], forth.bodies[:, 0])
    )
    assert np.array_equal(key, np.arange(len(forth)))


def test_features_stay_while_a_box_slides_and_sinks():
    collision = Collision(free(1), [FLOOR, Collider("box", Box((1.0, 1.0, 1.0)), "b0")], margin=0.01)
    tilt = Rotation.from_euler("xyz", [1e-4, 2e-4, 0.3]).as_quat(scalar_first=True)
    first = collision.find(at((0, 0, 0.5, *tilt)))
    later = collision.find(at((0.1, 0, 0.499, *tilt)))
    assert np.array_equal(first.feature, later.feature)
    assert np.allclose(later.point - first.point, [0.1, 0.0, -0.0005], atol=1e-12)  # half-way between both surfaces


@pytest.mark.parametrize("lower", [Box((1.0, 1.0, 1.0)), ConvexHull(0.5 * CUBE)])
@pytest.mark.parametrize("upper", [Box((1.0, 1.0, 1.0)), ConvexHull(0.5 * CUBE)])
def test_features_stay_while_one_box_rocks_on_another(lower, upper):
    rng = np.random.default_rng(0)
    collision = Collision(free(2), [Collider("lower", lower, "b0"), Collider("upper", upper, "b1")], margin=0.01)
    names = set()
    for tilt in 1e-5 * rng.normal(size=(20, 2, 2)):
        turns = Rotation.from_rotvec(np.pad(tilt, ((0, 0), (0, 1)))).as_quat(scalar_first=True)
        found = collision.find(at((0.0, 0.0, 0.0, *turns[0]), (0.1, 0.05, 1.0, *turns[1])))
        assert len(found) == 4
        names.add(tuple(found.feature))
    assert len(names) == 1


def test_gaps_are_found_up_to_the_margin():
    for margin, count in ((0.0, 0), (0.05, 0), (0.15, 1)):
        collision = Collision(free(2), [Collider(f"c{k}", Sphere(0.5), f"b{k}") for k in range(2)], margin=margin)
        found = collision.find(at((0, 0, 0), (0, 1.1, 0)))
        assert len(found) == count
    assert found.gap[0] == pytest.approx(0.1)


def test_bodies_of_one_family_do_not_touch_unless_they_shall():
    builder = ModelBuilder("arm")
    for k, parent in enumerate(("world", "l0", "l1")):
        builder.add_body(f"l{k}", mass=1.0)
        builder.add_joint(f"j{k}", "revolute", parent=parent, child=f"l{k}", axis=(0, 0, 1))
    builder.add_body("foot", mass=1.0)
    builder.add_joint("bolts", "fixed", parent="world", child="foot")
    builder.add_body("hand", mass=1.0)
    builder.add_joint("wrist", "revolute", parent="foot", child="hand", axis=(0, 0, 1))
    model = builder.build()
    ball = Sphere(1.0)
    colliders = [Collider(name, ball, frame) for name, frame in (("a", "l0"), ("b", "l1"), ("c", "l2"), ("w", "world"))]

    def pairs(**more):
        found = Collision(model, colliders, **more).find(np.zeros(4))
        return {frozenset("abcw"[k] for k in pair) for pair in found.colliders.tolist()}

    on_world = {frozenset(pair) for pair in ("aw", "bw", "cw")}  # which carries nobody
    assert pairs() == {frozenset("ac"), *on_world}
    assert len(pairs(adjacent=True)) == 6
    assert pairs(ignored=[("a", "c"), ("w", "b")]) == {frozenset("aw"), frozenset("cw")}
    colliders = [Collider(x, ball, f"l{k}", groups="arm", ignores="arm") for k, x in enumerate("abc")]
    assert pairs() == set()
    colliders = [*colliders, Collider("w", ball, "world")]
    assert pairs() == on_world
    colliders = [Collider("a", ball, "foot"), Collider("b", ball, "hand"), Collider("c", ball, "world")]
    assert pairs() == {frozenset("bc")}  # a foot that is bolted to the world carries the hand
    assert pairs(adjacent=True) == {frozenset("ab"), frozenset("bc")}


def test_a_bead_on_a_rail_rests_on_the_floor():
    builder = ModelBuilder()
    builder.add_body("bead", mass=1.0)
    builder.add_joint("rail", "prismatic", "world", "bead", axis=(0, 0, 1))
    shapes = [Collider("floor", HalfSpace(), "world"), Collider("skin", Sphere(0.1), "bead")]
    motion = World(builder.build(), shapes=shapes).simulate([0.3], [0.0], 0.5, 0.01)
    np.testing.assert_allclose(motion.q[-1], 0.1, rtol=0.0, atol=1e-9)


# ------------------------------------------------------------------------------------------------------------- surfaces


def test_surfaces_combine_the_same_way_in_any_order():
    """Means of friction, the larger resistance and restitution, springs and dampers in series."""
    rubber = Surface(0.25, 0.1, 0.0, 0.5, kinetic_friction=0.04)
    felt = Surface(1.0, 0.3, 0.2, 0.2, kinetic_friction=0.25)
    sprung, sprung_too = Surface(0.5, stiffness=100.0, damping=3.0), Surface(0.5, stiffness=300.0, damping=6.0)

    def both(*surfaces):
        pair = [Collider(f"c{k}", Sphere(0.5), f"b{k}", each) for k, each in enumerate(surfaces)]
        found = Collision(free(2), pair).find(at((0, 0, 0), (0, 0, 0.99)))
        numbers = found.friction[0], found.restitution, found.stiffness, found.damping, found.kinetic_friction
        return np.hstack(numbers).tolist()

    for one, other, expected in (
        (rubber, felt, [0.5, 0.3, 0.2, 0.5, np.inf, 0.0, 0.1]),
        (rubber, rubber, [0.25, 0.1, 0.0, 0.5, np.inf, 0.0, 0.04]),
        (sprung, sprung_too, [0.5, 0.0, 0.0, 0.0, 75.0, 2.0, 0.5]),
        (sprung, sprung, [0.5, 0.0, 0.0, 0.0, 50.0, 1.5, 0.5]),
        (sprung, Surface(0.5), [0.5, 0.0, 0.0, 0.0, 100.0, 3.0, 0.5]),
    ):
        assert both(one, other) == both(other, one) == pytest.approx(expected), (one, other)


def test_a_belt_has_the_velocity_of_its_surface_in_the_world():
    belt = Collider("belt", Box((4.0, 1.0, 1.0)), ("world", (0, 0, 0), TURNED), Surface(velocity=(0.0, 0.0, 2.0)))
    for order in (1, -1):
        found = Collision(free(1), [belt, Collider("load", Sphere(0.5), "b0")][::order]).find(at((1.0, 0.0, 0.0)))
        assert np.allclose(found.surface_velocity, [[-2.0, 0.0, 0.0]])


def test_the_table_is_a_friction_problem_that_carries_the_weight():
    model = free(2)
    colliders = [FLOOR, *(Collider(f"c{k}", Box((1.0, 1.0, 1.0)), f"b{k}") for k in range(2))]
    found = Collision(model, colliders).find(at((0, 0, 0.5), (0.1, 0, 1.5)))
    bodies = Bodies(
        [np.inf, 2.0, 3.0], [[0, 0, 0], [0.3] * 3, [0.5] * 3], [[0, 0, 0], [0, 0, 0.5], [0.1, 0, 1.5]]
    ).with_gravity()
    table = found.table()
    assert len(table) == 8
    assert np.allclose(table.friction[(table.bodies[:, 0] == 0)], np.sqrt(0.4))
    result = solve(assemble_contacts(bodies, table, 0.01), tol=1e-9)
    force = result.multipliers.reshape(-1, 3)[:, 0] / 0.01
    assert force[table.bodies[:, 0] == 0].sum() == pytest.approx(5.0 * 9.81, rel=1e-6)
    assert force[table.bodies[:, 0] == 1].sum() == pytest.approx(3.0 * 9.81, rel=1e-6)


# ------------------------------------------------------------------------------------------------------------- refusals


SOFT_AND_BOUNCING = (
    Collider("floor", HalfSpace(), "world", Surface(stiffness=1e3), groups="ground"),
    Collider("x", Sphere(1.0), "b0", Surface(restitution=0.5)),
)


def test_what_is_soft_and_what_bounces_may_ignore_each_other():
    soft, bouncing = SOFT_AND_BOUNCING
    assert len(Collision(free(1), [soft, replace(bouncing, ignores="ground")]).colliders) == 2


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Sphere(-1.0), "Sphere: radius is -1"),
        (lambda: Sphere(np.nan), "Sphere: radius holds nan"),
        (lambda: Capsule(0.1, 0.0), "Capsule: length is 0"),
        (lambda: Cylinder(np.inf, 1.0), "Cylinder: radius holds inf"),
        (lambda: Box((1.0, 2.0)), "Box: size has shape"),
        (lambda: Box((1.0, -2.0, 1.0)), r"Box: size\[1\] is -2"),
        (lambda: ConvexHull(np.eye(3)), "ConvexHull: vertices has 3 points"),
        (lambda: ConvexHull(CUBE * [1.0, 1.0, 0.0]), "ConvexHull: the points are all in one plane"),
        (lambda: ConvexHull(np.ones((5, 3))), "in one plane"),
        (lambda: ConvexHull(1e-12 * CUBE), "ConvexHull: vertices lie within"),
        (lambda: Mesh(np.eye(3), [[0, 1, 3]]), "Mesh: triangles are"),
        (lambda: Mesh(np.eye(3), [[0, 1, 2]]), "in one plane"),
        (lambda: Mesh(CUBE, [[0, 1, 1], [0, 7, 0]], convex=False), "Mesh: no triangle has an area"),
        (lambda: Mesh(np.outer(range(3), [1, 2, 3]), [[0, 1, 2]], convex=False), "Mesh: no triangle has an area"),
        (lambda: HeightField([[1.0, 2.0]], (1.0, 1.0)), "HeightField: heights have shape"),
        (lambda: HeightField(np.zeros((2, 2)), (1.0, 0.0)), r"HeightField: size\[1\] is 0"),
        (lambda: Surface(friction=-0.1), "Surface: friction is -0.1"),
        (lambda: Surface(restitution=1.5), "Surface: restitution is 1.5"),
        (lambda: Surface(stiffness=0.0), "nothing would hold"),
        (lambda: Surface(stiffness=1e3, restitution=0.5), "restitution is 0.5 and stiffness 1000: a soft surface"),
        (lambda: Collision(free(1), SOFT_AND_BOUNCING), "'x' has a restitution, and 'floor' is soft"),
        (lambda: Collider("", Sphere(1.0), "world"), "name is empty"),
        (
            lambda: Collider("x", Sphere(1.0), "world", groups=("a", "")),
            "groups is .*expected names that are not empty",
        ),
        (lambda: Collision(free(1), [FLOOR, FLOOR]), "two colliders are called 'floor'"),
        (lambda: Collision(free(1), [FLOOR], margin=-1.0), "margin is -1"),
        (lambda: Collision(free(1), [FLOOR, Collider("x", HalfSpace(), "b0")]), "'floor' and 'x': two half-spaces"),
    ],
)
def test_what_cannot_be_is_refused_by_name(make, words):
    with pytest.raises(GeometryError, match=words):
        make()


def test_names_that_are_not_there_and_other_types_are_refused():
    for make in (
        lambda: Collision(free(1), [Collider("x", Sphere(1.0), "nowhere")]),
        lambda: Collision(free(1), [FLOOR], ignored=[("floor", "x")]),
    ):
        with pytest.raises(KeyError, match=r"nowhere|no collider 'x'"):
            make()
    for make in (
        lambda: Collider("x", 1.0, "world"),
        lambda: Collider("x", Sphere(1.0), "world", 0.5),
        lambda: Collider("x", Sphere(1.0), "world", groups=3),
        lambda: Collision(free(1), [Sphere(1.0)]),
        lambda: Collision(None, []),
        lambda: Sphere("1"),
    ):
        with pytest.raises(TypeError):
            make()


def test_shapes_with_the_same_numbers_are_equal():
    assert Box((1, 2, 3)) == Box((1.0, 2.0, 3.0))
    assert ConvexHull(CUBE) == ConvexHull(CUBE.copy())
    assert hash(ConvexHull(CUBE)) == hash(ConvexHull(CUBE.copy()))
    assert ConvexHull(CUBE) != ConvexHull(2.0 * CUBE)
    assert HeightField(np.zeros((2, 3)), (1, 1)) != HeightField(np.zeros((3, 2)), (1, 1))


@pytest.mark.parametrize("kinds", [("box", "cylinder"), ("cylinder", "cylinder")])
def test_a_search_with_less_reach_finds_what_one_with_more_finds_within_its_own(kinds):
    """Of shapes beside, over and along each other, in boxes that are near but apart, too."""
    pytest.importorskip("coal", reason="it finds the contacts of cylinders (extra collision)")
    rng, shapes = np.random.default_rng(5), {"box": Box((0.3, 0.1, 0.2)), "cylinder": Cylinder(0.05, 0.4)}
    scene = Collision(free(2), [Collider(f"s{k}", shapes[kind], f"b{k}") for k, kind in enumerate(kinds)])
    apart = near = 0
    for case in range(40):
        turns = rng.normal(size=(2, 4)) if case % 3 else np.repeat(rng.normal(size=(1, 4)), 2, axis=0)  # or parallel
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        q = np.concatenate([np.zeros(3), turns[0], rng.uniform(-0.25, 0.25, 3), turns[1]])
        least = scene.find(q, [1.0, 1.0]).gap.min()
        for reach in (0.0, 0.01, 0.05):
            found = scene.find(q, [0.5 * reach, 0.5 * reach]).gap
            assert (len(found) > 0) == (least <= reach + scene.margin)
            assert len(found) == 0 or found.min() == least
            apart, near = apart + (len(found) == 0), near + (len(found) > 0)
    assert min(apart, near) > 20
