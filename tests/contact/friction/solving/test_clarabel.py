"""The method clarabel does as well as Clarabel on its own, called here with its defaults and nothing of the package."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from pluecker.contact import errors_of, read_fclib, solve
from tests.contact.friction.files.fclib_files import published
from tests.contact.random_friction import random_problem

clarabel = pytest.importorskip("clarabel")


def alone(problem):
    """The convex law by Clarabel, with its defaults, in the units of the problem: contacts of three components only."""
    m, mu = problem.size, problem.sets.friction[:, 0]
    rows = np.arange(m)
    lines = scipy.sparse.csc_matrix((-np.where(rows % 3 == 0, np.repeat(mu, 3), 1.0), (rows, rows)), shape=(m, m))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    N = scipy.sparse.triu(problem.matrix()).tocsc()
    kinds = [clarabel.SecondOrderConeT(3)] * len(mu)
    return np.array(clarabel.DefaultSolver(N, problem.offset, lines, np.zeros(m), kinds, settings).solve().x)


def compare(problem):
    """Check that our error is no larger than that of Clarabel alone, beyond what rounding leaves of both; return it."""
    theirs = errors_of(problem, alone(problem), "ccp").natural_map
    result = solve(problem, "ccp", "clarabel", tol=1e-14)
    assert result.errors.natural_map <= max(theirs, 1e-11), f"{result.errors.natural_map:.1e}, alone {theirs:.1e}"
    return result.errors.natural_map


@pytest.mark.parametrize("path", published())
def test_published_problems_are_solved_as_well_as_by_clarabel_alone(path):
    assert compare(read_fclib(path)) <= 1e-7  # a gap of 1e-15, and its root where a contact slides


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ratio", [1.0, 1e4])
def test_generated_problems_are_solved_as_well_as_by_clarabel_alone(seed, ratio):
    compare(random_problem(seed, 8, kinds=("3",), ratio=ratio).problem())


@pytest.mark.parametrize("unit", [1e-9, 1e9])
@pytest.mark.parametrize("seed", range(3))
def test_units_of_mass_and_of_velocity_change_no_digit(seed, unit):
    random = random_problem(seed, 6)
    first = solve(random.problem(), "ccp", "clarabel", tol=1e-14)
    K = random.K._replace(lower=random.K.lower / unit, upper=random.K.upper / unit)
    second = solve(random._replace(full=random.full * unit, K=K).problem(), "ccp", "clarabel", tol=1e-14)
    size = np.abs(first.velocity).max()
    assert np.allclose(second.velocity, first.velocity, rtol=0, atol=1e-5 * size)
