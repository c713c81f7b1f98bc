"""The published problems: what each method reaches, Clarabel's optimum, both forms, starts, threads, islands."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.contact_clarabel import dual_form
from pluecker.contact import Problem, read_fclib, solve
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.friction.files.fclib_files import published
from tests.contact.fuzz import long_errors

pytestmark = [
    pytest.mark.skipif(not COMPILED, reason="hundreds of contacts take minutes without compilation"),
    pytest.mark.parametrize("path", published() if EVERYTHING else published()[:2]),  # factors, and a matrix
]

_read = {}


def problem_of(path):
    """Read a published problem, once."""
    if path not in _read:
        _read[path] = read_fclib(path)
    return _read[path]


def checked(problem, law, method="auto", **named):
    """A result that converged, its error computed again."""
    result = solve(problem, law, method, **named)
    assert result.converged, str(result)
    tol = named.get("tol", 1e-6)
    u = problem.matrix() @ result.multipliers + problem.offset
    assert np.allclose(result.velocity, u, rtol=0, atol=1e-12 * max(np.abs(u).max(), np.abs(problem.offset).max()))
    diagonal, enough = problem.matrix().diagonal(), tol * (1 + 1e-5) + 1e-14
    natural, velocity, speed = long_errors(problem.sets, diagonal, problem.offset, result.multipliers, u, law)
    assert natural <= enough
    assert velocity <= enough * speed
    return result


def test_gradients_reach_the_convex_law(path):
    result = checked(problem_of(path), "ccp", "apgd", tol=1e-6, max_iterations=8000)
    assert result.products <= 10 * result.iterations + 10
    print(f"{path.stem}: {result.iterations} iterations")


@pytest.mark.parametrize(("law", "tol"), [("frictionless", 1e-10), ("ccp", 1e-10), ("ncp", 1e-6), ("ncp", 1e-8)])
def test_the_automatic_choice_reaches_all_digits(path, law, tol):
    problem = problem_of(path)
    result = checked(problem.with_friction(0.0) if law == "frictionless" else problem, law, tol=tol)
    first = "newton", "apgd" if law == "ncp" else "interior_point"  # the latter where bodies are not known
    assert result.stages[0].method in first
    assert result.iterations <= sum(stage.iterations for stage in result.stages)


def test_the_optimum_is_that_of_clarabel(path):
    pytest.importorskip("clarabel")
    problem = problem_of(path)
    N, b = problem.matrix(), problem.offset
    result = checked(problem, "ccp", tol=1e-10)
    r, u = result.multipliers, result.velocity

    def objective(r):
        return 0.5 * r @ (N @ r) + b @ r

    # Clarabel in two units, of which one suits it: those of the file, and those in which N and b are near one.
    s = float(np.sqrt(N.diagonal().mean()))
    t = float(np.abs(b / s).max())
    scaled = dual_form(Problem.from_delassus(N / s**2, b / s / t, problem.sets.friction[:, 0]))
    other = dual_form(problem)
    answers = scaled.impulses(scaled.run()[1]) / s * t, other.impulses(other.run()[1])
    oracle = min(answers, key=objective)
    ours, theirs = objective(r), objective(oracle)
    assert abs(ours - theirs) <= 1e-7 * abs(ours)
    # The velocities are unique: half the square of their difference, in the metric of masses, is what the objectives differ.
    assert np.linalg.norm(u - (N @ oracle + b)) <= 1e-3 * np.linalg.norm(u)


@pytest.mark.parametrize("law", ["ccp", "ncp"])
def test_both_forms_of_the_operator_agree(path, law):
    problem = problem_of(path)
    if not problem.operator.is_factored:
        pytest.skip("this file has a matrix only")
    r = np.random.default_rng(0).normal(size=problem.size)
    u = problem.velocity(r)
    assert np.allclose(u, problem.assembled().velocity(r), rtol=0, atol=1e-12 * np.abs(u).max())
    matrix, factors = (checked(problem, law, "apgd", form=form, tol=1e-4) for form in ("matrix", "factors"))
    scale = max(np.abs(matrix.velocity).max(), np.abs(problem.offset).max())
    assert np.allclose(matrix.velocity, factors.velocity, rtol=0, atol=0.01 * scale)
    again = checked(problem.assembled(), law, tol=1e-8)
    assert np.allclose(again.velocity, checked(problem, law, tol=1e-8).velocity, rtol=0, atol=1e-4 * scale)


@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("method", ["auto", "apgd", "pgs", "newton", "interior_point"])
def test_a_start_from_the_solution_converges_at_once(path, law, method):
    problem = problem_of(path)
    result = checked(problem, law, tol=1e-9)
    again = checked(problem, law, method, tol=1e-8, warm_start=result.multipliers)
    assert again.iterations <= 2
    assert np.allclose(again.multipliers, result.multipliers, rtol=0, atol=1e-6 * np.abs(result.multipliers).max())


@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("method", ["auto", "apgd"])
def test_threads_change_no_bit(path, law, method):
    problem = problem_of(path)
    results = [solve(problem, law, method, tol=1e-5, threads=threads, max_iterations=3000) for threads in (1, 2, 2, 1)]
    assert len({result.multipliers.tobytes() for result in results}) == 1
    assert len({result.velocity.tobytes() for result in results}) == 1
    assert len({(result.iterations, result.products, result.status) for result in results}) == 1


@pytest.mark.parametrize("law", ["ccp", "ncp"])
def test_islands_together_give_the_same_velocities(path, law):
    problem = problem_of(path)
    apart, together = (checked(problem, law, tol=1e-8, separate=separate) for separate in (True, False))
    assert together.islands == 1
    assert apart.islands >= 1
    if law == "ccp":  # unique
        scale = max(np.abs(apart.velocity).max(), np.abs(problem.offset).max())
        assert np.allclose(apart.velocity, together.velocity, rtol=0, atol=1e-4 * scale)


def test_the_history_ends_at_the_error(path):
    result = solve(problem_of(path), "ncp", tol=1e-7, history=True)
    assert (np.diff(result.history[:, 1]) <= 0).all()
    assert (np.diff(result.history[:, 0]) >= 0).all()
    assert result.history[-1, 1] <= 1e-4
