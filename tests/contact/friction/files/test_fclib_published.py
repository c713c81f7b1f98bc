"""The published problems: the number of contacts, the operator that the datasets state, and nothing lost in writing."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.contact import read_fclib, read_fclib_guesses, read_fclib_solution, write_fclib
from tests.contact.friction.files.fclib_files import DATA, dense, published, read_fclib_form, same_problem

h5py = pytest.importorskip("h5py")


def contacts_in_readme() -> dict[str, int]:
    cells = (line.split("|") for line in (DATA / "README.md").read_text().splitlines() if ".hdf5 |" in line)
    return {name.strip(): int(count) for _, name, count, _ in cells}


@pytest.mark.parametrize("path", published())
def test_published_problems_have_the_stated_number_of_contacts(path):
    problem = read_fclib(path)
    assert problem.blocks == contacts_in_readme()[path.name]
    assert problem.size == 3 * problem.blocks
    assert problem.operator.is_factored == ("fclib_global" in h5py.File(path))


@pytest.mark.parametrize("path", published())
def test_published_problems_are_what_their_datasets_say(path):
    problem = read_fclib(path)
    with h5py.File(path) as file:
        name = "fclib_local" if "fclib_local" in file else "fclib_global"
        group, vectors = file[name], {key: value[()] for key, value in file[name]["vectors"].items()}
        if name == "fclib_local":
            W, q = dense(group["W"]), vectors["q"]
        else:
            M, H = group["M"], dense(group["H"])
            assert M["nz"][0] == M["m"][0] == M["n"][0]
            np.testing.assert_array_equal(M["p"][()], M["i"][()])  # it is diagonal
            mass = np.empty(len(H))
            mass[M["p"][()]] = M["x"][()]
            W = H.T @ (H / mass[:, None])
            q = vectors["w"] + H.T @ (vectors["f"] / mass)
    scale = np.abs(W).max()
    np.testing.assert_allclose(problem.matrix().toarray(), (W + W.T) / 2, rtol=0, atol=1e-13 * scale)
    np.testing.assert_allclose(problem.offset, q, rtol=0, atol=1e-13 * np.abs(q).max())
    np.testing.assert_array_equal(problem.sets.friction[:, 0], vectors["mu"])


@pytest.mark.parametrize("path", published())
def test_published_problems_survive_writing_bit_for_bit(path, tmp_path):
    source, problem = read_fclib_form(path), read_fclib(path)
    write_fclib(tmp_path / "form.hdf5", source)
    write_fclib(tmp_path / "problem.hdf5", problem)
    assert (tmp_path / "form.hdf5").read_bytes() == (tmp_path / "problem.hdf5").read_bytes()
    assert source.same(read_fclib_form(tmp_path / "form.hdf5"))
    assert same_problem(problem, read_fclib(tmp_path / "problem.hdf5"))


def test_capsules_is_slightly_asymmetric_and_says_how_much():
    path = DATA / "Capsules-i125-1213.hdf5"
    if not path.exists():
        pytest.skip(f"the published problems are not in {DATA}")
    source = read_fclib_form(path)
    W = source.W.toarray()
    assert source.asymmetry == pytest.approx(np.abs(W - W.T).max() / np.abs(W).max(), rel=1e-12)
    assert 1e-3 < source.asymmetry < 2e-3
    N = read_fclib(path).matrix().toarray()
    np.testing.assert_array_equal(N, N.T)


@pytest.mark.parametrize("path", published())
def test_published_solutions_are_placeholders(path):
    solution, guesses = read_fclib_solution(path), read_fclib_guesses(path)
    with h5py.File(path) as file:
        assert (solution is not None) == ("solution" in file)
        assert len(guesses) == (file["guesses/number_of_guesses"][0] if "guesses" in file else 0)
        if solution is not None:
            assert solution.placeholder
            assert solution.u is not None
            np.testing.assert_array_equal(solution.u, file["solution/u"][()])
    if path.stem.startswith("Capsules"):
        assert not guesses[0].placeholder  # somebody's last iterate
