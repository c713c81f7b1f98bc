"""Rows of each law in steps, against closed forms."""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, neutral, random_configuration, random_tree, simulate
from pluecker.contact.constraints import (
    Angle,
    Frame,
    Friction,
    Hinge,
    Length,
    Limit,
    Motor,
    PositionDrive,
    PrescribedMotion,
    Rod,
    Rope,
    Servo,
    Spline,
)
from tests.contact.stepping.stepped import World, last, motion, slider
from tests.models import one_body


def hanging():
    """A ball of 1 kg on a free joint, under weight."""
    return one_body("ball", "free", 1.0, inertia=(0.1, 0.1, 0.1), joint="free", gravity=(0.0, 0.0, -10.0))


def test_a_motor_reaches_its_speed_in_the_time_that_its_force_takes():
    """m v = F t until t = m v / F, then v, with the force that is left over."""
    world = World(slider(mass=2.0), [Motor("motor", "j0", speed=3.0, force=4.0)])
    h = 0.01
    _, v, error = motion(world, [0.0], [0.0], h, 200)
    t = h * np.arange(1, 201)
    assert error <= 1.0
    np.testing.assert_allclose(v[:, 0], np.minimum(2.0 * t, 3.0), rtol=0, atol=1e-12)


def test_a_motor_that_is_too_weak_stalls():
    """Against 5 N, 4 N of a motor and 1 N of dry friction hold the place; 4 N alone are pushed back at 1/2 m/s^2."""
    motor = Motor("motor", "j0", speed=3.0, force=4.0)
    held = World(slider(mass=2.0), [motor, Friction("friction", "j0", force=1.5)])
    q, v, _ = motion(held, [0.3], [0.0], 0.01, 50, torque=[-5.0])
    np.testing.assert_allclose(q[-1], 0.3, rtol=0, atol=1e-14)
    np.testing.assert_allclose(v[-1], 0.0, rtol=0, atol=1e-13)  # 1e-13 of what 5 N would make in a step
    _, v = last(World(slider(mass=2.0), [motor]), [0.3], [0.0], 0.01, 50, torque=[-5.0])
    np.testing.assert_allclose(v, -0.25, rtol=1e-12)


def test_limit_friction_and_motor_of_one_coordinate_are_one_law():
    """A motor of 4 N against 1 N of friction drives 1 kg at 3 m/s^2 up to the limit, exactly, and it rests there."""
    model = slider(lower_limit=-1.0, upper_limit=0.5, friction=1.0)
    q, v, error = motion(World(model, [Motor("motor", "j0", speed=3.0, force=4.0)]), [0.0], [0.0], 5e-3, 160)
    assert error <= 1.0
    n = 100
    np.testing.assert_allclose(v[:n, 0], 15e-3 * np.arange(1, n + 1), rtol=1e-10)
    assert q.max() <= 0.5
    np.testing.assert_allclose(q[-1], 0.5, rtol=0, atol=1e-12)
    np.testing.assert_allclose(v[-1], 0.0, rtol=0, atol=1e-11)


def test_a_drive_to_a_position_takes_its_error_away_at_its_rate():
    """(1 - h c)^n of the error is left, once the force suffices."""
    drive = PositionDrive("drive", "j0", 0.2, force=1e4, correction=20.0)
    q, _, _ = motion(World(slider(), [drive]), [0.0], [0.0], 1e-2, 30, torque=[-3.0])
    np.testing.assert_allclose(q[:, 0], 0.2 * (1.0 - 0.8 ** np.arange(1, 31)), rtol=1e-10)


def test_a_servo_settles_where_its_spring_carries_the_load():
    servo = Servo("servo", "j0", 0.1, stiffness=50.0, damping=20.0)
    q, _ = last(World(slider(), [servo]), [0.0], [0.0], 0.05, 200, torque=[2.0])
    np.testing.assert_allclose(q, 0.1 + 2.0 / 50.0, rtol=1e-9)


def test_a_prescribed_motion_is_followed_whatever_it_takes():
    """Along a spline over time, though a load pulls and other joints are tied to it."""
    path = Spline([0.0, 0.5, 1.0], [0.0, 0.3, -0.1])
    world = World(slider(joints=2), [PrescribedMotion("path", "j0", path), Servo("servo", "j1", 0.2, 10.0, 1.0)])
    q, v, error = motion(world, [0.0, 0.2], [0.0, 0.0], 1e-2, 100, torque=[5.0, 0.0])
    t = 1e-2 * np.arange(1, 101)
    assert error <= 1.0
    np.testing.assert_allclose(q[:, 0], [path.at(x)[0] for x in t], rtol=0, atol=1e-11)
    np.testing.assert_allclose(q[:, 1], 0.2, rtol=0, atol=1e-14)
    rates = [(path.at(x)[0] - path.at(x - 1e-2)[0]) / 1e-2 for x in t]
    np.testing.assert_allclose(v[:, 0], rates, rtol=0, atol=1e-9)


