"""The command: its jobs from end to end, its exit codes, and one line for each error."""

import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("yourdfpy", reason="yourdfpy is not installed (extra urdf)")

from pluecker.articulated import Model, ModelBuilder, aba, integrate, random_configuration, rnea
from pluecker.articulated.app.cli import main
from pluecker.articulated.robots import SEVEN_JOINT_ARM, example_robots, find_robot
from pluecker.articulated.simulation.simulate import configuration_rate, simulate
from pluecker.articulated.simulation.smooth_motion import smooth_motion
from pluecker.articulated.simulation.trajectory import Trajectory, read_trajectory, write_trajectory
from tests.conftest import COMPILED
from tests.mechanisms import random_description

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


def is_picture(path):
    marks = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}
    return path.read_bytes().startswith(marks[path.suffix]) and path.stat().st_size > 5000


# ------------------------------------------------------------------------------------------------------------------ jobs


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


def test_demo_of_a_real_robot_compares_with_pinocchio(capsys, tmp_path):
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")
    name = "panda" if COMPILED else "TwoDofs"
    assert main(["demo", "--robot", name, "--samples", "20", "--plot", str(tmp_path / "p.png")]) == 0
    printed = capsys.readouterr().out
    errors = re.findall(r"^   (rnea|aba|crba) +(\d\S+e-\d+)", printed, flags=re.MULTILINE)
    assert [name for name, _ in errors] == ["rnea", "aba", "crba"]
    assert all(float(error) < 1e-11 for _, error in errors)


def test_demo_says_why_there_is_no_comparison(capsys, tmp_path, urdf):
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")
    robot = urdf(PENDULUM.replace("continuous", "planar"))
    assert main(["demo", "--robot", robot, "--samples", "5", "--plot", str(tmp_path / "p.png")]) == 0
    assert "No comparison: joint 'hinge': a planar joint has other coordinates" in capsys.readouterr().out


@pytest.mark.skipif(not COMPILED, reason="too slow without compilation")
@pytest.mark.parametrize(("name", "floating"), [("tiago", False), ("solo12", True), ("kinova", False)])
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
    motion = smooth_motion(arm)
    time = np.linspace(0.0, motion.duration, 100)
    q, v, a = motion(time)
    given, torques, back = (str(tmp_path / f"{name}.{ending}") for name in ("given", "torques", "back"))
    write_trajectory(given, arm, Trajectory(time, q, v, a))
    assert main(["inverse", "seven_joint_arm", given, "-o", torques]) == 0
    found = read_trajectory(torques, arm, bare="tau")
    np.testing.assert_allclose(found.tau, rnea(arm, q, v, a), rtol=1e-13, atol=1e-13)
    assert main(["forward", "seven_joint_arm", torques, "-o", back]) == 0
    np.testing.assert_allclose(read_trajectory(back, arm, bare="q").a, a, atol=1e-10)


def test_positions_over_time_are_enough_for_inverse_dynamics(arm, tmp_path, capsys):
    motion = smooth_motion(arm)
    time = np.linspace(0.0, motion.duration, 300)
    q, v, a = motion(time)
    path = tmp_path / "motion.csv"
    header = ",".join(["time", *arm.joint_names])
    np.savetxt(path, np.column_stack([time, q]), delimiter=",", header=header, comments="", fmt="%.17g")
    assert main(["inverse", "seven_joint_arm", str(path)]) == 0
    (tmp_path / "out.csv").write_text(capsys.readouterr().out)
    tau = read_trajectory(tmp_path / "out.csv", arm, bare="q").tau
    np.testing.assert_allclose(tau, rnea(arm, q, v, a), atol=1e-3)


def test_torques_over_time_are_simulated_and_energy_is_kept(urdf, tmp_path, capsys):
    """A pendulum let go sideways: its speed at angle x obeys the law of energy."""
    robot = urdf(PENDULUM)
    (tmp_path / "torque.csv").write_text("time,hinge\n0,0\n0.25,0\n0.7,0\n1.3,0\n")
    (tmp_path / "start.csv").write_text("hinge,v:hinge\n1.5,0.3\n")
    arguments = ["forward", robot, str(tmp_path / "torque.csv"), "--start", str(tmp_path / "start.csv")]
    assert main(arguments) == 0
    (tmp_path / "out.csv").write_text(capsys.readouterr().out)
    found = read_trajectory(tmp_path / "out.csv", Model.from_urdf(robot), bare="q")
    energy = 0.5 * (0.1 + 2 * 0.25) * found.v[:, 0] ** 2 - 2 * 9.81 * 0.5 * np.cos(found.q[:, 0])
    np.testing.assert_allclose(energy, energy[0], atol=1e-7)
    assert np.ptp(found.q) > 1.0


