"""Closing a mechanism: everything holds, limits and sides too, nothing nearer does, and what cannot be is said."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pluecker.articulated import (
    Model,
    ModelBuilder,
    crba,
    difference,
    forward_kinematics,
    integrate,
    random_configuration,
)
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.contact import ClosureError, ConstraintError, World
from pluecker.contact import constraints as c
from pluecker.spatial import UnknownNameError
from tests.models import free_bodies


def two_bars(**limits) -> Model:
    """A double pendulum of bars of 1 m in the plane x, y."""
    builder = ModelBuilder()
    for name, parent, x in (("upper", "world", 0.0), ("lower", "upper", 1.0)):
        builder.add_body(name, mass=1.0, center_of_mass=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
        options = limits if name == "upper" else {}
        builder.add_joint(name, "revolute", parent, name, axis=(0, 0, 1), position=(x, 0, 0), **options)
    return builder.build()


def nail(x, y):
    """Constrain the end of the lower bar to a vertical line."""
    return c.PointOnLine("nail", ("world", (x, y, 0)), ("lower", (1.0, 0, 0)))


@pytest.mark.parametrize("start", [(0.3, 1.0), (-0.2, 2.0), (0.0, 0.0)])
def test_a_triangle_closes_as_geometry_says(start):
    """Bars of 1 m to a point at the distance d: the elbow turns by pi - 2 asin(d / 2)."""
    d = np.hypot(1.2, 0.5)
    closed = World(two_bars(), [nail(1.2, 0.5)]).close(start)
    bend = np.pi - 2.0 * np.arcsin(d / 2.0)
    elbow = closed.configuration[1]
    assert_allclose(abs(elbow), bend, atol=1e-10)
    assert_allclose(closed.configuration[0], np.arctan2(0.5, 1.2) - elbow / 2.0, atol=1e-10)
    assert closed.residual <= 1e-11


def test_limits_choose_the_other_elbow():
    """The shoulder is kept above the line to the point, so that the elbow has to bend downwards."""
    line = np.arctan2(0.5, 1.2)
    for world in (
        World(two_bars(lower_limit=line, upper_limit=2.0), [nail(1.2, 0.5)]),
        World(two_bars(), [nail(1.2, 0.5), c.Limit("stop", "upper", lower=line)]),
    ):
        closed = world.close([0.1, 1.0]).configuration
        assert closed[0] > line
        assert closed[1] < 0.0
        assert world.rows_at(closed).error[:2] == pytest.approx(0.0, abs=1e-11)


def test_a_limit_is_touched_where_the_nearest_configuration_is_beyond():
    """One equation for two angles, so that a curve is left: on it the nearest point within a limit."""
    level = c.PointInPlane("level", c.Frame("world", (0, 1.0, 0), [[1, 0, 0], [0, 0, 1], [0, -1, 0]]), "tip")
    builder = ModelBuilder()
    for name, parent, x in (("upper", "world", 0.0), ("lower", "upper", 1.0)):
        builder.add_body(name, mass=1.0, center_of_mass=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
        builder.add_joint(name, "revolute", parent, name, axis=(0, 0, 1), position=(x, 0, 0))
    builder.add_frame("tip", "lower", position=(1, 0, 0))
    model = builder.build()
    unlimited = World(model, [level]).close([0.2, 0.1]).configuration
    stop = unlimited[1] - 0.1
    closed = World(model, [level, c.Limit("stop", "lower", upper=stop)]).close([0.2, 0.1]).configuration
    assert_allclose(closed[1], stop, atol=1e-11)
    assert_allclose(np.sin(closed[0]) + np.sin(closed.sum()), 1.0, atol=1e-11)


def test_nothing_is_nearer():
    """One equation leaves a curve, on which both neighbours are farther from the start, in the metric of H."""
    model = free_bodies(["body0"], inertia=(0.1, 0.2, 0.25))
    world = World(model, [c.Ball("ball", "world", ("body0", (0.3, 0.2, 0.1)))])
    rng = np.random.default_rng(2)
    start = random_configuration(model, rng)
    H = crba(model, start)
    closed = world.close(start).configuration

    def energy(q):
        d = difference(model, start, q)
        return 0.5 * d @ H @ d

    least = energy(closed)
    for _ in range(10):
        aside = world.close(integrate(model, closed, 1e-3 * rng.standard_normal(6))).configuration
        assert energy(aside) >= least - 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_axes_are_not_turned_around(seed):
    """Starts are anywhere: z meets z of a hinge, and all axes of a fixed joint meet."""
    model = free_bodies(["body0", "body1"], inertia=(0.1, 0.2, 0.25))
    world = World(model, [c.Hinge("hinge", "world", "body0"), c.Fixed("weld", ("body0", (1, 0, 0)), "body1")])
    closed = world.close(random_configuration(model, np.random.default_rng(seed)))
    _, x, y, _ = closed.configuration[3:7]
    assert_allclose(1.0 - 2.0 * (x * x + y * y), 1.0, atol=1e-10)
    turn = difference(model, closed.configuration, np.concatenate([closed.configuration[7:], closed.configuration[7:]]))
    assert_allclose(turn[:3], 0.0, atol=1e-10)
    assert_allclose(np.linalg.norm(turn[3:6]), 1.0, atol=1e-10)


def limited_arm():
    """Three links in a plane, whose joints have limits."""
    builder = ModelBuilder()
    for name, parent, x, most in (("a", "world", 0.0, 0.25), ("b", "a", 1.0, 1.5), ("d", "b", 1.0, 2.0)):
        builder.add_body(name, mass=1.0, center_of_mass=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
        limits = {"lower_limit": -most, "upper_limit": most}
        builder.add_joint(name, "revolute", parent, name, axis=(0, 0, 1), position=(x, 0, 0), **limits)
    return builder.build()


@pytest.mark.parametrize(
    ("start", "limited"), [((0.3, 1.0, 0.2), {}), ((-0.2, 1.2, -0.3), {0: -0.25}), ((0.2, 0.2, 0.2), {2: 2.0})]
)
def test_what_is_said_twice_closes_as_what_is_said_once(start, limited):
    """Rows that depend on each other leave the same configurations, some of them at limits."""
    model = limited_arm()
    line = c.PointOnLine("line", ("world", (1.6, 0.9, 0)), ("d", (1.0, 0, 0)))
    ball = c.Ball("ball", ("world", (1.6, 0.9, 0)), ("d", (1.0, 0, 0)))  # and a row that no joint can move
    closed = World(model, [line]).close(start).configuration
    assert {k: closed[k] for k in limited} == pytest.approx(limited, abs=1e-11)
    assert_allclose(World(model, [line, ball]).close(start).configuration, closed, atol=1e-9)


@pytest.mark.parametrize("start", [(0.3, 1.0, 0.2), (0.25, 1.0, 0.0)])
def test_a_limit_that_was_met_on_the_way_leaves_the_nearest_configuration(start):
    """The first step towards it ends at the limit of the last joint, the nearest configuration is inside.

    There ``M d = J^T x`` with multipliers of the two rows alone.
    """
    model = limited_arm()
    world = World(model, [c.PointOnLine("line", ("world", (1.6, 0.9, 0)), ("d", (1.0, 0, 0)))])
    found = world.close(start).configuration
    assert (np.abs(found) < [0.25, 1.5, 2.0]).all()
    force, J = crba(model, start) @ (found - start), world.rows_at(found).jacobian[:2]
    left = force - J.T @ np.linalg.lstsq(J.T, force, rcond=None)[0]
    assert_allclose(left, 0.0, atol=1e-8 * np.abs(force).max())


@pytest.mark.parametrize("start", [(0.3, 1.0, 0.2), (-0.2, 1.2, -0.3), (0.2, 0.2, 0.2)])
def test_functions_of_python_close_as_constraints_of_the_package_do(start):
    """The end of the arm is on a vertical line, by its coordinates x and y."""
    model = limited_arm()

    def coordinate(name, function, derivative, value):
        """Sum a function of the angles of links, each of 1 m, and its gradient."""
        return c.UserFunction(
            name,
            lambda q: sum(function(np.cumsum(q))) - value,
            lambda q: np.cumsum(derivative(np.cumsum(q))[::-1])[::-1],
        )

    own = coordinate("x", np.cos, lambda a: -np.sin(a), 1.6), coordinate("y", np.sin, np.cos, 0.9)
    line = c.PointOnLine("line", ("world", (1.6, 0.9, 0)), ("d", (1.0, 0, 0)))
    assert_allclose(
        World(model, own).close(start).configuration, World(model, [line]).close(start).configuration, atol=1e-9
    )


@pytest.mark.parametrize("seed", [13, 46, 72, 85, 100])
def test_an_arm_reaches_a_pose_that_it_can_reach_from_wherever_it_is(seed):
    """Seed and goal are anywhere within the limits, which end most ways to the goal that begin near the seed."""
    arm = Model.from_urdf(SEVEN_JOINT_ARM)
    q, goal = np.random.default_rng(seed).uniform(arm.lower_limit, arm.upper_limit, (2, 7))
    pose = forward_kinematics(arm, goal, ["flange"])[0]
    world = World(arm, [c.Fixed("pose", c.Frame("world", pose[:3, 3], pose[:3, :3]), "flange")])
    found = world.close(q).configuration
    assert_allclose(forward_kinematics(arm, found, ["flange"])[0], pose, atol=1e-10)
    assert ((found >= arm.lower_limit - 1e-10) & (found <= arm.upper_limit + 1e-10)).all()


def test_exactly_turned_around_is_no_solution():
    world = World(free_bodies(["body0"], inertia=(0.1, 0.2, 0.25)), [c.Hinge("hinge", "world", "body0")])
    closed = world.close([0, 0, 0, 0, 1, 0, 0]).configuration
    assert_allclose(2.0 * (closed[4] ** 2 + closed[5] ** 2), 0.0, atol=1e-12)


def test_velocities_are_the_nearest_that_the_constraints_allow():
    world = World(two_bars(), [nail(1.2, 0.5)])
    closed = world.close([0.3, 1.0], [1.0, 2.0])
    assert_allclose(world.rows_at(closed.configuration).jacobian @ closed.velocity, 0.0, atol=1e-12)
    assert_allclose(closed.velocity, 0.0, atol=1e-12)
    loose = World(two_bars(), [c.Coupling("gear", {"upper": 2.0, "lower": -1.0})])
    assert_allclose(loose.close([0.1, 0.2], [1.0, 2.0]).velocity, [1.0, 2.0], atol=1e-12)


def test_joints_that_are_fixed_stay():
    world = World(two_bars(), [c.Coupling("gear", {"upper": 2.0, "lower": -1.0})])
    assert_allclose(world.close([0.3, 1.0], fixed="upper").configuration, [0.3, 0.6], atol=1e-12)
    assert_allclose(world.close([0.3, 1.0], fixed=["lower"]).configuration, [0.5, 1.0], atol=1e-12)


def test_motions_are_met_at_the_time_that_is_asked_for():
    drive = c.PrescribedMotion("drive", "upper", c.Spline([0.0, 1.0, 2.0], [0.1, 0.5, 0.2]))
    world = World(two_bars(), [drive])
    for t, value in ((0.0, 0.1), (1.0, 0.5), (2.0, 0.2)):
        assert_allclose(world.close([0.0, 0.3], time=t).configuration[0], value, atol=1e-12)


def test_velocities_are_those_of_motions_and_of_what_hangs_on_them():
    """A driven bar, and one that is geared to it 2 : -1."""
    path = c.Spline([0.0, 1.0, 2.0], [0.1, 0.5, 0.2])
    gear = c.Coupling("gear", {"upper": 2.0, "lower": -1.0})
    world = World(two_bars(), [c.PrescribedMotion("drive", "upper", path), gear])
    for v in (None, [3.0, -1.0]):
        rate = path.at(0.5)[1]
        assert_allclose(world.close([0.0, 0.3], v, time=0.5).velocity, [rate, 2.0 * rate], rtol=1e-12)


@pytest.mark.slow
def test_what_cannot_close_is_an_error_with_the_best_that_was_found():
    """Bars of 1 m do not reach a point at 2.5 m: the best is half a metre off, in one direction or shared by two rows."""
    world = World(two_bars(), [nail(2.5, 0.0)])
    with pytest.raises(ClosureError, match=r"'nail' is off by 0\.5") as caught:
        world.close([0.2, 0.3])
    error = caught.value
    assert error.constraint == "nail"
    assert_allclose(error.residual, 0.5, atol=1e-3)
    assert_allclose(np.abs(world.rows_at(error.q).error).max(), error.residual, atol=1e-12)
    again = pickle.loads(pickle.dumps(error))
    assert (again.constraint, again.residual, str(again)) == (error.constraint, error.residual, str(error))


@pytest.mark.slow
def test_limits_that_leave_no_room_are_an_error():
    world = World(two_bars(), [nail(1.2, 0.5), c.Limit("stop", "lower", -0.5, 0.5)])
    with pytest.raises(ClosureError, match="no configuration"):
        world.close([0.2, 0.3])


def chain_on_a_rod(mass):
    """Three links that hang from the ceiling, and a rod between the last one and the ceiling."""
    builder, size = ModelBuilder(), 0.3
    for k in range(3):
        builder.add_body(
            f"b{k}", mass, center_of_mass=(0, 0, -size / 2), inertia=(0.02 * mass, 0.02 * mass, 0.01 * mass)
        )
        parent, place = (f"b{k - 1}", -size) if k else ("world", 0.0)
        builder.add_joint(f"j{k}", "revolute", parent, f"b{k}", axis=(0, 1, 0), position=(0, 0, place))
    return World(builder.build(), [c.Rod("r", ("b2", (0, 0, -size)), ("world", (0.3, 0, -0.5)), length=0.4)])


@pytest.mark.plain
@pytest.mark.parametrize("mass", [1e-300, 1e-20, 1e30, 1e100, 1e300])
def test_nothing_depends_on_the_unit_of_mass(mass):
    """The configuration that closes, the velocity with it, accelerations and impacts are those of links of 1 kg."""
    q, v = np.array([0.3, 0.4, 0.5]), np.array([0.1, -0.2, 0.3])
    world, usual = chain_on_a_rod(mass), chain_on_a_rod(1.0)
    found, expected = world.close(q, v), usual.close(q, v)
    assert_allclose(found.configuration, expected.configuration, atol=1e-9)
    assert_allclose(found.velocity, expected.velocity, atol=1e-9)
    assert_allclose(world.impact(q, v).velocity, usual.impact(q, v).velocity, atol=1e-12)
    now, then = (w.accelerations(q, v, np.zeros(3)).acceleration for w in (world, usual))
    assert_allclose(now, then, rtol=1e-10)


@pytest.mark.plain
@pytest.mark.parametrize(("length", "mass"), [(1e150, 1e-300), (1e150, 1.0), (1e-150, 1e300)])
def test_lengths_and_masses_at_the_ends_of_float64_close_or_are_an_error_without_a_warning(length, mass, capfd):
    builder = ModelBuilder()
    for k in range(3):
        builder.add_body(f"b{k}", mass, inertia=(mass * length * length,) * 3)
        parent = f"b{k - 1}" if k else "world"
        builder.add_joint(f"j{k}", "revolute", parent, f"b{k}", axis=(0, 1, 0), position=(0, 0, -length))
    loop = c.Ball("loop", ("world", (length, 0, 0)), ("b2", (0, 0, -length)))
    world = World(builder.build(), [loop])
    try:
        closed = world.close([0.3, 0.2, -0.5])
    except ConstraintError as error:
        assert "the numbers overflow float64" in str(error)  # noqa: PT017 - either may be
    else:
        assert_allclose(world.rows_at(closed.configuration).error, 0.0, atol=max(1e-9 * length, 1e-9))
    assert capfd.readouterr().err == ""


def test_arguments_that_cannot_be():
    world = World(two_bars(), [nail(1.2, 0.5)])
    with pytest.raises(ConstraintError, match=r"q has shape \(3,\)"):
        world.close([0.0, 0.0, 0.0])
    with pytest.raises(ConstraintError, match="tol is 0"):
        world.close([0.0, 0.0], tol=0.0)
    with pytest.raises(UnknownNameError, match="fixed"):
        world.close([0.0, 0.0], fixed="elbow")


def test_what_is_of_another_kind_is_refused_in_the_words_of_the_function():
    world = World(two_bars(), [nail(1.2, 0.5)])
    with pytest.raises(TypeError, match=r"World\.close.*tol"):
        world.close([0.0, 0.0], tol="small")
    with pytest.raises(TypeError, match=r"World\.close: fixed"):
        world.close([0.0, 0.0], fixed=3)
    with pytest.raises(ValueError, match=r"World\.close: q"):
        world.close([np.nan, 0.0])
    with pytest.raises(ValueError, match=r"World\.determined: active"):
        world.determined([0.0, 0.0], active=[1])
    twin = world.maximal()
    with pytest.raises(ValueError, match=r"Maximal\.forces: tau"):
        twin.forces([0.0, 0.0], [1.0])
    with pytest.raises(ValueError, match=r"Maximal\.back"):
        twin.back([0.0], [0.0])
    with pytest.raises(ValueError, match="reference has shape"):
        world.maximal([0.0])


@pytest.mark.parametrize("seed", range(4))
def test_the_way_of_an_arm_to_its_pose_has_no_part_that_constraints_allow(seed):
    """``M d = J^T x`` at the nearest configuration: converged quadratically, so far beyond the tolerance of a search."""
    builder, rng = ModelBuilder(), np.random.default_rng(seed)
    for k in range(7):
        name, parent = f"link{k}", f"link{k - 1}" if k else "world"
        builder.add_body(name, mass=2.0, center_of_mass=(0, 0, 0.1), inertia=(0.02, 0.02, 0.01))
        builder.add_joint(name, "revolute", parent, name, axis=np.eye(3)[1 + (k + 1) % 2], position=(0, 0, 0.2))
    model, q = builder.build(), np.array([0.1, 0.4, 0.2, -1.2, 0.1, 0.9, 0.3])
    goal = forward_kinematics(model, q + 0.3 * rng.standard_normal(7), ["link6"])[0]
    world = World(model, [c.Fixed("pose", c.Frame("world", goal[:3, 3], goal[:3, :3]), "link6")])
    found = world.close(q).configuration
    force, J = crba(model, q) @ (found - q), world.rows_at(found).jacobian
    left = force - J.T @ np.linalg.lstsq(J.T, force, rcond=None)[0]
    assert_allclose(left, 0.0, atol=1e-8 * np.abs(force).max())
