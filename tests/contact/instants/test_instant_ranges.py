"""Limits, dry friction and motors at an instant: closed forms on a mass on a slide."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pluecker.articulated import ModelBuilder, forward_kinematics, random_configuration, random_tree
from pluecker.contact import UnsolvedError, World
from pluecker.contact.constraints import Ball, Friction, Limit, Motor, PrescribedMotion, Spline
from tests.models import one_body

LIMIT = 1e-10  # of some 6 N: rows with a range have a compliance of 1e-11 of their mobility


def slide(*constraints, mass=2.0, **joint):
    """A mass on a horizontal slide."""
    return World(one_body("block", "prismatic", mass, joint="slide", axis=(1, 0, 0), **joint), constraints)


@pytest.mark.parametrize(
    ("v", "tau", "a"),
    [(0.0, 2.9, 0.0), (0.0, -2.9, 0.0), (0.0, 5.0, 1.0), (0.0, -5.0, -1.0), (1.0, 0.0, -1.5), (-1.0, 0.0, 1.5)],
)
def test_dry_friction_holds_up_to_its_limit_and_opposes_motion(v, tau, a):
    world = slide(friction=3.0)
    found = world.accelerations([0.0], [v], [tau])
    assert_allclose(found.acceleration, a, atol=LIMIT)
    assert_allclose(world["joints"].forces(found), 2.0 * a - tau, atol=LIMIT)


@pytest.mark.parametrize(
    ("q", "v", "tau", "a"),
    [(1.0, 0.0, 4.0, 0.0), (1.0, 0.0, -4.0, -2.0), (0.0, 0.0, 4.0, 2.0), (-1.0, 0.0, -4.0, 0.0), (1.0, -1.0, 4.0, 2.0)],
)
def test_a_limit_pushes_and_does_not_pull(q, v, tau, a):
    world = slide(lower_limit=-1.0, upper_limit=1.0)
    assert_allclose(world.accelerations([q], [v], [tau]).acceleration, a, atol=LIMIT)


@pytest.mark.parametrize(("v", "tau", "a"), [(0.0, 0.0, 3.0), (9.0, 0.0, -3.0), (5.0, 4.0, 0.0), (5.0, 8.0, 1.0)])
def test_a_motor_drives_to_its_speed_with_its_largest_force(v, tau, a):
    world = slide(Motor("motor", "slide", speed=5.0, force=6.0))
    assert_allclose(world.accelerations([0.0], [v], [tau]).acceleration, a, atol=LIMIT)


def test_limit_friction_and_motor_of_one_coordinate_add_up():
    """The motor pushes a coordinate at rest against its upper limit: friction, then the limit, take what is left."""
    motor, limit = Motor("motor", "slide", speed=5.0, force=6.0), Limit("stop", "slide", upper=0.0)
    world = slide(motor, Friction("friction", "slide", 1.0), limit)
    held = world.accelerations([0.0], [0.0], [0.0])
    assert_allclose(held.acceleration, 0.0, atol=LIMIT)
    assert_allclose(held.forces.sum(), 0.0, atol=LIMIT)  # 6 of the motor, -1 of friction, -5 of the limit
    free = world.accelerations([-1.0], [0.0], [0.0])
    assert_allclose(free.acceleration, 2.5, atol=LIMIT)


def test_a_soft_limit_is_a_spring_and_a_damper_that_only_push():
    world = slide(Limit("stop", "slide", upper=0.0, stiffness=100.0, damping=10.0))
    for q, v, force in ((0.1, 0.0, -10.0), (0.1, 0.5, -15.0), (0.1, -2.0, 0.0), (-0.1, 1.0, 0.0)):
        assert_allclose(world.accelerations([q], [v], [0.0]).forces, force, atol=LIMIT)


@pytest.mark.plain
def test_a_batch_has_each_state_in_a_range_of_its_own():
    world = slide(friction=3.0, lower_limit=-1.0, upper_limit=1.0)
    q, tau = np.array([[0.0], [1.0], [-1.0], [0.0]]), np.array([[0.0], [4.0], [-4.0], [5.0]])
    found = world.accelerations(q, np.zeros((4, 1)), tau).acceleration
    assert_allclose(found[:, 0], [0.0, 0.0, 0.0, 1.0], atol=LIMIT)


def test_friction_of_many_joints_holds_a_robot_that_nothing_moves():
    model = random_tree(3, 4).replace(friction=1e3, gravity=(0.0, 0.0, 0.0))
    world, q = World(model, limits=False), random_configuration(model, 1)
    tau = np.random.default_rng(0).standard_normal(model.nv)
    found = world.accelerations(q, np.zeros(model.nv), tau)
    assert_allclose(found.acceleration, 0.0, atol=1e-9)
    assert_allclose(found.forces, -tau, rtol=1e-9, atol=1e-9)


def three_legs(friction):
    """A body on three legs of three joints, with its feet pinned to the ground by balls: more friction than freedoms."""
    builder = ModelBuilder()
    builder.add_body("body", mass=5.0, inertia=(0.1, 0.1, 0.1))
    builder.add_joint("free", "free", "world", "body")
    for k, (x, y) in enumerate(((0.2, 0.1), (-0.2, 0.1), (-0.2, -0.1))):
        for name, parent, z, axis in (("hip", "body", 0.0, 0), ("thigh", "hip", 0.0, 1), ("shin", "thigh", -0.2, 1)):
            place = (x, y, 0.0) if parent == "body" else (0.0, 0.0, z)
            parent = parent if parent == "body" else f"{parent}{k}"
            builder.add_body(f"{name}{k}", mass=0.3, center_of_mass=(0, 0, -0.1), inertia=(1e-3, 1e-3, 1e-3))
            builder.add_joint(
                f"{name}{k}", "revolute", parent, f"{name}{k}", axis=np.eye(3)[axis], position=place, friction=friction
            )
    model = builder.build()
    q = np.array([0, 0, 0, 1, 0, 0, 0, *(0, 0.7, -1.3) * 3])
    end = np.array([0.0, 0.0, -0.2, 1.0])
    feet = [
        Ball(f"foot{k}", ("world", (forward_kinematics(model, q, [f"shin{k}"])[0] @ end)[:3]), (f"shin{k}", end[:3]))
        for k in range(3)
    ]
    return World(model, feet), q


@pytest.mark.parametrize("beyond", [0.0, 1e-15, 1e-12, 1e-6])
def test_torques_that_hold_already_leave_joints_with_friction_at_rest(beyond):
    """Torques may differ by rounding or by much more: the part of friction in the balance is then not determined."""
    world, q = three_legs(0.2)
    model, still = world.model, np.zeros(world.model.nv)
    legs = [joint.name for joint in model.joints if joint.name != "free"]
    tau = world.inverse_dynamics(q, still, still, actuated=legs).tau
    pushed = tau + beyond * np.cos(np.arange(model.nv))
    assert_allclose(world.accelerations(q, still, pushed).acceleration, 0.0, atol=1e-9)


@pytest.mark.plain
def test_rows_that_cannot_be_met_are_called_unsolved():
    """A motion over time drives a block through its hard stop: no force of the stop keeps it from that."""
    t = np.linspace(0.0, 1.0, 5)
    drive = PrescribedMotion("drive", "slide", Spline(t, t**2, end_speed=2.0))
    world = slide(drive, Limit("stop", "slide", upper=0.0))
    said = r"World.accelerations: the laws of rows are not met.* they are those of 'stop'"
    with pytest.raises(UnsolvedError, match=said):
        world.accelerations([0.0], [0.0], [0.0], time=0.5)
