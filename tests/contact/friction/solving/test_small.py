"""Islands of few rows: solved by Newton's method alone, within the tolerance of all others, or left as they were."""

import threading

import numpy as np
import pytest

from benchmarks.contact.problems import packing
from pluecker.contact import Problem, errors_of, solve
from tests.conftest import COMPILED
from tests.contact.random_friction import random_problem


def stages(result):
    return [stage.method for stage in result.stages]


@pytest.mark.indices
@pytest.mark.parametrize("law", ["frictionless", "ccp", "ncp"])
def test_small_islands_have_the_errors_that_were_asked_for(law):
    alone = 0
    for seed in range(6):
        problem = random_problem(seed, 6, ("3", "equation", "limit", "motor")).problem()
        result = solve(problem, law, tol=1e-9)
        errors = errors_of(problem, result.multipliers, law)
        assert result.converged
        assert errors.natural_map <= 1e-9
        assert errors.cone_violation <= 1e-15
        alone += stages(result) in (["newton"], [])
    assert alone >= 4


@pytest.mark.parametrize("r", [[-2.0, 0.0, 0.0], [-0.5, 2.0, 0.0], [2.0, 3.0, 0.0], [2.0, 0.0, -3.0], [2.0, 0.5, 0.5]])
def test_the_cone_violation_is_the_way_to_the_cone(r):
    """With mu = 1/2, pulling is outside of the cone as pushing aside is: its largest component, for the largest of r."""
    problem = Problem.from_delassus(np.eye(3), [-1.0, 0.0, 0.0], [0.5])
    n, t = r[0], np.hypot(*r[1:])
    nearest = max(0.0, (n + 0.5 * t) / 1.25) * np.array([1.0, *(0.5 * np.array(r[1:]) / max(t, 1e-300))])
    way = 0.0 if t <= 0.5 * n else np.abs(nearest - r).max() / np.abs(r).max()
    assert errors_of(problem, r, "ccp").cone_violation == pytest.approx(way, rel=1e-14, abs=1e-16)


def turning(seed, contacts=4):
    """Contacts of one body, that resist to rolling and spinning, in metres and newtons."""
    rng = np.random.default_rng(seed)
    body = np.diag(np.repeat([0.7, 30.0], 3))
    rows = []
    for _ in range(contacts):
        arm, frame = rng.normal(scale=0.1, size=3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
        cross = np.cross(np.eye(3), arm)
        rows += [np.r_[axis, cross @ axis] for axis in frame] + [
            np.r_[0.0, 0.0, 0.0, axis] for axis in frame[[1, 2, 0]]
        ]
    J = np.array(rows)
    return J @ body @ J.T, J @ rng.normal(size=6), np.tile([0.5, 0.01, 0.005], (contacts, 1))


@pytest.mark.parametrize("seed", range(4))
def test_contacts_that_resist_to_turning_are_found_where_others_find_them(seed):
    problem = Problem.from_delassus(*turning(seed), size=6, symmetrise=True)
    small = solve(problem, tol=1e-9)
    assert stages(small) in (["newton"], [])
    other = solve(problem, method="psor", tol=1e-9, max_iterations=200_000)
    assert other.converged
    np.testing.assert_allclose(small.velocity, other.velocity, rtol=0.0, atol=1e-6 * np.abs(other.velocity).max())


def test_in_other_units_of_length_rolling_and_spinning_are_the_same_problem():
    """Moments in N mm and turns in rad/mm, with coefficients in mm: the errors are what they were, to rounding"""
    N, b, mu = turning(0)
    units = np.tile([1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3], 4)
    metres = Problem.from_delassus(N, b, mu, size=6, symmetrise=True)
    other = Problem.from_delassus(units * N * units[:, None], units * b, mu * (1.0, 1e3, 1e3), size=6, symmetrise=True)
    r = np.random.default_rng(0).normal(size=24) ** 2 * 0.1
    for law in ("ccp", "ncp"):
        one, two = errors_of(metres, r, law), errors_of(other, r / units, law)
        assert one.natural_map == pytest.approx(two.natural_map, rel=1e-12)
        assert one.velocity == pytest.approx(two.velocity, rel=1e-12)
        found, again = solve(metres, law, tol=1e-9), solve(other, law, tol=1e-9)
        np.testing.assert_allclose(
            again.velocity / units, found.velocity, rtol=0.0, atol=1e-7 * np.abs(found.velocity).max()
        )


def test_the_convex_law_takes_no_interior_point_from_a_start_that_is_near():
    """Few factors are enough, for 20 contacts on one island."""
    rng = np.random.default_rng(3)
    J = rng.normal(size=(60, 40))
    problem = Problem.from_delassus(J @ J.T, J @ rng.normal(size=40), np.full(20, 0.4))
    cold = solve(problem, "ccp", tol=1e-8)
    assert cold.converged
    near = cold.multipliers * (1.0 + 1e-7 * rng.normal(size=60))
    warm = solve(problem, "ccp", tol=1e-8, warm_start=near)
    assert warm.converged
    assert "interior_point" not in stages(warm)
    np.testing.assert_allclose(warm.velocity, cold.velocity, rtol=0.0, atol=1e-6 * np.abs(cold.velocity).max())


@pytest.mark.skipif(not COMPILED, reason="compiled code alone may be long in one piece")
@pytest.mark.parametrize("law", ["ccp", "ncp"])
def test_problems_of_some_hundred_contacts_need_no_thread(monkeypatch, law):
    """One takes as long to start as a problem of this size"""
    problem = packing(150)
    expected = solve(problem, law, threads=1)  # compiles
    monkeypatch.setattr(threading.Thread, "start", None)
    assert np.array_equal(solve(problem, law, threads=1).multipliers, expected.multipliers)


def cube(velocity, mu=0.5):
    """A cube of 1 kg on its four corners; impulses of 0.25 of its momentum each if it falls straight."""
    axes = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    J = np.vstack([np.hstack([np.cross([x, y, -0.5], axes), axes]) for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
    return Problem.from_delassus(J @ np.diag([6.0] * 3 + [1.0] * 3) @ J.T, J @ np.asarray(velocity), np.full(4, mu))


@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("tol", [1e-4, 1e-6, 1e-9])
def test_all_corners_of_a_cube_press(law, tol):
    result = solve(cube([0, 0, 0, 0, 0, -1.0]), law, tol=tol)
    assert stages(result) == ["newton"]
    np.testing.assert_allclose(result.multipliers[::3], 0.25, rtol=0.0, atol=max(1e-6, tol))
    assert result.contact_states().tolist() == ["sticking"] * 4


@pytest.mark.parametrize("velocity", [[0, 0, 0, 0.1, 0.2, -1.0], [0, 0, 0, 1.0, 0, -1.0], [0.5, 0, 0, 0, 0, -0.2]])
def test_contacts_are_found_in_the_states_that_other_methods_find(velocity):
    problem = cube(velocity)
    states = [solve(problem, "ncp", method, tol=1e-9).contact_states().tolist() for method in ("auto", "pgs")]
    assert states[0] == states[1]
    assert "undetermined" not in states[0]
