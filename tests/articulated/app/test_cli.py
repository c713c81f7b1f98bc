"""The command: its jobs from end to end, its exit codes, and one line for each error.

The motions that it computes and demonstrates have no public function; their laws are at the end.
"""

import io
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pluecker.articulated import (
    Model,
    Trajectory,
    aba,
    difference,
    integrate,
    random_configuration,
    rnea,
    simulate,
)
from pluecker.articulated.robots import SEVEN_JOINT_ARM, example_robots, find_robot
from pluecker.articulated.simulation.smooth import configuration_rate, follow
from pluecker.articulated.simulation.smooth_motion import smooth_motion
from pluecker.spatial import UnknownNameError
from tests.articulated.model.test_mimic import build as build_for_mimic
from tests.command import main
from tests.conftest import COMPILED
from tests.mechanisms import MOVING, random_description
from tests.models import one_body
from tests.programs import printed_by

PENDULUM = """<robot name="pendulum"><link name="base"/><link name="rod"><inertial><origin xyz="0 0 -0.5"/>
<mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.01"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""
BRICK = """<robot name="brick"><link name="brick"><inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.2" izz="0.25"/></inertial></link></robot>"""
FEATHER = PENDULUM.replace('<mass value="2"/>', '<mass value="0"/>').replace("0.1", "0").replace("0.01", "0")


@pytest.fixture(scope="module")
def arm():
    return Model.from_urdf(SEVEN_JOINT_ARM)


@pytest.fixture
def urdf(tmp_path):
    def write(text):
        path = tmp_path / "robot.urdf"
        path.write_text(text)
        return str(path)

    return write


def wave(model, samples):
    """Two seconds of a motion: time, positions, velocities, accelerations."""
    time = np.linspace(0.0, 2.0, samples)
    w, size = np.linspace(1.0, 3.0, model.nq), np.linspace(0.8, 0.2, model.nq)
    phase = time[:, None] * w
    return time, size * np.sin(phase), size * w * np.cos(phase), -size * w**2 * np.sin(phase)


def is_picture(path):
    marks = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}
    return path.read_bytes().startswith(marks[path.suffix]) and path.stat().st_size > 5000


# ------------------------------------------------------------------------------------------------------------------ jobs


