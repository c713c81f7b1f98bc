"""Constraints at work: what bearings carry, gyroscopic moments, how torque is shared; screws and gears over many turns."""

import math

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, neutral
from pluecker.contact import World
from pluecker.contact import constraints as c
from pluecker.spatial import PlueckerError
from tests import models
from tests.contact.constraints.records import free_bodies

Z = (0.0, 0.0, 1.0)


def weightless(n, inertia=(0.1, 0.2, 0.25)):
    """Free bodies without gravity."""
    return models.free_bodies([f"body{k}" for k in range(n)], inertia=inertia, gravity=(0.0, 0.0, 0.0))


def test_a_steered_wheel_has_a_gyroscopic_moment():
    # axle a, spin w; steering axis s, rate W: the moment on the wheel is I_a w W (s x a), the force of its fourth row
    model = weightless(1, (0.3, 0.3, 0.5))
    q = neutral(model)
    wheel = c.Hinge2.at("wheel", model, q, "world", "body0", (0, 0, 0), (1, 0, 0), axle=Z)
    world = World(model, [wheel])
    spin, rate = 20.0, 1.5
    a, forces = world.accelerations(q, [rate, 0, spin, 0, 0, 0], np.zeros(6))
    np.testing.assert_allclose(world["wheel"].forces(forces), [0, 0, 0, 0.5 * spin * rate], atol=1e-9)
    # steady precession: w is constant in the frame that is steered, so that in the body's it turns backwards with the spin
    np.testing.assert_allclose(a, [0, -spin * rate, 0, 0, 0, 0], atol=1e-8)


def test_a_differential_shares_torque_equally():
    builder = ModelBuilder()
    inertias = {"cage": 0.4, "left": 0.1, "right": 0.7}
    for name, inertia in inertias.items():
        builder.add_body(name, mass=1.0, inertia=(1.0, 1.0, inertia))
        builder.add_joint(name, "revolute", parent="world", child=name, axis=Z)
    world = World(builder.build(), [c.Differential("axle", "left", "right", cage="cage")])
    a, forces = world.accelerations(np.zeros(3), np.zeros(3), [5.0, 0.0, 0.0])
    share = 2.0 * 5.0 / 0.4 / (1.0 / 0.1 + 1.0 / 0.7 + 4.0 / 0.4)
    np.testing.assert_allclose(a, [(5.0 - 2.0 * share) / 0.4, share / 0.1, share / 0.7], rtol=1e-9)
    assert a[1] + a[2] == pytest.approx(2.0 * a[0], rel=1e-9)
    assert forces == pytest.approx(share, rel=1e-9)


def driven(world, measure, q, duration=0.5, step=0.01, speed=30.0):
    """The end of a motion in which a motor drives a measure from rest."""
    moved = World(world.model, [*world.constraints, c.Motor("drive", measure, speed, 1e4)])
    motion = moved.simulate(q, np.zeros(world.model.nv), duration, step)
    return motion.q[-1], motion.v[-1], world.rows_at(motion.q[-1]).error


def test_a_screw_travels_over_turns():
    model = weightless(1)
    screw = c.Screw("screw", "world", "body0", pitch=0.02)
    q, v, errors = driven(World(model, [screw]), screw.angle, neutral(model))
    assert q[2] == pytest.approx(0.02 * 15.0, abs=1e-10)  # 0.5 s at 30 rad/s: more than two turns
    np.testing.assert_allclose(errors[:4], 0.0, atol=1e-12)
    np.testing.assert_allclose(v, [0, 0, 30.0, 0, 0, 0.6], atol=1e-8)


def test_a_universal_joint_keeps_cardans_relation():
    angle = 0.5
    s, k = math.sin(angle), math.cos(angle)
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for name, rotation in (("drive", np.eye(3)), ("driven", np.array([[k, 0, s], [0, 1, 0], [-s, 0, k]]))):
        builder.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        builder.add_joint(name, "revolute", parent="world", child=name, axis=Z, rotation=rotation)
    world = World(builder.build(), [c.Universal("joint", "drive", "driven"), c.Motor("motor", "drive", 4.0, 1e3)])
    motion = world.simulate(np.zeros(2), np.zeros(2), 1.0, 0.02)
    drive, follower = motion.q.T
    np.testing.assert_allclose(np.sin(follower) * k * np.cos(drive), np.sin(drive) * np.cos(follower), atol=1e-11)
    ratio = motion.v[-1, 1] / motion.v[-1, 0]
    mean = (follower[-1] - follower[-2]) / (drive[-1] - drive[-2])
    assert ratio == pytest.approx(mean, rel=1e-9)  # rates are means over a step


def test_a_function_that_is_not_negative_is_a_floor():
    model = free_bodies(1)
    q = neutral(model)
    q[2] = 0.02
    floor = c.UserFunction("floor", lambda x: x[2], one_sided=True)
    motion = World(model, [floor]).simulate(q, np.zeros(6), 0.1, 0.01)
    assert motion.q[-1, 2] == pytest.approx(0.0, abs=1e-9)
    assert motion.q[:, 2].min() > -1e-9
    assert motion.v[-1, 5] == pytest.approx(0.0, abs=1e-8)


def test_a_function_that_becomes_nan_ends_a_motion():
    model = free_bodies(1)
    wrong = c.UserFunction("wrong", lambda x: np.sqrt(x[2]) if x[2] >= 0.0 else np.nan)
    q = neutral(model)
    q[2] = -0.1
    with pytest.raises(PlueckerError, match="wrong"):
        World(model, [wrong]).simulate(q, np.zeros(6), 0.1, 0.01)


def test_rows_of_a_planar_mechanism_are_zero_where_frames_are_rounded():
    # z of the frames is y of the bodies but for rounding: what holds the bars in their plane says nothing about the tree
    builder = ModelBuilder()
    for name, parent, place in (("a", "world", (0, 0, 0)), ("b", "a", (0, 0, 0.3)), ("c", "world", (0.8, 0, 0))):
        builder.add_body(name, mass=1.0, center_of_mass=(0, 0, 0.2), inertia=(0.02, 0.02, 0.001))
        builder.add_joint(name, "revolute", parent=parent, child=name, axis=(0, 1, 0), position=place)
    turned = (math.cos(0.25 * math.pi), -math.sin(0.25 * math.pi), 0.0, 0.0)
    loop = c.Hinge("loop", c.Frame("b", (0, 0, 0.9), turned), c.Frame("c", (0, 0, 0.6), turned))
    world = World(builder.build(), [loop])
    start = world.close([0.0, 1.0, 0.0], [1.0, 0.0, 0.0])
    assert abs(start.velocity[0]) > 0.1
    rows = world.rows_at(start.configuration)
    assert np.linalg.matrix_rank(rows.jacobian, tol=1e-200) == 2
    assert not rows.jacobian[2:].any()
    motion = world.simulate(start.configuration, start.velocity, 0.05, 0.005)
    np.testing.assert_allclose(world.rows_at(motion.q).error, 0.0, atol=1e-10)
