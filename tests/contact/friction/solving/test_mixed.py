"""Cones of all sizes, equations, limits and motors in one problem: against Clarabel, an independent judge, elimination."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

from pluecker.contact import Problem, solve
from tests.conftest import COMPILED
from tests.contact.any_blocks import of_matrix, sets_of
from tests.contact.fuzz import long_errors
from tests.contact.random_friction import clarabel_solution, random_problem

INF = np.inf
SECOND = ("auto", "newton", "interior_point")
FIRST = ("apgd", "pgs", "psor")
SMALL = 12 if COMPILED else 6


def objective(full, b, r):
    return 0.5 * r @ full @ r + b @ r


@pytest.mark.parametrize("method", SECOND)
@pytest.mark.parametrize("seed", range(8 if COMPILED else 3))
def test_all_blocks_together_in_the_convex_law_against_clarabel(seed, method):
    random = random_problem(seed, SMALL, ratio=100.0 if seed % 2 else 1.0, copies=0.3 if seed % 3 else 0.0, flat=0.2)
    problem = random.problem()
    result = solve(problem, "ccp", method, tol=1e-10)
    assert result.converged, str(result)
    r, u = result.multipliers, result.velocity
    oracle, content = clarabel_solution(random, 1e-11)
    if not content:
        pytest.skip("Clarabel is not content")
    ours, theirs = (objective(random.full, random.b, x) for x in (r, oracle))
    scale = abs(ours) + 0.5 * np.abs(r) @ np.abs(random.full) @ np.abs(r)
    assert ours <= theirs + 1e-8 * scale
    assert abs(ours - theirs) <= 1e-7 * scale
    assert np.allclose(u, random.full @ oracle + random.b, rtol=0, atol=1e-4 * np.abs(random.b).max())
    assert long_errors(problem.sets, problem.matrix().diagonal(), problem.offset, r, u, "ccp")[0] <= 1.001e-10


@pytest.mark.parametrize("method", SECOND)
@pytest.mark.parametrize("seed", range(8 if COMPILED else 3))
def test_all_blocks_together_in_the_exact_law(seed, method):
    random = random_problem(seed, SMALL, friction=(0.05, 0.5), copies=0.3 if seed % 3 else 0.0, flat=0.2)
    problem = random.problem()
    tol = 1e-6 if method == "interior_point" else 1e-10
    result = solve(problem, "ncp", method, tol=tol)
    assert result.converged, str(result)
    diagonal, r, u = problem.matrix().diagonal(), result.multipliers, result.velocity
    assert long_errors(problem.sets, diagonal, problem.offset, r, u, "ncp")[0] <= 1.001 * tol


@pytest.mark.parametrize("method", [*FIRST, *SECOND])
@pytest.mark.parametrize("law", ["frictionless", "ccp", "ncp"])
def test_compliance_makes_all_answers_one(law, method):
    """Forces are unique in the convex law if all rows have a compliance: all methods find the same ones."""
    random = random_problem(3, 8, friction=(0.05, 0.4))
    compliance = np.full(len(random.b), 0.5)
    problem = random.problem(compliance)
    whole = of_matrix(random.full + 0.5 * np.eye(len(random.b)), random.b, random.K)
    expected = solve(whole, law, tol=1e-12)
    result = solve(problem, law, method, tol=1e-7)
    assert expected.converged
    assert result.converged, str(result)
    scale = np.abs(expected.multipliers).max()
    assert np.allclose(result.multipliers, expected.multipliers, rtol=0, atol=1e-5 * scale)
    assert np.allclose(result.velocity, problem.matrix() @ result.multipliers + random.b, rtol=0, atol=1e-12 * scale)


def eliminated(full, b, equations, others):
    """N and b of the other rows when the equations hold: the Schur complement, and how r of the equations follows."""
    E, O = np.ix_(equations, equations), np.ix_(equations, others)
    pinv = np.linalg.pinv(full[E], rcond=1e-10, hermitian=True)
    N = full[np.ix_(others, others)] - full[O].T @ pinv @ full[O]
    return 0.5 * (N + N.T), b[others] - full[O].T @ pinv @ b[equations], -pinv @ b[equations], -pinv @ full[O]


@pytest.mark.parametrize("redundant", [False, True])
@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("seed", range(4))
def test_equations_eliminated_by_hand_give_the_same_velocities(seed, law, redundant):
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(12 + 4, 24))
    if redundant:
        J[14:] = J[12:14] @ np.diag(np.ones(24)) * np.array([[2.0], [-0.5]])
    full, b = J @ J.T / 24.0, J @ rng.normal(size=24)
    rows = (np.full(4, -INF), np.full(4, INF))
    problem = Problem.from_delassus(full, b, np.full(4, 0.3), rows=rows)
    whole = solve(problem, law, tol=1e-11)
    assert whole.converged, str(whole)
    N, c, constant, linear = eliminated(full, b, np.arange(12, 16), np.arange(12))
    reduced = solve(Problem.from_delassus(N, c, np.full(4, 0.3)), law, tol=1e-11)
    assert reduced.converged
    assert np.allclose(whole.velocity[:12], reduced.velocity, rtol=0, atol=1e-8)
    assert np.allclose(whole.velocity[12:], 0.0, rtol=0, atol=1e-9)
    assert np.allclose(whole.multipliers[:12], reduced.multipliers, rtol=0, atol=1e-7)
    force = constant + linear @ reduced.multipliers
    assert np.allclose(J[12:].T @ whole.multipliers[12:], J[12:].T @ force, rtol=0, atol=1e-7)


@pytest.mark.parametrize("method", [*FIRST, *SECOND])
def test_rows_by_hand(method):
    """Decoupled rows have answers of their own: min(max(-b / N, lower), upper)."""
    lower = np.array([-INF, -INF, -1.0, -1.0, -1.0, 0.0, 0.0, 0.7, -INF])
    upper = np.array([INF, INF, 1.0, 1.0, 1.0, INF, INF, 0.7, -0.2])
    d = np.array([2.0, 0.5, 1.0, 2.0, 4.0, 1.0, 3.0, 1.0, 2.0])
    b = np.array([1.0, -2.0, 3.0, -4.0, 1.0, 2.0, -6.0, 5.0, -9.0])
    problem = Problem.from_delassus(np.diag(d), b, [], rows=(lower, upper))
    expected = np.clip(-b / d, lower, upper)
    result = solve(problem, "ncp", method, tol=1e-9)
    assert result.converged, str(result)
    assert np.allclose(result.multipliers, expected, rtol=0, atol=1e-7)
    assert result.islands == 9
    together = solve(problem, "ncp", method, tol=1e-9, separate=False)
    assert together.islands == 1
    assert np.allclose(together.multipliers, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("method", ["lemke", "minmap_newton", "auto"])
@pytest.mark.parametrize("seed", range(4))
def test_rows_in_the_polygonal_law(seed, method):
    """Against Coulomb's law in the plane, where two directions are all there are"""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(6 + 3, 12))
    full, b = J @ J.T / 12.0, J @ rng.normal(size=12)
    problem = Problem.from_delassus(full, b, [0.2, 0.3, 0.1], size=2, rows=([-INF, -0.2, 0.0], [INF, 0.2, INF]))
    exact = solve(problem, "ncp", tol=1e-11)
    polygon = solve(problem, "lcp", method, tol=1e-10, directions=2)
    assert exact.converged
    assert polygon.converged, str(polygon)
    assert np.allclose(exact.multipliers, polygon.multipliers, rtol=0, atol=1e-7)


