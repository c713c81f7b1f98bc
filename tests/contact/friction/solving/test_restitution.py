"""Poisson's hypothesis against closed forms: a ball, a ball with spin, balls in a row; its law, its energy, and Newton's."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluecker.contact import (
    Bodies,
    ContactTable,
    Problem,
    ProblemError,
    assemble_contacts,
    poisson_restitution,
    solve,
)
from pluecker.spatial import ArgumentTypeError
from tests.contact.random_scenes import random_bodies, random_table

REFUSED = ProblemError, ArgumentTypeError

H = 1e-3
R, M = 0.1, 2.0


def exact(problem):
    """Coulomb's law, nearly to rounding."""
    return solve(problem, tol=1e-12)


def ball_on_floor(velocity, mu, restitution=0.0, newton=False):
    """A solid ball that touches a floor, body 0, at its lowest point; no gravity: the impact alone."""
    bodies = Bodies(
        [np.inf, M], [[0.0] * 3, [0.4 * M * R * R] * 3], [[0.0] * 3, [0, 0, R]], velocity=[[0.0] * 6, velocity]
    )
    table = ContactTable([[0, 1]], [[0, 0, 1]], [[0.0] * 3], friction=mu, restitution=restitution)
    return assemble_contacts(bodies, table, H, restitution=newton)


def balls_in_a_row(masses, velocities):
    """Balls that touch along x, without friction."""
    n = len(masses)
    velocity = np.zeros((n, 6))
    velocity[:, 3] = velocities
    position = np.zeros((n, 3))
    position[:, 0] = np.arange(n)
    bodies = Bodies(masses, np.ones((n, 3)), position, velocity=velocity)
    pairs = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    return bodies, ContactTable(pairs, [[1.0, 0, 0]] * (n - 1), position[:-1] + np.array([0.5, 0, 0]))


def speeds(problem, impact):
    return problem.motion(impact.multipliers)[:, 3]


# ---------------------------------------------------------------------------------------------------------- closed forms


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_a_ball_returns_with_e_times_its_speed(e):
    problem = ball_on_floor([0, 0, 0, 0.5, 0, -2.0], 0.0)
    impact = poisson_restitution(problem, [e], solver=exact)
    np.testing.assert_allclose(problem.motion(impact.multipliers)[1], [0, 0, 0, 0.5, 0, 2 * e], atol=1e-12)
    np.testing.assert_allclose(impact.multipliers, [M * 2 * (1 + e), 0, 0], atol=1e-12)
    assert (impact.expansion is None) == (e == 0.0)


@pytest.mark.parametrize("e", [0.2, 0.8, 1.0])
@pytest.mark.parametrize("mu", [0.05, 0.2, 2.0])
@pytest.mark.parametrize("spin", [-30.0, 0.0, 40.0])
def test_a_ball_with_spin_slides_as_far_as_friction_lasts_in_both_phases(e, mu, spin):
    """Tangential mass 2 m / 7 at the point: it sticks after 2 m |u_t| / 7, if mu (1 + e) m |v_n| is as much."""
    vx, vz = 1.5, -2.0
    problem = ball_on_floor([0, spin, 0, vx, 0, vz], mu)
    impact = poisson_restitution(problem, [e], solver=exact)
    slide = vx - spin * R  # of the lowest point
    friction = -np.sign(slide) * min(2 * M * abs(slide) / 7, mu * (1 + e) * M * abs(vz))
    v = problem.motion(impact.multipliers)[1]
    np.testing.assert_allclose(v[3:], [vx + friction / M, 0, -e * vz], atol=1e-9)
    np.testing.assert_allclose(v[:3], [0, spin - R * friction / (0.4 * M * R * R), 0], atol=1e-8)


def test_two_balls_of_other_masses_keep_momentum_and_part_with_e():
    bodies, table = balls_in_a_row([1.0, 3.0], [2.0, -1.0])
    problem = assemble_contacts(bodies, table, H)
    v = speeds(problem, poisson_restitution(problem, [0.4], solver=exact))
    assert np.isclose(v @ [1, 3], 2 - 3)
    assert np.isclose(v[1] - v[0], 0.4 * 3)


