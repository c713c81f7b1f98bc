"""Starts of motions: inside of hard position limits, or where a motion has ended before; and warnings about them."""

import warnings

import numpy as np
import pytest

from pluecker.articulated import (
    Control,
    JointLimits,
    LimitWarning,
    Model,
    ModelBuilder,
    PDControl,
    TimeTable,
    neutral,
    simulate,
)
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.spatial import ArgumentTypeError, ArgumentValueError

H = 1e-2
REST = np.zeros(2)


@pytest.fixture(scope="module")
def crane():
    """A boom on a hinge, held by limits around -1, and a trolley on it, between 0 and 2 m."""
    builder = ModelBuilder("crane")
    builder.add_body("boom", mass=2.0, center_of_mass=(1.0, 0, 0), inertia=(0.1, 0.7, 0.7))
    builder.add_joint(
        "luff", "revolute", "world", "boom", axis=(0, 1, 0), lower_limit=-1.76, upper_limit=-0.07, velocity_limit=2.0,
        effort_limit=100.0,
    )  # fmt: skip
    builder.add_body("trolley", mass=1.0, inertia=(0.1, 0.1, 0.1))
    builder.add_joint("run", "prismatic", "boom", "trolley", axis=(1, 0, 0), lower_limit=0.0, upper_limit=2.0)
    return builder.build()


def test_a_start_outside_of_a_limit_is_refused_with_joint_value_and_limits(crane):
    with pytest.raises(
        ArgumentValueError, match=r"^simulate: joint 'luff' begins at 0 rad, outside .* \[-1\.76, -0\.07\];"
    ) as e:
        simulate(crane, neutral(crane), REST, H, H)
    assert "degrees" not in str(e.value)
    with pytest.raises(
        ArgumentValueError, match=r"joint 'run' begins at 2\.5 m, outside of its limits \[0, 2\]; begin"
    ):
        simulate(crane, [-1.0, 2.5], REST, H, H)
    with pytest.raises(ArgumentValueError, match=r"outside_limits is 'no', expected one of raise, allow, clip"):
        simulate(crane, [-1.0, 0.5], REST, H, H, outside_limits="no")


def test_degrees_are_taken_for_what_they_are(crane):
    with pytest.raises(
        ArgumentValueError, match=r"'luff' begins at -100 rad.*radians, and -100 degrees are -1\.745 rad"
    ):
        simulate(crane, [-100.0, 0.5], REST, H, H)
    with pytest.raises(ArgumentValueError, match=r"'run' begins at 100 m") as error:
        simulate(crane, [-1.0, 100.0], REST, H, H)
    assert "degrees" not in str(error.value)


def test_the_first_state_of_a_batch_that_is_outside_is_named(crane):
    q = np.tile([-1.0, 0.5], (2, 3, 1))
    q[1, 0, 1], q[1, 2, 0] = -0.1, 0.0
    with pytest.raises(ArgumentValueError, match=r"joint 'run' begins in state 1, 0 of the batch at -0\.1 m"):
        simulate(crane, q, REST, H, H)


def test_a_start_outside_is_let_in_or_brought_to_the_limit_where_that_is_asked_for(crane):
    q = np.array([0.2, 2.5])
    allowed = simulate(crane, q, REST, H, H, outside_limits="allow")
    np.testing.assert_array_equal(allowed.q[0], q)
    clipped = simulate(crane, q, REST, H, H, outside_limits="clip")
    np.testing.assert_array_equal(clipped.q[0], [-0.07, 2.0])
    np.testing.assert_array_equal(q, [0.2, 2.5])
    inside = simulate(crane, [-1.0, 0.5], REST, H, H)
    np.testing.assert_array_equal(simulate(crane, [-1.0, 0.5], REST, H, H, outside_limits="clip").q, inside.q)


