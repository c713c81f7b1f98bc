"""Motions over time: the record, and the kernel that steps read."""

import numpy as np
import pytest

from pluecker.articulated import random_tree
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.fields import Field
from pluecker.contact.constraints import Motor, PrescribedMotion, Servo, Spline
from pluecker.contact.rows.packing import pack_constraints
from pluecker.contact.rows.prescribed import has_motion, prescribed
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.scalars.operations import load, store

KNOTS = Spline([0.0, 0.5, 1.5, 2.0], [0.1, 0.7, -0.2, 0.4], start_speed=0.5, end_speed=-1.0)


@kernel
def motion_kernel(m, w, q, v, out, ws):
    """Of the rows, all with a motion but the last, at the time v[0]"""
    t = load(v, 0)
    for k in range(3):
        s, ds, dds = prescribed(w, k, t)
        store(out, 4 * k, s)
        store(out, 4 * k + 1, ds)
        store(out, 4 * k + 2, dds)
        store(out, 4 * k + 3, 0.0 * t + (1.0 if has_motion(w, k) else 0.0))


MOTION = Algorithm(
    "motion of rows",
    motion_kernel,
    inputs=("q", "v"),
    outputs=(Field("motion", (12,)),),
    constants=lambda model, packed: packed.array,
    workspace=lambda model, packed: 0,
    listed=False,
)


def test_the_kernel_gives_what_the_record_says_in_batches_too():
    model = random_tree(1, 0, joints=["revolute"])
    name = model.joint_names[0]
    line = Spline([0.0, 1.0], [0.0, 4.0], start_speed=4.0, end_speed=4.0)
    records = [PrescribedMotion("a", name, KNOTS), Servo("b", name, line, 10.0), Motor("c", name, 1.0, 2.0)]
    packed = pack_constraints(model, [each.parts(model) for each in records])
    (a,), (b,), (last,) = packed.rows
    times = np.linspace(-1.0, 3.0, 41)
    out = MOTION.call(model, (np.zeros(1), times[:, None]), None, None, (packed,)).reshape(-1, 3, 4)
    for row, motion in ((a, KNOTS), (b, line)):
        expected = np.array([motion.at(t) for t in times])
        np.testing.assert_allclose(out[:, row, :3], expected, rtol=1e-13, atol=1e-13)
        assert (out[:, row, 3] == 1.0).all()
    assert not out[:, last].any()


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