def test_prescribed_from_a_start_that_is_elsewhere_moves_there_at_once():
    """The gap is closed by a displacement, and makes no velocity."""
    world = World(slider(), [PrescribedMotion("path", "j0", Spline([0.0, 1.0], [0.2, 0.2]))])
    q, v, error = motion(world, [0.0], [0.0], 1e-2, 3)
    assert error <= 1.0
    np.testing.assert_allclose(q, 0.2, rtol=0, atol=1e-14)
    np.testing.assert_allclose(v, 0.0, rtol=0, atol=1e-14)


@pytest.mark.parametrize("start", [-0.3, 0.0])
def test_a_distance_spring_settles_where_statics_says(start):
    """200 N/m and 20 N s/m on 1 kg: the length and m g / k below the anchor; points may coincide at the start."""
    spring = Rod("spring", "world", "ball", 0.2, stiffness=200.0, damping=20.0)
    world = World(one_body("ball", "prismatic", 1.0, axis=(0, 0, 1), gravity=(0.0, 0.0, -10.0)), [spring])
    q, v = last(world, [start], [0.0], 0.05, 80)
    np.testing.assert_allclose(q, -0.2 - 10.0 / 200.0, rtol=1e-9)
    np.testing.assert_allclose(v, 0.0, rtol=0, atol=1e-9)


def test_a_stiff_spring_is_a_rod_to_first_order_in_its_compliance():
    """Ten times the stiffness, a tenth of the difference, in the same steps."""
    model = hanging()
    q0 = np.r_[0.5, 0.0, 0.0, neutral(model)[3:]]

    def end(**options):
        return last(World(model, [Rod("rod", "world", "ball", 0.5, **options)]), q0, np.zeros(6), 0.01, 40)[0]

    rod = end()
    apart = [np.linalg.norm(end(stiffness=k) - rod) for k in (1e9, 1e10, 1e11)]
    np.testing.assert_allclose(np.divide(apart[:-1], apart[1:]), 10.0, rtol=0.01)


def test_a_rope_goes_slack_and_becomes_taut():
    """A ball falls freely until the rope is taut, and then swings no farther from the anchor than the rope is long."""
    model = hanging()
    world = World(model, [Rope("rope", "world", "ball", 1.0)])
    q0 = np.r_[0.6, 0.0, 0.0, neutral(model)[3:]]
    q, v, error = motion(world, q0, np.zeros(6), 1e-2, 150)
    assert error <= 1.0
    n = 39  # 0.8 m of fall take 0.4 s
    np.testing.assert_allclose(v[:n, 5], -0.1 * np.arange(1, n + 1), rtol=1e-12)
    distance = np.linalg.norm(q[:, :3], axis=1)
    assert distance.max() <= 1.0 + 1e-9
    assert (np.abs(distance[n + 2 :] - 1.0) < 1e-9).mean() > 0.3


def test_limits_of_angles_hold_over_turns():
    """A wheel at 50 rad/s, more than pi in a step, stops at two turns and a half; its limit is beyond what atan2 says."""
    model = one_body("wheel", "free", 1.0, inertia=(0.1, 0.1, 0.1), joint="free", gravity=(0.0, 0.0, 0.0))
    hinge = Hinge("axle", "world", "wheel")
    world = World(model, [hinge, Limit("stop", hinge.angle, upper=5.0 * np.pi)])
    q, v, error = motion(world, neutral(model), np.array([0, 0, 50.0, 0, 0, 0]), 0.07, 20)
    assert error <= 1.0
    n = int(5.0 * np.pi / 3.5)
    np.testing.assert_allclose(v[:n, 2], 50.0, rtol=1e-12)
    np.testing.assert_allclose(v[n + 1 :], 0.0, rtol=0, atol=1e-9)
    np.testing.assert_allclose(np.abs(q[-1, 6]), 1.0, rtol=0, atol=1e-9)  # half a turn: (0, 0, 0, 1)


