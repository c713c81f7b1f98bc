"""The command ``pluecker friction``: its jobs from end to end, its exit codes, and one line for each error."""

import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("h5py", reason="h5py is not installed (extra fclib)")

from pluecker.contact.cli import main
from pluecker.contact.fclib import (
    LocalForm,
    read_fclib,
    read_fclib_form,
    read_fclib_guesses,
    read_fclib_solution,
    write_fclib,
)
from pluecker.contact.lcp_laws import LCP_METHODS
from pluecker.contact.measures import all_errors
from pluecker.contact.problem import LAWS
from pluecker.contact.solve import METHODS
from tests.contact.fclib_files import global_form, local_form

ERRORS = ("natural map", "cone violation", "signorini", "dissipation", "duality gap")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "problem.hdf5"
    write_fclib(path, local_form(equations=0))
    return str(path)


def facts(text):
    """The lines of a result by their names."""
    return {line[:16].strip(): line[16:] for line in text.splitlines() if line[:16].strip()}


# ------------------------------------------------------------------------------------------------------------------ jobs


def test_a_result_is_printed_fact_by_fact(file, capsys):
    assert main(["friction", file, "--law", "ccp", "--method", "apgd", "--tol", "1e-8", "--threads", "1"]) == 0
    printed = facts(capsys.readouterr().out)
    assert printed["file"] == "problem.hdf5: 4 contacts, 12 multipliers, local form"
    assert printed["law"] == "ccp"
    assert printed["method"] == "apgd"
    assert printed["status"] == "converged"
    assert {*ERRORS, "iterations", "products", "islands", "time", "stages"} <= set(printed)
    assert float(printed["natural map"].split()[0]) <= 1e-8
    assert printed["natural map"].endswith("tolerance 1e-08")
    assert int(printed["iterations"]) >= 1
    assert re.match(r"apgd +\d+ iterations +\S+ m?s +error \S+$", printed["stages"])


def test_without_options_it_is_coulombs_law_by_the_automatic_choice(file, capsys):
    assert main(["friction", file]) == 0
    printed = facts(capsys.readouterr().out)
    assert (printed["law"], printed["method"]) == ("ncp", "auto")


@pytest.mark.parametrize("law", LAWS)
def test_every_law_can_be_chosen(law, file, capsys):
    assert main(["friction", file, "--law", law, "--directions", "6"]) == 0
    assert facts(capsys.readouterr().out)["law"] == law


def test_what_did_not_converge_is_printed_and_exits_with_one(file, capsys, tmp_path):
    out = tmp_path / "out.hdf5"
    arguments = ["friction", file, "--method", "jacobi", "--max-iterations", "1", "--tol", "1e-12"]
    assert main([*arguments, "--write-solution", str(out)]) == 1
    text = capsys.readouterr().out
    printed = facts(text)
    assert printed["status"] == "iteration limit"
    assert printed["iterations"] == "1"
    assert "is above 1.0e-12" in text
    assert set(ERRORS) <= set(printed)
    assert "Not a solution, written as a guess" in text
    assert read_fclib_solution(out) is None
    assert len(read_fclib_guesses(out)) == 1


@pytest.mark.parametrize("make", [local_form, global_form])
@pytest.mark.parametrize("equations", [0, 2])
def test_a_solution_that_is_written_solves_the_problem_that_is_read(make, equations, tmp_path, capsys):
    given, out = tmp_path / "given.hdf5", tmp_path / "out.hdf5"
    form = make(equations=equations)
    write_fclib(given, form)
    assert main(["friction", str(given), "--law", "ccp", "--tol", "1e-9", "--write-solution", str(out)]) == 0
    assert f"Solution: {out}" in capsys.readouterr().out
    problem, found = read_fclib(out), read_fclib_solution(out)
    assert read_fclib_form(out).same(form)
    r = found.r if found.l is None else np.concatenate([found.r, found.l])
    u = problem.velocity(r)
    assert all_errors(problem.sets, problem.offset, r, u, "ccp").natural_map <= 1e-9
    np.testing.assert_allclose(found.u, u[: len(found.u)], atol=1e-12)
    if make is global_form:
        momentum = form.H @ found.r + form.f + (form.G @ found.l if equations else 0.0)
        np.testing.assert_allclose(form.M @ found.v, momentum, atol=1e-9)


