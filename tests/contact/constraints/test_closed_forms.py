"""Transmissions against textbook formulas: velocities that their rows allow, and forces that they make."""

import math

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, neutral, random_configuration
from pluecker.contact import constraints as c
from pluecker.spatial import quaternion_to_rotation
from tests.contact.constraints.records import free_bodies
from tests.contact.constraints.rows import rows_of

ROUNDING = {"rtol": 1e-13, "atol": 1e-13}


def wheels(**places):
    """Bodies that turn about z: each has a parent and the position of its hinge there, or a rotation of it too."""
    builder = ModelBuilder()
    for name, (parent, position, *rotation) in places.items():
        builder.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        options = {"rotation": rotation[0]} if rotation else {}
        builder.add_joint(name, "revolute", parent=parent, child=name, axis=(0, 0, 1), position=position, **options)
    return builder.build()


def null_space(J):
    """The one velocity that the rows allow, its first entry 1."""
    _, s, vectors = np.linalg.svd(J)
    assert s[-1] > 1e-6
    return vectors[-1] / vectors[-1, 0]


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.2])
@pytest.mark.parametrize("a", [0.0, 0.3, 1.0, 1.5])
def test_universal_joint_has_the_velocity_ratio_of_cardan(angle, a):
    s, k = math.sin(angle), math.cos(angle)
    tilt = np.array([[k, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, k]])
    model = wheels(drive=("world", (0, 0, 0)), driven=("world", (0, 0, 0), tilt))
    q = np.array([a, math.atan2(math.sin(a), k * math.cos(a))])  # tan(driven) = tan(drive) / cos(angle)
    rows = rows_of(model, [c.Universal("joint", "drive", "driven")], q, np.zeros(2))
    np.testing.assert_allclose(rows.errors, 0.0, atol=1e-15)
    np.testing.assert_allclose(rows.J[:3], 0.0, atol=1e-15)
    ratio = -rows.J[3, 0] / rows.J[3, 1]
    assert ratio == pytest.approx(k / (1.0 - (s * math.cos(a)) ** 2), rel=1e-13)


def test_screw_moves_by_its_pitch():
    model = free_bodies(1)
    screw = c.Screw("screw", "world", "body0", pitch=0.02, offset=0.3)
    for turn in (-3.0, -0.5, 0.0, 2.0):
        q = neutral(model)
        q[2], q[3], q[6] = 0.3 + 0.02 * turn, math.cos(0.5 * turn), math.sin(0.5 * turn)
        rows = rows_of(model, [screw], q, np.zeros(6))
        np.testing.assert_allclose(rows.errors, 0.0, atol=1e-15)
        np.testing.assert_allclose(null_space(rows.J[:, [2, 0, 1, 3, 4, 5]]), [1, 0, 0, 0, 0, 0.02], **ROUNDING)
        # its force: along the axis, with the moment -pitch; what it takes to lift a load F is pitch F
        np.testing.assert_allclose(rows.J[4], [0, 0, -0.02, 0, 0, 1.0], **ROUNDING)


def test_gears_turn_in_proportion_to_their_radii_in_any_configuration():
    model = wheels(first=("world", (0, 0, 0)), second=("world", (0.5, 0, 0)))
    gear = c.Gear.at(
        "gear", model, [0.2, 0.7], "first", "second", (0, 0, 0), (0.5, 0, 0), first_radius=0.2, second_radius=0.3
    )
    rows = rows_of(model, [gear], [0.2, 0.7], np.zeros(2))
    np.testing.assert_allclose(rows.errors, 0.0, atol=1e-15)
    for q in ([0.2, 0.7], [1.0, -2.0]):
        np.testing.assert_allclose(rows_of(model, [gear], q, np.zeros(2)).J, [[0.2, 0.3]], **ROUNDING)
    moved = rows_of(model, [gear], [0.2 + 0.3, 0.7 - 0.2], np.zeros(2))
    np.testing.assert_allclose(moved.errors, 0.0, atol=1e-15)


