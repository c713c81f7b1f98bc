"""Contacts of whole scenes: those of each pair by itself, whatever else is there, was there before, or looks on."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pluecker.contact.geometry import Box, Collider, Collision, Cylinder, HalfSpace, Mesh, Sphere, distance
from tests.conftest import COMPILED
from tests.contact.geometry.pairs import shape
from tests.models import free_bodies as free

pytestmark = pytest.mark.indices
MARGIN = 0.05
SLACK = 2e-3  # m: how much nearer than the shapes their contacts may be, twice that of faces of 1 m
FIELDS = (
    "normal", "point", "gap", "feature", "friction", "restitution", "stiffness", "damping", "surface_velocity",
    "kinetic_friction",
)  # fmt: skip


def state(rng, count, size):
    """Draw a configuration of free bodies in a cube of that size."""
    p = rng.uniform(-0.5 * size, 0.5 * size, (count, 3))
    return np.column_stack([p, Rotation.random(count, random_state=rng).as_quat(scalar_first=True)]).ravel()


def crowd(rng, kinds, count):
    """Draw shapes on bodies of their own, two on every third, beside a floor and a wall."""
    colliders = [
        Collider("floor", HalfSpace(), ("world", (0, 0, -0.7))),
        Collider("wall", HalfSpace(), ("world", (0.8, 0, 0), (np.sqrt(0.5), 0, -np.sqrt(0.5), 0))),
    ]
    for k in range(count):
        for name in (f"c{k}", f"d{k}")[: 1 + (k % 3 == 0)]:
            offset = 0.3 * rng.normal(size=3)
            colliders.append(Collider(name, shape(rng, kinds[k % len(kinds)]), (f"b{k}", offset)))
    return [colliders[k] for k in rng.permutation(len(colliders))]


def assert_as_each_pair_alone(model, colliders, q):
    """Compare the contacts of a scene with those of all its pairs, one by one, bit by bit; return those of the scene."""
    scene = Collision(model, colliders, margin=MARGIN)
    found, seen = scene.find(q), 0
    for i, j in combinations(range(len(colliders)), 2):
        pair = [colliders[i], colliders[j]]
        if scene.bodies[i] == scene.bodies[j]:
            continue
        alone = Collision(model, pair, margin=MARGIN).find(q)
        own = np.flatnonzero((np.sort(found.colliders, axis=1) == [i, j]).all(axis=1))
        assert len(own) == len(alone)
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(found, name)[own], getattr(alone, name))
        np.testing.assert_array_equal(found.colliders[own], np.array([i, j])[alone.colliders])
        seen += len(own)
    assert seen == len(found)
    columns = np.column_stack([found.bodies, found.colliders, found.feature])
    assert columns.tolist() == sorted(columns.tolist())
    return found


def test_a_scene_touches_where_each_of_its_pairs_does_and_where_their_distance_says():
    rng = np.random.default_rng(0)
    count = 12 if COMPILED else 6
    model, colliders = free(count), crowd(rng, ("Sphere", "Capsule", "Box"), count)
    for _ in range(3):
        q = state(rng, count, 1.5)
        found = assert_as_each_pair_alone(model, colliders, q)
        T = Collision(model, colliders).placements(q)
        bodies = [collider.frame.name for collider in colliders]
        touching = {tuple(pair) for pair in np.sort(found.colliders, axis=1).tolist()}
        for i, j in combinations(range(len(colliders)), 2):
            if bodies[i] != bodies[j]:
                apart = distance(colliders[i].shape, T[i], colliders[j].shape, T[j]).distance
                assert ((i, j) in touching) == (apart <= MARGIN) or abs(apart - MARGIN) < SLACK


def test_what_is_found_on_the_way_is_what_is_found_there_at_once():
    """Pairs that are near, and directions that part them, are kept while shapes move; now and then they jump"""
    rng = np.random.default_rng(5)
    count, steps = (12, 60) if COMPILED else (5, 12)
    model, colliders = free(count), crowd(rng, ("Box", "ConvexHull", "Sphere", "Cylinder", "Mesh"), count)
    scene, seen = Collision(model, colliders, margin=MARGIN), 0
    q, turned = state(rng, count, 1.5), rng.normal(size=7 * count)
    for k in range(steps):
        if k % 20 == 19:
            q, turned = state(rng, count, 1.5), rng.normal(size=7 * count)
        q = (q + 3e-3 * turned).reshape(count, 7)
        q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1, keepdims=True)
        q = q.ravel()
        found, alone = scene.find(q), Collision(model, colliders, margin=MARGIN).find(q)
        for name in ("colliders", *FIELDS):
            np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))
        seen += len(found)
    assert seen > steps


def test_a_scene_with_shapes_that_coal_serves_touches_where_each_pair_does():
    pytest.importorskip("coal", reason="it computes cylinders on boxes and meshes (extra collision)")
    rng = np.random.default_rng(1)
    model, colliders = free(4), crowd(rng, ("Box", "Cylinder"), 4)
    sheet = Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]], convex=False)
    colliders = [collider for collider in colliders if not isinstance(collider.shape, HalfSpace)]
    colliders.insert(3, Collider("sheet", sheet, "world"))
    found = assert_as_each_pair_alone(model, colliders, state(rng, 4, 1.0))
    kinds = {tuple(sorted(type(colliders[k].shape).__name__ for k in pair)) for pair in found.colliders.tolist()}
    assert {("Box", "Cylinder"), ("Box", "Mesh"), ("Cylinder", "Mesh")} <= kinds


def test_of_many_groups_each_is_ignored_by_those_that_say_so():
    rng, count = np.random.default_rng(2), 70
    model, q = free(count), np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], count)
    ignores = rng.integers(count, size=count)
    colliders = [
        Collider(f"c{k}", Sphere(1.0), f"b{k}", groups=f"g{k}", ignores=f"g{ignores[k]}") for k in range(count)
    ]
    found = Collision(model, colliders, ignored=[("c5", "c0"), ("c7", "c69")]).find(q)
    touching = {tuple(pair) for pair in found.colliders.tolist()}
    apart = {tuple(sorted((k, int(ignores[k])))) for k in range(count)} | {(0, 5), (7, 69)}
    assert touching == set(combinations(range(count), 2)) - apart


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_balls_of_all_sizes_touch_where_their_centres_are_near(spread):
    """Radii over three powers of ten, one ball around all, reaches of all sizes; or all balls in one place."""
    rng, n = np.random.default_rng(3), 400 if COMPILED else 60
    radii = np.append(10.0 ** rng.uniform(-3, 0, n - 1), 50.0)
    p = spread * rng.normal(size=(n, 3)) * 4.0
    reach = rng.uniform(0.0, 0.1, n) * (rng.random(n) < 0.5)
    q = np.column_stack([p, np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))]).ravel()
    colliders = [Collider(f"c{k}", Sphere(r), f"b{k}") for k, r in enumerate(radii)]
    found = Collision(free(n), colliders, margin=MARGIN).find(q, reach)
    i, j = np.triu_indices(n, 1)
    gaps = np.linalg.norm(p[j] - p[i], axis=1) - radii[i] - radii[j]
    near = gaps <= MARGIN + reach[i] + reach[j]
    np.testing.assert_array_equal(found.colliders, np.column_stack([i, j])[near])
    np.testing.assert_allclose(found.gap, gaps[near], atol=1e-12)


def test_what_comes_infinitely_far_meets_everything():
    colliders = [Collider("floor", HalfSpace(), "world"), *(Collider(f"c{k}", Sphere(0.1), f"b{k}") for k in range(3))]
    collision = Collision(free(3), colliders)
    q = np.array([[100.0 * k, 0.0, 50.0, 1.0, 0.0, 0.0, 0.0] for k in range(3)]).ravel()
    assert not len(collision.find(q))
    assert collision.find(q, [0.0, np.inf, 0.0, 0.0]).colliders.tolist() == [[0, 1], [1, 2], [1, 3]]
    assert len(collision.find(q, np.full(4, np.inf))) == 6


def scene_of_boxes(rng, count):
    """A collision of boxes over a floor, and states of it in which they are near and far."""
    colliders = [Collider("floor", HalfSpace(), "world")]
    colliders += [Collider(f"c{k}", Box((1.0, 0.6, 0.4)), f"b{k}") for k in range(count)]
    return Collision(free(count), colliders), [state(rng, count, size) for size in (2.0, 50.0, 2.0, 0.1, 2.0)]


def test_contacts_depend_on_no_call_before_and_on_no_other_thread():
    collision, states = scene_of_boxes(np.random.default_rng(4), 20 if COMPILED else 6)
    expected = [scene_of_boxes(np.random.default_rng(4), 20 if COMPILED else 6)[0].find(q) for q in states]
    assert [collision.find(q) for q in states] == expected
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(collision.find, 5 * states)) == 5 * expected


def test_a_collision_is_copied_and_pickled_after_it_has_found_contacts():
    collision, (q, *_) = scene_of_boxes(np.random.default_rng(5), 4)
    found = collision.find(q)
    for other in (copy.deepcopy(collision), pickle.loads(pickle.dumps(collision))):
        assert other == collision
        assert other.find(q) == found


def test_a_scene_without_colliders_or_with_half_spaces_alone_touches_nowhere():
    q = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    for colliders in ([], [Collider("floor", HalfSpace(), "world")], [Collider("can", Cylinder(1.0, 1.0), "b0")]):
        assert not len(Collision(free(1), colliders).find(q))
