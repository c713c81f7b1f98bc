"""Coefficients of friction from 1e-8 to 1e12: what is called converged satisfies Signorini's condition and Coulomb's law.

De Saxce's map shows a normal velocity divided by about mu, so that a contact that gets no impulse at all looks solved.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from pluecker.contact import Problem, errors_of, poisson_restitution, solve
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.friction.solving.test_known_answers import one_contact, spd
from tests.contact.fuzz import RUNNABLE

COEFFICIENTS = [1e-8, 1e-3, 0.5, 2.0, 1e3, 1e6, 1e9, 1e12]
COEFFICIENTS = COEFFICIENTS if EVERYTHING else COEFFICIENTS[::3]
LIMIT = 3000 if COMPILED else 150
TOL = 1e-6
SOLID = ("auto", "newton")  # of which an answer is expected, not an honest status alone
POLYGON = ("auto", "lemke", "minmap_newton")


def check(problem, result):
    """Signorini's condition in velocities, cone and direction of the friction, of a result that says that it converged."""
    r, u, b = result.multipliers.reshape(-1, 3), result.velocity.reshape(-1, 3), problem.offset
    R, U = np.abs(r).max() or 1.0, max(np.abs(u).max(), np.abs(b).max())
    mu, slack = problem.sets.friction[:, 0], 3.0 * TOL
    force = np.linalg.norm(r, axis=1)
    assert (r[:, 0] >= -np.finfo(float).eps * R).all()  # Newton's steps end there but for rounding
    assert (u[:, 0] >= -slack * U).all(), "penetrates"
    assert (np.minimum(force / R, u[:, 0] / U) <= slack).all(), "a force where it opens"
    friction, speed = np.linalg.norm(r[:, 1:], axis=1), np.linalg.norm(u[:, 1:], axis=1)
    rounding = 1e-9 * mu * r[:, 0]  # Newton's steps end as near to the cone as the tolerance asks, the others in it
    assert (friction <= mu * r[:, 0] + rounding + slack * R).all(), "outside of the cone"
    against = np.abs((r[:, 1:] * u[:, 1:]).sum(axis=1) + friction * speed)  # zero where they are opposite
    assert (against <= slack * 4.0 * R * U).all(), "friction in another direction"


@pytest.mark.parametrize("mu", [2.0, 1e3, 1e6, 1e9, 1e12])
def test_no_impulses_are_no_solution_of_a_contact_that_is_driven_in(mu):
    """The contact sticks: the impulse is the velocity that it takes away."""
    problem = Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [mu])
    assert errors_of(problem, np.zeros(3)).natural_map > 0.1
    for start in (None, np.zeros(3), [1e-9, -1e-9, 0.0]):
        for method in RUNNABLE:
            result = solve(problem, "ncp", method, tol=TOL, max_iterations=LIMIT, warm_start=start)
            if result.converged or (method in SOLID and start is None):
                np.testing.assert_allclose(result.multipliers, [1.0, -min(mu, 3.0), 0.0], atol=1e-5)


@pytest.mark.parametrize("mu", [1e3, 1e6, 1e12])
def test_friction_does_not_act_on_a_contact_that_parts(mu):
    """r = (1e-6, -1) is in the cone of 1e6, and small only by its normal part."""
    problem = Problem.from_delassus(np.eye(3), [0.1, 3.0, 0.0], [mu])
    assert errors_of(problem, [1.0 / mu, -1.0, 0.0]).natural_map > 0.01
    assert errors_of(problem, [1.0 / mu, -1.0, 0.0]).signorini > 0.01
    for method in RUNNABLE:
        result = solve(problem, "ncp", method, tol=TOL, max_iterations=LIMIT, warm_start=[1.0 / mu, -1.0, 0.0])
        if result.converged:
            np.testing.assert_allclose(result.multipliers, 0.0, atol=1e-5)
        assert solve(problem, "ncp", method, tol=TOL).converged  # from nothing, which is the solution


@pytest.mark.parametrize("mu", COEFFICIENTS)
@pytest.mark.parametrize("method", RUNNABLE)
def test_one_contact_is_right_or_the_status_says_that_it_is_not(method, mu):
    """Against the equations of the mode that is consistent; masses from a gram to a tonne."""
    rng = np.random.default_rng(1)
    for mass in (1.0, 1e-3, 1e3):
        W = spd(rng, 3) * 0.2 + np.eye(3)
        for b in ([-1.0, 3.0, 1.0], [-1.0, 0.1, 0.0], [0.5, 2.0, 1.0], [-0.3, -4.0, 2.0]):
            problem = Problem.from_delassus(W / mass, b, [mu])
            result = solve(problem, "ncp", method, tol=TOL, max_iterations=LIMIT)
            if not result.converged:
                assert method not in SOLID or mu > 10.0 or not COMPILED, str(result)
                continue
            if mu > 1.0:
                check(problem, result)
            expected = one_contact(W, np.array(b), mu, "ncp") * mass
            size = max(np.linalg.norm(expected), 1.0)
            bound = 1e-4 if mu > 1.0 else 3e-2  # scaled by units, the natural map of mu < 1 may leave 1e-3
            np.testing.assert_allclose(result.multipliers, expected, rtol=0, atol=bound * size)


