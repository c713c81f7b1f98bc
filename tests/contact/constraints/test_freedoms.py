"""Joints closed in a configuration: how many rows hold, and which freedoms they leave."""

import math

import numpy as np
import pytest

from pluecker.articulated import random_configuration
from pluecker.contact import constraints as c
from pluecker.spatial import quaternion_to_rotation
from tests.contact.constraints.records import free_bodies
from tests.contact.constraints.rows import rows_of

POINT, AXIS, SIDE = np.array([0.3, -0.2, 0.5]), np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0])
ACROSS = np.cross(AXIS, SIDE)
NO = np.zeros(3)
TURNS, WAYS = [(a, NO) for a in (SIDE, ACROSS, AXIS)], [(NO, a) for a in (SIDE, ACROSS, AXIS)]
# of each kind the freedoms of the second body, as (w, velocity at the point): x is SIDE, y is ACROSS, z is AXIS
FREE = {
    c.Ball: TURNS,
    c.Hinge: TURNS[2:],
    c.Slider: WAYS[2:],
    c.Cylindrical: TURNS[2:] + WAYS[2:],
    c.Planar: TURNS[2:] + WAYS[:2],
    c.Fixed: [],
    c.PointOnLine: TURNS + WAYS[2:],
    c.PointInPlane: TURNS + WAYS[:2],
    c.Universal: TURNS[:2],
}


def two_bodies():
    """Two free bodies, anywhere."""
    model = free_bodies(2)
    return model, random_configuration(model, 1)


def body_velocity(q, k, w, v):
    """The part of v of body k that turns with w and has the velocity v at POINT, in world axes."""
    x, R = q[7 * k : 7 * k + 3], quaternion_to_rotation(q[7 * k + 3 : 7 * k + 7])
    return np.concatenate([R.T @ w, R.T @ (v + np.cross(w, x - POINT))])


def assert_freedoms(J, q, freedoms):
    """Check that J leaves exactly these freedoms of the second body against the first, and all common motions."""
    assert np.linalg.matrix_rank(J, tol=1e-9) == len(J) == 6 - len(freedoms)
    for w, v in freedoms:
        np.testing.assert_allclose(J[:, 6:] @ body_velocity(q, 1, w, v), 0.0, atol=1e-14)
    for w, v in TURNS + WAYS:
        both = np.concatenate([body_velocity(q, k, w, v) for k in range(2)])
        np.testing.assert_allclose(J @ both, 0.0, atol=1e-13)


@pytest.mark.parametrize("kind", FREE)
def test_a_joint_leaves_its_freedoms(kind):
    model, q = two_bodies()
    joint = kind.at("joint", model, q, "body0", "body1", POINT, AXIS, side=SIDE)
    rows = rows_of(model, [joint], q, np.zeros(model.nv))
    np.testing.assert_allclose(rows.errors, 0.0, atol=1e-14)
    assert_freedoms(rows.J, q, FREE[kind])


def test_a_joint_to_the_world_leaves_its_freedoms():
    model, q = two_bodies()
    for first, second in (("world", "body1"), ("body1", "world")):
        hinge = c.Hinge.at("hinge", model, q, first, second, POINT, AXIS)
        rows = rows_of(model, [hinge], q, np.zeros(model.nv))
        np.testing.assert_allclose(rows.errors, 0.0, atol=1e-14)
        assert np.linalg.matrix_rank(rows.J, tol=1e-9) == 5
        assert not rows.J[:, :6].any()
        np.testing.assert_allclose(rows.J[:, 6:] @ body_velocity(q, 1, AXIS, NO), 0.0, atol=1e-14)


def test_a_wheel_is_steered_and_rolls():
    model, q = two_bodies()
    axle = math.cos(1.1) * AXIS + math.sin(1.1) * SIDE
    wheel = c.Hinge2.at("wheel", model, q, "body0", "body1", POINT, AXIS, axle=axle)
    assert wheel.angle == pytest.approx(1.1, abs=1e-14)
    rows = rows_of(model, [wheel], q, np.zeros(model.nv))
    np.testing.assert_allclose(rows.errors, 0.0, atol=1e-14)
    assert_freedoms(rows.J, q, [(AXIS, NO), (axle, NO)])
    measures = [c.Motor("steer", wheel.steering, 0.0, 1.0), c.Motor("drive", wheel.rolling, 0.0, 1.0)]
    rates = rows_of(model, measures, q, np.zeros(model.nv)).J[:, 6:]
    turns = np.stack([body_velocity(q, 1, AXIS, NO), body_velocity(q, 1, axle, NO)], axis=1)
    np.testing.assert_allclose(rates @ turns, np.eye(2), atol=1e-14)