def test_a_cradle_of_three_balls_as_one_impact():
    """All in contact: compression gives each a third; expansion returns 2/3 and 1/3. No ball of a real cradle does so."""
    bodies, table = balls_in_a_row([1.0] * 3, [1.0, 0, 0])
    problem = assemble_contacts(bodies, table, H)
    impact = poisson_restitution(problem, [1.0, 1.0], solver=exact)
    np.testing.assert_allclose(impact.compression.multipliers[::3], [2 / 3, 1 / 3], atol=1e-10)
    np.testing.assert_allclose(speeds(problem, impact), [-1 / 3, 2 / 3, 2 / 3], atol=1e-10)


def test_a_row_whose_second_contact_alone_returns_differs_from_newtons():
    """Poisson: the second contact has been compressed, and returns. Newton: its balls did not approach; none leaves."""
    bodies, table = balls_in_a_row([1.0] * 3, [1.0, 0, 0])
    problem = assemble_contacts(bodies, table, H)
    v = speeds(problem, poisson_restitution(problem, [0.0, 1.0], solver=exact))
    np.testing.assert_allclose(v, [1 / 6, 1 / 6, 2 / 3], atol=1e-10)
    newton = ContactTable(table.bodies, table.normal, table.point, restitution=[0.0, 1.0])
    problem = assemble_contacts(bodies, newton, H)
    np.testing.assert_allclose(speeds(problem, exact(problem)), [1 / 3] * 3, atol=1e-10)


# ------------------------------------------------------------------------------------------------------------------ laws


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
def test_one_contact_without_friction_is_newtons(seed, e):
    rng = np.random.default_rng(seed)
    bodies, table = random_bodies(rng, 2), random_table(rng, 2, 1, gap=0.0)
    still = Bodies(bodies.mass, np.ones((2, 3)), bodies.position, velocity=bodies.velocity)  # no gyroscopic torque
    poisson = assemble_contacts(still, ContactTable(table.bodies, table.normal, table.point), H)
    newton = assemble_contacts(still, ContactTable(table.bodies, table.normal, table.point, restitution=e), H)
    impact = poisson_restitution(poisson, [e], solver=exact)
    np.testing.assert_allclose(impact.multipliers, exact(newton).multipliers, atol=1e-10)


@given(st.integers(0, 2**32 - 1))
def test_without_friction_no_impact_gains_energy(seed):
    """T+ - T- = r . (u+ + u-) / 2 <= 0, with different coefficients at all contacts."""
    rng = np.random.default_rng(seed)
    n, K = int(rng.integers(2, 5)), int(rng.integers(1, 6))
    bodies = random_bodies(rng, n)
    table = random_table(rng, n, K, gap=0.0)
    table = ContactTable(table.bodies, table.normal, table.point)
    problem = assemble_contacts(bodies, table, H)
    impact = poisson_restitution(problem, rng.uniform(0, 1, K), solver=exact)
    before, after = problem.free_velocity, problem.motion(impact.multipliers)
    assert bodies.kinetic_energy(after) <= bodies.kinetic_energy(before) * (1 + 1e-6)


def check_expansion(problem, e, impact, tolerance):
    """The law of the second phase: at least p, more where bodies would penetrate, friction in the whole cone."""
    K = len(e)
    compression = impact.compression.multipliers.reshape(K, 3)
    r, u = impact.multipliers.reshape(K, 3) - compression, impact.velocity.reshape(K, 3)
    p, mu = e * np.maximum(compression[:, 0], 0.0), problem.sets.friction[:K, 0]
    np.testing.assert_allclose(problem.velocity(impact.multipliers).reshape(K, 3), u)
    assert (u[:, 0] >= -tolerance).all()
    assert (r[:, 0] >= p - tolerance).all()
    assert np.abs((r[:, 0] - p) * u[:, 0]).max() <= tolerance
    assert (np.linalg.norm(r[:, 1:], axis=1) <= mu * r[:, 0] + tolerance).all()
    return r, u, mu


@pytest.mark.parametrize("seed", range(12))
def test_expansion_obeys_coulombs_law_with_its_whole_normal_impulse(seed):
    rng = np.random.default_rng(seed)
    bodies, e = random_bodies(rng, 3), rng.uniform(0, 1, 4)
    problem = assemble_contacts(bodies, random_table(rng, 3, 4, gap=0.0), H)
    impact = poisson_restitution(problem, e, solver=exact)
    r, u, mu = check_expansion(problem, e, impact, 1e-7)
    work = np.sum(r[:, 1:] * u[:, 1:], axis=1)
    np.testing.assert_allclose(work, -mu * r[:, 0] * np.linalg.norm(u[:, 1:], axis=1), atol=1e-7)