@pytest.mark.parametrize("integrator", ["semi_implicit", pytest.param("dormand_prince", marks=pytest.mark.plain)])
def test_a_motion_that_ends_at_a_limit_goes_on_from_there(crane, integrator):
    q, v = np.array([-0.2, 1.9]), np.zeros(2)
    for _ in range(4):  # the boom falls into its upper limit, and the trolley into its own
        motion = simulate(crane, q, v, 10 * H, H, integrator=integrator)
        q, v = motion.q[-1], motion.v[-1]
        simulate(crane, q.astype(np.float32), v, H, H, integrator=integrator)  # as they are often kept
    assert abs(q[0] + 0.07) < 1e-12


def test_rounding_is_that_of_float32_and_no_more(crane):
    for beyond, good in ((1.2e-7, True), (1e-6, False)):
        q = [-0.07 + beyond, 0.5]
        if good:
            assert simulate(crane, q, REST, H, H).q[0, 0] == q[0]
        else:
            with pytest.raises(ArgumentValueError, match=r"'luff' begins at -0\.069999 rad"):
                simulate(crane, q, REST, H, H)


def test_a_soft_limit_may_be_passed_and_a_hard_one_beside_it_may_not(crane):
    soft = JointLimits(stiffness=[50.0, np.inf])
    motion = simulate(crane, [-0.1, 0.5], REST, 20 * H, H, limits=soft)
    assert motion.q[-1, 0] > -0.05
    simulate(crane, motion.q[-1], motion.v[-1], H, H, limits=soft)
    with pytest.raises(ArgumentValueError, match="joint 'run' begins at 2\\.5 m"):
        simulate(crane, [0.3, 2.5], REST, H, H, limits=soft)


def test_limits_that_do_not_hold_say_nothing_of_the_start(crane):
    for options in ({"limits": False}, {"limits": False, "integrator": "rk4"}, {"integrator": "rk4"}):
        if "integrator" not in options:
            assert simulate(crane, [1.0, -3.0], REST, H, H, **options).q[0, 1] == -3.0
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            simulate(crane, [1.0, -3.0], REST, H, H, **options)


def test_the_neutral_configuration_within_limits_is_the_nearest_one(crane):
    np.testing.assert_array_equal(neutral(crane), [0.0, 0.0])
    np.testing.assert_array_equal(neutral(crane, within_limits=True), [-0.07, 0.0])
    arm = Model.from_urdf(SEVEN_JOINT_ARM)
    q = neutral(arm, within_limits=True)
    assert (q >= arm.lower_limit).all()
    assert (q <= arm.upper_limit).all()
    assert np.count_nonzero(q) == 1
    with pytest.raises(ArgumentTypeError, match="neutral: within_limits is 'yes', expected True or False"):
        neutral(crane, within_limits="yes")


def warned(model, *arguments, **options):
    """Return the messages of all warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        simulate(model, *arguments, H, H, **options)
    assert all(issubclass(each.category, LimitWarning) and each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught]


def test_velocities_and_joint_forces_above_their_limits_are_warned_of_once(crane):
    q = np.array([-1.0, 0.5])
    fast, slow = warned(crane, q, [2.5, 1e6]), warned(crane, q, [-2.0, 1e6])
    assert fast == ["simulate: coordinate 'luff' begins at 2.5, its velocity_limit is 2; no step keeps it"]
    assert not slow
    strong = "simulate: coordinate 'luff' is given -101, its effort_limit is 100; Control(..., clip=True) keeps it"
    forces = np.array([-101.0, 1e5])
    for control in (forces, TimeTable([0.0, 1.0], [0.0 * forces, forces]), Control(forces, period=H)):
        assert warned(crane, q, REST, control=control) == [strong]
    assert not warned(crane, q, REST, control=Control(forces, clip=True))
    assert not warned(crane, q, REST, control=PDControl(1e3, 1.0, q=q))
    (both,) = warned(crane, q, [3.0, 0.0], control=forces)
    assert "velocity_limit" in both
    assert "effort_limit" in both
    assert not warned(crane.replace(velocity_limit=np.inf, effort_limit=0.0), q, [3.0, 0.0], control=forces)
