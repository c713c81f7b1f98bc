"""Matrices printed with few digits: moved by what they lack, no further, and only where that was allowed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from pluecker.contact import Problem, ProblemError, read_fclib, write_fclib
from pluecker.contact.friction.problem import repair as module
from pluecker.spatial import ArgumentTypeError
from tests.contact.friction.files.fclib_files import LocalForm


def printed(contacts, digits, seed=0, unit=1.0):
    """A singular matrix, of so many digits, and q, mu."""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(3 * contacts, contacts + 4))
    W = unit * (J @ J.T)
    upper = np.array([[float(f"{x:.{digits - 1}e}") for x in row] for row in W])
    return np.triu(upper) + np.triu(upper, 1).T, J @ rng.normal(size=contacts + 4), np.full(contacts, 0.5)


def lack(W):
    """Return minus the smallest eigenvalue, and the largest one."""
    values = np.linalg.eigvalsh(W)
    return -values[0], values[-1]


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("digits", [6, 7, 8])
def test_the_matrix_is_moved_by_what_its_smallest_eigenvalue_lacks(digits, unit, dense, monkeypatch):
    """No positive semidefinite matrix is nearer in the spectral norm. Without all eigenvalues: at most a twentieth more."""
    if not dense:
        monkeypatch.setattr(module, "DENSE", 0)
    W, q, mu = printed(8, digits, unit=unit)
    least, largest = lack(W)
    assert 1e-10 < least / largest < 1e-5
    with pytest.raises(ProblemError, match="W is not positive semidefinite"):
        Problem.from_delassus(W, q, mu)
    problem = Problem.from_delassus(W, q, mu, repair=1e-5)
    rounding = 1e-12 * largest
    assert least - rounding <= problem.moved <= (1.0 if dense else module.CLOSE_TO_SMALLEST) * least + rounding
    change = problem.matrix().toarray() - W
    assert np.linalg.norm(change, 2) == pytest.approx(problem.moved, abs=rounding)
    assert lack(problem.matrix().toarray())[0] <= rounding


def test_what_is_further_from_semidefinite_than_allowed_is_refused():
    W, q, mu = printed(8, 6)
    least, largest = lack(W)
    with pytest.raises(
        ProblemError, match=rf"the smallest eigenvalue is -{least / largest:.2g} of the largest, expected"
    ):
        Problem.from_delassus(W, q, mu, repair=0.5 * least / largest)
    with pytest.raises(ProblemError, match="W is not positive semidefinite"):
        Problem.from_delassus(-W, q, mu, repair=0.9)


def test_what_is_semidefinite_is_not_touched():
    rng = np.random.default_rng(1)
    J = rng.normal(size=(12, 6))
    W = J @ J.T
    problems = [Problem.from_delassus(W, np.zeros(12), np.full(4, 0.5), repair=part) for part in (0.0, 1e-6)]
    assert problems[1].moved == 0.0
    assert np.array_equal(problems[0].matrix().toarray(), problems[1].matrix().toarray())


def test_islands_are_repaired_by_themselves():
    """The one that is stiff a million times does not move the other."""
    first, second = printed(4, 7, seed=2), printed(4, 7, seed=3, unit=1e6)
    W = scipy.linalg.block_diag(first[0], second[0])
    problem = Problem.from_delassus(W, np.zeros(24), np.full(8, 0.5), repair=1e-5)
    change = np.diag(problem.matrix().toarray() - W)
    assert change[:12].max() <= 1.01 * lack(first[0])[0]
    assert change[12:].max() == pytest.approx(lack(second[0])[0], rel=1e-3)


@pytest.mark.parametrize("wrong", [-1e-9, 1.0, np.inf, np.nan])
def test_a_part_is_below_one(wrong):
    with pytest.raises(ProblemError, match="repair is"):
        Problem.from_delassus(np.eye(3), np.zeros(3), [0.5], repair=wrong)
    with pytest.raises(ArgumentTypeError, match="repair is"):
        Problem.from_delassus(np.eye(3), np.zeros(3), [0.5], repair="1e-6")


def test_files_of_few_digits_are_read_and_written_as_they_were(tmp_path):
    pytest.importorskip("h5py")
    W, q, mu = printed(4, 7, seed=4)
    write_fclib(tmp_path / "a.hdf5", LocalForm(W, q, mu, 3))
    with pytest.raises(ProblemError, match="fclib_local: W is not positive semidefinite"):
        read_fclib(tmp_path / "a.hdf5")
    problem = read_fclib(tmp_path / "a.hdf5", repair=1e-5)
    assert problem.moved > 0.0
    write_fclib(tmp_path / "b.hdf5", problem)
    assert (tmp_path / "a.hdf5").read_bytes() == (tmp_path / "b.hdf5").read_bytes()