def test_any_solver_may_be_given_and_that_of_the_package_is_used_where_none_is():
    """Among them one that returns multipliers alone, whatever has found them."""
    problem = ball_on_floor([0, 10.0, 0, 1.5, 0, -2.0], 0.2)
    sweeps = lambda phase: SimpleNamespace(multipliers=solve(phase, "ncp", "pgs", tol=1e-12).multipliers)  # noqa: E731
    expected = poisson_restitution(problem, [0.5], solver=sweeps).multipliers
    np.testing.assert_allclose(poisson_restitution(problem, [0.5]).multipliers, expected, atol=1e-4)
    np.testing.assert_allclose(poisson_restitution(problem, [0.5], solver=exact).multipliers, expected, atol=1e-9)


def test_a_motor_has_its_largest_impulse_once_and_a_limit_pushes_in_each_phase():
    """Bounds of the second phase: what is left of finite ones, zero and infinity as they are."""
    bounds = ([-1.0, 0.0, -np.inf, 0.0], [1.0, np.inf, np.inf, 2.0])
    problem = Problem.from_delassus(np.eye(7), np.zeros(7), [0.5], rows=bounds)
    r, y = np.array([2.0, 0.1, 0.2, 0.7, 3.0, -4.0, 0.5]), np.arange(1.0, 11.0)
    phases = []

    def solver(phase):
        phases.append(phase)
        return SimpleNamespace(multipliers=r if len(phases) == 1 else y)

    impact = poisson_restitution(problem, [0.25], solver=solver)
    first, second = phases
    assert first is problem
    np.testing.assert_allclose(second.sets.lower, [0, -1.7, 0, -np.inf, 0, 0])
    np.testing.assert_allclose(second.sets.upper, [np.inf, 0.3, np.inf, np.inf, 1.5, np.inf])
    at_least = np.array([0.5, 0, 0, 0, 0, 0, 0])
    # Behind the rows comes the friction of the impulse that is returned at least: the normal part of that is its bound.
    S = np.hstack([np.eye(7), np.eye(7)[:, [0, 1, 2]] * [0, 1, 1]])
    np.testing.assert_allclose(impact.multipliers, r + at_least + S @ y)
    u = problem.velocity(r + at_least)
    np.testing.assert_allclose(second.offset, [*u, -0.5, *u[1:3]])


def test_rolling_friction_has_the_whole_normal_impulse_too():
    """A ball that rolls off: friction holds the point, rolling friction mu_2 (1 + e) m |v_n| slows the turning."""
    velocity = [[0.0] * 6, [0, 20.0, 0, 2.0, 0, -1.0]]
    bodies = Bodies([np.inf, M], [[0.0] * 3, [0.4 * M * R * R] * 3], [[0.0] * 3, [0, 0, R]], velocity=velocity)
    table = ContactTable([[0, 1]], [[0, 0, 1]], [[0.0] * 3], friction=[[5.0, 0.01]])
    problem = assemble_contacts(bodies, table, H)
    impact = poisson_restitution(problem, [0.5], solver=exact)
    torque = 0.01 * 1.5 * M * 1.0
    w = 20.0 - torque / (1.4 * M * R * R)  # rolling: the inertia about the point
    np.testing.assert_allclose(problem.motion(impact.multipliers)[1], [0, w, 0, w * R, 0, 0.5], atol=1e-6)


# -------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("restitution", "words"),
    [
        ([0.5, 1.5], "contact 1: restitution is 1.5"),
        ([-0.5], "contact 0: restitution is -0.5"),
        ([np.nan], "contact 0: restitution is nan"),
        ([0.1] * 4, "restitution has 4 entries, expected at most 3"),
        ([0.1] * 3, "block 2 is no contact, its restitution is 0.1"),
        (0.5, r"restitution has shape \(\), expected \(K,\)"),
    ],
)
def test_refusals(restitution, words):
    problem = Problem.from_delassus(np.eye(7), -np.ones(7), [0.1, 0.1], rows=([-1.0], [1.0]))
    with pytest.raises(REFUSED, match=words):
        poisson_restitution(problem, restitution, solver=exact)
