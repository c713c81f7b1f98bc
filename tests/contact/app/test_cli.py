"""The command ``pluecker friction``: its jobs from end to end, its exit codes, and one line for each error.

What is called is the command itself: ``pluecker.__main__`` takes care of Ctrl-C around it, and is for programs that end
afterwards. Where a test has to know how often a problem is solved, or that it is not, ``solve`` is another one.
"""

import re
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from numba.core import event

pytest.importorskip("h5py", reason="h5py is not installed (extra fclib)")

import pluecker
from pluecker.contact import (
    LAWS,
    METHODS,
    errors_of,
    read_fclib,
    read_fclib_guesses,
    read_fclib_solution,
    write_fclib,
)
from pluecker.contact import solve as contact_solve
from pluecker.contact.app import comparison
from pluecker.contact.friction.solving import solve as solving
from tests.command import main
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.friction.files.fclib_files import LocalForm, global_form, local_form, read_fclib_form

ERRORS = ("natural map", "cone violation", "signorini", "dissipation", "duality gap", "velocity", "speed")


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


@pytest.mark.parametrize("law", LAWS)
def test_every_law_can_be_chosen_and_that_of_coulomb_is_the_usual_one(law, file, capsys):
    assert main(["friction", file, *(["--law", law, "--directions", "6"] if law != "ncp" else [])]) == 0
    printed = facts(capsys.readouterr().out)
    assert (printed["law"], printed["method"]) == (law, "auto")


def test_in_the_plane_the_polygon_has_two_sides_unless_told_otherwise(tmp_path, capsys):
    path = tmp_path / "plane.hdf5"
    write_fclib(path, local_form(spacedim=2, equations=0, seed=2))
    assert main(["friction", str(path), "--law", "lcp", "--methods", "auto,lemke"]) == 0
    assert len(re.findall(r"^(auto|lemke) .*converged$", capsys.readouterr().out, re.MULTILINE)) == 2


def test_what_did_not_converge_is_printed_and_exits_with_one(file, capsys, tmp_path):
    out = tmp_path / "out.hdf5"
    arguments = ["friction", file, "--method", "psor", "--max-iterations", "1", "--tol", "1e-12"]
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
    form = make(equations=equations, seed=2)
    write_fclib(given, form)
    assert main(["friction", str(given), "--law", "ccp", "--tol", "1e-9", "--write-solution", str(out)]) == 0
    assert f"Solution: {out}" in capsys.readouterr().out
    problem, found = read_fclib(out), read_fclib_solution(out)
    assert read_fclib_form(out).same(form)
    r = found.r if found.l is None else np.concatenate([found.r, found.l])
    u = problem.velocity(r)
    assert errors_of(problem, r, "ccp").natural_map <= 1e-9
    np.testing.assert_allclose(found.u, u[: len(found.u)], atol=1e-12)
    if make is global_form:
        momentum = form.H @ found.r + form.f + (form.G @ found.l if equations else 0.0)
        np.testing.assert_allclose(form.M @ found.v, momentum, atol=1e-9)