def test_several_methods_make_a_table(file, capsys):
    assert main(["friction", file, "--law", "ccp", "--methods", "apgd, pgs,newton"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[lines.index("") + 1 :]
    assert table[0].split() == ["method", "iterations", "time", "natural", "map", "status"]
    assert sorted(line.split()[0] for line in table[1:]) == ["apgd", "newton", "pgs"]
    assert all(line.endswith("converged") for line in table[1:])


def test_a_comparison_does_not_change_the_exit_code(file, capsys):
    arguments = ["friction", file, "--method", "pgs", "--methods", "jacobi", "--max-iterations", "1", "--tol", "1e-13"]
    assert main(arguments) == 1
    assert capsys.readouterr().out.splitlines()[-1].endswith("iteration limit")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_convergence_is_drawn(ending, file, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    picture = tmp_path / f"picture.{ending}"
    assert main(["friction", file, "--methods", "apgd,pgs", "--plot", str(picture)]) == 0
    assert f"Figure: {picture}" in capsys.readouterr().out
    assert picture.read_bytes()[:4] in (b"\x89PNG", b"%PDF", b"<?xm")


def test_a_picture_has_a_name_and_usual_methods_if_none_are_given(file, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    monkeypatch.chdir(tmp_path)
    assert main(["friction", file, "--plot"]) == 0
    assert (tmp_path / "convergence.png").stat().st_size > 5000
    printed = capsys.readouterr().out
    assert all(re.search(rf"^{name} ", printed, re.MULTILINE) for name in ("auto", "apgd", "pgs", "interior_point"))


def test_what_is_odd_about_a_file_is_a_note_of_one_line(tmp_path, capsys):
    form = local_form(equations=0)
    W = form.W.tolil()
    W[0, 1] += 0.05 * abs(W).max()
    path = tmp_path / "asymmetric.hdf5"
    write_fclib(path, LocalForm(W.tocsr(), form.q, form.mu))
    assert main(["friction", str(path), "--law", "ccp"]) == 0
    err = capsys.readouterr().err
    assert re.fullmatch(r"note: \S+asymmetric.hdf5: W is asymmetric by \S+ of its largest entry; .*\n", err)


# ------------------------------------------------------------------------------------------------------ the other commands


def test_help_names_the_command_and_every_law_and_method(capsys):
    for arguments, names in (
        (["--help"], ("demo", "inverse", "friction")),
        (["friction", "--help"], (*LAWS, *METHODS, *LCP_METHODS)),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 0
        printed = capsys.readouterr().out
        assert all(re.search(rf"\b{name}\b", printed) for name in names)


def test_commands_for_robots_are_still_there(capsys):
    pytest.importorskip("yourdfpy", reason="yourdfpy is not installed (extra urdf)")
    assert main(["info", "seven_joint_arm"]) == 0
    assert capsys.readouterr().out.startswith("Model 'seven_joint_arm'")


def test_the_modules_run_as_programs():
    for module, named in (("pluecker.contact.cli", True), ("pluecker.articulated", False)):
        done = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True)
        assert "inverse" in done.stdout
        assert ("friction" in done.stdout) == named


# ---------------------------------------------------------------------------------------------------------------- errors


def fails(capsys, message, *arguments):
    assert main(["friction", *map(str, arguments)]) == 2
    _, err = capsys.readouterr()
    assert err.startswith("pluecker: error: ")
    assert err.count("\n") == 1
    assert re.search(message, err), err


def test_errors_are_one_line_and_exit_with_two(file, tmp_path, capsys):
    text = tmp_path / "text.hdf5"
    text.write_text("no problem")
    fails(capsys, "nowhere.hdf5: ", tmp_path / "nowhere.hdf5")
    fails(capsys, "text.hdf5: ", text)
    fails(capsys, "law is 'snell', expected one of frictionless", file, "--law", "snell")
    fails(capsys, "method is 'magic', expected one of auto", file, "--method", "magic")
    fails(capsys, "'lemke' solves the laws lcp and frictionless", file, "--method", "lemke")
    fails(capsys, "tol is -1", file, "--tol", "-1")
    fails(capsys, "max_iterations is 0", file, "--max-iterations", "0")
    fails(capsys, "threads is 0", file, "--threads", "0")
    fails(capsys, "directions", file, "--law", "lcp", "--directions", "1")
    fails(capsys, "method is 'magic'", file, "--methods", "apgd,magic")
    fails(capsys, "expected different names", file, "--methods", "apgd,apgd")
    fails(capsys, "holds no global form|fclib_global", file, "--form", "global")
    fails(capsys, "no.out.hdf5: ", file, "--write-solution", tmp_path / "no" / "out.hdf5")


def test_a_picture_that_cannot_be_written_is_one_line(file, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    fails(capsys, "p.docx: .*must end in .png, .pdf, .svg", file, "--plot", tmp_path / "p.docx")
    fails(capsys, "the figure cannot be written", file, "--methods", "apgd", "--plot", tmp_path / "no" / "p.png")


def test_without_what_it_needs_the_extra_is_named(file, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    fails(capsys, r"pip install 'pluecker\[plot\]'", file, "--methods", "apgd", "--plot", "p.png")
    monkeypatch.setitem(sys.modules, "h5py", None)
    fails(capsys, r"pip install 'pluecker\[fclib\]'", file)


def test_wrong_arguments_exit_with_two(capsys, file):
    for arguments in (["friction"], ["friction", file, "--tol", "x"], ["friction", file, "--form", "flat"]):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert "error" in capsys.readouterr().err
