"""Points and balls on planes, in steps of a world: closed forms of Coulomb's law."""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, SimulationError, body_velocities, forward_kinematics, integrate
from pluecker.contact import ConstraintError, World
from pluecker.contact.constraints import PointContact
from tests.conftest import COMPILED
from tests.models import free_bodies, one_body

G = 9.81
HALF = (0.2, 0.15, 0.1)
CORNERS = [(x, y) for x in (-1, 1) for y in (-1, 1)]


def box_on_plane(friction, slope=0.0, **options):
    """A box of 2 kg whose lower corners may touch the plane z = 0, with gravity turned about y instead of the plane."""
    b = ModelBuilder(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    squares = np.square(HALF)
    b.add_body("box", mass=2.0, inertia=2.0 / 3.0 * (squares.sum() - squares))
    b.add_joint("free", "free", "world", "box")
    feet = [
        PointContact(f"foot{k}", "world", ("box", (x * HALF[0], y * HALF[1], -HALF[2])), friction=friction, **options)
        for k, (x, y) in enumerate(CORNERS)
    ]
    return World(b.build(), feet)


def ball(friction=0.0, height=0.1, **options):
    """A ball of 0.1 m and 1 kg above the ground, and where it begins."""
    model = one_body("ball", "free", 1.0, inertia=(0.004, 0.004, 0.004), joint="free")
    world = World(model, [PointContact("ground", "world", "ball", radius=0.1, friction=friction, **options)])
    return world, np.array([0, 0, height, 1, 0, 0, 0], dtype=float)


REST = np.array([0, 0, HALF[2], 1, 0, 0, 0], dtype=float)


@pytest.mark.slow
@pytest.mark.parametrize("restitution", [0.5, 0.9])
def test_heights_of_a_bouncing_ball_fall_with_the_square_of_restitution(restitution):
    world, q = ball(height=0.6, restitution=restitution)
    errors = []
    for step in (1e-3, 2.5e-4):
        motion = world.simulate(q, np.zeros(6), 1.0, step)
        z = motion.q[:, 2] - 0.1
        down = np.argmax(z < 2e-3)
        errors.append(abs(z[down:].max() - 0.5 * restitution**2) if z[down:].size else np.inf)
        assert z.min() > -1e-12
    assert errors[1] < 0.5 * errors[0] + 1e-5
    assert errors[1] < 2e-3


def test_a_table_on_four_legs_carries_its_weight_and_shares_it():
    motion = box_on_plane(0.5).simulate(REST, np.zeros(6), 0.1, 0.01, record=("constraint_forces",))
    forces = motion.columns["constraint_forces"][-1].reshape(4, 3)
    np.testing.assert_allclose(forces[:, 0], 2 * G / 4, rtol=1e-5)  # like springs, see the small solver
    np.testing.assert_allclose(forces[:, 0].sum(), 2 * G, rtol=1e-9)


def test_what_falls_makes_no_energy_and_comes_to_rest():
    world, rng = box_on_plane(0.5, restitution=0.3, recovery=0.0), np.random.default_rng(3)
    q = np.array([0, 0, 0.4, 1, *(0.3 * rng.normal(size=3))])
    q[3:] /= np.linalg.norm(q[3:])
    motion = world.simulate(q, 0.5 * rng.normal(size=6), 2.0, 0.01, record=("energy",))
    energy = motion.columns["kinetic_energy"] + motion.columns["potential_energy"]
    assert np.diff(energy).max() < 1e-9 * energy[0]
    np.testing.assert_allclose(motion.v[-1], 0.0, atol=1e-9)
    lowest = [
        (forward_kinematics(world.model, q)[0] @ [x * HALF[0], y * HALF[1], -HALF[2], 1.0])[2]
        for q in motion.q
        for x, y in CORNERS
    ]
    assert min(lowest) > -2e-3  # h^2 |w|^2 / 2 times lengths, in a step that turns by some 0.1 rad


def test_penetration_is_undone_at_the_rate_that_is_asked_for():
    for recovery, left in ((0.0, 1.0), (10.0, 0.9**10)):
        world, q = ball(height=0.09, recovery=recovery)
        motion = world.simulate(q, np.zeros(6), 0.1, 0.01)
        np.testing.assert_allclose(0.1 - motion.q[-1, 2], 0.01 * left, rtol=1e-9)


def test_a_soft_contact_settles_where_its_spring_carries_the_weight():
    world, q = ball(height=0.1, stiffness=1e4, damping=100.0)
    motion = world.simulate(q, np.zeros(6), 2.0, 0.01)
    np.testing.assert_allclose(0.1 - motion.q[-1, 2], G / 1e4, rtol=1e-9)


@pytest.mark.parametrize("radius", [0.0, 0.2])
def test_rows_are_the_rates_at_the_place_that_touches(radius):
    rng = np.random.default_rng(5)
    model = free_bodies(("plate", "foot"), inertia=(0.1, 0.2, 0.25))
    plane, point = ("plate", rng.normal(size=3), rng.normal(size=4)), ("foot", rng.normal(size=3))
    plane[2][:] /= np.linalg.norm(plane[2])
    world = World(model, [PointContact("touch", plane, point, radius=radius, friction=0.5)])
    q, v = integrate(model, np.tile([0, 0, 0, 1.0, 0, 0, 0], 2), rng.normal(size=12)), rng.normal(size=12)
    T, twists = forward_kinematics(model, q), body_velocities(model, q, v)
    frame = world.constraints[0].first
    R = T[0, :3, :3] @ frame.matrix
    touching = T[1, :3, :3] @ point[1] + T[1, :3, 3] - radius * R[:, 2]
    rates = []
    for k in range(2):
        spin, speed = (T[k, :3, :3] @ part for part in (twists[k, :3], twists[k, 3:]))
        rates.append(speed + np.cross(spin, touching - T[k, :3, 3]))
    rows = world.rows_at(q, v)
    slip = R.T @ (rates[1] - rates[0])
    if radius > 0.0:
        np.testing.assert_allclose((rows.jacobian @ v)[1:], slip[:2], atol=1e-13)
    step = 1e-5
    ends = [world.rows_at(integrate(model, q, s * step * v)).jacobian @ v for s in (1.0, -1.0)]
    np.testing.assert_allclose(rows.bias, (ends[0] - ends[1]) / (2 * step), atol=1e-7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": -0.1}, "radius is -0.1"),
        ({"friction": -0.1}, "friction is -0.1"),
        ({"restitution": 1.5}, "restitution is 1.5"),
        ({"recovery": np.nan}, "recovery"),
        ({"recovery_speed": -1.0}, "recovery_speed"),
        ({"stiffness": 100.0, "restitution": 0.5}, "a soft contact"),
    ],
)
def test_a_contact_that_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        PointContact("foot", "world", "box", **options)