def test_planetary_gears_obey_willis():
    # sun (0.1), planets (0.15) on an arm, ring (0.4) in the world: sun / arm = 1 + ring / sun
    model = wheels(sun=("world", (0, 0, 0)), arm=("world", (0, 0, 0)), planet=("arm", (0.25, 0, 0)))
    q = np.array([0.4, 0.9, -0.3])
    center = 0.25 * np.array([math.cos(0.9), math.sin(0.9), 0.0])
    inner = c.Gear.at("sun", model, q, "sun", "planet", (0, 0, 0), center, first_radius=0.1, second_radius=0.15)
    outer = c.Gear.at(
        "ring", model, q, "planet", "world", center, (0, 0, 0), first_radius=0.15, second_radius=0.4, internal=True,
        pressure_angle=0.35,
    )  # fmt: skip
    rows = rows_of(model, [inner, outer], q, np.zeros(3))
    np.testing.assert_allclose(rows.errors, 0.0, atol=1e-15)
    speeds = null_space(rows.J)
    assert speeds[0] / speeds[1] == pytest.approx(1.0 + 0.4 / 0.1, rel=1e-13)
    # the planet against the arm: as the sun against the arm, by radii, backwards
    assert speeds[2] == pytest.approx(-(speeds[0] - speeds[1]) * 0.1 / 0.15, rel=1e-12)


@pytest.mark.parametrize("crossed", [False, True])
def test_belts_turn_pulleys_on_an_arm(crossed):
    model = wheels(arm=("world", (0, 0, 0)), first=("arm", (0, 0, 0)), second=("arm", (0.8, 0, 0)))
    q = np.array([0.3, 0.1, -0.4])
    center = 0.8 * np.array([math.cos(0.3), math.sin(0.3), 0.0])
    belt = c.Belt.at(
        "belt", model, q, "first", "second", (0, 0, 0), center, first_radius=0.1, second_radius=0.25, crossed=crossed
    )
    rows = rows_of(model, [belt], q, np.zeros(3))
    np.testing.assert_allclose(rows.errors, 0.0, atol=1e-15)
    np.testing.assert_allclose(rows.J, [[0.0, 0.1, 0.25 if crossed else -0.25]], **ROUNDING)


def wrenches(model, q, J):
    """Return the force on each free body in the world, and the moment about the world's origin."""
    found = []
    for k in range(model.n_bodies):
        x, R = q[7 * k : 7 * k + 3], quaternion_to_rotation(q[7 * k + 3 : 7 * k + 7])
        f = R @ J[6 * k + 3 : 6 * k + 6]
        found.append((f, R @ J[6 * k : 6 * k + 3] + np.cross(x, f)))
    return found


@pytest.mark.parametrize(("radii", "internal"), [((0.2, 0.3), False), ((0.2, 0.5), True)])
@pytest.mark.parametrize("alpha", [0.0, math.radians(20.0), -math.radians(25.0)])
def test_tooth_forces_are_inclined_by_the_pressure_angle(radii, internal, alpha):
    model = free_bodies(2)
    q = random_configuration(model, 4)
    axis, along = np.array([0.0, 0.6, 0.8]), np.array([1.0, 0.0, 0.0])
    first = np.array([0.1, 0.2, 0.3])
    distance = radii[1] - radii[0] if internal else radii[0] + radii[1]
    # the centre of a ring is on the other side of that of its pinion
    second = first + distance * along
    gear = c.Gear.at(
        "gear", model, q, "body0", "body1", first, second, axis,
        first_radius=radii[0], second_radius=radii[1], internal=internal, pressure_angle=alpha,
    )  # fmt: skip
    rows = rows_of(model, [gear], q, np.zeros(model.nv))
    np.testing.assert_allclose(rows.errors, 0.0, atol=1e-15)
    pitch_point = first + (-radii[0] if internal else radii[0]) * along
    (f1, n1), (f2, n2) = wrenches(model, q, 7.0 * rows.J[0])
    np.testing.assert_allclose(n2 - np.cross(pitch_point, f2), 0.0, atol=1e-13)  # one force at the pitch point
    np.testing.assert_allclose(n1 - np.cross(pitch_point, f1), 0.0, atol=1e-13)
    np.testing.assert_allclose(f1, -f2, atol=1e-13)
    teeth = gear.tooth_force(7.0)
    assert np.linalg.norm(f2) == pytest.approx(teeth.normal, rel=1e-13)
    assert teeth.normal == pytest.approx(7.0 / math.cos(alpha), rel=1e-13)
    apart = -along if internal else along
    assert f2 @ apart == pytest.approx(teeth.radial, abs=1e-13) == pytest.approx(7.0 * math.tan(alpha), abs=1e-13)
    assert abs(f2 @ np.cross(axis, along)) == pytest.approx(teeth.tangential, rel=1e-13)


