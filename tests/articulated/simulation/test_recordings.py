"""Recordings in files: whole whatever happens, in the folder that was given, and not larger than the disk."""

import contextlib
import os
import resource
import signal
import warnings
from urllib.parse import unquote

import numpy as np
import pytest

from pluecker.articulated import (
    ModelBuilder,
    SimulationError,
    SimulationWarning,
    Trajectory,
    convergence,
    rnea,
    simulate,
)
from pluecker.spatial import ArgumentTypeError, ArgumentValueError, crm

pytestmark = pytest.mark.plain
STEP = {"duration": 0.05, "step": 0.01}
HOSTILE = (
    "../../precious", "a/b", "a\\b", "Arm", "arm", "ARM", "con", "Con", ".hidden", "..", "100%", "100%25", "two\nlines",
    "Gelenk é", " ", "<script>alert(1)</script>", "trailing.", "c:\\nul", "关节", "force[0]", "q:j",
)  # fmt: skip


@pytest.fixture(scope="module")
def pendulum():
    return chain(("b0", "b1"))


def chain(names):
    """A mechanism of pendulums that hang on the world, with these names of bodies."""
    builder = ModelBuilder()
    for k, name in enumerate(names):
        builder.add_body(name, mass=1.0, center_of_mass=(0, 0, -0.5), inertia=[0.1, 0.1, 0.02])
        builder.add_joint(f"j{k}", "revolute", "world", name, axis=(0, 1, 0))
    return builder.build()