def test_a_motor_drives_a_body_against_friction_until_it_slips():
    """Two rows of one body: friction of 0.5 x 2 N s holds a motor of 0.8, not one of 1.5."""
    N = np.eye(4)
    N[1, 3] = N[3, 1] = 1.0  # the motor acts along the first tangent
    N[3, 3] = 1.0
    for strength, slips in ((0.8, False), (1.5, True)):
        problem = Problem.from_delassus(N, [-2.0, 0.0, 0.0, -10.0], [0.5], rows=([-strength], [strength]))
        result = solve(problem, "ncp", tol=1e-10)
        assert result.converged
        assert result.multipliers[3] == pytest.approx(strength, abs=1e-8)
        assert result.multipliers[1] == pytest.approx(-1.0 if slips else -0.8, abs=1e-8)
        assert result.velocity[1] == pytest.approx(strength - 1.0 if slips else 0.0, abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_a_problem_of_many_islands_is_the_sum_of_them(seed):
    parts = [random_problem(10 * seed + k, 4, friction=(0.05, 0.4)) for k in range(4)]
    K = sets_of(
        *(np.concatenate([getattr(p.K, name) for p in parts]) for name in ("sizes", "friction", "lower", "upper"))
    )
    order = np.random.default_rng(seed).permutation(len(K.start) - 1)
    full = scipy.sparse.csr_matrix(scipy.linalg.block_diag(*(p.full for p in parts)))
    b = np.concatenate([p.b for p in parts])
    places = np.concatenate([np.arange(K.start[i], K.start[i + 1]) for i in order])
    mixed = sets_of(K.sizes[order], K.friction[order], K.lower[order], K.upper[order])
    problem = of_matrix(full[places][:, places], b[places], mixed)
    for law in ("ccp", "ncp"):
        whole = solve(problem, law, tol=1e-10)
        assert whole.converged, str(whole)
        assert whole.islands >= 4
        together = solve(problem, law, tol=1e-10, separate=False)
        assert together.converged, str(together)
        assert together.islands == 1
        assert np.allclose(whole.velocity, together.velocity, rtol=0, atol=1e-6)
        for threads in (1, 2, 3):
            again = solve(problem, law, tol=1e-10, threads=threads)
            assert again.multipliers.tobytes() == whole.multipliers.tobytes()