def test_several_methods_make_a_table(file, capsys):
    assert main(["friction", file, "--law", "ccp", "--methods", "apgd, pgs,newton"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "one thread" in lines[lines.index("") + 1]
    table = lines[lines.index("") + 2 :]
    assert table[0].split() == ["method", "iterations", "time", "error", "status"]
    assert sorted(line.split()[0] for line in table[1:]) == ["apgd", "newton", "pgs"]
    assert all(line.endswith("converged") for line in table[1:])


def test_a_comparison_does_not_change_the_exit_code(file, capsys):
    arguments = ["friction", file, "--method", "pgs", "--methods", "psor", "--max-iterations", "1", "--tol", "1e-13"]
    assert main(arguments) == 1
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("psor")]
    assert rows[0].endswith("iteration limit")
    assert rows[1].startswith("psor: natural map ")


def test_a_method_that_is_compared_takes_the_iterations_that_it_took_alone(tmp_path, capsys):
    """Islands one by one, in both; together they would need more."""
    near, far = local_form(equations=0), local_form(equations=0, seed=1)
    W = scipy.sparse.block_diag([near.W, 0.1 * far.W]).tocsr()
    path = tmp_path / "two.hdf5"
    write_fclib(path, LocalForm(W, np.concatenate([near.q, far.q]), np.concatenate([near.mu, far.mu])))
    for method in ("auto", "apgd", "pgs", "newton"):
        arguments = [str(path), "--method", method, "--methods", method, "--law", "ccp", "--max-iterations", "200"]
        assert main(["friction", *arguments]) in (0, 1)
        text = capsys.readouterr().out
        assert int(facts(text)["islands"]) >= 2
        row = re.search(rf"^{method} +(\d+) ", text, re.MULTILINE)
        assert row[1] == facts(text)["iterations"], method


def test_what_a_converged_method_has_to_say_is_below_the_table(file, capsys, monkeypatch):
    def solve(*arguments, **named):
        return replace(contact_solve(*arguments, **named), message="mind the units")

    monkeypatch.setattr(comparison, "solve", solve)
    assert main(["friction", file, "--methods", "apgd,pgs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines[-2:]) == ["apgd: mind the units", "pgs: mind the units"]


needs_compiler = pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_compiler)])
def test_that_something_is_compiled_is_said_once_on_stderr(compiled, file, capsys, monkeypatch):
    def solve(*arguments, **named):
        for _ in range(2 if compiled else 0):
            with event.trigger_event("numba:compile"):
                pass
        return contact_solve(*arguments, **named)

    contact_solve(read_fclib(file), "ncp", "apgd")
    monkeypatch.setattr(solving, "solve", solve)
    assert main(["friction", file, "--method", "apgd"]) == 0
    err = capsys.readouterr().err
    assert err.count("\n") == err.count("compiling, once: ") == compiled


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_convergence_is_drawn(ending, file, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    picture = tmp_path / f"picture.{ending}"
    assert main(["friction", file, "--methods", "apgd,pgs", "--plot", str(picture)]) == 0
    assert f"Figure: {picture}" in capsys.readouterr().out
    assert picture.read_bytes()[:4] in (b"\x89PNG", b"%PDF", b"<?xm")


@pytest.mark.slow
def test_a_picture_has_a_name_and_usual_methods_if_none_are_given(file, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "convergence.png").write_text("of another day")
    assert main(["friction", file, "--plot"]) == 0
    assert (tmp_path / "convergence.png").stat().st_size > 5000
    printed = capsys.readouterr().out
    assert all(re.search(rf"^{name} ", printed, re.MULTILINE) for name in ("auto", "apgd", "pgs", "interior_point"))


@pytest.mark.slow
def test_the_chosen_method_is_in_the_picture_beside_the_usual_ones(file, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    picture = tmp_path / "picture.svg"
    assert main(["friction", file, "--method", "psor", "--tol", "1e-3", "--plot", str(picture)]) in (0, 1)
    printed = capsys.readouterr().out
    assert all(re.search(rf"^{name} +\d", printed, re.MULTILINE) for name in ("psor", "auto", "pgs"))
    replaced = ["--plot", str(picture), "--force"]
    assert main(["friction", file, "--method", "psor", "--methods", "pgs", *replaced]) in (0, 1)
    assert not re.search(r"^psor +\d", capsys.readouterr().out, re.MULTILINE)


def test_what_is_odd_about_a_file_is_a_note_of_one_line(tmp_path, capsys):
    form = local_form(equations=0)
    W = form.W.tolil()
    W[0, 1] += 0.005 * abs(W).max()
    path = tmp_path / "asymmetric.hdf5"
    write_fclib(path, LocalForm(W.tocsr(), form.q, form.mu))
    assert main(["friction", str(path), "--law", "ccp"]) == 0
    err = re.sub(r"^compiling, once: .*\n", "", capsys.readouterr().err, flags=re.MULTILINE)
    assert re.fullmatch(r"note: \S+asymmetric.hdf5: W is asymmetric by \S+ of its largest entry; .*\n", err)


# ------------------------------------------------------------------------------------------------------ the other commands


def test_help_names_the_command_and_every_law_and_method(capsys):
    for arguments, names in (
        (["--help"], ("demo", "inverse", "friction")),
        (["friction", "--help"], (*LAWS, *METHODS)),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 0
        printed = capsys.readouterr().out
        assert all(re.search(rf"\b{name}\b", printed) for name in names)


@pytest.mark.everything
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
def test_warmup_compiles_what_robots_friction_and_worlds_need_and_names_the_rest(capsys):
    assert main(["warmup"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "rnea" in said[0]
    assert "kept in" in said[4]
    assert "methods" in said[5]


def test_the_help_of_warmup_lists_all_topics(capsys):
    with pytest.raises(KeyError) as refused:
        pluecker.warmup(["nothing"])
    topics = re.search("expected one of ([a-z, ]+)", str(refused.value))
    with pytest.raises(SystemExit):
        main(["warmup", "--help"])
    said = capsys.readouterr().out
    for topic in topics[1].split(", "):
        assert topic in said, topic


ROLLER = """<robot name="roller"><link name="trunk"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/>
</inertial><collision><geometry><sphere radius="0.1"/></geometry></collision></link><link name="arm"><inertial>
<origin xyz="0.1 0 0"/><mass value="0.1"/><inertia ixx="0.001" iyy="0.001" izz="0.001"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="trunk"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="40" velocity="20"/></joint></robot>"""


@pytest.mark.parametrize("ground", [False, True])
def test_a_floating_robot_that_is_held_stands_on_a_ground_or_falls_and_says_so(ground, tmp_path, capsys):
    robot, motion = tmp_path / "roller.urdf", tmp_path / "motion.csv"
    robot.write_text(ROLLER)
    duration = 0.05
    arguments = ["--floating-base", "--control", "hold", "--duration", str(duration), "-o", str(motion)]
    assert main(["simulate", str(robot), *arguments, *(["--ground"] if ground else [])]) == 0
    said = capsys.readouterr().err
    names, *rows = (line.split(",") for line in motion.read_text().splitlines())
    height = float(rows[-1][names.index("q:floating_base.z")])
    if ground:
        assert said == ""
        assert abs(height) < 1e-6
    else:
        assert re.fullmatch(
            "note: nobody holds the base of the robot, which falls; --ground puts a plane below it\n", said
        )
        assert abs(height + 0.5 * 9.81 * duration**2) < 9.81 * duration * 1e-3  # a step's way


def test_what_has_no_collision_shapes_or_shapes_elsewhere_gets_no_ground(tmp_path, capsys):
    assert main(["simulate", "seven_joint_arm", "--ground"]) == 2
    assert "has no collision shapes" in capsys.readouterr().err
    shapes = tmp_path / "shapes.toml"
    shapes.write_text("half_space.floor.frame = 'world'\nsphere.skin = { radius = 0.1, frame = 'link7' }\n")
    assert main(["simulate", "seven_joint_arm", "--ground", "--constraints", str(shapes)]) == 2
    assert "shapes.toml: has shapes, as --ground has" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no alarms")
def test_a_scene_of_which_there_is_a_part_is_not_judged(capsys, no_collection):
    """Alarms come at any time, also where there is a part of a motion."""

    def ring(*_):
        raise KeyboardInterrupt

    assert main(["contact", "bounce"]) == 0
    begun = time.perf_counter()
    assert main(["contact", "bounce"]) == 0
    took = time.perf_counter() - begun
    capsys.readouterr()
    before, rng = signal.signal(signal.SIGALRM, ring), np.random.default_rng(0)
    try:
        for _ in range(200 if EVERYTHING else 4):
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.01, 0.8) * took)
            code = main(["contact", "bounce"])
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            out, err = capsys.readouterr()
            assert (code, err) in ((0, ""), (130, "pluecker: error: interrupted\n"))
            assert code == 0 or "holds" not in out
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


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
    fails(capsys, "'lemke' solves the laws frictionless, lcp, not", file, "--method", "lemke")
    fails(capsys, "directions", file, "--law", "lcp", "--directions", "1")
    for names in (",", "apgd,", ""):
        fails(capsys, f"--methods is '{names}', expected different names", file, "--methods", names)
    fails(capsys, "holds no global form|fclib_global", file, "--form", "global")
    fails(capsys, "out.txt: .*must end in .hdf5, .h5", file, "--write-solution", tmp_path / "out.txt")
    (tmp_path / "folder.h5").mkdir()
    fails(capsys, "folder.h5: .*this is a folder", file, "--write-solution", tmp_path / "folder.h5")


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_solution_never_replaces_the_file_that_is_read(force, file, tmp_path, capsys):
    before = Path(file).read_bytes()
    link, other = tmp_path / "link.hdf5", tmp_path / "other" / ".." / "problem.hdf5"
    link.symlink_to(file)
    (tmp_path / "other").mkdir()
    for out in (file, link, other):
        fails(capsys, "this is the file that is read", file, "--write-solution", out, *force)
    assert Path(file).read_bytes() == before
    assert link.is_symlink()


def test_a_file_that_exists_is_replaced_only_by_force(file, tmp_path, capsys):
    out = tmp_path / "out.h5"
    out.write_text("precious")
    fails(capsys, "out.h5: exists; --force replaces it", file, "--write-solution", out)
    assert out.read_text() == "precious"
    assert main(["friction", file, "--write-solution", str(out), "--force"]) == 0
    assert read_fclib_solution(out) is not None
    picture = tmp_path / "kept.png"
    picture.write_text("precious")
    fails(capsys, "kept.png: exists; --force replaces it", file, "--plot", picture)
    assert picture.read_text() == "precious"
    out.chmod(0o444)
    before = out.read_bytes()
    fails(capsys, "out.h5: exists, and its permissions", file, "--write-solution", out, "--force")
    assert out.read_bytes() == before


def test_every_argument_is_checked_before_anything_is_solved(file, tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    monkeypatch.setattr(solving, "solve", None)
    monkeypatch.setattr(comparison, "solve", None)
    fails(capsys, "method is 'magic', expected one of auto", file, "--methods", "apgd,magic")
    fails(capsys, "'lemke' solves the laws frictionless, lcp, not", file, "--methods", "apgd,lemke")
    fails(capsys, "expected different names", file, "--methods", "apgd,apgd")
    fails(capsys, "p.docx: .*must end in .png", file, "--plot", tmp_path / "p.docx")
    fails(capsys, "no.p.png: .*no folder", file, "--plot", tmp_path / "no" / "p.png")
    fails(capsys, "no.out.h5: .*no folder", file, "--write-solution", tmp_path / "no" / "out.h5")
    fails(capsys, "this is the file that is read", file, "--write-solution", file)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    fails(capsys, r"pip install 'pluecker\[plot\]'", file, "--plot", tmp_path / "p.png")


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