@contextlib.contextmanager
def no_file_larger_than(size):
    """A system that lets no file grow beyond so many bytes, as a disk that is full does not."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def lengths(folder):
    """Return the number of samples in each file of a recording."""
    return {path.name: len(np.load(path)) for path in folder.iterdir()}


def test_names_lead_to_no_file_outside_and_are_told_apart(tmp_path):
    model = chain(HOSTILE)
    precious = tmp_path / "precious.npy"
    precious.write_bytes(b"precious")
    folder = tmp_path / "out" / "recording"
    motion = simulate(model, [0.1] * model.nq, [0.0] * model.nv, **STEP, record=HOSTILE, record_to=folder)
    assert precious.read_bytes() == b"precious"
    assert [path.name for path in tmp_path.iterdir() if path != precious] == ["out"]
    files = {path.name for path in folder.iterdir()}
    assert {unquote(name[:-4]) for name in files} == {*HOSTILE, "time", "q", "v"}
    assert len({name.casefold() for name in files}) == len(files) == len(HOSTILE) + 3
    assert not {name.partition(".")[0].casefold() for name in files} & {"con", "nul", ""}
    for name in files - {"time.npy", "q.npy", "v.npy"}:
        np.testing.assert_array_equal(np.load(folder / name), motion.columns[unquote(name[:-4])])


def test_ordinary_names_are_names_of_files(pendulum, tmp_path):
    simulate(pendulum, [0.1, 0.2], [0.0, 0.0], **STEP, record=("a", "tau", "energy", "b1"), record_to=tmp_path)
    expected = {"time", "q", "v", "a", "tau", "kinetic_energy", "potential_energy", "b1"}
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.npy" for name in expected}


def test_a_frame_that_is_called_like_a_part_of_the_trajectory_does_not_replace_it():
    model = chain(("time", "q", "b"))
    for name in ("time", "q"):
        with pytest.raises(ArgumentValueError, match=f"frame '{name}' cannot be recorded"):
            simulate(model, np.zeros(3), np.zeros(3), **STEP, record=name)


@pytest.mark.parametrize("ending", [".npz", ".h5", ".csv"])
def test_any_name_of_a_column_comes_back_from_a_file(ending, pendulum, tmp_path):
    names = [name for name in HOSTILE if name == name.strip() and name != "force[0]"] if ending == ".csv" else HOSTILE
    columns = {name: np.arange(2.0) + k for k, name in enumerate(names)}
    given = Trajectory(np.arange(2.0), np.zeros((2, 2)), columns=columns)
    given.save(tmp_path / f"file{ending}", pendulum)
    found = Trajectory.load(tmp_path / f"file{ending}", pendulum)
    assert found.columns.keys() == columns.keys()
    for name, values in columns.items():
        np.testing.assert_array_equal(found.columns[name], values)


FREE, ASKED, DIVIDED = {}, {"control": lambda t, q, v: 0.0 * v}, {"integrator": "dop853", "every": 40}


@pytest.mark.parametrize(
    ("options", "size"),
    [(FREE, 100), (FREE, 500), (FREE, 1500), (ASKED, 100), (ASKED, 1500), (DIVIDED, 180)],
    ids=["free, no room", "free", "free, more", "control, no room", "control", "dop853"],
)
def test_a_full_disk_leaves_whole_files_and_what_they_hold(size, options, pendulum, tmp_path):
    """A sample of two coordinates takes 16 bytes: 100 hold none, and no size here holds all 121 (of dop853 4)."""
    start = [0.5, -0.2], [0.1, 0.3], 1.2, 0.01
    whole = simulate(pendulum, *start, **options)
    with no_file_larger_than(size), pytest.raises(SimulationError, match=r"record_to: .* cannot be written") as caught:
        simulate(pendulum, *start, **options, record_to=tmp_path / "run")
    kept = caught.value.trajectory
    found = lengths(tmp_path / "run")
    assert set(found.values()) <= {len(kept)}
    assert len(kept) < len(whole)
    assert (len(found) == 5) == (f"the files hold the {len(kept)} samples before" in str(caught.value)) or not found
    np.testing.assert_array_equal(kept.q, whole.q[: len(kept)])
    for path in (tmp_path / "run").iterdir():
        np.testing.assert_array_equal(np.load(path), getattr(whole, path.stem)[: len(kept)])


@pytest.mark.parametrize("ending", [".npz", ".h5", ".csv"])
def test_a_table_that_finds_no_room_leaves_the_one_before(ending, pendulum, tmp_path):
    path = tmp_path / f"file{ending}"
    Trajectory(np.arange(2.0), np.zeros((2, 2))).save(path, pendulum)
    before = path.read_bytes()
    large = Trajectory(np.arange(9000.0), np.random.default_rng(0).normal(size=(9000, 2)))
    with no_file_larger_than(50_000), pytest.raises(ArgumentValueError, match=f"file{ending}: cannot be written"):
        large.save(path, pendulum)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_ctrl_c_at_any_time_leaves_files_of_one_length(pendulum, tmp_path, no_collection):
    """The first interruptions come before there are files, the last while they are written."""
    start = [0.5, -0.2], [0.1, 0.3], 1.0, 0.01
    rng = np.random.default_rng(0)
    handler = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        for trial in range(12):
            folder = tmp_path / str(trial)
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.01, 0.4))
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", SimulationWarning)
                    motion = simulate(pendulum, *start, control=lambda t, q, v: 0.0 * v, record_to=folder)
            except KeyboardInterrupt:
                motion = None
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            found = lengths(folder) if folder.is_dir() else {}
            assert len(set(found.values())) <= 1
            assert len(found) in (0, 5)
            if motion is not None and found:
                assert set(found.values()) == {len(motion)}
    finally:
        signal.signal(signal.SIGALRM, handler)


@pytest.mark.parametrize("takes_room", [True, False])
def test_a_recording_in_files_is_that_in_memory(takes_room, pendulum, tmp_path, monkeypatch):
    if not takes_room:  # as on systems that cannot
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    q = np.random.default_rng(0).normal(size=(30, 2))
    options = {"control": lambda t, q, v: -q, "every": 2, "duration": 0.2, "step": 0.01}
    memory = simulate(pendulum, q, [0.0, 0.0], **options)
    files = simulate(pendulum, q, [0.0, 0.0], **options, record_to=tmp_path)
    for name in ("time", "q", "v", "a", "tau"):
        np.testing.assert_array_equal(getattr(files, name), getattr(memory, name))
    assert not files.q.flags.owndata


@pytest.mark.parametrize("integrator", ["semi_implicit", "dop853", "bdf1"])
@pytest.mark.parametrize("in_files", [False, True])
def test_an_empty_batch_has_an_empty_motion(integrator, in_files, pendulum, tmp_path):
    folder = tmp_path / "run" if in_files else None
    record = ("a", "tau", "energy", "b1")
    motion = simulate(
        pendulum, np.zeros((3, 0, 2)), [0, 0], **STEP, integrator=integrator, record=record, record_to=folder
    )
    np.testing.assert_allclose(motion.time, 0.01 * np.arange(6))
    assert motion.q.shape == motion.v.shape == motion.a.shape == motion.tau.shape == (3, 0, 6, 2)
    assert motion.columns["kinetic_energy"].shape == (3, 0, 6)
    assert motion.columns["b1"].shape == (3, 0, 6, 4, 4)


def test_what_is_out_of_range_is_one_of_our_errors(pendulum):
    start = [0.5, -0.2], [0.1, 0.3], 0.05, 0.01
    assert len(simulate(pendulum, *start, every=10**30)) == 2
    with pytest.raises(ArgumentValueError, match="record_to"):
        simulate(pendulum, *start, record_to="a\0b")
    with pytest.raises(ArgumentTypeError, match=r"^convergence: tol is a str"):
        convergence(pendulum, *start, integrator="dormand_prince", tol="x")
    with pytest.raises(ArgumentValueError, match=r"^convergence: tol is inf"):
        convergence(pendulum, *start, integrator="dormand_prince", tol=10**400)
    with pytest.raises(ArgumentValueError, match=r"^convergence: tol is nan"):
        convergence(pendulum, *start, integrator="dormand_prince", tol=np.nan)
    with pytest.raises(ArgumentValueError, match="runs is 1000000000, expected 3 to 32"):
        convergence(pendulum, *start, runs=10**9)
    many = np.zeros((1,) * 33 + (2,))
    for call in (
        lambda: simulate(pendulum, many, *start[1:]),
        lambda: rnea(pendulum, many, [0, 0], [0, 0]),
        lambda: crm(np.zeros((1,) * 33 + (6,))),
    ):
        with pytest.raises(ArgumentValueError, match="the leading axes are more than 32"):
            call()
