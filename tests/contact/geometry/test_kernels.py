"""Compiled kernels of pairs of shapes, seen in the rows of a world with named pairs of all kinds."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder
from pluecker.contact import World
from pluecker.contact.geometry import Collider, ConvexHull, HalfSpace, ShapeContact
from tests.contact.geometry.pairs import PRIMITIVES, shape

OPEN = 1e6  # m: gaps of places where nothing touches are larger


def pairs_of_all_kinds(rng):
    """Make a pair of free bodies for each kind of pair of shapes; half-spaces are the world's."""
    builder, touches = ModelBuilder(), []
    for k, kinds in enumerate(PRIMITIVES):
        colliders = []
        for name, kind in zip((f"a{k}", f"b{k}"), kinds, strict=True):
            if kind == "HalfSpace":
                colliders.append(Collider(name, HalfSpace(), "world"))
                continue
            builder.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
            builder.add_joint(name, "free", "world", name)
            colliders.append(Collider(name, shape(rng, kind), name))
        touches.append(ShapeContact(" and ".join(kinds), *colliders))
    return World(builder.build(), touches)


def states_of(world, rng, count):
    """Configurations in which shapes of 1 m are near each other."""
    q = np.zeros((count, world.model.n_bodies, 7))
    q[..., :3] = 0.5 * rng.normal(size=(*q.shape[:2], 3))
    q[..., 3:] = rng.normal(size=(*q.shape[:2], 4))
    q[..., 3:] /= np.linalg.norm(q[..., 3:], axis=-1, keepdims=True)
    return q.reshape(count, -1)


def test_states_of_a_batch_touch_where_each_of_them_does_alone():
    world, rng = pairs_of_all_kinds(np.random.default_rng(2)), np.random.default_rng(3)
    q = states_of(world, rng, 11)
    together = world.rows_at(q)
    touching = together.error[:, ::3] < OPEN
    for k, one in enumerate(q):
        alone = world.rows_at(one)
        np.testing.assert_array_equal(alone.error[::3] < OPEN, touching[k])
        np.testing.assert_allclose(together.error[k, ::3][touching[k]], alone.error[::3][touching[k]], atol=1e-9)
        closed = np.repeat(touching[k], 3)
        np.testing.assert_allclose(together.jacobian[k][closed], alone.jacobian[closed], atol=1e-9)
    for name in world:
        if name != "joints":
            assert touching[:, np.arange(world.n_rows)[world[name].rows][::3] // 3].any(), name


@pytest.mark.indices
def test_places_where_nothing_touches_are_open_and_finite():
    world, rng = pairs_of_all_kinds(np.random.default_rng(4)), np.random.default_rng(5)
    rows = world.rows_at(states_of(world, rng, 4), rng.normal(size=(4, world.model.nv)))
    for numbers in (rows.error, rows.jacobian, rows.bias):
        assert np.isfinite(numbers).all()
    gaps = rows.error[:, ::3]
    assert (gaps > OPEN).any()
    assert np.abs(gaps[gaps < OPEN]).max() < 10.0


def test_the_vertices_of_a_hull_that_span_most_are_taken():
    """The four that are taken of 24 on a circle span the square in it; the forces on them are not checked."""
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(24)], axis=1)
    builder = ModelBuilder()
    builder.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    builder.add_joint("free", "free", "world", "body")
    hull = Collider("hull", ConvexHull(np.concatenate([ring, ring + np.array([0.0, 0.0, 1.0])])), "body")
    world = World(builder.build(), [ShapeContact("touch", Collider("ground", HalfSpace(), "world"), hull)])
    contacts = world.step([0, 0, 0, 1.0, 0, 0, 0], np.zeros(6), 1e-3).contacts
    assert len(contacts) == 4
    np.testing.assert_allclose(contacts.gap, 0.0, atol=1e-9)
    x, y = contacts.point[np.argsort(np.arctan2(contacts.point[:, 1], contacts.point[:, 0])), :2].T
    area = 0.5 * abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())
    assert area == pytest.approx(2.0, rel=1e-6)