def test_a_limit_with_restitution_gives_back_its_share():
    world = World(slider(), [Limit("stop", "j0", upper=0.5, restitution=0.6)])
    q, v, _ = motion(world, [0.0], [1.0], 1e-2, 100)
    assert q.max() <= 0.5 + 1e-12
    np.testing.assert_allclose(v[-1], -0.6, rtol=1e-11)


def test_a_limit_seen_through_rows_that_hold():
    """Two sliders are tied by a rod along their way, and one has a stop: both stop there, exactly."""
    model = slider(joints=2)
    rod = Rod("rod", Frame("b0"), Frame("b1", (1.0, 0.0, 0.0)), 1.0)
    world = World(model, [rod, Limit("stop", "j1", upper=0.5)])
    q, v, error = motion(world, [0.0, 0.0], [1.0, 1.0], 0.03, 30)
    assert error <= 1.0
    np.testing.assert_allclose(q[-1], 0.5, rtol=0, atol=1e-9)
    np.testing.assert_allclose(v[-1], 0.0, rtol=0, atol=1e-9)


def test_friction_of_a_joint_that_is_held_already_does_no_harm():
    """A row with a range that says what held rows say has no mobility of its own."""
    model = slider(joints=2, friction=1.0)
    world = World(model, [PrescribedMotion("still", "j0", Spline([0.0, 1.0], [0.0, 0.0]))])
    q, v, error = motion(world, [0.0, 0.0], [0.0, 0.0], 0.01, 20, torque=[3.0, 3.0])
    assert error <= 1.0
    np.testing.assert_allclose(q[:, 0], 0.0, rtol=0, atol=1e-10)
    np.testing.assert_allclose(v[-1, 1], 2.0 * 0.2, rtol=1e-9)


def test_a_motor_on_an_angle_and_on_a_length():
    """Measures between frames are driven as coordinates are."""
    b = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    b.add_body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.add_joint("turn", "revolute", parent="world", child="rotor", axis=(0, 0, 1))
    world = World(b.build(), [Motor("motor", Angle("world", "rotor"), speed=20.0, force=0.5)])
    _, v, _ = motion(world, [0.0], [0.0], 0.05, 100)
    np.testing.assert_allclose(v[:, 0], np.minimum(0.25 * np.arange(1, 101), 20.0), rtol=1e-9)
    model = slider()
    winch = World(model, [Motor("winch", Length("world", Frame("b0", (2.0, 0.0, 0.0))), speed=-0.5, force=1.0)])
    _, v, _ = motion(winch, [0.0], [0.0], 0.01, 100)
    np.testing.assert_allclose(v[:, 0], np.maximum(-0.01 * np.arange(1, 101), -0.5), rtol=1e-9)


def falling_links():
    """Three links with dry friction, which fall into their limits."""
    b = ModelBuilder(gravity=(0.0, 0.0, -10.0))
    for k in range(3):
        b.add_body(f"link {k}", mass=1.0, center_of_mass=(0.2, 0.0, 0.0), inertia=(0.01, 0.03, 0.03))
        b.add_joint(
            f"joint {k}", "revolute", parent="world" if k == 0 else f"link {k - 1}", child=f"link {k}", axis=(0, 1, 0),
            position=(0.4 if k else 0.0, 0, 0), friction=0.1 * (k + 1), lower_limit=-0.3, upper_limit=0.4,
        )  # fmt: skip
    return b.build()


@pytest.mark.parametrize("seed", [1, 2, None])
def test_a_world_without_constraints_moves_as_its_mechanism(seed):
    """All joint types, mimic ones too, with dry friction: two routes to the same steps, up to the first limit that acts.

    (Trees alone are slowed down behind impacts on limits where these would make energy; worlds are not.)
    """
    if seed is None:
        model, q, v, h, steps = falling_links(), np.zeros(3), np.zeros(3), 0.02, 25
    else:
        model = random_tree(6, seed, mimic=0.2, passive=True)
        rng = np.random.default_rng(seed)
        model = model.replace(friction=rng.uniform(0.0, 0.3, model.nv))
        q, v, h, steps = random_configuration(model, rng), rng.standard_normal(model.nv), 5e-3, 10
    alone = simulate(model, q, v, h * steps, h)
    q1, v1, error = motion(World(model), q, v, h, steps)
    assert error <= 1.0
    at_limit = np.isin(q1, (-0.3, 0.4)).any(axis=1)
    free = int(np.argmax(at_limit)) if seed is None else steps
    assert seed is not None or 0 < free < steps
    np.testing.assert_allclose(q1[:free], alone.q[1 : free + 1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(v1[:free], alone.v[1 : free + 1], rtol=0, atol=1e-7)