def test_a_suspension_is_along_the_steering_axis():
    model, q = two_bodies()
    soft = c.Softness(stiffness=2e4, damping=300.0)
    wheel = c.Hinge2.at("wheel", model, q, "body0", "body1", POINT, AXIS, axle=SIDE, suspension=soft)
    held = [row.soft for row in wheel.parts(model).rows]
    assert held == [False, False, True, False]
    J = rows_of(model, [wheel], q, np.zeros(model.nv)).J[2, 6:]
    assert J @ body_velocity(q, 1, NO, AXIS) == pytest.approx(1.0, abs=1e-14)


def test_angles_and_ways_grow_as_the_second_frame_moves():
    model, q = two_bodies()
    hinge = c.Hinge.at("hinge", model, q, "body0", "body1", POINT, AXIS)
    slider = c.Slider.at("slider", model, q, "body0", "body1", POINT, AXIS)
    measures = [c.Friction("a", hinge.angle, 1.0), c.Friction("b", slider.travel, 1.0)]
    J = rows_of(model, measures, q, np.zeros(model.nv)).J
    moves = [body_velocity(q, 1, AXIS, NO), body_velocity(q, 1, NO, AXIS)]
    np.testing.assert_allclose(J[:, 6:] @ np.transpose(moves), np.eye(2), atol=1e-14)
    both = np.concatenate([body_velocity(q, k, AXIS, AXIS) for k in range(2)])
    np.testing.assert_allclose(J @ both, 0.0, atol=1e-14)


def test_softness_is_that_of_metres_and_of_radians():
    model, q = two_bodies()
    soft = c.Softness(1e3, 2.0, 30.0, 0.4)
    rows = c.Hinge.at("hinge", model, q, "body0", "body1", POINT, AXIS, softness=soft).parts(model).rows
    assert [(row.stiffness, row.damping) for row in rows] == [(1e3, 2.0)] * 3 + [(30.0, 0.4)] * 2
    thread = c.Screw.at("screw", model, q, "body0", "body1", POINT, AXIS, pitch=0.1, softness=soft).parts(model).rows
    assert [(row.stiffness, row.damping) for row in thread] == [(1e3, 2.0)] * 2 + [(30.0, 0.4)] * 2 + [(1e3, 2.0)]


def test_a_rod_and_a_rope_hold_points_together():
    model, q = two_bodies()
    ends = POINT, POINT + 0.5 * AXIS
    rod = c.Rod.at("rod", model, q, "body0", "body1", *ends)
    assert rod.length == pytest.approx(0.5, abs=1e-15)
    rows = rows_of(model, [rod], q, np.zeros(model.nv))
    np.testing.assert_allclose(rows.errors, 0.0, atol=1e-15)
    x = q[7:10]
    R = quaternion_to_rotation(q[10:14])
    wrench = np.concatenate([R.T @ np.cross(ends[1] - x, AXIS), R.T @ AXIS])  # a pull away from the first point
    np.testing.assert_allclose(rows.J[0, 6:], wrench, atol=1e-14)
    (row,) = c.Rope.at("rope", model, q, "body0", "body1", *ends, length=0.7).parts(model).rows
    assert (row.lower, row.upper, row.ranged) == (-np.inf, 0.7, True)


def test_points_that_meet_have_a_force_along_x():
    model, q = two_bodies()
    spring = c.Rod.at("spring", model, q, "world", "body1", POINT, POINT, length=0.2, stiffness=200.0, damping=20.0)
    rows = rows_of(model, [spring], q, np.ones(model.nv))
    np.testing.assert_allclose(rows.errors, -0.2, atol=1e-14)
    assert np.isfinite(rows.biases).all()
    np.testing.assert_allclose(quaternion_to_rotation(q[10:14]) @ rows.J[0, 9:], (1.0, 0.0, 0.0), atol=1e-14)
