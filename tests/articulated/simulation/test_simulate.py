"""The function ``simulate``: refusals, records, comparison with smaller steps, and the command that calls it."""

from __future__ import annotations

import ctypes
import signal
import threading
import time
import tracemalloc
import weakref

import numpy as np
import pytest
from numba.core import event
from numpy.testing import assert_allclose, assert_array_equal

from pluecker.articulated import (
    Actuator,
    CompiledControl,
    Control,
    JointLimits,
    Model,
    ModelBuilder,
    PDControl,
    PointSpring,
    SimulationError,
    SimulationWarning,
    TimeTable,
    Trajectory,
    applied_forces,
    center_of_mass,
    convergence,
    forward_kinematics,
    kinetic_energy,
    momentum,
    potential_energy,
    simulate,
)
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.spatial import ArgumentValueError, PlueckerError, UnknownNameError
from tests.command import main
from tests.conftest import COMPILED, EVERYTHING
from tests.models import one_body

NUMBERS = ctypes.POINTER(ctypes.c_double)
SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_double, NUMBERS, NUMBERS, NUMBERS, NUMBERS)  # of a compiled control


@pytest.fixture(scope="module")
def pendulum():
    builder = ModelBuilder()
    for k, parent in enumerate(("world", "b0")):
        builder.add_body(f"b{k}", mass=1.0 + k, center_of_mass=(0, 0, -0.5), inertia=[0.1, 0.1, 0.02])
        builder.add_joint(f"j{k}", "revolute", parent, f"b{k}", axis=(0, 1, 0), position=(0, 0, -k), effort_limit=2.0)
    return builder.build()


START = {"q": [0.5, -0.2], "v": [0.0, 0.1], "duration": 0.02, "step": 0.01}


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ({"model": None}, TypeError, "simulate: model must be a pluecker.articulated.Model, got a NoneType"),
        ({"q": [1.0]}, ValueError, r"simulate: q has shape \(1,\), expected \(\.\.\., 2\)"),
        ({"v": [0.0, np.nan]}, ValueError, r"simulate: v\[1\] is nan, expected a finite number \(coordinate 'j1'\)"),
        ({"step": 0.0}, ValueError, "simulate: step is 0.0 s, expected a finite number above 0"),
        ({"step": "1"}, TypeError, "simulate: step is a str, expected a number of seconds"),
        ({"duration": 0.015}, ValueError, r"the duration, 0\.015 s, is no whole number of steps of 0\.01 s"),
        ({"every": 0}, ValueError, "simulate: every is 0, expected 1 or more steps"),
        ({"control": [1.0]}, ValueError, r"simulate: control has shape \(1,\), expected \(\.\.\., 2\)"),
        ({"control": [np.inf, 0.0]}, ValueError, r"simulate: control\[0\] is inf, expected a finite number"),
        (
            {"control": TimeTable([0.0, 1.0], [[0.0], [1.0]])},
            ValueError,
            r"control has shape \(2, 1\), expected \(\.\.\., 2, 2\)",
        ),
        ({"control": PDControl(1.0, [1.0], q=[0.0, 0])}, ValueError, r"damping has shape \(1,\)"),
        ({"control": np.zeros((3, 2)), "q": np.zeros((2, 2))}, ValueError, "the leading axes do not broadcast"),
        ({"control": Control(period=0.015)}, ValueError, r"the period of control, 0\.015 s, is no whole number"),
        ({"control": Control(actuator=Actuator(gear=[1.0, 2, 3]))}, ValueError, "gear of the actuator has shape"),
        ({"f_ext": np.zeros(6)}, ValueError, r"f_ext has shape \(6,\), expected \(\.\.\., 2, 6\)"),
        ({"integrator": "eulr"}, ValueError, r"integrator is 'eulr', expected one of .*semi_implicit"),
        ({"record": "velocity"}, UnknownNameError, "'velocity' cannot be recorded, expected a, tau, energy"),
        ({"limits": JointLimits(damping=[1.0])}, ValueError, "damping of limits has shape"),
        ({"limits": 1}, TypeError, "limits is a int, expected JointLimits, True, False or None"),
        ({"on_unsolved": "stop"}, ValueError, "on_unsolved is 'stop', expected one of raise, continue, substep"),
        ({"progress": len}, TypeError, "progress gave a int, expected what it was given"),
        ({"tol": 0.0}, ValueError, "tol is 0.0"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_simulate_refuses_what_cannot_be_by_name(wrong, kind, message, pendulum):
    with pytest.raises(kind, match=message) as caught:
        simulate(**{"model": pendulum, **START, **wrong})
    assert isinstance(caught.value, PlueckerError)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: TimeTable([0.0, np.nan], [[0.0], [0.0]]), ValueError, r"TimeTable: times\[1\] is nan"),
        (
            lambda: TimeTable([0.0, 0.0], [[0.0], [0.0]]),
            ValueError,
            r"times\[1\] is 0.0 after 0.0, expected rising times",
        ),
        (lambda: TimeTable([0.0], [[0.0], [0.0]]), ValueError, r"values has shape \(2, 1\), expected \(\.\.\., 1, "),
        (lambda: PDControl(-1.0, 1.0, q=[0.0]), ValueError, "stiffness is -1.0 at one coordinate"),
        (lambda: CompiledControl(len), TypeError, "function is a builtin_function_or_method, expected a numba.cfunc"),
        (lambda: CompiledControl(ctypes.CFUNCTYPE(None)(lambda: None)), TypeError, "has another signature"),
        (lambda: CompiledControl(0), ValueError, "the address is 0"),
        (lambda: Actuator(saturation=0.0), ValueError, "saturation is 0.0"),
        (lambda: Control(Control()), TypeError, "command is a Control"),
        (lambda: JointLimits(restitution=1.5), ValueError, "restitution is 1.5, expected 0 to 1"),
    ],
)
def test_controls_check_themselves(make, kind, message):
    with pytest.raises(kind, match=message) as caught:
        make()
    assert isinstance(caught.value, PlueckerError)


