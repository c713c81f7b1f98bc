"""The interior-point method: against Clarabel, closed forms, real problems, no solutions."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.contact import read_fclib
from pluecker.contact.blocks import from_scipy
from pluecker.contact.interior_point import CONVERGED, LIMIT, STALLED, UNBOUNDED, interior_point
from pluecker.contact.sets import project
from pluecker.contact.symbolic import analyse
from tests.contact.fclib_files import published
from tests.contact.random_friction import as_problem, clarabel_solution, random_problem

INF = np.inf

EPS = np.finfo(float).eps


def run(problem, tolerance=1e-12, limit=100, start=None):
    """Status, iterations, multipliers, error"""
    start = np.zeros(len(problem.b)) if start is None else start
    return interior_point(problem.N, problem.b, problem.K, start, tolerance, limit, analyse(problem.N))


def natural_map(problem, r):
    """|r - P(r - u)| / max(|b|, |r|, |u|), from the full matrix"""
    u = problem.full @ r + problem.b
    nearest = np.empty(len(r))
    project(problem.K, r - u, nearest)
    return np.linalg.norm(r - nearest) / max(*(np.linalg.norm(a) for a in (problem.b, r, u)), 1e-300)


def objective(problem, r):
    """1/2 r' N r + b' r"""
    return 0.5 * r @ problem.full @ r + problem.b @ r


def is_in_set(problem, r):
    """Whether r is its own projection, to rounding"""
    nearest = np.empty(len(r))
    project(problem.K, r, nearest)
    return np.abs(nearest - r).max(initial=0.0) <= 1e-14 * np.abs(r).max(initial=0.0)


def rows(full, b, lower, upper):
    """A problem of rows without discs"""
    n = len(b)
    return as_problem(full, b, [(0, 0, 0)] * n, np.zeros((n, 3)), np.full(n, lower), np.full(n, upper))


def contact(full, b, mu=0.5):
    """One contact in space"""
    return as_problem(full, b, [(2, 0, 0)], [[mu, 0, 0]], [0.0], [INF])


# -------------------------------------------------------------------------------------------------------------- oracle

FAMILIES = {
    "all": {},
    "circles": {"kinds": ("1", "3")},
    "rolling": {"kinds": ("5", "6")},
    "plane": {"kinds": ("2", "equation"), "copies": 0.7},
    "rows": {"kinds": ("equation", "limit", "motor", "fixed")},
    "masses": {"ratio": 1e8, "kinds": ("1", "3", "limit")},
    "twice": {"copies": 0.5},
    "slippery": {"friction": (1e-6, 10.0), "flat": 0.3},
    "everything": {"friction": (1e-3, 10.0), "flat": 0.3, "copies": 0.5, "ratio": 1e4},
}


@pytest.mark.parametrize(
    "count", [1, 3, pytest.param(10, marks=pytest.mark.slow), pytest.param(40, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_natural_map_vanishes(family, count):
    for seed in range(3):
        problem = random_problem(seed, count, **FAMILIES[family])
        status, iterations, r, error = run(problem)
        assert status == CONVERGED
        assert iterations <= 40
        assert error <= 1e-12
        assert natural_map(problem, r) <= 2e-12
        assert is_in_set(problem, r)


@pytest.mark.parametrize("count", [1, 3, 10, 30])
@pytest.mark.parametrize("family", ["all", "circles", "rolling", "plane", "rows", "twice"])
def test_the_minimum_is_that_of_clarabel(family, count):
    pytest.importorskip("clarabel")
    problem = random_problem(count, count, **FAMILIES[family])
    _, _, r, _ = run(problem)
    other, solved = clarabel_solution(problem)
    if not solved:
        pytest.skip("Clarabel did not solve it")
    value, theirs = objective(problem, r), objective(problem, other)
    assert abs(value - theirs) <= 1e-8 * max(abs(theirs), np.linalg.norm(problem.b) ** 2 / np.diag(problem.full).max())


@pytest.mark.parametrize("path", published())
def test_real_problems_to_ten_digits(path):
    problem = read_fclib(path)
    K = problem.sets
    N = from_scipy(problem.matrix(), K.start, K.start)
    status, iterations, r, error = interior_point(
        N, problem.offset, K, np.zeros(len(problem.offset)), 1e-10, 60, analyse(N)
    )
    assert status == CONVERGED
    assert iterations <= 30
    assert error <= 1e-10
    u = problem.velocity(r)
    nearest = np.empty(len(r))
    project(K, r - u, nearest)
    sizes = [np.linalg.norm(a) for a in (problem.offset, r, u)]
    assert np.linalg.norm(r - nearest) <= 2e-10 * max(sizes)


# --------------------------------------------------------------------------------------------------------- closed forms


def test_one_contact_sticks_slides_or_opens():
    full = np.diag([2.0, 1.0, 1.0])
    stick = run(contact(full, [-2.0, 0.3, -0.2]))
    assert np.allclose(stick[2], [1.0, -0.3, 0.2], rtol=0.0, atol=1e-11)
    opens = run(contact(full, [2.0, 0.3, -0.2]))
    assert np.allclose(opens[2], 0.0, rtol=0.0, atol=1e-11)
    slide = run(contact(full, [-2.0, 3.0, 0.0]))
    n = (2.0 + 0.5 * 3.0) / (2.0 + 0.25)  # the minimum of n^2 - 2 n + t^2 / 2 - 3 t with t = n / 2
    assert np.allclose(slide[2], [n, -0.5 * n, 0.0], rtol=0.0, atol=1e-11)
    assert all(result[0] == CONVERGED for result in (stick, opens, slide))


def test_a_contact_without_friction_and_discs_without_friction():
    full = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    for mu in (0.0, 1e-13):
        status, _, r, _ = run(contact(full, [-1.0, 3.0, 1.0], mu))
        assert status == CONVERGED
        assert np.allclose(r, [0.5, 0.0, 0.0], rtol=0.0, atol=1e-12)
    rolling = as_problem(np.eye(6), [-1.0, 5.0, 0.0, -5.0, 0.0, 0.1], [(2, 2, 1)], [[0.0, 0.5, 0.0]], [0.0], [INF])
    status, _, r, _ = run(rolling)
    n = (1.0 + 0.5 * 5.0) / 1.25
    assert status == CONVERGED
    assert np.allclose(r, [n, 0.0, 0.0, 0.5 * n, 0.0, 0.0], rtol=0.0, atol=1e-11)


@pytest.mark.parametrize(
    ("lower", "upper", "b", "expected"),
    [
        (-INF, INF, 3.0, -1.5),
        (-1.0, 1.0, 3.0, -1.0),
        (-1.0, 1.0, -3.0, 1.0),
        (-1.0, 2.0, -3.0, 1.5),
        (5.0, INF, 0.0, 5.0),
        (-INF, -5.0, 0.0, -5.0),
        (2.0, 2.0, -1.0, 2.0),
        (2.0, 2.0 + 1e-9, -1.0, 2.0),
        (-1e30, 1e30, 2.0, -1.0),
        (0.0, 0.0, 0.0, 0.0),
    ],
)
def test_one_row_with_bounds(lower, upper, b, expected):
    status, _, r, error = run(rows([[2.0]], [b], lower, upper), 1e-9)
    assert status == CONVERGED
    assert r[0] == pytest.approx(expected, rel=2e-9, abs=1e-12)
    assert error <= 1e-9


def test_no_contacts_at_all():
    status, iterations, r, error = run(rows(np.zeros((0, 0)), [], 0.0, INF))
    assert (status, iterations, len(r), error) == (CONVERGED, 0, 0, 0.0)


def test_a_start_that_is_a_solution_is_returned():
    problem = random_problem(0, 10)
    _, _, r, _ = run(problem)
    status, iterations, again, error = run(problem, 1e-10, start=r)
    assert (status, iterations) == (CONVERGED, 0)
    assert np.abs(again - r).max() <= 8 * EPS * np.abs(r).max()  # scaled, projected, scaled back
    assert error <= 1e-12


@pytest.mark.parametrize(("speed", "mass"), [(1e-200, 1.0), (1e200, 1.0), (1.0, 1e-3), (1.0, 1e3), (1e9, 1e3)])
def test_units_do_not_matter(speed, mass):
    problem = random_problem(3, 8, kinds=("1", "2", "3", "6"))
    K = problem.K
    other = as_problem(problem.full / mass, problem.b * speed, K.sizes, K.friction, K.lower, K.upper)
    r, result = run(problem)[2], run(other)[2]
    assert np.allclose(result / speed / mass, r, rtol=0.0, atol=1e-7 * np.abs(r).max())


# ------------------------------------------------------------------------------------------------------ honest failures


@pytest.mark.parametrize(
    "problem",
    [
        rows(np.ones((2, 2)), [1.0, 2.0], -INF, INF),
        rows(np.zeros((1, 1)), [1.0], -INF, INF),
        rows(np.zeros((1, 1)), [-1.0], 0.0, INF),
        rows(np.array([[1.0, -1.0], [-1.0, 1.0]]), [-1.0, -1.0], 0.0, INF),
        contact(np.zeros((3, 3)), [0.1, -1.0, 0.0]),
    ],
    ids=["equations", "free", "half-line", "pushed", "cone"],
)
def test_an_objective_without_minimum_is_found_out(problem):
    status, iterations, r, error = run(problem, 1e-9)
    assert status == UNBOUNDED
    assert iterations <= 50
    assert np.all(np.isfinite(r))
    assert error > 1e-3


@pytest.mark.parametrize("seed", range(8))
def test_velocities_out_of_reach_end_honestly(seed):
    problem = random_problem(seed, 20, copies=0.7)
    problem = problem._replace(b=problem.b + np.random.default_rng(seed).normal(size=len(problem.b)))
    status, iterations, r, error = run(problem, 1e-9)
    assert iterations <= 60
    assert np.all(np.isfinite(r))
    assert np.isfinite(error)
    assert natural_map(problem, r) == pytest.approx(error, rel=1e-6, abs=1e-12)
    assert (status == CONVERGED) == (error <= 1e-9)


def test_a_large_bound_is_no_infinity():
    status, _, r, error = run(rows(np.zeros((1, 1)), [-1.0], -1.0, 1e6), 1e-8)
    assert status == CONVERGED
    assert r[0] == pytest.approx(1e6, rel=1e-7)
    assert error <= 1e-8


def test_the_limit_of_iterations_holds():
    problem = random_problem(0, 20)
    for limit in range(5):
        status, iterations, r, error = run(problem, limit=limit)
        assert (status, iterations) == (LIMIT, limit)
        assert is_in_set(problem, r)
        assert natural_map(problem, r) == pytest.approx(error, rel=1e-6)


def test_a_start_outside_the_set_is_brought_into_it():
    problem = random_problem(0, 20)
    start = np.random.default_rng(0).normal(size=len(problem.b))
    status, _, r, error = run(problem, limit=0, start=start)
    assert status == LIMIT
    assert not is_in_set(problem, start)
    assert is_in_set(problem, r)
    assert natural_map(problem, r) == pytest.approx(error, rel=1e-6)


def test_a_tolerance_of_zero_gives_all_digits():
    problem = random_problem(1, 20, kinds=("3",))
    status, iterations, _, error = run(problem, 0.0)
    assert status in (STALLED, CONVERGED)
    assert iterations <= 60
    assert error <= 1e-13


def test_indefinite_matrices_end():
    for full in ([[1.0, 2.0], [2.0, 1.0]], [[1.0, -2.0], [-2.0, 1.0]]):
        for bounds in ((-INF, INF), (0.0, INF), (-1.0, 1.0)):
            status, iterations, r, error = run(rows(np.array(full), [-1.0, -1.0], *bounds), 1e-9)
            assert iterations <= 100
            assert np.all(np.isfinite(r))
            assert status != CONVERGED or error <= 1e-9