def test_a_pinion_rolls_on_its_rack():
    model = free_bodies(2)
    q = random_configuration(model, 5)
    center, axis, along = np.array([0.3, 0.1, -0.2]), np.array([0.0, 0.0, 1.0]), np.array([0.8, 0.6, 0.0])
    rack = c.RackAndPinion.at(
        "rack", model, q, "body0", "body1", center, axis, along=along, radius=0.1, pressure_angle=0.4
    )
    rows = rows_of(model, [rack], q, np.zeros(model.nv))
    np.testing.assert_allclose(rows.errors, 0.0, atol=1e-15)
    R, x = quaternion_to_rotation(q[10:14]), q[7:10]
    roll = np.concatenate([R.T @ -axis, R.T @ (0.1 * along + np.cross(-axis, x - center))])
    assert rows.J[0, 6:] @ roll == pytest.approx(0.0, abs=1e-14)
    (f1, n1), (f2, n2) = wrenches(model, q, rows.J[0])
    point, teeth = center - 0.1 * np.cross(axis, along), rack.tooth_force(1.0)
    np.testing.assert_allclose(f2, along + math.tan(0.4) * np.cross(axis, along), atol=1e-14)
    np.testing.assert_allclose(n2, np.cross(point, f2), atol=1e-14)
    np.testing.assert_allclose(np.concatenate([f1, n1]), -np.concatenate([f2, n2]), atol=1e-14)
    assert teeth.normal == pytest.approx(np.linalg.norm(f2), rel=1e-14)


def test_a_differential_has_the_mean_speed_and_equal_moments():
    model = wheels(cage=("world", (0, 0, 0)), left=("world", (0, 0, 0.5)), right=("world", (0, 0, -0.5)))
    q = np.array([0.2, 0.4, 0.1])
    differential = c.Differential.at("axle", model, q, "left", "right", "cage", (0, 0, 0))
    rows = rows_of(model, [differential], q, np.zeros(3))
    np.testing.assert_allclose(rows.errors, 0.0, atol=1e-15)
    np.testing.assert_allclose(rows.J, [[-2.0, 1.0, 1.0]], **ROUNDING)


def test_bevel_gears_are_a_coupling_of_angles():
    # apex in the world's origin, axes x and z, 20 and 40 teeth: at the teeth between both, velocities agree
    turned = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # its z is x of the world
    model = wheels(large=("world", (0, 0, 0)), small=("world", (0, 0, 0), turned))
    bearing = c.Frame("world", rotation=turned)
    bevel = c.Coupling("bevel", {c.Angle("world", "large"): 40.0, c.Angle(bearing, "small"): 20.0})
    speeds = null_space(rows_of(model, [bevel], np.zeros(2), np.zeros(2)).J)
    tooth = np.array([40.0, 0.0, 20.0])  # at the large radius from z, at the small one from x
    velocity = [np.cross(axis, tooth) * speed for axis, speed in zip(([0, 0, 1], [1, 0, 0]), speeds, strict=True)]
    np.testing.assert_allclose(velocity[0], velocity[1], **ROUNDING)
