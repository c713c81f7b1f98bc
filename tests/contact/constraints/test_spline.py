"""Motions over time: the record, and rows that follow it."""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder
from pluecker.contact import World
from pluecker.contact.constraints import PrescribedMotion, Servo, Spline

KNOTS = Spline([0.0, 0.5, 1.5, 2.0], [0.1, 0.7, -0.2, 0.4], start_speed=0.5, end_speed=-1.0)


PATH = Spline(0.4 + np.array(KNOTS.times), KNOTS.values, start_speed=0.5, end_speed=-1.0)


def follow(**options):
    """A motion with a row that holds and a spring and a damper, both along the path; from before its knots to behind."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for k in range(2):
        builder.add_body(f"block {k}", mass=2.0)
        builder.add_joint(f"slide {k}", "prismatic", parent="world", child=f"block {k}", axis=(1, 0, 0))
    drives = [PrescribedMotion("drive", "slide 0", PATH), Servo("servo", "slide 1", PATH, stiffness=10.0, damping=1.0)]
    world, start = World(builder.build(), drives), PATH.at(0.0)
    motion = world.simulate([start[0], 0.0], [start[1], 0.0], 3.0, 0.05, integrator="rk4", **options)
    return motion, np.array([PATH.at(t) for t in motion.time]).T


def test_a_row_that_holds_has_the_place_and_the_speed_of_the_record_at_each_time():
    motion, (s, ds, _) = follow(record=())
    np.testing.assert_allclose(motion.q[:, 0], s, atol=1e-12)
    np.testing.assert_allclose(motion.v[:, 0], ds, atol=1e-12)


@pytest.mark.plain
def test_a_row_that_holds_has_its_acceleration_and_a_servo_pulls_to_its_place_and_speed():
    motion, (s, ds, dds) = follow(record=("a", "constraint_forces"))
    np.testing.assert_allclose(motion.a[:, 0], dds, atol=1e-9)
    pull = -10.0 * (motion.q[:, 1] - s) - 1.0 * (motion.v[:, 1] - ds)
    np.testing.assert_allclose(motion.columns["constraint_forces"][:, 1], pull, atol=1e-9)


def test_it_goes_through_the_knots_and_on_at_the_speeds_of_the_ends():
    for t, s in zip(KNOTS.times, KNOTS.values, strict=True):
        assert KNOTS.at(t)[0] == pytest.approx(s, abs=1e-15)
    assert KNOTS.at(-2.0)[:2] == pytest.approx((0.1 - 2.0 * 0.5, 0.5))
    assert KNOTS.at(4.0)[:2] == pytest.approx((0.4 - 2.0 * 1.0, -1.0))
    eps = 1e-9
    for k, t in enumerate(KNOTS.times):
        before, after = KNOTS.at(t - eps), KNOTS.at(t + eps)
        assert before[1] == pytest.approx(after[1], abs=1e-7)
        if 0 < k < 3:
            assert before[2] == pytest.approx(after[2], abs=1e-6)


def test_a_straight_one_is_straight():
    line = Spline([0.0, 1.0, 5.0], [1.0, 3.0, 11.0], start_speed=2.0, end_speed=2.0)
    for t in (-1.0, 0.3, 2.0, 7.0):
        assert line.at(t) == pytest.approx((1.0 + 2.0 * t, 2.0, 0.0), abs=1e-13)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [0.0]), r"times has shape \(1,\)"),
        (([0.0, 1.0], [0.0]), r"values has shape \(1,\)"),
        (([0.0, 1.0], [0.0, 1.0, 2.0]), "2 times and 3 values"),
        (([0.0, 0.0], [0.0, 1.0]), r"times\[1\] is 0 after 0"),
        (([0.0, np.nan], [0.0, 1.0]), r"times\[1\] is nan"),
        (([0.0, 1.0], [np.inf, 1.0]), r"values\[0\] is inf"),
        (([0.0, 1.0], [0.0, 1.0], np.nan), "start_speed is NaN"),
    ],
)
def test_what_is_no_motion_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Spline(*arguments)