def test_contacts_are_refused_where_there_are_no_steps():
    world = box_on_plane(0.5)
    for call in (
        lambda: world.accelerations(REST, np.zeros(6), np.zeros(6)),
        lambda: world.impact(REST, np.zeros(6)),
        lambda: world.inverse_dynamics(REST, np.zeros(6), np.zeros(6)),
        lambda: world.simulate(REST, np.zeros(6), 0.1, 0.01, integrator="rk4"),
    ):
        with pytest.raises(ConstraintError, match="contacts"):
            call()


@pytest.mark.plain
def test_states_of_a_batch_move_as_each_of_them_alone():
    world, rng = box_on_plane(0.5, restitution=0.3), np.random.default_rng(4)
    q = np.tile([0, 0, 0.2, 1.0, 0, 0, 0], (5, 1))
    q[:, 2] += [0.0, 0.3, 0.02, 0.05, 5.0]  # one touches at once, one never
    q[:, 4:] += 0.2 * rng.normal(size=(5, 3))
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1)[:, None]
    v, duration = rng.normal(size=(5, 6)), 0.3 if COMPILED else 0.05
    together = world.simulate(q, v, duration, 0.01, record=("constraint_forces",))
    for k in range(5):
        alone = world.simulate(q[k], v[k], duration, 0.01, record=("constraint_forces",))
        np.testing.assert_allclose(together.q[k], alone.q, atol=1e-9)
        forces = together.columns["constraint_forces"][k], alone.columns["constraint_forces"]
        np.testing.assert_allclose(forces[0], forces[1], atol=1e-6 * np.abs(forces[1]).max(initial=1.0))
    pair = world.simulate(q[[1, 3]], v[[1, 3]], duration, 0.01)
    np.testing.assert_array_equal(pair.q, together.q[[1, 3]])  # neighbours change no bit


@pytest.mark.parametrize("friction", [0.5, 1e2, 1e8])
def test_forces_are_in_their_cones_to_within_the_accuracy_of_the_step_as_a_distance(friction):
    """Friction in steep cones may exceed mu times the normal force by (1 + mu^2)^(1/2) times that distance."""
    world, solved = box_on_plane(friction), 0
    rng = np.random.default_rng(4)
    for _ in range(20 if COMPILED else 8):
        q = np.array([0.0, 0.0, HALF[2] + 0.02 * rng.random(), 1.0, *(0.2 * rng.normal(size=3))])
        q[3:] /= np.linalg.norm(q[3:])
        try:
            motion = world.simulate(q, 3.0 * rng.normal(size=6), 0.01, 0.01, record="constraint_forces")
        except SimulationError:
            continue
        touch = motion.contacts_at(0)
        across = np.linalg.norm(touch.force - touch.normal_force[:, None] * touch.normal, axis=1)
        outside = (across - friction * touch.normal_force) / np.hypot(1.0, friction)
        assert outside.max(initial=0.0) <= 1e-8 * np.linalg.norm(touch.force, axis=1).max(initial=0.0)
        solved += 1
    assert solved