def test_integrators_without_rows_refuse_dry_friction(pendulum):
    with pytest.raises(
        ValueError, match=r"rk4 knows no dry friction, and model .* has it at 'j0'; use .*semi_implicit"
    ):
        simulate(pendulum.replace(friction=0.1), **START, integrator="rk4")


def test_what_is_recorded_is_what_the_algorithms_say(pendulum):
    spring = PointSpring("world", "b1", stiffness=3.0)
    names = ("energy", "momentum", "center_of_mass", "b1", "a", "tau")
    found = simulate(pendulum, **START, control=[0.1, 0.2], elements=spring, record=names)
    q, v, columns = found.q, found.v, found.columns
    np.testing.assert_array_equal(found.tau, np.tile([0.1, 0.2], (3, 1)))
    np.testing.assert_allclose(columns["kinetic_energy"], kinetic_energy(pendulum, q, v))
    stored = potential_energy(pendulum, q) + applied_forces(pendulum, spring, q, v).energy
    np.testing.assert_allclose(columns["potential_energy"], stored)
    np.testing.assert_allclose(columns["momentum"], momentum(pendulum, q, v))
    np.testing.assert_allclose(columns["center_of_mass"], center_of_mass(pendulum, q))
    np.testing.assert_allclose(columns["b1"], forward_kinematics(pendulum, q, ["b1"])[..., 0, :, :])
    np.testing.assert_allclose(found.a[0] * 0.01, v[1] - v[0], rtol=0.01)


def test_gains_follow_a_reference_that_moves_and_an_implicit_step_is_stable(pendulum):
    """A stiffness of 1e9: the joints are where the reference is at the end of each step, to 1e-6 of its way."""
    moving = TimeTable([0.0, 0.02, 0.04], [[0.0, 0.0], [1.0, -1.0], [0.0, 0.5]])
    stiff = simulate(pendulum, [0.0, 0.0], [50.0, -50.0], 0.04, 0.01, control=PDControl(1e9, 0.0, q=moving))
    np.testing.assert_allclose(stiff.q[1:3], [[0.5, -0.5], [1.0, -1.0]], atol=1e-5)


def test_motions_by_steps_and_by_tolerances_come_together_under_all_controls(pendulum):
    """Two methods that share the forces: of order four by steps, of order eight by a tolerance."""
    controls = (
        PDControl([30.0, 20.0], 2.0, q=TimeTable([0.0, 0.02], [[0.0, 0.0], [0.5, -0.5]]), tau=[0.3, 0.1]),
        Control(PDControl(30.0, 1.0, q=[0.3, 0.0]), clip=True),
    )
    force = np.full((2, 6), 0.1)
    for control in controls if COMPILED else controls[:1]:
        found, exact = (
            simulate(pendulum, START["q"], START["v"], 0.02, h, control=control, f_ext=force, integrator=name, every=n)
            for name, h, n in (("rk4", 0.0025, 4), ("dop853", 0.01, 1))
        )
        np.testing.assert_allclose(found.q, exact.q, atol=1e-6)
        np.testing.assert_allclose(found.tau, exact.tau, atol=1e-4)  # gains times the same