def test_start_counts_more_than_states_in_the_file_of_torques(urdf, tmp_path):
    robot, torques, state, out = urdf(PENDULUM), *(str(tmp_path / f"{name}.csv") for name in ("torque", "start", "out"))
    write_trajectory(torques, Model.from_urdf(robot), Trajectory(np.arange(2.0), np.ones((2, 1)), *np.zeros((3, 2, 1))))
    (tmp_path / "start.csv").write_text("hinge\n0.5\n")
    assert main(["forward", robot, torques, "-o", out]) == 0
    assert read_trajectory(out, Model.from_urdf(robot), bare="q").q.tolist() == [[1.0], [1.0]]
    assert main(["forward", robot, torques, "-o", out, "--start", state, "--force"]) == 0
    q = read_trajectory(out, Model.from_urdf(robot), bare="q").q[:, 0]
    assert q[0] == 0.5
    assert abs(q[1] - q[0]) > 0.1


def test_a_free_body_falls_as_galilei_said(urdf, tmp_path, capsys):
    path = tmp_path / "torque.csv"
    names = ",".join(f"tau:floating_base.{label}" for label in ("wx", "wy", "wz", "vx", "vy", "vz"))
    path.write_text(f"time,{names}\n0,0,0,0,0,0,0\n0.5,0,0,0,0,0,0\n1,0,0,0,0,0,0\n")
    robot = urdf(BRICK)
    assert main(["forward", robot, str(path), "--floating-base", "--gravity", "0", "0", "-2"]) == 0
    (tmp_path / "out.csv").write_text(capsys.readouterr().out)
    found = read_trajectory(tmp_path / "out.csv", Model.from_urdf(robot, floating_base=True), bare="q")
    np.testing.assert_allclose(found.q[:, 2], -(found.time**2), atol=1e-9)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_results_are_drawn_in_the_format_of_the_ending(ending, arm, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    path, picture = tmp_path / "given.csv", tmp_path / f"picture.{ending}"
    write_trajectory(path, arm, Trajectory(None, *np.zeros((3, 4, 7))))
    assert main(["inverse", "seven_joint_arm", str(path), "-o", str(tmp_path / "o.csv"), "--plot", str(picture)]) == 0
    assert is_picture(picture)


def test_the_module_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "pluecker.articulated", "info", "seven_joint_arm"],
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
    write_trajectory(good, arm, Trajectory(None, *np.zeros((4, 4, 7))))
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
    write_trajectory(path, arm, Trajectory(None, np.zeros((4, 7))))
    return path


def test_a_picture_that_cannot_be_written_is_one_line(capsys, tmp_path, arm):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra plot)")
    good = tmp_path / "good.csv"
    write_trajectory(good, arm, Trajectory(None, *np.zeros((3, 4, 7))))
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


def test_wrong_arguments_exit_with_two(capsys):
    for arguments in ([], ["dance"], ["demo", "--samples", "1"], ["demo", "--samples", "x"]):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert "error" in capsys.readouterr().err


def test_robots_are_found_by_name(capsys):
    pytest.importorskip("pinocchio", reason="example-robot-data is not installed (extra peers)")
    robots = example_robots()
    assert find_robot("panda") == robots["panda/panda"]
    assert find_robot("ur/ur5_robot") == robots["ur/ur5_robot"]
    assert find_robot("solo12") == robots["solo/solo12"]
    fails(capsys, 2, "no robot 'nope' in example-robot-data; there are a1, alex", "info", "nope")


# ------------------------------------------------------------------------------------------------------------ simulation


@pytest.mark.parametrize("seed", [0, 1])
def test_the_rate_of_a_configuration_is_the_derivative_of_integration(seed):
    model = random_description(seed, 10).build()
    q, v, h = random_configuration(model, seed), np.random.default_rng(seed).normal(size=model.nv), 1e-6
    expected = (integrate(model, q, h * v) - integrate(model, q, -h * v)) / (2 * h)
    np.testing.assert_allclose(configuration_rate(model, q, v), expected, atol=1e-9)


def test_a_spinning_body_keeps_its_angular_momentum():
    """Torque-free motion of a body with three moments: momentum in the world is constant, and turns in the body."""
    builder = ModelBuilder(gravity=(0, 0, 0))
    builder.add_body("top", mass=1.0, inertia=[1.0, 2.0, 2.5])
    builder.add_joint("socket", "spherical", "world", "top")
    model = builder.build()
    time = np.linspace(0.0, 3.0, 7)
    motion = simulate(model, [1, 0, 0, 0], [0.3, 2.0, 0.5], time, np.zeros((7, 3)))
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_quat(motion.q[:, [1, 2, 3, 0]])
    momentum = turn.apply(motion.v * [1.0, 2.0, 2.5])
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (7, 1)), atol=1e-7)
    assert np.ptp(motion.v, axis=0).min() > 0.1
    np.testing.assert_allclose(motion.a, aba(model, motion.q, motion.v, motion.tau))