@pytest.mark.parametrize("method", RUNNABLE)
def test_contacts_that_hang_together_islands_threads_and_starts(method):
    rng = np.random.default_rng(4)
    for trial in range(6 if COMPILED else 2):
        W = np.zeros((12, 12))
        W[:6, :6], W[6:9, 6:9], W[9:, 9:] = spd(rng, 6), spd(rng, 3), np.eye(3)
        mu = 10.0 ** rng.uniform(0.1, 12.0, 4)
        problem = Problem.from_delassus(W, rng.normal(size=12) - np.tile([0.5, 0, 0], 4), mu)
        answers = []
        for named in ({}, {"threads": 2}, {"separate": False}, {"warm_start": rng.normal(size=12)}):
            result = solve(problem, "ncp", method, tol=TOL, max_iterations=LIMIT, **named)
            answers.append(result)
            if result.converged:
                check(problem, result)
                again = solve(problem, "ncp", method, tol=TOL, warm_start=result.multipliers, max_iterations=LIMIT)
                assert again.converged
                assert again.iterations == 0
        assert answers[0].multipliers.tobytes() == answers[1].multipliers.tobytes(), trial


def test_the_automatic_choice_solves_contacts_that_hang_together():
    """Problems of three contacts: nearly all up to mu = 10, some up to 1e12, and each that is called solved is right."""
    rng, solved = np.random.default_rng(7), 0
    count = 20 if COMPILED else 4
    for most in (1.0, 12.0):
        for _ in range(count):
            problem = Problem.from_delassus(spd(rng, 9), rng.normal(size=9), 10.0 ** rng.uniform(0.1, most, 3))
            result = solve(problem, "ncp", "auto", tol=TOL, max_iterations=None if COMPILED else LIMIT)
            solved += result.converged and most == 1.0
            if result.converged:
                check(problem, result)
    assert solved >= 0.8 * count or not COMPILED


@pytest.mark.parametrize("mu", COEFFICIENTS)
@pytest.mark.parametrize("method", POLYGON)
def test_the_polygon_has_no_such_blindness(method, mu):
    for b in ([-1.0, 3.0], [0.1, 3.0], [-1.0, 0.1]):
        problem = Problem.from_delassus(np.eye(2), b, [mu], size=2)
        result = solve(problem, "lcp", method, tol=TOL)
        expected = [0.0, 0.0] if b[0] > 0 else [1.0, -min(mu, b[1])]
        if result.converged or method in ("auto", "lemke"):
            np.testing.assert_allclose(result.multipliers, expected, atol=1e-4)


@pytest.mark.parametrize("size", [2, 5, 6])
def test_contacts_of_all_sizes(size):
    """A rolling coefficient is a length, and may be large where the friction is small."""
    b = np.array([-1.0, 3.0, 0.5, 2.0, 1.0, 4.0])[:size]
    for mu in (1e3, 1e6, 1e12):
        for k in {2: [0], 5: [0, 1], 6: [0, 1, 2]}[size]:
            friction = np.full((1, 3), 0.3) * ([[1, 0, 0]] if size == 2 else [[1, 1, 0]] if size == 5 else [[1, 1, 1]])
            friction[0, k] = mu
            problem = Problem.from_delassus(np.eye(size), b, friction, size=size)
            assert errors_of(problem, np.zeros(size)).natural_map > 0.1
            result = solve(problem, "ncp", tol=TOL)
            assert result.converged, str(result)
            assert result.velocity[0] == pytest.approx(0.0, abs=1e-5)


def test_impacts_by_poisson_use_the_same_measure():
    problem = Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [1e6])
    impact = poisson_restitution(problem, [0.5], solver=partial(solve, law="ncp", tol=1e-9))
    np.testing.assert_allclose(impact.velocity, [0.5, 0.0, 0.0], atol=1e-6)


def test_what_says_so_is_the_error_in_velocity():
    """A cone of 1e6 shows a velocity of 1e-6 otherwise."""
    steep = Problem.from_delassus(np.eye(3), [-1.0, 3.0, 0.0], [1e6])
    errors = errors_of(steep, np.zeros(3))
    assert (errors.velocity, errors.speed) == (1.0, 3.0)  # driven in with 1 m/s, which nothing takes away
    result = solve(steep, "ncp", "pgs", max_iterations=1)
    assert not result.converged
    assert not replace(result, tol=1.0).converged  # a status is given, not computed anew
