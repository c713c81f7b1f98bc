"""Texts of Siconos: what is read is what was written, and each fault is one sentence that names the file and the line."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.contact import FileError, Problem, ProblemError, read_siconos, write_fclib
from pluecker.spatial import ArgumentTypeError
from tests.command import main
from tests.contact.friction.files.siconos_files import EXACT, STORAGES, example, text_of


def file_of(folder, text):
    path = folder / "problem.dat"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("storage", STORAGES)
def test_what_is_read_is_what_was_written(storage, size, tmp_path):
    W, q, mu = example(size=size)
    problem = read_siconos(file_of(tmp_path, text_of(W, q, mu, size, storage)), repair=1e-5)
    digits = 0.0 if storage in EXACT else 5.1e-6 * np.abs(W).max()
    assert np.array_equal(problem.offset, q)
    assert np.array_equal(problem.sets.friction[:, 0], mu)
    assert np.abs(problem.matrix().toarray() - W).max() <= digits + problem.moved
    assert (problem.moved == 0.0) == (storage in EXACT)


@pytest.mark.parametrize("storage", ["dense", "blocks"])
def test_columns_come_one_after_the_other(storage, tmp_path):
    """A matrix that is not quite symmetric, whose lower triangle is told from its upper one by the complaint."""
    W, q, mu = example()
    W[0, 1] += 0.1 * np.abs(W).max()
    with pytest.raises(
        FileError, match=rf"W\[0, 1\] is {W[0, 1]:.6g} and W\[1, 0\] is {W[1, 0]:.6g}".replace("+", r"\+")
    ):
        read_siconos(file_of(tmp_path, text_of(W, q, mu, storage=storage)))


def test_old_files_say_at_their_end_whether_they_are_complete(tmp_path):
    W, q, mu = example()
    assert read_siconos(file_of(tmp_path, text_of(W, q, mu) + "1\n")).blocks == 4


def test_a_sparse_matrix_may_be_without_its_kind_as_earlier_versions_write_it(tmp_path):
    W, q, mu = example()
    text = text_of(W, q, mu, storage="triplets").replace("12\n12\n1\nCSparse", "12\n12\nCSparse")
    assert read_siconos(file_of(tmp_path, text), repair=1e-5).blocks == 4


def test_six_digits_are_refused_unless_they_may_be_repaired(tmp_path):
    W, q, mu = example()
    path = file_of(tmp_path, text_of(W, q, mu, storage="triplets"))
    with pytest.raises(FileError, match="W is not positive semidefinite"):
        read_siconos(path)
    problem = read_siconos(path, repair=1e-5)
    values = np.linalg.eigvalsh(problem.matrix().toarray())
    assert values[0] >= -1e-12 * values[-1]


SMALL = """2
1
0
2
2
2\t2
1.0 0.0
0.0 1.0
-1.0 3.0
0.5
"""
BLOCKS = "2 1 1 2 2 1 1 1 2 2 2 1 0 1 0 0 1.0 0.0 0.0 1.0 -1.0 3.0 0.5".replace(" ", "\n")
SPARSE = "2 1 2 2 2 1\nCSparse Version 3\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n 0 0 : 1\n 1 1 : 1\n-1 3\n0.5\n"
COLUMNS = (
    "2 1 2 2 2 2\nCSparse Version 3\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 1\n col 0 : locations 0 to 0\n 0 : 1\n"
    " col 1 : locations 1 to 1\n 1 : 1\n-1 3\n0.5\n"
)


def put(text, line, new):
    """Replace a line, counted from 1."""
    lines = text.split("\n")
    lines[line - 1] = new
    return "\n".join(lines)


FAULTS = [
    ("", "the file is empty, expected a text of Siconos"),
    ("2\n", "the file ends after 0 of 1 numbers of the number of contacts: it is cut off"),
    ("spam\n", "line 1: is 'spam' in the dimension, expected a whole number"),
    (b"2\n\xff\n", "line 2: holds the byte 0xff, expected a text of numbers"),
    (put(SMALL, 1, "4"), "line 1: the dimension is 4, expected 2 or 3"),
    (put(SMALL, 2, "1.5"), "line 2: is '1.5' in the number of contacts, expected a whole number"),
    (put(SMALL, 2, "3"), "line 5: the matrix is 2 by 2, expected 6 by 6 for 3 contacts of 2 components"),
    (put(SMALL, 3, "7"), "line 3: the storage of the matrix is 7, expected 0, 1 or 2"),
    (put(SMALL, 6, "2 3"), "line 6: the dense matrix is 2 by 3, expected 2 by 2 as before"),
    (put(SMALL, 7, "1.0 nan"), "line 7: is 'nan' in the matrix, expected a finite number"),
    (put(SMALL, 7, "1.0 1e999"), "line 7: is '1e999' in the matrix, expected a finite number"),
    (put(SMALL, 7, "1.0 1_0"), "line 7: is '1_0' in the matrix, expected a finite number"),
    (put(SMALL, 10, "-0.5"), "contact 0: friction is -0.5, expected a finite number that is not negative"),
    (put(SMALL, 10, ""), "the file ends after 0 of 1 numbers of mu: it is cut off"),
    (SMALL + "7 8\n", "line 11: has 2 numbers more than the problem, '7' the first"),
    ("3\n99999999\n0\n299999997\n299999997\n1 2 3\n", "99999999 contacts cannot be in 3 numbers that follow"),
    (put(BLOCKS, 6, "5000000000"), "line 8: there cannot be 5000000000 blocks in 1 by 1, in 2 rows and"),
    (put(BLOCKS, 9, "1"), r"line 9: the block rows end at \[1\], expected numbers that ascend to 2"),
    (put(BLOCKS, 12, "2"), "line 12: there are 2 pointers and 2 columns, expected up to 2 pointers, and 1 columns"),
    (put(BLOCKS, 14, "0"), r"line 15: the pointers are \[0, 0\], expected numbers that ascend from 0 to 1"),
    (put(BLOCKS, 15, "1"), "line 15: a block is in column 1, there are 1"),
    (put(BLOCKS, 16, "3"), "line 16: block 3 follows, expected block 0"),
    (put(SPARSE, 1, "2 1 2 2 2 9"), "line 1: the kind of the sparse matrix is 9, expected 1, 2 or 3"),
    (put(SPARSE, 2, "spam"), "line 2: is no print-out of CSparse, expected its version"),
    (put(SPARSE, 3, "triplet: 2-by-2"), "line 3: has no sizes of a sparse matrix, expected"),
    (
        put(SPARSE, 3, "triplet: 3-by-2, nzmax: 2 nnz: 2"),
        "line 3: the sparse matrix is 3 by 2 of 2 entries, expected 2 by 2",
    ),
    (put(SPARSE, 4, " 0 2 : 1"), "line 5: an entry is at a place that a matrix of 2 rows has not"),
    (put(SPARSE, 4, " 0 0 = 1"), "line 4: is '=' between place and number, expected ':'"),
    (put(COLUMNS, 4, " col 1 : locations 0 to 0"), "line 4: expected 'col 0 : locations 0 to ...', up to 1"),
    (put(COLUMNS, 4, " col 0 : locations 0 to 7"), "line 4: expected 'col 0 : locations 0 to ...', up to 1"),
]


@pytest.mark.parametrize("text", [SMALL, BLOCKS, SPARSE, COLUMNS])
def test_what_is_damaged_below_is_whole(text, tmp_path):
    assert np.array_equal(read_siconos(file_of(tmp_path, text)).matrix().toarray(), np.eye(2))


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_each_fault_is_one_sentence_with_its_line(text, message, tmp_path):
    path = file_of(tmp_path, text)
    with pytest.raises(FileError, match=message) as caught:
        read_siconos(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_what_is_no_file_is_one_sentence(tmp_path):
    with pytest.raises(FileError, match="this is a folder"):
        read_siconos(tmp_path)
    with pytest.raises(FileError, match="cannot be read"):
        read_siconos(tmp_path / "none")
    with pytest.raises(ArgumentTypeError, match="argument path"):
        read_siconos(3)
    for wrong in (-1.0, 1.0, np.nan):
        with pytest.raises(ProblemError, match="repair is"):
            read_siconos(tmp_path, repair=wrong)


# -------------------------------------------------------------------------------------------------------- command and form


def test_the_command_tells_the_kind_of_a_file_by_its_content(tmp_path, capsys):
    W, q, mu = example()
    path = tmp_path / "problem.txt"
    write_fclib(path, Problem.from_delassus(W, q, mu))
    for source in (path, file_of(tmp_path, text_of(W, q, mu))):
        assert main(["friction", str(source), "--law", "ccp"]) == 0
        assert "4 contacts" in capsys.readouterr().out
    for source, words in ((file_of(tmp_path, "spam"), "this is no HDF5 file"), (tmp_path / "none", "cannot be read")):
        assert main(["friction", str(source)]) == 2
        assert words in capsys.readouterr().err


def test_the_command_solves_a_text_and_says_how_far_it_was_moved(tmp_path, capsys):
    W, q, mu = example()
    path = str(file_of(tmp_path, text_of(W, q, mu, storage="triplets")))
    assert main(["friction", path]) == 2
    assert "W is not positive semidefinite" in capsys.readouterr().err
    assert main(["friction", path, "--repair", "1e-5", "--law", "ccp"]) == 0
    printed = capsys.readouterr().out
    assert "problem.dat: 4 contacts, 12 multipliers, local form" in printed
    moved = read_siconos(path, repair=1e-5).moved
    assert f"repaired        W was moved by {moved:.2e} to be semidefinite" in printed
