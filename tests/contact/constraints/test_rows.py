"""Rows of every kind of constraint, on random trees in random states: J and Jdot v are derivatives of the errors."""

import numpy as np
import pytest

from pluecker.articulated import integrate, random_configuration, random_tree
from pluecker.contact import World
from pluecker.contact import constraints as c
from pluecker.spatial import quaternion_to_rotation
from tests.contact.constraints.records import NAMES, free_bodies, on_frames, random_frame, three_bodies
from tests.contact.constraints.rows import rows_at, rows_of

STEP = 1e-5


def mechanism(seed, mimic=0.0):
    """A random tree with all records on it, and a state."""
    rng = np.random.default_rng(seed)
    model = random_tree(6, rng, mimic=mimic)
    bodies = three_bodies(rng, model)
    records = on_frames(*(random_frame(rng, body) for body in bodies))
    world = World(model, records, limits=False)
    return model, world, random_configuration(model, rng), rng.normal(size=model.nv)


def numbered(world):
    """The name of each row."""
    return [name for name, part in zip(NAMES, world.parts, strict=False) for _ in part.rows]


def assert_alike(world, actual, expected, atol):
    """Compare numbers of all rows, by name."""
    for name, x, y in zip(numbered(world), actual, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=atol, atol=atol * (1.0 + np.abs(y).max()), err_msg=name)


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.indices), 1, 2, 3])
def test_jacobian_is_the_derivative_of_the_errors(seed):
    model, world, q, v = mechanism(seed, mimic=0.3 if seed % 2 else 0.0)
    J = rows_at(world, q, v).J
    differences = np.empty_like(J)
    for j, e in enumerate(np.eye(model.nv)):
        ends = [rows_at(world, integrate(model, q, s * STEP * e), v).errors for s in (1.0, -1.0)]
        differences[:, j] = (ends[0] - ends[1]) / (2.0 * STEP)
    assert_alike(world, J, differences, 1e-7)  # STEP^2 and 1e-16 / STEP, times third derivatives of lengths near 1


@pytest.mark.parametrize("seed", range(4, 8))
def test_bias_is_the_rate_of_the_jacobian_times_the_velocity(seed):
    model, world, q, v = mechanism(seed, mimic=0.3 if seed % 2 else 0.0)
    ends = [rows_at(world, integrate(model, q, s * STEP * v), v).J @ v for s in (1.0, -1.0)]
    assert_alike(world, rows_at(world, q, v).biases, (ends[0] - ends[1]) / (2.0 * STEP), 3e-7)


def test_forces_of_constraints_between_bodies_have_no_sum():
    rng = np.random.default_rng(11)
    model = free_bodies(3)
    q, v = random_configuration(model, rng), rng.normal(size=model.nv)
    records = on_frames(*(random_frame(rng, body) for body in model.body_names))
    world = World(model, records, limits=False)
    J = rows_at(world, q, v).J.reshape(-1, 3, 6)
    total = np.zeros((len(J), 6))
    for b in range(3):
        x, R = q[7 * b : 7 * b + 3], quaternion_to_rotation(q[7 * b + 3 : 7 * b + 7])
        n, f = J[:, b, :3] @ R.T, J[:, b, 3:] @ R.T
        total += np.concatenate([n + np.cross(x, f), f], axis=1)
    assert_alike(world, total, 0.0 * total, 1e-13)  # rounding of sums of lengths and slopes near 10


NO_LINES = {"spherical", "free", "exponential"}  # joints whose velocities are no rates of coordinates


def test_coordinates_are_rows_of_the_identity():
    model = random_tree(12, 3)
    rng = np.random.default_rng(3)
    q, v = random_configuration(model, rng), rng.normal(size=model.nv)
    places = [(joint, k) for joint in model.joints for k in range(model.v_slice(joint.name).stop - joint.v_start)]
    records = [c.Coupling(f"{joint.name} {k}", {(joint.name, k): 2.0}) for joint, k in places]
    rows = rows_of(model, records, q, v)
    np.testing.assert_array_equal(rows.J, 2.0 * np.eye(model.nv)[[joint.v_start + k for joint, k in places]])
    assert not rows.biases.any()
    for (joint, k), record, error in zip(places, records, rows.errors, strict=True):
        held = record.parts(model).rows[0].holonomic
        assert held == (joint.type not in NO_LINES), joint.type
        assert error == (2.0 * q[joint.q_start + k] if held else 0.0)
