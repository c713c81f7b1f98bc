"""Tolerances: their meaning depends on no unit of mass, and velocities are right where a result says so."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from pluecker.contact import METHODS, Problem, errors_of, solve
from tests.conftest import COMPILED
from tests.contact.any_blocks import of_matrix, sets_of
from tests.contact.fuzz import LCP_METHODS, RUNNABLE, long_errors
from tests.contact.random_friction import Random, random_problem

LIMIT = 3000 if COMPILED else 120
CONES = ("frictionless", "ccp", "ncp")
ALL = [(law, method) for law in CONES for method in RUNNABLE] + [
    (law, method) for method in LCP_METHODS for law in METHODS[method].laws
]
SURE = ("auto", "newton")
POWERS = range(-12, 13)


def mixed(seed):
    """Contacts between bodies, a limit and a motor."""
    return random_problem(seed, 5, kinds=("3", "3", "3", "limit", "motor"), friction=(0.2, 0.8))


def in_other_units(random, mass, speed):
    """Masses divided by one number, so that impulses are, too; all velocities multiplied by another."""
    K = random.K._replace(lower=random.K.lower * (speed / mass), upper=random.K.upper * (speed / mass))
    return Random(random.full * mass, random.b * speed, K).problem()


@pytest.mark.parametrize(("law", "method"), ALL)
def test_powers_of_two_of_mass_and_velocity_change_no_bit(law, method):
    """The powers of the mass are even: the scale of a block is a root."""
    for seed in (0, 1) if COMPILED else (0,):
        random = mixed(seed)
        first = solve(random.problem(), law, method, tol=1e-8, max_iterations=LIMIT)
        for two, other in ((40, 0), (-40, 7), (14, -40)) if COMPILED else ((-40, 7),):
            mass, speed = 2.0**two, 2.0**other
            again = solve(in_other_units(random, mass, speed), law, method, tol=1e-8, max_iterations=LIMIT)
            assert (again.status, again.iterations) == (first.status, first.iterations)
            np.testing.assert_array_equal(again.velocity, first.velocity * speed)
            np.testing.assert_array_equal(again.multipliers, first.multipliers * speed / mass)
            theirs, ours = astuple(again.errors), list(astuple(first.errors))
            ours[5:7] = ours[5] * speed, ours[6] * speed
            np.testing.assert_allclose(theirs, ours, rtol=1e-12)


@pytest.mark.parametrize("law", CONES)
@pytest.mark.parametrize("method", RUNNABLE)
def test_rows_that_move_nothing_change_nothing_either(law, method):
    """A motor whose block of N is zero has no mass of its own: the lightest one counts."""
    for k in (-12, -3, 0, 5, 12) if COMPILED else (-12, 12):
        W, bounds = np.diag([1.0, 1.0, 1.0, 0.0]) * 10.0**k, ([-2.0 / 10.0**k], [3.0 / 10.0**k])
        problem = Problem.from_delassus(W, [-1.0, 3.0, 0.0, 0.5], [0.5], rows=bounds)
        result = solve(problem, law, method, tol=1e-8, max_iterations=LIMIT, separate=False)
        assert result.converged, (k, str(result))
        friction = {"frictionless": 0.0, "ccp": -1.0, "ncp": -0.5}[law]
        normal = 2.0 if law == "ccp" else 1.0
        np.testing.assert_allclose(result.multipliers * 10.0**k, [normal, friction, 0.0, -2.0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("law", CONES)
def test_errors_depend_on_no_unit_of_mass(law):
    rng = np.random.default_rng(3)
    for seed in range(4):
        random = random_problem(seed, 6, friction=(0.1, 1e8))
        r = rng.normal(size=len(random.b))
        first = errors_of(random.problem(), r, law)
        for k in POWERS:
            again = errors_of(in_other_units(random, 10.0**k, 1.0), r / 10.0**k, law)
            np.testing.assert_allclose(astuple(again), astuple(first), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("law", CONES)
def test_errors_are_those_of_independent_projections(law):
    """Bisection in extended precision; masses in one problem differ by up to 1e12."""
    rng = np.random.default_rng(4)
    for seed in range(12 if COMPILED else 4):
        random = random_problem(seed, 6, ratio=10.0 ** rng.uniform(0, 12), friction=(0.1, 10.0 ** rng.uniform(0, 8)))
        problem = random.problem()
        r = rng.normal(size=problem.size) / np.maximum(np.diag(random.full), 1e-12)
        errors, u = errors_of(problem, r, law), problem.velocity(r)
        natural, velocity, speed = long_errors(random.K, np.diag(random.full), random.b, r, u, law)
        assert errors.natural_map == pytest.approx(natural, rel=1e-7, abs=1e-12)
        assert errors.velocity == pytest.approx(velocity, rel=1e-7, abs=1e-9 * speed)
        assert errors.speed == pytest.approx(speed)


STEP, MU = 1e-2, 0.3
FALL = 9.81 * STEP  # m/s in a step


def column(masses, push=3.0):
    """Bodies on one another on a floor, in 3D but for rotations; the topmost slides. The velocities after it."""
    n = len(masses)
    J = np.zeros((3 * n, 3 * n))
    for k in range(n):
        J[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = np.eye(3)
        if k:
            J[3 * k : 3 * k + 3, 3 * k - 3 : 3 * k] = -np.eye(3)
    v = np.tile([-FALL, 0.0, 0.0], n)
    v[-2] = push
    expected = np.zeros(3 * n)
    expected[-2] = push - MU * FALL
    return Problem.from_delassus(J / np.repeat(masses, 3) @ J.T, J @ v, [MU] * n), expected


def side_by_side(masses, push=3.0):
    """Return a problem of bodies on the floor that slide by themselves, and their velocities."""
    N = np.diag(1.0 / np.repeat(masses, 3))
    b, expected = np.tile([-FALL, push, 0.0], len(masses)), np.tile([0.0, push - MU * FALL, 0.0], len(masses))
    return Problem.from_delassus(N, b, [MU] * len(masses)), expected


@pytest.mark.parametrize("method", RUNNABLE)
@pytest.mark.parametrize("scene", [column, side_by_side])
@pytest.mark.parametrize(
    "masses", [(1e6, 1e-6), (1e-6, 1e6), (1e6, 1.0, 1e-6), (1.0, 1e-6, 1e6, 1e3), (1e6,), (1e-6,), (1e12, 1e6)]
)
def test_bodies_of_1e6_and_of_1e_minus_6_kg_have_the_right_velocities_or_say_that_they_have_not(method, scene, masses):
    problem, expected = scene(masses)
    for separate in (True, False):
        result = solve(problem, "ncp", method, tol=1e-10, max_iterations=LIMIT, separate=separate)
        if result.converged:
            np.testing.assert_allclose(result.velocity, expected, rtol=0, atol=1e-9)
        elif scene is side_by_side or list(masses) == sorted(masses, reverse=True):
            assert method not in SURE, str(result)  # light ones on heavy ones: rounding is no excuse


def test_one_heavy_body_does_not_hide_that_a_light_one_is_driven_in():
    """The error is only 1e-12 of the energy of all."""
    problem, _ = side_by_side((1e6, 1e-6))
    r = solve(problem, "ncp", tol=1e-10).multipliers
    r[3:] = 0.0  # nothing holds the light one
    errors = errors_of(problem, r)
    assert errors.natural_map < 1e-6
    assert errors.velocity == pytest.approx(FALL, rel=1e-3) or errors.velocity > FALL / 2
    result = solve(problem, "ncp", tol=1e-6, warm_start=r)
    assert result.velocity[3] == pytest.approx(0.0, abs=3e-6)


@pytest.mark.parametrize("method", ["auto", "apgd", "pgs", "interior_point"])
@pytest.mark.parametrize("law", ["ccp", "ncp"])
def test_an_island_is_measured_by_its_own_bodies_whatever_others_weigh(method, law):
    """The diagonal of a planet beside a grain of dust is rounding, but the dust has none of it."""
    random = mixed(1)
    n, mass = len(random.b), 2.0**-120
    together = np.zeros((2 * n, 2 * n))
    together[:n, :n], together[n:, n:] = random.full, random.full * mass
    K = [np.concatenate([x, x]) for x in random.K[1:]]
    K[2][len(random.K.lower) :] /= mass
    K[3][len(random.K.upper) :] /= mass
    problem = of_matrix(together, np.concatenate([random.b, random.b]), sets_of(*K))
    alone = solve(random.problem(), law, method, tol=1e-8, max_iterations=LIMIT)
    both = solve(problem, law, method, tol=np.sqrt(3.0) * 1e-8, max_iterations=LIMIT)
    assert both.converged == alone.converged
    for part, unit in ((slice(0, n), 1.0), (slice(n, 2 * n), mass)):
        np.testing.assert_allclose(both.multipliers[part] * unit, alone.multipliers, rtol=1e-9, atol=0.0)
        errors = errors_of(random.problem(), both.multipliers[part] * unit, law)
        assert errors.largest <= 2e-8 or not alone.converged


def test_a_light_body_that_is_fast_does_not_hide_that_a_heavy_one_stands_still():
    """An error of 0.1 m/s is nothing beside 1e9 m/s, but not beside the energy."""
    problem = Problem.from_delassus(np.diag([1e-6] * 3 + [1e6] * 3), [-0.1, 0, 0, 1e9, 0, 0], [MU] * 2)
    assert errors_of(problem, np.zeros(6)).relative_velocity <= 1e-6
    assert errors_of(problem, np.zeros(6)).natural_map > 1e-5
    assert solve(problem, "ncp", tol=1e-6).velocity[0] == pytest.approx(0.0, abs=1e-2)


def test_the_error_in_velocity_is_in_metres_per_second():
    """A contact that gets no impulse is driven in with all of its velocity, whatever the units inside."""
    for speed in (1e-9, 0.1, 1.0, 3.0, 1e9):
        for mass in (1e-12, 1.0, 1e12):
            problem = Problem.from_delassus(np.eye(3) / mass, [-speed, 0.0, 0.0], [0.5])
            errors = errors_of(problem, np.zeros(3))
            assert (errors.velocity, errors.speed) == pytest.approx((speed, speed), rel=1e-15)
            found = solve(problem, "ncp", "pgs", max_iterations=1, tol=1e-300).errors
            assert found.velocity <= 1e-14 * speed
            assert found.speed == pytest.approx(speed, rel=1e-15)


def test_where_nothing_moves_nothing_is_wrong():
    still = Problem.from_delassus(np.eye(3), np.zeros(3), [0.5])
    assert errors_of(still, np.zeros(3)).largest == 0.0
    held = of_matrix(np.zeros((1, 1)), np.zeros(1), random_problem(0, 1, kinds=("fixed",)).K)
    assert solve(held).converged
