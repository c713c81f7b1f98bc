"""Exponential coordinates: S and its rate, next to no turn, half a turn and a full one on purpose.

Tolerances: formulas are sums of some ten products of numbers of size |q| <= 2 pi; 1e-14 leaves room for their rounding.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pluecker.articulated import (
    ModelBuilder,
    SingularInertiaError,
    Trajectory,
    TrajectoryError,
    aba,
    body_accelerations,
    body_jacobian,
    body_jacobian_dot,
    body_velocities,
    carry_velocity,
    crba,
    derivative_of,
    difference,
    forward_kinematics,
    integrate,
    kinetic_energy,
    potential_energy,
    random_configuration,
    rnea,
    second_derivative_of,
    simulate,
)
from pluecker.spatial import right_jacobian3
from tests.conftest import COMPILED
from tests.mechanisms import random_body, random_description
from tests.models import one_body

PI = np.pi
LENGTHS = [0.0, 1e-160, 1e-8, 1e-4, 1e-3, 0.5, 3.0, PI - 1e-4, PI - 1e-8, PI, PI + 1e-8, 4.0, 6.0]
DIRECTIONS = [np.array([1.0, 0.0, 0.0]), np.array([0.48, -0.64, 0.6])]
VECTORS = [length * u for u in DIRECTIONS for length in LENGTHS]
RNG = np.random.default_rng(11)
not_compiled = pytest.mark.skipif(COMPILED, reason="each algorithm takes seconds to compile for dual numbers")


def one_joint(kind="exponential", **options):
    builder = ModelBuilder(kind)
    builder.add_body("body", **random_body(np.random.default_rng(1)))
    builder.add_joint("joint", kind, "world", "body", position=(0.1, 0.2, 0.3), **options)
    return builder.build()


def chain(kind, n=2):
    builder, rng = ModelBuilder(kind), np.random.default_rng(2)
    for k in range(n):
        builder.add_body(f"b{k}", **random_body(rng))
        builder.add_joint(f"j{k}", kind, f"b{k - 1}" if k else "world", f"b{k}", position=rng.normal(size=3))
    return builder.build()


BALL, CHAIN = one_joint(), chain("exponential")


def test_the_rotation_is_the_exponential():
    for q in VECTORS:
        R = forward_kinematics(BALL, q)[0, :3, :3]
        np.testing.assert_allclose(R, Rotation.from_rotvec(q).as_matrix(), atol=2e-15, err_msg=str(q))
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15, err_msg=str(q))


def test_S_is_the_right_jacobian_of_the_exponential():
    """Equation 21 of source document 002: its columns are those of R^T dR/dq, also at q = 0."""
    q, u = np.array(VECTORS), RNG.normal(size=(len(VECTORS), 3))
    S = body_jacobian(BALL, q)
    np.testing.assert_allclose(S[:, :3], right_jacobian3(q), atol=1e-14)
    np.testing.assert_array_equal(S[:, 3:], 0.0)
    np.testing.assert_allclose(body_velocities(BALL, q, u)[:, 0], np.einsum("nij,nj->ni", S, u), atol=1e-14)


def test_the_rate_of_S_is_its_derivative_along_the_motion():
    """By central differences of fourth order: beyond half a turn too, where ``integrate`` would change the vector."""
    q, v = np.array(VECTORS), RNG.normal(size=(len(VECTORS), 3))
    rate, h = body_jacobian_dot(BALL, q, v), 5e-4
    S = {k: body_jacobian(BALL, q + k * h * v) for k in (-2, -1, 1, 2)}
    np.testing.assert_allclose(rate, (8.0 * (S[1] - S[-1]) - (S[2] - S[-2])) / (12.0 * h), atol=1e-9)
    bias = body_accelerations(BALL, q, v, np.zeros(3))[:, 0]
    np.testing.assert_allclose(bias, np.einsum("nij,nj->ni", rate, v), atol=1e-13)


@pytest.mark.parametrize("length", LENGTHS)
def test_forward_dynamics_inverts_inverse_dynamics(length):
    """The error of accelerations is that of forces, some 1e-15 of them, times the condition of the inertia matrix."""
    q = np.concatenate([length * DIRECTIONS[1], -length * DIRECTIONS[0]])
    v, a = RNG.normal(size=(2, 6))
    tau = rnea(CHAIN, q, v, a)
    bound = 1e-15 * np.linalg.cond(crba(CHAIN, q)) * (1.0 + np.abs(tau).max())
    np.testing.assert_allclose(aba(CHAIN, q, v, tau), a, atol=10.0 * bound)


def test_at_a_full_turn_forward_dynamics_names_the_joint():
    for turn in (2.0 * PI, 4.0 * PI):
        with pytest.raises(SingularInertiaError, match=r"'joint\.r[xyz]' moves no inertia"):
            aba(BALL, turn * DIRECTIONS[0], np.zeros(3), np.ones(3))
    assert np.isfinite(rnea(BALL, 2.0 * PI * DIRECTIONS[0], np.ones(3), np.ones(3))).all()


# ------------------------------------------------------------------------------------------------------------- equivalents


@pytest.mark.parametrize("turns", [0.0, 0.3, 0.499, 0.5, 0.501, 0.75, 1.0, 1.25, 7.7, -3.2])
def test_integration_keeps_the_turn_and_stays_below_half_a_one(turns):
    q = 2.0 * PI * turns * DIRECTIONS[1]
    for start in (np.zeros(3), q, RNG.normal(size=3)):
        moved = integrate(BALL, start, q - start)
        assert np.linalg.norm(moved) <= PI * (1.0 + 1e-15)
        R = forward_kinematics(BALL, moved)[0, :3, :3]
        np.testing.assert_allclose(R, Rotation.from_rotvec(q).as_matrix(), atol=1e-14)
    if abs(turns) < 0.5:
        np.testing.assert_array_equal(integrate(BALL, q, np.zeros(3)), q)


@pytest.mark.plain
@not_compiled
@pytest.mark.parametrize("length", [0.0, 1e-160, 1e-8, 0.5, 3.0, 3.5])
def test_the_derivative_of_integration(length):
    """A vector has no direction at no turn; beyond half a turn it is replaced by its equivalent.

    y = (1 - 2 pi / t) x: dy = (1 - 2 pi / t) dx + 2 pi / t^3 x (x . dx)
    """
    x, zero = length * DIRECTIONS[1], np.zeros(3)
    far = 2.0 * PI / length if length > PI else 0.0
    expected = (1.0 - far) * np.eye(3) + far * np.outer(DIRECTIONS[1], DIRECTIONS[1])
    for q, v in ((zero, x), (x, zero), (0.25 * x, 0.75 * x)):
        for found in derivative_of(integrate)(BALL, q, v):
            np.testing.assert_allclose(found, expected, atol=1e-15 * (1.0 + 4.0 * far))


@pytest.mark.plain
@not_compiled
def test_second_derivatives_of_the_turn_are_those_of_the_exponential_where_there_is_none():
    """d2 exp(x~) / dx_a dx_b = (a~ b~ + b~ a~) / 2 at x = 0, and integration has none."""
    a = np.array([0.3, -0.2, 0.5])
    second = second_derivative_of(forward_kinematics)(BALL, np.zeros(3), along={"q": a}, wrt="q")[0, :3, :3]
    for k, unit in enumerate(np.eye(3)):
        A, B = np.cross(np.eye(3), -a), np.cross(np.eye(3), -unit)
        np.testing.assert_allclose(second[..., k], 0.5 * (A @ B + B @ A), atol=1e-15)
    zero = np.zeros(3)
    for part in second_derivative_of(integrate)(BALL, zero, zero, along={"q": a, "v": a}):
        np.testing.assert_array_equal(part, 0.0)


@pytest.mark.parametrize("turns", [0.5, 0.51, 0.75, 0.99, 1.3, 3.6])
def test_beyond_half_a_turn_the_velocity_of_the_body_stays(turns):
    """One state and a batch; the joint beside it, of another type, keeps its velocity to the last bit."""
    old, v = 2.0 * PI * turns * DIRECTIONS[1], RNG.normal(size=(5, 3))
    new = integrate(BALL, old, np.zeros(3))
    carried = carry_velocity(BALL, old, new, v)
    # what is across the vector is scaled by |new| / |old|, whose relative error is that of a turn, 1e-16 |old| / |new|
    bound = 1e-15 * (1.0 + np.linalg.norm(old) / np.linalg.norm(new)) * 10.0
    np.testing.assert_allclose(body_velocities(BALL, new, carried), body_velocities(BALL, old, v), atol=bound)
    np.testing.assert_allclose(kinetic_energy(BALL, new, carried), kinetic_energy(BALL, old, v), rtol=10.0 * bound)
    one = np.array([carry_velocity(BALL, old, new, each) for each in v])
    np.testing.assert_allclose(one, carried, atol=1e-14)


def test_where_the_vector_does_not_change_velocities_are_carried_to_the_last_bit():
    model = random_description(3, 24).build()
    q, v = random_configuration(model, 4, 3), RNG.normal(size=(3, model.nv))
    still = integrate(model, q, 0.0 * v)
    np.testing.assert_array_equal(carry_velocity(model, q, still, v), v)


def test_a_step_over_half_a_turn_is_undone_by_difference():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        q = random_configuration(BALL, rng)
        q *= (PI - 0.1) / np.linalg.norm(q)
        v = 0.5 * rng.normal(size=3) + 0.4 * q
        moved = integrate(BALL, q, v)
        np.testing.assert_allclose(difference(BALL, q, moved), v, atol=1e-14)
        expected = body_velocities(BALL, q + v, v)
        np.testing.assert_allclose(
            body_velocities(BALL, moved, carry_velocity(BALL, q, moved, v)), expected, atol=1e-13
        )


def test_random_turns_are_uniform_and_not_longer_than_half_a_turn():
    """The mean of R over uniform turns is zero."""
    q = random_configuration(BALL, 6, 500)
    assert np.linalg.norm(q, axis=1).max() <= PI
    assert np.linalg.norm(q, axis=1).max() > 3.0
    R = forward_kinematics(BALL, q)[:, 0, :3, :3]
    assert np.abs(R.mean(axis=0)).max() < 5 / np.sqrt(3 * 500)


def test_limits_are_kept_by_random_configurations():
    q = random_configuration(one_joint(lower_limit=-0.1, upper_limit=[0.2, 0.3, 0.4]), 0, 500)
    assert (q >= -0.1).all()
    assert (q <= [0.2, 0.3, 0.4]).all()


def test_the_energy_of_springs_belongs_to_the_turn_and_not_to_its_vector():
    """The force is its gradient on both sides of half a turn, by central differences of fourth order."""
    model = one_joint(stiffness=[1.0, 2.0, 3.0], rest_position=[0.3, -0.2, 0.1])
    q, h = 3.0 * DIRECTIONS[1], 1e-3
    for w in (q, q * (3.0 - 2.0 * PI) / 3.0):
        np.testing.assert_allclose(potential_energy(model, w), potential_energy(model, q), rtol=1e-14)
        ends = {k: potential_energy(model, w + k * h * np.eye(3)) for k in (-2, -1, 1, 2)}
        gradient = (8.0 * (ends[1] - ends[-1]) - (ends[2] - ends[-2])) / (12.0 * h)
        np.testing.assert_allclose(rnea(model, w, np.zeros(3), np.zeros(3)), gradient, atol=1e-9)


# ------------------------------------------------------------------------------------------------------------- simulation


@pytest.mark.slow
def test_energy_stays_through_several_turns_and_the_motion_is_that_of_a_spherical_joint():
    """Two bodies that tumble for several turns, by some hundred steps with errors of 1e-11.

    The motion is chaotic: neighbouring ones part by a factor e in less than 0.1 s, so that they are compared for 0.75 s.
    """
    spherical = chain("spherical")
    q, v = np.array([0.1, 0.2, 0.3, -0.3, 0.2, 0.1]), np.array([9.0, 15.0, -12.0, 4.0, -16.0, 8.0])
    found = simulate(CHAIN, q, v, 2.0, 0.25, integrator="dop853", tol=1e-11)
    assert (np.linalg.norm(found.q.reshape(9, 2, 3), axis=-1) <= PI * (1 + 1e-15)).all()
    energy = kinetic_energy(CHAIN, found.q, found.v) + potential_energy(CHAIN, found.q)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)
    turns = np.roll(Rotation.from_rotvec(q.reshape(2, 3)).as_quat(), 1, axis=-1).ravel()
    rates = np.concatenate([right_jacobian3(q[k : k + 3]) @ v[k : k + 3] for k in (0, 3)])
    expected = simulate(spherical, turns, rates, 0.75, 0.25, integrator="dop853", tol=1e-11)
    T = forward_kinematics(spherical, expected.q)
    assert np.abs(np.diff(T, axis=0)).max() > 1.0
    np.testing.assert_allclose(forward_kinematics(CHAIN, found.q[:4]), T, atol=1e-7)


def test_a_long_interval_has_no_turn_too_many():
    """Spun about a principal axis at 10 rad/s for 3 s between two samples, and slightly beside it."""
    top = one_body("top", "exponential", 1.0, inertia=[1.0, 1.1, 1.5], gravity=(0, 0, 0))
    for aside in (0.0, 1e-6, 0.1):
        v = np.array([aside, 0.0, 10.0])
        found = simulate(top, np.zeros(3), v, 3.0, 3.0, integrator="dop853", tol=1e-10)
        assert np.linalg.norm(found.q[1]) <= PI
        np.testing.assert_allclose(kinetic_energy(top, found.q, found.v), 0.5 * (100.0 * 1.5 + aside**2), rtol=1e-8)
        if aside == 0.0:
            np.testing.assert_allclose(found.q[1], [0, 0, (30.0 + PI) % (2 * PI) - PI], atol=1e-8)


def test_samples_between_which_the_vector_changes_have_no_spline():
    q = np.array([[0.0, 0.0, angle] for angle in np.linspace(2.0, 4.0, 11)])
    time = np.linspace(0.0, 1.0, 11)
    full = Trajectory(time, q).with_derivatives(BALL)
    np.testing.assert_allclose(full.v, [[0.0, 0.0, 2.0]] * 11, atol=1e-9)
    with pytest.raises(
        TrajectoryError, match=r"the exponential coordinates of joint 'joint' change to an equiv.* sample 7"
    ):
        Trajectory(time, integrate(BALL, q, np.zeros(3))).with_derivatives(BALL)
