"""The published problems: what each method reaches, Clarabel's optimum, both forms, starts, threads, islands."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.contact.clarabel import dual_form
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
@pytest.mark.parametrize("method", ["auto", "apgd", "pgs", "newton", "interior_point"])
def test_a_start_from_the_solution_converges_at_once(path, law, method):
    problem = problem_of(path)
    result = checked(problem, law, tol=1e-9)
    again = checked(problem, law, method, tol=1e-8, warm_start=result.multipliers)
    assert again.iterations <= 2
    assert np.allclose(again.multipliers, result.multipliers, rtol=0, atol=1e-6 * np.abs(result.multipliers).max())
