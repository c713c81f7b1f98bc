"""Rows of every kind of constraint, on random trees in random states: J and Jdot v are derivatives of the errors."""

import numpy as np
import pytest

from pluecker.articulated import integrate, random_configuration, random_tree
from pluecker.contact import constraints as c
from pluecker.contact.world.packing import pack_constraints
from pluecker.spatial import quaternion_to_rotation
from tests.contact.constraints.records import NAMES, free_bodies, on_frames, random_frame, three_bodies
from tests.contact.constraints.rows import rows_at

STEP = 1e-5


def mechanism(seed, mimic=0.0):
    """A random tree with all records on it, and a state."""
    rng = np.random.default_rng(seed)
    model = random_tree(6, rng, mimic=mimic)
    bodies = three_bodies(rng, model)
    records = on_frames(*(random_frame(rng, body) for body in bodies))
    packed = pack_constraints(model, [each.parts(model) for each in records])
    return model, packed, random_configuration(model, rng), rng.normal(size=model.nv)


def numbered(packed):
    """The name of each row."""
    return [name for name, own in zip(NAMES, packed.rows, strict=True) for _ in own]


def assert_alike(packed, actual, expected, atol):
    """Of all rows, by name."""
    for name, x, y in zip(numbered(packed), actual, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=atol, atol=atol * (1.0 + np.abs(y).max()), err_msg=name)


@pytest.mark.parametrize("seed", range(4))
def test_jacobian_is_the_derivative_of_the_errors(seed):
    model, packed, q, v = mechanism(seed, mimic=0.3 if seed % 2 else 0.0)
    J = rows_at(model, packed, q, v).J
    differences = np.empty_like(J)
    for j, e in enumerate(np.eye(model.nv)):
        ends = [rows_at(model, packed, integrate(model, q, s * STEP * e), v).errors for s in (1.0, -1.0)]
        differences[:, j] = (ends[0] - ends[1]) / (2.0 * STEP)
    assert_alike(packed, J, differences, 1e-7)  # STEP^2 and 1e-16 / STEP, times third derivatives of lengths near 1


@pytest.mark.parametrize("seed", range(4, 8))
def test_bias_is_the_rate_of_the_jacobian_times_the_velocity(seed):
    model, packed, q, v = mechanism(seed, mimic=0.3 if seed % 2 else 0.0)
    ends = [rows_at(model, packed, integrate(model, q, s * STEP * v), v).J @ v for s in (1.0, -1.0)]
    assert_alike(packed, rows_at(model, packed, q, v).biases, (ends[0] - ends[1]) / (2.0 * STEP), 3e-7)


def test_forces_of_constraints_between_bodies_have_no_sum():
    rng = np.random.default_rng(11)
    model = free_bodies(3)
    q, v = random_configuration(model, rng), rng.normal(size=model.nv)
    records = on_frames(*(random_frame(rng, body) for body in model.body_names))
    packed = pack_constraints(model, [each.parts(model) for each in records])
    J = rows_at(model, packed, q, v).J.reshape(-1, 3, 6)
    total = np.zeros((len(J), 6))
    for b in range(3):
        x, R = q[7 * b : 7 * b + 3], quaternion_to_rotation(q[7 * b + 3 : 7 * b + 7])
        n, f = J[:, b, :3] @ R.T, J[:, b, 3:] @ R.T
        total += np.concatenate([n + np.cross(x, f), f], axis=1)
    assert_alike(packed, total, 0.0 * total, 1e-13)  # rounding of sums of lengths and slopes near 10


def test_coordinates_are_rows_of_the_identity():
    model = random_tree(12, 3)
    rng = np.random.default_rng(3)
    q, v = random_configuration(model, rng), rng.normal(size=model.nv)
    for joint in model.joints:
        n = sum(other.v_start > joint.v_start for other in model.joints)
        width = (
            model.nv if n == 0 else min(o.v_start for o in model.joints if o.v_start > joint.v_start)
        ) - joint.v_start
        for k in range(width):
            parts = c.Coupling("rate", {(joint.name, k): 2.0}).parts(model)
            packed = pack_constraints(model, [parts])
            rows = rows_at(model, packed, q, v)
            np.testing.assert_array_equal(rows.J, 2.0 * np.eye(model.nv)[[joint.v_start + k]])
            assert rows.biases == 0.0
            if parts.rows[0].holonomic:
                assert rows.errors == 2.0 * q[joint.q_start + k]
            else:
                assert rows.errors == 0.0