@pytest.mark.slow
def test_demo_computes_checks_times_and_draws(capsys, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    picture = tmp_path / "demo.png"
    assert main(["demo", "--samples", "60", "--plot", str(picture)]) == 0
    printed = capsys.readouterr().out
    closure = float(re.search(r"worst error (\S+) of the largest acceleration", printed)[1])
    power = float(re.search(r"worst error (\S+) of the largest power", printed)[1])
    assert closure < 1e-12
    assert power < 1e-10
    assert re.search(r"joint4 +\d\.\d+ +2\.175 +\d+\.\d+ +87", printed)
    assert len(re.findall(r"us a state", printed)) == 3
    assert is_picture(picture)


@pytest.mark.slow
def test_demo_of_a_real_robot_compares_with_pinocchio(capsys, tmp_path):
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")
    assert main(["demo", "--robot", "TwoDofs", "--samples", "20", "--plot", str(tmp_path / "p.png")]) == 0
    printed = capsys.readouterr().out
    errors = re.findall(r"^   (rnea|aba|crba) +(\d\S+e-\d+)", printed, flags=re.MULTILINE)
    assert [name for name, _ in errors] == ["rnea", "aba", "crba"]
    assert all(float(error) < 1e-11 for _, error in errors)


@pytest.mark.slow
def test_demo_says_why_there_is_no_comparison(capsys, tmp_path, urdf):
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")
    robot = urdf(PENDULUM.replace("continuous", "planar"))
    assert main(["demo", "--robot", robot, "--samples", "5", "--plot", str(tmp_path / "p.png")]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"No comparison: .*joint 'hinge': a planar joint has other coordinates in Pinocchio", printed)


@pytest.mark.everything
@pytest.mark.skipif(not COMPILED, reason="too slow without compilation")
@pytest.mark.parametrize(
    ("name", "floating"), [("tiago", False), ("solo12", True), ("kinova", False), ("panda", False)]
)
def test_demo_runs_with_other_robots(name, floating, capsys, tmp_path):
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")
    options = ["--floating-base"] if floating else []
    assert main(["demo", "--robot", name, "--samples", "50", "--plot", str(tmp_path / "p.png"), *options]) == 0
    printed = capsys.readouterr().out
    assert float(re.search(r"worst error (\S+) of the largest power", printed)[1]) < 1e-9
    assert ("taken as it is" in printed) == (name == "tiago")


def test_info_shows_tree_coordinates_and_limits(capsys):
    assert main(["info", "seven_joint_arm"]) == 0
    printed = capsys.readouterr().out
    assert "link7  joint7: revolute, q[6]  with flange" in printed
    assert re.search(r"3 +joint4 +-3\.072 +-0\.0698", printed)


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_forward_dynamics_of_inverse_dynamics_gives_the_motion_back(ending, arm, tmp_path):
    time, q, v, a = wave(arm, 100)
    given, torques, back = (str(tmp_path / f"{name}.{ending}") for name in ("given", "torques", "back"))
    Trajectory(time, q, v, a).save(given, arm)
    assert main(["inverse", "seven_joint_arm", given, "-o", torques]) == 0
    found = Trajectory.load(torques, arm)
    np.testing.assert_allclose(found.tau, rnea(arm, q, v, a), rtol=1e-13, atol=1e-13)
    assert main(["forward", "seven_joint_arm", torques, "-o", back]) == 0
    np.testing.assert_allclose(Trajectory.load(back, arm).a, a, atol=1e-10)


def test_positions_over_time_are_enough_for_inverse_dynamics(arm, tmp_path, capsys):
    time, q, v, a = wave(arm, 300)
    path = tmp_path / "motion.csv"
    header = ",".join(["time", *arm.joint_names])
    np.savetxt(path, np.column_stack([time, q]), delimiter=",", header=header, comments="", fmt="%.17g")
    assert main(["inverse", "seven_joint_arm", str(path)]) == 0
    (tmp_path / "out.csv").write_text(capsys.readouterr().out)
    tau = Trajectory.load(tmp_path / "out.csv", arm).tau
    np.testing.assert_allclose(tau, rnea(arm, q, v, a), atol=1e-3)


def test_torques_over_time_are_simulated_and_energy_is_kept(urdf, tmp_path, capsys):
    """A pendulum let go sideways: its speed at angle x obeys the law of energy."""
    robot = urdf(PENDULUM)
    (tmp_path / "torque.csv").write_text("time,hinge\n0,0\n0.25,0\n0.7,0\n1.3,0\n")
    (tmp_path / "start.csv").write_text("hinge,v:hinge\n1.5,0.3\n")
    arguments = ["forward", robot, str(tmp_path / "torque.csv"), "--start", str(tmp_path / "start.csv")]
    assert main(arguments) == 0
    (tmp_path / "out.csv").write_text(capsys.readouterr().out)
    found = Trajectory.load(tmp_path / "out.csv", Model.from_urdf(robot))
    energy = 0.5 * (0.1 + 2 * 0.25) * found.v[:, 0] ** 2 - 2 * 9.81 * 0.5 * np.cos(found.q[:, 0])
    np.testing.assert_allclose(energy, energy[0], atol=1e-7)
    assert np.ptp(found.q) > 1.0


def test_start_counts_more_than_states_in_the_file_of_torques(urdf, tmp_path):
    robot, torques, state, out = urdf(PENDULUM), *(str(tmp_path / f"{name}.csv") for name in ("torque", "start", "out"))
    Trajectory(np.arange(2.0), np.ones((2, 1)), *np.zeros((3, 2, 1))).save(torques, Model.from_urdf(robot))
    (tmp_path / "start.csv").write_text("hinge\n0.5\n")
    assert main(["forward", robot, torques, "-o", out]) == 0
    assert Trajectory.load(out, Model.from_urdf(robot)).q.tolist() == [[1.0], [1.0]]
    assert main(["forward", robot, torques, "-o", out, "--start", state, "--force"]) == 0
    q = Trajectory.load(out, Model.from_urdf(robot)).q[:, 0]
    assert q[0] == 0.5
    assert abs(q[1] - q[0]) > 0.1


def test_a_free_body_falls_as_galilei_said(urdf, tmp_path, capsys):
    path = tmp_path / "torque.csv"
    names = ",".join(f"tau:floating_base.{label}" for label in ("wx", "wy", "wz", "vx", "vy", "vz"))
    path.write_text(f"time,{names}\n0,0,0,0,0,0,0\n0.5,0,0,0,0,0,0\n1,0,0,0,0,0,0\n")
    robot = urdf(BRICK)
    assert main(["forward", robot, str(path), "--floating-base", "--gravity", "0", "0", "-2"]) == 0
    (tmp_path / "out.csv").write_text(capsys.readouterr().out)
    found = Trajectory.load(tmp_path / "out.csv", Model.from_urdf(robot, floating_base=True))
    np.testing.assert_allclose(found.q[:, 2], -(found.time**2), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("ending", [pytest.param("png", marks=pytest.mark.everything), "svg", "pdf"])
def test_results_are_drawn_in_the_format_of_the_ending(ending, arm, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    path, picture = tmp_path / "given.csv", tmp_path / f"picture.{ending}"
    Trajectory(None, *np.zeros((3, 4, 7))).save(path, arm)
    assert main(["inverse", "seven_joint_arm", str(path), "-o", str(tmp_path / "o.csv"), "--plot", str(picture)]) == 0
    assert is_picture(picture)


@pytest.mark.everything
@pytest.mark.slow
def test_the_module_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "pluecker", "info", "seven_joint_arm"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("Model 'seven_joint_arm': nq = 7")


# ---------------------------------------------------------------------------------------------------------------- errors


def fails(capsys, code, message, *arguments):
    assert main([str(x) for x in arguments]) == code
    out, err = capsys.readouterr()
    assert err.startswith("pluecker: error: ")
    assert err.count("\n") == 1
    assert re.search(message, err)
    return out


def test_errors_are_one_line_and_have_an_exit_code(capsys, tmp_path, urdf, arm):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    Trajectory(None, *np.zeros((4, 4, 7))).save(good, arm)
    bad.write_text("joint1,elbow\n1,2\n")
    arm_name = "seven_joint_arm"
    fails(capsys, 2, "nowhere.urdf: cannot be read", "info", tmp_path / "nowhere.urdf")
    fails(capsys, 2, "no such file|cannot be read", "inverse", arm_name, tmp_path / "nowhere.csv")
    fails(capsys, 2, "column 'elbow' names no coordinate", "inverse", arm_name, bad)
    fails(capsys, 2, "o.csv: .*there is no folder", "inverse", arm_name, good, "-o", tmp_path / "no" / "o.csv")
    fails(capsys, 2, "broken XML", "info", urdf("<robot"))
    fails(capsys, 2, "has no torques", "forward", arm_name, torque_free(tmp_path, arm))
    fails(capsys, 2, "has no joint that moves; try --floating-base", "demo", "--robot", urdf(BRICK))


def torque_free(tmp_path, arm):
    path = tmp_path / "q.npz"
    Trajectory(None, np.zeros((4, 7))).save(path, arm)
    return path


def test_a_picture_that_cannot_be_written_is_one_line(capsys, tmp_path, arm):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    good = tmp_path / "good.csv"
    Trajectory(None, *np.zeros((3, 4, 7))).save(good, arm)
    for name, message in (
        ("no/p.png", "p.png: the figure cannot be written, there is no folder"),
        ("p.docx", "p.docx: .*must end in .png, .pdf, .svg"),
        ("p.pgf", "p.pgf: .*must end in"),
        ("p", "p: .*must end in"),
    ):
        fails(
            capsys, 2, message, "inverse", "seven_joint_arm", good, "-o", tmp_path / "o.csv", "--plot", tmp_path / name
        )


def test_a_singular_robot_is_a_failed_computation(capsys, tmp_path, urdf):
    path = tmp_path / "states.csv"
    path.write_text("tau:hinge,q:hinge,v:hinge\n1,0,0\n")
    fails(capsys, 1, "singular: 'hinge' moves no mass", "forward", urdf(FEATHER), path)


def test_a_motion_that_overflows_is_a_failed_computation(capsys, tmp_path, urdf):
    path = tmp_path / "torque.csv"
    for torque in ("1e200", "1e300"):
        path.write_text(f"time,hinge\n0,{torque}\n0.1,{torque}\n")
        fails(capsys, 1, "overflow", "forward", urdf(PENDULUM), path)
    names = [f"floating_base.{label}" for label in ("wx", "wy", "wz", "vx", "vy", "vz")]
    start = tmp_path / "start.npz"
    np.savez(start, q=[[0.0, 0, 0, 1, 0, 0, 0]], v=[[1e150, 1e150, 0.0, 0, 0, 0]])
    path.write_text(f"time,{','.join(f'tau:{name}' for name in names)}\n0,0,0,0,0,0,0\n1,0,0,0,0,0,0\n")
    fails(capsys, 1, "cannot be followed beyond", "forward", urdf(BRICK), path, "--floating-base", "--start", start)


def test_times_of_torques_can_be_followed(capsys, tmp_path, urdf):
    path = tmp_path / "torque.csv"
    for rows, said in (
        ("-1.7e308,0\n1.7e308,0\n", "time goes from .* which overflows"),
        ("0,0\n0,0\n", "time does not rise in sample 2"),
        ("", "holds a header only, expected at least one sample"),
    ):
        path.write_text(f"time,hinge\n{rows}")
        fails(capsys, 2, said, "forward", urdf(PENDULUM), path)
    path.write_text("time,hinge\n3,1\n")
    assert main(["forward", urdf(PENDULUM), str(path)]) == 0


def test_torques_without_states_or_time_cannot_be_used(capsys, tmp_path, urdf):
    path = tmp_path / "torque.csv"
    path.write_text("hinge\n1\n")
    fails(capsys, 2, "needs q: and v: columns for accelerations, or time", "forward", urdf(PENDULUM), path)


def test_a_quaternion_that_is_not_of_unit_length_is_told_by_sample(capsys, tmp_path, urdf):
    path = tmp_path / "motion.npz"
    q = np.zeros((3, 7))
    q[:, 3] = [1.0, 1.0, 1.1]
    np.savez(path, q=q, v=np.zeros((3, 6)), a=np.zeros((3, 6)))
    message = "sample 3: the quaternion of 'floating_base' has length 1.1, not 1"
    fails(capsys, 2, message, "inverse", urdf(BRICK), path, "--floating-base")


def test_impossible_inertias_and_mimic_joints_have_their_options(capsys, urdf):
    robot = urdf(PENDULUM.replace('izz="0.01"', 'izz="0.3"'))
    fails(capsys, 2, "link 'rod'.*sum of the other two", "info", robot)
    assert main(["info", robot, "--accept-inertia"]) == 0
    finger = (
        '<link name="f"/><joint name="m" type="continuous"><parent link="rod"/><child link="f"/><axis xyz="0 1 0"/>'
    )
    robot = urdf(PENDULUM.replace("</robot>", f'{finger}<mimic joint="hinge"/></joint></robot>'))
    capsys.readouterr()
    assert main(["info", robot]) == 0
    assert "nv = 1" in capsys.readouterr().out
    assert main(["info", robot, "--independent-mimic"]) == 0
    assert "nv = 2" in capsys.readouterr().out


def test_robots_are_found_by_name(capsys):
    pytest.importorskip("pinocchio", reason="example-robot-data is not installed (extra peers)")
    robots = example_robots()
    assert find_robot("panda") == robots["panda/panda"]
    assert find_robot("ur/ur5_robot") == robots["ur/ur5_robot"]
    assert find_robot("solo12") == robots["solo/solo12"]
    fails(capsys, 2, "no robot 'nope' in example-robot-data; there are a1, alex", "info", "nope")


# --------------------------------------------------------------------------------------------------- what must be kept


@pytest.fixture
def folder(tmp_path, monkeypatch, arm):
    """A robot, a motion and a file worth keeping, in the folder that commands run in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robot.csv").write_text(PENDULUM)
    (tmp_path / "good.csv").write_text("hinge,v:hinge,a:hinge\n0.1,0,0\n0.2,0,1\n")
    (tmp_path / "torque.csv").write_text("time,hinge\n0,0\n0.1,0\n")
    for name in ("kept.csv", "kept.png"):
        (tmp_path / name).write_text("precious")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.csv").symlink_to("good.csv")
    os.link("good.csv", "hard.csv")
    (tmp_path / "sub" / "alias.csv").symlink_to("../picture.png")
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize(
    "command",
    [
        "inverse robot.csv good.csv -o robot.csv",
        "inverse robot.csv good.csv -o good.csv",
        "inverse robot.csv good.csv -o ./sub/../good.csv",
        "inverse robot.csv good.csv -o link.csv",
        "inverse robot.csv good.csv -o hard.csv",
        "inverse robot.csv link.csv -o good.csv",
        "forward robot.csv torque.csv -o torque.csv",
        "forward robot.csv torque.csv --start good.csv -o good.csv",
    ],
)
def test_no_command_writes_a_file_that_it_reads(command, force, folder, capsys):
    before = contents(folder)
    fails(capsys, 2, "this is the file that is read", *command.split(), *force)
    assert contents(folder) == before


def test_a_robot_in_a_file_called_picture_is_not_drawn_over(folder, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    (folder / "demo.png").write_text(PENDULUM)
    fails(capsys, 2, "demo.png: this is the file that is read", "demo", "--robot", "demo.png", "--samples", "2")
    assert (folder / "demo.png").read_text() == PENDULUM


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-o kept.csv", "kept.csv: exists; --force replaces it"),
        ("-o new.csv --plot kept.png", "kept.png: exists; --force replaces it"),
        ("-o x.foo", "x.foo: no table can be written there; the path must end in .csv, .npz"),
        ("-o x", "x: no table can be written there"),
        ("-o new.csv --plot x.foo", "x.foo: no figure can be written there; the path must end in .png, .pdf, .svg"),
        ("-o no/x.csv", "no/x.csv: the table cannot be written, there is no folder"),
        ("-o new.csv --plot no/x.png", "no/x.png: the figure cannot be written, there is no folder"),
        ("-o good.csv/x.csv", "x.csv: the table cannot be written, there is no folder"),
        ("-o folder.csv", "folder.csv: the table cannot be written, this is a folder"),
        ("-o pipe.csv --force", "pipe.csv: the table cannot be written, this is no file but a device, a pipe"),
        (f"-o {'y' * 300}.csv", "the table cannot be written, File name too long"),
        ("-o locked.csv --force", "locked.csv: exists, and its permissions let nobody write it"),
        ("-o sub/alias.csv --plot picture.png --force", "picture.png: the figure would replace the table"),
    ],
)
def test_what_cannot_be_written_is_found_before_the_robot_is_read(options, message, folder, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    (folder / "robot.csv").write_text("no robot")
    (folder / "folder.csv").mkdir()
    os.mkfifo("pipe.csv")
    (folder / "locked.csv").touch(mode=0o444)
    before = contents(folder)
    fails(capsys, 2, message, "inverse", "robot.csv", "good.csv", *options.split())
    assert contents(folder) == before


def test_a_folder_that_is_read_only_is_found_before_the_robot_is_read(folder, capsys, monkeypatch):
    (folder / "robot.csv").write_text("no robot")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # as for all but the administrator
    fails(capsys, 2, "new.csv: the table cannot be written, the folder .* is read-only", *INVERSE, "-o", "new.csv")


INVERSE = "inverse", "robot.csv", "good.csv"


def test_what_exists_is_replaced_by_force_and_a_link_stays_a_link(folder, capsys):
    (folder / "elsewhere.csv").symlink_to("kept.csv")
    (folder / "kept.csv").chmod(0o640)
    assert main([*INVERSE, "-o", "elsewhere.csv", "--force"]) == 0
    assert (folder / "elsewhere.csv").is_symlink()
    assert (folder / "kept.csv").read_text().startswith("q:hinge,v:hinge,a:hinge,tau:hinge\n")
    assert (folder / "kept.csv").stat().st_mode & 0o777 == 0o640


@pytest.mark.slow
def test_the_picture_of_the_demonstration_is_its_own_and_others_are_kept(folder, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    demo = "demo", "--robot", "robot.csv", "--samples", "2"
    for _ in range(2):
        assert main([*demo]) == 0
    assert is_picture(folder / "demo.png")
    capsys.readouterr()
    fails(capsys, 2, "kept.png: exists; --force replaces it", *demo, "--plot", "kept.png")
    assert main([*demo, "--plot", "kept.png", "--force"]) == 0
    assert is_picture(folder / "kept.png")


@pytest.mark.parametrize(
    ("table", "sample", "why"),
    [
        ("hinge,v:hinge,a:hinge\n0.1,0,0\n1e300,1e200,1e200\n", 2, ""),
        ("hinge,v:hinge,a:hinge\n0.1,0,0\n0.1,0,0\n1,1e300,1\n", 3, ""),
        (
            "time,hinge\n" + "".join(f"{k},{1e300 if k == 4 else k}\n" for k in range(9)),
            r"\d",
            ".*position is in sample 5",
        ),
    ],
    ids=["all", "velocity", "one position"],
)
@pytest.mark.parametrize("options", [[], ["-o", "out.csv"]])
def test_a_sample_whose_result_overflows_is_named_and_nothing_is_written(table, sample, why, options, folder, capsys):
    (folder / "huge.csv").write_text(table)
    message = rf"huge.csv: sample {sample}: .*overflow{why}"
    assert fails(capsys, 1, message, "inverse", "robot.csv", "huge.csv", *options) == ""
    assert not (folder / "out.csv").exists()


@pytest.mark.slow
def test_the_sample_is_counted_over_all_blocks(folder, capsys):
    """A file is read in blocks of some thousand samples."""
    rows = ["0.1,0,0"] * 9999 + ["1,1e300,1"]
    (folder / "huge.csv").write_text("\n".join(["hinge,v:hinge,a:hinge", *rows]))
    fails(capsys, 1, "huge.csv: sample 10000: .*overflow", "inverse", "robot.csv", "huge.csv")


@pytest.mark.parametrize("count", ["0", "1", "-5", "1e3", "x", "nan", str(10**18), "9" * 5000])
def test_a_number_of_samples_has_bounds(count, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["demo", "--samples", count])
    assert stopped.value.code == 2
    err = capsys.readouterr().err
    assert re.match(r"pluecker: error: argument --samples: '\S+' is no number of samples, expected 2 to 100000;", err)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", ["", "dance", "view", "inverse robot.csv", "info a b", "info robot.csv --gravity 1 2"]
)
def test_wrong_command_lines_are_one_line(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments.split())
    err = capsys.readouterr().err
    assert stopped.value.code == 2
    assert err.startswith("pluecker: error: ")
    assert err.count("\n") == 1


def test_a_long_error_is_shortened(capsys):
    fails(capsys, 2, "x" * 100, "info", "x" * 100_000 + ".urdf")
    assert main(["inverse", "seven_joint_arm", "y" * 100_000]) == 2
    assert len(capsys.readouterr().err) < 1200
    fails(capsys, 2, "the robot's name is empty", "info", "")


# ----------------------------------------------------------------------------------------------------- streams and stops

ODD = (
    PENDULUM.replace('"pendulum"', '"Gelenk-\u00fc $x_{1$ \u673a"')
    .replace("hinge", "_\u00fc $a$ \u5173")
    .replace(
        "</robot>",
        '<link name="twig"/><joint name="fork" type="continuous"><parent link="base"/><child link="twig"/>'
        '<axis xyz="0 1 0"/></joint></robot>',
    )
)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_any_encoding_of_the_terminal_shows_any_robot(encoding, tmp_path, monkeypatch):
    (tmp_path / "odd.urdf").write_text(ODD, encoding="utf-8")
    shown = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", shown)
    assert main(["info", str(tmp_path / "odd.urdf")]) == 0
    text = shown.buffer.getvalue().decode(encoding)
    assert ("├─ rod" if encoding == "utf-8" else "|- rod") in text
    assert ("\u5173" if encoding == "utf-8" else r"\u5173") in text
    assert shown.errors == "strict"


def test_a_table_on_standard_output_is_utf8_as_files_are(tmp_path, monkeypatch):
    (tmp_path / "odd.urdf").write_text(ODD, encoding="utf-8")
    model = Model.from_urdf(tmp_path / "odd.urdf")
    Trajectory(None, *np.zeros((3, 2, 2))).save(tmp_path / "states.csv", model)
    shown = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", shown)
    assert main(["inverse", str(tmp_path / "odd.urdf"), str(tmp_path / "states.csv")]) == 0
    (tmp_path / "back.csv").write_bytes(shown.buffer.getvalue())
    np.testing.assert_array_equal(Trajectory.load(tmp_path / "back.csv", model).tau, np.zeros((2, 2)))


def test_any_robot_is_drawn(tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    (tmp_path / "odd.urdf").write_text(ODD, encoding="utf-8")
    model = Model.from_urdf(tmp_path / "odd.urdf")
    Trajectory(None, *np.zeros((3, 2, 2))).save(tmp_path / "states.csv", model)
    picture = tmp_path / "odd.svg"
    command = ["inverse", str(tmp_path / "odd.urdf"), str(tmp_path / "states.csv"), "-o", str(tmp_path / "out.csv")]
    assert main([*command, "--plot", str(picture)]) == 0
    assert is_picture(picture)


def run_program(*arguments, **options):
    """The program as the shell starts it."""
    command = [sys.executable, "-m", "pluecker", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, timeout=120, **options)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("arguments", "buffered"),
    [
        ("--help", True),
        pytest.param("info seven_joint_arm", True, marks=pytest.mark.everything),
        pytest.param("info seven_joint_arm", False, marks=pytest.mark.everything),
        pytest.param("--help", False, marks=pytest.mark.everything),
    ],
)
def test_a_full_disk_is_one_line(arguments, buffered):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        env = environment if buffered else {**environment, "PYTHONUNBUFFERED": "1"}
        done = run_program(*arguments.split(), stdout=full, env=env)
    assert done.returncode == 2
    assert done.stderr == "pluecker: error: standard output: No space left on device\n"


def test_a_reader_that_leaves_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    done = run_program("--help", stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


LIGHT = """
import sys
from pluecker.command import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    print(ended.code, sorted({"numba", "numpy", "scipy", "pluecker.spatial"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("--version", 0),
        ("--help", 0),
        ("simulate --help", 0),
        ("friction --help", 0),
        ("nonsense", 2),
        ("info --no", 2),
    ],
)
def test_help_the_version_and_wrong_arguments_wait_for_no_import(arguments, code):
    assert printed_by(LIGHT, *arguments.split()).splitlines()[-1] == f"{code} []"


def test_the_help_of_simulate_names_all_integrators(capsys, arm):
    with pytest.raises(ValueError, match="expected one of") as refused:
        simulate(arm, np.zeros(7), np.zeros(7), 0.1, 0.1, integrator="none of them")
    with pytest.raises(SystemExit):
        main(["simulate", "--help"])
    names = set(re.split(", | or ", str(refused.value).partition("expected one of ")[2]))
    said = " ".join(capsys.readouterr().out.split())
    assert set(said.partition("--integrator NAME ")[2].partition(" (semi_implicit)")[0].split(", ")) == names


def answer_to_ctrl_c(seconds):
    """The exit code of a simulation that takes hours, interrupted after a while; how long it then took; its last line."""
    program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # where it is ignored
    program += "from pluecker.__main__ import main\nimport sys; sys.exit(main())"
    command = [sys.executable, "-c", program, "simulate", "seven_joint_arm", "--duration", "1e6"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, time.monotonic() - begun, said.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals are sent as on Unix")
@pytest.mark.parametrize("number", [0, *(pytest.param(k, marks=pytest.mark.everything) for k in range(1, 200))])
def test_ctrl_c_is_heard_from_the_beginning(number):
    """Ctrl-C comes in imports, while compiled code is loaded, and in the motion, of which there is then a part."""
    code, took, said = answer_to_ctrl_c(np.random.default_rng(number).uniform(1.0, 5.0))
    assert code == 130
    assert took < 30.0  # of hours; a table of what there was may be written
    assert "interrupted" in said


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals are sent as on Unix")
@pytest.mark.parametrize(
    "moment",
    [
        "numpy",
        *(
            pytest.param(name, marks=pytest.mark.everything)
            for name in ("pluecker.articulated.algorithms.dynamics.aba", "pluecker.articulated.app.cli")
        ),
    ],
)
def test_an_interruption_while_importing_is_one_line(moment, tmp_path):
    """The process interrupts itself when a module is looked for."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # where the tests run in the background it is ignored
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {moment!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
    )
    done = run_program(
        "info", "seven_joint_arm", stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(tmp_path)}
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "pluecker: error: interrupted\n")


class Impatient(io.StringIO):
    """A terminal whose user presses Ctrl-C as soon as a bar moves on it, once."""

    pressed = False

    def isatty(self):
        return True

    def write(self, text):
        if "%|" in text and not self.pressed:
            self.pressed = True
            raise KeyboardInterrupt
        return super().write(text)


def test_an_interrupted_simulation_keeps_what_was_computed_and_is_no_success(tmp_path, monkeypatch):
    terminal, file = Impatient(), tmp_path / "motion.csv"
    monkeypatch.setattr(sys, "stderr", terminal)
    arguments = ("--duration", "10000", "--every", "10", "--control", "none", "-o", str(file))
    assert main(["simulate", "seven_joint_arm", *arguments]) == 130
    assert "interrupted; the trajectory ends at t =" in terminal.getvalue()
    time = np.loadtxt(file, delimiter=",", skiprows=1, usecols=0)
    assert 0.0 == time[0] < time[-1] < 10000.0


def test_an_interruption_of_a_computation_is_one_line(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Model, "from_urdf", interrupted)
    fails(capsys, 130, "interrupted", "info", "seven_joint_arm")


# ------------------------------------------------------------------------------------------------------------ simulation


@pytest.mark.parametrize("kind", [*MOVING, "mimic"])
def test_the_rate_of_a_configuration_is_that_of_the_path_it_is_on(kind):
    """Against a central difference of fourth order: error h^4 / 30 times the fifth derivative, |v| < 4, and rounding / h."""
    for seed in range(5):
        model = build_for_mimic(True) if kind == "mimic" else random_description(seed, 1, kinds=(kind,)).build()
        q, v, h = random_configuration(model, seed), np.random.default_rng(seed).normal(size=model.nv), 1e-3
        ends = {k: integrate(model, q, k * h * v) for k in (-2, -1, 1, 2)}
        expected = (8.0 * (ends[1] - ends[-1]) - (ends[2] - ends[-2])) / (12.0 * h)
        np.testing.assert_allclose(configuration_rate(model, q, v), expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_smooth_motion_has_the_velocity_and_acceleration_that_it_says(seed):
    """Joints of every type at once, by central differences of fourth order."""
    model = random_description(seed, 12, passive=False).build()
    motion = smooth_motion(model, seed)
    time, h = np.linspace(0.1, 0.9, 7) * motion.duration, 1e-3
    q, v, a = motion(time)
    q_at, v_at = {}, {}
    for k in (-2, -1, 1, 2):
        q_at[k], v_at[k], _ = motion(time + k * h)
    moved = {k: difference(model, q, q_at[k]) for k in q_at}
    np.testing.assert_allclose((8 * (moved[1] - moved[-1]) - (moved[2] - moved[-2])) / (12 * h), v, atol=1e-7)
    np.testing.assert_allclose((8 * (v_at[1] - v_at[-1]) - (v_at[2] - v_at[-2])) / (12 * h), a, atol=1e-7)


def test_a_spinning_body_keeps_its_angular_momentum():
    """Torque-free motion of a body with three moments: momentum in the world is constant, and turns in the body."""
    model = one_body("top", "spherical", 1.0, inertia=[1.0, 2.0, 2.5], gravity=(0, 0, 0))
    time = np.linspace(0.0, 3.0, 7)
    motion = follow(model, np.array([1.0, 0, 0, 0]), np.array([0.3, 2.0, 0.5]), time, np.zeros((7, 3)))
    turn = Rotation.from_quat(motion.q[:, [1, 2, 3, 0]])
    momentum = turn.apply(motion.v * [1.0, 2.0, 2.5])
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (7, 1)), atol=1e-7)
    assert np.ptp(motion.v, axis=0).min() > 0.1
    np.testing.assert_allclose(motion.a, aba(model, motion.q, motion.v, motion.tau))


def test_robots_that_have_no_name_are_not_found():
    pytest.importorskip("pinocchio", reason="example-robot-data is not installed (extra peers)")
    for name in ("", "nope"):
        with pytest.raises(UnknownNameError, match="there are a1, alex"):
            find_robot(name)
    with pytest.raises(TypeError, match="find_robot: name is a int"):
        find_robot(5)