def kinds_of_control(q, v):
    """Constant, linear and held forces, gains with references at rest and moving, C, Python, sampled, and by motors."""
    ends, gains = [0.0, 0.02], PDControl(100.0, 10.0, q=q)
    return [
        v + 1.0, TimeTable(ends, [v, v + 1.0]), TimeTable(ends, [v, v + 1.0], linear=False), gains,
        PDControl(100.0, 10.0, q=TimeTable(ends, [q, q + 0.1])),
        PDControl(100.0, 10.0, q=TimeTable(ends, [q, q + 0.1]), v=v, tau=v),
        CompiledControl(SIGNATURE(without_number), [1.0]), lambda t, q, v: -v, Control(gains, period=0.02, clip=True),
        Control(gains, actuator=Actuator(2.0, 9.0, delay=0.01)),
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled with NUMBA_DISABLE_JIT=1")
def test_nothing_is_compiled_for_another_kind_of_control(pendulum):
    """Compilations of this process are counted, code from the disk is not.

    Before a release the cache of a new process is empty.
    """
    q, v = np.array(START["q"]), np.zeros(2)
    simulate(pendulum, q, v, 0.02, 0.01)
    with event.install_recorder("numba:compile") as recorder:
        for control in kinds_of_control(q, v):
            simulate(pendulum, q, v, 0.02, 0.01, control=control)
        simulate(pendulum, q, v, 0.02, 0.01, f_ext=np.ones((2, 6)))
    assert len(recorder.buffer) == 0


def test_the_error_falls_with_the_order_and_is_estimated(pendulum):
    """Errors of a method of first order: of the first run twice the first difference, of the last the last one."""
    found = convergence(pendulum, [0.5, -0.2], [0.0, 0.1], 0.04, 0.01)
    exact = simulate(pendulum, [0.5, -0.2], [0.0, 0.1], 0.04, 0.01, integrator="dop853", tol=1e-12)
    assert abs(found.order - 1.0) < 0.1
    true = np.abs(found.trajectory.q - exact.q).max()
    assert 0.5 * true < found.error[1] < 2.0 * true
    assert "observed order" in str(found)
    tight = convergence(pendulum, [0.5, -0.2], [0.0, 0.1], 0.04, 0.04, integrator="dop853", tol=1e-4)
    assert tight.name == "tol"
    assert tight.error[1] < 1e-6
    assert "observed order" not in str(tight)
    with pytest.raises(ValueError, match="runs is 2, expected 3 to 32"):
        convergence(pendulum, **START, runs=2)


def test_the_command_simulates_holds_and_draws(tmp_path, capsys):
    table, picture = tmp_path / "motion.csv", tmp_path / "motion.png"
    options = ["--duration", "0.02", "--step", "0.01", "--every", "1"]
    assert (
        main(["simulate", "seven_joint_arm", *options, "--control", "hold", "-o", str(table), "--plot", str(picture)])
        == 0
    )
    assert picture.exists()
    text = table.read_text()
    assert text.startswith("time,q:joint1")
    held = Trajectory.load(table, Model.from_urdf(SEVEN_JOINT_ARM))
    assert held.q is not None
    assert np.ptp(held.q, axis=0).max() < 1e-12
    assert main(["simulate", "seven_joint_arm", *options, "--control", str(table)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert main(["simulate", "seven_joint_arm", *options, "--step", "0.03"]) == 2
    assert "is no whole number of steps" in capsys.readouterr().err


def test_forward_ends_with_dry_friction(tmp_path):
    """A pendulum with dry friction and damping, as it once took 480,000 evaluations and no end: it comes to rest."""
    robot, forces, motion = (tmp_path / name for name in ("robot.urdf", "forces.csv", "motion.csv"))
    robot.write_text(
        """<robot name="pendulum"><link name="base"/>
        <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="pivot" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
        <dynamics friction="0.5" damping="0.1"/></joint></robot>"""
    )
    times = [0.0, 0.3, 1.0, 6.0, 12.0] if COMPILED else [0.0, 0.02]
    forces.write_text("time,pivot\n" + "".join(f"{t},0\n" for t in times))
    start = tmp_path / "start.csv"
    start.write_text("pivot\n1.5\n")
    assert main(["forward", str(robot), str(forces), "--start", str(start), "-o", str(motion)]) == 0
    found = Trajectory.load(motion, Model.from_urdf(robot))
    assert found.v is not None
    if COMPILED:
        assert found.v[-1] == 0.0


@pytest.mark.slow
def test_many_samples_go_to_files_in_constant_memory(pendulum, tmp_path):
    """72 bytes each. Memory holds a block of 4 MB, and what is computed from it, however many there are."""
    free = pendulum.replace(damping=0.5)
    seconds = (100, 1000) if EVERYTHING else (100, 250)
    simulate(free, **START, record_to=tmp_path / "first")  # what is compiled and imported stays
    peaks = []
    for duration in seconds:
        tracemalloc.start()
        try:
            motion = simulate(free, [0.5, -0.2], [0.0, 0.0], duration, 0.001, record_to=tmp_path / f"{duration}")
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert len(motion) == 1000 * seconds[1] + 1
    assert peaks[1] < min(20e6, 1.2 * peaks[0])
    np.testing.assert_allclose(motion.q[-1], 0.0, atol=1e-12 if EVERYTHING else 1e-4)
    assert sum(file.stat().st_size for file in (tmp_path / str(seconds[1])).iterdir()) > 72e3 * seconds[1]


@pytest.mark.slow
@pytest.mark.everything
def test_samples_of_a_period_of_control_may_be_more_than_are_written_at_once(pendulum, tmp_path):
    """Four megabytes are two samples of so many states, and control is evaluated at every tenth sample."""
    q = np.linspace(-1.0, 1.0, 2 * 60_000).reshape(-1, 2)
    control = Control(lambda t, q, v: -q, period=0.1)
    options = {**START, "q": q, "duration": 0.12, "step": 0.01, "control": control, "record": ()}
    files, memory = simulate(pendulum, **options, record_to=tmp_path), simulate(pendulum, **options)
    assert_array_equal(files.q, memory.q)
    assert_array_equal(files.time, memory.time)


def test_ctrl_c_ends_compiled_steps_within_a_second(pendulum, request):
    """A day of a pendulum, which takes half a minute."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals go to the main thread")
    simulate(pendulum, **START)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    begun = time.monotonic()
    with pytest.warns(SimulationWarning, match="interrupted; the trajectory ends at t ="):
        motion = simulate(pendulum, [0.5, -0.2], [0.0, 0.0], 1e5, 0.001, every=10**6)
    took = time.monotonic() - begun
    assert took < 5.0
    assert motion.time is not None
    assert motion.q is not None
    assert len(motion) >= 1
    assert np.isfinite(motion.q).all()


@pytest.mark.parametrize("in_files", [False, True])
def test_ctrl_c_while_progress_is_told_leaves_times_and_states_of_the_same_samples(in_files, pendulum, tmp_path):
    def until_the_third(samples):
        for k in samples:
            if k == 3:
                raise KeyboardInterrupt
            yield k

    folder = tmp_path / "motion" if in_files else None
    with pytest.warns(SimulationWarning, match=r"interrupted; the trajectory ends at t = 0\.03 s"):
        motion = simulate(
            pendulum,
            **START | {"duration": 0.1},
            control=raising_after(1.0),
            progress=until_the_third,
            record_to=folder,
        )
    assert_allclose(motion.time, [0.0, 0.01, 0.02, 0.03])
    assert motion.q.shape == motion.v.shape == motion.a.shape == (4, 2)
    whole = simulate(pendulum, **START | {"duration": 0.1}, control=raising_after(1.0))
    assert_array_equal(motion.q, whole.q[:4])


def without_number(t, q, v, tau, parameters):
    tau[0] = np.nan if t > parameters[0] else 0.0


def raising_after(begin):
    """A control that divides by zero from this time on."""
    return lambda t, q, v: 0.0 * v if t < begin else 1 // 0


@pytest.mark.parametrize(
    ("control", "known"),
    [
        (raising_after(0.0), 1),
        (raising_after(0.015), 2),
        (CompiledControl(SIGNATURE(without_number), [-1.0]), 1),
        (CompiledControl(SIGNATURE(without_number), [0.015]), 2),
    ],
    ids=["python at once", "python later", "compiled at once", "compiled later"],
)
def test_what_is_known_when_a_control_fails_is_kept_and_can_be_saved(control, known, pendulum, tmp_path):
    begin = np.array([[0.5, -0.2], [0.1, 0.3]])
    for q in (begin[0], begin):
        with pytest.raises(SimulationError, match=r"control (raised ZeroDivisionError|gives)") as caught:
            simulate(pendulum, q, START["v"], 0.05, 0.01, control=control, integrator="euler")
        kept = caught.value.trajectory
        assert caught.value.time == 0.0 if known == 1 else 0.015 < caught.value.time <= 0.02
        assert len(kept) == known
        np.testing.assert_array_equal(kept.q[..., 0, :], q)
        kept.save(tmp_path / "kept.npz")
        np.testing.assert_array_equal(Trajectory.load(tmp_path / "kept.npz", pendulum).q, kept.q)


def test_no_times_of_samples_to_come_are_remembered(pendulum, tmp_path):
    """Ten million of them would take 80 MB."""
    tracemalloc.start()
    try:
        with pytest.raises(SimulationError, match="control raised"):
            simulate(
                pendulum, **{**START, "duration": 1e5}, control=raising_after(0.015),
                record_to=tmp_path / "motion",
            )  # fmt: skip
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20e6


def test_limits_that_an_integrator_does_not_know_are_refused_where_they_are_asked_for():
    model = one_body("block", "prismatic", 1.0, axis=(1, 0, 0), lower_limit=-0.1, upper_limit=0.1)
    for limits in (True, JointLimits(restitution=0.5)):
        with pytest.raises(ArgumentValueError, match="rk4 knows none; use dormand_prince or semi_implicit"):
            simulate(model, [0.0], [1.0], 0.2, 0.02, integrator="rk4", limits=limits)
    beyond = simulate(model, [0.0], [1.0], 0.2, 0.02, integrator="rk4")
    np.testing.assert_allclose(beyond.q[-1], 0.2)
    assert simulate(model, [0.0], [1.0], 0.2, 0.02).q.max() <= 0.1


def test_what_a_model_keeps_of_a_simulation_changes_no_motion(pendulum):
    again, fresh = pendulum.replace(), [pendulum.replace() for _ in range(4)]
    other = {"q": [-0.4, 1.0], "v": [2.0, -1.0]}
    calls = [{}, other, {"record": "energy"}, other | {"step": 0.005}]
    for own, change in zip(fresh, calls, strict=True):
        first, kept = simulate(own, **START | change), simulate(again, **START | change)
        for part in ("time", "q", "v", "a", "tau"):
            assert_array_equal(getattr(kept, part), getattr(first, part))
        assert list(kept.columns) == list(first.columns)
    first = simulate(again, **START)
    first.time[:], first.q[:] = 7.0, 7.0  # what a user does with a trajectory is not seen by the next one
    assert_array_equal(simulate(again, **START).time, [0.0, 0.01, 0.02])
    assert_array_equal(simulate(again, **START).q, simulate(fresh[0], **START).q)
    batch = simulate(again, **START | {"q": np.tile(START["q"], (3, 1))}, integrator="euler")
    assert_allclose(batch.q, np.tile(simulate(again, **START, integrator="euler").q, (3, 1, 1)), rtol=1e-12, atol=1e-12)


def test_equal_arguments_of_another_type_are_refused_behind_a_call_that_was_kept(pendulum):
    plain = {"every": 1, "tol": 1.0, "control": (1, 1)}
    simulate(pendulum, **START | {"every": 1, "tol": 1.0})
    simulate(pendulum, **START | plain)
    for wrong in ({"every": True}, {"every": 1.0}, {"tol": True}, {"control": (True, True)}, {"control": ("1", 1)}):
        with pytest.raises(TypeError):
            simulate(pendulum, **START | plain | wrong)


def test_a_model_keeps_few_preparations_and_is_forgotten_with_them(pendulum):
    def simulate_for(model, first, last):
        for k in range(first, last):
            simulate(model, **START | {"duration": 0.001 * (k + 1), "step": 0.001 * (k + 1)}, record=())

    model = pendulum.replace()
    tracemalloc.start()
    try:
        simulate_for(model, 0, 100)
        before, _ = tracemalloc.get_traced_memory()
        simulate_for(model, 100, 200)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 50_000  # each would be some kilobytes
    reference = weakref.ref(model)
    del model
    assert reference() is None  # without a search for circles
